"""Tolerances of sums and products: the units of the bounds, and rejected results."""

import numpy as np
import pytest

import impl
from conformance.comparison import comparator, element_cases
from conformance.comparison.element_cases import ElementCase
from conformance.comparison.tolerances import (
    Tolerance,
    apply_tolerances,
    load_tolerances,
    tolerances_for,
)
from conformance.comparison.ulp import distances
from conformance.comparison.undefined_elements import UNDEFINED_RESULTS
from conformance.controls.fault_injection import Fault, FaultyLibrary
from conformance.core.case import Case
from conformance.core.float_formats import FORMATS, is_nan, numbers
from conformance.generators.sum_patterns import DTYPES, KINDS, terms
from conformance.libraries.library import Library
from conformance.observation.facets import observe
from conformance.observation.runner import run_case

ORACLE = Library("impl", impl)
SIZES = "torch.sum(x.to(torch.float64).abs())"
ROWS = [row for row in load_tolerances() if row.name in ("sum", "prod")]
TABLE = [row._replace(measured={"float32": 1}) for row in ROWS]


def more_by(amount):
    """Return a subject with sums and products that are too large by an amount."""

    def call(function, args, kwargs, torch):
        result = function(*args, **kwargs)
        return result + amount if function in (torch.sum, torch.prod) else result

    return FaultyLibrary(impl, Fault(call=call))


def compare_sum(
    amount, values=(1.0, 2.0**20, -(2.0**20)), operator="sum", sizes=SIZES, table=TABLE
):
    setup = (f"c = numpy.array({list(values)}, dtype='float32').view('uint32')",)
    steps = ("x = torch.frombuffer(c, dtype=torch.float32)", f"torch.{operator}(x)")
    question = ElementCase("float32", "", setup, steps, operator, sizes=(sizes,))
    return element_cases.ask(
        ORACLE, more_by(amount), question, comparator.compare, UNDEFINED_RESULTS, True, table
    )


def test_distances_are_counted_in_units_of_a_size_for_each_element():
    form = FORMATS["float32"]
    left, right = (np.array([[1.0], [1.0]], "float32") + step for step in (0, 2**-3))
    sides = (np.asarray(side, "float32").view(form.raw_dtype) for side in (left, right))
    assert distances(*sides, form, np.array([2.0**20, 1.0])).tolist() == [1.0, 2.0**20]


def test_a_part_that_is_infinite_leaves_the_other_to_be_measured():
    form = FORMATS["complex64"]
    sides = [
        np.array([number], "complex64").view(form.raw_dtype).reshape(1, 2)
        for number in (complex(np.inf, 1), complex(np.inf, 1.125), complex(-np.inf, 1))
    ]
    assert distances(*sides[:2], form, np.array([2.0**20]))[0] == 1
    assert distances(sides[0], sides[2], form, np.array([2.0**20]))[0] == np.inf


@pytest.mark.parametrize(("amount", "largest"), [(0.0, 0), (0.25, 1), (0.5, 2)])
def test_a_sum_is_measured_by_the_units_of_what_was_summed(amount, largest):
    tally = compare_sum(amount).tally
    assert (tally.differing, tally.largest, tally.bound) == (0, largest, 2)


@pytest.mark.parametrize("amount", [0.75, -0.75, 1.0, float("nan"), float("inf")])
def test_a_sum_that_is_farther_off_differs(amount):
    answer = compare_sum(amount)
    assert answer.tally.differing == 1
    ((facet, expected, observed),) = answer.comparison.differences
    assert (facet, expected) == ("elements", "3f800000 (1.0) at []")
    assert observed != expected


def test_where_nothing_cancels_a_sum_is_measured_by_its_own_units():
    assert compare_sum(2.0**-22, (0.5, 0.5)).tally.largest == 2
    assert compare_sum(2.0**-21, (0.5, 0.5)).tally.differing == 1


def test_a_product_is_measured_by_its_own_units():
    zero = "torch.zeros((), dtype=torch.float64)"
    assert compare_sum(2.0**-22, (2.0**20, 2.0**-20), "prod", zero).tally.largest == 2
    assert compare_sum(2.0**-21, (2.0**20, 2.0**-20), "prod", zero).tally.differing == 1


def test_without_a_row_a_sum_has_to_be_exact():
    assert compare_sum(0.25, table=()).tally.differing == 1
    assert (
        compare_sum(0.25, table=[row._replace(measured={}) for row in TABLE]).tally.differing == 1
    )


def test_rows_of_reductions_are_about_nothing_else():
    assert (
        tolerances_for("torch.sum(x)", load_tolerances())
        == tolerances_for("sum", load_tolerances())
        == []
    )
    names = ("sum", "nansum", "prod", "prod of many", "mean")
    assert [
        [row.name for row in tolerances_for(name, load_tolerances(), True)] for name in names
    ] == [[name] for name in names]
    assert tolerances_for("exp", load_tolerances(), True) == []


def test_a_program_that_is_no_bulk_case_gets_nothing_of_their_bounds():
    case = Case(("x = torch.tensor([1.0, 2.0])", "torch.sum(x)"))
    sides = [
        run_case(library, case, observe)[-1].observation for library in (ORACLE, more_by(2.0**-22))
    ]
    comparison = comparator.compare(*sides, str(case))
    assert comparison.differences
    assert apply_tolerances(
        ORACLE, case, *sides, comparison, [*load_tolerances(), *TABLE]
    ).differences


def test_bounds_are_one_more_than_what_was_measured():
    assert Tolerance("f", None, "", {"float16": 1}, reduces=True).bound("float16") == 2
    assert all(
        max(row.measured.values()) <= 10 for row in load_tolerances() if row.name in ("sum", "mean")
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", DTYPES)
def test_numbers_are_as_many_as_asked_and_of_their_kind(name, kind):
    form = FORMATS[name]
    raw = element_cases.pattern_array(terms(form, kind, 1000, 3))
    assert (raw.dtype, raw.size) == (form.raw_dtype, 1000 * form.parts)
    values = numbers(raw, form)
    assert int(is_nan(raw, form).sum()) == (kind == "nan")
    assert int(np.isinf(values).sum()) == (kind == "inf")
    assert np.abs(values[np.isfinite(values)]).max() < 1.02
    if kind == "cancelling":
        assert abs(values.sum()) < np.abs(values).sum() / 50
    assert terms(form, kind, 1000, 3) != terms(form, kind, 1000, 4)


@pytest.mark.parametrize("name", DTYPES)
def test_factors_are_near_one(name):
    form = FORMATS[name]
    values = numbers(element_cases.pattern_array(terms(form, "wide", 1000, 3, factors=True)), form)
    assert np.abs(values[:: form.parts] - 1).max() <= 1 / 64
    assert form.parts == 1 or np.abs(values[1::2]).max() <= 1 / 64
