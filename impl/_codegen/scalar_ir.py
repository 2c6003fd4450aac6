"""LLVM's text of one element: what is loaded becomes a number, and a number what is stored.

A dtype's numbers are computed in a `Number` type: narrow floats in float32,
the others in their own.  `load` and `store` are the ways between elements in
memory and numbers, `convert` those between numbers, each as torch converts.
"""

import struct
from typing import NamedTuple

from .._arrays.opaque_dtypes import is_opaque
from .._dtypes.constants import BFLOAT16, FLOAT16, FLOAT32, FLOAT64
from .._dtypes.table import FloatFormat, Kind, Specials, dtype, spec_of


class Number(NamedTuple):
    """A type that is computed with: what LLVM calls it, and its kind."""

    type: str
    kind: Kind


SINGLE = Number("float", Kind.FLOAT)
DOUBLE = Number("double", Kind.FLOAT)


_NATIVE = {FLOAT16: "half", FLOAT32: "float", FLOAT64: "double"}


class Code:
    """Lines of text that are being written; each gives a value that has a name."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.lines: list[str] = []

    def add(self, line: str) -> str:
        """Write what computes a value, and return its name."""
        name = f"%{self.prefix}{len(self.lines)}"
        self.lines.append(f"{name} = {line}")
        return name

    def select(self, condition: str, kind: str, chosen: str | int, otherwise: str | int) -> str:
        """Choose between two values of a type."""
        return self.add(f"select i1 {condition}, {kind} {chosen}, {kind} {otherwise}")


def has_numbers(dtype: dtype) -> bool:
    """Tell whether `load` and `store` know a dtype: all that kernels know but the complex ones."""
    return not (dtype.is_complex or is_opaque(dtype))


def number_of(dtype: dtype) -> Number:
    """Return what a dtype's numbers are computed in."""
    row = spec_of(dtype)
    if row.kind is Kind.FLOAT:
        return DOUBLE if row.bits == 64 else SINGLE
    return Number(f"i{row.bits}", row.kind)


def in_memory(dtype: dtype) -> str:
    """Return what LLVM calls an element in memory."""
    return _NATIVE.get(dtype) or f"i{8 * dtype.itemsize}"


def load(code: Code, dtype: dtype, element: str) -> str:
    """Return the number that an element stands for."""
    row = spec_of(dtype)
    if row.kind is Kind.BOOL:
        return code.add(f"zext i1 {code.add(f'icmp ne i8 {element}, 0')} to i8")
    if dtype is FLOAT16:
        return code.add(f"fpext half {element} to float")
    if row.float_format is None or dtype in _NATIVE:
        return element
    form = row.float_format
    wide = code.add(f"zext i{row.bits} {element} to i32")
    if dtype is BFLOAT16:
        bits = code.add(f"shl nuw i32 {wide}, 16")
    elif form.specials is Specials.NAN_ONLY:
        bits = _decoded_exponent(code, wide)
    else:
        bits = _decoded(code, form, wide)
    return code.add(f"bitcast i32 {bits} to float")


def store(code: Code, dtype: dtype, number: str) -> str:
    """Return the element that is nearest to a number of the dtype's own type (`number_of`)."""
    row = spec_of(dtype)
    if dtype is FLOAT16:
        return code.add(f"fptrunc float {number} to half")
    if row.float_format is None or dtype in _NATIVE:
        return number
    bits = code.add(f"bitcast float {number} to i32")
    form = row.float_format
    if form.specials is Specials.NAN_ONLY:
        raw = _encoded_exponent(code, bits)
    else:
        raw = _encoded(code, form, bits, row.bits, has_one_nan=dtype is BFLOAT16)
    return code.add(f"trunc i32 {raw} to i{row.bits}")


def convert(code: Code, number: str, have: Number, want: Number) -> str:
    """Return a number as one of another type."""
    if have == want:
        return number
    if want.kind is Kind.BOOL:
        if have.kind is Kind.FLOAT:
            truth = code.add(f"fcmp une {have.type} {number}, 0.0")
        else:
            truth = code.add(f"icmp ne {have.type} {number}, 0")
        return code.add(f"zext i1 {truth} to i8")
    if have.kind is Kind.FLOAT:
        if want.kind is Kind.FLOAT:
            way = "fpext" if want == DOUBLE else "fptrunc"
            return code.add(f"{way} {have.type} {number} to {want.type}")
        return _integer(code, number, have, want)
    if want.kind is Kind.FLOAT:
        way = "sitofp" if have.kind is Kind.SIGNED else "uitofp"
        return code.add(f"{way} {have.type} {number} to {want.type}")
    return _resized(code, number, have, want)


def _resized(code: Code, number: str, have: Number, want: Number) -> str:
    wider = int(want.type[1:]) - int(have.type[1:])
    if not wider:
        return number
    way = "trunc" if wider < 0 else "sext" if have.kind is Kind.SIGNED else "zext"
    return code.add(f"{way} {have.type} {number} to {want.type}")


def _integer(code: Code, number: str, have: Number, want: Number) -> str:
    """Cut a float off to an integer; what is beyond becomes what processors make of it in C."""

    def cut(number: str, kind: str) -> str:
        return code.add(f"freeze {kind} {code.add(f'fptosi {have.type} {number} to {kind}')}")

    if want.kind is Kind.UNSIGNED and want.type in ("i32", "i64"):
        half = 2 ** (int(want.type[1:]) - 1)
        limit = constant(float(half))
        is_large = code.add(f"fcmp oge {have.type} {number}, {limit}")
        less = cut(code.add(f"fsub {have.type} {number}, {limit}"), want.type)
        large = code.add(f"xor {want.type} {less}, {-half}")
        return code.select(is_large, want.type, large, cut(number, want.type))
    # uint8 is reached by way of int64 (c10/util/TypeCast.h): negative numbers wrap.
    is_long = want.type == "i64" or (want.type == "i8" and want.kind is Kind.UNSIGNED)
    way = Number("i64" if is_long else "i32", Kind.SIGNED)
    return _resized(code, cut(number, way.type), way, want)


def constant(number: float) -> str:
    """Return a float as LLVM writes it, in the bits of a double."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"


def _decoded(code: Code, form: FloatFormat, wide: str) -> str:
    """Return the bits of the float32 that a code stands for: moved there, times what makes the exponent right."""
    places, bits = 23 - form.mantissa_bits, form.exponent_bits + form.mantissa_bits
    size = code.add(f"and i32 {wide}, {2**bits - 1}")
    moved = code.add(f"shl i32 {size}, {places}")
    single = code.add(f"bitcast i32 {moved} to float")
    scaled = code.add(f"fmul float {single}, {constant(2.0 ** (127 - form.bias))}")
    found = code.add(f"bitcast float {scaled} to i32")
    if form.specials is not Specials.FNUZ:
        mantissa = code.add(f"and i32 {moved}, {2**23 - 1}")
        is_nan = code.add(f"icmp ne i32 {mantissa}, 0")
        quiet = code.select(is_nan, "i32", 0x7FC00000, 0x7F800000)
        special = code.add(f"or i32 {mantissa}, {quiet}")
        is_special = code.add(f"icmp uge i32 {size}, {_first_special(form)}")
        found = code.select(is_special, "i32", special, found)
    sign = code.add(f"shl i32 {code.add(f'lshr i32 {wide}, {bits}')}, 31")
    found = code.add(f"or i32 {found}, {sign}")
    if form.specials is Specials.FNUZ:
        is_nan = code.add(f"icmp eq i32 {wide}, {2**bits}")
        found = code.select(is_nan, "i32", 0x7F800001, found)
    return found


def _first_special(form: FloatFormat) -> int:
    """Return the first code without a sign that is not a finite number."""
    end = 1 << (form.exponent_bits + form.mantissa_bits)
    if form.specials is Specials.IEEE:
        return end - (1 << form.mantissa_bits)
    return end - 1 if form.specials is Specials.FN else end


def _encoded(code: Code, form: FloatFormat, bits: str, width: int, *, has_one_nan: bool) -> str:
    """Return the code nearest to the float32 of these bits, a tie to the even one; see `codecs.nearest`."""
    places = 23 - form.mantissa_bits
    size = code.add(f"and i32 {bits}, {2**31 - 1}")
    odd = code.add(f"and i32 {code.add(f'lshr i32 {size}, {places}')}, 1")
    half = 2 ** (places - 1) - 1 - ((127 - form.bias) << 23)
    rounded = code.add(f"add i32 {code.add(f'add i32 {size}, {half}')}, {odd}")
    found = code.add(f"lshr i32 {rounded}, {places}")
    if form.bias != 127:
        # Below the normal numbers, adding a power of two rounds at the right bit.
        power = (127 - form.bias + places + 1) << 23
        single = code.add(f"bitcast i32 {size} to float")
        whole = struct.unpack("<f", struct.pack("<I", power))[0]
        total = code.add(f"fadd float {single}, {constant(whole)}")
        below = code.add(f"sub i32 {code.add(f'bitcast float {total} to i32')}, {power}")
        is_below = code.add(f"icmp ult i32 {size}, {(128 - form.bias) << 23}")
        found = code.select(is_below, "i32", below, found)
    last = _first_special(form) - (form.specials is not Specials.IEEE)
    is_nan = code.add(f"icmp ugt i32 {size}, {0x7F800000}")
    sign = code.add(f"and i32 {code.add(f'lshr i32 {bits}, {32 - width}')}, {2 ** (width - 1)}")
    if form.specials is Specials.FNUZ:
        is_wrong = code.add(f"or i1 {is_nan}, {code.add(f'icmp ugt i32 {found}, {last}')}")
        is_zero = code.add(f"icmp eq i32 {found}, 0")
        signed = code.add(f"or i32 {found}, {code.select(is_zero, 'i32', 0, sign)}")
        return code.select(is_wrong, "i32", 2 ** (width - 1), signed)
    is_beyond = code.add(f"icmp ugt i32 {found}, {last}")
    found = code.select(is_beyond, "i32", last, found)
    if has_one_nan:  # c10/util/BFloat16.h
        return code.select(is_nan, "i32", 0x7FC0, code.add(f"or i32 {found}, {sign}"))
    found = code.select(is_nan, "i32", 2 ** (width - 1) - 1, found)
    return code.add(f"or i32 {found}, {sign}")


def _decoded_exponent(code: Code, wide: str) -> str:
    found = code.add(f"shl i32 {wide}, 23")
    found = code.select(code.add(f"icmp eq i32 {wide}, 0"), "i32", 0x00400000, found)
    return code.select(code.add(f"icmp eq i32 {wide}, 255"), "i32", 0x7F800001, found)


def _encoded_exponent(code: Code, bits: str) -> str:
    """Return the nearest power of two, a tie upwards, but for the lowest; see `codecs.nearest`."""
    size = code.add(f"and i32 {bits}, {2**31 - 1}")
    rounded = code.add(f"lshr i32 {code.add(f'add i32 {size}, {2**22}')}, 23")
    is_lowest = code.add(f"icmp ule i32 {size}, {2**22}")
    found = code.select(is_lowest, "i32", 0, rounded)
    return code.select(code.add(f"icmp ugt i32 {found}, 255"), "i32", 255, found)
