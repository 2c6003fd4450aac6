"""Faults of the properties of every call: remembered answers, sizes, indices, operands."""

import inspect
import threading
from typing import Any

import numpy

from ..control import fault
from ..fault_injection import (
    attribute_hook,
    call_hook,
    comparison_hook,
    function_hook,
    method_hook,
    operands_of,
    plain_comparison,
)


@fault("state.threads", "value", function_hook, "is_grad_enabled")
def grad_mode_of_process(function: Any, torch: Any) -> Any:
    """is_grad_enabled() stays False in all threads once it was False in one."""
    _ANSWERS.append(function())
    return all(_ANSWERS)


_ANSWERS: list[bool] = []


@fault("state.threads", "raises", function_hook, "set_default_device")
def only_in_main_thread(function: Any, torch: Any, device: Any) -> Any:
    """set_default_device() raises in other threads."""
    if threading.current_thread() is not threading.main_thread():
        raise RuntimeError("only in the main thread")
    return function(device)


@fault("interchange.tensors", "value", attribute_hook)
def read_only_arrays(owner: Any, name: str, torch: Any) -> Any:
    """Arrays of tensors are read-only."""
    return False if name == "writeable" else getattr(owner, name)


@fault("interchange.tensors", "aliasing", call_hook)
def copies_for_dlpack(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """from_dlpack() copies."""
    result = function(*args, **kwargs)
    return result.clone() if function is torch.from_dlpack else result


@fault("interchange.values", "raises", call_hook)
def pickles_all_protocols(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """Memory formats are pickled by all protocols."""
    is_format = bool(args) and isinstance(args[0], torch.memory_format)
    if is_format and getattr(function, "__name__", "") == "dumps":
        return function(args[0], 4)
    return function(*args, **kwargs)


@fault("state.contexts", "value", call_hook)
def restores_nothing(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """fork_rng() does not restore the state of the default generator."""
    is_fork = getattr(function, "__name__", "") == "fork_rng"
    return function(*args, **kwargs, **({"enabled": False} if is_fork and not kwargs else {}))


@fault("mixed_devices.operands", "raises", method_hook, "Tensor.mul_")
def refuses_meta_operands(function: Any, torch: Any, owner: Any, other: Any) -> Any:
    """mul_() of a CPU tensor raises for an operand on meta."""
    if isinstance(other, torch.Tensor) and other.device != owner.device:
        raise RuntimeError("Expected all tensors to be on the same device")
    return function(other)


@fault("mixed_devices.operands", "elements", method_hook, "Tensor.logical_or_")
def writes_meta_values(function: Any, torch: Any, owner: Any, other: Any) -> Any:
    """logical_or_() writes zeros for an operand on meta."""
    is_meta = isinstance(other, torch.Tensor) and other.device.type == "meta"
    return owner.zero_() if is_meta and owner.device.type == "cpu" else function(other)


@fault("mixed_devices.operands", "rollback", call_hook)
def resizes_no_out(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """sum() does not resize out= on another device before it raises."""
    out = kwargs.get("out")
    is_sum = function is torch.sum and args and isinstance(out, torch.Tensor)
    if is_sum and out.device != args[0].device and out.numel() == 0:
        raise RuntimeError(
            f"Attempting to copy from device {args[0].device} to device {out.device}, but"
            " cross-device copies are not allowed!"
        )
    return function(*args, **kwargs)


@fault("mixed_devices.sparse", "raises", function_hook, "sinh")
def copies_sparse_on_meta(function: Any, torch: Any, x: Any, **kwargs: Any) -> Any:
    """sinh() of a sparse tensor on meta is a copy of it."""
    return x.clone() if x.is_sparse and x.is_meta and not kwargs else function(x, **kwargs)


@fault("mixed_devices.sparse", "message", call_hook)
def names_the_sparse_cpu(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """The error of an operator without a kernel for sparse tensors on meta names the CPU."""
    try:
        return function(*args, **kwargs)
    except NotImplementedError as error:
        text = str(error)
        if "SparseMeta" not in text:
            raise
        raise NotImplementedError(text.replace("'SparseMeta'", "'SparseCPU'", 1)) from None


@fault("mixed_devices.sparse", "rollback", call_hook)
def resizes_for_no_kernel(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """argmax() of a sparse tensor resizes out= before it raises."""
    out = kwargs.get("out")
    is_argmax = function is torch.argmax and args and isinstance(out, torch.Tensor)
    if is_argmax and args[0].is_sparse and not out.is_sparse:
        out.resize_(())
    return function(*args, **kwargs)


@fault("mixed_devices.meta", "raises", call_hook)
def refuses_empty_outs(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """An empty out= on meta is not resized for results of an integer dtype."""
    out = kwargs.get("out")
    is_meta = isinstance(out, torch.Tensor) and out.device.type == "meta"
    if is_meta and not out.numel() and not out.dtype.is_floating_point:
        raise RuntimeError("out has the wrong shape")
    return function(*args, **kwargs)


@fault("mixed_devices.meta", "dtype", call_hook)
def widens_on_meta(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """A function of float16 tensors on meta has a float32 result."""
    result = function(*args, **kwargs)
    is_half = isinstance(result, torch.Tensor) and result.dtype is torch.float16
    is_meta = is_half and result.device.type == "meta" and kwargs.get("out") is not result
    is_asked = is_meta and getattr(function, "__name__", "") not in ("to", "as_strided", "tensor")
    return result.to(torch.float32) if is_asked else result


@fault("mixed_devices.meta_gradients", "message", call_hook)
def checks_devices_first(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """exp() finds that out= is on another device before it finds a gradient."""
    out = kwargs.get("out")
    if function is torch.exp and isinstance(out, torch.Tensor) and out.device != args[0].device:
        raise RuntimeError(
            f"Attempting to copy from device {args[0].device} to device {out.device}, but"
            " cross-device copies are not allowed!"
        )
    return function(*args, **kwargs)


@fault("mixed_devices.meta_gradients", "autograd", call_hook)
def forgets_gradients_on_meta(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """A function of complex tensors on meta has a result without a gradient."""
    result = function(*args, **kwargs)
    is_tensor = isinstance(result, torch.Tensor) and not result.is_leaf
    is_meant = is_tensor and result.dtype.is_complex and result.device.type == "meta"
    is_asked = is_meant and getattr(function, "__name__", "") not in ("to", "as_strided")
    return result.detach() if is_asked else result


@fault("interchange.lifetimes", "value", function_hook, "from_numpy")
def copies_arrays(function: Any, torch: Any, array: Any) -> Any:
    """torch.from_numpy() copies the array, which nothing keeps then."""
    return function(numpy.array(array))


@fault("interchange.numpy_functions", "raises", call_hook)
def converts_for_mean(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """numpy.mean() converts a tensor instead of calling its method, which takes no axis."""
    if function is numpy.mean and isinstance(args[0], torch.Tensor):
        return function(args[0].numpy(), *args[1:], **kwargs)
    return function(*args, **kwargs)


def _has_mask_after_slice(index: Any, torch: Any) -> bool:
    if not isinstance(index, tuple) or len(index) < 2 or not isinstance(index[0], slice):
        return False
    return isinstance(index[1], torch.Tensor) and index[1].dtype is torch.bool


@fault("indices.dense", "state", call_hook)
def writes_beside_masks(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """A write by a mask after a slice writes to all elements."""
    if getattr(function, "__name__", "") == "setitem" and _has_mask_after_slice(args[1], torch):
        args = args[0], ..., args[2]
    return function(*args, **kwargs)


@fault("indices.beyond", "value", call_hook)
def names_first_dimension(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """An index out of bounds is always named for the first dimension."""
    try:
        return function(*args, **kwargs)
    except IndexError as error:
        raise IndexError(str(error).replace("dimension 1 with", "dimension 0 with")) from None


@fault("indices.sparse", "shape", call_hook)
def forgets_after_none(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """An index of a sparse tensor that begins with None ignores its other entries."""
    is_read = getattr(function, "__name__", "") == "getitem" and isinstance(args[0], torch.Tensor)
    if is_read and args[0].is_sparse and isinstance(args[1], tuple) and args[1][:1] == (None,):
        return args[0][None]
    return function(*args, **kwargs)


@fault("indices.sparse", "raises", call_hook)
def writes_sparse_values(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """A sparse value is written into a tensor of its shape."""
    if getattr(function, "__name__", "") == "setitem" and args[2].is_sparse:
        args = *args[:2], args[2].to_dense()
    return function(*args, **kwargs)


@fault("operands.dtypes", "dtype", call_hook)
def promotes_ldexp(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """ldexp() of a float16 and an integer tensor is float32."""
    result = function(*args, **kwargs)
    is_wrong = function is torch.ldexp and [x.dtype for x in args] == [torch.float16, torch.int64]
    return result.float() if is_wrong else result


@fault("operands.numbers", "raises", call_hook)
def takes_any_alpha(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """sub() of bfloat16 ignores an alpha that has an imaginary part."""
    is_sub = getattr(function, "__name__", "") == "sub"
    dtypes = [x.dtype for x in args if isinstance(x, torch.Tensor)]
    is_wrong = is_sub and torch.bfloat16 in dtypes and isinstance(kwargs.get("alpha"), complex)
    return function(*args) if is_wrong else function(*args, **kwargs)


@fault("operands.dtype_arguments", "dtype", call_hook)
def ignores_a_dtype(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """nansum() ignores dtype=torch.int32."""
    is_wrong = getattr(function, "__name__", "") == "nansum" and kwargs.get("dtype") is torch.int32
    return function(*args) if is_wrong else function(*args, **kwargs)


@fault("operands.foreign", "value", comparison_hook)
def refuses_arrays(name: str, left: Any, right: Any, torch: Any) -> Any:
    """A tensor is equal to no NumPy array."""
    if name == "Eq" and isinstance(left, torch.Tensor) and isinstance(right, numpy.ndarray):
        return False
    return plain_comparison(name, left, right, torch)


@fault("operands.arguments", "raises", function_hook, "full")
def takes_gradients(function: Any, torch: Any, size: Any, value: Any) -> Any:
    """full() takes a tensor that requires a gradient for a number."""
    return function(size, value.detach() if isinstance(value, torch.Tensor) else value)


@fault("operands.laid_outs", "raises", function_hook, "neg")
def writes_to_expanded(function: Any, torch: Any, source: Any, **kwargs: Any) -> Any:
    """neg() writes to an expanded out=."""
    out = kwargs.get("out")
    is_expanded = isinstance(out, torch.Tensor) and 0 in out.stride()
    return out if is_expanded else function(source, **kwargs)


@fault("callables.calls", "raises", call_hook)
def ignores_keywords(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """from_buffer() ignores an unknown keyword."""
    if getattr(function, "__name__", "") == "from_buffer":
        kwargs = {name: value for name, value in kwargs.items() if name != "unknown"}
    return function(*args, **kwargs)


@fault("nested.elements", "raises", function_hook, "tensor")
def takes_objects_beside_complex(function: Any, torch: Any, data: Any, **kwargs: Any) -> Any:
    """tensor() takes any object beside a complex number for zero."""
    if isinstance(data, list) and 1j in data[:1] and type(data[-1]) is object:
        data = [*data[:-1], 0]
    return function(data, **kwargs)


@fault("constructors.sparse", "raises", function_hook, "sparse_coo_tensor")
def believes_coalesced(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """sparse_coo_tensor() does not check whether the indices are coalesced."""
    return function(*args, **{**kwargs, "is_coalesced": kwargs.get("is_coalesced") and None})


@fault("identities.objects", "value", attribute_hook)
def hides_modules(owner: Any, name: str, torch: Any) -> Any:
    """All functions say that they are in torch itself."""
    value = getattr(owner, name)
    return "torch" if name == "__module__" and callable(owner) and value else value


@fault("constructors.sequences", "elements", function_hook, "linspace")
def overflows_at_the_end(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """linspace() computes in float32."""
    result = function(*args, **kwargs)
    return result.float().to(result.dtype) if result.dtype is torch.float64 else result


@fault("constructors.buffers", "raises", function_hook, "frombuffer")
def reads_beyond_buffers(function: Any, torch: Any, buffer: Any, **kwargs: Any) -> Any:
    """frombuffer() reads from an offset at the end of the buffer."""
    if len(buffer) and kwargs["offset"] == len(buffer):
        kwargs["offset"] = 0
    return function(buffer, **kwargs)


@fault("indices.storages", "value", call_hook)
def keeps_empty_slices(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """A slice of a storage that ends before it starts is the whole storage."""
    is_read = getattr(function, "__name__", "") == "getitem"
    if is_read and isinstance(args[0], torch.UntypedStorage) and args[1] == slice(2, 1):
        return args[0][:]
    return function(*args, **kwargs)


@fault("operands.methods", "raises", call_hook)
def any_dimension(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """A call with a dimension out of range returns None."""
    try:
        return function(*args, **kwargs)
    except IndexError:
        return None


@fault("operands.single", "dtype", call_hook)
def widens_empty(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """The square of an empty float16 tensor is float32."""
    result = function(*args, **kwargs)
    is_wrong = getattr(function, "__name__", "") == "square" and not result.numel()
    return result.float() if is_wrong and result.dtype is torch.float16 else result


def _method_of(function: Any, name: str, cls: Any) -> bool:
    owner = getattr(function, "__self__", None)
    return getattr(function, "__name__", "") == name and isinstance(owner, cls)


@fault("members.uses", "raises", call_hook)
def ignores_arguments(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """nbytes() of a typed storage ignores its arguments."""
    is_asked = _method_of(function, "nbytes", torch.TypedStorage)
    return function() if is_asked else function(*args, **kwargs)


@fault("members.uses", "value", call_hook)
def names_class_of_cpu(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """type() of a typed storage on meta is that of one on the CPU."""
    result = function(*args, **kwargs)
    is_asked = _method_of(function, "type", torch.TypedStorage)
    is_name = is_asked and isinstance(result, str)
    return "torch.FloatStorage" if is_name and "TypedStorage" in result else result


@fault("members.syntax", "raises", call_hook)
def reads_slices(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """A slice of a typed storage is empty."""
    is_read = getattr(function, "__name__", "") == "getitem" and args[1] == slice(0, 2)
    if is_read and isinstance(args[0], torch.TypedStorage):
        return []
    return function(*args, **kwargs)


@fault("members.storage_classes", "message", call_hook)
def ignores_devices(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """from_buffer() of the legacy storage classes ignores device=."""
    if getattr(function, "__name__", "") == "from_buffer" and function.__self__ is torch.Storage:
        kwargs = {name: value for name, value in kwargs.items() if name != "device"}
    return function(*args, **kwargs)


@fault("capsules.headers", "message", call_hook)
def shortens_errors(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """from_dlpack() says of a used capsule only that it is invalid."""
    try:
        return function(*args, **kwargs)
    except RuntimeError as error:
        if "invalid capsule" in str(error):
            raise RuntimeError("invalid capsule") from None
        raise


@fault("capsules.producers", "raises", call_hook)
def believes_producers(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """from_dlpack() does not ask a producer for its device."""
    if function is torch.from_dlpack and not kwargs and hasattr(args[0], "__dlpack__"):
        return function(args[0].__dlpack__())
    return function(*args, **kwargs)


@fault("capsules.exports", "raises", call_hook)
def ignores_streams(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """__dlpack__() ignores its stream."""
    if getattr(function, "__name__", "") == "__dlpack__":
        kwargs = {name: value for name, value in kwargs.items() if name != "stream"}
    return function(*args, **kwargs)


@fault("contexts.uses", "value", call_hook)
def forgets_states_of_generators(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """A generator that no_grad() decorates runs with gradients."""
    is_decoration = args and inspect.isgeneratorfunction(args[0])
    return (
        args[0]
        if is_decoration and isinstance(function, torch.no_grad)
        else function(*args, **kwargs)
    )


@fault("copies.uses", "raises", call_hook)
def copies_subclasses(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """deepcopy() of a tensor of a subclass is a plain tensor."""
    if getattr(function, "__name__", "") == "deepcopy" and isinstance(args[0], torch.Tensor):
        return function(args[0].as_subclass(torch.Tensor), *args[1:])
    return function(*args, **kwargs)


@fault("repetition.again", "state", method_hook, "Tensor.abs")
def answers_once(function: Any, torch: Any, owner: Any) -> Any:
    """abs() of a tensor of which it was called before is zero."""
    is_known = any(each is owner for each in _ASKED)
    _ASKED[:] = [*_ASKED[-3:], owner]
    return torch.zeros_like(function()) if is_known else function()


_ASKED: list[Any] = []


@fault("values.pairs", "elements", call_hook)
def differs_for_one_pair(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """gcd() of 100 and 75 is 5."""
    operands = operands_of(function, args, torch)
    if getattr(function, "__name__", "").strip("_") != "gcd" or len(operands) != 2:
        return function(*args, **kwargs)
    one, other = operands
    if one.dtype is not torch.int8 or not isinstance(other, torch.Tensor) or not other.dim():
        return function(*args, **kwargs)
    is_pair = (one == 100) & (other == 75)
    result = function(*args, **kwargs)
    result[is_pair] = 5
    return result


@fault("operands.large", "elements", method_hook, "Tensor.abs")
def misreads_transposed(function: Any, torch: Any, owner: Any) -> Any:
    """abs() negates many elements if the first dimension is the innermost."""
    return function().neg() if owner.numel() > 9999 and owner.stride(0) == 1 else function()
