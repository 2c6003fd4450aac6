"""The old ways to make tensors: torch.Tensor(), torch.FloatTensor and its kin, Tensor.new(), Tensor.type().

A class such as torch.FloatTensor is no class that tensors are made of: it is a
name for those of one dtype, and all tensors are of the class Tensor.
"""

from enum import Enum
from typing import Any

from .._argparser.parser import Parser
from .._autograd.tracking import count_filling
from .._devices import cuda_backend
from .._devices.availability import check_device, place_on
from .._devices.device import CPU, device, parse_device
from .._dtypes.constants import COMPLEX32
from .._dtypes.cpp_names import TorchNamed, cpp_type, import_dotted, tp_name
from .._dtypes.default_dtype import get_default_dtype, set_default_dtype
from .._dtypes.table import ALL, Kind, dtype, spec_of
from .._geometry import extents
from .._geometry.geometry import dense
from .._geometry.layout import strided
from .._geometry.size import Size
from .._numerics.from_python import _is_sequence, read
from .._ops.common.copy import to_place
from .._ops.common.registration import Op, install
from .._ops.creation.from_data import _from_data, _to
from .._ops.views.inplace import _set_storage
from .._runtime.c_types import TorchType
from .._runtime.device_modes import without_device_mode
from .._runtime.errors import check, type_name
from .._runtime.lazy_exports import PUBLIC
from .._runtime.warnings import shown_in_warnings, warn_once
from .._storage.storage_base import NO_ACCELERATOR
from .._storage.untyped_storage import StorageBase, storage_from_array
from .._tensor.factories import empty_tensor
from .._tensor.tensor import (
    METHODS,
    Tensor,
    check_no_conj_neg,
    copy_autograd_meta,
    detached,
    new_tensor,
    set_requires_grad,
    view_of,
)
from .._tensor.typed_storage import TypedStorage

_NAMES = (
    "BFloat16", "Bool", "Byte", "Char", "Double", "Float", "Half", "Int", "Long", "Short",
)  # fmt: skip
_KIND_OF = {spec_of(dtype).cpp_name: dtype for dtype in ALL}


class tensortype(TorchType, metaclass=TorchNamed, called="torch.tensortype"):
    """The metaclass of the legacy tensor classes: what they say of themselves, and what they make.

    All else that is asked of them is what Tensor has.
    """

    dtype: Any
    is_cuda: bool
    _device_type: str
    layout = property(lambda self: strided, doc="How the elements lie.")
    is_xpu = property(lambda self: False, doc="Whether the class is for an XPU.")
    is_sparse = property(lambda self: False, doc="Whether the class is for sparse tensors.")
    is_sparse_csr = property(lambda self: False, doc="Whether the class is for sparse tensors.")

    def __call__(self, *args: Any, **keywords: Any) -> Tensor:
        """Make a tensor of the dtype."""
        _check_available(self)
        where = place_on(parse_device(self._device_type))
        return _constructed(_Form.CLASS, self.dtype, args, keywords, where)

    def __instancecheck__(self, instance: Any) -> bool:
        if not issubclass(type(instance), Tensor) or instance._dtype is not self.dtype:
            return False
        if instance._geometry.is_sparse:
            return False
        return instance._storage._device.type == self._device_type  # type: ignore[no-any-return]

    def __getattr__(self, name: str) -> Any:
        """Return what Tensor has under a name."""
        if not hasattr(Tensor, name):
            raise AttributeError(f"type object '{tp_name(self)}' has no attribute '{name}'")
        return getattr(Tensor, name)


def _tensor_class(name: str, module: str = "") -> Any:
    place = module.rstrip(".") or "cpu"
    fields = {"dtype": _KIND_OF[name], "is_cuda": place == "cuda", "_device_type": place}
    new = tensortype(f"{module}{name}Tensor", (), fields)
    if module:
        type.__setattr__(new, "__module__", f"{new.__module__}.{place}")
        type.__setattr__(new, "__qualname__", f"{name}Tensor")
    return new


LEGACY_TENSORS: dict[str, Any] = {f"{name}Tensor": _tensor_class(name) for name in _NAMES}
"""The legacy tensor classes of the namespace torch, by name."""

CUDA_TENSORS: dict[str, Any] = {f"{name}Tensor": _tensor_class(name, "cuda.") for name in _NAMES}
"""The legacy tensor classes of the namespace torch.cuda, by name; they can be called where there are such devices."""


def _check_available(kind: Any) -> None:
    check(
        not kind.is_cuda or cuda_backend.cuda() is not None,
        lambda: f"type {tp_name(kind)} not available. Torch not compiled with CUDA enabled.",
        TypeError,
    )


# The constructors (legacy_tensor_generic_ctor_new in torch/csrc/utils/tensor_new.cpp).


_INTS = frozenset({int})


class _Form(Enum):
    """Who is called: torch.Tensor, a legacy class, or a tensor's method new()."""

    BASE = "torch.Tensor()"
    CLASS = "torch.FloatTensor()"
    NEW = "Tensor.new()"


_parse_new = Parser(
    "new(*, Device? device=None)",
    "new(Storage storage)",
    "new(*, int64_t cdata)|hidden",
    "new(Tensor other)",
    "new(Tensor other, *, Device? device=None)|hidden",
    "new(SymIntArrayRef size, *, Device? device=None)",
    "new(PyObject* data, *, Device? device=None)",
)
_NOTHING, _STORAGE, _ADDRESS, _TENSOR, _TENSOR_ON_DEVICE, _SIZES, _DATA = _parse_new.signatures


def construct(
    form: _Form,
    dtype: dtype,
    args: tuple[Any, ...],
    keywords: dict[str, Any],
    device: device = CPU,
) -> Tensor:
    """Make what the old constructors make, on a device: of nothing, a storage, a tensor, sizes or data."""
    if not keywords and args and device is CPU:
        first = args[0]
        if _INTS.issuperset(map(type, args)) and min(args) >= 0 and max(args) < 2**31:
            return _filled(empty_tensor(args, dtype))
        if len(args) == 1 and type(first) is list and dtype is not COMPLEX32:
            shape, _, array = read(first, dtype)
            return new_tensor(storage_from_array(array), dense(shape), 0, dtype)
    signature, values = _parse_new.match(args, keywords)
    if signature is _STORAGE:
        return _of_storage(dtype, values[0], device)
    if signature is _TENSOR:
        return _of_tensor(form, dtype, values[0], device)
    if signature is _ADDRESS:
        raise NotImplementedError("impl has no tensors at addresses of C++ objects")
    if signature is _TENSOR_ON_DEVICE:
        raise RuntimeError(_NO_DEVICE_FOR_NEW if form is _Form.NEW else _NO_DEVICE_FOR_CLASS)
    wanted = _DATA.convert([None, values[-1]])[1]
    _check_device(wanted, device)
    device = place_on(wanted) if wanted is not None else device
    if signature is _NOTHING:
        return _filled(empty_tensor((0,), dtype, device))
    given = values[0]
    # A list of sizes that is the only argument is data, unless it is a torch.Size.
    is_data = args and args[0] is given and not isinstance(given, Size)
    if signature is _SIZES and not is_data:
        size = _SIZES.convert(values)[0]
        extents.check_nonnegative(size)
        return _filled(empty_tensor(size, dtype, device))
    check(
        _is_sequence(given) or isinstance(given, StorageBase | TypedStorage),
        lambda: f"new(): data must be a sequence (got {type_name(given)})",
        TypeError,
    )
    made = _from_data(given, dtype, dtype, None, pin=False, copy=False)
    return _to(made, dtype, device, copy=False)


_constructed = without_device_mode(construct)


def _check_device(wanted: device | None, device: device) -> None:
    check(
        wanted is None or wanted.type == device.type,
        lambda: (
            f"legacy constructor expects device type: {device.type} but device type:"
            f" {wanted and wanted.type} was passed"
        ),
    )


def _of_storage(dtype: dtype, storage: Any, device: device) -> Tensor:
    own = None if isinstance(storage, StorageBase) else storage.dtype
    check(
        own is None or own is dtype,
        lambda: (
            f"Expected a Storage of type {spec_of(dtype).cpp_name} or an UntypedStorage, but got"
            f" type {spec_of(own or dtype).cpp_name} for argument 1 'storage'"
        ),
    )
    return _set_storage(_filled(empty_tensor((), dtype, device)), storage)


def _filled(tensor: Tensor) -> Tensor:
    """Return a new tensor; that its memory is filled, where it is, counts as a write."""
    count_filling(tensor)
    return tensor


def _of_tensor(form: _Form, dtype: dtype, other: Tensor, device: device) -> Tensor:
    """Return another view of all of a tensor; only torch.Tensor takes those of any dtype."""
    own = other._geometry.device
    check(
        form is _Form.BASE or (other._dtype is dtype and own.type == device.type),
        lambda: f"expected {_options(dtype, device)} (got {_options(other._dtype, own)})",
        TypeError,
    )
    return _view_as(other, Tensor)


def _options(dtype: dtype, device: device) -> str:
    return (
        f"TensorOptions(dtype={cpp_type(dtype)}, device={device}, layout=Strided, requires_grad=false"
        " (default), pinned_memory=false (default), memory_format=(nullopt))"
    )


_NO_DEVICE_FOR_NEW = (
    "Legacy tensor new of the form tensor.new(tensor, device=device) is not supported."
    "  Use torch.as_tensor(...) instead."
)
_NO_DEVICE_FOR_CLASS = (
    "Legacy tensor constructor of the form torch.Tensor(tensor, device=device) is not supported."
    "  Use torch.tensor(...) or torch.as_tensor(...) instead."
)


def _new_tensor_object(cls: type[Tensor], *args: Any, **keywords: Any) -> Tensor:
    """Make a tensor of a size or of data, with the default dtype; or another view of a tensor."""
    made = _constructed(_Form.BASE, get_default_dtype(), args, keywords)
    return made if cls is Tensor else _as_class(made, cls)


def _new(self: Tensor, *args: Any, **keywords: Any) -> Tensor:
    """Tensor.new(...): make a tensor of this one's dtype: of nothing, sizes, data or a storage."""
    check_no_conj_neg(self)
    made = construct(_Form.NEW, self._dtype, args, keywords, self._geometry.device)
    return made if type(self) is Tensor else _as_class(made, type(self))


# Subclasses.


def _as_class(tensor: Tensor, cls: Any) -> Tensor:
    """Return a tensor that nobody else has as one of a class."""
    check(
        issubclass(cls, Tensor),
        lambda: (
            "Creating a Tensor subclass from a class that does not inherit from Tensor is not"
            " possible. Make sure your class inherits from Tensor."
        ),
        TypeError,
    )
    new = new_tensor(
        tensor._storage, tensor._geometry, tensor._offset, tensor._dtype, cls, tensor._conj_neg
    )
    copy_autograd_meta(new, tensor)
    return new


def _view_as(tensor: Tensor, cls: Any) -> Tensor:
    """Return another view of all of a tensor, as one of a class."""
    return _as_class(view_of(tensor, tensor._geometry, tensor._offset, "AliasBackward0"), cls)


def _check_is_type(cls: Any) -> None:
    check(isinstance(cls, type), lambda: f"cls must be a type (got {type_name(cls)})", TypeError)


def _as_subclass(tensor: Tensor, cls: Any) -> Tensor:
    """Tensor.as_subclass(cls): another view of all of the tensor, of a class made of Tensor."""
    _check_is_type(cls)
    return _view_as(tensor, cls)


_parse_make_subclass = Parser(
    "_make_subclass(PyObject* cls, Tensor data, bool require_grad=False)",
)


def _make_subclass(*args: Any, **keywords: Any) -> Tensor:
    """_make_subclass(cls, data, require_grad=False): a tensor of a class, of the same memory."""
    cls, data, grad = _parse_make_subclass(args, keywords)
    _check_is_type(cls)
    new = detached(data)
    check(
        not grad or data._dtype.is_floating_point or data._dtype.is_complex,
        lambda: "Only Tensors of floating point and complex dtype can require gradients",
    )
    return set_requires_grad(_as_class(new, cls), grad)


# Types by name.


def _type(self: Tensor, wanted: Any, non_blocking: bool, form: Any) -> Any:
    """Tensor.type(dtype=None): the name of the tensor's type, or the tensor with another one.

    What is wanted may be a dtype, a legacy class, or the name of one.
    """
    if wanted is None:
        row = spec_of(self._dtype)
        module = "quantized." if row.kind is Kind.QUANTIZED else ""
        module += "sparse." if self._geometry.is_sparse else ""
        place = "" if self._geometry.device is CPU else f"{self.device.type}."
        return f"torch.{module}{place}{row.cpp_name}Tensor"
    kind, where = _wanted_type(wanted)
    if where is not None and where.type == self.device.type:
        where = None  # on which of its devices makes no difference
    return to_place(self, where, kind, False, form)


def _wanted_type(wanted: Any) -> tuple[dtype, device | None]:
    """Return the dtype and the device of a type; a dtype alone leaves tensors where they are."""
    if type(wanted) is dtype:
        return wanted, None
    if wanted is Tensor:
        return get_default_dtype(), CPU
    if isinstance(wanted, type):
        return _type_by_name(tp_name(wanted))
    check(
        isinstance(wanted, str | bytes),
        lambda: "dtype must be a type, str, or dtype object",
        TypeError,
    )
    return _type_by_name(wanted if isinstance(wanted, str) else wanted.decode())


def _type_by_name(name: str) -> tuple[dtype, device | None]:
    """Return the dtype and the device in the name of a type (options_from_string in torch/csrc/utils/tensor_types.cpp).

    Sparse types count as dense ones.
    """
    if name == "torch.Tensor":
        return get_default_dtype(), CPU
    is_cuda = name.startswith("torch.cuda.") and cuda_backend.cuda() is not None
    for kind in ("cuda", "privateuseone"):
        check(is_cuda or not name.startswith(f"torch.{kind}."), lambda: NO_ACCELERATOR[kind])  # noqa: B023
    module, _, last = name.rpartition(".")
    found = _KIND_OF.get(last.removesuffix("Tensor")) if last.endswith("Tensor") else None
    check(
        found is not None
        and module.removesuffix(".sparse") in ("torch", "torch.cuda", "torch.xpu"),
        lambda: f"invalid type: '{name}'",
        ValueError,
    )
    assert found is not None
    if module.startswith("torch.xpu"):
        check_device(parse_device("xpu"))
    return found, place_on(parse_device("cuda")) if is_cuda else CPU


def _type_as(tensor: Tensor, other: Tensor) -> Tensor:
    """Tensor.type_as(other): the tensor with the dtype and the device of another."""
    own, wanted = (("Strided", "Sparse")[each._geometry.is_sparse] for each in (tensor, other))
    check(
        own == wanted,
        lambda: (
            "to(options) doesn't support converting to a different layout, but got self.layout"
            f" being {own} and options.layout set as {wanted}"
        ),
    )
    return to_place(tensor, other._geometry.device, other._dtype, False, None)


@shown_in_warnings
def set_default_tensor_type(t: Any, /) -> None:
    """Make the dtype of a legacy class, or of the name of one, the default dtype of this process."""
    if isinstance(t, str):
        t = import_dotted(t)
    warn_once(
        "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use"
        " torch.set_default_dtype() and torch.set_default_device() as alternatives. (Triggered"
        " internally at /__w/pytorch/pytorch/torch/csrc/tensor/python_tensor.cpp:434.)"
    )
    check(
        isinstance(t, tensortype),
        lambda: "invalid type object: only floating-point types are supported as the default type",
        TypeError,
    )
    _check_available(t)
    if t.is_cuda:
        raise NotImplementedError(
            "impl has no default tensor type on CUDA; set_default_device has one"
        )
    set_default_dtype(t.dtype)


install(
    Op(
        "type",
        {
            "PyObject* dtype=None, bool non_blocking=False, *, MemoryFormat? memory_format=None": _type,
            "PyObject* dtype=None, bool async=False, *, MemoryFormat? memory_format=None|deprecated": _type,
        },
        function=False,
    )
)
install(Op("type_as", {"Tensor other": _type_as}, function=False))
install(Op("as_subclass", {"PyObject* cls": _as_subclass}, function=False))

_new.__name__, _new.__qualname__ = "new", "Tensor.new"
_new_tensor_object.__name__, _new_tensor_object.__qualname__ = "__new__", "Tensor.__new__"
METHODS["new"] = _new
METHODS["__new__"] = _new_tensor_object
METHODS["_make_subclass"] = staticmethod(_make_subclass)

PUBLIC.update(LEGACY_TENSORS)
