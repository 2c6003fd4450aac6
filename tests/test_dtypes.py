"""The dtypes: their names, attributes and identity."""

import copy
import pickle
import re
from collections.abc import Callable

import pytest

import impl as torch
from impl._dtypes.table import (
    ALL_DTYPES,
    DTYPE_SPECS,
    DTYPES,
    PYTHON_TYPES,
    DTypeSpec,
    Kind,
    as_dtype,
    create_dtypes,
    spec_of,
)

NAMES = [repr(dtype).removeprefix("torch.") for dtype in ALL_DTYPES]


def test_public_names() -> None:
    """The package has every dtype under every name, and lists them in order."""
    assert sorted(torch.__all__) == torch.__all__
    assert set(DTYPES) < set(torch.__all__) <= set(dir(torch))
    assert set(DTYPES) < set(vars(torch))
    assert {name: getattr(torch, name) for name in DTYPES} == DTYPES


def test_each_dtype_exists_once() -> None:
    assert len(ALL_DTYPES) == len(DTYPE_SPECS) == len(set(ALL_DTYPES)) == 46
    assert [spec_of(dtype) for dtype in ALL_DTYPES] == list(DTYPE_SPECS)
    assert {id(value) for value in DTYPES.values()} == set(map(id, ALL_DTYPES))


def test_names_are_used_once() -> None:
    """Names, aliases, abbreviations and C++ names are unique."""
    names = [name for row in DTYPE_SPECS for name in (row.name, *row.aliases)]
    assert sorted(names) == sorted(DTYPES)
    for column in (names, [row.abbr for row in DTYPE_SPECS], [row.cpp_name for row in DTYPE_SPECS]):
        assert len(set(column)) == len(column)


def test_two_rows_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^two rows for uint8$"):
        create_dtypes((DTYPE_SPECS[0], DTYPE_SPECS[0]))


@pytest.mark.parametrize("name", NAMES)
def test_a_name_says_what_its_dtype_is(name: str) -> None:
    """The name of a dtype gives its category and its number of bits."""
    dtype = getattr(torch, name)
    assert dtype.is_floating_point is name.startswith(("float", "bfloat"))
    assert dtype.is_complex is name.startswith("complex")
    if name != "bool":
        match = re.match(r"[a-z]+(\d+)(?:\w*x(\d+))?", name)
        assert match
        width, packed = match.groups(default="1")
        bits = int(width) * int(packed)
        assert spec_of(dtype).bits == bits
        assert dtype.itemsize == max(1, bits // 8)


OLD_CPP_NAMES = {
    "uint8": "Byte", "int8": "Char", "int16": "Short", "int32": "Int", "int64": "Long",
    "float16": "Half", "float32": "Float", "float64": "Double",
    "complex32": "ComplexHalf", "complex64": "ComplexFloat", "complex128": "ComplexDouble",
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_cpp_names(failure_of: Callable[[str], str], name: str) -> None:
    """The C++ name in messages is a name of C, or the public name with other capitals."""
    other = "quint8" if name == "qint8" else "qint8"
    failure = failure_of(f"torch.promote_types(torch.{name}, torch.{other})")
    cpp_name = failure.split(" ")[-2]
    assert cpp_name == OLD_CPP_NAMES.get(name, cpp_name)
    assert cpp_name[0].isupper()
    assert (cpp_name.lower() == name) is (name not in OLD_CPP_NAMES)


@pytest.mark.parametrize("row", [row for row in DTYPE_SPECS if row.kind is Kind.FLOAT])
def test_a_float_format_fills_its_bits(row: DTypeSpec) -> None:
    """Sign, exponent and mantissa of all packed elements fill the bits."""
    form = row.float_format
    signs = 0 if row.name == "float8_e8m0fnu" else 1
    assert (signs + form.exponent_bits + form.mantissa_bits) * form.packed == row.bits
    if match := re.search(r"_e(\d)m(\d)", row.name):
        assert [form.exponent_bits, form.mantissa_bits] == [
            int(digits) for digits in match.groups()
        ]


@pytest.mark.parametrize("dtype", ALL_DTYPES, ids=repr)
def test_partners(dtype: torch.dtype) -> None:
    """The real dtype of a complex dtype has half its size, and the inverse mapping agrees."""
    real = dtype.to_real()
    assert (real is dtype) is not dtype.is_complex
    if dtype.is_complex:
        assert dtype.to_complex() is real.to_complex() is dtype
        assert real.itemsize * 2 == dtype.itemsize


def test_bfloat16_is_part_of_no_complex_dtype() -> None:
    assert torch.bfloat16.to_complex() is torch.complex64


SIGNS = {
    "uint8": False, "uint64": False, "uint3": False, "bool": False, "float8_e8m0fnu": False,
    "int8": True, "int1": True, "bfloat16": True, "float8_e4m3fnuz": True, "complex32": True,
    "float4_e2m1fn_x2": True,
}  # fmt: skip


@pytest.mark.parametrize(("name", "signed"), SIGNS.items())
def test_is_signed(name: str, signed: bool) -> None:
    assert getattr(torch, name).is_signed is signed


@pytest.mark.parametrize("name", sorted(DTYPES))
def test_dtypes_are_copied_and_pickled_by_name(name: str) -> None:
    dtype = getattr(torch, name)
    assert copy.copy(dtype) is copy.deepcopy(dtype) is dtype
    assert dtype.__reduce__() == repr(dtype).removeprefix("torch.")
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps({dtype: [dtype]}, protocol)) == {dtype: [dtype]}


FAILURES = [
    ("torch.float32.nonsense", "AttributeError: 'torch.dtype' object has no attribute 'nonsense'"),
    ("torch.float32.__dict__", "AttributeError: 'torch.dtype' object has no attribute '__dict__'"),
    ("torch.float32()", "TypeError: 'torch.dtype' object is not callable"),
    ("torch.float32.to_real(1)", "TypeError: dtype.to_real() takes no arguments (1 given)"),
    ("torch.float32.to_real(x=1)", "TypeError: dtype.to_real() takes no keyword arguments"),
    ("torch.int8.to_complex(1, 2)", "TypeError: dtype.to_complex() takes no arguments (2 given)"),
    ("torch.int8.to_complex(1, x=2)", "TypeError: dtype.to_complex() takes no keyword arguments"),
    ("torch.int8.__reduce__(1)", "TypeError: dtype.__reduce__() takes no arguments (1 given)"),
    ("torch.int8.to_complex()", "RuntimeError: Unknown Complex ScalarType for Char"),
    ("torch.bits8.to_complex()", "RuntimeError: Unknown Complex ScalarType for Bits8"),
    ("torch.float8_e5m2.to_complex()", "RuntimeError: Unknown Complex ScalarType for Float8_e5m2"),
    ("torch.bits1x8.is_signed", "RuntimeError: Bits types are undefined"),
    ("torch.quint8.is_signed", "RuntimeError: isSignedType not supported for quantized types"),
    (
        "torch.int8 < torch.int8",
        "TypeError: '<' not supported between instances of 'torch.dtype' and 'torch.dtype'",
    ),
    (
        "torch.int8 + 1",
        "TypeError: unsupported operand type(s) for +: 'torch.dtype' and 'int'",
    ),
    ("len(torch.int8)", "TypeError: object of type 'torch.dtype' has no len()"),
    ("iter(torch.int8)", "TypeError: 'torch.dtype' object is not iterable"),
    ("torch.int8[0]", "TypeError: 'torch.dtype' object is not subscriptable"),
    (
        "operator.index(torch.int8)",
        "TypeError: 'torch.dtype' object cannot be interpreted as an integer",
    ),
    (
        "format(torch.int8, '>20')",
        "TypeError: unsupported format string passed to torch.dtype.__format__",
    ),
]


@pytest.mark.parametrize(("text", "failure"), FAILURES)
def test_failures(failure_of: Callable[[str], str], text: str, failure: str) -> None:
    assert failure_of(text) == failure


WRITES = [
    ("itemsize", "attribute 'itemsize' of 'torch.dtype' objects is not writable"),
    ("is_signed", "attribute 'is_signed' of 'torch.dtype' objects is not writable"),
    ("abbr", "attribute 'abbr' of 'torch.dtype' objects is not writable"),
    ("to_real", "'torch.dtype' object attribute 'to_real' is read-only"),
]


@pytest.mark.parametrize("write", ["setattr(torch.int16, {!r}, 3)", "delattr(torch.int16, {!r})"])
@pytest.mark.parametrize(("name", "failure"), WRITES)
def test_dtypes_are_read_only(
    failure_of: Callable[[str], str], write: str, name: str, failure: str
) -> None:
    assert failure_of(write.format(name)) == f"AttributeError: {failure}"
    assert (torch.int16.itemsize, torch.int16.is_signed, torch.int16.abbr) == (2, True, "i16")


@pytest.mark.parametrize(
    ("cls", "dtype"),
    [
        (float, torch.float64),
        (int, torch.int64),
        (bool, torch.bool),
        (complex, torch.complex128),
    ],
)
def test_python_types_stand_for_dtypes(cls: type, dtype: torch.dtype) -> None:
    assert as_dtype(cls) is dtype
    assert cls in PYTHON_TYPES


@pytest.mark.parametrize("dtype", ALL_DTYPES, ids=repr)
def test_a_dtype_stands_for_itself(dtype: torch.dtype) -> None:
    assert as_dtype(dtype) is dtype
