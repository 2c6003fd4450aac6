"""The document of the clients."""

from pathlib import Path

import pytest

from clients.__main__ import main
from clients.packages import PACKAGES
from clients.report import HEAD, WITHOUT, Outcome, Result, markdown

NAMES = [package.name for package in PACKAGES]
PASSED = Result("passed")
NO_COMPILE = Result("failed", "module 'impl' has no attribute 'compile'")
OUTCOME = Outcome(
    "a",
    "1.0",
    {
        "torch": {
            "t.one[1]": PASSED, "t.one[2]": PASSED, "t.two": PASSED, "u.three": PASSED,
            "t.four": PASSED, "t.five": Result("failed", "no"), "t.six": Result("skipped", "no"),
            "t.seven": PASSED,
        },
        "impl": {
            "t.one[1]": NO_COMPILE, "t.one[2]": NO_COMPILE, "t.two": Result("skipped", "why"),
            "u": Result("failed", "not collected"), "t.five": PASSED, "t.seven": PASSED,
        },
        WITHOUT: {"t.four": PASSED, "t.five": PASSED, "t.two": Result("skipped", "no torch")},
    },
)  # fmt: skip


def test_lost_tests_are_those_that_pass_with_torch_alone() -> None:
    assert OUTCOME.passed("torch") == 6
    assert OUTCOME.passed("impl") == 2
    assert OUTCOME.lost() == {
        "t.one[1]": NO_COMPILE,
        "t.one[2]": NO_COMPILE,
        "t.two": Result("skipped", "why"),
        "u.three": Result("absent", "not collected"),
        "t.four": Result("absent", "no test of this name"),
    }


def test_tests_that_need_torch_do_not_pass_without_it() -> None:
    assert {*OUTCOME.needing()} == {"t.one[1]", "t.one[2]", "t.two", "u.three", "t.seven"}


def test_document_has_each_client_and_each_lost_test() -> None:
    text = markdown([OUTCOME, Outcome("b", "2", {}, "No source."), Outcome("c", "3", {
        "torch": {"t": PASSED}, "impl": {"t": PASSED}})])  # fmt: skip
    assert "| a | 1.0 | 8 | 1 | 6 | 5 | 1 | 5 |\n| b | 2 | not run | | | | | |\n| c | 3 |" in text
    assert "- `module 'impl' has no attribute 'compile'`\n  - t.one (2 cases)\n" in text
    assert "- skipped: `why`\n  - t.two\n" in text
    assert "- absent: `not collected`\n  - u.three\n" in text
    assert "## b\n\nNo source.\n" in text
    assert "## c" not in text


@pytest.mark.parametrize(("result", "status"), [(PASSED, 0), (Result("failed"), 1)])
def test_command_writes_the_document(
    result: Result, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def run(package, folder):
        asked.append(package.name)
        return Outcome(package.name, "1", {"torch": {"t": result}, "impl": {"t": PASSED}})

    monkeypatch.setattr("clients.__main__.run_package", run)
    monkeypatch.setattr("clients.__main__.run_programs", lambda folder: run(PACKAGES[0], folder))
    path = tmp_path / "clients.md"
    assert main(["--output", str(path)]) == status
    assert asked == [*NAMES, NAMES[0]]
    assert path.read_text().startswith("# Tests of other packages")
    asked.clear()
    main(["--output", str(path), "--only", "einops"])
    assert asked == ["einops"]


def test_document_of_the_repository_has_all_clients() -> None:
    text = (Path(__file__).parents[2] / "docs/clients.md").read_text(encoding="utf-8")
    assert text.startswith(HEAD)
    assert all(f"\n| {name} | " in text for name in (*NAMES, "docs/programs"))
