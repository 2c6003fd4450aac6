"""Opaque dtypes, for which torch has no kernels, and its errors for copying them."""

from typing import Any

from .._dtypes.constants import FLOAT32, QUINT2X4, QUINT4X2
from .._dtypes.table import ALL_DTYPES, Kind, dtype, spec_of
from .._runtime.errors import check
from .._runtime.warnings import triggered_at, warn_once
from .numpy_bridge import np

_NOT_COPIED = (QUINT4X2, QUINT2X4)


def _is_opaque(dtype: dtype) -> bool:
    spec = spec_of(dtype)
    return (
        spec.kind in (Kind.BITS, Kind.QUANTIZED)
        or (spec.kind in (Kind.UNSIGNED, Kind.SIGNED) and spec.bits < 8)
        or (spec.float_format is not None and spec.float_format.packed > 1)
    )


_OPAQUE = frozenset(filter(_is_opaque, ALL_DTYPES))


def is_opaque(dtype: dtype) -> bool:
    """Return whether a dtype is opaque: bits, quantized, sub-byte integer or packed float."""
    return dtype in _OPAQUE


def has_raw_copy(dtype: dtype) -> bool:
    """Return whether torch copies the opaque elements of a dtype: bits and packed floats."""
    spec = spec_of(dtype)
    return spec.kind is Kind.BITS or (
        spec.float_format is not None and spec.float_format.packed > 1
    )


def check_copy(source: dtype, target: dtype, raw: Any, out: Any) -> None:
    """Raise NotImplementedError if torch has no copy kernel; same bits dtypes can be copied."""
    if not raw.size:
        return
    if source.is_complex:
        warn_complex_to_real()
    if source is target:
        sub_byte = spec_of(source).kind in (Kind.UNSIGNED, Kind.SIGNED) or source in _NOT_COPIED
        check(not sub_byte, lambda: _not_implemented("copy_kernel", source), NotImplementedError)
        return
    for opaque, other in ((target, source), (source, target)):
        if is_opaque(opaque):
            packed = spec_of(opaque).kind is Kind.FLOAT and other is FLOAT32
            kernel = "copy_kernel" if packed and _is_inner_contiguous(raw, out) else "copy_"
            raise NotImplementedError(_not_implemented(kernel, opaque))


def _is_inner_contiguous(raw: Any, out: Any) -> bool:
    """Return whether the inner dimension is contiguous (reduced_float_copy in CopyKernel.cpp)."""
    if not out.ndim:
        return False
    source = np.broadcast_to(raw, out.shape)
    dims = [dim for dim, size in enumerate(out.shape) if size > 1]
    if not dims:
        return True
    inner = min(reversed(dims), key=lambda dim: abs(out.strides[dim]))
    steps = out.strides[inner], source.strides[inner]
    return steps == (0, 0) or (steps[0] == out.itemsize and steps[1] in (0, source.itemsize))


def _not_implemented(kernel: str, dtype: dtype) -> str:
    return f"\"{kernel}\" not implemented for '{spec_of(dtype).cpp_name}'"


def warn_complex_to_real() -> None:
    """Issue torch's warning about discarded imaginary parts once in a process."""
    message = "Casting complex values to real discards the imaginary part"
    warn_once(triggered_at(message, "aten/src/ATen/native/Copy.cpp:307"))
