"""A run under pytest, without its terminal output, in processes of pytest-xdist."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from ..comparison.vector_widths import shared_server
from ..core.errors import CouldNotRun
from .interrupts import InterruptWatcher, handle_interrupts, stop_repeating, was_interrupted
from .pytest_plugin import REPORTER_NAME

PACKAGE = Path(__file__).parents[1]
PYTEST_SETTINGS = (
    "PYTEST_ADDOPTS",
    "PYTEST_PLUGINS",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD",
    "PYTEST_XDIST_WORKER",
)
"""Environment variables of pytest that would change a run."""

MAX_DEATHS = 32
"""How many workers may die in a run; each costs the part that it ran."""


class _FinishWatcher:
    """A pytest plugin that records whether a run finished, whatever status pytest returns."""

    finished = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_unconfigure(self, config: pytest.Config) -> None:
        """Read the state of the run from the reporter."""
        reporter = config.pluginmanager.get_plugin(REPORTER_NAME)
        self.finished = reporter is not None and reporter.run.finished


def run_in_pytest(workers: int, arguments: Sequence[str]) -> int:
    """Run the suite under pytest in so many processes, and return the exit status."""
    for name in PYTEST_SETTINGS:
        os.environ.pop(name, None)
    handle_interrupts()
    watcher = _FinishWatcher()
    # A subject may end its process, so even a single worker runs in a separate one.
    restarts = f"--max-worker-restart={MAX_DEATHS}"
    parallel = ["-n", str(workers), "--maxschedchunk=1", restarts]
    arguments = [
        str(PACKAGE),
        f"--rootdir={PACKAGE}",
        f"--config-file={PACKAGE / 'pytest.ini'}",
        *("-p", "no:cacheprovider"),
        *("-p", "no:terminal"),
        *(parallel if workers else []),
        "--all-or-nothing",
        *arguments,
    ]
    with shared_server():
        try:
            status = pytest.main(arguments, plugins=[watcher, InterruptWatcher()])
        except BaseException:
            # After the last part, while the processes end: pytest does not expect it there, and may
            # raise another exception as it closes what it has closed.
            if not was_interrupted():
                raise
            stop_repeating()
            raise CouldNotRun("not complete: interrupted at its end") from None
    if not watcher.finished or int(status) not in (0, 1, 2):
        raise CouldNotRun("not complete: the run did not come to its end")
    return int(status)
