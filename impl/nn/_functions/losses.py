"""torch.nn.functional: distances between tensors and losses (Loss.cpp, Distance.cpp)."""

import warnings
from collections.abc import Callable
from typing import Any

from ... import Tensor, broadcast_tensors, div, no_grad, result_type
from ..._argparser.parser import Parser
from ..._ops.linalg.vector_norm import vector_norm
from ..._runtime.errors import check
from ..._runtime.warnings import is_python_frame
from ..._tensor.sparse_missing import could_not_run
from .common import FLOATS, cpp_name, with_grad_fn

_parse_cosine_similarity = Parser(
    "cosine_similarity(Tensor x1, Tensor x2, int64_t dim=1, double eps=1e-08)"
)


def cosine_similarity(*args: Any, **kwargs: Any) -> Tensor:
    """cosine_similarity(x1, x2, dim=1, eps=1e-8): return the cosines of the angles between vectors.

    A norm counts as ``eps`` at least.
    """
    left, right, dim, eps = _parse_cosine_similarity(args, kwargs)
    dtype = result_type(left, right)
    check(
        dtype.is_floating_point,
        lambda: (
            f"expected common dtype to be floating point, yet common dtype is {cpp_name(dtype)}"
        ),
    )
    operands = [
        x if x.dtype.is_floating_point or x.dtype.is_complex else x.to(dtype) for x in (left, right)
    ]
    is_expanded = left.shape != right.shape
    left, right = broadcast_tensors(*operands)
    check(
        not (is_expanded and (left.is_sparse or right.is_sparse)),
        lambda: "expand is unsupported for Sparse tensors",
    )
    norms: list[Any] = [vector_norm(x, 2, dim, True).clone() for x in (left, right)]
    with no_grad():
        for norm in norms:
            norm.clamp_min_(eps)
    result: Tensor = ((right / norms[1]) * (left / norms[0])).sum(dim)
    return result


@is_python_frame
def normalize(
    input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Tensor | None = None
) -> Tensor:
    """Return vectors divided by their norms, which count as ``eps`` at least."""
    norms: Any = input.norm(p, dim, keepdim=True)
    if out is None:
        return input / norms.clamp_min(eps).expand_as(input)  # type: ignore[no-any-return]
    result: Tensor = div(input, norms.clamp_min_(eps).expand_as(input), out=out)
    return result


def reduction_of(reduction: str, size_average: bool | None, reduce: bool | None) -> str:
    """Return how a loss is reduced, with torch's warnings of old arguments (_reduction.py)."""
    if size_average is not None or reduce is not None:
        averages = size_average is None or size_average
        sums = reduce is None or reduce
        reduction = ("mean" if averages else "sum") if sums else "none"
        warnings.warn(
            "size_average and reduce args will be deprecated, please use"
            f" reduction='{reduction}' instead.",
            stacklevel=2,
        )
    return reduction


def known_reduction(reduction: str) -> str:
    """Return how a loss is reduced; raise if it is not known."""
    if reduction == "elementwise_mean":
        warnings.warn(
            "reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.",
            stacklevel=2,
        )
        return "mean"
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return reduction


def _reduced(errors: Tensor, reduction: str) -> Tensor:
    if reduction == "none":
        return errors
    return errors.mean() if reduction == "mean" else errors.sum()


def _loss(
    errors_of: Callable[[Any, Any], Any],
    run: Callable[[Any, Any, str], Tensor],
    input: Tensor,
    target: Tensor,
    size_average: bool | None,
    reduce: bool | None,
    reduction: str,
    weight: Tensor | None,
) -> Tensor:
    """Return a loss: that of ``run``, or the errors times the weight."""
    if target.size() != input.size():
        warnings.warn(
            f"Using a target size ({target.size()}) that is different to the input size"
            f" ({input.size()}). This will likely lead to incorrect results due to broadcasting."
            " Please ensure they have the same size.",
            stacklevel=3,
        )
    reduction = reduction_of(reduction, size_average, reduce)
    left, right = broadcast_tensors(input, target)
    if weight is None:
        return run(left, right, known_reduction(reduction))
    if weight.size() != input.size():
        raise ValueError("Weights and input must have the same size.")
    errors = errors_of(left, right) * weight
    if reduction == "mean":
        return errors.sum() / weight.sum()  # type: ignore[no-any-return]
    if reduction not in ("none", "sum"):
        raise ValueError(
            f"Invalid reduction mode: {reduction}. Expected one of 'none', 'mean', 'sum'."
        )
    return _reduced(errors, reduction)


def _mse_loss(input: Tensor, target: Tensor, reduction: str) -> Tensor:
    dtype = result_type(input, target)
    is_on_meta = input.is_meta or target.is_meta
    if input.is_sparse or target.is_sparse:
        raise could_not_run("mse_loss", "SparseMeta" if is_on_meta else "SparseCPU")
    if dtype not in FLOATS and not is_on_meta:
        raise NotImplementedError(f"\"mse_cpu\" not implemented for '{cpp_name(dtype)}'")
    with no_grad():
        difference = input.to(dtype) - target.to(dtype)
        result = difference * difference
        if reduction != "none":  # on the CPU, torch reduces in the memory of the squares
            value = _reduced(result, reduction)
            result = value if is_on_meta else result.resize_(()).copy_(value)
    return with_grad_fn(result, (input, target), "MseLossBackward0")


@is_python_frame
def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """Return the squares of differences, their mean or their sum."""
    options = size_average, reduce, reduction, weight
    return _loss(lambda x, y: (x - y).pow(2), _mse_loss, input, target, *options)


@is_python_frame
def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """Return the absolute differences, their mean or their sum."""

    def errors(x: Tensor, y: Tensor) -> Tensor:
        return (x - y).abs()

    options = size_average, reduce, reduction, weight
    return _loss(errors, lambda x, y, how: _reduced(errors(x, y), how), input, target, *options)
