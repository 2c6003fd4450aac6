"""Random streams: the state behind a CPU generator, and the words that are drawn from it.

Torch's CPU generator is the Mersenne Twister mt19937, as NumPy's `RandomState`
is, with the same way of seeding.  It makes words of 32 bits in blocks of 624.
A block is made when its first word is asked for, and its raw state is what
torch saves, so a stream keeps the block at hand and its place in it.
"""

import os
import sys
from struct import Struct
from threading import RLock
from typing import Any

from .._arrays.numpy_bridge import np
from .._dtypes.scalars import _is_a, _numpy_types
from .._runtime.errors import check, type_name

DEFAULT_SEED = 67280421310721
"""What a generator is seeded with that nobody has seeded (c10/core/GeneratorImpl.h)."""

_BLOCK = 624

_FEW_BLOCKS = 16
"""Up to so many, words are taken one by one, which costs less to begin; else by pairs."""

# The layout of aten/src/ATen/CPUGeneratorImpl.cpp: seed, left, seeded, next, 624 words of
# 64 bits; three doubles and a flag, of which the second double is the kept normal number;
# then the kept float and its flag.
_LAYOUT = Struct(f"<Qii Q {8 * _BLOCK}s ddd i4x f?3x")


class Stream:
    """A sequence of random words that a seed decides, and the place in it.

    Whoever draws more than once for one result holds ``lock`` meanwhile, as
    torch holds the generator's mutex.

    >>> stream = Stream(0)
    >>> stream.words(2).tolist(), stream.initial_seed()
    ([2357136044, 2546248239], 0)
    """

    __slots__ = (
        "_block", "_end", "_engine", "_kept_float", "_next", "_seed", "_twister",
        "kept_normal", "lock",
    )  # fmt: skip

    lock: Any
    _seed: int
    _block: Any  # the words of the block at hand, ...
    _next: int  # ... of which those up to the end are still to be drawn
    _end: int
    _kept_float: float | None  # torch saves it, and has no more use for it
    kept_normal: float | None
    """The second number of a Box-Muller pair, kept for the next draw of a single one."""

    def __init__(self, seed: int = DEFAULT_SEED) -> None:
        self.lock = RLock()
        self._twister: Any = None  # NumPy's, made when a word is first asked for
        self._engine: Any = None
        self._set_seed(seed)

    def manual_seed(self, seed: object) -> None:
        """Start anew from ``seed``: an int from -2**63 to 2**64 - 1; negative ones count from 2**64.

        Only its low 32 bits decide the words.

        >>> Stream().manual_seed(2**64)
        Traceback (most recent call last):
        ValueError: Overflow when unpacking long long
        """
        check(
            _is_a(seed, (int, *_numpy_types("integer"))) and type(seed) is not bool,
            lambda: f"manual_seed expected a long, but got {type_name(seed)}",
        )
        # NumPy's integers pass the check, and then CPython's C code does not read them.
        if not isinstance(seed, int):
            raise TypeError("an integer is required")
        number = int.__index__(seed)
        check(-(2**63) <= number < 2**64, lambda: "Overflow when unpacking long long", ValueError)
        with self.lock:
            self._set_seed(number % 2**64)

    def seed(self) -> int:
        """Start anew from 64 bits of the system's own randomness, and return them."""
        found = int.from_bytes(os.urandom(8), sys.byteorder)
        with self.lock:
            self._set_seed(found)
        return found

    def initial_seed(self) -> int:
        """Return the seed that the stream was started from, as an unsigned number."""
        return self._seed

    def get_state(self) -> bytes:
        """Return the whole state in torch's layout: 5056 bytes."""
        with self.lock:
            key = self._made_engine().get_state(legacy=False)["state"]["key"]
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
                0.0 if self._kept_float is None else self._kept_float,
                self._kept_float is not None,
            )

    def set_state(self, state: bytes) -> None:
        """Continue from a state that `get_state` returned, here or in torch."""
        check(
            len(state) == _LAYOUT.size,
            lambda: (
                f"Expected a CPUGeneratorImplState of size {_LAYOUT.size} but found the input"
                f" RNG state size to be {len(state)}"
            ),
        )
        seed, left, seeded, place, words, _, normal, _, has_normal, single, has_single = (
            _LAYOUT.unpack(state)
        )
        place %= 2**32
        check(seeded and 0 < left <= _BLOCK and place <= _BLOCK, lambda: "Invalid mt19937 state")
        with self.lock:
            engine = self._made_engine()
            engine.set_state(("MT19937", np.frombuffer(words, "<u8").astype(np.uint32), place))
            self._seed = seed
            self._block = np.empty(_BLOCK, np.uint32)
            # This leaves the engine at the end of its block.
            self._block[place:] = engine.randint(0, 2**32, _BLOCK - place, np.uint32)
            self._next = place
            # Where the two disagree so that torch would read past its block, the block ends.
            self._end = min(place + left - 1, _BLOCK)
            self.kept_normal = normal if has_normal else None
            self._kept_float = single if has_single else None

    def words(self, count: int) -> Any:
        """Draw ``count`` words, as uint32.  They may be the stream's own: not to be written to."""
        if not count:
            return np.empty(0, np.uint32)
        with self.lock:
            start = self._next
            stop = start + count
            if stop <= self._end:
                self._next = stop
                return self._block[start:stop]
            at_hand = self._end - start
            missing = count - at_hand
            blocks = -(-missing // _BLOCK)
            drawn = self._draw_blocks(blocks)
            if at_hand:
                result = np.concatenate((self._block[start : self._end], drawn[:missing]))
            else:
                result = drawn[:missing]
            self._block = drawn[-_BLOCK:] if blocks == 1 else drawn[-_BLOCK:].copy()
            self._next = missing - (blocks - 1) * _BLOCK
            self._end = _BLOCK
            return result

    def long_words(self, count: int) -> Any:
        """Draw ``count`` words of 64 bits, as uint64: of two short ones the first is the high one."""
        return _as_drawn(self.words(2 * count).view(np.uint64))

    def _draw_blocks(self, count: int) -> Any:
        engine = self._made_engine()
        if count <= _FEW_BLOCKS:
            return self._twister.random_raw(count * _BLOCK).astype(np.uint32)
        return _as_drawn(engine.randint(0, 2**64, count * _BLOCK // 2, np.uint64)).view(np.uint32)

    def _made_engine(self) -> Any:
        if self._engine is None:
            self._twister = np.random.MT19937(0)
            self._engine = np.random.RandomState(self._twister)
            self._engine.seed(self._seed % 2**32)
        return self._engine

    def _set_seed(self, seed: int) -> None:
        if self._engine is not None:
            self._engine.seed(seed % 2**32)
        self._seed = seed
        # No block yet.  Torch tells it by its place, 0, from a block that is used up.
        self._block = None
        self._next = self._end = 0
        self.kept_normal = self._kept_float = None


def _as_drawn(pairs: Any) -> Any:
    """Turn pairs of words in memory into numbers whose high half was drawn first, or back."""
    if sys.byteorder == "big":
        return pairs
    swapped = pairs << 32
    swapped |= pairs >> 32
    return swapped
