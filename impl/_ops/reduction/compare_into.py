"""max, min and aminmax along a dimension into given results, of which the tensor may be one."""

from collections.abc import Callable, Iterable
from typing import Any

from ..._arrays.numpy_bridge import np
from ..._geometry import view_shapes
from ..._geometry.geometry import strided
from ..._tensor.allocation import resize_output
from ..._tensor.data_access import raw_array
from ..._tensor.tensor import Tensor, new_tensor, set_geometry
from ..common.memory_overlap import check_no_overlap


def compare_into(
    tensor: Tensor,
    outs: tuple[Tensor, ...],
    dim: int,
    pick: Callable[[Any], Iterable[Any]],
    *,
    keepdim: bool,
) -> None:
    """Write what ``pick`` returns for the lines of a tensor to ``outs``, which have their shape.

    ``pick`` reduces the last axis of raw elements to size 1. As compare_base_kernel of
    aten/src/ATen/native/cpu/TensorCompareKernel.cpp: it remembers the size and the stride of the
    lines, then gives the results, of which the tensor may be one, the dimension that is reduced. An
    error leaves them so. A line is read after those before it are written.
    """
    geometry = tensor._geometry
    count, step = geometry.shape[dim], geometry.stride[dim]
    sizes = *geometry.shape[:dim], 1, *geometry.shape[dim + 1 :]
    if not keepdim:
        for out in outs:
            if out._geometry.rank >= dim:
                _change(out, view_shapes.unsqueeze, dim)
    for out in outs:
        resize_output(out, sizes)
    for out in outs:
        check_no_overlap(out, tensor)
    # The kernel reads the first element of a line before it counts them.
    lines_geometry = strided((*sizes, max(count, 1)), (*tensor._geometry.stride, step))
    lines = raw_array(new_tensor(tensor._storage, lines_geometry, tensor._offset, tensor._dtype))
    targets = [raw_array(out) for out in outs]
    overlap = any(np.may_share_memory(target, lines) for target in targets)
    every = np.ndindex(sizes) if overlap else (...,)
    for at in every if lines.size else ():
        for target, elements in zip(targets, pick(lines[at]), strict=True):
            target[at] = elements[..., 0]
    if not keepdim:
        for out in outs:
            _change(out, view_shapes.squeeze, dim)


def _change(out: Tensor, view: Callable[..., Any], dim: int) -> None:
    shape, stride, _ = view(out._geometry.shape, out._geometry.stride, dim)
    set_geometry(out, strided(shape, stride))
