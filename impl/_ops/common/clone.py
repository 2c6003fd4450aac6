"""New tensors with the elements of others: their geometry, and clone."""

from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._arrays.parallel import PART
from ..._devices.device import CPU, META
from ..._dtypes.constants import COMPLEX32, FLOAT32
from ..._dtypes.table import ALL, Kind, dtype, spec_of
from ..._geometry import strides
from ..._geometry.geometry import Geometry, dense, on_device, strided
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
from ..._storage.untyped_storage import buffer, storage_from_array
from ..._tensor.data_access import check_cast, resolved_array, tensor_from_raw, write_raw_cast
from ..._tensor.factories import empty_with, format_strides, warn_of_complex32
from ..._tensor.tensor import Tensor, new_tensor, record_grad_fn


def like_geometry(tensor: Tensor, form: memory_format | None, dtype: dtype) -> Geometry:
    """Return the geometry of a new tensor like another, in a memory format, of a dtype.

    Raises what torch does where it cannot allocate such a tensor.
    """
    geometry = tensor._geometry
    if form is None or form is preserve_format:
        check(dtype not in _QUANTIZED, lambda: _NO_QUANTIZED_STRIDES)
        kept = geometry.cache.get("like")
        if kept is None:
            stride = strides.like(geometry.shape, geometry.stride)
            made = on_device(strided(geometry.shape, stride), geometry.device)
            kept = geometry.remember("like", made)
        return kept  # type: ignore[no-any-return]
    if dtype in _QUANTIZED:
        warn_once(_QUANTIZED_GOES)
    if form is contiguous_format:
        return on_device(dense(geometry.shape), geometry.device)
    if dtype is COMPLEX32 and len(geometry.shape) != _RANKS[form]:
        warn_of_complex32()  # torch allocates before it looks at the strides
    made = strided(geometry.shape, format_strides(geometry.shape, form) or ())
    return on_device(made, geometry.device)


_RANKS = {channels_last: 4, channels_last_3d: 5}
_QUANTIZED = frozenset(dtype for dtype in ALL if spec_of(dtype).kind is Kind.QUANTIZED)
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


def _copy_geometry(tensor: Tensor, form: memory_format | None, dtype: dtype) -> Geometry:
    """Return the geometry of a copy; refuse one of a quantized dtype as torch does.

    From ATen/native/quantized/Copy.cpp.
    """
    if (form is None or form is preserve_format) and dtype not in _QUANTIZED:
        kept = tensor._geometry.cache.get("like")
        if kept is not None:
            return kept  # type: ignore[no-any-return]
    geometry = like_geometry(tensor, form, dtype)
    if dtype in _QUANTIZED:
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
        no_quantizer(dtype)
    return geometry


def copied(tensor: Tensor, geometry: Geometry, dtype: dtype) -> Tensor:
    """Make a tensor of a geometry and dtype with the elements of another."""
    if tensor._geometry.device is META:
        return _copied_on_meta(tensor, geometry, dtype)
    if (
        geometry is tensor._geometry
        and geometry.device is CPU
        and not tensor._conj_neg
        and _is_dense(geometry)
    ):
        return _copied_as_it_lies(tensor, dtype)
    source = tensor._dtype
    if geometry.numel <= PART and geometry is dense(geometry.shape) and not SWITCHES.enabled:
        if dtype is COMPLEX32:
            warn_of_complex32()
        found = resolved_array(tensor)
        array = duplicate(found, dtype) if dtype is source else convert(found, source, dtype)
        return tensor_from_raw(np.asarray(array, order="C"), dtype)
    result = empty_with(geometry, dtype)
    write_raw_cast(result, resolved_array(tensor), source)
    return result


def _copied_on_meta(tensor: Tensor, geometry: Geometry, dtype: dtype) -> Tensor:
    """Make a tensor of a geometry and dtype that has no elements, as the other has none."""
    made = empty_with(geometry, dtype, META)
    if geometry.numel:
        check_applied(tensor._dtype, tensor._conj_neg)
    check_cast(made, tensor)
    return made


def _copied_as_it_lies(tensor: Tensor, dtype: dtype) -> Tensor:
    """Make a tensor of a dtype like one without gaps, in the order of its memory."""
    geometry, source, storage = tensor._geometry, tensor._dtype, tensor._storage
    if dtype is COMPLEX32:
        warn_of_complex32()
    flat, carried = storage._array, numpy_storage_dtype(source)
    if flat is None or flat.dtype is not carried or flat.size != geometry.numel:
        start = tensor._offset * source.itemsize
        flat = np.ndarray(geometry.numel, carried, buffer(storage), start)
    if not geometry.rank:
        flat = flat.reshape(())  # torch has other words for what it cannot convert then
    array = duplicate(flat, dtype) if dtype is source else convert(flat, source, dtype)
    # NumPy gives a number, not an array, for what has no dimensions.
    return new_tensor(
        storage_from_array(array if geometry.rank else np.asarray(array)), geometry, 0, dtype
    )


def _is_dense(geometry: Geometry) -> bool:
    """Tell whether there are elements, and they lie side by side in any order."""
    shape, stride = geometry.shape, geometry.stride
    return geometry.numel > 0 and strides.is_non_overlapping_and_dense(shape, stride)


def copied_like(tensor: Tensor, form: memory_format | None, dtype: dtype) -> Tensor:
    """Make a tensor of a memory format and dtype with the elements of another."""
    if (form is None or form is preserve_format) and dtype not in _QUANTIZED:
        geometry = tensor._geometry
        same = geometry.cache.get("as it lies")
        if same is None:
            same = (
                geometry.device is CPU
                and _is_dense(geometry)
                and like_geometry(tensor, form, dtype) is geometry
            )
            geometry.remember("as it lies", same)
        if same and not tensor._conj_neg:
            return _copied_as_it_lies(tensor, dtype)
    return copied(tensor, _copy_geometry(tensor, form, dtype), dtype)


def clone(tensor: Tensor, form: memory_format | None = None) -> Tensor:
    """clone(input, *, memory_format=torch.preserve_format): a copy with memory of its own."""
    result = copied_like(tensor, form, tensor._dtype)
    return record_grad_fn(result, (tensor,), "CloneBackward0", "CopyBackwards")


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
