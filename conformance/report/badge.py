"""The report as a badge: a small picture of one sentence, which needs nothing from anywhere.

It says that the subject conforms, or how much is wrong; never a percentage, which would make
many small facts of one large fault, or hide it among them.
"""

import re
from html import escape

from ..core.formatting import truncate
from .text import Report, plain, reasons, several, verdict_line, version_of

GREEN, RED, GREY = "#2e7d32", "#b71c1c", "#444444"
"""White on any of them has a contrast of 5 to 1 or more."""
MOST = 40
"""How long each half of the text may be, in characters."""

_NARROW = frozenset("fijlrtI.,:;|!'()[]1 ")
_WIDE = frozenset("mwMWQGO@%+<>=#~")


def write(report: Report) -> str:
    """Write the badge; the same report gives the same bytes."""
    left, right = (truncate(plain(each), 0, MOST) for each in texts(report))
    widths = [_width(left) + 14, _width(right) + 14]
    colour = GREEN if report["verdict"] == "conforms" else RED
    halves = (
        _text(text, start, width)
        for text, start, width in zip((left, right), (0, widths[0]), widths, strict=True)
    )
    label, title = (
        escape(text) for text in (f"{left}: {right}", truncate(plain(verdict_line(report)), 0, 300))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{sum(widths)}" height="20" role="img"'
        f' aria-label="{label}">\n'
        f" <title>{title}</title>\n"
        f' <rect width="{widths[0]}" height="20" fill="{GREY}"/>\n'
        f' <rect x="{widths[0]}" width="{widths[1]}" height="20" fill="{colour}"/>\n'
        ' <g fill="#ffffff" text-anchor="middle" font-size="11"'
        ' font-family="Verdana,DejaVu Sans,Geneva,sans-serif">\n'
        f"{''.join(halves)} </g>\n"
        "</svg>\n"
    )


def texts(report: Report) -> tuple[str, str]:
    """Return what stands on the badge: what the subject was held against, and what came out."""
    oracle = report["oracle"].partition("@")[0]
    found = re.match(r"\d+\.\d+", version_of(report))
    area = f" {report['partial']}" if report["partial"] else ""
    against = f"{oracle} {found[0] if found else ''}".strip() + area
    if report["verdict"] == "conforms":
        return against, "conforms"
    wrong = [
        # "12 unexpected" says enough; of other things their name is needed.
        f"{number:,} unexpected" if what == "unexpected divergence" else several(number, what)
        for number, what in reasons(report)
    ]
    return against, wrong[0] + (", \N{HORIZONTAL ELLIPSIS}" if len(wrong) > 1 else "")


def _text(text: str, start: int, width: int) -> str:
    """Write one half; its length is given, so that it fits whatever the font."""
    middle = start + width / 2
    length = f'textLength="{width - 14}" lengthAdjust="spacingAndGlyphs"'
    return f'  <text x="{middle:g}" y="14" {length}>{escape(text)}</text>\n'


def _width(text: str) -> int:
    """Return about how wide a text is in Verdana of 11 pixels."""
    return round(sum(4.3 if each in _NARROW else 9.6 if each in _WIDE else 7 for each in text))
