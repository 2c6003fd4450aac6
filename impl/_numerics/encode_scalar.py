"""A Python number becomes an element of a dtype.

Torch has several ways to do it, and they differ: in what they take, in what
is out of range, and in the words.  `encode_scalar` knows them all.  Numbers on which
all ways agree, nearly all there are, are looked up in `_PLAIN` alone.
"""

from collections.abc import Callable
from enum import Enum
from functools import lru_cache
from math import copysign, inf, isnan, ldexp
from operator import index
from struct import Struct
from typing import Any, NamedTuple, NoReturn

from .._argparser.types import is_long, is_tensor
from .._arrays.numpy_bridge import np
from .._arrays.opaque_dtypes import is_opaque
from .._dtypes.constants import BOOL, COMPLEX32, COMPLEX64, FLOAT32, FLOAT64, UINT64
from .._dtypes.scalars import _is_a, _numpy_types, scalar_dtype
from .._dtypes.table import ALL, DTypeSpec, Kind, Specials, dtype, spec_of
from .._runtime.errors import check, type_name
from .._runtime.warnings import warn
from .float_formats import encode
from .type_info import finfo, iinfo

Number = bool | int | float | complex
Converter = Callable[[Any], Any]

_INT64_END = 2**63
_UINT64_END = 2**64


class ScalarPath(Enum):
    """How torch comes by an element."""

    TENSOR = 0
    """tensor(), as_tensor() and the old constructors (store_scalar in utils/python_scalars.h)."""
    SCALAR = 1
    """fill_() and full() of any number of elements but one: a c10::Scalar, checked by the kernel."""
    SCALAR_ZERO_DIM = 2
    """fill_() and full() of exactly one element (scalar_fill in ATen/ScalarOps.cpp)."""
    SCALAR_TENSOR = 3
    """scalar_tensor(): as with one element, but for the words on quantized dtypes."""
    MASKED = 4
    """masked_fill(): as of any number of elements, but nothing is computed in another type."""
    SETITEM = 5
    """``x[...] = number`` (valueToTensor in autograd/python_variable_indexing.cpp)."""


def encode_scalar(value: Any, dtype: dtype, way: ScalarPath) -> Any:
    """Return what to assign to an array of `arrays.carrier` of ``dtype``, so that the bits are torch's.

    It is a plain number that the carrier holds exactly.  Raises what torch
    raises for a value that cannot be written in this way.
    """
    plain = _PLAIN[dtype].get(type(value))
    if plain is not None:
        low, high, make = plain
        if low <= value <= high:
            return make(value)
    if way is ScalarPath.TENSOR:
        return _stored(value, dtype)
    if way is ScalarPath.SETITEM:
        number, made = assigned(value, dtype)
        element = _filled(number, made, ScalarPath.SCALAR_TENSOR)
        name = spec_of(dtype).cpp_name
        check(made is dtype, lambda: f"\"copy_\" not implemented for '{name}'", NotImplementedError)
        return element
    return _filled(_scalar(value), dtype, way)


# From a number to an element.

_SINGLE, _HALF, _TWO_HALVES = Struct("<f"), Struct("<e"), Struct("<ee")
_TWO_SHORTS = Struct("<I")


def _single(number: float) -> float:
    """Round to float32."""
    try:
        return _SINGLE.unpack(_SINGLE.pack(number))[0]  # type: ignore[no-any-return]
    except OverflowError:
        return copysign(inf, number)


def _half(number: float) -> float:
    """Round to float16, through float32 as torch does (c10/util/Half.h)."""
    number = _single(number)
    try:
        return _HALF.unpack(_HALF.pack(number))[0]  # type: ignore[no-any-return]
    except OverflowError:
        return copysign(inf, number)


def _complex64(number: complex) -> complex:
    return complex(_single(number.real), _single(number.imag))


def _complex32(number: complex) -> int:
    """Return the bits of two float16, the real one in the low half."""
    halves = _TWO_HALVES.pack(_half(number.real), _half(number.imag))
    return _TWO_SHORTS.unpack(halves)[0]  # type: ignore[no-any-return]


def _encoder(dtype: dtype) -> Converter:
    @lru_cache(maxsize=1024)
    def nearest(single: bytes) -> int:
        return int(encode(np.frombuffer(single, np.float32), dtype)[0])

    return lambda number: nearest(_SINGLE.pack(_single(number)))


def _wrapper(bits: int, signed: bool) -> Converter:
    """Return what makes an integer of some bits, by cutting off the others."""
    end, start = 2**bits, 2 ** (bits - 1) if signed else 0
    return lambda number: (int(number) + start) % end - start


def _maker(dtype: dtype) -> Converter:
    """Return what makes an element of a real number, or of a complex one for complex dtypes."""
    row = spec_of(dtype)
    if row.kind in (Kind.UNSIGNED, Kind.SIGNED):
        return _wrapper(row.bits, row.kind is Kind.SIGNED)
    known: dict[str, Converter] = {
        "bool": bool, "float16": _half, "float32": _single, "float64": float,
        "complex32": _complex32, "complex64": _complex64, "complex128": complex,
    }  # fmt: skip
    return known.get(row.name) or _encoder(dtype)


# What C++ calls the types, and what is out of their range.


class _Type(NamedTuple):
    """A C++ type as c10::overflows sees it; a complex one by its parts."""

    name: str
    low: Any
    high: Any
    wraps: bool
    has_infinity: bool
    has_nan: bool
    is_complex: bool


_CPP_NAMES = {"int32": "int", "float16": "c10::Half", "float32": "float", "float64": "double"}


def _cpp_name(row: DTypeSpec) -> str:
    if row.real:
        return f"c10::complex<{_CPP_NAMES[row.real]}>"
    if row.name in _CPP_NAMES:
        return _CPP_NAMES[row.name]
    return f"c10::{row.cpp_name}" if row.float_format else f"{row.name}_t"


def _type(dtype: dtype) -> _Type:
    row = spec_of(dtype)
    name = _cpp_name(row)
    form = spec_of(dtype.to_real()).float_format
    if form is None:
        limits = iinfo(dtype)  # type: ignore[call-arg]  # its metaclass takes it
        return _Type(name, limits.min, limits.max, limits.min == 0, False, False, False)
    bounds = finfo(dtype)  # type: ignore[call-arg]
    return _Type(
        name,
        bounds.min,
        bounds.max,
        wraps=form.specials is Specials.NAN_ONLY,
        has_infinity=form.specials is Specials.IEEE,
        has_nan=True,
        is_complex=row.real is not None,
    )


def _is_out(number: Number, target: _Type) -> bool:
    """Tell whether a number is out of range (c10/util/overflows.h).

    A negative integer wraps in an unsigned type where its size fits.
    """
    if isinstance(number, complex):
        if number.imag != 0 and not target.is_complex:
            return True
        return _is_out(number.real, target) or _is_out(number.imag, target)
    if isinstance(number, int):
        if target.wraps:
            return bool(abs(number) > target.high)
        return not target.low <= number <= target.high
    if number in (inf, -inf) and target.has_infinity:
        return False
    if isnan(number):
        return not target.has_nan
    # As doubles: 2**63 counts as the largest int64.
    return number < float(target.low) or number > float(target.high)


def _check_range(number: Number, target: _Type, name: str) -> None:
    check(
        isinstance(number, bool) or not _is_out(number, target),
        lambda: f"value cannot be converted to type {name} without overflow",
    )


# The ways.


def _stored(value: Any, dtype: dtype) -> Any:
    """Write as tensor() does: whatever CPython can make an int, a float or a complex of."""
    check(dtype in _WRITABLE, lambda: "store_scalar: invalid type")
    make = _MAKERS[dtype]
    if dtype is BOOL:
        return _truth(value)
    if dtype is UINT64:
        return _unsigned(value)
    if dtype.is_complex:
        return make(_complex(value))
    if dtype.is_floating_point:
        return make(_double(value))
    number = float.__float__(value) if _is_a(value, (float,)) else _in_int64(index(value))
    _check_range(number, _TYPES[dtype], spec_of(dtype).name)
    return make(number)


def real_of(value: Any) -> Any:
    """Return a NumPy complex number as the float that torch reads it as, and anything else as it is."""
    return value if _is_a(value, (complex,)) else _real_part(value)


def _real_part(value: Any) -> Any:
    if not _is_a(value, _numpy_types("complexfloating")):
        return value
    # NumPy's own warning, shown to be from the caller's line.
    warn(
        "Casting complex values to real discards the imaginary part",
        _numpy_types("exceptions.ComplexWarning")[0],
    )
    return float(value.real)


def _double(value: Any) -> float:
    value = _real_part(value)
    # PyFloat_AsDouble, which float() is not: that reads strings, too.
    return ldexp(value, 0)


def _complex(value: Any) -> complex:
    if _is_a(value, (complex,)) or hasattr(type(value), "__complex__"):
        return complex(value)
    return complex(_double(value))


def _truth(value: Any) -> bool:
    """Tell whether a number is not zero: of NumPy's numbers, those that CPython takes for ints, and bool."""
    if _is_a(value, (float, complex, *_numpy_types("bool_"))):
        return bool(value)
    return index(value) != 0


def _unsigned(value: Any) -> int:
    """Return an int as PyLong_AsUnsignedLongLong does; no float, and no NumPy integer, is one."""
    if not _is_a(value, (int,)):
        raise TypeError("an integer is required")
    number = int.__index__(value)
    check(number >= 0, lambda: "can't convert negative int to unsigned", OverflowError)
    check(number < _UINT64_END, lambda: "int too big to convert", OverflowError)
    return number


def _in_int64(number: int) -> int:
    check(
        -_INT64_END <= number < _INT64_END,
        lambda: "Overflow when unpacking long long",
        ValueError,
    )
    return number


def _scalar(value: Any) -> Number:
    """Return the number of a c10::Scalar (PythonArgs::scalar_slow)."""
    if type(value) in (bool, float, complex):
        return value  # type: ignore[no-any-return]
    if is_tensor(value):
        return value.item()  # type: ignore[no-any-return]
    if is_long(value):
        scalar_dtype(value)  # refuses what is too large
        return index(value)
    return complex(value) if _is_a(value, (complex,)) else float(value)


def assigned(value: Any, dtype: dtype) -> tuple[Number, dtype]:
    """Return the number that setitem makes a scalar tensor of, and the dtype of that tensor."""
    made = FLOAT32 if spec_of(dtype).kind is Kind.QUANTIZED else dtype
    number: Number
    if is_long(value):
        number = _in_int64(index(value))
    elif type(value) is bool:
        number = value
    elif _is_a(value, (float,)):
        number = float.__float__(value)
    elif _is_a(value, (complex,)):
        number = complex(value)
    else:
        name = f"torch.{spec_of(made).cpp_name}Tensor"
        raise TypeError(f"can't assign a {type_name(value)} to a {name}")
    return number, made


def _filled(number: Number, dtype: dtype, way: ScalarPath) -> Any:
    """Write a scalar, as the fill kernels do."""
    if dtype not in _WRITABLE:
        kernel = _KERNELS.get(way, "fill_out")
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{spec_of(dtype).cpp_name}'")
    if dtype is BOOL:
        return bool(number)
    computed = _COMPUTED.get(way, _COMPUTED_OF_ONE).get(dtype, dtype)
    target = _TYPES[computed]
    _check_range(number, target, target.name)
    if isinstance(number, complex) and not dtype.is_complex:
        number = number.real
    elif isinstance(number, int) and computed is not FLOAT64 and not -(2**53) <= number <= 2**53:
        number = _rounded_once(number, dtype)
    return _MAKERS[dtype](number)


def _rounded_once(number: int, dtype: dtype) -> Number:
    """Round a large int to the float32 that a narrower type is made of; a double between rounds twice."""
    if not (dtype.is_floating_point or dtype.is_complex) or dtype.to_real() is FLOAT64:
        return number
    wide = np.int64(number) if number < _INT64_END else np.uint64(number)
    return float(wide.astype(np.float32))


def check_quantizer(dtype: dtype, is_complex: bool) -> None:
    """Refuse to fill a new quantized tensor, which has no quantizer."""
    if spec_of(dtype).kind is Kind.QUANTIZED:
        check(not is_complex, lambda: "Quantized copy only works with kFloat as source Tensor")
        no_quantizer(dtype)


def no_quantizer(dtype: dtype) -> NoReturn:
    """Refuse to write to a quantized tensor that has no quantizer, as empty() makes them."""
    row = spec_of(dtype)
    if "x" in row.name:
        raise NotImplementedError(f"\"Copy\" not implemented for '{row.cpp_name}'")
    raise RuntimeError(
        'false INTERNAL ASSERT FAILED at "aten/src/ATen/quantized/Quantizer.cpp":447, please report'
        " a bug to PyTorch. cannot call qscheme on UnknownQuantizer"
    )


# What all ways have in common, by dtype.


_WRITABLE = frozenset(dtype for dtype in ALL if not is_opaque(dtype))

_MAKERS = {dtype: _maker(dtype) for dtype in ALL if dtype in _WRITABLE}
_TYPES = {dtype: _type(dtype) for dtype in ALL if dtype in _WRITABLE and dtype is not BOOL}

_COMPUTED_OF_ONE = {
    kind: FLOAT64 for kind in _WRITABLE if kind.is_floating_point and kind.itemsize < 4
}
"""In which type scalar_fill checks the range, where it is not the dtype's own."""
_COMPUTED_OF_MANY = {COMPLEX32: COMPLEX64}
"""The same of the fill kernel (aten/src/ATen/native/cpu/FillKernel.cpp)."""
_COMPUTED: dict[ScalarPath, dict[dtype, dtype]] = {
    ScalarPath.SCALAR: _COMPUTED_OF_MANY,
    ScalarPath.MASKED: {},
}
_KERNELS = {ScalarPath.SCALAR: "fill_cpu", ScalarPath.MASKED: "masked_fill"}
BAREBONES = frozenset(
    kind
    for kind in _WRITABLE
    if (spec_of(kind).kind is Kind.FLOAT and kind.itemsize == 1)
    or (spec_of(kind).kind is Kind.UNSIGNED and kind.itemsize > 1)
)
"""The dtypes that most kernels do not know."""


def _plain(dtype: dtype) -> dict[type, tuple[Any, Any, Converter]]:
    """Return, for Python types, the range in which all ways make the same, and what makes it."""
    if dtype not in _WRITABLE:
        return {}
    make = _MAKERS[dtype]
    plain: dict[type, tuple[Any, Any, Converter]] = {bool: (0, 1, make)}
    if dtype is BOOL:
        plain[int] = -_INT64_END, _INT64_END - 1, make
        plain[float] = -inf, inf, make
    elif dtype.is_floating_point or dtype.is_complex:
        low, high = _TYPES[dtype].low, _TYPES[dtype].high
        exact = int(min(high, 2.0**53))
        plain[int] = 0 if low > 0 else -exact, exact, make
        plain[float] = low, high, make
    else:
        low, high = _TYPES[dtype].low, _TYPES[dtype].high
        plain[bool] = 0, 1, int
        plain[int] = low, min(high, _INT64_END - 1), int
        # The ends of int64 are no doubles; and uint64 takes floats in some ways alone.
        if dtype is not UINT64:
            plain[float] = float(low), float(min(high, 2**62)), int
    return plain


_PLAIN = {dtype: _plain(dtype) for dtype in ALL}
