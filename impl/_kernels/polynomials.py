"""Polynomials, rational functions and piecewise functions for kernels that NumPy lacks."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from .._arrays.numpy_bridge import np

Array = Any
Coefficients = Sequence[float]


def polynomial(x: Array, coefficients: Coefficients) -> Array:
    """Return the value of a polynomial whose constant coefficient comes first."""
    total, *others = _rounded(tuple(reversed(coefficients)), x.dtype.type)
    for coefficient in others:
        total = multiply_add(x, total, coefficient)
    return total


@cache
def _rounded(coefficients: Coefficients, scalar_type: type) -> list[Any]:
    return [float(scalar_type(coefficient)) for coefficient in coefficients]


def multiply_add(left: Array, right: Array, added: Array) -> Array:
    """Return left * right + added; in float32 rounded once, as an FMA instruction does."""
    if left.dtype.char == "f":
        product = np.multiply(left, right, dtype=np.float64)
        product += added
        return product.astype(np.float32)
    return left * right + added


def in_double(function: str, *numbers: Array) -> Array:
    """Return NumPy's function of numbers, computed in float64 and rounded to their dtype."""
    doubles = [x.astype(np.float64) for x in numbers]
    return getattr(np, function)(*doubles).astype(numbers[0].dtype)


def piecewise(x: Array, *pieces: tuple[Array, Callable[[Array], Array]]) -> Array:
    """Return ``x`` with function(x) in place of the elements of each mask."""
    result = np.array(x)
    for mask, function in pieces:
        if mask.all():
            return np.asarray(function(x))
        if mask.any():
            result[mask] = function(x[mask])
    return result


def ratio(x: Array, coefficients: tuple[Coefficients, Coefficients]) -> Array:
    """Return the quotient of two polynomials."""
    numerator, denominator = coefficients
    return polynomial(x, numerator) / polynomial(x, denominator)
