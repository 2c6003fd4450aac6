"""The command line: ``python -m conformance COMMAND``.

Exit status 0: nothing unexpected.  1: an unexpected divergence, a stale or changed expectation, an
uncaught fault, or an incomplete domain; of `diff`, something new, changed or weaker, a property
that no longer runs, or a later report that alone fails.  2: it could not run; one line says why.
"""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn

from ..check.command import check
from ..controls.catalogue import CONTROLS, runs
from ..controls.certificates import Basis, asks_on_meta, find
from ..core.errors import CouldNotRun
from ..core.profiles import PROFILES
from ..core.selection import matching
from ..engine.drawn_cases import keep_folder_clean
from ..engine.expectations import load_all
from ..engine.registry import REGISTERED
from ..explain.command import explain
from ..libraries.loading import try_to_load
from ..properties import all_properties
from ..recording.archive import archive_of, is_recording
from ..report import diff, files, terminal
from ..report.safe_print import print_safely
from ..report.text import plural
from ..spec.clauses import load_clauses
from ..spec.code_digest import suite_digest
from ..sweep import difference
from ..sweep.command import sweep
from ..sweep.questions import CHUNK
from .accept import FILE, accept
from .merge import merge
from .pytest_run import run_in_pytest
from .record import record
from .scheduled import run_scheduled
from .settings import OPTIONS, Settings
from .shards import CONTROLS_ONLY, read_share

WORKERS: dict[str, Any] = {
    "dest": "workers",
    "type": int,
    "default": os.cpu_count(),
    "metavar": "WORKERS",
    "help": "processes to run in; 0 is this one (as many as there are cores)",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status."""
    keep_folder_clean()
    try:
        options = _parser().parse_args(arguments)
        status: int = options.command(options)
    except CouldNotRun as error:
        print_safely([f"conformance: {error}"], sys.stderr)
        return 2
    except BrokenPipeError:  # the reader closed the pipe
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

    sub = commands.add_parser("run", help="hold a subject against torch and write a report")
    _add_options(sub, *OPTIONS)
    sub.add_argument("--property", metavar="ID", help="properties, by name or pattern")
    sub.add_argument("--clause", metavar="ID", help="the properties of clauses, as above")
    sub.add_argument("-n", **WORKERS)
    sub.add_argument(
        "--scheduler", metavar="ADDRESS", help="a Dask scheduler, whose workers run it"
    )
    sub.set_defaults(command=_run)

    sub = commands.add_parser("check", help="a first look at a subject, in ten seconds")
    _add_options(sub, "subject", "oracle")
    sub.add_argument("-n", **WORKERS)
    sub.set_defaults(
        command=lambda options: check(options.subject, options.oracle, options.workers)
    )

    sub = commands.add_parser(
        "merge", help="one report of all shards of a run; one matrix of several reports"
    )
    sub.add_argument(
        "inputs",
        nargs="+",
        type=Path,
        metavar="INPUT",
        help="a shard, a report, or a folder with shards or with a report",
    )
    _add_options(sub, "reports", "level", "expectations")
    sub.set_defaults(command=_merge)

    sub = commands.add_parser("diff", help="what is new, changed, gone, weaker or not run")
    sub.add_argument("old", type=Path, help="a report, or the certificate of a sweep, or a folder")
    sub.add_argument("new", type=Path, help="a later one")
    sub.add_argument("--markdown", action="store_true", help="write it for a pull request")
    sub.set_defaults(command=_diff)

    sub = commands.add_parser("show", help="a report's summary, or one divergence of it")
    sub.add_argument("report", type=Path, help="a report or its folder")
    sub.add_argument("--divergence", metavar="ID", help="show one, by the beginning of its id")
    sub.set_defaults(command=_show)

    sub = commands.add_parser("accept", help="put divergences on a list of known ones")
    sub.add_argument("report", type=Path, help="a report or its folder")
    sub.add_argument(
        "ids", nargs="*", metavar="ID", help="a divergence, by the beginning of its id"
    )
    sub.add_argument("--all", action="store_true", help="all that are not expected")
    sub.add_argument(
        "--prune", action="store_true", help="none; only remove the rows that no longer occur"
    )
    sub.add_argument("--reason", default="", metavar="TEXT", help="why they are there")
    sub.add_argument("--link", default="", metavar="URL", help="where more is said about them")
    sub.add_argument("--into", type=Path, default=Path(FILE), help=f"the list ({FILE})")
    sub.set_defaults(command=_accept)

    sub = commands.add_parser("explain", help="what both give for a program, and by which rules")
    sub.add_argument("program", help='such as "ones(2, dtype=uint8) + 1.5", or several steps')
    _add_options(sub, "subject", "oracle")
    sub.set_defaults(
        command=lambda options: explain(options.program, options.subject, options.oracle)
    )

    sub = commands.add_parser("sweep", help="every bit pattern of a dtype, through each operator")
    _add_options(sub, "subject", "oracle", "reports")
    sub.add_argument("--ops", metavar="NAME", help="questions by patterns, separated by commas")
    sub.add_argument(
        "--chunk", type=int, default=CHUNK, metavar="N", help=f"elements of a chunk ({CHUNK})"
    )
    sub.add_argument("--scheduler", metavar="ADDRESS", help="a Dask scheduler (a local cluster)")
    sub.add_argument("-n", **WORKERS)
    sub.set_defaults(command=_sweep)

    sub = commands.add_parser("record", help="keep torch's answers, to judge without torch")
    _add_options(sub, "oracle", "profile", "seed")
    sub.add_argument("--only", metavar="AREA", help="areas and properties, separated by commas")
    sub.add_argument("file", type=Path, metavar="FILE", help="the file of the recording")
    sub.add_argument("-n", **WORKERS)
    sub.set_defaults(command=_record, property=None, clause=None)

    sub = commands.add_parser("controls", help="plant every fault, see it caught, and certify it")
    _add_options(sub, "oracle", "profile", "seed")
    sub.add_argument("-n", **WORKERS)
    sub.set_defaults(command=_controls)
    return parser


def _sweep(options: argparse.Namespace) -> int:
    _check_workers(options.workers)
    if options.chunk < 1:
        raise CouldNotRun(f"--chunk {options.chunk}: a chunk has at least one element")
    folder = Path(options.reports)
    folder.mkdir(parents=True, exist_ok=True)
    return sweep(
        options.subject, options.oracle, options.ops, options.scheduler, options.workers,
        folder, options.chunk,
    )  # fmt: skip


def _record(options: argparse.Namespace) -> int:
    if is_recording(options.oracle):
        raise CouldNotRun("a recording is made of torch itself, not of a recording")
    _check_workers(options.workers)
    build = try_to_load(options.oracle)
    only = _selection(options)
    return record(
        options.file, options.oracle, build, PROFILES[options.profile], options.seed, only,
        options.workers,
    )  # fmt: skip


def _accept(options: argparse.Namespace) -> int:
    return accept(
        options.report, options.ids, everything=options.all, prune=options.prune,
        reason=options.reason, link=options.link, into=options.into,
    )  # fmt: skip


def _add_options(parser: argparse.ArgumentParser, *names: str) -> None:
    for name in names:
        parser.add_argument(f"--{name}", **OPTIONS[name])


def _run(options: argparse.Namespace) -> int:
    options.only = _selection(options)
    load_all(REGISTERED, map(Path, options.expectations or ()))
    _check_names_folder(options.reports)
    for recording in filter(None, map(archive_of, (options.oracle, options.subject))):
        check_asked = recording.header.check_asked
        check_asked(recording.path, options.profile, options.seed, options.only)
        options.only = options.only or recording.header.only
    if options.controls and is_recording(options.oracle):
        raise CouldNotRun("the controls need torch itself, not a recording")
    if options.shard is not None:
        read_share(options.shard)
        if options.scheduler is not None:
            raise CouldNotRun("--shard and --scheduler both split a run; give one of them")
    _check_workers(options.workers)
    has_controls = options.controls or options.only or options.shard
    is_installed = options.oracle == "torch" and find_spec("torch") is not None
    with ThreadPoolExecutor() as pool:
        subject = pool.submit(_build_of, options.subject)
        build = None if has_controls and is_installed else _build_of(options.oracle)
        subject.result()
    files.mark_incomplete(Settings(only=options.only, reports=options.reports).folder)
    certificate = _certificate(options, build)
    if options.scheduler is not None:
        return run_scheduled(_settings(options, certificate), options.scheduler)
    certified = [] if certificate is None else [f"--certificate={certificate}"]
    return run_in_pytest(options.workers, [*_as_arguments(options), *certified])


def _settings(options: argparse.Namespace, certificate: str | None) -> Settings:
    """Return the settings of a run without pytest."""
    asked = {name: getattr(options, name) for name in OPTIONS}
    asked["expectations"] = tuple(asked["expectations"] or ())
    return Settings(**asked, certificate=certificate)


def _build_of(spec: str) -> dict[str, str] | None:
    """Return the build of a library as `try_to_load` does, or None for a recording."""
    return None if is_recording(spec) else try_to_load(spec)


def _as_arguments(options: argparse.Namespace) -> list[str]:
    """Return the options of a run as arguments of pytest."""
    asked = {name: getattr(options, name) for name in OPTIONS if hasattr(options, name)}
    flags = [f"--{name}" for name, value in asked.items() if value is True]
    named = [(name, value) for name, value in asked.items() if type(value) in (str, int)]
    lists = {name: value for name, value in asked.items() if type(value) is list}
    named += [(name, item) for name, value in lists.items() for item in value]
    return [*flags, *(f"--{name}={value}" for name, value in named)]


def _selection(options: argparse.Namespace) -> str | None:
    """Return the areas and properties that were asked for, or None for all of them."""
    properties = {name: prop for name, prop in all_properties().items() if prop.about_subject}
    areas = sorted({prop.area for prop in properties.values()})
    chosen = []
    try:
        if options.only is not None:
            kind, names = "area", [*areas, *properties]
            chosen += matching(options.only, names)
        if options.property is not None:
            kind, names = "property", [*properties]
            chosen += matching(options.property, names)
        if options.clause is not None:
            kind, names = "clause", [clause.id for clause in load_clauses()]
            ids = matching(options.clause, names)
            speaking = [each.properties for each in load_clauses() if each.id in ids]
            chosen += [name for names in speaking for name in names]
    except ValueError as error:
        there = ", ".join(areas if kind == "area" else [*names[:3], "..."])
        raise CouldNotRun(f"no {kind} is called {str(error)!r}; there are {there}") from None
    return ",".join(dict.fromkeys(chosen)) or None


def _certificate(options: argparse.Namespace, build: Mapping[str, str] | None) -> str | None:
    """Return the file with the results of the controls, or None if they run.

    The name is empty if the profile has none of its own. Shards have their own controls, as their
    machines may differ.
    """
    if is_recording(options.oracle):
        return str(options.oracle)
    if options.controls or options.only or options.shard:
        return None
    profile = PROFILES[options.profile]
    if build is not None and not asks_on_meta(options.subject):
        basis = Basis(suite_digest(), options.oracle, build, profile.controls_of)
        if find(basis, runs(all_properties())) is not None:
            return str(basis.path)
    return "" if profile.certified_as else None


def _merge(options: argparse.Namespace) -> int:
    _check_names_folder(options.reports)
    load_all(REGISTERED, map(Path, options.expectations or ()))
    judged = {"level": options.level, "expectations": options.expectations or ()}
    return merge(options.inputs, options.reports, **judged)


def _check_names_folder(reports: str) -> None:
    if not reports:
        raise CouldNotRun("--reports names no folder")


def _controls(options: argparse.Namespace) -> int:
    _check_workers(options.workers)
    try_to_load(options.oracle)
    print(f"{len(CONTROLS)} planted faults, and torch as its own subject")
    arguments = [*_as_arguments(options), f"--only={CONTROLS_ONLY}"]
    return run_in_pytest(options.workers, arguments)


def _check_workers(workers: int) -> None:
    """Raise `CouldNotRun` if there cannot be so many workers."""
    if workers < 0:
        raise CouldNotRun(f"there cannot be {workers} workers")
    if workers and find_spec("xdist") is None:
        raise CouldNotRun("workers need pytest-xdist; install it or give -n 0")


def _diff(options: argparse.Namespace) -> int:
    old_sweep, new_sweep = map(difference.certificate_at, (options.old, options.new))
    if old_sweep is not None and new_sweep is not None:
        print_safely(difference.lines(old_sweep, new_sweep))
        return int(difference.is_worse(old_sweep, new_sweep))
    old, new = files.load(options.old), files.load(options.new)
    text = diff.markdown(old, new) if options.markdown else "\n".join(diff.lines(old, new)) + "\n"
    print_safely(text.rstrip("\n").split("\n"))
    return int(diff.is_worse(old, new))


def _show(options: argparse.Namespace) -> int:
    report = files.load(options.report)
    if options.divergence is None:
        lines = terminal.summary(report)
        folder = options.report if options.report.is_dir() else options.report.parent
        if files.is_incomplete(folder):
            lines.append("this report is whole; a later run in its folder is not complete")
    else:
        lines = terminal.one_divergence(report, options.divergence)
        if not lines:
            ids = [row["id"] for row in report["divergences"]]
            count = sum(name.startswith(options.divergence) for name in ids)
            raise CouldNotRun(
                f"{plural(count, 'divergence')} of {options.report} begin"
                f"{'s' if count == 1 else ''} with {options.divergence!r}"
            )
    print_safely(lines)
    return 0
