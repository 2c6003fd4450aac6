"""Reductions: dtypes, shapes, values and messages of torch 2.13."""

import math
from typing import Any

import pytest

import impl as torch
from impl._kernels import reduction

X = [[1.0, 0.0, 3.0], [4.0, 1.0, 7.0]]


@pytest.fixture
def x():
    return torch.tensor(X)


def test_shapes_of_results():
    t = torch.zeros(2, 3, 4).permute(2, 0, 1)
    assert (t.sum(1).shape, t.sum(1).stride()) == ((4, 3), (3, 1))
    assert t.sum((0, -1), keepdim=True).shape == (1, 2, 1)
    assert t.sum(()).shape == t.sum(None).shape == ()
    assert t.all(()).shape == (4, 2, 3)  # here () means no dimensions


@pytest.mark.parametrize("name", ["bool", "uint8", "int8", "int16", "int32", "uint64"])
def test_integers_are_summed_as_int64(name):
    t = torch.tensor([1, 1, 1]).to(getattr(torch, name))
    for result in (t.sum(), t.sum(0), t.prod(), t.cumsum(0)):
        assert result.dtype is torch.int64
    assert t.sum().item() == 3


def test_sums_wrap_around():
    t = torch.tensor([2**63 - 1, 1])
    assert t.sum().item() == -(2**63) == t.sum(0).item()
    assert torch.tensor([300, 2]).sum(dtype=torch.uint8).item() == 46
    assert torch.tensor([100, 100], dtype=torch.int8).cumsum_(0).tolist() == [100, -56]


def test_elements_are_converted_before_they_are_summed():
    t = torch.tensor([2.7, 2.7])
    assert t.sum(dtype=torch.int32).item() == 4
    assert torch.sum(t, 0, out=torch.empty(0, dtype=torch.int32)).item() == 4
    assert torch.tensor([3, 3]).sum(dtype=torch.bool).item() is True


def test_no_sum_is_minus_zero():
    for result in (torch.tensor([-0.0]).sum(), torch.tensor([-0.0]).cumsum(0)[0]):
        assert math.copysign(1, result.item()) == 1


def test_small_and_large_sums_agree():
    large = torch.full((3, 2**17), 0.1)
    assert abs(large.sum().item() - 3 * 2**17 * 0.10000000149011612) < 0.01
    assert large.sum(1).tolist() == [large[0].sum().item()] * 3
    assert large.t().sum(0).tolist() == large.sum(1).tolist()
    assert torch.ones(2**19, dtype=torch.int32).sum().item() == 2**19
    assert torch.tensor([1e30, 1.0, -1e30]).sum().item() == 1.0  # summed exactly, then rounded


@pytest.mark.parametrize("size", [1_000, 100_000, 200_000])
def test_the_same_elements_add_up_to_the_same_each_time(size):
    x = torch.full((size,), 0.1, dtype=torch.float64)
    assert len({x.sum().item() for _ in range(50)}) == 1


def test_narrow_floats_are_summed_in_float32():
    t = torch.tensor([6e4, 6e4, -6e4], dtype=torch.float16)
    assert t.sum().item() == 6e4
    assert t.cumsum(0).tolist() == [6e4, math.inf, 6e4]
    assert torch.tensor([300, 300, 0.001], dtype=torch.float16).prod().item() == math.inf


def test_nan_and_infinity():
    t = torch.tensor([1.0, math.nan, 2.0])
    assert all(math.isnan(result.item()) for result in (t.sum(), t.max(), t.amin(0)))
    assert (t.nansum().item(), t.nanmean().item(), t.argmax().item()) == (3, 1.5, 1)
    assert t.nansum(dtype=torch.int32).item() == 3
    assert math.isnan(torch.tensor([math.inf, -math.inf]).sum().item())
    assert torch.tensor([math.inf], dtype=torch.float16).nansum(dtype=torch.int32).item() == 65504


def test_ties():
    t = torch.tensor([1, 3, 3, 1])
    assert t.max(0).indices.item() == t.argmax().item() == 1
    assert t.cummax(0).indices.tolist() == [0, 1, 2, 2]
    nan = torch.tensor([1, 3, 3, math.nan, 3, math.nan])
    assert nan.cummax(0).indices.tolist() == [0, 1, 2, 3, 3, 5]
    assert math.copysign(1, torch.tensor([0.0, -0.0]).amax().item()) == 1
    assert math.copysign(1, torch.tensor([0.0, -0.0]).max().item()) == -1


def test_truth():
    assert torch.tensor([2, 3], dtype=torch.uint8).all().dtype is torch.uint8
    assert torch.tensor([math.nan, 1.0]).all().item() is True
    # For an out= dtype other than bool, the elements are converted first.
    t = torch.tensor([256, 1])
    assert t.all().item() is True
    assert torch.all(t, out=torch.empty(0, dtype=torch.uint8)).item() == 0
    assert torch.tensor([[1, 0], [2, 3]]).count_nonzero(0).tolist() == [2, 1]


def test_what_nothing_gives():
    e = torch.empty(0, 3)
    assert (e.sum().item(), e.prod().item(), e.all().item(), e.any().item()) == (0, 1, True, False)
    assert e.prod(0).tolist() == [1, 1, 1]
    assert math.isnan(e.mean().item())
    assert e.max(1).values.shape == (0,)
    assert e.amax(1).shape == (0,)
    assert torch.max(e, out=torch.empty(0)).item() == -math.inf


@pytest.mark.filterwarnings("ignore:ComplexHalf")
@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        ("x.sum((0, -2))", RuntimeError, "dim 0 appears multiple times in the list of dims"),
        ("x.sum((0, 0, 5))", IndexError, "Dimension out of range (expected to be in range of"
         " [-2, 1], but got 5)"),
        ("x.sum(0, dtype=torch.complex32)", NotImplementedError,
         "\"sum_cpu\" not implemented for 'ComplexHalf'"),
        ("x.int().mean()", RuntimeError, "mean(): could not infer output dtype. Input dtype must be"
         " either a floating point or complex dtype. Got: Int"),
        ("torch.empty(0).max()", RuntimeError, "max(): Expected reduction dim to be specified for"
         " input.numel() == 0. Specify the reduction dim with the 'dim' argument."),
        ("torch.empty(0, 3).amax(-2)", IndexError,
         "amax(): Expected reduction dim -2 to have non-zero size."),
        ("x.bool().argmax()", RuntimeError, "argmax(): does not support bool input"),
        ("torch.sum(x, 0, dtype=torch.float64, out=x)", RuntimeError,
         "Expected out tensor to have dtype double, but got float instead"),
        ("torch.all(x, out=x)", RuntimeError,
         "all only supports bool tensor for result, got: Float"),
        ("x.cumsum_(0, dtype=torch.float64)", RuntimeError, "Bad in-place call: input tensor dtype"
         " float and output tensor dtype double should match"),
        ("torch.tensor(1).cummax(3)", IndexError,
         "cummax(): Expected reduction dim -1 or 0 for scalar but got 3"),
        ("x.clone().requires_grad_().sum(dtype=torch.int32)", RuntimeError,
         "Autograd not support dtype: Int"),
    ],
)  # fmt: skip
def test_refusals(x, call, error, message):
    with pytest.raises(error) as caught:
        eval(call, {"torch": torch, "x": x})
    assert str(caught.value) == message
    assert x.tolist() == X


def test_what_autograd_calls_them(x):
    g = x.requires_grad_()
    names = {
        g.sum(): "SumBackward0", g.sum(0): "SumBackward1", g.mean(0): "MeanBackward1",
        g.max(): "MaxBackward1", g.max(0).values: "MaxBackward0", g.amin(): "AminBackward0",
        g.nanmean(): "DivBackward0", g.cumsum(0): "CumsumBackward0", g.prod(0): "ProdBackward1",
        g.aminmax().min: "AminmaxBackward0", g.max(g): "MaximumBackward0",
    }  # fmt: skip
    assert [tensor.grad_fn.name() for tensor in names] == [*names.values()]
    assert g.max(0).indices.grad_fn is None
    assert g.argmax().requires_grad is False


def test_out_is_resized_with_a_warning(x):
    out = torch.empty(2, 2)
    with pytest.warns(UserWarning, match="An output with one or more elements was resized"):
        assert torch.sum(x, 0, out=out) is out
    assert out.tolist() == [5, 1, 10]


def test_named_tuples(x):
    result = x.max(0)
    assert repr(result) == (
        "torch.return_types.max(\nvalues=tensor([4., 1., 7.]),\nindices=tensor([1, 1, 1]))"
    )
    values, indices = result
    assert result.values is values is result[0]
    assert result.indices is indices
    assert type(result) is torch.return_types.max
    assert isinstance(result, tuple)
    assert torch.return_types.aminmax([1, 2]).max == 2
    for wrong, message in (
        (lambda: torch.return_types.max((1,)),
         "torch.return_types.max() takes a 2-sequence (1-sequence given)"),
        (lambda: torch.return_types.max(1), "constructor requires a sequence"),
        (lambda: type("A", (torch.return_types.max,), {}),
         "type 'torch.return_types.max' is not an acceptable base type"),
    ):  # fmt: skip
        with pytest.raises(TypeError) as caught:
            wrong()
        assert str(caught.value) == message
    with pytest.raises(AttributeError, match="readonly attribute"):
        result.values = 1


def test_axes_and_runs():
    assert reduction.reduced_axes((), 2) == (0, 1) == reduction.reduced_axes((-1, 0), 2)
    assert reduction.reduced_axes((0,), 0) == ()
    assert reduction.coalesced_dims((3, 2, 2), (3, 1, 2), (0, 1)) == 2
    assert reduction.coalesced_dims((3, 1, 2), (2, 9, 1), (0, 1, 2)) == 1


def test_what_is_kept_of_one_call_is_right_for_the_next():
    a, b = torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0, 4.0]])
    for call in ("sum", "prod", "mean", "amax", "argmax", "any", "cumsum", "count_nonzero"):
        first, second = (getattr(tensor, call)(1).tolist() for tensor in (a, b))
        assert first != second or call in ("argmax", "any", "count_nonzero")
        assert getattr(a, call)(1).tolist() == first
    b.requires_grad_()
    assert b.sum(1).grad_fn is not None


def test_a_tensor_may_be_resized_for_its_own_extremes() -> None:
    x = torch.tensor([[[0.0, 1.0, 2.0]], [[3.0, 4.0, 5.0]]])
    indices = torch.zeros(0, dtype=torch.int64)
    with pytest.warns(UserWarning, match="was resized"):
        torch.max(x, 1, out=(x, indices))
    assert (x.tolist(), indices.tolist()) == ([2, 3], [2, 2])
    x = torch.tensor([[True, False], [True, True]])
    with pytest.warns(UserWarning, match="was resized"):
        assert torch.all(x, 0, out=x).tolist() == [True, True]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_cumulative_extremes_are_written_before_the_next_element_is_read(dtype: Any) -> None:
    x = torch.tensor([1, -2, 0, 3], dtype=dtype).as_strided((2, 3), (0, 1))
    values, indices = torch.cummax(x, 1, out=(x, torch.empty(0, dtype=torch.int64)))
    assert (values.tolist(), indices.tolist()) == ([[1.0] * 3] * 2, [[0, 0, 0], [0, 1, 2]])
    x = torch.tensor([3, 1, 2, 0], dtype=dtype)
    out = x[1:3]
    torch.cummin(x[:2], 0, out=(out, torch.empty(0, dtype=torch.int64)))
    assert x.tolist() == [3.0, 3.0, 3.0, 0.0]


def test_integers_are_summed_in_the_memory_of_their_result() -> None:
    x = torch.tensor([1, 2, 3, 4])
    assert torch.sum(x, 0, out=x[1]).item() == (0 + 1) * 2 + 3 + 4  # x[1] is 1 when it is added
    twice = torch.zeros(3, dtype=torch.int64)
    torch.sum(torch.ones(2, 2, 2, dtype=torch.int64), 0, out=twice.as_strided((2, 2), (1, 1)))
    assert twice.tolist() == [2, 4, 2]
