"""The float formats that NumPy lacks: their codes, and the numbers that they stand for.

A format is a row's exponent bits, mantissa bits, bias and specials.  Decoding
is a table of all codes.  Encoding finds the nearest code: the finite codes
grow with what they stand for, so it is a search among the points half way
between neighbours, and a tie goes to the even code.
"""

from functools import cache
from typing import Any

from .arrays import np
from .dtypes import FloatFormat, Specials, dtype, row_of


@cache
def table(form: FloatFormat) -> Any:
    """Return what each code stands for, as float32, in the order of the codes."""
    signed = form.specials is not Specials.NAN_ONLY
    bits = form.exponent_bits + form.mantissa_bits
    codes = np.arange(2**bits)
    exponent, mantissa = codes >> form.mantissa_bits, codes & (2**form.mantissa_bits - 1)
    is_normal = (exponent > 0) | (not signed)
    significand = mantissa / 2.0**form.mantissa_bits + is_normal
    numbers = np.ldexp(significand, np.maximum(exponent, int(signed)) - form.bias)
    top = exponent == 2**form.exponent_bits - 1
    match form.specials:
        case Specials.IEEE:
            numbers[top] = np.where(mantissa[top] == 0, np.inf, np.nan)
        case Specials.FN | Specials.NAN_ONLY:
            numbers[-1] = np.nan
    if signed:
        numbers = np.concatenate([numbers, -numbers])
    if form.specials is Specials.FNUZ:
        numbers[2**bits] = np.nan
    return numbers.astype(np.float32)


@cache
def _between(form: FloatFormat) -> Any:
    """Return the points half way from each finite code without a sign to the next one."""
    numbers = table(form)[: 2 ** (form.exponent_bits + form.mantissa_bits)].astype(np.float64)
    finite = numbers[np.isfinite(numbers)]
    # Beyond the largest comes the number that the format would go on with.
    beyond = finite[-1] + (finite[-1] - finite[-2])
    return (finite + np.append(finite[1:], beyond)) / 2


def decode(codes: Any, value: dtype) -> Any:
    """Return the numbers that codes of a real format stand for, as float32."""
    return table(_format(value))[codes]


def encode(numbers: Any, value: dtype) -> Any:
    """Return the codes of a real format that are nearest to float32 numbers.

    What is too large becomes infinity, or NaN in formats without one, but for
    float8_e4m3fn, which keeps its largest number (#178817).
    """
    if not numbers.ndim:
        return encode(numbers.reshape(1), value).reshape(())
    form = _format(value)
    if form.specials is Specials.NAN_ONLY:
        return _encode_exponents(numbers)
    bits = form.exponent_bits + form.mantissa_bits
    with np.errstate(invalid="ignore"):  # widening a signalling NaN
        wide = np.abs(numbers).astype(np.float64)
    between = _between(form)
    low = np.searchsorted(between, wide, "left")
    high = np.searchsorted(between, wide, "right")
    codes = np.where(low % 2 == 0, low, high)
    sign = np.signbit(numbers)
    largest = len(between) - 1
    is_nan = np.isnan(numbers)
    match form.specials:
        case Specials.IEEE:
            codes = np.minimum(codes, largest + 1)
            # One bit in 16-bit formats; all of them in c10/util/Float8_e5m2.h.
            quiet = 2 ** (form.mantissa_bits - 1) if bits > 8 else 1
            codes[is_nan] = 2**bits - quiet
        case Specials.FN:
            codes = np.minimum(codes, largest)
            codes[is_nan] = 2**bits - 1
        case Specials.FNUZ:
            wrong = is_nan | (codes > largest)
            # There is no negative zero; its code is NaN.
            sign = (sign & (codes > 0)) | wrong
            codes = np.where(wrong, 0, codes)
    return (codes | (sign.astype(np.int64) << bits)).astype(f"uint{8 * value.itemsize}")


def _encode_exponents(numbers: Any) -> Any:
    """Encode as float8_e8m0fnu: the nearest power of two, a tie upwards, without the sign."""
    bits = np.asarray(numbers, np.float32).view(np.uint32) & 0x7FFFFFFF
    exponent, fraction = bits >> 23, bits & 0x7FFFFF
    # From c10/util/Float8_e8m0fnu.h: at the lowest exponent a tie goes down.
    up = (fraction > 0x400000) | ((fraction == 0x400000) & (exponent > 0))
    return np.minimum(np.where(exponent == 255, 255, exponent + up), 255).astype(np.uint8)


def _format(value: dtype) -> FloatFormat:
    form = row_of(value).float_format
    assert form is not None
    return form
