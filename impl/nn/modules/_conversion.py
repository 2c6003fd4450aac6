"""Conversions of modules: to, float, cpu and the others."""

import warnings
from collections.abc import Callable
from typing import Any

from ... import Tensor, empty_like, no_grad
from ..._argparser.parser import Parser
from ..._devices.device import CPU
from ..._dtypes.scalars import tensor_dtype_of
from ..._tensor.tensor import has_compatible_shallow_copy_type
from ..parameter import Parameter

_REST = "bool non_blocking=False, bool copy=False, *, MemoryFormat? memory_format=None"
_parse_to = Parser(
    f"to(Device device=None, ScalarType dtype=None, {_REST})",
    f"to(ScalarType dtype, {_REST})",
    f"to(Tensor tensor, {_REST})",
)


def _target(args: Any, kwargs: Any) -> tuple[Any, Any, bool, Any]:
    """Return the device, dtype, non_blocking and memory format of `to` (torch._C._nn._parse_to)."""
    signature, values = _parse_to.match(args, kwargs)
    by_device, by_dtype, _ = _parse_to.signatures
    first, *rest = signature.convert(values)
    if signature is by_device:
        device, (dtype, non_blocking, copy, memory_format) = first, rest
    elif signature is by_dtype:
        device, dtype, (non_blocking, copy, memory_format) = None, first, rest
    else:
        non_blocking, copy, memory_format = rest
        is_tensor = isinstance(first, Tensor)
        device = first.device if is_tensor else CPU
        dtype = first.dtype if is_tensor else tensor_dtype_of(first)
    if copy:
        raise RuntimeError(".to() does not accept copy argument")
    return device, dtype, non_blocking, memory_format


def _apply(self: Any, fn: Callable[[Any], Any], recurse: bool = True) -> Any:
    """Replace the data of all parameters, and all buffers, by the results of ``fn``."""
    if recurse:
        for module in self.children():
            module._apply(fn)
    for key, param in self._parameters.items():
        if param is None:
            continue
        with no_grad():
            applied = fn(param)
        if has_compatible_shallow_copy_type(param, applied):
            param.data = applied
        else:
            self._parameters[key] = Parameter(applied, param.requires_grad)
    for key, buffer in self._buffers.items():
        if buffer is not None:
            self._buffers[key] = fn(buffer)
    return self


def cuda(self: Any, device: Any = None) -> Any:
    """Move all parameters and buffers to a CUDA device."""
    return self._apply(lambda t: t.cuda(device))


def ipu(self: Any, device: Any = None) -> Any:
    """Move all parameters and buffers to an IPU."""
    return self._apply(lambda t: t.ipu(device))


def xpu(self: Any, device: Any = None) -> Any:
    """Move all parameters and buffers to an XPU."""
    return self._apply(lambda t: t.xpu(device))


def mtia(self: Any, device: Any = None) -> Any:
    """Move all parameters and buffers to an MTIA."""
    return self._apply(lambda t: t.mtia(device))


def cpu(self: Any) -> Any:
    """Move all parameters and buffers to the CPU."""
    return self._apply(lambda t: t.cpu())


def type(self: Any, dst_type: Any) -> Any:
    """Convert all parameters and buffers to a type of tensors."""
    return self._apply(lambda t: t.type(dst_type))


def float(self: Any) -> Any:
    """Convert all floating-point parameters and buffers to float32."""
    return self._apply(lambda t: t.float() if t.is_floating_point() else t)


def double(self: Any) -> Any:
    """Convert all floating-point parameters and buffers to float64."""
    return self._apply(lambda t: t.double() if t.is_floating_point() else t)


def half(self: Any) -> Any:
    """Convert all floating-point parameters and buffers to float16."""
    return self._apply(lambda t: t.half() if t.is_floating_point() else t)


def bfloat16(self: Any) -> Any:
    """Convert all floating-point parameters and buffers to bfloat16."""
    return self._apply(lambda t: t.bfloat16() if t.is_floating_point() else t)


def to_empty(self: Any, *, device: Any, recurse: bool = True) -> Any:
    """Move all parameters and buffers to a device without their elements."""
    return self._apply(lambda t: empty_like(t, device=device), recurse=recurse)


def share_memory(self: Any) -> Any:
    """Move all parameters and buffers to memory that is shared with forked processes."""
    return self._apply(lambda t: t.share_memory_())


def to(self: Any, *args: Any, **kwargs: Any) -> Any:
    """Convert all parameters and buffers, in place; integers keep their dtype.

    to(device=None, dtype=None, non_blocking=False), to(dtype), to(tensor), and
    ``memory_format`` for parameters and buffers of 4 or 5 dimensions.
    """
    device, dtype, non_blocking, memory_format = _target(args, kwargs)
    if dtype is not None:
        if not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError(
                "nn.Module.to only accepts floating point or complex dtypes, but got desired"
                f" dtype={dtype}"
            )
        if dtype.is_complex:
            warnings.warn(
                "Complex modules are a new feature under active development whose design may"
                " change, and some modules might not work as expected when using complex tensors as"
                " parameters or buffers. Please file an issue at"
                " https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml if a"
                " complex module does not work as expected.",
                stacklevel=2,
            )

    def convert(t: Any) -> Any:
        target = dtype if t.is_floating_point() or t.is_complex() else None
        options = {}
        if memory_format is not None and t.dim() in (4, 5):
            options["memory_format"] = memory_format
        try:
            return t.to(device, target, non_blocking, **options)
        except NotImplementedError as error:
            if str(error) != "Cannot copy out of meta tensor; no data!":
                raise
            raise NotImplementedError(
                f"{error} Please use torch.nn.Module.to_empty() instead of torch.nn.Module.to()"
                " when moving module from meta to a different device."
            ) from None

    return self._apply(convert)
