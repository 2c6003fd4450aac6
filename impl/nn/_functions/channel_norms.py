"""torch.nn.functional: normalizations of channels (Normalization.cpp, group_norm.cpp)."""

from collections.abc import Sequence
from typing import Any

from ... import (
    Tensor,
    contiguous_format,
    empty_like,
    float32,
    no_grad,
    var_mean,
)
from ..._argparser.parser import Parser
from ..._runtime.errors import check
from ..._runtime.warnings import is_python_frame
from ..._tensor.sparse_missing import could_not_run
from .common import (
    FLOATS,
    check_mixed_dtypes,
    cpp_name,
    suggested_memory_format,
    widened,
    with_grad_fn,
)


def _check_batch(size: Sequence[int], shown: Any) -> None:
    """Raise if a channel has one value only."""
    count = size[0]
    for other in size[2:]:
        count *= other
    if count == 1:
        raise ValueError(
            f"Expected more than 1 value per channel when training, got input size {shown}"
        )


_parse_batch_norm = Parser(
    "batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean,"
    " Tensor? running_var, bool training, double momentum, double eps, bool cudnn_enabled)"
)


@is_python_frame
def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Return the input with mean 0 and variance 1 in each channel, scaled and shifted.

    In training the statistics are those of the input, and the running ones are updated by them.
    """
    if training:
        _check_batch(input.size(), input.size())
    if training and eps <= 0.0:
        raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    if eps < 0.0:
        raise ValueError(f"batch_norm eps must be non-negative, but got {eps}")
    arguments = input, weight, bias, running_mean, running_var, training, momentum, eps, True
    input, weight, bias, running_mean, running_var, training, momentum, eps, _ = _parse_batch_norm(
        arguments, {}
    )
    if not input.numel():
        return _without_elements(input, weight, bias)
    channels = input.size(1) if input.dim() > 1 else 0
    running = ("running_mean", running_mean), ("running_var", running_var)
    for name, parameter in (*running, ("weight", weight), ("bias", bias)):
        _check_size(name, parameter, channels, is_needed=name.startswith("r") and not training)
    for name, parameter in running:
        if parameter is not None and parameter.requires_grad:
            raise RuntimeError(
                f"The function 'native_batch_norm' is not differentiable with respect to argument"
                f" '{name}'. This input cannot have requires_grad True."
            )
    statistics, affine = (running_mean, running_var), (weight, bias)
    operands = [x for x in (input, *affine, *statistics) if x is not None]
    is_on_meta = any(x.is_meta for x in operands)
    if input.is_sparse:
        raise could_not_run("native_batch_norm", "SparseMeta" if is_on_meta else "SparseCPU")
    with no_grad():
        if is_on_meta:
            result = _on_meta(input, statistics, affine, training, momentum, eps)
        else:
            dtype = _checked_dtype(input, affine, statistics)
            mean, variance = statistics
            if training:
                _check_accessors(dtype, statistics)
                mean, variance = _updated(input, dtype, statistics, momentum)
            _check_kernel(input, dtype, affine, statistics, training)
            result = empty_like(input, memory_format=suggested_memory_format(input))
            result.copy_(_normalized(input, mean, variance, affine, eps))
    sources = [x for x in (input, *affine) if x is not None]
    return with_grad_fn(result, sources, "NativeBatchNormBackward0")


_Pair = tuple[Tensor | None, Tensor | None]


def _without_elements(input: Tensor, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    result = input.clone()
    result = result if weight is None else result * weight[0]
    return result if bias is None else result + bias[0]


def _check_size(name: str, parameter: Tensor | None, channels: int, *, is_needed: bool) -> None:
    check(
        parameter is not None or not is_needed, lambda: f"{name} must be defined in evaluation mode"
    )
    check(
        parameter is None or parameter.numel() == channels,
        lambda: f"{name} should contain {channels} elements not {parameter.numel()}",  # type: ignore[union-attr]
    )


def _checked_dtype(input: Tensor, affine: _Pair, statistics: _Pair) -> Any:
    """Return the dtype that the kernel of a CPU needs for parameters, or raise."""
    if (statistics[0] is None) != (statistics[1] is None):
        raise ValueError("running_mean and running_var must either both be None or neither be None")
    if input.dtype not in FLOATS:
        raise NotImplementedError(f"\"batch_norm\" not implemented for '{cpp_name(input.dtype)}'")
    return float32 if check_mixed_dtypes(input, *affine, *statistics) else input.dtype


def _check_kernel(
    input: Tensor, dtype: Any, affine: _Pair, statistics: _Pair, training: bool
) -> None:
    """Raise if the kernel that writes the result has no such dtypes or numbers of dimensions."""
    has_fast_kernel = input.is_contiguous(memory_format=suggested_memory_format(input)) and all(
        x is None or x.is_contiguous() for x in (*affine, *statistics)
    )
    if not has_fast_kernel:
        _check_loops(dtype, affine if training else (*statistics, *affine))
        return
    _check_dtypes(dtype, affine)
    if not training:
        _check_accessors(dtype, statistics)


def _check_accessors(dtype: Any, tensors: Sequence[Tensor | None]) -> None:
    for tensor in tensors:
        if tensor is not None and tensor.dim() != 1:
            raise RuntimeError(f"TensorAccessor expected 1 dims but tensor has {tensor.dim()}")
        _check_dtypes(dtype, [tensor])


def _check_dtypes(dtype: Any, tensors: Sequence[Tensor | None]) -> None:
    for tensor in tensors:
        if tensor is not None and tensor.dtype is not dtype:
            raise RuntimeError(
                f"expected scalar type {cpp_name(dtype)} but found {cpp_name(tensor.dtype)}"
            )


def _check_loops(dtype: Any, tensors: Sequence[Tensor | None]) -> None:
    """Raise if the operands of the kernel for other strides fail its assertions."""
    end = ", please report a bug to PyTorch. "
    root = "/__w/pytorch/pytorch/aten/src/ATen/native"
    check(
        all(x is None or x.dim() == 1 for x in tensors),
        lambda: (
            f't.defined() && t.dim() == 1 INTERNAL ASSERT FAILED at "{root}/Normalization.cpp":162'
            + end
        ),
    )
    check(
        all(x is None or x.dtype is dtype for x in tensors),
        lambda: (
            "!needs_dynamic_casting<func_t>::check(iter) INTERNAL ASSERT FAILED at"
            f' "{root}/cpu/Loops.h":311{end}'
        ),
    )


def _updated(input: Tensor, dtype: Any, running: _Pair, momentum: float) -> _Pair:
    """Return the mean and variance of channels, and update the running ones.

    Torch rounds the mean to the dtype of parameters, and the sum of squares where its kernel is the
    one for contiguous inputs; the rest is in double precision.
    """
    dims, count = [0, *range(2, input.dim())], input.numel() // input.size(1)
    x = input.double()
    mean = x.mean(dims).to(dtype).double()
    total = (x - mean.view(1, -1, *[1] * (input.dim() - 2))).square().sum(dims)
    if input.is_contiguous(memory_format=suggested_memory_format(input)):
        total = total.to(dtype).double()
    for old, new in zip(running, (mean, total / (count - 1)), strict=True):
        if old is not None:
            old.data.copy_(momentum * new + (1 - momentum) * old)  # without a new version
    return mean, total / count


def _normalized(
    input: Tensor, mean: Tensor | None, variance: Tensor | None, affine: _Pair, eps: float
) -> Tensor:
    shape = [1, -1, *[1] * (input.dim() - 2)]
    mean, variance, weight, bias = (
        None if each is None else each.reshape(shape) for each in (mean, variance, *affine)
    )
    result = _scaled(widened(input), mean, variance, (weight, bias), eps)  # type: ignore[arg-type]
    return result.to(input.dtype)


def _scaled(x: Tensor, mean: Tensor, variance: Tensor, affine: _Pair, eps: float) -> Tensor:
    """Return the input times a scale plus a shift, both of the statistics and the parameters."""
    weight, bias = affine
    scale, mean = (variance + eps).rsqrt().to(x.dtype), mean.to(x.dtype)
    scale = scale if weight is None else scale * weight
    return x * scale + ((0 if bias is None else bias) - mean * scale)


def _on_meta(
    input: Tensor, running: _Pair, affine: _Pair, training: bool, momentum: float, eps: float
) -> Tensor:
    """Return what torch's decomposition returns if an operand is on meta, with its errors."""
    rank = input.dim() - 1
    if training:
        dims = [0, *range(2, input.dim())]
        variance, mean = var_mean(widened(input), dims, correction=0, keepdim=True)
        result = (input - mean) * (variance + eps).rsqrt()
        count = input.numel() / input.shape[1]
        for old, new in zip(running, (mean, variance * (count / (count - 1))), strict=True):
            if old is not None:
                old.data.copy_(momentum * new.squeeze(dims) + (1 - momentum) * old)
    else:
        dtype = widened(input).dtype
        mean, variance = (each.to(dtype) for each in running)  # type: ignore[union-attr]
        result = (input - _with_ones(mean, rank)) * _with_ones(1 / (variance + eps).sqrt(), rank)
    weight, bias = affine
    result = result if weight is None else result * _with_ones(weight.flatten(), rank)
    result = result if bias is None else result + _with_ones(bias.flatten(), rank)
    return result.to(input.dtype)


def _with_ones(tensor: Tensor, rank: int) -> Tensor:
    for _ in range(rank - tensor.dim()):
        tensor = tensor.unsqueeze(-1)
    return tensor


_parse_group_norm = Parser(
    "group_norm(Tensor input, SymInt num_groups, Tensor? weight=None, Tensor? bias=None,"
    " double eps=1e-05, bool cudnn_enabled=True)"
)


@is_python_frame
def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Return the input with mean 0 and variance 1 in each group of channels (group_norm.cpp)."""
    if input.dim() < 2:
        raise RuntimeError(
            f"Expected at least 2 dimensions for input tensor but received {input.dim()}"
        )
    sizes = [input.size(0) * input.size(1) // num_groups, num_groups, *input.shape[2:]]
    _check_batch(sizes, sizes)
    arguments = input, num_groups, weight, bias, eps, True
    input, groups, weight, bias, eps, _ = _parse_group_norm(arguments, {})
    _check_groups(input, groups, weight, bias)
    parameters = [x for x in (weight, bias) if x is not None]
    is_on_meta = any(x.is_meta for x in (input, *parameters))
    check(not input.is_sparse, lambda: "unsupported memory format option Contiguous")
    with no_grad():
        if not is_on_meta:
            dtype = float32 if check_mixed_dtypes(input, *parameters) else input.dtype
            if input.dtype not in FLOATS:
                raise NotImplementedError(
                    f"\"GroupNormKernelImpl\" not implemented for '{cpp_name(input.dtype)}'"
                )
            _check_dtypes(dtype, parameters)
        result = _grouped(input, groups, (weight, bias), is_on_meta, eps)
        memory_format = contiguous_format if is_on_meta else suggested_memory_format(input)
        result = result.to(input.dtype).contiguous(memory_format=memory_format)
    return with_grad_fn(result, (input, *parameters), "NativeGroupNormBackward0")


def _grouped(input: Tensor, groups: int, affine: _Pair, is_on_meta: bool, eps: float) -> Tensor:
    """Return the normalized groups; torch's decomposition, on meta, warns of those of nothing."""
    x = widened(input)
    per_group = input.size(1) // groups
    rows = x.reshape(input.size(0), groups, per_group, -1 if input.numel() else 0)
    if is_on_meta:
        variance, mean = var_mean(rows, (2, 3), correction=0, keepdim=True)
    else:
        mean = rows.mean((2, 3), keepdim=True)
        variance = (rows - mean).square().mean((2, 3), keepdim=True)
    weight, bias = (None if each is None else each.view(groups, per_group, 1) for each in affine)
    is_plain = weight is None and bias is None
    if is_on_meta or (is_plain and suggested_memory_format(input) is contiguous_format):
        result = (rows - mean) * (variance + eps).rsqrt()
        result = result if weight is None else result * weight
        result = result if bias is None else result + bias
    else:
        result = _scaled(rows, mean, variance, (weight, bias), eps)
    return result.view(input.shape)


def _check_groups(input: Tensor, groups: int, weight: Tensor | None, bias: Tensor | None) -> None:
    shape = [*input.shape]
    check(groups > 0, lambda: f"Expected num groups to be greater than 0, got {groups}")
    check(
        shape[1] % groups == 0,
        lambda: (
            "Expected number of channels in input to be divisible by num_groups, but got input of"
            f" shape {shape} and num_groups={groups}"
        ),
    )
    shown = [0] if weight is None else [*weight.shape]  # also for the bias
    for name, parameter in (("weight", weight), ("bias", bias)):
        check(
            parameter is None or (parameter.dim() == 1 and parameter.numel() == shape[1]),
            lambda name=name: (  # type: ignore[misc]
                f"Expected {name} to be a vector of size equal to the number of channels in input,"
                f" but got {name} of shape {shown} and input of shape {shape}"
            ),
        )
