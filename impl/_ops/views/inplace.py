"""In-place operators that change the geometry or the storage of a tensor."""

from collections.abc import Callable
from itertools import accumulate
from operator import mul
from typing import Any

from ..._autograd.autograd_meta import bump_version
from ..._autograd.tracking import check_inplace, record_inplace_view
from ..._devices.device import META
from ..._dtypes.cpp_names import cpp_type
from ..._dtypes.table import spec_of
from ..._geometry import extents, layout, strides, view_checks, view_shapes
from ..._geometry.geometry import Geometry, dense, strided
from ..._geometry.layout import memory_format, preserve_format
from ..._runtime.errors import check
from ..._runtime.warnings import ignores_device_mode
from ..._storage.untyped_storage import UntypedStorage, new_storage, resize
from ..._tensor.allocation import resize_contiguous
from ..._tensor.factories import format_strides
from ..._tensor.out_autograd import check_resizable
from ..._tensor.tensor import Tensor, set_geometry
from ..common.conj_neg_fallback import resolve_conj_neg, through_clone
from ..common.copy import record_write
from ..common.registration import Op, register_operator
from .views import TRANSPOSES, strided_view

_FORMAT = "*, MemoryFormat? memory_format=None"


def _resize_(tensor: Tensor, size: tuple[int, ...], memory_format: memory_format | None) -> Tensor:
    """Tensor.resize_(*size): make the tensor contiguous, over the same elements in memory."""
    check_resizable(tensor)
    if tensor._geometry.shape != size:
        resize_contiguous(tensor, _checked_geometry(size))
        bump_version(tensor)
    if memory_format is not None:
        check(memory_format is not preserve_format, lambda: "Unsupported memory formatPreserve")
        stride = format_strides(size, memory_format)
        set_geometry(tensor, dense(size) if stride is None else strided(size, stride))
    return tensor


def _resize_as_(tensor: Tensor, template: Tensor, memory_format: memory_format | None) -> Tensor:
    """Tensor.resize_as_(other): resize the tensor to the size of another."""
    check_resizable(tensor, template)
    template = resolve_conj_neg(template)
    shape, stride = template._geometry.shape, template._geometry.stride
    if memory_format is preserve_format:
        memory_format = getattr(layout, strides.suggested_format(shape, stride))
    return _resize_(tensor, shape, memory_format)


def _set_nothing(tensor: Tensor) -> Tensor:
    """Tensor.set_(): set a new empty storage."""
    return _set(tensor, new_storage(0, tensor._storage._device), 0, (0,), None)


@ignores_device_mode
def _set_storage(tensor: Tensor, storage: Any) -> Tensor:
    """Tensor.set_(storage): set a storage, with all of its elements."""
    return _set_whole(tensor, storage)


@through_clone
def _set_whole(tensor: Tensor, storage: Any) -> Tensor:
    source = _untyped(tensor, storage)
    return _set(tensor, source, 0, (source._size // tensor._dtype.itemsize,), None)


@ignores_device_mode
def _set_part(tensor: Tensor, storage: Any, offset: int, size: Any, stride: Any = None) -> Tensor:
    """Tensor.set_(storage, storage_offset, size, stride): set a storage and a view of it."""
    return _set(tensor, _untyped(tensor, storage), offset, size, stride)


def check_same_type(tensor: Tensor, source: Tensor) -> None:
    """Raise if set_() would change the dtype."""
    check(
        tensor._dtype is source._dtype,
        lambda: (
            f"Could not set tensor of type {cpp_type(source._dtype)} to a tensor of type"
            f" {cpp_type(tensor._dtype)}"
        ),
    )


@ignores_device_mode
def _set_tensor(tensor: Tensor, source: Tensor) -> Tensor:
    """Tensor.set_(source): set the storage and the geometry of another tensor."""
    check_same_type(tensor, source)
    if source is tensor:
        check_inplace(tensor)
        return record_write(tensor, (source,), "NotImplemented")
    geometry = source._geometry
    return _set(tensor, source._storage, source._offset, geometry.shape, geometry.stride, source)


@ignores_device_mode
def _set_part_of_tensor(
    tensor: Tensor, source: Tensor, offset: int, size: Any, stride: Any = None
) -> Tensor:
    check(
        source._geometry.is_contiguous,
        lambda: "passed in tensor to be used as storage must be contiguous",
    )
    return _set(tensor, source._storage, source._offset + offset, size, stride)


def _untyped(tensor: Tensor, storage: Any) -> UntypedStorage:
    if isinstance(storage, UntypedStorage):
        return storage
    dtype = storage.dtype
    check(
        dtype is tensor._dtype,
        lambda: (
            f"Expected a Storage of type {cpp_type(tensor._dtype)} or an"
            f" UntypedStorage, but got type {spec_of(dtype).cpp_name} for argument 1 'storage'"
        ),
    )
    return storage._untyped_storage  # type: ignore[no-any-return]


def _check_in_bounds(
    size: Any, stride: Any, itemsize: int, offset: int, storage: UntypedStorage
) -> None:
    needed = _needed_bytes(size, stride, itemsize, offset)
    if needed > storage._size:
        raise view_checks.out_of_bounds(size, stride or (), offset, itemsize, needed, storage._size)


def _set(
    tensor: Tensor, storage: UntypedStorage, offset: int, size: Any, stride: Any, *sources: Tensor
) -> Tensor:
    """Set the storage and geometry of a tensor; a storage may grow (ATen/native/Resize.h)."""
    check_inplace(tensor, *sources)
    geometry, itemsize = tensor._geometry, tensor._dtype.itemsize
    stride = stride or None  # contiguous strides by default
    check(
        stride is None or len(size) == len(stride),
        lambda: f"unequal size length ({len(size)}) and stride length ({len(stride)})",
    )
    check(offset >= 0, lambda: f"Tensor: invalid storage offset {offset}")
    # With unchanged sizes and strides torch does not resize the storage.
    keeps = size == geometry.shape and stride in (None, geometry.stride)
    if keeps and geometry.device is not META:
        _check_in_bounds(size, stride, itemsize, offset, storage)
    check(
        storage._device is geometry.device,
        lambda: (
            f'Attempted to set the storage of a tensor on device "{geometry.device}" to a storage'
            f' on different device "{storage._device}".  This is no longer allowed; the devices'
            " must match."
        ),
    )
    if storage._device is META:
        geometry = _set_on_meta(storage, offset, size, stride, itemsize)
    elif not keeps:
        geometry = _checked_geometry(size, stride)
        needed = _needed_bytes(size, stride, itemsize, offset)
        if needed > storage._size:
            resize(storage, needed)
    tensor._storage, tensor._offset = storage, offset
    set_geometry(tensor, geometry)
    tensor._array = None
    return record_write(tensor, sources, "NotImplemented")


def _set_on_meta(
    storage: UntypedStorage, offset: int, size: Any, stride: Any, itemsize: int
) -> Geometry:
    """Return the geometry, for which the storage grows (set_storage_meta__symint)."""
    if stride is None:
        stride = [*accumulate(size[:0:-1], mul, initial=1)][::-1] if size else ()
    geometry = _checked_geometry(size, tuple(stride))
    if geometry.is_contiguous:
        stride = geometry.stride
    needed = extents.as_int64(itemsize * extents.storage_size(size, stride, offset))
    if needed > storage._size:
        resize(storage, needed)
    return geometry


def _needed_bytes(size: Any, stride: Any, itemsize: int, offset: int) -> int:
    if stride is None:
        needed = extents.contiguous_bytes(size, itemsize, offset)
        return needed if 0 not in size else 0  # torch also checks the offset of an empty tensor
    return extents.strided_bytes(size, stride, itemsize, offset)


def _checked_geometry(size: tuple[int, ...], stride: tuple[int, ...] | None = None) -> Geometry:
    """Return a geometry; raise if it has too many elements.

    Torch multiplies in uint64, where -1 is huge.
    """
    extents.numel(tuple([length % 2**64 for length in size]))
    if stride is None:
        return dense(size)
    return strided(size, extents.replace_negative_strides(size, stride))


def _accept(geometry: Geometry, *bound: Any) -> None:
    """Accept all ranks."""


def _inplace(view_geometry: Any, node: str, check_on_meta: Callable[..., None] = _accept) -> Any:
    """Return an in-place operator that sets the geometry of a view."""

    def run(tensor: Tensor, *bound: Any) -> Tensor:
        check_inplace(tensor)
        geometry = tensor._geometry
        is_meta = geometry.device is META
        if is_meta:
            check_on_meta(geometry, *bound)
        try:
            shape, stride, _ = view_geometry(geometry.shape, geometry.stride, *bound)
        except view_checks.DeviceError as error:
            raise error.of(is_meta=True) from None
        if is_meta:
            strided_view(tensor, shape, stride, None, wraps=True)  # raises beyond the storage
        set_geometry(tensor, strided(shape, stride))
        record_inplace_view(tensor, node)
        return tensor

    run.__doc__ = f"{view_geometry.__doc__}  In place."
    return run


def _t(shape: Any, stride: Any) -> Any:
    check(
        len(shape) <= 2,
        lambda: f"t_() expects a tensor with <= 2 dimensions, but self is {len(shape)}D",
    )
    return view_shapes.t(shape, stride)


def _check_t_on_meta(geometry: Geometry) -> None:
    """Raise if a tensor on meta has too many dimensions (t_ in torch/_meta_registrations.py)."""
    rank = geometry.rank
    message = f"t_ expects a tensor with <= 2 dimensions, but self is {rank}D"
    check(rank <= 2, lambda: message, AssertionError)


def _as_strided_(tensor: Tensor, size: Any, stride: Any, storage_offset: int | None) -> Tensor:
    """Tensor.as_strided_(size, stride, storage_offset=None): set any view of the storage."""
    check_inplace(tensor)
    geometry, tensor._offset = strided_view(tensor, size, stride, storage_offset, wraps=True)
    set_geometry(tensor, geometry)
    tensor._array = None
    record_inplace_view(tensor, "AsStridedBackward1")
    return tensor


def _check_unsqueeze_on_meta(geometry: Geometry, dim: int) -> None:
    """Raise if the reference computes a stride beyond int64, for which it calls as_strided_."""
    dim = view_shapes.wrap_dim(dim, geometry.rank + 1)
    check(
        dim == geometry.rank or geometry.shape[dim] * geometry.stride[dim] <= extents.INT64_MAX,
        lambda: (
            f"as_strided_(): argument 'stride' failed to unpack the object at pos {dim + 1} with"
            ' error "Overflow when unpacking long long"'
        ),
        TypeError,
    )


_transpose_ = _inplace(view_shapes.transpose, "TransposeBackward1")
_PART = "SymInt storage_offset, SymIntArrayRef size, SymIntArrayRef stride=None"

for _op in (
    Op("resize_", {f"SymIntArrayRef size, {_FORMAT}": _resize_}, function=False),
    Op("resize_as_", {f"Tensor the_template, {_FORMAT}": through_clone(_resize_as_)}),
    Op(
        "set_",
        {
            "": _set_nothing,
            "Storage source": _set_storage,
            f"Storage source, {_PART}": _set_part,
            "Tensor source": _set_tensor,
            f"Tensor source, {_PART}": _set_part_of_tensor,
        },
        function=False,
    ),
    Op("t_", {"": _inplace(_t, "TBackward1", _check_t_on_meta)}, function=False),
    *(
        Op(f"{name}_", {parameters: _transpose_}, function=False)
        for name, parameters in TRANSPOSES.items()
    ),
    Op(
        "unsqueeze_",
        {
            "int64_t dim": _inplace(
                view_shapes.unsqueeze, "UnsqueezeBackward1", _check_unsqueeze_on_meta
            )
        },
        function=False,
    ),
    Op(
        "squeeze_",
        {
            "": _inplace(view_shapes.squeeze, "SqueezeBackward3"),
            "int64_t dim": through_clone(_inplace(view_shapes.squeeze, "SqueezeBackward4")),
            "IntArrayRef dim": through_clone(_inplace(view_shapes.squeeze, "SqueezeBackward5")),
        },
        function=False,
    ),
    Op(
        "as_strided_",
        {"SymIntArrayRef size, SymIntArrayRef stride, SymInt? storage_offset=None": _as_strided_},
    ),
):
    register_operator(_op)
