"""Functions that torch implements in Python, so Python binds their arguments."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from ..._argparser.parser import Parser
from ..._geometry.broadcasting import broadcast_pair, broadcast_shapes as common_shape
from ..._geometry.size import Size
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.sparse_dispatch import dispatch_sparse
from ..._tensor.tensor import METHODS, Tensor
from .views import split_view

_parse_split = Parser(
    "split(Tensor input, SymInt split_size, int64_t dim=0)",
    "split(Tensor input, SymIntArrayRef split_size, int64_t dim=0)",
)

_parse_broadcast = Parser("broadcast_tensors(TensorList tensors)")


def is_tensor(obj: Any, /) -> bool:
    """Return whether an object is a tensor."""
    return isinstance(obj, Tensor)


def _method_split(self: Tensor, split_size: Any, dim: Any = 0) -> Any:
    """Return views of parts of a dimension, of one size or of a list of sizes."""
    if isinstance(split_size, Tensor):
        with suppress(ValueError):
            split_size = int(split_size)  # type: ignore[call-overload]
    if isinstance(split_size, int):
        bound = _parse_split((self, split_size, dim), {})
        sparse = bound[0]._geometry.is_sparse
        return dispatch_sparse("split", *bound) if sparse else split_view(*bound)
    return PUBLIC["split_with_sizes"](self, split_size, dim)


def split(tensor: Any, split_size_or_sections: Any, dim: Any = 0) -> Any:
    """Return views of parts of a tensor's dimension, of one size or of a list of sizes."""
    return tensor.split(split_size_or_sections, dim)


def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """Return views of tensors, expanded to their broadcast shape."""
    (checked,) = _parse_broadcast((tensors,), {})
    shape: tuple[int, ...] = ()
    for tensor in checked:
        shape = broadcast_pair(shape, tensor.shape)
    return tuple([tensor if tensor.shape == shape else tensor.expand(shape) for tensor in checked])


def broadcast_shapes(*shapes: Any) -> Size:
    """Return the broadcast shape of several shapes."""
    tuples = [(x,) if isinstance(x, int) else x for x in shapes if x is not None]
    for shape in tuples:
        if not isinstance(shape, Sequence):
            raise RuntimeError(
                "Input shapes should be of type ints, a tuple of ints, or a list of ints, got"
                f" {shape}"
            )
    return Size(common_shape(*tuples))


def _method_unflatten(self: Tensor, dim: Any, sizes: Any) -> Any:
    """Return a view with one dimension split into several."""
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    return _unflatten(self, dim, sizes)


_unflatten = METHODS["unflatten"]
for _name, _method in (("split", _method_split), ("unflatten", _method_unflatten)):
    _method.__name__, _method.__qualname__ = _name, f"Tensor.{_name}"
    METHODS[_name] = _method
