"""Other cells than those that a subject cannot answer, in a run that asks few of each domain."""

from types import SimpleNamespace

import pytest

import impl
from conformance.core.domain import Domain
from conformance.core.profiles import PROFILES
from conformance.engine.aggregate import from_text, merge, to_text
from conformance.engine.execution import run_property
from conformance.engine.registry import Property
from conformance.engine.session import Session
from conformance.generators import settings
from conformance.generators.oracle_namespace import dtype_names
from conformance.libraries.library import Library
from conformance.report.text import domain_text

ORACLE = Library("impl", impl)
DTYPES = dtype_names(impl)
DEFAULTS = ("float16", "bfloat16", "float32", "float64")
SMOKE = PROFILES["smoke"]


def ask_can_cast(ask, default, source, target):
    """Ask as promotion.can_cast does."""
    ask(*settings.default_dtype(default), f"torch.can_cast({source}, {target})")


def can_cast_domain(torch):
    names = [f"torch.{name}" for name in DTYPES]
    return Domain(default=DEFAULTS, source=names, target=names)


CAN_CAST = Property("area.can_cast", "A claim.", ask_can_cast, 2, domain=can_cast_domain)


def run(subject, prop=CAN_CAST, profile=SMOKE, seed=0):
    session = Session(ORACLE, subject, profile, seed=seed)
    return merge(prop, [from_text(to_text(part)) for part in run_property(session, prop)])


def small(**others):
    """Return a library with three dtypes, whose default dtype cannot be set."""
    names = ("float32", "int64", "bool", "dtype", "get_default_dtype")
    root = SimpleNamespace(**{name: getattr(impl, name) for name in names}, **others)
    return Library("small", root, ORACLE.names)


@pytest.mark.parametrize("seed", range(5))
def test_a_small_library_is_asked_what_it_can_answer(seed):
    record = run(small(can_cast=lambda source, target: True), seed=seed)
    assert record.coverage.blocked > 2
    assert record.coverage.instead
    assert not record.complete
    wrong = [each for each in record.divergences if not each.missing]
    assert wrong
    answers = {(each.facet, each.expected, each.observed) for each in wrong}
    assert answers == {("value", False, True)}
    text = domain_text({**record.coverage.as_data(), "one_in": 1})
    assert text.endswith(f", {record.coverage.instead} others asked instead")


def test_what_is_asked_instead_is_right_if_the_library_is():
    record = run(small(can_cast=impl.can_cast))
    assert record.coverage.instead
    assert all(each.missing for each in record.divergences)


def test_nothing_is_asked_instead_of_what_is_answered():
    record = run(ORACLE)
    assert record.coverage.instead == 0
    assert record.complete
    assert record.coverage.visited == record.coverage.size < 2 * SMOKE.cells


def test_a_quick_run_asks_nothing_instead():
    record = run(small(can_cast=impl.can_cast), profile=PROFILES["quick"])
    assert record.coverage.instead == 0
    assert record.coverage.visited + record.coverage.blocked == record.coverage.size


def test_a_library_without_the_function_is_not_asked_again_and_again():
    record = run(small())
    assert record.coverage.instead == 0
    cells = record.coverage.visited + record.coverage.blocked
    assert len(record.divergences) <= 2 * cells


def test_labels_that_are_parts_of_programs_are_taken():
    domain = Domain(part=("torch.nowhere", "(x", "x)", "torch.float32"))
    prop = Property(
        "area.parts", "A claim.", lambda ask, part: ask("torch.bool"), 1, domain=lambda _: domain
    )
    assert run(small(), prop).complete
