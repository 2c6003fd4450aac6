"""torch.nn: parameters, modules and the functions of layers.

The submodules are loaded when one of their names is first read.
"""

from importlib import import_module as _import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import functional as functional, init as init, modules as modules, parameter as parameter
    from .modules import (
        GELU as GELU,
        Dropout as Dropout,
        Embedding as Embedding,
        Identity as Identity,
        LayerNorm as LayerNorm,
        Linear as Linear,
        LogSoftmax as LogSoftmax,
        Module as Module,
        ModuleDict as ModuleDict,
        ModuleList as ModuleList,
        ParameterDict as ParameterDict,
        ParameterList as ParameterList,
        ReLU as ReLU,
        RMSNorm as RMSNorm,
        Sequential as Sequential,
        Sigmoid as Sigmoid,
        SiLU as SiLU,
        Softmax as Softmax,
        Tanh as Tanh,
    )
    from .parameter import Buffer as Buffer, Parameter as Parameter

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
