"""The sparse kernels of operators, by name, and the methods of sparse tensors alone."""

from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

from ..._autograd.tracking import check_inplace
from ..._devices.device import CPU, META
from ..._dtypes.table import as_dtype, dtype
from ..._geometry import view_shapes
from ..._geometry.layout import contiguous_format, preserve_format, sparse_coo
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._runtime.warnings import is_python_frame
from ..._tensor.allocation import warn_if_complex32
from ..._tensor.out_autograd import set_requires_grad_if
from ..._tensor.sparse_coo import (
    detached_part,
    is_sparse,
    nnz,
    sparse_dim_of,
    sparse_storage,
    sparse_tensor,
)
from ..._tensor.sparse_dispatch import SPARSE_KERNELS, no_kernel
from ..._tensor.sparse_missing import could_not_run, sparse_backend
from ..._tensor.tensor import METHODS, Tensor, storage_of
from ..._tensor.views import record_grad_fn, with_version_of
from ..common.conj_neg_fallback import resolves_conj_neg, resolves_conj_neg_in_place
from ..common.copy import record_write
from ..common.registration import Op, register_operator
from ..creation.like import is_dense_on_meta
from ..elementwise.power import float_power_by
from ..reduction.sums import check_mean_cast
from . import (
    add,
    coalesce,
    construct,
    div,
    index_select,
    indexing,
    ldexp,
    matrices,
    mul,
    parts,
    refused,
    resizing,
    unary,
    views,
)
from .common import (
    NO_FORMAT,
    check_has_kernel,
    is_coalesced,
    values_of,
    with_dtype,
)
from .refused import cpp_type_name
from .resizing import check_resize


def _check_layout(name: str, tensor: Tensor, layout: str = "sparse coordinate tensor") -> None:
    check(is_sparse(tensor), lambda: f"{name} expected {layout} layout but got Strided")


# Indices and values.


def _check_coalesced(tensor: Tensor, name: str) -> None:
    check(
        is_coalesced(tensor),
        lambda: f"Cannot get {name} on an uncoalesced tensor, please call .coalesce() first",
    )


def _indices(tensor: Tensor) -> Tensor:
    """Tensor.indices(): the indices of a coalesced sparse tensor, a column for each value."""
    _check_layout("indices", tensor)
    _check_coalesced(tensor, "indices")
    return _own_indices(tensor)


def _own_indices(tensor: Tensor) -> Tensor:
    return with_version_of(detached_part(sparse_storage(tensor).indices), tensor)


def _own_values(tensor: Tensor) -> Tensor:
    return with_version_of(detached_part(values_of(tensor)), tensor)


def _values(tensor: Tensor) -> Tensor:
    """Tensor.values(): the values of a coalesced sparse tensor."""
    _check_layout("values", tensor, "sparse tensor")
    _check_coalesced(tensor, "values")
    return views.record_sparse_view(detached_part(values_of(tensor)), tensor, "ValuesBackward0")


def _is_coalesced(tensor: Tensor) -> bool:
    """Tensor.is_coalesced(): whether the indices are sorted and unique."""
    _check_layout("is_coalesced", tensor)
    return is_coalesced(tensor)


def _set_coalesced(tensor: Tensor, coalesced: bool) -> Tensor:
    """Tensor._coalesced_(coalesced): set the coalesced flag without a check."""
    check_inplace(tensor)
    check_has_kernel("_coalesced_", tensor)
    parts = sparse_storage(tensor)
    shape = tensor._geometry.shape
    result = sparse_tensor(parts.indices, parts.values, shape, coalesced, warns=False)
    tensor._storage = result._storage
    return record_write(tensor, (), "NotImplemented")


def _sparse_dim(tensor: Tensor) -> int:
    """Tensor.sparse_dim(): the number of sparse dimensions."""
    return sparse_dim_of(tensor) if is_sparse(tensor) else 0


def _dense_dim(tensor: Tensor) -> int:
    """Tensor.dense_dim(): the number of dense dimensions."""
    return tensor._geometry.rank - _sparse_dim(tensor)


def _unchecked(name: str, read: Callable[[Tensor], Any], doc: str) -> Callable[[Tensor], Any]:
    """Return a method that raises for a dense tensor."""

    def run(tensor: Tensor) -> Any:
        check_has_kernel(name, tensor)
        return read(tensor)

    run.__doc__ = f"Tensor.{name}(): {doc}."
    return run


for _name, _read, _doc in (
    ("_indices", _own_indices, "the indices, coalesced or not"),
    ("_values", _own_values, "the values, coalesced or not"),
    ("_dimI", sparse_dim_of, "the number of sparse dimensions"),
    ("_dimV", _dense_dim, "the number of dense dimensions"),
    ("_nnz", nnz, "the number of values"),
):
    _run = _unchecked(_name, _read, _doc)
    _overload = _run if _name in ("_indices", "_values") else resolves_conj_neg(_run)
    register_operator(Op(_name, {"": _overload}, function=False))

_TO_SPARSE = "*, Layout? layout=None, IntArrayRef[2]? blocksize=None, int64_t? dense_dim=None"
_METHODS: dict[str, dict[str, Callable[..., Any]]] = {
    "indices": {"": _indices},
    "values": {"": _values},
    "coalesce": {"": coalesce.coalesce},
    "is_coalesced": {"": resolves_conj_neg(_is_coalesced)},
    "_coalesced_": {"bool coalesced": resolves_conj_neg_in_place(_set_coalesced)},
    "sparse_dim": {"": resolves_conj_neg(_sparse_dim)},
    "dense_dim": {"": resolves_conj_neg(_dense_dim)},
    "to_dense": {"ScalarType? dtype=None, *, bool? masked_grad=None": coalesce.to_dense},
    "to_sparse": {_TO_SPARSE: construct.to_layout, "int64_t sparse_dim": construct.to_sparse},
}
for _name, _overloads in _METHODS.items():
    register_operator(Op(_name, _overloads, function=False))


@is_python_frame
def _to_sparse_coo(self: Tensor) -> Tensor:
    """Return the tensor as a sparse COO tensor."""
    return self.to_sparse()  # type: ignore[attr-defined, no-any-return]


_to_sparse_coo.__name__, _to_sparse_coo.__qualname__ = "to_sparse_coo", "Tensor.to_sparse_coo"
METHODS["to_sparse_coo"] = _to_sparse_coo

# Attributes.


def _raises(message: str, error: type[Exception] = RuntimeError) -> Any:
    def run(tensor: Tensor, *args: Any) -> Any:
        raise error(message)

    return run


def _item(tensor: Tensor) -> Any:
    numel = tensor._geometry.numel
    check(numel == 1, lambda: f"a Tensor with {numel} elements cannot be converted to Scalar")
    values = detached_part(values_of(tensor))
    count = nnz(tensor)
    if count > 1:
        return PUBLIC["sum"](values).item()
    return values.reshape(()).item() if count else 0  # type: ignore[attr-defined]


# Conversions.


def _to_dtype(tensor: Tensor, dtype: dtype, copy: bool, memory_format: Any) -> Tensor:
    """Return a copy with converted values; raise for a memory format other than preserve."""
    allowed = ("None", "torch.preserve_format", "torch.contiguous_format")
    if dtype is tensor._dtype and not copy and str(memory_format) in allowed:
        return tensor
    _check_format(memory_format)
    return record_grad_fn(with_dtype(tensor, dtype, cleared=False), (tensor,), "ToCopyBackward0")


def _check_format(memory_format: Any) -> None:
    name = views.FORMS.get(str(memory_format), "Preserve")
    check(
        name == "Preserve",
        lambda: f"to(options): COO only supports memory format Preserve, but got {name} instead.",
    )


def _to_device(tensor: Tensor, device: Any, dtype: dtype, copy: bool, memory_format: Any) -> Tensor:
    target = construct.sparse_device(device)
    if target is tensor.device:
        return _to_dtype(tensor, dtype, copy, memory_format)
    _check_format(memory_format)
    check(target is not CPU, lambda: construct.NO_DATA, NotImplementedError)
    shape, sparse_dim = tensor._geometry.shape, sparse_dim_of(tensor)
    moved = construct.empty_sparse(shape, dtype, sparse_dim, target)
    warn_if_complex32(dtype)  # torch fills it
    return record_grad_fn(moved, (tensor,), "ToCopyBackward0")


def _copy_(tensor: Any, other: Any, non_blocking: bool = False) -> Tensor:
    """Tensor.copy_(src): copy the parts of another sparse tensor."""
    sources = (other,) if isinstance(other, Tensor) else ()
    check_inplace(tensor, *sources)
    if tensor._geometry.device is META:
        return record_write(tensor, sources, "CopyBackwards")  # torch copies nothing
    if not (is_sparse(tensor) and isinstance(other, Tensor) and is_sparse(other)):
        target, source = (cpp_type_name(x) for x in (tensor, other))
        raise RuntimeError(
            "copy_() between dense and sparse Tensors is not implemented! Found self type ="
            f" {target} and src type = {source}"
        )
    check_resize(tensor, other)
    if other is not tensor:
        result = with_dtype(other, tensor._dtype, cleared=False, warns=False)
        tensor._storage, tensor._geometry = result._storage, result._geometry
    return record_write(tensor, (other,), "CopyBackwards")


def _view(tensor: Tensor, argument: Any) -> Tensor:
    """Raise: a view with another dtype needs a storage, one with another shape strides."""
    if type(argument) is dtype:
        raise NotImplementedError("Cannot access storage of SparseTensorImpl")
    raise no_kernel("view", tensor)


def _t_(tensor: Tensor) -> Tensor:
    """Tensor.t_(): transpose a sparse matrix in place."""
    check_inplace(tensor)
    views.check_matrix("t_", tensor)
    return record_write(views.swap(tensor, 0, int(tensor._geometry.rank > 1)), (), "TBackward1")


def _transpose_(tensor: Tensor, first: int, second: int) -> Tensor:
    """Tensor.transpose_(dim0, dim1): swap two sparse dimensions in place."""
    check_inplace(tensor)
    return record_write(views.swap(tensor, first, second), (), "TransposeBackward1")


def _movedim(tensor: Tensor, source: Any, destination: Any) -> Tensor:
    """movedim(input, source, destination): the dimensions moved to other positions."""
    rank = tensor._geometry.rank
    order, *_ = view_shapes.movedim(tuple(range(rank)), (0,) * rank, source, destination)
    if not rank:
        storage_of(tensor)  # raises, as torch returns an alias
    return views.permute(tensor, order)


# Factories.


def _warns_of_fill(run: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Warn again of a sparse complex32 result of ``run``, as torch does when it fills it."""

    def warning(*args: Any) -> Tensor:
        result = run(*args)
        if is_sparse(result):
            warn_if_complex32(result._dtype)
        return result

    return warning


def _new_empty(
    tensor: Tensor,
    size: Any,
    dtype: Any,
    layout: Any,
    device: Any,
    pin: Any,
    grad: Any,
    *,
    sparse_dim: int | None = None,
) -> Tensor:
    dtype = tensor._dtype if dtype is None else as_dtype(dtype)
    device = tensor.device if device is None else device
    if layout not in (None, sparse_coo):
        raise NotImplementedError(f"impl has no tensors of layout {layout}")
    target = construct.sparse_device(device)
    check(not pin, lambda: "Only dense CPU tensors can be pinned")
    new = construct.empty_sparse(tuple(size), dtype, sparse_dim, target)
    return set_requires_grad_if(new, grad)


@_warns_of_fill
def _zeros_like(tensor: Tensor, memory_format: Any, *options: Any) -> Tensor:
    check(memory_format is None, lambda: NO_FORMAT)
    sparse_dim = sparse_dim_of(tensor) if is_sparse(tensor) else None
    return _new_empty(tensor, tensor._geometry.shape, *options, sparse_dim=sparse_dim)


def _empty_like(tensor: Tensor, memory_format: Any, *options: Any) -> Tensor:
    if is_dense_on_meta(tensor):
        return _new_empty(tensor, tensor._geometry.shape, *options)
    if not is_sparse(tensor):
        raise could_not_run("empty_strided", sparse_backend(construct.sparse_device(options[2])))
    return _zeros_like(tensor, memory_format, *options)


def _filled_like(tensor: Tensor, *args: Any) -> NoReturn:
    """Raise: torch makes an empty tensor, which it cannot fill."""
    raise no_kernel("fill_.Scalar", _empty_like(tensor, *args[-6:]))


def _new_filled(tensor: Tensor, size: Any, *args: Any) -> NoReturn:
    """Raise: torch makes an empty tensor, which it cannot fill."""
    raise no_kernel("fill_.Scalar", _new_empty(tensor, size, *args[-5:]))


def _zero_(tensor: Tensor) -> Tensor:
    """Tensor.zero_(): drop all values."""
    check_inplace(tensor)
    shape, sparse = tensor._geometry.shape, sparse_dim_of(tensor)
    device = tensor._geometry.device
    empty = construct.empty_sparse(shape, tensor._dtype, sparse, device, warns=False)
    tensor._storage = empty._storage
    return record_write(tensor, (), "ZeroBackward0")


def _mean(tensor: Tensor, *args: Any, out: Any = None) -> NoReturn:
    if len(args) < 2:
        check_mean_cast(tensor, out)
    raise no_kernel("mean.dim" if out is None else "mean.out", tensor, out)


def _contiguous(tensor: Tensor, memory_format: Any = contiguous_format) -> Tensor:
    check(
        memory_format is not preserve_format,
        lambda: "preserve memory format is unsupported by the contiguous operator",
    )
    check(tensor._geometry.device is not META, lambda: NO_FORMAT)
    raise RuntimeError(f"unsupported memory format option {views.FORMS[str(memory_format)]}")


def _flatten(tensor: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Return the tensor if no dimensions are merged; raise for others."""
    size = view_shapes.flatten(tensor._geometry.shape, start_dim, end_dim)
    return tensor if size is None else _NO_RESHAPE(tensor)


def _as_other(name: str, run: Callable[..., Any]) -> Callable[[Tensor, Tensor], Any]:
    """Return a view in the shape of another tensor, which may be the sparse one."""

    def view(tensor: Tensor, other: Tensor) -> Any:
        shape = other._geometry.shape
        return (run if is_sparse(tensor) else METHODS[name])(tensor, shape)

    return view


_NO_RESHAPE = _raises("reshape is not implemented for sparse tensors")

SPARSE_KERNELS.update(
    {
        "add": add.add, "sub": add.sub, "mul": mul.mul, **unary.KERNELS, **div.KERNELS,
        **parts.KERNELS, **refused.KERNELS,
        "add_": add.add_, "sub_": add.sub_, "mul_": mul.mul_,
        "subtract_": add.sub_, "multiply_": mul.mul_,
        "float_power": partial(float_power_by, unary.power),
        "subtract": add.sub, "multiply": mul.mul, "rsub": add.rsub,
        "sum": coalesce.sparse_sum, "clone": views.clone, "transpose": views.transpose,
        "swapaxes": views.transpose, "swapdims": views.transpose, "t": views.t,
        "permute": views.permute, "unsqueeze": views.unsqueeze, "select": views.select,
        "cat": views.cat, "concat": views.cat, "concatenate": views.cat,
        "stack": views.stack, "unbind": views.unbind, "iter": views.unbind,
        "to_dtype": _to_dtype, "to_place": _to_device, "copy_": _copy_, "zero_": _zero_,
        "resize_and_clear_": resizing.resize_and_clear_,
        "item": _item, "zeros_like": _zeros_like, "empty_like": _empty_like,
        "ones_like": _filled_like, "full_like": _filled_like,
        "new_ones": _new_filled, "new_full": _new_filled,
        "new_zeros": _warns_of_fill(_new_empty), "new_empty": _new_empty,
        "empty": construct.empty_of_layout, "zeros": _warns_of_fill(construct.empty_of_layout),
        "getitem": indexing.getitem, "T": views.reversed_dims, "mT": views.matrix_transpose,
        "H": views.adjoint, "mH": views.adjoint, "adjoint": views.matrix_adjoint,
        "reshape": _NO_RESHAPE, "reshape_as": _as_other("reshape", _NO_RESHAPE),
        "expand_as": _as_other("expand", refused.expand), "flatten": _flatten,
        "contiguous": _contiguous,
        "ravel": _contiguous,
        "tolist": _raises("Cannot access data pointer of Tensor that doesn't have storage"),
        "view": _view,
        "mean": _mean,
        "t_": _t_, "transpose_": _transpose_, "swapaxes_": _transpose_, "swapdims_": _transpose_,
        "resize_as_": resizing.resize_as_, "movedim": _movedim, "moveaxis": _movedim,
        "view_as": _as_other("view", _view),
        "index_select": index_select.index_select,
        "narrow_copy": index_select.narrow_copy,
        **ldexp.KERNELS,
        **matrices.KERNELS,
    }
)  # fmt: skip
