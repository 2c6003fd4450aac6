"""torch.Generator, the default one, and the functions that seed it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from .._argparser.parser import Parser
from .._argparser.types import is_long, register
from .._arrays.numpy_bridge import np
from .._devices.cuda_backend import cuda
from .._devices.device import CPU, device
from .._dtypes.constants import UINT8
from .._dtypes.cpp_names import TorchNamed
from .._runtime.c_types import PACKAGE
from .._runtime.errors import check, takes_no_arguments, type_name
from .._runtime.lazy_exports import public_in
from .._tensor.data_access import raw_array, tensor_from_raw
from .._tensor.tensor import Tensor
from .mt19937 import Stream

_NAME = "torch._C.Generator"

_NOT_BUILT = {
    "cuda": (
        "Cannot get CUDA generator without ATen_cuda library. PyTorch splits its backend into two"
        " shared libraries: a CPU library and a CUDA library; this error has occurred because you"
        " are trying to use some CUDA functionality, but the CUDA library has not been loaded by"
        " the dynamic linker for some reason.  The CUDA library MUST be loaded, EVEN IF you don't"
        " directly use any symbols from the CUDA library! One common culprit is a lack of"
        " -Wl,--no-as-needed in your link arguments; many dynamic linkers will delete dynamic"
        " library dependencies if you don't depend on any of their symbols.  You can check if this"
        " has occurred by using ldd on your binary to see if there is a dependency on *_cuda.so"
        " library."
    ),
    "xla": (
        "Cannot get XLA generator without torch_xla library. This error has occurred because you"
        " are trying to use some XLA functionality, but the XLA library has not been loaded by the"
        " dynamic linker. You must load xla libraries by `import torch_xla`"
    ),
    "xpu": "Cannot get XPU generator without ATen_xpu library.",
    "mps": "Cannot execute getNewGenerator() without MPS backend.",
    "mtia": "Cannot execute getNewGenerator() without MTIA backend.",
    "hpu": "Backend doesn`t support getNewGenerator()",
    "hip": "Backend doesn`t support getNewGenerator()",
    "privateuseone": (
        "Please register PrivateUse1HooksInterface by `RegisterPrivateUse1HooksInterface` first."
    ),
}
"""What torch says of devices that it was not built for (aten/src/ATen/Context.h and its hooks)."""


class _Device:
    """The attribute ``device``, which cannot be set."""

    def __get__(self, instance: "Generator | None", owner: type) -> Any:
        return self if instance is None else CPU

    def __set__(self, instance: Any, value: Any) -> None:
        raise AttributeError(f"attribute 'device' of '{_NAME}' objects is not writable")

    def __delete__(self, instance: Any) -> None:
        self.__set__(instance, None)


def _no_arguments(method: Callable[[Any], Any]) -> Any:
    """Make a method to which CPython lets nothing be given."""
    name = method.__name__

    def called(self: "Generator", *args: Any, **keywords: Any) -> Any:
        if args or keywords:
            takes_no_arguments(f"Generator.{name}", args, keywords)
        return method(self)

    return _like(called, method)


def _one_argument(method: Callable[[Any, Any], Any]) -> Any:
    """Make a method with one argument that has no name."""
    name = method.__name__

    def called(self: "Generator", *args: Any, **keywords: Any) -> Any:
        if keywords:
            raise TypeError(f"Generator.{name}() takes no keyword arguments")
        if len(args) != 1:
            raise TypeError(f"Generator.{name}() takes exactly one argument ({len(args)} given)")
        return method(self, args[0])

    return _like(called, method)


def _like(function: Any, template: Any) -> Any:
    function.__name__, function.__qualname__ = template.__name__, template.__qualname__
    function.__doc__ = template.__doc__
    return function


class OpaqueBaseMeta(TorchNamed):
    """The metaclass of `Generator`, called as in torch/_opaque_base.py."""


class Generator(metaclass=OpaqueBaseMeta, called=_NAME):
    """Generator(device='cpu'): a stream of random numbers with a state of its own.

    >>> import impl as torch
    >>> torch.randint(10, (4,), generator=torch.Generator().manual_seed(0))
    tensor([4, 9, 3, 0])
    """

    __slots__ = ("_stream",)

    _stream: Stream

    device = _Device()

    def __new__(cls, *args: Any, **keywords: Any) -> "Generator":
        """Make a generator, which is seeded as all new ones are."""
        (place,) = _parse(args, keywords)
        if place is not None and place.type != "cpu":
            _refuse(place)
        return _make(cls, Stream())

    @_no_arguments
    def get_state(self) -> Tensor:
        """Return the state as a tensor of bytes."""
        return tensor_from_raw(np.frombuffer(bytearray(self._stream.get_state()), np.uint8), UINT8)

    @_one_argument
    def set_state(self, new_state: Any) -> "Generator":
        """set_state(new_state): continue from a state that `get_state` returned."""
        if not isinstance(new_state, Tensor):
            raise TypeError(f"expected a torch.ByteTensor, but got {type_name(new_state)}")
        check(new_state._dtype is UINT8, lambda: "RNG state must be a torch.ByteTensor", TypeError)
        check(new_state._geometry.is_contiguous, lambda: "RNG state must be contiguous")
        self._stream.set_state(raw_array(new_state).tobytes())
        return self

    @_no_arguments
    def clone_state(self) -> "Generator":
        """Return a new generator that goes on from the same state."""
        copy = Stream()
        copy.set_state(self._stream.get_state())
        return _make(Generator, copy)

    @_no_arguments
    def graphsafe_get_state(self) -> NoReturn:
        """Raise: a generator of the CPU has none."""
        raise NotImplementedError("graphsafe_get_state is not supported in this Generator")

    @_one_argument
    def graphsafe_set_state(self, state: Any) -> NoReturn:
        """graphsafe_set_state(state): raise: a generator of the CPU has none."""
        if not isinstance(state, Generator):
            raise TypeError(f"expected a Generator, but got {type_name(state)}")
        raise NotImplementedError("graphsafe_set_state is not supported in this Generator")

    @_one_argument
    def manual_seed(self, seed: Any) -> "Generator":
        """manual_seed(seed): start anew from a seed, and return the generator."""
        self._stream.manual_seed(seed)
        return self

    @_no_arguments
    def seed(self) -> int:
        """Start anew from a seed of the system's own randomness, and return it."""
        return self._stream.seed()

    @_no_arguments
    def initial_seed(self) -> int:
        """Return the seed that the generator was started from."""
        return self._stream.initial_seed()

    @_no_arguments
    def get_offset(self) -> NoReturn:
        """Raise: a generator of the CPU has none."""
        raise RuntimeError("CPU Generator does not use offset")

    @_one_argument
    def set_offset(self, offset: Any) -> NoReturn:
        """set_offset(offset): raise: a generator of the CPU has none."""
        check(
            is_long(offset), lambda: f"manual_offset expected a long, but got {type_name(offset)}"
        )
        check(-(2**63) <= offset < 2**64, lambda: "Overflow when unpacking long long", ValueError)
        raise RuntimeError("CPU Generator does not use offset")

    @_no_arguments
    def __reduce__(self) -> Any:
        """Return what a pickle holds: the device, the seed and the state."""
        return Generator, (CPU,), (self.initial_seed(), None, self.get_state())

    @_one_argument
    def __setstate__(self, state: Any) -> None:
        """Take what a pickle holds."""
        seed, offset, bits = state
        self.manual_seed(seed)
        if offset is not None:
            self.set_offset(offset)
        self.set_state(bits)

    def __repr__(self) -> str:
        if type(self) is not Generator:
            return object.__repr__(self)
        return f"<{_NAME} object at {hex(id(self))}>"


# `copy` and `pickle` look for it here.
Generator.__module__ = PACKAGE

_parse = Parser("Generator(Device device=None)")
register("Generator", Generator)


def _make(cls: Any, stream: Stream) -> Generator:
    new: Generator = object.__new__(cls)
    new._stream = stream
    return new


def _refuse(place: device) -> NoReturn:
    if place.type == "cuda" and cuda() is not None:
        raise NotImplementedError("impl has no generators on CUDA devices")
    raise RuntimeError(
        _NOT_BUILT.get(place.type, f"{place.type.upper()} device type not an accelerator.")
    )


default_generator = Generator()
default_generator.seed()


def stream_of(generator: Generator | None, device: device = CPU) -> Stream:
    """Return the stream of a generator for a device; without one, that of the default generator.

    Each CUDA device has a stream of its own, which draws as the CPU's do, and no generator; one of the
    CPU's is refused there, as in torch (aten/src/ATen/core/Generator.h).
    """
    if generator is None:
        return default_generator._stream if device.index is None else _cuda_stream(device.index)
    check(
        device is CPU,
        lambda: f"Expected a '{device.type}' device type for generator but found 'cpu'",
    )
    return generator._stream


_CUDA_STREAMS: dict[int, Stream] = {}
"""The streams of CUDA devices, by their ordinals, as soon as something is drawn there."""


def _cuda_stream(ordinal: int) -> Stream:
    if ordinal not in _CUDA_STREAMS:
        seed_cuda(ordinal, default_generator.initial_seed())
    return _CUDA_STREAMS[ordinal]


def seed_cuda(ordinal: int, seed: int) -> None:
    """Let what is drawn on a CUDA device begin from a seed."""
    generator = Generator()
    generator.manual_seed(seed)
    _CUDA_STREAMS[ordinal] = generator._stream


def manual_seed(seed: Any) -> Generator:
    """Seed the default generator, and what is drawn on CUDA devices, and return the former.

    >>> import impl as torch
    >>> torch.manual_seed(0) is torch.default_generator, torch.initial_seed()
    (True, 0)
    """
    _CUDA_STREAMS.clear()  # they begin anew from the seed
    return default_generator.manual_seed(int(seed))  # type: ignore[no-any-return]


def seed() -> int:
    """Seed the default generator from the system's own randomness, and return the seed."""
    return default_generator.seed()  # type: ignore[no-any-return]


def initial_seed() -> int:
    """Return the seed that the default generator was started from."""
    return default_generator.initial_seed()  # type: ignore[no-any-return]


def get_rng_state() -> Tensor:
    """Return the state of the default generator as a tensor of bytes."""
    return default_generator.get_state()  # type: ignore[no-any-return]


def set_rng_state(new_state: Tensor) -> None:
    """Let the default generator continue from a state that `get_rng_state` returned."""
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
    """Put the default generator back, at the end of a with statement, to where it was."""
    if device_type == "meta" or not enabled:
        yield
        return
    state = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(state)


def thread_safe_generator() -> None:
    """Return the generator of a thread that loads data: there are none."""
