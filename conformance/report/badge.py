"""The badge of a report: a small SVG image without external resources.

It shows that the subject conforms, or the number of failures. A percentage is only shown beside
that number, as it can hide one large fault among many small facts.
"""

import re
from html import escape

from ..core.formatting import truncate
from . import levels
from .text import Report, gate, plural, reasons, sanitize, verdict_line, version_of

GREEN, RED, GREY = "#2e7d32", "#b71c1c", "#444444"
"""Background colors, each with a contrast of at least 5 to 1 against white."""
MAX_LENGTH = 40
"""The largest length of each half of the text, in characters."""

_NARROW = frozenset("fijlrtI.,:;|!'()[]1 ")
_WIDE = frozenset("mwMWQGO@%+<>=#~")


def write(report: Report) -> str:
    """Return the badge as SVG; the same report gives the same bytes."""
    left, right = (truncate(sanitize(text), 0, MAX_LENGTH) for text in texts(report))
    widths = [_width(left) + 14, _width(right) + 14]
    color = GREEN if report["verdict"] == "conforms" else RED
    halves = (
        _text(text, start, width)
        for text, start, width in zip((left, right), (0, widths[0]), widths, strict=True)
    )
    label, title = (
        escape(text)
        for text in (f"{left}: {right}", truncate(sanitize(verdict_line(report)), 0, 300))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{sum(widths)}" height="20" role="img"'
        f' aria-label="{label}">\n'
        f" <title>{title}</title>\n"
        f' <rect width="{widths[0]}" height="20" fill="{GREY}"/>\n'
        f' <rect x="{widths[0]}" width="{widths[1]}" height="20" fill="{color}"/>\n'
        ' <g fill="#ffffff" text-anchor="middle" font-size="11"'
        ' font-family="Verdana,DejaVu Sans,Geneva,sans-serif">\n'
        f"{''.join(halves)} </g>\n"
        "</svg>\n"
    )


def texts(report: Report) -> tuple[str, str]:
    """Return the two texts of the badge: the oracle with its version, and the result."""
    oracle = report["oracle"].partition("@")[0]
    version = re.match(r"\d+\.\d+", version_of(report))
    area = f" {report['partial']}" if report["partial"] else ""
    area += f", level {gate(report)}" if gate(report) < 3 else ""
    against = f"{oracle} {version[0] if version else ''}".strip() + area
    if report["verdict"] == "conforms":
        return against, "conforms"
    failures = [
        # "12 unexpected" is clear without a noun; the other counts need one.
        f"{number:,} unexpected" if noun == "unexpected divergence" else plural(number, noun)
        for number, noun in reasons(report)
    ]
    if not failures:
        return against, "interrupted"
    values = [levels.percent(row) for row in levels.totals(report)[:1]]
    right = [f"values {text} %" for text in values if text not in ("100", "-")]
    more = ", \N{HORIZONTAL ELLIPSIS}" if len(failures) > 1 else ""
    return against, ", ".join([failures[0], *right]) + more


def _text(text: str, start: int, width: int) -> str:
    """Return one half as SVG; ``textLength`` makes it fit in every font."""
    middle = start + width / 2
    length = f'textLength="{width - 14}" lengthAdjust="spacingAndGlyphs"'
    return f'  <text x="{middle:g}" y="14" {length}>{escape(text)}</text>\n'


def _width(text: str) -> int:
    """Return the approximate width of a text in Verdana of 11 pixels."""
    return round(sum(4.3 if char in _NARROW else 9.6 if char in _WIDE else 7 for char in text))
