"""The operator diff, which torch composes of differences (ATen/native/ReduceOps.cpp)."""

from ..._devices.device import device
from ..._dtypes.constants import BOOL
from ..._dtypes.table import spec_of
from ..._geometry import view_shapes
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.allocation import warn_resized_output
from ..._tensor.tensor import METHODS, Tensor
from ..elementwise.binding import Overload, install_operator


def _diff(
    tensor: Tensor,
    n: int,
    dim: int,
    prepend: Tensor | None,
    append: Tensor | None,
    out: Tensor | None = None,
) -> Tensor:
    check(tensor._geometry.rank, lambda: "diff expects input to be at least one-dimensional")
    check(n >= 0, lambda: f"order must be non-negative but got {n}")
    for other in (prepend, append):
        if other is not None:
            _check_shape(tensor, other, dim)
    if n and (prepend is not None or append is not None):
        parts = [part for part in (prepend, tensor, append) if part is not None]
        tensor = PUBLIC["cat"](parts, dim)
    if n:
        n = min(n, tensor._geometry.shape[view_shapes.wrap_dim(dim, tensor._geometry.rank)])
        return _differences(tensor, n, dim) if out is None else _into(out, tensor, n, dim)
    if out is None:
        return METHODS["copy_"](PUBLIC["zeros_like"](tensor), tensor)  # type: ignore[no-any-return]
    return _copied_into(out, tensor)


def _check_shape(tensor: Tensor, other: Tensor, dim: int) -> None:
    """Raise if another tensor cannot be joined with a tensor along a dimension."""
    shape, sizes = tensor._geometry.shape, other._geometry.shape
    wrapped = view_shapes.wrap_dim(dim, len(shape))
    check(
        len(shape) == len(sizes),
        lambda: "diff expects prepend or append to be the same dimension as input",
    )
    for axis, (size, other_size) in enumerate(zip(shape, sizes, strict=True)):
        check(
            size == other_size or axis == wrapped,
            lambda: (
                "diff expects the shape of tensor to prepend or append to match that of input"
                f" except along the differencing dimension; input.size({axis}) = {size}, but got"  # noqa: B023
                f" tensor.size({axis}) = {other_size}"  # noqa: B023
            ),
        )


def _differences(tensor: Tensor, n: int, dim: int) -> Tensor:
    """Return the differences of neighbors, ``n`` times; a tensor without elements is the result."""
    is_bool = tensor._dtype is BOOL
    length = tensor._geometry.shape[dim]
    for left in range(length - 1, length - 1 - n, -1):
        pair = _neighbors(tensor, left, dim)
        tensor = PUBLIC["logical_xor"](*pair) if is_bool else METHODS["sub"](*pair)
    return tensor


def _neighbors(tensor: Tensor, length: int, dim: int) -> tuple[Tensor, Tensor]:
    before = METHODS["narrow"](tensor, dim, 0, length)  # which torch evaluates first
    return METHODS["narrow"](tensor, dim, 1, length), before


def _into(out: Tensor, tensor: Tensor, n: int, dim: int) -> Tensor:
    """Write the last of ``n`` differences into ``out``."""
    length = tensor._geometry.shape[dim] - n
    before = _differences(tensor, n - 1, dim) if n > 1 else tensor
    run = PUBLIC["logical_xor" if tensor._dtype is BOOL else "sub"]
    return run(*_neighbors(before, length, dim), out=out)  # type: ignore[no-any-return]


def _copied_into(out: Tensor, tensor: Tensor) -> Tensor:
    """Copy a tensor into ``out``, which has to be of the same kind."""
    shape = tensor._geometry.shape
    if out._geometry.shape != shape:
        warn_resized_output(out._geometry.shape, shape)
        METHODS["resize_"](out, shape)
    for name, wanted, found in (
        ("scalar_type", spec_of(tensor._dtype).cpp_name, spec_of(out._dtype).cpp_name),
        ("device", _device_of(tensor), _device_of(out)),
        ("layout", _layout_of(tensor), _layout_of(out)),
    ):
        if wanted != found:
            raise RuntimeError(f"expected {name} {wanted} but found {found}")
    return METHODS["copy_"](out, tensor)  # type: ignore[no-any-return]


def _device_of(tensor: Tensor) -> device:
    return tensor._geometry.device


def _layout_of(tensor: Tensor) -> str:
    return "Sparse" if tensor._geometry.is_sparse else "Strided"


install_operator(
    "diff",
    Overload("int64_t n=1, int64_t dim=-1, Tensor? prepend=None, Tensor? append=None", _diff),
    doc="Return the differences of neighbors along a dimension.",
)
