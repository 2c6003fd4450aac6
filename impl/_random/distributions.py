"""Exponential, geometric, Cauchy and log-normal random numbers of the CPU.

Each element is made of one uniform number, or of one normal number, in double precision.
As in `uniform`, elements are in memory order.  The rules are in aten/src/ATen: the checks in
native/DistributionTemplates.h and native/cpu/DistributionTemplates.h, the arithmetic in
core/TransformationHelper.h.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from .._arrays.numpy_bridge import np, numpy_storage_dtype
from .._arrays.parallel import without_fp_warnings
from .._dtypes.constants import FLOAT64
from .._dtypes.table import dtype, spec_of
from .._numerics.cast import convert
from .._numerics.fma import fused_double
from .._numerics.rounding import COMMON_DTYPES, FLOAT_DTYPES, check_supported, format_number
from .._runtime.errors import check
from .mt19937 import MT19937Stream
from .normal import normal_numbers
from .uniform import RANGES, double_fractions, in_chunks

_MARGIN = 2.0**-50
"""The largest relative error that is assumed of NumPy's functions, which differ by processor."""

_FEW = 128
"""The number of elements up to which the functions of the C library are faster, one by one."""


class _Function(NamedTuple):
    """A function of the C library, which is torch's, and NumPy's, which is near to it.

    name: the name of both, in `math` and in NumPy
    beyond: the result where the C library's raises
    """

    name: str
    beyond: float = math.nan

    def near(self, numbers: Any) -> Any:
        """Return NumPy's results."""
        return getattr(np, self.name)(numbers)

    def of_each(self, numbers: Any) -> Any:
        """Return the results of the C library."""
        exact = getattr(math, self.name)
        try:
            return np.fromiter(map(exact, numbers.tolist()), np.float64, len(numbers))
        except (ValueError, OverflowError):
            return np.array([self._of_any(number) for number in numbers.tolist()])

    def _of_any(self, number: float) -> float:
        try:
            return float(getattr(math, self.name)(number))
        except (ValueError, OverflowError):
            return self.beyond


_LOG1P = _Function("log1p")
_LOG = _Function("log", -math.inf)
_TAN = _Function("tan")
_EXP = _Function("exp", math.inf)


def _elements(function: _Function, numbers: Any, dtype: dtype, finish: Callable[[Any], Any]) -> Any:
    """Return ``finish`` of the function of numbers, with the results of the C library.

    ``finish`` is monotonic.  The C library is asked where NumPy's error could show.
    """

    def finished(results: Any) -> Any:
        return convert(finish(results), FLOAT64, dtype)

    if dtype is FLOAT64 or len(numbers) <= _FEW:
        return finished(function.of_each(numbers))
    near = function.near(numbers)
    margin = np.abs(near)
    margin *= _MARGIN
    elements = finished(near - margin)
    near += margin
    unsure = np.flatnonzero(elements != finished(near))
    if len(unsure):
        elements[unsure] = finished(function.of_each(numbers[unsure]))
    return elements


def _draw(
    stream: MT19937Stream,
    count: int,
    dtype: dtype,
    function: _Function,
    prepare: Callable[[Any], Any],
    finish: Callable[[Any], Any],
) -> Any:
    def draw(stream: MT19937Stream, count: int) -> Any:
        numbers = prepare(double_fractions(stream, count))
        return _elements(function, numbers, dtype, finish)

    return without_fp_warnings(in_chunks, stream, count, dtype, draw)


def exponential(stream: MT19937Stream, count: int, dtype: dtype, rate: float = 1.0) -> Any:
    """Return the numbers of exponential_.

    >>> exponential(MT19937Stream(0), 2, FLOAT64)
    array([3.50832619, 1.23038476])
    """
    check(
        rate > 0,
        lambda: f"exponential_ expects lambda > 0.0, but found lambda={format_number(rate)}",
    )
    if not count:
        return np.empty(0, numpy_storage_dtype(dtype))
    check(
        dtype.is_floating_point,
        lambda: CONTINUOUS.format("Exponential", "", spec_of(dtype).cpp_name),
    )
    check_supported("exponential_cpu", dtype, FLOAT_DTYPES)
    scale = -1.0 / rate
    return _draw(stream, count, dtype, _LOG1P, np.negative, lambda numbers: scale * numbers)


CONTINUOUS = (
    "{} distribution is a continuous probability distribution. {}dtype must be a floating point"
    " but you specified {}"
)


def geometric(stream: MT19937Stream, count: int, dtype: dtype, p: float) -> Any:
    """Return the numbers of geometric_."""
    check(0 < p < 1, lambda: f"geometric_ expects p to be in (0, 1), but got p={format_number(p)}")
    if not count:
        return np.empty(0, numpy_storage_dtype(dtype))
    check_supported("geometric_cpu", dtype, COMMON_DTYPES)
    scale = math.log1p(-p)
    return _draw(stream, count, dtype, _LOG, np.positive, lambda logs: np.ceil(logs / scale))


def cauchy(
    stream: MT19937Stream, count: int, dtype: dtype, median: float = 0.0, sigma: float = 1.0
) -> Any:
    """Return the numbers of cauchy_."""
    check(
        sigma > 0,
        lambda: f"cauchy_ expects sigma > 0.0, but found sigma={format_number(sigma)}",
    )
    check(dtype.is_floating_point, lambda: CONTINUOUS.format("Cauchy", "", _cpp_type(dtype)))
    if not count:
        return np.empty(0, numpy_storage_dtype(dtype))
    check_supported("cauchy_cpu", dtype, FLOAT_DTYPES)
    return _draw(
        stream,
        count,
        dtype,
        _TAN,
        lambda numbers: math.pi * (numbers - 0.5),
        lambda numbers: fused_double(numbers, sigma, median),
    )


def _cpp_type(dtype: dtype) -> str:
    """Return the C++ name of the type of elements."""
    if dtype in RANGES:
        return RANGES[dtype].cpp_type
    if dtype.is_complex:
        parts = RANGES[dtype.to_real()].cpp_type
        return f"c10::complex<{parts}>"
    return f"c10::{dtype}".replace("torch.", "")


def log_normal(
    stream: MT19937Stream, count: int, dtype: dtype, mean: float = 1.0, std: float = 2.0
) -> Any:
    """Return the numbers of log_normal_."""
    check(std > 0, lambda: f"log_normal_ expects std > 0.0, but found std={format_number(std)}")
    if not count:
        return np.empty(0, numpy_storage_dtype(dtype))
    check_supported("log_normal_cpu", dtype, FLOAT_DTYPES)

    def draw(stream: MT19937Stream, count: int) -> Any:
        with stream.lock:
            exponents = normal_numbers(stream, count, mean, std)
        return _elements(_EXP, exponents, dtype, np.positive)

    return without_fp_warnings(in_chunks, stream, count, dtype, draw)
