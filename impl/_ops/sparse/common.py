"""Helpers of sparse operators: parts, conversions, out= and in-place results."""

from typing import Any

from ..._arrays.numpy_bridge import np
from ..._autograd.autograd_meta import bump_version
from ..._devices.device import META
from ..._dtypes.constants import INT64
from ..._dtypes.table import dtype
from ..._geometry.geometry import dense
from ..._runtime.errors import check
from ..._tensor.allocation import empty_with, warn_if_complex32
from ..._tensor.data_access import raw_array, tensor_from_raw, write_elements
from ..._tensor.sparse_coo import (
    detached_part,
    indices_of,
    is_sparse,
    sparse_dim_of,
    sparse_storage,
    sparse_tensor,
    tensor_of_indices,
)
from ..._tensor.sparse_missing import could_not_run
from ..._tensor.tensor import Tensor, set_geometry
from ..common.device_checks import check_meta_kernel
from ..elementwise.plan import BOOLS, COMPLEX, HALF_COMPLEX, NUMBERS

KERNEL_DTYPES = BOOLS | NUMBERS | COMPLEX | HALF_COMPLEX
"""The dtypes of torch's kernels for coalesce and nonzero."""


NO_FORMAT = "memory format option is only supported by strided tensors"


def warn_of_empty_result(dtype: dtype) -> None:
    """Warn of an empty complex32 result and its values, which torch creates first of all."""
    warn_if_complex32(dtype, 2)


def check_has_kernel(name: str, tensor: Tensor) -> None:
    """Raise if a tensor is dense, for a kernel of sparse tensors alone."""
    if not is_sparse(tensor):
        check_meta_kernel(name, tensor)
        raise could_not_run(name, "CPU")


def internal_assert(condition: bool, text: str, line: int) -> None:
    """Raise torch's internal error of SparseTensorMath.cpp if a condition is false."""
    check(
        condition,
        lambda: (
            f"{text} INTERNAL ASSERT FAILED at"
            ' "/__w/pytorch/pytorch/aten/src/ATen/native/sparse/SparseTensorMath.cpp":'
            f"{line}, please report a bug to PyTorch. "
        ),
    )


def values_of(tensor: Tensor) -> Tensor:
    """Return the values of a sparse tensor."""
    return sparse_storage(tensor).values


def is_coalesced(tensor: Tensor) -> bool:
    """Return whether a sparse tensor is coalesced."""
    return sparse_storage(tensor).coalesced


def cloned_indices(tensor: Tensor) -> Tensor:
    """Return a copy of the indices of a sparse tensor."""
    return detached_part(sparse_storage(tensor).indices).clone()  # type: ignore[attr-defined, no-any-return]


def contiguous_indices(tensor: Tensor) -> Tensor:
    """Return a contiguous copy of the indices of a sparse tensor."""
    return tensor_of_indices(indices_of(tensor).copy())


def from_arrays(
    indices: Any, values: Any, dtype: dtype, shape: tuple[int, ...], **flags: bool | None
) -> Tensor:
    """Return a sparse tensor of new indices and raw values; the flags are `sparse_tensor`'s."""
    values = tensor_from_raw(np.ascontiguousarray(values), dtype)
    return sparse_tensor(tensor_of_indices(indices), values, shape, **flags)  # type: ignore[arg-type]


def with_values(tensor: Tensor, values: Tensor) -> Tensor:
    """Return a sparse tensor with other values at the same indices, without a warning."""
    indices, shape = cloned_indices(tensor), tensor._geometry.shape
    return sparse_tensor(indices, values, shape, is_coalesced(tensor), warns=False)


def without_values(tensor: Tensor, dtype: dtype | None = None, *, warns: bool = True) -> Tensor:
    """Return a tensor of the same shape without values, which torch returns for copies on meta."""
    dtype = tensor._dtype if dtype is None else dtype
    shape, sparse_dim = tensor._geometry.shape, sparse_dim_of(tensor)
    warn_if_complex32(dtype, 3 * warns)
    indices = empty_with(dense((sparse_dim, 0)), INT64, META)
    values = empty_with(dense((0, *shape[sparse_dim:])), dtype, META, warns=False)
    return sparse_tensor(indices, values, shape, coalesced=True, cleared=True, warns=False)


def with_dtype(tensor: Tensor, dtype: dtype, cleared: bool = True, warns: bool = True) -> Tensor:
    """Return a copy with its values cast to a dtype; the flags are `sparse_tensor`'s."""
    if tensor._geometry.device is META:
        return without_values(tensor, dtype)
    indices = cloned_indices(tensor)
    values = detached_part(values_of(tensor)).to(dtype, copy=True)  # type: ignore[attr-defined]
    shape = tensor._geometry.shape
    return sparse_tensor(indices, values, shape, is_coalesced(tensor), cleared, warns)


def check_sparse_out(out: Tensor) -> None:
    """Raise torch's internal error of SparseTensorUtils.h if ``out`` is dense."""
    check(
        is_sparse(out),
        lambda: (
            'self.is_sparse() INTERNAL ASSERT FAILED at "/__w/pytorch/pytorch/aten/src/ATen/native/'
            'SparseTensorUtils.h":28, please report a bug to PyTorch.'
            " _internal_get_SparseTensorImpl: not a sparse tensor"
        ),
    )


def assign_out(out: Tensor, result: Tensor) -> Tensor:
    """Assign a result to ``out``, cast to its dtype; raise if only ``out`` is dense."""
    if not is_sparse(result):
        if out._geometry.device is not META:
            write_elements(out, raw_array(result))
        bump_version(out)
        return out
    if out._geometry.device is META:
        bump_version(out)
        return out
    check_sparse_out(out)
    if result._dtype is not out._dtype:
        result = with_dtype(result, out._dtype)
    assign(out, result)
    bump_version(out)
    return out


def assign(target: Tensor, result: Tensor) -> None:
    """Assign a result to a tensor; a sparse tensor gets its storage and geometry."""
    if META in (target._geometry.device, result._geometry.device):
        return  # torch writes nothing
    if not is_sparse(target):
        write_elements(target, raw_array(result))
        return
    target._storage = result._storage
    set_geometry(target, result._geometry)
