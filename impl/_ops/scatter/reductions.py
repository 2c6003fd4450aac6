"""The ways in which scatter and index_reduce combine an element with those at the same place.

The functors are in ATen/native/cpu/ScatterGatherKernel.cpp.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._arrays.parallel import without_fp_warnings
from ..._dtypes.table import dtype
from ..._kernels.elementwise import multiply_complex
from ..._kernels.unary import multiply_complex_fma
from ..elementwise.plan import BOOLS, COMPLEX, NUMBERS
from ..indexing.advanced import iter_rounds

Update = Callable[[Any, Any, Any], None]
"""A function that combines values, or one value, with elements at positions in memory, in order.

The memory has one dimension, and so have the positions and several values.
"""


class Reduction(NamedTuple):
    """A way to combine elements.

    kernel: the name of the kernel in errors
    dtypes: the dtypes that this supports
    update: combines elements one after the other
    update_rows: combines rows as torch's vectors do
    initial: returns the number to begin with in a dtype
    """

    kernel: str
    dtypes: frozenset[dtype]
    update: Update
    update_rows: Update
    initial: Callable[[dtype], Any]


def _assign(memory: Any, positions: Any, values: Any) -> None:
    memory[positions] = values


def _add(memory: Any, positions: Any, values: Any) -> None:
    without_fp_warnings(np.add.at, memory, positions, values)


def _multiply(memory: Any, positions: Any, values: Any) -> None:
    without_fp_warnings(_multiplied, memory, positions, values)


def _multiplied(memory: Any, positions: Any, values: Any) -> None:
    if memory.dtype.kind != "c":
        np.multiply.at(memory, positions, values)
        return
    # Compilers fuse a product and a sum of complex128.
    multiply = multiply_complex if memory.itemsize == 8 else multiply_complex_fma
    values = np.broadcast_to(values, positions.shape)
    for selected in iter_rounds(positions):
        places = positions[selected]
        memory[places] = multiply(memory[places], values[selected])


def _extreme(name: str, memory: Any, positions: Any, values: Any) -> None:
    """Keep the extreme; of equal zeros the first one, of NaNs the last (std::max after isnan)."""
    extreme = getattr(np, name)
    if memory.dtype.kind != "f":
        extreme.at(memory, positions, values)
        return
    before = memory[positions] if (values == 0).any() else None
    without_fp_warnings(extreme.at, memory, positions, values)
    values = np.broadcast_to(values, positions.shape)
    if before is not None and (is_zero := memory[positions] == 0).any():
        chosen = (is_zero & (values == 0)).nonzero()[0][::-1]
        memory[positions[chosen]] = values[chosen]
        kept = is_zero & (before == 0)
        memory[positions[kept]] = before[kept]
    is_nan = np.isnan(values)
    if is_nan.any():
        memory[positions[is_nan]] = values[is_nan]


def _extreme_of_rows(name: str, memory: Any, positions: Any, values: Any) -> None:
    """Keep the extreme; of equal zeros the last one, and all bits for NaN (vec::maximum)."""
    without_fp_warnings(getattr(np, name).at, memory, positions, values)
    if memory.dtype.kind != "f":
        return
    after = memory[positions]
    is_zero = (after == 0) & (values == 0)
    if is_zero.any():
        memory[positions[is_zero]] = values[is_zero]
    is_nan = np.isnan(after)
    if is_nan.any():
        memory[positions[is_nan]] = all_bits(memory.dtype)


def all_bits(numpy_dtype: Any) -> Any:
    """Return the NaN of which each bit is set."""
    return np.frombuffer(b"\xff" * numpy_dtype.itemsize, numpy_dtype)[0]


def _bound(sign: int, dtype: dtype) -> Any:
    """Return the number that each other one exceeds, for a sign of -1, or is below."""
    if dtype.is_floating_point or dtype.is_complex:
        return sign * np.inf
    if dtype in BOOLS:
        return sign > 0
    limits = np.iinfo(numpy_storage_dtype(dtype))
    return limits.max if sign > 0 else limits.min


def _zero(dtype: dtype) -> Any:
    return dtype not in BOOLS and 0


def _one(dtype: dtype) -> Any:
    return dtype in BOOLS or 1


_ALL = BOOLS | NUMBERS | COMPLEX
_TENSOR = "scatter_gather_tensor_cpu"

ASSIGN = Reduction(_TENSOR, _ALL, _assign, _assign, _zero)
SUM = Reduction(_TENSOR, _ALL, _add, _add, _zero)
PROD = Reduction(_TENSOR, _ALL, _multiply, _multiply, _one)
MEAN = Reduction(f"{_TENSOR}_reduce_mean", NUMBERS | COMPLEX, _add, _add, _zero)
AMAX, AMIN = (
    Reduction(
        f"{_TENSOR}_reduce_{name}",
        BOOLS | NUMBERS,
        partial(_extreme, extreme),
        partial(_extreme_of_rows, extreme),
        partial(_bound, sign),
    )
    for name, extreme, sign in (("amax", "maximum", -1), ("amin", "minimum", 1))
)

REDUCTIONS: Mapping[str, Reduction] = {
    "sum": SUM, "prod": PROD, "mean": MEAN, "amax": AMAX, "amin": AMIN,
}  # fmt: skip
"""The values of ``reduce`` in scatter_reduce."""

OLD_REDUCTIONS: Mapping[str, Reduction] = {"add": SUM, "multiply": PROD}
"""The values of ``reduce`` in scatter."""
