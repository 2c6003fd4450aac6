"""The edits by hand: each fits impl as it is, and the examples answer as their rows say."""

import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from mutation.edit_report import as_report, markdown, summary
from mutation.edits import HandEdit, read_edits, select_edits
from mutation.running import Result
from mutation.sources import Source, read_sources
from mutation.suite import ROOT, SUBJECT, Workplace

EDITS = read_edits()
LEAST = 20
TEXT = b"def double(x):\n    if x < 0:\n        return -1\n    # twice\n    return x * 2\n"
SMALL = {"__init__.py": Source("__init__.py", TEXT)}

ANSWER = """
import ast, sys, impl as torch
tree = ast.parse(sys.argv[1])
last = ast.Expression(tree.body.pop().value)
names = {"torch": torch}
try:
    exec(compile(tree, "program", "exec"), names)
    print(repr(eval(compile(last, "program", "eval"), names)))
except Exception as error:
    print(type(error).__name__)
"""


def edit(old: str, new: str, path: str = "__init__.py") -> HandEdit:
    return HandEdit("small", "an edit", path, old, new)


def answer(folder: Path, program: str) -> str:
    """Return the answer of the impl in a folder to a program, or the class of its error."""
    command = [sys.executable, "-W", "ignore", "-c", ANSWER, program]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True).stdout.strip()


def test_each_edit_fits_impl() -> None:
    sources = read_sources(ROOT / SUBJECT)
    mutants = [each.mutant(sources) for each in EDITS]
    assert all(mutant.lines for mutant in mutants)
    assert len({mutant.id for mutant in mutants}) == len(mutants)


def test_each_kind_has_enough_edits() -> None:
    counts = Counter(each.kind for each in EDITS)
    assert len(counts) == 10
    assert min(counts.values()) >= LEAST


@pytest.fixture(scope="module")
def workplace() -> Any:
    found = Workplace()
    yield found
    found.remove()


@pytest.mark.parametrize("row", [x for x in EDITS if x.program], ids=lambda row: row.name)
def test_an_example_answers_as_its_row_says(row: HandEdit, workplace: Workplace) -> None:
    sources = {row.path: Source(row.path, (ROOT / SUBJECT / row.path).read_bytes())}
    text = row.mutant(sources).apply(sources[row.path].text)
    assert answer(workplace.folder, row.program) == row.torch
    edited = workplace.with_edits({row.path: text}, lambda folder: answer(folder, row.program))
    assert edited == row.edited != row.torch


def test_an_edit_is_a_mutant() -> None:
    mutant = edit("if x < 0", "if x <= 0").mutant(SMALL)
    assert b"if x <= 0:\n" in mutant.apply(TEXT)
    assert (mutant.line, mutant.scope, mutant.lines) == (2, "double", (2,))
    assert edit("    # twice\n", "    x += 1\n").mutant(SMALL).lines == (5,)
    both = edit("-1\n    # twice\n    return x * 2", "-2\n    return x").mutant(SMALL)
    assert both.lines == (3, 5)
    assert edit("double(x)", "double(x=0)").mutant(SMALL).lines == (2, 3, 4, 5)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (edit("return x * 3", ""), "is stale: 0 places"),
        (edit("return", "yield"), "is stale: 2 places"),
        (edit("", "pass"), "is stale: 0 places"),
        (edit("x", "y", "other.py"), "is stale: 0 places"),
        (edit("x * 2", "x *"), "no valid Python"),
    ],
)
def test_an_edit_without_its_place_is_an_error(row: HandEdit, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        row.mutant(SMALL)


def test_edits_are_read_and_selected(tmp_path: Path) -> None:
    row = '[[edit]]\nname = "{}"\npath = "a.py"\nold = "1"\nnew = "2"\n'
    (tmp_path / "second_time.toml").write_text(row.format("one") + row.format("two"))
    rows = read_edits(tmp_path)
    assert [(each.kind, each.name) for each in rows] == [("second time", x) for x in ("one", "two")]
    assert select_edits(rows, []) == select_edits(rows, ["second time"]) == rows
    assert select_edits(rows, ["two"]) == rows[1:]
    with pytest.raises(ValueError, match="three"):
        select_edits(rows, ["three"])
    (tmp_path / "printing.toml").write_text('likely = ["printing"]\n' + row.format("four"))
    assert [each.likely for each in read_edits(tmp_path)] == [("printing",), (), ()]
    (tmp_path / "views.toml").write_text(row.format("one"))
    with pytest.raises(ValueError, match="edits of one name: one"):
        read_edits(tmp_path)
    (tmp_path / "views.toml").write_text('[[edit]]\nname = "three"\n')
    with pytest.raises(ValueError, match=r"views\.toml: three"):
        read_edits(tmp_path)


def test_a_report_counts_by_kind() -> None:
    rows = [(edit("x * 2", "x"), name, "-x * 2\n+x") for name in ("a", "b", "c")]
    results = {"a": Result("a", "killed", "area.name"), "b": Result("b", "survived")}
    report = as_report(rows, results, {"profile": "quick"})
    assert (report["caught"], report["missing"], report["kept"]) == (1, 1, False)
    assert report["kinds"] == [{"kind": "small", "edits": 2, "caught": 1, "survived": 1}]
    assert "survived: an edit" in summary(report)
    assert "| an edit | `__init__.py` | **survived**" in markdown(report)
