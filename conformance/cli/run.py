"""A run: its settings, the results of its tests, and its report.

An incomplete run leaves the last report as it was. What an interrupted one has found has a folder
of its own. Each run puts a mark into its folder at the beginning, and removes it when the report is
written. A mark that is left shows a run that did not finish.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from shutil import rmtree
from typing import Any

from ..controls import certificates
from ..controls.certificates import FOLDER, Basis, Certificate, asks_on_meta
from ..core.errors import CouldNotRun
from ..core.profiles import PROFILES
from ..core.selection import includes
from ..engine.aggregate import build_in, from_text, merge, to_text
from ..engine.expectations import judge, load_all
from ..engine.records import PartRecord
from ..engine.registry import REGISTERED
from ..engine.report_model import as_report
from ..properties import all_properties
from ..recording.archive import archive_of
from ..report import baseline, files, terminal
from ..spec import code_digest
from ..spec.clauses import load_clauses
from . import shards
from .settings import ASKED, Settings, Share
from .shards import CONTROLS_ONLY, Shard

INTERRUPTED = "interrupted"
"""The reason of an interrupted run, and the folder of what it has found."""

BASELINE = Path("reports/baseline")
"""The folder of the reviewed report, with which each run is compared."""


class Run:
    """The collected results of the tests, and the report of a complete run."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.started = datetime.now(UTC).isoformat(timespec="seconds")
        self.duration_s = 0.0
        self.lines: list[str] = []
        self._texts: list[str] = []
        self._parts: dict[str, list[PartRecord]] = defaultdict(list)
        self._controls: dict[str, Mapping[str, Any]] = {}
        self._failures: list[str] = []
        self._certificate: Certificate | None = None
        self._mark = ""
        recording = archive_of(settings.oracle)
        self._recorded = None if recording is None else recording.header
        self._oracle = settings.oracle if recording is None else recording.header.oracle
        self.finished = False
        self._facts: Mapping[str, Mapping[str, str]] = {}
        self.code: Mapping[str, str | None] = {}

    @property
    def comparisons(self) -> int:
        """The number of comparisons in the results so far."""
        return sum(part.comparisons for parts in self._parts.values() for part in parts)

    def begin(self) -> None:
        """Compute the code digests, read the certificate and mark the folder.

        Raises `CouldNotRun` if one of these fails.
        """
        self.code = {
            "suite": code_digest.suite_digest(),
            "subject": code_digest.library_digest(self.settings.subject),
        }
        if self._recorded is not None:
            if self._recorded.certificate is not None:
                self._certificate = certificates.certificate_of(self._recorded.certificate)
        elif self.settings.certificate:
            self._certificate = certificates.read(Path(self.settings.certificate))
        if self.settings.only != CONTROLS_ONLY:
            self._mark = files.mark_incomplete(self.settings.folder)

    def add_facts(self, facts: Mapping[str, Mapping[str, str]]) -> None:
        """Add the environment of the tests, and the facts for conditions of expectations."""
        self._facts = facts

    def add_part(self, text: str) -> None:
        """Add the record of one part of a property."""
        part = from_text(text)
        self._parts[part.property_id].append(part)
        if self.settings.shard:
            self._texts.append(text)

    def add_dead_part(self, test: str) -> bool:
        """Add a part whose process died, and return whether a test is one of a property."""
        match = re.search(r"test_(\w+)\.py::test_(\w+)(\[\d+\])$", test)
        return match is not None and self.add_dead(f"{match[1]}.{match[2]}{match[3]}")

    def add_dead(self, name: str) -> bool:
        """Add a part whose process died, and return whether an id is one of a part."""
        match = re.fullmatch(r"(\w+\.\w+)\[(\d+)\]", name)
        prop = all_properties().get(match[1]) if match else None
        if match is None or prop is None:
            return False
        kind = "finite" if prop.domain else "sampled"
        self.add_part(to_text(PartRecord(prop.id, int(match[2]), kind, died=True)))
        return True

    def add_control(self, result: Mapping[str, Any]) -> None:
        """Add the result of a control."""
        self._controls[result["id"]] = result

    def add_shard(self, shard: Shard) -> None:
        """Add all results of a shard."""
        for text in shard.parts:
            self.add_part(text)
        for result in shard.controls:
            self.add_control(result)
        self._facts, self.code = shard.facts, shard.code
        self.started, self.duration_s = shard.started, shard.duration_s

    def break_off(self, reason: str) -> None:
        """Record a reason why the run is incomplete."""
        self._failures.append(reason)

    def finish(self, pytest_status: int = 0) -> int:
        """Judge, write and summarize the run; return the exit status.

        Returns pytest's own status if the user deselected tests.
        """
        self.finished = True
        missing = self._missing_tests()
        if missing and not self._failures and not self.settings.all_or_nothing:
            files.remove_mark(self.settings.folder, self._mark)
            self.lines = ["", f"no report: only a part of the suite was run ({missing[0]})"]
            return pytest_status
        if failures := self._failures or missing:
            self.lines = self._failure_lines(failures)
            if self._failures == [INTERRUPTED] and self._parts and not self.settings.shard:
                self.lines += self._write_interrupted()
            return 2
        if self.settings.shard:
            return self._write_shard(self.settings.shard)
        report = self._report()
        if self.settings.only == CONTROLS_ONLY:
            self.lines = terminal.controls(report, self._certify())
        else:
            # Merged shards have no mark yet.
            mark = self._mark or files.mark_incomplete(self.settings.folder)
            try:
                written = [*files.write(self.settings.folder, report), *self._certify()]
            except ArithmeticError as error:
                files.remove_mark(self.settings.folder, mark)
                raise CouldNotRun(f"no report can be written of this: {error}") from error
            files.remove_mark(self.settings.folder, mark)
            rmtree(self.settings.folder / INTERRUPTED, ignore_errors=True)
            if self._mark:
                shards.remove_from(self.settings.folder)
            self.lines = terminal.summary(report, [str(path) for path in written])
        return 0 if report["verdict"] == "conforms" else 1

    def _write_interrupted(self) -> list[str]:
        """Write what an interrupted run has found beside the last report; return lines about it."""
        planned = shards.without_controls(shards.shard_ids(None, self.settings.only))
        ran = sum(len(parts) for parts in self._parts.values())
        for name, parts in self._parts.items():
            known = {part.part for part in parts}
            unknown = {*range(all_properties()[name].parts)} - known
            parts += [PartRecord(name, part, parts[0].kind, died=True) for part in sorted(unknown)]
        areas = dict.fromkeys(name.partition(".")[0] for name in planned)
        begun = {name.partition(".")[0] for name in self._parts}
        not_begun = sorted(area for area in areas if area not in begun)
        interrupted = {"parts": ran, "of": len(planned), "not_begun": not_begun}
        report = self._report(",".join(sorted(self._parts)), {"interrupted": interrupted})
        paths = files.write(self.settings.folder / INTERRUPTED, report)
        return [*terminal.summary(report), f"wrote {paths[0].parent}"]

    def _missing_tests(self) -> list[str]:
        """Return a message about the tests without exactly one result, if there are any."""
        arrived = [
            shards.part_id(name, part.part) for name, parts in self._parts.items() for part in parts
        ]
        arrived += map(shards.control_id, self._controls)
        planned = shards.shard_ids(self.settings.shard, self.settings.only)
        if self.settings.certificate is not None:
            planned = shards.without_controls(planned)
        missing = [name for name in planned if arrived.count(name) != 1]
        if not missing:
            return []
        others = f", nor did {len(missing) - 1} others" if len(missing) > 1 else ""
        return [f"{missing[0]} did not run{others}"]

    def _failure_lines(self, failures: list[str]) -> list[str]:
        first, *more = dict.fromkeys(failures)
        lines = [f"not complete: {first}", *(f"  also: {reason}" for reason in more[:3])]
        if len(more) > 3:
            lines.append(f"  and {len(more) - 3} more")
        if (self.settings.folder / files.JSON).exists():
            lines.append(f"the last report in {self.settings.folder} is left as it was")
        return lines

    def _write_shard(self, share: Share) -> int:
        """Write the results of a shard without judging them; return the exit status."""
        shard = Shard(
            share,
            {name: getattr(self.settings, name) for name in ASKED},
            self.code,
            self._facts,
            self.started,
            round(self.duration_s, 3),
            sorted(self._texts),
            [self._controls[name] for name in sorted(self._controls)],
        )
        path = shards.write(self.settings.folder, shard)
        files.remove_mark(self.settings.folder, self._mark)
        self.lines = [
            "",
            f"shard {share[0]} of {share[1]}: {self.comparisons:,} comparisons, not judged;"
            " `python -m conformance merge` makes one report of all shards",
            f"wrote {path}",
        ]
        return 0

    def _basis(self) -> Basis | None:
        """Return what the controls depend on, or None if the oracle has no build that is known."""
        settings, environment = self.settings, self._facts["environment"]
        build = build_in(environment, self._oracle)
        suite = self.code["suite"]
        profile = PROFILES[settings.profile].controls_of
        return Basis(suite, self._oracle, build, profile) if build and suite else None

    def _certify(self) -> list[Path]:
        """Write a certificate if all controls ran here and were caught; return its path."""
        settings, basis = self.settings, self._basis()
        environment = self._facts["environment"]
        if basis is None or not self._controls or asks_on_meta(settings.subject):
            return []
        rows = self._control_rows()
        certificate = Certificate(basis, settings.seed, environment, self.started, rows)
        if not certificate.holds(basis, self._controls):
            return []
        return files.write_all(FOLDER, {basis.path.name: certificate.as_text()})

    def _control_rows(self) -> Sequence[Mapping[str, Any]]:
        if self._certificate is None:
            return [self._controls[name] for name in sorted(self._controls)]
        if self._certificate.basis != self._basis():
            raise CouldNotRun(f"{self.settings.certificate} is for another suite or another torch")
        return self._certificate.controls

    def _report(
        self, only: str | None = None, changes: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Return the report of the selected properties, or of some of them."""
        properties, settings = all_properties(), self.settings
        only = only or settings.only
        try:
            records = [
                merge(prop, self._parts[name])
                for name, prop in properties.items()
                if includes(only, name)
            ]
        except ValueError as error:
            raise CouldNotRun(str(error)) from error
        judgement = judge(
            [record.for_judging(settings.seed) for record in records],
            load_all(REGISTERED, settings.expectation_files),
            self._facts["facts"],
            settings.level,
        )
        report = as_report(
            records,
            judgement,
            load_clauses(),
            [] if changes else self._control_rows(),
            {
                **{name: getattr(settings, name) for name in ASKED if name != "only"},
                "oracle": self._oracle,
                **({"recorded": self._recorded.summary()} if self._recorded else {}),
                "level": settings.level,
                "environment": self._facts["environment"],
                "code": self.code,
                "partial": only,
                **(changes or {}),
                "started": self.started,
                "duration_s": round(self.duration_s, 3),
            },
            self._certificate.summary() if self._certificate and not changes else None,
            self._facts.get("lacking", {}),
        )
        report["baseline"] = baseline.compare(BASELINE, report, settings.folder)
        return report


def run_from_shards(split: list[Shard], **judged: Any) -> Run:
    """Return the run of all these shards, ready for `Run.finish`.

    judged: the settings of the report: its folder, its level and lists of known divergences

    Its report equals the report of an unsplit run except for times and some counts of rules.
    Those counts depend on uninitialized memory and on the order of cases in a process.  Raises
    `CouldNotRun` if the shards are not one complete run.  Nothing is written before `Run.finish`.
    """
    merged = shards.merge_shards(split)
    run = Run(Settings(**merged.asked, **judged))
    try:
        run.add_shard(merged)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise CouldNotRun(
            f"a shard holds what cannot be read: {type(error).__name__}: {error}"
        ) from error
    return run
