"""The kernels of conversions: one for each pair of dtypes.  `casting` loads this file late."""

from functools import cache
from typing import Any

from .._arrays.parallel import Work
from .._dtypes.table import Kind, Specials, dtype, spec_of
from .loops import Kernel, compute
from .scalar_ir import Code, convert, has_numbers, in_memory, load, number_of, store


def convert_large(out: Any, raw: Any, source: dtype, target: dtype, instead: Work) -> None:
    """Write codes of one dtype, converted and broadcast, into an array of codes of another.

    ``instead`` is how NumPy does it, ``instead(out, codes)``.
    """
    compute(cast(source, target), instead, out, raw)


@cache
def cast(source: dtype, target: dtype) -> Kernel | None:
    """Return what converts one dtype to another, as `casting.Route` does; None if it is left to NumPy."""
    if not (has_numbers(source) and has_numbers(target)):
        return None
    if source is target and spec_of(source).kind is not Kind.BOOL:
        return None  # the bits are copied, whatever they stand for

    def body(code: Code, number: str) -> str:
        return cast_number(code, number, source, target, rounds=False)

    return Kernel(target, [source], body)


def cast_number(code: Code, number: str, source: dtype, target: dtype, *, rounds: bool) -> str:
    """Return the number that one of a dtype's becomes in another dtype.

    ``rounds`` says whether it loses now what the dtype lacks; else that is left to `code.store`.
    """
    if source is target:
        return number
    have, want = number_of(source), number_of(target)
    found = convert(code, number, have, want)
    form = spec_of(source).float_format
    # The one NaN of these is a constant, of which compilers make the integer 0.
    has_constant_nan = form is not None and form.specials in (Specials.FNUZ, Specials.NAN_ONLY)
    if has_constant_nan and want.kind in (Kind.UNSIGNED, Kind.SIGNED):
        is_nan = code.add(f"fcmp uno {have.type} {number}, 0.0")
        found = code.select(is_nan, want.type, 0, found)
    narrows = in_memory(target) not in ("float", "double") and want.kind is Kind.FLOAT
    return load(code, target, store(code, target, found)) if rounds and narrows else found
