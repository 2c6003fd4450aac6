"""The ledger of survivors, and the report."""

from pathlib import Path
from typing import Any

import pytest

from conformance.core.errors import CouldNotRun
from mutation.draw import all_mutants
from mutation.ledger import Entry, read_ledger, stale
from mutation.report import as_report, killed_in, markdown, summary
from mutation.running import Result
from mutation.sources import Source

GOOD = '[[survivor]]\nid = "a"\ndiff = ""\nverdict = "hole"\nreason = "r"\nproperty = "p"\n'


def write(folder: Path, text: str) -> Path:
    path = folder / "ledger.toml"
    path.write_text(text)
    return path


def test_a_ledger_is_read(tmp_path: Path) -> None:
    entry = Entry("a", "", "hole", "r", "p")
    assert read_ledger(write(tmp_path, GOOD)) == {"a": entry}
    assert read_ledger(tmp_path / "none.toml") == {}
    assert stale([entry], ["a"]) == []
    assert stale([entry], ["b"]) == ["a"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GOOD.replace('"hole"', '"perhaps"'), "a has the verdict 'perhaps'"),
        (GOOD.replace('"r"', '" "'), "a gives no reason"),
        (GOOD.replace('"hole"', '"equivalent"'), "a names a property although it is no hole"),
        (GOOD.replace("reason", "because"), "a: .*because"),
        (GOOD + GOOD, "a has two entries"),
        ("[[survivor]]\n", "an entry without an id"),
    ],
)
def test_a_malformed_ledger_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_ledger(write(tmp_path, text))


SOURCES = {
    "_dtypes/a.py": Source("_dtypes/a.py", b"x = 1\n"),
    "_ops/b.py": Source("_ops/b.py", b"x = 1\ny = 2\nz = 3\nw = 4\n"),
}
MUTANTS = [*all_mutants(SOURCES).values()]
NAMES = [mutant.id for mutant in MUTANTS]


def report(outcomes: str, **verdicts: str) -> dict[str, Any]:
    """Return a report for outcomes, a letter each.

    k(illed), s(urvived), n(ot executed), j(udged by the ledger alone).
    """
    words = {"k": "killed", "s": "survived", "n": "not executed", "j": "judged"}
    results = {
        name: Result(name, words[letter], "p" if letter == "k" else "")
        for name, letter in zip(NAMES, outcomes, strict=False)
    }
    entries = [
        Entry(NAMES[int(number[1:])], "", verdict, "r") for number, verdict in verdicts.items()
    ]
    drawn = [(mutant, mutant.diff(SOURCES[mutant.path].text)) for mutant in MUTANTS]
    facts = {"profile": "quick", "seed": 0}
    return as_report(drawn, results, {each.id: each for each in entries}, NAMES, facts)


@pytest.mark.parametrize(
    ("outcomes", "verdicts", "score", "kept"),
    [
        ("kkkkk", {}, 1.0, True),
        ("kkkks", {}, 0.8, False),
        ("kkkkn", {}, 0.8, False),
        ("kkkks", {"m4": "hole"}, 0.8, False),
        ("kkkks", {"m4": "equivalent"}, 1.0, True),
        ("kkkkn", {"m4": "unobservable"}, 1.0, True),
        ("kkkkk", {"m4": "equivalent"}, 1.0, False),  # it is not
        ("kkkk", {}, 1.0, False),  # one did not run
    ],
)
def test_the_score(outcomes: str, verdicts: dict[str, str], score: float, kept: bool) -> None:
    found = report(outcomes, **verdicts)
    assert (found["score"], found["kept"]) == (score, kept)


def test_a_survivor_in_the_exact_files_fails_the_run() -> None:
    found = report("skkkk")
    assert found["exact"]["open"] == [NAMES[0]]
    assert not found["kept"]
    assert report("skkkk", m0="equivalent")["kept"]


def test_a_report_lists_survivors_by_verdict() -> None:
    found = report("kskss", m3="equivalent")
    assert [row["id"] for row in found["survivors"]] == [NAMES[1], NAMES[3], NAMES[4]]
    assert found["killers"] == {"p": 2}
    assert {row["package"]: row["drawn"] for row in found["packages"]} == {"_dtypes": 1, "_ops": 4}
    text = markdown(found)
    assert text.index(NAMES[1]) < text.index(NAMES[4]) < text.index(NAMES[3])
    assert "-w = 4\n+w = 5" in text
    assert "2 of 5 mutants killed" in summary(found)[0]
    assert "1 equivalent, 0 unobservable, 0 holes, 2 not judged" in summary(found)[1]


def test_a_report_counts_the_mutants_that_did_not_run() -> None:
    found = report("kkksj", m3="equivalent", m4="equivalent")
    assert (found["score"], found["kept"], found["judged"]) == (1.0, True, 1)
    assert "1 of them did not run, as the ledger exempts them" in summary(found)
    assert report("kkkkk")["judged"] == 0


def test_a_report_tells_which_mutants_were_killed_only_if_it_is_about_them() -> None:
    report = {"missing": 0, "drawn": 3, "survivors": [{"id": "b"}]}
    assert killed_in(report, ["a", "b", "c"]) == ["a", "c"]
    for other in ({**report, "missing": 1}, {**report, "drawn": 2}):
        with pytest.raises(CouldNotRun, match="mutants, not 3"):
            killed_in(other, ["a", "b", "c"])
