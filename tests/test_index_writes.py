"""index_fill, index_copy, index_add, put, masked_scatter and fill_diagonal_ beside NumPy."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import impl as torch

SHAPES = st.lists(st.integers(1, 4), min_size=1, max_size=4).map(tuple)


@st.composite
def calls(draw: st.DrawFn) -> tuple[Any, int, list[int]]:
    """Return a tensor whose dimensions lie in memory in an order, a dimension, and indices."""
    shape = draw(SHAPES)
    order = draw(st.permutations(range(len(shape))))
    tensor = torch.arange(int(np.prod(shape))).view([shape[dim] for dim in order])
    dim = draw(st.integers(0, len(shape) - 1))
    indices = draw(st.lists(st.integers(0, shape[dim] - 1), max_size=6))
    return tensor.permute([order.index(axis) for axis in range(len(shape))]), dim, indices


def rows_for(tensor: Any, dim: int, count: int) -> Any:
    """Return a tensor with so many rows along a dimension."""
    shape = [*tensor.shape]
    shape[dim] = count
    return 100 + torch.arange(int(np.prod(shape))).view(shape)


def where(dim: int, index: int) -> tuple[Any, ...]:
    return (slice(None),) * dim + (index,)


@given(calls(), st.sampled_from(["index_copy", "index_add"]))
def test_rows(call: tuple[Any, int, list[int]], name: str) -> None:
    tensor, dim, indices = call
    source = rows_for(tensor, dim, len(indices))
    wanted, rows = tensor.numpy().copy(), np.moveaxis(source.numpy(), dim, 0)
    for index, row in zip(indices, rows, strict=True):
        wanted[where(dim, index)] = row + (name == "index_add") * wanted[where(dim, index)]
    index_tensor = torch.tensor(indices, dtype=torch.int64)
    result = getattr(torch, name)(tensor, dim, index_tensor, source)
    assert result.tolist() == wanted.tolist()
    assert result.is_contiguous()
    out = torch.zeros(tensor.shape[::-1], dtype=torch.int64).permute(
        [*range(tensor.dim() - 1, -1, -1)]
    )
    assert getattr(torch, name)(tensor, dim, index_tensor, source, out=out) is out
    assert out.tolist() == wanted.tolist()
    assert getattr(tensor, f"{name}_")(dim, index_tensor, source) is tensor
    assert tensor.tolist() == wanted.tolist()


@given(calls())
def test_index_fill(call: tuple[Any, int, list[int]]) -> None:
    tensor, dim, indices = call
    index_tensor = torch.tensor(indices, dtype=torch.int64) - tensor.shape[dim]
    wanted = tensor.numpy().copy()
    for index in indices:
        wanted[where(dim, index)] = -7
    result = torch.index_fill(tensor, dim, index_tensor, torch.tensor(-7.5))
    assert result.tolist() == wanted.tolist()
    assert result.stride() == tensor.clone().stride()
    assert tensor.index_fill_(dim, index_tensor, -7) is tensor
    assert tensor.tolist() == wanted.tolist()


@pytest.mark.parametrize(
    ("shape", "dim", "index_dtype", "total"),
    [
        ((1, 2), 0, torch.int64, 406),
        ((2, 1), 1, torch.int64, 406),
        ((1, 2), 0, torch.int32, 256),
        ((1,), 0, torch.int64, 256),
        ((2, 1, 2), 1, torch.int64, 256),
    ],
)
def test_index_add_of_bfloat16_rounds_each_sum_or_the_last_one(
    shape: tuple[int, ...], dim: int, index_dtype: Any, total: int
) -> None:
    tensor = torch.full(shape, 256.0, dtype=torch.bfloat16)
    sizes = [300 if axis == dim else size for axis, size in enumerate(shape)]
    source = torch.full(sizes, 0.5, dtype=torch.bfloat16)
    result = tensor.index_add(dim, torch.zeros(300, dtype=index_dtype), source)
    assert {*result.flatten().tolist()} == {total}


@pytest.mark.parametrize(
    ("dtype", "alpha", "wanted"),
    [
        (torch.int8, 2.5, [[-36, 101], [5, 6]]),
        (torch.bool, True, [[True, True], [True, True]]),
        (torch.float64, -0.5, [[-55, -24], [5, 6]]),
        (torch.complex64, 2j, [[220j, 1 + 100j], [5, 6]]),
        (torch.bfloat16, 2, [[220, 101], [5, 6]]),
    ],
)
def test_alpha(dtype: Any, alpha: Any, wanted: list[Any]) -> None:
    tensor = torch.tensor([[0, 1], [5, 6]]).to(dtype)
    source = torch.tensor([[60, 25], [50, 25]]).to(dtype)
    index = torch.tensor([0, 0])
    result = tensor.index_add(0, index, source, alpha=alpha)
    assert result.tolist() == wanted


def test_long_rows_are_added_in_order() -> None:
    tensor, source = torch.zeros(3, 300), torch.ones(4, 300)
    tensor.index_add_(0, torch.tensor([2, 0, 2, 2]), source)
    assert tensor[:, 299].tolist() == [1, 0, 3]


def test_what_is_written_before_an_index_out_of_bounds() -> None:
    beyond = torch.tensor([1, 7, 0])
    source = torch.ones(3, 2, dtype=torch.int64)
    tensor = torch.zeros(2, 2, dtype=torch.int64)
    with pytest.raises(RuntimeError, match="index 7 is out of bounds for dimension 0 with size 2"):
        tensor.index_add_(0, beyond, source)
    assert tensor.tolist() == [[0, 0], [1, 1]]
    with pytest.raises(IndexError, match=r"index_copy_\(\): index 7 is out of bounds"):
        tensor.index_copy_(0, beyond, source + 4)
    assert tensor.tolist() == [[0, 0], [5, 5]]
    with pytest.raises(IndexError, match="index 7 is out of bounds for dimension 1 with size 2"):
        tensor.index_fill_(1, beyond, 9)
    assert tensor.tolist() == [[0, 9], [5, 5]]
    with pytest.raises(IndexError, match="tried to access index 7 on a tensor of 4 elements"):
        tensor.put_(beyond, source[:, 0])
    assert tensor.tolist() == [[0, 1], [5, 5]]


def test_indices_out_of_bounds_of_rows_that_torch_sorts_or_widens() -> None:
    for tensor in (torch.zeros(2, 16), torch.zeros(2, 2, dtype=torch.float16)):
        source = torch.ones(2, tensor.shape[1], dtype=tensor.dtype)
        with pytest.raises(RuntimeError, match="index 7 is out of bounds"):
            tensor.index_add_(0, torch.tensor([1, 7]), source)
        assert not tensor.any()


def test_elements_are_written_in_order_where_they_share_memory() -> None:
    memory = torch.arange(5)
    memory.as_strided((3, 2), (1, 1)).index_copy_(
        0, torch.tensor([0, 1, 2]), torch.arange(10, 16).view(3, 2)
    )
    assert memory.tolist() == [10, 12, 14, 15, 4]
    memory = torch.zeros(4, dtype=torch.int64)
    rows = torch.ones(3, 2, dtype=torch.int64)
    for index_dtype in (torch.int64, torch.int32):
        index = torch.tensor([0, 1, 2], dtype=index_dtype)
        memory.as_strided((3, 2), (1, 1)).index_add_(0, index, rows)
    assert memory.tolist() == [2, 4, 4, 2]
    memory.as_strided((3,), (1,)).index_add_(0, index, memory[1:].as_strided((3,), (1,)).clone())
    assert memory.tolist() == [6, 8, 6, 2]


def test_index_put_reads_what_it_wrote_in_shared_memory() -> None:
    for accumulate, wanted in ((False, [0, 0, 0, 0, 1, 2]), (True, [0, 1, 3, 6, 5, 7])):
        memory = torch.arange(6)
        tensor, values = memory.as_strided((2, 3), (2, 1), 1), memory.as_strided((2, 3), (0, 1), 0)
        tensor.index_put_((torch.tensor([1, 0]),), values, accumulate)
        assert memory.tolist() == wanted, memory


@given(st.data())
def test_put(data: st.DataObject) -> None:
    tensor, _, _ = data.draw(calls())
    size = tensor.numel()
    places = data.draw(st.lists(st.integers(-size, size - 1), max_size=6))
    values = torch.arange(10, 10 + len(places))
    wanted = tensor.flatten().tolist()
    sums = list(wanted)
    for place, value in zip(places, values.tolist(), strict=True):
        wanted[place] = value
        sums[place] += value
    index = torch.tensor(places, dtype=torch.int64)
    assert torch.put(tensor, index, values).flatten().tolist() == wanted
    assert tensor.put_(index, values, accumulate=True) is tensor
    assert tensor.flatten().tolist() == sums


def test_put_alerts_of_nondeterminism() -> None:
    index, values = torch.tensor([0]), torch.ones(1)
    torch.use_deterministic_algorithms(True)
    try:
        assert torch.ones(1).put(index, values, True).tolist() == [2]
        with pytest.raises(RuntimeError, match="put_ does not have a deterministic"):
            torch.ones(1).put(index, values)
        torch.use_deterministic_algorithms(True, warn_only=True)
        with pytest.warns(UserWarning, match="put_ does not have a deterministic"):
            torch.ones(1).put(index, values)
    finally:
        torch.use_deterministic_algorithms(False)


@given(calls(), st.data())
def test_masked_scatter(call: tuple[Any, int, list[int]], data: st.DataObject) -> None:
    tensor, _, _ = call
    flags = data.draw(st.lists(st.booleans(), min_size=tensor.shape[-1], max_size=tensor.shape[-1]))
    source = torch.arange(50, 50 + tensor.numel())
    wanted = tensor.numpy().copy()
    mask = np.broadcast_to(np.array(flags), wanted.shape)
    wanted[mask] = source.numpy()[: mask.sum()]
    result = torch.masked_scatter(tensor, torch.tensor(flags), source)
    assert result.tolist() == wanted.tolist()
    assert result.is_contiguous()
    assert tensor.masked_scatter_(torch.tensor(flags), source) is tensor
    assert tensor.tolist() == wanted.tolist()


def test_masked_scatter_writes_what_the_source_has() -> None:
    tensor = torch.zeros(3)
    with pytest.raises(RuntimeError, match="Number of elements of source < number of ones"):
        tensor.masked_scatter_(torch.tensor(True), torch.ones(2))
    assert tensor.tolist() == [1, 1, 0]


@given(st.integers(0, 9), st.integers(1, 3), st.booleans())
def test_fill_diagonal(height: int, width: int, wrap: bool) -> None:
    wanted = np.zeros((height, width))
    if height:
        np.fill_diagonal(wanted, 7, wrap=wrap)
    assert torch.zeros(height, width).fill_diagonal_(7, wrap).tolist() == wanted.tolist()


def test_fill_diagonal_of_a_cube() -> None:
    cube = torch.zeros(3, 3, 3).fill_diagonal_(2)
    assert cube.nonzero().tolist() == [[0, 0, 0], [1, 1, 1], [2, 2, 2]]


def test_on_meta() -> None:
    tensor = torch.ones(2, 3, device="meta").t()
    index, rows = torch.zeros(1, dtype=torch.int64, device="meta"), tensor[:1]
    assert tensor.index_copy(0, index, rows).stride() == (2, 1)
    assert tensor.index_add(0, index, rows, alpha=2).stride() == (2, 1)
    assert tensor.index_fill(0, index, 3).stride() == (1, 3)
    assert tensor.put(index, rows).stride() == (1, 3)
    with pytest.raises(RuntimeError, match="expected to be in the same device"):
        tensor.index_add_(0, index.new_zeros(1, device="cpu"), rows)


def test_gradients() -> None:
    tensor = torch.ones(2, 2, requires_grad=True)
    index, rows = torch.tensor([0]), torch.ones(1, 2)
    assert type(tensor.index_copy(0, index, rows).grad_fn).__name__ == "IndexCopyBackward0"
    assert type(tensor.index_fill(0, index, 1).grad_fn).__name__ == "IndexFillBackward0"
    with pytest.raises(RuntimeError, match=r"out=\.\.\. arguments don't support automatic"):
        torch.index_add(tensor, 0, index, rows, out=torch.ones(2, 2))
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        tensor.put_(index, torch.ones(1))


# Indices in the written memory. The expected elements are those that torch 2.13 gives.


def test_indices_with_gaps_are_copied_before_rows_are_added():
    memory = torch.tensor([2, 1, 1, 1, 1, 1, 2, 0, 2, 0, 1, 0, 0, 2])
    index = memory.as_strided((3,), (2,), 2)
    memory.as_strided((3, 2), (2, 3)).index_add_(0, index, torch.ones(3, 2, dtype=torch.int64))
    assert memory.tolist() == [2, 1, 3, 1, 2, 3, 2, 1, 2, 0, 1, 0, 0, 2]


def test_indices_with_gaps_are_copied_before_slices_are_selected():
    memory = torch.tensor([1, 1, 1, 2, 1, 0, 0, 1, 0, 1, 1, 2, 0, 2])
    source = torch.arange(2, 8).reshape(3, 2) % 3
    index = memory.as_strided((3,), (2,))
    torch.index_select(source, 0, index, out=memory.as_strided((3, 2), (1, 2), 2))
    assert memory.tolist() == [1, 1, 1, 1, 1, 2, 2, 1, 0, 1, 1, 2, 0, 2]


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [(torch.int64, [3, 1, 2, 2, 1, 0, 3, 0]), (torch.int32, [1, 1, 2, 2, 0, 0, 3, 0])],
)
def test_scatter_reads_indices_of_int64_one_by_one(dtype, expected):
    """Those of int32 are converted first."""
    memory = torch.tensor([0, 1, 0, 2, 0, 0, 3, 0], dtype=dtype)
    index = memory.as_strided((3,), (1,))
    memory.as_strided((4,), (2,)).scatter_(0, index, torch.tensor([3, 2, 1], dtype=dtype))
    assert memory.tolist() == expected


def test_an_index_beside_the_written_elements_is_no_reason_to_write_one_by_one():
    memory = torch.arange(100_000).reshape(2, -1) % 50_000
    memory[1].index_fill_(0, memory[0], 5)
    assert memory[1].eq(5).all()
    assert memory[0].tolist() == [*range(50_000)]
