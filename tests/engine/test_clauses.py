"""The clauses of the specification and their properties."""

import pytest

from conformance.controls.catalogue import CONTROLS
from conformance.properties import all_properties
from conformance.spec.clauses import (
    Clause,
    clauses_by_property,
    load_clauses,
    load_documents,
    state_of,
)

DOCUMENTS = {
    "000_fe46592f254c1951.txt",
    "001_3a1ad9b90cc46357.txt",
    "002_8ed593db4d1ce735.txt",
    "003_8e234788f044c8f4.txt",
    "004_14095ee0faf33822.txt",
}


def test_the_clauses_are_well_formed_and_come_from_all_documents():
    clauses = load_clauses()
    documents = {document.name: document for document in load_documents()}
    assert {document.file for document in documents.values()} == DOCUMENTS
    assert {name for clause in clauses for name in clause.documents} == {*documents}
    assert all(document.address.startswith("https://") for document in documents.values())


def test_a_clause_names_only_properties_that_exist():
    properties = all_properties()
    assert [name for name in clauses_by_property(load_clauses()) if name not in properties] == []


def test_every_property_is_named_by_a_planted_fault():
    caught = {control.property for control in CONTROLS}
    assert [name for name in all_properties() if name not in caught] == []


def test_controls_have_names_of_their_own_and_name_properties_that_exist():
    assert len({control.id for control in CONTROLS}) == len(CONTROLS)
    assert {control.property for control in CONTROLS} <= set(all_properties())


def clause(**changes):
    fields = {
        "id": "a.b", "grade": "must", "text": "t", "heading": "h", "documents": ("d",),
        "properties": ("p", "q"),
    }  # fmt: skip
    return Clause(**{**fields, **changes})


@pytest.mark.parametrize(
    ("row", "verdicts", "failing", "state"),
    [
        (clause(), {"p": "holds", "q": "holds"}, [], "holds"),
        (clause(), {"p": "holds", "q": "diverges"}, [("q", "x")], "diverges"),
        (clause(), {"p": "holds", "q": "holds", "r": "diverges"}, [("r", "x")], "holds"),
        (clause(), {"p": "holds"}, [], "not run"),
        (clause(), {"p": "diverges"}, [("p", "x")], "diverges"),
        (clause(cases=r"\bint8$"), {"p": "diverges", "q": "holds"}, [("p", "uint8")], "holds"),
        (clause(cases=r"\bint8$"), {"p": "diverges", "q": "holds"}, [("p", "int8")], "diverges"),
        (clause(properties=()), {}, [], "unchecked"),
        (clause(properties=(), unobservable="no GPU"), {}, [], "unobservable"),
        (clause(properties=(), grade="informative"), {}, [], "informative"),
        (clause(superseded_by="a.c"), {"p": "diverges"}, [("p", "x")], "superseded"),
    ],
)
def test_the_state_of_a_clause(row, verdicts, failing, state):
    assert state_of(row, verdicts, failing) == state


ROW = """
[[clause]]
id = "a.{id}"
grade = "{grade}"
text = "t"
heading = "h"
documents = "{documents}"
properties = []
"""
DOCUMENT = """
[[document]]
name = "d"
file = "d.txt"
title = "D"
address = "https://example.org"
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ROW.format(id="b", grade="may", documents="d"), "no such grade"),
        (ROW.format(id="b", grade="must", documents="d") * 2, "two clauses"),
        (ROW.format(id="b", grade="must", documents=""), "no known document"),
        (ROW.format(id="b", grade="must", documents="e"), "no known document"),
        (ROW.format(id="b", grade="must", documents="d") + 'superseded_by = "a.c"', "'a.c'"),
        (
            ROW.format(id="b", grade="must", documents="d").replace("[]", '["p"]')
            + 'unobservable = "no GPU"',
            "not observable",
        ),
    ],
)
def test_a_bad_clause_is_refused(text, message, tmp_path):
    path = tmp_path / "clauses.toml"
    path.write_text(DOCUMENT + text)
    with pytest.raises(ValueError, match=message):
        load_clauses(path)


def test_no_clause_that_binds_is_without_a_check_or_a_reason():
    states = [state_of(row, {}, []) for row in load_clauses() if row.grade == "must"]
    assert "unchecked" not in states
