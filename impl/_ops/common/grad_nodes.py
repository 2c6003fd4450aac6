"""The grad_fn of the results of planned calls, as the long way gave them."""

from collections.abc import Sequence

from ..._autograd.autograd_meta import is_inference, materialize_autograd_meta, node, requires_grad
from ..._autograd.tracking import is_recorded
from ..._runtime.grad_modes import is_recording
from ..._tensor.parameter import Parameter
from ..._tensor.tensor import Tensor

PLANNED_CLASSES = frozenset({Tensor, Parameter})
"""The classes of the operands of plans: results of neither have another class than Tensor."""


class GradNodes:
    """The names of the grad_fn of a kind of calls, by which operands require a gradient."""

    __slots__ = ("_names",)

    def __init__(self) -> None:
        self._names: dict[tuple[bool, ...], tuple[str, ...]] = {}

    def of(self, operands: Sequence[Tensor]) -> tuple[str, ...] | None:
        """Return the names, none if autograd records nothing, and None if they are not known."""
        if any(map(is_inference, operands)):  # which autograd does not save
            return None
        needs = tuple(map(requires_grad, operands))
        if True not in needs or not is_recording():
            return ()
        names = self._names.get(needs)
        if names and any(names):
            is_recorded(*operands)  # regenerates the grad_fn of views
        return names

    def learn(self, operands: Sequence[Tensor], results: Sequence[Tensor]) -> None:
        """Keep the names that the long way gave new tensors; "" is no grad_fn."""
        needs = tuple(map(requires_grad, operands))
        if True not in needs or needs in self._names or not is_recording():
            return
        if any(map(is_inference, operands)) or any(x._view_base is not None for x in results):
            return
        metas = [result._autograd_meta for result in results]
        names = ["" if x is None else type(x.grad_fn).__name__ for x in metas]
        self._names[needs] = tuple(names)


def record_nodes(names: Sequence[str], results: Sequence[Tensor]) -> None:
    """Give new tensors the grad_fn of names."""
    for index, name in enumerate(names):
        if name:
            meta = materialize_autograd_meta(results[index])
            meta.grad_fn, meta.output_nr = node(name), index
