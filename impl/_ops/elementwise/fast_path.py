"""The fast path of binary operators on a small tensor and a tensor or number.

The results are those of `Operator`.  A cache has the array function for geometries and dtypes which
`Operator` handled before, so a call takes one look-up.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from ..._argparser.schema import MISSING
from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._arrays.parallel import QUIET_CONTEXTS, quiet_context, without_fp_warnings
from ..._autograd.autograd_meta import bump_version
from ..._devices.device import META
from ..._dtypes.constants import COMPLEX32
from ..._dtypes.default_dtype import SCALAR_DTYPES
from ..._dtypes.scalars import PYTHON_NUMBERS
from ..._dtypes.table import dtype
from ..._geometry.geometry import Geometry
from ..._storage.untyped_storage import new_storage
from ..._tensor.data_access import permuted_raw_array, raw_array
from ..._tensor.tensor import Tensor, new_tensor, tensor_from_array
from ..common.caches import is_plain, remember
from ..common.memory_overlap import are_apart
from .iterator import Operator

_NUMBERS = frozenset({bool, int, float})
_EXACT = 2**53
"""Bound of numbers in the range of all wide dtypes; floats represent ints up to it exactly."""

_NEVER_WARN = frozenset({"equal", "greater", "greater_equal", "less", "less_equal", "not_equal"})
"""NumPy functions which never warn, not even of a signaling NaN."""


class _FastPath(NamedTuple):
    """A cached operation.

    compute: the function of the operands' raw arrays
    dim_order: the result's dimensions, outermost in memory first; None if it is contiguous
    inverse_perm: the inverse of ``dim_order``, by which operands of one geometry are permuted
    number_dtype: the NumPy dtype of a number's array; None for a second tensor
    never_warns: ``compute`` gives no floating-point warnings
    """

    compute: Callable[..., Any]
    geometry: Geometry
    dim_order: Any
    inverse_perm: tuple[int, ...] | None
    result_dtype: dtype
    number_dtype: Any
    never_warns: bool


def with_fast_path(
    operator: Operator, slow: Callable[..., Any], *, takes_numbers: bool = True
) -> Callable[..., Any]:
    """Return a function or method of two operands which tries the fast path before ``slow``.

    ``takes_numbers``: ``slow`` uses the operator for numbers, too.
    """
    cache: dict[Any, _FastPath] = {}
    look_up = cache.get
    meta_cache: dict[Any, tuple[int, Geometry, dtype]] = {}
    number_cache: dict[Any, _NumbersPath] = {}

    def run(left: Any = MISSING, right: Any = MISSING, /, *extra: Any, **keywords: Any) -> Any:
        cls = type(right)
        try:
            if cls is Tensor:
                key: Any = left._geometry, left._dtype, right._geometry, right._dtype
            else:
                key = left._geometry, left._dtype, SCALAR_DTYPES.get(cls)
        except AttributeError:  # a number on the left
            key = None
        if (
            key is None
            and cls in PYTHON_NUMBERS
            and type(left) in PYTHON_NUMBERS
            and not extra
            and not keywords
        ):
            return _of_numbers(number_cache, operator, slow, left, right)
        entry = look_up(key)
        if (
            entry is None
            or extra
            or keywords
            or left._autograd_meta is not None
            or left._conj_neg
            or ((base := left._view_base) is not None and base._autograd_meta is not None)
        ):
            if key in meta_cache and not extra and not keywords and _are_plain(left, right):
                size, geometry, dtype = meta_cache[key]
                return new_tensor(new_storage(size, META), geometry, 0, dtype)
            operands = (operand for operand in (left, right) if operand is not MISSING)
            result = slow(*operands, *extra, **keywords)
            is_new = entry is None and type(left) is Tensor and not extra and not keywords
            if is_new and (takes_numbers or cls is Tensor):
                _remember(cache, key, operator, left, right)
                _remember_meta(meta_cache, key, operator, left, right)
            return result
        compute, geometry, order, inverse_perm, dtype, number_dtype, never_warns = entry
        # A call in Python takes a tenth of the time, so what `raw_array`, `_array_of` and
        # `without_fp_warnings` do for most operands is written out.
        if inverse_perm is not None:
            first = permuted_raw_array(left, order)
        else:
            known = left._array
            is_valid = known is not None and known[0] is key[0] and known[1] is left._storage._array
            first = known[2] if is_valid else raw_array(left)
        if right is left:
            other = first
        elif number_dtype is None:
            if not is_plain(right):
                return slow(left, right)
            other = raw_array(right) if inverse_perm is None else permuted_raw_array(right, order)
        elif -_EXACT <= right <= _EXACT:
            try:
                other = np.array(right, number_dtype)
            except OverflowError:
                other = None
            if other is None:  # an error of `slow` has no context
                return slow(left, right)
        else:
            return slow(left, right)
        if never_warns:
            result = compute(first, other)
        else:
            try:
                context = QUIET_CONTEXTS.pop()
            except IndexError:
                context = quiet_context()
            try:
                result = context.run(compute, first, other)
            finally:
                QUIET_CONTEXTS.append(context)
        if order is None:
            return tensor_from_array(result, geometry, dtype, result)
        if inverse_perm is None:
            return tensor_from_array(result.transpose(order), geometry, dtype, result)
        return tensor_from_array(result, geometry, dtype, result.transpose(inverse_perm), result)

    return run


class _NumbersPath(NamedTuple):
    """A cached operation on two numbers.

    compute: the function of the numbers' arrays
    number_dtypes: their NumPy dtypes
    geometry, dtype: those of the result, which has no dimensions
    """

    compute: Callable[..., Any]
    number_dtypes: tuple[Any, Any]
    geometry: Geometry
    dtype: dtype


def _of_numbers(
    cache: dict[Any, _NumbersPath],
    operator: Operator,
    slow: Callable[..., Any],
    left: Any,
    right: Any,
) -> Tensor:
    """Return the result for two numbers, of which the dtypes decide all but the element."""
    key = SCALAR_DTYPES[type(left)], SCALAR_DTYPES[type(right)]
    entry = cache.get(key)
    if entry is None:
        result: Tensor = slow(left, right)
        plan = operator.checked_plan(left, right)
        if plan is not None and plan.loop_inputs is None and plan.common_dtype is not COMPLEX32:
            dtypes = [numpy_storage_dtype(casts[0]) for casts in plan.operand_casts]
            compute = plan.array_function(plan.result_dtype)
            entry = _NumbersPath(compute, (dtypes[0], dtypes[1]), plan.geometry, plan.result_dtype)
            remember(cache, key, entry)
        return result
    compute, (left_dtype, right_dtype), geometry, dtype = entry
    arrays = None
    with suppress(OverflowError):  # of an int beyond int64
        arrays = np.array(left, left_dtype), np.array(right, right_dtype)
    if arrays is None:
        return slow(left, right)  # type: ignore[no-any-return]
    buffer = np.empty(1, numpy_storage_dtype(dtype))
    elements = buffer.reshape(())
    elements[...] = without_fp_warnings(compute, *arrays)
    return tensor_from_array(buffer, geometry, dtype, elements)


def _array_of(number: Any, numpy_dtype: Any) -> Any:
    """Return a number as an array; None if it is inexact, or an int that wraps around."""
    if not -_EXACT <= number <= _EXACT:
        return None
    try:
        return np.array(number, numpy_dtype)
    except OverflowError:
        return None


def _are_plain(left: Tensor, right: Any) -> bool:
    """Return whether operands are plain tensors, or a plain tensor and a number in every range."""
    if type(right) is Tensor:
        return is_plain(left) and is_plain(right)
    return is_plain(left) and -_EXACT <= right <= _EXACT


def _remember_meta(
    meta_cache: dict[Any, tuple[int, Geometry, dtype]],
    key: Any,
    operator: Operator,
    left: Tensor,
    right: Any,
) -> None:
    """Cache the size, the geometry and the dtype of a result on meta."""
    if left._geometry.device is not META or not (type(right) is Tensor or type(right) in _NUMBERS):
        return
    plan = operator.checked_plan(left, right)
    if plan is not None:
        geometry, dtype = plan.geometry, plan.result_dtype
        remember(meta_cache, key, (geometry.numel * dtype.itemsize, geometry, dtype))


def _remember(
    cache: dict[Any, _FastPath], key: Any, operator: Operator, left: Tensor, right: Any
) -> None:
    """Cache the array function of an operation, if its fast path gives the same result."""
    plan = operator.checked_plan(left, right)
    if plan is None or not plan.is_contiguous:
        return
    number_dtype = None
    if type(right) is Tensor:
        compute = plan.array_function(plan.result_dtype)
    elif type(right) in _NUMBERS and (plan.compute_dtype is plan.common_dtype or plan.unrounded):
        number_dtype = numpy_storage_dtype(plan.compute_dtype)
        compute = plan.array_function(plan.result_dtype, ready=1)
    else:
        return
    inverse_perm = None
    same_geometry = type(right) is not Tensor or right._geometry is left._geometry
    if plan.dim_order is not None and same_geometry and plan.geometry is left._geometry:
        inverse_perm = tuple(map(plan.dim_order.index, range(len(plan.dim_order))))
    never_warns = isinstance(compute, np.ufunc) and compute.__name__ in _NEVER_WARN
    order, dtype = plan.dim_order, plan.result_dtype
    entry = _FastPath(compute, plan.geometry, order, inverse_perm, dtype, number_dtype, never_warns)
    remember(cache, key, entry)


class _InplaceFastPath(NamedTuple):
    """A cached in-place operation.

    compute: the function of the operands' raw arrays
    ufunc: the same function with ``out``, if it is a ufunc
    number_dtype: the NumPy dtype of a number's array; None for a second tensor
    """

    compute: Callable[..., Any]
    ufunc: Callable[..., Any] | None
    number_dtype: Any


def with_inplace_fast_path(
    operator: Operator, slow: Callable[..., Any], *, takes_numbers: bool = True
) -> Callable[..., Any]:
    """Return an in-place method of two operands which tries the fast path before ``slow``.

    The target may be a view of a base without autograd metadata.
    """
    cache: dict[Any, _InplaceFastPath] = {}
    look_up = cache.get

    def inplace(left: Any = MISSING, right: Any = MISSING, /, *extra: Any, **keywords: Any) -> Any:
        cls = type(right)
        try:
            if cls is Tensor:
                key: Any = left._geometry, left._dtype, right._geometry, right._dtype
            else:
                key = left._geometry, left._dtype, SCALAR_DTYPES.get(cls)
        except AttributeError:  # of a receiver that is no tensor
            key = None
        entry = look_up(key)
        if entry is None or extra or keywords or not is_plain(left):
            result = slow(left, *(() if right is MISSING else (right, *extra)), **keywords)
            is_new = entry is None and not extra and not keywords and type(left) is Tensor
            if is_new and (takes_numbers or type(right) is Tensor):
                _remember_inplace(cache, key, operator, left, right)
            return result
        compute, ufunc, number_dtype = entry
        if number_dtype is None:
            if not is_plain(right) or not (
                right is left or right._storage is not left._storage or are_apart(left, right)
            ):
                return slow(left, right)
            other = raw_array(right)
        else:
            other = _array_of(right, number_dtype)
            if other is None:
                return slow(left, right)
        elements = raw_array(left)
        try:
            context = QUIET_CONTEXTS.pop()
        except IndexError:
            context = quiet_context()
        try:
            if ufunc is None:
                elements[...] = context.run(compute, elements, other)
            else:
                context.run(ufunc, elements, other, out=elements)
        finally:
            QUIET_CONTEXTS.append(context)
        bump_version(left)
        return left

    return inplace


def _remember_inplace(
    cache: dict[Any, _InplaceFastPath], key: Any, operator: Operator, left: Tensor, right: Any
) -> None:
    """Cache an in-place operation, if its fast path has to check the operands only."""
    plan = operator.checked_plan(left, right)
    if plan is None or not plan.is_small:
        return
    common = plan.common_dtype
    if plan.unrounded or common is not plan.compute_dtype or common is not left._dtype:
        return
    number_dtype = None if type(right) is Tensor else numpy_storage_dtype(plan.compute_dtype)
    if number_dtype is not None and type(right) not in _NUMBERS:
        return
    compute = plan.array_function(plan.result_dtype, ready=None if number_dtype is None else 1)
    is_ufunc = isinstance(compute, np.ufunc) and plan.kernel_dtype is left._dtype
    remember(cache, key, _InplaceFastPath(compute, compute if is_ufunc else None, number_dtype))
