"""The triangles of matrices: tril and triu (ATen/native/TriangularOps.cpp)."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from ..._arrays.numpy_bridge import np
from ..._autograd.autograd_meta import bump_version
from ..._autograd.tracking import check_inplace
from ..._geometry import extents
from ..._geometry.extents import Ints
from ..._geometry.geometry import Geometry, dense, on_device
from ..._geometry.strides import contiguous
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import NotDense, check
from ..._tensor.allocation import empty_tensor
from ..._tensor.data_access import has_separate_elements, raw_array
from ..._tensor.tensor import METHODS, Tensor
from ..._tensor.views import plain_view, record_grad_fn
from ..common.array_plans import is_noting, note_arrays
from ..common.clone import contiguous_copy
from ..common.conj_neg_fallback import resolves_conj_neg, resolves_conj_neg_in_place
from ..common.copy import copy_into, record_write
from ..common.memory_overlap import check_copy_overlap
from ..common.meta_reference import in_reference, into_meta, is_on_meta, masked_on_meta
from ..common.reference_dtypes import check_promotes
from ..elementwise.binding import Overload, install_operator
from ..elementwise.plan import BOOLS, COMPLEX, HALF_COMPLEX, NUMBERS
from ..reduction.reduce import prepare_out

_DTYPES = BOOLS | NUMBERS | COMPLEX | HALF_COMPLEX


class _Triangle(NamedTuple):
    """An operator: its name, and whether it keeps the elements above a diagonal."""

    name: str
    is_upper: bool

    @property
    def node(self) -> str:
        """The name of the grad_fn."""
        return f"{self.name.title()}Backward0"


def _triangle(
    triangle: _Triangle, tensor: Tensor, diagonal: int, out: Tensor | None = None
) -> Tensor:
    geometry = tensor._geometry
    if geometry.is_sparse or (out is not None and out._geometry.is_sparse):
        raise NotDense
    if is_on_meta(tensor, out):
        result = in_reference(_on_meta, triangle, tensor)
        if out is None:
            return record_grad_fn(result, (tensor,), triangle.node)
        bump_version(into_meta(triangle.name, out, result._geometry, result._dtype))
        return out
    _check_rank(triangle, geometry)
    if out is None:
        result = empty_tensor(geometry.shape, tensor._dtype, geometry.device)
        _write(triangle, tensor, diagonal, result)
        if is_noting() and _has_one_step(geometry, in_place=False):
            note_arrays(_function(triangle, geometry.shape, diagonal), result, tensor)
        return record_grad_fn(result, (tensor,), triangle.node)
    prepare_out(tensor, on_device(dense(geometry.shape), geometry.device), (out, tensor._dtype))
    _write(triangle, tensor, diagonal, out)
    bump_version(out)
    return out


def _function(triangle: _Triangle, shape: Ints, diagonal: int) -> Callable[[Any], Any]:
    """Return the function of a raw array of matrices that returns the triangles."""
    rows, columns = shape[-2:]
    diagonal = max(-rows, min(diagonal, columns))
    if extents.numel(shape) > _MASKED_ELEMENTS:

        def cleared(raw: Any) -> Any:
            result = raw.copy()
            if triangle.is_upper:
                _clear_above(result.swapaxes(-1, -2), -diagonal)
            else:
                _clear_above(result, diagonal)
            return result

        return cleared
    mask = np.tri(rows, columns, diagonal - triangle.is_upper, np.bool_) ^ triangle.is_upper

    def masked(raw: Any) -> Any:
        return np.where(mask, raw, raw.dtype.type(0))

    return masked


_MASKED_ELEMENTS = 2**12
"""The largest number of elements that are masked at once, which takes few calls."""


def _triangle_(triangle: _Triangle, tensor: Tensor, diagonal: int) -> Tensor:
    check_inplace(tensor)
    if tensor._geometry.is_sparse:
        raise NotDense
    if is_on_meta(tensor):
        result = in_reference(_on_meta, triangle, tensor)
        into_meta(triangle.name, tensor, result._geometry, result._dtype)
    else:
        _check_rank(triangle, tensor._geometry)
        _write(triangle, tensor, diagonal, tensor)
    record_write(tensor, (), triangle.node)
    geometry = tensor._geometry
    if is_noting() and geometry.is_contiguous and 0 < geometry.numel <= _MASKED_ELEMENTS:
        note_arrays(_function(triangle, geometry.shape, diagonal), tensor, tensor)
    return tensor


def _check_rank(triangle: _Triangle, geometry: Geometry) -> None:
    check(
        geometry.rank > 1,
        lambda: f"{triangle.name}: input tensor must have at least 2 dimensions",
    )


def _on_meta(triangle: _Triangle, tensor: Tensor) -> Tensor:
    """Return what the reference does (tril in torch/_refs)."""
    _check_rank(triangle, tensor._geometry)
    check_promotes(tensor)
    masked = masked_on_meta(tensor, tensor._geometry.shape[-2:])
    return METHODS["contiguous"](masked)  # type: ignore[no-any-return]


def _write(triangle: _Triangle, tensor: Tensor, diagonal: int, out: Tensor) -> None:
    """Write the triangle of each matrix to ``out``, which may be the tensor."""
    geometry = tensor._geometry
    if not geometry.numel:
        return
    if tensor._dtype not in _DTYPES:
        raise_not_implemented(triangle.name, tensor._dtype)
    source = tensor
    if not _has_one_step(geometry, in_place=out is tensor):
        if geometry.is_contiguous:
            source = plain_view(tensor, geometry.shape, contiguous(geometry.shape))
        else:
            source = contiguous_copy(tensor)
        if out is tensor:
            result = empty_tensor(geometry.shape, tensor._dtype, geometry.device)
            check_copy_overlap(tensor)
            _write(triangle, source, diagonal, result)
            copy_into(tensor, result)
            return
    shape, steps = geometry.shape[:-2], out._geometry.stride
    count = extents.numel(tuple([size for size, step in zip(shape, steps, strict=False) if step]))
    elements = target = _matrices(source, count)
    if out._storage is not source._storage or out._offset != source._offset:
        target = _matrices(out, count)  # else torch takes the strides of the tensor
    rows, columns = elements.shape[-2:]
    diagonal = max(-rows, min(diagonal, columns))
    if target is not elements:
        elements = elements.reshape(target.shape)
        if not has_separate_elements(target) or np.may_share_memory(target, elements):
            _write_in_order(triangle, elements, diagonal, target)
            return
        target[...] = elements
    if triangle.is_upper:
        target, diagonal = target.swapaxes(-1, -2), -diagonal
    _clear_above(target, diagonal)


def _has_one_step(geometry: Geometry, *, in_place: bool) -> bool:
    """Return whether torch takes the same step from each matrix to the next one.

    In place, it does not look at three dimensions, and at a first one that is expanded.
    """
    shape, stride = geometry.shape, geometry.stride
    if geometry.is_contiguous:
        return stride == contiguous(shape)
    if in_place and geometry.rank <= 3:
        return True
    step = shape[-1] * shape[-2]
    for dim in range(geometry.rank - 3, -1, -1):
        if in_place and not dim and (not stride[0] or shape[0] == 1):
            continue
        if stride[dim] != step:
            return False
        step *= shape[dim]
    return True


def _matrices(tensor: Tensor, count: int) -> Any:
    """Return an array of the matrices that torch reads or writes, one step after each other.

    It skips those that ``out`` has once only (batchCountTrilTriu). The array raises if torch
    reads or writes foreign memory, as for an ``out`` of other batch strides.
    """
    geometry = tensor._geometry
    shape, stride = geometry.shape, geometry.stride
    step = (geometry.rank > 2 and stride[-3]) or 1
    if count == extents.numel(shape[:-2]) and (geometry.rank <= 3 or stride == contiguous(shape)):
        return raw_array(tensor)
    sizes: Ints = count, *shape[-2:]
    return raw_array(plain_view(tensor, sizes, (step, *stride[-2:])))


def _clear_above(matrices: Any, diagonal: int) -> None:
    """Write 0 to the elements above a diagonal, by blocks of rows."""
    rows, columns = matrices.shape[-2:]
    zero = np.zeros((), matrices.dtype)
    matrices[..., : max(0, min(rows, -diagonal)), :] = zero
    for first in range(max(0, -diagonal), rows, _BLOCK_ROWS):
        end = min(first + _BLOCK_ROWS, rows)
        left, right = first + diagonal + 1, min(end + diagonal, columns)
        if left >= columns:
            break
        matrices[..., first:end, right:] = zero
        is_above = ~np.tri(end - first, right - left, -1, np.bool_)
        np.copyto(matrices[..., first:end, left:right], zero, where=is_above)


_BLOCK_ROWS = 64


def _write_in_order(triangle: _Triangle, source: Any, diagonal: int, target: Any) -> None:
    """Write one element after the other as torch does, where elements share memory.

    Of each row it writes the zeros first.
    """
    rows, columns = source.shape[-2:]
    matrices = zip(*(array.reshape(-1, rows, columns) for array in (target, source)), strict=True)
    for written, read in matrices:
        for row in range(rows):
            border = max(0, min(columns, row + diagonal + (not triangle.is_upper)))
            kept, cleared = range(border), range(border, columns)
            if triangle.is_upper:
                kept, cleared = cleared, kept
            for column in cleared:
                written[row, column] = 0
            for column in kept:
                written[row, column] = read[row, column]


for _each, _doc in (
    (_Triangle("tril", is_upper=False), "above"),
    (_Triangle("triu", is_upper=True), "below"),
):
    install_operator(
        _each.name,
        Overload(
            "SymInt diagonal=0",
            resolves_conj_neg(partial(_triangle, _each), _each.name),
            resolves_conj_neg_in_place(partial(_triangle_, _each)),
        ),
        doc=f"Return matrices with 0 for the elements {_doc} a diagonal.",
    )
