"""Unwritten elements: fills of uninitialized memory, masks and counts, with impl as the oracle."""

from contextlib import contextmanager

import numpy
import pytest

import impl
from conformance.comparison import comparator
from conformance.comparison.unwritten import (
    UNWRITTEN,
    Masked,
    compared_elements,
    mask,
    may_excuse,
    without_unwritten,
)
from conformance.core.case import Case
from conformance.core.profiles import PROFILES
from conformance.engine.probe import Probe
from conformance.engine.records import PartRecord
from conformance.engine.session import Session
from conformance.generators.compared_pairs import UNWRITTEN as ALIKE, WRITTEN as APART
from conformance.libraries.library import Library
from conformance.libraries.uninitialized import JUNK, ZEROS, filled, other_fills
from conformance.observation.element_bytes import with_digests
from conformance.observation.facets import observe
from conformance.observation.runner import run_case
from conformance.observation.tensor_state import write_elements
from conformance.report import unwritten_elements
from impl._arrays.numpy_bridge import np

ORACLE = Library("impl", impl)


@contextmanager
def filled_numpy(byte):
    """Let numpy.empty, as impl calls it, return arrays of one byte."""
    empty = numpy.empty

    def filled_empty(*args, **kwargs):
        array = empty(*args, **kwargs)
        array.view(numpy.uint8).fill(byte)
        return array

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(np, "empty", filled_empty)
        yield


ORACLE.fill_memory = filled_numpy


def observation(*steps):
    return run_case(ORACLE, Case(steps), observe)[-1].observation


def probe(subject=ORACLE):
    record = PartRecord("a.p", 0, "sampled")
    return Probe(Session(ORACLE, subject, PROFILES["quick"]), record), record


def test_freed_memory_is_filled_in_a_library_without_flags():
    contents, library = [], Library("impl", impl)
    for fill in (JUNK, ZEROS):
        with filled(library, fill):
            contents.append(bytes(impl.empty(5).untyped_storage().tolist()))
    assert contents == [b"\xef" * 20, bytes(20)]
    assert other_fills(library) == (JUNK, ZEROS)


@pytest.mark.parametrize("name", [*APART, *ALIKE])
def test_an_element_is_forgiven_if_nothing_wrote_it(name):
    ask, record = probe()
    ask.tells_unwritten_apart(*(APART | ALIKE)[name], apart=name in APART)
    assert ask.divergences == []
    assert record.comparisons == 1


@pytest.mark.parametrize(
    ("expected", "others", "observed", "result"),
    [
        (1, [1], 2, Masked(1, 2)),
        ("a", ["b"], "c", Masked(UNWRITTEN, UNWRITTEN, 1)),
        ("a", ["b"], "a", Masked(UNWRITTEN, UNWRITTEN, 0)),
        ("a", ["a", "b"], "c", Masked(UNWRITTEN, UNWRITTEN, 1)),
        ("a", ["b"], 1, Masked("a", 1)),
        (["a", "b"], [["a", "c"]], ["d", "e"], Masked(["a", UNWRITTEN], ["d", UNWRITTEN], 1)),
        (["a", "b"], [["a"]], ["a", "c"], Masked(UNWRITTEN, UNWRITTEN, 2)),
        (["a", "b"], [["a", "c"]], ["a"], Masked(["a", "b"], ["a"])),
        ({"x": "a"}, [{"x": "b"}], {"y": "a"}, Masked({"x": "a"}, {"y": "a"})),
        ({"x": "a", "y": True}, [{"x": "b", "y": True}], {"x": "c", "y": 1},
         Masked({"x": UNWRITTEN, "y": True}, {"x": UNWRITTEN, "y": 1}, 1)),
        ("70 elements, 0123456789abcdef", ["70 elements, fedcba9876543210"], "b",
         Masked(UNWRITTEN, UNWRITTEN, 70)),
    ],
)  # fmt: skip
def test_a_mask_covers_exactly_the_parts_that_differ_between_fills(
    expected, others, observed, result
):
    assert mask(expected, others, observed) == result


def test_the_elements_of_arrays_and_storages_are_masked_one_by_one():
    array = {"array": "int16", "writeable": True, "elements": "00010002"}
    rows = [array, {**array, "elements": "00010003"}, {**array, "elements": "00090004"}]
    assert mask(rows[0], rows[1:2], rows[2])[:2] == (
        {**array, "elements": ["0001", UNWRITTEN]},
        {**array, "elements": ["0009", UNWRITTEN]},
    )
    storage = {"storage": "torch.UntypedStorage", "resizable": True, "elements": "0102"}
    other = {**storage, "elements": "0103"}
    assert mask(storage, [other], other).expected["elements"] == ["01", UNWRITTEN]


def test_an_outcome_that_depends_on_unwritten_elements_is_undefined():
    case = Case(("x = torch.empty(1, dtype=torch.bool)", "1 // int(x.item())"))
    with filled(ORACLE, JUNK):
        value = run_case(ORACLE, case, observe)[-1].observation
        error = {"raises": "ValueError", "message": "no", "warnings": []}
        assert may_excuse(comparator.compare(value, error, str(case)))
        masked = without_unwritten(ORACLE, case, value, error, observe)
    assert masked[:2] == ({}, {})
    assert comparator.compare(*masked[:2], str(case)).facets == ()


def test_an_outcome_that_changes_with_something_else_is_not_excused():
    case = Case(("import itertools; n = itertools.count()", "raise ValueError(str(id(n)))"))
    value = run_case(ORACLE, case, observe)[-1].observation
    other = {**value, "message": "no"}
    assert without_unwritten(ORACLE, case, value, other, observe)[:2] == (value, other)


def test_the_oracle_prints_the_unwritten_elements_of_the_subject():
    case = Case(("x = torch.empty(2, dtype=torch.int8)", "x.fill_(3)", "x.resize_(3)"))
    with filled(ORACLE, ZEROS):
        expected = run_case(ORACLE, case, observe)[-1].observation
    elements = [*expected["elements"][:2], "07"]
    state = {"x": {**expected["state"]["x"], "elements": elements}}
    for text, differences in (
        ("tensor([3, 3, 7], dtype=torch.int8)", []),
        ("tensor([3, 4, 7], dtype=torch.int8)", ["repr"]),
        ("tensor([3, 3, 8], dtype=torch.int8)", ["repr"]),
    ):
        observed = {**expected, "elements": elements, "state": state, "repr": text}
        masked = without_unwritten(ORACLE, case, expected, observed, observe)
        result = comparator.compare(*masked[:2], str(case))
        assert [row.facet for row in result.differences] == differences


@pytest.mark.parametrize(
    ("program", "count"),
    [
        (("torch.zeros(3)",), 3),
        (("x = torch.zeros(3)", "x[1:]"), 5),
        (("x = torch.zeros(2, 2)", "None"), 4),
        (("torch.zeros(100)",), 100),
        (("torch.zeros(3).tolist()",), 3),
        (("[torch.zeros(3), 1j, (2, 'a')]",), 5),
        (("u = torch.UntypedStorage(5)", "None"), 5),
        (("n = numpy.zeros(3)", "None"), 3),
        (("torch.ones(2).to_sparse()",), 4),
        (("torch.float32",), 0),
    ],
)
def test_elements_are_counted_in_every_facet_that_has_them(program, count):
    assert compared_elements(observation(*program)) == count


def test_elements_of_an_area_are_counted_and_reported():
    ask, record = probe()
    ask("x = torch.arange(3.0)", "x[:2]")
    assert (record.elements, record.unwritten) == (3 + 5, 0)
    data = {"unwritten": [{"area": "a", "compared": 400, "forgiven": 3},
                          {"area": "b", "compared": 0, "forgiven": 0}]}  # fmt: skip
    assert "400 elements compared in cases, 3 (0.75 %)" in unwritten_elements.line(data)
    assert unwritten_elements.rows(data) == [["a", "400", "3", "0.75 %"]]
    assert unwritten_elements.line({}) == ""


def test_very_many_elements_are_reported_as_a_digest():
    answer = {"x": ["00"] * 5000, "y": ["00"]}
    assert with_digests(answer)["y"] == ["00"]
    assert with_digests(answer)["x"].startswith("5000 elements, ")


def test_elements_are_written_by_shape_strides_and_offset():
    tensor = impl.zeros(12, dtype=impl.int16)[1:].view(11)[:6].view(2, 3).t()
    write_elements(tensor, {1: "0102", 4: "0007"})
    assert tensor.tolist() == [[0, 0x102], [0, 0], [7, 0]]
