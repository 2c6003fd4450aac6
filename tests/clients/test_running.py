"""Runs of the tests of other packages: what is downloaded, and what is read of a report."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from clients import running
from clients.packages import PACKAGES, Package
from clients.programs import run_program, run_programs
from clients.report import WITHOUT, Result
from clients.running import download, read_results, run_package, run_tests

REPORT = """<testsuites><testsuite>
<testcase classname="tests.test_a" name="test_passes[1]"/>
<testcase classname="tests.test_a" name="test_fails">
  <failure message="ValueError: at 0x7f1234567890 in /tmp/x/a.py&#10;more">text</failure></testcase>
<testcase classname="tests.test_a" name="test_breaks"><error message=""/></testcase>
<testcase classname="tests.test_a" name="test_skips"><skipped message="no GPU"/></testcase>
<testcase classname="" name="tests.test_b"><error message="collection failure">
tests/test_b.py:1: in &lt;module&gt;
    import torch.linalg
E   ModuleNotFoundError: No module named 'torch.linalg'
</error></testcase>
</testsuite></testsuites>"""


def test_results_are_read() -> None:
    assert read_results(REPORT, ("/tmp/x",)) == {
        "tests.test_a.test_passes[1]": Result("passed"),
        "tests.test_a.test_fails": Result("failed", "ValueError: at 0x... in a.py"),
        "tests.test_a.test_breaks": Result("failed", "no message"),
        "tests.test_a.test_skips": Result("skipped", "no GPU"),
        "tests.test_b": Result(
            "failed", "not collected: ModuleNotFoundError: No module named 'torch.linalg'"
        ),
    }


def test_tests_run_with_impl(tmp_path: Path) -> None:
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "test_a.py").write_text(
        "import os\nimport torch\n\n\n"
        "def test_impl():\n    assert torch.__spec__.name == 'impl'\n"
        "    assert os.environ['A'] == '1'\n\n\n"
        "def test_fails():\n    torch.no_such_name\n"
    )
    (tests / "test_b.py").write_text("import torch.no_such_module\n")
    package = Package("a", "tests", environment={"A": "1"})
    results = run_tests(package, tmp_path, "impl", tmp_path)
    assert results.pop("tests.test_b").reason.startswith("not collected: ModuleNotFoundError")
    assert results == {
        "tests.test_a.test_impl": Result("passed"),
        "tests.test_a.test_fails": Result(
            "failed", "AttributeError: module 'torch' has no attribute 'no_such_name'"
        ),
    }


def test_tests_run_without_torch(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_a.py").write_text(
        "import pytest\n\n\ndef test_needs():\n    pytest.importorskip('torch')\n\n\n"
        "def test_needs_nothing():\n    pass\n"
    )
    results = run_tests(Package("a", "tests"), tmp_path, WITHOUT, tmp_path)
    outcomes = {name.rpartition(".")[2]: result.outcome for name, result in results.items()}
    assert outcomes == {"test_needs": "skipped", "test_needs_nothing": "passed"}


def unpack(monkeypatch: pytest.MonkeyPatch, name: str | None) -> list[list[str]]:
    """Put a function in place of pip that unpacks a source of a name, and return its calls."""
    calls: list[list[str]] = []

    def run(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        calls.append(command)
        if name is not None:
            source = Path(options["env"]["TMPDIR"], "pip-download-1", name)
            source.mkdir(parents=True)
            (source / "PKG-INFO").touch()
        return subprocess.CompletedProcess(command, 1, "", "one\nno such version\n")

    monkeypatch.setattr(running.subprocess, "run", run)
    return calls


def test_source_is_found_though_it_cannot_be_built(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    calls = unpack(monkeypatch, "array_api_compat_0123")
    source = download(Package("array-api-compat", "tests"), "1.2", tmp_path / "new")
    assert source == tmp_path / "new/pip-download-1/array_api_compat_0123"
    assert calls[0][-1] == "array-api-compat==1.2"
    assert not any("://" in word for word in calls[0])


@pytest.mark.parametrize(
    ("unpacked", "problem"),
    [
        (None, "pip got no source distribution (no such version)."),
        ("pytest_0123", "The source distribution has no tests in ./tests."),
    ],
)
def test_packages_without_tests_have_a_reason(
    unpacked: str | None, problem: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    unpack(monkeypatch, unpacked)
    outcome = run_package(Package("pytest", "tests"), tmp_path)
    assert (outcome.problem, outcome.results) == (problem, {})


@pytest.mark.parametrize(
    ("program", "expected", "result"),
    [
        ("import torch\nprint(torch.__spec__.name)", "impl\n", Result("passed")),
        ("print(1)\nprint(2)", "1\n3\n", Result("failed", "prints another line 2")),
        ("print(1)", "1\n2\n", Result("failed", "prints another line 2")),
        ("raise ValueError('no')", "", Result("failed", "ValueError: no")),
    ],
)
def test_programs(program: str, expected: str, result: Result, tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(program)
    path.with_suffix(".txt").write_text(expected)
    assert run_program(path, "impl") == result


def test_all_programs_run_on_both_sides(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "a.py").touch()
    monkeypatch.setattr("clients.programs.run_program", lambda path, side: Result(side))
    outcome = run_programs(tmp_path)
    assert outcome.results == {side: {"a": Result(side)} for side in ("torch", "impl")}


def test_packages_have_names_of_their_own() -> None:
    assert len({package.name for package in PACKAGES}) == len(PACKAGES) >= 3
