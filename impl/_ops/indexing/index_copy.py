"""index_copy and index_copy_ (ATen/native/TensorAdvancedIndexing.cpp)."""

from functools import partial

from ..._autograd.autograd_meta import bump_version
from ..._autograd.tracking import check_differentiable, check_inplace
from ..._devices.device import META
from ..._dtypes.constants import INT64
from ..._dtypes.table import spec_of
from ..._geometry import view_shapes
from ..._geometry.size import Size
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import NotDense, check
from ..._tensor.allocation import empty_with
from ..._tensor.data_access import raw_array
from ..._tensor.tensor import Tensor
from ..._tensor.views import record_grad_fn
from ..common.clone import empty_like_geometry
from ..common.conj_neg_fallback import resolves_conj_neg, resolves_conj_neg_in_place
from ..common.copy import contiguous, record_write
from ..common.memory_overlap import check_written_alone
from ..common.meta_reference import in_reference, into_meta, is_on_meta
from ..elementwise.binding import Overload, install_operator
from ..elementwise.plan import BOOLS, COMPLEX, HALF_COMPLEX, NUMBERS
from .along_dim import along, copy_to_result, new_or_out, same_slices, with_dim, write_along

_NODE = "IndexCopyBackward0"
_DTYPES = BOOLS | NUMBERS | COMPLEX | HALF_COMPLEX


def _index_copy(
    tensor: Tensor, dim: int, index: Tensor, source: Tensor, out: Tensor | None = None
) -> Tensor:
    operands = (tensor, index, source) if out is None else (tensor, index, source, out)
    if any(x._geometry.is_sparse for x in operands):
        raise NotDense
    if is_on_meta(*operands):
        result = in_reference(copied_on_meta, tensor, dim, index, source)
        if out is None:
            check_differentiable(result, source)
            return record_grad_fn(result, (tensor, source), _NODE)
        bump_version(into_meta("index_copy", out, result._geometry, result._dtype))
        return out
    dim = view_shapes.wrap_dim(dim, tensor._geometry.rank)
    result = new_or_out(tensor, out, index, source)
    _check(tensor, dim, index, source)
    copy_to_result(result, tensor)
    _write(result, dim, index, source)
    if out is None:
        return record_grad_fn(result, (tensor, source), _NODE)
    bump_version(out)
    return out


def _index_copy_(tensor: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    check_inplace(tensor, source)
    if any(x._geometry.is_sparse for x in (tensor, index, source)):
        raise NotDense
    if is_on_meta(tensor, index, source):
        check_copy_on_meta(tensor, dim, index, source)
    else:
        dim = view_shapes.wrap_dim(dim, tensor._geometry.rank)
        check_written_alone(tensor, index, source)
        _check(tensor, dim, index, source)
        _write(tensor, dim, index, source)
    return record_write(tensor, (source,), _NODE)


def _check(tensor: Tensor, dim: int, index: Tensor, source: Tensor) -> None:
    """Raise for operands that do not fit, as the meta function of torch's operator does."""
    shape, source_shape = tensor._geometry.shape, source._geometry.shape
    count, rank = index._geometry.numel, index._geometry.rank
    if rank > 1:
        raise IndexError(f"index_copy_(): Index should have dimension 1 or 0 (got {rank})")
    if not source_shape and count != 1:
        raise IndexError(_SCALAR_SOURCE.format(count))
    if source_shape and shape and len(source_shape) != len(shape):
        raise IndexError(_OTHER_RANK.format(len(source_shape), len(shape)))
    check(
        index._dtype is INT64,
        lambda: (
            "index_copy_(): Expected a long tensor for index, but got"
            f" {spec_of(index._dtype).cpp_name}"
        ),
    )
    check(
        tensor._dtype is source._dtype,
        lambda: (
            "index_copy_(): self and source expected to have the same dtype, but got (self)"
            f" {spec_of(tensor._dtype).cpp_name} and (source) {spec_of(source._dtype).cpp_name}"
        ),
    )
    check_devices("index_copy_", tensor, index, source)
    if not same_slices(shape, source_shape, dim):
        slices = [(*sizes[:dim], *sizes[dim + 1 :]) for sizes in (shape, source_shape)]
        texts = [" ".join(map(str, sizes)) for sizes in slices]
        check(slices[0] == slices[1], lambda: _SLICES.format(texts[0], dim, texts[1]))
    if source_shape and count != source_shape[dim]:
        raise IndexError(_COUNT.format(count, source_shape[dim]))


def check_devices(name: str, tensor: Tensor, index: Tensor, source: Tensor) -> None:
    """Raise if the operands are on several devices."""
    devices = [x._geometry.device for x in (tensor, index, source)]
    check(
        devices[0] is devices[1] is devices[2],
        lambda: (
            f"{name}(): self, index and source expected to be in the same device, but got (self)"
            f" {devices[0]}, (index) {devices[1]}, and (source) {devices[2]}"
        ),
    )


_SCALAR_SOURCE = "index_copy_(): When source is scalar, index should have one element (got {})"
_OTHER_RANK = (
    "index_copy_(): When source and destination are not scalars, their dimensionality must match."
    " Source dimensionality ({}), destination dimensionality ({})"
)
_SLICES = (
    "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape:"
    " {} at dimension {} and source slice shape: {} at dimension 0."
)
_COUNT = "index_copy_(): Number of indices ({}) should be equal to source.size(dim) ({})"


def _write(target: Tensor, dim: int, index: Tensor, source: Tensor) -> None:
    source = with_dim(source)
    indices = along(target, dim, index)
    if target._dtype not in _DTYPES:
        raise_not_implemented("index_copy_cpu", target._dtype)
    error = partial(_out_of_bounds, dim, indices.size)
    write_along(indices, raw_array(source), (source._geometry.stride,), error)


def _out_of_bounds(dim: int, size: int, number: int) -> IndexError:
    return IndexError(
        f"index_copy_(): index {number} is out of bounds for dimension {dim} with size {size}"
    )


def copied_on_meta(tensor: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """Return what the reference does (_index_copy in torch/_decomp/decompositions.py)."""
    check_copy_on_meta(tensor, dim, index, source)
    return put_on_meta(tensor)


def put_on_meta(tensor: Tensor) -> Tensor:
    """Return a contiguous tensor like one that the operator index_put returns on meta."""
    return contiguous(like_on_meta(tensor))


def like_on_meta(tensor: Tensor) -> Tensor:
    """Return the tensor that the operator index_put returns on meta, with strides of its own."""
    geometry = empty_like_geometry(tensor, None, tensor._dtype, META)
    return empty_with(geometry, tensor._dtype)


def check_copy_on_meta(tensor: Tensor, dim: int, index: Tensor, source: Tensor) -> None:
    """Raise as the reference does."""
    shape, source_shape = tensor._geometry.shape, source._geometry.shape
    dim = view_shapes.wrap_dim(dim, len(shape))
    check_devices("index_copy", tensor, index, source)
    count, rank = index._geometry.numel, index._geometry.rank
    check(rank <= 1, lambda: f"Index should have dimension 1 or 0 (got {rank})")
    check(source_shape or count == 1, lambda: _SCALAR_SOURCE.format(count))
    check(
        not source_shape or not shape or len(source_shape) == len(shape),
        lambda: _OTHER_RANK.format(len(source_shape), len(shape)),
    )
    slices = [
        Size(sizes[:dim] + sizes[dim + 1 :]) if sizes else () for sizes in (shape, source_shape)
    ]
    check(slices[0] == slices[1], lambda: _SLICES.format(slices[0], dim, slices[1]))
    check(
        not source_shape or count == source_shape[dim],
        lambda: _COUNT.format(count, source_shape[dim]),
    )


WITH_GRADIENTS = slice(0, 4, 3)
"""The operands that can have gradients: the tensor and the source."""

install_operator(
    "index_copy",
    Overload(
        "int64_t dim, Tensor index, Tensor source",
        resolves_conj_neg(_index_copy, "index_copy", of=WITH_GRADIENTS),
        resolves_conj_neg_in_place(_index_copy_),
    ),
    doc="Return a copy of a tensor with other elements at indices along a dimension.",
)
