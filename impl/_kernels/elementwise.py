"""Kernels of pointwise operators, on NumPy arrays of numbers.

A kernel takes arrays of one dtype and returns an array.  `_ops.elementwise` chooses the dtype and
casts the result: kernels handle no tensors, promotion or raw elements.  NumPy's functions are
given by name, as NumPy is imported lazily.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from .._arrays.numpy_bridge import broadcast_arrays, np
from .._arrays.opaque_dtypes import is_opaque
from .._dtypes.constants import BFLOAT16, COMPLEX32, COMPLEX64, FLOAT32
from .._dtypes.table import DTYPES, Kind, dtype, spec_of
from .._numerics.cast import convert
from .._numerics.fma import fused
from .._runtime.errors import check

Kernel = Callable[..., Any]
KernelOrName = str | Kernel

OPMATH_DTYPE = {
    **{
        dtype: FLOAT32
        for dtype in DTYPES.values()
        if dtype.is_floating_point and dtype.itemsize < 4 and not is_opaque(dtype)
    },
    COMPLEX32: COMPLEX64,
}
"""The opmath dtypes of the narrow formats; results are rounded once (ATen/OpMathType.h)."""


class ByKind(NamedTuple):
    """The kernels of an operator by the kind of the opmath dtype.

    real: for floats, and for the kinds without a kernel of their own
    integer, boolean, complex: for these kinds; booleans use ``integer`` if ``boolean`` is None
    narrow: for float16 and bfloat16, if torch rounds each step; ``rounded=`` is the rounding
    """

    real: KernelOrName
    integer: KernelOrName | None = None
    boolean: KernelOrName | None = None
    complex: KernelOrName | None = None
    narrow: Kernel | None = None

    def of(self, common: dtype, *, wide: bool = False) -> Kernel:
        """Return the kernel for a common dtype; with ``wide`` only the result is rounded."""
        opmath = OPMATH_DTYPE.get(common, common)
        if self.narrow is not None and common is not opmath and not wide:
            return partial(self.narrow, rounded=partial(round_through, opmath, common))
        named: KernelOrName | None = None
        if opmath.is_complex:
            named = self.complex
        elif spec_of(opmath).kind is Kind.BOOL:
            named = self.boolean or self.integer
        elif not opmath.is_floating_point:
            named = self.integer
        kernel = named or self.real
        return getattr(np, kernel) if isinstance(kernel, str) else kernel


class ForDtype(NamedTuple):
    """A kernel whose first argument is the common dtype."""

    kernel: Callable[..., Any]

    def of(self, common: dtype, *, wide: bool = False) -> Kernel:
        """Return the kernel for a common dtype."""
        return partial(self.kernel, common)


class KeepsNans(NamedTuple):
    """Kernels with one for bfloat16 that returns raw elements; rounding changes NaNs."""

    kernels: ByKind
    raw: Kernel

    def of(self, common: dtype, *, wide: bool = False) -> Kernel:
        """Return the kernel for a common dtype."""
        return self.raw if common is BFLOAT16 else self.kernels.of(common, wide=wide)


class WithNumbers(NamedTuple):
    """Kernels with scalar arguments after the arrays; ``number.of(dtype)`` converts a scalar."""

    kernels: "ByKind | ForDtype | KeepsNans | WithNumbers"
    numbers: tuple[Any, ...]

    def of(self, common: dtype, *, wide: bool = False) -> Kernel:
        """Return the kernel for a common dtype."""
        kernel = self.kernels.of(common, wide=wide)
        return lambda *arrays: kernel(*arrays, *self.given(common))

    def given(self, common: dtype) -> list[Any]:
        """Return the scalars as arrays of the opmath dtype; raise if one is out of range."""
        return [number.of(common) for number in self.numbers]


def round_through(wide: dtype, narrow: dtype, numbers: Any) -> Any:
    """Return numbers of dtype ``wide``, rounded to ``narrow``."""
    return convert(convert(numbers, wide, narrow), narrow, wide)


def identity(numbers: Any) -> Any:
    """Return the argument: the rounding of results that need none."""
    return numbers


def nonzero_divisor(name: str) -> Kernel:
    """Return the kernel of NumPy's function for integers; it raises if a divisor is 0."""

    def kernel(left: Any, right: Any) -> Any:
        check(right.all(), lambda: "ZeroDivisionError")
        return getattr(np, name)(left, right)

    return kernel


divide_floor_integers = nonzero_divisor("floor_divide")


def divide_trunc(left: Any, right: Any, rounded: Kernel = identity) -> Any:
    """Return the truncated quotient."""
    return np.trunc(rounded(left / right))


def divide_trunc_integers(left: Any, right: Any) -> Any:
    """Return the truncated quotient of integers; raise if a divisor is 0."""
    quotient = divide_floor_integers(left, right)
    if left.dtype.kind == "u":
        return quotient
    return quotient + ((quotient < 0) & (quotient * right != left)).astype(quotient.dtype)


def divide_floor(left: Any, right: Any, rounded: Kernel = identity) -> Any:
    """Return the floored quotient, as CPython divides floats (c10/util/generic_math.h)."""
    remainder = np.fmod(left, right)
    quotient = rounded(rounded(left - remainder) / right)
    wrong_side = (remainder != 0) & ((right < 0) != (remainder < 0))
    quotient = np.where(wrong_side, rounded(quotient - 1), quotient)
    floored = np.floor(quotient)
    floored = np.where(rounded(quotient - floored) > 0.5, rounded(floored + 1), floored)
    exact = left / right
    zero = np.copysign(np.zeros((), left.dtype), exact)
    return np.where(right == 0, exact, np.where(quotient == 0, zero, floored))


def multiply_complex(left: Any, right: Any) -> Any:
    """Return the complex product with each real product rounded, as torch's vectorized kernel."""
    left, right = broadcast_arrays(left, right)
    product = np.empty_like(left)
    product.real = left.real * right.real - left.imag * right.imag
    product.imag = left.real * right.imag + left.imag * right.real
    return product


def add_scaled(scale: Any, left: Any, right: Any) -> Any:
    """Return ``left + scale * right``, rounded once where torch uses FMA."""
    dtype = left.dtype
    if dtype.kind in "iu":
        return left + np.array(scale % 2**64, np.uint64).astype(dtype) * right
    if dtype.kind == "c":
        return left + multiply_complex(right, np.array(scale, dtype))
    return fused(right, np.array(scale, dtype), left)


def add_scaled_narrow(
    scale: Any, left: Any, right: Any, in_vector: Any = None, *, rounded: Kernel
) -> Any:
    """Return ``left + scale * right`` for float16, bfloat16 and complex32; the scale is rounded.

    The product of real numbers is rounded, too, unless the element is in a vector.
    """
    scale = rounded(np.array(scale, left.dtype))
    if left.dtype.kind == "c":
        return left + rounded(multiply_complex(right, scale))
    return np.where(in_vector, fused(right, scale, left), left + rounded(right * scale))


def add_scaled_booleans(scale: bool, left: Any, right: Any) -> Any:
    """Return ``left or (scale and right)``."""
    return left | (right & scale)
