"""Plans of calls: one function of arrays in place of all checks.

A call's kind is that of its arguments, and the default dtype: the geometries and dtypes of tensors
on the CPU, and the values of numbers and words.  The first call of a kind takes the long way, in
which an operator notes the function of arrays that computes its results, or what it writes to its
first operand.  Later calls of the kind call that function.  It returns None where the elements
decide what else happens, such as an error.
"""

import threading
from collections.abc import Callable, Sequence
from functools import wraps
from types import NoneType
from typing import Any, NamedTuple

from ..._arrays.numpy_bridge import np
from ..._arrays.parallel import without_fp_warnings
from ..._autograd.autograd_meta import bump_version, is_inference, version
from ..._devices.device import CPU
from ..._dtypes.constants import COMPLEX32
from ..._dtypes.default_dtype import SCALAR_DTYPES
from ..._dtypes.table import dtype
from ..._geometry.geometry import Geometry
from ..._numerics.deterministic import SWITCHES
from ..._tensor.data_access import raw_array
from ..._tensor.tensor import Tensor, tensor_from_array
from .caches import is_plain, remember
from .grad_nodes import PLANNED_CLASSES, GradNodes, record_nodes
from .memory_overlap import are_apart

Run = Callable[..., Any]
Compute = Callable[..., Any]
"""A function of raw arrays that returns a new raw array, or a tuple of them."""


class Noted(NamedTuple):
    """What an operator noted: ``compute`` of the arrays of ``operands`` gives ``result``.

    With ``is_whole`` it does so only if the first operand is all of its storage. With
    ``keeps_dtype`` the result's array has the dtype of the first one.  ``versions`` are those of
    the results when they were noted: what is written to one later is not in the function.
    """

    compute: Compute
    operands: tuple[Tensor, ...]
    result: Any
    is_whole: bool
    keeps_dtype: bool
    versions: tuple[int, ...]
    is_plain: bool = False


class _Call(threading.local):
    """The call of a thread whose function is noted: the last one counts."""

    is_noting = False
    noted: Noted | None = None


_CALL = _Call()


def note_arrays(
    compute: Compute,
    result: Any,
    *operands: Tensor,
    is_whole: bool = False,
    keeps_dtype: bool = False,
    is_plain: bool = False,
) -> Any:
    """Note the function that computes a new tensor, or a named tuple of some; return these.

    The result may be the first operand, to which the call writes what the function returns.
    ``is_whole``: the result depends on the storage of the first operand, too.
    ``keeps_dtype``: the dtype of the function's array is that of the first operand's.
    ``is_plain``: autograd has to know nothing of the operands; else it sees more than the result.
    """
    if _CALL.is_noting:
        versions = _versions_of(result)
        options = is_whole, keeps_dtype, versions, is_plain
        _CALL.noted = Noted(compute, operands, result, *options)
    return result


def _versions_of(result: Any) -> tuple[int, ...]:
    return tuple(map(version, (result,) if isinstance(result, Tensor) else result))


def without_note(run: Run) -> Run:
    """Return an implementation whose calls are not noted, as they do more than to compute."""

    @wraps(run)
    def unnoted(*arguments: Any, **keywords: Any) -> Any:
        result = run(*arguments, **keywords)
        _CALL.noted = None
        return result

    return unnoted


def last_noted() -> Noted | None:
    """Return what an operator of this thread's call noted last."""
    return _CALL.noted


def is_noting() -> bool:
    """Return whether a call of this thread is noted."""
    return _CALL.is_noting


class _Result(NamedTuple):
    """A new tensor: its geometry and dtype, and the number of writes that its version counts."""

    geometry: Geometry
    dtype: dtype
    versions: int

    def of(self, raw: Any) -> Tensor:
        """Return a tensor over a new raw array."""
        shape = self.geometry.shape
        if not shape or not raw.flags.c_contiguous:
            raw = np.array(raw, order="C", ndmin=1)
        result = tensor_from_array(
            raw, self.geometry, self.dtype, raw if raw.shape == shape else raw.reshape(shape)
        )
        for _ in range(self.versions):
            bump_version(result)
        return result


class _Plan(NamedTuple):
    """The function of a kind of calls.

    results: what it returns
    cls: the class of a tuple of results; None for one
    whole: the bytes of the storage of the first operand, if it has to be all of that
    nodes: the grad_fn of the results
    is_plain: whether the operands have to be plain tensors
    """

    compute: Compute
    results: tuple[_Result, ...]
    cls: Callable[..., Any] | None
    whole: int | None
    nodes: GradNodes
    is_plain: bool

    def run(self, operands: Sequence[Tensor]) -> Any:
        """Return the results; None if the long way finds them."""
        is_tracked = False
        for operand in operands:
            base = operand._view_base
            if operand._conj_neg:
                return None
            if operand._autograd_meta is not None or (
                base is not None and base._autograd_meta is not None
            ):
                is_tracked = True
        if self.is_plain and (is_tracked or any(map(is_inference, operands))):
            return None
        names = self.nodes.of(operands) if is_tracked else ()
        if names is None:
            return None
        if self.whole is not None and not _is_whole(operands[0], self.whole):
            return None
        raw = without_fp_warnings(self.compute, *map(raw_array, operands))
        if raw is None:
            return None
        if self.cls is None:
            result = self.results[0].of(raw)
            if names:
                record_nodes(names, (result,))
            return result
        results = [each.of(x) for each, x in zip(self.results, raw, strict=True)]
        if names:
            record_nodes(names, results)
        return self.cls(results)

    def learn(self, operands: Sequence[Tensor], result: Any) -> None:
        """Keep the grad_fn that the long way gave the results."""
        self.nodes.learn(operands, (result,) if self.cls is None else result)


class _InPlacePlan(NamedTuple):
    """The function of a kind of calls that write to their first operand.

    ufunc: the function with ``out=``, if it is NumPy's
    """

    compute: Compute
    ufunc: Compute | None

    def run(self, operands: Sequence[Tensor]) -> Any:
        """Write to the first operand and return it; None if operands are not plain or overlap."""
        target = operands[0]
        for operand in operands:
            if not is_plain(operand) or not (
                operand is target
                or operand._storage is not target._storage
                or are_apart(target, operand)
            ):
                return None
        arrays = [*map(raw_array, operands)]
        elements = arrays[0]
        if self.ufunc is not None:
            without_fp_warnings(self.ufunc, *arrays, out=elements)
        else:
            raw = without_fp_warnings(self.compute, *arrays)
            if raw is None:
                return None
            elements[...] = raw
        bump_version(target)
        return target


def with_array_plans(slow: Run, _: Any = None) -> Run:
    """Return a function or method that calls ``slow`` for kinds of calls without a plan."""
    plans: dict[Any, _Plan | _InPlacePlan | None] = {}
    look_up = plans.get

    @wraps(slow)
    def run(*arguments: Any, **keywords: Any) -> Any:
        if SWITCHES.enabled:  # new memory is filled, which versions count
            return slow(*arguments, **keywords)
        tensors: list[Tensor] = []
        key: list[Any] = [SCALAR_DTYPES[float], *keywords]
        if keywords:
            if keywords.get("out") is not None:
                return slow(*arguments, **keywords)
            every: Any = *arguments, *keywords.values()
        else:
            every = arguments
        for each in every:
            cls = type(each)
            if cls is Tensor:
                key += each._geometry, each._dtype
                tensors.append(each)
            elif cls in _WORDS:
                key += cls, each
            elif not _adds_kind(key, tensors, each):
                return slow(*arguments, **keywords)
        kind = tuple(key)
        plan = look_up(kind, _UNKNOWN)
        if plan is None:
            return slow(*arguments, **keywords)
        if plan is not _UNKNOWN and plan is not _SEEN:
            result = plan.run(tensors)
            if result is None:
                result = slow(*arguments, **keywords)
                if type(plan) is _Plan:
                    plan.learn(tensors, result)
            return result
        if _CALL.is_noting or not tensors or not all(map(_has_kind, tensors)):
            return slow(*arguments, **keywords)
        _CALL.is_noting = True
        try:
            result = slow(*arguments, **keywords)
            noted = _CALL.noted
        finally:
            _CALL.is_noting, _CALL.noted = False, None
        plan = _plan_of(noted, tensors, result)
        if type(plan) is _Plan:
            plan.learn(tensors, result)
        # Some operators note a function from their second call on.
        remember(plans, kind, _SEEN if plan is None and kind not in plans else plan)
        return result

    return run


_WORDS = frozenset({int, bool, str, NoneType, dtype})
_UNKNOWN: Any = object()
_SEEN: Any = object()


def _adds_kind(key: list[Any], tensors: list[Tensor], argument: Any) -> bool:
    """Add the kind of an argument to a key, and its tensors to the others; or return False.

    Numbers that are equal, as 0.0 and -0.0 are, need not give the same result.
    """
    cls = type(argument)
    if cls in PLANNED_CLASSES:
        key += argument._geometry, argument._dtype
        tensors.append(argument)
    elif cls in _WORDS:
        key += cls, argument
    elif cls is float and argument == argument:
        key += cls, argument.hex()
    elif cls is tuple or cls is list:
        key += cls, len(argument)
        return all(_adds_kind(key, tensors, each) for each in argument)
    elif cls is slice:
        key.append(cls)
        parts = argument.start, argument.stop, argument.step
        return all(type(each) in _WORDS and _adds_kind(key, tensors, each) for each in parts)
    else:
        return False
    return True


def _has_kind(tensor: Tensor) -> bool:
    """Return whether a tensor's geometry and dtype decide what operators do with it."""
    geometry = tensor._geometry
    return (
        geometry.device is CPU
        and not geometry.is_sparse
        and not tensor._conj_neg
        and not is_inference(tensor)
        and tensor._dtype is not COMPLEX32
    )


def _plan_of(
    noted: Noted | None, tensors: Sequence[Tensor], result: Any
) -> _Plan | _InPlacePlan | None:
    """Return the plan of a call that gave a result, if what was noted is all that it did."""
    if noted is None or noted.result is not result or len(noted.operands) != len(tensors):
        return None
    if noted.versions != _versions_of(result):
        return None
    if any(x is not y for x, y in zip(noted.operands, tensors, strict=True)):
        return None
    if result is tensors[0]:
        is_ufunc = isinstance(noted.compute, np.ufunc) and noted.keeps_dtype
        return _InPlacePlan(noted.compute, noted.compute if is_ufunc else None)
    results = (result,) if type(result) is Tensor else tuple(result)
    for each in results:
        geometry, is_new = each._geometry, each._view_base is None and not each._offset
        size = geometry.numel * each._dtype.itemsize
        if not (_has_kind(each) and is_new and geometry.is_contiguous and geometry.numel):
            return None
        if each._storage._size != size or any(each._storage is x._storage for x in tensors):
            return None
    whole = tensors[0]._geometry.numel * tensors[0]._dtype.itemsize if noted.is_whole else None
    if whole is not None and not _is_whole(tensors[0], whole):
        return None
    cls = None if type(result) is Tensor else type(result)
    rows = [_Result(each._geometry, each._dtype, version(each)) for each in results]
    return _Plan(noted.compute, tuple(rows), cls, whole, GradNodes(), noted.is_plain)


def _is_whole(tensor: Tensor, nbytes: int) -> bool:
    """Return whether a tensor of some bytes is all of its storage."""
    return not tensor._offset and tensor._storage._size == nbytes
