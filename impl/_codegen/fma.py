"""The compiled kernels of fused multiply-adds; `_numerics.fma` imports them lazily."""

from typing import Any

from .._arrays.numpy_bridge import np
from .._dtypes.constants import FLOAT32, FLOAT64
from .._dtypes.table import dtype
from .loops import Kernel
from .scalar_ir import IRBuilder, OpmathType, opmath_type


def fma_large(left: Any, right: Any, added: Any) -> Any:
    """Return ``left * right + added``, rounded once; None if NumPy computes it."""
    kernel = _KERNELS[left.dtype.char]
    if left.shape == right.shape == added.shape:
        like = left
    elif max(left.ndim, right.ndim, added.ndim) > _MAX_DIMS:
        return None
    else:
        shape = np.broadcast(left, right, added).shape
        like = next((x for x in (left, right, added) if x.shape == shape), None)
        like = np.broadcast_to(left, shape) if like is None else like
    if not like.ndim or not like.size or not kernel.is_wanted(_STEPS * like.size):
        return None
    out = np.empty_like(like, subok=False)
    kernel.over_cores(out, left, right, added)
    return out


_MAX_DIMS = 32
"""The most dimensions that NumPy broadcasts without a universal function."""

_STEPS = 16
"""The least number of NumPy's functions that compute a fused multiply-add."""


def emit_fma(code: IRBuilder, ty: OpmathType, left: str, right: str, added: str) -> str:
    """Emit ``left * right + added``; a NaN is that of the first operand of product and sum."""
    operands = ", ".join(f"{ty.type} {number}" for number in (left, right, added))
    width = "f64" if ty.type == "double" else "f32"
    result = code.add(f"call {ty.type} @llvm.fma.{width}({operands})")
    product = code.add(f"fmul {ty.type} {left}, {right}")
    for number in (added, product, right, left):
        is_nan = code.add(f"fcmp uno {ty.type} {number}, {number}")
        quiet = code.add(f"fadd {ty.type} {number}, 0.0")
        result = code.select(is_nan, ty.type, quiet, result)
    return result


def _kernel(dtype: dtype) -> Kernel:
    ty = opmath_type(dtype)
    return Kernel(dtype, [dtype] * 3, lambda code, *numbers: emit_fma(code, ty, *numbers))


_KERNELS = {"f": _kernel(FLOAT32), "d": _kernel(FLOAT64)}
