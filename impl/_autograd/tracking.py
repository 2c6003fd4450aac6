"""Autograd tracking of operators: grad_fn of new tensors and views, in-place writes.

Nothing is recorded without grad mode, in inference mode, or if all operands are inference
tensors.
"""

from collections.abc import Sequence
from typing import Any

from .._dtypes.table import spec_of
from .._numerics.deterministic import fills_uninitialized_memory
from .._runtime.errors import check
from .._runtime.grad_modes import (
    MODES,
    NON_DEFAULT_THREADS,
    grad_enabled,
    inference_enabled,
    is_recording,
)
from .autograd_meta import (
    AutogradMeta,
    CreationMeta,
    bump_version,
    check_hook,
    grad_fn,
    is_differentiable,
    is_effective_leaf,
    is_inference,
    materialize_autograd_meta,
    node,
    requires_grad,
    set_grad_fn,
    version,
    view_rebase_error,
)


def is_tracked(*tensors: Any) -> bool:
    """Return whether autograd tracks an operator: not if all tensors are inference tensors."""
    return not inference_enabled() and not all(map(is_inference, tensors))


def _compute_requires_grad(tensors: Sequence[Any]) -> bool:
    """Return whether an operator is recorded, and regenerate the grad_fn of its operands."""
    if not is_recording():
        return False
    tracked = [x for x in tensors if x._autograd_meta is not None or x._view_base is not None]
    if not any(map(requires_grad, tracked)):
        return False
    for tensor in tracked:
        grad_fn(tensor)
    return not all(map(is_inference, tensors))


def is_recorded(*tensors: Any) -> bool:
    """Return whether autograd records a function of tensors, and regenerate their grad_fn."""
    return _compute_requires_grad(tensors)


def is_tracked_inside(result: Any, *sources: Any) -> bool:
    """Return whether autograd tracks only the inner functions of an operator.

    Then all sources are inference tensors, and the result is none.
    """
    return not is_inference(result) and all(map(is_inference, sources))


def bump_version_if_filled(result: Any) -> None:
    """Increment the version if new memory is filled in deterministic mode."""
    if fills_uninitialized_memory():
        bump_version(result)


def record_inputs(
    result: Any, sources: tuple[Any, ...], function: str, inner: tuple[str, ...]
) -> None:
    """Record the grad_fn of a new tensor if a source requires a gradient.

    If all sources are inference tensors, autograd records the functions ``inner``, which write
    the result, instead.
    """
    if inner and is_tracked_inside(result, *sources):
        bump_version_if_filled(result)
        for name in inner:
            record_inplace(result, sources if is_differentiable(result) else (), name)
        return
    if is_differentiable(result) and _compute_requires_grad(sources):
        materialize_autograd_meta(result).grad_fn = node(function)


def check_no_stale_views(*tensors: Any) -> None:
    """Raise if an operand is a view whose grad_fn cannot be regenerated."""
    for tensor in tensors:
        if tensor._autograd_meta is not None or tensor._view_base is not None:
            _compute_requires_grad(tensors)
            return


def record_view(
    view: Any, tensor: Any, function: str, output: int | None = None, typed: bool = False
) -> None:
    """Set the autograd metadata of a new view.

    ``output`` is the index among the outputs of a function with several views.  ``typed`` marks a
    view function that changes the dtype; it is replayed to regenerate the view.
    """
    creation = CreationMeta.DEFAULT if output is None else CreationMeta.MULTIPLE
    if (
        tensor._autograd_meta is None
        and tensor._view_base is None
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
    base_creation = (
        CreationMeta.DEFAULT
        if tensor._autograd_meta is None
        else tensor._autograd_meta.creation_meta
    )
    if creation is CreationMeta.DEFAULT or base_creation is CreationMeta.INFERENCE:
        creation = base_creation
    recorded = _compute_requires_grad((tensor,)) and is_differentiable(view)
    if not (recorded or typed or creation is not CreationMeta.DEFAULT):
        return
    meta = view._autograd_meta = AutogradMeta()
    meta.creation_meta = creation
    if typed:
        meta.regenerated_grad_fn = function
    if recorded:
        meta.grad_fn = node(function)
        meta.output_nr = output or 0


# In-place operations


_LEAF = "a leaf Variable that requires grad is being used in an in-place operation."


def inplace_error(tensor: Any, *sources: Any) -> str | None:
    """Return the error of an in-place operation on a tensor, or None.

    ``sources`` are the other operands (can_mutate_inplace in
    torch/csrc/autograd/VariableTypeUtils.h).
    """
    meta, base = tensor._autograd_meta, tensor._view_base
    if (meta is None and base is None) or not grad_enabled() or not is_tracked(tensor, *sources):
        return None
    tensor_requires_grad = requires_grad(tensor)
    if not tensor_requires_grad and not any(map(requires_grad, sources)):
        return None
    if base is not None:
        if meta is not None and meta.creation_meta is not CreationMeta.DEFAULT:
            return view_rebase_error(tensor, "is being")
        if tensor_requires_grad and is_effective_leaf(base):
            return f"a view of {_LEAF}"
    return _LEAF if tensor_requires_grad and is_effective_leaf(tensor) else None


def check_inplace(tensor: Any, *sources: Any) -> None:
    """Raise if autograd forbids an in-place operation on a leaf or a view."""
    if tensor._autograd_meta is None and tensor._view_base is None and not sources:
        return
    error = inplace_error(tensor, *sources)
    if error is not None:
        raise RuntimeError(error)
    _compute_requires_grad((tensor, *sources))


def record_inplace(tensor: Any, sources: tuple[Any, ...], function: str) -> None:
    """Increment the version, and set the grad_fn of a tensor and its base (rebase_history)."""
    bump_version(tensor)
    if (
        tensor._autograd_meta is None
        and (tensor._view_base is None or tensor._view_base._autograd_meta is None)
        and not any(x._autograd_meta is not None or x._view_base is not None for x in sources)
    ) or not is_recording():
        return
    if not any(map(requires_grad, (tensor, *sources))):
        return
    base, meta = tensor._view_base, materialize_autograd_meta(tensor)
    if base is None:
        set_grad_fn(meta, node(function))
        return
    meta.output_nr = 0
    check_hook(materialize_autograd_meta(base))
    set_grad_fn(materialize_autograd_meta(base), node("CopySlices"))
    grad_fn(tensor)


def record_inplace_view(tensor: Any, function: str) -> None:
    """Record an in-place view operation, such as t_(); its base has not changed."""
    bump_version(tensor)
    if is_recording() and requires_grad(tensor) and is_differentiable(tensor):
        meta = materialize_autograd_meta(tensor)
        meta.grad_fn, meta.output_nr = node(function), 0
        # Unlike for a write, torch does not move the hook to the new grad_fn.
        meta.has_lost_hook = meta.retains_grad
        if tensor._view_base is not None:
            tensor._view_version = version(tensor)


def check_differentiable(result: Any, *sources: Any) -> None:
    """Raise if autograd tracks a source, and tensors of the result's dtype have no gradient."""
    check(
        is_differentiable(result) or not (grad_enabled() and any(map(requires_grad, sources))),
        lambda: f"Autograd not support dtype: {spec_of(result._dtype).cpp_name}",
    )
