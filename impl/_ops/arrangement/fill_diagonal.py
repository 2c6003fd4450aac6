"""Tensor.fill_diagonal_ (ATen/native/Fill.cpp)."""

from typing import Any

from ..._runtime.errors import NotDense, check
from ..._tensor.factories import python_scalar
from ..._tensor.tensor import METHODS, Tensor
from ..common.registration import Op, register_operator


def _fill_diagonal_(tensor: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """Tensor.fill_diagonal_(fill_value, wrap=False): write a number into the main diagonal.

    Torch composes it of as_strided and fill_.
    """
    number, geometry = python_scalar(fill_value), tensor._geometry
    shape, rank = geometry.shape, geometry.rank
    check(rank > 1, lambda: "dimensions must larger than 1")
    check(
        rank == 2 or len({*shape}) == 1,
        lambda: "all dimensions of input must be of equal length",
    )
    if geometry.is_sparse:
        raise NotDense
    height, width = shape[:2]
    count, steps = min(height, width), (sum(geometry.stride),)
    offset = tensor._offset
    METHODS["fill_"](METHODS["as_strided"](tensor, (count,), steps, offset), number)
    if wrap and rank == 2 and height > width + 1:
        step = width + 1
        rest = (geometry.numel + step - 1) // step - count
        start = offset + geometry.stride[0] * step
        METHODS["fill_"](METHODS["as_strided"](tensor, (rest,), steps, start), number)
    return tensor


register_operator(
    Op("fill_diagonal_", {"Scalar fill_value, bool wrap=False": _fill_diagonal_}, function=False)
)
