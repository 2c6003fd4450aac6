"""Compiled loops over arrays, with one version for each combination of operand strides."""

from collections.abc import Callable, Sequence
from itertools import chain, count
from math import prod
from struct import pack
from threading import Lock
from typing import Any

from .._arrays.foreign_memory import address_of
from .._arrays.numpy_bridge import np
from .._arrays.parallel import BLOCK_ELEMENTS, Work, coalesce_operands, parallel_blocks
from .._dtypes.table import dtype
from .._runtime.lazy_import import LazyModule
from . import llvm
from .scalar_ir import IRBuilder, load, memory_type, opmath_type, store
from .thread_team import TEAM, Job

_ctypes: Any = LazyModule("ctypes")

DENSE, REPEATED, STRIDED = "dense", "repeated", "strided"

Body = Callable[..., str]
"""``body(code, *numbers)`` emits the computation of a result number, and returns its name."""

COMPILE_AFTER_ELEMENTS = 2**21
"""The number of elements that NumPy computes before a kernel is compiled."""

PART_BYTES = 2**20
"""The least number of bytes in a part for one core."""

NUMPY_MAX_ELEMENTS = BLOCK_ELEMENTS if llvm.MODE != "always" else 0
"""The largest number of elements that NumPy computes without a kernel."""

_TILE = 128
"""The number of elements of each run in a tile, if an operand is strided."""

_MAX_JOBS = 256
"""The largest number of geometries in a kernel's cache of jobs."""

Ints = tuple[int, ...]

_serial_numbers = count()


class Kernel:
    """A compiled function from one element of each input to an element of ``output``.

    `load` decodes the elements of the inputs, and `store` encodes the result of ``body``.
    A kernel is `Work` for `parallel_blocks`.  An input may share its memory with ``out`` element by
    element; the caller excludes other overlaps.

    With ``start`` the kernel reduces the last axis, and ``out`` has stride 0 there.  The first
    argument of ``body`` is then its last result, initially ``start``.
    """

    def __init__(
        self, output: dtype, inputs: Sequence[dtype], body: Body, start: str | None = None
    ) -> None:
        self.operands = (output, *inputs)
        self.body = body
        self.start = start
        self._elements_done = 0
        self._lock = Lock()
        self._functions: dict[tuple[str, ...], llvm.Function] = {}
        self._jobs: dict[tuple[tuple[Ints, Ints], ...], tuple[Job, bytes]] = {}

    def is_wanted(self, size: int) -> bool:
        """Return whether to compute ``size`` elements by the kernel; if not, count them."""
        if llvm.MODE == "never":
            return False
        if llvm.MODE == "auto" and self._elements_done < COMPILE_AFTER_ELEMENTS:
            self._elements_done += size
            return False
        return llvm.is_available()

    def is_for(self, size: int, min_size: int) -> bool:
        """Return whether the kernel computes ``size`` elements, independently of earlier calls.

        Sums need this: NumPy adds in another order, so its results differ.
        """
        is_enabled = llvm.MODE == "always" or (llvm.MODE == "auto" and size >= min_size)
        return is_enabled and llvm.is_available()

    def __call__(self, out: Any, *inputs: Any) -> None:
        """Compute all elements of an array that is not 0-d; inputs have its shape or are 0-d."""
        arrays, shape = (out, *inputs), out.shape
        job, geometry = self._job(shape, [array.strides or (0,) * len(shape) for array in arrays])
        job.do_alone(addresses(arrays) + geometry)

    def over_cores(self, out: Any, *inputs: Any) -> None:
        """Compute all elements on all cores; the inputs broadcast to the shape of ``out``."""
        # NumPy scalars have no stable address.
        arrays = (out, *map(np.asarray, inputs))
        geometries = tuple([(array.shape, array.strides) for array in arrays])
        job, geometry = self._jobs.get(geometries) or self._coalesced_job(geometries)
        if out.size:
            TEAM.do(job, addresses(arrays) + geometry)

    def _coalesced_job(self, geometries: tuple[tuple[Ints, Ints], ...]) -> tuple[Job, bytes]:
        result = self._job(*coalesce_operands(geometries))
        if len(self._jobs) >= _MAX_JOBS:
            self._jobs.clear()
        self._jobs[geometries] = result
        return result

    def _job(self, shape: Sequence[int], strides: Sequence[Sequence[int]]) -> tuple[Job, bytes]:
        """Return the job for arrays of these sizes and strides, and its packed geometry."""
        layouts = tuple(
            [
                DENSE if steps[-1] == dtype.itemsize else STRIDED if steps[-1] else REPEATED
                for dtype, steps in zip(self.operands, strides, strict=True)
            ]
        )
        function = self._functions.get(layouts) or self._compile(layouts)
        runs, n = prod(shape[:-1]), shape[-1]
        nbytes = sum(
            dtype.itemsize
            for dtype, steps in zip(self.operands, strides, strict=True)
            if any(steps)
        )
        parts = min(runs * n * nbytes // PART_BYTES, max(runs, n))
        tile = _TILE if STRIDED in layouts and runs > 1 else n
        geometry = [*shape, *chain.from_iterable(zip(*strides, strict=True))]
        job = Job(function, len(shape) - 1, runs, n, parts, runs >= parts, tile)
        return job, pack(f"{len(geometry)}q", *geometry)

    def _compile(self, layouts: tuple[str, ...]) -> llvm.Function:
        with self._lock:
            if layouts not in self._functions:
                name = f"kernel{next(_serial_numbers)}"
                text = text_of(name, self.operands, layouts, self.body, self.start)
                [self._functions[layouts]] = llvm.compile_functions(text, {name: "-biiiii"})
            return self._functions[layouts]


def addresses(arrays: Sequence[Any]) -> bytes:
    """Return the packed data pointers of arrays."""
    return pack(f"{len(arrays)}q", *map(fast_address, arrays))


def fast_address(array: Any) -> int:
    """Return the address of the first element of an array."""
    try:
        # This takes a fifth of the time, but works for writable contiguous memory only.
        return _ctypes.addressof(_ctypes.c_char.from_buffer(array))  # type: ignore[no-any-return]
    except (TypeError, ValueError, BufferError):
        return address_of(array)


def run_kernel(kernel: Kernel | None, fallback: Work, out: Any, *inputs: Any) -> None:
    """Compute a large array on all cores: by the kernel if it is worth compiling, else by NumPy.

    ``fallback`` and the operands are those of `parallel_blocks`.
    """
    if kernel is not None and kernel.is_wanted(out.size):
        kernel.over_cores(out, *inputs)
    else:
        parallel_blocks(fallback, out, *inputs)


def text_of(
    name: str,
    operands: Sequence[dtype],
    layouts: Sequence[str],
    body: Body,
    start: str | None = None,
) -> str:
    """Return the LLVM IR of a kernel for one layout of each operand; the result is the first.

    Its first parameter is an array of integers: the addresses of the operands, the sizes of the
    axes, and for each axis the operands' strides in bytes.  The others are the number of axes
    before the last, the range of runs along the last axis, and the range of elements in each run.
    """
    indices = range(len(operands))
    before, inside = IRBuilder("before"), IRBuilder("inside")
    numbers = []
    for index in indices[1:]:
        code = before if layouts[index] == REPEATED else inside
        ptr = _element_ptr(code, index, operands[index], layouts[index])
        element = code.add(f"load {memory_type(operands[index])}, ptr {ptr}, align 1{_PARALLEL}")
        numbers.append(load(code, operands[index], element))
    after, carried = IRBuilder("after"), ""
    if start is None:
        value, last = body(inside, *numbers), inside
    else:
        value, last = body(inside, "%total", *numbers), after
        ty = opmath_type(operands[0]).type
        carried = f"%total = phi {ty} [{start}, %start], [{value}, %loop]"
    element = store(last, operands[0], value)
    ptr = _element_ptr(last, 0, operands[0], layouts[0])
    last.lines.append(f"store {memory_type(operands[0])} {element}, ptr {ptr}, align 1{_PARALLEL}")
    return _FUNCTION.format(
        name=name,
        bases=_for_each(
            indices,
            "%base.at{k} = getelementptr i64, ptr %geometry, i64 {k}",
            "%base{k} = load ptr, ptr %base.at{k}",
        ),
        strides=_for_each(
            indices,
            "%stride.at{k} = getelementptr i64, ptr %last, i64 {k}",
            "%stride{k} = load i64, ptr %stride.at{k}",
        ),
        operands=len(indices),
        offsets=_for_each(indices, "%offset{k} = phi i64 [0, %run], [%further{k}, %axis]"),
        further=_for_each(
            indices,
            "%step.at{k} = getelementptr i64, ptr %row, i64 {k}",
            "%step{k} = load i64, ptr %step.at{k}",
            "%way{k} = mul i64 %index, %step{k}",
            "%further{k} = add i64 %offset{k}, %way{k}",
        ),
        starts=_for_each(indices, "%start{k} = getelementptr i8, ptr %base{k}, i64 %offset{k}"),
        before="\n  ".join(before.lines),
        carried=carried,
        inside="\n  ".join(inside.lines),
        after="\n  ".join(after.lines),
    )


def _element_ptr(code: IRBuilder, index: int, dtype: dtype, layout: str) -> str:
    start = f"%start{index}"
    if layout == REPEATED:
        return start
    if layout == DENSE:
        return code.add(f"getelementptr {memory_type(dtype)}, ptr {start}, i64 %i")
    offset = code.add(f"mul i64 %i, %stride{index}")
    return code.add(f"getelementptr i8, ptr {start}, i64 {offset}")


def _for_each(indices: range, *lines: str) -> str:
    return "\n  ".join(line.format(k=index) for index in indices for line in lines)


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
"""A loop over runs along the last axis; the indices of the other axes give the start of a run."""
