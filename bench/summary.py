"""The figures, tables and the page of the timed operators."""

import html
import math
import statistics
from collections.abc import Iterable, Sequence
from typing import Any

from tabulate import tabulate

from .operands import SIZES

Result = dict[str, Any]

SLOW, SLOWEST = 2.5, 8.0
"""The ratios that most rows should not exceed, and that none should."""

_GROWN = 1.2
"""The factor by which the ratio of a row grows before it is named."""


def figures(results: Iterable[Result]) -> list[dict[str, Any]]:
    """Return a row for each size: the mean of the ratios, and how many are high."""
    timed, rows = [each for each in results if "ratio" in each], []
    for size in SIZES:
        ratios = [each["ratio"] for each in timed if each["elements"] == size]
        if ratios:
            rows.append({
                "elements": f"{size:,}",
                "calls": len(ratios),
                "geometric mean": round(math.exp(statistics.fmean(map(math.log, ratios))), 2),
                f"at most {SLOW:g}": f"{sum(x <= SLOW for x in ratios) / len(ratios):.0%}",
                f"above {SLOWEST:g}": sum(x > SLOWEST for x in ratios),
            })  # fmt: skip
    return rows


def worst(results: Iterable[Result], count: int = 10) -> list[Result]:
    """Return the rows with the highest ratios, one for each overload."""
    rows = sorted((each for each in results if "ratio" in each), key=lambda each: -each["ratio"])
    first = {each["overload"]: each for each in reversed(rows)}
    return [each for each in rows if first[each["overload"]] is each][:count]


def key_of(result: Result) -> str:
    """Return the text that names a row."""
    return f"{result['overload']} {result['elements']} {result['variant']}"


def grown(results: Iterable[Result], before: Iterable[Result]) -> list[tuple[Result, float]]:
    """Return the rows whose ratio is more than a fifth above that of a report, and that ratio."""
    ratios = {key_of(each): each["ratio"] for each in before if "ratio" in each}
    pairs = [(each, ratios[key_of(each)]) for each in results if key_of(each) in ratios]
    return [(each, ratio) for each, ratio in pairs if each.get("ratio", 0) > ratio * _GROWN]


def refused(results: Iterable[Result]) -> list[Result]:
    """Return the rows that a side refused."""
    return [each for each in results if "error" in each]


def rows_table(results: Sequence[Result], fmt: str = "simple") -> str:
    """Return rows as a table: the overload, the operands, the times and the ratio."""
    cells = [
        [
            each["overload"], f"{each['elements']:,}", each["variant"],
            each["torch_ns"] / 1e3, each["impl_ns"] / 1e3, each["ratio"],
        ]
        for each in results
    ]  # fmt: skip
    headers = ["overload", "elements", "operands", "torch µs", "impl µs", "ratio"]
    aligned = ("left", "right", "left", "right", "right", "right")
    return tabulate(
        cells, headers, fmt, floatfmt=("", "", "", ".1f", ".1f", ".2f"), colalign=aligned
    )


def markdown(results: Sequence[Result], not_timed: Sequence[str], facts: str) -> str:
    """Return the document: the figures, the slowest rows, and what was not timed."""
    failed = refused(results)
    parts = [
        "# Times of all operators",
        "",
        f"Ratios of impl's time to torch's, {facts}. A call of each overload of the public"
        " functions and methods, in one process, both sides in turn. The page beside it has all.",
        "",
        tabulate(figures(results), "keys", "github"),
        "",
        f"## The slowest {len(worst(results, 40))}",
        "",
        rows_table(worst(results, 40), "github"),
        "",
        "## Not timed",
        "",
        f"{len(failed)} rows that a side refused:",
        "",
        *(f"- `{key_of(each)}`: {each['error']}" for each in failed),
        "",
        f"{len(not_timed)} overloads of which torch accepts none of the calls, most of them for"
        " numbers in TorchScript:",
        "",
        ", ".join(f"`{name}`" for name in not_timed),
        "",
    ]
    return "\n".join(parts)


_WIDTH, _HEIGHT = 900, 320


def page(results: Sequence[Result], facts: str) -> str:
    """Return a page with a plot of the sorted ratios for each size, and a table of all rows."""
    timed = sorted((x for x in results if "ratio" in x), key=lambda x: -x["ratio"])
    plots = "".join(_plot(size, [x for x in timed if x["elements"] == size]) for size in SIZES)
    rows = "".join(
        f"<tr><td>{html.escape(x['overload'])}<td>{x['elements']:,}<td>{x['variant']}"
        f"<td>{x['torch_ns'] / 1e3:,.1f}<td>{x['impl_ns'] / 1e3:,.1f}<td>{x['ratio']:.2f}"
        f"<td><code>{html.escape(x['call'])}</code>"
        for x in timed
    )
    return (
        "<!doctype html><html lang=en><meta charset=utf-8><title>Times of all operators</title>"
        f"<style>{_STYLE}</style><h1>Times of all operators</h1>"
        f"<p>Ratios of impl's time to torch's, {html.escape(facts)}. Each point is a call; those"
        f" above the line are slower than torch.</p>{plots}<table><thead><tr><th>overload"
        "<th>elements<th>operands<th>torch µs<th>impl µs<th>ratio<th>call</thead><tbody>"
        f"{rows}</tbody></table></html>\n"
    )


_STYLE = (
    ":root{color-scheme:light dark}body{font:14px/1.5 system-ui,sans-serif;max-width:60rem;"
    "margin:2rem auto;padding:0 1rem}svg{width:100%;height:auto}circle{fill:#27c}"
    "circle.slow{fill:#c33}line{stroke:gray}text{fill:currentColor;font-size:12px}"
    "table{border-collapse:collapse}td,th{padding:.1rem .6rem;text-align:left}"
    "td:nth-child(n+2):nth-child(-n+6){text-align:right}code{font-size:12px}"
)


def _plot(size: int, rows: Sequence[Result]) -> str:
    """Return the plot of the sorted ratios of a size, on a logarithmic scale."""
    if not rows:
        return ""

    def height(ratio: float) -> float:
        return _HEIGHT * (0.5 - math.log(min(max(ratio, 1 / 64), 64)) / math.log(64) / 2)

    points = "".join(
        f'<circle cx="{40 + (_WIDTH - 50) * index / len(rows):.1f}" cy="{height(x["ratio"]):.1f}"'
        f' r="2"{" class=slow" if x["ratio"] > 1 else ""}><title>{html.escape(x["overload"])}'
        f" {x['variant']}: {x['ratio']:.2f}</title></circle>"
        for index, x in enumerate(rows)
    )
    marks = "".join(
        f'<line x1="40" x2="{_WIDTH}" y1="{height(mark):.1f}" y2="{height(mark):.1f}"'
        f' stroke-width="{2 if mark == 1 else 0.3}"/>'
        f'<text x="0" y="{height(mark) + 4:.1f}">{mark:g}</text>'
        for mark in (0.05, 0.2, 1, 2.5, 8, 40)
    )
    return (
        f"<h2>{size:,} elements</h2><svg viewBox='0 0 {_WIDTH} {_HEIGHT}' role=img"
        f" aria-label='Sorted ratios of {len(rows)} calls'>{marks}{points}</svg>"
    )


START, END = "<!-- operators -->", "<!-- /operators -->"


def readme_block(results: Sequence[Result], facts: str) -> str:
    """Return what README shows between its marks: the figures and the ten slowest overloads."""
    slowest = "; ".join(
        f"`{each['overload'].removesuffix(' default')}` {each['ratio']:.0f}"
        for each in worst(results)
    )
    return (
        f"{START}\n{tabulate(figures(results), 'keys', 'github')}\n\n"
        f"The ten slowest overloads, by their worst ratio: {slowest} ({facts}).\n{END}"
    )


def with_block(text: str, block: str) -> str:
    """Return a document with a new block between its marks."""
    before, _, rest = text.partition(START)
    _, _, after = rest.partition(END)
    return before + block + after
