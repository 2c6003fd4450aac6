"""Repeated elements: repeat and tile, and elements on a diagonal: diag_embed and diagflat.

They follow TensorShape.cpp and TensorTransformations.cpp in ATen/native.
"""

from collections.abc import Callable
from typing import Any

from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._devices.device import META
from ..._geometry import extents, view_shapes, view_slices
from ..._geometry.extents import Ints
from ..._geometry.view_checks import check_sym_ints
from ..._runtime.errors import NotDense, check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.factories import empty, zeros
from ..._tensor.tensor import METHODS, Tensor
from ..._tensor.views import plain_view, record_grad_fn
from ..common.array_plans import is_noting, last_noted, note_arrays, with_array_plans
from ..common.conj_neg_fallback import resolves_conj_neg
from ..common.copy import copy_into
from ..common.meta_reference import in_reference, is_on_meta, masked_on_meta
from ..common.registration import Op, register_operator


@resolves_conj_neg
def _repeat(tensor: Tensor, repeats: tuple[int, ...]) -> Tensor:
    """Tensor.repeat(*repeats): copy a tensor so many times along each dimension."""
    new_dims = len(repeats) - tensor._geometry.rank
    check(
        new_dims >= 0,
        lambda: (
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of"
            " tensor"
        ),
    )
    check(not tensor._geometry.is_sparse, lambda: "expand is unsupported for Sparse tensors")
    sizes = (1,) * new_dims + tensor._geometry.shape
    if is_on_meta(tensor):
        result = in_reference(_repeat_on_meta, tensor, sizes, repeats)
    else:
        result = _repeated(tensor, sizes, repeats)
    return record_grad_fn(result, (tensor,), "RepeatBackward0")


def _repeated(tensor: Tensor, sizes: Ints, repeats: Ints) -> Tensor:
    shape = tuple(
        [extents.as_int64(size * times) for size, times in zip(sizes, repeats, strict=True)]
    )
    check_sym_ints(shape)
    result: Tensor = empty(shape, dtype=tensor._dtype, device=tensor._geometry.device)
    if tensor._geometry.numel and 0 not in repeats:
        _check_windows(sizes, shape)
        steps = (0,) * (len(sizes) - tensor._geometry.rank) + tensor._geometry.stride
        blocks, copied_steps = _blocks(sizes, steps, repeats)
        view = view_shapes.view(shape, result._geometry.stride, blocks)
        copy_into(plain_view(result, *view), plain_view(tensor, blocks, copied_steps))
    return result


def _tile(tensor: Tensor, dims: tuple[int, ...]) -> Tensor:
    """tile(input, dims): repeat a tensor; the last dimensions are those of ``dims``."""
    missing = tensor._geometry.rank - len(dims)
    return METHODS["repeat"](tensor, (1,) * missing + dims)  # type: ignore[no-any-return]


@resolves_conj_neg
def diag_embed(tensor: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """diag_embed(input, offset=0, dim1=-2, dim2=-1): put the last dimension on a diagonal."""
    if tensor._geometry.is_sparse:
        raise NotDense
    if is_on_meta(tensor):
        result = in_reference(_diag_embed_on_meta, tensor, offset, dim1, dim2)
    else:
        result = _with_diagonal(tensor, offset, dim1, dim2)
    return record_grad_fn(result, (tensor,), "DiagEmbedBackward0")


def _with_diagonal(tensor: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
    rank = tensor._geometry.rank + 1
    first, second = view_shapes.wrap_dim(dim1, rank), view_shapes.wrap_dim(dim2, rank)
    check(first != second, lambda: f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    *shape, length = tensor._geometry.shape
    for dim in sorted((first, second)):
        shape.insert(dim, extents.as_int64(abs(offset) + length))
    check_sym_ints(shape)
    result: Tensor = zeros(shape, dtype=tensor._dtype, device=tensor._geometry.device)
    sizes, steps = result._geometry.shape, result._geometry.stride
    diagonal = view_slices.diagonal(sizes, steps, offset, first, second)
    copy_into(plain_view(result, *diagonal), tensor)
    if is_noting():
        note_arrays(_diagonal_function(result, *diagonal), result, tensor)
    return result


def _diagonal_function(
    result: Tensor, sizes: Ints, steps: Ints, offset: int
) -> Callable[[Any], Any]:
    """Return the function that writes a raw array to a diagonal of zeros."""
    shape, storage_dtype = result._geometry.shape, numpy_storage_dtype(result._dtype)
    itemsize = storage_dtype.itemsize
    strides = [step * itemsize for step in steps]

    def spread(raw: Any) -> Any:
        zeros = np.zeros(shape, storage_dtype)
        np.ndarray(sizes, storage_dtype, zeros, offset * itemsize, strides)[...] = raw
        return zeros

    return spread


def _repeat_on_meta(tensor: Tensor, sizes: Ints, repeats: Ints) -> Tensor:
    """Return what the reference does (meta_repeat in torch/_meta_registrations.py)."""
    for index, times in enumerate(repeats):
        if times < 0:
            raise RuntimeError(f"Repeats cannot be negative, found {times} at index {index}")
    shape = tuple([size * times for size, times in zip(sizes, repeats, strict=True)])
    return METHODS["new_empty"](tensor, shape)  # type: ignore[no-any-return]


def _diag_embed_on_meta(tensor: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
    """Return what the reference does (diag_embed in torch/_refs)."""
    rank = tensor._geometry.rank + 1
    first, second = sorted((view_shapes.wrap_dim(dim1, rank), view_shapes.wrap_dim(dim2, rank)))
    check(first != second, lambda: f"diagonal dimensions cannot be identical {first}, {second}")
    *shape, length = tensor._geometry.shape
    if offset:
        padding = zeros((*shape, abs(offset)), dtype=tensor._dtype, device=META)
        tensor = PUBLIC["cat"]((padding, tensor), -1)
    length += abs(offset)
    tensor = METHODS["movedim"](METHODS["unsqueeze"](tensor, first), -1, second)
    sizes = tuple([length if dim in (first, second) else 1 for dim in range(rank)])
    return METHODS["contiguous"](masked_on_meta(tensor, sizes))  # type: ignore[no-any-return]


def _diagflat(tensor: Tensor, offset: int = 0) -> Tensor:
    """diagflat(input, offset=0): put all elements on the diagonal of a matrix."""
    flat = METHODS["view"](METHODS["contiguous"](tensor), -1)
    result: Tensor = diag_embed(flat, offset)
    noted = last_noted()
    if noted is not None and noted.result is result:
        spread = noted.compute
        note_arrays(lambda raw: spread(raw.reshape(-1)), result, tensor)
    return result


def _check_windows(sizes: Ints, shape: Ints) -> None:
    """Raise if a size of the result, which int64 wraps around, is less than that of the tensor."""
    for dim, (size, new_size) in enumerate(zip(sizes, shape, strict=True)):
        if size > new_size:
            raise RuntimeError(
                f"maximum size for tensor at dimension {dim} is {new_size} but size is {size}"
            )


def _blocks(sizes: Ints, steps: Ints, repeats: Ints) -> tuple[Ints, Ints]:
    """Return the sizes and strides of a view of repeated elements: how often, then the elements.

    Dimensions of size 1 are left out, as NumPy has at most 64.
    """
    pairs = zip(sizes, steps, repeats, strict=True)
    both = [block for size, step, times in pairs for block in ((times, 0), (size, step))]
    kept = [block for block in both if block[0] != 1]
    return tuple([size for size, _ in kept]), tuple([step for _, step in kept])


for _op in (
    Op("repeat", {"SymIntArrayRef repeats": _repeat}, function=False),
    Op("tile", {"SymIntArrayRef dims": _tile}),
    Op(
        "diag_embed",
        {"int64_t offset=0, int64_t dim1=-2, int64_t dim2=-1": diag_embed},
        wrap=with_array_plans,
    ),
    Op("diagflat", {"int64_t offset=0": _diagflat}, wrap=with_array_plans),
):
    register_operator(_op)
