"""torch.nn.functional: losses of classes (LossNLL.cpp, LossNLL2d.cpp)."""

from math import inf, nan, prod
from typing import Any

from ... import Tensor, gather, int64, log_softmax, no_grad, uint8, where
from ..._argparser.parser import Parser
from ..._runtime.errors import check
from ..._runtime.warnings import is_python_frame
from .common import FLOATS, cpp_name, with_grad_fn
from .losses import known_reduction, reduction_of

_REDUCTIONS = ("none", "mean", "sum")


def _nll(
    input: Any, target: Any, weight: Any, reduction: str, ignored: int, *, planes: bool = False
) -> Any:
    """Return the negative numbers at the targets, of rows or of planes of classes."""
    is_on_meta = _is_on_meta(input, target, weight)
    if not is_on_meta:
        _check_dtypes(input, weight, planes=planes)
    run = _on_meta if is_on_meta else _nll_values
    with no_grad():
        result = run(input, target, weight, reduction, ignored)
    node = "NllLoss2DBackward0" if planes else "NllLossBackward0"
    return with_grad_fn(result, (input,), node)


def _is_on_meta(*operands: Any) -> bool:
    return any(x is not None and x.is_meta for x in operands)


def _on_meta(input: Any, target: Any, weight: Any, reduction: str, ignored: int) -> Any:
    """Return what torch's decomposition returns if an operand is on meta, with its errors."""
    dim = 0 if input.dim() < 2 else 1
    factors = None
    if weight is not None:
        factors = _along(weight, input.dim(), dim) if input.dim() > 1 else weight
        input = input * factors
    places = where(target != ignored, target, 0).unsqueeze(dim)
    result = -gather(input, dim, places).squeeze(dim)
    result = where(target != ignored, result, 0)
    if reduction == "none" and input.dim() > 1:
        return result
    if factors is None:
        total = (target != ignored).sum().to(input)
    else:
        weights = gather(factors.expand(input.shape), dim, places).squeeze(dim)
        total = where(target != ignored, weights, 0).sum()
    if reduction == "none":
        return result
    return result.sum() if reduction == "sum" else result.sum() / total


def _check_target(target: Any) -> None:
    check(
        target.dtype in (int64, uint8),
        lambda: f"expected target dtype to be Long or Byte, but got {cpp_name(target.dtype)}",
    )


def _check_dtypes(input: Any, weight: Any, *, planes: bool) -> None:
    if input.dtype not in FLOATS:
        name = "nll_loss2d_forward_out_frame" if planes else "nll_loss_out_frame"
        raise NotImplementedError(f"\"{name}\" not implemented for '{cpp_name(input.dtype)}'")
    check(
        weight is None or weight.dtype is input.dtype,
        lambda: f"expected scalar type {cpp_name(input.dtype)} but found {cpp_name(weight.dtype)}",
    )


def _nll_values(input: Any, target: Any, weight: Any, reduction: str, ignored: int) -> Any:
    dim = 0 if input.dim() == 1 else 1
    classes = input.size(dim)
    index = target.reshape(()) if input.dim() == 1 else target
    index = index.long()
    is_used = index != ignored
    is_wrong = is_used & ((index < 0) | (index >= classes))
    if is_wrong.any():
        wrong = index[is_wrong].flatten()[0].item()
        is_character = target.dtype is uint8 and reduction == "none"  # in that kernel of C++
        shown = chr(wrong) if is_character else wrong
        raise IndexError(f"Target {shown} is out of bounds.")
    places = where(is_used, index, 0)
    if not input.numel() or not places.numel():
        values = input.new_zeros(places.shape)
    else:
        values = -input.gather(dim, places.unsqueeze(dim)).squeeze(dim)
    weights = input.new_ones(places.shape) if weight is None else weight.take(places)
    if weight is not None:
        values = values * weights
    values = where(is_used, values, input.new_zeros(()))
    if reduction == "none":
        return values
    if reduction == "mean" and not places.numel():
        return input.new_full((), nan)
    total = values.sum()
    return total / where(is_used, weights, 0).sum() if reduction == "mean" else total


def _nll_of_rows(input: Any, target: Any, weight: Any, reduction: str, ignored: int) -> Any:
    classes = input.size(-1)
    has_weights = weight is None or (weight.dim() == 1 and weight.numel() == classes)
    words = (
        f"weight tensor should be defined either for all {classes} classes or no classes but got"
    )
    if _is_on_meta(input, target, weight):
        if target.dim() > 1:
            raise AssertionError(
                f"0D or 1D target tensor expected, multi-target not supported, got {target.dim()}D"
            )
        check(
            (input.dim() == 1 and target.dim() == 0) or input.shape[0] == target.shape[0],
            lambda: f"size mismatch (got input: {input.shape}, target: {target.shape})",
        )
        if not has_weights:
            raise AssertionError(f"{words} weight tensor of shape: {weight.shape}")
        return _nll(input, target, weight, reduction, ignored)
    check(target.dim() <= 1, lambda: "0D or 1D target tensor expected, multi-target not supported")
    _check_target(target)
    if input.dim() > 1:
        target.size(0)  # raises if the target is a number
    if input.dim() == 1 and target.dim() == 1 and target.size(0) != 1:
        raise ValueError(
            f"For 1D input, 1D target must have size 1, but got target size: {target.size(0)}"
        )
    check(has_weights, lambda: f"{words} weight tensor of shape: {[*weight.shape]}")
    return _nll(input, target, weight, reduction, ignored)


def _nll_of_planes(input: Any, target: Any, weight: Any, reduction: str, ignored: int) -> Any:
    if _is_on_meta(input, target, weight):
        return _nll(input, target, weight, reduction, ignored, planes=True)
    check(
        target.dim() == 3,
        lambda: (
            "only batches of spatial targets supported (3D tensors) but got targets of dimension:"
            f" {target.dim()}"
        ),
    )
    _check_target(target)
    check(
        weight is None or weight.numel() == input.size(1),
        lambda: "weight tensor should be defined either for all or no classes",
    )
    check(
        [input.size(0), *input.shape[2:]] == [*target.shape],
        lambda: f"size mismatch (got input: {[*input.shape]} , target: {[*target.shape]}",
    )
    return _nll(input, target, weight, reduction, ignored, planes=True)


def _nll_loss_nd(input: Any, target: Any, weight: Any, reduction: str, ignored: int) -> Any:
    rank = input.dim()
    if rank < 1:
        raise ValueError(f"Expected 1 or more dimensions (got {rank})")
    sizes = [x.size(0) if x.dim() else 0 for x in (input, target)]
    if rank != 1 and sizes[0] != sizes[1]:
        raise ValueError(
            f"Expected input batch_size ({sizes[0]}) to match target batch_size ({sizes[1]})."
        )
    if rank <= 2:
        return _nll_of_rows(input, target, weight, reduction, ignored)
    if rank == 4:
        return _nll_of_planes(input, target, weight, reduction, ignored)
    shape = [input.size(0), *input.shape[2:]]
    check(
        [*target.shape[1:]] == shape[1:],
        lambda: f"Expected target size {shape}, got {[*target.shape]}",
    )
    last = (1, prod(shape[1:])) if input.numel() else (0, 0)
    planes = input.reshape(input.size(0), input.size(1), *last)
    targets = target.reshape(target.size(0), *(last if target.numel() else (0, 0)))
    result = _nll_of_planes(planes, targets, weight, reduction, ignored)
    return result.view(shape) if reduction == "none" else result


_OPTIONS = "Tensor? weight=None, int64_t reduction=1, SymInt ignore_index=-100"
_parse_nll_loss = Parser(f"nll_loss_nd(Tensor input, Tensor target, {_OPTIONS})")


@is_python_frame
def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Return the negative numbers at the targets, their mean or their sum.

    Targets that are ``ignore_index`` do not count.
    """
    reduction = known_reduction(reduction_of(reduction, size_average, reduce))
    arguments = input, target, weight, _REDUCTIONS.index(reduction), ignore_index
    input, target, weight, _, ignored = _parse_nll_loss(arguments, {})
    return _nll_loss_nd(input, target, weight, reduction, ignored)  # type: ignore[no-any-return]


_parse_cross_entropy = Parser(
    f"cross_entropy_loss(Tensor input, Tensor target, {_OPTIONS}, double label_smoothing=0.0)"
)


@is_python_frame
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Return the cross entropy of logits and classes, or probabilities of classes."""
    reduction = known_reduction(reduction_of(reduction, size_average, reduce))
    number = _REDUCTIONS.index(reduction)
    arguments = input, target, weight, number, ignore_index, label_smoothing
    x, classes, weights, _, ignored, smoothing = _parse_cross_entropy(arguments, {})
    dim = 0 if x.dim() == 1 else 1
    if x.shape == classes.shape:
        check(
            classes.dtype.is_floating_point,
            lambda: (
                "Expected floating point type for target with class probabilities, got"
                f" {cpp_name(classes.dtype)}"
            ),
        )
        check(ignored < 0, lambda: "ignore_index is not supported for floating point target")
        return _of_probabilities(x, classes, weights, dim, reduction, smoothing)  # type: ignore[no-any-return]
    if smoothing > 0:
        _check_smoothing(smoothing)
        return _smoothed(x, classes, weights, dim, reduction, ignored, smoothing)  # type: ignore[no-any-return]
    logs = log_softmax(x, dim, dtype=x.dtype)
    return _nll_loss_nd(logs, classes, weights, reduction, ignored)  # type: ignore[no-any-return]


def _check_smoothing(smoothing: float) -> None:
    check(
        smoothing <= 1,
        lambda: f"label_smoothing must be between 0.0 and 1.0. Got: {smoothing:.6g}",
    )


def _along(weight: Any, rank: int, dim: int) -> Any:
    shape = [1] * rank
    shape[dim] = weight.size(0)
    return weight.view(shape)


def _of_probabilities(
    x: Any, target: Any, weight: Any, dim: int, reduction: str, smoothing: float
) -> Any:
    classes = x.size(dim)
    check(
        weight is None or (weight.dim() == 1 and weight.numel() == classes),
        lambda: (
            f"cross_entropy: weight tensor should be defined either for all {classes} classes or no"
            f" classes but got weight tensor of shape: {[*weight.shape]}"
        ),
    )
    logs = log_softmax(x, dim, dtype=x.dtype)
    if smoothing > 0:
        _check_smoothing(smoothing)
        target = target * (1 - smoothing) + _share(smoothing, classes)
    product = logs * target
    if weight is not None:
        product = product * _along(weight, x.dim(), dim)
    if reduction == "none":
        return -product.sum(dim)
    if reduction == "sum":
        return -product.sum()
    if not x.numel():
        return -product.sum().fill_(nan)
    total = -product.sum()
    with no_grad():
        mean = total / (x.numel() // classes)
    return with_grad_fn(mean, (total,), "DivBackward1")  # a division by a number of C++


def _smoothed(
    x: Any, target: Any, weight: Any, dim: int, reduction: str, ignored: int, smoothing: float
) -> Any:
    logs: Any = log_softmax(x, dim, dtype=x.dtype)
    loss = _nll_loss_nd(logs, target, weight, reduction, ignored)
    weighted = logs if weight is None else logs * _along(weight, x.dim(), dim)
    smooth = -weighted.sum(dim)
    is_ignored = target == ignored
    smooth.masked_fill_(is_ignored, 0.0)
    if reduction == "sum":
        smooth = smooth.sum()
    elif reduction == "mean" and weight is None:
        smooth = smooth.sum() / (~is_ignored).sum()
    elif reduction == "mean":
        smooth = smooth.sum() / weight.gather(0, target.masked_select(~is_ignored)).sum()
    # A NaN of the smooth loss wins.
    return smooth * _share(smoothing, x.size(dim)) + loss * (1 - smoothing)


def _share(smoothing: float, classes: int) -> float:
    return smoothing / classes if classes else inf
