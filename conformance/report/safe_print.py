"""Safe printing of text from a subject, which may contain control characters."""

import sys
from collections.abc import Iterable
from typing import TextIO

from .text import sanitize


def print_safely(lines: Iterable[str], stream: TextIO | None = None) -> None:
    """Print lines with control characters and unencodable characters escaped."""
    to = stream or sys.stdout
    encoding = to.encoding or "utf-8"
    for line in lines:
        print(sanitize(line).encode(encoding, "backslashreplace").decode(encoding), file=to)
