"""Recordings: a subject is judged by them as by the library that was recorded, here impl."""

import json
import zipfile
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import mkdtemp

import numpy
import pytest
from hypothesis import strategies as st

import impl
from conformance.adapter import Adapter
from conformance.comparison import comparator
from conformance.comparison.element_cases import ElementCase
from conformance.controls.fault_injection import Fault, FaultyLibrary
from conformance.core.domain import Domain
from conformance.core.errors import CouldNotRun
from conformance.core.profiles import Profile
from conformance.engine import execution
from conformance.engine.aggregate import environment, to_text
from conformance.engine.execution import run_part
from conformance.engine.registry import Property
from conformance.engine.session import Session
from conformance.libraries.library import Library
from conformance.observation.cross_device import observer_for
from conformance.properties import all_properties
from conformance.recording import archive
from conformance.recording.answers import Answers
from conformance.recording.archive import Archive, Header, archive_of, part_name
from conformance.recording.known import compare_with_recording, library_of
from conformance.spec.code_digest import suite_digest

from .test_unwritten import filled_numpy

PROFILE = Profile("test", 40, attempts=3, shrink_s=0, patterns=64, cells=40)
NUMBERS = st.lists(st.sampled_from(["torch.int32", "torch.half"]), min_size=2, max_size=3)


def oracle():
    library = Library("impl", impl)
    library.fill_memory = filled_numpy
    return library


def faulty(call):
    return FaultyLibrary(impl, Fault(call=call))


def half_of_int(function, args, kwargs, torch):
    if function is torch.promote_types and torch.int32 in args:
        return torch.half
    return function(*args, **kwargs)


def wrong_element(function, args, kwargs, torch):
    result = function(*args, **kwargs)
    if getattr(function, "__name__", "") == "to":
        result.data[-1] = 3
    return result


def in_cells(body, domain, **options):
    return Property("area.name", "A claim.", body, 1, domain=lambda torch: domain, **options)


def ask_numbers(ask, number):
    ask(f"x = torch.tensor([{number}, 3])", "x + x", "x.view(3)", question=(1, 2))
    ask(f"y = torch.tensor([{number}])", "torch.promote_types(torch.int32, torch.int64)", "y")


def ask_elements(ask, number):
    patterns = (f"c = numpy.array([{number}, 127, 200], dtype='uint8')",)
    steps = ("x = torch.frombuffer(c, dtype=torch.uint8)", "x.to(torch.float16)")
    ask.bulk(ElementCase("uint8", "float16", patterns, steps))


def ask_drawn(ask, dtypes):
    ask(*(f"torch.promote_types({dtype}, torch.int64)" for dtype in dtypes))


def ask_list(ask, dtypes):
    ask(f"[{', '.join(f'torch.promote_types({dtype}, torch.int64)' for dtype in dtypes)}]")


def ask_simulated(ask, number):
    ask(f"torch.ones({number}, device='cuda')", f"torch.ones({number})")


def ask_inexact(ask, number):
    operand = f"x = torch.tensor([{number}.5, -1.0, 0.5])"
    ask(operand, "torch.sin(x)")
    ask(operand, "y = torch.zeros(3)", "torch.sin(x, out=y)")
    ask("x = torch.tensor([-1.0, 0.0])", "torch.log(x)", "x.neg()", question=(1, 2))
    ask(f"x = torch.ones(3, {number}0)", "x.t()", "x.add_(1)", question=(1, 2))


TEN = Domain(number=map(str, range(10)))
PROPERTIES = {
    "cells": in_cells(ask_numbers, TEN, grid_step=-1),
    "elements": in_cells(ask_elements, TEN),
    "inexact": in_cells(ask_inexact, Domain(number="123")),
    "drawn": Property("area.name", "A claim.", ask_drawn, 1, strategies={"dtypes": NUMBERS}),
    "cuda": in_cells(ask_simulated, TEN, cuda=True),
    "limits": all_properties()["limits.iinfo"],
    "suite": all_properties()["engine.unwritten"],
}


def other_bits(bits):
    """Return a subject whose sines are off by some bits, and whose other NaNs and zeros differ."""

    def call(function, args, kwargs, torch):
        result = function(*args, **kwargs)
        name = getattr(function, "__name__", "")
        if name == "sin":
            result.data.view(torch.int32).add_(bits)
        elif name in ("log", "neg"):
            result.data.view(torch.int32).bitwise_xor_(-(2**31))
        return result

    return faulty(call)


def without_strides():
    """Return impl as a library of which no strides, storages and versions are asked."""
    left_out = ("stride", "storage", "address", "aliasing", "version")
    return Library("impl", impl, None, Adapter(impl, not_asked=left_out))


SUBJECTS = {
    "right": oracle,
    "half": lambda: faulty(half_of_int),
    "element": lambda: faulty(wrong_element),
    "last bit": lambda: other_bits(1),
    "many bits": lambda: other_bits(999),
    "without strides": without_strides,
}


def header(**changes):
    known = environment(Library("impl", impl))
    values = Header(suite_digest(), "impl", known, Library("impl", impl).names, "quick", 0, None,
                    None, "2026-11-25T00:00:00+00:00")  # fmt: skip
    return replace(values, **changes)


def recorded(folder, prop, library=None):
    """Record a part of a property, with impl as the oracle, and return the file."""
    library, parts = library or oracle(), Path(mkdtemp(dir=folder))
    run_part(Session(library, library, PROFILE, records_into=parts), prop, 0)
    file = parts / "answers.zip"
    archive.write(file, header(), parts.iterdir(), {part_name(prop.id, 0)})
    return Archive(str(file))


def session_with(library, subject):
    """Return the session of an oracle and a subject, as a run has it."""
    return Session(library, subject, PROFILE, observer=observer_for(subject))


def facts_of(record):
    """Return a record as plain data, without its time."""
    data = json.loads(to_text(record))
    return {name: value for name, value in data.items() if name != "seconds"}


@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize("name", PROPERTIES)
def test_a_recording_judges_as_the_library_that_was_recorded(name, subject, tmp_path, monkeypatch):
    # A recording has no programs with fewer steps, so its scripts have all of them.
    monkeypatch.setattr(execution, "shorten_reproductions", lambda session, record: None)
    prop = PROPERTIES[name]
    live, known = (
        run_part(session_with(library, SUBJECTS[subject]()), prop, 0)
        for library in (oracle(), library_of(recorded(tmp_path, prop)))
    )
    assert live.comparisons > 0
    assert facts_of(known) == facts_of(live)
    finds = {"half": {"cells", "drawn"}, "element": {"elements"}, "last bit": {"inexact"},
             "many bits": {"inexact"}}  # fmt: skip
    assert bool(live.divergences) == (name in finds.get(subject, ()))


def test_a_recording_finds_what_a_run_with_torch_finds_and_simplifies(tmp_path):
    """A list of known divergences that was written beside torch holds without it."""
    prop, profile = replace(PROPERTIES["drawn"], body=ask_list), PROFILE._replace(shrink_s=3)
    live, known = (
        run_part(Session(library, faulty(half_of_int), profile), prop, 0).divergences
        for library in (oracle(), library_of(recorded(tmp_path, prop)))
    )
    assert len(live) == profile.attempts
    assert any(row.drawn for row in live.values())
    assert [row.fingerprint for row in live.values()] == [row.fingerprint for row in known.values()]
    assert [*live] == [*known]


def test_a_recording_forgives_the_last_bits_that_the_oracle_forgives(tmp_path):
    prop = PROPERTIES["inexact"]
    known = library_of(recorded(tmp_path, prop))
    near, far = (
        {row.case.splitlines()[-1]
         for row in run_part(session_with(known, other_bits(bits)), prop, 0).divergences.values()}
        for bits in (1, 999)
    )  # fmt: skip
    assert far - near == {"torch.sin(x)", "torch.sin(x, out=y)"}


@pytest.mark.parametrize("sizes", [(2, 3), (2, 300)])
def test_elements_that_nothing_wrote_are_forgiven(sizes, tmp_path):
    """Of many elements an observation has a digest, and the recording the elements beside it."""
    domain = Domain(number=map(str, sizes))
    prop = in_cells(lambda ask, number: ask(f"torch.empty({number})"), domain)
    with filled_numpy(0x22):
        known = library_of(recorded(tmp_path, prop))
    subject = oracle()
    with filled_numpy(0x11):
        record = run_part(Session(known, subject, PROFILE), prop, 0)
    assert not record.divergences
    assert record.unwritten == sum(sizes)


def test_a_warning_that_depends_on_earlier_programs_is_no_difference():
    once = "UserWarning: Sparse invariant checks are implicitly disabled. Memory errors may occur."
    left, right = {"raises": None, "warnings": [once]}, {"raises": None, "warnings": []}
    assert comparator.compare(left, right, "f()").differences
    for sides in ((left, right), (right, left)):
        result = compare_with_recording(*sides, "f()")
        assert (result.differences, result.normalized) == ([], ["invariants-once"])
    other = {"raises": None, "warnings": ["UserWarning: other"]}
    assert compare_with_recording(left, other, "f()").differences
    assert [row.facet for row in compare_with_recording(left, right | {"raises": "E"}, "f()")
            .differences] == ["raises"]  # fmt: skip


def test_no_part_depends_on_random_numbers_of_an_earlier_one():
    prop = in_cells(lambda ask, number: ask("torch.initial_seed()"), Domain(number="1"))
    impl.manual_seed(3)
    run_part(Session(oracle(), oracle(), PROFILE), prop, 0)
    assert impl.initial_seed() == 0


def test_a_program_that_was_not_recorded_blocks_its_cell(tmp_path):
    known = library_of(recorded(tmp_path, PROPERTIES["cells"]))
    answers = known.known.open_part("area.name.0")
    key = next(iter(answers.steps))
    del answers.steps[key]
    known.known.open_part = lambda name, subject: answers
    record = run_part(Session(known, oracle(), PROFILE), PROPERTIES["cells"], 0)
    assert [*record.visits.blocked] == ["an answer that is not in the recording"]
    assert not record.divergences


def test_two_recordings_are_compared_without_a_library(tmp_path):
    old, new = (
        library_of(recorded(tmp_path, PROPERTIES["cells"], library))
        for library in (oracle(), faulty(half_of_int))
    )
    record = run_part(session_with(old, new), PROPERTIES["cells"], 0)
    assert {row.facet for row in record.divergences.values()} == {"value"}
    assert len(record.divergences) == 10
    assert {name: len(cells) for name, cells in record.visits.blocked.items()} == {
        "torch.promote_types": 10
    }


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"suite": "0" * 16}, "made by another version of the suite"),
        ({"profile": "smoke"}, "recording of --profile smoke --seed 0"),
        ({"seed": 3}, "recording of --profile quick --seed 3"),
        ({"only": "promotion,casting.patterns"}, "recording of promotion,casting.patterns"),
    ],
)
def test_a_recording_is_for_one_suite_profile_and_seed(changes, why):
    header().check_asked("it", "quick", 0)
    header(only="limits,casting").check_asked("it", "quick", 0)
    header(only="limits,casting").check_asked("it", "quick", 0, "limits.iinfo,casting")
    with pytest.raises(CouldNotRun, match=why):
        header(**changes).check_asked("it", "quick", 0, "casting")


def test_a_file_that_is_no_recording_says_so(tmp_path):
    (tmp_path / "text").write_text("no archive")
    with zipfile.ZipFile(tmp_path / "other", "w") as other:
        other.writestr("recording.json", json.dumps({"schema": "other", **asdict(header())}))
    for name, why in (("text", "is no recording"), ("missing", "is no recording"),
                      ("other", "has another schema")):  # fmt: skip
        with pytest.raises(CouldNotRun, match=why):
            Archive(str(tmp_path / name))
    assert archive_of("torch") is None


def test_answers_survive_the_files(tmp_path):
    answers = recorded(tmp_path, PROPERTIES["elements"]).part("area.name.0")
    assert answers is not None
    again = Answers.from_files(answers.as_files())
    assert [*again.arrays] == [*answers.arrays]
    assert all(
        numpy.array_equal(again.arrays[name], array) and again.arrays[name].dtype == array.dtype
        for name, array in answers.arrays.items()
    )
    arrays = {"arrays": None}
    assert vars(again) | arrays == vars(answers) | arrays
