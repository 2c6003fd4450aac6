"""Torch's public names, as a report counts them: present, missing, out of scope."""

from collections.abc import Iterator

from .text import Report


def line(report: Report) -> str:
    """Say in a line how many of torch's public names the subject has, if that was asked."""
    found = report.get("surface")
    if not found:
        return ""
    missing = len(found["missing"]) + len(found["planned"])
    return (
        f"of {found['public']:,} public names {found['in_scope']:,} are in scope:"
        f" {found['present']:,} present, {missing:,} missing ({len(found['planned']):,} of them planned)"
    )


def lists(report: Report) -> Iterator[str]:
    """Write the names that are missing."""
    for title, names in (
        ("Missing", report["surface"]["missing"]),
        ("Missing, and planned", report["surface"]["planned"]),
    ):
        if names:
            yield f"{title}: {', '.join(f'`{name}`' for name in names)}."


def rows(report: Report) -> list[list[str]]:
    """Write a row for each group of names that are out of scope."""
    return [
        [
            each["group"],
            str(len(each["names"])),
            each["reason"],
            ", ".join(f"`{name}`" for name in each["names"]),
        ]
        for each in report["surface"]["out_of_scope"]
    ]
