"""index_reduce and index_reduce_ (ATen/native/TensorAdvancedIndexing.cpp)."""

from ..._autograd.autograd_meta import bump_version
from ..._autograd.tracking import check_differentiable, check_inplace
from ..._geometry import view_shapes
from ..._runtime.errors import NotDense, check
from ..._runtime.warnings import triggered_at, warn_once
from ..._tensor.allocation import empty_tensor
from ..._tensor.out_autograd import check_no_complex_gradient
from ..._tensor.tensor import METHODS, Tensor, shallow_copy
from ..._tensor.views import record_grad_fn
from ..common.conj_neg_fallback import resolves_conj_neg, resolves_conj_neg_in_place
from ..common.copy import record_write
from ..common.device_checks import common_device
from ..common.memory_overlap import check_no_overlap, check_written_alone
from ..common.meta_reference import in_reference, is_on_meta
from ..elementwise.binding import Overload, install_operator
from ..indexing.along_dim import copy_to_result, new_or_out
from ..indexing.index_add import check_rows
from ..indexing.index_copy import WITH_GRADIENTS
from .reduced_rows import reduce_rows

_NODE = "IndexReduceBackward0"


def _index_reduce(
    tensor: Tensor,
    dim: int,
    index: Tensor,
    source: Tensor,
    reduce: str,
    include_self: bool = True,
    out: Tensor | None = None,
) -> Tensor:
    operands = (tensor, index, source) if out is None else (tensor, index, source, out)
    if any(x._geometry.is_sparse for x in operands):
        raise NotDense
    on_meta = is_on_meta(*operands)
    if on_meta and out is None:
        return _recorded(in_reference(_on_meta, tensor), tensor, source)
    dim = _checked(tensor, dim, index, source, reduce)
    result = new_or_out(tensor, out, index, source)
    if on_meta:
        _check_slices(result, dim, source)
    else:
        _warn()
        copy_to_result(result, tensor)
        reduce_rows(result, dim, index, source, reduce, with_own=include_self)
    if out is None:
        return _recorded(result, tensor, source)
    bump_version(out)
    return out


def _on_meta(tensor: Tensor) -> Tensor:
    """Return what meta_index_reduce in torch/_meta_registrations.py does, which checks nothing."""
    geometry = tensor._geometry
    return empty_tensor(geometry.shape, tensor._dtype, geometry.device)


def _recorded(result: Tensor, tensor: Tensor, source: Tensor) -> Tensor:
    """Return a new result, after autograd recorded its grad_fn or raised."""
    check_no_complex_gradient("index_reduce", result._dtype, tensor, source)
    check_differentiable(result, source)
    return record_grad_fn(result, (tensor, source), _NODE)


def _index_reduce_(
    tensor: Tensor,
    dim: int,
    index: Tensor,
    source: Tensor,
    reduce: str,
    include_self: bool = True,
) -> Tensor:
    check_inplace(tensor, source)
    if any(x._geometry.is_sparse for x in (tensor, index, source)):
        raise NotDense
    if not is_on_meta(tensor, index, source):  # there the reference checks nothing
        dim = _checked(tensor, dim, index, source, reduce)
        check_written_alone(tensor, index, source)
        _warn()
        reduce_rows(tensor, dim, index, source, reduce, with_own=include_self)
    return record_write(tensor, (source,), _NODE)


def _checked(tensor: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str) -> int:
    """Return the dimension as a number from 0 for operands that fit; raise for others."""
    check(
        reduce in ("prod", "mean", "amax", "amin"),
        lambda: (
            "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got"
            f" {reduce}."
        ),
    )
    dim = view_shapes.wrap_dim(dim, tensor._geometry.rank)
    check_rows("index_reduce", tensor, dim, index, source)
    return dim


def _check_slices(result: Tensor, dim: int, source: Tensor) -> None:
    """Raise as TensorIterator does for the first slices, which torch builds on meta."""
    if result._geometry.rank:
        slices = [METHODS["select"](shallow_copy(x), dim, 0) for x in (result, source)]
        common_device(tuple(slices))
        check_no_overlap(*slices)


def _warn() -> None:
    warn_once(triggered_at(_BETA, "aten/src/ATen/native/TensorAdvancedIndexing.cpp:1523"))


_BETA = "index_reduce() is in beta and the API may change at any time."

install_operator(
    "index_reduce",
    Overload(
        "int64_t dim, Tensor index, Tensor source, c10::string_view reduce, *,"
        " bool include_self=True",
        resolves_conj_neg(_index_reduce, "index_reduce", of=WITH_GRADIENTS),
        resolves_conj_neg_in_place(_index_reduce_, _NODE),
    ),
    doc="Return a tensor after rows of another one were combined with those at indices.",
)
