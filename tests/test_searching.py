"""kthvalue, median, nanmedian, mode, msort and topk by small examples."""

import math
import warnings
from typing import Any

import pytest

import impl as torch

nan = math.nan


def test_topk_returns_the_largest_or_smallest_elements() -> None:
    x = torch.tensor([[3, 1, 2], [0, 5, 4]])
    values, indices = torch.topk(x, 2)
    assert (values.tolist(), indices.tolist()) == ([[3, 2], [5, 4]], [[0, 2], [1, 2]])
    values, indices = x.topk(1, dim=0, largest=False)
    assert (values.tolist(), indices.tolist()) == ([[0, 1, 2]], [[1, 0, 0]])
    with pytest.raises(RuntimeError, match=r"^selected index k out of range$"):
        x.topk(4)
    with pytest.raises(RuntimeError, match=r"^topk does not support bool dtypes on CPU$"):
        x.bool().topk(1)


def test_results_are_named() -> None:
    x = torch.tensor([3.0, 1.0, 2.0])
    for name, arguments in (
        ("kthvalue", (2,)),
        ("median", (0,)),
        ("nanmedian", (0,)),
        ("mode", ()),
    ):
        result = getattr(torch, name)(x, *arguments)
        assert type(result) is getattr(torch.return_types, name)
        assert result.values is result[0]
        assert result.indices.dtype is torch.int64
    outs = torch.zeros(0), torch.zeros(0, dtype=torch.int64)
    result = torch.topk(x, 2, out=outs)
    assert type(result) is torch.return_types.topk_out
    assert result.values is outs[0]
    assert outs[1].tolist() == [0, 2]


def test_nan_is_the_largest_number() -> None:
    x = torch.tensor([nan, 1.0, math.inf])
    assert x.topk(2).indices.tolist() == [0, 2]
    assert x.kthvalue(2).values.item() == math.inf
    assert math.isnan(x.median())
    assert x.nanmedian() == 1
    assert x.nanmedian(0).indices == 1
    assert x.msort().tolist()[:2] == [1, math.inf]


def test_medians_are_the_lower_ones_of_elements_in_order() -> None:
    x = torch.tensor([4, 2, 2, 8])
    assert x.median() == 2
    assert torch.median(x, 0, keepdim=True).indices.tolist() == [2]


def test_mode_is_the_last_of_the_smallest_most_frequent_elements() -> None:
    values, indices = torch.tensor([[5, 3, 3, 5, 1]]).mode()
    assert (values.tolist(), indices.tolist()) == ([3], [2])


@pytest.mark.parametrize("size", [20, 200, 3000])
def test_equal_elements_are_in_the_order_of_the_algorithms(size: int) -> None:
    """The indices are those of other positions than with a stable order, but name the values."""
    x = torch.arange(size) % 7
    for k in (1, size // 100 + 1, size // 2, size):
        values, indices = x.topk(k)
        assert values.tolist() == sorted(x.tolist(), reverse=True)[:k]
        assert x[indices].tolist() == values.tolist()
        assert len(set(indices.tolist())) == k
        value, index = x.kthvalue(k)
        assert value == x[index] == sorted(x.tolist())[k - 1]


@pytest.mark.parametrize(
    ("call", "node"),
    [
        (lambda x: x.median(), "MedianBackward0"),
        (lambda x: x.median(0).values, "MedianBackward1"),
        (lambda x: x.nanmedian(0).values, "NanmedianBackward1"),
        (lambda x: x.mode().values, "ModeBackward0"),
        (lambda x: x.kthvalue(1).values, "KthvalueBackward0"),
        (lambda x: x.topk(1).values, "TopkBackward0"),
        (lambda x: x.msort(), "SortBackward0"),
    ],
)
def test_values_have_gradients(call: Any, node: str) -> None:
    result = call(torch.tensor([1.0, 2.0], requires_grad=True))
    assert result.requires_grad
    assert result.grad_fn.name() == node


def test_an_empty_tensor_has_a_median_but_no_median_along_an_empty_dimension() -> None:
    assert math.isnan(torch.zeros(0).median())
    assert torch.zeros(0, dtype=torch.int64).median() == torch.iinfo(torch.int64).min
    with pytest.raises(IndexError, match=r"median\(\): Expected reduction dim 0 to have non-zero"):
        torch.zeros(0, 3).median(0)


@pytest.mark.parametrize("name", ["median", "nanmedian", "kthvalue"])
def test_elements_that_cannot_be_copied_are_not_searched(name: str) -> None:
    tensor = torch.ones(2, 4, dtype=torch.uint8).view(torch.uint4)
    find = getattr(torch, name)
    with pytest.raises(NotImplementedError, match="\"copy_kernel\" not implemented for 'UInt4'"):
        find(tensor[:, ::2], 1)
    # kthvalue always copies, median only a tensor whose lines have gaps.
    kernel = "copy_kernel" if name == "kthvalue" else "median_out"
    with pytest.raises(NotImplementedError, match=f'"{kernel}" not implemented'):
        find(tensor, 1)


@pytest.mark.parametrize("name", ["median", "nanmedian", "kthvalue"])
def test_empty_results_warn_before_a_sparse_tensor_is_refused(name: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tensor = torch.sparse_coo_tensor([[0, 1]], [1.0, 2.0], (3,)).to(torch.complex32)
        torch.set_warn_always(True)
        del caught[:]
        try:
            with pytest.raises(NotImplementedError, match="SparseCPU"):
                getattr(torch, name)(tensor, 1)
        finally:
            torch.set_warn_always(False)
    assert ["ComplexHalf" in str(each.message) for each in caught] == [True, True]


@pytest.mark.parametrize(
    "call",
    [
        lambda x: torch.kthvalue(x, 1), lambda x: torch.topk(x, 1), torch.mode, torch.median,
        torch.nanmedian, lambda x: torch.cummax(x, 0), lambda x: torch.max(x, 0),
        lambda x: torch.aminmax(x, dim=0),
    ],
)  # fmt: skip
def test_a_number_is_copied_which_sub_byte_integers_are_not(call) -> None:
    call(torch.tensor(3, dtype=torch.uint8))
    number = torch.tensor(3, dtype=torch.uint8).view(torch.uint4)
    with pytest.raises(NotImplementedError, match="\"copy_kernel\" not implemented for 'UInt4'"):
        call(number)


def test_histograms_do_not_see_the_default_device() -> None:
    x = torch.arange(3.0)
    with torch.device("meta"):
        found = x.histc(3), *x.histogram(3)
    assert [each.device.type for each in found] == ["cpu"] * 3


def test_histogram_fills_the_counts_first() -> None:
    x = torch.ones(2, dtype=torch.uint8).view(torch.bits8)
    with pytest.raises(NotImplementedError, match="\"fill_out\" not implemented for 'Bits8'"):
        torch.histogram(x, x)


def test_sparse_quantiles_have_no_checked_range() -> None:
    x, q = torch.arange(3.0), torch.tensor([0.5]).to_sparse()
    with pytest.raises(RuntimeError, match="unsupported memory format option Contiguous"):
        x.quantile(q)
    with pytest.raises(NotImplementedError, match=r"aten::lt\.Scalar"):
        x.nanquantile(q)
    with pytest.raises(RuntimeError, match="expand is unsupported"):
        x[None].quantile(q, 0)


@pytest.mark.parametrize(
    ("values", "places"),
    [
        ([1, 2], [0, 4]),
        ([1, 2, 3, 0, 0], [0, 4, 4, 0, 0]),
        ([[2, 3], [0, 1]], [[4, 4], [0, 4]]),
        (3, 4),
    ],
)
def test_sorter_as_out_is_read_as_it_is_written(values: Any, places: Any) -> None:
    """A sorter that is out= too is read by its size before it is resized."""
    sorter = torch.tensor([3, 2, 1, 0])
    with pytest.warns(UserWarning, match="resized"):
        torch.searchsorted(torch.arange(4), torch.tensor(values), sorter=sorter, out=sorter)
    assert sorter.tolist() == places


@pytest.mark.parametrize("search", ["searchsorted(x, value, out=x)", "bucketize(value, x, out=x)"])
def test_boundaries_as_out_lose_their_dimension(search: str) -> None:
    """Boundaries that are out= too have no last size after the resize for a 0-dim value."""
    scope = {"torch": torch, "x": torch.arange(4), "value": torch.tensor(2)}
    with (
        pytest.warns(UserWarning, match="resized"),
        pytest.raises(RuntimeError, match=r"attempted to access back\(\) of empty list"),
    ):
        eval(f"torch.{search}", scope)
