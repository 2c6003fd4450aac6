"""torch.nn.functional: convolutions (Convolution.cpp).

The result is a product of matrices: the weight, and the windows of the padded input, which are a
view of it.
"""

from collections.abc import Callable
from math import prod
from typing import Any

from ... import (
    Tensor,
    channels_last,
    channels_last_3d,
    no_grad,
)
from ..._argparser.parser import Parser
from ..._dtypes.cpp_names import cpp_type
from ..._geometry.strides import suggested_format
from ..._runtime.errors import check
from ..._runtime.warnings import triggered_at, warn_once
from .common import widened, with_grad_fn
from .convolution_checks import (
    Params,
    check_dense,
    check_kernel,
    check_kernel_fits,
    check_rank,
    check_same_types,
    check_shapes,
    runs_in_one_dnn,
    shape_of,
)
from .padding import padded

_SHAPES = "{1}D (unbatched) or {0}D (batched)"


def _function(rank: int) -> Callable[..., Tensor]:
    """Return the convolution over so many spatial dimensions."""
    name, ints = f"conv{rank}d", f"SymIntArrayRef[{rank}]"
    first = f"{name}(Tensor input, Tensor weight, Tensor? bias=None, {ints} stride=1,"
    last = f"{ints} dilation=1, SymInt groups=1)"
    parse = Parser(
        f"{first} {ints} padding=0, {last}", f'{first} c10::string_view padding="valid", {last}'
    )

    def convolve(*args: Any, **kwargs: Any) -> Tensor:
        index, values = parse.bind(args, kwargs)
        input, weight, bias, stride, padding, dilation, groups = values
        if index == 0 and bias is not None and bias.dtype is not input.dtype:
            raise RuntimeError(
                f"Input type ({cpp_type(input.dtype)}) and bias type ({cpp_type(bias.dtype)})"
                " should be the same"
            )
        check(
            input.dim() in (rank + 1, rank + 2),
            lambda: (
                f"Expected {_SHAPES.format(rank + 2, rank + 1)} input to {name}, but got input of"
                f" size: {[*input.shape]}"
            ),
        )
        is_batched = input.dim() == rank + 2
        batch = input if is_batched else input.unsqueeze(0)
        run = _convolution if index == 0 else _padded_by(padding)
        params = Params(stride, () if index else padding, dilation, groups)
        if input.dtype.is_complex:
            result = _complex(run, batch, weight, bias, params)
        else:
            result = run(batch, weight, bias, params)
        return result if is_batched else result.squeeze(0)

    convolve.__name__ = convolve.__qualname__ = name
    convolve.__doc__ = (
        f"{name}(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1): return the"
        f" cross-correlation of the input and the weight over the last {rank} dimensions."
    )
    return convolve


_Run = Callable[[Tensor, Tensor, Tensor | None, Params], Tensor]


def _complex(
    run: _Run, input: Tensor, weight: Tensor, bias: Tensor | None, params: Params
) -> Tensor:
    """Return the convolution of complex tensors by three of real ones (complex_convolution)."""
    check_same_types(input, weight, bias, one_dnn=False)
    (x, y), (v, w) = [(each.real, each.imag) for each in (input, weight)]
    real, both = (None, None) if bias is None else (bias.real, bias.real + bias.imag)
    first, second = run(x, v, real, params), run(y, w, None, params)
    third = run(x + y, v + w, both, params)
    result: Tensor = first - second + 1j * (third - first - second)
    return result


def _padded_by(mode: str) -> _Run:
    """Return the convolution with a mode of padding; raise when it runs if there is no such one."""

    def run(input: Tensor, weight: Tensor, bias: Tensor | None, params: Params) -> Tensor:
        if mode == "same":
            return _same(input, weight, bias, params)
        check(mode == "valid", lambda: f"Invalid padding string: '{mode}'")
        return _convolution(input, weight, bias, params._replace(padding=[0]))

    return run


def _same(input: Tensor, weight: Tensor, bias: Tensor | None, params: Params) -> Tensor:
    """Return a convolution whose result has the size of the input (convolution_same)."""
    rank = weight.dim() - 2
    check(rank > 0, lambda: "weight should have at least three dimensions")
    check(params.groups > 0, lambda: "non-positive groups is not supported")
    check_rank(input, weight, space="")
    for name in ("stride", "dilation"):
        check(
            len(getattr(params, name)) in (1, rank),
            lambda name=name: f"{name} cannot broadcast to {rank} dimensions",  # type: ignore[misc]
        )
    check(
        all(step == 1 for step in params.stride),
        lambda: "padding='same' is not supported for strided convolutions",
    )
    dilation = [*params.dilation] * (rank if len(params.dilation) == 1 else 1)
    totals = [step * (size - 1) for step, size in zip(dilation, weight.shape[2:], strict=True)]
    sides = [(total // 2, total - total // 2) for total in totals]
    params = params._replace(padding=[left for left, _ in sides])
    if any(left != right for left, right in sides):
        text = (
            "Using padding='same' with even kernel lengths and odd dilation may require a"
            " zero-padded copy of the input be created"
        )
        warn_once(triggered_at(text, "aten/src/ATen/native/Convolution.cpp:1101"))
        extra = [(2 + dim, 0, right - left) for dim, (left, right) in enumerate(sides)]
        input = padded(input, extra[::-1], 0.0)
    return _convolution(input, weight, bias, params)


def _convolution(input: Tensor, weight: Tensor, bias: Tensor | None, params: Params) -> Tensor:
    operands = (input, weight) if bias is None else (input, weight, bias)
    with no_grad():
        # torch has no kernel for a sparse operand on meta, so the checks of a CPU come first.
        if any(x.is_meta for x in operands) and not any(x.is_sparse for x in operands):
            result = input.new_empty(_shape_on_meta(input, weight, params))
        else:
            result = _computed(input, weight, bias, params)
    return with_grad_fn(result, operands, "ConvolutionBackward0")


def _shape_on_meta(input: Tensor, weight: Tensor, params: Params) -> list[int]:
    """Return the shape of a result (meta_conv, calc_conv_nd_return_shape)."""
    sizes, kernel = input.shape[2:], weight.shape[2:]
    check(weight.shape[1] * params.groups == input.shape[1], lambda: "Invalid channel dimensions")
    stride, padding, dilation = (
        [*values] * (len(sizes) if len(values) == 1 else 1)
        for values in (params.stride, params.padding, params.dilation)
    )
    dims = range(len(sizes))
    outer = [sizes[i] + 2 * padding[i] for i in dims]
    inner = [dilation[i] * (kernel[i] - 1) + 1 for i in dims]
    check_kernel_fits(outer, inner)
    result = [
        (sizes[i] + 2 * padding[i] - dilation[i] * (kernel[i] - 1) - 1) // stride[i] + 1
        for i in dims
    ]
    check(
        any(size > 0 for size in result),
        lambda: (
            f"Given input size per channel: {[*sizes]}. Calculated output size per channel:"
            f" {result}. Output size is too small"
        ),
    )
    return [input.shape[0], weight.shape[0] if input.shape[1] else 0, *result]


def _computed(input: Tensor, weight: Tensor, bias: Tensor | None, params: Params) -> Tensor:
    """Return the elements of a convolution, after the checks of a CPU."""
    rank = weight.dim() - 2
    check(rank > 0, lambda: "weight should have at least three dimensions")
    check(params.groups > 0, lambda: "non-positive groups is not supported")
    params = params.expanded(rank)
    check_shapes(input, weight, bias, params)
    if rank == 1:  # torch does not mistake a transposed input for one with the channels last
        check_dense(input, "contiguous_format")
        input = input.contiguous()
    sizes = zip(input.shape[2:], weight.shape[2:], *params[:3], strict=True)
    shape = [
        input.size(0), weight.size(0) if input.size(1) else 0,
        *((n + 2 * pad - step * (k - 1) - 1) // stride + 1 for n, k, stride, pad, step in sizes),
    ]  # fmt: skip
    name = _format(input, weight, params)
    if not input.size(0) or not input.size(1):
        check_dense(weight, name)
        weights = weight.reshape(-1)
        product = input.view(-1) * weights if not input.size(1) else input * weights.select(0, 0)
        return product.new_empty(shape)
    check(
        input.numel(),
        lambda: (
            "Only zero batch or zero channel inputs are supported, but got input shape:"
            f" {shape_of(input)}"
        ),
    )
    check_kernel(input, weight, bias, params, name)
    result = _windows_times_weight(input, weight, bias, params, shape)
    if name == "contiguous_format":
        return result
    if rank == 1:
        return result.unsqueeze(2).contiguous(memory_format=channels_last).squeeze(2)
    last = channels_last if rank == 2 else channels_last_3d
    return result.contiguous(memory_format=last)


def _format(input: Tensor, weight: Tensor, params: Params) -> str:
    """Return the memory format of the result (determine_backend_memory_format)."""
    rank = weight.dim() - 2
    if rank == 3 and not runs_in_one_dnn(input, weight, params):
        return "contiguous_format"
    for x in (input, weight):
        if not x.is_sparse:
            x = x.unsqueeze(2) if rank == 1 else x
            name = suggested_format(tuple(x.shape), x.stride())
            if name != "contiguous_format":
                return name
    return "contiguous_format"


def _windows_times_weight(
    input: Tensor, weight: Tensor, bias: Tensor | None, params: Params, shape: list[int]
) -> Tensor:
    """Return the product of the weight and the windows of the padded input."""
    dtype, groups = input.dtype, params.groups
    input, weight = widened(input), widened(weight)  # small floats are rounded once
    sides = [(2 + dim, pad, pad) for dim, pad in enumerate(params.padding)]
    if any(params.padding):
        input = padded(input, sides[::-1], 0.0)
    batch, channels, *outer = input.stride()
    per_group = weight.size(1)
    strides = (
        batch, channels * per_group, channels,
        *(each * step for each, step in zip(outer, params.dilation, strict=True)),
        *(each * step for each, step in zip(outer, params.stride, strict=True)),
    )  # fmt: skip
    sizes = shape[0], groups, per_group, *weight.shape[2:], *shape[2:]
    windows = input.as_strided(sizes, strides, input.storage_offset())
    length, places = prod(weight.shape[1:]), prod(shape[2:])
    rows = weight.reshape(groups, weight.size(0) // groups, length)
    result = rows @ windows.reshape(shape[0], groups, length, places)
    if bias is not None:
        result = result + widened(bias).view(groups, -1, 1)
    return result.view(shape).to(dtype)


conv1d, conv2d, conv3d = map(_function, (1, 2, 3))
