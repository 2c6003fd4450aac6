"""index_fill and index_fill_ (ATen/native/TensorAdvancedIndexing.cpp)."""

from functools import partial
from typing import Any, NamedTuple

from ..._autograd.tracking import check_differentiable, check_inplace
from ..._dtypes.constants import INT64
from ..._geometry import view_shapes
from ..._geometry.extents import Ints, numel
from ..._geometry.geometry import strided
from ..._geometry.strides import is_contiguous
from ..._numerics.encode_scalar import ScalarPath, encode_scalar
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import NotDense, check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.allocation import empty_with
from ..._tensor.factories import python_scalar
from ..._tensor.tensor import Tensor, shallow_copy
from ..._tensor.views import record_grad_fn
from ..common.clone import clone
from ..common.conj_neg_fallback import resolves_conj_neg, resolves_conj_neg_in_place
from ..common.copy import record_write
from ..common.device_checks import common_device
from ..common.memory_overlap import check_no_overlap_with
from ..common.meta_reference import in_reference, is_on_meta
from ..common.registration import Op, register_operator
from ..elementwise.plan import BOOLS, COMPLEX, HALF_COMPLEX, NUMBERS
from .along_dim import along, write_along
from .index_copy import check_devices, put_on_meta
from .masked_fill import warn_if_expanded

_DTYPES = BOOLS | NUMBERS | COMPLEX | HALF_COMPLEX


@resolves_conj_neg
def _index_fill(tensor: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """index_fill(input, dim, index, value): a copy with a number at indices along a dimension."""
    values = (value,) if isinstance(value, Tensor) else ()
    if any(x._geometry.is_sparse for x in (tensor, index, *values)):
        raise NotDense
    if is_on_meta(tensor, index, value):
        result = in_reference(_filled_on_meta, tensor, dim, index, value)
    else:
        result = clone(shallow_copy(tensor))
        _fill(result, dim, index, value)
    if values:
        check_differentiable(result, value)
    return record_grad_fn(result, (tensor, *values), f"IndexFillBackward{len(values)}")


@resolves_conj_neg_in_place
def _index_fill_(tensor: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """Tensor.index_fill_(dim, index, value): write a number at indices along a dimension."""
    values = (value,) if isinstance(value, Tensor) else ()
    check_inplace(tensor, *values)
    if any(x._geometry.is_sparse for x in (tensor, index, *values)):
        raise NotDense
    if is_on_meta(tensor, index, value):
        in_reference(_check_on_meta, tensor, dim, index, value)
    else:
        _fill(tensor, dim, index, value)
    return record_write(tensor, values, f"IndexFillBackward{len(values)}")


def _fill(tensor: Tensor, dim: int, index: Tensor, value: Any) -> None:
    if isinstance(value, Tensor):
        rank = value._geometry.rank
        check(
            not rank,
            lambda: (
                "index_fill_ only supports a 0-dimensional value tensor, but got tensor with"
                f" {rank} dimension(s)."
            ),
        )
        number = value.item()
    else:
        number = python_scalar(value)
    if index._dtype is not INT64:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    check_no_overlap_with(tensor, index)
    warn_if_expanded(tensor, "index_fill_", "tensor[mask] = scalar", _LINE)
    dtype = tensor._dtype
    check(
        dtype.is_complex or not isinstance(number, complex),
        lambda: "index_fill_(): Converting complex Scalar to non-complex type is not supported",
    )
    dim = view_shapes.wrap_dim(dim, tensor._geometry.rank)
    check(index._geometry.rank <= 1, lambda: "Index has to be a vector/scalar")
    common_device((tensor, index), allow_cpu_scalars=False)
    indices = along(tensor, dim, index, can_be_negative=True)
    if dtype not in _DTYPES:
        raise_not_implemented("index_fill_cpu", dtype)
    element = encode_scalar(number, dtype, ScalarPath.MASKED)
    write_along(indices, element, (), partial(_out_of_bounds, dim, indices.size))


_LINE = 1913


def _out_of_bounds(dim: int, size: int, number: int) -> IndexError:
    return IndexError(f"index {number} is out of bounds for dimension {dim} with size {size}")


# Tensors on meta: index_fill in torch/_refs.


def _check_on_meta(tensor: Tensor, dim: int, index: Tensor, value: Any) -> None:
    """Raise as the reference does, which calls index_copy with an expanded value."""
    rank = index._geometry.rank
    check(rank <= 1, lambda: f"Index should have dimension 1 or 0 (got {rank})")
    if isinstance(value, Tensor):
        value_rank = value._geometry.rank
        check(
            not value_rank,
            lambda: (
                "Only supports 0-dimensional value tensor. Got a tensor with"
                f" {value_rank} dimensions."
            ),
        )
    else:
        device = tensor._geometry.device
        value = PUBLIC["scalar_tensor"](value, dtype=tensor._dtype, device=device)
    own_rank = tensor._geometry.rank or 1
    if not -own_rank <= dim < own_rank:
        raise IndexError("list assignment index out of range")
    check_devices("index_copy", tensor, index, value)


def _filled_on_meta(tensor: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    _check_on_meta(tensor, dim, index, value)
    result = put_on_meta(tensor)
    geometry = tensor._geometry
    if not geometry.rank:
        return clone(result)
    shape, stride = geometry.shape, geometry.stride
    if result._geometry.stride == stride or not _is_dense(shape, stride):
        return result
    return empty_with(strided(shape, stride), tensor._dtype, geometry.device)


class _Dimension(NamedTuple):
    """A dimension, in the order of torch's reference, which is not transitive for strides of 0."""

    size: int
    stride: int

    def __lt__(self, other: Any) -> bool:
        own, others = self.stride, other.stride
        return own != others and (own < others or not own or others % own == 0)


def _is_dense(shape: Ints, stride: Ints) -> bool:
    """Return whether a tensor has neither gaps nor overlap (is_non_overlapping_and_dense_or_false).

    From torch/_prims_common.
    """
    if numel(shape) < 2:
        return True
    dimensions = sorted(map(_Dimension, shape, stride))
    return is_contiguous(*map(tuple, zip(*dimensions[::-1], strict=True)))


_PARAMETERS = "int64_t dim, Tensor index, Tensor value", "int64_t dim, Tensor index, Scalar value"
register_operator(Op("index_fill", dict.fromkeys(_PARAMETERS, _index_fill)))
register_operator(Op("index_fill_", dict.fromkeys(_PARAMETERS, _index_fill_), function=False))
