"""Interned geometries: one object for each shape, strides and device.

Tensors of the same shape and strides on a device share one geometry.  Its ``cache`` holds
derived results, such as the dimension order and the geometries of views.
"""

from typing import Any

from .._devices.device import CPU, device
from .extents import Ints as Ints, numel
from .size import Size, as_size
from .strides import contiguous, is_contiguous

_MAX_GEOMETRIES = 10_000
"""The number of geometries in an intern table at which it is cleared."""

_MAX_CACHED = 100
"""The number of entries in a ``cache`` at which it is cleared."""


class Geometry:
    """A shape and strides on a device.  ``cache`` holds results that depend only on these."""

    __slots__ = (
        "cache", "device", "is_contiguous", "is_sparse", "numel", "rank", "shape", "stride",
    )  # fmt: skip

    is_sparse: bool
    """In a slot, which CPython reads several times as fast as an attribute of the class."""
    device: device
    shape: Size
    stride: Ints
    rank: int
    numel: int
    is_contiguous: bool
    cache: dict[Any, Any]

    def remember(self, key: Any, result: Any) -> Any:
        """Store a result under a key of ``cache``, and return it."""
        if len(self.cache) >= _MAX_CACHED:
            self.cache.clear()
        self.cache[key] = result
        return result


_STRIDED: dict[tuple[Ints, Ints], Geometry] = {}
_DENSE: dict[Ints, Geometry] = {}


def strided(shape: Ints, stride: Ints) -> Geometry:
    """Return the geometry of a shape and strides on the CPU."""
    geometry = _STRIDED.get((shape, stride))
    if geometry is not None:
        return geometry
    if len(_STRIDED) >= _MAX_GEOMETRIES:
        _STRIDED.clear()
        _DENSE.clear()
    new = _STRIDED[tuple(shape), stride] = _new_geometry(shape, stride, CPU)
    return new


def _new_geometry(shape: Ints, stride: Ints, device: device) -> Geometry:
    new = object.__new__(Geometry)
    new.shape = as_size(shape)
    new.stride = stride
    new.rank = len(shape)
    new.numel = numel(shape)
    new.is_contiguous = is_contiguous(shape, stride)
    new.cache = {}
    new.device = device
    new.is_sparse = False
    return new


def dense(shape: Ints) -> Geometry:
    """Return the contiguous geometry of a shape of plain integers on the CPU."""
    geometry = _DENSE.get(shape)
    if geometry is None:
        geometry = _DENSE[shape] = strided(tuple(shape), contiguous(shape))
    return geometry


def on_device(geometry: Geometry, device: device) -> Geometry:
    """Return the geometry with the same shape and strides on a device."""
    if geometry.device is device:
        return geometry
    if device is CPU:
        return strided(geometry.shape, geometry.stride)
    key = geometry.shape, geometry.stride, device
    cached = _ON_DEVICES.get(key)
    if cached is not None:
        return cached
    if len(_ON_DEVICES) >= _MAX_GEOMETRIES:
        _ON_DEVICES.clear()
    new = _ON_DEVICES[key] = _new_geometry(geometry.shape, geometry.stride, device)
    return new


_ON_DEVICES: dict[tuple[Ints, Ints, device], Geometry] = {}
"""The geometries on devices other than the CPU."""
