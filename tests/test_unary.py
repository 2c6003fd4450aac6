"""Unary operators: forms, dtypes, strides and messages of torch 2.13."""

import math
import warnings
from typing import Any

import pytest

import impl as torch

NAN, INF = math.nan, math.inf


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("neg", [1, -128], [-1, -128]),
        ("abs", [-3, -128], [3, -128]),
        ("sign", [-3, 0], [-1, 0]),
        ("floor", [-3, 5], [-3, 5]),
        ("square", [-3, 100], [9, 16]),
        ("relu", [-3, 5], [0, 5]),
        ("bitwise_not", [0, 5], [-1, -6]),
        ("logical_not", [0, 5], [True, False]),
        ("signbit", [-3, 5], [True, False]),
        ("nan_to_num", [-3, 5], [-3, 5]),
    ],
)
def test_integers_stay_what_they_are(name: str, values: list[int], expected: list[Any]) -> None:
    x = torch.tensor(values, dtype=torch.int8)
    assert getattr(torch, name)(x).tolist() == getattr(x, name)().tolist() == expected


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("sign", [NAN, -0.0, -2.0], [0.0, 0.0, -1.0]),
        ("relu", [-1.0, -0.0, INF], [0.0, -0.0, INF]),
        ("frac", [1.5, -1.5, 2.0], [0.5, -0.5, 0.0]),
        ("round", [0.5, 1.5, -2.5], [0.0, 2.0, -2.0]),
        ("rsqrt", [0.0, 4.0, INF], [INF, 0.5, 0.0]),
        ("reciprocal", [0.0, -0.0, INF], [INF, -INF, 0.0]),
        ("exp", [-INF, 0.0, INF], [0.0, 1.0, INF]),
        ("angle", [-2.0, 0.0, -0.0], [math.pi, 0.0, 0.0]),
        ("sinc", [0.0, 0.5, -0.5], [1.0, 2 / math.pi, 2 / math.pi]),
        ("lgamma", [0.0, -INF, 3.0], [INF, INF, math.log(2)]),
        ("digamma", [0.0, -0.0, INF], [-INF, INF, INF]),
        ("erfinv", [1.0, -1.0, 0.0], [INF, -INF, 0.0]),
        ("erfc", [30.0, -INF, 0.0], [0.0, 2.0, 1.0]),
        ("nan_to_num", [NAN, INF, -INF], [0.0, 1.7976931348623157e308, -1.7976931348623157e308]),
    ],
)
def test_special_values(name: str, values: list[float], expected: list[float]) -> None:
    result = getattr(torch.tensor(values, dtype=torch.float64), name)().tolist()
    assert [(number, math.copysign(1, number)) for number in result] == [
        (number, math.copysign(1, number)) for number in expected
    ]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("name", "sign"), [("asin", -1), ("acos", -1), ("log", 1), ("log10", 1)])
def test_signs_of_nans_are_those_of_torch_on_every_processor(
    name: str, sign: int, dtype: str
) -> None:
    """NumPy's depend on its vector width."""
    result = getattr(torch.tensor([-2.0] * 9, dtype=getattr(torch, dtype)), name)().tolist()
    assert {math.copysign(1, number) for number in result} == {sign}


@pytest.mark.parametrize("name", ["exp", "asin", "erf", "i0", "angle", "deg2rad", "logit"])
def test_integers_become_the_default_dtype(name: str) -> None:
    assert getattr(torch, name)(torch.tensor([0, 1])).dtype is torch.float32
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output"):
        getattr(torch, name)(torch.tensor([0, 1]), out=torch.empty(2, dtype=torch.int64))


def test_real_results_of_complex_operands() -> None:
    x = torch.tensor([[3 + 4j, -1 + 0j]], dtype=torch.complex64).t()
    assert x.abs().tolist() == [[5.0], [1.0]]
    assert torch.angle(x)[1].tolist() == [pytest.approx(math.pi)]
    assert torch.abs(x, out=torch.empty(0, dtype=torch.complex64)).tolist() == [[5 + 0j], [1 + 0j]]
    with pytest.raises(RuntimeError, match=r"In-place abs is not supported for complex tensors\."):
        x.abs_()
    with pytest.raises(RuntimeError, match=r"result type Float can't be cast .* type Int"):
        torch.abs(x, out=torch.empty(0, dtype=torch.int32))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        ("torch.neg(b)", RuntimeError,
         "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to "
         "invert a mask, use the `~` or `logical_not()` operator instead."),
        ("+b", RuntimeError, "The `+` operator, on a bool tensor is not supported."),
        ("~f", TypeError,
         "~ (operator.invert) is only implemented on integer and Boolean-type tensors"),
        ("abs(b)", NotImplementedError, "\"abs_cpu\" not implemented for 'Bool'"),
        ("torch.sqrt(e)", NotImplementedError,
         "\"sqrt_vml_cpu\" not implemented for 'Float8_e5m2'"),
        ("torch.sigmoid(e)", NotImplementedError,
         "\"sigmoid_cpu_reduced_float\" not implemented for 'Float8_e5m2'"),
        ("torch.exp(h)", NotImplementedError, "\"exp_vml_cpu\" not implemented for 'ComplexHalf'"),
        ("torch.floor(h)", NotImplementedError, "floor is not supported for complex inputs"),
        ("torch.sign(h)", NotImplementedError,
         "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use "
         "torch.sgn instead."),
        ("torch.relu(h)", NotImplementedError, "clamp is not supported for complex types"),
        ("torch.relu(b)", RuntimeError, "Boolean inputs not supported for relu"),
        ("torch.erf(c)", NotImplementedError, "\"erf_vml_cpu\" not implemented for 'ComplexFloat'"),
        ("torch.deg2rad(c)", RuntimeError, "deg2rad is not supported for complex tensors."),
        ("torch.isposinf(c)", RuntimeError, "isposinf does not support complex inputs."),
        ("torch.signbit(f, out=f)", RuntimeError, "signbit does not support non-boolean outputs."),
        ("torch.neg(f, out=b)", RuntimeError, "Found dtype Bool but expected Float"),
        ("torch.nan_to_num(f, out=b)", RuntimeError,
         "nan_to_num: dtype of out: Bool should be same as input: Float"),
        ("torch.logical_not(f, out=e)", NotImplementedError,
         "\"logical_not_cpu\" not implemented for 'Float8_e5m2'"),
        ("torch.round(i, decimals=1)", NotImplementedError,
         "\"round_cpu\" not implemented for 'Long'"),
        ("torch.round(i, decimals=0)", NotImplementedError,
         "\"round_vml_cpu\" not implemented for 'Long'"),
        ("i.exp_()", RuntimeError,
         "result type Float can't be cast to the desired output type Long"),
        ("f.exp(1)", TypeError, "TensorBase.exp() takes no arguments (1 given)"),
        ("torch.Tensor.exp(1)", TypeError,
         "descriptor 'exp' for 'torch._C.TensorBase' objects doesn't apply to a 'int' object"),
        ("torch.Tensor.exp()", TypeError, "unbound method TensorBase.exp() needs an argument"),
        ("torch.isnan(f, out=b)", TypeError, "isnan() got an unexpected keyword argument 'out'"),
        ("torch.exp(g, out=f)", RuntimeError,
         "exp(): functions with out=... arguments don't support automatic differentiation, but "
         "one of the arguments requires grad."),
        ("g.exp_()", RuntimeError,
         "a leaf Variable that requires grad is being used in an in-place operation."),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:ComplexHalf")
def test_refusals(call: str, error: type[Exception], message: str) -> None:
    names = {
        "torch": torch,
        "b": torch.tensor([True, False]),
        "i": torch.tensor([1, 2]),
        "f": torch.tensor([0.0, 1.0]),
        "e": torch.tensor([0.0, 1.0]).to(torch.float8_e5m2),
        "c": torch.tensor([0j, 1j]),
        "h": torch.tensor([0j, 1j]).to(torch.complex32),
        "g": torch.tensor([0.0, 1.0], requires_grad=True),
    }
    with pytest.raises(error) as caught:
        eval(call, names)
    assert type(caught.value) is error
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("call", "node"),
    [
        ("x.neg()", "NegBackward0"),
        ("torch.square(x)", "PowBackward0"),
        ("x.log1p()", "Log1PBackward0"),
        ("torch.asinh(x)", "AsinhBackward0"),
        ("(x * 1).asinh_()", "AsinhBackward1"),
        ("x.rad2deg()", "Rad2DegBackward0"),
        ("x.round(decimals=0)", "RoundBackward1"),
        ("(x * 1).logical_not_()", "MulBackward0"),
        ("1 / x", "MulBackward0"),
    ],
)
def test_what_autograd_calls_them(call: str, node: str) -> None:
    x = torch.tensor([0.5, 1.0], requires_grad=True)
    assert type(eval(call, {"torch": torch, "x": x}).grad_fn).__name__ == node


def test_leaves_can_be_negated_logically() -> None:
    x = torch.tensor([0.0, 2.0], requires_grad=True)
    assert x.logical_not_().tolist() == [1.0, 0.0]
    assert torch.isnan(x).requires_grad is False


@pytest.mark.parametrize(
    ("name", "stride"),
    [
        ("neg", (3, 3, 1)), ("exp", (3, 3, 1)), ("isnan", (3, 3, 1)), ("isfinite", (3, 3, 1)),
        ("isreal", (3, 5, 1)), ("nan_to_num", (3, 5, 1)), ("deg2rad", (3, 5, 1)),
    ],
)  # fmt: skip
def test_strides_of_a_result(name: str, stride: tuple[int, ...]) -> None:
    x = torch.zeros(20).as_strided((2, 1, 3), (3, 5, 1))
    assert getattr(torch, name)(x).stride() == stride


@pytest.mark.parametrize(
    ("name", "stride"),
    [("abs", (3, 5, 1)), ("angle", (3, 3, 1)), ("isinf", (3, 6, 1)), ("isreal", (3, 6, 1))],
)
def test_strides_of_a_result_of_complex_numbers(name: str, stride: tuple[int, ...]) -> None:
    x = torch.zeros(20, dtype=torch.complex64).as_strided((2, 1, 3), (3, 5, 1))
    assert getattr(torch, name)(x).stride() == stride


def test_out_is_converted_resized_and_warned_of() -> None:
    out = torch.empty(2, dtype=torch.float64)
    with pytest.warns(UserWarning, match="was resized since it had shape") as caught:
        assert torch.exp(torch.zeros(3), out=out) is out
    assert out.tolist() == [1.0, 1.0, 1.0]
    assert len(caught) == 2  # torch resizes what it converts, too
    with pytest.warns(UserWarning, match="was resized since it had shape") as caught:
        torch.neg(torch.zeros(3), out=torch.empty(2))
    assert len(caught) == 1


def test_numbers_beside_the_tensor() -> None:
    x = torch.tensor([0.123, -1.555, INF, NAN], dtype=torch.float64)
    assert x.round(decimals=1).tolist()[:2] == [0.1, -1.6]
    assert torch.tensor([155.0]).round(decimals=-1).tolist() == [160.0]
    assert torch.nan_to_num(x, 1, 2, 3).tolist()[2:] == [2.0, 1.0]
    assert torch.tensor([INF], dtype=torch.float16).nan_to_num().item() == 65504.0
    assert torch.logit(torch.tensor([0.0, 0.5, 1.0]), 0.5).tolist() == [0.0, 0.0, 0.0]
    assert torch.logit(torch.tensor([0.0, 1.0])).tolist() == [-INF, INF]


def test_short_way_gives_what_the_long_one_does() -> None:
    for x in (torch.tensor([[1.5, -2.0], [0.0, 4.0]]), torch.tensor([[1.5, -2.0], [0.0, 4.0]]).t()):
        first = [x.exp(), x.neg(), x.isnan(), x.round()]
        again = [x.exp(), x.neg(), x.isnan(), x.round()]
        for left, right in zip(first, again, strict=True):
            assert (left.tolist(), left.stride(), left.dtype) == (
                right.tolist(), right.stride(), right.dtype,
            )  # fmt: skip
        assert x.clone().neg_().neg_().neg_().tolist() == x.neg().tolist()


def test_positive_and_division_of_a_number() -> None:
    x = torch.tensor([2, 4])
    assert +x is x
    assert (1 / x).tolist() == [0.5, 0.25]
    assert x.__rtruediv__() is NotImplemented
    with pytest.raises(TypeError, match="unsupported operand type"):
        "a" / x


def test_complex_halves_warn_each_time():
    torch.set_warn_always(True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        x = torch.ones(3).to(torch.complex32)
        for _ in range(3):
            x.neg()
            x.mul(x)
    torch.set_warn_always(False)
    assert len(caught) == 7


def test_nan_to_num_of_any_truth_is_one():
    x = torch.frombuffer(bytearray(b"\x02\x01\x00"), dtype=torch.bool)
    assert x.nan_to_num().view(torch.uint8).tolist() == [1, 1, 0]


@pytest.mark.parametrize("function", [torch.erf, torch.erfc])
def test_few_elements_have_the_results_of_many(function):
    x = torch.linspace(-7, 30, 4001, dtype=torch.float64)
    many = function(x)
    few = torch.cat([function(part) for part in x.split(100)])
    assert ((many - few).abs() <= 4e-16 * few.abs()).all()
    singles = x.float()
    assert function(singles)[:50].equal(function(singles[:50]))
    special = torch.tensor([math.nan, math.inf, -math.inf, -0.0])
    assert repr(function(special)) == repr(function(special.repeat(100))[:4])
