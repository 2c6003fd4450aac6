"""Stacks and splits by NumPy's names; NumPy tells the elements."""

from typing import Any

import numpy as np
import pytest

import impl as torch

SHAPES = ((), (4,), (1, 4), (2, 4), (2, 4, 1), (2, 4, 3))


def arange(shape: tuple[int, ...], start: int = 0) -> tuple[Any, Any]:
    """Return an array and a tensor of the same elements."""
    array = np.arange(start, start + int(np.prod(shape)), dtype=np.int64).reshape(shape)
    return array, torch.tensor(array.tolist(), dtype=torch.int64).reshape(shape)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ["hstack", "vstack", "dstack", "column_stack"])
def test_stacks_are_those_of_numpy(name: str, shape: tuple[int, ...]) -> None:
    (one, x), (two, y) = arange(shape), arange(shape, 100)
    expected = getattr(np, name)([one, two])
    assert getattr(torch, name)([x, y]).tolist() == expected.tolist()
    out = torch.empty(0, dtype=torch.int64)
    assert getattr(torch, name)((x, y), out=out) is out
    assert out.tolist() == expected.tolist()


def test_row_stack_is_vstack() -> None:
    x = torch.ones(2)
    assert torch.row_stack([x, x]).shape == (2, 2)
    with pytest.raises(RuntimeError, match=r"^vstack expects a non-empty TensorList$"):
        torch.row_stack([])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_missing_dimensions_are_where_numpy_has_them(rank: int, shape: tuple[int, ...]) -> None:
    array, x = arange(shape)
    result = getattr(torch, f"atleast_{rank}d")(x)
    assert result.shape == getattr(np, f"atleast_{rank}d")(array).shape
    assert result.data_ptr() == x.data_ptr()
    assert (result is x) == (len(shape) >= rank)


def test_several_tensors_become_a_tuple() -> None:
    x = torch.ones(())
    assert [part.shape for part in torch.atleast_2d(x, x)] == [(1, 1)] * 2
    assert [part.shape for part in torch.atleast_2d([x])] == [(1, 1)]
    assert torch.atleast_1d() == ()
    with pytest.raises(TypeError, match="expected Tensor as element 1 in argument 0, but got int"):
        torch.atleast_1d(x, 3)


@pytest.mark.parametrize(("name", "shape"), [
    ("hsplit", (4,)), ("hsplit", (3, 4)), ("vsplit", (4, 3)), ("dsplit", (1, 2, 4)),
])  # fmt: skip
@pytest.mark.parametrize("parts", [2, [1, 3], [], [-1], [3, 9]])
def test_splits_are_those_of_numpy(name: str, shape: tuple[int, ...], parts: Any) -> None:
    array, x = arange(shape)
    expected = [part.tolist() for part in getattr(np, name)(array, parts)]
    for result in (getattr(torch, name)(x, parts), getattr(x, name)(parts)):
        assert [part.tolist() for part in result] == expected
        assert all(part._base is x._base is not None for part in result)


@pytest.mark.parametrize(("program", "message"), [
    ("torch.ones(()).hsplit(1)",
     "torch.hsplit requires a tensor with at least 1 dimension, but got a tensor with 0 dim"),
    ("torch.ones(3).hsplit(2)",
     "torch.hsplit attempted to split along dimension 0, but the size of the dimension 3 is not"
     " divisible by the split_size 2!"),
    ("torch.ones(4, 2).vsplit(0)", "torch.vsplit attempted to split along dimension 0"),
    ("torch.dsplit(torch.ones(4, 2), [1])",
     "torch.dsplit requires a tensor with at least 3 dimension, but got a tensor with 2 dim"),
    ("torch.ones(2, 4).hsplit(-2)", "number of sections must be larger than 0, got -2"),
])  # fmt: skip
def test_what_cannot_be_split(program: str, message: str) -> None:
    with pytest.raises(RuntimeError, match=f"^{message}"):
        eval(program)
