"""The index tensors of advanced indexing: masks become indices, and all are broadcast together."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from ..._arrays.numpy_bridge import np
from ..._dtypes.constants import BOOL, INT8, INT32, INT64, UINT8
from ..._geometry import broadcasting, strides
from ..._geometry.basic_indexing import AdvancedIndices
from ..._geometry.extents import Ints
from ..._geometry.size import Size
from ..._geometry.view_shapes import wrap_dim
from ..._runtime.errors import check
from ..._runtime.warnings import warn
from ..._tensor.data_access import raw_array
from ..._tensor.sparse_missing import could_not_run, sparse_backend
from ..._tensor.tensor import Tensor
from ..common.conj_neg_fallback import resolve_conj_neg
from ..common.device_checks import check_index_device, check_nonzero_not_meta
from ..common.meta_reference import is_on_meta


class IndexTensor(NamedTuple):
    """The index tensor of one dimension."""

    array: Any
    """The indices, in int64."""
    stride: Ints
    """The strides of torch's tensor."""
    known: bool = True
    """Whether the indices have values; those on meta have none."""

    @property
    def shape(self) -> Ints:
        return self.array.shape  # type: ignore[no-any-return]


def index_tensors(view: Tensor, indices: AdvancedIndices) -> list[IndexTensor | None]:
    """Return the index tensor of each dimension of a view; None selects the whole dimension."""
    rank = view._geometry.rank
    if is_on_meta(view, *indices):
        index_of_dim = _broadcast_by_reference(_expand_masks_by_reference(view, indices))
    else:
        _check_indices(view, indices)
        index_of_dim = _broadcast(_expand_masks(view, indices))
        if len(index_of_dim) > rank:
            wrap_dim(rank, rank)  # raises if masks have too many dimensions
    return index_of_dim + [None] * (rank - len(index_of_dim))


def is_mask(index: Any) -> bool:
    """Return whether an index is a tensor of bool or uint8."""
    return isinstance(index, Tensor) and (index._dtype is BOOL or index._dtype is UINT8)


_BYTE_MASK = (
    "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead."
    " (Triggered internally at /__w/pytorch/pytorch/aten/src/ATen/native/IndexingUtils.h:37.)"
)


def check_dense_indices(kernel: str, indices: Iterable[Any]) -> None:
    """Raise if an index is a sparse tensor, for which torch has no kernel."""
    for index in indices:
        if isinstance(index, Tensor) and index._geometry.is_sparse:
            raise could_not_run(kernel, sparse_backend(index._geometry.device))


def _check_indices(view: Tensor, indices: AdvancedIndices) -> None:
    for index in indices:
        if isinstance(index, Tensor) and index._dtype not in (INT64, INT32, UINT8, BOOL):
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")


def check_index_devices(view: Tensor, indices: AdvancedIndices) -> None:
    """Raise if an index to read is on another device than the view and the CPU.

    An index to write is moved to the device of the view.
    """
    for index in indices:
        if isinstance(index, Tensor):
            check_index_device(view, index)


def _expand_masks(view: Tensor, indices: AdvancedIndices) -> list[IndexTensor | None]:
    """Return the index tensors (expandTensors); a mask gives one for each of its dimensions."""
    index_tensors: list[IndexTensor | None] = []
    for index in indices:
        if index is None:
            index_tensors.append(None)
        elif isinstance(index, bool):
            index_tensors.append(IndexTensor(np.zeros(int(index), np.int64), (1,)))
        elif is_mask(index):
            if index._dtype is UINT8:
                warn(_BYTE_MASK)
            check_mask(view, index, len(index_tensors))
            # A 0-dim mask indexes no dimension, whether it is True or False.
            check_nonzero_not_meta(index)
            index_tensors += _columns(index)
        else:
            geometry = index._geometry
            known = not is_on_meta(index)
            if index._dtype is INT32:
                index = resolve_conj_neg(index)  # torch converts it to int64
            values = raw_array(index) if known else np.broadcast_to(np.int64(0), geometry.shape)
            index_tensors.append(IndexTensor(values, geometry.stride, known))
    return index_tensors


def _columns(mask: Tensor) -> list[IndexTensor]:
    """Return the indices of the elements of a mask that are not zero, for each dimension."""
    array = raw_array(resolve_conj_neg(mask))
    return [IndexTensor(column, (1,)) for column in (array.nonzero() if array.ndim else ())]


def check_mask(view: Tensor, mask: Tensor, start: int) -> None:
    """Raise if a mask has other sizes than the dimensions of a view from ``start`` on."""
    mask_shape, shape = mask._geometry.shape, view._geometry.shape
    for dim, size in enumerate(mask_shape):
        if size != shape[wrap_dim(start + dim, len(shape))]:
            raise IndexError(
                f"The shape of the mask {[*mask_shape]} at index {dim} does not match the shape of"
                f" the indexed tensor {[*shape]} at index {start + dim}"
            )


def _broadcast(index_of_dim: list[IndexTensor | None]) -> list[IndexTensor | None]:
    """Return the index tensors, all broadcast together."""
    present = [index for index in index_of_dim if index is not None]
    shape: Ints = present[0].shape if present else ()
    try:
        for index in present[1:]:
            shape = broadcasting.broadcast_pair(shape, index.shape)
    except RuntimeError:
        shapes = ", ".join(str([*index.shape]) for index in present)
        raise IndexError(
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}"
        ) from None
    return [index if index is None else _expand(index, shape) for index in index_of_dim]


def _expand(index: IndexTensor, shape: Ints) -> IndexTensor:
    """Return an index expanded to a shape; conversion of int32 to int64 makes it dense."""
    array, stride = index.array, index.stride
    if index.shape != shape:
        array = np.broadcast_to(array, shape)
        stride = strides.expand_stride(shape, index.shape, stride)
    if array.dtype != np.int64:
        array, stride = array.astype(np.int64), strides.like(shape, stride)
    return IndexTensor(array, stride, index.known)


# Tensors on meta: meta_index_Tensor in torch/_meta_registrations.py.


def _expand_masks_by_reference(view: Tensor, indices: AdvancedIndices) -> list[IndexTensor | None]:
    """Return the index tensors if a tensor is on meta; int8 then stands for a mask, not uint8."""
    shape = Size(view._geometry.shape)
    index_tensors: list[IndexTensor | None] = []
    for place, index in enumerate(indices):
        if not isinstance(index, Tensor) or index._dtype in (INT32, INT64):
            index_tensors += _expand_masks(view, [index])
            continue
        check(
            index._dtype in (BOOL, INT8),
            lambda: "tensors used as indices must be long, int, byte or bool tensors",
        )
        check_nonzero_not_meta(index)
        start, mask_shape = len(index_tensors), Size(index._geometry.shape)
        check(
            start + len(mask_shape) <= len(shape),
            lambda: f"too many indices for tensor of dimension {len(shape)}",
            IndexError,
        )
        for dim, size in enumerate(mask_shape):
            if size != shape[start + dim]:
                raise IndexError(
                    f"The shape of the mask {mask_shape} at index {place} does not match the shape"
                    f" of the indexed tensor {shape} at index {start + dim}"
                )
        index_tensors += _columns(index)
    check(
        len(index_tensors) <= len(shape),
        lambda: f"too many indices for tensor of dimension {len(shape)} (got {len(index_tensors)})",
    )
    return index_tensors


def _broadcast_by_reference(index_of_dim: list[IndexTensor | None]) -> list[IndexTensor | None]:
    """Return the index tensors, all broadcast together, with the error of torch's reference."""
    present = [index for index in index_of_dim if index is not None]
    shape = broadcasting.broadcast_shapes(*[Size(index.shape) for index in present])
    return [index if index is None else _expand(index, shape) for index in index_of_dim]
