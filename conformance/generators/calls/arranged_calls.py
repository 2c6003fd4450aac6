"""Calls that arrange, repeat or join elements, with operands that depend on a seed."""

from random import Random

from .drawn_operands import Operands
from .indexed_calls import Program, in_form

_ANY = (0, 1, 2, 2, 2, 3, 3)
_MATRICES = (1, 2, 2, 2, 3, 3)

_CALLS = {
    "flip(x, {ds})": (_ANY, "fm"), "fliplr(x)": (_ANY, "fm"), "flipud(x)": (_ANY, "fm"),
    "roll(x, {n}, {d})": (_ANY, "fm"), "roll(x, {n})": (_ANY, "fm"),
    "roll(x, ({n}, 1), {ds})": (_ANY, "fm"), "rot90(x)": (_MATRICES, "fm"),
    "rot90(x, {n})": (_MATRICES, "fm"), "rot90(x, {n}, {ds})": (_MATRICES, "fm"),
    "rot90(x, {n}, (-1, 0))": (_MATRICES, "fm"), "tril(x)": (_MATRICES, "fmio"),
    "triu(x, {n})": (_MATRICES, "fmio"), "tril(x, {n})": (_MATRICES, "fmio"),
    "triu(x)": (_MATRICES, "fmio"), "diag(x)": ((1, 2, 2), "fmo"),
    "diag(x, {n})": ((1, 2, 2, 3), "fmo"), "diagflat(x, {n})": (_ANY, "fm"),
    "diag_embed(x, {n})": (_ANY, "fm"), "diag_embed(x, {n}, {d}, 0)": (_ANY, "fm"),
    "diagonal(x, {n}, {d}, -1)": (_MATRICES, "fm"), "trace(x)": ((2, 2, 2, 1), "fm"),
    "tile(x, {ds})": (_ANY, "fm"), "repeat(x, {r})": (_ANY, "m"),
    "repeat_interleave(x, {n})": (_ANY, "fm"), "repeat_interleave(x, {n}, {d})": (_ANY, "fm"),
    "repeat_interleave(x, y, {d})": (_ANY, "fm"), "repeat_interleave(x)": ((1, 1, 2), "fm"),
    "nonzero(x)": (_ANY, "fmo"), "argwhere(x)": (_ANY, "fm"), "isin(x, y)": (_ANY, "fo"),
    "isin(x, y, invert=True)": (_ANY, "fo"), "isin(x, 2)": (_ANY, "f"),
    "__contains__(x, {e})": (_ANY, "m"), "__contains__(x, y)": (_ANY, "m"),
    "complex(x, y)": (_ANY, "fo"), "polar(x, y)": (_ANY, "fo"), "view_as_complex(x)": (_ANY, "f"),
    "ldexp(x, y)": (_ANY, "fmio"), "heaviside(x, y)": (_ANY, "fmio"),
    "copysign(x, y)": (_ANY, "fmio"), "cat(z)": (_ANY, "fo"), "stack(z)": (_ANY, "fo"),
    "cat(z, {d})": (_ANY, "fo"), "stack(z, {d})": (_ANY, "fo"), "hstack(z)": (_ANY, "fo"),
    "vstack(z)": (_ANY, "fo"), "row_stack(z)": (_ANY, "fo"), "dstack(z)": (_ANY, "fo"),
    "column_stack(z)": (_ANY, "fo"), "meshgrid(*z)": ((0, 1, 1, 1, 2), "f"),
    "meshgrid(*z, indexing='xy')": ((0, 1, 1), "f"),
    "meshgrid(z, indexing='ij')": ((0, 1, 1, 1, 2), "f"), "atleast_1d(*z)": (_ANY, "f"),
    "atleast_2d(z)": (_ANY, "f"), "atleast_3d(x)": (_ANY, "f"),
    "broadcast_tensors(*z)": (_ANY, "f"), "sort(x, {d})": (_ANY, "fm"),
    "sort(x, {d}, descending=True)": (_ANY, "fm"), "argsort(x, {d}, stable=True)": (_ANY, "fm"),
    "unflatten(x, {d}, (-1, 1))": (_ANY, "fm"), "index_select(x, {d}, y)": (_ANY, "fmo"),
    "movedim(x, {ds}, (0, 1))": (_ANY, "fm"), "cummax(x, {d})": (_ANY, "fm"),
    "cummin(x, {d})": (_ANY, "fm"), "diff(x, 1, {d})": (_ANY, "fmo"),
    "unfold(x, {d}, 2, 1)": (_ANY, "m"),
}  # fmt: skip
"""Calls on ``x``, with the ranks of their tensors and their forms.

Some take a list ``z`` of tensors. The forms are those of `in_form`.
"""

_NUMBERS = ("0", "1", "-1", "2", "-2", "3", "-3", "5", "-5", "7")
_ELEMENTS = ("1", "0.5", "math.nan", "1j", "True", "'a'", "None", "2**63", "torch.tensor([1])")


def program(seed: int) -> Program:
    """Return a program whose call, form and operands depend on the seed; a few are wrong."""
    random = Random(seed)
    drawn = Operands(random)
    template, (ranks, forms) = random.choice([*_CALLS.items()])
    shape, is_list = drawn.shape(*ranks), "(z" in template or "*z" in template
    # Large repeats would fill the machine's memory.
    x = drawn.indices(shape, 5) if "interleave(x)" in template else drawn.tensor(shape)
    steps = [f"x = {x}"]
    if ", y" in template:
        steps.append(f"y = {_second(drawn, template, shape)}")
    others = [f"c = {_other(drawn, shape)}" for _ in range(random.randrange(3) * is_list)]
    steps += [step.replace("c", "ab"[at], 1) for at, step in enumerate(others)]
    names = [step[0] for step in steps]
    steps = drawn.stated(steps)
    if is_list:
        random.shuffle(names)
        listed = ", ".join(names)
        template = template.replace("(*z", f"({listed}").replace("(z", f"(({listed},)")
    call = template.format(
        n=random.choice(_NUMBERS), e=random.choice(_ELEMENTS), d=drawn.dim(len(shape)),
        ds=tuple(drawn.dim(len(shape)) for _ in range(random.choice((1, 2, 2, 2, 3)))),
        r=", ".join(random.choice("0123") for _ in range(len(shape) + random.randrange(3))) or "()",
    )  # fmt: skip
    return *steps, *in_form(drawn, call, random.choice(forms), names)


def _second(drawn: Operands, template: str, shape: list[int]) -> str:
    """Return the text of a second operand."""
    if template.startswith(("repeat_interleave", "index_select")):
        return drawn.indices([drawn.random.choice((1, 2, 3))], 3)
    dtype = drawn.choice("int32", "int64", drawn.dtype) if "ldexp" in template else None
    return drawn.tensor(drawn.other_shape(shape), dtype)


def _other(drawn: Operands, shape: list[int]) -> str:
    """Return the text of another tensor of a list."""
    return drawn.tensor(drawn.other_shape(shape), "float32" if drawn.rarely(6) else None)
