"""What is printed: text that a subject had a hand in, so that nothing in it can act on the terminal."""

import sys
from collections.abc import Iterable
from typing import TextIO

from .text import plain


def say(lines: Iterable[str], stream: TextIO | None = None) -> None:
    """Print lines; control characters, and what the terminal's encoding lacks, stand there escaped."""
    to = stream or sys.stdout
    encoding = to.encoding or "utf-8"
    for line in lines:
        print(plain(line).encode(encoding, "backslashreplace").decode(encoding), file=to)
