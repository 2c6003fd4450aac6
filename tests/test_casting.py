"""Conversions: every route gives the same, whatever the size, the strides and the threads."""

import tracemalloc
import warnings
from itertools import product
from typing import Any

import numpy as np
import pytest

import impl as torch
from impl._arrays.numpy_bridge import numpy_storage_dtype
from impl._arrays.opaque_dtypes import is_opaque
from impl._arrays.parallel import PART
from impl._dtypes.table import ALL, DTYPES, dtype
from impl._numerics.cast import convert, convert_into, numbers
from impl._numerics.float_formats import encode, encoder_of_few, intervals, nearest

CONVERTIBLE = [each for each in ALL if not is_opaque(each)]
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
    """Return codes that are all there are, or that are drawn."""
    size = dtype.itemsize
    if dtype is torch.bool:
        return np.arange(count) % 3 == 0
    if size <= 2:
        return np.resize(np.arange(2 ** (8 * size)).astype(f"u{size}"), count).view(
            numpy_storage_dtype(dtype)
        )
    return RNG.integers(0, 256, count * size, np.uint8).view(numpy_storage_dtype(dtype))


def singles(*patterns: Any) -> Any:
    """Return float32 numbers with these bits, either sign, and their neighbours."""
    found = np.concatenate([np.asarray(each, np.uint32).reshape(-1) for each in patterns])
    found = np.concatenate([found - 1, found, found + 1])
    return np.concatenate([found, found ^ 0x80000000]).view(np.float32)


def few_at_a_time(given: Any, dtype: dtype) -> Any:
    """Encode numbers in small arrays."""
    return np.concatenate([encode(given[i : i + 200], dtype) for i in range(0, len(given), 200)])


@pytest.mark.parametrize("dtype", ENCODED, ids=str)
def test_encoding_finds_the_nearest(dtype: dtype) -> None:
    halves = np.arange(2**16, dtype=np.uint32)
    drawn = RNG.integers(0, 2**32, 20_000, np.uint32)
    given = singles(halves << 16, halves << 15, drawn)
    given = given[~np.isnan(given) | (dtype is not torch.bfloat16)]
    wanted = nearest(given, dtype)
    assert (encode(given, dtype) == wanted).all()
    assert (few_at_a_time(given, dtype) == wanted).all()


def test_halves_are_rounded_as_numpy_rounds_them() -> None:
    every = np.arange(2**16, dtype=np.uint16).view(np.float16).astype(np.float32).view(np.uint32)
    given = singles(every, every + 0x1000, RNG.integers(0, 2**32, 50_000, np.uint32))
    given = given[~np.isnan(given)]
    with np.errstate(all="ignore"):
        wanted = given.astype(np.float16).view(np.uint16)
    assert (encode(given, DTYPES["float16"]) == wanted).all()
    assert (few_at_a_time(given, DTYPES["float16"]) == wanted).all()


@pytest.mark.parametrize(
    ("kind", "pattern", "code"),
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
def test_nans(kind: str, pattern: int, code: int, count: int) -> None:
    given = np.full(count, pattern, np.uint32).view(np.float32)
    found = convert(given, DTYPES["float32"], DTYPES[kind])
    assert set(found.view(f"u{found.itemsize}").tolist()) == {code}


@pytest.mark.parametrize(
    ("kind", "code", "pattern"),
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
def test_nans_become_wider(kind: str, code: int, pattern: int, count: int) -> None:
    given = np.full(count, code, f"u{DTYPES[kind].itemsize}").view(
        numpy_storage_dtype(DTYPES[kind])
    )
    found = convert(given, DTYPES[kind], DTYPES["float32"])
    assert set(found.view(np.uint32).tolist()) == {pattern}


def test_halves_become_wider_exactly() -> None:
    every = np.arange(2**16, dtype=np.uint16).view(np.float16)
    every = every[~np.isnan(every)]
    found = convert(every, torch.float16, torch.float32)
    assert (found.view(np.uint32) == every.astype(np.float32).view(np.uint32)).all()
    few = np.concatenate(
        [convert(each, torch.float16, torch.float32) for each in np.array_split(every, 300)]
    )
    assert (few.view(np.uint32) == found.view(np.uint32)).all()


INTEGERS = {"uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"}


@pytest.mark.parametrize(("source", "target"), [*product(CONVERTIBLE, CONVERTIBLE)], ids=str)
@pytest.mark.filterwarnings("ignore:Casting complex values")
def test_all_routes_agree(source: dtype, target: dtype) -> None:
    count = 2001
    raw = some_codes(source, count)
    if str(target)[6:] in INTEGERS and str(source)[6:] not in INTEGERS:
        raw = raw[np.abs(numbers(raw, source).real) < 100]
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
    raw = some_codes(source, 6 * PART // 2 + 6).reshape(3, -1)
    wanted = np.concatenate(
        [convert(each, source, target) for each in np.array_split(raw.reshape(-1), 50)]
    ).reshape(raw.shape)
    assert (bits(convert(raw, source, target)) == bits(wanted)).all()
    out = np.zeros(raw.shape[::-1], numpy_storage_dtype(target))
    convert_into(out.T, raw, source, target)
    assert (bits(out.T) == bits(wanted)).all()
    broad = np.zeros((2, *raw.shape), numpy_storage_dtype(target))
    convert_into(broad, raw, source, target)
    assert (bits(broad[1]) == bits(wanted)).all()


@pytest.mark.parametrize(("source", "target"), PAIRS[:-1], ids=str)
@pytest.mark.parametrize("count", [6, 5 * PART])
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


@pytest.mark.parametrize("kind", ["float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"])
@pytest.mark.parametrize("target", ["int32", "int64", "uint8"])
def test_nans_that_are_constants_become_zero(kind: str, target: str) -> None:
    nan = convert(np.full(1, np.nan, np.float32), torch.float32, DTYPES[kind])
    assert convert(nan, DTYPES[kind], DTYPES[target]).tolist() == [0]


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
        drawn = RNG.integers(0, 2**64, 20_000, np.uint64).view(np.float64)
        doubles = np.concatenate([doubles, drawn, singles_between.astype(np.float64)])
        expected = encode(doubles.astype(np.float32), dtype)
    found = encoder_of_few(dtype, doubles=True)(doubles)
    assert (found.view(expected.dtype) == expected).all()
