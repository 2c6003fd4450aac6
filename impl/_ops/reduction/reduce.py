"""Descriptions of reductions (`Reduction`), and their executor (`reduce`).

It follows aten/src/ATen/native/ReduceOps.cpp and ReduceOpsUtils.h.  As in torch, dtypes and
dimensions are checked first.  Then the result is allocated or ``out`` is resized.  The check for a
kernel comes last.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from ..._argparser.types import is_integral_dtype
from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._arrays.opaque_dtypes import check_copy, is_opaque
from ..._autograd.autograd_meta import bump_version, requires_grad, version_counter
from ..._autograd.tracking import check_differentiable, check_no_stale_views
from ..._devices.device import META
from ..._dtypes.constants import COMPLEX32, FLOAT4_E2M1FN_X2, FLOAT32, INT64
from ..._dtypes.cpp_names import cpp_type
from ..._dtypes.table import as_dtype, dtype
from ..._geometry import extents, strides, view_shapes
from ..._geometry.geometry import Geometry, dense, on_device
from ..._kernels import reduction
from ..._kernels.elementwise import OPMATH_DTYPE, round_through
from ..._kernels.reduction import CastChain, Load, Reducer
from ..._numerics.cast import convert
from ..._numerics.encode_scalar import ScalarPath, encode_scalar
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import NotDense, check
from ..._runtime.grad_modes import grad_enabled
from ..._storage.untyped_storage import new_array, new_storage, storage_from_array
from ..._tensor.allocation import check_zeroed, fill_path, resize_output, warn_complex32
from ..._tensor.data_access import resolved_array, write_elements
from ..._tensor.out_autograd import gradient_check, with_gradient_check
from ..._tensor.tensor import Tensor, new_tensor
from ..._tensor.views import record_grad_fn
from ..common.conj_neg_fallback import resolve_beside, run_resolved, through_clone
from ..common.device_checks import check_guard, check_out_device
from ..common.memory_overlap import check_no_overlap
from .in_memory import reduce_in_memory, reduces_in_memory
from .reduce_plan import Key, remember

NARROW_FLOATS = frozenset(dtype for dtype in OPMATH_DTYPE if dtype.is_floating_point)
"""The dtypes that torch calls reduced floating types."""

Dims = tuple[int, ...] | None


class Reduction(NamedTuple):
    """A reduction.

    name: the operator's name in torch
    kernel: the kernel's name in torch's "not implemented for" error
    dtypes: the dtypes for which torch has the kernel
    reducer: the reducer of elements
    empty: the result for no elements
    node: the grad_fn name
    buffered: narrow floats use a float32 buffer, so need no kernel, if the reduced elements form
      several runs in memory
    narrow: the reducer for dtypes rounded after each step, as a function of the rounding
    initial: the initial value for a dtype, if it is not ``empty``; None if none is written
    """

    name: str
    kernel: str
    dtypes: frozenset[dtype]
    reducer: Reducer
    empty: Any = 0
    node: str = ""
    buffered: bool = False
    narrow: Callable[[Load], Reducer] | None = None
    initial: Callable[[dtype], Any] | None = None

    def reducer_for(self, dtype: dtype) -> Reducer:
        """Return the reducer for a result dtype."""
        compute_dtype = OPMATH_DTYPE.get(dtype, dtype)
        if self.narrow is None or compute_dtype is dtype:
            return self.reducer
        return self.narrow(partial(round_through, compute_dtype, dtype))


def reduced_geometry(
    geometry: Geometry, dims: Dims, keepdim: bool
) -> tuple[tuple[int, ...], Geometry]:
    """Return the reduced axes, and the result's contiguous geometry on the tensor's device.

    None and an empty tuple select all dimensions.
    """
    key = "reduced", dims, keepdim
    cached = geometry.cache.get(key)
    if cached is None:
        axes = reduction.reduced_axes(dims or (), geometry.rank)
        shape = reduction.reduced_shape(geometry.shape, axes, keepdim)
        result = on_device(dense(shape), geometry.device)
        cached = geometry.remember(key, (axes, result))
    return cached  # type: ignore[no-any-return]


_NOT_RETURNED = (
    "cloned_mutable_input.is_same(returned_output) INTERNAL ASSERT FAILED at"
    ' "/__w/pytorch/pytorch/aten/src/ATen/native/MathBitsFallback.h":141, please report a bug to'
    " PyTorch. "
)
"""The message for a bit of a second result, for which torch takes the first one."""


def resolves_bits(
    run: Callable[..., Any], name: str = "", differentiable: int = 1
) -> Callable[..., Any]:
    """Resolve the conj/neg bits of a tensor, and of ``out``, around a reduction.

    ``name`` is the name of an operator that autograd supports.  With ``out`` it raises for
    gradients first: of the tensor and of the first ``differentiable`` results.
    """
    check_gradients = gradient_check(name, outs=differentiable)

    def resolving(tensor: Tensor, *bound: Any, out: Any = None, **options: Any) -> Any:
        if out is None:
            if tensor._geometry.is_sparse:
                raise NotDense
            if not tensor._conj_neg:
                return run(tensor, *bound, **options)
            return run_resolved(lambda resolved: run(resolved, *bound, **options), (tensor,))
        outs = out if isinstance(out, tuple) else (out,)
        if name:
            check_gradients((tensor,), out)
        source = resolve_beside(outs, tensor)
        results: list[Any] = []

        def run_into(*clones: Tensor) -> Any:
            if len(clones) < len(outs):
                return through_clone(partial(run_into, *clones))(outs[len(clones)])
            into = type(out)(clones) if isinstance(out, tuple) else clones[0]
            versions = [version_counter(each).version for each in outs]
            results.append(run(source, *bound, out=into, **options))
            if any(each._conj_neg for each in outs[1:]):
                for each, version in zip(outs, versions, strict=True):
                    version_counter(each).version = version  # a failed write is not counted
                raise RuntimeError(_NOT_RETURNED)
            return results[0]

        run_into()
        return type(results[0])(outs) if isinstance(out, tuple) else out

    return with_gradient_check(resolving, check_gradients) if name else resolving


def resolves_tensor(run: Callable[[Tensor], Any]) -> Callable[[Tensor], Any]:
    """Resolve the conj/neg bits of a tensor before a reduction of all elements, at less cost."""

    def resolving(tensor: Tensor) -> Any:
        if tensor._geometry.is_sparse:
            raise NotDense
        return run_resolved(run, (tensor,)) if tensor._conj_neg else run(tensor)

    return resolving


def check_dims(dims: Dims, rank: int) -> None:
    """Raise if a dimension is out of range, before the check for duplicates."""
    if dims:
        view_shapes.wrap_dims(dims, rank)


def check_kernel(kernel: str, dtypes: frozenset[dtype], dtype: dtype, tensor: Tensor) -> None:
    """Raise if torch has no kernel for a dtype; errors of the cast to it come first.

    Tensors on meta have no kernels, which take all dtypes.
    """
    if dtype not in dtypes and tensor._geometry.device is not META:
        if tensor._dtype is not dtype:
            convert(resolved_array(tensor), tensor._dtype, dtype)
        raise_not_implemented(kernel, dtype)


def check_opaque_copy(tensor: Tensor, dtype: dtype) -> None:
    """Raise if torch has no kernel to copy a tensor, converted to a dtype, as one is opaque."""
    has_opaque = is_opaque(tensor._dtype) or is_opaque(dtype)
    if has_opaque and tensor._geometry.device is not META:
        raw = resolved_array(tensor)
        check_copy(tensor._dtype, dtype, raw, raw)


def warn_of_narrow_complex(
    dtype: dtype, *, allocated: bool, converted: bool, by_reference: bool = False
) -> None:
    """Warn of each complex32 tensor that torch allocates: the result, the converted operand."""
    if dtype is COMPLEX32:
        for _ in range(allocated + converted):
            warn_complex32(by_reference=by_reference)


def result_dtype_of(tensor: Tensor, dtype: Any, out: Tensor | None) -> dtype:
    """Return the dtype argument, the dtype of ``out``, or the tensor's; integers become int64."""
    if dtype is not None:
        return as_dtype(dtype)
    source = tensor._dtype if out is None else out._dtype
    return INT64 if out is None and is_integral_dtype(source, or_bool=True) else source


def prepare_out(
    tensor: Tensor, geometry: Geometry, *outs: tuple[Tensor, dtype], dims: Dims = None
) -> bool:
    """Resize each ``out`` for a result; raise if its dtype or device differs.

    Return whether this resized the tensor itself.  Torch then checks ``dims`` again.
    """
    before = tensor._geometry
    check_guard([out for out, _ in outs], geometry.device)
    for out, result_dtype in outs:
        check(
            out._dtype is result_dtype,
            lambda: (
                f"Expected out tensor to have dtype {cpp_type(result_dtype)},"  # noqa: B023
                f" but got {cpp_type(out._dtype)} instead"  # noqa: B023
            ),
        )
        check_out_device(out, geometry.device)
        resize_output(out, geometry.shape)
    is_resized = tensor._geometry is not before
    if is_resized:
        check_dims(dims, tensor._geometry.rank)
    return is_resized


def refuse_resized(is_resized: bool) -> None:
    """Raise for a tensor that became the result before it is reduced."""
    if is_resized:
        raise NotImplementedError("impl cannot reduce a tensor that it resizes for the result")


def merge_lines(
    out: Tensor | None, source: Geometry, axes: tuple[int, ...], result: Geometry
) -> tuple[tuple[int, ...], Geometry]:
    """Return the axes that are reduced into ``out``, and the geometry of their result.

    A dimension in which ``out`` is expanded is reduced too, since its elements are one in memory
    (TensorIteratorBase::is_dim_reduced of aten/src/ATen/TensorIterator.cpp).
    """
    if out is None or 0 not in out._geometry.stride or not source.rank:
        return axes, result
    kept = [axis for axis in range(source.rank) if axis not in axes or source.rank == result.rank]
    strides = zip(kept, result.shape, out._geometry.stride, strict=True)
    merged = [axis for axis, size, stride in strides if size > 1 and not stride]
    axes = tuple(sorted({*axes, *merged}))
    shape = [1 if axis in axes else source.shape[axis] for axis in kept]
    return axes, on_device(dense(tuple(shape)), result.device)


def initialize_out(spec: "Reduction", tensor: Tensor, out: Tensor | None, dtype: dtype) -> None:
    """Write the initial value, as torch does first, to an ``out`` whose elements it reads next."""
    if out is not None and out._storage is tensor._storage and tensor._dtype is dtype:
        initial = spec.empty if spec.initial is None else spec.initial(dtype)
        if initial is None:
            return
        write_elements(out, encode_scalar(initial, dtype, ScalarPath.SCALAR))


def reduced(reducer: Reducer, tensor: Tensor, axes: tuple[int, ...], dtype: dtype) -> Any:
    """Return the reduced elements of a tensor, converted to a dtype, in the opmath dtype."""
    return reduction.reduce(reducer, resolved_array(tensor), axes, load_for(tensor._dtype, dtype))


def load_for(source: dtype, dtype: dtype) -> CastChain | None:
    """Return the cast of a raw array to a dtype and its opmath dtype; None without casts."""
    compute_dtype = OPMATH_DTYPE.get(dtype, dtype)
    unchanged = source is dtype and compute_dtype is dtype
    return None if unchanged else CastChain(source, dtype, compute_dtype)


def reduce(
    spec: Reduction,
    tensor: Tensor,
    dims: Dims,
    keepdim: bool,
    dtype: dtype,
    out: Tensor | None = None,
    key: Key | None = None,
) -> Tensor:
    """Convert a tensor to a dtype and reduce it; the result has that dtype.

    With a key, the operation is cached for tensors of the same geometry and dtype.
    """
    axes, geometry = reduced_geometry(tensor._geometry, dims, keepdim)
    if out is not None:
        is_checked = spec.name != "nansum"
        is_resized = prepare_out(tensor, geometry, (out, dtype), dims=dims if is_checked else None)
        if is_resized:
            check_kernel(spec.kernel, spec.dtypes, dtype, tensor)
            initialize_out(spec, tensor, out, dtype)  # torch reduces these initial values
            bump_version(out)
            return out
    warn_of_narrow_complex(dtype, allocated=out is None, converted=tensor._dtype is not dtype)
    if not tensor._geometry.numel:
        if not spec.empty:
            check_zeroed(geometry if out is None else out._geometry, dtype)
        fill_value = (
            encode_scalar(spec.empty, dtype, fill_path(geometry.shape)) if spec.empty else 0
        )
        raw = filled(geometry, fill_value, dtype)
    else:
        merged = merge_lines(out, tensor._geometry, axes, geometry)
        if spec.buffered and _needs_buffer(tensor, dtype, merged[0]):
            if out is not None:
                check_no_overlap(out)  # torch copies the buffer to it
            check_opaque_copy(tensor, FLOAT32)
        else:
            check_kernel(spec.kernel, spec.dtypes, dtype, tensor)
            if out is not None and reduces_in_memory(spec.name, tensor, out):
                reduce_in_memory(spec.name, tensor, out, axes)
                bump_version(out)
                return out
            initialize_out(spec, tensor, out, dtype)
            axes, geometry = merged
        reducer = spec.reducer_for(dtype)
        raw = _as_raw(dtype, reduced(reducer, tensor, axes, dtype))
        if out is None and dtype in spec.dtypes and key is not None:
            load = load_for(tensor._dtype, dtype)
            function = partial(_small_reduction, reducer, axes, load, dtype)
            remember(tensor, key, function, geometry, dtype)
    return to_tensor(raw, geometry, dtype, out, tensor, spec.node)


def filled(geometry: Geometry, value: Any, dtype: dtype) -> Any:
    """Return a raw array of a shape filled with a value; raise as torch if it is too large."""
    extents.contiguous_bytes(geometry.shape, dtype.itemsize)
    raw = new_array(geometry.shape, numpy_storage_dtype(dtype))
    raw[...] = value
    return raw


def _small_reduction(
    reducer: Reducer, axes: tuple[int, ...], load: CastChain | None, dtype: dtype, raw: Any
) -> Any:
    return _as_raw(dtype, reduction.reduce_small(reducer, raw, axes, load))


def _as_raw(dtype: dtype, numbers: Any) -> Any:
    """Return opmath numbers as a raw array of a dtype."""
    compute_dtype = OPMATH_DTYPE.get(dtype, dtype)
    return numbers if compute_dtype is dtype else np.asarray(convert(numbers, compute_dtype, dtype))


def _needs_buffer(tensor: Tensor, dtype: dtype, axes: tuple[int, ...]) -> bool:
    """Return whether torch uses a buffer (should_use_acc_buffer in ATen/native/ReduceOps.cpp)."""
    if dtype not in NARROW_FLOATS and dtype is not FLOAT4_E2M1FN_X2:
        return False
    shape, stride = tensor._geometry.shape, tensor._geometry.stride
    if tensor._dtype is not dtype:
        stride = strides.like(shape, stride)
    return reduction.coalesced_dims(shape, stride, axes) > 1


def with_grad_fn(result: Tensor, source: Tensor, node: str) -> Tensor:
    """Set the grad_fn of a new tensor; raise if its dtype is not differentiable."""
    if node and requires_grad(source) and grad_enabled():
        check_no_stale_views(source)
        check_differentiable(result, source)
        return record_grad_fn(result, (source,), node)
    return result


def to_tensor(
    raw: Any,
    geometry: Geometry,
    dtype: dtype,
    out: Tensor | None = None,
    source: Tensor | None = None,
    node: str = "",
) -> Tensor:
    """Return a tensor of raw elements on the geometry's device, or write them to ``out``.

    The elements of a tensor on meta are None.  A new tensor gets the grad_fn ``node``.
    """
    if out is not None:
        if raw is not None:
            write_elements(out, raw.reshape(geometry.shape))
        bump_version(out)
        return out
    if raw is None or not geometry.numel:
        storage = new_storage(geometry.numel * dtype.itemsize, geometry.device)
    else:
        storage = storage_from_array(np.ascontiguousarray(raw), geometry.device)
    result = new_tensor(storage, geometry, 0, dtype)
    return with_grad_fn(result, source, node) if source is not None else result
