"""diff beside NumPy's, and the steps of which torch composes it."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import impl as torch

SHAPES = st.lists(st.integers(1, 4), min_size=1, max_size=3).map(tuple)


@given(SHAPES, st.integers(0, 5), st.sampled_from([torch.int64, torch.bool]), st.data())
def test_elements(shape: tuple[int, ...], n: int, dtype: torch.dtype, data: st.DataObject) -> None:
    dim = data.draw(st.integers(-len(shape), len(shape) - 1))
    numbers = data.draw(st.lists(st.integers(0, 1), min_size=64, max_size=64))
    tensor = torch.tensor(numbers, dtype=dtype)[: int(np.prod(shape))].view(shape)
    wanted = np.diff(tensor.numpy(), n, dim)
    assert tensor.diff(n, dim).tolist() == wanted.tolist()
    if n <= shape[dim]:
        out = torch.empty(0, dtype=dtype)
        assert torch.diff(tensor, n, dim, out=out) is out
        assert out.tolist() == wanted.tolist()


@pytest.mark.parametrize("dim", [0, 1])
def test_prepend_and_append(dim: int) -> None:
    tensor, other = torch.arange(9).view(3, 3), torch.ones(3, 3, dtype=torch.int64)
    wanted = np.diff(tensor.numpy(), 2, dim, other.numpy(), other.numpy()).tolist()
    assert tensor.diff(2, dim, other, append=other).tolist() == wanted


def test_gradients() -> None:
    tensor = torch.ones(3, requires_grad=True)
    assert type(tensor.diff().grad_fn).__name__ == "SubBackward0"
    assert type(tensor.diff(0).grad_fn).__name__ == "CopyBackwards"


def test_a_tensor_without_elements_is_its_own_difference() -> None:
    tensor = torch.ones(0)
    assert tensor.diff() is tensor
    with pytest.raises(IndexError, match=r"^start out of range"):
        torch.diff(tensor, out=torch.empty(0))


def test_no_differences_are_copied_into_out() -> None:
    tensor = torch.ones(2)
    assert torch.diff(tensor, 0, out=torch.empty(0)).tolist() == [1.0, 1.0]
    with pytest.raises(RuntimeError, match=r"^expected scalar_type Float but found Long"):
        torch.diff(tensor, 0, out=torch.empty(2, dtype=torch.int64))
    with pytest.raises(RuntimeError, match=r"^expected device cpu but found meta"):
        torch.diff(tensor, 0, out=torch.empty(2, device="meta"))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("torch.ones(()).diff()", "diff expects input to be at least one-dimensional"),
        ("x.diff(-1)", "order must be non-negative but got -1"),
        (
            "x.diff(prepend=torch.ones(2))",
            "diff expects prepend or append to be the same dimension",
        ),
        (
            "x.diff(append=torch.ones(3, 2))",
            r".*; input\.size\(0\) = 2, but got tensor\.size\(0\) = 3",
        ),
    ],
)
def test_arguments_are_checked(call: str, message: str) -> None:
    with pytest.raises(RuntimeError, match=f"^{message}"):
        eval(call, {"torch": torch, "x": torch.ones(2, 2)})
