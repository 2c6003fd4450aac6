"""Autograd metadata of tensors, version counters, and checks of views and in-place operations.

There is no backward pass.  A tensor has three autograd attributes, None by default:

- ``_base``: the tensor of which it is a view, itself no view;
- ``_autograd_meta``: requires_grad, grad_fn and the creation metadata of a view;
- ``_version_counter``: the number of in-place writes.  A view uses the counter of its base;
  the result of detach() shares that of the original.

``_view_version`` of a view is the version of its grad_fn.  After a write to its base or to
another view, `grad_fn` regenerates it (VariableHooks::grad_fn in
torch/csrc/autograd/variable.cpp).
"""

from collections.abc import Callable
from enum import Enum
from functools import cache
from typing import Any

from .._runtime.errors import check
from .._runtime.grad_modes import inference_enabled

# Autograd metadata


class Node:
    """A grad_fn: the node of the graph whose backward torch would run."""

    __slots__ = ("next_functions",)

    next_functions: tuple[Any, ...]

    def name(self) -> str:
        """Return the name of the node; handwritten nodes of torch have a namespace."""
        name = type(self).__name__
        return f"torch::autograd::{name}" if name in ("CopyBackwards", "CopySlices") else name

    @property
    def metadata(self) -> dict[Any, Any]:
        """The metadata of the node, always empty."""
        return {}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {hex(id(self))}>"


@cache
def _node_class(name: str) -> type[Node]:
    return type(name, (Node,), {"__slots__": ()})


def node(name: str) -> Node:
    """Return a new node with a class name such as ViewBackward0."""
    new = _node_class(name)()
    new.next_functions = ()
    return new


class CreationMeta(Enum):
    """torch's CreationMeta: the origin of a view, and the end of the message for a write to it."""

    DEFAULT = ""
    NO_GRAD = (
        " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify"
        " your code by moving both the view and the inplace either both inside the no_grad block"
        " (if you don't want the inplace to be tracked) or both outside (if you want the inplace"
        " to be tracked)."
    )
    INFERENCE = (
        " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify"
        " your code by moving both the view and the inplace either both inside the inference_mode"
        " block (if you don't want the inplace to be tracked) or both outside (if you want the"
        " inplace to be tracked)."
    )
    MULTIPLE = (
        " This view is the output of a function that returns multiple views. Such functions do not"
        " allow the output views to be modified inplace. You should replace the inplace operation"
        " by an out-of-place one."
    )


_REGENERATED = "AsStridedBackward0"

_NO_HOOK = (
    "out != nullptr INTERNAL ASSERT FAILED at"
    ' "/__w/pytorch/pytorch/torch/csrc/autograd/variable.cpp":207,'
    " please report a bug to PyTorch. "
)
_NO_FUNCTION = (
    'new_fn INTERNAL ASSERT FAILED at "/__w/pytorch/pytorch/torch/csrc/autograd/variable.cpp":198,'
    " please report a bug to PyTorch. "
)


class AutogradMeta:
    """The autograd metadata of a tensor; class attributes are the defaults."""

    requires_grad = False
    """The flag set by requires_grad_(); a tensor with a ``grad_fn`` requires a gradient, too."""
    grad_fn: Node | None = None
    output_nr = 0
    retains_grad = False
    has_lost_hook = False
    """Whether the retain_grad hook preceded an in-place view operation."""
    creation_meta = CreationMeta.DEFAULT
    regenerated_grad_fn = _REGENERATED
    """The name of the grad_fn of a view after a write to its base."""
    check_base: Callable[[Any], Any] | None = None
    """The check of the base before the view is regenerated; raises if its strides do not fit."""


class VersionCounter:
    """The number of in-place writes to shared memory; None if untracked."""

    __slots__ = ("is_inference", "version")

    def __init__(self, version: int | None, is_inference: bool = False) -> None:
        self.version = version
        self.is_inference = is_inference


INFERENCE_VERSION_COUNTER = VersionCounter(None, is_inference=True)
"""The version counter of all inference tensors."""


# Version counters


def version_counter(tensor: Any) -> VersionCounter:
    """Return the version counter of a tensor, for sharing."""
    root = tensor if tensor._base is None else tensor._base
    if root._version_counter is None:
        root._version_counter = VersionCounter(0)
    counter: VersionCounter = root._version_counter
    return counter


def version(tensor: Any) -> int:
    """Return the version of a tensor; raise for an inference tensor."""
    base = tensor._base
    counter: VersionCounter | None = (tensor if base is None else base)._version_counter
    if counter is None:
        return 0
    if counter.version is None:
        raise RuntimeError("Inference tensors do not track version counter.")
    return counter.version


def is_inference(tensor: Any) -> bool:
    """Return whether a tensor is an inference tensor."""
    return tensor._version_counter is not None and tensor._version_counter.is_inference


def bump_version(tensor: Any) -> None:
    """Increment the version, which torch does after the write."""
    base = tensor._base
    root = tensor if base is None else base
    counter = root._version_counter
    if counter is None:
        root._version_counter = VersionCounter(1)
    elif counter.version is not None:
        counter.version += 1
    else:
        if not inference_enabled():
            raise RuntimeError(
                "Inplace update to inference tensor outside InferenceMode is not allowed.You can"
                " make a clone to get a normal tensor before doing inplace update.See"
                " https://github.com/pytorch/rfcs/pull/17 for more details."
            )


# requires_grad and grad_fn


def requires_grad(tensor: Any) -> bool:
    """Return whether a tensor or its base requires a gradient."""
    meta, base = tensor._autograd_meta, tensor._base
    if meta is not None and (meta.requires_grad or meta.grad_fn is not None):
        return True
    return base is not None and requires_grad(base)


def grad_fn(tensor: Any) -> Node | None:
    """Return the grad_fn, which is regenerated for a view with a modified base."""
    meta, base = tensor._autograd_meta, tensor._base
    fn: Node | None = None if meta is None else meta.grad_fn
    if base is None or (fn is None and not requires_grad(base)):
        return fn
    if tensor._view_version != version(base):
        error = view_rebase_error(tensor, "its base or another view of its base has been")
        if error is not None:
            raise RuntimeError(error)
        meta = materialize_autograd_meta(tensor)
        if meta.regenerated_grad_fn != _REGENERATED and not requires_grad(base):
            # Replayed on a base that requires no gradient, the view function records no grad_fn.
            meta.grad_fn = None
            raise RuntimeError(_NO_FUNCTION)
        if meta.check_base is not None:
            meta.check_base(base)
        fn, tensor._view_version = node(meta.regenerated_grad_fn), version(base)
        set_grad_fn(meta, fn)
    return fn


def is_leaf(tensor: Any) -> bool:
    """Return whether a tensor has no grad_fn."""
    return grad_fn(tensor) is None


def is_effective_leaf(tensor: Any) -> bool:
    """Return whether no grad_fn is recorded; torch's own checks do not regenerate it."""
    return tensor._autograd_meta is None or tensor._autograd_meta.grad_fn is None


def materialize_autograd_meta(tensor: Any) -> AutogradMeta:
    """Return the autograd metadata of a tensor; create it if there is none."""
    if tensor._autograd_meta is None:
        tensor._autograd_meta = AutogradMeta()
    meta: AutogradMeta = tensor._autograd_meta
    return meta


def set_grad_fn(meta: AutogradMeta, fn: Node) -> None:
    """Set the grad_fn, and move the retain_grad hook to it."""
    meta.grad_fn, meta.output_nr = fn, 0
    check_hook(meta)


def check_hook(meta: AutogradMeta) -> None:
    """Raise if the retain_grad hook cannot be moved to a new grad_fn."""
    check(not meta.has_lost_hook, lambda: _NO_HOOK)


def is_differentiable(tensor: Any) -> bool:
    """Return whether tensors of the dtype can require gradients."""
    dtype = tensor._dtype
    return dtype.is_floating_point or dtype.is_complex  # type: ignore[no-any-return]


def view_rebase_error(view: Any, modified_obj: str) -> str | None:
    """Return the error of an in-place operation on a view, or None (handle_view_on_rebase)."""
    meta = view._autograd_meta
    if meta is None or meta.creation_meta is CreationMeta.DEFAULT:
        return None
    creation, fn = meta.creation_meta, meta.grad_fn
    start = "A view was"
    if fn is not None:
        operator = fn.name().replace("Backward0", "").replace("Backward", "")
        start = f"Output {meta.output_nr} of {operator} is a view"
        if creation is CreationMeta.MULTIPLE:
            return f"{start} and {modified_obj} modified inplace.{creation.value}"
        start += " of a view which was"
    mode, end = "no_grad mode", "with grad mode enabled."
    if creation is CreationMeta.INFERENCE:
        mode, end = "inference mode", "in normal mode."
    return f"{start} created in {mode} and {modified_obj} modified inplace {end}{creation.value}"
