"""States of variables that differ as a tolerance has accepted, in the later steps of a program."""

from typing import Any

from ..observation.runner import Observation
from .comparator import is_equal


class AcceptedStates:
    """The states of variables on both sides, where they differ and a tolerance accepted it.

    While a variable stays as it was accepted, it is no difference of a later step.
    """

    def __init__(self) -> None:
        self._pairs: dict[str, list[tuple[Any, Any]]] = {}

    def __bool__(self) -> bool:
        return bool(self._pairs)

    def accept(self, expected: Observation, observed: Observation) -> None:
        """Remember the states that differ, after a step whose differences were accepted."""
        left, right = expected.get("state"), observed.get("state")
        if isinstance(left, dict) and isinstance(right, dict):
            for name, state in left.items():
                if name in right and not is_equal(state, right[name]):
                    self._pairs.setdefault(name, []).append((state, right[name]))

    def applied_to(self, expected: Observation, observed: Observation) -> Observation:
        """Return the observation of the subject with the oracle's states for accepted ones."""
        left, right = expected.get("state"), observed.get("state")
        if not self._pairs or not isinstance(left, dict) or not isinstance(right, dict):
            return observed
        accepted = {
            name: left[name]
            for name, pairs in self._pairs.items()
            if name in left and name in right
            if any(is_equal((left[name], right[name]), pair) for pair in pairs)
        }
        return {**observed, "state": {**right, **accepted}} if accepted else observed
