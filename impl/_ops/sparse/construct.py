"""Sparse factories: sparse_coo_tensor with its checks, to_sparse, zeros and empty.

They follow aten/src/ATen/native/sparse/SparseTensor.cpp and SparseTensorImpl.h.
"""

from collections.abc import Callable, Iterator
from typing import Any

from ..._argparser.parser import Parser
from ..._arrays.numpy_bridge import np
from ..._devices.availability import resolve_target_device
from ..._devices.device import CPU, META, device
from ..._dtypes.constants import INT64
from ..._dtypes.default_dtype import get_default_dtype
from ..._dtypes.table import as_dtype, dtype, spec_of
from ..._geometry.extents import Ints, numel
from ..._geometry.geometry import dense
from ..._geometry.layout import sparse_coo, strided
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._storage.storage_base import check_can_pin
from ..._storage.untyped_storage import check_named_device
from ..._tensor import sparse_invariants
from ..._tensor.allocation import empty_with, warn_if_complex32
from ..._tensor.data_access import resolved_array
from ..._tensor.out_autograd import check_no_complex_gradient, set_requires_grad_if
from ..._tensor.sparse_coo import (
    detached_part,
    is_sparse,
    linear_indices,
    sparse_dim_of,
    sparse_tensor,
    tensor_of_indices,
)
from ..._tensor.tensor import Tensor
from ..._tensor.views import record_grad_fn
from ..common.conj_neg_fallback import resolve_conj_neg
from ..common.device_checks import check_meta_kernel
from ..creation.from_data import tensor_from_data
from ..creation.pin_memory import check_on_cpu
from ..reduction.reduce import check_kernel
from .common import KERNEL_DTYPES
from .from_dense import nonzero_parts

_REST = (
    "*, ScalarType dtype=None, Device? device=None, bool pin_memory=False,"
    " bool requires_grad=False, bool check_invariants=None, bool is_coalesced=None"
)
_parse = Parser(
    f"sparse_coo_tensor(PyObject* indices, PyObject* values, {_REST})",
    f"sparse_coo_tensor(PyObject* indices, PyObject* values, IntArrayRef size, {_REST})",
    "sparse_coo_tensor(IntArrayRef size, *, ScalarType dtype=None, Device? device=None,"
    " bool requires_grad=False, bool check_invariants=None)",
)


def sparse_coo_tensor(*args: Any, **keywords: Any) -> Tensor:
    """sparse_coo_tensor(indices, values, size=None, *, dtype=None, ...): a sparse COO tensor.

    Each column of the indices is the index of a value; values of equal indices are summed.

    >>> import impl as torch
    >>> x = torch.sparse_coo_tensor([[0, 1], [2, 0]], [3.0, 4.0], (2, 3), check_invariants=True)
    >>> x.to_dense()
    tensor([[0., 0., 3.],
            [4., 0., 0.]])
    """
    signature, raw_args = _parse.match(args, keywords)
    names = [parameter.name for parameter in signature.parameters]
    check_invariants = raw_args[names.index("check_invariants")]
    if check_invariants is None:
        check_invariants = sparse_invariants.is_enabled()
    # A DeviceGuard comes before the device is initialized (torch/csrc/utils/tensor_new.cpp).
    check_named_device(signature, raw_args, initializes=False, guards=True)
    overload, bound = signature.index, signature.convert(raw_args)
    if overload == 2:
        size, dtype, device, grad, _ = bound
        target = sparse_device(device)
        dtype = get_default_dtype() if dtype is None else as_dtype(dtype)
        with sparse_invariants.invariant_checks(check_invariants):
            return set_requires_grad_if(empty_sparse(size, dtype, device=target), grad)
    indices, values, *sizes = bound[:-6]
    dtype, device, pin, grad, _, coalesced = bound[-6:]
    refusal = _refusal(check_can_pin, None) if pin else None
    is_pinned, pin = pin, pin and refusal is None
    with sparse_invariants.invariant_checks(check_invariants):
        dtype = None if dtype is None else as_dtype(dtype)
        values = tensor_from_data(
            values, dtype, None, device, pin, copy=not isinstance(values, Tensor)
        )
        if device is None and not isinstance(indices, Tensor):
            device = values._geometry.device
        indices = tensor_from_data(indices, INT64, None, device, pin, copy=False)
        shape = sizes[0] if sizes else None
        if is_pinned:
            refusal = _refusal(check_on_cpu, values) or refusal
        result = _assemble(indices, values, shape, coalesced, refusal)
        return set_requires_grad_if(result, grad)


def _refusal(check_pinned: Callable[[Any], None], argument: Any) -> RuntimeError | None:
    """Return the error of pinned memory, which torch raises after it has read the indices.

    It pins the values that it has made, and no longer knows the device that was asked for.
    """
    try:
        check_pinned(argument)
    except RuntimeError as error:
        return error
    return None


def sparse_device(device: Any) -> Any:
    """Return the device of a sparse tensor; raise if it is neither the CPU nor meta."""
    target = resolve_target_device(device) or CPU
    if target not in (CPU, META):
        raise NotImplementedError("impl has sparse tensors on the CPU and on meta alone")
    return target


def _assemble(
    indices: Tensor,
    values: Tensor,
    size: Ints | None,
    coalesced: bool | None,
    refusal: RuntimeError | None,
) -> Tensor:
    if not values._geometry.rank:
        values = values.expand((1,))  # type: ignore[attr-defined]
    if size is None:
        size = _infer_size(indices, values)
        if sparse_invariants.is_enabled():
            _check_coalesced(indices, values, size, coalesced)
    elif sparse_invariants.is_enabled():
        check_sparse_invariants(indices, values, size, coalesced)
    return _checked_sparse(indices, values, size, coalesced, refusal)


def assemble_unconverted(indices: Tensor, values: Tensor, size: Ints | None = None) -> Tensor:
    """Return a sparse tensor of indices and values that are taken as they are (Tensor.new())."""
    _check_indices(indices)
    check(
        indices._dtype is INT64,
        lambda: f"expected scalar type Long but found {spec_of(indices._dtype).cpp_name}",
    )
    return _assemble(indices, values, size, None, None)


NO_DATA = "Cannot copy out of meta tensor; no data!"
_BACKENDS = {"cpu": "CPU", "meta": "Meta", "cuda": "CUDA"}


def _check_indices(indices: Tensor) -> None:
    check(
        indices._geometry.rank == 2,
        lambda: f"indices must be sparse_dim x nnz, but got: {[*indices._geometry.shape]}",
    )
    check(
        not indices._geometry.is_sparse,
        lambda: "expected indices to be a dense tensor, but got indices of layout Sparse",
    )


def _infer_size(indices: Tensor, values: Tensor) -> Ints:
    """Return the smallest shape that holds all indices."""
    _check_indices(indices)
    index_array = _index_array(indices)
    sizes = [high + 1 for high in _largest(index_array)] or [0] * len(index_array)
    return (*sizes, *values._geometry.shape[1:])


def _index_array(indices: Tensor) -> Any:
    """Return the indices as an array; raise if they are on meta and there are some."""
    geometry = indices._geometry
    if geometry.device is not META:
        return resolved_array(indices)
    check(not geometry.numel, lambda: NO_DATA, NotImplementedError)
    return np.empty(geometry.shape, np.int64)


def _largest(index_array: Any) -> Iterator[int]:
    """Yield the largest index of each dimension, if there are any; raise for a negative index."""
    if index_array.size:
        for dim, (low, high) in enumerate(zip(index_array.min(1), index_array.max(1), strict=True)):
            if low < 0:
                raise RuntimeError(f"found negative index {low} for dim {dim}")
            yield int(high)


def check_sparse_invariants(
    indices: Tensor, values: Tensor, size: Ints, coalesced: bool | None
) -> None:
    """Raise if the sparse tensor invariants do not hold (_validate_sparse_coo_tensor_args)."""
    _check_indices(indices)
    _check_rank(indices, values, size)
    indices, values = resolve_conj_neg(indices), resolve_conj_neg(values)
    index_array = _index_array(indices)
    for dim, high in enumerate(_largest(index_array)):
        if high >= size[dim]:
            raise RuntimeError(
                f"size is inconsistent with indices: for dim {dim}, size is {size[dim]} but found"
                f" index {high}"
            )
    _check_coalesced(indices, values, size, coalesced)


def _check_coalesced(indices: Tensor, values: Tensor, size: Ints, coalesced: bool | None) -> None:
    """Raise if the indices of a coalesced tensor are not in order, or two of them are equal."""
    index_array = _index_array(indices)
    if coalesced and index_array.size and values._geometry.shape[0] > 1:
        steps = np.diff(linear_indices(index_array, size))
        if not steps.size:
            PUBLIC["min"](tensor_of_indices(steps))  # raises, as torch's minimum does
        check(
            (steps > 0).all(),
            lambda: (
                "cannot set is_coalesced to true if indices correspond to uncoalesced COO tensor"
            ),
        )


def _check_rank(indices: Tensor, values: Tensor, size: Ints) -> int:
    """Return the number of sparse dimensions; raise if the size has another number of them all."""
    sparse_dim: int = indices._geometry.shape[0]
    dense_dim = values._geometry.rank - 1
    check(
        len(size) == sparse_dim + dense_dim,
        lambda: (
            f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(size)},"
            f" sparse_dim = {sparse_dim}, dense_dim = {dense_dim}"
        ),
    )
    return sparse_dim


def _checked_sparse(
    indices: Tensor,
    values: Tensor,
    size: Ints,
    coalesced: bool | None,
    refusal: RuntimeError | None = None,
) -> Tensor:
    """Return a sparse tensor; raise if its parts do not match (set_indices_and_values_unsafe)."""
    if not indices._geometry.rank:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    indices, values = resolve_conj_neg(indices), resolve_conj_neg(values)
    warn_if_complex32(values._dtype)
    sparse_dim = _check_rank(indices, values, size)
    if refusal is not None:
        raise refusal
    numel(tuple([extent % 2**64 for extent in size]))
    if is_sparse(values):
        warn_if_complex32(values._dtype)  # torch detaches them
    check(
        not is_sparse(values),
        lambda: "expected values to be a dense tensor, but got values of layout Sparse",
    )
    backends = [_BACKENDS[part._geometry.device.type] for part in (indices, values)]
    check(
        backends[0] == backends[1],
        lambda: "backend of indices ({}) must match backend of values ({})".format(*backends),
    )
    sparse_device(values._geometry.device)
    _check_indices(indices)
    index_count, value_count = indices._geometry.shape[1], values._geometry.shape[0]
    check(
        index_count == value_count,
        lambda: (
            f"indices and values must have same nnz, but got nnz from indices: {index_count}, nnz"
            f" from values: {value_count}"
        ),
    )
    shape = (value_count, *size[sparse_dim:])
    check(
        values._geometry.shape == shape,
        lambda: f"values has incorrect size, expected {[*shape]}, got {[*values._geometry.shape]}",
    )
    coo = sparse_tensor(
        detached_part(indices), detached_part(values), size, coalesced, cleared=False, warns=False
    )
    record_grad_fn(coo, (values,), "SparseCooTensorWithDimsAndTensorsBackward0")
    if coo._autograd_meta is not None:
        warn_if_complex32(values._dtype)  # torch saves a shallow copy, which starts with no values
    return coo


def empty_sparse(
    size: Ints,
    dtype: dtype,
    sparse_dim: int | None = None,
    device: device = CPU,
    warns: bool = True,
) -> Tensor:
    """Return a sparse tensor without values; ``sparse_dim`` defaults to all dimensions.

    ``warns``: whether to warn about a complex32 tensor, and not only about its values.
    """
    sparse_dim = len(size) if sparse_dim is None else sparse_dim
    if warns:
        warn_if_complex32(dtype)
    numel(tuple([extent % 2**64 for extent in size]))
    indices = empty_with(dense((sparse_dim, 0)), INT64, device)
    values = empty_with(dense((0, *size[sparse_dim:])), dtype, device)
    return sparse_tensor(indices, values, size, coalesced=True, cleared=True, warns=False)


def to_sparse(tensor: Tensor, *args: Any) -> Tensor:
    """Tensor.to_sparse(sparse_dim): a sparse tensor of the elements that are not zero."""
    if is_sparse(tensor):
        check(
            not args or args[0] == sparse_dim_of(tensor),
            lambda: (
                "to_sparse: conversion from Sparse to Sparse with sparse_dim argument"
                " !=self.sparse_dim() is not supported"
            ),
        )
        return tensor
    rank = tensor._geometry.rank
    sparse_dim = args[0] if args else rank
    resolved = resolve_conj_neg(tensor)
    check_meta_kernel(f"_to_sparse{'.sparse_dim' if args else ''}", tensor)
    _check_dim("sparse_dim", sparse_dim, rank, sparse_dim != 0, ">0")
    return _from_dense(tensor, resolved, sparse_dim, f"ToSparseBackward{0 if args else 1}")


def _check_dim(name: str, dim: int, rank: int, fits: bool, bound: str) -> None:
    check(
        0 <= dim <= rank,
        lambda: f"dense_to_sparse: {name} argument must be in [0,{rank}] range, but {dim} is given",
    )
    prefix = " in" if name == "sparse_dim" else ""
    check(
        fits or not rank,
        lambda: f"dense_to_sparse: {name} argument must be{prefix} {bound} when self.dim()>0",
    )


def _from_dense(tensor: Tensor, resolved: Tensor, sparse_dim: int, node: str) -> Tensor:
    """Return a sparse tensor of the elements of ``resolved`` that are not zero.

    It is ``tensor``, which autograd records, without conj and neg bits.
    """
    warn_if_complex32(resolved._dtype)
    check_kernel("nonzero_count_cpu", KERNEL_DTYPES, resolved._dtype, resolved)
    result = record_grad_fn(nonzero_parts(resolved, sparse_dim), (tensor,), node)
    check_no_complex_gradient("_to_sparse", tensor._dtype, tensor)
    return result


def to_layout(
    tensor: Tensor, layout: Any = None, blocksize: Any = None, dense_dim: Any = None
) -> Tensor:
    """Tensor.to_sparse(*, layout=None, ...): the tensor in a layout, by default sparse_coo."""
    resolved = tensor if layout is strided else resolve_conj_neg(tensor)
    if layout is not strided and not is_sparse(tensor):
        check_meta_kernel("_to_sparse", tensor)
    if layout in (None, strided, sparse_coo):
        _check_conversion(tensor, layout, blocksize, dense_dim)
    if layout is None or layout is sparse_coo:
        if is_sparse(tensor):
            return to_sparse(tensor)
        rank = tensor._geometry.rank
        inner = 0 if dense_dim is None else dense_dim
        _check_dim("dense_dim", inner, rank, inner != rank, "!=self.dim()")
        return _from_dense(tensor, resolved, rank - inner, "ToSparseBackward1")
    if layout is strided:
        return tensor.to_dense()  # type: ignore[attr-defined, no-any-return]
    raise NotImplementedError(f"impl has no tensors of layout {layout}")


def _check_conversion(tensor: Tensor, layout: Any, blocksize: Any, dense_dim: Any) -> None:
    """Raise if ``to_sparse`` cannot convert (_to_sparse_check_arguments, TensorConversions.cpp)."""
    is_from_sparse, is_to_sparse = tensor._geometry.is_sparse, layout is not strided
    source = ("dense_", "sparse_coo_")[is_from_sparse] if is_from_sparse != is_to_sparse else ""
    name = f"{source}to_sparse"
    conversion = f"{_LAYOUT_NAMES[is_from_sparse]} to {_LAYOUT_NAMES[is_to_sparse]}"
    check(
        not is_from_sparse or is_to_sparse or tensor.sparse_dim() == 2,  # type: ignore[attr-defined]
        lambda: (
            f"{name}: conversion from {conversion} for input tensors with sparse_dim()!=2 is not"
            " supported"
        ),
    )
    if blocksize is not None:
        check(
            len(blocksize) == 2,
            lambda: f"{name}: blocksize needs to be a tuple of size 2, but got {len(blocksize)}",
        )
        check(
            min(blocksize) > 0,
            lambda: f"{name}: blocksize needs to be positive, but got {[*blocksize]}",
        )
        raise RuntimeError(
            f"{name}: conversion from {conversion} with blocksize argument given is not supported"
        )
    if dense_dim is None:
        return
    check(
        not is_from_sparse,
        lambda: (
            f"{name}: conversion from {conversion} with dense_dim argument given is not supported"
        ),
    )
    last = tensor._geometry.rank - 2
    check(
        is_to_sparse or 0 <= dense_dim <= last,
        lambda: f"{name}: dense_dim argument must be in [0,{last}] range, but {dense_dim} is given",
    )


_LAYOUT_NAMES = ("Strided", "Sparse")


def empty_of_layout(size: Ints, dtype: dtype, device: Any, pin: Any, grad: Any) -> Tensor:
    """Return a sparse tensor without values."""
    target = sparse_device(device)
    check(not pin, lambda: "Only dense CPU tensors can be pinned")
    return set_requires_grad_if(empty_sparse(size, dtype, device=target), grad)


PUBLIC["sparse_coo_tensor"] = sparse_coo_tensor
