"""Legacy constructors: torch.Tensor(), torch.FloatTensor etc., Tensor.new(), Tensor.type().

A legacy class such as torch.FloatTensor stands for the tensors of one dtype; all tensors are
instances of Tensor.
"""

from enum import Enum
from typing import Any

from .._argparser.parser import Parser
from .._argparser.schema import MISSING
from .._autograd.tracking import bump_version_if_filled
from .._devices import cuda_backend
from .._devices.availability import check_device, resolve_device
from .._devices.device import CPU, META, device, parse_device
from .._dtypes.constants import COMPLEX32
from .._dtypes.cpp_names import TorchNamed, cpp_type, import_dotted, tp_name
from .._dtypes.default_dtype import get_default_dtype, set_default_dtype
from .._dtypes.table import ALL_DTYPES, Kind, dtype, spec_of
from .._geometry import extents
from .._geometry.geometry import dense
from .._geometry.layout import strided
from .._geometry.size import Size
from .._numerics.from_python import elements_from_data, is_sequence
from .._ops.common.copy import to_device
from .._ops.common.registration import Op, register_operator
from .._ops.creation.from_data import convert_tensor, tensor_from_data
from .._ops.sparse.construct import assemble_unconverted, empty_sparse
from .._ops.views.inplace import _set_storage
from .._runtime.c_types import TorchType
from .._runtime.device_modes import without_device_mode
from .._runtime.errors import check, type_name
from .._runtime.lazy_exports import PUBLIC
from .._runtime.warnings import is_python_frame, warn_once
from .._storage.storage_base import NO_ACCELERATOR
from .._storage.untyped_storage import StorageBase, storage_from_array
from .._tensor.allocation import empty_tensor
from .._tensor.out_autograd import set_requires_grad_if
from .._tensor.tensor import (
    METHODS,
    Tensor,
    check_no_conj_neg,
    check_receiver,
    copy_autograd_meta,
    new_tensor,
    storage_of,
)
from .._tensor.typed_storage import TypedStorage
from .._tensor.views import detach, view_of

_NAMES = (
    "BFloat16", "Bool", "Byte", "Char", "Double", "Float", "Half", "Int", "Long", "Short",
)  # fmt: skip
_DTYPES = {spec_of(dtype).cpp_name: dtype for dtype in ALL_DTYPES}


class tensortype(TorchType, metaclass=TorchNamed, called="torch.tensortype"):
    """The metaclass of the legacy tensor classes; other attributes are those of Tensor."""

    dtype: Any
    is_cuda: bool
    _device_type: str
    layout = property(lambda self: strided, doc="The layout of the tensors.")
    is_xpu = property(lambda self: False, doc="Whether the class is for an XPU.")
    is_sparse = property(lambda self: False, doc="Whether the class is for sparse tensors.")
    is_sparse_csr = property(lambda self: False, doc="Whether the class is for sparse tensors.")

    def __call__(self, *args: Any, **keywords: Any) -> Tensor:
        """Return a new tensor of the dtype on the device of the class."""
        _check_available(self)
        device = resolve_device(parse_device(self._device_type))
        return _construct(_CtorOrNew.CTOR, self.dtype, args, keywords, device)

    def __instancecheck__(self, instance: Any) -> bool:
        if not issubclass(type(instance), Tensor) or instance._dtype is not self.dtype:
            return False
        if instance._geometry.is_sparse:
            return False
        return instance._storage._device.type == self._device_type  # type: ignore[no-any-return]

    def __getattr__(self, name: str) -> Any:
        """Return the attribute of Tensor with this name."""
        if not hasattr(Tensor, name):
            raise AttributeError(f"type object '{tp_name(self)}' has no attribute '{name}'")
        return getattr(Tensor, name)


def _tensor_class(name: str, module: str = "") -> Any:
    device_type = module.rstrip(".") or "cpu"
    fields = {"dtype": _DTYPES[name], "is_cuda": device_type == "cuda", "_device_type": device_type}
    new = tensortype(f"{module}{name}Tensor", (), fields)
    if module:
        type.__setattr__(new, "__module__", f"{new.__module__}.{device_type}")
        type.__setattr__(new, "__qualname__", f"{name}Tensor")
    return new


LEGACY_TENSORS: dict[str, Any] = {f"{name}Tensor": _tensor_class(name) for name in _NAMES}
"""The legacy tensor classes of torch, by name."""

CUDA_TENSORS: dict[str, Any] = {f"{name}Tensor": _tensor_class(name, "cuda.") for name in _NAMES}
"""The legacy tensor classes of torch.cuda, by name; calling one requires CUDA."""


def _check_available(cls: Any) -> None:
    if cls.is_cuda and cuda_backend.active_backend() is None:
        raise TypeError(f"type {tp_name(cls)} not available. Torch not compiled with CUDA enabled.")


# Constructors (legacy_tensor_generic_ctor_new in torch/csrc/utils/tensor_new.cpp)

_INTS = frozenset({int})


class _CtorOrNew(Enum):
    """The caller: torch.Tensor, a legacy class, or the method Tensor.new()."""

    BASE_CTOR = "torch.Tensor()"
    CTOR = "torch.FloatTensor()"
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
    ctor: _CtorOrNew,
    dtype: dtype,
    args: tuple[Any, ...],
    keywords: dict[str, Any],
    device: device = CPU,
) -> Tensor:
    """Return a new tensor for the arguments of a legacy constructor."""
    if not keywords and args and device is CPU:
        first = args[0]
        if _INTS.issuperset(map(type, args)) and min(args) >= 0 and max(args) < 2**31:
            return _record_fill(empty_tensor(args, dtype))
        if len(args) == 1 and type(first) is list and dtype is not COMPLEX32:
            shape, _, array = elements_from_data(first, dtype)
            return new_tensor(storage_from_array(array), dense(shape), 0, dtype)
    signature, values = _parse_new.match(args, keywords)
    if signature is _STORAGE:
        return _from_storage(dtype, values[0], device)
    if signature is _TENSOR:
        return _from_tensor(ctor, dtype, values[0], device)
    if signature is _ADDRESS:
        raise NotImplementedError("impl has no tensors at addresses of C++ objects")
    if signature is _TENSOR_ON_DEVICE:
        raise RuntimeError(_NO_DEVICE_FOR_NEW if ctor is _CtorOrNew.NEW else _NO_DEVICE_FOR_CLASS)
    device_arg = _DATA.convert([None, values[-1]])[1]
    _check_device_type(device_arg, device)
    if device_arg is not None:
        device = resolve_device(device_arg)
    if signature is _NOTHING:
        return _record_fill(empty_tensor((0,), dtype, device))
    data = values[0]
    # A single list of sizes is data, unless it is a torch.Size.
    is_data = args and args[0] is data and not isinstance(data, Size)
    if signature is _SIZES and not is_data:
        size = _SIZES.convert(values)[0]
        extents.check_nonnegative(size)
        return _record_fill(empty_tensor(size, dtype, device))
    if not is_sequence(data) and not isinstance(data, StorageBase | TypedStorage):
        raise TypeError(f"new(): data must be a sequence (got {type_name(data)})")
    # On meta the elements are not read.
    target = META if device is META else None
    tensor = tensor_from_data(data, dtype, dtype, target, pin=False, copy=False)
    return convert_tensor(tensor, dtype, device, copy=False)


_construct = without_device_mode(construct)


def _from_storage(dtype: dtype, storage: Any, device: device) -> Tensor:
    storage_dtype = None if isinstance(storage, StorageBase) else storage.dtype
    if storage_dtype is not None and storage_dtype is not dtype:
        raise RuntimeError(
            f"Expected a Storage of type {spec_of(dtype).cpp_name} or an UntypedStorage, but got"
            f" type {spec_of(storage_dtype).cpp_name} for argument 1 'storage'"
        )
    return _set_storage(_record_fill(empty_tensor((), dtype, device)), storage)


def _record_fill(tensor: Tensor) -> Tensor:
    """Return a new tensor; a deterministic fill counts as an in-place write."""
    bump_version_if_filled(tensor)
    return tensor


def _from_tensor(ctor: _CtorOrNew, dtype: dtype, other: Tensor, device: device) -> Tensor:
    """Return a view of all of a tensor; only torch.Tensor accepts every dtype."""
    actual = other._geometry.device
    check(
        ctor is _CtorOrNew.BASE_CTOR or (other._dtype is dtype and actual.type == device.type),
        lambda: f"expected {_options(dtype, device)} (got {_options(other._dtype, actual)})",
        TypeError,
    )
    return _view_as(other, Tensor)


def _options(dtype: dtype, device: device) -> str:
    return (
        f"TensorOptions(dtype={cpp_type(dtype)}, device={device}, layout=Strided,"
        " requires_grad=false (default), pinned_memory=false (default), memory_format=(nullopt))"
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
    """Return a new tensor of the default dtype for a size or data, or a view of a tensor."""
    tensor = _construct(_CtorOrNew.BASE_CTOR, get_default_dtype(), args, keywords)
    return tensor if cls is Tensor else _as_class(tensor, cls)


def _new(self: Any = MISSING, *args: Any, **keywords: Any) -> Tensor:
    """Tensor.new(...): return a new tensor of this one's dtype for a size, data or a storage."""
    check_receiver("new", self)
    check_no_conj_neg(self)
    if self._geometry.is_sparse:
        return _new_sparse(self, args, keywords)
    return construct(_CtorOrNew.NEW, self._dtype, args, keywords, self._geometry.device)


_parse_new_sparse = Parser(
    "new(*, Device? device=None)",
    "new(*, int64_t cdata)|hidden",
    "new(Tensor indices, Tensor values, *, Device? device=None)",
    "new(Tensor indices, Tensor values, IntArrayRef size, *, Device? device=None)",
    "new(SymIntArrayRef size, *, Device? device=None)",
)


def _new_sparse(tensor: Tensor, args: tuple[Any, ...], keywords: dict[str, Any]) -> Tensor:
    """Return a new sparse tensor (legacy_sparse_tensor_generic_ctor_new)."""
    signature, values = _parse_new_sparse.match(args, keywords)
    nothing, address, *_, sizes = _parse_new_sparse.signatures
    if signature is address:
        raise NotImplementedError("impl has no tensors at addresses of C++ objects")
    *arguments, device_arg = signature.convert(values)
    device = tensor._geometry.device
    _check_device_type(device_arg, device)
    if signature is nothing:
        return empty_sparse((0,), tensor._dtype, device=device)
    if signature is sizes:
        if args and type(args[0]) in (tuple, list):
            raise TypeError(
                "SparseTensor.new(sequence) only accepts sizes.  Please use"
                " torch.sparse_coo_tensor() or construct a strided tensor and convert it to sparse"
                " via to_sparse."
            )
        return empty_sparse(arguments[0], tensor._dtype, device=device)
    return assemble_unconverted(*arguments)


def _check_device_type(given: Any, device: device) -> None:
    if given is not None and given.type != device.type:
        raise RuntimeError(
            f"legacy constructor expects device type: {device.type} but device type:"
            f" {given.type} was passed"
        )


# Subclasses


def _as_class(tensor: Tensor, cls: Any) -> Tensor:
    """Return a new tensor as an instance of a subclass."""
    if not issubclass(cls, Tensor):
        raise TypeError(
            "Creating a Tensor subclass from a class that does not inherit from Tensor is not"
            " possible. Make sure your class inherits from Tensor."
        )
    new = new_tensor(
        tensor._storage, tensor._geometry, tensor._offset, tensor._dtype, cls, tensor._conj_neg
    )
    copy_autograd_meta(new, tensor)
    return new


def _view_as(tensor: Tensor, cls: Any) -> Tensor:
    """Return a view of all of a tensor as an instance of a subclass."""
    return _as_class(view_of(tensor, tensor._geometry, tensor._offset, "AliasBackward0"), cls)


def _check_is_type(cls: Any) -> None:
    check(isinstance(cls, type), lambda: f"cls must be a type (got {type_name(cls)})", TypeError)


def _as_subclass(tensor: Tensor, cls: Any) -> Tensor:
    """Tensor.as_subclass(cls): return a view of all of the tensor as an instance of a subclass."""
    _check_is_type(cls)
    if issubclass(cls, Tensor):
        storage_of(tensor)  # raises for sparse tensors
    return _view_as(tensor, cls)


_parse_make_subclass = Parser("_make_subclass(PyObject* cls, Tensor data, bool require_grad=False)")


def _make_subclass(*args: Any, **keywords: Any) -> Tensor:
    """_make_subclass(cls, data, require_grad=False): return detached data as an instance."""
    cls, data, grad = _parse_make_subclass(args, keywords)
    _check_is_type(cls)
    return set_requires_grad_if(_as_class(detach(data), cls), grad)


# Tensor types by name


def _type(self: Tensor, dtype: Any, non_blocking: bool, memory_format: Any) -> Any:
    """Tensor.type(dtype=None): return the name of the tensor's type, or the tensor cast to another.

    ``dtype`` is a dtype, a legacy class, or the name of one.
    """
    if dtype is None:
        spec = spec_of(self._dtype)
        module = "quantized." if spec.kind is Kind.QUANTIZED else ""
        module += "sparse." if self._geometry.is_sparse else ""
        device_prefix = "" if self._geometry.device is CPU else f"{self.device.type}."
        return f"torch.{module}{device_prefix}{spec.cpp_name}Tensor"
    new_dtype, device = _parse_type(dtype)
    if device is not None and device.type == self.device.type:
        device = None  # the device index is ignored
    return to_device(self, device, new_dtype, False, memory_format)


def _parse_type(type_arg: Any) -> tuple[dtype, device | None]:
    """Return the dtype and the device of a type; a dtype has no device."""
    if type(type_arg) is dtype:
        return type_arg, None
    if type_arg is Tensor:
        return get_default_dtype(), CPU
    if isinstance(type_arg, type):
        return _type_by_name(tp_name(type_arg))
    if not isinstance(type_arg, str | bytes):
        raise TypeError("dtype must be a type, str, or dtype object")
    return _type_by_name(type_arg if isinstance(type_arg, str) else type_arg.decode())


def _type_by_name(name: str) -> tuple[dtype, device | None]:
    """Return the dtype and the device for a type name; sparse types count as dense.

    See options_from_string in torch/csrc/utils/tensor_types.cpp.
    """
    if name == "torch.Tensor":
        return get_default_dtype(), CPU
    is_cuda = name.startswith("torch.cuda.") and cuda_backend.active_backend() is not None
    for backend in ("cuda", "privateuseone"):
        check(is_cuda or not name.startswith(f"torch.{backend}."), lambda: NO_ACCELERATOR[backend])  # noqa: B023
    module, _, base = name.rpartition(".")
    result = _DTYPES.get(base.removesuffix("Tensor")) if base.endswith("Tensor") else None
    if result is None or module.removesuffix(".sparse") not in ("torch", "torch.cuda", "torch.xpu"):
        raise ValueError(f"invalid type: '{name}'")
    if module.startswith("torch.xpu"):
        check_device(parse_device("xpu"))
    return result, resolve_device(parse_device("cuda")) if is_cuda else CPU


def _type_as(tensor: Tensor, other: Tensor) -> Tensor:
    """Tensor.type_as(other): return the tensor with the dtype and device of another."""
    layout, other_layout = (("Strided", "Sparse")[x._geometry.is_sparse] for x in (tensor, other))
    if layout != other_layout:
        raise RuntimeError(
            "to(options) doesn't support converting to a different layout, but got self.layout"
            f" being {layout} and options.layout set as {other_layout}"
        )
    return to_device(tensor, other._geometry.device, other._dtype, False, None)


@is_python_frame
def set_default_tensor_type(t: Any, /) -> None:
    """Set the default dtype of this process to that of a legacy class or its name."""
    if isinstance(t, str):
        t = import_dotted(t)
    warn_once(
        "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use"
        " torch.set_default_dtype() and torch.set_default_device() as alternatives. (Triggered"
        " internally at /__w/pytorch/pytorch/torch/csrc/tensor/python_tensor.cpp:434.)"
    )
    if not isinstance(t, tensortype):
        raise TypeError(
            "invalid type object: only floating-point types are supported as the default type"
        )
    _check_available(t)
    if t.is_cuda:
        raise NotImplementedError(
            "impl has no default tensor type on CUDA; set_default_device has one"
        )
    set_default_dtype(t.dtype)


register_operator(
    Op(
        "type",
        {
            "PyObject* dtype=None, bool non_blocking=False, *,"
            " MemoryFormat? memory_format=None": _type,
            "PyObject* dtype=None, bool async=False, *,"
            " MemoryFormat? memory_format=None|deprecated": _type,
        },
        function=False,
    )
)
register_operator(Op("type_as", {"Tensor other": _type_as}, function=False))
register_operator(Op("as_subclass", {"PyObject* cls": _as_subclass}, function=False))

_new.__name__, _new.__qualname__ = "new", "Tensor.new"
_new_tensor_object.__name__, _new_tensor_object.__qualname__ = "__new__", "Tensor.__new__"
METHODS["new"] = _new
METHODS["__new__"] = _new_tensor_object
METHODS["_make_subclass"] = staticmethod(_make_subclass)

PUBLIC.update(LEGACY_TENSORS)
