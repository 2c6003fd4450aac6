"""Calls of large tensors, made again until a library may have compiled a loop for them."""

import copy
import operator
import re
import warnings
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from math import prod
from typing import Any
from zlib import crc32

import numpy

from . import settings
from .oracle_calls import accepted_calls
from .special_values import ENDS_PROCESS, specials

DTYPES = ("float32", "uint8", "float64", "int64", "bfloat16", "bool", "float16", "int32")

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
            yield from (f"{name}: {expression}" for name in DTYPES)


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


def repeated(torch: Any, dtype: str, call: str) -> Iterator[tuple[str, ...]]:
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
