"""The dtypes to which torch's references promote and write (torch/_prims_common/__init__.py)."""

from collections.abc import Iterable, Sequence
from typing import Any

from ..._arrays.opaque_dtypes import is_opaque
from ..._dtypes.constants import BOOL, INT64
from ..._dtypes.default_dtype import get_default_dtype
from ..._dtypes.scalars import scalar_dtype
from ..._dtypes.table import Kind, dtype, spec_of
from ..._numerics.promotion import is_in_lattice, promote_types
from ..._runtime.errors import check
from ..._tensor.tensor import Tensor

_TYPES = (bool, int, float, complex)
"""The Python types of elements, from the lowest to the highest."""

_TYPE_OF = {
    Kind.BOOL: bool,
    Kind.UNSIGNED: int,
    Kind.SIGNED: int,
    Kind.FLOAT: float,
    Kind.COMPLEX: complex,
}


def _type_of(dtype: dtype) -> type | None:
    """Return the Python type of elements; None if references know none."""
    if is_opaque(dtype) and not dtype.is_floating_point:
        return None
    return _TYPE_OF.get(spec_of(dtype).kind)


def is_integer_dtype(dtype: dtype) -> bool:
    """Return whether references take the elements of a dtype for integers."""
    return _type_of(dtype) is int


def check_promotes(*operands: Any) -> None:
    """Raise for a tensor of a dtype of which references know no Python type (dtype_to_type)."""
    check(
        all(_type_of(x._dtype) is not None for x in operands if isinstance(x, Tensor)),
        lambda: "Invalid dtype!",
        ValueError,
    )


def can_store(dtype: dtype, target: dtype) -> bool:
    """Return whether a reference writes a result of a dtype to a target (can_safe_cast_to)."""
    types = _type_of(target), _type_of(dtype)
    for each in reversed(_TYPES):
        if each in types:
            return types[0] is each
    raise ValueError(f"Received unknown dtypes {target}, {dtype}!")


def reference_dtype(operands: Iterable[Any]) -> dtype:
    """Return the dtype to which a reference promotes tensors and numbers (elementwise_dtypes).

    Of one Python type, a dtype outside the lattice is higher than those in it. Two dtypes outside
    do not promote to each other.
    """
    operands = tuple(operands)
    check_promotes(*operands)
    tensors = [x for x in operands if isinstance(x, Tensor)]
    dtypes = [x._dtype if isinstance(x, Tensor) else scalar_dtype(x) for x in operands]
    highest = max(_TYPES.index(_TYPE_OF[spec_of(dtype).kind]) for dtype in dtypes)
    if highest == 0:
        return BOOL
    # Torch also promotes the 0-dim tensors, even if the result does not depend on them.
    groups: tuple[list[dtype], list[dtype]] = [], []
    for tensor in tensors:
        groups[not tensor._geometry.rank].append(tensor._dtype)
    first, second = (_highest(_TYPES[highest], group) for group in groups)
    return first or second or _default_of(_TYPES[highest])


def _highest(type_: type, dtypes: Sequence[dtype]) -> dtype | None:
    """Return the promotion of the dtypes that a result of a type depends on, if there are any."""
    result = None
    for each in dtypes:
        dtype = _complex_of(each) if type_ is complex and each.is_floating_point else each
        if _type_of(dtype) is type_:
            result = dtype if result is None else _higher(result, dtype)
    return result


def _complex_of(dtype: dtype) -> dtype:
    if not is_in_lattice(dtype):
        raise KeyError(dtype)
    return dtype.to_complex()


def _higher(left: dtype, right: dtype) -> dtype:
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
