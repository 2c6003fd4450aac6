"""The requires_grad flag of results, and autograd's checks of out= tensors."""

from collections.abc import Callable
from typing import Any

from .._autograd.autograd_meta import bump_version, is_differentiable, requires_grad
from .._autograd.tracking import inplace_error, is_tracked, record_inplace
from .._devices.device import device
from .._dtypes.table import as_dtype, dtype, spec_of
from .._geometry.layout import layout, sparse_coo
from .._runtime.grad_modes import grad_enabled
from .sparse_missing import could_not_run, sparse_backend
from .tensor import Tensor, set_requires_grad


def set_requires_grad_if(tensor: Tensor, wanted: Any) -> Tensor:
    """Set requires_grad of a new tensor if wanted; raise if its dtype is not differentiable."""
    if not wanted:
        return tensor
    if not is_differentiable(tensor):
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    return set_requires_grad(tensor, True)


def check_resizable(tensor: Tensor, *others: Tensor) -> None:
    """Raise if autograd tracks a tensor that is to be resized and requires a gradient."""
    if is_tracked(tensor, *others) and requires_grad(tensor):
        raise RuntimeError("cannot resize variables that require grad")


def check_no_grad_out(name: str, *tensors: Tensor) -> None:
    """Raise if a tensor requires a gradient, for an out= function that autograd supports."""
    check_no_out(name, not is_tracked(*tensors) or not any(map(requires_grad, tensors)))


GradientCheck = Callable[[tuple[Any, ...], Any], None]
"""A function that takes the operands and ``out``, and raises if autograd does not support them."""


def gradient_check(name: str, *, of: slice = slice(None), outs: int = 1) -> GradientCheck:
    """Return `check_no_grad_out` for a part of the operands and the first ``outs`` results."""

    def check(operands: tuple[Any, ...], out: Any) -> None:
        targets = out[:outs] if isinstance(out, tuple) else (out,)
        given = (*operands[of], *targets)
        check_no_grad_out(name, *[x for x in given if isinstance(x, Tensor)])

    return check


def with_gradient_check(run: Callable[..., Any], check: GradientCheck) -> Callable[..., Any]:
    """Return an out= function after it got the check that it runs first as an attribute."""
    run.check_gradients = check  # type: ignore[attr-defined]
    return run


def gradient_check_of(run: Callable[..., Any]) -> GradientCheck | None:
    """Return the check that an out= function runs first, if autograd supports the function."""
    return getattr(run, "check_gradients", None)


def check_no_complex_gradient(name: str, dtype: dtype, *tensors: Tensor) -> None:
    """Raise if a complex result would require a gradient, for operators without a complex one."""
    if dtype.is_complex and grad_enabled() and any(map(requires_grad, tensors)):
        raise _no_complex_gradient(name)


def check_no_complex_result(name: str, result: Tensor) -> None:
    """Raise if a complex result requires a gradient, for an operator without a complex one."""
    if result._dtype.is_complex and requires_grad(result):
        raise _no_complex_gradient(name)


def _no_complex_gradient(name: str) -> RuntimeError:
    return RuntimeError(
        f"{name} does not support automatic differentiation for outputs with complex dtype."
    )


def set_out_requires_grad(out: Tensor, wanted: Any) -> Tensor:
    """Set requires_grad of an out= tensor, and return the tensor."""
    return set_requires_grad_if(out, True) if wanted else set_requires_grad(out, False)


def check_no_leaf(name: str, out: Tensor, *sources: Tensor) -> None:
    """Raise if ``out`` cannot be written in-place, for a function that autograd does not support.

    From torch/csrc/autograd/autograd_not_implemented_fallback.cpp. No factory in
    `_DENSE_KERNELS` has a sparse kernel.
    """
    check_no_out(name, inplace_error(out, *sources) is None)
    if name in _DENSE_KERNELS:
        check_no_sparse_out(_DENSE_KERNELS[name], out)


def check_no_sparse_out(kernel: str, out: Tensor) -> None:
    """Raise if an out= tensor is sparse, for which torch has no such kernel."""
    if out._geometry.is_sparse:
        raise could_not_run(kernel, sparse_backend(out._geometry.device))


_DENSE_KERNELS = {
    "aten::arange": "arange.start_out", "aten::linspace": "linspace.out",
    "aten::logspace": "logspace.out", "aten::range": "range.out", "aten::rand": "resize_",
    "aten::randn": "resize_", "aten::randint": "resize_", "aten::normal": "resize_",
    "aten::randperm": "randperm.generator_out",
}  # fmt: skip
"""The kernel that a factory with out= calls first."""


def check_no_out(name: str, condition: bool) -> None:
    """Raise for an out= tensor in grad mode if a condition is false."""
    if not condition and grad_enabled():
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation,"
            " but one of the arguments requires grad."
        )


def record_out(out: Tensor, wanted: Any, sources: tuple[Tensor, ...] = ()) -> Tensor:
    """Record the write to an out= tensor, set its requires_grad flag, and return it."""
    if is_differentiable(out):
        record_inplace(out, sources, "NotImplemented")
    else:
        bump_version(out)
    return set_out_requires_grad(out, wanted)


def _cpp_name(layout: layout) -> str:
    """Return the name of a layout in C++ (c10/core/Layout.h)."""
    return "Sparse" if layout is sparse_coo else str(layout)[6:].title().replace("_", "")


def check_out(out: Tensor, dtype: Any, layout: layout | None, device: device | None) -> None:
    """Raise if the dtype, layout or device of an out= tensor differs from the arguments."""
    if dtype is not None and as_dtype(dtype) is not out._dtype:
        raise RuntimeError(
            f"dtype {spec_of(as_dtype(dtype)).cpp_name} does not match dtype of out parameter"
            f" ({spec_of(out._dtype).cpp_name})"
        )
    if layout is not None and layout is not out.layout:
        raise RuntimeError(
            f"layout {_cpp_name(layout)} does not match layout of out parameter"
            f" ({_cpp_name(out.layout)})"
        )
    if device is not None and device.type != out.device.type:
        raise RuntimeError(
            f"device type {device.type} does not match device type of out parameter"
            f" ({out.device.type})"
        )
