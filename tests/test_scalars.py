"""Numbers in promotion."""

import sys
from collections.abc import Callable
from enum import IntEnum
from fractions import Fraction

import numpy
import pytest
from hypothesis import given, strategies as st

import impl as torch
from impl._dtypes.scalars import is_number


class Integer(int):
    pass


class Float(float):
    pass


class Complex(complex):
    pass


class Choice(IntEnum):
    FIRST = 1


# The dtype of a number: its promotion with True, which has the lowest category.
KINDS = [
    (False, torch.bool),
    (0, torch.int64),
    (2**63 - 1, torch.int64),
    (-(2**63), torch.int64),
    (Integer(3), torch.int64),
    (Choice.FIRST, torch.int64),
    (1.0, torch.float32),
    (float("nan"), torch.float32),
    (1e300, torch.float32),
    (Float(1), torch.float32),
    (1j, torch.complex64),
    (Complex(1), torch.complex64),
    (numpy.int8(1), torch.int64),
    (numpy.int64(-(2**63)), torch.int64),
    (numpy.uint64(2**63 - 1), torch.int64),
    (numpy.float16(1), torch.float32),
    (numpy.float64(1), torch.float32),
    (numpy.longdouble("inf"), torch.float32),
    (numpy.complex128(1), torch.complex64),
    # A NumPy bool is read as a float.
    (numpy.bool_(True), torch.float32),
]


@pytest.mark.parametrize(("value", "dtype"), KINDS, ids=repr)
def test_kinds(value: object, dtype: torch.dtype) -> None:
    assert torch.result_type(value, True) is torch.result_type(True, value) is dtype


@pytest.mark.parametrize("value", [2**63, 2**64 - 1, Integer(2**63)])
def test_what_only_uint64_holds_is_uint64(value: int) -> None:
    assert torch.result_type(value, value) is torch.uint64
    assert torch.result_type(value, 1.5) is torch.float32


TOO_LARGE = "OverflowError: int too big to convert"
TOO_SMALL = "OverflowError: can't convert negative int to unsigned"
FAILURES = [
    ("1, 2**64", TOO_LARGE),
    ("2**64, 1.5", TOO_LARGE),
    ("-2**63 - 1, True", TOO_SMALL),
    # The second number is read first.
    ("2**64, -2**64", TOO_SMALL),
    ("-2**64, 2**64", TOO_LARGE),
    ("1, numpy.uint64(2**63)", "TypeError: an integer is required"),
    (
        "1, 2**63",
        "RuntimeError: Promotion for uint16, uint32, uint64 types is not supported,"
        " attempted to promote Long and UInt64",
    ),
    (
        "2**63, True",
        "RuntimeError: Promotion for uint16, uint32, uint64 types is not supported,"
        " attempted to promote UInt64 and Bool",
    ),
]


@pytest.mark.parametrize(("numbers", "failure"), FAILURES)
def test_failures(failure_of: Callable[[str], str], numbers: str, failure: str) -> None:
    assert failure_of(f"torch.result_type({numbers})") == failure


@pytest.mark.parametrize("cls", [numpy.complex64, numpy.clongdouble])
def test_numpy_warns_where_it_drops_an_imaginary_part(cls: type) -> None:
    """Only complex128 is a Python complex; torch reads the others as floats, and NumPy warns."""
    text = r"^Casting complex values to real discards the imaginary part$"
    with pytest.warns(numpy.exceptions.ComplexWarning, match=text):
        assert torch.result_type(cls(1), 1) is torch.float32


@pytest.mark.parametrize("value", [value for value, _ in KINDS], ids=repr)
def test_numbers_are_numbers(value: object) -> None:
    assert is_number(value)


@pytest.mark.parametrize(
    "value",
    ["1", b"1", None, [1], (1,), Fraction(1), torch.int8, int, numpy.array(1), numpy.str_("1")],
    ids=repr,
)
def test_other_things_are_no_numbers(value: object) -> None:
    assert not is_number(value)


def test_numpy_is_not_loaded_to_tell_its_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "numpy")
    assert not is_number("1")
    assert "numpy" not in sys.modules


NUMBERS = st.one_of(
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.integers(2**63, 2**64 - 1),
    st.floats(),
    st.complex_numbers(),
    st.integers().map(str),
)
DEFAULTS = st.sampled_from([torch.float16, torch.bfloat16, torch.float32, torch.float64])


def outcome(*args: object, **kwargs: object) -> str:
    """Return the dtype of result_type, or its error message."""
    try:
        return repr(torch.result_type(*args, **kwargs))
    except (TypeError, RuntimeError) as error:
        return type(error).__name__


@given(DEFAULTS, NUMBERS, NUMBERS)
def test_numbers_by_place_and_by_name_count_alike(
    default: torch.dtype, left: object, right: object
) -> None:
    """The fast path gives the result of the general path."""
    torch.set_default_dtype(default)
    by_name = outcome(scalar1=left, scalar2=right)
    assert outcome(left, right) == outcome(left, scalar2=right) == by_name
    assert outcome(right, left) == by_name


def test_sums_of_numbers() -> None:
    """The second call of a kind takes a shorter way."""
    for left, right, text in (
        (64, 64, "tensor(128)"), (2**62, 2**62, "tensor(-9223372036854775808)"),
        (0.5, 1j, "tensor(0.5000+1.j)"), (True, True, "tensor(True)"),
    ):  # fmt: skip
        for _ in range(3):
            assert repr(torch.add(left, right)) == text
    for _ in range(3):
        with pytest.raises(
            RuntimeError, match="Subtraction, the `-` operator, with a bool"
        ) as error:
            torch.sub(True, 0.5)
        assert error.value.__context__ is None
        with pytest.raises(RuntimeError, match="Promotion for uint16") as error:
            torch.add(2**63, 1)
        assert error.value.__context__ is None
