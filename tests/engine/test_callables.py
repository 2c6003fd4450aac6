"""The property of callables, whose calls may write to files."""

from pathlib import Path
from types import ModuleType, SimpleNamespace

from conformance.core.profiles import PROFILES
from conformance.generators.calls import python_calls
from conformance.properties import all_properties


def test_files_that_a_call_writes_do_not_stay(tmp_path, monkeypatch):
    written = []

    def ask(*steps):
        Path(steps[-1]).write_text("")
        written.append(Path(steps[-1]).absolute())

    session = SimpleNamespace(oracle=SimpleNamespace(root=None), profile=PROFILES["quick"])
    ask.session, ask.turn = session, 0
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(python_calls, "programs", lambda *_: [("cpu",), ("a",)])
    all_properties()["callables.calls"].body(ask, "torch.save")
    assert Path.cwd() == tmp_path
    assert [path.name for path in written] == ["cpu", "a"]
    assert not any(path.exists() for path in written)
    assert [*tmp_path.iterdir()] == []


def test_the_search_for_arguments_leaves_no_files(tmp_path, monkeypatch):
    def write(path):
        Path(path).write_text("")

    monkeypatch.setattr(python_calls, "overloads", lambda _: {})
    monkeypatch.setattr(python_calls, "in_scope", lambda _: ["torch.write"])
    monkeypatch.chdir(tmp_path)
    library = ModuleType("library")
    library.write = write
    row = python_calls.callables(library)["torch.write"]
    assert row.given == {"path": "'cpu'"}
    assert [*tmp_path.iterdir()] == []
