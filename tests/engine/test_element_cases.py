"""Element cases: counts, normalizations, and the report of an element that differs."""

import numpy as np
import pytest

import impl
from conformance.comparison import comparator, element_cases
from conformance.comparison.element_cases import ElementCase, ElementCounts
from conformance.comparison.undefined_elements import UNDEFINED, Elements
from conformance.controls.fault_injection import Fault, FaultyLibrary
from conformance.core.float_formats import FORMATS, is_nan, numbers
from conformance.generators.bit_patterns import BLOCKS, mixture, patterns
from conformance.libraries.library import Library

ORACLE = Library("impl", impl)


def wrong(change):
    """Return a subject with changed conversions."""

    def call(function, args, kwargs, torch):
        result = function(*args, **kwargs)
        return change(torch, result) if getattr(function, "__name__", "") == "to" else result

    return FaultyLibrary(impl, Fault(call=call))


def put(index, value):
    def change(torch, result):
        result.data[index] = value
        return result

    return wrong(change)


def compare_cast(
    subject, source="float32", target="float16", last=None, c="[1, 2, 3]", smaller=True
):
    steps = (f"x = torch.frombuffer(c, dtype=torch.{source})", last or f"x.to(torch.{target})")
    raw_dtype = FORMATS[source].raw_dtype
    question = ElementCase(source, target, (f"c = numpy.array({c}, dtype='{raw_dtype}')",), steps)
    return element_cases.ask(ORACLE, subject, question, comparator.compare, UNDEFINED, smaller)


def facets(answer):
    return [difference.facet for difference in answer.comparison.differences]


def test_elements_that_are_alike_are_counted():
    answer = compare_cast(ORACLE)
    assert answer.tally == ElementCounts(compared=3)
    assert facets(answer) == []
    assert len(answer.comparison.facets) == 12


def test_one_element_is_found_and_shown_with_what_others_say():
    answer = compare_cast(put(1, 1.5), c="[0x3f800000, 0x40000000, 0]", smaller=False)
    assert answer.tally == ElementCounts(compared=3, differing=1)
    assert answer.comparison.differences == [
        ("elements", "40000000 (2.0) becomes 4000 (2.0)", "40000000 (2.0) becomes 3e00 (1.5)")
    ]
    assert answer.third_party_results == {"exact rounding": "4000 (2.0)", "NumPy": "4000 (2.0)"}
    assert answer.outlier == "subject"


def test_the_program_of_one_element_is_found_if_it_shows_the_difference():
    always = wrong(lambda torch, result: (result.data.fill_(7), result)[1])
    answer = compare_cast(always, c="[0x3f800000, 0x40000000, 0]")
    assert str(answer.case).startswith("c = numpy.array([0x3f800000], dtype='uint32')\n")
    assert answer.tally.differing == 3
    assert str(compare_cast(put(1, 1.5), c="[0x40000000] * 3").case).startswith("c = numpy.tile(")
    assert str(compare_cast(put(2, 1.5), c="[0, 1, 2]", smaller=False).case).startswith(
        "c = numpy.array([0, 1, 2]"
    )


def test_what_is_not_elements_is_compared_too():
    assert facets(compare_cast(wrong(lambda torch, result: result.float()))) == ["dtype", "storage"]
    assert facets(compare_cast(wrong(lambda torch, result: result[:2]))) == ["shape"]
    assert facets(compare_cast(wrong(lambda torch, result: None))) == ["value"]
    assert facets(compare_cast(wrong(lambda torch, result: 1 / 0))) == ["raises"]


def test_an_error_in_another_step_is_another_error():
    steps = (
        "x = torch.frombuffer(c, dtype=torch.uint8)",
        "x.to(torch.int8)",
        "torch.zeros(2).view(3)",
    )
    question = ElementCase("uint8", "int8", ("c = numpy.zeros(3, 'uint8')",), steps)

    def call(function, args, kwargs, torch):
        if getattr(function, "__name__", "") == "to":
            torch.zeros(2).view(3)
        return function(*args, **kwargs)

    answer = element_cases.ask(
        ORACLE, FaultyLibrary(impl, Fault(call=call)), question, comparator.compare
    )
    assert facets(answer) == ["raises"]
    assert "in torch.zeros(2).view(3)" in answer.comparison.differences[0].expected
    assert "in x.to(torch.int8)" in answer.comparison.differences[0].observed


def test_a_name_that_is_not_there_is_a_mistake_of_the_case():
    with pytest.raises(NameError):
        compare_cast(ORACLE, last="y.to(torch.float16)")


def test_an_undefined_element_is_counted_whether_it_differs_or_not():
    raw = "[0x7fc00000, 0x42fe0000, 0x43000000]"  # NaN, 127, 128
    assert compare_cast(ORACLE, target="int8", c=raw).tally == ElementCounts(
        3, 0, {"float-to-integer": 2}
    )
    answer = compare_cast(put(2, 55), target="int8", c=raw)
    assert answer.tally == ElementCounts(3, 0, {"float-to-integer": 2}, {"float-to-integer": 1})
    assert facets(answer) == []
    answer = compare_cast(put(1, 55), target="int8", c=raw)
    assert answer.tally.differing == 1
    assert facets(answer) == ["elements"]


def test_tallies_add_up_and_travel():
    some = ElementCounts(3, 1, element_cases.Counter(a=2), element_cases.Counter(a=1))
    assert some + ElementCounts(1) == ElementCounts(4, 1, {"a": 2}, {"a": 1})
    assert ElementCounts.from_data((some + some).as_data()) == some + some


ONE, NAN = 0x3F800000, 0x7FC00000

# rule: source, target, element; two raw results that it accepts, two that it rejects
RULES = {
    "float-to-integer": ("float32", "int8", (NAN, 0, 1), (ONE, 0, 1)),
    "nan-bits": ("float32", "bfloat16", (NAN, 0x7FC0, 0xFFFF, 0xFFFF), (NAN, 0x7FC0, 0x7F80)),
}


def elements(source, target, raw):
    """Return the elements of an input, two results, and the results of other kernels."""
    before, after = FORMATS[source], FORMATS[target]
    results = [np.array([[code]], after.raw_dtype) for code in raw[1:]]
    inputs = np.array([[raw[0]]], before.raw_dtype)
    return Elements(before, after, inputs, *results[:2], results[2:])


def test_every_rule_is_tested():
    assert set(RULES) == {rule.name for rule in UNDEFINED}


@pytest.mark.parametrize("rule", UNDEFINED, ids=lambda rule: rule.name)
def test_a_rule_forgives_what_it_is_for_and_nothing_else(rule):
    source, target, alike, apart = RULES[rule.name]
    assert rule.forgives(elements(source, target, alike)).all()
    assert not rule.forgives(elements(source, target, apart)).any()


def test_a_copy_keeps_the_bits_of_nan():
    nan = elements("bfloat16", "bfloat16", (0x7FC0, 0x7FC0, 0xFFFF))
    assert not any(rule.forgives(nan).any() for rule in UNDEFINED)


@pytest.mark.parametrize("name", [name for name, form in FORMATS.items() if form.bits <= 16])
def test_narrow_patterns_are_all_there(name):
    form = FORMATS[name]
    blocks = [element_cases.pattern_array(patterns(form, block, 8)) for block in BLOCKS]
    if form.parts == 1:
        assert np.array_equal(np.concatenate(blocks), np.arange(2**form.bits))
    else:
        assert [block.size for block in blocks] == [16] * 4


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("name", ["int32", "uint64", "float32", "float64", "complex64"])
def test_wide_patterns_are_as_many_as_asked_for_and_nearly_all_distinct(name, block):
    form = FORMATS[name]
    raw = element_cases.pattern_array(patterns(form, block, 4096))
    assert (raw.size, raw.dtype) == (4096 * form.parts, form.raw_dtype)
    assert len(np.unique(raw)) > 1700
    assert not np.array_equal(raw, element_cases.pattern_array(patterns(form, block, 4096, seed=1)))


@pytest.mark.parametrize("number", [448.0, 464.0, 65504.0, 65520.0, 2.0**-24, 2.0**63, -128.0])
def test_edges_hold_the_boundaries_of_other_dtypes_and_their_neighbours(number):
    edges = element_cases.pattern_array(patterns(FORMATS["float64"], "edges", 4096)).view(
        np.float64
    )
    assert {number, np.nextafter(number, 0), np.nextafter(number, 1e300)} <= set(edges.tolist())


def test_a_mixture_has_numbers_of_every_kind():
    raw = element_cases.pattern_array(mixture(FORMATS["float32"], 96))
    values = numbers(raw, FORMATS["float32"])
    assert raw.size == 96
    assert is_nan(raw, FORMATS["float32"]).any()
    assert np.isinf(values).any()
    assert (np.abs(values) < 1).any()
