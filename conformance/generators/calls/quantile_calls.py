"""Calls of quantile, nanquantile and histogram, as source text."""

from math import prod
from random import Random

from ..special_values import specials
from .drawn_operands import laid_out, tensor_text

Program = tuple[str, ...]

MODES = ("linear", "lower", "higher", "midpoint", "nearest")
"""The modes of interpolation."""

QUANTILES = (
    "{}(0.3)", "{}(y)", "{}(0.5, 0)", "{}(y, -1, True)", "{}(0.25, keepdim=True)", "{}(1, 0)",
    "{}(y, dim=0, interpolation='{}')", "{}(1.5)", "{}(math.nan)", "{}(y[None])", "{}(y - 1)",
    "{}(y, 7)", "{}(0.3, interpolation='other')", "{}(1j)", "{}(q=y, dim=None)",
)  # fmt: skip
"""Calls of the methods with a name, and a mode of interpolation."""

_QUANTILES = ("0.0", "1.0", "0.5", "0.25", "0.3", "0.1", "0.999", "1 / 3", "2 / 3")
_SIZES = (1, 2, 3, 4, 7, 17)
_OUTS = ("torch.zeros(0, dtype={})", "torch.zeros(6, dtype={})[::2]", "torch.zeros(2, 3, dtype={})")


def quantiles(seed: int) -> Program:
    """Return the program of a call whose operands, form and mode depend on the seed."""
    random = Random(seed)
    dtype = random.choice(("float32", "float64"))
    shape = [random.choice(_SIZES) for _ in range(random.choice((0, 1, 1, 2, 2, 3)))]
    finite = tuple(str(random.randrange(-9, 9)) for _ in range(5))
    pool = specials(dtype) if random.random() < 0.5 else (*finite, "math.nan")[: 5 + seed % 2]
    numbers = [random.choice(pool) for _ in range(prod(shape))]
    tensor = laid_out(random, tensor_text(numbers, dtype, shape), shape)
    if random.random() < 0.2:
        tensor += ".requires_grad_()"
    counts = [random.choice(_QUANTILES) for _ in range(random.choice((0, 1, 2, 3, 5)))]
    q = f"torch.tensor([{', '.join(counts)}], dtype=torch.{dtype})"
    if random.random() < 0.5:
        q = random.choice(_QUANTILES)
    dim = random.choice(("None", str(random.randrange(-len(shape), len(shape)) if shape else 0)))
    options = ["y", dim, random.choice(("False", "True"))]
    options.append(f"interpolation='{random.choice(MODES)}'")
    name = random.choice(("quantile", "nanquantile"))
    steps = f"x = {tensor}", f"y = {q}"
    if random.random() < 0.3:
        out = random.choice(_OUTS).format(f"torch.{dtype}")
        return *steps, f"o = {out}", f"torch.{name}(x, {', '.join(options)}, out=o)"
    form = random.choice(("torch.{0}(x, {1})", "x.{0}({1})"))
    return *steps, form.format(name, ", ".join(options))


HISTOGRAMS = (
    "histogram(4)", "histogram()", "histogram(3, range=(1, 4))", "histogram(bins=2, range=(3, 3))",
    "histogram(0)", "histogram(2, range=(4, 1))", "histogram(2, range=(0, math.inf))",
    "histogram(2, range=(1.0,))", "histogram(y)", "histogram(y, weight=x)", "histogram(y[:1])",
    "histogram(y[:0])", "histogram(y[None])", "histogram(2, weight=x, density=True)",
    "histogram(y.flip(0))", "histogram(3, weight=y)", "histogram(y, density=True)",
    "histogram(2, weight=x.double())", "histogram(y, range=(0, 1))",
)  # fmt: skip
"""Calls of the method histogram, with edges ``y``."""


def histograms(seed: int) -> Program:
    """Return the program of a call of histogram whose operands and form depend on the seed."""
    random = Random(seed)
    dtype = random.choice(("float32", "float64"))
    shape = [random.choice(_SIZES) for _ in range(random.choice((0, 1, 1, 2)))]
    pool = specials(dtype) if random.random() < 0.3 else tuple(str(n / 4) for n in range(-9, 9))
    texts = []
    for _ in range(2):
        numbers = [random.choice(pool) for _ in range(prod(shape))]
        texts.append(laid_out(random, tensor_text(numbers, dtype, shape), shape))
    edges = sorted(random.choices(range(-9, 9), k=random.choice((2, 3, 5, 9))))
    if random.random() < 0.2:
        random.shuffle(edges)
    steps = [f"x = {texts[0]}", f"y = torch.tensor({edges}, dtype=torch.{dtype}) / 4"]
    bins = random.choice(("y", "y", "3", "7", "10, range=(-1.0, 1.5)", "5, range=(-2, 2)"))
    options = [bins]
    if random.random() < 0.4:
        steps.append(f"z = {texts[1]}")
        options.append("weight=z")
    if random.random() < 0.3:
        options.append("density=True")
    arguments = ", ".join(options)
    if random.random() < 0.3:
        outs = [random.choice(_OUTS).format(f"torch.{dtype}") for _ in range(2)]
        steps += [f"o, p = {', '.join(outs)}", f"torch.histogram(x, {arguments}, out=(o, p))"]
        return tuple(steps)
    form = random.choice(("torch.histogram(x, {})", "x.histogram({})"))
    return *steps, form.format(arguments)
