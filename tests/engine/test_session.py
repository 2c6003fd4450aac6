"""The session and the probe: counts, records, and errors of properties."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from hypothesis import strategies as st

import impl
from conformance.comparison.element_cases import ElementCase, ElementCounts
from conformance.controls.fault_injection import Fault, FaultyLibrary
from conformance.core.domain import Domain
from conformance.core.profiles import Profile
from conformance.engine.aggregate import from_text, merge, to_text
from conformance.engine.execution import run_part, run_property
from conformance.engine.registry import Property
from conformance.engine.session import Session
from conformance.libraries.library import Library

from .test_unwritten import filled_numpy

ORACLE = Library("impl", impl)
ORACLE.fill_memory = filled_numpy
TEN = Domain(number=map(str, range(10)))


def wrong(condition, answer):
    """Return a subject with another answer of promote_types where the condition holds."""

    def call(function, args, kwargs, torch):
        if function is torch.promote_types and condition(torch, *args):
            return answer(torch)
        return function(*args, **kwargs)

    return FaultyLibrary(impl, Fault(call=call))


RIGHT = wrong(lambda torch, *args: False, None)
INT_BECOMES_HALF = wrong(lambda torch, *args: torch.int32 in args, lambda torch: torch.half)


def session(subject=RIGHT, examples=50):
    return Session(ORACLE, subject, Profile("test", examples, 3))


def finite(body, domain=TEN, parts=1):
    return Property("area.name", "A claim.", body, parts, domain=lambda torch: domain)


def sampled(body, parts=1, **strategies):
    return Property("area.name", "A claim.", body, parts, strategies=strategies)


def run(prop, subject=RIGHT):
    return merge(prop, run_property(session(subject), prop))


def ask_each(ask, number):
    ask(f"torch.finfo().max * {number}")


def test_a_property_that_asks_in_every_cell_is_complete():
    record = run(finite(ask_each))
    assert record.complete
    assert record.comparisons == 10 * 3


@pytest.mark.parametrize("parts", [1, 3])
def test_parts_are_put_together(parts):
    record = run(finite(ask_each, parts=parts))
    assert record.complete
    assert record.coverage.visited == 10


def test_a_property_that_returns_before_it_asks_is_not_complete():
    def body(ask, number):
        if number != "7":
            ask_each(ask, number)

    record = run(finite(body))
    assert not record.complete
    assert record.coverage.visited == 9


def test_a_property_that_asks_nothing_fails_its_test():
    prop = finite(lambda ask, number: None)
    (part,) = run_property(session(), prop)
    assert "compared nothing" in part.problems()


def test_a_failing_property_is_not_swallowed():
    def body(ask, number):
        raise LookupError(number)

    with pytest.raises(LookupError):
        run(finite(body))


def test_every_difference_of_a_finite_domain_is_kept():
    names = ("int32", "int64", "half")

    def body(ask, left, right):
        ask(f"torch.promote_types(torch.{left}, torch.{right})")

    record = run(finite(body, Domain(left=names, right=names)), INT_BECOMES_HALF)
    cases = {row.case for row in record.divergences}
    assert cases == {
        "torch.promote_types(torch.int32, torch.int32)",
        "torch.promote_types(torch.int32, torch.int64)",
        "torch.promote_types(torch.int64, torch.int32)",
    }
    # repr is not compared where the value differs.
    assert {row.facet for row in record.divergences} == {"value"}


def test_what_follows_a_difference_is_not_compared():
    def body(ask, number):
        ask("x = torch.promote_types(torch.int32, torch.int64)", "x", "x.itemsize")

    record = run(finite(body, Domain(number="1")), INT_BECOMES_HALF)
    assert {row.case.splitlines()[-1] for row in record.divergences} == {"x"}


def test_a_name_that_is_not_there_is_a_mistake_of_the_case():
    with pytest.raises(NameError):
        run(finite(lambda ask, number: ask("x + 1"), Domain(number="1")))


def test_a_name_that_is_not_there_as_its_step_failed_is_none():
    body = lambda ask, number: ask("with torch.no_grad(): x = torch.ones(-1)", "x + 1")  # noqa: E731
    assert not run(finite(body, Domain(number="1"))).divergences


def test_of_many_elements_that_differ_all_are_shown():
    def call(function, args, kwargs, torch):
        result = function(*args, **kwargs)
        if function is torch.arange:
            result[70] = -1
        return result

    body = lambda ask, number: ask("torch.arange(100, dtype=torch.uint8)")  # noqa: E731
    record = run(finite(body, Domain(number="1")), FaultyLibrary(impl, Fault(call=call)))
    (row,) = (row for row in record.divergences if row.facet == "elements")
    assert [row.expected[70], row.observed[70]] == ["46", "ff"]


def test_rejected_draws_are_counted():
    numbers = st.integers(0, 100).filter(lambda number: number % 10 == 0)
    record = run(sampled(lambda ask, number: ask(f"{number}"), number=numbers))
    assert record.coverage.rejected > 0
    assert 0 < record.coverage.visited <= 11


def test_a_missing_name_is_one_divergence_however_often_it_is_asked_for():
    subject = Library("less", SimpleNamespace(**{**vars(impl), "finfo": None}), ORACLE.names)
    del subject.root.finfo

    def body(ask, number):
        ask(f"torch.finfo({number})")

    record = run(finite(body, Domain(number=("", "torch.half", "1"))), subject)
    assert [row.missing for row in record.divergences] == ["torch.finfo"]
    # Nothing that follows from it is a fact: not that its message differs, nor that it warns alike.
    assert (record.facets, record.wrong) == ({"raises": 3}, {"1 raises": 3})


class FewMembers:
    """A tensor without members but some, which fail for reasons of their own."""

    def sum(self):
        return self.inner

    def item(self):
        raise AttributeError(name=1, obj=self)

    def tolist(self):
        raise AttributeError(name="tolist", obj=Hostile())


class Hostile:
    """An object that cannot be asked for its class."""

    @property
    def __class__(self):
        raise RuntimeError("no class")


FEW = SimpleNamespace(tensor=lambda data: FewMembers(), Tensor=FewMembers)


@pytest.mark.parametrize(
    ("steps", "missing"),
    [
        (["torch.tensor([1]).view(1)"], "torch.Tensor.view"),
        (["torch.Tensor.view"], "torch.Tensor.view"),
        (["torch.tensor([1]).view(2)"], "torch.Tensor.view"),  # which torch refuses
        (["torch.tensor([1]).nothing()"], None),  # which torch has not, either
        (["torch.tensor([1]).sum()"], None),
        (["torch.tensor([1]).item()"], None),
        (["torch.tensor([1]).tolist()"], None),
        (["torch.eye(1).view(1)"], "torch.eye"),
    ],
)
def test_a_member_that_is_not_there_is_a_missing_name(steps, missing):
    body = finite(lambda ask, number: ask(*steps), Domain(number="1"))
    record = run(body, Library("few", FEW, ORACLE.names))
    assert {row.missing for row in record.divergences} == {missing}


def test_a_member_that_is_not_there_blocks_by_its_name():
    steps = "x = torch.tensor([1]).view(1)", "x.sum()"
    body = finite(lambda ask, number: ask(*steps), Domain(number="1"))
    record = run(body, Library("few", FEW, ORACLE.names))
    assert record.coverage.blocked_by == {"torch.Tensor.view": 1}


def test_a_name_that_is_asked_for_is_missing_if_the_answers_differ():
    def body(ask, name):
        ask(f"hasattr(torch, {name!r})", name=f"torch.{name}")

    record = run(finite(body, Domain(name=["tensor", "eye"])), Library("few", FEW, ORACLE.names))
    assert [(row.missing, row.observed) for row in record.divergences] == [("torch.eye", False)]


def test_not_implemented_is_missing_too():
    def refuse(*args):
        raise NotImplementedError("later")

    subject = Library("less", SimpleNamespace(**{**vars(impl), "finfo": refuse}), ORACLE.names)
    body = finite(lambda ask, text: ask(f"torch.finfo({text})"), Domain(text=("", "torch.half")))
    assert {row.missing for row in run(body, subject).divergences} == {
        "torch.finfo (NotImplementedError)"
    }


def test_what_both_sides_refuse_is_not_missing():
    def refuse(*args):
        raise NotImplementedError("never")

    subject = Library("less", SimpleNamespace(**{**vars(impl), "finfo": refuse}), ORACLE.names)
    body = finite(lambda ask, text: ask(f"torch.finfo({text})"), Domain(text=("1", "'a'")))
    record = run(body, subject)
    assert {(row.facet, row.missing) for row in record.divergences} == {
        ("raises", None), ("message", None),
    }  # fmt: skip


def test_a_part_arrives_as_it_was_sent():
    prop = finite(
        lambda ask, number: ask(f"torch.promote_types(torch.int32, torch.int{number})"),
        Domain(number=("8", "16")),
    )
    (part,) = run_property(session(INT_BECOMES_HALF), prop)
    assert part.divergences
    assert from_text(to_text(part)) == part


def test_a_record_needs_all_parts_of_one_domain():
    prop = finite(ask_each, parts=2)
    first, second = run_property(session(), prop)
    with pytest.raises(ValueError, match="instead of 2 parts"):
        merge(prop, [first])
    with pytest.raises(ValueError, match="instead of 2 parts"):
        merge(prop, [first, first])
    second.size = 11
    with pytest.raises(ValueError, match="different domains"):
        merge(prop, [first, second])


def test_the_same_seed_draws_the_same():
    prop = sampled(lambda ask, number: ask(f"{number}"), number=st.integers())
    digests = {run(prop).coverage.digest for _ in range(2)}
    other = Session(ORACLE, RIGHT, Profile("test", 50, 3), seed=1)
    assert len(digests) == 1
    assert merge(prop, run_property(other, prop)).coverage.digest not in digests


def ask_three(ask, number):
    setup = (f"c = numpy.array([{number}, 127, 200], dtype='uint8')",)
    steps = ("x = torch.frombuffer(c, dtype=torch.uint8)", "x.to(torch.float16)")
    ask.bulk(ElementCase("uint8", "float16", setup, steps))


def test_the_elements_of_all_parts_are_counted_and_travel():
    parts = run_property(session(), finite(ask_three, parts=3))
    record = merge(finite(ask_three, parts=3), [from_text(to_text(part)) for part in parts])
    assert record.tallies == {"uint8 float16": ElementCounts(compared=30)}
    assert record.complete
    assert record.comparisons == 10 * 12


def test_an_element_that_differs_is_a_divergence_with_votes():
    def call(function, args, kwargs, torch):
        result = function(*args, **kwargs)
        if getattr(function, "__name__", "") == "to":
            result.data.fill_(3)
        return result

    record = run(finite(ask_three), FaultyLibrary(impl, Fault(call=call)))
    assert record.tallies["uint8 float16"].differing == 29
    first = record.divergences[0]
    assert (first.facet, first.outlier) == ("elements", "subject")
    assert first.expected == "00 (0) becomes 0000 (0.0)"
    assert first.reproduction.endswith("print(x.to(torch.float16).tolist())")


@pytest.mark.parametrize("cuda", [False, True])
def test_no_part_knows_what_an_earlier_one_has_settled(cuda):
    def body(ask, number):
        ask(f"x = {number}", "x")

    prop = Property("area.name", "A claim.", body, 1, domain=lambda torch: TEN, cuda=cuda)
    one = Session(ORACLE, ORACLE, Profile("test", 50, 3))
    first, again = (run_part(one, prop, 0) for _ in range(2))
    assert first.comparisons == again.comparisons > 0


def test_a_domain_is_built_without_the_default_device_of_the_subject():
    # Both libraries share a namespace, and the subject has run last.
    subject = Library("impl@meta", impl, ORACLE.names)
    devices = []

    def domain(torch):
        devices.append(str(torch.empty(0).device))
        return TEN

    prop = Property("area.name", "A claim.", ask_each, 2, domain=domain)
    for _ in range(2):
        subject.scope()
        run_property(Session(ORACLE, subject, Profile("test", 1, 3)), replace(prop))
    ORACLE.scope()
    assert {*devices} == {"cpu"}
