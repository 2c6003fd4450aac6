"""Reductions: sums, extremes, any and all, and cumulative operators, of any dtype and geometry."""

import re

from hypothesis import strategies as st

from ...comparison.element_cases import ElementCase
from ...core.domain import Domain
from ...core.float_formats import FORMATS
from ...engine.decorators import exhaustive, sampled
from ...engine.probe import Probe
from ...generators import reductions
from ...generators.arithmetic import CORE, SHELLS
from ...generators.calls.oracle_calls import is_accepted
from ...generators.sum_patterns import DTYPES, KINDS, terms

OPERATORS = (
    "sum", "nansum", "prod", "mean", "nanmean", "amax", "amin", "aminmax", "max", "min", "argmax",
    "argmin", "all", "any", "cumsum", "cumprod", "cummax", "cummin", "count_nonzero", "logsumexp",
    "logcumsumexp",
)  # fmt: skip
SOURCES = {
    "2-dim": "torch.tensor([[1, 0, 3], [4, 1, 7]])",
    "0-dim": "torch.tensor(3)",
    "empty": "torch.tensor([]).reshape(0, 3)",
    "one": "torch.tensor([[2]])",
}
CUMULATIVE = ("cumsum", "cumprod", "cummax", "cummin", "logcumsumexp")
"""The operators that require a dimension."""


def _call(operator: str, *arguments: str) -> str:
    return f"torch.{operator}({', '.join(['x', *filter(None, arguments)])})"


@exhaustive(
    lambda torch: Domain(dtype=[*CORE, *SHELLS], operator=OPERATORS, source=[*SOURCES]),
    parts=2,
)
def test_dtypes(ask: Probe, dtype: str, operator: str, source: str) -> None:
    """Each reduction of each dtype has torch's result dtype, or raises its error."""
    x = f"x = {SOURCES[source]}.to(torch.{dtype})"
    dim = "dim=0"
    if operator not in CUMULATIVE:
        ask(x, _call(operator))
    ask(x, _call(operator, dim), _call(operator, "dim=-1"), question=1)
    if operator not in (*CUMULATIVE, "count_nonzero"):
        ask(x, _call(operator, dim, "keepdim=True"))


@exhaustive(
    lambda torch: Domain(
        own=[*CORE, *SHELLS], wanted=[*CORE, *SHELLS],
        operator=("sum", "nansum", "prod", "mean", "nanmean", "cumsum", "cumprod"),
    ),
    parts=3,
)  # fmt: skip
def test_conversions(ask: Probe, own: str, wanted: str, operator: str) -> None:
    """dtype= and out= convert the elements before the reduction."""
    x = f"x = torch.tensor([[1, 0, 3], [4, 1, 7]]).to(torch.{own})"
    ask(x, _call(operator, "dim=0", f"dtype=torch.{wanted}"))
    ask(x, _call(operator, "dim=0", f"out=torch.zeros(0, dtype=torch.{wanted})"))


_OUT_DTYPES = ("float32", "float64", "int64", "float16", "complex64", "bool", "uint8")


@exhaustive(
    lambda torch: Domain(
        operator=("sum", "nansum", "prod", "mean", "nanmean", "cumsum", "cumprod", "all", "amax"),
        own=("float32", "float64", "int64", "complex64", "bool"),
        wanted=("None", *_OUT_DTYPES), out=("None", *_OUT_DTYPES), grad=("False", "True"),
    ),
    parts=2, one_in=4,
)  # fmt: skip
def test_outs(ask: Probe, operator: str, own: str, wanted: str, out: str, grad: str) -> None:
    """dtype= and out= of any dtypes together, with and without gradients, are as torch's."""
    arguments = [f"dtype=torch.{wanted}"] if wanted != "None" else []
    arguments += [f"out=torch.zeros(0, dtype=torch.{out})"] if out != "None" else []
    x = f"x = torch.tensor([[1, 0, 3], [4, 1, 7]]).to(torch.{own})"
    if grad == "True":
        x += "; x.requires_grad_(x.is_floating_point() or x.is_complex())"
    ask(x, _call(operator, "dim=0", *arguments))


@st.composite
def _programs(
    draw: st.DrawFn, pools: tuple[tuple[str, ...], ...] = (reductions.SMALL,), grad: bool = True
) -> tuple[str, list[str]]:
    tensor = draw(reductions.reduction_inputs(pools, grad))
    return tensor.text, draw(st.lists(reductions.calls(tensor.shape), min_size=4, max_size=8))


@sampled(calls=4, program=_programs())
def test_calls(ask: Probe, program: tuple[str, list[str]]) -> None:
    """Every reduction of a tensor of any geometry equals torch's, errors included."""
    text, calls = program
    for call in calls:
        ask(f"x = {text}", call)


@sampled(calls=4, program=_programs(pools=(reductions.SPECIAL, reductions.ENDS), grad=False))
def test_values(ask: Probe, program: tuple[str, list[str]]) -> None:
    """Integers wrap around, and NaN and infinity propagate or are skipped, as in torch."""
    text, calls = program
    for call in calls:
        ask(f"x = {text}", call)


INPUTS = {
    "3": (3, "", ", 0"), "17": (17, "", ", 0"), "1000": (1000, "", ""), "100000": (100_000, "", ""),
    "rows": (12_000, ".reshape(40, 300)", ", 1"), "columns": (12_000, ".reshape(40, 300)", ", 0"),
    "all": (12_000, ".reshape(20, 30, 20)", ""), "middle": (12_000, ".reshape(20, 30, 20)", ", 1"),
    "strided": (3000, "[::3]", ", 0"), "wider": (1000, "", ", 0"),
}  # fmt: skip
"""The number of elements, the view of them, and the argument for the reduced dimension."""

LONG_INPUTS = ("1000", "100000", "all", "strided", "wider")
"""Inputs with more than 300 elements per result, whose products have a larger error."""

WIDER = {
    "float16": "float32", "bfloat16": "float32", "float32": "float64", "float64": "complex128",
    "complex64": "complex128", "complex128": "complex128",
}  # fmt: skip
_TERMS = "x.to(torch.{double}).abs().nan_to_num(0.0, 0.0, 0.0)"
SIZES = {
    "sum": f"torch.sum({_TERMS}{{dim}})",
    "nansum": f"torch.sum({_TERMS}{{dim}})",
    "mean": f"torch.mean({_TERMS}{{dim}})",
    "nanmean": f"torch.sum({_TERMS}{{dim}}) / torch.sum(x == x{{dim}})",
    "cumsum": f"torch.cumsum({_TERMS}{{dim}})",
    "logsumexp": f"torch.amax({_TERMS}{{dim}}).clamp(1)",
    "logcumsumexp": f"torch.cummax({_TERMS}{{dim}}).values.clamp(1)",
    "prod": "torch.zeros((), dtype=torch.float64)",
    "cumprod": "torch.zeros((), dtype=torch.float64)",
}
"""Numbers in whose ULP errors are measured: for sums the sum of magnitudes; 0 for products."""


@exhaustive(
    lambda torch: Domain(source=DTYPES, laid=INPUTS, kind=KINDS, operator=SIZES), parts=4, one_in=2
)
def test_inexact(ask: Probe, source: str, laid: str, kind: str, operator: str) -> None:
    """Inexact sums and products of few and of many elements stay within the tolerances."""
    count, view, dim = INPUTS[laid]
    if operator in CUMULATIVE:
        dim = dim or ", 0"
    fmt, is_product = FORMATS[source], operator in ("prod", "cumprod")
    raw = terms(fmt, kind, count, ask.session.seed, factors=is_product)
    x = f"x = torch.frombuffer(c, dtype=torch.{source}){view}"
    target = f", dtype=torch.{WIDER[source]}" if laid == "wider" else ""
    call = f"torch.{operator}(x{dim}{target})"
    double = "float64" if fmt.parts == 1 else "complex128"
    sizes = SIZES[operator].format(dim=dim, double=double)
    name = f"{operator} of many" if is_product and laid in LONG_INPUTS else operator
    ask.bulk(ElementCase(source, "", raw, (x, call), name, sizes=(sizes,)))


OUT_FORMS = {
    "expanded": "torch.zeros((1,) * r.dim(), dtype=r.dtype).expand(r.shape)",
    "first dimension expanded": "torch.zeros(1, *r.shape[1:], dtype=r.dtype).expand(r.shape)",
    "last dimension expanded": "torch.zeros(*r.shape[:-1], 1, dtype=r.dtype).expand(r.shape)",
}
"""Tensors for ``out=`` of the shape and dtype of a result ``r`` whose elements share memory.

The result of a refused call is a sum.
"""

INTO = ("sum", "nansum", "prod", "mean", "amax", "amin", "std", "var", "all", "any", "argmax",
        "logsumexp")  # fmt: skip


@exhaustive(
    lambda torch: Domain(
        operator=INTO, dtype=("float32", "float64", "bfloat16", "int64", "uint8", "bool"),
        laid=("", ".transpose(0, 2)", ".expand(2, 3, 2)"),
        dims=("0", "1", "2", "0, keepdim=True", "-1, keepdim=True", "(0, 1)", "(2, 0)"),
        form=OUT_FORMS,
    ),
    parts=2, one_in=3,
)  # fmt: skip
def test_shared_outs(
    ask: Probe, operator: str, dtype: str, laid: str, dims: str, form: str
) -> None:
    """Reductions into tensors whose elements share memory give torch's elements, or its error."""
    source = "[[[3, 1]], [[2, 5]]]" if "expand" in laid else "[[[3, 1], [2, 4], [1, 6]]] * 2"
    x = f"x = torch.tensor({source}, dtype=torch.{dtype}){laid}"
    call = _call(operator, dims)
    if not is_accepted(ask.session.oracle.root, x, call):
        call = f"torch.sum(x, {dims}, dtype=torch.float32)"
    ask(x, f"r = {call}", f"o = {OUT_FORMS[form]}", _call(operator, dims, "out=o"))


TAKE_A_DIM = (
    "x.sum({})", "torch.sum(x, {})", "x.nansum({})", "x.prod({})", "x.mean({})", "x.nanmean({})",
    "x.amax({})", "x.amin({})", "x.aminmax(dim={})", "x.max({})", "torch.min(x, {})",
    "x.argmax({})", "torch.argmin(x, {})", "x.all({})", "torch.any(x, {})", "x.cumsum({})",
    "torch.cumprod(x, {})", "x.cummax({})", "torch.cummin(x, {})", "x.count_nonzero({})",
    "x.cumsum_({})", "x.logsumexp({})", "torch.logsumexp(x, {})",
    "torch.logcumsumexp(x, {})",
)  # fmt: skip
BAD = (
    "7", "-8", "1.5", "'0'", "None", "2**63", "True", "(0, 0)", "(0, 7)", "[1.5]", "(None,)",
    "torch.ones(2)", "torch.tensor(1)", "0, 1", "0, keepdim=1", "0, None", "0, True, 1",
    "dim=0, axis=0", "axis=0", "0, dtype=1", "0, dtype='float32'", "0, out=1", "0, out=(x, x)",
    "0, out=torch.ones(3, requires_grad=True)", "0, nothing=1", "0, keepdim=True, keepdims=True",
    "dims=0", "x", "0, dtype=torch.int4", "",
)  # fmt: skip


@exhaustive(lambda torch: Domain(call=TAKE_A_DIM, argument=BAD), parts=2)
def test_refusals(ask: Probe, call: str, argument: str) -> None:
    """Invalid arguments of reductions raise torch's error and change nothing."""
    if not argument or re.match(r"\w+=|0, \w+(, |$)", argument):
        call = call.replace("dim={}", "{}")
    ask("x = torch.tensor([[1.0, 0.0, 3.0], [4.0, 1.0, 7.0]])", call.format(argument))


RESULTS = {
    "max": "torch.tensor([[1, 5], [7, 2]]).max(0)", "min": "torch.tensor([[1, 5], [7, 2]]).min(1)",
    "aminmax": "torch.tensor([[1, 5], [7, 2]]).aminmax()",
    "cummax": "torch.tensor([1, 5, 2]).cummax(0)", "cummin": "torch.tensor([3, 5, 2]).cummin(0)",
}  # fmt: skip
USES = (
    "r", "r[0]", "r[-1]", "r[2]", "r[:1]", "len(r)", "tuple(r)", "r.values", "r.indices", "r.min",
    "r.max", "r.nothing", "isinstance(r, tuple)", "type(r).__name__",
    "type(r).__module__.rpartition('.')[2]", "type(r).__match_args__", "type(r).n_fields",
    "type(r).n_sequence_fields", "type(r).n_unnamed_fields", "r + (1,)", "type(r)((1, 2))",
    "type(r)([1, 2])", "type(r)((1,))", "type(r)()", "type(r)(1)", "type(r)((1, 2), 3)",
    "type(r)((1, 2)) == (1, 2)", "hash(type(r)((1, 2))) == hash((1, 2))",
    "setattr(r, 'nothing', 1)", "setattr(r, type(r).__match_args__[0], 1)",
    "copy.copy(type(r)((1, 2)))", "delattr(r, type(r).__match_args__[0])",
    "type('A', (type(r),), {})", "[*r]",
)  # fmt: skip


@exhaustive(lambda torch: Domain(operator=[*RESULTS], use=USES))
def test_named_tuples(ask: Probe, operator: str, use: str) -> None:
    """The named tuples of reductions print, index, construct and fail as torch's do."""
    ask(f"r = {RESULTS[operator]}", use)


_MANY = {
    "1-dim": "400000", "rows": "2, 200000", "columns": "200000, 2", "matrix": "512, 800",
}  # fmt: skip
_CONTENTS = {
    "signs": "1 - 2 * (torch.arange(n) % 3 == 0).to(torch.int64)",
    "few": "torch.arange(n) % 7 - 3",
    "one larger": "(torch.arange(n) == n - 5).to(torch.int64)",
}
"""Elements whose sums and products do not depend on torch's number of threads."""

_OF_MANY = "x.{}()", "x.{}(0)", "x.{}(-1)", "x.t().{}(0)"


@exhaustive(
    lambda torch: Domain(
        operator=("sum", "prod", "amax", "amin", "max", "min", "argmax", "argmin", "all", "any",
                  "mean", "nansum", "count_nonzero", "aminmax"),
        call=_OF_MANY, shape=_MANY, contents=_CONTENTS, dtype=("float32", "int64", "bfloat16"),
    ),
    one_in=48,
)  # fmt: skip
def test_many(ask: Probe, operator: str, call: str, shape: str, contents: str, dtype: str) -> None:
    """Reductions of many elements, which are reduced in blocks, give torch's elements."""
    size, elements = _MANY[shape], _CONTENTS[contents]
    x = f"n = math.prod(({size},)); x = ({elements}).to(torch.{dtype}).view({size})"
    ask(x, call.format(operator))


_PAIR_OUTS = {
    "empty": "torch.empty(0, dtype=d)",
    "of the shape": "torch.zeros(r.shape, dtype=d)",
    "larger": "torch.zeros(3, 4, 5, dtype=d)",
    "input": "x if x.dtype is d and x.is_contiguous() else torch.empty(0, dtype=d)",
    "expanded": "torch.zeros((), dtype=d).expand(r.shape)",
    "stepped": "torch.zeros([2 * n for n in r.shape], dtype=d)[(slice(None, None, 2),) * r.dim()]",
}
_PAIR_SOURCES = (
    "torch.arange(24.).view(2, 3, 4)", "torch.arange(24.).view(4, 3, 2).permute(2, 1, 0)",
    "torch.arange(4.).expand(2, 3, 4)", "torch.zeros(2, 3, 4)", "torch.zeros(2, 0, 4)",
)  # fmt: skip


@exhaustive(
    lambda torch: Domain(
        operator=("max", "min", "cummax", "cummin"), source=_PAIR_SOURCES,
        dim=("0", "1", "2", "-1", "0, True", "2, True"), first=_PAIR_OUTS, second=_PAIR_OUTS,
    ),
    one_in=12,
)  # fmt: skip
def test_pair_outs(
    ask: Probe, operator: str, source: str, dim: str, first: str, second: str
) -> None:
    """Reductions write two results to outputs of any form, or refuse them, as torch does."""
    ask(
        f"x = {source}; r = torch.amax(x, {dim}) if x.numel() else torch.zeros(2, 1, 4)",
        f"d = torch.float32; a = {_PAIR_OUTS[first]}",
        f"d = torch.int64; b = {_PAIR_OUTS[second]}",
        f"torch.{operator}(x, {dim}, out=(a, b))",
    )
