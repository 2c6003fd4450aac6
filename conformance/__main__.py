"""The command line: ``python -m conformance run | diff | show | controls``.

Exit status 0: nothing unexpected; 1: an unexpected divergence, a stale or
changed expectation, an uncaught fault, an incomplete domain, or reports that
differ; 2: it could not run, and why, in one line.
"""

import argparse
import os
import signal
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

import pytest

from .controls import CONTROLS
from .errors import CouldNotRun
from .profiles import PROFILES
from .registry import all_properties
from .report import diff, files, terminal
from .run import CONTROLS_ONLY
from .subject import load

PACKAGE = Path(__file__).parent


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status."""
    try:
        options = _parser().parse_args(arguments)
        status: int = options.command(options)
    except CouldNotRun as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2
    return status


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise CouldNotRun(f"{message}; see {self.prog} --help")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m conformance", description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    run = commands.add_parser("run", help="hold a subject against torch and write a report")
    run.add_argument("--subject", default="impl", help="module[:attribute][@device]")
    run.add_argument("--oracle", default="torch", help="what is right (torch)")
    run.add_argument("--profile", default="quick", choices=list(PROFILES))
    run.add_argument("--only", metavar="AREA", help="one area; its report has its own folder")
    run.add_argument("--seed", type=int, default=0, help="where drawing starts (0)")
    run.add_argument("--reports", default="reports/latest", metavar="DIR")
    run.add_argument("-n", dest="workers", type=int, default=os.cpu_count(), metavar="WORKERS")
    run.set_defaults(command=_run)

    compare = commands.add_parser("diff", help="what is new, gone, changed or not run")
    compare.add_argument("old", type=Path)
    compare.add_argument("new", type=Path)
    compare.set_defaults(command=_diff)

    show = commands.add_parser("show", help="a report's summary, or one divergence of it")
    show.add_argument("report", type=Path)
    show.add_argument("--divergence", metavar="ID")
    show.set_defaults(command=_show)

    controls = commands.add_parser("controls", help="plant every fault and see it caught")
    controls.add_argument("--oracle", default="torch", help="what is right (torch)")
    controls.add_argument("-n", dest="workers", type=int, default=os.cpu_count(), metavar="WORKERS")
    controls.set_defaults(command=_controls)
    return parser


def _run(options: argparse.Namespace) -> int:
    areas = sorted({prop.area for prop in all_properties().values()})
    if options.only is not None and options.only not in areas:
        raise CouldNotRun(f"no area is called {options.only!r}; there are {', '.join(areas)}")
    load(options.subject, names=())
    arguments = ["--subject", options.subject, "--profile", options.profile]
    arguments += ["--seed", str(options.seed), "--reports", options.reports]
    if options.only:
        arguments += ["--only", options.only]
    return _pytest(options.oracle, options.workers, arguments)


def _controls(options: argparse.Namespace) -> int:
    print(f"{len(CONTROLS)} planted faults, and torch as its own subject")
    return _pytest(options.oracle, options.workers, ["--only", CONTROLS_ONLY])


def _pytest(oracle: str, workers: int, arguments: Sequence[str]) -> int:
    """Run the suite under pytest, without what belongs to pytest's own screen."""
    if find_spec(oracle.partition(":")[0].partition("@")[0]) is None:
        load(oracle, names=())  # says what is wrong
    several = ["-n", str(workers), "--maxschedchunk=1", "--max-worker-restart=0"]
    if workers <= 1:
        several = []
    if several and find_spec("xdist") is None:
        raise CouldNotRun("several workers need pytest-xdist; install it or give -n 1")
    # What Hypothesis remembers is not for the user's folder.
    remembered = Path(tempfile.gettempdir()) / "torch-attributes-hypothesis"
    os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(remembered))
    signal.signal(signal.SIGTERM, lambda number, frame: signal.raise_signal(signal.SIGINT))
    return int(
        pytest.main(
            [
                str(PACKAGE),
                f"--rootdir={PACKAGE}",
                f"--config-file={PACKAGE / 'pytest.ini'}",
                "-p",
                "no:cacheprovider",
                "-p",
                "no:terminal",
                *several,
                "--oracle",
                oracle,
                *arguments,
            ]
        )
    )


def _diff(options: argparse.Namespace) -> int:
    old, new = files.load(options.old), files.load(options.new)
    print("\n".join(diff.lines(old, new)))
    return int(diff.is_worse(old, new))


def _show(options: argparse.Namespace) -> int:
    report = files.load(options.report)
    if options.divergence is None:
        lines = terminal.summary(report)
        if files.was_left_incomplete(options.report.parent):
            lines.append("not complete: a later run was begun in this folder and did not end")
    else:
        lines = terminal.one_divergence(report, options.divergence)
        if not lines:
            raise CouldNotRun(f"{options.report} has no divergence {options.divergence!r}")
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
