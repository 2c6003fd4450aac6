"""The dtype table: one `DTypeSpec` per dtype.

The other attributes of a dtype (size, real and complex partners, limits, promotion)
are computed from its row.
The rows are in the order of torch's ScalarType numbers (c10/core/ScalarType.h).
"""

from .._runtime.c_types import TorchType, set_slots
from .._runtime.errors import takes_no_arguments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn


# These two are no enums, because importing enum takes longer than all of `import impl`.
class Kind(str):
    """The category of a dtype."""

    BOOL: "Kind"
    UNSIGNED: "Kind"
    SIGNED: "Kind"
    FLOAT: "Kind"
    COMPLEX: "Kind"
    QUANTIZED: "Kind"
    BITS: "Kind"


for _name in Kind.__annotations__:
    setattr(Kind, _name, Kind(_name))


class Specials(str):
    """The bit patterns of a float format that are not finite numbers.

    IEEE: infinities and NaNs where the exponent is all ones
    FN: no infinities; NaN where all bits but the sign are ones
    FNUZ: no infinities, no negative zero: its bit pattern is the only NaN
    NAN_ONLY: no infinities, no sign, no zero; NaN where all bits are ones
    NONE: every bit pattern is a finite number
    """

    IEEE: "Specials"
    FN: "Specials"
    FNUZ: "Specials"
    NAN_ONLY: "Specials"
    NONE: "Specials"


for _name in Specials.__annotations__:
    setattr(Specials, _name, Specials(_name))


class FloatFormat:
    """A binary float format, from which `type_info` computes a finfo."""

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
    """The row of a dtype.  ``cpp_name`` is its name in torch's messages."""

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
_E2M1FN = FloatFormat(2, 1, 1, Specials.NONE, packed=2)

# fmt: off
DTYPE_SPECS = (
    #         name                C++ name            kind       bits abbr           aliases
    DTypeSpec("uint8",            "Byte",             _UNSIGNED,   8, "u8"),
    DTypeSpec("int8",             "Char",             _SIGNED,     8, "i8"),
    DTypeSpec("int16",            "Short",            _SIGNED,    16, "i16",         ("short",)),
    DTypeSpec("int32",            "Int",              _SIGNED,    32, "i32",         ("int",)),
    DTypeSpec("int64",            "Long",             _SIGNED,    64, "i64",         ("long",)),
    DTypeSpec("float16",          "Half",             _FLOAT,     16, "f16",         ("half",),
              _HALF, complex="complex32"),
    DTypeSpec("float32",          "Float",            _FLOAT,     32, "f32",         ("float",),
              _FLOAT32, complex="complex64"),
    DTypeSpec("float64",          "Double",           _FLOAT,     64, "f64",         ("double",),
              _DOUBLE, complex="complex128"),
    DTypeSpec("complex32",        "ComplexHalf",      _COMPLEX,   32, "c32",         ("chalf",),
              _HALF, real="float16"),
    DTypeSpec("complex64",        "ComplexFloat",     _COMPLEX,   64, "c64",         ("cfloat",),
              _FLOAT32, real="float32"),
    DTypeSpec("complex128",       "ComplexDouble",    _COMPLEX,  128, "c128",        ("cdouble",),
              _DOUBLE, real="float64"),
    DTypeSpec("bool",             "Bool",             _BOOL,       8, "b8"),
    DTypeSpec("qint8",            "QInt8",            _QUANTIZED,  8, "qint8",       signed=True),
    DTypeSpec("quint8",           "QUInt8",           _QUANTIZED,  8, "quint8",      signed=False),
    DTypeSpec("qint32",           "QInt32",           _QUANTIZED, 32, "qint32",      signed=True),
    # Torch has no complex dtype with bfloat16 parts and takes the next wider one.
    DTypeSpec("bfloat16",         "BFloat16",         _FLOAT,     16, "bf16",        (),
              _BFLOAT16, complex="complex64"),
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
    DTypeSpec("float4_e2m1fn_x2", "Float4_e2m1fn_x2", _FLOAT,      8, "f4e2m1fnx2",  (), _E2M1FN),
)
# fmt: on


def _is_signed(spec: DTypeSpec) -> bool | None:
    """Return whether the dtype has negative numbers, or None where torch raises an error."""
    if spec.kind in (Kind.QUANTIZED, Kind.BITS):
        return None
    if spec.float_format is not None:
        return spec.float_format.specials is not Specials.NAN_ONLY
    return spec.kind is Kind.SIGNED


class _UndefinedIsSigned:
    """The descriptor of ``is_signed`` for the dtypes whose is_signed raises in torch.

    The other dtypes have an instance attribute, which is faster to read than a property.
    """

    def __get__(self, instance: "dtype | None", owner: type) -> "Any":
        if instance is None:
            return self
        if instance._spec.kind is Kind.BITS:
            raise RuntimeError("Bits types are undefined")
        raise RuntimeError("isSignedType not supported for quantized types")


def _no_dict(self: object) -> "NoReturn":
    raise AttributeError(f"'torch.{type(self).__name__}' object has no attribute '__dict__'")


class dtype(metaclass=TorchType):
    """The type of a tensor's elements.  Each dtype is one object, created on import.

    >>> import impl as torch
    >>> torch.float32, torch.float32 is torch.float
    (torch.float32, True)
    """

    __slots__ = (
        "__dict__", "__finfo__", "__iinfo__", "_complex", "_real", "_repr", "_spec",
        "abbr", "is_complex", "is_floating_point", "itemsize",
    )  # fmt: skip

    _spec: DTypeSpec
    _repr: str
    _real: "dtype"
    _complex: "dtype | None"
    # Set by `type_info`.  A generic ``__getattr__`` does not answer to names of this form.
    __finfo__: "Any"
    __iinfo__: "Any"
    abbr: str
    is_complex: bool
    is_floating_point: bool
    itemsize: int

    is_signed = _UndefinedIsSigned()
    __dict__ = property(_no_dict)  # it contains only is_signed

    def __repr__(self) -> str:
        return self._repr

    def __reduce__(self, *args: object, **kwargs: object) -> str:
        if args or kwargs:
            takes_no_arguments("dtype.__reduce__", args, kwargs)
        return self._spec.name

    def to_real(self, *args: object, **kwargs: object) -> "dtype":
        """Return the dtype of the real part, or the same dtype if it is not complex."""
        if args or kwargs:
            takes_no_arguments("dtype.to_real", args, kwargs)
        return self._real

    def to_complex(self, *args: object, **kwargs: object) -> "dtype":
        """Return the complex dtype with parts of this dtype; raise RuntimeError without one."""
        if args or kwargs:
            takes_no_arguments("dtype.to_complex", args, kwargs)
        if self._complex is None:
            raise RuntimeError(f"Unknown Complex ScalarType for {self._spec.cpp_name}")
        return self._complex


def create_dtypes(rows: tuple[DTypeSpec, ...]) -> dict[str, dtype]:
    """Return the dtypes by name and alias, in the order of the rows."""
    by_name: dict[str, dtype] = {}
    for spec in rows:
        new = object.__new__(dtype)
        set_slots(
            new,
            _spec=spec,
            _repr=f"torch.{spec.name}",
            abbr=spec.abbr,
            is_complex=spec.kind is Kind.COMPLEX,
            is_floating_point=spec.kind is Kind.FLOAT,
            itemsize=max(1, spec.bits // 8),
        )
        for name in (spec.name, *spec.aliases):
            if name in by_name:
                raise ValueError(f"two rows for {name}")
            by_name[name] = new
        if (signed := _is_signed(spec)) is not None:
            set_slots(new, is_signed=signed)
    for spec in rows:
        this = by_name[spec.name]
        set_slots(
            this,
            _real=by_name[spec.real] if spec.real else this,
            _complex=by_name[spec.complex] if spec.complex else this if this.is_complex else None,
        )
    return by_name


DTYPES = create_dtypes(DTYPE_SPECS)
"""The dtypes by public name, aliases included."""

ALL_DTYPES = tuple(dict.fromkeys(DTYPES.values()))
"""The dtypes, each once, in the order of torch's ScalarType numbers."""

PYTHON_TYPES: dict[type, dtype] = {
    float: DTYPES["float64"],
    int: DTYPES["int64"],
    bool: DTYPES["bool"],
    complex: DTYPES["complex128"],
}
"""The Python types that torch accepts for a dtype."""


def spec_of(dtype: dtype) -> DTypeSpec:
    return dtype._spec


def is_dtype(value: object) -> bool:
    """Return whether torch takes ``value`` as a dtype: a dtype, or one of `PYTHON_TYPES`.

    The check ignores ``__class__``, which an object can override.
    """
    return type(value) is dtype or any(value is cls for cls in PYTHON_TYPES)


def as_dtype(value: dtype | type) -> dtype:
    """Return the dtype for a dtype or one of `PYTHON_TYPES`.

    >>> as_dtype(float), as_dtype(DTYPES["int8"])
    (torch.float64, torch.int8)
    """
    return PYTHON_TYPES[value] if isinstance(value, type) else value
