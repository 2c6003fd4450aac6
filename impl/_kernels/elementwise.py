"""What operators compute, on NumPy arrays of numbers.

A kernel gets arrays of one dtype and returns one.  Which dtype that is, and
what becomes of its result, is `ops.pointwise`'s business: a kernel knows no
tensors, no promotion and no codes.  NumPy's own functions are named, as
NumPy is loaded late.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from .._arrays.numpy_bridge import np
from .._arrays.opaque_dtypes import is_opaque
from .._dtypes.constants import COMPLEX32, COMPLEX64, FLOAT32
from .._dtypes.table import DTYPES, Kind, dtype, spec_of
from .._numerics.cast import convert
from .._numerics.fma import fused
from .._runtime.errors import check

Kernel = Callable[..., Any]
Named = str | Kernel

OPMATH_DTYPE = {
    **{
        dtype: FLOAT32
        for dtype in DTYPES.values()
        if dtype.is_floating_point and dtype.itemsize < 4 and not is_opaque(dtype)
    },
    COMPLEX32: COMPLEX64,
}
"""In what the narrow formats are computed; the result is rounded once (ATen/OpMathType.h)."""


class ByKind(NamedTuple):
    """Kernels by the kind of number that they compute with; None where it is the same as another.

    ``narrow`` is for float16 and bfloat16 where torch rounds each step: it
    is also given ``rounded``, which does that.
    """

    real: Named
    integer: Named | None = None
    boolean: Named | None = None
    complex: Named | None = None
    narrow: Kernel | None = None

    def of(self, common: dtype, *, wide: bool = False) -> Kernel:
        """Return the kernel for what is to be a dtype; ``wide``, if it is rounded only at the end."""
        kind = OPMATH_DTYPE.get(common, common)
        if self.narrow is not None and common is not kind and not wide:
            return partial(self.narrow, rounded=partial(rounded, kind, common))
        own: Named | None = None
        if kind.is_complex:
            own = self.complex
        elif spec_of(kind).kind is Kind.BOOL:
            own = self.boolean or self.integer
        elif not kind.is_floating_point:
            own = self.integer
        return resolved(own or self.real)


class ForDtype(NamedTuple):
    """A kernel that is given the dtype that its result is to be, before the arrays."""

    kernel: Callable[..., Any]

    def of(self, common: dtype, *, wide: bool = False) -> Kernel:
        """Return the kernel for what is to be a dtype."""
        return partial(self.kernel, common)


class WithNumbers(NamedTuple):
    """Kernels that are given numbers after the arrays: a number's ``of(dtype)`` is one to compute with."""

    kernels: "ByKind | ForDtype | WithNumbers"
    numbers: tuple[Any, ...]

    def of(self, common: dtype, *, wide: bool = False) -> Kernel:
        """Return the kernel for what is to be a dtype."""
        kernel = self.kernels.of(common, wide=wide)
        return lambda *arrays: kernel(*arrays, *self.given(common))

    def given(self, common: dtype) -> list[Any]:
        """Return the numbers as arrays of what a dtype is computed in; raise if one is out of range."""
        return [each.of(common) for each in self.numbers]


def rounded(wide: dtype, narrow: dtype, numbers: Any) -> Any:
    """Round numbers to a narrow format and return them as they were carried."""
    return convert(convert(numbers, wide, narrow), narrow, wide)


def _same(numbers: Any) -> Any:
    return numbers


def resolved(kernel: Named) -> Kernel:
    """Return a kernel, or NumPy's function of a name."""
    if isinstance(kernel, str):
        found: Kernel = getattr(np, kernel)
        return found
    return kernel


def _no_zero(divisor: Any) -> None:
    check(divisor.all(), lambda: "ZeroDivisionError")


def divide_trunc(left: Any, right: Any, rounded: Kernel = _same) -> Any:
    """Divide and cut off the fraction."""
    return np.trunc(rounded(left / right))


def divide_trunc_integers(left: Any, right: Any) -> Any:
    """Divide integers and cut off the fraction; by zero is refused."""
    _no_zero(right)
    quotient = np.floor_divide(left, right)
    if left.dtype.kind == "u":
        return quotient
    return quotient + ((quotient < 0) & (quotient * right != left)).astype(quotient.dtype)


def divide_floor_integers(left: Any, right: Any) -> Any:
    """Divide integers and round down; by zero is refused."""
    _no_zero(right)
    return np.floor_divide(left, right)


def divide_floor(left: Any, right: Any, rounded: Kernel = _same) -> Any:
    """Divide and round down, as CPython divides floats (c10/util/generic_math.h)."""
    rest = np.fmod(left, right)
    quotient = rounded(rounded(left - rest) / right)
    wrong_side = (rest != 0) & ((right < 0) != (rest < 0))
    quotient = np.where(wrong_side, rounded(quotient - 1), quotient)
    floored = np.floor(quotient)
    floored = np.where(rounded(quotient - floored) > 0.5, rounded(floored + 1), floored)
    exact = left / right
    zero = np.copysign(np.zeros((), left.dtype), exact)
    return np.where(right == 0, exact, np.where(quotient == 0, zero, floored))


def multiply_complex(left: Any, right: Any) -> Any:
    """Multiply complex numbers, each product rounded by itself, as torch's vectorised kernel does."""
    left, right = np.broadcast_arrays(left, right)
    product = np.empty_like(left)
    product.real = left.real * right.real - left.imag * right.imag
    product.imag = left.real * right.imag + left.imag * right.real
    return product


def add_scaled(scale: Any, left: Any, right: Any) -> Any:
    """Return ``left + scale * right``, rounded once where processors do so."""
    dtype = left.dtype
    if dtype.kind in "iu":
        return left + np.array(scale % 2**64, np.uint64).astype(dtype) * right
    if dtype.kind == "c":
        return left + multiply_complex(right, np.array(scale, dtype))
    return fused(right, np.array(scale, dtype), left)


def add_scaled_narrow(scale: Any, left: Any, right: Any, rounded: Kernel) -> Any:
    """Do the same for float16, bfloat16 and complex32, of which the scale is one, too."""
    scale = rounded(np.array(scale, left.dtype))
    if left.dtype.kind == "c":
        return left + rounded(multiply_complex(right, scale))
    return fused(right, scale, left)


def add_scaled_booleans(scale: bool, left: Any, right: Any) -> Any:
    """Return ``left or (scale and right)``."""
    return left | (right & scale)
