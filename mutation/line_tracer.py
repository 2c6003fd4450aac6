"""A tracer of executed lines, which runs only while the subject does."""

import sys
import threading
from collections import defaultdict
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from conformance.libraries.library import Library


class LineTracer:
    """The executed lines of the files in a folder.

    The suite and the oracle run untraced. A function whose lines have all run is traced no longer.
    """

    def __init__(self, folder: Path) -> None:
        self._prefix = f"{folder}/"
        self._lines: dict[str, set[int]] = defaultdict(set)
        self._waiting: dict[CodeType, set[int]] = {}

    def start(self) -> None:
        """Trace this thread, and threads that start from now on."""
        threading.settrace(self._call)
        sys.settrace(self._call)

    def stop(self) -> None:
        """End the tracing of this thread."""
        sys.settrace(None)

    def lines(self) -> dict[str, list[int]]:
        """Return the executed lines by file, relative to the folder."""
        names = sorted(self._lines)
        return {name.removeprefix(self._prefix): sorted(self._lines[name]) for name in names}

    def _call(self, frame: FrameType, event: str, arg: Any) -> Any:
        code = frame.f_code
        waiting = self._waiting.get(code)
        if waiting is None:
            is_inside = code.co_filename.startswith(self._prefix)
            lines = {line for *_, line in code.co_lines() if line} if is_inside else set[int]()
            waiting = self._waiting[code] = lines
        return self._line if waiting else None

    def _line(self, frame: FrameType, event: str, arg: Any) -> Any:
        waiting, line = self._waiting[frame.f_code], frame.f_lineno
        if line in waiting:
            waiting.discard(line)
            self._lines[frame.f_code.co_filename].add(line)
        return self._line if waiting else None


class TracedLibrary(Library):
    """A library whose programs, and the observations of their results, are traced."""

    def __init__(self, library: Library, tracer: LineTracer) -> None:
        super().__init__(library.spec, library.root, library.names)
        self._tracer = tracer

    def scope(self) -> dict[str, Any]:
        """Return fresh globals for one program, and begin to trace."""
        self._tracer.start()
        return super().scope()

    def reset(self) -> None:
        """Restore the settings and end the trace."""
        super().reset()
        self._tracer.stop()
