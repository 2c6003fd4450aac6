"""The operators that copy and write elements: clone, contiguous, copy_, fill_, and their kin."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from .. import shapes, strides
from ..casting import convert, is_opaque
from ..deterministic import SWITCHES
from ..dtypes import DTYPES, as_dtype, dtype, row_of
from ..elements import codes, copy_elements, from_codes, values
from ..errors import check
from ..factories import (
    COMPLEX32,
    check_options,
    empty_with,
    format_strides,
    number_of,
    resize_output,
    warn_of_complex32,
)
from ..geometry import Geometry, dense, strided
from ..layouts import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    memory_format,
    preserve_format,
)
from ..scalars import scalar_dtype
from ..storage import adopt, buffer
from ..tensor import Tensor, came_from, check_writable, is_on_cpu, make
from ..writing import Way, code
from .rows import Op, install

FORMAT = "*, MemoryFormat? memory_format=None"


def like_geometry(tensor: Tensor, form: memory_format | None) -> Geometry:
    """Return the geometry of a new tensor like another, in a memory format."""
    geometry = tensor._geometry
    if form is None or form is preserve_format:
        kept = geometry.plans.get("like")
        if kept is None:
            stride = strides.like(geometry.shape, geometry.stride)
            kept = geometry.keep("like", strided(geometry.shape, stride))
        return kept  # type: ignore[no-any-return]
    if form is contiguous_format:
        return dense(geometry.shape)
    return strided(geometry.shape, format_strides(geometry.shape, form) or ())


def copied(tensor: Tensor, geometry: Geometry, kind: dtype) -> Tensor:
    """Make a tensor of a geometry and dtype with the elements of another."""
    storage = tensor._storage
    size = geometry.numel * kind.itemsize
    if (
        geometry is tensor._geometry
        and kind is tensor._dtype
        and size == storage._size
        and size
        and not is_opaque(kind)
        and kind is not COMPLEX32
        and not tensor._lazy
        and strides.is_non_overlapping_and_dense(geometry.shape, geometry.stride)
    ):
        # All of a storage, as it lies.
        return make(adopt(buffer(storage).copy()), geometry, 0, kind)
    if (
        geometry.is_contiguous
        and not SWITCHES.enabled
        and geometry.stride == dense(geometry.shape).stride
    ):
        if kind is COMPLEX32:
            warn_of_complex32()
        array = convert(values(tensor), tensor._dtype, kind)
        # Adopted, if the conversion has already made a new one.
        if kind is tensor._dtype or not array.flags.c_contiguous or not array.flags.owndata:
            array = array.copy("C")
        return from_codes(array, kind)
    result = empty_with(geometry, kind)
    codes(result)[...] = convert(values(tensor), tensor._dtype, kind)
    return result


def clone(tensor: Tensor, form: memory_format | None = None) -> Tensor:
    """clone(input, *, memory_format=torch.preserve_format): a copy with memory of its own."""
    result = copied(tensor, like_geometry(tensor, form), tensor._dtype)
    return came_from(result, (tensor,), "CloneBackward0")


def resolved(tensor: Tensor) -> Tensor:
    """Return the tensor, or a clone of one with the conjugate or the negative bit.

    Operators that know nothing of the bits are given it (ATen/native/MathBitsFallback.h).
    """
    return clone(tensor) if tensor._lazy else tensor


def write_to_clone(tensor: Tensor, run: Callable[[Tensor], Any]) -> Tensor:
    """Write to a clone of a tensor with a bit, then copy that into it; return the tensor.

    So does torch with what is written to (ATen/native/MathBitsFallback.h).
    """
    stand_in = copied(tensor, like_geometry(tensor, None), tensor._dtype)
    stand_in._base, stand_in._history = tensor._base, tensor._history
    run(stand_in)
    if stand_in._geometry.shape != tensor._geometry.shape:
        resize_output(tensor, stand_in._geometry.shape)
    check_no_overlap(tensor, stand_in)
    copy_elements(tensor, stand_in)
    tensor._history = stand_in._history
    return tensor


def through_clone(run: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Let an operator that writes to its first tensor write to a clone where that has a bit."""

    @wraps(run)
    def written_to(tensor: Tensor, *bound: Any) -> Tensor:
        if tensor._lazy:
            return write_to_clone(tensor, lambda clone: run(clone, *bound))
        return run(tensor, *bound)

    return written_to


def is_in_format(geometry: Geometry, form: memory_format) -> bool:
    """Tell whether a geometry is contiguous in a memory format."""
    if form is channels_last:
        return strides.is_channels_last(geometry.shape, geometry.stride)
    if form is channels_last_3d:
        return strides.is_channels_last_3d(geometry.shape, geometry.stride)
    return geometry.is_contiguous


def contiguous(tensor: Tensor, form: memory_format = contiguous_format) -> Tensor:
    """Return the tensor itself if it is contiguous in a memory format, or else a copy that is."""
    if is_in_format(tensor._geometry, form):
        return tensor
    check(
        form is not preserve_format,
        lambda: "preserve memory format is unsupported by the contiguous operator",
    )
    return clone(tensor, form)


def check_no_overlap(target: Tensor, *sources: Tensor) -> None:
    """Refuse to write where elements lie on each other, or in part on those that are read."""
    shapes.check_no_internal_overlap(target._geometry.shape, target._geometry.stride)
    for source in sources:
        check_not_partly_on(target, source)


def check_not_partly_on(target: Tensor, source: Tensor) -> None:
    """Refuse to write to elements some of which are read as others."""
    if source._storage is target._storage and source is not target:
        check(shapes.overlaps(_place(target), _place(source)) != "partial", lambda: SHARED)


def check_apart(target: Tensor, source: Tensor) -> None:
    """Refuse to write to elements that are read, too."""
    if source._storage is target._storage:
        shared = shapes.overlaps(_place(target), _place(source))
        check(shared not in ("full", "partial"), lambda: SHARED)


SHARED = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a"
    " single memory location. Please clone() the tensor before performing the operation."
)


def is_same_place(left: Tensor, right: Tensor) -> bool:
    """Tell whether two tensors are the same elements: of one storage, dtype, geometry and bits."""
    return (
        left._storage is right._storage
        and left._offset == right._offset
        and left._geometry is right._geometry
        and left._dtype is right._dtype
        and left._lazy == right._lazy
    )


def _place(tensor: Tensor) -> Any:
    geometry = tensor._geometry
    return geometry.shape, geometry.stride, tensor._offset, tensor._dtype.itemsize


def copy_(tensor: Tensor, other: Any, non_blocking: bool = False) -> Tensor:
    """Tensor.copy_(src, non_blocking=False): write another tensor's elements, broadcast, into this one."""
    source = other if isinstance(other, Tensor) else scalar(other)
    check_writable(tensor)
    if source is tensor:
        return tensor
    same = is_same_place(tensor, source)
    if not same:
        check_no_overlap(tensor, source)
    shape = tensor._geometry.shape
    broadcast = shapes.broadcast_pair(shape, source._geometry.shape)
    check(
        broadcast == shape,
        lambda: f"output with shape {[*shape]} doesn't match the broadcast shape {[*broadcast]}",
    )
    if not same:
        copy_elements(tensor, source)
    return written(tensor, (source,), "CopyBackwards")


def scalar(value: Any) -> Tensor:
    """Make a 0-dim tensor of a number, as torch does where a tensor is wanted."""
    kind = scalar_dtype(value)
    result = empty_with(dense(()), kind)
    codes(result)[...] = code(value, kind, Way.SCALAR_ZERO_DIM)
    return result


def written(tensor: Tensor, sources: tuple[Tensor, ...], function: str) -> Tensor:
    """Note what was written into a tensor in place."""
    if tensor._history is not None or any(each._history is not None for each in sources):
        record_write(tensor, sources, function)
    return tensor


def record_write(tensor: Tensor, sources: tuple[Tensor, ...], function: str) -> None:
    """Give a tensor that was written to its new history; of a view, that of its base, too."""
    if tensor._base is None:
        came_from(tensor, (tensor, *sources), function)
        return
    came_from(tensor._base, (tensor, *sources), "CopySlices")
    came_from(tensor, (tensor, *sources), "AsStridedBackward0")


def fill_(tensor: Tensor, value: Any) -> Tensor:
    """Tensor.fill_(value): write one number into every element."""
    check_writable(tensor)
    way = Way.SCALAR if tensor._geometry.numel != 1 else Way.SCALAR_ZERO_DIM
    codes(tensor)[...] = code(number_of(value), tensor._dtype, way)
    return written(tensor, (), "FillBackward2")


def _fill_from(tensor: Tensor, value: Tensor) -> Tensor:
    """Tensor.fill_(value): write the one element of a tensor into every element."""
    value = resolved(value)
    rank = value._geometry.rank
    check(
        not rank,
        lambda: (
            f"fill_ only supports 0-dimension value tensor but got tensor with {rank} dimensions."
        ),
    )
    check_writable(tensor)
    check_no_overlap(tensor)
    if value._storage is tensor._storage and tensor._dtype is COMPLEX32:
        warn_of_complex32()  # torch makes a copy of the value first
    if tensor._geometry.numel:
        codes(tensor)[...] = convert(codes(value), value._dtype, tensor._dtype)
    return written(tensor, (value,), "FillBackward3")


def zero_(tensor: Tensor) -> Tensor:
    """Tensor.zero_(): write zero into every element."""
    check_writable(tensor)
    geometry = tensor._geometry
    # Where there are no gaps torch sets the bytes, whatever they mean.
    dense = geometry.numel and strides.is_non_overlapping_and_dense(geometry.shape, geometry.stride)
    codes(tensor)[...] = 0 if dense else code(0, tensor._dtype, Way.SCALAR)
    return written(tensor, (), "ZeroBackward0")


# Conversions.


def to_dtype(tensor: Tensor, kind: dtype, copy: bool, form: memory_format | None) -> Tensor:
    """Return a tensor of a dtype and memory format: itself if it is one, and no copy is asked for."""
    if kind is tensor._dtype and not copy:
        geometry = tensor._geometry
        if form is None or form is preserve_format:
            return tensor
        if str(form) == f"torch.{strides.suggested_format(geometry.shape, geometry.stride)}":
            return tensor
    source = resolved(tensor)
    result = copied(source, like_geometry(source, form), kind)
    return came_from(result, (tensor,), "ToCopyBackward0")


def _to(
    tensor: Tensor, device: Any, kind: Any, non_blocking: bool, copy: bool, form: Any
) -> Tensor:
    """Tensor.to(...): the tensor with another dtype, device or memory format."""
    if device is not None and not is_on_cpu(device):
        check_options("to", None, device, False)
    return to_dtype(tensor, tensor._dtype if kind is None else as_dtype(kind), copy, form)


def _to_kind(tensor: Tensor, kind: Any, non_blocking: bool, copy: bool, form: Any) -> Tensor:
    return to_dtype(tensor, as_dtype(kind), copy, form)


def _to_other(tensor: Tensor, other: Tensor, non_blocking: bool, copy: bool, form: Any) -> Tensor:
    return to_dtype(tensor, other._dtype, copy, form)


_REST = "bool non_blocking=False, bool copy=False, *, MemoryFormat? memory_format=None"

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
        {"Tensor value": through_clone(_fill_from), "Scalar value": through_clone(fill_)},
        function=False,
    ),
    Op("zero_", {"": through_clone(zero_)}),
    Op(
        "to",
        {
            f"Device device=None, ScalarType dtype=None, {_REST}": _to,
            f"ScalarType dtype, {_REST}": _to_kind,
            f"Tensor tensor, {_REST}": _to_other,
        },
        function=False,
    ),
):
    install(_op)

# The named conversions.
_NAMED = {
    "float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16",
    "int": "int32", "long": "int64", "short": "int16", "char": "int8", "byte": "uint8",
    "bool": "bool", "cfloat": "complex64", "cdouble": "complex128", "chalf": "complex32",
}  # fmt: skip


def _install_named(name: str, kind: dtype) -> None:
    def run(tensor: Tensor, form: memory_format | None = None) -> Tensor:
        return to_dtype(tensor, kind, False, form)

    run.__doc__ = f"Tensor.{name}(): the tensor with the dtype {row_of(kind).name}."
    install(Op(name, {FORMAT: run}, function=False, bare=True))


for _name, _target in _NAMED.items():
    _install_named(_name, as_dtype(DTYPES[_target]))


def _cpu(tensor: Tensor, form: memory_format | None) -> Tensor:
    """Tensor.cpu(): the tensor on the CPU."""
    return to_dtype(tensor, tensor._dtype, False, form)


install(Op("cpu", {FORMAT: _cpu}, function=False))
