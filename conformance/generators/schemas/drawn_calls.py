"""Calls of the overloads with arguments drawn at random, of which the oracle takes most.

The other generators change one thing of a call at a time. Here everything changes at once: ranks,
sizes, strides, dtypes, elements, dimensions, flags, ``out=`` and what shares memory.
"""

import re
from collections.abc import Hashable
from functools import cache
from random import Random
from typing import Any

from . import values
from .drawn_arguments import DTYPES, DefaultTensor, Drawer
from .outcomes import Program, outcome_of, result_of
from .overloads import Overload, Param, overloads
from .programs import TENSORS, default_arguments, is_tensor_text, refused, render, stays_in_memory

_TRIALS = 8
"""How many calls are drawn for each that is returned."""


@cache
def drawn_overloads(torch: Any) -> dict[str, Overload]:
    """Return the overloads that are called, without methods that are functions as well."""
    without = {row.partition(": ")[0] for row in refused(torch)}
    rows = overloads(torch).items()
    return {
        key: row
        for key, row in rows
        if key not in without and not row.repeats and not row.is_attribute
    }


def drawn_calls(torch: Any, name: str, count: int, seed: int) -> list[Program]:
    """Return so many calls that the oracle takes, if it does, and half as many that it refuses.

    Each refusal is of another kind; there is at least one.
    """
    overload = drawn_overloads(torch)[name]
    defaults = _default_tensors(torch, overload)
    random = Random(f"{name} {seed}")
    taken: dict[Program, None] = {}
    refusals: dict[Hashable, Program] = {}
    for _ in range(_TRIALS * count):
        drawer = Drawer(random)
        call = render(overload, _arguments(torch, overload, defaults, drawer))
        program = _with_names((*drawer.steps, *call))
        if _ENDS_PROCESS.match(program[-1]) or not stays_in_memory(torch, overload, program):
            continue
        outcome = outcome_of(torch, program)
        if is_refusal(outcome):
            refusals.setdefault(outcome, program)
        else:
            taken[program] = None
        if len(taken) == count:
            break
    return [*taken, *list(refusals.values())[: max(1, count // 2)]]


_ENDS_PROCESS = re.compile(r"torch\.range\([^,]+, [^,]+, -?0\.\d")
"""A step below 1, by which torch divides after it has made an integer of it for the result."""


def _with_names(program: Program) -> Program:
    """Return a program in which a view of ``x`` as an argument has a name of its own."""
    *steps, call = program
    for name in "vuts":
        if view := _VIEW.search(call):
            call = call.replace(view[0], name)
            steps.append(f"{name} = {view[0]}")
    return (*steps, call)


_VIEW = re.compile(r"x\.as_strided\((?:[^()]|\([^()]*\))*\)")


def is_refusal(outcome: Hashable) -> bool:
    """Return whether the outcome of a program is an error."""
    return isinstance(outcome, tuple) and len(outcome) == 3 and isinstance(outcome[2], bool)


@cache
def _default_tensors(torch: Any, overload: Overload) -> dict[str, DefaultTensor]:
    given = default_arguments(torch, overload)
    texts = {name: text for name, text in given.items() if is_tensor_text(text)}
    results = {name: result_of(torch, (text,)) for name, text in texts.items()}
    return {
        name: DefaultTensor(texts[name], result)
        for name, result in results.items()
        if isinstance(result, torch.Tensor)
    }


def _arguments(
    torch: Any, overload: Overload, defaults: dict[str, DefaultTensor], drawer: Drawer
) -> dict[str, str]:
    given = dict(default_arguments(torch, overload))
    outs = 0
    for param in overload.params:
        if param.name not in given and not drawer.happens(0.35):
            continue
        default = given.get(param.name, "")
        if param.is_out:
            given[param.name] = _out(drawer, default, outs)
            outs += 1
        elif param.is_tensor or param.type == TENSORS:
            given[param.name] = _tensors(drawer, param, default, defaults)
        else:
            texts = values.defaults(param.element_type)
            given[param.name] = drawer.value(param.element_type, default or texts[0])
    return given


def _tensors(drawer: Drawer, param: Param, default: str, defaults: dict[str, DefaultTensor]) -> str:
    first = next(iter(defaults.values()), None)
    if param.type == TENSORS:
        if first is None or drawer.happens(0.1):
            return default
        names = "abc"[: drawer.random.choice((1, 2, 2, 3))]
        drawer.steps += [f"{name} = {drawer.tensor(first)}" for name in names]
        return "*" * default.startswith("*") + f"[{', '.join(names)}]"
    known = defaults.get(param.name)
    if known is None:
        return default or (drawer.tensor(first) if first else "None")
    if drawer.shares_memory and known is not first and drawer.happens(0.6):
        return drawer.of_memory("x", known)
    return drawer.tensor(known)


def _out(drawer: Drawer, default: str, place: int) -> str:
    if place or drawer.happens(0.5):
        return default
    if drawer.shares_memory:
        return "x.as_strided(x.shape, x.stride(), 1)" if drawer.happens(0.5) else "x"
    dtype = drawer.random.choice(DTYPES)
    return f"torch.ones({drawer.shape}, dtype={dtype})"
