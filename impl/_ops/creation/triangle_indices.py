"""The factories tril_indices and triu_indices (ATen/native/TensorFactories.h)."""

from collections.abc import Callable
from typing import Any

from ..._argparser.parser import Parser
from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._devices.availability import resolve_device
from ..._devices.device import META, device
from ..._dtypes.constants import COMPLEX32, FLOAT64, INT32, INT64
from ..._dtypes.table import as_dtype, dtype
from ..._geometry.extents import INT64_END, as_int64, check_nonnegative, contiguous_bytes
from ..._geometry.layout import jagged, strided
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.allocation import empty_tensor, warn_complex32
from ..._tensor.data_access import tensor_from_raw
from ..._tensor.factories import OPTIONS, check_options
from ..._tensor.out_autograd import set_requires_grad_if
from ..._tensor.sparse_missing import could_not_run, sparse_backend
from ..._tensor.tensor import Tensor
from ..common.out_argument import bind_factory
from .sequence_common import check_allocatable

_Wrap = Callable[[int], int]
"""Where the sizes are computed in int64, the function that wraps a result around."""


def _factory(name: str, side: str) -> Callable[..., Tensor]:
    parse = Parser(f"{name}(int64_t row, int64_t col, int64_t offset=0, *, {OPTIONS})")

    def function(*args: Any, **keywords: Any) -> Tensor:
        _, bound = bind_factory(parse, args, keywords)
        rows, columns, offset, dtype, layout, device, pin, grad = bound
        device = resolve_device(device, name)
        dtype = INT64 if dtype is None else as_dtype(dtype)
        if layout not in (None, strided, jagged):
            raise could_not_run(name, sparse_backend(device, layout))
        make = _indices_on_meta if device is META else _indices
        result = make(name, (rows, columns, offset), dtype, layout, device, pin)
        return set_requires_grad_if(result, grad)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"{name}(row, col, offset=0, ...): return the indices of the elements of a matrix that are"
        f" not {side} a diagonal."
    )
    return function


def _indices(
    name: str, sizes: tuple[int, int, int], dtype: dtype, layout: Any, device: device, pin: Any
) -> Tensor:
    for what, size in zip(("row", "col"), sizes, strict=False):
        check(size >= 0, lambda: f"{what} must be non-negative, got{size}")  # noqa: B023
    check(layout is not jagged, lambda: "only support layout=torch.strided, gotJagged")
    device = check_options(name, layout, device, pin)
    shape = 2, _size(name, sizes, as_int64)
    check_nonnegative(shape)
    check_allocatable(shape, dtype, device)
    if dtype is COMPLEX32:
        warn_complex32()  # torch makes the result first
    if dtype not in _DTYPES:
        raise_not_implemented(name, dtype)
    array = _elements(name, sizes, shape[1])
    if array.shape != shape or (dtype is INT32 and max(sizes) >= _INT32_END):
        array = _walked(name, sizes, shape[1], _as_int32 if dtype is INT32 else as_int64)
    return tensor_from_raw(array.astype(numpy_storage_dtype(dtype)), dtype, device)


def _indices_on_meta(
    name: str, sizes: tuple[int, int, int], dtype: dtype, layout: Any, device: device, pin: Any
) -> Tensor:
    """Return what the reference does (torch/_refs), which computes in Python's integers."""
    for what, size in zip(("row", "col"), sizes, strict=False):
        check(size >= 0, lambda: f"{what} must be non-negative, got {size}")  # noqa: B023
    check(dtype in _DTYPES, lambda: f"\"{name}\" not implemented for '{dtype}'")
    check(
        layout is not jagged,
        lambda: "PrimTorch doesn't support layout=torch.jagged",
        NotImplementedError,
    )
    check(not pin, lambda: "PrimTorch does not support pinned memory", NotImplementedError)
    count = _size(name, sizes, int)
    for size, itemsize in (*_parts(name, sizes, dtype), (count, dtype.itemsize)):
        check(size < INT64_END, lambda: "int too big to convert", OverflowError)
        contiguous_bytes((size,), itemsize)
    check(
        name != "tril_indices" or sizes[1] + 1 + max(0, -sizes[2]) < 2**64,
        lambda: "int too big to convert",
        OverflowError,
    )
    return empty_tensor((2, count), dtype, META)


def _parts(name: str, sizes: tuple[int, int, int], dtype: dtype) -> tuple[tuple[int, int], ...]:
    """Return the sizes and itemsizes of the rows of full length, and of the others.

    The reference makes each by arange, the others in double.
    """
    rows, columns, offset = sizes
    if name == "tril_indices":
        longer, full = _lower_parts(*sizes, int)
        return (longer, FLOAT64.itemsize), (full, dtype.itemsize)
    full = max(0, min(rows, -offset) * columns)
    shorter = _size(name, sizes, int) - full
    return (full, dtype.itemsize), (shorter, FLOAT64.itemsize)


_DTYPES = frozenset({INT32, INT64})


def _size(name: str, sizes: tuple[int, int, int], wrap: _Wrap) -> int:
    """Return the number of the elements."""
    rows, columns, offset = sizes
    if name == "tril_indices":
        return wrap(sum(_lower_parts(rows, columns, offset, wrap)))
    lower = wrap(sum(_lower_parts(rows, columns, wrap(offset - 1), wrap)))
    return wrap(wrap(rows * columns) - lower)


def _lower_parts(rows: int, columns: int, offset: int, wrap: _Wrap) -> tuple[int, int]:
    """Return the number of elements in the rows that become longer, and in those of full length."""
    if not rows or not columns:
        return 0, 0
    end = wrap(rows + offset)
    first = min(columns, wrap(1 + offset)) if offset > 0 else int(end > 0)
    least = 0 if offset <= 0 else -INT64_END  # torch's compiler assumes that the end is no overflow
    last = max(least, min(columns, end))
    longer = wrap(last - first + 1)
    full = max(0, wrap(max(least, min(rows, end)) - longer))
    return wrap(wrap(first + last) * longer) >> 1, wrap(full * columns)


def _elements(name: str, sizes: tuple[int, int, int], count: int) -> Any:
    """Return an array of the row and the column of the first ``count`` elements, row by row."""
    rows, columns, offset = sizes
    is_lower = name == "tril_indices"
    offset = max(-rows, min(offset, columns, count if is_lower else columns))
    # The other rows have no element.
    first, end = (max(0, -offset), rows) if is_lower else (0, min(rows, columns - offset))
    lines = np.arange(first, max(first, min(end, first + count)))
    starts = np.zeros_like(lines) if is_lower else np.maximum(lines + offset, 0)
    ends = np.minimum(lines + offset + 1, columns) if is_lower else columns
    lengths = np.minimum(ends - starts, count)
    stops = np.cumsum(lengths)
    used = slice(np.searchsorted(stops, count) + 1)
    shifts = starts - (stops - lengths)
    row, shift = (np.repeat(each[used], lengths[used])[:count] for each in (lines, shifts))
    return np.stack([row, shift + np.arange(len(shift))])


def _walked(name: str, sizes: tuple[int, int, int], count: int, wrap: _Wrap) -> Any:
    """Return what `_elements` does where integers overflow, by the steps of torch's kernel."""
    _, columns, offset = sizes
    is_lower = name == "tril_indices"
    row, column = wrap(max(0, -offset)) if is_lower else 0, 0 if is_lower else wrap(max(0, offset))
    result = np.empty((2, count), np.int64)
    for index in range(count):
        result[:, index] = row, column
        column = wrap(column + 1)
        if column >= columns or (is_lower and column > as_int64(row + offset)):
            row = wrap(row + 1)
            column = 0 if is_lower else wrap(max(0, as_int64(row + offset)))
    return result


def _as_int32(value: int) -> int:
    return (value + _INT32_END) % (2 * _INT32_END) - _INT32_END


_INT32_END = 2**31


for _name, _side in (("tril_indices", "above"), ("triu_indices", "below")):
    PUBLIC[_name] = _factory(_name, _side)
