"""Callables without a schema: parameters by position and keyword, missing, wrong, doubled."""

from ...core.domain import Domain
from ...engine.decorators import exhaustive
from ...engine.probe import Probe
from ...generators import settings
from ...generators.calls import python_calls, refusals


@exhaustive(lambda torch: Domain(name=python_calls.callables(torch)), parts=2, asks_part=True)
def test_calls(ask: Probe, name: str) -> None:
    """Every public class, method and Python function takes and rejects arguments as torch's."""
    root, step = ask.session.oracle.root, max(1, ask.session.profile.call_step // 3)
    with python_calls.in_a_temporary_folder():
        for steps in python_calls.programs(root, name, step, ask.turn):
            ask(*settings.seed(*steps), *steps)


@exhaustive(lambda torch: Domain(call=refusals.CALLS))
def test_refusals(ask: Probe, call: str) -> None:
    """Rare refusals have torch's class of error and its words."""
    ask(call)
