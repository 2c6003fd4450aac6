"""What autograd records: what new tensors and views came from, and what was written in place.

Grad mode decides whether anything is recorded.  What is done in inference
mode, or to tensors of inference mode alone, autograd does not see.
"""

from collections.abc import Sequence
from enum import Enum
from typing import Any

from .._numerics.deterministic import fills
from .._runtime.errors import check
from .._runtime.grad_modes import (
    MODES,
    NON_DEFAULT_THREADS,
    grad_enabled,
    inference_enabled,
    records,
)
from .autograd_meta import (
    AutogradMeta,
    CreationMeta,
    check_hook,
    check_may_change,
    count_write,
    grad_fn,
    is_differentiable,
    is_effective_leaf,
    is_inference,
    node,
    own_history,
    requires_grad,
    set_grad_fn,
    version,
)


def is_seen(*tensors: Any) -> bool:
    """Tell whether autograd sees what is done with tensors; it does not if all are of inference mode."""
    return not inference_enabled() and not all(map(is_inference, tensors))


def _are_recorded(tensors: Sequence[Any]) -> bool:
    """Tell whether autograd records what is made of some tensors, and look up what they came from."""
    if not records():
        return False
    known = [each for each in tensors if each._autograd_meta is not None or each._base is not None]
    if not any(map(requires_grad, known)):
        return False
    for each in known:
        grad_fn(each)
    return not all(map(is_inference, tensors))


def is_made_inside(result: Any, *sources: Any) -> bool:
    """Tell whether autograd sees how a new tensor is made, where it does not see the function.

    That is so where all sources are of inference mode, and the result is not.
    """
    return not is_inference(result) and all(map(is_inference, sources))


def count_filling(result: Any) -> None:
    """Count that new memory is filled, where it is, and autograd sees it."""
    if fills():
        count_write(result)


def record_inputs(
    result: Any, sources: tuple[Any, ...], function: str, inner: tuple[str, ...]
) -> None:
    """Note what a new tensor came from, if one of its sources requires a gradient.

    Where autograd does not see the function, as all sources are of inference
    mode, it sees the functions ``inner`` that write the result.
    """
    if inner and is_made_inside(result, *sources):
        count_filling(result)
        for each in inner:
            record_inplace(result, sources if is_differentiable(result) else (), each)
        return
    if is_differentiable(result) and _are_recorded(sources):
        own_history(result).grad_fn = node(function)


def check_usable(*tensors: Any) -> None:
    """Refuse to make anything of views whose base was written to, where that is forbidden."""
    for each in tensors:
        if each._autograd_meta is not None or each._base is not None:
            _are_recorded(tensors)
            return


def record_view(
    view: Any, tensor: Any, function: str, output: int | None = None, typed: bool = False
) -> None:
    """Give a new view its history.

    ``output`` is its place among several views that one function returns, and
    ``typed`` says that the function changes the dtype, and is called again to
    make the view anew.
    """
    creation = CreationMeta.DEFAULT if output is None else CreationMeta.MULTIPLE
    if (
        tensor._autograd_meta is None
        and tensor._base is None
        and not NON_DEFAULT_THREADS
        and not typed
    ):
        view._autograd_meta = AutogradMeta()
        view._autograd_meta.creation_meta = creation
        return
    if NON_DEFAULT_THREADS and MODES.inference:
        creation = CreationMeta.INFERENCE
    elif NON_DEFAULT_THREADS and not MODES.grad:
        creation = CreationMeta.NO_GRAD
    before = (
        CreationMeta.DEFAULT
        if tensor._autograd_meta is None
        else tensor._autograd_meta.creation_meta
    )
    if creation is CreationMeta.DEFAULT or before is CreationMeta.INFERENCE:
        creation = before
    recorded = _are_recorded((tensor,)) and is_differentiable(view)
    if not (recorded or typed or creation is not CreationMeta.DEFAULT):
        return
    history = view._autograd_meta = AutogradMeta()
    history.creation_meta = creation
    if typed:
        history.regenerated_grad_fn = function
    if recorded:
        history.grad_fn = node(function)
        history.output_nr = output or 0


# Writing in place.


class InplaceError(Enum):
    """Why a tensor cannot be written to in place (CanMutateInplaceResult)."""

    VIEW = "a view of which the history would not be known"
    VIEW_OF_LEAF = (
        "a view of a leaf Variable that requires grad is being used in an in-place operation."
    )
    LEAF = "a leaf Variable that requires grad is being used in an in-place operation."


def obstacle(tensor: Any, *sources: Any) -> InplaceError | None:
    """Return why a tensor cannot be written to, if anything is against it.

    ``sources`` are the tensors that are written (can_mutate_inplace in
    torch/csrc/autograd/VariableTypeUtils.h).
    """
    history, base = tensor._autograd_meta, tensor._base
    if (history is None and base is None) or not grad_enabled() or not is_seen(tensor, *sources):
        return None
    is_required = requires_grad(tensor)
    if not is_required and not any(map(requires_grad, sources)):
        return None
    if base is not None:
        if history is not None and history.creation_meta is not CreationMeta.DEFAULT:
            return InplaceError.VIEW
        if is_required and is_effective_leaf(base):
            return InplaceError.VIEW_OF_LEAF
    return InplaceError.LEAF if is_required and is_effective_leaf(tensor) else None


def check_writable(tensor: Any, *sources: Any) -> None:
    """Refuse to write where gradients would be lost: to leaves, to views of them, and to odd views."""
    if tensor._autograd_meta is None and tensor._base is None and not sources:
        return
    found = obstacle(tensor, *sources)
    if found is InplaceError.VIEW:
        check_may_change(tensor, "is being")
    check(found is None, lambda: found.value if found else "")
    _are_recorded((tensor, *sources))


def record_inplace(tensor: Any, sources: tuple[Any, ...], function: str) -> None:
    """Count a write, and note what the tensor came from; its base has it as a slice (rebase_history)."""
    count_write(tensor)
    if (
        tensor._autograd_meta is None
        and (tensor._base is None or tensor._base._autograd_meta is None)
        and not any(each._autograd_meta is not None or each._base is not None for each in sources)
    ) or not records():
        return
    if not any(map(requires_grad, (tensor, *sources))):
        return
    base, history = tensor._base, own_history(tensor)
    if base is None:
        set_grad_fn(history, node(function))
        return
    history.output_nr = 0
    check_hook(own_history(base))
    set_grad_fn(own_history(base), node("CopySlices"))
    grad_fn(tensor)


def note_own_view(tensor: Any, function: str) -> None:
    """Note that a tensor has become a view of itself, such as its transpose: its base has not changed."""
    count_write(tensor)
    if records() and requires_grad(tensor) and is_differentiable(tensor):
        history = own_history(tensor)
        history.grad_fn, history.output_nr = node(function), 0
        # Its hook is not moved to the new function, as torch does where it writes.
        history.has_lost_hook = history.retains_grad
        if tensor._base is not None:
            tensor._view_version = version(tensor)
