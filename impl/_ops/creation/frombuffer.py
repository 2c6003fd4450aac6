"""frombuffer: tensors over the memory of objects with Python's buffer protocol."""

from typing import Any

from ..._argparser.parser import Parser
from ..._arrays.foreign_memory import buffer_bytes
from ..._dtypes.table import as_dtype, dtype
from ..._geometry.geometry import dense
from ..._runtime.device_modes import without_device_mode
from ..._runtime.lazy_exports import PUBLIC
from ..._runtime.warnings import warn_once
from ..._storage.untyped_storage import storage_from_array
from ..._tensor.out_autograd import set_requires_grad_if
from ..._tensor.tensor import Tensor, new_tensor

_parse_frombuffer = Parser(
    "frombuffer(PyObject* buffer, *, ScalarType dtype, int64_t count=-1, int64_t offset=0,"
    " bool requires_grad=False)"
)


@without_device_mode
def frombuffer(*args: Any, **keywords: Any) -> Tensor:
    """frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False).

    Return a 1-dim tensor over the memory of an object with Python's buffer protocol.
    It has ``count`` elements from byte ``offset`` on; a negative ``count`` stands for all.
    """
    buffer, dtype, count, offset, grad = _parse_frombuffer(args, keywords)
    return set_requires_grad_if(tensor_over_buffer(buffer, as_dtype(dtype), count, offset), grad)


def tensor_over_buffer(buffer: Any, dtype: dtype, count: int, offset: int) -> Tensor:
    """Return a tensor of ``count`` elements of a buffer, or of all if ``count`` is negative."""
    array, is_writable = _bytes_of(buffer)
    if not is_writable:
        warn_once(_READ_ONLY_BUFFER)
    size, itemsize = array.size, dtype.itemsize
    _check_part(size, itemsize, count, offset)
    if count < 0:
        count = (size - offset) // itemsize
    part = array[offset : offset + count * itemsize]
    return new_tensor(storage_from_array(part, resizable=False), dense((count,)), 0, dtype)


def _bytes_of(buffer: Any) -> tuple[Any, bool]:
    try:
        return buffer_bytes(buffer)
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
    except (BufferError, ValueError):
        raise RuntimeError("could not retrieve buffer from object") from None


def _check_part(size: int, itemsize: int, count: int, offset: int) -> None:
    """Raise if a part is outside its buffer or is not a whole number of elements."""
    if size <= 0 or count == 0:
        raise ValueError(f"both buffer length ({size}) and count ({count}) must not be 0")
    if not 0 <= offset < size:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length"
            f" ({size} bytes) minus 1"
        )
    if count < 0 and (size - offset) % itemsize:
        raise ValueError(
            f"buffer length ({size - offset} bytes) after offset ({offset} bytes) must be a"
            f" multiple of element size ({itemsize})"
        )
    if offset + count * itemsize > size:
        raise ValueError(
            f"requested buffer length ({count} * {itemsize} bytes) after offset ({offset} bytes)"
            f" must not be greater than actual buffer length ({size} bytes)"
        )


_READ_ONLY_BUFFER = (
    "The given buffer is not writable, and PyTorch does not support non-writable tensors. This"
    " means you can write to the underlying (supposedly non-writable) buffer using the tensor. You"
    " may want to copy the buffer to protect its data or make it writable before converting it to a"
    " tensor. This type of warning will be suppressed for the rest of this program. (Triggered"
    " internally at /__w/pytorch/pytorch/torch/csrc/utils/tensor_new.cpp:1556.)"
)


def is_buffer(data: Any) -> bool:
    """Return whether data has the buffer protocol, even if it refuses access to its bytes."""
    try:
        memoryview(data)
    except TypeError:
        return False
    except (BufferError, ValueError):
        pass
    return True


PUBLIC["frombuffer"] = frombuffer
