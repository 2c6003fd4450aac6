"""Drawn cases: their identity, and the search for their simplest forms."""

import time

import pytest
from hypothesis import strategies as st

import impl
from conformance.controls.fault_injection import Fault, FaultyLibrary
from conformance.core.profiles import Profile
from conformance.engine.aggregate import merge
from conformance.engine.execution import run_part, run_property
from conformance.engine.session import Session

from .test_session import INT_BECOMES_HALF, ORACLE, run, sampled, wrong

SHRUNK = st.lists(st.sampled_from(["torch.int32", "torch.int64", "torch.half"]), min_size=2)

NUMBERS = st.lists(st.integers(0, 3), min_size=2, max_size=2)


PAUSE = 0.02


def ask_slowly(ask, dtypes):
    time.sleep(PAUSE)
    pairs = ", ".join(f"torch.promote_types({dtype}, torch.int32)" for dtype in dtypes)
    ask(f"[{pairs}]")


def ask_pairs(ask, dtypes):
    pairs = ", ".join(f"torch.promote_types({dtype}, torch.int32)" for dtype in dtypes)
    ask(f"[{pairs}]")


def ask_shapes(ask, dtypes):
    ask(f"torch.ones({len(dtypes)}, dtype={dtypes[0]})")


def longer_and_wrong_dtype(function, args, kwargs, torch):
    """Return a wrong shape for long tensors of half, and a wrong dtype for int32."""
    if function is torch.ones and kwargs.get("dtype") is torch.int32:
        return function(*args, dtype=torch.int64)
    if function is torch.ones and args[0] > 3 and kwargs.get("dtype") is torch.half:
        return function(args[0] + 1, dtype=torch.half)
    return function(*args, **kwargs)


def longer(function, args, kwargs, torch):
    """Return a tensor with one more element in each dimension."""
    name = getattr(function, "__name__", "")
    grown = [size + 1 for size in args[0]] if name in ("ones", "zeros", "empty") else None
    return function(*args, **kwargs) if grown is None else function(grown, **kwargs)


def test_drawn_divergences_are_made_small():
    def body(ask, names):
        for name in names:
            ask(f"torch.promote_types(torch.{name}, torch.int8)")

    names = st.lists(st.sampled_from(("int8", "half", "int32")), min_size=1, max_size=20)
    prop = sampled(body, names=names)
    record = run(prop, INT_BECOMES_HALF)
    assert {row.case for row in record.divergences} == {
        "torch.promote_types(torch.int32, torch.int8)"
    }


def test_several_drawn_divergences_are_found():
    subject = wrong(
        lambda torch, *args: args[0] is not args[1],
        lambda torch: torch.qint8,
    )

    def body(ask, name):
        ask(f"torch.promote_types(torch.{name}, torch.int8)")

    record = run(sampled(body, name=st.sampled_from(("int16", "int32"))), subject)
    assert len({row.case for row in record.divergences}) == 2


@pytest.mark.parametrize("seed", range(5))
def test_a_divergence_is_in_a_facet_that_was_counted(seed):
    # The search for simple cases draws others than those that are counted.
    def call(function, args, kwargs, torch):
        if function is torch.finfo and args[0] is torch.int8:
            raise TypeError("another message")
        return 1 if function is torch.finfo else function(*args, **kwargs)

    def body(ask, number):
        ask(f"torch.finfo(torch.{'int8' if number % 9 else 'half'})")

    prop = sampled(body, number=st.integers(1, 10**6))
    subject = FaultyLibrary(impl, Fault(call=call))
    asked = Session(ORACLE, subject, Profile("test", 4, 4), seed=seed)
    record = merge(prop, run_property(asked, prop))
    assert "message" in record.facets
    assert {divergence.facet for divergence in record.divergences} <= {*record.facets}


@pytest.mark.parametrize("seconds", [0.3, 0])
def test_shrinking_ends_with_its_time(seconds):
    """All attempts of a part share the time; the simplest failing case so far is reported."""
    profile, asked = Profile("test", 20, attempts=3, shrink_s=seconds), []

    def body(ask, dtypes):
        asked.append(dtypes)
        ask_slowly(ask, dtypes)

    record = run_part(Session(ORACLE, INT_BECOMES_HALF, profile), sampled(body, dtypes=SHRUNK), 0)
    assert record.divergences
    # All examples, at most three searches among as many, and those that fit into the time.
    assert len(asked) <= 4 * 20 + seconds / PAUSE + 3


def test_what_is_counted_does_not_depend_on_what_is_found():
    """All examples are asked, and those of the search for a simple case are not counted."""
    profile = Profile("test", 20, attempts=3, shrink_s=0.1)
    prop = sampled(ask_slowly, dtypes=SHRUNK)
    right, wrong = (
        run_part(Session(ORACLE, subject, profile), prop, 0)
        for subject in (ORACLE, INT_BECOMES_HALF)
    )
    assert not right.divergences
    assert wrong.divergences
    assert right.facets["raises"] == wrong.facets["raises"] > 0
    assert right.visits.digest == wrong.visits.digest
    assert wrong.wrong["1 value"] > len(wrong.divergences)


def test_without_an_end_the_simplest_case_is_found():
    profile = Profile("test", 20, attempts=1, shrink_s=60)
    record = run_part(
        Session(ORACLE, INT_BECOMES_HALF, profile), sampled(ask_slowly, dtypes=SHRUNK), 0
    )
    (divergence,) = record.divergences.values()
    assert divergence.case.count("promote_types") == 2


@pytest.mark.parametrize("seed", range(3))
def test_the_identity_of_a_drawn_divergence_does_not_depend_on_the_search(seed):
    """An expectation that was written on a fast machine holds on a slow one."""
    drawn, simple = (
        run_part(
            Session(ORACLE, INT_BECOMES_HALF, Profile("test", 50, 3, shrink_s=seconds), seed),
            sampled(ask_pairs, dtypes=SHRUNK),
            0,
        ).divergences
        for seconds in (0.0, 60.0)
    )
    assert len(drawn) == 3
    assert [*drawn] == [*simple]
    for found, form in zip(drawn.values(), simple.values(), strict=True):
        assert (found.drawn, form.origin) == (None, found)
        assert (found.id, found.fingerprint) == (form.id, form.fingerprint)
        assert form.case.count("promote_types") <= found.case.count("promote_types")
    assert any(form.drawn for form in simple.values())


def test_a_simple_form_differs_in_the_same_facet():
    """What diverges otherwise in a simpler case does not take its place."""
    profile = Profile("test", 50, attempts=40, shrink_s=60)
    prop = sampled(ask_shapes, dtypes=SHRUNK)
    subject = FaultyLibrary(impl, Fault(call=longer_and_wrong_dtype))
    record = run_part(Session(ORACLE, subject, profile), prop, 0)
    facets = [(form.facet, form.origin.facet) for form in record.divergences.values()]
    assert {("shape", "shape"), ("dtype", "dtype")} <= {*facets}
    assert all(facet == found for facet, found in facets)


def test_a_simple_form_is_of_the_same_call():
    def ask_calls(ask, name, numbers):
        ask(f"torch.{name}({numbers})")

    subject = FaultyLibrary(impl, Fault(call=longer))
    prop = sampled(ask_calls, name=st.sampled_from(["ones", "zeros", "empty"]), numbers=NUMBERS)
    record = run_part(Session(ORACLE, subject, Profile("test", 50, attempts=9)), prop, 0)
    pairs = [(form.case, form.origin.case) for form in record.divergences.values()]
    assert any(form != drawn for form, drawn in pairs)
    for form, drawn in pairs:
        assert form.partition("(")[0] == drawn.partition("(")[0]


def test_a_subject_that_diverges_once_is_reported_as_drawn():
    calls = []

    def once(function, args, kwargs, torch):
        if function is torch.promote_types and torch.int32 in args:
            calls.append(args)
            return torch.half if len(calls) == 1 else function(*args, **kwargs)
        return function(*args, **kwargs)

    record = run_part(
        Session(ORACLE, FaultyLibrary(impl, Fault(call=once)), Profile("test", 50, 3)),
        sampled(ask_pairs, dtypes=SHRUNK),
        0,
    )
    (divergence,) = record.divergences.values()
    assert divergence.drawn is None
