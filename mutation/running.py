"""Running mutants: each in its own process, each property in a process forked from that."""

import multiprocessing
import signal
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from conformance.core.errors import CouldNotRun

from .children import call_in_child, die_with_parent
from .reach import ReachMap
from .sources import Mutant
from .suite import Suite, Workplace, enter, is_from

IMPORT_S = 60.0
"""The seconds of computing that the import of a mutant may take."""


class Result(NamedTuple):
    """The result of a mutant.

    outcome: "killed", "survived", or "not executed" if no property executes the statement
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


def attempt(
    suite: Suite, reach: ReachMap, workplace: Workplace, mutant: Mutant, source: bytes
) -> Result:
    """Return the result of a mutant: its properties run in order until one has a problem."""
    began, order = time.monotonic(), reach.order(mutant)
    if not order:
        return Result(mutant.id, "not executed")
    seconds = {name: reach.properties[name].seconds for name in order}
    by, text, ran = workplace.with_edit(
        mutant.path, mutant.apply(source), partial(_first_killer, suite, seconds)
    )
    outcome = "killed" if by else "survived"
    return Result(mutant.id, outcome, by, text[:500], ran, round(time.monotonic() - began, 1))


def _limits(seconds: float) -> tuple[float, float]:
    """Return the limits of a property's computing and of its time, on a machine that is busy."""
    return 20 + 4 * seconds, 120 + 20 * seconds


def _first_killer(suite: Suite, seconds: Mapping[str, float], folder: Path) -> tuple[str, str, int]:
    """Return the first property with a problem, the problem, and the number of those that ran."""

    def run() -> tuple[str, str, int]:
        enter(folder)
        try:
            session = suite.session()
        except CouldNotRun as error:
            return "import", str(error), 0
        if not is_from(folder):
            return "", f"impl was not loaded from {folder}", -1
        for ran, (name, usual_s) in enumerate(seconds.items(), 1):
            prop = suite.properties[name]
            ending = call_in_child(partial(suite.problem, session, prop), *_limits(usual_s))
            if ending.how == "raised":
                return "", ending.detail, -1
            if ending.how or ending.result:
                return name, ending.result or f"{ending.how}: {ending.detail}", ran
        return "", "", len(seconds)

    longest = IMPORT_S + sum(_limits(each)[1] for each in seconds.values())
    ending = call_in_child(run, IMPORT_S, longest)
    if ending.how == "raised":
        raise CouldNotRun(ending.detail)
    if ending.how:
        return "import", f"{ending.how}: {ending.detail}", 0
    by, text, ran = ending.result
    if ran < 0:
        raise CouldNotRun(text)
    return by, text, ran


_FUNCTION: list[Callable[[str], Any]] = []
"""The function that the worker processes call; they inherit it."""


def in_workers(
    function: Callable[[str], Any], names: Sequence[str], workers: int
) -> Iterator[tuple[str, Any]]:
    """Yield each name and the result of the function, as workers finish them."""
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
