"""A run from its beginning to its end: what was asked for, what arrived, what is written.

A run that is not whole (something died, was interrupted or could not run)
writes no report.  A mark in the report's folder, made when the run begins and
taken away when its report is written, tells of runs that ended before that.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .clauses import load_clauses
from .controls import runs
from .errors import CouldNotRun
from .expectations import PATH as EXPECTATIONS
from .expectations import judge, load_expectations
from .record import as_report, from_text, merge
from .registry import all_properties
from .report import files, terminal
from .session import PartRecord

CONTROLS_ONLY = "controls"
"""What ``--only`` is when planted faults are all that is run."""


@dataclass(frozen=True)
class Settings:
    """What was asked for."""

    subject: str = "impl"
    oracle: str = "torch"
    profile: str = "quick"
    only: str | None = None
    seed: int = 0
    reports: str = "reports/latest"
    expectations: Path = EXPECTATIONS
    all_or_nothing: bool = True

    @property
    def folder(self) -> Path:
        """Where the report goes; that of one area goes to a folder of its own."""
        folder = Path(self.reports)
        return folder / f"only-{self.only}" if self.only else folder


class Run:
    """Takes in what the tests bring, and makes a report of it when all is there."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.duration_s = 0.0
        self.lines: list[str] = []
        self._parts: dict[str, list[PartRecord]] = defaultdict(list)
        self._controls: dict[str, Mapping[str, Any]] = {}
        self._broken: list[str] = []
        self._mark = ""
        self.finished = False
        self._facts: Mapping[str, Mapping[str, str]] = {}

    @property
    def comparisons(self) -> int:
        """How many comparisons have arrived."""
        return sum(part.comparisons for parts in self._parts.values() for part in parts)

    def begin(self) -> None:
        """Make sure that the report can be written, before anything is run."""
        if self.settings.only != CONTROLS_ONLY:
            self._mark = files.begin(self.settings.folder)

    def add_facts(self, facts: Mapping[str, Mapping[str, str]]) -> None:
        """Take in where the tests ran: the environment, and what expectations may ask."""
        self._facts = facts

    def add_part(self, text: str) -> None:
        """Take in what one part of a property did."""
        part = from_text(text)
        self._parts[part.property_id].append(part)

    def add_control(self, result: Mapping[str, Any]) -> None:
        """Take in what became of a planted fault."""
        self._controls[result["id"]] = result

    def break_off(self, why: str) -> None:
        """Note that the run is not whole."""
        self._broken.append(why)

    def finish(self, pytest_status: int = 0) -> int:
        """Judge, write and summarise the run; return the exit status.

        Where tests were left out by hand, pytest's own status stands.
        """
        self.finished = True
        properties = self._planned()
        lacking = self._lacking(properties)
        if lacking and not self._broken and not self.settings.all_or_nothing:
            files.end(self.settings.folder, self._mark)
            self.lines = ["", f"no report: only a part of the suite was run ({lacking[0]})"]
            return pytest_status
        if broken := self._broken or lacking:
            self.lines = self._say_broken(broken)
            return 2
        report = self._report(properties)
        if self.settings.only == CONTROLS_ONLY:
            self.lines = terminal.controls(report)
        else:
            written = files.write(self.settings.folder, report)
            files.end(self.settings.folder, self._mark)
            self.lines = terminal.summary(report, [str(path) for path in written])
        return 0 if report["verdict"] == "conforms" else 1

    def _planned(self) -> list[str]:
        only = self.settings.only
        return [
            name for name, prop in all_properties().items() if only is None or prop.area == only
        ]

    def _lacking(self, properties: list[str]) -> list[str]:
        """Say what has not arrived, be it that it was left out by hand."""
        known = all_properties()
        lacking = [
            name
            for name in properties
            if sorted(part.part for part in self._parts[name]) != list(range(known[name].parts))
        ]
        if self.settings.only in (None, CONTROLS_ONLY):
            lacking += [f"control {name}" for name in runs(known) if name not in self._controls]
        if not lacking:
            return []
        others = f", nor did {len(lacking) - 1} others" if len(lacking) > 1 else ""
        return [f"{lacking[0]} did not run{others}"]

    def _say_broken(self, broken: list[str]) -> list[str]:
        first, *more = dict.fromkeys(broken)
        lines = [f"not complete: {first}", *(f"  also: {why}" for why in more[:3])]
        if len(more) > 3:
            lines.append(f"  and {len(more) - 3} more")
        if (self.settings.folder / files.JSON).exists():
            lines.append(f"the last report in {self.settings.folder} is left as it was")
        return lines

    def _report(self, properties: list[str]) -> dict[str, Any]:
        known, settings = all_properties(), self.settings
        records = [merge(known[name], self._parts[name]) for name in properties]
        try:
            expectations = load_expectations(settings.expectations)
        except (ValueError, TypeError) as error:
            raise CouldNotRun(f"{settings.expectations.name}: {error}") from error
        judgement = judge(
            [record.for_judging() for record in records], expectations, self._facts["facts"]
        )
        asked = asdict(settings)
        return as_report(
            records,
            judgement,
            load_clauses(),
            [self._controls[name] for name in sorted(self._controls)],
            {
                **{key: asked[key] for key in ("subject", "oracle", "profile", "seed")},
                "environment": self._facts["environment"],
                "partial": settings.only,
                "duration_s": round(self.duration_s, 3),
            },
        )
