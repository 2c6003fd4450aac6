"""finfo and iinfo: the limits of the number formats, computed from the rows of the dtypes."""

import math
from functools import cache
from typing import Any, NoReturn

from .._argparser.parser import Parser, positional
from .._argparser.schema import MISSING
from .._dtypes.default_dtype import get_default_dtype
from .._dtypes.table import ALL, DTypeSpec, FloatFormat, Kind, Specials, as_dtype, dtype, spec_of
from .._runtime.c_types import TorchType, called_type, fill
from .._runtime.errors import check


@called_type
class _FinfoClass(TorchType):
    """The metaclass of `finfo`: calling it looks up the limits of a dtype.

    The limits cannot be changed, so there is one object for each dtype.
    """

    def __call__(self, wanted: Any = MISSING, /, *extra: Any, **keywords: Any) -> "finfo":
        if not extra and not keywords:
            try:
                return wanted.__finfo__  # type: ignore[no-any-return]
            except Exception:  # noqa: BLE001  # not a dtype that has one; or its own __getattr__
                pass
        return _find_finfo(positional(wanted, extra), keywords)


@called_type
class _IinfoClass(TorchType):
    """The metaclass of `iinfo`, as `_FinfoClass` is that of `finfo`."""

    def __call__(self, wanted: Any = MISSING, /, *extra: Any, **keywords: Any) -> "iinfo":
        if not extra and not keywords:
            try:
                return wanted.__iinfo__  # type: ignore[no-any-return]
            except Exception:  # noqa: BLE001  # not a dtype that has one; or its own __getattr__
                pass
        return _find_iinfo(positional(wanted, extra), keywords)


class _Limits:
    """What finfo and iinfo share.  A field that torch has no answer for stays unset."""

    __slots__ = ("_row",)

    _row: DTypeSpec

    def __eq__(self, other: object) -> bool:
        # Torch compares the ScalarType, which lies at the same place in a dtype, too.
        return self is other or (isinstance(other, dtype) and spec_of(other) is self._row)

    __hash__ = None  # type: ignore[assignment]  # unhashable, as torch's are

    def __getattr__(self, name: str) -> NoReturn:
        if name in type(self).__slots__:
            asked = _ASKED_FOR.get(name, name)
            raise NotImplementedError(f"\"{asked}\" not implemented for '{self._row.cpp_name}'")
        raise AttributeError(f"'torch.{type(self).__name__}' object has no attribute '{name}'")

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        # CPython's own refusal, which names the type in two ways.
        prefix = "torch." if protocol >= 2 else ""
        raise TypeError(f"cannot pickle '{prefix}{type(self).__name__}' object")

    def __reduce__(self) -> NoReturn:
        self.__reduce_ex__(0)


_ASKED_FOR = {
    "eps": "epsilon",
    "min": "lowest",
    "tiny": "min",
    "smallest_normal": "min",
    "resolution": "digits10",
}
"""The names by which torch's refusals call the fields (those of std::numeric_limits)."""


class finfo(_Limits, metaclass=_FinfoClass):
    """finfo(type=None): the limits of a floating-point dtype, or of the parts of a complex one.

    Without an argument, those of the default dtype.

    >>> finfo(float).max, finfo(complex).bits
    (1.7976931348623157e+308, 64)
    """

    __slots__ = (
        "bits", "dtype", "eps", "max", "min", "resolution", "smallest_normal", "tiny",
    )  # fmt: skip

    def __repr__(self) -> str:
        # float4_e2m1fn_x2 has no limits to print; torch's C code fails so.
        check(self._row.float_format and self._row.float_format.packed == 1,
              lambda: "bad argument type for built-in operation", TypeError)  # fmt: skip
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g},"
            f" eps={self.eps:g}, smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g},"
            f" dtype={self.dtype})"
        )


class iinfo(_Limits, metaclass=_IinfoClass):
    """iinfo(type): the limits of an integer dtype, or of the integers of a quantised one.

    >>> iinfo(int)
    iinfo(min=-9.22337e+18, max=9.22337e+18, dtype=int64)
    """

    __slots__ = ("bits", "dtype", "max", "min")

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"


def _largest(form: FloatFormat) -> float:
    """Return the largest finite number of a format."""
    top_exponent = 2**form.exponent_bits - 1 - form.bias
    fraction = 2 - 2.0**-form.mantissa_bits
    match form.specials:
        case Specials.IEEE:
            top_exponent -= 1
        case Specials.FN:
            fraction -= 2.0**-form.mantissa_bits
        case Specials.NAN_ONLY:
            top_exponent, fraction = top_exponent - 1, 1.0
    return math.ldexp(fraction, top_exponent)


@cache
def _make_finfo(dtype: dtype) -> finfo:
    """Compute the limits of a real floating-point dtype from its format."""
    row = spec_of(dtype)
    form = row.float_format
    assert form is not None
    info = object.__new__(finfo)
    fill(info, _row=row, bits=row.bits)
    if form.packed > 1:
        return info
    has_sign = form.specials is not Specials.NAN_ONLY
    # Without a sign there is no zero either: the lowest exponent is a number's.
    smallest_normal = math.ldexp(1, (1 if has_sign else 0) - form.bias)
    largest = _largest(form)
    decimal_digits = math.floor(form.mantissa_bits * math.log10(2))
    fill(
        info,
        dtype=row.name,
        eps=form.epsilon or 2.0**-form.mantissa_bits,
        max=largest,
        min=-largest if has_sign else smallest_normal,
        resolution=10.0**-decimal_digits,
        smallest_normal=smallest_normal,
        tiny=smallest_normal,
    )
    return info


def _make_iinfo(dtype: dtype) -> iinfo:
    """Compute the limits of an integer dtype; a quantised one has no name to tell."""
    row = spec_of(dtype)
    quantized = row.kind is Kind.QUANTIZED
    signed = row.signed if quantized else dtype.is_signed
    info = object.__new__(iinfo)
    fill(
        info,
        _row=row,
        bits=row.bits,
        max=2 ** (row.bits - 1 if signed else row.bits) - 1,
        min=-(2 ** (row.bits - 1)) if signed else 0,
    )
    if not quantized:
        fill(info, dtype=row.name)
    return info


def _has_finfo(dtype: dtype) -> bool:
    return dtype.is_floating_point or dtype.is_complex


def _has_iinfo(dtype: dtype) -> bool:
    row = spec_of(dtype)
    whole_bytes = row.kind in (Kind.UNSIGNED, Kind.SIGNED) and row.bits >= 8
    return whole_bytes or row.kind is Kind.QUANTIZED


for _each in ALL:
    if _has_finfo(_each):
        fill(_each, __finfo__=_make_finfo(_each.to_real()))
    if _has_iinfo(_each):
        fill(_each, __iinfo__=_make_iinfo(_each))

_parse_finfo = Parser("finfo(ScalarType type)", "finfo()")
_parse_iinfo = Parser("iinfo(ScalarType type)")


def _find_finfo(args: tuple[Any, ...], keywords: dict[str, Any]) -> finfo:
    wanted = as_dtype(*_parse_finfo(args, keywords) or (get_default_dtype(),))
    check(
        _has_finfo(wanted),
        lambda: (
            "torch.finfo() requires a floating point input type."
            " Use torch.iinfo to handle 'torch.finfo'"
        ),
        TypeError,
    )
    found: finfo = wanted.__finfo__
    return found


def _find_iinfo(args: tuple[Any, ...], keywords: dict[str, Any]) -> iinfo:
    wanted = as_dtype(*_parse_iinfo(args, keywords))
    check(
        spec_of(wanted).kind is not Kind.BOOL,
        lambda: "torch.bool is not supported by torch.iinfo",
        TypeError,
    )
    check(
        _has_iinfo(wanted),
        lambda: (
            "torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'"
        ),
        TypeError,
    )
    found: iinfo = wanted.__iinfo__
    return found
