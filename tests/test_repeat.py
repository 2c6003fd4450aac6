"""Repeated and diagonal elements, sums to a size, and filled tensors; NumPy tells the elements."""

from typing import Any

import numpy as np
import pytest

import impl as torch


def arange(*shape: int) -> tuple[Any, Any]:
    """Return an array and a tensor of the same elements."""
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    return array, torch.tensor(array.tolist(), dtype=torch.int64).reshape(shape)


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 0), (1, 2, 3)])
@pytest.mark.parametrize("times", [(2, 1, 3), (1, 1, 1), (0, 2, 2), (2, 2, 2, 2)])
def test_repeat_and_tile_are_those_of_numpy(shape: tuple[int, ...], times: Any) -> None:
    array, x = arange(*shape)
    expected = np.tile(array, times)
    for result in (x.repeat(times), x.repeat(*times), x.tile(times), torch.tile(x, times)):
        assert (result.shape, result.tolist()) == (expected.shape, expected.tolist())
        assert result.is_contiguous()


def test_repeat_reads_any_strides_and_resolves_bits() -> None:
    array, x = arange(3, 2)
    assert x.t().repeat(2, 1).tolist() == np.tile(array.T, (2, 1)).tolist()
    assert x[:, :1].expand(3, 4).repeat(1, 2).tolist() == array[:, :1].repeat(8, 1).tolist()
    assert torch.tensor([1j]).conj().repeat(2).tolist() == [-1j, -1j]
    assert type(torch.ones(2, requires_grad=True).tile(2).grad_fn).__name__ == "RepeatBackward0"


def test_tile_has_ones_for_missing_dimensions() -> None:
    _, x = arange(2, 3)
    assert x.tile(2).shape == (2, 6)
    assert x.tile(()).shape == (2, 3)


@pytest.mark.parametrize(("program", "message"), [
    ("torch.ones(2, 3).repeat(2)", "Number of dimensions of repeat dims can not be smaller than"),
    ("torch.ones(2).repeat(-1)", r"Trying to create tensor with negative dimension -2: \[-2\]"),
    ("torch.ones(2, device='meta').repeat(-1)", "Repeats cannot be negative, found -1 at index 0"),
    ("torch.ones(4).repeat(2**62)", "maximum size for tensor at dimension 0 is 0 but size is 4"),
    ("torch.ones(2).repeat(2**62)", "IntArrayRef contains an int that cannot be represented"),
    ("torch.ones(2).to_sparse().repeat(2)", "expand is unsupported for Sparse tensors"),
    ("torch.ones(2).diag_embed(0, 1, -1)", "diagonal dimensions cannot be identical 1, -1"),
    ("torch.ones(2, device='meta').diag_embed(0, 1, -1)",
     "diagonal dimensions cannot be identical 1, 1"),
    ("torch.ones(2, 3).sum_to_size(2)", r"size \{\[2\]\} is not expandable to size \{\[2, 3\]\}"),
    ("torch.fill(torch.ones(2), torch.ones(1))",
     "fill_ only supports 0-dimension value tensor but got tensor with 1 dimensions"),
    ("torch.fill(torch.ones(2).int(), torch.ones((), requires_grad=True))",
     "Autograd not support dtype: Int"),
    ("torch.ones(2).to_sparse().fill_(1e300)", "Could not run 'aten::fill_.Scalar'"),
])  # fmt: skip
def test_what_is_refused(program: str, message: str) -> None:
    with pytest.raises(RuntimeError, match=f"^{message}"):
        eval(program)


@pytest.mark.parametrize("device", ["cpu", "meta"])
@pytest.mark.parametrize("offset", [-2, 0, 1])
def test_the_last_dimension_becomes_a_diagonal(offset: int, device: str) -> None:
    _, x = arange(2, 3)
    result = torch.diag_embed(x.to(device), offset, 0, 2)
    length = 3 + abs(offset)
    assert (result.shape, result.stride()) == ((length, 2, length), (2 * length, length, 1))
    if device == "cpu":
        assert result.diagonal(offset, 0, 2).tolist() == x.tolist()
        assert result.sum() == x.sum()


def test_all_elements_become_a_diagonal() -> None:
    array, x = arange(3, 2)
    assert torch.diagflat(x.t(), 1).tolist() == np.diagflat(array.T, 1).tolist()
    assert torch.ones(()).diagflat().tolist() == [[1.0]]


@pytest.mark.parametrize("size", [(), (3,), (1, 3), (2, 1), (1, 1), (1,)])
def test_what_was_expanded_is_summed(size: tuple[int, ...]) -> None:
    _, x = arange(2, 3)
    result = x.sum_to_size(size)
    assert result.shape == size
    assert result.sum() == x.sum()
    assert x.sum_to_size(2, 3) is x


def test_fill_leaves_its_operand() -> None:
    x = torch.zeros(2, 3).t()
    result = torch.fill(x, 2)
    assert (result.tolist(), result.stride(), x.sum().item()) == ([[2.0, 2.0]] * 3, (1, 3), 0)
    assert torch.fill_(x, torch.tensor(3)) is x
    assert x.tolist() == [[3.0, 3.0]] * 3
    value = torch.ones((), requires_grad=True)
    assert type(torch.fill(x, value).grad_fn).__name__ == "FillBackward1"
