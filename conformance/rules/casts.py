"""The rules of ``can_cast`` and of value conversion.

``can_cast`` decides whether a result may be written into an existing tensor
(https://github.com/pytorch/pytorch/blob/main/c10/core/ScalarType.h). An explicit conversion, such
as ``to()``, is always allowed. `engine.cast_rules` compares both with torch for every pair of
dtypes.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import le
from typing import NamedTuple

from .dtypes import DTYPES, Dtype
from .operands import Reason
from .promotion import PYTHON_TYPES, Rule

SOURCE = "https://github.com/pytorch/pytorch/blob/main/c10/core/ScalarType.h"
CONVERSIONS_SOURCE = "https://github.com/pytorch/pytorch/blob/main/c10/util/TypeCast.h"
UNDEFINED_LINK = "https://github.com/pytorch/pytorch/issues/107693"


class Cast(NamedTuple):
    """A rule of ``can_cast`` or of value conversion, and whether it applies to two dtypes."""

    name: str
    statement: str
    holds: Callable[[Dtype, Dtype], bool]
    clauses: tuple[str, ...] = ()
    link: str = CONVERSIONS_SOURCE

    @property
    def rule(self) -> Rule:
        """The rule, without its function."""
        return Rule(self.name, self.statement, self.clauses, self.link)


_ALLOWED = "cast-allowed"

_cast = partial(Cast, link=SOURCE)
CASTS = (
    _cast(
        "real-refuses-complex",
        "A complex dtype cannot be cast to a real one.",
        lambda source, target: source.category == "complex" != target.category,
        ("casting.real-refuses-complex",),
    ),
    _cast(
        "integral-refuses-floating",
        "A floating dtype cannot be cast to an integral one.",
        lambda source, target: (source.category, target.category) == ("floating", "integral"),
        ("casting.integral-refuses-floating",),
    ),
    _cast(
        "bool-refuses-others",
        "Only bool can be cast to bool.",
        lambda source, target: source.category != "boolean" == target.category,
        ("casting.bool-refuses-others",),
    ),
    _cast(
        _ALLOWED,
        "Every other cast is allowed, also to a smaller dtype of the same category.",
        lambda source, target: True,
        ("casting.output-cast",),
    ),
)
"""The rules of ``can_cast`` in order; the first that applies decides."""


class CastDecision(NamedTuple):
    """Whether a cast is allowed, and why."""

    allowed: bool
    reason: Reason


def cast(source: str, target: str, casts: Sequence[Cast] = CASTS) -> CastDecision:
    """Return whether ``can_cast`` allows a cast between two dtypes, and by which rule.

    Both are public names such as ``uint8``, or Python's ``float``, ``int``, ``bool`` or
    ``complex``.

    >>> cast("float64", "float16").allowed, cast("float16", "int64").reason.rule
    (True, 'integral-refuses-floating')
    """
    left, right = (DTYPES[PYTHON_TYPES.get(name, name)] for name in (source, target))
    row = next(row for row in casts if row.holds(left, right))
    allowed = row.name == _ALLOWED
    verb = "can" if allowed else "cannot"
    text = f"{source} {verb} be cast to {target}: {_inside(row.statement)}"
    return CastDecision(allowed, Reason(row.name, text, row.clauses))


def _inside(statement: str) -> str:
    """Return a sentence as it stands after a colon."""
    return statement[0].lower() + statement[1:].removesuffix(".")


def _has_numbers(dtype: Dtype) -> bool:
    return dtype.category != "opaque" and dtype.name != "float4_e2m1fn_x2"


def _holds_all(source: Dtype, target: Dtype) -> bool:
    """Return whether two dtypes have the same category and the target holds every source number."""
    return bool(
        source.category == target.category
        and source.holds
        and target.holds
        and all(map(le, source.holds, target.holds))
    )


CONVERSIONS = (
    Cast(
        "unchanged",
        "The dtype is the same: nothing is converted.",
        lambda source, target: source is target,
    ),
    Cast(
        "no-numbers",
        "One of the two dtypes has no number format.",
        lambda source, target: not (_has_numbers(source) and _has_numbers(target)),
    ),
    Cast(
        "truth",
        "Zero becomes False; any other value, NaN included, becomes True.",
        lambda source, target: target.category == "boolean",
    ),
    Cast(
        "real-part",
        "The imaginary part is discarded with a warning, and the real part is converted.",
        lambda source, target: source.category == "complex" != target.category,
    ),
    Cast(
        "power-of-two",
        "Each number loses its sign and is rounded to the nearest power of two, ties to the larger"
        " one. Numbers up to the smallest, 2**-127, become 2**-127, 0 included; numbers from there"
        " to 2**-126 become 2**-126. Numbers out of range, and infinities, become NaN.",
        lambda source, target: target.name == "float8_e8m0fnu",
    ),
    Cast(
        "from-bool",
        "False becomes 0 and True becomes 1.",
        lambda source, target: source.category == "boolean",
    ),
    Cast(
        "low-bits",
        "The fraction is truncated, and the lowest 8 bits are kept; the result is undefined for"
        " NaN and for numbers out of the range of int64.",
        lambda source, target: source.category == "floating" and target.name == "uint8",
        link=UNDEFINED_LINK,
    ),
    Cast(
        "cut-off",
        "The fraction is truncated; the result is undefined for NaN and numbers out of range.",
        lambda source, target: (source.category, target.category) == ("floating", "integral"),
        link=UNDEFINED_LINK,
    ),
    Cast("exact", "Every number is represented exactly.", _holds_all),
    Cast(
        "wraps",
        "Numbers out of range wrap around: the lowest bits are kept.",
        lambda source, target: target.category == "integral",
    ),
    Cast(
        "no-infinity",
        "Each number is converted to float32 and then rounded to nearest, ties to even. The dtype"
        " has no -0 and no infinity: -0 becomes 0, and numbers out of range, and infinities, become"
        " NaN.",
        lambda source, target: target.name.endswith("fnuz"),
    ),
    Cast(
        "saturates",
        "Each number is converted to float32 and then rounded to nearest, ties to even. The dtype"
        " has no infinity: numbers out of range, and infinities, become 448 or -448.",
        lambda source, target: target.name == "float8_e4m3fn",
    ),
    Cast(
        "rounded",
        "Each number is rounded to nearest, ties to even, and numbers out of range become infinite."
        " For a dtype of 16 or 8 bits the number is converted to float32 first.",
        lambda source, target: True,
    ),
)
"""The rules of value conversion in order; the first that applies decides."""


def conversion(source: str, target: str, conversions: Sequence[Cast] = CONVERSIONS) -> Reason:
    """Return the rule by which values of one dtype are converted to another.

    >>> conversion("float32", "bool").rule, conversion("int8", "int64").rule
    ('truth', 'exact')
    """
    source_dtype, target_dtype = DTYPES[source], DTYPES[target]
    rule = next(row for row in conversions if row.holds(source_dtype, target_dtype))
    groups = {source_dtype.kind, target_dtype.kind} & {"float8", "unsigned"}
    clauses = ("dtypes.shell-casting",) if groups else ()
    text = f"{source} becomes {target}: {_inside(rule.statement)}"
    return Reason(rule.name, text, rule.clauses + clauses)


CAST_RULES: Mapping[str, Rule] = {row.name: row.rule for row in (*CASTS, *CONVERSIONS)}
"""Every rule of ``can_cast`` and conversion by its id."""
