"""The matrix of several reports: differences, and reports that cannot be compared."""

import json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest

from conformance.cli.commands import main
from conformance.core.errors import CouldNotRun
from conformance.report import files
from conformance.report.matrix import (
    html,
    markdown,
    model,
    text,
)
from conformance.report.text import divergence_counts

from .making_reports import ENVIRONMENT, NOT_CAUGHT, clause, control, divergence, record, report

MINE, THEIRS = {"subject": "mine"}, {"subject": "theirs"}
OTHER_CODE = {"suite": "fedcba9876543210", "subject": None}


def placed(**changes):
    return {"environment": {**ENVIRONMENT, **changes}}


def matrix_of(*reports):
    return model.matrix_from_reports(
        reports, [f"report {number}" for number in range(len(reports))]
    )


def states(data):
    return {
        re.search(r"\w+(?=\(1\))", row["case"])[0]: [cell["state"] for cell in row["cells"]]
        for row in data["divergences"]
    }


def test_a_column_for_each_run_and_a_cell_for_each_property():
    records = [record("a.p"), record("b.q", size=None, visited=5)]
    wrong = report(divergence("f"), divergence("g", "b.q", "expected"), records=records, **THEIRS)
    data = matrix_of(report(records=records, **MINE), wrong)
    assert data["schema"] == "torch-attributes-conformance-matrix/1"
    assert (data["profile"], data["seed"], data["partial"]) == ("quick", 0, None)
    assert [column["name"] for column in data["columns"]] == ["mine", "theirs"]
    assert [column["verdict"] for column in data["columns"]] == ["conforms", "fails"]
    assert data["verdict"] == "fails"
    assert [area["area"] for area in data["areas"]] == ["a", "b"]
    (prop,) = data["areas"][0]["properties"]
    assert prop["id"] == "a.p"
    assert [divergence_counts(cell) for cell in prop["cells"]] == ["", "1 unexpected"]
    assert [cell["verdict"] for cell in prop["cells"]] == ["holds", "diverges"]
    assert text.basis_of_cell(prop["cells"][0]) == "9 compared; 2 of 2 cells, complete"
    cells = data["areas"][1]["cells"]
    assert [divergence_counts(cell) for cell in cells] == ["", "1 expected"]
    assert text.basis_of_cell(cells[0]) == "9 compared; 5 drawn"


def test_other_simplest_forms_of_a_drawn_divergence_are_rows_of_their_own():
    """An answer is shown beside the program that it is the answer of."""
    drawn = divergence("long").divergence
    one, other = (divergence(name, drawn=drawn) for name in "fg")
    assert one.id == other.id
    records = [record(size=None, visited=5)]
    mine = report(one, records=records, **MINE)
    like, unlike = (report(row, records=records, **THEIRS) for row in (one, other))
    assert states(matrix_of(mine, like)) == {"f": ["unexpected", "unexpected"]}
    assert states(matrix_of(mine, unlike)) == {
        "f": ["unexpected", "not seen"], "g": ["not seen", "unexpected"]
    }  # fmt: skip


def test_all_conform_only_if_each_does():
    good = matrix_of(report(**MINE), report(divergence("f", status="expected"), **THEIRS))
    assert (good["verdict"], text.title(good)) == ("conforms", "All 2 runs conform")
    bad = matrix_of(
        report(**MINE), report(controls=[control(**NOT_CAUGHT)], verdict="fails", **THEIRS)
    )
    assert (bad["verdict"], text.title(bad)) == ("fails", "1 of 2 runs conform")
    assert text.problems(bad) == [["theirs", "control", "", "1 planted fault not caught"]]


def test_divergences_are_told_by_identity_and_answers_apart():
    data = matrix_of(
        report(divergence("f"), divergence("g"), **MINE),
        report(
            divergence("f", observed={"int": "2"}), divergence("g", status="expected"), **THEIRS
        ),
        report(subject="third"),
    )
    assert states(data) == {
        "f": ["unexpected", "unexpected", "agrees"],
        "g": ["unexpected", "expected", "agrees"],
    }
    f, g = data["divergences"]
    assert [(answer["observed"], answer["columns"]) for answer in f["answers"]] == [
        ({"int": "1"}, [0]),
        ({"int": "2"}, [1]),
    ]
    assert [answer["columns"] for answer in g["answers"]] == [[0, 1]]
    assert text.cell_states(f) == ["unexpected (1)", "unexpected (2)", "agrees"]
    assert text.cell_states(g) == ["unexpected", "expected", "agrees"]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({"records": [record(size=None)]}, id="drawn"),
        pytest.param({"records": [record(visited=1)]}, id="incomplete"),
        pytest.param({"found": [divergence("h", status="missing", missing="torch.h")]},
                     id="names missing"),
    ],
)  # fmt: skip
def test_nobody_agrees_who_may_not_have_been_asked(other):
    one = report(divergence("f"), **MINE)
    two = report(*other.pop("found", ()), **other, **THEIRS)
    assert states(matrix_of(one, two))["f"] == ["unexpected", "not seen"]


def test_divergences_that_differ_alike_are_shown_once():
    several = [divergence(name) for name in "fgh"]
    data = matrix_of(report(*several, **MINE), report(several[0], several[1], **THEIRS))
    groups = text.groups(data)
    assert [(group.size, [cell["state"] for cell in group.first["cells"]]) for group in groups] == [
        (2, ["unexpected", "unexpected"]),
        (1, ["unexpected", "agrees"]),
    ]  # fmt: skip


def test_missing_names_are_told_for_each_run():
    lacks = divergence("f", status="missing", missing="torch.f")
    data = matrix_of(report(lacks, **MINE), report(**THEIRS))
    assert text.missing(data) == [["torch.f", "missing", "there"]]
    assert text.groups(data) == []


def test_markdown_lists_names_that_are_missing_alike_in_one_row():
    lacks = [divergence(name, status="missing", missing=f"torch.{name}") for name in "fgh"]
    written = markdown.write(matrix_of(report(*lacks, **MINE), report(lacks[0], **THEIRS)))
    rows = [
        [*map(str.strip, row.split("|")[1:-1])] for row in written.splitlines() if "torch.g" in row
    ]
    assert rows == [["2", "missing", "not seen", "`torch.g`, `torch.h`"]]
    assert "## Missing: 3 names" in written


@pytest.mark.parametrize("number", [2, 3, 9])
def test_the_first_problems_of_each_run_are_shown(number):
    records = [record(f"a.p{index}", visited=1) for index in range(number)]
    data = matrix_of(report(records=records, **MINE), report(records=records, **THEIRS))
    rows = text.first_problems(data, 2)
    last = [["", "", f"and {number - 2} more in matrix.json"]] if number > 2 else []
    for name in ("mine", "theirs"):
        of_run = [row[1:] for row in rows if row[0] == name]
        assert [row[:2] for row in of_run[:2]] == [["incomplete", "a.p0"], ["incomplete", "a.p1"]]
        assert of_run[2:] == last


@pytest.mark.parametrize("other", [{"size": None}, {"visited": 1}], ids=["drawn", "incomplete"])
def test_a_name_that_nobody_asked_for_is_not_there(other):
    lacks = divergence("f", status="missing", missing="torch.f")
    data = matrix_of(report(lacks, **MINE), report(records=[record(**other)], **THEIRS))
    assert text.missing(data) == [["torch.f", "missing", "not seen"]]
    records = [record(), record("b.q")]
    both = [lacks, divergence("f", "b.q", "missing", missing="torch.f")]
    two = matrix_of(
        report(*both, records=records, **MINE),
        report(records=[record(), record("b.q", **other)], **THEIRS),
    )
    assert text.missing(two) == [["torch.f", "missing", "not seen"]]


def test_right_facts_are_counted_for_each_run_area_and_level():
    other = record("b.q", facets=Counter(repr=1))
    wrong = record("a.p", wrong=Counter({"1 value": 1}))
    data = matrix_of(
        report(records=[record("a.p"), other], **MINE),
        report(divergence("f"), records=[wrong, other], **THEIRS),
    )
    assert text.percents(data) == [
        [["all"], ["values 100 of 7", "words 100 of 3"], ["values 87.50 of 8", "words 100 of 3"]],
        [["a"], ["values 100 of 7", "words 100 of 2"], ["values 87.50 of 8", "words 100 of 2"]],
        [["b"], ["words 100 of 1"], ["words 100 of 1"]],
    ]


def test_an_area_in_which_no_run_asked_a_fact_has_no_percent():
    records = [record("a.p"), record("b.q", facets=Counter())]
    rows = text.percents(matrix_of(report(records=records), report(records=records, **MINE)))
    assert [name for (name,), *_ in rows] == ["all", "a"]


def test_the_first_causes_of_each_run_are_named():
    blocked = record(size=9, visited=2, blocked=7, by=("torch.g",))
    last = divergence("g", case="torch.g(1)")
    data = matrix_of(report(divergence("f"), last, records=[blocked], **MINE), report(**THEIRS))
    (name, *_, blocked_cells, title, calls), *_ = text.causes(data)
    assert (name, blocked_cells, title) == ("mine", "7", "value: another value")
    assert f"({last.id})" in calls
    assert {row[0] for row in text.causes(data)} == {"mine"}


def test_the_table_of_runs_counts_domains_and_binding_clauses():
    records = [record("a.p"), record("a.q", visited=1), record("a.r", size=None)]
    lacks = [divergence("f", name, status="missing", missing="torch.f") for name in ("a.p", "a.q")]
    clauses = [clause("a.x", "a.p"), clause("a.y", "a.q"), clause("a.z", grade="informative")]
    data = matrix_of(
        report(records=records, clauses=clauses, **MINE),
        report(divergence("f"), *lacks, records=records, clauses=clauses, **THEIRS),
    )
    heads = "domains complete", "binding clauses that hold", "missing names"
    at = [text.RUNS.index(head) for head in heads]
    assert [[row[index] for index in at] for row in text.runs(data)] == [
        ["1 of 2", "1 of 2", "0"], ["1 of 2", "0 of 2", "1"],
    ]  # fmt: skip


def test_clauses_in_different_states_are_named():
    clauses = [clause("a.same", "a.q"), clause("a.other", "a.p")]
    records = [record("a.p"), record("a.q")]
    data = matrix_of(
        report(records=records, clauses=clauses, **MINE),
        report(divergence("f"), records=records, clauses=clauses, **THEIRS),
    )
    assert [(clause["id"], clause["states"]) for clause in data["clauses"]] == [
        ("a.other", ["holds", "diverges"])
    ]


@pytest.mark.parametrize(
    ("one", "other", "names"),
    [
        (MINE, THEIRS, ["mine", "theirs"]),
        (placed(torch="2.11.0"), placed(), ["theirs, torch 2.11.0", "theirs, torch 2.13.0+cpu"]),
        (MINE, {**THEIRS, **placed(torch="2.11.0")},
         ["mine, torch 2.13.0+cpu", "theirs, torch 2.11.0"]),
        ({"subject": "mine@cuda"}, MINE, ["mine@cuda", "mine"]),
        ({"subject": "conformance.adapters.torch_refs"}, MINE, ["torch_refs", "mine"]),
        (placed(platform="darwin"), {}, ["theirs, platform darwin", "theirs, platform linux"]),
        (placed(cuda="1 x H200"), {}, ["theirs, cuda 1 x H200", "theirs, cuda FakeTensorMode"]),
        (placed(python="3.12.1"), MINE, ["theirs", "mine"]),
        (
            {"code": {"suite": "0123456789abcdef", "subject": "00000000000000aa"}}, {},
            ["theirs, code 00000000000000aa", "theirs, code None"],
        ),
    ],
)  # fmt: skip
def test_columns_are_called_by_what_tells_them_apart(one, other, names):
    assert [
        column["name"] for column in matrix_of(report(**one), report(**other))["columns"]
    ] == names


CONFLICTS = {
    "report 0 and report 1 differ in the code of the suite: 0123456789abcdef in one,": (
        report(**MINE), report(code=OTHER_CODE, **THEIRS)),
    "report 0 and report 1 differ in profile: quick in one, deep in the other": (
        report(**MINE), report(profile="deep", **THEIRS)),
    "differ in seed: 0 in one, 1 in the other": (report(**MINE), report(seed=1, **THEIRS)),
    "differ in area: all in one, a in the other": (report(**MINE), report(partial="a", **THEIRS)),
    "differ in list of properties": (report(**MINE), report(records=[record("a.q")], **THEIRS)),
    "report 0 and report 1 are the same run of theirs, twice": (report(), report()),
    "are the same run of theirs": (
        report(started="2026-11-22T01:00:00+00:00"), report(duration_s=9.0, **placed(cores="64"))),
    "nobody could tell report 0 and report 2 apart: both are theirs": (
        report(), report(**MINE), report(divergence("f"))),
    "report 1 does not say which suite made it": (report(**MINE), {**report(), "code": None}),
}  # fmt: skip


@pytest.mark.parametrize("why", CONFLICTS)
def test_what_cannot_stand_side_by_side_is_refused(why):
    with pytest.raises(CouldNotRun, match=re.escape(why)) as refusal:
        matrix_of(*CONFLICTS[why])
    assert "\n" not in str(refusal.value)


class Tags(HTMLParser):
    """A parser that checks the nesting of elements and collects elements and text."""

    def __init__(self, text):
        super().__init__()
        self.open, self.seen, self.text = [], [], ""
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] != ["style"]:
            self.text += data

    def all(self, *names):
        return [attrs for tag, attrs in self.seen if tag in names]


HOSTILE = '</td><script>alert("1 | 2")</script>\n```'


def hostile():
    return matrix_of(
        report(
            divergence("f", case=f"torch.f(1)\n{HOSTILE}", observed=HOSTILE, reproduction=HOSTILE),
            divergence("g", status="missing", missing="torch.<g>"),
            divergence("h", status="expected"),
            **MINE,
        ),
        report(divergence("f", case=f"torch.f(1)\n{HOSTILE}"), stale=["a.p"], **THEIRS),
        report(controls=[], subject="third"),
    )


def test_the_page_is_whole_accessible_and_needs_nothing():
    page = Tags(html.write(hostile()))
    assert page.all("script", "link", "img", "iframe") == []
    assert not [attrs for _, attrs in page.seen if "src" in attrs or "style" in attrs]
    assert all(attrs["href"].startswith("#") for attrs in page.all("a"))
    assert len(page.all("table")) == len(page.all("caption")) > 3
    assert {attrs["scope"] for attrs in page.all("th")} == {"row", "col"}
    targets = [attrs["id"] for _, attrs in page.seen if "id" in attrs]
    assert len(targets) == len(set(targets))
    assert {attrs["href"][1:] for attrs in page.all("a")} <= set(targets)
    assert {"name": "color-scheme", "content": "light dark"} in page.all("meta")
    scrollable = [attrs for attrs in page.all("div") if attrs.get("class") == "scroll"]
    assert all(attrs["tabindex"] == "0" and attrs["aria-label"] for attrs in scrollable)
    assert HOSTILE in page.text


@pytest.mark.parametrize("write", [html.write, markdown.write])
def test_every_column_and_every_state_is_written(write):
    data = hostile()
    text = Tags(write(data)).text if write is html.write else write(data)
    for part in (
        "mine",
        "theirs",
        "third",
        "a.p",
        "torch.<g>",
        "stale",
        "not seen",
        "agrees",
        "unexpected (1)",
    ):
        assert part in text
    assert not re.search(r"\d ?%", text)


def test_markdown_tables_and_fences_hold_whatever_is_written():
    text = markdown.write(hostile())
    tables = [part.splitlines() for part in text.split("\n\n") if part.startswith("| ")]
    assert tables
    for lines in tables:
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}) == 1
    assert text.count("\n````python\n") == 1


def test_the_order_is_that_of_the_command_line_and_nothing_else_decides():
    one, other = report(divergence("f"), **MINE), report(divergence("g"), **THEIRS)
    assert json.dumps(matrix_of(one, other)) == json.dumps(matrix_of(one, other))
    assert [column["name"] for column in matrix_of(other, one)["columns"]] == ["theirs", "mine"]
    assert states(matrix_of(one, other)).keys() == states(matrix_of(other, one)).keys()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files.write(Path("mine"), report(**MINE))
    files.write(Path("theirs"), report(divergence("f"), **THEIRS))
    files.write(Path("good"), report(subject="good"))
    return tmp_path


def call(capsys, *arguments):
    status = main(["merge", *arguments])
    return status, *capsys.readouterr()


def test_reports_are_merged_from_the_command_line(folder, capsys):
    status, out, err = call(capsys, "mine", "theirs/report.json")
    assert (status, err) == (1, "")
    assert "1 of 2 runs conform; 1 divergence by identity, 1 clause in different states" in out
    latest = Path("reports/latest")
    assert sorted(path.name for path in latest.iterdir()) == [
        "matrix.html",
        "matrix.json",
        "matrix.md",
    ]
    assert json.loads((latest / "matrix.json").read_text())["columns"][1]["subject"] == "theirs"
    assert call(capsys, "mine", "good", "--reports", "all")[0] == 0
    assert (folder / "all" / "matrix.html").exists()


def test_one_area_has_a_folder_of_its_own(folder, capsys):
    files.write(Path("part"), report(partial="a"))
    assert call(capsys, "part", "--reports", "again")[0] == 0
    assert [path.name for path in Path("again").iterdir()] == ["only-a"]


def test_one_report_is_written_again(folder, capsys):
    before = Path("theirs/report.json").read_bytes()
    status, out, _ = call(capsys, "theirs", "--reports", "again")
    assert (status, "theirs does not conform" in out) == (1, True)
    assert Path("again/report.json").read_bytes() == before
    assert sorted(path.name for path in Path("again").iterdir()) == sorted(files.WRITERS)
    assert call(capsys, "mine", "--reports", "mine")[0] == 0


@pytest.mark.parametrize(
    ("inputs", "why"),
    [
        (["mine", "theirs", "mine"],
         "mine/report.json and mine/report.json are the same run of mine"),
        (["mine", "nowhere"], "cannot read nowhere"),
        (["mine", "empty"], "empty holds neither shards nor a report"),
        (["mine", "theirs/report.md"], "theirs/report.md is not JSON"),
        (["mine", "theirs", "--reports", "theirs/report.md"],
         "cannot write reports to theirs/report.md"),
        (["mine", "--reports", ""], "--reports names no folder"),
        ([], "the following arguments are required: INPUT"),
    ],
)  # fmt: skip
def test_what_cannot_be_merged_is_2_and_says_why_in_one_line(inputs, why, folder, capsys):
    Path("empty").mkdir()
    status, out, err = call(capsys, *inputs)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert why in err
    assert not Path("reports").exists()


def test_a_difference_is_written_for_a_pull_request(folder, capsys):
    assert main(["diff", "mine", "theirs", "--markdown"]) == 1
    out, _ = capsys.readouterr()
    assert out.startswith("## theirs against torch: conforms → fails, 1 new\n\n**compared although")
    assert "```diff\n  torch.f(1)\n  torch.g()\n- torch.int8\n+ 1\n```" in out
    assert not out.endswith("\n\n")
    assert main(["diff", "theirs", "mine", "--markdown"]) == 0
    assert "<details><summary>gone: 1</summary>" in capsys.readouterr()[0]
