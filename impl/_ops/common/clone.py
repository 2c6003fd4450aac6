"""New tensors with the elements of others: their geometry, and clone."""

from ..._arrays.numpy_bridge import carrier, np
from ..._arrays.parallel import PART
from ..._devices.device import CPU, META
from ..._dtypes.constants import COMPLEX32, FLOAT32
from ..._dtypes.table import ALL, Kind, dtype, row_of
from ..._geometry import strides
from ..._geometry.geometry import Geometry, dense, placed, strided
from ..._geometry.layout import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    memory_format,
    preserve_format,
)
from ..._numerics.cast import convert, duplicate
from ..._numerics.conj_neg import check_applied
from ..._numerics.deterministic import SWITCHES
from ..._numerics.encode_scalar import no_quantizer
from ..._runtime.errors import check
from ..._runtime.warnings import warn_once
from ..._storage.untyped_storage import adopt, buffer
from ..._tensor.data_access import check_conversion, from_codes, values, write_converted
from ..._tensor.factories import empty_with, format_strides, warn_of_complex32
from ..._tensor.tensor import Tensor, came_from, make


def like_geometry(tensor: Tensor, form: memory_format | None, kind: dtype) -> Geometry:
    """Return the geometry of a new tensor like another, in a memory format, of a dtype.

    Raises what torch does where it cannot allocate such a tensor.
    """
    geometry = tensor._geometry
    if form is None or form is preserve_format:
        check(kind not in _QUANTIZED, lambda: _NO_QUANTIZED_STRIDES)
        kept = geometry.plans.get("like")
        if kept is None:
            stride = strides.like(geometry.shape, geometry.stride)
            made = placed(strided(geometry.shape, stride), geometry.device)
            kept = geometry.keep("like", made)
        return kept  # type: ignore[no-any-return]
    if kind in _QUANTIZED:
        warn_once(_QUANTIZED_GOES)
    if form is contiguous_format:
        return placed(dense(geometry.shape), geometry.device)
    if kind is COMPLEX32 and len(geometry.shape) != _RANKS[form]:
        warn_of_complex32()  # torch allocates before it looks at the strides
    made = strided(geometry.shape, format_strides(geometry.shape, form) or ())
    return placed(made, geometry.device)


_RANKS = {channels_last: 4, channels_last_3d: 5}
_QUANTIZED = frozenset(kind for kind in ALL if row_of(kind).kind is Kind.QUANTIZED)
_NO_QUANTIZED_STRIDES = (
    "empty_strided not supported on quantized tensors yet see"
    " https://github.com/pytorch/pytorch/issues/74540"
)
_QUANTIZED_GOES = (
    "torch.quantize_per_tensor, torch.quantize_per_channel and other quantized tensor creation"
    " functions that produce tensors with dtype torch.quint8, torch.qint8, and torch.qint32 are"
    " deprecated and will be removed in a future PyTorch release. Please see"
    " https://github.com/pytorch/pytorch/issues/184982 for more information. (Triggered internally"
    " at /__w/pytorch/pytorch/aten/src/ATen/quantized/Quantizer.cpp:111.)"
)


def _copy_geometry(tensor: Tensor, form: memory_format | None, kind: dtype) -> Geometry:
    """Return the geometry of a copy; refuse one of a quantized dtype as torch does.

    From ATen/native/quantized/Copy.cpp.
    """
    if (form is None or form is preserve_format) and kind not in _QUANTIZED:
        kept = tensor._geometry.plans.get("like")
        if kept is not None:
            return kept  # type: ignore[no-any-return]
    geometry = like_geometry(tensor, form, kind)
    if kind in _QUANTIZED:
        check(
            tensor._dtype is FLOAT32,
            lambda: "Quantized copy only works with kFloat as source Tensor",
        )
        own = tensor._geometry
        check(
            any(
                is_in_format(own, each) and is_in_format(geometry, each)
                for each in (contiguous_format, channels_last)
            ),
            lambda: "Quantized copy only works with contiguous and NHWC Tensors",
        )
        no_quantizer(kind)
    return geometry


def copied(tensor: Tensor, geometry: Geometry, kind: dtype) -> Tensor:
    """Make a tensor of a geometry and dtype with the elements of another."""
    if tensor._geometry.device is META:
        return _copied_on_meta(tensor, geometry, kind)
    if (
        geometry is tensor._geometry
        and geometry.device is CPU
        and not tensor._lazy
        and _is_dense(geometry)
    ):
        return _copied_as_it_lies(tensor, kind)
    source = tensor._dtype
    if geometry.numel <= PART and geometry is dense(geometry.shape) and not SWITCHES.enabled:
        if kind is COMPLEX32:
            warn_of_complex32()
        found = values(tensor)
        array = duplicate(found, kind) if kind is source else convert(found, source, kind)
        return from_codes(np.asarray(array, order="C"), kind)
    result = empty_with(geometry, kind)
    write_converted(result, values(tensor), source)
    return result


def _copied_on_meta(tensor: Tensor, geometry: Geometry, kind: dtype) -> Tensor:
    """Make a tensor of a geometry and dtype that has no elements, as the other has none."""
    made = empty_with(geometry, kind, META)
    if geometry.numel:
        check_applied(tensor._dtype, tensor._lazy)
    check_conversion(made, tensor)
    return made


def _copied_as_it_lies(tensor: Tensor, kind: dtype) -> Tensor:
    """Make a tensor of a dtype like one without gaps, in the order of its memory."""
    geometry, source, storage = tensor._geometry, tensor._dtype, tensor._storage
    if kind is COMPLEX32:
        warn_of_complex32()
    flat, carried = storage._array, carrier(source)
    if flat is None or flat.dtype is not carried or flat.size != geometry.numel:
        start = tensor._offset * source.itemsize
        flat = np.ndarray(geometry.numel, carried, buffer(storage), start)
    if not geometry.rank:
        flat = flat.reshape(())  # torch has other words for what it cannot convert then
    array = duplicate(flat, kind) if kind is source else convert(flat, source, kind)
    # NumPy gives a number, not an array, for what has no dimensions.
    return make(adopt(array if geometry.rank else np.asarray(array)), geometry, 0, kind)


def _is_dense(geometry: Geometry) -> bool:
    """Tell whether there are elements, and they lie side by side in any order."""
    shape, stride = geometry.shape, geometry.stride
    return geometry.numel > 0 and strides.is_non_overlapping_and_dense(shape, stride)


def copied_like(tensor: Tensor, form: memory_format | None, kind: dtype) -> Tensor:
    """Make a tensor of a memory format and dtype with the elements of another."""
    if (form is None or form is preserve_format) and kind not in _QUANTIZED:
        geometry = tensor._geometry
        same = geometry.plans.get("as it lies")
        if same is None:
            same = (
                geometry.device is CPU
                and _is_dense(geometry)
                and like_geometry(tensor, form, kind) is geometry
            )
            geometry.keep("as it lies", same)
        if same and not tensor._lazy:
            return _copied_as_it_lies(tensor, kind)
    return copied(tensor, _copy_geometry(tensor, form, kind), kind)


def clone(tensor: Tensor, form: memory_format | None = None) -> Tensor:
    """clone(input, *, memory_format=torch.preserve_format): a copy with memory of its own."""
    result = copied_like(tensor, form, tensor._dtype)
    return came_from(result, (tensor,), "CloneBackward0", "CopyBackwards")


def contiguous_copy(tensor: Tensor) -> Tensor:
    """Return a contiguous copy that autograd knows nothing of."""
    return copied(tensor, _copy_geometry(tensor, contiguous_format, tensor._dtype), tensor._dtype)


def is_in_format(geometry: Geometry, form: memory_format) -> bool:
    """Tell whether a geometry is contiguous in a memory format."""
    if form is channels_last:
        return strides.is_channels_last(geometry.shape, geometry.stride)
    if form is channels_last_3d:
        return strides.is_channels_last_3d(geometry.shape, geometry.stride)
    return geometry.is_contiguous
