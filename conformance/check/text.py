"""The lines of the command ``check``."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from tabulate import tabulate

from ..core.formatting import truncate
from ..report.levels import NAMES, percent
from ..report.text import plural
from .survey import DECLARED, Survey

SHOWN = ("smoke", "quick", "standard")
"""The profiles whose duration is estimated."""

MAX_NEXT = 8
"""The number of things to mend first, and of those to implement next, that are named."""

MAX_WIDTH = 45
"""The number of characters of what a row says."""


def lines_of(found: Survey, workers: int) -> list[str]:
    """Return what a survey has found as lines of text.

    workers: the number of processes that the durations are for
    """
    return [
        f"{found.subject} against {found.oracle}: a first look at {plural(found.cells, 'cell')} of"
        f" {found.looked_at} of {found.properties} properties",
        "",
        *_about_adapter(found),
        *_about_elements(found),
        *tabulate(_rows(found, workers), tablefmt="plain").splitlines(),
        "",
        *_next(found),
        f"next: python -m conformance run --subject {found.subject} --profile smoke",
    ]


def _about_adapter(found: Survey) -> list[str]:
    """Return how an adapter makes what tensor() returns a tensor, if it is none."""
    if not found.stranger:
        return []
    module, _, name = found.stranger.rpartition(".")
    library = re.split("[@:]", found.subject)[0]
    return [
        f"torch.tensor() returns {found.stranger}, which is no torch.Tensor of the library: write",
        "an adapter, as docs/testing-your-library.md shows, in a module of its own:",
        "",
        f"    from {module} import {name}",
        "    from conformance.adapter import Adapter",
        f'    adapter = Adapter("{library}", tensor={name})',
        "",
    ]


def _about_elements(found: Survey) -> list[str]:
    """Return the adapter that says how elements are read, or which facts there are not."""
    lacking = [name for name, why in found.facts.items() if why and why != DECLARED]
    if found.stranger or not lacking:
        return []
    library = re.split("[@:]", found.subject)[0]
    others = ", ".join(f'"{name}"' for name in lacking if name != "elements")
    arguments = [f'"{library}"']
    lines = []
    if "elements" in lacking:
        lines.append(
            "NO ELEMENTS ARE COMPARED: the suite cannot read them. An adapter can say how, and"
        )
        arguments.append("elements=lambda tensor: ...")
    else:
        lines.append(
            "Some facts of a tensor cannot be asked, which fails a run. An adapter can say"
        )
    lines.append(
        "which facts the library does not have by design, as docs/testing-your-library.md shows:"
    )
    arguments += [f"not_asked=[{others}]"] if others else []
    return [
        *lines,
        "",
        "    from conformance.adapter import Adapter",
        f"    adapter = Adapter({', '.join(arguments)})",
        "",
    ]


def _rows(found: Survey, workers: int) -> Iterator[tuple[str, str]]:
    there = [name for name, why in found.facts.items() if not why]
    yield "facts", "not known, without a tensor" if found.stranger else ", ".join(there)
    left_out = {} if found.stranger else {name: why for name, why in found.facts.items() if why}
    for name, why in left_out.items():
        if why != DECLARED:
            yield "", truncate(f"not asked: {name} ({why})", 0, 100)
    if declared := [name for name, why in left_out.items() if why == DECLARED]:
        yield "", f"not asked, as the adapter declares: {', '.join(declared)}"
    yield "names", f"{found.present:,} of {len(found.names):,} public names in scope"
    rights = [
        f"{percent(found.counts(level))} % of {found.asked[level]:,} {name} (level {level})"
        for level, name in NAMES.items()
    ]
    yield "right", ", ".join(rights)
    rate = found.cells / found.seconds if found.seconds else 0
    yield "speed", f"{rate:,.0f} cells a second, both sides together"
    processes = max(1, workers)
    seconds = [found.start + found.duration.get(name, 0) / processes for name in SHOWN]
    times = [f"{name} {_time(each)}" for name, each in zip(SHOWN, seconds, strict=True)]
    yield "time", f"{', '.join(times)}, with {plural(processes, 'worker')}"
    if not found.is_certified:
        yield "", "the first run of quick or standard also plants faults in the suite, for minutes"


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"about {max(1, round(seconds))} s"
    minutes = seconds / 60
    return f"about {round(minutes)} min" if minutes < 90 else f"about {round(minutes / 60)} h"


def _next(found: Survey) -> list[str]:
    """Return what is there and differs, then what is not there; what opens most cells first."""
    opens: Counter[str] = Counter()
    for name, number in found.opens.items():
        if name not in found.missing:
            opens[name.rpartition(".")[2]] += number
    there = {*opens, *found.differing}
    calls = sorted(there, key=lambda call: (-opens[call], -_total(found, call), call))
    names = sorted(found.missing, key=lambda name: (-found.opens[name], name))
    differing = [
        (call, _how(found, call), found.examples.get(call, ""), _total(found, call), opens[call])
        for call in calls
    ]
    lacking = [(name, found.opens[name], len(found.properties_of[name])) for name in names]
    if not differing and not lacking:
        return ["nothing that was looked at differs in values or layout, is blocked or missing", ""]
    return [
        *_table(
            ["there, to mend first", "how it differs", "for example", "wrong", "opens"], differing
        ),
        *_table(["not there, to implement next", "opens", "properties seen"], lacking),
        *(["opens: about how many cells of quick can be asked then", ""] if found.opens else []),
    ]


def _how(found: Survey, call: str) -> str:
    """Return how a call differs most often."""
    counts = found.differing.get(call)
    return max(counts, key=counts.__getitem__) if counts else "blocks what follows it"


def _total(found: Survey, call: str) -> int:
    return found.differing.get(call, Counter()).total()


def _table(headers: list[str], rows: Sequence[Sequence[str | int]]) -> list[str]:
    """Return the first rows of a table, how many more there are, and an empty line."""
    if not rows:
        return []
    shown = [[*map(_cell, row)] for row in rows[:MAX_NEXT]]
    align = ["right" if isinstance(each, int) else "left" for each in rows[0]]
    table = tabulate(shown, headers, disable_numparse=True, colalign=align)
    left = len(rows) - len(shown)
    return [*table.splitlines(), *([f"and {left} more"] if left > 0 else []), ""]


def _cell(value: str | int) -> str:
    return truncate(value, 0, MAX_WIDTH) if isinstance(value, str) else f"{value:,}"
