"""The order in which torch adds the elements of a vector."""

import numpy as np
import pytest

import impl as torch
from impl._kernels.cascade_sum import cascade_sum


@pytest.mark.parametrize(
    ("numbers", "total"),
    [
        # Fewer than a vector register holds: every fourth element joins the same sum.
        ([-1e8, 1e8, 1, 0, 0, 0, 3], 1.0),
        # A whole register: its elements are added in turn.
        ([-1e8, 1e8, 1, 0, 0, 0, 0, 3], 4.0),
        # The rest comes first.
        ([1e8, 0, 0, 0, 0, 0, 0, 0, 3], 1e8),
        ([1e8, -1e8, 0, 0, 0, 0, 0, 0, 3], 0.0),
    ],
)
def test_the_order_of_additions(numbers: list[float], total: float) -> None:
    assert cascade_sum(np.array(numbers, np.float32)) == total


def test_elements_with_gaps_are_added_one_by_one() -> None:
    numbers = np.zeros((8, 2), np.float32)
    numbers[:, 0] = [-1e8, 1e8, 1, 0, 0, 0, 0, 3]
    assert [cascade_sum(x) for x in (numbers[:, 0], numbers[:, 0].copy())] == [4.0, 4.0]
    numbers[:, 0] = [-1e8, 1e8, 1, 0, 3, 0, 0, 0]
    assert [cascade_sum(x) for x in (numbers[:, 0], numbers[:, 0].copy())] == [1.0, 4.0]


def test_many_rows_are_added_in_levels() -> None:
    # 64 groups of four registers: each sixteen groups are one sum of the next level.
    numbers = np.zeros(64 * 4 * 8, np.float32)
    numbers[0], numbers[16 * 32] = 2**24, 1
    numbers[17 * 32] = 1  # lost beside 2**24 alone, but kept with the one before
    assert cascade_sum(numbers) == 2**24 + 2


def test_the_density_of_a_histogram_divides_by_that_sum() -> None:
    large = torch.finfo(torch.float32).max
    x = torch.tensor([0.0, 0.5, 0.0, -1.0, 3.0, 0.0, -1.0])
    weight = torch.tensor([-1.5, 0.9999999403953552, large, -large, 3.0, 100.0, 0.0])
    density = torch.histogram(x, 7, weight=weight, density=True)[0]
    assert density.tolist() == pytest.approx([-torch.inf, torch.inf, 1.75, 0, 0, 0, 5.25])
