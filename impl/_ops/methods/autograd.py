"""What users tell autograd of a tensor: to forget its history, to require or to keep a gradient."""

from collections.abc import Mapping
from functools import wraps
from typing import Any

from ..._autograd.autograd_meta import grad_fn, is_effective_leaf, own_history
from ..._autograd.tracking import is_seen
from ..._runtime.errors import check, takes_no_arguments
from ..._tensor.tensor import METHODS, Tensor, detached, set_requires_grad
from ..common.registration import Op, install


def _detach(tensor: Tensor) -> Tensor:
    """Tensor.detach(): the same memory without the history."""
    return detached(tensor)


def _detach_in_place(tensor: Tensor) -> Tensor:
    """Tensor.detach_(): forget the history, in place."""
    check(tensor._base is None or not is_seen(tensor), lambda: _CANNOT_DETACH)
    if tensor._autograd_meta is not None and is_seen(tensor):
        tensor._autograd_meta.is_required, tensor._autograd_meta.grad_fn = False, None
        tensor._autograd_meta.output_nr = 0
    return tensor


_CANNOT_DETACH = (
    "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel"
    " (DDP) for training, and gradient_as_bucket_view is set as True, gradients are views of DDP"
    " buckets, and hence detach_() cannot be called on these gradients. To fix this error, please"
    " refer to the Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution."
)


def _requires_grad_(tensor: Tensor, requires_grad: bool = True) -> Tensor:
    """Tensor.requires_grad_(requires_grad=True): set whether a gradient is required."""
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
    """Keep the gradient of a tensor that is no leaf, too."""
    check(
        self.requires_grad,
        lambda: "can't retain_grad on Tensor that has requires_grad=False",
    )
    if not is_effective_leaf(self):
        grad_fn(self)
        own_history(self).retains_grad = True


def _backward(
    self: Tensor,
    gradient: Any = None,
    retain_graph: Any = None,
    create_graph: Any = False,
    inputs: Any = None,
) -> None:
    """Tensor.backward(): not there, but what torch refuses is refused in its words."""
    _check_inputs(inputs)
    gradients = (gradient,)
    if gradient is not None and not isinstance(gradient, Tensor):
        gradients = tuple(gradient)
    for each in gradients[:1]:
        _check_gradient(self, each)
    check(
        len(gradients) == 1,
        lambda: f"got 1 tensors and {len(gradients)} gradients",
    )
    check(
        self.requires_grad,
        lambda: "element 0 of tensors does not require grad and does not have a grad_fn",
    )
    raise NotImplementedError("impl has no backward pass")


def _check_inputs(inputs: Any) -> None:
    """Refuse what are no inputs (torch/autograd/__init__.py)."""
    if inputs is None or isinstance(inputs, Tensor):
        return
    check(
        type(inputs) is dict or not isinstance(inputs, Mapping),
        lambda: (
            f"`inputs` argument to `backward()` must be a dict, not {type(inputs).__name__}. Other"
            " Mapping types are not supported."
        ),
        TypeError,
    )
    check((*inputs,), lambda: "`inputs` argument to `backward()` cannot be empty.")


def _check_gradient(tensor: Tensor, gradient: Any) -> None:
    """Refuse a gradient that does not fit a tensor, or none where one is needed (_make_grads there)."""
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
    check(
        isinstance(gradient, Tensor),
        lambda: f"gradients can be either Tensors or None, but got {type(gradient).__name__}",
        TypeError,
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


@wraps(_retain_grad)
def _retain_grad_method(self: Tensor, *args: Any, **keywords: Any) -> None:
    if args or keywords:
        takes_no_arguments("TensorBase.retain_grad", args, keywords)
    _retain_grad(self)


for _name, _method in (("retain_grad", _retain_grad_method), ("backward", _backward)):
    _method.__name__, _method.__qualname__ = _name, f"Tensor.{_name}"
    METHODS[_name] = _method

for _op in (
    Op("detach", {"": _detach}),
    Op("detach_", {"": _detach_in_place}),
    Op("requires_grad_", {"bool requires_grad=True": _requires_grad_}, function=False),
):
    install(_op)
