"""The published schema, and the constraints between the fields of a report."""

import json
import re
from collections import Counter
from time import process_time

import fastjsonschema
import pytest

from conformance.comparison.element_cases import ElementCounts
from conformance.controls.catalogue import CONTROLS
from conformance.core.profiles import PROFILES
from conformance.engine import report_model
from conformance.observation.facets import FACETS
from conformance.properties import all_properties
from conformance.report import schema
from conformance.report.consistency.controls import CERTIFIED_AS
from conformance.spec.clauses import GRADES, load_clauses

from .making_reports import (
    ENVIRONMENT,
    NOT_CAUGHT,
    RUN,
    changed,
    clause,
    control,
    divergence,
    record,
    report,
)

SCHEMA = schema.schema()
ONE, MARKED = divergence("one"), divergence("marked", "a.q", status="expected", facet="repr")
NEW = {
    "kind": "new",
    "id": ONE.id,
    "property": "a.p",
    "facet": "value",
    "case": ONE.divergence.case,
}
GONE = {**NEW, "kind": "gone", "id": "0" * 12}
TALLY = ElementCounts(10, 1, Counter({"nan-bits": 3}), Counter({"nan-bits": 2}))


def pictured(name="a.q", marks=(MARKED.id,)):
    """Return the record of a property with an answer grid of two by three cells."""
    return record(
        name,
        size=6,
        visited=6,
        axes={"left": ["x", "y"], "right": ["1", "2", "3"]},
        answers=["u", "v", "u", "u", "v", "w"],
        marks={4: [*marks]},
    )


def full(**changes):
    """Return a report with a value in every field."""
    return report(
        ONE,
        MARKED,
        divergence("lost", status="missing", missing="torch.lost"),
        divergence("other", facet="raises", status="changed"),
        records=[
            record(tallies={"float32 int8": TALLY}, operators={"add float32": TALLY},
                   elements=20, unwritten=5, wrong=Counter({"1 value": 1}),
                   not_asked=Counter({"stride": 3})),
            pictured(),
            record("b.drawn", size=None),
            record("b.short", visited=1),
            record("c.blocked", size=5, visited=2, blocked=3, by=("torch.f", ".view")),
            record("c.refused", size=3, visited=3, refused=2),
        ],
        clauses=[
            clause("a.c", "a.p", "a.q"),
            clause("a.open"),
            clause("a.old", superseded_by="a.c"),
            clause("b.short", "b.short"),
        ],
        controls=[
            control(),
            control("blind", **NOT_CAUGHT),
            control("torch-against-itself:a.p", kind="itself", caught_as="nothing", found=[],
                    problems=0, example=None,
                    on_meta={"differences": {"raises": 2}, "example": {
                        "case": "c", "facet": "raises", "expected": None, "observed": "E"}}),
        ],
        **{"environment": ENVIRONMENT | OF_TORCH, "certificate": CERTIFICATE,
           "baseline": {"path": "reports/baseline", "why_not": None, "changes": [NEW, GONE],
                        "not_run": ["a.gone"]}, **changes},
    )  # fmt: skip


OF_TORCH = {"commit": "c0ffee", "cpu_capability": "AVX2"}
CERTIFICATE = {
    "file": "reports/certificates/torch-2.13.0+cpu-avx2-quick.json", "suite": RUN["code"]["suite"],
    "oracle": "torch", "build": {"version": ENVIRONMENT["torch"], **OF_TORCH}, "profile": "quick",
    "seed": 0, "environment": ENVIRONMENT, "made": RUN["started"],
}  # fmt: skip
FULL = full()


def objects(part, path="schema"):
    """Yield the parts of the schema that describe an object, with their paths."""
    if isinstance(part, dict):
        if "properties" in part and isinstance(part["properties"], dict) and "type" in part:
            yield path, part
        for key, value in part.items():
            yield from objects(value, f"{path}.{key}")
    elif isinstance(part, list):
        for index, value in enumerate(part):
            yield from objects(value, f"{path}[{index}]")


def test_a_report_that_has_everything_follows_the_schema():
    assert schema.problems(FULL) == []
    assert schema.problems(json.loads(json.dumps(FULL))) == []


def test_the_schema_is_one():
    assert SCHEMA["$schema"].endswith("draft-07/schema#")
    assert SCHEMA["$id"].startswith("urn:")
    assert schema.version() == report_model.SCHEMA
    assert SCHEMA["$id"].rpartition(":")[2] == schema.version().rpartition("/")[2]


@pytest.mark.parametrize(("path", "part"), [*objects(SCHEMA)])
def test_every_field_is_described_and_no_other_is_allowed(path, part):
    if path.endswith(".environment"):  # the key of the oracle's version is its name
        assert part["additionalProperties"]["type"] == "string"
    else:
        assert part["additionalProperties"] is False
    for name, field in part["properties"].items():
        description = field.get("description") or SCHEMA["definitions"][name]["description"]
        assert re.fullmatch(r"[A-Z][^\n]*\.", description), f"{path}.{name}"
        assert "$ref" in field or field.keys() & {"type", "enum", "const", "anyOf"} or name in (
            "expected", "observed",
        )  # fmt: skip
    optional = part["properties"].keys() - part["required"]
    assert optional <= {
        "on_meta", "weaker", "unwritten", "commit", "cpu_capability", "one_in", "died", "level",
        "levels", "not_asked", "interrupted", "recorded", "excused", "blocked", "drawn", "cell",
        "refused", "refused_by", "not_begun", "seconds", "instead", "accepted",
    }  # fmt: skip


LATER = ("unwritten", "level", "levels", "not_asked", "interrupted", "recorded")
"""The fields that reports of earlier versions lack."""


def test_a_report_holds_all_that_the_schema_describes():
    fields = list(SCHEMA["properties"])
    assert [*FULL] == [name for name in fields if name not in ("interrupted", "recorded")]
    assert SCHEMA["required"] == [name for name in fields if name not in LATER]


def test_the_controls_of_smoke_are_those_of_another_profile():
    assert schema.problems({**FULL, "profile": "smoke"}) == []
    assert schema.problems({**FULL, "profile": "standard"}) != []
    assert {
        name: profile.certified_as for name, profile in PROFILES.items() if profile.certified_as
    } == CERTIFIED_AS


def test_a_report_without_unwritten_elements_is_one_of_an_earlier_version():
    earlier = {name: value for name, value in FULL.items() if name != "unwritten"}
    assert schema.problems(earlier) == []


def test_what_is_enumerated_is_what_the_suite_knows():
    definitions = SCHEMA["definitions"]
    facets = {facet.name for facet in FACETS} | {"verdict"}
    assert {*definitions["facet"]["enum"]} == facets
    assert {*SCHEMA["properties"]["profile"]["enum"]} == {*PROFILES}
    assert {*definitions["clause"]["properties"]["grade"]["enum"]} == {*GRADES}
    of_facet, of_problem = definitions["control"]["properties"]["caught_as"]["anyOf"]
    assert of_facet == {"$ref": "#/definitions/facet"}
    assert {control.caught_as for control in CONTROLS} <= facets | {*of_problem["enum"]}


@pytest.mark.parametrize(
    ("definition", "names"),
    [
        ("property_id", [*all_properties()]),
        ("clause_id", [clause.id for clause in load_clauses()]),
        ("area", [prop.area for prop in all_properties().values()]),
    ],
)
def test_the_names_of_the_suite_are_of_the_form_that_is_described(definition, names):
    valid = fastjsonschema.compile({"type": "array", "items": SCHEMA["definitions"][definition]})
    assert valid(names)


def test_the_controls_are_named_as_described():
    pattern = SCHEMA["definitions"]["control"]["properties"]["id"]["pattern"]
    ids = [control.id for control in CONTROLS]
    assert [name for name in ids if not re.fullmatch(pattern, name)] == []


AGAINST_THE_SCHEMA = [
    ("schema", "torch-attributes-conformance/1", "schema: must be same as const"),
    ("subject", 1, "subject: must be string"),
    ("subject", "", "subject: must be longer"),
    ("surface", ..., r"report: must contain .*'surface'"),
    ("extra", 1, r"report: must not contain .*'extra'"),
    ("seed", "0", "seed: must be integer"),
    ("duration_s", -1, "duration_s: must be bigger than or equal to 0"),
    ("started", "yesterday", "started: must match pattern"),
    ("code.suite", "xyz", "code.suite: must match pattern"),
    ("environment.python", None, "environment.python: must be string"),
    ("profile", "slow", "profile: must be one of"),
    ("verdict", "passes", "verdict: must be one of"),
    ("totals.missing", -1, "totals.missing: must be bigger than or equal to 0"),
    ("totals.missing", True, "totals.missing: must be integer"),
    ("problems.0.kind", "bug", r"problems\[0\].kind: must be one of"),
    ("areas.1.facets.value.expected", 0.5, r"areas\[1\].facets.value.expected: must be integer"),
    ("areas.0.facets", {"colour": FULL["totals"]},
     r"areas\[0\].facets: must be named by propertyName"),
    ("clauses.0.state", "fine", r"clauses\[0\].state: must be one of"),
    ("clauses.1.grade", "should", r"clauses\[1\].grade: must be one of"),
    ("properties.1.id", "noarea", r"properties\[1\].id: must match pattern"),
    ("properties.0.domain.digest", "7", r"properties\[0\].domain.digest: must match pattern"),
    ("properties.0.about_subject", 1, r"properties\[0\].about_subject: must be boolean"),
    ("divergences.3.facet", 7, r"divergences\[3\].facet: must be one of"),
    ("divergences.0.id", "ONE", r"divergences\[0\].id: must match pattern"),
    ("divergences.2.status", "odd", r"divergences\[2\].status: must be one of"),
    ("divergences.0.expected", ..., r"divergences\[0\]: must contain .*'expected'"),
    ("divergences.0.messages", [None], r"divergences\[0\].messages: must contain at least 2"),
    ("divergences.0.outlier", "nobody", r"divergences\[0\].outlier: must be one of"),
    ("controls.0.caught", "yes", r"controls\[0\].caught: must be boolean"),
    ("controls.2.on_meta.example", 1, r"controls\[2\].on_meta.example: "),
    ("pictures.0.rows.1", "1,2,3", r"pictures\[0\].rows\[1\]: must match pattern"),
    ("baseline.changes.0.kind", "better", r"baseline"),
    ("operators.0.undefined", {"nan-bits": 0},
     r"operators\[0\].undefined.nan-bits: must be bigger"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "value", "message"), AGAINST_THE_SCHEMA)
def test_what_does_not_follow_the_schema_is_named_with_its_place(path, value, message):
    (problem,) = schema.problems(changed(FULL, path, value))
    assert re.match(message, problem), problem
    assert "\n" not in problem


def twice(rows):
    return [*rows, rows[0]]


def more(number):
    return number + 1


SAMPLE = {
    "one_in": 40, "size": 50, "visited": 50, "refused": 50, "refused_by": {"torch.g": 50},
}  # fmt: skip
"""The counts of a sample all of whose cells are refused, too many for chance."""

CONTRADICTIONS = [
    ("started", "2026-02-30T03:02:37+00:00", "started: day is out of range"),
    ("environment.numpyy", "2", "environment.numpyy: is neither known nor the oracle"),
    ("verdict", "conforms", "verdict: is 'conforms' where it must be 'fails'"),
    ("partial", "a", r"properties\[2\].id: is 'b.drawn' in a run of 'a'"),
    ("properties", twice, r"properties\[6\].id: 'a.p' is there twice"),
    ("divergences", twice, rf"divergences\[4\].id: '{ONE.id}' is there twice"),
    ("clauses", twice, r"clauses\[4\].id: 'a.c' is there twice"),
    ("controls", twice, r"controls\[3\].id: 'c' is there twice"),
    ("elements.pairs", twice, r"elements.pairs\[1\]: .* is there twice"),
    ("totals.divergences", more, "totals.divergences: is 5 where it must be 4"),
    ("totals.unexpected", more, "totals.unexpected: is 3 where it must be 2"),
    ("totals.comparisons", more, "totals.comparisons: .*, by properties"),
    ("areas.0.comparisons", more, "totals.comparisons: .*, by areas"),
    ("areas.0.expected", more, r"areas\[0\].expected: is 2 where it must be 1"),
    ("areas.1.verdict", "holds", r"areas\[1\].verdict: is 'holds' where it must be 'not run'"),
    ("areas.1.properties", more, r"areas\[1\].properties: is 3 where it must be 2"),
    ("areas.0.facets.value.comparisons", more, r"areas\[0\].facets.value.comparisons"),
    ("areas.0.facets.value.missing", 0, r"areas\[0\].facets.value.missing: is 0 where"),
    ("areas.0.facets.repr", ..., r"areas\[0\].facets"),
    ("areas", lambda rows: rows[::-1], r"areas: is \['c', 'b', 'a'\]"),
    ("properties.0.facets.value", more, r"properties\[0\].comparisons"),
    ("properties.0.divergences", 0, r"properties\[0\].divergences: is 0 where it must be 3"),
    ("properties.1.verdict", "diverges", r"properties\[1\].verdict: .* must be 'holds'"),
    ("properties.3.verdict", "holds", r"properties\[3\].verdict: .* must be 'not run'"),
    ("properties.2.area", "a", r"properties\[2\].area: is 'a' where it must be 'b'"),
    ("properties.2.domain.size", 4, r"properties\[2\].domain.size: does not fit .* sampled"),
    ("properties.2.domain.complete", False, r"properties\[2\].domain.complete"),
    ("properties.4.domain.blocked", 2, r"properties\[4\].domain.blocked: is 2 where the calls"),
    ("properties.4.domain.visited", 3, r"properties\[4\].domain.blocked: is 3 where 3 of 5"),
    ("properties.5.domain.refused", 1, r"properties\[5\].domain.refused: is 1 where the calls"),
    ("properties.5.domain.refused_by", {"torch.g": 4},
     r"properties\[5\].domain.refused: is 2 where the calls"),
    ("properties.5.domain", lambda row: row | {"refused": 3, "refused_by": {"torch.g": 3}},
     r"properties\[5\].domain.complete: is true where no question was asked"),
    ("properties.5.domain", lambda row: row | SAMPLE,
     r"properties\[5\].domain.complete: is true where no question was asked"),
    ("properties.5.domain.visited", 1, r"properties\[5\].domain.refused: is 2 where 1 were"),
    ("blocked.0.cells", 4, r"blocked\[0\].cells: is 4 where it must be 3"),
    ("blocked.0.cases", 1, r"blocked\[0\].cases: is 1 where it must be 0"),
    ("blocked.0.properties", ["a.p"], r"blocked\[0\].properties: is \['a.p'\] where it must be"),
    ("blocked", [], r"blocked: is set\(\) where it must be"),
    ("blocked", twice, r"blocked\[2\].by: '.view' is there twice"),
    ("problems", lambda rows: [row for row in rows if row["kind"] != "blocked"],
     r"problems: blocked c.blocked: is 0 where it must be 1"),
    ("properties.0.domain.visited", 3, r"properties\[0\].domain.visited: is 3 of 2"),
    ("properties.3.domain.complete", True,
     r"properties\[3\].domain.complete: is true after 1 of 2"),
    ("properties.0.clauses", ["a.odd"], r"properties\[0\].clauses: there is no clause 'a.odd'"),
    ("properties.0.clauses", ["a.open"], r"properties\[0\].clauses: 'a.open' does not name it"),
    ("properties.0.clauses", [], r"clauses\[0\].properties: 'a.p' does not name it"),
    ("divergences.0.property", "a.odd", r"divergences\[0\].property: there is no property 'a.odd'"),
    ("divergences.0.facet", "shape", r"divergences\[0\].facet: a.p compared no 'shape'"),
    ("divergences.0.clause", ["a.odd"], r"divergences\[0\].clause: there is no clause 'a.odd'"),
    ("divergences.0.clause", ["b.short"], r"divergences\[0\].clause: a.p does not speak for"),
    ("divergences.0.missing", "torch.x", r"divergences\[0\].missing: does not fit"),
    ("divergences.0.reason", "r", r"divergences\[0\].reason: does not fit"),
    ("divergences.0.link", "l", r"divergences\[0\].link: does not fit"),
    ("problems", lambda rows: [row for row in rows if row["kind"] != "divergence"],
     r"problems: divergences of a.p in value: is 0 where it must be 2"),
    ("problems", lambda rows: [row for row in rows if row["kind"] != "incomplete"],
     r"problems: incomplete b.short: is 0 where it must be 1"),
    ("problems", lambda rows: [row for row in rows if row["kind"] != "changed"],
     r"problems: lack the changed expectation of a.p"),
    ("problems.0.property", "a.odd", r"problems\[0\].property: there is no property 'a.odd'"),
    ("clauses.0.state", "holds", r"clauses\[0\].state: is 'holds' where it must be diverges"),
    ("clauses.3.state", "holds", r"clauses\[3\].state: is 'holds' where it must be not run"),
    ("clauses.1.state", "holds", r"clauses\[1\].state: is 'holds' where it must be unchecked or"),
    ("clauses.2.superseded_by", "a.odd", r"clauses\[2\].superseded_by: there is no clause"),
    ("clauses.1.properties", ["a.odd"], r"clauses\[1\].properties: there is no property 'a.odd'"),
    ("controls.0.property", "a.odd", r"controls\[0\].property: there is no property 'a.odd'"),
    ("controls.0.caught", False, r"controls\[0\].caught: is False where it must be True"),
    ("controls.1.caught", True, r"controls\[1\].caught: is True where it must be False"),
    ("controls.0.problems", 0, r"controls\[0\].problems: are 0 where 1 kinds were found"),
    ("controls.2.example", "x", r"controls\[2\].example: does not fit 0 problems"),
    ("controls.2.caught_as", "value", r"controls\[2\].caught_as"),
    ("unwritten.0.forgiven", 10**6, r"unwritten\[0\].forgiven: is more than all 20 elements"),
    (
        "unwritten.0.area", "c",
        r"unwritten: is \['c', 'b', 'c'\] where it must be \['a', 'b', 'c'\]",
    ),
    ("elements.compared", more, "elements.compared: is 11 where it must be 10"),
    ("elements.rules.1.forgiven", more, r"elements.rules\[1\].forgiven: is 3 where it must be 2"),
    ("operators.0.differing", 11, r"operators\[0\].differing: is more than were compared"),
    ("pictures.0.property", "a.odd", r"pictures\[0\].property: there is no property 'a.odd'"),
    ("pictures.0.axes.0.labels", ["x"], r"pictures\[0\].axes: is 3 where it must be 6"),
    ("pictures.0.rows", twice, r"pictures\[0\].rows: is 3 where it must be 2"),
    ("pictures.0.rows.1", "0 1", r"pictures\[0\].rows\[1\]: is 2 where it must be 3"),
    ("pictures.0.rows.1", "0 1 3", r"pictures\[0\].rows\[1\]: 3 is not one of 3"),
    ("pictures.0.ruled", ["0 0 0", "0 0 0"], r"pictures\[0\].ruled\[0\]: 0 is not one of 0"),
    ("pictures.0.rules", [{"id": "r", "text": "t", "clauses": ["a.odd"]}], r"pictures\[0\].ruled"),
    ("pictures.0.divergences", {"6": [MARKED.id]},
     r"pictures\[0\].divergences: there is no cell 6"),
    ("pictures.0.divergences.4", [ONE.id], rf"pictures\[0\].divergences.4: '{ONE.id}' is no"),
    ("pictures.0.blocked", {"torch.f": [6]}, r"pictures\[0\].blocked.torch.f: there is no cell 6"),
    ("pictures.0.blocked", {"torch.f": [2]}, r"pictures\[0\].blocked.torch.f: is 1 where it must"),
    ("certificate.suite", "0" * 16, "certificate.suite: is '0000000000000000' where it must be"),
    ("certificate.build.commit", "decaf", "certificate.build: is .* where it must be"),
    ("certificate.profile", "deep", "certificate.profile: is 'deep' where it must be 'quick'"),
    ("certificate.oracle", "impl", "certificate.oracle: is 'impl' where it must be 'torch'"),
    ("controls", [], "certificate: has no results of controls"),
    ("surface", {"public": 1, "in_scope": 1, "present": 1, "missing": [], "planned": [],
                 "out_of_scope": []}, "surface: must be there if surface.names ran"),
    ("schemas", {"asked": 1, "not_asked": []}, "schemas: must be there if schemas.calls"),
    ("baseline.changes.0.kind", "gone", r"baseline.changes\[0\].id: what is gone is among"),
    ("baseline.changes.1.kind", "changed", r"baseline.changes\[1\].id: what is changed is not"),
    ("baseline.changes.0.facet", "repr", r"baseline.changes\[0\]: is not as the divergence"),
    ("baseline.changes", twice, rf"baseline.changes\[2\].id: '{ONE.id}' is there twice"),
    ("baseline.not_run", ["a.p"], "baseline.not_run: 'a.p' ran"),
    ("baseline.why_not", "so", "baseline.why_not: is given though"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "value", "message"), CONTRADICTIONS)
def test_what_contradicts_itself_is_named_with_its_place(path, value, message):
    problems = schema.problems(changed(FULL, path, value))
    assert any(re.match(message, problem) for problem in problems), problems
    assert all(len(problem.splitlines()) == 1 for problem in problems)
    with pytest.raises(ValueError, match=r"^\w"):
        schema.check(changed(FULL, path, value))


def test_names_that_do_not_add_up_are_found():
    outside = {"group": "g", "reason": "r", "names": ["torch.b", "torch.c"]}
    surface = {"public": 5, "in_scope": 3, "present": 2, "missing": ["torch.a"], "planned": [],
               "out_of_scope": [outside]}  # fmt: skip
    good = report(records=[record("surface.names")], surface=surface)
    for name in ("public", "present"):
        path = f"surface.{'in_scope' if name == 'present' else name}"
        (problem,) = schema.problems(changed(good, f"surface.{name}", more))
        assert problem.startswith(f"{path}: ")
    assert schema.problems(changed(good, "surface", None))


def test_in_a_run_of_one_area_clauses_may_name_properties_that_did_not_run():
    clauses = [clause("a.c", "a.p", "b.q"), clause("b.d", "b.q")]
    partial = report(clauses=clauses, controls=[], partial="a")
    assert [clause["state"] for clause in partial["clauses"]] == ["not run", "not run"]
    with pytest.raises(ValueError, match=r"there is no property 'b\.q'"):
        report(clauses=clauses, controls=[])


@pytest.mark.parametrize("data", [None, [], "", 1, {}, {"schema": None}, [[[]]]])
def test_other_data_is_no_report(data):
    (problem,) = schema.problems(data)
    assert problem.startswith("report: must ")


def test_a_large_report_is_checked_soon():
    many = report(*(divergence(f"f{number}") for number in range(5000)))
    times = []
    for _ in range(3):
        start = process_time()
        schema.check(many)
        times.append(process_time() - start)
    assert min(times) < 0.5


def test_hostile_names_are_told_in_a_line():
    for name in ("a\nb", "{x}", "'\"", "\x00", "\ud800", "a" * 9999):
        (problem,) = schema.problems(changed(FULL, "divergences.0", lambda row: {**row, name: 1}))  # noqa: B023
        assert problem.startswith("divergences[0]: must not contain")
        assert len(problem.splitlines()) == 1
