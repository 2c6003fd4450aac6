"""Sequences of numbers: arange, range, linspace and logspace."""

from hypothesis import strategies as st

from ...core.domain import Domain
from ...engine.decorators import exhaustive, sampled
from ...engine.probe import Probe

_STEPS = (
    "2**-9 + 2**-40", "2**-9 - 2**-40", "2**-12 + 2**-45", "3 * 2**-10", "2**-24 + 2**-50", "0.1",
    "-1 / 3", "2**-9", "-1e-3", "7.3", "1e4 / 3", "1", "2**24 + 1", "2**53 - 1",
)  # fmt: skip
"""Steps with which elements lie near the middle of two numbers of a dtype, and others."""

_STARTS = (
    "0", "1", "-3.5", "1 + 2**-9", "2**-14", "1e4", "-(2**24) - 2", "-(2**53) - 2", "2**53 - 3",
    "-(2**60)",
)  # fmt: skip
"""Starts, some of them beyond the integers that a dtype represents."""

_RANGES = (
    "torch.range({start}, {start} + 40 * ({step}), {step}, dtype=torch.{dtype})",
    "torch.arange({start}, {start} + 40 * ({step}), {step}, dtype=torch.{dtype})",
    "torch.linspace({start}, {start} + 40 * ({step}), 37, dtype=torch.{dtype})",
    "torch.arange({start} - ({step}), {start} + 300 * ({step}), {step}, dtype=torch.{dtype})",
)  # fmt: skip


@exhaustive(
    lambda torch: Domain(
        maker=_RANGES, dtype=("float16", "bfloat16", "float32", "float64"), start=_STARTS,
        step=_STEPS,
    ),
    one_in=2,
)  # fmt: skip
def test_rounded(ask: Probe, maker: str, dtype: str, start: str, step: str) -> None:
    """The elements of ranges are rounded as torch rounds products and sums."""
    ask(maker.format(start=start, step=step, dtype=dtype))


@exhaustive(
    lambda torch: Domain(
        maker=("torch.range({}, {}, {}, dtype=d)", "torch.arange({}, {}, {}, dtype=d)",
               "torch.linspace({}, {}, abs(int(min({}, 5))), dtype=d)"),
        dtype=("float16", "bfloat16", "float32", "float64"),
        first=("m", "-m", "0", "m / 2"), last=("m", "-m", "-m / 4"), step=("m", "-m", "m / 3"),
    )
)  # fmt: skip
def test_wide(ask: Probe, maker: str, dtype: str, first: str, last: str, step: str) -> None:
    """Ranges between the largest numbers of a dtype have torch's elements, or are refused."""
    ask(f"d = torch.{dtype}", "m = torch.finfo(d).max", maker.format(first, last, step))


_ENDS = st.one_of(
    st.floats(-8, 8), st.floats(width=16, allow_nan=False, allow_infinity=False),
    st.floats(width=32, allow_nan=False, allow_infinity=False),
    st.floats(allow_nan=False, allow_infinity=False), st.floats(-1e-300, 1e-300),
)  # fmt: skip
_SPACES = (
    "torch.linspace({first}, {last}, {steps}, dtype=torch.{dtype})",
    "torch.logspace({first}, {last}, {steps}, dtype=torch.{dtype})",
    "torch.logspace({first}, {last}, {steps}, 2, dtype=torch.{dtype})",
    "torch.arange({first}, {first} + {steps} * {step}, {step}, dtype=torch.{dtype})",
    "torch.range({first}, {first} + {steps} * {step}, {step}, dtype=torch.{dtype})",
)  # fmt: skip


@sampled(calls=4, first=_ENDS, last=_ENDS, steps=st.integers(2, 900), step=st.floats(2**-9, 4))
def test_spaces(ask: Probe, first: float, last: float, steps: int, step: float) -> None:
    """The elements of long spaces and ranges between any numbers are rounded as in torch."""
    for space in _SPACES:
        for dtype in ("float16", "bfloat16", "float32", "float64"):
            ask(space.format(first=first, last=last, steps=steps, step=step, dtype=dtype))


@exhaustive(
    lambda torch: Domain(
        maker=("torch.linspace({}, {}, {}, dtype=d)", "torch.logspace({}, {}, {}, dtype=d)",
               "torch.linspace({}, {}, {}, out=torch.ones(2, 3).t().to(d))",
               "torch.logspace({}, {}, {}, base=-1.5, out=torch.ones(2, 3).to(d))",
               "torch.logspace({}, {}, {}, base=0.0, dtype=d)"),
        dtype=("float32", "int64", "complex64", "bfloat16", "bool", "uint8"),
        first=("0", "2.5", "torch.tensor(1)", "torch.tensor(1 + 1j)", "-math.inf"),
        last=("0", "3", "torch.tensor(2.5)", "math.nan"),
        steps=("0", "1", "2", "3", "6", "-1", "True", "2.0", "torch.tensor(2)", "2**62"),
    ),
    one_in=8,
)  # fmt: skip
def test_few_steps(ask: Probe, maker: str, dtype: str, first: str, last: str, steps: str) -> None:
    """Spaces of no, one or few steps have torch's elements, or are refused."""
    ask(f"d = torch.{dtype}", maker.format(first, last, steps))


_BOUNDS = (
    "0", "1", "-1", "3", "7", "2.5", "-2.5", "True", "2**53 + 1", "2**62", "-(2**63)", "2**63",
    "2**70", "1e19", "math.inf", "math.nan", "1j",
)  # fmt: skip


_DTYPES_ON_META = ("int64", "float32", "uint8", "bool")
_ON_META = (
    *(f"torch.arange({{}}, {{}}, {{}}, dtype=torch.{dtype}, device='meta')"
      for dtype in _DTYPES_ON_META),
    *(f"torch.arange({{}}, {{}}, {{}}, out=torch.empty(2, dtype=torch.{dtype}, device='meta'))"
      for dtype in _DTYPES_ON_META),
    *(f"torch.linspace({{}}, {{}}, {{}}, dtype=torch.{dtype}, device='meta')"
      for dtype in _DTYPES_ON_META),
    "torch.range({}, {}, {}, device='meta')",
    "torch.logspace({}, {}, {}, dtype=torch.complex32, device='meta')",
    "torch.logspace({}, {}, {}, out=torch.empty(2, dtype=torch.int64, device='meta'))",
)  # fmt: skip
"""Makers of ranges on meta. A range() of integers with a step below 1 ends torch's process."""


@exhaustive(
    lambda torch: Domain(
        maker=_ON_META, first=_BOUNDS, last=_BOUNDS,
        step=("1", "2", "-1", "0", "0.5", "-2.5", "2**62", "2.0**69", "math.inf", "math.nan"),
    ),
    one_in=16,
)  # fmt: skip
def test_on_meta(ask: Probe, maker: str, first: str, last: str, step: str) -> None:
    """Ranges and spaces on meta have torch's sizes up to the bounds of int64, or are refused."""
    ask(maker.format(first, last, step))


_ENDS_OF_INT64 = (
    "0", "1", "-1", "2**50", "2**62", "2**62 + 2**38", "2**62 + 2**38 + 1", "2**63 - 1",
    "-(2**62)", "-(2**63)", "2.0**53", "1e18",
)  # fmt: skip
_COUNTED = (
    *(f"torch.arange({{}}, {{}}, {{}}, dtype=torch.{dtype})"
      for dtype in ("int64", "float16", "float32", "float64", "uint8")),
    *(f"torch.range({{}}, {{}}, {{}}, dtype=torch.{dtype})"
      for dtype in ("int64", "float16", "float32", "float64")),
)  # fmt: skip
"""Makers of ranges. A range() of a step that a dtype rounds to 0 ends torch's process."""


def _is_small_or_refused(first: str, last: str, step: str) -> bool:
    """Return whether a range has so few elements that it is made, or so many that it is refused.

    Torch's process ends when the least number of int64 is divided by -1.
    """
    length = eval(last) - eval(first)
    return not 2**17 < abs(length / eval(step)) < 2**52 and (length, step) != (-(2**63), "-1")


_EXTREME = [
    f"{first}, {last}, {step}"
    for first in _ENDS_OF_INT64
    for last in _ENDS_OF_INT64
    for step in ("1", "-1", "2**48", "2**50", "2**62", "-(2**50)", "2.0**49", "-3e17")
    if _is_small_or_refused(first, last, step)
]


@exhaustive(lambda torch: Domain(maker=_COUNTED, bounds=_EXTREME), one_in=8)
def test_extremes(ask: Probe, maker: str, bounds: str) -> None:
    """Ranges between the ends of int64 have torch's elements, or are refused."""
    ask(maker.format(*bounds.split(", ")))


_SIDES = ("0", "1", "3", "2**20", "2**30", "2**31", "2**32", "2**62", "2**63 - 1", "-1", "2**63")


def _eyes(device: str) -> list[str]:
    """Return the arguments of eye() for each pair of sides that does not fill the memory."""
    pairs = [(rows, columns) for rows in _SIDES for columns in ("", *_SIDES)]
    return [
        ", ".join(filter(None, (rows, columns, f"device='{device}'")))
        for rows, columns in pairs
        if device == "meta" or not 2**16 < _area(rows, columns or rows) < 2**49
    ]


def _area(rows: str, columns: str) -> int:
    sides: list[int] = [max(eval(side), 0) for side in (rows, columns)]
    return sides[0] * sides[1]


@exhaustive(lambda torch: Domain(arguments=[*_eyes("cpu"), *_eyes("meta")]))
def test_eyes(ask: Probe, arguments: str) -> None:
    """eye() of any sizes is torch's, or refused."""
    ask(f"torch.eye({arguments})")


_SIZES = ("0", "1", "2", "3", "5")
_OFFSETS = (
    "0", "1", "-1", "2", "-2", "3", "-4", "6", "-6", "2**31", "-(2**31)", "2**62", "-(2**63)",
)  # fmt: skip


@exhaustive(
    lambda torch: Domain(
        maker=("tril_indices", "triu_indices"), rows=_SIZES, columns=_SIZES, offset=_OFFSETS,
        option=("", ", dtype=torch.int32", ", dtype=torch.float32", ", device='meta'"),
    ),
    one_in=8,
)  # fmt: skip
def test_triangles(
    ask: Probe, maker: str, rows: str, columns: str, offset: str, option: str
) -> None:
    """Indices of triangles of any size and offset are torch's, or are refused."""
    ask(f"torch.{maker}({rows}, {columns}, {offset}{option})")
