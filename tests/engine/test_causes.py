"""Causes: divergences that differ alike but for dtypes, numbers and names."""

from conformance.report import causes

from .making_reports import divergence, record, report


def refused(name, property, dtype, observed=None):
    message = f"\"{name}_cpu\" not implemented for '{dtype}'"
    return divergence(
        name, property, facet="raises", expected="NotImplementedError", observed=observed,
        case=f"torch.{name}(1)", messages=[message, None],
    )  # fmt: skip


def test_one_cause_has_divergences_of_many_dtypes_and_properties():
    data = report(
        refused("add", "a.p", "Half"), refused("mul", "a.q", "Bool"),
        refused("sum", "a.q", "Byte", "ValueError"),
        records=[record(), record("a.q")],
    )  # fmt: skip
    first, second = causes.causes(data)
    assert (len(first.rows), first.level) == (2, 1)
    assert {row["property"] for row in first.rows} == {"a.p", "a.q"}
    assert first.expected == "NotImplementedError: \"*\" not implemented for '*'"
    assert (first.observed, first.calls) == ("no error", ["add", "mul"])
    assert (second.level, second.observed) == (2, "ValueError: ")


def test_what_blocks_the_most_is_first():
    data = report(
        *(refused(f"f{number}", "a.p", "Half") for number in range(3)),
        divergence("g", case="torch.g(1)"),
        records=[record(size=9, visited=2, blocked=7, by=("torch.g",))],
    )
    groups = causes.groups_of_causes(data)
    assert [(group.title, group.size, group.blocked) for group in groups] == [
        ("value: another value", 1, 7), ("no NotImplementedError", 3, 0),
    ]  # fmt: skip
    assert causes.rows(data)[0][:4] == ["1", "1", "1", "7"]


def test_expected_and_missing_ones_have_no_cause():
    data = report(
        divergence("known", status="expected"),
        divergence("lost", status="missing", missing="torch.lost"),
    )
    assert causes.causes(data) == []


def test_states_differ_by_their_parts():
    row = divergence(
        "f", facet="state", expected={"x": {"tensor": "torch.Tensor", "stride": [1, 2]}},
        observed={"x": {"tensor": "torch.Tensor", "stride": [2, 1]}},
    )  # fmt: skip
    [group] = causes.groups_of_causes(report(row))
    assert (group.title, group.level) == ("state: stride", 2)
