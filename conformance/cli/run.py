"""A run from its beginning to its end: what was asked for, what arrived, what is written.

A run that is not whole (something died, was interrupted or could not run)
writes no report.  A mark in the report's folder, made when the run begins and
taken away when its report is written, tells of runs that ended before that.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..core.errors import CouldNotRun
from ..engine.aggregate import from_text, merge
from ..engine.expectations import PATH as EXPECTATIONS
from ..engine.expectations import judge, load_expectations
from ..engine.records import PartRecord
from ..engine.registry import REGISTERED
from ..engine.report_model import as_report
from ..properties import all_properties
from ..report import baseline, files, terminal
from ..spec import code_digest
from ..spec.clauses import load_clauses
from . import shards
from .shards import CONTROLS_ONLY, Shard, Share

BASELINE = Path("reports/baseline")
"""The reviewed report, with which each run is compared."""


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
    shard: Share | None = None

    @property
    def folder(self) -> Path:
        """Where the report goes; that of one area goes to a folder of its own."""
        folder = Path(self.reports)
        return folder / f"only-{self.only}" if self.only else folder


class Run:
    """Takes in what the tests bring, and makes a report of it when all is there."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.started = datetime.now(UTC).isoformat(timespec="seconds")
        self.duration_s = 0.0
        self.lines: list[str] = []
        self._texts: list[str] = []
        self._parts: dict[str, list[PartRecord]] = defaultdict(list)
        self._controls: dict[str, Mapping[str, Any]] = {}
        self._broken: list[str] = []
        self._mark = ""
        self.finished = False
        self._facts: Mapping[str, Mapping[str, str]] = {}
        self._code: Mapping[str, str | None] = {}

    @property
    def comparisons(self) -> int:
        """How many comparisons have arrived."""
        return sum(part.comparisons for parts in self._parts.values() for part in parts)

    def begin(self) -> None:
        """Make sure that the report can be written, before anything is run."""
        self._code = {
            "suite": code_digest.of_suite(),
            "subject": code_digest.of_library(self.settings.subject),
        }
        if self.settings.only != CONTROLS_ONLY:
            self._mark = files.begin(self.settings.folder)

    def add_facts(self, facts: Mapping[str, Mapping[str, str]]) -> None:
        """Take in where the tests ran: the environment, and what expectations may ask."""
        self._facts = facts

    def add_part(self, text: str) -> None:
        """Take in what one part of a property did."""
        part = from_text(text)
        self._parts[part.property_id].append(part)
        if self.settings.shard:
            self._texts.append(text)

    def add_control(self, result: Mapping[str, Any]) -> None:
        """Take in what became of a planted fault."""
        self._controls[result["id"]] = result

    def add_shard(self, shard: Shard) -> None:
        """Take in what a whole run brought that was split, in place of its tests."""
        for text in shard.parts:
            self.add_part(text)
        for result in shard.controls:
            self.add_control(result)
        self._facts, self._code = shard.facts, shard.code
        self.started, self.duration_s = shard.started, shard.duration_s

    def break_off(self, why: str) -> None:
        """Note that the run is not whole."""
        self._broken.append(why)

    def finish(self, pytest_status: int = 0) -> int:
        """Judge, write and summarise the run; return the exit status.

        Where tests were left out by hand, pytest's own status stands.
        """
        self.finished = True
        lacking = self._lacking()
        if lacking and not self._broken and not self.settings.all_or_nothing:
            files.end(self.settings.folder, self._mark)
            self.lines = ["", f"no report: only a part of the suite was run ({lacking[0]})"]
            return pytest_status
        if broken := self._broken or lacking:
            self.lines = self._say_broken(broken)
            return 2
        if self.settings.shard:
            return self._write_shard(self.settings.shard)
        report = self._report()
        if self.settings.only == CONTROLS_ONLY:
            self.lines = terminal.controls(report)
        else:
            mark = self._mark or files.begin(self.settings.folder)  # shards begin here
            try:
                written = files.write(self.settings.folder, report)
            except ArithmeticError as error:
                files.end(self.settings.folder, mark)
                raise CouldNotRun(f"no report can be written of this: {error}") from error
            files.end(self.settings.folder, mark)
            if self._mark:
                shards.remove_from(self.settings.folder)
            self.lines = terminal.summary(report, [str(path) for path in written])
        return 0 if report["verdict"] == "conforms" else 1

    def _lacking(self) -> list[str]:
        """Say what has not arrived, or not once, be it that it was left out by hand."""
        arrived = [
            shards.part_id(name, part.part) for name, parts in self._parts.items() for part in parts
        ]
        arrived += map(shards.control_id, self._controls)
        planned = shards.units_of(self.settings.shard, self.settings.only)
        lacking = [name for name in planned if arrived.count(name) != 1]
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

    def _write_shard(self, share: Share) -> int:
        """Write what arrived, unjudged."""
        asked = asdict(self.settings)
        shard = Shard(
            share,
            {name: asked[name] for name in shards.ASKED},
            self._code,
            self._facts,
            self.started,
            round(self.duration_s, 3),
            sorted(self._texts),
            [self._controls[name] for name in sorted(self._controls)],
        )
        path = shards.write(self.settings.folder, shard)
        files.end(self.settings.folder, self._mark)
        self.lines = [
            "",
            f"shard {share[0]} of {share[1]}: {self.comparisons:,} comparisons, not judged;"
            " `python -m conformance merge` makes one report of all shards",
            f"wrote {path}",
        ]
        return 0

    def _report(self) -> dict[str, Any]:
        known, settings = all_properties(), self.settings
        try:
            records = [
                merge(prop, self._parts[name])
                for name, prop in known.items()
                if settings.only is None or prop.area == settings.only
            ]
        except ValueError as error:
            raise CouldNotRun(str(error)) from error
        try:
            expectations = load_expectations(REGISTERED, settings.expectations)
        except (ValueError, TypeError) as error:
            raise CouldNotRun(f"{settings.expectations.name}: {error}") from error
        judgement = judge(
            [record.for_judging() for record in records], expectations, self._facts["facts"]
        )
        asked = asdict(settings)
        report = as_report(
            records,
            judgement,
            load_clauses(),
            [self._controls[name] for name in sorted(self._controls)],
            {
                **{name: asked[name] for name in shards.ASKED if name != "only"},
                "environment": self._facts["environment"],
                "code": self._code,
                "partial": settings.only,
                "started": self.started,
                "duration_s": round(self.duration_s, 3),
            },
        )
        report["baseline"] = baseline.since(BASELINE, report, settings.folder)
        return report


def of_shards(found: list[Shard], reports: str) -> Run:
    """Return the run whose shards these are, all of them, ready to be finished.

    Its report is that of the whole run but for when it was and how long it took, and for how often rules
    were needed for what chance decides: what memory held before, which of a process's cases came first.
    Raises `CouldNotRun` if they are no whole run.  Nothing is written before it is finished.
    """
    whole = shards.joined(found)
    run = Run(Settings(**whole.asked, reports=reports))
    try:
        run.add_shard(whole)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise CouldNotRun(
            f"a shard holds what cannot be read: {type(error).__name__}: {error}"
        ) from error
    return run
