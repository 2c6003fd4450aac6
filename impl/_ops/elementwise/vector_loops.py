"""Where torch's vectorized loop computes, for kernels that round less there.

It follows `VectorizedLoop2d` in aten/src/ATen/native/cpu/Loops.h: an operand's innermost dimension
is contiguous, and one operand at most is the same number in it.  What is left of each row, and all
rows of other operands, is computed one element at a time.
"""

from collections.abc import Sequence
from typing import Any

from ..._arrays.numpy_bridge import np
from ..._arrays.parallel import coalesce_operands
from ..common.meta_reference import Layout

_ELEMENTS = 32
"""The elements of 16 bits that the loop takes at once: two vectors of AVX2."""


def vector_positions(out: Layout, inputs: Sequence[Layout]) -> Any:
    """Return a bool array that broadcasts to ``out``: whether an element is in a full vector."""
    sizes, steps = coalesce_operands([out, *inputs])
    row, steps_in_row = sizes[-1], [operand[-1] for operand in steps]
    is_vectorized = (
        steps_in_row[0] == 1 and {0, 1}.issuperset(steps_in_row) and steps_in_row.count(0) <= 1
    )
    full = row - row % _ELEMENTS if is_vectorized else 0
    if full in (0, row):
        return np.array(full == row)
    shape, stride = out
    order = sorted(range(len(shape)), key=lambda dim: -stride[dim])
    rows = np.broadcast_to(np.arange(row) < full, (*sizes[:-1], row))
    return rows.reshape([shape[dim] for dim in order]).transpose(np.argsort(order))
