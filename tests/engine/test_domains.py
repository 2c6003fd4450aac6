"""Domains and their coverage: complete only after every cell."""

import pytest

from conformance.core.domain import Coverage, Domain, Visits, digest_of
from conformance.core.profiles import PROFILES
from conformance.engine.probe import Probe
from conformance.engine.records import PartRecord
from conformance.engine.registry import Property
from conformance.engine.session import Session


def coverage(domain, visits):
    return Coverage(
        "finite", domain.size, domain.digest(), len(visits.seen), visits.rejected, visits.digest
    )


DOMAIN = Domain(left="abc", right="xy")
CELLS = list(DOMAIN.cells())


def test_the_cells_are_the_product_of_the_axes():
    assert DOMAIN.size == len(CELLS) == 6
    assert CELLS[:2] == [("a", "x"), ("a", "y")]


@pytest.mark.parametrize("parts", [1, 2, 3, 6, 7])
def test_parts_share_the_cells(parts):
    shared = [cell for part in range(parts) for cell in DOMAIN.cells(part, parts)]
    assert sorted(shared) == sorted(CELLS)


@pytest.mark.parametrize("divisor", [2, 3, 7])
def test_seeds_share_out_the_cells(divisor):
    domain = Domain(a="abcdefghijklmnopqrstuvwxyz", b="0123456789")
    chosen = [domain.one_in(divisor, seed) for seed in range(divisor)]
    assert sorted(cell for some in chosen for cell in some.cells()) == sorted(domain.cells())
    for seed, some in enumerate(chosen):
        assert some.size == len([*some.cells()])
        assert some.digest() == domain.one_in(divisor, seed + divisor).digest()
        assert sorted(some.scattered().cells()) == sorted(some.cells())
        parts = [cell for part in range(3) for cell in some.cells(part, 3)]
        assert sorted(parts) == sorted(some.cells())
        asked = [set(labels) for labels in zip(*some.cells(), strict=True)]
        assert asked == [set(labels) for labels in domain.axes.values()]


def test_properties_with_like_domains_ask_other_cells_with_each_seed():
    domain = Domain(overload=[f"torch.f{number}" for number in range(60)])
    properties = [Property(f"area.p{number}", "A claim.", lambda: None, 1) for number in range(8)]
    for seed in range(3):
        asked = [{*prop.sample(domain, 5, seed).cells()} for prop in properties]
        assert all(len(cells) == 12 for cells in asked)
        assert len({*map(frozenset, asked)}) > 2
    [prop, *_] = properties
    shared = [cell for seed in range(5) for cell in prop.sample(domain, 5, seed).cells()]
    assert sorted(shared) == sorted(domain.cells())


@pytest.mark.parametrize(("seed", "turn"), [(0, 0), (4, 0), (5, 1), (14, 2)])
def test_what_a_cell_asks_in_part_turns_when_all_cells_were_asked(seed, turn):
    session = Session(None, None, PROFILES["quick"], seed=seed)
    assert Probe(session, PartRecord("a.p", 0, "finite", one_in=5)).turn == turn


@pytest.mark.parametrize("cell", [("a", "0"), ("e", "3"), ("b", "1")])
def test_a_domain_starts_with_a_cell_of_its_own(cell):
    domain = Domain(a="abcde", b="0123")
    for some in (domain, domain.scattered(), domain.thinned(7), domain.one_in(3, seed=1)):
        first, *others = some.starting_with(cell).cells()
        assert sorted([first, *others]) == sorted(some.cells())
        assert (first == cell) == (cell in some.cells())
        assert some.starting_with(cell).digest() == some.digest()
    assert [*domain.starting_with(("e", "9")).cells()] == [*domain.cells()]


def test_an_axis_may_not_repeat_a_label():
    with pytest.raises(ValueError, match="names a label twice"):
        Domain(axis=["a", "a"])


def visited(cells):
    visits = Visits()
    for cell in cells:
        visits.add(cell)
    return visits


def test_a_certificate_is_complete_when_all_was_visited():
    assert coverage(DOMAIN, visited(CELLS)).complete
    assert coverage(DOMAIN, visited(reversed(CELLS))).complete


@pytest.mark.parametrize("missing", range(6))
def test_one_cell_less_is_not_complete(missing):
    assert not coverage(DOMAIN, visited(CELLS[:missing] + CELLS[missing + 1 :])).complete


def test_the_right_number_of_wrong_cells_is_not_complete():
    assert not coverage(DOMAIN, visited([*CELLS[:-1], ("c", "z")])).complete


def test_a_cell_that_is_visited_twice_counts_once():
    assert not coverage(DOMAIN, visited([*CELLS[:-1], CELLS[0]])).complete


def test_parts_add_up():
    parts = [visited(DOMAIN.cells(part, 4)) for part in range(4)]
    assert coverage(DOMAIN, Visits.union(parts)).complete
    assert not coverage(DOMAIN, Visits.union(parts[:3])).complete


def test_a_sampled_property_has_to_visit_something():
    assert Coverage("sampled", None, None, 1, 0, 1).complete
    assert not Coverage("sampled", None, None, 0, 9, 0).complete


def test_digests_do_not_depend_on_order_but_on_all_items():
    assert digest_of("abc") == digest_of("cab")
    assert digest_of("abc") != digest_of("abd") != digest_of("ab")
