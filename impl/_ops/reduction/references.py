"""Reductions with a tensor on meta, which torch computes by references in Python.

They are in torch/_refs/__init__.py, torch/_meta_registrations.py and torch/_decomp. They have no
kernels, so they take all dtypes. Along a dimension max(), min(), argmax() and argmin() have no
reference with ``out``.
"""

from typing import Any

from ..._argparser.types import is_integral_dtype
from ..._autograd.autograd_meta import bump_version
from ..._devices.device import CPU
from ..._dtypes.constants import BOOL, INT64, UINT8
from ..._dtypes.default_dtype import get_default_dtype
from ..._dtypes.table import as_dtype, dtype
from ..._geometry import strides, view_shapes
from ..._geometry.extents import Ints
from ..._geometry.geometry import Geometry, dense, on_device, strided
from ..._geometry.strides import contiguous
from ..._kernels import reduction
from ..._runtime.errors import check
from ..._tensor.out_autograd import check_no_complex_gradient
from ..._tensor.tensor import Tensor
from ..common.meta_reference import into_meta, is_on_meta
from ..common.reference_dtypes import check_promotes
from .reduce import Dims, to_tensor, warn_of_narrow_complex


def uses_reference(tensor: Tensor, *outs: Tensor | None) -> bool:
    """Return whether a tensor or an ``out`` is on meta."""
    return is_on_meta(tensor, *outs)


def reference_geometry(
    geometry: Geometry,
    dims: Dims,
    keepdim: bool = False,
    *,
    has_identity: bool = True,
    empty_is_all: bool = True,
) -> Geometry:
    """Return the geometry of a result (reduction_dims in torch/_prims_common/__init__.py)."""
    key = "reference", dims, keepdim, has_identity, empty_is_all
    if (cached := geometry.cache.get(key)) is not None:
        return cached  # type: ignore[no-any-return]
    rank, shape = geometry.rank, geometry.shape
    if dims is None or (empty_is_all and not dims):
        dims = tuple(range(rank))
    axes = tuple([view_shapes.wrap_dim(dim, rank) for dim in dims])
    check(len({*axes}) == len(axes), lambda: "duplicate value in the list of dims")
    check(
        has_identity or not rank or all(shape[axis] for axis in axes),
        lambda: "reducing over zero-size dimension for reduction operation without identity",
    )
    reduced = dense(reduction.reduced_shape(shape, axes, keepdim))
    if keepdim and 0 in reduced.shape:
        reduced = strided(reduced.shape, _kept_stride(shape, axes))
    result = on_device(reduced, geometry.device)
    return geometry.remember(key, result)  # type: ignore[no-any-return]


def _kept_stride(shape: Ints, axes: Ints) -> Ints:
    """Return the strides of a result with kept dimensions (_broadcast_in_dim_meta)."""
    sizes = tuple([size for axis, size in enumerate(shape) if axis not in axes])
    steps, position = contiguous(sizes), 0
    stride: list[int] = []
    for axis in range(len(shape)):
        if axis not in axes:
            stride.append(steps[position])
            position += 1
        else:
            stride.append(steps[position] * sizes[position] if position < len(sizes) else 1)
    return tuple(stride)


def prepare_pair(
    name: str,
    tensor: Tensor,
    geometry: Geometry,
    dtypes: tuple[dtype, dtype],
    out: tuple[Tensor, Tensor] | None,
) -> None:
    """Resize both tensors of ``out`` for two results."""
    for result_dtype in dtypes:
        warn_of_narrow_complex(result_dtype, allocated=True, converted=False, by_reference=True)
    if out is None:
        check_no_complex_gradient(name, dtypes[0], tensor)
    else:
        for target, result_dtype in zip(out, dtypes, strict=True):
            into_meta(name, target, geometry, result_dtype)


_COMPUTED_IN_OPMATH = frozenset({"sum", "prod", "cumsum", "cumprod", "amax", "amin", "any", "all"})
"""The operators that copy their result in the opmath dtype to ``out``."""


def result(
    name: str, tensor: Tensor, geometry: Geometry, dtype: dtype, out: Tensor | None, node: str = ""
) -> Tensor:
    """Return a result without elements, or ``out``, resized."""
    is_allocated = out is None or name not in _COMPUTED_IN_OPMATH
    warn_of_narrow_complex(dtype, allocated=is_allocated, converted=False, by_reference=True)
    if out is None:
        return to_tensor(None, geometry, dtype, None, tensor, node)
    bump_version(into_meta(name, out, geometry, dtype))
    return out


def dtype_of_total(tensor: Tensor, dtype: Any, out: Tensor | None) -> dtype:
    """Return the dtype of a sum or product; raise if it is not that of ``out``."""
    requested = None if dtype is None else as_dtype(dtype)
    if out is None:
        return promoted(tensor, requested)
    check(
        requested in (None, out._dtype),
        lambda: "dtype argument and out dtype must match in reduction",
    )
    # Of elements that are there, torch computes sum() or prod(), whose result for bool is int64.
    return INT64 if out._dtype is BOOL and tensor._geometry.device is CPU else out._dtype


def promoted(tensor: Tensor, dtype: dtype | None) -> dtype:
    """Return a dtype, or that of the sum of a tensor's elements."""
    if dtype is not None:
        return dtype
    return INT64 if is_integral_dtype(tensor._dtype, or_bool=True) else tensor._dtype


def nansum(
    node: str, tensor: Tensor, dims: Dims, keepdim: bool, dtype: Any, out: Tensor | None
) -> Tensor:
    """Return a result of nansum; no dimensions reduce nothing."""
    geometry = reference_geometry(tensor._geometry, dims, keepdim, empty_is_all=False)
    if dtype is not None:
        total_dtype = as_dtype(dtype)
    else:
        is_number = tensor._dtype.is_floating_point or tensor._dtype.is_complex
        total_dtype = tensor._dtype if is_number else INT64
    return result("nansum", tensor, geometry, total_dtype, out, node)


def mean(
    node: str, tensor: Tensor, dims: Dims, keepdim: bool, dtype: Any, out: Tensor | None
) -> Tensor:
    """Return a result of mean, which checks dimensions before dtypes."""
    geometry = reference_geometry(tensor._geometry, dims, keepdim)
    role, mean_dtype = "Input", tensor._dtype
    if dtype is not None:
        role, mean_dtype = "Optional", as_dtype(dtype)
    check(
        mean_dtype.is_floating_point or mean_dtype.is_complex,
        lambda: (
            f"mean(): could not infer output dtype. {role} dtype must be either a floating point or"
            f" complex dtype. Got: {mean_dtype}"
        ),
    )
    return result("mean", tensor, geometry, mean_dtype, out, node)


def all_or_any(name: str, tensor: Tensor, dims: Dims, keepdim: bool, out: Tensor | None) -> Tensor:
    """Return a result of all or any; no dimensions reduce nothing."""
    if name == "all":
        check_promotes(tensor)  # for the negation of which it is made
    source = tensor._geometry
    if dims == ():  # each element is compared with zero
        stride = strides.by_reference(source.shape, ((source.shape, source.stride),))
        geometry = on_device(strided(source.shape, stride), source.device)
    else:
        geometry = reference_geometry(source, dims, keepdim, empty_is_all=False)
    return result(name, tensor, geometry, UINT8 if tensor._dtype is UINT8 else BOOL, out)


def amax(
    name: str, node: str, tensor: Tensor, dims: Dims, keepdim: bool, out: Tensor | None
) -> Tensor:
    """Return a result of amax or amin."""
    geometry = reference_geometry(tensor._geometry, dims, keepdim, has_identity=False)
    return result(name, tensor, geometry, tensor._dtype, out, node)


def logsumexp(node: str, tensor: Tensor, dims: Dims, keepdim: bool, out: Tensor | None) -> Tensor:
    """Return a contiguous result of logsumexp; without ``dims`` it keeps all dimensions."""
    check_promotes(tensor)
    source = tensor._geometry
    reduced = reference_geometry(source, dims, keepdim, has_identity=not source.numel)
    keeps_all = not dims and source.numel
    shape = (1,) * source.rank if keeps_all else tuple(reduced.shape)
    geometry = on_device(dense(shape), source.device)
    is_number = tensor._dtype.is_floating_point or tensor._dtype.is_complex
    result_dtype = tensor._dtype if is_number else get_default_dtype()
    return result("logsumexp", tensor, geometry, result_dtype, out, node)


def argmax(tensor: Tensor, dim: int | None, keepdim: bool) -> Tensor:
    """Return a result of argmax or argmin; messages name argmax for both."""
    source = tensor._geometry
    check(
        dim is not None or source.numel,
        lambda: "argmax: Expected reduction dim to be specified for input.numel() == 0.",
    )
    dims = None if dim is None else (view_shapes.wrap_dim(dim, source.rank),)
    if dims is not None and source.rank and not source.shape[dims[0]]:
        raise IndexError(f"argmax: Expected reduction dim {dims[0]} to have non-zero size.")
    reduced = reference_geometry(source, dims, keepdim)
    geometry = on_device(dense(reduced.shape), reduced.device)  # torch has a kernel, no reference
    return result("", tensor, geometry, INT64, None)


def scan(name: str, tensor: Tensor, dtype: Any, out: Tensor | None, node: str) -> Tensor:
    """Return a result of cumsum or cumprod, which sum or multiply a masked copy for each."""
    check_promotes(tensor)  # for the mask
    total_dtype = dtype_of_total(tensor, dtype, out)
    geometry = tensor._geometry
    if geometry.rank:
        warn_of_narrow_complex(tensor._dtype, allocated=True, converted=True, by_reference=True)
    geometry = on_device(dense(geometry.shape), geometry.device)
    return result(name, tensor, geometry, total_dtype, out, node)
