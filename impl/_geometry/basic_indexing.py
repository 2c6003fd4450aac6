"""Geometries of basic indexing: the views in ``x[item]``.

The rules are those of torch/csrc/autograd/python_variable_indexing.cpp and
ATen/TensorIndexing.h.
"""

import warnings
from collections.abc import Callable
from operator import index as as_index
from typing import Any, NamedTuple

from .._runtime.errors import type_name
from .extents import INT64_MAX, Ints
from .view_checks import MIN_SYMINT, stride_of_new_dim
from .view_shapes import wrap_dim
from .view_slices import slice_dim


class AdvancedIndex(NamedTuple):
    """A resolved advanced index: ``what`` is a tensor or a bool.

    ``dims`` is the number of result dimensions it indexes.
    """

    what: Any
    dims: int = 1


class DeferredIndex(NamedTuple):
    """An index that is resolved when its position is reached.

    ``dims`` is the number of dimensions it specifies; ``resolve`` returns an int, a bool or a
    `AdvancedIndex`.
    """

    dims: int
    resolve: Callable[[], Any]


AdvancedIndices = list[Any]
"""The advanced indices of the leading dimensions of a view; None selects all of a dimension.

A mask covers as many dimensions as it has.
"""


def index(shape: Ints, stride: Ints, item: Any) -> tuple[Ints, Ints, int, AdvancedIndices | None]:
    """Return the geometry of the view in ``x[item]``, and its advanced indices.

    The item is the argument of ``__getitem__``: a tuple or one index.  NumPy integers must be
    plain integers, tensors and sequences must be `DeferredIndex`.  The fourth result is None if the
    view is the final result.

    >>> index((2, 3), (3, 1), (1, ..., None)), index((2, 3), (3, 1), (slice(1), True))
    (((3, 1), (1, 1), 3, None), ((1, 1, 3), (3, 3, 1), 0, [None, True]))
    """
    if type(item) is int and shape and -shape[0] <= item < shape[0]:
        return shape[1:], stride[1:], (item % shape[0]) * stride[0], None
    rank = len(shape)
    items = item if type(item) is tuple else (item,)
    if items is not item and isinstance(item, int | slice):
        count = 1  # for rank 0, torch has a message about a single index
    else:
        count = 0
        for entry in items:
            count += 1 if type(entry) in _ONE_DIM else specified_dims(entry)
        if count > rank:
            raise IndexError(f"too many indices for tensor of dimension {rank}")
    sizes, strides, offset, dim = [*shape], [*stride], 0, 0
    indices: AdvancedIndices = []
    for position, entry in enumerate(items):
        cls = type(entry)
        if cls is DeferredIndex:
            entry = entry.resolve()
            cls = type(entry)
        skipped = 1
        if cls is slice:
            offset += _slice_in_place(sizes, strides, dim, *slice_bounds(entry))
        elif entry is ...:
            # Torch accepts a second ellipsis, which skips as many dimensions again.
            skipped = rank - count
        elif entry is None or cls is bool:
            _unsqueeze_in_place(sizes, strides, dim)
        elif cls is AdvancedIndex:
            skipped = entry.dims
        else:
            offset += _select_in_place(sizes, strides, dim, entry, position)
            continue
        if cls is bool or cls is AdvancedIndex:
            # The first advanced index adds None for each preceding dimension.
            indices += [None] * (0 if indices else dim)
            indices.append(entry if cls is bool else entry.what)
        elif indices:
            indices += [None] * skipped
        dim += skipped
    if not indices:
        return tuple(sizes), tuple(strides), offset, None
    while indices[-1] is None:
        indices.pop()
    return tuple(sizes), tuple(strides), offset, indices


_ONE_DIM = frozenset({int, slice})


def specified_dims(item: Any) -> int:
    """Return the number of dimensions that an index specifies."""
    if type(item) is DeferredIndex:
        return item.dims
    return item is not None and item is not ... and type(item) is not bool


def _unsqueeze_in_place(sizes: list[int], strides: list[int], dim: int) -> None:
    step = stride_of_new_dim(sizes, strides, dim)
    sizes.insert(wrap_dim(dim, len(sizes) + 1), 1)
    strides.insert(dim, step)


def _select_in_place(
    sizes: list[int], strides: list[int], dim: int, item: Any, real_dim: int
) -> int:
    """Select an index of a dimension, and return the change of the storage offset."""
    size = sizes[dim] if dim < len(sizes) else 0  # torch reads 0 past the end
    if type(item) is not int or not -size <= item < size:
        item = integer_index(item)
        if not -size <= item < size:
            raise IndexError(_out_of_bounds(item, sizes, size, real_dim))
    del sizes[dim]
    return (item + size if item < 0 else item) * strides.pop(dim)  # type: ignore[no-any-return]


def _out_of_bounds(index: int, sizes: list[int], size: int, real_dim: int) -> str:
    if not sizes and not index:
        return (
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or"
            " `tensor.item<T>()` in C++ to convert a 0-dim tensor to a number"
        )
    return f"index {index} is out of bounds for dimension {real_dim} with size {size}"


def _slice_in_place(
    sizes: list[int], strides: list[int], dim: int, start: int, stop: int, step: int
) -> int:
    """Slice a dimension, and return the change of the storage offset."""
    if dim < len(sizes):
        return slice_dim(sizes, strides, dim, start, stop, step)
    if not sizes:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    # Torch reads a size of 0 past the end, and skips a full slice.
    if not (start == 0 and stop >= 0 and step == 1):
        wrap_dim(dim, len(sizes))
    return 0


def slice_bounds(bounds: slice) -> tuple[int, int, int]:
    """Return start, stop and step of a slice."""
    start, stop, step = bounds.start, bounds.stop, bounds.step
    step = 1 if step is None else _slice_bound(step)
    start = 0 if start is None else _slice_bound(start)
    stop = INT64_MAX if stop is None else _slice_bound(stop)
    if step <= 0:
        raise ValueError("step must be greater than zero" if step else "slice step cannot be zero")
    return start, stop, step


def _slice_bound(value: Any) -> int:
    """Return a slice bound as an integer, clamped to the range of c10::SymInt."""
    if type(value) is not int:
        if not hasattr(type(value), "__index__"):
            raise TypeError("slice indices must be integers or None or have an __index__ method")
        value = as_index(value)
    if value > INT64_MAX:
        return INT64_MAX
    if value < MIN_SYMINT:
        warnings.warn(
            "Truncating the start/stop/step of slice. This is likely because of saved old models"
            " when the start/stop/step were larger.",
            UserWarning,
            stacklevel=5,  # the caller of the caller of index()
        )
        return MIN_SYMINT
    return int(value)


def integer_index(value: Any) -> int:
    """Return an index as an integer, or raise if it is none."""
    if type(value) is not int:
        try:
            value = as_index(value)
        except Exception:  # noqa: BLE001  # torch drops every error of __index__
            raise IndexError(
                "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables"
                f" are valid indices (got {type_name(value)})"
            ) from None
    if not -INT64_MAX - 1 <= value <= INT64_MAX:
        raise ValueError("Overflow when unpacking long long")
    return int(value)
