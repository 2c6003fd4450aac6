"""scatter, scatter_add and scatter_reduce (ATen/native/TensorAdvancedIndexing.cpp)."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from ..._autograd.autograd_meta import bump_version
from ..._autograd.tracking import check_inplace
from ..._dtypes.constants import INT32, INT64
from ..._geometry import view_shapes
from ..._geometry.extents import Ints
from ..._geometry.geometry import dense, on_device
from ..._geometry.size import Size
from ..._runtime.errors import NotDense, check
from ..._runtime.warnings import triggered_at, warn_once
from ..._tensor.allocation import empty_tensor
from ..._tensor.factories import python_scalar
from ..._tensor.out_autograd import check_no_complex_gradient, check_no_leaf
from ..._tensor.tensor import METHODS, Tensor
from ..._tensor.views import record_grad_fn
from ..common.conj_neg_fallback import resolves_conj_neg, resolves_conj_neg_in_place
from ..common.copy import record_write
from ..common.memory_overlap import check_written_alone
from ..common.meta_reference import in_reference, into_meta, is_on_meta
from ..elementwise.binding import Overload, install_operator
from ..indexing.along_dim import copy_to_result
from ..indexing.index_copy import WITH_GRADIENTS
from ..reduction.reduce import prepare_out
from .kernels import are_rows, combine, combine_rows, exclude
from .mean import counts_like, divide_sums
from .reductions import ASSIGN, MEAN, OLD_REDUCTIONS, REDUCTIONS, SUM, Reduction


class Scatter(NamedTuple):
    """An operator of this family, without its operands.

    name: the public name
    node: the name of the grad_fn; NotImplemented if torch has none
    options: the values of ``reduce``, or None for an operator without it
    default: the reduction without ``reduce``
    """

    name: str
    node: str
    options: Mapping[str, Reduction] | None = None
    default: Reduction = ASSIGN

    @property
    def combines_rows(self) -> bool:
        """Whether an expanded index may stand for whole rows."""
        return self.default is SUM or self.options is REDUCTIONS

    def reduction(self, reduce: str, end: str = ", got {}") -> Reduction:
        """Return the reduction of a name, or raise an error whose text has this end."""
        if self.options is None:
            return self.default
        names = "add or multiply." if self.options is OLD_REDUCTIONS else _NAMES + end
        check(
            reduce in self.options,
            lambda: f"reduce argument must be either {names.format(reduce)}",
        )
        return self.options[reduce]


_NAMES = "sum, prod, mean, amax or amin"


class _Operands(NamedTuple):
    """The arguments of a call."""

    tensor: Tensor
    dim: int
    indices: Tensor
    source: Any
    """A tensor or a number."""
    reduce: str = ""
    include_self: bool = True

    @property
    def sources(self) -> tuple[Tensor, ...]:
        """The tensor of elements, if there is one."""
        return (self.source,) if isinstance(self.source, Tensor) else ()

    def wrapped(self) -> "_Operands":
        """Return the arguments with ``dim`` as a number from 0."""
        return self._replace(dim=view_shapes.wrap_dim(self.dim, self.tensor._geometry.rank))


def _scatter(op: Scatter, *arguments: Any, out: Tensor | None = None) -> Tensor:
    operands = _operands(*arguments)
    tensor, sources = operands.tensor, operands.sources
    if any(x._geometry.is_sparse for x in (tensor, operands.indices, *sources, *_given(out))):
        raise NotDense
    on_meta = is_on_meta(tensor, operands.indices, *sources, out)
    if out is not None:
        return _scatter_out(op, operands, out, on_meta=on_meta)
    if on_meta:
        result = in_reference(_on_meta, op, operands)
    else:
        _warn(op, operands)
        operands = operands.wrapped()
        _check(operands)
        geometry = tensor._geometry
        result = empty_tensor(geometry.shape, tensor._dtype, geometry.device)
        _apply(op, operands, result)
    if op.options is REDUCTIONS:
        check_no_complex_gradient(op.name, result._dtype, tensor, *sources)
    return record_grad_fn(result, (tensor, *sources), op.node)


def _operands(tensor: Tensor, dim: int, index: Tensor, source: Any, *others: Any) -> _Operands:
    if not isinstance(source, Tensor):
        source = python_scalar(source)
    return _Operands(tensor, dim, index, source, *others)


def _given(out: Tensor | None) -> tuple[Tensor, ...]:
    return () if out is None else (out,)


def _scatter_out(op: Scatter, operands: _Operands, out: Tensor, *, on_meta: bool) -> Tensor:
    tensor, index = operands.tensor, operands.indices
    if on_meta and op.name == "scatter_reduce":  # the others have no reference with out=
        result = in_reference(_on_meta, op, operands)
        into_meta(op.name, out, result._geometry, result._dtype)
    else:
        _warn(op, operands)
        operands = operands.wrapped()
        _check(operands)
        check_written_alone(out, index, *operands.sources)
        geometry = tensor._geometry
        prepare_out(tensor, on_device(dense(geometry.shape), geometry.device), (out, tensor._dtype))
        if on_meta:
            op.reduction(operands.reduce)
        else:
            _apply(op, operands, out)
    if op.node == _NO_NODE:
        return record_write(out, (tensor, *operands.sources), op.node)
    bump_version(out)
    return out


def _scatter_(op: Scatter, *arguments: Any) -> Tensor:
    operands = _operands(*arguments)
    tensor, sources = operands.tensor, operands.sources
    check_inplace(tensor, *sources)
    if any(x._geometry.is_sparse for x in (tensor, operands.indices, *sources)):
        raise NotDense
    if is_on_meta(tensor, operands.indices, *sources):
        in_reference(_check_on_meta, op, operands)
    else:
        _warn(op, operands)
        operands = operands.wrapped()
        _check(operands)
        check_written_alone(tensor, operands.indices, *sources)
        _apply(op, operands, tensor)
    return record_write(tensor, sources, op.node)


def _warn(op: Scatter, operands: _Operands) -> None:
    if op.options is OLD_REDUCTIONS and operands.sources:
        warn_once(triggered_at(_DEPRECATED, "aten/src/ATen/native/TensorAdvancedIndexing.cpp:225"))


_DEPRECATED = (
    "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a"
    " future PyTorch release. Use torch.scatter_reduce instead for more reduction options."
)


def _check(operands: _Operands) -> None:
    """Raise for operands that do not fit (ATen/native/ScatterGatherChecks.h)."""
    _check_dtypes(operands)
    tensor, dim, index = operands.tensor, operands.dim, operands.indices
    if not index._geometry.numel:
        return
    shape, own = index._geometry.shape, tensor._geometry.shape
    _check_rank(shape, own, "self")
    fits = _fits(shape, own, dim)
    of_source = ""
    for source in operands.sources:
        other = source._geometry.shape
        fits = fits and _fits_source(shape, other)
        _check_rank(shape, other, "src")
        of_source = f" and to be no larger size than src {[*other]}"
    check(
        fits,
        lambda: (
            f"Expected index {[*shape]} to be no larger than self {[*own]} apart from dimension"
            f" {dim}{of_source}"
        ),
    )


def _check_dtypes(operands: _Operands) -> None:
    index = operands.indices
    if index._geometry.numel:
        check(
            index._dtype in (INT64, INT32),
            lambda: "scatter(): Expected dtype int32/int64 for index",
        )
    for source in operands.sources:
        check(
            operands.tensor._dtype is source._dtype,
            lambda: "scatter(): Expected self.dtype to be equal to src.dtype",
        )


def _check_rank(shape: Ints, other: Ints, name: str) -> None:
    check(
        len(shape or (1,)) == len(other or (1,)),
        lambda: f"Index tensor must have the same number of dimensions as {name} tensor",
    )


def _fits(shape: Ints, other: Ints, dim: int | None) -> bool:
    """Return whether a shape is no larger than another one, apart from a dimension."""
    sizes = zip(shape or (1,), other or (1,), strict=True)
    return all(size <= limit or axis == dim for axis, (size, limit) in enumerate(sizes))


def _fits_source(shape: Ints, other: Ints) -> bool:
    """Return whether a shape is no larger than another one, which torch reads before its rank."""
    for axis, size in enumerate(shape or (1,)):
        if size > (other[view_shapes.wrap_dim(axis, len(other))] if other else 1):
            return False
    return True


def _apply(op: Scatter, operands: _Operands, result: Tensor) -> None:
    """Write the result for operands that fit."""
    tensor, dim, index, source, reduce, include_self = operands
    reduction = op.reduction(reduce)
    copy_to_result(result, tensor)
    if op.combines_rows and are_rows(result, dim, index, source):
        kernel = f"{op.name}_expanded_index"
        combine_rows(kernel, result, index, source, reduction, with_own=include_self)
        return
    if op.options is REDUCTIONS and result._storage is tensor._storage:
        copy_to_result(result, tensor)  # torch copies twice, which shows in shared memory
    if index._geometry.numel:
        if not include_self:
            exclude(result, dim, index, reduction)
        combine(result, dim, index, source, reduction)
    if reduction is MEAN:
        ones = counts_like(source, with_own=True)
        counts = counts_like(result, with_own=include_self)
        METHODS["scatter_add_"](counts, dim, index, ones)
        divide_sums(result, counts)


# Tensors on meta: scatter_meta_impl in torch/_meta_registrations.py.


def _on_meta(op: Scatter, operands: _Operands) -> Tensor:
    _check_on_meta(op, operands)
    tensor = operands.tensor
    result: Tensor = METHODS["new_empty"](tensor, tensor._geometry.shape)
    return result


def _check_on_meta(op: Scatter, operands: _Operands) -> None:
    operands = operands.wrapped()
    _check_dtypes(operands)
    if operands.indices._geometry.numel:
        _check_shapes_on_meta(operands)
    op.reduction(operands.reduce, ".")


def _check_shapes_on_meta(operands: _Operands) -> None:
    shape, own = operands.indices._geometry.shape, operands.tensor._geometry.shape
    _check_rank(shape, own, "self")
    check(
        _fits(shape, own, operands.dim),
        lambda: (
            f"Expected index {Size(shape)} to be no larger than self {Size(own)} apart from"
            f" dimension {operands.dim}"
        ),
    )
    for source in operands.sources:
        _check_source_on_meta(shape, own, source._geometry.shape)


def _check_source_on_meta(shape: Ints, own: Ints, other: Ints) -> None:
    _check_rank(own, other, "src")
    check(
        _fits(shape, other, None),
        lambda: f"Expected index {Size(shape)} to be no larger than src {Size(other)}",
    )


# The operators.

_NO_NODE = "NotImplemented"
"""The name of the grad_fn of an operator that torch cannot differentiate."""

_SRC = "int64_t dim, Tensor index, Tensor src"
_VALUE = "int64_t dim, Tensor index, Scalar value"
_REDUCE = "c10::string_view reduce"


def _overload(parameters: str, op: Scatter) -> Overload:
    run = partial(_scatter, op)
    if op.node == _NO_NODE:
        function = _checks_out(op, resolves_conj_neg(run))
    else:
        function = resolves_conj_neg(run, op.name, of=WITH_GRADIENTS)
    saved = op.node if op.options is REDUCTIONS else ""
    return Overload(parameters, function, resolves_conj_neg_in_place(partial(_scatter_, op), saved))


def _checks_out(op: Scatter, run: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Check the gradients of ``out`` first, for an operator that torch cannot differentiate."""

    def checked(*operands: Any, out: Tensor | None = None) -> Tensor:
        if out is not None:
            tensors = [x for x in operands if isinstance(x, Tensor)]
            check_no_leaf(f"aten::{op.name}", out, *tensors)
        return run(*operands, out=out)

    return checked


_reducing = Scatter("scatter", _NO_NODE, OLD_REDUCTIONS)
install_operator(
    "scatter",
    _overload(_SRC, Scatter("scatter", "ScatterBackward0")),
    _overload(f"{_SRC}, *, {_REDUCE}", _reducing),
    _overload(_VALUE, Scatter("scatter", "ScatterBackward1")),
    _overload(f"{_VALUE}, *, {_REDUCE}", _reducing),
    doc="Return a copy of a tensor with other elements at indices along a dimension.",
)
install_operator(
    "scatter_add",
    _overload(_SRC, Scatter("scatter_add", "ScatterAddBackward0", default=SUM)),
    doc="Return a tensor after elements were added at indices along a dimension.",
)
install_operator(
    "scatter_reduce",
    _overload(
        f"{_SRC}, {_REDUCE}, *, bool include_self=True",
        Scatter("scatter_reduce", "ScatterReduceBackward0", REDUCTIONS),
    ),
    doc="Return a tensor after elements were combined with others at indices along a dimension.",
)
