"""Helpers of arange, range, eye, linspace, logspace and the random factories."""

from typing import Any

from ..._devices.device import CPU, device
from ..._dtypes.constants import COMPLEX64, COMPLEX128, FLOAT32, FLOAT64, INT64
from ..._dtypes.scalars import scalar_dtype
from ..._dtypes.table import DTYPES, dtype
from ..._geometry import extents
from ..._kernels.elementwise import OPMATH_DTYPE
from ..._numerics.encode_scalar import ScalarPath, encode_scalar
from ..._numerics.rounding import COMMON_DTYPES, raise_not_implemented
from ..._storage.untyped_storage import new_storage
from ..._tensor.allocation import resize_out
from ..._tensor.factories import python_scalar
from ..._tensor.tensor import Tensor
from ..common.out_argument import write_out

INT_ONLY = frozenset({int})

ACC_DTYPE = {
    **OPMATH_DTYPE,
    **{DTYPES[name]: INT64 for name in ("uint8", "int8", "int16", "int32")},
    FLOAT32: FLOAT64,
    COMPLEX64: COMPLEX128,
}
"""The accumulate dtypes that differ from the dtype (acc_type in ATen/AccumulateType.h)."""

_LARGE = 2**30
"""The size in bytes above which torch's allocation error replaces NumPy's."""


def plain_number(value: Any) -> Any:
    """Return the plain Python number of a Scalar argument."""
    value = python_scalar(value)
    if type(value) in (int, float, bool, complex):
        return value
    dtype = scalar_dtype(value)
    if dtype.is_complex:
        return complex(value)
    return float(value) if dtype.is_floating_point else int(value)


def as_double(value: Any) -> float:
    """Return a number as a double (c10::Scalar::to<double>)."""
    return float(encode_scalar(value, FLOAT64, ScalarPath.SCALAR))


def check_allocatable(shape: tuple[int, ...], dtype: dtype, device: device = CPU) -> None:
    """Raise torch's error if a contiguous tensor cannot be allocated."""
    size = extents.contiguous_bytes(shape, dtype.itemsize)
    if size > _LARGE:
        new_storage(size, device)


def check_kernel(kernel: str, dtype: dtype, *others: dtype) -> None:
    """Raise if a dtype is neither one of `COMMON_DTYPES` nor one of the others."""
    if dtype not in COMMON_DTYPES and dtype not in others:
        raise_not_implemented(kernel, dtype)


def write_row(out: Tensor, row: Any) -> None:
    """Write a 1-dim array into a tensor of as many elements, in the order of its indices."""
    write_out(out, row.reshape(out._geometry.shape))


def resize_row(out: Tensor, count: int) -> None:
    """Resize a tensor to ``count`` elements; a tensor of ``count`` elements keeps its shape."""
    if out._geometry.numel != count:
        resize_out(out, (count,))
