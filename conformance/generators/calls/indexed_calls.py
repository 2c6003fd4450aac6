"""Calls that take indices or masks, with operands that depend on a seed, as source text."""

import re
from collections.abc import Sequence
from math import prod
from random import Random

from .drawn_operands import Operands

Program = tuple[str, ...]

_ROWS = {
    "index_select(x, {d}, i)": "fmo",
    "index_add(x, {d}, i, s)": "fmio",
    "index_add(x, {d}, i, s, alpha={a})": "fmio",
    "index_copy(x, {d}, i, s)": "fmio",
    "index_fill(x, {d}, i, {v})": "fmi",
    "index_fill(x, {d}, i, v)": "mi",
    "index_reduce(x, {d}, i, s, {r!r})": "fmio",
    "repeat_interleave(x, i, {d})": "fm",
    "index_put(x, (i,), s)": "fmi",
    "index_put(x, (i,), s, True)": "fmi",
    "index_put(x, (i,), v)": "mi",
    "__getitem__(x, i)": "m",
    "__setitem__(x, i, s)": "m",
    "__setitem__(x, (..., i), {v})": "m",
}
"""Calls with an index for each row, with their forms: function, method, in place, ``out=``."""

_ELEMENTS = {
    "gather(x, {d}, i)": "fmo",
    "take_along_dim(x, i, {d})": "fmo",
    "scatter(x, {d}, i, s)": "fmio",
    "scatter(x, {d}, i, {v})": "fmio",
    "scatter_add(x, {d}, i, s)": "fmio",
    "scatter_reduce(x, {d}, i, s, {r!r})": "fmio",
}
"""Calls with an index for each element."""

_PLACES = {
    "take(x, i)": "fmo",
    "put(x, i, s)": "fmi",
    "put(x, i, s, accumulate=True)": "fmi",
    "isin(x, i)": "fo",
    "take_along_dim(x, i)": "fmo",
}
"""Calls with indices into all elements."""

_MASKS = {
    "masked_fill(x, i, {v})": "fmi",
    "masked_fill(x, i, v)": "fmi",
    "masked_scatter(x, i, s)": "fmi",
    "masked_select(x, i)": "fmo",
    "where(x, i, s)": "mo",
    "where(x, i, v)": "m",
    "__getitem__(x, i)": "m",
    "__setitem__(x, i, {v})": "m",
    "__setitem__(x, i, s)": "m",
    "index_put(x, (i,), v)": "fmi",
}
"""Calls with a mask."""

_TABLES = (_ROWS, _ROWS, _ELEMENTS, _PLACES, _MASKS)
CALLS = {**_ROWS, **_ELEMENTS, **_PLACES}
"""The calls with indices, and their forms."""

_NUMBERS = ("2", "-1", "0.3", "0.5", "True", "300", "1j", "math.nan", "-0.0", "-1000", "None")
_REDUCTIONS = ("prod", "mean", "amax", "amin", "sum")


def program(seed: int) -> Program:
    """Return a program whose call, form and operands depend on the seed; a few are wrong."""
    random = Random(seed)
    drawn = Operands(random)
    table = random.choice(_TABLES)
    template, forms = random.choice([*table.items()])
    shape = drawn.shape(0, 1, 1, 2, 2, 2, 3)
    dim = drawn.dim(len(shape))
    index, source = _operands(drawn, table, shape, dim)
    dtype = None if not drawn.rarely(6) else "float32"
    steps = [f"x = {drawn.tensor(shape)}", f"i = {index}"]
    if ", s" in template:
        steps.append(f"s = {drawn.tensor(drawn.other_shape(source), dtype)}")
    if " v)" in template:
        steps.append(f"v = {drawn.tensor([1] * drawn.rarely(3), dtype)}")
    if drawn.rarely(10):
        dim = random.choice((-4, 3, 7))
    call = template.format(
        d=dim, a=random.choice(_NUMBERS), v=random.choice(_NUMBERS), r=random.choice(_REDUCTIONS)
    )
    names = [step[0] for step in steps]
    return *drawn.stated(steps), *in_form(drawn, call, random.choice(forms), names)


def plain_call(template: str) -> str:
    """Return a call as a function, or a method, with fixed numbers."""
    call = template.format(d=0, a=2, v=2, r="prod")
    if "f" in CALLS[template]:
        return f"torch.{call}"
    name, arguments = call.split("(x, ", 1)
    return f"x.{name}({arguments}"


def _operands(
    drawn: Operands, table: dict[str, str], shape: list[int], dim: int
) -> tuple[str, list[int]]:
    """Return the text of the indices, and the shape of the elements for them."""
    random, size = drawn.random, shape[dim] if shape else 1
    if table is _ROWS:
        count = random.choice((0, 1, 2, 3, 5)) if shape else 1
        rows = [*shape]
        if rows:
            rows[dim] = count
        return drawn.indices([count] if shape or drawn.rarely(2) else [], size), rows
    if table is _ELEMENTS:
        sizes = [max(0, size - drawn.rarely(8)) for size in shape]
        if sizes:
            sizes[dim] = random.choice((1, 2, 3, 5, 0))
        return drawn.indices(drawn.other_shape(sizes), size), sizes
    if table is _PLACES:
        sizes = [random.choice((1, 2, 3, 0)) for _ in range(random.choice((0, 1, 1, 2)))]
        return drawn.indices(sizes, prod(shape)), sizes
    sizes = [1 if drawn.rarely(6) else size for size in shape][drawn.rarely(6) :]
    return drawn.tensor(drawn.other_shape(sizes), "bool"), shape


_OUTS = (
    "torch.zeros(0, dtype=x.dtype)", "torch.zeros(0, dtype=x.dtype)", "torch.zeros_like(x)",
    "torch.zeros(5, 2, dtype=x.dtype).t()", "torch.zeros(0)", "x.view(-1)[1:]", "x.mT",
    "torch.zeros_like(x).mT.contiguous().mT", "x.t()", "torch.zeros(1, dtype=x.dtype).expand(2)",
    "torch.zeros(x.shape, dtype=x.dtype).conj()", "torch.zeros(0, dtype=x.dtype, device='meta')",
)  # fmt: skip


_CALL = re.compile(r"(\w+)\(([*\w]+)(?:, )?(.*)\)")


def in_form(drawn: Operands, call: str, form: str, names: Sequence[str]) -> Program:
    """Return the steps of a call on operands: a function, a method, in place, or with ``out=``."""
    if form == "f":
        return (f"torch.{call}",)
    if form == "o":
        return f"o = {drawn.choice(*_OUTS, *names)}", f"torch.{call[:-1]}, out=o)"
    match = _CALL.fullmatch(call)
    assert match
    name, first, arguments = match.groups()
    return (f"{first}.{name}{'_' * (form == 'i')}({arguments})",)
