"""The functions that torch itself writes in Python, so that Python checks their arguments."""

from contextlib import suppress
from typing import Any

from ..._argparser.parser import Parser
from ..._geometry.broadcasting import broadcast_pair
from ..._geometry.broadcasting import broadcast_shapes as common_shape
from ..._geometry.size import Size, as_size
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.sparse_dispatch import of_sparse
from ..._tensor.tensor import METHODS, Tensor
from .views import split_view

_parse_split = Parser(
    "split(Tensor input, SymInt split_size, int64_t dim=0)",
    "split(Tensor input, SymIntArrayRef split_size, int64_t dim=0)",
)


def is_tensor(obj: Any, /) -> bool:
    """Tell whether an object is a tensor."""
    return isinstance(obj, Tensor)


def _method_split(self: Tensor, split_size: Any, dim: Any = 0) -> Any:
    """Return the views of parts of a dimension: of one size, or of the sizes in a list."""
    if isinstance(split_size, Tensor):
        with suppress(ValueError):
            split_size = int(split_size)  # type: ignore[call-overload]
    if isinstance(split_size, int):
        return _split_evenly(self, split_size, dim)
    return PUBLIC["split_with_sizes"](self, split_size, dim)


def _split_evenly(*args: Any) -> Any:
    bound = _parse_split(args, {})
    if bound[0]._geometry.is_sparse:
        return of_sparse("split", *bound)
    return split_view(*bound)


def split(tensor: Any, split_size_or_sections: Any, dim: Any = 0) -> Any:
    """Return the views of parts of a tensor's dimension: of one size, or of the sizes in a list."""
    return tensor.split(split_size_or_sections, dim)


def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """Return views of the tensors, expanded to the shape that they broadcast to."""
    return _broadcast(tensors)  # type: ignore[no-any-return]


_parse_broadcast = Parser("broadcast_tensors(TensorList tensors)")


def _broadcast(tensors: Any) -> Any:
    (given,) = _parse_broadcast((tensors,), {})
    shape: tuple[int, ...] = ()
    for each in given:
        shape = broadcast_pair(shape, each.shape)
    return tuple([each if each.shape == shape else each.expand(shape) for each in given])


def broadcast_shapes(*shapes: Any) -> Size:
    """Return the shape that several shapes broadcast to."""
    given = [(each,) if isinstance(each, int) else each for each in shapes if each is not None]
    return as_size(common_shape(*given))


def _method_unflatten(self: Tensor, dim: Any, sizes: Any) -> Any:
    """Return a view of which a dimension is several."""
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    return _unflatten(self, dim, sizes)


_unflatten = METHODS["unflatten"]
_method_unflatten.__name__, _method_unflatten.__qualname__ = "unflatten", "Tensor.unflatten"
METHODS["unflatten"] = _method_unflatten
_method_split.__name__, _method_split.__qualname__ = "split", "Tensor.split"
METHODS["split"] = _method_split
