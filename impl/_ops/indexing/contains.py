"""Tensor.__contains__, is_nonzero and get_device."""

from numbers import Number
from typing import Any

from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._arrays.opaque_dtypes import is_opaque
from ..._dtypes.constants import COMPLEX32, FLOAT4_E2M1FN_X2
from ..._dtypes.cpp_names import class_text
from ..._dtypes.scalars import is_number, real_if_numpy_complex, tensor_dtype_of
from ..._dtypes.table import dtype
from ..._geometry import broadcasting
from ..._numerics.cast import convert, to_numbers
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import check
from ..._runtime.warnings import is_python_frame
from ..._tensor.allocation import warn_complex32
from ..._tensor.data_access import raw_array
from ..._tensor.sparse_dispatch import no_kernel
from ..._tensor.tensor import METHODS, Tensor
from ..common.conj_neg_fallback import resolve_conj_neg
from ..common.device_checks import check_item_not_meta
from ..common.meta_reference import is_on_meta
from ..common.registration import Op, register_operator
from ..elementwise.operands import common_dtype


@is_python_frame
def _contains(self: Tensor, element: Any, /) -> bool:
    """Return whether any element equals a number, or the broadcast element of another tensor."""
    check(
        isinstance(element, Tensor | Number),
        lambda: (
            "Tensor.__contains__ only supports Tensor or scalar, but you passed in a"
            f" {class_text(type(element))}."
        ),
    )
    tensors = (element, self) if isinstance(element, Tensor) else (self,)
    if any(tensor._geometry.is_sparse for tensor in tensors):
        raise no_kernel(f"eq.{'Tensor' if len(tensors) > 1 else 'Scalar'}", *tensors)
    try:
        return _any_equal(element, self)
    except TypeError:
        # Python answers an == that the tensor rejects with False, on which torch calls any().
        raise AttributeError("'bool' object has no attribute 'any'") from None


def _any_equal(element: Any, tensor: Tensor) -> bool:
    if is_on_meta(tensor, element):
        is_tensor = isinstance(element, Tensor)
        operands = (element, tensor) if is_tensor else (tensor, element)
        check_item_not_meta(METHODS["eq"](*operands))
    tensor = resolve_conj_neg(tensor)
    if isinstance(element, Tensor):
        element = resolve_conj_neg(element)
        broadcasting.broadcast_pair(element._geometry.shape, tensor._geometry.shape)
        array, dtype = raw_array(element), element._dtype
    elif is_number(element):
        element = real_if_numpy_complex(element)
        dtype = tensor_dtype_of(element)
        array = np.array(element, numpy_storage_dtype(dtype))
    else:  # Decimal, for example
        raise TypeError("no number")
    common = common_dtype((element, tensor))
    left, right = (
        _converted(array, dtype, common),
        _converted(raw_array(tensor), tensor._dtype, common),
    )
    if common is not FLOAT4_E2M1FN_X2:  # whose packed pairs are compared by their bits
        if is_opaque(common):
            raise_not_implemented("eq_cpu", common)
        left, right = to_numbers(left, common), to_numbers(right, common)
    return bool((left == right).any())


def _converted(array: Any, dtype: dtype, common: dtype) -> Any:
    if dtype is common:
        return array
    if is_opaque(common):
        raise_not_implemented("copy_", common)
    if common is COMPLEX32:
        warn_complex32()
    return convert(array, dtype, common)


def _is_nonzero(tensor: Tensor) -> bool:
    """is_nonzero(input): whether the single element is not zero."""
    return bool(tensor)


def _get_device(tensor: Tensor) -> int:
    """get_device(input): the index of the device; -1 if it has none, as on the CPU."""
    ordinal = tensor._geometry.device.index
    return -1 if ordinal is None else ordinal


_contains.__name__, _contains.__qualname__ = "__contains__", "Tensor.__contains__"
METHODS["__contains__"] = _contains

register_operator(Op("is_nonzero", {"": _is_nonzero}))
register_operator(Op("get_device", {"": _get_device}))
