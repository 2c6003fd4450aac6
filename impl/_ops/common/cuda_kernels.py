"""The check of CUDA kernels that all their tensors are on one device.

Torch generates it for each function without ``device_check: NoCheck`` in native_functions.yaml
(gen_device_check in torchgen/dest/register_dispatch_key.py).  A 0-dim CPU tensor does not pass it.
"""

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

from ..._autograd.tracking import check_inplace
from ..._devices.device import META
from ..._tensor.out_autograd import GradientCheck
from ..._tensor.sparse_missing import scatter_overload
from ..._tensor.tensor import Tensor

_WITHOUT_OUT = {
    "clamp": "self min max", "clamp_max": "self max", "clamp_min": "self min",
    "equal": "self other", "masked_scatter": "self mask source", "put": "self index source",
}  # fmt: skip
"""The parameters of kernels that are checked without ``out``; ``_`` stands for other parameters."""

_OF_TENSORS = {
    "gcd": "self other", "lcm": "self other", "logaddexp": "self other",
    "logaddexp2": "self other", "nextafter": "self other", "take": "self index",
    "index_copy": "self _ index source", "index_add": "self _ index source",
    "index_reduce": "self _ index source", "scatter": "self _ index src",
    "scatter_add": "self _ index src", "scatter_reduce": "self _ index src",
    "index_select": "self _ index", "gather": "self _ index", "masked_select": "self mask",
    "isin": "elements test_elements", "normal": "mean std", "linalg_cross": "self other",
}  # fmt: skip
"""The parameters of kernels that are checked with ``out``, too."""

_WITH_OUT = {
    "complex": "real imag", "polar": "abs angle",
    **dict.fromkeys(
        (
            "acosh", "amax", "amin", "argmax", "argmin", "asinh", "atanh", "conj_physical", "exp2",
            "frexp", "i0", "isneginf", "isposinf", "kthvalue", "logit", "median", "nan_to_num",
            "nanmedian", "nansum", "nonzero", "sgn", "signbit", "sinc", "sort", "topk", "tril",
            "triu",
        ),
        "self",
    ),
}  # fmt: skip
"""The parameters of kernels that are checked with ``out`` alone."""

_PARAMETERS = {**_WITHOUT_OUT, **_OF_TENSORS, **_WITH_OUT}

_OUTS = {
    "frexp": ("mantissa", "exponent"),
    **dict.fromkeys(("kthvalue", "median", "nanmedian", "sort", "topk"), ("values", "indices")),
}
"""The names of the results of kernels with two."""

_OVERLOADS = {
    "clamp": "Tensor", "clamp_max": "Tensor", "clamp_min": "Tensor",
    "frexp": "Tensor_out", "sort": "values_stable", "scatter_reduce": "two",
    "kthvalue": "values", "median": "dim_values", "nanmedian": "dim_values", "topk": "values",
}  # fmt: skip
_NUMBERS = {"isin": "Scalar", "normal": "float"}
"""The word for a number in the overloads of kernels that take one in the place of a tensor."""

_NAMED_OUT = frozenset({*_NUMBERS, "scatter", "scatter_reduce"})
"""The kernels whose overload with ``out`` is named after the one without."""

_UNSTRUCTURED = frozenset(
    {
        "complex", "conj_physical", "equal", "frexp", "index_select", "kthvalue", "logit",
        "masked_scatter", "masked_select", "median", "nan_to_num", "nanmedian", "nansum", "nonzero",
        "normal", "polar", "put", "take",
    }
)  # fmt: skip
"""The kernels whose generated name begins with the overload."""

_COMPOSED_OF = {
    "argsort": "sort", "arccosh": "acosh", "arcsinh": "asinh", "arctanh": "atanh",
    "clip": "clamp", "clip_": "clamp_",
    "put": "put_", "masked_scatter": "masked_scatter_", "nanmean": "nansum",
}  # fmt: skip
"""The operators that call the kernel of another one."""


def one_device_first(name: str, run: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function or method that first checks the devices, if its kernel does."""
    kernel = _COMPOSED_OF.get(name, name)
    if kernel.removesuffix("_") not in {*_WITHOUT_OUT, *_OF_TENSORS}:
        return run

    @wraps(run)
    def checked(*operands: Any, **keywords: Any) -> Any:
        if keywords:  # `check_out_kernel` is for ``out``
            return run(*operands, **keywords)
        device = None
        for operand in operands:
            if isinstance(operand, Tensor):
                if device is None:
                    device = operand._geometry.device
                elif operand._geometry.device is not device:
                    check_kernel(name, operands)
                    break
        return run(*operands)

    return checked


def check_kernel(name: str, operands: tuple[Any, ...]) -> None:
    """Raise if the kernel of a function or method has tensors on several devices."""
    kernel = _COMPOSED_OF.get(name, name)
    base = kernel.removesuffix("_")
    tensors = [*_named(base, operands)]
    if not _are_on_several(tensors):
        return
    if name.endswith("_"):
        check_inplace(*(tensor for _, tensor in tensors))
    raise _error(_generated_name(kernel, base, _overload(base, operands)), tensors)


def check_out_kernel(
    name: str, operands: tuple[Any, ...], out: Any, check_gradients: GradientCheck | None = None
) -> None:
    """Raise if the kernel of an out= function takes tensors on one device only, and has others.

    Autograd has checked the gradients before.
    """
    kernel = _COMPOSED_OF.get(name, name)
    if kernel not in _WITH_OUT and kernel not in _OF_TENSORS:
        return
    outs = out if isinstance(out, tuple) else (out,)
    if name == "argsort":  # the values are new, on the device of the first operand
        outs = operands[0], out
    tensors = [*zip(_OUTS.get(kernel, ("out",)), outs, strict=True), *_named(kernel, operands)]
    if not _are_on_several(tensors):
        return
    if check_gradients is not None:
        check_gradients(operands, out)
    overload = _overload(kernel, operands) + "_out" * (kernel in _NAMED_OUT)
    raise _error(_generated_name(f"{kernel}_out", kernel, overload or "out"), tensors)


def _generated_name(name: str, kernel: str, overload: str) -> str:
    """Return the name that torch generates for a kernel."""
    if kernel in _UNSTRUCTURED:
        return f"{overload}_{name}"
    return f"{name}_{overload}" if overload else name


def _named(kernel: str, operands: tuple[Any, ...]) -> Iterator[tuple[str, Tensor]]:
    """Yield the tensors among operands with the names of their parameters."""
    for parameter, operand in zip(_PARAMETERS[kernel].split(), operands, strict=False):
        if parameter != "_" and isinstance(operand, Tensor):
            yield parameter, operand


def _overload(kernel: str, operands: tuple[Any, ...]) -> str:
    if kernel == "scatter":
        return scatter_overload(operands)
    number = _NUMBERS.get(kernel)
    if number is None:
        return _OVERLOADS.get(kernel, "")
    return "_".join("Tensor" if isinstance(x, Tensor) else number for x in operands[:2])


def _are_on_several(tensors: list[tuple[str, Tensor]]) -> bool:
    """Return whether tensors are on several devices, of which none is meta."""
    devices = {tensor._geometry.device for _, tensor in tensors}
    return len(devices) > 1 and META not in devices


def _error(kernel: str, tensors: list[tuple[str, Tensor]]) -> RuntimeError:
    """Return the error for several devices (common_device_check_failure in core/adaption.cpp)."""
    common = tensors[0][1]._geometry.device
    name, device = next(
        (name, tensor._geometry.device)
        for name, tensor in tensors
        if tensor._geometry.device is not common
    )
    return RuntimeError(
        f"Expected all tensors to be on the same device, but got {name} is on {device}, different"
        f" from other tensors on {common} (when checking argument in method wrapper_CUDA_{kernel})"
    )


def check_cat(tensors: tuple[Tensor, ...], out: Tensor | None) -> None:
    """Raise if the tensors of ``cat`` and ``out`` are on several devices."""
    named = [("tensors", tensor) for tensor in tensors]
    if out is not None:
        named.insert(0, ("out", out))
    if _are_on_several(named):
        raise _error("cat" if out is None else "cat_out_out", named)
