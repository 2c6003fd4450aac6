"""The tables of the elements that were compared: conversions by dtype, and operators."""

from collections.abc import Iterator, Mapping
from typing import Any

from .text import Report


def line(report: Report) -> str:
    """Return a line with the number of compared elements, or an empty string if there are none."""
    elements = report.get("elements")
    if not elements or not elements["compared"]:
        return ""
    undefined = sum(rule["undefined"] for rule in elements["rules"])
    return (
        f"{elements['compared']:,} elements converted and compared,"
        f" {undefined:,} of them undefined in torch, {elements['differing']:,} wrong"
    )


def tables(report: Report) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """Yield a title, headers and rows: first the counts of each dtype pair, then the rules."""
    elements = report.get("elements")
    if not elements or not elements["compared"]:
        return
    pairs = {(pair["source"], pair["target"]): pair for pair in elements["pairs"]}
    sources = list(dict.fromkeys(source for source, _ in pairs))
    targets = list(dict.fromkeys(target for _, target in pairs))
    yield (
        "Converted from (rows) to (columns): how many elements were compared / undefined in torch",
        ["", *targets],
        [[source, *(_counts(pairs.get((source, target))) for target in targets)]
         for source in sources],
    )  # fmt: skip
    yield (
        "What torch leaves undefined: elements that a rule covers,"
        " and those of them that did differ",
        ["rule", "why", "covers", "differed"],
        [[f"[{rule['name']}]({rule['link']})", rule["why"], f"{rule['undefined']:,}",
          f"{rule['forgiven']:,}"] for rule in elements["rules"]],
    )  # fmt: skip


def operators(report: Report) -> tuple[list[str], list[list[str]]] | None:
    """Return headers and rows: the largest distance by operator and result dtype, if any."""
    measured = [row for row in report.get("operators", ()) if row["compared"]]
    if not measured:
        return None
    cells = {(row["operator"], row["dtype"]): row for row in measured}
    dtypes = [name for name in _INEXACT if any(name == row["dtype"] for row in measured)]
    names = dict.fromkeys(row["operator"] for row in measured)
    rows = [[name, *(_distance(cells.get((name, dtype))) for dtype in dtypes),
             f"{sum(row['compared'] for row in measured if row['operator'] == name):,}"]
            for name in names]  # fmt: skip
    return ["operator", *dtypes, "elements, all dtypes"], rows


_INEXACT = ("float16", "bfloat16", "float32", "float64", "complex32", "complex64", "complex128")


def _distance(cell: Mapping[str, Any] | None) -> str:
    """Return the largest distance and the bound; a bound far above it is marked as wide."""
    if cell is None:
        return ""
    if not cell["bound"]:
        text = "exact"
    else:
        loose = " (wide)" if cell["bound"] > cell["largest"] + 1 else ""
        text = f"{cell['largest']} / {cell['bound']}{loose}"
    other_kernel = cell["forgiven"].get("other-kernel", 0)
    wrong = f", {cell['differing']:,} wrong" if cell["differing"] else ""
    return text + (f", {other_kernel:,} by the other kernel" if other_kernel else "") + wrong


def _counts(pair: Mapping[str, Any] | None) -> str:
    if pair is None:
        return ""
    if not pair["compared"]:
        return "no elements"
    undefined = sum(pair["undefined"].values())
    wrong = f", {pair['differing']:,} wrong" if pair["differing"] else ""
    return f"{pair['compared']:,} / {undefined:,}{wrong}"
