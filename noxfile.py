"""Nox sessions of this project, such as ``nox -s conformance``."""

import os
from pathlib import Path

import nox

nox.needs_version = ">=2025.2.9"
nox.options.sessions = ["lint", "tests", "conformance"]
nox.options.reuse_existing_virtualenvs = True

# The sessions start hundreds of processes, which load what the first one compiled.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

EXTRAS = nox.project.load_toml("pyproject.toml")["project"]["optional-dependencies"]


@nox.session
def conformance(session: nox.Session) -> None:
    """Compare impl with real torch.  Options of ``python -m conformance run`` pass through."""
    session.install("-e", ".[suite,oracle,fast]")
    session.run("python", "-m", "conformance", "run", *session.posargs)


@nox.session
def tests(session: nox.Session) -> None:
    """Run the unit tests, which need no torch.  Options of pytest pass through."""
    session.install("-e", ".[tests,fast]")
    session.run("pytest", "-n", "auto", "--dist", "worksteal", *session.posargs)


@nox.session
def page(session: nox.Session) -> None:
    """Test the page of the baseline report in a real Chromium.  Options of pytest pass through."""
    session.install("-e", ".[page]")
    session.run("pytest", "tests/page", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and types."""
    session.install("-e", ".[suite]", *EXTRAS["dev"][1:-1])
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy", *session.posargs)
    # mypy reads a stub instead of its source unless the source is named.
    stubs = sorted(Path("impl").rglob("*.pyi"))
    session.run("mypy", *(str(stub.with_suffix(".py")) for stub in stubs))


@nox.session
def bench(session: nox.Session) -> None:
    """Time both libraries in one process.  Options of ``python -m bench`` pass through."""
    session.install("-e", ".[suite,oracle,fast]")
    session.run("python", "-m", "bench", *session.posargs)


ADAPTERS = sorted(path.stem for path in Path("conformance/adapters").glob("[!_]*.py"))


@nox.session
def adapters(session: nox.Session) -> None:
    """Hold the libraries whose adapters ship against torch, and write a matrix of the reports."""
    session.install("-e", ".[suite,oracle]", "array-api-strict>=2.4", "tinygrad>=0.14", "ninja")
    session.env["DEV"] = os.environ.get("DEV", "PYTHON")  # where tinygrad needs no compiler
    folders = [f"reports/adapters/{name}" for name in ADAPTERS]
    for name, folder in zip(ADAPTERS, folders, strict=True):
        subject = f"conformance.adapters.{name}"
        command = ("python", "-m", "conformance", "run", "--subject", subject)
        options = ("--profile", "smoke", "--reports", folder, *session.posargs)
        session.run(*command, *options, success_codes=[0, 1])
    merge = ("python", "-m", "conformance", "merge", *folders, "--reports", "reports/adapters")
    session.run(*merge, success_codes=[0, 1])


@nox.session
def clients(session: nox.Session) -> None:
    """Run the tests of other packages with torch and with impl, and write docs/clients.md."""
    session.install("-e", ".[oracle,fast]", "pytest>=8.4", "hypothesis>=6.130")
    session.install("safetensors", "einops", "array-api-compat")
    session.run("python", "-m", "clients", *session.posargs)


@nox.session
def mutation(session: nox.Session) -> None:
    """Draw mutants of impl that the suite must kill.  Options of ``python -m mutation`` pass."""
    session.install("-e", ".[suite,oracle,fast]")
    session.run("python", "-m", "mutation", *session.posargs)
