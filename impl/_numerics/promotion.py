"""Type promotion: the lattice of dtypes and the rules for other dtypes (c10/core/ScalarType.cpp).

Thirteen dtypes form a lattice; two of them promote to their least upper bound.  The others are
float8, the wide unsigned integers, the sub-byte integers, quantized and bits dtypes.  Each of these
groups has its own rule and error.  The results are cached by pair.
"""

from functools import reduce
from typing import Any

from .._argparser.parser import Parser, positional
from .._argparser.schema import MISSING
from .._arrays.opaque_dtypes import is_opaque
from .._dtypes.table import ALL_DTYPES, DTYPES, PYTHON_TYPES, Kind, as_dtype, dtype, spec_of
from .._runtime.errors import check
from .._runtime.torch_function import overridable_part

#          .-> uint8 -.                           .-> bfloat16 -----------.
#   bool --+          +-> int16 -> int32 -> int64 +                       +-> float32 -> float64
#          '-> int8  -'                           '-> float16 ---+--------'      |          |
#                                                                v               v          v
#                                                            complex32 ----> complex64 -> complex128
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
"""The dtypes of the lattice, each with the dtypes directly above it."""


def _above(name: str) -> frozenset[str]:
    """Return the names of a dtype and of all dtypes above it in the lattice."""
    return reduce(frozenset.union, map(_above, LATTICE[name]), frozenset({name}))


_ABOVE = {DTYPES[name]: frozenset(DTYPES[each] for each in _above(name)) for name in LATTICE}


def is_in_lattice(dtype: dtype) -> bool:
    """Return whether a dtype is in the lattice."""
    return dtype in _ABOVE


def _join(left: dtype, right: dtype) -> dtype:
    """Return the least upper bound of two dtypes of the lattice."""
    common = _ABOVE[left] & _ABOVE[right]
    bounds = [candidate for candidate in common if _ABOVE[candidate] == common]
    check(len(bounds) == 1, lambda: f"{left} and {right} have no least upper bound", ValueError)
    return bounds[0]


def _is_float8(dtype: dtype) -> bool:
    return dtype.is_floating_point and dtype.itemsize == 1 and not is_opaque(dtype)


def _is_barebones_unsigned(dtype: dtype) -> bool:
    """Return whether a dtype is uint16, uint32 or uint64, which have limited support (#58734)."""
    return spec_of(dtype).kind is Kind.UNSIGNED and dtype not in _ABOVE


def _promote(left: dtype, right: dtype) -> dtype:
    """Return the promoted dtype, or raise torch's error; the order of the checks is torch's."""
    if left is right:
        return left
    dtypes = (left, right)
    names = [spec_of(dtype).cpp_name for dtype in dtypes]
    kinds = {spec_of(dtype).kind for dtype in dtypes}
    if Kind.QUANTIZED in kinds:
        raise RuntimeError(
            "promoteTypes with quantized numbers is not handled yet; figure out what the"
            " correct rules should be, offending types: " + " ".join(names)
        )
    if Kind.BITS in kinds:
        raise RuntimeError(f"Promotion from {' and '.join(names)} is unsupported.")
    if any(map(_is_float8, dtypes)):
        raise RuntimeError(
            "Promotion for Float8 Types is not supported, attempted to promote "
            + " and ".join(names)
        )
    if any(map(_is_barebones_unsigned, dtypes)):
        for dtype in dtypes:
            if dtype.is_floating_point:
                return dtype
        raise RuntimeError(
            "Promotion for uint16, uint32, uint64 types is not supported, attempted to promote "
            + " and ".join(names)
        )
    # Torch asserts that its promotion table has both dtypes.
    for dtype, side, line in ((left, "a", 103), (right, "b", 105)):
        if dtype not in _ABOVE:
            raise RuntimeError(
                f'ix_{side} != -1 INTERNAL ASSERT FAILED at "c10/core/ScalarType.cpp":{line},'
                " please report a bug to PyTorch. "
            )
    return _join(left, right)


def _can_cast(from_: dtype, to: dtype) -> bool:
    """Return whether a result may be cast to ``to``, whose category must not be lower."""
    if from_.is_complex and not to.is_complex:
        return False
    row = spec_of(to)
    # Integers of less than a byte are ignored.
    if from_.is_floating_point and row.kind in (Kind.UNSIGNED, Kind.SIGNED) and row.bits >= 8:
        return False
    return row.kind is not Kind.BOOL or spec_of(from_).kind is Kind.BOOL


_KEYS: dict[Any, dtype] = {**{each: each for each in ALL_DTYPES}, **PYTHON_TYPES}

# Errors are not cached; they are raised again.
PROMOTED: dict[Any, dict[Any, dtype]] = {key: {} for key in _KEYS}
"""The cache of promoted dtypes by pair."""
_CASTABLE: dict[Any, dict[Any, bool]] = {key: {} for key in _KEYS}

_parse_promote_types = Parser("promote_types(ScalarType type1, ScalarType type2)")
_parse_can_cast = Parser("can_cast(ScalarType from_, ScalarType to)")


def promote_types(
    type1: Any = MISSING, type2: Any = MISSING, /, *extra: Any, **keywords: Any
) -> dtype:
    """promote_types(type1, type2): return the promoted dtype of two dtypes.

    Python's float, int, bool and complex stand for float64, int64, bool and
    complex128.  Raise RuntimeError for pairs that torch does not promote.

    >>> import impl as torch
    >>> torch.promote_types(torch.int32, torch.float16)
    torch.float16
    """
    if not extra and not keywords:
        try:
            return PROMOTED[type1][type2]
        except Exception:  # noqa: BLE001  # not cached, or a failing __hash__
            pass
    return _bind_promote_types(positional(type1, type2, extra), keywords)


@overridable_part("promote_types")
def _bind_promote_types(args: Any, keywords: Any) -> dtype:
    left, right = _parse_promote_types(args, keywords)
    result = PROMOTED[left][right] = _promote(as_dtype(left), as_dtype(right))
    return result


def can_cast(from_: Any = MISSING, to: Any = MISSING, /, *extra: Any, **keywords: Any) -> bool:
    """can_cast(from_, to): return whether a result of dtype ``from_`` may be cast to ``to``.

    >>> import impl as torch
    >>> torch.can_cast(torch.float64, torch.float16), torch.can_cast(float, int)
    (True, False)
    """
    if not extra and not keywords:
        try:
            return _CASTABLE[from_][to]
        except Exception:  # noqa: BLE001  # not cached, or a failing __hash__
            pass
    return _bind_can_cast(positional(from_, to, extra), keywords)


@overridable_part("can_cast")
def _bind_can_cast(args: Any, keywords: Any) -> bool:
    source, target = _parse_can_cast(args, keywords)
    result = _CASTABLE[source][target] = _can_cast(as_dtype(source), as_dtype(target))
    return result
