"""Calls that torch refuses for sparse tensors after it has checked their arguments.

Torch composes these operators of others, of which one has no sparse kernel
(aten/src/ATen/native/TensorShape.cpp).
"""

from collections.abc import Callable
from typing import Any, NoReturn

from ..._autograd.tracking import check_inplace
from ..._dtypes.scalars import tensor_dtype_of
from ..._geometry import view_shapes, view_slices
from ..._geometry.extents import Ints
from ..._runtime.errors import check
from ..._tensor.factories import zeros
from ..._tensor.out_autograd import check_resizable
from ..._tensor.sparse_coo import is_sparse
from ..._tensor.sparse_dispatch import could_not_run
from ..._tensor.tensor import Tensor
from ..reduction.sums import check_nanmean
from ..views.views import type_string


def _view(geometry_of: Callable[..., Any], name: str = "as_strided") -> Callable[..., NoReturn]:
    """Return a kernel that checks the arguments of a view, which the geometry function does."""

    def run(tensor: Tensor, *args: Any) -> NoReturn:
        if name.endswith("_"):
            check_inplace(tensor)
        shape = tensor._geometry.shape
        geometry_of(shape, (0,) * len(shape), *args)
        raise could_not_run(name)

    return run


def _split(shape: Ints, stride: Ints, sizes: Any, dim: int = 0) -> None:
    if isinstance(sizes, tuple) and sizes and sizes[0] >= 0:
        view_shapes.wrap_dim(dim, len(shape))
    else:  # without a first part that lacks as_strided
        view_slices.split(shape, stride, sizes, dim)


def _tensor_split(shape: Ints, stride: Ints, sections: Any, dim: int = 0) -> None:
    check(
        not isinstance(sections, Tensor),
        lambda: "Cannot access data pointer of Tensor that doesn't have storage",
    )
    at_indices = isinstance(sections, tuple)
    parts = view_slices.tensor_split_at if at_indices else view_slices.tensor_split
    parts(shape, stride, sections, dim)


def _expand(tensor: Tensor, size: Ints, *_: Any) -> NoReturn:
    rank = tensor._geometry.rank
    check(
        len(size) >= rank,
        lambda: (
            f"expand({cpp_type_name(tensor)}{{{[*tensor._geometry.shape]}}}, size={[*size]}): the"
            f" number of sizes provided ({len(size)}) must be greater or equal to the number of"
            f" dimensions in the tensor ({rank})"
        ),
    )
    raise RuntimeError("expand is unsupported for Sparse tensors")


def _expand_as(tensor: Tensor, other: Tensor) -> NoReturn:
    _expand(tensor, other._geometry.shape)


def _scan(name: str) -> Callable[..., NoReturn]:
    def run(tensor: Tensor, dim: int, *_: Any) -> NoReturn:
        view_shapes.wrap_dim(dim, tensor._geometry.rank)
        raise could_not_run(f"_{name}_helper")

    return run


def _nanmean(tensor: Tensor, *_: Any) -> NoReturn:
    check_nanmean(tensor._dtype)
    raise could_not_run("ne.Tensor")


def _resize_(tensor: Tensor, *_: Any) -> NoReturn:
    check_resizable(tensor)
    raise could_not_run("resize_")


def _bernoulli(tensor: Tensor, p: Any = None, *_: Any) -> NoReturn:
    if isinstance(p, int | float):
        raise could_not_run("bernoulli.p")
    raise RuntimeError("memory format option is only supported by strided tensors")


def _filled(tensor: Tensor, size: Ints, *_: Any) -> NoReturn:
    check(min(size, default=0) >= 0, lambda: "numel: integer multiplication overflow")
    raise could_not_run("fill_.Scalar")


def _masked_fill(*_: Any) -> NoReturn:
    raise RuntimeError("unsupported memory format option Contiguous")


def _set_(tensor: Tensor, *args: Any) -> NoReturn:
    check_inplace(tensor)
    raise could_not_run("set_.source_Tensor" if args else "set_")


def cpp_type_name(tensor: Any) -> str:
    """Return the C++ type name of a tensor, or of the 0-dim tensor of a number."""
    if not isinstance(tensor, Tensor):
        tensor = zeros((), dtype=tensor_dtype_of(tensor))
    name = type_string(tensor)
    if not is_sparse(tensor):
        return name
    prefix = "torch.sparse." if name.startswith("torch.") else "Sparse"
    return prefix + name.removeprefix("torch.")


KERNELS: dict[str, Callable[..., Any]] = {
    "squeeze": _view(view_shapes.squeeze), "squeeze_": _view(view_shapes.squeeze, "as_strided_"),
    "unsqueeze_": _view(view_shapes.unsqueeze, "as_strided_"),
    "diagonal": _view(view_slices.diagonal), "narrow": _view(view_slices.narrow),
    "chunk": _view(view_slices.chunk), "unsafe_chunk": _view(view_slices.chunk),
    "split": _view(_split), "split_with_sizes": _view(_split),
    "tensor_split": _view(_tensor_split),
    "expand": _expand, "expand_as": _expand_as, "broadcast_to": _expand,
    "cummax": _scan("cummax"), "cummin": _scan("cummin"),
    "resize_": _resize_, "bernoulli": _bernoulli, "new_ones": _filled, "new_full": _filled,
    "nanmean": _nanmean, "masked_fill": _masked_fill, "set_": _set_,
}  # fmt: skip
