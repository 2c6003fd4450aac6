"""CUDA devices through CuPy: managed memory, and PTX kernels from LLVM (`impl._codegen.ptx`).

Compiled kernels run on the device, and the host waits for each of them.  NumPy computes everything
else in the same memory, whose pages move on access.  So no data is ever in two memories.
"""

from contextlib import suppress
from importlib.util import find_spec
from typing import Any

from .._arrays.foreign_memory import address_of, array_from_address
from .._arrays.numpy_bridge import np
from .._runtime.c_types import PACKAGE
from .._runtime.lazy_import import LazyModule
from .cuda_backend import Backend, MemoryStats

_cupy: Any = LazyModule("cupy")
_ptx: Any = LazyModule(f"{PACKAGE}._codegen.ptx")

_MEMCPY_DEFAULT = 4  # cudaMemcpyDefault: the direction follows from the addresses
_OUT_OF_MEMORY = 2  # cudaErrorMemoryAllocation
_PREFETCH_SIZE = 2**20
"""The size in bytes from which new memory is put on its device at once."""

_MAX_BLOCKS = 2**16
_MAX_NUMBERS = 2**10
"""The largest number of single elements that stay in device memory for later calls."""


def find_backend() -> Backend | None:
    """Return CuPy's devices; None if there are none, or CuPy cannot be loaded."""
    try:
        count = _cupy.cuda.runtime.getDeviceCount()
    except Exception:  # noqa: BLE001  # CuPy raises many errors of its own
        return None
    return CupyCuda(count) if count else None


def _new_memory(size: int) -> Any:
    """Return new managed memory; raise CUDA's error if the device has less free memory.

    Managed memory may be larger than that, but its pages then move at each use.
    """
    runtime = _cupy.cuda.runtime
    if size > runtime.memGetInfo()[0]:
        raise runtime.CUDARuntimeError(_OUT_OF_MEMORY)
    pointer = _cupy.cuda.malloc_managed(size)
    if size >= _PREFETCH_SIZE:
        # Without prefetching, pages move on access.  The pool keeps memory that was freed, and its
        # pages stay where they were used.
        with suppress(runtime.CUDARuntimeError):
            runtime.memPrefetchAsync(pointer.ptr, size, runtime.getDevice(), 0)
    return pointer


class CupyCuda(Backend):
    """The CUDA devices of this machine."""

    def __init__(self, count: int) -> None:
        self.memory_stats = [MemoryStats() for _ in range(count)]
        self._pool = _cupy.cuda.MemoryPool(_new_memory)
        self._functions: dict[tuple[int, str], Any] = {}
        self._numbers: dict[tuple[int, bytes], Any] = {}
        self._has_compiler = find_spec("llvmlite") is not None

    def allocate(self, size: int, ordinal: int) -> tuple[int, Any]:
        try:
            with _cupy.cuda.Device(ordinal):
                pointer = self._pool.malloc(size)
        except _cupy.cuda.memory.OutOfMemoryError:
            raise MemoryError from None
        return pointer.ptr, pointer

    def is_host_accessible(self, address: int) -> bool:
        attributes = _cupy.cuda.runtime.pointerGetAttributes(address)
        return bool(attributes.type != _cupy.cuda.runtime.memoryTypeDevice)

    def copy(self, target: Any, source: Any, ordinal: int) -> None:
        with _cupy.cuda.Device(ordinal):
            _cupy.cuda.runtime.memcpy(
                address_of(target), address_of(source), target.nbytes, _MEMCPY_DEFAULT
            )
        self.synchronize(ordinal)

    def run(self, kernel: Any, out: Any, inputs: tuple[Any, ...], ordinal: int) -> bool:
        if not self._has_compiler:
            return False
        arrays = [self._device_array(np.asarray(value), ordinal) for value in inputs]
        for launch in _ptx.launches(kernel, out, arrays):
            function = self._function(launch.text, ordinal)
            blocks = min(-(-launch.threads // _ptx.THREADS), _MAX_BLOCKS)
            arguments = tuple([np.int64(argument) for argument in launch.arguments])
            with _cupy.cuda.Device(ordinal):
                function((blocks,), (_ptx.THREADS,), arguments)
        self.synchronize(ordinal)
        return True

    def _device_array(self, array: Any, ordinal: int) -> Any:
        """Return the array, or a copy in device memory if it is in the host's own memory."""
        if _cupy.cuda.runtime.pointerGetAttributes(address_of(array)).type != 0:
            return array
        if array.size != 1:
            return self._copied(array, ordinal)
        key = ordinal, array.tobytes()
        number = self._numbers.get(key)
        if number is None:
            if len(self._numbers) >= _MAX_NUMBERS:
                self._numbers.clear()
            number = self._numbers[key] = self._copied(np.frombuffer(key[1], np.uint8), ordinal)
        return np.ndarray(array.shape, array.dtype, number)

    def _copied(self, array: Any, ordinal: int) -> Any:
        """Return a contiguous copy of an array in device memory."""
        with _cupy.cuda.Device(ordinal):
            pointer = self._pool.malloc(max(1, array.nbytes))
        array = np.ascontiguousarray(array)
        _cupy.cuda.runtime.memcpy(pointer.ptr, address_of(array), array.nbytes, _MEMCPY_DEFAULT)
        memory = array_from_address(pointer.ptr, array.nbytes, pointer)
        return memory.view(array.dtype).reshape(array.shape)

    def _function(self, text: str, ordinal: int) -> Any:
        key = ordinal, text
        function = self._functions.get(key)
        if function is None:
            ptx = _ptx.ptx_of(text, self.capability(ordinal))
            with _cupy.cuda.Device(ordinal):
                module = _cupy.cuda.function.Module()
                module.load(ptx.encode())
                function = module.get_function(_ptx.NAME)
            self._functions[key] = function
        return function

    def pin(self, size: int) -> tuple[int, Any]:
        pointer = _cupy.cuda.alloc_pinned_memory(size)
        return pointer.ptr, pointer

    def synchronize(self, ordinal: int) -> None:
        with _cupy.cuda.Device(ordinal) as device:
            device.synchronize()

    def empty_cache(self) -> None:
        self._pool.free_all_blocks()

    def reserved(self, ordinal: int) -> int:
        with _cupy.cuda.Device(ordinal):
            return int(self._pool.total_bytes())

    def memory_info(self, ordinal: int) -> tuple[int, int]:
        with _cupy.cuda.Device(ordinal):
            free, total = _cupy.cuda.runtime.memGetInfo()
        return int(free), int(total)

    def name(self, ordinal: int) -> str:
        return str(_cupy.cuda.runtime.getDeviceProperties(ordinal)["name"].decode())

    def capability(self, ordinal: int) -> tuple[int, int]:
        digits = str(_cupy.cuda.Device(ordinal).compute_capability)
        return int(digits[:-1]), int(digits[-1])
