"""torch.normal, with means and standard deviations as numbers or tensors.

It follows aten/src/ATen/native/DistributionTemplates.h.
"""

from typing import Any

from ..._argparser.parser import Parser
from ..._autograd.autograd_meta import bump_version
from ..._devices.device import CPU, META
from ..._dtypes.constants import COMPLEX32, FLOAT32, FLOAT64
from ..._dtypes.default_dtype import get_default_dtype
from ..._dtypes.table import dtype
from ..._geometry import strides
from ..._geometry.broadcasting import broadcast_pair
from ..._geometry.geometry import dense, on_device, strided
from ..._numerics.encode_scalar import ScalarPath, encode_scalar
from ..._numerics.rounding import FLOAT_DTYPES, check_supported
from ..._random.generator import Generator, stream_of
from ..._random.mt19937 import MT19937Stream
from ..._random.normal import normal as draw_normal
from ..._runtime.device_modes import DEVICE_MODE_THREADS
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.allocation import empty_with, resize_output, warn_complex32
from ..._tensor.data_access import raw_array
from ..._tensor.factories import OPTIONS
from ..._tensor.out_autograd import (
    check_no_complex_result,
    check_no_grad_out,
    gradient_check,
)
from ..._tensor.sparse_dispatch import dispatch_sparse
from ..._tensor.tensor import Tensor, shallow_copy
from ..._tensor.views import record_grad_fn
from ..common.array_plans import is_noting, note_arrays, with_array_plans
from ..common.conj_neg_fallback import (
    late_warnings,
    resolve_conj_neg,
    run_resolved,
    write_to_clone,
)
from ..common.cuda_kernels import check_kernel, check_out_kernel
from ..common.device_checks import check_copied_out, common_device
from ..common.meta_reference import (
    check_conversions,
    into_meta,
    is_on_meta,
    reference_shape,
    warn_of_result,
)
from ..common.out_argument import bind
from ..common.reference_dtypes import reference_dtype
from ..common.reference_strides import COMPUTED_IN_ANOTHER
from ..elementwise.arithmetic import ADD, MUL
from .draw import NORMAL, SIZES, draw_new, fill, normal_draw, plain_size, random_tensor

_parse_normal = Parser(
    "normal(Tensor mean, Tensor std, *, Generator? generator=None, Tensor out=None)",
    "normal(Tensor mean, double std=1, *, Generator? generator=None, Tensor out=None)",
    "normal(double mean, Tensor std, *, Generator? generator=None, Tensor out=None)",
    "normal(double mean, double std, SymIntArrayRef size, *, Generator? generator=None,"
    f" Tensor out=None, {OPTIONS})",
)


_NUMBERS = frozenset({int, float})


@with_array_plans
def normal(*args: Any, **keywords: Any) -> Tensor:
    """normal(mean, std, size=None, ...): return normal random numbers.

    >>> import impl as torch
    >>> torch.normal(torch.tensor([0.0, 100.0]), 0.0)
    tensor([  0., 100.])
    """
    if len(args) == 3 and not keywords and not DEVICE_MODE_THREADS:
        *numbers, size = args
        shape = plain_size(size) if type(size) in SIZES else None
        if shape and all(type(number) in _NUMBERS and abs(number) < 2**53 for number in numbers):
            return draw_new(shape, get_default_dtype(), None, normal_draw(*map(float, numbers)))
    overload, bound = bind(_parse_normal, args, keywords)
    if overload == 3:
        mean, std, shape, generator, *rest = bound
        draw = normal_draw(mean, std)
        return random_tensor("normal", shape, generator, draw, get_default_dtype(), *rest)
    operands, out, check_gradients = bound[:2], bound[-1], gradient_check("normal")
    check_copied_out("normal", operands, out, check_gradients)
    if out is None:
        check_kernel("normal", operands)
    else:
        check_out_kernel("normal", operands, out, check_gradients)
    return _normal_of_tensors(overload, *bound)


def _normal_of_tensors(
    overload: int, mean: Any, std: Any, generator: Generator | None, out: Tensor | None
) -> Tensor:
    if out is not None and out._conj_neg:
        return write_to_clone(
            out, lambda clone: _normal_of_tensors(overload, mean, std, generator, clone)
        )
    if any(isinstance(x, Tensor) and x._geometry.is_sparse for x in (mean, std, out)):
        result: Tensor = dispatch_sparse("normal", mean, std, out=out)
        return result
    if late_warnings((mean, std)):
        return run_resolved(
            lambda *pair: _normal_of_tensors(overload, pair[0], pair[1], generator, out),
            (mean, std),
        )
    mean, std = (resolve_conj_neg(x) if isinstance(x, Tensor) else x for x in (mean, std))
    tensors = tuple(x for x in (mean, std) if isinstance(x, Tensor))
    if out is not None:
        check_no_grad_out("normal", *tensors, out)
    if is_on_meta(out, *tensors):
        result = _normal_on_meta(mean, std, generator, out)
        return result if out is not None else _record(overload, result, tensors)
    _check_std(std)
    shapes = [tensor._geometry.shape for tensor in tensors]
    shape = shapes[0] if len(shapes) == 1 else broadcast_pair(*shapes)
    if not isinstance(mean, Tensor):
        mean = _full(mean, (tensors[0] if out is None else out)._dtype)
    if out is None:
        result = empty_with(dense(shape), tensors[0]._dtype, common_device(tensors))
    else:
        result = out
        if overload == 1:
            shape = broadcast_pair(shape, out._geometry.shape)
        resize_output(out, shape)
    _fill_normal(result, mean, std, generator)
    if out is not None:
        bump_version(out)
        return result
    return _note_normal(_record(overload, result, tensors), mean, std, tensors)


def _note_normal(result: Tensor, mean: Tensor, std: Any, tensors: tuple[Tensor, ...]) -> Tensor:
    """Note that a call draws its result from the default generator, and return the result."""
    geometry, dtype = result._geometry, result._dtype
    are_alike = all(x._dtype is dtype and x._geometry is geometry for x in tensors)
    if not (is_noting() and are_alike and geometry.numel and dtype in (FLOAT32, FLOAT64)):
        return result
    shape, count = geometry.shape, geometry.numel
    fixed_mean = raw_array(mean) if len(tensors) == 1 and mean is not tensors[0] else None
    # The function keeps no operand alive.
    scale, is_scaled = (1.0, True) if isinstance(std, Tensor) else (std, False)

    def compute(*arrays: Any) -> Any:
        if is_scaled and not arrays[-1].min() >= 0:
            return None
        samples = draw_normal(stream_of(None), count, dtype, 0.0, scale)
        samples = samples.reshape(shape)
        if is_scaled:
            samples *= arrays[-1]
        samples += arrays[0] if fixed_mean is None else fixed_mean
        return samples

    return note_arrays(compute, result, *tensors, is_plain=True)  # type: ignore[no-any-return]


def _record(overload: int, result: Tensor, tensors: tuple[Tensor, ...]) -> Tensor:
    """Record a result in autograd, and return it."""
    inner_nodes = ("AddBackward0",) if overload == 1 else ("MulBackward0", "AddBackward0")
    record_grad_fn(result, tensors, f"NormalBackward{_NODES[overload]}", *inner_nodes)
    check_no_complex_result("normal", result)
    return result


def _normal_on_meta(mean: Any, std: Any, generator: Generator | None, out: Tensor | None) -> Tensor:
    """Return the result on meta, or ``out`` (normal in torch/_refs, which multiplies by std).

    Torch omits an argument equal to its default, so that the reference's default, an int, is used.
    """
    tensors = [x for x in (mean, std) if isinstance(x, Tensor)]
    is_omitted = not isinstance(std, Tensor) and std == 1
    std = 1 if is_omitted else std
    dtype = reference_dtype((mean,) if is_omitted else (mean, std))
    if not isinstance(std, Tensor):
        if dtype.is_complex and std != 1:
            raise TypeError("'>=' not supported between instances of 'complex' and 'int'")
        check(std >= 0, lambda: f"normal expects std >= 0.0, but found std {std}")
    check_conversions(tensors, dtype)
    shape = reference_shape(*tensors)
    check(
        dtype.is_floating_point or dtype.is_complex,
        lambda: f"expected a floating-point or complex dtype, but got dtype={dtype}",
    )
    warn_of_result(dtype if out is None else out._dtype)
    samples = empty_with(on_device(dense(shape), tensors[0]._geometry.device), dtype, warns=False)
    _check_samples(samples)
    if samples._geometry.device is CPU:
        fill(samples, generator, NORMAL)  # torch draws before it looks at devices
    device = common_device([*tensors[1:], samples, tensors[0]])
    stride = dense(shape).stride
    if isinstance(std, Tensor):
        stride = strides.by_reference(shape, (_layout(std, dtype), (shape, stride)))
    means = (_layout(mean, dtype),) if isinstance(mean, Tensor) else ()
    stride = strides.by_reference(shape, ((shape, stride), *means))
    result = on_device(strided(shape, stride), device)
    if out is None:
        return empty_with(result, dtype, device, warns=False)
    bump_version(into_meta("normal", out, result, dtype))
    return out


def _layout(tensor: Tensor, dtype: dtype) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the shape and the strides of a tensor, converted to the dtype that computes one."""
    shape, stride = tensor._geometry.shape, tensor._geometry.stride
    is_kept = tensor._dtype is dtype and dtype not in COMPUTED_IN_ANOTHER
    return shape, stride if is_kept else strides.like(shape, stride)


_NODES = (3, 1, 2)


def _check_std(std: float | Tensor) -> None:
    if not isinstance(std, Tensor):
        draw_normal(MT19937Stream(), 0, FLOAT32, 0.0, std)
        return
    check(not std._dtype.is_complex, lambda: "normal expects standard deviation to be non-complex")
    if std._geometry.device is META:
        return
    check(
        not std._geometry.numel or PUBLIC["min"](std).item() >= 0,
        lambda: "normal expects all elements of std >= 0.0",
    )


def _fill_normal(
    result: Tensor, mean: Tensor, std: float | Tensor, generator: Generator | None
) -> None:
    """Draw, multiply by ``std`` and add ``mean``; each step rounds, as in torch."""
    _check_samples(result)
    samples = shallow_copy(result)  # torch counts no write
    if isinstance(std, Tensor):
        fill(result, generator, NORMAL)
        MUL.inplace(samples, std)
    else:
        if result._dtype is COMPLEX32:
            warn_complex32()  # torch makes a tensor of std for its shape
        fill(result, generator, normal_draw(0.0, std))
    ADD.inplace(samples, mean)


def _check_samples(samples: Tensor) -> None:
    """Raise for a dtype without a kernel, before any other check of the tensor that is filled."""
    dtype, geometry = samples._dtype, samples._geometry
    if geometry.device is CPU and geometry.numel and not dtype.is_complex:
        check_supported("normal_kernel_cpu", dtype, FLOAT_DTYPES)


def _full(value: float, dtype: dtype) -> Tensor:
    """Return a 0-dim tensor of a number."""
    result = empty_with(dense(()), dtype)
    raw_array(result)[...] = encode_scalar(value, dtype, ScalarPath.SCALAR_ZERO_DIM)
    return result


PUBLIC["normal"] = normal
