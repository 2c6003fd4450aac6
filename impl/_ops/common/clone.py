"""Copies of tensors: their geometry, casts, and the clone operator."""

from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._arrays.parallel import BLOCK_ELEMENTS
from ..._devices.device import CPU, META, device
from ..._dtypes.constants import COMPLEX32, FLOAT32
from ..._dtypes.table import ALL_DTYPES, Kind, dtype, spec_of
from ..._geometry import extents, strides
from ..._geometry.geometry import Geometry, dense, on_device, strided
from ..._geometry.layout import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    memory_format,
    preserve_format,
)
from ..._numerics.cast import convert, copy_raw
from ..._numerics.deterministic import SWITCHES
from ..._numerics.encode_scalar import raise_no_quantizer
from ..._runtime.errors import check
from ..._runtime.warnings import is_python_frame, warn_once
from ..._storage.untyped_storage import storage_array, storage_from_array
from ..._tensor.allocation import empty_with, warn_complex32
from ..._tensor.data_access import resolved_array, tensor_from_raw, write_raw_cast
from ..._tensor.factories import format_strides
from ..._tensor.sparse_missing import could_not_run
from ..._tensor.tensor import Tensor, new_tensor
from ..._tensor.views import record_grad_fn


def empty_like_geometry(
    tensor: Tensor, memory_format: memory_format | None, dtype: dtype, device: device
) -> Geometry:
    """Return the geometry of an empty_like tensor, which is a reference for tensors on meta."""
    geometry = tensor._geometry
    is_reference = geometry.device is META and not geometry.is_sparse
    if memory_format not in (None, preserve_format):
        return like_geometry(tensor, memory_format, dtype)
    if dtype in _QUANTIZED and device is META:
        raise could_not_run("as_strided" if is_reference else "empty_strided", "QuantizedMeta")
    if not is_reference:
        return like_geometry(tensor, memory_format, dtype)
    if dtype in _QUANTIZED:
        raise_no_quantizer(dtype)
    stride = strides.by_reference(geometry.shape, ((geometry.shape, geometry.stride),))
    return on_device(strided(geometry.shape, stride), META)


def like_geometry(tensor: Tensor, memory_format: memory_format | None, dtype: dtype) -> Geometry:
    """Return the geometry of a dense copy of a tensor; raise if torch cannot allocate it."""
    geometry = tensor._geometry
    if memory_format is None or memory_format is preserve_format:
        if geometry.is_sparse:
            return on_device(dense(geometry.shape), geometry.device)
        check(dtype not in _QUANTIZED, lambda: _NO_QUANTIZED_STRIDES)
        cached = geometry.cache.get("like")
        if cached is None:
            stride = strides.like(geometry.shape, geometry.stride)
            result = on_device(strided(geometry.shape, stride), geometry.device)
            cached = geometry.remember("like", result)
        return cached  # type: ignore[no-any-return]
    if dtype in _QUANTIZED:
        warn_once(_QUANTIZED_DEPRECATED)
    if memory_format is contiguous_format:
        return on_device(dense(geometry.shape), geometry.device)
    if dtype is COMPLEX32 and len(geometry.shape) != _RANKS[memory_format]:
        warn_complex32()  # torch allocates before it checks the strides
    result = strided(geometry.shape, format_strides(geometry.shape, memory_format) or ())
    return on_device(result, geometry.device)


_RANKS = {channels_last: 4, channels_last_3d: 5}
_QUANTIZED = frozenset(dtype for dtype in ALL_DTYPES if spec_of(dtype).kind is Kind.QUANTIZED)
_NO_QUANTIZED_STRIDES = (
    "empty_strided not supported on quantized tensors yet see"
    " https://github.com/pytorch/pytorch/issues/74540"
)
_QUANTIZED_DEPRECATED = (
    "torch.quantize_per_tensor, torch.quantize_per_channel and other quantized tensor creation"
    " functions that produce tensors with dtype torch.quint8, torch.qint8, and torch.qint32 are"
    " deprecated and will be removed in a future PyTorch release. Please see"
    " https://github.com/pytorch/pytorch/issues/184982 for more information. (Triggered internally"
    " at /__w/pytorch/pytorch/aten/src/ATen/quantized/Quantizer.cpp:111.)"
)


def _copy_geometry(tensor: Tensor, memory_format: memory_format | None, dtype: dtype) -> Geometry:
    """Return the geometry of a copy; raise if torch has no copy to a quantized dtype.

    From ATen/native/quantized/Copy.cpp.
    """
    geometry = like_geometry(tensor, memory_format, dtype)
    if dtype in _QUANTIZED:
        check(
            tensor._dtype is FLOAT32,
            lambda: "Quantized copy only works with kFloat as source Tensor",
        )
        source = tensor._geometry
        check(
            any(
                is_contiguous_in(source, candidate) and is_contiguous_in(geometry, candidate)
                for candidate in (contiguous_format, channels_last)
            ),
            lambda: "Quantized copy only works with contiguous and NHWC Tensors",
        )
        raise_no_quantizer(dtype)
    return geometry


def new_copy(tensor: Tensor, geometry: Geometry, dtype: dtype) -> Tensor:
    """Return a new tensor of a geometry and dtype with the elements of ``tensor``."""
    if tensor._geometry.device is META:
        return empty_with(geometry, dtype, META)
    source_dtype = tensor._dtype
    if (
        0 < geometry.numel <= BLOCK_ELEMENTS
        and geometry is dense(geometry.shape)
        and not SWITCHES.enabled
    ):
        if dtype is COMPLEX32:
            warn_complex32()
        raw = resolved_array(tensor)
        array = copy_raw(raw, dtype) if dtype is source_dtype else convert(raw, source_dtype, dtype)
        return tensor_from_raw(np.asarray(array, order="C"), dtype)
    result = empty_with(geometry, dtype)
    write_raw_cast(result, resolved_array(tensor), source_dtype)
    return result


def _copied_in_memory_order(tensor: Tensor, dtype: dtype) -> Tensor:
    """Return a copy of a dense CPU tensor, cast in the order of its memory."""
    geometry, source_dtype, storage = tensor._geometry, tensor._dtype, tensor._storage
    if dtype is COMPLEX32:
        warn_complex32()
    flat, storage_dtype = storage._array, numpy_storage_dtype(source_dtype)
    if flat is None or flat.dtype is not storage_dtype or flat.size != geometry.numel:
        start = tensor._offset * source_dtype.itemsize
        flat = np.ndarray(geometry.numel, storage_dtype, storage_array(storage), start)
    if not geometry.rank:
        flat = flat.reshape(())  # the cast errors of 0-dim tensors differ
    array = copy_raw(flat, dtype) if dtype is source_dtype else convert(flat, source_dtype, dtype)
    # For a 0-dim array NumPy returns a scalar.
    array = array if geometry.rank else np.asarray(array)
    return new_tensor(storage_from_array(array), geometry, 0, dtype)


def is_dense(geometry: Geometry) -> bool:
    """Return whether a geometry has elements and is non-overlapping and dense."""
    shape, stride = geometry.shape, geometry.stride
    return geometry.numel > 0 and strides.is_non_overlapping_and_dense(shape, stride)


def copied_like(tensor: Tensor, memory_format: memory_format | None, dtype: dtype) -> Tensor:
    """Return a new tensor of a memory format and dtype with the elements of ``tensor``."""
    if (memory_format is None or memory_format is preserve_format) and dtype not in _QUANTIZED:
        geometry = tensor._geometry
        keeps_geometry = geometry.cache.get("as it lies")
        if keeps_geometry is None:
            keeps_geometry = (
                geometry.device is CPU
                and is_dense(geometry)
                and like_geometry(tensor, memory_format, dtype) is geometry
            )
            geometry.remember("as it lies", keeps_geometry)
        if keeps_geometry and not tensor._conj_neg:
            return _copied_in_memory_order(tensor, dtype)
        return new_copy(tensor, like_geometry(tensor, memory_format, dtype), dtype)
    return new_copy(tensor, _copy_geometry(tensor, memory_format, dtype), dtype)


def clone(tensor: Tensor, memory_format: memory_format | None = None) -> Tensor:
    """clone(input, *, memory_format=torch.preserve_format): return a copy."""
    geometry = tensor._geometry
    if not geometry.numel:
        extents.check_nonnegative(geometry.shape)
    if memory_format is contiguous_format:
        extents.contiguous_bytes(geometry.shape, tensor._dtype.itemsize)
    if is_cloned_by_reference(geometry, memory_format):
        result = _copied_by_reference(tensor, memory_format)
    else:
        result = copied_like(tensor, memory_format, tensor._dtype)
    return record_grad_fn(result, (tensor,), "CloneBackward0", "CopyBackwards")


def is_cloned_by_reference(geometry: Geometry, memory_format: memory_format | None = None) -> bool:
    """Return whether a reference makes a clone on meta, as it has not the strides of the tensor."""
    if geometry.device is not META:
        return False
    is_preserved = memory_format is None or memory_format is preserve_format
    shape, stride = geometry.shape, geometry.stride
    return not is_preserved or not strides.is_non_overlapping_and_dense(shape, stride)


@is_python_frame
def _copied_by_reference(tensor: Tensor, memory_format: memory_format | None) -> Tensor:
    """Return a copy on meta, of which a reference makes the tensor (empty_like)."""
    return copied_like(tensor, memory_format, tensor._dtype)


def contiguous_copy(tensor: Tensor) -> Tensor:
    """Return a contiguous copy without autograd metadata."""
    return new_copy(tensor, _copy_geometry(tensor, contiguous_format, tensor._dtype), tensor._dtype)


def is_contiguous_in(geometry: Geometry, memory_format: memory_format) -> bool:
    """Return whether a geometry is contiguous in a memory format."""
    if memory_format is channels_last:
        return strides.is_channels_last(geometry.shape, geometry.stride)
    if memory_format is channels_last_3d:
        return strides.is_channels_last_3d(geometry.shape, geometry.stride)
    return geometry.is_contiguous
