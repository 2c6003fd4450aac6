"""Polynomials and pieces, of which functions are made that NumPy lacks."""

from collections.abc import Callable, Sequence
from typing import Any

from .._arrays.numpy_bridge import np

Array = Any
Coefficients = Sequence[float]


def polynomial(x: Array, coefficients: Coefficients) -> Array:
    """Return the value of a polynomial whose constant coefficient comes first."""
    total = np.full_like(x, coefficients[-1])
    for each in reversed(coefficients[:-1]):
        total = multiply_add(total, x, x.dtype.type(each))
    return total


def multiply_add(left: Array, right: Array, added: Array) -> Array:
    """Return left * right + added; in float32 with one rounding, as processors have it."""
    if left.dtype.char == "f":
        product = np.multiply(left, right, dtype=np.float64)
        return (product + added).astype(np.float32)
    return left * right + added


def in_double(function: str, x: Array) -> Array:
    """Return a function of NumPy's of numbers, rounded once where they are float32."""
    return getattr(np, function)(x.astype(np.float64)).astype(x.dtype)


def piecewise(x: Array, *pieces: tuple[Array, Callable[[Array], Array]]) -> Array:
    """Return ``x``, replaced by a function of itself where a mask says so."""
    result = np.array(x)
    for mask, function in pieces:
        if mask.all():
            return np.asarray(function(x))
        if mask.any():
            result[mask] = function(x[mask])
    return result


def ratio(x: Array, coefficients: tuple[Coefficients, Coefficients]) -> Array:
    """Return the quotient of two polynomials."""
    above, below = coefficients
    return polynomial(x, above) / polynomial(x, below)
