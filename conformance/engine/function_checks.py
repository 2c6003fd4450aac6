"""Comparison of the rules of reductions, joins, selections and factories with the oracle.

Each check is one cell of a property of the area ``engine``. A planted fault replaces the table.
"""

import ast
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from ..rules.calls import read_call
from ..rules.functions import FUNCTIONS, FunctionCall, function_result
from .probe import Probe
from .rule_checks import compare_result, operand_of

_NO_ARGUMENTS = (
    "argmax argmin argsort count_nonzero nonzero any all amax amin max min median nanmedian clone"
    " detach contiguous flatten squeeze t trace std var norm diagonal to_sparse"
)
_INEXACT = ("float64", "complex64")
_NUMBERS = ("int32", *_INEXACT)
_DTYPES = ("bool", *_NUMBERS)


def _with_dtype(*calls: str, dtypes: Sequence[str] = _DTYPES) -> Iterable[str]:
    """Yield calls, each without and with some arguments for ``dtype=``.

    ``dtypes`` are those for which torch has a kernel: without one, nothing would be compared.
    """
    for call in calls:
        yield call
        for dtype in dtypes:
            separator = "" if call.endswith("()") else ", "
            yield f"{call[:-1]}{separator}dtype=torch.{dtype})"


FUNCTION_CALLS = (
    *(f"x.{name}()" for name in _NO_ARGUMENTS.split()),
    *_with_dtype("x.sum()", "x.nansum()", "x.prod()", "x.mean()", "x.nanmean()"),
    *_with_dtype("torch.zeros_like(x)", "torch.ones_like(x)", "torch.empty_like(x)"),
    *_with_dtype("torch.rand_like(x)", "torch.randn_like(x)", dtypes=_INEXACT),
    *_with_dtype("x.cumsum(0)", "x.cumprod(0)", dtypes=_NUMBERS),
    *("x.logsumexp(0)", "x.flip(0)", "x.roll(1)", "x.unsqueeze(0)", "x.reshape(-1)", "x[0]"),
    *("x.transpose(0, 1)", "x.permute(1, 0)", "x.select(0, 0)", "x.narrow(0, 0, 1)"),
    *("x.take(torch.tensor([0]))", "x.gather(0, torch.tensor([[0]]))"),
    *("x.index_select(0, torch.tensor([0]))", "x.masked_select(torch.tensor(True))"),
    *("x.expand_as(x)", "x.view_as(x)", "x.reshape_as(x)"),
    *("x.to_sparse().coalesce()", "x.to_sparse().to_dense()", "x.to_sparse().sum()"),
)
"""Calls of one tensor, ``x``; at least one for each function that takes one."""

JOIN_CALLS = (
    *(f"torch.{name}([x, y])" for name in ("cat", "concat", "concatenate", "stack")),
    *("torch.hstack([x, y])", "torch.vstack([x, y])", "torch.where(condition, x, y)"),
    *("torch.where(x, x, y)", "x.where(condition, y)"),
)
"""Calls of two operands, ``x`` and ``y``; ``condition`` is a mask."""

FACTORY_CALLS = (
    *_with_dtype("torch.zeros(2)", "torch.ones(2)", "torch.empty(2)", "torch.eye(2)"),
    *_with_dtype("torch.empty_strided((2,), (1,))", "torch.empty_permuted((2,), (0,))"),
    *_with_dtype("torch.as_tensor([number])", "torch.asarray([number])", "torch.asarray(number)"),
    *_with_dtype("torch.tensor([number])", "torch.full((2,), number)"),
    *_with_dtype("torch.rand(2)", "torch.randn(2)", dtypes=_INEXACT),
    *_with_dtype("torch.arange(number)", dtypes=("int32", "float64")),
    *_with_dtype("torch.linspace(number, number, 3)", dtypes=_NUMBERS),
    *_with_dtype("torch.logspace(number, number, 3)", dtypes=_NUMBERS),
)
"""Calls of factories, some with a Python ``number``."""


def check_function(
    ask: Probe, default: str, call: str, x: str, functions: Mapping[str, str] = FUNCTIONS
) -> None:
    """Compare the result dtype of a call on a tensor ``x`` of a dtype with the oracle's."""
    _check_call(ask, default, call, {"x": f"dimensioned {x}"}, functions)


def check_join(
    ask: Probe, default: str, call: str, x: str, y: str, functions: Mapping[str, str] = FUNCTIONS
) -> None:
    """Compare the result dtype of a call on operands ``x`` and ``y`` with the oracle's."""
    operands = {"x": x, "y": y, "condition": "dimensioned bool"}
    _check_call(ask, default, call, operands, functions)


def check_factory(
    ask: Probe, default: str, call: str, number: str, functions: Mapping[str, str] = FUNCTIONS
) -> None:
    """Compare the result dtype of a factory with the oracle's; ``number`` is a Python type."""
    _check_call(ask, default, call, {"number": f"number {number}"}, functions)


def _check_call(
    ask: Probe, default: str, call: str, labels: Mapping[str, str], functions: Mapping[str, str]
) -> None:
    """Compare the result dtype of a call with the oracle's, unless it lacks the kernel.

    ``labels`` are those of the operands, as of `operand_labels`, by their names. All tensors with
    dimensions have the same shape.
    """
    known = {name: operand_of(label) for name, label in labels.items()}
    node = read_call(ast.parse(call, mode="eval").body)
    assert node is not None, call
    # The layout of a tensor does not matter for its dtype.
    operands = [known[ast.unparse(x).removesuffix(".to_sparse()")][0] for x in node.operands]
    dtype = None if node.dtype is None else ast.unparse(node.dtype).removeprefix("torch.")
    function = FunctionCall(node.name, operands, dtype)
    assigned = [
        f"{name} = {text}{'[:1, None]' if operand.group == 'dimensioned' else ''}"
        for name, (operand, text) in known.items()
    ]
    steps = (f"torch.set_default_dtype(torch.{default})", *assigned, call)
    predict = partial(function_result, function, default)
    compare_result(ask, steps, lambda: predict(functions).result, with_kernels=True)
