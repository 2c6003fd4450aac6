"""Operators with tensors on meta, which follow torch's references in Python.

They are in torch/_meta_registrations.py, torch/_prims_common/wrappers.py and torch/_refs.
A reference has no kernel, so it rejects no dtype that promotes. Some in-place operators return the
target after a check of shapes, whatever the devices are.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from ..._argparser.types import is_integral_dtype
from ..._arrays.opaque_dtypes import is_opaque
from ..._autograd.autograd_meta import bump_version
from ..._devices.device import CPU, META, device
from ..._dtypes.constants import BOOL, COMPLEX32, UINT64
from ..._dtypes.default_dtype import get_default_dtype
from ..._dtypes.scalars import scalar_dtype
from ..._dtypes.table import DTYPES, dtype
from ..._geometry.broadcasting import broadcast_shapes
from ..._geometry.extents import Layout
from ..._geometry.geometry import Geometry
from ..._geometry.size import Size
from ..._kernels.elementwise import OPMATH_DTYPE
from ..._numerics.promotion import can_cast
from ..._numerics.python_types import can_store
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import NotDense, check
from ..._runtime.lazy_exports import PUBLIC
from ..._runtime.warnings import is_python_frame
from ..._tensor.allocation import (
    empty_tensor,
    empty_with,
    resize_output,
    resize_wrapped_out,
    warn_complex32,
)
from ..._tensor.sparse_missing import could_not_run
from ..._tensor.tensor import Tensor
from ..._tensor.views import record_grad_fn
from .clone import like_geometry
from .copy import copy_into, to_dtype
from .device_checks import check_out_device_for_write, common_device
from .memory_overlap import check_copy_overlap
from .reference_dtypes import reference_dtype


def is_on_meta(*operands: Any) -> bool:
    """Return whether an operand is a tensor on meta; raise NotDense if that is sparse."""
    found = False
    for operand in operands:
        if isinstance(operand, Tensor) and operand._geometry.device is META:
            if operand._geometry.is_sparse:
                raise NotDense
            found = True
    return found


def reference_shape(*operands: Any) -> tuple[int, ...]:
    """Return the broadcast shape of the tensors among operands, with the references' error."""
    return broadcast_shapes(*[Size(x._geometry.shape) for x in operands if isinstance(x, Tensor)])


def _reference_shape_of(name: str, operands: tuple[Any, ...], common: dtype) -> tuple[int, ...]:
    """Return the broadcast shape of a reference's operands; raise if it rejects them."""
    tensors = [x for x in operands if isinstance(x, Tensor)]
    shape = reference_shape(*(tensors[:2] if name == "clamp" else tensors))
    for tensor in tensors[2:] if name == "clamp" else ():
        shape = broadcast_shapes(Size(shape), Size(tensor._geometry.shape))
    _check_dtype(name, common)
    check(
        name not in ("sub", "rsub") or common is not BOOL or len(tensors) < 2,
        lambda: NO_BOOL_DIFFERENCE,
    )
    return shape


SAME_CHECKS = frozenset({"neg", "deg2rad", "rad2deg"})
"""The operators that reject the same dtypes in their references."""


def _check_dtype(name: str, common: dtype) -> None:
    """Raise if a reference rejects the common dtype."""
    if name in ("isneginf", "isposinf"):
        check_infinities(name, common)
    check(
        name != "logaddexp2" or not common.is_complex,
        lambda: "logaddexp2 doesn't support complex dtypes",
    )


def check_infinities(name: str, common: dtype) -> None:
    """Raise if a dtype is complex, for a reference that looks for infinities of one sign."""
    check(
        not common.is_complex,
        lambda: (
            f"Complex dtype is not supported for {name}, got dtype"
            f" {OPMATH_DTYPE.get(common, common)}"
        ),
    )


def with_int64_numbers(operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return operands with integers within int64: references take all of them for int64."""
    is_beyond = [type(x) is int and scalar_dtype(x) is UINT64 for x in operands]
    return tuple([1 if beyond else x for x, beyond in zip(operands, is_beyond, strict=True)])


def _is_cpu_number(tensor: Tensor) -> bool:
    """Return whether references leave a tensor as it is when they broadcast operands."""
    return tensor._geometry.device is CPU and not tensor._geometry.rank


def reference_layouts(
    operands: tuple[Any, ...], inputs: tuple[Layout, ...]
) -> tuple[Layout | None, ...]:
    """Return the layouts of operands, with None for each that counts as a number."""
    return tuple(
        [
            layout if isinstance(operand, Tensor) and not _is_cpu_number(operand) else None
            for operand, layout in zip(operands, inputs, strict=True)
        ]
    )


NO_BOOL_DIFFERENCE = (
    "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or"
    " `logical_xor()` operator instead."
)


def check_meta_shape(target: Tensor, *others: Any) -> None:
    """Raise if the broadcast shape is not that of the target (check_inplace_broadcast)."""
    shape = target._geometry.shape
    broadcast = reference_shape(target, *others)
    check(
        broadcast == shape,
        lambda: f"output with shape {Size(shape)} doesn't match the broadcast shape {broadcast}",
    )


def converted_on_meta(tensor: Tensor, dtype: dtype, *, warns: bool = False) -> Tensor:
    """Return a tensor with the geometry of an operand that a reference converts, and no elements.

    With ``warns``, the reference makes this tensor.
    """
    if tensor._dtype is dtype:
        return tensor
    if warns:
        warn_of_result(dtype)
    geometry = like_geometry(tensor, None, dtype)
    return record_grad_fn(empty_with(geometry, dtype, warns=False), (tensor,), "ToCopyBackward0")


def promoted_on_meta(*operands: Tensor) -> tuple[Tensor, ...]:
    """Return the operands, on meta in their common dtype, to which references convert them."""
    if not is_on_meta(*operands):
        return operands
    common = reference_dtype(operands)
    return tuple([converted_on_meta(x, common, warns=True) for x in operands])


def masked_on_meta(tensor: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Return a tensor with 0 where a mask of a shape is False (mask_tensor in _prims_common)."""
    mask = empty_tensor(shape, BOOL, META)
    if tensor._dtype is BOOL:
        return PUBLIC["logical_and"](mask, tensor)  # type: ignore[no-any-return]
    return PUBLIC["where"](mask, tensor, 0)  # type: ignore[no-any-return]


@is_python_frame
def in_reference(function: Callable[..., Any], *args: Any) -> Any:
    """Call a function whose warnings show a line of this library, as those of torch's reference."""
    return function(*args)


def warn_of_result(dtype: dtype) -> None:
    """Warn of complex32 if a reference makes a tensor of the dtype."""
    if dtype is COMPLEX32:
        warn_complex32(by_reference=True)


def into_meta(name: str, out: Tensor, result: Geometry, dtype: dtype) -> Tensor:
    """Return ``out``, resized; raise if the result cannot be copied to it (out_wrapper)."""
    shape, device = result.shape, result.device
    if device is META and (number := out.__dict__.get(NUMBER)) is not None:
        raise AssertionError(f"out must be TensorLike, got {type(number)}")
    resize_wrapped_out(out, shape)
    if device is not CPU or shape:
        check_out_device_for_write(out, device)
    check(
        name not in _EXACT_DTYPES or dtype is out._dtype,
        lambda: f"Expected out tensor to have dtype {dtype} but got {out._dtype} instead",
    )
    if name == "normal":  # which draws in the dtype of ``out``
        dtype = out._dtype
    check(
        name in _EXACT_DTYPES or can_store(dtype, out._dtype),
        lambda: (
            f"Attempting to cast from {dtype} to out tensor with dtype {out._dtype}, but this can't"
            " be cast because it is not safe!"
        ),
    )
    return out


def write_reference(name: str, out: Tensor, result: Tensor) -> Tensor:
    """Write the result of a reference to ``out``, which is on the same device, and return it."""
    into_meta(name, out, result._geometry, result._dtype)
    check_copy_overlap(out, result)
    copy_into(out, result)
    bump_version(out)
    return out


@is_python_frame
def resize_output_on_meta(tensor: Tensor, out: Tensor) -> None:
    """Resize ``out`` to the shape of a tensor (the operator _resize_output_)."""
    if out._geometry.device is not META:
        raise could_not_run("_resize_output_", "CPU")
    check(
        tensor._geometry.device is META,
        lambda: "out Tensor doesn't have the correct device set",
    )
    resize_output(out, tensor._geometry.shape)


NUMBER = "_number"
"""The attribute of a tensor for ``out`` that was made of a number: the number."""

_EXACT_DTYPES = frozenset(
    {
        "abs", "addbmm", "addmm", "addmv", "alias_copy", "as_strided_copy", "baddbmm", "bmm",
        "ceil", "diagonal_copy", "dot", "expand_copy", "floor", "frac", "isneginf", "isposinf",
        "linalg_vector_norm", "log_softmax", "mm", "mv", "narrow_copy", "permute_copy", "polar",
        "sgn", "sign", "signbit", "split_with_sizes_copy", "squeeze_copy", "t_copy",
        "transpose_copy", "trunc",
        "unbind_copy", "unsqueeze_copy", "vdot", "view_copy", "where",
    }
)  # fmt: skip


def _dtype_of(operand: Any) -> dtype:
    return operand._dtype if isinstance(operand, Tensor) else scalar_dtype(operand)


def check_sum(target: Tensor, other: Any) -> None:
    """Raise if a sum would have another dtype (meta_binop_inplace_alpha)."""
    to, dtype = target._dtype, _dtype_of(other)
    check(
        not (is_integral_dtype(to, or_bool=False) and dtype.is_floating_point),
        lambda: (
            "Promotion of int.add/sub_(float) in in-place ops are not possible due to element size"
            " change."
        ),
    )
    check(
        to is not BOOL or dtype is BOOL,
        lambda: (
            "Promotion of bool.add/sub_(others) in in-place ops are not possible due to element"
            " size change."
        ),
    )


def check_quotient(target: Tensor, other: Any) -> None:
    """Raise if a quotient cannot be cast to the target's dtype (meta_div_inplace)."""
    result = reference_dtype((target, other))
    if is_integral_dtype(result, or_bool=True):
        result = get_default_dtype()
    check(
        can_cast(result, target._dtype),
        lambda: f"result type {result} can't be cast to the desired output type {target._dtype}",
    )


def check_nothing(target: Tensor, *others: Any) -> None:
    """Accept all dtypes (meta_binop_inplace, meta_relu_)."""


def _reference_device(kernel: str, operands: tuple[Any, ...], common: dtype) -> device:
    """Return the device of a reference's result; raise if operands are on several devices."""
    tensors = [x for x in operands if isinstance(x, Tensor)]
    if kernel in _DIVISIONS and len(tensors) > 1:
        dividend, divisor = (tensor._geometry.device for tensor in tensors)
        check(
            dividend is divisor or (kernel == "div_floor_cpu" and dividend is not CPU),
            lambda: (
                f"Expected divisor (b) to be on the same device ({dividend}) as dividend (a), but"
                f" it is found on {divisor}!"
            ),
        )
        _check_floor(kernel, common)
        return dividend  # to which the divisor is copied
    _check_floor(kernel, common)
    if kernel.startswith("logaddexp") and type(tensors[0]) in type(tensors[-1]).__mro__[1:]:
        tensors.reverse()  # Python compares with the method of the subclass
    return common_device(tensors)


class Step(NamedTuple):
    """An operator that is part of a reference, and has a kernel for tensors on the CPU.

    operands: the indices of its operands among those of the reference
    kernel: the kernel's name in torch's "not implemented for" error
    lacks: returns whether the kernel does not take a dtype
    """

    operands: tuple[int, ...]
    kernel: str
    lacks: Callable[[dtype], bool]


def _check_step(step: Step, operands: tuple[Any, ...], common: dtype) -> None:
    """Raise if the operands of a step are on the CPU and its kernel does not take the dtype."""
    used = [operands[index] for index in step.operands if index < len(operands)]
    on_cpu = any(isinstance(x, Tensor) for x in used) and not is_on_meta(*used)
    if on_cpu and step.lacks(common):
        raise_not_implemented(step.kernel, common)


def check_conversions(operands: Iterable[Any], common: dtype) -> None:
    """Raise if torch cannot convert a tensor on the CPU to the dtype of a result on meta."""
    if is_opaque(common):
        for operand in operands:
            if isinstance(operand, Tensor) and operand._geometry.device is CPU:
                to_dtype(operand, common, False, None)


def reference_plan(
    name: str, kernel: str, operands: tuple[Any, ...], common: dtype, step: Step | None
) -> tuple[tuple[int, ...], device]:
    """Return the shape and the device of a reference's result."""
    check_conversions(operands, common)
    shape = _reference_shape_of(name, operands, common)
    if step is not None:
        _check_step(step, operands, common)
    device = _reference_device(kernel, operands, common)
    _check_dtype_of_steps(name, common)
    return shape, device


_WITHOUT_ISFINITE = {DTYPES[f"float8_{name}"] for name in ("e4m3fn", "e4m3fnuz", "e5m2fnuz")}


def _check_dtype_of_steps(name: str, common: dtype) -> None:
    """Raise if a step of a reference rejects a dtype, on any device."""
    if name == "logaddexp" and common in _WITHOUT_ISFINITE:
        raise_not_implemented("isfinite", common)
    if common is not BOOL:
        return
    check(
        name not in ("frac", "logaddexp", "logaddexp2"),
        lambda: NO_BOOL_DIFFERENCE,  # the reference subtracts
    )
    check(
        name != "lcm",
        lambda: "Tensor with dtype torch.int64 is not the expected dtype of torch.bool!",
    )


def _check_floor(kernel: str, common: dtype) -> None:
    check(
        kernel != "div_floor_cpu" or not (common.is_complex or common is BOOL),
        lambda: f"{OPMATH_DTYPE.get(common, common)} not supported for floor_divide",
    )


_DIVISIONS = frozenset({"copysign_cpu", "div_floor_cpu"})
"""The kernels whose references compare the devices of both operands themselves."""

KEEPS_SHAPE = frozenset({"addcdiv", "addcmul", "lerp"})
"""The operators whose in-place form does not resize its target (_register_inplace_meta)."""
