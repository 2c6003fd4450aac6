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
    return tensor.text, draw(arithmetic.partners(tensor.shape, dtypes)), number


@sampled(calls=8, pair=_pairs())
def test_binary(ask: Asker, pair: tuple[str, str, str]) -> None:
    """Every binary operator on operands of any dtypes, geometries and numbers."""
    x, y, number = pair
    for call in BINARY:
        ask(f"x = {x}", f"y = {y}", call.format(x="x", y="y", n=number))
