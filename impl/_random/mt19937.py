"""Random streams: the state and the random words of a CPU generator.

Torch's CPU generator is the Mersenne Twister mt19937 with the seeding of NumPy's
`RandomState`.  It generates 32-bit words in blocks of 624, at the first use of a block.
Torch saves the raw block, so a stream keeps the current block and its index in it.
"""

import os
import sys
from struct import Struct
from threading import RLock
from typing import Any

from .._arrays.numpy_bridge import np
from .._dtypes.scalars import is_subclass_instance, numpy_types
from .._runtime.errors import check, type_name

DEFAULT_SEED = 67280421310721
"""The seed of an unseeded generator (c10/core/GeneratorImpl.h)."""

_BLOCK = 624

_RAW_BLOCKS = 16
"""Up to this number of blocks, random_raw is faster than randint."""

# The layout of aten/src/ATen/CPUGeneratorImpl.cpp: seed, left, seeded, next, 624 words of
# 64 bits; three doubles and a flag, of which the second double is next_double_normal_sample;
# then next_float_normal_sample and its flag.
_LAYOUT = Struct(f"<Qii Q {8 * _BLOCK}s ddd i4x f?3x")


class MT19937Stream:
    """A sequence of random words with a seed, and the position in it.

    Several draws for one result must hold ``lock``, as in torch the generator's mutex.

    >>> stream = MT19937Stream(0)
    >>> stream.words(2).tolist(), stream.initial_seed()
    ([2357136044, 2546248239], 0)
    """

    __slots__ = (
        "_block", "_end", "_engine", "_float_normal", "_next", "_seed", "_twister",
        "kept_normal", "lock",
    )  # fmt: skip

    lock: Any
    _seed: int
    _block: Any  # the words of the current block; those from _next to _end are unused
    _next: int
    _end: int
    _float_normal: float | None  # saved, but unused by torch
    kept_normal: float | None
    """The second number of a Box-Muller pair, for the next draw of a single number."""

    def __init__(self, seed: int = DEFAULT_SEED) -> None:
        self.lock = RLock()
        self._twister: Any = None  # NumPy's, created at the first draw
        self._engine: Any = None
        self._set_seed(seed)

    def manual_seed(self, seed: object) -> None:
        """Restart from ``seed``: an int from -2**63 to 2**64 - 1, modulo 2**64.

        Only its low 32 bits determine the words.

        >>> MT19937Stream().manual_seed(2**64)
        Traceback (most recent call last):
        ValueError: Overflow when unpacking long long
        """
        check(
            is_subclass_instance(seed, (int, *numpy_types("integer"))) and type(seed) is not bool,
            lambda: f"manual_seed expected a long, but got {type_name(seed)}",
        )
        # NumPy integers pass the check, but not CPython's conversion.
        if not isinstance(seed, int):
            raise TypeError("an integer is required")
        number = int.__index__(seed)
        check(-(2**63) <= number < 2**64, lambda: "Overflow when unpacking long long", ValueError)
        with self.lock:
            self._set_seed(number % 2**64)

    def seed(self) -> int:
        """Restart from a 64-bit random seed of the operating system, and return it."""
        seed = int.from_bytes(os.urandom(8), sys.byteorder)
        with self.lock:
            self._set_seed(seed)
        return seed

    def initial_seed(self) -> int:
        """Return the seed of the stream as an unsigned integer."""
        return self._seed

    def get_state(self) -> bytes:
        """Return the state in torch's layout: 5056 bytes."""
        with self.lock:
            key = self._get_engine().get_state(legacy=False)["state"]["key"]
            return _LAYOUT.pack(
                self._seed,
                self._end - self._next + 1,
                True,
                self._next,
                key.astype("<u8").tobytes(),
                0.0,
                0.0 if self.kept_normal is None else self.kept_normal,
                0.0,
                self.kept_normal is not None,
                0.0 if self._float_normal is None else self._float_normal,
                self._float_normal is not None,
            )

    def set_state(self, state: bytes) -> None:
        """Restore a state from `get_state` of impl or torch."""
        check(
            len(state) == _LAYOUT.size,
            lambda: (
                f"Expected a CPUGeneratorImplState of size {_LAYOUT.size} but found the input"
                f" RNG state size to be {len(state)}"
            ),
        )
        seed, left, seeded, index, words, _, normal, _, has_normal, single, has_single = (
            _LAYOUT.unpack(state)
        )
        index %= 2**32
        check(seeded and 0 < left <= _BLOCK and index <= _BLOCK, lambda: "Invalid mt19937 state")
        with self.lock:
            engine = self._get_engine()
            engine.set_state(("MT19937", np.frombuffer(words, "<u8").astype(np.uint32), index))
            self._seed = seed
            self._block = np.empty(_BLOCK, np.uint32)
            # The engine is then at the end of its block.
            self._block[index:] = engine.randint(0, 2**32, _BLOCK - index, np.uint32)
            self._next = index
            # Inconsistent values would have torch read past the block; impl stops at its end.
            self._end = min(index + left - 1, _BLOCK)
            self.kept_normal = normal if has_normal else None
            self._float_normal = single if has_single else None

    def words(self, count: int) -> Any:
        """Return the next ``count`` words as uint32, read-only: they may be the stream's block."""
        if not count:
            return np.empty(0, np.uint32)
        with self.lock:
            start = self._next
            stop = start + count
            if stop <= self._end:
                self._next = stop
                return self._block[start:stop]
            available = self._end - start
            missing = count - available
            blocks = -(-missing // _BLOCK)
            drawn = self._draw_blocks(blocks)
            result = drawn[:missing]
            if available:
                result = np.concatenate((self._block[start : self._end], result))
            self._block = drawn[-_BLOCK:] if blocks == 1 else drawn[-_BLOCK:].copy()
            self._next = missing - (blocks - 1) * _BLOCK
            self._end = _BLOCK
            return result

    def long_words(self, count: int) -> Any:
        """Return ``count`` 64-bit words as uint64; the first short word is the high half."""
        return _swapped(self.words(2 * count).view(np.uint64))

    def _draw_blocks(self, count: int) -> Any:
        engine = self._get_engine()
        if count <= _RAW_BLOCKS:
            return self._twister.random_raw(count * _BLOCK).astype(np.uint32)
        return _swapped(engine.randint(0, 2**64, count * _BLOCK // 2, np.uint64)).view(np.uint32)

    def _get_engine(self) -> Any:
        if self._engine is None:
            self._twister = np.random.MT19937(0)
            self._engine = np.random.RandomState(self._twister)
            self._engine.seed(self._seed % 2**32)
        return self._engine

    def _set_seed(self, seed: int) -> None:
        if self._engine is not None:
            self._engine.seed(seed % 2**32)
        self._seed = seed
        # No block yet: the index 0 distinguishes this from a used block.
        self._block = None
        self._next = self._end = 0
        self.kept_normal = self._float_normal = None


def _swapped(pairs: Any) -> Any:
    """Convert pairs of words to uint64 with the first word as the high half, or back."""
    if sys.byteorder == "big":
        return pairs.copy()  # the caller may change it
    swapped = pairs << 32
    swapped |= pairs >> 32
    return swapped
