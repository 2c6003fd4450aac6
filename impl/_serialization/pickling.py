"""Copying and pickling of tensors (torch/_tensor.py and torch/_utils.py)."""

import copy
import copyreg
import warnings
from collections import OrderedDict
from typing import Any

from .._autograd.autograd_meta import bump_version
from .._autograd.tracking import bump_version_if_filled, is_tracked_inside
from .._devices.device import META
from .._dtypes.constants import COMPLEX32
from .._dtypes.table import ALL_DTYPES, Kind, spec_of
from .._geometry.geometry import on_device, strided
from .._geometry.layout import sparse_coo
from .._geometry.strides import elementwise, like
from .._numerics.conj_neg import CONJUGATE, NEGATIVE, resolve_raw
from .._ops.common.clone import clone as dense_clone
from .._ops.common.conj_neg_fallback import resolve_conj_neg
from .._ops.sparse.views import clone
from .._runtime.errors import check
from .._tensor.allocation import empty_with, warn_complex32
from .._tensor.data_access import raw_array
from .._tensor.parameter import METHODS as PARAMETER_METHODS
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
from .rebuilding import (
    _rebuild_from_type_v2,
    _rebuild_meta_tensor_no_storage,
    _rebuild_parameter,
    _rebuild_parameter_with_state,
    _rebuild_sparse_tensor,
    _rebuild_tensor_v2,
    _rebuild_tensor_v3,
    metadata_of,
)

_NEW_DTYPES = frozenset(
    dtype
    for dtype in ALL_DTYPES
    if spec_of(dtype).name in ("uint16", "uint32", "uint64", "complex32")
    or spec_of(dtype).kind is Kind.BITS
    or (dtype.is_floating_point and dtype.itemsize == 1)
)
"""The dtypes that have no typed storage; their pickles contain an untyped one (_new_dtypes)."""


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
            args += (metadata_of(self),)
    state = self.__getstate__()
    if type(self) is Tensor and not state:
        return rebuild, args
    return _rebuild_from_type_v2, (rebuild, type(self), args, state)


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
