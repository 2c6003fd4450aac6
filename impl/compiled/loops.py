"""Loops over arrays, with a version for each way in which the operands lie, compiled when needed."""

from collections.abc import Callable, Sequence
from itertools import count
from math import prod
from struct import pack
from threading import Lock
from typing import Any

from ..blocks import PART, Work, over_blocks, over_cores
from ..dtypes import dtype
from . import compiler
from .code import Code, in_memory, load, number_of, store

DENSE, REPEATED, STRIDED = "dense", "repeated", "strided"

Body = Callable[..., str]
"""``body(code, *numbers)`` writes what computes the result's number, and returns its name."""

WORTH = 2**21
"""How many elements are computed without it before a kernel is compiled."""

SMALL = PART if compiler.MODE != "always" else 0
"""Arrays of up to so many elements are left to NumPy."""

_serial_numbers = count()


class Kernel:
    """What computes an element of ``output`` from one element of each input, compiled.

    The inputs' elements become numbers (`code.load`), and the number that the
    body computes becomes an element (`code.store`).  A kernel is `Work`
    for `blocks.over_cores`: an element of the result may lie where the inputs' one
    of the same index does; other overlaps are for the caller to avoid.

    With a ``start``, elements along the last axis become one: the body is also
    given what it computed last, at first the start.  Then ``out`` has a stride of 0 there.
    """

    def __init__(
        self, output: dtype, inputs: Sequence[dtype], body: Body, start: str | None = None
    ) -> None:
        self.operands = (output, *inputs)
        self.body = body
        self.start = start
        self._done = 0
        self._lock = Lock()
        self._functions: dict[tuple[str, ...], compiler.Function] = {}

    def is_wanted(self, size: int) -> bool:
        """Tell whether so many elements should be computed by the kernel, and count them if not."""
        if compiler.MODE == "never":
            return False
        if compiler.MODE == "auto" and self._done < WORTH:
            self._done += size
            return False
        return compiler.is_there()

    def __call__(self, out: Any, *inputs: Any) -> None:
        """Compute all elements of an array that has dimensions; the inputs have its shape or none."""
        arrays = (out, *inputs)
        shape = out.shape
        strides = [each.strides or (0,) * len(shape) for each in arrays]
        layouts = tuple(
            [
                DENSE if steps[-1] == each.itemsize else STRIDED if steps[-1] else REPEATED
                for each, steps in zip(arrays, strides, strict=True)
            ]
        )
        function = self._functions.get(layouts) or self._compile(layouts)
        numbers = [each.__array_interface__["data"][0] for each in arrays]
        numbers += shape
        for axis in range(len(shape)):
            numbers += [steps[axis] for steps in strides]
        geometry = pack(f"{len(numbers)}q", *numbers)
        function(geometry, len(shape) - 1, prod(shape[:-1]), shape[-1])

    def _compile(self, layouts: tuple[str, ...]) -> compiler.Function:
        with self._lock:
            if layouts not in self._functions:
                name = f"kernel{next(_serial_numbers)}"
                text = text_of(name, self.operands, layouts, self.body, self.start)
                self._functions[layouts] = compiler.compiled(text, name, 3)
            return self._functions[layouts]


def compute(kernel: Kernel | None, instead: Work, out: Any, *inputs: Any) -> None:
    """Compute a large array by a kernel, if it is worth compiling, or else by NumPy, on all cores.

    ``instead`` and the operands are as for `blocks.over_blocks`.
    """
    if kernel is not None and kernel.is_wanted(out.size):
        over_cores(kernel, out, *inputs)
    else:
        over_blocks(instead, out, *inputs)


def text_of(
    name: str,
    operands: Sequence[dtype],
    layouts: Sequence[str],
    body: Body,
    start: str | None = None,
) -> str:
    """Return LLVM's text of a kernel's function, for operands that lie in a way each; the result is first.

    It takes an array of integers, which are the addresses of the operands, the sizes of
    the axes, and for each axis the operands' strides in bytes; then how many axes
    there are before the last, how many runs along the last they make, and how
    long these are.
    """
    places = range(len(operands))
    before, inside = Code("before"), Code("inside")
    numbers = []
    for place in places[1:]:
        code = before if layouts[place] == REPEATED else inside
        where = _where(code, place, operands[place], layouts[place])
        element = code.add(f"load {in_memory(operands[place])}, ptr {where}, align 1{_PARALLEL}")
        numbers.append(load(code, operands[place], element))
    after, carried = Code("after"), ""
    if start is None:
        found, last = body(inside, *numbers), inside
    else:
        found, last = body(inside, "%total", *numbers), after
        carried = f"%total = phi {number_of(operands[0]).type} [{start}, %start], [{found}, %loop]"
    element = store(last, operands[0], found)
    where = _where(last, 0, operands[0], layouts[0])
    last.lines.append(f"store {in_memory(operands[0])} {element}, ptr {where}, align 1{_PARALLEL}")
    return _FUNCTION.format(
        name=name,
        bases=_each(
            places,
            "%base.at{k} = getelementptr i64, ptr %geometry, i64 {k}",
            "%base{k} = load ptr, ptr %base.at{k}",
        ),
        strides=_each(
            places,
            "%stride.at{k} = getelementptr i64, ptr %last, i64 {k}",
            "%stride{k} = load i64, ptr %stride.at{k}",
        ),
        operands=len(places),
        offsets=_each(places, "%offset{k} = phi i64 [0, %run], [%further{k}, %axis]"),
        further=_each(
            places,
            "%step.at{k} = getelementptr i64, ptr %row, i64 {k}",
            "%step{k} = load i64, ptr %step.at{k}",
            "%way{k} = mul i64 %index, %step{k}",
            "%further{k} = add i64 %offset{k}, %way{k}",
        ),
        starts=_each(places, "%start{k} = getelementptr i8, ptr %base{k}, i64 %offset{k}"),
        before="\n  ".join(before.lines),
        carried=carried,
        inside="\n  ".join(inside.lines),
        after="\n  ".join(after.lines),
    )


def _where(code: Code, place: int, value: dtype, layout: str) -> str:
    """Return the address of an operand's element."""
    start = f"%start{place}"
    if layout == REPEATED:
        return start
    if layout == DENSE:
        return code.add(f"getelementptr {in_memory(value)}, ptr {start}, i64 %i")
    offset = code.add(f"mul i64 %i, %stride{place}")
    return code.add(f"getelementptr i8, ptr {start}, i64 {offset}")


def _each(places: range, *lines: str) -> str:
    return "\n  ".join(line.format(k=place) for place in places for line in lines)


_PARALLEL = ", !llvm.access.group !1"

_FUNCTION = """\
define void @{name}(ptr %geometry, i64 %axes, i64 %runs, i64 %n) nounwind {{
entry:
  {bases}
  %sizes = getelementptr i64, ptr %geometry, i64 {operands}
  %steps.at = add i64 %axes, 1
  %steps = getelementptr i64, ptr %sizes, i64 %steps.at
  %last.at = mul i64 %axes, {operands}
  %last = getelementptr i64, ptr %steps, i64 %last.at
  {strides}
  br label %run
run:
  %r = phi i64 [0, %entry], [%r.next, %end]
  br label %axes.left
axes.left:
  %axis.above = phi i64 [%axes, %run], [%axis.at, %axis]
  %rest = phi i64 [%r, %run], [%rest.above, %axis]
  {offsets}
  %none = icmp eq i64 %axis.above, 0
  br i1 %none, label %start, label %axis
axis:
  %axis.at = sub i64 %axis.above, 1
  %size.at = getelementptr i64, ptr %sizes, i64 %axis.at
  %size = load i64, ptr %size.at
  %index = urem i64 %rest, %size
  %rest.above = udiv i64 %rest, %size
  %row.at = mul i64 %axis.at, {operands}
  %row = getelementptr i64, ptr %steps, i64 %row.at
  {further}
  br label %axes.left
start:
  {starts}
  {before}
  br label %loop
loop:
  %i = phi i64 [0, %start], [%i.next, %loop]
  {carried}
  {inside}
  %i.next = add nuw i64 %i, 1
  %i.more = icmp ult i64 %i.next, %n
  br i1 %i.more, label %loop, label %end, !llvm.loop !0
end:
  {after}
  %r.next = add nuw i64 %r, 1
  %r.more = icmp ult i64 %r.next, %runs
  br i1 %r.more, label %run, label %done
done:
  ret void
}}
!0 = distinct !{{!0, !2}}
!1 = distinct !{{}}
!2 = !{{!"llvm.loop.parallel_accesses", !1}}
"""
"""Runs along the last axis, each from the place that the axes before it give, which are counted up like digits."""
