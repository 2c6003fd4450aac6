"""The chunks of a sweep that are done, in a folder, so that a sweep that was ended continues.

Each question has a file with a line per chunk. When all its chunks are done, one line with their
sum takes the place of that file. The folder belongs to one key: what the results depend on.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..core.errors import CouldNotRun
from ..report.files import replace_file
from .chunks import Chunk
from .questions import Question

KEY = "key.json"


class Checkpoints:
    """The results so far, in a folder."""

    def __init__(self, folder: Path, key: Mapping[str, Any]) -> None:
        """Open a folder, or create it. Raise `CouldNotRun` if it has another key."""
        self._folder = folder
        self._has_line_end: set[Path] = set()
        text = json.dumps(key, indent=1, sort_keys=True) + "\n"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if (folder / KEY).exists():
                known = json.loads((folder / KEY).read_text(encoding="utf-8"))
                others = [name for name in {**known, **key} if known.get(name) != key.get(name)]
                if others:
                    raise CouldNotRun(
                        f"{folder} has chunks with another {', '.join(others)}; delete it, or name"
                        " another folder with --reports"
                    )
            else:
                replace_file(folder / KEY, text)
        except (OSError, ValueError) as error:
            raise CouldNotRun(f"cannot use {folder}: {error}") from None

    def chunks(self, question: Question) -> dict[int, Chunk]:
        """Return the chunks of a question by number; a line that is not whole does not count."""
        chunks: dict[int, Chunk] = {}
        for row in self._rows(question):
            if "chunk" in row:
                chunks.setdefault(row["chunk"], Chunk(**row["result"]))
        return chunks

    def whole(self, question: Question) -> Chunk | None:
        """Return the sum of all chunks of a question, if they are done."""
        return next((Chunk(**row["sum"]) for row in self._rows(question) if "sum" in row), None)

    def keep(self, question: Question, number: int, chunk: Chunk) -> None:
        """Keep the result of a chunk."""
        path = self._path(question)
        line = json.dumps({"chunk": number, "result": vars(chunk)})
        start = "" if path in self._has_line_end else "\n"  # after a line that is not whole
        with path.open("a", encoding="utf-8") as stream:
            stream.write(f"{start}{line}\n")
        self._has_line_end.add(path)

    def finish(self, question: Question, total: Chunk) -> None:
        """Keep the sum in place of the chunks."""
        replace_file(self._path(question), json.dumps({"sum": vars(total)}) + "\n")

    def _path(self, question: Question) -> Path:
        name = re.sub(r"[^\w.]+", "-", question.name).strip("-")
        return self._folder / f"{name}.jsonl"

    def _rows(self, question: Question) -> list[dict[str, Any]]:
        try:
            lines = self._path(question).read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return []
        rows = []
        for line in filter(None, lines):
            try:
                rows.append(json.loads(line))
            except ValueError:
                continue
        return rows
