"""Runs of a package's tests, from its source distribution, in processes of their own."""

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from xml.etree import ElementTree

from .packages import Package
from .report import SIDES, WITHOUT, Outcome, Result

ROOT = Path(__file__).parents[1]
LIMIT = 900
"""The seconds that the tests of a package may take on one side."""

WITHOUT_TORCH = """
import runpy, sys
sys.modules["torch"] = None
runpy.run_module("pytest", run_name="__main__", alter_sys=True)
"""
PYTEST = {
    "torch": ("-m", "pytest"),
    "impl": ("-m", "impl", "-m", "pytest"),
    WITHOUT: ("-c", WITHOUT_TORCH),
}
"""Python's arguments that run pytest, by side."""


def run_package(package: Package, folder: Path) -> Outcome:
    """Return the results of a package's tests on both sides; its source is put in a folder."""
    installed = version(package.name)
    try:
        source = download(package, installed, folder)
    except FileNotFoundError as error:
        return Outcome(package.name, installed, {}, str(error))
    tests = source / package.folder / package.tests
    if not any(tests.glob("test_*.py")):
        reason = f"The source distribution has no tests in {package.folder}/{package.tests}."
        return Outcome(package.name, installed, {}, reason)
    results = {}
    for side in (*SIDES, WITHOUT):
        try:
            results[side] = run_tests(package, source / package.folder, side, folder)
        except (subprocess.TimeoutExpired, FileNotFoundError) as error:
            return Outcome(package.name, installed, results, f"On {side}: {error}")
    return Outcome(package.name, installed, results)


def download(package: Package, number: str, folder: Path) -> Path:
    """Return the folder of a package's source, as pip unpacked it.

    pip prepares the metadata of what it downloads, for which some packages need a compiler that is
    not there. The tests need no build: the option ``--no-clean`` keeps the unpacked source.
    """
    folder.mkdir(parents=True, exist_ok=True)
    command = [
        sys.executable, "-m", "pip", "download", "--no-clean", "--no-deps", "--quiet",
        "--no-binary", package.name, "--dest", str(folder), f"{package.name}=={number}",
    ]  # fmt: skip
    environment = {**os.environ, "TMPDIR": str(folder)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    name = re.sub(r"[-_.]+", "[-_.]", package.name)
    for unpacked in sorted(folder.glob(f"pip-download-*/{name}_*")):
        if (unpacked / "PKG-INFO").exists():
            return unpacked
    last = (done.stderr.strip().splitlines() or ["no message"])[-1]
    raise FileNotFoundError(f"pip got no source distribution ({last}).")


def run_tests(package: Package, folder: Path, side: str, reports: Path) -> dict[str, Result]:
    """Return the results of the tests in a folder, by the name of the test."""
    report = reports.absolute() / f"{side}.xml"
    command = [
        sys.executable, *PYTEST[side], package.tests, "--quiet",
        "--continue-on-collection-errors", "-p", "no:cacheprovider", f"--junitxml={report}",
    ]  # fmt: skip
    environment = {**os.environ, **package.environment, "PYTHONPATH": str(ROOT)}
    subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, check=False, timeout=LIMIT
    )
    return read_results(report.read_text(encoding="utf-8"), (str(folder), str(reports)))


def read_results(text: str, folders: Sequence[str] = ()) -> dict[str, Result]:
    """Return the results of a report in JUnit's format, by the name of the test."""
    results = {}
    for case in ElementTree.fromstring(text).iter("testcase"):
        name = ".".join(filter(None, (case.get("classname"), case.get("name"))))
        problem = next((part for part in case if part.tag in ("failure", "error", "skipped")), None)
        if problem is None:
            results[name] = Result("passed")
            continue
        outcome = "skipped" if problem.tag == "skipped" else "failed"
        results[name] = Result(outcome, reason_of(problem, folders))
    return results


def reason_of(problem: ElementTree.Element, folders: Sequence[str] = ()) -> str:
    """Return the message of a test that did not pass, in a line without addresses and folders."""
    message = (problem.get("message") or "").strip()
    if message == "collection failure":
        errors = re.findall(r"^E\s+(\S.*)$", problem.text or "", re.MULTILINE)
        message = f"not collected: {errors[-1]}" if errors else message
    line = (message.splitlines() or ["no message"])[0]
    for folder in folders:
        line = line.replace(f"{folder}/", "").replace(folder, ".")
    return re.sub(r"0x[0-9a-f]{6,}", "0x...", line)
