"""The operators that copy and write elements: clone, contiguous, copy_, fill_, and their kin."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from .. import shapes, strides
from ..arrays import carrier, np
from ..blocks import PART
from ..casting import convert, convert_into, duplicate
from ..deterministic import SWITCHES
from ..dtypes import ALL, DTYPES, Kind, dtype, row_of
from ..elements import codes, copy_elements, from_codes, values
from ..errors import check
from ..factories import (
    COMPLEX32,
    empty_with,
    format_strides,
    number_of,
    resize_output,
    warn_of_complex32,
)
from ..geometry import Geometry, dense, strided
from ..history import count_write, may_require
from ..layouts import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    memory_format,
    preserve_format,
)
from ..lazy_bits import CONJUGATE, NEGATIVE
from ..recording import note_write
from ..results import check_no_gradients
from ..scalars import scalar_dtype
from ..storage import adopt, buffer
from ..tensor import Tensor, came_from, check_writable, copy_knowledge, make
from ..warn import warn_once
from ..writing import Way, code, no_quantizer
from .rows import Op, install

FORMAT = "*, MemoryFormat? memory_format=None"
_FLOAT = DTYPES["float32"]


def like_geometry(tensor: Tensor, form: memory_format | None, kind: dtype) -> Geometry:
    """Return the geometry of a new tensor like another, in a memory format, of a dtype.

    Raises what torch does where it cannot allocate such a tensor.
    """
    geometry = tensor._geometry
    if form is None or form is preserve_format:
        check(kind not in _QUANTIZED, lambda: _NO_QUANTIZED_STRIDES)
        kept = geometry.plans.get("like")
        if kept is None:
            stride = strides.like(geometry.shape, geometry.stride)
            kept = geometry.keep("like", strided(geometry.shape, stride))
        return kept  # type: ignore[no-any-return]
    if kind in _QUANTIZED:
        warn_once(_QUANTIZED_GOES)
    if form is contiguous_format:
        return dense(geometry.shape)
    if kind is COMPLEX32 and len(geometry.shape) != _RANKS[form]:
        warn_of_complex32()  # torch allocates before it looks at the strides
    return strided(geometry.shape, format_strides(geometry.shape, form) or ())


_RANKS = {channels_last: 4, channels_last_3d: 5}
_QUANTIZED = frozenset(kind for kind in ALL if row_of(kind).kind is Kind.QUANTIZED)
_NO_QUANTIZED_STRIDES = (
    "empty_strided not supported on quantized tensors yet see"
    " https://github.com/pytorch/pytorch/issues/74540"
)
_QUANTIZED_GOES = (
    "torch.quantize_per_tensor, torch.quantize_per_channel and other quantized tensor creation"
    " functions that produce tensors with dtype torch.quint8, torch.qint8, and torch.qint32 are"
    " deprecated and will be removed in a future PyTorch release. Please see"
    " https://github.com/pytorch/pytorch/issues/184982 for more information. (Triggered internally"
    " at /__w/pytorch/pytorch/aten/src/ATen/quantized/Quantizer.cpp:111.)"
)


def _copy_geometry(tensor: Tensor, form: memory_format | None, kind: dtype) -> Geometry:
    """Return the geometry of a copy; refuse one of a quantized dtype as torch does.

    From ATen/native/quantized/Copy.cpp.
    """
    if (form is None or form is preserve_format) and kind not in _QUANTIZED:
        kept = tensor._geometry.plans.get("like")
        if kept is not None:
            return kept  # type: ignore[no-any-return]
    geometry = like_geometry(tensor, form, kind)
    if kind in _QUANTIZED:
        check(
            tensor._dtype is _FLOAT,
            lambda: "Quantized copy only works with kFloat as source Tensor",
        )
        own = tensor._geometry
        check(
            any(
                is_in_format(own, each) and is_in_format(geometry, each)
                for each in (contiguous_format, channels_last)
            ),
            lambda: "Quantized copy only works with contiguous and NHWC Tensors",
        )
        no_quantizer(kind)
    return geometry


def copied(tensor: Tensor, geometry: Geometry, kind: dtype) -> Tensor:
    """Make a tensor of a geometry and dtype with the elements of another."""
    if geometry is tensor._geometry and not tensor._lazy and _is_dense(geometry):
        return _copied_as_it_lies(tensor, kind)
    source = tensor._dtype
    if geometry.numel <= PART and geometry is dense(geometry.shape) and not SWITCHES.enabled:
        if kind is COMPLEX32:
            warn_of_complex32()
        found = values(tensor)
        array = duplicate(found, kind) if kind is source else convert(found, source, kind)
        return from_codes(np.asarray(array, order="C"), kind)
    result = empty_with(geometry, kind)
    convert_into(codes(result), values(tensor), source, kind)
    return result


def _copied_as_it_lies(tensor: Tensor, kind: dtype) -> Tensor:
    """Make a tensor of a dtype like one without gaps, in the order of its memory."""
    geometry, source, storage = tensor._geometry, tensor._dtype, tensor._storage
    if kind is COMPLEX32:
        warn_of_complex32()
    flat, carried = storage._array, carrier(source)
    if flat is None or flat.dtype is not carried or flat.size != geometry.numel:
        start = tensor._offset * source.itemsize
        flat = np.ndarray(geometry.numel, carried, buffer(storage), start)
    if not geometry.rank:
        flat = flat.reshape(())  # torch has other words for what it cannot convert then
    array = duplicate(flat, kind) if kind is source else convert(flat, source, kind)
    # NumPy gives a number, not an array, for what has no dimensions.
    return make(adopt(array if geometry.rank else np.asarray(array)), geometry, 0, kind)


def _is_dense(geometry: Geometry) -> bool:
    """Tell whether there are elements, and they lie side by side in any order."""
    shape, stride = geometry.shape, geometry.stride
    return geometry.numel > 0 and strides.is_non_overlapping_and_dense(shape, stride)


def copied_like(tensor: Tensor, form: memory_format | None, kind: dtype) -> Tensor:
    """Make a tensor of a memory format and dtype with the elements of another."""
    if (form is None or form is preserve_format) and kind not in _QUANTIZED:
        geometry = tensor._geometry
        same = geometry.plans.get("as it lies")
        if same is None:
            same = _is_dense(geometry) and like_geometry(tensor, form, kind) is geometry
            geometry.keep("as it lies", same)
        if same and not tensor._lazy:
            return _copied_as_it_lies(tensor, kind)
    return copied(tensor, _copy_geometry(tensor, form, kind), kind)


def clone(tensor: Tensor, form: memory_format | None = None) -> Tensor:
    """clone(input, *, memory_format=torch.preserve_format): a copy with memory of its own."""
    result = copied_like(tensor, form, tensor._dtype)
    return came_from(result, (tensor,), "CloneBackward0", "CopyBackwards")


def contiguous_copy(tensor: Tensor) -> Tensor:
    """Return a contiguous copy that autograd knows nothing of."""
    return copied(tensor, _copy_geometry(tensor, contiguous_format, tensor._dtype), tensor._dtype)


def resolved(tensor: Tensor) -> Tensor:
    """Return the tensor, or a clone of one with the conjugate or the negative bit.

    Operators that know nothing of the bits are given it (ATen/native/MathBitsFallback.h).
    """
    return clone(tensor) if tensor._lazy else tensor


def write_to_clone(tensor: Tensor, run: Callable[[Tensor], Any]) -> Tensor:
    """Write to a clone of a tensor with a bit, then copy that into it; return the tensor.

    So does torch with what is written to, below autograd (ATen/native/MathBitsFallback.h).
    """
    stand_in = copied(tensor, like_geometry(tensor, None, tensor._dtype), tensor._dtype)
    geometry = tensor._geometry
    overlaps = shapes.has_internal_overlap(geometry.shape, geometry.stride) == "yes"
    if overlaps:
        check_writable(tensor)  # nothing is to be noted, unless the tensor gets another shape
    else:
        copy_knowledge(stand_in, tensor)
    run(stand_in)
    if stand_in._geometry.shape != tensor._geometry.shape:
        resize_output(tensor, stand_in._geometry.shape)
    check_no_overlap(tensor, stand_in)
    copy_elements(tensor, stand_in)
    if overlaps:
        count_write(tensor)
    else:
        copy_knowledge(tensor, stand_in)
    return tensor


def without_bits(operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return operands, of which the tensors have neither the conjugate nor the negative bit."""
    if _has_bits(operands):
        return _without(CONJUGATE, _without(NEGATIVE, operands))
    return operands


def _without(bit: int, operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return operands, of which those with a bit are clones; torch looks for the negative bit first."""
    return tuple([clone(x) if isinstance(x, Tensor) and x._lazy & bit else x for x in operands])


def _has_bits(operands: tuple[Any, ...]) -> bool:
    return any(isinstance(each, Tensor) and each._lazy for each in operands)


def heeding(run: Callable[..., Any], name: str = "") -> Callable[..., Any]:
    """Let an operator that knows nothing of the bits have operands, and an ``out``, without them.

    ``name`` is that of an operator with ``out`` that autograd knows: gradients are refused first.
    """

    @wraps(run)
    def heeds(*operands: Any, out: Tensor | None = None) -> Any:
        if out is None:
            return run(*without_bits(operands))
        if name:
            check_no_gradients(name, *(x for x in operands if isinstance(x, Tensor)), out)
        operands = without_bits(operands)
        if out._lazy:
            return write_to_clone(out, lambda clone: run(*operands, out=clone))
        return run(*operands, out=out)

    return heeds


def heeding_in_place(change: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Let what changes its first operand, and knows nothing of the bits, have operands without them."""

    @wraps(change)
    def heeds(target: Tensor, *others: Any) -> Tensor:
        if not _has_bits((target, *others)):
            return change(target, *others)
        check_writable(target, *(x for x in others if isinstance(x, Tensor)))
        return changed_without_bits(change, target, others)

    return heeds


def changed_without_bits(
    change: Callable[..., Tensor], target: Tensor, others: tuple[Any, ...]
) -> Tensor:
    """Change a tensor, or a clone of it if it has a bit, by operands without bits."""
    if not target._lazy:
        return change(target, *without_bits(others))
    if not target._lazy & NEGATIVE:
        others = _without(NEGATIVE, others)
    return write_to_clone(target, lambda clone: change(clone, *without_bits(others)))


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
        check(shapes.overlaps(place(target), place(source)) != "partial", lambda: PARTLY_ON)


def check_apart(target: Tensor, source: Tensor) -> None:
    """Refuse to write to elements that are read, be they the same ones."""
    if source._storage is target._storage:
        status = "full" if source is target else shapes.overlaps(place(target), place(source))
        check(status not in ("full", "partial"), lambda: PARTLY_ON)


PARTLY_ON = (
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


def place(tensor: Tensor) -> Any:
    """Return what decides where the elements of a tensor lie in its storage."""
    geometry = tensor._geometry
    return geometry.shape, geometry.stride, tensor._offset, tensor._dtype.itemsize


def copy_(tensor: Tensor, other: Any, non_blocking: bool = False) -> Tensor:
    """Tensor.copy_(src, non_blocking=False): write another tensor's elements, broadcast, into this one."""
    source = other if isinstance(other, Tensor) else scalar(other)
    # Autograd does not follow numbers into integers.
    sources = (source,) if may_require(tensor) else ()
    check_writable(tensor, *sources)
    geometry = tensor._geometry
    if (
        source._geometry is geometry
        and geometry.is_contiguous
        and source._storage is not tensor._storage
        and not (tensor._lazy or source._lazy)
    ):
        convert_into(codes(tensor), codes(source), source._dtype, tensor._dtype)
        return written(tensor, sources, "CopyBackwards")
    same = source is tensor or is_same_place(tensor, source)
    if not same:
        check_no_overlap(tensor, source)
    shape = tensor._geometry.shape
    broadcast = shapes.broadcast_pair(shape, source._geometry.shape)
    check(
        broadcast == shape,
        lambda: f"output with shape {[*shape]} doesn't match the broadcast shape {[*broadcast]}",
    )
    if not same:
        write_over(tensor, source)
    return written(tensor, sources, "CopyBackwards")


def write_over(target: Tensor, source: Tensor) -> None:
    """Write the elements of a tensor, broadcast, over those of another, of which there may be none."""
    if target._lazy or source._lazy:
        copy_elements(target, source)
    elif target._geometry.numel:
        convert_into(codes(target), codes(source), source._dtype, target._dtype)


def scalar(value: Any) -> Tensor:
    """Make a 0-dim tensor of a number, as torch does where a tensor is wanted."""
    number = number_of(value)
    kind = widest_dtype(number)
    result = empty_with(dense(()), kind)
    codes(result)[...] = code(number, kind, Way.SCALAR_ZERO_DIM)
    return result


def widest_dtype(value: Any) -> dtype:
    """Return the dtype of a tensor that is made of a number, whatever the default dtype is."""
    found = scalar_dtype(value)
    if found.is_complex:
        return DTYPES["complex128"]
    return DTYPES["float64"] if found.is_floating_point else found


def written(tensor: Tensor, sources: tuple[Tensor, ...], function: str) -> Tensor:
    """Count a write in place, and note what was written."""
    note_write(tensor, sources, function)
    return tensor


def fill_(tensor: Tensor, value: Any) -> Tensor:
    """Tensor.fill_(value): write one number into every element."""
    check_writable(tensor)
    way = Way.SCALAR if tensor._geometry.numel != 1 else Way.SCALAR_ZERO_DIM
    codes(tensor)[...] = code(number_of(value), tensor._dtype, way)
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
    codes(tensor)[...] = 0 if dense else code(0, tensor._dtype, Way.SCALAR)


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
    result = copied_like(source, form, kind)
    return came_from(result, (tensor,), "ToCopyBackward0", "CopyBackwards")


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
        {"Tensor value": heeding_in_place(_fill_from), "Scalar value": heeding_in_place(fill_)},
        function=False,
    ),
    Op("zero_", {"": heeding_in_place(zero_)}),
):
    install(_op)


def _filling_shortly(slow: Any) -> Any:
    """Return Tensor.fill_ with a short way for a float."""

    @wraps(slow)
    def fill_with(self: Tensor, /, *args: Any, **keywords: Any) -> Tensor:
        if len(args) == 1 and not keywords and type(args[0]) is float and not self._lazy:
            return fill_(self, args[0])
        return slow(self, *args, **keywords)  # type: ignore[no-any-return]

    return fill_with


Tensor.fill_ = _filling_shortly(Tensor.fill_)  # type: ignore[attr-defined]
