"""Shape operators of sparse tensors: transpose, permute, unsqueeze, select, cat and stack.

They follow aten/src/ATen/native/TensorShape.cpp.  Results share no memory with the input, apart
from views of its values.
"""

from typing import Any

from ..._arrays.numpy_bridge import np
from ..._autograd.autograd_meta import version
from ..._autograd.tracking import record_view
from ..._devices.device import META
from ..._geometry.layout import preserve_format
from ..._geometry.view_shapes import ZERO_DIM_WARNINGS, permutation, wrap_dim
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._runtime.warnings import warn_once
from ..._tensor.allocation import resize_output, warn_if_complex32, warn_resized_output
from ..._tensor.data_access import raw_array, tensor_from_raw
from ..._tensor.out_autograd import check_no_grad_out
from ..._tensor.sparse_coo import (
    detached_part,
    indices_of,
    is_sparse,
    sparse_dim_of,
    sparse_storage,
    sparse_tensor,
    tensor_of_indices,
)
from ..._tensor.sparse_dispatch import no_kernel
from ..._tensor.tensor import METHODS, Tensor
from ..._tensor.views import check_replay, record_grad_fn
from ..common.device_checks import check_nonzero_not_meta
from ..elementwise.plan import WIDE_UNSIGNED
from .common import (
    NO_FORMAT,
    check_has_kernel,
    cloned_indices,
    is_coalesced,
    values_of,
    without_values,
)


def clone(tensor: Tensor, format_: Any = None) -> Tensor:
    """clone(input): a copy with new indices and values."""
    if tensor._geometry.device is META:
        check(format_ in (None, preserve_format), lambda: NO_FORMAT)
        return record_grad_fn(_copied(tensor), (tensor,), "CloneBackward0")
    check(format_ is None, lambda: f"unsupported memory format option {FORMS[str(format_)]}")
    return record_grad_fn(_copied(tensor), (tensor,), "CloneBackward0")


FORMS = {
    "torch.contiguous_format": "Contiguous",
    "torch.preserve_format": "Preserve",
    "torch.channels_last": "ChannelsLast",
    "torch.channels_last_3d": "ChannelsLast3d",
}


def _copied(tensor: Tensor) -> Tensor:
    if tensor._geometry.device is META:
        return without_values(tensor)
    warn_if_complex32(tensor._dtype)
    values = detached_part(values_of(tensor)).clone()  # type: ignore[attr-defined]
    shape = tensor._geometry.shape
    return sparse_tensor(cloned_indices(tensor), values, shape, is_coalesced(tensor))


def record_sparse_view(
    result: Tensor, tensor: Tensor, node: str, output: int | None = None, typed: bool = False
) -> Tensor:
    """Record a result as a view of a tensor, as autograd does although no memory is shared.

    ``typed`` marks a view of another dtype.
    """
    result._view_base = tensor if tensor._view_base is None else tensor._view_base
    result._view_version = version(result._view_base)
    record_view(result, tensor, node, output, typed)
    check_replay(result, tensor)
    return result


def transpose(tensor: Tensor, first: int, second: int) -> Tensor:
    """transpose(input, dim0, dim1): two sparse dimensions swapped."""
    return record_sparse_view(swap(_copied(tensor), first, second), tensor, "TransposeBackward0")


def swap(tensor: Tensor, first: int, second: int) -> Tensor:
    """Swap two sparse dimensions in place; the tensor is then uncoalesced."""
    rank, sparse_dim = tensor._geometry.rank, sparse_dim_of(tensor)
    first, second = wrap_dim(first, rank), wrap_dim(second, rank)
    if first == second:
        return tensor
    check(
        first < sparse_dim and second < sparse_dim,
        lambda: (
            "sparse transpose: transposed dimensions must be sparse Got sparse_dim:"
            f" {sparse_dim}, d0: {first}, d1: {second}"
        ),
    )
    order = list(range(rank))
    order[first], order[second] = second, first
    parts = sparse_storage(tensor)
    if tensor._geometry.device is not META:
        indices = raw_array(parts.indices)
        indices[[first, second]] = indices[[second, first]]
    shape = tuple([tensor._geometry.shape[dim] for dim in order])
    count = parts.values._geometry.shape[0]
    result = sparse_tensor(parts.indices, parts.values, shape, coalesced=not count, warns=False)
    tensor._storage, tensor._geometry = result._storage, result._geometry
    return tensor


def t(tensor: Tensor) -> Tensor:
    """t(input): the transpose of a sparse matrix."""
    check_matrix("t", tensor)
    result = swap(_copied(tensor), 0, int(tensor._geometry.rank > 1))
    return record_sparse_view(result, tensor, "TBackward0")


def check_matrix(name: str, tensor: Tensor) -> None:
    """Raise if a tensor has dense dimensions or more than two sparse dimensions."""
    rank, sparse = tensor._geometry.rank, sparse_dim_of(tensor)
    check(
        sparse <= 2 and rank == sparse,
        lambda: (
            f"{name}() expects a tensor with <= 2 sparse and 0 dense dimensions, but got"
            f" {sparse} sparse and {rank - sparse} dense dimensions"
        ),
    )


def permute(tensor: Tensor, dims: tuple[int, ...]) -> Tensor:
    """permute(input, dims): the dimensions permuted, sparse and dense ones apart."""
    rank, sparse = tensor._geometry.rank, sparse_dim_of(tensor)
    check(
        len(dims) == rank,
        lambda: (
            "permute(sparse_coo): number of dimensions in the tensor input does not match the"
            f" length of the desired ordering of dimensions i.e. input.dim() = {rank} is not equal"
            f" to len(dims) = {len(dims)}"
        ),
    )
    order = permutation(dims, rank)
    _check_as_strided(tensor)
    # The flag of permute_sparse_coo (TensorShape.cpp), which is set for some unsorted indices.
    coalesced = is_coalesced(tensor) and (not sparse or dims[0] == 0)
    result = _permuted_parts(tensor, order, sparse, coalesced)
    return record_sparse_view(result, tensor, "PermuteBackward0")


def _permuted_parts(tensor: Tensor, order: list[int], sparse: int, coalesced: bool) -> Tensor:
    parts, rank = sparse_storage(tensor), len(order)
    check(
        all(dim < sparse for dim in order[:sparse]),
        lambda: (
            "permute(sparse_coo): transpositions between sparse and dense dimensions are not"
            " allowed.Only transpositions within sparse and dense dimensions are supported."
        ),
    )
    dense_dims = [dim - sparse + 1 for dim in order[sparse:]]
    values = detached_part(parts.values)
    if order[sparse:] != list(range(sparse, rank)):
        values = detached_part(values.permute(0, *dense_dims))  # type: ignore[attr-defined]
    indices = parts.indices
    if order[:sparse] != list(range(sparse)):
        indices = tensor_of_indices(indices_of(tensor)[order[:sparse]])
    shape = tuple([tensor._geometry.shape[dim] for dim in order])
    return sparse_tensor(indices, values, shape, coalesced, cleared=False)


def _check_as_strided(tensor: Tensor) -> None:
    """Raise if a tensor is on meta, where torch has no sparse kernel for these views."""
    if tensor._geometry.device is META:
        raise no_kernel("as_strided", tensor)


def reversed_dims(tensor: Tensor) -> Tensor:
    """Tensor.T: the dimensions reversed."""
    return permute(tensor, tuple(reversed(range(tensor._geometry.rank))))


def unsqueeze(tensor: Tensor, dim: int) -> Tensor:
    """unsqueeze(input, dim): a new dimension of size 1, dense if a dense one precedes it."""
    shape, sparse_dim, parts = tensor._geometry.shape, sparse_dim_of(tensor), sparse_storage(tensor)
    dim = wrap_dim(dim, len(shape) + 1)
    _check_as_strided(tensor)
    new_shape = (*shape[:dim], 1, *shape[dim:])
    if dim <= sparse_dim:
        indices = np.insert(indices_of(tensor), dim, 0, axis=0)
        result = sparse_tensor(tensor_of_indices(indices), detached_part(parts.values), new_shape)
    else:
        values = detached_part(parts.values).unsqueeze(dim - sparse_dim + 1)  # type: ignore[attr-defined]
        result = sparse_tensor(parts.indices, detached_part(values), new_shape)
    return record_sparse_view(result, tensor, "UnsqueezeBackward0")


def select(tensor: Tensor, dim: int, index: int) -> Tensor:
    """select(input, dim, index): a slice at an index; dense if ``dim`` is the only sparse one."""
    return record_sparse_view(_selected(tensor, dim, index), tensor, "SelectBackward0")


def _selected(tensor: Tensor, dim: int, index: int) -> Tensor:
    shape, sparse_dim, parts = tensor._geometry.shape, sparse_dim_of(tensor), sparse_storage(tensor)
    if not shape:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, len(shape))
    size = shape[dim]
    if not -size <= index < size:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {[*shape]} at dimension {dim}"
        )
    index %= size
    new_shape = shape[:dim] + shape[dim + 1 :]
    if dim >= sparse_dim:
        values = detached_part(parts.values).select(dim - sparse_dim + 1, index)  # type: ignore[attr-defined]
        return sparse_tensor(parts.indices, detached_part(values), new_shape, cleared=False)
    check_nonzero_not_meta(tensor)
    indices = indices_of(tensor)
    selected = np.flatnonzero(indices[dim] == index)
    if tensor._dtype in WIDE_UNSIGNED and parts.values._geometry.rank == 1:
        raise_not_implemented("index_select", tensor._dtype)
    warn_if_complex32(tensor._dtype)
    values = tensor_from_raw(np.ascontiguousarray(raw_array(parts.values)[selected]), tensor._dtype)
    if sparse_dim == 1:
        if len(selected) == 1:
            return detached_part(values.select(0, 0))  # type: ignore[attr-defined]
        return values.sum(0, dtype=tensor._dtype)  # type: ignore[attr-defined, no-any-return]
    remaining = np.delete(indices[:, selected], dim, axis=0)
    return sparse_tensor(tensor_of_indices(remaining), values, new_shape, cleared=False)


def matrix_transpose(tensor: Tensor) -> Tensor:
    """Tensor.mT: the last two dimensions swapped."""
    return transpose(tensor, -2, -1)


def adjoint(tensor: Tensor) -> Tensor:
    """Tensor.H: the conjugate transpose of a matrix."""
    result = transpose(tensor, -2, -1)
    return METHODS["conj_physical"](result)  # type: ignore[no-any-return]


def matrix_adjoint(tensor: Tensor) -> Tensor:
    """Tensor.adjoint(): the conjugate transpose of a matrix, or a 0-dim tensor."""
    rank = tensor._geometry.rank
    check(
        rank != 1,
        lambda: (
            "tensor.adjoint() is only supported on matrices or batches of matrices. Got"
            f" {rank}-D tensor."
        ),
    )
    if rank:
        return adjoint(tensor)
    warn_once(ZERO_DIM_WARNINGS["adjoint"])
    return METHODS["conj_physical"](tensor)  # type: ignore[no-any-return]


def cat(tensors: tuple[Tensor, ...], dim: int = 0, out: Any = None) -> Tensor:
    """cat(tensors, dim=0): sparse tensors, concatenated."""
    if out is not None:
        check_no_grad_out("cat", *tensors, out)
        raise no_kernel("cat.out", *tensors, out)
    check_has_kernel("_values", tensors[0])
    return record_grad_fn(_concatenated(tensors, dim), tuple(tensors), "CatBackward0")


def _concatenated(tensors: tuple[Tensor, ...], dim: int) -> Tensor:
    first = tensors[0]
    shape, sparse = first._geometry.shape, sparse_dim_of(first)
    dim = wrap_dim(dim, len(shape))
    if dim >= sparse:
        inner = dim - sparse + 1
        for tensor in tensors:
            check_has_kernel("_values", tensor)
            wrap_dim(inner, sparse_storage(tensor).values._geometry.rank)
    for index, tensor in enumerate(tensors):
        if not is_sparse(tensor):
            raise RuntimeError(
                f"Concatenating sparse tensors, but a dense tensor was found at position {index}."
            )
        other = tensor._geometry.shape
        others = other[:dim] + other[dim + 1 :]
        if len(other) != len(shape) or others != shape[:dim] + shape[dim + 1 :]:
            raise RuntimeError(
                f"All tensors must have the same shape: {[*shape]} (except in the concatenating"
                f" dimension), but found shape: {[*other]} at position {index}."
            )
        if sparse_dim_of(tensor) != sparse:
            raise RuntimeError(
                "All tensors must have the same sparse_dim and dense_dim:"
                f" {sparse}, {len(shape) - sparse}, but tensor at position {index} has"
                f" {sparse_dim_of(tensor)}, {tensor._geometry.rank - sparse_dim_of(tensor)}."
            )
    sizes = [tensor._geometry.shape[dim] for tensor in tensors]
    starts = np.r_[0, np.cumsum(sizes)].tolist()
    full_shape = (*shape[:dim], starts[-1], *shape[dim + 1 :])
    indices = [indices_of(tensor).copy() for tensor in tensors]
    values = [detached_part(values_of(tensor)) for tensor in tensors]
    for position, start in enumerate(starts[:-1]):
        if dim < sparse:
            indices[position][dim] += start
        else:
            values[position] = _padded(values[position], inner, start, starts[-1])
    joined = tensor_of_indices(np.concatenate(indices, axis=1))
    return sparse_tensor(joined, PUBLIC["cat"](values), full_shape, cleared=False)


def _padded(values: Tensor, dim: int, start: int, size: int) -> Tensor:
    """Return values padded with zeros in a dimension to a size, from ``start`` on."""
    warn_if_complex32(values._dtype, 3)  # torch joins the values with two tensors of zeros
    array = raw_array(values)
    shape = [*array.shape]
    shape[dim] = size
    padded = np.zeros(shape, array.dtype)
    padded[(slice(None),) * dim + (slice(start, start + array.shape[dim]),)] = array
    return tensor_from_raw(padded, values._dtype)


def stack(tensors: tuple[Tensor, ...], dim: int = 0, out: Any = None) -> Tensor:
    """stack(tensors, dim=0): sparse tensors, stacked along a new dimension."""
    if out is not None:
        check_no_grad_out("stack", *tensors, out)
    _check_equal_sizes(tensors)
    shape = tensors[0]._geometry.shape
    dim = wrap_dim(dim, len(shape) + 1)
    if is_sparse(tensors[0]):
        _check_as_strided(tensors[0])
    if out is not None:
        result_shape = *shape[:dim], len(tensors), *shape[dim:]
        is_resized = is_sparse(out) and not is_sparse(tensors[0])
        if is_resized:
            warn_resized_output(out._geometry.shape, result_shape)
        elif not is_sparse(tensors[0]) and dim < len(shape):
            resize_output(out, result_shape)
            if tensors[0]._geometry.shape != shape:
                _check_equal_sizes(tensors)  # torch reads the sizes again
        for tensor in filter(is_sparse, tensors):
            tensor.unsqueeze(dim)  # type: ignore[attr-defined]
        raise no_kernel("resize_" if is_resized else "cat.out", *tensors, out)
    rows = tuple([detached_part(tensor.unsqueeze(dim)) for tensor in tensors])  # type: ignore[attr-defined]
    check_has_kernel("_values", rows[0])
    return record_grad_fn(_concatenated(rows, dim), tuple(tensors), "StackBackward0")


def _check_equal_sizes(tensors: tuple[Tensor, ...]) -> None:
    shape = tensors[0]._geometry.shape
    for index, tensor in enumerate(tensors):
        if tensor._geometry.shape != shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {[*shape]} at entry 0 and"
                f" {[*tensor._geometry.shape]} at entry {index}"
            )


def unbind(tensor: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """unbind(input, dim=0): the slices along a dimension."""
    dim = wrap_dim(dim, tensor._geometry.rank)
    check(
        tensor._geometry.rank,
        lambda: "Dimension specified as 0 but tensor has no dimensions",
        IndexError,
    )
    size = tensor._geometry.shape[dim]
    slices = [_selected(tensor, dim, index) for index in range(size)]
    return tuple(
        [
            record_sparse_view(view, tensor, "UnbindBackward0", output)
            for output, view in enumerate(slices)
        ]
    )
