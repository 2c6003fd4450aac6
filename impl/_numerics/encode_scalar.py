"""The encoding of Python numbers as elements of a dtype.

Torch has several code paths for it (`ScalarPath`).  They differ in the accepted types, the range
checks and the error messages.  All paths agree on most numbers, which `_PLAIN` handles.
"""

from collections.abc import Callable
from enum import Enum
from functools import cache, lru_cache
from math import copysign, inf, isinf, isnan, ldexp
from operator import index
from struct import Struct
from typing import Any, NoReturn

from .._argparser.types import is_long, is_tensor
from .._arrays.numpy_bridge import np
from .._arrays.opaque_dtypes import is_opaque
from .._dtypes.constants import BOOL, COMPLEX32, COMPLEX64, FLOAT32, FLOAT64, UINT64
from .._dtypes.scalars import INT64_END, is_subclass_instance, numpy_types, scalar_dtype
from .._dtypes.table import ALL_DTYPES, Kind, Specials, dtype, spec_of
from .._runtime.errors import check, type_name
from .._runtime.warnings import warn
from .float_formats import encode
from .rounding import raise_not_implemented
from .type_info import limits_of

Number = bool | int | float | complex
Converter = Callable[[Any], Any]


class ScalarPath(Enum):
    """A code path of torch that writes a Python number to a tensor."""

    TENSOR = 0
    """tensor(), as_tensor(), legacy constructors (store_scalar in utils/python_scalars.h)."""
    SCALAR = 1
    """fill_() and full() of no or several elements: a c10::Scalar, checked by the kernel."""
    SCALAR_ZERO_DIM = 2
    """fill_() and full() of exactly one element (scalar_fill in ATen/ScalarOps.cpp)."""
    SCALAR_TENSOR = 3
    """scalar_tensor(): as SCALAR_ZERO_DIM, with another message for quantized dtypes."""
    MASKED = 4
    """masked_fill(): as SCALAR, but without an opmath dtype."""
    SETITEM = 5
    """``x[...] = number`` (valueToTensor in autograd/python_variable_indexing.cpp)."""


def encode_scalar(value: Any, dtype: dtype, path: ScalarPath) -> Any:
    """Return the plain number that gives torch's bits in an array of `numpy_storage_dtype(dtype)`.

    The storage dtype represents the number exactly.  Raise torch's error if this path cannot write
    the value.
    """
    plain = _PLAIN[dtype].get(type(value))
    if plain is not None:
        low, high, convert = plain
        if low <= value <= high:
            return convert(value)
    if path is ScalarPath.TENSOR:
        return _store(value, dtype)
    if path is ScalarPath.SETITEM:
        number, stored = setitem_scalar(value, dtype)
        element = _fill(number, stored, ScalarPath.SCALAR_TENSOR)
        if stored is not dtype:
            raise_not_implemented("copy_", dtype)
        return element
    return _fill(_scalar(value), dtype, path)


# Conversion of numbers to elements.

_SINGLE, _HALF, _TWO_HALVES = Struct("<f"), Struct("<e"), Struct("<ee")


def _to_float32(number: float) -> float:
    try:
        return _SINGLE.unpack(_SINGLE.pack(number))[0]  # type: ignore[no-any-return]
    except OverflowError:
        return copysign(inf, number)


def _to_float16(number: float) -> float:
    """Round to float16, through float32 as torch does (c10/util/Half.h)."""
    number = _to_float32(number)
    try:
        return _HALF.unpack(_HALF.pack(number))[0]  # type: ignore[no-any-return]
    except OverflowError:
        return copysign(inf, number)


def _to_complex64(number: complex) -> complex:
    return complex(_to_float32(number.real), _to_float32(number.imag))


def _to_complex32(number: complex) -> int:
    """Return the bits of two float16 numbers, with the real part in the low half."""
    halves = _TWO_HALVES.pack(_to_float16(number.real), _to_float16(number.imag))
    return int.from_bytes(halves, "little")


def _encoder(dtype: dtype) -> Converter:
    @lru_cache(maxsize=1024)
    def nearest(packed: bytes) -> int:
        return int(encode(np.frombuffer(packed, np.float32), dtype)[0])

    return lambda number: nearest(_SINGLE.pack(_to_float32(number)))


def _converter(dtype: dtype) -> Converter:
    """Return the converter of a real number, or a complex one for complex dtypes, to an element."""
    row = spec_of(dtype)
    if row.kind in (Kind.UNSIGNED, Kind.SIGNED):
        count, start = 2**row.bits, limits_of(dtype).min
        return lambda number: (int(number) - start) % count + start
    converters: dict[str, Converter] = {
        "bool": bool, "float16": _to_float16, "float32": _to_float32, "float64": float,
        "complex32": _to_complex32, "complex64": _to_complex64, "complex128": complex,
    }  # fmt: skip
    return converters.get(row.name) or _encoder(dtype)


# The C++ types and their ranges.

_CPP_NAMES = {"int32": "int", "float16": "c10::Half", "float32": "float", "float64": "double"}


@cache
def _cpp_name(dtype: dtype) -> str:
    row = spec_of(dtype)
    if row.real:
        return f"c10::complex<{_CPP_NAMES[row.real]}>"
    if row.name in _CPP_NAMES:
        return _CPP_NAMES[row.name]
    return f"c10::{row.cpp_name}" if row.float_format else f"{row.name}_t"


def _overflows(number: Number, dtype: dtype) -> bool:
    """Return whether a number is out of range (c10/util/overflows.h).

    A negative integer wraps in an unsigned type if its absolute value is in range.
    """
    if isinstance(number, complex):
        if number.imag != 0 and not dtype.is_complex:
            return True
        return _overflows(number.real, dtype) or _overflows(number.imag, dtype)
    limits = limits_of(dtype)
    low, high = limits.min, limits.max
    if isinstance(number, int):
        return not (-high if low >= 0 else low) <= number <= high
    fmt = spec_of(dtype).float_format
    if isnan(number):
        return fmt is None
    if isinf(number) and fmt and fmt.specials is Specials.IEEE:
        return False
    # The limits are doubles, so 2**63 equals the largest int64.
    return number < float(low) or number > float(high)


def _check_range(number: Number, dtype: dtype, name: str) -> None:
    check(
        isinstance(number, bool) or not _overflows(number, dtype),
        lambda: f"value cannot be converted to type {name} without overflow",
    )


# The code paths.


def _store(value: Any, dtype: dtype) -> Any:
    """Return the element for tensor(), which takes any value that CPython can convert."""
    check(dtype in WRITABLE, lambda: "store_scalar: invalid type")
    convert = _CONVERTERS[dtype]
    if dtype is BOOL:
        return _nonzero(value)
    if dtype is UINT64:
        return _unsigned(value)
    if dtype.is_complex:
        return convert(_complex(value))
    if dtype.is_floating_point:
        return convert(_double(value))
    number = (
        float.__float__(value) if is_subclass_instance(value, (float,)) else _in_int64(index(value))
    )
    _check_range(number, dtype, spec_of(dtype).name)
    return convert(number)


def discard_imaginary(value: Any) -> Any:
    """Return the real part of a NumPy complex number as torch reads it; other values unchanged."""
    return value if is_subclass_instance(value, (complex,)) else _real_part(value)


def _real_part(value: Any) -> Any:
    if not is_subclass_instance(value, numpy_types("complexfloating")):
        return value
    # NumPy's own warning, attributed to the caller's line.
    warn(
        "Casting complex values to real discards the imaginary part",
        numpy_types("exceptions.ComplexWarning")[0],
    )
    return float(value.real)


def _double(value: Any) -> float:
    value = _real_part(value)
    # PyFloat_AsDouble; float() would also parse strings.
    return ldexp(value, 0)


def _complex(value: Any) -> complex:
    if is_subclass_instance(value, (complex,)) or hasattr(type(value), "__complex__"):
        return complex(value)
    return complex(_double(value))


def _nonzero(value: Any) -> bool:
    """Return whether a number is nonzero; NumPy's integers and bool count as numbers."""
    if is_subclass_instance(value, (float, complex, *numpy_types("bool_"))):
        return bool(value)
    return index(value) != 0


def _unsigned(value: Any) -> int:
    """Return an int as PyLong_AsUnsignedLongLong does; raise for floats and NumPy integers."""
    if not is_subclass_instance(value, (int,)):
        raise TypeError("an integer is required")
    number = int.__index__(value)
    check(number >= 0, lambda: "can't convert negative int to unsigned", OverflowError)
    check(number < 2 * INT64_END, lambda: "int too big to convert", OverflowError)
    return number


def _in_int64(number: int) -> int:
    in_range = -INT64_END <= number < INT64_END
    check(in_range, lambda: "Overflow when unpacking long long", ValueError)
    return number


def _scalar(value: Any) -> Number:
    """Return the number of a c10::Scalar (PythonArgs::scalar_slow)."""
    if type(value) in (bool, float, complex):
        return value  # type: ignore[no-any-return]
    if is_tensor(value):
        return value.item()  # type: ignore[no-any-return]
    if is_long(value):
        scalar_dtype(value)  # raises if the value is too large
        return index(value)
    return complex(value) if is_subclass_instance(value, (complex,)) else float(value)


def setitem_scalar(value: Any, dtype: dtype, module: str = "torch") -> tuple[Number, dtype]:
    """Return the number and the dtype of the scalar tensor for ``x[...] = value``.

    ``module`` is that of the tensor's legacy class, for the error.
    """
    tensor_dtype = FLOAT32 if spec_of(dtype).kind is Kind.QUANTIZED else dtype
    number: Number
    if is_long(value):
        number = _in_int64(index(value))
    elif type(value) is bool:
        number = value
    elif is_subclass_instance(value, (float,)):
        number = float.__float__(value)
    elif is_subclass_instance(value, (complex,)):
        number = complex(value)
    else:
        name = f"{module}.{spec_of(tensor_dtype).cpp_name}Tensor"
        raise TypeError(f"can't assign a {type_name(value)} to a {name}")
    return number, tensor_dtype


def _fill(number: Number, dtype: dtype, path: ScalarPath) -> Any:
    if dtype not in WRITABLE:
        raise_not_implemented(_KERNELS.get(path, "fill_out"), dtype)
    if dtype is BOOL:
        return bool(number)
    checked = _CHECKED_AS.get(path, _CHECKED_AS_ZERO_DIM).get(dtype, dtype)
    _check_range(number, checked, _cpp_name(checked))
    if isinstance(number, complex) and not dtype.is_complex:
        number = number.real
    elif isinstance(number, int) and checked is not FLOAT64 and not -(2**53) <= number <= 2**53:
        number = _rounded_once(number, dtype)
    return _CONVERTERS[dtype](number)


def _rounded_once(number: int, dtype: dtype) -> Number:
    """Return a large int, rounded to float32 for narrower dtypes; float64 would round twice."""
    if not (dtype.is_floating_point or dtype.is_complex) or dtype.to_real() is FLOAT64:
        return number
    integer = np.int64(number) if number < INT64_END else np.uint64(number)
    return float(integer.astype(np.float32))


def check_quantizer(dtype: dtype, is_complex: bool) -> None:
    """Raise if the dtype is quantized, as a new quantized tensor has no quantizer."""
    if spec_of(dtype).kind is Kind.QUANTIZED:
        check(not is_complex, lambda: "Quantized copy only works with kFloat as source Tensor")
        raise_no_quantizer(dtype)


def raise_no_quantizer(dtype: dtype) -> NoReturn:
    """Raise torch's error for a write to a quantized tensor without quantizer, as from empty()."""
    if "x" in spec_of(dtype).name:
        raise_not_implemented("Copy", dtype)
    raise RuntimeError(
        'false INTERNAL ASSERT FAILED at "aten/src/ATen/quantized/Quantizer.cpp":447, please report'
        " a bug to PyTorch. cannot call qscheme on UnknownQuantizer"
    )


# Tables by dtype for all code paths.

WRITABLE = frozenset(dtype for dtype in ALL_DTYPES if not is_opaque(dtype))
_CONVERTERS = {dtype: _converter(dtype) for dtype in WRITABLE}

_CHECKED_AS_ZERO_DIM = {
    dtype: FLOAT64 for dtype in WRITABLE if dtype.is_floating_point and dtype.itemsize < 4
}
"""The dtypes in which scalar_fill checks the range, if not the tensor's dtype."""
_CHECKED_AS: dict[ScalarPath, dict[dtype, dtype]] = {
    ScalarPath.SCALAR: {COMPLEX32: COMPLEX64},
    ScalarPath.MASKED: {},
}
"""The same for the fill kernels (aten/src/ATen/native/cpu/FillKernel.cpp)."""
_KERNELS = {ScalarPath.SCALAR: "fill_cpu", ScalarPath.MASKED: "masked_fill"}
LIMITED_DTYPES = frozenset(
    dtype
    for dtype in WRITABLE
    if (spec_of(dtype).kind is Kind.FLOAT and dtype.itemsize == 1)
    or (spec_of(dtype).kind is Kind.UNSIGNED and dtype.itemsize > 1)
)
"""The dtypes that most kernels do not support."""


def _plain(dtype: dtype) -> dict[type, tuple[Any, Any, Converter]]:
    """Return, for Python types, the range in which all paths agree, and the converter."""
    if dtype not in WRITABLE:
        return {}
    convert = _CONVERTERS[dtype]
    plain: dict[type, tuple[Any, Any, Converter]] = {bool: (0, 1, convert)}
    if dtype is BOOL:
        plain[int] = -INT64_END, INT64_END - 1, convert
        plain[float] = -inf, inf, convert
        return plain
    limits = limits_of(dtype)
    low, high = limits.min, limits.max
    if spec_of(dtype).float_format:
        exact = int(min(high, 2.0**53))
        plain[int] = 0 if low > 0 else -exact, exact, convert
        plain[float] = low, high, convert
    else:
        plain[bool] = 0, 1, int
        plain[int] = low, min(high, INT64_END - 1), int
        # The limits of int64 are no doubles, and only some paths take floats for uint64.
        if dtype is not UINT64:
            plain[float] = float(low), float(min(high, 2**62)), int
    return plain


_PLAIN = {dtype: _plain(dtype) for dtype in ALL_DTYPES}
