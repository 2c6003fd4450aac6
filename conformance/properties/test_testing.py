"""torch.testing: assert_close with its messages and options, and make_tensor."""

import re
from collections.abc import Mapping
from math import prod

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from ..engine.decorators import sampled
from ..engine.probe import Probe
from ..generators import settings
from ..generators.tensors import ALL_DTYPES, Text, conj_neg_bits

SHAPES = ((), (), (1,), (3,), (4,), (2, 3), (2, 1, 2), (0,), (2, 0))
ELEMENTS = {
    "bool": ("True", "False"),
    "complex": ("1", "0", "1j", "1+1j", "2-1j", "float('nan')", "float('inf')", "1+1e-6j"),
    "float": ("1", "0", "-1", "1.001", "1.0001", "1.0000001", "0.5", "3", "float('nan')",
              "float('inf')", "-0.0", "1e-6"),
    "uint": ("0", "1", "2", "3", "200"),
    "int": ("0", "1", "2", "3", "-1", "100"),
}  # fmt: skip
"""The first letters of dtypes, and their elements."""

TWISTS = ("", "", "", "", ".contiguous().mT", ".to_sparse()", ".requires_grad_()", "[..., :1]")
"""What is done to a tensor of drawn elements."""


@st.composite
def _tensors(draw: DrawFn, shape: tuple[int, ...] | None = None, dtype: str = "") -> str:
    """Draw a tensor, of elements of which many are alike."""
    shape = draw(st.sampled_from(SHAPES)) if shape is None else shape
    dtype = dtype or draw(st.sampled_from((*ALL_DTYPES, *["float32"] * 6)))
    if not draw(st.integers(0, 15)):
        return f"torch.empty({shape}, dtype=torch.{dtype}, device='meta')"
    alphabet = next(values for letters, values in ELEMENTS.items() if dtype.startswith(letters)
                    or (letters == "float" and dtype == "bfloat16"))  # fmt: skip
    few = draw(st.lists(st.sampled_from(alphabet), min_size=1, max_size=3))
    elements = [draw(st.sampled_from(few)) for _ in range(prod(shape))]
    # Converted from the widest dtype, which takes each element.
    widest = {"c": "complex128", "f": "float64"}.get(dtype.replace("bf", "f")[0], "int64")
    made = f"torch.tensor([{', '.join(elements)}], dtype=torch.{widest})"
    text = f"{made}.to(torch.{dtype}).reshape({shape}){draw(conj_neg_bits(dtype))}"
    twist = draw(st.sampled_from(TWISTS))
    if (twist == ".requires_grad_()" and widest == "int64") or (not shape and twist[-2:] != "()"):
        return text
    return text + twist


NUMBERS = st.sampled_from(
    (
        "0", "1", "-1", "2", "1.0", "1.0000001", "1.001", "-0.0", "float('nan')", "float('inf')",
        "1j", "1+1e-7j", "complex('nan')", "2**70", "10**400", "1e308", "True", "False",
        "numpy.float32(1.5)", "numpy.int64(1)", "numpy.bool_(True)", "numpy.complex64(1j)",
    )
)  # fmt: skip
ODD = st.sampled_from(
    (
        "numpy.ones(2)", "numpy.ones(2, 'f')", "numpy.array('a')", "numpy.array(1.5)", "None",
        "'a'", "'ab'", "b'ab'", "torch.float32", "torch.Size([1, 2])", "{1}", "range(2)", "[]",
        "()", "{}", "numpy.ones(2, 'u2')", "numpy.ones((0,))",
    )
)  # fmt: skip


def _nests(inner: st.SearchStrategy[str]) -> Text:
    lists = st.lists(inner, max_size=3)
    keys = st.sampled_from(("1", "2", "'a'", "(1,)", "None"))
    return (
        lists.map(lambda items: f"[{', '.join(items)}]")
        | lists.map(lambda items: f"({''.join(f'{item}, ' for item in items)})")
        | st.dictionaries(keys, inner, max_size=3).map(
            lambda items: f"{{{', '.join(f'{key}: {value}' for key, value in items.items())}}}"
        )
    )


VALUES = st.recursive(_tensors() | NUMBERS | ODD, _nests, max_leaves=3)


@st.composite
def _pairs(draw: DrawFn) -> tuple[str, str]:
    """Draw two values: equal ones, tensors that are alike, or any."""
    actual = draw(VALUES)
    kind = draw(st.sampled_from(("same", "alike", "alike", "alike", "near", "any")))
    dtype = re.search(r"to\(torch\.(\w+)\)", actual)
    shape = re.search(r"reshape\((\(.*?\))\)", actual)
    if kind == "alike" and actual.startswith("torch.tensor") and dtype and shape:
        return actual, draw(_tensors(eval(shape[1]), dtype[1] if draw(st.integers(0, 3)) else ""))
    numbers = [*re.finditer(r"(?<![\w.(])[0-3](?![\w.])", actual)]
    if kind in ("alike", "near") and numbers:
        found = draw(st.sampled_from(numbers))
        other = draw(st.sampled_from("0123"))
        return actual, actual[: found.start()] + other + actual[found.end() :]
    return actual, actual if kind == "same" else draw(VALUES)


FLAGS = ("equal_nan", "check_dtype", "check_device", "check_layout", "check_stride",
         "allow_subclasses")  # fmt: skip
TOLERANCES = st.sampled_from(
    (
        "", "", "", "", "rtol=0, atol=0", "rtol=1e-3, atol=1e-3", "rtol=0.0, atol=1",
        "rtol=0.5, atol=0", "rtol=0.1", "atol=0.1", "rtol=-1, atol=0", "rtol=0, atol=-1",
        "rtol='a', atol=1", "rtol=None, atol=None", "rtol=float('nan'), atol=0",
    )
)  # fmt: skip
MESSAGES = st.sampled_from(
    ("", "", "", "", "msg='own'", "msg=lambda text: f'before\\n{text}\\nafter'", "msg=3", "msg=''")
)


@st.composite
def _options(draw: DrawFn) -> str:
    """Draw keyword arguments of assert_close."""
    flags = draw(st.dictionaries(st.sampled_from(FLAGS), st.booleans(), max_size=3))
    parts = [draw(TOLERANCES), *(f"{name}={value}" for name, value in flags.items())]
    return "".join(f", {part}" for part in (*parts, draw(MESSAGES)) if part)


@sampled(pair=_pairs(), options=_options())
def test_closeness(ask: Probe, pair: tuple[str, str], options: str) -> None:
    """assert_close accepts values, or raises torch's error with its message, for all options."""
    actual, expected = pair
    ask(f"torch.testing.assert_close({actual}, {expected}{options})")


FORMER = st.sampled_from(
    ("", "", ", rtol=0, atol=0", ", equal_nan=False", ", msg='own'", ", rtol=1", ", nonsense=1")
)


@sampled(pair=_pairs(), options=FORMER)
def test_former(ask: Probe, pair: tuple[str, str], options: str) -> None:
    """assert_allclose warns, and compares with the tolerances that it had."""
    actual, expected = pair
    ask(f"torch.testing.assert_allclose({actual}, {expected}{options})")


SIZES = st.sampled_from(
    (
        "3", "2, 3", "(2, 3)", "[4]", "()", "(0,)", "torch.Size([2, 2])", "1", "2, 3, 4, 5", "20",
        "(2, 1, 2, 1, 3)", "'a'", "2.5", "-1", "(2, -1)", "None", "300", "range(2, 4)",
    )
)  # fmt: skip
BOUNDS = st.sampled_from(
    (
        "0", "1", "-1", "5", "-9", "10", "2.5", "-2.5", "1e10", "-1e10", "1e40", "-1e40", "300",
        "float('inf')", "-float('inf')", "float('nan')", "2**63", "-2**63", "2**64", "True", "'a'",
    )
)  # fmt: skip
CREATION = {
    "low": BOUNDS,
    "high": BOUNDS,
    "requires_grad": st.sampled_from(("True", "True", "False", "1", "None")),
    "noncontiguous": st.sampled_from(("True", "True", "False", "1")),
    "exclude_zero": st.sampled_from(("True", "False")),
    "memory_format": st.sampled_from(
        ("torch.channels_last", "torch.contiguous_format", "torch.preserve_format", "None", "1")
    ),
}
DTYPES = st.sampled_from(ALL_DTYPES) | st.sampled_from(("qint8", "bits8", "float4_e2m1fn_x2"))
DEVICES = st.sampled_from(("'cpu'",) * 8 + ("'meta'", "'cpu:0'", "None", "'nonsense'", "0"))


@sampled(
    sizes=SIZES, dtype=DTYPES, device=DEVICES,
    options=st.dictionaries(st.sampled_from([*CREATION]), st.integers(0, 5), max_size=4).flatmap(
        lambda chosen: st.fixed_dictionaries({name: CREATION[name] for name in chosen})
    ),
)  # fmt: skip
def test_make_tensor(
    ask: Probe, sizes: str, dtype: str, device: str, options: Mapping[str, str]
) -> None:
    """make_tensor draws torch's elements, with its strides, or raises its error."""
    keywords = "".join(f", {name}={value}" for name, value in options.items())
    ask(
        *settings.seed("rand"),
        f"torch.testing.make_tensor({sizes}, dtype=torch.{dtype}, device={device}{keywords})",
        "torch.rand(2)",
        question=-2,
    )
