"""Bit patterns to convert, as steps that create the NumPy array ``c``.

All patterns of dtypes of 8 and 16 bits are covered. Wider dtypes are sampled in four blocks:
uniformly random bits; ties, a random head before a tail that is half way or one off; numbers in the
range of narrow dtypes; and the neighbors of the boundaries of every dtype.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache

from ..core.float_formats import FORMATS, Format, nearest, value_of

BLOCKS = ("whole space", "ties", "near", "edges")
"""The blocks of the patterns of a dtype; for a narrow dtype, its four quarters."""

Steps = tuple[str, ...]


def is_narrow(fmt: Format) -> bool:
    """Return whether a dtype has few enough patterns to cover all of them."""
    return fmt.bits * fmt.parts <= 16


def patterns(fmt: Format, block: str, count: int, seed: int = 0) -> Steps:
    """Return the steps for a block of patterns, with ``count`` elements if the dtype is wide."""
    number = BLOCKS.index(block)
    if is_narrow(fmt):
        size = int(2**fmt.bits) // len(BLOCKS)
        start = number * size
        return (f"c = numpy.arange({start}, {start + size}, dtype='{fmt.raw_dtype}')",)
    steps = {"whole space": (), "ties": _ties(fmt), "near": _near(fmt) + _ties(fmt),
            "edges": _edges(fmt)}[block]  # fmt: skip
    return (f"r = numpy.random.default_rng([{seed}, {number}])", _any_codes(fmt, count), *steps)


def mixture(fmt: Format, count: int, seed: int = 0) -> Steps:
    """Return the steps for ``count`` elements: random bits, boundaries and special values."""
    leading = (f"r = numpy.random.default_rng({seed})", _any_codes(fmt, count))
    steps = (*leading, "u = c.copy()", *_edges(fmt), "c[::3] = u[::3]")
    special = _specials(fmt) if fmt.is_float else []
    return (*steps, f"c[24:{24 + len(special)}] = {special}") if count > 48 else steps


def moderate(fmt: Format, count: int, seed: int = 0) -> Steps:
    """Return the steps for ``count`` elements of a float dtype between 1/64 and 64."""
    generator = f"r = numpy.random.default_rng([{seed}, 7])"
    return (generator, _any_codes(fmt, count), _with_exponents(fmt, -6, 6))


def _any_codes(fmt: Format, count: int) -> str:
    return f"c = r.integers(0, 2**{fmt.bits}, {count * fmt.parts}, dtype='{fmt.raw_dtype}')"


def _with_exponents(fmt: Format, low: int, high: int) -> str:
    mask = 2**fmt.bits - 1 - ((2**fmt.exponent - 1) << fmt.mantissa)
    exponents = f"r.integers({fmt.bias + low}, {fmt.bias + high}, c.size, dtype=c.dtype)"
    return f"c = c & {mask:#x} | {exponents} << {fmt.mantissa}"


def _near(fmt: Format) -> Steps:
    """Return the steps for numbers of all magnitudes up to 2**64 and down to those of float16."""
    if not fmt.is_float:
        shifted = f"c.view('int{fmt.bits}') >> r.integers(0, {fmt.bits}, c.size)"
        return (f"c = ({shifted}).astype('{fmt.raw_dtype}')",)
    if fmt.bits == 16:
        return ()
    return (_with_exponents(fmt, -30, 66),)


def _ties(fmt: Format) -> Steps:
    """Return the steps for a tail of zero, one half, one half ± 1, all ones, or one.

    Some tails are one half and a tie of a wider dtype, so that a conversion through the wider
    dtype rounds twice.
    """
    mantissas = {other.mantissa for other in FORMATS.values() if other.is_float}
    lost = sorted(fmt.mantissa - mantissa for mantissa in mantissas if mantissa < fmt.mantissa)
    lengths = [*lost * 8, *range(1, fmt.mantissa or fmt.bits)]
    tails = "[0 * k, h, h - 1, h + 1 & m, m, 0 * k + 1, h + t & m, h - t & m]"
    return (
        f"k = r.choice(numpy.array({lengths}, dtype=c.dtype), c.size)",
        "m = (1 << k) - 1",
        "h = m + 1 >> 1",
        f"t = (1 << r.choice(numpy.array({lost or [0]}, dtype=c.dtype), c.size)) >> 1",
        "t = numpy.where(t < h, t, 0).astype(c.dtype)",
        f"c = c >> k << k | numpy.choose(r.integers(0, 8, c.size), {tails})",
    )


def _edges(fmt: Format) -> Steps:
    """Return the steps for boundaries and their neighbors, as many as fit."""
    boundaries = " ".join(f"{bits:x}" for bits in _boundaries(fmt))
    return (
        f"e = numpy.array([int(each, 16) for each in '{boundaries}'.split()], dtype=c.dtype)",
        "e = r.permutation((e[:, None] + numpy.arange(-2, 3).astype(c.dtype)).reshape(-1))",
        "c[: e.size] = e[: c.size]",
        "c = r.permutation(c)",
    )


@cache
def _boundaries(fmt: Format) -> list[int]:
    """Return the bit patterns at which a conversion to some dtype changes its behavior."""
    numbers = {
        sign * value for other in FORMATS.values() for value in ends(other) for sign in (1, -1)
    }
    if not fmt.is_float:
        return sorted({int(value) % int(2**fmt.bits) for value in numbers})
    raw = {*_specials(fmt), *(nearest(value, fmt) for value in numbers)}
    return sorted(value for value in raw if value is not None)


def _specials(fmt: Format) -> list[int]:
    """Return the bit patterns of zeros, the largest numbers, infinities and NaNs."""
    quiet = fmt.largest + 1 + 2**fmt.mantissa // 2
    raw = (0, fmt.largest, fmt.largest + 1, fmt.largest + 2, quiet, fmt.magnitudes - 1)
    return sorted({(bits + sign) % 2**fmt.bits for bits in raw for sign in (0, fmt.magnitudes)})


def ends(fmt: Format) -> Iterator[Fraction]:
    """Iterate over the limits of a dtype and the numbers at which its rounding changes."""
    yield from map(Fraction, ("0", "1/2", "1", "3/2", "5/2", "255/2"))
    if not fmt.is_float:
        yield from (Fraction(2) ** bits for bits in (fmt.bits, fmt.bits - 1))
        return
    smallest = Fraction(2) ** (fmt.lowest_exponent - fmt.mantissa)
    largest, before = (Fraction(value_of(bits, fmt)) for bits in (fmt.largest, fmt.largest - 1))
    yield from (largest + (largest - before) * part for part in (0, Fraction(1, 2), 1))
    yield from (smallest * part for part in (Fraction(1, 2), 1, Fraction(3, 2)))
    yield Fraction(2) ** fmt.lowest_exponent
    yield Fraction(2) ** fmt.lowest_exponent - smallest / 2
    # Above this not every integer is representable.
    yield Fraction(2) ** (fmt.mantissa + 1)
