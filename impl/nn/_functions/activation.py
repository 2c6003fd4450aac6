"""torch.nn.functional: activations, softmax and dropout."""

import warnings

from ... import Tensor, empty_like, relu as _relu, relu_, zeros
from ..._argparser.parser import Parser
from ..._ops.elementwise.activations import silu as _silu, silu_
from ..._runtime.warnings import is_python_frame


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return the larger one of each element and zero."""
    return relu_(input) if inplace else _relu(input)


@is_python_frame
def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return each element times its sigmoid."""
    return silu_(input) if inplace else _silu(input)  # type: ignore[no-any-return]


@is_python_frame
def sigmoid(input: Tensor) -> Tensor:
    """Return the logistic function of each element."""
    return input.sigmoid()


@is_python_frame
def tanh(input: Tensor) -> Tensor:
    """Return the hyperbolic tangent of each element."""
    return input.tanh()


@is_python_frame
def softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: int | None = None
) -> Tensor:
    """Return the exponentials of elements, divided by their sum along a dimension."""
    if dim is None:
        dim = _implicit_dim("softmax", input.dim(), _stacklevel)
    return input.softmax(dim) if dtype is None else input.softmax(dim, dtype=dtype)  # type: ignore[arg-type]  # torch annotates int


@is_python_frame
def log_softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: int | None = None
) -> Tensor:
    """Return the logarithms of softmax along a dimension."""
    if dim is None:
        dim = _implicit_dim("log_softmax", input.dim(), _stacklevel)
    return input.log_softmax(dim) if dtype is None else input.log_softmax(dim, dtype=dtype)  # type: ignore[arg-type]  # torch annotates int


def _implicit_dim(name: str, rank: int, level: int) -> int:
    """Return the dimension that a call without one means, with a warning."""
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include"
        " dim=X as an argument.",
        stacklevel=level,
    )
    return 0 if rank in (0, 1, 3) else 1


_parse_dropout = Parser("dropout(Tensor input, double p, bool train)")
_parse_dropout_ = Parser("dropout_(Tensor input, double p, bool train)")


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Set elements to zero with probability ``p`` in training, and divide others by ``1 - p``.

    Otherwise return the input itself (Dropout.cpp).
    """
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    parse = _parse_dropout_ if inplace else _parse_dropout
    input, p, training = parse((input, p, training), {})
    if p == 0 or not training or not input.numel():
        return input
    if p == 1:
        noise = zeros((), dtype=input.dtype, device=input.device)
    else:
        noise = empty_like(input).bernoulli_(1 - p).div_(1 - p)
    return input.mul_(noise) if inplace else input * noise
