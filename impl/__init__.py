"""An executable specification of PyTorch's tensor attributes: ``import impl as torch``.

The public names are torch's, and so are the answers and the errors.  Neither
torch nor NumPy is loaded by importing this, and nothing but the dtypes, until
another name is asked for.
"""

from types import FunctionType as _FunctionType

from ._dtypes.table import DTYPES, dtype
from ._runtime import export_table as _export_table
from ._runtime import lazy_exports as _lazy_exports

# What programs look for in vars(torch).
globals().update(DTYPES)

_SUBMODULES = (
    "accelerator", "autograd", "cuda", "random", "return_types", "serialization", "sparse", "storage", "testing",
    "utils",
)  # fmt: skip

_NAMES = {
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
    "_legacy.tensor_types": "set_default_tensor_type",
    "_legacy.storage_types": "is_storage",
    "_numerics.type_info": "finfo iinfo",
    "_ops.views.split_broadcast": "broadcast_shapes broadcast_tensors is_tensor split",
    "_ops.common.result_type": "result_type",
    "_tensor.printing": "set_printoptions",
    "_numerics.promotion": "can_cast promote_types",
    "_geometry.size": "Size",
    "_storage.untyped_storage": "UntypedStorage",
    "_tensor.tensor": "Tensor",
    "_tensor.typed_storage": "TypedStorage",
    "_runtime.warnings": "is_warn_always_enabled set_warn_always",
}
"""What a module itself calls as torch does.  What else is public is in `contents`."""


def _homes(contents: dict[str, str]) -> dict[str, str]:
    return {name: home for home, names in contents.items() for name in names.split()}


_NAMED, _MADE = _homes(_NAMES), _homes(_export_table.PUBLIC)

# Of the legacy classes torch exports those that old programs name most.
_EXPORTED = {
    f"{name}{kind}"
    for kind in ("Storage", "Tensor")
    for name in ("Bool", "Byte", "Char", "Double", "Float", "Int", "Long", "Short")
}

# Torch does not export these with an asterisk.
_NOT_IN_ALL = {
    *_SUBMODULES,
    *(name for name, home in _MADE.items() if home == "layouts" or name.startswith("_")),
    *(name for name, home in _MADE.items() if home.startswith("legacy") and name not in _EXPORTED),
    "broadcast_shapes",
    "is_inference_mode_enabled",
    "from_dlpack",
    "to_dlpack",
    "is_deterministic_algorithms_warn_only_enabled",
    "Storage",
    "set_default_dtype",
}

__all__ = sorted({*DTYPES, "dtype", *_NAMED, *_MADE} - _NOT_IN_ALL)

del DTYPES


def __getattr__(name: str) -> object:
    """Load all that has a public name, when the first of them is asked for."""
    if name not in _NAMED and name not in _MADE and name not in (*_SUBMODULES, "Storage"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    _load_all()
    return globals()[name]


def _load_all() -> None:
    """Load what is public, and take `__getattr__` away: CPython is quicker in modules without one.

    Each name is given when its module is loaded in full, so that several threads may do this.
    """
    for name in _SUBMODULES:
        _lazy_exports.load(name)
    for name, home in {**_MADE, **_NAMED}.items():
        module = _lazy_exports.load(home)
        value = getattr(module, name) if name in _NAMED else _lazy_exports.PUBLIC[name]
        if type(value) is _FunctionType:
            value.__module__ = __name__
        globals().setdefault(name, value)
    default_storage = _lazy_exports.load("_legacy.storage_types").default_storage

    def follow() -> None:
        """Let the name of the default legacy storage follow the default dtype."""
        globals()["Storage"] = default_storage()

    follow()
    _lazy_exports.load("_dtypes.default_dtype").FOLLOWERS.append(follow)
    globals().pop("__getattr__", None)


def __dir__() -> list[str]:
    return sorted({*__all__, *_NOT_IN_ALL})
