"""Calls of every public function and method, as the oracle accepts them.

A name that the oracle gets, or that comes into scope, is called without a line of code. Calls of
large tensors are made until a library may have compiled a loop for them.
"""

import copy
import operator
import re
import warnings
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from itertools import chain, islice
from math import prod
from types import CodeType
from typing import Any
from zlib import crc32

import numpy

from ...spec.public_surface import in_scope
from .. import settings
from ..schemas.overloads import OUT_OF_SCOPE
from ..special_values import ENDS_PROCESS, specials

ARGUMENTS = (
    "", "y", "0", "2", "-1", "y, y", "1, 0", "y, 1", "0, 0, 1", "(3, 2)", "torch.int32", "y != 0",
    "y != 0, y", "0, (y[0, :2] != 0).long()",
)  # fmt: skip
"""Arguments after the tensor ``x``; ``y`` is a tensor of the same shape and dtype."""

DTYPES = ("float32", "int64", "complex64")
"""The dtypes of the operands; a call is made with the first that the oracle accepts."""

OPERATORS = (
    "x + y", "x - y", "x * y", "x / y", "x // y", "x % y", "x ** y", "x & y", "x | y", "x ^ y",
    "x << y", "x >> y", "x == y", "x != y", "x < y", "x <= y", "x > y", "x >= y", "-x", "abs(x)",
    "~x", "2 + x", "2 - x", "2 * x", "2 / x", "2 // x", "2 % x", "2 ** x", "x + 2", "x * 2",
    "x[0]", "x[:, 1]", "x[..., ::2]", "x[None]", "x[y != 0]", "x[(y[0, :2] != 0).long()]",
    "x[True]", "list(x)", "len(x)", "repr(x)", "str(x)", "[*x]", "x.T", "x.mT", "x.H", "x.real",
    "x.shape", "x.dtype", "x.layout", "x.device", "x.is_leaf", "x.grad_fn is None", "x.nbytes",
    "x.requires_grad", "x.data", "x._version", "x._base is None", "copy.copy(x)",
    "copy.deepcopy(x)", "numpy.asarray(x)", "torch.cat([x, y])", "torch.stack([x, y])",
    "operator.iadd(x, y)", "operator.imul(x, 2)", "operator.iand(x, y)",
    "operator.setitem(x, 0, y[1])", "operator.setitem(x, y != 0, 5)",
    "operator.setitem(x, ..., y)", "operator.setitem(x.storage(), 0, 3)", "x.storage()[1]",
    "setattr(x, 'real', y)", "setattr(x, 'imag', y)", "setattr(x, 'data', y)",
    "torch.add(x, y, alpha=3)", "torch.sum(x, 0, keepdim=True)",
    "torch.add(x, y, out=x.clone())", "torch.mul(x, 2, out=torch.zeros(2, 3, dtype=x.dtype))",
    "torch.sum(x, dtype=torch.float64)", "torch.zeros(2, 3)", "torch.ones(2)",
    "torch.full((2,), 1)", "torch.arange(3)", "torch.tensor([1.5])", "torch.tensor(x.tolist())",
    "torch.rand(2)",
    "torch.scalar_tensor(2)", "torch.linspace(0, 1, 3)", "torch.result_type(x, 2.5)",
    "torch.empty_strided((2, 3), (1, 2)).stride()", "torch.where(x != y, x, 2.5)",
)  # fmt: skip
"""Expressions with operators, indices, attributes, and functions of other arguments."""

CHANGES_SETTINGS = re.compile(r"(set|use|get|is|are|manual|initial)_\w+|seed|fork_rng|typename")
"""Functions about settings, and questions; these are no calls on tensors."""

OPERANDS = (
    "b = torch.arange(24).to(torch.{dtype})", "x = b[3:9].view(2, 3)", "y = b[12:18].view(2, 3)",
)  # fmt: skip


@cache
def accepted_calls(torch: Any) -> tuple[str, ...]:
    """Return calls on ``x`` and ``y`` that the oracle accepts, each as ``dtype: call``."""
    with warnings.catch_warnings(action="ignore"):
        return tuple(chain.from_iterable(_accepted(torch, *calls) for calls in _calls(torch)))


def _accepted(torch: Any, calls: Iterable[str], at_most: int | None = None) -> Iterator[str]:
    """Yield the accepted ones of some calls, each as ``dtype: call``."""
    dtypes = ((call, _first_dtype(torch, call)) for call in calls if not _ADDRESSES.match(call))
    return islice((f"{dtype}: {call}" for call, dtype in dtypes if dtype is not None), at_most)


def _calls(torch: Any) -> Iterator[tuple[Iterable[str], int | None]]:
    """Yield groups of calls, and how many accepted ones of a group are asked; None is all."""
    yield OPERATORS, None
    yield method_calls(torch), None
    for path in in_scope(torch):
        owner, _, name = path.rpartition(".")
        if owner == "torch" and _is_function(torch, name):
            # A function that is a method, too, is called once: its arguments are the method's.
            calls = [f"torch.{name}({', '.join(filter(None, ('x', a)))})" for a in ARGUMENTS]
            yield calls, 1 if hasattr(torch.Tensor, name) else None


@cache
def method_calls(torch: Any) -> tuple[str, ...]:
    """Return calls of every method of a tensor ``x``, whether they are accepted or refused."""
    paths = (path.rpartition(".") for path in in_scope(torch))
    names = [name for owner, _, name in paths if owner == "torch.Tensor"]
    methods = (
        name for name in names if callable(getattr(torch.Tensor, name)) and name not in OUT_OF_SCOPE
    )
    calls = (f"x.{name}({arguments})" for name in methods for arguments in ARGUMENTS)
    return tuple(call for call in calls if not _ADDRESSES.match(call))


def _is_function(torch: Any, name: str) -> bool:
    value = getattr(torch, name)
    is_function = callable(value) and not isinstance(value, type)
    return is_function and CHANGES_SETTINGS.fullmatch(name) is None


_ADDRESSES = re.compile(r".*\b(data_ptr|to_dlpack|__dlpack__)\(.*")
"""Calls whose answer is an address."""


def is_accepted(torch: Any, *steps: str) -> bool:
    """Return whether the oracle ends a program without an error."""
    scope = {"torch": torch}
    with warnings.catch_warnings(action="ignore"):
        try:
            exec("\n".join(steps), scope)
        except Exception:  # noqa: BLE001  # the oracle may raise anything
            return False
    return True


def _first_dtype(torch: Any, call: str) -> str | None:
    scope = {"torch": torch, "copy": copy, "numpy": numpy, "operator": operator}
    code = compile(call, "<call>", "eval")
    for dtype in DTYPES:
        exec(_operands(dtype), scope)
        try:
            eval(code, scope)
        except TypeError:  # the arguments do not fit, whatever the dtype
            return None
        except Exception:  # noqa: BLE001  # the oracle may raise anything
            continue
        return dtype
    return None


@cache
def _operands(dtype: str) -> CodeType:
    return compile("\n".join(OPERANDS).format(dtype=dtype), "<operands>", "exec")


@cache
def out_calls(torch: Any) -> tuple[tuple[str, str], ...]:
    """Return accepted calls, each as ``dtype: call``, with the same call that writes to ``o``."""
    pairs = ((call, _with_out(torch, call)) for call in accepted_calls(torch))
    return tuple((call, other) for call, other in pairs if other is not None)


def _with_out(torch: Any, call: str) -> str | None:
    """Return a call with ``out=o``, or None if the oracle does not accept it."""
    dtype, _, expression = call.partition(": ")
    match = re.fullmatch(r"x\.(\w+[^_\W])\((.*)\)|torch\.(\w+[^_\W])\((x.*)\)", expression)
    if match is None or not hasattr(torch, match[1] or match[3]):
        return None
    name, arguments = match[1] or match[3], match[4] or ", ".join(filter(None, ("x", match[2])))
    scope = {"torch": torch}
    with suppress(Exception), warnings.catch_warnings(action="ignore"):
        exec(_operands(dtype), scope)
        scope["o"] = eval(expression, scope).clone()
        with_out = f"torch.{name}({arguments}, out=o)"
        eval(with_out, scope)
        return with_out
    return None


LARGE_DTYPES = ("float32", "uint8", "float64", "int64", "bfloat16", "bool", "float16", "int32")

_POINTWISE, _REDUCED = 2**16 + 1, ((513, 257), (33, 4097))
"""A number of elements, and shapes, a little larger than libraries compute in one block."""

_MANY = 2**21
"""A number of elements after which a library may have compiled a loop for a call."""


@cache
def writing_calls(torch: Any) -> tuple[str, ...]:
    """Return the accepted calls on 1-dim tensors that write elements, each as ``dtype: call``.

    Of a function, a method and its in-place form it is one.
    """
    forms: dict[Any, list[str]] = {}
    for call in accepted_calls(torch):
        _, _, expression = call.partition(": ")
        match = _FORM.fullmatch(expression)
        key = (match[1], match[2]) if match else expression
        forms.setdefault(key, []).append(call)
    calls = [alike[crc32(repr(key).encode()) % len(alike)] for key, alike in forms.items()]
    return tuple(_by_dtype(torch, calls))


_FORM = re.compile(r"(?:torch\.(?=\w+\(x)|x\.)(\w+?)_?\((?:x(?:, |(?=\))))?(.*)\)")


def _by_dtype(torch: Any, calls: list[str]) -> Iterator[str]:
    for call in calls:
        dtype, _, expression = call.partition(": ")
        if not settings.filled_memory(expression) and _written(torch, expression, dtype):
            yield from (f"{name}: {expression}" for name in LARGE_DTYPES)


def _written(torch: Any, call: str, dtype: str) -> int | None:
    """Return the number of elements that a call of 5 elements writes, 1 or 5; else None."""
    x, y = (torch.arange(5).to(getattr(torch, dtype)) for _ in range(2))
    scope = {"torch": torch, "x": x, "y": y, "copy": copy, "numpy": numpy, "operator": operator}
    with suppress(Exception), warnings.catch_warnings(action="ignore"):
        result = eval(call, scope)
        is_view = result is not x and result.data_ptr() in (x.data_ptr(), y.data_ptr())
        if not is_view and result.numel() in (1, 5):
            return int(result.numel())
    return None


_COPY = "c = lambda t: torch.empty_strided(t.shape, t.stride(), dtype=t.dtype).copy_(t)"
"""A function that copies with all strides; clone() makes some tensors contiguous."""


def repeated_programs(torch: Any, dtype: str, call: str) -> Iterator[tuple[str, ...]]:
    """Yield programs that make a call once, and again until the elements are very many.

    If it is pointwise, every pair of special values meets, without integers that are 0 in ``y``.
    Otherwise the elements are small, in rows or in columns.
    """
    if _written(torch, call, dtype) == 5:
        operands, size = [_pairs(dtype, call)], _POINTWISE
    else:
        pairs = [tuple(_numbers(dtype, n, shape) for n in (7, 5)) for shape in _REDUCED]
        operands = [(f"{a}{order}", f"{b}{order}") for a, b in pairs for order in ("", ".t()")]
        size = min(map(prod, _REDUCED))
    answer = f"(lambda x, y: {call})(c(a), c(b))"
    for first, second in operands:
        yield (
            _COPY,
            f"a = {first}",
            f"b = {second}",
            answer,
            f"[{answer} for _ in range({_MANY // size + 2})][-1]",
        )


SMALL_DTYPES = ("uint8", "int8", "bool")
"""Dtypes of which very many elements take little memory."""


@cache
def pointwise_calls(torch: Any) -> tuple[str, ...]:
    """Return the pointwise calls of `writing_calls`, each with each of `SMALL_DTYPES`."""
    calls = dict.fromkeys(call.partition(": ")[2] for call in writing_calls(torch))
    pairs = ((dtype, call) for call in calls for dtype in SMALL_DTYPES)
    return tuple(f"{dtype}: {call}" for dtype, call in pairs if _written(torch, call, dtype) == 5)


@cache
def functions_of_operands(torch: Any) -> tuple[str, ...]:
    """Return the pointwise calls of `writing_calls` that have no argument but tensors, once."""
    calls: dict[str, list[str]] = {}
    for call in writing_calls(torch):
        dtype, _, expression = call.partition(": ")
        if _WITH_NUMBER.search(expression) is None:
            calls.setdefault(expression, []).append(dtype)
    return tuple(
        call
        for call, dtypes in calls.items()
        if any(_written(torch, call, dtype) == 5 for dtype in dtypes)
    )


_WITH_NUMBER = re.compile(r"(?<![\w.])\d|!=")
"""A number or a comparison among the arguments of a call."""


def very_many(dtype: str, call: str) -> tuple[str, ...]:
    """Return the steps that make a call on very many pairs of special values, and again."""
    values = [v for v in specials(dtype) if v[0] != "-" or not ENDS_PROCESS.search(call)]
    pairs = [(first, other) for other in values if other != "0" for first in values]
    count = _MANY // len(pairs) + 1
    first, other = (
        f"torch.from_numpy(numpy.tile(numpy.array([{', '.join(column)}], '{dtype}'), {count}))"
        for column in zip(*pairs, strict=True)
    )
    # Tensors in a list are not observed after each step. A prime step meets all pairs.
    again = f"[(lambda x, y: {call})(*map(torch.clone, xs)) for _ in range(3)][-1]"
    return f"xs = [{first}, {other}]", f"{again}[::{_PRIME}].clone()"


_PRIME = 211


def _numbers(dtype: str, period: int, shape: tuple[int, ...]) -> str:
    """Return the source text of a tensor of small numbers."""
    return f"(torch.arange({prod(shape)}) % {period} - 3).to(torch.{dtype}).view{shape}"


def _pairs(dtype: str, call: str) -> tuple[str, str]:
    """Return the source text of two tensors of special values."""
    values = [v for v in specials(dtype) if v[0] != "-" or not ENDS_PROCESS.search(call)]
    others, count = [value for value in values if value != "0"], len(values)
    indices = f"torch.arange({_POINTWISE})"
    return (
        f"torch.tensor([{', '.join(values)}], dtype=torch.{dtype})[{indices} % {count}]",
        f"torch.tensor([{', '.join(others)}], dtype=torch.{dtype})"
        f"[{indices} // {count} % {len(others)}]",
    )
