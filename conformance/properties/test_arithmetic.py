"""Arithmetic: operators on tensors and numbers of any dtype, shape and geometry."""

import re

from hypothesis import strategies as st

from ..comparison.element_cases import ElementCase
from ..core.domain import Domain
from ..core.float_formats import FORMATS
from ..engine.decorators import exhaustive, sampled
from ..engine.probe import Probe
from ..generators import arithmetic
from ..generators.bit_patterns import mixture, moderate
from ..generators.special_values import ENDS_PROCESS

_BLOCKS = {"mixture": mixture, "moderate": moderate}
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
def test_pairs(ask: Probe, left: str, right: str, place: str, operator: str, form: str) -> None:
    """add, sub, mul and div of all core dtypes, 0-dim tensors and scalars equal torch's."""
    ask(
        f"x = torch.tensor([[1, 0, 3], [4, 1, 7]]).to(torch.{left})",
        f"y = {PLACES[place].format(dtype=right)}",
        *(call.format(operator=operator) for call in FORMS[form]),
        question=2,
    )


BINARY = (
    "torch.add({x}, {y})", "torch.sub({x}, {y})", "torch.mul({x}, {y})", "torch.div({x}, {y})",
    "torch.add({x}, {y}, alpha={n})", "torch.sub({x}, {y}, alpha={n})", "torch.rsub({x}, {y})",
    "torch.true_divide({x}, {y})", "torch.floor_divide({x}, {y})",
    "torch.div({x}, {y}, rounding_mode='floor')", "torch.div({x}, {y}, rounding_mode='trunc')",
    "{x} + {y}", "{y} + {x}", "{x} - {y}", "{y} - {x}", "{x} * {y}", "{y} * {x}", "{x} / {y}",
    "{x} // {y}", "torch.add(input={x}, other={y})", "torch.mul(input={x}, other={y})",
    "torch.div(input={x}, other={y}, rounding_mode=None)", "{x}.clone().sub_({y})",
    "{x}.clone().div_({y}, rounding_mode='floor')",
)  # fmt: skip


@st.composite
def _pairs(draw: st.DrawFn) -> tuple[str, str, str]:
    dtypes = arithmetic.CORE if draw(st.integers(0, 3)) else arithmetic.CORE + arithmetic.SHELLS
    tensor = draw(arithmetic.operands(dtypes))
    number = draw(st.sampled_from(("1", "2", "-3", "0.5", "True", "1j", "torch.tensor(2)")))
    return tensor.text, draw(arithmetic.other_operands(tensor, dtypes)), number


@sampled(calls=8, pair=_pairs())
def test_binary(ask: Probe, pair: tuple[str, str, str]) -> None:
    """Every binary operator on operands of any dtype, geometry and number equals torch's."""
    x, y, number = pair
    for call in BINARY:
        ask(f"x = {x}", f"y = {y}", call.format(x="x", y="y", n=number))


@st.composite
def _three_alike(draw: st.DrawFn) -> list[str]:
    """Draw three tensors of one shape with different strides."""
    shape = tuple(draw(st.lists(st.sampled_from((1, 2, 2, 3)), min_size=1, max_size=5)))
    texts: list[str] = []
    for _ in range(3):
        order = draw(st.permutations(range(len(shape))))
        step = draw(st.sampled_from((1, 1, 2)))
        sizes = tuple(shape[dim] * step for dim in order)
        dtype = draw(st.sampled_from(DTYPES))
        slices = f"[{', '.join(['::2'] * len(shape))}]" if step == 2 else ""
        inverse = tuple(order.index(dim) for dim in range(len(shape)))
        expand = draw(st.sampled_from(("", "", "", "[:1].expand_as(x)" if texts else "")))
        texts.append(f"torch.ones({sizes}, dtype=torch.{dtype}){slices}.permute({inverse}){expand}")
    return texts


DTYPES = ("float32", "float32", "int64", "bool")


@sampled(calls=4, texts=_three_alike())
def test_strides(ask: Probe, texts: list[str]) -> None:
    """The strides of a result follow the operands in order; a cast operand has its copy's."""
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
        question=3,
    )


@sampled(
    calls=3,
    dtype=st.sampled_from(arithmetic.CORE),
    drawn=st.lists(st.integers(0, 19), min_size=1, max_size=20),
    alpha=st.sampled_from(
        (
            "0.1",
            "-2.5",
            "3",
            "2**40",
            "True",
            "1e300",
            "0.5j",
            "torch.tensor(7)",
            "numpy.int64(2)",
            "numpy.uint8(3)",
            "numpy.float32(1.1)",
            "numpy.complex128(1j)",
        )
    ),
)
def test_alpha(ask: Probe, dtype: str, drawn: list[int], alpha: str) -> None:
    """The second operand of add and sub is multiplied by alpha first, and rounded as in torch."""
    x, y = (arithmetic.elements(dtype, indices, len(drawn)) for indices in (drawn, drawn[::-1]))
    for call in (
        "torch.add(x, y, alpha={n})", "x.sub(y, alpha={n})", "torch.rsub(x, y, alpha={n})",
        "torch.add(x, 1.1, alpha={n})", "x.add_(y, alpha={n})", "x.sub_(2, alpha={n})",
        "torch.mul(x, 1.1)",
    ):  # fmt: skip
        ask(f"x = {x}", f"y = {y}", call.format(n=alpha))


_PLACED = {
    "row": "{x}",
    "strided": "torch.stack([{x}, {x}], 1)[:, 0]",
    "number": "{x}[0]",
    "expanded": "{x}[:1].expand({n})",
    "rows": "{x}.expand(3, {n}).contiguous()",
    "transposed": "{x}[:, None].expand({n}, 3).contiguous().t()",
    "column": "{x}[:3, None]",
    "sliced": "torch.stack([{x}] * 6).reshape(3, -1)[:, :{n}]",
    "cast": "{x}.double()",
}
"""Operands whose rows torch's loop over vectors takes, or not."""


@exhaustive(
    lambda torch: Domain(
        x=_PLACED, y=_PLACED, n=("3", "31", "32", "33", "70"), dtype=("float16", "bfloat16"),
        alpha=("0.1", "300", "-7.7"),
    ), one_in=16,
)  # fmt: skip
def test_rounded_products(ask: Probe, x: str, y: str, n: str, dtype: str, alpha: str) -> None:
    """Torch rounds a product with alpha twice, unless its element is in a full vector."""
    drawn = f"(torch.arange({n}.) * {{}} - 9).to(torch.{dtype})"
    first, second = drawn.format("0.73"), drawn.format("-0.37")
    for call in (
        "torch.add(x, y, alpha={})", "torch.sub(x, y, alpha={})", "torch.rsub(x, y, {})",
        "torch.add(x, 2.7, alpha={})", "x.clone().add_(y, alpha={})",
        "torch.sub(x, y, alpha={}, out=torch.zeros(0, dtype=torch.float32))",
    ):  # fmt: skip
        ask(
            f"x = {_PLACED[x].format(x=first, n=n)}",
            f"y = {_PLACED[y].format(x=second, n=n)}",
            call.format(alpha),
        )


@st.composite
def _triples(
    draw: st.DrawFn,
    numbers: tuple[str, ...] = arithmetic.NUMBERS,
    pools: arithmetic.Pools = arithmetic.TELLING,
) -> tuple[str, str, str, str]:
    """Draw three operands, the first a tensor, and a number; often two have one dtype."""
    dtypes: tuple[str, ...] = arithmetic.CORE
    if draw(st.integers(0, 3)) == 0:
        dtypes += arithmetic.SHELLS
    if draw(st.booleans()):
        frequent, rare = (draw(st.sampled_from(dtypes)) for _ in range(2))
        dtypes = frequent, frequent, rare
    tensor = draw(arithmetic.operands(dtypes, pools=pools))
    second = draw(arithmetic.other_operands(tensor, dtypes, numbers, pools))
    third = draw(arithmetic.other_operands(tensor, dtypes, (), pools))
    return tensor.text, second, third, draw(st.sampled_from(numbers))


OUTS = ("torch.empty(0)", "torch.empty(2, 3)", "x.clone()", "torch.empty(0, dtype=torch.complex64)",
        "torch.empty(0, dtype=torch.int8)", "torch.empty(0, dtype=torch.bool)")  # fmt: skip


_IN_PLACE = re.compile(r"\w_\(|^x \S*[^=!<>]= |^x (<<|>>)= ")


def _ask_all(ask: Probe, calls: tuple[str, ...], drawn: tuple[str, str, str, str]) -> None:
    """Run calls on operands, and in-place calls on a copy.

    The order of in-place writes to overlapping memory is undefined. Where the least number of int32
    ends torch's process, it is one more.
    """
    for call in calls:
        x, y, z, number = drawn
        if ENDS_PROCESS.search(call):
            x, z = (text.replace(f"{-(2**31)}", f"{1 - 2**31}") for text in (x, z))
        steps = [f"x = {x}", f"y = {y}"]
        if _IN_PLACE.search(call):
            steps[0] += ".clone()"
        if "z" in call:
            steps.append(f"z = {z}")
        ask(*steps, call.format(n=number))


_BY_SIGN = tuple(
    call.format(name=name, alias=alias, sign=sign)
    for name, alias, sign in (
        ("eq", "eq", "=="), ("ne", "not_equal", "!="), ("lt", "less", "<"),
        ("le", "less_equal", "<="), ("gt", "greater", ">"), ("ge", "greater_equal", ">="),
    )
    for call in (
        "torch.{name}(x, y)", "x {sign} y", "y {sign} x", "x.{name}_(y)", "torch.{alias}(x, z)",
    )
)  # fmt: skip
COMPARISONS = (
    *_BY_SIGN, "torch.logical_and(x, y)", "torch.logical_or(x, z)", "torch.logical_xor(x, z)",
    "x.logical_and_(y)", *(f"torch.eq(x, y, out={out})" for out in OUTS),
    *(f"torch.lt(x, z, out={out})" for out in OUTS),
    *(f"torch.logical_or(x, z, out={out})" for out in OUTS), "torch.equal(x, y)",
    "torch.equal(x, x)", "torch.isclose(x, y)", "torch.isclose(x, x, equal_nan=True)",
    "torch.allclose(x, x + 0)", "torch.isclose(x, z.to(x.dtype), {n}, 0.5)",
    "torch.isclose(x, z.to(x.dtype), equal_nan=True)",
)  # fmt: skip


@sampled(calls=16, drawn=_triples())
def test_comparisons(ask: Probe, drawn: tuple[str, str, str, str]) -> None:
    """Comparisons, logical operators and isclose equal torch's, also with out=."""
    _ask_all(ask, COMPARISONS, drawn)


BITWISE = (
    "x & y", "y & x", "x | y", "x ^ y", "x << y", "x >> y", "y << x", "y >> x", "x &= y", "x |= z",
    "x ^= z", "x <<= y", "x >>= y", "torch.bitwise_and(x, z)", "torch.bitwise_or({n}, x)",
    "torch.bitwise_right_shift(x, y)", "torch.bitwise_xor(x, {n})",
    "torch.bitwise_left_shift({n}, x)", "torch.bitwise_right_shift(x, {n})",
    "x.bitwise_left_shift_(z)", *(f"torch.bitwise_and(x, z, out={out})" for out in OUTS),
    "torch.gcd(x, z)", "torch.lcm(x, z)", "x.gcd_(z)", "torch.lcm_(x, z)",
)  # fmt: skip


@sampled(calls=10, drawn=_triples())
def test_bitwise(ask: Probe, drawn: tuple[str, str, str, str]) -> None:
    """Bitwise operators, gcd and lcm equal torch's, errors included."""
    _ask_all(ask, BITWISE, drawn)


CHOICES = (
    "torch.maximum(x, z)", "torch.minimum(x, z)", "torch.fmax(x, z)", "torch.fmin(x, z)",
    "torch.maximum(x, y)", "torch.max(x, z)", "torch.min(x, y)", "torch.clamp(x, {n})",
    "torch.clamp(x, max={n})", "torch.clamp(x, {n}, 2)", "torch.clamp(x, y)",
    "torch.clamp(x, y, z)", "torch.clip(x, max=z)", "x.clamp_({n})", "x.clip_(z, z)",
    "torch.clamp_min(x, {n})", "torch.clamp_max(x, y)", "x.clamp_max_({n})", "x.clamp_min_(y)",
    "torch.where(x, y, z)", "torch.where(x > 1, x, y)", "torch.where(z == 1, y, x)",
    "torch.where(x != 0, z, {n})", "torch.where(x != 0, {n}, 2)", "x.where(z != 0, y)",
    "torch.where(x)", "torch.nonzero(x)", "x.nonzero(as_tuple=True)", "torch.argwhere(x)",
    "torch.heaviside(x, z)", *(f"torch.where(z == 1, x, z, out={out})" for out in OUTS),
    *(f"torch.clamp(x, {{n}}, out={out})" for out in OUTS),
    *(f"torch.nonzero(x, out={out})" for out in OUTS),
    *(f"torch.max(x, z, out={out})" for out in OUTS),
)  # fmt: skip


@sampled(calls=14, drawn=_triples())
def test_choices(ask: Probe, drawn: tuple[str, str, str, str]) -> None:
    """maximum, minimum, clamp, where and nonzero equal torch's, in each form."""
    _ask_all(ask, CHOICES, drawn)


REMAINDERS = (
    "torch.remainder(x, y)", "torch.fmod(x, y)", "x % y", "y % x", "x %= y", "x.fmod_(z)",
    "torch.remainder({n}, x)", "torch.copysign(x, y)", "x.copysign_(z)", "torch.nextafter(x, z)",
    "x.nextafter_(z)", *(f"torch.fmod(x, z, out={out})" for out in OUTS),
)  # fmt: skip


@sampled(calls=6, drawn=_triples())
def test_remainders(ask: Probe, drawn: tuple[str, str, str, str]) -> None:
    """remainder, fmod, copysign and nextafter equal torch's to the last bit."""
    _ask_all(ask, REMAINDERS, drawn)
    # Torch raises for a zero divisor after it has written the elements before it.
    ask("x = torch.tensor([4, 4])", "x.fmod_(torch.tensor([3, 0]))")


POWERS = (
    "torch.pow(x, y)", "torch.pow(x, 0)", "torch.pow(x, 2)", "x ** y", "y ** x",
    "torch.pow(x, {n})", "torch.pow({n}, x)", "x.pow_(y)", "x **= z", "x.pow_({n})",
    "torch.float_power(x, y)", "torch.float_power(x, {n})", "x.float_power_(z)",
    *(f"torch.pow(x, {{n}}, out={out})" for out in OUTS),
    *(f"torch.pow({{n}}, x, out={out})" for out in OUTS),
    "torch.float_power(x, z, out=torch.empty(0, dtype=torch.float64))",
)  # fmt: skip


@sampled(
    calls=8,
    drawn=_triples(numbers=arithmetic.EXPONENTS, pools=arithmetic.EXACT),
)
def test_powers(ask: Probe, drawn: tuple[str, str, str, str]) -> None:
    """Powers of tensors and of numbers equal torch's where they are exact."""
    _ask_all(ask, POWERS, drawn)


INEXACT = {
    "mul": "x * y", "div": "x / y", "pow": "torch.pow(x, y)", "pow 2.5": "x ** 2.5",
    "pow 0.3": "0.3 ** x", "float_power": "torch.float_power(x, y)", "atan2": "torch.atan2(x, y)",
    "hypot": "torch.hypot(x, y)", "logaddexp": "torch.logaddexp(x, y)",
    "logaddexp2": "torch.logaddexp2(x, y)", "xlogy": "torch.xlogy(x, y)",
    "ldexp": "torch.ldexp(x, y)", "lerp": "torch.lerp(x, y, 0.3)",
    "lerp of tensors": "torch.lerp(x, y, y)", "addcmul": "torch.addcmul(x, y, x, value=2)",
    "addcdiv": "torch.addcdiv(x, y, x, value=2)",
}  # fmt: skip
"""Binary operators without exact rounding in some kernel or for some dtype."""

FLOATS = ("float32", "float64", "float16", "bfloat16", "complex64", "complex128", "complex32")
_PAIR_DENSE = (
    "{name} = torch.frombuffer(c.reshape(-1, 2, {parts})[:, {at}].copy().reshape(-1),"
    " dtype=torch.{source})"
)
_PAIR_STRIDED = (
    "{name} = torch.frombuffer(c.reshape(-1, 2, {parts})[:, {at}].repeat(2, 0).reshape(-1),"
    " dtype=torch.{source})[::2]"
)


@exhaustive(lambda torch: Domain(source=FLOATS, block=_BLOCKS, operator=INEXACT), parts=2)
def test_inexact(ask: Probe, source: str, block: str, operator: str) -> None:
    """Binary operators without exact rounding stay within the tolerances, for each element."""
    fmt, session, call = FORMATS[source], ask.session, INEXACT[operator]
    raw = _BLOCKS[block](fmt, session.profile.operator_patterns, session.seed)
    dense, strided = (
        tuple(
            step.format(name=name, at=at, source=source, parts=fmt.parts)
            for at, name in enumerate("xy")
        )
        for step in (_PAIR_DENSE, _PAIR_STRIDED)
    )
    for xy, others in ((dense, strided), (strided, dense)):
        ask.bulk(ElementCase(source, "", raw, (*xy, call), operator, ("x", "y"), (*others, call)))
