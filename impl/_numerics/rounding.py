"""Rounding to 16-bit floats, the dtypes of most kernels, and the error for other dtypes."""

import math
from typing import Any, NoReturn

from .._arrays.numpy_bridge import np, numpy_storage_dtype
from .._dtypes.constants import BFLOAT16, BOOL, FLOAT4_E2M1FN_X2, FLOAT16, FLOAT32, FLOAT64, INT64
from .._dtypes.table import DTYPES, dtype, spec_of
from .._runtime.errors import check
from .float_formats import encode

FLOAT_DTYPES = (FLOAT16, BFLOAT16, FLOAT32, FLOAT64)
_INTEGERS = tuple(DTYPES[name] for name in ("uint8", "int8", "int16", "int32"))
COMMON_DTYPES = (*_INTEGERS, INT64, *FLOAT_DTYPES)
"""The dtypes that most of torch's kernels support; bool is not among them."""
COMMON_AND_BOOL = (*COMMON_DTYPES, BOOL)


def round_to_dtype(numbers: Any, dtype: dtype) -> Any:
    """Return float32 numbers, rounded to float16 or bfloat16; unchanged for other dtypes."""
    if dtype is FLOAT16:
        return encode(numbers, dtype).view(np.float16)
    return encode(numbers, dtype) if dtype is BFLOAT16 else numbers


def round_to_elements(numbers: Any, dtype: dtype) -> Any:
    """Return numbers as elements of a real dtype; 16-bit floats are rounded through float32."""
    if dtype is FLOAT16 or dtype is BFLOAT16:
        return round_to_dtype(numbers.astype(np.float32), dtype)
    return numbers.astype(numpy_storage_dtype(dtype), copy=False)


def widen_to_float32(elements: Any, dtype: dtype) -> Any:
    """Return elements of a float dtype as numbers: bfloat16 as float32, others unchanged."""
    return (elements.astype(np.uint32) << 16).view(np.float32) if dtype is BFLOAT16 else elements


def check_supported(kernel: str, dtype: dtype, supported: tuple[dtype, ...]) -> None:
    """Raise torch's error if a kernel does not support a dtype."""
    if dtype not in supported:
        raise_not_implemented(kernel, dtype)


def check_has_opmath(dtype: dtype) -> None:
    """Raise torch's error for a dtype that its kernels for scatter and gather cannot compute in."""
    check(
        dtype is not FLOAT4_E2M1FN_X2,
        lambda: (
            'false INTERNAL ASSERT FAILED at "/__w/pytorch/pytorch/aten/src/ATen/OpMathType.h":67,'
            " please report a bug to PyTorch. Unrecognized ScalarType: Float4_e2m1fn_x2"
        ),
    )


def raise_not_implemented(kernel: str, dtype: dtype) -> NoReturn:
    """Raise torch's error for a dtype that a kernel does not support."""
    raise NotImplementedError(f"\"{kernel}\" not implemented for '{spec_of(dtype).cpp_name}'")


def format_number(number: float) -> str:
    """Return a number in the format of C++ streams.

    >>> format_number(1234567.891), format_number(-math.nan)
    ('1.23457e+06', '-nan')
    """
    sign = "-" if math.isnan(number) and math.copysign(1, number) < 0 else ""
    return f"{sign}{number:g}"
