"""Promotion: laws for all pairs, and error messages.

The result of each pair is in the golden table.
"""

from collections.abc import Callable
from functools import reduce
from random import Random

import pytest
from hypothesis import given, strategies as st

import impl as torch
from impl._numerics import promotion

DTYPES = list(
    dict.fromkeys(value for value in vars(torch).values() if isinstance(value, torch.dtype))
)
DTYPE = st.sampled_from(DTYPES)


def promoted(left: torch.dtype, right: torch.dtype) -> torch.dtype | None:
    """Return the promoted dtype, or None for an error."""
    try:
        return torch.promote_types(left, right)
    except RuntimeError:
        return None


CORE = [dtype for dtype in DTYPES if promoted(torch.bool, dtype)]


@given(DTYPE, DTYPE)
def test_order_does_not_matter(left: torch.dtype, right: torch.dtype) -> None:
    assert promoted(left, right) is promoted(right, left)


@given(DTYPE)
def test_a_dtype_promotes_to_itself(dtype: torch.dtype) -> None:
    assert promoted(dtype, dtype) is dtype


@given(DTYPE, DTYPE)
def test_what_is_promoted_to_can_be_cast_to(left: torch.dtype, right: torch.dtype) -> None:
    common = promoted(left, right)
    assert common is None or torch.can_cast(left, common)


@given(st.lists(st.sampled_from(CORE), min_size=1), st.randoms())
def test_a_chain_promotes_alike_in_any_order(chain: list[torch.dtype], random: Random) -> None:
    shuffled = random.sample(chain, len(chain))
    assert reduce(torch.promote_types, chain) is reduce(torch.promote_types, shuffled)


@given(DTYPE, st.sampled_from([float, int, bool, complex]))
def test_python_types_stand_for_dtypes(dtype: torch.dtype, cls: type) -> None:
    stands_for = torch.promote_types(cls, cls)
    assert promoted(dtype, cls) is promoted(dtype, stands_for)
    assert torch.can_cast(dtype, cls) is torch.can_cast(dtype, stands_for)
    assert torch.can_cast(cls, dtype) is torch.can_cast(stands_for, dtype)


def test_which_dtypes_the_python_types_stand_for() -> None:
    types = (float, int, bool, complex)
    assert [torch.promote_types(type_, type_) for type_ in types] == [
        torch.float64,
        torch.int64,
        torch.bool,
        torch.complex128,
    ]


QUANTIZED = (
    "promoteTypes with quantized numbers is not handled yet; figure out what the correct rules"
    " should be, offending types: "
)
FLOAT8 = "Promotion for Float8 Types is not supported, attempted to promote "
UNSIGNED = "Promotion for uint16, uint32, uint64 types is not supported, attempted to promote "
REFUSED = [
    ("qint8", "float32", QUANTIZED + "QInt8 Float"),
    ("int8", "quint4x2", QUANTIZED + "Char QUInt4x2"),
    ("qint8", "quint8", QUANTIZED + "QInt8 QUInt8"),
    # If two rules refuse, the first one gives the message.
    ("bits8", "qint32", QUANTIZED + "Bits8 QInt32"),
    ("bits8", "float8_e5m2", "Promotion from Bits8 and Float8_e5m2 is unsupported."),
    ("int64", "bits1x8", "Promotion from Long and Bits1x8 is unsupported."),
    ("uint16", "float8_e4m3fn", FLOAT8 + "UInt16 and Float8_e4m3fn"),
    ("float8_e5m2", "float8_e5m2fnuz", FLOAT8 + "Float8_e5m2 and Float8_e5m2fnuz"),
    ("float8_e8m0fnu", "complex32", FLOAT8 + "Float8_e8m0fnu and ComplexHalf"),
    ("uint16", "uint32", UNSIGNED + "UInt16 and UInt32"),
    ("bool", "uint64", UNSIGNED + "Bool and UInt64"),
    ("complex64", "uint3", UNSIGNED + "ComplexFloat and UInt3"),
    ("int4", "uint4", UNSIGNED + "Int4 and UInt4"),
]


@pytest.mark.parametrize(("left", "right", "message"), REFUSED)
def test_refusals(failure_of: Callable[[str], str], left: str, right: str, message: str) -> None:
    """A pair is refused in each call: errors are not cached as results are."""
    call = f"torch.promote_types(torch.{left}, torch.{right})"
    assert [failure_of(call), failure_of(call)] == [f"RuntimeError: {message}"] * 2


@pytest.mark.parametrize(
    ("left", "right", "side", "line"),
    [
        ("int4", "int8", "a", 103),
        ("float32", "int7", "b", 105),
        ("int1", "int2", "a", 103),
        ("float4_e2m1fn_x2", "float32", "a", 103),
        ("bool", "float4_e2m1fn_x2", "b", 105),
    ],
)
def test_dtypes_that_torch_forgot_fail_its_assertion(
    failure_of: Callable[[str], str], left: str, right: str, side: str, line: int
) -> None:
    """Torch gives the absolute path of its source file; impl gives the path in the repository."""
    assert failure_of(f"torch.promote_types(torch.{left}, torch.{right})") == (
        f'RuntimeError: ix_{side} != -1 INTERNAL ASSERT FAILED at "c10/core/ScalarType.cpp":{line},'
        " please report a bug to PyTorch. "
    )


def test_a_lattice_without_a_join_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lattice in which two elements have two minimal upper bounds is refused."""
    left, right, common = torch.float32, torch.float64, {torch.float16, torch.bfloat16}
    above = {left: {left, *common}, right: {right, *common}, **{dtype: {dtype} for dtype in common}}
    monkeypatch.setattr(promotion, "_ABOVE", above)
    with pytest.raises(ValueError, match=r"^torch\.float32 and torch\.float64 have no least upper"):
        promotion._join(left, right)


CAN_CAST = [
    # Not to a lower category: bool, integer, float, complex.
    ("int8", "bool", False),
    ("float16", "int64", False),
    ("complex32", "float64", False),
    ("bool", "uint8", True),
    ("int64", "float16", True),
    ("float64", "complex32", True),
    # Within a category, for every size and sign.
    ("int64", "int8", True),
    ("int8", "uint8", True),
    ("float64", "float8_e5m2", True),
    # Dtypes that do not promote may be cast (#58734).
    ("uint16", "int32", True),
    ("qint8", "bits8", True),
    # Sub-byte integers do not count as integers.
    ("float32", "int4", True),
    ("float32", "uint1", True),
    ("int4", "bool", False),
]


@pytest.mark.parametrize(("source", "target", "answer"), CAN_CAST)
def test_can_cast(source: str, target: str, answer: bool) -> None:
    assert torch.can_cast(getattr(torch, source), getattr(torch, target)) is answer


FAILURES = [
    ("promote_types()", 'promote_types() missing 2 required positional argument: "type1", "type2"'),
    (
        "promote_types(torch.int8, 1)",
        "promote_types(): argument 'type2' (position 2) must be torch.dtype, not int",
    ),
    (
        "promote_types([], {})",
        "promote_types(): argument 'type1' (position 1) must be torch.dtype, not list",
    ),
    (
        "promote_types(numpy.float64, int)",
        "promote_types(): argument 'type1' (position 1) must be torch.dtype, not type",
    ),
    (
        "promote_types(*[torch.int8] * 3)",
        "promote_types() takes 2 positional arguments but 3 were given",
    ),
    ("can_cast(torch.int8)", 'can_cast() missing 1 required positional arguments: "to"'),
    (
        "can_cast(**{'from': int, 'to': int})",
        'can_cast() missing 2 required positional argument: "from_", "to"',
    ),
    ("can_cast(int, to=1)", "can_cast(): argument 'to' must be torch.dtype, not int"),
    (
        "can_cast(int, {})",
        "can_cast(): argument 'to' (position 2) must be torch.dtype, not dict",
    ),
    ("can_cast(int, int, x=1)", "can_cast() got an unexpected keyword argument 'x'"),
]


@pytest.mark.parametrize(("call", "message"), FAILURES)
def test_ways_not_to_call(failure_of: Callable[[str], str], call: str, message: str) -> None:
    assert failure_of(f"torch.{call}") == f"TypeError: {message}"


@pytest.mark.parametrize(
    ("call", "answer"),
    [
        ("promote_types(type1=torch.int8, type2=float)", torch.float64),
        ("promote_types(torch.int8, type2=torch.uint8)", torch.int16),
        ("can_cast(to=bool, from_=int)", False),
        ("can_cast(int, to=float)", True),
    ],
)
def test_arguments_by_name(value_of: Callable[[str], object], call: str, answer: object) -> None:
    assert value_of(f"torch.{call}") is answer


@pytest.mark.parametrize(
    "call", ["promote_types(int, int{})", "can_cast(int, int{})", "result_type(1, 1{})"]
)
@pytest.mark.parametrize("more", [", 1", ", x=1"])
def test_an_answer_that_is_known_is_for_those_arguments_alone(
    value_of: Callable[[str], object], failure_of: Callable[[str], str], call: str, more: str
) -> None:
    value_of("torch." + call.format(""))
    assert failure_of("torch." + call.format(more)).startswith("TypeError: ")


@pytest.mark.parametrize("call", ["result_type(1)", "result_type(1, 'a')", "result_type(x=1)"])
def test_result_type_wants_two_numbers(failure_of: Callable[[str], str], call: str) -> None:
    start = "TypeError: result_type() received an invalid combination of arguments - got ("
    assert failure_of(f"torch.{call}").startswith(start)
