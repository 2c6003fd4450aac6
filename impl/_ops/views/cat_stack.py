"""The operators that put tensors together: cat and stack."""

from typing import Any

from ..._arrays.numpy_bridge import np
from ..._autograd.autograd_meta import count_write
from ..._autograd.tracking import check_usable, is_made_inside
from ..._devices.device import META
from ..._dtypes.constants import COMPLEX32
from ..._dtypes.table import dtype, spec_of
from ..._geometry import strides, view_shapes
from ..._geometry.geometry import Geometry, dense, strided
from ..._numerics.cast import convert
from ..._numerics.promotion import can_cast
from ..._runtime.errors import check
from ..._tensor.data_access import check_cast, raw_array
from ..._tensor.factories import empty_with, resize_output, warn_of_complex32
from ..._tensor.out_autograd import check_no_gradients
from ..._tensor.tensor import Tensor, record_grad_fn, shallow_copy, view_of
from ..common.conj_neg_fallback import resolved, write_to_clone
from ..common.device_checks import check_together, common_device
from ..common.memory_overlap import check_apart, check_no_overlap
from ..common.registration import Op, install
from ..common.result_type import result_type_of


def _is_skipped(tensor: Tensor) -> bool:
    """Tell a tensor of shape (0,), which cat passes over for the sake of old programs."""
    return tensor._geometry.shape == (0,)


def _cat_shape(tensors: tuple[Tensor, ...], dim: int) -> tuple[tuple[int, ...], int]:
    """Return the shape of the result and the dimension counted from the front."""
    geometry = tensors[0]._geometry
    if geometry.numel and geometry.rank and all(each._geometry is geometry for each in tensors):
        dim, shape = view_shapes.wrap_dim(dim, geometry.rank), [*geometry.shape]
        shape[dim] *= len(tensors)
        return tuple(shape), dim
    for position, tensor in enumerate(tensors):
        check(
            tensor._geometry.rank,
            lambda: (
                f"zero-dimensional tensor (at position {position}) cannot be concatenated"  # noqa: B023
            ),
        )
    used = [each for each in tensors if not _is_skipped(each)]
    first = used[0] if used else tensors[0]
    rank = first._geometry.rank
    dim = view_shapes.wrap_dim(dim, rank) if used else 0
    shape = [*first._geometry.shape]
    length = 0
    for position, tensor in enumerate(tensors):
        if _is_skipped(tensor):
            continue
        own = tensor._geometry.shape
        check(
            len(own) == rank,
            lambda: f"Tensors must have same number of dimensions: got {rank} and {len(own)}",  # noqa: B023
        )
        for each in range(rank):
            check(
                each == dim or own[each] == shape[each],
                lambda: (
                    f"Sizes of tensors must match except in dimension {dim}. Expected size"
                    f" {shape[each]} but got size {own[each]} for tensor number {position} in the"  # noqa: B023
                    " list."
                ),
            )
        length += own[dim]
    if used:
        shape[dim] = length
    return tuple(shape), dim


def _common_format(tensors: tuple[Tensor, ...], shape: tuple[int, ...]) -> Geometry:
    """Return the geometry of cat's result: channels last if every tensor looks so."""
    formats: set[str] = {
        strides.suggested_format(each._geometry.shape, each._geometry.stride)
        for each in tensors
        if not _is_skipped(each)
    }
    return _formatted(formats, shape)


def _formatted(formats: set[str], shape: tuple[int, ...]) -> Geometry:
    """Return the geometry of a shape in the format that all have, if it is one of channels last."""
    if formats == {"channels_last"}:
        return strided(shape, strides.channels_last(shape))
    if formats == {"channels_last_3d"}:
        return strided(shape, strides.channels_last_3d(shape))
    return dense(shape)


def _cat(tensors: tuple[Tensor, ...], dim: int = 0, out: Tensor | None = None) -> Tensor:
    """cat(tensors, dim=0, *, out=None): the tensors one after the other along a dimension."""
    if out is not None:
        check_no_gradients("cat", *tensors, out)
    if out is not None and out._conj_neg:
        return write_to_clone(out, lambda clone: _cat(tensors, dim, clone))
    check(tensors, lambda: "torch.cat(): expected a non-empty list of Tensors", ValueError)
    check_usable(*tensors)
    tensors = tuple([resolved(each) for each in tensors])
    shape, dim = _cat_shape(tensors, dim)
    kind = reduce_types(tensors)
    check_together("wrapper_CUDA_cat", "tensors", tensors, out)
    where = common_device(tensors, numbers=False)
    if out is None:
        result = empty_with(_common_format(tensors, shape), kind, where)
    else:
        check_castable(kind, out)
        result = _resized(out, shape, tensors)
    _join_into(result, tensors, dim)
    if out is not None:
        count_write(out)
    return record_grad_fn(result, tensors, "CatBackward0")


def check_castable(dtype: dtype, out: Tensor) -> None:
    """Refuse to write elements of a dtype into a tensor of a lesser kind."""
    check(
        can_cast(dtype, out._dtype),
        lambda: (
            "torch.cat(): input types can't be cast to the desired output type"
            f" {spec_of(out._dtype).cpp_name}"
        ),
        TypeError,
    )


def _resized(out: Tensor, shape: tuple[int, ...], tensors: tuple[Tensor, ...]) -> Tensor:
    """Give the tensor for the result its shape; refuse one that is read from, too."""
    resize_output(out, shape)
    check_no_overlap(out)
    for each in tensors:
        if each._geometry.numel:
            check_apart(out, each)
    return out


def reduce_types(tensors: tuple[Tensor, ...]) -> Any:
    """Return the dtype that all tensors promote to, 0-dim ones counting less."""
    return result_type_of(tensors)


def _join_into(result: Tensor, tensors: tuple[Tensor, ...], dim: int) -> None:
    if result._geometry.device is META:
        for each in tensors:
            _check_converted(each, result)
        return
    used = [_converted(each, result) for each in tensors if not _is_skipped(each)]
    if used:
        np.concatenate(used, axis=dim, out=raw_array(result), casting="no")


def _check_converted(tensor: Tensor, result: Tensor) -> None:
    """Warn and refuse as `_converted` does, where there are no elements."""
    if _is_skipped(tensor) or tensor._dtype is result._dtype:
        return
    if tensor._dtype is COMPLEX32:
        warn_of_complex32()
    check_cast(result, tensor)


def _converted(tensor: Tensor, result: Tensor) -> Any:
    """Return the codes of a tensor for a result; what is of its dtype is moved as bytes."""
    found = raw_array(tensor)
    if tensor._dtype is result._dtype:
        return found
    if tensor._dtype is COMPLEX32:
        warn_of_complex32()  # torch makes a copy to read from
    return convert(found, tensor._dtype, result._dtype)


def _stack_geometry(tensors: tuple[Tensor, ...], shape: tuple[int, ...], dim: int) -> Geometry:
    """Return the geometry of stack's result, which torch makes of that of cat."""
    first = tensors[0]._geometry.shape
    if dim < len(first):
        joined = (*first[:dim], len(tensors) * first[dim], *first[dim + 1 :])
        geometry = _common_format(tensors, joined)
        return strided(*view_shapes.view(geometry.shape, geometry.stride, shape)[:2])
    apart = [
        view_shapes.unsqueeze(each._geometry.shape, each._geometry.stride, dim) for each in tensors
    ]
    return _formatted({strides.suggested_format(*each[:2]) for each in apart}, shape)


def _stack(tensors: tuple[Tensor, ...], dim: int = 0, out: Tensor | None = None) -> Tensor:
    """stack(tensors, dim=0, *, out=None): the tensors along a new dimension."""
    if out is not None:
        check_no_gradients("stack", *tensors, out)
    if out is not None and out._conj_neg:
        return write_to_clone(out, lambda clone: _stack(tensors, dim, clone))
    check(tensors, lambda: "stack expects a non-empty TensorList")
    check_usable(*tensors)
    tensors = tuple([resolved(each) for each in tensors])
    first = tensors[0]._geometry.shape
    dim = view_shapes.wrap_dim(dim, len(first) + 1)
    for position, tensor in enumerate(tensors):
        check(
            tensor._geometry.shape == first,
            lambda: (
                f"stack expects each tensor to be equal size, but got {[*first]} at entry 0 and"
                f" {[*tensor._geometry.shape]} at entry {position}"  # noqa: B023
            ),
        )
    shape = (*first[:dim], len(tensors), *first[dim:])
    kind = reduce_types(tensors)
    check_together("wrapper_CUDA_cat", "tensors", tensors, out)
    where = common_device(tensors, numbers=False)
    if out is None:
        result = empty_with(_stack_geometry(tensors, shape, dim), kind, where)
    else:
        last = dim == len(first)  # torch looks at the type first where cat makes the result
        if last:
            check_castable(kind, out)
            tensors = tuple([shallow_copy(each) if each is out else each for each in tensors])
        result = _resized(out, shape, tensors)
        if not last:
            check_castable(kind, out)
    has_elements = result._geometry.device is not META
    target: Any = raw_array(result) if has_elements else None
    for position, tensor in enumerate(tensors if has_elements else ()):
        target[(slice(None),) * dim + (position,)] = _converted(tensor, result)
    if out is not None:
        count_write(out)
    if dim < len(first) and is_made_inside(result, *tensors):
        # Autograd sees only that torch makes a view of what cat returns.
        return view_of(result, result._geometry, 0, "ViewBackward0")
    return record_grad_fn(result, tensors, "StackBackward0")


for _name in ("cat", "concat", "concatenate"):
    install(
        Op(
            _name,
            {"int64_t dim=0, *, Tensor out=None": _cat},
            method=False,
            input="TensorList tensors",
        )
    )
install(
    Op(
        "stack",
        {"int64_t dim=0, *, Tensor out=None": _stack},
        method=False,
        input="TensorList tensors",
    )
)
