"""Elements of sums that no order of additions decides."""

import pytest

import impl
from conformance.comparison import tolerances
from conformance.comparison.comparator import compare
from conformance.comparison.rounded_sums import is_sum, sums_in_double
from conformance.core.case import Case
from conformance.core.float_formats import FORMATS
from conformance.libraries.library import Library
from conformance.observation.facets import observe
from conformance.observation.runner import run_case

ORACLE = Library("impl", impl)


def case(left, right, call="torch.mm(x, y)"):
    return Case((f"x = torch.tensor({left})", f"y = torch.tensor({right})", call))


def remaining(program, bits):
    """Return the facets that differ if the first element of a result has other bits."""
    expected = run_case(ORACLE, program, observe)[-1].observation
    elements = [bits, *expected["elements"][1:]]
    assert elements != expected["elements"]
    observed = {**expected, "elements": elements}
    result = compare(expected, observed, str(program))
    result = tolerances.apply_tolerances(ORACLE, program, expected, observed, result, ())
    return [each.facet for each in result.differences], result.normalized


@pytest.mark.parametrize(
    ("left", "right", "bits"),
    [
        ("[[3e38, 3e38]]", "[[1.0], [-1.5]]", "ffc00000"),
        ("[[3e38, math.inf]]", "[[-2.0], [1.0]]", "7f800000"),
        ("[[0.1, 0.2]]", "[[0.3], [0.7]]", "3e2e147c"),
    ],
)
def test_a_part_that_overflows_or_a_rounded_sum_is_undecided(left, right, bits):
    assert remaining(case(left, right), bits) == ([], ["rounded-sums"])


@pytest.mark.parametrize(
    ("left", "right", "bits"),
    [
        ("[[1.0, 2.0]]", "[[3.0], [4.0]]", "41300001"),  # 11, which is exact
        ("[[0.1, 0.2]]", "[[0.3], [0.7]]", "3e2e1490"),  # more than two ULP
        ("[[1.0, math.inf]]", "[[1.0], [1.0]]", "ff800000"),  # no part overflows
        ("[[1e38, 1e38]]", "[[1.0], [-1.0]]", "7f800000"),
    ],
)
def test_all_other_elements_have_to_be_equal(left, right, bits):
    assert remaining(case(left, right), bits) == (["elements"], [])


def test_the_sign_of_a_factor_does_not_hide_an_overflow():
    call = "torch.addmm(x, y, y.t(), beta=-2, alpha=-1)"
    exact, sizes = sums_in_double(ORACLE, case("[[1.0]]", "[[3e38, 1.0]]", call))
    assert exact[0] < -8e76
    assert sizes[0] > 8e76


def test_only_sums_of_real_floats_are_asked_again():
    assert is_sum(case("", "", "x @ y"), FORMATS["float32"])
    assert is_sum(case("", "", "x.addmm_(y, y)"), FORMATS["bfloat16"])
    assert is_sum(case("", "", "torch.nansum(x)"), FORMATS["float64"])
    assert not is_sum(case("", "", "torch.mul(x, y)"), FORMATS["float32"])
    assert not is_sum(case("", "", "torch.mm(x, y)"), FORMATS["int64"])
    assert not is_sum(case("", "", "torch.mm(x, y)"), FORMATS["complex64"])


def test_an_inexact_function_of_rewritten_elements_is_undecided():
    steps = (
        "x = torch.tensor([-1.5, 1.55, 0.25]).as_strided((2, 2), (1, 1))", "torch.tan_(x)",
    )  # fmt: skip
    program = Case(steps)
    expected = run_case(ORACLE, program, observe)[-1].observation
    elements = [*expected["elements"]]
    rows = tolerances.load_tolerances()
    for index, is_forgiven in ((1, True), (2, True), (0, False), (3, False)):
        changed = [*elements]
        changed[index] = "42480000"
        observed = {**expected, "elements": changed}
        result = compare(expected, observed, str(program))
        result = tolerances.apply_tolerances(ORACLE, program, expected, observed, result, rows)
        assert (result.differences == []) is is_forgiven, index
