"""The dtypes whose elements no kernel knows, and what torch says where they should be copied."""

from typing import Any

from .._dtypes.constants import FLOAT32, QUINT2X4, QUINT4X2
from .._dtypes.table import Kind, dtype, spec_of
from .._runtime.errors import check
from .._runtime.warnings import warn_once
from .numpy_bridge import np

_UNCOPIED = (QUINT4X2, QUINT2X4)


def is_opaque(dtype: dtype) -> bool:
    """Tell the dtypes whose elements no kernel knows: bits, integers below a byte, packed floats."""
    row = spec_of(dtype)
    return (
        row.kind in (Kind.BITS, Kind.QUANTIZED)
        or (row.kind in (Kind.UNSIGNED, Kind.SIGNED) and row.bits < 8)
        or (row.float_format is not None and row.float_format.packed > 1)
    )


def check_copy(source: dtype, target: dtype, raw: Any, out: Any) -> None:
    """Refuse to convert from or to an opaque dtype, as torch's kernels do; bits can be copied."""
    if not raw.size:
        return
    if source.is_complex:
        warn_of_discarding()
    if source is target:
        below_a_byte = spec_of(source).kind in (Kind.UNSIGNED, Kind.SIGNED) or source in _UNCOPIED
        check(not below_a_byte, lambda: _refusal("copy_kernel", source), NotImplementedError)
        return
    for each, other in ((target, source), (source, target)):
        if is_opaque(each):
            packed = spec_of(each).kind is Kind.FLOAT and other is FLOAT32
            kernel = "copy_kernel" if packed and _runs_along(raw, out) else "copy_"
            raise NotImplementedError(_refusal(kernel, each))


def _runs_along(raw: Any, out: Any) -> bool:
    """Tell whether elements that follow one another go to such (reduced_float_copy in CopyKernel.cpp)."""
    if not out.ndim:
        return False
    source = np.broadcast_to(raw, out.shape)
    dims = [dim for dim, size in enumerate(out.shape) if size > 1]
    if not dims:
        return True
    inner = min(reversed(dims), key=lambda dim: abs(out.strides[dim]))
    return source.strides[inner] in (0, source.itemsize) and out.strides[inner] in (
        source.strides[inner],
        out.itemsize,
    )


def _refusal(kernel: str, dtype: dtype) -> str:
    return f"\"{kernel}\" not implemented for '{spec_of(dtype).cpp_name}'"


def warn_of_discarding() -> None:
    """Warn, once in a process, that imaginary parts are lost."""
    warn_once(_DISCARDS)


_DISCARDS = (
    "Casting complex values to real discards the imaginary part (Triggered internally at"
    " /__w/pytorch/pytorch/aten/src/ATen/native/Copy.cpp:307.)"
)
