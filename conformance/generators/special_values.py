"""Special values of each dtype: the numbers at which kernels take another way.

They are zeros of both signs, ties, infinities, NaNs of both signs, the limits of the dtype, and
some numbers between them.
"""

import re
import warnings
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from typing import Any

from ..core.float_formats import FORMATS, Format, value_of
from ..spec.public_surface import in_scope

DTYPES = (
    "float32", "int64", "bfloat16", "bool", "float64", "uint8", "float16", "int32", "complex64",
    "int8", "int16",
)  # fmt: skip
"""The dtypes of operands; neighbors have different kernels."""

FLOATS = tuple(dtype for dtype in DTYPES if FORMATS[dtype].is_float)
"""The dtypes of operands that are floating-point or complex."""

_NUMBERS = (0.0, -0.0, 1.0, -1.0, 0.5, -1.5, 2.5, 3.0, -7.0, 100.0)
_INTEGERS = (0, 1, -1, 2, 3, -7, 100)
_NOT_FINITE = ("math.inf", "-math.inf", "math.nan", "-math.nan")


@cache
def specials(dtype: str) -> tuple[str, ...]:
    """Return the special values of a dtype, each as source text.

    >>> specials("uint8")
    ('0', '1', '2', '3', '100', '255', '254')
    """
    fmt = FORMATS[dtype]
    if fmt.kind == "bool":
        return "True", "False"
    if fmt.is_integer:
        low, high = fmt.integers.start, fmt.integers.stop - 1
        numbers = (n for n in (*_INTEGERS, low, low + 1, high, high - 1) if n in fmt.integers)
        return tuple(dict.fromkeys(map(str, numbers)))
    reals = (*map(str, _NUMBERS), *_NOT_FINITE, *_limits(fmt))
    if fmt.parts == 1:
        return reals
    step = next(n for n in range(5, len(reals)) if len(reals) % n)
    others = (reals[index * step % len(reals)] for index in range(len(reals)))
    return tuple(f"complex({re}, {im})" for re, im in zip(reals, others, strict=True))


def _limits(fmt: Format) -> tuple[str, ...]:
    """Return the smallest, largest and first numbers of a format as source text."""
    one = fmt.bias << fmt.mantissa
    codes = (
        1 << fmt.mantissa, fmt.magnitudes + (1 << fmt.mantissa), 1, fmt.magnitudes + 3, fmt.largest,
        fmt.magnitudes + fmt.largest, one + 1, one - 1,
    )  # fmt: skip
    real = FORMATS[fmt.name]._replace(parts=1)
    return tuple(repr(float(value_of(code, real))) for code in codes)


def paired_operands(dtype: str, call: str) -> tuple[str, ...]:
    """Return steps that assign to ``x`` and ``y``, so that every pair of values meets.

    The second step for an integer dtype has no zeros in ``y``, by which torch does not divide.
    """
    fmt, values = FORMATS[dtype], specials(dtype)
    if ENDS_PROCESS.search(call) and fmt.kind == "signed" and fmt.bits >= 32:
        values = tuple(value for value in values if value != str(fmt.integers.start))
    steps = [_pairs(dtype, values, values)]
    if fmt.is_integer:
        steps.append(_pairs(dtype, values, [value for value in values if value != "0"]))
    return tuple(steps)


ENDS_PROCESS = re.compile(r"\blcm_?\(")
"""Calls that end torch's process if an operand is the least number of int32 or int64.

The gcd of this number may be -1, and the quotient is out of range (calc_gcd and lcm_kernel in
ATen/native/Math.h and ATen/native/cpu/BinaryOpsKernel.cpp).
"""


def _pairs(dtype: str, rows: Sequence[str], columns: Sequence[str]) -> str:
    shape = f"{len(rows)}, {len(columns)}"
    first, second = (f"[{', '.join(values)}]" for values in (rows, columns))
    return (
        f"s = torch.tensor({first}, dtype=torch.{dtype}); "
        f"x = s[:, None].expand({shape}).clone(); "
        f"y = torch.tensor({second}, dtype=torch.{dtype}).expand({shape}).clone()"
    )


SIZES = (1, 7, 8, 9, 15, 16, 17, 31, 32, 33)
"""The lengths of reduced dimensions, around the widths of vectors."""

_PLACES = ((0, -1), (-1, 0), (0.5, 0), (-1, 0.5), (0.25, 0.75))
"""The positions of two special values in a dimension: indices, or parts of its length."""


def ordered_operands(dtype: str, size: int, call: str) -> tuple[str, ...]:
    """Return steps that assign to ``x``: in each column every value is before every other one.

    The other elements of a column are all 0 or all 1. Those of a sum or a product change nothing,
    as the order of several roundings is open. The columns are adjacent or apart.
    """
    values = specials(dtype)
    others = next((rest for pattern, rest in _NEUTRAL.items() if re.search(pattern, call)), "01")
    tensor = f"torch.tensor([{', '.join(values)}], dtype=torch.{dtype})"
    shape = f"expand({len(values)}, {len(values)}).reshape(-1)"
    return tuple(
        f"s = {tensor}; a = s[:, None].{shape}; b = s.{shape}; c = torch.full_like(a, {other}); "
        f"x = torch.stack([{', '.join(_column(size, *places))}]){layout}"
        for places in _PLACES
        for other in others
        for layout in ("", ".t().contiguous().t()")
    )


_NEUTRAL = {"sum|mean": "0", "prod": "1"}
"""The neutral element of sums and of products."""


def _column(size: int, *places: float) -> list[str]:
    """Return the names of the elements of a column."""
    names = ["c"] * size
    for name, place in zip("ab", places, strict=True):
        names[place if isinstance(place, int) else int(place * size)] = name
    return names


@cache
def reductions(torch: Any) -> tuple[str, ...]:
    """Return the calls of methods of ``x`` that the oracle accepts along a dimension.

    A method with a 0-dim result is also called for each column. Variances are rounded many times,
    and the order of this is open, whatever the elements are.
    """
    methods = [path.rpartition(".") for path in in_scope(torch)]
    names = [name for owner, _, name in methods if owner == "torch.Tensor"]
    names = [name for name in names if name not in ("std", "var")]
    by_column = "torch.stack([v.{}() for v in x.unbind(1)])"
    return (
        *(f"x.{name}(dim=0)" for name in names if _result(torch, name, dim=0) is not None),
        *(
            f"x.{name}(dim=0, dtype=torch.{dtype})"
            for name in names
            for dtype in ("float16", "float64", "int64")
            if _result(torch, name, dim=0, dtype=getattr(torch, dtype)) is not None
        ),
        *(by_column.format(name) for name in names if _is_number(torch, _result(torch, name))),
    )


def _result(torch: Any, name: str, **arguments: Any) -> Any:
    """Return the oracle's result of a method of a tensor, or None."""
    with suppress(Exception), warnings.catch_warnings(action="ignore"):
        return getattr(torch.ones(3), name)(**arguments)


def _is_number(torch: Any, value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.dim() == 0
