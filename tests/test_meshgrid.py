"""meshgrid beside NumPy's, its views and its checks."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import impl as torch
from impl._ops.views.cpp_text import cpp_text

INDEXING = st.sampled_from(["ij", "xy"])


@given(st.lists(st.integers(0, 3), min_size=1, max_size=4), INDEXING)
def test_elements(sizes: list[int], indexing: str) -> None:
    vectors = [torch.arange(size) for size in sizes]
    grids = torch.meshgrid(vectors, indexing=indexing)
    wanted = np.meshgrid(*[vector.numpy() for vector in vectors], indexing=indexing)
    assert [grid.tolist() for grid in grids] == [each.tolist() for each in wanted]


def test_grids_are_views() -> None:
    row, number = torch.ones(2, requires_grad=True), torch.ones(())
    grids = torch.meshgrid(row, number, indexing="xy")
    assert type(grids) is tuple
    assert [grid.shape for grid in grids] == [(1, 2), (1, 2)]
    assert [grid.stride() for grid in grids] == [(2, 1), (1, 0)]
    assert [grid._base for grid in grids] == [row, number]
    assert type(grids[0].grad_fn).__name__ == "ExpandBackward0"


def test_a_call_without_indexing_warns() -> None:
    torch.set_warn_always(True)
    try:
        with pytest.warns(UserWarning, match=r"^torch\.meshgrid: in an upcoming release"):
            torch.meshgrid(torch.ones(2), torch.ones(3))
    finally:
        torch.set_warn_always(False)


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        ([], "meshgrid expects a non-empty TensorList"),
        ([torch.ones(1), torch.arange(1)], "meshgrid expects all tensors to have the same dtype"),
        ([torch.ones(1), torch.ones(1, device="meta")], ".* to have the same device"),
        (
            [torch.ones(1, 2)],
            r"torch\.meshgrid: .* but got:  1  1\n\[ torch\.FloatTensor\{1,2\} \]",
        ),
    ],
)
def test_tensors_are_checked(tensors: list[torch.Tensor], message: str) -> None:
    with pytest.raises(RuntimeError, match=f"^{message}"):
        torch.meshgrid(*tensors, indexing="ij")


def test_indexing_is_checked() -> None:
    with pytest.raises(RuntimeError, match='must be one of "xy" or "ij", but received: yx'):
        torch.meshgrid(torch.ones(1), indexing="yx")


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ([[1, -20], [3, 4]], "  1 -20\n  3   4\n[ torch.LongTensor{2,2} ]"),
        ([[12345678]], "1.23457e+07\n[ torch.LongTensor{1,1} ]"),
        ([[1234567890.0]], " 1.2346e+09\n[ torch.FloatTensor{1,1} ]"),
        ([[250000.5, 1e5]], "100000 *\n 2.5000  1.0000\n[ torch.FloatTensor{1,2} ]"),
        ([[1e-5, 1.0]], " 1.0000e-05  1.0000e+00\n[ torch.FloatTensor{1,2} ]"),
        ([[[0.5], [2.0]]], "(1,.,.) = \n 0.5000\n  2.0000\n[ torch.FloatTensor{1,2,1} ]"),
        ([[]], "[ torch.FloatTensor{1,0} ]"),
    ],
)
def test_text_of_tensors_in_messages(numbers: list[list[float]], text: str) -> None:
    assert cpp_text(torch.tensor(numbers)) == text


def test_columns_in_messages() -> None:
    lines = cpp_text(torch.zeros(1, 30)).split("\n")
    assert lines[0].startswith("Columns 1 to 26 0")
    assert lines[1:3] == ["", "Columns 27 to 30 0  0  0  0"]


def test_scale_of_the_least_numbers_is_zero() -> None:
    matrix = torch.tensor([[1e-323, -1e-323, 0.0, float("nan")]], dtype=torch.float64)
    with pytest.raises(RuntimeError, match=r": 0 \*\n    inf    -inf    -nan     nan\n"):
        torch.meshgrid(matrix, indexing="ij")
