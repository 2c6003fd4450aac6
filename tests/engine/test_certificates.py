"""Certificates: when the controls need not run, and what a report says of it.

impl is the oracle, with the build of a torch in its environment.  torch is not needed.
"""

import json
from argparse import Namespace
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.cli import commands, run, shards
from conformance.cli.run import Run
from conformance.cli.settings import Settings
from conformance.controls import certificates
from conformance.controls.certificates import Basis, Certificate
from conformance.core.errors import CouldNotRun
from conformance.core.profiles import PROFILES
from conformance.engine.aggregate import known_facts, to_text
from conformance.engine.execution import run_part
from conformance.engine.session import Session
from conformance.libraries.loading import load
from conformance.properties import all_properties
from conformance.report import schema, terminal
from conformance.spec import code_digest

LIMITS = {name: prop for name, prop in all_properties().items() if prop.area == "limits"}
CONTROLS = ["first", "second"]
SUITE = 16 * "5"
BUILD = {"version": "2.13.0", "commit": "c0ffee", "cpu_capability": "AVX2"}
BASIS = Basis(SUITE, "impl", BUILD, "quick")
FILE = Path("reports/certificates/impl-2.13.0-avx2-quick.json")


def control(name, caught=True):
    return {"id": name, "kind": "fault", "fault": name, "property": "limits.iinfo",
            "caught_as": "value", "caught": caught, "found": ["value"] if caught else [],
            "problems": int(caught), "example": name if caught else None}  # fmt: skip


CERTIFICATE = Certificate(
    BASIS, 0, {"python": "3.13"}, "2026-11-22T03:02:37+00:00", [control(name) for name in CONTROLS]
)


@pytest.fixture(scope="module")
def brought():
    oracle = load("impl")
    session = Session(oracle, oracle, PROFILES["quick"])
    parts = {
        shards.part_id(name, part): to_text(run_part(session, prop, part))
        for name, prop in LIMITS.items()
        for part in range(prop.parts)
    }
    return parts, known_facts(session)


@pytest.fixture
def finish(brought, tmp_path, monkeypatch):
    """Return a function that runs the area limits and the controls in an empty folder."""
    monkeypatch.chdir(tmp_path)
    for module in (shards, run, commands):
        monkeypatch.setattr(module, "all_properties", lambda: LIMITS)
    for module in (shards, commands):
        monkeypatch.setattr(module, "runs", lambda properties: dict.fromkeys(CONTROLS))
    monkeypatch.setattr(code_digest, "suite_digest", lambda: SUITE)
    monkeypatch.setattr(commands, "suite_digest", lambda: SUITE)
    parts, facts = brought

    def finish(controls, certificate=None, subject="impl", only=None, build=BUILD):
        of_torch = {name: build[name] for name in ("commit", "cpu_capability")}
        environment = {**facts["environment"], "impl": build["version"], **of_torch}
        this = Run(Settings(subject, "impl", only=only, certificate=certificate))
        this.begin()
        this.add_facts({"environment": environment, "facts": {**facts["facts"], **environment}})
        for text in parts.values() if only is None else ():
            this.add_part(text)
        for row in controls:
            this.add_control(row)
        return this.finish(), this.lines

    return finish


def report():
    return json.loads(Path("reports/latest/report.json").read_text())


def found(**options):
    """Return the file of the certificate that a run of the command line uses, or None."""
    asked = {"controls": False, "only": None, "shard": None, "oracle": "impl", "subject": "impl",
             "profile": "quick"}  # fmt: skip
    return commands._certificate(Namespace(**asked | options), BUILD)


@pytest.mark.parametrize("only", [None, "controls"])
def test_a_run_that_catches_all_writes_a_certificate(finish, only):
    status, lines = finish([control(name) for name in CONTROLS], only=only)
    assert (status, f"wrote {FILE}" in lines) == (0, True)
    assert certificates.read(FILE).holds(BASIS, CONTROLS)
    assert found() == str(FILE)


def test_a_run_with_a_certificate_has_its_results_and_names_it(finish):
    finish([control(name) for name in CONTROLS])
    (before, made), text = (report(), certificates.read(FILE).made), FILE.read_text()
    status, _ = finish([], str(FILE))
    after = report()
    assert status == 0
    assert after["controls"] == before["controls"]
    assert before["certificate"] is None
    assert not [problem for problem in schema.problems(after) if "certificate" in problem]
    assert after["certificate"]["file"] == FILE.as_posix()
    assert after["certificate"]["suite"] == SUITE
    assert after["certificate"]["build"] == BUILD
    assert f", certified on {made[:10]} by {FILE.name}" in "\n".join(terminal.summary(after))
    assert FILE.read_text() == text


def test_a_run_that_misses_a_fault_writes_none(finish):
    assert finish([control("first"), control("second", caught=False)])[0] == 1
    assert (FILE.exists(), found()) == (False, None)


def test_controls_for_a_subject_on_meta_are_its_own(finish):
    finish([control(name) for name in CONTROLS], subject="impl@meta")
    assert not FILE.exists()
    finish([control(name) for name in CONTROLS])
    assert found(subject="impl@meta") is None


@pytest.mark.parametrize("option", ["controls", "only", "shard"])
def test_asked_for_controls_and_parts_of_runs_have_no_certificate(finish, option):
    finish([control(name) for name in CONTROLS])
    assert found(**{option: True}) is None


def test_without_a_certificate_every_control_must_run(finish):
    status, lines = finish([control("first")])
    assert status == 2
    assert "control second did not run" in lines[0]


def test_a_first_look_takes_the_controls_of_quick_or_none(finish):
    """The profile smoke is asked in half a minute; the controls take many."""
    assert found(profile="smoke") == ""
    status, lines = finish([], certificate="")
    assert (status, report()["controls"], report()["certificate"]) == (0, [], None)
    assert any("no controls ran" in line for line in lines)
    finish([control(name) for name in CONTROLS])
    assert found(profile="smoke") == found(profile="quick") == str(FILE)


def test_a_certificate_for_another_torch_ends_the_run(finish):
    finish([control(name) for name in CONTROLS])
    with pytest.raises(CouldNotRun, match="is for another suite or another torch"):
        finish([], str(FILE), build={**BUILD, "cpu_capability": "AVX512"})


@pytest.mark.parametrize(
    "basis",
    [
        replace(BASIS, suite=16 * "6"),
        replace(BASIS, oracle="torch"),
        replace(BASIS, build={**BUILD, "version": "2.14.0"}),
        replace(BASIS, build={**BUILD, "commit": "decaf"}),
        replace(BASIS, build={**BUILD, "cpu_capability": "DEFAULT"}),
        replace(BASIS, profile="standard"),
    ],
)
def test_a_certificate_holds_for_one_basis(basis):
    assert CERTIFICATE.holds(BASIS, CONTROLS)
    assert not CERTIFICATE.holds(basis, CONTROLS)


def test_a_certificate_holds_for_exactly_its_controls_if_all_were_caught():
    assert not CERTIFICATE.holds(BASIS, CONTROLS[:1])
    assert not CERTIFICATE.holds(BASIS, [*CONTROLS, "third"])
    missed = replace(CERTIFICATE, controls=[control("first"), control("second", caught=False)])
    assert not missed.holds(BASIS, CONTROLS)


@pytest.mark.parametrize("text", [None, "", "[]", "{}", '{"schema": "other"}'])
def test_a_file_that_is_no_certificate_is_none(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    FILE.parent.mkdir(parents=True)
    if text is not None:
        FILE.write_text(text)
    assert certificates.find(BASIS, CONTROLS) is None
    with pytest.raises(CouldNotRun):
        certificates.read(FILE)


def test_a_certificate_is_read_as_it_was_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    FILE.parent.mkdir(parents=True)
    FILE.write_text(CERTIFICATE.as_text())
    assert certificates.find(BASIS, CONTROLS) == CERTIFICATE
