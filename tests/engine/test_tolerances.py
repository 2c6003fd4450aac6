"""Tolerances: distances in ulps, the table of bounds, and accepted elements."""

import numpy as np
import pytest

import impl
from conformance.comparison import comparator, element_cases, tolerances
from conformance.comparison.element_cases import ElementCase
from conformance.comparison.tolerances import Tolerance, load_tolerances, tolerances_for
from conformance.comparison.ulp import distances
from conformance.comparison.undefined_elements import UNDEFINED_RESULTS
from conformance.controls.fault_injection import Fault, FaultyLibrary
from conformance.core.case import Case
from conformance.core.float_formats import FORMATS, in_format
from conformance.libraries.library import Library
from conformance.report import element_tables, markdown

ORACLE = Library("impl", impl)


def far(left, right, name="float32", floor=0.0):
    form = FORMATS[name]
    sides = (np.array([value], name).view(form.raw_dtype).reshape(1, -1) for value in (left, right))
    return float(distances(*sides, form, floor)[0])


@pytest.mark.parametrize(
    ("left", "right", "steps"),
    [
        (1.0, 1.0, 0),
        (1.0, np.nextafter(np.float32(1), np.float32(2)), 1),
        (2.0, np.nextafter(np.float32(2), np.float32(0)), 1),
        (0.0, 1e-45, 1),
        (0.0, -1e-45, 1),
        (1e-45, -1e-45, 2),
        (0.0, -0.0, np.inf),
        (3.4028235e38, np.inf, np.inf),
        (np.inf, -np.inf, np.inf),
        (np.nan, -np.nan, 0),
        (np.nan, 1.0, np.inf),
    ],
)
def test_distances_count_numbers_and_know_what_is_special(left, right, steps):
    assert far(left, right) == far(right, left) == steps


def test_a_complex_element_is_measured_by_its_larger_part():
    assert far(1 + 1e-9j, 1 + 2e-9j, "complex64") < 0.01
    assert far(1j, np.complex64(1.0000001j), "complex64") == 1
    assert far(0j, complex(-0.0, 0), "complex64") == np.inf
    assert far(complex(np.nan, 1), complex(np.nan, 1), "complex64") == 0


def test_below_a_floor_the_unit_is_that_of_the_floor():
    assert far(1e-10, 2e-10) > 1e6
    assert far(1e-10, 2e-10, floor=1.0) < 0.01
    assert far(1.0, 1.0000001, floor=1.0) == 1
    assert far(1e-10, np.inf, floor=1.0) == np.inf


def test_integers_are_alike_or_not():
    assert (far(3, 3, "int32"), far(3, 4, "int32")) == (0, np.inf)


def test_one_more_than_was_measured_is_accepted_and_nothing_where_nothing_was():
    row = Tolerance("f", None, "", {"float32": 2, "float64": 0})
    assert [row.bound(name) for name in ("float32", "float64", "float16")] == [3, 0, 0]


def test_every_row_has_a_reason_and_dtypes_that_there_are():
    for row in load_tolerances():
        assert len(row.why) > 20
        assert all(FORMATS[name].is_float and steps for name, steps in row.measured.items())


def test_a_row_is_about_one_operator():
    names = {
        call: [row.name for row in tolerances_for(call, load_tolerances())]
        for call in ("torch.exp(x)", "x.exp2_()", "x.expm1()", "torch.floor(x)", "2 ** x", "abs(x)")
    }
    assert list(names.values()) == [["exp"], ["exp2"], ["expm1"], [], ["pow"], ["abs"]]


def steps_off(steps):
    """Return a subject with an exp that is wrong by some ulps."""

    def call(function, args, kwargs, torch):
        result = function(*args, **kwargs)
        if function is torch.exp:
            shifted = (result.view(torch.int32) + steps).view(torch.float32)
            return torch.where(result == result, shifted, result)
        return result

    return FaultyLibrary(impl, Fault(call=call))


def compare_exp(subject, otherwise=(), measured=1):
    steps = ("x = torch.frombuffer(c, dtype=torch.float32)", "torch.exp(x)")
    setup = ("c = numpy.array([1, 2, 3], dtype='float32').view('uint32')",)
    question = ElementCase("float32", "", setup, steps, "exp", otherwise=otherwise)
    table = [row for row in load_tolerances() if row.name == "exp"]
    table = [table[0]._replace(measured={"float32": measured})]
    return element_cases.ask(
        ORACLE, subject, question, comparator.compare, UNDEFINED_RESULTS, False, table
    )


def test_elements_are_accepted_within_the_bound():
    tally = compare_exp(steps_off(2)).tally
    assert (tally.differing, tally.largest, tally.bound) == (0, 2, 2)
    assert tally.forgiven == {"last-bits": 3}
    answer = compare_exp(steps_off(3))
    assert (answer.tally.differing, answer.target) == (3, "float32")
    assert [difference.facet for difference in answer.comparison.differences] == ["elements"]
    assert answer.third_party_results is None


def test_elements_are_accepted_that_the_oracle_gives_otherwise():
    x = "x = torch.frombuffer(c, dtype=torch.float32)"
    shifted = "torch.exp(x).view(torch.int32).add_(9).view(torch.float32)"
    answer = compare_exp(steps_off(9), (x, shifted), measured=0)
    assert (answer.tally.differing, answer.tally.forgiven) == (0, {"other-kernel": 3})
    assert compare_exp(steps_off(8), (x, shifted), measured=0).tally.differing == 3


def test_operators_stand_in_the_report_with_their_bounds():
    tally = compare_exp(steps_off(1)).tally
    cell = {"operator": "exp", "dtype": "float32", **tally.as_data()}
    headers, rows = element_tables.operators({"operators": [cell]})
    assert (headers, rows) == (
        ["operator", "float32", "elements, all dtypes"],
        [["exp", "1 / 2", "3"]],
    )
    wide = {**cell, "largest": 0}
    assert element_tables.operators({"operators": [wide]})[1] == [["exp", "0 / 2 (wide)", "3"]]
    assert element_tables.operators({}) is None
    assert markdown._elements({"operators": [cell]})[-1].count("1 / 2") == 1


@pytest.mark.parametrize(("right", "steps"), [((1e37, np.inf), 0.0), ((1.001e37, np.inf), 0.0),
    ((1e38, np.inf), 4.0e6), ((1e37, -np.inf), np.inf), ((1e37, 3e38), np.inf)])  # fmt: skip
def test_beside_an_infinite_part_the_other_is_measured_as_the_largest_number(right, steps):
    form = FORMATS["complex64"]
    sides = [
        np.array(value, "float32").view(form.raw_dtype)[None] for value in ((1e37, np.inf), right)
    ]
    assert distances(*sides, form, whole=True)[0] == pytest.approx(steps, rel=0.2, abs=1000)
    if np.isfinite(steps):
        assert distances(*sides, form)[0] > steps or right == (1e37, np.inf)


@pytest.mark.parametrize(("left", "right", "steps"), [
    ((1, 0.0), (1, -0.0), 0), ((0.0, 0.0), (0.0, -0.0), np.inf), ((-0.0, 0.0), (0.0, -0.0), np.inf),
    ((0.0, 1), (-0.0, -1), 2**23 * 2), ((1, 0.0), (1, 1e-45), 0)])  # fmt: skip
def test_the_sign_of_a_zero_part_may_be_nothing_beside_the_other_part(left, right, steps):
    form = FORMATS["complex64"]
    sides = [np.array(value, "float32").view(form.raw_dtype)[None] for value in (left, right)]
    assert distances(*sides, form, whole=True)[0] == pytest.approx(steps)
    is_zero = {left[1], right[1]} == {0.0} or {left[0], right[0]} == {0.0}
    assert (distances(*sides, form)[0] == np.inf) == is_zero


def test_a_result_in_a_wider_out_is_measured_as_it_was_computed():
    """A float32 result in a float64 or complex64 tensor may differ by an ULP of float32."""
    narrow, wide, pair = (FORMATS[name] for name in ("float32", "float64", "complex64"))
    raw = np.array([[0x3FEECC2CC0000000], [0x3FEECC2CC0000001]], wide.raw_dtype)
    converted, is_exact = in_format(raw, wide, narrow)
    assert converted[0, 0] == 0x3F766166
    assert is_exact.tolist() == [True, False]
    raw = np.array([[0x3F800000, 0], [0x3F800000, 0x3F800000]], pair.raw_dtype)
    converted, is_exact = in_format(raw, pair, narrow)
    assert converted[:, 0].tolist() == [0x3F800000] * 2
    assert is_exact.tolist() == [True, False]


def test_the_computed_format_is_that_without_out():
    steps = "x = impl.ones(2)", "o = impl.zeros(2, dtype=impl.float64)"
    steps = tuple(step.replace("impl.", "torch.") for step in steps)
    for call, name in (
        ("torch.sin(x, out=o)", "float32"),
        ("torch.sin(x)", "float64"),
        ("torch.sin(1, out=o)", "float64"),
    ):
        case = Case((*steps, call))
        assert tolerances.computed_format(ORACLE, case, FORMATS["float64"]).name == name


def compare_elements(monkeypatch, expected, observed, *others, dtype="float32", widths=()):
    """Return the differing facets, and the rules that forgive, of two elements of maximum().

    ``others`` are the results of all other kernels, ``widths`` those of other vector widths.
    """
    for name, results in (("OtherResults", others), ("results_by_width", widths)):
        raw = [np.array(bits, FORMATS[dtype].raw_dtype)[:, None] for bits in results]
        monkeypatch.setattr(tolerances, name, lambda *args, raw=raw: iter(raw))
    sides = [
        {"dtype": f"torch.{dtype}", "elements": [f"{bits:08x}" for bits in elements]}
        for elements in (expected, observed)
    ]
    case = Case(("x = torch.zeros(2)", "torch.maximum(x, x)"))
    result = tolerances.apply_tolerances(
        ORACLE, case, *sides, comparator.compare(*sides, str(case)), load_tolerances()
    )
    return [difference.facet for difference in result.differences], result.normalized


ZERO, MINUS_ZERO, ONE, NAN, MINUS_NAN = 0, 0x80000000, 0x3F800000, 0x7FC00000, 0xFFC00000


def test_the_sign_of_a_zero_may_be_that_of_another_kernel(monkeypatch):
    sides = [ZERO, MINUS_ZERO], [MINUS_ZERO, ZERO]
    forgiven = [], ["zero-signs"]
    assert compare_elements(monkeypatch, *sides, [MINUS_ZERO, ZERO]) == forgiven
    assert compare_elements(monkeypatch, *sides, [ZERO, ZERO], [MINUS_ZERO] * 2) == forgiven
    for others in ([], [[ZERO, MINUS_ZERO]], [[MINUS_ZERO, MINUS_ZERO]], [[MINUS_ZERO, ONE]]):
        assert compare_elements(monkeypatch, *sides, *others) == (["elements"], [])


def test_another_kernel_excuses_no_other_number(monkeypatch):
    assert compare_elements(monkeypatch, [ZERO], [ONE], [ONE]) == (["elements"], [])
    sides = [ZERO, ONE], [MINUS_ZERO, ZERO]
    assert compare_elements(monkeypatch, *sides, [MINUS_ZERO, ZERO]) == (["elements"], [])


def test_another_vector_width_excuses_exactly_its_own_result(monkeypatch):
    sides = [ZERO, ONE, ONE], [ZERO, ONE + 9, ONE - 9]
    for width in ([ZERO, ONE + 9, ONE - 9], [ONE, ONE + 9, ONE - 9]):
        widths = [ZERO, ONE, ONE], width
        assert compare_elements(monkeypatch, *sides, widths=widths) == ([], ["vector-width"])
    # The differing elements have to be of one width, in a result of the same size.
    for widths in (
        [],
        [[ZERO, ONE + 9, ONE]],
        [[ZERO, ONE + 9, ONE], [ZERO, ONE, ONE - 9]],
        [[ZERO, ONE + 9, ONE - 9, ONE]],
    ):
        assert compare_elements(monkeypatch, *sides, widths=widths) == (["elements"], [])


def test_zeros_and_nans_may_differ_together(monkeypatch):
    sides = [ZERO, NAN], [MINUS_ZERO, MINUS_NAN]
    assert compare_elements(monkeypatch, *sides, [MINUS_ZERO, MINUS_NAN])[0] == []
    assert compare_elements(monkeypatch, *sides, [MINUS_ZERO, NAN])[0] == ["elements"]


@pytest.mark.parametrize(("last", "steps_apart", "facets"), [
    (("x.exp_()", "x"), 2, []),
    (("x.exp_()", "x"), 3, ["elements"]),
    (("x.exp_()", "y"), 2, ["elements"]),
    (("x.exp()", "x"), 2, ["elements"]),
    (("x.__exp__()", "x"), 2, ["elements"]),
])  # fmt: skip
def test_an_in_place_call_is_judged_alike_where_its_tensor_is_read(last, steps_apart, facets):
    sides = [
        {"dtype": "torch.float32", "elements": [f"{bits:08x}"]} for bits in (ONE, ONE + steps_apart)
    ]
    case = Case(("x = torch.zeros(1)", "y = torch.zeros(1)", *last))
    difference = comparator.compare(*sides, str(case))
    table = [
        row._replace(measured={"float32": 1}) for row in load_tolerances() if row.name == "exp"
    ]
    result = tolerances.apply_tolerances(ORACLE, case, *sides, difference, table)
    assert [difference.facet for difference in result.differences] == facets


def test_where_signs_do_not_count_all_zeros_are_equal():
    for name, left, right in (
        ("float32", 0.0, -0.0), ("complex64", 0j, complex(-0.0, -0.0)),
        ("complex64", complex(1, 0.0), complex(1, -0.0)),
    ):  # fmt: skip
        form = FORMATS[name]
        sides = [np.array([x], name).view(form.raw_dtype).reshape(1, -1) for x in (left, right)]
        assert distances(*sides, form)[0] == np.inf
        assert distances(*sides, form, unsigned=True)[0] == 0
    sides = [np.array([x], "float32").view("uint32").reshape(1, 1) for x in (0.0, -1e-45)]
    assert distances(*sides, FORMATS["float32"], unsigned=True)[0] == 1


MATRIX = Tolerance(
    "inv", pattern=tolerances.re.compile("inv"), why="", measured={"float32": 1}, largest=True
)


def matrix(*numbers, **others):
    bits = np.array(numbers, "float32").view("uint32")
    return {"dtype": "torch.float32", "elements": [f"{x:08x}" for x in bits.tolist()], **others}


@pytest.mark.parametrize(
    ("largest", "facets"), [(1e6, []), (1e5, ["elements"]), (np.inf, ["elements"])]
)
def test_elements_are_measured_by_the_largest_one(largest, facets):
    case = Case(("torch.inv(x)",))
    sides = [matrix(largest, x) for x in (1.0, 1.1)]
    difference = comparator.compare(*sides, str(case))
    result = tolerances.apply_tolerances(ORACLE, case, *sides, difference, [MATRIX])
    assert [difference.facet for difference in result.differences] == facets
    alone = [MATRIX._replace(largest=False)]
    result = tolerances.apply_tolerances(ORACLE, case, *sides, difference, alone)
    assert [difference.facet for difference in result.differences] == ["elements"]


@pytest.mark.parametrize(("in_state", "is_accepted"), [(1.1, True), (1.2, False)])
def test_fields_of_a_tuple_that_stand_in_the_state_are_judged_once(in_state, is_accepted):
    case = Case(("o = torch.zeros(2)", "torch.inv(x, out=(o, p))"))
    sides = [
        {"value": {"fields": [matrix(1e6, x), matrix(3.0)]}, "state": {"o": matrix(1e6, y)}}
        for x, y in ((1.0, 1.0), (1.1, in_state))
    ]
    difference = comparator.compare(*sides, str(case))
    assert [found.facet for found in difference.differences] == ["value"]
    result = tolerances.apply_tolerances(ORACLE, case, *sides, difference, [MATRIX])
    assert bool(result.differences) != is_accepted
