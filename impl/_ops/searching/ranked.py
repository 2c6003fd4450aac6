"""kthvalue and mode (ATen/native/Sorting.cpp, TensorCompare.cpp, cpu/TensorCompareKernel.cpp)."""

from typing import Any

from ..._arrays.numpy_bridge import np
from ..._autograd.autograd_meta import bump_version
from ..._devices.device import device
from ..._dtypes.constants import INT64
from ..._dtypes.table import dtype, spec_of
from ..._geometry import view_shapes
from ..._geometry.geometry import Geometry
from ..._kernels import selection
from ..._runtime.errors import NotDense, check
from ..._tensor import structseq
from ..._tensor.allocation import resize_out, resize_output
from ..._tensor.data_access import write_elements
from ..._tensor.sparse_coo import is_sparse
from ..._tensor.tensor import Tensor
from ..common.copy import copy_into
from ..common.memory_overlap import check_no_overlap, check_no_overlap_with
from ..elementwise.binding import Overload, install_operator
from ..elementwise.plan import BOOLS, NUMBERS
from ..reduction.compare_into import compare_into
from ..reduction.reduce import (
    check_kernel,
    check_opaque_copy,
    refuse_resized,
    resolves_bits,
    warn_of_narrow_complex,
)
from . import lines
from .lines import Pair, one_in_line


def check_dense(tensor: Tensor, out: Pair | None) -> None:
    """Raise NotDense if a tensor or a result is sparse."""
    if any(map(is_sparse, (tensor, *(out or ())))):
        raise NotDense


def _kthvalue(tensor: Tensor, k: int, dim: int, keepdim: bool, out: Pair | None = None) -> Any:
    geometry = tensor._geometry
    check_dense(tensor, out)
    is_reference = lines.uses_reference(tensor, out)
    if out is None and not is_reference:
        warn_of_narrow_complex(tensor._dtype, allocated=True, converted=False)
    dim = view_shapes.wrap_dim(dim, geometry.rank)
    if not is_reference:
        lines.check_not_empty("kthvalue", geometry, dim)
    check(
        1 <= k <= (geometry.shape[dim] if geometry.rank else 1),
        lambda: f"kthvalue(): selected number k out of range for dimension {dim}",
    )
    result = lines.result_geometry(geometry, dim, 1 if keepdim else None)
    if is_reference:
        return lines.on_meta("kthvalue", tensor, result, out, "KthvalueBackward0")
    find = one_in_line(selection.kth_places, tensor._dtype, k - 1)
    if out is not None:
        check_no_overlap_with(out[0], tensor)
        _kthvalue_into(tensor, k, dim, keepdim, find, out)
        return structseq.kthvalue_out(out)
    warn_of_narrow_complex(tensor._dtype, allocated=False, converted=bool(geometry.rank))
    check_opaque_copy(tensor, tensor._dtype)
    if geometry.rank:
        check_kernel("kthvalue_cpu", NUMBERS, tensor._dtype, tensor)
    return lines.results_of("kthvalue", tensor, dim, find, result, "KthvalueBackward0")


def _kthvalue_into(
    tensor: Tensor, k: int, dim: int, keepdim: bool, find: lines.Places, out: Pair
) -> None:
    """Write results of kthvalue, which have the dimension while they are written."""
    rank, dtype = tensor._geometry.rank, tensor._dtype
    sizes = lines.result_geometry(tensor._geometry, dim, 1).shape
    for target, is_right, message in (
        (out[0], out[0]._dtype is dtype, "output values must be of same type as input"),
        (out[1], out[1]._dtype is INT64, "output indices must be of scalar type Long"),
    ):
        if not is_right:
            raise RuntimeError(message)
        if not keepdim and target._geometry.rank == rank - 1:
            lines.change_view(target, view_shapes.unsqueeze, dim)
        resize_output(target, sizes)
    if not tensor._geometry.rank:
        copy_into(out[0], tensor)
        write_elements(out[1], np.zeros((), np.int64))
    else:
        warn_of_narrow_complex(dtype, allocated=True, converted=False)
        for target in out:
            check_no_overlap(target)
        check_opaque_copy(tensor, tensor._dtype)
        check_kernel("kthvalue_cpu", NUMBERS, dtype, tensor)
        refuse_resized(k > tensor._geometry.shape[dim])
        lines.write_lines(tensor, dim, find, out, copied=True)
    _finish_outs(out, dim, keepdim or not rank)


def _finish_outs(out: Pair, dim: int, keepdim: bool) -> None:
    """Take the dimension from written results, and count the write."""
    for target in out:
        if not keepdim:
            lines.change_view(target, view_shapes.squeeze, dim)
        bump_version(target)


def _mode(tensor: Tensor, dim: int, keepdim: bool, out: Pair | None = None) -> Any:
    geometry, dtype = tensor._geometry, tensor._dtype
    check_dense(tensor, out)
    is_reference = lines.uses_reference(tensor, out)
    if out is not None and not is_reference:
        check_mode_outs(tensor, out)
    if out is None and not is_reference:
        warn_of_narrow_complex(dtype, allocated=True, converted=False)
    dim = view_shapes.wrap_dim(dim, geometry.rank)
    result = lines.result_geometry(geometry, dim, 1 if keepdim else None)
    if is_reference:
        return lines.on_meta("mode", tensor, result, out, "ModeBackward0")
    if not geometry.numel:
        lines.check_not_empty("mode", geometry, dim)
    elif geometry.rank:
        check_kernel("mode_cpu", BOOLS | NUMBERS, dtype, tensor)
    else:
        check_opaque_copy(tensor, dtype)
    find = one_in_line(selection.mode_places, dtype)
    if out is None:
        return lines.results_of("mode", tensor, dim, find, result, "ModeBackward0")
    _mode_into(tensor, dim, keepdim, find, out, result)
    for target in out:
        bump_version(target)
    return structseq.mode_out(out)


def _mode_into(
    tensor: Tensor, dim: int, keepdim: bool, find: lines.Places, out: Pair, result: Geometry
) -> None:
    if tensor._geometry.rank and tensor._geometry.numel:

        def pick(elements: Any) -> Any:
            return lines.elements_at(elements, elements.ndim - 1, find)

        compare_into(tensor, out, dim, pick, keepdim=keepdim)
        return
    for target in out:
        if tensor._geometry.numel:
            resize_out(target, ())
        else:
            resize_output(target, result.shape)
    if not tensor._geometry.rank:
        copy_into(out[0], tensor)
        write_elements(out[1], np.zeros((), np.int64))


def check_mode_outs(tensor: Tensor, out: Pair) -> None:
    """Raise if results of mode are on another device than the tensor, or have wrong dtypes."""
    values, indices = out
    device = tensor._geometry.device
    _check_device(values, device, "values")
    _check_device(indices, device, "indices")
    _check_dtype(values, tensor._dtype, "values")
    _check_dtype(indices, INT64, "indices")


def _check_device(target: Tensor, device: device, word: str) -> None:
    given = target._geometry.device
    check(
        given is device, lambda: f"expected device '{device}' but got '{given}' for {word} output"
    )


def _check_dtype(target: Tensor, dtype: dtype, word: str) -> None:
    names = spec_of(dtype).cpp_name, spec_of(target._dtype).cpp_name
    check(
        target._dtype is dtype,
        lambda: f"expected scalar type '{names[0]}' but got '{names[1]}' for {word} output",
    )


_TWO = "TensorList[2]"

install_operator(
    "kthvalue",
    Overload(
        "SymInt k, int64_t dim=-1, bool keepdim=False",
        resolves_bits(_kthvalue, "kthvalue"),
        out_type=_TWO,
    ),
    doc="Return the k-th smallest elements along a dimension, and their indices.",
)
install_operator(
    "mode",
    Overload("int64_t dim=-1, bool keepdim=False", resolves_bits(_mode, "mode"), out_type=_TWO),
    doc="Return the most frequent elements along a dimension, and their last indices.",
)
