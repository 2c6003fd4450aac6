"""The short way for two operands of which the first is a small tensor.

`Operator` gives the same answers.  What was asked of it before, with the same
geometries and dtypes, is found here by one look-up.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..._argparser.schema import MISSING
from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._arrays.parallel import QUIET, quietly
from ..._autograd.autograd_meta import count_write
from ..._devices.device import META
from ..._dtypes.constants import COMPLEX32
from ..._dtypes.default_dtype import SCALAR_DTYPES
from ..._dtypes.table import dtype
from ..._geometry.geometry import Geometry
from ..._storage.untyped_storage import new_storage
from ..._tensor.data_access import permuted_raw_array, raw_array
from ..._tensor.tensor import Tensor, new_tensor, tensor_from_array
from .iterator import Operator
from .plan import operand_key

_NUMBERS = frozenset({bool, int, float})

_EXACT = 2**53
"""Numbers up to here are in range of all wide types, and the ints among them are floats, too."""

_SILENT = frozenset({"equal", "greater", "greater_equal", "less", "less_equal", "not_equal"})
"""NumPy's functions that never warn of a number, not even of a NaN that signals."""

_KEPT = 10_000


class _Short(NamedTuple):
    """What there is to do: a function of arrays, and where its result lies.

    A number becomes an array of the NumPy dtype ``number``.  Operands that lie
    alike are gone through in the ``order`` of their memory; ``back`` is the
    order in which the result is seen then.  Unless it is ``silent``, NumPy may warn.
    """

    compute: Callable[..., Any]
    geometry: Geometry
    order: Any
    back: tuple[int, ...] | None
    kind: dtype
    number: Any
    silent: bool


def with_fast_path(operator: Operator, slow: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function of two operands that takes the short way, or else calls a slow one.

    It is a method, too; ``slow`` gets all arguments as they came.
    """
    shorts: dict[Any, _Short] = {}
    look_up = shorts.get
    without: dict[Any, tuple[int, Geometry, dtype]] = {}

    def run(left: Any = MISSING, right: Any = MISSING, /, *extra: Any, **keywords: Any) -> Any:
        cls = type(right)
        try:
            if cls is Tensor:
                key: Any = left._geometry, left._dtype, right._geometry, right._dtype
            else:
                key = left._geometry, left._dtype, SCALAR_DTYPES.get(cls)
        except AttributeError:  # a number on the left
            key = None
        short = look_up(key)
        if (
            short is None
            or extra
            or keywords
            or left._autograd_meta is not None
            or left._conj_neg
            or ((base := left._base) is not None and base._autograd_meta is not None)
        ):
            if key in without and not extra and not keywords and _are_plain(left, right):
                size, geometry, result_kind = without[key]
                return new_tensor(new_storage(size, META), geometry, 0, result_kind)
            given = (each for each in (left, right) if each is not MISSING)
            result = slow(*given, *extra, **keywords)
            if short is None and type(left) is Tensor and not extra and not keywords:
                _remember(shorts, key, operator, left, right)
                _remember_without(without, key, operator, left, right)
            return result
        compute, geometry, order, back, result_kind, number, silent = short
        # What `raw_array` keeps is looked at here, as a call takes a tenth of the time.
        if back is not None:
            first = permuted_raw_array(left, order)
        else:
            seen = left._array
            is_known = seen is not None and seen[0] is key[0] and seen[1] is left._storage._array
            first = seen[2] if is_known else raw_array(left)
        if right is left:
            other = first
        elif number is None:
            if not is_plain(right):
                return slow(left, right)
            other = raw_array(right) if back is None else permuted_raw_array(right, order)
        elif -_EXACT <= right <= _EXACT:
            try:
                other = np.array(right, number)
            except OverflowError:  # an int that wraps
                return slow(left, right)
        else:
            return slow(left, right)
        if silent:
            found = compute(first, other)
        else:
            try:
                context = QUIET.pop()
            except IndexError:  # all are in use by other threads
                found = quietly(compute, first, other)
            else:
                found = context.run(compute, first, other)
                QUIET.append(context)
        if order is None:
            return tensor_from_array(found, geometry, result_kind, found)
        if back is None:
            return tensor_from_array(found.transpose(order), geometry, result_kind, found)
        return tensor_from_array(found, geometry, result_kind, found.transpose(back), found)

    return run


def is_plain(tensor: Tensor) -> bool:
    """Tell whether autograd has nothing to say of a tensor, and its elements are as they lie."""
    base = tensor._base
    return (
        tensor._autograd_meta is None
        and not tensor._conj_neg
        and (base is None or base._autograd_meta is None)
    )


def _are_plain(left: Tensor, right: Any) -> bool:
    """Tell so of a tensor and another one, or of a number that every dtype takes."""
    if type(right) is Tensor:
        return is_plain(left) and is_plain(right)
    return is_plain(left) and -_EXACT <= right <= _EXACT


def _remember_without(
    without: dict[Any, tuple[int, Geometry, dtype]],
    key: Any,
    operator: Operator,
    left: Tensor,
    right: Any,
) -> None:
    """Remember what comes of operands on meta: how large it is, and where it lies."""
    if left._geometry.device is not META or not (type(right) is Tensor or type(right) in _NUMBERS):
        return
    plan = operator.plan_cache.get((operand_key(left), operand_key(right)))
    if (
        plan is None
        or plan.default is not None
        or not plan.checked
        or plan.result_dtype is COMPLEX32
    ):
        return
    if len(without) >= _KEPT:
        without.clear()
    without[key] = (
        plan.geometry.numel * plan.result_dtype.itemsize,
        plan.geometry,
        plan.result_dtype,
    )


def _remember(
    shorts: dict[Any, _Short], key: Any, operator: Operator, left: Tensor, right: Any
) -> None:
    """Remember what an operator did, if there is a short way to do it again."""
    plan = operator.plan_cache.get((operand_key(left), operand_key(right)))
    if plan is None or not plan.is_settled or plan.default is not None or not plan.checked:
        return
    if plan.result_dtype is COMPLEX32:  # torch warns each time that it makes one
        return
    number = None
    if type(right) is Tensor:
        compute = plan.composed(plan.result_dtype)
    elif type(right) in _NUMBERS and (plan.common is plan.compute_dtype or plan.unrounded):
        number = numpy_storage_dtype(plan.compute_dtype)
        compute = plan.composed(plan.result_dtype, ready=1)
    else:
        return
    if len(shorts) >= _KEPT:
        shorts.clear()
    back = None
    lie_alike = type(right) is not Tensor or right._geometry is left._geometry
    if plan.order is not None and lie_alike and plan.geometry is left._geometry:
        back = tuple(map(plan.order.index, range(len(plan.order))))
    silent = isinstance(compute, np.ufunc) and compute.__name__ in _SILENT
    shorts[key] = _Short(
        compute, plan.geometry, plan.order, back, plan.result_dtype, number, silent
    )


class _Change(NamedTuple):
    """What there is to do in place: ``into`` writes its result into a third array, if there is one.

    A number becomes an array of the NumPy dtype ``number``.
    """

    compute: Callable[..., Any]
    into: Callable[..., Any] | None
    number: Any


def short_change(operator: Operator, slow: Callable[..., Any]) -> Callable[..., Any]:
    """Make an in-place method of two operands that takes the short way, or else calls a slow one.

    What is written to may be a view, if autograd has nothing to say of its base, either.
    """
    shorts: dict[Any, _Change] = {}
    look_up = shorts.get

    def change(left: Tensor, right: Any = MISSING, /, *extra: Any, **keywords: Any) -> Any:
        cls = type(right)
        if cls is Tensor:
            key: Any = left._geometry, left._dtype, right._geometry, right._dtype
        else:
            key = left._geometry, left._dtype, SCALAR_DTYPES.get(cls)
        short = look_up(key)
        if short is None or extra or keywords or not is_plain(left):
            result = slow(left, *(() if right is MISSING else (right, *extra)), **keywords)
            if short is None and not extra and not keywords and type(left) is Tensor:
                _remember_change(shorts, key, operator, left, right)
            return result
        compute, into, number = short
        if number is None:
            if not is_plain(right) or right._storage is left._storage:
                return slow(left, right)
            other = raw_array(right)
        elif -_EXACT <= right <= _EXACT:
            try:
                other = np.array(right, number)
            except OverflowError:
                return slow(left, right)
        else:
            return slow(left, right)
        elements = raw_array(left)
        if into is None:
            elements[...] = quietly(compute, elements, other)
        else:
            quietly(into, elements, other, elements)
        count_write(left)
        return left

    return change


def _remember_change(
    shorts: dict[Any, _Change], key: Any, operator: Operator, left: Tensor, right: Any
) -> None:
    """Remember what changed a tensor in place, if nothing but the operands has to be looked at again."""
    plan = operator.plan_cache.get((operand_key(left), operand_key(right)))
    if plan is None or not plan.checked or plan.default is not None or not plan.is_small:
        return
    if plan.unrounded or plan.common is not plan.compute_dtype or plan.common is not left._dtype:
        return
    number = None if type(right) is Tensor else numpy_storage_dtype(plan.compute_dtype)
    if number is not None and type(right) not in _NUMBERS:
        return
    if len(shorts) >= _KEPT:
        shorts.clear()
    compute = plan.composed(plan.result_dtype, ready=None if number is None else 1)
    writes_alike = isinstance(compute, np.ufunc) and plan.kernel_dtype is left._dtype
    shorts[key] = _Change(compute, compute if writes_alike else None, number)
