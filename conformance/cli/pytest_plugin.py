"""The pytest plugin of the suite: options, the session fixture, and the reporter of a run.

The test of a property attaches its record to the user properties of its report.  So the record
arrives from this process and from a worker of pytest-xdist alike.
"""

import faulthandler
import gc
import json
import os
import sys
import time
from collections.abc import Generator, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from ..core.errors import CouldNotRun
from ..core.profiles import PROFILES
from ..core.selection import includes
from ..engine.aggregate import known_facts, to_text
from ..engine.session import Session
from ..explain.answers import session_of
from ..report.progress import Progress
from ..report.safe_print import print_safely
from .run import INTERRUPTED, Run
from .settings import OPTIONS, Settings
from .shards import CONTROLS_ONLY, control_id, part_id, read_share, shard_ids

__all__ = [
    "pytest_addoption",
    "pytest_collection_modifyitems",
    "pytest_configure",
    "pytest_runtest_makereport",
    "session",
    "time_limit",
]


REPORTER_NAME = "conformance-reporter"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register the options of the command line as pytest options."""
    group = parser.getgroup("conformance")
    for name, arguments in OPTIONS.items():
        group.addoption(f"--{name}", **arguments)
    group.addoption("--certificate", help="the file with the results of the controls")
    group.addoption("--all-or-nothing", action="store_true", help="less than all is no run")


def pytest_configure(config: pytest.Config) -> None:
    """Register the reporter in the main process, not in the workers."""
    if not hasattr(config, "workerinput"):
        try:
            config.pluginmanager.register(RunReporter(config), REPORTER_NAME)
        except CouldNotRun as error:
            raise pytest.UsageError(str(error)) from error


@pytest.fixture(scope="session")
def session(pytestconfig: pytest.Config) -> Session:
    """Return the session with the two libraries of this run."""
    option = pytestconfig.option
    loaded = session_of(option.oracle, option.subject)
    # Loaded modules stay, so later collections need not traverse them.
    gc.collect()
    gc.freeze()
    return replace(loaded, profile=PROFILES[option.profile], seed=option.seed)


@pytest.fixture(autouse=True)
def time_limit(pytestconfig: pytest.Config) -> Iterator[None]:
    """End the worker if its test hangs; the run then reports that test."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        yield
        return
    faulthandler.dump_traceback_later(PROFILES[pytestconfig.option.profile].limit_s, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests of the selected area or shard; move the controls to the end."""
    only, shard = config.option.only, config.option.shard
    if config.option.certificate is not None:
        _keep(config, items, [item for item in items if area_of(item) != CONTROLS_ONLY])
    if only is not None:
        _keep(config, items, [item for item in items if _is_selected(item, only)])
    if shard is not None:
        dealt = {*shard_ids(read_share(shard), only)}
        _keep(config, items, [item for item in items if item_id(item) in dealt])
    items.sort(key=lambda item: area_of(item) == CONTROLS_ONLY)


def _is_selected(item: pytest.Item, only: str) -> bool:
    return includes(only, f"{area_of(item)}.{_name_of(item)}")


def _name_of(item: pytest.Item) -> str:
    return str(getattr(item, "originalname", item.name)).removeprefix("test_")


def _keep(config: pytest.Config, items: list[pytest.Item], kept: list[pytest.Item]) -> None:
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept


def item_id(item: pytest.Item) -> str:
    """Return the id by which a test is assigned to a shard."""
    params: dict[str, Any] = getattr(item, "callspec").params  # noqa: B009  # items of functions have it
    if "control" in params:
        return control_id(params["control"])
    return part_id(f"{area_of(item)}.{_name_of(item)}", params["part"])


def area_of(item: pytest.Item) -> str:
    """Return the area of a test."""
    return item.path.stem.removeprefix("test_")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Attach the record of a property, and the session's facts, to the report of its test."""
    report = yield
    if report.when == "call":
        if (record := getattr(item, "conformance_record", None)) is not None:
            report.user_properties.append(("conformance-part", to_text(record)))
        if (session := getattr(item, "funcargs", {}).get("session")) is not None:
            report.user_properties.append(("conformance-facts", json.dumps(known_facts(session))))
    return report


class RunReporter:
    """The collector of a run's test reports, which shows progress and finishes the run."""

    def __init__(self, config: pytest.Config) -> None:
        names = (*OPTIONS, "all_or_nothing", "certificate")
        asked = {name: config.getoption(name) for name in names}
        asked["expectations"] = tuple(asked["expectations"] or ())
        if asked["shard"] is not None:
            asked["shard"] = read_share(asked["shard"])
        self.run = Run(Settings(**asked))
        self._progress = Progress(sys.stderr)
        self._started = time.perf_counter()

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Begin the run; exit if no report can be written."""
        if session.config.option.collectonly:
            return
        try:
            self.run.begin()
        except CouldNotRun as error:
            pytest.exit(str(error), returncode=2)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Set the number of tests of a run in this process."""
        self._progress.total = self._progress.total or len(session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: list[str]) -> None:
        """Set the number of tests of a run in workers."""
        self._progress.total = len(ids)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add the result of a test to the run."""
        user_properties = dict(report.user_properties)
        if report.when == "call" or report.failed:
            self._take(report, user_properties)
        if report.when == "call":
            self._progress.step(self.run.comparisons, time.perf_counter() - self._started)

    def _take(self, report: pytest.TestReport, user_properties: Mapping[str, Any]) -> None:
        if text := user_properties.get("conformance-facts"):
            self.run.add_facts(json.loads(text))
        if text := user_properties.get("conformance-part"):
            self.run.add_part(text)
        elif text := user_properties.get("conformance-control"):
            self.run.add_control(json.loads(text))
            self._progress.phase = "the suite checks itself"
        elif "crashed while running" in str(report.longrepr):
            if not self.run.add_dead_part(report.nodeid):
                self.run.break_off(f"a worker died or hung in {report.nodeid}")
        elif reason := _could_not_run(report):
            self.run.break_off(reason)
        else:
            self.run.break_off(f"{report.nodeid} could not run: {_first_line(report)}")

    def pytest_keyboard_interrupt(self) -> None:
        """Record that the run was interrupted."""
        self.run.break_off(INTERRUPTED)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Judge and write a complete run; set the exit status."""
        self._progress.done()
        if session.config.option.collectonly:
            return
        self.run.duration_s = time.perf_counter() - self._started
        try:
            session.exitstatus = self.run.finish(session.exitstatus)
        except CouldNotRun as error:
            self.run.lines = [f"not complete: {error}"]
            session.exitstatus = 2

    def pytest_unconfigure(self) -> None:
        """Print the summary after all other output."""
        print_safely(self.run.lines)


def _could_not_run(report: pytest.TestReport) -> str:
    """Return the message of a `CouldNotRun` that failed the test, or an empty string."""
    prefix = f"{CouldNotRun.__module__}.{CouldNotRun.__qualname__}: "
    line = _first_line(report)
    return line.removeprefix(prefix) if line.startswith(prefix) else ""


def _first_line(report: pytest.TestReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash else str(report.longrepr)
    return text.strip().partition("\n")[0] or "no reason given"
