"""Conversion of values between dtypes.

A `CastKernel` says how one dtype becomes another.  What NumPy converts fast itself,
it does.  Of codes with 8 or 16 bits there are so few that a table holds what
becomes of each.  The others go through float32.  All give what `reference_cast`
gives, which makes the tables.
"""

import sys
from collections.abc import Callable
from functools import cache
from threading import Lock
from typing import Any, NamedTuple

from .._arrays.numpy_bridge import is_native, np, numpy_storage_dtype
from .._arrays.opaque_dtypes import check_copy, is_opaque, warn_of_discarding
from .._arrays.parallel import PART, quietly
from .._codegen import llvm
from .._dtypes.constants import BFLOAT16, BOOL, COMPLEX32, FLOAT16, FLOAT32, FLOAT64, UINT8
from .._dtypes.table import Kind, Specials, dtype, spec_of
from .._runtime.c_types import PACKAGE
from .._runtime.lazy_import import LazyModule
from .float_formats import FEW, decode, encode, encoder, encoder_of_few, look_up, scratch

_casts: Any = LazyModule(f"{PACKAGE}._codegen.casts")

_SMALL = PART if llvm.MODE != "always" else -1
"""Up to how many elements a new array is made of by `Route.make`."""


def numbers(raw: Any, source: dtype) -> Any:
    """Return the numbers that an array of codes stands for, in a dtype that NumPy computes with."""
    if is_native(source):
        return raw
    if source is COMPLEX32:
        parts = np.asarray(raw, order="C")[..., None].view(np.float16).astype(np.float32)
        return parts.view(np.complex64)[..., 0]
    if source is BFLOAT16:
        return (raw.astype(np.uint32) << 16).view(np.float32)
    if spec_of(source).kind is Kind.FLOAT:
        return decode(raw, source)
    return raw


def convert(raw: Any, source: dtype, target: dtype) -> Any:
    """Convert an array of codes of one dtype to those of another, as torch's copy kernels do.

    What is returned is new unless the dtypes are one.  What is narrower than
    float32 is reached through float32, so float64 to float16 rounds twice
    (c10/util/TypeCast.h).
    """
    if source is target:
        if is_opaque(source):
            check_copy(source, target, raw, raw)
        # A byte of a bool is read as 1 if it is not 0 (c10/util/Load.h).
        return raw != 0 if source is BOOL else raw
    route = CAST_KERNELS.get((source, target)) or route_of(source, target)
    if raw.size <= _SMALL:
        return route.make(raw)
    out = np.empty(raw.shape, numpy_storage_dtype(target))
    _fill(out, raw, source, target)
    return out


def duplicate(raw: Any, dtype: dtype) -> Any:
    """Return a new array with the codes of another, in C's order; refuse what torch cannot copy."""
    if is_opaque(dtype):
        check_copy(dtype, dtype, raw, raw)
    if raw.size <= _SMALL:
        return np.not_equal(raw, 0, order="C") if dtype is BOOL else raw.copy("C")
    out = np.empty(raw.shape, raw.dtype)
    _fill(out, raw, dtype, dtype)
    return out


def convert_into(out: Any, raw: Any, source: dtype, target: dtype) -> None:
    """Write codes of one dtype, converted and broadcast, into an array of codes of another."""
    if is_opaque(source) or is_opaque(target):
        check_copy(source, target, raw, out)
    if raw.size <= _SMALL or raw.size < out.size or np.may_share_memory(out, raw):
        out[...] = convert(raw, source, target)
    else:
        _fill(out, raw, source, target)


def _fill(out: Any, raw: Any, source: dtype, target: dtype) -> None:
    """Write codes, converted and broadcast, into an array of codes that they do not overlap."""
    if source is target:
        fill = _fill_bool if source is BOOL else np.copyto
    else:
        route = route_of(source, target)
        fill = route.fill
        if route.discards and raw.size:
            warn_of_discarding()
    _casts.convert_large(out, raw, source, target, fill)


class CastKernel(NamedTuple):
    """How one dtype becomes another: into a given array of codes, and as a new array.

    Large arrays are filled part by part, after the warning that imaginary parts
    are discarded, where they are; a new array is made of a small one.
    """

    fill: Callable[[Any, Any], None]
    make: Callable[[Any], Any]
    discards: bool = False


CAST_KERNELS: dict[tuple[dtype, dtype], CastKernel] = {}
"""The routes that were needed so far."""


def route_of(source: dtype, target: dtype) -> CastKernel:
    """Return how a dtype becomes another one."""
    route = CAST_KERNELS.get((source, target))
    if route is None:
        route = CAST_KERNELS[source, target] = _find_route(source, target)
    return route


def _find_route(source: dtype, target: dtype) -> CastKernel:
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


def _is_fast(dtype: dtype) -> bool:
    """Tell whether NumPy's own conversions are fast: those of float16 are not."""
    return is_native(dtype) and dtype is not FLOAT16


def _opaque(source: dtype, target: dtype) -> CastKernel:
    def make(raw: Any) -> Any:
        made = np.empty(raw.shape, numpy_storage_dtype(target))
        check_copy(source, target, raw, made)
        return made

    return CastKernel(lambda out, raw: check_copy(source, target, raw, out), make)


def _native(source: dtype, target: dtype) -> CastKernel:
    kind = numpy_storage_dtype(target)
    fill = _fill_bool if target is BOOL else _fill_natively
    if source.is_floating_point and target is UINT8:
        # By way of int64 (c10/util/TypeCast.h): negative numbers wrap.
        return CastKernel(
            lambda out, raw: np.copyto(out, raw.astype(np.int64), casting="unsafe"),
            lambda raw: quietly(raw.astype, np.int64).astype(kind),
        )
    if source.is_floating_point:
        return CastKernel(fill, lambda raw: quietly(raw.astype, kind))
    return CastKernel(fill, lambda raw: raw.astype(kind))  # integers give no warnings


def _fill_bool(out: Any, raw: Any) -> None:
    np.not_equal(raw, 0, out=out)


def _fill_natively(out: Any, raw: Any) -> None:
    np.copyto(out, raw, casting="unsafe")


def _times_one(target: dtype) -> CastKernel:
    """Make False code 0, and True the code of 1."""
    kind = _unsigned(target)
    one = encode(np.ones(1, np.float32), target)[0]

    def fill(out: Any, raw: Any) -> None:
        np.multiply(raw, one, out=out.view(kind))

    if target is FLOAT16:
        return CastKernel(fill, lambda raw: raw.astype(np.float16))
    return CastKernel(fill, lambda raw: raw * one)


def _zero_has_no_other_bits(dtype: dtype) -> bool:
    form = spec_of(dtype).float_format
    return form is not None and form.specials in (Specials.IEEE, Specials.FN)


def _without_sign(source: dtype) -> CastKernel:
    """All codes become True that have a bit other than the sign."""
    kind = _unsigned(source)
    bits = kind.type(2 ** (8 * source.itemsize - 1) - 1)

    def fill(out: Any, raw: Any) -> None:
        np.not_equal(np.bitwise_and(raw.view(kind), bits), 0, out=out)

    return CastKernel(fill, lambda raw: (raw.view(kind) & bits).astype(np.bool_))


def _by_table(source: dtype, target: dtype) -> CastKernel:
    """All codes are looked up."""
    kind = _unsigned(source)

    def fill(out: Any, raw: Any) -> None:
        look_up(out, _table(source, target), raw.view(kind))

    return CastKernel(fill, lambda raw: _table(source, target).take(raw.view(kind)))


def _by_pairs(source: dtype, target: dtype) -> CastKernel:
    """Codes of a byte each are looked up two at a time, where they lie side by side."""
    single = _by_table(source, target)
    size = 2 * target.itemsize
    kind = np.dtype(np.complex128 if size == 16 else f"u{size}")

    def fill(out: Any, raw: Any) -> None:
        if raw.size <= _FEW or not (raw.flags.c_contiguous and out.flags.c_contiguous):
            single.fill(out, raw)
            return
        raw, out = raw.reshape(-1), out.reshape(-1)
        even = raw.size // 2 * 2
        with _ONE_AT_A_TIME:  # threads that convert at once would each make the table
            table = _pair_table(source, target)
        look_up(out[:even].view(kind), table, raw[:even].view(np.uint16))
        single.fill(out[even:], raw[even:])

    return CastKernel(fill, single.make)


def _through_singles(source: dtype, target: dtype) -> CastKernel:
    """Codes become float32, and these what is wanted."""
    narrow = None if _is_fast(target) else encoder(target)
    kind = _unsigned(target)

    def fill(out: Any, raw: Any) -> None:
        if target is FLOAT32:
            _write_singles(out, raw, source)
            return
        singles = raw
        if source is not FLOAT32:
            singles = scratch(raw.shape, 2)[0].view(np.float32)
            _write_singles(singles, raw, source)
        if narrow is None:
            np.copyto(out, singles, casting="unsafe")
        else:
            narrow(out.view(kind), singles)

    if source.itemsize == 2:
        halves = _unsigned(source)
        return CastKernel(fill, lambda raw: _table(source, target).take(raw.view(halves)))

    singles_kind, made_kind = numpy_storage_dtype(FLOAT32), numpy_storage_dtype(target)

    def make(raw: Any) -> Any:
        few = raw.size <= FEW
        if source is FLOAT64:
            if few:
                return encoder_of_few(target, doubles=True)(raw)
            raw = quietly(raw.astype, singles_kind)
        elif source is not FLOAT32:
            raw = raw.astype(singles_kind)
        if few:
            return encoder_of_few(target)(raw)
        return encode(raw, target).view(made_kind)

    return CastKernel(fill, make)


_FEW = 256
"""Up to how many elements a table of single codes is faster than one of pairs."""


def _write_singles(singles: Any, raw: Any, source: dtype) -> None:
    """Write numbers of any real dtype as float32."""
    if source is BFLOAT16:
        words = singles.view(np.uint32)
        np.copyto(words, raw)
        np.left_shift(words, 16, out=words)
    elif source is FLOAT16:
        _write_halves(singles, raw)
    else:
        np.copyto(singles, raw, casting="unsafe")


def _write_halves(singles: Any, halves: Any) -> None:
    """Write float16 as float32: the bits moved to their places, times what makes the exponent right."""
    raw, words = halves.view(np.int16), singles.view(np.int32)
    np.copyto(words, raw)  # with many signs
    np.left_shift(words, 13, out=words)
    np.bitwise_and(words, np.int32(-0x70002000), out=words)
    np.multiply(singles, 2.0**112, out=singles)
    exponents = np.bitwise_and(raw, 0x7C00)
    if np.maximum.reduce(exponents, axis=None, initial=0) == 0x7C00:
        where = exponents == 0x7C00
        special = words[where] | 0x7F800000
        # Processors make signalling NaNs quiet.
        words[where] = np.where(special & 0x7FFFFF, special | 0x400000, special)


def _unsigned(dtype: dtype) -> Any:
    return np.dtype(f"u{dtype.itemsize}")


@cache
def _table(source: dtype, target: dtype) -> Any:
    """Return what each code of a dtype of 8 or 16 bits becomes."""
    all_codes = np.arange(2 ** (8 * source.itemsize), dtype=_unsigned(source))
    made = _by_numbers_quietly(all_codes.view(numpy_storage_dtype(source)), source, target)
    form = spec_of(source).float_format
    is_integer = spec_of(target).kind in (Kind.UNSIGNED, Kind.SIGNED)
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


def _plain(source: dtype, target: dtype) -> CastKernel:
    def fill(out: Any, raw: Any) -> None:
        out[...] = reference_cast(raw, source, target)

    discards = _discards(source, target)

    def make(raw: Any) -> Any:
        if discards and raw.size:
            warn_of_discarding()
        return _by_numbers_quietly(raw, source, target)

    return CastKernel(fill, make, discards)


def _by_numbers_quietly(raw: Any, source: dtype, target: dtype) -> Any:
    return quietly(lambda values: reference_cast(values, source, target), raw)


def reference_cast(raw: Any, source: dtype, target: dtype) -> Any:
    """Convert by way of the numbers that the codes stand for."""
    values = numbers(_quiet(raw) if source is FLOAT16 else raw, source)
    if target is BOOL:
        return values != 0
    if values.dtype.kind == "c" and not target.is_complex:
        values = values.real
    if target is COMPLEX32:
        return _encode_complex32(values)
    if target is UINT8 and values.dtype.kind == "f":
        values = values.astype(np.int64)  # c10/util/TypeCast.h
    if _is_fast(target):
        return values.astype(numpy_storage_dtype(target))
    return encode(values.astype(np.float32), target).view(numpy_storage_dtype(target))


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
