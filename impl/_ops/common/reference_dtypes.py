"""The dtypes to which torch's references promote and write (torch/_prims_common/__init__.py)."""

from collections.abc import Iterable, Sequence
from typing import Any

from ..._dtypes.constants import BOOL, INT64
from ..._dtypes.default_dtype import get_default_dtype
from ..._dtypes.scalars import scalar_dtype
from ..._dtypes.table import dtype
from ..._numerics.promotion import is_in_lattice, promote_types
from ..._numerics.python_types import PYTHON_TYPES, python_type_of
from ..._runtime.errors import check
from ..._tensor.tensor import Tensor


def is_integer_dtype(dtype: dtype) -> bool:
    """Return whether references take the elements of a dtype for integers."""
    return python_type_of(dtype) is int


def check_promotes(*operands: Any) -> None:
    """Raise for a tensor of a dtype of which references know no Python type (dtype_to_type)."""
    check(
        all(python_type_of(x._dtype) is not None for x in operands if isinstance(x, Tensor)),
        lambda: "Invalid dtype!",
        ValueError,
    )


def reference_dtype(operands: Iterable[Any]) -> dtype:
    """Return the dtype to which a reference promotes tensors and numbers (elementwise_dtypes).

    Of one Python type, a dtype outside the lattice is higher than those in it. Two dtypes outside
    do not promote to each other.
    """
    operands = tuple(operands)
    check_promotes(*operands)
    tensors = [x for x in operands if isinstance(x, Tensor)]
    dtypes = [x._dtype if isinstance(x, Tensor) else scalar_dtype(x) for x in operands]
    highest = max(PYTHON_TYPES.index(python_type_of(dtype)) for dtype in dtypes)
    if highest == 0:
        return BOOL
    # Torch also promotes the 0-dim tensors, even if the result does not depend on them.
    groups: tuple[list[dtype], list[dtype]] = [], []
    for tensor in tensors:
        groups[not tensor._geometry.rank].append(tensor._dtype)
    first, second = (_highest(PYTHON_TYPES[highest], group) for group in groups)
    return first or second or _default_of(PYTHON_TYPES[highest])


def _highest(type_: type, dtypes: Sequence[dtype]) -> dtype | None:
    """Return the promotion of the dtypes that a result of a type depends on, if there are any."""
    result = None
    for each in dtypes:
        dtype = complex_of(each) if type_ is complex and each.is_floating_point else each
        if python_type_of(dtype) is type_:
            result = dtype if result is None else higher_dtype(result, dtype)
    return result


def complex_of(dtype: dtype) -> dtype:
    """Return the complex dtype of a dtype of real numbers (corresponding_complex_dtype)."""
    if not is_in_lattice(dtype):
        raise KeyError(dtype)
    return dtype.to_complex()


def higher_dtype(left: dtype, right: dtype) -> dtype:
    """Return the promotion of two dtypes of one type (get_higher_dtype)."""
    if left is right:
        return left
    outside = [dtype for dtype in (left, right) if not is_in_lattice(dtype)]
    check(len(outside) < 2, lambda: "Unexpected termination!")
    return outside[0] if outside else promote_types(left, right)


def _default_of(type_: type) -> dtype:
    """Return the dtype of numbers of a type."""
    if type_ is int:
        return INT64
    default = get_default_dtype()
    return default if type_ is float else default.to_complex()
