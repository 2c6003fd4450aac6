"""The checks of the tables that some properties add: names, overloads, elements, pictures."""

from collections.abc import Iterator, Sequence
from math import prod

from ..text import Report
from .rows import by_id, mismatch


def check_surface(report: Report) -> Iterator[str]:
    """Check the counts of public names."""
    surface = report["surface"]
    ran = any(prop["id"] == "surface.names" for prop in report["properties"])
    if ran != (surface is not None):
        yield "surface: must be there if surface.names ran, and only then"
    if surface is None:
        return
    out = sum(len(group["names"]) for group in surface["out_of_scope"])
    yield from mismatch("surface.public", surface["public"], surface["in_scope"] + out)
    in_scope = surface["present"] + len(surface["missing"]) + len(surface["planned"])
    yield from mismatch("surface.in_scope", surface["in_scope"], in_scope)


def check_schemas(report: Report) -> Iterator[str]:
    """Check the counts of overloads."""
    schemas = report["schemas"]
    domains = {prop["id"]: prop["domain"] for prop in report["properties"]}
    ran = {"schemas.calls", "schemas.unasked"} <= set(domains)
    if ran != (schemas is not None):
        yield "schemas: must be there if schemas.calls and schemas.unasked ran, and only then"
    if schemas is None or not ran:
        return
    not_asked = sum(len(row["overloads"]) for row in schemas["not_asked"])
    yield from mismatch("schemas.asked", schemas["asked"], domains["schemas.calls"]["visited"])
    yield from mismatch("schemas.not_asked", not_asked, domains["schemas.unasked"]["size"])


def check_elements(report: Report) -> Iterator[str]:
    """Check the counts of compared elements."""
    elements = report["elements"]
    for name in ("compared", "differing"):
        total = sum(pair[name] for pair in elements["pairs"])
        yield from mismatch(f"elements.{name}", elements[name], total)
    for index, rule in enumerate(elements["rules"]):
        for name in ("undefined", "forgiven"):
            total = sum(pair[name].get(rule["name"], 0) for pair in elements["pairs"])
            yield from mismatch(f"elements.rules[{index}].{name}", rule[name], total)
    for path, rows in (("elements.pairs", elements["pairs"]), ("operators", report["operators"])):
        for index, row in enumerate(rows):
            if row["differing"] > row["compared"]:
                yield f"{path}[{index}].differing: is more than were compared"


def check_unwritten(report: Report) -> Iterator[str]:
    """Check the counts of unwritten elements; earlier reports lack them."""
    rows = report.get("unwritten")
    if rows is None:
        return
    areas = [area["area"] for area in report["areas"]]
    yield from mismatch("unwritten", [row["area"] for row in rows], areas)
    for index, row in enumerate(rows):
        if row["forgiven"] > row["compared"]:
            yield f"unwritten[{index}].forgiven: is more than all {row['compared']} elements"


def check_pictures(report: Report) -> Iterator[str]:
    """Check the cells of each picture against its axes, divergences and domain."""
    properties, clauses = by_id(report["properties"]), by_id(report["clauses"])
    ids = {row["id"]: row["property"] for row in report["divergences"]}
    for index, picture in enumerate(report["pictures"]):
        path, prop = f"pictures[{index}]", properties.get(picture["property"])
        sizes = [len(axis["labels"]) for axis in picture["axes"]]
        if prop is None:
            yield f"{path}.property: there is no property {picture['property']!r}"
        else:
            yield from mismatch(f"{path}.axes", prod(sizes), prop["domain"]["size"])
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
            yield from mismatch(
                f"{path}.{call}", len(cells), prop["domain"]["blocked_by"].get(call, 0)
            )


def _cells(path: str, rows: Sequence[str], sizes: Sequence[int], limit: int) -> Iterator[str]:
    """Check rows of indices against the axes of a picture and the number of items."""
    yield from mismatch(path, len(rows), prod(sizes[:-1]))
    for index, row in enumerate(rows):
        cells = row.split(" ")
        yield from mismatch(f"{path}[{index}]", len(cells), sizes[-1])
        # Equal cells are checked once.
        if too_large := sorted(cell for cell in {*cells} if int(cell) >= limit):
            yield f"{path}[{index}]: {too_large[0]} is not one of {limit}"
