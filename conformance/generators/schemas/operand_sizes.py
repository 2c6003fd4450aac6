"""Calls in which one operand has another size in one dimension, or one dimension more or less.

Operators check the sizes of each operand against those of the others, each with its own words.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

from .outcomes import Program, chosen
from .overloads import Overload, overloads
from .programs import default_arguments, is_tensor_text, render, stays_in_memory, tensors_of

_CHANGES = (
    "{0} = {0}.narrow({1}, 0, {0}.size({1}) - 1)", "{0} = {0}.narrow({1}, 0, 1)",
    "{0} = {0}.narrow({1}, 0, 0)", "{0} = torch.cat([{0}, {0}], {1})", "{0} = {0}.select({1}, 0)",
    "{0} = {0}.unsqueeze({1})", "{0} = {0}.unsqueeze({1}).expand_as(torch.stack([{0}] * 2, {1}))",
)  # fmt: skip
"""The steps that change an operand in a dimension."""

_DIMS = (0, 1, -1)
_VARIABLES = "xyzw"


@cache
def sized_operands(torch: Any) -> dict[str, tuple[Overload, str]]:
    """Return the overloads and each tensor that they take, by the names of both."""
    return {
        f"{row.id} {param.name}": (row, variable)
        for row in overloads(torch).values()
        if not row.is_attribute
        for variable, param in zip(_VARIABLES, tensors_of(row), strict=False)
        if is_tensor_text(default_arguments(torch, row).get(param.name, ""))
    }


def sized_calls(torch: Any, name: str, step: int, seed: int) -> list[Program]:
    """Return programs in which an operand has other sizes than the default, also on meta.

    They are one of ``step``, which change with the seed, and one for each outcome.
    """
    overload, variable = sized_operands(torch)[name]
    programs = [
        program
        for program in _programs(torch, overload, variable)
        if stays_in_memory(torch, overload, program)
    ]
    return chosen(torch, programs, step, name, seed)


def _programs(torch: Any, overload: Overload, variable: str) -> Iterator[Program]:
    *setup, call = render(overload, default_arguments(torch, overload))
    names = [name for name in _VARIABLES if any(step.startswith(f"{name} = ") for step in setup)]
    to_meta = "; ".join(f"{name} = {name}.to('meta')" for name in names)
    for dim in _DIMS:
        for change in _CHANGES:
            changed = change.format(variable, dim)
            yield (*setup, changed, call)
            yield (*setup, f"{changed}; {to_meta}", call)
