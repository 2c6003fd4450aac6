"""Python data to elements, and elements to Python numbers, as in torch 2.13."""

import array
import collections
import math
from collections.abc import Iterator
from typing import Any

import numpy
import pytest

import impl as torch
from impl._arrays.numpy_bridge import numpy_storage_dtype
from impl._dtypes.table import DTYPES
from impl._numerics.from_python import (
    check_numpy,
    elements_from_data,
    numpy_dtype_of,
    python_value,
    python_values,
)


def read(data: Any, name: str | None = None) -> tuple[Any, ...]:
    shape, dtype, elements = elements_from_data(data, DTYPES[name] if name else None)
    assert elements.shape == (math.prod(shape),)
    assert elements.dtype == numpy_storage_dtype(dtype)
    assert elements.flags.c_contiguous
    assert elements.flags.writeable
    return shape, str(dtype)[6:], python_values(elements.reshape(shape), dtype)


def failure(data: Any, name: str | None = None) -> str:
    with pytest.raises(Exception) as caught:  # noqa: PT011  # the class is part of the text
        elements_from_data(data, DTYPES[name] if name else None)
    return f"{caught.type.__name__}: {caught.value}"


@pytest.fixture
def warns_always() -> Iterator[None]:
    torch.set_warn_always(True)
    yield
    torch.set_warn_always(False)


class Items:
    def __init__(self, *items: Any) -> None:
        self.items = items

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: int) -> Any:
        return self.items[index]


class Lying(Items):
    def __iter__(self) -> Iterator[int]:
        return iter([7, 8, 9])


class Endless:
    def __getitem__(self, index: int) -> int:
        return 1


class Broken(Items):
    def __getitem__(self, index: int) -> Any:
        raise KeyError


class Float(float):
    pass


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (1, ((), "int64", 1)),
        (1.5, ((), "float32", 1.5)),
        (True, ((), "bool", True)),
        (1j, ((), "complex64", 1j)),
        (Float(2), ((), "float32", 2.0)),
        ([], ((0,), "float32", [])),
        ([[], []], ((2, 0), "float32", [[], []])),
        ([[], [1]], ((2, 0), "float32", [[], []])),
        ([1, True], ((2,), "int64", [1, 1])),
        ([True, False], ((2,), "bool", [True, False])),
        ([True, 1.5], ((2,), "float32", [1.0, 1.5])),
        ([1, 2.5, 1j], ((3,), "complex64", [1 + 0j, 2.5 + 0j, 1j])),
        ([1.5, 2**63], ((2,), "float32", [1.5, 2.0**63])),
        ([1e300, -1e300], ((2,), "float32", [math.inf, -math.inf])),
        (range(3), ((3,), "int64", [0, 1, 2])),
        ([(1, 2), range(3, 5)], ((2, 2), "int64", [[1, 2], [3, 4]])),
        (((1.0, 2), [3, 4]), ((2, 2), "float32", [[1.0, 2.0], [3.0, 4.0]])),
        (bytearray(b"ab"), ((2,), "int64", [97, 98])),
        ([memoryview(b"ab")], ((1, 2), "int64", [[97, 98]])),
        (array.array("d", [1, 2]), ((2,), "float32", [1.0, 2.0])),
        (collections.deque([1, 2]), ((2,), "int64", [1, 2])),
        (collections.UserDict({0: 5}), ((1,), "int64", [0])),
        (Items(Items(1, 2), [3, 4]), ((2, 2), "int64", [[1, 2], [3, 4]])),
        (Lying(1, 2, 3), ((3,), "int64", [7, 8, 9])),
        (numpy.float16(1.5), ((), "float16", 1.5)),
        (numpy.uint16(3), ((), "uint16", 3)),
        ([numpy.float64(1.5), 1], ((2,), "float64", [1.5, 1.0])),
        ([numpy.float16(1), 1.0], ((2,), "float32", [1.0, 1.0])),
        ([numpy.int8(3), numpy.int16(4)], ((2,), "int16", [3, 4])),
        ([numpy.bool_(True), True], ((2,), "bool", [True, True])),
        ([numpy.longlong(1)], ((1,), "int64", [1])),
        ([1j, numpy.float64(2)], ((2,), "complex128", [1j, 2 + 0j])),
    ],
    ids=lambda value: repr(value).partition(" at 0x")[0],
)
def test_inferred(data: Any, expected: tuple[Any, ...]) -> None:
    result = read(data)
    assert result == expected
    assert repr(result) == repr(expected)


@pytest.mark.parametrize(
    ("data", "name", "expected"),
    [
        ([1.9, -1.9], "int8", [1, -1]),
        ([-1, 255], "uint8", [255, 255]),
        ([2**63, 2**64 - 1], "uint64", [2**63, 2**64 - 1]),
        ([0.0, math.nan, 2j], "bool", [False, True, True]),
        ([65519, 65520], "float16", [65504.0, math.inf]),
        ([0.1, -300], "bfloat16", [0.10009765625, -300.0]),
        ([1e9, -1e9], "float8_e4m3fn", [448.0, -448.0]),
        ([1, 2j], "complex32", [1 + 0j, 2j]),
        ([[1e39j]], "complex64", [[complex(0, math.inf)]]),
        ([2.0**63], "int64", [-(2**63)]),
    ],
)
def test_given(data: Any, name: str, expected: list[Any]) -> None:
    assert read(data, name)[1:] == (name, expected)


def test_other_defaults() -> None:
    torch.set_default_dtype(torch.float16)
    assert read([1j, 1.5])[1] == "complex32"
    torch.set_default_dtype(torch.bfloat16)
    assert read([1.1])[1:] == ("bfloat16", [1.1015625])
    assert failure([1, 2j]) == "RuntimeError: invalid default scalar type for complex"
    assert read([numpy.complex128(1), 1j])[1] == "complex128"
    torch.set_default_dtype(torch.float64)
    # complex128 is the widest dtype, so the other values are not read before they are stored.
    assert failure([1j, None]) == "TypeError: must be real number, not NoneType"


TEXT = "TypeError: new(): invalid data type"
INT = "cannot be interpreted as an integer"


@pytest.mark.parametrize(
    ("data", "name", "expected"),
    [
        ([[1, 2], [3]], None, "ValueError: expected sequence of length 2 at dim 1 (got 1)"),
        ([[[1]], [[2, 3]]], None, "ValueError: expected sequence of length 1 at dim 2 (got 2)"),
        (Lying(1, 2), None, "ValueError: expected sequence of length 2 at dim 0 (got 3)"),
        ([[1], 2], None, "TypeError: not a sequence"),
        ([1, [2]], None, f"TypeError: 'list' object {INT}"),
        ([1.5, [2]], None, "TypeError: must be real number, not list"),
        ([2**63], None, "ValueError: Overflow when unpacking long long"),
        ([1.5, 10**400], None, "OverflowError: int too large to convert to float"),
        ("a", None, f"{TEXT} 'str'"),
        (b"ab", "uint8", f"{TEXT} 'bytes'"),
        ([b"ab"], None, f"{TEXT} 'bytes'"),
        ([b"ab"], "uint8", "ok"),
        (["a"], None, "ValueError: too many dimensions 'str'"),
        ([1, "a"], None, f"{TEXT} 'str'"),
        ([1, "a"], "int8", f"TypeError: 'str' object {INT}"),
        (None, None, "RuntimeError: Could not infer dtype of NoneType"),
        ([None], "float32", "TypeError: must be real number, not NoneType"),
        ({0: 1}, None, "RuntimeError: Could not infer dtype of dict"),
        ([{1}], None, "RuntimeError: Could not infer dtype of set"),
        (iter([1]), None, "RuntimeError: Could not infer dtype of list_iterator"),
        (Endless(), None, "TypeError: object of type 'Endless' has no len()"),
        (
            [Broken(1)],
            None,
            "ValueError: could not determine the shape of object type 'Broken'",
        ),
        (numpy.uint64(3), None, "TypeError: an integer is required"),
        ([300], "uint8", "RuntimeError: value cannot be converted to type uint8 without overflow"),
        ([[1]], "bits8", "RuntimeError: store_scalar: invalid type"),
        (
            [numpy.uint16(1), 1],
            None,
            "RuntimeError: Promotion for uint16, uint32, uint64 types is not supported, attempted"
            " to promote UInt16 and Long",
        ),
        ([numpy.array(1)], None, "TypeError: len() of unsized object"),
    ],
    ids=lambda value: repr(value).partition(" at 0x")[0],
)
def test_refusals(data: Any, name: str | None, expected: str) -> None:
    if expected == "ok":
        assert read(data, name)[2] == [[97, 98]]
    else:
        assert failure(data, name) == expected


def test_lists_that_hold_themselves() -> None:
    first: list[Any] = []
    first.append(first)
    assert failure(first) == "ValueError: too many dimensions 'list'"
    later: list[Any] = [1]
    later.append(later)
    assert failure(later) == "TypeError: new(): self-referential lists are incompatible"
    twice: Any = 1
    for _ in range(128):
        twice = [twice]
    assert len(elements_from_data(twice)[0]) == 128
    assert failure([twice]) == "ValueError: too many dimensions 'list'"


def test_lists_of_arrays_warn(warns_always: None) -> None:
    for name in (None, "int8"):
        with pytest.warns(
            UserWarning, match=r"list of numpy\.ndarrays is extremely slow"
        ) as caught:
            result = read([numpy.ones((2, 1), numpy.int16), [[2], [3]]], name)
        assert result == ((2, 2, 1), name or "int64", [[[1], [1]], [[2], [3]]])
        assert len(caught) == 3


UNSUPPORTED = (
    "can't convert np.ndarray of type {}. The only supported types are: float64, float32, float16,"
    " complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, uint8, and bool."
)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (numpy.array([None]), "numpy.object_"),
        (numpy.zeros(1, "i4,i4"), "numpy.void"),
        (numpy.zeros(1, numpy.ulonglong), "numpy.ulonglong"),
        (numpy.longdouble(1), "numpy.longdouble"),
        (numpy.datetime64(0, "s"), "numpy.datetime64"),
    ],
)
def test_numpy_types_without_a_dtype(value: Any, name: str) -> None:
    with pytest.raises(TypeError) as caught:
        numpy_dtype_of(value)
    assert str(caught.value) == UNSUPPORTED.format(name)


def test_arrays_whose_memory_can_be_shared(warns_always: None) -> None:
    assert check_numpy(numpy.zeros(2, numpy.longlong)) is DTYPES["int64"]
    assert check_numpy(numpy.zeros(2, ">i1")[::1]) is DTYPES["int8"]
    read_only = numpy.zeros(2)
    read_only.flags.writeable = False
    assert check_numpy(read_only, warn_if_read_only=False) is DTYPES["float64"]
    with pytest.warns(UserWarning, match="The given NumPy array is not writable"):
        check_numpy(read_only)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ([1], "TypeError: expected np.ndarray (got list)"),
        (numpy.float32(1), "TypeError: expected np.ndarray (got numpy.float32)"),
        (
            numpy.zeros(3, [("a", "i4"), ("b", "i2")])["a"][::-1],
            "ValueError: given numpy array strides not a multiple of the element byte size. Copy"
            " the numpy array to reallocate the memory.",
        ),
        (
            numpy.zeros(3, ">f4")[::-1],
            "ValueError: At least one stride in the given numpy array is negative, and tensors with"
            " negative strides are not currently supported. (You can probably work around this by"
            " making a copy of your array  with array.copy().) ",
        ),
        (
            numpy.zeros(3, ">f4"),
            "ValueError: given numpy array has byte order different from the native byte order."
            " Conversion between byte orders is currently not supported.",
        ),
    ],
)
def test_arrays_whose_memory_cannot_be_shared(data: Any, expected: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        check_numpy(data)
    assert f"{caught.type.__name__}: {caught.value}" == expected


def test_the_way_back() -> None:
    assert python_value(0x3FC0, DTYPES["bfloat16"]) == 1.5
    assert python_value(0x40003C00, DTYPES["complex32"]) == 1 + 2j
    assert python_value(0x7F, DTYPES["float8_e8m0fnu"]) == 1.0
    assert type(python_value(True, DTYPES["bool"])) is bool
    raw = numpy.array([[0x3C, 0xFC]], numpy.uint8)
    assert python_values(raw, DTYPES["float8_e5m2"]) == [[1.0, -math.inf]]
    assert python_values(numpy.array(0x3C00, numpy.uint32), DTYPES["complex32"]) == 1 + 0j


@pytest.mark.parametrize("name", ["bits8", "int4", "qint8", "float4_e2m1fn_x2"])
def test_elements_that_are_no_numbers(name: str) -> None:
    dtype = DTYPES[name]
    assert python_values(numpy.empty((2, 0), numpy_storage_dtype(dtype)), dtype) == [[], []]
    with pytest.raises(RuntimeError, match=r"^load_scalar: invalid type$"):
        python_values(numpy.zeros(1, numpy_storage_dtype(dtype)), dtype)
    with pytest.raises(RuntimeError) as caught:
        python_value(0, dtype)
    assert str(caught.value).startswith('"_local_scalar_dense_cpu" not implemented for ')
