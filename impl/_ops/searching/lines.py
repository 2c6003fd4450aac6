"""Results along a dimension: the elements of lines, and the tensors for them."""

from collections.abc import Callable
from math import prod
from typing import Any

from ..._arrays.numpy_bridge import np
from ..._dtypes.constants import INT64
from ..._geometry.geometry import Geometry, dense, on_device, strided
from ..._kernels.sorting import take_in_rows
from ..._runtime.errors import check
from ..._tensor.data_access import raw_array, resolved_array, write_elements
from ..._tensor.out_autograd import check_no_complex_gradient
from ..._tensor.tensor import Tensor, set_geometry
from ..common.array_plans import note_arrays
from ..reduction import references
from ..reduction.minmax import pair

Pair = tuple[Tensor, Tensor]

Places = Callable[[Any], Any]
"""A function that returns the indices of elements in each row of raw elements."""


def check_not_empty(name: str, geometry: Geometry, dim: int) -> None:
    """Raise if a dimension has no elements (zero_numel_check_dims in ReduceOpsUtils.h)."""
    check(
        not geometry.rank or geometry.shape[dim],
        lambda: f"{name}(): Expected reduction dim {dim} to have non-zero size.",
        IndexError,
    )


def result_geometry(geometry: Geometry, dim: int, size: int | None) -> Geometry:
    """Return the geometry of results with ``size`` elements of each line; None: one, no dimension.

    It is contiguous. That of a 0-dim tensor is 0-dim.
    """
    shape = tuple(geometry.shape)
    if shape:
        shape = *shape[:dim], *(() if size is None else (size,)), *shape[dim + 1 :]
    return on_device(dense(shape), geometry.device)


def elements_at(raw: Any, dim: int, places: Places) -> tuple[Any, Any]:
    """Return elements of the lines of raw elements, and their indices along the dimension."""
    if not raw.ndim:
        return np.array(raw), np.zeros((), np.int64)
    is_last = dim == raw.ndim - 1  # for which `moveaxis` takes long
    lines = raw if is_last else np.moveaxis(raw, dim, -1)
    rows = np.ascontiguousarray(lines).reshape(prod(lines.shape[:-1]), lines.shape[-1])
    indices = places(rows)
    shape = *lines.shape[:-1], indices.shape[-1]
    results = take_in_rows(rows, indices).reshape(shape), indices.reshape(shape)
    if is_last:
        return results
    values, indices = (np.moveaxis(each, -1, dim) for each in results)
    return values, indices


def one_in_line(places: Callable[..., Any], *args: Any, **options: Any) -> Places:
    """Return a function of rows and these arguments that finds the index of one element in each."""

    def find(rows: Any) -> Any:
        if not rows.shape[0]:
            return np.zeros((0, 1), np.int64)
        return places(rows, *args, **options).reshape(-1, 1)

    return find


def results_of(
    name: str,
    tensor: Tensor,
    dim: int,
    places: Places,
    geometry: Geometry,
    node: str,
    read: Tensor | None = None,
) -> Any:
    """Return new tensors of elements and of their indices as a named tuple.

    ``read`` is the tensor whose elements are read, if it is another one.
    """

    def find(raw: Any) -> Any:
        return elements_at(raw, dim, places)

    raws = find(resolved_array(tensor if read is None else read))
    check_no_complex_gradient(name, tensor._dtype, tensor)
    result = pair(name, tensor, raws, (tensor._dtype, INT64), geometry, None, (node, ""))
    return note_arrays(find, result, tensor) if read is None else result


def on_meta(name: str, tensor: Tensor, geometry: Geometry, out: Pair | None, node: str) -> Any:
    """Return the results of a reference, which have no elements."""
    dtypes = tensor._dtype, INT64
    references.prepare_pair(name, tensor, geometry, dtypes, out)
    return pair(name, tensor, (None, None), dtypes, geometry, out, (node, ""))


def uses_reference(tensor: Tensor, out: Pair | None) -> bool:
    """Return whether a tensor or a result is on meta; raise NotDense for a sparse one there."""
    return references.uses_reference(tensor, *(out or ()))


def write_lines(tensor: Tensor, dim: int, places: Places, targets: Pair, *, copied: bool) -> None:
    """Write elements of the lines of a tensor, and their indices, to tensors of their shape.

    Unless the tensor was ``copied``, a line is read after those before it are written.
    """
    raw = resolved_array(tensor)
    shares = any(np.may_share_memory(raw, raw_array(target)) for target in targets)
    if copied or not shares or not raw.ndim:
        for target, found in zip(targets, elements_at(raw, dim, places), strict=True):
            write_elements(target, found.reshape(target._geometry.shape))
        return
    lines, values, indices = (np.moveaxis(x, dim, -1) for x in (raw, *map(raw_array, targets)))
    for at in np.ndindex(lines.shape[:-1]):
        row = lines[at][None].copy()
        found = places(row)[0]
        values[at], indices[at] = row[0][found], found


def change_view(target: Tensor, view: Callable[..., Any], dim: int) -> None:
    """Give a tensor the geometry of a view of it, as unsqueeze_ and squeeze_ do."""
    shape, stride, _ = view(target._geometry.shape, target._geometry.stride, dim)
    set_geometry(target, strided(shape, stride))
