"""Compiled binary searches, against those of NumPy."""

import numpy as np
import pytest

import impl as torch
from impl._codegen import llvm, searches
from impl._kernels.bounds import bounds


@pytest.mark.skipif(not llvm.is_available(), reason="needs llvmlite")
@pytest.mark.parametrize("letter", ["B", "b", "h", "i", "q", "e", "f", "d"])
@pytest.mark.parametrize("right", [False, True])
def test_compiled_searches(monkeypatch: pytest.MonkeyPatch, letter: str, right: bool) -> None:
    random = np.random.default_rng(0)
    for count, size, values in ((1, 0, 3), (1, 1, 2), (1, 9, 6), (3, 5, 4), (2, 64, 70)):
        rows = random.integers(0, 20, (count, size)).astype(letter)
        wanted = random.integers(0, 20, (count, values)).astype(letter)
        if letter in "efd":
            rows[:, size // 3 : size // 2], wanted[:, :1] = np.nan, np.nan
        monkeypatch.setattr(llvm, "MODE", "never")
        expected = bounds(rows, wanted, right=right)
        monkeypatch.setattr(llvm, "MODE", "always")
        np.testing.assert_array_equal(searches.places(rows, wanted, right=right), expected)
        if size:
            one = bounds(rows[:1], wanted[:1, :1], right=right)
            assert one.tolist() == expected[:1, :1].tolist()


def test_numbers_are_searched_each_time() -> None:
    row = torch.tensor([1, 3, 3, 5])
    for number, place in ((3, 1), (4, 3), (3, 1), (9, 4)):
        assert torch.searchsorted(row, number).item() == place
        assert torch.bucketize(number, row).item() == place
    other = torch.tensor([3, 3, 3, 5])
    assert torch.searchsorted(other, 3).item() == 0
