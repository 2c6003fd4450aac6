"""Where random elements go, and what draws them.

Elements are drawn in the order in which they lie in memory.  What is drawn is
in `random_uniform`, `random_normal` and `random_integers`.
"""

from collections.abc import Callable
from typing import Any

from ..._autograd.autograd_meta import count_write
from ..._devices.device import CPU, META, device
from ..._dtypes.constants import COMPLEX32, FLOAT32, FLOAT64
from ..._dtypes.table import as_dtype, dtype
from ..._geometry import broadcasting, extents, strides
from ..._geometry.geometry import dense
from ..._geometry.layout import sparse_coo
from ..._random.generator import Generator, stream_of
from ..._random.integers import integers, random_full
from ..._random.mt19937 import Stream
from ..._random.normal import normal
from ..._random.uniform import bernoulli, uniform
from ..._runtime.errors import check
from ..._storage.untyped_storage import new_storage, storage_from_array
from ..._tensor.data_access import raw_array
from ..._tensor.factories import check_options, empty_tensor, resize_out, warn_of_complex32
from ..._tensor.out_autograd import check_no_leaf, check_resizable, require_grad_if, returned
from ..._tensor.tensor import Tensor, new_tensor
from ..common.conj_neg_fallback import write_to_clone
from ..common.memory_overlap import check_no_overlap

_LARGE = 2**30
"""From this many bytes on, NumPy's refusals to allocate are turned into torch's."""

Draw = Callable[[Stream, int, dtype, bool], Any]
"""Draws elements of a dtype from a stream: how many, and whether the memory to fill is contiguous."""


# Where elements go.


def draw_new(
    shape: tuple[int, ...],
    dtype: dtype,
    generator: Generator | None,
    draw: Draw,
    device: device = CPU,
) -> Tensor:
    """Make a contiguous tensor of what is drawn."""
    extents.check_nonnegative(shape)
    size = extents.contiguous_bytes(shape, dtype.itemsize)
    if size > _LARGE:
        new_storage(size, device)
    if dtype is COMPLEX32:
        warn_of_complex32()
    geometry = dense(shape)
    array = draw(stream_of(generator, device), geometry.numel, dtype, True)
    return new_tensor(storage_from_array(array, device), geometry, 0, dtype)


def draw_into(tensor: Tensor, generator: Generator | None, draw: Draw) -> None:
    """Fill a tensor with what is drawn, in the order of its memory."""
    geometry, dtype = tensor._geometry, tensor._dtype
    if geometry.device is META:
        try_draw(draw, dtype, geometry.numel)
        return
    stream = stream_of(generator, geometry.device)
    drawn = draw(stream, geometry.numel, dtype, geometry.is_contiguous)
    if geometry.numel:
        as_in_memory(tensor)[...] = drawn.reshape(_shape_in_memory(tensor))


def try_draw(draw: Draw, dtype: dtype, count: int) -> None:
    """Find out what is refused, with a stream of its own, where nothing is to be drawn."""
    if not (draw in (UNIFORM, NORMAL) and dtype in _WIDE):
        draw(Stream(), min(count, 1), dtype, True)


_WIDE = (FLOAT32, FLOAT64)
"""The dtypes of which nothing is refused."""


def as_in_memory(tensor: Tensor) -> Any:
    """Return the elements as an array whose order of dimensions is that of the memory."""
    array = raw_array(tensor)
    return array if tensor._geometry.is_contiguous else array.transpose(memory_order(tensor))


def _shape_in_memory(tensor: Tensor) -> tuple[int, ...]:
    shape = tensor._geometry.shape
    if tensor._geometry.is_contiguous:
        return shape
    return tuple([shape[dim] for dim in memory_order(tensor)])


def memory_order(tensor: Tensor) -> tuple[int, ...]:
    """Return the dimensions as they lie in memory, the outermost first."""
    return strides.dim_order(tensor._geometry.shape, tensor._geometry.stride)


def overlaps(tensor: Tensor) -> bool:
    """Tell whether elements are known to lie on one another."""
    geometry = tensor._geometry
    return broadcasting.has_internal_overlap(geometry.shape, geometry.stride) == "yes"


# What is drawn.


def uniform_draw(low: float, high: float) -> Draw:
    """Return what draws numbers between two others."""
    return lambda stream, count, kind, contiguous: uniform(stream, count, kind, low, high)


def normal_draw(mean: float, std: float) -> Draw:
    """Return what draws normal numbers."""
    return lambda stream, count, kind, contiguous: normal(
        stream, count, kind, mean, std, contiguous=contiguous
    )


def integers_draw(low: int, high: int | None) -> Draw:
    """Return what draws integers; without an end, up to the largest."""
    return lambda stream, count, kind, contiguous: integers(stream, count, kind, low, high)


def any_integers(stream: Stream, count: int, dtype: dtype, contiguous: bool) -> Any:
    """Draw what random_ gives without bounds."""
    return random_full(stream, count, dtype)


def bernoulli_draw(p: float) -> Draw:
    """Return what draws ones, of the probability ``p``, and zeros."""
    return lambda stream, count, kind, contiguous: bernoulli(stream, count, kind, p)


UNIFORM, NORMAL = uniform_draw(0.0, 1.0), normal_draw(0.0, 1.0)


def drawn(
    name: str,
    shape: tuple[int, ...],
    generator: Generator | None,
    draw: Draw,
    default: dtype,
    out: Tensor | None,
    kind: Any,
    *options: Any,
    composite: bool = False,
) -> Tensor:
    """Make or fill a tensor; what is ``composite`` resizes ``out`` where autograd sees it."""
    layout, device, pin, grad = options
    if out is not None and out._conj_neg and not composite:
        return write_to_clone(
            out,
            lambda clone: drawn(
                name, shape, generator, draw, default, clone, kind, *options, composite=composite
            ),
        )
    if out is not None:
        is_seen = composite and out._geometry.shape != shape
        if composite:
            check_resizable(out)
        check_no_leaf(f"aten::{name}", out)
        check(not shape or min(shape) >= 0, lambda: "numel: integer multiplication overflow")
        resize_out(out, shape)
        if is_seen:
            count_write(out)
        if out._conj_neg:
            write_to_clone(out, lambda clone: fill(clone, generator, draw))
        else:
            fill(out, generator, draw)
        return returned(out, grad)
    wanted = default if kind is None else as_dtype(kind)
    if layout is sparse_coo and wanted is COMPLEX32:
        for _ in range(2):  # torch makes the tensor, and then finds out that it cannot fill it
            warn_of_complex32()
    where = check_options(name, layout, device, pin, meta=True)
    if where is META:
        extents.check_nonnegative(shape)
        try_draw(draw, wanted, 1)
        return require_grad_if(empty_tensor(shape, wanted, META), grad)
    return require_grad_if(draw_new(shape, wanted, generator, draw, where), grad)


def fill(out: Tensor, generator: Generator | None, draw: Draw) -> None:
    """Fill a tensor that is given as ``out`` with what is drawn."""
    if overlaps(out):
        check_no_overlap(out)
    draw_into(out, generator, draw)
