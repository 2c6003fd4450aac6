"""Determinants, inverses, solutions of equations and decompositions of torch.linalg."""

import re
from fractions import Fraction
from itertools import permutations
from math import prod
from typing import Any

import pytest
from hypothesis import given, strategies as st

import impl as torch
from impl.testing import simulated_cuda

SIZES = st.integers(0, 4)
KINDS = (torch.float32, torch.float64, torch.complex64, torch.complex128)


@st.composite
def matrices(draw: Any) -> list[list[int]]:
    size = draw(SIZES)
    row = st.lists(st.integers(-4, 4), min_size=size, max_size=size)
    rows: list[list[int]] = draw(st.lists(row, min_size=size, max_size=size))
    return rows


def determinant(rows: list[list[int]]) -> int:
    """Return a determinant by its definition."""
    total = 0
    for order in permutations(range(len(rows))):
        swaps = sum(order[i] > order[j] for j in range(len(order)) for i in range(j))
        total += (-1) ** swaps * prod(rows[i][j] for i, j in enumerate(order))
    return total


@given(matrices())
def test_determinants(rows: list[list[int]]):
    x, expected = torch.zeros(len(rows), len(rows), dtype=torch.float64), determinant(rows)
    if rows:
        x.copy_(torch.tensor(rows))
    assert torch.linalg.det(x).item() == x.det().item() == pytest.approx(expected, abs=1e-9)
    assert torch.det(torch.stack([x, x.mT])).tolist() == pytest.approx([expected] * 2, abs=1e-9)
    sign, logarithm = torch.linalg.slogdet(x)
    assert (sign * logarithm.exp()).item() == pytest.approx(expected, abs=1e-9)


@given(matrices())
def test_inverses(rows: list[list[int]]):
    x = torch.tensor(rows, dtype=torch.float64).reshape(len(rows), len(rows))
    if not determinant(rows):
        return  # rounding decides whether it is singular
    result = torch.linalg.inv(x)
    assert torch.allclose(result @ x, torch.eye(len(rows), dtype=x.dtype))
    assert torch.equal(torch.linalg.inv(torch.stack([x, x]))[1], result)
    assert torch.equal(torch.inverse(x), result)
    if len(rows) > 1:
        assert result.stride() == (1, len(rows))
    assert torch.allclose(torch.linalg.solve(x, x + 1), result @ (x + 1))
    assert torch.allclose(torch.linalg.solve(x, x + 1, left=False), (x + 1) @ result)
    assert torch.allclose(torch.linalg.pinv(x), result)


def test_the_matrix_of_a_batch_that_is_singular():
    x = torch.eye(3).repeat(2, 2, 1, 1)
    x[1, 0, 2, 2] = 0
    text = "linalg.inv: (Batch element 2): The diagonal element 3 is zero"
    with pytest.raises(torch.linalg.LinAlgError, match=re.escape(text)):
        torch.linalg.inv(x)
    text = "torch.linalg.solve: (Batch element 2): The solver failed"
    with pytest.raises(torch.linalg.LinAlgError, match=re.escape(text)):
        torch.linalg.solve(x, x)
    x[1, 1, 1, 1] = -1
    text = "(Batch element 2): The factorization could not be completed because the input is not"
    with pytest.raises(torch.linalg.LinAlgError, match=re.escape(text)) as error:
        torch.linalg.cholesky(x)
    assert "of order 3" in str(error.value)


@pytest.mark.parametrize(
    ("rows", "is_singular"),
    [
        ([[4, -1, 0], [5, 3, -5], [-22, -3, 10]], True),  # not so by NumPy
        ([[3, -3, 5], [2, 0, -3], [9, -3, -4]], True),  # not so by NumPy
        ([[4, 3, -9], [-6, -1, 7], [-6, -8, 20]], True),
        ([[3, 7, -7], [-8, -3, -3], [27, 16, 2]], False),
        ([[2, -5, 1, -1], [8, -7, 0, 1], [0, -4, -7, -5], [2, 4, -10, -1]], True),
        ([[3, -9, -5, 5], [-1, -5, -7, 5], [1, -4, -7, 8], [-3, 12, 21, -24]], False),
    ],
)
def test_rounding_decides_as_in_torch_whether_a_matrix_is_singular(
    rows: list[list[int]], is_singular: bool
):
    assert not determinant(rows)
    for x in (torch.tensor(rows).float(), torch.tensor([rows, rows]).float()):
        if is_singular:
            with pytest.raises(torch.linalg.LinAlgError):
                torch.linalg.inv(x)
            with pytest.raises(torch.linalg.LinAlgError):
                torch.linalg.solve(x, x)
        else:
            torch.linalg.inv(x)
            torch.linalg.solve(x, x)


@pytest.mark.parametrize("rows", [2, 3, 4, 5, 9])
@pytest.mark.parametrize("batch", [(), (2, 3)])
def test_matrices_that_are_nearly_singular(rows: int, batch: tuple[int, ...]):
    x = torch.eye(rows, dtype=torch.float64) * 4
    x[-2:, -2:] = torch.tensor([[2.0, 2.0], [1.0, 1.0 + 2**-44]], dtype=x.dtype)
    x[: min(1, rows - 2), 1:] += 2
    x = x.expand(*batch, rows, rows)
    wanted = torch.arange(2.0 * rows).reshape(rows, 2).to(x.dtype) - 3
    assert torch.equal(torch.linalg.solve(x, x @ wanted), wanted.expand(*batch, rows, 2))
    swapped = x.flip(-2)
    assert torch.equal(
        torch.linalg.solve(swapped, swapped @ wanted), wanted.expand(*batch, rows, 2)
    )
    transposed = x.mT.contiguous()
    solved = torch.linalg.solve(transposed, wanted.mT @ transposed, left=False)
    assert torch.equal(solved, wanted.mT.expand(*batch, 2, rows))


@pytest.mark.parametrize("rows", [2, 16, 17, 40, 100])
def test_factors_of_many_rows(rows: int):
    generator = torch.Generator().manual_seed(rows)
    x = torch.randn(2, rows, rows, dtype=torch.float64, generator=generator)
    identity = torch.eye(rows, dtype=x.dtype)
    by_qr = torch.linalg.qr(x)[1].diagonal(0, -2, -1).prod(-1).abs()
    assert torch.allclose(torch.linalg.det(x).abs(), by_qr)
    almost = x[:, :1] * torch.ones(rows, 1, dtype=x.dtype) + 1e-9 * identity  # nearly singular
    solved = torch.linalg.solve(almost, almost @ torch.ones(rows, 1, dtype=x.dtype))
    assert torch.allclose(almost @ solved, almost @ torch.ones(rows, 1, dtype=x.dtype), atol=1e-6)


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("shape", [(3, 3), (2, 4, 3), (2, 3, 5), (0, 2), (2, 0), (0, 3, 2)])
def test_products_of_factors(dtype: Any, shape: tuple[int, ...]):
    x = (torch.arange(float(prod(shape))) * 7 % 11 - 5).reshape(shape).to(dtype)
    x = x * (1 + 1j) if dtype.is_complex else x
    x = x.to(dtype)
    small = min(shape[-2:])
    for mode in ("reduced", "complete"):
        q, r = torch.linalg.qr(x, mode)
        assert torch.allclose(q @ r, x, atol=1e-5)
        assert torch.equal(r, r.triu())
    for full in (True, False):
        u, s, v = torch.linalg.svd(x, full)
        assert torch.allclose(u[..., :small] * s.unsqueeze(-2) @ v[..., :small, :], x, atol=1e-4)
        assert torch.allclose(v @ v.mH, torch.eye(v.shape[-2], dtype=dtype), atol=1e-5)
    assert torch.allclose(torch.linalg.svdvals(x), s, atol=1e-4)
    inverse = torch.linalg.pinv(x)
    assert torch.allclose(x @ inverse @ x, x, atol=1e-4)
    assert torch.equal(torch.linalg.matrix_rank(x), (s > 1e-3).sum(-1))


@pytest.mark.parametrize("dtype", KINDS)
def test_eigenvalues(dtype: Any):
    x = (torch.arange(18.0) * 7 % 11 - 5).reshape(2, 3, 3).to(dtype)
    if dtype.is_complex:
        x = (x + 1j * x.flip(-1)).to(dtype)
    values, vectors = torch.linalg.eig(x)
    assert values.dtype.is_complex
    assert torch.allclose(x.to(vectors.dtype) @ vectors, vectors * values.unsqueeze(-2), atol=1e-4)
    assert torch.allclose(torch.linalg.eigvals(x).sum(-1), values.sum(-1), atol=1e-4)
    x = x + x.mH
    values, vectors = torch.linalg.eigh(x.triu(), "U")
    assert torch.allclose(vectors * values.unsqueeze(-2) @ vectors.mH, x, atol=1e-4)
    assert torch.allclose(torch.linalg.eigvalsh(x), values, atol=1e-4)
    positive = x @ x + torch.eye(3)
    lower, upper = (torch.linalg.cholesky(positive, upper=upper) for upper in (False, True))
    assert torch.allclose(lower @ lower.mH, positive, atol=1e-3)
    assert torch.allclose(upper, lower.mH, atol=1e-3)


def test_tolerances_of_ranks():
    x = torch.diag(torch.tensor([4.0, 2.0, 1.0, 0.0]))
    ranks = [torch.linalg.matrix_rank(x, tol).item() for tol in (0.5, 1.0, 3.0, 4.0)]
    assert ranks == [3, 2, 1, 0]
    assert torch.linalg.matrix_rank(x, rtol=0.4).item() == 2
    small = torch.diag(torch.tensor([1.0, 1e-8]))
    assert torch.linalg.matrix_rank(small).item() == 1
    for tolerance in (1e-10, torch.tensor(1e-10)):  # beside which the default does not count
        assert torch.linalg.matrix_rank(small, atol=tolerance).item() == 2
    assert torch.linalg.matrix_rank(small, atol=0.0).item() == 1
    with pytest.warns(UserWarning, match="An output with one or more elements was resized"):
        assert torch.linalg.matrix_rank(x, atol=torch.tensor([0.5, 3.0])).tolist() == [3, 1]
    assert torch.linalg.pinv(x, 0.3).diagonal().tolist() == [0.25, 0.5, 0, 0]
    assert torch.linalg.pinv(-x, hermitian=True).diagonal().tolist() == [-0.25, -0.5, -1, 0]


def test_results_are_named_and_stay_on_their_device():
    with simulated_cuda(1):
        x = torch.tensor([[2.0, 0.0], [0.0, 3.0]], device="cuda")
        assert torch.linalg.slogdet(x).sign.device.type == "cuda"
        assert torch.linalg.inv(x).device.type == "cuda"
        assert torch.linalg.svd(x).S.tolist() == [3, 2]
        assert torch.linalg.eigh(x).eigenvalues.tolist() == [2, 3]
        out = torch.empty(0, device="cuda")
        assert torch.linalg.solve(x, x[0], out=out) is out
        assert out.tolist() == [1, 0]


def test_exact_fractions_of_small_equations():
    x = torch.tensor([[1.0, 2.0], [4.0, 4.0]], dtype=torch.float64)
    expected = [[float(Fraction(-1)), 0.5], [1.0, -0.25]]
    assert torch.linalg.inv(x).tolist() == expected
