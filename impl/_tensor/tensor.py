"""The Tensor class, and the attributes that its storage, geometry and dtype decide.

The operators in ``_ops`` add their methods to `METHODS`.
"""

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from .._argparser.schema import MISSING
from .._argparser.types import register
from .._autograd.autograd_meta import (
    INFERENCE_VERSION_COUNTER,
    AutogradMeta,
    VersionCounter,
    grad_fn,
    is_differentiable,
    is_effective_leaf,
    is_inference,
    is_leaf,
    materialize_autograd_meta,
    requires_grad,
    version,
)
from .._devices.device import CPU, META
from .._dtypes.table import dtype
from .._geometry.geometry import Geometry, on_device
from .._geometry.layout import layout, sparse_coo, strided
from .._geometry.view_checks import check_concrete
from .._numerics.conj_neg import CONJUGATE, NEGATIVE
from .._runtime.c_types import PACKAGE
from .._runtime.errors import check, takes_no_arguments, type_name
from .._runtime.grad_modes import NON_DEFAULT_THREADS, inference_enabled
from .._runtime.lazy_exports import lazy_members
from .._runtime.torch_function import DISABLED, arm, register_exact
from .._runtime.warnings import warn
from .._storage.untyped_storage import UntypedStorage, storage_from_array


class _NamedProperty(property):
    """An attribute with a name, as those of torch's C classes."""

    name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @property
    def __name__(self) -> str:
        return self.name


class ReadOnly(_NamedProperty):
    """A read-only attribute, with the error message of torch's C classes."""

    def __delete__(self, instance: Any) -> None:
        self.__set__(instance, None)

    def __set__(self, instance: Any, value: Any) -> None:
        raise AttributeError(
            f"attribute '{self.name}' of 'torch._C.TensorBase' objects is not writable"
        )


def check_receiver(name: str, receiver: Any) -> None:
    """Raise as CPython does for a method in C if the receiver is no tensor, or `MISSING`."""
    if receiver is MISSING:
        raise TypeError(f"unbound method TensorBase.{name}() needs an argument") from None
    if not isinstance(receiver, Tensor):
        raise TypeError(
            f"descriptor '{name}' for 'torch._C.TensorBase' objects doesn't apply to a"
            f" '{type_name(receiver)}' object"
        ) from None


def _without_arguments(name: str, get: Any, doc: str) -> Any:
    """Return a method without parameters, whose TypeError names torch's C class."""

    def method(self: Any = MISSING, /, *args: Any, **keywords: Any) -> Any:
        if args or keywords or not isinstance(self, Tensor):
            check_receiver(name, self)
            takes_no_arguments(f"TensorBase.{name}", args, keywords)
        return get(self)

    method.__name__ = name
    method.__qualname__ = f"Tensor.{name}"
    method.__doc__ = doc
    return method


class _TensorMeta(type):
    """The class of Tensor: the first subclass with overrides makes all functions overridable."""

    __module__ = f"{PACKAGE}._C"  # as in torch
    __torch_function__: Any

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: Any, **keywords: Any) -> None:
        super().__init__(name, bases, namespace, **keywords)
        if bases and cls.__torch_function__ is not DISABLED:
            arm()


class Tensor(metaclass=_TensorMeta):
    """An array of elements of one dtype: a strided view of a storage.

    >>> import impl as torch
    >>> torch.tensor([[1, 2], [3, 4]]).t()
    tensor([[1, 3],
            [2, 4]])
    """

    __slots__ = (
        "__dict__",
        "__weakref__",
        "_array",
        "_autograd_meta",
        "_conj_neg",
        "_dtype",
        "_geometry",
        "_offset",
        "_storage",
        "_version_counter",
        "_view_base",
        "_view_version",
    )  # fmt: skip

    _storage: UntypedStorage
    _geometry: Geometry
    _offset: int
    _dtype: dtype
    _view_base: "Tensor | None"
    _autograd_meta: AutogradMeta | None
    _conj_neg: int
    _array: Any
    _version_counter: VersionCounter | None
    _view_version: int
    item: Callable[[], Any]
    dim: Callable[[], int]

    __array_priority__ = 1000

    shape = ReadOnly(attrgetter("_geometry.shape"), doc="The sizes of the dimensions.")
    dtype = ReadOnly(attrgetter("_dtype"), doc="The type of the elements.")
    device = ReadOnly(attrgetter("_storage._device"), doc="The device of the storage.")
    is_sparse = ReadOnly(attrgetter("_geometry.is_sparse"), doc="Whether the layout is sparse_coo.")
    ndim = ReadOnly(attrgetter("_geometry.rank"), doc="The number of dimensions.")
    itemsize = ReadOnly(attrgetter("_dtype.itemsize"), doc="The number of bytes of an element.")

    @ReadOnly
    def layout(self) -> "layout":
        """Return the layout: torch.strided or torch.sparse_coo."""
        return sparse_coo if self._geometry.is_sparse else strided

    @ReadOnly
    def nbytes(self) -> int:
        """Return the number of bytes of all elements."""
        check(not self._geometry.is_sparse, lambda: _NO_BYTES)
        check_concrete(self._geometry.stride)
        count: int = self._geometry.numel * self._dtype.itemsize
        return count

    _base = ReadOnly(attrgetter("_view_base"), doc="The tensor of which it is a view, or None.")
    is_leaf = ReadOnly(is_leaf, doc="Whether the tensor is a leaf of the autograd graph.")
    grad_fn = ReadOnly(grad_fn, doc="The autograd function that made the tensor.")
    _version = ReadOnly(version, doc="The version counter: the number of in-place writes.")

    @ReadOnly
    def retains_grad(self) -> bool:
        """Whether the tensor is not a leaf and retains its gradient."""
        return self._autograd_meta is not None and self._autograd_meta.retains_grad

    @ReadOnly
    def output_nr(self) -> int:
        """Return the index of the tensor among the outputs of its grad_fn."""
        return 0 if self._autograd_meta is None else self._autograd_meta.output_nr

    @property
    def requires_grad(self) -> bool:
        """Whether autograd records the operations on the tensor."""
        return (self._autograd_meta is not None or self._view_base is not None) and requires_grad(
            self
        )

    @requires_grad.setter
    def requires_grad(self, value: Any) -> None:
        check(type(value) is bool, lambda: "requires_grad must be a bool")
        if not is_effective_leaf(self):
            advice = " If you want to use a computed variable in a subgraph that doesn't require"
            advice += " differentiation use var_no_grad = var.detach()."
            leaves = "you can only change requires_grad flags of leaf variables."
            raise RuntimeError(leaves if value else leaves + advice)
        check(
            not value or is_differentiable(self),
            lambda: "only Tensors of floating point and complex dtype can require gradients",
        )
        set_requires_grad(self, value)

    @property
    def grad(self) -> None:
        """The gradient: always None, as there is no backward pass."""
        meta = self._autograd_meta
        if meta is not None and not is_effective_leaf(self) and not meta.retains_grad:
            warn(_NO_GRAD_OF_RESULTS)
        return None

    @grad.setter
    def grad(self, value: Any) -> None:
        if value is not None:
            raise NotImplementedError("impl has no gradients: there is no backward pass")

    _grad = ReadOnly(lambda self: None, doc="The gradient, without a warning: always None.")
    name = ReadOnly(lambda self: None, doc="The name in autograd: always None.")

    @property
    def data(self) -> "Tensor":
        """A tensor over the same memory, without autograd metadata."""
        # Of a sparse tensor, torch makes a new one, about which detach() warns if it is complex32.
        return shallow_copy(METHODS["detach"](self) if self._geometry.is_sparse else self)

    @data.setter
    def data(self, new: Any) -> None:
        if not isinstance(new, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type_name(new)}")
        if not has_compatible_shallow_copy_type(self, new):
            raise RuntimeError(
                "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have"
                " incompatible tensor type."
            )
        if requires_grad(self) and not is_differentiable(new):
            raise RuntimeError(
                "data set to a tensor that requires gradients must be floating point or complex"
                " dtype"
            )
        for name in ("_storage", "_geometry", "_offset", "_dtype", "_conj_neg"):
            setattr(self, name, getattr(new, name))
        self._array = None
        if is_inference(self) != is_inference(new):
            current_version = 0 if self._version_counter is None else self._version_counter.version
            self._version_counter = VersionCounter(current_version, is_inference(new))

    def __hash__(self) -> int:
        return id(self)

    def __len__(self) -> int:
        if not self._geometry.rank:
            raise TypeError("len() of a 0-d tensor")
        return self._geometry.shape[0]  # type: ignore[no-any-return]


_NO_BYTES = (
    "nbytes is not defined for sparse tensors.  If you want the size of the constituent tensors,"
    " add the nbytes of the indices and values.  If you want the size of the  equivalent dense"
    " tensor, multiply numel() by element_size()"
)
_NO_GRAD_OF_RESULTS = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad"
    " attribute won't be populated during autograd.backward(). If you indeed want the .grad field"
    " to be populated for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. If you"
    " access the non-leaf Tensor by mistake, make sure you access the leaf Tensor instead. See"
    " github.com/pytorch/pytorch/pull/30531 for more information. (Triggered internally at"
    " /__w/pytorch/pytorch/build/aten/src/ATen/core/TensorBody.h:493.)"
)

METHODS = lazy_members(Tensor)
"""The attributes of Tensor that other modules define."""

Tensor.__module__ = PACKAGE  # as in torch

register("Tensor", Tensor)
register_exact(Tensor)
register("Storage", UntypedStorage)

_new = object.__new__


def new_tensor(
    storage: UntypedStorage,
    geometry: Geometry,
    offset: int,
    dtype: dtype,
    cls: type = Tensor,
    conj_neg: int = 0,
) -> Tensor:
    """Return a tensor over a storage, with the bits ``conj_neg``."""
    tensor: Tensor = _new(cls)
    tensor._storage = storage
    device = storage._device
    tensor._geometry = geometry if geometry.device is device else on_device(geometry, device)
    tensor._offset = offset
    tensor._dtype = dtype
    tensor._view_base = None
    tensor._autograd_meta = None
    tensor._conj_neg = conj_neg
    tensor._array = None
    tensor._version_counter = (
        INFERENCE_VERSION_COUNTER if NON_DEFAULT_THREADS and inference_enabled() else None
    )
    return tensor


def set_geometry(tensor: Tensor, geometry: Geometry) -> None:
    """Set the geometry of a tensor, on the device of its storage."""
    tensor._geometry = on_device(geometry, tensor._storage._device)


def tensor_from_array(
    memory: Any, geometry: Geometry, dtype: dtype, elements: Any, permuted: Any = None
) -> Tensor:
    """Return a tensor on ``geometry.device``, over or copied from a new contiguous array.

    memory: the array of the storage.
    elements: the same memory with the shape and strides of the geometry, for the array cache.
    permuted: ``elements`` in the order of the memory, or None.
    """
    if geometry.device is not CPU:
        return new_tensor(storage_from_array(memory, geometry.device), geometry, 0, dtype)
    storage = _new(UntypedStorage)
    storage._array = memory
    storage._device = CPU
    storage._resizable = True
    storage._size = memory.nbytes
    tensor: Tensor = _new(Tensor)
    tensor._storage = storage
    tensor._geometry = geometry
    tensor._offset = 0
    tensor._dtype = dtype
    tensor._view_base = None
    tensor._autograd_meta = None
    tensor._conj_neg = 0
    tensor._array = geometry, memory, elements, permuted
    tensor._version_counter = (
        INFERENCE_VERSION_COUNTER if NON_DEFAULT_THREADS and inference_enabled() else None
    )
    return tensor


def shallow_copy(tensor: Tensor) -> Tensor:
    """Return a Tensor over the same storage without autograd metadata (Tensor.data)."""
    result = new_tensor(
        tensor._storage,
        tensor._geometry,
        tensor._offset,
        tensor._dtype,
        conj_neg=tensor._conj_neg,
    )
    result._version_counter = None
    if is_inference(tensor):
        result._version_counter = (
            INFERENCE_VERSION_COUNTER
            if inference_enabled()
            else VersionCounter(0, is_inference=True)
        )
    return result


def has_compatible_shallow_copy_type(tensor: Tensor, other: Tensor) -> bool:
    """Return whether the data of a tensor can become that of another one."""
    first, second = tensor._geometry, other._geometry
    is_on_meta = (first.device is META) != (second.device is META)
    return not is_on_meta and first.is_sparse == second.is_sparse


def copy_autograd_meta(target: Tensor, source: Tensor) -> None:
    """Copy the base, autograd metadata and version counter of another tensor."""
    target._view_base, target._autograd_meta, target._version_counter = (
        source._view_base,
        source._autograd_meta,
        source._version_counter,
    )
    if source._view_base is not None:
        target._view_version = source._view_version


def set_requires_grad(tensor: Tensor, value: bool) -> Tensor:
    """Set requires_grad of a tensor, and return the tensor."""
    if value:
        if is_inference(tensor) and not inference_enabled():
            raise RuntimeError(
                "Setting requires_grad=True on inference tensor outside InferenceMode is not"
                " allowed."
            )
        materialize_autograd_meta(tensor).requires_grad = True
    elif tensor._autograd_meta is not None:
        tensor._autograd_meta.requires_grad = False
    return tensor


def check_no_conj_neg(tensor: Tensor) -> None:
    """Raise if a tensor has the conj or neg bit: its first dispatch key has no device."""
    name = "Negative" if tensor._conj_neg & NEGATIVE else "Conjugate"
    check(not tensor._conj_neg, lambda: f"DispatchKey {name} doesn't correspond to a device")


def storage_of(tensor: Tensor) -> UntypedStorage:
    """Return the storage of a tensor; raise if the tensor is sparse."""
    if tensor._geometry.is_sparse:
        raise NotImplementedError("Cannot access storage of SparseTensorImpl")
    return tensor._storage


def data_ptr(tensor: Tensor) -> int:
    """Return the address of the first element, or 0 without elements; raise if sparse."""
    if tensor._geometry.is_sparse:
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")
    check_concrete(tensor._geometry.stride)
    if not tensor._geometry.numel:
        return 0
    start: int = tensor._storage.data_ptr()
    return (start + tensor._offset * tensor._dtype.itemsize) % 2**64  # an address in C


for _type in ("cpu", "cuda", "meta", "xpu", "xla", "mps", "maia", "ipu", "mtia", "vulkan"):
    setattr(Tensor, f"is_{_type}", ReadOnly(
        lambda self, device_type=_type: self._storage._device.type == device_type,  # type: ignore[misc]
        doc=f"Whether the tensor is on a device of type {_type}.",
    ))  # fmt: skip
for _name in ("is_sparse_csr", "is_quantized", "is_nested", "is_mkldnn"):
    setattr(Tensor, _name, ReadOnly(lambda self: False, doc="False: impl has no such tensors."))
for _name in ("data", "grad", "requires_grad"):
    _plain = vars(Tensor)[_name]
    setattr(Tensor, _name, _NamedProperty(_plain.fget, _plain.fset, _plain.fdel, _plain.__doc__))
for _name, _attribute in vars(Tensor).items():
    if isinstance(_attribute, _NamedProperty):
        _attribute.name = _name  # setattr does not call __set_name__

_PLAIN_METHODS = {
    "dim": (attrgetter("_geometry.rank"), "Return the number of dimensions."),
    "ndimension": (attrgetter("_geometry.rank"), "Return the number of dimensions."),
    "numel": (attrgetter("_geometry.numel"), "Return the number of elements."),
    "nelement": (attrgetter("_geometry.numel"), "Return the number of elements."),
    "element_size": (attrgetter("_dtype.itemsize"), "Return the number of bytes of an element."),
    "storage_offset": (attrgetter("_offset"), "Return the storage offset, in elements."),
    "untyped_storage": (storage_of, "Return the untyped storage, which views share."),
    "data_ptr": (data_ptr, "Return the address of the first element."),
    "is_floating_point": (
        attrgetter("_dtype.is_floating_point"),
        "Return whether the dtype is a real floating-point dtype.",
    ),
    "is_complex": (attrgetter("_dtype.is_complex"), "Return whether the dtype is complex."),
    "is_signed": (attrgetter("_dtype.is_signed"), "Return whether the dtype has negative numbers."),
    "is_inference": (is_inference, "Return whether the tensor was created in inference mode."),
    "_is_view": (lambda self: self._view_base is not None, "Return whether the tensor is a view."),
    "is_conj": (lambda self: self._conj_neg & CONJUGATE != 0, "Return whether the conj bit is on."),
    "is_neg": (lambda self: self._conj_neg & NEGATIVE != 0, "Return whether the neg bit is on."),
    "is_distributed": (lambda self: False, "Return False: impl has no distributed tensors."),
}

for _name, (_get, _doc) in _PLAIN_METHODS.items():
    setattr(Tensor, _name, _without_arguments(_name, _get, _doc))
