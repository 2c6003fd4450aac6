"""Work on large arrays, part by part: a part fits into the cache, and all cores take parts.

NumPy's functions let other threads run while they compute, so threads are
enough.  They are started when a large array is first worked on.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextvars import Context, copy_context
from itertools import product
from threading import Lock, Thread
from typing import Any

from .._runtime.lazy_import import LazyModule
from .numpy_bridge import np

_queues: Any = LazyModule("queue")

PART = 2**16
"""How many elements a part has at most: more would leave the cache, fewer keep threads waiting."""

LONG = 2**20
"""How many elements a part has at most that is gone through once: handing parts out costs more than the cache gives."""

Work = Callable[..., None]


def parallel_blocks(work: Work, out: Any, *inputs: Any, part: int = PART) -> None:
    """Call ``work(out_part, *input_parts)`` until every part of ``out`` is done, on all cores.

    The inputs have out's shape or broadcast to it; those without dimensions
    are passed whole.  Arrays of up to ``part`` elements are passed as they
    are, by the thread that asks.  A part may have another number of dimensions than
    the whole, and any strides, so ``work`` does each element for itself.  It
    runs in several threads at once, without floating-point warnings.  What it
    raises is raised here.
    """
    if out.size <= part:
        quietly(work, out, *inputs)
        return
    whole = [_spread(each, out.shape) if each.ndim else each for each in inputs]
    operands = _simplified([out, *whole])

    def work_on(*key: Any) -> None:
        work(*[each[key] if each.ndim else each for each in operands])

    over_places(work_on, list(parts_of(operands[0].shape, part)))


def _spread(array: Any, shape: tuple[int, ...]) -> Any:
    return array if array.shape == shape else np.broadcast_to(array, shape)


def over_places(work: Work, places: list[tuple[Any, ...]]) -> None:
    """Call ``work(*place)`` for every place, on all cores; it is for each place by itself.

    It runs in several threads at once, without floating-point warnings.  What
    it raises is raised here.
    """
    job = _Job(work, places)
    helpers = POOL.helpers()
    for _ in range(min(helpers, job.pending - 1)):
        POOL.jobs.put(job)
    job.take_parts()
    job.finished.acquire()
    if job.error is not None:
        raise job.error


def quietly(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function without floating-point warnings, in a fraction of what `np.errstate` costs."""
    try:
        context = QUIET.pop()
    except IndexError:
        context = copy_context()
        context.run(np.seterr, all="ignore")
    try:
        return context.run(function, *arguments)
    finally:
        QUIET.append(context)


QUIET: list[Context] = []
"""Contexts in which NumPy gives no warnings; one that is entered is not in the list."""


class _Job:
    """Work, and the places that it is still to be done for; threads take them one by one."""

    def __init__(self, work: Work, places: list[tuple[Any, ...]]) -> None:
        self.work = work
        self.places = iter(places)  # the next one goes to one thread alone
        self.pending = len(places)
        self.error: BaseException | None = None
        self.lock, self.finished = Lock(), Lock()
        self.finished.acquire()

    def take_parts(self) -> None:
        """Do the work until no place is left; after an error, only count them."""
        done = 0
        for place in self.places:
            done += 1
            try:
                if self.error is None:
                    quietly(self.work, *place)
            except BaseException as error:  # noqa: BLE001 - it is raised where the job was made
                self.error = error
        with self.lock:
            self.pending -= done
            if done and not self.pending:
                self.finished.release()


class _Pool:
    """Threads that help with jobs: one for each core but the caller's, when first needed."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.jobs: Any = None
        self.count = 0

    def helpers(self) -> int:
        """Return how many threads wait for jobs, after starting them if there are none yet."""
        if self.jobs is None:
            with self.lock:
                if self.jobs is None:
                    self._start()
        return self.count

    def _start(self) -> None:
        jobs = _queues.SimpleQueue()
        try:
            for _ in range(_cores() - 1):
                Thread(target=_help, args=(jobs,), name="impl.blocks", daemon=True).start()
                self.count += 1
        except RuntimeError:
            pass  # no more threads can be started; those that there are will do
        self.jobs = jobs


def _help(jobs: Any) -> None:
    while True:
        jobs.get().take_parts()


def _cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)  # not on every system
    return len(affinity(0)) if affinity else os.cpu_count() or 1


POOL = _Pool()

if hasattr(os, "register_at_fork"):
    # A fork has none of the threads, and may have copied a lock that is held.
    os.register_at_fork(after_in_child=lambda: POOL.__init__())  # type: ignore[misc]


def _simplified(operands: list[Any]) -> list[Any]:
    """Order the axes as they lie in the first operand's memory, and join those that are one run."""
    arrays = [each for each in operands if each.ndim]
    if all(each.flags.c_contiguous for each in arrays):
        return [each.reshape(-1) if each.ndim else each for each in operands]
    shape, strides = joined(arrays[0].shape, [each.strides for each in arrays])
    lay = np.lib.stride_tricks.as_strided
    laid = iter([lay(each, shape, steps) for each, steps in zip(arrays, strides, strict=True)])
    return [next(laid) if each.ndim else each for each in operands]


def joined(
    shape: Sequence[int], strides: Sequence[Sequence[int]]
) -> tuple[list[int], list[list[int]]]:
    """Return the shape and the strides of several operands so, that have the same shape."""
    order = sorted((axis for axis, size in enumerate(shape) if size != 1),
                   key=lambda axis: -abs(strides[0][axis]))  # fmt: skip
    sizes: list[int] = []
    ways: list[list[int]] = [[] for _ in strides]
    for axis in order:
        size, steps = shape[axis], [each[axis] for each in strides]
        if sizes and all(way[-1] == step * size for way, step in zip(ways, steps, strict=True)):
            sizes[-1] *= size
            for way, step in zip(ways, steps, strict=True):
                way[-1] = step
            continue
        sizes.append(size)
        for way, step in zip(ways, steps, strict=True):
            way.append(step)
    return sizes, ways


def parts_of(shape: tuple[int, ...], part: int) -> Iterator[tuple[Any, ...]]:
    """Return the keys of parts of up to a size: one axis is cut evenly, those before it are gone through."""
    inner, axis = 1, len(shape)
    while axis and inner * shape[axis - 1] <= part:
        axis -= 1
        inner *= shape[axis]
    if not axis:
        return iter([()])
    size = shape[axis - 1]
    step = -(-size // -(-size // max(1, part // inner)))
    cuts = [slice(start, start + step) for start in range(0, size, step)]
    return product(*map(range, shape[: axis - 1]), cuts)
