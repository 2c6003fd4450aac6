"""What the functions share that make tensors of numbers in a row."""

from typing import Any

from ..._dtypes.constants import FLOAT64
from ..._dtypes.scalars import scalar_dtype
from ..._dtypes.table import dtype
from ..._geometry import extents
from ..._numerics.encode_scalar import ScalarPath, encode_scalar
from ..._storage.untyped_storage import new_storage
from ..._tensor.factories import number_of, resize_out
from ..._tensor.tensor import Tensor
from ..common.out_argument import write_out

LARGE = 2**30
"""From this many bytes on, NumPy's refusals to allocate are turned into torch's."""


def plain_number(value: Any) -> Any:
    """Return the plain number of what was taken as a Scalar."""
    value = number_of(value)
    if type(value) in (int, float, bool, complex):
        return value
    dtype = scalar_dtype(value)
    if dtype.is_complex:
        return complex(value)
    return float(value) if dtype.is_floating_point else int(value)


def as_double(value: Any) -> float:
    """Return a number as a double (c10::Scalar::to<double>)."""
    return float(encode_scalar(value, FLOAT64, ScalarPath.SCALAR))


def check_memory(count: int, dtype: dtype) -> None:
    """Raise where there is no memory for so many elements."""
    size = extents.contiguous_bytes((count,), dtype.itemsize)
    if size > LARGE:
        new_storage(size)


def write_row(out: Tensor, row: Any) -> None:
    """Write elements that are in a row into a tensor of as many, in the order of its indices."""
    write_out(out, row.reshape(out._geometry.shape))


def resize_row(out: Tensor, count: int) -> None:
    """Make a tensor one of ``count`` elements; one that has as many keeps its shape."""
    if out._geometry.numel != count:
        resize_out(out, (count,))
