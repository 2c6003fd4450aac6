"""Compiled binary searches of values in rows of numbers."""

from functools import cache
from itertools import count
from typing import Any

from .._arrays.numpy_bridge import np
from .loops import fast_address
from .routine import Routine

_CALL_NS, _STEP_NS = 4000, 25
"""The time that NumPy takes for a halving of a row, and for an element in it."""

_TYPES = {
    "b": ("i8", "icmp s"), "B": ("i8", "icmp u"), "h": ("i16", "icmp s"), "i": ("i32", "icmp s"),
    "l": ("i64", "icmp s"), "q": ("i64", "icmp s"), "f": ("float", "fcmp o"),
    "d": ("double", "fcmp o"), "e": ("half", "fcmp o"),
}  # fmt: skip
"""The LLVM type of elements, and the prefix of comparisons, by NumPy's letter."""

_numbers = count()


def places(rows: Any, values: Any, *, right: bool) -> Any:
    """Return the places of contiguous values in contiguous rows; None if NumPy searches.

    One row is for all values.
    """
    letter = rows.dtype.char
    if letter not in _TYPES or not (rows.flags.c_contiguous and values.flags.c_contiguous):
        return None
    size = rows.shape[-1]
    halvings = size.bit_length()
    name, routine = _routine(letter, right)
    find = routine.wanted(halvings * (_CALL_NS + _STEP_NS * values.size)).get(name)
    if find is None:
        return None
    result = np.empty(values.shape, np.int64)
    if values.size:
        per_row = values.size // len(rows)
        addresses = map(fast_address, (rows, values, result))
        find(*addresses, len(rows), size, per_row)
    return result


@cache
def _routine(letter: str, right: bool) -> tuple[str, Routine]:
    ty, prefix = _TYPES[letter]
    name = f"search{next(_numbers)}"
    # Of a NaN neither holds, so that the search goes on to the right.
    condition = f"{prefix}{'gt' if right else 'ge'} {ty} %element, %wanted"
    text = _TEXT.format(name=name, ty=ty, condition=condition)
    return name, Routine(lambda: text, {name: "-pppiii"})


_TEXT = """\
define void @{name}(ptr %rows, ptr %values, ptr %out, i64 %count, i64 %size, i64 %n) nounwind {{
entry:
  br label %row
row:
  %r = phi i64 [0, %entry], [%r.next, %row.end]
  %skipped = mul i64 %r, %size
  %row.ptr = getelementptr {ty}, ptr %rows, i64 %skipped
  %first = mul i64 %r, %n
  %last = add i64 %first, %n
  br label %value
value:
  %i = phi i64 [%first, %row], [%i.next, %place]
  %value.ptr = getelementptr {ty}, ptr %values, i64 %i
  %wanted = load {ty}, ptr %value.ptr
  br label %search
search:
  %start = phi i64 [0, %value], [%start.next, %halve]
  %end = phi i64 [%size, %value], [%end.next, %halve]
  %open = icmp slt i64 %start, %end
  br i1 %open, label %halve, label %place
halve:
  %sum = add i64 %start, %end
  %middle = lshr i64 %sum, 1
  %after = add i64 %middle, 1
  %found.ptr = getelementptr {ty}, ptr %row.ptr, i64 %middle
  %element = load {ty}, ptr %found.ptr
  %is.before = {condition}
  %start.next = select i1 %is.before, i64 %start, i64 %after
  %end.next = select i1 %is.before, i64 %middle, i64 %end
  br label %search
place:
  %out.ptr = getelementptr i64, ptr %out, i64 %i
  store i64 %start, ptr %out.ptr
  %i.next = add i64 %i, 1
  %more.values = icmp slt i64 %i.next, %last
  br i1 %more.values, label %value, label %row.end
row.end:
  %r.next = add i64 %r, 1
  %more.rows = icmp slt i64 %r.next, %count
  br i1 %more.rows, label %row, label %done
done:
  ret void
}}
"""
