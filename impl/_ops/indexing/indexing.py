"""Reading and writing through indices of all kinds: what ``x[item]`` and ``x[item] = value`` mean."""

from collections.abc import Callable
from operator import index as index_of
from typing import Any

from ..._argparser.types import _is_integral, is_long
from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._arrays.opaque_dtypes import check_copy, is_opaque
from ..._autograd.autograd_meta import is_differentiable, is_inference
from ..._autograd.tracking import check_usable, check_writable
from ..._devices.device import META
from ..._dtypes.constants import BOOL, COMPLEX32, FLOAT32, INT64, UINT8
from ..._dtypes.scalars import _numpy_types
from ..._dtypes.table import Kind, dtype, spec_of
from ..._geometry import basic_indexing, broadcasting, view_shapes
from ..._geometry.basic_indexing import Pending, Taken, Taking
from ..._geometry.geometry import dense, on_device, strided
from ..._numerics.encode_scalar import ScalarPath, assigned, encode_scalar
from ..._numerics.from_python import _infer, _is_sequence
from ..._runtime.errors import check
from ..._runtime.grad_modes import NON_DEFAULT_THREADS
from ..._runtime.warnings import warn
from ..._tensor.data_access import (
    raw_array,
    strided_placeholder,
    tensor_from_raw,
    write_elements,
    write_raw,
)
from ..._tensor.factories import empty_with, warn_of_complex32
from ..._tensor.sparse_dispatch import of_sparse
from ..._tensor.tensor import (
    METHODS,
    Tensor,
    new_tensor,
    record_grad_fn,
    set_geometry,
    shallow_copy,
    view_of,
)
from ..common.clone import clone
from ..common.conj_neg_fallback import (
    resolved,
    resolves_conj_neg,
    resolves_conj_neg_in_place,
    write_to_clone,
)
from ..common.copy import write_over, written
from ..common.memory_overlap import check_no_overlap, is_same_place
from ..common.registration import Op, install
from ..creation.from_data import _from_data
from ..views.views import type_string
from .advanced import read, write

_MASKS = (BOOL, UINT8)
_BASIC = frozenset({int, slice, type(None), type(...), bool})


def _plain(item: Any) -> Any:
    """Return an index with NumPy's integers as plain ones, and tensors and sequences for later."""
    if type(item) in _BASIC:
        return item
    if isinstance(item, Tensor):
        if not item._geometry.rank and _is_integral(item._dtype, or_bool=True):
            # A tensor of uint8 is a mask, as one of bool is.
            if item._geometry.device is META:
                return Pending(0 if item._dtype in _MASKS else 1, item.item)  # refuses, in its turn
            value = item.item()
            return bool(value) if item._dtype is UINT8 else value
        taking = Taking(item, _dims_of(item))
        return Pending(taking.dims, lambda: taking)
    if is_long(item):
        return int(item)
    if _is_sequence(item):
        return Pending(1, lambda: _plain_tensor(item))
    return item


def _dims_of(index: Tensor) -> int:
    """Return how many dimensions a tensor stands for: a mask for all that it has."""
    is_mask = index._dtype is BOOL or index._dtype is UINT8
    return index._geometry.rank if is_mask else 1


def _plain_tensor(data: Any) -> Any:
    """Return the index that a sequence is: a mask of bool or uint8, or else places."""
    kind = _infer(data)
    wanted = kind if kind in (BOOL, UINT8) else INT64
    found = _plain(_from_data(data, wanted, wanted, None, pin=False, copy=False))
    return found.resolve() if type(found) is Pending else found


def _items(item: Any) -> Any:
    cls = type(item)
    if cls in _BASIC:
        return item
    if cls is tuple or isinstance(item, tuple) or _is_like_tuple(item):
        if _BASIC.issuperset(map(type, item)):
            return item if cls is tuple else tuple(item)
        return tuple([_plain(each) for each in item])
    is_plain_int = not isinstance(item, Tensor) and is_long(item)
    return int(item) if is_plain_int else (_plain(item),)


def _is_like_tuple(item: Any) -> bool:
    """Tell a sequence that torch takes for a tuple of indices, and warn of it (treatSequenceAsTuple)."""
    if isinstance(item, Tensor) or type(item) in _numpy_types("ndarray") or not _is_sequence(item):
        return False
    try:
        count = len(item)
        each_item = (item[index] for index in range(count))
        if count >= _MOST_DIMS:
            return False
        for each in each_item:
            if isinstance(each, Tensor | slice) or _is_sequence(each):
                warn(_NON_TUPLE.format(line=349))
                return True
            if each is ... or each is None:
                warn(_NON_TUPLE.format(line=359))
                return True
    except Exception:  # noqa: BLE001  # torch drops what __len__ or __getitem__ raised
        return False
    return False


_MOST_DIMS = 32
"""From this many items on, a sequence is no tuple: NumPy's limit, once."""


def _node_of(item: Any, shape: tuple[int, ...]) -> str:
    """Return what autograd calls the last view that an index makes.

    In a tuple, a slice of all of a dimension makes none.
    """
    if not isinstance(item, tuple):
        return "AliasBackward0" if item is ... else _NODES[type(item)]
    node, dim = "AliasBackward0", 0
    given = sum(map(_dims_taken, item))
    for each in item:
        if each is ...:
            dim += len(shape) - given
        elif each is None or type(each) is bool:
            node = _NODES[type(None)]
        elif type(each) is Pending:
            dim += each.dims
        else:
            whole = type(each) is slice and _is_whole(each, shape[dim])
            node = node if whole else _NODES.get(type(each), "SelectBackward0")
            dim += 1
    return node


def _is_whole(bounds: slice, size: int) -> bool:
    """Tell whether a slice is skipped: that of a whole dimension, as it is written (applySlice in ATen)."""
    start, stop, step = bounds.start, bounds.stop, bounds.step
    return (
        (start is None or index_of(start) == 0)
        and (stop is None or index_of(stop) >= size)
        and (step is None or index_of(step) == 1)
    )


def _dims_taken(item: Any) -> int:
    """Return how many dimensions an item of an index stands for."""
    if item is None or item is ... or type(item) is bool:
        return 0
    return item.dims if type(item) is Pending else 1


_NODES = {int: "SelectBackward0", slice: "SliceBackward0"}
_NODES.update(dict.fromkeys((type(None), bool), "UnsqueezeBackward0"))


def _getitem(tensor: Tensor, item: Any) -> Tensor:
    geometry = tensor._geometry
    if geometry.is_sparse:
        return of_sparse("getitem", tensor, item)  # type: ignore[no-any-return]
    if type(item) is int and geometry.rank:
        key = ("[]", item)
        plan = geometry.cache.get(key)
        if plan is None:
            shape, stride, offset, _ = basic_indexing.index(geometry.shape, geometry.stride, item)
            plan = geometry.remember(key, (strided(shape, stride), offset))
        return view_of(tensor, plan[0], tensor._offset + plan[1], "SelectBackward0")
    index = _items(item)
    shape, stride, offset, taken = basic_indexing.index(geometry.shape, geometry.stride, index)
    if taken is None:
        node = _node_of(index, geometry.shape) if _is_known(tensor) else ""
        return view_of(tensor, strided(shape, stride), tensor._offset + offset, node)
    shown = shallow_copy(tensor)
    set_geometry(shown, strided(shape, stride))
    shown._offset = tensor._offset + offset
    return record_grad_fn(read(resolved(shown), taken), (tensor,), "IndexBackward0")


def _setitem(tensor: Tensor, item: Any, value: Any) -> None:
    geometry = tensor._geometry
    source = None if isinstance(value, Tensor) else _code(value, tensor._dtype)
    index = _items(item)
    # A single True is a dimension more, as None is.
    shape, stride, offset, taken = basic_indexing.index(
        geometry.shape, geometry.stride, None if index is True else index
    )
    if index is False:
        return
    known = (
        _is_known(tensor)
        or isinstance(value, Tensor)
        or is_inference(tensor)
        or NON_DEFAULT_THREADS
    )
    node = _node_of((index,) if type(index) is slice else index, geometry.shape) if known else ""
    target = tensor
    shown = on_device(strided(shape, stride), geometry.device)
    if node != "AliasBackward0" or shown is not geometry or offset:
        target = view_of(tensor, shown, tensor._offset + offset, node)
    if taken is not None:
        _take(target, taken, value, source)
        return
    sources, function = _written_by(target, value)
    fitting = _fitted(value, shape) if isinstance(value, Tensor) else None
    check_writable(target, *sources)
    if fitting is None:
        check_no_overlap(target)
        if is_opaque(tensor._dtype):
            check_copy(FLOAT32, tensor._dtype, raw_array(_NUMBER), strided_placeholder(target))
        elif target._conj_neg:
            _put(target, lambda each: write_elements(each, source))
        else:
            write_raw(target, source)
    elif function != "CopyBackwards":
        check_no_overlap(target)
        _put(target, lambda each: write_over(each, resolved(fitting)))
    elif not is_same_place(target, fitting):
        check_no_overlap(target, *([fitting] if value._geometry.rank else []))
        write_over(target, fitting)
    written(target, sources, function)


def _is_known(tensor: Tensor) -> bool:
    """Tell whether autograd may have something to say of a tensor."""
    return tensor._autograd_meta is not None or tensor._base is not None


_NUMBER = empty_with(dense(()), FLOAT32)
"""Stands for the tensor that torch makes of a number."""


def _written_by(target: Tensor, value: Any) -> tuple[tuple[Tensor, ...], str]:
    """Return what autograd calls the write of a value, and the tensors in it (copy_to in ATen/TensorIndexing.h)."""
    sources = (value if isinstance(value, Tensor) else _NUMBER,)
    shape = sources[0]._geometry.shape
    if shape or not target._geometry.rank:
        return sources if is_differentiable(target) else (), "CopyBackwards"
    return sources, "FillBackward3"


def _code(value: Any, dtype: dtype) -> Any:
    """Return the code of a number; torch makes a scalar tensor of it first."""
    if dtype is COMPLEX32:
        assigned(value, COMPLEX32)
        warn_of_complex32()
    if spec_of(dtype).kind is Kind.QUANTIZED:
        return encode_scalar(*assigned(value, dtype), ScalarPath.SCALAR_TENSOR)
    return encode_scalar(value, dtype, ScalarPath.SETITEM)


def _scalar_of(source: Any, dtype: dtype) -> Tensor:
    """Return the scalar tensor of a code, which is of float32 for quantized dtypes."""
    made = FLOAT32 if spec_of(dtype).kind is Kind.QUANTIZED else dtype
    return tensor_from_raw(np.array(source, numpy_storage_dtype(made)), made)


def _take(target: Tensor, taken: Taken, value: Any, source: Any) -> None:
    """Write over elements that are taken by their places."""
    if not isinstance(value, Tensor):
        value = _scalar_of(source, target._dtype)
    _index_put_(target, tuple(taken), _without_leading_ones(value), False)


def _put(target: Tensor, run: Callable[[Tensor], None]) -> None:
    """Write to a part of a tensor; to a single element torch copies, which heeds the bits itself."""
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


def _without_leading_ones(value: Tensor) -> Tensor:
    """View a value without its first dimensions of size 1 (slicePrefix1sSize in ATen/TensorIndexing.h)."""
    if value._geometry.shape[:1] != (1,):
        return value
    viewed: Tensor = value.view(_viewed(value)._geometry.shape)  # type: ignore[attr-defined]
    return viewed


def _viewed(value: Tensor) -> Tensor:
    """Return a value viewed without leading dimensions of size 1; others get new strides, too."""
    own = value._geometry
    count = next((dim for dim, size in enumerate(own.shape) if size != 1), own.rank)
    shape = own.shape[count:]
    stride = broadcasting.reshape_stride(own.shape, own.stride, shape)
    assert stride is not None
    return new_tensor(
        value._storage, strided(shape, stride), value._offset, value._dtype, lazy=value._conj_neg
    )


def _fitted(value: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Return a value expanded to the shape that an index shows, or raise if it does not fit."""
    if value._geometry.shape == shape:
        return value
    own = _viewed(value)._geometry
    fitted, stride, _ = view_shapes.expand(own.shape, own.stride, shape, type_string(value._dtype))
    check_usable(value)
    return new_tensor(
        value._storage, strided(fitted, stride), value._offset, value._dtype, lazy=value._conj_neg
    )


@resolves_conj_neg_in_place
def _index_put_(tensor: Tensor, indices: tuple[Any, ...], values: Tensor, adds: bool) -> Tensor:
    """index_put_(indices, values, accumulate=False): write values at the places, or add them."""
    check_writable(tensor, values)
    check(indices, lambda: "index_put_ needs indices", NotImplementedError)
    write(tensor, [*indices], values, adds)
    return written(tensor, (values,), _PUTS)


@resolves_conj_neg
def _index_put(tensor: Tensor, indices: tuple[Tensor, ...], values: Tensor, adds: bool) -> Tensor:
    """index_put(input, indices, values, accumulate=False): a copy with values at the places."""
    result = clone(shallow_copy(tensor))
    write(result, [*indices], values, adds)
    return record_grad_fn(result, (tensor, values), _PUTS)


_PUTS = "IndexPutBackward0"
_PUT = "c10::List<::std::optional<Tensor>> indices, Tensor values, bool accumulate=False"
install(Op("index_put_", {_PUT: _index_put_}))
install(Op("index_put", {_PUT: _index_put}))


def _iter(tensor: Tensor) -> Any:
    if not tensor._geometry.rank:
        raise TypeError("iteration over a 0-d tensor")
    return iter(tensor.unbind(0))  # type: ignore[attr-defined]


def _delitem(tensor: Tensor, index: Any) -> None:
    raise TypeError("Tensor does not support deleting items")


for _name, _method in {
    "__getitem__": _getitem, "__setitem__": _setitem, "__delitem__": _delitem, "__iter__": _iter,
}.items():  # fmt: skip
    METHODS[_name] = _method
