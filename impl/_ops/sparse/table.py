"""What operators do to sparse tensors, by name, and the methods that only these have use for."""

from typing import Any

from ..._autograd.autograd_meta import version
from ..._autograd.tracking import check_writable, record_view
from ..._devices.availability import check_move
from ..._devices.device import CPU
from ..._dtypes.constants import COMPLEX32
from ..._dtypes.table import as_dtype, dtype
from ..._geometry import view_slices
from ..._geometry.layout import contiguous_format, sparse_coo, strided
from ..._geometry.view_shapes import wrap_dim
from ..._runtime.errors import check
from ..._tensor.factories import warn_of_complex32, zeros
from ..._tensor.out_autograd import require_grad_if
from ..._tensor.sparse_coo import is_sparse, nnz, parts_of, sparse_dim_of, sparse_tensor
from ..._tensor.sparse_dispatch import SPARSE_KERNELS, could_not_run
from ..._tensor.tensor import Tensor, record_grad_fn, shallow_copy
from ..common.copy import written
from ..common.registration import Op, install
from ..views.views import type_string
from . import add, coalesce, construct, mul, views


def _expects(name: str, tensor: Tensor, what: str = "sparse coordinate tensor") -> None:
    check(is_sparse(tensor), lambda: f"{name} expected {what} layout but got Strided")


def _has(name: str, tensor: Tensor) -> None:
    if not is_sparse(tensor):
        raise could_not_run(name, "CPU")


# The parts.


def _part(tensor: Tensor, name: str) -> Tensor:
    """Return a part; it shares the memory."""
    return shallow_copy(getattr(parts_of(tensor), name))


def _check_coalesced(tensor: Tensor, name: str) -> None:
    check(
        parts_of(tensor).coalesced,
        lambda: f"Cannot get {name} on an uncoalesced tensor, please call .coalesce() first",
    )


def _indices(tensor: Tensor) -> Tensor:
    """Tensor.indices(): the places of the values of a coalesced sparse tensor, a column for each."""
    _expects("indices", tensor)
    _check_coalesced(tensor, "indices")
    return _part(tensor, "indices")


def _values(tensor: Tensor) -> Tensor:
    """Tensor.values(): the values of a coalesced sparse tensor."""
    _expects("values", tensor, "sparse tensor")
    _check_coalesced(tensor, "values")
    made = _part(tensor, "values")
    made._base = tensor if tensor._base is None else tensor._base
    made._view_version = version(made._base)
    record_view(made, tensor, "ValuesBackward0")
    return made


def _raw_indices(tensor: Tensor) -> Tensor:
    """Tensor._indices(): the places of the values, whether they are coalesced or not."""
    _has("_indices", tensor)
    return _part(tensor, "indices")


def _raw_values(tensor: Tensor) -> Tensor:
    """Tensor._values(): the values, whether they are coalesced or not."""
    _has("_values", tensor)
    return _part(tensor, "values")


def _is_coalesced(tensor: Tensor) -> bool:
    """Tensor.is_coalesced(): whether each place is there once, and they are in order."""
    _expects("is_coalesced", tensor)
    return parts_of(tensor).coalesced


def _set_coalesced(tensor: Tensor, coalesced: bool) -> Tensor:
    """Tensor._coalesced_(coalesced): say whether the tensor is coalesced; nobody looks."""
    _has("_coalesced_", tensor)
    check_writable(tensor)
    old = parts_of(tensor)
    places, held = old.indices, old.values
    made = sparse_tensor(places, held, tensor._geometry.shape, coalesced, warns=False)
    tensor._storage = made._storage
    return written(tensor, (), "NotImplemented")


def _sparse_dim(tensor: Tensor) -> int:
    """Tensor.sparse_dim(): how many dimensions are sparse."""
    return sparse_dim_of(tensor) if is_sparse(tensor) else 0


def _dense_dim(tensor: Tensor) -> int:
    """Tensor.dense_dim(): how many dimensions are dense."""
    return tensor._geometry.rank - _sparse_dim(tensor)


def _raw_sparse_dim(tensor: Tensor) -> int:
    """Tensor._dimI(): how many dimensions are sparse."""
    _has("_dimI", tensor)
    return sparse_dim_of(tensor)


def _raw_dense_dim(tensor: Tensor) -> int:
    """Tensor._dimV(): how many dimensions are dense."""
    _has("_dimV", tensor)
    return _dense_dim(tensor)


def _count(tensor: Tensor) -> int:
    """Tensor._nnz(): how many values there are."""
    _has("_nnz", tensor)
    return nnz(tensor)


for _op in (
    Op("indices", {"": _indices}, function=False),
    Op("values", {"": _values}, function=False),
    Op("_indices", {"": _raw_indices}, function=False),
    Op("_values", {"": _raw_values}, function=False),
    Op("coalesce", {"": coalesce.coalesce}, function=False),
    Op("is_coalesced", {"": _is_coalesced}, function=False),
    Op("_coalesced_", {"bool coalesced": _set_coalesced}, function=False),
    Op("sparse_dim", {"": _sparse_dim}, function=False),
    Op("dense_dim", {"": _dense_dim}, function=False),
    Op("_dimI", {"": _raw_sparse_dim}, function=False),
    Op("_dimV", {"": _raw_dense_dim}, function=False),
    Op("_nnz", {"": _count}, function=False),
    Op(
        "to_dense",
        {"ScalarType? dtype=None, *, bool? masked_grad=None": coalesce.to_dense},
        function=False,
    ),
    Op(
        "to_sparse",
        {
            "*, Layout? layout=None, IntArrayRef[2]? blocksize=None, int64_t? dense_dim=None": construct.to_layout,
            "int64_t sparse_dim": construct.to_sparse,
        },
        function=False,
    ),
    Op("to_sparse_coo", {"": construct.to_sparse}, function=False),
):
    install(_op)


# Attributes.


def _refused(message: str, error: type[Exception] = RuntimeError) -> Any:
    def run(tensor: Tensor, *given: Any) -> Any:
        raise error(message)

    return run


def _item(tensor: Tensor) -> Any:
    numel = tensor._geometry.numel
    check(numel == 1, lambda: f"a Tensor with {numel} elements cannot be converted to Scalar")
    held = coalesce.coalesce_plain(tensor)
    values: Any = parts_of(held).values
    return values.reshape(()).item() if nnz(held) else 0


# Conversions.


def _to_dtype(tensor: Tensor, dtype: dtype, copy: bool, form: Any) -> Tensor:
    """Convert the values; only that is a sparse tensor's memory format which it has."""
    usual = ("None", "torch.preserve_format", "torch.contiguous_format")
    if dtype is tensor._dtype and not copy and str(form) in usual:
        return tensor
    name = views.FORMS.get(str(form), "Preserve")
    check(
        name == "Preserve",
        lambda: f"to(options): COO only supports memory format Preserve, but got {name} instead.",
    )
    parts = parts_of(tensor)
    held, places = shallow_copy(parts.values), shallow_copy(parts.indices)
    made = sparse_tensor(
        places.clone(),  # type: ignore[attr-defined]
        held.to(dtype, copy=True),  # type: ignore[attr-defined]
        tensor._geometry.shape,
        parts.coalesced,
        cleared=False,
    )
    return record_grad_fn(made, (tensor,), "ToCopyBackward0")


def _to_place(tensor: Tensor, where: Any, dtype: dtype, copy: bool, form: Any) -> Tensor:
    check(
        where in (None, CPU),
        lambda: "impl has sparse tensors on the CPU alone",
        NotImplementedError,
    )
    return _to_dtype(tensor, dtype, copy, form)


def _copy_(tensor: Any, other: Any, non_blocking: bool = False) -> Tensor:
    """Give a sparse tensor the elements of another sparse one."""
    check_writable(tensor, other)
    if not (is_sparse(tensor) and is_sparse(other)):
        own, given = (_type_in_c(each) for each in (tensor, other))
        raise RuntimeError(
            "copy_() between dense and sparse Tensors is not implemented! Found self type ="
            f" {own} and src type = {given}"
        )
    check(
        tensor._geometry.shape == other._geometry.shape
        and sparse_dim_of(tensor) == sparse_dim_of(other),
        lambda: "impl copies sparse tensors only into those of the same shape",
        NotImplementedError,
    )
    if other is not tensor:
        made = _to_dtype(shallow_copy(other), tensor._dtype, copy=True, form=None)
        tensor._storage, tensor._geometry = made._storage, made._geometry
    return written(tensor, (other,), "CopyBackwards")


def _type_in_c(tensor: Any) -> str:
    """Return what C++ calls the type of a tensor."""
    name = type_string(tensor._dtype)
    if not is_sparse(tensor):
        return name
    legacy = name.startswith("torch.")
    return name.replace("torch.", "torch.sparse.") if legacy else f"Sparse{name}"


def _view(tensor: Tensor, wanted: Any) -> Tensor:
    """Refuse: another dtype needs a storage, and another shape strides."""
    check(
        type(wanted) is not dtype,
        lambda: "Cannot access storage of SparseTensorImpl",
        NotImplementedError,
    )
    raise could_not_run("view")


def _set_(tensor: Tensor, *given: Any) -> Tensor:
    """Refuse to show something else."""
    raise could_not_run("set_.source_Tensor" if given else "set_")


def _t_(tensor: Tensor) -> Tensor:
    """Tensor.t_(): a sparse matrix transposed in place."""
    check_writable(tensor)
    views.check_matrix("t_", tensor)
    return written(views.turn(tensor, 0, 0 if tensor._geometry.rank < 2 else 1), (), "TBackward1")


def _transpose_(tensor: Tensor, first: int, second: int) -> Tensor:
    """Tensor.transpose_(dim0, dim1): two sparse dimensions exchanged in place."""
    check_writable(tensor)
    return written(views.turn(tensor, first, second), (), "TransposeBackward1")


def _moved(tensor: Tensor, source: Any, destination: Any) -> Tensor:
    """Move dimensions to other places."""
    rank = tensor._geometry.rank
    gone, places = (
        [wrap_dim(dim, rank) for dim in ((each,) if isinstance(each, int) else each)]
        for each in (source, destination)
    )
    order = [dim for dim in range(rank) if dim not in gone]
    for place, dim in sorted(zip(places, gone, strict=True)):
        order.insert(place, dim)
    return views.permute(tensor, tuple(order))


# Factories.


def _zeros_like_(tensor: Tensor, *given: Any) -> Tensor:
    made = _zeros_like(tensor, *given)
    if made._dtype is COMPLEX32 and made.is_sparse:  # type: ignore[attr-defined]
        warn_of_complex32()
    return made


def _zeros_like(
    tensor: Tensor, form: Any, kind: Any, layout: Any, device: Any, pin: Any, grad: Any
) -> Tensor:
    wanted = tensor._dtype if kind is None else as_dtype(kind)
    shape = tensor._geometry.shape
    check(
        form is None or layout is strided,
        lambda: "memory format option is only supported by strided tensors",
    )
    if layout is strided:
        return require_grad_if(zeros(shape, dtype=wanted), grad)
    _check_place(layout, device)
    sparse = sparse_dim_of(tensor) if is_sparse(tensor) else None
    return require_grad_if(construct.empty_sparse(shape, wanted, sparse), grad)


def _empty_like(tensor: Tensor, *given: Any) -> Tensor:
    if not is_sparse(tensor):
        raise could_not_run("empty_strided")
    return _zeros_like_(tensor, *given)


def _check_place(layout: Any, device: Any) -> None:
    check(
        layout in (None, sparse_coo),
        lambda: f"impl has no tensors of layout {layout}",
        NotImplementedError,
    )
    check(
        check_move(device) in (None, CPU),
        lambda: "impl has sparse tensors on the CPU alone",
        NotImplementedError,
    )


def _new_empty(
    tensor: Tensor, size: Any, kind: Any, layout: Any, device: Any, pin: Any, grad: Any
) -> Tensor:
    wanted = tensor._dtype if kind is None else as_dtype(kind)
    if layout is strided:
        return require_grad_if(zeros(tuple(size), dtype=wanted), grad)
    _check_place(layout, device)
    return require_grad_if(construct.empty_sparse(tuple(size), wanted), grad)


def _new_zeros(tensor: Tensor, *given: Any) -> Tensor:
    made = _new_empty(tensor, *given)
    if made._dtype is COMPLEX32 and is_sparse(made):
        warn_of_complex32()
    return made


def _zero_(tensor: Tensor) -> Tensor:
    """Leave no value."""
    check_writable(tensor)
    shape, sparse = tensor._geometry.shape, sparse_dim_of(tensor)
    tensor._storage = construct.empty_sparse(shape, tensor._dtype, sparse)._storage
    return written(tensor, (), "ZeroBackward0")


def _cut(name: str) -> Any:
    """Return what refuses to cut a sparse tensor into parts."""

    def run(tensor: Tensor, *given: Any) -> Tensor:
        check(tensor._geometry.rank, lambda: f"{name} expects at least a 1-dimensional tensor")
        raise could_not_run("as_strided")

    return run


def _mean(tensor: Tensor, *given: Any) -> Tensor:
    raise could_not_run("mean.dim")


def _narrow(tensor: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """Refuse, as dense tensors do what is out of range, and all the rest."""
    shape = tensor._geometry.shape
    view_slices.narrow(shape, (0,) * len(shape), dim, start, length)
    raise could_not_run("as_strided")


def _contiguous(tensor: Tensor, form: Any = contiguous_format) -> Tensor:
    raise RuntimeError(f"unsupported memory format option {views.FORMS[str(form)]}")


def _flatten(tensor: Tensor, *dims: int) -> Tensor:
    """Return a tensor with one dimension as it is."""
    check(
        tensor._geometry.rank == 1,
        lambda: "reshape is not implemented for sparse tensors",
    )
    return tensor


_NO_RESHAPE = _refused("reshape is not implemented for sparse tensors")
_NO_EXPAND = _refused("expand is unsupported for Sparse tensors")

SPARSE_KERNELS.update(
    {
        "add": add.add, "sub": add.sub, "mul": mul.mul, "div": mul.div,
        "add_": add.add_, "sub_": add.sub_, "mul_": mul.mul_, "neg": add.neg,
        "negative": add.neg, "subtract": add.sub, "multiply": mul.mul, "divide": mul.div,
        "true_divide": mul.div, "rsub": add.rsub,
        "sum": coalesce.sparse_sum, "clone": views.clone, "transpose": views.transpose, "swapaxes": views.transpose,
        "swapdims": views.transpose, "t": views.t, "permute": views.permute, "unsqueeze": views.unsqueeze,
        "select": views.select, "cat": views.cat, "concat": views.cat, "concatenate": views.cat,
        "stack": views.stack, "unbind": views.unbind,
        "to_dtype": _to_dtype, "to_place": _to_place, "copy_": _copy_, "zero_": _zero_, "item": _item,
        "zeros_like": _zeros_like_, "empty_like": _empty_like, "chunk": _cut("chunk"), "split": _cut("split"), "new_zeros": _new_zeros, "new_empty": _new_empty,
        "empty": construct.of_layout, "zeros": construct.zeros_of_layout, "getitem": views.getitem, "T": views.turned,
        "mT": views.matrix_turned, "H": views.adjoint, "mH": views.adjoint, "iter": views.unbind,
        "reshape": _NO_RESHAPE, "reshape_as": _NO_RESHAPE, "flatten": _flatten,
        "expand": _NO_EXPAND, "expand_as": _NO_EXPAND, "broadcast_to": _NO_EXPAND,
        "contiguous": _contiguous,
        "ravel": _refused("unsupported memory format option Contiguous"),
        "tolist": _refused("Cannot access data pointer of Tensor that doesn't have storage"),
        "view": _view, "set_": _set_, "mean": _mean, "narrow": _narrow, "t_": _t_, "transpose_": _transpose_,
        "movedim": _moved, "moveaxis": _moved,
        "view_as": _refused(str(could_not_run("view")), NotImplementedError),
    }
)  # fmt: skip
