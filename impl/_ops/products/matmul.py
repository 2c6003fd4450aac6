"""matmul, which torch composes of dot, mv, mm and bmm (ATen/native/LinearAlgebra.cpp)."""

from math import prod
from typing import Any

from ..._autograd.autograd_meta import requires_grad
from ..._devices.device import META
from ..._geometry import broadcasting
from ..._geometry.extents import Ints
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.out_autograd import check_no_out
from ..._tensor.tensor import METHODS, Tensor
from ..elementwise.binding import Overload, install_operator
from ..elementwise.dunders import install_python_special, install_special
from ..views.views import unsafe_view
from .notes import reshaped
from .plan import with_plans
from .product import resize_counted


def multiply(left: Tensor, right: Tensor, out: Tensor | None = None) -> Tensor:
    ranks = left._geometry.rank, right._geometry.rank
    check(
        min(ranks) > 0,
        lambda: (
            f"both arguments to matmul need to be at least 1D, but they are {ranks[0]}D and"
            f" {ranks[1]}D"
        ),
    )
    if out is not None:
        check_no_out("matmul", not any(map(requires_grad, (left, right, out))))
    options = {} if out is None else {"out": out}
    if ranks == (1, 2):
        row = METHODS["unsqueeze"](left, 0)
        return METHODS["squeeze_"](PUBLIC["mm"](row, right, **options), 0)  # type: ignore[no-any-return]
    if max(ranks) <= 2:
        return PUBLIC[_BY_RANKS[ranks]](left, right, **options)  # type: ignore[no-any-return]
    if _folds(left, right, has_out=out is not None):
        return _folded(left, right, out)
    return _batched(left, right, out)


_BY_RANKS = {(1, 1): "dot", (2, 1): "mv", (2, 2): "mm"}


def _folds(left: Tensor, right: Tensor, *, has_out: bool) -> bool:
    """Return whether the dimensions of batches become rows of one matrix (should_fold)."""
    is_left = left._geometry.rank >= right._geometry.rank
    large, small = (left, right) if is_left else (METHODS["transpose"](right, -2, -1), left)
    if large._geometry.rank < 3 or small._geometry.rank > 2:
        return False
    if requires_grad(small) and not has_out:
        return True
    if left._geometry.rank == 2:
        return False
    if large._geometry.is_sparse:
        return True
    shape, stride = large._geometry.shape, large._geometry.stride
    return not large._geometry.numel or all(
        stride[axis] == stride[axis + 1] * shape[axis + 1] for axis in range(len(shape) - 2)
    )


def _folded(left: Tensor, right: Tensor, out: Tensor | None) -> Tensor:
    """Return the product with the larger operand as one matrix."""
    is_transposed = right._geometry.rank > left._geometry.rank
    large, small = left, right
    if is_transposed:
        large, small = (
            METHODS["transpose"](right, -2, -1),
            left if left._geometry.rank == 1 else METHODS["t"](left),
        )
    shape = large._geometry.shape
    batch, is_matrix = shape[:-1], small._geometry.rank == 2
    rows = prod(batch)
    matrix = reshaped(large, (rows, shape[-1]))
    name = "mm" if is_matrix else "mv"
    columns = small._geometry.shape[1:]
    if out is None:
        result = unsafe_view(PUBLIC[name](matrix, small), (*batch, *columns))
        if is_transposed and is_matrix:
            return METHODS["contiguous"](METHODS["transpose"](result, -2, -1))  # type: ignore[no-any-return]
        return result
    resize_counted(out, (*batch, *columns))
    flat = METHODS["reshape"](out, (rows, *columns))
    PUBLIC[name](matrix, small, out=flat)
    if flat._storage is not out._storage:
        METHODS["copy_"](out, flat)
    return out


def _batched(left: Tensor, right: Tensor, out: Tensor | None) -> Tensor:
    """Return the product of the matrices of two batches, which broadcast."""
    shapes = left._geometry.shape, right._geometry.shape
    if len(shapes[0]) == len(shapes[1]) == 3 and shapes[0][0] != shapes[1][0]:
        if shapes[0][0] == 1 and _is_folded(left):
            return multiply(METHODS["squeeze"](left, 0), right, out)
        if shapes[1][0] == 1 and _is_folded(right):
            return multiply(left, METHODS["squeeze"](right, 0), out)
    is_vector = len(shapes[1]) == 1
    rows = shapes[0][-2:-1] or (1,)
    batch = broadcasting.broadcast_pair(shapes[0][:-2], shapes[1][:-2])
    count = prod(batch)
    matrices = (
        _expanded(left, batch, (*rows, shapes[0][-1]), count),
        _expanded(right, batch, shapes[1][-2:], count),
    )
    if is_vector:
        matrices = matrices[0], METHODS["unsqueeze"](matrices[1], 2)
    shape = (*batch, *shapes[0][-2:-1], *shapes[1][-1:] * (not is_vector))
    if out is None:
        result = PUBLIC["bmm"](*matrices)
        if is_vector:
            result = METHODS["squeeze"](result, -1)
        return unsafe_view(result, shape)
    resize_counted(out, shape)
    columns = 1 if is_vector else shapes[1][-1]
    result = METHODS["reshape"](out, (count, *rows, columns))
    PUBLIC["bmm"](*matrices, out=result)
    if result._storage is not out._storage:
        METHODS["copy_"](out, METHODS["view"](result, shape))
    return out


def _is_folded(tensor: Tensor) -> bool:
    """Return whether torch takes a batch of one matrix for the matrix (isTensorSubclassLike)."""
    geometry = tensor._geometry
    return requires_grad(tensor) or geometry.is_sparse or geometry.device is META


def _expanded(tensor: Tensor, batch: Ints, matrix: Ints, count: int) -> Tensor:
    """Return a tensor with one dimension for the batch, and those of the matrix."""
    tensor = METHODS["expand"](tensor, (*batch, *matrix))
    return reshaped(tensor, (count, *matrix))


install_operator(
    "matmul",
    Overload("Tensor other", multiply),
    doc="Return the matrix product of two tensors.",
    wrap=with_plans,
)


def _rmatmul(right: Tensor, left: Any) -> Tensor:
    return PUBLIC["matmul"](left, right)  # type: ignore[no-any-return]


install_special("__matmul__", METHODS["matmul"])
install_python_special("__rmatmul__", _rmatmul)
