"""The checks between the fields of a report: counts add up, and references resolve.

Every check yields a line for each problem, which begins with the path of the field.  All checks
need a report that follows the schema.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from math import prod
from operator import itemgetter
from typing import Any

from ..core.selection import includes
from .text import Report, is_gated, lacking_facts

Row = Mapping[str, Any]


CERTIFIED_AS = {"smoke": "quick"}
"""The profiles whose controls are those of another one."""


def problems(report: Report) -> Iterator[str]:
    """Yield all contradictions in a report."""
    for check in (
        _run, _unique, _divergences, _totals, _areas, _properties, _blocked, _problems, _clauses,
        _levels, _controls, _certified, _surface, _schemas, _elements, _unwritten, _pictures,
        _baseline,
    ):  # fmt: skip
        yield from check(report)


def _run(report: Report) -> Iterator[str]:
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
    yield from _mismatch("verdict", report["verdict"], verdict)
    for index, prop in enumerate(report["properties"]):
        if not includes(report["partial"], prop["id"]):
            yield f"properties[{index}].id: is {prop['id']!r} in a run of {report['partial']!r}"


def _mismatch(path: str, actual: object, expected: object) -> Iterator[str]:
    if actual != expected:
        yield f"{path}: is {actual!r} where it must be {expected!r}"


def _unique(report: Report) -> Iterator[str]:
    keys = {
        "properties": "id", "divergences": "id", "clauses": "id", "controls": "id",
        "areas": "area", "normalisations": "name", "pictures": "property", "blocked": "by",
    }  # fmt: skip
    for rows, key in keys.items():
        yield from _duplicates(f"{rows}[{{}}].{key}", [row[key] for row in report[rows]])
    pairs = [(row["operator"], row["dtype"]) for row in report["operators"]]
    yield from _duplicates("operators[{}]", pairs)
    pairs = [(pair["source"], pair["target"]) for pair in report["elements"]["pairs"]]
    yield from _duplicates("elements.pairs[{}]", pairs)
    rules = [rule["name"] for rule in report["elements"]["rules"]]
    yield from _duplicates("elements.rules[{}].name", rules)


def _duplicates(path: str, names: Iterable[object]) -> Iterator[str]:
    first: dict[object, int] = {}
    for index, name in enumerate(names):
        if first.setdefault(name, index) != index:
            yield f"{path.format(index)}: {name!r} is there twice"


def _ids(rows: Iterable[Row]) -> dict[str, Row]:
    return {row["id"]: row for row in rows}


def _divergences(report: Report) -> Iterator[str]:
    properties, clauses = _ids(report["properties"]), _ids(report["clauses"])
    for index, row in enumerate(report["divergences"]):
        path = f"divergences[{index}]"
        prop = properties.get(row["property"])
        if prop is None:
            yield f"{path}.property: there is no property {row['property']!r}"
        elif not prop["facets"].get(row["facet"]):
            yield f"{path}.facet: {row['property']} compared no {row['facet']!r}"
        for name in row["clause"]:
            if name not in clauses:
                yield f"{path}.clause: there is no clause {name!r}"
            elif row["property"] not in clauses[name]["properties"]:
                yield f"{path}.clause: {row['property']} does not speak for {name!r}"
        if row["status"] == ("missing" if row["missing"] is None else "unexpected"):
            yield f"{path}.missing: does not fit the status {row['status']!r}"
        has_row = row["status"] in ("expected", "changed")
        if has_row != (row["reason"] is not None):
            yield f"{path}.reason: does not fit the status {row['status']!r}"
        # A list of one's own may give no link.
        if row["link"] is not None and not has_row:
            yield f"{path}.link: does not fit the status {row['status']!r}"


def _counts(path: str, counts: Row, comparisons: int, rows: Sequence[Row]) -> Iterator[str]:
    """Check the five counts of a row against its divergences."""
    status = Counter(row["status"] for row in rows)
    expected = {
        "comparisons": comparisons,
        "divergences": len(rows),
        "unexpected": status["unexpected"] + status["changed"],
        "missing": status["missing"],
        "expected": status["expected"],
    }
    for name, number in expected.items():
        yield from _mismatch(f"{path}.{name}", counts[name], number)


def _unwritten(report: Report) -> Iterator[str]:
    rows = report.get("unwritten")
    if rows is None:
        return
    areas = [area["area"] for area in report["areas"]]
    yield from _mismatch("unwritten", [row["area"] for row in rows], areas)
    for index, row in enumerate(rows):
        if row["forgiven"] > row["compared"]:
            yield f"unwritten[{index}].forgiven: is more than all {row['compared']} elements"


def _totals(report: Report) -> Iterator[str]:
    for rows in ("properties", "areas"):
        comparisons = sum(row["comparisons"] for row in report[rows])
        for line in _counts("totals", report["totals"], comparisons, report["divergences"]):
            yield f"{line}, by {rows}"


def _areas(report: Report) -> Iterator[str]:
    by_area = _grouped(report["properties"], itemgetter("area"))
    divergences = _grouped(report["divergences"], lambda row: row["property"].partition(".")[0])
    yield from _mismatch("areas", [area["area"] for area in report["areas"]], [*by_area])
    for index, area in enumerate(report["areas"]):
        path, properties = f"areas[{index}]", by_area[area["area"]]
        rows = divergences[area["area"]]
        verdicts = {prop["verdict"] for prop in properties}
        worst = next((name for name in ("diverges", "not run") if name in verdicts), "holds")
        yield from _mismatch(f"{path}.verdict", area["verdict"], worst)
        yield from _mismatch(f"{path}.properties", area["properties"], len(properties))
        yield from _counts(path, area, sum(prop["comparisons"] for prop in properties), rows)
        compared: Counter[str] = sum((Counter(prop["facets"]) for prop in properties), Counter())
        yield from _mismatch(f"{path}.facets", sorted(area["facets"]), sorted(compared))
        by_facet = _grouped(rows, itemgetter("facet"))
        for facet, counts in area["facets"].items():
            yield from _counts(f"{path}.facets.{facet}", counts, compared[facet], by_facet[facet])


def _grouped(rows: Iterable[Row], key: Any) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return groups


def _properties(report: Report) -> Iterator[str]:
    divergences, clauses = (
        _grouped(report["divergences"], itemgetter("property")),
        _ids(report["clauses"]),
    )
    for index, prop in enumerate(report["properties"]):
        path, rows = f"properties[{index}]", divergences[prop["id"]]
        yield from _mismatch(f"{path}.area", prop["area"], prop["id"].partition(".")[0])
        yield from _mismatch(f"{path}.divergences", prop["divergences"], len(rows))
        compared = sum(prop["facets"].values())
        yield from _mismatch(f"{path}.comparisons", prop["comparisons"], compared)
        state = "holds" if _is_complete(prop) else "not run"
        expected = "diverges" if any(map(_fails, rows)) else state
        yield from _mismatch(f"{path}.verdict", prop["verdict"], expected)
        yield from _certificate(f"{path}.domain", prop["domain"])
        for name in prop["clauses"]:
            if name not in clauses:
                yield f"{path}.clauses: there is no clause {name!r}"
            elif prop["id"] not in clauses[name]["properties"]:
                yield f"{path}.clauses: {name!r} does not name it"


def _fails(row: Row) -> bool:
    return bool(row["status"] != "expected")


def _is_complete(prop: Row) -> bool:
    return bool(prop["domain"]["complete"] and prop["comparisons"])


def _certificate(path: str, domain: Row) -> Iterator[str]:
    size, visited, blocked = domain["size"], domain["visited"], domain["blocked"]
    counts = domain["blocked_by"].values()
    if not max(counts, default=0) <= blocked <= sum(counts):
        yield f"{path}.blocked: is {blocked} where the calls block {[*counts]}"
    if (domain["kind"] == "finite") != (size is not None):
        yield f"{path}.size: does not fit a domain that is {domain['kind']}"
    elif size is None:
        complete = visited > 0 and not (blocked or domain.get("died"))
        yield from _mismatch(f"{path}.complete", domain["complete"], complete)
    elif visited > size:
        yield f"{path}.visited: is {visited} of {size}"
    elif visited + blocked > size:
        yield f"{path}.blocked: is {blocked} where {visited} of {size} were visited"
    elif domain["complete"] and visited < size:
        yield f"{path}.complete: is true after {visited} of {size}"


def _blocked(report: Report) -> Iterator[str]:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    properties: dict[str, list[str]] = defaultdict(list)
    for prop in report["properties"]:
        domain = prop["domain"]
        for blocker, count in domain["blocked_by"].items():
            counts[blocker]["cells" if domain["kind"] == "finite" else "cases"] += count
            properties[blocker].append(prop["id"])
    yield from _mismatch("blocked", {row["by"] for row in report["blocked"]}, {*counts})
    for index, row in enumerate(report["blocked"]):
        path, blocker = f"blocked[{index}]", row["by"]
        yield from _mismatch(f"{path}.properties", row["properties"], properties[blocker])
        for kind in ("cells", "cases"):
            yield from _mismatch(f"{path}.{kind}", row[kind], counts[blocker][kind])
    amounts = [(row["cells"], row["cases"]) for row in report["blocked"]]
    if amounts != sorted(amounts, reverse=True):
        yield "blocked: the call with the most cells must be first"


def _problems(report: Report) -> Iterator[str]:
    properties = _ids(report["properties"])
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
        yield from _mismatch(path, kinds["divergence"][name, facet], failing[name, facet])
    for name, prop in properties.items():
        expected = "blocked" if prop["domain"]["blocked"] else "incomplete"
        for kind in ("blocked", "incomplete"):
            number = int(kind == expected and not (_is_complete(prop) or prop.get("excused")))
            yield from _mismatch(f"problems: {kind} {name}", kinds[kind][name, None], number)
    changed = [
        row["property"]
        for row in report["divergences"]
        if row["status"] == "changed" and is_gated(report, row)
    ]
    for name in dict.fromkeys(changed):
        if not kinds["changed"][name, None]:
            yield f"problems: lack the changed expectation of {name}"


def _levels(report: Report) -> Iterator[str]:
    rows = report.get("levels")
    if rows is None:
        return
    places = [(row["area"], row["level"]) for row in rows]
    areas = [area["area"] for area in report["areas"]]
    yield from _mismatch("levels", places, [(area, level) for area in areas for level in (1, 2, 3)])
    failing = Counter(
        (row["property"].partition(".")[0], row["level"])
        for row in report["divergences"]
        if row["status"] != "expected"
    )
    for index, row in enumerate(rows):
        path = f"levels[{index}]"
        yield from _mismatch(
            f"{path}.unexpected", row["unexpected"], failing[row["area"], row["level"]]
        )
        if row["wrong"] > row["asked"]:
            yield f"{path}.wrong: is more than all {row['asked']} facts"


def _clauses(report: Report) -> Iterator[str]:
    properties, clauses = _ids(report["properties"]), _ids(report["clauses"])
    failing = [row for row in report["divergences"] if _fails(row)]
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


def _controls(report: Report) -> Iterator[str]:
    properties = _ids(report["properties"])
    for index, control in enumerate(report["controls"]):
        path, found = f"controls[{index}]", control["found"]
        if control["property"] not in properties and report["partial"] is None:
            yield f"{path}.property: there is no property {control['property']!r}"
        if control["kind"] == "itself":
            yield from _mismatch(f"{path}.caught_as", control["caught_as"], "nothing")
        caught = control["caught_as"] in found if control["kind"] == "fault" else not found
        yield from _mismatch(f"{path}.caught", control["caught"], caught)
        if (control["problems"] == 0) != (not found):
            yield f"{path}.problems: are {control['problems']} where {len(found)} kinds were found"
        if (control["problems"] == 0) != (control["example"] is None):
            yield f"{path}.example: does not fit {control['problems']} problems"


def _certified(report: Report) -> Iterator[str]:
    certificate, environment = report["certificate"], report["environment"]
    if certificate is None:
        return
    profile = CERTIFIED_AS.get(report["profile"], report["profile"])
    yield from _mismatch("certificate.profile", certificate["profile"], profile)
    yield from _mismatch("certificate.oracle", certificate["oracle"], report["oracle"])
    yield from _mismatch("certificate.suite", certificate["suite"], report["code"]["suite"])
    build = {"version": environment.get(report["oracle"].partition("@")[0])}
    build |= {name: environment.get(name) for name in ("commit", "cpu_capability")}
    yield from _mismatch("certificate.build", certificate["build"], build)
    if not report["controls"]:
        yield "certificate: has no results of controls"


def _surface(report: Report) -> Iterator[str]:
    surface = report["surface"]
    ran = any(prop["id"] == "surface.names" for prop in report["properties"])
    if ran != (surface is not None):
        yield "surface: must be there if surface.names ran, and only then"
    if surface is None:
        return
    out = sum(len(group["names"]) for group in surface["out_of_scope"])
    yield from _mismatch("surface.public", surface["public"], surface["in_scope"] + out)
    in_scope = surface["present"] + len(surface["missing"]) + len(surface["planned"])
    yield from _mismatch("surface.in_scope", surface["in_scope"], in_scope)


def _schemas(report: Report) -> Iterator[str]:
    schemas = report["schemas"]
    domains = {prop["id"]: prop["domain"] for prop in report["properties"]}
    ran = {"schemas.calls", "schemas.unasked"} <= set(domains)
    if ran != (schemas is not None):
        yield "schemas: must be there if schemas.calls and schemas.unasked ran, and only then"
    if schemas is None or not ran:
        return
    not_asked = sum(len(row["overloads"]) for row in schemas["not_asked"])
    yield from _mismatch("schemas.asked", schemas["asked"], domains["schemas.calls"]["visited"])
    yield from _mismatch("schemas.not_asked", not_asked, domains["schemas.unasked"]["size"])


def _elements(report: Report) -> Iterator[str]:
    elements = report["elements"]
    for name in ("compared", "differing"):
        total = sum(pair[name] for pair in elements["pairs"])
        yield from _mismatch(f"elements.{name}", elements[name], total)
    for index, rule in enumerate(elements["rules"]):
        for name in ("undefined", "forgiven"):
            total = sum(pair[name].get(rule["name"], 0) for pair in elements["pairs"])
            yield from _mismatch(f"elements.rules[{index}].{name}", rule[name], total)
    for path, rows in (("elements.pairs", elements["pairs"]), ("operators", report["operators"])):
        for index, row in enumerate(rows):
            if row["differing"] > row["compared"]:
                yield f"{path}[{index}].differing: is more than were compared"


def _pictures(report: Report) -> Iterator[str]:
    properties, clauses = _ids(report["properties"]), _ids(report["clauses"])
    ids = {row["id"]: row["property"] for row in report["divergences"]}
    for index, picture in enumerate(report["pictures"]):
        path, prop = f"pictures[{index}]", properties.get(picture["property"])
        sizes = [len(axis["labels"]) for axis in picture["axes"]]
        if prop is None:
            yield f"{path}.property: there is no property {picture['property']!r}"
        else:
            yield from _mismatch(f"{path}.axes", prod(sizes), prop["domain"]["size"])
        yield from _cells(f"{path}.rows", picture["rows"], sizes, len(picture["answers"]))
        if picture["rules"] or picture["ruled"]:
            yield from _cells(f"{path}.ruled", picture["ruled"], sizes, len(picture["rules"]))
        for cell, cell_ids in picture["divergences"].items():
            if int(cell) >= prod(sizes):
                yield f"{path}.divergences: there is no cell {cell}"
            if unknown := [name for name in cell_ids if ids.get(name) != picture["property"]]:
                yield f"{path}.divergences.{cell}: {unknown[0]!r} is no divergence of it"
        yield from _blocked_cells(f"{path}.blocked", picture, prop, prod(sizes))
        for rule in picture["rules"]:
            if unknown := [name for name in rule["clauses"] if name not in clauses]:
                yield f"{path}.rules: there is no clause {unknown[0]!r}"


def _blocked_cells(path: str, picture: Report, prop: Report | None, size: int) -> Iterator[str]:
    """Check the blocked cells of a picture, which reports of earlier versions lack."""
    for call, cells in picture.get("blocked", {}).items():
        if unknown := [cell for cell in cells if cell >= size]:
            yield f"{path}.{call}: there is no cell {unknown[0]}"
        if prop is not None:
            yield from _mismatch(
                f"{path}.{call}", len(cells), prop["domain"]["blocked_by"].get(call, 0)
            )


def _cells(path: str, rows: Sequence[str], sizes: Sequence[int], limit: int) -> Iterator[str]:
    """Check rows of indices against the axes of a picture and the number of items."""
    yield from _mismatch(path, len(rows), prod(sizes[:-1]))
    for index, row in enumerate(rows):
        cells = row.split(" ")
        yield from _mismatch(f"{path}[{index}]", len(cells), sizes[-1])
        # Equal cells are checked once.
        if too_large := sorted(cell for cell in {*cells} if int(cell) >= limit):
            yield f"{path}[{index}]: {too_large[0]} is not one of {limit}"


def _baseline(report: Report) -> Iterator[str]:
    baseline = report["baseline"]
    if baseline is None:
        return
    divergences, properties = _ids(report["divergences"]), _ids(report["properties"])
    compared = any(baseline.get(name) for name in ("changes", "not_run", "weaker"))
    if baseline["why_not"] is not None and compared:
        yield "baseline.why_not: is given though it was compared with"
    yield from _duplicates("baseline.changes[{}].id", [row["id"] for row in baseline["changes"]])
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
