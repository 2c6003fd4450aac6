"""Parallel work on blocks of large arrays; a block fits into the cache.

NumPy's functions release the GIL while they compute, so threads are enough.
They are started for the first large array.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from contextvars import Context, copy_context
from itertools import product
from threading import Lock, Thread
from typing import Any

from .._runtime.lazy_import import LazyModule
from .numpy_bridge import np

_queues: Any = LazyModule("queue")

BLOCK_ELEMENTS = 2**16
"""The most elements of a block: more exceed the cache, fewer keep threads waiting."""

STREAMED_BLOCK_ELEMENTS = 2**20
"""The most elements of a block that is read once, where the cache gains less than threads cost."""

GRAIN_SIZE = 2**15
"""The number of elements from which torch's kernels share work (at::internal::GRAIN_SIZE)."""

Work = Callable[..., None]
Coalesced = tuple[list[int], list[list[int]]]


def parallel_blocks(work: Work, out: Any, *inputs: Any, part: int = BLOCK_ELEMENTS) -> None:
    """Call ``work(out_block, *input_blocks)`` for every block of ``out``, on all cores.

    The inputs have the shape of ``out`` or broadcast to it.  Inputs without dimensions
    are passed whole.  Arrays of up to ``part`` elements are passed unchanged, by the
    calling thread.  The number of dimensions and the strides of a block may differ from
    the array's, so ``work`` must be elementwise.  It runs in several threads at once,
    without floating-point warnings.  An exception of ``work`` is raised here.
    """
    if out.size <= part:
        without_fp_warnings(work, out, *inputs)
        return
    expanded = [
        array if array.shape in ((), out.shape) else np.broadcast_to(array, out.shape)
        for array in inputs
    ]
    operands = _coalesce_dims([out, *expanded])

    def work_on(*key: Any) -> None:
        work(*[array[key] if array.ndim else array for array in operands])

    parallel_for(work_on, list(block_keys(operands[0].shape, part)))


def parallel_for(work: Work, keys: list[tuple[Any, ...]]) -> None:
    """Call ``work(*key)`` for every key, on all cores.

    The calls are independent.  They run in several threads at once, without
    floating-point warnings.  An exception of ``work`` is raised here.
    """
    job = _Job(work, keys)
    for _ in range(min(POOL.helpers(), job.pending - 1)):
        POOL.jobs.put(job)
    job.take_parts()
    job.finished.acquire()
    if job.error is not None:
        raise job.error


def without_fp_warnings(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
    """Call a function without floating-point warnings, much faster than `np.errstate` does."""
    try:
        context = QUIET_CONTEXTS.pop()
    except IndexError:
        context = quiet_context()
    try:
        return context.run(function, *arguments, **keywords)
    finally:
        QUIET_CONTEXTS.append(context)


def quiet_context() -> Context:
    """Return a new context in which NumPy gives no warnings."""
    context = copy_context()
    context.run(np.seterr, all="ignore")
    return context


QUIET_CONTEXTS: list[Context] = []
"""Contexts in which NumPy gives no warnings; an entered context is not in the list."""


class _Job:
    """Work and the remaining keys, which threads take one by one."""

    def __init__(self, work: Work, keys: list[tuple[Any, ...]]) -> None:
        self.work = work
        self.keys = iter(keys)  # each key goes to one thread
        self.pending = len(keys)
        self.error: BaseException | None = None
        self.lock, self.finished = Lock(), Lock()
        self.finished.acquire()

    def take_parts(self) -> None:
        """Do the work for the remaining keys; after an error, only count them."""
        done = 0
        for key in self.keys:
            done += 1
            try:
                if self.error is None:
                    without_fp_warnings(self.work, *key)
            except BaseException as error:  # noqa: BLE001 - `parallel_for` raises it
                self.error = error
        with self.lock:
            self.pending -= done
            if done and not self.pending:
                self.finished.release()


class _Pool:
    """Helper threads for jobs: one per core except the caller's, started on first use.

    limit: the most threads of a job, with the caller's; 0 for one per core
    """

    limit = 0

    def __init__(self) -> None:
        self.lock = Lock()
        self.jobs: Any = None
        self.count = 0

    def helpers(self) -> int:
        """Return the number of helper threads of a job; start them on the first call."""
        if self.jobs is None:
            with self.lock:
                if self.jobs is None:
                    self._start()
        return min(self.count, self.limit - 1) if self.limit else self.count

    def _start(self) -> None:
        jobs = _queues.SimpleQueue()
        # If no more threads can be started, use the ones that run.
        with suppress(RuntimeError):
            for _ in range(usable_cores() - 1):
                Thread(target=_help, args=(jobs,), name="impl.parallel", daemon=True).start()
                self.count += 1
        self.jobs = jobs


def _help(jobs: Any) -> None:
    while True:
        jobs.get().take_parts()


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # not on every system
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _limit_of_environment() -> int:
    """Return the number of threads that the environment asks for, or 0 (MKL, then OpenMP).

    MKL starts no more threads than there are cores.
    """
    texts = (os.environ.get(name, "") for name in ("MKL_NUM_THREADS", "OMP_NUM_THREADS"))
    number = next((int(text) for text in texts if text.isdecimal() and int(text)), 0)
    return min(number, usable_cores())


POOL = _Pool()
POOL.limit = _limit_of_environment()

if hasattr(os, "register_at_fork"):
    # A fork has none of the threads, and may have copied a locked lock.
    os.register_at_fork(after_in_child=lambda: POOL.__init__())  # type: ignore[misc]


def _coalesce_dims(operands: list[Any]) -> list[Any]:
    """Reorder dimensions by the first operand's strides, and coalesce them (TensorIterator)."""
    arrays = [array for array in operands if array.ndim]
    if all(array.flags.c_contiguous for array in arrays):
        return [array.reshape(-1) if array.ndim else array for array in operands]
    shape, strides = coalesce_dimensions(arrays[0].shape, [array.strides for array in arrays])
    as_strided = np.lib.stride_tricks.as_strided
    views = map(as_strided, arrays, [shape] * len(arrays), strides)
    return [next(views) if array.ndim else array for array in operands]


def coalesce_dimensions(
    shape: Sequence[int], strides: Sequence[Sequence[int]], order: Iterable[int] | None = None
) -> Coalesced:
    """Return the sizes, and the strides of each operand, of coalesced dimensions.

    ``order`` has the dimensions, by default all of them, ordered by the first operand's strides.
    """
    if order is None:
        order = sorted(range(len(shape)), key=lambda dim: -abs(strides[0][dim]))
    sizes: list[int] = []
    merged: list[list[int]] = [[] for _ in strides]
    for dim in order:
        size = shape[dim]
        if size == 1:
            continue
        pairs = [(result, operand[dim]) for result, operand in zip(merged, strides, strict=True)]
        if sizes and all(result[-1] == step * size for result, step in pairs):
            size *= sizes.pop()
            for result in merged:
                result.pop()
        sizes.append(size)
        for result, step in pairs:
            result.append(step)
    return sizes, merged


def coalesce_operands(geometries: Sequence[tuple[Sequence[int], Sequence[int]]]) -> Coalesced:
    """Return the coalesced dimensions, at least one, of operands that broadcast to the first.

    ``geometries`` has the shape and the strides of each operand.
    """
    shape = geometries[0][0]
    broadcast = [
        [0] * (len(shape) - len(sizes))
        + [step if size > 1 else 0 for size, step in zip(sizes, steps, strict=True)]
        for sizes, steps in geometries
    ]
    sizes, strides = coalesce_dimensions(shape, broadcast)
    return (sizes, strides) if sizes else ([1], [[0]] * len(geometries))


def block_keys(shape: tuple[int, ...], part: int) -> Iterator[tuple[Any, ...]]:
    """Return the keys of blocks of at most ``part`` elements, with one dimension cut evenly."""
    inner, dim = 1, len(shape)
    while dim and inner * shape[dim - 1] <= part:
        dim -= 1
        inner *= shape[dim]
    if not dim:
        return iter([()])
    size = shape[dim - 1]
    step = -(-size // -(-size // max(1, part // inner)))
    cuts = [slice(start, start + step) for start in range(0, size, step)]
    return product(*map(range, shape[: dim - 1]), cuts)
