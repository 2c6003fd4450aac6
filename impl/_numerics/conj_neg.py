"""The conjugate and the negative bit: what a view of a tensor means by the memory it shows.

A tensor with such a bit keeps the elements of its memory conjugated or negated
(c10/core/TensorImpl.h).  Both bits undo themselves, so the same function reads and writes.
"""

from typing import Any

from .._arrays.numpy_bridge import is_native, np
from .._dtypes.constants import BFLOAT16
from .._dtypes.table import dtype, row_of
from .._runtime.errors import check

CONJUGATE, NEGATIVE = 1, 2
"""The bits of ``Tensor._lazy``; 0 is a tensor like any other."""


def applied(codes: Any, kind: dtype, bits: int) -> Any:
    """Return a new array of codes, conjugated and negated as the bits say.

    The conjugate bit is for complex dtypes alone; what cannot be negated raises.
    """
    if bits & NEGATIVE and not codes.size:
        return codes
    check_applied(kind, bits)
    if not is_native(kind):
        found = np.asarray(codes ^ codes.dtype.type(_signs(kind, bits)))
        if kind is BFLOAT16 and bits & NEGATIVE:
            # It is rounded again, by which a NaN loses its sign (c10/util/BFloat16.h).
            found[(found & 0x7FFF) > 0x7F80] = 0x7FC0
        return found
    if bits & CONJUGATE:
        codes = np.conjugate(codes)
    return np.asarray(np.negative(codes) if bits & NEGATIVE else codes)


def check_applied(kind: dtype, bits: int) -> None:
    """Refuse what cannot be negated, if a bit says that it is."""
    if bits & NEGATIVE:
        _check_negated(kind, "neg_conj_cpu" if bits & CONJUGATE else "neg_cpu")


def _check_negated(kind: dtype, kernel: str) -> None:
    """Refuse what torch's kernels do not negate (aten/src/ATen/native/cpu/UnaryOpsKernel.cpp)."""
    row = row_of(kind)
    check(
        row.name in _NEGATED and not (row.name == "complex32" and kernel == "neg_conj_cpu"),
        lambda: f"\"{kernel}\" not implemented for '{row.cpp_name}'",
        NotImplementedError,
    )


_NEGATED = (
    "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64",
    "complex32", "complex64", "complex128",
)  # fmt: skip


def _signs(kind: dtype, bits: int) -> int:
    """Return the bits of a code that change: its sign, or the two of a complex number."""
    highest: int = 1 << (8 * kind.itemsize - 1)
    if not kind.is_complex:
        return highest
    real = highest >> 4 * kind.itemsize if bits & NEGATIVE else 0
    return real | (highest if bits in (CONJUGATE, NEGATIVE) else 0)
