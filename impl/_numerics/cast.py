"""Conversion of values between dtypes.

A `Route` says how one dtype becomes another.  What NumPy converts fast itself,
it does.  Of codes with 8 or 16 bits there are so few that a table holds what
becomes of each.  The others go through float32.  All give what `_by_numbers`
gives, which makes the tables.
"""

import sys
from collections.abc import Callable
from functools import cache
from threading import Lock
from typing import Any, NamedTuple

from .._arrays.numpy_bridge import carrier, is_native, np
from .._arrays.opaque_dtypes import check_copy, is_opaque, warn_of_discarding
from .._arrays.parallel import PART, quietly
from .._codegen import llvm
from .._dtypes.constants import BFLOAT16, BOOL, COMPLEX32, FLOAT16, FLOAT32, FLOAT64, UINT8
from .._dtypes.table import Kind, Specials, dtype, row_of
from .._runtime.c_types import PACKAGE
from .._runtime.lazy_import import Late
from .float_formats import FEW, decode, encode, encoder, encoder_of_few, look_up, scratch

_casts: Any = Late(f"{PACKAGE}._codegen.casts")

_SMALL = PART if llvm.MODE != "always" else -1
"""Up to how many elements a new array is made of by `Route.make`."""


def numbers(codes: Any, source: dtype) -> Any:
    """Return the numbers that an array of codes stands for, in a dtype that NumPy computes with."""
    if is_native(source):
        return codes
    if source is COMPLEX32:
        parts = np.asarray(codes, order="C")[..., None].view(np.float16).astype(np.float32)
        return parts.view(np.complex64)[..., 0]
    if source is BFLOAT16:
        return (codes.astype(np.uint32) << 16).view(np.float32)
    if row_of(source).kind is Kind.FLOAT:
        return decode(codes, source)
    return codes


def convert(codes: Any, source: dtype, target: dtype) -> Any:
    """Convert an array of codes of one dtype to those of another, as torch's copy kernels do.

    What is returned is new unless the dtypes are one.  What is narrower than
    float32 is reached through float32, so float64 to float16 rounds twice
    (c10/util/TypeCast.h).
    """
    if source is target:
        if is_opaque(source):
            check_copy(source, target, codes, codes)
        # A byte of a bool is read as 1 if it is not 0 (c10/util/Load.h).
        return codes != 0 if source is BOOL else codes
    route = ROUTES.get((source, target)) or route_of(source, target)
    if codes.size <= _SMALL:
        return route.make(codes)
    out = np.empty(codes.shape, carrier(target))
    _fill(out, codes, source, target)
    return out


def duplicate(codes: Any, value: dtype) -> Any:
    """Return a new array with the codes of another, in C's order; refuse what torch cannot copy."""
    if is_opaque(value):
        check_copy(value, value, codes, codes)
    if codes.size <= _SMALL:
        return np.not_equal(codes, 0, order="C") if value is BOOL else codes.copy("C")
    out = np.empty(codes.shape, codes.dtype)
    _fill(out, codes, value, value)
    return out


def convert_into(out: Any, codes: Any, source: dtype, target: dtype) -> None:
    """Write codes of one dtype, converted and broadcast, into an array of codes of another."""
    if is_opaque(source) or is_opaque(target):
        check_copy(source, target, codes, out)
    if codes.size <= _SMALL or codes.size < out.size or np.may_share_memory(out, codes):
        out[...] = convert(codes, source, target)
    else:
        _fill(out, codes, source, target)


def _fill(out: Any, codes: Any, source: dtype, target: dtype) -> None:
    """Write codes, converted and broadcast, into an array of codes that they do not overlap."""
    if source is target:
        fill = _fill_bool if source is BOOL else np.copyto
    else:
        route = route_of(source, target)
        fill = route.fill
        if route.discards and codes.size:
            warn_of_discarding()
    _casts.convert_large(out, codes, source, target, fill)


class Route(NamedTuple):
    """How one dtype becomes another: into a given array of codes, and as a new array.

    Large arrays are filled part by part, after the warning that imaginary parts
    are discarded, where they are; a new array is made of a small one.
    """

    fill: Callable[[Any, Any], None]
    make: Callable[[Any], Any]
    discards: bool = False


ROUTES: dict[tuple[dtype, dtype], Route] = {}
"""The routes that were needed so far."""


def route_of(source: dtype, target: dtype) -> Route:
    """Return how a dtype becomes another one."""
    route = ROUTES.get((source, target))
    if route is None:
        route = ROUTES[source, target] = _find_route(source, target)
    return route


def _find_route(source: dtype, target: dtype) -> Route:
    if is_opaque(source) or is_opaque(target):
        return _opaque(source, target)
    if source.is_complex or target.is_complex:
        return _plain(source, target)
    if _is_fast(source) and _is_fast(target):
        return _native(source, target)
    if source is BOOL:
        return _times_one(target)
    if target is BOOL and _zero_has_no_other_bits(source):
        return _without_sign(source)
    if source.itemsize == 1:
        return _by_pairs(source, target)
    if source.itemsize == 2 and not _is_fast(target):
        return _by_table(source, target)
    return _through_singles(source, target)


def _discards(source: dtype, target: dtype) -> bool:
    """Tell whether imaginary parts are discarded, of which torch warns; bools regard them."""
    return source.is_complex and not target.is_complex and target is not BOOL


def _is_fast(value: dtype) -> bool:
    """Tell whether NumPy's own conversions are fast: those of float16 are not."""
    return is_native(value) and value is not FLOAT16


def _opaque(source: dtype, target: dtype) -> Route:
    def make(codes: Any) -> Any:
        made = np.empty(codes.shape, carrier(target))
        check_copy(source, target, codes, made)
        return made

    return Route(lambda out, codes: check_copy(source, target, codes, out), make)


def _native(source: dtype, target: dtype) -> Route:
    kind = carrier(target)
    fill = _fill_bool if target is BOOL else _fill_natively
    if source.is_floating_point and target is UINT8:
        # By way of int64 (c10/util/TypeCast.h): negative numbers wrap.
        return Route(
            lambda out, codes: np.copyto(out, codes.astype(np.int64), casting="unsafe"),
            lambda codes: quietly(codes.astype, np.int64).astype(kind),
        )
    if source.is_floating_point:
        return Route(fill, lambda codes: quietly(codes.astype, kind))
    return Route(fill, lambda codes: codes.astype(kind))  # integers give no warnings


def _fill_bool(out: Any, codes: Any) -> None:
    np.not_equal(codes, 0, out=out)


def _fill_natively(out: Any, codes: Any) -> None:
    np.copyto(out, codes, casting="unsafe")


def _times_one(target: dtype) -> Route:
    """Make False code 0, and True the code of 1."""
    kind = _unsigned(target)
    one = encode(np.ones(1, np.float32), target)[0]

    def fill(out: Any, codes: Any) -> None:
        np.multiply(codes, one, out=out.view(kind))

    if target is FLOAT16:
        return Route(fill, lambda codes: codes.astype(np.float16))
    return Route(fill, lambda codes: codes * one)


def _zero_has_no_other_bits(value: dtype) -> bool:
    form = row_of(value).float_format
    return form is not None and form.specials in (Specials.IEEE, Specials.FN)


def _without_sign(source: dtype) -> Route:
    """All codes become True that have a bit other than the sign."""
    kind = _unsigned(source)
    bits = kind.type(2 ** (8 * source.itemsize - 1) - 1)

    def fill(out: Any, codes: Any) -> None:
        np.not_equal(np.bitwise_and(codes.view(kind), bits), 0, out=out)

    return Route(fill, lambda codes: (codes.view(kind) & bits).astype(np.bool_))


def _by_table(source: dtype, target: dtype) -> Route:
    """All codes are looked up."""
    kind = _unsigned(source)

    def fill(out: Any, codes: Any) -> None:
        look_up(out, _table(source, target), codes.view(kind))

    return Route(fill, lambda codes: _table(source, target).take(codes.view(kind)))


def _by_pairs(source: dtype, target: dtype) -> Route:
    """Codes of a byte each are looked up two at a time, where they lie side by side."""
    single = _by_table(source, target)
    size = 2 * target.itemsize
    kind = np.dtype(np.complex128 if size == 16 else f"u{size}")

    def fill(out: Any, codes: Any) -> None:
        if codes.size <= _FEW or not (codes.flags.c_contiguous and out.flags.c_contiguous):
            single.fill(out, codes)
            return
        codes, out = codes.reshape(-1), out.reshape(-1)
        even = codes.size // 2 * 2
        with _ONE_AT_A_TIME:  # threads that convert at once would each make the table
            table = _pair_table(source, target)
        look_up(out[:even].view(kind), table, codes[:even].view(np.uint16))
        single.fill(out[even:], codes[even:])

    return Route(fill, single.make)


def _through_singles(source: dtype, target: dtype) -> Route:
    """Codes become float32, and these what is wanted."""
    narrow = None if _is_fast(target) else encoder(target)
    kind = _unsigned(target)

    def fill(out: Any, codes: Any) -> None:
        if target is FLOAT32:
            _write_singles(out, codes, source)
            return
        singles = codes
        if source is not FLOAT32:
            singles = scratch(codes.shape, 2)[0].view(np.float32)
            _write_singles(singles, codes, source)
        if narrow is None:
            np.copyto(out, singles, casting="unsafe")
        else:
            narrow(out.view(kind), singles)

    if source.itemsize == 2:
        halves = _unsigned(source)
        return Route(fill, lambda codes: _table(source, target).take(codes.view(halves)))

    singles_kind, made_kind = carrier(FLOAT32), carrier(target)

    def make(codes: Any) -> Any:
        few = codes.size <= FEW
        if source is FLOAT64:
            if few:
                return encoder_of_few(target, doubles=True)(codes)
            codes = quietly(codes.astype, singles_kind)
        elif source is not FLOAT32:
            codes = codes.astype(singles_kind)
        if few:
            return encoder_of_few(target)(codes)
        return encode(codes, target).view(made_kind)

    return Route(fill, make)


_FEW = 256
"""Up to how many elements a table of single codes is faster than one of pairs."""


def _write_singles(singles: Any, codes: Any, source: dtype) -> None:
    """Write numbers of any real dtype as float32."""
    if source is BFLOAT16:
        words = singles.view(np.uint32)
        np.copyto(words, codes)
        np.left_shift(words, 16, out=words)
    elif source is FLOAT16:
        _write_halves(singles, codes)
    else:
        np.copyto(singles, codes, casting="unsafe")


def _write_halves(singles: Any, halves: Any) -> None:
    """Write float16 as float32: the bits moved to their places, times what makes the exponent right."""
    codes, words = halves.view(np.int16), singles.view(np.int32)
    np.copyto(words, codes)  # with many signs
    np.left_shift(words, 13, out=words)
    np.bitwise_and(words, np.int32(-0x70002000), out=words)
    np.multiply(singles, 2.0**112, out=singles)
    exponents = np.bitwise_and(codes, 0x7C00)
    if np.maximum.reduce(exponents, axis=None, initial=0) == 0x7C00:
        where = exponents == 0x7C00
        special = words[where] | 0x7F800000
        # Processors make signalling NaNs quiet.
        words[where] = np.where(special & 0x7FFFFF, special | 0x400000, special)


def _unsigned(value: dtype) -> Any:
    return np.dtype(f"u{value.itemsize}")


@cache
def _table(source: dtype, target: dtype) -> Any:
    """Return what each code of a dtype of 8 or 16 bits becomes."""
    all_codes = np.arange(2 ** (8 * source.itemsize), dtype=_unsigned(source))
    made = _by_numbers_quietly(all_codes.view(carrier(source)), source, target)
    form = row_of(source).float_format
    is_integer = row_of(target).kind in (Kind.UNSIGNED, Kind.SIGNED)
    if form and is_integer and form.specials in (Specials.FNUZ, Specials.NAN_ONLY):
        # The one NaN of these is a constant, of which compilers make the integer 0.
        made[np.isnan(decode(all_codes, source))] = 0
    return made


_ONE_AT_A_TIME = Lock()


@cache
def _pair_table(source: dtype, target: dtype) -> Any:
    """Return what two codes of a byte become that are read as one integer."""
    single = _table(source, target)
    size = 2 * target.itemsize
    pairs = np.empty((256, 256, 2), single.dtype)
    low, high = (0, 1) if sys.byteorder == "little" else (1, 0)
    pairs[..., low], pairs[..., high] = single, single[:, None]
    return pairs.reshape(-1).view(np.complex128 if size == 16 else f"u{size}")


def _plain(source: dtype, target: dtype) -> Route:
    def fill(out: Any, codes: Any) -> None:
        out[...] = _by_numbers(codes, source, target)

    discards = _discards(source, target)

    def make(codes: Any) -> Any:
        if discards and codes.size:
            warn_of_discarding()
        return _by_numbers_quietly(codes, source, target)

    return Route(fill, make, discards)


def _by_numbers_quietly(codes: Any, source: dtype, target: dtype) -> Any:
    return quietly(lambda values: _by_numbers(values, source, target), codes)


def _by_numbers(codes: Any, source: dtype, target: dtype) -> Any:
    """Convert by way of the numbers that the codes stand for."""
    values = numbers(_quiet(codes) if source is FLOAT16 else codes, source)
    if target is BOOL:
        return values != 0
    if values.dtype.kind == "c" and not target.is_complex:
        values = values.real
    if target is COMPLEX32:
        return _encode_complex32(values)
    if target is UINT8 and values.dtype.kind == "f":
        values = values.astype(np.int64)  # c10/util/TypeCast.h
    if _is_fast(target):
        return values.astype(carrier(target))
    return encode(values.astype(np.float32), target).view(carrier(target))


def _quiet(halves: Any) -> Any:
    """Make signalling NaNs quiet, as the processor does where torch converts halves."""
    signalling = np.isnan(halves)
    if not signalling.any():
        return halves
    bits = np.array(halves).view(np.uint16)
    return np.where(signalling, bits | 0x200, bits).view(np.float16)


def _encode_complex32(values: Any) -> Any:
    parts = np.asarray(values.astype(np.complex64), order="C")[..., None].view(np.float32)
    return encode(parts, FLOAT16).view(np.uint32)[..., 0]
