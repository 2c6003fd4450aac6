"""Casting: each element of each dtype, converted to each other dtype by every function."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache

from hypothesis import strategies as st

from ..comparison.element_cases import ElementCase
from ..core.domain import Domain, one_in_step
from ..core.float_formats import FORMATS, nearest
from ..engine.decorators import exhaustive, sampled
from ..engine.probe import Probe
from ..generators import tensors
from ..generators.bit_patterns import BLOCKS, ends, is_narrow, mixture, patterns
from ..generators.oracle_namespace import dtype_names, number_names, opaque_names

DENSE = "x = torch.frombuffer(c, dtype=torch.{source})"
TWICE = "c = c.reshape(-1, {parts}).repeat(2, 0).reshape(-1)"
STRIDED = "x = torch.frombuffer(c, dtype=torch.{source})[::2]"
"""Torch converts `DENSE` in vectorized kernels, and `STRIDED` one by one."""


@exhaustive(
    lambda torch: Domain(source=number_names(torch), target=number_names(torch), block=BLOCKS),
    parts=4,
)
def test_patterns(ask: Probe, source: str, target: str, block: str) -> None:
    """Every 8-bit and 16-bit pattern, and many wider ones, convert to torch's bits."""
    fmt, session = FORMATS[source], ask.session
    raw = patterns(fmt, block, session.profile.patterns // len(BLOCKS), session.seed)
    for steps in ((DENSE,), (TWICE, STRIDED)):
        x = (step.format(source=source, parts=fmt.parts) for step in steps)
        ask.bulk(ElementCase(source, target, raw, (*x, f"x.to(torch.{target}, copy=True)")))


@exhaustive(
    lambda torch: Domain(
        source=number_names(torch), target=number_names(torch), block=("ties", "near")
    ),
    parts=2,
    one_in=3,
)
def test_small_tensors(ask: Probe, source: str, target: str, block: str) -> None:
    """Ties and numbers of all magnitudes convert to torch's bits in tensors of few elements."""
    raw = patterns(FORMATS[source], block, 512, ask.session.seed)
    x, few = DENSE.format(source=source, parts=FORMATS[source].parts), "x[:768].split(3)"
    steps = (x, f"torch.cat([part.to(torch.{target}, copy=True) for part in {few}])")
    ask.bulk(ElementCase(source, target, (*raw, "c = c[:768]"), steps))


_MANY = "c = numpy.resize(c, {count})"


@exhaustive(
    lambda torch: Domain(source=number_names(torch), target=number_names(torch)),
    parts=4,
    one_in=6,
)
def test_large_tensors(ask: Probe, source: str, target: str) -> None:
    """Tensors of an odd number of elements, more than any block, convert to torch's bits.

    Then they convert so often that a loop may be compiled; narrow dtypes have all patterns.
    """
    fmt = FORMATS[source]
    convert = f"x.to(torch.{target}, copy=True)"
    near = patterns(fmt, "near", 512, ask.session.seed)
    every = mixture(fmt, 4096, ask.session.seed)
    if is_narrow(fmt):
        every = (f"c = numpy.arange(2**{fmt.bits}, dtype='{fmt.raw_dtype}')",)
    forms = ((DENSE, _LARGE), (STRIDED, 2 * _LARGE))
    repeated = one_in_step(forms, 2, f"{source} {target}", ask.turn)
    for raw, x, count, times in (
        *((near, *form, 1) for form in forms),
        *((every, *form, _TIMES) for form in repeated),
    ):
        steps = x.format(source=source), _repeated(convert, times)
        ask.bulk(ElementCase(source, target, (*raw, _MANY.format(count=count * fmt.parts)), steps))


def _repeated(expression: str, times: int) -> str:
    return f"[{expression} for _ in range({times})][-1]" if times > 1 else expression


_LARGE = 2**16 + 75
_TIMES = 2**21 // _LARGE + 2

COUNT = 96
"""The number of elements of a small case: more than a vector and its tail."""

LAYOUTS = (
    "x[5]", "x[:0]", "x[1:8]", "x[7:72]", "x.view(8, 12).t()", "x.view(4, 4, 6).permute(2, 0, 1)",
    "x[:9, None].expand(9, 40)", "x.view(8, 12)[1:, 1:6:2].t()",
    "x.view(2, 3, 4, 4).permute(0, 2, 3, 1)", "x.as_strided((5, 40), (2, 1), 1)",
)  # fmt: skip


@cache
def _mixture(source: str) -> tuple[str, ...]:
    return mixture(FORMATS[source], COUNT)


@exhaustive(
    lambda torch: Domain(source=number_names(torch), target=number_names(torch), layout=LAYOUTS),
    parts=4,
)
def test_layouts(ask: Probe, source: str, target: str, layout: str) -> None:
    """Tensors of every size, order and overlap convert alike, with torch's strides."""
    steps = (DENSE.format(source=source), f"x = {layout}", f"x.to(torch.{target})")
    ask.bulk(ElementCase(source, target, _mixture(source), steps))


ROUTES = {
    "to": ("x.to({t})",),
    "to another": ("x.to(torch.zeros(2, dtype={t}))",),
    "type": ("x.type({t})",),
    "tensor": ("torch.tensor(x, dtype={t})",),
    "as_tensor": ("torch.as_tensor(x, dtype={t})",),
    "asarray": ("torch.asarray(x, dtype={t})",),
    "copy_": ("y = torch.ones(96, dtype={t})", "y.copy_(x)"),
    "copy_, broadcast": ("y = torch.ones(2, 96, dtype={t})", "y.copy_(x)"),
    "copy_, strided": ("y = torch.ones(96, 2, dtype={t})[:, 1]", "y.copy_(x)"),
    "copy_ of one": ("x = x[17]", "y = torch.ones(40, dtype={t})", "y.copy_(x)"),
    "setitem of one": ("x = x[17]", "y = torch.ones(40, 2, dtype={t})", "y[:, 1] = x", "y[:, 1]"),
    "setitem of a part": ("x = x[9:44]", "y = torch.ones(40, dtype={t})", "y[3:38] = x", "y[3:38]"),
    "fill_": ("x = x[23]", "y = torch.ones(40, dtype={t})", "y.fill_(x)"),
    "masked_fill": (
        "x = x[23]", "y = torch.ones(40, dtype={t})",
        "y.masked_fill(torch.ones(40, dtype=torch.bool), x)",
    ),
}  # fmt: skip


@exhaustive(
    lambda torch: Domain(source=number_names(torch), target=number_names(torch), route=ROUTES),
    parts=4,
)
def test_routes(ask: Probe, source: str, target: str, route: str) -> None:
    """Every conversion function gives the same elements, with torch's warnings and errors."""
    last = tuple(step.format(t=f"torch.{target}") for step in ROUTES[route])
    steps = (DENSE.format(source=source), *last)
    ask.bulk(ElementCase(source, target, _mixture(source), steps))


NAMED = {
    "float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16",
    "bool": "bool", "byte": "uint8", "char": "int8", "short": "int16", "int": "int32",
    "long": "int64",
    "cfloat": "complex64", "cdouble": "complex128", "chalf": "complex32",
}  # fmt: skip
SIXTEEN_BYTES = "x = torch.frombuffer(c, dtype=torch.uint8).view(torch.{source})"
BYTES = ("c = numpy.arange(1, 241, 15, dtype='uint8')",)


@exhaustive(lambda torch: Domain(source=dtype_names(torch), name=NAMED))
def test_named(ask: Probe, source: str, name: str) -> None:
    """The methods named after a dtype convert to it."""
    if source in FORMATS:
        raw, x = _mixture(source), DENSE.format(source=source)
    else:
        raw, x = BYTES, SIXTEEN_BYTES.format(source=source)
    ask.bulk(ElementCase(source, NAMED[name], raw, (x, f"x.{name}()")))
    if source in FORMATS:
        legacy = f"x.type(torch.zeros(0, dtype=torch.{NAMED[name]}).type())"
        ask.bulk(ElementCase(source, NAMED[name], raw, (x, legacy)))


OPAQUE = {
    "to": ("x.to({t})",),
    "copy_": ("y.copy_(x)",),
    "type": ("x.type({t})",),
    "tensor": ("torch.tensor(x, dtype={t})",),
    "as_tensor": ("torch.as_tensor(x, dtype={t})",),
    "setitem of one": ("y[0] = x[0]; y",),
    "fill_": ("y.fill_(x[0])",),
    "copy_ of nothing": ("x = x[:0]", "y[:0].copy_(x)"),
}


def _ask_opaque(ask: Probe, source: str, target: str, route: str) -> None:
    y = f"y = torch.frombuffer(bytearray(16), dtype=torch.uint8).view(torch.{target})"
    last = (step.format(t=f"torch.{target}") for step in OPAQUE[route])
    ask.bulk(ElementCase(source, target, BYTES, (SIXTEEN_BYTES.format(source=source), y, *last)))


@exhaustive(
    lambda torch: Domain(
        opaque=opaque_names(torch), other=dtype_names(torch), route=("to", "copy_")
    ),
    parts=2,
)
def test_refusals(ask: Probe, opaque: str, other: str, route: str) -> None:
    """Conversions from and to opaque dtypes raise torch's error, for every pair of dtypes."""
    _ask_opaque(ask, opaque, other, route)
    _ask_opaque(ask, other, opaque, route)


@exhaustive(
    lambda torch: Domain(
        opaque=opaque_names(torch),
        other=("float32", "complex64", "uint8", "bits8", "qint8"),
        route=OPAQUE,
    )
)
def test_refused_routes(ask: Probe, opaque: str, other: str, route: str) -> None:
    """Every conversion function raises torch's error for opaque dtypes."""
    _ask_opaque(ask, opaque, other, route)
    _ask_opaque(ask, other, opaque, route)


WRITTEN = {
    "tensor": ("torch.tensor([n], dtype={t})",),
    "full": ("torch.full((3,), n, dtype={t})",),
    "full of one": ("torch.full((), n, dtype={t})",),
    "fill_": ("torch.ones(3, dtype={t}).fill_(n)",),
    "setitem": ("y = torch.ones(4, dtype={t})", "y[1:] = n; y[1:]"),
    "scalar_tensor": ("torch.scalar_tensor(n, dtype={t})",),
    "masked_fill": ("torch.ones(2, dtype={t}).masked_fill(torch.tensor([True, True]), n)",),
}


@cache
def _numbers(source: str, target: str) -> Sequence[tuple[int, ...]]:
    """Return raw numbers: the ends of the target, neighbors of most, and special values."""
    fmt = FORMATS[source]
    bounds: set[Fraction] = {sign * end for end in ends(FORMATS[target]) for sign in (1, -1)}
    if not fmt.is_float:
        # Integers in the range of int64 are tested as int64.
        low, high = (-(2**63), 2**63) if fmt.kind == "signed" else (2**63, 2**64)
        integers = {
            int(bound) + step
            for bound in (*bounds, Fraction(low))
            for step in (0, 1 if bound > 0 else -1)
        }
        return [(integer % 2**64,) for integer in sorted(integers) if low <= integer < high]
    raw = {bits for bound in bounds if (bits := nearest(bound, fmt)) is not None}
    raw |= {bits + 1 for bits in raw if bits & 0xFFF == 0}
    raw |= {sign | special for special in (0, 0x7FF << 52, 0xFFF << 51) for sign in (0, 1 << 63)}
    if fmt.parts == 1:
        return [(bits,) for bits in sorted(raw)]
    one = 0x3FF << 52
    pairs = [(real, imag) for real in sorted(raw)[::8] for imag in (0, one)]
    return [*pairs, (0, one), (one, one)]


@exhaustive(
    lambda torch: Domain(
        number=("float64", "int64", "uint64", "complex128"),
        dtype=number_names(torch),
        way=WRITTEN,
    ),
    parts=4,
)
def test_numbers(ask: Probe, number: str, dtype: str, way: str) -> None:
    """A Python number at any end of a dtype is rounded, truncated or rejected as in torch."""
    n = (f"{DENSE.format(source=number)}[0]", "n = x.item()")
    last = tuple(step.format(t=f"torch.{dtype}") for step in WRITTEN[way])
    for parts in _numbers(number, dtype):
        c = f"c = numpy.array([{', '.join(map(hex, parts))}], dtype='uint64')"
        ask.bulk(ElementCase(number, dtype, (c,), (*n, *last)))


ONCE = {
    "to": "y = x.to(torch.{t})",
    "type": "y = x.type(torch.{t})",
    "copy_": "y = torch.zeros(2, dtype=torch.{t}).copy_(x)",
    "setitem": "y = torch.zeros(2, dtype=torch.{t}); y[...] = x",
    "fill_": "y = torch.zeros(2, dtype=torch.{t}).fill_(x[0])",
}


@exhaustive(
    lambda torch: Domain(
        source=("complex32", "complex64", "complex128"),
        target=("float32", "float16", "bfloat16", "float8_e5m2", "int64", "uint8", "bool"),
        way=ONCE,
    )
)
def test_warnings(ask: Probe, source: str, target: str, way: str) -> None:
    """The loss of an imaginary part warns once per process, in every conversion function."""
    convert = ONCE[way].format(t=target)
    recorded = "with w.catch_warnings(record=True) as {}: w.simplefilter('always'); {}"
    ask(
        f"x = torch.tensor([1 + 2j, 3j]).to(torch.{source})",
        "w = __import__('warnings')",
        "torch.set_warn_always(False)",
        recorded.format("first", convert),
        recorded.format("later", convert),
        "len(first) < 2, [str(each.message) for each in later]",
        "torch.set_warn_always(True)",
        convert,
        "y",
        question=(3, 4, 5, 7, 8),
    )


@st.composite
def _conversions(draw: st.DrawFn) -> list[ElementCase]:
    """Draw a tensor of any geometry, and tensors to convert it into."""
    shape, strides, offset = draw(tensors.geometries())
    source = draw(st.sampled_from(sorted(FORMATS)))
    count = max(1, tensors.extent(shape, strides, offset))
    raw = mixture(FORMATS[source], count, draw(st.integers(0, 9999)))
    x = (DENSE.format(source=source), f"x = x.as_strided({shape}, {strides}, {offset})")
    order = draw(st.permutations(range(len(shape))))
    sizes, inverse = [shape[dim] for dim in order], [order.index(dim) for dim in range(len(shape))]
    cases = []
    for target in draw(st.lists(st.sampled_from(sorted(FORMATS)), min_size=2, max_size=4)):
        y = f"y = torch.ones({sizes}, dtype=torch.{target}).permute({inverse})"
        routes = ((f"x.to(torch.{target})",), (y, "y.copy_(x)"), (y, "y[...] = x", "y"))
        cases += [ElementCase(source, target, raw, (*x, *route)) for route in routes]
    return cases


@sampled(calls=4, conversions=_conversions())
def test_geometries(ask: Probe, conversions: list[ElementCase]) -> None:
    """Conversions between any two geometries put each converted element at its index."""
    for conversion in conversions:
        ask.bulk(conversion)


# Two results for one bit pattern, then those of other kernels, and whether the two count as
# different.
FORGIVEN = {
    "NaN to an integer": ("float32", "int8", 0x7FC00000, (0x00, 0x80), False),
    "too large for an integer": ("float32", "int8", 0x43000000, (0x00, 0x80), False),
    "just not too large": ("float32", "int8", 0x42FF0000, (0x7F, 0x7E), True),
    "just not too small": ("float32", "int8", 0xC300FF00, (0x80, 0x81), True),
    "negative to unsigned": ("float64", "uint32", 0xBFF0000000000000, (0xFFFFFFFF, 0), False),
    "a negative fraction": ("float64", "uint32", 0xBFEFFFFFFFFFFFFF, (0, 1), True),
    "negative to uint8": ("float64", "uint8", 0xBFF0000000000000, (0xFF, 0), True),
    "too large for uint8": ("float64", "uint8", 0x43E0000000000000, (0xFF, 0), False),
    "large, to uint8": ("float64", "uint8", 0x43DFFFFFFFFFFFFF, (0xFF, 0), True),
    "NaN to bool": ("float16", "bool", 0x7E00, (1, 0), True),
    "an integer cut": ("int16", "int8", 0x0101, (0x01, 0x02), True),
    "bits of NaN": ("float32", "bfloat16", 0x7FFFFFFF, (0xFFFF, 0x7FC0), True),
    "bits that vary": ("float32", "bfloat16", 0x7FFFFFFF, (0xFFFF, 0x7FC0, 0x7FC1), False),
    "a sign alone varies": ("float32", "bfloat16", 0x7FFFFFFF, (0xFFFF, 0x7FC0, 0x7FFF), True),
    "a payload alone varies": ("float32", "bfloat16", 0x7FFFFFFF, (0xFFFF, 0x7FC0, 0xFFC0), True),
    "another payload": ("float32", "bfloat16", 0x7FFFFFFF, (0xFFFF, 0xFFC0, 0xFFC1), False),
    "bits beside a number": ("float32", "bfloat16", 0x7FFFFFFF, (0xFFFF, 0x7FC0, 0x3F80), True),
    "bits of NaN that is copied": ("float16", "float16", 0x7E01, (0x7E01, 0x7E00), True),
    "NaN and infinity": ("float32", "bfloat16", 0x7FFFFFFF, (0x7FC0, 0x7F80), True),
    "infinity and NaN": ("float32", "float8_e5m2", 0x7F800000, (0x7C, 0x7D), True),
    "NaN and a number": ("float32", "float8_e4m3fn", 0x7FC00000, (0x7F, 0x7E), True),
    "signs of NaN": ("float32", "float8_e4m3fn", 0x7FC00000, (0x7F, 0xFF), True),
    "signs that vary": ("float32", "float8_e4m3fn", 0x7FC00000, (0x7F, 0xFF, 0xFF), False),
    "signs of zero": ("float32", "float16", 0x80000000, (0x8000, 0x0000), True),
    "NaN and zero without a sign": ("float32", "float8_e4m3fnuz", 0x7FC00000, (0x80, 0x00), True),
    "NaN and the largest power": ("float32", "float8_e8m0fnu", 0x7FC00000, (0xFF, 0xFE), True),
    "a number": ("float32", "float16", 0x3F800000, (0x3C00, 0x3C01), True),
}


@exhaustive(lambda torch: Domain(pair=FORGIVEN), about_subject=False)
def test_undefined(ask: Probe, pair: str) -> None:
    """The rules for undefined elements forgive what torch leaves undefined, and no more."""
    source, target, raw_input, results, apart = FORGIVEN[pair]
    ask.tells_elements_apart(source, target, raw_input, results, apart=apart)
