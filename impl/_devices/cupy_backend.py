"""CUDA devices by CuPy: memory that they and the host reach alike, and kernels that LLVM makes (`compiled.gpu`).

What has a kernel runs on the device, which is waited for each time; all else is computed by NumPy in the
same memory, whose pages move to whoever touches them.  So nothing here is ever in two places.
"""

from contextlib import suppress
from importlib.util import find_spec
from typing import Any

from .._arrays.foreign_memory import borrow
from .._arrays.numpy_bridge import np
from .._runtime.c_types import PACKAGE
from .._runtime.lazy_import import LazyModule
from .cuda_backend import Backend, MemoryStats

_cupy: Any = LazyModule("cupy")
_gpu: Any = LazyModule(f"{PACKAGE}._codegen.ptx")

_BY_ITSELF = 4  # cudaMemcpyDefault: where memory is, the addresses tell
_LARGE = 2**20
"""From this many bytes on, new memory is moved to its device at once."""

_MOST_BLOCKS = 2**16


def found() -> Backend | None:
    """Return the devices that CuPy finds; None if it finds none, or cannot be loaded."""
    try:
        count = _cupy.cuda.runtime.getDeviceCount()
    except Exception:  # noqa: BLE001  # it raises errors of its own, of many kinds
        return None
    return CupyCuda(count) if count else None


class CupyCuda:
    """The CUDA devices of this machine: see `backends.Backend`."""

    def __init__(self, count: int) -> None:
        self.meters = [MemoryStats() for _ in range(count)]
        self._pool = _cupy.cuda.MemoryPool(_cupy.cuda.malloc_managed)
        self._functions: dict[tuple[int, str], Any] = {}
        self._has_compiler = find_spec("llvmlite") is not None

    def allocate(self, size: int, ordinal: int) -> tuple[int, Any]:
        """Return the address of new memory, and what keeps it."""
        try:
            with _cupy.cuda.Device(ordinal):
                pointer = self._pool.malloc(size)
        except _cupy.cuda.memory.OutOfMemoryError:
            raise MemoryError from None
        if size >= _LARGE:
            self._move(pointer.ptr, size, ordinal)
        return pointer.ptr, pointer

    def _move(self, address: int, size: int, ordinal: int) -> None:
        """Move pages to a device; where that cannot be asked for, they move when they are touched."""
        with suppress(_cupy.cuda.runtime.CUDARuntimeError):
            _cupy.cuda.runtime.memPrefetchAsync(address, size, ordinal, 0)

    def host_reads(self, address: int) -> bool:
        """Tell whether the host reaches memory: what it shares with devices, or its own."""
        found = _cupy.cuda.runtime.pointerGetAttributes(address)
        return bool(found.type != _cupy.cuda.runtime.memoryTypeDevice)

    def copy(self, target: Any, source: Any, ordinal: int) -> None:
        """Write the bytes of an array over those of another."""
        with _cupy.cuda.Device(ordinal):
            runtime = _cupy.cuda.runtime
            runtime.memcpy(_address(target), _address(source), target.nbytes, _BY_ITSELF)
        self.synchronise(ordinal)

    def run(self, kernel: Any, out: Any, inputs: tuple[Any, ...], ordinal: int) -> bool:
        """Let a device run a compiled kernel over arrays, and wait for it."""
        if not self._has_compiler:
            return False
        reached = [self._reached(np.asarray(each), ordinal) for each in inputs]
        for launch in _gpu.launches(kernel, out, reached):
            function = self._function(launch.text, ordinal)
            blocks = min(-(-launch.threads // _gpu.THREADS), _MOST_BLOCKS)
            arguments = tuple([np.int64(each) for each in launch.arguments])
            with _cupy.cuda.Device(ordinal):
                function((blocks,), (_gpu.THREADS,), arguments)
        self.synchronise(ordinal)
        return True

    def _reached(self, array: Any, ordinal: int) -> Any:
        """Return an array that a device reaches: itself, or a copy of one in the host's own memory."""
        address = _address(array)
        if _cupy.cuda.runtime.pointerGetAttributes(address).type != 0:
            return array
        with _cupy.cuda.Device(ordinal):
            pointer = self._pool.malloc(max(1, array.nbytes))
        array = np.ascontiguousarray(array)
        _cupy.cuda.runtime.memcpy(pointer.ptr, _address(array), array.nbytes, _BY_ITSELF)
        return borrow(pointer.ptr, array.nbytes, pointer).view(array.dtype).reshape(array.shape)

    def _function(self, text: str, ordinal: int) -> Any:
        """Return a kernel, made for a device when it is first wanted."""
        key = ordinal, text
        function = self._functions.get(key)
        if function is None:
            ptx = _gpu.ptx_of(text, self.capability(ordinal))
            with _cupy.cuda.Device(ordinal):
                module = _cupy.cuda.function.Module()
                module.load(ptx.encode())
                function = module.get_function(_gpu.NAME)
            self._functions[key] = function
        return function

    def pin(self, size: int) -> tuple[int, Any]:
        """Return the address of new memory of the host that devices read fast, and what keeps it."""
        pointer = _cupy.cuda.alloc_pinned_memory(size)
        return pointer.ptr, pointer

    def synchronise(self, ordinal: int) -> None:
        """Wait until a device has done all that it was told."""
        with _cupy.cuda.Device(ordinal) as device:
            device.synchronize()

    def empty_cache(self) -> None:
        """Give memory back that nothing lies in."""
        self._pool.free_all_blocks()

    def reserved(self, ordinal: int) -> int:
        """Return how many bytes are held of a device, used or not."""
        with _cupy.cuda.Device(ordinal):
            return int(self._pool.total_bytes())

    def memory_info(self, ordinal: int) -> tuple[int, int]:
        """Return how many bytes of a device are free, and how many there are."""
        with _cupy.cuda.Device(ordinal):
            free, total = _cupy.cuda.runtime.memGetInfo()
        return int(free), int(total)

    def name(self, ordinal: int) -> str:
        """Return what a device is called."""
        return str(_cupy.cuda.runtime.getDeviceProperties(ordinal)["name"].decode())

    def capability(self, ordinal: int) -> tuple[int, int]:
        """Return the compute capability of a device."""
        digits = str(_cupy.cuda.Device(ordinal).compute_capability)
        return int(digits[:-1]), int(digits[-1])


def _address(array: Any) -> int:
    return array.__array_interface__["data"][0]  # type: ignore[no-any-return]
