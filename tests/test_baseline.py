"""The committed report has the properties, clauses and controls of the suite."""

import json
from pathlib import Path

import pytest

from conformance.controls import certificates
from conformance.controls.catalogue import CONTROLS, runs
from conformance.controls.certificates import Basis
from conformance.engine.aggregate import build_in
from conformance.properties import all_properties
from conformance.report import files, schema
from conformance.spec.clauses import load_clauses
from conformance.spec.code_digest import suite_digest

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "reports/baseline"
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
    assert all(prop["domain"]["complete"] for prop in BASELINE["properties"])


def test_the_baseline_has_the_properties_and_clauses_of_the_suite():
    properties = {prop["id"]: prop["summary"] for prop in BASELINE["properties"]}
    assert properties == {prop.id: prop.summary for prop in all_properties().values()}
    clauses = {clause["id"]: clause["text"] for clause in BASELINE["clauses"]}
    assert clauses == {clause.id: clause.text for clause in load_clauses()}


def test_a_certificate_of_the_controls_is_of_this_suite():
    """A run with the build of torch that made the baseline needs no controls."""
    build = build_in(BASELINE["environment"], "torch")
    basis = Basis(suite_digest(), "torch", build, "quick")
    certificate = certificates.read(ROOT / basis.path)
    assert certificate.basis == basis, "renew it: python -m conformance controls"
    assert certificate.holds(basis, runs(all_properties()))


def test_the_baseline_has_the_controls_of_the_suite():
    faults = {
        control["id"]: control["fault"]
        for control in BASELINE["controls"]
        if control["kind"] == "fault"
    }
    assert faults == {control.id: control.fault for control in CONTROLS}
