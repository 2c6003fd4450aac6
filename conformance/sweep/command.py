"""The command ``python -m conformance sweep``."""

import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TextIO

from ..comparison.vector_widths import shared_server
from ..core.errors import CouldNotRun
from ..generators.oracle_namespace import number_names
from ..recording.archive import is_recording
from ..report.safe_print import print_safely
from ..scheduling.client import Done, Order, Run
from .certificate import Answer, certificate, summary, write
from .checkpoints import Checkpoints
from .chunks import Chunk, session_for
from .engine import dask_cluster, identity, run_here
from .questions import SAMPLE, Question, all_questions, chosen

FOLDER = "sweep-chunks"
"""The folder with the chunks that are done, in the folder of the reports."""


def sweep(
    subject: str,
    oracle: str,
    ops: str | None,
    scheduler: str | None,
    workers: int,
    reports: Path,
    chunk: int,
) -> int:
    """Sweep the chosen questions, write the certificate, and return the exit status.

    ops: the patterns of the questions; all without it
    scheduler: the address of a Dask scheduler, instead of a local cluster
    workers: the processes of the local cluster; 0 is this process
    reports: the folder of the certificate, and of the chunks that are done
    chunk: the elements of a chunk

    0: all elements were asked, none is wrong, and no other facet differs; 1: not so. Raise
    `CouldNotRun` if it could not run, or was interrupted: then the same command continues.
    """
    if any(map(is_recording, (oracle, subject))):
        raise CouldNotRun("a sweep needs both libraries, not a recording")
    if subject.partition("@")[2].partition(":")[0] == "meta":
        raise CouldNotRun(f"{subject!r}: tensors on meta have no elements to compare")
    signal.signal(signal.SIGTERM, _interrupt)
    with shared_server(), ExitStack() as stack:
        session = session_for(oracle, subject)
        asked = chosen(all_questions(number_names(session.oracle.root)), ops)
        questions = [question._replace(per_chunk=chunk) for question in asked]
        key = identity(oracle, subject)
        sizes = {"chunk": chunk, "sample": SAMPLE}
        checkpoints = Checkpoints(
            reports / FOLDER, {"subject": subject, "oracle": oracle, **sizes, **key}
        )
        run: Run = run_here
        if workers or scheduler:
            run = stack.enter_context(dask_cluster(scheduler, workers, key, oracle, subject))
        work = Sweep(questions, checkpoints, subject, oracle)
        interrupted = False
        try:
            work.run(run)
        except KeyboardInterrupt:
            interrupted = True
        data = certificate(work.answers(), subject, oracle, key)
        write(reports, data)
        print_safely([*summary(data), f"report: {reports / 'sweep.md'}"])
        if interrupted:
            raise CouldNotRun("interrupted; the same command continues")
    is_right = not any(row["wrong"] or row["problem"] for row in data["questions"])
    return 0 if is_right and data["complete"] else 1


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt


class Sweep:
    """The questions of one run, their chunks so far, and the progress."""

    def __init__(
        self, questions: Sequence[Question], checkpoints: Checkpoints, subject: str, oracle: str
    ) -> None:
        self._questions = {each.name: each for each in questions}
        self._checkpoints = checkpoints
        self._sides = {"subject": subject, "oracle": oracle}
        self._chunks: dict[str, dict[int, Chunk]] = {}
        self._lost: dict[str, dict[int, str]] = {each.name: {} for each in questions}
        self._totals: dict[str, Chunk] = {}
        for question in questions:
            total = checkpoints.whole(question)
            if total is None:
                self._chunks[question.name] = checkpoints.chunks(question)
                self._finish_if_done(question)
            else:
                self._totals[question.name] = total

    def run(self, run: Run) -> None:
        """Run the chunks that are not done."""
        left = sum(
            question.size - sum(chunk.size for chunk in self._chunks[question.name].values())
            for question in self._waiting()
        )
        progress = Progress(sys.stderr, left)
        for done in run(self._orders()):
            self._keep(done)
            progress.step(*self._where(done))
        progress.done()

    def _waiting(self) -> Iterator[Question]:
        return (each for name, each in self._questions.items() if name not in self._totals)

    def _orders(self) -> Iterator[Order]:
        for question in [*self._waiting()]:
            known = {*self._chunks[question.name]}
            for number in range(question.chunks):
                if number not in known:
                    yield {**self._sides, "question": tuple(question), "chunk": number}

    def _keep(self, done: Done) -> None:
        question, number = self._where(done)
        if done.lost:
            self._lost[question.name][number] = done.lost
            return
        chunk = Chunk(**done.result)
        self._checkpoints.keep(question, number, chunk)
        self._chunks[question.name][number] = chunk
        self._finish_if_done(question)

    def _where(self, done: Done) -> tuple[Question, int]:
        name, *_ = done.order["question"]
        return self._questions[name], done.order["chunk"]

    def _finish_if_done(self, question: Question) -> None:
        chunks = self._chunks[question.name]
        if len(chunks) == question.chunks:
            self._totals[question.name] = _sum(chunks)
            self._checkpoints.finish(question, self._totals[question.name])

    def answers(self) -> list[Answer]:
        """Return the answers so far, in the order of the questions."""
        return [
            Answer(
                question,
                self._totals.get(name) or _sum(self._chunks[name]),
                dict(sorted(self._lost[name].items())),
            )
            for name, question in self._questions.items()
        ]


def _sum(chunks: dict[int, Chunk]) -> Chunk:
    """Return the sum of chunks in the order of their numbers."""
    total = Chunk()
    for number in sorted(chunks):
        total = total + chunks[number]
    return total


class Progress:
    """A line with the question, the rate and the time left, rewritten in place on a terminal."""

    def __init__(self, stream: TextIO, elements: int) -> None:
        self._stream, self._elements, self._done = stream, elements, 0
        self._rewrites = stream.isatty()
        self._began = self._shown = time.monotonic()

    def step(self, question: Question, chunk: int) -> None:
        """Count a chunk, and write the line if it is time."""
        self._done += question.length(chunk)
        now = time.monotonic()
        if now - self._shown >= (0.2 if self._rewrites else 10):
            self._shown = now
            rate = self._done / (now - self._began)
            left = (self._elements - self._done) / rate
            line = f"{question.name}: {self._done / self._elements:.1%} of all, "
            line += f"{rate / 1e6:,.1f} million elements a second, about {left:,.0f} s left"
            self._stream.write(f"\r\33[K{line}" if self._rewrites else f"{line}\n")
            self._stream.flush()

    def done(self) -> None:
        """Clear the line on a terminal."""
        if self._rewrites:
            self._stream.write("\r\33[K")
            self._stream.flush()
