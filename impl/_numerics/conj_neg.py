"""The conj and neg bits of a tensor (c10/core/TensorImpl.h).

A tensor with a bit has the conjugated or negated elements of its storage.  Both operations are
their own inverses, so the same function reads and writes.
"""

from typing import Any

from .._arrays.numpy_bridge import is_native, np
from .._dtypes.constants import BFLOAT16, COMPLEX32, COMPLEX64, COMPLEX128
from .._dtypes.table import dtype
from .rounding import COMMON_DTYPES, raise_not_implemented

CONJUGATE, NEGATIVE = 1, 2
"""The bits of ``Tensor._conj_neg``; 0 means neither bit."""


def resolve_raw(raw: Any, dtype: dtype, bits: int) -> Any:
    """Return a new raw array, conjugated and negated according to ``bits``.

    The conj bit requires a complex dtype.  Raise if torch cannot negate the dtype.
    """
    if bits & NEGATIVE and not raw.size:
        return raw
    check_negatable(dtype, bits)
    if not is_native(dtype):
        result = np.asarray(raw ^ raw.dtype.type(_sign_mask(dtype, bits)))
        if dtype is BFLOAT16 and bits & NEGATIVE:
            # Rounding to bfloat16 clears the sign of a NaN (c10/util/BFloat16.h).
            result[(result & 0x7FFF) > 0x7F80] = 0x7FC0
        return result
    if bits & CONJUGATE:
        raw = np.conjugate(raw)
    return np.asarray(np.negative(raw) if bits & NEGATIVE else raw)


def check_negatable(dtype: dtype, bits: int) -> None:
    """Raise if ``bits`` has the neg bit and torch cannot negate the dtype (UnaryOpsKernel.cpp)."""
    if not bits & NEGATIVE:
        return
    conjugates = bits & CONJUGATE
    if dtype not in _NEGATABLE or (conjugates and dtype is COMPLEX32):
        raise_not_implemented("neg_conj_cpu" if conjugates else "neg_cpu", dtype)


_NEGATABLE = frozenset((*COMMON_DTYPES, COMPLEX32, COMPLEX64, COMPLEX128))


def _sign_mask(dtype: dtype, bits: int) -> int:
    """Return the mask of the sign bits that change in an element."""
    highest: int = 1 << (8 * dtype.itemsize - 1)
    if not dtype.is_complex:
        return highest
    real = highest >> 4 * dtype.itemsize if bits & NEGATIVE else 0
    return real | (highest if bits in (CONJUGATE, NEGATIVE) else 0)
