"""Conversion of values between dtypes."""

from typing import Any

from .arrays import carrier, is_native, np
from .codecs import decode, encode
from .dtypes import DTYPES, Kind, dtype, row_of
from .errors import check
from .warn import warn_once

_BOOL, _COMPLEX32, _HALF = DTYPES["bool"], DTYPES["complex32"], DTYPES["float16"]
_FLOAT = DTYPES["float32"]


def numbers(codes: Any, source: dtype) -> Any:
    """Return the numbers that an array of codes stands for, in a dtype that NumPy computes with."""
    if is_native(source):
        return codes
    if source is _COMPLEX32:
        parts = np.asarray(codes, order="C")[..., None].view(np.float16).astype(np.float32)
        return parts.view(np.complex64)[..., 0]
    if row_of(source).kind is Kind.FLOAT:
        return decode(codes, source)
    return codes


def convert(codes: Any, source: dtype, target: dtype) -> Any:
    """Convert an array of codes of one dtype to those of another, as torch's copy kernels do.

    What is narrower than float32 is reached through float32, so float64 to
    float16 rounds twice (c10/util/TypeCast.h).
    """
    if is_opaque(source) or is_opaque(target):
        check_copy(source, target, codes)
        return codes if source is target else np.empty(codes.shape, carrier(target))
    if source is target:
        return codes
    if source is _HALF:
        codes = _quiet(codes)
    values = numbers(codes, source)
    with np.errstate(all="ignore"):
        if target is _BOOL:
            return values != 0
        if values.dtype.kind == "c" and not target.is_complex:
            if values.size:
                warn_once(_DISCARDS)
            values = values.real
        if target is _COMPLEX32:
            return _encode_complex32(values)
        if is_native(target) and target is not _HALF:
            return values.astype(carrier(target))
        single = values.astype(np.float32)
        return single.astype(np.float16) if target is _HALF else encode(single, target)


def _quiet(halves: Any) -> Any:
    """Make signalling NaNs quiet, as the processor does where torch converts halves."""
    signalling = np.isnan(halves)
    if not signalling.any():
        return halves
    bits = np.array(halves).view(np.uint16)
    return np.where(signalling, bits | 0x200, bits).view(np.float16)


def is_opaque(value: dtype) -> bool:
    """Tell the dtypes whose elements no kernel knows: bits, integers below a byte, packed floats."""
    row = row_of(value)
    return (
        row.kind in (Kind.BITS, Kind.QUANTIZED)
        or (row.kind in (Kind.UNSIGNED, Kind.SIGNED) and row.bits < 8)
        or (row.float_format is not None and row.float_format.packed > 1)
    )


def check_copy(source: dtype, target: dtype, codes: Any) -> None:
    """Refuse to convert from or to an opaque dtype, as torch's kernels do; bits can be copied."""
    if not codes.size:
        return
    if source.is_complex:
        warn_once(_DISCARDS)
    if source is target:
        below_a_byte = row_of(source).kind in (Kind.UNSIGNED, Kind.SIGNED)
        check(not below_a_byte, lambda: _refusal("copy_kernel", source), NotImplementedError)
        return
    for each, other in ((target, source), (source, target)):
        if is_opaque(each):
            packed = row_of(each).kind is Kind.FLOAT and other is _FLOAT
            raise NotImplementedError(_refusal("copy_kernel" if packed else "copy_", each))


def _refusal(kernel: str, value: dtype) -> str:
    return f"\"{kernel}\" not implemented for '{row_of(value).cpp_name}'"


_DISCARDS = (
    "Casting complex values to real discards the imaginary part (Triggered internally at"
    " /__w/pytorch/pytorch/aten/src/ATen/native/Copy.cpp:307.)"
)


def _encode_complex32(values: Any) -> Any:
    parts = np.asarray(values.astype(np.complex64), order="C")[..., None].view(np.float32)
    return parts.astype(np.float16).view(np.uint32)[..., 0]
