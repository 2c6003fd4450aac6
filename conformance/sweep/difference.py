"""The difference of two certificates of sweeps, such as those of two vector widths."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tabulate import tabulate

from ..core.errors import CouldNotRun
from ..report.files import JSON
from ..report.text import plural
from .certificate import NAME, SCHEMA

Certificate = Mapping[str, Any]


def certificate_at(path: Path) -> dict[str, Any] | None:
    """Return the certificate in a file, or in a folder without a report; None if there is none.

    Raise `CouldNotRun` if its form is of another version.
    """
    if path.is_dir() and not (path / JSON).exists():
        path = path / f"{NAME}.json"
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(data, dict) or "questions" not in data:
        return None
    if data.get("schema") != SCHEMA:
        raise CouldNotRun(f"{path} has the schema {data.get('schema')!r}, which is not known here")
    return data


def lines(old: Certificate, new: Certificate) -> list[str]:
    """Return what differs between two certificates, as lines of text.

    The oracle's results are compared by their digests, in which all NaNs are alike. Certificates of
    earlier versions have only the digest of both sides' bits.
    """
    before, after = _by_name(old), _by_name(new)
    both = [name for name in before if name in after]
    is_same = {
        name: _results(before, after, name) == _results(after, before, name) for name in both
    }
    table = [
        [name, "same" if is_same[name] else "other", *_counts(before[name]), *_counts(after[name])]
        for name in both
        if not is_same[name] or _judged(before[name]) != _judged(after[name])
    ]
    headers = ["question", old["oracle"], *("accepted", "wrong", "verdict") * 2]
    facts = [*_facts(old, new)]
    same = sum(is_same.values())
    return [
        *(tabulate(facts, ["", "old", "new"], tablefmt="plain").splitlines() if facts else []),
        f"{plural(same, 'question')} with the same results of {old['oracle']},"
        f" {len(both) - same:,} with others",
        *(["", *tabulate(table, headers, intfmt=",").splitlines()] if table else []),
        *_one_sided("no longer asked", before, after),
        *_one_sided("new", after, before),
    ]


def is_worse(old: Certificate, new: Certificate) -> bool:
    """Return whether more elements are wrong, or fewer are asked, or another facet differs."""
    before, after = _by_name(old), _by_name(new)
    return any(
        name not in after
        or after[name]["wrong"] > row["wrong"]
        or after[name]["asked"] < row["asked"]
        or bool(after[name]["problem"]) > bool(row["problem"])
        for name, row in before.items()
    )


def _by_name(data: Certificate) -> dict[str, Mapping[str, Any]]:
    return {row["name"]: row for row in data["questions"]}


def _results(data: Mapping[str, Any], other: Mapping[str, Any], name: str) -> str:
    """Return the digest of a question that both certificates have."""
    key = "results" if data[name].get("results") and other[name].get("results") else "digest"
    return str(data[name][key])


def _judged(row: Mapping[str, Any]) -> tuple[int, int, int, str]:
    """Return what a question is judged by; undefined elements are not, nor is the time."""
    return row["asked"], row["within"], row["wrong"], row["problem"]


def _counts(row: Mapping[str, Any]) -> tuple[int, int, str]:
    return row["within"], row["wrong"], row["verdict"]


def _facts(old: Certificate, new: Certificate) -> Iterator[tuple[str, str, str]]:
    """Yield the sides and the environments where they differ."""
    sides = [
        {"subject": data["subject"], "oracle": data["oracle"], **data["environment"]}
        for data in (old, new)
    ]
    for name in dict.fromkeys((*sides[0], *sides[1])):
        first, second = (str(side.get(name) or "") for side in sides)
        if first != second:
            yield name, first, second


def _one_sided(text: str, here: Mapping[str, Any], there: Mapping[str, Any]) -> Iterator[str]:
    names = [name for name in here if name not in there]
    if names:
        yield f"{text}: {', '.join(names)}"
