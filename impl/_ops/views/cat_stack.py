"""The operators cat and stack."""

from typing import Any

from ..._arrays.numpy_bridge import np
from ..._arrays.opaque_dtypes import is_opaque
from ..._autograd.autograd_meta import bump_version
from ..._autograd.tracking import check_no_stale_views, is_tracked_inside
from ..._devices.device import META, device
from ..._dtypes.constants import BOOL, COMPLEX32, INT64
from ..._dtypes.table import dtype, spec_of
from ..._geometry import extents, strides, view_shapes
from ..._geometry.extents import Ints
from ..._geometry.geometry import Geometry, dense, on_device, strided
from ..._geometry.size import Size
from ..._numerics.cast import convert
from ..._numerics.promotion import can_cast
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.allocation import empty_with, resize_output, warn_complex32
from ..._tensor.data_access import (
    has_separate_elements,
    raw_array,
    write_in_order,
)
from ..._tensor.out_autograd import check_no_grad_out
from ..._tensor.tensor import METHODS, Tensor, set_geometry, shallow_copy
from ..._tensor.views import record_grad_fn, view_of
from ..common.conj_neg_fallback import (
    late_warnings,
    resolve_operands,
    run_resolved,
    write_to_clone,
)
from ..common.cuda_kernels import check_cat
from ..common.device_checks import common_device
from ..common.memory_overlap import check_no_overlap, check_no_overlap_with
from ..common.meta_reference import check_conversions, into_meta, is_on_meta
from ..common.reference_dtypes import reference_dtype
from ..common.registration import Op, register_operator
from ..common.result_type import UNDEFINED, result_type_of
from ..common.vector_loops import write_in_turn
from .cat_kernels import check_kernel, is_skipped, warn_of_conversions, warn_of_results
from .join_cache import with_join_cache


def _wrapped_dim(tensors: tuple[Tensor, ...], dim: int) -> int:
    """Return the nonnegative ``dim`` of cat's result; raise for 0-dim tensors."""
    for position, tensor in enumerate(tensors):
        check(
            tensor._geometry.rank,
            lambda: (
                f"zero-dimensional tensor (at position {position}) cannot be concatenated"  # noqa: B023
            ),
        )
    first = next((tensor for tensor in tensors if not is_skipped(tensor)), None)
    return 0 if first is None else view_shapes.wrap_dim(dim, first._geometry.rank)


def _cat_shape(tensors: tuple[Tensor, ...], dim: int) -> tuple[int, ...]:
    """Return the shape of cat's result; raise for wrong shapes."""
    kept = [tensor for tensor in tensors if not is_skipped(tensor)]
    shape = [*(kept or tensors)[0]._geometry.shape]
    rank, length = len(shape), 0
    for position, tensor in enumerate(tensors):
        if is_skipped(tensor):
            continue
        sizes = tensor._geometry.shape
        check(
            len(sizes) == rank,
            lambda: f"Tensors must have same number of dimensions: got {rank} and {len(sizes)}",  # noqa: B023
        )
        for axis in range(rank):
            check(
                axis == dim or sizes[axis] == shape[axis],
                lambda: (
                    f"Sizes of tensors must match except in dimension {dim}. Expected size"
                    f" {shape[axis]} but got size {sizes[axis]} for tensor number {position} in the"  # noqa: B023
                    " list."
                ),
            )
        length += sizes[dim]
    if kept:
        shape[dim] = length
    return tuple(shape)


def _cat_shape_on_meta(shapes: list[Ints], dim: int) -> tuple[Ints, int]:
    """Return what `_cat_shape` does, with the errors of the reference (cat in torch/_refs)."""
    example = next((shape for shape in shapes if len(shape) != 1), shapes[0])
    for is_excepted in (lambda shape: len(shape) == 1, lambda shape: shape == (0,)):
        for position, shape in enumerate(shapes):
            if len(shape) != len(example) and not is_excepted(shape):
                raise RuntimeError(
                    "Number of dimensions of tensors must match. "
                    f" Expected {len(example)}-D tensors, but got {len(shape)}-D for tensor number"
                    f" {position} in the list"
                )
    kept = [shape for shape in shapes if shape != (0,)]
    if not kept:
        return (0,), 0
    first = kept[0]
    dim = view_shapes.wrap_dim(dim, len(first))
    for position, shape in enumerate(kept):
        for axis, (expected, size) in enumerate(zip(first, shape, strict=True)):
            if axis != dim and size != expected:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {dim}. Expected {expected} in"
                    f" dimension {axis} but got {size} for tensor number {position} in the list"
                )
    check(first, lambda: "list assignment index out of range", IndexError)
    return (*first[:dim], sum(shape[dim] for shape in kept), *first[dim + 1 :]), dim


def _common_format(tensors: tuple[Tensor, ...], shape: tuple[int, ...]) -> Geometry:
    """Return the geometry of cat's result: channels last if all tensors suggest it."""
    formats: set[str] = {
        strides.suggested_format(tensor._geometry.shape, tensor._geometry.stride)
        for tensor in tensors
    }
    return _formatted(formats, shape)


def _formatted(formats: set[str], shape: tuple[int, ...]) -> Geometry:
    """Return the geometry of a shape: channels last if that is the only format, else contiguous."""
    if formats == {"channels_last"}:
        return strided(shape, strides.channels_last(shape))
    if formats == {"channels_last_3d"}:
        return strided(shape, strides.channels_last_3d(shape))
    return dense(shape)


def _cat(tensors: tuple[Tensor, ...], dim: int = 0, out: Tensor | None = None) -> Tensor:
    """cat(tensors, dim=0, *, out=None): concatenate tensors along a dimension."""
    if out is not None:
        check_no_grad_out("cat", *tensors, out)
    if out is not None and out._conj_neg:
        return write_to_clone(out, lambda clone: _cat(tensors, dim, clone))
    check(tensors, lambda: "torch.cat(): expected a non-empty list of Tensors", ValueError)
    check_no_stale_views(*tensors)
    if late_warnings(tensors):
        return run_resolved(lambda *resolved: _cat(resolved, dim, out), tensors)
    tensors = resolve_operands(tensors)
    from_meta = is_on_meta(*tensors, out)
    if from_meta:
        dtype = _result_dtype(tensors, from_meta)  # torch's reference promotes first
        common_device(tensors, allow_cpu_scalars=False)
        warn_of_conversions(tensors, dtype)
        shape, dim = _cat_shape_on_meta([tensor._geometry.shape for tensor in tensors], dim)
    else:
        check_cat(tensors, out)
        dim = _wrapped_dim(tensors, dim)
        promoted = _cat_dtype(tensors, out)
        shape = _cat_shape(tensors, dim)
        if promoted is None:
            raise _undefined(tensors, shape)
        dtype = promoted
    device = common_device(tensors, allow_cpu_scalars=False)
    if from_meta:
        warn_of_results(tensors, dtype, device)
    if out is None:
        is_meta = device is META
        result = empty_with(_common_format(tensors, shape), dtype, device, warns=not is_meta)
    elif from_meta:
        result = into_meta("cat", out, on_device(dense(shape), device), dtype)
    else:
        is_kept = out._geometry.shape == shape
        result = _resized(out, shape, tensors)
        if not is_kept:
            set_geometry(out, _common_format(tensors, shape))
    if not from_meta:
        _concatenate_into(result, tensors, dim)
    if out is not None:
        bump_version(out)
    return record_grad_fn(result, tensors, "CatBackward0")


def _cat_dtype(tensors: tuple[Tensor, ...], out: Tensor | None) -> dtype | None:
    """Return the dtype of cat's result; raise if it cannot be cast to ``out``.

    Without a promoted dtype it is that of ``out``, if there is one.
    """
    try:
        dtype = _result_dtype(tensors, from_meta=False)
    except _UndefinedError:
        if out is None or out._dtype is not BOOL:
            return None if out is None else out._dtype
        dtype = INT64  # no dtype is not bool
    if out is not None:
        check_castable(dtype, out)
    return dtype


class _UndefinedError(Exception):
    """Tensors have no promoted dtype."""


def _undefined(tensors: tuple[Tensor, ...], shape: Ints) -> RuntimeError:
    """Return torch's error for a result without a dtype, to which it copies the first tensor."""
    if 0 in shape:
        return RuntimeError("unsupported scalarType")
    first = next(tensor._dtype for tensor in tensors if not is_skipped(tensor))
    name = spec_of(first).cpp_name
    message = f"result type {name} can't be cast to the desired output type UNKNOWN_SCALAR"
    return RuntimeError(message if first.is_complex else UNDEFINED)


def _result_dtype(tensors: tuple[Tensor, ...], from_meta: bool) -> dtype:
    """Return the promoted dtype of tensors, by torch's reference if one is on meta."""
    if not from_meta:
        return result_type_of(tensors, UNDEFINED, _UndefinedError)
    dtype = reference_dtype(tensors)
    check_conversions(tensors, dtype)
    return dtype


def check_castable(dtype: dtype, out: Tensor) -> None:
    """Raise if a dtype cannot be cast to the dtype of ``out``."""
    check(
        can_cast(dtype, out._dtype),
        lambda: (
            "torch.cat(): input types can't be cast to the desired output type"
            f" {spec_of(out._dtype).cpp_name}"
        ),
        TypeError,
    )


def _resized(out: Tensor, shape: tuple[int, ...], tensors: tuple[Tensor, ...]) -> Tensor:
    """Return ``out``, resized; raise if it overlaps with itself or an input."""
    resize_output(out, shape)
    check_no_overlap(out)
    for tensor in tensors:
        if not is_skipped(tensor):
            check_no_overlap_with(out, tensor)
    return out


def _concatenate_into(result: Tensor, tensors: tuple[Tensor, ...], dim: int) -> None:
    if is_opaque(result._dtype) and result._geometry.device is not META:
        check_kernel(result, tensors, dim)
    tensors = tuple([tensor for tensor in tensors if not is_skipped(tensor)])
    arrays = [_cast_raw(tensor, result) for tensor in tensors]
    if not arrays or result._geometry.device is META:
        return
    memory = raw_array(result)
    if _is_separate(result, tensors):
        np.concatenate(arrays, axis=dim, out=memory, casting="no")
        return
    ends = np.cumsum([array.shape[dim] for array in arrays])[:-1]
    for tensor, part, array in zip(tensors, np.split(memory, ends, dim), arrays, strict=True):
        _write_part(part, array, is_cast=tensor._dtype is not result._dtype)


def _is_separate(result: Tensor, tensors: tuple[Tensor, ...]) -> bool:
    """Return whether no element of a result shares memory with another one, or with a tensor."""
    is_shared = any(tensor._storage is result._storage for tensor in tensors)
    return not is_shared and has_separate_elements(raw_array(result))


def _write_part(part: Any, array: Any, *, is_cast: bool) -> None:
    """Write elements to their part of a result, in the order in which torch does."""
    if np.may_share_memory(part, array):
        write_in_turn(lambda elements: elements, part, [array])
    else:
        write_in_order(part, array, is_cast=is_cast)


def _cast_raw(tensor: Tensor, result: Tensor) -> Any:
    """Return the raw elements, cast for the result; None on meta."""
    is_meta = result._geometry.device is META
    raw = None if is_meta else raw_array(tensor)
    if tensor._dtype is result._dtype:
        return raw
    if tensor._dtype is COMPLEX32:
        warn_complex32()  # torch casts to a new tensor
    if is_meta:
        return None
    return convert(raw, tensor._dtype, result._dtype)


def _stack_geometry(tensors: tuple[Tensor, ...], shape: tuple[int, ...], dim: int) -> Geometry:
    """Return the geometry of stack's result, which torch derives from cat's."""
    first = tensors[0]._geometry.shape
    if dim < len(first):
        joined = (*first[:dim], len(tensors) * first[dim], *first[dim + 1 :])
        geometry = _common_format(tensors, joined)
        return strided(*view_shapes.view(geometry.shape, geometry.stride, shape)[:2])
    unsqueezed = [
        view_shapes.unsqueeze(t._geometry.shape, t._geometry.stride, dim) for t in tensors
    ]
    return _formatted({strides.suggested_format(*view[:2]) for view in unsqueezed}, shape)


def _unsqueezed(tensors: tuple[Tensor, ...], dim: int) -> tuple[Tensor, ...]:
    return tuple([METHODS["unsqueeze"](shallow_copy(tensor), dim) for tensor in tensors])


def _restacked(tensors: tuple[Tensor, ...], dim: int, out: Tensor, dtype: dtype) -> tuple[int, ...]:
    """Return the shape of a stack that has ``out``, now resized, among its tensors.

    Torch reads the sizes again, to join the tensors in a view of ``out``. If that has no such view,
    it stacks them once more.
    """
    first = tensors[0]._geometry.shape
    joined = (*first[:dim], len(tensors) * first[dim], *first[dim + 1 :])
    if extents.numel(joined) == out._geometry.numel:
        check_castable(dtype, out)
        _cat_shape(tensors, dim)
        return out._geometry.shape
    _check_equal_sizes(tensors, dim)
    return (*first[:dim], len(tensors), *first[dim:])


def _check_stacked_on_meta(tensors: tuple[Tensor, ...], dim: int) -> None:
    """Raise for tensors of other sizes as the reference does (stack in torch/_refs)."""
    shapes = [tensor._geometry.shape for tensor in tensors]
    first = shapes[0]
    if dim < len(first):
        check(
            all(shape == first for shape in shapes),
            lambda: (
                f"stack expects each tensor to be equal size, but got {Size(first)} at entry 0 "
            ),
        )
    else:
        dims = [view_shapes.wrap_dim(dim, len(shape) + 1) for shape in shapes]
        _result_dtype(tensors, from_meta=True)
        common_device(tensors, allow_cpu_scalars=False)
        stacked = [(*x[:at], 1, *x[at:]) for x, at in zip(shapes, dims, strict=True)]
        _cat_shape_on_meta(stacked, dim)


def _check_equal_sizes(tensors: tuple[Tensor, ...], dim: int) -> None:
    first = tensors[0]._geometry.shape
    for position, tensor in enumerate(tensors):
        check(
            tensor._geometry.shape == first,
            lambda: (
                f"stack expects each tensor to be equal size, but got {[*first]} at entry 0 and"
                f" {[*tensor._geometry.shape]} at entry {position}"  # noqa: B023
            ),
        )


def _stack(tensors: tuple[Tensor, ...], dim: int = 0, out: Tensor | None = None) -> Tensor:
    """stack(tensors, dim=0, *, out=None): concatenate tensors along a new dimension."""
    if out is not None:
        check_no_grad_out("stack", *tensors, out)
    if out is not None and out._conj_neg:
        return write_to_clone(out, lambda clone: _stack(tensors, dim, clone))
    check(tensors, lambda: "stack expects a non-empty TensorList")
    check_no_stale_views(*tensors)
    if late_warnings(tensors):
        return run_resolved(lambda *resolved: _stack(resolved, dim, out), tensors)
    tensors = resolve_operands(tensors)
    first = tensors[0]._geometry.shape
    dim = view_shapes.wrap_dim(dim, len(first) + 1)
    from_meta = is_on_meta(*tensors, out)
    if not from_meta:
        _check_equal_sizes(tensors, dim)
    elif dim < len(first) or is_on_meta(*tensors):
        _check_stacked_on_meta(tensors, dim)
    else:
        _cat_shape(_unsqueezed(tensors, dim), dim)
    shape = (*first[:dim], len(tensors), *first[dim:])
    if dim < len(first):
        # Torch joins the tensors along the dimension, and returns a view.
        joined = extents.as_int64(first[dim] * len(tensors))
        extents.check_nonnegative((*first[:dim], joined, *first[dim + 1 :]))
    try:
        dtype = _result_dtype(tensors, is_on_meta(*tensors))
    except _UndefinedError:
        if out is None:
            raise _undefined(tensors, shape) from None
        dtype = out._dtype
    check_cat(tensors, out)
    device = common_device(tensors, allow_cpu_scalars=False)
    if from_meta and dtype is COMPLEX32:
        _warn_of_stack(tensors if dim < len(first) else _unsqueezed(tensors, dim), device)
    if out is None:
        is_meta = device is META
        geometry = _stack_geometry(tensors, shape, dim)
        result = empty_with(geometry, dtype, device, warns=not is_meta)
    elif from_meta:
        result = into_meta("stack", out, on_device(dense(shape), device), dtype)
    else:
        is_last = dim == len(first)  # only then cat makes the result, and checks dtypes first
        if not is_last:
            resize_output(out, shape)
            if any(tensor is out for tensor in tensors):
                shape = _restacked(tensors, dim, out, dtype)
        check_castable(dtype, out)
        tensors = tuple([shallow_copy(t) if t is out else t for t in tensors])
        result = _resized(out, shape, tensors)
    has_elements = result._geometry.device is not META
    if has_elements and is_opaque(result._dtype):
        is_last = dim == len(first)  # torch joins tensors with the new dimension
        check_kernel(result, _unsqueezed(tensors, dim) if is_last else tensors, dim)
    memory: Any = raw_array(result) if has_elements else None
    is_separate = out is None or (has_elements and _is_separate(result, tensors))
    for position, tensor in enumerate(tensors if has_elements and result._geometry.numel else ()):
        part, raw = memory[(slice(None),) * dim + (position, ...)], _cast_raw(tensor, result)
        if is_separate:
            part[...] = raw
        else:
            _write_part(part, raw, is_cast=False)
    if out is not None:
        bump_version(out)
    if dim < len(first) and is_tracked_inside(result, *tensors):
        # Torch returns a view of cat's result, and autograd records only that view.
        return view_of(result, result._geometry, 0, "ViewBackward0")
    return record_grad_fn(result, tensors, "StackBackward0")


def _warn_of_stack(tensors: tuple[Tensor, ...], device: device) -> None:
    """Warn of the complex32 tensors that the reference makes; it joins those of the CPU at once."""
    if device is META:
        warn_of_conversions(tensors, COMPLEX32)
        warn_of_results(tensors, COMPLEX32, device)
    else:
        warn_complex32(by_reference=True)


for _name, _run in (("cat", _cat), ("concat", _cat), ("concatenate", _cat), ("stack", _stack)):
    register_operator(
        Op(
            _name,
            {"int64_t dim=0, *, Tensor out=None": _run},
            method=False,
            input="TensorList tensors",
        )
    )
    PUBLIC[_name] = with_join_cache(PUBLIC[_name], is_stack=_run is _stack)
