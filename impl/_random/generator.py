"""torch.Generator, the default generator, and the seeding functions."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, NoReturn, TypeVar

from .._argparser.parser import Parser
from .._argparser.types import is_long, register
from .._arrays.numpy_bridge import np
from .._devices.cuda_backend import active_backend, current_ordinal, require_cuda
from .._devices.device import CPU, as_device, device
from .._dtypes.constants import UINT8
from .._dtypes.cpp_names import TorchNamed
from .._runtime.c_types import PACKAGE
from .._runtime.errors import check, takes_no_arguments, type_name
from .._runtime.lazy_exports import public_in
from .._storage.storage_base import NO_ACCELERATOR
from .._tensor.data_access import raw_array, tensor_from_raw
from .._tensor.tensor import Tensor
from .mt19937 import MT19937Stream

_NAME = "torch._C.Generator"

_NO_BACKEND = {
    **{
        name: text.replace(f"initialize {name.upper()}", f"get {name.upper()} generator")
        for name, text in NO_ACCELERATOR.items()
    },
    "mps": "Cannot execute getNewGenerator() without MPS backend.",
    "mtia": "Cannot execute getNewGenerator() without MTIA backend.",
    "hpu": "Backend doesn`t support getNewGenerator()",
    "hip": "Backend doesn`t support getNewGenerator()",
}
"""Torch's messages for backends that it was built without (aten/src/ATen/Context.h and hooks)."""


class _Device(property):
    """The read-only attribute ``device``."""

    def __set__(self, instance: Any, value: Any) -> None:
        raise AttributeError(f"attribute 'device' of '{_NAME}' objects is not writable")

    def __delete__(self, instance: Any) -> None:
        self.__set__(instance, None)


_Method = TypeVar("_Method", bound=Callable[..., Any])


def _c_method(method: _Method) -> _Method:
    """Raise CPython's TypeError unless a C method gets its zero or one positional arguments."""
    name, count = method.__qualname__, method.__code__.co_argcount - 1

    @wraps(method)
    def wrapper(self: Any, *args: Any, **keywords: Any) -> Any:
        if keywords or (args and not count):
            takes_no_arguments(name, args, keywords)
        if len(args) != count:
            raise TypeError(f"{name}() takes exactly one argument ({len(args)} given)")
        return method(self, *args)

    return wrapper  # type: ignore[return-value]


class OpaqueBaseMeta(TorchNamed):
    """The metaclass of `Generator`, named as in torch/_opaque_base.py."""


class Generator(metaclass=OpaqueBaseMeta, called=_NAME):
    """Generator(device='cpu'): a random stream with its own state.

    >>> import impl as torch
    >>> torch.randint(10, (4,), generator=torch.Generator().manual_seed(0))
    tensor([4, 9, 3, 0])
    """

    __slots__ = ("_stream",)

    _stream: MT19937Stream

    device = _Device(lambda self: CPU)

    def __new__(cls, *args: Any, **keywords: Any) -> "Generator":
        """Create a generator with the default seed."""
        (device_arg,) = _parse(args, keywords)
        device_type = "cpu" if device_arg is None else device_arg.type
        if device_type == "cuda" and active_backend() is not None:
            raise NotImplementedError("impl has no generators on CUDA devices")
        if device_type != "cpu":
            no_accelerator = f"{device_type.upper()} device type not an accelerator."
            raise RuntimeError(_NO_BACKEND.get(device_type, no_accelerator))
        return _new_generator(cls, MT19937Stream())

    @_c_method
    def get_state(self) -> Tensor:
        """Return the state as a tensor of bytes."""
        return tensor_from_raw(np.frombuffer(bytearray(self._stream.get_state()), np.uint8), UINT8)

    @_c_method
    def set_state(self, new_state: Any) -> "Generator":
        """set_state(new_state): restore a state from `get_state`."""
        if not isinstance(new_state, Tensor):
            raise TypeError(f"expected a torch.ByteTensor, but got {type_name(new_state)}")
        check(new_state._dtype is UINT8, lambda: "RNG state must be a torch.ByteTensor", TypeError)
        check(new_state._geometry.is_contiguous, lambda: "RNG state must be contiguous")
        self._stream.set_state(raw_array(new_state).tobytes())
        return self

    @_c_method
    def clone_state(self) -> "Generator":
        """Return a new generator with the same state."""
        stream = MT19937Stream()
        stream.set_state(self._stream.get_state())
        return _new_generator(Generator, stream)

    @_c_method
    def graphsafe_get_state(self) -> NoReturn:
        """Raise: CPU generators have no graph-safe state."""
        raise NotImplementedError("graphsafe_get_state is not supported in this Generator")

    @_c_method
    def graphsafe_set_state(self, state: Any) -> NoReturn:
        """graphsafe_set_state(state): raise, as CPU generators have no graph-safe state."""
        if not isinstance(state, Generator):
            raise TypeError(f"expected a Generator, but got {type_name(state)}")
        raise NotImplementedError("graphsafe_set_state is not supported in this Generator")

    @_c_method
    def manual_seed(self, seed: Any) -> "Generator":
        """manual_seed(seed): set the seed, and return the generator."""
        self._stream.manual_seed(seed)
        return self

    @_c_method
    def seed(self) -> int:
        """Set a random seed of the operating system, and return it."""
        return self._stream.seed()

    @_c_method
    def initial_seed(self) -> int:
        """Return the current seed."""
        return self._stream.initial_seed()

    @_c_method
    def get_offset(self) -> NoReturn:
        """Raise: CPU generators have no offset."""
        raise RuntimeError("CPU Generator does not use offset")

    @_c_method
    def set_offset(self, offset: Any) -> NoReturn:
        """set_offset(offset): raise, as CPU generators have no offset."""
        check(
            is_long(offset), lambda: f"manual_offset expected a long, but got {type_name(offset)}"
        )
        check(-(2**63) <= offset < 2**64, lambda: "Overflow when unpacking long long", ValueError)
        raise RuntimeError("CPU Generator does not use offset")

    @_c_method
    def __reduce__(self) -> Any:
        """Return the device, the seed and the state for a pickle."""
        return Generator, (CPU,), (self.initial_seed(), None, self.get_state())

    @_c_method
    def __setstate__(self, state: Any) -> None:
        """Restore the seed and the state of a pickle."""
        seed, offset, rng_state = state
        self.manual_seed(seed)
        if offset is not None:
            self.set_offset(offset)
        self.set_state(rng_state)

    def __repr__(self) -> str:
        if type(self) is not Generator:
            return object.__repr__(self)
        return f"<{_NAME} object at {hex(id(self))}>"


# `copy` and `pickle` import it from here.
Generator.__module__ = PACKAGE

_parse = Parser("Generator(Device device=None)")
register("Generator", Generator)


def _new_generator(cls: Any, stream: MT19937Stream) -> Generator:
    new: Generator = object.__new__(cls)
    new._stream = stream
    return new


default_generator = Generator()
default_generator.seed()


def stream_of(generator: Generator | None, device: device = CPU) -> MT19937Stream:
    """Return the stream of a generator, by default of the default generator, for a device.

    Each CUDA device has its own stream, of the CPU's algorithm, but no generator.  A CPU generator
    is an error there, as in torch (aten/src/ATen/core/Generator.h).
    """
    if generator is None:
        return default_generator._stream if device.index is None else _cuda_stream(device.index)
    check(
        device is CPU,
        lambda: f"Expected a '{device.type}' device type for generator but found 'cpu'",
    )
    return generator._stream


_CUDA_STREAMS: dict[int, MT19937Stream] = {}
"""The streams of CUDA devices by index, created at the first draw."""


def _cuda_stream(ordinal: int) -> MT19937Stream:
    if ordinal not in _CUDA_STREAMS:
        seed_cuda(ordinal, default_generator.initial_seed())
    return _CUDA_STREAMS[ordinal]


def seed_cuda(ordinal: int, seed: int) -> None:
    """Seed the stream of a CUDA device."""
    generator = Generator()
    generator.manual_seed(seed)
    _CUDA_STREAMS[ordinal] = generator._stream


@public_in("random")
def manual_seed(seed: Any) -> Generator:
    """Seed the default generator and the CUDA streams, and return the default generator.

    >>> import impl as torch
    >>> torch.manual_seed(0) is torch.default_generator, torch.initial_seed()
    (True, 0)
    """
    _CUDA_STREAMS.clear()  # recreated with the new seed at the next draw
    return default_generator.manual_seed(int(seed))


@public_in("random")
def seed() -> int:
    """Seed the default generator from the operating system, and return the seed."""
    return default_generator.seed()


@public_in("random")
def initial_seed() -> int:
    """Return the seed of the default generator."""
    return default_generator.initial_seed()


@public_in("random")
def get_rng_state() -> Tensor:
    """Return the state of the default generator as a tensor of bytes."""
    return default_generator.get_state()


@public_in("random")
def set_rng_state(new_state: Tensor) -> None:
    """Restore a state of the default generator from `get_rng_state`."""
    default_generator.set_state(new_state)


@public_in("random")
@contextmanager
def fork_rng(
    devices: Any = None,
    enabled: bool = True,
    _caller: str = "fork_rng",
    _devices_kw: str = "devices",
    device_type: str | None = None,
) -> Iterator[None]:
    """Restore the state of the default generator, and of CUDA devices, at the end of the context.

    Without ``devices`` the streams of all CUDA devices are restored.
    """
    if device_type == "meta" or not enabled:
        yield
        return
    if devices is None:
        backend = active_backend()
        devices = range(0 if backend is None else len(backend.memory_stats))
    state, streams = get_rng_state(), [_stream_of_cuda(device) for device in devices]
    states = [stream.get_state() for stream in streams]
    try:
        yield
    finally:
        set_rng_state(state)
        for stream, kept in zip(streams, states, strict=True):
            stream.set_state(kept)


def _stream_of_cuda(place: Any) -> MT19937Stream:
    """Return the stream of a CUDA device, given as device, text or index."""
    require_cuda()
    index = as_device(place).index
    return _cuda_stream(current_ordinal() if index is None else index)


@public_in("random")
def thread_safe_generator() -> None:
    """Return the generator of a data loader thread, always None."""
