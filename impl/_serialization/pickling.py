"""Copying and pickling of tensors (torch/_tensor.py and torch/_utils.py)."""

import copy
import copyreg
from collections import OrderedDict
from typing import Any

from .._autograd.autograd_meta import count_write
from .._autograd.tracking import count_filling, is_made_inside
from .._devices.device import META
from .._dtypes.constants import COMPLEX32
from .._dtypes.table import ALL, Kind, dtype, spec_of
from .._geometry.geometry import Ints, on_device, strided
from .._geometry.layout import sparse_coo
from .._geometry.strides import elementwise, like
from .._numerics.conj_neg import CONJUGATE, NEGATIVE, applied
from .._ops.common.conj_neg_fallback import resolved
from .._ops.sparse.views import clone
from .._runtime.errors import check
from .._runtime.lazy_exports import PUBLIC, public_in
from .._tensor.data_access import raw_array
from .._tensor.factories import empty_tensor, empty_with, warn_of_complex32
from .._tensor.tensor import (
    METHODS,
    Tensor,
    new_tensor,
    set_requires_grad,
    shallow_copy,
    storage_of,
)
from .._tensor.typed_storage import typed

_LATE = frozenset(
    dtype
    for dtype in ALL
    if spec_of(dtype).name in ("uint16", "uint32", "uint64", "complex32")
    or spec_of(dtype).kind is Kind.BITS
    or (dtype.is_floating_point and dtype.itemsize == 1)
)
"""The dtypes that came after typed storages; their pickles hold an untyped one (_new_dtypes)."""


@public_in("serialization")
def _rebuild_tensor_v2(
    storage: Any,
    offset: int,
    size: Ints,
    stride: Ints,
    requires_grad: bool,
    hooks: Any,
    metadata: Any = None,
) -> Tensor:
    """Make the tensor that was pickled or copied; its dtype is that of the typed storage."""
    dtype = storage.dtype
    return _rebuild_tensor_v3(storage, offset, size, stride, requires_grad, hooks, dtype, metadata)


@public_in("serialization")
def _rebuild_tensor_v3(
    storage: Any,
    offset: int,
    size: Ints,
    stride: Ints,
    requires_grad: bool,
    hooks: Any,
    dtype: dtype,
    metadata: Any = None,
) -> Tensor:
    """Make the tensor that was pickled or copied.

    Torch 2.13 looks for a typed storage where there is an untyped one, so that
    tensors of the late dtypes can be pickled, but neither read back by plain
    pickle nor copied by copy.copy.
    """
    untyped = storage._untyped_storage
    tensor = empty_tensor((0,), dtype, untyped.device)
    tensor.set_(untyped, offset, size, stride)  # type: ignore[attr-defined]
    if metadata:
        check(
            isinstance(metadata, dict),
            lambda: f"expected dict, got {type(metadata).__name__}",
            AssertionError,
        )
        tensor._conj_neg = sum(bit for name, bit in _BITS.items() if metadata.get(name))
    return set_requires_grad(tensor, requires_grad)


_BITS = {"neg": NEGATIVE, "conj": CONJUGATE}


@public_in("serialization")
def _rebuild_meta_tensor_no_storage(dtype: dtype, size: Any, stride: Any, grad: bool) -> Tensor:
    """Make a tensor on meta, which shares nothing with the one that was pickled."""
    made = empty_with(strided(tuple(size), tuple(stride)), dtype, META)
    return set_requires_grad(made, grad)


@public_in("serialization")
def _rebuild_from_type_v2(
    rebuild: Any, cls: type[Tensor], args: tuple[Any, ...], state: Any
) -> Tensor:
    """Make a tensor of a subclass, or one with attributes of its own."""
    plain = rebuild(*args)
    tensor = plain if type(plain) is cls else _as_kind(plain, cls)
    own: Any = getattr(cls, "__setstate__", _setstate)
    if own is not _setstate:
        own(tensor, state)
        return tensor
    for part in state if isinstance(state, tuple) else (state,):  # attributes, slots
        for name, value in (part or {}).items():
            setattr(tensor, name, value)
    return tensor


def _as_kind(tensor: Tensor, cls: type) -> Tensor:
    new = new_tensor(
        tensor._storage, tensor._geometry, tensor._offset, tensor._dtype, cls, tensor._conj_neg
    )
    return set_requires_grad(new, tensor.requires_grad)


def _reduce_ex(self: Tensor, proto: Any) -> Any:
    """Return what pickle and copy.copy make the tensor of again: all of its storage, and its place in it.

    The storage is wrapped anew each time, so that tensors that share one do
    not any more when plain pickle has read them back; torch.save keeps it.
    """
    dtype, geometry = self._dtype, self._geometry
    if geometry.is_sparse:
        return _reduced_sparse(self)
    place: tuple[Any, ...] = (
        self._offset,
        tuple(geometry.shape),
        geometry.stride,
        self.requires_grad,
        OrderedDict(),
    )
    if geometry.device is META:
        return _rebuild_meta_tensor_no_storage, (dtype, geometry.shape, geometry.stride, self.requires_grad)  # fmt: skip
    rebuild: Any = _rebuild_tensor_v2
    args: tuple[Any, ...] = (typed(self._storage, dtype), *place)
    if dtype in _LATE:
        rebuild, args = _rebuild_tensor_v3, (self._storage, *place, dtype)
    if self._conj_neg:
        args += ({name: True for name, bit in _BITS.items() if self._conj_neg & bit},)
    state = self.__getstate__()
    if type(self) is Tensor and not state:
        return rebuild, args
    return _rebuild_from_type_v2, (rebuild, type(self), args, state)


def _reduced_sparse(tensor: Any) -> Any:
    """Return what a sparse tensor is made of again."""
    parts = tensor._indices(), tensor._values(), tensor.size(), tensor.is_coalesced()
    made = _rebuild_sparse_tensor, (sparse_coo, parts)
    state = tensor.__getstate__()
    if type(tensor) is Tensor and not state:
        return made
    return _rebuild_from_type_v2, (made[0], type(tensor), made[1], state)


@public_in("serialization")
def _rebuild_sparse_tensor(layout: Any, data: tuple[Any, ...]) -> Tensor:
    """Make the sparse tensor that was pickled or copied; its indices are not looked at."""
    check(
        layout is sparse_coo,
        lambda: f"rebuilding sparse tensor for layout {layout}",
        NotImplementedError,
    )
    indices, values, size, *rest = data
    coalesced = rest[0] if rest else None
    return PUBLIC["sparse_coo_tensor"](  # type: ignore[no-any-return]
        indices, values, size, check_invariants=False, is_coalesced=coalesced
    )


def _own_slots(cls: type) -> list[str]:
    """Return the slots that subclasses of Tensor have added."""
    return [name for name in copyreg._slotnames(cls) if name not in Tensor.__slots__]  # type: ignore[attr-defined]


def _getstate(self: Tensor) -> Any:
    """Return the attributes that a user has given to the tensor; None if there are none."""
    attributes = self.__dict__.copy() or None
    slots = {name: getattr(self, name) for name in _own_slots(type(self)) if hasattr(self, name)}
    return (attributes, slots) if slots else attributes


def _setstate(self: Tensor, state: Any) -> None:
    """Take the state of tensors in pickles of long ago."""
    check(self.is_leaf, lambda: "__setstate__ can be only called on leaf Tensors")
    if len(state) == 4:
        self.set_(*state)  # type: ignore[attr-defined]
        return
    if len(state) == 5:
        self.data = state[0]
        state = (state[3], state[4], state[2])
    self.requires_grad, _, _ = state


def _deepcopy(self: Tensor, memo: dict[Any, Any]) -> Tensor:
    """Return a tensor of the same geometry in a copy of all of the storage.

    Tensors that share a storage share its copy, within one call of copy.deepcopy.
    """
    check(
        self.is_leaf,
        lambda: (
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy"
            " protocol at the moment.  If you were attempting to deepcopy a module, this may be"
            " because of a torch.nn.utils.weight_norm usage, see"
            " https://github.com/pytorch/pytorch/pull/103001"
        ),
    )
    if id(self) in memo:
        return memo[id(self)]  # type: ignore[no-any-return]
    if self._geometry.is_sparse:
        made = set_requires_grad(clone(shallow_copy(self)), self.requires_grad)
        memo[id(self)] = made
        return made
    storage = copy.deepcopy(self._storage, memo)
    resolved(self)  # torch makes an empty tensor like it, and has it resolved before
    if self._dtype is COMPLEX32:
        warn_of_complex32()
    new = new_tensor(storage, self._geometry, self._offset, self._dtype, type(self))
    if is_made_inside(new, self):
        count_filling(new)
    count_write(new)  # torch sets the storage of an empty tensor
    if self._conj_neg:
        new = _physical(new, self._conj_neg)
    set_requires_grad(new, self.requires_grad)
    for name in _own_slots(type(self)) if type(self) is not Tensor else ():
        if hasattr(self, name):
            setattr(new, name, copy.deepcopy(getattr(self, name), memo))
    new.__dict__ = copy.deepcopy(self.__dict__, memo)
    memo[id(self)] = new
    return new


def _physical(tensor: Tensor, bits: int) -> Tensor:
    """Return a new tensor of the elements conjugated and negated; each step settles the strides."""
    geometry, dtype = tensor._geometry, tensor._dtype
    shape, stride = geometry.shape, geometry.stride
    if bits & CONJUGATE:
        stride = like(shape, stride)
    if bits & NEGATIVE:
        stride = elementwise(shape, ((shape, stride),))
    new = empty_with(on_device(strided(shape, stride), geometry.device), dtype)
    if geometry.device is not META:
        raw_array(new)[...] = applied(raw_array(tensor), dtype, bits)
    return new_tensor(new._storage, new._geometry, 0, dtype, type(tensor))


def _dir(self: Tensor) -> list[str]:
    """Return the names of what the tensor has, its users' attributes included."""
    hidden = ("volatile", "__cuda_array_interface__")
    return sorted([*(name for name in dir(type(self)) if name not in hidden), *self.__dict__])


def _is_shared(self: Tensor) -> bool:
    """Tell whether forks of this process see the memory."""
    return bool(storage_of(self).is_shared())


def _share_memory_(self: Tensor) -> Tensor:
    """Move the storage to memory that processes forked from this one share."""
    storage_of(self).share_memory_()
    return self


for _name, _method in {
    "is_shared": _is_shared, "share_memory_": _share_memory_,
    "__reduce_ex__": _reduce_ex, "__getstate__": _getstate, "__setstate__": _setstate,
    "__deepcopy__": _deepcopy, "__dir__": _dir,
}.items():  # fmt: skip
    _method.__name__, _method.__qualname__ = _name, f"Tensor.{_name}"
    METHODS[_name] = _method
