"""The short way for one operand, if it is a small tensor.

`Operator` gives the same answers.  What was asked of it before, with the same
geometry and dtype, is found here by one look-up.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..._argparser.schema import MISSING
from ..._arrays.parallel import QUIET, quietly
from ..._dtypes.constants import COMPLEX32
from ..._dtypes.table import dtype
from ..._geometry.geometry import Geometry
from ..._tensor.data_access import permuted_raw_array, raw_array
from ..._tensor.tensor import Tensor, tensor_from_array
from ..common.copy import written
from .fast_path import is_plain
from .iterator import Operator
from .plan import operand_key

_KEPT = 10_000


class _Short(NamedTuple):
    """What there is to do: a function of an array, and where its result lies.

    An operand that does not lie in order is gone through in the ``order`` of
    its memory; ``back`` is the order in which the result is seen then.
    """

    compute: Callable[[Any], Any]
    geometry: Geometry
    order: tuple[int, ...] | None
    back: tuple[int, ...] | None
    kind: dtype


def with_fast_path(operator: Operator, slow: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function of one tensor that takes the short way, or else calls a slow one.

    It is a method, too; ``slow`` gets all arguments as they came.
    """
    shorts: dict[Any, _Short] = {}
    look_up = shorts.get

    def run(tensor: Any = MISSING, /, *extra: Any, **keywords: Any) -> Any:
        try:
            short = look_up((tensor._geometry, tensor._dtype))
        except AttributeError:  # no tensor
            short = None
        if short is None or extra or keywords or not is_plain(tensor):
            given = () if tensor is MISSING else (tensor,)
            result = slow(*given, *extra, **keywords)
            if short is None and type(tensor) is Tensor and not extra and not keywords:
                _remember(shorts, operator, tensor)
            return result
        compute, geometry, order, back, kind = short
        elements = raw_array(tensor) if order is None else permuted_raw_array(tensor, order)
        try:
            context = QUIET.pop()
        except IndexError:  # all are in use by other threads
            found = quietly(compute, elements)
        else:
            found = context.run(compute, elements)
            QUIET.append(context)
        if back is None:
            return tensor_from_array(found, geometry, kind, found)
        return tensor_from_array(found, geometry, kind, found.transpose(back), found)

    return run


def short_change(operator: Operator, slow: Callable[..., Any]) -> Callable[..., Any]:
    """Make an in-place form that takes the short way, or else calls a slow one."""
    shorts: dict[Any, Callable[[Any], Any]] = {}
    look_up = shorts.get
    node = operator.row.node

    def change(tensor: Any = MISSING, /, *extra: Any, **keywords: Any) -> Any:
        try:
            key: Any = tensor._geometry, tensor._dtype
            plain = tensor._base is None and is_plain(tensor)
        except AttributeError:  # no tensor
            key, plain = None, False
        compute = look_up(key)
        if compute is None or extra or keywords or not plain:
            given = () if tensor is MISSING else (tensor,)
            result = slow(*given, *extra, **keywords)
            if compute is None and key is not None and not extra and not keywords:
                _remember_change(shorts, operator, tensor)
            return result
        elements = raw_array(tensor)
        elements[...] = quietly(compute, elements)
        return written(tensor, (), node)

    return change


def _remember_change(
    shorts: dict[Any, Callable[[Any], Any]], operator: Operator, tensor: Tensor
) -> None:
    """Remember what changed a tensor in place, if nothing has to be looked at again."""
    plan = operator.plan_cache.get((operand_key(tensor),))
    if plan is None or not plan.is_small or plan.default is not None or not plan.checked:
        return
    if plan.result_dtype is not tensor._dtype:
        return
    if len(shorts) >= _KEPT:
        shorts.clear()
    shorts[tensor._geometry, tensor._dtype] = plan.composed(plan.result_dtype)


def _remember(shorts: dict[Any, _Short], operator: Operator, tensor: Tensor) -> None:
    """Remember what an operator did, if there is a short way to do it again."""
    plan = operator.plan_cache.get((operand_key(tensor),))
    if plan is None or not plan.is_small or plan.default is not None or not plan.checked:
        return
    if plan.result_dtype is COMPLEX32:  # torch warns each time that it makes one
        return
    order = back = None
    if plan.geometry is not tensor._geometry:
        if plan.order is not None or not plan.is_settled:
            return
    elif plan.order is not None:
        order = plan.order
        back = tuple(map(order.index, range(len(order))))
    if len(shorts) >= _KEPT:
        shorts.clear()
    shorts[tensor._geometry, tensor._dtype] = _Short(
        plan.composed(plan.result_dtype), plan.geometry, order, back, plan.result_dtype
    )
