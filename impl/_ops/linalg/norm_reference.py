"""The reference of vector_norm, for tensors on meta (torch/_refs/linalg/__init__.py)."""

from math import inf
from typing import Any

from ..._dtypes.table import as_dtype, dtype
from ..._geometry.extents import Ints
from ..._geometry.geometry import Geometry, dense, on_device
from ..._geometry.view_shapes import wrap_dim
from ..._kernels.reduction import reduced_shape
from ..._runtime.errors import check
from ..._tensor.tensor import Tensor
from ..common.meta_reference import in_reference
from ..common.reference_dtypes import higher_dtype
from ..reduction import references
from ..reduction.reduce import Dims

_NAME = "linalg.vector_norm"


def vector_norm(
    node: str,
    tensor: Tensor,
    order: Any,
    dims: Dims,
    keepdim: bool,
    dtype: Any,
    out: Tensor | None,
) -> Tensor:
    """Return a norm without elements, or ``out``, resized."""
    own = tensor._dtype
    check(
        own.is_floating_point or own.is_complex,
        lambda: f"{_NAME}: Expected a floating point or complex tensor as input. Got {own}",
    )
    _check_identity(tensor, order, dims)
    computed = own if dtype is None else as_dtype(dtype)
    _check_dtype(own, computed)
    real = computed.to_real() if computed.is_complex else computed
    geometry = _geometry(tensor._geometry, order, dims, keepdim)
    return in_reference(references.result, "linalg_vector_norm", tensor, geometry, real, out, node)  # type: ignore[no-any-return]


def _check_identity(tensor: Tensor, order: Any, dims: Dims) -> None:
    shape, numel = tensor._geometry.shape, tensor._geometry.numel
    if not (order < 0.0 or order == inf):  # which raises for complex orders
        return
    check(
        numel or dims,
        lambda: (
            f"{_NAME} cannot compute the {order} norm on an empty tensor because the operation does"
            " not have an identity"
        ),
    )
    for dim in dims or ():
        check(
            numel or (0 <= dim < len(shape) and shape[dim]),
            lambda: (
                f"{_NAME} cannot compute the {order} norm on the dimension {dim} because this"  # noqa: B023
                " dimension is empty and the operation does not have an identity"
            ),
        )


def _check_dtype(own: dtype, computed: dtype) -> None:
    check(
        computed.is_floating_point or computed.is_complex,
        lambda: f"{_NAME}: dtype should be floating point or complex. Got {computed}",
    )
    kind = "complex" if own.is_complex else "real"
    check(
        computed.is_complex == own.is_complex,
        lambda: f"{_NAME}: dtype should be {kind} for {kind} inputs. Got {computed}",
    )
    check(
        higher_dtype(computed, own) is computed,
        lambda: (
            f"{_NAME}: the dtype of the input ({own}) should be convertible without narrowing to"
            f" the specified dtype ({computed})"
        ),
    )


def is_single(source: Geometry, dims: Dims, axes: Ints) -> bool:
    """Return whether vectors have one element, whose norm is its absolute value."""
    if dims and not source.rank:
        return False  # torch reduces a dimension of a tensor without any
    return all(source.shape[axis] == 1 for axis in axes)


def _geometry(source: Geometry, order: Any, dims: Dims, keepdim: bool) -> Geometry:
    """Return the geometry of the result; vectors of one element are not reduced."""
    has_identity = order not in (inf, -inf)
    if not order or not has_identity:
        return references.reference_geometry(source, dims, keepdim, has_identity=has_identity)
    axes = tuple([wrap_dim(dim, source.rank) for dim in dims or range(source.rank)])
    if is_single(source, dims, axes):
        shape = reduced_shape(source.shape, axes, keepdim)
        return on_device(dense(shape), source.device)
    geometry = references.reference_geometry(source, dims, keepdim)
    # A root of sums has strides of its own, but the power of 1 is a copy.
    return geometry if order == 1 else on_device(dense(geometry.shape), source.device)
