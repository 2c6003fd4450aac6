"""Compares two reports by the identity of what they hold, never by counts."""

import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

from ..core.formatting import format_sides, truncate
from .text import KINDS, Report, divergence_lines, groups, missing_names, several, version_of


class Change(NamedTuple):
    """One divergence that is not in both reports alike, and its status in the old one if it is in both."""

    kind: str
    divergence: Mapping[str, Any]
    status_before: str | None = None


class Fact(NamedTuple):
    """Something beside divergences in which reports differ, and whether the new one is weaker for it."""

    text: str
    weaker: bool


WORSE = ("new", "changed")
MOST = 20


def changes(old: Report, new: Report) -> list[Change]:
    """Return in what divergences the reports differ, where both were asked.

    What the new report has is "new" or "changed"; or "drawn", if its case is one of those that depend on
    the profile and the seed, and these are others.  What only the old one has is "gone" if the same cells
    were asked again, all of them.  It is "not drawn" where cases are drawn, and "not run" otherwise: the
    property did not run, or not to its end, or its cells are others.
    """
    before, after = (
        {
            each["id"]: each
            for each in report["divergences"]
            if _was_asked(each["property"], old, new)
        }
        for report in (old, new)
    )
    known, ran = _properties(old), _properties(new)
    other_draw = (old["profile"], old["seed"]) != (new["profile"], new["seed"])
    found = []
    for key, each in after.items():
        if key not in before:
            drawn = [every.get(each["property"]) for every in (known, ran)]
            by_chance = other_draw and all(it and it.kind == "sampled" for it in drawn)
            found.append(Change("drawn" if by_chance else "new", each))
    for key, each in before.items():
        if key not in after:
            found.append(Change(_lost(known[each["property"]], ran.get(each["property"])), each))
        elif _state(each) != _state(after[key]):
            found.append(Change("changed", after[key], each["status"]))
    return found


class _Property(NamedTuple):
    """What a property visited, and whether it came to its end and compared something."""

    kind: str
    size: int
    visited: int
    digest: str
    whole: bool

    def __str__(self) -> str:
        if self.kind == "sampled":
            return "drawn cases" if self.whole else "no cases"
        cells = several(self.size, "cell")
        if self.whole:
            return cells
        if self.visited == self.size:
            return f"{cells}, not finished"
        return f"{self.visited:,} of {cells}"


def _properties(report: Report) -> dict[str, _Property]:
    broken = {each["property"] for each in report["problems"] if each["kind"] == "incomplete"}
    return {
        each["id"]: _Property(
            domain["kind"],
            domain["size"] or 0,
            domain["visited"],
            domain["digest"],
            domain["complete"] and each["id"] not in broken,
        )
        for each in report["properties"]
        for domain in [each["domain"]]
    }


def _lost(before: _Property, after: _Property | None) -> str:
    """Say what became of a divergence that the new report has not."""
    if after is None or not after.whole:
        return "not run"
    if after.kind == "sampled":
        return "not drawn"
    return "gone" if after.digest == before.digest else "not run"


def _was_asked(name: str, *reports: Report) -> bool:
    """Tell whether a property is of the areas that reports are about; most are about all."""
    return all(each["partial"] in (None, name.partition(".")[0]) for each in reports)


def _state(each: Mapping[str, Any]) -> tuple[str, str]:
    return each["fingerprint"], each["status"]


def properties_not_run(old: Report, new: Report) -> list[str]:
    """Return the properties of the old report that the new one lacks."""
    ran = _properties(new)
    return [name for name in _properties(old) if name not in ran and _was_asked(name, old, new)]


def facts(old: Report, new: Report) -> list[Fact]:
    """Return in what reports differ beside divergences: domains, expectations that fit, controls.

    What became of a property, "holds" or "not run", follows from its domain and its divergences.
    """
    return [*_domains(old, new), *_expectations(old, new), *_controls(old, new)]


def _domains(old: Report, new: Report) -> Iterator[Fact]:
    known = _properties(old)
    for name, after in _properties(new).items():
        if not _was_asked(name, old, new):
            continue
        before = known.get(name)
        if before is None:
            yield Fact(f"property {name} is there now: {after}", not after.whole)
        elif str(before) != str(after):
            yield Fact(
                f"domain of {name}: {before} \N{RIGHTWARDS ARROW} {after}", _shrank(before, after)
            )
        elif after.whole and after.kind == "finite" and before.digest != after.digest:
            # Of as many cells that are others, some that were asked are asked no longer.
            yield Fact(f"domain of {name}: {after} as before, but others", True)


def _shrank(before: _Property, after: _Property) -> bool:
    if before.whole != after.whole:
        return before.whole
    if after.kind == "sampled":
        return before.kind == "finite"
    return after.size < before.size or (not after.whole and after.visited < before.visited)


def _expectations(old: Report, new: Report) -> Iterator[Fact]:
    before, after = (
        dict.fromkeys(
            f"{each['property']}: {each['kind']} {each['text']}"
            for each in report["problems"]
            if each["kind"] in ("stale", "changed") and _was_asked(each["property"], old, new)
        )
        for report in (old, new)
    )
    yield from (Fact(text, True) for text in after if text not in before)
    yield from (Fact(f"no longer {text}", False) for text in before if text not in after)


def _controls(old: Report, new: Report) -> Iterator[Fact]:
    """Compare the controls; a run of one area has none."""
    if old["partial"] or new["partial"]:
        return
    before, after = ({each["id"]: each for each in it["controls"]} for it in (old, new))
    for name, each in after.items():
        if not each["caught"] and before.get(name, {"caught": True})["caught"]:
            yield Fact(f"control {name} fails: {each['example'] or 'nothing found'}", True)
        elif name not in before:
            yield Fact(f"control {name} is there now", False)
        elif each["caught"] and not before[name]["caught"]:
            yield Fact(f"control {name} no longer fails", False)
    yield from (Fact(f"control {name} is gone", True) for name in before if name not in after)


def weaker(old: Report, new: Report) -> list[str]:
    """Write for what the new report is weaker, beside divergences and properties that it lacks."""
    return [each.text for each in facts(old, new) if each.weaker]


def _by_strength(old: Report, new: Report) -> dict[str, list[str]]:
    found = facts(old, new)
    return {
        "weaker": [truncate(each.text, 0, 200) for each in found if each.weaker],
        "stronger": [truncate(each.text, 0, 200) for each in found if not each.weaker],
    }


def lines(old: Report, new: Report) -> list[str]:
    """Write the difference of two reports."""
    written: list[str] = [*filter(None, [_verdicts(old, new)])]
    found = changes(old, new)
    for kind in KINDS:
        some = [_told(each) for each in found if each.kind == kind]
        if some:
            written += [f"{kind}: {len(some)}"]
            for each in some[:MOST]:
                written += divergence_lines(each)
            if len(some) > MOST:
                written.append(f"  and {len(some) - MOST:,} more")
    for name in properties_not_run(old, new):
        written.append(f"not run: property {name}")
    for kind, texts in _by_strength(old, new).items():
        if texts:
            written += [f"{kind}: {len(texts)}", *(f"  {each}" for each in texts[:MOST])]
            if len(texts) > MOST:
                written.append(f"  and {len(texts) - MOST:,} more")
    return [*_although(old, new), *(written or [_nothing(old, new)])]


def _verdicts(old: Report, new: Report) -> str:
    """Write the verdicts of runs of the same areas, if they differ."""
    if old["partial"] != new["partial"] or old["verdict"] == new["verdict"]:
        return ""
    return f"{old['verdict']} \N{RIGHTWARDS ARROW} {new['verdict']}"


def _although(old: Report, new: Report) -> list[str]:
    """Say in a line what the reports would have in common if they were runs of the same."""
    found = [
        f"{name}: {before} \N{RIGHTWARDS ARROW} {after}"
        for name, before, after in _asked(old, new)
        if before != after
    ]
    return [f"compared although these differ: {'; '.join(found)}"] if found else []


def _asked(old: Report, new: Report) -> list[tuple[str, str, str]]:
    """Return what was asked of whom, in rows: a name, and its values in both reports.

    Profile and seed are of it only if both drew cases.
    """
    rows = [
        (name, str(old[key] or "all"), str(new[key] or "all"))
        for name, key in (("subject", "subject"), ("oracle", "oracle"), ("area", "partial"))
    ]
    known, ran = _properties(old), _properties(new)
    if any(each.kind == "sampled" for name, each in known.items() if name in ran):
        rows += [(name, str(old[name]), str(new[name])) for name in ("profile", "seed")]
    versions = version_of(old), version_of(new)
    return [*rows, (new["oracle"].partition("@")[0], *versions)]


def _nothing(old: Report, new: Report) -> str:
    if old["partial"] and new["partial"] and old["partial"] != new["partial"]:
        return "nothing to compare"
    return "no difference"


def _told(change: Change) -> Mapping[str, Any]:
    """Return a divergence as it is to be written: with both its statuses if they differ."""
    each, before = change.divergence, change.status_before
    if before in (None, each["status"]):
        return each
    return {**each, "status": f"{before} \N{RIGHTWARDS ARROW} {each['status']}"}


def markdown(old: Report, new: Report) -> str:
    """Write the difference of two reports for a pull request."""
    found, lost = changes(old, new), properties_not_run(old, new)
    facts_by_strength = _by_strength(old, new)
    counts = [(kind, sum(each.kind == kind for each in found)) for kind in KINDS]
    said = [*filter(None, [_verdicts(old, new)])]
    said += [f"{count:,} {kind}" for kind, count in counts if count]
    said += [f"{several(len(lost), 'property')} not run"] if lost else []
    said += [f"{len(texts):,} {kind}" for kind, texts in facts_by_strength.items() if texts]
    parts = [
        f"## {new['subject']} against {new['oracle']}: {', '.join(said) or _nothing(old, new)}",
        *(f"**{escape(each, quote=False)}**" for each in _although(old, new)),
        "| | before | after |\n|---|---|---|\n"
        + "\n".join(f"| {name} | {one} | {other} |" for name, one, other in _bases(old, new)),
    ]
    for kind, count in counts:
        if count:
            some = [each for each in found if each.kind == kind]
            parts.append(_folded(kind, count, kind in WORSE, _shown(some)))
    if lost:
        parts.append("Not run: " + ", ".join(f"`{name}`" for name in lost) + ".")
    for kind, texts in facts_by_strength.items():
        if texts:
            rows = [f"- {escape(each, quote=False)}" for each in texts[:MOST]]
            rows += [f"- and {len(texts) - MOST:,} more"] if len(texts) > MOST else []
            parts.append(_folded(kind, len(texts), kind == "weaker", "\n".join(rows)))
    return "\n\n".join(parts) + "\n"


def _folded(kind: str, count: int, is_open: bool, text: str) -> str:
    return (
        f"<details{' open' if is_open else ''}><summary>{kind}: {count:,}</summary>"
        f"\n\n{text}\n\n</details>"
    )


def _bases(old: Report, new: Report) -> list[tuple[str, str, str]]:
    """Return what both reports rest on, in rows."""
    rows = [
        ("verdict", *(each["verdict"] for each in (old, new))),
        ("comparisons", *(f"{each['totals']['comparisons']:,}" for each in (old, new))),
        *(
            (kind, *(f"{each['totals'][kind]:,}" for each in (old, new)))
            for kind in ("unexpected", "missing", "expected")
        ),
        *(row for row in _asked(old, new)[:3] if row[1] != row[2]),
        ("profile, seed", *(f"{each['profile']}, {each['seed']}" for each in (old, new))),
    ]
    for title, where in (("{}", "environment"), ("code of the {}", "code")):
        known = [each.get(where) or {} for each in (old, new)]
        for name in {**known[0], **known[1]}:
            before, after = (str(each.get(name) or "") for each in known)
            if before != after:
                rows.append((title.format(name), before, after))
    return rows


def _shown(some: Sequence[Change]) -> str:
    """Write what is missing by name, and of divergences that differ alike one."""
    names = missing_names({"divergences": [each.divergence for each in some]})
    parts = [f"Missing: {', '.join(f'`{name}`' for name in names)}."] if names else []
    alike = []
    for statuses in dict.fromkeys(_told(each)["status"] for each in some):
        told = [it for each in some for it in [_told(each)] if it["status"] == statuses]
        alike += groups({"divergences": told})
    parts += [_divergence(*each) for each in alike[:MOST]]
    if len(alike) > MOST:
        parts.append(f"and {len(alike) - MOST:,} more kinds")
    return "\n\n".join(parts)


def _divergence(each: Mapping[str, Any], size: int) -> str:
    expected, observed = format_sides(each, None)
    alike = f", one of {size:,} alike" if size > 1 else ""
    lines = (_marked(" ", each["case"]), _marked("-", expected), _marked("+", observed))
    text = "\n".join(lines)
    fence = max((found for found in re.findall("`{3,}", text)), key=len, default="``") + "`"
    return (
        f"`{each['id']}` {each['property']}: {each['facet']} ({each['status']}{alike})\n\n"
        f"{fence}diff\n{text}\n{fence}"
    )


def _marked(mark: str, text: str) -> str:
    return "\n".join(f"{mark} {line}" for line in text.splitlines() or [""])


def is_worse(old: Report, new: Report) -> bool:
    """Tell whether the new report fails where the old one did not, or asks less.

    It does if anything is new, changed or weaker, no longer runs, or if it alone does not conform.
    """
    return (
        _verdicts(old, new).endswith("fails")
        or bool(properties_not_run(old, new))
        or any(each.kind in WORSE for each in changes(old, new))
        or bool(weaker(old, new))
    )
