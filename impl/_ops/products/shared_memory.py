"""Products whose result shares memory with an operand, or is one that was resized.

Torch's loops read what they wrote before (gemm_core_ in native/cpu/BlasKernel.cpp and
baddbmm_cpu_kernel in native/LinearAlgebra.cpp). BLAS is taken to read all operands first.
"""

from collections.abc import Callable
from typing import Any

from ..._arrays.numpy_bridge import np
from ..._geometry import view_checks
from ..._geometry.extents import Ints
from ..._tensor.data_access import raw_array
from ..._tensor.tensor import Tensor
from ..._tensor.views import plain_view
from ..reduction.reduce import refuse_resized


def has_storage_of(result: Tensor, left: Tensor, right: Tensor) -> bool:
    """Return whether a result has the storage of an operand."""
    storage = result._storage
    return storage is left._storage or storage is right._storage


def shares_memory(result: Tensor, *operands: Tensor) -> bool:
    """Return whether a result shares memory with an operand."""
    return any(
        x._storage is result._storage and np.may_share_memory(raw_array(x), raw_array(result))
        for x in operands
    )


def read_as(operand: Tensor, shape: Ints, is_read: Callable[[Ints, Ints], bool]) -> Tensor:
    """Return a view of what torch reads of a resized operand, with the sizes that it takes.

    ``is_read`` is whether torch reads a matrix of sizes and strides as it is, not a copy. Raise if
    what it reads ends beyond the memory, or beyond the copy.
    """
    own, stride = operand._geometry.shape, operand._geometry.stride
    if own == shape:
        return operand
    if any(size > limit for size, limit in zip(shape, own, strict=True)):
        itemsize = operand._dtype.itemsize
        end = view_checks.bytes_needed(shape, stride, operand._offset, itemsize)
        refuse_resized(end > operand._storage._size or not is_read(shape[-2:], stride[-2:]))
    return plain_view(operand, shape, stride)


def sum_in_turn(
    memory: Any, left: Any, right: Any, compute: Callable[..., Any], *, adds: bool
) -> None:
    """Write the sum for each element, in order, of a matrix that may be that of an operand."""
    for i, j in np.ndindex(memory.shape):
        place = slice(i, i + 1), slice(j, j + 1)
        added = (memory[place],) * adds
        memory[place] = compute(*added, left[place[0]], right[:, place[1]])


def add_columns(memory: Any, matrix: Any, vector: Any, beta: Any, alpha: Any) -> None:
    """Add the columns of a matrix times the elements of a vector to another vector."""
    if beta not in (0, 1):
        memory[...] = memory * beta
    for term in range(matrix.shape[1]):
        value = alpha * vector[term]
        for i in range(memory.shape[0]):
            if not term and beta == 0:
                memory[i] = 0
            memory[i] += value * matrix[i, term]


def add_terms(memory: Any, left: Any, right: Any, beta: Any, alpha: Any) -> None:
    """Add the products of columns and rows, one after another, to a scaled matrix."""
    memory[...] = memory * beta if beta != 0 else 0
    for term in range(left.shape[1]):
        for j in range(memory.shape[1]):
            value = right[term, j] * alpha
            for i in range(memory.shape[0]):
                memory[i, j] += left[i, term] * value
