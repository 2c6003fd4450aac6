"""cat and stack: results that are cached by geometry, checks and their order, and out=."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import impl as torch

FUNCTIONS = {"cat": np.concatenate, "stack": np.stack}


@given(
    st.sampled_from([*FUNCTIONS]),
    st.sampled_from([(2, 3), (3,), (1, 2, 2)]),
    st.integers(-1, 0),
    st.lists(st.booleans(), min_size=1, max_size=3),
)
def test_repeated_joins_read_the_elements_anew(
    name: str, shape: tuple[int, ...], dim: int, are_transposed: list[bool]
) -> None:
    for start in (0, 100):
        tensors = []
        for position, is_transposed in enumerate(are_transposed):
            tensor = torch.arange(start + position, start + position + int(np.prod(shape)))
            tensors.append(
                tensor.view(shape[::-1]).permute(*range(len(shape))[::-1])
                if is_transposed
                else tensor.view(shape)
            )
        wanted = FUNCTIONS[name]([tensor.numpy() for tensor in tensors], dim)
        for call in (
            lambda: getattr(torch, name)(tensors, dim),  # noqa: B023
            lambda: getattr(torch, name)(tuple(tensors), dim=dim),  # noqa: B023
        ):
            assert call().tolist() == wanted.tolist()
            assert call().is_contiguous()


def test_a_cached_join_still_records_gradients_and_bits() -> None:
    plain, other = torch.ones(2), torch.zeros(2)
    for _ in range(2):
        assert torch.cat([plain, other]).grad_fn is None
    tracked = torch.ones(2, requires_grad=True)
    assert type(torch.cat([tracked, other]).grad_fn).__name__ == "CatBackward0"
    numbers = torch.tensor([1 + 2j])
    for _ in range(2):
        assert torch.cat([numbers, numbers]).tolist() == [1 + 2j] * 2
    assert torch.cat([numbers, numbers.conj()]).tolist() == [1 + 2j, 1 - 2j]
    assert torch.stack([numbers.to(torch.complex128), numbers]).dtype is torch.complex128


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x, y: torch.cat([x, y], 5), IndexError, "Dimension out of range"),
        (
            lambda x, y: torch.cat([x, y], out=torch.empty(0, dtype=torch.int8)),
            TypeError,
            "can't be cast to the desired output type Char",
        ),
        (lambda x, y: torch.cat([x, y]), RuntimeError, "got 2 and 1"),
        (lambda x, y: torch.stack([x, y]), RuntimeError, "expects each tensor to be equal size"),
    ],
)
def test_dimensions_are_checked_before_dtypes_and_these_before_shapes(
    call: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        call(torch.ones(2, 2), torch.ones(3))


def test_an_out_that_is_resized_gets_the_memory_format() -> None:
    image = torch.ones(1, 2, 2, 2).contiguous(memory_format=torch.channels_last)
    out = torch.empty(0)
    assert torch.cat([image, image], out=out).stride() == (8, 1, 4, 2)
    kept = torch.zeros(1, 4, 2, 2)
    assert torch.cat([image, image], 1, out=kept).stride() == (16, 4, 2, 1)


@pytest.mark.parametrize("name", [*FUNCTIONS])
def test_a_cached_join_is_one_of_dtypes_and_shapes(name: str) -> None:
    for dtypes in (("int16", "int16"), ("float32", "float32"), ("int16", "float32")) * 2:
        tensors = [torch.ones(2, 3, dtype=getattr(torch, dtype)) for dtype in dtypes]
        result = getattr(torch, name)(tensors)
        assert result.dtype is tensors[1].dtype
        assert result.tolist() == FUNCTIONS[name]([np.ones((2, 3))] * 2).tolist()


def test_a_stack_reads_the_sizes_of_its_resized_out_again() -> None:
    def stacked(count: int, *sizes: int) -> Any:
        out = torch.ones(sizes)
        others = [torch.ones(sizes) for _ in range(count - 1)]
        return torch.stack([out, *others], out=out)

    assert stacked(1, 0, 2).shape == (1, 0, 2)
    with pytest.raises(RuntimeError, match="got 3 and 2"):
        stacked(2, 0, 2)
    with (
        pytest.warns(UserWarning, match="was resized"),
        pytest.raises(RuntimeError, match=r"got \[2, 2, 2\] at entry 0"),
    ):
        stacked(2, 2, 2)
    with (
        pytest.warns(UserWarning, match="was resized"),
        pytest.raises(RuntimeError, match="a single memory location"),
    ):
        stacked(1, 2, 2)


def test_a_join_of_an_empty_out_overlaps_with_itself() -> None:
    empty, nothing = torch.ones(0, 2), torch.ones(0)
    with pytest.raises(RuntimeError, match="a single memory location"):
        torch.cat([empty, torch.ones(0, 2)], out=empty)
    assert torch.cat([nothing], out=nothing) is nothing
