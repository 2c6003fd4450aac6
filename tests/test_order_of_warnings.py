"""How many warnings calls issue, and in which order."""

import contextlib
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

import impl as torch


@pytest.fixture(autouse=True)
def _warn_always() -> Iterator[None]:
    torch.set_warn_always(True)
    yield
    torch.set_warn_always(False)


def words_of(call: Callable[[], Any]) -> list[str]:
    """Return the first word of each warning of a call, whether it raises or not."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with contextlib.suppress(NotImplementedError):
            call()
    return [str(each.message).split()[0] for each in caught]


def halves(*shape: int, device: str = "cpu") -> Any:
    """Return a tensor of complex32, of which torch warns for each tensor that it makes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.zeros(shape).to(torch.complex32).to(device)


def test_view_copy_makes_one_tensor() -> None:
    tensor = halves(2, 3).t()
    assert words_of(lambda: torch.view_copy(tensor, (6,))) == ["ComplexHalf"]
    assert words_of(lambda: torch.view_copy(tensor, (3, 2))) == ["ComplexHalf"]


def test_narrow_copy_makes_a_contiguous_tensor_and_a_result() -> None:
    for tensor, count in ((halves(2, 3), 1), (halves(2, 3).t(), 2)):
        assert words_of(partial(tensor.narrow_copy, 0, 0, 1)) == ["ComplexHalf"] * count


def test_only_unfold_copy_makes_a_tensor_beside_out_on_meta() -> None:
    tensor, out = halves(2, 3, device="meta"), halves(0, device="meta")
    assert words_of(lambda: torch.unfold_copy(tensor, 1, 1, 1, out=out)) == ["ComplexHalf"]
    assert words_of(lambda: torch.t_copy(tensor, out=halves(0, device="meta"))) == []


def test_warnings_of_references_come_first() -> None:
    tensor = halves(2, 3, device="meta")
    assert words_of(lambda: torch.cross(tensor, tensor)) == ["ComplexHalf", "Using"]
    vector = torch.zeros(3)
    assert words_of(lambda: torch.cross(vector, vector)) == ["Using"]


def test_a_copy_in_shared_memory_warns_once() -> None:
    memory = torch.arange(24).to(torch.complex64)
    tensor, number = memory[3:9].view(2, 3), memory[5]
    assert words_of(lambda: setattr(tensor, "imag", number)) == ["Casting"]


def test_integrals_multiply_the_ends_before_they_sum() -> None:
    assert words_of(lambda: torch.trapezoid(halves(2, 3))) == ["ComplexHalf"] * 4


def test_powers_are_made_of_five_tensors_on_meta() -> None:
    vector = halves(2, device="meta")
    assert words_of(lambda: torch.vander(vector)) == ["ComplexHalf"] * 5
