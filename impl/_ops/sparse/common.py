"""What sums and products of sparse tensors share: tensors of other values, and those that are written to."""

from ..._autograd.autograd_meta import count_write
from ..._dtypes.constants import COMPLEX32
from ..._dtypes.table import dtype
from ..._runtime.errors import check
from ..._tensor.data_access import raw_array, write_raw
from ..._tensor.sparse_coo import (
    is_sparse,
    parts_of,
    plain,
    sparse_tensor,
    warn_of_complex32,
)
from ..._tensor.tensor import Tensor, set_geometry


def values_of(tensor: Tensor) -> Tensor:
    """Return the values of a sparse tensor."""
    return parts_of(tensor).values


def with_values(tensor: Tensor, held: Tensor) -> Tensor:
    """Return a sparse tensor with other values at the same places."""
    parts = parts_of(tensor)
    places = plain(parts.indices).clone()  # type: ignore[attr-defined]
    shape = tensor._geometry.shape
    if shape and held._dtype is COMPLEX32:
        warn_of_complex32()
    return sparse_tensor(places, held, shape, parts.coalesced, warns=bool(shape))


def as_kind(tensor: Tensor, dtype: dtype) -> Tensor:
    """Return a copy whose values are of a dtype."""
    parts = parts_of(tensor)
    held, places = plain(parts.values), plain(parts.indices)
    return sparse_tensor(
        places.clone(),  # type: ignore[attr-defined]
        held.to(dtype, copy=True),  # type: ignore[attr-defined]
        tensor._geometry.shape,
        parts.coalesced,
    )


def written_out(out: Tensor, made: Tensor) -> Tensor:
    """Give a sparse tensor that was given as ``out`` a result."""
    check(
        is_sparse(out),
        lambda: "impl writes results of sparse tensors into sparse tensors alone",
        NotImplementedError,
    )
    if made._dtype is not out._dtype:
        made = as_kind(made, out._dtype)
    become(out, made)
    count_write(out)
    return out


def become(target: Tensor, made: Tensor) -> None:
    """Give a tensor the elements of another: a sparse one gets its parts."""
    if not is_sparse(target):
        write_raw(target, raw_array(made))
        return
    target._storage = made._storage
    set_geometry(target, made._geometry)
