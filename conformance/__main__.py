"""The command line: ``python -m conformance run | merge | diff | show | explain | controls``.

Exit status 0: nothing unexpected; 1: an unexpected divergence, a stale or
changed expectation, an uncaught fault, an incomplete domain; or, of `diff`, a
later report in which something is new, changed or weaker (a domain, a control),
no longer runs, or which alone fails; 2: it could not run, and why, in one line.
"""

import argparse
import os
import signal
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn

import pytest

from .cli.merge import merge
from .cli.pytest_plugin import GATHERER
from .cli.run import Settings
from .cli.shards import CONTROLS_ONLY, read_share
from .controls.catalogue import CONTROLS
from .core.errors import CouldNotRun
from .core.profiles import PROFILES
from .explain.command import explain
from .libraries.loading import try_to_load
from .properties import all_properties
from .report import diff, files, terminal
from .report.safe_print import say

PACKAGE = Path(__file__).parent
PYTEST_SETTINGS = (
    "PYTEST_ADDOPTS",
    "PYTEST_PLUGINS",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD",
    "PYTEST_XDIST_WORKER",
)
"""Variables by which a pytest elsewhere would change a run here."""

WORKERS: dict[str, Any] = {
    "dest": "workers",
    "type": int,
    "default": os.cpu_count(),
    "metavar": "WORKERS",
    "help": "processes to run in; 0 is this one (as many as there are cores)",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status."""
    try:
        options = _parser().parse_args(arguments)
        status: int = options.command(options)
    except CouldNotRun as error:
        say([f"conformance: {error}"], sys.stderr)
        return 2
    except BrokenPipeError:  # what reads the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise CouldNotRun(f"{message}; see {self.prog} --help")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m conformance",
        description="Hold a torch-like library against real torch, fact by fact.",
        epilog=(__doc__ or "").partition("\n\n")[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    run = commands.add_parser("run", help="hold a subject against torch and write a report")
    run.add_argument(
        "--subject", default="impl", help="the library, as module[:attribute][@device] (impl)"
    )
    run.add_argument("--oracle", default="torch", help="what is right (torch)")
    examples = ", ".join(f"{each.name} {each.examples:,}" for each in PROFILES.values())
    run.add_argument(
        "--profile",
        default="quick",
        choices=list(PROFILES),
        help=f"how many examples a sampled property draws: {examples} (quick)",
    )
    run.add_argument("--only", metavar="AREA", help="one area; its report has its own folder")
    run.add_argument("--seed", type=int, default=0, help="where drawing starts (0)")
    run.add_argument(
        "--reports", default="reports/latest", metavar="DIR", help="the folder (reports/latest)"
    )
    run.add_argument("--shard", metavar="I/N", help="one part of several; merge makes them one run")
    run.add_argument("-n", **WORKERS)
    run.set_defaults(command=_run)

    joined = commands.add_parser(
        "merge", help="one report of all shards of a run; one matrix of several reports"
    )
    joined.add_argument(
        "inputs",
        nargs="+",
        type=Path,
        metavar="INPUT",
        help="a shard, a report, or a folder with shards or with a report",
    )
    joined.add_argument(
        "--reports", default="reports/latest", metavar="DIR", help="the folder (reports/latest)"
    )
    joined.set_defaults(command=_merge)

    compare = commands.add_parser("diff", help="what is new, changed, gone, weaker or not run")
    compare.add_argument("old", type=Path, help="a report or its folder")
    compare.add_argument("new", type=Path, help="a later one")
    compare.add_argument("--markdown", action="store_true", help="write it for a pull request")
    compare.set_defaults(command=_diff)

    show = commands.add_parser("show", help="a report's summary, or one divergence of it")
    show.add_argument("report", type=Path, help="a report or its folder")
    show.add_argument("--divergence", metavar="ID", help="show one, by the beginning of its id")
    show.set_defaults(command=_show)

    why = commands.add_parser("explain", help="what both give for a program, and by which rules")
    why.add_argument("program", help='such as "ones(2, dtype=uint8) + 1.5", or several steps')
    why.add_argument("--subject", default="impl", help="the library, as for run (impl)")
    why.add_argument("--oracle", default="torch", help="what is right (torch)")
    why.set_defaults(command=_explain)

    controls = commands.add_parser("controls", help="plant every fault and see it caught")
    controls.add_argument("--oracle", default="torch", help="what is right (torch)")
    controls.add_argument("-n", **WORKERS)
    controls.set_defaults(command=_controls)
    return parser


def _run(options: argparse.Namespace) -> int:
    areas = sorted({prop.area for prop in all_properties().values() if prop.about_subject})
    if options.only is not None and options.only not in areas:
        raise CouldNotRun(f"no area is called {options.only!r}; there are {', '.join(areas)}")
    _check_names_folder(options.reports)
    if options.shard is not None:
        read_share(options.shard)
    _check(options.oracle, options.workers)
    try_to_load(options.subject)
    files.begin(Settings(only=options.only, reports=options.reports).folder)
    arguments = [f"--subject={options.subject}", f"--profile={options.profile}"]
    arguments += [f"--seed={options.seed}", f"--reports={options.reports}"]
    if options.only:
        arguments += [f"--only={options.only}"]
    if options.shard is not None:
        arguments += [f"--shard={options.shard}"]
    return _pytest(options.oracle, options.workers, arguments)


def _merge(options: argparse.Namespace) -> int:
    _check_names_folder(options.reports)
    return merge(options.inputs, options.reports)


def _check_names_folder(reports: str) -> None:
    if not reports:
        raise CouldNotRun("--reports names no folder")


def _explain(options: argparse.Namespace) -> int:
    return explain(options.program, options.subject, options.oracle)


def _controls(options: argparse.Namespace) -> int:
    _check(options.oracle, options.workers)
    print(f"{len(CONTROLS)} planted faults, and torch as its own subject")
    return _pytest(options.oracle, options.workers, [f"--only={CONTROLS_ONLY}"])


class _Watcher:
    """Sees whether a run came to its end, whatever status pytest returns."""

    finished = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_unconfigure(self, config: pytest.Config) -> None:
        """Ask the plugin that gathers the run."""
        gatherer = config.pluginmanager.get_plugin(GATHERER)
        self.finished = gatherer is not None and gatherer.run.finished


def _check(oracle: str, workers: int) -> None:
    """Find out what cannot work before anything is written."""
    if workers < 0:
        raise CouldNotRun(f"there cannot be {workers} workers")
    if workers and find_spec("xdist") is None:
        raise CouldNotRun("workers need pytest-xdist; install it or give -n 0")
    if oracle.partition(":")[0].partition("@")[0] != "torch" or find_spec("torch") is None:
        try_to_load(oracle)


def _pytest(oracle: str, workers: int, arguments: Sequence[str]) -> int:
    """Run the suite under pytest, without what belongs to pytest's own screen."""
    for name in PYTEST_SETTINGS:
        os.environ.pop(name, None)
    # What Hypothesis remembers is not for the user's folder.
    remembered = Path(tempfile.gettempdir()) / "torch-attributes-hypothesis"
    os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(remembered))
    signal.signal(signal.SIGTERM, lambda number, frame: signal.raise_signal(signal.SIGINT))
    watcher = _Watcher()
    # A subject may end the process it runs in, so even one worker is a process of its own.
    several = ["-n", str(workers), "--maxschedchunk=1", "--max-worker-restart=0"]
    status = pytest.main(
        [
            str(PACKAGE),
            f"--rootdir={PACKAGE}",
            f"--config-file={PACKAGE / 'pytest.ini'}",
            *("-p", "no:cacheprovider"),
            *("-p", "no:terminal"),
            *(several if workers else []),
            "--all-or-nothing",
            f"--oracle={oracle}",
            *arguments,
        ],
        plugins=[watcher],
    )
    if not watcher.finished or int(status) not in (0, 1, 2):
        raise CouldNotRun("not complete: the run did not come to its end")
    return int(status)


def _diff(options: argparse.Namespace) -> int:
    old, new = files.load(options.old), files.load(options.new)
    text = diff.markdown(old, new) if options.markdown else "\n".join(diff.lines(old, new)) + "\n"
    say(text.rstrip("\n").split("\n"))
    return int(diff.is_worse(old, new))


def _show(options: argparse.Namespace) -> int:
    report = files.load(options.report)
    if options.divergence is None:
        lines = terminal.summary(report)
        folder = options.report if options.report.is_dir() else options.report.parent
        if files.was_left_incomplete(folder):
            lines.append("this report is whole; a later run in its folder is not complete")
    else:
        lines = terminal.one_divergence(report, options.divergence)
        if not lines:
            raise CouldNotRun(
                f"{options.report} has no divergence, or several, that begin"
                f" with {options.divergence!r}"
            )
    say(lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
