"""Copying and pickling of tensors (torch/_tensor.py and torch/_utils.py)."""

import copy
import copyreg
import warnings
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .._autograd.autograd_meta import bump_version
from .._autograd.tracking import bump_version_if_filled, is_tracked_inside
from .._devices.device import META
from .._dtypes.constants import COMPLEX32
from .._dtypes.table import ALL_DTYPES, Kind, dtype, spec_of
from .._geometry.extents import Ints
from .._geometry.geometry import on_device, strided
from .._geometry.layout import sparse_coo
from .._geometry.strides import elementwise, like
from .._numerics.conj_neg import CONJUGATE, NEGATIVE, resolve_raw
from .._ops.common.clone import clone as dense_clone
from .._ops.common.conj_neg_fallback import resolve_conj_neg
from .._ops.sparse.construct import check_sparse_invariants
from .._ops.sparse.views import clone
from .._runtime.errors import check
from .._runtime.lazy_exports import PUBLIC, public_in
from .._runtime.warnings import is_python_frame
from .._tensor.allocation import empty_tensor, empty_with, warn_complex32
from .._tensor.data_access import raw_array
from .._tensor.parameter import METHODS as PARAMETER_METHODS
from .._tensor.parameter import Parameter
from .._tensor.sparse_invariants import check_sparse_tensor_invariants
from .._tensor.tensor import (
    METHODS,
    Tensor,
    new_tensor,
    set_requires_grad,
    shallow_copy,
    storage_of,
)
from .._tensor.typed_storage import typed_storage
from .options import THREAD_OPTIONS

_NEW_DTYPES = frozenset(
    dtype
    for dtype in ALL_DTYPES
    if spec_of(dtype).name in ("uint16", "uint32", "uint64", "complex32")
    or spec_of(dtype).kind is Kind.BITS
    or (dtype.is_floating_point and dtype.itemsize == 1)
)
"""The dtypes that have no typed storage; their pickles contain an untyped one (_new_dtypes)."""


@public_in("serialization")
def _rebuild_tensor(storage: Any, storage_offset: int, size: Ints, stride: Ints) -> Tensor:
    """Return a tensor from a file of an early version of torch."""
    return _rebuild_tensor_v2(storage, storage_offset, size, stride, False, None)


@public_in("serialization")
def _rebuild_parameter(data: Tensor, requires_grad: bool, backward_hooks: Any) -> Tensor:
    """Return a parameter from a pickle or copy."""
    return Parameter(data, requires_grad)


@public_in("serialization")
def _rebuild_parameter_with_state(
    data: Tensor, requires_grad: bool, backward_hooks: Any, state: Any
) -> Tensor:
    """Return a parameter with attributes from a pickle or copy."""
    return _set_state(_rebuild_parameter(data, requires_grad, backward_hooks), state)


@public_in("serialization")
def _rebuild_tensor_v2(
    storage: Any,
    storage_offset: int,
    size: Ints,
    stride: Ints,
    requires_grad: bool,
    backward_hooks: Any,
    metadata: Any = None,
) -> Tensor:
    """Return a tensor from a pickle or copy, with the dtype of the typed storage."""
    dtype = storage.dtype
    tensor: Tensor = _rebuild_tensor_v3(
        storage, storage_offset, size, stride, False, backward_hooks, dtype, metadata
    )
    if requires_grad is not False:
        tensor.requires_grad = requires_grad
    return tensor


@public_in("serialization")
@is_python_frame
def _rebuild_tensor_v3(
    storage: Any,
    storage_offset: int,
    size: Ints,
    stride: Ints,
    requires_grad: bool,
    backward_hooks: Any,
    dtype: dtype,
    metadata: Any = None,
) -> Tensor:
    """Return a tensor from a pickle or copy.

    Torch 2.13 expects a typed storage, but the new dtypes have an untyped one.  So it can pickle
    their tensors, but neither load them with plain pickle nor copy them with copy.copy.
    """
    untyped = storage._untyped_storage
    tensor = empty_tensor((0,), dtype, untyped.device)
    tensor.set_(untyped, storage_offset, size, stride)  # type: ignore[attr-defined]
    if metadata:
        if not isinstance(metadata, dict):
            raise AssertionError(f"expected dict, got {type(metadata).__name__}")
        tensor._conj_neg = sum(bit for name, bit in _BITS.items() if metadata.get(name))
    return set_requires_grad(tensor, requires_grad)


_BITS = {"neg": NEGATIVE, "conj": CONJUGATE}


@public_in("serialization")
def _rebuild_meta_tensor_no_storage(
    dtype: dtype, size: Any, stride: Any, requires_grad: bool
) -> Tensor:
    """Return a tensor on meta, which shares no storage with the pickled one."""
    tensor = empty_with(strided(tuple(size), tuple(stride)), dtype, META)
    return set_requires_grad(tensor, requires_grad)


@public_in("serialization")
def _rebuild_from_type_v2(
    func: Any, new_type: type[Tensor], args: tuple[Any, ...], state: Any
) -> Tensor:
    """Return a tensor of a subclass, or with attributes of its own."""
    tensor: Tensor = func(*args)
    if type(tensor) is not new_type:
        tensor = tensor.as_subclass(new_type)  # type: ignore[attr-defined]
    setstate: Any = getattr(new_type, "__setstate__", _setstate)
    if setstate is not _setstate:
        setstate(tensor, state)
        return tensor
    return _set_state(tensor, state)


def _set_state(tensor: Tensor, state: Any) -> Tensor:
    """Set the attributes and slots of a pickled tensor."""
    check(
        not isinstance(state, tuple) or len(state) == 2,
        lambda: f"Invalid serialized state: {state}",
    )
    for part in state if isinstance(state, tuple) else (state,):
        for name, value in (part or {}).items():
            setattr(tensor, name, value)
    return tensor


def _reduce_ex(self: Any, proto: Any) -> Any:
    """Return the arguments to rebuild the tensor: its whole storage and its geometry.

    Each call wraps the storage anew, so plain pickle does not preserve sharing; torch.save does.
    """
    dtype, geometry = self._dtype, self._geometry
    rebuild: Any = _rebuild_tensor_v2
    args: tuple[Any, ...]
    check(
        spec_of(dtype).kind is not Kind.QUANTIZED,
        lambda: (
            'false INTERNAL ASSERT FAILED at "/__w/pytorch/pytorch/aten/src/ATen/quantized/'
            'Quantizer.cpp":447, please report a bug to PyTorch. cannot call qscheme on'
            " UnknownQuantizer"
        ),
    )
    if geometry.is_sparse:
        rebuild = _rebuild_sparse_tensor
        args = sparse_coo, (self._indices(), self._values(), self.size(), self.is_coalesced())
    elif geometry.device is META:
        if THREAD_OPTIONS.skip_data:
            warnings.warn(
                "Serializing tensors on the meta device under skip_data context manager is a no-op",
                stacklevel=1,  # torch's warning does not show the caller's line either
            )
        rebuild = _rebuild_meta_tensor_no_storage
        args = dtype, (*geometry.shape,), (*geometry.stride,), self.requires_grad
    else:
        shape, stride = (*geometry.shape,), (*geometry.stride,)  # new ones, as pickles show
        args = self._offset, shape, stride, self.requires_grad, OrderedDict()
        if dtype in _NEW_DTYPES:
            rebuild, args = _rebuild_tensor_v3, (self._storage, *args, dtype)
        else:
            args = typed_storage(self._storage, dtype), *args
        if self._conj_neg:
            bits = [name for name, bit in _BITS.items() if self._conj_neg & bit]
            args += ({"".join([*name]): True for name in bits},)  # new strings, as pickles show
    state = self.__getstate__()
    if type(self) is Tensor and not state:
        return rebuild, args
    return _rebuild_from_type_v2, (rebuild, type(self), args, state)


@public_in("serialization")
def _rebuild_sparse_tensor(layout: Any, data: tuple[Any, ...]) -> Tensor:
    """Return a sparse tensor from a pickle or copy; its indices are not checked."""
    if layout is not sparse_coo:
        raise NotImplementedError(f"rebuilding sparse tensor for layout {layout}")
    indices, values, size, *rest = data
    coalesced = rest[0] if rest else None
    result: Tensor = PUBLIC["sparse_coo_tensor"](
        indices, values, size, check_invariants=False, is_coalesced=coalesced
    )
    if THREAD_OPTIONS.loaded_sparse is not None:
        THREAD_OPTIONS.loaded_sparse.append(result)
    return result


@contextmanager
def sparse_tensors_validated() -> Iterator[None]:
    """Return a context that validates the sparse tensors of a file at its end.

    A legacy file has the elements of indices after its tensors.
    """
    former, THREAD_OPTIONS.loaded_sparse = THREAD_OPTIONS.loaded_sparse, []
    try:
        yield
        if check_sparse_tensor_invariants.is_enabled():
            for tensor in THREAD_OPTIONS.loaded_sparse:
                parts = tensor._indices(), tensor._values()
                check_sparse_invariants(*parts, tensor._geometry.shape, tensor.is_coalesced())
    finally:
        THREAD_OPTIONS.loaded_sparse = former


def _own_slots(cls: type) -> list[str]:
    """Return the slots defined by subclasses of Tensor."""
    return [name for name in copyreg._slotnames(cls) if name not in Tensor.__slots__]  # type: ignore[attr-defined]


def _reduce_parameter(self: Any, proto: Any) -> Any:
    """Return the arguments to rebuild the parameter: its data, without hooks."""
    hooks: OrderedDict[Any, Any] = OrderedDict()
    args, state = (self.data, self.requires_grad, hooks), self.__getstate__()
    return (_rebuild_parameter_with_state, (*args, state)) if state else (_rebuild_parameter, args)


def _getstate(self: Tensor) -> Any:
    """Return the attributes and slots set by users, or None."""
    attributes = self.__dict__ or None  # the dict itself, which pickle then writes once
    slots = {name: getattr(self, name) for name in _own_slots(type(self)) if hasattr(self, name)}
    return (attributes, slots) if slots else attributes


def _setstate(self: Tensor, state: Any) -> None:
    """Set the state of a tensor from a legacy pickle."""
    check(self.is_leaf, lambda: "__setstate__ can be only called on leaf Tensors")
    if len(state) == 4:
        self.set_(*state)  # type: ignore[attr-defined]
        return
    if len(state) == 5:
        self.data = state[0]
        state = (state[3], state[4], state[2])
    self.requires_grad, _, _ = state


def _deepcopy(self: Tensor, memo: dict[Any, Any]) -> Tensor:
    """Return a tensor of the same geometry on a copy of the whole storage.

    Within one call of copy.deepcopy, tensors that share a storage share its copy.
    """
    if not self.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy"
            " protocol at the moment.  If you were attempting to deepcopy a module, this may be"
            " because of a torch.nn.utils.weight_norm usage, see"
            " https://github.com/pytorch/pytorch/pull/103001"
        )
    if id(self) in memo:
        return memo[id(self)]  # type: ignore[no-any-return]
    if self._geometry.is_sparse or self._geometry.device is META:
        if type(self) is not Tensor:
            _of_same_class(self, self.clone(), _WRAPPER)  # type: ignore[attr-defined]
        copied = (clone if self._geometry.is_sparse else dense_clone)(shallow_copy(self))
        new = set_requires_grad(copied, self.requires_grad)
        memo[id(self)] = new
        return new
    storage = copy.deepcopy(self._storage, memo)
    resolve_conj_neg(self)  # torch resolves self before it creates an empty tensor
    if self._dtype is COMPLEX32:
        warn_complex32()
    if type(self) is not Tensor:
        new = _of_same_class(self, self.new_empty([]), _NON_WRAPPER)  # type: ignore[attr-defined]
        new.set_(storage, self._offset, self._geometry.shape, self._geometry.stride)  # type: ignore[attr-defined]
    else:
        new = new_tensor(storage, self._geometry, self._offset, self._dtype)
        if is_tracked_inside(new, self):
            bump_version_if_filled(new)
        bump_version(new)  # torch sets the storage of an empty tensor
    if self._conj_neg:
        new = _resolve_copy(new, self._conj_neg)
    set_requires_grad(new, self.requires_grad)
    for name in _own_slots(type(self)) if type(self) is not Tensor else ():
        if hasattr(self, name):
            setattr(new, name, copy.deepcopy(getattr(self, name), memo))
    new.__dict__ = copy.deepcopy(self.__dict__, memo)
    memo[id(self)] = new
    return new


def _of_same_class(tensor: Tensor, new: Tensor, message: str) -> Tensor:
    """Return the new tensor that torch copies into; raise if it is not of the tensor's class."""
    check(type(new) is type(tensor), lambda: message)
    return new


_WRAPPER = (
    "The default implementation of __deepcopy__() for wrapper subclasses only works for subclass"
    " types that implement clone() and for which cloning returns another instance of the same"
    " subclass. You should either properly implement clone() for your subclass or override"
    " __deepcopy__() if it is intended behavior for clone() to return an instance of a different"
    " type."
)
_NON_WRAPPER = (
    "The default implementation of __deepcopy__() for non-wrapper subclasses only works for"
    " subclass types that implement new_empty() and for which that function returns another"
    " instance of the same subclass. You should either properly implement new_empty() for your"
    " subclass or override __deepcopy__() if it is intended behavior for new_empty() to return an"
    " instance of a different type."
)


def _resolve_copy(tensor: Tensor, bits: int) -> Tensor:
    """Return a new tensor with the bits resolved; each resolution sets the strides."""
    geometry, dtype = tensor._geometry, tensor._dtype
    shape, stride = geometry.shape, geometry.stride
    if bits & CONJUGATE:
        stride = like(shape, stride)
    if bits & NEGATIVE:
        stride = elementwise(shape, ((shape, stride),))
    new = empty_with(on_device(strided(shape, stride), geometry.device), dtype)
    if geometry.device is not META:
        raw_array(new)[...] = resolve_raw(raw_array(tensor), dtype, bits)
    return new_tensor(new._storage, new._geometry, 0, dtype, type(tensor))


def _dir(self: Tensor) -> list[str]:
    """Return the names of the tensor's attributes, including those set by users."""
    hidden = ("volatile", "__cuda_array_interface__")
    return sorted([*(name for name in dir(type(self)) if name not in hidden), *self.__dict__])


def _is_shared(self: Tensor) -> bool:
    """Return whether forked processes share the memory."""
    return bool(storage_of(self).is_shared())


def _share_memory_(self: Tensor) -> Tensor:
    """Move the storage to memory that is shared with forked processes."""
    storage_of(self).share_memory_()
    return self


for _name, _method in {
    "is_shared": _is_shared, "share_memory_": _share_memory_,
    "__reduce_ex__": _reduce_ex, "__getstate__": _getstate, "__setstate__": _setstate,
    "__deepcopy__": _deepcopy, "__dir__": _dir,
}.items():  # fmt: skip
    _method.__name__, _method.__qualname__ = _name, f"Tensor.{_name}"
    METHODS[_name] = _method
_reduce_parameter.__name__, _reduce_parameter.__qualname__ = (
    "__reduce_ex__",
    "Parameter.__reduce_ex__",
)
PARAMETER_METHODS["__reduce_ex__"] = _reduce_parameter
