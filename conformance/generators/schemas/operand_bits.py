"""Calls in which operands, or ``out``, have the conj or the neg bit, on the CPU and on meta.

Operators resolve the bits, keep them or refuse the operand; some kernels read around them.
"""

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

from .default_calls import DefaultCall, chosen_in_memory, default_call, has_one_out
from .operand_sizes import sized_operands
from .outcomes import Program
from .overloads import Overload, overloads

_TO_COMPLEX = "{0} = {0}.to(torch.complex64) if {0}.is_floating_point() else {0}"

_CHANGES = (
    "{0} = {0}._neg_view()", "{0} = {0}.conj()", "{0} = {0}.conj()._neg_view()",
    "{0} = ({0} * 1j).conj().imag", "{0} = ({0} * 1j).conj()",
)  # fmt: skip
"""The steps that give a bit to an operand, which may be complex."""


@cache
def operands_with_bits(torch: Any) -> dict[str, tuple[Overload, str]]:
    """Return the overloads and each tensor that they take or write to, by the names of both."""
    outs = {f"{row.id} out": (row, "o") for row in overloads(torch).values() if has_one_out(row)}
    return sized_operands(torch) | outs


def calls_with_bits(torch: Any, name: str, step: int, seed: int) -> list[Program]:
    """Return programs in which an operand, or all, have a bit; others may be complex, too.

    They are one of ``step``, which change with the seed, and one for each outcome.
    """
    overload, variable = operands_with_bits(torch)[name]
    programs = _programs(default_call(torch, overload), variable)
    return chosen_in_memory(torch, overload, programs, step, name, seed)


def _programs(default: DefaultCall, variable: str) -> Iterator[Program]:
    setup, call, names = default
    if variable == "o":
        setup, call = (*setup, f"o = torch.zeros_like({call})"), default.with_out
        names = *names, "o"
    # All operands at once are asked with the first one.
    changed = [(variable,), default.names] if variable == "x" else [(variable,)]
    for change, to_complex, operands, to_meta in product(
        _CHANGES, ((), (variable,), names), changed, ((), names)
    ):
        steps = [_TO_COMPLEX.format(name) for name in to_complex]
        steps += [f"{name} = {name}.to('meta')" for name in to_meta]
        steps += [change.format(name) for name in operands]
        yield (
            *setup,
            "; ".join(steps),
            call,
        )  # in one step, so that those of one outcome are alike
