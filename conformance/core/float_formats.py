"""Number formats of the dtypes by their standards, independent of the oracle.

The formats follow IEEE 754 and the OCP specification of 8-bit floats. The suffix fn means no
infinities; fnuz also means no negative zero; e8m0 has only powers of two. No library under test
takes part.
"""

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np


class Format(NamedTuple):
    """The bit layout of one part of an element; a complex element has two parts.

    name: the name of the dtype
    kind: "bool", "unsigned", "signed", "float", "complex" or "bits"
    bits: the size of a part
    exponent, mantissa, bias: the fields of a floating point part
    specials: the encoding of infinities and NaNs; empty unless floating
    parts: the number of parts of an element
    """

    name: str
    kind: str
    bits: int
    exponent: int = 0
    mantissa: int = 0
    bias: int = 0
    specials: str = ""
    parts: int = 1

    @property
    def is_float(self) -> bool:
        """Whether a part is a floating point number."""
        return bool(self.specials)

    @property
    def is_integer(self) -> bool:
        """Whether an element is an integer; bool is not."""
        return self.kind in ("unsigned", "signed")

    @property
    def integers(self) -> range:
        """The numbers of an integer dtype."""
        low = -(2 ** (self.bits - 1)) if self.kind == "signed" else 0
        return range(low, low + 2**self.bits)

    @property
    def raw_dtype(self) -> str:
        """The NumPy dtype for the raw bits of a part."""
        return f"uint{self.bits}"

    @property
    def magnitudes(self) -> int:
        """The number of bit patterns without a sign, which is also the value of the sign bit."""
        return int(2 ** (self.exponent + self.mantissa))

    @property
    def largest(self) -> int:
        """The bit pattern of the largest finite number."""
        unused = {"ieee": 2**self.mantissa + 1, "fn": 2, "fnuz": 1, "powers": 2}
        return int(self.magnitudes - unused[self.specials])

    @property
    def lowest_exponent(self) -> int:
        """The exponent of the smallest normal number."""
        return (0 if self.specials == "powers" else 1) - self.bias


# fmt: off
_ROWS = (
    #      name              kind       bits  exponent mantissa  bias  specials
    Format("bool",            "bool",        8),
    Format("uint8",           "unsigned",    8),
    Format("uint16",          "unsigned",   16),
    Format("uint32",          "unsigned",   32),
    Format("uint64",          "unsigned",   64),
    Format("int8",            "signed",      8),
    Format("int16",           "signed",     16),
    Format("int32",           "signed",     32),
    Format("int64",           "signed",     64),
    Format("float16",         "float",      16,       5,      10,    15, "ieee"),
    Format("bfloat16",        "float",      16,       8,       7,   127, "ieee"),
    Format("float32",         "float",      32,       8,      23,   127, "ieee"),
    Format("float64",         "float",      64,      11,      52,  1023, "ieee"),
    Format("complex32",       "complex",    16,       5,      10,    15, "ieee", 2),
    Format("complex64",       "complex",    32,       8,      23,   127, "ieee", 2),
    Format("complex128",      "complex",    64,      11,      52,  1023, "ieee", 2),
    Format("float8_e5m2",     "float",       8,       5,       2,    15, "ieee"),
    Format("float8_e4m3fn",   "float",       8,       4,       3,     7, "fn"),
    Format("float8_e5m2fnuz", "float",       8,       5,       2,    16, "fnuz"),
    Format("float8_e4m3fnuz", "float",       8,       4,       3,     8, "fnuz"),
    Format("float8_e8m0fnu",  "float",       8,       8,       0,   127, "powers"),
)
# fmt: on

FORMATS = {row.name: row for row in _ROWS}
"""The number formats by the names of their dtypes."""


def convertible(target: Format) -> range:
    """Return the integers to which C++ converts floating numbers for an integer dtype.

    torch converts to uint8 by way of int64 (c10/util/TypeCast.h).
    """
    return FORMATS["int64" if target.name == "uint8" else target.name].integers


def is_nan(raw: Any, fmt: Format) -> Any:
    """Return an array of whether each part, given as raw bits, is NaN."""
    if fmt.specials == "fnuz":
        return raw == fmt.magnitudes
    magnitude = raw & raw.dtype.type(fmt.magnitudes - 1)
    return magnitude > fmt.largest + (fmt.specials == "ieee")


def numbers(raw: Any, fmt: Format) -> Any:
    """Return the values of raw floating point parts as float64, which represents all of them."""
    if fmt.bits == 64:
        return raw.view(np.float64)
    magnitude = (raw & raw.dtype.type(fmt.magnitudes - 1)).astype(np.int64)
    exponent, fraction = magnitude >> fmt.mantissa, magnitude & (2**fmt.mantissa - 1)
    is_normal = (exponent > 0) | (fmt.specials == "powers")
    power = np.maximum(exponent - fmt.bias, fmt.lowest_exponent) - fmt.mantissa
    values = np.ldexp((fraction + (is_normal << fmt.mantissa)).astype(np.float64), power)
    if fmt.specials == "ieee":
        values = np.where(magnitude == fmt.largest + 1, np.inf, values)
    values = np.where(is_nan(raw, fmt), np.nan, values)
    return values if fmt.specials == "powers" else np.where(raw >= fmt.magnitudes, -values, values)


def value_of(code: int, fmt: Format) -> Fraction | float:
    """Return the exact value of one part; infinities, NaN and negative zero are floats."""
    if fmt.kind == "bool":
        return Fraction(code != 0)
    if not fmt.is_float:
        is_negative = fmt.kind == "signed" and code >> fmt.bits - 1
        return Fraction(code - (2**fmt.bits if is_negative else 0))
    number = float(numbers(np.array([code], fmt.raw_dtype), fmt)[0])
    is_plain = np.isfinite(number) and (number or not np.signbit(number))
    return Fraction(number) if is_plain else number


def nearest(value: Fraction | float, fmt: Format) -> int | None:
    """Return the bits of the nearest number, ties to even, or None if there is no rule."""
    is_negative = value < 0 or (not value and math.copysign(1, value) < 0)
    sign = fmt.magnitudes if is_negative else 0
    if fmt.specials == "powers":
        return _power(value, fmt)
    if isinstance(value, float) and math.isnan(value):
        return _overflow(fmt, 0) if fmt.specials == "fnuz" else _nan(fmt)
    if isinstance(value, float) and math.isinf(value):
        return _overflow(fmt, sign)
    magnitude = abs(Fraction(value))
    exponent = max(_exponent(magnitude), fmt.lowest_exponent) if magnitude else fmt.lowest_exponent
    steps = round(magnitude / Fraction(2) ** (exponent - fmt.mantissa))
    code = ((exponent - fmt.lowest_exponent) << fmt.mantissa) + steps
    if code > fmt.largest:
        return _overflow(fmt, sign)
    return int(code if code == 0 and fmt.specials == "fnuz" else code + sign)


def in_format(raw: Any, fmt: Format, target: Format) -> tuple[Any, Any]:
    """Return elements in another format, and an array of whether each one is exact there."""
    if not target.is_float or target.parts > fmt.parts:
        return np.zeros((len(raw), 1), target.raw_dtype), np.zeros(len(raw), bool)
    values = numbers(raw, fmt)
    parts = values[:, : target.parts]
    codes = [[nearest(float(value), target) or 0 for value in element] for element in parts]
    converted = np.array(codes, target.raw_dtype).reshape(parts.shape)
    is_exact = ((numbers(converted, target) == parts) | np.isnan(parts)).all(-1)
    return converted, is_exact & (values[:, target.parts :] == 0).all(-1)


def _exponent(magnitude: Fraction) -> int:
    guess = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    return guess if magnitude >= Fraction(2) ** guess else guess - 1


def _nan(fmt: Format) -> int:
    return fmt.magnitudes - (1 if fmt.specials == "fn" else 2 ** (fmt.mantissa - 1))


def _overflow(fmt: Format, sign: int) -> int:
    """Return the bits for a value out of range: infinity, NaN, or else the largest number."""
    special = {"ieee": fmt.largest + 1 + sign, "fn": fmt.largest + sign}
    return special.get(fmt.specials, fmt.magnitudes)


def _power(value: Fraction | float, fmt: Format) -> int | None:
    """Return the bits of the nearest power of two, or None if no standard defines it."""
    if isinstance(value, float):
        return fmt.magnitudes - 1 if math.isnan(value) else None
    if value <= 0:
        return None
    magnitude = Fraction(value)
    exponent = _exponent(magnitude)
    fraction = magnitude / Fraction(2) ** exponent
    code = exponent + fmt.bias + (fraction > Fraction(3, 2))
    return code if 0 <= code <= fmt.largest and fraction != Fraction(3, 2) else None


def format_element(code: Any, fmt: Format) -> str:
    """Return an element, given by the raw bits of its parts, as text: its bits and its value.

    >>> format_element([0x3c01], FORMATS["float16"]), format_element([255], FORMATS["int8"])
    ('3c01 (1.0009765625)', 'ff (-1)')
    """
    digits = [f"{int(part):0{fmt.bits // 4}x}" for part in code]
    values = [value_of(int(part), fmt) for part in code]
    texts = [repr(float(value)) if fmt.is_float else str(value) for value in values]
    return f"{' '.join(digits)} ({', '.join(texts)})"
