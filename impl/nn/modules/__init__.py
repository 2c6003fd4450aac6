"""torch.nn.modules: the modules of torch.nn."""

from .activation import ReLU
from .container import ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential
from .dropout import Dropout
from .linear import Identity, Linear
from .module import Module
from .normalization import LayerNorm, RMSNorm
from .sparse import Embedding

__all__ = [
    "Dropout",
    "Embedding",
    "Identity",
    "LayerNorm",
    "Linear",
    "Module",
    "ModuleDict",
    "ModuleList",
    "ParameterDict",
    "ParameterList",
    "RMSNorm",
    "ReLU",
    "Sequential",
]
