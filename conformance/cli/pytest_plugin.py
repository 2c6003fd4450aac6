"""The pytest side of the suite: options, the session fixture, and the gathering of a run.

Each test of a property hands its record over as a property of its report, so
that it arrives whether the test ran here or in a worker of pytest-xdist.
"""

import faulthandler
import gc
import json
import os
import sys
import time
from collections.abc import Generator, Iterator, Mapping
from typing import Any

import pytest

from ..core.errors import CouldNotRun
from ..core.profiles import PROFILES
from ..engine.aggregate import known_facts, to_text
from ..engine.session import Session
from ..libraries.library import holdings
from ..libraries.loading import load
from ..libraries.oracle import load_oracle
from ..observation.cross_device import look_from
from ..report.progress import Progress
from ..report.safe_print import say
from .run import Run, Settings
from .shards import CONTROLS_ONLY, control_id, part_id, read_share, units_of

__all__ = [
    "pytest_addoption",
    "pytest_collection_modifyitems",
    "pytest_configure",
    "pytest_runtest_makereport",
    "session",
    "time_limit",
]


GATHERER = "conformance-gatherer"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take the options of the command line, as plain pytest's too."""
    group = parser.getgroup("conformance")
    group.addoption("--subject", default="impl", help="module[:attribute][@device]")
    group.addoption("--oracle", default="torch", help="what is right; as --subject")
    group.addoption("--profile", default="quick", choices=sorted(PROFILES))
    group.addoption("--only", default=None, metavar="AREA", help="run one area")
    group.addoption("--seed", default=0, type=int, help="where drawing starts")
    group.addoption("--reports", default="reports/latest", metavar="DIR")
    group.addoption("--shard", default=None, metavar="I/N", help="run one shard of several")
    group.addoption("--all-or-nothing", action="store_true", help="less than all is no run")


def pytest_configure(config: pytest.Config) -> None:
    """Gather the run in the process that the user started, not in the workers."""
    if not hasattr(config, "workerinput"):
        try:
            config.pluginmanager.register(Gatherer(config), GATHERER)
        except CouldNotRun as error:
            raise pytest.UsageError(str(error)) from error


@pytest.fixture(scope="session")
def session(pytestconfig: pytest.Config) -> Session:
    """Return the two libraries of this run, ready to be asked."""
    option = pytestconfig.option
    # A default device, whichever it is, shows in warnings and in what Python's functions are told.
    names_device = "@" in option.subject and "@" not in option.oracle
    oracle = load_oracle(f"{option.oracle}@cpu" if names_device else option.oracle)
    untouched = holdings(oracle.root)
    subject = load(option.subject, oracle.names)
    profile = PROFILES[option.profile]
    # What is loaded by now stays, so it need not be looked through for garbage again and again.
    gc.collect()
    gc.freeze()
    look = look_from(subject)
    return Session(oracle, subject, profile, option.seed, oracle_snapshot=untouched, look=look)


@pytest.fixture(autouse=True)
def time_limit(pytestconfig: pytest.Config) -> Iterator[None]:
    """End the worker whose test hangs; what it was running is then reported."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        yield
        return
    faulthandler.dump_traceback_later(PROFILES[pytestconfig.option.profile].limit_s, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests of one area or of one shard, if that is asked for; put the controls last."""
    only, shard = config.option.only, config.option.shard
    if only is not None:
        _keep(config, items, [item for item in items if area_of(item) == only])
    if shard is not None:
        dealt = {*units_of(read_share(shard), only)}
        _keep(config, items, [item for item in items if unit_of(item) in dealt])
    items.sort(key=lambda item: area_of(item) == CONTROLS_ONLY)


def _keep(config: pytest.Config, items: list[pytest.Item], kept: list[pytest.Item]) -> None:
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept


def unit_of(item: pytest.Item) -> str:
    """Return by which id a test is dealt out to shards."""
    given: dict[str, Any] = getattr(item, "callspec").params  # noqa: B009  # items of functions have it
    if "control" in given:
        return control_id(given["control"])
    name = getattr(item, "originalname", item.name).removeprefix("test_")
    return part_id(f"{area_of(item)}.{name}", given["part"])


def area_of(item: pytest.Item) -> str:
    """Return the area that a test belongs to."""
    return item.path.stem.removeprefix("test_")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Attach what a property did to the report of its test."""
    report = yield
    if report.when == "call":
        if (record := getattr(item, "conformance_record", None)) is not None:
            report.user_properties.append(("conformance-part", to_text(record)))
        if (session := getattr(item, "funcargs", {}).get("session")) is not None:
            report.user_properties.append(("conformance-facts", json.dumps(known_facts(session))))
    return report


class Gatherer:
    """Gathers the reports of a run, shows its progress and hands it on when it ends."""

    def __init__(self, config: pytest.Config) -> None:
        option = config.option
        self.run = Run(
            Settings(
                option.subject, option.oracle, option.profile, option.only, option.seed,
                option.reports, all_or_nothing=option.all_or_nothing,
                shard=None if option.shard is None else read_share(option.shard),
            )
        )  # fmt: skip
        self._progress = Progress(sys.stderr)
        self._started = time.perf_counter()

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Stop at once if no report can be written."""
        if session.config.option.collectonly:
            return
        try:
            self.run.begin()
        except CouldNotRun as error:
            pytest.exit(str(error), returncode=2)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Learn how much there is to do, where it runs in this process."""
        self._progress.total = self._progress.total or len(session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: list[str]) -> None:
        """Learn how much there is to do, where workers run it."""
        self._progress.total = len(ids)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take in what a test brings."""
        brought = dict(report.user_properties)
        if report.when == "call" or report.failed:
            self._take(report, brought)
        if report.when == "call":
            self._progress.step(self.run.comparisons, time.perf_counter() - self._started)

    def _take(self, report: pytest.TestReport, brought: Mapping[str, Any]) -> None:
        if text := brought.get("conformance-facts"):
            self.run.add_facts(json.loads(text))
        if text := brought.get("conformance-part"):
            self.run.add_part(text)
        elif text := brought.get("conformance-control"):
            self.run.add_control(json.loads(text))
        elif "crashed while running" in str(report.longrepr):
            self.run.break_off(f"a worker died or hung in {report.nodeid}")
        elif why := _could_not_run(report):
            self.run.break_off(why)
        else:
            self.run.break_off(f"{report.nodeid} could not run: {_first_line(report)}")

    def pytest_keyboard_interrupt(self) -> None:
        """Say that the run was interrupted."""
        self.run.break_off("interrupted")

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Judge the run and write it, if it is whole; let the exit status tell."""
        self._progress.done()
        if session.config.option.collectonly:
            return
        self.run.duration_s = time.perf_counter() - self._started
        try:
            session.exitstatus = self.run.finish(session.exitstatus)
        except CouldNotRun as error:
            self.run.break_off(str(error))
            session.exitstatus = 2

    def pytest_unconfigure(self) -> None:
        """Print the summary last of all."""
        say(self.run.lines)


def _could_not_run(report: pytest.TestReport) -> str:
    """Return why, if the suite itself said that it cannot run; nothing otherwise."""
    kind = f"{CouldNotRun.__module__}.{CouldNotRun.__qualname__}: "
    line = _first_line(report)
    return line.removeprefix(kind) if line.startswith(kind) else ""


def _first_line(report: pytest.TestReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash else str(report.longrepr)
    return text.strip().partition("\n")[0] or "no reason given"
