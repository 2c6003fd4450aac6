"""Factories from data: tensor, as_tensor, asarray, from_numpy, scalar_tensor, new_tensor."""

from typing import Any

from ..._argparser.parser import Parser
from ..._argparser.schema import MISSING, Signature
from ..._argparser.types import is_tensor
from ..._arrays.foreign_memory import array_bytes
from ..._arrays.numpy_bridge import np
from ..._autograd.autograd_meta import is_effective_leaf, requires_grad
from ..._devices.availability import is_other_device, resolve_target_device
from ..._devices.device import CPU, META, PINNED, as_device, device
from ..._dtypes.constants import COMPLEX32, INT64
from ..._dtypes.default_dtype import get_default_dtype
from ..._dtypes.scalars import is_subclass_instance, numpy_types
from ..._dtypes.table import as_dtype, dtype, spec_of
from ..._geometry import extents
from ..._geometry.geometry import dense, strided
from ..._geometry.layout import sparse_coo, strided as strided_layout
from ..._numerics.encode_scalar import ScalarPath
from ..._numerics.from_python import (
    READ_ONLY_WARNING,
    check_numpy,
    elements_from_data,
    infer_shape_and_dtype,
)
from ..._runtime.c_types import PACKAGE
from ..._runtime.device_modes import DEVICE_MODE_THREADS, use_default_device, without_device_mode
from ..._runtime.errors import check, type_name
from ..._runtime.lazy_exports import PUBLIC
from ..._runtime.lazy_import import LazyModule
from ..._runtime.torch_function import overridable_part
from ..._runtime.warnings import warn, warn_once
from ..._storage.untyped_storage import (
    StorageBase,
    check_can_copy,
    check_named_device,
    check_readable,
    storage_from_array,
)
from ..._tensor.allocation import empty_tensor, fill_code, warn_complex32
from ..._tensor.data_access import write_raw
from ..._tensor.factories import OPTIONS, check_options, python_scalar
from ..._tensor.out_autograd import set_out_requires_grad, set_requires_grad_if
from ..._tensor.sparse_missing import could_not_run, sparse_backend
from ..._tensor.tensor import (
    METHODS,
    Tensor,
    check_no_conj_neg,
    check_receiver,
    new_tensor,
    shallow_copy,
)
from ..._tensor.typed_storage import TypedStorage, warn_typed_storage_removal
from ..._tensor.views import detach
from ..common.clone import clone
from ..common.copy import to_device
from .frombuffer import is_buffer, tensor_over_buffer

dlpack: Any = LazyModule(f"{PACKAGE}._tensor.dlpack")  # imports ctypes

_PLAIN = frozenset({list, tuple, int, float, bool, complex})

_parse_tensor = Parser(
    "tensor(PyObject* data, *, ScalarType dtype=None, Device? device=None, bool pin_memory=False,"
    " bool requires_grad=False)"
)
_parse_as_tensor = Parser(
    "as_tensor(PyObject* data, *, ScalarType dtype=None, Device? device=None)"
)
_parse_new_tensor = Parser(
    "new_tensor(PyObject* data, *, ScalarType dtype=None, Device? device=None,"
    " bool requires_grad=False)"
)
_parse_asarray = Parser(
    "asarray(PyObject* obj, *, ScalarType? dtype=None, Device? device=None, bool? copy=None,"
    " bool? requires_grad=None)"
)
_parse_scalar_tensor = Parser(f"scalar_tensor(Scalar s, *, {OPTIONS})")


def tensor(*args: Any, **keywords: Any) -> Tensor:
    """tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False).

    Return a tensor with a copy of the data: numbers, nested sequences of them,
    arrays or another tensor.

    >>> import impl as torch
    >>> torch.tensor([[1, 2], [3, 4]], dtype=torch.int8)
    tensor([[1, 2],
            [3, 4]], dtype=torch.int8)
    """
    if len(args) == 1 and not keywords and not DEVICE_MODE_THREADS and type(args[0]) in _PLAIN:
        shape, dtype, array = elements_from_data(args[0], allocate=_warn_if_complex32)
        return new_tensor(storage_from_array(array), dense(shape), 0, dtype)
    return _bind_tensor(args, keywords)


@overridable_part("tensor")
def _bind_tensor(args: Any, keywords: Any) -> Tensor:
    data, dtype, device, pin, grad = _bind_data(_parse_tensor, args, keywords, "torch.tensor")
    result = tensor_from_data(data, dtype, None, device, pin, copy=True)
    return set_requires_grad_if(result, grad)


def _new_tensor(self: Any = MISSING, *args: Any, **keywords: Any) -> Tensor:
    """Tensor.new_tensor(data, *, dtype=None, device=None, requires_grad=False).

    Return a tensor with a copy of the data. The dtype and device default to this tensor's.
    """
    check_receiver("new_tensor", self)
    data, dtype, device, grad = _bind_data(_parse_new_tensor, args, keywords, "tensor.new_tensor")
    check_no_conj_neg(self)
    dtype = self._dtype if dtype is None else dtype
    device = self.device if device is None else device
    return set_requires_grad_if(
        tensor_from_data(data, dtype, dtype, device, pin=False, copy=True), grad
    )


def as_tensor(*args: Any, **keywords: Any) -> Tensor:
    """as_tensor(data, *, dtype=None, device=None): the data as a tensor, shared if possible."""
    if len(args) == 1 and not keywords and not DEVICE_MODE_THREADS:
        return tensor_from_data(args[0], None, None, None, pin=False, copy=False)
    data, dtype, device = _convert_args(*_parse_as_tensor.match(args, keywords), uses_mode=True)
    return tensor_from_data(data, dtype, None, device, pin=False, copy=False)


def _bind_data(parse: Parser, args: Any, keywords: Any, name: str) -> Any:
    """Return the arguments; torch warns about tensor data before it checks the device."""
    signature, values = parse.match(args, keywords)
    if is_tensor(values[0]):
        warn(
            "To copy construct from a tensor, it is recommended to use"
            " sourceTensor.detach().clone() or sourceTensor.detach().clone().requires_grad_(True),"
            f" rather than {name}(sourceTensor)."
        )
    return _convert_args(signature, values, uses_mode=parse is _parse_tensor)


def _convert_args(signature: Signature, values: list[Any], *, uses_mode: bool) -> Any:
    """Return the converted arguments; torch parses the device twice and repeats its warnings."""
    if DEVICE_MODE_THREADS and uses_mode:
        use_default_device(signature, values)
    index = signature.index_of("device")
    if index is not None and values[index] is not None:
        as_device(values[index])
    return signature.convert(values)


def tensor_from_data(
    data: Any, dtype: Any, default: dtype | None, device: device | None, pin: bool, copy: bool
) -> Tensor:
    """Return a tensor of any data (internal_new_from_data in torch/csrc/utils/tensor_new.cpp).

    ``default`` is the expected dtype of a typed storage if ``dtype`` is None.
    None stands for the default dtype.
    """
    dtype = None if dtype is None else as_dtype(dtype)
    source: Tensor | None = None
    if is_tensor(data):
        check(not pin, lambda: "Can't pin tensor constructed from a variable")
        source = shallow_copy(data) if copy else data
    elif is_subclass_instance(data, numpy_types("ndarray")):
        check(not pin, lambda: "Can't pin tensor constructed from numpy")
        source = _tensor_over_array(data, _array_dtype(data, warns=not copy))
    if source is not None:
        resolve_target_device(device)
        if dtype is None and device is None and not copy:
            return source
        return convert_tensor(source, dtype, device, copy)
    if isinstance(data, StorageBase | TypedStorage):
        result = _tensor_over_storage(data, dtype, default)
        check_options("tensor", None, None, pin)
    elif type(data) not in _PLAIN and hasattr(data, "__dlpack__"):
        shared = PUBLIC["from_dlpack"](data)
        resolve_target_device(device)
        return convert_tensor(shared, dtype, device, copy)
    else:
        if device is not None and device.type == "meta":
            return empty_tensor(*infer_shape_and_dtype(data, dtype), META)  # reads no elements
        if pin:
            # Torch allocates before it checks whether the elements fit.
            infer_shape_and_dtype(data, dtype)
            check_options("tensor", None, None, pin)
        shape, result_dtype, array = elements_from_data(data, dtype, _warn_if_complex32)
        storage_device = resolve_target_device(device) or CPU
        if pin and storage_device is CPU:
            storage_device = PINNED
        return new_tensor(storage_from_array(array, storage_device), dense(shape), 0, result_dtype)
    return to_device(result, resolve_target_device(device), result._dtype, False, None)


def _warn_if_complex32(dtype: dtype) -> None:
    if dtype is COMPLEX32:
        warn_complex32()


def convert_tensor(
    tensor: Tensor, dtype: dtype | None, device: device | None, copy: bool
) -> Tensor:
    """Return a tensor converted to a dtype and moved to a device; None keeps either."""
    current = tensor._geometry.device
    target = resolve_target_device(device) if device is not current else None
    copy = copy or is_other_device(device, target, current)
    return to_device(tensor, target, dtype or tensor._dtype, copy, None)


_DTYPE_OF_CHAR: dict[str, dtype] = {}
"""The dtypes of the NumPy type characters that `check_numpy` accepted."""


def _array_dtype(array: Any, warns: bool = True) -> dtype:
    """Return the dtype of an array as `check_numpy` does, with a fast path for common arrays."""
    if type(array) is np.ndarray and array.flags.writeable:
        numpy_dtype = array.dtype
        result = _DTYPE_OF_CHAR.get(numpy_dtype.char) if numpy_dtype.isnative else None
        if result is not None:
            size = result.itemsize
            if not [step for step in array.strides if step < 0 or step % size]:
                return result
    result = check_numpy(array, warn_if_read_only=warns)
    _DTYPE_OF_CHAR[array.dtype.char] = result
    return result


def _tensor_over_array(array: Any, dtype: dtype) -> Tensor:
    """Return a tensor over the memory of a NumPy array that `check_numpy` accepted."""
    shape, itemsize = array.shape, dtype.itemsize
    geometry = strided(shape, tuple([step // itemsize for step in array.strides]))
    flags = array.flags
    if flags.c_contiguous and flags.writeable and type(array) is np.ndarray:
        memory = array.view()
    else:
        memory = array_bytes(array, extents.strided_bytes(shape, geometry.stride, itemsize))
    return new_tensor(storage_from_array(memory, resizable=False), geometry, 0, dtype)


def _tensor_over_storage(storage: Any, dtype: dtype | None, default: dtype | None) -> Tensor:
    """Return a tensor over a whole storage; the dtype of an untyped one defaults to int64."""
    storage_dtype = None
    _check_first_element(storage, dtype)
    if isinstance(storage, TypedStorage):
        warn_typed_storage_removal()
        storage_dtype = storage.dtype
        expected = dtype or default or get_default_dtype()
        check(
            storage_dtype is expected,
            lambda: (
                f"Expected a Storage of type {spec_of(expected).cpp_name} or an UntypedStorage,"
                f" but got {spec_of(storage_dtype).cpp_name}"
            ),
        )
        storage = storage._untyped_storage
    result_dtype = storage_dtype or dtype or (INT64 if len(storage) else get_default_dtype())
    return new_tensor(storage, dense((storage.nbytes() // result_dtype.itemsize,)), 0, result_dtype)


def _check_first_element(storage: Any, dtype: dtype | None) -> None:
    """Raise if torch cannot read the first element, as on meta.

    Torch reads it for the dtype of a typed storage, and else for the shape.
    """
    untyped = storage._untyped_storage if isinstance(storage, TypedStorage) else storage
    if untyped.device.type != "meta":
        return
    if storage is not untyped and dtype is None:
        check_readable(untyped)
    check(
        not len(untyped),
        lambda: f"could not determine the shape of object type '{type_name(storage)}'",
        ValueError,
    )
    check_can_copy(untyped)


def scalar_tensor(*args: Any, **keywords: Any) -> Tensor:
    """scalar_tensor(s, *, dtype=None, ...): a 0-dim tensor, by default of the default dtype."""
    signature, values = _parse_scalar_tensor.match(args, keywords)
    if DEVICE_MODE_THREADS:
        use_default_device(signature, values)
    check_named_device(signature, values)
    number, dtype, layout, device, pin, grad = signature.convert(values)
    device = check_options("scalar_tensor", None, device, pin, meta=True)
    if device is META and layout not in (None, strided_layout):  # a layout has no effect on the CPU
        check(
            layout is sparse_coo,
            lambda: (
                "torch.empty: Only batched sparse compressed (non-block) tensors are supported, but"
                " got size []"
            ),
        )
        raise could_not_run("fill_.Scalar", sparse_backend(META))
    dtype = get_default_dtype() if dtype is None else as_dtype(dtype)
    value = python_scalar(number)
    result = empty_tensor((), dtype, device, by_reference=device is META)
    write_raw(result, fill_code(value, dtype, ScalarPath.SCALAR_TENSOR, device))
    return set_requires_grad_if(result, grad)


@without_device_mode
def from_numpy(*args: Any, **keywords: Any) -> Tensor:
    """from_numpy(ndarray): return a tensor over the memory of a NumPy array."""
    name = "torch._VariableFunctionsClass.from_numpy()"
    if keywords:
        raise TypeError(f"{name} takes no keyword arguments")
    if len(args) != 1:
        raise TypeError(f"{name} takes exactly one argument ({len(args)} given)")
    return _tensor_over_array(args[0], _array_dtype(args[0]))


def asarray(*args: Any, **keywords: Any) -> Tensor:
    """asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=None).

    Return any data as a tensor. Tensors, arrays, capsules and buffers share their memory.
    They are copied if ``copy`` is True, or if it is None and the dtype or device differs.
    """
    if len(args) == 1 and not keywords and not DEVICE_MODE_THREADS:
        data, dtype, device, copy, grad = args[0], None, None, None, None
    else:
        signature, values = _parse_asarray.match(args, keywords)
        if DEVICE_MODE_THREADS:
            use_default_device(signature, values)
        data, dtype, device, copy, grad = signature.convert(values)
    dtype = None if dtype is None else as_dtype(dtype)
    if grad is None:
        grad = is_tensor(data) and requires_grad(data)
        if grad:
            warn_once(_NOW_DEFAULTS)
    shared_data = _share_memory(data, dtype, copy, grad)
    if shared_data is None:
        if copy is False:
            raise ValueError("can't alias arbitrary sequence into a tensor.")
        result = tensor_from_data(data, dtype, None, device, pin=False, copy=False)
        return _set_grad(result, grad)
    shared, is_writable, is_copy = shared_data
    moves = device is not None and device != shared.device
    converts = dtype is not None and dtype is not shared._dtype
    if (copy is None and (moves or converts)) or (copy and not is_copy):
        return _set_grad(_copied(shared, dtype, device, bool(copy)), grad)
    if moves:
        raise ValueError(f"can't alias tensor from device '{shared.device}' to '{device}'.")
    if dtype is not None and converts:
        raise ValueError(
            f"can't alias tensor with dtype '{spec_of(shared._dtype).cpp_name}' into dtype"
            f" '{spec_of(dtype).cpp_name}'."
        )
    if not is_writable:
        warn_once(READ_ONLY_WARNING)
    return _set_grad(shared, grad)


def _share_memory(
    data: Any, dtype: dtype | None, copy: bool | None, grad: bool
) -> tuple[Tensor, bool, bool] | None:
    """Return a tensor over the memory of data, whether it is writable, and whether it is a copy.

    None stands for data without memory to share.
    """
    if is_tensor(data):
        return data, True, False
    if is_subclass_instance(data, numpy_types("ndarray", "generic")):
        is_array = is_subclass_instance(data, numpy_types("ndarray"))
        check(
            is_array or copy is not False,
            lambda: (
                "can't alias NumPy scalars. Either remove copy=False or transform it in a ndarray. "
            ),
        )
        array = data if is_array else np.asarray(data)
        shared = _tensor_over_array(array, _array_dtype(array, warns=False))
        # Torch treats a 0-dim array as a scalar and copies it at once.
        is_copy = not array.ndim
        return clone(shared) if is_copy else shared, array.flags.writeable, is_copy
    if type(data).__name__ == "PyCapsule" and dlpack.is_capsule(data):
        return dlpack.unpack(data), True, False
    if is_buffer(data):
        buffer = tensor_over_buffer(data, dtype or get_default_dtype(), -1, 0)
        return set_requires_grad_if(buffer, grad), True, False
    return None


def _copied(shared: Tensor, dtype: dtype | None, device: device | None, copy: bool) -> Tensor:
    resolve_target_device(device, initialises=False)
    moves = device is not None and device != shared.device
    if not moves and dtype in (None, shared._dtype):
        return PUBLIC["clone"](shared)  # type: ignore[no-any-return]
    if shared._geometry.is_sparse:
        return shared.to(dtype or shared._dtype)  # type: ignore[attr-defined, no-any-return]
    return convert_tensor(shared, dtype, device, copy)


def _set_grad(tensor: Tensor, requires_grad: bool) -> Tensor:
    """Return a leaf with requires_grad set; a non-leaf as it is, or detached."""
    if not is_effective_leaf(tensor):
        return tensor if requires_grad else detach(tensor)
    return set_out_requires_grad(tensor, requires_grad)


_NOW_DEFAULTS = (
    "torch.asarray: unspecified requires_grad now defaults to obj.requires_grad instead of False."
    " Pass requires_grad=False explicitly to get the old behavior and silence this warning."
    " (Triggered internally at /__w/pytorch/pytorch/torch/csrc/utils/tensor_new.cpp:1737.)"
)

_new_tensor.__name__, _new_tensor.__qualname__ = "new_tensor", "Tensor.new_tensor"
METHODS["new_tensor"] = _new_tensor

for _function in (as_tensor, asarray, from_numpy, scalar_tensor, tensor):
    PUBLIC[_function.__name__] = _function
