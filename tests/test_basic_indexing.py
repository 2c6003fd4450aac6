"""Indices that make views, as in torch 2.13.0."""

import re
import warnings
from typing import Any

import pytest

from impl._geometry import basic_indexing
from impl._geometry.view_checks import View

CUBE = (2, 3, 4), (12, 4, 1)
NUMBER = (), ()
MOST, LEAST = 2**63 - 1, -(2**63)
RANGE = "Dimension out of range (expected to be in range of [-3, 2], but got {})"


class Index:
    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value


class BadIndex:
    def __index__(self) -> int:
        raise KeyError(1)


INDICES: list[tuple[Any, View]] = [
    ((), ((2, 3, 4), (12, 4, 1), 0)),
    (..., ((2, 3, 4), (12, 4, 1), 0)),
    (None, ((1, 2, 3, 4), (24, 12, 4, 1), 0)),
    (-1, ((3, 4), (4, 1), 12)),
    (Index(1), ((3, 4), (4, 1), 12)),
    ((0, -1, 3), ((), (), 11)),
    (slice(1, None), ((1, 3, 4), (12, 4, 1), 12)),
    (slice(True, Index(2), None), ((1, 3, 4), (12, 4, 1), 12)),
    (slice(2**70), ((2, 3, 4), (12, 4, 1), 0)),
    ((..., 0), ((2, 3), (12, 4), 0)),
    ((slice(None), slice(1, None), None, ..., 0), ((2, 2, 1), (12, 4, 4), 4)),
    ((slice(None), slice(None), slice(-1, None, 2**62)), ((2, 3, 1), (12, 4, 2**62), 3)),
    # A second ellipsis skips dimensions again; dimensions past the end have size 0.
    ((..., 0, ...), ((2, 3), (12, 4), 0)),
    ((..., None, ...), ((2, 3, 4, 1), (12, 4, 1, 1), 0)),
    ((..., slice(1), ..., slice(1)), ((2, 1, 4), (12, 4, 1), 0)),
]


@pytest.mark.parametrize(("item", "expected"), INDICES)
def test_index(item: Any, expected: View) -> None:
    assert basic_indexing.index(*CUBE, item) == (*expected, None)


MASK = basic_indexing.DeferredIndex(2, lambda: basic_indexing.AdvancedIndex("mask", 2))
PLACES = basic_indexing.DeferredIndex(1, lambda: basic_indexing.AdvancedIndex("places"))
COPIES: list[tuple[Any, tuple[int, ...], tuple[int, ...], int, list[Any]]] = [
    (True, (1, 2, 3, 4), (24, 12, 4, 1), 0, [True]),
    (False, (1, 2, 3, 4), (24, 12, 4, 1), 0, [False]),
    ((True, 1), (1, 3, 4), (24, 4, 1), 12, [True]),
    ((..., True), (2, 3, 4, 1), (12, 4, 1, 1), 0, [None, None, None, True]),
    ((slice(None), True, 0, False), (2, 1, 1, 4), (12, 12, 4, 1), 0, [None, True, False]),
    ((slice(1, None), PLACES), (1, 3, 4), (12, 4, 1), 12, [None, "places"]),
    ((MASK, slice(1)), (2, 3, 1), (12, 4, 1), 0, ["mask"]),
    ((MASK, None, PLACES), (2, 3, 1, 4), (12, 4, 4, 1), 0, ["mask", None, "places"]),
    ((PLACES, ..., PLACES), (2, 3, 4), (12, 4, 1), 0, ["places", None, "places"]),
]


@pytest.mark.parametrize(("item", "shape", "stride", "offset", "indices"), COPIES)
def test_index_that_takes_elements(
    item: Any, shape: tuple[int, ...], stride: tuple[int, ...], offset: int, indices: list[Any]
) -> None:
    assert basic_indexing.index(*CUBE, item) == (shape, stride, offset, indices)


def test_an_index_is_looked_at_when_its_turn_comes() -> None:
    with pytest.raises(IndexError, match=r"^index 5 is out of bounds"):
        basic_indexing.index(*CUBE, (5, basic_indexing.DeferredIndex(1, lambda: int("no"))))
    with pytest.raises(IndexError, match=r"^too many indices for tensor of dimension 3$"):
        basic_indexing.index(*CUBE, (MASK, MASK))
    one = basic_indexing.DeferredIndex(1, lambda: 1)
    assert basic_indexing.index(*CUBE, (0, one)) == basic_indexing.index(*CUBE, (0, 1))


ITEM = (
    "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++"
    " to convert a 0-dim tensor to a number"
)
NO_INDEX = (
    "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid"
    " indices (got {})"
)
NO_BOUND = "slice indices must be integers or None or have an __index__ method"

BAD_INDICES: list[tuple[tuple[Any, Any], Any, type[Exception], str]] = [
    (CUBE, 5, IndexError, "index 5 is out of bounds for dimension 0 with size 2"),
    (CUBE, (None, 0, -4), IndexError, "index -4 is out of bounds for dimension 2 with size 3"),
    (CUBE, (..., 5), IndexError, "index 5 is out of bounds for dimension 1 with size 4"),
    (CUBE, (..., 0, ..., 0), IndexError, "index 0 is out of bounds for dimension 3 with size 0"),
    (CUBE, (..., 0, ..., None), IndexError, RANGE.format(4)),
    (CUBE, (..., slice(1, 2), ..., slice(1, 2)), IndexError, RANGE.format(3)),
    (CUBE, (0, 0, 0, 2**64), IndexError, "too many indices for tensor of dimension 3"),
    (CUBE, 2**63, ValueError, "Overflow when unpacking long long"),
    (CUBE, (0, LEAST - 1), ValueError, "Overflow when unpacking long long"),
    (NUMBER, 0, IndexError, ITEM),
    (NUMBER, -1, IndexError, "index -1 is out of bounds for dimension 0 with size 0"),
    (NUMBER, (0,), IndexError, "too many indices for tensor of dimension 0"),
    (NUMBER, slice(None), IndexError, "slice() cannot be applied to a 0-dim tensor."),
    (NUMBER, slice(None, None, -1), ValueError, "step must be greater than zero"),
    (CUBE, slice(None, None, 0), ValueError, "slice step cannot be zero"),
    (CUBE, slice("a", None, 0), TypeError, NO_BOUND),
    (CUBE, (0, slice(1.0)), TypeError, NO_BOUND),
    (CUBE, slice(None, None, MOST), RuntimeError,
     "as_strided: Negative strides are not supported at the moment, got strides: [-12, 4, 1]"),
    (CUBE, 1.0, IndexError, NO_INDEX.format("float")),
    (CUBE, (0, BadIndex()), IndexError, NO_INDEX.format("BadIndex")),
]  # fmt: skip


@pytest.mark.parametrize(("geometry", "item", "cls", "message"), BAD_INDICES)
def test_bad_indices(
    geometry: tuple[Any, Any], item: Any, cls: type[Exception], message: str
) -> None:
    with pytest.raises(cls, match=f"^{re.escape(message)}$"):
        basic_indexing.index(*geometry, item)


def test_bounds_that_torch_cannot_tell_are_cut_with_a_warning() -> None:
    with pytest.warns(UserWarning, match=r"^Truncating the start/stop/step of slice\. This is"):
        cut = basic_indexing.index((MOST,), (0,), slice(-(2**70), None))
    assert cut == ((2**62,), (0,), 0, None)
    with warnings.catch_warnings(action="error"):
        assert basic_indexing.index((MOST,), (0,), slice(-(2**62), None)) == cut
    with pytest.raises(KeyError):
        basic_indexing.index(*CUBE, slice(BadIndex(), None))
