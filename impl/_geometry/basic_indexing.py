"""What indexing does to geometry: the views that ``x[item]`` begins with.

The rules are those of torch/csrc/autograd/python_variable_indexing.cpp and
ATen/TensorIndexing.h.
"""

import warnings
from collections.abc import Callable
from operator import index as as_index
from typing import Any, NamedTuple

from .._runtime.errors import check, type_name
from .extents import Ints
from .view_shapes import INT64_MAX, SMALLEST, wrap_dim, wrapped_around
from .view_slices import cut


class Taking(NamedTuple):
    """An index that takes elements by their places, once it is known: a tensor, or True or False.

    ``dims`` is how many dimensions of the result it stands for.
    """

    what: Any
    dims: int = 1


class Pending(NamedTuple):
    """An index that is looked at when its turn comes.

    ``dims`` is how many dimensions it counts for before; ``resolve`` returns
    an int, a bool or a `Taking`.
    """

    dims: int
    resolve: Callable[[], Any]


Taken = list[Any]
"""What the first dimensions of a view are indexed by; None stands for all of one.

An entry that is a mask is for as many dimensions as it has.
"""


def index(shape: Ints, stride: Ints, item: Any) -> tuple[Ints, Ints, int, Taken | None]:
    """Return the view that ``x[item]`` is made of, and what is taken of its elements.

    The item is what ``__getitem__`` gets: a tuple, or one index; NumPy's integers are to be plain
    ones, tensors and sequences are to be `Pending`.  The fourth result is None where the view is
    all that was asked for.

    >>> index((2, 3), (3, 1), (1, ..., None)), index((2, 3), (3, 1), (slice(1), True))
    (((3, 1), (1, 1), 3, None), ((1, 1, 3), (3, 3, 1), 0, [None, True]))
    """
    if type(item) is int and shape and -shape[0] <= item < shape[0]:
        return shape[1:], stride[1:], (item % shape[0]) * stride[0], None
    rank = len(shape)
    items = item if type(item) is tuple else (item,)
    if items is not item and isinstance(item, int | slice):
        given = 1  # of a rank of 0, torch says more about a single index
    else:
        given = 0
        for each in items:
            given += 1 if type(each) in _ONE_DIM else _count(each)
        check(given <= rank, lambda: f"too many indices for tensor of dimension {rank}", IndexError)
    sizes, strides, offset, dim = [*shape], [*stride], 0, 0
    taken: Taken = []
    for position, each in enumerate(items):
        cls = type(each)
        if cls is Pending:
            each = each.resolve()
            cls = type(each)
        skipped = 1
        if cls is slice:
            offset += _slice_in_place(sizes, strides, dim, *_slice_bounds(each))
        elif each is ...:
            # Torch lets a second ellipsis pass, and skips as many dimensions once more.
            skipped = rank - given
        elif each is None or cls is bool:
            _unsqueeze_in_place(sizes, strides, dim)
        elif cls is Taking:
            skipped = each.dims
        else:
            offset += _select_in_place(sizes, strides, dim, _integer(each), position)
            continue
        if cls is bool or cls is Taking:
            # The first one says what comes before it; then there is an entry for each index.
            taken += [None] * (0 if taken else dim)
            taken.append(each if cls is bool else each.what)
        elif taken:
            taken += [None] * skipped
        dim += skipped
    if not taken:
        return tuple(sizes), tuple(strides), offset, None
    while taken[-1] is None:
        taken.pop()
    return tuple(sizes), tuple(strides), offset, taken


_ONE_DIM = frozenset({int, slice})


def _count(item: Any) -> int:
    """Return how many dimensions an index counts for."""
    if type(item) is Pending:
        return item.dims
    return item is not None and item is not ... and type(item) is not bool


def _unsqueeze_in_place(sizes: list[int], strides: list[int], dim: int) -> None:
    step = sizes[dim] * strides[dim] if dim < len(sizes) else 1
    sizes.insert(wrap_dim(dim, len(sizes) + 1), 1)
    strides.insert(dim, step)
    if step > INT64_MAX:
        _, strides[:], _ = wrapped_around(tuple(sizes), tuple(strides), 0)


def _select_in_place(
    sizes: list[int], strides: list[int], dim: int, index: int, position: int
) -> int:
    """Take one place of a dimension, and return how far the offset moves."""
    size = sizes[dim] if dim < len(sizes) else 0  # past the end torch reads a 0
    if -size <= index < size:
        del sizes[dim]
        return (index + size if index < 0 else index) * strides.pop(dim)
    if not sizes and not index:
        raise IndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or"
            " `tensor.item<T>()` in C++ to convert a 0-dim tensor to a number"
        )
    raise IndexError(f"index {index} is out of bounds for dimension {position} with size {size}")


def _slice_in_place(
    sizes: list[int], strides: list[int], dim: int, start: int, stop: int, step: int
) -> int:
    """Slice a dimension, and return how far the offset moves."""
    if dim < len(sizes):
        return cut(sizes, strides, dim, start, stop, step)
    if not sizes:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    # Past the end torch reads a size of 0, and skips a slice that is the whole of that.
    if not (start == 0 and stop >= 0 and step == 1):
        wrap_dim(dim, len(sizes))
    return 0


def _slice_bounds(bounds: slice) -> tuple[int, int, int]:
    """Return start, stop and step of a slice."""
    start, stop, step = bounds.start, bounds.stop, bounds.step
    step = 1 if step is None else _slice_bound(step)
    start = 0 if start is None else _slice_bound(start)
    stop = INT64_MAX if stop is None else _slice_bound(stop)
    if step <= 0:
        raise ValueError("step must be greater than zero" if step else "slice step cannot be zero")
    return start, stop, step


def _slice_bound(value: Any) -> int:
    """Return a bound as torch reads it: an integer that is cut to what torch can tell."""
    if type(value) is not int:
        if not hasattr(type(value), "__index__"):
            raise TypeError("slice indices must be integers or None or have an __index__ method")
        value = as_index(value)
    if value > INT64_MAX:
        return INT64_MAX
    if value < SMALLEST:
        warnings.warn(
            "Truncating the start/stop/step of slice. This is likely because of saved old models"
            " when the start/stop/step were larger.",
            UserWarning,
            stacklevel=5,  # whoever called what called index()
        )
        return SMALLEST
    return int(value)


def _integer(value: Any) -> int:
    """Return an index that is an integer, or can be taken as one."""
    if type(value) is not int:
        try:
            value = as_index(value)
        except Exception:  # noqa: BLE001  # whatever __index__ raises, torch drops it
            raise IndexError(
                "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables"
                f" are valid indices (got {type_name(value)})"
            ) from None
    if not -INT64_MAX - 1 <= value <= INT64_MAX:
        raise ValueError("Overflow when unpacking long long")
    return int(value)
