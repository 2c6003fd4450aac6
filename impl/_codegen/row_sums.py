"""Compiled sums of rows that are added at indices, in order."""

from functools import cache
from typing import Any

from .loops import fast_address
from .routine import Routine

_CALL_NS, _ELEMENT_NS = 20_000, 10
"""The time of a call, and of an element, without a compiled function."""

_TYPES = {"i": "i32", "l": "i64", "q": "i64", "f": "float", "d": "double"}
"""The LLVM type of elements by NumPy's letter."""


def add_rows(target: Any, dim: int, indices: Any, rows: Any) -> bool:
    """Add rows to contiguous memory at int64 indices along a dimension; False if NumPy does."""
    letter = target.dtype.char
    arrays = target, indices, rows
    if letter not in _TYPES or not all(array.flags.c_contiguous for array in arrays):
        return False
    if not (rows.size and rows.dtype == target.dtype and indices.dtype.itemsize == 8):
        return False
    size, count = target.shape[dim], len(indices)
    inner = target.strides[dim] // target.itemsize
    if indices.min() < 0 or indices.max() >= size:  # which NumPy refuses
        return False
    add = _routine(letter).wanted(_CALL_NS + _ELEMENT_NS * rows.size).get(f"add_rows.{letter}")
    if add is None:
        return False
    add(*map(fast_address, arrays), rows.size // (count * inner), size, count, inner)
    return True


@cache
def _routine(letter: str) -> Routine:
    ty = _TYPES[letter]
    name, add = f"add_rows.{letter}", "fadd" if letter in "fd" else "add"
    text = _TEXT.format(name=name, ty=ty, add=add)
    return Routine(lambda: text, {name: "-pppiiii"})


_TEXT = """\
define void @{name}(ptr %target, ptr %indices, ptr %rows, i64 %outer, i64 %size, i64 %count,
                    i64 %inner) nounwind {{
entry:
  br label %part
part:
  %o = phi i64 [0, %entry], [%o.next, %part.end]
  %o.target = mul i64 %o, %size
  %o.rows = mul i64 %o, %count
  br label %row
row:
  %k = phi i64 [0, %part], [%k.next, %row.end]
  %index.ptr = getelementptr i64, ptr %indices, i64 %k
  %index = load i64, ptr %index.ptr
  %place = add i64 %o.target, %index
  %place.at = mul i64 %place, %inner
  %source = add i64 %o.rows, %k
  %source.at = mul i64 %source, %inner
  %to = getelementptr {ty}, ptr %target, i64 %place.at
  %from = getelementptr {ty}, ptr %rows, i64 %source.at
  br label %element
element:
  %i = phi i64 [0, %row], [%i.next, %element]
  %to.ptr = getelementptr {ty}, ptr %to, i64 %i
  %from.ptr = getelementptr {ty}, ptr %from, i64 %i
  %left = load {ty}, ptr %to.ptr
  %right = load {ty}, ptr %from.ptr
  %total = {add} {ty} %left, %right
  store {ty} %total, ptr %to.ptr
  %i.next = add nuw i64 %i, 1
  %i.more = icmp ult i64 %i.next, %inner
  br i1 %i.more, label %element, label %row.end
row.end:
  %k.next = add nuw i64 %k, 1
  %k.more = icmp ult i64 %k.next, %count
  br i1 %k.more, label %row, label %part.end
part.end:
  %o.next = add nuw i64 %o, 1
  %o.more = icmp ult i64 %o.next, %outer
  br i1 %o.more, label %part, label %done
done:
  ret void
}}
"""
