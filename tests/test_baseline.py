"""The committed report is that of the suite beside it."""

import json
from pathlib import Path

from conformance.clauses import load_clauses
from conformance.controls import CONTROLS
from conformance.registry import all_properties

BASELINE = json.loads((Path(__file__).parents[1] / "reports/baseline/report.json").read_text())


def test_the_baseline_conforms():
    assert BASELINE["verdict"] == "conforms"
    assert (BASELINE["subject"], BASELINE["oracle"]) == ("impl", "torch")
    assert BASELINE["profile"] in ("quick", "standard")
    assert all(each["domain"]["complete"] for each in BASELINE["properties"])


def test_the_baseline_has_the_properties_and_clauses_of_the_suite():
    properties = {each["id"]: each["summary"] for each in BASELINE["properties"]}
    assert properties == {each.id: each.summary for each in all_properties().values()}
    clauses = {each["id"]: each["text"] for each in BASELINE["clauses"]}
    assert clauses == {each.id: each.text for each in load_clauses()}


def test_the_baseline_has_the_controls_of_the_suite():
    faults = {each["id"]: each["fault"] for each in BASELINE["controls"] if each["kind"] == "fault"}
    assert faults == {each.id: each.fault for each in CONTROLS}
