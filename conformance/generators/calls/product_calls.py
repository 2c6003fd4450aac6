"""Calls of products of matrices and vectors, as source text."""

from math import prod
from random import Random

from ...core.float_formats import FORMATS
from ..special_values import DTYPES, specials

Program = tuple[str, ...]
Shape = tuple[int, ...]

SUMS = {
    "addmm": ("{m}, {n}", "{m}, {k}", "{k}, {n}"),
    "addmv": ("{m},", "{m}, {k}", "{k},"),
    "addr": ("{m}, {n}", "{m},", "{n},"),
    "baddbmm": ("{b}, {m}, {n}", "{b}, {m}, {k}", "{b}, {k}, {n}"),
    "addbmm": ("{m}, {n}", "{b}, {m}, {k}", "{b}, {k}, {n}"),
}
"""The sums of a tensor and a product, and the shapes of their operands."""

PRODUCTS = {
    "mm": ("{m}, {k}", "{k}, {n}"),
    "mv": ("{m}, {k}", "{k},"),
    "bmm": ("{b}, {m}, {k}", "{b}, {k}, {n}"),
    "dot": ("{k},", "{k},"),
    "vdot": ("{k},", "{k},"),
    "outer": ("{m},", "{n},"),
    "ger": ("{m},", "{n},"),
    "inner": ("{m}, {k}", "{n}, {k}"),
    "kron": ("{m}, {k}", "{k}, {n}"),
    "cross": ("{m}, 3", "{m}, 3"),
    "matmul": ("{b}, {m}, {k}", "{k}, {n}"),
}
"""The products of two tensors, and the shapes of the tensors."""

SINGLE = ("outer", "ger", "kron", "cross")
"""The products without sums."""

MATMULS = (
    "{k}, @ {k},",
    "{m}, {k} @ {k},",
    "{k}, @ {k}, {n}",
    "{m}, {k} @ {k}, {n}",
    "{b}, {m}, {k} @ {k},",
    "{k}, @ {b}, {k}, {n}",
    "{m}, {k} @ {b}, {k}, {n}",
    "{b}, {m}, {k} @ {b}, {k}, {n}",
    "2, {b}, {m}, {k} @ {b}, {k}, {n}",
    "{b}, 1, {m}, {k} @ 1, 3, {k}, {n}",
)
"""The shapes of pairs of tensors for matmul."""

CALLS = {**SUMS, **PRODUCTS}

FACTORS = ("0", "1", "2", "-1", "0.5", "2.5", "True", "False", "300", "1j", "math.nan", "math.inf")
_DRAWN = {"beta": FACTORS, "alpha": tuple(x for x in FACTORS if "math" not in x)}
"""The factors that are drawn beside any elements.

MKL ignores NaN for alpha in matrices of some sizes, and multiplies terms by infinity, or their sum.
"""

_SIZES = (0, 1, 1, 2, 2, 3, 3, 4, 5)
_LONG = (16, 17, 40, 128)
_OUTS = ("0", "1", "()", "2, 3", "2, 3, 3")


def shapes_of(call: str, **sizes: int) -> tuple[Shape, ...]:
    """Return the shapes of the operands of a call.

    >>> shapes_of("mv", m=2, k=3, n=4, b=5)
    ((2, 3), (3,))
    """
    return tuple(_shape(text, sizes) for text in CALLS[call])


def shapes_of_matmul(texts: str, **sizes: int) -> tuple[Shape, ...]:
    """Return the shapes of a pair of `MATMULS`."""
    return tuple(_shape(text, sizes) for text in texts.split(" @ "))


def _shape(text: str, sizes: dict[str, int]) -> Shape:
    return tuple(int(size) for size in text.format(**sizes).split(",") if size.strip())


def program(seed: int) -> Program:
    """Return the program of a call whose operands, factors and form depend on the seed.

    Some operands do not fit. The sums of their numbers are exact, or are NaN or infinite.
    """
    random = Random(seed)
    call = random.choice([*CALLS, *["matmul"] * 4])
    texts = random.choice(MATMULS).split(" @ ") if call == "matmul" else CALLS[call]
    sizes = {name: random.choice(_SIZES) for name in "mknb"}
    if random.random() < 0.2:
        sizes[random.choice("mkn")] = random.choice(_LONG)
    shapes = [[*_shape(text, sizes)] for text in texts]
    if random.random() < 0.1:
        random.choice([shape for shape in shapes if shape] or [[0]])[-1] += 1
    if call in SUMS and random.random() < 0.3:
        shapes[0] = random.choice(([], [1], shapes[0][-1:], [1, *shapes[0]]))
    dtype = random.choice(DTYPES)
    dtypes = [dtype] * len(shapes)
    if random.random() < 0.05:
        dtypes[random.randrange(len(dtypes))] = random.choice(DTYPES)
    names = "xyz"[: len(shapes)]
    steps = [
        f"{name} = {exact_tensor(random, of, shape, 0.5 if call in SUMS and name == 'x' else 0.2)}"
        for name, of, shape in zip(names, dtypes, shapes, strict=True)
    ]
    return *steps, *_rendered(random, call, names, dtype)


def _rendered(random: Random, call: str, names: str, dtype: str) -> Program:
    """Return a call as a function or a method, in place, or with ``out=``."""
    factors = ""
    if call in SUMS:
        drawn = {name: random.choice(numbers) for name, numbers in _DRAWN.items()}
        if random.random() < 0.3:
            drawn["beta"] = "0"  # so that the added tensor is not read
        factors = "".join(f", {name}={x}" for name, x in drawn.items() if random.random() < 0.5)
    first, others = names[0], names[1:]
    form = random.randrange(4)
    if form == 0:
        return (f"{first}.{call}({', '.join(others)}{factors})",)
    if form == 1 and call in SUMS:
        return (f"{first}.{call}_({', '.join(others)}{factors})",)
    text = f"torch.{call}({', '.join(names)}{factors}"
    if form == 2:
        return f"o = torch.zeros({random.choice(_OUTS)}, dtype=torch.{dtype})", f"{text}, out=o)"
    return (f"{text})",)


def exact_tensor(random: Random, dtype: str, shape: list[int], chance: float) -> str:
    """Return a tensor of small numbers, or by a chance of special values with exact products."""
    count = prod(shape)
    if random.random() < chance:
        numbers = [random.choice(_exact(dtype)) for _ in range(count)]
    else:
        low = -4 if FORMATS[dtype].is_float else 0
        numbers = [str(random.randint(low, 4)) for _ in range(count)]
    text = f"torch.tensor([{', '.join(numbers)}], dtype=torch.{dtype}).reshape({shape})"
    way = random.randrange(6)
    if way == 0 and len(shape) > 1:
        return f"{text}.transpose(0, 1).contiguous().transpose(0, 1)"
    if way == 1 and len(shape) > 1:
        return f"{text}.mT.contiguous().mT"
    if way == 2 and shape:
        return f"torch.stack([{text}] * 2, -1).select(-1, 0)"
    if way == 3 and 0 not in shape[:1]:
        return f"{text}[:1].expand({shape})" if shape else text
    if way == 4 and dtype == "complex64":
        return f"{text}.conj()"
    return text


def _exact(dtype: str) -> tuple[str, ...]:
    """Return the special values whose few sums and products are exact, or are no numbers."""
    if FORMATS[dtype].is_integer or FORMATS[dtype].kind == "bool":
        return specials(dtype)
    reals = ("0.0", "-0.0", "1.0", "-1.0", "0.5", "-1.5", "math.inf", "-math.inf", "math.nan")
    if FORMATS[dtype].parts == 1:
        return reals
    return "complex(1, -2)", "complex(0.5, 0)", "complex(-0.0, 3)", "complex(math.inf, 0)"
