"""meshgrid (ATen/native/TensorShape.cpp), which Python calls with several tensors or a list."""

from typing import Any

from ..._argparser.parser import Parser
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._runtime.warnings import is_python_frame, triggered_at, warn_once
from ..._tensor.tensor import METHODS, Tensor
from .cpp_text import cpp_text

_parse = Parser(
    "meshgrid(TensorList tensors)",
    "meshgrid(TensorList tensors, *, c10::string_view indexing)",
)


@is_python_frame
def meshgrid(*tensors: Any, indexing: Any = None) -> tuple[Tensor, ...]:
    """Return views of vectors, each expanded along the dimensions of the others."""
    if len(tensors) == 1 and isinstance(tensors[0], list | tuple):
        tensors = tensors[0]  # type: ignore[assignment]
    if indexing is not None:
        _, (bound, mode) = _parse.bind((tensors,), {"indexing": indexing})
        return grids(bound, mode)
    _, (bound,) = _parse.bind((tensors,), {})
    warn_once(_NO_INDEXING)
    return grids(bound, "ij")


_NO_INDEXING = triggered_at(
    "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.",
    "aten/src/ATen/native/TensorShape.cpp:4215",
)


def grids(tensors: tuple[Tensor, ...], indexing: str) -> tuple[Tensor, ...]:
    """Return the views that meshgrid returns."""
    check(tensors, lambda: "meshgrid expects a non-empty TensorList")
    for tensor in tensors[1:]:
        for of, word in ((_dtype_of, "dtype"), (_device_of, "device")):
            check(
                of(tensor) is of(tensors[0]),
                lambda: f"meshgrid expects all tensors to have the same {word}",  # noqa: B023
            )
    is_swapped = indexing == "xy" and len(tensors) > 1
    check(
        indexing in ("xy", "ij"),
        lambda: 'torch.meshgrid: indexing must be one of "xy" or "ij", but received: ' + indexing,
    )
    order = [*range(len(tensors))]
    if is_swapped:
        order[:2] = 1, 0
    shape = [_size_of(tensors[index]) for index in order]
    grids = [*tensors]
    for dim, index in enumerate(order):
        sizes = [-1 if other == dim else 1 for other in range(len(order))]
        grids[index] = METHODS["expand"](METHODS["view"](tensors[index], sizes), shape)
    return tuple(grids)


def _dtype_of(tensor: Tensor) -> Any:
    return tensor._dtype


def _device_of(tensor: Tensor) -> Any:
    return tensor._geometry.device


def _size_of(tensor: Tensor) -> int:
    check(
        tensor._geometry.rank < 2,
        lambda: (
            "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: "
            + cpp_text(tensor)
        ),
    )
    return tensor._geometry.numel


meshgrid.__qualname__ = "meshgrid"
PUBLIC["meshgrid"] = meshgrid
