"""diag beside NumPy's, and what it checks of ``out``."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import impl as torch


@given(st.lists(st.integers(0, 4), min_size=1, max_size=2).map(tuple), st.integers(-5, 5))
def test_elements(shape: tuple[int, ...], diagonal: int) -> None:
    tensor = torch.arange(int(np.prod(shape))).view(shape)
    result = tensor.diag(diagonal)
    assert result.tolist() == np.diag(tensor.numpy(), diagonal).tolist()
    assert result.is_contiguous()
    out = torch.empty(0, dtype=torch.int64)
    assert torch.diag(tensor, diagonal, out=out) is out
    assert out.tolist() == result.tolist()


def test_a_diagonal_is_a_copy() -> None:
    tensor = torch.ones(2, 2, requires_grad=True)
    result = tensor.diag()
    assert result._base is None
    assert type(result.grad_fn).__name__ == "DiagonalBackward0_copy"
    assert type(tensor[0].diag().grad_fn).__name__ == "DiagEmbedBackward0"


def test_the_diagonal_of_a_conjugate_is_resolved() -> None:
    result = torch.tensor([[1 + 2j]]).conj().diag()
    assert not result.is_conj()
    assert result.tolist() == [1 - 2j]


def test_dtypes_of_out() -> None:
    vector, matrix = torch.ones(2, dtype=torch.float64), torch.ones(2, 2, dtype=torch.float64)
    out = torch.empty(0, dtype=torch.int64)
    with pytest.raises(
        RuntimeError, match=r"^diag: result type Double can't be cast to the desired"
    ):
        torch.diag(vector, out=out)
    for tensor, dtype, name in (
        (vector, torch.float32, "float"),
        (matrix, torch.int64, "long int"),
    ):
        with pytest.raises(RuntimeError, match=f"to have dtype double, but got {name} instead"):
            torch.diag(tensor, out=torch.empty(0, dtype=dtype))
    on_meta = matrix.to("meta")
    with pytest.raises(RuntimeError, match=r"dtype torch\.float64 but got torch\.int64 instead"):
        torch.diag(on_meta, out=out.to("meta"))


def test_rank() -> None:
    with pytest.raises(RuntimeError, match=r"^diag\(\): Supports 1D or 2D tensors\. Got 0D"):
        torch.ones(()).diag()
    with pytest.raises(RuntimeError, match=r"^Supports 1D or 2D tensors\. Got 3D"):
        torch.diag(torch.ones(1, 1, 1), out=torch.empty(0))


def test_sparse_tensors() -> None:
    with pytest.raises(NotImplementedError, match=r"'aten::diagonal_copy'.*'SparseCPU'"):
        torch.eye(2).to_sparse().diag()
    with pytest.raises(NotImplementedError, match=r"'aten::resize_'.*'SparseCPU'"):
        torch.diag(torch.ones(2), out=torch.ones(0).to_sparse())
