"""The documents: snippets, commands, links, and the figures of the baseline."""

import ast
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from conformance.properties import all_properties
from conformance.report import terminal
from conformance.report.text import verdict_line

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
BASELINE = json.loads((ROOT / "reports/baseline/report.json").read_text())


class Block(NamedTuple):
    """A fenced block of a document, and the text block that follows it, if one does."""

    document: str
    line: int
    language: str
    text: str
    output: str | None

    def __str__(self) -> str:
        return f"{self.document}:{self.line}"


FENCE = re.compile(r"^```(\w*)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


def blocks_of(document: str, text: str) -> Iterator[Block]:
    """Yield the fenced blocks of a document."""
    found = [*FENCE.finditer(text)]
    for index, match in enumerate(found):
        after = found[index + 1] if index + 1 < len(found) else None
        follows = after and after[1] == "text" and not text[match.end() : after.start()].strip()
        yield Block(
            document, text.count("\n", 0, match.start()) + 1, match[1], match[2],
            after[2] if after and follows else None,
        )  # fmt: skip


BLOCKS = [
    block
    for path in DOCUMENTS
    for block in blocks_of(str(path.relative_to(ROOT)), path.read_text(encoding="utf-8"))
]
SNIPPETS = [block for block in BLOCKS if block.language == "python"]
COMMANDS = [
    (str(block), line.removeprefix("$ "))
    for block in BLOCKS
    if block.language == "console"
    for line in block.text.splitlines()
]


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program in a folder in which impl, conformance and yourlib can be imported."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{folder}"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("block", SNIPPETS, ids=str)
def test_snippets_print_what_the_document_says(block: Block, tmp_path: Path) -> None:
    done = run([sys.executable, "-W", "error", "-c", block.text], tmp_path)
    last = done.stderr.strip().splitlines()[-1:]
    assert block.output == done.stdout + "".join(f"{line}\n" for line in last)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a library, and with the reports of runs, shards and sweeps."""
    made = tmp_path_factory.mktemp("documents")
    for name in ("yourlib", "theirs"):
        (made / f"{name}.py").write_text("import sys, impl\nsys.modules[__name__] = impl\n")
    for command in (
        "run --subject yourlib --reports reports/latest",
        "run --subject yourlib --reports reports/baseline",
        "run --subject yourlib --reports reports/before",
        "run --subject theirs --reports reports/theirs",
        "run --subject yourlib --shard 1/2 --reports shards",
        "run --subject yourlib --shard 2/2 --reports shards",
    ):
        done = conformance(command, made)
        assert done.returncode == 0, done.stdout + done.stderr
    for name in ("latest", "baseline", "before", "theirs"):
        limits = made / "reports" / name / "only-limits"
        for path in limits.iterdir():
            path.rename(path.parents[1] / path.name)
    for path in (made / "shards/only-limits").iterdir():
        path.rename(path.parents[1] / path.name)
    conformance("accept reports/latest --all --reason none", made)
    for name in ("native", "default"):
        done = conformance(f"sweep --reports reports/{name}", made)
        assert done.returncode == 0, done.stdout + done.stderr
    for name in ("quick", "newer"):
        done = conformance(f"record torch-{name}.zip", made)
        assert done.returncode == 0, done.stdout + done.stderr
    return made


def conformance(arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command of the suite with impl as the oracle, and where it runs all, in one area."""
    words = shlex.split(arguments)
    if words[0] in ("run", "explain", "check", "record", "sweep") and "--oracle" not in words:
        words += ["--oracle", "impl"]
    if words[0] == "record":
        words += ["--only", "limits.iinfo"]
    if words[0] == "sweep":
        words += ["--ops", "sin(bfloat16)", "-n", "0"]  # all of float32 takes a minute
    if words[0] == "run":
        chosen = {"--only", "--property", "--clause"} & {*words}
        area = "limits.iinfo" if any("recorded:" in word for word in words) else "limits"
        words += ["-n", "0", *([] if chosen else ["--only", area])]
    return run([sys.executable, "-m", "conformance", *words], folder)


def is_done(command: str, folder: Path) -> bool:
    """Run a command of a document, as far as it can be run here, and return whether it works."""
    words = shlex.split(command)
    match words:
        case [setting, *rest] if re.fullmatch(r"[A-Z_]+=\w+", setting):
            return is_done(shlex.join(rest), folder)
        case ["python", "-m", "pip", "install", "nox", "&&", *rest]:
            return is_done(shlex.join(rest), folder)
        case ["python", "-m", "nox", "-s", session]:
            return session in sessions()
        case ["python", "-m", "pip", "install", "-e", package]:
            return {*re.findall(r"\w+", package)} <= extras()
        case ["python", "-m", "impl", program, *rest]:
            return not run(
                [sys.executable, *words[1:3], str(ROOT / program), *rest], folder
            ).returncode
        case ["python", "-m", "conformance", "controls"]:  # each run of the suite runs them
            return "usage" in conformance("controls --help", folder).stdout
        case ["python", "-m", "conformance", "show", _, "--divergence", _]:
            return "0 divergences of" in conformance(shlex.join(words[3:]), folder).stderr
        case ["python", "-m", "conformance", *rest]:
            return conformance(shlex.join(rest), folder).returncode == 0
        case ["python", "-m", "conformance.cli.gpu_check", *rest]:
            done = run([sys.executable, *words[1:3], "--help"], folder)
            return all(word in done.stdout for word in rest if word.startswith("--"))
        case ["python", "-m", "pytest", "conformance", *rest]:
            options = ["--oracle", "impl", "--reports", str(folder / "pytest"), "-q"]
            suite = str(ROOT / "conformance")
            return (
                run([sys.executable, "-m", "pytest", suite, *rest, *options], folder).returncode
                == 0
            )
    return False


def sessions() -> set[str]:
    """Return the names of the nox sessions."""
    tree = ast.parse((ROOT / "noxfile.py").read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def extras() -> set[str]:
    """Return the names of the optional dependencies."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return set(project["optional-dependencies"])


@pytest.mark.parametrize(("place", "command"), COMMANDS)
def test_commands_work(place: str, command: str, folder: Path) -> None:
    assert is_done(command, folder), f"{place}: {command}"


@pytest.mark.parametrize(
    "command",
    [
        "python -m nox -s nonsense",
        'python -m pip install -e ".[nonsense]"',
        "python -m conformance nonsense",
        "python -m conformance run --nonsense",
        "python -m conformance diff reports/nonsense reports/latest",
        "python -m conformance.cli.gpu_check --nonsense 1",
        "python -m pytest conformance --nonsense",
        "nonsense",
    ],
)
def test_wrong_commands_are_found(command: str, folder: Path) -> None:
    assert not is_done(command, folder)


def test_all_documents_are_read() -> None:
    names = {path.name for path in DOCUMENTS}
    assert names >= {"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"}
    assert len(names) >= 7
    assert len(SNIPPETS) >= 5
    assert len(COMMANDS) >= 15
    assert {block.language for block in BLOCKS} == {"python", "console", "text"}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_to_files(path: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text(encoding="utf-8"))
    local = [target for target in targets if "://" not in target]
    assert [target for target in local if not (path.parent / target).exists()] == []


CODE = re.compile(r"`((?:impl|conformance|tests|bench|reports|docs)/[\w./]+)`")


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_files_that_are_named_are_there(path: Path) -> None:
    names = CODE.findall(path.read_text(encoding="utf-8"))
    written = ("reports/latest/",)
    assert [name for name in names if name not in written and not (ROOT / name).exists()] == []


def test_the_areas_are_those_of_the_suite() -> None:
    text = (ROOT / "docs" / "testing-your-library.md").read_text(encoding="utf-8")
    listed = text.partition("The areas are:\n")[2].partition(".\n")[0]
    areas = {prop.area for prop in all_properties().values() if prop.about_subject}
    assert re.findall(r"`(\w+)`", listed) == sorted(areas)


def test_the_readme_shows_the_summary_of_the_baseline() -> None:
    summary = terminal.summary(BASELINE | {"baseline": None})
    begin = summary.index(verdict_line(BASELINE))
    shown = [block.text.splitlines() for block in BLOCKS if block.document == "README.md"]
    assert summary[begin : summary.index("", begin)] in shown


@pytest.mark.parametrize(("name", "most"), [("README.md", 150), ("ARCHITECTURE.md", 200)])
def test_documents_are_short(name: str, most: int) -> None:
    assert len((ROOT / name).read_text(encoding="utf-8").splitlines()) <= most
