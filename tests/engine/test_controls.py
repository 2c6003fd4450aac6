"""Planted faults: each changes the documented answer, and uncaught faults are reported."""

import pytest

import impl
from conformance.controls import control as controls
from conformance.controls.catalogue import CONTROLS
from conformance.controls.control import Control, change_subject
from conformance.controls.fault_injection import Fault, FaultyLibrary
from conformance.core.case import Case
from conformance.core.errors import NoProgram
from conformance.core.profiles import PROFILES
from conformance.engine.session import Session
from conformance.libraries.library import Library
from conformance.observation.runner import run_case

ORACLE = Library("impl", impl)
SESSION = Session(ORACLE, ORACLE, PROFILES["quick"])


def ask(library, *steps):
    results = run_case(library, Case(steps), lambda outcome, library: {"value": outcome.value})
    return results[-1].observation["value"]


def test_a_library_without_a_fault_answers_as_it_does():
    plain = FaultyLibrary(impl, Fault())
    for step in ("torch.promote_types(torch.int8, torch.half)", "torch.int8 == torch.half",
                 "[name for name in ('a', 'b') if name < 'b']", "1 < 2 < 3", "torch.float32",
                 "{'a': torch.int8}['a'].itemsize"):  # fmt: skip
        assert ask(plain, step) == ask(ORACLE, step)


@pytest.mark.parametrize(
    "step",
    ["torch.Size((2,)).count()", "[].clear(1)", "type('A', (), {}).__module__", "len(1, 2)"],
)
def test_hooks_change_no_answer(step):
    def observe(outcome, library):
        return {"value": str(outcome.error or outcome.value)}

    answers = [
        run_case(library, Case([step]), observe)[-1].observation
        for library in (ORACLE, FaultyLibrary(impl, Fault()))
    ]
    assert answers[0] == answers[1]


@pytest.mark.parametrize("library", [ORACLE, FaultyLibrary(impl, Fault())])
@pytest.mark.parametrize("step", ["torch.ones((, 1)", "x = y(a=1, 2)", "f(a=1, a=2)"])
def test_a_step_that_is_no_python_asks_nothing(library, step):
    with pytest.raises(NoProgram, match="is no Python"):
        ask(library, "1", step)


def test_each_hook_sees_what_is_done():
    fault = Fault(
        attribute=lambda owner, name, torch: 9 if name == "itemsize" else getattr(owner, name),
        call=lambda function, args, kwargs, torch: "called",
        comparison=lambda name, left, right, torch: name,
        repr=lambda value, torch: "printed",
    )
    library = FaultyLibrary(impl, fault)
    assert ask(library, "torch.int8.itemsize") == 9
    assert ask(library, "x = torch.int8", "x.itemsize") == 9
    assert ask(library, "torch.finfo()") == "called"
    assert ask(library, "1 <= 2") == "LtE"
    assert library.repr(1) == "printed"


def test_the_library_itself_is_not_touched():
    FaultyLibrary(impl, Fault(attribute=lambda owner, name, torch: 9))
    assert ask(ORACLE, "torch.int8.itemsize") == 1


# impl is the oracle, so torch is not needed, and only fast controls are used.  Each run of the
# suite plants all faults against torch.
AREAS = ("engine", "limits")
KINDS = ("blocked", "incomplete", "stale", "changed")
SOME = [
    control
    for control in CONTROLS
    if control.property.partition(".")[0] in AREAS or control.caught_as in KINDS
]


@pytest.mark.parametrize("control", SOME, ids=lambda control: control.id)
def test_a_planted_fault_is_caught(control):
    result = control.run(SESSION)
    assert result["caught"], result


def test_a_fault_is_looked_for_after_other_differences():
    def call(function, args, kwargs, torch):
        result = function(*args, **kwargs)
        name = getattr(function, "__name__", "")
        if name == "any":
            return torch.logical_not(result)
        return result.unsqueeze(0) if name in ("sum", "prod", "amax", "mean") else result

    control = Control(
        "inverse", "any() is inverted, and shapes are wrong", "reductions.calls", "elements",
        change_subject(Fault(call=call)),
    )  # fmt: skip
    result = control.run(SESSION)
    assert result["caught"], result
    assert "shape" in result["found"]


def test_a_fault_is_looked_for_first_in_the_cell_that_caught_it(monkeypatch):
    wrong_eps = next(control for control in CONTROLS if control.id == "wrong-eps")
    monkeypatch.setattr(controls, "cells_that_caught", dict)
    result = wrong_eps.run(SESSION)
    assert result["caught"]
    assert not result["example"].startswith("1 of ")
    monkeypatch.setattr(controls, "cells_that_caught", lambda: {wrong_eps.id: result["cell"]})
    again = wrong_eps.run(SESSION)
    assert again["caught"]
    assert again["example"].startswith("1 of ")
    assert again["cell"] == result["cell"]
    monkeypatch.setattr(
        controls, "cells_that_caught", lambda: {wrong_eps.id: ("no", "such", "cell")}
    )
    assert wrong_eps.run(SESSION)["example"] == result["example"]


def test_a_fault_that_nothing_catches_is_reported():
    control = Control(
        "nothing", "no fault at all", "limits.iinfo", "value", lambda session, prop: (session, prop)
    )
    result = control.run(SESSION)
    assert (result["caught"], result["found"]) == (False, [])


def test_a_fault_that_is_caught_as_something_else_is_not_caught():
    control = next(control for control in CONTROLS if control.id == "wrong-eps")
    other = Control("other", control.fault, control.property, "message", control.arrange)
    assert not other.run(SESSION)["caught"]
