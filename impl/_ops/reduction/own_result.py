"""Reductions of a tensor that becomes its own result before it is read.

Torch resizes ``out``, which may be the tensor. Then it gives the result a dimension of size 1 for
each one that is reduced, and broadcasts it and the tensor to one shape (make_reduction in
aten/src/ATen/native/ReduceOpsUtils.h).
"""

from collections.abc import Callable
from typing import Any

from ..._arrays.numpy_bridge import np
from ..._geometry import broadcasting
from ..._kernels.reduction import in_memory_order
from ..._tensor.data_access import raw_array
from ..._tensor.tensor import Tensor


def own_lines(out: Tensor, axes: tuple[int, ...], keepdim: bool) -> tuple[Any, Any]:
    """Return views of the memory of a resized result: the lines that are reduced, and the results.

    The first axes of the lines are those of the results. ``axes`` are the dimensions that were
    reduced when torch resized ``out``.
    """
    memory = raw_array(out)
    result = memory if keepdim else np.expand_dims(memory, axes)
    shape = broadcasting.broadcast_pair(result.shape, memory.shape)
    source = np.broadcast_to(memory, shape)
    reduced = tuple(axis for axis, size in enumerate(shape) if size != result.shape[axis])
    order = in_memory_order(source.strides, reduced)
    return np.moveaxis(source, order, range(-len(order), 0)), result.squeeze(reduced)


def reduce_lines(lines: Any, results: Any, reduce: Callable[[Any], Any]) -> None:
    """Write what ``reduce`` returns for each line, which is read after those before are written.

    ``reduce`` gets an array with a line as its only row, and returns an array of one element.
    """
    for index in np.ndindex(results.shape):
        results[index] = reduce(lines[index].reshape(1, -1))[0]
