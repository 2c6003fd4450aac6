"""Compiled sums of rows at indices, against NumPy's."""

import numpy as np
import pytest

from impl._codegen import llvm, row_sums


@pytest.mark.skipif(not llvm.is_available(), reason="needs llvmlite")
@pytest.mark.parametrize("letter", ["i", "q", "f", "d"])
@pytest.mark.parametrize("dim", [0, 1, 2])
def test_compiled_row_sums(monkeypatch: pytest.MonkeyPatch, letter: str, dim: int) -> None:
    monkeypatch.setattr(llvm, "MODE", "always")
    random = np.random.default_rng(1)
    target = random.integers(-9, 9, (3, 4, 5)).astype(letter) / np.array(3).astype(letter)
    target = target.astype(letter)
    indices = np.array([1, 0, 1, 2, 1])
    shape = [3, 4, 5]
    shape[dim] = len(indices)
    rows = (random.integers(-9, 9, shape) * 7).astype(letter)
    expected = target.copy()
    for place, row in zip(indices.tolist(), np.moveaxis(rows, dim, 0), strict=True):
        np.moveaxis(expected, dim, 0)[place] += row
    assert row_sums.add_rows(target, dim, indices, rows)
    assert target.tobytes() == expected.tobytes()
    assert not row_sums.add_rows(target.T, dim, indices, rows)
