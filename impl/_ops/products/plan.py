"""Plans of calls: what a call checks and chooses is decided by its operands' kinds alone.

A kind is the geometry, on its device, and the dtype of a tensor that has no conj or neg bit.  A
call of new kinds takes the long way, in which the operators note the function of arrays that
computes their result.  A later call of the same kinds calls that function.
"""

from collections.abc import Callable, Sequence
from functools import partial, wraps
from operator import is_
from typing import Any, NamedTuple

from ..._argparser.parser import positional
from ..._argparser.schema import MISSING
from ..._arrays.numpy_bridge import np
from ..._arrays.parallel import without_fp_warnings
from ..._autograd.autograd_meta import bump_version, is_inference, version
from ..._devices.device import CPU
from ..._dtypes.constants import COMPLEX32
from ..._geometry.extents import Ints
from ..._geometry.geometry import Geometry
from ..._runtime.warnings import SILENCE
from ..._tensor.allocation import empty_with
from ..._tensor.data_access import has_separate_elements, raw_array
from ..._tensor.tensor import Tensor, new_tensor, tensor_from_array
from ..._tensor.views import view_of
from ..common.caches import is_plain, remember
from ..common.grad_nodes import PLANNED_CLASSES, GradNodes, record_nodes
from ..elementwise.binding import Overload
from .kernels import Compute
from .notes import CALL, Notes, Step, note_sum

Run = Callable[..., Any]


class Source(NamedTuple):
    """A view of an operand, or a contiguous copy of it.

    operand: the index of the operand
    geometry: the geometry of the view
    offset: its offset from that of the operand
    shape: the shape of the copy; None for the view itself
    """

    operand: int
    geometry: Geometry
    offset: int
    shape: Ints | None = None

    def array(self, operands: Sequence[Tensor]) -> Any:
        """Return the array over the memory of the view, or a copy of it."""
        view = self._view(operands)
        return view if self.shape is None else view.reshape(self.shape)

    def _view(self, operands: Sequence[Tensor]) -> Any:
        tensor, geometry = operands[self.operand], self.geometry
        if not self.offset:
            if tensor._geometry is geometry:
                return raw_array(tensor)
            if tensor._geometry.is_contiguous and geometry.is_contiguous:
                return raw_array(tensor).reshape(geometry.shape)
        offset = tensor._offset + self.offset
        return raw_array(new_tensor(tensor._storage, geometry, offset, tensor._dtype))


class Plan:
    """The way of a call without its checks.

    make: the function that returns ``compute``
    compute: the function of the arrays of the operands, once it was needed
    sources: the views of the operands that are computed; None for the first operands themselves
    count: the number of these operands
    target: the index of the operand that is written; None for a new result
    geometry, dtype: those of the result
    base: the geometry of the new tensor of which the result is a view; None if it is none
    versions: the number of writes to the result that its version counts
    nodes: the grad_fn of the result
    """

    __slots__ = (
        "base", "compute", "count", "dtype", "geometry", "make", "nodes", "sources", "target",
        "versions",
    )  # fmt: skip

    def __init__(
        self,
        step: Step,
        sources: list[Source] | None,
        target: int | None,
        result: Tensor,
        versions: int,
    ) -> None:
        self.make, self.sources, self.target = step.make, sources, target
        self.compute: Compute | None = None
        self.count = len(step.inputs)
        self.geometry, self.dtype = result._geometry, result._dtype
        self.base = None if result._view_base is None else result._view_base._geometry
        self.versions = versions
        self.nodes = GradNodes()

    def __call__(self, operands: Sequence[Tensor]) -> Tensor | None:
        """Return the result; None if the long way finds it, or the call has to be noted."""
        is_tracked = False
        for operand in operands:
            base = operand._view_base
            if operand._conj_neg:
                return None
            if operand._autograd_meta is not None or (
                base is not None and base._autograd_meta is not None
            ):
                is_tracked = True
        is_noting = CALL.notes is not None
        if is_tracked and (is_noting or self.target is not None or self.base is not None):
            return None
        names = self.nodes.of(operands) if is_tracked else ()
        if names is None:
            return None
        compute = self.compute
        if compute is None:
            compute = self.compute = self.make()
        if self.target is not None:
            return self._write(compute, operands)
        if self.sources is not None:
            if CALL.notes is not None:
                return None
            arrays = [source.array(operands) for source in self.sources]
            result = self._new(without_fp_warnings(compute, *arrays))
        else:
            result = self._new(without_fp_warnings(compute, *map(raw_array, operands)))
            if CALL.notes is not None:
                note_sum(compute, result, *operands)
        if names:
            record_nodes(names, (result,))
        return result

    def _new(self, elements: Any) -> Tensor:
        """Return a new tensor with elements."""
        geometry = self.geometry if self.base is None else self.base
        memory = elements
        if not elements.ndim or not elements.flags.c_contiguous:
            memory = np.array(elements, order="C", ndmin=1)
        elements = memory if memory.shape == geometry.shape else memory.reshape(geometry.shape)
        result = tensor_from_array(memory, geometry, self.dtype, elements)
        if self.versions:
            for _ in range(self.versions):
                bump_version(result)
        return result if self.base is None else view_of(result, self.geometry, 0, "")

    def _write(self, compute: Compute, operands: Sequence[Tensor]) -> Tensor | None:
        """Write elements into the target; None if it shares memory, or the call is noted."""
        assert self.target is not None
        target = operands[self.target]
        if CALL.notes is not None or is_inference(target):
            return None
        for index, operand in enumerate(operands):
            if operand._storage is target._storage and index != self.target:
                return None
        sources = self.sources
        if sources is None:
            arrays = [raw_array(x) for x in operands[: self.count]]
        else:
            arrays = [source.array(operands) for source in sources]
        memory = raw_array(target)
        elements = without_fp_warnings(compute, *arrays)
        memory[...] = elements if elements.shape == memory.shape else elements.reshape(memory.shape)
        for _ in range(self.versions):
            bump_version(target)
        return target


def with_plans(slow: Run, overload: Overload | None = None) -> Run:
    """Return a function or method that calls ``slow`` for kinds of operands without a plan.

    ``overload`` is the one of tensors and factors, which are 1; it needs no parser for tensors.
    """
    direct: Run = partial(_call_directly, overload, slow) if overload else slow
    plans: dict[Any, Plan] = {}
    look_up = plans.get

    @wraps(slow)
    def run(left: Any = MISSING, right: Any = MISSING, /, *extra: Any, **keywords: Any) -> Any:
        if type(left) not in PLANNED_CLASSES or type(right) not in PLANNED_CLASSES:
            return slow(*positional(left, right, extra), **keywords)
        key: Any = left._geometry, left._dtype, right._geometry, right._dtype
        operands = [left, right]
        if extra or keywords:
            key = [*key, *keywords]
            values = *extra, *keywords.values()
            key = tuple(key) if all(_adds_kind(key, operands, x) for x in values) else None
        plan = look_up(key)
        if plan is not None:
            result = plan(operands)
            if result is None:
                result = slow(left, right, *extra, **keywords)
                plan.nodes.learn(operands, (result,))
            return result
        if key is None or CALL.notes is not None or not all(map(_has_kind, operands)):
            return slow(left, right, *extra, **keywords)
        if all(map(is_plain, operands)):
            result, plan = _noted(direct, (left, right, *extra), keywords, operands)
        elif any(x._geometry.numel > _SMALL for x in operands):
            return slow(left, right, *extra, **keywords)
        else:
            others = _with_others((left, right, *extra), keywords)  # of the kinds before the call
            result = slow(left, right, *extra, **keywords)
            plan = _plan_of_others(direct, *others)
            if plan is not None:
                plan.nodes.learn(operands, (result,))
        if plan is not None:
            remember(plans, key, plan)
        return result

    return run


def _call_directly(overload: Overload, slow: Run, *arguments: Any, **keywords: Any) -> Any:
    """Call the overload for tensors alone, which have kinds, else the function with the parser."""
    tensors = overload.parameters.count("Tensor ") + 1
    if keywords or len(arguments) != tensors or any(type(x) is not Tensor for x in arguments):
        return slow(*arguments, **keywords)
    return overload.run(*arguments, *[1] * overload.parameters.count("Scalar "))


def _adds_kind(key: list[Any], tensors: list[Tensor], argument: Any) -> bool:
    """Add the kind of an argument to a key, and a tensor to the others; return whether it has one.

    Numbers that are equal, as 0.0 and -0.0 are, need not give the same result.
    """
    cls = type(argument)
    if cls in PLANNED_CLASSES:
        key += argument._geometry, argument._dtype
        tensors.append(argument)
    elif cls is int or (cls is float and argument and argument == argument):
        key += cls, argument
    elif cls is tuple or cls is list:
        key += cls, len(argument)
        return all(type(x) not in PLANNED_CLASSES and _adds_kind(key, tensors, x) for x in argument)
    else:
        return False
    return True


def _noted(
    slow: Run, arguments: Sequence[Any], keywords: dict[str, Any], operands: list[Tensor]
) -> tuple[Any, Plan | None]:
    """Return the result of a call that takes the long way, and its plan, if there is one."""
    before = [(x._geometry, version(x)) for x in operands]
    result, notes = _notes_of(slow, arguments, keywords)
    target = next((i for i, x in enumerate(operands) if x is result), None)
    geometry, count = before[target] if target is not None else (None, 0)
    if not notes.steps or (target is not None and geometry is not result._geometry):
        return result, None
    plan = _plan_of(notes, operands, target, result, count)
    is_one = len(notes.steps) == 1 and not notes.before
    if plan is None and target is None and is_one and _share_memory(operands):
        # Views are told apart in a call with other tensors.
        others, arguments, keywords = _with_others(arguments, keywords)
        with SILENCE:
            other, notes = _notes_of(slow, arguments, keywords)
        plan = _plan_of(notes, others, target, other, count)
    return result, plan


def _plan_of_others(
    slow: Run, others: list[Tensor], arguments: Sequence[Any], keywords: dict[str, Any]
) -> Plan | None:
    """Return the plan of a call with other tensors in place of its operands, if there is one.

    The call itself was made, and may have written to an operand or resized it.
    """
    with SILENCE:
        return _noted(slow, arguments, keywords, others)[1]


def _with_others(
    arguments: Sequence[Any], keywords: dict[str, Any]
) -> tuple[list[Tensor], list[Any], dict[str, Any]]:
    """Return new tensors of the kinds of those among arguments, and the arguments with them."""
    others: list[Tensor] = []

    def other(argument: Any) -> Any:
        if not isinstance(argument, Tensor):
            return argument
        others.append(empty_with(argument._geometry, argument._dtype))
        return others[-1]

    changed = [other(x) for x in arguments]
    return others, changed, {name: other(x) for name, x in keywords.items()}


def _has_kind(tensor: Tensor) -> bool:
    """Return whether a tensor's kind decides what operators do with it."""
    geometry = tensor._geometry
    return (
        geometry.device is CPU
        and not geometry.is_sparse
        and not tensor._conj_neg
        and not is_inference(tensor)
        and tensor._dtype is not COMPLEX32
    )


def _share_memory(tensors: Sequence[Tensor]) -> bool:
    """Return whether small tensors share a storage."""
    is_small = all(x._geometry.numel <= _SMALL for x in tensors)
    return is_small and len({id(x._storage) for x in tensors}) < len(tensors)


_SMALL = 2**14
"""The largest number of elements of tensors that are multiplied twice for a plan."""


def _notes_of(slow: Run, arguments: Sequence[Any], keywords: dict[str, Any]) -> tuple[Any, Notes]:
    """Return the result of a call that takes the long way, and what is noted of it."""
    notes = CALL.notes = Notes([], [], {})
    try:
        return slow(*arguments, **keywords), notes
    finally:
        CALL.notes = None


def _plan_of(
    notes: Notes, operands: Sequence[Tensor], target: int | None, result: Tensor, before: int
) -> Plan | None:
    """Return the plan of a call of one step, whose target is the result, or has its memory.

    ``before`` is the version of a result that is an operand.
    """
    step = notes.steps[0]
    if len(notes.steps) > 1 or step is None or not _has_kind(result):
        return None
    geometry, written = result._geometry, step.target._geometry
    is_same = target is not None and step.target is result and step.geometry is geometry
    is_result = (is_same and has_separate_elements(raw_array(result))) or (
        result._storage is step.target._storage
        and result._offset == step.target._offset
        and geometry.is_contiguous
        and written.is_contiguous
        and geometry.numel == written.numel
    )
    is_new = result._view_base is None or result._view_base is step.target
    sources = _sources(notes, step.inputs, operands, target)
    if not is_result or sources == [] or (target is None and not is_new):
        return None
    if notes.before:
        step = step._replace(make=partial(_after, notes.before, step.make))
    return Plan(step, sources, target, result, version(result) - before)


def _after(actions: Sequence[Callable[[], None]], make: Callable[[], Compute]) -> Compute:
    """Return a function that computes after some actions."""
    compute = make()

    def run(*arrays: Any) -> Any:
        for action in actions:
            action()
        return compute(*arrays)

    return run


def _sources(
    notes: Notes, inputs: Sequence[Tensor], operands: Sequence[Tensor], target: int | None
) -> list[Source] | None:
    """Return the views of operands that a step gets; None for the first operands themselves.

    The list is empty if inputs are no views of operands, or may be views of several.
    """
    given = operands if len(inputs) == len(operands) else operands[:target]
    if len(given) == len(inputs) and all(map(is_, inputs, given)):
        return None
    indices = {id(x._storage): index for index, x in enumerate(operands)}
    if len(indices) < len(operands):
        return []
    sources = []
    for tensor in inputs:
        view, shape = tensor, None
        if id(tensor._storage) in notes.copies:
            copy, view = notes.copies[id(tensor._storage)]
            shape = tensor._geometry.shape
            if not tensor._geometry.is_contiguous or tensor._geometry.numel != copy._geometry.numel:
                return []
        index = indices.get(id(view._storage))
        if index is None:
            return []
        offset = view._offset - operands[index]._offset
        sources.append(Source(index, view._geometry, offset, shape))
    return sources
