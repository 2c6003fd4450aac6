"""Random integers, Bernoulli numbers and permutations, with the values of torch 2.13.0.

A digest is of the elements' bytes, or of a stream's whole state.
"""

import numpy as np
import pytest

from impl._dtypes.table import DTYPES
from impl._random import integers as random_integers
from impl._random.integers import integers, permutation, random_full
from impl._random.mt19937 import MT19937Stream
from impl._random.uniform import bernoulli, bernoulli_each

from .random_digests import digest, digests, failure, seeded

LEAST, MOST = -(2**63), 2**63 - 1

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
    assert digests(lambda stream, count: integers(stream, count, value, low, high)) == (
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
    assert digests(lambda stream, count: random_full(stream, count, value)) == (elements, state)


REFUSED_INTEGERS = [
    ("int64", 3, 3,
     "RuntimeError: random_ expects 'from' to be less than 'to', but got from=3 >= to=3"),
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
    """Between 65440 and 65504, float16 has steps of 32; the last draws are not rounded up."""
    with pytest.warns(UserWarning, match="out of bounds") as caught:
        elements = integers(seeded(1), 1000, DTYPES["float16"], 65440, 65504)
    assert sorted(set(elements.tolist())) == [65440.0, 65472.0]
    assert [str(warning.message) for warning in caught] == [
        f"{name} is out of bounds [-(2^11), 2^11]. Due to precision limitations c10::Half can"
        " support discrete uniform distribution only within this range. This warning will become"
        " an error in version 1.7 release, please fix the code in advance (Triggered internally at"
        f" /__w/pytorch/pytorch/aten/src/ATen/native/DistributionTemplates.h:{line}.)"
        for name, line in (("from", 110), ("to - 1", 111))
    ]


def test_full_range_refused() -> None:
    assert failure(lambda: random_full(MT19937Stream(), 1, DTYPES["uint16"])) == (
        "NotImplementedError: \"random_kernel_cpu\" not implemented for 'UInt16'"
    )


# ---------------------------------------------------------------- Bernoulli


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
    assert digests(lambda stream, count: bernoulli(stream, count, value, 0.3)) == (
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
            lambda: bernoulli(MT19937Stream(), 0, single, 1.5),
            lambda: bernoulli(MT19937Stream(), 1, single, float("nan")),
            lambda: bernoulli(MT19937Stream(), 1, half, 0.5),
            lambda: bernoulli_each(MT19937Stream(), some, single, half),
            lambda: bernoulli_each(MT19937Stream(), some, wide, single),
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
    """From 214748364 elements on, each number is inserted at its own position."""
    monkeypatch.setattr(random_integers, "_RANDPERM_64", 4)
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
        ("int32", 2**31 + 1,
         "RuntimeError: value cannot be converted to type int without overflow"),
        (
            "complex32", 65506,
            "RuntimeError: value cannot be converted to type c10::complex<c10::Half> without"
            " overflow",
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
    assert failure(lambda: permutation(MT19937Stream(), n, DTYPES[name])) == error
