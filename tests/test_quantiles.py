"""quantile and nanquantile."""

import math

import pytest

import impl as torch

X = torch.tensor([[3.0, 1.0, 2.0], [6.0, 4.0, 8.0]])


@pytest.mark.parametrize(
    ("mode", "expected"),
    [("linear", 2.8), ("lower", 2.0), ("higher", 3.0), ("midpoint", 2.5), ("nearest", 3.0)],
)
def test_modes(mode: str, expected: float) -> None:
    row = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
    assert torch.quantile(row, 0.9, interpolation=mode).item() == pytest.approx(expected)


def test_shapes() -> None:
    q = torch.tensor([0.5, 1.0])
    assert X.quantile(q).tolist() == [3.5, 8.0]
    assert X.quantile(0.5, 1).tolist() == [2.0, 6.0]
    assert X.quantile(q, 1, True).shape == (2, 2, 1)
    assert X.quantile(q[:0], 0).shape == (0, 3)


def test_nan() -> None:
    x = torch.tensor([1.0, math.nan, 3.0])
    assert math.isnan(x.quantile(0.0).item())
    assert x.nanquantile(0.5).item() == 2.0
    assert math.isnan(torch.tensor([math.nan]).nanquantile(0.5).item())


def test_gradients() -> None:
    x = X.clone().requires_grad_()
    assert x.quantile(0.5).grad_fn.name() == "SqueezeBackward4"


@pytest.mark.parametrize(
    ("x", "q", "message"),
    [
        (X, 1.5, "q must be in the range [0, 1] but got 1.5"),
        (X, torch.tensor([2.0]), "q values must be in the range [0, 1]"),
        (X, torch.ones(1, 1), "q must be a scalar or 1D tensor"),
        (X.int(), 0.5, "input tensor must be either float or double dtype"),
        (X, torch.tensor(0.5, dtype=torch.float64), "q tensor must be same dtype as the input"),
        (X[:0], 0.5, "input tensor must be non-empty"),
    ],
)
def test_refusals(x: torch.Tensor, q: object, message: str) -> None:
    with pytest.raises(RuntimeError) as info:
        torch.quantile(x, q)
    assert str(info.value).startswith(f"quantile() {message}")
