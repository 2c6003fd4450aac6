"""The elements in the bytes of a storage, by a geometry: as text, or as a digest of many."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from hashlib import sha256
from math import prod
from typing import Any

import numpy as np

MAX_WRITTEN = 64
"""The maximum number of elements in an observation; more are replaced by a digest."""

_MAX_WRITTEN_ALL = 2**22
_max_written = MAX_WRITTEN

ON_META, BEYOND = "none", "beyond the storage"
NO_ELEMENTS = (ON_META, BEYOND)
"""The texts for elements that cannot be read."""

_MAX_REPORTED = 4096
_MAX_KEPT = 1024
_DIGEST = re.compile(r"\d+ elements, [0-9a-f]{16}")


@contextmanager
def all_elements_written() -> Iterator[None]:
    """Write all elements inside the context, to see which of them differ."""
    global _max_written
    before, _max_written = _max_written, _MAX_WRITTEN_ALL
    try:
        yield
    finally:
        _max_written = before


def are_all_written() -> bool:
    """Return whether the caller is inside `all_elements_written`."""
    return _max_written > MAX_WRITTEN


def has_digest(answer: Any) -> bool:
    """Return whether an answer has a digest instead of elements."""
    if isinstance(answer, dict | list):
        return any(map(has_digest, answer.values() if isinstance(answer, dict) else answer))
    return isinstance(answer, str) and _DIGEST.fullmatch(answer) is not None


def with_digests(answer: Any) -> Any:
    """Return an answer with digests instead of very many elements."""
    if isinstance(answer, dict):
        return {key: with_digests(value) for key, value in answer.items()}
    if not isinstance(answer, list):
        return answer
    if len(answer) > _MAX_REPORTED and isinstance(answer[0], str):
        return f"{len(answer)} elements, {sha256(''.join(answer).encode()).hexdigest()[:16]}"
    return [with_digests(item) for item in answer]


def elements_in(
    content: bytes, sizes: list[int], steps: list[int], offset: int, itemsize: int
) -> list[str] | str:
    """Return the elements with a geometry in the bytes of a storage."""
    read = _texts if len(content) <= _MAX_KEPT else _texts.__wrapped__
    texts = read(content, tuple(sizes), tuple(steps), offset, itemsize, _max_written)
    return texts if isinstance(texts, str) else [*texts]


@lru_cache(maxsize=2**12)
def _texts(
    content: bytes,
    sizes: tuple[int, ...],
    steps: tuple[int, ...],
    offset: int,
    itemsize: int,
    max_written: int,
) -> list[str] | str:
    """Return the bits of each element, `BEYOND`, or a digest of more than ``max_written``.

    The oracle's and the subject's are mostly the same.
    """
    if not is_within(sizes, steps, offset, len(content) // itemsize):
        return BEYOND
    count, ordered = prod(sizes), _ordered(content, sizes, steps, offset, itemsize)
    if count > max_written:
        return f"{count} elements, {sha256(ordered).hexdigest()[:16]}"
    # Reversed, so that the highest byte of each element comes first.
    return ordered[::-1].hex(" ", itemsize).split(" ")[::-1]


def _ordered(
    content: bytes, sizes: Sequence[int], steps: Sequence[int], offset: int, itemsize: int
) -> bytes:
    """Return the bytes of all elements in order."""
    if prod(sizes) == 1:
        return content[offset * itemsize : (offset + 1) * itemsize]
    in_bytes = byte_steps(sizes, steps, itemsize)
    shape = (*sizes, itemsize)
    return np.ndarray(shape, np.uint8, content, offset * itemsize, (*in_bytes, 1)).tobytes()


def byte_steps(sizes: Sequence[int], steps: Sequence[int], itemsize: int) -> list[int]:
    """Return the strides in bytes; that of a single element has no effect, but may be too large."""
    return [step * itemsize if size > 1 else 0 for size, step in zip(sizes, steps, strict=True)]


def is_within(sizes: Sequence[int], steps: Sequence[int], offset: int, available: int) -> bool:
    """Return whether a storage with so many elements has all elements of a geometry."""
    last = offset + sum([(size - 1) * step for size, step in zip(sizes, steps, strict=True)])
    return 0 <= last < available
