"""The checks of counts: of divergences, properties, areas, levels and blocked cells."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from operator import itemgetter

from ..text import Report
from .rows import Row, by_id, fails, grouped, is_complete, mismatch


def check_divergences(report: Report) -> Iterator[str]:
    """Check that each divergence is of a property, facet and clause of the report."""
    properties, clauses = by_id(report["properties"]), by_id(report["clauses"])
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
        yield from mismatch(f"{path}.{name}", counts[name], number)


def check_totals(report: Report) -> Iterator[str]:
    """Check the counts of the whole report."""
    for rows in ("properties", "areas"):
        comparisons = sum(row["comparisons"] for row in report[rows])
        for line in _counts("totals", report["totals"], comparisons, report["divergences"]):
            yield f"{line}, by {rows}"


def check_areas(report: Report) -> Iterator[str]:
    """Check the counts and the verdict of each area."""
    by_area = grouped(report["properties"], itemgetter("area"))
    divergences = grouped(report["divergences"], lambda row: row["property"].partition(".")[0])
    yield from mismatch("areas", [area["area"] for area in report["areas"]], [*by_area])
    for index, area in enumerate(report["areas"]):
        path, properties = f"areas[{index}]", by_area[area["area"]]
        rows = divergences[area["area"]]
        verdicts = {prop["verdict"] for prop in properties}
        worst = next((name for name in ("diverges", "not run") if name in verdicts), "holds")
        yield from mismatch(f"{path}.verdict", area["verdict"], worst)
        yield from mismatch(f"{path}.properties", area["properties"], len(properties))
        yield from _counts(path, area, sum(prop["comparisons"] for prop in properties), rows)
        compared: Counter[str] = sum((Counter(prop["facets"]) for prop in properties), Counter())
        yield from mismatch(f"{path}.facets", sorted(area["facets"]), sorted(compared))
        by_facet = grouped(rows, itemgetter("facet"))
        for facet, counts in area["facets"].items():
            yield from _counts(f"{path}.facets.{facet}", counts, compared[facet], by_facet[facet])


def check_properties(report: Report) -> Iterator[str]:
    """Check the counts, the verdict and the domain of each property."""
    divergences, clauses = (
        grouped(report["divergences"], itemgetter("property")),
        by_id(report["clauses"]),
    )
    for index, prop in enumerate(report["properties"]):
        path, rows = f"properties[{index}]", divergences[prop["id"]]
        yield from mismatch(f"{path}.area", prop["area"], prop["id"].partition(".")[0])
        yield from mismatch(f"{path}.divergences", prop["divergences"], len(rows))
        compared = sum(prop["facets"].values())
        yield from mismatch(f"{path}.comparisons", prop["comparisons"], compared)
        state = "holds" if is_complete(prop) else "not run"
        expected = "diverges" if any(map(fails, rows)) else state
        yield from mismatch(f"{path}.verdict", prop["verdict"], expected)
        yield from _certificate(f"{path}.domain", prop["domain"])
        for name in prop["clauses"]:
            if name not in clauses:
                yield f"{path}.clauses: there is no clause {name!r}"
            elif prop["id"] not in clauses[name]["properties"]:
                yield f"{path}.clauses: {name!r} does not name it"


_MIN_SAMPLE = 50
"""The number of cells of a larger domain that are not all refused by chance."""


def _certificate(path: str, domain: Row) -> Iterator[str]:
    size, visited, blocked = domain["size"], domain["visited"], domain["blocked"]
    counts = domain["blocked_by"].values()
    if not max(counts, default=0) <= blocked <= sum(counts):
        yield f"{path}.blocked: is {blocked} where the calls block {[*counts]}"
    refused, counts = domain.get("refused", 0), domain.get("refused_by", {}).values()
    if not max(counts, default=0) <= refused <= sum(counts):
        yield f"{path}.refused: is {refused} where the calls refuse {[*counts]}"
    if refused > visited:
        yield f"{path}.refused: is {refused} where {visited} were visited"
    is_sample = domain.get("one_in", 1) > 1 and visited < _MIN_SAMPLE
    if domain["complete"] and 0 < visited == refused and not is_sample:
        yield f"{path}.complete: is true where no question was asked"
    if (domain["kind"] == "finite") != (size is not None):
        yield f"{path}.size: does not fit a domain that is {domain['kind']}"
    elif size is None:
        complete = visited > refused and not (blocked or domain.get("died"))
        yield from mismatch(f"{path}.complete", domain["complete"], complete)
    elif visited > size:
        yield f"{path}.visited: is {visited} of {size}"
    elif visited + blocked > size:
        yield f"{path}.blocked: is {blocked} where {visited} of {size} were visited"
    elif domain["complete"] and visited < size:
        yield f"{path}.complete: is true after {visited} of {size}"


def check_blocked(report: Report) -> Iterator[str]:
    """Check the calls that block cells against the domains."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    properties: dict[str, list[str]] = defaultdict(list)
    for prop in report["properties"]:
        domain = prop["domain"]
        for blocker, count in domain["blocked_by"].items():
            counts[blocker]["cells" if domain["kind"] == "finite" else "cases"] += count
            properties[blocker].append(prop["id"])
    yield from mismatch("blocked", {row["by"] for row in report["blocked"]}, {*counts})
    for index, row in enumerate(report["blocked"]):
        path, blocker = f"blocked[{index}]", row["by"]
        yield from mismatch(f"{path}.properties", row["properties"], properties[blocker])
        for kind in ("cells", "cases"):
            yield from mismatch(f"{path}.{kind}", row[kind], counts[blocker][kind])
    amounts = [(row["cells"], row["cases"]) for row in report["blocked"]]
    if amounts != sorted(amounts, reverse=True):
        yield "blocked: the call with the most cells must be first"


def check_levels(report: Report) -> Iterator[str]:
    """Check the counts of each area and level; earlier reports lack them."""
    rows = report.get("levels")
    if rows is None:
        return
    places = [(row["area"], row["level"]) for row in rows]
    area_of = {prop["id"]: prop["area"] for prop in report["properties"] if prop["about_subject"]}
    areas = dict.fromkeys(area_of.values())
    yield from mismatch("levels", places, [(area, level) for area in areas for level in (1, 2, 3)])
    failing = Counter(
        (area_of[row["property"]], row["level"])
        for row in report["divergences"]
        if row["property"] in area_of and row["status"] != "expected"
    )
    for index, row in enumerate(rows):
        path = f"levels[{index}]"
        yield from mismatch(
            f"{path}.unexpected", row["unexpected"], failing[row["area"], row["level"]]
        )
        if row["wrong"] > row["asked"]:
            yield f"{path}.wrong: is more than all {row['asked']} facts"
