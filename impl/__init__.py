"""An executable specification of PyTorch's tensor attributes: ``import impl as torch``.

The public names are torch's, and so are the answers and the errors.  Neither
torch nor NumPy is loaded by importing this, and what has a name here is loaded
when the name is first asked for.
"""

from types import FunctionType

from . import contents
from .dtypes import DTYPES, dtype
from .late_names import PUBLIC, load

# What programs look for in vars(torch).
globals().update(DTYPES)

_SUBMODULES = ("autograd", "random", "return_types", "serialization", "utils")

_NAMES = {
    "autograd.grad_mode": (
        "enable_grad inference_mode is_grad_enabled is_inference_mode_enabled no_grad"
        " set_grad_enabled"
    ),
    "defaults": "get_default_dtype set_default_dtype",
    "deterministic": (
        "are_deterministic_algorithms_enabled get_deterministic_debug_mode"
        " is_deterministic_algorithms_warn_only_enabled set_deterministic_debug_mode"
        " use_deterministic_algorithms"
    ),
    "devices": "device",
    "factories": "empty empty_permuted empty_strided full ones zeros",
    "generators": (
        "Generator default_generator get_rng_state initial_seed manual_seed seed set_rng_state"
    ),
    "layouts": "layout memory_format",
    "legacy": "set_default_tensor_type",
    "legacy_storage": "is_storage",
    "limits": "finfo iinfo",
    "ops.python_functions": "broadcast_shapes broadcast_tensors is_tensor split",
    "ops.result_type": "result_type",
    "printing": "set_printoptions",
    "promotion": "can_cast promote_types",
    "sizes": "Size",
    "storage": "UntypedStorage",
    "tensors": "Tensor",
    "typed_storage": "TypedStorage",
    "warn": "is_warn_always_enabled set_warn_always",
}
"""What a module itself calls as torch does.  What else is public is in `contents`."""


def _homes(contents: dict[str, str]) -> dict[str, str]:
    return {name: home for home, names in contents.items() for name in names.split()}


_NAMED, _MADE = _homes(_NAMES), _homes(contents.PUBLIC)

# Of the legacy classes torch exports those that old programs name most.
_EXPORTED = {
    f"{name}{kind}"
    for kind in ("Storage", "Tensor")
    for name in ("Bool", "Byte", "Char", "Double", "Float", "Int", "Long", "Short")
}

# Torch does not export these with an asterisk.
_NOT_IN_ALL = {
    *(set(_SUBMODULES) - {"serialization"}),
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
    """Load what has a public name, when it is first asked for."""
    if name in _SUBMODULES:
        return load(name)
    if name == "Storage":  # follows the default dtype
        return load("legacy_storage").default_storage()
    home = _NAMED.get(name) or _MADE.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = load(home)
    value = getattr(module, name) if name in _NAMED else PUBLIC[name]
    if type(value) is FunctionType:
        value.__module__ = __name__
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *_NOT_IN_ALL})
