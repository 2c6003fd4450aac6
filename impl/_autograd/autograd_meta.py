"""What tensors carry of torch's autograd: histories, versions, and the rules for views and writes.

There is no backward pass.  A tensor has three things of autograd, each None
as long as there is nothing to say:

- ``_base``: the tensor that it is a view of, which is no view itself;
- ``_autograd_meta``: whether a gradient is required, and what it came from;
- ``_version_counter``: how often it was written to in place.  Views have that of
  their base; what detach() returns shares that of the original.

A view keeps in ``_view_version`` the version that its history is of.  When its base,
or another view of it, has been written to since, it came from something else:
that is found out when somebody asks (VariableHooks::grad_fn in
torch/csrc/autograd/variable.cpp).
"""

from collections.abc import Callable
from enum import Enum
from functools import cache
from typing import Any

from .._runtime.errors import check
from .._runtime.grad_modes import inference_enabled

# What tensors carry.


class Node:
    """What a tensor came from: the function whose backward pass torch would run."""

    __slots__ = ("next_functions",)

    next_functions: tuple[Any, ...]

    def name(self) -> str:
        """Return the name of the function; those that torch wrote by hand have their namespace."""
        name = type(self).__name__
        return f"torch::autograd::{name}" if name in ("CopyBackwards", "CopySlices") else name

    @property
    def metadata(self) -> dict[Any, Any]:
        """What users keep with the function: nothing here."""
        return {}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {hex(id(self))}>"


@cache
def _node_class(name: str) -> type[Node]:
    return type(name, (Node,), {"__slots__": ()})


def node(name: str) -> Node:
    """Make the node of a function, such as ViewBackward0."""
    new = _node_class(name)()
    new.next_functions = ()
    return new


class CreationMeta(Enum):
    """How a view was made, and so what is said if it is written to (CreationMeta)."""

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
    'out != nullptr INTERNAL ASSERT FAILED at "/__w/pytorch/pytorch/torch/csrc/autograd/variable.cpp":207,'
    " please report a bug to PyTorch. "
)
_NO_FUNCTION = (
    'new_fn INTERNAL ASSERT FAILED at "/__w/pytorch/pytorch/torch/csrc/autograd/variable.cpp":198,'
    " please report a bug to PyTorch. "
)


class AutogradMeta:
    """What autograd knows of one tensor.  What it does not set is as said here."""

    is_required = False
    """Whether a gradient was asked for; one is required, too, if there is a ``grad_fn``."""
    grad_fn: Node | None = None
    output_nr = 0
    retains_grad = False
    has_lost_hook = False
    """Whether the gradient was to be retained before the tensor became a view of itself."""
    creation_meta = CreationMeta.DEFAULT
    regenerated_grad_fn = _REGENERATED
    """What a view came from after its base was written to."""
    refuse_base: Callable[[Any], Any] | None = None
    """What may refuse to make the view anew of its base, which may have got other strides."""


class VersionCounter:
    """How often tensors of the same memory were written to; None if that is not counted."""

    __slots__ = ("is_inference", "writes")

    def __init__(self, writes: int | None, is_inference: bool = False) -> None:
        self.writes = writes
        self.is_inference = is_inference


UNTRACKED = VersionCounter(None, is_inference=True)
"""The counter of all tensors made in inference mode: they count nothing."""


# Versions.


def version_counter(tensor: Any) -> VersionCounter:
    """Return the counter of a tensor, to be shared."""
    root = tensor if tensor._base is None else tensor._base
    if root._version_counter is None:
        root._version_counter = VersionCounter(0)
    counter: VersionCounter = root._version_counter
    return counter


def version(tensor: Any) -> int:
    """Return how often a tensor was written to in place."""
    base = tensor._base
    counter: VersionCounter | None = (tensor if base is None else base)._version_counter
    if counter is None:
        return 0
    check(counter.writes is not None, lambda: "Inference tensors do not track version counter.")
    assert counter.writes is not None
    return counter.writes


def is_inference(tensor: Any) -> bool:
    """Tell whether a tensor was made in inference mode."""
    return tensor._version_counter is not None and tensor._version_counter.is_inference


def count_write(tensor: Any) -> None:
    """Count a write, which torch does after it has written."""
    base = tensor._base
    root = tensor if base is None else base
    counter = root._version_counter
    if counter is None:
        root._version_counter = VersionCounter(1)
    elif counter.writes is not None:
        counter.writes += 1
    else:
        check(
            inference_enabled(),
            lambda: (
                "Inplace update to inference tensor outside InferenceMode is not allowed.You can"
                " make a clone to get a normal tensor before doing inplace update.See"
                " https://github.com/pytorch/rfcs/pull/17 for more details."
            ),
        )


# Histories.


def requires_grad(tensor: Any) -> bool:
    """Tell whether a gradient is required of a tensor; of a view it is if it is of its base."""
    history, base = tensor._autograd_meta, tensor._base
    if history is not None and (history.is_required or history.grad_fn is not None):
        return True
    return base is not None and requires_grad(base)


def grad_fn(tensor: Any) -> Node | None:
    """Return what a tensor came from; find it anew for a view whose base was written to."""
    history, base = tensor._autograd_meta, tensor._base
    known: Node | None = None if history is None else history.grad_fn
    if base is None or (known is None and not requires_grad(base)):
        return known
    if tensor._view_version != version(base):
        check_may_change(tensor, "its base or another view of its base has been")
        history = own_history(tensor)
        if history.regenerated_grad_fn != _REGENERATED and not requires_grad(base):
            # The function is called again, with a base that gives it no history.
            history.grad_fn = None
            raise RuntimeError(_NO_FUNCTION)
        if history.refuse_base is not None:
            history.refuse_base(base)
        known, tensor._view_version = node(history.regenerated_grad_fn), version(base)
        set_grad_fn(history, known)
    return known


def is_leaf(tensor: Any) -> bool:
    """Tell whether no operation that autograd records made the tensor."""
    return grad_fn(tensor) is None


def is_effective_leaf(tensor: Any) -> bool:
    """Tell whether a tensor has no ``grad_fn``, as far as it is known: what torch's own checks look at."""
    return tensor._autograd_meta is None or tensor._autograd_meta.grad_fn is None


def own_history(tensor: Any) -> AutogradMeta:
    """Return the history of a tensor, which gets one if it has none."""
    if tensor._autograd_meta is None:
        tensor._autograd_meta = AutogradMeta()
    history: AutogradMeta = tensor._autograd_meta
    return history


def set_required(tensor: Any, value: bool) -> None:
    """Mark a tensor as requiring a gradient or not."""
    if value:
        check(
            not is_inference(tensor) or inference_enabled(),
            lambda: (
                "Setting requires_grad=True on inference tensor outside InferenceMode is not"
                " allowed."
            ),
        )
        own_history(tensor).is_required = True
    elif tensor._autograd_meta is not None:
        tensor._autograd_meta.is_required = False


def set_grad_fn(history: AutogradMeta, made: Node) -> None:
    """Set what a tensor came from, then move the hook that retains the gradient."""
    history.grad_fn, history.output_nr = made, 0
    check_hook(history)


def check_hook(history: AutogradMeta) -> None:
    """Refuse to move the hook that retains a gradient if it was left behind."""
    check(not history.has_lost_hook, lambda: _NO_HOOK)


def is_differentiable(tensor: Any) -> bool:
    """Tell whether elements of the dtype can have gradients."""
    dtype = tensor._dtype
    return dtype.is_floating_point or dtype.is_complex  # type: ignore[no-any-return]


def check_may_change(view: Any, what_is: str) -> None:
    """Refuse to change a view of which the history would not be known (handle_view_on_rebase)."""
    history = view._autograd_meta
    if history is None or history.creation_meta is CreationMeta.DEFAULT:
        return
    creation, made = history.creation_meta, history.grad_fn
    output = "" if made is None else f"Output {history.output_nr} of {_operator(made)} is a view"
    if creation is not CreationMeta.MULTIPLE or made is None:
        start = (
            "A view was created in" if made is None else f"{output} of a view which was created in"
        )
        mode, end = "no_grad mode", "with grad mode enabled."
        if creation is CreationMeta.INFERENCE:
            mode, end = "inference mode", "in normal mode."
        message = f"{start} {mode} and {what_is} modified inplace {end}"
    else:
        message = f"{output} and {what_is} modified inplace."
    raise RuntimeError(message + creation.value)


def _operator(made: Node) -> str:
    """Return what torch's C++ calls a node."""
    return made.name().replace("Backward0", "").replace("Backward", "")
