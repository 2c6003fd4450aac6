"""Autograd methods: detach, detach_, requires_grad_, retain_grad and backward."""

from collections.abc import Mapping
from operator import index
from typing import Any

from ..._autograd.autograd_meta import grad_fn, is_effective_leaf, materialize_autograd_meta
from ..._autograd.tracking import is_tracked
from ..._dtypes.constants import COMPLEX32
from ..._runtime.errors import check
from ..._tensor.allocation import warn_complex32
from ..._tensor.tensor import METHODS, Tensor, set_requires_grad
from ..._tensor.views import detach
from ..common.registration import Op, register_operator


def _detach(tensor: Tensor) -> Tensor:
    """Tensor.detach(): a tensor over the same memory without a grad_fn."""
    if tensor._geometry.is_sparse and tensor._dtype is COMPLEX32:
        warn_complex32()
    return detach(tensor)


def _detach_in_place(tensor: Tensor) -> Tensor:
    """Tensor.detach_(): drop the grad_fn in place."""
    check(tensor._view_base is None or not is_tracked(tensor), lambda: _CANNOT_DETACH)
    meta = tensor._autograd_meta
    if meta is not None and is_tracked(tensor):
        meta.requires_grad, meta.grad_fn, meta.output_nr = False, None, 0
    return tensor


_CANNOT_DETACH = (
    "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel"
    " (DDP) for training, and gradient_as_bucket_view is set as True, gradients are views of DDP"
    " buckets, and hence detach_() cannot be called on these gradients. To fix this error, please"
    " refer to the Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution."
)


def _requires_grad_(tensor: Tensor, requires_grad: bool = True) -> Tensor:
    """Tensor.requires_grad_(requires_grad=True): set requires_grad in place."""
    check(
        requires_grad or is_effective_leaf(tensor),
        lambda: (
            "you can only change requires_grad flags of leaf variables. If you want to use a"
            " computed variable in a subgraph that doesn't require differentiation use"
            " var_no_grad = var.detach()."
        ),
    )
    check(
        not requires_grad or tensor._dtype.is_floating_point or tensor._dtype.is_complex,
        lambda: "only Tensors of floating point dtype can require gradients",
    )
    return set_requires_grad(tensor, requires_grad)


def _retain_grad(self: Tensor) -> None:
    """Tensor.retain_grad(): keep the gradient of a non-leaf tensor."""
    check(self.requires_grad, lambda: "can't retain_grad on Tensor that has requires_grad=False")
    if not is_effective_leaf(self):
        grad_fn(self)
        materialize_autograd_meta(self).retains_grad = True


def _backward(
    self: Tensor,
    gradient: Any = None,
    retain_graph: Any = None,
    create_graph: Any = False,
    inputs: Any = None,
) -> None:
    """Tensor.backward(): raise torch's error for invalid arguments, else NotImplementedError."""
    _check_inputs(inputs)
    is_single = gradient is None or isinstance(gradient, Tensor)
    gradients = (gradient,) if is_single else tuple(gradient)
    for first in gradients[:1]:
        _check_gradient(self, first)
    for flag in (create_graph if retain_graph is None else retain_graph, create_graph):
        index(flag)  # raises for other types
    check(gradients, lambda: "got 1 tensors and 0 gradients")
    check(
        self.requires_grad,
        lambda: "element 0 of tensors does not require grad and does not have a grad_fn",
    )
    raise NotImplementedError("impl has no backward pass")


def _check_inputs(inputs: Any) -> None:
    """Raise if ``inputs`` is invalid (torch/autograd/__init__.py)."""
    if inputs is None or isinstance(inputs, Tensor):
        return
    if type(inputs) is not dict and isinstance(inputs, Mapping):
        raise TypeError(
            f"`inputs` argument to `backward()` must be a dict, not {type(inputs).__name__}. Other"
            " Mapping types are not supported."
        )
    check(tuple(inputs), lambda: "`inputs` argument to `backward()` cannot be empty.")


def _check_gradient(tensor: Tensor, gradient: Any) -> None:
    """Raise if a gradient does not match a tensor, or if one is missing (_make_grads there)."""
    dtype, shape = tensor._dtype, tensor._geometry.shape
    if gradient is None:
        check(
            not tensor.requires_grad or tensor._geometry.numel == 1,
            lambda: "grad can be implicitly created only for scalar outputs",
        )
        check(
            not tensor.requires_grad or dtype.is_floating_point,
            lambda: f"grad can be implicitly created only for real scalar outputs but got {dtype}",
        )
        return
    if not isinstance(gradient, Tensor):
        raise TypeError(
            f"gradients can be either Tensors or None, but got {type(gradient).__name__}"
        )
    check(
        gradient._geometry.shape == shape,
        lambda: (
            f"Mismatch in shape: grad_output[0] has a shape of {gradient._geometry.shape} and"
            f" output[0] has a shape of {shape}."
        ),
    )
    check(
        gradient._dtype.is_complex == dtype.is_complex,
        lambda: (
            "For complex Tensors, both grad_output and output are required to have the same dtype."
            f" Mismatch in dtype: grad_output[0] has a dtype of {gradient._dtype} and output[0] has"
            f" a dtype of {dtype}."
        ),
    )


_backward.__name__, _backward.__qualname__ = "backward", "Tensor.backward"
METHODS["backward"] = _backward

for _op in (
    Op("detach", {"": _detach}),
    Op("detach_", {"": _detach_in_place}),
    Op(
        "requires_grad_",
        {"bool requires_grad=True": _requires_grad_},
        function=False,
        has_no_args_path=True,
    ),
    Op("retain_grad", {"": _retain_grad}, function=False),
):
    register_operator(_op)
