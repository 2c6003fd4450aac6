"""Reading and writing through basic indices: integers, slices, None, Ellipsis and booleans."""

from collections.abc import Callable
from typing import Any

from .. import shapes, strides, view_index, views
from ..casting import is_opaque
from ..dtypes import DTYPES, row_of
from ..elements import codes, copy_elements, store, write
from ..errors import check, type_name
from ..factories import COMPLEX32, empty_with, warn_of_complex32
from ..geometry import strided
from ..parameter_types import is_long
from ..tensor import Tensor, alias, came_from, check_writable, make, view_of
from ..warn import warn
from ..writing import Way, code
from .copies import (
    check_no_overlap,
    check_not_partly_on,
    is_same_place,
    record_write,
    resolved,
    write_to_clone,
)
from .views import type_string

_BASIC = (int, slice, type(None), type(...), bool)


def _plain(item: Any) -> Any:
    """Return an index with NumPy's integers as plain ones; refuse what asks for more than views."""
    if type(item) in _BASIC:
        return item
    if isinstance(item, Tensor):
        check(
            not item._geometry.rank and not item._dtype.is_floating_point,
            lambda: "impl has no advanced indexing: tensors as indices", NotImplementedError,
        )  # fmt: skip
        # A tensor of uint8 is a mask, as one of bool is.
        value = item.item()
        return bool(value) if item._dtype is DTYPES["uint8"] else value
    if is_long(item):
        return int(item)
    if isinstance(item, str | bytes):
        if item and isinstance(item, str):
            warn(_NON_TUPLE)
        raise TypeError(f"new(): invalid data type '{type_name(item)}'")
    if isinstance(item, list | range) or hasattr(type(item), "__array__"):
        raise NotImplementedError("impl has no advanced indexing: sequences as indices")
    return item


def _items(item: Any) -> Any:
    return tuple([_plain(each) for each in item]) if isinstance(item, tuple) else _plain(item)


def _node_of(item: Any, shape: tuple[int, ...]) -> str:
    """Return what autograd calls the last view that an index makes.

    In a tuple, a slice of all of a dimension makes none.
    """
    if not isinstance(item, tuple):
        return "AliasBackward0" if item is ... else _NODES[type(item)]
    node, dim = "AliasBackward0", 0
    given = sum(each is not None and each is not ... for each in item)
    for each in item:
        if each is ...:
            dim += len(shape) - given
        elif each is None:
            node = _NODES[type(None)]
        else:
            whole = type(each) is slice and each.indices(shape[dim]) == (0, shape[dim], 1)
            node = node if whole else _NODES[type(each)]
            dim += 1
    return node


_NODES = {int: "SelectBackward0", slice: "SliceBackward0", type(None): "UnsqueezeBackward0"}


def _getitem(tensor: Tensor, item: Any) -> Tensor:
    geometry = tensor._geometry
    if type(item) is int and geometry.rank:
        key = ("[]", item)
        plan = geometry.plans.get(key)
        if plan is None:
            shape, stride, offset, _ = view_index.index(geometry.shape, geometry.stride, item)
            plan = geometry.keep(key, (strided(shape, stride), offset))
        return view_of(tensor, plan[0], tensor._offset + plan[1], "SelectBackward0")
    index = _items(item)
    shape, stride, offset, booleans = view_index.index(geometry.shape, geometry.stride, index)
    if booleans is None:
        node = "" if tensor._history is None else _node_of(index, geometry.shape)
        return view_of(tensor, strided(shape, stride), tensor._offset + offset, node)
    # Torch reads through an iterator over the tensor and the index that the booleans make.
    flag = [1] * len(shape)
    flag[booleans] = shape[booleans]
    shown = alias(tensor)
    shown._offset += offset
    if tensor._lazy:
        # The booleans are looked at in a dimension of size 1.
        whole = (*shape[:booleans], 1, *shape[booleans + 1 :])
        shown._geometry = strided(whole, stride)
        shown = resolved(shown)
        stride = shown._geometry.stride
    shown._geometry = strided(shape, stride)
    order = strides.elementwise(shape, ((shape, stride), (tuple(flag), (1,) * len(shape))))
    if shown._geometry.numel and is_opaque(tensor._dtype):
        name = row_of(tensor._dtype).cpp_name
        raise NotImplementedError(f"\"index_cpu\" not implemented for '{name}'")
    result = empty_with(strided(shape, order), tensor._dtype)
    codes(result)[...] = codes(shown)
    return came_from(result, (tensor,), "IndexBackward0")


def _setitem(tensor: Tensor, item: Any, value: Any) -> None:
    geometry = tensor._geometry
    index = _items(item)
    # A single True is a dimension more, as None is.
    shape, stride, offset, booleans = view_index.index(
        geometry.shape, geometry.stride, None if index is True else index
    )
    target = view_of(tensor, strided(shape, stride), tensor._offset + offset, "")
    if not isinstance(value, Tensor):
        source = code(value, tensor._dtype, Way.SETITEM)
        if tensor._dtype is COMPLEX32:
            warn_of_complex32()  # torch makes a tensor of the value
    check_writable(target)
    if index is False:
        return
    gathers = booleans is not None and index is not True
    if gathers and not target._lazy and shapes.has_internal_overlap(shape, stride) == "yes":
        warn(_EXPANDED)
    if isinstance(value, Tensor):
        if gathers and not target._lazy and not value._lazy:
            _check_apart(target, booleans, value)
        fitting = _fitted(value, shape, gathers)
        copies = not gathers and (value._geometry.rank or not target._geometry.rank)
        if (copies or gathers) and is_same_place(target, fitting):
            return
        if not gathers:
            check_no_overlap(target, *([fitting] if value._geometry.rank else []))
        if copies:
            copy_elements(target, fitting)
        else:
            plain = _fitted(resolved(value), shape, gathers)
            _put(target, lambda each: write(each, codes(plain), value._dtype))
    else:
        if not gathers:
            check_no_overlap(target)
        _put(target, lambda each: store(each, source))
    if tensor._history is not None or (isinstance(value, Tensor) and value._history is not None):
        record_write(target, (value,) if isinstance(value, Tensor) else (), "CopySlices")


_NON_TUPLE = (
    "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in"
    " pytorch 2.9; use x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as"
    " tensor index, x[torch.tensor(seq)], which will result either in an error or a different"
    " result (Triggered internally at"
    " /__w/pytorch/pytorch/torch/csrc/autograd/python_variable_indexing.cpp:349.)"
)

_EXPANDED = (
    "Use of index_put_ on expanded tensors is deprecated. Please clone() the tensor before"
    " performing this operation. This also applies to advanced indexing e.g. tensor[indices] ="
    " tensor (Triggered internally at"
    " /__w/pytorch/pytorch/aten/src/ATen/native/TensorAdvancedIndexing.cpp:976.)"
)


def _put(target: Tensor, run: Callable[[Tensor], None]) -> None:
    """Write to a part of a tensor; to a single element torch copies, which heeds the bits itself."""
    if target._lazy and target._geometry.rank:
        write_to_clone(target, run)
    else:
        run(target)


def _check_apart(target: Tensor, made: int | None, value: Tensor) -> None:
    """Refuse a value that lies in part on what is indexed, before the booleans are looked at."""
    shape, stride = target._geometry.shape, target._geometry.stride
    if made is not None:
        shape, stride = shape[:made] + shape[made + 1 :], stride[:made] + stride[made + 1 :]
    whole = make(target._storage, strided(tuple(shape), stride), target._offset, target._dtype)
    check_not_partly_on(whole, value)


def _fitted(value: Tensor, shape: tuple[int, ...], gathers: bool) -> Tensor:
    """Return a value expanded to the shape that an index shows, or raise if it does not fit."""
    own, steps = value._geometry.shape, value._geometry.stride
    if own == shape:
        return value
    # Torch takes leading dimensions of size 1 away (copy_to in ATen/TensorIndexing.h).
    while own and own[0] == 1:
        own, steps = own[1:], steps[1:]
    if gathers:
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
    fitted, stride, _ = views.expand(own, steps, shape, type_string(value._dtype))
    new = alias(value)
    new._geometry = strided(fitted, stride)
    return new


def _iter(tensor: Tensor) -> Any:
    if not tensor._geometry.rank:
        raise TypeError("iteration over a 0-d tensor")
    return iter(tensor.unbind(0))  # type: ignore[attr-defined]


for _name, _method in {"__getitem__": _getitem, "__setitem__": _setitem, "__iter__": _iter}.items():
    setattr(Tensor, _name, _method)
