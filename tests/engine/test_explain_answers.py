"""Differences that tolerances explain: only elements of results."""

import pytest

import impl
from conformance.comparison.comparator import compare
from conformance.comparison.other_kernels import assigned_name
from conformance.comparison.tolerances import apply_tolerances, load_tolerances
from conformance.controls.fault_injection import Fault, FaultyLibrary
from conformance.core.case import Case
from conformance.libraries.library import Library
from conformance.observation.facets import observe
from conformance.observation.runner import run_case

ONE, NEXT = "3f800000", "3f800001"
ORACLE = Library("impl", impl)


def observation(bits=ONE, text="1", other="00000000"):
    """Return an observation of ``x.exp_()`` with a second variable."""
    tensors = {
        "x": {"dtype": "float32", "elements": [bits]},
        "y": {"dtype": "float32", "elements": [other]},
    }
    return {"dtype": "float32", "elements": [bits], "state": tensors, "repr": text}


def remaining(left, right, step="x.exp_()"):
    case = Case((step,))
    comparison = compare(left, right, str(case))
    rest = apply_tolerances(ORACLE, case, left, right, comparison, load_tolerances()).differences
    return {difference.facet for difference in rest}


def test_an_element_within_its_bound_is_explained_with_what_shows_it():
    assert remaining(observation(), observation(NEXT, "1.0000001")) == set()


@pytest.mark.parametrize(
    ("right", "facets"),
    [
        (observation(text="2"), {"repr"}),
        (observation(other="3f800000"), {"state"}),
        (observation(NEXT, "1.0000001", other="3f800000"), {"elements", "state", "repr"}),
    ],
    ids=["another text alone", "another variable alone", "another variable, too"],
)
def test_what_is_no_element_of_the_result_is_not_explained(right, facets):
    assert remaining(observation(), right) == facets


def test_nan_bits_do_not_explain_another_variable():
    left, right = observation("7fc00000", "nan"), observation("ffc00000", "nan", other="3f800000")
    assert "state" in remaining(left, right, "x.copy_(z)")


def test_a_nan_of_other_bits_in_another_variable_is_a_difference():
    left, right = observation(other="7fc00000"), observation(NEXT, "1.0000001", other="ffc00000")
    right["state"]["x"] = left["state"]["x"]
    assert remaining(left, right, "x.exp().to(y.dtype)") == {"elements", "state", "repr"}


def of_statement(bits=ONE, other="00000000"):
    """Return an observation of ``x **= y``; a statement has no value."""
    return {"state": observation(bits, other=other)["state"]}


def test_a_statement_is_known_by_what_it_changes():
    assert remaining(of_statement(), of_statement(NEXT), "x **= y") == set()
    assert remaining(of_statement(), of_statement(NEXT, "3f800000"), "x **= y") == {"state"}
    assert remaining(of_statement(), of_statement(other="3f800000"), "x **= y") == {"state"}
    assert remaining(of_statement(), of_statement("3f800009"), "x -= y") == {"state"}


def other_side(everywhere):
    """Return an oracle with conjugated powers: of contiguous tensors, or of all tensors."""

    def call(function, args, kwargs, torch):
        result = function(*args, **kwargs)
        if function is torch.pow and (everywhere or args[0].is_contiguous()):
            return result.conj_physical()
        return result

    return FaultyLibrary(impl, Fault(call=call))


@pytest.mark.parametrize("everywhere", [False, True])
def test_a_zero_that_is_negated_elsewhere_may_stand_on_the_other_side_of_a_cut(everywhere):
    oracle = other_side(everywhere)
    case = Case(("x = torch.tensor([1 + 0j] * 4)._neg_view()", "torch.pow(x, 0.5)"))
    sides = [
        run_case(library, case, observe)[-1].observation
        for library in (oracle, Library("impl", impl))
    ]
    comparison = compare(*sides, str(case))
    assert {difference.facet for difference in comparison.differences} == {"elements", "repr"}
    rest = apply_tolerances(oracle, case, *sides, comparison, load_tolerances())
    assert bool(rest.differences) == everywhere


@pytest.mark.parametrize("step", ["x == y", "x != y", "x <= y", "x >= y"])
def test_a_comparison_changes_nothing(step):
    # Differences of the result are not searched in x, which did not change.
    left, right = (observation(bits) for bits in ("7fc00000", "ffc00000"))
    right["state"] = left["state"]
    assert remaining(left, right, step) == {"elements"}
    assert assigned_name(step) == ""
