"""Rows of reductions, and what runs them.

Torch's order of things: what is refused by dtypes and dimensions alone comes
first, then the result is made or the tensor that was given as ``out`` is
resized, and only then it shows whether there is a kernel for the dtype
(aten/src/ATen/native/ReduceOps.cpp, ReduceOpsUtils.h).
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._arrays.opaque_dtypes import warn_of_discarding
from ..._autograd.autograd_meta import count_write, requires_grad
from ..._autograd.tracking import check_usable
from ..._devices.device import META
from ..._dtypes.constants import BOOL, COMPLEX32
from ..._dtypes.cpp_names import cpp_type
from ..._dtypes.table import dtype, spec_of
from ..._geometry import strides, view_shapes
from ..._geometry.geometry import Geometry, dense, on_device
from ..._kernels import reduction
from ..._kernels.elementwise import OPMATH_DTYPE, rounded
from ..._kernels.reduction import Load, Loading, Reducer
from ..._numerics.cast import convert
from ..._numerics.encode_scalar import ScalarPath, encode_scalar
from ..._runtime.errors import check
from ..._runtime.grad_modes import grad_enabled
from ..._storage.untyped_storage import new_storage, storage_from_array
from ..._tensor.data_access import resolved_array, write_elements
from ..._tensor.factories import resize_output, warn_of_complex32
from ..._tensor.tensor import Tensor, new_tensor, record_grad_fn
from ..common.device_checks import check_place_of
from ..elementwise.plan import FLOAT8
from .reduce_plan import Key, keep

Dims = tuple[int, ...] | None


class Reduction(NamedTuple):
    """A reduction.

    ``kernel`` is what torch calls its kernel where it has none for a dtype,
    ``dtypes`` those for which it has one; ``empty`` is what no elements give,
    ``node`` the name that autograd has for it.  ``buffered`` says that narrow
    floats go through float32 where what is reduced lies in several runs, so
    that there it does not matter whether there is a kernel for them.
    ``narrow`` is the fold for formats of which torch rounds each step; it is
    given what rounds.
    """

    name: str
    kernel: str
    dtypes: frozenset[dtype]
    fold: Reducer
    empty: Any = 0
    node: str = ""
    buffered: bool = False
    narrow: Callable[[Load], Reducer] | None = None

    def fold_of(self, dtype: dtype) -> Reducer:
        """Return how numbers that are to be a dtype are put together."""
        computed = OPMATH_DTYPE.get(dtype, dtype)
        if self.narrow is None or computed is dtype:
            return self.fold
        return self.narrow(partial(rounded, computed, dtype))


def reduced_geometry(
    geometry: Geometry, dims: Dims, keepdim: bool
) -> tuple[tuple[int, ...], Geometry]:
    """Return the axes that are reduced, and the geometry of the result: contiguous, and where the tensor is.

    None and no dimensions stand for all.
    """
    key = "reduced", dims, keepdim
    known = geometry.cache.get(key)
    if known is None:
        axes = reduction.reduced_axes(dims or (), geometry.rank)
        shape = reduction.reduced_shape(geometry.shape, axes, keepdim)
        result = on_device(dense(shape), geometry.device)
        known = geometry.remember(key, (axes, result))
    return known  # type: ignore[no-any-return]


def check_dims(dims: Dims, rank: int) -> None:
    """Refuse dimensions that do not exist, before any that come twice."""
    if dims:
        view_shapes.wrap_dims(dims, rank)


def check_kernel(kernel: str, dtypes: frozenset[dtype], dtype: dtype, tensor: Tensor) -> None:
    """Refuse a dtype for which torch has no kernel; it has converted the tensor by then."""
    if dtype not in dtypes:
        known = tensor._geometry.device is not META
        # Of elements that there are not one stands for all.
        some = np.zeros(min(tensor._geometry.numel, 1), numpy_storage_dtype(tensor._dtype))
        convert(resolved_array(tensor) if known else some, tensor._dtype, dtype)
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{spec_of(dtype).cpp_name}'")


def warn_of_narrow_complex(dtype: dtype, *, made: bool, converted: bool) -> None:
    """Warn of complex32 as often as torch makes a tensor of it: the result, the operand converted."""
    if dtype is COMPLEX32:
        for _ in range(made + converted):
            warn_of_complex32()


def warn_of_lost_parts(tensor: Tensor, dtype: dtype) -> None:
    """Warn of complex numbers that are converted to real ones, as where there are elements."""
    if tensor._dtype.is_complex and not (dtype.is_complex or dtype is BOOL):
        warn_of_discarding()


def check_no_complex_gradient(name: str, tensor: Tensor) -> None:
    """Refuse complex numbers where a gradient is required, for a function that has none of them."""
    check(
        not tensor._dtype.is_complex or not requires_grad(tensor) or not grad_enabled(),
        lambda: (
            f"{name} does not support automatic differentiation for outputs with complex dtype."
        ),
    )


def prepare(out: Tensor, dtype: dtype, geometry: Geometry) -> None:
    """Make a tensor that was given as ``out`` ready for a result."""
    check(
        out._dtype is dtype,
        lambda: (
            f"Expected out tensor to have dtype {cpp_type(dtype)},"
            f" but got {cpp_type(out._dtype)} instead"
        ),
    )
    check_place_of(out, geometry.device)
    resize_output(out, geometry.shape)


def check_not_resized(tensor: Tensor, before: Geometry) -> None:
    """Refuse to reduce a tensor that was itself resized for the result."""
    if tensor._geometry is not before:
        raise NotImplementedError("impl cannot reduce a tensor that it resizes for the result")


def folded(fold: Reducer, tensor: Tensor, axes: tuple[int, ...], dtype: dtype) -> Any:
    """Return what becomes of a tensor's elements, converted to a dtype: numbers to compute with.

    None if it has none, being on meta.
    """
    if tensor._geometry.device is META:
        return None
    return reduction.apply(fold, resolved_array(tensor), axes, loading(tensor._dtype, dtype))


def loading(own: dtype, dtype: dtype) -> Loading | None:
    """Return what converts codes to a dtype, and to the one that it is computed in; None if nothing."""
    computed = OPMATH_DTYPE.get(dtype, dtype)
    return None if own is dtype and computed is dtype else Loading(own, dtype, computed)


def reduce(
    row: Reduction,
    tensor: Tensor,
    dims: Dims,
    keepdim: bool,
    dtype: dtype,
    out: Tensor | None = None,
    key: Key | None = None,
) -> Tensor:
    """Convert a tensor to a dtype and reduce it; the result has that dtype.

    What is found out about the operation is kept as a plan under a key, if one is given.
    """
    axes, geometry = reduced_geometry(tensor._geometry, dims, keepdim)
    if out is not None:
        before = tensor._geometry
        prepare(out, dtype, geometry)
        check_not_resized(tensor, before)
    warn_of_narrow_complex(dtype, made=out is None, converted=tensor._dtype is not dtype)
    if tensor._geometry.device is META:
        if tensor._geometry.numel:
            check_kernel(row.kernel, row.dtypes, dtype, tensor)
            warn_of_lost_parts(tensor, dtype)
        result = finished(None, geometry, dtype, out)
        return recorded(result, tensor, row.node) if out is None else result
    if not tensor._geometry.numel:
        filler = encode_scalar(row.empty, dtype, ScalarPath.SCALAR) if row.empty else 0
        found = np.full(geometry.shape, filler, numpy_storage_dtype(dtype))
    else:
        if not (row.buffered and dtype in FLOAT8 and _lies_in_runs(tensor, dtype, axes)):
            check_kernel(row.kernel, row.dtypes, dtype, tensor)
        if (
            out is not None
            and row.fold in (reduction.SUM, reduction.NANSUM)
            and tensor._dtype is dtype
        ):
            # Torch begins with 0 in the result, and reads it where that lies on the tensor.
            write_elements(out, 0)
        found = _as_codes(dtype, folded(row.fold_of(dtype), tensor, axes, dtype))
        if out is None and dtype in row.dtypes and key is not None:
            work = partial(_worked, row.fold_of(dtype), axes, loading(tensor._dtype, dtype), dtype)
            keep(tensor, key, work, geometry, dtype)
    result = finished(found, geometry, dtype, out)
    return recorded(result, tensor, row.node) if out is None else result


def _worked(
    fold: Reducer, axes: tuple[int, ...], load: Loading | None, dtype: dtype, raw: Any
) -> Any:
    return _as_codes(dtype, reduction.small(fold, raw, axes, load))


def _as_codes(dtype: dtype, numbers: Any) -> Any:
    """Return the codes of computed numbers, if there are any."""
    if numbers is None:
        return None
    computed = OPMATH_DTYPE.get(dtype, dtype)
    return numbers if computed is dtype else np.asarray(convert(numbers, computed, dtype))


def _lies_in_runs(tensor: Tensor, dtype: dtype, axes: tuple[int, ...]) -> bool:
    """Tell whether torch needs a buffer (should_use_acc_buffer in ATen/native/ReduceOps.cpp)."""
    shape, stride = tensor._geometry.shape, tensor._geometry.stride
    if tensor._dtype is not dtype:
        stride = strides.like(shape, stride)
    return reduction.runs(shape, stride, axes) > 1


def recorded(result: Tensor, source: Tensor, node: str) -> Tensor:
    """Note what a new tensor came from; a dtype without gradients is refused only now."""
    if node and requires_grad(source) and grad_enabled():
        dtype = result._dtype
        check_usable(source)
        check(
            dtype.is_floating_point or dtype.is_complex,
            lambda: f"Autograd not support dtype: {spec_of(dtype).cpp_name}",
        )
        return record_grad_fn(result, (source,), node)
    return result


def finished(found: Any, geometry: Geometry, dtype: dtype, out: Tensor | None = None) -> Tensor:
    """Make a tensor of codes, where the geometry is, or write them into one that was given as ``out``.

    None stands for the elements that there are not on meta.
    """
    if out is not None:
        if found is not None:
            write_elements(out, found.reshape(geometry.shape))
        count_write(out)
        return out
    if found is None:
        return new_tensor(new_storage(geometry.numel * dtype.itemsize, META), geometry, 0, dtype)
    if not geometry.numel:
        return new_tensor(new_storage(0, geometry.device), geometry, 0, dtype)
    return new_tensor(
        storage_from_array(np.ascontiguousarray(found), geometry.device), geometry, 0, dtype
    )
