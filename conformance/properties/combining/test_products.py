"""Products of matrices and vectors: mm, bmm, mv, dot, matmul, their sums with a tensor, and kin."""

from math import prod

from hypothesis import strategies as st

from ...comparison.element_cases import ElementCase
from ...core.domain import Domain
from ...core.float_formats import FORMATS
from ...engine.decorators import exhaustive, sampled
from ...engine.probe import Probe
from ...generators.arithmetic import CORE, SHELLS
from ...generators.calls import composed_calls
from ...generators.calls.product_calls import (
    CALLS,
    FACTORS,
    MATMULS,
    PRODUCTS,
    SINGLE,
    SUMS,
    program,
    shapes_of,
    shapes_of_matmul,
)
from ...generators.sum_patterns import DTYPES, KINDS, terms

PLACES = ("new", "own", "out")
LAYOUTS = {
    "contiguous": "{x}",
    "transposed": "{x}.mT.contiguous().mT",
    "strided": "torch.stack([{x}] * 2, -1).select(-1, 0)",
    "expanded": "{x}[:1].expand({x}.shape)",
}
"""Tensors of the same shape with other strides."""


def _filled(shape: tuple[int, ...], dtype: str, first: int) -> str:
    """Return a tensor of numbers from 0 to 6."""
    return f"((torch.arange({prod(shape)}) + {first}) % 7).reshape({shape}).to(torch.{dtype})"


def _sizes(text: str) -> dict[str, int]:
    return dict(zip("mkn", map(int, text.split()), strict=True))


def _call(call: str, names: str, place: str, factors: str = "") -> tuple[str, ...]:
    if place == "own":
        first, others = names[0], names[1:]
        return (f"{first}.{call}{'_' * (call in SUMS)}({', '.join(others)}{factors})",)
    if place == "new":
        return (f"torch.{call}({', '.join(names)}{factors})",)
    return "o = torch.zeros(0, dtype=x.dtype)", f"torch.{call}({', '.join(names)}{factors}, out=o)"


@exhaustive(
    lambda torch: Domain(
        dtype=[*CORE, *SHELLS], call=CALLS, size=("few", "many", "none"), place=PLACES
    ),
    parts=2,
)
def test_dtypes(ask: Probe, dtype: str, call: str, size: str, place: str) -> None:
    """Each call in each dtype has torch's result, or raises its error, by each of its kernels."""
    sizes = {"few": (2, 3, 2), "many": (6, 9, 8), "none": (2, 0, 3)}[size]
    shapes = shapes_of(call, b=2, **dict(zip("mkn", sizes, strict=True)))
    names = "xyz"[: len(shapes)]
    tensors = [
        f"{name} = {_filled(shape, dtype, index)}"
        for index, (name, shape) in enumerate(zip(names, shapes, strict=True))
    ]
    factors = ", beta=2, alpha=3" if call in SUMS and size != "few" else ""
    ask(*tensors, *_call(call, names, place, factors))


@exhaustive(
    lambda torch: Domain(
        call=CALLS, left=LAYOUTS, right=LAYOUTS, sizes=("2 3 4", "1 4 3", "3 1 2", "9 8 7"),
        place=PLACES,
    ),
    parts=2,
)  # fmt: skip
def test_layouts(ask: Probe, call: str, left: str, right: str, sizes: str, place: str) -> None:
    """Operands of any strides have the result, and the strides of the result, that torch has."""
    shapes = shapes_of(call, b=2, **_sizes(sizes))
    names = "xyz"[: len(shapes)]
    steps = [
        f"{name} = {_filled(shape, 'float32', index)}"
        for index, (name, shape) in enumerate(zip(names, shapes, strict=True))
    ]
    for name, shape, layout in zip(names[-2:], shapes[-2:], (left, right), strict=True):
        if layout != "transposed" or len(shape) > 1:
            steps.append(f"{name} = {LAYOUTS[layout].format(x=name)}")
    ask(*steps, *_call(call, names, place))


@exhaustive(
    lambda torch: Domain(
        shapes=MATMULS, batch="012", sizes=("2 3 4", "1 1 1", "0 2 3", "2 0 3"),
        grad=("", "x", "y"), layout=LAYOUTS, form=("torch.matmul(z, y)", "z @ y"),
    ),
)  # fmt: skip
def test_matmul(
    ask: Probe, shapes: str, batch: str, sizes: str, grad: str, layout: str, form: str
) -> None:  # fmt: skip
    """The function matmul composes the same product as torch for operands of any rank."""
    pair = shapes_of_matmul(shapes, b=int(batch), **_sizes(sizes))
    steps = []
    for index, (name, shape) in enumerate(zip("xy", pair, strict=True)):
        text = _filled(shape, "float32", index)
        steps.append(f"{name} = {text}{'.requires_grad_()' * (name == grad)}")
    if layout != "transposed" or len(pair[0]) > 1:
        steps.append(f"z = {LAYOUTS[layout].format(x='x')}")
    else:
        steps.append("z = x")
    ask(*steps, form)


@exhaustive(
    lambda torch: Domain(
        call=SUMS, beta=FACTORS, alpha=FACTORS,
        dtype=("float32", "float64", "float16", "complex64", "int64", "uint8", "bool"),
    ),
    one_in=2,
)  # fmt: skip
def test_factors(ask: Probe, call: str, beta: str, alpha: str, dtype: str) -> None:
    """The factors of a sum are converted as in torch, or refused."""
    shapes = shapes_of(call, b=2, m=2, k=3, n=2)
    tensors = [
        f"{name} = {_filled(shape, 'int64', index).replace(' % 7', ' % 7 + 1')}.to(torch.{dtype})"
        for index, (name, shape) in enumerate(zip("xyz", shapes, strict=True))
    ]
    ask(*tensors, f"torch.{call}(x, y, z, beta={beta}, alpha={alpha})")


_SPECIALS = "(math.nan, -math.nan, 1.0, math.inf, -math.inf, 0.0, -2.0)"


@exhaustive(
    lambda torch: Domain(
        dtype=("float16", "bfloat16", "float32", "float64"),
        rows=("1", "2", "5", "6", "11", "15", "17", "33", "100"),
        call=("torch.cross(x, y, 1)", "torch.cross(y, x, -1)", "torch.cross(x.T, y.T, 0)"),
    ),
)
def test_crosses(ask: Probe, dtype: str, rows: str, call: str) -> None:
    """Vector products of special values are torch's, the signs of NaNs at every place too."""
    tensors = (
        f"{name} = torch.tensor([s[{index} % 7] for i in range(3 * {rows})],"
        f" dtype=torch.{dtype}).reshape(-1, 3)"
        for name, index in (("x", "i"), ("y", "(i * i + i // 7)"))
    )
    ask(f"s = {_SPECIALS}", *tensors, call)


_PROGRAMS = 4
"""How many calls are made for each drawn seed."""


@sampled(calls=_PROGRAMS, seed=st.integers(0, 2**48))
def test_values(ask: Probe, seed: int) -> None:
    """Exact products, NaN, infinities, factors and operands of any geometry are as in torch."""
    for index in range(_PROGRAMS):
        ask(*program(_PROGRAMS * seed + index))


_COMPOSED = 8
"""How many calls that torch composes of others are made for each drawn seed."""


@sampled(seed=st.integers(0, 2**48))
def test_composed(ask: Probe, seed: int) -> None:
    """Cross products, and calls that torch composes of others, take or refuse any operands."""
    for index in range(_COMPOSED):
        ask(*composed_calls.program(_COMPOSED * seed + index))


SIZES = {
    "few": (2, 3, 2), "vector": (1, 1000, 1), "wide": (3, 17, 40), "square": (33, 32, 31),
    "long": (2, 5000, 3),
}  # fmt: skip
_MAGNITUDES = "{name}.to(torch.{double}).abs().nan_to_num(0.0, 0.0, 0.0)"


@exhaustive(
    lambda torch: Domain(
        source=DTYPES, size=SIZES, kind=KINDS,
        call=[call for call in PRODUCTS if call not in SINGLE], layout=LAYOUTS,
    ),
    parts=2,
    one_in=4,
)  # fmt: skip
def test_inexact(ask: Probe, source: str, size: str, kind: str, call: str, layout: str) -> None:
    """Inexact sums of few and of many products stay within the tolerances."""
    sizes = dict(zip("mkn", SIZES[size], strict=True))
    shapes = shapes_of(call, b=2, **sizes)
    counts = [*map(prod, shapes)]
    raw = terms(FORMATS[source], kind, sum(counts), ask.session.seed)
    steps, start = [f"x = torch.frombuffer(c, dtype=torch.{source})"], 0
    for name, shape, count in zip("yz", shapes, counts, strict=True):
        steps.append(f"{name} = x[{start}:{start + count}].reshape({shape})")
        start += count
    if layout != "transposed" or len(shapes[0]) > 1:
        steps.append(f"y = {LAYOUTS[layout].format(x='y')}")
    double = "float64" if FORMATS[source].parts == 1 else "complex128"
    pair = [_MAGNITUDES.format(name=name, double=double) for name in "yz"]
    # Sums of narrow formats are rounded once.
    length = 1 if source in ("float16", "bfloat16") else sizes["k"]
    magnitudes = f"{length} * torch.{call}({', '.join(pair)})"
    ask.bulk(
        ElementCase(source, "", raw, (*steps, f"torch.{call}(y, z)"), call, sizes=(magnitudes,))
    )
