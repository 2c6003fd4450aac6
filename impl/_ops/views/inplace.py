"""The operators that give a tensor itself another geometry or another storage."""

from typing import Any

from ..._autograd.autograd_meta import count_write
from ..._autograd.tracking import check_writable, note_own_view
from ..._dtypes.cpp_names import cpp_type
from ..._dtypes.table import spec_of
from ..._geometry import (
    extents,
    strides,
    view_dtypes,
    view_shapes,
)
from ..._geometry.geometry import Geometry, dense, strided
from ..._geometry.layout import memory_format, preserve_format
from ..._runtime.errors import check
from ..._runtime.warnings import ignores_device_mode
from ..._storage.untyped_storage import UntypedStorage, new_storage, resize
from ..._tensor.factories import fill_new_part, format_strides
from ..._tensor.out_autograd import check_resizable
from ..._tensor.tensor import Tensor, set_geometry
from ..common.conj_neg_fallback import resolved, through_clone
from ..common.copy import written
from ..common.registration import Op, install

_FORMAT = "*, MemoryFormat? memory_format=None"


def _fit(tensor: Tensor, geometry: Geometry, size: int) -> None:
    """Give a tensor a geometry; its storage grows to ``size`` bytes if it is smaller."""
    before, numel = tensor._storage._size, tensor._geometry.numel
    grows = geometry.numel and size > before
    if grows:
        resize(tensor._storage, size)
    set_geometry(tensor, geometry)
    if grows and numel != geometry.numel:
        fill_new_part(tensor, before)


def _resize_(tensor: Tensor, size: tuple[int, ...], form: memory_format | None) -> Tensor:
    """Tensor.resize_(*size): make the tensor a contiguous one of a size; elements stay where they lie."""
    check_resizable(tensor)
    if tensor._geometry.shape != size:
        geometry = _dense(size)
        needed = extents.contiguous_bytes(
            (extents.numel(size) + tensor._offset,), tensor._dtype.itemsize
        )
        _fit(tensor, geometry, needed)
        count_write(tensor)
    if form is not None:
        check(form is not preserve_format, lambda: "Unsupported memory formatPreserve")
        stride = format_strides(size, form)
        set_geometry(tensor, dense(size) if stride is None else strided(size, stride))
    return tensor


def _dense(size: tuple[int, ...]) -> Geometry:
    _check_numel(size)
    return dense(size)


def _resize_as_(tensor: Tensor, template: Tensor, form: memory_format | None) -> Tensor:
    """Tensor.resize_as_(other): resize the tensor to the size of another."""
    check_resizable(tensor, template)
    template = resolved(template)
    shape, stride = template._geometry.shape, template._geometry.stride
    _resize_(tensor, shape, None)
    if form is preserve_format:
        name = strides.suggested_format(shape, stride)
        made = getattr(strides, name)(shape) if name != "contiguous_format" else None
        set_geometry(tensor, dense(shape) if made is None else strided(shape, made))
        return tensor
    return _resize_(tensor, shape, form)


def _set_nothing(tensor: Tensor) -> Tensor:
    """Tensor.set_(): give the tensor an empty storage of its own."""
    return _set(tensor, new_storage(0, tensor._storage._device), 0, (0,), None)


@ignores_device_mode
def _set_storage(tensor: Tensor, storage: Any) -> Tensor:
    """Tensor.set_(storage): let the tensor show all of a storage."""
    return _set_whole(tensor, storage)


@through_clone
def _set_whole(tensor: Tensor, storage: Any) -> Tensor:
    source = _untyped(tensor, storage)
    return _set(tensor, source, 0, (source._size // tensor._dtype.itemsize,), None)


@ignores_device_mode
def _set_part(tensor: Tensor, storage: Any, offset: int, size: Any, stride: Any = None) -> Tensor:
    """Tensor.set_(storage, storage_offset, size, stride): let the tensor show part of a storage."""
    return _set(tensor, _untyped(tensor, storage), offset, size, stride)


@ignores_device_mode
def _set_tensor(tensor: Tensor, source: Tensor) -> Tensor:
    """Tensor.set_(source): let the tensor be the same view of the same storage as another."""
    _check_type(tensor, source)
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
    return _set(tensor, source._storage, source._offset + offset, size, stride, source)


def _check_type(tensor: Tensor, source: Tensor) -> None:
    names = [cpp_type(each._dtype) for each in (source, tensor)]
    check(
        tensor._dtype is source._dtype,
        lambda: f"Could not set tensor of type {names[0]} to a tensor of type {names[1]}",
    )


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


def _set(
    tensor: Tensor, storage: UntypedStorage, offset: int, size: Any, stride: Any, *sources: Tensor
) -> Tensor:
    """Let a tensor show part of a storage, which grows if it has to (ATen/native/Resize.h)."""
    check_writable(tensor, *sources)
    geometry, itemsize = tensor._geometry, tensor._dtype.itemsize
    check(
        stride is None or len(size) == len(stride),
        lambda: f"unequal size length ({len(size)}) and stride length ({len(stride)})",
    )
    check(offset >= 0, lambda: f"Tensor: invalid storage offset {offset}")
    check(
        storage._device is geometry.device,
        lambda: (
            f'Attempted to set the storage of a tensor on device "{geometry.device}" to a storage on'
            f' different device "{storage._device}".  This is no longer allowed; the devices must'
            " match."
        ),
    )
    if size == geometry.shape and stride in (None, geometry.stride):
        # What does not change is not resized, so it has to fit.
        needed = extents.strided_bytes(geometry.shape, geometry.stride, itemsize, offset)
        check(
            needed <= storage._size,
            lambda: (
                f"setStorage: sizes {[*size]}, strides {[*(stride or ())]}, storage offset"
                f" {offset}, and itemsize {itemsize} requiring a storage size of {needed} are out"
                f" of bounds for storage of size {storage._size}"
            ),
        )
    else:
        new = _dense(size) if stride is None else _strided(size, stride)
        steps = new.stride if stride is None else stride
        needed = extents.strided_bytes(new.shape, steps, itemsize, offset)
        if needed > storage._size:
            resize(storage, needed)
        geometry = new
    tensor._storage, tensor._offset = storage, offset
    set_geometry(tensor, geometry)
    tensor._array = None
    return written(tensor, sources, "NotImplemented")


def _strided(size: tuple[int, ...], stride: tuple[int, ...]) -> Geometry:
    _check_numel(size)
    return strided(size, extents.replace_negative_strides(size, stride))


def _check_numel(size: tuple[int, ...]) -> None:
    """Raise if there are too many elements; torch counts in uint64, where -1 is very many."""
    extents.numel(tuple([each % 2**64 for each in size]))


def _changing(change: Any, node: str) -> Any:
    """Make an operator that gives a tensor itself the geometry of a view."""

    def run(tensor: Tensor, *bound: Any) -> Tensor:
        check_writable(tensor)
        geometry = tensor._geometry
        shape, stride, offset = change(geometry.shape, geometry.stride, *bound)
        set_geometry(tensor, strided(shape, stride))
        tensor._offset += offset
        note_own_view(tensor, node)
        return tensor

    run.__doc__ = f"{change.__doc__}  In place."
    return run


def _t(shape: Any, stride: Any) -> Any:
    """Return a matrix transposed."""
    check(
        len(shape) <= 2,
        lambda: f"t_() expects a tensor with <= 2 dimensions, but self is {len(shape)}D",
    )
    return view_shapes.t(shape, stride)


def _as_strided_(tensor: Tensor, size: Any, stride: Any, storage_offset: int | None) -> Tensor:
    """Tensor.as_strided_(size, stride, storage_offset=None): be any view that the storage holds."""
    check_writable(tensor)
    shape, steps, offset = view_dtypes.as_strided(
        size, stride, storage_offset,
        storage_bytes=tensor._storage._size,
        itemsize=tensor._dtype.itemsize,
        current_offset=tensor._offset,
    )  # fmt: skip
    set_geometry(tensor, strided(shape, steps))
    tensor._offset = offset
    tensor._array = None
    note_own_view(tensor, "AsStridedBackward1")
    return tensor


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
    Op("t_", {"": _changing(_t, "TBackward1")}, function=False),
    Op(
        "transpose_",
        {"int64_t dim0, int64_t dim1": _changing(view_shapes.transpose, "TransposeBackward1")},
        function=False,
    ),
    Op(
        "swapaxes_",
        {"int64_t axis0, int64_t axis1": _changing(view_shapes.transpose, "TransposeBackward1")},
        function=False,
    ),
    Op(
        "swapdims_",
        {"int64_t dim0, int64_t dim1": _changing(view_shapes.transpose, "TransposeBackward1")},
        function=False,
    ),
    Op(
        "unsqueeze_",
        {"int64_t dim": _changing(view_shapes.unsqueeze, "UnsqueezeBackward1")},
        function=False,
    ),
    Op(
        "squeeze_",
        {
            "": _changing(view_shapes.squeeze, "SqueezeBackward3"),
            "int64_t dim": through_clone(_changing(view_shapes.squeeze, "SqueezeBackward4")),
            "IntArrayRef dim": through_clone(_changing(view_shapes.squeeze, "SqueezeBackward5")),
        },
        function=False,
    ),
    Op(
        "as_strided_",
        {"SymIntArrayRef size, SymIntArrayRef stride, SymInt? storage_offset=None": _as_strided_},
    ),
):
    install(_op)
