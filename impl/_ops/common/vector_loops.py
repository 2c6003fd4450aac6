"""Where torch's vectorized loop computes, for kernels that round less there.

It follows `VectorizedLoop2d` in aten/src/ATen/native/cpu/Loops.h: an operand's innermost dimension
is contiguous, and one operand at most is the same number in it.  What is left of each row, and all
rows of other operands, is computed one element at a time.
"""

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

from ..._arrays.cpu_capability import vector_bytes
from ..._arrays.numpy_bridge import np
from ..._arrays.parallel import coalesce_operands, without_fp_warnings
from ..._geometry.extents import Layout
from ..._geometry.strides import memory_order

_ELEMENTS = 32
"""The elements of 16 bits that the loop takes at once: two vectors of AVX2."""


def vector_positions(out: Layout, inputs: Sequence[Layout]) -> Any:
    """Return a bool array that broadcasts to ``out``: whether an element is in a full vector."""
    sizes, steps = coalesce_operands([out, *inputs])
    row, steps_in_row = sizes[-1], [operand[-1] for operand in steps]
    full = _vectorized(row, steps_in_row, _ELEMENTS)
    if full in (0, row):
        return np.array(full == row)
    shape, stride = out
    order = sorted(range(len(shape)), key=lambda dim: -stride[dim])
    rows = np.broadcast_to(np.arange(row) < full, (*sizes[:-1], row))
    return rows.reshape([shape[dim] for dim in order]).transpose(np.argsort(order))


def _vectorized(row: int, steps_in_row: list[int], vector: int) -> int:
    """Return how many elements of a row the vectorized loop takes, so many at once."""
    is_vectorized = (
        steps_in_row[0] == 1 and {0, 1}.issuperset(steps_in_row) and steps_in_row.count(0) <= 1
    )
    return row - row % vector if is_vectorized else 0


class Loop(Enum):
    """How many elements a kernel reads before it writes their results."""

    VECTORS = "two vectors, and the rest of a row one by one (cpu_kernel_vec)"
    WIDE_VECTORS = "two of the widest vectors, and the rest of a row one by one"
    ELEMENTS = "one (cpu_kernel)"
    ROWS = "a vector, or of a row with gaps as many as a buffer has (IMPLEMENT_ITERATOR_LAMBDA)"


_OF_WIDE_VECTORS = frozenset({"atan2_cpu", "hypot_cpu", "logaddexp_cpu", "logaddexp2_cpu", "pow"})
"""The kernels that are also compiled for AVX512 (ALSO_REGISTER_AVX512_DISPATCH)."""

_OF_ELEMENTS = {
    True: frozenset({"gcd_cpu", "lcm_cpu", "pow"}),
    False: frozenset({"fmax_cpu", "fmin_cpu", "xlogy_cpu"}),
}
"""The kernels without vectors, of integers and of other dtypes."""


def loop_of(kernel: str, *, is_integral: bool) -> Loop:
    """Return the loop of a kernel of torch."""
    if kernel in _OF_ELEMENTS[is_integral]:
        return Loop.ELEMENTS
    if kernel in _OF_WIDE_VECTORS:
        return Loop.WIDE_VECTORS
    return Loop.ROWS if "_vml_" in kernel and not is_integral else Loop.VECTORS


def write_in_turn(
    function: Callable[..., Any], out: Any, arrays: Sequence[Any], loop: Loop = Loop.VECTORS
) -> None:
    """Write the result for operands that share memory with it, and are read after a write."""
    operands = [out, *[np.broadcast_to(array, out.shape) for array in arrays]]
    order = memory_order(out.shape, [array.strides for array in operands])[::-1]
    out, *arrays = operands = [array.transpose(order) for array in operands]
    layouts = [(x.shape, [step // x.itemsize for step in x.strides]) for x in operands]
    sizes, steps = coalesce_operands(layouts)
    row, vector = sizes[-1], _BYTES // out.itemsize
    steps_in_row = [operand[-1] for operand in steps]
    full = 0
    if loop is Loop.WIDE_VECTORS:
        vector = 2 * vector_bytes() // out.itemsize
    if loop in (Loop.VECTORS, Loop.WIDE_VECTORS):
        full = _vectorized(row, steps_in_row, vector)
    elif loop is Loop.ROWS:
        full = row
        vector = vector if steps_in_row == [1, 1] else _BUFFER // out.itemsize
    places = np.unravel_index(np.arange(out.size), out.shape)
    for start in range(0, out.size, row):
        ends = [*range(vector, full, vector), full, *range(full + 1, row + 1)]
        for first, end in zip([0, *ends], ends, strict=False):
            chunk = tuple([axis[start + first : start + end] for axis in places])
            out[chunk] = without_fp_warnings(function, *[array[chunk] for array in arrays])


_BUFFER = 8192
"""The size of the buffer of kernels that compute whole rows."""

_BYTES = 64
"""The size of two vectors of AVX2."""
