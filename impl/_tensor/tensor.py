"""Tensor: storage, geometry and a dtype; and the attributes that these alone decide.

What operators do to tensors is in ``ops``; each puts its method into `METHODS`.
"""

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from .._argparser.types import register
from .._autograd.autograd_meta import (
    UNTRACKED,
    AutogradMeta,
    VersionCounter,
    grad_fn,
    is_differentiable,
    is_effective_leaf,
    is_inference,
    is_leaf,
    requires_grad,
    set_required,
    version,
    version_counter,
)
from .._autograd.tracking import record_inputs, record_view
from .._devices.device import CPU, META, device
from .._dtypes.table import dtype
from .._geometry.geometry import Geometry, on_device
from .._geometry.layout import layout, sparse_coo, strided
from .._numerics.conj_neg import CONJUGATE, NEGATIVE
from .._runtime.c_types import PACKAGE
from .._runtime.errors import check, takes_no_arguments, type_name
from .._runtime.grad_modes import NON_DEFAULT_THREADS, inference_enabled
from .._runtime.lazy_exports import lazy_members
from .._runtime.warnings import warn
from .._storage.untyped_storage import UntypedStorage, storage_from_array


class ReadOnly(property):
    """An attribute that cannot be set, and says so as torch's C classes do."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @property
    def __name__(self) -> str:
        return self.name

    def __delete__(self, instance: Any) -> None:
        self.__set__(instance, None)

    def __set__(self, instance: Any, value: Any) -> None:
        raise AttributeError(
            f"attribute '{self.name}' of 'torch._C.TensorBase' objects is not writable"
        )


def _without_arguments(name: str, get: Any, doc: str) -> Any:
    """Make a method without parameters; CPython's message names torch's C class."""

    def method(self: "Tensor", /, *args: Any, **keywords: Any) -> Any:
        if args or keywords:
            takes_no_arguments(f"TensorBase.{name}", args, keywords)
        return get(self)

    method.__name__ = name
    method.__qualname__ = f"Tensor.{name}"
    method.__doc__ = doc
    return method


class Tensor:
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
        "_base",
        "_conj_neg",
        "_dtype",
        "_geometry",
        "_offset",
        "_storage",
        "_version_counter",
        "_view_version",
    )  # fmt: skip

    _storage: UntypedStorage
    _geometry: Geometry
    _offset: int
    _dtype: dtype
    _base: "Tensor | None"
    _autograd_meta: AutogradMeta | None
    _conj_neg: int
    _array: Any
    _version_counter: VersionCounter | None
    _view_version: int
    item: Callable[[], Any]

    __array_priority__ = 1000

    shape = ReadOnly(attrgetter("_geometry.shape"), doc="The sizes of the dimensions.")
    dtype = ReadOnly(attrgetter("_dtype"), doc="The type of the elements.")
    device = ReadOnly(attrgetter("_storage._device"), doc="Where the memory lies.")
    ndim = ReadOnly(attrgetter("_geometry.rank"), doc="The number of dimensions.")
    itemsize = ReadOnly(attrgetter("_dtype.itemsize"), doc="The number of bytes of an element.")

    @ReadOnly
    def layout(self) -> "layout":
        """How the elements are kept."""
        return sparse_coo if self._geometry.is_sparse else strided

    @ReadOnly
    def nbytes(self) -> int:
        """Count the bytes of all elements."""
        check(not self._geometry.is_sparse, lambda: _NO_BYTES)
        count: int = self._geometry.numel * self._dtype.itemsize
        return count

    is_leaf = ReadOnly(is_leaf, doc="Whether no operation that autograd records made the tensor.")
    grad_fn = ReadOnly(grad_fn, doc="What autograd says the tensor came from.")
    _version = ReadOnly(version, doc="How often the tensor was written to in place.")

    @ReadOnly
    def retains_grad(self) -> bool:
        """Whether a gradient would be kept although the tensor is no leaf."""
        return self._autograd_meta is not None and self._autograd_meta.retains_grad

    @ReadOnly
    def output_nr(self) -> int:
        """Which output of its function the tensor is."""
        return 0 if self._autograd_meta is None else self._autograd_meta.output_nr

    @property
    def requires_grad(self) -> bool:
        """Whether autograd records what is done with the tensor."""
        return (self._autograd_meta is not None or self._base is not None) and requires_grad(self)

    @requires_grad.setter
    def requires_grad(self, value: Any) -> None:
        check(type(value) is bool, lambda: "requires_grad must be a bool")
        check(
            value or is_effective_leaf(self),
            lambda: _ONLY_LEAVES + (" If you want to use a computed variable in a subgraph that"
            " doesn't require differentiation use var_no_grad = var.detach()."),
        )  # fmt: skip
        check(is_effective_leaf(self), lambda: _ONLY_LEAVES)
        check(
            not value or is_differentiable(self),
            lambda: "only Tensors of floating point and complex dtype can require gradients",
        )
        set_required(self, value)

    @property
    def grad(self) -> None:
        """The gradient: none, as there is no backward pass."""
        history = self._autograd_meta
        if history is not None and not is_effective_leaf(self) and not history.retains_grad:
            warn(_NO_GRAD_OF_RESULTS)
        return None

    @grad.setter
    def grad(self, value: Any) -> None:
        check(value is None, lambda: "impl has no gradients: there is no backward pass",
              NotImplementedError)  # fmt: skip

    name = ReadOnly(lambda self: None, doc="The name that autograd knows the tensor by: none.")

    @property
    def data(self) -> "Tensor":
        """The tensor without its history; it shares the memory."""
        return shallow_copy(self)

    @data.setter
    def data(self, new: Any) -> None:
        check(
            isinstance(new, Tensor),
            lambda: f"Variable data has to be a tensor, but got {type_name(new)}",
            TypeError,
        )
        check(
            (self._geometry.device is META) == (new._geometry.device is META),
            lambda: (
                "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have"
                " incompatible tensor type."
            ),
        )
        check(
            not requires_grad(self) or is_differentiable(new),
            lambda: (
                "data set to a tensor that requires gradients must be floating point or complex"
                " dtype"
            ),
        )
        for name in ("_storage", "_geometry", "_offset", "_dtype", "_conj_neg"):
            setattr(self, name, getattr(new, name))
        self._array = None
        if is_inference(self) != is_inference(new):
            writes = 0 if self._version_counter is None else self._version_counter.writes
            self._version_counter = VersionCounter(writes, is_inference(new))

    def __hash__(self) -> int:
        return id(self)

    def __len__(self) -> int:
        if not self._geometry.rank:
            raise TypeError("len() of a 0-d tensor")
        first: int = self._geometry.shape[0]
        return first


_NO_BYTES = (
    "nbytes is not defined for sparse tensors.  If you want the size of the constituent tensors, add"
    " the nbytes of the indices and values.  If you want the size of the  equivalent dense tensor,"
    " multiply numel() by element_size()"
)
_NO_GRAD_OF_RESULTS = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad"
    " attribute won't be populated during autograd.backward(). If you indeed want the .grad field"
    " to be populated for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. If you"
    " access the non-leaf Tensor by mistake, make sure you access the leaf Tensor instead. See"
    " github.com/pytorch/pytorch/pull/30531 for more information. (Triggered internally at"
    " /__w/pytorch/pytorch/build/aten/src/ATen/core/TensorBody.h:493.)"
)

_ONLY_LEAVES = "you can only change requires_grad flags of leaf variables."

for _name, _type in (
    ("is_cpu", "cpu"), ("is_cuda", "cuda"), ("is_meta", "meta"), ("is_xpu", "xpu"),
    ("is_xla", "xla"), ("is_mps", "mps"), ("is_maia", "maia"), ("is_ipu", "ipu"),
    ("is_mtia", "mtia"), ("is_vulkan", "vulkan"),
):  # fmt: skip
    setattr(Tensor, _name, ReadOnly(
        lambda self, kind=_type: self._storage._device.type == kind,  # type: ignore[misc]
        doc=f"Whether the memory lies on a device of type {_type}.",
    ))  # fmt: skip
Tensor.is_sparse = ReadOnly(  # type: ignore[attr-defined]
    attrgetter("_geometry.is_sparse"), doc="Whether only some elements are kept, with their places."
)
for _name in ("is_sparse_csr", "is_quantized", "is_nested", "is_mkldnn"):
    setattr(Tensor, _name, ReadOnly(lambda self: False, doc="False: there are no such tensors."))

_PLAIN_METHODS = {
    "dim": (attrgetter("_geometry.rank"), "Return the number of dimensions."),
    "ndimension": (attrgetter("_geometry.rank"), "Return the number of dimensions."),
    "numel": (attrgetter("_geometry.numel"), "Return the number of elements."),
    "nelement": (attrgetter("_geometry.numel"), "Return the number of elements."),
    "element_size": (attrgetter("_dtype.itemsize"), "Return the number of bytes of an element."),
    "storage_offset": (
        attrgetter("_offset"),
        "Return the place of the first element in the storage, in elements.",
    ),
    "untyped_storage": (
        lambda self: storage_of(self),
        "Return the storage, which views share.",
    ),
    "data_ptr": (lambda self: data_ptr(self), "Return the address of the first element."),
    "is_floating_point": (
        attrgetter("_dtype.is_floating_point"),
        "Tell whether the dtype is a real floating-point one.",
    ),
    "is_complex": (attrgetter("_dtype.is_complex"), "Tell whether the dtype is complex."),
    "is_signed": (attrgetter("_dtype.is_signed"), "Tell whether the dtype has negative numbers."),
    "is_inference": (is_inference, "Tell whether the tensor was made in inference mode."),
    "_is_view": (lambda self: self._base is not None, "Tell whether the tensor is a view."),
    "is_conj": (
        lambda self: self._conj_neg & CONJUGATE != 0,
        "Tell whether the tensor keeps its elements conjugated.",
    ),
    "is_neg": (
        lambda self: self._conj_neg & NEGATIVE != 0,
        "Tell whether the tensor keeps its elements negated.",
    ),
    "is_distributed": (lambda self: False, "False: nothing is distributed."),
}

for _name, (_get, _doc) in _PLAIN_METHODS.items():
    setattr(Tensor, _name, _without_arguments(_name, _get, _doc))

METHODS = lazy_members(Tensor)
"""The attributes of Tensor that other modules make."""

Tensor.__module__ = PACKAGE  # where torch has it

register("Tensor", Tensor)
register("Storage", UntypedStorage)

_new = object.__new__


def new_tensor(
    storage: UntypedStorage,
    geometry: Geometry,
    offset: int,
    dtype: dtype,
    cls: type = Tensor,
    lazy: int = 0,
) -> Tensor:
    """Make a tensor of its parts."""
    tensor: Tensor = _new(cls)
    tensor._storage = storage
    device = storage._device
    tensor._geometry = geometry if geometry.device is device else on_device(geometry, device)
    tensor._offset = offset
    tensor._dtype = dtype
    tensor._base = None
    tensor._autograd_meta = None
    tensor._conj_neg = lazy
    tensor._array = None
    tensor._version_counter = UNTRACKED if NON_DEFAULT_THREADS and inference_enabled() else None
    return tensor


def set_geometry(tensor: Tensor, geometry: Geometry) -> None:
    """Give a tensor another geometry, on the device where it is."""
    tensor._geometry = on_device(geometry, tensor._storage._device)


def tensor_from_array(
    memory: Any, geometry: Geometry, dtype: dtype, found: Any, flat: Any = None
) -> Tensor:
    """Make a tensor of a new contiguous array, which is kept as memory; ``found`` are its elements.

    It lies where the geometry does; what is kept on the CPU is moved there.
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
    tensor._base = None
    tensor._autograd_meta = None
    tensor._conj_neg = 0
    tensor._array = geometry, memory, found, flat
    tensor._version_counter = UNTRACKED if NON_DEFAULT_THREADS and inference_enabled() else None
    return tensor


def shallow_copy(tensor: Tensor) -> Tensor:
    """Make a tensor of the same parts, of which autograd knows nothing (Tensor.data)."""
    new = new_tensor(
        tensor._storage,
        tensor._geometry,
        tensor._offset,
        tensor._dtype,
        type(tensor),
        tensor._conj_neg,
    )
    new._version_counter = None
    if is_inference(tensor):
        new._version_counter = (
            UNTRACKED if inference_enabled() else VersionCounter(0, is_inference=True)
        )
    return new


def copy_autograd_meta(target: Tensor, source: Tensor) -> None:
    """Let autograd know the same of a tensor as of another one."""
    target._base, target._autograd_meta, target._version_counter = (
        source._base,
        source._autograd_meta,
        source._version_counter,
    )
    if source._base is not None:
        target._view_version = source._view_version


def detached(tensor: Tensor) -> Tensor:
    """Make a tensor of the same parts without the history; writes to either count for both."""
    new = shallow_copy(tensor)
    if not is_inference(tensor):
        new._version_counter = version_counter(tensor)
    return new


def view_of(
    tensor: Tensor, geometry: Geometry, offset: int, function: str, output: int | None = None
) -> Tensor:
    """Make a view of a tensor; ``function`` is what autograd calls the way it was made.

    ``output`` is its place among several that the function returns.
    """
    view: Tensor = _new(type(tensor))
    view._storage = tensor._storage
    device = tensor._geometry.device
    view._geometry = geometry if geometry.device is device else on_device(geometry, device)
    view._offset = offset
    view._dtype = tensor._dtype
    view._conj_neg = tensor._conj_neg
    view._array = None
    view._autograd_meta = None
    view._version_counter = None
    root = tensor if tensor._base is None else tensor._base
    view._base = root
    counter = root._version_counter
    if counter is None:
        view._view_version = 0
    elif counter.is_inference:
        # A view of what autograd does not know is none to it.
        view._base, view._version_counter = None, UNTRACKED
        return view
    else:
        writes = counter.writes
        view._view_version = version(root) if writes is None else writes
    if (
        root._autograd_meta is not None
        or tensor._autograd_meta is not None
        or output is not None
        or NON_DEFAULT_THREADS
    ):
        record_view(view, tensor, function, output)
    return view


def typed_view_of(
    tensor: Tensor, geometry: Geometry, offset: int, dtype: dtype, function: str
) -> Tensor:
    """Make a view whose elements mean something else, and which autograd makes anew by its function."""
    view = new_tensor(tensor._storage, geometry, offset, dtype, type(tensor), tensor._conj_neg)
    if is_inference(tensor):
        view._version_counter = UNTRACKED
        return view
    view._version_counter = None
    view._base = tensor if tensor._base is None else tensor._base
    view._view_version = version(tensor)
    record_view(view, tensor, function, typed=True)
    return view


def record_grad_fn(
    result: Tensor, sources: tuple[Tensor, ...], function: str, *inner: str
) -> Tensor:
    """Note what a new tensor came from, if one of its sources requires a gradient.

    ``inner`` are the functions in which torch writes the result: they are
    what autograd sees where all sources are of inference mode.
    """
    for source in sources:
        counter, base = source._version_counter, source._base
        if (
            source._autograd_meta is not None
            or (base is not None and base._autograd_meta is not None)
            or (counter is not None and counter.is_inference)
        ):
            record_inputs(result, sources, function, inner)
            break
    return result


def set_requires_grad(tensor: Tensor, value: bool) -> Tensor:
    """Mark a tensor as requiring a gradient or not, and return it."""
    set_required(tensor, value)
    return tensor


def check_no_conj_neg(tensor: Tensor) -> None:
    """Refuse a tensor with a bit where torch asks the first of its keys for a device."""
    name = "Negative" if tensor._conj_neg & NEGATIVE else "Conjugate"
    check(not tensor._conj_neg, lambda: f"DispatchKey {name} doesn't correspond to a device")


def storage_of(tensor: Tensor) -> UntypedStorage:
    """Return the storage of a tensor, which sparse ones have not."""
    check(
        not tensor._geometry.is_sparse,
        lambda: "Cannot access storage of SparseTensorImpl",
        NotImplementedError,
    )
    return tensor._storage


def data_ptr(tensor: Tensor) -> int:
    """Return the address of the first element; 0 if there is none."""
    check(
        not tensor._geometry.is_sparse,
        lambda: "Cannot access data pointer of Tensor that doesn't have storage",
    )
    if not tensor._geometry.numel:
        return 0
    start: int = tensor._storage.data_ptr()
    return start + tensor._offset * tensor._dtype.itemsize


def is_on_cpu(device: device) -> bool:
    """Tell whether a device is the CPU."""
    return device is CPU or device.type == "cpu"
