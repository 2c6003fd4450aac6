"""A first look: its lines, and how it takes apart what differs and what is not there."""

import re
from collections import Counter

import pytest

import impl
from conformance.adapter import Adapter
from conformance.check import survey as looking
from conformance.check.survey import DECLARED, Survey
from conformance.check.text import lines_of
from conformance.core.domain import Domain
from conformance.core.profiles import PROFILES
from conformance.engine.registry import Property
from conformance.engine.session import Session
from conformance.libraries.library import Library


def found(**changes):
    values = {"looked_at": 1, "cells": 3, "seconds": 1.0, **changes}
    return Survey("mine", "torch 2", 239, **values)


def table(lines, start):
    """Return the rows of a table that begins with a header."""
    [at] = [index for index, line in enumerate(lines) if line.startswith(start)]
    rows = lines[at + 2 : lines.index("", at)]
    return [row.split(maxsplit=1)[0] for row in rows]


def test_what_is_there_is_told_apart_from_what_is_not():
    lines = lines_of(
        found(
            missing={"torch.frombuffer", "torch.Tensor.add"},
            opens=Counter({"torch.frombuffer": 9, ".to": 20, "torch.Tensor.add": 300}),
            properties_of={"torch.frombuffer": {"a"}, ".to": {"a"}, "torch.Tensor.add": {"a", "b"}},
            differing={"add": Counter({"another dtype": 1, "no TypeError": 3})},
            examples={"add": "x.add(3)"},
        ),
        1,
    )
    assert table(lines, "there, to mend first") == ["to", "add"]
    assert table(lines, "not there, to implement next") == ["torch.Tensor.add", "torch.frombuffer"]
    text = "\n".join(lines)
    assert "blocks what follows it" in text
    assert re.search("no TypeError +x.add\\(3\\) +4 +0", text)
    assert "another dtype" not in text


@pytest.mark.parametrize("number", [8, 9, 30])
def test_only_the_first_are_shown_and_the_others_counted(number):
    names = {f"torch.f{index}": 100 - index for index in range(number)}
    of_one = {name: {"a"} for name in names}
    lines = lines_of(found(missing={*names}, opens=Counter(names), properties_of=of_one), 1)
    shown = table(lines, "not there, to implement next")
    assert shown == [*[*names][:8], *(["and"] if number > 8 else [])]
    assert (f"and {number - 8} more" in lines) == (number > 8)


def test_an_adapter_is_shown_for_facts_that_cannot_be_asked():
    lines = lines_of(found(facts={"dtype": "", "elements": "no storage", "offset": "no offset"}), 1)
    assert lines[2].startswith("NO ELEMENTS ARE COMPARED")
    adapter = '    adapter = Adapter("mine", elements=lambda tensor: ..., not_asked=["offset"])'
    assert adapter in lines
    lines = lines_of(found(facts={"dtype": "", "elements": "", "offset": "no offset"}), 1)
    assert '    adapter = Adapter("mine", not_asked=["offset"])' in lines
    lines = lines_of(found(facts={"dtype": "", "elements": "", "offset": DECLARED}), 1)
    assert not any("Adapter(" in line for line in lines)


def test_nothing_is_said_of_a_library_in_which_nothing_differs():
    lines = lines_of(found(), 1)
    assert "nothing that was looked at differs in values or layout, is blocked or missing" in lines


def test_a_survey_tells_how_calls_differ(monkeypatch):
    def body(ask, number):
        ask(f"torch.full(({number},), 1)")
        ask(f"torch.ones({number}).sin()")
        ask(f"torch.no_such_name({number})")

    domain = Domain(number="123")
    prop = Property("area.name", "A claim.", body, 1, domain=lambda torch: domain)
    monkeypatch.setattr(looking, "all_properties", lambda: {prop.id: prop})

    class Tensor(impl.Tensor):
        def __getattribute__(self, name):
            if name == "sin":
                raise AttributeError("'Tensor' object has no attribute 'sin'")
            return super().__getattribute__(name)

    class Module:
        def __getattr__(self, name):
            return getattr(impl, name)

        def full(self, *args):
            return impl.full(*args, dtype=impl.float32)

        def ones(self, *args):
            return impl.ones(*args).as_subclass(Tensor)

    names = ("float32", "int64")
    oracle = Library("impl", impl, names)
    session = Session(oracle, Library("mine", Module(), names), PROFILES["quick"])
    seen = looking.survey(session, 1.0, lambda name: None)
    different = ("another dtype", "another storage: bytes", "another elements")
    assert seen.missing == {"torch.Tensor.sin"}
    assert seen.differing == {"full": Counter(dict.fromkeys(different, 3))}
    assert seen.examples == {"full": "torch.full((1,), 1)"}


def test_the_parts_of_a_fact_that_is_not_asked_are_not_named():
    names = ("float32", "int64")
    oracle = Library("impl", impl, names)
    subject = Library("mine", impl, names, Adapter(impl, not_asked=["autograd"]))
    seen = looking.survey(Session(oracle, subject, PROFILES["quick"]), 0.0, lambda name: None)
    assert seen.facts["autograd"] == DECLARED
    assert not {"grad_fn", "is_leaf"} & seen.facts.keys()


@pytest.mark.parametrize(
    ("profile", "options", "most"),
    [
        ("smoke", {}, 8),
        ("smoke", {"starts_processes": True}, 1),
        ("smoke", {"lists_cells": True}, None),
        ("quick", {"starts_processes": True}, None),
    ],
)
def test_a_smoke_run_asks_few_cells_and_fewer_that_start_processes(profile, options, most):
    prop = Property("a.b", "It claims.", lambda: None, 1, **options)
    assert prop.most_cells(PROFILES[profile]) == most


def test_the_time_of_a_run_includes_the_start_of_its_processes():
    lines = lines_of(found(start=20.0, duration={"smoke": 80.0, "quick": 4000.0}), 2)
    [line] = [line for line in lines if line.startswith("time")]
    assert "smoke about 60 s, quick about 34 min" in line
