"""Nested data: elements of every kind, in pairs and at every depth, under every default dtype."""

from ...core.domain import Domain
from ...engine.decorators import exhaustive
from ...engine.probe import Probe
from ...generators import settings

ELEMENTS = (
    "1", "1.5", "1j", "True", "-3", "math.nan", "2**63", "-2**64", "1e39", "None", "'a'", "b'ab'",
    "object()", "[1]", "[]", "(1, 2)", "{}", "range(2)", "fractions.Fraction(1, 2)",
    "decimal.Decimal(2)", "numpy.float64(1.5)", "numpy.int8(3)", "numpy.bool_(True)",
    "numpy.complex64(1j)", "numpy.array(2)", "numpy.array([1, 2])", "numpy.float16(1)",
    "torch.tensor(1)", "torch.tensor([2.5])", "torch.tensor(1j)", "torch.Size([1])",
    "type('A', (), {'__float__': lambda self: 2.5})()",
    "type('A', (), {'__index__': lambda self: 3})()",
    "type('A', (int,), {})(4)", "type('A', (float,), {'__float__': lambda self: 1 / 0})(5)",
    "type('A', (), {'__len__': lambda self: 1 / 0, '__getitem__': lambda self, i: 1})()",
    "type('A', (), {'__len__': lambda self: 2, '__getitem__': lambda self, i: [6, 7][i]})()",
)  # fmt: skip
NESTINGS = (
    "{0}", "[{0}]", "[[{0}], [1]]", "[[1, 2], [3, {0}]]", "[[1, {0}], [3]]", "[[], {0}]",
    "([1.5, 2], ({0}, 1))", "[1, [{0}]]", "[[[1]], [[{0}]]]", "[1, 2, {0}, 1j]",
)  # fmt: skip
CALLS = {
    "float32": ("float32", "torch.tensor({})"),
    "float64": ("float64", "torch.tensor({})"),
    "float16": ("float16", "torch.tensor({})"),
    "to uint8": ("float32", "torch.tensor({}, dtype=torch.uint8)"),
    "to complex64": ("float64", "torch.as_tensor({}, dtype=torch.complex64)"),
    "to bool": ("float32", "torch.asarray({}, dtype=torch.bool)"),
    "Tensor": ("float64", "torch.Tensor({})"),
    "LongTensor": ("float32", "torch.LongTensor({})"),
}


@exhaustive(lambda torch: Domain(call=CALLS, element=ELEMENTS), parts=2, one_in=6)
def test_elements(ask: Probe, call: str, element: str) -> None:
    """Each pair of elements, and each at every depth, gives torch's dtype, elements and error."""
    default, text = CALLS[call]
    pairs = (f"[{element}, {other}]" for other in ELEMENTS)
    data = (*pairs, *(nesting.format(element) for nesting in NESTINGS))
    setup = settings.default_dtype(default)
    ask(*setup, *(text.format(each) for each in data), question=len(setup))
