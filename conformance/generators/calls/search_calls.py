"""Calls that find the largest, the k-th smallest, median and most frequent elements, as text."""

from math import prod
from random import Random

from ...core.float_formats import FORMATS
from ..special_values import DTYPES, specials
from .drawn_operands import laid_out, tensor_text

Program = tuple[str, ...]

OF_LINES = (
    "kthvalue({k}, {d})", "kthvalue({k}, {d}, True)", "mode({d})", "mode({d}, True)",
    "median({d})", "median({d}, True)", "nanmedian({d})", "nanmedian({d}, True)",
    "topk({k}, {d})", "topk({k}, {d}, largest=False)", "topk({k}, {d}, sorted=False)",
    "topk({k}, {d}, False, False)",
)  # fmt: skip
"""The calls along a dimension ``d``, with two results; ``k`` is a number of elements."""

OF_ALL = ("median()", "nanmedian()", "msort()")
"""The calls with one result."""

CALLS = (*OF_LINES, *OF_ALL)

_SIZES = (1, 2, 3, 4, 2, 3, 0)
_LENGTHS = (1, 4, 15, 16, 17, 20, 33, 40, 64, 70, 130, 200)
"""The lengths of lines on both sides of those at which torch's algorithms change."""

_OUTS = (
    "torch.zeros(0, dtype={dtype})",
    "torch.zeros(2, 3, dtype={dtype})",
    "torch.zeros(3, 2, dtype={dtype}).T",
)


def program(seed: int) -> Program:
    """Return the program of a call whose operand and form depend on the seed.

    Most elements are equal to others; some are special values.
    """
    random = Random(seed)
    template = random.choice(CALLS)
    dtype = random.choice(DTYPES)
    shape = [random.choice(_SIZES) for _ in range(random.choice((0, 1, 1, 2, 2, 2, 3)))]
    dim = random.randrange(len(shape)) if shape else 0
    if shape and random.random() < 0.6:
        shape[dim] = random.choice(_LENGTHS)
    size = shape[dim] if shape else 1
    k = random.choice((1, 2, size, size // 2, random.randint(0, size), size + 1))
    tensor = _tensor(random, dtype, shape)
    call = template.format(d=dim - random.choice((0, max(1, len(shape)))), k=k)
    name, arguments = call[:-1].split("(", 1)
    results = "" if call in OF_ALL else "v, i = "
    if random.random() < 0.4 or call in ("median()", "nanmedian()"):
        return f"x = {tensor}", f"{results}x.{name}({arguments})"
    arguments = ", ".join(filter(None, ("x", arguments)))
    if random.random() < 0.5:
        return f"x = {tensor}", f"{results}torch.{name}({arguments})"
    outs = [
        f"{target} = {random.choice(_OUTS).format(dtype=wanted)}"
        for target, wanted in (("o", "x.dtype"), ("i", "torch.int64"))
    ]
    if call in OF_ALL:
        return f"x = {tensor}", outs[0], f"torch.{name}({arguments}, out=o)"
    return f"x = {tensor}", *outs, f"torch.{name}({arguments}, out=(o, i))"


def _tensor(random: Random, dtype: str, shape: list[int]) -> str:
    """Return a tensor, which may be expanded.

    Torch reads the lines of an expanded tensor as if they had no gaps. Here they end in its memory.
    """
    values = specials(dtype)
    way = random.randrange(3)
    if way == 0:
        values = tuple(random.choice(values) for _ in range(3))
    elif way == 1:
        high = 2 if FORMATS[dtype].kind == "bool" else random.choice((2, 3, 10, 100))
        values = tuple(str(number) for number in range(high))
    numbers = [random.choice(values) for _ in range(prod(shape))]
    text = tensor_text(numbers, dtype, shape)
    if shape and random.randrange(5) == 0:
        dim = random.randrange(len(shape))
        return f"{text}.narrow({dim}, 0, {min(1, shape[dim])}).expand({shape})"
    return laid_out(random, text, shape)
