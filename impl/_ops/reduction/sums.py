"""Sums, products and means; and what tells whether all, any, or how many elements are true.

The rules are those of aten/src/ATen/native/ReduceOps.cpp.
"""

from functools import partial
from math import prod
from typing import Any

from ..._argparser.types import _is_integral
from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._arrays.parallel import quietly
from ..._devices.device import META
from ..._dtypes.constants import BOOL, INT64, UINT8
from ..._dtypes.table import as_dtype, dtype, spec_of
from ..._geometry.geometry import dense, on_device
from ..._kernels import reduction
from ..._kernels.elementwise import OPMATH_DTYPE
from ..._kernels.reduction import Loading, Reducer
from ..._numerics.cast import convert
from ..._numerics.type_info import finfo
from ..._runtime.errors import check
from ..._tensor.data_access import resolved_array, tensor_from_raw
from ..._tensor.factories import empty_with
from ..._tensor.out_autograd import check_no_gradients
from ..._tensor.tensor import Tensor, shallow_copy
from ..common.memory_overlap import check_no_overlap
from ..elementwise.arithmetic import DIV
from ..elementwise.binding import Overload, install_operator
from ..elementwise.plan import BOOLS, COMPLEX, FLOATS, HALF_COMPLEX, NUMBERS
from .fast_path import small_sum
from .reduce import (
    Dims,
    Reduction,
    check_dims,
    check_kernel,
    check_not_resized,
    finished,
    folded,
    loading,
    prepare,
    recorded,
    reduce,
    reduced_geometry,
    warn_of_lost_parts,
    warn_of_narrow_complex,
)
from .reduce_plan import keep, planned

_KINDS = BOOLS | NUMBERS | COMPLEX


_SUM = Reduction("sum", "sum_cpu", _KINDS, reduction.SUM, 0, buffered=True)
_SUMS = _SUM._replace(node="SumBackward0"), _SUM._replace(node="SumBackward1")
_PROD = Reduction(
    "prod", "prod_out_cpu", _KINDS, reduction.PRODUCT, 1, narrow=reduction.product_rounded
)
_PRODS = _PROD._replace(node="ProdBackward0"), _PROD._replace(node="ProdBackward1")
_NANSUM = Reduction("nansum", "nansum_cpu", FLOATS, reduction.NANSUM, 0, "NansumBackward0")
_ALL = Reduction("all", "and_all", frozenset(), reduction.ALL, 1)
_ANY = Reduction("any", "or_all", frozenset(), reduction.ANY, 0)


# Sums and products


def _summed_kind(tensor: Tensor, kind: Any, out: Tensor | None) -> dtype:
    """Return the dtype asked for, that of ``out``, or the tensor's; integers are summed as int64."""
    if kind is not None:
        return as_dtype(kind)
    if out is not None:
        return out._dtype
    own = tensor._dtype
    return INT64 if _is_integral(own, or_bool=True) else own


def _total(
    row: Reduction,
    tensor: Tensor,
    dims: Dims = None,
    keepdim: bool = False,
    kind: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    key = row.name, dims, keepdim, kind
    if out is not None:
        check_no_gradients(row.name, tensor, out)
    elif (found := planned(tensor, key)) is not None:
        return found
    wanted = _summed_kind(tensor, kind, out)
    check_dims(dims, tensor._geometry.rank)
    return reduce(row, tensor, dims, keepdim, wanted, out, key)


def _whole(row: Reduction, tensor: Tensor, kind: Any = None) -> Tensor:
    return _total(row, tensor, kind=kind)


def _sum(tensor: Tensor) -> Tensor:
    found = small_sum(tensor)
    return _whole(_SUMS[0], tensor) if found is None else found


def _prod_dim(
    tensor: Tensor, dim: int, keepdim: bool, kind: Any, out: Tensor | None = None
) -> Tensor:
    return _total(_PRODS[1], tensor, (dim,), keepdim, kind, out)


def _nansum(
    tensor: Tensor,
    dims: Dims = None,
    keepdim: bool = False,
    kind: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    if out is not None:
        check_no_gradients("nansum", tensor, out)
    own = tensor._dtype
    wanted = _summed_kind(tensor, kind, out)
    if out is None:
        reduced_geometry(tensor._geometry, dims, keepdim)
    if own.is_complex:
        warn_of_narrow_complex(wanted, made=out is None, converted=False)
        raise RuntimeError("nansum on CPU does not support complex inputs")
    if _is_integral(own, or_bool=True):
        return _total(_SUM, tensor, dims, keepdim, kind, out)
    if kind is not None and _is_integral(wanted, or_bool=True):
        total = _total(_SUM, _without_nan(tensor), dims, keepdim, kind, out)
        return recorded(total, tensor, _NANSUM.node) if out is None else total
    if out is not None:
        check(
            out._dtype is wanted,
            lambda: (
                "nansum: provided dtype must match dtype of result. Got"
                f" {spec_of(out._dtype).cpp_name} and {spec_of(wanted).cpp_name}."
            ),
        )
    return reduce(_NANSUM, tensor, dims, keepdim, wanted, out)


def _without_nan(tensor: Tensor) -> Tensor:
    """Return a copy with 0 in the place of NaN, and the largest numbers in that of infinities."""
    own = tensor._dtype
    check_kernel("nan_to_num", FLOATS, own, tensor)
    if tensor._geometry.device is META:
        return empty_with(on_device(dense(tensor._geometry.shape), META), own)
    computed = OPMATH_DTYPE.get(own, own)
    most: float = finfo(own).max  # type: ignore[call-arg]  # its metaclass takes it
    numbers = np.nan_to_num(
        convert(resolved_array(tensor), own, computed), posinf=most, neginf=-most
    )
    found = np.array(convert(numbers, computed, own), order="C")
    return tensor_from_raw(found, own, tensor._geometry.device)


# Means


def _mean(
    node: str,
    tensor: Tensor,
    dims: Dims = None,
    keepdim: bool = False,
    kind: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    key = "mean", dims, keepdim, kind
    if out is not None:
        check_no_gradients("mean", tensor, out)
    elif (found := planned(tensor, key)) is not None:
        return found
    source = tensor._dtype if kind is None else as_dtype(kind)
    _check_mean("mean", "Input" if kind is None else "Optional", source)
    wanted = source if kind is not None or out is None else out._dtype
    check_dims(dims, tensor._geometry.rank)
    axes, geometry = reduced_geometry(tensor._geometry, dims, keepdim)
    count = prod([tensor._geometry.shape[axis] for axis in axes])
    if wanted not in FLOATS | COMPLEX or not tensor._geometry.numel:
        total = reduce(_SUM, tensor, dims, keepdim, wanted, out)
        DIV.change(
            shallow_copy(total), count
        )  # torch counts no write of a tensor that nobody has seen
        return recorded(total, tensor, node if out is None else "")
    if out is not None:
        before = tensor._geometry
        prepare(out, wanted, geometry)
        check_not_resized(tensor, before)
        check_no_overlap(out)
    if tensor._geometry.device is META:
        warn_of_lost_parts(tensor, wanted)
        result = finished(None, geometry, wanted, out)
        return recorded(result, tensor, node) if out is None else result
    computed = OPMATH_DTYPE.get(wanted, wanted)
    divide, divisor = DIV.row.compute.of(computed), numpy_storage_dtype(computed).type(count)

    def work(raw: Any) -> Any:
        total = reduction.apply(reduction.SUM, raw, axes, loading(tensor._dtype, wanted))
        return np.asarray(convert(quietly(divide, total, divisor), computed, wanted))

    if out is None:
        keep(tensor, key, work, geometry, wanted)
    result = finished(work(resolved_array(tensor)), geometry, wanted, out)
    return recorded(result, tensor, node) if out is None else result


def _check_mean(name: str, what: str, dtype: dtype) -> None:
    check(
        dtype.is_floating_point or dtype.is_complex,
        lambda: (
            f"{name}(): could not infer output dtype. {what} dtype must be either a floating"
            f" point or complex dtype. Got: {spec_of(dtype).cpp_name}"
        ),
    )


def _mean_whole(tensor: Tensor, kind: Any = None, out: Tensor | None = None) -> Tensor:
    return _mean("MeanBackward0", tensor, kind=kind, out=out)


def _nanmean(
    tensor: Tensor, dims: Dims, keepdim: bool, kind: Any, out: Tensor | None = None
) -> Tensor:
    own = tensor._dtype
    if out is None:
        check(
            own.is_floating_point or own.is_complex,
            lambda: (
                "nanmean(): expected input to have floating point or complex dtype but got"
                f" {spec_of(own).cpp_name}"
            ),
        )
    else:
        check(
            not _is_integral(own, or_bool=True),
            lambda: (
                "nanmean(): integral types and 'Bool' are not supported for nanmean, even for"
                " empty tensors."
            ),
        )
    if kind is not None:
        _check_mean("nanmean", "Optional", as_dtype(kind))
    check_dims(dims, tensor._geometry.rank)
    reduced_geometry(tensor._geometry, dims, keepdim)
    total = _nansum(tensor, dims, keepdim, kind, out)
    count = _counted(tensor, dims, keepdim, _NOT_NAN)
    return DIV(total, count) if out is None else DIV.change(out, count)


_NOT_NAN = reduction.COUNT._replace(first=lambda numbers: ~np.isnan(numbers))
_NOT_ZERO = reduction.COUNT._replace(first=lambda numbers: numbers != 0)


# Truth


def _truth(
    row: Reduction,
    tensor: Tensor,
    dims: Dims = None,
    keepdim: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    own = tensor._dtype
    key = row.name, dims, keepdim
    if out is None and (found := planned(tensor, key)) is not None:
        return found
    if out is not None:
        check(
            out._dtype in (BOOL, UINT8),
            lambda: (
                f"{row.name} only supports bool tensor for result, got:"
                f" {spec_of(out._dtype).cpp_name}"
            ),
        )
        kind = out._dtype
    else:
        kind = UINT8 if own is UINT8 else BOOL
    check_dims(dims, tensor._geometry.rank)
    axes, geometry = reduced_geometry(tensor._geometry, dims, keepdim)
    if dims == ():
        # Here no dimensions are none: each element is looked at by itself.
        axes, geometry = (), on_device(dense(tensor._geometry.shape), tensor._geometry.device)
    if out is not None:
        before = tensor._geometry
        prepare(out, kind, geometry)
        check_not_resized(tensor, before)
    numel = tensor._geometry.numel
    if tensor._geometry.device is META:
        return finished(None, geometry, kind, out)
    if not numel:
        found = np.full(geometry.shape, row.empty, numpy_storage_dtype(kind))
    elif numel == 1:
        found = convert(convert(resolved_array(tensor), own, BOOL), BOOL, kind)
        found = np.array(found).reshape(geometry.shape)
    else:
        # Of other dtypes, too, torch looks at what becomes of the elements as that of the result.
        found = folded(row.fold, tensor, axes, kind)
        if out is None:
            work = partial(_fold_small, row.fold, axes, loading(own, kind))
            keep(tensor, key, work, geometry, kind)
    return finished(found, geometry, kind, out)


def _fold_small(fold: Reducer, axes: tuple[int, ...], load: Loading | None, raw: Any) -> Any:
    return reduction.small(fold, raw, axes, load)


def _truth_dim(
    row: Reduction, tensor: Tensor, dim: int, keepdim: bool, out: Tensor | None = None
) -> Tensor:
    return _truth(row, tensor, (dim,), keepdim, out)


def _count_nonzero(tensor: Tensor, dim: int | None = None) -> Tensor:
    """count_nonzero(input, dim=None): return how many elements are not zero, as int64."""
    if dim is not None:
        return _count_along(tensor, (dim,))
    if (found := planned(tensor, _COUNTED)) is not None:
        return found
    check_kernel("nonzero_count_cpu", _KINDS | HALF_COMPLEX, tensor._dtype, tensor)
    result = _counted(tensor, None, False, _NOT_ZERO)
    axes = tuple(range(tensor._geometry.rank))
    work = partial(_fold_small, _NOT_ZERO, axes, loading(tensor._dtype, tensor._dtype))
    keep(tensor, _COUNTED, work, result._geometry, INT64)
    return result


_COUNTED = ("count_nonzero",)


def _count_along(tensor: Tensor, dims: Dims) -> Tensor:
    """Count along dimensions what is not equal to zero, which is all that torch asks here."""
    if not dims:
        return _count_nonzero(tensor)
    own = tensor._dtype
    warn_of_narrow_complex(own, made=False, converted=True)
    check_dims(dims, tensor._geometry.rank)
    zero = convert(convert(np.zeros(1, bool), BOOL, own), own, OPMATH_DTYPE.get(own, own))
    fold = reduction.COUNT._replace(first=lambda numbers: numbers != zero)
    return _counted(tensor, dims, False, fold)


def _counted(tensor: Tensor, dims: Dims, keepdim: bool, fold: Reducer) -> Tensor:
    axes, geometry = reduced_geometry(tensor._geometry, dims, keepdim)
    if not tensor._geometry.numel:
        is_meta = tensor._geometry.device is META
        zeros = None if is_meta else np.zeros(geometry.shape, np.int64)
        return finished(zeros, geometry, INT64)
    return finished(folded(fold, tensor, axes, tensor._dtype), geometry, INT64)


_REST = "bool keepdim=False"
_KIND = "*, ScalarType? dtype=None"
_DIMS = f"IntArrayRef[1]? dim, {_REST}"
_SOME_DIMS = f"IntArrayRef[1]? dim=None, {_REST}"
_DIM = f"int64_t dim, {_REST}"

install_operator(
    "sum",
    Overload(_KIND, partial(_whole, _SUMS[0]), out=False),
    Overload(f"{_DIMS}, {_KIND}", partial(_total, _SUMS[1])),
    doc="Return the sum of all elements, or of those along dimensions.",
    bare=_sum,
)
install_operator(
    "nansum",
    Overload(f"{_SOME_DIMS}, {_KIND}", _nansum),
    doc="Return the sum of the elements, with 0 in the place of NaN.",
)
install_operator(
    "prod",
    Overload(_KIND, partial(_whole, _PRODS[0]), out=False),
    Overload(f"{_DIM}, {_KIND}", _prod_dim),
    doc="Return the product of all elements, or of those along a dimension.",
    bare=partial(_whole, _PRODS[0]),
)
install_operator(
    "mean",
    Overload(_KIND, _mean_whole),
    Overload(f"{_DIMS}, {_KIND}", partial(_mean, "MeanBackward1")),
    doc="Return the mean of all elements, or of those along dimensions.",
    bare=_mean_whole,
)
install_operator(
    "nanmean",
    Overload(f"{_SOME_DIMS}, {_KIND}", _nanmean),
    doc="Return the mean of the elements that are not NaN.",
)
for _row, _doc in ((_ALL, "all elements are true"), (_ANY, "any element is true")):
    install_operator(
        _row.name,
        Overload("", partial(_truth, _row)),
        Overload(_SOME_DIMS, partial(_truth, _row)),
        Overload(_DIM, partial(_truth_dim, _row)),
        doc=f"Tell whether {_doc}, in all or along dimensions.",
        bare=partial(_truth, _row),
    )
install_operator(
    "count_nonzero",
    Overload("int64_t? dim=None", _count_nonzero, out=False),
    Overload("IntArrayRef dim", _count_along, out=False),
    doc="Return how many elements are not zero, in all or along dimensions.",
    bare=_count_nonzero,
)
