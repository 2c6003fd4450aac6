"""The operator fill, which fills a new tensor (ATen/native/Fill.cpp)."""

from typing import Any

from ..._autograd.tracking import check_differentiable
from ..._devices.device import META
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.tensor import METHODS, Tensor, shallow_copy
from ..._tensor.views import detach, record_grad_fn
from ..common.array_plans import is_noting, with_array_plans
from ..common.conj_neg_fallback import resolves_conj_neg
from ..common.copy import check_fill_value
from ..common.registration import Op, register_operator
from .like import note_filled


@resolves_conj_neg
def _fill_scalar(tensor: Tensor, value: Any) -> Tensor:
    """fill(input, value): return a tensor like another one, filled with a number."""
    result = record_grad_fn(_filled(tensor, value), (tensor,), "FillBackward0")
    if is_noting() and result._geometry.numel:
        note_filled(result, tensor)
    return result


@resolves_conj_neg
def _fill_tensor(tensor: Tensor, value: Tensor) -> Tensor:
    """Return a tensor like another one, filled with the element of a 0-dim tensor."""
    is_dense = not (tensor._geometry.is_sparse or value._geometry.is_sparse)
    if tensor._geometry.device is META and is_dense:
        check_fill_value(value)  # the reference does so before it makes a tensor
    result = _filled(tensor, detach(value))
    check_differentiable(result, value)
    return record_grad_fn(result, (tensor, value), "FillBackward1")


def _filled(tensor: Tensor, value: Any) -> Tensor:
    result: Tensor = PUBLIC["empty_like"](tensor)
    METHODS["fill_"](shallow_copy(result), value)  # autograd does not see this write
    return result


register_operator(
    Op(
        "fill",
        {"Tensor value": _fill_tensor, "Scalar value": _fill_scalar},
        method=False,
        wrap=with_array_plans,
    )
)
