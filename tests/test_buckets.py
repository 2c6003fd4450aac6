"""searchsorted and bucketize beside Python's bisect; bincount, unravel_index and unique."""

import math
from bisect import bisect_left, bisect_right

import numpy as np
import pytest
from hypothesis import given, strategies as st

import impl as torch


def halved(row: list[float], value: float, *, right: bool) -> int:
    """Return the place that halving a row leaves, whether it is sorted or not."""
    start, end = 0, len(row)
    while start < end:
        middle = (start + end) // 2
        if row[middle] > value or (not right and row[middle] == value):
            end = middle
        else:
            start = middle + 1
    return start


_NUMBERS = st.sampled_from([-2.0, -0.0, 0.0, 1.0, 2.5, math.inf, math.nan])


@given(
    st.integers(0, 40).flatmap(
        lambda size: st.lists(st.lists(_NUMBERS, min_size=size, max_size=size), min_size=1)
    ),
    st.lists(_NUMBERS, min_size=1, max_size=5),
    st.booleans(),
)
def test_rows_that_are_not_sorted(
    rows: list[list[float]], values: list[float], right: bool
) -> None:
    wanted = [[halved(row, value, right=right) for value in values] for row in rows]
    tensors = torch.tensor(rows).reshape(len(rows), -1), torch.tensor([values] * len(rows))
    assert torch.searchsorted(*tensors, right=right).tolist() == wanted
    assert torch.bucketize(tensors[1][0], tensors[0][0], right=right).tolist() == wanted[0]


@pytest.mark.parametrize("size", [1, 5, 1000])
def test_sorted_rows(size: int) -> None:
    rows = np.sort(np.random.default_rng(size).integers(0, size, (3, size)))
    values = [-1, 0, size // 2, size]
    for right, bisect in ((False, bisect_left), (True, bisect_right)):
        wanted = [[bisect(row, value) for value in values] for row in rows.tolist()]
        side = "right" if right else "left"
        found = torch.searchsorted(torch.tensor(rows), torch.tensor([values] * 3), side=side)
        assert found.tolist() == wanted


def test_options_of_searchsorted() -> None:
    row = torch.tensor([3, 1, 2])
    order = row.argsort()
    found = torch.searchsorted(row, torch.tensor([2, 3]), sorter=order, out_int32=True)
    assert (found.dtype, found.tolist()) == (torch.int32, [1, 2])
    assert torch.searchsorted(row, 2.5, sorter=order).tolist() == 2
    out = torch.zeros(4, dtype=torch.int64)[::2]
    assert torch.searchsorted(torch.arange(4), torch.tensor([2, 3]), right=True, out=out) is out
    assert out.tolist() == [3, 4]
    with pytest.raises(RuntimeError, match="side and right can't be set to opposites"):
        torch.searchsorted(row, row, side="left", right=True)
    with pytest.raises(RuntimeError, match="sorter index out of range"):
        torch.searchsorted(row, row, sorter=torch.tensor([0, 1, 3]))
    with pytest.raises(RuntimeError, match="boundaries tensor must be 1 dimension"):
        torch.bucketize(row, torch.zeros(2, 2))
    with pytest.raises(NotImplementedError, match=r"searchsorted_out_cpu.*Bool"):
        torch.searchsorted(row > 1, row > 1)


def test_places_are_written_where_the_elements_are() -> None:
    memory = torch.arange(8)
    torch.searchsorted(memory[:4], memory[4:], out=memory[2:6])
    assert memory.tolist() == [0, 1, 4, 4, 4, 4, 6, 7]  # torch's answer


def test_bincount() -> None:
    numbers = torch.tensor([1, 3, 1], dtype=torch.uint8)
    assert torch.bincount(numbers, minlength=6).tolist() == [0, 2, 0, 1, 0, 0]
    weights = torch.tensor([2**24, 7, 1], dtype=torch.float32)
    sums = numbers.bincount(weights)
    assert (sums.dtype, sums.tolist()) == (torch.float32, [0, 2**24, 0, 7])
    assert numbers.bincount(weights.to(torch.float16)).dtype is torch.float64
    assert numbers[:0].bincount(weights[:0], 2).dtype is torch.int64
    with pytest.raises(RuntimeError, match="1-d non-negative integral"):
        torch.bincount(torch.tensor([-1]))
    with pytest.raises(RuntimeError, match="have the same length as input"):
        numbers.bincount(weights[:2])


def test_histc() -> None:
    tensor = torch.tensor([1.0, 2, 1, 4, math.nan])
    assert torch.histc(tensor, 3, 1, 4).tolist() == [2, 1, 1]
    assert tensor[:4].histc(3).tolist() == [2, 1, 1]
    assert torch.histc(tensor[:0], 2).tolist() == [0, 0]
    assert torch.histc(torch.tensor([1e10]), 3).tolist() == [0, 1, 0]
    assert torch.histc(torch.ones(3000, dtype=torch.bfloat16), 1).dtype is torch.bfloat16
    with pytest.raises(RuntimeError, match=r"range of \[-nan, -nan\] is not finite"):
        tensor.histc()
    with pytest.raises(RuntimeError, match="max must be larger than min"):
        tensor.histc(3, 2, 1)
    with pytest.raises(NotImplementedError, match=r"histogram_cpu.*Int"):
        torch.ones(2, dtype=torch.int32).histc()


def test_unravel_index() -> None:
    rows, columns = torch.unravel_index(torch.tensor([[4], [1]]), (3, 2))
    assert (rows.tolist(), columns.tolist()) == ([[2], [0]], [[0], [1]])
    assert torch.unravel_index(torch.tensor(7), 5)[0].tolist() == 2
    assert torch.unravel_index(torch.tensor(7), ()) == ()
    with pytest.raises(TypeError, match=r"integer dtype, but got torch\.float32"):
        torch.unravel_index(torch.zeros(2), 2)
    with pytest.raises(ValueError, match="cannot have negative values"):
        torch.unravel_index(torch.tensor(1), (2, -1))


def test_unique() -> None:
    tensor = torch.tensor([[3, 1], [3, 1], [2, 1]])
    values, inverse, counts = tensor.unique(return_inverse=True, return_counts=True)
    assert (values.tolist(), counts.tolist()) == ([1, 2, 3], [3, 1, 2])
    assert inverse.tolist() == [[2, 0], [2, 0], [1, 0]]
    rows, inverse = torch.unique(tensor, dim=0, return_inverse=True)
    assert (rows.tolist(), inverse.tolist()) == ([[2, 1], [3, 1]], [1, 1, 0])
    assert torch.unique(torch.tensor([math.nan, 1, math.nan])).numel() == 3
    assert torch.zeros(2, requires_grad=True).unique().grad_fn.name() == "Unique2Backward0"  # type: ignore[union-attr]
    with pytest.raises(TypeError, match=r"_return_output\(\) got an unexpected keyword argument"):
        torch.unique(tensor, bad=1)  # type: ignore[call-arg]
    with pytest.raises(RuntimeError, match="aren't selected, so unique cannot be applied"):
        torch.unique(torch.zeros(0, 2), dim=1)


def test_unique_consecutive() -> None:
    tensor = torch.tensor([1, 1, 2, 1])
    values, counts = torch.unique_consecutive(tensor, return_counts=True)
    assert (values.tolist(), counts.tolist()) == ([1, 2, 1], [2, 1, 1])
    assert values.untyped_storage().nbytes() == 32  # torch shrinks the result of all elements
    # Torch reads the position of return_inverse as that of return_counts.
    assert [x.tolist() for x in torch.unique_consecutive(tensor, True)] == [[1, 2, 1], []]
    assert tensor.unique_consecutive(True)[1].tolist() == [0, 0, 1, 2]
    assert tensor.reshape(2, 2).unique_consecutive(dim=1).tolist() == [[1, 1], [2, 1]]


@given(st.lists(st.sampled_from([0.0, -0.0, 1.0, 2.0]), max_size=40))
def test_order_of_equal_elements(numbers: list[float]) -> None:
    tensor = torch.tensor(numbers)
    ordered = tensor.sort()[0].tolist()
    firsts = [x for index, x in enumerate(ordered) if not index or x != ordered[index - 1]]
    assert [*map(str, tensor.unique().tolist())] == [*map(str, firsts)]
