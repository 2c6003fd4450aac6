"""Arithmetic: operators on tensors and numbers of any dtype, shape and geometry."""

from hypothesis import strategies as st

from . import arithmetic_strategies as arithmetic
from .domains import Domain
from .properties import exhaustive, sampled
from .session import Asker

FOUR = ("add", "sub", "mul", "div")
PLACES = {
    "dimensioned": "torch.tensor([3, 1, 0, 1, 2, 5]).to(torch.{dtype}).view(2, 3)",
    "0-dim": "torch.tensor(3).to(torch.{dtype})",
    "scalar": "torch.tensor(3).to(torch.{dtype}).item()",
}
FORMS = {
    "function": ("torch.{operator}(x, y)", "torch.{operator}(y, x)"),
    "in place": ("x.{operator}_(y)", "x"),
    "out=": (
        "torch.{operator}(x, y, out=torch.empty(0, dtype=x.dtype))",
        "torch.{operator}(x, y, out=torch.empty(2, 3, dtype=torch.float32))",
        "torch.{operator}(x, y, out=x)",
    ),
}


@exhaustive(
    lambda torch: Domain(
        left=arithmetic.CORE, right=arithmetic.CORE, place=[*PLACES], operator=FOUR, form=[*FORMS]
    ),
    parts=4,
)
def test_pairs(ask: Asker, left: str, right: str, place: str, operator: str, form: str) -> None:
    """The four operations between all core dtypes: tensors, 0-dim tensors and scalars, in each form."""
    ask(
        f"x = torch.tensor([[1, 0, 3], [4, 1, 7]]).to(torch.{left})",
        f"y = {PLACES[place].format(dtype=right)}",
        *(each.format(operator=operator) for each in FORMS[form]),
    )


BINARY = (
    "torch.add({x}, {y})", "torch.sub({x}, {y})", "torch.mul({x}, {y})", "torch.div({x}, {y})",
    "torch.add({x}, {y}, alpha={n})", "torch.sub({x}, {y}, alpha={n})",
    "torch.rsub({x}, {y})", "torch.true_divide({x}, {y})", "torch.floor_divide({x}, {y})",
    "torch.div({x}, {y}, rounding_mode='floor')", "torch.div({x}, {y}, rounding_mode='trunc')",
    "{x} + {y}", "{y} + {x}", "{x} - {y}", "{y} - {x}", "{x} * {y}", "{y} * {x}", "{x} / {y}",
    "{x} // {y}",
)  # fmt: skip


@st.composite
def _pairs(draw: st.DrawFn) -> tuple[str, str, str]:
    dtypes = arithmetic.CORE if draw(st.integers(0, 3)) else arithmetic.CORE + arithmetic.SHELLS
    tensor = draw(arithmetic.operands(dtypes))
    number = draw(st.sampled_from(("1", "2", "-3", "0.5", "True", "1j", "torch.tensor(2)")))
    return tensor.text, draw(arithmetic.partners(tensor, dtypes)), number


@sampled(calls=8, pair=_pairs())
def test_binary(ask: Asker, pair: tuple[str, str, str]) -> None:
    """Every binary operator on operands of any dtypes, geometries and numbers."""
    x, y, number = pair
    for call in BINARY:
        ask(f"x = {x}", f"y = {y}", call.format(x="x", y="y", n=number))


@st.composite
def _three_alike(draw: st.DrawFn) -> list[str]:
    """Draw three tensors of one shape that lie in memory each in its own way."""
    shape = tuple(draw(st.lists(st.sampled_from((1, 2, 2, 3)), min_size=1, max_size=5)))
    texts: list[str] = []
    for _ in range(3):
        order = draw(st.permutations(range(len(shape))))
        gap = draw(st.sampled_from((1, 1, 2)))
        made = f"torch.ones({tuple(shape[dim] * gap for dim in order)}, dtype=torch.{draw(st.sampled_from(DTYPES))})"
        back = tuple(order.index(dim) for dim in range(len(shape)))
        gaps = f"[{', '.join(['::2'] * len(shape))}]" if gap == 2 else ""
        reach = draw(st.sampled_from(("", "", "", "[:1].expand_as(x)" if texts else "")))
        texts.append(f"{made}{gaps}.permute({back}){reach}")
    return texts


DTYPES = ("float32", "float32", "int64", "bool")


@sampled(calls=4, texts=_three_alike())
def test_strides(ask: Asker, texts: list[str]) -> None:
    """Where a result lies is decided by its operands in their order, converted ones as they are copied."""
    x, y, z = texts
    ask(
        f"x = {x}",
        f"y = {y}",
        f"z = {z}",
        "torch.mul(x, y)",
        "torch.mul(y, x)",
        "torch.add(x, z, alpha=2)",
        "torch.add(x, 1)",
        "torch.add(y, z, out=torch.empty(0))",
        "torch.add(z, 1.5, out=torch.empty(2, 1))",
        "x * y[0]",
    )


@sampled(
    calls=3,
    dtype=st.sampled_from(arithmetic.CORE),
    drawn=st.lists(st.integers(0, 19), min_size=1, max_size=20),
    alpha=st.sampled_from(
        ("0.1", "-2.5", "3", "2**40", "True", "1e300", "0.5j", "torch.tensor(7)")
    ),
)
def test_alpha(ask: Asker, dtype: str, drawn: list[int], alpha: str) -> None:
    """The second operand of add and sub is multiplied first, and what comes of it is rounded once."""
    x, y = (arithmetic.elements(dtype, each, len(drawn)) for each in (drawn, drawn[::-1]))
    for call in ("torch.add(x, y, alpha={n})", "x.sub(y, alpha={n})", "torch.rsub(x, y, alpha={n})",
                 "torch.add(x, 1.1, alpha={n})", "x.add_(y, alpha={n})", "x.sub_(2, alpha={n})"):  # fmt: skip
        ask(f"x = {x}", f"y = {y}", call.format(n=alpha))
