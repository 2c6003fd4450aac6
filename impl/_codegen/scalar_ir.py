"""The LLVM IR for one element: loading, storing and conversion of numbers.

Each dtype has an `OpmathType`: float32 for narrow floats, the dtype's own type otherwise.  `load`
decodes an element from memory to a number, and `store` encodes a number.  `convert` converts
between opmath types.  All three convert as torch does.
"""

import struct
from typing import NamedTuple

from .._arrays.opaque_dtypes import is_opaque
from .._dtypes.constants import BFLOAT16, FLOAT16, FLOAT32, FLOAT64
from .._dtypes.table import FloatFormat, Kind, Specials, dtype, spec_of


class OpmathType(NamedTuple):
    """The type of numbers in computations: its LLVM name and its kind."""

    type: str
    kind: Kind


FLOAT32_TYPE = OpmathType("float", Kind.FLOAT)
DOUBLE = OpmathType("double", Kind.FLOAT)

_LLVM_FLOATS = {FLOAT16: "half", FLOAT32: "float", FLOAT64: "double"}


class IRBuilder:
    """A sequence of LLVM IR lines, each of which defines a named value."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.lines: list[str] = []

    def add(self, line: str) -> str:
        """Append the instruction that defines a value, and return its name."""
        name = f"%{self.prefix}{len(self.lines)}"
        self.lines.append(f"{name} = {line}")
        return name

    def select(self, condition: str, ty: str, if_true: str | int, if_false: str | int) -> str:
        """Append a select between two values of a type, and return its name."""
        return self.add(f"select i1 {condition}, {ty} {if_true}, {ty} {if_false}")


def is_compilable(dtype: dtype) -> bool:
    """Return whether `load` and `store` support a dtype: it is neither complex nor opaque."""
    return not (dtype.is_complex or is_opaque(dtype))


def opmath_type(dtype: dtype) -> OpmathType:
    row = spec_of(dtype)
    if row.kind is Kind.FLOAT:
        return DOUBLE if row.bits == 64 else FLOAT32_TYPE
    return OpmathType(f"i{row.bits}", row.kind)


def memory_type(dtype: dtype) -> str:
    """Return the LLVM type of an element in memory."""
    return _LLVM_FLOATS.get(dtype) or f"i{8 * dtype.itemsize}"


def load(code: IRBuilder, dtype: dtype, element: str) -> str:
    row = spec_of(dtype)
    if row.kind is Kind.BOOL:
        return code.add(f"zext i1 {code.add(f'icmp ne i8 {element}, 0')} to i8")
    if dtype is FLOAT16:
        return code.add(f"fpext half {element} to float")
    if row.float_format is None or dtype in _LLVM_FLOATS:
        return element
    fmt = row.float_format
    raw = code.add(f"zext i{row.bits} {element} to i32")
    if dtype is BFLOAT16:
        bits = code.add(f"shl nuw i32 {raw}, 16")
    elif fmt.specials is Specials.NAN_ONLY:
        bits = _decode_exponent(code, raw)
    else:
        bits = _decode(code, fmt, raw)
    return code.add(f"bitcast i32 {bits} to float")


def store(code: IRBuilder, dtype: dtype, number: str) -> str:
    """Return the element nearest to a number of the dtype's opmath type."""
    row = spec_of(dtype)
    if dtype is FLOAT16:
        return code.add(f"fptrunc float {number} to half")
    if row.float_format is None or dtype in _LLVM_FLOATS:
        return number
    bits = code.add(f"bitcast float {number} to i32")
    fmt = row.float_format
    if fmt.specials is Specials.NAN_ONLY:
        raw = _encode_exponent(code, bits)
    else:
        raw = _encode(code, fmt, bits, row.bits, has_one_nan=dtype is BFLOAT16)
    return code.add(f"trunc i32 {raw} to i{row.bits}")


def convert(code: IRBuilder, number: str, source: OpmathType, target: OpmathType) -> str:
    if source == target:
        return number
    if target.kind is Kind.BOOL:
        comparison, zero = ("fcmp une", "0.0") if source.kind is Kind.FLOAT else ("icmp ne", "0")
        truth = code.add(f"{comparison} {source.type} {number}, {zero}")
        return code.add(f"zext i1 {truth} to i8")
    if target.kind is not Kind.FLOAT:
        to_integer = _float_to_integer if source.kind is Kind.FLOAT else _resize_integer
        return to_integer(code, number, source, target)
    if source.kind is Kind.FLOAT:
        instruction = "fpext" if target == DOUBLE else "fptrunc"
    else:
        instruction = "sitofp" if source.kind is Kind.SIGNED else "uitofp"
    return code.add(f"{instruction} {source.type} {number} to {target.type}")


def _resize_integer(code: IRBuilder, number: str, source: OpmathType, target: OpmathType) -> str:
    extra_bits = int(target.type[1:]) - int(source.type[1:])
    if not extra_bits:
        return number
    instruction = "trunc" if extra_bits < 0 else "sext" if source.kind is Kind.SIGNED else "zext"
    return code.add(f"{instruction} {source.type} {number} to {target.type}")


def _float_to_integer(code: IRBuilder, number: str, source: OpmathType, target: OpmathType) -> str:
    """Truncate a float to an integer; out of range, the result is the processor's, as in C."""

    def truncate(number: str, ty: str) -> str:
        return code.add(f"freeze {ty} {code.add(f'fptosi {source.type} {number} to {ty}')}")

    if target.kind is Kind.UNSIGNED and target.type in ("i32", "i64"):
        half = 2 ** (int(target.type[1:]) - 1)
        limit = constant(float(half))
        is_large = code.add(f"fcmp oge {source.type} {number}, {limit}")
        reduced = truncate(code.add(f"fsub {source.type} {number}, {limit}"), target.type)
        large = code.add(f"xor {target.type} {reduced}, {-half}")
        return code.select(is_large, target.type, large, truncate(number, target.type))
    # The cast to uint8 goes through int64 (c10/util/TypeCast.h): negative numbers wrap.
    is_long = target.type == "i64" or (target.type == "i8" and target.kind is Kind.UNSIGNED)
    intermediate = OpmathType("i64" if is_long else "i32", Kind.SIGNED)
    return _resize_integer(code, truncate(number, intermediate.type), intermediate, target)


def constant(number: float) -> str:
    """Return LLVM's literal for a float: the bits of a double."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"


def single_constant(number: float) -> str:
    """Return LLVM's literal for the float32 number nearest to a float."""
    return constant(struct.unpack("f", struct.pack("f", number))[0])


def _decode(code: IRBuilder, fmt: FloatFormat, raw: str) -> str:
    """Return the float32 bits of an element: its shifted bits, scaled by the bias difference."""
    shift, bits = 23 - fmt.mantissa_bits, fmt.exponent_bits + fmt.mantissa_bits
    magnitude = code.add(f"and i32 {raw}, {2**bits - 1}")
    shifted = code.add(f"shl i32 {magnitude}, {shift}")
    single = code.add(f"bitcast i32 {shifted} to float")
    scaled = code.add(f"fmul float {single}, {constant(2.0 ** (127 - fmt.bias))}")
    result = code.add(f"bitcast float {scaled} to i32")
    if fmt.specials is not Specials.FNUZ:
        mantissa = code.add(f"and i32 {shifted}, {2**23 - 1}")
        is_nan = code.add(f"icmp ne i32 {mantissa}, 0")
        quiet = code.select(is_nan, "i32", 0x7FC00000, 0x7F800000)
        special = code.add(f"or i32 {mantissa}, {quiet}")
        is_special = code.add(f"icmp uge i32 {magnitude}, {_first_special(fmt)}")
        result = code.select(is_special, "i32", special, result)
    sign = code.add(f"shl i32 {code.add(f'lshr i32 {raw}, {bits}')}, 31")
    result = code.add(f"or i32 {result}, {sign}")
    if fmt.specials is Specials.FNUZ:
        is_nan = code.add(f"icmp eq i32 {raw}, {2**bits}")
        result = code.select(is_nan, "i32", 0x7F800001, result)
    return result


def _first_special(fmt: FloatFormat) -> int:
    """Return the first unsigned bit pattern that is not a finite number."""
    specials = {Specials.IEEE: 1 << fmt.mantissa_bits, Specials.FN: 1}.get(fmt.specials, 0)
    return (1 << (fmt.exponent_bits + fmt.mantissa_bits)) - specials


def _encode(code: IRBuilder, fmt: FloatFormat, bits: str, width: int, *, has_one_nan: bool) -> str:
    """Return the element nearest to float32 bits, ties to even, as `float_formats.nearest` does."""
    shift = 23 - fmt.mantissa_bits
    magnitude = code.add(f"and i32 {bits}, {2**31 - 1}")
    odd = code.add(f"and i32 {code.add(f'lshr i32 {magnitude}, {shift}')}, 1")
    half = 2 ** (shift - 1) - 1 - ((127 - fmt.bias) << 23)
    rounded = code.add(f"add i32 {code.add(f'add i32 {magnitude}, {half}')}, {odd}")
    result = code.add(f"lshr i32 {rounded}, {shift}")
    if fmt.bias != 127:
        # For subnormal results, adding a power of two rounds at the right bit.
        power = (127 - fmt.bias + shift + 1) << 23
        single = code.add(f"bitcast i32 {magnitude} to float")
        power_value = struct.unpack("<f", struct.pack("<I", power))[0]
        total = code.add(f"fadd float {single}, {constant(power_value)}")
        subnormal = code.add(f"sub i32 {code.add(f'bitcast float {total} to i32')}, {power}")
        is_subnormal = code.add(f"icmp ult i32 {magnitude}, {(128 - fmt.bias) << 23}")
        result = code.select(is_subnormal, "i32", subnormal, result)
    last = _first_special(fmt) - (fmt.specials is not Specials.IEEE)
    is_nan = code.add(f"icmp ugt i32 {magnitude}, {0x7F800000}")
    sign = code.add(f"and i32 {code.add(f'lshr i32 {bits}, {32 - width}')}, {2 ** (width - 1)}")
    if fmt.specials is Specials.FNUZ:
        is_wrong = code.add(f"or i1 {is_nan}, {code.add(f'icmp ugt i32 {result}, {last}')}")
        is_zero = code.add(f"icmp eq i32 {result}, 0")
        signed = code.add(f"or i32 {result}, {code.select(is_zero, 'i32', 0, sign)}")
        return code.select(is_wrong, "i32", 2 ** (width - 1), signed)
    overflows = code.add(f"icmp ugt i32 {result}, {last}")
    result = code.select(overflows, "i32", last, result)
    if has_one_nan:  # c10/util/BFloat16.h
        return code.select(is_nan, "i32", 0x7FC0, code.add(f"or i32 {result}, {sign}"))
    result = code.select(is_nan, "i32", 2 ** (width - 1) - 1, result)
    return code.add(f"or i32 {result}, {sign}")


def _decode_exponent(code: IRBuilder, raw: str) -> str:
    result = code.add(f"shl i32 {raw}, 23")
    result = code.select(code.add(f"icmp eq i32 {raw}, 0"), "i32", 0x00400000, result)
    return code.select(code.add(f"icmp eq i32 {raw}, 255"), "i32", 0x7F800001, result)


def _encode_exponent(code: IRBuilder, bits: str) -> str:
    """Return the nearest power of two, ties upwards except at the lowest exponent."""
    magnitude = code.add(f"and i32 {bits}, {2**31 - 1}")
    rounded = code.add(f"lshr i32 {code.add(f'add i32 {magnitude}, {2**22}')}, 23")
    is_lowest = code.add(f"icmp ule i32 {magnitude}, {2**22}")
    result = code.select(is_lowest, "i32", 0, rounded)
    return code.select(code.add(f"icmp ugt i32 {result}, 255"), "i32", 255, result)
