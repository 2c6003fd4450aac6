"""The Python types of elements, by which torch's references cast (torch/_prims_common)."""

from .._arrays.opaque_dtypes import is_opaque
from .._dtypes.table import Kind, dtype, spec_of

PYTHON_TYPES = (bool, int, float, complex)
"""The Python types of elements, from the lowest to the highest."""

_TYPE_OF = {
    Kind.BOOL: bool,
    Kind.UNSIGNED: int,
    Kind.SIGNED: int,
    Kind.FLOAT: float,
    Kind.COMPLEX: complex,
}


def python_type_of(dtype: dtype) -> type | None:
    """Return the Python type of elements; None if references know none."""
    if is_opaque(dtype) and not dtype.is_floating_point:
        return None
    return _TYPE_OF.get(spec_of(dtype).kind)


def can_store(dtype: dtype, target: dtype) -> bool:
    """Return whether a reference writes a result of a dtype to a target (can_safe_cast_to)."""
    types = python_type_of(target), python_type_of(dtype)
    for each in reversed(PYTHON_TYPES):
        if each in types:
            return types[0] is each
    raise ValueError(f"Received unknown dtypes {target}, {dtype}!")
