"""Calls that find places in sorted rows, count numbers, and find distinct ones, as source text."""

from math import prod
from random import Random

from ...core.float_formats import FORMATS
from ..special_values import DTYPES, FLOATS, specials
from .drawn_operands import laid_out, tensor_text

Program = tuple[str, ...]

SEARCHES = (
    "torch.searchsorted(x, y)", "torch.searchsorted(x, y, right=True)",
    "torch.searchsorted(x, y, side='right', out_int32=True)", "torch.searchsorted(x, y, sorter=i)",
    "torch.searchsorted(x, y, side='left', right=True)", "torch.searchsorted(x, y, side='up')",
    "torch.bucketize(y, x)", "torch.bucketize(y, x, right=True, out_int32=True)",
    "torch.searchsorted(x, y, out=o)", "torch.bucketize(y, x, out=o)",
)  # fmt: skip
"""The calls that find ``y`` in rows ``x``, in the order ``i``, with places ``o``."""

UNIQUE = (
    "torch.unique(x, {})", "torch.unique(x, return_inverse=True, {})",
    "x.unique(return_counts=True, {})", "torch.unique(x, False, True, True, {})",
    "torch.unique_consecutive(x, {})", "x.unique_consecutive(True, {})",
    "torch.unique_consecutive(x, True, {})", "torch.unique_consecutive(x, True, True, {})",
)  # fmt: skip
"""The calls that find the distinct elements of ``x``, with a dimension."""

HISTC = (
    "histc(4)", "histc(3, 1, 4)", "histc(bins=2, min=-0.5, max=True)", "histc(2, 3, 3)",
    "histc(0)", "histc(3, 2, 1)", "histc(3, 0, math.inf)", "histc(3, 1j, 2)",
)  # fmt: skip
"""Calls of the method histc."""

_LEADS = ((), (), (), (1,), (2,), (3, 2), (0,))
_SIZES = (1, 2, 3, 5, 17, 70, 0)
_NUMBERS = ("2", "-1", "2.5", "True", "300", "2**40", "1j", "math.nan", "-math.inf")
_OUTS = ("torch.zeros(0, dtype={})", "torch.zeros(6, dtype={})[::2]", "torch.zeros(2, 3, dtype={})")


def search(seed: int) -> Program:
    """Return the program of a search whose operands depend on the seed.

    Half of the rows are sorted, the others have special values in any order.
    """
    random = Random(seed)
    lead = random.choice(_LEADS)
    dtypes = [random.choice(DTYPES)] * 2
    if random.random() < 0.3:
        dtypes[1] = random.choice(DTYPES)
    rows = [*lead, random.choice(_SIZES)]
    values = [*lead, random.choice(_SIZES)]
    if random.random() < 0.2:
        values = random.choice(([], [2], [2, 3], [2, 2, 2]))
    row = _tensor(random, dtypes[0], rows)
    call = random.choice(SEARCHES)
    if FORMATS[dtypes[0]].parts > 1:
        call = call.replace(", sorter=i", "")
    elif random.random() < 0.5:
        row = f"{row}.sort(-1).values"
    value = _tensor(random, dtypes[1], values)
    dtype = random.choice(("torch.int64", "torch.int64", "torch.int32"))
    return (
        f"x = {row}",
        f"y = {random.choice(_NUMBERS) if random.random() < 0.15 else value}",
        *(("i = x.argsort(-1, stable=True)",) if "sorter" in call else ()),
        *((f"o = {random.choice(_OUTS).format(dtype)}",) if "out=" in call else ()),
        call,
    )


def count(seed: int) -> Program:
    """Return the program of a call of bincount whose operands depend on the seed."""
    random = Random(seed)
    size = random.choice(_SIZES)
    low = -1 if random.random() < 0.1 else 0
    numbers = [random.randint(low, 9) for _ in range(size)]
    dtype = random.choice(("int64", "int32", "uint8", "int8", "int16", "int64", *DTYPES))
    shape = [size] if random.random() < 0.9 else [size, 1]
    tensor = f"torch.tensor({numbers}).to(torch.{dtype}).reshape({shape})"
    weight = random.choice(DTYPES)
    weights = _tensor(random, weight, [size + (random.random() < 0.1)])
    if weight in FLOATS and random.random() < 0.4:
        weights += ".requires_grad_()"
    options = [", y"] * (random.random() < 0.7)
    options += [f", minlength={random.choice((0, 1, 12, -1))}"] * (random.random() < 0.4)
    return f"x = {tensor}", f"y = {weights}", f"torch.bincount(x{''.join(options)})"


def distinct(seed: int) -> Program:
    """Return the program of a call that finds distinct elements or slices.

    Most are equal to others; the operand depends on the seed.
    """
    random = Random(seed)
    dtype = random.choice(DTYPES)
    shape = [random.choice(_SIZES), *[random.choice((1, 2, 3))] * random.choice((0, 0, 1, 2))]
    tensor = _tensor(random, dtype, shape, random.choice((2, 3, 5)))
    if dtype in FLOATS and random.random() < 0.2:
        tensor += ".requires_grad_()"
    dim = random.choice(("None", "0", "0", "-1", "1"))
    return f"x = {tensor}", random.choice(UNIQUE).format(f"dim={dim}")


def histogram(seed: int) -> Program:
    """Return the program of a call of histc whose operand depends on the seed."""
    random = Random(seed)
    dtype = random.choice(("float32", "float64", "bfloat16", "float16"))
    shape = [random.choice(_SIZES), *[random.choice((1, 2))] * random.choice((0, 0, 1))]
    if random.random() < 0.5:
        tensor = _tensor(random, dtype, shape)
    else:
        scale = random.choice(("1", "0.1", "1000.5"))
        numbers = [random.randrange(-20, 20) for _ in range(shape[0])]
        tensor = f"(torch.tensor({numbers}, dtype=torch.float64) * {scale}).to(torch.{dtype})"
    ends = random.choice((", 0, 7", ", -3, 2.5", ", -0.1, 0.1", ", 2, 2", ", -1000, 7", "", "", ""))
    return f"x = {tensor}", f"torch.histc(x, {random.choice((1, 2, 3, 7, 10, 64))}{ends})"


def _tensor(random: Random, dtype: str, shape: list[int], kinds: int = 0) -> str:
    """Return a tensor of special values, of at most some kinds if there is a number of them."""
    pool = specials(dtype)
    if kinds:
        pool = tuple(random.choice(pool) for _ in range(kinds))
    numbers = [random.choice(pool) for _ in range(prod(shape))]
    return laid_out(random, tensor_text(numbers, dtype, shape), shape)
