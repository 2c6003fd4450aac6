"""Elementwise operators into memory of their operands, where torch cannot tell an overlap."""

from typing import Any

import pytest

import impl as torch


def in_turn(numbers: list[int], target: Any, left: Any, right: Any) -> list[int]:
    """Return numbers after each sum was written before the next one was computed."""
    numbers = [*numbers]
    for row in range(2):
        for column in range(3):
            places = [
                offset + row * steps[0] + column * steps[1]
                for offset, steps in (target, left, right)
            ]
            numbers[places[0]] = numbers[places[1]] + numbers[places[2]]
    return numbers


@pytest.mark.parametrize("dtype", [torch.int64, torch.float32, torch.bfloat16, torch.complex64])
@pytest.mark.parametrize(
    ("target", "left", "right"),
    [
        ((1, (5, 1)), (0, (5, 1)), (1, (5, 1))),
        ((1, (5, 1)), (0, (5, 1)), (12, (4, 1))),
        ((2, (6, 2)), (0, (6, 2)), (2, (6, 2))),
        ((0, (2, 1)), (0, (2, 1)), (0, (2, 1))),
        ((1, (2, 1)), (0, (5, 1)), (3, (2, 1))),
    ],
)
def test_elements_are_read_after_they_are_written(
    dtype: Any, target: Any, left: Any, right: Any
) -> None:
    numbers = [index % 5 for index in range(20)]
    wanted = in_turn(numbers, target, left, right)
    tensor = torch.tensor(numbers).to(dtype)
    out, one, other = (
        tensor.as_strided((2, 3), steps, offset) for offset, steps in (target, left, right)
    )
    torch.add(one, other, out=out)
    assert tensor.tolist() == wanted
    if left == target:
        tensor = torch.tensor(numbers).to(dtype)
        one, other = (tensor.as_strided((2, 3), steps, offset) for offset, steps in (left, right))
        one.add_(other)
        assert tensor.tolist() == wanted


def test_elements_of_two_vectors_are_read_before_they_are_written() -> None:
    tensor = torch.zeros(2, 21)
    tensor[:, 0] = 1
    torch.neg(tensor[:, :20], out=tensor[:, 1:])
    # Two vectors of AVX2 have 16 elements; those behind them are computed one by one.
    assert tensor[0].tolist() == [1, -1, *[0] * 19]


def test_a_result_that_is_cast_is_computed_first() -> None:
    tensor = torch.arange(1.0, 13.0)
    out = tensor.view(torch.float64)[2:5]
    torch.add(tensor[2:7:2], 1.0, out=out)  # the second number lies in the first result
    assert out.tolist() == [4.0, 6.0, 8.0]


def test_a_copy_reads_elements_after_they_are_written() -> None:
    base = torch.arange(12.0)
    base.as_strided((2, 3), (6, 1), 1).copy_(base.as_strided((2, 3), (7, 1), 0))
    assert base.tolist() == [0, 0, 0, 0, 4, 5, 6, 7, 8, 9, 10, 11]


def test_a_join_reads_elements_after_they_are_written() -> None:
    for join in (torch.cat, torch.hstack):
        base = torch.arange(8.0)
        parts = [base.as_strided((2,), (2,), offset) for offset in (0, 1)]
        assert join(parts, out=base.as_strided((4,), (1,), 1)).tolist() == [0, 2, 0, 0]
    base = torch.arange(8.0)
    parts = [base.as_strided((2,), (2,), offset) for offset in (0, 1)]
    assert torch.stack(parts, out=base.as_strided((2, 2), (2, 1), 1)).tolist() == [[0, 2], [0, 0]]


def test_scatter_reduce_copies_twice() -> None:
    pairs = torch.stack([torch.arange(1.0, 7.0).view(3, 2)] * 2, -1).select(-1, 0)
    out = pairs.mT.resize_(3, 2)
    index, source = torch.tensor([[0]]), torch.tensor([[2.0]])
    torch.scatter_reduce(pairs, 0, index, source, "prod", out=out)
    assert out.tolist() == [[2, 3], [5, 4], [5, 6]]


@pytest.mark.parametrize("size", [4, 0])
def test_nonzero_refuses_its_operand_as_out(size: int) -> None:
    tensor = torch.ones(size, 1, dtype=torch.int64)
    with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to"):
        torch.nonzero(tensor, out=tensor)
    assert tensor.shape == (size, 1)


@pytest.mark.parametrize("bit", [lambda x: x, lambda x: x._neg_view()])
def test_a_copy_of_equal_bits_reads_elements_after_they_are_written(bit: Any) -> None:
    base = torch.arange(8.0)
    bit(base.as_strided((4,), (1,), 1)).copy_(bit(base[::2]))
    assert base.tolist() == [0, 0, 2, 4, 6, 5, 6, 7]


def test_functions_of_rows_read_a_row_before_they_write_it() -> None:
    memory = torch.tensor([1.0, 4.0, 16.0, 64.0, 256.0, 1024.0])
    torch.sqrt(memory[:3], out=memory[1::2])
    assert memory.tolist() == [1, 1, 16, 2, 256, 4]
    memory = torch.tensor([1.0, 4.0, 16.0, 64.0, 256.0, 1024.0])
    torch.neg(memory[:3], out=memory[1::2])  # no such function: one by one
    assert memory.tolist() == [1, -1, 16, 1, 256, -16]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64])
@pytest.mark.parametrize(
    ("scan", "wanted"), [("cumsum", [1, 1, 3, 2, 5, 5]), ("cumprod", [1, 1, 3, 1, 5, 3])]
)
def test_scans_read_elements_after_they_are_written(scan: str, wanted: Any, dtype: Any) -> None:
    memory = torch.arange(1, 7).to(dtype)
    getattr(torch, scan)(memory[:3], 0, out=memory[1::2])
    assert memory.tolist() == wanted


def test_where_chooses_one_by_one() -> None:
    memory = torch.arange(6.0)
    condition, nines = torch.tensor([True, True, False]), torch.full((3,), 9.0)
    torch.where(condition, memory[:3], nines, out=memory[1::2])
    assert memory.tolist() == [0, 0, 2, 0, 4, 9]


def test_narrow_copy_writes_row_by_row() -> None:
    memory = torch.arange(12.0)
    out = memory.as_strided((2, 1), (1, 1), 4)
    torch.narrow_copy(memory.as_strided((2, 3), (3, 1), 0), 1, 1, 1, out=out)
    assert memory.tolist()[4:6] == [1, 1]


def test_products_are_multiplied_in_memory() -> None:
    memory = torch.tensor([1.0, -2, 0.5, 3, 0, 2.5, 1, -2, 0.5])
    out = memory.as_strided((2,), (0,), 4)
    assert torch.prod(memory.as_strided((2, 3), (3, 1), 3), 1, out=out).tolist() == [-22.5] * 2


def test_lines_that_share_memory_are_sorted_in_turn() -> None:
    memory = torch.tensor([3.0, 1.0, 2.0, 0.0])
    lines = memory.as_strided((2, 3), (1, 1))
    torch.sort(
        torch.tensor([[3.0, 1.0, 2.0], [1.0, 2.0, 0.0]]), 1, out=(lines, torch.empty(0).long())
    )
    assert memory.tolist()[0] == 1.0


def test_frexp_takes_numbers_apart_in_turn() -> None:
    memory = torch.tensor([8.0, 0.0, 0.0, 0.0])
    torch.frexp(memory[:2], out=(memory.as_strided((2,), (2,), 1), torch.empty(0).int()))
    assert memory.tolist() == [8, 0.5, 0, 0.5]
