"""Conversion of values between dtypes."""

from typing import Any

from .arrays import carrier, is_native, np
from .codecs import decode, encode
from .dtypes import DTYPES, Kind, dtype, row_of
from .errors import check
from .warn import warn_once

_BOOL, _COMPLEX32, _HALF = DTYPES["bool"], DTYPES["complex32"], DTYPES["float16"]
_FLOAT, _BYTE = DTYPES["float32"], DTYPES["uint8"]
_UNCOPIED = (DTYPES["quint4x2"], DTYPES["quint2x4"])


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


def convert(codes: Any, source: dtype, target: dtype, out: Any = None) -> Any:
    """Convert an array of codes of one dtype to those of another, as torch's copy kernels do.

    ``out`` is where the codes will be written, if it is there already.
    What is narrower than float32 is reached through float32, so float64 to
    float16 rounds twice (c10/util/TypeCast.h).
    """
    if is_opaque(source) or is_opaque(target):
        check_copy(source, target, codes, codes if out is None else out)
        return codes if source is target else np.empty(codes.shape, carrier(target))
    if source is target:
        # A byte of a bool is read as 1 if it is not 0 (c10/util/Load.h).
        return codes != 0 if source is _BOOL else codes
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
        if target is _BYTE and values.dtype.kind == "f":
            values = values.astype(np.int64)  # c10/util/TypeCast.h
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


def check_copy(source: dtype, target: dtype, codes: Any, out: Any) -> None:
    """Refuse to convert from or to an opaque dtype, as torch's kernels do; bits can be copied."""
    if not codes.size:
        return
    if source is target:
        below_a_byte = row_of(source).kind in (Kind.UNSIGNED, Kind.SIGNED) or source in _UNCOPIED
        check(not below_a_byte, lambda: _refusal("copy_kernel", source), NotImplementedError)
        return
    for each, other in ((target, source), (source, target)):
        if is_opaque(each):
            packed = row_of(each).kind is Kind.FLOAT and other is _FLOAT
            kernel = "copy_kernel" if packed and _runs_along(codes, out) else "copy_"
            raise NotImplementedError(_refusal(kernel, each))


def _runs_along(codes: Any, out: Any) -> bool:
    """Tell whether elements that follow one another go to such (reduced_float_copy in CopyKernel.cpp)."""
    if not out.ndim:
        return False
    source = np.broadcast_to(codes, out.shape)
    dims = [dim for dim, size in enumerate(out.shape) if size > 1]
    if not dims:
        return True
    inner = min(reversed(dims), key=lambda dim: abs(out.strides[dim]))
    return source.strides[inner] in (0, source.itemsize) and out.strides[inner] in (
        source.strides[inner],
        out.itemsize,
    )


def _refusal(kernel: str, value: dtype) -> str:
    return f"\"{kernel}\" not implemented for '{row_of(value).cpp_name}'"


_DISCARDS = (
    "Casting complex values to real discards the imaginary part (Triggered internally at"
    " /__w/pytorch/pytorch/aten/src/ATen/native/Copy.cpp:307.)"
)


def _encode_complex32(values: Any) -> Any:
    parts = np.asarray(values.astype(np.complex64), order="C")[..., None].view(np.float32)
    return parts.astype(np.float16).view(np.uint32)[..., 0]
