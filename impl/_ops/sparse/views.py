"""Sparse tensors turned, cut and joined: transpose, permute, unsqueeze, select, cat and stack.

None of them shares memory with what it is made of, but for values that are viewed.  The rules are in
aten/src/ATen/native/TensorShape.cpp.
"""

from typing import Any

from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._autograd.autograd_meta import version
from ..._autograd.tracking import record_view
from ..._dtypes.constants import COMPLEX32
from ..._geometry.view_shapes import wrap_dim
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.data_access import raw_array, tensor_from_raw
from ..._tensor.sparse_coo import (
    indices_of,
    is_sparse,
    parts_of,
    plain,
    sparse_dim_of,
    sparse_tensor,
    tensor_of_indices,
    warn_of_complex32,
)
from ..._tensor.sparse_dispatch import could_not_run
from ..._tensor.tensor import Tensor, record_grad_fn

_SHAPES = "transposed dimensions must be sparse Got sparse_dim"


def clone(tensor: Tensor, form: Any = None) -> Tensor:
    """clone(input): a copy with parts of its own."""
    check(form is None, lambda: f"unsupported memory format option {FORMS[str(form)]}")
    return record_grad_fn(_copied(tensor), (tensor,), "CloneBackward0")


FORMS = {
    "torch.contiguous_format": "Contiguous",
    "torch.preserve_format": "Preserve",
    "torch.channels_last": "ChannelsLast",
    "torch.channels_last_3d": "ChannelsLast3d",
}


def _copied(tensor: Tensor) -> Tensor:
    if tensor._dtype is COMPLEX32:
        warn_of_complex32()
    parts = parts_of(tensor)
    places, held = plain(parts.indices), plain(parts.values)
    return sparse_tensor(
        places.clone(),  # type: ignore[attr-defined]
        held.clone(),  # type: ignore[attr-defined]
        tensor._geometry.shape,
        parts.coalesced,
    )


def _as_view(made: Tensor, tensor: Tensor, node: str) -> Tensor:
    """Let autograd take a tensor for a view of another, as it does although nothing is shared."""
    made._base = tensor if tensor._base is None else tensor._base
    made._view_version = version(made._base)
    record_view(made, tensor, node)
    return made


def transpose(tensor: Tensor, first: int, second: int) -> Tensor:
    """transpose(input, dim0, dim1): two sparse dimensions exchanged."""
    return _as_view(_transposed(tensor, first, second), tensor, "TransposeBackward0")


def _transposed(tensor: Tensor, first: int, second: int) -> Tensor:
    return turn(_copied(tensor), first, second)


def turn(tensor: Tensor, first: int, second: int) -> Tensor:
    """Exchange two sparse dimensions of a tensor; it is no longer coalesced."""
    rank, sparse = tensor._geometry.rank, sparse_dim_of(tensor)
    first, second = wrap_dim(first, rank), wrap_dim(second, rank)
    if first == second:
        return tensor
    check(
        first < sparse and second < sparse,
        lambda: f"sparse transpose: {_SHAPES}: {sparse}, d0: {first}, d1: {second}",
    )
    order = list(range(rank))
    order[first], order[second] = second, first
    parts = parts_of(tensor)
    places = raw_array(parts.indices)
    places[[first, second]] = places[[second, first]]
    shape = tuple([tensor._geometry.shape[dim] for dim in order])
    count = parts.values._geometry.shape[0]
    made = sparse_tensor(parts.indices, parts.values, shape, coalesced=not count)
    tensor._storage, tensor._geometry = made._storage, made._geometry
    return tensor


def t(tensor: Tensor) -> Tensor:
    """t(input): a sparse matrix transposed."""
    check_matrix("t", tensor)
    rank = tensor._geometry.rank
    return _as_view(_transposed(tensor, 0, 0 if rank < 2 else 1), tensor, "TBackward0")


def check_matrix(name: str, tensor: Tensor) -> None:
    """Refuse what has dense dimensions, or too many."""
    rank, sparse = tensor._geometry.rank, sparse_dim_of(tensor)
    check(
        sparse <= 2 and rank == sparse,
        lambda: (
            f"{name}() expects a tensor with <= 2 sparse and 0 dense dimensions, but got"
            f" {sparse} sparse and {rank - sparse} dense dimensions"
        ),
    )


def permute(tensor: Tensor, dims: tuple[int, ...]) -> Tensor:
    """permute(input, dims): the sparse dimensions in another order, and the dense ones."""
    rank, sparse = tensor._geometry.rank, sparse_dim_of(tensor)
    check(
        len(dims) == rank,
        lambda: (
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length"
            f" of the desired ordering of dimensions i.e. input.dim() = {rank} is not equal to"
            f" len(dims) = {len(dims)}"
        ),
    )
    order = [wrap_dim(dim, rank) for dim in dims]
    check(
        len({*order}) == rank,
        lambda: "permute(): duplicate dims are not allowed.",
    )
    return _as_view(_permuted_parts(tensor, order, sparse), tensor, "PermuteBackward0")


def _permuted_parts(tensor: Tensor, order: list[int], sparse: int) -> Tensor:
    parts, rank = parts_of(tensor), len(order)
    check(
        all(dim < sparse for dim in order[:sparse]),
        lambda: (
            "permute(sparse_coo): transpositions between sparse and dense dimensions are not"
            " allowed.Only transpositions within sparse and dense dimensions are supported."
        ),
    )
    inner = [dim - sparse + 1 for dim in order[sparse:]]
    held = plain(parts.values)
    if order[sparse:] != list(range(sparse, rank)):
        held = plain(held.permute(0, *inner))  # type: ignore[attr-defined]
    places = parts.indices
    coalesced: bool | None = parts.coalesced
    if order[:sparse] != list(range(sparse)):
        places = tensor_of_indices(indices_of(tensor)[order[:sparse]])
        coalesced = parts.coalesced and order[0] == 0
        if coalesced:
            coalesced = None if order[:sparse] == list(range(sparse)) else False
    shape = tuple([tensor._geometry.shape[dim] for dim in order])
    return sparse_tensor(places, held, shape, coalesced)


def turned(tensor: Tensor) -> Tensor:
    """Tensor.T: all dimensions the other way round."""
    return permute(tensor, tuple(reversed(range(tensor._geometry.rank))))


def unsqueeze(tensor: Tensor, dim: int) -> Tensor:
    """unsqueeze(input, dim): a dimension of size 1, sparse unless it comes after a dense one."""
    shape, sparse, parts = tensor._geometry.shape, sparse_dim_of(tensor), parts_of(tensor)
    dim = wrap_dim(dim, len(shape) + 1)
    new = (*shape[:dim], 1, *shape[dim:])
    if dim <= sparse:
        places = np.insert(indices_of(tensor), dim, 0, axis=0)
        made = sparse_tensor(tensor_of_indices(places), plain(parts.values), new)
    else:
        held = plain(parts.values).unsqueeze(dim - sparse + 1)  # type: ignore[attr-defined]
        made = sparse_tensor(parts.indices, plain(held), new)
    return _as_view(made, tensor, "UnsqueezeBackward0")


def select(tensor: Tensor, dim: int, index: int) -> Tensor:
    """select(input, dim, index): one place of a dimension; dense if that was the only sparse one."""
    return _as_view(_selected(tensor, dim, index), tensor, "SelectBackward0")


def _selected(tensor: Tensor, dim: int, index: int) -> Tensor:
    shape, sparse, parts = tensor._geometry.shape, sparse_dim_of(tensor), parts_of(tensor)
    if not shape:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, len(shape))
    size = shape[dim]
    if not -size <= index < size:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {[*shape]} at dimension {dim}"
        )
    index += size if index < 0 else 0
    new = shape[:dim] + shape[dim + 1 :]
    if dim >= sparse:
        held = plain(parts.values).select(dim - sparse + 1, index)  # type: ignore[attr-defined]
        return sparse_tensor(parts.indices, plain(held), new, cleared=False)
    places = indices_of(tensor)
    some = np.flatnonzero(places[dim] == index)
    held = tensor_from_raw(
        np.ascontiguousarray(raw_array(parts.values)[some], numpy_storage_dtype(tensor._dtype)),
        tensor._dtype,
    )
    if sparse == 1:
        total = held.sum(0)  # type: ignore[attr-defined]
        return total if total._dtype is tensor._dtype else total.to(tensor._dtype)  # type: ignore[no-any-return]
    rest = np.delete(places[:, some], dim, axis=0)
    return sparse_tensor(tensor_of_indices(rest), held, new, cleared=False)


def matrix_turned(tensor: Tensor) -> Tensor:
    """Tensor.mT: the last two dimensions exchanged."""
    return transpose(tensor, -2, -1)


def adjoint(tensor: Tensor) -> Tensor:
    """Tensor.H: a matrix transposed, and its values conjugated."""
    made = transpose(tensor, -2, -1)
    if not tensor._dtype.is_complex:
        return made
    parts = parts_of(made)
    held = plain(parts.values.conj_physical())  # type: ignore[attr-defined]
    return sparse_tensor(parts.indices, held, made._geometry.shape, parts.coalesced)


def getitem(tensor: Tensor, item: Any) -> Tensor:
    """Select by integers and make new dimensions; torch cuts sparse tensors in no other way."""
    items = item if isinstance(item, tuple) else (item,)
    if items is not item and isinstance(item, int) and type(item) is not bool:
        _check_index(tensor, item)
    if isinstance(item, slice) and not tensor._geometry.rank:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    taken = sum(each is not None and each is not Ellipsis for each in items)
    rank = tensor._geometry.rank
    check(
        taken <= rank,
        lambda: f"too many indices for tensor of dimension {rank}",
        IndexError,
    )
    result, dim, place = tensor, 0, 0
    for each in items:
        if each is None:
            result, dim = result.unsqueeze(dim), dim + 1  # type: ignore[attr-defined]
            continue
        if each is Ellipsis:
            dim, place = dim + rank - taken, place + rank - taken
            continue
        size = result._geometry.shape[dim]
        if isinstance(each, int) and type(each) is not bool:
            check_bounds(each, place, size)
            result = result.select(dim, each)  # type: ignore[attr-defined]
        elif isinstance(each, slice):
            whole = each.start in (None, 0) and each.step in (None, 1)
            if not whole or not (each.stop is None or (size and each.stop >= size)):
                raise could_not_run("as_strided")
            dim += 1
        else:
            raise could_not_run("index.Tensor")
        place += 1
    check(
        result is not tensor,
        lambda: "Cannot access storage of SparseTensorImpl",
        NotImplementedError,
    )
    return result


def _check_index(tensor: Tensor, index: int) -> None:
    """Refuse to index what has no dimensions."""
    if not tensor._geometry.rank:
        check_bounds(index, 0, 0 if index else 1)
        raise IndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or"
            " `tensor.item<T>()` in C++ to convert a 0-dim tensor to a number"
        )


def check_bounds(index: int, dim: int, size: int) -> None:
    """Refuse an index that is outside its dimension."""
    check(
        -size <= index < size,
        lambda: f"index {index} is out of bounds for dimension {dim} with size {size}",
        IndexError,
    )


def cat(tensors: tuple[Tensor, ...], dim: int = 0, out: Any = None) -> Tensor:
    """cat(tensors, dim=0): sparse tensors one after the other."""
    check(out is None, lambda: "impl has no out= for sparse tensors", NotImplementedError)
    if not is_sparse(tensors[0]):
        raise could_not_run("_values", "CPU")
    return record_grad_fn(_joined(tensors, dim), tuple(tensors), "CatBackward0")


def _joined(tensors: tuple[Tensor, ...], dim: int) -> Tensor:
    first = tensors[0]
    shape, sparse = first._geometry.shape, sparse_dim_of(first)
    dim = wrap_dim(dim, len(shape))
    if dim >= sparse:
        inner = dim - sparse + 1
        for each in tensors:
            if not is_sparse(each):
                raise could_not_run("_values", "CPU")
            wrap_dim(inner, parts_of(each).values._geometry.rank)
    for index, each in enumerate(tensors):
        check(
            is_sparse(each),
            lambda: (
                f"Concatenating sparse tensors, but a dense tensor was found at position {index}."  # noqa: B023
            ),
        )
        own = each._geometry.shape
        check(
            own[:dim] + own[dim + 1 :] == shape[:dim] + shape[dim + 1 :] and len(own) == len(shape),
            lambda: (
                f"All tensors must have the same shape: {[*shape]} (except in the concatenating"
                f" dimension), but found shape: {[*own]} at position {index}."  # noqa: B023
            ),
        )
        check(
            sparse_dim_of(each) == sparse,
            lambda: (
                "All tensors must have the same sparse_dim and dense_dim:"
                f" {sparse}, {len(shape) - sparse}, but tensor at position {index} has"  # noqa: B023
                f" {sparse_dim_of(each)}, {each._geometry.rank - sparse_dim_of(each)}."  # noqa: B023
            ),
        )
    sizes = [each._geometry.shape[dim] for each in tensors]
    starts = np.r_[0, np.cumsum(sizes)].tolist()
    whole = (*shape[:dim], starts[-1], *shape[dim + 1 :])
    places = [indices_of(each) for each in tensors]
    held = [plain(parts_of(each).values) for each in tensors]
    if dim < sparse:
        moved = [each.copy() for each in places]
        for each, start in zip(moved, starts, strict=False):
            each[dim] += start
        values = PUBLIC["cat"](held)
        return sparse_tensor(
            tensor_of_indices(np.concatenate(moved, axis=1)), values, whole, cleared=False
        )
    padded = [
        _padded(each, inner, start, starts[-1]) for each, start in zip(held, starts, strict=False)
    ]
    values = PUBLIC["cat"](padded)
    return sparse_tensor(
        tensor_of_indices(np.concatenate(places, axis=1)), values, whole, cleared=False
    )


def _padded(values: Tensor, dim: int, start: int, size: int) -> Tensor:
    """Return values with zeros before and after them in a dimension."""
    found = raw_array(values)
    shape = [*found.shape]
    shape[dim] = size
    wide = np.zeros(shape, found.dtype)
    wide[(slice(None),) * dim + (slice(start, start + found.shape[dim]),)] = found
    return tensor_from_raw(wide, values._dtype)


def stack(tensors: tuple[Tensor, ...], dim: int = 0, out: Any = None) -> Tensor:
    """stack(tensors, dim=0): sparse tensors along a new dimension."""
    check(out is None, lambda: "impl has no out= for sparse tensors", NotImplementedError)
    shape = tensors[0]._geometry.shape
    for index, each in enumerate(tensors):
        check(
            each._geometry.shape == shape,
            lambda: (
                f"stack expects each tensor to be equal size, but got {[*shape]} at entry 0 and"
                f" {[*each._geometry.shape]} at entry {index}"  # noqa: B023
            ),
        )
    dim = wrap_dim(dim, len(shape) + 1)
    rows = tuple([plain(each.unsqueeze(dim)) for each in tensors])  # type: ignore[attr-defined]
    if not is_sparse(rows[0]):
        raise could_not_run("_values", "CPU")
    return record_grad_fn(_joined(rows, dim), tuple(tensors), "StackBackward0")


def unbind(tensor: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """unbind(input, dim=0): each place of a dimension."""
    rank = tensor._geometry.rank
    size = tensor._geometry.shape[wrap_dim(dim, rank)]
    return tuple([tensor.select(dim, index) for index in range(size)])  # type: ignore[attr-defined]
