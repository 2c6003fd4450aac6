"""torch.nn: parameters, modules and the functions of layers.

The submodules are loaded when one of their names is first read.
"""

from importlib import import_module as _import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import (
        functional as functional,
        init as init,
        modules as modules,
        parameter as parameter,
        utils as utils,
    )
    from .modules import (
        GELU as GELU,
        BatchNorm1d as BatchNorm1d,
        BatchNorm2d as BatchNorm2d,
        BatchNorm3d as BatchNorm3d,
        CircularPad1d as CircularPad1d,
        CircularPad2d as CircularPad2d,
        CircularPad3d as CircularPad3d,
        ConstantPad1d as ConstantPad1d,
        ConstantPad2d as ConstantPad2d,
        ConstantPad3d as ConstantPad3d,
        Conv1d as Conv1d,
        Conv2d as Conv2d,
        Conv3d as Conv3d,
        Dropout as Dropout,
        Embedding as Embedding,
        Flatten as Flatten,
        GroupNorm as GroupNorm,
        Identity as Identity,
        LayerNorm as LayerNorm,
        Linear as Linear,
        LogSoftmax as LogSoftmax,
        Module as Module,
        ModuleDict as ModuleDict,
        ModuleList as ModuleList,
        ParameterDict as ParameterDict,
        ParameterList as ParameterList,
        ReflectionPad1d as ReflectionPad1d,
        ReflectionPad2d as ReflectionPad2d,
        ReflectionPad3d as ReflectionPad3d,
        ReLU as ReLU,
        ReplicationPad1d as ReplicationPad1d,
        ReplicationPad2d as ReplicationPad2d,
        ReplicationPad3d as ReplicationPad3d,
        RMSNorm as RMSNorm,
        Sequential as Sequential,
        Sigmoid as Sigmoid,
        SiLU as SiLU,
        Softmax as Softmax,
        Tanh as Tanh,
        Unflatten as Unflatten,
        ZeroPad1d as ZeroPad1d,
        ZeroPad2d as ZeroPad2d,
        ZeroPad3d as ZeroPad3d,
    )
    from .parameter import Buffer as Buffer, Parameter as Parameter

_NAMES = {
    "functional": "",
    "init": "",
    "modules": (
        "BatchNorm1d BatchNorm2d BatchNorm3d CircularPad1d CircularPad2d CircularPad3d"
        " ConstantPad1d ConstantPad2d ConstantPad3d Conv1d Conv2d Conv3d Dropout"
        " Embedding Flatten GELU GroupNorm Identity LayerNorm Linear LogSoftmax Module"
        " ModuleDict ModuleList ParameterDict ParameterList RMSNorm ReLU ReflectionPad1d"
        " ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d"
        " ReplicationPad3d Sequential SiLU Sigmoid Softmax Tanh Unflatten ZeroPad1d"
        " ZeroPad2d ZeroPad3d"
    ),
    "parameter": "Buffer Parameter",
    "utils": "",
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
