"""An executable specification of PyTorch's tensor attributes: ``import impl as torch``.

The public names are torch's, and so are the answers and the errors.  Neither
torch nor NumPy is loaded by importing this.
"""

from . import autograd, random, return_types, serialization, utils
from .autograd.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .defaults import FOLLOWERS, get_default_dtype, set_default_dtype
from .deterministic import (
    are_deterministic_algorithms_enabled,
    get_deterministic_debug_mode,
    is_deterministic_algorithms_warn_only_enabled,
    set_deterministic_debug_mode,
    use_deterministic_algorithms,
)
from .devices import device
from .dtypes import DTYPES, dtype
from .factories import empty, empty_permuted, empty_strided, full, ones, zeros
from .generators import (
    Generator,
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)
from .layouts import LAYOUTS, MEMORY_FORMATS, layout, memory_format
from .legacy import LEGACY_TENSORS, set_default_tensor_type
from .legacy_storage import LEGACY_STORAGES, default_storage, is_storage
from .limits import finfo, iinfo
from .ops import OPERATORS
from .ops.python_functions import broadcast_shapes, broadcast_tensors, is_tensor, split
from .ops.result_type import result_type
from .printing import set_printoptions
from .promotion import can_cast, promote_types
from .sizes import Size
from .storage import UntypedStorage
from .tensor import Tensor
from .typed_storage import TypedStorage
from .warn import is_warn_always_enabled, set_warn_always

_FUNCTIONS = {
    **OPERATORS,
    **{
        function.__name__: function
        for function in (
            are_deterministic_algorithms_enabled, broadcast_shapes, broadcast_tensors, can_cast,
            empty, empty_permuted, empty_strided, full, get_default_dtype, get_rng_state, initial_seed,
            manual_seed, seed, set_rng_state, is_grad_enabled, is_inference_mode_enabled,
            get_deterministic_debug_mode, is_deterministic_algorithms_warn_only_enabled,
            is_storage, is_tensor, is_warn_always_enabled, ones, promote_types, result_type, set_default_dtype,
            set_default_tensor_type,
            set_deterministic_debug_mode, set_printoptions, set_warn_always, split,
            use_deterministic_algorithms, zeros,
        )
    },
}  # fmt: skip

globals().update(DTYPES)
globals().update(LAYOUTS)
globals().update(MEMORY_FORMATS)
globals().update(LEGACY_STORAGES)
globals().update(LEGACY_TENSORS)
globals().update(_FUNCTIONS)

# Of the legacy classes torch exports those that old programs name most.
_LEGACY = {*LEGACY_STORAGES, *LEGACY_TENSORS}
_EXPORTED = {
    f"{name}{kind}"
    for kind in ("Storage", "Tensor")
    for name in ("Bool", "Byte", "Char", "Double", "Float", "Int", "Long", "Short")
}

# Torch does not export these with an asterisk.
_NOT_IN_ALL = {
    *LAYOUTS,
    *MEMORY_FORMATS,
    *(_LEGACY - _EXPORTED),
    "autograd",
    *(name for name in _FUNCTIONS if name.startswith("_")),
    "broadcast_shapes",
    "is_inference_mode_enabled",
    "from_dlpack",
    "random",
    "return_types",
    "to_dlpack",
    "is_deterministic_algorithms_warn_only_enabled",
    "Storage",
    "set_default_dtype",
    "utils",
}

__all__ = sorted(  # a list it is

        {*DTYPES, *LEGACY_STORAGES, *LEGACY_TENSORS, *_FUNCTIONS, "Generator", "Size", "Tensor", "TypedStorage", "default_generator", "UntypedStorage", "device", "dtype", "enable_grad", "finfo", "inference_mode", "no_grad", "set_grad_enabled",
         "iinfo", "layout", "memory_format"}
        - _NOT_IN_ALL

)  # fmt: skip

for _function in _FUNCTIONS.values():
    _function.__module__ = __name__

del DTYPES, LAYOUTS, LEGACY_STORAGES, LEGACY_TENSORS, MEMORY_FORMATS, OPERATORS


def _follow_default_dtype() -> None:
    """Let the name of the default legacy storage follow the default dtype."""
    globals()["Storage"] = default_storage()


_follow_default_dtype()
FOLLOWERS.append(_follow_default_dtype)


def __dir__() -> list[str]:
    return sorted({*__all__, *_NOT_IN_ALL})
