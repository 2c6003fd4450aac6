"""Type promotion: the lattice, and the rules above it.

Thirteen dtypes form a lattice; the dtype of an operation between two of them
is the least one above both.  The others (float8, the wide unsigned integers,
the sub-byte integers, quantised and bits types) stand outside, each group with
a rule and a refusal of its own.  A pair is worked out once; after that a call
is a look-up.
"""

from functools import reduce
from typing import Any

from .._argparser.parser import Parser, positional
from .._argparser.schema import MISSING
from .._dtypes.table import ALL, DTYPES, PYTHON_TYPES, Kind, as_dtype, dtype, spec_of
from .._runtime.errors import check

#          .-> uint8 -.                            .-> bfloat16 -----------.
#   bool --+          +-> int16 -> int32 -> int64 -+                       +-> float32 -> float64
#          '-> int8  -'                            '-> float16 ---+--------'      |          |
#                                                                 v               v          v
#                                                             complex32 ----> complex64 -> complex128
LATTICE = {
    "bool": ("uint8", "int8"),
    "uint8": ("int16",),
    "int8": ("int16",),
    "int16": ("int32",),
    "int32": ("int64",),
    "int64": ("float16", "bfloat16"),
    "float16": ("float32", "complex32"),
    "bfloat16": ("float32",),
    "float32": ("float64", "complex64"),
    "float64": ("complex128",),
    "complex32": ("complex64",),
    "complex64": ("complex128",),
    "complex128": (),
}
"""The thirteen dtypes that promote among each other, each with the next ones above it."""


def _above(name: str) -> frozenset[str]:
    """Return a dtype's name and all that stand above it in the lattice."""
    return reduce(frozenset.union, map(_above, LATTICE[name]), frozenset({name}))


_ABOVE = {DTYPES[name]: frozenset(DTYPES[each] for each in _above(name)) for name in LATTICE}


def _join(left: dtype, right: dtype) -> dtype:
    """Return the least dtype of the lattice that is above both."""
    common = _ABOVE[left] & _ABOVE[right]
    least = [each for each in common if _ABOVE[each] == common]
    check(len(least) == 1, lambda: f"{left} and {right} have no least upper bound", ValueError)
    return least[0]


def _is_float8(dtype: dtype) -> bool:
    return dtype.is_floating_point and spec_of(dtype).bits == 8 and not _is_packed(dtype)


def _is_packed(dtype: dtype) -> bool:
    float_format = spec_of(dtype).float_format
    return float_format is not None and float_format.packed > 1


def _is_barebones_unsigned(dtype: dtype) -> bool:
    """Tell the unsigned integers that torch has for its compiler's sake: all but uint8 (#58734)."""
    return spec_of(dtype).kind is Kind.UNSIGNED and dtype not in _ABOVE


def _promote(left: dtype, right: dtype) -> dtype:
    """Promote two dtypes, or raise torch's refusal.  The order of the questions is torch's."""
    if left is right:
        return left
    names = spec_of(left).cpp_name, spec_of(right).cpp_name
    both = (left, right)
    kinds = {spec_of(each).kind for each in both}
    if Kind.QUANTIZED in kinds:
        raise RuntimeError(
            "promoteTypes with quantized numbers is not handled yet; figure out what the"
            " correct rules should be, offending types: " + " ".join(names)
        )
    if Kind.BITS in kinds:
        raise RuntimeError(f"Promotion from {names[0]} and {names[1]} is unsupported.")
    if any(map(_is_float8, both)):
        raise RuntimeError(
            "Promotion for Float8 Types is not supported, attempted to promote "
            + " and ".join(names)
        )
    if any(map(_is_barebones_unsigned, both)):
        for each in both:
            if each.is_floating_point:
                return each
        raise RuntimeError(
            "Promotion for uint16, uint32, uint64 types is not supported, attempted to promote "
            + " and ".join(names)
        )
    # Torch looks both up in a table that has no place for the rest, and asserts.
    for each, side, line in ((left, "a", 103), (right, "b", 105)):
        if each not in _ABOVE:
            raise RuntimeError(
                f'ix_{side} != -1 INTERNAL ASSERT FAILED at "c10/core/ScalarType.cpp":{line},'
                " please report a bug to PyTorch. "
            )
    return _join(left, right)


def _can_cast(from_: dtype, to: dtype) -> bool:
    """Tell whether an operation's result may be cast to ``to``: never to a lower category."""
    if from_.is_complex and not to.is_complex:
        return False
    if from_.is_floating_point and _is_integer_with_limits(to):
        return False
    return not (spec_of(from_).kind is not Kind.BOOL and spec_of(to).kind is Kind.BOOL)


def _is_integer_with_limits(dtype: dtype) -> bool:
    """Tell the integers of whole bytes; the sub-byte ones are none to can_cast."""
    row = spec_of(dtype)
    return row.kind in (Kind.UNSIGNED, Kind.SIGNED) and row.bits >= 8


_KEYS: dict[Any, dtype] = {**{each: each for each in ALL}, **PYTHON_TYPES}

# What was asked before.  Torch's refusals are not kept: they are raised anew.
PROMOTED: dict[Any, dict[Any, dtype]] = {key: {} for key in _KEYS}
"""What pairs of dtypes have promoted to so far."""
_CASTABLE: dict[Any, dict[Any, bool]] = {key: {} for key in _KEYS}

_parse_promote_types = Parser("promote_types(ScalarType type1, ScalarType type2)")
_parse_can_cast = Parser("can_cast(ScalarType from_, ScalarType to)")


def promote_types(
    type1: Any = MISSING, type2: Any = MISSING, /, *extra: Any, **keywords: Any
) -> dtype:
    """promote_types(type1, type2): return the least dtype that both can go to.

    Python's float, int, bool and complex stand for float64, int64, bool and
    complex128.  Pairs that torch does not promote raise its RuntimeError.

    >>> import impl as torch
    >>> torch.promote_types(torch.int32, torch.float16)
    torch.float16
    """
    if not extra and not keywords:
        try:
            return PROMOTED[type1][type2]
        except Exception:  # noqa: BLE001  # asked for the first time, or an argument's own __hash__
            pass
    left, right = _parse_promote_types(positional(type1, type2, extra), keywords)
    answer = PROMOTED[left][right] = _promote(as_dtype(left), as_dtype(right))
    return answer


def can_cast(from_: Any = MISSING, to: Any = MISSING, /, *extra: Any, **keywords: Any) -> bool:
    """can_cast(from_, to): tell whether a result of dtype ``from_`` may be written into ``to``.

    >>> import impl as torch
    >>> torch.can_cast(torch.float64, torch.float16), torch.can_cast(float, int)
    (True, False)
    """
    if not extra and not keywords:
        try:
            return _CASTABLE[from_][to]
        except Exception:  # noqa: BLE001  # asked for the first time, or an argument's own __hash__
            pass
    source, target = _parse_can_cast(positional(from_, to, extra), keywords)
    answer = _CASTABLE[source][target] = _can_cast(as_dtype(source), as_dtype(target))
    return answer
