"""Tensors at the limits of printing: numbers, numbers of elements and lengths of lines.

The limits are those of torch/_tensor_str.py.
"""

from fractions import Fraction

from ..core.float_formats import FORMATS, nearest, value_of

DTYPES = (
    "float64", "float32", "float16", "bfloat16", "complex128", "complex64", "complex32",
    "float8_e5m2", "float8_e4m3fn",
)  # fmt: skip

LIMITS = {
    "1000 times the smallest": ("1.5, {}", "1500"),
    "1000 times the smallest integer": ("{}, 3", "3000"),
    "1000 times a tenth": ("0.1, {}, -5", "100"),
    "1000 times a negative number": ("-0.75, 0, {}", "750"),
    "a thousandth of the largest": ("{}, 2.5, -7", "0.007"),
    "1000 times the smallest, and no number": ("math.nan, 2, {}, -math.inf", "2000"),
    "largest": ("{}", "100000000"),
    "largest with others": ("{}, 200000.5", "100000000"),
    "largest integers": ("{}, 100000", "-100000000"),
    "smallest": ("{}", "0.0001"),
    "smallest with others": ("0, {}, 0.05", "0.0001"),
    "smallest with others, negative": ("{}, -0.0625", "-0.0001"),
    "an integer": ("1, 2, {}", "3"),
    "an integer that is largest": ("{}, 1", "16"),
    "a large integer": ("{}, 2048", "4096"),
    "a tie of the precision": ("{}, 1.5", "0.00015"),
    "another tie": ("{}, 1.5", "0.00025"),
    "a tie of shorter precision": ("{}, 0.5", "2.5"),
    "a tie that is longer": ("{}, 1.25", "9.99995"),
    "a power of ten": ("{}, 1.25", "100"),
    "a tie of the exponent": ("{}, 1000000000", "9.99995e-05"),
    "smallest normal": ("{}", "normal"),
    "smallest normal with one": ("1, {}", "normal"),
    "smallest subnormal": ("{}, 0", "subnormal"),
    "infinity": ("{}", "infinity"),
    "infinity with others": ("-math.inf, {}, 1.5, math.nan", "infinity"),
    "zeros": ("0.0, -0.0, {}", "0"),
    "no number": ("math.nan, {}, -math.inf", "infinity"),
    "one number": ("-math.nan, math.inf, {}", "1"),
}
"""The elements of a tensor, and the limit that one of them is at."""

SIDES = ("below", "at", "above")


def tensor_at(limit: str, side: str, dtype: str) -> str:
    """Return the source text of a tensor with an element at a limit, or next to it.

    A complex tensor has the elements as real and, in reverse order, as imaginary parts.
    """
    text, number = LIMITS[limit]
    element = _element(number, SIDES.index(side) - 1, dtype)
    elements = text.format(element).split(", ")
    if FORMATS[dtype].parts > 1:
        pairs = zip(elements, reversed(elements), strict=True)
        elements = [f"complex({real}, {imag})" for real, imag in pairs]
    return f"torch.tensor([{', '.join(elements)}], dtype=torch.{dtype})"


def _element(number: str, step: int, dtype: str) -> str:
    """Return the number of a dtype that is so many steps from another one, as source text."""
    fmt = FORMATS[dtype]._replace(parts=1)
    limits = {
        "normal": 1 << fmt.mantissa, "subnormal": 1,
        "infinity": fmt.largest + (fmt.specials == "ieee"),
    }  # fmt: skip
    code = limits[number] if number in limits else nearest(Fraction(number), fmt)
    assert code is not None
    if code + step < 0:
        return "-0.0"
    value = float(value_of(code + step, fmt))
    return repr(value) if value - value == 0 else f"float('{value}')"


OPTIONS = (
    "", "precision=0", "precision=2", "precision=7", "sci_mode=True", "sci_mode=False",
    "sci_mode=True, precision=1", "sci_mode=False, precision=12", "linewidth=20", "profile='short'",
)  # fmt: skip


def set_options(options: str) -> str:
    """Return the step that sets print options, and the others to their defaults."""
    default = "" if "profile" in options else "profile='default'"
    return f"torch.set_printoptions({', '.join(filter(None, (default, options)))})"


COUNTS = {
    "threshold=5": (4, 5, 6, 7, 8),
    "threshold=6, edgeitems=1": (2, 3, 6, 7),
    "threshold=0, edgeitems=2": (0, 1, 4, 5, 6),
    "threshold=7, edgeitems=0": (7, 8),
    "": (999, 1000, 1001),
    "edgeitems=4, linewidth=30": (1000, 1001),
    "profile='short'": (1000, 1001, 5, 6),
    "profile='full'": (1001,),
    "threshold=math.inf": (1001,),
}
"""Print options, and the numbers of elements around their limits."""

SHAPES = ("{},", "1, {}", "{}, 1", "2, {}", "{}, 2", "{}, 0", "2, 1, {}", "{}, 2, 3")

TENSORS = (
    "torch.arange(7)", "torch.arange(7.0) / 4", "torch.arange(7, dtype=torch.int16)",
    "torch.arange(7.0).double() * 1000", "torch.arange(6.0).reshape(2, 3) - 2.5",
    "torch.tensor([1 + 2j, -0.5j])", "torch.tensor([True, False])", "torch.tensor(3.5)",
    "torch.ones(3, requires_grad=True)", "torch.ones(2, dtype=torch.half, requires_grad=True) * 2",
    "torch.ones(0, 3)", "torch.zeros(0, dtype=torch.int32)", "torch.ones(2, 3, device='meta')",
    "torch.tensor([1.0, 0.0, 2.0]).to_sparse()", "torch.tensor([math.nan, -math.inf, 1.0])",
)  # fmt: skip
"""Tensors with lines and suffixes of several lengths."""

WIDTHS = (*range(64), *range(74, 86))
