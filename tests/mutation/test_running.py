"""Running mutants of a small package, limits of children, and resuming."""

import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from conformance.core.case import Case
from conformance.core.errors import CouldNotRun
from conformance.libraries.library import Library
from conformance.observation.runner import run_case
from mutation.children import call_in_child
from mutation.draw import all_mutants
from mutation.line_tracer import LineTracer, TracedLibrary
from mutation.reach import Reach, ReachMap, read_map
from mutation.running import GROUP, Runner, grouped, in_workers
from mutation.sources import Mutant, Source, read_sources
from mutation.state import State
from mutation.suite import Suite, Workplace

TEXT = b"def double(x):\n    if x < 0:\n        return -1\n    return x * 2\n\n\nONE = 1\n"


class SmallSuite:
    """Stands for the suite: its properties are functions of the module that is loaded."""

    def __init__(self, **properties: Any) -> None:
        self.properties = properties

    def session(self) -> Any:
        for name in [name for name in sys.modules if name.partition(".")[0] == "impl"]:
            del sys.modules[name]
        try:
            return import_module("impl")
        except Exception as error:
            raise CouldNotRun(f"impl cannot be imported: {error}") from error

    def problem(self, session: Any, prop: Any) -> str | None:
        return None if prop(session) else "divergence: of a case"


@pytest.fixture
def workplace(tmp_path: Path) -> Iterator[Workplace]:
    (tmp_path / "impl").mkdir()
    (tmp_path / "impl" / "__init__.py").write_bytes(TEXT)
    found = Workplace(tmp_path / "impl")
    yield found
    found.remove()
    assert (tmp_path / "impl" / "__init__.py").read_bytes() == TEXT


def reach_of(*lines: int, seconds: float = 0.1, words: str = "") -> Reach:
    return Reach(seconds, {"__init__.py": frozenset(lines)}, frozenset(words.split()))


def mutant_with(text: str) -> Mutant:
    """Return the mutant whose changed text is so."""
    mutants = all_mutants({"__init__.py": Source("__init__.py", TEXT)}).values()
    return next(each for each in mutants if text.encode() in each.apply(TEXT))


def runner_of(workplace: Workplace, suite: Any, reach: ReachMap) -> Runner:
    return Runner(suite, reach, workplace, {"__init__.py": Source("__init__.py", TEXT)})


def run(workplace: Workplace, suite: Any, wanted: str, reach: ReachMap) -> tuple[str, str, str]:
    """Return outcome, killer and text for the mutant whose changed text is ``wanted``."""
    result = runner_of(workplace, suite, reach).alone(mutant_with(wanted))
    return result.outcome, result.by, result.text


SUITE = SmallSuite(
    positive=lambda impl: impl.double(3) == 6,
    zero=lambda impl: impl.double(0) == 0,
    dying=lambda impl: impl.double(0) == 0 or os._exit(3),
    raising=lambda impl: impl.double(0) == 0 or 1 / 0,
)


def map_of(**properties: Reach) -> ReachMap:
    return ReachMap({"__init__.py": frozenset((1, 7))}, properties)


def test_the_first_property_with_a_problem_kills_a_mutant(workplace: Workplace) -> None:
    reach = map_of(positive=reach_of(2, 4), zero=reach_of(2, 4, seconds=0.2))
    assert run(workplace, SUITE, "x <= 0", reach) == ("killed", "zero", "divergence: of a case")
    assert run(workplace, SUITE, "x + 2", reach)[:2] == ("killed", "positive")


def test_a_mutant_may_survive(workplace: Workplace) -> None:
    reach = map_of(positive=reach_of(2, 4))
    assert run(workplace, SUITE, "x <= 0", reach) == ("survived", "", "")


def test_properties_that_do_not_execute_the_statement_do_not_run(workplace: Workplace) -> None:
    reach = map_of(positive=reach_of(2, 4), zero=reach_of(1))
    assert run(workplace, SUITE, "x <= 0", reach)[0] == "survived"
    assert run(workplace, SUITE, "return -2", reach) == ("not executed", "", "")


def test_properties_that_start_processes_run_for_each_mutant(workplace: Workplace) -> None:
    reach = map_of(zero=reach_of(1, words="import subprocess sys"))
    assert run(workplace, SUITE, "x <= 0", reach)[:2] == ("killed", "zero")


def test_a_process_that_dies_counts_as_killed(workplace: Workplace) -> None:
    reach = map_of(dying=reach_of(2))
    assert run(workplace, SUITE, "x <= 0", reach) == ("killed", "dying", "died: exit status 3")


def test_an_error_of_the_tool_counts_as_nothing(workplace: Workplace) -> None:
    with pytest.raises(CouldNotRun, match="ZeroDivisionError"):
        run(workplace, SUITE, "x <= 0", map_of(raising=reach_of(2)))


def test_limits_hold_in_children_of_children() -> None:
    inner = lambda: call_in_child(lambda: 3, 500, 5)  # noqa: E731
    assert call_in_child(inner, 5, 5).result == [3, "", ""]


def as_files(*texts: str) -> dict[str, Source]:
    return {
        f"file{index}.py": Source(f"file{index}.py", text.encode())
        for index, text in enumerate(texts)
    }


GROUPED = SmallSuite(
    first=lambda impl: impl.file0.f(2) == 2,
    second=lambda impl: impl.file1.f(3) == 6,
)


def run_together(
    folder: Path, suite: Any, texts: tuple[str, ...], wanted: tuple[str, ...], reach: ReachMap
) -> dict[str, tuple[str, str]]:
    """Return outcome and killer by file for the mutants whose changed texts are ``wanted``."""
    sources = as_files(*texts)
    (folder / "impl").mkdir()
    imports = "\n".join(f"from . import {Path(name).stem}" for name in sources)
    (folder / "impl" / "__init__.py").write_text(imports + "\n")
    for name, source in sources.items():
        (folder / "impl" / name).write_bytes(source.text)
    mutants = [
        next(
            each
            for each in all_mutants({name: source}).values()
            if text.encode() in each.apply(source.text)
        )
        for (name, source), text in zip(sources.items(), wanted, strict=True)
    ]
    workplace = Workplace(folder / "impl")
    try:
        runner = Runner(suite, reach, workplace, sources)
        rows = runner.together(mutants, {each.id: 0 for each in mutants})
    finally:
        workplace.remove()
    paths = {each.id: each.path for each in mutants}
    return {paths[row.id]: (row.outcome, row.by) for row in rows}


def reach_in(*files: str) -> Reach:
    return Reach(0.1, {file: frozenset((2, 3)) for file in files}, frozenset())


NO_IMPORT: dict[str, frozenset[int]] = {}
FUNCTION = "def f(x):\n    y = x * 1\n    return y\n"
DOUBLE = "def f(x):\n    y = x * 2\n    return y\n"


def test_each_mutant_of_a_group_has_its_own_result(tmp_path: Path) -> None:
    reach = ReachMap(NO_IMPORT, {"first": reach_in("file0.py"), "second": reach_in("file1.py")})
    texts, wanted = (FUNCTION, DOUBLE), ("(x + 1)", "(x + 2)")
    assert run_together(tmp_path, GROUPED, texts, wanted, reach) == {
        "file0.py": ("killed", "first"),
        "file1.py": ("killed", "second"),
    }


def test_the_others_of_a_group_survive(tmp_path: Path) -> None:
    reach = ReachMap(NO_IMPORT, {"second": reach_in("file0.py", "file1.py")})
    texts, wanted = (FUNCTION, DOUBLE), ("(x + 1)", "(x + 2)")
    assert run_together(tmp_path, GROUPED, texts, wanted, reach) == {
        "file0.py": ("survived", ""),
        "file1.py": ("killed", "second"),
    }


def test_mutants_that_fail_only_together_are_judged_apart(tmp_path: Path) -> None:
    names = ("both", "first", "second")
    reach = ReachMap(NO_IMPORT, {name: reach_in("file0.py", "file1.py") for name in names})
    suite = SmallSuite(
        both=lambda impl: (impl.file0.f(2), impl.file1.f(3)) != (3, 5),
        first=lambda impl: True,
        second=lambda impl: impl.file1.f(3) == 6,
    )
    texts, wanted = (FUNCTION, DOUBLE), ("(x + 1)", "(x + 2)")
    assert run_together(tmp_path, suite, texts, wanted, reach) == {
        "file0.py": ("survived", ""),
        "file1.py": ("killed", "second"),
    }


def test_a_group_has_one_mutant_of_a_file() -> None:
    texts = (FUNCTION, *[DOUBLE] * GROUP)
    mutants = [*all_mutants(as_files(*texts)).values()]
    groups = grouped(mutants)
    assert sorted(each.id for group in groups for each in group) == sorted(
        each.id for each in mutants
    )
    for group in groups:
        assert len({each.path for each in group}) == len(group) <= GROUP


def test_what_is_too_long_for_one_mutant_stays_undecided(workplace: Workplace) -> None:
    reach = map_of(positive=reach_of(2, 4), zero=reach_of(2, 4, seconds=20))
    assert run(workplace, SUITE, "x <= 0", reach)[0] == "undecided"


def test_a_larger_profile_has_a_budget_and_all_properties_of_the_file(workplace: Workplace) -> None:
    # No property is known to execute the statement, but two execute the file.
    reach = map_of(positive=reach_of(1), zero=reach_of(1, seconds=20), far=reach_of())
    runner, mutant = runner_of(workplace, SUITE, reach), mutant_with("x <= 0")
    assert runner.reach.order(mutant) == []
    assert runner.reach.order(mutant, by_file=True) == ["positive", "zero"]
    assert runner.within(mutant, 60)[1:3] == ("killed", "zero")
    late = runner.within(mutant, -1)
    assert (late.outcome, late.ran) == ("out of time", 0)
    alone = runner_of(workplace, SUITE, map_of(positive=reach_of(1)))
    assert alone.within(mutant, 60).outcome == "survived"


def test_a_failed_import_counts_as_killed(workplace: Workplace) -> None:
    reach = map_of(positive=reach_of(2))
    source = Source("__init__.py", TEXT)
    mutant = next(iter(all_mutants({"__init__.py": source}).values()))
    edit = mutant.edit._replace(start=0, end=0, replacement=b"raise ValueError('no')\n")
    broken = type(mutant)(**{**vars(mutant), "edit": edit, "lines": (2,)})
    suite: Any = SUITE
    result = Runner(suite, reach, workplace, {source.path: source}).alone(broken)
    assert (result.outcome, result.by) == ("killed", "import")
    assert result.text == "impl cannot be imported: no"


def test_a_statement_of_the_import_concerns_all_properties() -> None:
    reach = map_of(cheap=reach_of(2), other=reach_of(2, seconds=5, words="ONE"), far=reach_of())
    mutant = next(
        each
        for each in all_mutants({"__init__.py": Source("__init__.py", TEXT)}).values()
        if each.line == 7
    )
    assert reach.order(mutant) == ["cheap", "far", "other"]
    likely = map_of(cheap=reach_of(2), other=reach_of(2, seconds=0.2, words="ONE"))
    assert likely.order(mutant) == ["other", "cheap"]
    assert replace(likely, likely={mutant.id: ("che",)}).order(mutant) == ["cheap", "other"]


def test_the_map_survives_json() -> None:
    lines = {"a.py": [1, 2]}
    row = {"seconds": 2.0, "lines": lines, "words": ["b"]}
    data = json.loads(json.dumps([{"lines": lines}, {"p": row}]))
    expected = {"a.py": frozenset((1, 2))}
    assert read_map(*data) == ReachMap(expected, {"p": Reach(2.0, expected, frozenset("b"))})


def test_lines_are_traced_while_the_subject_runs(tmp_path: Path) -> None:
    (tmp_path / "traced_module.py").write_text(
        "def f(x):\n    if x:\n        return 1\n    return 2\n"
    )
    sys.path.insert(0, str(tmp_path))
    try:
        module = import_module("traced_module")
    finally:
        sys.path.remove(str(tmp_path))
    tracer, previous = LineTracer(tmp_path), sys.gettrace()
    library = TracedLibrary(Library("traced_module", module), tracer)
    try:
        module.f(0)
        assert tracer.lines() == {}
        run_case(library, Case(("torch.f(1)", "torch.f(1)")), lambda outcome, library: {})
        module.f(0)
        assert tracer.lines() == {"traced_module.py": [2, 3]}
        run_case(library, Case(("torch.f(0)",)), lambda outcome, library: {})
        assert tracer.lines() == {"traced_module.py": [2, 3, 4]}
    finally:
        threading.settrace(None)  # type: ignore[arg-type]
        sys.settrace(previous)


def spin() -> None:
    while True:
        pass


def test_children_have_limits() -> None:
    assert call_in_child(lambda: {"a": [1]}, 5, 5).result == {"a": [1]}
    assert call_in_child(spin, 0, 60).how == "timeout"
    assert call_in_child(lambda: time.sleep(60), 5, 0.2).how == "timeout"
    assert call_in_child(lambda: os._exit(4), 5, 5)[1:] == ("died", "exit status 4")
    raised = call_in_child(lambda: 1 / 0, 5, 5)
    assert raised.how == "raised"
    assert "ZeroDivisionError" in raised.detail
    assert len(call_in_child(lambda: "x" * 300_000, 5, 5).result) == 300_000


def test_workers_yield_every_name() -> None:
    assert dict(in_workers(str.upper, ["a", "b", "c"], 2)) == {"a": "A", "b": "B", "c": "C"}
    assert dict(in_workers(str.upper, [], 2)) == {}


def test_results_are_read_back(tmp_path: Path) -> None:
    state = State(tmp_path / "folder" / "state.jsonl", "key")
    assert state.read() == {}
    state.add("a", {"x": 1})
    State(state.path, "another key").add("b", {"x": 2})
    with state.path.open("a") as file:
        file.write('["key", "c", {"x"')  # a run that was killed
    state.add("d", {"x": 4})
    assert state.read() == {"a": {"x": 1}, "d": {"x": 4}}


def test_impl_s_sources_are_read(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.py").write_text("x = 1\n")
    assert [*read_sources(tmp_path)] == ["a/b.py"]


def test_a_fact_that_can_no_longer_be_asked_is_a_problem() -> None:
    session: Any = SimpleNamespace(lacking={"stride": "AttributeError"})
    suite = Suite({}, [], "quick", 0)
    prop: Any = None
    assert suite.problem(session, prop) == "not asked: stride"
