"""put and put_: writes to elements at places in a flattened tensor.

From ATen/native/TensorAdvancedIndexing.cpp.
"""

from typing import Any

from ..._arrays.numpy_bridge import np
from ..._autograd.tracking import check_differentiable, check_inplace
from ..._devices.device import META
from ..._dtypes.constants import INT64
from ..._dtypes.table import spec_of
from ..._geometry.broadcasting import reshape_stride
from ..._geometry.strides import contiguous, memory_order
from ..._numerics.deterministic import alert_not_deterministic
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import NotDense, check
from ..._tensor.data_access import raw_array
from ..._tensor.tensor import Tensor, shallow_copy
from ..._tensor.views import record_grad_fn
from ..common.clone import clone
from ..common.conj_neg_fallback import resolves_conj_neg, resolves_conj_neg_in_place
from ..common.copy import record_write
from ..common.memory_overlap import check_written_alone
from ..common.meta_reference import is_on_meta
from ..common.registration import Op, register_operator
from ..elementwise.plan import BOOLS, COMPLEX, NUMBERS
from .advanced import add_rows, memory_of
from .along_dim import find_beyond
from .selection import may_share

_NODE = "PutBackward0"


@resolves_conj_neg
def _put(tensor: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """put(input, index, source, accumulate=False): a copy with other elements at some places."""
    if any(x._geometry.is_sparse for x in (tensor, index, source)):
        raise NotDense
    result = clone(shallow_copy(tensor))
    _write(result, index, source, accumulate)
    check_differentiable(result, source)
    return record_grad_fn(result, (tensor, source), _NODE)


@resolves_conj_neg_in_place
def _put_(tensor: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """Tensor.put_(index, source, accumulate=False): write elements to places, or add them."""
    check_inplace(tensor, source)
    if any(x._geometry.is_sparse for x in (tensor, index, source)):
        raise NotDense
    _write(tensor, index, source, accumulate)
    return record_write(tensor, (source,), _NODE)


def _write(target: Tensor, index: Tensor, source: Tensor, accumulate: bool) -> None:
    if is_on_meta(target, index, source):
        check(
            target._geometry.device is META,
            lambda: "Cannot inplace into non-meta tensor with meta tensor argument",
            NotImplementedError,
        )
        return
    if not accumulate:
        alert_not_deterministic("put_")
    _check(target, index, source)
    check_written_alone(target, index, source)
    if not index._geometry.numel:
        return
    if target._dtype not in BOOLS | NUMBERS | COMPLEX:
        raise_not_implemented("take_put_cpu", target._dtype)
    places, values = _in_order(index, source)
    if may_share(raw_array(target), places):
        for where in np.ndindex(places.shape):  # each place is read when its element is written
            _write_valid(target, places[where].reshape(1), values[where].reshape(1), accumulate)
    else:
        _write_valid(target, places.reshape(-1), values, accumulate)


def _write_valid(target: Tensor, places: Any, values: Any, accumulate: bool) -> None:
    """Write elements to places up to the first that is out of range, and raise for that."""
    numel = target._geometry.numel
    beyond = find_beyond(places, -numel, numel)
    count = len(places) if beyond is None else int(beyond.argmax())
    _write_places(target, places[:count], values, accumulate)
    if beyond is not None:
        raise IndexError(
            f"out of range: tried to access index {places[count]} on a tensor of {numel} elements."
        )


def _check(target: Tensor, index: Tensor, source: Tensor) -> None:
    """Raise for operands that do not fit."""
    check(
        index._dtype is INT64,
        lambda: (
            f"put_(): Expected a long tensor for index, but got {spec_of(index._dtype).cpp_name}"
        ),
    )
    check(
        target._dtype is source._dtype,
        lambda: (
            "put_(): self and source expected to have the same dtype, but got self.dtype ="
            f" {spec_of(target._dtype).cpp_name} and source.dtype ="
            f" {spec_of(source._dtype).cpp_name}"
        ),
    )
    devices = [x._geometry.device for x in (target, index, source)]
    check(
        devices[0] is devices[1] is devices[2],
        lambda: (
            "put_(): self, index and source expected to be in the same device, but got self.device"
            f" = {devices[0]}, index.device = {devices[1]}, and source.device = {devices[2]}"
        ),
    )
    counts = source._geometry.numel, index._geometry.numel
    if counts[0] != counts[1]:
        raise IndexError(
            "put_(): Expected source and index to have the same number of elements, but got"
            f" source.numel() = {counts[0]}, index.numel() = {counts[1]}"
        )
    if counts[1] and not target._geometry.numel:
        raise IndexError("put_(): Tried to put elements into an empty tensor")


def _in_order(index: Tensor, source: Tensor) -> tuple[Any, Any]:
    """Return the places and the values, with dimensions in the order of torch's iterator."""
    shape, stride = source._geometry.shape, source._geometry.stride
    own = index._geometry
    steps = reshape_stride(own.shape, own.stride, shape) or contiguous(shape)
    order = memory_order(shape, (stride, steps))[::-1]
    arrays = raw_array(index).reshape(shape), raw_array(source)
    places, values = (array.transpose(order) for array in arrays)
    return places, values


def _write_places(target: Tensor, places: Any, values: Any, accumulate: bool) -> None:
    geometry = target._geometry
    places = np.where(places < 0, places + geometry.numel, places)
    if geometry.is_contiguous:
        elements = raw_array(target).reshape(-1)
    else:
        elements = memory_of(target)
        coordinates = np.unravel_index(places, geometry.shape)
        places = np.full_like(places, target._offset)
        for numbers, step in zip(coordinates, geometry.stride, strict=True):
            places += numbers * step
    if may_share(elements, values):
        for place, where in zip(places, np.ndindex(values.shape), strict=False):
            _write_to(elements, place.reshape(1), values[where].reshape(1), target, accumulate)
    else:
        _write_to(elements, places, values.reshape(-1)[: len(places)], target, accumulate)


def _write_to(elements: Any, places: Any, values: Any, target: Tensor, accumulate: bool) -> None:
    if accumulate:
        add_rows(elements, places, values, target._dtype)
    else:
        elements[places] = values


_PARAMETERS = "Tensor index, Tensor source, bool accumulate=False"
register_operator(Op("put", {_PARAMETERS: _put}))
register_operator(Op("put_", {_PARAMETERS: _put_}, function=False))
