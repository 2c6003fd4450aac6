"""How the dtypes write numbers in bits, as the standards say: a second opinion beside the oracle's.

IEEE 754 for the usual ones, the OCP formats for float8 (fn: no infinities;
fnuz: no negative zero either), and powers of two alone for e8m0.  No library
under test takes part.
"""

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np


class Format(NamedTuple):
    """How one part of an element is written; a complex element has two parts."""

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
        """Whether an element is an integer, which bool is not."""
        return self.kind in ("unsigned", "signed")

    @property
    def code_type(self) -> str:
        """The NumPy dtype that holds the bits of a part."""
        return f"uint{self.bits}"

    @property
    def magnitudes(self) -> int:
        """How many codes there are without a sign; the sign's bit has this value, if there is one."""
        return int(2 ** (self.exponent + self.mantissa))

    @property
    def largest(self) -> int:
        """The code of the largest finite number."""
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

FORMATS = {each.name: each for each in _ROWS}
"""The dtypes whose elements stand for numbers, by name."""


def is_nan(raw: Any, form: Format) -> Any:
    """Tell which parts, given as codes, are not a number."""
    if form.specials == "fnuz":
        return raw == form.magnitudes
    magnitude = raw & raw.dtype.type(form.magnitudes - 1)
    return magnitude > form.largest + (form.specials == "ieee")


def numbers(raw: Any, form: Format) -> Any:
    """Return what the parts of a float format stand for, as float64, which holds them all."""
    if form.bits == 64:
        return raw.view(np.float64)
    magnitude = (raw & raw.dtype.type(form.magnitudes - 1)).astype(np.int64)
    exponent, fraction = magnitude >> form.mantissa, magnitude & (2**form.mantissa - 1)
    is_normal = (exponent > 0) | (form.specials == "powers")
    power = np.maximum(exponent - form.bias, form.lowest_exponent) - form.mantissa
    found = np.ldexp((fraction + (is_normal << form.mantissa)).astype(np.float64), power)
    if form.specials == "ieee":
        found = np.where(magnitude == form.largest + 1, np.inf, found)
    found = np.where(is_nan(raw, form), np.nan, found)
    return found if form.specials == "powers" else np.where(raw >= form.magnitudes, -found, found)


def value_of(code: int, form: Format) -> Fraction | float:
    """Return what one code stands for, exactly; infinities, NaN and negative zero are floats."""
    if form.kind == "bool":
        return Fraction(code != 0)
    if not form.is_float:
        return Fraction(
            code - (2**form.bits if form.kind == "signed" and code >> form.bits - 1 else 0)
        )
    number = float(numbers(np.array([code], form.code_type), form)[0])
    is_plain = np.isfinite(number) and (number or not np.signbit(number))
    return Fraction(number) if is_plain else number


def nearest(value: Fraction | float, form: Format) -> int | None:
    """Return the code nearest to a number, a tie to the even one; or None if there is no rule."""
    is_negative = value < 0 or (not value and math.copysign(1, value) < 0)
    sign = form.magnitudes if is_negative else 0
    if form.specials == "powers":
        return _power(value, form)
    if isinstance(value, float) and math.isnan(value):
        return _overflow(form, 0) if form.specials == "fnuz" else _nan(form)
    if isinstance(value, float) and math.isinf(value):
        return _overflow(form, sign)
    size = abs(Fraction(value))
    exponent = max(_exponent(size), form.lowest_exponent) if size else form.lowest_exponent
    steps = round(size / Fraction(2) ** (exponent - form.mantissa))
    code = ((exponent - form.lowest_exponent) << form.mantissa) + steps
    if code > form.largest:
        return _overflow(form, sign)
    return int(code if code == 0 and form.specials == "fnuz" else code + sign)


def _exponent(size: Fraction) -> int:
    guess = size.numerator.bit_length() - size.denominator.bit_length()
    return guess if size >= Fraction(2) ** guess else guess - 1


def _nan(form: Format) -> int:
    return form.magnitudes - (1 if form.specials == "fn" else 2 ** (form.mantissa - 1))


def _overflow(form: Format, sign: int) -> int:
    """Return what is too large: infinity, or NaN, or the largest number where neither is free."""
    special = {"ieee": form.largest + 1 + sign, "fn": form.largest + sign}
    return special.get(form.specials, form.magnitudes)


def _power(value: Fraction | float, form: Format) -> int | None:
    """Return the nearest power of two; what has no sign or lies half way has no standard answer."""
    if isinstance(value, float):
        return form.magnitudes - 1 if math.isnan(value) else None
    if value <= 0:
        return None
    size = Fraction(value)
    exponent = _exponent(size)
    fraction = size / Fraction(2) ** exponent
    code = exponent + form.bias + (fraction > Fraction(3, 2))
    return code if 0 <= code <= form.largest and fraction != Fraction(3, 2) else None


def shown(code: Any, form: Format) -> str:
    """Write an element, given by the codes of its parts: its bits, and the number.

    >>> shown([0x3c01], FORMATS["float16"]), shown([255], FORMATS["int8"])
    ('3c01 (1.0009765625)', 'ff (-1)')
    """
    digits = [f"{int(part):0{form.bits // 4}x}" for part in code]
    found = [value_of(int(part), form) for part in code]
    written = [repr(float(each)) if form.is_float else str(each) for each in found]
    return f"{' '.join(digits)} ({', '.join(written)})"
