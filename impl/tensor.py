"""Tensor: storage, geometry and a dtype; and the attributes that these alone decide.

What operators do to tensors is in ``ops``; each adds its method to the class.
"""

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from .autograd import MODE, History, Node, node
from .devices import CPU, device
from .dtypes import dtype
from .errors import check, takes_no_arguments, type_name
from .geometry import Geometry
from .layouts import layout, strided
from .lazy_bits import CONJUGATE, NEGATIVE
from .signatures import register
from .storage import UntypedStorage
from .torch_class import PACKAGE


class ReadOnly(property):
    """An attribute that cannot be set, and says so as torch's C classes do."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

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
        "__dict__", "__weakref__", "_base", "_dtype", "_geometry", "_history", "_lazy", "_offset",
        "_storage",
    )  # fmt: skip

    _storage: UntypedStorage
    _geometry: Geometry
    _offset: int
    _dtype: dtype
    _base: "Tensor | None"
    _history: History | None
    _lazy: int
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
        return strided

    @ReadOnly
    def nbytes(self) -> int:
        """Count the bytes of all elements."""
        count: int = self._geometry.numel * self._dtype.itemsize
        return count

    @ReadOnly
    def is_leaf(self) -> bool:
        """Whether no operation that autograd records made the tensor."""
        return self._history is None or self._history.grad_fn is None

    @ReadOnly
    def grad_fn(self) -> Node | None:
        """Return what autograd says the tensor came from."""
        return None if self._history is None else self._history.grad_fn

    @ReadOnly
    def retains_grad(self) -> bool:
        """Whether a gradient would be kept although the tensor is no leaf."""
        return self._history is not None and self._history.retains_grad

    @property
    def requires_grad(self) -> bool:
        """Whether autograd records what is done with the tensor."""
        return self._history is not None

    @requires_grad.setter
    def requires_grad(self, value: Any) -> None:
        check(type(value) is bool, lambda: "requires_grad must be a bool")
        check(
            value or self.is_leaf,
            lambda: _ONLY_LEAVES + (" If you want to use a computed variable in a subgraph that"
            " doesn't require differentiation use var_no_grad = var.detach()."),
        )  # fmt: skip
        check(self.is_leaf, lambda: _ONLY_LEAVES)
        check(
            not value or _is_differentiable(self._dtype),
            lambda: "only Tensors of floating point and complex dtype can require gradients",
        )
        require_grad(self, value)

    @property
    def grad(self) -> None:
        """The gradient: none, as there is no backward pass."""
        return None

    @grad.setter
    def grad(self, value: Any) -> None:
        check(value is None, lambda: "impl has no gradients: there is no backward pass",
              NotImplementedError)  # fmt: skip

    def _is_view(self) -> bool:
        return self._base is not None

    name = ReadOnly(lambda self: None, doc="The name that autograd knows the tensor by: none.")
    output_nr = ReadOnly(lambda self: 0, doc="Which output of its function the tensor is.")

    @property
    def data(self) -> "Tensor":
        """The tensor without its history; it shares the memory."""
        return alias(self)

    @data.setter
    def data(self, new: Any) -> None:
        check(
            isinstance(new, Tensor),
            lambda: f"Variable data has to be a tensor, but got {type_name(new)}",
            TypeError,
        )
        for name in ("_storage", "_geometry", "_offset", "_dtype", "_lazy"):
            setattr(self, name, getattr(new, name))

    def __hash__(self) -> int:
        return id(self)

    def __len__(self) -> int:
        if not self._geometry.rank:
            raise TypeError("len() of a 0-d tensor")
        first: int = self._geometry.shape[0]
        return first


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
for _name in ("is_sparse", "is_sparse_csr", "is_quantized", "is_nested", "is_mkldnn"):
    setattr(Tensor, _name, ReadOnly(lambda self: False, doc="False: only strided tensors exist."))
for _name in ("is_cpu", "is_sparse", "is_nested"):
    pass

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
    "untyped_storage": (attrgetter("_storage"), "Return the storage, which views share."),
    "data_ptr": (lambda self: address(self), "Return the address of the first element."),
    "is_floating_point": (
        attrgetter("_dtype.is_floating_point"),
        "Tell whether the dtype is a real floating-point one.",
    ),
    "is_complex": (attrgetter("_dtype.is_complex"), "Tell whether the dtype is complex."),
    "is_signed": (attrgetter("_dtype.is_signed"), "Tell whether the dtype has negative numbers."),
    "is_inference": (lambda self: False, "False: there is no inference mode."),
    "is_conj": (
        lambda self: self._lazy & CONJUGATE != 0,
        "Tell whether the tensor keeps its elements conjugated.",
    ),
    "is_neg": (
        lambda self: self._lazy & NEGATIVE != 0,
        "Tell whether the tensor keeps its elements negated.",
    ),
    "is_distributed": (lambda self: False, "False: nothing is distributed."),
}

for _name, (_get, _doc) in _PLAIN_METHODS.items():
    setattr(Tensor, _name, _without_arguments(_name, _get, _doc))

Tensor.__module__ = PACKAGE  # where torch has it

register("Tensor", Tensor)
register("Storage", UntypedStorage)

_new = object.__new__


def make(
    storage: UntypedStorage,
    geometry: Geometry,
    offset: int,
    dtype: dtype,
    kind: type = Tensor,
    lazy: int = 0,
) -> Tensor:
    """Make a tensor of its parts."""
    tensor: Tensor = _new(kind)
    tensor._storage = storage
    tensor._geometry = geometry
    tensor._offset = offset
    tensor._dtype = dtype
    tensor._base = None
    tensor._history = None
    tensor._lazy = lazy
    return tensor


def alias(tensor: Tensor) -> Tensor:
    """Make a tensor of the same parts that autograd knows nothing of."""
    return make(
        tensor._storage, tensor._geometry, tensor._offset, tensor._dtype, type(tensor), tensor._lazy
    )


def view_of(tensor: Tensor, geometry: Geometry, offset: int, function: str) -> Tensor:
    """Make a view of a tensor; ``function`` is what autograd calls the way it was made."""
    view: Tensor = _new(type(tensor))
    view._storage = tensor._storage
    view._geometry = geometry
    view._offset = offset
    view._dtype = tensor._dtype
    view._lazy = tensor._lazy
    view._base = tensor if tensor._base is None else tensor._base
    view._history = None if tensor._history is None else _passed_on(function)
    return view


def came_from(result: Tensor, sources: tuple[Tensor, ...], function: str) -> Tensor:
    """Note what a new tensor came from, if one of its sources requires a gradient."""
    for source in sources:
        if source._history is not None:
            if _is_differentiable(result._dtype):
                result._history = _passed_on(function)
            break
    return result


def _passed_on(function: str) -> History | None:
    return History(node(function)) if MODE.enabled else None


def require_grad(tensor: Tensor, value: bool) -> Tensor:
    """Mark a leaf as requiring a gradient or not."""
    if value and tensor._history is None:
        tensor._history = History(None)
    elif not value:
        tensor._history = None
    return tensor


def check_writable(tensor: Tensor) -> None:
    """Refuse to write to a leaf that requires a gradient, or to a view of one."""
    history, base = tensor._history, tensor._base
    if (history is None and base is None) or not MODE.enabled:
        return
    check(
        history is None or history.grad_fn is not None,
        lambda: "a leaf Variable that requires grad is being used in an in-place operation.",
    )
    check(
        base is None or base._history is None or base._history.grad_fn is not None
        or history is None,
        lambda: "a view of a leaf Variable that requires grad is being used in an in-place operation.",
    )  # fmt: skip


def check_plain(tensor: Tensor) -> None:
    """Refuse a tensor with a bit where torch asks the first of its keys for a device."""
    name = "Negative" if tensor._lazy & NEGATIVE else "Conjugate"
    check(not tensor._lazy, lambda: f"DispatchKey {name} doesn't correspond to a device")


def _is_differentiable(value: dtype) -> bool:
    return value.is_floating_point or value.is_complex


def address(tensor: Tensor) -> int:
    """Return the address of the first element; 0 if there is none."""
    if not tensor._geometry.numel:
        return 0
    start: int = tensor._storage.data_ptr()
    return start + tensor._offset * tensor._dtype.itemsize


def is_on_cpu(value: device) -> bool:
    """Tell whether a device is the CPU."""
    return value is CPU or value.type == "cpu"
