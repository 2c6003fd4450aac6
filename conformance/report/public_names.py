"""The public names of torch in a report: present, missing, or out of scope."""

from collections.abc import Iterator

from .text import Report


def line(report: Report) -> str:
    """Return a line with the counts of torch's public names, or an empty string without them."""
    surface = report.get("surface")
    if not surface:
        return ""
    planned = len(surface["planned"])
    note = f" ({planned:,} of them planned)" if planned else ""
    return (
        f"of {surface['public']:,} public names {surface['in_scope']:,} are in scope:"
        f" {surface['present']:,} present,"
        f" {len(surface['missing']) + planned:,} missing{note}"
    )


def lists(report: Report) -> Iterator[str]:
    """Yield a sentence for the missing names and one for the planned names, if any."""
    for title, names in (
        ("Missing", report["surface"]["missing"]),
        ("Missing, and planned", report["surface"]["planned"]),
    ):
        if names:
            yield f"{title}: {', '.join(f'`{name}`' for name in names)}."


def rows(report: Report) -> list[list[str]]:
    """Return a row for each group of names that are out of scope."""
    return [
        [
            group["group"],
            str(len(group["names"])),
            group["reason"],
            ", ".join(f"`{name}`" for name in group["names"]),
        ]
        for group in report["surface"]["out_of_scope"]
    ]
