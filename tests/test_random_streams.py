"""The mt19937 stream, uniform and normal numbers, with the values of torch 2.13.0.

A digest is of the elements' bytes, or of a stream's whole state.
"""

import threading
import warnings
from typing import Any

import numpy as np
import pytest

from impl._dtypes.table import DTYPES
from impl._numerics.fma import fused_double, fused_single
from impl._random.integers import random_full
from impl._random.mt19937 import MT19937Stream
from impl._random.normal import normal
from impl._random.uniform import bernoulli, uniform

from .random_digests import digest, digests, failure, seeded

LEAST, MOST = -(2**63), 2**63 - 1


# ---------------------------------------------------------------- seeds and states


@pytest.mark.parametrize(
    ("seed", "initial"),
    [
        (0, 0),
        (-1, 2**64 - 1),
        (2**63, 2**63),
        (2**64 - 1, 2**64 - 1),
        (LEAST, 2**63),
    ],
)
def test_seeds(seed: int, initial: int) -> None:
    assert seeded(seed).initial_seed() == initial


def test_only_the_low_half_of_a_seed_decides() -> None:
    assert seeded(5).words(3).tolist() == seeded(5 + 2**40).words(3).tolist()


@pytest.mark.parametrize(
    ("seed", "error"),
    [
        (2**64, "ValueError: Overflow when unpacking long long"),
        (LEAST - 1, "ValueError: Overflow when unpacking long long"),
        (1.5, "RuntimeError: manual_seed expected a long, but got float"),
        (True, "RuntimeError: manual_seed expected a long, but got bool"),
        ("5", "RuntimeError: manual_seed expected a long, but got str"),
        (None, "RuntimeError: manual_seed expected a long, but got NoneType"),
        (np.bool_(True), "RuntimeError: manual_seed expected a long, but got numpy.bool"),
        (np.int64(3), "TypeError: an integer is required"),
    ],
)
def test_bad_seeds(seed: object, error: str) -> None:
    stream = seeded(3)
    assert failure(lambda: stream.manual_seed(seed)) == error
    assert stream.initial_seed() == 3


def test_default_and_random_seeds() -> None:
    stream = MT19937Stream()
    assert stream.initial_seed() == 67280421310721
    assert stream.seed() == stream.initial_seed()
    assert len({stream.seed() for _ in range(5)}) == 5


def test_words() -> None:
    """Small and large draws read one sequence of words."""
    assert seeded(0).words(2).tolist() == [2357136044, 2546248239]
    stream = seeded(9)
    sizes = (0, 1, 623, 1, 624, 5, 625, 20_000, 3)
    parts = np.concatenate([stream.words(size) for size in sizes])
    assert parts.tolist() == seeded(9).words(sum(sizes)).tolist()


def test_long_words() -> None:
    """Two words form a 64-bit word, the first one the high half, at every position."""
    for skipped in (0, 1):
        stream, other = seeded(1), seeded(1)
        words = stream.words(skipped + 2000)[skipped:].astype(np.uint64)
        other.words(skipped)
        assert other.long_words(1000).tolist() == (words[::2] << 32 | words[1::2]).tolist()


def test_states_through_a_block() -> None:
    """The state is torch's: seeded, with a cached normal, at the last word, in the next block."""
    stream = MT19937Stream()
    assert digest(stream.get_state()) == "7dbca2abd059"
    stream.manual_seed(-3)
    assert digest(stream.get_state()) == "1560afda8fe6"
    normal(stream, 3, DTYPES["float32"])
    assert stream.kept_normal is not None
    uniform(stream, 616, DTYPES["float32"])
    assert stream.get_state()[8:24] == bytes([1, 0, 0, 0, 1, 0, 0, 0, 112, 2, 0, 0, 0, 0, 0, 0])
    uniform(stream, 1, DTYPES["float32"])
    assert stream.get_state()[8:24] == bytes([112, 2, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0])


@pytest.mark.parametrize("words", [0, 1, 311, 623, 624, 625, 5000])
def test_states_go_round(words: int) -> None:
    stream, other = seeded(4), MT19937Stream()
    stream.words(words)
    normal(stream, 1, DTYPES["float64"])
    state = stream.get_state()
    assert len(state) == 5056
    other.words(10)
    other.set_state(state)
    assert other.get_state() == state
    assert other.initial_seed() == 4
    for count in (1, 700):
        assert normal(other, count, DTYPES["float64"]).tobytes() == (
            normal(stream, count, DTYPES["float64"]).tobytes()
        )
    assert other.get_state() == stream.get_state()


def changed(state: bytes, index: int, new: bytes) -> bytes:
    return state[:index] + new + state[index + len(new) :]


@pytest.mark.parametrize(
    ("index", "new"),
    [(8, b"\0"), (8, b"\xff\xff\xff\xff"), (8, b"\x71\2"), (12, b"\0"), (16, b"\x71\2")],
)
def test_invalid_states(index: int, new: bytes) -> None:
    stream = seeded(1)
    before = stream.get_state()
    with pytest.raises(RuntimeError, match=r"^Invalid mt19937 state$"):
        stream.set_state(changed(before, index, new))
    assert stream.get_state() == before


def test_states_of_another_size() -> None:
    assert failure(lambda: MT19937Stream().set_state(bytes(5055))) == (
        "RuntimeError: Expected a CPUGeneratorImplState of size 5056 but found the input RNG"
        " state size to be 5055"
    )


def test_unusual_states() -> None:
    """Every nonzero flag is true, the position has 32 bits, and words may be missing."""
    stream = seeded(1)
    words = stream.words(400).tolist()
    state = changed(changed(stream.get_state(), 12, b"\7"), 20, b"\1")
    # 3 words remain from the 100th on, then the next block begins.
    stream.set_state(changed(changed(state, 8, b"\4\0"), 16, b"\x64\0"))
    assert stream.get_state()[8:24] == bytes([4, 0, 0, 0, 1, 0, 0, 0, 100, *bytes(7)])
    assert stream.words(5).tolist()[:3] == words[100:103]
    assert stream.get_state()[8:24] == bytes([111, 2, 0, 0, 1, 0, 0, 0, 2, *bytes(7)])


def test_kept_numbers_are_saved() -> None:
    stream = seeded(1)
    state = changed(changed(stream.get_state(), 5031, b"\x80"), 5040, b"\1")
    state = changed(state, 5051, b"\x80\1")
    stream.set_state(state)
    assert stream.get_state() == state
    assert str(stream.kept_normal) == "-0.0"
    assert str(normal(stream, 1, DTYPES["float64"])[0]) == "0.0"


# ---------------------------------------------------------------- uniform numbers

UNIFORM = [
    ("float32", "43c13a273aa0", "02226900a378", "4d8d585d52e7"),
    ("float64", "58d9eaffce62", "c1d6e12d4290", "629fd4cafcf0"),
    ("float16", "883e26ff3091", "553036753b33", "4d8d585d52e7"),
    ("bfloat16", "2064995abc8b", "8890b8cac31d", "4d8d585d52e7"),
    ("complex32", "3501c200dddc", "f1e6ff3e8aa5", "629fd4cafcf0"),
    ("complex64", "b94a06b99267", "10bffe9d402b", "629fd4cafcf0"),
    ("complex128", "f3c8a3f1216a", "40f778f261c7", "f2d9a73449f3"),
]


@pytest.mark.parametrize(("name", "plain", "between", "state"), UNIFORM)
def test_uniform(name: str, plain: str, between: str, state: str) -> None:
    value = DTYPES[name]
    assert digests(lambda stream, count: uniform(stream, count, value)) == (plain, state)
    assert digests(lambda stream, count: uniform(stream, count, value, -1.7, 3.3)) == (
        between,
        state,
    )


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_uniform_never_gives_its_end(name: str) -> None:
    """A result rounded up to the end of the range becomes its start."""
    elements = uniform(seeded(0), 20_000, DTYPES[name])
    one, zero = (0x3F80, 0) if name == "bfloat16" else (1.0, 0.0)
    assert not (elements == one).any()
    assert (elements == zero).any()
    assert (uniform(seeded(0), 3, DTYPES[name], -1.0, -1.0).view(np.uint16) >> 15).all()


def test_uniform_in_pieces() -> None:
    """Large draws are split into pieces with the same numbers."""
    stream = seeded(2)
    parts = [uniform(stream, count, DTYPES["float32"]) for count in (300_000, 5, 99_995)]
    whole = uniform(seeded(2), 400_000, DTYPES["float32"])
    assert whole.tobytes() == np.concatenate(parts).tobytes()


@pytest.mark.parametrize(
    ("name", "low", "high", "error"),
    [
        ("int64", 0.0, 1.0,
         "NotImplementedError: \"check_uniform_bounds\" not implemented for 'Long'"),
        ("float32", float("nan"), 0.0, "RuntimeError: from is out of bounds for float"),
        ("float64", 0.0, float("inf"), "RuntimeError: to is out of bounds for double"),
        ("bfloat16", -1e39, 0.0, "RuntimeError: from is out of bounds for c10::BFloat16"),
        ("complex32", 0.0, 1e5, "RuntimeError: to is out of bounds for c10::Half"),
        (
            "float32", 1e20, 1234567.891,
            "RuntimeError: uniform_ expects to return a [from, to) range, but found"
            " from=1e+20 > to=1.23457e+06",
        ),
        (
            "float16", -6e4, 6e4,
            "RuntimeError: uniform_ expects to-from <= std::numeric_limits<Half>::max(), but found"
            " to=60000 and from=-60000 which result in to-from to exceed the limit",
        ),
    ],
)  # fmt: skip
@pytest.mark.parametrize("count", [0, 2])
def test_uniform_refuses(name: str, low: float, high: float, error: str, count: int) -> None:
    stream = seeded(1)
    if name == "complex32" and not count:
        assert len(uniform(stream, count, DTYPES[name], low, high)) == 0
    else:
        assert failure(lambda: uniform(stream, count, DTYPES[name], low, high)) == error
    assert stream.get_state() == seeded(1).get_state()


# ---------------------------------------------------------------- normal numbers

NORMAL = [
    ("float32", "c7a4a414488d", "cf7d76fdf3c1", "f2f7d0bb0db3"),
    ("float16", "7f8d8e4d9fd6", "faeca7cdd002", "42bbe5cde07e"),
    ("bfloat16", "a79ca1edd2ef", "7141e2a4aa62", "42bbe5cde07e"),
    ("complex32", "67dedb6b8c98", "75f6fe2f202d", "3e29551bbc5f"),
    ("complex64", "90cca9b2e3ad", "1be9dbc42dc7", "3d047ead06ce"),
]


@pytest.mark.parametrize(("name", "plain", "moved", "state"), NORMAL)
def test_normal(name: str, plain: str, moved: str, state: str) -> None:
    value = DTYPES[name]
    assert digests(lambda stream, count: normal(stream, count, value)) == (plain, state)
    assert digests(lambda stream, count: normal(stream, count, value, 0.3, 1.7)) == (moved, state)


@pytest.mark.parametrize(
    ("name", "single", "plain", "moved", "state"),
    [
        ("float64", "float32", "f337a6a8a9dc", "6bb7e228cf17", "4a6f5337292c"),
        ("complex128", "complex64", "9ccc084ed194", "8513038594ac", "c6f82dc4c9ae"),
    ],
)
def test_double_normal(name: str, single: str, plain: str, moved: str, state: str) -> None:
    """Rounded to single precision, because the last bits depend on the C library."""
    value = DTYPES[name]

    def rounded(stream: MT19937Stream, count: int, *parameters: float) -> Any:
        return normal(stream, count, value, *parameters).astype(single)

    assert digests(rounded) == (plain, state)
    assert digests(lambda stream, count: rounded(stream, count, 0.3, 1.7)) == (moved, state)


def test_normal_numbers_one_by_one() -> None:
    """For strided memory, numbers are drawn singly, and the second of a pair is cached."""
    stream, single = seeded(0), DTYPES["float32"]
    numbers = normal(stream, 40, single, contiguous=False)
    assert digest(stream.get_state()) == "3af7569233ac"
    assert numbers[:3].tolist() == pytest.approx([1.5410, -0.2934, -2.1788], abs=1e-4)
    other = seeded(0)
    parts = [normal(other, count, single) for count in (1, 3, 15, 15, 6)]
    assert np.concatenate(parts).tobytes() == numbers.tobytes()


def test_halves_draw_only_whole_groups() -> None:
    """Torch draws the last group of single precision twice: with the others, then again."""
    for name, words in (("float16", 48), ("bfloat16", 48), ("float32", 33 + 16)):
        stream = seeded(1)
        normal(stream, 33, DTYPES[name])
        assert int.from_bytes(stream.get_state()[16:24], "little") == words


def test_large_normal_draws() -> None:
    whole = normal(seeded(1), 100_000, DTYPES["float32"])
    assert whole[:16].tobytes() == normal(seeded(1), 16, DTYPES["float32"]).tobytes()
    assert abs(float(whole.mean())) < 0.01
    assert abs(float(whole.std()) - 1) < 0.01


@pytest.mark.parametrize(
    ("name", "std", "error"),
    [
        ("int64", 1.0, "NotImplementedError: \"normal_kernel_cpu\" not implemented for 'Long'"),
        ("float32", -1e-30, "RuntimeError: normal expects std >= 0.0, but found std -1e-30"),
        ("int64", float("nan"), "RuntimeError: normal expects std >= 0.0, but found std nan"),
        ("complex64", -float("nan"), "RuntimeError: normal expects std >= 0.0, but found std -nan"),
    ],
)
def test_normal_refuses(name: str, std: float, error: str) -> None:
    stream = seeded(1)
    assert failure(lambda: normal(stream, 2, DTYPES[name], 0.0, std)) == error
    assert stream.get_state() == seeded(1).get_state()


@pytest.mark.parametrize("std", [0.0, 1e300, float("inf")])
def test_extreme_deviations(std: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in ("float16", "bfloat16", "float32", "float64"):
            for count in (3, 20):
                numbers = normal(seeded(1), count, DTYPES[name], 2.0, std)
                assert len(numbers) == count


def test_nothing_is_drawn_of_any_dtype() -> None:
    for name, value in DTYPES.items():
        if value.itemsize and not name.startswith("q"):
            assert len(normal(seeded(1), 0, value)) == 0
            assert len(random_full(seeded(1), 0, value)) == 0
            assert len(bernoulli(seeded(1), 0, value, 0.5)) == 0


# ---------------------------------------------------------------- arithmetic, threads


def test_one_rounding() -> None:
    """Sums that two roundings get wrong, and products close to a tie."""
    tiny, ulp = 2.0**-53, 2.0**-52
    assert fused_double(np.array([1 + ulp]), 1 + ulp, -1.0)[0] == 2 * ulp + ulp * ulp
    assert fused_double(np.array([tiny * (1 + ulp)]), 1 - ulp, 1.0)[0] == 1.0
    assert fused_double(np.array([tiny * (1 + 2 * ulp)]), 1 - ulp, 1.0)[0] == 1 + ulp
    assert fused_double(np.array([0.75]), 1e308, 1e308)[0] == 1.75e308
    assert str(fused_double(np.array([-0.3]), 5e-324, 0.0)[0]) == "-0.0"
    least = 2.0**-1074
    assert fused_double(np.array([0.75 - tiny, 0.75, 0.5]), 2 * least, 4 * least).tolist() == [
        5 * least,
        6 * least,
        5 * least,
    ]
    # The product 2**46 + 1 is slightly above the midpoint of two float32 numbers.
    factor = np.array([8384513 * 2.0**-35], np.float32)
    assert fused_single(factor, 8392705 * 2.0**-35, 1.0)[0] == 1 + 2.0**-23
    assert fused_single(-factor, 8392705 * 2.0**-35, -1.0)[0] == -1 - 2.0**-23
    assert fused_single(np.array([1.0], np.float32), 2.0**-24, 1.0)[0] == 1.0


def test_threads_do_not_share_words() -> None:
    stream, results = seeded(1), []

    def draw() -> None:
        for _ in range(200):
            results.extend(stream.words(7).tolist())

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == sorted(seeded(1).words(4 * 200 * 7).tolist())
