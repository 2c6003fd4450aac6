"""The results of torch's operators of LAPACK (ATen/native/BatchLinearAlgebra.cpp)."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from ..._autograd.autograd_meta import bump_version
from ..._devices.device import META, device
from ..._dtypes.cpp_names import cpp_type
from ..._dtypes.table import dtype
from ..._geometry.extents import Ints
from ..._geometry.geometry import Geometry, dense, on_device, strided
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import check
from ..._tensor.allocation import empty_with, resize_output, warn_if_complex32
from ..._tensor.out_autograd import gradient_check_of, with_gradient_check
from ..._tensor.sparse_coo import is_sparse
from ..._tensor.sparse_dispatch import no_kernel
from ..._tensor.sparse_missing import out_kernel
from ..._tensor.tensor import Tensor, set_geometry
from ..._tensor.views import record_outputs
from ..common.device_checks import check_guard, check_out_device
from ..common.meta_reference import in_reference, warn_of_result, write_reference
from ..common.out_argument import write_out
from .checks import LAPACK

Raw = Callable[[], Sequence[Any]]
"""Returns the raw elements of results."""


class Kernel(NamedTuple):
    """An operator of torch.

    operator: its name without "aten::"
    node: the name of the grad_fn
    lapack: the name of the kernel in the error for a dtype without one
    has_reference: a function in Python writes to ``out`` on meta, too
    hidden: how many tensors of the operand's dtype torch makes beside the results, on the CPU and
        on meta
    takes_empty: matrices without elements may have any dtype
    """

    operator: str
    node: str
    lapack: str
    has_reference: bool = False
    hidden: tuple[int, int] = (0, 0)
    takes_empty: bool = True


class Result(NamedTuple):
    """A tensor that an operator makes."""

    geometry: Geometry
    dtype: dtype


def composed(run: Callable[..., Any], operator: str, count: int = 1) -> Callable[..., Any]:
    """Return a function that makes tensors of its own before it calls an operator with ``out=``.

    They have the dtype and layout of the operand.  Only of complex32 ones does anyone see them.
    """
    check_gradients = gradient_check_of(run)

    def with_own(*operands: Any, out: Any = None) -> Any:
        if out is None:
            return run(*operands)
        tensor = operands[0]
        warn_if_complex32(tensor._dtype, count * (1 + tensor._geometry.is_sparse))
        given = (*operands, *(out if isinstance(out, tuple) else (out,)))
        if any(map(is_sparse, given)):
            if check_gradients is not None:
                check_gradients(operands, out)
            raise no_kernel(out_kernel(operator), *given)
        return run(*operands, out=out)

    return with_own if check_gradients is None else with_gradient_check(with_own, check_gradients)


def by_columns(shape: Ints) -> Geometry:
    """Return the geometry of matrices whose columns are contiguous (Fortran's order)."""
    stride = dense(tuple([max(size, 1) for size in shape])).stride
    return strided(shape, (*stride[:-2], 1, max(shape[-2], 1)))


def make(
    kernel: Kernel,
    tensors: tuple[Tensor, ...],
    results: Sequence[Result],
    compute: Raw,
    out: Sequence[Tensor] | None = None,
    order: Iterable[int] | None = None,
) -> tuple[Tensor, ...]:
    """Return the results of an operator, or those that were written to ``out``.

    ``compute`` runs on none of the tensors if they are on meta.  Torch resizes those of ``out`` in
    an ``order``.
    """
    if any(x._geometry.is_sparse for x in tensors):
        raise no_kernel(kernel.operator, *tensors)
    device, dtype = tensors[0]._geometry.device, tensors[0]._dtype
    hidden = [dtype] * kernel.hidden[1]
    if out is None:
        if device is META:
            targets: tuple[Tensor, ...] = in_reference(new_results, results, device, hidden)
        else:
            targets = new_results(results, device)
            for _ in range(kernel.hidden[0]):
                warn_if_complex32(dtype)
    else:
        targets = tuple(out)
        if device is META and kernel.has_reference:
            made = in_reference(new_results, results, device, hidden)
            for target, result in zip(targets, made, strict=True):
                in_reference(write_reference, kernel.operator, target, result)
            return targets
        check_guard(targets, device)
        for place in order or range(len(targets)):
            _prepare(targets[place], results[place], device)
    if device is not META and _is_run(kernel, tensors[0], targets):
        for target, raw in zip(targets, compute(), strict=True):
            write_out(target, raw)
    if out is None:
        return record_outputs(list(targets), tensors, kernel.node)
    for target in targets:
        bump_version(target)
    return targets


def new_results(
    results: Sequence[Result], device: device, hidden: Iterable[dtype] = ()
) -> tuple[Tensor, ...]:
    """Return new tensors; warn as well of others, by dtype, that torch's reference makes."""
    made = tuple([empty_with(on_device(x.geometry, device), x.dtype) for x in results])
    for each in hidden:
        warn_of_result(each)
    return made


def _is_run(kernel: Kernel, tensor: Tensor, targets: Sequence[Tensor]) -> bool:
    """Return whether results have to be computed; raise if there is no kernel for a dtype."""
    if tensor._geometry.numel or not kernel.takes_empty:
        if tensor._dtype not in LAPACK:
            raise_not_implemented(kernel.lapack, tensor._dtype)
        return True
    return any(target._geometry.numel for target in targets)


def _prepare(target: Tensor, result: Result, device: device) -> None:
    """Resize a tensor of ``out``; raise if its dtype or device differs."""
    dtype, geometry = result.dtype, result.geometry
    check(
        target._dtype is dtype,
        lambda: (
            f"Expected out tensor to have dtype {cpp_type(dtype)}, but got"
            f" {cpp_type(target._dtype)} instead"
        ),
    )
    check_out_device(target, device)
    if target._geometry.shape == geometry.shape:
        if target._geometry is not on_device(geometry, device):
            warn_if_complex32(dtype)  # of a tensor with the strides of the result
    else:
        resize_output(target, geometry.shape)
        set_geometry(target, on_device(geometry, device))
