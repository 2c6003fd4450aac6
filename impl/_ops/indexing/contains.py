"""Whether an element is in a tensor, and what a tensor is worth as a condition."""

from numbers import Number
from typing import Any

from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._arrays.opaque_dtypes import is_opaque
from ..._dtypes.constants import COMPLEX32, COMPLEX128, FLOAT64
from ..._dtypes.scalars import is_number, scalar_dtype
from ..._dtypes.table import dtype, spec_of
from ..._geometry import broadcasting
from ..._numerics.cast import convert, numbers
from ..._runtime.errors import check
from ..._runtime.warnings import shown_in_warnings
from ..._tensor.data_access import raw_array
from ..._tensor.factories import warn_of_complex32
from ..._tensor.sparse_dispatch import could_not_run
from ..._tensor.tensor import METHODS, Tensor
from ..common.conj_neg_fallback import resolved
from ..common.device_checks import check_has_numbers
from ..common.registration import Op, install
from ..common.result_type import result_type_of


@shown_in_warnings
def _contains(self: Tensor, element: Any, /) -> bool:
    """Tell whether any element of the tensor equals a number, or that of another tensor in its place."""
    check(
        isinstance(element, Tensor | Number),
        lambda: (
            "Tensor.__contains__ only supports Tensor or scalar, but you passed in a"
            f" {type(element)}."
        ),
    )
    if self._geometry.is_sparse:
        raise could_not_run(f"eq.{'Tensor' if isinstance(element, Tensor) else 'Scalar'}")
    try:
        return _any_equal(element, self)
    except TypeError:
        # What == cannot take, Python compares by itself, and torch goes on with its False.
        raise AttributeError("'bool' object has no attribute 'any'") from None


def _any_equal(element: Any, tensor: Tensor) -> bool:
    tensor = resolved(tensor)
    check_has_numbers(tensor)
    if isinstance(element, Tensor):
        element = resolved(element)
        broadcasting.broadcast_pair(element._geometry.shape, tensor._geometry.shape)
        array, kind = raw_array(element), element._dtype
    else:
        array, kind = _scalar(element)
    common = result_type_of((element, tensor))
    left, right = (
        _converted(array, kind, common),
        _converted(raw_array(tensor), tensor._dtype, common),
    )
    row = spec_of(common)
    is_packed = row.float_format is not None and row.float_format.packed > 1
    check(
        is_packed or not is_opaque(common),
        lambda: f"\"eq_cpu\" not implemented for '{row.cpp_name}'",
        NotImplementedError,
    )
    if not is_packed:
        left, right = numbers(left, common), numbers(right, common)
    return bool((left == right).any())


def _scalar(element: Any) -> tuple[Any, dtype]:
    """Return the array and the dtype that a number is compared as: with all its digits."""
    if not is_number(element):  # a Decimal, or the like
        raise TypeError("no number")
    dtype = scalar_dtype(element)
    if dtype.is_complex:
        dtype = COMPLEX128
    elif dtype.is_floating_point:
        dtype = FLOAT64
    return np.array(element, numpy_storage_dtype(dtype)), dtype


def _converted(array: Any, dtype: dtype, common: dtype) -> Any:
    if dtype is common:
        return array
    check(
        not is_opaque(common),
        lambda: f"\"copy_\" not implemented for '{spec_of(common).cpp_name}'",
        NotImplementedError,
    )
    if common is COMPLEX32:
        warn_of_complex32()
    return convert(array, dtype, common)


def _is_nonzero(tensor: Tensor) -> bool:
    """Tell whether the one element of a tensor is not zero."""
    return bool(tensor)


def _get_device(tensor: Tensor) -> int:
    """Return the ordinal of the tensor's device; -1 where it has none, as on the CPU."""
    ordinal = tensor._geometry.device.index
    return -1 if ordinal is None else ordinal


_contains.__name__, _contains.__qualname__ = "__contains__", "Tensor.__contains__"
METHODS["__contains__"] = _contains

install(Op("is_nonzero", {"": _is_nonzero}))
install(Op("get_device", {"": _get_device}))
