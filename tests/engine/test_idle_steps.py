"""Reproductions: without the steps that do nothing, of the same case and id."""

import pytest

import impl
from conformance.controls.fault_injection import Fault, FaultyLibrary
from conformance.core.domain import Domain
from conformance.core.profiles import Profile
from conformance.engine import idle_steps
from conformance.engine.execution import run_part
from conformance.engine.registry import Property
from conformance.engine.session import Session
from conformance.libraries.library import Library

ORACLE = Library("impl", impl)
LAST = "torch.promote_types(torch.uint8, torch.int8)"


def wrong_promotion(function, args, kwargs, torch):
    return torch.int32 if function is torch.promote_types else function(*args, **kwargs)


def wrong_under_float64(function, args, kwargs, torch):
    if function is torch.promote_types and torch.get_default_dtype() is torch.float64:
        return torch.int32
    return function(*args, **kwargs)


def wrong_from_the_second_call():
    calls = []

    def call(function, args, kwargs, torch):
        if function is torch.promote_types:
            calls.append(args)
            if len(calls) == 2:
                return torch.int32
        return function(*args, **kwargs)

    return call


def divergences(call, *programs, shrink_s=3.0):
    def body(ask, number):
        for steps in programs:
            ask(*steps)

    prop = Property("a.p", "A claim.", body, 1, domain=lambda torch: Domain(number=("1",)))
    session = Session(
        ORACLE, FaultyLibrary(impl, Fault(call=call)), Profile("test", 50, 3, shrink_s=shrink_s)
    )
    return [*run_part(session, prop, 0).divergences.values()]


@pytest.mark.parametrize(
    ("call", "steps", "kept"),
    [
        (
            wrong_promotion,
            ["torch.manual_seed(3)", "x = torch.ones(2)", "x.add_(1)", LAST],
            [],
        ),
        (
            wrong_promotion,
            ["x = torch.ones(2, dtype=torch.uint8)", "y = x.sum()",
             "torch.promote_types(x.dtype, torch.int8)"],
            ["x = torch.ones(2, dtype=torch.uint8)"],
        ),
        (
            wrong_under_float64,
            ["torch.set_default_dtype(torch.float64)", "x = torch.ones(2)", LAST],
            ["torch.set_default_dtype(torch.float64)"],
        ),
    ],
)  # fmt: skip
def test_steps_that_the_divergence_does_not_need_are_left_out(call, steps, kept):
    (found,) = divergences(call, steps)
    assert found.case == "\n".join(steps)
    lines = found.reproduction.splitlines()
    assert lines[0].startswith("import torch")
    assert [line.removeprefix("try: ") for line in lines[2:-1] if "except" not in line] == kept


def test_a_divergence_that_depends_on_an_earlier_program_keeps_its_steps():
    (found,) = divergences(wrong_from_the_second_call(), [LAST], ["x = torch.ones(2)", LAST])
    assert "x = torch.ones(2)" in found.reproduction


def test_the_first_of_equal_differences_is_shortened():
    first, second = divergences(
        wrong_promotion, ["x = torch.ones(2)", LAST], ["y = torch.ones(2)", LAST]
    )
    assert "torch.ones" not in first.reproduction
    assert "y = torch.ones(2)" in second.reproduction


@pytest.mark.parametrize("repetitions", [0, 1, 4])
def test_the_search_ends_with_the_time_for_simple_cases(repetitions, monkeypatch):
    """The clock stands still but for the calls of the subject, so that the test knows the time."""
    now, calls = [0.0], []

    def slow_and_wrong(function, args, kwargs, torch):
        if function is torch.promote_types:
            calls.append(args)
            now[0] += 1.0
        return wrong_promotion(function, args, kwargs, torch)

    monkeypatch.setattr(idle_steps, "perf_counter", lambda: now[0])
    steps = [*(f"x{index} = torch.ones(2)" for index in range(20)), LAST]
    (found,) = divergences(slow_and_wrong, steps, shrink_s=float(repetitions))
    assert len(calls) == 1 + repetitions
    left_out = [index for index in range(20) if f"x{index} = " not in found.reproduction]
    assert left_out == [*range(21 - max(1, repetitions), 20)]
