"""What may be cast to what, and what becomes of numbers that are.

``can_cast`` is asked where a result is written into a tensor that is there already
(https://github.com/pytorch/pytorch/blob/main/c10/core/ScalarType.h); a conversion that is asked for, as by ``to()``, is
never refused for it.  `engine.cast_rules` holds both against torch for every pair of dtypes.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from .dtypes import DTYPES, Dtype
from .operands import Reason
from .promotion import PYTHON_TYPES, Rule

SOURCE = "https://github.com/pytorch/pytorch/blob/main/c10/core/ScalarType.h"
CONVERSIONS_SOURCE = "https://github.com/pytorch/pytorch/blob/main/c10/util/TypeCast.h"
UNDEFINED_LINK = "https://github.com/pytorch/pytorch/issues/107693"


class Cast(NamedTuple):
    """A rule for casts: when it holds, whether it allows the cast, and why."""

    rule: Rule
    holds: Callable[[Dtype, Dtype], bool]
    allows: bool


CASTS = (
    Cast(
        Rule(
            "real-refuses-complex",
            "What is complex cannot be cast to what is not.",
            ("casting.real-refuses-complex",),
            SOURCE,
        ),
        lambda source, target: source.category == "complex" != target.category,
        False,
    ),
    Cast(
        Rule(
            "integral-refuses-floating",
            "What is floating cannot be cast to an integral dtype.",
            ("casting.integral-refuses-floating",),
            SOURCE,
        ),
        lambda source, target: (source.category, target.category) == ("floating", "integral"),
        False,
    ),
    Cast(
        Rule(
            "bool-refuses-others",
            "Only bool can be cast to bool.",
            ("casting.bool-refuses-others",),
            SOURCE,
        ),
        lambda source, target: source.category != "boolean" == target.category,
        False,
    ),
    Cast(
        Rule(
            "cast-allowed",
            "Every other cast is allowed, within a category to a smaller dtype, too.",
            ("casting.output-cast",),
            SOURCE,
        ),
        lambda source, target: True,
        True,
    ),
)
"""The rules for casts in their order, of which the first that holds decides."""


class CastDecision(NamedTuple):
    """Whether a cast is allowed, and why."""

    allowed: bool
    reason: Reason


def cast(source: str, target: str, casts: Sequence[Cast] = CASTS) -> CastDecision:
    """Tell whether ``can_cast`` allows a cast between two dtypes, and by which rule.

    Both are public names such as ``uint8``, or one of Python's ``float``, ``int``, ``bool``, ``complex``.

    >>> cast("float64", "float16").allowed, cast("float16", "int64").reason.rule
    (True, 'integral-refuses-floating')
    """
    one, other = (DTYPES[PYTHON_TYPES.get(name, name)] for name in (source, target))
    row = next(each for each in casts if each.holds(one, other))
    can = "can" if row.allows else "cannot"
    text = f"{source} {can} be cast to {target}: {_inside(row.rule.statement)}"
    return CastDecision(row.allows, Reason(row.rule.id, text, row.rule.clauses))


def _inside(statement: str) -> str:
    """Write a sentence as it stands after a colon."""
    return statement[0].lower() + statement[1:].removesuffix(".")


class Conversion(NamedTuple):
    """A rule for what becomes of numbers that are converted between dtypes."""

    rule: Rule
    holds: Callable[[Dtype, Dtype], bool]


def _conversion(name: str, statement: str, holds: Callable[[Dtype, Dtype], bool]) -> Conversion:
    return Conversion(Rule(name, statement, (), CONVERSIONS_SOURCE), holds)


def _has_numbers(dtype: Dtype) -> bool:
    return dtype.category != "opaque" and dtype.name != "float4_e2m1fn_x2"


def _holds_all(source: Dtype, target: Dtype) -> bool:
    """Tell whether every number of one dtype is one of another that is of the same category."""
    return bool(
        source.category == target.category
        and source.holds
        and target.holds
        and all(mine <= other for mine, other in zip(source.holds, target.holds, strict=True))
    )


CONVERSIONS = (
    _conversion("unchanged", "The dtype is the same: nothing is converted.", lambda source, target: source is target),
    _conversion(
        "no-numbers",
        "One of the two has no numbers that a kernel could convert.",
        lambda source, target: not (_has_numbers(source) and _has_numbers(target)),
    ),
    _conversion(
        "truth",
        "Zero becomes False, and everything else True, NaN too.",
        lambda source, target: target.category == "boolean",
    ),
    _conversion(
        "real-part",
        "The imaginary part is dropped, of which torch warns, and the real one converted as such.",
        lambda source, target: source.category == "complex" != target.category,
    ),
    _conversion(
        "power-of-two",
        "Each number loses its sign and becomes the nearest power of two, half way the larger one; what is"
        " below the smallest, 2**-127, becomes that, 0 too; what is between that and 2**-126 becomes the"
        " larger one; and what is too large, or infinite, becomes NaN.",
        lambda source, target: target.name == "float8_e8m0fnu",
    ),
    _conversion(
        "from-bool", "False becomes 0 and True 1.", lambda source, target: source.category == "boolean"
    ),
    Conversion(
        Rule(
            "low-bits",
            "The fraction is cut off, and the lowest 8 bits are kept; what becomes of NaN, and of what int64"
            " does not hold, is undefined.",
            (),
            UNDEFINED_LINK,
        ),
        lambda source, target: source.category == "floating" and target.name == "uint8",
    ),
    Conversion(
        Rule(
            "cut-off",
            "The fraction is cut off; what becomes of NaN, and of what is out of range, is undefined.",
            (),
            UNDEFINED_LINK,
        ),
        lambda source, target: (source.category, target.category) == ("floating", "integral"),
    ),
    _conversion("exact", "Every number stays what it is.", _holds_all),
    _conversion(
        "wraps",
        "What is out of range wraps: the lowest bits are kept.",
        lambda source, target: target.category == "integral",
    ),
    _conversion(
        "no-infinity",
        "Each number is float32 first and becomes the nearest that there is, of two the even one; there is no"
        " -0 and no infinity: -0 becomes 0, and what is too large, or infinite, NaN.",
        lambda source, target: target.name.endswith("fnuz"),
    ),
    _conversion(
        "saturates",
        "Each number is float32 first and becomes the nearest that there is, of two the even one; there is no"
        " infinity: what is too large, or infinite, becomes 448 or -448.",
        lambda source, target: target.name == "float8_e4m3fn",
    ),
    _conversion(
        "rounded",
        "Each number becomes the nearest that there is, of two the even one, and what is too large infinite;"
        " one that becomes a format of 16 bits or 8 is float32 before.",
        lambda source, target: True,
    ),
)  # fmt: skip
"""The rules for conversions in their order, of which the first that holds decides."""


def conversion(source: str, target: str, conversions: Sequence[Conversion] = CONVERSIONS) -> Reason:
    """Say what becomes of numbers of one dtype in another.

    >>> conversion("float32", "bool").rule, conversion("int8", "int64").rule
    ('truth', 'exact')
    """
    one, other = DTYPES[source], DTYPES[target]
    rule = next(each.rule for each in conversions if each.holds(one, other))
    shell = {one.kind, other.kind} & {"float8", "unsigned"}
    clauses = ("dtypes.shell-casting",) if shell else ()
    text = f"{source} becomes {target}: {_inside(rule.statement)}"
    return Reason(rule.id, text, rule.clauses + clauses)


CAST_RULES: Mapping[str, Rule] = {
    **{each.rule.id: each.rule for each in CASTS},
    **{each.rule.id: each.rule for each in CONVERSIONS},
}
"""Every rule about casts and conversions by its id."""
