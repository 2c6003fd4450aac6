"""Calls that torch composes of products, sums and copies, with operands that depend on a seed."""

from collections.abc import Callable
from random import Random

from .drawn_operands import Operands
from .indexed_calls import Program, in_form

_RANKS = (1, 2, 2, 3)
_OPTIONS = ("", ", {d}", ", dim={d}", ", {d}")


def program(seed: int) -> Program:
    """Return a program whose call, form and operands depend on the seed; a few are wrong."""
    random = Random(seed)
    return random.choice([*_CALLS.values()])(Operands(random))


def _cross(drawn: Operands) -> Program:
    shape = drawn.shape(*_RANKS)
    dim = drawn.dim(len(shape))
    if not drawn.rarely(20):
        shape[dim] = 3
    other = drawn.other_shape(shape) if drawn.rarely(4) else [*shape]
    if other and drawn.rarely(4):
        other[drawn.random.randrange(len(other))] = 1
    dtype = "float32" if drawn.rarely(20) else None
    steps = [f"x = {drawn.tensor(shape)}", f"y = {drawn.tensor(other, dtype)}"]
    if drawn.rarely(15):
        dim = drawn.random.randrange(-4, 4)
    call = f"cross(x, y{drawn.choice(*_OPTIONS).format(d=dim)})"
    return *drawn.stated(steps), *in_form(drawn, call, drawn.choice("f", "m", "o"), "xy")


_CALLS: dict[str, Callable[[Operands], Program]] = {"cross": _cross}
"""The functions that draw the calls, by operator."""
