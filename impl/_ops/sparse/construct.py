"""Making sparse tensors: sparse_coo_tensor with its checks, to_sparse, and the factories with ``layout=``.

The rules are in aten/src/ATen/native/sparse/SparseTensor.cpp and SparseTensorImpl.h.
"""

from typing import Any

from ..._argparser.parser import Parser
from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._devices.availability import check_move
from ..._devices.device import CPU
from ..._dtypes.constants import COMPLEX32, INT64
from ..._dtypes.default_dtype import get_default_dtype
from ..._dtypes.table import as_dtype, dtype
from ..._geometry.extents import numel
from ..._geometry.geometry import Ints, dense
from ..._geometry.geometry import strided as strided_geometry
from ..._geometry.layout import sparse_coo, strided
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._storage.storage_base import check_pins
from ..._storage.untyped_storage import check_named_device
from ..._tensor import sparse_invariants
from ..._tensor.data_access import raw_array, resolved_array, tensor_from_raw
from ..._tensor.factories import empty_with, warn_of_complex32
from ..._tensor.out_autograd import require_grad_if
from ..._tensor.sparse_coo import (
    is_sparse,
    linear_indices,
    plain,
    sparse_dim_of,
    sparse_tensor,
    tensor_of_indices,
)
from ..._tensor.tensor import Tensor, new_tensor, record_grad_fn
from ..creation.from_data import _from_data
from ..elementwise.plan import BOOLS, COMPLEX, NUMBERS
from ..elementwise.plan import HALF_COMPLEX as COMPLEX32_ALONE
from ..reduction.reduce import check_kernel

_REST = (
    "*, ScalarType dtype=None, Device? device=None, bool pin_memory=False, bool requires_grad=False,"
    " bool check_invariants=None, bool is_coalesced=None"
)
_parse = Parser(
    f"sparse_coo_tensor(PyObject* indices, PyObject* values, {_REST})",
    f"sparse_coo_tensor(PyObject* indices, PyObject* values, IntArrayRef size, {_REST})",
    "sparse_coo_tensor(IntArrayRef size, *, ScalarType dtype=None, Device? device=None,"
    " bool requires_grad=False, bool check_invariants=None)",
)


def sparse_coo_tensor(*args: Any, **keywords: Any) -> Tensor:
    """sparse_coo_tensor(indices, values, size=None, *, dtype=None, ...): a sparse tensor of these elements.

    Each column of the indices is the place of a value; values of one place count as their sum.

    >>> import impl as torch
    >>> x = torch.sparse_coo_tensor([[0, 1], [2, 0]], [3.0, 4.0], (2, 3), check_invariants=True)
    >>> x.to_dense()
    tensor([[0., 0., 3.],
            [4., 0., 0.]])
    """
    signature, values_ = _parse.match(args, keywords)
    names = [each.name for each in signature.parameters]
    checks = values_[names.index("check_invariants")]
    if checks is None:
        checks = sparse_invariants.are_checked()
    check_named_device(signature, values_, guards=True)
    which, bound = signature.index, signature.convert(values_)
    if which == 2:
        size, kind, device, grad, _ = bound
        _check_device(device)
        with sparse_invariants.checked(checks):
            return require_grad_if(empty_sparse(size, _or_default(kind)), grad)
    indices, given, *size_given = bound[:-6]
    kind, device, pin, grad, _, coalesced = bound[-6:]
    if pin:
        check_pins(device)
    with sparse_invariants.checked(checks):
        wanted = None if kind is None else as_dtype(kind)
        held = _from_data(given, wanted, None, device, pin, copy=not isinstance(given, Tensor))
        places = _from_data(indices, INT64, None, device, pin, copy=False)
        shape = size_given[0] if size_given else None
        return require_grad_if(_of_parts(places, held, shape, coalesced), grad)


def _or_default(kind: Any) -> dtype:
    return get_default_dtype() if kind is None else as_dtype(kind)


def _check_device(device: Any) -> None:
    check(
        check_move(device) in (None, CPU),
        lambda: "impl has sparse tensors on the CPU alone",
        NotImplementedError,
    )


def _of_parts(indices: Tensor, held: Tensor, size: Ints | None, coalesced: bool | None) -> Tensor:
    if not held._geometry.rank:
        held = held.expand((1,))  # type: ignore[attr-defined]
    check(
        held._geometry.device is CPU,
        lambda: "impl has sparse tensors on the CPU alone",
        NotImplementedError,
    )
    if size is None:
        size = _inferred(indices, held)
    elif sparse_invariants.are_checked():
        _check_elements(indices, held, size, coalesced)
    return checked_sparse(indices, held, size, coalesced)


def _check_pair(indices: Tensor) -> None:
    check(
        not indices._geometry.is_sparse,
        lambda: "expected indices to be a dense tensor, but got indices of layout Sparse",
    )
    check(
        indices._geometry.rank == 2,
        lambda: f"indices must be sparse_dim x nnz, but got: {[*indices._geometry.shape]}",
    )


def _inferred(indices: Tensor, held: Tensor) -> Ints:
    """Return the shape that is just large enough for all indices."""
    _check_pair(indices)
    places = raw_array(indices)
    sizes = [0] * len(places)
    if places.size:
        for dim, (low, high) in enumerate(zip(places.min(1), places.max(1), strict=True)):
            check(low >= 0, lambda: f"found negative index {low} for dim {dim}")  # noqa: B023
            sizes[dim] = int(high) + 1
    return (*sizes, *held._geometry.shape[1:])


def _check_elements(indices: Tensor, held: Tensor, size: Ints, coalesced: bool | None) -> None:
    """Do what the invariants of sparse tensors ask for (_validate_sparse_coo_tensor_args)."""
    _check_pair(indices)
    sparse, rest = indices._geometry.shape[0], held._geometry.rank - 1
    check(
        len(size) == sparse + rest,
        lambda: (
            f"number of dimensions must be sparse_dim ({sparse}) + dense_dim ({rest}), but got"
            f" {[*size]}"
        ),
    )
    places = raw_array(indices)
    if not places.size:
        return
    for dim, (low, high) in enumerate(zip(places.min(1), places.max(1), strict=True)):
        check(low >= 0, lambda: f"found negative index {low} for dim {dim}")  # noqa: B023
        check(
            high < size[dim],
            lambda: (
                f"size is inconsistent with indices: for dim {dim}, size is {size[dim]} but found"  # noqa: B023
                f" index {high}"  # noqa: B023
            ),
        )
    if coalesced and places.shape[1] > 1:
        check(
            (np.diff(linear_indices(places, size)) > 0).all(),
            lambda: (
                "cannot set is_coalesced to true if indices correspond to uncoalesced COO tensor"
            ),
        )


def checked_sparse(
    indices: Tensor, held: Tensor, size: Ints, coalesced: bool | None = None
) -> Tensor:
    """Make a sparse tensor of parts that have to fit (set_indices_and_values_unsafe)."""
    if not indices._geometry.rank:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    if held._dtype is COMPLEX32:
        warn_of_complex32()
    sparse, rest = indices._geometry.shape[0], held._geometry.rank - 1
    check_rank(size, sparse, rest)
    numel(tuple([each % 2**64 for each in size]))
    _check_pair(indices)
    check(
        not held._geometry.is_sparse,
        lambda: "expected values to be a dense tensor, but got values of layout Sparse",
    )
    found, wanted = indices._geometry.shape[1], held._geometry.shape[0]
    check(
        found == wanted,
        lambda: (
            f"indices and values must have same nnz, but got nnz from indices: {found}, nnz from"
            f" values: {wanted}"
        ),
    )
    fitting = (wanted, *size[sparse:])
    check(
        held._geometry.shape == fitting,
        lambda: f"values has incorrect size, expected {[*fitting]}, got {[*held._geometry.shape]}",
    )
    made = sparse_tensor(plain(indices), plain(held), size, coalesced, cleared=False, warns=False)
    return record_grad_fn(made, (held,), "SparseCooTensorWithDimsAndTensorsBackward0")


def check_rank(size: Ints, sparse: int, rest: int) -> None:
    """Refuse a shape of another number of dimensions."""
    check(
        len(size) == sparse + rest,
        lambda: (
            f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(size)},"
            f" sparse_dim = {sparse}, dense_dim = {rest}"
        ),
    )


def empty_sparse(size: Ints, dtype: dtype, sparse: int | None = None) -> Tensor:
    """Make a sparse tensor without a value, all of whose dimensions are sparse unless it is said."""
    sparse = len(size) if sparse is None else sparse
    if dtype is COMPLEX32:
        warn_of_complex32()
    numel(tuple([each % 2**64 for each in size]))
    indices = tensor_from_raw(np.empty((sparse, 0), np.int64), INT64)
    held = empty_with(dense((0, *size[sparse:])), dtype)
    return sparse_tensor(indices, held, size, coalesced=True, cleared=True, warns=False)


def to_sparse(tensor: Tensor, *given: Any) -> Tensor:
    """Tensor.to_sparse(sparse_dim): the elements that are not zero, with their places."""
    if is_sparse(tensor):
        check(
            not given or given[0] == sparse_dim_of(tensor),
            lambda: (
                "to_sparse: conversion from Sparse to Sparse with sparse_dim argument"
                " !=self.sparse_dim() is not supported"
            ),
        )
        return tensor
    rank = tensor._geometry.rank
    sparse = given[0] if given else rank
    _check_dim("sparse_dim", sparse, rank, sparse != 0, ">0")
    return _from_dense(tensor, sparse, f"ToSparseBackward{0 if given else 1}")


def _check_dim(name: str, dim: int, rank: int, fits: bool, wanted: str) -> None:
    check(
        0 <= dim <= rank,
        lambda: f"dense_to_sparse: {name} argument must be in [0,{rank}] range, but {dim} is given",
    )
    where = " in" if name == "sparse_dim" else ""
    check(
        fits or not rank,
        lambda: f"dense_to_sparse: {name} argument must be{where} {wanted} when self.dim()>0",
    )


def _from_dense(tensor: Tensor, sparse: int, node: str) -> Tensor:
    for _ in range(2 * (tensor._dtype is COMPLEX32)):
        warn_of_complex32()
    check_kernel("nonzero_count_cpu", _COUNTED, tensor._dtype, tensor)
    return record_grad_fn(_nonzero_parts(tensor, sparse), (tensor,), node)


_COUNTED = BOOLS | NUMBERS | COMPLEX | COMPLEX32_ALONE


def to_layout(
    tensor: Tensor, layout: Any = None, blocks: Any = None, dense_dim: Any = None
) -> Tensor:
    """Tensor.to_sparse(*, layout=None, ...): the tensor in a layout, which is sparse_coo unless another is named."""
    check(
        blocks is None,
        lambda: (
            f"{'' if tensor._geometry.is_sparse else 'dense_'}to_sparse: conversion from"
            f" {_LAYOUT_NAMES[tensor._geometry.is_sparse]} to"
            f" {_LAYOUT_NAMES[layout is not strided]} with blocksize argument given is not supported"
        ),
    )
    if layout is None or layout is sparse_coo:
        if is_sparse(tensor):
            return to_sparse(tensor)
        rank = tensor._geometry.rank
        inner = 0 if dense_dim is None else dense_dim
        _check_dim("dense_dim", inner, rank, inner != rank, "!=self.dim()")
        return _from_dense(tensor, rank - inner, "ToSparseBackward1")
    if layout is strided:
        return to_dense(tensor)
    raise NotImplementedError(f"impl has no tensors of layout {layout}")


_LAYOUT_NAMES = ("Strided", "Sparse")


def to_dense(tensor: Tensor, *options: Any) -> Tensor:
    """Convert by the method, whichever the layout is."""
    return tensor.to_dense(*options)  # type: ignore[attr-defined, no-any-return]


def _nonzero_parts(tensor: Tensor, sparse: int) -> Tensor:
    found = raw_array(tensor) if not tensor._conj_neg else resolved_array(tensor)
    shape, rank = tensor._geometry.shape, tensor._geometry.rank
    kept = _nonzero(found, tensor._dtype)
    if not rank:
        places = np.empty((0, int(kept)), np.int64)
        held = found.reshape(1)[: int(kept)].copy()
    else:
        some = kept.any(axis=tuple(range(sparse, rank))) if sparse < rank else kept
        at = some.nonzero()
        places = np.stack(at) if at else np.empty((0, 0), np.int64)
        held = found[at]
    made = tensor_from_raw(
        np.ascontiguousarray(held, numpy_storage_dtype(tensor._dtype)), tensor._dtype
    )
    indices = tensor_of_indices(places)
    if sparse == 1 and rank > 1:
        # Torch turns the list of places around, of which there is one row.
        indices = new_tensor(
            indices._storage, strided_geometry((1, places.shape[1]), (1, 1)), 0, INT64
        )
    return sparse_tensor(indices, made, shape, coalesced=True, cleared=True)


def _nonzero(found: Any, dtype: dtype) -> Any:
    """Tell which elements are not zero; those of formats that NumPy lacks are known by their bits."""
    from_bits = found.dtype.kind in "ui" and (dtype.is_floating_point or dtype.is_complex)
    if not from_bits:
        return found != 0
    magnitude = found & found.dtype.type((1 << (8 * found.dtype.itemsize - 1)) - 1)
    return magnitude != 0


def zeros_of_layout(size: Ints, dtype: dtype, device: Any, pin: Any, grad: Any) -> Tensor:
    """Make a sparse tensor without a value, as zeros does."""
    made = of_layout(size, dtype, device, pin, grad)
    if dtype is COMPLEX32:
        warn_of_complex32()
    return made


def of_layout(size: Ints, dtype: dtype, device: Any, pin: Any, grad: Any) -> Tensor:
    """Make a sparse tensor without a value, as zeros and empty do."""
    _check_device(device)
    check(not pin, lambda: "Only dense CPU tensors can be pinned")
    return require_grad_if(empty_sparse(size, dtype), grad)


PUBLIC["sparse_coo_tensor"] = sparse_coo_tensor
