"""Calls that follow from the oracle's own operator schemas."""

from hypothesis import strategies as st

from ...core.case import Case
from ...core.domain import Domain
from ...engine.decorators import exhaustive, sampled
from ...engine.probe import Probe
from ...generators.calls.python_calls import in_a_temporary_folder
from ...generators.schemas import drawn_calls, overloads as schemas, programs as schema_calls


@exhaustive(lambda torch: Domain(overload=schemas.overloads(torch)), parts=8, asks_part=True)
def test_calls(ask: Probe, overload: str) -> None:
    """Every overload of every public operator takes and rejects each argument as torch does."""
    root, step = ask.session.oracle.root, ask.session.profile.call_step
    for steps in schema_calls.programs(root, overload, step, ask.turn):
        program, question = schema_calls.with_next_draw(steps)
        ask(*program, question=question)


@sampled(seed=st.integers(0, 2**48))
def test_mixtures(ask: Probe, seed: int) -> None:
    """Overloads take several arguments together as torch does."""
    for index in range(_MIXTURES):
        steps = schema_calls.mixed_program(ask.session.oracle.root, _MIXTURES * seed + index)
        program, question = schema_calls.with_next_draw(steps)
        ask(*program, question=question)


_MIXTURES = 4
"""How many calls are made for each drawn seed."""


@exhaustive(
    lambda torch: Domain(overload=drawn_calls.drawn_overloads(torch)),
    parts=8,
    asks_part=True,
    one_in=3,
)
def test_drawn(ask: Probe, overload: str) -> None:
    """Every overload gives torch's result of random operands and arguments, or its error."""
    root, examples = ask.session.oracle.root, ask.session.profile.examples
    with in_a_temporary_folder():  # from_file may make the file
        for steps in drawn_calls.drawn_calls(root, overload, -(-examples // 100), ask.turn):
            program, question = schema_calls.with_next_draw(steps)
            ask(*program, question=question)


@exhaustive(
    lambda torch: Domain(row=schemas.not_asked(torch)), about_subject=False, lists_cells=True
)
def test_unasked(ask: Probe, row: str) -> None:
    """No calls are made for an overload only if there is a reason, which the report lists."""
    overload = row.partition(": ")[0]
    is_asked = overload in schemas.overloads(ask.session.oracle.root)
    ask.verdict(Case((overload,)), "not asked", "asked" if is_asked else "not asked")


@exhaustive(
    lambda torch: Domain(row=schema_calls.refused(torch)), about_subject=False, lists_cells=True
)
def test_refused(ask: Probe, row: str) -> None:
    """Torch refuses all default calls of an overload only if no operands could fit."""
    overload, _, error = row.partition(": ")
    reason = schema_calls.reason_refused(ask.session.oracle.root, overload, error)
    ask.verdict(Case((overload,)), "a reason", "a reason" if reason else f"refused: {error}")
