"""What a subject must not change: each kind of change is seen, and named."""

import sys
from threading import Event, Thread
from types import ModuleType, SimpleNamespace

import pytest

import impl
from conformance.core import case, profiles
from conformance.engine import records
from conformance.libraries.watched import Watched


def other():
    """Stand in for any callable."""


def recode(monkeypatch):
    monkeypatch.setattr(case.literal, "__code__", other.__code__)


CHANGES = {
    "torch.promote_types": lambda patch: patch.setattr(impl, "promote_types", other),
    "torch.can_cast": lambda patch: patch.delattr(impl, "can_cast"),
    "math.isnan": lambda patch: patch.setattr("math.isnan", other),
    "conformance.core.case.literal": recode,
    "conformance.core.profiles.Profile": lambda patch: patch.setattr(profiles, "Profile", other),
    "conformance.core.profiles.Profile.shrinks": lambda patch: patch.setattr(
        profiles.Profile, "shrinks", property(other)
    ),
    "conformance.core.profiles.PROFILES": lambda patch: patch.setitem(
        profiles.PROFILES, "smoke", None
    ),
    "conformance.core.case.MODULES": lambda patch: patch.setattr(case, "MODULES", ()),
    "conformance.engine.records.PartRecord.note": lambda patch: patch.setattr(
        records.PartRecord, "note", other
    ),
    "sys.modules.conformance.core.case": lambda patch: patch.setitem(
        sys.modules, "conformance.core.case", SimpleNamespace(**vars(case))
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_seen(name, monkeypatch):
    watched = Watched(impl)
    assert watched.changed() is None
    CHANGES[name](monkeypatch)
    assert watched.changed() == name
    monkeypatch.undo()
    assert watched.changed() is None


def test_what_is_new_changes_nothing(monkeypatch):
    watched = Watched(impl)
    monkeypatch.setattr(impl, "of_its_own", other, raising=False)
    monkeypatch.setitem(sys.modules, "conformance.of_its_own", SimpleNamespace())
    monkeypatch.setattr(case, "OF_ITS_OWN", [1], raising=False)
    assert watched.changed() is None


@pytest.fixture
def imports():
    """Import modules in a thread, which gets to run often."""
    interval, done = sys.getswitchinterval(), Event()

    def run():
        while not done.is_set():
            for number in range(50):
                sys.modules[f"imported_{number}"] = ModuleType("imported")
            for number in range(50):
                del sys.modules[f"imported_{number}"]

    thread = Thread(target=run)
    sys.setswitchinterval(1e-6)
    thread.start()
    yield
    done.set()
    thread.join()
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("imports")
def test_imports_in_another_thread_are_no_error():
    for _ in range(50):
        assert Watched(impl).changed() is None
