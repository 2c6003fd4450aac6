"""Setups: what blocks a program, by which call, and how blocked cells are counted."""

from types import SimpleNamespace

import pytest
from hypothesis import strategies as st

import impl
from conformance.comparison.element_cases import ElementCase
from conformance.controls.fault_injection import Fault, FaultyLibrary
from conformance.core.domain import Domain
from conformance.core.profiles import Profile
from conformance.engine import setups
from conformance.engine.aggregate import from_text, merge, to_text
from conformance.engine.execution import run_property
from conformance.engine.expectations import judge
from conformance.engine.registry import Property
from conformance.engine.session import Session
from conformance.libraries.library import Library
from conformance.properties import all_properties

ORACLE = Library("impl", impl)
TEN = Domain(number=map(str, range(10)))


def run(body, subject, domain=TEN, parts=1):
    prop = Property("area.name", "A claim.", body, parts, domain=lambda torch: domain)
    return run_with(prop, subject)


def run_with(prop, subject):
    session = Session(ORACLE, subject, Profile("test", 50, 3))
    parts = [from_text(to_text(part)) for part in run_property(session, prop)]
    return merge(prop, parts)


def without(*names, **others):
    """Return impl without some names, and with other functions for some."""
    known = {name: getattr(impl, name) for name in dir(impl) if not name.startswith("_")}
    root = SimpleNamespace(**{**known, **others})
    for name in names:
        delattr(root, name)
    return Library("less", root, ORACLE.names)


def refuse(dtype):
    raise RuntimeError("the default dtype cannot be changed")


def take_float32(dtype):
    if dtype is not impl.float32:
        refuse(dtype)


def yes(*args, **kwargs):
    return True


SUBJECTS = {
    "without a setter": without("set_default_dtype", can_cast=yes),
    "with a setter that raises": without(set_default_dtype=refuse, can_cast=yes),
    "with a setter of float32": without(set_default_dtype=take_float32, can_cast=yes),
}


@pytest.mark.parametrize("name", SUBJECTS)
def test_a_library_that_can_cast_all_and_cannot_be_set_up_is_not_complete(name):
    record = run_with(all_properties()["promotion.can_cast"], SUBJECTS[name])
    coverage = record.coverage
    assert coverage.size == 10_000
    assert coverage.visited == 2_500
    assert coverage.blocked == 7_500
    assert coverage.blocked_by == {"torch.set_default_dtype": 7_500}
    assert not record.complete
    # All wrong answers under the default of float32 are found.
    found = [row for row in record.divergences if row.facet == "value"]
    assert {(row.expected, row.observed) for row in found} == {(False, True)}
    assert len({row.case for row in found}) == len(found) == 371
    # The setup differs once for each default dtype; a missing name is one divergence.
    others = [row for row in record.divergences if row.facet != "value"]
    assert len(others) == (1 if name == "without a setter" else 3)
    (problem,) = (row for row in judge([record.for_judging()]).problems if row.kind == "blocked")
    assert problem.text == (
        "2,500 of 10000 cells visited, 7,500 blocked by torch.set_default_dtype"
    )


def test_a_subject_that_can_be_set_up_is_complete():
    record = run_with(all_properties()["promotion.scalar_kinds"], without(can_cast=yes))
    assert record.complete
    assert (record.coverage.blocked, record.coverage.blocked_by) == (0, {})


@pytest.mark.parametrize("parts", [1, 3])
def test_blocked_cells_of_all_parts_are_counted(parts):
    def body(ask, number):
        setup = ("torch.set_default_dtype(torch.float64)",) if int(number) % 2 else ()
        ask(*setup, f"torch.finfo().max * {number}")

    coverage = run(body, without("set_default_dtype"), parts=parts).coverage
    assert (coverage.visited, coverage.blocked) == (5, 5)
    assert coverage.blocked_by == {"torch.set_default_dtype": 5}


def test_a_cell_is_blocked_if_one_of_its_programs_is():
    def body(ask, number):
        ask(f"torch.finfo().max * {number}")
        ask("x = torch.ones(1)", "y = torch.zeros(1)", "x + y")
        ask("x = torch.zeros(1)", "x")

    coverage = run(body, without("zeros", "ones")).coverage
    assert (coverage.visited, coverage.blocked) == (0, 10)
    assert coverage.blocked_by == {"torch.ones": 10, "torch.zeros": 10}


def test_drawn_cases_that_are_blocked_are_counted():
    def body(ask, default):
        setup = (f"torch.set_default_dtype(torch.{default})",)
        ask(*(setup if default != "float32" else ()), "torch.tensor(1.5)")

    defaults = st.sampled_from(("float32", "float64", "float16"))
    prop = Property("area.name", "A claim.", body, 1, strategies={"default": defaults})
    coverage = run_with(prop, without("set_default_dtype")).coverage
    assert (coverage.visited, coverage.blocked) == (1, 2)
    assert coverage.blocked_by == {"torch.set_default_dtype": 2}
    assert not coverage.complete


def faulty(answer, name="promote_types"):
    def call(function, args, kwargs, torch):
        if function is getattr(torch, name):
            return answer(torch, *args)
        return function(*args, **kwargs)

    return FaultyLibrary(impl, Fault(call=call))


HALF = faulty(lambda torch, *args: torch.half)


@pytest.mark.parametrize(
    ("question", "blocked"), [(-1, 1), (2, 1), (1, 0), (0, 0), ((0, 2), 1), ((0, 1), 0), ((0,), 0)]
)
def test_the_question_begins_where_the_property_says(question, blocked):
    def body(ask, number):
        ask("x = 1", "torch.promote_types(torch.int8, torch.int16)", "x", question=question)

    coverage = run(body, HALF, Domain(number="1")).coverage
    assert (coverage.visited, coverage.blocked) == (1 - blocked, blocked)


@pytest.mark.parametrize("question", [1, -2, (0, 1)])
def test_a_question_outside_of_the_program_is_a_mistake(question):
    with pytest.raises(IndexError):
        run(lambda ask, number: ask("1", question=question), ORACLE)


def test_a_setup_that_differs_in_its_message_alone_does_not_block():
    def answer(torch, *args):
        raise RuntimeError("another message")

    def body(ask, number):
        ask(
            "torch.promote_types(torch.uint16, torch.int8)", f"torch.can_cast(torch.int8, {number})"
        )

    record = run(body, faulty(answer), Domain(number=("int", "float")))
    assert record.coverage.blocked == 0
    assert record.coverage.complete
    assert [row.facet for row in record.divergences] == ["message"]
    assert record.facets["raises"] == 4


def test_a_setup_that_fails_on_both_sides_does_not_block():
    def body(ask, number):
        ask("torch.set_default_dtype(torch.int8)", f"torch.tensor({number})")

    assert run(body, ORACLE).coverage.complete


def test_steps_before_the_last_of_a_bulk_case_are_its_setup():
    patterns = ("c = numpy.arange(4, dtype='uint8')",)
    steps = ("x = torch.frombuffer(c, dtype=torch.uint8)", "x.to(torch.float16)")

    def body(ask, number):
        ask.bulk(ElementCase("uint8", "float16", patterns, steps))

    coverage = run(body, without("frombuffer")).coverage
    assert coverage.blocked_by == {"torch.frombuffer": 10}
    assert coverage.visited == 0
    assert run(body, without()).coverage.complete


BLOCKERS = {
    "torch.set_default_dtype(torch.int8)": "torch.set_default_dtype",
    "x = torch.utils.nothing.deeper(1)": "torch.utils.nothing",
    "x = torch.ones(2, 2).nothing().t()": ".nothing",
    "x = torch.ones(2, 2).view(7).t().view(4)": ".view",
    "x = torch.ones(2) + torch.ones(3)": "a + b",
    "x = -torch.ones(2, dtype=torch.bool)": "-a",
    "x = torch.ones(2)[7]": "a[b]",
    "x = torch.ones(2); x += torch.ones(3)": "a + b",
    "with torch.no_grad(): x = torch.ones(-1)": "torch.ones",
}


@pytest.mark.parametrize("faults", [False, True])
@pytest.mark.parametrize("step", BLOCKERS)
def test_the_call_that_raised_blocks(step, faults):
    library = FaultyLibrary(impl, Fault()) if faults else ORACLE
    with pytest.raises(Exception) as caught:  # noqa: PT011  # errors of several classes
        library.run(step, library.scope())
    assert setups.blocker_in(step, caught.value) == BLOCKERS[step]


OUTERMOST = {
    "x = torch.ones(2, 2).view(-1)": ".view",
    "torch.manual_seed(7).initial_seed()": ".initial_seed",
    "x = y[0]": "a[b]",
    "x = y": "x = y",
    "seen = []": "seen = []",
}


@pytest.mark.parametrize("step", OUTERMOST)
def test_without_an_error_the_outermost_call_blocks(step):
    assert setups.blocker_in(step, None) == OUTERMOST[step]


def test_cells_whose_setup_the_oracle_refuses_are_counted():
    def body(ask, number):
        dtype = "int32" if int(number) < 3 else "float32"
        ask(f"x = torch.finfo(torch.{dtype})", "x.max")
        ask("torch.finfo(torch.int32)", "torch.finfo().max")  # no assignment: the question is asked

    record = run(body, Library("impl", impl, ORACLE.names), parts=2)
    assert (record.coverage.visited, record.coverage.refused) == (10, 3)
    assert record.coverage.refused_by == {"torch.finfo": 3}
    assert record.complete
    assert "10 of 10 cells visited, 3 refused by torch.finfo" in record.for_judging().coverage


def test_a_domain_of_which_the_oracle_refuses_every_cell_is_not_complete():
    record = run(
        lambda ask, number: ask("x = torch.finfo(torch.int32)", "x.max"),
        Library("impl", impl, ORACLE.names),
    )
    assert record.comparisons
    assert record.coverage.refused == record.coverage.visited == 10
    assert not record.complete
