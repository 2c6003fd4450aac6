"""The plot of a sweep: the share of elements that differ, one row for each question."""

import math
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

COLORS = {"undefined": "#8a8f98", "within": "#2f6fb0", "wrong": "#c0392b"}
"""The kinds of differing elements, and the colors of their marks."""

_LEFT, _WIDTH, _ROW, _TOP, _DECADES = 240, 500, 18, 54, 10


def plot(data: Mapping[str, Any]) -> str:
    """Return an SVG picture; questions without differing elements are counted in the title."""
    rows = [row for row in data["questions"] if any(row[kind] for kind in COLORS)]
    rows.sort(key=lambda row: [-row[kind] / row["asked"] for kind in reversed(COLORS)])
    height = _TOP + _ROW * max(1, len(rows)) + 30
    exact = len(data["questions"]) - len(rows)
    title = f"Share of elements that differ; none in {exact} of {len(data['questions'])} questions"
    size = f'width="{_LEFT + _WIDTH + 20}" height="{height}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"'
            ' font-family="sans-serif" font-size="12">',
            f"<title>{escape(title)}</title>",
            '<rect width="100%" height="100%" fill="#fff"/>',
            f'<text x="8" y="18" font-size="14">{escape(title)}</text>',
            *_legend(),
            *_axis(height),
            *(line for index, row in enumerate(rows) for line in _marks(index, row)),
            "</svg>\n",
        ]
    )


def _legend() -> Iterator[str]:
    for index, (kind, color) in enumerate(COLORS.items()):
        x = _LEFT + 100 * index
        yield f'<circle cx="{x}" cy="34" r="5" fill="{color}"/>'
        yield f'<text x="{x + 9}" y="38">{kind}</text>'


def _axis(height: int) -> Iterator[str]:
    for power in range(0, -_DECADES - 1, -2):
        x = _x(10.0**power)
        yield f'<path d="M{x} {_TOP - 6}V{height - 26}" stroke="#ddd"/>'
        yield f'<text x="{x}" y="{height - 10}" text-anchor="middle">10^{power}</text>'


def _x(share: float) -> float:
    position = max(0.0, 1 + math.log10(share) / _DECADES)
    return round(_LEFT + _WIDTH * position, 1)


def _marks(index: int, row: Mapping[str, Any]) -> Iterator[str]:
    y = _TOP + _ROW * index + 8
    yield f'<text x="{_LEFT - 12}" y="{y + 4}" text-anchor="end">{escape(row["name"])}</text>'
    for kind, color in COLORS.items():
        if row[kind]:
            label = f"{row['name']}: {row[kind]:,} {kind}"
            x = _x(row[kind] / row["asked"])
            yield f'<circle cx="{x}" cy="{y}" r="5" fill="{color}">'
            yield f"<title>{escape(label)}</title></circle>"
