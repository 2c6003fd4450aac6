"""nonzero_static."""

import pytest

import impl as torch

X = torch.tensor([[0.0, 1.0], [2.0, 3.0]])


def test_rows() -> None:
    assert X.nonzero_static(size=2).tolist() == [[0, 1], [1, 0]]
    assert X.nonzero_static(size=4).tolist() == [[0, 1], [1, 0], [1, 1], [-1, -1]]
    assert torch.nonzero_static(X[:0], size=1, fill_value=5).tolist() == [[5, 5]]


def test_strides_are_those_of_rows_except_on_meta() -> None:
    assert X.nonzero_static(size=3).stride() == (2, 1)
    assert X.to("meta").nonzero_static(size=3).stride() == (1, 3)


def test_out() -> None:
    out = torch.zeros(3, 2, dtype=torch.int64)
    assert torch.nonzero_static(X, size=3, out=out) is out
    assert out.tolist() == [[0, 1], [1, 0], [1, 1]]
    with pytest.raises(RuntimeError, match="to have scalar type Long but got scalar typeFloat"):
        torch.nonzero_static(X, size=3, out=torch.zeros(3, 2))


def test_negative_size() -> None:
    with pytest.raises(RuntimeError, match="'size' must be an non-negative integer"):
        X.nonzero_static(size=-1)
    with pytest.raises(RuntimeError, match="negative dimension -1"):
        X.to("meta").nonzero_static(size=-1)
