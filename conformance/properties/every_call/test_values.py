"""Values: each call at the sizes around which kernels change."""

from zlib import crc32

from hypothesis import strategies as st

from ...comparison.tolerances import tolerances_for
from ...core.domain import Domain, one_in_step
from ...engine.decorators import exhaustive, sampled
from ...engine.probe import Probe
from ...generators import settings, special_values
from ...generators.calls.oracle_calls import (
    accepted_calls,
    functions_of_operands,
    pointwise_calls,
    repeated_programs,
    very_many,
    writing_calls,
)

SIZES = (1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 127, 129, 255, 256, 257, 1025)
LARGE = (4_097, 32_769, 65_535, 65_537, 300_001, 3_000_001)
_OPERANDS = "x = (torch.arange({n}) % 7 - 3).to(torch.{dtype}){form}; y = x.clone()"
FORMS = {
    "vector": "",
    "columns": ".unsqueeze(1).expand(-1, 3).clone()",
    "rows": ".expand(3, -1).clone()",
    "column": ".unsqueeze(1)",
}
"""How the numbers of each size are arranged."""


@exhaustive(lambda torch: Domain(call=accepted_calls(torch), form=FORMS), parts=4, one_in=96)
def test_sizes(ask: Probe, call: str, form: str) -> None:
    """Each call gives torch's elements around every size at which a kernel may change."""
    dtype, _, call = call.partition(": ")
    steps = [*settings.seed(call)]
    first = len(steps) + 1
    for size in SIZES:
        steps += [_OPERANDS.format(n=size, dtype=dtype, form=FORMS[form]), call]
    ask(*steps, question=range(first, len(steps), 2))


_LARGEST_INEXACT = 65_537
"""The largest size of which each inexact element is compared."""


@st.composite
def _large_calls(draw: st.DrawFn) -> tuple[int, str, int, float]:
    dtype = draw(st.sampled_from(("uint8", "float32", "int64", "bfloat16", "bool", "float64")))
    return (
        draw(st.sampled_from(LARGE)),
        dtype,
        draw(st.sampled_from((2, 7, 200))),
        draw(st.floats(0, 1, exclude_max=True)),
    )


@sampled(calls=24, drawn=_large_calls())
def test_large(ask: Probe, drawn: tuple[int, str, int, float]) -> None:
    """Each call of a large tensor gives torch's elements, also when it is made again."""
    size, dtype, modulus, position = drawn
    calls = accepted_calls(ask.session.oracle.root)
    _, _, call = calls[int(position * len(calls))].partition(": ")
    if tolerances_for(call, ask.session.tolerances):
        size = min(size, _LARGEST_INEXACT)
    base = f"b = (torch.arange({size}) % {modulus} - 3).to(torch.{dtype})"
    again = f"[(x := b.clone(), y := b.clone(), {call})[2] for _ in range(3)][-1]"
    ask(*settings.seed(call), base, again)


@exhaustive(
    lambda torch: Domain(call=accepted_calls(torch), dtype=special_values.DTYPES),
    parts=4,
    one_in=36,
)
def test_specials(ask: Probe, call: str, dtype: str) -> None:
    """Each call of every pair of special values gives torch's elements."""
    _, _, call = call.partition(": ")
    for operands in special_values.paired_operands(dtype, call):
        ask(*settings.seed(call), operands, call)


KINDS = {
    "bool": ("bool",),
    "unsigned": ("uint8",),
    "signed": ("int64", "int8", "int32", "int16"),
    "float": ("float32", "float64"),
    "half": ("bfloat16", "float16"),
    "complex": ("complex64",),
}
"""The dtypes of each kind, which mostly share a kernel; one of them is asked."""


@exhaustive(lambda torch: Domain(call=functions_of_operands(torch), kind=KINDS), parts=4, one_in=3)
def test_kinds(ask: Probe, call: str, kind: str) -> None:
    """Each function of all pairs of special values of each kind of dtype gives torch's elements."""
    [dtype] = one_in_step(KINDS[kind], len(KINDS[kind]), call, ask.turn)
    for operands in special_values.paired_operands(dtype, call):
        ask(*settings.seed(call), operands, call)


@exhaustive(
    lambda torch: Domain(
        call=special_values.reductions(torch),
        dtype=special_values.DTYPES,
        size=map(str, special_values.SIZES),
    ),
    parts=4,
    one_in=96,
)
def test_orders(ask: Probe, call: str, dtype: str, size: str) -> None:
    """Each reduction and scan gives torch's elements wherever two special values are."""
    operands = special_values.ordered_operands(dtype, int(size), call)
    for operand in operands[crc32(f"{call} {dtype} {size}".encode()) % _ORDERS :: _ORDERS]:
        ask(operand, call)


_ORDERS = 7
"""One in how many orders of two special values is asked in each cell."""


VARIANCES = (
    "z.var(0)", "z.std(0)", "z.var(0, correction=0)", "torch.var_mean(z, 0)",
    "torch.std_mean(z, 0, correction=2)", "torch.std(z, (0,), keepdim=True)",
)  # fmt: skip
OF_TWO = tuple(
    f"torch.stack([v.{name}() for v in z.flatten(1).unbind(1)])" for name in ("var", "std")
)
"""Calls of all elements: the order of more than two is open."""


@exhaustive(
    lambda torch: Domain(
        call=(*VARIANCES, *OF_TWO), dtype=special_values.FLOATS, size=("2", "3", "5", "9")
    ),
    one_in=4,
)
def test_variances(ask: Probe, call: str, dtype: str, size: str) -> None:
    """Variances of every pair of special values are torch's, and nothing warns that does not."""
    [operands] = special_values.paired_operands(dtype, call)
    others = 1 if call in OF_TWO else int(size) - 1
    ask(operands, f"z = torch.stack([x, *[y] * {others}])", call, question=2)


@exhaustive(lambda torch: Domain(call=writing_calls(torch)), parts=4, one_in=576)
def test_repeated(ask: Probe, call: str) -> None:
    """Each call of many elements gives torch's, before and after loops may be compiled."""
    dtype, _, expression = call.partition(": ")
    for steps in repeated_programs(ask.session.oracle.root, dtype, expression):
        ask(*settings.seed(expression), *steps, question=(-2, -1))


@exhaustive(lambda torch: Domain(call=pointwise_calls(torch)), parts=2, one_in=32)
def test_compiled(ask: Probe, call: str) -> None:
    """Each pointwise call of so many elements that loops may be compiled gives torch's."""
    dtype, _, expression = call.partition(": ")
    ask(*settings.seed(expression), *very_many(dtype, expression))


@exhaustive(lambda torch: Domain(call=functions_of_operands(torch), kind=KINDS), parts=2, one_in=32)
def test_loops(ask: Probe, call: str, kind: str) -> None:
    """Each function of each kind of dtype gives torch's elements before and after loops compile."""
    [dtype] = one_in_step(KINDS[kind], len(KINDS[kind]), call, ask.turn)
    for steps in repeated_programs(ask.session.oracle.root, dtype, call):
        ask(*settings.seed(call), *steps, question=(-2, -1))


_GEOMETRIES = {"dense": "", "strided": "[::2]"}
_REDUCTIONS = (
    "[xs[0].sum() for _ in range(3)][-1]", "xs[0].sum()", "xs[0].sum(0)",
    "xs[0].sum(1, keepdim=True)", "xs[0].mean(0)", "xs[0].t().sum(0)", "xs[0].t().sum(1)",
    "xs[0].nansum()", "xs[0].sum(dtype=torch.float64)", "xs[0].prod(1, dtype=torch.float64)",
    "xs[0].amax(1)", "xs[0].any(0)",
)  # fmt: skip
_DTYPES = ("float32", "float64", "float16", "int64", "complex64")


@exhaustive(lambda torch: Domain(dtype=_DTYPES, geometry=_GEOMETRIES))
def test_sums(ask: Probe, dtype: str, geometry: str) -> None:
    """Sums of many elements are torch's, also after so many that an implementation compiles."""
    # Tensors in a list are not observed after each step.
    elements = f"(torch.arange({{}}) % 3 - 1).to(torch.{dtype})"
    elements = elements.format(2_200_000 if _GEOMETRIES[geometry] else 1_100_000)
    base = f"xs = [{elements}{_GEOMETRIES[geometry]}.view(1000, 1100)]"
    ask(base, *_REDUCTIONS, question=1)


_PAIRS = "torch.arange(2**16).to(torch.int64)"
_FIRST, _SECOND = f"({_PAIRS} % 256).to(torch.{{}})", f"({_PAIRS} // 256).to(torch.{{}})"


@exhaustive(
    lambda torch: Domain(call=functions_of_operands(torch), dtype=("int8", "uint8", "bool")),
    one_in=24,
)
def test_pairs(ask: Probe, call: str, dtype: str) -> None:
    """Each function gives torch's answer for every pair of integers of 8 bits."""
    operands = f"x = {_FIRST.format(dtype)}; y = {_SECOND.format(dtype)}"
    # A division by zero raises for all pairs, so they are also asked without it.
    for pairs in (operands, f"{operands}; y[y == 0] = 1"):
        ask(pairs, *settings.seed(call), call)
