"""The progress of a run: finished tests, speed, and remaining time."""

import time
from typing import TextIO


class Progress:
    """A progress line: rewritten in place on a terminal, repeated now and then in a file.

    ``phase`` says what is done now, before all else.
    """

    def __init__(self, stream: TextIO, every: float = 5.0) -> None:
        self.total = 0
        self._stream = stream
        self._rewrites = stream.isatty()
        self._every = 0.1 if self._rewrites else every
        self._done = 0
        self.phase = ""
        self._shown = time.perf_counter()

    def step(self, comparisons: int, seconds: float) -> None:
        """Count a finished test, and write a line if enough time has passed."""
        self._done += 1
        now = time.perf_counter()
        if now - self._shown >= self._every:
            self._shown = now
            self._write(self.line(comparisons, seconds))

    def line(self, comparisons: int, seconds: float) -> str:
        """Return the progress line."""
        rate = comparisons / seconds if seconds else 0.0
        total = max(self.total, self._done)
        phase = f"{self.phase}, " if self.phase else ""
        line = f"{phase}{self._done}/{total} parts"
        line += f", {comparisons:,} comparisons, {rate:,.0f} a second"
        if self._done < total / 10:
            return line  # too early for an estimate
        return f"{line}, about {seconds / self._done * (total - self._done):.0f} s left"

    def done(self) -> None:
        """Clear the line on a terminal."""
        if self._rewrites and self._done:
            self._write("")

    def _write(self, line: str) -> None:
        if self._rewrites:
            self._stream.write(f"\r\33[K{line}")
        else:
            self._stream.write(f"{line}\n")
        self._stream.flush()
