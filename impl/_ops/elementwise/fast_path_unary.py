"""The fast path of unary operators on a small tensor.

The results are those of `Operator`.  A cache has the array function for each geometry and dtype
which `Operator` handled before, so a call takes one look-up.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..._argparser.schema import MISSING
from ..._arrays.numpy_bridge import np
from ..._arrays.parallel import without_fp_warnings
from ..._autograd.autograd_meta import bump_version
from ..._dtypes.table import dtype
from ..._geometry.geometry import Geometry
from ..._tensor.data_access import permuted_raw_array, raw_array
from ..._tensor.tensor import Tensor, tensor_from_array
from ..common.caches import is_plain, remember
from .iterator import Operator


class _FastPath(NamedTuple):
    """A cached operation.

    compute: the function of the operand's raw array
    dim_order: the operand's dimensions, outermost in memory first; None if none are permuted
    inverse_perm: the inverse of ``dim_order``
    """

    compute: Callable[[Any], Any]
    geometry: Geometry
    dim_order: tuple[int, ...] | None
    inverse_perm: tuple[int, ...] | None
    result_dtype: dtype


class _InPlace(NamedTuple):
    """A cached in-place operation: the function of the raw array, and NumPy's with ``out=``."""

    compute: Callable[[Any], Any]
    ufunc: Callable[..., Any] | None


def with_fast_path(operator: Operator, slow: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function or method of one tensor which tries the fast path before ``slow``."""
    cache: dict[Any, _FastPath] = {}
    look_up = cache.get

    def run(tensor: Any = MISSING, /, *extra: Any, **keywords: Any) -> Any:
        try:
            entry = look_up((tensor._geometry, tensor._dtype))
        except AttributeError:  # no tensor
            entry = None
        if entry is None or extra or keywords or not is_plain(tensor):
            operands = () if tensor is MISSING else (tensor,)
            result = slow(*operands, *extra, **keywords)
            if entry is None and type(tensor) is Tensor and not extra and not keywords:
                _remember(cache, operator, tensor, result)
            return result
        compute, geometry, dim_order, inverse_perm, dtype = entry
        elements = raw_array(tensor) if dim_order is None else permuted_raw_array(tensor, dim_order)
        result = without_fp_warnings(compute, elements)
        if inverse_perm is None:
            return tensor_from_array(result, geometry, dtype, result)
        return tensor_from_array(result, geometry, dtype, result.transpose(inverse_perm), result)

    return run


def with_inplace_fast_path(operator: Operator, slow: Callable[..., Any]) -> Callable[..., Any]:
    """Return an in-place form which tries the fast path before ``slow``."""
    cache: dict[Any, _InPlace] = {}
    look_up = cache.get

    def inplace(tensor: Any = MISSING, /, *extra: Any, **keywords: Any) -> Any:
        try:
            key: Any = tensor._geometry, tensor._dtype
            is_eligible = is_plain(tensor)
        except AttributeError:  # no tensor
            key, is_eligible = None, False
        entry = look_up(key)
        if entry is None or extra or keywords or not is_eligible:
            operands = () if tensor is MISSING else (tensor,)
            result = slow(*operands, *extra, **keywords)
            if entry is None and key is not None and not extra and not keywords:
                _remember_inplace(cache, operator, tensor)
            return result
        compute, ufunc = entry
        elements = raw_array(tensor)
        if ufunc is None:
            elements[...] = without_fp_warnings(compute, elements)
        else:
            without_fp_warnings(ufunc, elements, out=elements)
        bump_version(tensor)  # all that autograd records of a plain tensor
        return tensor

    return inplace


def _remember_inplace(cache: dict[Any, _InPlace], operator: Operator, tensor: Tensor) -> None:
    """Cache an in-place operation, if its fast path needs no further checks."""
    plan = operator.checked_plan(tensor)
    if plan is not None and plan.is_small and plan.result_dtype is tensor._dtype:
        function = plan.array_function(plan.result_dtype)
        is_ufunc = isinstance(function, np.ufunc) and plan.kernel_dtype is tensor._dtype
        entry = _InPlace(function, function if is_ufunc else None)
        remember(cache, (tensor._geometry, tensor._dtype), entry)


def _remember(
    cache: dict[Any, _FastPath], operator: Operator, tensor: Tensor, result: Tensor
) -> None:
    """Cache the array function of an operation, if its fast path gives the same result."""
    plan = operator.checked_plan(tensor)
    # A plan for ``out`` may have another result dtype: that of abs(x, out=x) is complex.
    if plan is None or not plan.is_small or plan.result_dtype is not result._dtype:
        return
    dim_order = inverse_perm = None
    if plan.geometry is not tensor._geometry:
        if plan.dim_order is not None or not plan.is_contiguous:
            return
    elif plan.dim_order is not None:
        dim_order = plan.dim_order
        inverse_perm = tuple(map(dim_order.index, range(len(dim_order))))
    compute, dtype = plan.array_function(plan.result_dtype), plan.result_dtype
    entry = _FastPath(compute, plan.geometry, dim_order, inverse_perm, dtype)
    remember(cache, (tensor._geometry, tensor._dtype), entry)
