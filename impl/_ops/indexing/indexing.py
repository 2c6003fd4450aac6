"""Indexing: ``x[item]``, ``x[item] = value``, index_put and iteration."""

from collections.abc import Callable
from operator import index as index_of
from typing import Any

from ..._argparser.types import is_integral_dtype, is_long
from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._arrays.opaque_dtypes import check_copy, is_opaque
from ..._autograd.autograd_meta import is_differentiable, is_inference
from ..._autograd.tracking import check_differentiable, check_inplace, check_no_stale_views
from ..._devices.device import META, device
from ..._dtypes.constants import BOOL, COMPLEX32, FLOAT32, INT64, UINT8
from ..._dtypes.scalars import numpy_types
from ..._dtypes.table import Kind, dtype, spec_of
from ..._geometry import basic_indexing, broadcasting, view_checks, view_shapes
from ..._geometry.basic_indexing import AdvancedIndex, DeferredIndex
from ..._geometry.extents import Ints
from ..._geometry.geometry import Geometry, dense, on_device, strided
from ..._numerics.encode_scalar import ScalarPath, encode_scalar, setitem_scalar
from ..._numerics.from_python import infer_dtype, is_sequence
from ..._runtime.errors import NotDense, check
from ..._runtime.grad_modes import NON_DEFAULT_THREADS
from ..._runtime.torch_function import MODE_THREADS, has_unrelated, redispatch
from ..._runtime.warnings import warn
from ..._tensor.allocation import empty_with, warn_complex32
from ..._tensor.data_access import (
    raw_array,
    tensor_from_raw,
    write_elements,
    write_raw,
)
from ..._tensor.sparse_dispatch import dispatch_sparse
from ..._tensor.sparse_missing import could_not_run, sparse_backend
from ..._tensor.tensor import METHODS, Tensor, new_tensor, set_geometry, shallow_copy
from ..._tensor.views import record_grad_fn, view_of
from ..common.array_plans import is_noting, note_arrays, with_array_plans
from ..common.clone import clone
from ..common.conj_neg_fallback import (
    resolve_conj_neg,
    resolves_conj_neg,
    resolves_conj_neg_in_place,
    write_to_clone,
)
from ..common.copy import copy_into, record_write
from ..common.memory_overlap import check_copy_overlap, check_no_overlap, is_same_view
from ..common.meta_reference import in_reference, is_on_meta
from ..common.registration import Op, register_operator
from ..common.type_strings import type_string
from ..creation.from_data import tensor_from_data
from .advanced import read, write
from .index_copy import like_on_meta
from .index_tensors import check_dense_indices, is_mask

_BASIC = frozenset({int, slice, type(None), type(...), bool})


def _number_of(item: Tensor) -> Any:
    """Return the element of an index; a sparse mask without values has the int 0."""
    value = item.item()
    return bool(value) if is_mask(item) else value


def _convert_entry(item: Any, device: device) -> Any:
    """Return an index with NumPy integers as ints; tensors and sequences become `DeferredIndex`."""
    if type(item) in _BASIC:
        return item
    if isinstance(item, Tensor):
        if not item._geometry.rank and is_integral_dtype(item._dtype, or_bool=True):
            if item._geometry.device is META:  # raises on resolution
                return DeferredIndex(0 if is_mask(item) else 1, lambda: _number_of(item))
            return _number_of(item)
        taking = AdvancedIndex(item, item._geometry.rank if is_mask(item) else 1)
        return DeferredIndex(taking.dims, lambda: taking)
    if is_long(item):
        return int(item)
    if is_sequence(item):
        return DeferredIndex(1, lambda: _convert_sequence(item, device))
    return item


def _convert_sequence(data: Any, device: device) -> Any:
    """Return a sequence as an index: a bool or uint8 mask, or else int64 indices."""
    inferred = infer_dtype(data)
    dtype = inferred if inferred in (BOOL, UINT8) else INT64
    index = _convert_entry(
        tensor_from_data(data, dtype, dtype, device, pin=False, copy=False), device
    )
    return index.resolve() if type(index) is DeferredIndex else index


def convert_index(item: Any, device: device) -> Any:
    cls = type(item)
    if cls in _BASIC:
        return item
    if cls is tuple or isinstance(item, tuple) or _is_treated_as_tuple(item):
        if _BASIC.issuperset(map(type, item)):
            return item if cls is tuple else tuple(item)
        return tuple([_convert_entry(entry, device) for entry in item])
    is_plain_int = not isinstance(item, Tensor) and is_long(item)
    return int(item) if is_plain_int else (_convert_entry(item, device),)


def _is_treated_as_tuple(item: Any) -> bool:
    """Return whether torch treats a sequence as a tuple, with a warning (treatSequenceAsTuple)."""
    if isinstance(item, Tensor) or type(item) in numpy_types("ndarray") or not is_sequence(item):
        return False
    try:
        count = len(item)
        entries = (item[index] for index in range(count))
        if count >= _MAX_SEQUENCE_INDEX:
            return False
        for entry in entries:
            if isinstance(entry, Tensor | slice) or is_sequence(entry):
                warn(_NON_TUPLE.format(line=349))
                return True
            if entry is ... or entry is None:
                warn(_NON_TUPLE.format(line=359))
                return True
    except Exception:  # noqa: BLE001  # torch drops errors of __len__ and __getitem__
        return False
    return False


_MAX_SEQUENCE_INDEX = 32
"""A sequence of this length is not a tuple: the former limit of NumPy."""


def _node_name(item: Any, shape: Ints) -> str:
    """Return the grad_fn name of the last view of an index; whole slices in a tuple make none."""
    if not isinstance(item, tuple):
        return "AliasBackward0" if item is ... else _NODES[type(item)]
    node, dim = "AliasBackward0", 0
    consumed = sum(map(_dims_taken, item))
    for entry in item:
        if entry is ...:
            dim += len(shape) - consumed
        elif entry is None or type(entry) is bool:
            node = _NODES[type(None)]
        elif type(entry) is DeferredIndex:
            dim += entry.dims
        else:
            size = shape[dim] if dim < len(shape) else 0  # torch reads 0 past the end
            whole = type(entry) is slice and _is_whole(entry, size)
            node = node if whole else _NODES.get(type(entry), "SelectBackward0")
            dim += 1
    return node


def _is_whole(bounds: slice, size: int) -> bool:
    """Return whether a slice covers its dimension and is skipped (applySlice in ATen)."""
    start, stop, step = bounds.start, bounds.stop, bounds.step
    return (
        (start is None or index_of(start) == 0)
        and (stop is None or index_of(stop) >= size)
        and (step is None or index_of(step) == 1)
    )


def _dims_taken(item: Any) -> int:
    """Return the number of dimensions that an item of an index consumes."""
    if item is None or item is ... or type(item) is bool:
        return 0
    return item.dims if type(item) is DeferredIndex else 1


_NODES = {int: "SelectBackward0", slice: "SliceBackward0"}
_NODES.update(dict.fromkeys((type(None), bool), "UnsqueezeBackward0"))


def _getitem(tensor: Tensor, item: Any) -> Tensor:
    geometry = tensor._geometry
    if geometry.is_sparse:
        return dispatch_sparse("getitem", tensor, item)  # type: ignore[no-any-return]
    if type(item) is int and geometry.rank:
        key = ("[]", item)
        cached = geometry.cache.get(key)
        if cached is None:
            shape, stride, offset, _ = basic_indexing.index(geometry.shape, geometry.stride, item)
            cached = geometry.remember(key, (strided(shape, stride), offset))
        return view_of(tensor, cached[0], tensor._offset + cached[1], "SelectBackward0")
    if type(item) is Tensor or (type(item) is tuple and Tensor in map(type, item)):
        return _selected(tensor, item)  # type: ignore[no-any-return]
    return _any_item(tensor, item)


def _any_item(tensor: Tensor, item: Any) -> Tensor:
    geometry = tensor._geometry
    try:
        index = convert_index(item, geometry.device)
        shape, stride, offset, indices = _indexed(geometry, index)
    except Exception:
        # Torch asks objects with an override among the indices before it reads any index.
        if has_unrelated(item):
            answer: Tensor = redispatch("torch.Tensor", "__getitem__", (tensor, item), {})
            return answer
        raise
    if indices is None:
        node = _node_name(index, geometry.shape) if _has_autograd(tensor) else ""
        return view_of(tensor, strided(shape, stride), tensor._offset + offset, node)
    check_dense_indices("index.Tensor", indices)
    view = shallow_copy(tensor)
    set_geometry(view, strided(shape, stride))
    view._offset = tensor._offset + offset
    result = record_grad_fn(read(resolve_conj_neg(view), indices), (tensor,), "IndexBackward0")
    if is_noting():
        _note_selection(result, tensor, item if type(item) is tuple else (item,))
    return result


_selected = with_array_plans(_any_item)


def _note_selection(result: Tensor, tensor: Tensor, items: tuple[Any, ...]) -> None:
    """Note the selection by index tensors and slices, of which NumPy's is torch's."""
    given = [item for item in items if isinstance(item, Tensor)]
    slices = [item if type(item) is slice else None for item in items]
    if any(x._dtype is not INT64 for x in given) or len(given) != slices.count(None):
        return

    def select(raw: Any, *arrays: Any) -> Any:
        rest = iter(arrays)
        try:
            return raw[tuple([next(rest) if each is None else each for each in slices])]
        except IndexError:
            return None  # torch's error is another

    note_arrays(select, result, tensor, *given)


def _indexed(geometry: Geometry, index: Any) -> Any:
    """Return the sizes, strides and added offset of a view, and what remains of the index."""
    try:
        return basic_indexing.index(geometry.shape, geometry.stride, index)
    except view_checks.DeviceError as error:
        raise error.of(is_meta=geometry.device is META) from None


def _setitem(tensor: Tensor, item: Any, value: Any) -> None:
    geometry = tensor._geometry
    check(not geometry.is_sparse, lambda: "Cannot assign to a sparse tensor", TypeError)
    try:
        source = None if isinstance(value, Tensor) else _encode(value, tensor)
        index = convert_index(item, geometry.device)
        # A single True adds a dimension, like None.
        shape, stride, offset, indices = _indexed(geometry, None if index is True else index)
    except Exception:
        # Torch asks objects with an override, also the value, before it reads any index.
        if has_unrelated(item, value):
            redispatch("torch.Tensor", "__setitem__", (tensor, item, value), {})
            return
        raise
    if index is False:
        return
    node, target = "", tensor
    if (
        _has_autograd(tensor)
        or isinstance(value, Tensor)
        or is_inference(tensor)
        or NON_DEFAULT_THREADS
    ):
        node = _node_name((index,) if type(index) is slice else index, geometry.shape)
    view_geometry = on_device(strided(shape, stride), geometry.device)
    if node != "AliasBackward0" or view_geometry is not geometry or offset:
        target = view_of(tensor, view_geometry, tensor._offset + offset, node)
    if indices is not None:
        if not isinstance(value, Tensor):
            value = _scalar_tensor(source, target._dtype)
        _index_put_(target, tuple(indices), _view_without_ones(value), False)
        return
    sources, function = _copy_node(target, value)
    if isinstance(value, Tensor) and value._geometry.is_sparse:
        _write_sparse(target, value, function)
    expanded = _expanded(value, shape) if isinstance(value, Tensor) else None
    check_inplace(target, *sources)
    if geometry.device is META and expanded is None:
        pass  # meta_fill_ writes nothing
    elif expanded is None:
        check_no_overlap(target)
        if is_opaque(tensor._dtype):
            check_copy(FLOAT32, tensor._dtype, raw_array(_SCALAR), raw_array(target))
        elif target._conj_neg:
            _write_through_clone(target, lambda part: write_elements(part, source))
        else:
            write_raw(target, source)
    elif function != "CopyBackwards":
        check_copy_overlap(target)
        _write_through_clone(target, lambda part: copy_into(part, resolve_conj_neg(expanded)))
    elif not is_same_view(target, expanded):
        check_copy_overlap(target, *([expanded] if value._geometry.rank else []))
        copy_into(target, expanded)
    record_write(target, sources, function)


def _has_autograd(tensor: Tensor) -> bool:
    """Return whether a tensor has autograd metadata or is a view."""
    return tensor._autograd_meta is not None or tensor._view_base is not None


_SCALAR = empty_with(dense(()), FLOAT32)
"""The placeholder for the tensor that torch makes of a number."""


def _copy_node(target: Tensor, value: Any) -> tuple[tuple[Tensor, ...], str]:
    """Return the inputs and grad_fn name of a write (copy_to in ATen/TensorIndexing.h)."""
    sources = (value if isinstance(value, Tensor) else _SCALAR,)
    shape = sources[0]._geometry.shape
    if shape or not target._geometry.rank:
        return sources if is_differentiable(target) else (), "CopyBackwards"
    return sources, "FillBackward3"


def _write_sparse(target: Tensor, value: Tensor, function: str) -> None:
    """Raise for a sparse value, of the operator by which torch would write it."""
    if function != "CopyBackwards":
        raise could_not_run("fill_.Tensor", sparse_backend(value._geometry.device))
    if value._geometry.shape != target._geometry.shape:
        raise could_not_run("view", sparse_backend(value._geometry.device))
    dispatch_sparse("copy_", target, value)


def _encode(value: Any, tensor: Tensor) -> Any:
    """Return the raw element of a number; torch makes a scalar tensor of it first."""
    dtype, device_type = tensor._dtype, tensor._geometry.device.type
    if device_type != "cpu":
        setitem_scalar(value, dtype, f"torch.{device_type}")  # raises with this name
    if dtype is COMPLEX32:
        setitem_scalar(value, COMPLEX32)
        warn_complex32()
    if spec_of(dtype).kind is Kind.QUANTIZED:
        return encode_scalar(*setitem_scalar(value, dtype), ScalarPath.SCALAR_TENSOR)
    if device_type == "meta":
        return 0
    return encode_scalar(value, dtype, ScalarPath.SETITEM)


def _scalar_tensor(source: Any, dtype: dtype) -> Tensor:
    """Return the scalar tensor of a raw element, of float32 for quantized dtypes."""
    scalar_dtype = FLOAT32 if spec_of(dtype).kind is Kind.QUANTIZED else dtype
    return tensor_from_raw(np.array(source, numpy_storage_dtype(scalar_dtype)), scalar_dtype)


def _write_through_clone(target: Tensor, run: Callable[[Tensor], None]) -> None:
    """Call ``run`` on a target; one with conj/neg bits is written through a clone, unless 0-dim."""
    if target._conj_neg and target._geometry.rank:
        write_to_clone(target, run)
    else:
        run(target)


_NON_TUPLE = (
    "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in"
    " pytorch 2.9; use x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as"
    " tensor index, x[torch.tensor(seq)], which will result either in an error or a different"
    " result (Triggered internally at"
    " /__w/pytorch/pytorch/torch/csrc/autograd/python_variable_indexing.cpp:{line}.)"
)


def _view_without_ones(value: Tensor) -> Tensor:
    """Return a view without leading ones in its shape (slicePrefix1sSize in TensorIndexing.h)."""
    if value._geometry.shape[:1] != (1,):
        return value
    return value.view(_strip_ones(value._geometry.shape))  # type: ignore[attr-defined, no-any-return]


def _strip_ones(shape: Ints) -> Ints:
    """Return the sizes without leading ones."""
    return shape[next((dim for dim, size in enumerate(shape) if size != 1), len(shape)) :]


def _expanded(value: Tensor, shape: Ints) -> Tensor:
    """Return a value expanded to the shape of a view; raise if it does not fit."""
    if value._geometry.shape == shape:
        return value
    geometry = value._geometry
    base_shape = _strip_ones(geometry.shape)
    base_stride = broadcasting.reshape_stride(geometry.shape, geometry.stride, base_shape)
    assert base_stride is not None
    shape, stride, _ = view_shapes.expand(base_shape, base_stride, shape, type_string(value))
    check_no_stale_views(value)
    return new_tensor(
        value._storage,
        strided(shape, stride),
        value._offset,
        value._dtype,
        conj_neg=value._conj_neg,
    )


@resolves_conj_neg_in_place
def _index_put_(self: Tensor, indices: tuple[Any, ...], values: Tensor, accumulate: bool) -> Tensor:
    """index_put_(indices, values, accumulate=False): write values at the indices, or add them."""
    check_inplace(self, values)
    if self._geometry.is_sparse:
        raise NotDense
    check_dense_indices("_index_put_impl_", (*indices, values))
    write(self, [*indices], values, accumulate)
    return record_write(self, (values,), _INDEX_PUT_NODE)


@resolves_conj_neg
def _index_put(
    tensor: Tensor, indices: tuple[Tensor, ...], values: Tensor, accumulate: bool
) -> Tensor:
    """index_put(input, indices, values, accumulate=False): a copy with values put."""
    source = shallow_copy(tensor)
    result = in_reference(like_on_meta, source) if is_on_meta(source) else clone(source)
    check_dense_indices("_index_put_impl_", (*indices, values))
    write(result, [*indices], values, accumulate)
    check_differentiable(result, values)
    return record_grad_fn(result, (tensor, values), _INDEX_PUT_NODE)


_INDEX_PUT_NODE = "IndexPutBackward0"
_INDEX_PUT_ARGS = "c10::List<::std::optional<Tensor>> indices, Tensor values, bool accumulate=False"
register_operator(Op("index_put_", {_INDEX_PUT_ARGS: _index_put_}))
register_operator(Op("index_put", {_INDEX_PUT_ARGS: _index_put}))


def _iter(tensor: Tensor) -> Any:
    is_plain = type(tensor) is Tensor and not MODE_THREADS
    if not (tensor._geometry.rank if is_plain else tensor.dim()):
        raise TypeError("iteration over a 0-d tensor")
    return iter(tensor.unbind(0))  # type: ignore[attr-defined]


def _delitem(tensor: Tensor, index: Any) -> None:
    raise TypeError("Tensor does not support deleting items")


for _name, _method in {
    "__getitem__": _getitem, "__setitem__": _setitem, "__delitem__": _delitem, "__iter__": _iter,
}.items():  # fmt: skip
    METHODS[_name] = _method
