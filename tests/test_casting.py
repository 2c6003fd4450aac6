"""Casts: equal results of every kernel, size, stride and number of threads."""

import tracemalloc
import warnings
from itertools import product
from typing import Any

import numpy as np
import pytest

import impl as torch
from impl._arrays.numpy_bridge import numpy_storage_dtype
from impl._arrays.opaque_dtypes import is_opaque
from impl._arrays.parallel import BLOCK_ELEMENTS
from impl._dtypes.table import ALL_DTYPES, DTYPES, dtype
from impl._numerics.cast import convert, convert_into, to_numbers
from impl._numerics.float_formats import encode, encoder_of_few, intervals, nearest

CONVERTIBLE = [dtype for dtype in ALL_DTYPES if not is_opaque(dtype)]
ENCODED = [DTYPES[name] for name in (
    "bfloat16", "float8_e5m2", "float8_e4m3fn", "float8_e5m2fnuz", "float8_e4m3fnuz",
    "float8_e8m0fnu",
)]  # fmt: skip
RNG = np.random.default_rng(0)


def bits(array: Any) -> Any:
    """Return the bytes of each element."""
    flat = np.ascontiguousarray(array).reshape(-1)
    return flat.view(np.uint8).reshape(flat.size, -1)


def some_codes(dtype: dtype, count: int) -> Any:
    """Return all raw values of a dtype, or random ones."""
    size = dtype.itemsize
    if dtype is torch.bool:
        return np.arange(count) % 3 == 0
    if size <= 2:
        return np.resize(np.arange(2 ** (8 * size)).astype(f"u{size}"), count).view(
            numpy_storage_dtype(dtype)
        )
    return RNG.integers(0, 256, count * size, np.uint8).view(numpy_storage_dtype(dtype))


def singles(*patterns: Any) -> Any:
    """Return float32 numbers with these bits, their neighbors, and their negatives."""
    raw = np.concatenate([np.asarray(pattern, np.uint32).reshape(-1) for pattern in patterns])
    raw = np.concatenate([raw - 1, raw, raw + 1])
    return np.concatenate([raw, raw ^ 0x80000000]).view(np.float32)


def few_at_a_time(numbers: Any, dtype: dtype) -> Any:
    """Encode numbers in small arrays."""
    return np.concatenate(
        [encode(numbers[i : i + 200], dtype) for i in range(0, len(numbers), 200)]
    )


@pytest.mark.parametrize("dtype", ENCODED, ids=str)
def test_encoding_finds_the_nearest(dtype: dtype) -> None:
    halves = np.arange(2**16, dtype=np.uint32)
    random = RNG.integers(0, 2**32, 20_000, np.uint32)
    numbers = singles(halves << 16, halves << 15, random)
    numbers = numbers[~np.isnan(numbers) | (dtype is not torch.bfloat16)]
    wanted = nearest(numbers, dtype)
    assert (encode(numbers, dtype) == wanted).all()
    assert (few_at_a_time(numbers, dtype) == wanted).all()


def test_halves_are_rounded_as_numpy_rounds_them() -> None:
    every = np.arange(2**16, dtype=np.uint16).view(np.float16).astype(np.float32).view(np.uint32)
    numbers = singles(every, every + 0x1000, RNG.integers(0, 2**32, 50_000, np.uint32))
    numbers = numbers[~np.isnan(numbers)]
    with np.errstate(all="ignore"):
        wanted = numbers.astype(np.float16).view(np.uint16)
    assert (encode(numbers, DTYPES["float16"]) == wanted).all()
    assert (few_at_a_time(numbers, DTYPES["float16"]) == wanted).all()


@pytest.mark.parametrize(
    ("name", "pattern", "code"),
    [
        ("bfloat16", 0xFFFFFFFF, 0x7FC0),
        ("float16", 0x7F800001, 0x7E00),
        ("float16", 0xFF923456, 0xFE91),
        ("float8_e5m2", 0xFF800001, 0xFF),
        ("float8_e4m3fn", 0x7FC00000, 0x7F),
        ("float8_e4m3fnuz", 0xFFC00000, 0x80),
        ("float8_e8m0fnu", 0x7FC00000, 0xFF),
    ],
)
@pytest.mark.parametrize("count", [1, 2000])
def test_nans(name: str, pattern: int, code: int, count: int) -> None:
    numbers = np.full(count, pattern, np.uint32).view(np.float32)
    result = convert(numbers, DTYPES["float32"], DTYPES[name])
    assert set(result.view(f"u{result.itemsize}").tolist()) == {code}


@pytest.mark.parametrize(
    ("name", "code", "pattern"),
    [
        ("bfloat16", 0xFF81, 0xFF810000),
        ("float16", 0xFC01, 0xFFC02000),
        ("float8_e5m2", 0x7D, 0x7FE00000),
        ("float8_e5m2", 0xFE, 0xFFC00000),
        ("float8_e4m3fn", 0xFF, 0xFFF00000),
        ("float8_e5m2fnuz", 0x80, 0x7F800001),
        ("float8_e8m0fnu", 0xFF, 0x7F800001),
    ],
)
@pytest.mark.parametrize("count", [1, 2000])
def test_nans_become_wider(name: str, code: int, pattern: int, count: int) -> None:
    array = np.full(count, code, f"u{DTYPES[name].itemsize}").view(
        numpy_storage_dtype(DTYPES[name])
    )
    result = convert(array, DTYPES[name], DTYPES["float32"])
    assert set(result.view(np.uint32).tolist()) == {pattern}


def test_halves_become_wider_exactly() -> None:
    every = np.arange(2**16, dtype=np.uint16).view(np.float16)
    every = every[~np.isnan(every)]
    result = convert(every, torch.float16, torch.float32)
    assert (result.view(np.uint32) == every.astype(np.float32).view(np.uint32)).all()
    few = np.concatenate(
        [convert(part, torch.float16, torch.float32) for part in np.array_split(every, 300)]
    )
    assert (few.view(np.uint32) == result.view(np.uint32)).all()


INTEGERS = {"uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"}


@pytest.mark.parametrize(("source", "target"), [*product(CONVERTIBLE, CONVERTIBLE)], ids=str)
@pytest.mark.filterwarnings("ignore:Casting complex values")
def test_all_routes_agree(source: dtype, target: dtype) -> None:
    count = 2001
    raw = some_codes(source, count)
    if str(target)[6:] in INTEGERS and str(source)[6:] not in INTEGERS:
        raw = raw[np.abs(to_numbers(raw, source).real) < 100]
    whole = convert(raw, source, target)
    parts = [convert(raw[i : i + 50], source, target) for i in range(0, len(raw), 50)]
    assert (bits(np.concatenate(parts)) == bits(whole)).all()
    gaps = np.zeros((len(raw), 2), numpy_storage_dtype(target))
    convert_into(gaps[:, 1], np.repeat(raw, 2)[::2], source, target)
    assert (bits(gaps[:, 1]) == bits(whole)).all()
    assert not bits(gaps[:, 0]).any()


PAIRS = [
    (DTYPES[source], DTYPES[target])
    for source, target in (
        ("float32", "float16"), ("float32", "bfloat16"), ("float64", "float8_e4m3fn"),
        ("float16", "float32"), ("float8_e4m3fn", "float64"), ("bool", "float16"),
        ("bfloat16", "bool"), ("int64", "float8_e5m2"), ("complex64", "float32"),
    )
]  # fmt: skip


@pytest.mark.parametrize(("source", "target"), PAIRS, ids=str)
@pytest.mark.filterwarnings("ignore:Casting complex values")
def test_large_arrays_in_any_order(source: dtype, target: dtype) -> None:
    raw = some_codes(source, 6 * BLOCK_ELEMENTS // 2 + 6).reshape(3, -1)
    wanted = np.concatenate(
        [convert(part, source, target) for part in np.array_split(raw.reshape(-1), 50)]
    ).reshape(raw.shape)
    assert (bits(convert(raw, source, target)) == bits(wanted)).all()
    out = np.zeros(raw.shape[::-1], numpy_storage_dtype(target))
    convert_into(out.T, raw, source, target)
    assert (bits(out.T) == bits(wanted)).all()
    broad = np.zeros((2, *raw.shape), numpy_storage_dtype(target))
    convert_into(broad, raw, source, target)
    assert (bits(broad[1]) == bits(wanted)).all()


@pytest.mark.parametrize(("source", "target"), PAIRS[:-1], ids=str)
@pytest.mark.parametrize("count", [6, 5 * BLOCK_ELEMENTS])
def test_there_are_no_warnings(source: dtype, target: dtype, count: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        convert(some_codes(source, count), source, target)


@pytest.mark.parametrize(("source", "target"), PAIRS[:-1], ids=str)
def test_little_memory_is_needed_in_between(source: dtype, target: dtype) -> None:
    raw = some_codes(source, 2**20)
    convert(raw, source, target)
    tracemalloc.start()
    try:
        result = convert(raw, source, target)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert result.nbytes <= peak <= result.nbytes + 2**21


def test_a_tensor_keeps_its_order() -> None:
    x = torch.arange(24).reshape(2, 3, 4).permute(2, 0, 1)
    y = x.to(torch.bfloat16)
    assert (y.stride(), y.storage_offset(), y.tolist()) == ((1, 12, 4), 0, x.tolist())
    part = torch.arange(10)[3:7]
    assert part.to(torch.float16).tolist() == [3, 4, 5, 6]
    assert part.double().untyped_storage().nbytes() == 32
    assert torch.arange(10)[::3].half().tolist() == [0, 3, 6, 9]
    assert torch.arange(3).expand(2, 3).to(torch.float32).stride() == (3, 1)
    assert torch.tensor(7).to(torch.float8_e5m2).item() == 7
    assert torch.empty(0, 3).to(torch.int8).shape == (0, 3)


def test_what_lies_on_itself_is_read_first() -> None:
    x = torch.tensor([1.5, 2.5, -3.0])
    x.view(torch.int32).copy_(x)
    assert x.view(torch.int32).tolist() == [1, 2, -3]


@pytest.mark.parametrize("source", ["float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"])
@pytest.mark.parametrize("target", ["int32", "int64", "uint8"])
def test_nans_that_are_constants_become_zero(source: str, target: str) -> None:
    nan = convert(np.full(1, np.nan, np.float32), torch.float32, DTYPES[source])
    assert convert(nan, DTYPES[source], DTYPES[target]).tolist() == [0]


def test_short_ways() -> None:
    x = torch.arange(6).reshape(2, 3).t()
    assert torch.cat([x, x], -1).tolist() == [[0, 3, 0, 3], [1, 4, 1, 4], [2, 5, 2, 5]]
    assert torch.cat([x, x[:1]]).tolist() == [[0, 3], [1, 4], [2, 5], [0, 3]]
    with pytest.raises(IndexError, match=r"expected to be in range of \[-2, 1\], but got 2"):
        torch.cat([x, x], 2)
    assert torch.zeros(2, dtype=torch.int8).fill_(2.75).tolist() == [2, 2]
    assert torch.zeros(6).copy_(torch.arange(6)).tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("dtype", [*ENCODED, torch.float16], ids=str)
def test_few_doubles_round_twice_as_many_do(dtype: dtype) -> None:
    singles_between = intervals(dtype).starts.view(np.float32)
    with np.errstate(all="ignore"):
        below = np.nextafter(singles_between, np.float32(0))
        halves = (singles_between.astype(np.float64) + below.astype(np.float64)) / 2
        doubles = np.concatenate([np.nextafter(halves, 0), halves, np.nextafter(halves, np.inf)])
        random = RNG.integers(0, 2**64, 20_000, np.uint64).view(np.float64)
        doubles = np.concatenate([doubles, random, singles_between.astype(np.float64)])
        expected = encode(doubles.astype(np.float32), dtype)
    result = encoder_of_few(dtype, doubles=True)(doubles)
    assert (result.view(expected.dtype) == expected).all()
