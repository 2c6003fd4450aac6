"""Rows of results in a file, so that a run continues where it ended."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


class State:
    """A file with a line of JSON for each row.

    Rows with another ``key`` are of another impl, suite or profile and do not count.
    """

    def __init__(self, path: Path, key: str) -> None:
        self.path, self.key = path, key

    def read(self) -> dict[str, dict[str, Any]]:
        """Return the rows by their names. A line that is cut off does not count."""
        rows: dict[str, dict[str, Any]] = {}
        if not self.path.exists():
            return rows
        with self.path.open(encoding="utf-8") as file:
            for line in file:
                try:
                    key, name, row = json.loads(line)
                except ValueError:
                    continue
                if key == self.key:
                    rows[name] = row
        return rows

    def add(self, name: str, row: Mapping[str, Any]) -> None:
        """Append a row."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # The line before may be cut off.
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"\n{json.dumps([self.key, name, row])}\n")
