"""Geometries: shape and strides, each pair kept once for each device, with what is known of it.

Tensors of the same shape and strides on a device share one geometry.  What is asked of it
(whether it is contiguous, its order of dimensions, what a view of it looks
like) is worked out once and kept with it.
"""

from typing import Any

from .._devices.device import CPU, device
from .extents import numel
from .size import Size, as_size
from .strides import contiguous, is_contiguous

Ints = tuple[int, ...]

_KEPT = 10_000
"""How many geometries are kept before all are forgotten."""

_PLANS_KEPT = 100
"""How many answers a geometry keeps before it forgets them."""


class Geometry:
    """A shape and strides, on a device.  ``cache`` keeps answers that depend on these alone."""

    __slots__ = ("cache", "device", "is_contiguous", "numel", "rank", "shape", "stride")

    is_sparse = False

    device: device
    shape: Size
    stride: Ints
    rank: int
    numel: int
    is_contiguous: bool
    cache: dict[Any, Any]

    def remember(self, key: Any, answer: Any) -> Any:
        """Keep an answer under a key in ``cache``, and return it."""
        if len(self.cache) >= _PLANS_KEPT:
            self.cache.clear()
        self.cache[key] = answer
        return answer


_STRIDED: dict[tuple[Ints, Ints], Geometry] = {}
_DENSE: dict[Ints, Geometry] = {}


def strided(shape: Ints, stride: Ints) -> Geometry:
    """Return the geometry of a shape and strides."""
    known = _STRIDED.get((shape, stride))
    if known is not None:
        return known
    new = object.__new__(Geometry)
    new.shape = as_size(shape)
    new.stride = stride
    new.rank = len(shape)
    new.numel = numel(shape)
    new.is_contiguous = is_contiguous(shape, stride)
    new.cache = {}
    new.device = CPU
    if len(_STRIDED) >= _KEPT:
        _STRIDED.clear()
        _DENSE.clear()
    _STRIDED[tuple(shape), stride] = new
    return new


def dense(shape: Ints) -> Geometry:
    """Return the contiguous geometry of a shape of plain integers."""
    known = _DENSE.get(shape)
    if known is None:
        known = _DENSE[shape] = strided(tuple(shape), contiguous(shape))
    return known


def on_device(geometry: Geometry, device: device) -> Geometry:
    """Return the geometry of the same shape and strides on a device."""
    if geometry.device is device:
        return geometry
    if device is CPU:
        return strided(geometry.shape, geometry.stride)
    key = geometry.shape, geometry.stride, device
    known = _PLACED.get(key)
    if known is not None:
        return known
    new = object.__new__(Geometry)
    for name in ("is_contiguous", "numel", "rank", "shape", "stride"):
        setattr(new, name, getattr(geometry, name))
    new.cache, new.device = {}, device
    if len(_PLACED) >= _KEPT:
        _PLACED.clear()
    _PLACED[key] = new
    return new


_PLACED: dict[tuple[Ints, Ints, device], Geometry] = {}
"""The geometries on other devices than the CPU."""
