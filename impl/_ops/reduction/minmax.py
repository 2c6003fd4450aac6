"""max, min, aminmax, argmax and argmin along dimensions; and the names of all extremes.

They follow aten/src/ATen/native/ReduceOps.cpp and TensorCompare.cpp.
"""

from functools import partial
from typing import Any

from ..._arrays.numpy_bridge import np, take_along_axis
from ..._autograd.autograd_meta import bump_version
from ..._devices.device import META
from ..._dtypes.constants import BOOL, INT64
from ..._dtypes.table import dtype, spec_of
from ..._geometry import strides, view_shapes
from ..._geometry.broadcasting import reshape_stride
from ..._geometry.geometry import Geometry
from ..._kernels import reduction
from ..._kernels.elementwise import OPMATH_DTYPE
from ..._numerics.cast import convert
from ..._runtime.errors import NotDense, check
from ..._tensor import structseq
from ..._tensor.data_access import resolved_array, write_elements
from ..._tensor.tensor import Tensor
from ..common.array_plans import note_arrays
from ..elementwise.binary import maximum, minimum
from ..elementwise.binding import Overload, install_operator
from ..elementwise.plan import NUMBERS
from . import references
from .compare_into import compare_into
from .extremes import (
    DTYPES,
    MAX,
    MIN,
    Extreme,
    amax,
    check_contiguous_copy,
    check_not_empty,
    max_all,
)
from .own_result import own_lines, reduce_lines
from .reduce import (
    Dims,
    check_kernel,
    check_opaque_copy,
    merge_lines,
    prepare_out,
    reduced,
    reduced_geometry,
    resolves_bits,
    resolves_tensor,
    to_tensor,
    warn_of_narrow_complex,
)
from .reduce_plan import cached_result, remember


def _aminmax(
    tensor: Tensor,
    dim: int | None,
    keepdim: bool,
    out: tuple[Tensor, Tensor] | None = None,
) -> Any:
    geometry, dtype = tensor._geometry, tensor._dtype
    nodes = "AminmaxBackward0", "AminmaxBackward0"
    if references.uses_reference(tensor, *(out or ())):
        dims = None if dim is None else (dim,)
        result = references.reference_geometry(geometry, dims, keepdim, has_identity=False)
        references.prepare_pair("aminmax", tensor, result, (dtype, dtype), out)
        return pair("aminmax", tensor, (None, None), (dtype, dtype), result, out, nodes)
    if dim is None:
        check(
            geometry.numel,
            lambda: (
                "aminmax(): cannot compute aminmax over an empty dimension as the operation has no"
                " identity."
            ),
        )
    else:
        check_not_empty("aminmax", geometry, view_shapes.wrap_dim(dim, geometry.rank))
    dims = None if dim is None else (dim,)
    axes, result_geometry = reduced_geometry(geometry, dims, keepdim)
    if _prepare_outs(out, (dtype, dtype), result_geometry, tensor, dims):
        geometry = tensor._geometry  # of the result, which torch reads next
        axes = ()
    if dim is not None:
        dim = view_shapes.wrap_dim(dim, geometry.rank)
    if dim is None:
        check_contiguous_copy(tensor)
    is_scalar = dim is not None and not geometry.rank
    if not is_scalar:
        check_kernel("aminmax_cpu", DTYPES, dtype, tensor)
    elif dtype.is_complex:
        raise RuntimeError(f"aminmax not implemented for {spec_of(dtype).cpp_name}")
    if out is not None and dim is not None and not is_scalar:
        compare_into(tensor, out, dim, partial(_ends, dtype), keepdim=keepdim)
        raws = [None, None]
    elif is_scalar or not geometry.numel:
        raws = [_first_elements(tensor, result_geometry) for _ in range(2)]
    else:
        raws = _smallest_and_largest(tensor, axes, dim)
    return pair("aminmax", tensor, raws, (dtype, dtype), result_geometry, out, nodes)


def _smallest_and_largest(tensor: Tensor, axes: tuple[int, ...], dim: int | None) -> Any:
    """Return the raw smallest and largest elements; along a dimension a NaN is the first one."""
    dtype = tensor._dtype
    compute_dtype = OPMATH_DTYPE.get(dtype, dtype)
    reducers = _ALONG if dim is not None else [x.reducer_of_all(dtype) for x in (MIN, MAX)]
    numbers = [reduced(reducer, tensor, axes, dtype) for reducer in reducers]
    if dim is not None and dtype.is_floating_point and (numbers[0] != numbers[0]).any():
        raw = resolved_array(tensor)
        return [_elements_at(raw, _indices(x, raw, dtype, dim), dim)[0] for x in (MIN, MAX)]
    return [convert(values, compute_dtype, dtype) for values in numbers]


def _extremes(extreme: Extreme, dtype: dtype, lines: Any) -> tuple[Any, Any]:
    """Return the extreme raw elements of lines along the last axis, and their indices."""
    return _extremes_along(extreme, dtype, -1, lines)


def _extremes_along(extreme: Extreme, dtype: dtype, dim: int, raw: Any) -> tuple[Any, Any]:
    """Return the extreme raw elements along a dimension, and their indices."""
    return _elements_at(raw, _indices(extreme, raw, dtype, dim), dim)


def _ends(dtype: dtype, lines: Any) -> list[Any]:
    """Return the smallest and the largest raw elements of lines along the last axis."""
    return [_extremes(extreme, dtype, lines)[0] for extreme in (MIN, MAX)]


_ALONG = [x.reducer._replace(finish=reduction.as_dtype) for x in (MIN, MAX)]
"""The reducers along a dimension that leave NaNs as they are."""


def _elements_at(raw: Any, indices: Any, dim: int) -> tuple[Any, Any]:
    """Return the raw elements at indices along a dimension, which has size 1, and the indices."""
    indices = np.expand_dims(indices, dim)
    return take_along_axis(raw, indices, dim), indices


def _first_elements(tensor: Tensor, geometry: Geometry) -> Any:
    """Return the raw elements of a tensor which is 0-dim or empty, in the shape of a result."""
    check_opaque_copy(tensor, tensor._dtype)
    return np.array(resolved_array(tensor)).reshape(geometry.shape)


def _prepare_outs(
    out: Any, dtypes: tuple[dtype, ...], geometry: Geometry, source: Tensor, dims: Dims
) -> bool:
    """Prepare the tensors of ``out``, or warn of the allocated results.

    Return whether this resized the source itself.
    """
    if out is not None:
        return prepare_out(source, geometry, *zip(out, dtypes, strict=True), dims=dims)
    for result_dtype in dtypes:
        warn_of_narrow_complex(result_dtype, allocated=True, converted=False)
    return False


def pair(
    name: str,
    source: Tensor,
    raws: Any,
    dtypes: tuple[dtype, dtype],
    geometry: Geometry,
    out: tuple[Tensor, Tensor] | None,
    nodes: tuple[str, str],
) -> Any:
    """Return two results of an operator as a named tuple, or write them to ``out``."""
    results = [
        to_tensor(raw, geometry, dtype, target, source, node)
        for raw, dtype, target, node in zip(raws, dtypes, out or (None, None), nodes, strict=True)
    ]
    if out is not None:
        return getattr(structseq, f"{name}_out")(out)
    for index, result in enumerate(results):
        if result._autograd_meta is not None:
            result._autograd_meta.output_nr = index
    return getattr(structseq, name)(results)


# Indices


def _indices(extreme: Extreme, raw: Any, dtype: dtype, axis: int | None) -> Any:
    """Return the first indices of the extreme elements along an axis; NaN counts as extreme."""
    compute_dtype = OPMATH_DTYPE.get(dtype, dtype)
    numbers = raw if compute_dtype is dtype else convert(raw, dtype, compute_dtype)
    return getattr(np, f"arg{extreme.name}")(numbers, axis)


def _indices_in_runs(
    extreme: Extreme, raw: Any, dtype: dtype, geometry: Geometry, axes: tuple[int, ...]
) -> Any:
    """Return the indices along several axes, which torch counts anew in each run in memory.

    Among equal elements it takes the least of these indices (binary_kernel_reduce of
    aten/src/ATen/native/cpu/Reduce.h).
    """
    shape, stride = geometry.shape, geometry.stride
    inner, *others = (axis for axis in strides.memory_order(shape, (stride,)) if axis in axes)
    run = shape[inner]
    for axis in others:
        if stride[axis] != stride[inner] * run:
            break
        run *= shape[axis]
    lines = reduction.flatten_axes(raw, (*others[::-1], inner))
    best, _ = _extremes(extreme, dtype, lines)
    equal = (lines == best) | (lines != lines)
    return np.where(equal, np.arange(lines.shape[-1]) % run, run).min(-1)


def _max_dim(
    extreme: Extreme,
    tensor: Tensor,
    dim: int,
    keepdim: bool,
    out: tuple[Tensor, Tensor] | None = None,
) -> Any:
    name, geometry, dtype = extreme.name, tensor._geometry, tensor._dtype
    nodes = f"{extreme.node}Backward0", ""
    dim = view_shapes.wrap_dim(dim, geometry.rank)
    is_reference = references.uses_reference(tensor, *(out or ()))  # raises for sparse tensors, too
    if is_reference and out is None:
        result = references.reference_geometry(geometry, (dim,), keepdim)
        references.prepare_pair(name, tensor, result, (dtype, INT64), out)
        return pair(name, tensor, (None, None), (dtype, INT64), result, None, nodes)
    check_not_empty(f"{name}()", geometry, dim)
    check(not dtype.is_complex, lambda: f"{name}(): does not support complex input")
    _, result_geometry = reduced_geometry(geometry, (dim,), keepdim)
    if _prepare_outs(out, (dtype, INT64), result_geometry, tensor, (dim,)):
        geometry = tensor._geometry  # of the result, which torch reads next
    compares = geometry.numel and geometry.rank
    if compares:
        check_kernel(f"{name}_cpu", DTYPES, dtype, tensor)
    raws: tuple[Any, Any] = None, None
    if geometry.device is not META and not compares:
        zeros = np.zeros(result_geometry.shape, np.int64)
        raws = _first_elements(tensor, result_geometry), zeros
    elif geometry.device is not META and out is not None:
        compare_into(tensor, out, dim, partial(_extremes, extreme, dtype), keepdim=keepdim)
    elif geometry.device is not META:
        find = partial(_extremes_along, extreme, dtype, dim)
        raws = find(resolved_array(tensor))
        result = pair(name, tensor, raws, (dtype, INT64), result_geometry, out, nodes)
        return note_arrays(find, result, tensor)
    return pair(name, tensor, raws, (dtype, INT64), result_geometry, out, nodes)


def _arg_max(
    extreme: Extreme,
    tensor: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    name, geometry, dtype = f"arg{extreme.name}", tensor._geometry, tensor._dtype
    key = name, dim, keepdim
    if out is None and (result := cached_result(tensor, key)) is not None:
        return result
    if out is None and references.uses_reference(tensor):
        return references.argmax(tensor, dim, keepdim)
    if geometry.is_sparse:
        raise NotDense
    check(dtype is not BOOL, lambda: f"{name}(): does not support bool input")
    check(not dtype.is_complex, lambda: f"{name}(): does not support complex input")
    dims = None if dim is None else (dim,)
    if dim is not None:
        dim = view_shapes.wrap_dim(dim, geometry.rank)
        check_not_empty(f"{name}()", geometry, dim)
    else:
        check(
            geometry.numel,
            lambda: f"{name}(): Expected reduction dim to be specified for input.numel() == 0.",
            IndexError,
        )
    axes, result_geometry = reduced_geometry(geometry, None if dim is None else (dim,), keepdim)
    if out is not None and prepare_out(tensor, result_geometry, (out, INT64), dims=dims):
        return _arg_max_of_result(extreme, out, dims, keepdim)
    if not geometry.numel and geometry.device is META:
        return to_tensor(None, result_geometry, INT64, out)
    if not geometry.numel or (dim is not None and geometry.rank and geometry.shape[dim] == 1):
        return to_tensor(np.zeros(result_geometry.shape, np.int64), result_geometry, INT64, out)
    is_flat = dim is not None or geometry.is_contiguous
    if not is_flat and reshape_stride(geometry.shape, geometry.stride, (geometry.numel,)) is None:
        check_opaque_copy(tensor, dtype)  # torch reshapes it
    check_kernel(f"{name}_cpu", NUMBERS, dtype, tensor)
    if geometry.device is META:
        return to_tensor(None, result_geometry, INT64, out)
    reduce_all = dim is None or not geometry.rank
    axes, result_geometry = merge_lines(out, geometry, axes, result_geometry)

    def function(raw: Any) -> Any:
        if not reduce_all and len(axes) > 1:
            return _indices_in_runs(extreme, raw, dtype, geometry, axes)
        if reduce_all:
            raw = raw.reshape(-1)
        return np.asarray(_indices(extreme, raw, dtype, 0 if reduce_all else dim))

    if out is None:
        remember(tensor, key, function, result_geometry, INT64)
    return to_tensor(function(resolved_array(tensor)), result_geometry, INT64, out)


def _arg_max_of_result(extreme: Extreme, out: Tensor, dims: Dims, keepdim: bool) -> Tensor:
    """Write the indices of the extreme elements of what a tensor became, which is ``out``."""
    shape = out._geometry.shape
    axes = view_shapes.wrap_dims(dims, len(shape)) if dims and shape else ()
    if all(shape[axis] == 1 for axis in axes):
        write_elements(out, 0)
    else:
        lines, results = own_lines(out, axes, keepdim)
        reduce_lines(lines, results, partial(_indices, extreme, dtype=INT64, axis=-1))
    bump_version(out)
    return out


_TWO = "TensorList[2]"

for _extreme, _binary_function, _word in ((MAX, maximum, "largest"), (MIN, minimum, "smallest")):
    _of_all = resolves_bits(partial(max_all, _extreme), _extreme.name)
    _index = resolves_bits(partial(_arg_max, _extreme))
    install_operator(
        f"a{_extreme.name}",
        Overload(
            "IntArrayRef[1]? dim={}, bool keepdim=False",
            resolves_bits(partial(amax, _extreme), f"a{_extreme.name}"),
        ),
        doc=f"Return the {_word} elements along dimensions.",
    )
    install_operator(
        _extreme.name,
        Overload("", _of_all),
        Overload("Tensor other", _binary_function),
        Overload(
            "int64_t dim, bool keepdim=False",
            resolves_bits(partial(_max_dim, _extreme), _extreme.name),
            out_type=_TWO,
        ),
        doc=f"Return the {_word} element, in total, along a dimension, or of two tensors.",
        tensor_only=resolves_tensor(partial(max_all, _extreme)),
    )
    install_operator(
        f"arg{_extreme.name}",
        Overload("int64_t? dim=None, bool keepdim=False", _index),
        tensor_only=resolves_tensor(partial(_arg_max, _extreme)),
        doc=f"Return the indices of the {_word} elements.",
    )
install_operator(
    "aminmax",
    Overload(
        "*, int64_t? dim=None, bool keepdim=False",
        resolves_bits(_aminmax, "aminmax", 2),
        out_type=_TWO,
    ),
    doc="Return the smallest and the largest elements.",
)
