"""Answer grids of domains: the same for every order of cells and every split in parts."""

import pytest

import impl
from conformance.controls.fault_injection import Fault, FaultyLibrary
from conformance.core.domain import Domain
from conformance.core.profiles import Profile
from conformance.engine import answer_grids
from conformance.engine.aggregate import from_text, merge, to_text
from conformance.engine.execution import run_part
from conformance.engine.registry import Property
from conformance.engine.session import Session
from conformance.libraries.library import Library

ORACLE = Library("impl", impl)
DTYPES = ("torch.int8", "torch.uint8", "torch.bool", "torch.quint8")


def answer(function, args, kwargs, torch):
    if function is torch.promote_types and args == (torch.uint8, torch.int8):
        return torch.int32
    return function(*args, **kwargs)


SUBJECT = FaultyLibrary(impl, Fault(call=answer))


def without_uint8(function, args, kwargs, torch):
    if function is torch.set_default_dtype:
        raise TypeError("there is one default dtype")
    return function(*args, **kwargs)


def behind_a_setter(ask, left, right):
    setter = ("torch.set_default_dtype(torch.float64)",) if left == "torch.uint8" else ()
    ask(*setter, f"torch.promote_types({left}, {right})")


def body(ask, left, right):
    ask(f"torch.promote_types({left}, {right})", "torch.int8")
    ask("torch.bool")


def record_of(parts, grid_step=0, subject=SUBJECT, shuffled=False, body=body):
    domain = Domain(left=DTYPES, right=DTYPES)
    prop = Property(
        "area.name", "A claim.", body, parts, domain=lambda torch: domain, grid_step=grid_step
    )
    session = Session(ORACLE, subject, Profile("test", 50, 3))
    parts_run = [from_text(to_text(run_part(session, prop, part))) for part in range(parts)]
    return merge(prop, parts_run[::-1] if shuffled else parts_run)


def cells(picture):
    return [[picture["answers"][int(number)] for number in row.split()] for row in picture["rows"]]


def test_each_cell_has_the_oracles_answer():
    grid = cells(answer_grids.grid_of_domain(record_of(1)))
    assert grid[0][:3] == ["torch.int8", "torch.int16", "torch.int8"]
    assert grid[1][:3] == ["torch.int16", "torch.uint8", "torch.uint8"]
    assert grid[0][3].startswith("RuntimeError: ")


@pytest.mark.parametrize("parts", [2, 3, 16])
@pytest.mark.parametrize("shuffled", [False, True])
def test_it_does_not_depend_on_the_parts_it_was_asked_in(parts, shuffled):
    assert answer_grids.grid_of_domain(
        record_of(parts, shuffled=shuffled)
    ) == answer_grids.grid_of_domain(record_of(1))


def test_a_cell_that_differs_names_its_divergences():
    record = record_of(2)
    (ids,) = answer_grids.grid_of_domain(record)["divergences"].items()
    assert ids == ("4", [row.id for row in record.divergences])


@pytest.mark.parametrize("parts", [1, 3])
def test_a_cell_that_was_not_asked_names_the_call_that_blocks_it(parts):
    subject = FaultyLibrary(impl, Fault(call=without_uint8))
    record = record_of(parts, -1, subject, body=behind_a_setter)
    picture = answer_grids.grid_of_domain(record)
    assert picture["blocked"] == {"torch.set_default_dtype": [4, 5, 6, 7]}
    assert cells(picture)[1][:2] == ["torch.int16", "torch.uint8"]
    assert answer_grids.grid_of_domain(record_of(parts))["blocked"] == {"torch.promote_types": [4]}


def test_a_step_after_one_that_fails_shows_the_failure():
    grid = cells(answer_grids.grid_of_domain(record_of(1, grid_step=1)))
    assert grid[0][0] == "torch.int8"
    assert grid[0][3].startswith("RuntimeError: ")


def test_a_property_that_is_not_pictured_keeps_nothing():
    record = record_of(1, grid_step=None)
    assert (record.axes, record.answers, record.marks) == ({}, [], {})


def test_facets_are_counted_by_name():
    record = record_of(3)
    assert record.comparisons == sum(record.facets.values())
    assert record.facets["raises"] > record.facets["value"] > record.facets["message"] > 0
