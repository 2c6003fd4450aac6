"""The command ``accept``: a list of a subject's own known divergences."""

import json
import tomllib
from dataclasses import replace

import pytest

from conformance.cli.accept import accept, escaped
from conformance.core.errors import CouldNotRun
from conformance.engine.expectations import JudgedProperty, judge, load_expectations
from conformance.properties import all_properties
from conformance.report import files

from .making_reports import JudgedDivergence, divergence, record, report

NAME, OTHER, DRAWN = "limits.iinfo", "promotion.promote_types", "autograd.stories"
ONE = divergence("one", NAME, case='torch.one([1], "*")\n\ttorch.g()')
TWO = divergence("two", OTHER)
LOST = divergence("lost", NAME, status="missing", missing="torch.lost")


class Accepted(JudgedDivergence):
    """A divergence with an expectation of the author, which has no link."""

    @property
    def expectation(self):
        return replace(super().expectation, link="", is_own=True)


RECORDS = [record(NAME), record(OTHER)]


@pytest.fixture
def folder(tmp_path):
    files.write(tmp_path, report(ONE, TWO, LOST, records=RECORDS))
    return tmp_path


def accept_all(folder, **changes):
    options = {"everything": True, "reason": "later", "link": "", "into": folder / "known.toml"}
    return accept(folder, changes.pop("ids", ()), **{**options, **changes})


def judged(folder, *divergences, names=(NAME, OTHER)):
    expectations = load_expectations(all_properties(), folder / "known.toml")
    facts = {"subject": "theirs", "torch": "2.13.0+cpu"}
    found = [it.divergence for it in divergences]
    rows = [
        JudgedProperty(name, True, "", [each for each in found if each.property_id == name])
        for name in names
    ]
    return judge(rows, expectations, facts)


def test_what_is_accepted_is_expected_and_what_is_new_is_not(folder, capsys):
    assert accept_all(folder) == 0
    assert "3 rows written" in capsys.readouterr().out
    assert not judged(folder, ONE, TWO, LOST).problems
    new = divergence("new", NAME)
    [problem] = judged(folder, ONE, TWO, LOST, new).problems
    assert problem.kind == "divergence"
    [problem] = judged(folder, ONE, LOST).problems
    assert problem.kind == "stale"


def test_a_drawn_divergence_is_accepted_as_it_was_drawn(tmp_path):
    """The next run may find another simplest form, or has no time to search for one."""
    found = divergence("long", DRAWN)
    one, other = (divergence(name, DRAWN, drawn=found.divergence) for name in ("f", "g"))
    files.write(tmp_path, report(one, records=[record(DRAWN, size=None)]))
    accept_all(tmp_path)
    for again in (one, other, found):
        assert not judged(tmp_path, again, names=[DRAWN]).problems
    assert judged(tmp_path, divergence("f", DRAWN), names=[DRAWN]).problems


def test_a_row_holds_for_its_subject_and_its_torch(folder):
    accept_all(folder)
    rows = tomllib.loads((folder / "known.toml").read_text())["expectation"]
    assert {row["reason"] for row in rows} == {"later"}
    assert rows[0]["condition"] == {"subject": "theirs", "torch": "2.13.*"}


def test_a_row_found_in_a_part_of_a_domain_says_in_which(tmp_path, capsys):
    seen = [record(NAME, one_in=213), record(OTHER)]
    files.write(tmp_path, report(ONE, TWO, records=seen, profile="smoke"))
    accept_all(tmp_path)
    rows = tomllib.loads((tmp_path / "known.toml").read_text())["expectation"]
    assert [row.get("sample") for row in rows] == ["one in 213, seed 0", None]
    assert "of theirs, profile smoke, run at" in capsys.readouterr().out


def test_a_report_with_accepted_divergences_is_whole(folder):
    """A row without a link has none in the report."""
    accept_all(folder)
    assert "link" not in (folder / "known.toml").read_text()
    files.write(folder, report(Accepted(ONE.divergence, "expected"), records=RECORDS))
    [again] = files.load(folder)["divergences"]
    assert (again["status"], again["link"]) == ("expected", None)


@pytest.mark.parametrize(("kind", "state"), [(Accepted, "diverges"), (JudgedDivergence, "holds")])
def test_no_clause_holds_because_its_divergences_are_accepted(kind, state):
    """An expectation of the suite is for what torch leaves open; one of the author is not."""
    data = report(kind(ONE.divergence, "expected"), records=[record(NAME)])
    assert data["verdict"] == "conforms"
    assert [clause["state"] for clause in data["clauses"]] == [state]
    assert [row.get("accepted") for row in data["divergences"]] == [state == "diverges" or None]


def test_some_are_accepted_by_their_ids_and_others_stay(folder):
    accept_all(folder, everything=False, ids=[ONE.id])
    accept_all(folder, everything=False, ids=[TWO.id[:6]], reason="never")
    rows = tomllib.loads((folder / "known.toml").read_text())["expectation"]
    assert [row["reason"] for row in rows] == ["later", "never"]
    accept_all(folder, everything=False, ids=[ONE.id], reason="soon")
    rows = tomllib.loads((folder / "known.toml").read_text())["expectation"]
    assert [row["reason"] for row in rows] == ["soon", "never"]


def test_a_row_that_changes_is_counted_apart(folder, capsys):
    accept_all(folder, everything=False, ids=[ONE.id])
    assert "1 row written into" in capsys.readouterr().out
    accept_all(folder, reason="soon")
    assert "2 rows written into" in (text := capsys.readouterr().out)
    assert ", 1 row changed" in text


def test_all_of_an_interrupted_run_is_not_accepted(folder):
    """Its domains are incomplete as it ended, not as the subject is."""
    data = {**report(ONE, records=RECORDS), "interrupted": {"parts": 20, "of": 62}}
    (folder / "report.json").write_text(json.dumps(data))
    for changes in ({}, {"everything": False, "prune": True}):
        with pytest.raises(CouldNotRun, match="interrupted after 20 of 62 parts"):
            accept_all(folder, **changes)
    assert not (folder / "known.toml").exists()
    assert accept_all(folder, everything=False, ids=[ONE.id]) == 0


@pytest.mark.parametrize(
    ("options", "written"),
    [({}, True), ({"everything": False, "prune": True, "reason": ""}, False)],
)
def test_rows_that_no_longer_occur_go(options, written, folder, capsys):
    accept_all(folder)
    text = json.loads((folder / "report.json").read_text())
    stale = f"expectation '{NAME}.{ONE.id}': nothing instead of 1, 0"
    problem = {"kind": "stale", "property": NAME, "text": stale, "facet": "value", "level": 1}
    data = report(TWO, records=RECORDS)
    data["problems"].append(problem)
    (folder / "report.json").write_text(json.dumps({**data, "verdict": "fails"}))
    assert text["schema"] == data["schema"]
    data["divergences"][0]["id"] = "0123456789ab"
    (folder / "report.json").write_text(json.dumps({**data, "verdict": "fails"}))
    accept_all(folder, **options)
    assert "1 row removed" in capsys.readouterr().out
    rows = (folder / "known.toml").read_text()
    assert ONE.id not in rows
    assert ("0123456789ab" in rows) == written


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"everything": False}, "give the ids"),
        ({"ids": ["x"]}, "give the ids"),
        ({"reason": " "}, "--reason is empty"),
        ({"reason": ""}, "give a --reason"),
        ({"prune": True}, "give the ids"),
        ({"everything": False, "ids": ["nothing"]}, "0 divergences of"),
    ],
)
def test_what_cannot_be_accepted_writes_nothing(changes, why, folder):
    with pytest.raises(CouldNotRun, match=why):
        accept_all(folder, **changes)
    assert not (folder / "known.toml").exists()


def test_a_pattern_matches_one_text():
    assert escaped("a[b] *?") == "a[[]b] [*][?]"


def test_a_blocked_domain_is_accepted_too(tmp_path, capsys):
    blocked = report(records=[record(NAME, size=5, visited=2, blocked=3)])
    files.write(tmp_path, blocked)
    accept_all(tmp_path)
    expectations = load_expectations(all_properties(), tmp_path / "known.toml")
    facts = {"subject": "theirs", "torch": "2.13.0+cpu"}
    incomplete = JudgedProperty(NAME, False, "2 of 5", [], True)
    judgement = judge([incomplete], expectations, facts)
    assert (judgement.problems, [*judgement.domains]) == ([], [NAME])
    [problem] = judge([JudgedProperty(NAME, True, "", [])], expectations, facts).problems
    assert problem.kind == "stale"
    capsys.readouterr()
