"""Calls in which operands, or ``out``, have the conj or the neg bit, on the CPU and on meta.

Operators resolve the bits, keep them or refuse the operand; some kernels read around them.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

from .operand_sizes import sized_operands
from .outcomes import Program, chosen
from .overloads import Overload, overloads
from .programs import default_arguments, has_out, render, stays_in_memory

_VARIABLES = "xyzw"
_TO_COMPLEX = "{0} = {0}.to(torch.complex64) if {0}.is_floating_point() else {0}"

_CHANGES = (
    "{0} = {0}._neg_view()", "{0} = {0}.conj()", "{0} = {0}.conj()._neg_view()",
    "{0} = ({0} * 1j).conj().imag", "{0} = ({0} * 1j).conj()",
)  # fmt: skip
"""The steps that give a bit to an operand, which may be complex."""


@cache
def operands_with_bits(torch: Any) -> dict[str, tuple[Overload, str]]:
    """Return the overloads and each tensor that they take or write to, by the names of both."""
    outs = {
        f"{row.id} out": (row, "o")
        for row in overloads(torch).values()
        if has_out(row) and not row.is_method and sum(param.is_out for param in row.params) == 1
    }
    return sized_operands(torch) | outs


def calls_with_bits(torch: Any, name: str, step: int, seed: int) -> list[Program]:
    """Return programs in which an operand, or all, have a bit; others may be complex, too.

    They are one of ``step``, which change with the seed, and one for each outcome.
    """
    overload, variable = operands_with_bits(torch)[name]
    programs = [
        program
        for program in _programs(torch, overload, variable)
        if stays_in_memory(torch, overload, program)
    ]
    return chosen(torch, programs, step, name, seed)


def _programs(torch: Any, overload: Overload, variable: str) -> Iterator[Program]:
    outs = {param.name for param in overload.params if param.is_out}
    given = default_arguments(torch, overload)
    *setup, call = render(overload, {key: given[key] for key in given if key not in outs})
    names = [name for name in _VARIABLES if any(step.startswith(f"{name} = ") for step in setup)]
    if variable == "o":
        setup.append(f"o = torch.zeros_like({call})")
        names.append("o")
        call = f"{call[:-1]}{'' if call.endswith('()') else ', '}out=o)"
    every = [name for name in names if name != "o"] if variable == "x" and len(names) > 1 else []
    for step in _CHANGES:
        for complex_ones in ([], [variable], names):
            to_complex = [_TO_COMPLEX.format(name) for name in complex_ones]
            for changed in filter(None, ([variable], every)):
                bits = [step.format(name) for name in changed]
                for to_meta in ([], [f"{name} = {name}.to('meta')" for name in names]):
                    # One step, so that programs of one outcome are alike.
                    yield (*setup, "; ".join((*to_complex, *to_meta, *bits)), call)
