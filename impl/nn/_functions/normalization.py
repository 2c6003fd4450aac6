"""torch.nn.functional: normalizations (layer_norm.cpp)."""

from typing import Any

from ... import (
    Tensor,
    finfo,
    no_grad,
    var_mean,
)
from ..._argparser.parser import Parser
from ..._dtypes.cpp_names import cpp_type
from ..._runtime.errors import check
from ..._runtime.warnings import is_python_frame, triggered_at, warn_once
from .common import check_mixed_dtypes, cpp_name, widened, with_grad_fn


def _check_normalized(
    input: Tensor,
    shape: tuple[int, ...],
    *parameters: tuple[str, Tensor | None],
    star: str,
    is_meta: bool = False,
) -> tuple[int, ...]:
    """Return the dimensions of a normalization; raise if a shape does not fit."""
    check(
        shape,
        lambda: (
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one"
            f" element, but got normalized_shape = {[*shape]}"
        ),
    )
    for name, parameter in parameters:
        if parameter is not None and tuple(parameter.shape) != shape:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape"
                f" {parameter.shape if is_meta else [*parameter.shape]} and normalized_shape ="
                f" {[*shape]}"
            )
    first = input.dim() - len(shape)
    if star == "" and first < 0:
        raise ValueError(
            f"Input tensor must have at least {len(shape)} dimensions, but got {input.dim()}"
        )
    if first < 0 or tuple(input.shape[first:]) != shape:
        sizes = ", ".join(map(str, shape))
        expected = f"[{sizes}]" if is_meta else f"[*{star}{sizes}]"
        found = f" {input.shape}" if is_meta else str([*input.shape])
        raise RuntimeError(
            f"Given normalized_shape={[*shape]}, expected input with shape {expected}, but got"
            f" input of size{found}"
        )
    return tuple(range(first, input.dim()))


def _check_kernel(name: str, input: Tensor, *, has_complex: bool) -> None:
    dtype = input.dtype
    if not ((dtype.is_floating_point and dtype.itemsize > 1) or (has_complex and dtype.is_complex)):
        raise NotImplementedError(f"\"{name}\" not implemented for '{cpp_name(dtype)}'")


_parse_layer_norm = Parser(
    "layer_norm(Tensor input, IntArrayRef normalized_shape, Tensor? weight=None,"
    " Tensor? bias=None, double eps=1e-05, bool cudnn_enable=True)"
)


@is_python_frame
def layer_norm(
    input: Tensor,
    normalized_shape: Any,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Return the input with mean 0 and variance 1 over its last dimensions (layer_norm.cpp)."""
    arguments = input, normalized_shape, weight, bias, eps, True
    input, shape, weight, bias, eps, _ = _parse_layer_norm(arguments, {})
    parameters = [x for x in (weight, bias) if x is not None]
    is_meta = any(x.is_meta for x in (input, *parameters))
    if not is_meta:
        check_mixed_dtypes(input, *parameters)
    named = ("weight", weight), ("bias", bias)
    dims = _check_normalized(input, tuple(shape), *named, star=", ", is_meta=is_meta)
    if is_meta:
        check(
            input.dtype.is_floating_point or input.dtype.is_complex,
            lambda: "var_mean only support floating point and complex dtypes",
        )
    else:
        _check_kernel("LayerNormKernelImpl", input, has_complex=False)
        dtypes = {x.dtype for x in parameters}
        if len(dtypes) > 1:
            raise RuntimeError(
                f"expected scalar type {cpp_name(input.dtype)} but found"
                f" {cpp_name(parameters[1].dtype)}"
            )
    with no_grad():
        x = widened(input.contiguous())
        if is_meta:  # torch's reference warns of tensors without elements
            var_mean(x, dims, correction=0, keepdim=True)
        centered = x - x.mean(dims, keepdim=True)
        scale = (centered.square().mean(dims, keepdim=True) + eps).sqrt().reciprocal()
        result = centered * scale
        result = result if weight is None else result * weight
        result = (result if bias is None else result + bias).to(input.dtype)
    sources = (input, *parameters)
    return with_grad_fn(result, sources, "NativeLayerNormBackward0")


_parse_rms_norm = Parser(
    "rms_norm(Tensor input, SymIntArrayRef normalized_shape, Tensor? weight=None, double? eps=None)"
)


@is_python_frame
def rms_norm(
    input: Tensor,
    normalized_shape: Any,
    weight: Tensor | None = None,
    eps: float | None = None,
) -> Tensor:
    """Return the input divided by its root mean square over its last dimensions (layer_norm.cpp).

    ``eps`` is added to the mean square; the default is that of the dtype.
    """
    input, shape, weight, eps = _parse_rms_norm((input, normalized_shape, weight, eps), {})
    dims = _check_normalized(input, tuple(shape), ("weight", weight), star="")
    if weight is not None and weight.dtype is not input.dtype:
        names = [cpp_type(x.dtype) for x in (input, weight)]  # type: ignore[arg-type]  # of the stub
        text = (
            "Mismatch dtype between input and weight: input dtype = {}, weight dtype = {}, Cannot"
        )
        text = text.format(*names) + " dispatch to fused implementation."
        warn_once(triggered_at(text, "aten/src/ATen/native/layer_norm.cpp:346"))
    _check_kernel("rms_norm", input, has_complex=True)
    x = widened(input)
    if eps is None:
        eps = finfo(x.dtype).eps
    result = x * x.pow(2).mean(dims, keepdim=True).add_(eps).rsqrt()
    return (result if weight is None else result * weight).contiguous().to(input.dtype)
