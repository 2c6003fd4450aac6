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


def test_a_deprecated_overload_on_meta_warns_after_its_reference() -> None:
    words = [words_of(partial(x.add, 1, 0)) for x in (halves(2), halves(2, device="meta"))]
    assert words == [["This", "ComplexHalf", "ComplexHalf"], ["ComplexHalf", "This"]]


def test_a_copied_chain_on_meta_warns_after_its_reference() -> None:
    gaps = halves(2, 4, device="meta")[:, ::2]
    assert words_of(lambda: torch.chain_matmul(gaps)) == ["ComplexHalf", "torch.chain_matmul"]
    dense = halves(2, 4, device="meta")
    assert words_of(lambda: torch.chain_matmul(dense)) == ["torch.chain_matmul", "ComplexHalf"]


def test_mm_copies_matrices_with_gaps() -> None:
    gaps, dense = halves(2, 4)[:, ::2], halves(2, 2)
    pairs = (dense, dense), (gaps, dense), (gaps, gaps)
    assert [len(words_of(partial(torch.mm, *pair))) for pair in pairs] == [1, 2, 3]


def test_cat_on_meta_makes_several_tensors() -> None:
    x = halves(2, 3, device="meta")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parts, out = [x, x.real], torch.empty(0, dtype=x.dtype, device="meta")
        empty, own = halves(0, device="meta"), halves(2, 3)
    calls = (
        partial(torch.cat, [x, x]), partial(torch.cat, parts), partial(torch.cat, parts, out=out),
        partial(torch.cat, [empty]), partial(torch.stack, [x, x]), partial(torch.cat, parts, 5),
    )  # fmt: skip
    counts = []
    for call in calls:
        with contextlib.suppress(IndexError):
            counts.append(len(words_of(call)))
    assert counts == [2, 3, 3, 1, 2]

    def join() -> None:
        with pytest.raises(RuntimeError, match="cross-device"):
            torch.cat([own], out=out)

    assert words_of(join).count("ComplexHalf") == 3


def test_kthvalue_makes_its_values_before_it_looks_at_the_dimension() -> None:
    x = halves(3)

    def find() -> None:
        with pytest.raises(IndexError):
            x.kthvalue(1, 5)

    assert words_of(find) == ["ComplexHalf"]


def test_median_copies_only_lines_with_gaps() -> None:
    lines = halves(2, 2), halves(1, 3)
    assert [len(words_of(partial(torch.median, x, 0))) for x in lines] == [2, 1]


def test_to_sparse_makes_as_many_tensors_of_any_strides() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tensor = torch.arange(18).to(torch.complex32)
    views = tensor.view(3, 3, 2), tensor.view(3, 2, 3).transpose(1, 2)
    assert [len(words_of(partial(x.to_sparse, 2))) for x in views] == [3, 3]


def test_arrays_in_a_list_are_told_after_the_tensor() -> None:
    import numpy

    torch.set_default_dtype(torch.float16)
    try:
        words = words_of(lambda: torch.tensor([1j, numpy.array(2)]))
    finally:
        torch.set_default_dtype(torch.float32)
    assert words == ["ComplexHalf", "Creating"]


def test_a_refused_argument_on_meta_does_not_keep_the_warning() -> None:
    """The warning about a deprecated overload is shown by its own call, not by a later one."""
    x = torch.ones(2, device="meta")
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        with pytest.raises(OverflowError):
            torch.add(x, 2, 2**64)
        assert [str(warning.message)[:30] for warning in shown] == [
            "This overload of add is deprec"
        ]
        del shown[:]
        torch.sub(x, x)
        assert not shown


def test_items_of_a_tensor_among_numbers_do_not_warn_of_a_gradient() -> None:
    x = torch.ones(2, requires_grad=True)
    assert words_of(lambda: torch.tensor([[1.0, 1.0], x])) == []
    assert words_of(lambda: torch.tensor([1.0, x.sum()])) == ["Converting"]
