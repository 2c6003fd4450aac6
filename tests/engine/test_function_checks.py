"""The calls with which the rules of functions are checked."""

import ast

import pytest

import impl
from conformance.engine.function_checks import FACTORY_CALLS, FUNCTION_CALLS, JOIN_CALLS
from conformance.engine.rule_checks import OF_DTYPES
from conformance.rules.calls import read_call
from conformance.rules.functions import FUNCTIONS, FunctionCall, function_result
from conformance.rules.operands import Operand


def read(text):
    return read_call(ast.parse(text, mode="eval").body)


def test_every_function_is_called():
    calls = (*FUNCTION_CALLS, *JOIN_CALLS, *FACTORY_CALLS)
    assert {read(call).name for call in calls} == set(FUNCTIONS)


def is_compared(call, x, number):
    """Return whether a call has a result, or an error that the rules have to predict."""
    condition = impl.ones(1, 1, dtype=impl.bool)
    scope = {"torch": impl, "x": x, "y": x, "condition": condition, "number": number}
    try:
        return isinstance(eval(call, scope), impl.Tensor)
    except (RuntimeError, TypeError) as error:
        return OF_DTYPES.search(str(error)) is not None


@pytest.mark.filterwarnings("ignore")
def test_every_call_is_compared_for_some_dtype():
    calls = [*FUNCTION_CALLS, *JOIN_CALLS, *FACTORY_CALLS]
    examples = [
        (impl.ones(1, 1, dtype=dtype), number)
        for dtype in (impl.bool, impl.int64, impl.float32, impl.complex64)
        for number in (1, 1.5, 1j)
    ]
    assert [
        call for call in calls if not any(is_compared(call, *example) for example in examples)
    ] == []
    lacking = [x for x in FUNCTIONS if not hasattr(impl, x) and not hasattr(impl.Tensor, x)]
    assert lacking == []


@pytest.mark.parametrize(
    ("text", "name", "operands", "dtype"),
    [
        ("x.sum()", "sum", ["x"], None),
        ("torch.sum(x, 0)", "sum", ["x"], None),
        ("x.sum(dtype=None)", "sum", ["x"], None),
        ("x.sum(0, dtype=d)", "sum", ["x"], "d"),
        ("x[0][1:]", "select", ["x[0]"], None),
        ("torch.cat([x, y], 1)", "cat", ["x", "y"], None),
        ("torch.cat((x,))", "cat", ["x"], None),
        ("torch.where(c, x, 1)", "where", ["c", "x", "1"], None),
        ("x.where(c, y)", "where", ["c", "x", "y"], None),
        ("torch.tensor([[1, 2], [a]])", "tensor", ["1", "2", "a"], None),
        ("torch.tensor(data=1)", "tensor", ["1"], None),
        ("torch.full((2, 3), 1, dtype=d)", "full", ["1"], "d"),
        ("torch.full((2, 3), fill_value=1)", "full", ["1"], None),
        ("torch.arange(1, end=2, step=s)", "arange", ["1", "2", "s"], None),
        ("torch.linspace(0, 1, 5)", "linspace", ["0", "1"], None),
        ("torch.zeros(2, 3)", "zeros", [], None),
    ],
)
def test_a_call_is_read(text, name, operands, dtype):
    call = read(text)
    assert call.name == name
    assert [ast.unparse(operand) for operand in call.operands] == operands
    assert (call.dtype and ast.unparse(call.dtype)) == dtype


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "f(x)",
        "x.sort()",
        "torch.sum()",
        "torch.sum(*x)",
        "x.sum(**k)",
        "torch.sum(x, out=y)",
        "torch.max(x, y)",
        "x.max(0)",
        "torch.cat(tensors)",
        "torch.where(c)",
        "x.zeros(2)",
        "torch.tensor([])",
        "torch.arange()",
        "x.to_dense(torch.int8)",
    ],
)
def test_what_no_rule_covers(text):
    assert read(text) is None


@pytest.mark.parametrize(
    ("name", "dtype", "given", "result"),
    [
        ("sum", "bool", None, "int64"),
        ("sum", "float16", None, "float16"),
        ("sum", "int8", "int8", "int8"),
        ("mean", "int8", None, None),
        ("mean", "int8", "float64", "float64"),
        ("mean", "float32", "int8", None),
        ("nanmean", "int8", "float64", None),
        ("var", "complex32", None, "float16"),
        ("logsumexp", "int8", None, "bfloat16"),
        ("logsumexp", "int4", None, None),
        ("argmax", "float64", None, "int64"),
        ("any", "uint8", None, "uint8"),
    ],
)
def test_the_result_of_one_tensor(name, dtype, given, result):
    call = FunctionCall(name, [Operand("dimensioned", dtype)], given)
    assert function_result(call, "bfloat16").result == result
