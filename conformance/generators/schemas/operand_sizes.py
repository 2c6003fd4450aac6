"""Calls in which one operand has another size in one dimension, or one dimension more or less.

Operators check the sizes of each operand against those of the others, each with its own words.
"""

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

from .default_calls import VARIABLES, DefaultCall, chosen_in_memory, default_call
from .outcomes import Program
from .overloads import Overload, overloads
from .programs import default_arguments, is_tensor_text, tensors_of

_CHANGES = (
    "{0} = {0}.narrow({1}, 0, {0}.size({1}) - 1)", "{0} = {0}.narrow({1}, 0, 1)",
    "{0} = {0}.narrow({1}, 0, 0)", "{0} = torch.cat([{0}, {0}], {1})", "{0} = {0}.select({1}, 0)",
    "{0} = {0}.unsqueeze({1})", "{0} = {0}.unsqueeze({1}).expand_as(torch.stack([{0}] * 2, {1}))",
)  # fmt: skip
"""The steps that change an operand in a dimension."""

_DIMS = (0, 1, -1)


@cache
def sized_operands(torch: Any) -> dict[str, tuple[Overload, str]]:
    """Return the overloads and each tensor that they take, by the names of both."""
    return {
        f"{row.id} {param.name}": (row, variable)
        for row in overloads(torch).values()
        if not row.is_attribute
        for variable, param in zip(VARIABLES, tensors_of(row), strict=False)
        if is_tensor_text(default_arguments(torch, row).get(param.name, ""))
    }


def sized_calls(torch: Any, name: str, step: int, seed: int) -> list[Program]:
    """Return programs in which an operand has other sizes than the default, also on meta.

    They are one of ``step``, which change with the seed, and one for each outcome.
    """
    overload, variable = sized_operands(torch)[name]
    programs = _programs(default_call(torch, overload), variable)
    return chosen_in_memory(torch, overload, programs, step, name, seed)


def _programs(default: DefaultCall, variable: str) -> Iterator[Program]:
    to_meta = "; ".join(f"{name} = {name}.to('meta')" for name in default.names)
    for dim, change in product(_DIMS, _CHANGES):
        changed = change.format(variable, dim)
        yield (*default.setup, changed, default.call)
        yield (*default.setup, f"{changed}; {to_meta}", default.call)
