"""The checks of the states of clauses."""

from collections.abc import Iterator, Mapping

from ..text import Report
from .rows import Row, by_id, fails


def check_clauses(report: Report) -> Iterator[str]:
    """Check the state of each clause against its properties and divergences."""
    properties, clauses = by_id(report["properties"]), by_id(report["clauses"])
    failing = [row for row in report["divergences"] if fails(row) or row.get("accepted")]
    named = {name for row in failing if row["missing"] is None for name in row["clause"]}
    with_missing = {row["property"] for row in failing if row["missing"] is not None}
    for index, clause in enumerate(report["clauses"]):
        path = f"clauses[{index}]"
        if clause["superseded_by"] not in (None, *clauses):
            yield f"{path}.superseded_by: there is no clause {clause['superseded_by']!r}"
        for name in clause["properties"]:
            if name in properties:
                if clause["id"] not in properties[name]["clauses"]:
                    yield f"{path}.properties: {name!r} does not name it"
            elif report["partial"] is None:
                yield f"{path}.properties: there is no property {name!r}"
        expected = _states(clause, properties, named, with_missing)
        if clause["state"] not in expected:
            yield f"{path}.state: is {clause['state']!r} where it must be {' or '.join(expected)}"


def _states(
    clause: Row, properties: Mapping[str, Row], named: set[str], with_missing: set[str]
) -> list[str]:
    """Return the valid states of a clause; a missing name need not concern it."""
    if clause["superseded_by"] is not None:
        return ["superseded"]
    if not clause["properties"]:
        binds = clause["grade"] == "must"
        return ["unchecked", "unobservable"] if binds else [clause["grade"]]
    if clause["id"] in named:
        return ["diverges"]
    verdicts = [properties.get(name, {"verdict": "not run"}) for name in clause["properties"]]
    ran = all(prop["verdict"] != "not run" for prop in verdicts)
    may_lack = not with_missing.isdisjoint(clause["properties"])
    return ["holds" if ran else "not run", *(["diverges"] if may_lack else [])]
