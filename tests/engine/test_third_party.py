"""Third-party results: they support the correct library, or none."""

import pytest

import impl
from conformance.comparison.element_cases import pattern_array
from conformance.comparison.third_party import outlier, third_party_results
from conformance.core.float_formats import FORMATS, format_element, nearest, value_of
from conformance.generators.bit_patterns import mixture
from conformance.libraries.library import Library
from conformance.observation.tensor_state import raw_parts

LIBRARY = Library("impl", impl)


def voted(source, target, *code):
    return third_party_results(code, FORMATS[source], FORMATS[target])


def of_exact(source, target, *code):
    return voted(source, target, *code).get("exact rounding")


@pytest.mark.parametrize(
    ("source", "target", "code", "answer"),
    [
        ("float32", "bfloat16", (0x3F808000,), "3f80 (1.0)"),
        ("float32", "bfloat16", (0x3F818000,), "3f82 (1.015625)"),
        ("float32", "bfloat16", (0x3F808001,), "3f81 (1.0078125)"),
        ("float32", "float16", (0x80000001,), "8000 (-0.0)"),
        ("float32", "float8_e4m3fn", (0x7F800000,), "7e (448.0)"),
        ("float32", "float8_e5m2", (0x47700000,), "7c (inf)"),
        ("float32", "float8_e4m3fnuz", (0x80000000,), "00 (0.0)"),
        ("float32", "float8_e4m3fnuz", (0x43800000,), "80 (nan)"),
        ("float32", "float8_e8m0fnu", (0x40400001,), "81 (4.0)"),
        ("int64", "float16", (2**64 - 1,), "bc00 (-1.0)"),
        ("int64", "float32", (2**24 + 1,), "4b800000 (16777216.0)"),
        ("int16", "int8", (0x01FF,), "ff (-1)"),
        ("float16", "bool", (0x7E00,), "01 (1)"),
        ("complex64", "bool", (0, 0x3F800000), "01 (1)"),
        ("complex64", "float32", (0x3F800000, 0x40000000), "3f800000 (1.0)"),
        ("bool", "float16", (5,), "3c00 (1.0)"),
        ("float32", "complex32", (0x3F800000,), "3c00 0000 (1.0, 0.0)"),
    ],
)
def test_the_exact_voter_rounds_once_to_the_nearest(source, target, code, answer):
    assert of_exact(source, target, *code) == answer


def test_numpy_votes_for_its_own_dtypes_only():
    assert voted("float32", "float64", 0x3F800000)["NumPy"] == "3ff0000000000000 (1.0)"
    assert set(voted("float32", "bfloat16", 0x3F800000)) == {"exact rounding"}


@pytest.mark.parametrize("code", [0x7FC00000, 0x43000000, 0xC3010000])
def test_nobody_votes_on_what_no_integer_holds(code):
    assert voted("float32", "int8", code) == {}


def test_what_has_no_standard_answer_gets_no_vote():
    assert of_exact("float32", "float8_e8m0fnu", 0xBF800000) is None
    assert of_exact("float32", "float8_e8m0fnu", 0x3FC00000) is None


@pytest.mark.parametrize(
    ("cast", "who"),
    [({"a": "1"}, "subject"), ({"a": "2"}, "oracle"), ({"a": "3"}, "voters"), ({}, ""),
     ({"a": "1", "b": "2"}, ""), ({"a": "3", "b": "4"}, ""), ({"a": "1", "b": "3"}, "subject")],
)  # fmt: skip
def test_who_stands_alone(cast, who):
    assert outlier("1", "2", cast) == who


def test_one_nan_is_as_good_as_another():
    assert outlier("7e00 (nan)", "3c00 (1.0)", {"a": "7fff (nan)"}) == "subject"


ROUNDED_TWICE = {
    (source, target)
    for source in ("float64", "int32", "int64", "uint32", "uint64", "complex128")
    for target in ("float16", "bfloat16", "complex32", "float8_e5m2", "float8_e4m3fn",
                   "float8_e5m2fnuz", "float8_e4m3fnuz", "float8_e8m0fnu")
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("source", FORMATS)
def test_a_library_and_the_voters_agree_where_one_rounding_is_enough(source):
    form = FORMATS[source]
    raw = pattern_array(mixture(form, 48)).reshape(-1, form.parts)
    x = impl.frombuffer(raw.reshape(-1), dtype=getattr(impl, source))
    for target in FORMATS.values():
        if (source, target.name) in ROUNDED_TWICE or target.name == source:
            continue
        result = raw_parts(
            x.to(getattr(impl, target.name)), LIBRARY, target.raw_dtype, target.parts
        )
        for code, result_code in zip(raw.tolist(), result.tolist(), strict=True):
            cast = third_party_results(code, form, target)
            assert outlier(format_element(result_code, target), "", cast) in ("subject", ""), (
                target.name,
                code,
            )


@pytest.mark.parametrize("name", [name for name, form in FORMATS.items() if form.is_float])
def test_the_number_of_a_code_is_nearest_to_that_code(name):
    form = FORMATS[name]
    for code in (0, 1, 2, 3, form.largest, form.largest - 1, form.magnitudes // 2):
        assert nearest(value_of(code, form), form) == code
