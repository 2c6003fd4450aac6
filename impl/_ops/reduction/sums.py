"""sum, prod, mean, their variants for NaN, all, any and count_nonzero.

They follow aten/src/ATen/native/ReduceOps.cpp.
"""

from functools import partial
from math import prod
from typing import Any

from ..._argparser.types import is_integral_dtype
from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._arrays.parallel import without_fp_warnings
from ..._dtypes.constants import BFLOAT16, BOOL, FLOAT16, INT64, UINT8
from ..._dtypes.table import as_dtype, dtype, spec_of
from ..._geometry import broadcasting
from ..._geometry.geometry import dense, on_device
from ..._kernels import reduction
from ..._kernels.elementwise import OPMATH_DTYPE
from ..._kernels.reduction import Reducer
from ..._numerics.cast import convert
from ..._numerics.promotion import can_cast
from ..._numerics.type_info import finfo
from ..._runtime.errors import NotDense, check
from ..._tensor.data_access import resolved_array, tensor_from_raw
from ..._tensor.out_autograd import gradient_check, with_gradient_check
from ..._tensor.tensor import Tensor, shallow_copy
from ..common.conj_neg_fallback import resolve_conj_neg, resolve_operands
from ..common.memory_overlap import check_no_overlap
from ..common.out_argument import check_shape
from ..common.reference_dtypes import check_promotes
from ..elementwise.arithmetic import DIV
from ..elementwise.binding import Overload, install_operator
from ..elementwise.plan import BOOLS, COMPLEX, FLOATS, HALF_COMPLEX, NUMBERS
from . import references
from .fast_path import small_sum
from .reduce import (
    Dims,
    Reduction,
    check_dims,
    check_kernel,
    filled,
    initialize_out,
    load_for,
    merge_lines,
    prepare_out,
    reduce,
    reduced,
    reduced_geometry,
    resolves_bits,
    resolves_tensor,
    result_dtype_of,
    to_tensor,
    warn_of_narrow_complex,
    with_grad_fn,
)
from .reduce_plan import cached_result, remember

_DTYPES = BOOLS | NUMBERS | COMPLEX

_SUM = Reduction("sum", "sum_cpu", _DTYPES, reduction.SUM, 0, buffered=True)
_SUMS = _SUM._replace(node="SumBackward0"), _SUM._replace(node="SumBackward1")
_PROD = Reduction(
    "prod", "prod_out_cpu", _DTYPES, reduction.PRODUCT, 1, narrow=reduction.rounded_product
)
_PRODS = _PROD._replace(node="ProdBackward0"), _PROD._replace(node="ProdBackward1")
_NANSUM = Reduction("nansum", "nansum_cpu", FLOATS, reduction.NANSUM, 0, "NansumBackward0")
_ALL = Reduction("all", "and_all", frozenset(), reduction.ALL, 1)
_ANY = Reduction("any", "or_all", frozenset(), reduction.ANY, 0)


# sum and prod


def _reduce(
    spec: Reduction,
    tensor: Tensor,
    dims: Dims = None,
    keepdim: bool = False,
    dtype: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    key = spec.name, dims, keepdim, dtype
    if out is None and (result := cached_result(tensor, key)) is not None:
        return result
    if references.uses_reference(tensor, out):
        total_dtype = references.dtype_of_total(tensor, dtype, out)
        geometry = references.reference_geometry(tensor._geometry, dims, keepdim)
        return references.result(spec.name, tensor, geometry, total_dtype, out, spec.node)
    check_dims(dims, tensor._geometry.rank)
    return reduce(spec, tensor, dims, keepdim, result_dtype_of(tensor, dtype, out), out, key)


def _sum(tensor: Tensor, dtype: Any = None) -> Tensor:
    result = small_sum(tensor) if dtype is None else None
    return _sum_of_all(tensor, dtype=dtype) if result is None else result


def _nansum(
    tensor: Tensor,
    dims: Dims = None,
    keepdim: bool = False,
    dtype: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    if references.uses_reference(tensor, out):
        return references.nansum(_NANSUM.node, tensor, dims, keepdim, dtype, out)
    source = tensor._dtype
    sum_dtype = result_dtype_of(tensor, dtype, out)
    if out is None:
        reduced_geometry(tensor._geometry, dims, keepdim)
    if source.is_complex:
        warn_of_narrow_complex(sum_dtype, allocated=out is None, converted=False)
        raise RuntimeError("nansum on CPU does not support complex inputs")
    if is_integral_dtype(source, or_bool=True):
        return _reduce(_SUM, tensor, dims, keepdim, dtype, out)
    if dtype is not None and is_integral_dtype(sum_dtype, or_bool=True):
        total = _reduce(_SUM, _without_nan(tensor), dims, keepdim, dtype, out)
        return with_grad_fn(total, tensor, _NANSUM.node) if out is None else total
    if out is not None:
        check(
            out._dtype is sum_dtype,
            lambda: (
                "nansum: provided dtype must match dtype of result. Got"
                f" {spec_of(out._dtype).cpp_name} and {spec_of(sum_dtype).cpp_name}."
            ),
        )
    return reduce(_NANSUM, tensor, dims, keepdim, sum_dtype, out)


def _without_nan(tensor: Tensor) -> Tensor:
    """Return a copy with NaN replaced by 0, and infinities by the dtype's limits."""
    dtype = tensor._dtype
    check_kernel("nan_to_num", FLOATS, dtype, tensor)
    compute_dtype = OPMATH_DTYPE.get(dtype, dtype)
    limit: float = finfo(dtype).max  # type: ignore[call-arg]  # its metaclass takes it
    numbers = np.nan_to_num(
        convert(resolved_array(tensor), dtype, compute_dtype), posinf=limit, neginf=-limit
    )
    raw = np.array(convert(numbers, compute_dtype, dtype), order="C")
    return tensor_from_raw(raw, dtype, tensor._geometry.device)


# mean and nanmean


def _mean(
    node: str,
    tensor: Tensor,
    dims: Dims = None,
    keepdim: bool = False,
    dtype: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    key = "mean", dims, keepdim, dtype
    if out is None and (result := cached_result(tensor, key)) is not None:
        return result
    if references.uses_reference(tensor, out):
        return references.mean(node, tensor, dims, keepdim, dtype, out)
    source = tensor._dtype if dtype is None else as_dtype(dtype)
    _check_mean("mean", "Input" if dtype is None else "Optional", source)
    mean_dtype = source if dtype is not None or out is None else out._dtype
    check_dims(dims, tensor._geometry.rank)
    axes, geometry = reduced_geometry(tensor._geometry, dims, keepdim)
    if out is not None and prepare_out(tensor, geometry, (out, mean_dtype), dims=dims):
        axes, geometry = reduced_geometry(tensor._geometry, dims, keepdim)  # of the result itself
    count = prod([tensor._geometry.shape[axis] for axis in axes])
    is_narrow = mean_dtype in (FLOAT16, BFLOAT16)
    if (
        (out is not None and not is_narrow)
        or mean_dtype not in FLOATS | COMPLEX
        or not tensor._geometry.numel
    ):
        total = reduce(_SUM, tensor, dims, keepdim, mean_dtype, out)
        # Torch counts no write to a temporary tensor.
        DIV.inplace(shallow_copy(total), count)
        return with_grad_fn(total, tensor, node if out is None else "")
    if out is not None:  # torch copies the result to it
        check_no_overlap(out)
        shape = out._geometry.shape
        check_shape(out, broadcasting.broadcast_pair(shape, geometry.shape))
    compute_dtype = OPMATH_DTYPE.get(mean_dtype, mean_dtype)
    divide = DIV.spec.compute.of(compute_dtype)
    divisor = numpy_storage_dtype(compute_dtype).type(count)
    # Torch casts to float32 for a narrow float (mean_out in ATen/native/ReduceOps.cpp).
    load = load_for(tensor._dtype, compute_dtype if mean_dtype in FLOATS else mean_dtype)

    def function(raw: Any) -> Any:
        total = reduction.reduce(reduction.SUM, raw, axes, load)
        return np.asarray(
            convert(without_fp_warnings(divide, total, divisor), compute_dtype, mean_dtype)
        )

    if out is None:
        remember(tensor, key, function, geometry, mean_dtype)
    return to_tensor(function(resolved_array(tensor)), geometry, mean_dtype, out, tensor, node)


def _mean_with_dtype(tensor: Tensor, dtype: Any, out: Tensor | None = None) -> Tensor:
    """Return the mean of all elements; ``out`` is checked first (mean_dtype_out)."""
    if not references.uses_reference(tensor, out):
        check_mean_cast(tensor, out)
    return _mean("MeanBackward0", tensor, dtype=dtype, out=out)


def check_mean_cast(tensor: Tensor, out: Tensor | None) -> None:
    """Raise if the mean of all elements cannot be cast to ``out``."""
    check(
        out is None or can_cast(tensor._dtype, out._dtype),
        lambda: (
            "mean.dtype_out(): input types can't be cast to the desired output type"
            f" {spec_of(out._dtype).cpp_name}"  # type: ignore[union-attr]
        ),
    )


def _check_mean(name: str, role: str, dtype: dtype) -> None:
    check(
        dtype.is_floating_point or dtype.is_complex,
        lambda: (
            f"{name}(): could not infer output dtype. {role} dtype must be either a floating"
            f" point or complex dtype. Got: {spec_of(dtype).cpp_name}"
        ),
    )


def check_nanmean(dtype: dtype, out: Tensor | None = None) -> None:
    """Raise if nanmean() has no result for elements of a dtype."""
    if out is not None:
        check(
            not is_integral_dtype(dtype, or_bool=True),
            lambda: (
                "nanmean(): integral types and 'Bool' are not supported for nanmean, even for"
                " empty tensors."
            ),
        )
        return
    check(
        dtype.is_floating_point or dtype.is_complex,
        lambda: (
            "nanmean(): expected input to have floating point or complex dtype but got"
            f" {spec_of(dtype).cpp_name}"
        ),
    )


def _nanmean(
    tensor: Tensor, dims: Dims, keepdim: bool, dtype: Any, out: Tensor | None = None
) -> Tensor:
    source = tensor._dtype
    check_nanmean(source, out)
    if dtype is not None:
        _check_mean("nanmean", "Optional", as_dtype(dtype))
    compared, _ = resolve_operands((tensor, tensor))  # torch compares the tensor with itself
    if not references.uses_reference(tensor):
        check_dims(dims, tensor._geometry.rank)
        reduced_geometry(tensor._geometry, dims, keepdim)
    count = _count(compared, dims, keepdim, _NOT_NAN)
    total = _resolved_nansum(tensor, dims, keepdim, dtype, out=out)
    return DIV(total, count) if out is None else DIV.inplace(out, count)


def _check_nanmean_out(operands: tuple[Any, ...], out: Any) -> None:
    check_nanmean(operands[0]._dtype, out)
    gradient_check("nansum")(operands, out)


with_gradient_check(_nanmean, _check_nanmean_out)

_NOT_NAN = reduction.COUNT._replace(prepare=lambda numbers: ~np.isnan(numbers))
_NOT_ZERO = reduction.COUNT._replace(prepare=lambda numbers: numbers != 0)


# all, any and count_nonzero


def _all_or_any(
    spec: Reduction,
    tensor: Tensor,
    dims: Dims = None,
    keepdim: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    source = tensor._dtype
    key = spec.name, dims, keepdim
    if out is None and (raw := cached_result(tensor, key)) is not None:
        return raw
    if references.uses_reference(tensor, out):
        return references.all_or_any(spec.name, tensor, dims, keepdim, out)
    dtype = (UINT8 if source is UINT8 else BOOL) if out is None else out._dtype
    check(
        dtype in (BOOL, UINT8),
        lambda: f"{spec.name} only supports bool tensor for result, got: {spec_of(dtype).cpp_name}",
    )
    check_dims(dims, tensor._geometry.rank)
    axes, geometry = reduced_geometry(tensor._geometry, dims, keepdim)
    if dims == ():
        # Empty dims reduce nothing here, instead of all dimensions.
        axes, geometry = (), on_device(dense(tensor._geometry.shape), tensor._geometry.device)
    is_resized = out is not None and prepare_out(tensor, geometry, (out, dtype), dims=dims)
    numel = tensor._geometry.numel
    # A resized tensor is the result itself, with the initial value.
    if not numel or (is_resized and numel > 1):
        raw = filled(geometry, spec.empty, dtype)
    elif numel == 1:
        raw = convert(convert(resolved_array(tensor), source, BOOL), BOOL, dtype)
        raw = np.array(raw).reshape(geometry.shape)
    else:
        # Torch converts the elements to the result dtype first.
        initialize_out(spec, tensor, out, dtype)
        axes, geometry = merge_lines(out, tensor._geometry, axes, geometry)
        raw = reduced(spec.reducer, tensor, axes, dtype)
        if out is None:
            load = load_for(source, dtype)
            function = partial(reduction.reduce_small, spec.reducer, axes=axes, load=load)
            remember(tensor, key, function, geometry, dtype)
    return to_tensor(raw, geometry, dtype, out)


def _count_nonzero(tensor: Tensor, dim: int | None = None) -> Tensor:
    if dim is not None:
        return _count_nonzero_dims(tensor, (dim,))
    tensor = resolve_conj_neg(tensor)
    if (result := cached_result(tensor, _COUNT_KEY)) is not None:
        return result
    check_kernel("nonzero_count_cpu", _DTYPES | HALF_COMPLEX, tensor._dtype, tensor)
    result = _count(tensor, None, False, _NOT_ZERO)
    axes, load = tuple(range(tensor._geometry.rank)), load_for(tensor._dtype, tensor._dtype)
    function = partial(reduction.reduce_small, _NOT_ZERO, axes=axes, load=load)
    remember(tensor, _COUNT_KEY, function, result._geometry, INT64)
    return result


_COUNT_KEY = ("count_nonzero",)


def _count_nonzero_dims(tensor: Tensor, dims: Dims) -> Tensor:
    """Count elements along dimensions by comparison with zero, for any dtype."""
    if not dims:
        return _count_nonzero(tensor)
    if tensor._geometry.is_sparse:
        raise NotDense
    dtype = tensor._dtype
    tensor = resolve_conj_neg(tensor)
    if references.uses_reference(tensor):
        return _count(tensor, dims, False, _NOT_ZERO)
    zero = convert(convert(np.zeros(1, bool), BOOL, dtype), dtype, OPMATH_DTYPE.get(dtype, dtype))
    warn_of_narrow_complex(dtype, allocated=False, converted=True)
    check_dims(dims, tensor._geometry.rank)
    reducer = reduction.COUNT._replace(prepare=lambda numbers: numbers != zero)
    return _count(tensor, dims, False, reducer)


def _count(tensor: Tensor, dims: Dims, keepdim: bool, reducer: Reducer) -> Tensor:
    if references.uses_reference(tensor):
        check_promotes(tensor)  # for the comparison
        geometry = references.reference_geometry(tensor._geometry, dims, keepdim)
        return references.result("sum", tensor, geometry, INT64, None)
    axes, geometry = reduced_geometry(tensor._geometry, dims, keepdim)
    if not tensor._geometry.numel:
        return to_tensor(np.zeros(geometry.shape, np.int64), geometry, INT64)
    return to_tensor(reduced(reducer, tensor, axes, tensor._dtype), geometry, INT64)


def _of_all(run: Any) -> Any:
    """Return the overload of all elements, whose first parameter is the dtype."""
    return lambda tensor, dtype, **out: run(tensor, dtype=dtype, **out)


def _of_dim(run: Any) -> Any:
    return lambda tensor, dim, *bound, **out: run(tensor, (dim,), *bound, **out)


_KEEPDIM = "bool keepdim=False"
_DTYPE = "*, ScalarType? dtype=None"
_DIMS = f"IntArrayRef[1]? dim, {_KEEPDIM}"
_SOME_DIMS = f"IntArrayRef[1]? dim=None, {_KEEPDIM}"
_DIM = f"int64_t dim, {_KEEPDIM}"

_resolved_nansum = resolves_bits(_nansum, "nansum")
_sum_of_all = resolves_bits(partial(_reduce, _SUMS[0]))
_prod = resolves_bits(partial(_reduce, _PRODS[0]))
install_operator(
    "sum",
    Overload(_DTYPE, _of_all(_sum), out=False),
    Overload(f"{_DIMS}, {_DTYPE}", resolves_bits(partial(_reduce, _SUMS[1]), "sum")),
    doc="Return the sum of all elements, or of those along dimensions.",
    tensor_only=_sum,
)
install_operator(
    "nansum",
    Overload(f"{_SOME_DIMS}, {_DTYPE}", _resolved_nansum),
    doc="Return the sum of the elements, with NaN as 0.",
)
install_operator(
    "prod",
    Overload(_DTYPE, _of_all(_prod), out=False),
    Overload(f"{_DIM}, {_DTYPE}", _of_dim(resolves_bits(partial(_reduce, _PRODS[1]), "prod"))),
    doc="Return the product of all elements, or of those along a dimension.",
    tensor_only=resolves_tensor(partial(_reduce, _PRODS[0])),
)
install_operator(
    "mean",
    Overload(_DTYPE, resolves_bits(_mean_with_dtype, "mean")),
    Overload(f"{_DIMS}, {_DTYPE}", resolves_bits(partial(_mean, "MeanBackward1"), "mean")),
    doc="Return the mean of all elements, or of those along dimensions.",
    tensor_only=resolves_tensor(partial(_mean, "MeanBackward0")),
)
install_operator(
    "nanmean",
    Overload(f"{_SOME_DIMS}, {_DTYPE}", _nanmean),
    doc="Return the mean of the elements that are not NaN.",
)
for _spec, _doc in ((_ALL, "all elements are true"), (_ANY, "any element is true")):
    _run = resolves_bits(partial(_all_or_any, _spec))
    install_operator(
        _spec.name,
        Overload("", _run),
        Overload(f"IntArrayRef? dim=None, {_KEEPDIM}", _run),
        Overload(_DIM, _of_dim(_run)),
        doc=f"Return whether {_doc}, in total or along dimensions.",
        tensor_only=resolves_tensor(partial(_all_or_any, _spec)),
    )
install_operator(
    "count_nonzero",
    Overload("int64_t? dim=None", _count_nonzero, out=False),
    Overload("IntArrayRef dim", _count_nonzero_dims, out=False),
    doc="Return the number of nonzero elements, in total or along dimensions.",
    tensor_only=_count_nonzero,
)
