"""Reports: pure functions of a run, written whole or not at all, compared by identity."""

import copy
import json
import tomllib
from pathlib import Path

import pytest

from conformance.errors import CouldNotRun
from conformance.facets import FACETS
from conformance.report import diff, files, markdown, terminal, text
from conformance.report.text import WORST_FIRST, verdict_line
from conformance.words import both


def divergence(identity, **changes):
    return {
        "id": identity, "property": "a.p", "clause": ["a.c"], "facet": "value",
        "case": "torch.f(1)\ntorch.g()", "expected": {"torch": "int8"}, "observed": {"int": "1"},
        "missing": None, "fingerprint": "f", "status": "unexpected", "reason": None, "link": None,
        "messages": [None, None], "reproduction": "import torch\nprint(1)", **changes,
    }  # fmt: skip


def report(*divergences, **changes):
    unexpected = sum(each["status"] != "expected" for each in divergences)
    domain = {
        "kind": "finite",
        "size": 2,
        "visited": 2,
        "rejected": 0,
        "digest": "0",
        "complete": True,
    }
    made = {
        "schema": "torch-attributes-conformance/1", "subject": "theirs", "oracle": "torch",
        "environment": {"torch": "2.13.0"}, "profile": "quick", "seed": 0, "duration_s": 1.0,
        "partial": None, "verdict": "fails" if unexpected else "conforms",
        "totals": {"comparisons": 9, "divergences": len(divergences), "unexpected": unexpected,
                   "missing": 0, "expected": len(divergences) - unexpected},
        "problems": [], "areas": [{"area": "a", "verdict": "holds", "properties": 1, "comparisons": 9,
                                   "divergences": 0, "unexpected": 0, "missing": 0, "expected": 0}],
        "clauses": [{"id": "a.c", "grade": "must", "state": "holds", "text": "it | works"}],
        "properties": [{"id": "a.p", "area": "a", "summary": "s", "verdict": "holds",
                        "comparisons": 9, "domain": domain}],
        "divergences": list(divergences),
        "controls": [{"id": "c", "kind": "fault", "fault": "f", "property": "a.p", "caught": True, "found": []}],
        "normalisations": [{"name": "n", "facets": ["value"], "why": "w", "used": 0}],
    }  # fmt: skip
    return {**made, **changes}


ONE, TWO = divergence("one"), divergence("two", facet="repr")


def kinds(old, new):
    return [(each.kind, each.divergence["id"]) for each in diff.changes(old, new)]


def test_equal_reports_have_no_difference():
    assert kinds(report(ONE), report(copy.deepcopy(ONE))) == []
    assert not diff.is_worse(report(ONE), report(ONE))


def test_as_many_divergences_are_not_the_same_divergences():
    assert kinds(report(ONE), report(TWO)) == [("new", "two"), ("gone", "one")]
    assert diff.is_worse(report(ONE), report(TWO))


def test_a_drawn_case_that_is_not_drawn_again_is_not_gone():
    sampled = report(ONE)["properties"][0]
    sampled = {**sampled, "domain": {**sampled["domain"], "kind": "sampled"}}
    assert kinds(report(ONE), report(properties=[sampled])) == [("not drawn", "one")]


def test_the_worst_come_first_and_what_is_missing_stands_apart():
    found = [
        divergence("a", facet="repr"),
        divergence("b", facet="raises"),
        divergence("c", status="missing", missing="torch.f"),
        divergence("d"),
        divergence("e"),
        divergence("f", status="expected"),
    ]
    found[-1]["fingerprint"] = "g"
    order = [(each.first["id"], each.size) for each in text.groups(report(*found))]
    assert order == [("d", 2), ("b", 1), ("a", 1), ("f", 1)]
    assert text.missing_names(report(*found)) == ["torch.f"]


def test_what_is_gone_is_not_worse():
    assert kinds(report(ONE, TWO), report(ONE)) == [("gone", "two")]
    assert not diff.is_worse(report(ONE, TWO), report(ONE))


@pytest.mark.parametrize("change", [{"fingerprint": "g"}, {"status": "expected"}])
def test_another_answer_to_the_same_question_is_a_change(change):
    assert kinds(report(ONE), report({**ONE, **change})) == [("changed", "one")]
    assert diff.is_worse(report(ONE), report({**ONE, **change}))


def test_what_did_not_run_is_not_gone():
    assert kinds(report(ONE), report(properties=[])) == [("not run", "one")]
    assert diff.is_worse(report(), report(properties=[]))


def test_the_difference_is_written():
    assert diff.lines(report(), report()) == ["no difference"]
    assert diff.lines(report(ONE), report(TWO))[0] == "new: 1"


def test_a_report_is_read_as_it_was_written(tmp_path):
    written = files.write(tmp_path, report(ONE))
    assert files.load(tmp_path / files.JSON) == files.load(tmp_path) == report(ONE)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(path.name for path in written)


def test_the_mark_stays_until_the_report_is_written(tmp_path):
    mark = files.begin(tmp_path)
    files.write(tmp_path, report())
    assert files.was_left_incomplete(tmp_path)
    files.end(tmp_path, mark)
    assert not files.was_left_incomplete(tmp_path)


def test_the_mark_of_a_later_run_stays(tmp_path):
    first, second = files.begin(tmp_path), files.begin(tmp_path)
    files.end(tmp_path, first)
    assert files.was_left_incomplete(tmp_path)
    files.end(tmp_path, second)
    assert not files.was_left_incomplete(tmp_path)


def test_a_report_that_cannot_be_written_leaves_the_last_one_whole(tmp_path, monkeypatch):
    files.write(tmp_path, report(ONE))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def fail(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "replace", fail)
    with pytest.raises(CouldNotRun, match="No space left"):
        files.write(tmp_path, report(TWO))
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_folder_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(CouldNotRun, match="cannot write reports"):
        files.begin(tmp_path / "taken" / "deeper")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not JSON"),
        (json.dumps(report(ONE))[:-40], "not JSON"),
        ("[]", "not a conformance report"),
        ('{"schema": "x"}', "not a conformance report"),
        (json.dumps(report(schema="torch-attributes-conformance/9")), "not known here"),
    ],
)
def test_what_is_no_report_is_refused(text, why, tmp_path):
    path = tmp_path / "report.json"
    path.write_text(text)
    with pytest.raises(CouldNotRun, match=why):
        files.load(path)


def test_a_report_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(CouldNotRun, match="No such file"):
        files.load(tmp_path / "report.json")


def test_the_summary_fits_a_screen():
    many = [
        divergence(f"{number}.{turn}", property=f"a.{number}", case="torch.f()\n" * 99)
        for number in range(250)
        for turn in range(2)
    ]
    lines = terminal.summary(report(*many, problems=[]), ["reports/latest/report.md"])
    assert len(lines) <= 50
    assert max(map(len, lines)) <= 120, max(lines, key=len)
    assert "245 more kinds of unexpected divergence" in "\n".join(lines)
    assert "one of 2 alike" in "\n".join(lines)


def test_the_verdict_says_what_is_wrong():
    assert verdict_line(report()) == "theirs conforms to torch 2.13.0"
    wrong = report(ONE, controls=[{"id": "c", "kind": "itself", "fault": "none", "found": [], "caught": False}],
                   problems=[{"kind": "incomplete", "property": "a.p", "text": "1 of 2"}])  # fmt: skip
    line = verdict_line(wrong)
    for part in ("1 unexpected divergence", "1 incomplete domain", "1 failed control"):
        assert part in line


def test_what_fails_the_run_is_in_the_summary():
    wrong = report(
        problems=[{"kind": "stale", "property": "a.p", "text": "nothing instead of 1"}],
        controls=[
            {"id": "blind", "kind": "fault", "fault": "f", "caught": False, "found": ["value"]}
        ],
    )
    summary = "\n".join(terminal.summary(wrong))
    assert "stale: a.p: nothing instead of 1" in summary
    assert "failed control: blind (f); found: value" in summary


def test_the_first_difference_can_be_seen():
    left, right = (
        both(divergence("a", facet="message", expected="x" * 500 + end, observed="x" * 500))
        for end in "ab"
    )
    assert left[0].endswith("xa")
    assert left[0] != left[1]
    assert max(map(len, left + right)) <= 100


def test_of_long_lists_only_what_differs_is_written():
    items = [{"int": str(number)} for number in range(50)]
    one = divergence("a", expected={"list": items}, observed={"list": [*items[1:], {"int": "99"}]})
    assert both(one) == ("also 0", "also 99")


def test_one_divergence_is_shown_with_its_reproduction():
    lines = "\n".join(terminal.one_divergence(report(ONE), "on"))
    assert "expected     torch.int8" in lines
    assert "print(1)" in lines
    assert terminal.one_divergence(report(ONE), "two") == []


def test_markdown_holds_every_part():
    written = markdown.write(report(ONE, {**TWO, "status": "expected", "reason": "r", "link": "l"}))
    for part in ("# theirs does not conform", "### `one`", "Expected: r (l)", "print(1)", "`a.c`",
                 r"it \| works", "2 of 2 cells, complete", "| c ", "| n "):  # fmt: skip
        assert part in written
    assert markdown.write(report(ONE)) == markdown.write(copy.deepcopy(report(ONE)))


def test_the_packages_hold_their_data():
    project = tomllib.loads(Path("pyproject.toml").read_text())
    assert project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == [
        "impl",
        "conformance",
    ]


ELEMENTS = {
    "compared": 1200, "differing": 1,
    "pairs": [
        {"source": "float32", "target": "int8", "compared": 1200, "differing": 1,
         "undefined": {"r": 200}, "forgiven": {"r": 3}},
        {"source": "int8", "target": "bits8", "compared": 0, "differing": 0,
         "undefined": {}, "forgiven": {}},
    ],
    "rules": [{"name": "r", "why": "w", "link": "https://r", "undefined": 200, "forgiven": 3}],
}  # fmt: skip


def test_elements_are_counted_for_each_pair_and_rule():
    written = markdown.write(report(elements=ELEMENTS))
    line = "1,200 elements converted and compared, 200 of them undefined in torch, 1 wrong"
    assert f"## Elements\n\n{line}." in written
    assert "1,200 / 200, 1 wrong" in written
    assert "no elements" in written
    assert "| [r](https://r) | w     | 200      | 3          |" in written
    assert line in terminal.summary(report(elements=ELEMENTS))


def test_a_report_without_elements_does_not_speak_of_them():
    nothing = {"compared": 0, "differing": 0, "pairs": [], "rules": []}
    for empty in (report(), report(elements=nothing)):
        assert "elements converted" not in markdown.write(empty)
        assert "elements converted" not in "".join(terminal.summary(empty))


@pytest.mark.parametrize(
    ("votes", "alone", "line"),
    [
        ({"NumPy": "01 (1)"}, "oracle", "NumPy gives 01 (1): the oracle stands alone"),
        ({"a": "1", "b": "2"}, "", "a gives 1, b gives 2: nobody stands alone"),
        ({}, "", "no voter has an answer"),
    ],
)
def test_what_others_make_of_an_element_is_told(votes, alone, line):
    found = report(divergence("one", facet="elements", votes=votes, alone=alone))
    assert f"    others    {line}" in terminal.summary(found)
    assert f"others       {line}" in terminal.one_divergence(found, "one")
    assert line in markdown.write(found)


def test_without_a_vote_nobody_is_told_of():
    assert "others" not in "".join(terminal.summary(report(divergence("one", votes=None))))


SURFACE = {
    "public": 1010, "in_scope": 1008, "present": 1005, "missing": ["torch.a"],
    "planned": ["torch.b", "torch.c"],
    "out_of_scope": [{"group": "far", "reason": "too far", "names": ["torch.d", "torch.e"]}],
}  # fmt: skip


def test_reports_count_names():
    line = "of 1,010 public names 1,008 are in scope: 1,005 present, 3 missing (2 of them planned)"
    written = markdown.write(report(surface=SURFACE))
    assert line in terminal.summary(report(surface=SURFACE))
    assert f"## Public names\n\n{line}." in written
    assert "Missing: `torch.a`." in written
    assert "Missing, and planned: `torch.b`, `torch.c`." in written
    assert "`torch.d`, `torch.e`" in written
    assert "public names" not in "".join(terminal.summary(report(surface=None))).lower()
    assert "Public names" not in markdown.write(report(surface=None))


def test_every_facet_has_its_place_among_divergences():
    assert sorted(WORST_FIRST) == sorted(["verdict", *(facet.name for facet in FACETS)])
