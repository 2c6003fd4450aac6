"""The operator take_along_dim, composed of others (ATen/native/TensorAdvancedIndexing.cpp)."""

from ..._dtypes.constants import INT64
from ..._dtypes.table import spec_of
from ..._geometry import broadcasting, view_shapes
from ..._geometry.extents import Ints
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.tensor import METHODS, Tensor
from ..common.array_plans import is_noting, note_arrays
from ..elementwise.binding import Overload, install_operator
from .gather import gather_function


def _take_along_dim(
    tensor: Tensor, indices: Tensor, dim: int | None = None, out: Tensor | None = None
) -> Tensor:
    device, given, is_flat = tensor._geometry.device, (tensor, indices), dim is None
    for other in (indices, out):
        check(
            other is None or other._geometry.device is device,
            lambda: (
                f"Expected tensor to have {device} Device, but got tensor with"
                f" {other._geometry.device} Device"  # type: ignore[union-attr]  # noqa: B023
                " (while checking arguments for torch.take_along_dim():)"
            ),
        )
    if dim is None:
        dim = 0
        if out is None:
            tensor, indices = (METHODS["view"](x, -1) for x in (tensor, indices))
        else:  # C++ evaluates the last argument first
            indices, tensor = (METHODS["view"](x, -1) for x in (indices, tensor))
    else:
        tensor, dim, indices = _broadcast(tensor, dim, indices, keeps=out is None)
    if out is not None:
        return PUBLIC["gather"](tensor, dim, indices, out=out)  # type: ignore[no-any-return]
    result: Tensor = METHODS["gather"](tensor, dim, indices)
    if is_noting():
        _note(result, given, (tensor, indices), dim, is_flat=is_flat)
    return result


def _note(
    result: Tensor, given: tuple[Tensor, Tensor], gathered: tuple[Tensor, Tensor], dim: int,
    *, is_flat: bool,
) -> None:  # fmt: skip
    """Note the function of arrays, if no operand is expanded."""
    tensor, indices = gathered
    function = gather_function(tensor, dim, indices, wraps=not is_flat)
    if function is None or any(
        x._geometry.numel != y._geometry.numel for x, y in zip(given, gathered, strict=True)
    ):
        return
    if is_flat:
        note_arrays(lambda raw, index: function(raw.reshape(-1), index.reshape(-1)), result, *given)
    else:
        note_arrays(function, result, *given)


def _broadcast(
    tensor: Tensor, dim: int, indices: Tensor, *, keeps: bool
) -> tuple[Tensor, int, Tensor]:
    """Return the tensor and the indices, broadcast except in a dimension (_take_along_dim_helper).

    Indices out of bounds count from the start again.  With ``keeps``, a tensor of the shape is kept
    as it is.
    """
    sizes, index_sizes = [*tensor._geometry.shape], [*indices._geometry.shape]
    check(
        len(sizes) == len(index_sizes),
        lambda: (
            "torch.take_along_dim(): input and indices should have the same number of dimensions,"
            f" but got {len(sizes)} dimensions for input, and {len(index_sizes)} dimensions for"
            " indices"
        ),
    )
    name = spec_of(indices._dtype).cpp_name
    check(
        indices._dtype is INT64,
        lambda: f"torch.take_along_dim(): dtype of indices should be Long but got {name}",
    )
    dim = view_shapes.wrap_dim(dim, len(sizes))
    if not sizes:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    size = sizes[dim]
    sizes[dim], index_sizes[dim] = index_sizes[dim], size
    shape = broadcasting.broadcast_pair(tuple(sizes), indices._geometry.shape)
    indices = _expanded(indices, shape, keeps=keeps)
    shape = broadcasting.broadcast_pair(tuple(index_sizes), tensor._geometry.shape)
    tensor = _expanded(tensor, shape, keeps=keeps)
    return tensor, dim, METHODS["remainder"](indices, tensor._geometry.shape[dim])


def _expanded(tensor: Tensor, shape: Ints, *, keeps: bool) -> Tensor:
    if keeps and tensor._geometry.shape == shape and not tensor._geometry.is_sparse:
        return tensor
    return METHODS["expand"](tensor, shape)  # type: ignore[no-any-return]


install_operator(
    "take_along_dim",
    Overload("Tensor indices, int64_t? dim=None", _take_along_dim),
    doc="Return the elements at indices along a dimension, broadcast in the other dimensions.",
)
