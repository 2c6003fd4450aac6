"""Calls of scatter and index_reduce with all their reductions, as source text."""

from math import prod
from random import Random

from ..special_values import DTYPES
from .drawn_operands import drawn_numbers, laid_out, tensor_text

Program = tuple[str, ...]

_INCLUDES = ("", ", include_self=False")
SCATTERS = (
    "scatter({d}, i, s)",
    "scatter({d}, i, {n})",
    *(f"scatter({{d}}, i, s, reduce='{reduce}')" for reduce in ("add", "multiply")),
    *(f"scatter({{d}}, i, {{n}}, reduce='{reduce}')" for reduce in ("add", "multiply")),
    "scatter_add({d}, i, s)",
    *(
        f"scatter_reduce({{d}}, i, s, '{reduce}'{include})"
        for reduce in ("sum", "prod", "mean", "amax", "amin")
        for include in _INCLUDES
    ),
)
"""The calls that take an index for each element, of a dimension ``d`` and a number ``n``."""

OF_ROWS = tuple(
    f"index_reduce({{d}}, i, s, '{reduce}'{include})"
    for reduce in ("prod", "mean", "amax", "amin")
    for include in _INCLUDES
)
"""The calls that take an index for each row."""

CALLS = (*SCATTERS, *OF_ROWS)

_SIZES = (1, 2, 3, 4, 2, 3, 0)
_ROWS = (1, 4, 16, 17, 20)
_NUMBERS = ("2", "-1", "0.5", "True", "300", "1j", "math.nan", "-0.0")
_OUTS = ("torch.zeros(0, dtype=x.dtype)", "torch.zeros_like(x).T.contiguous().T", "x", "s")


def program(seed: int) -> Program:
    """Return the program of a call whose operands and form depend on the seed.

    Indices repeat; a few are out of bounds. The numbers are special values or have many digits.
    """
    random = Random(seed)
    template = random.choice(CALLS)
    dtype = random.choice(DTYPES)
    shape = [random.choice(_SIZES) for _ in range(random.choice((0, 1, 1, 2, 2, 2, 3)))]
    if len(shape) > 1 and random.random() < 0.4:
        shape[-1] = random.choice(_ROWS)
    dim = random.randrange(len(shape)) if shape else 0
    steps = [f"x = {_tensor(random, dtype, shape)}"]
    if template in OF_ROWS:
        steps += _of_rows(random, dtype, shape, dim)
    else:
        steps += _of_elements(random, dtype, shape, dim)
    dim -= random.choice((0, max(1, len(shape))))
    return *steps, *_rendered(random, template.format(d=dim, n=random.choice(_NUMBERS)))


def _rendered(random: Random, call: str) -> Program:
    """Return a call as a function, in place, or with ``out=``."""
    name, arguments = call[:-1].split("(", 1)
    form = random.randrange(3)
    if form == 0:
        return (f"torch.{name}(x, {arguments})",)
    if form == 1:
        return (f"x.{name}_({arguments})",)
    return f"o = {random.choice(_OUTS)}", f"torch.{name}(x, {arguments}, out=o)"


def _of_rows(random: Random, dtype: str, shape: list[int], dim: int) -> Program:
    count = random.choice((0, 1, 2, 3, 5)) if shape else 1
    rows = [*shape]
    if rows:
        rows[dim] = count
    return (
        f"i = {_indices(random, count, shape, dim)}",
        f"s = {_tensor(random, dtype, rows)}",
    )


def _of_elements(random: Random, dtype: str, shape: list[int], dim: int) -> Program:
    sizes = [max(0, size - (random.random() < 0.1)) for size in shape]
    if sizes:
        sizes[dim] = random.choice((1, 2, 3, 5, 5, 0))
    count = prod(sizes)
    if sizes and random.random() < 0.4:  # an index for each row
        rows = [1] * len(sizes)
        rows[dim] = sizes[dim]
        index = f"{_indices(random, sizes[dim], shape, dim)}.view({rows}).expand({sizes})"
    else:
        index = f"{_indices(random, count, shape, dim)}.reshape({sizes})"
    source = [size + (random.random() < 0.1) for size in sizes]
    return f"i = {index}", f"s = {_tensor(random, dtype, source)}"


def _indices(random: Random, count: int, shape: list[int], dim: int) -> str:
    size = shape[dim] if shape else 1
    low, high = (-1, size) if random.random() < 0.15 else (0, max(0, size - 1))
    numbers = [random.randint(low, high) for _ in range(count)]
    return f"torch.tensor({numbers}, dtype=torch.{random.choice(('int64', 'int64', 'int32'))})"


def _tensor(random: Random, dtype: str, shape: list[int]) -> str:
    numbers = drawn_numbers(random, dtype, prod(shape))
    return laid_out(random, tensor_text(numbers, dtype, shape), shape)
