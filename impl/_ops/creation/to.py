"""Conversions of dtype, device and memory format: to, float, cpu, cuda and the others."""

from functools import wraps
from typing import Any

from ..._argparser.schema import MISSING
from ..._devices.availability import is_other_device, resolve_target_device
from ..._devices.device import CPU, as_device, device
from ..._dtypes.scalars import tensor_dtype_of
from ..._dtypes.table import DTYPES, as_dtype, dtype, spec_of
from ..._geometry.layout import memory_format
from ..._runtime.errors import check
from ..._tensor.tensor import METHODS, Tensor
from ..common.copy import FORMAT, to_device, to_dtype
from ..common.registration import Op, register_operator


def _to(
    tensor: Tensor,
    device: device | None,
    dtype: Any,
    non_blocking: bool,
    copy: bool,
    format_: memory_format | None,
) -> Tensor:
    """Tensor.to(...): the tensor with another dtype, device or memory format."""
    current = tensor._storage._device
    target = resolve_target_device(device) if device is not current else None
    dtype = tensor._dtype if dtype is None else as_dtype(dtype)
    return to_device(
        tensor, target, dtype, copy or is_other_device(device, target, current), format_
    )


def _to_dtype(tensor: Tensor, dtype: Any, non_blocking: bool, copy: bool, format_: Any) -> Tensor:
    return to_dtype(tensor, as_dtype(dtype), copy, format_)


def _to_other(tensor: Tensor, other: Any, non_blocking: bool, copy: bool, format_: Any) -> Tensor:
    """Return the tensor with the dtype and device of another; a number is a tensor on the CPU."""
    if not isinstance(other, Tensor):
        return to_device(tensor, CPU, tensor_dtype_of(other), copy, format_)
    return to_device(tensor, other._geometry.device, other._dtype, copy, format_)


_REST = "bool non_blocking=False, bool copy=False, *, MemoryFormat? memory_format=None"

register_operator(
    Op(
        "to",
        {
            f"Device device=None, ScalarType dtype=None, {_REST}": _to,
            f"ScalarType dtype, {_REST}": _to_dtype,
            f"Tensor tensor, {_REST}": _to_other,
        },
        function=False,
    )
)


_slow_to = METHODS["to"]


@wraps(_slow_to)
def _fast_to(self: Any = MISSING, /, *args: Any, **keywords: Any) -> Tensor:
    if not keywords and len(args) < 2 and isinstance(self, Tensor):
        if not args:
            return self
        if type(args[0]) is dtype:
            return to_dtype(self, args[0], False, None)
        if type(args[0]) is Tensor:
            return _to_other(self, args[0], False, False, None)
    return _slow_to(self, *args, **keywords)  # type: ignore[no-any-return]


METHODS["to"] = _fast_to

# The methods that are named after a dtype.
_DTYPE_METHODS = {
    "float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16",
    "int": "int32", "long": "int64", "short": "int16", "char": "int8", "byte": "uint8",
    "bool": "bool", "cfloat": "complex64", "cdouble": "complex128", "chalf": "complex32",
}  # fmt: skip


def _install_named(name: str, dtype: dtype) -> None:
    def run(tensor: Tensor, format_: memory_format | None = None) -> Tensor:
        return to_dtype(tensor, dtype, False, format_)

    run.__doc__ = f"Tensor.{name}(): the tensor with the dtype {spec_of(dtype).name}."
    register_operator(Op(name, {FORMAT: run}, function=False, has_no_args_path=True))


for _name, _target in _DTYPE_METHODS.items():
    _install_named(_name, DTYPES[_target])


def _cpu(tensor: Tensor, format_: memory_format | None) -> Tensor:
    """Tensor.cpu(): the tensor on the CPU."""
    return to_device(tensor, CPU, tensor._dtype, False, format_)


register_operator(Op("cpu", {FORMAT: _cpu}, function=False))


def _install_move(name: str, device_name: str) -> None:
    """Install the method that moves a tensor to a device of the type ``name``."""

    def run(tensor: Tensor, device: device | None, non_blocking: bool, format_: Any) -> Tensor:
        target = as_device(name) if device is None else device
        check(target.type == name, lambda: f"Invalid device, must be {device_name} device")
        return _to(tensor, target, None, non_blocking, False, format_)

    run.__doc__ = f"Tensor.{name}(device=None, non_blocking=False): the tensor on a {name} device."
    register_operator(
        Op(
            name,
            {
                f"Device? device=None, bool {keyword}=False, {FORMAT}{suffix}": run
                for keyword, suffix in (("non_blocking", ""), ("async", "|deprecated"))
            },
            function=False,
        )
    )


for _name, _device_name in {"cuda": "cuda", "ipu": "ipu", "mtia": "MTIA", "xpu": "xpu"}.items():
    _install_move(_name, _device_name)
