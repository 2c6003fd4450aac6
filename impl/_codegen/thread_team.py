"""A compiled function's work on all cores: parts are handed out, and helpers wait for more, in compiled code.

To wake a thread takes as long as to add a hundred thousand numbers.  So a helper that has worked looks
for more for a short while, without the GIL, before it sleeps, as OpenMP's threads do.
"""

import os
from threading import Lock
from time import perf_counter
from typing import Any, NamedTuple

from .._arrays.parallel import POOL
from .._runtime.lazy_import import LazyModule
from . import llvm

_ctypes: Any = LazyModule("ctypes")

PATIENCE = 0.0002
"""For how many seconds a helper looks for more work."""

_SHARES = 64
"""How many shares the parts are dealt into at most: each thread begins with its own, which is in its cache."""

_AWAKE, _WORDS = 16, 40 + 8 * _SHARES
"""The place of the word of a post that counts the helpers which look for work, and how many words there are."""


class Job(NamedTuple):
    """A kernel's function (`loops.text_of`), what it is called with, and how that is cut.

    The parts are of the runs, or of every run.  A part is worked on in tiles: runs of up to so many elements.
    """

    function: llvm.Function
    axes: int
    runs: int
    n: int
    parts: int
    cuts_runs: bool
    tile: int

    def do_alone(self, geometry: bytes) -> None:
        """Do it in this thread."""
        self.function.call(geometry, self.axes, 0, self.runs, 0, self.n)


class Team:
    """Threads that help (`blocks.POOL`), and the post at which they find the one job that is under way."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._post: _Post | None = None

    def do(self, job: Job, geometry: bytes) -> None:
        """Do a job on all cores; in this thread alone if it is small, or while another thread's is under way."""
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
    """The memory in which a job stands, and the compiled functions that work on it.

    It is a job for `blocks.POOL` itself: to help with all that is posted, and then for a while.
    """

    def __init__(self) -> None:
        self._memory = _ctypes.create_string_buffer(8 * _WORDS)
        self._number_awake = _ctypes.c_int64.from_buffer(self._memory, 8 * _AWAKE)
        self._jobs = 0
        words = {
            "shares": _SHARES,
            "pause": "pause" if llvm.is_x86() else "yield",
            "let_others": "call i32 @sched_yield()" if os.name == "posix" else "add i32 0, 0",
        }
        functions = llvm.compiled(_TEXT.format(**words), _SIGNATURES)
        self._lead, self._help = [each.call for each in functions]
        self._patience = self._looks_in(PATIENCE)

    def awake(self) -> int:
        """Return how many helpers look at the post."""
        return self._number_awake.value  # type: ignore[no-any-return]

    def lead(self, job: Job, geometry: bytes, shares: int) -> None:
        """Post a job, work on it until no part is left, and wait for those who still do."""
        self._jobs += 1
        function, *numbers = job
        self._lead(self._memory, function.address, geometry, *numbers, shares, self._jobs)

    def take_parts(self) -> None:
        """Help, until nothing was posted for a while."""
        self._help(self._memory, self._patience)

    def _looks_in(self, seconds: float) -> int:
        """Return how often a helper looks at the post in some time."""
        looks = 1000
        start = perf_counter()
        self._help(self._memory, looks)
        return max(1, int(looks * seconds / (perf_counter() - start)))


TEAM = Team()

if hasattr(os, "register_at_fork"):
    # A fork has none of the helpers.
    os.register_at_fork(after_in_child=lambda: TEAM.__init__())  # type: ignore[misc]

_SIGNATURES = {"team.lead": "-ppbiiiiiiii", "team.help": "-pi"}

_TEXT = """\
; Its words: whether a job is posted; how many helpers are inside of it; how many look for one; the job;
; and for each share of the parts how many were taken.  What is written often is 64 bytes apart.
%post = type {{ i64, [7 x i64], i64, [7 x i64], i64, [7 x i64], %job, [{shares} x [8 x i64]] }}
%job = type {{ ptr, ptr, i64, i64, i64, i64, i64, i64, i64 }}

declare i32 @sched_yield()

define internal void @take(ptr %post, i64 %me) nounwind {{
entry:
  %at = getelementptr %post, ptr %post, i32 0, i32 6
  %job = load %job, ptr %at
  %function = extractvalue %job %job, 0
  %geometry = extractvalue %job %job, 1
  %axes = extractvalue %job %job, 2
  %runs = extractvalue %job %job, 3
  %n = extractvalue %job %job, 4
  %parts = extractvalue %job %job, 5
  %cuts = extractvalue %job %job, 6
  %tile.size = extractvalue %job %job, 7
  %shares = extractvalue %job %job, 8
  %cuts.runs = icmp ne i64 %cuts, 0
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
  br label %tile
tile:
  %tile.start = phi i64 [%i, %work], [%tile.next, %tile]
  %tile.next = add i64 %tile.start, %tile.size
  %is.within = icmp ult i64 %tile.next, %i.end
  %tile.end = select i1 %is.within, i64 %tile.next, i64 %i.end
  call void %function(ptr %geometry, i64 %axes, i64 %run, i64 %run.end, i64 %tile.start, i64 %tile.end)
  br i1 %is.within, label %tile, label %more
next:
  %turn.next = add i64 %turn, 1
  %is.more = icmp ult i64 %turn.next, %shares
  br i1 %is.more, label %share, label %done
done:
  ret void
}}

define void @team.lead(ptr %post, ptr %function, ptr %geometry, i64 %axes, i64 %runs, i64 %n,
                      i64 %parts, i64 %cuts, i64 %tile, i64 %shares, i64 %number) nounwind {{
entry:
  %at = getelementptr %post, ptr %post, i32 0, i32 6
  %job0 = insertvalue %job poison, ptr %function, 0
  %job1 = insertvalue %job %job0, ptr %geometry, 1
  %job2 = insertvalue %job %job1, i64 %axes, 2
  %job3 = insertvalue %job %job2, i64 %runs, 3
  %job4 = insertvalue %job %job3, i64 %n, 4
  %job5 = insertvalue %job %job4, i64 %parts, 5
  %job6 = insertvalue %job %job5, i64 %cuts, 6
  %job7 = insertvalue %job %job6, i64 %tile, 7
  %job8 = insertvalue %job %job7, i64 %shares, 8
  store %job %job8, ptr %at
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
  ; The system may have put aside a helper that is at work.
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
  ; Whoever leads sees that somebody is inside, or else nobody finds the job.
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
