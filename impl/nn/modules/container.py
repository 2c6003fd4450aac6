"""torch.nn.modules.container: containers of modules and parameters."""

from ..._runtime.lazy_exports import set_module as _set_module
from ._containers import ModuleDict, ModuleList, Sequential
from ._parameters import ParameterDict, ParameterList

__all__ = ["ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]

_set_module("nn.modules.container", globals(), __all__)
