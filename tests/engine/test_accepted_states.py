"""Tests of states that a tolerance accepted, in later steps."""

from conformance.comparison.accepted_states import AcceptedStates


def _observation(**elements: str) -> dict[str, object]:
    return {"raises": "", "state": {name: {"elements": [own]} for name, own in elements.items()}}


def test_a_state_as_accepted_is_no_later_difference() -> None:
    states = AcceptedStates()
    states.accept(_observation(x="ffff", y="0"), _observation(x="7fc0", y="0"))
    want = _observation(x="ffff", y="0", z="1")
    assert states
    assert states.applied_to(want, _observation(x="7fc0", y="0", z="1")) == want


def test_a_state_that_changed_since_is_compared() -> None:
    states = AcceptedStates()
    states.accept(_observation(x="ffff"), _observation(x="7fc0"))
    for want, got in (("ffff", "7fc1"), ("fff0", "7fc0"), ("3f80", "7fc0")):
        observed = _observation(x=got)
        assert states.applied_to(_observation(x=want), observed) is observed


def test_other_facets_and_variables_are_compared() -> None:
    states = AcceptedStates()
    states.accept(_observation(x="ffff", y="0"), _observation(x="7fc0", y="0"))
    observed = {**_observation(x="7fc0", y="1"), "raises": "TypeError"}
    result = states.applied_to(_observation(x="ffff", y="0"), observed)
    assert result == {**_observation(x="ffff", y="1"), "raises": "TypeError"}


def test_a_variable_of_one_side_alone_stays() -> None:
    states = AcceptedStates()
    states.accept(_observation(x="ffff"), _observation(y="7fc0"))
    assert not states
    states.accept({"state": "..."}, _observation(x="7fc0"))
    assert not states


def test_each_accepted_form_of_a_state_counts() -> None:
    states = AcceptedStates()
    for want, got in (("ffff", "7fc0"), ("digest of ffff", "digest of 7fc0")):
        states.accept(_observation(x=want), _observation(x=got))
    for want, got in (("ffff", "7fc0"), ("digest of ffff", "digest of 7fc0")):
        assert states.applied_to(_observation(x=want), _observation(x=got)) == _observation(x=want)
    mixed = _observation(x="7fc0")
    assert states.applied_to(_observation(x="digest of ffff"), mixed) is mixed
