"""The operator masked_select (ATen/native/TensorAdvancedIndexing.cpp)."""

from typing import Any

from ..._arrays.numpy_bridge import np
from ..._autograd.autograd_meta import bump_version
from ..._dtypes.constants import BOOL, COMPLEX32
from ..._dtypes.table import dtype
from ..._geometry import broadcasting
from ..._geometry.strides import memory_order
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import NotDense, check
from ..._tensor.allocation import resize_output, warn_complex32
from ..._tensor.data_access import raw_array, tensor_from_raw
from ..._tensor.out_autograd import gradient_check, with_gradient_check
from ..._tensor.tensor import Tensor
from ..._tensor.views import record_grad_fn
from ..common.conj_neg_fallback import resolves_conj_neg
from ..common.device_checks import check_meta_kernel
from ..common.memory_overlap import check_written_alone
from ..elementwise.binding import Overload, install_operator
from ..elementwise.plan import BOOLS, COMPLEX, FLOAT8, HALF_COMPLEX, NUMBERS
from .advanced import memory_of

_DTYPES = BOOLS | NUMBERS | FLOAT8 | COMPLEX | HALF_COMPLEX

_check_gradients = gradient_check("masked_select", of=slice(1))


def _masked_select(tensor: Tensor, mask: Tensor, out: Tensor | None = None) -> Tensor:
    """masked_select(input, mask, *, out=None): return the elements where a mask is True."""
    if out is not None:
        _check_gradients((tensor, mask), out)
        _resolved(tensor, mask, out=out)
        return out
    result: Tensor = _resolved(tensor, mask)
    return record_grad_fn(result, (tensor,), "MaskedSelectBackward0")


with_gradient_check(_masked_select, _check_gradients)


@resolves_conj_neg
def _resolved(tensor: Tensor, mask: Tensor, out: Tensor | None = None) -> Tensor:
    given = (tensor, mask) if out is None else (tensor, mask, out)
    if any(x._geometry.is_sparse for x in given):
        raise NotDense
    check_meta_kernel("masked_select" if out is None else "masked_select.out", *given)
    if out is None and tensor._dtype is COMPLEX32:
        warn_complex32()
    check(mask._dtype is BOOL, lambda: "masked_select: expected BoolTensor for mask")
    if out is None:
        values, chosen = _broadcast(tensor, mask)
        elements = np.compress(chosen.ravel(), values.ravel())
        _check_kernel(tensor._dtype, elements)
        return tensor_from_raw(elements, tensor._dtype, tensor._geometry.device)
    check(
        out._dtype is tensor._dtype,
        lambda: "masked_select(): self and result must have the same scalar type",
    )
    check_written_alone(out, tensor, mask)
    values, chosen = _broadcast(tensor, mask)
    elements = np.compress(chosen.ravel(), values.ravel())
    resize_output(out, elements.shape)
    _check_kernel(tensor._dtype, elements)
    if out._storage in (tensor._storage, mask._storage):
        _write_in_order(out, *_broadcast(tensor, mask))
    else:
        raw_array(out)[...] = elements
    bump_version(out)
    return out


def _check_kernel(dtype: dtype, elements: Any) -> None:
    if elements.size and dtype not in _DTYPES:
        raise_not_implemented("masked_select", dtype)


def _broadcast(tensor: Tensor, mask: Tensor) -> tuple[Any, Any]:
    """Return arrays of the raw elements of a tensor and a mask, broadcast."""
    shapes = mask._geometry.shape, tensor._geometry.shape
    shape = broadcasting.broadcast_pair(*shapes)
    values, chosen = raw_array(tensor), raw_array(mask)
    if shapes[0] != shape:
        chosen = np.broadcast_to(chosen, shape)
    if shapes[1] != shape:
        values = np.broadcast_to(values, shape)
    return values, chosen


def _write_in_order(out: Tensor, values: Any, chosen: Any) -> None:
    """Write one element after the other as torch does, where the target shares memory.

    A prefix sum tells where each element goes, and the strides tell which one is next. Contiguous
    operands are read in order, and torch counts the mask while it changes it: it may write more
    elements than ``out`` has.
    """
    target, step = memory_of(out), out._geometry.stride[0]
    if values.flags.c_contiguous and chosen.flags.c_contiguous:
        place = out._offset
        for index in np.ndindex(*chosen.shape):
            if chosen[index]:
                if place >= target.size:
                    raise NotImplementedError("impl writes no element beyond the storage of out")
                target[place] = values[index]
                place += step
        return
    places = np.cumsum(chosen).reshape(chosen.shape)
    arrays = values, chosen, places
    order = memory_order(chosen.shape, tuple([array.strides for array in arrays]))[::-1]
    for index in np.ndindex(*[chosen.shape[dim] for dim in order]):
        position = tuple([index[order.index(dim)] for dim in range(len(order))])
        if chosen[position]:
            target[out._offset + (places[position] - 1) * step] = values[position]


install_operator(
    "masked_select",
    Overload("Tensor mask", _masked_select),
    doc="Return the elements where a mask is True.",
)
