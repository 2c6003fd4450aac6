"""Operators whose out= is an operand and is resized: torch reads the operand after that."""

import math
from collections.abc import Callable
from typing import Any

import pytest

import impl as torch

pytestmark = pytest.mark.filterwarnings("ignore:An output with one or more elements was resized")


def tensor_of(*shape: int) -> Any:
    numbers = [5.0, 3, 8, 1, 9, 2, 7, 4, 6, 0, 11, 10]
    return torch.tensor(numbers[: math.prod(shape)]).view(shape)


@pytest.mark.parametrize(
    ("reduce", "shape", "wanted"),
    [
        (lambda x: torch.var(x, [1], out=x), (2, 3), [2.0, 0.5]),
        (lambda x: torch.var(x, [1], correction=0, out=x), (2, 1, 1), [[1.0], [1.0]]),
        (
            lambda x: torch.std(x, [1], correction=0, out=x),
            (2, 2, 3),
            [[2.0, 3.0, 3.0], [0.5, 3.0, 0.5]],
        ),
        (
            lambda x: torch.linalg.vector_norm(x, dim=1, out=x),
            (2, 2, 3),
            [math.sqrt(34), math.sqrt(43)],
        ),
        (lambda x: torch.linalg.vector_norm(x, dim=0, out=x), (2, 2, 3), [5.0, 3.0, 8.0]),
        (lambda x: torch.norm(x, 2, [1], out=x), (2, 1, 2), [math.sqrt(34), math.sqrt(43)]),
        (lambda x: torch.norm(x, 2, [0], out=x), (2, 3), 5.0),
        (lambda x: torch.histc(x, 2, out=x), (2, 3), [0.0, 0.0]),
        (lambda x: torch.aminmax(x, dim=-1, out=(x, torch.zeros(0))), (2, 3), 3.0),
        (lambda x: torch.aminmax(x, dim=-1, out=(torch.zeros(0), x)), (2, 3), 5.0),
    ],
)
def test_a_tensor_that_became_the_result_is_reduced(
    reduce: Callable[[Any], Any], shape: tuple[int, ...], wanted: Any
) -> None:
    tensor = tensor_of(*shape)
    reduce(tensor)
    assert torch.equal(tensor, torch.tensor(wanted))


@pytest.mark.parametrize(
    ("shape", "dim", "wanted"),
    [((2, 3), -1, [0, 0]), ((2, 3), None, 0), ((2, 2, 3), 1, [[0, 0, 0], [0, 1, 1]])],
)
def test_argmax_compares_what_the_tensor_became(shape: Any, dim: Any, wanted: Any) -> None:
    tensor = torch.tensor([-1, 6, 2, -2, 5, 1, -3, 4, 0, -4, 3, -1][: math.prod(shape)]).view(shape)
    torch.argmax(tensor, dim, out=tensor)
    assert tensor.tolist() == wanted


def test_errors_of_tensors_that_became_the_result_are_torchs() -> None:
    tensor = torch.zeros(2, 3, dtype=torch.complex64)
    with pytest.raises(NotImplementedError, match="max_values_cpu"):
        torch.amax(tensor, 0, out=tensor)
    for shape, message in (((2, 2, 3), "The size of tensor a"), ((2, 1, 2), "output with shape")):
        tensor = torch.zeros(shape, dtype=torch.bfloat16)
        with pytest.raises(RuntimeError, match=message):
            torch.mean(tensor, -1 if shape[1] == 1 else 1, out=tensor)


@pytest.mark.parametrize(
    ("shapes", "place", "error", "message"),
    [
        (((2, 3), (3,)), 0, RuntimeError, "self must be a matrix"),
        (((3,), (3, 2)), 1, RuntimeError, "mat2 must be a matrix"),
        (((2, 2), (2, 2), (2,)), 1, RuntimeError, "self must be a matrix"),
        (((2,), (2, 2), (2, 2)), 2, IndexError, "Dimension out of range"),
        (((3,), (3, 2), (2,)), 1, IndexError, "Dimension specified as 0"),
    ],
)
def test_multi_dot_refuses_matrices_that_became_vectors(
    shapes: Any, place: int, error: Any, message: str
) -> None:
    tensors = [torch.zeros(shape) for shape in shapes]
    with pytest.raises(error, match=message):
        torch.linalg.multi_dot(tensors, out=tensors[place])


def test_the_degrees_of_freedom_are_those_of_what_is_read() -> None:
    tensor = tensor_of(2, 3)
    with pytest.warns(UserWarning, match="degrees of freedom is <= 0"):
        torch.var(tensor, [0], out=tensor)
    assert tensor.isnan().tolist() == [True] * 3


def test_histogram_copies_edges_that_became_the_counts() -> None:
    edges, other = torch.tensor([2.0, 6.0]), torch.zeros(0)
    torch.histogram(tensor_of(2, 3), edges, out=(edges, other))
    assert (edges.tolist(), other.tolist()) == ([1.0], [2.0, 2.0])
    edges = torch.tensor([2.0, 6.0, 7.0])
    with pytest.raises(RuntimeError, match="The size of tensor a \\(3\\) must match"):
        torch.histogram(tensor_of(2, 3), edges, out=(edges, other))


def test_quantile_takes_the_rank_of_resized_numbers() -> None:
    number = torch.zeros(4)[0]  # in memory that the resize keeps
    with pytest.raises(RuntimeError, match=r"shape '\[2\]' is invalid for input of size 6"):
        torch.quantile(tensor_of(2, 3), number, 0, out=number)
    numbers = torch.zeros(0)
    with pytest.raises(RuntimeError, match=r"The size of tensor a \(0\) must match"):
        torch.quantile(tensor_of(2, 3), numbers, 0, out=numbers)


def test_addr_expands_a_tensor_that_becomes_the_result() -> None:
    tensor = tensor_of(3)
    torch.addr(tensor, torch.ones(2), tensor_of(3), out=tensor)
    assert tensor.tolist() == [[10, 6, 16], [15, 9, 24]]
    tensor = tensor_of(3, 2)
    with pytest.raises(RuntimeError, match=r"The expanded size of the tensor \(3\) must match"):
        torch.addr(tensor, torch.ones(2), tensor_of(3), out=tensor)


@pytest.mark.parametrize("median", [torch.median, torch.nanmedian])
def test_median_reads_lines_as_long_as_before(median: Any) -> None:
    places = torch.zeros(0, dtype=torch.int64)
    tensor = tensor_of(2, 3)
    median(tensor, 1, True, out=(tensor, places))
    assert (tensor.tolist(), places.tolist()) == ([[5], [3]], [[0], [0]])
    tensor = tensor_of(3)
    median(tensor, 0, out=(tensor, places))
    assert (tensor.tolist(), places.tolist()) == (5, 0)
    tensor = tensor_of(2, 2, 3)
    median(tensor, 0, True, out=(tensor, places))
    assert tensor.tolist() == [[[3, 3, 1], [1, 2, 2]]]
    assert places.tolist() == [[[1, 0, 1], [0, 1, 0]]]


def matrix(rows: int, columns: int, dtype: Any, start: int = 3) -> Any:
    """Return a matrix of whole numbers."""
    return ((torch.arange(rows * columns) * 7 + start) % 11 - 4).to(dtype).view(rows, columns)


@pytest.mark.parametrize("dtype", [torch.int32, torch.int16])
def test_loops_add_products_of_integers_to_zeros(dtype: Any) -> None:
    for multiply in (torch.mm, torch.matmul):
        tensor = matrix(2, 2, dtype)
        multiply(tensor, tensor, out=tensor)
        assert tensor.tolist() == [[0, 0], [0, 0]]
    tensor = matrix(2, 2, dtype)
    torch.addmm(matrix(2, 2, dtype, 5), tensor, matrix(2, 2, dtype, 2), out=tensor)
    assert tensor.tolist() == [[1, -4], [16, -40]]


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64, torch.bfloat16, torch.complex64])
def test_a_small_batch_is_read_after_it_is_written(dtype: Any) -> None:
    tensor = matrix(2, 2, dtype)[None]
    torch.bmm(tensor, tensor, out=tensor)
    assert tensor.tolist() == [[[13, 66], [22, 1456]]]


def test_narrow_floats_are_summed_in_turn() -> None:
    tensor = matrix(2, 2, torch.bfloat16, 8)
    torch.mm(matrix(2, 2, torch.bfloat16), tensor, out=tensor)
    assert tensor.tolist() == [[-28, 18], [-48, 30]]


def test_a_vector_is_read_after_it_is_written() -> None:
    vector = matrix(1, 3, torch.int32, 8)[0]
    torch.mv(matrix(3, 3, torch.int32), vector, out=vector)
    assert vector.tolist() == [-12, 20, 116]
    vector = matrix(1, 3, torch.int32, 8)[0]
    torch.mv(matrix(3, 3, torch.int32).t(), vector, out=vector)
    assert vector.tolist() == [-148, 272, 32]
    vector = matrix(1, 3, torch.float32, 8)[0]
    torch.mv(matrix(3, 3, torch.float32), vector, out=vector)
    assert vector.tolist() == [0, 0, 0]  # BLAS scales the result by 0 first


def test_a_resized_matrix_is_read_in_the_sizes_of_the_other_one() -> None:
    left = matrix(3, 4, torch.float32)[:2, :2].contiguous().resize_(2, 3).resize_(2, 2)
    torch.mm(left, matrix(2, 3, torch.float32, 8), out=left)
    assert (left.shape, left[0].tolist()) == ((2, 3), [14, -6, 40])
    right = matrix(3, 1, torch.int32)
    torch.mm(matrix(2, 3, torch.int32, 8), right, out=right)
    assert right.tolist() == [[-12], [-30]]
    vector = matrix(1, 3, torch.float32)[0]
    torch.addmv(torch.zeros(2), matrix(2, 3, torch.float32, 8), vector, out=vector)
    assert vector.tolist() == [-8, 12]
    left = matrix(2, 3, torch.float32)
    with pytest.raises(NotImplementedError):  # torch reads beyond its copy
        torch.mm(left, matrix(3, 2, torch.float32), out=left)


@pytest.mark.parametrize(
    ("dtype", "expected"), [(torch.int64, [4, 9, 2]), (torch.int32, [2**31 - 1] * 3)]
)
def test_the_smallest_int64_is_written_after_all_are_read(
    dtype: torch.dtype, expected: list[int]
) -> None:
    tensor = torch.tensor([[4, 9, 2], [3, 5, 7]], dtype=dtype)
    torch.amin(tensor, 0, out=tensor)
    assert tensor.tolist() == expected


def test_an_added_tensor_of_a_batch_is_expanded_before_it_is_resized() -> None:
    added, batch = torch.tensor(2), torch.ones(2, 1, 1, dtype=torch.int64)
    torch.baddbmm(added, batch, batch, out=added)
    assert added.tolist() == [[[3]], [[3]]]
