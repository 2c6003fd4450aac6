"""torch.nn.functional: the functions of layers."""

from .._ops.elementwise.activations import gelu as gelu
from ._functions.activation import (
    dropout as dropout,
    log_softmax as log_softmax,
    relu as relu,
    sigmoid as sigmoid,
    silu as silu,
    softmax as softmax,
    tanh as tanh,
)
from ._functions.channel_norms import batch_norm as batch_norm, group_norm as group_norm
from ._functions.convolution import conv1d as conv1d, conv2d as conv2d, conv3d as conv3d
from ._functions.cross_entropy import cross_entropy as cross_entropy, nll_loss as nll_loss
from ._functions.linear import embedding as embedding, linear as linear, one_hot as one_hot
from ._functions.losses import (
    cosine_similarity as cosine_similarity,
    l1_loss as l1_loss,
    mse_loss as mse_loss,
    normalize as normalize,
)
from ._functions.normalization import layer_norm as layer_norm, rms_norm as rms_norm
from ._functions.padding import pad as pad

for _function in [*globals().values()]:
    if getattr(_function, "__module__", "").startswith(f"{__package__}._functions"):
        _function.__module__ = __name__
