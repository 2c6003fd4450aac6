"""The document of the clients: a table, and the tests that pass with torch alone."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

SIDES = ("torch", "impl")
WITHOUT = "without"
"""The side on which ``import torch`` fails: a test that passes there tells nothing of torch."""

HEAD = """# Tests of other packages, with torch and with impl

`python -m nox -s clients` installs torch and these packages, and gets their source distributions.
It runs the tests in them twice: with torch, and by `python -m impl -m pytest`, where `import torch`
gives `impl`. Then it writes this document. A program of `docs/programs` passes if it prints the
text in the file beside it.

- A third run, in which `import torch` fails, finds the tests that need torch: they pass with torch
  and not without it. A test that uses torch only where it is installed passes in both runs, and is
  not among them.
- A test is lost if it passes with torch and not with `impl`.
- The skipped tests are those that the run with torch skips. Other packages that the tests can use,
  such as jax, are not installed.
"""


COLUMNS = (
    "client", "version", "tests", "skipped", "pass with torch", "need torch", "of them with impl",
    "lost",
)  # fmt: skip


class Result(NamedTuple):
    """The result of a test.

    outcome: passed, failed or skipped
    reason: the message of a test that did not pass
    """

    outcome: str
    reason: str = ""


ABSENT = Result("absent")


class Outcome(NamedTuple):
    """The results of a client on both sides.

    name: the client
    version: its version, or nothing
    results: the results by side and test
    problem: the reason why tests did not run, or nothing
    """

    name: str
    version: str
    results: Mapping[str, Mapping[str, Result]]
    problem: str = ""

    def passed(self, side: str) -> int:
        """Return the number of tests that pass on a side."""
        return sum(r.outcome == "passed" for r in self.results.get(side, {}).values())

    def needing(self) -> dict[str, Result]:
        """Return torch's results of the tests that pass with torch and not without it."""
        without = self.results.get(WITHOUT, {})
        return {
            name: result
            for name, result in self.results["torch"].items()
            if result.outcome == "passed" and without.get(name, ABSENT).outcome != "passed"
        }

    def lost(self) -> dict[str, Result]:
        """Return the tests that pass with torch and not with impl, with impl's results."""
        if self.problem:
            return {}
        ours = self.results["impl"]
        return {
            name: ours.get(name) or Result("absent", missing_reason(name, ours))
            for name, result in self.results["torch"].items()
            if result.outcome == "passed" and ours.get(name, ABSENT).outcome != "passed"
        }


def missing_reason(name: str, results: Mapping[str, Result]) -> str:
    """Return why a test has no result: its module was not collected, if that is so."""
    for module, result in results.items():
        if result.outcome == "failed" and name.startswith(f"{module}."):
            return result.reason
    return "no test of this name"


def markdown(outcomes: Sequence[Outcome]) -> str:
    """Return the document."""
    lines = [
        HEAD,
        f"| {' | '.join(COLUMNS)} |",
        f"|{'---|' * len(COLUMNS)}",
    ]
    for outcome in outcomes:
        if outcome.problem:
            lines.append(f"| {outcome.name} | {outcome.version} | not run | | | | | |")
            continue
        with_torch, lost = outcome.results["torch"], outcome.lost()
        skipped = Counter(result.outcome for result in with_torch.values())["skipped"]
        needing = outcome.needing()
        kept = len(needing.keys() - lost.keys())
        numbers = (len(with_torch), skipped, outcome.passed("torch"), len(needing), kept, len(lost))
        cells = (outcome.name, outcome.version, *map(str, numbers))
        lines.append(f"| {' | '.join(cells)} |")
    for outcome in outcomes:
        lost = outcome.lost()
        if lost or outcome.problem:
            lines += ["", f"## {outcome.name}", ""]
        if outcome.problem:
            lines.append(outcome.problem)
        if lost:
            lines += ["These tests pass with torch and not with impl:", "", *list_of(lost)]
    return "\n".join(lines) + "\n"


def list_of(lost: Mapping[str, Result]) -> list[str]:
    """Return a list of tests, by reason; the cases of a parametrized test are counted."""
    groups: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for name, result in lost.items():
        test = name.partition("[")[0]
        groups[result.outcome, result.reason][test] += 1
    lines = []
    for (outcome, reason), tests in groups.items():
        verb = "" if outcome == "failed" else f"{outcome}: "
        lines.append(f"- {verb}`{reason.replace('`', chr(39))}`")
        lines += [
            f"  - {test}{f' ({count} cases)' if count > 1 else ''}" for test, count in tests.items()
        ]
    return lines
