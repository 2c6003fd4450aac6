"""The rules for operands on several devices: only 0-dim CPU tensors mix with other devices."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..._devices.device import CPU, META, device
from ..._numerics.conj_neg import check_negatable
from ..._runtime.errors import check
from ..._tensor.out_autograd import GradientCheck
from ..._tensor.sparse_coo import is_sparse
from ..._tensor.tensor import Tensor


def common_device(tensors: Sequence[Tensor], *, allow_cpu_scalars: bool = True) -> device:
    """Return the common device of operands; raise if there is none.

    ``allow_cpu_scalars`` allows 0-dim CPU tensors beside tensors on another device.
    """
    devices = [tensor._geometry.device for tensor in tensors]
    if META in devices:
        return _common_with_meta(tensors, allow_cpu_scalars)
    common = next((other for other in devices if other is not CPU), CPU)
    for tensor in tensors:
        if not (allow_cpu_scalars and is_cpu_scalar(tensor)):
            check_on_device(tensor, common)
    return common


def is_cpu_scalar(tensor: Tensor) -> bool:
    """Return whether a tensor is a 0-dim one on the CPU."""
    return tensor._geometry.device is CPU and not tensor._geometry.rank


def check_cpu_scalars(
    tensors: tuple[Tensor, ...],
    device: device,
    check_one: Callable[[tuple[Tensor, ...], device], None] | None,
) -> None:
    """Raise for 0-dim CPU tensors that a kernel of another device does not take.

    ``check_one`` is the check of operands of which one is such a tensor.
    """
    scalars = sum(map(is_cpu_scalar, tensors))
    check_scalar_count(scalars)
    if scalars and check_one is not None:
        check_one(tensors, device)


def check_scalar_count(count: int) -> None:
    """Raise if there are several 0-dim CPU tensors and numbers beside another device."""
    check(count <= 1, lambda: "Trying to pass too many CPU scalars to non-CPU kernel!")


def check_on_device(tensor: Tensor, common: device) -> None:
    """Raise if a tensor is not on the common device of the operands."""
    own = tensor._geometry.device
    check(own is common, lambda: device_mismatch_message(common, own))


def device_mismatch_message(common: device, other: device) -> str:
    """Return torch's message for tensors on two devices (aten/src/ATen/TensorIterator.cpp)."""
    return (
        "Expected all tensors to be on the same device, but found at least two devices,"
        f" {common} and {other}!"
    )


def _common_with_meta(tensors: Sequence[Tensor], allow_cpu_scalars: bool) -> device:
    """Return the common device if one is meta (check_same_device in torch/_prims_common)."""
    common = None
    for tensor in tensors:
        device = tensor._geometry.device
        if allow_cpu_scalars and device is CPU and not tensor._geometry.rank:
            continue
        if common is None:
            common = device
        elif common is not device:
            raise RuntimeError(f"Tensor on device {device} is not on the expected device {common}!")
    return common or CPU


def check_out_device_for_write(out: Tensor, device: device) -> None:
    """Raise if ``out`` is not on the device of the computation."""
    dst = out._geometry.device
    if dst is device:
        return
    check(
        META in (dst, device),
        lambda: device_mismatch_message(*((dst, device) if device is CPU else (device, dst))),
    )
    raise RuntimeError(
        f"Attempting to copy from device {device} to device {dst}, but cross-device copies are not"
        " allowed!"
    )


_CHECK_OUT_LATER = frozenset(
    {
        "amax", "amin", "angle", "argmax", "argmin", "argsort", "complex", "cross", "cumprod",
        "cumsum", "detach_copy", "diag", "diff", "float_power", "gather", "ger", "histogram",
        "index_reduce", "inner", "inverse", "kron", "linalg_cholesky", "linalg_det", "linalg_inv",
        "linalg_matmul", "linalg_matrix_norm", "linalg_matrix_power", "linalg_matrix_rank",
        "linalg_multi_dot", "linalg_norm", "linalg_pinv", "linalg_solve", "linalg_svd",
        "linalg_svdvals",
        "linalg_vecdot",
        "masked_select", "matmul", "mean", "msort", "nanquantile", "outer", "polar", "prod",
        "quantile", "scatter", "scatter_add",
        "select_copy", "slice_copy", "sort", "split_copy", "split_with_sizes_copy", "sum",
        "take_along_dim", "tensordot", "topk", "view_as_complex_copy", "view_as_real_copy",
    }
)  # fmt: skip
"""The functions whose references have no `out_wrapper`, or that check something before."""


def check_copied_out(
    name: str, operands: tuple[Any, ...], out: Any, check_gradients: GradientCheck | None = None
) -> None:
    """Raise if ``out`` and the first operand are on two devices, of which one is meta.

    The references check that before anything else (out_wrapper in torch/_prims_common/wrappers.py),
    but after autograd has checked the gradients and the fallback has resolved the bits of operands.
    """
    first = operands[0]
    is_pair = isinstance(out, tuple) and name in ("max", "min")
    if not isinstance(first, Tensor) or name in _CHECK_OUT_LATER or is_pair:
        return
    device = first._geometry.device
    outs = out if isinstance(out, tuple) else (out,)
    for tensor in outs:
        if isinstance(tensor, Tensor) and META in (device, tensor._geometry.device):
            if any(map(is_sparse, (*operands, *outs))):
                return  # torch calls no reference
            if tensor._geometry.device is not device:
                if check_gradients is not None:
                    check_gradients(operands, out)
                _check_negatable(operands)
            check_out_device_for_write(tensor, device)


def _check_negatable(operands: tuple[Any, ...]) -> None:
    for operand in operands:
        if isinstance(operand, Tensor) and operand._conj_neg and operand._geometry.numel:
            check_negatable(operand._dtype, operand._conj_neg)


def check_out_device(out: Tensor, device: device) -> None:
    """Raise if ``out`` is on another device, for an operator that resizes it first."""
    out_device = out._geometry.device
    check(
        out_device is device,
        lambda: f"Expected out tensor to have device {device}, but got {out_device} instead",
    )


def check_guard(outs: Iterable[Tensor], device: device) -> None:
    """Raise if the kernel of structured operators is CUDA's, but the result is on the CPU.

    ``out`` alone selects the kernel, which guards the device of the result.
    """
    check(
        device is not CPU or all(out._geometry.device in (CPU, META) for out in outs),
        lambda: "CUDAGuardImpl initialized with non-CUDA DeviceType: cpu",
    )


def check_index_device(tensor: Tensor, index: Tensor) -> None:
    """Raise if an index tensor is neither on the CPU nor on the device of the tensor."""
    own, device = tensor._geometry.device, index._geometry.device
    check(
        device in (CPU, own) or META in (own, device),
        lambda: (
            f"indices should be either on cpu or on the same device as the indexed tensor ({own})"
        ),
    )


def check_nonzero_not_meta(tensor: Tensor) -> None:
    """Raise if nonzero() has a meta tensor, whose result would depend on its elements."""
    check(
        tensor._geometry.device is not META,
        lambda: (
            "The register_meta function for torch.nonzero() raises unimplemented by default, as a"
            " correct data-independent implementation does not exist. This implementation returns a"
            " fake value, assuming all elements of the tensor are non-zero. To enable this"
            " registration, please set"
            " 'torch.fx.experimental._config.meta_nonzero_assume_all_nonzero' to True."
        ),
        NotImplementedError,
    )


def check_meta_kernel(operator: str, *tensors: Tensor) -> None:
    """Raise if a tensor is on meta, for an operator without a meta kernel (torch/_ops.py)."""
    for tensor in tensors:
        if tensor._geometry.device is META:
            raise NotImplementedError(f"aten::{operator}: {_NO_META_KERNEL}")


_NO_META_KERNEL = (
    "attempted to run this operator with Meta tensors, but there was no fake impl or Meta kernel"
    " registered. You may have run into this message while using an operator with PT2 compilation"
    " APIs (torch.compile/torch.export); in order to use this operator with those APIs you'll need"
    " to add a fake impl. Please see the following for next steps: "
    " https://pytorch.org/tutorials/advanced/custom_ops_landing_page.html"
)


def check_item_not_meta(tensor: Tensor) -> None:
    """Raise if item() has a meta tensor."""
    check(
        tensor._geometry.device is not META,
        lambda: "Tensor.item() cannot be called on meta tensors",
    )


def check_number_has_data(number: Any) -> None:
    """Raise if a tensor on meta stands for a number, which torch reads before all other checks."""
    if isinstance(number, Tensor):
        check_item_not_meta(number)
