"""Checks of dtypes, and the names of dtypes in torch's C++ messages."""

from typing import Any

from ... import bfloat16, float16, float32, float64
from ..._dtypes.table import spec_of
from ..._runtime.errors import check

FLOATS = (float16, bfloat16, float32, float64)
"""The dtypes of most kernels for floats."""


def cpp_name(dtype: Any) -> str:
    """Return the name of a dtype, such as "Float"."""
    return spec_of(dtype).cpp_name


def check_mixed_dtypes(input: Any, *parameters: Any) -> bool:
    """Return whether the first parameter has another dtype than the input (mixed_data_type.h).

    The parameters of a normalization may then be float32, and the input a small float.
    """
    given = [x for x in parameters if x is not None]
    if not given or given[0].dtype is input.dtype:
        return False
    check(
        all(x.dtype is float32 for x in given),
        lambda: "mixed dtype (CPU): expect parameter to have scalar type of Float",
    )
    check(
        input.dtype.is_floating_point and input.dtype.itemsize < 4,
        lambda: "mixed dtype (CPU): all inputs must share same datatype.",
    )
    return True
