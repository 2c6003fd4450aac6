"""Strategies for numbers and dtypes.

They draw source text, so that the same text is run and reported.
"""

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ..core.case import literal

Text = SearchStrategy[str]

_EDGES = sorted(
    sign * (2**bits + step)
    for bits in (0, 7, 8, 15, 16, 31, 32, 53, 63, 64, 65, 127)
    for step in (-1, 0, 1)
    for sign in (-1, 1)
)

integers: Text = st.one_of(st.sampled_from(_EDGES), st.integers()).map(literal)
floats: Text = st.floats().map(literal)
complexes: Text = st.complex_numbers().map(literal)
booleans: Text = st.booleans().map(literal)

python_numbers: Text = st.one_of(booleans, integers, floats, complexes)

NUMPY_SCALARS = (
    "bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "longdouble", "complex64", "complex128", "timedelta64",
)  # fmt: skip

numpy_numbers: Text = st.builds(
    "numpy.{}({})".format, st.sampled_from(NUMPY_SCALARS), st.integers(0, 127).map(literal)
) | st.integers(2**63, 2**64 - 1).map("numpy.uint64({})".format)

subclassed_numbers: Text = st.one_of(
    integers.map("type('Integer', (int,), {{}})({})".format),
    floats.map("type('Float', (float,), {{}})({})".format),
    complexes.map("type('Complex', (complex,), {{}})({})".format),
)

numbers: Text = st.one_of(python_numbers, numpy_numbers, subclassed_numbers)

dtypes: Text = st.sampled_from(
    ("uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64",
     "complex32", "complex64", "complex128", "bool", "float", "half", "cfloat", "long", "double",
     "uint16", "uint32", "uint64",
     *(f"{sign}int{bits}" for sign in ("", "u") for bits in range(1, 8)),
     "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu",
     "float4_e2m1fn_x2", "qint8", "quint8", "qint32", "quint4x2", "quint2x4",
     "bits1x8", "bits2x4", "bits4x2", "bits8", "bits16")
).map("torch.{}".format)  # fmt: skip

PYTHON_TYPES = ("float", "int", "bool", "complex", "str", "object")

not_numbers: Text = st.one_of(
    st.text("ab\N{GREEK SMALL LETTER PI}", max_size=2).map(literal),
    st.sampled_from(("None", "b'a'", "[]", "()", "[1, 'a']", "(1,)", "(1.5, None)", "{}", "...",
                     "set()", "object()", "torch.finfo()", "torch.finfo", "torch.promote_types",
                     "numpy.array(1.5)", "numpy.dtype('float32')", "numpy.str_('a')",
                     "numpy.timedelta64('NaT')", "numpy.datetime64(1, 's')",
                     "type('L' + 'o' * 150 + 'ng', (), {})()", "type(\"a to a 'b\", (), {})()",
                     "type('Indexed', (), {'__index__': lambda self: 3})()",
                     "type('Floating', (), {'__float__': lambda self: 3.0})()")),
)  # fmt: skip

arguments: Text = st.one_of(dtypes, st.sampled_from(PYTHON_TYPES), numbers, not_numbers)
"""Arguments of any kind for functions of dtypes and numbers."""
