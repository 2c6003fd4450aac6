"""nonzero_static (ATen/native/TensorAdvancedIndexing.cpp)."""

from typing import Any

from ..._arrays.numpy_bridge import np
from ..._autograd.autograd_meta import bump_version, is_differentiable
from ..._devices.device import CPU, device
from ..._dtypes.constants import INT64
from ..._dtypes.table import spec_of
from ..._geometry.extents import check_nonnegative
from ..._geometry.geometry import Geometry, dense, on_device, strided
from ..._numerics.cast import to_numbers
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import NotDense, check
from ..._tensor.allocation import empty_tensor, empty_with, resize_output
from ..._tensor.data_access import raw_array, write_elements
from ..._tensor.out_autograd import check_no_leaf, with_gradient_check
from ..._tensor.tensor import Tensor
from ..common.conj_neg_fallback import resolves_conj_neg
from ..common.copy import record_write
from ..common.memory_overlap import check_written_alone
from ..common.meta_reference import into_meta, is_on_meta
from ..elementwise.binding import Overload, install_operator
from ..elementwise.plan import BOOLS, COMPLEX, HALF_COMPLEX, NUMBERS

_DTYPES = BOOLS | NUMBERS | COMPLEX | HALF_COMPLEX


@resolves_conj_neg
def _resolved(tensor: Tensor, size: int, fill_value: int, out: Tensor | None = None) -> Tensor:
    rank, device = tensor._geometry.rank, tensor._geometry.device
    if is_on_meta(tensor, out):
        check_nonnegative((size, rank))
        geometry = _geometry(size, rank, device)
        if out is None:
            return empty_with(geometry, INT64)
        into_meta("nonzero_static", out, geometry, INT64)
        return record_write(out, (tensor,) if is_differentiable(out) else (), "NotImplemented")
    if any(x is not None and x._geometry.is_sparse for x in (tensor, out)):
        raise NotDense
    check(size >= 0, lambda: "nonzero_static: 'size' must be an non-negative integer")
    if out is not None:
        result = out
    elif device is CPU:
        result = empty_tensor((size, rank), INT64)
    else:
        result = empty_with(_geometry(size, rank, device), INT64)
    check(
        result._dtype is INT64,
        lambda: (
            "nonzero_static: Expected out tensor to have scalar type Long but got scalar type"
            f"{spec_of(result._dtype).cpp_name}"
        ),
    )
    if out is not None:
        resize_output(out, (size, rank))
        check_written_alone(out, tensor)
    if result._geometry.numel:
        if tensor._dtype not in _DTYPES:
            raise_not_implemented("nonzero_count_cpu", tensor._dtype)
        write_elements(result, _indices(tensor, size, fill_value))
    if out is not None:
        bump_version(out)
    return result


def _geometry(size: int, rank: int, device: device) -> Geometry:
    """Return the geometry of a result, which has columns except on the CPU."""
    shape = size, rank
    return on_device(dense(shape) if device is CPU else strided(shape, (1, size)), device)


def _indices(tensor: Tensor, size: int, fill_value: int) -> Any:
    """Return the indices of the first nonzero elements, and rows of the fill value after them."""
    found = np.stack(to_numbers(raw_array(tensor), tensor._dtype).nonzero(), -1)[:size]
    rows = np.full((size, found.shape[1]), fill_value, np.int64)
    rows[: len(found)] = found
    return rows


def _nonzero_static(
    tensor: Tensor, size: int, fill_value: int, out: Tensor | None = None
) -> Tensor:
    """nonzero_static(input, *, size, fill_value=-1): return indices of ``size`` elements."""
    if out is not None:
        _check_gradients((tensor,), out)
    result: Tensor = _resolved(tensor, size, fill_value, out=out)
    return result


def _check_gradients(operands: tuple[Any, ...], out: Any) -> None:
    check_no_leaf("aten::nonzero_static", out, operands[0])


install_operator(
    "nonzero_static",
    Overload(
        "*, SymInt size, int64_t fill_value=-1",
        with_gradient_check(_nonzero_static, _check_gradients),
    ),
    doc="Return the indices of as many nonzero elements as given, and a number in the other rows.",
)
