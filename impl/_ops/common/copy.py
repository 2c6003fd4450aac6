"""Operators that copy or write elements: clone, contiguous, copy_, fill_, zero_ and to."""

from functools import wraps
from typing import Any

from ..._argparser.schema import MISSING
from ..._autograd.autograd_meta import is_differentiable
from ..._autograd.tracking import check_inplace, record_inplace
from ..._devices.device import CPU, META, device
from ..._dtypes.constants import COMPLEX32
from ..._dtypes.scalars import tensor_dtype_of
from ..._dtypes.table import dtype
from ..._geometry import broadcasting, strides
from ..._geometry.geometry import dense, on_device
from ..._geometry.layout import contiguous_format, memory_format, preserve_format
from ..._numerics.cast import convert_into, converter
from ..._numerics.encode_scalar import ScalarPath, encode_scalar
from ..._runtime.errors import check
from ..._tensor.allocation import empty_with, fill_scalar, warn_complex32, write_zeros
from ..._tensor.data_access import (
    check_copy_across,
    check_has_data,
    copy_bits,
    copy_elements,
    raw_array,
    write_raw_cast,
)
from ..._tensor.factories import python_scalar
from ..._tensor.sparse_dispatch import dispatch_sparse
from ..._tensor.tensor import METHODS, Tensor
from ..._tensor.views import record_grad_fn
from .clone import clone, copied_like, is_contiguous_in, like_geometry
from .conj_neg_fallback import resolve_conj_neg, resolves_conj_neg_in_place
from .memory_overlap import check_copy_overlap, check_no_overlap, is_same_view, reads_written
from .out_argument import check_shape
from .registration import Op, register_operator
from .vector_loops import write_in_turn

FORMAT = "*, MemoryFormat? memory_format=None"


def contiguous(tensor: Tensor, memory_format: memory_format = contiguous_format) -> Tensor:
    """Return the tensor if it is contiguous in a memory format, else a contiguous copy."""
    if is_contiguous_in(tensor._geometry, memory_format):
        return tensor
    check(
        memory_format is not preserve_format,
        lambda: "preserve memory format is unsupported by the contiguous operator",
    )
    return clone(tensor, memory_format)


def copy_(tensor: Tensor, other: Any, non_blocking: bool = False) -> Tensor:
    """Tensor.copy_(src, non_blocking=False): write the elements of ``src``, cast and broadcast."""
    source = other if isinstance(other, Tensor) else scalar_to_tensor(other)
    # Autograd does not track copies to dtypes that are not differentiable.
    sources = (source,) if is_differentiable(tensor) else ()
    check_inplace(tensor, *sources)
    geometry = tensor._geometry
    if (
        source._geometry is geometry
        and geometry.is_contiguous
        and geometry.device is CPU
        and source._storage is not tensor._storage
        and not (tensor._conj_neg or source._conj_neg)
    ):
        convert_into(raw_array(tensor), raw_array(source), source._dtype, tensor._dtype)
        return record_write(tensor, sources, "CopyBackwards")
    is_same = source is tensor or is_same_view(tensor, source)
    if not is_same:
        check_copy_across(tensor, source)
        check_copy_overlap(tensor, source)
    broadcast = broadcasting.broadcast_pair(geometry.shape, source._geometry.shape)
    check_shape(tensor, broadcast)
    if not is_same:
        copy_into(tensor, source)
    return record_write(tensor, sources, "CopyBackwards")


def copy_into(target: Tensor, source: Tensor) -> None:
    """Write the elements of ``source``, cast and broadcast, into ``target``; both may be meta."""
    if target._conj_neg != source._conj_neg:
        copy_elements(target, source)
        return
    check_copy_across(target, source)
    if target._geometry.device is META:
        return  # a copy to meta neither casts nor warns (copy_impl in ATen/native/Copy.cpp)
    if target._dtype is source._dtype and target._geometry.device is not source._geometry.device:
        device = target._geometry.device
        copy_bits(target, raw_array(source), source._geometry.device if device is CPU else device)
    elif target._geometry.numel:
        if target._storage is source._storage and reads_written(target, (source,), apart=True):
            cast = converter(source._dtype, target._dtype)
            write_in_turn(cast, raw_array(target), [raw_array(source)])
        else:
            write_raw_cast(target, raw_array(source), source._dtype)


def scalar_to_tensor(value: Any) -> Tensor:
    """Return a 0-dim tensor of a number (c10::scalar_to_tensor)."""
    number = python_scalar(value)
    dtype = tensor_dtype_of(number)
    result = empty_with(dense(()), dtype)
    raw_array(result)[...] = encode_scalar(number, dtype, ScalarPath.SCALAR_ZERO_DIM)
    return result


def record_write(tensor: Tensor, sources: tuple[Tensor, ...], function: str) -> Tensor:
    """Record an in-place write in autograd, and return the tensor."""
    record_inplace(tensor, sources, function)
    return tensor


def fill_(tensor: Tensor, value: Any) -> Tensor:
    """Tensor.fill_(value): write one number into every element."""
    check_inplace(tensor)
    fill_scalar(tensor, python_scalar(value))
    return record_write(tensor, (), "FillBackward2")


def check_fill_value(value: Tensor) -> None:
    """Raise if a tensor whose element is to be written everywhere is not 0-dim."""
    rank = value._geometry.rank
    check(
        not rank,
        lambda: (
            f"fill_ only supports 0-dimension value tensor but got tensor with {rank} dimensions."
        ),
    )


def _fill_from(tensor: Tensor, value: Tensor) -> Tensor:
    """Tensor.fill_(value): write the element of a 0-dim tensor into every element."""
    check_inplace(tensor, value)
    check_fill_value(value)
    if META in (tensor._geometry.device, value._geometry.device):
        return record_write(tensor, (value,), "FillBackward3")  # meta_fill_ writes nothing
    check_no_overlap(tensor)
    if value._storage is tensor._storage and tensor._dtype is COMPLEX32:
        warn_complex32()  # torch copies the value first
    copy_into(tensor, value)
    return record_write(tensor, (value,), "FillBackward3")


def zero_(tensor: Tensor) -> Tensor:
    """Tensor.zero_(): write zero into every element."""
    check_inplace(tensor)
    write_zeros(tensor)
    return record_write(tensor, (), "ZeroBackward0")


# Conversions.


def to_dtype(
    tensor: Tensor, dtype: dtype, copy: bool, memory_format: memory_format | None
) -> Tensor:
    """Return a tensor of a dtype and memory format: the tensor itself if nothing changes."""
    if tensor._geometry.is_sparse:
        return dispatch_sparse("to_dtype", tensor, dtype, copy, memory_format)  # type: ignore[no-any-return]
    if dtype is tensor._dtype and not copy:
        geometry = tensor._geometry
        if memory_format is None or memory_format is preserve_format:
            return tensor
        suggested = strides.suggested_format(geometry.shape, geometry.stride)
        if str(memory_format) == f"torch.{suggested}":
            return tensor
    result = copied_like(
        resolve_conj_neg(tensor) if tensor._conj_neg else tensor, memory_format, dtype
    )
    if (
        tensor._autograd_meta is None
        and tensor._view_base is None
        and tensor._version_counter is None
    ):
        return result  # the usual case: autograd does not track the tensor
    return record_grad_fn(result, (tensor,), "ToCopyBackward0", "CopyBackwards")


def to_device(
    tensor: Tensor,
    device: device | None,
    dtype: dtype,
    copy: bool,
    memory_format: memory_format | None,
) -> Tensor:
    """Return a tensor of a dtype and memory format on a device; None is the tensor's own device.

    A copy to another device preserves strides, as a copy on the same device does.
    """
    tensor_device = tensor._geometry.device
    if device is None or device is tensor_device:
        return to_dtype(tensor, dtype, copy, memory_format)
    if tensor._geometry.is_sparse:
        return dispatch_sparse("to_place", tensor, device, dtype, copy, memory_format)  # type: ignore[no-any-return]
    geometry = on_device(like_geometry(tensor, memory_format, dtype), device)
    if tensor._conj_neg:
        tensor = resolve_conj_neg(tensor)
    result = empty_with(geometry, dtype)
    if device is not META:
        check_has_data(tensor)
    copy_into(result, tensor)
    return record_grad_fn(result, (tensor,), "ToCopyBackward0", "CopyBackwards")


for _op in (
    Op("clone", {FORMAT: clone}, has_no_args_path=True),
    Op(
        "contiguous",
        {"*, MemoryFormat memory_format=contiguous_format": contiguous},
        function=False,
        has_no_args_path=True,
    ),
    Op(
        "copy_",
        {
            "Tensor other, bool non_blocking=False": copy_,
            "Tensor other, bool async=False|deprecated": copy_,
        },
        function=False,
    ),
    Op(
        "fill_",
        {
            "Tensor value": resolves_conj_neg_in_place(_fill_from),
            "Scalar value": resolves_conj_neg_in_place(fill_),
        },
    ),
    Op("zero_", {"": resolves_conj_neg_in_place(zero_)}),
):
    register_operator(_op)


_slow_fill_ = METHODS["fill_"]


@wraps(_slow_fill_)
def _fast_fill_(self: Any = MISSING, /, *args: Any, **keywords: Any) -> Tensor:
    if (
        len(args) == 1
        and not keywords
        and type(args[0]) is float
        and isinstance(self, Tensor)
        and not (self._conj_neg or self._geometry.is_sparse)
    ):
        return fill_(self, args[0])
    return _slow_fill_(self, *args, **keywords)  # type: ignore[no-any-return]


METHODS["fill_"] = _fast_fill_
