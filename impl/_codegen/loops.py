"""Loops over arrays, with a version for each way in which the operands lie, compiled when needed."""

from collections.abc import Callable, Sequence
from itertools import chain, count
from math import prod
from struct import pack
from threading import Lock
from typing import Any

from .._arrays.numpy_bridge import np
from .._arrays.parallel import PART, Work, joined, parallel_blocks
from .._dtypes.table import dtype
from .._runtime.lazy_import import LazyModule
from . import llvm
from .scalar_ir import Code, in_memory, load, number_of, store
from .thread_team import TEAM, Job

_ctypes: Any = LazyModule("ctypes")

DENSE, REPEATED, STRIDED = "dense", "repeated", "strided"

Body = Callable[..., str]
"""``body(code, *numbers)`` writes what computes the result's number, and returns its name."""

COMPILE_AFTER_ELEMENTS = 2**21
"""How many elements are computed without it before a kernel is compiled."""

PART_BYTES = 2**20
"""How many bytes a part goes through at least that a core is given."""

SMALL = PART if llvm.MODE != "always" else 0
"""Arrays of up to so many elements are left to NumPy."""

_TILE = 128
"""How many elements of several runs are worked on together where some do not lie in a row."""

_KEPT = 256
"""How many ways to lie a kernel keeps in mind."""

Ints = tuple[int, ...]

_serial_numbers = count()


class Kernel:
    """What computes an element of ``output`` from one element of each input, compiled.

    The inputs' elements become numbers (`code.load`), and the number that the
    body computes becomes an element (`code.store`).  A kernel is `Work`
    for `blocks.over_places`: an element of the result may lie where the inputs' one
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
        self._functions: dict[tuple[str, ...], llvm.Function] = {}
        self._jobs: dict[tuple[tuple[Ints, Ints], ...], tuple[Job, bytes]] = {}

    def is_wanted(self, size: int) -> bool:
        """Tell whether so many elements should be computed by the kernel, and count them if not."""
        if llvm.MODE == "never":
            return False
        if llvm.MODE == "auto" and self._done < COMPILE_AFTER_ELEMENTS:
            self._done += size
            return False
        return llvm.is_there()

    def is_for(self, size: int, least: int) -> bool:
        """Tell whether so many elements are computed by the kernel, which depends on nothing that was done before.

        So it has to be where NumPy's answer is another one, as that of a sum is, by the order of its elements.
        """
        wanted = llvm.MODE == "always" or (llvm.MODE == "auto" and size >= least)
        return wanted and llvm.is_there()

    def __call__(self, out: Any, *inputs: Any) -> None:
        """Compute all elements of an array that has dimensions; the inputs have its shape or none."""
        arrays, shape = (out, *inputs), out.shape
        job, geometry = self._job(shape, [each.strides or (0,) * len(shape) for each in arrays])
        job.do_alone(addresses(arrays) + geometry)

    def over_cores(self, out: Any, *inputs: Any) -> None:
        """Compute all elements, on all cores; the inputs have the array's shape or broadcast to it."""
        # NumPy's scalars have no address that lasts.
        arrays = (out, *map(np.asarray, inputs))
        lying = tuple([(each.shape, each.strides) for each in arrays])
        job, geometry = self._jobs.get(lying) or self._simplified(lying)
        if out.size:
            TEAM.do(job, addresses(arrays) + geometry)

    def _simplified(self, lying: tuple[tuple[Ints, Ints], ...]) -> tuple[Job, bytes]:
        """Return what is to be done for arrays of these shapes and strides, with as few axes as there can be."""
        shape = lying[0][0]
        spread = [
            [0] * (len(shape) - len(sizes))
            + [step if size > 1 else 0 for size, step in zip(sizes, steps, strict=True)]
            for sizes, steps in lying
        ]
        sizes, strides = joined(shape, spread)
        found = self._job(sizes, strides) if sizes else self._job([1], [[0]] * len(strides))
        if len(self._jobs) >= _KEPT:
            self._jobs.clear()
        self._jobs[lying] = found
        return found

    def _job(self, shape: Sequence[int], strides: Sequence[Sequence[int]]) -> tuple[Job, bytes]:
        """Return what is to be done for arrays of a shape with these strides, which it is told in bytes."""
        layouts = tuple(
            [
                DENSE if steps[-1] == each.itemsize else STRIDED if steps[-1] else REPEATED
                for each, steps in zip(self.operands, strides, strict=True)
            ]
        )
        function = self._functions.get(layouts) or self._compile(layouts)
        runs, n = prod(shape[:-1]), shape[-1]
        width = sum(
            each.itemsize for each, steps in zip(self.operands, strides, strict=True) if any(steps)
        )
        parts = min(runs * n * width // PART_BYTES, max(runs, n))
        tile = _TILE if STRIDED in layouts and runs > 1 else n
        numbers = [*shape, *chain.from_iterable(zip(*strides, strict=True))]
        job = Job(function, len(shape) - 1, runs, n, parts, runs >= parts, tile)
        return job, pack(f"{len(numbers)}q", *numbers)

    def _compile(self, layouts: tuple[str, ...]) -> llvm.Function:
        with self._lock:
            if layouts not in self._functions:
                name = f"kernel{next(_serial_numbers)}"
                text = text_of(name, self.operands, layouts, self.body, self.start)
                [self._functions[layouts]] = llvm.compiled(text, {name: "-biiiii"})
            return self._functions[layouts]


def addresses(arrays: Sequence[Any]) -> bytes:
    """Return the places of the first elements of arrays, as a kernel is told them."""
    return pack(f"{len(arrays)}q", *map(_address, arrays))


def _address(array: Any) -> int:
    try:
        # This takes a fifth of the time, but only of memory that may be written, without gaps.
        return _ctypes.addressof(_ctypes.c_char.from_buffer(array))  # type: ignore[no-any-return]
    except (TypeError, ValueError, BufferError):
        return array.__array_interface__["data"][0]  # type: ignore[no-any-return]


def compute(kernel: Kernel | None, instead: Work, out: Any, *inputs: Any) -> None:
    """Compute a large array by a kernel, if it is worth compiling, or else by NumPy, on all cores.

    ``instead`` and the operands are as for `blocks.over_blocks`.
    """
    if kernel is not None and kernel.is_wanted(out.size):
        kernel.over_cores(out, *inputs)
    else:
        parallel_blocks(instead, out, *inputs)


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
    there are before the last; and the first and the end of the runs along the last one, and
    of the elements in each.
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


def _where(code: Code, index: int, dtype: dtype, layout: str) -> str:
    """Return the address of an operand's element."""
    start = f"%start{index}"
    if layout == REPEATED:
        return start
    if layout == DENSE:
        return code.add(f"getelementptr {in_memory(dtype)}, ptr {start}, i64 %i")
    offset = code.add(f"mul i64 %i, %stride{index}")
    return code.add(f"getelementptr i8, ptr {start}, i64 {offset}")


def _each(places: range, *lines: str) -> str:
    return "\n  ".join(line.format(k=place) for place in places for line in lines)


_PARALLEL = ", !llvm.access.group !1"

_FUNCTION = """\
define void @{name}(ptr %geometry, i64 %axes, i64 %first, i64 %runs, i64 %from, i64 %n) nounwind {{
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
  %r = phi i64 [%first, %entry], [%r.next, %end]
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
  %i = phi i64 [%from, %start], [%i.next, %loop]
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
