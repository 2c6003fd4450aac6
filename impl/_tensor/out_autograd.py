"""What functions do about their results: gradients that are asked for, and what is given as ``out``."""

from typing import Any

from .._autograd.autograd_meta import count_write, is_differentiable, requires_grad
from .._autograd.tracking import is_seen, obstacle, record_inplace
from .._devices.device import device
from .._dtypes.table import as_dtype, spec_of
from .._geometry.layout import layout, strided
from .._runtime.errors import check
from .._runtime.grad_modes import grad_enabled
from .tensor import Tensor, set_requires_grad


def require_grad_if(tensor: Tensor, wanted: Any) -> Tensor:
    """Mark a new tensor as requiring a gradient, if that is wanted and it can."""
    if wanted:
        check(
            is_differentiable(tensor),
            lambda: "Only Tensors of floating point and complex dtype can require gradients",
        )
        set_requires_grad(tensor, True)
    return tensor


def check_resizable(tensor: Tensor, *others: Tensor) -> None:
    """Refuse to resize a tensor that requires a gradient, to the size of another one."""
    check(
        not is_seen(tensor, *others) or not requires_grad(tensor),
        lambda: "cannot resize variables that require grad",
    )


def check_no_gradients(name: str, *tensors: Tensor) -> None:
    """Refuse all tensors that require a gradient, for a function with ``out`` that autograd knows."""
    check_no_out(name, not is_seen(*tensors) or not any(map(requires_grad, tensors)))


def asked(out: Tensor, wanted: Any) -> Tensor:
    """Mark a tensor given as ``out`` as requiring a gradient or not."""
    return require_grad_if(out, True) if wanted else set_requires_grad(out, False)


def check_no_leaf(name: str, out: Tensor, *sources: Tensor) -> None:
    """Refuse to write to ``out`` what cannot be written in place, for a function that autograd knows not.

    From torch/csrc/autograd/autograd_not_implemented_fallback.cpp.
    """
    check_no_out(name, obstacle(out, *sources) is None)


def check_no_out(name: str, condition: bool) -> None:
    """Refuse a tensor given as ``out`` unless a condition holds, in grad mode."""
    check(
        condition or not grad_enabled(),
        lambda: (
            f"{name}(): functions with out=... arguments don't support automatic differentiation,"
            " but one of the arguments requires grad."
        ),
    )


def returned(out: Tensor, wanted: Any, sources: tuple[Tensor, ...] = ()) -> Tensor:
    """Note what a written tensor came from, and whether it is to require a gradient."""
    if is_differentiable(out):
        record_inplace(out, sources, "NotImplemented")
    else:
        count_write(out)
    return asked(out, wanted)


def check_out(out: Tensor, kind: Any, layout: layout | None, device: device | None) -> None:
    """Refuse a tensor given as ``out`` that is not what is asked for."""
    if kind is not None:
        check(
            as_dtype(kind) is out._dtype,
            lambda: (
                f"dtype {spec_of(as_dtype(kind)).cpp_name} does not match dtype of out parameter"
                f" ({spec_of(out._dtype).cpp_name})"
            ),
        )
    check(
        layout in (None, strided),
        lambda: (
            f"layout {str(layout)[6:].title()} does not match layout of out parameter (Strided)"
        ),
    )
    check(
        device is None or device.type == out.device.type,
        lambda: (
            f"device type {device.type if device else ''} does not match device type of out"
            f" parameter ({out.device.type})"
        ),
    )
