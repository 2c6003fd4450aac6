"""What was compared element by element, as tables: a row for each dtype that was converted."""

from collections.abc import Iterator, Mapping
from typing import Any

from .text import Report


def line(report: Report) -> str:
    """Say in a line how many elements were compared, if any."""
    found = report.get("elements")
    if not found or not found["compared"]:
        return ""
    undefined = sum(rule["undefined"] for rule in found["rules"])
    return (
        f"{found['compared']:,} elements converted and compared,"
        f" {undefined:,} of them undefined in torch, {found['differing']:,} wrong"
    )


def tables(report: Report) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """Give a title, headers and rows: first the counts for each pair of dtypes, then the rules."""
    found = report.get("elements")
    if not found or not found["compared"]:
        return
    pairs = {(each["source"], each["target"]): each for each in found["pairs"]}
    sources = list(dict.fromkeys(source for source, _ in pairs))
    targets = list(dict.fromkeys(target for _, target in pairs))
    yield (
        "Converted from (rows) to (columns): how many elements were compared / undefined in torch",
        ["", *targets],
        [[source, *(_counts(pairs.get((source, target))) for target in targets)]
         for source in sources],
    )  # fmt: skip
    yield (
        "What torch leaves undefined: elements that a rule covers, and those of them that did differ",
        ["rule", "why", "covers", "differed"],
        [[f"[{each['name']}]({each['link']})", each["why"], f"{each['undefined']:,}",
          f"{each['forgiven']:,}"] for each in found["rules"]],
    )  # fmt: skip


def operators(report: Report) -> tuple[list[str], list[list[str]]] | None:
    """Give headers and rows: for each operator and dtype of its result how far apart elements were."""
    found = [each for each in report.get("operators", ()) if each["compared"]]
    if not found:
        return None
    cells = {(each["operator"], each["dtype"]): each for each in found}
    dtypes = [name for name in _INEXACT if any(name == each["dtype"] for each in found)]
    names = dict.fromkeys(each["operator"] for each in found)
    rows = [[name, *(_distance(cells.get((name, dtype))) for dtype in dtypes),
             f"{sum(each['compared'] for each in found if each['operator'] == name):,}"]
            for name in names]  # fmt: skip
    return ["operator", *dtypes, "elements, all dtypes"], rows


_INEXACT = ("float16", "bfloat16", "float32", "float64", "complex32", "complex64", "complex128")


def _distance(cell: Mapping[str, Any] | None) -> str:
    """Write the largest distance and the bound, and mark a bound that this run did not need."""
    if cell is None:
        return ""
    if not cell["bound"]:
        written = "exact"
    else:
        loose = " (wide)" if cell["bound"] > cell["largest"] + 1 else ""
        written = f"{cell['largest']} / {cell['bound']}{loose}"
    other = cell["forgiven"].get("other-kernel", 0)
    wrong = f", {cell['differing']:,} wrong" if cell["differing"] else ""
    return written + (f", {other:,} by the other kernel" if other else "") + wrong


def _counts(pair: Mapping[str, Any] | None) -> str:
    if pair is None:
        return ""
    if not pair["compared"]:
        return "no elements"
    undefined = sum(pair["undefined"].values())
    wrong = f", {pair['differing']:,} wrong" if pair["differing"] else ""
    return f"{pair['compared']:,} / {undefined:,}{wrong}"
