"""Notes of calls: the functions of arrays that compute their results, for plans of later calls."""

import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from ..._geometry.geometry import Geometry
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.tensor import METHODS, Tensor
from ..elementwise.arithmetic import MUL
from ..elementwise.iterator import Operator
from .kernels import Compute

Run = Callable[..., Any]


class Step(NamedTuple):
    """A step of a call: a tensor gets the elements that a function computes of other tensors.

    make: a function that returns the function of the raw arrays of ``inputs``
    geometry: that of the target, which a later step may change
    """

    make: Callable[[], Compute]
    inputs: tuple[Tensor, ...]
    target: Tensor
    geometry: Geometry


class Notes(NamedTuple):
    """What is noted of a call.

    steps: the steps; a None forbids a plan
    before: what a call does before it computes, such as a warning
    copies: copies, and the tensors of which they are, by the copies' storages
    """

    steps: list[Step | None]
    before: list[Callable[[], None]]
    copies: dict[int, tuple[Tensor, Tensor]]


class _Call(threading.local):
    """The call of a thread: its notes, if they are taken."""

    notes: Notes | None = None


CALL = _Call()


def note(make: Callable[[], Compute], target: Tensor, *inputs: Tensor) -> None:
    """Note a step of a call, which gives the same result for all operands of the same kinds."""
    notes = CALL.notes
    if notes is not None:
        notes.steps.append(Step(make, inputs, target, target._geometry))


def note_sum(compute: Compute | None, target: Tensor, *inputs: Tensor) -> None:
    """Note a step whose function is known, if one computed the elements."""
    if compute is not None:
        note(lambda: compute, target, *inputs)


def note_copy(out: Tensor) -> None:
    """Note that the result of the last step was copied to another tensor of its dtype."""
    notes = CALL.notes
    if notes is not None and notes.steps and (step := notes.steps[-1]) is not None:
        notes.steps[-1] = step._replace(target=out, geometry=out._geometry)


def forbid_plan() -> None:
    """Note that a call does what its steps do not show, such as a warning."""
    if CALL.notes is not None:
        CALL.notes.steps.append(None)


def note_before(action: Callable[[], None]) -> None:
    """Note what a call does before it computes, and do it."""
    if CALL.notes is not None:
        CALL.notes.before.append(action)
    action()


def reshaped(tensor: Tensor, shape: Sequence[int]) -> Tensor:
    """Return a tensor of another shape, a view or a copy."""
    result: Tensor = METHODS["reshape"](tensor, shape)
    if CALL.notes is not None and result._storage is not tensor._storage:
        CALL.notes.copies[id(result._storage)] = result, tensor
    return result


class Noted(NamedTuple):
    """An operator of elements, whose calls for new results are steps of products."""

    operator: Operator

    def __call__(self, *operands: Tensor, out: Tensor | None = None) -> Tensor:
        """Return the result of the operator."""
        result = self.operator(*operands, out=out)
        if CALL.notes is not None:
            plan = self.operator.checked_plan(*operands)
            if plan is not None and plan.is_small and result._dtype is plan.result_dtype:
                note(partial(plan.array_function, plan.result_dtype), result, *operands)
        return result

    @property
    def inplace_below_autograd(self) -> Run:
        """The form in place."""
        return self.operator.inplace_below_autograd


def multiply_elements(left: Tensor, right: Tensor, **options: Tensor) -> Tensor:
    """Return the products of the elements of two tensors."""
    run = PUBLIC["mul"] if CALL.notes is None else Noted(MUL)
    return run(left, right, **options)
