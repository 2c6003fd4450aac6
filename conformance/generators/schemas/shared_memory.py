"""Calls that write a tensor and read another one of the same memory.

The tensors lie at every small distance, and have gaps; the written one also has elements at one
place. Most of such calls torch refuses; in the others its loops decide which elements are read
before they are written.
"""

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

from .default_calls import VARIABLES, DefaultCall, default_call
from .outcomes import Program, chosen
from .overloads import Overload, overloads
from .programs import default_arguments, has_out, is_tensor_text, tensors_of

_OFFSETS = (3, 0, 2, 4, 7)
"""The storage offsets of the written tensor; the read one has the first."""

_STRIDES = (
    "{0}.stride()", "{0}.stride()[::-1]", "[1] * {0}.dim()", "[0] * {0}.dim()",
    "[2 * n for n in {0}.stride()]",
)  # fmt: skip

_GAPS = ("{0}.stride()", "[2 * n for n in {0}.stride()]")
"""The strides of the tensor that is read; torch makes copies of some with gaps."""

_CONVERSIONS = (("", ""), ("", ".to(m.dtype)"), (".to('meta')", ".to('meta')"))
"""Conversions of the memory, and of the operands that lie elsewhere."""


@cache
def shared_operands(torch: Any) -> dict[str, tuple[Overload, str]]:
    """Return the overloads that write a tensor, and a tensor that each reads, by their names."""
    return {
        f"{row.id} {param.name}": (row, variable)
        for row in _overloads_that_write(torch)
        for variable, param in zip(VARIABLES, tensors_of(row), strict=False)
        if is_tensor_text(default_arguments(torch, row).get(param.name, ""))
        and (has_out(row) or variable != "x")
    }


def _overloads_that_write(torch: Any) -> list[Overload]:
    """Return the overloads that write their first tensor, or ``out``."""
    return [
        row
        for row in overloads(torch).values()
        if (has_out(row) and not row.is_method) or (row.is_method and row.name.endswith("_"))
    ]


def shared_memory_calls(torch: Any, name: str, step: int, seed: int) -> list[Program]:
    """Return programs in which a tensor is read from the memory that is written.

    They are one of ``step``, which change with the seed, and one for each outcome.
    """
    overload, variable = shared_operands(torch)[name]
    programs = _programs(default_call(torch, overload), variable, _number_of_outs(overload))
    return chosen(torch, programs, step, name, seed)


def _number_of_outs(overload: Overload) -> int:
    return sum(param.is_out for param in overload.params)


def _programs(default: DefaultCall, variable: str, outs: int) -> Iterator[Program]:
    setup, call, names = default
    written = "x"
    if outs:
        setup, call, written = (*setup, f"o = {call}"), default.with_out, "o"
    for stride, offset, (to, others_to), gaps in product(_STRIDES, _OFFSETS, _CONVERSIONS, _GAPS):
        if outs > 1:
            first = f"m.as_strided(o[0].shape, {stride.format('o[0]')}, {offset})"
            place = f"o = ({first}, *map(torch.clone, o[1:]))"
        else:
            shape = f"{written}.shape, {stride.format(written)}, {offset}"
            place = f"{written} = m.as_strided({shape})"
        conversions = [
            f"{name} = {name}{others_to}" for name in names if name not in (variable, written)
        ]
        steps = gaps.format(variable)
        yield (
            *setup,
            f"m = {variable}.flatten().repeat(64)[:64]{to}",
            f"{variable} = m.as_strided({variable}.shape, {steps}, {_OFFSETS[0]})",
            place, *(conversions if others_to else ()), call,
        )  # fmt: skip
