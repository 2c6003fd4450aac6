"""The conformance suite in this process: one property at a time, with the impl of a folder."""

import gc
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from compileall import compile_dir
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from py_compile import PycInvalidationMode
from typing import Any, NamedTuple

from conformance.comparison.vector_widths import processes_of
from conformance.core.errors import CouldNotRun
from conformance.core.profiles import PROFILES
from conformance.engine.aggregate import known_facts
from conformance.engine.expectations import Expectation, load_expectations
from conformance.engine.first_problem import first_problem
from conformance.engine.registry import REGISTERED, Property
from conformance.engine.session import Session
from conformance.explain.answers import session_of
from conformance.libraries.oracle import load_oracle
from conformance.properties import all_properties

SUBJECT = "impl"
ROOT = Path(__file__).parents[1]
MODULES = ("numpy", "llvmlite.binding")
"""Modules that impl may import, loaded once before the processes of mutants fork."""


class Suite(NamedTuple):
    """The properties about a subject, and the options of their run."""

    properties: dict[str, Property]
    expectations: list[Expectation]
    profile: str
    seed: int

    def session(self) -> Session:
        """Return a session with the impl that the current folder has."""
        loaded = session_of("torch", SUBJECT)
        profile = PROFILES[self.profile]._replace(shrink_s=0)
        return replace(loaded, profile=profile, seed=self.seed)

    def problem(self, session: Session, prop: Property) -> str | None:
        """Return the kind and the text of a property's first problem, or None if it holds."""
        if session.lacking:
            return f"not asked: {', '.join(session.lacking)}"
        try:
            facts = known_facts(session)["facts"]
            problem = first_problem(session, prop, self.expectations, facts)
        except BaseException as error:  # noqa: BLE001  # the run with this impl would end
            return f"error: {type(error).__name__}: {error}"
        return f"{problem.kind}: {problem.text}" if problem else None


def load_suite(profile: str, seed: int) -> Suite:
    """Return the suite, with torch and the modules of impl's dependencies loaded."""
    # The suite lets a subject raise KeyboardInterrupt in a worker only.
    os.environ["PYTEST_XDIST_WORKER"] = "mutation"
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    sys.dont_write_bytecode = True
    properties = {key: prop for key, prop in all_properties().items() if prop.about_subject}
    processes_of(load_oracle())  # starts the server that all share
    for name in MODULES:
        try:
            import_module(name)
        except ImportError:
            continue
    if SUBJECT in sys.modules:
        raise CouldNotRun("impl is loaded, so no mutant of it can be")
    gc.collect()
    gc.freeze()
    return Suite(properties, load_expectations(REGISTERED), profile, seed)


class Workplace:
    """A compiled copy of impl, and copies of that with one mutated file."""

    def __init__(self, package: Path = ROOT / SUBJECT) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="mutation-"))
        ignored = shutil.ignore_patterns("__pycache__", "*.pyi")
        shutil.copytree(package, self.folder / SUBJECT, ignore=ignored)
        # Unlike those with times, these files are never taken for current by mistake.
        mode = PycInvalidationMode.UNCHECKED_HASH
        compile_dir(self.folder / SUBJECT, quiet=2, invalidation_mode=mode)

    def with_edits(self, texts: Mapping[str, bytes], run: Callable[[Path], Any]) -> Any:
        """Return the result of a function with the folder of a copy with some changed files."""
        with tempfile.TemporaryDirectory(prefix="mutant-", dir=self.folder) as name:
            copy = Path(name)
            shutil.copytree(self.folder / SUBJECT, copy / SUBJECT, copy_function=os.link)
            for path, text in texts.items():
                file = copy / SUBJECT / path
                for compiled in file.parent.glob(f"__pycache__/{file.stem}.*.pyc"):
                    compiled.unlink()
                file.unlink()
                file.write_bytes(text)
            return run(copy)

    def remove(self) -> None:
        """Delete the copy."""
        shutil.rmtree(self.folder, ignore_errors=True)


def enter(folder: Path) -> None:
    """Let this process, and those that it starts, import impl from a folder."""
    os.chdir(folder)
    sys.path[:0] = [str(folder)]
    os.environ["PYTHONPATH"] = os.pathsep.join(
        filter(None, (str(folder), str(ROOT), os.environ.get("PYTHONPATH")))
    )


def is_from(folder: Path) -> bool:
    """Return whether impl was loaded from a folder."""
    return Path(getattr(sys.modules[SUBJECT], "__file__") or "").is_relative_to(folder)  # noqa: B009


def load_lazy_names() -> None:
    """Load all modules of impl behind its public names."""
    module = sys.modules[SUBJECT]
    for name in dir(module):
        getattr(module, name, None)


def words_of(programs: Sequence[str]) -> set[str]:
    """Return the identifiers in programs."""
    return {word for program in programs for word in re.findall(r"[A-Za-z_]\w*", program)}
