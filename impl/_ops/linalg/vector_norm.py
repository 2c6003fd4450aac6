"""torch.linalg.vector_norm (linalg_vector_norm in ATen/native/LinearAlgebra.cpp)."""

from collections.abc import Callable
from math import inf
from typing import Any

from ..._arrays.numpy_bridge import np
from ..._autograd.autograd_meta import bump_version
from ..._dtypes.table import as_dtype, dtype
from ..._geometry.geometry import Geometry
from ..._kernels import reduction
from ..._kernels.elementwise import OPMATH_DTYPE
from ..._kernels.norms import norm_reducer
from ..._kernels.reduction import CastChain, Reducer
from ..._numerics.cast import convert
from ..._numerics.encode_scalar import encode_scalar
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import check
from ..._tensor.allocation import fill_path, resize_output
from ..._tensor.data_access import raw_array, resolved_array
from ..._tensor.factories import python_scalar
from ..._tensor.tensor import METHODS, Tensor, shallow_copy
from ..common.copy import to_dtype
from ..common.memory_overlap import check_no_overlap, check_no_overlap_with
from ..elementwise.binding import Overload, function_of_module
from ..elementwise.plan import COMPLEX, FLOATS, HALF_COMPLEX
from ..reduction import references
from ..reduction.own_result import own_lines, reduce_lines
from ..reduction.reduce import (
    Dims,
    filled,
    load_for,
    merge_lines,
    prepare_out,
    reduced_geometry,
    resolves_bits,
    to_tensor,
)
from . import norm_reference
from .checks import check_dtype, check_floating, check_real_order, number_text

_NAME = "linalg.vector_norm"
_NODE = "LinalgVectorNormBackward0"
_DTYPES = FLOATS | COMPLEX | HALF_COMPLEX


def _vector_norm(
    tensor: Tensor,
    order: Any = 2,
    dims: Dims = None,
    keepdim: bool = False,
    dtype: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    number = python_scalar(order)
    if references.uses_reference(tensor, out):
        return norm_reference.vector_norm(_NODE, tensor, number, dims, keepdim, dtype, out)
    check_floating(_NAME, tensor)
    check_real_order(_NAME, number)
    _check_identity(tensor, number, dims)
    check_dtype(_NAME, dtype, tensor)
    computed = tensor._dtype if dtype is None else as_dtype(dtype)
    real = computed.to_real() if computed.is_complex else computed
    axes, geometry = reduced_geometry(tensor._geometry, dims, keepdim)
    value = float(number)
    if out is not None and prepare_out(tensor, geometry, (out, real), dims=dims):
        axes, geometry = reduced_geometry(tensor._geometry, dims, keepdim)
        if not norm_reference.is_single(tensor._geometry, dims, axes):
            return _of_own_lines(out, value, (axes, keepdim), geometry, real)
        if geometry.shape != tensor._geometry.shape:
            check_no_overlap_with(out, tensor)  # torch writes another view than it reads
    if norm_reference.is_single(tensor._geometry, dims, axes):
        raw = _single(tensor, value, computed, real)
        if out is not None:
            check_no_overlap(out)
    elif not tensor._geometry.numel:
        identity = inf if value < 0 else 0.0
        raw = filled(geometry, encode_scalar(identity, real, fill_path(geometry.shape)), real)
    else:
        return _reduced(tensor, value, (axes, geometry), (computed, real), out)
    return to_tensor(raw.reshape(geometry.shape), geometry, real, out, tensor, _NODE)


def _of_own_lines(
    out: Tensor, order: float, reduced: tuple[tuple[int, ...], bool], result: Geometry, dtype: dtype
) -> Tensor:
    """Resize ``out``, which is the tensor, again; write the norms of what it became.

    ``reduced`` are the axes before, and whether they are kept.
    """
    resize_output(out, result.shape)
    if dtype not in _DTYPES:
        raise_not_implemented("norm_cpu", dtype)
    reduce = _norms(norm_reducer(order), dtype, (1,), load_for(dtype, dtype))
    reduce_lines(*own_lines(out, *reduced), reduce)
    bump_version(out)
    return out


def _check_identity(tensor: Tensor, order: Any, dims: Dims) -> None:
    """Raise if no elements are reduced to a norm that has no identity."""
    if tensor._geometry.numel or not (order < 0 or order == inf):
        return
    text = f"{_NAME} cannot compute the {number_text(order)} norm on"
    check(
        dims,
        lambda: f"{text} an empty tensor because the operation does not have an identity",
    )
    for dim in dims or ():
        check(
            METHODS["size"](tensor, dim),
            lambda: (
                f"{text} the dimension {dim}because this dimension is empty and the operation"  # noqa: B023
                " does not have an identity"
            ),
        )


def _single(tensor: Tensor, order: float, computed: dtype, real: dtype) -> Any:
    """Return the raw norms of vectors of one element: their absolute values."""
    if order:
        return resolved_array(_magnitudes(tensor, computed))
    numbers = to_dtype(shallow_copy(tensor), computed, False, None)
    is_number = to_dtype(METHODS["ne"](METHODS["detach"](numbers), 0), computed, False, None)
    return np.asarray(convert(resolved_array(is_number), computed, real))


def _magnitudes(tensor: Tensor, computed: dtype) -> Tensor:
    numbers = to_dtype(shallow_copy(tensor), computed, False, None)
    return METHODS["abs"](METHODS["detach"](numbers))  # type: ignore[no-any-return]


def _reduced(
    tensor: Tensor,
    order: float,
    reduction_of: tuple[tuple[int, ...], Geometry],
    dtypes: tuple[dtype, dtype],
    out: Tensor | None,
) -> Tensor:
    """Return the norms along axes, or write them into ``out``."""
    computed, real = dtypes
    axes, geometry = merge_lines(out, tensor._geometry, *reduction_of)
    source = tensor
    if computed.is_complex and abs(order) == inf:
        source, computed = _magnitudes(tensor, computed), real
    if computed not in _DTYPES:
        raise_not_implemented("norm_cpu", computed)
    norms = _norms(norm_reducer(order), real, axes, load_for(source._dtype, computed))
    raw = resolved_array(source)
    if out is None or out._storage is not tensor._storage:
        return to_tensor(norms(raw), geometry, real, out, tensor, _NODE)
    memory = raw_array(out)
    for index in np.ndindex(*memory.shape):  # torch reads what it wrote before
        memory[index] = norms(raw).reshape(memory.shape)[index]
    bump_version(out)
    return out


def _norms(
    reducer: Reducer, real: dtype, axes: tuple[int, ...], load: CastChain | None
) -> Callable[[Any], Any]:
    """Return the function of a raw array for its norms along axes."""
    wide = OPMATH_DTYPE.get(real, real)
    return lambda raw: np.asarray(convert(reduction.reduce(reducer, raw, axes, load), wide, real))


vector_norm = function_of_module(
    "linalg",
    "vector_norm",
    Overload(
        "Scalar ord=2, IntArrayRef[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None",
        resolves_bits(_vector_norm, "linalg_vector_norm"),
    ),
    doc="Return the norm of all elements, or of those along dimensions.",
)
