"""histc (ATen/native/Histogram.cpp and ATen/native/cpu/HistogramKernel.cpp)."""

import math
from functools import partial
from typing import Any

from ..._arrays.numpy_bridge import np
from ..._arrays.parallel import without_fp_warnings
from ..._autograd.autograd_meta import bump_version
from ..._devices.device import META
from ..._dtypes.constants import BFLOAT16, FLOAT32, FLOAT64
from ..._dtypes.cpp_names import cpp_type
from ..._dtypes.table import dtype
from ..._geometry.geometry import dense, on_device
from ..._kernels import histograms
from ..._kernels.elementwise import OPMATH_DTYPE, round_through
from ..._numerics.cast import convert
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import NotDense, check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.allocation import empty_tensor, empty_with, resize_output
from ..._tensor.data_access import raw_array, resolved_array, tensor_from_raw
from ..._tensor.factories import python_scalar
from ..._tensor.tensor import METHODS, Tensor, shallow_copy
from ..common.array_plans import is_noting, note_arrays
from ..common.conj_neg_fallback import resolves_conj_neg
from ..common.meta_reference import in_reference, is_on_meta, write_reference
from ..creation.sequence_common import as_double
from ..elementwise.binding import Overload, install_operator
from ..reduction.reduce import NARROW_FLOATS

_DTYPES = frozenset({FLOAT32, FLOAT64}) | NARROW_FLOATS


@resolves_conj_neg
def _histc(tensor: Tensor, bins: int, low: Any, high: Any, out: Tensor | None = None) -> Tensor:
    if any(x is not None and x._geometry.is_sparse for x in (tensor, out)):
        raise NotDense
    if is_on_meta(tensor, out):
        on_meta: Tensor = in_reference(_on_meta, tensor, bins, low, high, out)
        return on_meta
    dtype, device = tensor._dtype, tensor._geometry.device
    source, tensor = tensor, shallow_copy(tensor)
    nothing = on_device(dense((0,)), device)
    result = empty_with(nothing, dtype) if out is None else out
    edges = empty_with(nothing, dtype)
    flat = METHODS["reshape"](tensor, (tensor._geometry.numel, 1))
    check(
        result._dtype is dtype,
        lambda: (
            "torch.histogram: input tensor and hist tensor should have the same dtype, but got"
            f" input {cpp_type(dtype)} and hist {cpp_type(result._dtype)}"
        ),
    )
    check(bins > 0, lambda: f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    resize_output(edges, (bins + 1,))
    resize_output(result, (bins,))
    ends = _ends(shallow_copy(source), low, high)  # which may be the result
    PUBLIC["linspace"](*ends, bins + 1, out=edges, device=device)
    METHODS["zero_"](shallow_copy(result))
    if dtype not in _DTYPES:
        raise_not_implemented("histogram_cpu", dtype)
    outer = raw_array(edges)[[0, -1]]
    counts = _counts(resolved_array(flat).reshape(-1), outer, bins, dtype)
    totals = tensor_from_raw(counts.reshape(1, -1), dtype, device)
    PUBLIC["sum"](totals, 0, out=shallow_copy(result))
    if out is not None:
        bump_version(out)
    elif is_noting() and dtype in _WIDE and tensor._geometry.numel:
        given = as_double(low), as_double(high)
        note_arrays(partial(_count_all, dtype, bins, *given), result, source)
    return result


_WIDE = {FLOAT32: "f", FLOAT64: "d"}


def _count_all(dtype: dtype, bins: int, first: float, last: float, raw: Any) -> Any:
    """Return how many elements of a raw array lie in each bin; None if its ends are special."""
    if first == last:
        first, last = float(raw.min()), float(raw.max())
        if first == last:
            first, last = _apart(first, last, dtype)
    ends = np.array([first, last], _WIDE[dtype])
    if not (first < last and math.isfinite(ends[1] - ends[0])):
        return None
    return _counts(raw.reshape(-1), ends, bins, dtype)


def _on_meta(tensor: Tensor, bins: int, low: Any, high: Any, out: Tensor | None) -> Tensor:
    """Return what meta_histc in torch/_meta_registrations.py does."""
    check(bins > 0, lambda: f"histc(): bins must be > 0, but got {bins}")
    low, high = python_scalar(low), python_scalar(high)
    check(high >= low, lambda: "histc(): max must be larger than min")
    device = tensor._geometry.device
    result = empty_tensor((bins,), tensor._dtype, device, by_reference=device is META)
    return result if out is None else write_reference("histc", out, result)


def _ends(tensor: Tensor, low: Any, high: Any) -> tuple[float, float]:
    """Return the ends of the bins: those of the elements if the given ones are equal."""
    first, last = as_double(low), as_double(high)
    words = f"{first:g}", f"{last:g}"
    if first == last and tensor._geometry.numel:
        first, last = [float(each.item()) for each in METHODS["aminmax"](tensor)]
        words = _text(first, tensor), _text(last, tensor)
    if first == last:
        first, last = without_fp_warnings(_apart, first, last, tensor._dtype)
        words = f"{first:g}", f"{last:g}"
    check(
        math.isfinite(first) and math.isfinite(last),
        lambda: f"torch.histc: range of [{', '.join(words)}] is not finite",
    )
    check(first < last, lambda: "torch.histc: max must be larger than min")
    return first, last


def _text(number: float, tensor: Tensor) -> str:
    """Return an extreme element as C++ prints it.

    A NaN shows its sign, which torch's kernel sets if it compares several elements.
    """
    if number == number or tensor._dtype is BFLOAT16:
        return f"{number:g}"
    is_negative = tensor._geometry.numel > 1 or math.copysign(1, number) < 0
    return "-nan" if is_negative else "nan"


def _apart(first: float, last: float, dtype: dtype) -> tuple[float, float]:
    """Return ends that differ by 2, or by more if the dtype needs it (bins_edges_correction)."""
    if dtype not in (FLOAT32, FLOAT64):
        return first - 1, last + 1
    real = np.float32 if dtype is FLOAT32 else np.float64
    limit = np.finfo(real).max
    below, above = np.nextafter(real(first), -limit), np.nextafter(real(last), limit)
    return min(float(below), first - 1), max(float(above), last + 1)


def _counts(raw: Any, ends: Any, bins: int, dtype: dtype) -> Any:
    """Return how many elements lie in each bin between two ends.

    Each step of the division is rounded to the dtype, and so are the sums of ones.
    """
    opmath = OPMATH_DTYPE.get(dtype, dtype)
    numbers, (first, last) = (convert(x, dtype, opmath) for x in (raw, ends))
    numbers = numbers[(numbers >= first) & (numbers <= last)]
    places = without_fp_warnings(_places, numbers, first, last, bins, dtype)
    # In C++ a NaN or an infinity becomes -2**63, whose offset in bytes wraps around to 0.
    places = np.where(np.isfinite(places), places, 0).astype(np.int64)
    places[places == bins] -= 1
    places %= bins  # rounded up beyond the bins is a bin of the next thread, which torch adds
    return convert(histograms.counts(places, bins, dtype), FLOAT64, dtype)


def _places(numbers: Any, first: Any, last: Any, bins: int, dtype: dtype) -> Any:
    opmath = OPMATH_DTYPE.get(dtype, dtype)

    def rounded(numbers: Any) -> Any:
        return numbers if opmath is dtype else round_through(opmath, dtype, numbers)

    scale = rounded(np.asarray(bins, numbers.dtype))
    offsets = rounded(rounded(numbers - first) * scale)
    return np.trunc(rounded(offsets / rounded(last - first)))


install_operator(
    "histc",
    Overload("int64_t bins=100, Scalar min=0, Scalar max=0", _histc),
    doc="Return how many elements lie in each of the bins of equal width.",
)
