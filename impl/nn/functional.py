"""torch.nn.functional: the functions of layers, composed of operators as in ATen."""

import warnings as _warnings
from collections.abc import Callable as _Callable
from math import prod as _prod
from typing import Any as _Any

from .. import (
    Tensor,
    addmm as _addmm,
    bfloat16 as _bfloat16,
    channels_last as _channels_last,
    channels_last_3d as _channels_last_3d,
    contiguous_format as _contiguous_format,
    empty_like as _empty_like,
    finfo as _finfo,
    float16 as _float16,
    float32 as _float32,
    int32 as _int32,
    int64 as _int64,
    matmul as _matmul,
    no_grad as _no_grad,
    relu as _relu,
    relu_ as _relu_,
    var_mean as _var_mean,
    zeros as _zeros,
)
from .._argparser.parser import Parser as _Parser
from .._dtypes.cpp_names import cpp_type as _cpp_type
from .._dtypes.table import spec_of as _spec_of
from .._ops.common.type_strings import type_string as _type_string
from .._ops.elementwise.activations import gelu as gelu, silu as _silu, silu_ as _silu_
from .._runtime.errors import check as _check
from .._runtime.warnings import (
    is_python_frame as _is_python_frame,
    triggered_at as _triggered_at,
    warn_once as _warn_once,
)
from .._tensor.views import record_grad_fn as _record_grad_fn


def _cpp_name(dtype: _Any) -> str:
    return _spec_of(dtype).cpp_name


_HALVES = (_bfloat16, _float16)


def _check_normalized(
    input: Tensor,
    shape: tuple[int, ...],
    *parameters: tuple[str, Tensor | None],
    star: str,
    is_meta: bool = False,
) -> tuple[int, ...]:
    """Return the dimensions of a normalization; raise if a shape does not fit."""
    _check(
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
        raise NotImplementedError(f"\"{name}\" not implemented for '{_cpp_name(dtype)}'")


_parse_layer_norm = _Parser(
    "layer_norm(Tensor input, IntArrayRef normalized_shape, Tensor? weight=None,"
    " Tensor? bias=None, double eps=1e-05, bool cudnn_enable=True)"
)


@_is_python_frame
def layer_norm(
    input: Tensor,
    normalized_shape: _Any,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Return the input with mean 0 and variance 1 over its last dimensions (layer_norm.cpp)."""
    arguments = input, normalized_shape, weight, bias, eps, True
    input, shape, weight, bias, eps, _ = _parse_layer_norm(arguments, {})
    parameters = [x for x in (weight, bias) if x is not None]
    is_meta = any(x.is_meta for x in (input, *parameters))
    if not is_meta and parameters and parameters[0].dtype is not input.dtype:
        _check(
            all(x.dtype is _float32 for x in parameters),
            lambda: "mixed dtype (CPU): expect parameter to have scalar type of Float",
        )
        _check(
            input.dtype.is_floating_point and input.dtype.itemsize < 4,
            lambda: "mixed dtype (CPU): all inputs must share same datatype.",
        )
    named = ("weight", weight), ("bias", bias)
    dims = _check_normalized(input, tuple(shape), *named, star=", ", is_meta=is_meta)
    if is_meta:
        _check(
            input.dtype.is_floating_point or input.dtype.is_complex,
            lambda: "var_mean only support floating point and complex dtypes",
        )
    else:
        _check_kernel("LayerNormKernelImpl", input, has_complex=False)
        dtypes = {x.dtype for x in parameters}
        if len(dtypes) > 1:
            raise RuntimeError(
                f"expected scalar type {_cpp_name(input.dtype)} but found"
                f" {_cpp_name(parameters[1].dtype)}"
            )
    with _no_grad():
        x = input.contiguous().to(_float32 if input.dtype in _HALVES else input.dtype)
        if is_meta:  # torch's reference warns of tensors without elements
            _var_mean(x, dims, correction=0, keepdim=True)
        centered = x - x.mean(dims, keepdim=True)
        scale = (centered.square().mean(dims, keepdim=True) + eps).sqrt().reciprocal()
        result = centered * scale
        result = result if weight is None else result * weight
        result = (result if bias is None else result + bias).to(input.dtype)
    sources = (input, *parameters)
    return _record_grad_fn(result.detach(), sources, "NativeLayerNormBackward0")  # type: ignore[return-value, arg-type]  # of the stub


_parse_rms_norm = _Parser(
    "rms_norm(Tensor input, SymIntArrayRef normalized_shape, Tensor? weight=None, double? eps=None)"
)


@_is_python_frame
def rms_norm(
    input: Tensor,
    normalized_shape: _Any,
    weight: Tensor | None = None,
    eps: float | None = None,
) -> Tensor:
    """Return the input divided by its root mean square over its last dimensions (layer_norm.cpp).

    ``eps`` is added to the mean square; the default is that of the dtype.
    """
    input, shape, weight, eps = _parse_rms_norm((input, normalized_shape, weight, eps), {})
    dims = _check_normalized(input, tuple(shape), ("weight", weight), star="")
    if weight is not None and weight.dtype is not input.dtype:
        names = [_cpp_type(x.dtype) for x in (input, weight)]  # type: ignore[arg-type]  # of the stub
        text = (
            "Mismatch dtype between input and weight: input dtype = {}, weight dtype = {}, Cannot"
        )
        text = text.format(*names) + " dispatch to fused implementation."
        _warn_once(_triggered_at(text, "aten/src/ATen/native/layer_norm.cpp:346"))
    _check_kernel("rms_norm", input, has_complex=True)
    x = input.to(_float32 if input.dtype in _HALVES else input.dtype)
    if eps is None:
        eps = _finfo(x.dtype).eps
    result = x * x.pow(2).mean(dims, keepdim=True).add_(eps).rsqrt()
    return (result if weight is None else result * weight).contiguous().to(input.dtype)


_parse_linear = _Parser("linear(Tensor input, Tensor weight, Tensor? bias=None)")


def linear(*args: _Any, **kwargs: _Any) -> Tensor:
    """linear(input, weight, bias=None): return ``input @ weight.T + bias`` (Linear.cpp)."""
    input, weight, bias = _parse_linear(args, kwargs)
    rank = input.dim()
    _check(
        rank and weight.dim(),
        lambda: (
            f"both arguments to linear need to be at least 1D, but they are {rank}D and"
            f" {weight.dim()}D"
        ),
    )
    if bias is None:
        return _matmul(input, weight.t())
    if rank == 2:
        return _addmm(bias, input, weight.t())
    if bias.dim() == 1 and weight.dim() == 2 and input.is_contiguous():
        *outer, size = input.shape
        flat = _addmm(bias, input.reshape(_prod(outer), size), weight.t())
        return flat.view(*outer, flat.size(1))
    product = _matmul(input, weight.t())
    # Biases on meta and sparse ones count as subclasses (TensorSubclassLikeUtils.h).
    return product.add(bias) if bias.is_meta or bias.is_sparse else product.add_(bias)


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return the larger one of each element and zero."""
    return _relu_(input) if inplace else _relu(input)


@_is_python_frame
def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return each element times its sigmoid."""
    return _silu_(input) if inplace else _silu(input)  # type: ignore[no-any-return]


@_is_python_frame
def sigmoid(input: Tensor) -> Tensor:
    """Return the logistic function of each element."""
    return input.sigmoid()


@_is_python_frame
def tanh(input: Tensor) -> Tensor:
    """Return the hyperbolic tangent of each element."""
    return input.tanh()


@_is_python_frame
def softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: int | None = None
) -> Tensor:
    """Return the exponentials of elements, divided by their sum along a dimension."""
    if dim is None:
        dim = _implicit_dim("softmax", input.dim(), _stacklevel)
    return input.softmax(dim) if dtype is None else input.softmax(dim, dtype=dtype)  # type: ignore[arg-type]  # torch annotates int


@_is_python_frame
def log_softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: int | None = None
) -> Tensor:
    """Return the logarithms of softmax along a dimension."""
    if dim is None:
        dim = _implicit_dim("log_softmax", input.dim(), _stacklevel)
    return input.log_softmax(dim) if dtype is None else input.log_softmax(dim, dtype=dtype)  # type: ignore[arg-type]  # torch annotates int


def _implicit_dim(name: str, rank: int, level: int) -> int:
    """Return the dimension that a call without one means, with a warning."""
    _warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include"
        " dim=X as an argument.",
        stacklevel=level,
    )
    return 0 if rank in (0, 1, 3) else 1


_parse_dropout = _Parser("dropout(Tensor input, double p, bool train)")
_parse_dropout_ = _Parser("dropout_(Tensor input, double p, bool train)")


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
        noise = _zeros((), dtype=input.dtype, device=input.device)
    else:
        noise = _empty_like(input).bernoulli_(1 - p).div_(1 - p)
    return input.mul_(noise) if inplace else input * noise


def _padding_index(padding_idx: int | None, size: _Callable[[], int]) -> int | None:
    """Return the index of the vector of padding, counted from the start."""
    if padding_idx is None:
        return None
    is_outside = False
    if padding_idx > 0:
        is_outside = padding_idx >= size()
    elif padding_idx < 0:
        is_outside = padding_idx < -size()
    if is_outside:
        raise AssertionError("Padding_idx must be within num_embeddings")
    return size() + padding_idx if padding_idx < 0 else padding_idx


_parse_embedding = _Parser(
    "embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1,"
    " bool scale_grad_by_freq=False, bool sparse=False)"
)


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Return the rows of ``weight`` at the indices in ``input`` (Embedding.cpp)."""
    padding = _padding_index(padding_idx, lambda: weight.size(0))
    padding = -1 if padding is None else padding
    if max_norm is not None:
        input = input.contiguous()
        raise NotImplementedError("impl does not renormalize the rows of an embedding (max_norm)")
    options = padding, scale_grad_by_freq, sparse
    weight, indices, *_ = _parse_embedding((weight, input, *options), {})
    is_on_meta = weight.is_meta or indices.is_meta
    if weight.dim() != 2:
        if is_on_meta:  # torch/_decomp/decompositions.py
            raise AssertionError(f"'weight' must be 2-D, got {weight.dim()}-D")
        raise RuntimeError("'weight' must be 2-D")
    _check(
        indices.dtype in (_int64, _int32),
        lambda: (
            "Expected tensor for argument #1 'indices' to have one of the following scalar types:"
            " Long, Int; but got "
            + (
                f"{indices.dtype} instead"
                if is_on_meta
                else f"{_type_string(indices)} instead (while checking arguments for embedding)"
            )
        ),
    )
    with _no_grad():
        rows = weight.index_select(0, indices.reshape(-1))
        result = rows if indices.dim() == 1 else rows.view(*indices.shape, weight.size(1))
    return _record_grad_fn(result.detach(), (weight,), "EmbeddingBackward0")  # type: ignore[return-value, arg-type]  # of the stub


_parse_pad = _Parser(
    'pad(Tensor input, SymIntArrayRef pad, c10::string_view mode="constant", double? value=None)'
)
_NOT_CONSTANT = ("reflect", "replicate", "circular")


def pad(input: Tensor, pad: _Any, mode: str = "constant", value: float | None = None) -> Tensor:
    """Return the input with a constant before and after its last dimensions (PadNd.cpp).

    ``pad`` has two sizes for each dimension, of the last dimension first; negative ones cut off.
    """
    input, sizes, mode, value = _parse_pad((input, pad, mode, value), {})
    if mode != "constant" and mode not in _NOT_CONSTANT:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    _check(len(sizes) % 2 == 0, lambda: "Padding length must be divisible by 2")
    rank = input.dim()
    _check(
        len(sizes) <= 2 * rank,
        lambda: (
            "Padding length should be less than or equal to two times the input dimension but got"
            f" padding length {len(sizes)} and input of dimension {rank}"
        ),
    )
    if mode != "constant":
        _check(
            value is None or value == 0,
            lambda: f'Padding mode "{mode}" doesn\'t take in value argument',
        )
        raise NotImplementedError(f"impl pads with constants only, not with mode {mode!r}")
    before, after = sizes[::2], sizes[1::2]
    sides = [*zip(range(rank - 1, -1, -1), before, after, strict=False)]
    with _no_grad():
        result = _padded(input, sides, 0.0 if value is None else value)
    return _record_grad_fn(result.data, (input,), "ConstantPadNdBackward0")  # type: ignore[return-value, arg-type]  # of the stub


def _padded(input: Tensor, sides: list[tuple[int, int, int]], value: float) -> Tensor:
    """Return a padded tensor; ``sides`` has dimensions and the sizes before and after them."""
    part, shape = input, [*input.shape]
    for dim, before, after in reversed(sides):
        if before < 0:
            part = part.narrow(dim, -before, part.size(dim) + before)
        if after < 0:
            part = part.narrow(dim, 0, part.size(dim) + after)
        shape[dim] += before + after
    if all(before <= 0 and after <= 0 for _, before, after in sides):
        return part.clone()
    for dim, before, after in reversed(sides):
        _check(
            shape[dim] >= 0,
            lambda dim=dim, sizes=(before, after): (  # type: ignore[misc]
                f"The input size {input.size(dim)}, plus negative padding {sizes[0]} and"
                f" {sizes[1]}, resulted in a negative output size, which is invalid. Check"
                f" dimension {dim} of your input."
            ),
        )
    output = _empty_like(input.new_empty(shape), memory_format=_suggested(input)).fill_(value)
    inner = output
    for dim, before, after in sides:
        inner = inner.narrow(dim, max(before, 0), shape[dim] - max(before, 0) - max(after, 0))
    inner.copy_(part)
    return output


def _suggested(tensor: Tensor) -> _Any:
    """Return the memory format that new tensors like this one have (suggest_memory_format)."""
    for memory_format, rank in ((_channels_last, 4), (_channels_last_3d, 5)):
        if (
            tensor.dim() == rank
            and not tensor.is_contiguous()
            and tensor.is_contiguous(memory_format=memory_format)
        ):
            return memory_format
    return _contiguous_format
