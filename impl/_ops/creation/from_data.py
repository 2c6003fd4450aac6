"""Tensors of data: tensor, as_tensor, asarray, from_numpy, scalar_tensor and Tensor.new_tensor."""

from typing import Any

from ..._argparser.parser import Parser
from ..._argparser.schema import Signature
from ..._argparser.types import is_tensor
from ..._arrays.foreign_memory import borrow_array
from ..._arrays.numpy_bridge import np
from ..._autograd.autograd_meta import is_effective_leaf
from ..._devices.availability import check_move, is_elsewhere
from ..._devices.device import CPU, PINNED, as_device, device
from ..._dtypes.constants import COMPLEX32, INT64
from ..._dtypes.default_dtype import get_default_dtype
from ..._dtypes.scalars import _is_a, _numpy_types
from ..._dtypes.table import as_dtype, dtype, spec_of
from ..._geometry import extents
from ..._geometry.geometry import dense, strided
from ..._numerics.encode_scalar import ScalarPath, encode_scalar
from ..._numerics.from_python import _READ_ONLY, check_numpy, describe, read
from ..._runtime.c_types import PACKAGE
from ..._runtime.device_modes import DEVICE_MODE_THREADS, use_default_device, without_device_mode
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._runtime.lazy_import import LazyModule
from ..._runtime.warnings import warn, warn_once
from ..._storage.untyped_storage import StorageBase, check_named_device, storage_from_array
from ..._tensor.data_access import write_raw
from ..._tensor.factories import OPTIONS, check_options, empty_tensor, number_of, warn_of_complex32
from ..._tensor.out_autograd import require_grad_if
from ..._tensor.tensor import (
    METHODS,
    Tensor,
    check_no_conj_neg,
    detached,
    new_tensor,
    set_requires_grad,
    shallow_copy,
)
from ..._tensor.typed_storage import TypedStorage
from ..common.clone import clone
from ..common.copy import to_place
from .frombuffer import is_buffer, over_buffer

dlpack: Any = LazyModule(f"{PACKAGE}._tensor.dlpack")  # it loads ctypes

_READ = frozenset({list, tuple, int, float, bool, complex})

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
    if len(args) == 1 and not keywords and not DEVICE_MODE_THREADS and type(args[0]) in _READ:
        shape, kind, array = read(args[0])
        if kind is COMPLEX32:
            warn_of_complex32()
        return new_tensor(storage_from_array(array), dense(shape), 0, kind)
    data, wanted, device, pin, grad = _parsed(_parse_tensor, args, keywords, "torch.tensor")
    made = _from_data(data, wanted, None, device, pin, copy=True)
    return require_grad_if(made, grad)


def _new_tensor(self: Tensor, *args: Any, **keywords: Any) -> Tensor:
    """Tensor.new_tensor(data, *, dtype=None, device=None, requires_grad=False).

    Return a tensor with a copy of the data, and of this tensor's dtype if none is given.
    """
    data, wanted, device, grad = _parsed(_parse_new_tensor, args, keywords, "tensor.new_tensor")
    check_no_conj_neg(self)
    kind = self._dtype if wanted is None else wanted
    device = self.device if device is None else device
    return require_grad_if(_from_data(data, kind, kind, device, pin=False, copy=True), grad)


def as_tensor(*args: Any, **keywords: Any) -> Tensor:
    """as_tensor(data, *, dtype=None, device=None): return the data as a tensor, shared if it can be."""
    if len(args) == 1 and not keywords and not DEVICE_MODE_THREADS:
        return _from_data(args[0], None, None, None, pin=False, copy=False)
    data, wanted, device = _with_device(*_parse_as_tensor.match(args, keywords), heeds=True)
    return _from_data(data, wanted, None, device, pin=False, copy=False)


def _parsed(parse: Parser, args: Any, keywords: Any, name: str) -> Any:
    """Return the arguments; torch warns of data that is a tensor before it looks at the device."""
    signature, values = parse.match(args, keywords)
    if is_tensor(values[0]):
        warn(
            "To copy construct from a tensor, it is recommended to use"
            " sourceTensor.detach().clone() or sourceTensor.detach().clone().requires_grad_(True),"
            f" rather than {name}(sourceTensor)."
        )
    return _with_device(signature, values, heeds=parse is _parse_tensor)


def _with_device(signature: Signature, values: list[Any], *, heeds: bool) -> Any:
    """Convert the arguments; torch reads the device twice, which shows where that warns."""
    if DEVICE_MODE_THREADS and heeds:
        use_default_device(signature, values)
    place = signature.place_of("device")
    if place is not None and values[place] is not None:
        as_device(values[place])
    return signature.convert(values)


def _from_data(
    data: Any, wanted: Any, default: dtype | None, device: device | None, pin: bool, copy: bool
) -> Tensor:
    """Make a tensor of any data (internal_new_from_data in torch/csrc/utils/tensor_new.cpp).

    ``default`` is the dtype that a storage is taken for where none is wanted;
    None stands for the default dtype.
    """
    kind = None if wanted is None else as_dtype(wanted)
    if is_tensor(data):
        check(not pin, lambda: "Can't pin tensor constructed from a variable")
        check_move(device)
        if kind is None and device is None and not copy:
            return data  # type: ignore[no-any-return]
        return _to(shallow_copy(data) if copy else data, kind, device, copy)
    if _is_a(data, _numpy_types("ndarray")):
        check(not pin, lambda: "Can't pin tensor constructed from numpy")
        shared = _over_array(data, _checked(data, warns=not copy))
        check_move(device)
        if kind is None and device is None and not copy:
            return shared
        return _to(shared, kind, device, copy)
    if isinstance(data, StorageBase | TypedStorage):
        result = _over_storage(data, kind, default)
        check_options("tensor", None, None, pin)
    else:
        pins = pin and not _is_on_meta(device)
        if pins or kind is COMPLEX32:
            # Torch allocates before it looks whether the elements fit.
            describe(data, kind)
            check_options("tensor", None, None, pins)
        if kind is COMPLEX32:
            warn_of_complex32()
        shape, found, array = read(data, kind, unknown=_is_on_meta(device))
        if found is COMPLEX32 and kind is None:
            warn_of_complex32()
        place = check_move(device) or CPU
        if pins and place is CPU:
            place = PINNED
        return new_tensor(storage_from_array(array, place), dense(shape), 0, found)
    where = check_move(device)
    return result if where in (None, CPU) else to_place(result, where, result._dtype, False, None)


def _is_on_meta(device: device | None) -> bool:
    return device is not None and device.type == "meta"


def _to(tensor: Tensor, dtype: dtype | None, device: device | None, copy: bool) -> Tensor:
    """Return a tensor of a dtype on a device."""
    own = tensor._geometry.device
    where = check_move(device) if device is not own else None
    copy = copy or is_elsewhere(device, where, own)
    return to_place(tensor, where, dtype or tensor._dtype, copy, None)


_DTYPES_OF_ARRAYS: dict[str, dtype] = {}
"""The dtypes by the letters of those of NumPy's that `check_numpy` has let pass."""


def _checked(array: Any, warns: bool = True) -> dtype:
    """Do what `check_numpy` does; for the usual arrays in less time."""
    if type(array) is np.ndarray and array.flags.writeable:
        own = array.dtype
        known = _DTYPES_OF_ARRAYS.get(own.char) if own.isnative else None
        if known is not None:
            size = known.itemsize
            if not [each for each in array.strides if each < 0 or each % size]:
                return known
    kind = check_numpy(array, warn_if_read_only=warns)
    _DTYPES_OF_ARRAYS[array.dtype.char] = kind
    return kind


def _over_array(array: Any, dtype: dtype) -> Tensor:
    """Make a tensor over the memory of a NumPy array that `check_numpy` has let pass."""
    shape, itemsize = array.shape, dtype.itemsize
    geometry = strided(shape, tuple([each // itemsize for each in array.strides]))
    flags = array.flags
    if flags.c_contiguous and flags.writeable and type(array) is np.ndarray:
        return new_tensor(storage_from_array(array.view(), resizable=False), geometry, 0, dtype)
    size = extents.strided_bytes(shape, geometry.stride, itemsize)
    return new_tensor(
        storage_from_array(borrow_array(array, size), resizable=False), geometry, 0, dtype
    )


def _over_storage(storage: Any, dtype: dtype | None, default: dtype | None) -> Tensor:
    """Make a tensor over all of a storage; what it holds counts as ints, or as its own dtype."""
    own = None
    if isinstance(storage, TypedStorage):
        own = storage.dtype
        asked = dtype or default or get_default_dtype()
        check(
            own is asked,
            lambda: (
                f"Expected a Storage of type {spec_of(asked).cpp_name} or an UntypedStorage,"
                f" but got {spec_of(own).cpp_name}"
            ),
        )
        storage = storage._untyped_storage
    found = own or dtype or (INT64 if len(storage) else get_default_dtype())
    return new_tensor(storage, dense((storage.nbytes() // found.itemsize,)), 0, found)


def scalar_tensor(*args: Any, **keywords: Any) -> Tensor:
    """scalar_tensor(s, *, dtype=None, ...): return a 0-dim tensor of a number, of the default dtype."""
    signature, values = _parse_scalar_tensor.match(args, keywords)
    if DEVICE_MODE_THREADS:
        use_default_device(signature, values)
    check_named_device(signature, values)
    number, wanted, _, device, pin, grad = signature.convert(values)
    where = check_options("scalar_tensor", None, device, pin, meta=True)
    kind = get_default_dtype() if wanted is None else as_dtype(wanted)
    value = number_of(number)
    result = empty_tensor((), kind, where)
    write_raw(result, encode_scalar(value, kind, ScalarPath.SCALAR_TENSOR))
    return require_grad_if(result, grad)


@without_device_mode
def from_numpy(*args: Any, **keywords: Any) -> Tensor:
    """from_numpy(ndarray): return a tensor over the memory of a NumPy array."""
    name = "torch._VariableFunctionsClass.from_numpy()"
    if keywords:
        raise TypeError(f"{name} takes no keyword arguments")
    if len(args) != 1:
        raise TypeError(f"{name} takes exactly one argument ({len(args)} given)")
    return _over_array(args[0], _checked(args[0]))


def asarray(*args: Any, **keywords: Any) -> Tensor:
    """asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=None).

    Return any data as a tensor; of tensors, arrays, capsules and buffers a
    copy is made if it is asked for, or if the dtype or the device differs and
    copying is not forbidden.
    """
    if len(args) == 1 and not keywords and not DEVICE_MODE_THREADS:
        data, wanted, device, copy, grad = args[0], None, None, None, None
    else:
        signature, values = _parse_asarray.match(args, keywords)
        if DEVICE_MODE_THREADS:
            use_default_device(signature, values)
        data, wanted, device, copy, grad = signature.convert(values)
    kind = None if wanted is None else as_dtype(wanted)
    if grad is None:
        grad = is_tensor(data) and data.requires_grad
        if grad:
            warn_once(_NOW_DEFAULTS)
    found = _without_copy(data, kind, copy, grad)
    if found is None:
        check(
            copy is not False,
            lambda: "can't alias arbitrary sequence into a tensor.",
            ValueError,
        )
        made = _from_data(data, kind, None, device, pin=False, copy=False)
        return _with_grad(made, grad)
    shared, is_writable, is_copy = found
    moves = device is not None and device != shared.device
    converts = kind is not None and kind is not shared._dtype
    if (copy is None and (moves or converts)) or (copy and not is_copy):
        return _with_grad(_copy_of(shared, kind, device, bool(copy)), grad)
    check(
        not moves,
        lambda: f"can't alias tensor from device '{shared.device}' to '{device}'.",
        ValueError,
    )
    check(
        not converts,
        lambda: (
            f"can't alias tensor with dtype '{spec_of(shared._dtype).cpp_name}' into dtype"
            f" '{spec_of(kind or shared._dtype).cpp_name}'."
        ),
        ValueError,
    )
    if not is_writable:
        warn_once(_READ_ONLY)
    return _with_grad(shared, grad)


def _without_copy(
    data: Any, dtype: dtype | None, copy: bool | None, grad: bool
) -> tuple[Tensor, bool, bool] | None:
    """Return a tensor over the memory of data, whether that may be written to, and whether it is new.

    None stands for data that has no memory to share.
    """
    if is_tensor(data):
        return data, True, False
    if _is_a(data, _numpy_types("ndarray", "generic")):
        is_array = _is_a(data, _numpy_types("ndarray"))
        check(
            is_array or copy is not False,
            lambda: (
                "can't alias NumPy scalars. Either remove copy=False or transform it in a ndarray. "
            ),
        )
        array = data if is_array else np.asarray(data)
        shared = _over_array(array, _checked(array, warns=False))
        # An array without dimensions counts as a scalar, and is copied at once.
        is_copy = not array.ndim
        return clone(shared) if is_copy else shared, array.flags.writeable, is_copy
    if type(data).__name__ == "PyCapsule" and dlpack.is_capsule(data):
        return dlpack.unpack(data), True, False
    if is_buffer(data):
        buffer = over_buffer(data, dtype or get_default_dtype(), -1, 0)
        return require_grad_if(buffer, grad), True, False
    return None


def _copy_of(shared: Tensor, dtype: dtype | None, device: device | None, copy: bool) -> Tensor:
    check_move(device, initialises=False)
    moves = device is not None and device != shared.device
    if not moves and dtype in (None, shared._dtype):
        return clone(shared)
    return _to(shared, dtype, device, copy)


def _with_grad(tensor: Tensor, wanted: bool) -> Tensor:
    """Let a leaf require a gradient or not; what is no leaf keeps its history, or is detached."""
    if not is_effective_leaf(tensor):
        return tensor if wanted else detached(tensor)
    require_grad_if(tensor, wanted)
    return set_requires_grad(tensor, wanted)


_NOW_DEFAULTS = (
    "torch.asarray: unspecified requires_grad now defaults to obj.requires_grad instead of False."
    " Pass requires_grad=False explicitly to get the old behavior and silence this warning."
    " (Triggered internally at /__w/pytorch/pytorch/torch/csrc/utils/tensor_new.cpp:1737.)"
)

_new_tensor.__name__, _new_tensor.__qualname__ = "new_tensor", "Tensor.new_tensor"
METHODS["new_tensor"] = _new_tensor

for _function in (as_tensor, asarray, from_numpy, scalar_tensor, tensor):
    PUBLIC[_function.__name__] = _function
