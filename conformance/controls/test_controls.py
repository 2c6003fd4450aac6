"""The controls as tests: the suite must catch each planted fault, in every run."""

import json

import pytest

from ..controls.catalogue import runs
from ..engine.session import Session
from ..properties import all_properties

RUNS = runs(all_properties())


@pytest.mark.parametrize("control", RUNS)
def test_control(session: Session, request: pytest.FixtureRequest, control: str) -> None:
    """The named property catches the fault."""
    result = RUNS[control](session)
    request.node.user_properties.append(("conformance-control", json.dumps(result)))
    if not result["caught"]:
        pytest.fail(
            f"{control}: {result['fault']}\n  must be caught by {result['property']}"
            f" as {result['caught_as']}; found: {result['found'] or 'nothing'}"
            f" {result['example'] or ''}",
            pytrace=False,
        )
