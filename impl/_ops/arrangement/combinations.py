"""cartesian_prod and combinations, of the elements of vectors (Itertools.cpp in ATen/native)."""

from itertools import pairwise
from typing import Any

from ..._argparser.parser import Parser
from ..._arrays.numpy_bridge import np
from ..._devices.device import CPU
from ..._dtypes.constants import BOOL, INT64
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._runtime.warnings import is_python_frame
from ..._tensor.data_access import raw_array
from ..._tensor.factories import empty, ones
from ..._tensor.tensor import METHODS, Tensor
from ..common.array_plans import is_noting, note_arrays, with_array_plans
from ..common.registration import Op, register_operator
from ..views.meshgrid import grids

_parse = Parser("cartesian_prod(TensorList tensors)")


@with_array_plans
@is_python_frame
def cartesian_prod(*tensors: Tensor) -> Tensor:
    """Return the matrix whose rows take an element of each vector."""
    vectors: tuple[Tensor, ...]
    _, (vectors,) = _parse.bind((tensors,), {})
    for vector in vectors:
        _check_vector(vector)
    if len(vectors) == 1:
        return vectors[0]
    result = _joined([METHODS["flatten"](grid) for grid in grids(vectors, "ij")])
    if is_noting() and all(x._dtype is result._dtype for x in vectors):
        note_arrays(_product, result, *vectors)
    return result


def _product(*vectors: Any) -> Any:
    """Return the matrix whose rows take an element of each raw array."""
    sizes = [len(vector) for vector in vectors]
    result = np.empty((*sizes, len(vectors)), vectors[0].dtype)
    for axis, vector in enumerate(vectors):
        result[..., axis] = vector.reshape(-1, *(1,) * (len(sizes) - axis - 1))
    return result.reshape(-1, len(vectors))


def _joined(columns: list[Tensor]) -> Tensor:
    """Return the matrix of columns."""
    matrix: Tensor = PUBLIC["stack"](columns, 1)
    return matrix


def _check_vector(tensor: Tensor) -> None:
    shape = tensor._geometry.shape
    check(len(shape) == 1, lambda: f"Expect a 1D vector, but got shape {[*shape]}")


def _combinations(vector: Tensor, length: int, with_replacement: bool) -> Tensor:
    """combinations(input, r): return the matrix whose rows are combinations of elements."""
    _check_vector(vector)
    check(length >= 0, lambda: f"Expect a non-negative number, but got {length}")
    if not length:
        options = {"layout": vector.layout, "device": vector._geometry.device}
        return empty(0, dtype=vector._dtype, **options)
    grid = grids(_repeated(vector, length), "ij")
    mask = _mask(vector, length, "le" if with_replacement else "lt")
    result = _joined([METHODS["masked_select"](x, mask) for x in grid])
    if is_noting() and mask._geometry.device is CPU and mask._geometry.numel <= _FEW:
        indices = np.argwhere(raw_array(mask))
        note_arrays(lambda raw: raw.take(indices), result, vector)
    return result


_FEW = 2**12
"""The largest number of elements of a mask whose indices are kept for later calls."""


def _repeated(vector: Tensor, length: int) -> tuple[Tensor, ...]:
    """Return a vector so many times; raise as C++ does if there is no memory for them."""
    check(length < 2**60, lambda: "cannot create std::vector larger than max_size()")
    try:
        return (vector,) * length
    except MemoryError:
        raise RuntimeError("std::bad_alloc") from None


def _mask(vector: Tensor, length: int, compare: str) -> Tensor:
    """Return the mask of the indices that are ordered."""
    device = vector._geometry.device
    numbers = PUBLIC["arange"](vector._geometry.numel, dtype=INT64, device=device)
    indices = grids((numbers,) * length, "ij")
    mask = ones(indices[0]._geometry.shape, dtype=BOOL, device=device)
    for left, right in pairwise(indices):
        mask = METHODS["mul_"](mask, METHODS[compare](left, right))
    return mask


cartesian_prod.__qualname__ = "cartesian_prod"
PUBLIC["cartesian_prod"] = cartesian_prod
register_operator(
    Op(
        "combinations",
        {"int64_t r=2, bool with_replacement=False": _combinations},
        method=False,
        wrap=with_array_plans,
    )
)
