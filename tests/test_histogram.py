"""histogram."""

import math

import pytest

import impl as torch

X = torch.tensor([0.0, 1.0, 2.0, 2.0, 4.0])


def test_bins_of_equal_width() -> None:
    result = torch.histogram(X, 4)
    assert result.hist.tolist() == [1.0, 1.0, 2.0, 1.0]
    assert result.bin_edges.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert X.histogram(2, range=(1, 2)).hist.tolist() == [1.0, 2.0]
    assert X[:0].histogram(2).bin_edges.tolist() == [0.0, 0.5, 1.0]


def test_edges() -> None:
    edges = torch.tensor([0.0, 2.0, 4.0])
    assert X.histogram(edges).hist.tolist() == [2.0, 3.0]
    assert X.histogram(edges, weight=X).hist.tolist() == [1.0, 8.0]
    assert X.histogram(edges, density=True).hist.tolist() == pytest.approx([0.2, 0.3])


def test_weights_are_added_in_the_dtype() -> None:
    ones, edges = torch.ones(3, dtype=torch.float16), torch.tensor([0.0, 2.0]).half()
    weight = torch.tensor([2048.0, 1.0, 1.0]).half()
    assert ones.histogram(edges, weight=weight).hist.tolist() == [2048.0]


def test_nan_is_in_no_bin() -> None:
    x = torch.tensor([1.0, math.nan])
    assert x.histogram(1, range=(0, 2)).hist.tolist() == [1.0]
    with pytest.raises(RuntimeError, match="is not finite"):
        x.histogram(1)


def test_gradients() -> None:
    hist, edges = X.clone().requires_grad_().histogram(2)
    assert hist.grad_fn.name() == edges.grad_fn.name() == "torch::autograd::NotImplemented"


def test_out() -> None:
    hist, edges = torch.zeros(0), torch.zeros(0)
    result = torch.histogram(X, 2, out=(hist, edges))
    assert result.hist is hist
    assert hist.tolist() == [2.0, 3.0]
    with pytest.raises(RuntimeError, match="bins must be > 0, but got 0 for dimension 0"):
        torch.histogram(X, 0)
    with pytest.raises(RuntimeError, match="got input float and hist double"):
        torch.histogram(X, 2, out=(hist.double(), edges))


def test_edges_that_are_too_many_are_named_first() -> None:
    with pytest.raises(RuntimeError, match=r"overflowed with sizes=\[4611686018427387905\]"):
        torch.histc(torch.ones(3), 2**62)
