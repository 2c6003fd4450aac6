"""Reports: pure functions of a run, written completely or not at all."""

import copy
import itertools
import json
import tomllib
from pathlib import Path

import pytest

from conformance.core.errors import CouldNotRun
from conformance.core.formatting import format_sides
from conformance.observation.facets import FACETS
from conformance.report import ctrf, files, junit, markdown, terminal, text
from conformance.report.page import html
from conformance.report.text import WORST_FIRST, verdict_line

from .making_reports import NOT_CAUGHT, changed, control, divergence, name_of, record, report

ONE, TWO = divergence("one"), divergence("two", facet="repr")


def row(name, **fields):
    (data,) = report(divergence(name, **fields))["divergences"]
    return data


def test_the_worst_come_first_and_what_is_missing_stands_apart():
    data = report(
        divergence("a", facet="repr"),
        divergence("b", facet="raises"),
        divergence("c", status="missing", missing="torch.f"),
        divergence("d"),
        divergence("e"),
        divergence("f", status="expected", observed="other"),
    )
    order = [(name_of(group.first), group.size) for group in text.groups(data)]
    assert order == [("d", 2), ("b", 1), ("a", 1), ("f", 1)]
    assert text.missing_names(data) == ["torch.f"]


@pytest.mark.parametrize(
    "answer",
    [
        "('AttributeError', \"module 'theirs' has no attribute 'load'\")",
        {"tuple": ["TypeError", "unsupported operand type(s) for %: 'Tensor' and 'int'"]},
    ],
)
def test_an_answer_that_tells_of_a_missing_name_comes_last(answer):
    lost = [divergence(name, observed=answer) for name in ("a", "b")]
    data = report(*lost, divergence("c", facet="repr"), divergence("d"))
    assert [name_of(group.first) for group in text.groups(data)] == ["d", "c", "a"]


def test_the_first_of_each_property_are_found():
    rows = [record("a.p"), record("b.q")]
    found = divergence("a"), divergence("b", facet="repr"), divergence("c", "b.q")
    data = report(*found, records=rows)
    first = text.first_of_each(text.groups(data))
    assert {name_of(group.first) for group in first} == {"a", "c"}


def test_an_area_that_ran_in_part_says_so():
    data = report(records=[record("a.p", size=5, visited=2, blocked=3)])
    _, [area] = text.area_rows(data)
    assert (data["areas"][0]["verdict"], area[1]) == ("not run", "in part")
    data["areas"][0]["comparisons"] = 0
    assert text.area_rows(data)[1][0][1] == "not run"


def test_a_verdict_names_incomplete_domains_that_are_accepted():
    data = report(records=[record("a.p", size=5, visited=2, blocked=3)])
    assert "1 incomplete domain" in verdict_line(data)
    assert "1 incomplete domain accepted" not in verdict_line(data)
    assert verdict_line({**data, "verdict": "conforms"}).endswith(", 1 incomplete domain accepted")


def test_a_report_is_read_as_it_was_written(tmp_path):
    paths = files.write(tmp_path, report(ONE))
    assert files.load(tmp_path / files.JSON) == files.load(tmp_path) == report(ONE)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(path.name for path in paths)
    assert paths[-1].name == files.JSON


def test_the_mark_stays_until_the_report_is_written(tmp_path):
    mark = files.mark_incomplete(tmp_path)
    files.write(tmp_path, report())
    assert files.is_incomplete(tmp_path)
    files.remove_mark(tmp_path, mark)
    assert not files.is_incomplete(tmp_path)


def test_the_mark_of_a_later_run_stays(tmp_path):
    first, second = files.mark_incomplete(tmp_path), files.mark_incomplete(tmp_path)
    files.remove_mark(tmp_path, first)
    assert files.is_incomplete(tmp_path)
    files.remove_mark(tmp_path, second)
    assert not files.is_incomplete(tmp_path)


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_report_that_cannot_be_written_leaves_the_last_one_whole(tmp_path, monkeypatch):
    files.write(tmp_path, report(ONE))
    before = contents(tmp_path)

    def fail(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "replace", fail)
    with pytest.raises(CouldNotRun, match="No space left"):
        files.write(tmp_path, report(TWO))
    assert contents(tmp_path) == before


def test_a_writer_that_fails_leaves_the_last_report_whole(tmp_path, monkeypatch):
    files.write(tmp_path, report(ONE))
    before = contents(tmp_path)
    monkeypatch.setattr(files, "WRITERS", {**files.WRITERS, "last": lambda report: 1 / 0})
    with pytest.raises(ZeroDivisionError):
        files.write(tmp_path, report(TWO))
    assert contents(tmp_path) == before


def test_a_folder_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(CouldNotRun, match="cannot write reports"):
        files.mark_incomplete(tmp_path / "taken" / "deeper")


GOOD = json.dumps(report(ONE))


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "not JSON"),
        (GOOD[:-40], "not JSON"),
        (GOOD + GOOD, "not JSON"),
        (b"\xff\xfe{}", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("1" * 5000, "not JSON"),
        ("[]", "not a conformance report"),
        ("null", "not a conformance report"),
        ('{"results": []}', "not a conformance report"),
        ('{"schema": 2}', "not a conformance report"),
        (GOOD.replace("conformance/4", "conformance/1"), r"conformance/1'.*not known here"),
        (GOOD.replace("conformance/4", "conformance/5"), r"conformance/5'.*not known here"),
        (json.dumps({"schema": "x\n" * 999}), "not known here|…$"),
        (
            '{"schema": "torch-attributes-conformance/4"}',
            "not a whole report: report: must contain",
        ),
        (GOOD.replace("unexpected", "un\\nexpected"), "not a whole report"),
        (json.dumps(changed(report(ONE), "totals.divergences", 2)), "totals.divergences: is 2"),
        (json.dumps(changed(report(ONE), "verdict", "n\n" * 9999)), "verdict: must be one of"),
    ],
    ids=itertools.count(),
)
def test_what_is_no_report_is_refused_in_a_line(tmp_path, content, why):
    path = tmp_path / files.JSON
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    before = contents(tmp_path)
    with pytest.raises(CouldNotRun, match=why) as caught:
        files.load(path)
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    assert len(message) <= files.MAX_MESSAGE + 10
    assert f"/{files.JSON} " in message
    assert contents(tmp_path) == before


def test_a_path_in_a_message_stays_in_its_line(tmp_path):
    folder = tmp_path / ("a\nb" + "c" * 150)
    with pytest.raises(CouldNotRun, match="No such file") as caught:
        files.load(folder / "report.json")
    assert "\n" not in str(caught.value)
    assert "report.json" in str(caught.value)


def test_a_report_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(CouldNotRun, match="No such file"):
        files.load(tmp_path / "report.json")


def test_the_summary_fits_a_screen():
    many = [
        divergence(
            f"f{number}_{turn}", property=f"a.p{number}", case="torch.f()\n" * 99 + str(turn)
        )
        for number in range(250)
        for turn in range(2)
    ]
    whole = report(*many, records=[record(f"a.p{number}") for number in range(250)])
    lines = terminal.summary(whole, ["reports/latest/report.md"])
    assert len(lines) <= 50
    assert max(map(len, lines)) <= 120, max(lines, key=len)
    assert "245 more kinds of unexpected divergence" in "\n".join(lines)
    assert "one of 2 alike" in "\n".join(lines)


def test_of_a_long_case_the_last_step_is_kept():
    steps = [f"x{number} = torch.ones({number})" for number in range(50)]
    one = divergence("long", case="\n".join([*steps, "torch.igamma(x1, x2)"]))
    (line,) = [text for text in terminal.summary(report(one)) if "igamma" in text]
    assert line.startswith("    x0 = torch.ones(0) ")
    assert line.endswith("torch.igamma(x1, x2)")


def test_the_summary_names_the_command_for_the_worst_divergence():
    rows = [divergence("words", facet="message"), divergence("worst", facet="value")]
    paths = ["reports/mine/ctrf.json", "reports/mine/report.json"]
    lines = terminal.summary(report(*rows), paths)
    (worst,) = [row["id"] for row in report(*rows)["divergences"] if row["facet"] == "value"]
    assert lines[-1] == f"next: python -m conformance show reports/mine --divergence {worst}"
    assert "next:" not in "\n".join(terminal.summary(report(), paths))


def test_the_verdict_says_what_is_wrong():
    assert verdict_line(report()) == "theirs conforms to torch 2.13.0+cpu"
    wrong = report(
        ONE,
        divergence("known", status="changed"),
        records=[record(), record("b.q", visited=1)],
        controls=[control(**NOT_CAUGHT)],
        stale=["b.q"],
    )
    line = verdict_line(wrong)
    for part in ("2 unexpected divergences", "1 incomplete domain", "1 failed control",
                 "2 expectations that no longer fit"):  # fmt: skip
        assert part in line


def test_what_blocks_most_is_to_be_mended_first():
    records = [
        record("a.p", size=90, visited=10, blocked=80, by=("torch.f", ".view")),
        record("a.q", size=2000, visited=500, blocked=1500, by=(".view",)),
        record("a.drawn", size=None, blocked=7, by=("torch.f",)),
        record("b.q", visited=1),
        record("b.many", size=9, visited=2, blocked=1, by=[f"torch.f{n}" for n in range(9)]),
    ]
    blocked = report(records=records)
    assert verdict_line(blocked).endswith(": 4 incomplete domains, 1 incomplete drawn property")
    lines = terminal.summary(blocked)
    first = lines.index("  blocked by .view: 1,580 cells of 2 properties; mend it first")
    assert lines[first + 1] == "  blocked by torch.f: 80 cells and 7 drawn cases of 2 properties"
    assert lines[first + 2] == "  blocked by torch.f0: 1 cell of 1 property"
    assert lines[first + 5] == "  and 6 more that block"
    assert lines[first + 6] == "  incomplete: b.q: 1 of 2 cells visited"
    text = markdown.write(blocked)
    assert (
        "\n- blocked by .view: 1,580 cells of 2 properties; mend it first\n- blocked by t" in text
    )
    assert "| 10 of 90 cells, incomplete, 80 blocked by torch.f and 1 other" in text
    assert "| 2 distinct cases, 0 rejected, 7 blocked by torch.f" in text
    page = html.write(blocked)
    assert "<li>blocked by .view: 1,580 cells of 2 properties; mend it first</li>" in page
    for write in (junit.write, ctrf.write):
        assert "10 of 90 cells visited, 80 blocked by torch.f and 1 other" in write(blocked)


def test_without_blocked_cells_no_report_speaks_of_them():
    for write in files.WRITERS.values():
        assert "blocked by" not in write(report(ONE))


@pytest.mark.parametrize("version", ["3", "4"])
def test_reports_of_schema_3_are_read(version, tmp_path):
    old = report(ONE)
    if version == "3":
        old = changed(old, "schema", "torch-attributes-conformance/3")
        old = changed(changed(old, "blocked", ...), "properties.0.domain.blocked", ...)
        old = changed(old, "properties.0.domain.blocked_by", ...)
    (tmp_path / "report.json").write_text(json.dumps(old))
    assert files.load(tmp_path) == report(ONE)


def test_what_fails_the_run_is_in_the_summary():
    wrong = report(controls=[control("blind", **NOT_CAUGHT)], stale=["a.p"])
    summary = "\n".join(terminal.summary(wrong))
    assert "stale: a.p: expectation 'old': nothing instead of 1" in summary
    assert "failed control: blind (f); found: raises" in summary


def test_the_first_difference_can_be_seen():
    left, right = (
        format_sides(row("a", facet="message", expected="x" * 500 + end, observed="x" * 500))
        for end in "ab"
    )
    assert left[0].endswith("xa")
    assert left[0] != left[1]
    assert max(map(len, left + right)) <= 100


def test_of_long_lists_only_what_differs_is_written():
    items = [{"int": str(number)} for number in range(50)]
    one = row("a", expected={"list": items}, observed={"list": [*items[1:], {"int": "99"}]})
    assert format_sides(one) == ("also 0", "also 99")


def test_one_divergence_is_shown_with_its_reproduction():
    lines = "\n".join(terminal.one_divergence(report(ONE), ONE.id[:6]))
    assert "expected     torch.int8" in lines
    assert "print(1)" in lines
    assert terminal.one_divergence(report(ONE), TWO.id) == []


def test_markdown_holds_every_part():
    text = markdown.write(report(ONE, divergence("two", facet="repr", status="expected")))
    for part in ("# theirs does not conform", f"### `{ONE.id}`", "Expected: r (l)", "print(1)",
                 "`a.c`", r"it \| works", "2 of 2 cells, complete", "| c ",
                 "| module-of-class "):  # fmt: skip
        assert part in text


@pytest.mark.parametrize("write", files.WRITERS.values(), ids=files.WRITERS)
def test_the_same_report_is_written_alike(write):
    assert write(report(ONE, TWO)) == write(copy.deepcopy(report(ONE, TWO)))


def test_the_packages_hold_their_data():
    project = tomllib.loads(Path("pyproject.toml").read_text())
    assert project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == [
        "impl",
        "conformance",
    ]


NO_ELEMENTS = {"undefined": {}, "forgiven": {}, "largest": 0, "bound": 0}
ELEMENTS = {
    "compared": 1200, "differing": 1,
    "pairs": [
        {"source": "float32", "target": "int8", "compared": 1200, "differing": 1,
         **NO_ELEMENTS, "undefined": {"r": 200}, "forgiven": {"r": 3}},
        {"source": "int8", "target": "bits8", "compared": 0, "differing": 0, **NO_ELEMENTS},
    ],
    "rules": [{"name": "r", "why": "w", "link": "https://r", "undefined": 200, "forgiven": 3}],
}  # fmt: skip


def test_elements_are_counted_for_each_pair_and_rule():
    text = markdown.write(report(elements=ELEMENTS))
    line = "1,200 elements converted and compared, 200 of them undefined in torch, 1 wrong"
    assert f"## Elements\n\n{line}." in text
    assert "1,200 / 200, 1 wrong" in text
    assert "no elements" in text
    assert "| [r](https://r) | w     | 200      | 3          |" in text
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
    one = divergence("one", facet="elements", third_party_results=votes, outlier=alone)
    assert f"    others    {line}" in terminal.summary(report(one))
    assert f"others       {line}" in terminal.one_divergence(report(one), one.id)
    assert line in markdown.write(report(one))


def test_without_a_vote_nobody_is_told_of():
    assert "others" not in "".join(
        terminal.summary(report(divergence("one", third_party_results=None)))
    )


SURFACE = {
    "public": 1010, "in_scope": 1008, "present": 1005, "missing": ["torch.a"],
    "planned": ["torch.b", "torch.c"],
    "out_of_scope": [{"group": "far", "reason": "too far", "names": ["torch.d", "torch.e"]}],
}  # fmt: skip


def test_reports_count_names():
    data = report(records=[record("surface.names")], surface=SURFACE)
    line = "of 1,010 public names 1,008 are in scope: 1,005 present, 3 missing (2 of them planned)"
    text = markdown.write(data)
    assert line in terminal.summary(data)
    assert f"## Public names\n\n{line}." in text
    assert "Missing: `torch.a`." in text
    assert "Missing, and planned: `torch.b`, `torch.c`." in text
    assert "`torch.d`, `torch.e`" in text
    assert "public names" not in "".join(terminal.summary(report())).lower()
    assert "Public names" not in markdown.write(report())


def test_every_facet_has_its_place_among_divergences():
    assert sorted(WORST_FIRST) == sorted(["verdict", *(facet.name for facet in FACETS)])


@pytest.mark.parametrize("writer", [markdown, html])
def test_where_torch_itself_differs_on_meta_is_told(writer):
    example = {"case": "x\nx.item()", "facet": "raises", "expected": None, "observed": "E"}
    differs = {"differences": {"raises": 1200}, "example": example}
    itself = control("torch-against-itself:a.p", kind="itself", caught_as="nothing", found=[],
                     problems=0, example=None, on_meta=differs)  # fmt: skip
    text = writer.write(report(controls=[itself]))
    assert "in 1 of 1 properties" in text
    assert "raises 1,200" in text
    assert "Torch itself on meta" not in writer.write(report())


def test_the_page_is_a_function_of_the_report():
    data = report(divergence("one"), divergence("two", facet="repr"))
    assert html.write(data) == html.write(copy.deepcopy(data))
    assert "</script><script>" not in html.write(report(divergence("</script><script>")))


def test_the_areas_that_an_interrupted_run_never_began_are_named():
    interrupted = {"parts": 3, "of": 9, "not_begun": ["casting", "limits"]}
    data = report(interrupted=interrupted, verdict="fails")
    assert "not begun: casting, limits" in terminal.summary(data)
    assert "not begun: casting, limits" in markdown.write(data).splitlines()
    earlier = report(interrupted={"parts": 3, "of": 9}, verdict="fails")
    assert "not begun" not in "".join(terminal.summary(earlier)) + markdown.write(earlier)
