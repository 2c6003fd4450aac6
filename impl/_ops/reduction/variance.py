"""The reductions std, var, std_mean and var_mean (std_var_out in ATen/native/ReduceOps.cpp).

A complex variance is the sum of those of the real and the imaginary parts.
"""

from functools import partial
from typing import Any

from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._autograd.autograd_meta import bump_version
from ..._dtypes.constants import BFLOAT16, COMPLEX32, FLOAT16, FLOAT32, FLOAT64
from ..._dtypes.table import dtype, spec_of
from ..._geometry.extents import Ints
from ..._geometry.geometry import Geometry, dense
from ..._kernels import reduction, variance
from ..._kernels.elementwise import OPMATH_DTYPE
from ..._numerics.cast import convert
from ..._numerics.encode_scalar import encode_scalar
from ..._numerics.promotion import can_cast
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import check
from ..._runtime.warnings import triggered_at, warn
from ..._tensor.allocation import fill_path, resize_output, warn_complex32, warn_resized_output
from ..._tensor.data_access import resolved_array, write_cast
from ..._tensor.factories import python_scalar
from ..._tensor.out_autograd import gradient_check, with_gradient_check
from ..._tensor.tensor import Tensor, shallow_copy
from ..common.array_plans import is_noting, note_arrays
from ..common.device_checks import common_device
from ..common.memory_overlap import check_no_overlap
from ..common.reference_dtypes import check_promotes
from ..creation.sequence_common import as_double
from ..elementwise.arithmetic import ADD
from ..elementwise.binding import Overload, install_operator
from . import references
from .own_result import own_lines, reduce_lines
from .reduce import (
    Dims,
    check_opaque_copy,
    merge_lines,
    reduced_geometry,
    resolves_bits,
    to_tensor,
    warn_of_narrow_complex,
)
from .reduce_plan import function_of

_DTYPES = (FLOAT16, BFLOAT16, FLOAT32, FLOAT64)


def _std_or_var(
    name: str,
    tensor: Tensor,
    dims: Dims = None,
    correction: Any = None,
    keepdim: bool = False,
    out: Tensor | None = None,
) -> Any:
    if references.uses_reference(tensor, out):
        return _reference(name, tensor, dims, correction, keepdim, out)
    source, is_pair = tensor._dtype, name.endswith("_mean")
    number = 1 if correction is None else python_scalar(correction)
    check(
        source.is_floating_point or source.is_complex,
        lambda: (
            f"{name if is_pair else 'std and var'} only support floating point and complex dtypes"
        ),
    )
    if source is COMPLEX32 and is_pair and out is None:
        warn_complex32()
    degrees = as_double(number)
    axes, geometry = reduced_geometry(tensor._geometry, dims, keepdim)
    real = _real(source)
    dtypes = (real, source) if is_pair else (real,)
    if out is not None:
        return _into(name, tensor, axes, degrees, geometry, out, keepdim=keepdim)
    raws = _moments(name, tensor, axes, degrees, geometry, real)
    results = _results(name, tensor, raws, geometry, dtypes)
    if is_noting() and source in (FLOAT32, FLOAT64) and geometry.numel:
        _note(name, results, tensor, axes, degrees, geometry)
    return results


def _note(
    name: str, results: Any, tensor: Tensor, axes: tuple[int, ...], degrees: float, result: Geometry
) -> None:
    """Note the function of an array of wide floats that computes its moments without warnings."""
    dtype, source = tensor._dtype, tensor._geometry
    if source.numel // result.numel - degrees <= 0:
        return
    is_pair = name.endswith("_mean")
    if result.numel > 1 or is_pair:
        compute = partial(_along_axes, name, source.stride, axes, degrees, result, dtype, dtype)
        note_arrays(compute if is_pair else lambda raw: compute(raw)[0], results, tensor)
        return
    mean = function_of(tensor, ("mean", None, False, None))
    if mean is not None:

        def of_all(raw: Any) -> Any:
            return _of_all(name, raw, float(mean(raw)), degrees, result, dtype, dtype)

        note_arrays(of_all, results, tensor)


def _results(
    name: str, tensor: Tensor, raws: Any, geometry: Geometry, dtypes: tuple[dtype, ...]
) -> Any:
    """Return the variances or their roots, or a pair of them and the means."""
    node = "".join(map(str.capitalize, name.split("_"))) + "Backward0"
    results = [
        to_tensor(raw, geometry, dtype, None, tensor, node)
        for raw, dtype in zip(raws, dtypes, strict=False)
    ]
    for index, result in enumerate(results):
        if result._autograd_meta is not None:
            result._autograd_meta.output_nr = index
    return tuple(results) if len(dtypes) == 2 else results[0]


def _reference(
    name: str, tensor: Tensor, dims: Dims, correction: Any, keepdim: bool, out: Tensor | None
) -> Any:
    """Return the results of the reference, which takes integers except for means."""
    number = None if correction is None else python_scalar(correction)
    check(
        not isinstance(number, complex),
        lambda: "correction argument should be integer or float",
        ValueError,
    )
    geometry = references.reference_geometry(tensor._geometry, dims, keepdim)
    real = _real(tensor._dtype)
    if name == "std":
        check_promotes(tensor)  # for the square root
    if out is not None or not name.endswith("_mean"):
        node = f"{name.capitalize()}Backward0"
        return references.result(name, tensor, geometry, real, out, node)
    references.mean("", tensor, dims, keepdim, None, None)
    return _results(name, tensor, (None, None), geometry, (real, tensor._dtype))


def _real(dtype: dtype) -> dtype:
    return dtype.to_real() if dtype.is_complex else dtype


def _into(
    name: str, tensor: Tensor, axes: tuple[int, ...], degrees: float, result: Geometry, out: Tensor,
    *, keepdim: bool,
) -> Tensor:  # fmt: skip
    """Write the result into ``out``; elements are cast to its dtype before they are reduced."""
    source, dtype = tensor._dtype, out._dtype
    common_device((out, tensor), allow_cpu_scalars=False)
    if not source.is_complex:
        before = tensor._geometry
        resize_output(out, result.shape)
        if tensor._geometry is not before:
            if _has_lines(out):
                return _of_own_lines(name, out, axes, degrees, keepdim)
            axes = ()
    part, real = _real(source), _real(dtype) if source.is_complex else dtype
    check(
        can_cast(part, real),
        lambda: (
            f"result type {spec_of(part).cpp_name} can't be cast to the desired output type"
            f" {spec_of(real).cpp_name}"
        ),
    )
    is_root = source.is_complex and name == "std"
    kernel, merged = "var" if is_root else name, result
    if not source.is_complex and tensor._geometry.numel:
        axes, merged = merge_lines(out, tensor._geometry, axes, result)
    if merged is not result:
        kernel += "_mean"  # for a result of one element torch has another kernel
    raw = _moments(kernel, tensor, axes, degrees, merged, real, name)[0]
    if dtype is not real:
        warn_resized_output(out._geometry.shape, result.shape)  # of the temporary result
    resize_output(out, result.shape)
    if source.is_complex and real not in ADD.spec.dtypes:
        raise_not_implemented(ADD.spec.kernel, real)  # torch adds the variances of both parts
    if source.is_complex:
        check_no_overlap(out)
    write_cast(out, raw.reshape(merged.shape), real)
    if is_root:
        shallow_copy(out).sqrt_()  # type: ignore[attr-defined]  # in the dtype of out
    bump_version(out)
    return out


def _has_lines(out: Tensor) -> bool:
    """Return whether torch reduces lines to ``out``, not all elements to one."""
    numel = out._geometry.numel
    return numel > 1 or (numel == 1 and out._dtype in (FLOAT16, BFLOAT16))


def _of_own_lines(
    name: str, out: Tensor, axes: tuple[int, ...], degrees: float, keepdim: bool
) -> Tensor:
    """Write the results of a tensor that became ``out``."""
    dtype = out._dtype
    lines, results = own_lines(out, axes, keepdim)
    _warn_of_degrees(name, lines.size // results.size - degrees)
    if dtype not in _DTYPES:
        raise_not_implemented("std_cpu", dtype)
    one = dense((1,))

    def reduce(row: Any) -> Any:
        return _along_axes(name, (0, 1), (1,), degrees, one, dtype, dtype, row)[0]

    reduce_lines(lines, results, reduce)
    bump_version(out)
    return out


def _warn_of_degrees(name: str, degrees: float) -> None:
    if degrees <= 0:
        warn(triggered_at(_DEGREES.format(name), _SOURCE))


def _moments(
    name: str,
    tensor: Tensor,
    axes: tuple[int, ...],
    degrees: float,
    result: Geometry,
    dtype: dtype,
    shown_name: str = "",
) -> tuple[Any, Any]:
    """Return raw arrays of the variances or their roots in a dtype, and of the means."""
    if not tensor._dtype.is_complex:
        return _real_moments(name, tensor, axes, degrees, result, dtype)
    variance_name = name.replace("std", "var")
    parts = [
        _real_moments(variance_name, part, axes, degrees, result, dtype, shown_name or name)
        for part in (tensor.real, tensor.imag)  # type: ignore[attr-defined]
    ]
    compute = OPMATH_DTYPE.get(dtype, dtype)
    with np.errstate(all="ignore"):
        total = sum(convert(part[0], dtype, compute) for part in parts)
        raw = convert(total, compute, dtype)
        if name.startswith("std"):
            raw = convert(np.sqrt(convert(raw, dtype, compute)), compute, dtype)
    if not name.endswith("_mean"):
        return raw, None
    numpy_dtype = numpy_storage_dtype(tensor._dtype)
    means = np.stack([part[1] for part in parts], -1).view(numpy_dtype).reshape(raw.shape)
    return raw, means


def _real_moments(
    name: str,
    tensor: Tensor,
    axes: tuple[int, ...],
    degrees: float,
    result: Geometry,
    dtype: dtype,
    shown_name: str = "",
) -> tuple[Any, Any]:
    check_opaque_copy(tensor, dtype)
    warn_of_narrow_complex(dtype, allocated=False, converted=tensor._dtype is not dtype)
    numel = tensor._geometry.numel
    count = numel // result.numel if result.numel else 0
    _warn_of_degrees(shown_name or name, count - degrees)
    if not numel:
        encoded = encode_scalar(np.nan, dtype, fill_path(result.shape))
        return (np.full(result.shape, encoded, numpy_storage_dtype(dtype)),) * 2
    is_single = result.numel == 1 and not name.endswith("_mean")
    if is_single and dtype not in (FLOAT16, BFLOAT16):
        source = tensor._dtype
        check(
            source in (FLOAT32, FLOAT64),
            lambda: f"std_var_all: Unsupported dtype {spec_of(source).cpp_name}",
        )
        mean = float(tensor.mean().item())  # type: ignore[attr-defined]
        return _of_all(name, resolved_array(tensor), mean, degrees, result, source, dtype), None
    if dtype not in _DTYPES:
        raise_not_implemented("std_cpu", dtype)
    raw, stride = resolved_array(tensor), tensor._geometry.stride
    return _along_axes(name, stride, axes, degrees, result, tensor._dtype, dtype, raw)


def _of_all(
    name: str, numbers: Any, mean: float, degrees: float, result: Geometry, source: dtype,
    dtype: dtype,
) -> Any:  # fmt: skip
    """Return the raw variance, or its root, of all elements."""
    values = variance.of_all(numbers, mean, degrees)
    values = np.asarray(np.sqrt(values) if name == "std" else values)
    if source is FLOAT32:
        with np.errstate(all="ignore"):
            values = values.astype(np.float32).astype(np.float64)
    return convert(values.reshape(result.shape), FLOAT64, dtype)


def _along_axes(
    name: str, stride: Ints, axes: tuple[int, ...], degrees: float, result: Geometry, source: dtype,
    dtype: dtype, raw: Any,
) -> tuple[Any, Any]:  # fmt: skip
    """Return raw arrays of the variances or their roots along axes, and of the means."""
    numbers = convert(raw, source, dtype)
    compute = OPMATH_DTYPE.get(dtype, dtype)
    numbers = np.asarray(convert(numbers, dtype, compute))
    rows = reduction.flatten_axes(numbers, reduction.in_memory_order(stride, axes))
    # Torch accumulates all dtypes in double (std_var_kernel in cpu/ReduceOpsKernel.cpp).
    values, means = variance.welford(rows.astype(np.float64), degrees)
    with np.errstate(all="ignore"):
        values = np.sqrt(values) if name.startswith("std") else values
        spread, means = (
            convert(np.asarray(each).reshape(result.shape), FLOAT64, dtype)
            for each in (values, means)
        )
    return spread, means


_SOURCE = "aten/src/ATen/native/ReduceOps.cpp:1861"
_DEGREES = (
    "{}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor"
    " (input numel divided by output numel)."
)


def _overloads(name: str) -> tuple[Overload, ...]:
    has_out = not name.endswith("_mean")
    run = resolves_bits(partial(_std_or_var, name), name)

    def biased(tensor: Tensor, dims: Dims, unbiased: bool, keepdim: bool, **out: Any) -> Any:
        return run(tensor, dims, int(unbiased), keepdim, **out)

    def of_all(tensor: Tensor, unbiased: bool) -> Any:
        return run(tensor, None, int(unbiased))

    keepdim = "bool keepdim=False"
    return (
        Overload(
            f"IntArrayRef[1]? dim, bool unbiased=True, {keepdim}",
            with_gradient_check(biased, gradient_check(name)),
            out=has_out,
        ),
        Overload(
            f"IntArrayRef[1]? dim=None, *, Scalar? correction=None, {keepdim}", run, out=has_out
        ),
        Overload("bool unbiased=True", of_all, out=False),
    )


for _name, _doc in (
    ("std", "Return the standard deviation of all elements, or of those along dimensions."),
    ("var", "Return the variance of all elements, or of those along dimensions."),
    ("std_mean", "Return the standard deviation and the mean."),
    ("var_mean", "Return the variance and the mean."),
):
    install_operator(
        _name,
        *_overloads(_name),
        doc=_doc,
        method=not _name.endswith("_mean"),
    )
