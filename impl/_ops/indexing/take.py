"""The operator take (ATen/native/TensorAdvancedIndexing.cpp)."""

from typing import Any

from ..._arrays.numpy_bridge import np
from ..._autograd.autograd_meta import bump_version
from ..._dtypes.constants import INT64
from ..._dtypes.table import spec_of
from ..._geometry.geometry import dense
from ..._geometry.strides import memory_order
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import NotDense, check
from ..._tensor.allocation import empty_with, warn_if_complex32
from ..._tensor.data_access import raw_array, tensor_from_raw
from ..._tensor.tensor import METHODS, Tensor
from ..._tensor.views import record_grad_fn
from ..common.array_plans import is_noting, note_arrays
from ..common.conj_neg_fallback import resolves_conj_neg
from ..common.memory_overlap import check_written_alone
from ..common.meta_reference import in_reference, is_on_meta, write_reference
from ..common.out_argument import resize_elementwise
from ..elementwise.binding import Overload, install_operator
from ..elementwise.plan import BOOLS, COMPLEX, NUMBERS
from .selection import Selection, check_one_device, has_sparse, is_within

_NODE = "TakeBackward0"


def _take(tensor: Tensor, index: Tensor, out: Tensor | None = None) -> Tensor:
    if has_sparse(tensor, index, out):
        raise NotDense
    if is_on_meta(tensor, index, out):
        result = in_reference(_on_meta, tensor, index)
        if out is None:
            return record_grad_fn(result, (tensor,), _NODE)
        return write_reference("take", out, result)
    if out is None:
        warn_if_complex32(tensor._dtype)  # torch makes the result first
        result = record_grad_fn(_taken(tensor, index), (tensor,), _NODE)
        if is_noting() and index._geometry.numel:
            note_arrays(_take_valid, result, tensor, index)
        return result
    _take_into(tensor, index, out)
    bump_version(out)
    return out


def _take_valid(raw: Any, index: Any) -> Any:
    """Return elements of a raw array; None if an index is out of bounds."""
    if not is_within(index, -raw.size, raw.size):
        return None
    return raw.reshape(-1).take(index, mode="wrap")


def _taken(tensor: Tensor, index: Tensor) -> Tensor:
    _check(tensor, index)
    geometry, device = index._geometry, tensor._geometry.device
    if not geometry.numel:
        return empty_with(dense(geometry.shape), tensor._dtype, device, warns=False)
    selection = _selection(tensor, index)
    elements = selection.elements(lambda: [*range(geometry.rank)])
    return tensor_from_raw(np.asarray(elements), tensor._dtype, device)


def _take_into(tensor: Tensor, index: Tensor, out: Tensor) -> None:
    _check(tensor, index, out)
    check_written_alone(out, index, tensor)
    geometry = index._geometry
    resize_elementwise(out, geometry.shape, index)
    if not geometry.numel:
        return
    stride = out._geometry.stride
    _selection(tensor, index).write(
        raw_array(out), lambda: memory_order(geometry.shape, (stride, geometry.stride))[::-1]
    )


def _check(tensor: Tensor, index: Tensor, out: Tensor | None = None) -> None:
    names = [spec_of(x._dtype).cpp_name for x in (tensor, index)]
    check(
        index._dtype is INT64,
        lambda: f"take(): Expected a long tensor for index, but got {names[1]}",
    )
    check(
        out is None or out._dtype is tensor._dtype,
        lambda: (
            "take(): self and out expected to have the same dtype, but got self.dtype ="
            f" {names[0]} and out.dtype = {spec_of(out._dtype).cpp_name}"  # type: ignore[union-attr]
        ),
    )
    check_one_device(tensor, index, out)
    _check_not_empty(tensor, index)


def _check_not_empty(tensor: Tensor, index: Tensor) -> None:
    check(
        tensor._geometry.numel or not index._geometry.numel,
        lambda: "take(): tried to take from an empty tensor",
        IndexError,
    )


def _on_meta(tensor: Tensor, index: Tensor) -> Tensor:
    """Return what the reference does (meta_take in torch/_meta_registrations.py)."""
    check(
        index._dtype is INT64,
        lambda: f"take(): Expected a long tensor for index, but got {index._dtype}",
    )
    _check_not_empty(tensor, index)
    return METHODS["new_empty"](tensor, index._geometry.shape)  # type: ignore[no-any-return]


def _selection(tensor: Tensor, index: Tensor) -> Selection:
    dtype = tensor._dtype
    if dtype not in BOOLS | NUMBERS | COMPLEX:
        raise_not_implemented("take_cpu", dtype)
    source, numel = raw_array(tensor), tensor._geometry.numel

    def place(number: int, _: list[int]) -> Any:
        return np.unravel_index(number % numel, source.shape)

    def error(number: int) -> IndexError:
        return IndexError(
            f"out of range: tried to access index {number} on a tensor of {numel} elements."
        )

    def read(numbers: Any) -> Any:
        if source.flags.c_contiguous or 4 * numbers.size > numel:
            return source.reshape(-1).take(numbers, mode="wrap")
        return source[np.unravel_index(numbers % numel, source.shape)]

    return Selection(source, raw_array(index), -numel, numel, read, place, error)


install_operator(
    "take",
    Overload("Tensor index", resolves_conj_neg(_take, "take", of=slice(1))),
    doc="Return the elements at indices of the flattened tensor, in the shape of the indices.",
)
