"""Parameters and buffers of modules (torch/nn/parameter.py)."""

from typing import Any

from .._geometry.layout import preserve_format
from .._runtime.c_types import PACKAGE
from .._runtime.lazy_exports import lazy_members
from .._runtime.torch_function import DISABLED
from .factories import empty
from .tensor import Tensor


class _ParameterMeta(type(Tensor)):  # type: ignore[misc]
    """The metaclass of `Parameter`: instances of subclasses of Tensor have a flag instead."""

    def __instancecheck__(cls, instance: Any) -> bool:
        is_flagged = isinstance(instance, Tensor) and getattr(instance, "_is_param", False)
        return (is_flagged and cls is Parameter) or super().__instancecheck__(instance)


class Parameter(Tensor, metaclass=_ParameterMeta):
    """A tensor that a module lists among its parameters once it is an attribute.

    Parameter(data, requires_grad=True) shares the memory of ``data``.  Operators on a parameter
    return plain tensors.

    >>> import impl as torch
    >>> torch.nn.Parameter(torch.ones(2))
    Parameter containing:
    tensor([1., 1.], requires_grad=True)
    """

    __torch_function__ = DISABLED

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> "Parameter":
        if data is None:
            data = empty(0)
        if type(data) is Tensor or type(data) is Parameter:
            return Tensor._make_subclass(cls, data, requires_grad)  # type: ignore[attr-defined, no-any-return]
        result = data.detach().requires_grad_(requires_grad)
        if type(result) is not type(data):
            raise RuntimeError(
                f"Creating a Parameter from an instance of type {type(data).__name__} requires that"
                " detach() returns an instance of the same type, but return type"
                f" {type(result).__name__} was found instead. To use the type as a Parameter,"
                " please correct the detach() semantics defined by its __torch_dispatch__()"
                " implementation."
            )
        result._is_param = True
        return result  # type: ignore[no-any-return]

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            data = self.data.clone(memory_format=preserve_format)  # type: ignore[attr-defined]
            memo[id(self)] = type(self)(data, self.requires_grad)
        return memo[id(self)]

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()


class _BufferMeta(type(Tensor)):  # type: ignore[misc]
    """The metaclass of `Buffer`: buffers are tensors with a flag."""

    def __instancecheck__(cls, instance: Any) -> bool:
        is_flagged = isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)
        return (is_flagged and cls is Buffer) or super().__instancecheck__(instance)


class Buffer(Tensor, metaclass=_BufferMeta):
    """A tensor that a module lists among its buffers once it is an attribute.

    Buffer(data, persistent=True) is a tensor of the class of ``data`` that shares its memory.
    State dicts contain a buffer if it is persistent.
    """

    __torch_function__ = DISABLED

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> "Buffer":
        if data is None:
            data = empty(0)
        result = data.detach().requires_grad_(data.requires_grad)
        result.persistent = persistent
        result._is_buffer = True
        return result  # type: ignore[no-any-return]

    persistent: bool


METHODS = lazy_members(Parameter)
"""The attributes of Parameter that other modules define."""

for _cls in (_ParameterMeta, Parameter, _BufferMeta, Buffer):
    _cls.__module__ = f"{PACKAGE}.nn.parameter"
