"""finfo and iinfo: the limits of number formats, computed from the specs of the dtypes."""

import math
from functools import cache
from typing import Any, NoReturn

from .._argparser.parser import Parser, positional
from .._argparser.schema import MISSING
from .._dtypes.default_dtype import get_default_dtype
from .._dtypes.table import (
    ALL_DTYPES,
    DTypeSpec,
    FloatFormat,
    Kind,
    Specials,
    as_dtype,
    dtype,
    spec_of,
)
from .._runtime.c_types import TorchType, named_type, set_slots
from .._runtime.errors import check


@named_type
class _FinfoClass(TorchType):
    """The metaclass of `finfo`; a call returns the limits of a dtype.

    The limits are immutable, so there is one object for each dtype.
    """

    def __call__(self, dtype: Any = MISSING, /, *extra: Any, **keywords: Any) -> "finfo":
        if not extra and not keywords:
            try:
                return dtype.__finfo__  # type: ignore[no-any-return]
            except Exception:  # noqa: BLE001  # not a dtype with limits, or a failing __getattr__
                pass
        return _find_finfo(positional(dtype, extra), keywords)


@named_type
class _IinfoClass(TorchType):
    """The metaclass of `iinfo`, like `_FinfoClass`."""

    def __call__(self, dtype: Any = MISSING, /, *extra: Any, **keywords: Any) -> "iinfo":
        if not extra and not keywords:
            try:
                return dtype.__iinfo__  # type: ignore[no-any-return]
            except Exception:  # noqa: BLE001  # not a dtype with limits, or a failing __getattr__
                pass
        return _find_iinfo(positional(dtype, extra), keywords)


class _Limits:
    """The base of finfo and iinfo; fields that torch does not implement stay unset."""

    __slots__ = ("_row",)

    _row: DTypeSpec

    def __eq__(self, other: object) -> bool:
        # Torch compares the ScalarType, which a dtype has at the same offset.
        return self is other or (isinstance(other, dtype) and spec_of(other) is self._row)

    __hash__ = None  # type: ignore[assignment]  # unhashable, as in torch

    def __getattr__(self, name: str) -> NoReturn:
        if name in type(self).__slots__:
            limit = _LIMIT_NAMES.get(name, name)
            raise NotImplementedError(f"\"{limit}\" not implemented for '{self._row.cpp_name}'")
        raise AttributeError(f"'torch.{type(self).__name__}' object has no attribute '{name}'")

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        # CPython's own error, which names the type differently by protocol.
        prefix = "torch." if protocol >= 2 else ""
        raise TypeError(f"cannot pickle '{prefix}{type(self).__name__}' object")

    def __reduce__(self) -> NoReturn:
        self.__reduce_ex__(0)


_LIMIT_NAMES = {
    "eps": "epsilon",
    "min": "lowest",
    "tiny": "min",
    "smallest_normal": "min",
    "resolution": "digits10",
}
"""The names of the fields in torch's errors (those of std::numeric_limits)."""


class finfo(_Limits, metaclass=_FinfoClass):
    """finfo(type=None): the limits of a floating-point dtype, or of the parts of a complex one.

    Without an argument, return the limits of the default dtype.

    >>> finfo(float).max, finfo(complex).bits
    (1.7976931348623157e+308, 64)
    """

    __slots__ = (
        "bits", "dtype", "eps", "max", "min", "resolution", "smallest_normal", "tiny",
    )  # fmt: skip

    def __repr__(self) -> str:
        # float4_e2m1fn_x2 has no limits; torch's C code raises this error.
        check(self._row.float_format and self._row.float_format.packed == 1,
              lambda: "bad argument type for built-in operation", TypeError)  # fmt: skip
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g},"
            f" eps={self.eps:g}, smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g},"
            f" dtype={self.dtype})"
        )


class iinfo(_Limits, metaclass=_IinfoClass):
    """iinfo(type): the limits of an integer dtype, or of the integers of a quantized one.

    >>> iinfo(int)
    iinfo(min=-9.22337e+18, max=9.22337e+18, dtype=int64)
    """

    __slots__ = ("bits", "dtype", "max", "min")

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"


def _largest(fmt: FloatFormat) -> float:
    top_exponent = 2**fmt.exponent_bits - 1 - fmt.bias
    fraction = 2 - 2.0**-fmt.mantissa_bits
    match fmt.specials:
        case Specials.IEEE:
            top_exponent -= 1
        case Specials.FN:
            fraction -= 2.0**-fmt.mantissa_bits
        case Specials.NAN_ONLY:
            top_exponent, fraction = top_exponent - 1, 1.0
    return math.ldexp(fraction, top_exponent)


@cache
def _make_finfo(dtype: dtype) -> finfo:
    row = spec_of(dtype)
    fmt = row.float_format
    assert fmt is not None
    info = object.__new__(finfo)
    set_slots(info, _row=row, bits=row.bits)
    if fmt.packed > 1:
        return info
    # An unsigned format has no zero, so the lowest exponent is a normal number's.
    smallest_normal = math.ldexp(1, dtype.is_signed - fmt.bias)
    largest = _largest(fmt)
    decimal_digits = math.floor(fmt.mantissa_bits * math.log10(2))
    set_slots(
        info,
        dtype=row.name,
        eps=fmt.epsilon or 2.0**-fmt.mantissa_bits,
        max=largest,
        min=-largest if dtype.is_signed else smallest_normal,
        resolution=10.0**-decimal_digits,
        smallest_normal=smallest_normal,
        tiny=smallest_normal,
    )
    return info


def _make_iinfo(dtype: dtype) -> iinfo:
    """Return the limits of an integer dtype; those of a quantized dtype lack the name."""
    row = spec_of(dtype)
    quantized = row.kind is Kind.QUANTIZED
    count = 2**row.bits
    start = -count // 2 if (row.signed if quantized else dtype.is_signed) else 0
    info = object.__new__(iinfo)
    set_slots(info, _row=row, bits=row.bits, max=start + count - 1, min=start)
    if not quantized:
        set_slots(info, dtype=row.name)
    return info


for _dtype in ALL_DTYPES:
    _row = spec_of(_dtype)
    _is_integer = _row.kind in (Kind.UNSIGNED, Kind.SIGNED) and _row.bits >= 8
    if _row.float_format:
        set_slots(_dtype, __finfo__=_make_finfo(_dtype.to_real()))
    elif _is_integer or _row.kind is Kind.QUANTIZED:
        set_slots(_dtype, __iinfo__=_make_iinfo(_dtype))


def limits_of(dtype: dtype) -> Any:
    """Return the finfo of a float or complex dtype, or the iinfo of an integer dtype."""
    return dtype.__finfo__ if spec_of(dtype).float_format else dtype.__iinfo__


_parse_finfo = Parser("finfo(ScalarType type)", "finfo()")
_parse_iinfo = Parser("iinfo(ScalarType type)")


def _find_finfo(args: tuple[Any, ...], keywords: dict[str, Any]) -> finfo:
    dtype = as_dtype(*_parse_finfo(args, keywords) or (get_default_dtype(),))
    check(
        hasattr(dtype, "__finfo__"),
        lambda: (
            "torch.finfo() requires a floating point input type."
            " Use torch.iinfo to handle 'torch.finfo'"
        ),
        TypeError,
    )
    return dtype.__finfo__  # type: ignore[no-any-return]


def _find_iinfo(args: tuple[Any, ...], keywords: dict[str, Any]) -> iinfo:
    dtype = as_dtype(*_parse_iinfo(args, keywords))
    check(
        spec_of(dtype).kind is not Kind.BOOL,
        lambda: "torch.bool is not supported by torch.iinfo",
        TypeError,
    )
    check(
        hasattr(dtype, "__iinfo__"),
        lambda: (
            "torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'"
        ),
        TypeError,
    )
    return dtype.__iinfo__  # type: ignore[no-any-return]
