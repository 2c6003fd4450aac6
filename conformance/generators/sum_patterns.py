"""Operands of sums and products, as steps that create the NumPy array ``c`` of their bits.

The kinds of sums distinguish algorithms: numbers of one sign, whose total is much larger than each;
numbers of all magnitudes; numbers that cancel; one number repeated; and NaN or infinity. Factors of
products are near 1, so that no order of multiplications overflows.
"""

from ..core.float_formats import Format

Steps = tuple[str, ...]

_UNIFORM = "v = r.random(n)"
KINDS: dict[str, Steps] = {
    "uniform": (_UNIFORM,),
    "wide": (_UNIFORM, "v = (1 + v) * 2.0 ** -r.integers(1, {range}, n)"),
    "cancelling": (
        _UNIFORM,
        "v[n // 2 : n // 2 * 2] ="
        " -v[: n // 2] * (1 + 2.0 ** -{mantissa} * r.integers(-2, 3, n // 2))",
        "v = r.permutation(v)",
    ),
    "alike": ("v = numpy.full(n, 0.1)",),
    "nan": (_UNIFORM, "v[n // 3] = numpy.nan"),
    "inf": (_UNIFORM, "v[n // 3] = numpy.inf"),
}
"""The steps that create the ``n`` numbers ``v``; their sums are in the range of every dtype."""

_AS_FACTORS = ("v = v * r.choice([-1, 1], n) / 64", "v[::{parts}] += 1")

_CODES = {
    "float16": "c = v.astype('float16').view('uint16')",
    "bfloat16": "c = (v.astype('float32').view('uint32') + 0x8000 >> 16).astype('uint16')",
    "float32": "c = v.astype('float32').view('uint32')",
    "float64": "c = v.view('uint64')",
    "complex64": "c = v.astype('float32').view('uint32')",
    "complex128": "c = v.view('uint64')",
}
DTYPES = tuple(_CODES)
"""The dtypes with inexact sums and products."""


def terms(fmt: Format, kind: str, count: int, seed: int, *, factors: bool = False) -> Steps:
    """Return the steps that create the bits of ``count`` terms, or factors, of a kind."""
    fields = {"range": 2 * fmt.mantissa + 2, "mantissa": fmt.mantissa, "parts": fmt.parts}
    steps = (*KINDS[kind], *(_AS_FACTORS if factors else ()))
    return (
        f"r, n = numpy.random.default_rng({seed}), {count * fmt.parts}",
        *(step.format(**fields) for step in steps),
        _CODES[fmt.name],
    )
