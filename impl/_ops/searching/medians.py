"""median and nanmedian (aten/src/ATen/native/Sorting.cpp)."""

from functools import partial
from math import nan
from typing import Any

from ..._arrays.numpy_bridge import np
from ..._autograd.autograd_meta import bump_version
from ..._dtypes.constants import FLOAT64, INT64
from ..._dtypes.table import dtype
from ..._geometry import view_checks, view_shapes
from ..._geometry.extents import Ints
from ..._geometry.geometry import Geometry, dense, on_device
from ..._kernels import selection
from ..._numerics.cast import convert
from ..._runtime.errors import NotDense, check
from ..._tensor import structseq
from ..._tensor.allocation import resize_output
from ..._tensor.data_access import resolved_array
from ..._tensor.out_autograd import check_no_complex_gradient
from ..._tensor.tensor import Tensor
from ..._tensor.views import plain_view
from ..common.array_plans import note_arrays
from ..common.memory_overlap import check_no_overlap
from ..common.type_strings import type_string
from ..elementwise.binding import Overload, install_operator
from ..elementwise.plan import NUMBERS
from ..reduction.reduce import (
    check_kernel,
    check_opaque_copy,
    refuse_resized,
    resolves_bits,
    resolves_tensor,
    to_tensor,
    warn_of_narrow_complex,
)
from . import lines
from .lines import Pair, one_in_line
from .ranked import check_dense


def _of_all(name: str, tensor: Tensor) -> Tensor:
    """Return the median of all elements, NaN if there are none."""
    geometry, dtype = tensor._geometry, tensor._dtype
    node = f"{name.title()}Backward0"
    if geometry.is_sparse:
        raise NotDense
    result = on_device(dense(()), geometry.device)
    if lines.uses_reference(tensor, None):
        warn_of_narrow_complex(dtype, allocated=True, converted=False, by_reference=True)
        check_no_complex_gradient(name, dtype, tensor)
        return to_tensor(None, result, dtype, None, tensor, node)
    if not geometry.numel:
        warn_of_narrow_complex(dtype, allocated=True, converted=False)
        check_no_complex_gradient(name, dtype, tensor)
        return to_tensor(_nan_of(dtype), result, dtype, None, tensor, node)
    warn_of_narrow_complex(dtype, allocated=True, converted=True)
    check_opaque_copy(tensor, tensor._dtype)
    check_kernel("median_cpu", NUMBERS, dtype, tensor)

    def find(raw: Any) -> Any:
        elements = raw.reshape(-1)
        place = selection.median_of_all(elements, dtype, ignores_nan=name == "nanmedian")
        return _nan_of(dtype) if place is None else elements[place : place + 1].reshape(()).copy()

    element = find(resolved_array(tensor))
    median = to_tensor(element, result, dtype, None, tensor, node)
    note_arrays(find, median, tensor)
    return median


def _nan_of(dtype: dtype) -> Any:
    """Return a raw NaN; integers get what the cast of a NaN gives."""
    return np.asarray(convert(np.array(nan), FLOAT64, dtype))


def _along_dim(name: str, tensor: Tensor, dim: int, keepdim: bool, out: Pair | None = None) -> Any:
    geometry, dtype = tensor._geometry, tensor._dtype
    node = f"{name.title()}Backward1"
    check_dense(tensor, out)
    if out is None and not lines.uses_reference(tensor, out):
        warn_of_narrow_complex(dtype, allocated=True, converted=False)
    dim = view_shapes.wrap_dim(dim, geometry.rank)
    result = lines.result_geometry(geometry, dim, 1 if keepdim else None)
    if lines.uses_reference(tensor, out):
        return lines.on_meta(name, tensor, result, out, node)
    lines.check_not_empty("median", geometry, dim)
    find = one_in_line(selection.median_places, dtype, ignores_nan=name == "nanmedian")
    if out is not None:
        _check_outs(tensor, out)
        for target in out:
            resize_output(target, result.shape)
        _write(tensor, geometry, dim, find, out, keepdim=keepdim)
        return getattr(structseq, f"{name}_out")(out)
    if geometry.rank and _is_copied(geometry, dim):
        warn_of_narrow_complex(dtype, allocated=True, converted=False)
        check_opaque_copy(tensor, tensor._dtype)
    check_kernel("median_out", NUMBERS, dtype, tensor)
    is_expanded = bool(geometry.rank) and not geometry.stride[dim]
    read = _as_read(tensor, dim) if is_expanded else None
    return lines.results_of(name, tensor, dim, find, result, node, read)


def _is_copied(geometry: Geometry, dim: int) -> bool:
    """Return whether torch copies a tensor, so that a dimension has stride 1."""
    size, step = geometry.shape[dim], geometry.stride[dim]
    return step > 1 and (size > 1 or not geometry.is_contiguous)


def _check_outs(tensor: Tensor, out: Pair) -> None:
    values, indices = out
    check(
        indices._dtype is INT64,
        lambda: (
            "Expected tensor for argument #1 'indices' to have scalar type Long; but got"
            f" {type_string(indices)} instead (while checking arguments for median)"
        ),
    )
    check(
        values._dtype is tensor._dtype,
        lambda: (
            "Expected tensor for 'values' to have the same type as tensor for argument #2 'self';"
            f" but type {type_string(values)} does not equal {type_string(tensor)} (while checking"
            " arguments for median)"
        ),
    )


def _write(
    tensor: Tensor, before: Geometry, dim: int, find: lines.Places, out: Pair, *, keepdim: bool
) -> None:
    """Write medians to results of the right shape, by views with the dimension.

    The tensor, if it is a result itself, had another geometry before.
    """
    geometry = tensor._geometry
    if geometry is not before:
        view_shapes.wrap_dim(dim, geometry.rank)
    targets, source, is_copied = out, tensor, False
    if not geometry.rank:
        source = plain_view(tensor, (1,), (1,))
    else:
        is_copied = _is_copied(geometry, dim)
        if is_copied:
            check_opaque_copy(tensor, tensor._dtype)
        warn_of_narrow_complex(tensor._dtype, allocated=is_copied, converted=False)
    if not (keepdim and geometry.rank):
        targets = _unsqueezed(out[0], dim), _unsqueezed(out[1], dim)
    for target in targets:
        check_no_overlap(target, *([] if is_copied else [source]))
    check_kernel("median_out", NUMBERS, tensor._dtype, tensor)
    if geometry is before:
        source = _as_read(source, dim)
    else:
        refuse_resized(is_copied or bool(geometry.rank and not keepdim))
        source = _longer(source, dim, before.shape[dim])
    lines.write_lines(source, dim, find, targets, copied=is_copied)
    for target in out:
        bump_version(target)


def _as_read(tensor: Tensor, dim: int) -> Tensor:
    """Return a tensor with the elements that torch reads as those of lines.

    It copies a tensor whose lines have gaps. It takes those of an expanded one to be without gaps,
    so that it reads the elements after the first one, also beyond the end of the memory.
    """
    shape, stride = tensor._geometry.shape, tensor._geometry.stride
    if not shape or stride[dim] or shape[dim] <= 1:
        return tensor
    steps = *stride[:dim], 1, *stride[dim + 1 :]
    return plain_view(tensor, shape, steps) if _fits(tensor, shape, steps) else tensor


def _longer(tensor: Tensor, dim: int, size: int) -> Tensor:
    """Return the lines that torch reads of a result, with as many elements as before the resize.

    Raise if they end beyond the memory.
    """
    shape, steps = list(tensor._geometry.shape), list(tensor._geometry.stride)
    shape[dim], steps[dim] = size, 1
    refuse_resized(not _fits(tensor, tuple(shape), tuple(steps)))
    return plain_view(tensor, tuple(shape), tuple(steps))


def _fits(tensor: Tensor, shape: Ints, stride: Ints) -> bool:
    """Return whether a view of a tensor's memory ends within it."""
    needed = view_checks.bytes_needed(shape, stride, tensor._offset, tensor._dtype.itemsize)
    return needed <= tensor._storage._size


def _unsqueezed(target: Tensor, dim: int) -> Tensor:
    shape, stride, _ = view_shapes.unsqueeze(target._geometry.shape, target._geometry.stride, dim)
    return plain_view(target, shape, stride)


for _name, _doc in (
    ("median", "Return the lower median"),
    ("nanmedian", "Return the lower median of the elements that are not NaN,"),
):
    install_operator(
        _name,
        Overload("", resolves_tensor(partial(_of_all, _name)), out=False),
        Overload(
            "int64_t dim, bool keepdim=False",
            resolves_bits(partial(_along_dim, _name), _name),
            out_type="TensorList[2]",
        ),
        doc=f"{_doc} in total or along a dimension.",
    )
