"""Rounding to 16-bit floats, the dtypes that most kernels support, and how kernels refuse the others."""

import math
from typing import Any, NoReturn

from .._arrays.numpy_bridge import np
from .._dtypes.constants import BFLOAT16, FLOAT16, FLOAT32, FLOAT64, INT64
from .._dtypes.table import DTYPES, dtype, spec_of
from .float_formats import encode

FLOATS = (FLOAT16, BFLOAT16, FLOAT32, FLOAT64)
USUAL = (*(DTYPES[name] for name in ("uint8", "int8", "int16", "int32")), INT64, *FLOATS)
"""The dtypes that most of torch's kernels know, of which bool is not always one."""


def round_to_dtype(numbers: Any, dtype: dtype) -> Any:
    """Return float32 numbers as elements of float16 or bfloat16, the nearest; others as they are."""
    if dtype is FLOAT16:
        return encode(numbers, dtype).view(np.float16)
    return encode(numbers, dtype) if dtype is BFLOAT16 else numbers


def widen_to_float32(elements: Any, dtype: dtype) -> Any:
    """Return elements of a float dtype as numbers that compare."""
    return (elements.astype(np.uint32) << 16).view(np.float32) if dtype is BFLOAT16 else elements


def raise_not_implemented(kernel: str, dtype: dtype) -> NoReturn:
    """Raise what torch raises where a kernel does not know a dtype."""
    raise NotImplementedError(f"\"{kernel}\" not implemented for '{spec_of(dtype).cpp_name}'")


def format_number(number: float) -> str:
    """Write a number as C++ streams do.

    >>> format_number(1234567.891), format_number(-math.nan)
    ('1.23457e+06', '-nan')
    """
    sign = "-" if math.isnan(number) and math.copysign(1, number) < 0 else ""
    return f"{sign}{number:g}"
