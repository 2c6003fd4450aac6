"""An executable specification of PyTorch's tensor attributes: ``import impl as torch``.

The public names, results and errors are torch's.  Importing this package loads only
the dtypes.  The other modules and NumPy are loaded on first use, and torch never is.
"""

from math import e, inf, nan, pi
from types import FunctionType as _FunctionType

from ._dtypes.table import DTYPES, dtype
from ._runtime import export_table as _export_table, lazy_exports as _lazy_exports

newaxis = None

# Programs look for dtypes in vars(torch).
globals().update(DTYPES)

_SUBMODULES = (
    "_C", "accelerator", "autograd", "backends", "cpu", "cuda", "distributed", "fft", "linalg",
    "mps", "mtia", "nn", "overrides", "random", "return_types", "serialization", "sparse",
    "storage", "testing", "torch_version", "types", "utils", "version", "xpu",
)  # fmt: skip

_ALONE = {"__version__": "torch_version", "as_torch": "_runtime.stand_in"}
"""The names that are read without loading the others, and their modules."""

_NAMES = {
    "_accelerators.host": (
        "get_device_module get_float32_matmul_precision get_num_interop_threads get_num_threads"
        " set_float32_matmul_precision set_flush_denormal set_num_interop_threads set_num_threads"
    ),
    "_devices.cuda_backend": "AcceleratorError OutOfMemoryError",
    "_autograd.grad_mode": (
        "enable_grad inference_mode is_grad_enabled is_inference_mode_enabled no_grad"
        " set_grad_enabled"
    ),
    "_dtypes.default_dtype": "get_default_dtype set_default_dtype",
    "_numerics.deterministic": (
        "are_deterministic_algorithms_enabled get_deterministic_debug_mode"
        " is_deterministic_algorithms_warn_only_enabled set_deterministic_debug_mode"
        " use_deterministic_algorithms"
    ),
    "_devices.availability": "get_default_device set_default_device",
    "_devices.device": "device",
    "_tensor.factories": "empty empty_permuted empty_strided full ones zeros",
    "_random.generator": (
        "Generator default_generator get_rng_state initial_seed manual_seed seed set_rng_state"
    ),
    "_geometry.layout": "layout memory_format",
    "_overrides.guards": "DisableTorchFunction DisableTorchFunctionSubclass",
    "_legacy.tensor_types": "set_default_tensor_type",
    "_legacy.storage_types": "is_storage",
    "_numerics.type_info": "finfo iinfo",
    "_ops.views.split_broadcast": "broadcast_shapes broadcast_tensors is_tensor split",
    "_ops.searching.unique": "unique unique_consecutive",
    "_ops.searching.unravel_index": "unravel_index",
    "_ops.common.result_type": "result_type",
    "_tensor.printing": "set_printoptions",
    "_numerics.promotion": "can_cast promote_types",
    "_geometry.size": "Size",
    "_serialization.loading": "load",
    "_serialization.saving": "save",
    "_storage.untyped_storage": "UntypedStorage",
    "_tensor.tensor": "Tensor",
    "_tensor.type_names": "typename",
    "_tensor.typed_storage": "TypedStorage",
    "_runtime.warnings": "is_warn_always_enabled set_warn_always",
}
"""Module attributes that are public names of torch; `export_table` has the other public names."""


def _by_name(table: dict[str, str]) -> dict[str, str]:
    return {name: module for module, names in table.items() for name in names.split()}


_NAMED, _LAZY = _by_name(_NAMES), _by_name(_export_table.PUBLIC)

# The legacy classes in torch's __all__.
_EXPORTED = {
    f"{name}{suffix}"
    for suffix in ("Storage", "Tensor")
    for name in ("Bool", "Byte", "Char", "Double", "Float", "Int", "Long", "Short")
}

# Public names outside torch's __all__.
_NOT_IN_ALL = {
    *_SUBMODULES,
    *(
        name
        for name, module in _LAZY.items()
        if module == "_geometry.layout" or name.startswith("_")
    ),
    *(n for n, module in _LAZY.items() if module.startswith("_legacy") and n not in _EXPORTED),
    "broadcast_shapes",
    "unique",
    "from_dlpack",
    "to_dlpack",
    *_ALONE,
    "Storage",
    "set_grad_enabled",
    "set_default_dtype",
}

_CONSTANTS = ("e", "inf", "nan", "newaxis", "pi")

__all__ = sorted({*DTYPES, "dtype", *_CONSTANTS, *_NAMED, *_LAZY} - _NOT_IN_ALL)

del DTYPES


def __getattr__(name: str) -> object:
    """Load all public names when the first of them is read."""
    if name in _ALONE:
        globals()[name] = value = getattr(_lazy_exports.load(_ALONE[name]), name)
        return value
    if name not in _NAMED and name not in _LAZY and name not in (*_SUBMODULES, "Storage"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    _load_all()
    return globals()[name]


def _load_all() -> None:
    """Load all public names, then remove `__getattr__`, which slows attribute lookups.

    Each name is set after its module is fully loaded, so several threads may call this.
    """
    for name in _SUBMODULES:
        _lazy_exports.load(name)
    is_called_again = _lazy_exports.load("_overrides.arming").is_called_again
    overridable = _lazy_exports.load("_runtime.torch_function").overridable
    for name, path in {**_LAZY, **_NAMED}.items():
        module = _lazy_exports.load(path)
        value = getattr(module, name) if name in _NAMED else _lazy_exports.PUBLIC[name]
        if type(value) is _FunctionType and value.__module__.startswith(f"{__package__}._"):
            value.__module__ = __package__  # unless it has one of torch's modules
            if is_called_again(name):
                value = overridable(value)
        globals().setdefault(name, value)
    for name, path in _ALONE.items():
        globals()[name] = getattr(_lazy_exports.load(path), name)
    default_storage = _lazy_exports.load("_legacy.storage_types").default_storage

    def set_storage() -> None:
        """Set ``Storage`` to the legacy storage class of the default dtype."""
        globals()["Storage"] = default_storage()

    set_storage()
    _lazy_exports.load("_dtypes.default_dtype").DEFAULT_DTYPE_CALLBACKS.append(set_storage)
    globals().pop("__getattr__", None)


def __dir__() -> list[str]:
    return sorted({*__all__, *_NOT_IN_ALL})
