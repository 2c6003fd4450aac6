"""flip, roll, rot90, trace and the indices of triangles, beside those of NumPy."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import impl as torch

SHAPES = st.lists(st.integers(0, 3), max_size=4).map(tuple)


def tensor_of(shape: tuple[int, ...], transposed: bool) -> Any:
    tensor = torch.arange(int(np.prod(shape)), dtype=torch.int32).view(shape)
    return tensor.transpose(0, -1) if transposed and shape else tensor


@given(SHAPES, st.booleans(), st.data())
def test_flip_reverses_dimensions_and_keeps_their_order_in_memory(
    shape: tuple[int, ...], transposed: bool, data: st.DataObject
) -> None:
    tensor = tensor_of(shape, transposed)
    dims = data.draw(st.lists(st.sampled_from(range(len(shape))), unique=True)) if shape else []
    result = torch.flip(tensor, dims)
    assert result.tolist() == np.flip(tensor.numpy(), dims).tolist()
    assert result.stride() == torch.empty_like(tensor).stride()


@given(SHAPES, st.booleans(), st.integers(-9, 9), st.data())
def test_roll_moves_elements_along_a_dimension(
    shape: tuple[int, ...], transposed: bool, shift: int, data: st.DataObject
) -> None:
    tensor = tensor_of(shape, transposed)
    dim = data.draw(st.sampled_from([None, *range(len(shape))]))
    result = tensor.roll(shift, () if dim is None else dim)
    assert result.tolist() == np.roll(tensor.numpy(), shift, dim).tolist()
    assert result.is_contiguous()


@given(st.lists(st.integers(0, 3), min_size=2, max_size=4).map(tuple), st.integers(-9, 9))
def test_rot90_rotates_the_first_two_dimensions(shape: tuple[int, ...], times: int) -> None:
    tensor = tensor_of(shape, transposed=False)
    assert tensor.rot90(times).tolist() == np.rot90(tensor.numpy(), times).tolist()


@given(st.integers(0, 5), st.integers(0, 5), st.integers(-9, 9))
def test_indices_of_triangles(rows: int, columns: int, offset: int) -> None:
    lower, upper = np.tril_indices(rows, offset, columns), np.triu_indices(rows, offset, columns)
    assert torch.tril_indices(rows, columns, offset).tolist() == [x.tolist() for x in lower]
    assert torch.triu_indices(rows, columns, offset).tolist() == [x.tolist() for x in upper]


@given(st.integers(0, 4), st.integers(0, 4), st.booleans())
def test_trace_sums_the_diagonal(rows: int, columns: int, transposed: bool) -> None:
    tensor = tensor_of((rows, columns), transposed)
    assert tensor.trace().item() == np.trace(tensor.numpy())
    assert tensor.trace().dtype is torch.int64


def test_trace_accumulates_float32_in_double() -> None:
    assert torch.tensor([[1e8, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1e8]]).trace().item() == 1


def test_rows_of_an_opaque_dtype_move_as_bytes() -> None:
    rows = torch.arange(6, dtype=torch.uint8).view(torch.bits8).view(2, 3)
    assert rows.flip(0).view(torch.uint8).tolist() == [[3, 4, 5], [0, 1, 2]]
    with pytest.raises(NotImplementedError, match="flip_cpu"):
        rows.flip(1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: x.flip(0, -2), "dim 0 appears multiple times in the list of dims"),
        (lambda x: x.roll((1, 2), 0), "shifts and dimensions must align. shifts: 2, dims:1"),
        (lambda x: x.roll(()), "`shifts` required"),
        (lambda x: x.rot90(1, (0, -2)), "got dim0 = 0 and dim1 = -2"),
        (lambda x: x.rot90(1, (0,)), "expected total rotation dims == 2, but got dims = 1"),
        (lambda x: x[0].fliplr(), "Input must be >= 2-d."),
        (lambda x: x[0].trace(), "trace: expected a matrix, but got tensor with dim 1"),
        (lambda x: torch.tril_indices(-1, 2), "row must be non-negative, got-1"),
    ],
)
def test_refused(call: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(RuntimeError) as error:
        call(torch.ones(2, 3))
    assert message in str(error.value)


def test_joined_rows_of_an_opaque_dtype() -> None:
    row = torch.arange(4, dtype=torch.uint8).view(torch.int4)
    assert torch.cat([row, row]).view(torch.uint8).tolist() == [0, 1, 2, 3] * 2
    with pytest.raises(NotImplementedError, match="copy_kernel"):
        torch.cat([row[::2], row])
