"""torch.normal: normal numbers whose means and deviations are numbers or tensors.

The rules are in aten/src/ATen/native/DistributionTemplates.h.
"""

from typing import Any

from ..._argparser.parser import Parser
from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._autograd.autograd_meta import count_write
from ..._devices.device import META
from ..._dtypes.constants import COMPLEX32, COMPLEX64, FLOAT32
from ..._dtypes.default_dtype import get_default_dtype
from ..._dtypes.table import dtype, spec_of
from ..._geometry.broadcasting import broadcast_pair
from ..._geometry.geometry import dense
from ..._numerics.cast import convert, numbers
from ..._numerics.encode_scalar import ScalarPath, encode_scalar
from ..._numerics.promotion import can_cast
from ..._random.generator import Generator
from ..._random.mt19937 import Stream
from ..._random.normal import normal as draw_normal
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._runtime.warnings import warn
from ..._tensor.data_access import raw_array, write_cast
from ..._tensor.factories import OPTIONS, empty_with, resize_out, warn_of_complex32
from ..._tensor.out_autograd import check_no_gradients
from ..._tensor.tensor import Tensor, record_grad_fn
from ..common.conj_neg_fallback import resolved, write_to_clone
from ..common.device_checks import common_device
from ..common.out_argument import bind
from ..common.result_type import result_type_of
from .draw import NORMAL, drawn, fill, normal_draw

_parse_normal = Parser(
    "normal(Tensor mean, Tensor std, *, Generator? generator=None, Tensor out=None)",
    "normal(Tensor mean, double std=1, *, Generator? generator=None, Tensor out=None)",
    "normal(double mean, Tensor std, *, Generator? generator=None, Tensor out=None)",
    "normal(double mean, double std, SymIntArrayRef size, *, Generator? generator=None,"
    f" Tensor out=None, {OPTIONS})",
)


def normal(*args: Any, **keywords: Any) -> Tensor:
    """normal(mean, std, size=None, ...): return normal numbers; mean and std are numbers or tensors.

    >>> import impl as torch
    >>> torch.normal(torch.tensor([0.0, 100.0]), 0.0)
    tensor([  0., 100.])
    """
    which, bound = bind(_parse_normal, args, keywords)
    if which == 3:
        mean, std, shape, generator, *rest = bound
        return drawn("normal", shape, generator, normal_draw(mean, std), get_default_dtype(), *rest)
    return _normal_of_tensors(which, *bound)


def _normal_of_tensors(
    which: int, mean: Any, std: Any, generator: Generator | None, out: Tensor | None
) -> Tensor:
    if out is not None and out._conj_neg:
        return write_to_clone(
            out, lambda clone: _normal_of_tensors(which, mean, std, generator, clone)
        )
    mean, std = (resolved(each) if isinstance(each, Tensor) else each for each in (mean, std))
    tensors = tuple(each for each in (mean, std) if isinstance(each, Tensor))
    if out is not None:
        check_no_gradients("normal", *tensors, out)
    _check_std(std)
    shapes = [each._geometry.shape for each in tensors]
    shape = shapes[0] if len(shapes) == 1 else broadcast_pair(*shapes)
    if not isinstance(mean, Tensor):
        mean = _full(mean, (tensors[0] if out is None else out)._dtype)
    if out is None:
        check(
            not tensors[0]._dtype.is_complex
            or all(each._autograd_meta is None for each in tensors),
            lambda: (
                "normal does not support automatic differentiation for outputs with complex dtype."
            ),
        )
        result = empty_with(dense(shape), tensors[0]._dtype, common_device(tensors))
    else:
        result = out
        if which == 1:
            shape = broadcast_pair(shape, out._geometry.shape)
        _resize_output(out, shape)
    _fill_normal(result, mean, std, generator)
    if out is not None:
        count_write(out)
    inner = ("AddBackward0",) if which == 1 else ("MulBackward0", "AddBackward0")
    record_grad_fn(result, tensors, f"NormalBackward{_NODES[which]}", *inner)
    check(
        not result._dtype.is_complex or not result.requires_grad,
        lambda: "normal does not support automatic differentiation for outputs with complex dtype.",
    )
    return result


_NODES = (3, 1, 2)


def _check_std(std: float | Tensor) -> None:
    if not isinstance(std, Tensor):
        draw_normal(Stream(), 0, FLOAT32, 0.0, std)
        return
    check(not std._dtype.is_complex, lambda: "normal expects standard deviation to be non-complex")
    if std._geometry.device is META:
        return
    check(
        not std._geometry.numel or bool(np.all(numbers(raw_array(std), std._dtype) >= 0)),
        lambda: "normal expects all elements of std >= 0.0",
    )


def _fill_normal(
    result: Tensor, mean: Tensor, std: float | Tensor, generator: Generator | None
) -> None:
    """Draw, multiply by a tensor of deviations, and add the means: three roundings, as in torch."""
    if isinstance(std, Tensor):
        fill(result, generator, NORMAL)
        _combine(result, np.multiply, std)
    else:
        if result._dtype is COMPLEX32:
            warn_of_complex32()  # torch makes a tensor of deviations for its shape
        fill(result, generator, normal_draw(0.0, std))
    _combine(result, np.add, mean)


def _full(value: float, dtype: dtype) -> Tensor:
    """Return a 0-dim tensor of a number."""
    result = empty_with(dense(()), dtype)
    raw_array(result)[...] = encode_scalar(value, dtype, ScalarPath.SCALAR_ZERO_DIM)
    return result


def _combine(target: Tensor, operator: Any, other: Tensor) -> None:
    """Compute ``target = operator(target, other)`` in the dtype that both are promoted to."""
    common = result_type_of((target, other))
    check(
        can_cast(common, target._dtype),
        lambda: (
            f"result type {spec_of(common).cpp_name} can't be cast to the desired output type"
            f" {spec_of(target._dtype).cpp_name}"
        ),
    )
    if target._geometry.device is META:
        return
    left = numbers(convert(raw_array(target), target._dtype, common), common)
    right = numbers(convert(raw_array(other), other._dtype, common), common)
    source = FLOAT32 if common.itemsize == 2 else common
    source = COMPLEX64 if common is COMPLEX32 else source
    wide = numpy_storage_dtype(source)
    with np.errstate(all="ignore"):
        result = operator(left.astype(wide, copy=False), right.astype(wide, copy=False))
    write_cast(target, convert(result, source, common) if source is not common else result, common)


def _resize_output(out: Tensor, shape: tuple[int, ...]) -> None:
    """Give a tensor the shape of a result, and warn if it had elements (aten/src/ATen/native/Resize.cpp)."""
    if out._geometry.shape == shape:
        return
    if out._geometry.numel:
        warn(
            "An output with one or more elements was resized since it had shape"
            f" {[*out._geometry.shape]}, which does not match the required output shape"
            f" {[*shape]}. This behavior is deprecated, and in a future PyTorch release outputs"
            " will not be resized unless they have zero elements. You can explicitly reuse an out"
            " tensor t by resizing it, inplace, to zero elements with t.resize_(0). (Triggered"
            " internally at /__w/pytorch/pytorch/aten/src/ATen/native/Resize.cpp:30.)"
        )
    resize_out(out, shape)


PUBLIC["normal"] = normal
