"""The dtypes: one row each.

A row says what a dtype is; everything else that torch tells about it (its
size, its partners, its limits, how it promotes) is computed from the row.
The rows stand in the order of torch's ScalarType numbers (c10/core/ScalarType.h).
"""

from enum import Enum

from .._runtime.c_types import TorchType, fill
from .._runtime.errors import takes_no_arguments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn


class Kind(Enum):
    """What the bits of an element mean."""

    BOOL = "bool"
    UNSIGNED = "unsigned"
    SIGNED = "signed"
    FLOAT = "float"
    COMPLEX = "complex"
    QUANTIZED = "quantized"
    BITS = "bits"


class Specials(Enum):
    """Which codes of a float format are not finite numbers."""

    IEEE = "infinities and NaNs where the exponent is all ones"
    FN = "no infinities; NaN where all bits are ones, but for the sign"
    FNUZ = "no infinities, no negative zero: its code is the only NaN"
    NAN_ONLY = "no infinities, no sign, no zero; NaN where all bits are ones"
    NONE = "every code is a finite number"


class FloatFormat:
    """A binary float format, from which `limits` computes a finfo."""

    __slots__ = ("bias", "epsilon", "exponent_bits", "mantissa_bits", "packed", "specials")

    def __init__(
        self,
        exponent_bits: int,
        mantissa_bits: int,
        bias: int,
        specials: Specials = Specials.IEEE,
        packed: int = 1,
        epsilon: float | None = None,
    ) -> None:
        self.exponent_bits, self.mantissa_bits, self.bias = exponent_bits, mantissa_bits, bias
        self.specials, self.packed, self.epsilon = specials, packed, epsilon


class DTypeSpec:
    """What is to be known of a dtype.  ``cpp_name`` is its name in torch's messages."""

    __slots__ = (
        "abbr", "aliases", "bits", "complex", "cpp_name", "float_format", "kind", "name", "real",
        "signed",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        cpp_name: str,
        kind: Kind,
        bits: int,
        abbr: str,
        aliases: tuple[str, ...] = (),
        float_format: FloatFormat | None = None,
        real: str | None = None,
        complex: str | None = None,
        signed: bool | None = None,
    ) -> None:
        self.name, self.cpp_name, self.abbr, self.aliases = name, cpp_name, abbr, aliases
        self.kind, self.bits, self.float_format = kind, bits, float_format
        self.real, self.complex, self.signed = real, complex, signed


_BOOL, _UNSIGNED, _SIGNED = Kind.BOOL, Kind.UNSIGNED, Kind.SIGNED
_FLOAT, _COMPLEX, _QUANTIZED, _BITS = Kind.FLOAT, Kind.COMPLEX, Kind.QUANTIZED, Kind.BITS

_HALF = FloatFormat(5, 10, 15)
_FLOAT32 = FloatFormat(8, 23, 127)
_DOUBLE = FloatFormat(11, 52, 1023)
_BFLOAT16 = FloatFormat(8, 7, 127)
_E5M2 = FloatFormat(5, 2, 15)
_E4M3FN = FloatFormat(4, 3, 7, Specials.FN)
# Two mantissa bits make 0.25; c10/util/Float8_e5m2fnuz.h says 0.125, and so does torch.
_E5M2FNUZ = FloatFormat(5, 2, 16, Specials.FNUZ, epsilon=0.125)
_E4M3FNUZ = FloatFormat(4, 3, 8, Specials.FNUZ)
_E8M0FNU = FloatFormat(8, 0, 127, Specials.NAN_ONLY)
_E2M1FN_X2 = FloatFormat(2, 1, 1, Specials.NONE, packed=2)

# fmt: off
ROWS = (
    #   name              C++ name            kind      bits abbr          aliases
    DTypeSpec("uint8",            "Byte",             _UNSIGNED,   8, "u8"),
    DTypeSpec("int8",             "Char",             _SIGNED,     8, "i8"),
    DTypeSpec("int16",            "Short",            _SIGNED,    16, "i16",         ("short",)),
    DTypeSpec("int32",            "Int",              _SIGNED,    32, "i32",         ("int",)),
    DTypeSpec("int64",            "Long",             _SIGNED,    64, "i64",         ("long",)),
    DTypeSpec("float16",          "Half",             _FLOAT,     16, "f16",         ("half",), _HALF, complex="complex32"),
    DTypeSpec("float32",          "Float",            _FLOAT,     32, "f32",         ("float",), _FLOAT32, complex="complex64"),
    DTypeSpec("float64",          "Double",           _FLOAT,     64, "f64",         ("double",), _DOUBLE, complex="complex128"),
    DTypeSpec("complex32",        "ComplexHalf",      _COMPLEX,   32, "c32",         ("chalf",), _HALF, real="float16"),
    DTypeSpec("complex64",        "ComplexFloat",     _COMPLEX,   64, "c64",         ("cfloat",), _FLOAT32, real="float32"),
    DTypeSpec("complex128",       "ComplexDouble",    _COMPLEX,  128, "c128",        ("cdouble",), _DOUBLE, real="float64"),
    DTypeSpec("bool",             "Bool",             _BOOL,       8, "b8"),
    DTypeSpec("qint8",            "QInt8",            _QUANTIZED,  8, "qint8",       signed=True),
    DTypeSpec("quint8",           "QUInt8",           _QUANTIZED,  8, "quint8",      signed=False),
    DTypeSpec("qint32",           "QInt32",           _QUANTIZED, 32, "qint32",      signed=True),
    # There is no complex dtype with bfloat16 parts; torch takes the next wider one.
    DTypeSpec("bfloat16",         "BFloat16",         _FLOAT,     16, "bf16",        (), _BFLOAT16, complex="complex64"),
    DTypeSpec("quint4x2",         "QUInt4x2",         _QUANTIZED,  8, "quint4x2",    signed=False),
    DTypeSpec("quint2x4",         "QUInt2x4",         _QUANTIZED,  8, "quint2x4",    signed=False),
    DTypeSpec("bits1x8",          "Bits1x8",          _BITS,       8, "b1x8"),
    DTypeSpec("bits2x4",          "Bits2x4",          _BITS,       8, "b2x4"),
    DTypeSpec("bits4x2",          "Bits4x2",          _BITS,       8, "b4x2"),
    DTypeSpec("bits8",            "Bits8",            _BITS,       8, "b8x1"),
    DTypeSpec("bits16",           "Bits16",           _BITS,      16, "b16x1"),
    DTypeSpec("float8_e5m2",      "Float8_e5m2",      _FLOAT,      8, "f8e5m2",      (), _E5M2),
    DTypeSpec("float8_e4m3fn",    "Float8_e4m3fn",    _FLOAT,      8, "f8e4m3fn",    (), _E4M3FN),
    DTypeSpec("float8_e5m2fnuz",  "Float8_e5m2fnuz",  _FLOAT,      8, "f8e5m2fnuz",  (), _E5M2FNUZ),
    DTypeSpec("float8_e4m3fnuz",  "Float8_e4m3fnuz",  _FLOAT,      8, "f8e4m3fnuz",  (), _E4M3FNUZ),
    DTypeSpec("uint16",           "UInt16",           _UNSIGNED,  16, "u16"),
    DTypeSpec("uint32",           "UInt32",           _UNSIGNED,  32, "u32"),
    DTypeSpec("uint64",           "UInt64",           _UNSIGNED,  64, "u64"),
    DTypeSpec("uint1",            "UInt1",            _UNSIGNED,   1, "uint1",       ("bit",)),
    DTypeSpec("uint2",            "UInt2",            _UNSIGNED,   2, "uint2"),
    DTypeSpec("uint3",            "UInt3",            _UNSIGNED,   3, "uint3"),
    DTypeSpec("uint4",            "UInt4",            _UNSIGNED,   4, "uint4"),
    DTypeSpec("uint5",            "UInt5",            _UNSIGNED,   5, "uint5"),
    DTypeSpec("uint6",            "UInt6",            _UNSIGNED,   6, "uint6"),
    DTypeSpec("uint7",            "UInt7",            _UNSIGNED,   7, "uint7"),
    DTypeSpec("int1",             "Int1",             _SIGNED,     1, "int1"),
    DTypeSpec("int2",             "Int2",             _SIGNED,     2, "int2"),
    DTypeSpec("int3",             "Int3",             _SIGNED,     3, "int3"),
    DTypeSpec("int4",             "Int4",             _SIGNED,     4, "int4"),
    DTypeSpec("int5",             "Int5",             _SIGNED,     5, "int5"),
    DTypeSpec("int6",             "Int6",             _SIGNED,     6, "int6"),
    DTypeSpec("int7",             "Int7",             _SIGNED,     7, "int7"),
    DTypeSpec("float8_e8m0fnu",   "Float8_e8m0fnu",   _FLOAT,      8, "f8e8m0fnu",   (), _E8M0FNU),
    DTypeSpec("float4_e2m1fn_x2", "Float4_e2m1fn_x2", _FLOAT,      8, "f4e2m1fnx2",  (), _E2M1FN_X2),
)
# fmt: on


def _is_signed(row: DTypeSpec) -> bool | None:
    """Tell whether the dtype has negative numbers, or None where torch will not say."""
    match row.kind:
        case Kind.QUANTIZED | Kind.BITS:
            return None
        case Kind.FLOAT:
            assert row.float_format is not None
            return row.float_format.specials is not Specials.NAN_ONLY
        case kind:
            return kind in (Kind.SIGNED, Kind.COMPLEX)


class _Untold:
    """``is_signed`` of the dtypes that torch does not answer for; the others have it themselves.

    What a dtype has itself is read in less time than a property takes.
    """

    def __get__(self, instance: "dtype | None", owner: type) -> "Any":
        if instance is None:
            return self
        if instance._row.kind is Kind.BITS:
            raise RuntimeError("Bits types are undefined")
        raise RuntimeError("isSignedType not supported for quantized types")


def _no_dict(self: object) -> "NoReturn":
    raise AttributeError(f"'torch.{type(self).__name__}' object has no attribute '__dict__'")


class dtype(metaclass=TorchType):
    """The type of a tensor's elements.  There is one object for each, made on import.

    >>> import impl as torch
    >>> torch.float32, torch.float32 is torch.float
    (torch.float32, True)
    """

    __slots__ = (
        "__dict__", "__finfo__", "__iinfo__", "_complex", "_real", "_repr", "_row",
        "abbr", "is_complex", "is_floating_point", "itemsize",
    )  # fmt: skip

    _row: DTypeSpec
    _repr: str
    _real: "dtype"
    _complex: "dtype | None"
    # Filled by `limits`.  A name of this form is not made up by what answers to any name.
    __finfo__: "Any"
    __iinfo__: "Any"
    abbr: str
    is_complex: bool
    is_floating_point: bool
    itemsize: int

    is_signed = _Untold()
    __dict__ = property(_no_dict)  # it holds is_signed alone

    def __repr__(self) -> str:
        return self._repr

    def __reduce__(self, *args: object, **kwargs: object) -> str:
        if args or kwargs:
            takes_no_arguments("dtype.__reduce__", args, kwargs)
        return self._row.name

    def to_real(self, *args: object, **kwargs: object) -> "dtype":
        """Return the dtype of the real part: itself unless it is complex."""
        if args or kwargs:
            takes_no_arguments("dtype.to_real", args, kwargs)
        return self._real

    def to_complex(self, *args: object, **kwargs: object) -> "dtype":
        """Return the complex dtype whose parts hold this one; raise if there is none."""
        if args or kwargs:
            takes_no_arguments("dtype.to_complex", args, kwargs)
        partner = self._complex
        if partner is None:
            raise RuntimeError(f"Unknown Complex ScalarType for {self._row.cpp_name}")
        return partner


def _make_dtypes(rows: tuple[DTypeSpec, ...]) -> dict[str, dtype]:
    """Make the dtypes, under all their names, in the order of the rows."""
    by_name: dict[str, dtype] = {}
    for row in rows:
        new = object.__new__(dtype)
        fill(
            new,
            _row=row,
            _repr=f"torch.{row.name}",
            abbr=row.abbr,
            is_complex=row.kind is Kind.COMPLEX,
            is_floating_point=row.kind is Kind.FLOAT,
            itemsize=max(1, row.bits // 8),
        )
        for name in (row.name, *row.aliases):
            if name in by_name:
                raise ValueError(f"two rows for {name}")
            by_name[name] = new
        if (signed := _is_signed(row)) is not None:
            fill(new, is_signed=signed)
    for row in rows:
        own = by_name[row.name]
        fill(
            own,
            _real=by_name[row.real] if row.real else own,
            _complex=by_name[row.complex] if row.complex else own if own.is_complex else None,
        )
    return by_name


DTYPES = _make_dtypes(ROWS)
"""Every public name of a dtype, aliases included, and the dtype it names."""

ALL = tuple(dict.fromkeys(DTYPES.values()))
"""The dtypes, each once, in the order of torch's ScalarType numbers."""

PYTHON_TYPES: dict[type, dtype] = {
    float: DTYPES["float64"],
    int: DTYPES["int64"],
    bool: DTYPES["bool"],
    complex: DTYPES["complex128"],
}
"""The Python types that torch takes wherever it takes a dtype."""


def spec_of(dtype: dtype) -> DTypeSpec:
    """Return the row that a dtype was made from."""
    return dtype._row


def is_dtype(value: object) -> bool:
    """Tell whether torch takes ``value`` as a dtype: one, or one of `PYTHON_TYPES` itself.

    The type is looked at, not ``__class__``, which an object can make up.
    """
    return type(value) is dtype or any(value is each for each in PYTHON_TYPES)


def as_dtype(value: dtype | type) -> dtype:
    """Return a dtype for a dtype or one of `PYTHON_TYPES`.

    >>> as_dtype(float), as_dtype(DTYPES["int8"])
    (torch.float64, torch.int8)
    """
    return PYTHON_TYPES[value] if isinstance(value, type) else value
