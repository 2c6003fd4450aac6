"""Numbers to put together, as steps that make the NumPy array ``c`` of their codes.

Sums are of kinds that tell algorithms apart: numbers of one sign, which make the
total large beside each of them; numbers of all magnitudes; numbers that cancel;
the same number again and again; and NaN or infinity among others.  Factors of products
are near 1, so that no order of steps leaves the range.
"""

from ..core.float_formats import Format

Steps = tuple[str, ...]

_UNIFORM = "v = r.random(n)"
KINDS: dict[str, Steps] = {
    "uniform": (_UNIFORM,),
    "wide": (_UNIFORM, "v = (1 + v) * 2.0 ** -r.integers(1, {range}, n)"),
    "cancelling": (
        _UNIFORM,
        "v[n // 2 : n // 2 * 2] = -v[: n // 2] * (1 + 2.0 ** -{mantissa} * r.integers(-2, 3, n // 2))",
        "v = r.permutation(v)",
    ),
    "alike": ("v = numpy.full(n, 0.1)",),
    "nan": (_UNIFORM, "v[n // 3] = numpy.nan"),
    "inf": (_UNIFORM, "v[n // 3] = numpy.inf"),
}
"""How the numbers ``v`` are made, ``n`` of them; their sums are within the range of every dtype."""

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
"""The dtypes whose sums and products are not exact."""


def terms(form: Format, kind: str, count: int, seed: int, *, factors: bool = False) -> Steps:
    """Return the steps that make the codes of ``count`` numbers of a kind, to add or to multiply."""
    places = {"range": 2 * form.mantissa + 2, "mantissa": form.mantissa, "parts": form.parts}
    steps = (*KINDS[kind], *(_AS_FACTORS if factors else ()))
    return (
        f"r, n = numpy.random.default_rng({seed}), {count * form.parts}",
        *(step.format(**places) for step in steps),
        _CODES[form.name],
    )
