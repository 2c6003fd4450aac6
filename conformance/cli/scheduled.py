"""A run on the workers of a Dask scheduler, without pytest.

Each part of a property, and each control, is an order. What ends the process of a part twice counts
as dead, as in a run of pytest.
"""

import json
import sys
import time
from collections.abc import Mapping
from typing import Any

from ..core.errors import CouldNotRun
from ..report.progress import Progress
from ..report.safe_print import print_safely
from ..scheduling.client import Done, answers_of, connected, run_on
from ..scheduling.tests import about, end_processes, run_test
from . import shards
from .interrupts import handle_interrupts, stop_repeating
from .run import INTERRUPTED, Run
from .settings import Settings

_WAITING = 2
"""The tests that a thread of a worker has at once, so that it does not wait for the next one."""

ON_WORKERS = ("subject", "oracle", "profile", "seed")
"""The settings on which the results of tests depend."""


def run_scheduled(settings: Settings, address: str) -> int:
    """Run the tests on a scheduler's workers, write the report and return the exit status.

    Raise `CouldNotRun` if there is no scheduler, or a worker has other code, other versions or
    another processor than the first one, or other code than this process.
    """
    handle_interrupts()
    asked = json.dumps({name: getattr(settings, name) for name in ON_WORKERS})
    run, began = Run(settings), time.perf_counter()
    run.begin()
    planned = shards.shard_ids(None, settings.only)
    if settings.certificate is not None:
        planned = shards.without_controls(planned)
    progress = Progress(sys.stderr)
    progress.total = len(planned)
    try:
        with connected(address) as client:
            run.add_facts(_facts(answers_of(client, about, asked), run.code))
            orders = ({"settings": asked, "test": name} for name in planned)
            try:
                for done in run_on(client, run_test, orders, _WAITING):
                    _take(run, done)
                    progress.step(run.comparisons, time.perf_counter() - began)
            finally:
                client.run(end_processes, on_error="ignore")
    except KeyboardInterrupt:
        stop_repeating()
        run.break_off(INTERRUPTED)
    progress.done()
    run.duration_s = time.perf_counter() - began
    status = run.finish()
    print_safely(run.lines)
    return status


def _facts(
    answers: Mapping[str, Mapping[str, Any]], code: Mapping[str, str | None]
) -> dict[str, dict[str, str]]:
    """Return the facts of all workers; raise `CouldNotRun` if one is unlike the others."""
    first: Mapping[str, Any] = {}
    for worker, answer in answers.items():
        if "could_not_run" in answer:
            raise CouldNotRun(f"{answer['could_not_run']} (in the worker {worker})")
        first = first or answer["facts"]
        found = {f"the code of the {name}": digest for name, digest in answer["code"].items()}
        here = {f"the code of the {name}": digest for name, digest in code.items()}
        for kind, facts in answer["facts"].items():
            found |= {f"{name} ({kind})": value for name, value in facts.items()}
            here |= {f"{name} ({kind})": value for name, value in first[kind].items()}
        for name in {**here, **found}:
            if found.get(name) != here.get(name) and not name.startswith("cores "):
                raise CouldNotRun(
                    f"{name} is {found.get(name)!r} in the worker {worker}, and {here.get(name)!r}"
                    f" {'here' if name.startswith('the code') else 'in another one'}"
                )
    cores = {str(answer["facts"]["environment"]["cores"]) for answer in answers.values()}
    listed = " and ".join(sorted(cores, key=lambda number: (len(number), number)))
    return {
        kind: {**facts, "cores": listed} if "cores" in facts else dict(facts)
        for kind, facts in first.items()
    }


def _take(run: Run, done: Done) -> None:
    """Add the result of a test to the run."""
    name = done.order["test"]
    if "part" in done.result:
        run.add_part(done.result["part"])
    elif "control" in done.result:
        run.add_control(done.result["control"])
    elif "could_not_run" in done.result:
        run.break_off(done.result["could_not_run"])
    elif not run.add_dead(name):
        run.break_off(f"{name} could not run: {done.lost}")
