"""Random streams and what is drawn from them: all facts are what torch 2.13.0 gives.

A digest is of the elements' bytes, or of a stream's whole state.
"""

import hashlib
import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from impl._dtypes.table import DTYPES
from impl._numerics.fma import fused_double, fused_single
from impl._random import integers as random_integers
from impl._random.integers import integers, permutation, random_full
from impl._random.mt19937 import Stream
from impl._random.normal import normal
from impl._random.uniform import bernoulli, bernoulli_each, uniform

LEAST, MOST = -(2**63), 2**63 - 1
COUNTS = (1, 2, 15, 16, 17, 33, 700)


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:12]


def seeded(seed: int) -> Stream:
    stream = Stream()
    stream.manual_seed(seed)
    return stream


def drawn(draw: Callable[[Stream, int], Any]) -> tuple[str, str]:
    """Draw several times from one stream, and return the digests of elements and state."""
    stream = seeded(7)
    elements = b"".join(draw(stream, count).tobytes() for count in COUNTS)
    return digest(elements), digest(stream.get_state())


def failure(call: Callable[[], object]) -> str:
    with pytest.raises((RuntimeError, TypeError, ValueError)) as caught:
        call()
    return f"{caught.type.__name__}: {caught.value}"


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
    stream = Stream()
    assert stream.initial_seed() == 67280421310721
    assert stream.seed() == stream.initial_seed()
    assert len({stream.seed() for _ in range(5)}) == 5


def test_words() -> None:
    """Small and large draws give the words of one sequence."""
    assert seeded(0).words(2).tolist() == [2357136044, 2546248239]
    stream = seeded(9)
    sizes = (0, 1, 623, 1, 624, 5, 625, 20_000, 3)
    parts = np.concatenate([stream.words(size) for size in sizes])
    assert parts.tolist() == seeded(9).words(sum(sizes)).tolist()


def test_long_words() -> None:
    """Two words make a long one, the first the high half, wherever they begin."""
    for skipped in (0, 1):
        stream, other = seeded(1), seeded(1)
        words = stream.words(skipped + 2000)[skipped:].astype(np.uint64)
        other.words(skipped)
        assert other.long_words(1000).tolist() == (words[::2] << 32 | words[1::2]).tolist()


def test_states_through_a_block() -> None:
    """The state is torch's after each step: seeded, a kept number, the last word, the next block."""
    stream = Stream()
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
    stream, other = seeded(4), Stream()
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
    assert failure(lambda: Stream().set_state(bytes(5055))) == (
        "RuntimeError: Expected a CPUGeneratorImplState of size 5056 but found the input RNG"
        " state size to be 5055"
    )


def test_unusual_states() -> None:
    """Any flag counts as one, the place has 32 bits, and words may be left out."""
    stream = seeded(1)
    words = stream.words(400).tolist()
    state = changed(changed(stream.get_state(), 12, b"\7"), 20, b"\1")
    # 3 words to come from the 100th on, then the next block.
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
    assert drawn(lambda stream, count: uniform(stream, count, value)) == (plain, state)
    assert drawn(lambda stream, count: uniform(stream, count, value, -1.7, 3.3)) == (between, state)


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_uniform_never_gives_its_end(name: str) -> None:
    """What 24 bits are rounded up to counts as the beginning."""
    elements = uniform(seeded(0), 20_000, DTYPES[name])
    one, zero = (0x3F80, 0) if name == "bfloat16" else (1.0, 0.0)
    assert not (elements == one).any()
    assert (elements == zero).any()
    assert (uniform(seeded(0), 3, DTYPES[name], -1.0, -1.0).view(np.uint16) >> 15).all()


def test_uniform_in_pieces() -> None:
    """Large draws are made in pieces, of the same numbers."""
    stream = seeded(2)
    parts = [uniform(stream, count, DTYPES["float32"]) for count in (300_000, 5, 99_995)]
    whole = uniform(seeded(2), 400_000, DTYPES["float32"])
    assert whole.tobytes() == np.concatenate(parts).tobytes()


@pytest.mark.parametrize(
    ("name", "low", "high", "error"),
    [
        ("int64", 0.0, 1.0, "NotImplementedError: \"check_uniform_bounds\" not implemented for 'Long'"),
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
    assert drawn(lambda stream, count: normal(stream, count, value)) == (plain, state)
    assert drawn(lambda stream, count: normal(stream, count, value, 0.3, 1.7)) == (moved, state)


@pytest.mark.parametrize(
    ("name", "single", "plain", "moved", "state"),
    [
        ("float64", "float32", "f337a6a8a9dc", "6bb7e228cf17", "4a6f5337292c"),
        ("complex128", "complex64", "9ccc084ed194", "8513038594ac", "c6f82dc4c9ae"),
    ],
)
def test_double_normal(name: str, single: str, plain: str, moved: str, state: str) -> None:
    """Rounded to single precision: the last bits are those of the C library."""
    value = DTYPES[name]

    def rounded(stream: Stream, count: int, *parameters: float) -> Any:
        return normal(stream, count, value, *parameters).astype(single)

    assert drawn(rounded) == (plain, state)
    assert drawn(lambda stream, count: rounded(stream, count, 0.3, 1.7)) == (moved, state)


def test_normal_numbers_one_by_one() -> None:
    """Where memory is not contiguous, any count is made singly, and a second number kept."""
    stream, single = seeded(0), DTYPES["float32"]
    numbers = normal(stream, 40, single, contiguous=False)
    assert digest(stream.get_state()) == "3af7569233ac"
    assert numbers[:3].tolist() == pytest.approx([1.5410, -0.2934, -2.1788], abs=1e-4)
    other = seeded(0)
    parts = [normal(other, count, single) for count in (1, 3, 15, 15, 6)]
    assert np.concatenate(parts).tobytes() == numbers.tobytes()


def test_halves_draw_only_whole_groups() -> None:
    """Torch draws the last group of single precision twice: first with the rest, then anew."""
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


# ---------------------------------------------------------------- integers

ONE_WORD, TWO_WORDS = "4d8d585d52e7", "629fd4cafcf0"

INTEGERS = [
    ("int64", 0, 10, "3ab78a4e55e0", ONE_WORD),
    ("int64", -5, 2**28 - 6, "0580288284b8", ONE_WORD),
    ("int64", -5, 2**28 - 5, "182ff85c0d6e", TWO_WORDS),
    ("int64", LEAST, MOST, "f823b53d5332", TWO_WORDS),
    ("int32", -(2**31), 2**31 - 1, "14f04f6a3a98", TWO_WORDS),
    ("uint8", 0, 256, "9aadd3cd46b4", ONE_WORD),
    ("int8", -128, 128, "eb35bdff078a", ONE_WORD),
    ("bool", 0, 2, "847afc48d3b7", ONE_WORD),
    ("uint16", 3, 65536, "3f65d19c7e3a", ONE_WORD),
    ("uint32", 0, 2**32, "0f79a2a2173e", TWO_WORDS),
    ("uint64", 0, MOST, "6b8398e82c25", TWO_WORDS),
    ("float32", -3, 1000, "d9b5aff8924d", ONE_WORD),
    ("float16", -2048, 2048, "2fce71db4f16", ONE_WORD),
    ("bfloat16", -200, 200, "9f43b7dc7f42", ONE_WORD),
    ("float64", 0, 2**53, "5c124d8eafae", TWO_WORDS),
    ("int16", 5, None, "b798c8b24936", ONE_WORD),
    ("int64", LEAST, None, "ceba6eafdd32", TWO_WORDS),
    ("int64", -7, None, "6a3fbdd511d8", TWO_WORDS),
    ("bfloat16", LEAST, None, "08bd7cdc65ba", TWO_WORDS),
    ("float32", 9, None, "45dc87d7182a", ONE_WORD),
    ("bool", 0, None, "847afc48d3b7", ONE_WORD),
    ("uint32", 1, None, "42b80f3f3873", TWO_WORDS),
]


@pytest.mark.parametrize(("name", "low", "high", "elements", "state"), INTEGERS)
def test_integers(name: str, low: int, high: int | None, elements: str, state: str) -> None:
    value = DTYPES[name]
    assert drawn(lambda stream, count: integers(stream, count, value, low, high)) == (
        elements,
        state,
    )


FULL = [
    ("uint8", "9aadd3cd46b4", ONE_WORD),
    ("int8", "831d7cf97c5d", ONE_WORD),
    ("int16", "db93f6982f38", ONE_WORD),
    ("int32", "cbb27ea5d350", ONE_WORD),
    ("int64", "46fba5f6e3ef", TWO_WORDS),
    ("bool", "847afc48d3b7", ONE_WORD),
    ("float16", "a663b2fc0c99", ONE_WORD),
    ("bfloat16", "26fe8f533ecd", ONE_WORD),
    ("float32", "f23ded4eb319", ONE_WORD),
    ("float64", "f87b8bade289", TWO_WORDS),
]


@pytest.mark.parametrize(("name", "elements", "state"), FULL)
def test_random_full(name: str, elements: str, state: str) -> None:
    value = DTYPES[name]
    assert drawn(lambda stream, count: random_full(stream, count, value)) == (elements, state)


REFUSED_INTEGERS = [
    ("int64", 3, 3, "RuntimeError: random_ expects 'from' to be less than 'to', but got from=3 >= to=3"),
    ("uint8", -1, 3, "RuntimeError: from is out of bounds for unsigned char"),
    ("int8", 0, 129, "RuntimeError: to - 1 is out of bounds for signed char"),
    ("int16", 2**15, MOST, "RuntimeError: from is out of bounds for short int"),
    ("uint16", 0, 65537, "RuntimeError: to - 1 is out of bounds for short unsigned int"),
    ("int32", 0, 2**31 + 1, "RuntimeError: to - 1 is out of bounds for int"),
    ("uint32", -1, 1, "RuntimeError: from is out of bounds for unsigned int"),
    ("uint64", 1, None, "RuntimeError: to - 1 is out of bounds for long unsigned int"),
    ("bool", 0, 3, "RuntimeError: to - 1 is out of bounds for bool"),
    ("float16", 0, 65506, "RuntimeError: to - 1 is out of bounds for c10::Half"),
    (
        "bfloat16", 65504, 65505,
        "RuntimeError: random_ expects 'from' casted to dtype to be less than 'to' casted to dtype,"
        " but got from=65504 >= to=65280",
    ),
    (
        "float32", 2**30, None,
        "RuntimeError: random_ expects 'from' casted to dtype to be less than or equal to 'to_inc'"
        " casted to dtype, but got from=1073741824 > to_inc=16777216",
    ),
    (
        "complex64", 0, 2,
        "RuntimeError: check_random_bounds handles only integral, floating-point and boolean types",
    ),
    (
        "uint4", 0, None,
        "RuntimeError: random_from_to_impl handles only integral, floating-point and boolean types",
    ),
    (
        "int8", LEAST, None,
        "RuntimeError: random_full_64_bits_range_kernel_cpu handles only int64, double, float and"
        " bfloat16",
    ),
    (
        "float16", LEAST, None,
        "NotImplementedError: \"random_full_64_bits_range_kernel_cpu\" not implemented for 'Half'",
    ),
    (
        "float8_e5m2", 0, 2,
        "NotImplementedError: \"random_update_from_to\" not implemented for 'Float8_e5m2'",
    ),
    (
        "float8_e5m2", 0, None,
        "NotImplementedError: \"random_from_to_range_calc\" not implemented for 'Float8_e5m2'",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("name", "low", "high", "error"), REFUSED_INTEGERS)
def test_integers_refused(name: str, low: int, high: int | None, error: str) -> None:
    stream = seeded(1)
    assert failure(lambda: integers(stream, 2, DTYPES[name], low, high)) == error
    assert stream.get_state() == seeded(1).get_state()


def test_ends_move_to_where_floats_are() -> None:
    """Between 65440 and 65504, float16 has one number in 32: the last draws are not rounded up."""
    with pytest.warns(UserWarning, match="out of bounds") as caught:
        elements = integers(seeded(1), 1000, DTYPES["float16"], 65440, 65504)
    assert sorted(set(elements.tolist())) == [65440.0, 65472.0]
    assert [str(each.message) for each in caught] == [
        f"{name} is out of bounds [-(2^11), 2^11]. Due to precision limitations c10::Half can"
        " support discrete uniform distribution only within this range. This warning will become"
        " an error in version 1.7 release, please fix the code in advance (Triggered internally at"
        f" /__w/pytorch/pytorch/aten/src/ATen/native/DistributionTemplates.h:{line}.)"
        for name, line in (("from", 110), ("to - 1", 111))
    ]


def test_full_range_refused() -> None:
    assert failure(lambda: random_full(Stream(), 1, DTYPES["uint16"])) == (
        "NotImplementedError: \"random_kernel_cpu\" not implemented for 'UInt16'"
    )


# ---------------------------------------------------------------- coin tosses


@pytest.mark.parametrize(
    ("name", "elements"),
    [
        ("uint8", "22e5bba40dc3"),
        ("bool", "22e5bba40dc3"),
        ("int64", "d728ae2a717f"),
        ("float32", "26d77f92b59c"),
        ("bfloat16", "3b8f568d6cd3"),
        ("float16", "2dc00ade4c4f"),
    ],
)
def test_bernoulli(name: str, elements: str) -> None:
    value = DTYPES[name]
    assert drawn(lambda stream, count: bernoulli(stream, count, value, 0.3)) == (
        elements,
        TWO_WORDS,
    )


def test_bernoulli_each() -> None:
    stream, single, double = seeded(7), DTYPES["float32"], DTYPES["float64"]
    chances = np.arange(100, dtype=np.float32) / np.float32(100)
    ones = bernoulli_each(stream, chances, single, single)
    assert (digest(ones.tobytes()), digest(stream.get_state())) == ("214456d1d2f8", "07c055e3040a")
    ones = bernoulli_each(stream, np.arange(100.0) / 100, double, double)
    assert (digest(ones.tobytes()), digest(stream.get_state())) == ("29a8555f14be", "1b66a187039d")


@pytest.mark.parametrize(("name", "words"), [("float32", 2), ("float64", 4)])
def test_what_is_no_probability_stops_the_drawing(name: str, words: int) -> None:
    stream, value = seeded(7), DTYPES[name]
    chances = np.array([0.5, 1.0, float("nan"), 2.0], name)
    assert failure(lambda: bernoulli_each(stream, chances, value, value)) == (
        "RuntimeError: Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this"
        " error message be improved?  If so, please report an enhancement request to PyTorch.)"
    )
    assert int.from_bytes(stream.get_state()[16:24], "little") == words


def test_bernoulli_refuses() -> None:
    single, half, wide = (DTYPES[name] for name in ("float32", "uint16", "int64"))
    some = np.array([0.5], np.float32)
    assert [
        failure(call)
        for call in (
            lambda: bernoulli(Stream(), 0, single, 1.5),
            lambda: bernoulli(Stream(), 1, single, float("nan")),
            lambda: bernoulli(Stream(), 1, half, 0.5),
            lambda: bernoulli_each(Stream(), some, single, half),
            lambda: bernoulli_each(Stream(), some, wide, single),
        )
    ] == [
        "RuntimeError: bernoulli_ expects p to be in [0, 1], but got p=1.5",
        "RuntimeError: bernoulli_ expects p to be in [0, 1], but got p=nan",
        "NotImplementedError: \"bernoulli_scalar_cpu_\" not implemented for 'UInt16'",
        "NotImplementedError: \"bernoulli_tensor_cpu_self_\" not implemented for 'UInt16'",
        "NotImplementedError: \"bernoulli_tensor_cpu_p_\" not implemented for 'Long'",
    ]


# ---------------------------------------------------------------- permutations


@pytest.mark.parametrize(
    ("name", "elements"),
    [
        ("int64", "bfb232c0e71d"),
        ("uint8", "561fa7d82fdf"),
        ("float16", "8e7480c1b6bf"),
        ("bfloat16", "e22616460e36"),
    ],
)
def test_permutation(name: str, elements: str) -> None:
    stream = seeded(7)
    parts = [permutation(stream, n, DTYPES[name]).tobytes() for n in (0, 1, 2, 5, 100, 250)]
    assert (digest(b"".join(parts)), digest(stream.get_state())) == (elements, "54af37476d4f")


def test_permutation_of_very_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other way of shuffling, from 214748364 on: each number goes in at its own place."""
    monkeypatch.setattr(random_integers, "_MANY", 4)
    assert permutation(seeded(1), 3).tolist() == random_integers._shuffled(seeded(1), 3)
    partners = [int(word) % (index + 1) for index, word in enumerate(seeded(1).long_words(50))]
    order: list[int] = []
    for index, partner in enumerate(partners):
        order.append(index)
        order[index], order[partner] = order[partner], index
    assert permutation(seeded(1), 50).tolist() == order
    assert sorted(order) == list(range(50))


@pytest.mark.parametrize(
    ("name", "n", "error"),
    [
        ("int64", -1, "RuntimeError: n must be non-negative, got-1"),
        ("float16", 2050, "RuntimeError: n cannot be greater than 2049 for Half type."),
        ("float32", 2**24 + 2, "RuntimeError: n cannot be greater than 2^24+1 for Float type."),
        ("float64", 2**53 + 2, "RuntimeError: n cannot be greater than 2^53+1 for Double type."),
        ("uint8", 257, "RuntimeError: value cannot be converted to type uint8_t without overflow"),
        ("int32", 2**31 + 1, "RuntimeError: value cannot be converted to type int without overflow"),
        (
            "complex32", 65506,
            "RuntimeError: value cannot be converted to type c10::complex<c10::Half> without overflow",
        ),
        ("uint16", 3, "NotImplementedError: \"randperm\" not implemented for 'UInt16'"),
        ("bool", 0, "NotImplementedError: \"randperm\" not implemented for 'Bool'"),
        ("float8_e5m2", 3, "NotImplementedError: \"randperm\" not implemented for 'Float8_e5m2'"),
        ("bits8", 0, "NotImplementedError: \"fill_out\" not implemented for 'Bits8'"),
        (
            "float4_e2m1fn_x2", 0,
            "NotImplementedError: \"fill_out\" not implemented for 'Float4_e2m1fn_x2'",
        ),
    ],
)  # fmt: skip
def test_permutation_refuses(name: str, n: int, error: str) -> None:
    assert failure(lambda: permutation(Stream(), n, DTYPES[name])) == error


# ---------------------------------------------------------------- arithmetic, threads


def test_one_rounding() -> None:
    """Sums that two roundings get wrong, and products that only exact arithmetic tells from a tie."""
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
    # 2**46 + 1 is the product: a little more than half way between two float32 numbers.
    factor = np.array([8384513 * 2.0**-35], np.float32)
    assert fused_single(factor, 8392705 * 2.0**-35, 1.0)[0] == 1 + 2.0**-23
    assert fused_single(-factor, 8392705 * 2.0**-35, -1.0)[0] == -1 - 2.0**-23
    assert fused_single(np.array([1.0], np.float32), 2.0**-24, 1.0)[0] == 1.0


def test_threads_do_not_share_words() -> None:
    stream, found = seeded(1), []

    def draw() -> None:
        for _ in range(200):
            found.extend(stream.words(7).tolist())

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == sorted(seeded(1).words(4 * 200 * 7).tolist())
