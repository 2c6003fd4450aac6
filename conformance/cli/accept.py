"""The command ``accept``: rows for the known divergences of a subject, in a list of its own."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..core.errors import CouldNotRun
from ..engine.expectations import ANY, CONDITIONS, DOMAIN, fingerprint_of_pairs, sample_of
from ..engine.registry import Property
from ..properties import all_properties
from ..report import files
from ..report.files import replace_file
from ..report.safe_print import print_safely
from ..report.text import plural

Row = Mapping[str, Any]

FILE = "conformance-expectations.toml"
"""The file that is written without ``--into``."""

_HEADER = """\
# Known divergences, as `python -m conformance accept` writes them. A run reads them with
# --expectations FILE. It fails if one is new, has changed, or no longer occurs.
"""


def accept(
    path: Path,
    ids: Sequence[str],
    *,
    everything: bool,
    prune: bool = False,
    reason: str,
    link: str,
    into: Path,
) -> int:
    """Write the rows of some divergences of a report, or of all that are not expected; return 0.

    A row replaces one with the same id. With ``everything`` or ``prune`` the rows that no longer
    occur go. Raise `CouldNotRun`, and write nothing, if an id is not that of one divergence, or if
    all is to be accepted of a run that was interrupted.
    """
    if bool(ids) + everything + prune != 1:
        raise CouldNotRun("give the ids of divergences, or --all, or --prune")
    if not (prune or reason.strip()):
        raise CouldNotRun("--reason is empty" if reason else "give a --reason")
    report: Row = files.load(path)
    if not ids and (interrupted := report.get("interrupted")):
        parts = f"{interrupted['parts']:,} of {interrupted['of']:,} parts"
        raise CouldNotRun(
            f"the run of {path} was interrupted after {parts}; give the ids of divergences"
        )
    chosen = _open_rows(report) if everything else [_row_of(report, name, path) for name in ids]
    before = _rows_in(into)
    stale = set() if ids else _stale_ids(report)
    kept = {row["id"]: row for row in before if row["id"] not in stale}
    common: dict[str, Any] = {"reason": reason, **({"link": link} if link else {})}
    common["condition"] = _condition(report)
    one_in = {row["id"]: row["domain"].get("one_in", 1) for row in report["properties"]}
    found = [_expectation(row, one_in, report["seed"]) | common for row in chosen]
    found += [_of_domain(name) | common for name in _open_domains(report)] if everything else []
    new = {row["id"]: row for row in found}
    rows = sorted((kept | new).values(), key=lambda row: str(row["id"]))
    if rows != before or not into.exists():
        replace_file(into, "\n".join([_HEADER, *map(_as_toml, rows)]))
    changed = sum(row != kept[key] for key, row in new.items() if key in kept)
    counts = [f"{plural(len(new.keys() - kept.keys()), 'row')} written into {into}"]
    counts += [f"{plural(changed, 'row')} changed"] if changed else []
    counts += [f"{plural(len(before) - len(kept), 'row')} removed"] if stale else []
    area = f" in {report['partial']}" if report["partial"] else ""
    made = report["started"][:16].replace("T", " ")
    print_safely(
        [
            ", ".join(counts),
            f"of {report['subject']}{area}, profile {report['profile']}, run at {made} UTC",
        ]
    )
    return 0


def _open_rows(report: Row) -> list[Row]:
    return [row for row in report["divergences"] if row["status"] != "expected"]


def _row_of(report: Row, name: str, path: Path) -> Row:
    found = [row for row in report["divergences"] if row["id"].startswith(name)]
    if len(found) != 1:
        raise CouldNotRun(f"{plural(len(found), 'divergence')} of {path} begin with {name!r}")
    row: Row = found[0]
    return row


def _stale_ids(report: Row) -> set[str]:
    """Return the ids of the expectations that no longer occur."""
    texts = [problem["text"] for problem in report["problems"] if problem["kind"] == "stale"]
    return {match[1] for text in texts if (match := re.match(r"expectation '([^']+)'", text))}


def _open_domains(report: Row) -> list[str]:
    """Return the properties whose domains are incomplete, because cells are blocked or unknown."""
    kinds = ("blocked", "incomplete")
    return [each["property"] for each in report["problems"] if each["kind"] in kinds]


def _of_domain(name: str) -> dict[str, Any]:
    """Return the row of an expectation for an incomplete domain."""
    return {
        "id": f"{name}.{DOMAIN}", "property": name, "facet": DOMAIN, "case": "*", "count": ANY,
        "fingerprint": "",
    }  # fmt: skip


def _condition(report: Row) -> dict[str, str]:
    """Return the condition of a row: the subject, and the version of torch, if it was asked."""
    condition = {"subject": escaped(report["subject"])}
    oracle = report["oracle"].partition("@")[0]
    version = report["environment"].get(oracle)
    if version and oracle in CONDITIONS:
        condition[oracle] = f"{'.'.join(version.split('.')[:2])}.*"
    return condition


def _expectation(row: Row, one_in: Mapping[str, int], seed: int) -> dict[str, Any]:
    """Return the row of an expectation for a divergence.

    ``one_in`` tells of each property one in how many cells of its domain was asked.
    """
    prop = all_properties().get(row["property"])
    content: dict[str, Any] = {
        "id": f"{row['property']}.{row['id']}",
        "property": row["property"],
        "facet": row["facet"],
    }
    if row["missing"]:
        content |= {"missing": row["missing"], "case": "*", "count": ANY, "fingerprint": ""}
    else:
        content |= {"case": escaped(row.get("drawn") or row["case"]), **_counted(row, prop)}
    if prop is None or not prop.is_drawn:
        sample = sample_of(one_in.get(row["property"], 1), seed)
        content |= {"sample": sample} if sample else {}
    return content


def _counted(row: Row, prop: Property | None) -> dict[str, Any]:
    if prop is not None and prop.is_drawn:
        return {"count": ANY, "fingerprint": row["fingerprint"]}
    return {"count": 1, "fingerprint": fingerprint_of_pairs([(row["case"], row["fingerprint"])])}


def escaped(text: str) -> str:
    """Return the pattern of `fnmatch` that matches a text alone.

    >>> escaped("x[0] * 2")
    'x[[]0] [*] 2'
    """
    text = re.sub(r"([*?[])", r"[\1]", text)
    return text.encode("utf-8", "replace").decode()


def _rows_in(path: Path) -> list[Row]:
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8")).get("expectation", [])
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        raise CouldNotRun(f"{path}: {error}") from error
    return sorted(
        (row | each for row in rows for each in row.pop("each", [{}])), key=lambda row: row["id"]
    )


def _as_toml(row: Row) -> str:
    lines = [f"{key} = {_value(value)}" for key, value in row.items()]
    return "\n".join(["[[expectation]]", *lines, ""])


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key} = {_value(item)}' for key, item in value.items())} }}"
    return str(value) if isinstance(value, int) else f'"{_UNSAFE.sub(_escape, value)}"'


_UNSAFE = re.compile(r'[\x00-\x1f"\\\x7f]')


def _escape(match: re.Match[str]) -> str:
    short = {"\n": r"\n", '"': r"\"", "\\": r"\\"}
    return short.get(match[0], f"\\u{ord(match[0]):04x}")
