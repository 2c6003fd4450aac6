"""The kernels of conversions: one for each pair of dtypes.  `casting` loads this file late."""

from functools import cache
from typing import Any

from ..blocks import Work
from ..dtypes import Kind, Specials, dtype, row_of
from .code import Code, convert, has_numbers, number_of
from .loops import Kernel, compute


def convert_large(out: Any, codes: Any, source: dtype, target: dtype, instead: Work) -> None:
    """Write codes of one dtype, converted and broadcast, into an array of codes of another.

    ``instead`` is how NumPy does it, ``instead(out, codes)``.
    """
    compute(cast(source, target), instead, out, codes)


@cache
def cast(source: dtype, target: dtype) -> Kernel | None:
    """Return what converts one dtype to another, as `casting.Route` does; None if it is left to NumPy."""
    if not (has_numbers(source) and has_numbers(target)):
        return None
    if source is target and row_of(source).kind is not Kind.BOOL:
        return None  # the bits are copied, whatever they stand for
    have, want = number_of(source), number_of(target)
    form = row_of(source).float_format
    # The one NaN of these is a constant, of which compilers make the integer 0.
    has_constant_nan = form is not None and form.specials in (Specials.FNUZ, Specials.NAN_ONLY)
    is_integer = want.kind in (Kind.UNSIGNED, Kind.SIGNED)

    def body(code: Code, number: str) -> str:
        found = convert(code, number, have, want)
        if not (has_constant_nan and is_integer):
            return found
        is_nan = code.add(f"fcmp uno {have.type} {number}, 0.0")
        return code.select(is_nan, want.type, 0, found)

    return Kernel(target, [source], body)
