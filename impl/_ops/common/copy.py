"""The operators that copy and write elements: clone, contiguous, copy_, fill_, and their kin."""

from functools import wraps
from typing import Any

from ..._autograd.autograd_meta import is_differentiable
from ..._autograd.tracking import check_writable, record_inplace
from ..._devices.device import CPU, META, device
from ..._dtypes.constants import COMPLEX32, COMPLEX128, FLOAT64
from ..._dtypes.scalars import scalar_dtype
from ..._dtypes.table import dtype
from ..._geometry import broadcasting, strides
from ..._geometry.geometry import dense, on_device
from ..._geometry.layout import contiguous_format, memory_format, preserve_format
from ..._numerics.cast import convert_into
from ..._numerics.encode_scalar import ScalarPath, encode_scalar
from ..._runtime.errors import check
from ..._tensor.data_access import (
    check_cast,
    check_copy_across,
    check_has_data,
    copy_bits,
    copy_elements,
    raw_array,
    write_raw,
    write_raw_cast,
)
from ..._tensor.factories import empty_with, number_of, warn_of_complex32
from ..._tensor.sparse_dispatch import of_sparse
from ..._tensor.tensor import METHODS, Tensor, record_grad_fn
from .clone import clone, copied_like, is_in_format, like_geometry
from .conj_neg_fallback import resolved, resolves_conj_neg_in_place
from .memory_overlap import (
    check_no_overlap,
    is_same_place,
)
from .registration import Op, install

FORMAT = "*, MemoryFormat? memory_format=None"


def contiguous(tensor: Tensor, form: memory_format = contiguous_format) -> Tensor:
    """Return the tensor itself if it is contiguous in a memory format, or else a copy that is."""
    if is_in_format(tensor._geometry, form):
        return tensor
    check(
        form is not preserve_format,
        lambda: "preserve memory format is unsupported by the contiguous operator",
    )
    return clone(tensor, form)


def copy_(tensor: Tensor, other: Any, non_blocking: bool = False) -> Tensor:
    """Tensor.copy_(src, non_blocking=False): write another tensor's elements, broadcast, into this one."""
    source = other if isinstance(other, Tensor) else scalar(other)
    # Autograd does not follow numbers into integers.
    sources = (source,) if is_differentiable(tensor) else ()
    check_writable(tensor, *sources)
    geometry = tensor._geometry
    if (
        source._geometry is geometry
        and geometry.is_contiguous
        and geometry.device is CPU
        and source._storage is not tensor._storage
        and not (tensor._conj_neg or source._conj_neg)
    ):
        convert_into(raw_array(tensor), raw_array(source), source._dtype, tensor._dtype)
        return written(tensor, sources, "CopyBackwards")
    same = source is tensor or is_same_place(tensor, source)
    if not same:
        check_no_overlap(tensor, source)
    shape = tensor._geometry.shape
    broadcast = broadcasting.broadcast_pair(shape, source._geometry.shape)
    check(
        broadcast == shape,
        lambda: f"output with shape {[*shape]} doesn't match the broadcast shape {[*broadcast]}",
    )
    if not same:
        write_over(tensor, source)
    return written(tensor, sources, "CopyBackwards")


def write_over(target: Tensor, source: Tensor) -> None:
    """Write the elements of a tensor, broadcast, over those of another, of which there may be none."""
    if target._conj_neg or source._conj_neg:
        copy_elements(target, source)
        return
    check_copy_across(target, source)
    if target._geometry.device is META:
        check_cast(target, source)
    elif target._dtype is source._dtype and target._geometry.device is not source._geometry.device:
        own = target._geometry.device
        copy_bits(target, raw_array(source), source._geometry.device if own is CPU else own)
    elif target._geometry.numel:
        write_raw_cast(target, raw_array(source), source._dtype)


def scalar(value: Any) -> Tensor:
    """Make a 0-dim tensor of a number, as torch does where a tensor is wanted."""
    number = number_of(value)
    kind = widest_dtype(number)
    result = empty_with(dense(()), kind)
    raw_array(result)[...] = encode_scalar(number, kind, ScalarPath.SCALAR_ZERO_DIM)
    return result


def widest_dtype(value: Any) -> dtype:
    """Return the dtype of a tensor that is made of a number, whatever the default dtype is."""
    found = scalar_dtype(value)
    if found.is_complex:
        return COMPLEX128
    return FLOAT64 if found.is_floating_point else found


def written(tensor: Tensor, sources: tuple[Tensor, ...], function: str) -> Tensor:
    """Count a write in place, and note what was written."""
    record_inplace(tensor, sources, function)
    return tensor


def fill_(tensor: Tensor, value: Any) -> Tensor:
    """Tensor.fill_(value): write one number into every element."""
    check_writable(tensor)
    way = ScalarPath.SCALAR if tensor._geometry.numel != 1 else ScalarPath.SCALAR_ZERO_DIM
    write_raw(tensor, encode_scalar(number_of(value), tensor._dtype, way))
    return written(tensor, (), "FillBackward2")


def _fill_from(tensor: Tensor, value: Tensor) -> Tensor:
    """Tensor.fill_(value): write the one element of a tensor into every element."""
    check_writable(tensor, value)
    rank = value._geometry.rank
    check(
        not rank,
        lambda: (
            f"fill_ only supports 0-dimension value tensor but got tensor with {rank} dimensions."
        ),
    )
    check_no_overlap(tensor)
    if value._storage is tensor._storage and tensor._dtype is COMPLEX32:
        warn_of_complex32()  # torch makes a copy of the value first
    write_over(tensor, value)
    return written(tensor, (value,), "FillBackward3")


def zero_(tensor: Tensor) -> Tensor:
    """Tensor.zero_(): write zero into every element."""
    check_writable(tensor)
    write_zeros(tensor)
    return written(tensor, (), "ZeroBackward0")


def write_zeros(tensor: Tensor) -> None:
    """Write zero into every element."""
    geometry = tensor._geometry
    # Where there are no gaps torch sets the bytes, whatever they mean.
    dense = geometry.numel and strides.is_non_overlapping_and_dense(geometry.shape, geometry.stride)
    write_raw(tensor, 0 if dense else encode_scalar(0, tensor._dtype, ScalarPath.SCALAR))


# Conversions.


def to_dtype(tensor: Tensor, dtype: dtype, copy: bool, form: memory_format | None) -> Tensor:
    """Return a tensor of a dtype and memory format: itself if it is one, and no copy is asked for."""
    if tensor._geometry.is_sparse:
        return of_sparse("to_dtype", tensor, dtype, copy, form)  # type: ignore[no-any-return]
    if dtype is tensor._dtype and not copy:
        geometry = tensor._geometry
        if form is None or form is preserve_format:
            return tensor
        if str(form) == f"torch.{strides.suggested_format(geometry.shape, geometry.stride)}":
            return tensor
    result = copied_like(resolved(tensor) if tensor._conj_neg else tensor, form, dtype)
    if tensor._autograd_meta is None and tensor._base is None and tensor._version_counter is None:
        return result  # as most do, came from nothing that autograd knows of
    return record_grad_fn(result, (tensor,), "ToCopyBackward0", "CopyBackwards")


def to_place(
    tensor: Tensor, device: device | None, dtype: dtype, copy: bool, form: memory_format | None
) -> Tensor:
    """Return a tensor of a dtype and memory format on a device; None stands for where it is.

    What is moved keeps its strides, as a copy on the same device does.
    """
    own = tensor._geometry.device
    if device is None or device is own:
        return to_dtype(tensor, dtype, copy, form)
    if tensor._geometry.is_sparse:
        return of_sparse("to_place", tensor, device, dtype, copy, form)  # type: ignore[no-any-return]
    geometry = on_device(like_geometry(tensor, form, dtype), device)
    if device is not META:
        check_has_data(tensor)
    if tensor._conj_neg:
        tensor = resolved(tensor)
    made = empty_with(geometry, dtype)
    write_over(made, tensor)
    return record_grad_fn(made, (tensor,), "ToCopyBackward0", "CopyBackwards")


for _op in (
    Op("clone", {FORMAT: clone}, bare=True),
    Op(
        "contiguous",
        {"*, MemoryFormat memory_format=contiguous_format": contiguous},
        function=False,
        bare=True,
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
        function=False,
    ),
    Op("zero_", {"": resolves_conj_neg_in_place(zero_)}),
):
    install(_op)


def _filling_shortly(slow: Any) -> Any:
    """Return Tensor.fill_ with a short way for a float."""

    @wraps(slow)
    def fill_with(self: Tensor, /, *args: Any, **keywords: Any) -> Tensor:
        if len(args) == 1 and not keywords and type(args[0]) is float and not self._conj_neg:
            return fill_(self, args[0])
        return slow(self, *args, **keywords)  # type: ignore[no-any-return]

    return fill_with


METHODS["fill_"] = _filling_shortly(METHODS["fill_"])
