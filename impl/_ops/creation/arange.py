"""The functions that make tensors of numbers in a row, arange and range; and eye.

The rules are in aten/src/ATen/native: RangeUtils.h (how many there are),
RangeFactories.cpp and cpu/RangeFactoriesKernel.cpp (what they are).
"""

from typing import Any

from ..._argparser.parser import Parser
from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._devices.device import META
from ..._dtypes.constants import (
    BFLOAT16,
    COMPLEX32,
    COMPLEX64,
    COMPLEX128,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    INT64,
)
from ..._dtypes.default_dtype import get_default_dtype
from ..._dtypes.table import Kind, as_dtype, dtype, spec_of
from ..._geometry import extents, strides
from ..._geometry.geometry import Geometry, dense
from ..._kernels.sequences import arange_codes, range_codes
from ..._numerics.encode_scalar import ScalarPath, encode_scalar
from ..._numerics.rounding import USUAL, format_number, raise_not_implemented
from ..._runtime.device_modes import DEVICE_MODE_THREADS, without_device_mode
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._runtime.warnings import warn
from ..._storage.untyped_storage import check_named_device, new_storage
from ..._tensor.data_access import raw_array, tensor_from_raw
from ..._tensor.factories import OPTIONS, check_options, empty_tensor, resize_out, warn_of_complex32
from ..._tensor.out_autograd import check_no_leaf, require_grad_if, returned
from ..._tensor.tensor import Tensor
from ..common.conj_neg_fallback import write_to_clone
from ..common.out_argument import bind_factory, check_given_out
from .linspace import linspace, logspace
from .sequence_common import LARGE, as_double, check_memory, plain_number, resize_row, write_row

__all__ = ["arange", "eye", "linspace", "logspace", "range"]


_INT64_END = 2**63


def _integer(value: Any) -> int:
    return int(encode_scalar(value, INT64, ScalarPath.SCALAR))


def _as_int64(number: int) -> int:
    """Wrap around, as C++ does."""
    return (number + _INT64_END) % (2 * _INT64_END) - _INT64_END


# How many there are.


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


def _count(start: Any, end: Any, step: Any, dtype: dtype) -> int:
    """Return how many elements arange has: in int64 for int64, in double for all others."""
    first, last, stride = _check_bounds(start, end, step)
    size: float
    if dtype is INT64:
        low, high, each = _integer(start), _integer(end), _integer(step)
        check(each, lambda: "step must be nonzero", ValueError)
        distance = _as_int64(high - low + each - (1 if each > 0 else -1))
        size = float(_quotient(distance, each))
    else:
        size = np.ceil((last - first) / stride)
    check(0 <= size <= 2.0**63, lambda: "invalid size, possible overflow?")
    return _as_int64(int(size))


def _check_count(count: int) -> None:
    """Refuse what became of more elements than an integer can tell."""
    check(
        count >= 0,
        lambda: f"IntArrayRef contains an int that cannot be represented as a SymInt: {count}",
    )


def _quotient(number: int, divisor: int) -> int:
    """Divide as C++ does, towards zero."""
    quotient = abs(number) // abs(divisor)
    return quotient if (number < 0) == (divisor < 0) else -quotient


# arange and range

_STEPS = "Scalar start, Scalar end, Scalar step=1"
_parse_arange = Parser(
    f"arange(Scalar end, *, Tensor out=None, {OPTIONS})",
    f"arange(Scalar start, Scalar end, *, {OPTIONS})",
    f"arange({_STEPS}, *, Tensor out=None, {OPTIONS})",
)


def arange(*args: Any, **keywords: Any) -> Tensor:
    """arange(start=0, end, step=1, ...): the numbers from ``start`` on, without ``end``.

    Without a dtype it is int64 where all three are integers, and else the default one.

    >>> import impl as torch
    >>> torch.arange(3), torch.arange(1, 2, 0.5)
    (tensor([0, 1, 2]), tensor([1.0000, 1.5000]))
    """
    if (
        not keywords
        and not DEVICE_MODE_THREADS
        and 0 < len(args) < 4
        and _INTS.issuperset(map(type, args))
    ):
        start, end, step = _STARTS[len(args)] + args + _STEPS_AFTER[len(args)]
        if step and 0 <= (end - start) // step < _MANY and -_FAR < start < _FAR > abs(step):
            return tensor_from_raw(np.arange(start, end, step), INT64)
    which, bound = bind_factory(_parse_arange, args, keywords)
    if which == 0:
        end, out, *options = bound
        return _arange(0, end, 1, out, *options)
    if which == 1:
        start, end, *options = bound
        return _arange(start, end, 1, None, *options)
    return _arange(*bound)


_INTS = frozenset({int})
_STARTS: tuple[tuple[int, ...], ...] = (), (0,), (), ()
_STEPS_AFTER: tuple[tuple[int, ...], ...] = (), (1,), (1,), ()
"""What comes before and after the arguments, by their number."""

_MANY = 2**27
_FAR = 2**50
"""Within these bounds nothing is refused and nothing overflows."""


def _arange(
    start: Any, end: Any, step: Any, out: Tensor | None, kind: Any, *options: Any
) -> Tensor:
    layout, device, pin, grad = options
    numbers = plain_number(start), plain_number(end), plain_number(step)
    if out is not None and out._conj_neg:
        return write_to_clone(out, lambda clone: _arange(start, end, step, clone, kind, *options))
    if out is not None:
        check_no_leaf("aten::arange", out)
        _arange_out(*numbers, out)
        return returned(out, grad)
    where = check_options("arange", layout, device, pin, meta=True)
    if kind is not None:
        wanted = as_dtype(kind)
    elif all(isinstance(each, int) for each in numbers):
        wanted = INT64
    else:
        wanted = get_default_dtype()
    if wanted is COMPLEX32:
        warn_of_complex32()
    _check_kernel("arange_cpu", wanted)
    count = _count(*numbers, wanted)
    _check_count(count)
    if where is META:
        return require_grad_if(empty_tensor((count,), wanted, META), grad)
    check_memory(count, wanted)
    return require_grad_if(
        tensor_from_raw(_arange_codes(*numbers, count, wanted), wanted, where), grad
    )


def _arange_codes(start: Any, end: Any, step: Any, count: int, dtype: dtype) -> Any:
    if not count:
        # The kernel reads its numbers all the same.
        _accumulated(start, dtype)
    return arange_codes(_accumulated(start, dtype), _accumulated(step, dtype), count, dtype)


def _accumulated(value: Any, dtype: dtype) -> Any:
    """Return a number in the type that the kernel computes in (at::acc_type)."""
    return encode_scalar(value, _ACCUMULATED.get(dtype, INT64), ScalarPath.SCALAR)


_ACCUMULATED = {
    FLOAT16: FLOAT32,
    BFLOAT16: FLOAT32,
    FLOAT32: FLOAT64,
    FLOAT64: FLOAT64,
}


def _arange_out(start: Any, end: Any, step: Any, out: Tensor) -> None:
    dtype = out._dtype
    _check_kernel("arange_cpu", dtype)
    count = _count(start, end, step, dtype)
    numel = out._geometry.numel
    if numel not in (0, count):
        warn(
            f"The number of elements in the out tensor of shape {[*out._geometry.shape]} is"
            f" {numel} which does not match the computed number of elements {count}. Note that"
            " this may occur as a result of rounding error. The out tensor will be resized to a"
            f" tensor of shape ({count},). (Triggered internally at"
            " /__w/pytorch/pytorch/aten/src/ATen/native/RangeFactories.cpp:199.)"
        )
    _check_count(count)
    resize_row(out, count)
    write_row(out, _arange_codes(start, end, step, count, dtype))


def _check_kernel(name: str, dtype: dtype) -> None:
    if dtype not in USUAL:
        raise_not_implemented(name, dtype)


_parse_range = Parser(
    f"range({_STEPS}, *, Tensor out=None, ScalarType dtype=None, Layout layout=torch.strided,"
    " Device device=None, bool requires_grad=False)"
)


@without_device_mode
def range(*args: Any, **keywords: Any) -> Tensor:
    """range(start, end, step=1, ...): the numbers from ``start`` up to ``end``; deprecated."""
    signature, values = _parse_range.match(args, keywords)
    warn(
        "torch.range is deprecated and will be removed in a future release because its behavior is"
        " inconsistent with Python's range builtin. Instead, use torch.arange, which produces"
        " values in [start, end)."
    )
    check_given_out(signature, values)
    if keywords.get("out") is None:
        check_named_device(signature, values, guards=True)
    start, end, step, out, kind, layout, device, grad = signature.convert(values)
    numbers = plain_number(start), plain_number(end), plain_number(step)
    if out is not None:
        return _range_out(*numbers, out, grad)
    where = check_options("range", layout, device, False)
    wanted = get_default_dtype() if kind is None else as_dtype(kind)
    return require_grad_if(tensor_from_raw(_range_codes(*numbers, wanted), wanted, where), grad)


def _range_out(start: Any, end: Any, step: Any, out: Tensor, grad: Any) -> Tensor:
    if out._conj_neg:
        return write_to_clone(out, lambda clone: _range_out(start, end, step, clone, grad))
    check_no_leaf("aten::range", out)
    elements = _range_codes(start, end, step, out._dtype)
    resize_row(out, len(elements))
    write_row(out, elements)
    return returned(out, grad)


def _range_codes(start: Any, end: Any, step: Any, dtype: dtype) -> Any:
    _check_kernel("range_cpu", dtype)
    first, last, stride = (_accumulated(each, dtype) for each in (start, end, step))
    _check_bounds(start, end, step)
    if dtype.is_floating_point:
        wide = numpy_storage_dtype(_ACCUMULATED[dtype]).type
        with np.errstate(all="ignore"):
            size = (wide(last) - wide(first)) / wide(stride) + wide(1)
        count = int(size) if -(2.0**63) <= size < 2.0**63 else -(2**63)
    else:
        # Torch divides by zero here, which ends its process.
        check(stride, lambda: "step must be nonzero")
        count = _as_int64(_quotient(_as_int64(last - first), stride) + 1)
    extents.check_nonnegative((count,))
    check_memory(count, dtype)
    return range_codes(first, stride, count, dtype)


# eye

_parse_eye = Parser(
    f"eye(SymInt n, *, Tensor out=None, {OPTIONS})",
    f"eye(SymInt n, SymInt m, *, Tensor out=None, {OPTIONS})",
)


def eye(*args: Any, **keywords: Any) -> Tensor:
    """eye(n, m=n, ...): a matrix with ones where the row is the column, and zeros elsewhere.

    >>> import impl as torch
    >>> torch.eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    """
    which, bound = bind_factory(_parse_eye, args, keywords)
    rows, *rest = bound
    columns, out, kind, layout, device, pin, grad = rest if which else (rows, *rest)
    if out is not None:
        check_no_leaf("aten::eye", out)
    else:
        where = check_options("eye", layout, device, pin, meta=True)
    check(rows >= 0, lambda: f"n must be greater or equal to 0, got {rows}")
    check(columns >= 0, lambda: f"m must be greater or equal to 0, got {columns}")
    shape = rows, columns
    extents.numel(shape)
    if out is not None:
        return _eye_out(out, shape, grad)
    wanted = get_default_dtype() if kind is None else as_dtype(kind)
    if extents.contiguous_bytes(shape, wanted.itemsize) > LARGE and where is not META:
        new_storage(rows * columns * wanted.itemsize, where)
    if wanted is COMPLEX32:
        warn_of_complex32()
    _check_zero(dense(shape), wanted)
    _check_eye(wanted)
    if where is META:
        return require_grad_if(empty_tensor(shape, wanted, META), grad)
    array = np.zeros(shape, numpy_storage_dtype(wanted))
    np.fill_diagonal(array, encode_scalar(1, wanted, ScalarPath.SCALAR))
    return require_grad_if(tensor_from_raw(array, wanted, where), grad)


def _eye_out(out: Tensor, shape: tuple[int, ...], grad: Any) -> Tensor:
    if out._conj_neg:
        return write_to_clone(out, lambda clone: _eye_out(clone, shape, grad))
    resize_out(out, shape)
    _check_zero(out._geometry, out._dtype)
    if out._geometry.device is META:
        _check_eye(out._dtype)
        return returned(out, grad)
    array = raw_array(out)
    array[...] = 0
    _check_eye(out._dtype)
    one = encode_scalar(1, out._dtype, ScalarPath.SCALAR)
    diagonal = np.arange(min(out._geometry.shape))
    array[diagonal, diagonal] = one
    return returned(out, grad)


def _check_zero(geometry: Geometry, dtype: dtype) -> None:
    """Refuse what zero_ refuses: it fills, unless there is little to set to zero bytes (Fill.cpp)."""
    is_dense = strides.is_non_overlapping_and_dense(geometry.shape, geometry.stride)
    if not (is_dense and 0 < geometry.numel < _GRAIN):
        encode_scalar(0, dtype, ScalarPath.SCALAR)


_GRAIN = 32768


def _check_eye(dtype: dtype) -> None:
    row = spec_of(dtype)
    known = (
        dtype in USUAL
        or row.kind is Kind.BOOL
        or dtype is COMPLEX64
        or dtype is COMPLEX128
        or (
            row.float_format is not None and row.kind is Kind.FLOAT and row.float_format.packed == 1
        )
    )
    if not known:
        raise_not_implemented("eye", dtype)


for _each in (arange, range, eye):
    PUBLIC[_each.__name__] = _each
