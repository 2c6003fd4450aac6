"""Running mutants: alone, then in groups.

Each impl with mutants has its own process, and each property a process forked from that.

Most mutants are killed by one of their likeliest properties, so each runs alone with these. What
survives them would run nearly the whole suite, mostly to survive it. So several run together in one
impl. Where a property has a problem with the group, the halves of the group run alone, down to the
single mutants, until it is known which of them are killed. A mutant may hide another one of its
group, which then counts as survived: the score may be too low, but not too high.
"""

import multiprocessing
import signal
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from conformance.core.errors import CouldNotRun

from .children import call_in_child, die_with_parent
from .reach import ReachMap
from .sources import Mutant, Source
from .suite import Suite, Workplace, enter, is_from

IMPORT_S = 60.0
"""The seconds of computing that the import of a mutant may take."""

ALONE_S = 10.0
"""The seconds of the properties that a mutant runs alone."""

_LONGEST_S = 1200.0
"""The seconds of computing that a property of a larger profile may take."""

GROUP = 12
"""The most mutants that run together."""


class Result(NamedTuple):
    """The result of a mutant.

    outcome: "killed", "survived", "undecided" if not all properties ran, "out of time" if no
        more will, "not executed" if no property executes the statement, or "judged" if the ledger
        decides without a run
    by: the property that killed it, or "import"
    text: the problem: a divergence, an error, "timeout" or "died"
    ran: the number of properties that ran
    """

    id: str
    outcome: str
    by: str = ""
    text: str = ""
    ran: int = 0
    seconds: float = 0.0


class Problem(NamedTuple):
    """The first property that has a problem, or "import", the problem, and how many ran."""

    by: str
    text: str
    ran: int


class Runner(NamedTuple):
    """A suite, what its properties execute, and the sources of impl."""

    suite: Suite
    reach: ReachMap
    workplace: Workplace
    sources: Mapping[str, Source]

    def alone(self, mutant: Mutant) -> Result:
        """Return the result of a mutant after its likeliest properties."""
        began, order = time.monotonic(), self.reach.order(mutant)
        if not order:
            return Result(mutant.id, "not executed")
        sums = accumulate(self.reach.properties[name].seconds for name in order)
        number = max(1, sum(each <= ALONE_S for each in sums))
        found = self._first_problem([mutant], order[:number])
        left = "survived" if number == len(order) else "undecided"
        result = _killed_by(mutant, found) if found.by else Result(mutant.id, left, ran=found.ran)
        return result._replace(seconds=round(time.monotonic() - began, 1))

    def within(self, mutant: Mutant, seconds: float) -> Result:
        """Return the result of a mutant after those properties that begin within so many seconds.

        What the properties execute is known from another profile, in which they ask less.
        """
        began, order = time.monotonic(), self.reach.order(mutant, by_file=True)
        found = self._first_problem([mutant], order, seconds)
        left = "survived" if found.ran == len(order) else "out of time"
        result = _killed_by(mutant, found) if found.by else Result(mutant.id, left, ran=found.ran)
        return result._replace(seconds=round(time.monotonic() - began, 1))

    def together(self, group: Sequence[Mutant], ran: Mapping[str, int]) -> list[Result]:
        """Return the results of mutants of different files, some of whose properties ran."""
        began = time.monotonic()
        orders = {each.id: self.reach.order(each) for each in group}
        waiting = {each.id: {*orders[each.id][ran[each.id] :]} for each in group}
        results = self._run_group(group, waiting)
        share = round((time.monotonic() - began) / len(group), 1)
        for mutant in group:
            if mutant.id not in results:
                number = len(orders[mutant.id])
                results[mutant.id] = Result(mutant.id, "survived", ran=number)
        return [each._replace(seconds=share) for each in results.values()]

    def _run_group(
        self, group: Sequence[Mutant], waiting: Mapping[str, set[str]]
    ) -> dict[str, Result]:
        """Return the results of those mutants that a waiting property kills."""
        names = sorted(
            {name for each in group for name in waiting[each.id]},
            key=lambda name: self.reach.properties[name].seconds,
        )
        results: dict[str, Result] = {}
        alive = list(group)
        while alive and names:
            found = self._first_problem(alive, names)
            if not found.by:
                break
            name, names = names[max(0, found.ran - 1)], names[found.ran :]
            affected = [each for each in alive if found.by == "import" or name in waiting[each.id]]
            known = found if len(affected) == len(alive) else None
            killed = self._killed(affected, name, known)
            results |= {each.id: each for each in killed}
            alive = [each for each in alive if each.id not in results]
            if not killed and len(alive) > 1:  # they have a problem only together
                rest = {each.id: waiting[each.id] & {*names} for each in alive}
                for half in _halves(alive):
                    results |= self._run_group(half, rest)
                break
        return results

    def _killed(
        self, group: Sequence[Mutant], name: str, known: Problem | None = None
    ) -> list[Result]:
        """Return the results of those mutants of a group that a property kills.

        known: the problem of the whole group, if it ran
        """
        if not group:
            return []
        found = known or self._first_problem(group, [name])
        if not found.by:
            return []
        if len(group) == 1:
            return [_killed_by(group[0], found)]
        return [each for half in _halves(group) for each in self._killed(half, name)]

    def _first_problem(
        self, mutants: Sequence[Mutant], names: Sequence[str], budget_s: float | None = None
    ) -> Problem:
        """Return the first problem of an impl with some mutants, each of another file.

        budget_s: the seconds within which a property may begin
        """
        texts = {each.path: each.apply(self.sources[each.path].text) for each in mutants}
        seconds = {name: self.reach.properties[name].seconds for name in names}
        found: Problem = self.workplace.with_edits(
            texts, partial(_first_problem, self.suite, seconds, budget_s)
        )
        return found


def _killed_by(mutant: Mutant, found: Problem) -> Result:
    return Result(mutant.id, "killed", found.by, found.text[:500], found.ran)


def grouped(mutants: Iterable[Mutant]) -> list[list[Mutant]]:
    """Return groups of mutants of different files; neighbors come into one group if they can."""
    groups: list[list[Mutant]] = []
    for mutant in mutants:
        for group in groups:
            if len(group) < GROUP and all(each.path != mutant.path for each in group):
                group.append(mutant)
                break
        else:
            groups.append([mutant])
    return groups


def _halves(group: Sequence[Mutant]) -> tuple[Sequence[Mutant], Sequence[Mutant]]:
    middle = len(group) // 2
    return group[:middle], group[middle:]


def _limits(seconds: float) -> tuple[float, float]:
    """Return the limits of a property's computing and of its time, on a machine that is busy."""
    return 20 + 4 * seconds, 120 + 20 * seconds


def _first_problem(
    suite: Suite, seconds: Mapping[str, float], budget_s: float | None, folder: Path
) -> Problem:
    """Return the first problem of the impl of a folder, or one without a name."""
    began = time.monotonic()

    def limits(usual_s: float) -> tuple[float, float]:
        # With a budget the usual seconds are those of another profile.
        return _limits(usual_s) if budget_s is None else (_LONGEST_S, 4 * _LONGEST_S)

    def run() -> tuple[str, str, int]:
        enter(folder)
        try:
            session = suite.session()
        except CouldNotRun as error:
            return "import", str(error), 0
        if not is_from(folder):
            return "", f"impl was not loaded from {folder}", -1
        for ran, (name, usual_s) in enumerate(seconds.items(), 1):
            if budget_s is not None and time.monotonic() - began > budget_s:
                return "", "", ran - 1
            prop = suite.properties[name]
            ending = call_in_child(partial(suite.problem, session, prop), *limits(usual_s))
            if ending.how == "raised":
                return "", ending.detail, -1
            if ending.how or ending.result:
                return name, ending.result or f"{ending.how}: {ending.detail}", ran
        return "", "", len(seconds)

    longest = IMPORT_S + sum(limits(each)[1] for each in seconds.values())
    ending = call_in_child(run, IMPORT_S, longest)
    if ending.how == "raised":
        raise CouldNotRun(ending.detail)
    if ending.how:
        return Problem("import", f"{ending.how}: {ending.detail}", 0)
    found = Problem(*ending.result)
    if found.ran < 0:
        raise CouldNotRun(found.text)
    return found


_FUNCTION: list[Callable[..., Any]] = []
"""The function that the worker processes call; they inherit it."""


def in_workers(
    function: Callable[[str], Any], names: Sequence[str], workers: int
) -> Iterator[tuple[str, Any]]:
    """Yield each name and the result of the function, as workers finish them."""
    if not names:
        return  # a worker that is ended before it begins may miss the signal
    _FUNCTION[:] = [function]
    with warnings.catch_warnings():
        # Python 3.12 warns of threads, none of which the workers need.
        warnings.simplefilter("ignore", DeprecationWarning)
        pool = multiprocessing.get_context("fork").Pool(workers, _begin_worker)
    with pool:
        yield from pool.imap_unordered(_call, names)


def _begin_worker() -> None:
    # Ctrl-C reaches all processes of a terminal, and would seem to kill a mutant.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    die_with_parent()


def _call(name: str) -> tuple[str, Any]:
    return name, _FUNCTION[0](name)
