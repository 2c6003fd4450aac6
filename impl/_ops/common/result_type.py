"""Promotion between tensors and numbers: what `result_type` and every operator asks."""

from collections.abc import Iterable
from typing import Any

from ..._argparser.parser import Parser, positional
from ..._argparser.schema import MISSING
from ..._argparser.types import _is_integral
from ..._dtypes.scalars import plain_dtype, scalar_dtype
from ..._dtypes.table import Kind, dtype, spec_of
from ..._numerics.promotion import PROMOTED, promote_types
from ..._tensor.tensor import Tensor

_parse_result_type = Parser(
    "result_type(Tensor tensor, Tensor other)",
    "result_type(Scalar scalar, Tensor tensor)",
    "result_type(Tensor tensor, Scalar other)",
    "result_type(Scalar scalar1, Scalar scalar2)",
)


def result_type(
    left: Any = MISSING, right: Any = MISSING, /, *extra: Any, **keywords: Any
) -> dtype:
    """result_type(tensor1, tensor2): return the dtype of an operation on two tensors or numbers.

    An integer counts as int64 (or uint64 if only that holds it), a float as
    the default dtype, a complex as the complex partner of the default dtype.

    >>> result_type(1, 2.5), result_type(True, 1)
    (torch.float32, torch.int64)
    """
    if not extra and not keywords:
        try:
            return PROMOTED[plain_dtype(left)][plain_dtype(right)]
        except KeyError:
            pass  # asked for the first time, not the usual numbers, or refused
    # What a number is, is asked below: there it is read once.
    _, (left, right) = _parse_result_type.match(positional(left, right, extra), keywords)
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        return result_type_of((left, right))
    # Torch's compiled code reads the second number first; it shows where both are bad.
    second = scalar_dtype(right)
    return promote_types(scalar_dtype(left), second)


def _combine(higher: dtype | None, lower: dtype | None) -> dtype | None:
    """Return the promotion of operands of higher priority with those of lower (combine_categories)."""
    if higher is None or lower is None:
        return lower if higher is None else higher
    if higher.is_complex:
        return higher
    if higher.is_floating_point:
        return higher.to_complex() if lower.is_complex else higher
    if lower.is_complex and _is_integral(higher, or_bool=False):
        return lower  # of uint16 and its like, too, which promote_types refuses
    if lower.is_complex:
        return lower
    if spec_of(higher).kind is Kind.BOOL or lower.is_floating_point:
        return _promote(higher, lower)
    return higher


def _is_bits(dtype: dtype) -> bool:
    return spec_of(dtype).kind is Kind.BITS


def _promote(left: dtype, right: dtype) -> dtype:
    """Promote two dtypes of operands; to torch, those of bits and another are undefined."""
    if left is not right and (_is_bits(left) or _is_bits(right)):
        raise RuntimeError("unsupported scalarType")
    return promote_types(left, right)


def result_type_of(operands: Iterable[Any]) -> dtype:
    """Return the dtype of an operation on tensors and numbers.

    Tensors with dimensions decide; 0-dim ones count only with a higher
    category, and numbers after them (ATen/native/TypeProperties.cpp).
    """
    dimensioned: dtype | None = None
    zero_dim: dtype | None = None
    numbers: dtype | None = None
    for each in operands:
        if not isinstance(each, Tensor):
            numbers = _join(numbers, scalar_dtype(each))
        elif each._geometry.rank:
            dimensioned = _join(dimensioned, each._dtype)
        else:
            zero_dim = _join(zero_dim, each._dtype)
    found = _combine(dimensioned, _combine(zero_dim, numbers))
    assert found is not None
    return found


def _join(so_far: dtype | None, more: dtype) -> dtype:
    return more if so_far is None else _promote(so_far, more)
