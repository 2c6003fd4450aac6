"""Casts of raw arrays between dtypes.

Each pair of dtypes has a `CastKernel`.  NumPy casts between its own dtypes, except float16.
Casts from 8-bit and 16-bit dtypes look elements up in tables.  The others go through float32.
All give the results of `reference_cast`, which also computes the tables.
"""

import sys
from collections.abc import Callable
from functools import cache, partial
from threading import Lock
from typing import Any, NamedTuple

from .._arrays.numpy_bridge import is_native, np, numpy_storage_dtype
from .._arrays.opaque_dtypes import check_copy, is_opaque, warn_complex_to_real
from .._arrays.parallel import BLOCK_ELEMENTS, without_fp_warnings
from .._codegen import llvm
from .._dtypes.constants import BFLOAT16, BOOL, COMPLEX32, FLOAT16, FLOAT32, FLOAT64, UINT8
from .._dtypes.table import Kind, Specials, dtype, spec_of
from .._runtime.c_types import PACKAGE
from .._runtime.lazy_import import LazyModule
from .float_formats import FEW, decode, encode, encoder, encoder_of_few, look_up, scratch

_casts: Any = LazyModule(f"{PACKAGE}._codegen.casts")

_SMALL = BLOCK_ELEMENTS if llvm.MODE != "always" else -1
"""The largest number of elements that `CastKernel.make` casts."""


def to_numbers(raw: Any, source: dtype) -> Any:
    """Return the numbers of a raw array, in a dtype that NumPy computes with."""
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
    """Return a raw array, cast to another dtype as torch's copy kernels do.

    The result is a new array unless the dtypes are equal.  Casts to formats narrower than float32
    go through float32, so float64 to float16 rounds twice (c10/util/TypeCast.h).
    """
    if source is target:
        if is_opaque(source):
            check_copy(source, target, raw, raw)
        # A nonzero byte of a bool is read as 1 (c10/util/Load.h).
        return raw != 0 if source is BOOL else raw
    kernel = cast_kernel_of(source, target)
    if raw.size <= _SMALL:
        return kernel.make(raw)
    out = np.empty(raw.shape, numpy_storage_dtype(target))
    _fill(out, raw, source, target)
    return out


def converter(source: dtype, target: dtype) -> Callable[[Any], Any]:
    """Return the cast of raw arrays of several parts, after one warning of imaginary parts."""
    if source is target or not cast_kernel_of(source, target).discards:
        return partial(convert, source=source, target=target)
    kernel = cast_kernel_of(source, target)
    warn_complex_to_real()

    def cast(raw: Any) -> Any:
        out = np.empty(raw.shape, numpy_storage_dtype(target))
        kernel.fill(out, raw)
        return out

    return cast


def copy_raw(raw: Any, dtype: dtype) -> Any:
    """Return a C-contiguous copy of a raw array; raise for dtypes that torch cannot copy."""
    if is_opaque(dtype):
        check_copy(dtype, dtype, raw, raw)
    if raw.size <= _SMALL:
        return np.not_equal(raw, 0, order="C") if dtype is BOOL else raw.copy("C")
    out = np.empty(raw.shape, raw.dtype)
    _fill(out, raw, dtype, dtype)
    return out


def convert_into(out: Any, raw: Any, source: dtype, target: dtype) -> None:
    """Cast a raw array and write it into ``out`` with broadcasting."""
    if is_opaque(source) or is_opaque(target):
        check_copy(source, target, raw, out)
    if raw.size <= _SMALL or raw.size < out.size or np.may_share_memory(out, raw):
        out[...] = convert(raw, source, target)
    else:
        _fill(out, raw, source, target)


def _fill(out: Any, raw: Any, source: dtype, target: dtype) -> None:
    """Cast a raw array and write it into ``out``, which does not overlap it, with broadcasting."""
    if source is target:
        fill = _fill_bool if source is BOOL else np.copyto
    else:
        kernel = cast_kernel_of(source, target)
        fill = kernel.fill
        if kernel.discards and raw.size:
            warn_complex_to_real()
    _casts.convert_large(out, raw, source, target, fill)


class CastKernel(NamedTuple):
    """The implementations of a cast.

    fill: writes a part of a large array, ``fill(out, raw)``
    make: returns a new small array, ``make(raw)``
    discards: whether the cast discards imaginary parts; ``make`` warns, callers of ``fill`` must
    """

    fill: Callable[[Any, Any], None]
    make: Callable[[Any], Any]
    discards: bool = False


@cache
def cast_kernel_of(source: dtype, target: dtype) -> CastKernel:
    """Return the cast kernel for a pair of dtypes."""
    if is_opaque(source) or is_opaque(target):
        return _opaque(source, target)
    if source.is_complex or target.is_complex:
        return _reference(source, target)
    if _is_fast(source) and _is_fast(target):
        return _by_numpy(source, target)
    if source is BOOL:
        return _from_bool(target)
    fmt = spec_of(source).float_format
    if target is BOOL and fmt and fmt.specials in (Specials.IEEE, Specials.FN):
        return _bool_without_sign(source)
    if source.itemsize == 1:
        return _by_pairs(source, target)
    if source.itemsize == 2 and not _is_fast(target):
        return _by_table(source, target)
    return _through_float32(source, target)


def _is_fast(dtype: dtype) -> bool:
    """Return whether NumPy's casts of a dtype are fast; those of float16 are slow."""
    return is_native(dtype) and dtype is not FLOAT16


def _opaque(source: dtype, target: dtype) -> CastKernel:
    def make(raw: Any) -> Any:
        result = np.empty(raw.shape, numpy_storage_dtype(target))
        check_copy(source, target, raw, result)
        return result

    return CastKernel(lambda out, raw: check_copy(source, target, raw, out), make)


def _by_numpy(source: dtype, target: dtype) -> CastKernel:
    target_type = numpy_storage_dtype(target)
    fill = _fill_bool if target is BOOL else partial(np.copyto, casting="unsafe")
    if source.is_floating_point and target is UINT8:
        # Through int64 (c10/util/TypeCast.h): negative numbers wrap.
        return CastKernel(
            lambda out, raw: np.copyto(out, raw.astype(np.int64), casting="unsafe"),
            lambda raw: without_fp_warnings(raw.astype, np.int64).astype(target_type),
        )
    if source.is_floating_point:
        return CastKernel(fill, lambda raw: without_fp_warnings(raw.astype, target_type))
    return CastKernel(fill, lambda raw: raw.astype(target_type))  # integers give no warnings


def _fill_bool(out: Any, raw: Any) -> None:
    np.not_equal(raw, 0, out=out)


def _from_bool(target: dtype) -> CastKernel:
    """Return the cast from bool: a product with the bits of 1."""
    raw_type = _unsigned(target)
    one = encode(np.ones(1, np.float32), target)[0]
    return CastKernel(
        lambda out, raw: np.multiply(raw, one, out=out.view(raw_type)),
        lambda raw: raw.astype(np.float16) if target is FLOAT16 else raw * one,
    )


def _bool_without_sign(source: dtype) -> CastKernel:
    """Return the cast to bool that tests the bits other than the sign."""
    raw_type = _unsigned(source)
    bits = raw_type.type(2 ** (8 * source.itemsize - 1) - 1)
    return CastKernel(
        lambda out, raw: np.not_equal(raw.view(raw_type) & bits, 0, out=out),
        lambda raw: (raw.view(raw_type) & bits).astype(np.bool_),
    )


def _by_table(source: dtype, target: dtype) -> CastKernel:
    """Return the cast by a table of all bit patterns."""
    raw_type = _unsigned(source)
    return CastKernel(
        lambda out, raw: look_up(out, _table(source, target), raw.view(raw_type)),
        lambda raw: _table(source, target).take(raw.view(raw_type)),
    )


def _by_pairs(source: dtype, target: dtype) -> CastKernel:
    """Return the cast of a 1-byte dtype by a table of pairs of adjacent elements."""
    single = _by_table(source, target)

    def fill(out: Any, raw: Any) -> None:
        if raw.size <= _SMALL_TABLE or not (raw.flags.c_contiguous and out.flags.c_contiguous):
            single.fill(out, raw)
            return
        raw, out = raw.reshape(-1), out.reshape(-1)
        even = raw.size // 2 * 2
        with _TABLE_LOCK:  # otherwise concurrent threads would each compute the table
            table = _pair_table(source, target)
        look_up(out[:even].view(table.dtype), table, raw[:even].view(np.uint16))
        single.fill(out[even:], raw[even:])

    return CastKernel(fill, single.make)


def _through_float32(source: dtype, target: dtype) -> CastKernel:
    narrow = None if _is_fast(target) else encoder(target)
    raw_type = _unsigned(target)

    def fill(out: Any, raw: Any) -> None:
        if target is FLOAT32:
            _write_float32(out, raw, source)
            return
        singles = raw
        if source is not FLOAT32:
            singles = scratch(raw.shape, 2)[0].view(np.float32)
            _write_float32(singles, raw, source)
        if narrow is None:
            np.copyto(out, singles, casting="unsafe")
        else:
            narrow(out.view(raw_type), singles)

    if source.itemsize == 2:
        look_up_all = _by_table(source, target).make
        if source is BFLOAT16 and target is FLOAT32:
            return CastKernel(
                fill, lambda raw: look_up_all(raw) if raw.size <= FEW else to_numbers(raw, source)
            )
        return CastKernel(fill, look_up_all)

    float32, result_type = numpy_storage_dtype(FLOAT32), numpy_storage_dtype(target)

    def make(raw: Any) -> Any:
        few = raw.size <= FEW
        if source is FLOAT64:
            if few:
                return encoder_of_few(target, doubles=True)(raw)
            raw = without_fp_warnings(raw.astype, float32)
        elif source is not FLOAT32:
            raw = raw.astype(float32)
        if few:
            return encoder_of_few(target)(raw)
        return encode(raw, target).view(result_type)

    return CastKernel(fill, make)


_SMALL_TABLE = 256
"""The largest number of elements for which a table of single elements is faster than of pairs."""


def _write_float32(singles: Any, raw: Any, source: dtype) -> None:
    if source is BFLOAT16:
        words = singles.view(np.uint32)
        np.copyto(words, raw)
        np.left_shift(words, 16, out=words)
    elif source is FLOAT16:
        _widen_float16(singles, raw)
    else:
        np.copyto(singles, raw, casting="unsafe")


def _widen_float16(singles: Any, halves: Any) -> None:
    """Write float16 as float32: shifted bits, scaled to correct the exponent bias."""
    raw, words = halves.view(np.int16), singles.view(np.int32)
    np.copyto(words, raw)  # extends the sign
    np.left_shift(words, 13, out=words)
    np.bitwise_and(words, np.int32(-0x70002000), out=words)
    np.multiply(singles, 2.0**112, out=singles)
    exponents = np.bitwise_and(raw, 0x7C00)
    if np.maximum.reduce(exponents, axis=None, initial=0) == 0x7C00:
        is_special = exponents == 0x7C00
        special = words[is_special] | 0x7F800000
        # Processors quiet signaling NaNs.
        words[is_special] = np.where(special & 0x7FFFFF, special | 0x400000, special)


def _unsigned(dtype: dtype) -> Any:
    return np.dtype(f"u{dtype.itemsize}")


@cache
def _table(source: dtype, target: dtype) -> Any:
    """Return the cast of each bit pattern of an 8-bit or 16-bit dtype."""
    patterns = np.arange(2 ** (8 * source.itemsize), dtype=_unsigned(source))
    result = _reference_cast_quietly(patterns.view(numpy_storage_dtype(source)), source, target)
    fmt = spec_of(source).float_format
    is_integer = spec_of(target).kind in (Kind.UNSIGNED, Kind.SIGNED)
    if fmt and is_integer and fmt.specials in (Specials.FNUZ, Specials.NAN_ONLY):
        # The only NaN of these formats is a constant, and compilers convert it to the integer 0.
        result[np.isnan(decode(patterns, source))] = 0
    return result


_TABLE_LOCK = Lock()


@cache
def _pair_table(source: dtype, target: dtype) -> Any:
    """Return the casts of pairs of 1-byte elements, indexed by the pair as one integer."""
    single = _table(source, target)
    size = 2 * target.itemsize
    pairs = np.empty((256, 256, 2), single.dtype)
    low, high = (0, 1) if sys.byteorder == "little" else (1, 0)
    pairs[..., low], pairs[..., high] = single, single[:, None]
    return pairs.reshape(-1).view(np.complex128 if size == 16 else f"u{size}")


def _reference(source: dtype, target: dtype) -> CastKernel:
    # Torch warns of discarded imaginary parts; bool keeps them.
    discards = source.is_complex and not target.is_complex and target is not BOOL

    def fill(out: Any, raw: Any) -> None:
        out[...] = reference_cast(raw, source, target)

    def make(raw: Any) -> Any:
        if discards and raw.size:
            warn_complex_to_real()
        return _reference_cast_quietly(raw, source, target)

    return CastKernel(fill, make, discards)


def convert_part(raw: Any, source: dtype, target: dtype) -> Any:
    """Return a part of an array, cast; the caller warns once of discarded imaginary parts."""
    if cast_kernel_of(source, target).discards:
        return _reference_cast_quietly(raw, source, target)
    return convert(raw, source, target)


def _reference_cast_quietly(raw: Any, source: dtype, target: dtype) -> Any:
    return without_fp_warnings(lambda values: reference_cast(values, source, target), raw)


def reference_cast(raw: Any, source: dtype, target: dtype) -> Any:
    """Return a raw array, cast through its numbers."""
    if source is COMPLEX32:
        parts = np.asarray(raw, order="C")[..., None].view(np.float16)
        if target is FLOAT16:
            return parts[..., 0].copy()  # the bits
        raw = np.asarray(_quiet_nans(parts), order="C").view(np.uint32)[..., 0]
    values = to_numbers(_quiet_nans(raw) if source is FLOAT16 else raw, source)
    if target is BOOL:
        return values != 0
    if values.dtype.kind == "c" and not target.is_complex:
        values = values.real
    if target is COMPLEX32:
        parts = np.asarray(values.astype(np.complex64), order="C")[..., None].view(np.float32)
        return encode(parts, FLOAT16).view(np.uint32)[..., 0]
    if target is UINT8 and values.dtype.kind == "f":
        values = values.astype(np.int64)  # c10/util/TypeCast.h
    if _is_fast(target):
        return values.astype(numpy_storage_dtype(target))
    return encode(values.astype(np.float32), target).view(numpy_storage_dtype(target))


def _quiet_nans(halves: Any) -> Any:
    """Return float16 numbers with quiet NaNs, as processors convert signaling ones."""
    is_nan = np.isnan(halves)
    if not is_nan.any():
        return halves
    bits = np.array(halves).view(np.uint16)
    return np.where(is_nan, bits | 0x200, bits).view(np.float16)
