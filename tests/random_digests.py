"""Digests of random numbers and of the state of their stream."""

import hashlib
from collections.abc import Callable
from typing import Any

import pytest

from impl._random.mt19937 import MT19937Stream

COUNTS = (1, 2, 15, 16, 17, 33, 700)


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:12]


def seeded(seed: int) -> MT19937Stream:
    stream = MT19937Stream()
    stream.manual_seed(seed)
    return stream


def digests(draw: Callable[[MT19937Stream, int], Any]) -> tuple[str, str]:
    """Return the digests of elements and state after several draws from one stream."""
    stream = seeded(7)
    elements = b"".join(draw(stream, count).tobytes() for count in COUNTS)
    return digest(elements), digest(stream.get_state())


def failure(call: Callable[[], object]) -> str:
    with pytest.raises((RuntimeError, TypeError, ValueError)) as caught:
        call()
    return f"{caught.type.__name__}: {caught.value}"
