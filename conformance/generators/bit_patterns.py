"""Patterns of bits to convert, as steps that make the NumPy array ``c``: all there are, or many kinds.

What has 8 or 16 bits is gone through whole.  Wider elements are drawn, in
four blocks: the whole space of bits; ties, which are a head, then a tail that
lies half way, or just beside; numbers as small or large as narrow dtypes hold;
and the neighbours of every boundary of every dtype.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache

from ..core.float_formats import FORMATS, Format, nearest, value_of

BLOCKS = ("whole space", "ties", "near", "edges")
"""The blocks of the patterns of a dtype; of a narrow one, just its four quarters."""

Steps = tuple[str, ...]


def is_narrow(form: Format) -> bool:
    """Tell whether a dtype has so few patterns that all of them are tried."""
    return form.bits * form.parts <= 16


def patterns(form: Format, block: str, count: int, seed: int = 0) -> Steps:
    """Return the steps that make a block of patterns, of ``count`` elements if the dtype is wide."""
    at = BLOCKS.index(block)
    if is_narrow(form):
        size = int(2**form.bits) // len(BLOCKS)
        return (f"c = numpy.arange({at * size}, {(at + 1) * size}, dtype='{form.code_type}')",)
    made = {"whole space": (), "ties": _ties(form), "near": _near(form) + _ties(form),
            "edges": _edges(form)}[block]  # fmt: skip
    return (f"r = numpy.random.default_rng([{seed}, {at}])", _any_codes(form, count), *made)


def mixture(form: Format, count: int, seed: int = 0) -> Steps:
    """Return the steps that make ``count`` elements: from anywhere, at boundaries, and specials."""
    start = (f"r = numpy.random.default_rng({seed})", _any_codes(form, count))
    steps = (*start, "u = c.copy()", *_edges(form), "c[::3] = u[::3]")
    special = _specials(form) if form.is_float else []
    return (*steps, f"c[24:{24 + len(special)}] = {special}") if count > 48 else steps


def moderate(form: Format, count: int, seed: int = 0) -> Steps:
    """Return the steps that make ``count`` elements of a float dtype between 1/64 and 64."""
    kept = 2**form.bits - 1 - ((2**form.exponent - 1) << form.mantissa)
    exponents = f"r.integers({form.bias - 6}, {form.bias + 6}, c.size, dtype=c.dtype)"
    start = (f"r = numpy.random.default_rng([{seed}, 7])", _any_codes(form, count))
    return (*start, f"c = c & {kept:#x} | {exponents} << {form.mantissa}")


def _any_codes(form: Format, count: int) -> str:
    """Draw from the whole space of bits."""
    return f"c = r.integers(0, 2**{form.bits}, {count * form.parts}, dtype='{form.code_type}')"


def _near(form: Format) -> Steps:
    """Make numbers of all magnitudes up to 2**64, and as small as those of float16."""
    if not form.is_float:
        shifted = f"c.view('int{form.bits}') >> r.integers(0, {form.bits}, c.size)"
        return (f"c = ({shifted}).astype('{form.code_type}')",)
    if form.bits == 16:
        return ()
    kept = 2**form.bits - 1 - ((2**form.exponent - 1) << form.mantissa)
    exponents = f"r.integers({form.bias - 30}, {form.bias + 66}, c.size, dtype=c.dtype)"
    return (f"c = c & {kept:#x} | {exponents} << {form.mantissa}",)


def _ties(form: Format) -> Steps:
    """Put a tail behind each head: zero, a half, just below it, just above it, all ones, or a one."""
    others = {each.mantissa for each in FORMATS.values() if each.is_float}
    lost = sorted(form.mantissa - each for each in others if each < form.mantissa)
    lengths = [*lost * 8, *range(1, form.mantissa or form.bits)]
    tails = "[0 * k, h, h - 1, h + 1 & m, m, 0 * k + 1]"
    return (
        f"k = r.choice(numpy.array({lengths}, dtype=c.dtype), c.size)",
        "m = (1 << k) - 1",
        "h = m + 1 >> 1",
        f"c = c >> k << k | numpy.choose(r.integers(0, 6, c.size), {tails})",
    )


def _edges(form: Format) -> Steps:
    """Put the boundaries and their neighbours for patterns, as many as there is room for."""
    found = " ".join(f"{each:x}" for each in _boundaries(form))
    return (
        f"e = numpy.array([int(each, 16) for each in '{found}'.split()], dtype=c.dtype)",
        "e = r.permutation((e[:, None] + numpy.arange(-2, 3).astype(c.dtype)).reshape(-1))",
        "c[: e.size] = e[: c.size]",
        "c = r.permutation(c)",
    )


@cache
def _boundaries(form: Format) -> list[int]:
    """Return the codes at which a conversion to any dtype begins to do something else."""
    numbers = {
        sign * each for other in FORMATS.values() for each in ends(other) for sign in (1, -1)
    }
    found = {_code(each, form) for each in numbers}
    if form.is_float:
        quiet = form.largest + 1 + 2**form.mantissa // 2
        special = (0, form.largest + 1, form.largest + 2, quiet, form.magnitudes - 1)
        found |= {
            (code + sign) % int(2**form.bits) for code in special for sign in (0, form.magnitudes)
        }
    return sorted(each for each in found if each is not None)


def _specials(form: Format) -> list[int]:
    """Return the codes of zeros, of the largest numbers, and of infinities and NaNs if there are."""
    quiet = form.largest + 1 + 2**form.mantissa // 2
    raw = (0, form.largest, form.largest + 1, form.largest + 2, quiet, form.magnitudes - 1)
    return sorted({(code + sign) % 2**form.bits for code in raw for sign in (0, form.magnitudes)})


def ends(form: Format) -> Iterator[Fraction]:
    """Give the numbers where a dtype ends, and where its rounding changes."""
    yield from map(Fraction, ("0", "1/2", "1", "3/2", "5/2", "255/2"))
    if not form.is_float:
        yield from (Fraction(2) ** bits for bits in (form.bits, form.bits - 1))
        return
    last, smallest = (
        value_of(form.largest, form),
        Fraction(2) ** (form.lowest_exponent - form.mantissa),
    )
    step = Fraction(last) - Fraction(value_of(form.largest - 1, form))
    yield from (Fraction(last) + step * part for part in (0, Fraction(1, 2), 1))
    yield from (smallest * part for part in (Fraction(1, 2), 1, Fraction(3, 2)))
    yield Fraction(2) ** form.lowest_exponent
    yield Fraction(2) ** form.lowest_exponent - smallest / 2
    # From here on not every integer is a number of the format.
    yield Fraction(2) ** (form.mantissa + 1)


def _code(number: Fraction, form: Format) -> int | None:
    """Return the code nearest to a number, or of the integer that it becomes."""
    return nearest(number, form) if form.is_float else int(number) % int(2**form.bits)
