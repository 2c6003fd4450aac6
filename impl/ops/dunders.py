"""What Python's operators call: ``+`` and its kin, reflected and in place.

Torch answers NotImplemented where its own argument parser raises TypeError
(torch/csrc/autograd/python_variable_methods.cpp and torch/_tensor.py).
"""

from collections.abc import Callable
from typing import Any

from ..tensor import Tensor
from ..warn import shown_in_warnings
from .arithmetic import ADD, DIV, MUL, SUB
from .pointwise import Operator
from .rows import FUNCTIONS
from .short_ways import short_way

Run = Callable[..., Any]


def _install(name: str, run: Run, operator: Operator | None = None) -> None:
    """Make a special method, which answers NotImplemented where arguments have wrong types.

    With an operator it takes the short way on operands that need no parsing.
    """

    def method(self: Tensor, /, *args: Any, **keywords: Any) -> Any:
        try:
            return run(self, *args, **keywords)
        except TypeError:
            return NotImplemented

    if operator is not None:
        method = short_way(operator, method)
    method.__name__, method.__qualname__ = name, f"Tensor.{name}"
    setattr(Tensor, name, method)


def _install_python(name: str, run: Run) -> None:
    """Make a special method that torch has written in Python, where its warnings are shown to be from."""

    def checked(self: Tensor, other: Any) -> Any:
        return run(self, other)

    @shown_in_warnings
    def method(*args: Any, **keywords: Any) -> Any:
        try:
            return checked(*args, **keywords)
        except TypeError:
            return NotImplemented

    method.__name__, method.__qualname__ = name, f"Tensor.{name}"
    setattr(Tensor, name, method)


def _reflected(run: Run) -> Run:
    return lambda self, other: run(other, self)


def _divided_by(self: Tensor, other: Any) -> Any:
    return FUNCTIONS["reciprocal"](self) * other


_ADD, _MUL = FUNCTIONS["add"], FUNCTIONS["mul"]

_install("__add__", _ADD, ADD)
_install("__radd__", _ADD, ADD)
_install("__iadd__", Tensor.add_)  # type: ignore[attr-defined]
_install("__sub__", FUNCTIONS["sub"], SUB)
_install_python("__rsub__", FUNCTIONS["rsub"])
_install("__isub__", Tensor.sub_)  # type: ignore[attr-defined]
_install("__mul__", _MUL, MUL)
_install("__rmul__", _MUL, MUL)
_install("__imul__", Tensor.mul_)  # type: ignore[attr-defined]
_install("__truediv__", FUNCTIONS["div"], DIV)
_install("__itruediv__", Tensor.div_)  # type: ignore[attr-defined]
_install("__div__", FUNCTIONS["div"])
_install("__idiv__", Tensor.div_)  # type: ignore[attr-defined]
_install_python("__rdiv__", _divided_by)
Tensor.__rtruediv__ = Tensor.__rdiv__  # type: ignore[attr-defined]
_install_python("__floordiv__", FUNCTIONS["floor_divide"])
_install_python("__rfloordiv__", _reflected(FUNCTIONS["floor_divide"]))
_install("__ifloordiv__", Tensor.floor_divide_)  # type: ignore[attr-defined]
