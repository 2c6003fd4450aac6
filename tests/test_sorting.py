"""sort and argsort beside NumPy's stable order, and the order of equal elements in torch."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import impl as torch
from impl._kernels.sorting import introsort_order

SHAPES = st.lists(st.integers(0, 4), min_size=1, max_size=3).map(tuple)
DTYPES = [
    torch.bool, torch.uint8, torch.int8, torch.int64, torch.uint16, torch.float16, torch.bfloat16,
    torch.float32, torch.float64,
]  # fmt: skip


@given(SHAPES, st.sampled_from(DTYPES), st.booleans(), st.booleans(), st.data())
def test_few_elements_keep_the_order_of_equal_ones(
    shape: tuple[int, ...], dtype: Any, descending: bool, is_permuted: bool, data: st.DataObject
) -> None:
    count = math.prod(shape)
    numbers = data.draw(st.lists(st.integers(0, 3), min_size=count, max_size=count))
    array = np.array(numbers).reshape(shape)
    tensor = torch.tensor(array.tolist(), dtype=torch.int64).reshape(shape).to(dtype)
    if is_permuted:
        array, tensor = array.T, tensor.permute(*range(len(shape) - 1, -1, -1))
    array = np.array(tensor.to(torch.int64).tolist()).reshape(array.shape)
    dim = data.draw(st.integers(-len(shape), len(shape) - 1))
    wanted = np.argsort(-array if descending else array, dim, kind="stable")
    values, indices = torch.sort(tensor, dim, descending)
    assert indices.tolist() == wanted.tolist()
    assert values.to(torch.int64).tolist() == np.take_along_axis(array, wanted, dim).tolist()
    assert values.dtype is dtype
    assert values.stride() == indices.stride() == torch.empty_like(tensor).stride()
    assert tensor.argsort(dim, descending).tolist() == wanted.tolist()
    stable = torch.argsort(tensor, stable=True, dim=dim, descending=descending)
    assert stable.tolist() == wanted.tolist()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_nan_is_the_largest_number_and_zeros_are_equal(dtype: Any) -> None:
    nan, inf = math.nan, math.inf
    tensor = torch.tensor([nan, 0.0, inf, -0.0, -nan, -inf], dtype=dtype)
    assert tensor.argsort().tolist() == [5, 1, 3, 2, 0, 4]
    assert tensor.argsort(descending=True).tolist() == [0, 4, 2, 1, 3, 5]
    assert [math.copysign(1, x) for x in tensor.sort()[0].tolist()[1:3]] == [1, -1]


def insertion_point(order: list[int], element: int, ranks: list[int]) -> int:
    place = len(order)
    while place and ranks[element] < ranks[order[place - 1]]:
        place -= 1
    return place


def std_sort(ranks: list[int]) -> list[int]:
    """Return the indices in the order of std::sort of libstdc++, one comparison at a time."""
    order = [*range(len(ranks))]

    def partition(first: int, last: int) -> int:
        def less(left: int, right: int) -> bool:
            return ranks[order[left]] < ranks[order[right]]

        a, b, c = first + 1, first + (last - first) // 2, last - 1
        if less(a, b):
            median = b if less(b, c) else c if less(a, c) else a
        else:
            median = a if less(a, c) else c if less(b, c) else b
        order[first], order[median] = order[median], order[first]
        left, right = first + 1, last
        while True:
            while less(left, first):
                left += 1
            right -= 1
            while less(first, right):
                right -= 1
            if left >= right:
                return left
            order[left], order[right] = order[right], order[left]
            left += 1

    parts = [(0, len(order))]
    while parts:
        first, last = parts.pop()
        if last - first > 16:
            cut = partition(first, last)
            parts += [(first, cut), (cut, last)]
    result: list[int] = []
    for element in order:
        result.insert(insertion_point(result, element, ranks), element)
    return result


@given(st.integers(0, 200), st.integers(1, 50), st.integers(1, 3), st.integers(0, 2**32))
def test_more_equal_elements_are_left_as_std_sort_leaves_them(
    size: int, largest: int, count: int, seed: int
) -> None:
    ranks = np.random.default_rng(seed).integers(0, largest, (count, size))
    wanted = [std_sort(line) for line in ranks.tolist()]
    assert torch.from_numpy(ranks).argsort().tolist() == wanted
    assert torch.from_numpy(-ranks).argsort(descending=True).tolist() == wanted
    tensor = torch.from_numpy(ranks.astype(np.float32))
    assert tensor.t().sort(0).indices.t().tolist() == wanted


def test_known_order_of_equal_elements() -> None:
    # Torch's answer for 20 elements, of which the values repeat.
    tensor = torch.arange(20) % 3
    wanted = [18, 3, 15, 6, 12, 9, 0, 10, 19, 16, 13, 7, 4, 1, 11, 8, 14, 5, 17, 2]
    assert tensor.argsort().tolist() == wanted
    assert tensor.argsort(stable=True).tolist() == sorted(range(20), key=lambda x: x % 3)


def test_heap_sort_of_parts_that_partitions_do_not_split() -> None:
    # Each partition of these numbers takes two elements away; the wanted indices are torch's.
    odd, even = range(1, 24, 2), (24, 25, 26, 27, 28, 29, 30, 33, 32, 31, 33, 32)
    ranks = [rank for pair in zip(even, odd, strict=True) for rank in pair]
    ranks += [31, 32, 33, 31, 32, 33, 31, 32, *range(0, 23, 2), *(33, 31, 32) * 6, 33, 31]
    wanted = [index for pair in zip(range(32, 44), odd, strict=True) for index in pair]
    wanted += [0, 2, 4, 6, 8, 10, 12, 57, 18, 24, 60, 45, 48, 27, 63, 51, 30, 54, 31, 58, 55, 16]
    wanted += [61, 28, 22, 25, 46, 49, 52, 14, 56, 59, 20, 62, 44, 47, 29, 50, 26, 53]
    assert introsort_order(np.array([ranks]))[0].tolist() == wanted
    assert torch.tensor(ranks).argsort().tolist() == wanted


def test_integers_of_long_lines_are_sorted_by_digits() -> None:
    tensor = torch.arange(40_000) % 7 - 3
    wanted = np.argsort(tensor.numpy(), kind="stable").tolist()
    assert tensor.argsort().tolist() == wanted
    assert tensor[:32_767].argsort().tolist() != [x for x in wanted if x < 32_767]
    with pytest.raises(NotImplementedError, match=r"parallel_sort1d_kernel.*UInt16"):
        tensor.to(torch.uint16).sort()


def test_expanded_lines_are_not_compared() -> None:
    line = torch.zeros(1, dtype=torch.float8_e5m2).expand(40)
    assert line.argsort().tolist() == [*range(40)]
    with pytest.raises(NotImplementedError, match="sorting_kernel_method_name"):
        torch.zeros(2, dtype=torch.float8_e5m2).sort()


def test_out() -> None:
    tensor = torch.tensor([[3, 1, 2], [0, 2, 1]])
    out = torch.zeros(3, 2, dtype=torch.int64).t(), torch.empty(0, dtype=torch.int64)
    result = torch.sort(tensor, out=out)
    assert type(result) is torch.return_types.sort_out
    assert [x.tolist() for x in out] == [[[1, 2, 3], [0, 1, 2]], [[1, 2, 0], [0, 2, 1]]]
    assert [x.stride() for x in out] == [(1, 2), (3, 1)]
    assert result[0] is out[0]
    with pytest.raises(NotImplementedError, match="share memory"):
        torch.sort(tensor, out=(out[1], out[1]))
    indices = torch.empty(2, 3, dtype=torch.int64)
    assert torch.argsort(tensor, stable=True, dim=0, out=indices) is indices
    assert indices.tolist() == [[1, 0, 1], [0, 1, 0]]
    with pytest.raises(RuntimeError, match="dtype long int, but got float"):
        torch.argsort(tensor, stable=True, out=torch.empty(2, 3))


def test_errors_and_grad_fns() -> None:
    with pytest.raises(RuntimeError, match="Sort does not support complex"):
        torch.zeros(2, dtype=torch.complex64).sort()
    with pytest.raises(IndexError, match="Dimension out of range"):
        torch.zeros(2).sort(1)
    with pytest.raises(NotImplementedError, match=r"aten::sort\.stable'.*'SparseCPU'"):
        torch.zeros(2).to_sparse().argsort()
    leaf = torch.zeros(2, requires_grad=True)
    assert type(leaf.sort()[0].grad_fn).__name__ == "SortBackward0"
    assert type(leaf.sort(stable=True)[0].grad_fn).__name__ == "SortBackward1"
    assert not leaf.sort()[1].requires_grad
    assert not leaf.argsort().requires_grad


def test_meta_checks_no_dimension_and_restrides_out() -> None:
    tensor = torch.empty(2, 3, device="meta").t()
    assert tensor.sort(7)[0].stride() == (1, 3)
    out = torch.empty(3, 2, device="meta"), torch.empty(3, 2, device="meta", dtype=torch.int64)
    torch.sort(tensor, out=out)
    assert [x.stride() for x in out] == [(1, 3), (1, 3)]
