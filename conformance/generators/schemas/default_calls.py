"""The default call of an overload in parts, for generators that change its operands."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from .outcomes import Program, chosen
from .overloads import Overload
from .programs import default_arguments, has_out, render, stays_in_memory

VARIABLES = "xyzw"
"""The names of the tensors of a program, in the order of the parameters."""


class DefaultCall(NamedTuple):
    """The default call of an overload, without ``out=``.

    setup: the steps that make the operands
    call: the expression
    names: the names of the operands
    """

    setup: tuple[str, ...]
    call: str
    names: tuple[str, ...]

    @property
    def with_out(self) -> str:
        """The expression with ``out=o``."""
        comma = "" if self.call.endswith("()") else ", "
        return f"{self.call[:-1]}{comma}out=o)"


def default_call(torch: Any, overload: Overload) -> DefaultCall:
    """Return the default call of an overload; ``out=`` is left out."""
    outs = {param.name for param in overload.params if param.is_out}
    given = default_arguments(torch, overload)
    *setup, call = render(overload, {key: given[key] for key in given if key not in outs})
    names = [name for name in VARIABLES if any(step.startswith(f"{name} = ") for step in setup)]
    return DefaultCall(tuple(setup), call, tuple(names))


def has_one_out(overload: Overload) -> bool:
    """Return whether a function has one ``out=``."""
    is_function = has_out(overload) and not overload.is_method
    return is_function and sum(param.is_out for param in overload.params) == 1


def chosen_in_memory(
    torch: Any, overload: Overload, programs: Iterable[Program], step: int, key: str, seed: int
) -> list[Program]:
    """Return what `chosen` does of those programs in which the oracle stays in its memory."""
    inside = [program for program in programs if stays_in_memory(torch, overload, program)]
    return chosen(torch, inside, step, key, seed)
