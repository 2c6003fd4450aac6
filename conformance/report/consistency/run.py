"""The checks of a run: its facts, the names of its rows, its problems and its baseline."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import datetime

from ...core.selection import includes
from ..text import Report, is_gated, lacking_facts
from .rows import by_id, duplicates, is_complete, mismatch


def check_run(report: Report) -> Iterator[str]:
    """Check the time, the environment and the verdict of the run."""
    try:
        datetime.fromisoformat(report["started"])
    except ValueError as error:
        yield f"started: {error}"
    allowed = {"python", "implementation", "platform", "machine", "cores", "cuda", "numpy",
             "hypothesis", "pytest", "commit", "cpu_capability",
             report["oracle"].partition("@")[0]}  # fmt: skip
    for name in sorted(report["environment"].keys() - allowed):
        yield f"environment.{name}: is neither known nor the oracle"
    caught = all(control["caught"] for control in report["controls"])
    whole = not (report["problems"] or lacking_facts(report) or report.get("interrupted"))
    verdict = "conforms" if caught and whole else "fails"
    yield from mismatch("verdict", report["verdict"], verdict)
    for index, prop in enumerate(report["properties"]):
        if not includes(report["partial"], prop["id"]):
            yield f"properties[{index}].id: is {prop['id']!r} in a run of {report['partial']!r}"


def check_unique(report: Report) -> Iterator[str]:
    """Check that no row is there twice."""
    keys = {
        "properties": "id", "divergences": "id", "clauses": "id", "controls": "id",
        "areas": "area", "normalisations": "name", "pictures": "property", "blocked": "by",
    }  # fmt: skip
    for rows, key in keys.items():
        yield from duplicates(f"{rows}[{{}}].{key}", [row[key] for row in report[rows]])
    pairs = [(row["operator"], row["dtype"]) for row in report["operators"]]
    yield from duplicates("operators[{}]", pairs)
    pairs = [(pair["source"], pair["target"]) for pair in report["elements"]["pairs"]]
    yield from duplicates("elements.pairs[{}]", pairs)
    rules = [rule["name"] for rule in report["elements"]["rules"]]
    yield from duplicates("elements.rules[{}].name", rules)


def check_problems(report: Report) -> Iterator[str]:
    """Check that the problems are those that the other rows imply."""
    properties = by_id(report["properties"])
    kinds: dict[str, Counter[tuple[str, str | None]]] = defaultdict(Counter)
    for index, problem in enumerate(report["problems"]):
        if problem["property"] not in properties:
            yield f"problems[{index}].property: there is no property {problem['property']!r}"
        facet = problem["facet"] if problem["kind"] == "divergence" else None
        kinds[problem["kind"]][problem["property"], facet] += 1
    failing = Counter(
        (row["property"], row["facet"])
        for row in report["divergences"]
        if row["status"] in ("unexpected", "missing") and is_gated(report, row)
    )
    for name, facet in {**failing, **kinds["divergence"]}:
        path = f"problems: divergences of {name} in {facet}"
        yield from mismatch(path, kinds["divergence"][name, facet], failing[name, facet])
    for name, prop in properties.items():
        expected = "blocked" if prop["domain"]["blocked"] else "incomplete"
        for kind in ("blocked", "incomplete"):
            number = int(kind == expected and not (is_complete(prop) or prop.get("excused")))
            yield from mismatch(f"problems: {kind} {name}", kinds[kind][name, None], number)
    changed = [
        row["property"]
        for row in report["divergences"]
        if row["status"] == "changed" and is_gated(report, row)
    ]
    for name in dict.fromkeys(changed):
        if not kinds["changed"][name, None]:
            yield f"problems: lack the changed expectation of {name}"


def check_baseline(report: Report) -> Iterator[str]:
    """Check the changes since the baseline against the divergences."""
    baseline = report["baseline"]
    if baseline is None:
        return
    divergences, properties = by_id(report["divergences"]), by_id(report["properties"])
    compared = any(baseline.get(name) for name in ("changes", "not_run", "weaker"))
    if baseline["why_not"] is not None and compared:
        yield "baseline.why_not: is given though it was compared with"
    yield from duplicates("baseline.changes[{}].id", [row["id"] for row in baseline["changes"]])
    for index, change in enumerate(baseline["changes"]):
        path, row = f"baseline.changes[{index}]", divergences.get(change["id"])
        if (change["kind"] in ("new", "changed", "drawn")) != (row is not None):
            is_there = "is" if row else "is not"
            yield f"{path}.id: what is {change['kind']} {is_there} among the divergences"
        elif row is not None and any(
            change[key] != row[key] for key in ("property", "facet", "case")
        ):
            yield f"{path}: is not as the divergence {change['id']}"
    for name in baseline["not_run"]:
        if name in properties:
            yield f"baseline.not_run: {name!r} ran"
