"""The committed report has what the suite beside it has."""

import json
from pathlib import Path

import pytest

from conformance.controls.catalogue import CONTROLS
from conformance.properties import all_properties
from conformance.report import files, schema
from conformance.spec.clauses import load_clauses

FOLDER = Path(__file__).parents[1] / "reports/baseline"
BASELINE = json.loads((FOLDER / "report.json").read_text())
REWRITE = "write it anew: python -m conformance merge reports/baseline --reports reports/baseline"


def test_the_baseline_is_a_report_as_the_schema_says():
    assert schema.problems(BASELINE) == []


@pytest.mark.parametrize("name", ["report.json", "report.md"])
def test_the_files_of_the_baseline_are_as_they_are_written_now(name):
    assert (FOLDER / name).read_text(encoding="utf-8") == files.WRITERS[name](BASELINE), REWRITE


def test_the_baseline_conforms():
    assert BASELINE["verdict"] == "conforms"
    assert (BASELINE["subject"], BASELINE["oracle"]) == ("impl", "torch")
    assert (BASELINE["profile"], BASELINE["seed"], BASELINE["partial"]) == ("quick", 0, None)
    assert all(each["domain"]["complete"] for each in BASELINE["properties"])


def test_the_baseline_has_the_properties_and_clauses_of_the_suite():
    properties = {each["id"]: each["summary"] for each in BASELINE["properties"]}
    assert properties == {each.id: each.summary for each in all_properties().values()}
    clauses = {each["id"]: each["text"] for each in BASELINE["clauses"]}
    assert clauses == {each.id: each.text for each in load_clauses()}


def test_the_baseline_has_the_controls_of_the_suite():
    faults = {each["id"]: each["fault"] for each in BASELINE["controls"] if each["kind"] == "fault"}
    assert faults == {each.id: each.fault for each in CONTROLS}
