"""The command ``python -m mutation``, which tells how many mutants of impl the suite kills.

Exit status: 0 if the score is high enough, or all edits by hand are caught; 1 if not; 2 if the
mutants could not run.
"""

import argparse
import json
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

# The suite and NumPy read these when they are imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault(
    "HYPOTHESIS_STORAGE_DIRECTORY", str(Path(tempfile.gettempdir()) / "torch-attributes-hypothesis")
)

from conformance.comparison.vector_widths import shared_server
from conformance.core.errors import CouldNotRun
from conformance.core.profiles import PROFILES
from conformance.spec import code_digest

from . import edit_report, report as reports
from .draw import all_mutants, draw
from .edits import read_edits, select_edits
from .ledger import read_ledger
from .reach import ReachMap
from .running import Result, Runner, grouped, in_workers
from .sources import Mutant, Source, read_sources
from .state import State
from .suite import ROOT, SUBJECT, Suite, Workplace, load_suite
from .tracing import learn
from .unraised import unraised

KILLERS = "killers.json"
"""The file that keeps which property killed a mutant, so that the next run begins with it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the drawn mutants, write the report and return the exit status."""
    options = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        return (Mutation(options) if options.edits is None else Edits(options)).run()
    except (CouldNotRun, ValueError) as error:
        print(f"mutation: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nmutation: interrupted; the same command continues", file=sys.stderr)
        return 2


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m mutation", description=__doc__)
    parser.add_argument("--mutants", type=int, default=800, help="how many to draw (800)")
    parser.add_argument("--seed", type=int, default=0, help="where drawing starts (0)")
    parser.add_argument("--profile", choices=[*PROFILES], default="quick", help="of the suite")
    parser.add_argument("-n", dest="workers", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--only", default="", metavar="PATH", help="the files that begin so")
    parser.add_argument("--survivors", action="store_true", help="the holes of the last report")
    parser.add_argument(
        "--trust-ledger", action="store_true",
        help="do not run mutants that the ledger judges to be equivalent or unobservable",
    )  # fmt: skip
    parser.add_argument(
        "--after", choices=[*PROFILES], metavar="PROFILE",
        help="run only what survived in the report of this profile, each for at most --budget",
    )  # fmt: skip
    parser.add_argument(
        "--budget", type=float, default=300.0, metavar="SECONDS",
        help="with --after: no property begins with a mutant after so many seconds (300)",
    )  # fmt: skip
    parser.add_argument("--mutant", metavar="ID", help="run one mutant and show its diff")
    parser.add_argument(
        "--edits", nargs="*", metavar="NAME", help="the edits by hand, of a name or a kind, or all"
    )
    parser.add_argument("--reports", type=Path, default=ROOT / "reports" / "mutation")
    return parser


class Mutation:
    """One run: the drawn mutants, their results so far, and the report."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.folder: Path = options.reports.resolve()
        self.ledger = read_ledger(self.folder / "ledger.toml")
        self.sources: dict[str, Source] = read_sources(ROOT / SUBJECT)
        self.mutants = all_mutants(self.sources)
        self.code = {
            "subject": code_digest.library_digest(SUBJECT), "suite": code_digest.suite_digest()
        }  # fmt: skip
        self.key = self._key(options.profile)
        self.name = f"{options.profile}-seed-{options.seed}"
        self.state = State(self.folder / "state.jsonl", self.key)
        self.unraised: dict[str, Any] = {}

    def _key(self, profile: str) -> str:
        return f"{profile} {self.code['subject']} {self.code['suite']}"

    def drawn(self) -> list[Mutant]:
        """Return the mutants of this run."""
        options = self.options
        if options.mutant:
            found = [each for name, each in self.mutants.items() if name.startswith(options.mutant)]
            if len(found) != 1:
                raise CouldNotRun(f"{len(found)} mutants begin with {options.mutant!r}")
            return found
        if options.survivors:
            last = self._last_report(self.name)
            ids = [row["id"] for row in last["survivors"] if row["id"] in self.mutants]
            verdicts = {name: self.ledger[name].verdict for name in ids if name in self.ledger}
            return [self.mutants[name] for name in ids if verdicts.get(name) not in reports.EXEMPT]
        chosen = [each for each in self.mutants.values() if each.path.startswith(options.only)]
        return [*islice(draw(self.sources, chosen, options.seed), options.mutants)]

    def run(self) -> int:
        """Run the mutants without a result, and write the report of all."""
        drawn, began = self.drawn(), time.monotonic()
        results = {name: Result(**row) for name, row in self.state.read().items()}
        if self.options.mutant:
            results.pop(drawn[0].id, None)
        else:
            if self.options.after:
                results = {**self._killed_before(drawn), **results}
            if self.options.trust_ledger:
                results = {**self._judged(drawn), **results}
        decided = _decided(results)
        waiting = [each.id for each in drawn if each.id not in decided]
        try:
            self._run(waiting, drawn, results)
        except KeyboardInterrupt:
            self._write(drawn, results, time.monotonic() - began, "partial")
            raise
        if self.options.mutant:
            return self._show(drawn[0], results[drawn[0].id])
        if self.options.survivors or self.options.only:
            return self._write(drawn, results, time.monotonic() - began, "partial")
        return self._write(drawn, results, time.monotonic() - began, self.name)

    def _last_report(self, name: str) -> dict[str, Any]:
        try:
            text = (self.folder / f"{name}.json").read_text(encoding="utf-8")
        except FileNotFoundError:
            raise CouldNotRun(f"there is no report {name}.json") from None
        report: dict[str, Any] = json.loads(text)
        return report

    def _killed_before(self, drawn: Sequence[Mutant]) -> dict[str, Result]:
        """Return the results of the drawn mutants that another profile killed with this code."""
        options, by = self.options, self._killers()
        last = self._last_report(f"{options.after}-seed-{options.seed}")
        if options.only or options.survivors or last["code"] != self.code:
            raise CouldNotRun(f"the report of {options.after} is of other mutants, impl or suite")
        killed = reports.killed_in(last, [each.id for each in drawn])
        where = f"in {options.after}"
        return {name: Result(name, "killed", by.get(name, ""), where) for name in killed}

    def _judged(self, drawn: Sequence[Mutant]) -> dict[str, Result]:
        """Return the results of the drawn mutants that the ledger exempts, which do not run."""
        entries = [self.ledger[each.id] for each in drawn if each.id in self.ledger]
        return {
            entry.id: Result(entry.id, "judged")
            for entry in entries
            if entry.verdict in reports.EXEMPT
        }

    def _run(self, waiting: list[str], drawn: Sequence[Mutant], results: dict[str, Result]) -> None:
        """Run the waiting mutants and add their results."""
        if not waiting:
            return
        with shared_server():
            self._run_with(load_suite(self.options.profile, 0), waiting, drawn, results)

    def _run_with(
        self,
        suite: Suite,
        waiting: list[str],
        drawn: Sequence[Mutant],
        results: dict[str, Result],
    ) -> None:
        workplace = Workplace()
        try:
            profile = self.options.after or self.options.profile
            traced = suite._replace(profile=profile)
            learned = self._learn(traced, workplace, self._key(profile))
            rows, total = unraised(learned, self.sources)
            self.unraised = {"errors": total, "unraised": [row._asdict() for row in rows]}
            reach = replace(learned, likely=self._likely())
            runner = Runner(suite, reach, workplace, self.sources)
            done = [results[mutant.id] for mutant in drawn if mutant.id in results]
            progress = _Progress(len(drawn), done)
            decide = self._decide_within if self.options.after else self._decide
            for row in decide(runner, waiting, results):
                results[row.id] = row
                self.state.add(row.id, row._asdict())
                progress.step(row)
        finally:
            workplace.remove()

    def _decide(
        self, runner: Runner, waiting: list[str], results: Mapping[str, Result]
    ) -> Iterator[Result]:
        """Yield the results of mutants that run alone, then of those that run together."""
        seconds = {
            name: runner.reach.seconds(runner.reach.order(self.mutants[name])) for name in waiting
        }
        # Those that few properties concern come first, so that most results come soon.
        waiting.sort(key=seconds.__getitem__)
        fresh = [name for name in waiting if name not in results]

        def run_alone(name: str) -> Result:
            return runner.alone(self.mutants[name])

        for _, row in in_workers(run_alone, fresh, self.options.workers):
            yield row
        open_ = [self.mutants[name] for name in waiting if results[name].outcome == "undecided"]
        groups = {str(index): group for index, group in enumerate(grouped(open_))}
        ran = {each.id: results[each.id].ran for each in open_}

        def run_together(index: str) -> list[Result]:
            return runner.together(groups[index], ran)

        for _, rows in in_workers(run_together, [*groups], self.options.workers):
            yield from rows

    def _decide_within(
        self, runner: Runner, waiting: list[str], results: Mapping[str, Result]
    ) -> Iterator[Result]:
        """Yield the results of mutants that run alone until their time is over."""

        def run_within(name: str) -> Result:
            return runner.within(self.mutants[name], self.options.budget)

        for _, row in in_workers(run_within, waiting, self.options.workers):
            yield row

    def _likely(self) -> Mapping[str, tuple[str, ...]]:
        """Return the property that killed each mutant the last time, or that is to kill it."""
        closing = {name: entry.property for name, entry in self.ledger.items() if entry.property}
        return {name: (by,) for name, by in (closing | self._killers()).items()}

    def _killers(self) -> dict[str, str]:
        """Return the properties that killed mutants when they ran the last time."""
        try:
            text = (self.folder / KILLERS).read_text(encoding="utf-8")
        except FileNotFoundError:
            return {}
        return {name: by for name, by in json.loads(text).items() if name in self.mutants}

    def _keep_killers(self, results: Mapping[str, Result]) -> None:
        found = {name: row.by for name, row in results.items() if row.by}
        rows = dict(sorted({**self._killers(), **found}.items()))
        text = json.dumps(rows, indent=0) + "\n"
        (self.folder / KILLERS).write_text(text, encoding="utf-8")

    def _learn(self, suite: Suite, workplace: Workplace, key: str) -> ReachMap:
        def each(function: Callable[[str], Any], names: Sequence[str]) -> Iterable[tuple[str, Any]]:
            for done, pair in enumerate(in_workers(function, names, self.options.workers), 1):
                _show_line(f"learning which lines a property executes: {done} of {len(names)}")
                yield pair

        path = self.folder / "reach.jsonl"
        return learn(path, key, suite, workplace.folder, each)

    def _diff(self, mutant: Mutant) -> str:
        return mutant.diff(self.sources[mutant.path].text)

    def _show(self, mutant: Mutant, result: Result) -> int:
        print(f"\n{self._diff(mutant)}\n{result.outcome} {result.by} {result.text}")
        return 0 if result.outcome == "killed" else 1

    def _facts(self, seconds: float) -> dict[str, Any]:
        return {
            "profile": self.options.profile,
            "after": self.options.after or "",
            "code": self.code,
            "duration_s": round(seconds, 1),
        }

    def _write(
        self, drawn: Sequence[Mutant], results: dict[str, Result], seconds: float, name: str
    ) -> int:
        facts = {"seed": self.options.seed, **self._facts(seconds), **self.unraised}
        pairs = [(mutant, self._diff(mutant)) for mutant in drawn]
        decided = _decided(results)
        report = reports.as_report(pairs, decided, self.ledger, self.mutants, facts)
        if name == self.name:
            self._keep_killers(decided)
        return self._save(name, report, reports.markdown(report), reports.summary(report))

    def _save(self, name: str, report: dict[str, Any], markdown: str, lines: Sequence[str]) -> int:
        """Write a report, print its summary and return the exit status."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for suffix, text in (("json", json.dumps(report, indent=1) + "\n"), ("md", markdown)):
            (self.folder / f"{name}.{suffix}").write_text(text, encoding="utf-8")
        print("\n".join(["", *lines, f"wrote {self.folder / name}.md"]))
        return 0 if report["kept"] else 1


class Edits(Mutation):
    """One run of edits by hand."""

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        self.edits = select_edits(read_edits(), options.edits)
        self.drawn_edits = [edit.mutant(self.sources) for edit in self.edits]
        self.mutants = {mutant.id: mutant for mutant in self.drawn_edits}
        pairs = zip(self.drawn_edits, self.edits, strict=True)
        self.likely = {mutant.id: edit.likely for mutant, edit in pairs}
        self.state = State(self.folder / "edits.jsonl", self.key)

    def drawn(self) -> list[Mutant]:
        """Return the edits of this run as mutants."""
        return self.drawn_edits

    def _likely(self) -> Mapping[str, tuple[str, ...]]:
        return self.likely

    def _write(
        self, drawn: Sequence[Mutant], results: dict[str, Result], seconds: float, name: str
    ) -> int:
        rows = [
            (edit, mutant.id, self._diff(mutant))
            for edit, mutant in zip(self.edits, drawn, strict=True)
        ]
        decided = _decided(results)
        report = edit_report.as_report(rows, decided, self._facts(seconds))
        name = "partial_edits" if self.options.edits else "edits"
        return self._save(name, report, edit_report.markdown(report), edit_report.summary(report))


def _decided(results: Mapping[str, Result]) -> dict[str, Result]:
    """Return the results of the mutants that no property still has to run for."""
    return {name: row for name, row in results.items() if row.outcome != "undecided"}


class _Progress:
    """Lines that tell how many mutants are killed, survive, or have to run in groups."""

    def __init__(self, total: int, results: Sequence[Result]) -> None:
        self.total = total
        self.outcomes = {result.id: result.outcome for result in results}
        self.began = time.monotonic()

    def step(self, result: Result) -> None:
        self.outcomes[result.id] = result.outcome
        counts = Counter(self.outcomes.values())
        survivors = len(self.outcomes) - counts["killed"] - counts["undecided"]
        minutes = (time.monotonic() - self.began) / 60
        _show_line(
            f"{len(self.outcomes)} of {self.total} mutants: {counts['killed']} killed,"
            f" {counts['undecided']} to run in groups,"
            f" {survivors} survive, {minutes:.0f} minutes"
        )


def _show_line(text: str) -> None:
    end = "\r" if sys.stderr.isatty() else "\n"
    print(text.ljust(78), end=end, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
