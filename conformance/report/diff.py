"""The differences of two reports, by the identities of their rows and never by counts."""

import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

from ..core.formatting import blocked_text, format_sides, refused_text, truncate
from ..core.selection import includes
from .text import (
    KIND_TEXTS,
    KINDS,
    Report,
    divergence_lines,
    groups,
    missing_names,
    plural,
    version_of,
)


class Change(NamedTuple):
    """A divergence that differs between two reports.

    kind: one of `text.KINDS`.
    divergence: its row in the new report, or in the old one if only that has it.
    status_before: its status in the old report, if both have it.
    """

    kind: str
    divergence: Mapping[str, Any]
    status_before: str | None = None


class Fact(NamedTuple):
    """A difference other than a divergence, and whether it makes the new report weaker."""

    text: str
    weaker: bool


WORSE = ("new", "changed")
MAX_ROWS = 20


def changes(old: Report, new: Report) -> list[Change]:
    """Return the divergences in which the reports differ, in areas that both cover.

    A divergence of the new report is "new" or "changed", or "accepted" if it is the same and only
    its status is expected now.  It is "drawn" if its property draws cases and the profile or the
    seed differs.  A divergence of the old report alone is "gone" if the same cells were run again.
    It is "not drawn" if the property draws cases, and "not run" if the property did not finish or
    has other cells.  A property of which a quick run asks some cells draws them by its seed.
    """
    before, after = (
        {row["id"]: row for row in report["divergences"] if _is_covered(row["property"], old, new)}
        for report in (old, new)
    )
    known, ran = _properties(old), _properties(new)
    other_draw = (old["profile"], old["seed"]) != (new["profile"], new["seed"])
    result = []
    for key, row in after.items():
        if key not in before:
            drawn = [properties.get(row["property"]) for properties in (known, ran)]
            by_chance = other_draw and all(prop and prop.is_drawn for prop in drawn)
            result.append(Change("drawn" if by_chance else "new", row))
    for key, row in before.items():
        if key not in after:
            name = row["property"]
            result.append(Change(_kind_of_loss(known[name], ran.get(name)), row))
        elif _answer(row) != _answer(after[key]):
            result.append(Change(_kind_of_change(row, after[key]), after[key], row["status"]))
    return result


class _Property(NamedTuple):
    """The domain of a property in one run, and whether the property finished."""

    kind: str
    size: int
    visited: int
    digest: str
    whole: bool
    blocked_by: Mapping[str, int]
    blocked: int
    one_in: int
    refused_by: Mapping[str, int]
    refused: int | None

    @property
    def is_drawn(self) -> bool:
        """Whether the cases depend on the seed."""
        return self.kind == "sampled" or self.one_in > 1

    def __str__(self) -> str:
        blocked = refused_text(self.refused or 0, self.refused_by)
        blocked += blocked_text(self.blocked, self.blocked_by)
        if self.kind == "sampled":
            return f"{'drawn' if self.visited else 'no'} cases{blocked}"
        cells = plural(self.size, "cell")
        cells += f" (one in {self.one_in})" if self.one_in > 1 else ""
        if self.whole:
            return cells + blocked
        if self.visited == self.size:
            return f"{cells}, not finished"
        return f"{self.visited:,} of {cells}{blocked}"


def _properties(report: Report) -> dict[str, _Property]:
    broken = {
        row["property"] for row in report["problems"] if row["kind"] in ("blocked", "incomplete")
    }
    return {
        prop["id"]: _Property(
            domain["kind"],
            domain["size"] or 0,
            domain["visited"],
            domain["digest"],
            domain["complete"] and prop["id"] not in broken,
            domain["blocked_by"],
            domain["blocked"],
            domain.get("one_in", 1),
            domain.get("refused_by", {}),
            domain.get("refused"),
        )
        for prop in report["properties"]
        for domain in [prop["domain"]]
    }


def _kind_of_change(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    is_same = before["fingerprint"] == after["fingerprint"]
    return "accepted" if is_same and after["status"] == "expected" else "changed"


def _kind_of_loss(before: _Property, after: _Property | None) -> str:
    """Return the kind of change for a divergence of the old report alone."""
    if after is None:
        return "not run"
    if not after.whole:  # but maybe it has the cells that the first run had
        same = after.kind == before.kind == "finite" and after.visited == before.visited > 0
        return "gone" if same and after.digest == before.digest else "not run"
    if after.kind == "sampled" or (after.one_in > 1 and after.digest != before.digest):
        return "not drawn"
    return "gone" if after.digest == before.digest else "not run"


def _is_covered(name: str, *reports: Report) -> bool:
    """Return whether all reports cover a property."""
    return all(includes(report["partial"], name) for report in reports)


def _answer(row: Mapping[str, Any]) -> tuple[str, str]:
    return row["fingerprint"], row["status"]


def properties_not_run(old: Report, new: Report) -> list[str]:
    """Return the ids of the properties that only the old report has."""
    ran = _properties(new)
    return [name for name in _properties(old) if name not in ran and _is_covered(name, old, new)]


def facts(old: Report, new: Report) -> list[Fact]:
    """Return the differences in domains, expectations and controls.

    The verdicts of properties are left out, as they follow from domains and divergences.
    """
    return [*_domains(old, new), *_expectations(old, new), *_controls(old, new)]


def _domains(old: Report, new: Report) -> Iterator[Fact]:
    old_properties = _properties(old)
    same_seed = old["seed"] == new["seed"]
    for name, after in _properties(new).items():
        if not _is_covered(name, old, new):
            continue
        before = old_properties.get(name)
        if before is not None and before.refused is None:  # a report of an earlier version
            before = before._replace(refused=after.refused, refused_by=after.refused_by)
        if before is None:
            yield Fact(f"property {name} is there now: {after}", not after.whole)
        elif after.whole and not same_seed and before.one_in == after.one_in > 1:
            continue  # The seed chose other cells.
        elif str(before) != str(after):
            yield Fact(
                f"domain of {name}: {before} \N{RIGHTWARDS ARROW} {after}", _shrank(before, after)
            )
        elif after.whole and after.kind == "finite" and before.digest != after.digest:
            # The same number of cells, but some of the old ones are no longer visited.
            yield Fact(f"domain of {name}: {after} as before, but others", True)


def _shrank(before: _Property, after: _Property) -> bool:
    if before.whole != after.whole:
        return before.whole
    if after.blocked > before.blocked or (after.refused or 0) > (before.refused or 0):
        return True
    if after.kind == "sampled":
        return before.kind == "finite"
    return after.size < before.size or (not after.whole and after.visited < before.visited)


def _expectations(old: Report, new: Report) -> Iterator[Fact]:
    before, after = (
        dict.fromkeys(
            f"{row['property']}: {row['kind']} {row['text']}"
            for row in report["problems"]
            if row["kind"] in ("stale", "changed") and _is_covered(row["property"], old, new)
        )
        for report in (old, new)
    )
    yield from (Fact(text, True) for text in after if text not in before)
    yield from (Fact(f"no longer {text}", False) for text in before if text not in after)


def _controls(old: Report, new: Report) -> Iterator[Fact]:
    """Yield the differences in controls; a run of one area has none."""
    if old["partial"] or new["partial"]:
        return
    before, after = ({row["id"]: row for row in report["controls"]} for report in (old, new))
    for name, row in after.items():
        if not row["caught"] and before.get(name, {"caught": True})["caught"]:
            yield Fact(f"control {name} fails: {row['example'] or 'nothing found'}", True)
        elif name not in before:
            yield Fact(f"control {name} is there now", False)
        elif row["caught"] and not before[name]["caught"]:
            yield Fact(f"control {name} no longer fails", False)
    yield from (Fact(f"control {name} is gone", True) for name in before if name not in after)


def weaker(old: Report, new: Report) -> list[str]:
    """Return the facts that make the new report weaker, without divergences and lost properties."""
    return [fact.text for fact in facts(old, new) if fact.weaker]


def _by_strength(old: Report, new: Report) -> dict[str, list[str]]:
    result: dict[str, list[str]] = {"weaker": [], "stronger": []}
    for fact in facts(old, new):
        result["weaker" if fact.weaker else "stronger"].append(truncate(fact.text, 0, 200))
    return result


def lines(old: Report, new: Report) -> list[str]:
    """Return the differences of two reports as lines of text."""
    result: list[str] = [*filter(None, [_verdicts(old, new)])]
    changed = changes(old, new)
    for kind in KINDS:
        rows = [_with_statuses(change) for change in changed if change.kind == kind]
        result += _limited(kind, [divergence_lines(row) for row in rows])
    result += [f"not run: property {name}" for name in properties_not_run(old, new)]
    for kind, texts in _by_strength(old, new).items():
        result += _limited(kind, [[f"  {text}"] for text in texts])
    return [*_setting_notes(old, new), *(result or [_no_difference(old, new)])]


def _limited(kind: str, items: Sequence[list[str]]) -> list[str]:
    """Return the lines of the first items below their number, or nothing without items."""
    if not items:
        return []
    more = [f"  and {len(items) - MAX_ROWS:,} more"] if len(items) > MAX_ROWS else []
    return [f"{kind}: {len(items)}", *(line for item in items[:MAX_ROWS] for line in item), *more]


def _verdicts(old: Report, new: Report) -> str:
    """Return both verdicts if they differ and the runs cover the same areas."""
    if old["partial"] != new["partial"] or old["verdict"] == new["verdict"]:
        return ""
    return f"{old['verdict']} \N{RIGHTWARDS ARROW} {new['verdict']}"


def _setting_notes(old: Report, new: Report) -> list[str]:
    """Return a line with the settings in which the reports differ, if any."""
    differing = [
        f"{name}: {before} \N{RIGHTWARDS ARROW} {after}"
        for name, before, after in _settings(old, new)
        if before != after
    ]
    return [f"compared although these differ: {'; '.join(differing)}"] if differing else []


def _settings(old: Report, new: Report) -> list[tuple[str, str, str]]:
    """Return the settings of both runs as rows of a name and two values.

    Profile and seed are included only if both runs drew cases.
    """
    rows = [
        (name, str(old[key] or "all"), str(new[key] or "all"))
        for name, key in (("subject", "subject"), ("oracle", "oracle"), ("area", "partial"))
    ]
    ran = _properties(new)
    if any(prop.kind == "sampled" and name in ran for name, prop in _properties(old).items()):
        rows += [(name, str(old[name]), str(new[name])) for name in ("profile", "seed")]
    versions = version_of(old), version_of(new)
    return [*rows, (new["oracle"].partition("@")[0], *versions)]


def _no_difference(old: Report, new: Report) -> str:
    if old["partial"] and new["partial"] and old["partial"] != new["partial"]:
        return "nothing to compare"
    return "no difference"


def _with_statuses(change: Change) -> Mapping[str, Any]:
    """Return a divergence with both statuses, if they differ, in its status."""
    row, before = change.divergence, change.status_before
    if before in (None, row["status"]):
        return row
    return {**row, "status": f"{before} \N{RIGHTWARDS ARROW} {row['status']}"}


def markdown(old: Report, new: Report) -> str:
    """Return the differences of two reports as Markdown for a pull request."""
    changed, lost = changes(old, new), properties_not_run(old, new)
    facts_by_strength = _by_strength(old, new)
    counts = [(kind, sum(change.kind == kind for change in changed)) for kind in KINDS]
    counted = [*filter(None, [_verdicts(old, new)])]
    counted += [f"{count:,} {kind}" for kind, count in counts if count]
    counted += [f"{plural(len(lost), 'property')} not run"] if lost else []
    counted += [f"{len(texts):,} {kind}" for kind, texts in facts_by_strength.items() if texts]
    parts = [
        f"## {new['subject']} against {new['oracle']}:"
        f" {', '.join(counted) or _no_difference(old, new)}",
        *(f"**{escape(note, quote=False)}**" for note in _setting_notes(old, new)),
        "| | before | after |\n|---|---|---|\n"
        + "\n".join(f"| {' | '.join(row)} |" for row in _summary_rows(old, new)),
    ]
    for kind, count in counts:
        if count:
            of_kind = [change for change in changed if change.kind == kind]
            parts.append(_details(kind, count, kind in WORSE, _divergence_texts(of_kind)))
    if lost:
        parts.append("Not run: " + ", ".join(f"`{name}`" for name in lost) + ".")
    for kind, texts in facts_by_strength.items():
        if texts:
            rows = [f"- {escape(text, quote=False)}" for text in texts[:MAX_ROWS]]
            rows += [f"- and {len(texts) - MAX_ROWS:,} more"] if len(texts) > MAX_ROWS else []
            parts.append(_details(kind, len(texts), kind == "weaker", "\n".join(rows)))
    return "\n\n".join(parts) + "\n"


def _details(kind: str, count: int, is_open: bool, text: str) -> str:
    return (
        f"<details{' open' if is_open else ''}><summary>{kind}: {count:,}</summary>"
        f"\n\n{text}\n\n</details>"
    )


def _summary_rows(old: Report, new: Report) -> list[tuple[str, str, str]]:
    """Return the verdicts, counts and environments of both reports in rows."""
    rows = [
        ("verdict", *(report["verdict"] for report in (old, new))),
        ("comparisons", *(f"{report['totals']['comparisons']:,}" for report in (old, new))),
        *(
            (text, *(f"{report['totals'][kind]:,}" for report in (old, new)))
            for kind, text in KIND_TEXTS.items()
        ),
        *(row for row in _settings(old, new)[:3] if row[1] != row[2]),
        ("profile, seed", *(f"{report['profile']}, {report['seed']}" for report in (old, new))),
    ]
    for title, key in (("{}", "environment"), ("code of the {}", "code")):
        sides = [report.get(key) or {} for report in (old, new)]
        for name in {**sides[0], **sides[1]}:
            before, after = (str(side.get(name) or "") for side in sides)
            if before != after:
                rows.append((title.format(name), before, after))
    return rows


def _divergence_texts(of_kind: Sequence[Change]) -> str:
    """Return the missing names, and one divergence of each group that differs alike."""
    names = missing_names({"divergences": [change.divergence for change in of_kind]})
    parts = [f"Missing: {', '.join(f'`{name}`' for name in names)}."] if names else []
    alike = []
    for statuses in dict.fromkeys(_with_statuses(change)["status"] for change in of_kind):
        rows = [row for row in map(_with_statuses, of_kind) if row["status"] == statuses]
        alike += groups({"divergences": rows})
    parts += [_divergence(*group) for group in alike[:MAX_ROWS]]
    if len(alike) > MAX_ROWS:
        parts.append(f"and {len(alike) - MAX_ROWS:,} more kinds")
    return "\n\n".join(parts)


def _divergence(row: Mapping[str, Any], size: int) -> str:
    expected, observed = format_sides(row, None)
    alike = f", one of {size:,} alike" if size > 1 else ""
    lines = (_prefixed(" ", row["case"]), _prefixed("-", expected), _prefixed("+", observed))
    text = "\n".join(lines)
    fence = max((ticks for ticks in re.findall("`{3,}", text)), key=len, default="``") + "`"
    return (
        f"`{row['id']}` {row['property']}: {row['facet']} ({row['status']}{alike})\n\n"
        f"{fence}diff\n{text}\n{fence}"
    )


def _prefixed(mark: str, text: str) -> str:
    return "\n".join(f"{mark} {line}" for line in text.splitlines() or [""])


def is_worse(old: Report, new: Report) -> bool:
    """Return whether the new report fails where the old one did not, or covers less.

    That holds if anything is new, changed, weaker or lost, or if it alone does not conform.
    """
    return (
        _verdicts(old, new).endswith("fails")
        or bool(properties_not_run(old, new))
        or any(change.kind in WORSE for change in changes(old, new))
        or bool(weaker(old, new))
    )
