"""logcumsumexp (ATen/native/ReduceOps.cpp, cpu/ReduceOpsKernel.cpp and cpu/LogAddExp.h)."""

from functools import partial
from math import isqrt
from typing import Any

from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._arrays.parallel import without_fp_warnings
from ..._codegen.log_sums import cumulate_lines
from ..._dtypes.constants import BFLOAT16, FLOAT16
from ..._dtypes.table import dtype
from ..._geometry import view_shapes
from ..._geometry.geometry import dense, on_device
from ..._kernels.binary import complex_logaddexp
from ..._kernels.elementwise import OPMATH_DTYPE
from ..._numerics.cast import convert
from ..._runtime.errors import NotDense
from ..._tensor.allocation import resize_output
from ..._tensor.data_access import resolved_array
from ..._tensor.tensor import Tensor
from ..common.memory_overlap import check_no_overlap
from ..elementwise.binding import Overload, install_operator
from ..elementwise.plan import COMPLEX, FLOATS
from . import references
from .cumulative import ACC_TYPES, check_out, depends_on_order, scan_in_memory, type_of_scan
from .reduce import (
    check_kernel,
    load_for,
    refuse_resized,
    resolves_bits,
    to_tensor,
    warn_of_narrow_complex,
)
from .reduce_plan import cached_result, remember

_DTYPES = (FLOATS | COMPLEX) | {FLOAT16, BFLOAT16}
_NODE = "LogcumsumexpBackward0"


def _logcumsumexp(tensor: Tensor, dim: int, out: Tensor | None = None) -> Tensor:
    key = "logcumsumexp", dim
    if out is None and (result := cached_result(tensor, key)) is not None:
        return result
    dtype = tensor._dtype
    geometry = on_device(dense(tensor._geometry.shape), tensor._geometry.device)
    if references.uses_reference(tensor, out):
        view_shapes.wrap_dim(dim, geometry.rank)
        return references.result("logcumsumexp", tensor, geometry, dtype, out, _NODE)
    if out is None:
        warn_of_narrow_complex(dtype, allocated=True, converted=False)
    else:
        if tensor._geometry.is_sparse or out._geometry.is_sparse:
            raise NotDense
        check_out(tensor, out, dtype)
    dim = view_shapes.wrap_dim(dim, geometry.rank)
    check_kernel("logcumsumexp_out_cpu", _DTYPES, dtype, tensor)
    if out is not None:
        before = tensor._geometry
        resize_output(out, geometry.shape)
        refuse_resized(tensor._geometry is not before)
        if geometry.rank and geometry.numel:
            check_no_overlap(out, tensor)
    raw = resolved_array(tensor)
    if not geometry.rank or not geometry.numel:
        return to_tensor(np.array(raw), geometry, dtype, out, tensor, _NODE)
    if out is not None and depends_on_order(tensor, out):
        number = type_of_scan(dtype)
        return scan_in_memory(tensor, out, dim, partial(_step, number), number.type(-np.inf))
    function = partial(_cumulate, dtype, dim)
    if out is None:
        remember(tensor, key, function, geometry, dtype)
    return to_tensor(function(raw), geometry, dtype, out, tensor, _NODE)


def _step(number: Any, total: Any, element: Any) -> Any:
    return without_fp_warnings(_accumulate, np.array([total, element], number), 0)[1]


def _cumulate(dtype: dtype, dim: int, raw: Any) -> Any:
    """Return the raw array of cumulative results of elements of a dtype."""
    compute_dtype = OPMATH_DTYPE.get(dtype, dtype)
    load = load_for(dtype, dtype)
    numbers = raw if load is None else load(raw)
    if compute_dtype is dtype:
        numbers = numbers.astype(ACC_TYPES.get(numbers.dtype.char, numbers.dtype), copy=False)
    totals = without_fp_warnings(_accumulate, numbers, dim)
    totals = totals.astype(numpy_storage_dtype(compute_dtype), copy=False)
    return totals if compute_dtype is dtype else convert(totals, compute_dtype, dtype)


def _accumulate(numbers: Any, dim: int) -> Any:
    """Accumulate from the logarithm of zero, as torch does; the sign of a zero depends on it."""
    if numbers.dtype.kind == "f":
        return np.logaddexp.accumulate(numbers, dim) + numbers.dtype.type(0)
    lines = np.moveaxis(numbers, dim, 0)
    # The sum of two infinities depends on the order.
    has_two = (np.count_nonzero(np.isposinf(lines.real), 0) > 1).any()
    totals = None if has_two else cumulate_lines(lines)
    if totals is None:
        is_short = has_two or len(lines) < _LONG
        totals = _in_order(lines) if is_short else _in_parts(lines, isqrt(len(lines)))
    return np.moveaxis(totals, 0, dim)


_LONG = 4096
"""The size from which complex lines are summed in parts, where no loop is compiled."""


def _in_order(lines: Any) -> Any:
    """Return the cumulative results of complex lines, which are on the first axis."""
    totals = np.empty(lines.shape, lines.dtype)
    total = np.full(lines.shape[1:], -np.inf, lines.dtype)
    for index, elements in enumerate(lines):
        totals[index] = total = complex_logaddexp(elements, total)
    return totals


def _in_parts(lines: Any, count: int) -> Any:
    """Return the cumulative results of complex lines, computed in parts at the same time.

    The order of additions is another one than torch's. In order each step takes as long as one of
    many elements, since a fused multiply-add in double precision takes many operations.
    """
    size = -(-len(lines) // count)
    padding = np.full((size * count - len(lines), *lines.shape[1:]), -np.inf, lines.dtype)
    parts = np.concatenate([lines, padding]).reshape(count, size, *lines.shape[1:])
    inner = _in_order(parts.swapaxes(0, 1)).swapaxes(0, 1)
    before = _in_order(inner[:-1, -1])
    inner[1:] = complex_logaddexp(inner[1:], before[:, None])
    return inner.reshape(size * count, *lines.shape[1:])[: len(lines)]


install_operator(
    "logcumsumexp",
    Overload("int64_t dim", resolves_bits(_logcumsumexp, "logcumsumexp")),
    doc="Return the logarithms of the cumulative sums of exponentials along a dimension.",
)
