"""Reading and writing of elements by their places: what tensors as indices do.

The rules are those of ATen/native/TensorAdvancedIndexing.cpp: masks become
places, all places are broadcast together, and what they show is walked through
by an iterator over the tensor and the places, which decides in which order the
result lies.  Torch reads places as they lie in memory, whatever their negative
bit says (MathBitsFallback.h resolves no optional tensors).
"""

from math import prod
from typing import Any, NamedTuple

from ..._arrays.numpy_bridge import is_native, np, numpy_storage_dtype
from ..._arrays.opaque_dtypes import is_opaque
from ..._devices.device import META
from ..._dtypes.constants import BOOL, INT32, INT64, UINT8
from ..._dtypes.table import DTYPES, dtype, spec_of
from ..._geometry import broadcasting, strides
from ..._geometry.basic_indexing import Taken
from ..._geometry.extents import Ints
from ..._geometry.geometry import strided
from ..._geometry.view_shapes import wrap_dim
from ..._numerics.cast import convert, numbers
from ..._numerics.from_python import stand_in
from ..._runtime.errors import check
from ..._runtime.warnings import warn
from ..._storage.untyped_storage import buffer
from ..._tensor.data_access import raw_array
from ..._tensor.factories import empty_with
from ..._tensor.tensor import Tensor, new_tensor
from ..common.device_checks import check_counts, check_index, common_device
from ..common.memory_overlap import check_apart
from .masked_fill import element_of, fill_where


class _Places(NamedTuple):
    """Where elements lie in one dimension: an array of int64, and the strides of torch's tensor.

    Of a tensor on meta they are not ``known``.
    """

    array: Any
    stride: Ints
    known: bool = True

    @property
    def shape(self) -> Ints:
        return self.array.shape  # type: ignore[no-any-return]


class _Plan(NamedTuple):
    """What places show of a tensor (AdvancedIndex).

    ``array`` are the tensor's elements, indexed by ``places``, an entry for
    each dimension, where None stands for all of it.  The result has the
    ``shape``, and ``stride`` is that of the tensor restrided to it.
    """

    view: Tensor
    places: tuple[_Places | None, ...]
    shape: Ints
    stride: Ints
    operands: tuple[tuple[Ints, Ints], ...]
    first: int

    def order(self, *others: tuple[Ints, Ints]) -> Ints:
        """Return the strides of a result, in whose order torch's iterator goes."""
        source = self.shape, self.stride
        return strides.elementwise(self.shape, (source, *others, *self.operands))

    def items(self) -> tuple[Any, ...]:
        """Return an index for an array like the tensor."""
        return tuple([slice(None) if each is None else each.array for each in self.places])


def read(view: Tensor, taken: Taken) -> Tensor:
    """Return the elements of a view that are taken by their places."""
    plan = _plan(view, taken)
    order = plan.order()
    dtype = view._dtype
    device = view._geometry.device
    result = empty_with(strided(plan.shape, order), dtype, device)
    if result._geometry.numel:
        _check_known(dtype, "index_cpu", is_opaque(dtype))
        _check_bounds(plan, order)
    if result._geometry.numel and device is not META:
        raw_array(result)[...] = raw_array(view)[plan.items()]
    return result


def write(view: Tensor, taken: Taken, value: Tensor, adds: bool = False) -> None:
    """Write a value over the elements of a view that are taken, or add it to them."""
    shape = view._geometry.shape
    _check_count(view, taken)
    if broadcasting.has_internal_overlap(shape, view._geometry.stride) == "yes":
        warn(_EXPANDED)
    is_single = value._geometry.numel == 1 and not adds
    mask = _only_mask(view, taken) if is_single else None
    own = view._geometry.device
    if mask is not None and own in (mask._geometry.device, META):
        unknown = value._geometry.device is META and own is META
        number = stand_in(value) if unknown else value.item()
        if mask._geometry.device is own:
            fill_where(view, mask, number)
        else:
            element_of(view, number)  # for what it refuses
        return
    check_apart(view, value)
    for each in taken:
        if isinstance(each, Tensor):
            check_apart(view, each)
    if view._geometry.device is META and any(map(_is_unknown_mask, taken)):
        _check_masks(view, taken, value)
        return
    plan = _plan(view, taken)
    if value._geometry.rank or value._geometry.numel != 1:
        common_device((view, value), numbers=False)
    _check_fits(value, plan.shape, view._dtype)
    dtype = view._dtype
    _check_known(dtype, "index_put", is_opaque(dtype) or dtype in _NEVER_PUT)
    if prod(plan.shape):
        order = plan.order((value._geometry.shape, value._geometry.stride))
        _check_bounds(plan, order)
        if view._geometry.device is META:
            return
        _write_in_order(plan, order, raw_array(value), adds)


def _is_unknown_mask(index: Any) -> bool:
    """Tell whether an index is a mask whose elements nobody knows."""
    return (
        isinstance(index, Tensor)
        and index._geometry.device is META
        and index._dtype in (BOOL, UINT8)
    )


def _check_masks(view: Tensor, taken: Taken, value: Tensor) -> None:
    """Refuse what can be refused of writing where masks are True that nobody knows."""
    _check_indices(view, taken)
    place = 0
    for each in taken:
        is_mask = isinstance(each, Tensor) and each._dtype in (BOOL, UINT8)
        if is_mask:
            if each._dtype is UINT8:
                warn(_BYTE_MASK)
            _check_mask(view, each, place)
        place += each._geometry.rank if is_mask else 1
    _check_dtype(value, view._dtype)
    dtype = view._dtype
    _check_known(dtype, "index_put", is_opaque(dtype) or dtype in _NEVER_PUT)


_NEVER_PUT = {DTYPES[name] for name in ("uint16", "uint32", "uint64", "float8_e8m0fnu")}
_EXPANDED = (
    "Use of index_put_ on expanded tensors is deprecated. Please clone() the tensor before"
    " performing this operation. This also applies to advanced indexing e.g. tensor[indices] ="
    " tensor (Triggered internally at"
    " /__w/pytorch/pytorch/aten/src/ATen/native/TensorAdvancedIndexing.cpp:976.)"
)
_BYTE_MASK = (
    "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead."
    " (Triggered internally at /__w/pytorch/pytorch/aten/src/ATen/native/IndexingUtils.h:37.)"
)


def _check_count(view: Tensor, taken: Taken) -> None:
    """Refuse more indices than dimensions, which more than one ellipsis can make."""
    rank = view._geometry.rank
    check(
        len(taken) <= rank,
        lambda: f"too many indices for tensor of dimension {rank} (got {len(taken)})",
        IndexError,
    )


def _check_known(dtype: dtype, kernel: str, unknown: bool) -> None:
    if unknown:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{spec_of(dtype).cpp_name}'")


def _check_fits(value: Tensor, shape: Ints, dtype: dtype) -> None:
    own = value._geometry.shape
    check(
        len(own) <= len(shape)
        and all(
            size in (1, wanted)
            for size, wanted in zip(reversed(own), reversed(shape), strict=False)
        ),
        lambda: (
            f"shape mismatch: value tensor of shape {[*own]} cannot be broadcast to indexing"
            f" result of shape {[*shape]}"
        ),
    )
    _check_dtype(value, dtype)


def _check_dtype(value: Tensor, dtype: dtype) -> None:
    check(
        value._dtype is dtype,
        lambda: (
            "Index put requires the source and destination dtypes match, got"
            f" {spec_of(dtype).cpp_name} for the destination and"
            f" {spec_of(value._dtype).cpp_name} for the source."
        ),
    )


# From indices to places.


def _plan(view: Tensor, taken: Taken) -> _Plan:
    """Find out what indices show of a view (make_info)."""
    _check_count(view, taken)
    _check_indices(view, taken)
    places = _broadcast(_expanded_masks(view, taken))
    geometry = view._geometry
    if len(places) > geometry.rank:
        wrap_dim(geometry.rank, geometry.rank)  # raises: masks can stand for too many dimensions
    places += [None] * (geometry.rank - len(places))
    where = [dim for dim, each in enumerate(places) if each is not None]
    if not where:
        return _Plan(view, tuple(places), geometry.shape, geometry.stride, (), 0)
    side_by_side = where[-1] - where[0] == len(where) - 1
    before = where[0] if side_by_side else 0
    found = [each for each in places if each is not None]
    shown = found[0].shape
    check(
        0 in shown or all(geometry.shape[dim] for dim in where),
        lambda: "index is out of bounds for dimension with size 0",
        IndexError,
    )
    rest = [dim for dim, each in enumerate(places) if each is None]
    sizes, steps = ([whole[dim] for dim in rest] for whole in (geometry.shape, geometry.stride))
    after = len(rest) - before
    return _Plan(
        view,
        tuple(places),
        (*sizes[:before], *shown, *sizes[before:]),
        (*steps[:before], *(0 for _ in shown), *steps[before:]),
        tuple([_among_others(each, before, after) for each in found]),
        before,
    )


def _check_indices(view: Tensor, taken: Taken) -> None:
    for each in taken:
        check(
            not isinstance(each, Tensor) or each._dtype in (INT64, INT32, UINT8, BOOL),
            lambda: "tensors used as indices must be long, int, byte or bool tensors",
            IndexError,
        )
        if isinstance(each, Tensor):
            check_index(view, each)


def _among_others(places: _Places, before: int, after: int) -> tuple[Ints, Ints]:
    """Return the geometry of places with dimensions of size 1 for all others (reshape_indexer)."""
    shape = (1,) * before + places.shape + (1,) * after
    if shape == places.shape:
        return shape, places.stride
    return shape, broadcasting.reshape_stride(places.shape, places.stride, shape) or ()


def _expanded_masks(view: Tensor, taken: Taken) -> list[_Places | None]:
    """Return the places that indices stand for; a mask makes one for each of its dimensions."""
    places: list[_Places | None] = []
    for each in taken:
        if each is None:
            places.append(None)
        elif isinstance(each, bool):
            places.append(_Places(np.zeros(int(each), np.int64), (1,)))
        elif each._dtype is BOOL or each._dtype is UINT8:
            if each._dtype is UINT8:
                warn(_BYTE_MASK)
            _check_mask(view, each, len(places))
            # One without dimensions stands for none, whatever it says.
            check_counts(each)
            found = raw_array(each).nonzero() if each._geometry.rank else ()
            places += [_Places(column, (1,)) for column in found]
        else:
            known = each._geometry.device is not META
            places.append(_Places(_numbers(each), each._geometry.stride, known))
    return places


def _numbers(index: Tensor) -> Any:
    """Return the places that an index holds; on meta it holds none, and any will do."""
    if index._geometry.device is not META:
        return raw_array(index)
    return np.broadcast_to(np.zeros((), np.int64), index._geometry.shape)


def _check_mask(view: Tensor, mask: Tensor, start: int) -> None:
    own, shape = mask._geometry.shape, view._geometry.shape
    for dim, size in enumerate(own):
        check(
            size == shape[wrap_dim(start + dim, len(shape))],
            lambda: (
                f"The shape of the mask {[*own]} at index {dim} does not match the shape of the"  # noqa: B023
                f" indexed tensor {[*shape]} at index {start + dim}"  # noqa: B023
            ),
            IndexError,
        )


def _broadcast(places: list[_Places | None]) -> list[_Places | None]:
    """Broadcast all places together."""
    found = [each for each in places if each is not None]
    shape: Ints = found[0].shape if found else ()
    try:
        for each in found[1:]:
            shape = broadcasting.broadcast_pair(shape, each.shape)
    except RuntimeError:
        listed = ", ".join(str([*each.shape]) for each in found)
        raise IndexError(
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {listed}"
        ) from None
    return [each if each is None else _expand(each, shape) for each in places]


def _expand(places: _Places, shape: Ints) -> _Places:
    """Expand places to a shape; those of int32 are then converted, which closes gaps."""
    array, stride = places.array, places.stride
    if places.shape != shape:
        array = np.broadcast_to(array, shape)
        stride = strides.expand_stride(shape, places.shape, stride)
    if array.dtype != np.int64:
        array, stride = array.astype(np.int64), strides.like(shape, stride)
    return _Places(array, stride, places.known)


def _only_mask(view: Tensor, taken: Taken) -> Tensor | None:
    """Return the one mask among indices, as one for the whole view; None if there is more than it.

    From canDispatchToMaskedFill, which a single value is written by.
    """
    found: Tensor | None = None
    start = dim = 0
    for each in taken:
        if each is None:
            dim += 1
        elif isinstance(each, bool) or each._dtype not in (BOOL, UINT8) or found is not None:
            return None
        else:
            _check_mask(view, each, dim)
            found, start = each, dim
            dim += each._geometry.rank
    assert found is not None
    mask = found
    own = mask._geometry
    missing = view._geometry.rank - start - own.rank
    shape, stride = own.shape + (1,) * missing, own.stride + (1,) * missing
    return new_tensor(mask._storage, strided(shape, stride), mask._offset, mask._dtype)


# The elements.


def _check_bounds(plan: _Plan, order: Ints) -> None:
    """Raise, if all of them are known, of the first place, in the order of torch's iterator, that is outside its dimension."""
    shape = plan.view._geometry.shape
    pairs = [(each, shape[dim]) for dim, each in enumerate(plan.places) if each is not None]
    check(
        pairs,
        lambda: (
            'ntensor >= 3 INTERNAL ASSERT FAILED at "aten/src/ATen/native/cpu/IndexKernelUtils.h":8,'
            " please report a bug to PyTorch. "
        ),
    )
    if not all(each.known for each, _ in pairs):
        return
    wrong = [(each.array < -size) | (each.array >= size) for each, size in pairs]
    if not any(each.any() for each in wrong):
        return
    rank = len(pairs[0][0].shape)
    outer_first = sorted(range(rank), key=lambda dim: -order[plan.first + dim])
    flags = np.stack([each.transpose(outer_first).reshape(-1) for each in wrong])
    at = int(flags.any(0).argmax())
    number = int(flags[:, at].argmax())
    places, size = pairs[number]
    place = places.array.transpose(outer_first).reshape(-1)[at]
    raise IndexError(f"index {place} is out of bounds for dimension {number} with size {size}")


def _write_in_order(plan: _Plan, order: Ints, source: Any, adds: bool) -> None:
    """Write or add elements in the order of torch's iterator: of those for one place the last one stays."""
    view = plan.view
    geometry = view._geometry
    positions = np.full(geometry.shape, view._offset)
    for dim, (size, step) in enumerate(zip(geometry.shape, geometry.stride, strict=True)):
        steps = np.arange(size) * step
        positions += steps.reshape([-1 if each == dim else 1 for each in range(geometry.rank)])
    outer_first = sorted(range(len(order)), key=lambda dim: -order[dim])
    at = positions[plan.items()].transpose(outer_first).reshape(-1)
    values = np.broadcast_to(source, plan.shape).transpose(outer_first).reshape(-1)
    dtype = view._dtype
    count = view._storage._size // dtype.itemsize
    elements = np.ndarray((count,), numpy_storage_dtype(dtype), buffer(view._storage))
    if not adds:
        elements[at] = values
    elif is_native(dtype):
        with np.errstate(all="ignore"):
            np.add.at(elements, at, values)
    else:
        _add_each(elements, at, values, dtype)


def _add_each(elements: Any, at: Any, values: Any, dtype: dtype) -> None:
    """Add elements that NumPy knows not, one by one: each sum is rounded."""
    wide = DTYPES["complex64" if dtype.is_complex else "float32"]
    for place, value in zip(at, values, strict=True):
        pair = np.array([elements[place], value], elements.dtype)
        with np.errstate(all="ignore"):
            total = numbers(pair, dtype).sum(keepdims=True)
        elements[place] = convert(total, wide, dtype)[0]
