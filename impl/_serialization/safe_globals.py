"""The globals that ``torch.load(weights_only=True)`` allows (torch/_weights_only_unpickler.py)."""

from _codecs import encode
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, NoReturn

from .._devices.device import device
from .._dtypes.table import DTYPES, dtype
from .._geometry.layout import _get_layout
from .._geometry.size import Size
from .._legacy.storage_types import CUDA_STORAGES, LEGACY_STORAGES
from .._legacy.tensor_types import CUDA_TENSORS, LEGACY_TENSORS
from .._runtime.errors import check
from .._runtime.lazy_exports import public_in
from .._storage.untyped_storage import UntypedStorage
from .._tensor.tensor import Tensor
from .._tensor.typed_storage import LEGACY_NAMES, TypedStorage
from .torch_names import REBUILD_FUNCTIONS, torch_name

BLOCKED_MODULES = ("sys", "os", "posix", "nt")
"""The modules whose functions are never allowed."""

_USER: set[Any] = set()
"""The globals that the user allows: objects, or pairs of an object and its name in files."""


@public_in("serialization")
def add_safe_globals(safe_globals: Iterable[Any]) -> None:
    """Allow globals in files: functions and classes, or pairs of one and its name in files."""
    _USER.update(set(safe_globals))


@public_in("serialization")
def get_safe_globals() -> list[Any]:
    """Return the globals that the user allows."""
    return [*_USER]


@public_in("serialization")
def clear_safe_globals() -> None:
    """Allow only the globals that are allowed by default."""
    _USER.clear()


@public_in("serialization")
class safe_globals:  # torch's name
    """A context in which further globals are allowed in files."""

    def __init__(self, safe_globals: Iterable[Any]) -> None:
        self.safe_globals = safe_globals

    def __enter__(self) -> None:
        add_safe_globals(self.safe_globals)

    def __exit__(self, type: Any, value: Any, tb: Any) -> None:
        _USER.difference_update(set(self.safe_globals))

    __init__.__qualname__ = "_safe_globals.__init__"  # the class that has it in torch


def user_globals() -> dict[str, Any]:
    """Return the globals that the user allows, by their names in files."""
    result = {}
    for item in _USER:
        if isinstance(item, tuple):
            check(
                len(item) == 2,
                lambda item=item: (  # type: ignore[misc]
                    "Expected tuple of length 2 (global, str of callable full path), but got tuple"
                    f" of length: {len(item)}"
                ),
                ValueError,
            )
            value, name = item
            check(
                type(name) is str,
                lambda name=name: (  # type: ignore[misc]
                    "Expected second item in tuple to be str of callable full path, but got:"
                    f" {type(name)}"
                ),
                TypeError,
            )
        else:
            value, name = item, ".".join(torch_name(str(item.__module__), item.__qualname__))
        result[name] = value
    return result


@public_in("serialization")
class StorageType:
    """The stand-in for a legacy storage class, which has a dtype."""

    def __init__(self, name: str) -> None:
        try:
            self._dtype = _STORAGE_DTYPES[name]
        except KeyError as error:
            raise KeyError(f'pickle storage type "{name}" is not recognized') from error

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self._dtype

    def __str__(self) -> str:
        return f"StorageType(dtype={self.dtype})"


_STORAGE_DTYPES = {name: dtype for dtype, name in LEGACY_NAMES.items()}


@cache
def allowed_globals() -> Mapping[str, Any]:
    """Return the globals that are allowed by default, by their names in files."""
    allowed: dict[str, Any] = {
        "collections.OrderedDict": OrderedDict,
        "collections.Counter": Counter,
        "torch.serialization._get_layout": _get_layout,
        "torch.Size": Size,
        "torch.Tensor": Tensor,
        "torch.nn.parameter.Parameter": Tensor,
        "torch.device": device,
        "_codecs.encode": encode,
        "builtins.bytearray": bytearray,
        "builtins.set": set,
        "builtins.complex": complex,
        "torch.storage.TypedStorage": TypedStorage,
        "torch.storage.UntypedStorage": UntypedStorage,
        **{str(each): each for each in DTYPES.values() if type(each) is dtype},
        **{f"torch.{name}": StorageType(name) for name in LEGACY_STORAGES},
        **{f"torch.cuda.{name}": StorageType(name) for name in CUDA_STORAGES},
        **{f"torch.{name}": cls for name, cls in LEGACY_TENSORS.items()},
        **{f"torch.cuda.{name}": cls for name, cls in CUDA_TENSORS.items()},
        **REBUILD_FUNCTIONS,
    }
    for name in _NOT_SUPPORTED:
        allowed[name] = _not_supported(name)
    return allowed


_NOT_SUPPORTED = (
    "torch._utils._rebuild_qtensor", "torch._utils._rebuild_nested_tensor",
    "torch._utils._rebuild_wrapper_subclass", "torch._utils._rebuild_device_tensor_from_numpy",
    "torch._utils._rebuild_device_tensor_from_cpu_tensor", "torch.per_tensor_affine",
    "torch.per_tensor_symmetric", "torch.per_channel_affine", "torch.per_channel_symmetric",
    "torch.per_channel_affine_float_qparams",
    *(
        f"torch.{module}.{name}"
        for module in ("sparse", "cuda.sparse")
        for name in LEGACY_TENSORS
        if name != "BoolTensor"
    ),
)  # fmt: skip
"""The globals that torch allows, but of which there is none here."""


def _not_supported(name: str) -> Callable[..., NoReturn]:
    def function(*args: Any) -> NoReturn:
        raise NotImplementedError(f"impl cannot load what {name} stands for yet")

    return function
