"""A thread team that runs compiled functions on all cores, scheduled by compiled code.

To wake a thread takes as long as to add a hundred thousand numbers.  So a helper spins for a short
time after its work, without the GIL, before it sleeps, as OpenMP's threads do.
"""

import os
from struct import pack
from threading import Lock
from time import perf_counter
from typing import Any, NamedTuple

from .._arrays.parallel import POOL
from .._runtime.lazy_import import LazyModule
from . import llvm

_ctypes: Any = LazyModule("ctypes")

PATIENCE = 0.0002
"""The seconds for which a helper spins."""

_SHARES = 64
"""The largest number of shares of the parts; each thread begins with its own share."""

_AWAKE, _WORDS = 16, 32 + 8 * _SHARES
"""The index of the word that counts awake helpers, and the number of words of a post."""


class Job(NamedTuple):
    """A kernel's function (`loops.text_of`), its arguments and its partition.

    axes: the number of axes before the last; runs, n: the number of runs, of elements in each
    parts, cuts_runs: the number of parts, and whether a part is a range of runs or of every run
    tile: the number of elements of each run that are computed together
    """

    function: llvm.Function
    axes: int
    runs: int
    n: int
    parts: int
    cuts_runs: bool
    tile: int

    def do_alone(self, geometry: bytes) -> None:
        self.function.call(geometry, self.axes, 0, self.runs, 0, self.n)


class Team:
    """The helper threads of `parallel.POOL`, and the post with their current job."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._post: _Post | None = None

    def do(self, job: Job, geometry: bytes) -> None:
        """Do a job on all cores; in this thread alone if it is small or the team is busy."""
        helpers = min(POOL.helpers(), job.parts - 1)
        if helpers <= 0 or not self._lock.acquire(blocking=False):
            job.do_alone(geometry)
            return
        try:
            if self._post is None:
                self._post = _Post()
            for _ in range(helpers - self._post.awake()):
                POOL.jobs.put(self._post)
            self._post.lead(job, geometry, min(helpers + 1, _SHARES))
        finally:
            self._lock.release()


class _Post:
    """The shared memory of the current job, and the compiled functions that work on it.

    A post is itself a job for `parallel.POOL`: to help with posted jobs.
    """

    def __init__(self) -> None:
        self._memory = _ctypes.create_string_buffer(8 * _WORDS)
        self._awake_count = _ctypes.c_int64.from_buffer(self._memory, 8 * _AWAKE)
        self._jobs = 0
        fields = enumerate((*Job._fields, "shares"))
        words = {
            "shares": _SHARES,
            "fields": "\n  ".join(f"%{name} = extractvalue %job %job, {k}" for k, name in fields),
            "pause": "pause" if llvm.is_x86() else "yield",
            "let_others": "call i32 @sched_yield()" if os.name == "posix" else "add i32 0, 0",
        }
        functions = llvm.compile_functions(_TEXT.format(**words), _SIGNATURES)
        self._lead, self._help = [function.call for function in functions]
        spins = 1000
        start = perf_counter()
        self._help(self._memory, spins)
        self._patience = max(1, int(spins * PATIENCE / (perf_counter() - start)))

    def awake(self) -> int:
        """Return the number of helpers that watch the post."""
        return self._awake_count.value  # type: ignore[no-any-return]

    def lead(self, job: Job, geometry: bytes, shares: int) -> None:
        """Post a job, work on it until no part is left, and wait for the helpers."""
        self._jobs += 1
        function, *numbers = job
        packed = pack("8q", function.address, *numbers, shares)
        self._lead(self._memory, packed + geometry, shares, self._jobs)

    def take_parts(self) -> None:
        """Help with posted jobs until none was posted for a while."""
        self._help(self._memory, self._patience)


TEAM = Team()

if hasattr(os, "register_at_fork"):
    # A forked process has no helpers.
    os.register_at_fork(after_in_child=lambda: TEAM.__init__())  # type: ignore[misc]

_SIGNATURES = {"team.lead": "-pbii", "team.help": "-pi"}

_TEXT = """\
; Fields: the number of the posted job; the helpers inside it; the awake helpers; the job's
; address; the taken parts of each share.  Fields that are written often are 64 bytes apart.
%post = type {{ i64, [7 x i64], i64, [7 x i64], i64, [7 x i64], [8 x ptr], [{shares} x [8 x i64]] }}
; The geometry follows the job.
%job = type {{ ptr, i64, i64, i64, i64, i64, i64, i64 }}

declare i32 @sched_yield()

define internal void @take(ptr %post, i64 %me) nounwind {{
entry:
  %at = getelementptr %post, ptr %post, i32 0, i32 6
  %job.at = load ptr, ptr %at
  %geometry = getelementptr %job, ptr %job.at, i32 1
  %job = load %job, ptr %job.at
  {fields}
  %cuts.runs = icmp ne i64 %cuts_runs, 0
  %length = select i1 %cuts.runs, i64 %runs, i64 %n
  %mine = urem i64 %me, %shares
  br label %share
share:
  %turn = phi i64 [0, %entry], [%turn.next, %next]
  %around = add i64 %mine, %turn
  %here = urem i64 %around, %shares
  %here.next = add i64 %here, 1
  %first.all = mul i64 %here, %parts
  %first = udiv i64 %first.all, %shares
  %last.all = mul i64 %here.next, %parts
  %last = udiv i64 %last.all, %shares
  %taken = getelementptr %post, ptr %post, i32 0, i32 7, i64 %here
  br label %more
more:
  %count = atomicrmw add ptr %taken, i64 1 seq_cst
  %part = add i64 %first, %count
  %is.part = icmp ult i64 %part, %last
  br i1 %is.part, label %work, label %next
work:
  %part.next = add i64 %part, 1
  %start.all = mul i64 %length, %part
  %start = udiv i64 %start.all, %parts
  %end.all = mul i64 %length, %part.next
  %end = udiv i64 %end.all, %parts
  %run = select i1 %cuts.runs, i64 %start, i64 0
  %run.end = select i1 %cuts.runs, i64 %end, i64 %runs
  %i = select i1 %cuts.runs, i64 0, i64 %start
  %i.end = select i1 %cuts.runs, i64 %n, i64 %end
  br label %next.tile
next.tile:
  %tile.start = phi i64 [%i, %work], [%tile.next, %next.tile]
  %tile.next = add i64 %tile.start, %tile
  %is.within = icmp ult i64 %tile.next, %i.end
  %tile.end = select i1 %is.within, i64 %tile.next, i64 %i.end
  call void %function(ptr %geometry, i64 %axes, i64 %run, i64 %run.end,
                      i64 %tile.start, i64 %tile.end)
  br i1 %is.within, label %next.tile, label %more
next:
  %turn.next = add i64 %turn, 1
  %is.more = icmp ult i64 %turn.next, %shares
  br i1 %is.more, label %share, label %done
done:
  ret void
}}

define void @team.lead(ptr %post, ptr %job, i64 %shares, i64 %number) nounwind {{
entry:
  %at = getelementptr %post, ptr %post, i32 0, i32 6
  store ptr %job, ptr %at
  br label %clear
clear:
  %share = phi i64 [0, %entry], [%share.next, %clear]
  %taken = getelementptr %post, ptr %post, i32 0, i32 7, i64 %share
  store atomic i64 0, ptr %taken seq_cst, align 8
  %share.next = add i64 %share, 1
  %is.more = icmp ult i64 %share.next, %shares
  br i1 %is.more, label %clear, label %work
work:
  store atomic i64 %number, ptr %post seq_cst, align 8
  call void @take(ptr %post, i64 0)
  store atomic i64 0, ptr %post seq_cst, align 8
  %inside = getelementptr %post, ptr %post, i32 0, i32 2
  br label %look
look:
  %looks = phi i64 [0, %work], [%looks.next, %still], [%looks.next, %long]
  %count = load atomic i64, ptr %inside seq_cst, align 8
  %is.done = icmp eq i64 %count, 0
  br i1 %is.done, label %done, label %still
still:
  call void asm sideeffect "{pause}", "~{{memory}}"()
  %looks.next = add i64 %looks, 1
  %is.short = icmp ult i64 %looks.next, 4096
  br i1 %is.short, label %look, label %long
long:
  ; The scheduler may have preempted a working helper.
  %ignored = {let_others}
  br label %look
done:
  ret void
}}

define void @team.help(ptr %post, i64 %patience) nounwind {{
entry:
  %inside = getelementptr %post, ptr %post, i32 0, i32 2
  %awake = getelementptr %post, ptr %post, i32 0, i32 4
  %others = atomicrmw add ptr %awake, i64 1 seq_cst
  %me = add i64 %others, 1
  br label %again
again:
  %seen = phi i64 [0, %entry], [%number, %leave]
  br label %look
look:
  %looks = phi i64 [0, %again], [%looks.next, %still]
  %posted = load atomic i64, ptr %post seq_cst, align 8
  %is.none = icmp eq i64 %posted, 0
  %is.old = icmp eq i64 %posted, %seen
  %is.nothing = or i1 %is.none, %is.old
  br i1 %is.nothing, label %still, label %enter
still:
  call void asm sideeffect "{pause}", "~{{memory}}"()
  %looks.next = add i64 %looks, 1
  %is.more = icmp ult i64 %looks.next, %patience
  br i1 %is.more, label %look, label %done
enter:
  ; Either the leader sees this helper inside, or the helper sees no job.
  %before = atomicrmw add ptr %inside, i64 1 seq_cst
  %number = load atomic i64, ptr %post seq_cst, align 8
  %is.over = icmp eq i64 %number, 0
  br i1 %is.over, label %leave, label %work
work:
  call void @take(ptr %post, i64 %me)
  br label %leave
leave:
  %after = atomicrmw sub ptr %inside, i64 1 seq_cst
  br label %again
done:
  %left = atomicrmw sub ptr %awake, i64 1 seq_cst
  ret void
}}
"""
