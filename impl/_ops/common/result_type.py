"""The result dtype of tensors and numbers (aten/src/ATen/native/TypeProperties.cpp)."""

from collections.abc import Iterable
from typing import Any

from ..._argparser.parser import Parser, positional
from ..._argparser.schema import MISSING
from ..._dtypes.default_dtype import SCALAR_DTYPES
from ..._dtypes.scalars import INT64_END, PYTHON_NUMBERS, scalar_dtype
from ..._dtypes.table import Kind, dtype, spec_of
from ..._numerics.promotion import PROMOTED, promote_types
from ..._runtime.torch_function import overridable_part
from ..._tensor.tensor import Tensor

_parse_result_type = Parser(
    "result_type(Tensor tensor, Tensor other)",
    "result_type(Scalar scalar, Tensor tensor)",
    "result_type(Tensor tensor, Scalar other)",
    "result_type(Scalar scalar1, Scalar scalar2)",
)


_PLAIN = PYTHON_NUMBERS | {Tensor}


def result_type(
    left: Any = MISSING, right: Any = MISSING, /, *extra: Any, **keywords: Any
) -> dtype:
    """result_type(tensor1, tensor2): return the dtype of an operation on two tensors or numbers.

    An int counts as int64, or as uint64 if it is too large for int64.  A float counts
    as the default dtype, a complex as the complex dtype of the default dtype.

    >>> result_type(1, 2.5), result_type(True, 1)
    (torch.float32, torch.int64)
    """
    if not extra and not keywords:
        first, second = type(left), type(right)
        if first is Tensor or second is Tensor:
            if first in _PLAIN and second in _PLAIN:
                return result_type_of((left, right))
        else:
            # `scalar_dtype_fast` of both, written out: a call takes a quarter of the time.
            try:
                if (first is not int or -INT64_END <= left < INT64_END) and (
                    second is not int or -INT64_END <= right < INT64_END
                ):
                    return PROMOTED[SCALAR_DTYPES[first]][SCALAR_DTYPES[second]]
            except KeyError:
                pass  # not cached yet, not a plain number, or an error
    return _bind_result_type(positional(left, right, extra), keywords)


@overridable_part("result_type")
def _bind_result_type(args: Any, keywords: Any) -> dtype:
    _, (left, right) = _parse_result_type.match(args, keywords)
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        return result_type_of((left, right))
    # Torch's compiled code reads the second number first, which decides between two errors.
    second = scalar_dtype(right)
    return promote_types(scalar_dtype(left), second)


def _combine(higher: dtype | None, lower: dtype | None) -> dtype | None:
    """Return the promotion of operands of higher and lower priority (combine_categories)."""
    if higher is None or lower is None:
        return lower if higher is None else higher
    if higher.is_complex:
        return higher
    if higher.is_floating_point:
        return higher.to_complex() if lower.is_complex else higher
    if lower.is_complex:
        return lower  # also for uint16, uint32 and uint64, for which promote_types raises
    if spec_of(higher).kind is Kind.BOOL or lower.is_floating_point:
        return _promote(higher, lower)
    return higher


def _promote(left: dtype | None, right: dtype) -> dtype | None:
    """Return the promotion of two dtypes; None for a bits dtype and another dtype."""
    if left is None or left is right:
        return right
    if Kind.BITS in (spec_of(left).kind, spec_of(right).kind):
        return None
    return promote_types(left, right)


UNDEFINED = (
    "config.check_all_same_device_ INTERNAL ASSERT FAILED at"
    ' "aten/src/ATen/TensorIterator.cpp":378, please report a bug to PyTorch. '
)
"""The message of operators that convert operands first, if these have no result dtype."""


def result_type_of(
    operands: Iterable[Any],
    undefined: str = "unsupported scalarType",
    cls: type[Exception] = RuntimeError,
) -> dtype:
    """Return the dtype of an operation on tensors and numbers.

    A bits dtype and another dtype have none; the next operand then decides. ``undefined`` is the
    message of the error if none does, and ``cls`` its class.

    Tensors with dimensions have priority.  A 0-dim tensor counts only if its category is
    higher, and a number only if its category is higher still (ATen/native/TypeProperties.cpp).
    """
    dimensioned: dtype | None = None
    zero_dim: dtype | None = None
    numbers: dtype | None = None
    for operand in operands:
        if not isinstance(operand, Tensor):
            numbers = _promote(numbers, scalar_dtype(operand))
        elif operand._geometry.rank:
            dimensioned = _promote(dimensioned, operand._dtype)
        else:
            zero_dim = _promote(zero_dim, operand._dtype)
    result = _combine(dimensioned, _combine(zero_dim, numbers))
    if result is None:
        raise cls(undefined)
    return result
