"""Calls that torch composes of others: block_diag, combinations, vander, trapezoid and kin."""

import itertools
from typing import Any

import pytest
from hypothesis import given, strategies as st

import impl as torch

NUMBERS = st.lists(st.integers(-4, 4), max_size=4)


@given(st.lists(NUMBERS, min_size=2, max_size=3))
def test_cartesian_prod(lists: list[list[int]]) -> None:
    vectors = [torch.tensor(numbers, dtype=torch.int64) for numbers in lists]
    result = torch.cartesian_prod(*vectors)
    assert result.tolist() == [[*row] for row in itertools.product(*lists)]
    assert result.shape[1] == len(lists)
    assert torch.cartesian_prod(vectors[0]) is vectors[0]


@given(NUMBERS, st.integers(1, 4))
def test_combinations(numbers: list[int], length: int) -> None:
    vector = torch.tensor(numbers, dtype=torch.int64)
    for options, rows in (
        ({}, itertools.combinations(numbers, length)),
        (
            {"with_replacement": True},
            itertools.combinations_with_replacement(numbers, length),
        ),
    ):
        assert torch.combinations(vector, length, **options).tolist() == [[*row] for row in rows]


@given(NUMBERS, st.integers(0, 4))
def test_vander(numbers: list[int], columns: int) -> None:
    vector = torch.tensor(numbers, dtype=torch.int32)
    wanted = [[number**power for power in range(columns)] for number in numbers]
    result = torch.vander(vector, columns, increasing=True)
    assert result.tolist() == wanted
    assert result.dtype is torch.int64
    assert torch.vander(vector, columns).tolist() == [row[::-1] for row in wanted]


def test_block_diag() -> None:
    blocks = torch.tensor([[1, 2], [3, 4]]), torch.tensor([5, 6]), torch.tensor(7.0)
    assert torch.block_diag(*blocks).tolist() == [
        [1, 2, 0, 0, 0], [3, 4, 0, 0, 0], [0, 0, 5, 6, 0], [0, 0, 0, 0, 7],
    ]  # fmt: skip
    assert torch.block_diag(*blocks).dtype is torch.float32
    assert torch.block_diag().shape == (1, 0)
    result = torch.block_diag(blocks[2].requires_grad_())
    assert result.grad_fn.name() == "BlockDiagBackward0"


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=6), st.integers(-3, 3))
def test_trapezoid(numbers: list[int], step: int) -> None:
    areas = [(a + b) / 2 for a, b in itertools.pairwise(numbers)]
    y, x = torch.tensor(numbers), torch.arange(len(numbers)) * step
    for integral in (torch.trapezoid, torch.trapz):
        assert integral(y, x).item() == integral(y, dx=step).item() == sum(areas) * step
    wanted = [area * step for area in itertools.accumulate(areas)]
    assert torch.cumulative_trapezoid(y, x).tolist() == wanted
    assert torch.cumulative_trapezoid(y[:, None], dx=step, dim=0)[:, 0].tolist() == wanted


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: torch.block_diag(x, x[None]), "Input 1 has 3 dimensions"),
        (lambda x: torch.cartesian_prod(x), r"Expect a 1D vector, but got shape \[2, 3\]"),
        (lambda x: torch.combinations(x), r"Expect a 1D vector, but got shape \[2, 3\]"),
        (lambda x: torch.combinations(x[0], -1), "Expect a non-negative number, but got -1"),
        (lambda x: torch.vander(x), "x must be a one-dimensional tensor"),
        (lambda x: torch.vander(x[0], -1), "N must be non-negative"),
        (lambda x: torch.trapezoid(x, x[0, :2]), "There must be one `x` value for each sample"),
        (lambda x: torch.trapezoid(x, dx=1j), "we only support dx as a real number"),
        (lambda x: torch.cumulative_trapezoid(x.bool()), "bool is not supported"),
    ],
)
def test_refuses(call: Any, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        call(torch.ones(2, 3))


def test_block_diag_needs_a_common_dtype() -> None:
    bits = torch.zeros(4, dtype=torch.uint16).view(torch.bits16)
    with pytest.raises(RuntimeError, match="doesn't have initialized dtype"):
        torch.block_diag(torch.ones(1), bits)


@pytest.mark.parametrize(
    ("length", "message"),
    [(2**50, "std::bad_alloc"), (2**60 - 1, "std::bad_alloc"), (2**60, "larger than max_size")],
)
def test_too_many_combinations_are_no_memory_error(length: int, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        torch.combinations(torch.tensor([1, 0]), length)


@pytest.mark.parametrize("columns", [2**61, 2**62, 2**63 - 1])
def test_vander_on_meta_allocates_its_bytes_first(columns: int) -> None:
    message = rf"Storage size calculation overflowed with sizes=\[2, {columns}\]$"
    with pytest.raises(RuntimeError, match=message):
        torch.vander(torch.tensor([1, 0], device="meta"), columns)
