"""torch.nn.modules: the modules of torch.nn."""

from .activation import GELU, LogSoftmax, ReLU, Sigmoid, SiLU, Softmax, Tanh
from .container import ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential
from .dropout import Dropout
from .linear import Identity, Linear
from .module import Module
from .normalization import LayerNorm, RMSNorm
from .sparse import Embedding

__all__ = [
    "Dropout",
    "Embedding",
    "GELU",
    "Identity",
    "LayerNorm",
    "Linear",
    "LogSoftmax",
    "Module",
    "ModuleDict",
    "ModuleList",
    "ParameterDict",
    "ParameterList",
    "RMSNorm",
    "ReLU",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Tanh",
]
