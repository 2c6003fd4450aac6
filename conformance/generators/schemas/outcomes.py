"""What the oracle makes of programs, and a choice of some programs that shows all of it.

One program in so many would miss most refusals, of which an operator has many that one program in
hundreds shows. So the oracle runs them all before, which takes a hundredth of the time in which
they are compared, and the choice has one for each outcome.
"""

import math
import re
import warnings
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from types import CodeType
from typing import Any
from zlib import crc32

import numpy

from ...core.domain import one_in_step

Program = tuple[str, ...]

SEEDED = "torch.manual_seed(0).device"
"""The step before a call that draws random numbers."""


def chosen(
    torch: Any, programs: Iterable[Program], step: int, key: str, seed: int
) -> list[Program]:
    """Return the first program, one of ``step`` of the others, and one for each other outcome.

    Those that have an outcome in common, of tensors of the same kinds, take turns with the seed.
    """
    every = [*dict.fromkeys(programs)]
    if step == 1 or len(every) < 2:
        return every
    first, *others = every
    sample = dict.fromkeys((first, *one_in_step(others, step, key, seed)))
    outcomes: dict[Hashable, list[Program]] = {}
    for program in every:
        outcomes.setdefault((outcome_of(torch, program), _kinds(program)), []).append(program)
    for outcome, alike in outcomes.items():
        if sample.keys().isdisjoint(alike):
            sample[alike[(crc32(f"{key} {outcome}".encode()) + seed) % len(alike)]] = None
    return [*sample]


def _kinds(program: Program) -> Hashable:
    """Return which steps of a program have tensors on meta, sparse ones, or gradients."""
    return tuple(word in step for step in program for word in ("meta", "sparse", "requires_grad"))


def outcome_of(torch: Any, program: Program) -> Hashable:
    """Return the kind of a program's result, or the template of its error.

    An error of the last step tells, too, whether that step changed the shape of a tensor before.
    """
    *setup, call = program
    variables: dict[str, Any] = {}
    before: Any = None
    with warnings.catch_warnings(action="ignore"):
        try:
            variables = _variables_of(torch, setup)
            before = _shapes(torch, variables)
            return _kind(torch, eval(_compiled(call, "eval"), variables))
        except Exception as error:  # noqa: BLE001  # any refusal
            return *_template(error), before is not None and _shapes(torch, variables) != before


def result_of(torch: Any, program: Sequence[str]) -> Any:
    """Return the result of the last step of a program, without warnings and without a seed."""
    return run(torch, program)[0]


def run(torch: Any, program: Sequence[str]) -> tuple[Any, dict[str, Any]]:
    """Return the result of the last step of a program, and its variables."""
    *setup, call = program
    with warnings.catch_warnings(action="ignore"):
        variables = _variables_of(torch, setup)
        return eval(_compiled(call, "eval"), variables), variables


def _variables_of(torch: Any, setup: Sequence[str]) -> dict[str, Any]:
    """Return the variables after some steps, of which a seed is slow and no argument."""
    variables = {"torch": torch, "math": math, "numpy": numpy}
    for step in setup:
        if step != SEEDED:
            exec(_compiled(step, "exec"), variables)
    return variables


def _shapes(torch: Any, variables: Mapping[str, Any]) -> list[Any]:
    return [value.shape for value in variables.values() if isinstance(value, torch.Tensor)]


@lru_cache(maxsize=4096)
def _compiled(step: str, mode: str) -> CodeType:
    return compile(step, "<schema>", mode)


def _kind(torch: Any, result: Any) -> Hashable:
    if isinstance(result, tuple | list):
        return (type(result).__name__, *(_kind(torch, item) for item in result))
    if not isinstance(result, torch.Tensor):
        return type(result).__name__
    is_dense = result.layout is torch.strided and result.is_contiguous()
    node = type(result.grad_fn).__name__ if result.requires_grad else ""
    place = str(result.dtype), result.device.type, str(result.layout)
    return *place, is_dense, not result.numel(), result.is_conj(), result.is_neg(), node


def _template(error: Exception) -> tuple[str, str]:
    """Return the class of an error and its first line, without numbers, names and types."""
    text = str(error).partition("\n")[0]
    if isinstance(error, TypeError):
        text = _TYPES.sub("", text)
    return type(error).__name__, _NUMBERS.sub("#", text)


_NUMBERS = re.compile(r"-?\d[\d.]*")
_TYPES = re.compile(r"'\w+'|, not .*| - got .*|; did you mean.*")
