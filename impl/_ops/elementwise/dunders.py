"""Special methods of Python's operators, reflected and in-place ones included.

They return NotImplemented where the argument parser raises TypeError
(torch/csrc/autograd/python_variable_methods.cpp and torch/_tensor.py).
"""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from ..._dtypes.scalars import is_number, scalar_dtype
from ..._geometry.size import Size, reject_repeat
from ..._runtime.lazy_exports import PUBLIC
from ..._runtime.torch_function import SPECIAL_METHODS, UnrelatedOverride, redispatch
from ..._runtime.warnings import is_of_package, is_python_frame
from ..._tensor.sparse_coo import is_sparse
from ..._tensor.tensor import METHODS, Tensor
from ..common.meta_reference import is_on_meta
from ..creation.from_data import from_numpy
from .arithmetic import ADD, DIV, MUL, SUB
from .binary import remainder
from .bitwise import BITWISE, check_shift
from .comparisons import COMPARISONS
from .fast_path import with_fast_path
from .iterator import Operator
from .power import pow_operator

Run = Callable[..., Any]


def install_special(name: str, run: Run, operator: Operator | None = None) -> None:
    """Install a special method, which returns NotImplemented for arguments of wrong types.

    ``operator`` adds the fast path for operands which need no parsing.
    """

    def method(self: Tensor, /, *args: Any, **keywords: Any) -> Any:
        try:
            return run(self, *args, **keywords)
        except TypeError:
            return NotImplemented
        except UnrelatedOverride:
            return redispatch("torch.Tensor", name, (self, *args), keywords)

    SPECIAL_METHODS.add(method.__code__)
    if operator is not None:
        method = with_fast_path(operator, method)
    method.__name__, method.__qualname__ = name, f"Tensor.{name}"
    METHODS[name] = method


def install_python_special(name: str, run: Run, fast: Run | None = None) -> None:
    """Install a special method that torch has in Python, to which warnings are attributed.

    ``fast`` runs for operands which need no parsing.
    """

    def binary(self: Tensor, other: Any) -> Any:
        return run(self, other)

    @is_python_frame
    def method(*args: Any, **keywords: Any) -> Any:
        if fast is not None and len(args) == 2 and not keywords and type(args[1]) in _FAST_TYPES:
            try:
                return fast(*args)
            except Exception:  # whichever check raised, sparse tensors skip it
                if not any(map(is_sparse, args)):
                    raise
        try:
            return binary(*args, **keywords)
        except TypeError:
            return NotImplemented
        except UnrelatedOverride:
            return redispatch("torch.Tensor", name, args, keywords)

    SPECIAL_METHODS.add(method.__code__)
    method.__name__, method.__qualname__ = name, f"Tensor.{name}"
    METHODS[name] = method


_FAST_TYPES = frozenset({Tensor, int, float})
"""Operand types which need no parsing."""


def _reflected(run: Run) -> Run:
    return lambda self, other: run(other, self)


def _with_fast(slow: Run, fast: Run) -> Run:
    """Return a method which calls ``fast`` for operands that need no parsing, else ``slow``."""

    def run(self: Tensor, other: Any) -> Any:
        if type(other) in _FAST_TYPES:
            try:
                return fast(self, other)
            except Exception:  # whichever check raised, sparse tensors skip it
                if not (is_sparse(self) or is_sparse(other)):
                    raise
        return slow(self, other)

    return run


def _shift(name: str, run: Run) -> Run:
    """Return a shift that checks its operands' dtypes if one of them is on meta."""

    def shift(self: Tensor, /, *args: Any, **keywords: Any) -> Any:
        arguments = (*args, *keywords.values())
        if len(arguments) != 1 or not is_on_meta(self, *arguments):
            return run(self, *args, **keywords)
        [other] = arguments
        if not isinstance(other, Tensor):
            if not is_number(other):
                return run(self, other)  # which raises
            scalar_dtype(other)  # raises beyond uint64
        check_shift(name, self, other)
        return run(self, other)

    return shift


def _rdiv(self: Tensor, other: Any) -> Any:
    return self.reciprocal() * other  # type: ignore[attr-defined]


def _imul(self: Tensor, /, *args: Any, **keywords: Any) -> Any:
    try:
        return _MUL_(self, *args, **keywords)
    except TypeError:
        if args and isinstance(args[0], Size):
            reject_repeat(self, _caller())
        raise


def _caller() -> FrameType:
    """Return the innermost frame outside this package; overrides add frames to a call."""
    frame = sys._getframe(1)
    while frame.f_back is not None and is_of_package(frame):
        frame = frame.f_back
    return frame


_ADD, _MUL, _MUL_ = METHODS["add"], METHODS["mul"], METHODS["mul_"]

install_special("__add__", _ADD, ADD)
install_special("__radd__", _ADD, ADD)
install_special("__iadd__", METHODS["add_"])
install_special("__sub__", METHODS["sub"], SUB)
install_python_special("__rsub__", PUBLIC["rsub"])
install_special("__isub__", METHODS["sub_"])
install_special("__mul__", _MUL, MUL)
install_special("__rmul__", _MUL, MUL)
install_special("__imul__", _imul)
install_special("__truediv__", METHODS["div"], DIV)
install_special("__itruediv__", METHODS["div_"])
install_special("__div__", METHODS["div"])
install_special("__idiv__", METHODS["div_"])
install_python_special("__rdiv__", _rdiv)
METHODS["__rtruediv__"] = METHODS["__rdiv__"]
install_python_special("__floordiv__", PUBLIC["floor_divide"])
install_python_special("__rfloordiv__", _reflected(PUBLIC["floor_divide"]))
install_special("__ifloordiv__", METHODS["floor_divide_"])


def _eq(self: Tensor, /, *args: Any, **keywords: Any) -> Any:
    """Compare, also with a NumPy array, unlike all other operators (THPVariable___eq__)."""
    try:
        return _EQ(self, *args, **keywords)
    except TypeError:
        arguments = (*args, *keywords.values())
        numpy = sys.modules.get("numpy")
        if numpy is None or len(arguments) != 1 or not isinstance(arguments[0], numpy.ndarray):
            raise
    array = from_numpy(arguments[0])
    return _EQ(self, *(array for _ in args), **dict.fromkeys(keywords, array))


_EQ = METHODS["eq"]
for _name, _operator in COMPARISONS.items():
    install_special(f"__{_name}__", _eq if _name == "eq" else METHODS[_name], _operator)

# Torch binds reflected and, or and xor in C; reflected shifts are in torch/_tensor.py.
for _short, _long in (("and", "bitwise_and"), ("or", "bitwise_or"), ("xor", "bitwise_xor")):
    _function = PUBLIC[_long]
    install_special(f"__{_short}__", METHODS[_long], BITWISE[_long])
    install_special(f"__r{_short}__", METHODS[_long], BITWISE[_long])
    install_special(f"__i{_short}__", METHODS[f"{_long}_"])
for _short, _long in (("lshift", "bitwise_left_shift"), ("rshift", "bitwise_right_shift")):
    install_special(f"__{_short}__", _shift(_short, METHODS[_long]))
    install_python_special(f"__r{_short}__", _reflected(PUBLIC[_long]))
    install_special(f"__i{_short}__", _shift(_short, METHODS[f"{_long}_"]))

install_special("__mod__", _with_fast(METHODS["remainder"], remainder))
install_python_special("__rmod__", _reflected(PUBLIC["remainder"]))
install_special("__imod__", METHODS["remainder_"])
install_python_special("__pow__", METHODS["pow"], pow_operator)
install_python_special("__rpow__", _reflected(PUBLIC["pow"]))
install_python_special("__ipow__", METHODS["pow_"])
