"""Norms, the products of torch.linalg, and the order of frequencies of torch.fft."""

import math
import pickle
import re
import warnings
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, strategies as st

import impl as torch
from impl.testing import simulated_cuda

NUMBERS = st.lists(st.integers(-8, 8), min_size=1, max_size=9)


def norm_of(numbers: Sequence[float], order: float) -> float:
    """Return the norm of numbers by its definition."""
    sizes = [abs(number) for number in numbers]
    if math.isinf(order):
        return max(sizes) if order > 0 else min(sizes)
    if order == 0:
        return sum(size != 0 for size in sizes)
    if order < 0 and 0 in sizes:
        return 0.0
    return sum(size**order for size in sizes) ** (1 / order)


@given(NUMBERS, st.sampled_from([0, 1, 2, 3, 0.5, -1, math.inf, -math.inf]))
def test_vector_norm(numbers: list[int], order: float):
    x = torch.tensor(numbers, dtype=torch.float64)
    expected = norm_of(numbers, order)
    assert torch.linalg.vector_norm(x, order).item() == pytest.approx(expected)
    assert torch.norm(x, order).item() == x.norm(order).item() == pytest.approx(expected)
    rows = torch.linalg.vector_norm(torch.stack([x, 2 * x]), order, 1, keepdim=True)
    factor = 1 if order == 0 else 2
    assert rows.shape == (2, 1)
    assert rows.flatten().tolist() == pytest.approx([expected, factor * expected])


def test_one_element_does_not_overflow():
    assert torch.linalg.vector_norm(torch.tensor([1e30]), 3).item() == torch.tensor(1e30).item()
    assert torch.linalg.vector_norm(torch.tensor(1e30), 3, 0).item() == math.inf  # as in torch


@pytest.mark.parametrize(
    ("order", "expected"), [(1, 6), (-1, 4), (math.inf, 9), (-math.inf, 6), ("fro", math.sqrt(67))]
)
def test_matrix_norm(order: Any, expected: float):
    x = torch.tensor([[1.0, -5.0, 0.0], [3.0, 1.0, -5.0], [-2.0, 0.0, 1.0]])[:2]
    x = torch.cat([x, torch.tensor([[0.0, 0.0, -6.0]])]).double()
    sizes = x.abs()
    sums = {1: sizes.sum(0).max(), -1: sizes.sum(0).min(), math.inf: sizes.sum(1).max()}
    sums |= {-math.inf: sizes.sum(1).min(), "fro": (x * x).sum().sqrt()}
    assert torch.linalg.matrix_norm(x, order).item() == sums[order].item()
    assert torch.linalg.norm(x, order).item() == sums[order].item()


@pytest.mark.parametrize(("order", "expected"), [(2, [4, 2]), (-2, [3, 0]), ("nuc", [7, 2])])
def test_norms_of_singular_values(order: float | str, expected: list[float]) -> None:
    matrices = torch.tensor([[[0.0, 4.0], [-3.0, 0.0]], [[0.0, 0.0], [0.0, 2.0]]])
    norm = torch.linalg.matrix_norm
    assert norm(matrices, order).tolist() == expected
    assert norm(matrices.permute(1, 0, 2), order, (2, 0)).tolist() == expected
    assert norm(matrices, order, keepdim=True).tolist() == [[[number]] for number in expected]
    assert norm(matrices.to(torch.complex128), order).dtype is torch.float64
    assert torch.linalg.norm(matrices[0], order).item() == expected[0]
    assert norm(matrices.to("meta"), order).shape == (2,)
    tracked = norm(matrices.requires_grad_(), order)
    nodes = {2: "AmaxBackward0", -2: "AminBackward0", "nuc": "SumBackward1"}
    assert type(tracked.grad_fn).__name__ == nodes[order]


def test_singular_values_of_numbers_that_are_not_finite() -> None:
    x = torch.eye(2).expand(3, 2, 2).clone()
    x[1, 0, 1] = math.inf
    assert torch.linalg.matrix_norm(x, 2).isnan().tolist() == [False, True, False]
    x[2, 1, 1] = math.nan
    text = "linalg.svd: (Batch element 2): The algorithm failed to converge"
    with pytest.raises(torch.linalg.LinAlgError, match=re.escape(text)) as caught:
        torch.linalg.matrix_norm(x, "nuc")
    assert type(pickle.loads(pickle.dumps(caught.value))) is torch.linalg.LinAlgError
    with pytest.raises(IndexError, match="amin"):
        torch.linalg.matrix_norm(x[:, :0], -2)
    assert torch.linalg.matrix_norm(x[:, :0], 2).tolist() == [0, 0, 0]


def test_negative_powers_are_powers_of_the_inverse() -> None:
    x = torch.tensor([[0.0, 2.0], [4.0, 0.0]])
    assert torch.linalg.matrix_power(x, -1).tolist() == [[0, 0.25], [0.5, 0]]
    assert torch.linalg.matrix_power(x, -2).tolist() == [[0.125, 0], [0, 0.125]]


@pytest.mark.parametrize("count", range(7))
def test_matrix_power(count: int):
    x = torch.tensor([[1, 2], [3, -1]])
    expected = torch.eye(2, dtype=torch.int64)
    for _ in range(count):
        expected = expected @ x
    assert torch.linalg.matrix_power(x, count).tolist() == expected.tolist()
    out = torch.zeros(2, 2, dtype=torch.int64)
    assert torch.linalg.matrix_power(x, count, out=out) is out
    assert out.tolist() == expected.tolist()


def test_multi_dot():
    x, y = torch.arange(6.0).reshape(2, 3), torch.arange(12.0).reshape(3, 4)
    vector = torch.arange(4.0)
    assert torch.linalg.multi_dot([x, y, vector]).tolist() == (x @ y @ vector).tolist()
    assert torch.linalg.multi_dot([x[0], y, vector]).shape == ()
    with pytest.raises(RuntimeError, match=r"tensors 0 and 1 with shapes \[4\] and \[2, 3\]"):
        torch.linalg.multi_dot([vector, x])


def test_vecdot_conjugates_its_first_operand():
    x, y = torch.tensor([[1 + 2j, 3.0]]), torch.tensor([[2j, 1.0]])
    assert torch.linalg.vecdot(x, y).tolist() == [(1 - 2j) * 2j + 3]
    assert torch.linalg.vecdot(x[0], y[0]).tolist() == (1 - 2j) * 2j + 3


def test_vander():
    x = torch.tensor([2, 3], dtype=torch.int16)
    assert torch.linalg.vander(x, N=4).tolist() == [[1, 2, 4, 8], [1, 3, 9, 27]]
    assert torch.linalg.vander(x).dtype is torch.int64
    with pytest.raises(RuntimeError, match="N must be greater than 1"):
        torch.linalg.vander(x, N=1)


@given(st.integers(0, 12), st.sampled_from([0.5, 1.0, 4.0]))
def test_frequencies(count: int, spacing: float):
    frequencies = torch.fft.fftfreq(count, spacing, dtype=torch.float64)
    order = [*range((count + 1) // 2), *range(-(count // 2), 0)]
    assert frequencies.tolist() == pytest.approx([each / (count * spacing) for each in order])
    shifted = torch.fft.fftshift(frequencies)
    assert shifted.tolist() == sorted(frequencies.tolist())
    assert torch.fft.ifftshift(shifted).tolist() == frequencies.tolist()


def test_sparse_norms_reduce_all_elements():
    x = torch.tensor([[3.0, 0.0], [0.0, 4.0]]).to_sparse()
    assert x.norm().item() == 5
    assert x.norm(1, (0, 1)).item() == 7
    with pytest.raises(RuntimeError, match="only supports full reductions"):
        x.norm(2, 0)


def test_products_of_sparse_and_conjugate_tensors():
    x = torch.tensor([1 - 2j, 3 + 1j])
    sparse = torch.tensor([1 + 1j, 0]).to_sparse()
    assert (x.conj() * sparse).to_dense().tolist() == [(1 + 2j) * (1 + 1j), 0]


def test_functions_of_torch_linalg_dispatch_to_overrides():
    class Answer:
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None):
            return func.__name__, types

    name, types = torch.linalg.vector_norm(Answer())
    assert (name, types) == ("linalg_vector_norm", (Answer,))
    assert torch.norm(Answer())[0] == "norm"


def test_an_asterisk_imports_all_names():
    names: dict[str, Any] = {}
    with torch.as_torch():
        exec("from torch.linalg import *", names)
    assert names["vector_norm"] is torch.linalg.vector_norm


def test_meta_norms_have_no_elements():
    x = torch.empty(2, 3, device="meta", requires_grad=True)
    with warnings.catch_warnings(action="error"):
        result = torch.linalg.norm(x, dim=1, dtype=torch.float64)
    assert result.is_meta
    assert result.shape == (2,)
    assert result.dtype is torch.float64
    assert "LinalgVectorNormBackward0" in repr(result.grad_fn)


def test_norms_of_single_elements_are_absolute_values_also_of_none() -> None:
    tensor = torch.zeros(0, 1, 4, dtype=torch.uint8).view(torch.float8_e8m0fnu)
    with pytest.raises(NotImplementedError, match='"abs_cpu" not implemented for'):
        torch.linalg.vector_norm(tensor, 1.0, 1)


def test_norms_of_singular_values_stay_on_their_device() -> None:
    with simulated_cuda(1):
        x = torch.tensor([[0.0, 4.0], [-3.0, 0.0]], device="cuda")
        for order, expected in ((2, 4), (-2, 3), ("nuc", 7)):
            result = torch.linalg.matrix_norm(x, order)
            assert (result.device.type, result.item()) == ("cuda", expected)


@pytest.mark.parametrize("order", [0, 1, 2, 3, 0.5, float("inf")])
@pytest.mark.parametrize("columns", [1, 5, 300])
def test_distances_of_rows_are_the_norms_of_differences(order, columns):
    x = (torch.arange(6.0 * columns) % 7).reshape(2, 3, columns)
    y = (torch.arange(700.0 * columns) % 5).reshape(700, columns)
    found = torch.cdist(x.double(), y.double(), order)
    expected = torch.linalg.vector_norm(x.double()[:, :, None] - y.double(), order, dim=-1)
    assert found.shape == (2, 3, 700)
    if order in (0, 1, 2, float("inf")):
        assert found.tolist() == expected.tolist()
    torch.testing.assert_close(found, expected)


def test_distances_of_many_rows_are_a_view_of_a_product():
    x, y = torch.ones(26, 2), torch.zeros(3, 2)
    assert torch.cdist(x, y)._is_view()
    assert not torch.cdist(x[:25], y)._is_view()
    far = torch.cdist(x, y, compute_mode="donot_use_mm_for_euclid_dist")
    assert not far._is_view()
    torch.testing.assert_close(torch.cdist(x, y), far)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((torch.ones(2), torch.ones(2, 2)), "X1 got: 1D"),
        ((torch.ones(2, 3), torch.ones(2, 2)), "same number of columns. X1: 3 X2: 2"),
        ((torch.ones(2, 2), torch.ones(2, 2).int()), "X2 got: Int"),
        ((torch.ones(2, 2), torch.ones(2, 2), -1), "non-negative p"),
        ((torch.ones(2, 2), torch.ones(2, 2).double()), "expected scalar type Float but found Do"),
        (
            (torch.ones(2, 2).half(), torch.ones(2, 2).half()),
            "\"cdist\" not implemented for 'Half'",
        ),
    ],
)
def test_distances_refuse(arguments, message):
    with pytest.raises(RuntimeError, match=message):
        torch.cdist(*arguments)
