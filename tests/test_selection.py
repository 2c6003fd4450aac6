"""index_select, gather, take and take_along_dim beside NumPy, and where they write."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import impl as torch

SHAPES = st.lists(st.integers(0, 4), min_size=1, max_size=4).map(tuple)
DTYPES = st.sampled_from([torch.float16, torch.float32, torch.int64, torch.complex64, torch.bool])


def tensor_of(shape: tuple[int, ...], order: list[int], dtype: Any = torch.int64) -> Any:
    """Return a tensor of a shape whose dimensions lie in memory in an order."""
    sizes = [shape[dim] for dim in order]
    tensor = torch.arange(1, int(np.prod(shape)) + 1).to(dtype).view(sizes)
    return tensor.permute([order.index(dim) for dim in range(len(shape))])


def indices(data: st.DataObject, shape: tuple[int, ...], first: int, end: int) -> Any:
    """Return random indices within bounds; of an empty range, none."""
    if first >= end:
        return torch.zeros((0, *shape[1:]), dtype=torch.int64)
    count = int(np.prod(shape))
    numbers = data.draw(st.lists(st.integers(first, end - 1), min_size=count, max_size=count))
    return torch.tensor(numbers, dtype=torch.int64).view(shape)


def empty_backwards(shape: Any, dtype: Any) -> Any:
    """Return a tensor of a shape whose first dimension is the innermost one."""
    return tensor_of(tuple(shape), [*range(len(shape))][::-1], dtype)


@given(SHAPES, DTYPES, st.data())
def test_index_select(shape: tuple[int, ...], dtype: Any, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(shape))))
    dim = data.draw(st.integers(-len(shape), len(shape) - 1))
    tensor = tensor_of(shape, order, dtype)
    index = indices(data, (data.draw(st.integers(0, 5)),), 0, shape[dim])
    result = tensor.index_select(
        dim, index.to(data.draw(st.sampled_from([torch.int32, torch.int64])))
    )
    wanted = np.take(tensor.numpy(), index.numpy(), dim)
    assert result.tolist() == wanted.tolist()
    assert (result.dtype, result.stride()) == (dtype, torch.empty(wanted.shape).stride())
    out = empty_backwards(wanted.shape, dtype)
    assert torch.index_select(tensor, dim, index, out=out) is out
    assert out.tolist() == wanted.tolist()


@given(SHAPES, DTYPES, st.data())
def test_gather(shape: tuple[int, ...], dtype: Any, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(shape))))
    dim = data.draw(st.integers(-len(shape), len(shape) - 1))
    tensor = tensor_of(shape, order, dtype)
    sizes = [data.draw(st.integers(0, size)) for size in shape]
    sizes[dim] = data.draw(st.integers(0, 4)) if shape[dim] else 0
    index = indices(data, tuple(sizes), 0, shape[dim] or 1)
    kept = [slice(size) for size in sizes]
    kept[dim] = slice(None)
    wanted = np.take_along_axis(tensor.numpy()[tuple(kept)], index.numpy(), dim)
    result = torch.gather(tensor, dim, index)
    assert result.tolist() == wanted.tolist()
    assert (result.dtype, result.stride()) == (dtype, torch.empty(sizes).stride())
    out = empty_backwards(sizes, dtype)
    assert torch.gather(tensor, dim, index, out=out) is out
    assert out.tolist() == wanted.tolist()


@given(SHAPES, SHAPES, DTYPES, st.data())
def test_take(
    shape: tuple[int, ...], index_shape: tuple[int, ...], dtype: Any, data: st.DataObject
) -> None:
    tensor = tensor_of(shape, data.draw(st.permutations(range(len(shape)))), dtype)
    index = indices(data, index_shape, -tensor.numel(), tensor.numel())
    wanted = tensor.numpy().reshape(-1)[index.numpy()]
    assert tensor.take(index).tolist() == wanted.tolist()
    out = torch.empty(0, dtype=dtype)
    assert torch.take(tensor, index, out=out) is out
    assert (out.tolist(), out.shape) == (wanted.tolist(), index.shape)


def test_take_along_dim_counts_from_the_start_again_and_broadcasts() -> None:
    tensor = torch.arange(6).view(2, 3)
    index = torch.tensor([[-1, 3, 100]])
    assert tensor.take_along_dim(index, 1).tolist() == [[2, 0, 1], [5, 3, 4]]
    assert torch.take_along_dim(tensor, torch.tensor([[4], [1]])).tolist() == [4, 1]
    with pytest.raises(RuntimeError, match="index -1 is out of bounds for dimension 0 with size 6"):
        torch.take_along_dim(tensor, index)
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        torch.take_along_dim(tensor[:, :0], index, 1)


def test_many_elements_are_gathered_in_blocks() -> None:
    generator = np.random.default_rng(0)
    array = generator.integers(0, 1000, (300, 400))
    for dim in (0, 1):
        index = generator.integers(0, array.shape[dim], (300, 400))
        for transposed in (False, True):
            pair = (array.T, index.T) if transposed else (array, index)
            along = 1 - dim if transposed else dim
            result = torch.gather(
                *(torch.from_numpy(x) for x in pair[:1]), along, torch.from_numpy(pair[1])
            )
            assert (result.numpy() == np.take_along_axis(*pair, along)).all()


def test_rows_of_an_expanded_int32_index_are_read_as_torch_does() -> None:
    """Torch reads the first elements of a converted copy, in which each index is repeated."""
    tensor = torch.arange(6.0).view(3, 2)
    index = torch.tensor([2, 0, 1])[:, None].expand(3, 2)
    assert tensor.gather(0, index).tolist() == [[4, 5], [0, 1], [2, 3]]
    narrow = torch.tensor([2, 0, 1], dtype=torch.int32)[:, None].expand(3, 2)
    assert tensor.gather(0, narrow).tolist() == [[4, 5], [4, 5], [0, 1]]
    assert tensor.long().gather(0, narrow).tolist() == [[4, 5], [0, 1], [2, 3]]


@pytest.mark.parametrize(
    ("call", "written"),
    [
        (lambda x, i, out: torch.index_select(x, 0, i[0], out=out), [[3, 4, 5], [-1, -1, -1]]),
        (lambda x, i, out: torch.gather(x, 0, i, out=out), [[3, 1, -1], [-1, -1, -1]]),
        (lambda x, i, out: torch.gather(x, 1, i, out=out), [[1, 0, -1], [-1, -1, -1]]),
        (lambda x, i, out: torch.take(x, i, out=out), [[1, 0, -1], [-1, -1, -1]]),
    ],
)
def test_elements_before_a_wrong_index_are_written(call: Any, written: list[list[int]]) -> None:
    tensor, index = torch.arange(6).view(2, 3), torch.tensor([[1, 0, 9], [0, 0, 9]])
    out = torch.full((2, 3), -1)
    if "index_select" in str(call.__code__.co_names):
        index = torch.tensor([[1, 9]])
    with pytest.raises((IndexError, RuntimeError), match=r"out of (range|bounds)"):
        call(tensor, index, out)
    assert out.tolist() == written


def test_nothing_is_written_before_a_wrong_index_of_columns_or_narrow_floats() -> None:
    tensor, out = torch.arange(6).view(2, 3), torch.full((2, 2), -1)
    with pytest.raises(
        RuntimeError, match="INDICES element is out of DATA bounds, id=9 axis_dim=3"
    ):
        torch.index_select(tensor, 1, torch.tensor([0, 9]), out=out)
    assert out.tolist() == [[-1, -1], [-1, -1]]
    narrow = out.half()
    with pytest.raises(RuntimeError, match="index 9 is out of bounds for dimension 1 with size 3"):
        torch.gather(tensor.half(), 1, torch.tensor([[0, 9]]), out=narrow.resize_(1, 2))
    assert narrow.tolist() == [[-1, -1]]


def test_elements_are_read_after_they_are_written_where_memory_is_shared() -> None:
    memory = torch.arange(10)
    torch.take(memory[::2], torch.tensor([0, 0, 0]), out=memory[1::3])
    assert memory.tolist() == [0, 0, 2, 3, 0, 5, 6, 0, 8, 9]
    memory = torch.arange(10)
    torch.index_select(memory[::2], 0, torch.tensor([4, 4, 1]), out=memory[2::3])
    assert memory.tolist() == [0, 1, 8, 3, 4, 8, 6, 7, 8, 9]


def test_slices_of_sub_byte_integers_are_copied_only_where_they_are_one_piece() -> None:
    tensor, index = torch.empty(3, 3, dtype=torch.int4), torch.tensor([0])
    assert tensor.index_select(0, index).shape == (1, 3)
    for dim in (0, 1):
        with pytest.raises(NotImplementedError, match="\"copy_kernel\" not implemented for 'Int4'"):
            tensor.t().index_select(dim, index)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x, i: x.index_select(2, i[0]), IndexError, "Dimension out of range"),
        (lambda x, i: x.index_select(0, i), IndexError, "Index is supposed to be a vector"),
        (lambda x, i: x.index_select(0, i[0].float()), RuntimeError, "Expected dtype int32 or"),
        (lambda x, i: x[0, 0].index_select(0, i[0]), RuntimeError, "can have only 1 value, got 3"),
        (lambda x, i: x.to("meta").index_select(2, i[0]), IndexError, "list assignment index"),
        (lambda x, i: x.gather(0, i[0]), RuntimeError, "same number of dimensions as input"),
        (lambda x, i: x[:1].gather(1, i), RuntimeError, r"expected index \[2, 3\] to be no larger"),
        (lambda x, i: x.gather(0, i.short()), RuntimeError, "Expected dtype int32/int64 for index"),
        (
            lambda x, i: x.take(i.int()),
            RuntimeError,
            "Expected a long tensor for index, but got Int",
        ),
        (lambda x, i: x[:0].take(i), IndexError, "tried to take from an empty tensor"),
        (
            lambda x, i: x.take_along_dim(i[0], 0),
            RuntimeError,
            "should have the same number of dim",
        ),
        (
            lambda x, i: x.take_along_dim(i.to("meta"), 0),
            RuntimeError,
            "got tensor with meta Device",
        ),
    ],
)
def test_errors(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call(torch.arange(6).view(2, 3), torch.tensor([[0, 1, 0], [1, 1, 0]]))


def test_results_on_meta_and_gradients() -> None:
    tensor, index = torch.ones(2, 3, requires_grad=True), torch.zeros(2, 1, dtype=torch.int64)
    for device in ("cpu", "meta"):
        x, i = tensor.to(device), index.to(device)
        for result, node in (
            (x.index_select(1, i[:, 0]), "IndexSelectBackward0"),
            (x.gather(1, i, sparse_grad=True), "GatherBackward0"),
            (x.take(i), "TakeBackward0"),
            (x.take_along_dim(i, 1), "GatherBackward0"),
        ):
            assert (type(result.grad_fn).__name__, result.device.type) == (node, device)
    with pytest.raises(RuntimeError, match=r"take\(\): functions with out=... arguments"):
        torch.take(tensor, index, out=torch.empty(0))


def test_slices_of_sparse_tensors() -> None:
    array = np.array([[0, 1, 0, 2], [3, 0, 0, 0], [0, 4, 5, 0]])
    sparse = torch.from_numpy(array).to_sparse()
    for dim, numbers in ((0, [2, -1, 0, 0]), (1, [1, 1, 3, 2, -4]), (1, []), (0, [1])):
        index = torch.tensor(numbers, dtype=torch.int64)
        result = torch.index_select(sparse, dim, index)
        assert result.to_dense().tolist() == array.take(numbers, dim).tolist()
    hybrid = torch.from_numpy(array).to_sparse(1)
    assert hybrid.index_select(1, torch.tensor([3, 0])).to_dense().tolist() == [
        [2, 0],
        [0, 3],
        [0, 0],
    ]
    with pytest.raises(IndexError, match=r"index contains 4 that is out of range for .* \[3, 4\]"):
        sparse.index_select(1, torch.tensor([4]))
    with pytest.raises(IndexError, match="must be 1-D strided"):
        torch.index_select(torch.ones(3), 0, torch.tensor([1]).to_sparse())
    with pytest.raises(NotImplementedError, match=r"aten::gather' .* 'SparseCPU'"):
        sparse.gather(0, torch.zeros(1, 1, dtype=torch.int64))


def test_slices_of_sparse_tensors_with_many_values() -> None:
    generator = np.random.default_rng(0)
    array = generator.integers(0, 2, (500, 600))
    sparse = torch.from_numpy(array).to_sparse()
    for dim in (0, 1):
        numbers = generator.integers(-array.shape[dim], array.shape[dim], 700)
        result = sparse.index_select(dim, torch.from_numpy(numbers))
        assert (result.to_dense().numpy() == array.take(numbers, dim)).all()


def test_a_read_of_no_element_needs_a_kernel() -> None:
    tensor = torch.tensor([1, 2], dtype=torch.int16).view(torch.bits16)
    with pytest.raises(NotImplementedError, match='"index_cpu" not implemented for'):
        tensor[torch.zeros(0, dtype=torch.int64)]


def test_a_vector_of_indices_gathers_from_a_0_dim_tensor() -> None:
    for _ in range(3):
        assert torch.tensor(7).gather(0, torch.tensor([0, 0])).tolist() == [7, 7]
        assert torch.tensor(7).gather(-1, torch.tensor([0])).shape == (1,)
        with pytest.raises((IndexError, RuntimeError), match="out of bounds"):
            torch.tensor(7).gather(0, torch.tensor([1]))
