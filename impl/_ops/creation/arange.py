"""The factories arange, range and eye.

They follow aten/src/ATen/native: RangeUtils.h (number of elements), RangeFactories.cpp and
cpu/RangeFactoriesKernel.cpp (elements).
"""

from functools import partial
from math import ceil, isfinite
from typing import Any

from ..._argparser.parser import Parser
from ..._argparser.types import is_integral_dtype
from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._devices.device import META
from ..._dtypes.constants import BOOL, COMPLEX32, COMPLEX64, COMPLEX128, FLOAT4_E2M1FN_X2, INT64
from ..._dtypes.default_dtype import get_default_dtype
from ..._dtypes.table import as_dtype, dtype
from ..._geometry import extents
from ..._geometry.geometry import dense
from ..._kernels.sequences import arange_elements, range_elements
from ..._numerics.encode_scalar import ScalarPath, encode_scalar
from ..._numerics.rounding import format_number
from ..._runtime.device_modes import DEVICE_MODE_THREADS, without_device_mode
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._runtime.torch_function import overridable_part
from ..._runtime.warnings import warn
from ..._storage.untyped_storage import check_named_device
from ..._tensor.allocation import (
    check_zeroed,
    empty_on_meta,
    empty_tensor,
    full_of_raw,
    resize_contiguous,
    resize_factory_out,
    warn_complex32,
)
from ..._tensor.data_access import raw_array, tensor_from_raw
from ..._tensor.factories import OPTIONS, check_options
from ..._tensor.out_autograd import (
    check_no_leaf,
    check_no_sparse_out,
    record_out,
    set_requires_grad_if,
)
from ..._tensor.tensor import Tensor
from ..common.conj_neg_fallback import through_clone
from ..common.out_argument import bind_factory, check_out_options
from .sequence_common import (
    ACC_DTYPE,
    INT_ONLY,
    as_double,
    check_allocatable,
    check_kernel,
    plain_number,
    resize_row,
    write_row,
)


def _check_bounds(start: Any, end: Any, step: Any) -> tuple[float, float, float]:
    first, last, stride = as_double(start), as_double(end), as_double(step)
    check(stride > 0 or stride < 0, lambda: "step must be nonzero")
    check(
        abs(first) < float("inf") and abs(last) < float("inf"),
        lambda: f"unsupported range: {format_number(first)} -> {format_number(last)}",
    )
    check(
        last >= first if stride > 0 else last <= first,
        lambda: "upper bound and lower bound inconsistent with step sign",
    )
    return first, last, stride


def _compute_size(start: Any, end: Any, step: Any, dtype: dtype) -> int:
    """Return the size of arange, computed in int64 for int64 and in double for other dtypes."""
    first, last, stride = _check_bounds(start, end, step)
    size: float
    if dtype is INT64:
        low, high, int_step = (int(_to_acc_type(x, dtype)) for x in (start, end, step))
        check(int_step, lambda: "step must be nonzero", ValueError)
        distance = extents.as_int64(high - low + int_step - (1 if int_step > 0 else -1))
        size = float(_truncated_div(distance, int_step))
    else:
        size = np.ceil((last - first) / stride)
    check(0 <= size <= 2.0**63, lambda: "invalid size, possible overflow?")
    return extents.as_int64(int(size))


def _check_size(count: int) -> None:
    """Raise if the number of elements overflowed int64."""
    check(
        count >= 0,
        lambda: f"IntArrayRef contains an int that cannot be represented as a SymInt: {count}",
    )


def _truncated_div(number: int, divisor: int) -> int:
    """Return the quotient rounded toward zero, as in C++."""
    quotient = abs(number) // abs(divisor)
    return quotient if (number < 0) == (divisor < 0) else -quotient


_NAMES = ("start", "end", "step")


def _count_of_reference(start: Any, end: Any, step: Any, dtype: dtype) -> int:
    """Return the size of arange on meta (arange in torch/_refs)."""
    numbers = start, end, step
    are_complex = [isinstance(number, complex) for number in numbers]
    check(
        True not in are_complex,
        lambda: f"arange does not support complex {_NAMES[are_complex.index(True)]}",
        AssertionError,
    )
    check(step != 0, lambda: "step must be nonzero")
    check(
        end >= start if step > 0 else not step < 0 or end <= start,
        lambda: "upper bound and lower bound inconsistent with step sign",
    )
    check(isfinite(start) and isfinite(end), lambda: f"unsupported range: {start} -> {end}")
    check(isfinite(step), lambda: f"step must be finite but got {step}")
    are_integers = all(isinstance(number, int) for number in numbers)
    if dtype is INT64 or are_integers:
        first, last, stride = [int(number) for number in numbers]
        check(stride, lambda: "step must be nonzero", ValueError)
        size: int = (last - first + stride - (1 if stride > 0 else -1)) // stride
    else:
        size = ceil((end - start) / step)
    if is_integral_dtype(dtype, or_bool=False):
        _check_iota(length=size, start=int(start), step=int(step))
        check(int(step), lambda: "step must be nonzero")
    else:
        _check_iota(length=size)
        extents.contiguous_bytes((size,), INT64.itemsize)  # of the indices
    return size


def _check_iota(**numbers: int) -> None:
    """Raise if an argument of prims.iota is no int64."""
    for position, (name, number) in enumerate(numbers.items()):
        check(-(2**63) <= number < 2**63, partial(_no_int64_of_iota, name, position, number))


def _no_int64_of_iota(name: str, position: int, number: int) -> str:
    return (
        f"prims::iota() Expected a value of type 'int' for argument '{name}' but instead found type"
        f" 'int'.\nPosition: {position}\nValue: {number}\nDeclaration: prims::iota(SymInt length,"
        " *, SymInt start, SymInt step, ScalarType dtype, Device device, bool requires_grad) ->"
        " Tensor\nCast error details: Unable to cast Python instance of type <class 'int'> to C++"
        " type '?' (#define PYBIND11_DETAILED_ERROR_MESSAGES or compile in debug mode for details)"
    )


# arange and range

_STEPS = "Scalar start, Scalar end, Scalar step=1"
_parse_arange = Parser(
    f"arange(Scalar end, *, Tensor out=None, {OPTIONS})",
    f"arange(Scalar start, Scalar end, *, {OPTIONS})",
    f"arange({_STEPS}, *, Tensor out=None, {OPTIONS})",
)


def arange(*args: Any, **keywords: Any) -> Tensor:
    """arange(start=0, end, step=1, ...): the numbers from ``start`` up to ``end``, exclusive.

    The dtype defaults to int64 if all three are integers, else to the default dtype.

    >>> import impl as torch
    >>> torch.arange(3), torch.arange(1, 2, 0.5)
    (tensor([0, 1, 2]), tensor([1.0000, 1.5000]))
    """
    if (
        not keywords
        and not DEVICE_MODE_THREADS
        and 0 < len(args) < 4
        and INT_ONLY.issuperset(map(type, args))
    ):
        bounds = (0, *args) if len(args) == 1 else args
        start, end, step = bounds if len(bounds) == 3 else (*bounds, 1)
        if (
            step
            and 0 <= (end - start) // step < _MAX_SIZE
            and -_BOUND < start < _BOUND > abs(step)
            and -(2**62) < end < 2**62
        ):
            return tensor_from_raw(np.arange(start, end, step), INT64)
    return _bind_arange(args, keywords)


@overridable_part("arange")
def _bind_arange(args: Any, keywords: Any) -> Tensor:
    overload, bound = bind_factory(_parse_arange, args, keywords)
    if overload == 0:
        end, out, *options = bound
        return _arange(0, end, 1, out, *options)
    if overload == 1:
        start, end, *options = bound
        return _arange(start, end, 1, None, *options)
    return _arange(*bound)


_MAX_SIZE = 2**27
_BOUND = 2**50
"""Within these bounds every argument is valid and no sum overflows."""


def _arange(
    start: Any, end: Any, step: Any, out: Tensor | None, dtype: Any, *options: Any
) -> Tensor:
    layout, device, pin, grad = options
    numbers = plain_number(start), plain_number(end), plain_number(step)
    if out is not None:
        return _arange_out(out, *numbers, grad)
    device = check_options("arange", layout, device, pin, meta=True)
    check(
        device is not META or not pin,
        lambda: "PrimTorch does not support pinned memory",
        NotImplementedError,
    )
    if dtype is not None:
        dtype = as_dtype(dtype)
    elif all(isinstance(number, int) for number in numbers):
        dtype = INT64
    else:
        dtype = get_default_dtype()
    if dtype is COMPLEX32 and device is not META:
        warn_complex32()
    if device is META:
        count = _count_of_reference(*numbers, dtype)
        result = empty_tensor((count,), dtype, META, by_reference=True)
        return set_requires_grad_if(result, grad)
    check_kernel("arange_cpu", dtype)
    count = _compute_size(*numbers, dtype)
    _check_size(count)
    check_allocatable((count,), dtype)
    return set_requires_grad_if(
        tensor_from_raw(_arange_raw(*numbers, count, dtype), dtype, device), grad
    )


def _arange_raw(start: Any, end: Any, step: Any, count: int, dtype: dtype) -> Any:
    if not count:
        # The kernel converts its start even if there are no elements.
        _to_acc_type(start, dtype)
    return arange_elements(_to_acc_type(start, dtype), _to_acc_type(step, dtype), count, dtype)


def _to_acc_type(value: Any, dtype: dtype) -> Any:
    """Return a number in the accumulate type of the kernel (at::acc_type)."""
    return encode_scalar(value, ACC_DTYPE.get(dtype, dtype), ScalarPath.SCALAR)


@through_clone
def _arange_out(out: Tensor, start: Any, end: Any, step: Any, grad: Any) -> Tensor:
    check_no_leaf("aten::arange", out)
    dtype = out._dtype
    if out._geometry.device is META:
        count = _count_of_reference(start, end, step, dtype)
        return record_out(resize_factory_out(out, (count,)), grad)
    check_kernel("arange_cpu", dtype)
    count = _compute_size(start, end, step, dtype)
    numel = out._geometry.numel
    if numel not in (0, count):
        warn(
            f"The number of elements in the out tensor of shape {[*out._geometry.shape]} is"
            f" {numel} which does not match the computed number of elements {count}. Note that"
            " this may occur as a result of rounding error. The out tensor will be resized to a"
            f" tensor of shape ({count},). (Triggered internally at"
            " /__w/pytorch/pytorch/aten/src/ATen/native/RangeFactories.cpp:199.)"
        )
    _check_size(count)
    resize_row(out, count)
    write_row(out, _arange_raw(start, end, step, count, dtype))
    return record_out(out, grad)


_parse_range = Parser(
    f"range({_STEPS}, *, Tensor out=None, ScalarType dtype=None, Layout layout=torch.strided,"
    " Device device=None, bool requires_grad=False)"
)


@without_device_mode
def range(*args: Any, **keywords: Any) -> Tensor:
    """range(start, end, step=1, ...): the numbers up to ``end``, inclusive; deprecated."""
    signature, values = _parse_range.match(args, keywords)
    warn(
        "torch.range is deprecated and will be removed in a future release because its behavior is"
        " inconsistent with Python's range builtin. Instead, use torch.arange, which produces"
        " values in [start, end)."
    )
    check_out_options(signature, values)
    if keywords.get("out") is None:
        check_named_device(signature, values, guards=True)
    start, end, step, out, dtype, layout, device, grad = signature.convert(values)
    numbers = plain_number(start), plain_number(end), plain_number(step)
    if out is not None:
        return _range_out(out, *numbers, grad)
    device = check_options("range", layout, device, False, meta=True)
    dtype = get_default_dtype() if dtype is None else as_dtype(dtype)
    if dtype is COMPLEX32:
        warn_complex32()  # torch makes an empty tensor first
    if device is META:
        *_, count = _range_bounds(*numbers, dtype)
        # Torch resizes the result; a storage never shrinks.
        nbytes = max(0, extents.as_int64(count * dtype.itemsize))
        return set_requires_grad_if(empty_on_meta(dense((count,)), nbytes, dtype), grad)
    return set_requires_grad_if(tensor_from_raw(_range_raw(*numbers, dtype), dtype, device), grad)


@through_clone
def _range_out(out: Tensor, start: Any, end: Any, step: Any, grad: Any) -> Tensor:
    check_no_leaf("aten::range", out)
    if out._geometry.device is META:
        *_, count = _range_bounds(start, end, step, out._dtype)
        if out._geometry.numel != count:
            resize_contiguous(out, dense((count,)))
        return record_out(out, grad)
    elements = _range_raw(start, end, step, out._dtype)
    resize_row(out, len(elements))
    write_row(out, elements)
    return record_out(out, grad)


def _range_raw(start: Any, end: Any, step: Any, dtype: dtype) -> Any:
    first, stride, count = _range_bounds(start, end, step, dtype)
    check_allocatable((count,), dtype)
    return range_elements(first, stride, count, dtype)


def _range_bounds(start: Any, end: Any, step: Any, dtype: dtype) -> tuple[Any, Any, int]:
    """Return the first number, the step and the count; raise if torch cannot make them."""
    check_kernel("range_cpu", dtype)
    first, last, stride = (_to_acc_type(value, dtype) for value in (start, end, step))
    _check_bounds(start, end, step)
    if dtype.is_floating_point:
        acc_type = numpy_storage_dtype(ACC_DTYPE.get(dtype, dtype)).type
        with np.errstate(all="ignore"):
            size = (acc_type(last) - acc_type(first)) / acc_type(stride) + acc_type(1)
        count = int(size) if -(2.0**63) <= size < 2.0**63 else -(2**63)
    else:
        # Torch divides by zero here and crashes.
        check(stride, lambda: "step must be nonzero")
        distance = extents.as_int64(last - first)
        count = extents.as_int64(_truncated_div(distance, stride) + 1)
    check(
        count >= -(2**62),
        lambda: f"IntArrayRef contains an int that cannot be represented as a SymInt: {count}",
    )
    check(count >= 0, lambda: "numel: integer multiplication overflow")
    return first, stride, count


# eye

_parse_eye = Parser(
    f"eye(SymInt n, *, Tensor out=None, {OPTIONS})",
    f"eye(SymInt n, SymInt m, *, Tensor out=None, {OPTIONS})",
)


def eye(*args: Any, **keywords: Any) -> Tensor:
    """eye(n, m=n, ...): a matrix with ones on the diagonal and zeros off it.

    >>> import impl as torch
    >>> torch.eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    """
    overload, bound = bind_factory(_parse_eye, args, keywords)
    rows, *rest = bound
    columns, out, dtype, layout, device, pin, grad = rest if overload else (rows, *rest)
    if out is not None:
        check_no_leaf("aten::eye", out)
        check_no_sparse_out("eye.m_out" if overload else "eye.out", out)
    else:
        device = check_options("eye", layout, device, pin, meta=True)
        dtype = get_default_dtype() if dtype is None else as_dtype(dtype)
        if dtype is COMPLEX32 and device is not META:
            warn_complex32()  # torch makes an empty tensor first
    check(rows >= 0, lambda: f"n must be greater or equal to 0, got {rows}")
    check(columns >= 0, lambda: f"m must be greater or equal to 0, got {columns}")
    shape = rows, columns
    if out is None and device is META:
        for size in shape:
            extents.contiguous_bytes((size,), INT64.itemsize)  # the reference compares two arange
    extents.numel(shape)
    if out is not None:
        return _eye_out(out, shape, grad)
    if device is META:
        if dtype is COMPLEX32:
            warn_complex32(by_reference=True)
        check_zeroed(dense(shape), dtype)
        nbytes = rows * columns * dtype.itemsize
        return set_requires_grad_if(empty_on_meta(dense(shape), nbytes, dtype), grad)
    check_allocatable(shape, dtype, device)
    check_zeroed(dense(shape), dtype)
    _check_eye(dtype)
    result = full_of_raw(shape, 0, dtype, device)
    if 0 not in shape:
        np.fill_diagonal(raw_array(result), encode_scalar(1, dtype, ScalarPath.SCALAR))
    return set_requires_grad_if(result, grad)


@through_clone
def _eye_out(out: Tensor, shape: tuple[int, ...], grad: Any) -> Tensor:
    resize_factory_out(out, shape)
    if out._geometry.device is META:
        return record_out(out, grad)
    check_zeroed(out._geometry, out._dtype)
    array = raw_array(out)
    array[...] = 0
    _check_eye(out._dtype)
    diagonal = np.arange(min(shape))
    array[diagonal, diagonal] = encode_scalar(1, out._dtype, ScalarPath.SCALAR)
    return record_out(out, grad)


def _check_eye(dtype: dtype) -> None:
    if not dtype.is_floating_point or dtype is FLOAT4_E2M1FN_X2:
        check_kernel("eye", dtype, BOOL, COMPLEX64, COMPLEX128)


for _function in (arange, range, eye):
    PUBLIC[_function.__name__] = _function
