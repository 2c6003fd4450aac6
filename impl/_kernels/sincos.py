"""The sine and the cosine of float32, with the rounding of the C library that torch calls.

They are the functions of Arm's Optimized Routines, as in glibc (Copyright (c) 2018, Arm Limited,
MIT or Apache-2.0 with LLVM exception): two polynomials in float64, after a reduction by pi / 2.
"""

from typing import Any

from .._arrays.numpy_bridge import np

_TWO_OVER_PI = float.fromhex("0x1.45F306DC9C883p+23")
_HALF_PI_HIGH = float.fromhex("0x1.921FB54440000p0")
_HALF_PI_LOW = float.fromhex("0x1.921FB54442D18p0") - _HALF_PI_HIGH
_PI_63 = float.fromhex("0x1.921FB54442D18p-62")

_COS = tuple(
    map(
        float.fromhex,
        (
            "0x1p0", "-0x1.ffffffd0c621cp-2", "0x1.55553e1068f19p-5", "-0x1.6c087e89a359dp-10",
            "0x1.99343027bf8c3p-16",
        ),
    )
)  # fmt: skip
_SIN = tuple(
    map(
        float.fromhex,
        ("-0x1.555545995a603p-3", "0x1.1107605230bc4p-7", "-0x1.994eb3774cf24p-13"),
    )
)

_FOUR_OVER_PI = 0xA2F9836E4E441529FC2757D1F534DDC0DB6295993C439041
_BITS = 192
_WINDOWS = [(_FOUR_OVER_PI >> (_BITS - 8 * (index + 1))) & 0xFFFFFFFF for index in range(24)]
"""32 bits of 4 / pi, each window 8 bits after the one before."""

_SMALL = 120.0
"""The end of the numbers that are reduced by a multiplication in float64."""


def sin_cos(angles: Any) -> tuple[Any, Any]:
    """Return the sines and the cosines of an array of float32."""
    shape, flat = angles.shape, angles.ravel()
    reduced, quadrants = _reduced(flat.astype(np.float64))
    is_large = ~(np.abs(flat) < _SMALL)
    if is_large.any():
        reduced[is_large], quadrants[is_large] = _reduced_large(flat[is_large])
    square = reduced * reduced
    sine, cosine = _sine(reduced, square), _cosine(square)
    is_odd, is_half_turn = (quadrants & 1).astype(bool), (quadrants & 2).astype(bool)
    sines = np.where(is_odd, cosine, sine)
    cosines = np.where(is_odd, sine, cosine)
    np.negative(sines, out=sines, where=is_half_turn)
    np.negative(cosines, out=cosines, where=is_half_turn ^ is_odd)
    results = [each.astype(np.float32) for each in (sines, cosines)]
    tiny = np.abs(flat) < np.float32(2**-12)
    np.copyto(results[0], flat, where=tiny)
    return results[0].reshape(shape), results[1].reshape(shape)


def _sine(x: Any, square: Any) -> Any:
    s1, s2, s3 = _SIN
    cube = x * square
    return (x + cube * s1) + (cube * square) * (s2 + square * s3)


def _cosine(square: Any) -> Any:
    c0, c1, c2, c3, c4 = _COS
    fourth = square * square
    return ((c0 + square * c1) + fourth * c2) + (fourth * square) * (c3 + square * c4)


def _reduced(x: Any) -> tuple[Any, Any]:
    """Return numbers without the closest multiples of pi / 2, and these multiples."""
    with np.errstate(invalid="ignore"):
        quadrants = ((x * _TWO_OVER_PI).astype(np.int32) + 0x800000) >> 24
    quadrants = np.where(np.abs(x) < np.float32(np.pi / 4), 0, quadrants)
    # The C library rounds once here (fma); only the last operation rounds.
    return (x - quadrants * _HALF_PI_HIGH) - quadrants * _HALF_PI_LOW, quadrants


def _reduced_large(x: Any) -> tuple[Any, Any]:
    """Return `_reduced` of large numbers, by integers of 96 bits.

    It is NaN for a number that is not finite.
    """
    bits = x.view(np.uint32).astype(np.uint64)
    windows = np.array(_WINDOWS, np.uint64)
    first = (bits >> 26) & 15
    mantissa = (((bits & 0xFFFFFF) | 0x800000) << ((bits >> 23) & 7)) & 0xFFFFFFFF
    high, middle, low = (mantissa * windows[first + offset] for offset in (0, 4, 8))
    product = ((low >> 32) | (high << 32)) + middle
    quadrants = (product + (1 << 61)) >> 62
    remainder = (product - (quadrants << 62)).view(np.int64) * _PI_63
    is_negative = np.signbit(x)
    quadrants = quadrants.astype(np.int32)
    remainder = np.where(is_negative, -remainder, remainder)
    quadrants = np.where(is_negative, -quadrants, quadrants)
    is_finite = np.isfinite(x)
    with np.errstate(invalid="ignore"):
        return np.where(is_finite, remainder, x - x), np.where(is_finite, quadrants, 0)
