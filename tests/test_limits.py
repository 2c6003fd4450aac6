"""finfo and iinfo: their numbers, repr and errors."""

from collections.abc import Callable

import numpy
import pytest

import impl as torch


@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
def test_finfo_agrees_with_numpy(name: str) -> None:
    """NumPy computes the limits of its formats independently."""
    ours, theirs = torch.finfo(getattr(torch, name)), numpy.finfo(name)
    for field in ("bits", "eps", "max", "min", "smallest_normal", "tiny"):
        assert getattr(ours, field) == getattr(theirs, field)
    assert ours.resolution == 10.0**-theirs.precision
    assert ours.dtype == name


INTEGERS = ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"]


@pytest.mark.parametrize("name", INTEGERS)
def test_iinfo_agrees_with_numpy(name: str) -> None:
    ours, theirs = torch.iinfo(getattr(torch, name)), numpy.iinfo(name)
    assert (ours.bits, ours.min, ours.max) == (theirs.bits, theirs.min, theirs.max)
    assert ours.dtype == name


# The formats that NumPy lacks, as in torch 2.13.0.
FLOATS = [
    # name, max, min, tiny, eps, resolution
    ("bfloat16", 3.3895313892515355e38, -3.3895313892515355e38, 1.1754943508222875e-38,
     0.0078125, 0.01),
    ("float8_e5m2", 57344.0, -57344.0, 6.103515625e-05, 0.25, 1.0),
    ("float8_e4m3fn", 448.0, -448.0, 0.015625, 0.125, 1.0),
    ("float8_e5m2fnuz", 57344.0, -57344.0, 3.0517578125e-05, 0.125, 1.0),
    ("float8_e4m3fnuz", 240.0, -240.0, 0.0078125, 0.125, 1.0),
    ("float8_e8m0fnu", 1.7014118346046923e38, 5.877471754111438e-39, 5.877471754111438e-39,
     1.0, 1.0),
]  # fmt: skip


@pytest.mark.parametrize(("name", "max", "min", "tiny", "eps", "resolution"), FLOATS)
def test_finfo_of_other_formats(
    name: str, max: float, min: float, tiny: float, eps: float, resolution: float
) -> None:
    info = torch.finfo(getattr(torch, name))
    assert (info.max, info.min, info.eps, info.resolution) == (max, min, eps, resolution)
    assert info.tiny == info.smallest_normal == tiny
    assert info.bits == 8 * getattr(torch, name).itemsize
    assert info.dtype == name


@pytest.mark.parametrize("name", ["complex32", "complex64", "complex128"])
def test_finfo_of_complex_is_that_of_its_parts(name: str) -> None:
    dtype = getattr(torch, name)
    assert torch.finfo(dtype) == torch.finfo(dtype.to_real())
    assert repr(torch.finfo(dtype)) == repr(torch.finfo(dtype.to_real()))


QUANTIZED = [
    ("qint8", "int8"),
    ("quint8", "uint8"),
    ("qint32", "int32"),
    ("quint4x2", "uint8"),
    ("quint2x4", "uint8"),
]


@pytest.mark.parametrize(("name", "stored"), QUANTIZED)
def test_iinfo_of_quantized_is_that_of_what_is_stored(name: str, stored: str) -> None:
    ours, theirs = torch.iinfo(getattr(torch, name)), torch.iinfo(getattr(torch, stored))
    assert (ours.bits, ours.min, ours.max) == (theirs.bits, theirs.min, theirs.max)
    assert ours != theirs


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64"])
def test_finfo_is_that_of_the_default_dtype(name: str) -> None:
    torch.set_default_dtype(getattr(torch, name))
    assert torch.finfo().dtype == name
    assert torch.finfo() == torch.finfo(getattr(torch, name))


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("torch.finfo(float)", "float64"),
        ("torch.finfo(complex)", "float64"),
        ("torch.finfo(type=torch.half)", "float16"),
        ("torch.iinfo(int)", "int64"),
        ("torch.iinfo(type=torch.short)", "int16"),
    ],
)
def test_ways_to_call(value_of: Callable[[str], torch.finfo], call: str, name: str) -> None:
    assert value_of(call).dtype == name


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        ("torch.finfo(torch.float32)", "torch.finfo()", True),
        ("torch.finfo(torch.float32)", "torch.finfo(torch.float64)", False),
        ("torch.iinfo(torch.int8)", "torch.iinfo(torch.int8)", True),
        ("torch.iinfo(torch.int8)", "torch.iinfo(torch.uint8)", False),
        ("torch.iinfo(torch.int8)", "torch.finfo()", False),
        ("torch.finfo()", "torch.float32", True),
        ("torch.int8", "torch.iinfo(torch.int8)", True),
        ("torch.int8", "torch.iinfo(torch.int16)", False),
        ("torch.finfo()", "None", False),
    ],
)
def test_equality(value_of: Callable[[str], object], left: str, right: str, equal: bool) -> None:
    """Limits equal limits of the same dtype, and the dtype itself, as in torch."""
    assert value_of(f"{left} == {right}") is equal
    assert value_of(f"{left} != {right}") is not equal


TEXTS = [
    (
        "torch.finfo(torch.float16)",
        "finfo(resolution=0.001, min=-65504, max=65504, eps=0.000976562,"
        " smallest_normal=6.10352e-05, tiny=6.10352e-05, dtype=float16)",
    ),
    (
        "torch.finfo(torch.float8_e8m0fnu)",
        "finfo(resolution=1, min=5.87747e-39, max=1.70141e+38, eps=1,"
        " smallest_normal=5.87747e-39, tiny=5.87747e-39, dtype=float8_e8m0fnu)",
    ),
    ("torch.iinfo(torch.int16)", "iinfo(min=-32768, max=32767, dtype=int16)"),
    ("torch.iinfo(torch.uint64)", "iinfo(min=0, max=1.84467e+19, dtype=uint64)"),
]


@pytest.mark.parametrize(("limits", "text"), TEXTS)
def test_repr(value_of: Callable[[str], object], limits: str, text: str) -> None:
    assert repr(value_of(limits)) == str(value_of(limits)) == text


NO_FLOATS = (
    "TypeError: torch.finfo() requires a floating point input type."
    " Use torch.iinfo to handle 'torch.finfo'"
)
NO_INTEGERS = (
    "TypeError: torch.iinfo() requires an integer input type."
    " Use torch.finfo to handle 'torch.iinfo'"
)


@pytest.mark.parametrize("dtype", ["torch.int8", "int", "torch.bool", "torch.qint8", "torch.bits8"])
def test_finfo_wants_floats(failure_of: Callable[[str], str], dtype: str) -> None:
    assert failure_of(f"torch.finfo({dtype})") == NO_FLOATS


@pytest.mark.parametrize(
    "dtype", ["torch.half", "float", "complex", "torch.int4", "torch.uint1", "torch.bits16"]
)
def test_iinfo_wants_integers(failure_of: Callable[[str], str], dtype: str) -> None:
    assert failure_of(f"torch.iinfo({dtype})") == NO_INTEGERS


@pytest.mark.parametrize("dtype", ["torch.bool", "bool"])
def test_iinfo_refuses_bool(failure_of: Callable[[str], str], dtype: str) -> None:
    text = "TypeError: torch.bool is not supported by torch.iinfo"
    assert failure_of(f"torch.iinfo({dtype})") == text


MISSING = [
    ("max", "max"),
    ("min", "lowest"),
    ("eps", "epsilon"),
    ("tiny", "min"),
    ("smallest_normal", "min"),
    ("resolution", "digits10"),
    ("dtype", "dtype"),
]


@pytest.mark.parametrize(("field", "call"), MISSING)
def test_packed_floats_have_no_limits(
    failure_of: Callable[[str], str], field: str, call: str
) -> None:
    limits = "torch.finfo(torch.float4_e2m1fn_x2)"
    text = f"NotImplementedError: \"{call}\" not implemented for 'Float4_e2m1fn_x2'"
    assert failure_of(f"{limits}.{field}") == text


def test_packed_floats_have_a_size() -> None:
    assert torch.finfo(torch.float4_e2m1fn_x2).bits == 8


FLOAT, INTEGER = "torch.finfo()", "torch.iinfo(torch.int8)"
FAILURES = [
    (
        "repr(torch.finfo(torch.float4_e2m1fn_x2))",
        "TypeError: bad argument type for built-in operation",
    ),
    (
        "torch.iinfo(torch.qint8).dtype",
        "NotImplementedError: \"dtype\" not implemented for 'QInt8'",
    ),
    (
        "repr(torch.iinfo(torch.quint4x2))",
        "NotImplementedError: \"dtype\" not implemented for 'QUInt4x2'",
    ),
    (f"{FLOAT}.nonsense", "AttributeError: 'torch.finfo' object has no attribute 'nonsense'"),
    (f"{INTEGER}.eps", "AttributeError: 'torch.iinfo' object has no attribute 'eps'"),
    (f"{FLOAT}.__dict__", "AttributeError: 'torch.finfo' object has no attribute '__dict__'"),
    (
        f"setattr({FLOAT}, 'max', 1)",
        "AttributeError: attribute 'max' of 'torch.finfo' objects is not writable",
    ),
    (
        f"delattr({INTEGER}, 'bits')",
        "AttributeError: attribute 'bits' of 'torch.iinfo' objects is not writable",
    ),
    (f"hash({FLOAT})", "TypeError: unhashable type: 'torch.finfo'"),
    (f"hash({INTEGER})", "TypeError: unhashable type: 'torch.iinfo'"),
    (f"{FLOAT}()", "TypeError: 'torch.finfo' object is not callable"),
    (
        f"{FLOAT} < {FLOAT}",
        "TypeError: '<' not supported between instances of 'torch.finfo' and 'torch.finfo'",
    ),
    (f"copy.copy({FLOAT})", "TypeError: cannot pickle 'torch.finfo' object"),
    (f"copy.deepcopy({INTEGER})", "TypeError: cannot pickle 'torch.iinfo' object"),
    (f"pickle.dumps({FLOAT}, 0)", "TypeError: cannot pickle 'finfo' object"),
    (f"pickle.dumps({INTEGER}, 1)", "TypeError: cannot pickle 'iinfo' object"),
    (f"pickle.dumps({FLOAT}, 2)", "TypeError: cannot pickle 'torch.finfo' object"),
    (f"pickle.dumps({INTEGER}, 5)", "TypeError: cannot pickle 'torch.iinfo' object"),
    (f"{FLOAT}.__reduce__()", "TypeError: cannot pickle 'finfo' object"),
]


@pytest.mark.parametrize(("text", "failure"), FAILURES)
def test_failures(failure_of: Callable[[str], str], text: str, failure: str) -> None:
    assert failure_of(text) == failure


def test_failed_writes_change_nothing(failure_of: Callable[[str], str]) -> None:
    before = repr(torch.finfo()), repr(torch.iinfo(torch.int8))
    for limits in (FLOAT, INTEGER):
        failure_of(f"setattr({limits}, 'max', 1)")
        failure_of(f"delattr({limits}, 'max')")
    assert (repr(torch.finfo()), repr(torch.iinfo(torch.int8))) == before
