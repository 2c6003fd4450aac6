"""The order in which softmax adds, which shows in long lines."""

import numpy as np
import pytest

import impl as torch
from impl._ops.reduction import exponentials


def _one_by_one(numbers: np.ndarray) -> np.ndarray:
    """Return the sum of the rows of an array, added in order."""
    total = numbers[0].copy()
    for row in numbers[1:]:
        total += row
    return total


def _lines(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    return np.random.default_rng(0).random(shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("shape", "axis"),
    [
        ((1, 2), 0), ((700, 3), 0), ((700, 1), 0), ((3000, 1, 1), 0), ((5, 3000, 2), 1),
        ((1, 3000, 7), 1), ((4, 3000, 1, 2), 1), ((2, 1, 3000, 2), 2), ((2, 3000, 1), 1),
    ],
)  # fmt: skip
def test_numbers_along_another_dimension_are_added_in_order(shape, axis, dtype):
    numbers = _lines(shape, dtype)
    sums = exponentials._sums(numbers, axis)
    assert np.array_equal(sums.squeeze(axis), _one_by_one(np.moveaxis(numbers, axis, 0)))


@pytest.mark.parametrize("halves", [False, True])
@pytest.mark.parametrize("vector", [32, 64])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", [3, 4, 7, 8, 16, 17, 33, 1000, 5001])
def test_numbers_along_the_last_dimension_are_added_in_lanes(
    monkeypatch, size, dtype, vector, halves
):
    monkeypatch.setattr(exponentials, "vector_bytes", lambda: vector)
    monkeypatch.setattr(exponentials, "has_vector_instructions", lambda: halves)
    numbers = _lines((2, size), dtype)
    width = vector // numbers.itemsize
    padded = np.zeros((2, -(-size // width) * width), dtype)
    padded[:, :size] = numbers
    lanes = _one_by_one(padded.reshape(2, -1, width).swapaxes(0, 1))
    if size < width or dtype == "float64" or not halves:
        expected = _one_by_one(lanes.T)
    else:
        while lanes.shape[1] > 1:
            half = lanes.shape[1] // 2
            lanes = lanes[:, :half] + lanes[:, half:]
        expected = lanes[:, 0]
    assert np.array_equal(exponentials._sums(numbers, 1)[:, 0], expected)


def test_softmax_along_another_dimension_keeps_rounded_exponentials():
    x = torch.tensor([[0.0], [-1.0], [-2.0]], dtype=torch.bfloat16)
    exps = torch.exp(x.float())
    expected = (exps.bfloat16().float() / exps.sum(0)).bfloat16()
    assert torch.equal(x.softmax(0), expected)
