"""The result dtypes of reductions, joins, selections and factories.

`engine.function_rules`, `engine.join_rules` and `engine.factory_rules` compare them with torch, for
every dtype and every function of the table.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from .dtypes import DTYPES, REAL_DTYPES
from .operands import Operand, Reason, RuleResult, common_dtype
from .promotion import Rule

_SOURCES = "https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/native/"


class FunctionCall(NamedTuple):
    """A call for the rules: the function, the operands that count, and the ``dtype=`` argument."""

    name: str
    operands: Sequence[Operand] = ()
    dtype: str | None = None


class Predicted(NamedTuple):
    """The result dtype, or None if torch raises, with the reason, and the reasons before it."""

    result: str | None
    text: str
    before: Sequence[Reason] = ()


def _is_exact(dtype: str) -> bool:
    return DTYPES[dtype].category not in ("floating", "complex")


def _kept(dtype: str, default: str) -> Predicted:
    return Predicted(dtype, f"it keeps {dtype}")


def _total(dtype: str, default: str) -> Predicted:
    if _is_exact(dtype):
        return Predicted("int64", "integers and bools are added and multiplied as int64")
    return _kept(dtype, default)


_NONE = Predicted(None, "there is none, so torch raises an error")


def _floating(dtype: str, default: str) -> Predicted:
    return _NONE if _is_exact(dtype) else _kept(dtype, default)


def _real_result(dtype: str, default: str) -> Predicted:
    if dtype in REAL_DTYPES:
        return Predicted(REAL_DTYPES[dtype], f"it is real, {REAL_DTYPES[dtype]}")
    return _floating(dtype, default)


def _floating_total(dtype: str, default: str) -> Predicted:
    if DTYPES[dtype].category in ("boolean", "integral"):
        return Predicted(default, f"it computes in the default dtype, {default}")
    return _floating(dtype, default)


def _position(dtype: str, default: str) -> Predicted:
    return Predicted("int64", "indices and counts are int64")


def _truth(dtype: str, default: str) -> Predicted:
    return _kept(dtype, default) if dtype == "uint8" else Predicted("bool", "the result is bool")


def _common(operands: Sequence[Operand], default: str) -> Predicted:
    common = common_dtype(operands, default)
    return Predicted(common.result, f"all become {common.result}", common.reasons)


def _joined(operands: Sequence[Operand], default: str) -> Predicted:
    # Tensors with and without dimensions do not meet; hstack and vstack give all of them some.
    return _common([operand._replace(group="dimensioned") for operand in operands], default)


def _condition(operands: Sequence[Operand], default: str) -> Predicted:
    condition, *others = operands
    if condition.dtype not in ("bool", "uint8"):
        return Predicted(None, f"the condition is {condition.dtype}, so torch raises an error")
    return _common(others, default)


def _numbers(operands: Sequence[Operand], default: str) -> Predicted:
    if default == "bfloat16" and any(operand.dtype == "complex" for operand in operands):
        return Predicted(None, "bfloat16 has no complex dtype, so torch raises an error")
    return _common(operands, default)


def _fill_number(operands: Sequence[Operand], default: str) -> Predicted:
    if all(operand.dtype != "complex" for operand in operands):
        return _common(operands, default)
    result = "complex128" if default == "float64" else "complex64"
    return Predicted(result, f"under {default}, a complex number gives {result}")


def _range(operands: Sequence[Operand], default: str) -> Predicted:
    if all(operand.dtype in ("bool", "int") for operand in operands):
        return Predicted("int64", "all numbers are integers")
    return Predicted(default, f"not all numbers are integers: the default dtype, {default}")


def _span(operands: Sequence[Operand], default: str) -> Predicted:
    return _common([*operands, Operand("number", "float", "the distance")], default)


def _default(operands: Sequence[Operand], default: str) -> Predicted:
    return Predicted(default, f"the default dtype is {default}")


class FunctionRule(NamedTuple):
    """A rule for the result dtype of functions.

    statement, functions: its text, and the functions that follow it
    source: the file of torch with the kernels
    of_tensor, of_operands: its result, by the dtype of the tensor or by all operands, and by the
        default dtype
    clauses: the clauses of the specification that it follows
    reads: the operands that count, "tensors", "numbers" or "nothing"
    floating: what has to be floating or complex if there is a ``dtype=`` argument
    """

    statement: str
    functions: str
    source: str
    of_tensor: Callable[[str, str], Predicted] | None = None
    of_operands: Callable[[Sequence[Operand], str], Predicted] | None = None
    clauses: tuple[str, ...] = ()
    reads: str = "tensors"
    floating: tuple[str, ...] = ()


_DEFAULT_DTYPE = ("promotion.default-dtype",)
_MINIMUM_DTYPE = ("promotion.minimum-dtype",)

ROWS: Mapping[str, FunctionRule] = {
    "total": FunctionRule(
        "A sum or product of bools or integers is int64; other dtypes are kept.",
        "sum nansum prod cumsum cumprod trace",
        "ReduceOps.cpp",
        of_tensor=_total,
    ),
    "mean": FunctionRule(
        "A mean is floating or complex: it keeps such a dtype, and there is none of others.",
        "mean",
        "ReduceOps.cpp",
        of_tensor=_floating,
        floating=("dtype",),
    ),
    "mean-without-nan": FunctionRule(
        "Only tensors of floating and complex dtypes have a nanmean, also with ``dtype=``.",
        "nanmean",
        "ReduceOps.cpp",
        of_tensor=_floating,
        floating=("tensor", "dtype"),
    ),
    "real-result": FunctionRule(
        "Only floating and complex dtypes have a deviation or a norm, which is real.",
        "std var norm",
        "ReduceOps.cpp",
        of_tensor=_real_result,
    ),
    "floating-total": FunctionRule(
        "The function computes in floating point: integers and bools become the default dtype.",
        "logsumexp",
        "ReduceOps.cpp",
        of_tensor=_floating_total,
        clauses=_DEFAULT_DTYPE,
    ),
    "position": FunctionRule(
        "Indices and counts are int64.",
        "argmax argmin argsort count_nonzero nonzero",
        "ReduceOps.cpp",
        of_tensor=_position,
    ),
    "test-of-elements": FunctionRule(
        "A test of elements is bool, and uint8 for uint8.",
        "any all",
        "ReduceOps.cpp",
        of_tensor=_truth,
    ),
    "kept": FunctionRule(
        "The result has the dtype of the tensor.",
        "amax amin max min median nanmedian clone detach contiguous flatten reshape squeeze"
        " unsqueeze transpose permute t select narrow index_select take masked_select gather flip"
        " roll expand_as view_as reshape_as diagonal zeros_like ones_like empty_like rand_like"
        " randn_like coalesce to_dense to_sparse",
        "TensorShape.cpp",
        of_tensor=_kept,
    ),
    "joined": FunctionRule(
        "The result has the common dtype of all tensors; each takes part, 0-dim ones too.",
        "cat concat concatenate stack hstack vstack",
        "TensorShape.cpp",
        of_operands=_joined,
        clauses=_MINIMUM_DTYPE,
    ),
    "condition": FunctionRule(
        "The condition is bool or uint8 and does not take part; the other operands do.",
        "where",
        "TensorCompare.cpp",
        of_operands=_condition,
        clauses=_MINIMUM_DTYPE,
    ),
    "numbers": FunctionRule(
        "The Python numbers decide: the highest category wins, floats have the default dtype.",
        "tensor as_tensor asarray",
        "TensorFactories.cpp",
        of_operands=_numbers,
        clauses=_DEFAULT_DTYPE,
        reads="numbers",
    ),
    "fill-number": FunctionRule(
        "The fill value decides; a complex one is complex128 under float64, else complex64.",
        "full",
        "TensorFactories.cpp",
        of_operands=_fill_number,
        clauses=_DEFAULT_DTYPE,
        reads="numbers",
    ),
    "range": FunctionRule(
        "A range of Python integers is int64; any other has the default dtype.",
        "arange",
        "RangeFactories.cpp",
        of_operands=_range,
        clauses=_DEFAULT_DTYPE,
        reads="numbers",
    ),
    "span": FunctionRule(
        "Numbers at equal distances have the default dtype, or its complex dtype.",
        "linspace logspace",
        "RangeFactories.cpp",
        of_operands=_span,
        clauses=_DEFAULT_DTYPE,
        reads="numbers",
    ),
    "default": FunctionRule(
        "Without ``dtype=``, a factory gives the default dtype.",
        "zeros ones empty rand randn eye empty_strided empty_permuted",
        "TensorFactories.cpp",
        of_operands=_default,
        clauses=_DEFAULT_DTYPE,
        reads="nothing",
    ),
}
"""The rules of functions by their ids."""

GIVEN = Rule(
    "given-dtype",
    "The ``dtype=`` argument is the dtype of the result.",
    (),
    f"{_SOURCES}TensorFactories.cpp",
)

FUNCTION_RULES: Mapping[str, Rule] = {
    GIVEN.id: GIVEN,
    **{
        name: Rule(name, row.statement, row.clauses, f"{_SOURCES}{row.source}")
        for name, row in ROWS.items()
    },
}
"""Every rule of functions for the list of all rules."""

FUNCTIONS: Mapping[str, str] = {
    name: rule for rule, row in ROWS.items() for name in row.functions.split()
}
"""The rule of each function."""


def function_result(
    call: FunctionCall, default: str = "float32", functions: Mapping[str, str] = FUNCTIONS
) -> RuleResult:
    """Return the result dtype of a function, or None if a rule forbids the call, with the reasons.

    Missing kernels of torch are not part of the rules.

    >>> function_result(FunctionCall("sum", [Operand("dimensioned", "uint8")])).result
    'int64'
    >>> function_result(FunctionCall("tensor", [Operand("number", "float")]), "float64").result
    'float64'
    """
    rule = functions[call.name]
    row = ROWS[rule]
    if call.dtype is not None:
        dtypes = {"dtype": [call.dtype], "tensor": [x.dtype for x in call.operands]}
        if any(_is_exact(dtype) for name in row.floating for dtype in dtypes[name]):
            return _decided(rule, _NONE)
        return _decided(GIVEN.id, Predicted(call.dtype, f"{call.dtype} is given"))
    if row.of_operands is not None:
        return _decided(rule, row.of_operands(call.operands, default))
    assert row.of_tensor is not None
    dtype = call.operands[0].dtype
    predicted = row.of_tensor(dtype, default)
    return _decided(rule, predicted._replace(text=f"{call.name} of {dtype}: {predicted.text}"))


def _decided(rule: str, predicted: Predicted) -> RuleResult:
    reason = Reason(rule, predicted.text, FUNCTION_RULES[rule].clauses)
    return RuleResult(predicted.result, (*predicted.before, reason))
