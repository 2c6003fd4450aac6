"""Tracing of what each property executes.

This is done once for an impl, a suite and a profile, with an impl that is not mutated.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from conformance.core.errors import CouldNotRun
from conformance.engine.execution import run_property
from conformance.engine.probe import Probe

from .children import call_in_child
from .line_tracer import LineTracer, TracedLibrary
from .reach import ReachMap, read_map
from .state import State
from .suite import SUBJECT, Suite, enter, is_from, load_lazy_names, words_of

LIMIT_S = 900.0
"""The limit of a property while its lines are traced."""


def trace_import(folder: Path) -> dict[str, Any]:
    """Return the lines that the import of impl and of all its names executes, as data."""

    def run() -> dict[str, list[int]]:
        enter(folder)
        tracer = LineTracer(folder / SUBJECT)
        tracer.start()
        import_module(SUBJECT)
        load_lazy_names()
        tracer.stop()
        return tracer.lines()

    ending = call_in_child(run, LIMIT_S, 4 * LIMIT_S)
    problem = f"{ending.how}: {ending.detail}" if ending.how else None
    return {"problem": problem, "lines": ending.result}


def trace(suite: Suite, name: str, folder: Path) -> dict[str, Any]:
    """Return what a property executes, as data, and its problem, which there must not be.

    A problem found while tracing does not count: some messages of CPython are others then.
    """
    prop = suite.properties[name]

    def plain() -> dict[str, Any]:
        enter(folder)
        return {"problem": suite.problem(suite.session(), prop)}

    def traced(is_judged: bool) -> dict[str, Any]:
        enter(folder)
        session = suite.session()
        if not is_from(folder):
            raise CouldNotRun(f"impl was not loaded from {folder}")
        load_lazy_names()
        words: set[str] = set()

        def body(ask: Probe, *args: Any, **kwargs: Any) -> None:
            try:
                prop.body(ask, *args, **kwargs)
            finally:
                words.update(words_of(ask.asked))

        watched, tracer = replace(prop, body=body), LineTracer(folder / SUBJECT)
        session = replace(session, subject=TracedLibrary(session.subject, tracer))
        problem, began = None, os.times()
        tracer.start()  # until the first program ends: what sets up the property counts, too
        if is_judged:
            problem = suite.problem(session, watched)
        else:
            run_property(session, watched)
        tracer.stop()
        seconds = sum(os.times()[:2]) - sum(began[:2])
        lines, found = tracer.lines(), sorted(words)
        return {"problem": problem, "seconds": seconds, "lines": lines, "words": found}

    row = _result(partial(traced, True))
    if row["problem"]:
        row = _result(partial(traced, False)) | _result(plain)
    return row


def _result(run: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    ending = call_in_child(run, LIMIT_S, 4 * LIMIT_S)
    return ending.result or {"problem": f"{ending.how}: {ending.detail}"}


IMPORT = "import"
"""The name under which the lines that run at import are stored."""


def learn(
    path: Path,
    key: str,
    suite: Suite,
    folder: Path,
    each: Callable[[Callable[[str], Any], Sequence[str]], Iterable[tuple[str, Any]]],
) -> ReachMap:
    """Return the map. What a file has under the same key is not traced again.

    ``each(function, names)`` yields each name and the result of the function, in any order. Raise
    `CouldNotRun` if a property has a problem without a mutant.
    """
    rows = State(path, key)
    found = rows.read()
    waiting = [name for name in (IMPORT, *sorted(suite.properties)) if name not in found]

    def function(name: str) -> dict[str, Any]:
        return trace_import(folder) if name == IMPORT else trace(suite, name, folder)

    for name, row in each(function, waiting):
        if row["problem"]:
            raise CouldNotRun(f"{name} has a problem without a mutant: {row['problem']}")
        rows.add(name, row)
        found[name] = row
    return read_map(found.pop(IMPORT), found)
