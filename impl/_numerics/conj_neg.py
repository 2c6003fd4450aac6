"""The conjugate and the negative bit: what a view of a tensor means by the memory it shows.

A tensor with such a bit keeps the elements of its memory conjugated or negated
(c10/core/TensorImpl.h).  Both bits undo themselves, so the same function reads and writes.
"""

from typing import Any

from .._arrays.numpy_bridge import is_native, np
from .._dtypes.constants import BFLOAT16
from .._dtypes.table import dtype, spec_of
from .._runtime.errors import check

CONJUGATE, NEGATIVE = 1, 2
"""The bits of ``Tensor._conj_neg``; 0 is a tensor like any other."""


def applied(raw: Any, dtype: dtype, bits: int) -> Any:
    """Return a new array of codes, conjugated and negated as the bits say.

    The conjugate bit is for complex dtypes alone; what cannot be negated raises.
    """
    if bits & NEGATIVE and not raw.size:
        return raw
    check_applied(dtype, bits)
    if not is_native(dtype):
        found = np.asarray(raw ^ raw.dtype.type(_signs(dtype, bits)))
        if dtype is BFLOAT16 and bits & NEGATIVE:
            # It is rounded again, by which a NaN loses its sign (c10/util/BFloat16.h).
            found[(found & 0x7FFF) > 0x7F80] = 0x7FC0
        return found
    if bits & CONJUGATE:
        raw = np.conjugate(raw)
    return np.asarray(np.negative(raw) if bits & NEGATIVE else raw)


def check_applied(dtype: dtype, bits: int) -> None:
    """Refuse what cannot be negated, if a bit says that it is."""
    if bits & NEGATIVE:
        _check_negated(dtype, "neg_conj_cpu" if bits & CONJUGATE else "neg_cpu")


def _check_negated(dtype: dtype, kernel: str) -> None:
    """Refuse what torch's kernels do not negate (aten/src/ATen/native/cpu/UnaryOpsKernel.cpp)."""
    row = spec_of(dtype)
    check(
        row.name in _NEGATED and not (row.name == "complex32" and kernel == "neg_conj_cpu"),
        lambda: f"\"{kernel}\" not implemented for '{row.cpp_name}'",
        NotImplementedError,
    )


_NEGATED = (
    "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64",
    "complex32", "complex64", "complex128",
)  # fmt: skip


def _signs(dtype: dtype, bits: int) -> int:
    """Return the bits of a code that change: its sign, or the two of a complex number."""
    highest: int = 1 << (8 * dtype.itemsize - 1)
    if not dtype.is_complex:
        return highest
    real = highest >> 4 * dtype.itemsize if bits & NEGATIVE else 0
    return real | (highest if bits in (CONJUGATE, NEGATIVE) else 0)
