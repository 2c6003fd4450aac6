"""What must hold between the fields of a report: counts add up, what is named is there.

Every function gives a line for each offence, which begins with the place.  All of them take a
report that follows the schema.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from math import prod
from typing import Any

from .text import Report

Row = Mapping[str, Any]


def problems(report: Report) -> Iterator[str]:
    """Give everything in which a report contradicts itself."""
    for look in (
        _run, _unique, _divergences, _totals, _areas, _properties, _problems, _clauses, _controls,
        _surface, _elements, _pictures, _baseline,
    ):  # fmt: skip
        yield from look(report)


def _run(report: Report) -> Iterator[str]:
    try:
        datetime.fromisoformat(report["started"])
    except ValueError as error:
        yield f"started: {error}"
    known = {"python", "implementation", "platform", "machine", "cores", "cuda", "numpy",
             "hypothesis", "pytest", report["oracle"].partition("@")[0]}  # fmt: skip
    for name in sorted(report["environment"].keys() - known):
        yield f"environment.{name}: is neither known nor the oracle"
    caught = all(each["caught"] for each in report["controls"])
    verdict = "conforms" if caught and not report["problems"] else "fails"
    yield from _differs("verdict", report["verdict"], verdict)
    for at, each in enumerate(report["areas"]):
        if report["partial"] not in (None, each["area"]):
            yield f"areas[{at}].area: is {each['area']!r} in a run of {report['partial']!r}"


def _differs(place: str, found: object, wanted: object) -> Iterator[str]:
    if found != wanted:
        yield f"{place}: is {found!r} where it must be {wanted!r}"


def _unique(report: Report) -> Iterator[str]:
    keys = {
        "properties": "id", "divergences": "id", "clauses": "id", "controls": "id",
        "areas": "area", "normalisations": "name", "pictures": "property",
    }  # fmt: skip
    for rows, key in keys.items():
        yield from _twice(f"{rows}[{{}}].{key}", [each[key] for each in report[rows]])
    pairs = [(each["operator"], each["dtype"]) for each in report["operators"]]
    yield from _twice("operators[{}]", pairs)
    elements = report["elements"]
    converted = [(each["source"], each["target"]) for each in elements["pairs"]]
    yield from _twice("elements.pairs[{}]", converted)
    yield from _twice("elements.rules[{}].name", [each["name"] for each in elements["rules"]])


def _twice(place: str, names: Iterable[object]) -> Iterator[str]:
    first: dict[object, int] = {}
    for at, name in enumerate(names):
        if first.setdefault(name, at) != at:
            yield f"{place.format(at)}: {name!r} is there twice"


def _ids(rows: Iterable[Row]) -> dict[str, Row]:
    return {each["id"]: each for each in rows}


def _divergences(report: Report) -> Iterator[str]:
    known, clauses = _ids(report["properties"]), _ids(report["clauses"])
    for at, each in enumerate(report["divergences"]):
        place = f"divergences[{at}]"
        prop = known.get(each["property"])
        if prop is None:
            yield f"{place}.property: there is no property {each['property']!r}"
        elif not prop["facets"].get(each["facet"]):
            yield f"{place}.facet: {each['property']} compared no {each['facet']!r}"
        for name in each["clause"]:
            if name not in clauses:
                yield f"{place}.clause: there is no clause {name!r}"
            elif each["property"] not in clauses[name]["properties"]:
                yield f"{place}.clause: {each['property']} does not speak for {name!r}"
        if (each["status"] == "missing") != (each["missing"] is not None):
            yield f"{place}.missing: does not fit the status {each['status']!r}"
        for name in ("reason", "link"):
            if (each["status"] in ("expected", "changed")) != (each[name] is not None):
                yield f"{place}.{name}: does not fit the status {each['status']!r}"


def _counted(comparisons: int, rows: Sequence[Row]) -> dict[str, int]:
    status = Counter(each["status"] for each in rows)
    return {
        "comparisons": comparisons,
        "divergences": len(rows),
        "unexpected": status["unexpected"] + status["changed"],
        "missing": status["missing"],
        "expected": status["expected"],
    }


def _counts(place: str, found: Row, comparisons: int, rows: Sequence[Row]) -> Iterator[str]:
    """Hold five counts against the divergences that they are of."""
    for name, number in _counted(comparisons, rows).items():
        yield from _differs(f"{place}.{name}", found[name], number)


def _totals(report: Report) -> Iterator[str]:
    for rows in ("properties", "areas"):
        comparisons = sum(each["comparisons"] for each in report[rows])
        for line in _counts("totals", report["totals"], comparisons, report["divergences"]):
            yield f"{line}, by {rows}"


def _areas(report: Report) -> Iterator[str]:
    inside: dict[str, list[Row]] = defaultdict(list)
    for each in report["properties"]:
        inside[each["area"]].append(each)
    found = _grouped(report["divergences"], lambda each: each["property"].partition(".")[0])
    yield from _differs("areas", [each["area"] for each in report["areas"]], [*inside])
    for at, each in enumerate(report["areas"]):
        place, own = f"areas[{at}]", inside[each["area"]]
        rows = found[each["area"]]
        verdicts = {prop["verdict"] for prop in own}
        worst = next((name for name in ("diverges", "not run") if name in verdicts), "holds")
        yield from _differs(f"{place}.verdict", each["verdict"], worst)
        yield from _differs(f"{place}.properties", each["properties"], len(own))
        yield from _counts(place, each, sum(prop["comparisons"] for prop in own), rows)
        compared: Counter[str] = sum((Counter(prop["facets"]) for prop in own), Counter())
        yield from _differs(f"{place}.facets", sorted(each["facets"]), sorted(compared))
        by_facet = _grouped(rows, lambda row: row["facet"])
        for facet, counts in each["facets"].items():
            yield from _counts(f"{place}.facets.{facet}", counts, compared[facet], by_facet[facet])


def _grouped(rows: Iterable[Row], key: Any) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = defaultdict(list)
    for each in rows:
        groups[key(each)].append(each)
    return groups


def _properties(report: Report) -> Iterator[str]:
    found, clauses = _grouped(report["divergences"], _property), _ids(report["clauses"])
    for at, each in enumerate(report["properties"]):
        place, own = f"properties[{at}]", found[each["id"]]
        yield from _differs(f"{place}.area", each["area"], each["id"].partition(".")[0])
        yield from _differs(f"{place}.divergences", each["divergences"], len(own))
        compared = sum(each["facets"].values())
        yield from _differs(f"{place}.comparisons", each["comparisons"], compared)
        wanted = "diverges" if any(map(_fails, own)) else "holds" if _whole(each) else "not run"
        yield from _differs(f"{place}.verdict", each["verdict"], wanted)
        yield from _certificate(f"{place}.domain", each["domain"])
        for name in each["clauses"]:
            if name not in clauses:
                yield f"{place}.clauses: there is no clause {name!r}"
            elif each["id"] not in clauses[name]["properties"]:
                yield f"{place}.clauses: {name!r} does not name it"


def _property(each: Row) -> Any:
    return each["property"]


def _fails(divergence: Row) -> bool:
    return bool(divergence["status"] != "expected")


def _whole(prop: Row) -> bool:
    return bool(prop["domain"]["complete"] and prop["comparisons"])


def _certificate(place: str, domain: Row) -> Iterator[str]:
    size, visited = domain["size"], domain["visited"]
    if (domain["kind"] == "finite") != (size is not None):
        yield f"{place}.size: does not fit a domain that is {domain['kind']}"
    elif size is None:
        yield from _differs(f"{place}.complete", domain["complete"], visited > 0)
    elif visited > size:
        yield f"{place}.visited: is {visited} of {size}"
    elif domain["complete"] and visited < size:
        yield f"{place}.complete: is true after {visited} of {size}"


def _problems(report: Report) -> Iterator[str]:
    known = _ids(report["properties"])
    kinds: dict[str, Counter[tuple[str, str | None]]] = defaultdict(Counter)
    for at, each in enumerate(report["problems"]):
        if each["property"] not in known:
            yield f"problems[{at}].property: there is no property {each['property']!r}"
        facet = each["facet"] if each["kind"] == "divergence" else None
        kinds[each["kind"]][each["property"], facet] += 1
    failing = Counter(
        (each["property"], each["facet"])
        for each in report["divergences"]
        if each["status"] in ("unexpected", "missing")
    )
    for name, facet in {**failing, **kinds["divergence"]}:
        place = f"problems: divergences of {name} in {facet}"
        yield from _differs(place, kinds["divergence"][name, facet], failing[name, facet])
    for name, prop in known.items():
        place = f"problems: incomplete {name}"
        yield from _differs(place, kinds["incomplete"][name, None], int(not _whole(prop)))
    changed = [each["property"] for each in report["divergences"] if each["status"] == "changed"]
    for name in dict.fromkeys(changed):
        if not kinds["changed"][name, None]:
            yield f"problems: lack the changed expectation of {name}"


def _clauses(report: Report) -> Iterator[str]:
    properties, clauses = _ids(report["properties"]), _ids(report["clauses"])
    failing = [each for each in report["divergences"] if _fails(each)]
    named = {name for each in failing if each["missing"] is None for name in each["clause"]}
    lacking = {each["property"] for each in failing if each["missing"] is not None}
    for at, each in enumerate(report["clauses"]):
        place = f"clauses[{at}]"
        if each["superseded_by"] not in (None, *clauses):
            yield f"{place}.superseded_by: there is no clause {each['superseded_by']!r}"
        for name in each["properties"]:
            if name in properties:
                if each["id"] not in properties[name]["clauses"]:
                    yield f"{place}.properties: {name!r} does not name it"
            elif report["partial"] is None:
                yield f"{place}.properties: there is no property {name!r}"
        wanted = _states(each, properties, named, lacking)
        if each["state"] not in wanted:
            yield f"{place}.state: is {each['state']!r} where it must be {' or '.join(wanted)}"


def _states(
    clause: Row, properties: Mapping[str, Row], named: set[str], lacking: set[str]
) -> list[str]:
    """Return the states that a clause may have: what is missing may be about it, or not."""
    if clause["superseded_by"] is not None:
        return ["superseded"]
    if not clause["properties"]:
        return ["unchecked" if clause["grade"] == "must" else clause["grade"]]
    if clause["id"] in named:
        return ["diverges"]
    verdicts = [properties.get(name, {"verdict": "not run"}) for name in clause["properties"]]
    ran = all(each["verdict"] != "not run" for each in verdicts)
    may_lack = not lacking.isdisjoint(clause["properties"])
    return ["holds" if ran else "not run", *(["diverges"] if may_lack else [])]


def _controls(report: Report) -> Iterator[str]:
    known = _ids(report["properties"])
    for at, each in enumerate(report["controls"]):
        place, found = f"controls[{at}]", each["found"]
        if each["property"] not in known and report["partial"] is None:
            yield f"{place}.property: there is no property {each['property']!r}"
        if each["kind"] == "itself":
            yield from _differs(f"{place}.caught_as", each["caught_as"], "nothing")
        caught = each["caught_as"] in found if each["kind"] == "fault" else not found
        yield from _differs(f"{place}.caught", each["caught"], caught)
        if (each["problems"] == 0) != (not found):
            yield f"{place}.problems: are {each['problems']} where {len(found)} kinds were found"
        if (each["problems"] == 0) != (each["example"] is None):
            yield f"{place}.example: does not fit {each['problems']} problems"


def _surface(report: Report) -> Iterator[str]:
    found = report["surface"]
    asked = any(each["id"] == "surface.names" for each in report["properties"])
    if asked != (found is not None):
        yield "surface: must be there if surface.names ran, and only then"
    if found is None:
        return
    out = sum(len(each["names"]) for each in found["out_of_scope"])
    yield from _differs("surface.public", found["public"], found["in_scope"] + out)
    inside = found["present"] + len(found["missing"]) + len(found["planned"])
    yield from _differs("surface.in_scope", found["in_scope"], inside)


def _elements(report: Report) -> Iterator[str]:
    found = report["elements"]
    for name in ("compared", "differing"):
        total = sum(each[name] for each in found["pairs"])
        yield from _differs(f"elements.{name}", found[name], total)
    for at, rule in enumerate(found["rules"]):
        for name in ("undefined", "forgiven"):
            total = sum(each[name].get(rule["name"], 0) for each in found["pairs"])
            yield from _differs(f"elements.rules[{at}].{name}", rule[name], total)
    for place, rows in (("elements.pairs", found["pairs"]), ("operators", report["operators"])):
        for at, each in enumerate(rows):
            if each["differing"] > each["compared"]:
                yield f"{place}[{at}].differing: is more than were compared"


def _pictures(report: Report) -> Iterator[str]:
    properties, clauses = _ids(report["properties"]), _ids(report["clauses"])
    ids = {each["id"]: each["property"] for each in report["divergences"]}
    for at, each in enumerate(report["pictures"]):
        place, prop = f"pictures[{at}]", properties.get(each["property"])
        sizes = [len(axis["labels"]) for axis in each["axes"]]
        if prop is None:
            yield f"{place}.property: there is no property {each['property']!r}"
        else:
            yield from _differs(f"{place}.axes", prod(sizes), prop["domain"]["size"])
        yield from _cells(f"{place}.rows", each["rows"], sizes, len(each["answers"]))
        if each["rules"] or each["ruled"]:
            yield from _cells(f"{place}.ruled", each["ruled"], sizes, len(each["rules"]))
        for cell, found in each["divergences"].items():
            if int(cell) >= prod(sizes):
                yield f"{place}.divergences: there is no cell {cell}"
            if strange := [name for name in found if ids.get(name) != each["property"]]:
                yield f"{place}.divergences.{cell}: {strange[0]!r} is no divergence of it"
        for rule in each["rules"]:
            if strange := [name for name in rule["clauses"] if name not in clauses]:
                yield f"{place}.rules: there is no clause {strange[0]!r}"


def _cells(place: str, rows: Sequence[str], sizes: Sequence[int], numbers: int) -> Iterator[str]:
    """Hold rows of numbers against the axes, and against how many things the numbers are of."""
    yield from _differs(place, len(rows), prod(sizes[:-1]))
    for at, row in enumerate(rows):
        cells = row.split(" ")
        yield from _differs(f"{place}[{at}]", len(cells), sizes[-1])
        # Of equal cells one is looked at.
        if too_large := sorted(cell for cell in {*cells} if int(cell) >= numbers):
            yield f"{place}[{at}]: {too_large[0]} is not one of {numbers}"


def _baseline(report: Report) -> Iterator[str]:
    found = report["baseline"]
    if found is None:
        return
    here, ran = _ids(report["divergences"]), _ids(report["properties"])
    compared = found["changes"] or found["not_run"] or found.get("weaker")
    if found["why_not"] is not None and compared:
        yield "baseline.why_not: is given though it was compared with"
    yield from _twice("baseline.changes[{}].id", [each["id"] for each in found["changes"]])
    for at, each in enumerate(found["changes"]):
        place, own = f"baseline.changes[{at}]", here.get(each["id"])
        if (each["kind"] in ("new", "changed", "drawn")) != (own is not None):
            is_there = "is" if own else "is not"
            yield f"{place}.id: what is {each['kind']} {is_there} among the divergences"
        elif own is not None and any(
            each[key] != own[key] for key in ("property", "facet", "case")
        ):
            yield f"{place}: is not as the divergence {each['id']}"
    for name in found["not_run"]:
        if name in ran:
            yield f"baseline.not_run: {name!r} ran"
