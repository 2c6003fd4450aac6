"""The kernels that join tensors, of which torch lacks some for opaque dtypes; their warnings.

They follow ATen/native/TensorShape.cpp and ATen/native/cpu/CatKernel.cpp.
"""

from ..._arrays.numpy_bridge import np
from ..._arrays.opaque_dtypes import check_copy
from ..._arrays.parallel import GRAIN_SIZE
from ..._devices.device import META, device
from ..._dtypes.constants import COMPLEX32
from ..._dtypes.table import dtype
from ..._geometry.layout import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    memory_format,
)
from ..._numerics.rounding import raise_not_implemented
from ..._tensor.allocation import warn_complex32
from ..._tensor.data_access import raw_array
from ..._tensor.tensor import Tensor
from ..common.clone import is_contiguous_in


def is_skipped(tensor: Tensor) -> bool:
    """Return whether a tensor has shape (0,), which cat skips for backward compatibility."""
    return tensor._geometry.shape == (0,)


def warn_of_conversions(tensors: tuple[Tensor, ...], dtype: dtype) -> None:
    """Warn of the tensors that the reference converts to complex32."""
    if dtype is COMPLEX32:
        _warn(sum(tensor._dtype is not COMPLEX32 for tensor in tensors))


def warn_of_results(tensors: tuple[Tensor, ...], dtype: dtype, device: device) -> None:
    """Warn of the complex32 results of the reference, of which it makes several."""
    if dtype is COMPLEX32:
        _warn(1 if all(map(is_skipped, tensors)) else 2 if device is META else 3)


def _warn(count: int) -> None:
    for _ in range(count):
        warn_complex32(by_reference=True)


def check_kernel(result: Tensor, tensors: tuple[Tensor, ...], dim: int) -> None:
    """Raise if torch has no kernel for an opaque dtype.

    It joins small contiguous tensors along the first dimension as bytes (CatKernel.cpp).
    """
    dtype, geometry = result._dtype, result._geometry
    if not geometry.numel:
        return
    is_stacked = all(x._geometry.rank < geometry.rank for x in tensors)  # a view of cat's result
    is_uniform = all(x._dtype is dtype and not is_skipped(x) for x in tensors)
    if is_uniform and geometry.numel < GRAIN_SIZE:
        if not dim and _are_contiguous(contiguous_format, result, *tensors):
            return
        joined = tensors if is_stacked else (result, *tensors)
        formats = contiguous_format, channels_last, channels_last_3d
        if dtype.is_floating_point and any(_are_contiguous(x, *joined) for x in formats):
            raise_not_implemented("cat_serial_kernel", dtype)
    start = 0
    for tensor in tensors:
        if is_skipped(tensor):
            continue
        end = start + (1 if is_stacked else tensor._geometry.shape[dim])
        part = raw_array(result)[(slice(None),) * dim + (slice(start, end),)]
        # Of an operand that it converts, torch copies a contiguous tensor.
        raw = np.ascontiguousarray(raw_array(tensor)).reshape(part.shape)
        check_copy(tensor._dtype, dtype, raw, part)
        start = end


def _are_contiguous(memory_format: memory_format, *tensors: Tensor) -> bool:
    return all(is_contiguous_in(tensor._geometry, memory_format) for tensor in tensors)
