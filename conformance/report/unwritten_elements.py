"""The numbers of elements that nothing wrote, by area."""

from .text import Report

HEADERS = ["area", "elements compared", "forgiven as unwritten", "percent"]


def line(report: Report) -> str:
    """Return a line with the share of unwritten elements, empty if no elements were compared."""
    compared, forgiven = (
        sum(row[key] for row in report.get("unwritten", ())) for key in ("compared", "forgiven")
    )
    if not compared:
        return ""
    return (
        f"{compared:,} elements compared in cases,"
        f" {forgiven:,} ({_percent(forgiven, compared)}) forgiven as written by nothing"
    )


def rows(report: Report) -> list[list[str]]:
    """Return a row for each area with elements."""
    return [
        [row["area"], f"{row['compared']:,}", f"{row['forgiven']:,}",
         _percent(row["forgiven"], row["compared"])]
        for row in report.get("unwritten", ())
        if row["compared"]
    ]  # fmt: skip


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f} %"
