"""Draws: the same for a seed, wherever the suite runs and whatever was imported before."""

import sys
from importlib import import_module

import pytest
from hypothesis import strategies as st

import impl
from conformance.core.profiles import PROFILES
from conformance.engine.execution import run_property
from conformance.engine.registry import Property
from conformance.engine.session import Session
from conformance.libraries.library import Library

CONSTANTS = "A = [{}]\nB = [{}]\n"


def drawn_cases():
    """Return what a property draws in a run with seed 0."""
    cases = []

    def body(ask, **drawn):
        cases.append(repr(drawn))

    strategies = {"number": st.integers(), "real": st.floats(), "text": st.text(max_size=20)}
    library = Library("impl", impl)
    session = Session(library, library, PROFILES["quick"])
    run_property(session, Property("a.drawn", "draws", body, 1, strategies=strategies))
    return cases


@pytest.fixture
def local_module(tmp_path, monkeypatch):
    """Import a module with many constants from a folder of its own."""
    integers = ", ".join(str(10**9 + 7 * index) for index in range(500))
    texts = ", ".join(repr(f"constant {index}") for index in range(500))
    (tmp_path / "some_local_constants.py").write_text(CONSTANTS.format(integers, texts))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    yield lambda: import_module("some_local_constants")
    sys.modules.pop("some_local_constants", None)


def test_neither_a_folder_nor_a_module_changes_what_is_drawn(local_module):
    before = drawn_cases()
    local_module()
    after = drawn_cases()
    assert len(before) >= 100
    assert before == after
