"""torch.nn.modules.module: the base class of modules, and hooks of all modules."""

from ..._runtime.lazy_exports import set_module as _set_module
from ._hooks import (
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)
from ._module import Module
from ._state_dict import _IncompatibleKeys as _IncompatibleKeys

__all__ = [
    "register_module_forward_pre_hook",
    "register_module_forward_hook",
    "register_module_buffer_registration_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
    "Module",
]

_set_module("nn.modules.module", globals(), __all__)
