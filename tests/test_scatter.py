"""scatter, scatter_add, scatter_reduce and index_reduce beside loops of Python."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import impl as torch

pytestmark = pytest.mark.filterwarnings(
    "ignore:The reduce argument", "ignore:index_reduce", "ignore:An output with one or more"
)
SHAPES = st.lists(st.integers(1, 4), min_size=1, max_size=3).map(tuple)
COMBINE: dict[str, Any] = {
    "src": lambda own, new: new,
    "add": lambda own, new: own + new,
    "sum": lambda own, new: own + new,
    "multiply": lambda own, new: own * new,
    "prod": lambda own, new: own * new,
    "amax": max,
    "amin": min,
}
START = {"sum": 0, "prod": 1, "amax": -math.inf, "amin": math.inf}


def numbers(shape: tuple[int, ...], start: int = 1) -> Any:
    """Return a tensor of integers as float64, whose dimensions lie in reverse order in memory."""
    count = int(np.prod(shape))
    values = [(start + 7 * index) % 11 for index in range(count)]
    rank = len(shape)
    tensor = torch.tensor(values, dtype=torch.float64).view(shape[::-1])
    return tensor.permute([*range(rank - 1, -1, -1)])


@st.composite
def calls(draw: st.DrawFn) -> tuple[Any, int, Any, Any]:
    """Return a tensor, a dimension, an index that fits, and a source that is no smaller."""
    shape = draw(SHAPES)
    dim = draw(st.integers(0, len(shape) - 1))
    sizes = [draw(st.integers(1, size)) for size in shape]
    sizes[dim] = draw(st.integers(1, 6))
    count = math.prod(sizes)
    indices = draw(st.lists(st.integers(0, shape[dim] - 1), min_size=count, max_size=count))
    dtype = draw(st.sampled_from([torch.int64, torch.int32]))
    larger = tuple(size + draw(st.integers(0, 1)) for size in sizes)
    return numbers(shape), dim, torch.tensor(indices, dtype=dtype).view(sizes), numbers(larger, 3)


def looped(call: tuple[Any, int, Any, Any], name: str, *, include_self: bool = True) -> Any:
    """Return the wanted elements."""
    tensor, dim, index, source = call
    wanted, indices, values = tensor.numpy().copy(), index.numpy(), source.numpy()
    seen: set[Any] = set()
    for place in np.ndindex(indices.shape):
        at = (*place[:dim], int(indices[place]), *place[dim + 1 :])
        own = START[name] if at not in seen and not include_self else wanted[at]
        wanted[at] = COMBINE[name](own, values[place])
        seen.add(at)
    return wanted.tolist()


@given(calls())
def test_scatter(call: tuple[Any, int, Any, Any]) -> None:
    tensor, dim, index, source = call
    wanted = looped(call, "src")
    result = torch.scatter(tensor, dim, index, source)
    assert result.tolist() == wanted
    assert result.is_contiguous()
    out = torch.zeros(1, dtype=torch.float64)
    assert torch.scatter(tensor, dim - tensor.dim(), index, source, out=out) is out
    assert out.tolist() == wanted
    assert tensor.scatter_(dim, index, source) is tensor
    assert tensor.tolist() == wanted


@given(calls(), st.sampled_from([2, -1.5, True]), st.sampled_from(["src", "add", "multiply"]))
def test_numbers(call: tuple[Any, int, Any, Any], number: Any, reduce: str) -> None:
    tensor, dim, index, source = call
    wanted = looped((tensor, dim, index, torch.full_like(source, number)), reduce)
    keywords = {} if reduce == "src" else {"reduce": reduce}
    assert tensor.scatter(dim, index, number, **keywords).tolist() == wanted


@given(calls(), st.sampled_from([*START]), st.booleans())
def test_reductions(call: tuple[Any, int, Any, Any], reduce: str, include_self: bool) -> None:
    tensor, dim, index, source = call
    wanted = looped(call, reduce, include_self=include_self)
    result = tensor.scatter_reduce(dim, index, source, reduce, include_self=include_self)
    assert result.tolist() == wanted
    if reduce == "sum" and include_self:
        assert tensor.scatter_add(dim, index, source).tolist() == wanted


@given(calls(), st.booleans())
def test_means(call: tuple[Any, int, Any, Any], include_self: bool) -> None:
    tensor, dim, index, source = call
    sums = looped(call, "sum", include_self=include_self)
    ones = torch.ones_like(tensor) if include_self else torch.zeros_like(tensor)
    counts = ones.scatter_add(dim, index, torch.ones_like(source)).clamp(min=1)
    result = tensor.scatter_reduce(dim, index, source, "mean", include_self=include_self)
    assert result.tolist() == (torch.tensor(sums, dtype=torch.float64) / counts).tolist()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("reduce", ["sum", "prod", "mean", "amax", "amin"])
@pytest.mark.parametrize("include_self", [False, True])
def test_an_expanded_index_stands_for_rows(dtype: Any, reduce: str, include_self: bool) -> None:
    tensor = (torch.arange(60.0).view(3, 20) % 7).to(dtype)
    source = (torch.arange(80.0).view(4, 20) % 5 + 1).to(dtype)
    index = torch.tensor([2, 0, 2, 2]).view(4, 1).expand(4, 20)
    results = [
        tensor.scatter_reduce(0, each, source, reduce, include_self=include_self)
        for each in (index, index.contiguous())
    ]
    assert results[0].tolist() == results[1].tolist()
    assert results[0][1].tolist() == tensor[1].tolist()


@given(calls(), st.sampled_from(["prod", "amax", "amin"]), st.booleans())
def test_index_reduce(call: tuple[Any, int, Any, Any], reduce: str, include_self: bool) -> None:
    tensor, dim, index, _ = call
    index = index.reshape(-1)[:4]
    shape = [*tensor.shape]
    shape[dim] = len(index)
    source = numbers(tuple(shape), 2)
    sizes = [1] * tensor.dim()
    sizes[dim] = -1
    each = index.view(sizes).expand(shape)
    wanted = tensor.scatter_reduce(dim, each, source, reduce, include_self=include_self)
    result = tensor.index_reduce(dim, index, source, reduce, include_self=include_self)
    assert result.tolist() == wanted.tolist()
    assert tensor.index_reduce_(dim, index, source, reduce, include_self=include_self) is tensor
    assert tensor.tolist() == wanted.tolist()


def test_integers_are_rounded_down() -> None:
    tensor, index = torch.tensor([-7, 5]), torch.tensor([0, 0])
    source = torch.tensor([1, 2])
    assert tensor.scatter_reduce(0, index, source, "mean").tolist() == [-2, 5]
    assert tensor.index_reduce(0, index, source, "mean").tolist() == [-2, 5]


@pytest.mark.parametrize(
    ("own", "new", "wanted"),
    [(0.0, -0.0, 1), (-0.0, 0.0, -1), (math.nan, 1.0, 0), (1.0, math.nan, 0)],
)
def test_extremes_of_zeros_and_nan(own: float, new: float, wanted: int) -> None:
    """The first of two equal zeros is kept, and NaN wins."""
    tensor, source = torch.tensor([own]), torch.tensor([new])
    (result,) = tensor.scatter_reduce(0, torch.tensor([0]), source, "amax").tolist()
    assert math.isnan(result) if not wanted else math.copysign(1, result) == wanted


def test_elements_before_an_index_out_of_bounds_are_written() -> None:
    tensor = torch.zeros(3)
    with pytest.raises(RuntimeError, match="index 3 is out of bounds for dimension 0 with size 3"):
        tensor.scatter_(0, torch.tensor([1, 3, 2]), torch.ones(3))
    assert tensor.tolist() == [0, 1, 0]
    tensor = torch.zeros(3, dtype=torch.float16)  # of which torch writes a copy
    with pytest.raises(RuntimeError, match="index -1 is out of bounds"):
        tensor.scatter_add_(0, torch.tensor([1, -1]), torch.ones(2, dtype=torch.float16))
    assert tensor.tolist() == [0, 0, 0]


@pytest.mark.parametrize("shape", [(3,), (3, 2)])
@pytest.mark.parametrize("reduce", ["prod", "mean", "amax", "amin"])
def test_rows_before_an_index_out_of_bounds_are_combined(
    shape: tuple[int, ...], reduce: str
) -> None:
    tensor, source = torch.ones(shape), torch.full((3, *shape[1:]), -2.0)
    with pytest.raises(IndexError, match="index out of range in self"):
        tensor.index_reduce_(0, torch.tensor([1, 3, 2]), source, reduce)
    wanted = {"prod": -2, "mean": -1, "amax": 1, "amin": -2}[reduce]
    assert tensor.reshape(3, -1)[:, 0].tolist() == [1, wanted, 1]


def test_float8_has_no_product_with_a_number() -> None:
    tensor, source = (torch.full((count, 1), 2.0).to(torch.float8_e5m2) for count in (3, 2))
    with pytest.raises(NotImplementedError, match="mul_cpu_reduced_float"):
        tensor.index_reduce_(0, torch.tensor([1, 0]), source, "prod")
    assert tensor.float().tolist() == [[2.0]] * 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x, i, s: x.scatter(0, i.to(torch.int16), s), "Expected dtype int32/int64"),
        (lambda x, i, s: x.scatter(0, i, s.double()), "Expected self.dtype to be equal to src"),
        (lambda x, i, s: x.scatter(0, i[0], s), "same number of dimensions as self tensor"),
        (lambda x, i, s: x.scatter(0, i, s[:, :1]), "to be no larger size than src"),
        (lambda x, i, s: x.scatter(0, i, s, reduce="sum"), "must be either add or multiply"),
        (lambda x, i, s: x.scatter_reduce(0, i, s, "add"), "amax or amin, got add"),
        (lambda x, i, s: x.index_reduce(0, i[0], s, "sum"), "one of prod, mean, amax or amin"),
        (lambda x, i, s: x.scatter_(0, i, x), "refer to a single memory location"),
    ],
)
def test_refusals(call: Any, message: str) -> None:
    tensor = torch.zeros(2, 2)
    with pytest.raises(RuntimeError, match=message):
        call(tensor, torch.tensor([[0, 1]]), torch.ones(1, 2))
    assert tensor.tolist() == [[0, 0], [0, 0]]


def test_grad_fns() -> None:
    tensor = torch.zeros(2, requires_grad=True)
    index, source = torch.tensor([0]), torch.ones(1)
    names = [
        type(result.grad_fn).__name__
        for result in (
            tensor.scatter(0, index, source),
            tensor.scatter(0, index, 1),
            tensor.scatter(0, index, 1, reduce="add"),
            tensor.scatter_add(0, index, source),
            tensor.scatter_reduce(0, index, source, "amin"),
        )
    ]
    assert names == [
        "ScatterBackward0",
        "ScatterBackward1",
        "NotImplemented",
        "ScatterAddBackward0",
        "ScatterReduceBackward0",
    ]
