"""tril and triu beside those of NumPy, and where they write what torch writes."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import impl as torch

SHAPES = st.lists(st.integers(0, 4), min_size=2, max_size=4).map(tuple)
DIAGONALS = st.integers(-6, 6) | st.sampled_from([-(2**63), 2**63 - 1])


def tensor_of(shape: tuple[int, ...], order: list[int]) -> Any:
    """Return a tensor of a shape whose dimensions lie in memory in an order."""
    sizes = [shape[dim] for dim in order]
    tensor = torch.arange(1, int(np.prod(shape)) + 1).view(sizes)
    return tensor.permute([order.index(dim) for dim in range(len(shape))])


@given(SHAPES, DIAGONALS, st.sampled_from(["tril", "triu"]), st.data())
def test_elements_and_strides(
    shape: tuple[int, ...], diagonal: int, name: str, data: st.DataObject
) -> None:
    tensor = tensor_of(shape, data.draw(st.permutations(range(len(shape)))))
    clamped = max(-9, min(diagonal, 9))
    wanted = getattr(np, name)(tensor.numpy(), clamped).tolist()
    result = getattr(torch, name)(tensor, diagonal)
    assert result.tolist() == wanted
    assert result.stride() == torch.empty(shape).stride()
    stride = tensor.stride()
    assert getattr(tensor, f"{name}_")(diagonal) is tensor
    assert (tensor.tolist(), tensor.stride()) == (wanted, stride)


@pytest.mark.parametrize("name", ["tril", "triu"])
def test_out_is_written_in_its_strides(name: str) -> None:
    tensor = torch.arange(1.0, 7.0).view(2, 3)
    out = torch.zeros(3, 2).t()
    assert getattr(torch, name)(tensor, out=out) is out
    assert out.tolist() == getattr(np, name)(tensor.numpy()).tolist()
    assert out.stride() == (1, 2)


def test_out_with_the_memory_of_the_tensor_gets_its_strides() -> None:
    tensor = torch.arange(1, 5).view(2, 2)
    torch.tril(tensor, out=tensor.t())
    assert tensor.tolist() == [[1, 0], [3, 4]]


def test_elements_are_written_in_order_where_they_share_memory() -> None:
    memory = torch.arange(1, 8)
    torch.triu(memory[:4].view(2, 2), -5, out=memory[1:5].view(2, 2))
    assert memory.tolist() == [1, 1, 1, 1, 1, 6, 7]
    one = torch.zeros(1).expand(2, 2)
    assert torch.tril(torch.ones(2, 2), out=one).tolist() == [[1, 1], [1, 1]]


def test_a_matrix_that_is_expanded_is_cleared_once() -> None:
    matrix = torch.arange(1, 10).view(3, 3)
    matrix.expand(2, 3, 3).tril_(-1)
    assert matrix.tolist() == [[0, 0, 0], [4, 0, 0], [7, 8, 0]]
    memory = torch.arange(1, 9)
    memory.as_strided((2, 1, 2, 2), (0, 4, 2, 1)).triu_()
    assert memory.tolist() == [1, 2, 0, 4, 5, 6, 7, 8]


def test_an_out_of_other_batch_strides_is_refused() -> None:
    """Torch takes one step from each matrix to the next, and writes beyond the memory of this."""
    out = torch.zeros(2, 2, 3, 3).transpose(0, 1)
    with pytest.raises(RuntimeError, match="out of bounds"):
        torch.tril(torch.ones(2, 2, 3, 3), out=out)
    assert not out.any()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: torch.ones(3).tril(), "tril: input tensor must have at least 2 dimensions"),
        (lambda: torch.ones(2, 2).triu(True), "argument 'diagonal' .* must be int, not bool"),
        (
            lambda: torch.ones(2, 2).to(torch.uint16).tril_(),
            "\"tril\" not implemented for 'UInt16'",
        ),
        (lambda: torch.ones(2, 2).to_sparse().triu(), "Could not run 'aten::triu'"),
    ],
)
def test_errors(call: Any, message: str) -> None:
    with pytest.raises((RuntimeError, TypeError), match=message):
        call()
