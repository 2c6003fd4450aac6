"""torch.nn: parameters, modules and the functions of layers.

The submodules are loaded when one of their names is first read.
"""

from importlib import import_module as _import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import functional as functional
    from . import init as init
    from . import modules as modules
    from . import parameter as parameter
    from .modules import GELU as GELU
    from .modules import Dropout as Dropout
    from .modules import Embedding as Embedding
    from .modules import Identity as Identity
    from .modules import LayerNorm as LayerNorm
    from .modules import Linear as Linear
    from .modules import LogSoftmax as LogSoftmax
    from .modules import Module as Module
    from .modules import ModuleDict as ModuleDict
    from .modules import ModuleList as ModuleList
    from .modules import ParameterDict as ParameterDict
    from .modules import ParameterList as ParameterList
    from .modules import ReLU as ReLU
    from .modules import RMSNorm as RMSNorm
    from .modules import Sequential as Sequential
    from .modules import Sigmoid as Sigmoid
    from .modules import SiLU as SiLU
    from .modules import Softmax as Softmax
    from .modules import Tanh as Tanh
    from .parameter import Buffer as Buffer
    from .parameter import Parameter as Parameter

_NAMES = {
    "functional": "",
    "init": "",
    "modules": (
        "Dropout Embedding GELU Identity LayerNorm Linear LogSoftmax Module ModuleDict ModuleList"
        " ParameterDict ParameterList RMSNorm ReLU Sequential SiLU Sigmoid Softmax Tanh"
    ),
    "parameter": "Buffer Parameter",
}
"""Submodule -> the names that it exports to this module."""


def __getattr__(name: str) -> object:
    """Load a submodule, or all of them when the first of the exported names is read."""
    if name in _NAMES:
        return _import_module(f"{__name__}.{name}")
    if name not in " ".join(_NAMES.values()).split():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    for submodule, names in _NAMES.items():
        loaded = vars(_import_module(f"{__name__}.{submodule}"))
        globals().update({exported: loaded[exported] for exported in names.split()})
    return globals()[name]


def __dir__() -> list[str]:
    return sorted([*_NAMES, *" ".join(_NAMES.values()).split()])
