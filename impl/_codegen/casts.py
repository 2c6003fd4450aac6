"""Compiled kernels of casts, one for each pair of dtypes; `_numerics.cast` imports them lazily."""

from functools import cache
from typing import Any

from .._arrays.parallel import Work
from .._dtypes.table import DTYPES, Kind, Specials, dtype, spec_of
from .loops import Kernel, run_kernel
from .scalar_ir import IRBuilder, convert, is_compilable, load, memory_type, opmath_type, store


def convert_large(out: Any, raw: Any, source: dtype, target: dtype, fallback: Work) -> None:
    """Cast a raw array to another dtype and write it into ``out``, with broadcasting.

    NumPy's way is ``fallback(out, raw)``.
    """
    run_kernel(cast_kernel(source, target), fallback, out, raw)


@cache
def cast_kernel(source: dtype, target: dtype) -> Kernel | None:
    """Return the kernel that casts one dtype to another; None if NumPy casts."""
    if not (is_compilable(source) and is_compilable(target)):
        return None
    if source is target and spec_of(source).kind is not Kind.BOOL:
        return None  # a copy of the bits

    def body(code: IRBuilder, number: str) -> str:
        return cast_number(code, number, source, target, rounds=False)

    return Kernel(target, [source], body)


@cache
def copy_kernel(itemsize: int) -> Kernel | None:
    """Return the kernel that copies elements of a number of bytes; None if there is none."""
    if itemsize > 8:
        return None
    bits = DTYPES[f"uint{8 * itemsize}"]
    return Kernel(bits, [bits], lambda code, number: number)


def cast_number(code: IRBuilder, number: str, source: dtype, target: dtype, *, rounds: bool) -> str:
    """Return a number of ``source``, cast to ``target``.

    With ``rounds`` the number is rounded to the target's format; otherwise `store` rounds it.
    """
    if source is target:
        return number
    source_type, target_type = opmath_type(source), opmath_type(target)
    result = convert(code, number, source_type, target_type)
    fmt = spec_of(source).float_format
    # The only NaN of these formats is a constant, and compilers convert it to the integer 0.
    has_constant_nan = fmt is not None and fmt.specials in (Specials.FNUZ, Specials.NAN_ONLY)
    if has_constant_nan and target_type.kind in (Kind.UNSIGNED, Kind.SIGNED):
        is_nan = code.add(f"fcmp uno {source_type.type} {number}, 0.0")
        result = code.select(is_nan, target_type.type, 0, result)
    narrows = memory_type(target) not in ("float", "double") and target_type.kind is Kind.FLOAT
    return load(code, target, store(code, target, result)) if rounds and narrows else result
