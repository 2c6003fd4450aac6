"""softmax and log_softmax (ATen/native/SoftMax.cpp, cpu/SoftMaxKernel.cpp and cpu/vec_softmax)."""

import math
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any, NamedTuple

from ..._arrays.cpu_capability import vector_bytes
from ..._arrays.numpy_bridge import np
from ..._arrays.parallel import BLOCK_ELEMENTS, parallel_for, without_fp_warnings
from ..._dtypes.constants import BFLOAT16, COMPLEX32, COMPLEX64, FLOAT16, FLOAT32
from ..._dtypes.table import as_dtype, dtype
from ..._geometry import view_shapes
from ..._geometry.geometry import Geometry, dense, on_device
from ..._kernels.elementwise import OPMATH_DTYPE, Kernel, identity, round_through
from ..._numerics.cast import convert
from ..._runtime.errors import NotDense
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.allocation import empty_tensor, resize_out, warn_complex32, warn_if_complex32
from ..._tensor.data_access import raw_array, resolved_array, write_elements
from ..._tensor.out_autograd import check_no_complex_gradient, check_no_leaf, with_gradient_check
from ..._tensor.sparse_dispatch import no_kernel
from ..._tensor.tensor import METHODS, Tensor
from ..._tensor.views import plain_view
from ..common.array_plans import with_array_plans
from ..common.copy import contiguous, copy_into, record_write, to_dtype
from ..common.device_checks import check_out_device_for_write
from ..common.memory_overlap import are_apart, check_copy_overlap, is_same_view
from ..common.meta_reference import (
    converted_on_meta,
    in_reference,
    into_meta,
    is_on_meta,
    warn_of_result,
)
from ..common.reference_dtypes import check_promotes
from ..elementwise.binding import Overload, install_operator
from ..elementwise.plan import FLOATS
from .exponentials import divide_by_sums, log_softmax_of, softmax_of
from .extremes import check_contiguous_copy
from .reduce import (
    check_kernel,
    load_for,
    prepare_out,
    refuse_resized,
    resolves_bits,
    to_tensor,
    warn_of_narrow_complex,
)
from .reduce_plan import cached_result, remember


def _refer_softmax(tensor: Tensor, dim: int) -> Geometry:
    """Return the geometry that the reference of softmax gives, which reads no dimension."""
    check_promotes(tensor)
    warn_of_result(tensor._dtype)
    return on_device(dense(tensor._geometry.shape), tensor._geometry.device)


def _refer_log_softmax(tensor: Tensor, dim: int) -> Geometry:
    """Return the geometry of the reference of log_softmax (torch/_decomp/decompositions.py)."""
    tensor = contiguous(plain_view(tensor, tensor._geometry.shape, tensor._geometry.stride))
    check_promotes(tensor)
    x = to_dtype(tensor, _COMPUTED.get(tensor._dtype, tensor._dtype), False, None)
    peak = x
    if x._geometry.rank:
        axis = view_shapes.wrap_dim(dim, x._geometry.rank)
        if not x._geometry.shape[axis]:
            shape = *x._geometry.shape[:axis], 1, *x._geometry.shape[axis + 1 :]
            peak = PUBLIC["cat"]((x, METHODS["new_full"](x, shape, -math.inf)), dim)
    shifted = PUBLIC["sub"](x, PUBLIC["amax"](peak, dim, True))
    total = PUBLIC["log"](PUBLIC["sum"](PUBLIC["exp"](shifted), dim, True))
    result: Tensor = to_dtype(PUBLIC["sub"](shifted, total), tensor._dtype, False, None)
    return result._geometry


_COMPUTED = {FLOAT16: FLOAT32, BFLOAT16: FLOAT32, COMPLEX32: COMPLEX64}
"""The dtypes in which references compute (_computation_dtype_map of torch/_prims_common)."""


class Normalization(NamedTuple):
    """A function whose exponentials, or whose results, sum to one along a dimension.

    name: the name of the function; the operator's and the kernels' names are made of it
    compute: the function of an array of floating-point numbers, an axis, and the rounding of sums;
        the last parameter has the numbers that torch reads again after it has computed the sums
    refer: the geometry that torch's reference for tensors on meta gives for a dimension
    node: the grad_fn name
    """

    name: str
    compute: Callable[..., Any]
    refer: Callable[[Tensor, int], Geometry]
    node: str


SOFTMAX = Normalization("softmax", softmax_of, _refer_softmax, "SoftmaxBackward0")
LOG_SOFTMAX = Normalization(
    "log_softmax", log_softmax_of, _refer_log_softmax, "LogSoftmaxBackward0"
)

_NOT_IMPLEMENTED = "NotImplemented"


def _normalize(
    spec: Normalization, tensor: Tensor, dim: int, dtype: Any = None, out: Tensor | None = None
) -> Tensor:
    key = spec.name, dim, dtype
    if out is None and (result := cached_result(tensor, key)) is not None:
        return result
    target = tensor._dtype if dtype is None else as_dtype(dtype)
    if target is COMPLEX32 and target is not tensor._dtype and is_on_meta(tensor):
        source = converted_on_meta(tensor, target)
        try:
            return _of_source(spec, source, dim, out)
        finally:
            warn_complex32()  # torch shows a kernel's warnings when it ends
    source = to_dtype(tensor, target, False, None)
    return _of_source(spec, source, dim, out, key if source is tensor else None)


def _of_source(
    spec: Normalization, source: Tensor, dim: int, out: Tensor | None, key: Any = None
) -> Tensor:
    """Return the function of a tensor of the result's dtype; remember it by a key."""
    if source._geometry.is_sparse:
        if out is not None and (out._geometry.is_sparse or not out._geometry.is_contiguous):
            warn_if_complex32(out._dtype, 1)  # of a contiguous tensor in its place
        raise NotDense
    if out is not None:
        _into(spec, source, dim, out)
        return record_write(out, (source,), _NOT_IMPLEMENTED)
    result_dtype = source._dtype
    geometry = on_device(dense(source._geometry.shape), source._geometry.device)
    if is_on_meta(source):
        geometry, raw = in_reference(spec.refer, source, dim), None
    else:
        dim = view_shapes.wrap_dim(dim, geometry.rank)
        warn_of_narrow_complex(result_dtype, allocated=True, converted=False)
        check_contiguous_copy(source)
        _check_kernel(spec, source, dim)
        function = partial(_normalized, spec, result_dtype, dim)
        if geometry.numel and key is not None and geometry.rank:
            remember(source, key, function, geometry, result_dtype)
        raw = resolved_array(source)
        if geometry.numel:
            raw = function(raw)
    check_no_complex_gradient(f"_{spec.name}", result_dtype, source)
    return to_tensor(raw, geometry, result_dtype, None, source, spec.node)


def _into(spec: Normalization, source: Tensor, dim: int, out: Tensor) -> None:
    """Write the results to ``out``; to a contiguous copy first if it is not contiguous."""
    target = out._geometry
    if not target.is_sparse and target.is_contiguous:
        _into_contiguous(spec, source, dim, out)
        return
    copy = empty_tensor(target.shape, out._dtype, target.device)
    _into_contiguous(spec, source, dim, copy)
    if target.is_sparse:
        raise no_kernel("resize_", out)
    resize_out(out, copy._geometry.shape)
    check_copy_overlap(out, copy)
    copy_into(out, copy)


def _into_contiguous(spec: Normalization, source: Tensor, dim: int, out: Tensor) -> None:
    """Write the results to a contiguous ``out``, resized."""
    dtype, geometry = source._dtype, source._geometry
    if is_on_meta(source, out):
        check_out_device_for_write(out, geometry.device)
        into_meta(spec.name, out, in_reference(spec.refer, source, dim), dtype)
        return
    dim = view_shapes.wrap_dim(dim, geometry.rank)
    refuse_resized(prepare_out(source, geometry, (out, dtype)))
    _check_kernel(spec, source, dim)
    if geometry.numel:
        is_read_directly = geometry.is_contiguous and source._storage is out._storage
        if is_read_directly and not is_same_view(out, source) and not are_apart(out, source):
            _in_turn(spec, dtype, dim, resolved_array(source), raw_array(out))
            return
        raw = _normalized(spec, dtype, dim, resolved_array(source))
        write_elements(out, raw.reshape(geometry.shape))


def _in_turn(spec: Normalization, dtype: dtype, dim: int, raw: Any, results: Any) -> None:
    """Write the results over elements that are read, in the order in which torch does."""
    is_last = dim >= raw.ndim - 1
    shape = math.prod(raw.shape[:dim]), math.prod(raw.shape[dim : dim + 1]), -1
    blocks = raw.reshape(shape)
    for lines, written, first in zip(blocks, results.reshape(shape), blocks.copy(), strict=True):
        before = first if is_last else lines.copy()
        rows, columns = _read_at_once(lines.shape, is_last, vector_bytes() // raw.itemsize)
        if dtype in OPMATH_DTYPE and is_last:
            read = lines[:, 0]
            written[:, 0] = _normalized(spec, dtype, 0, before[:, 0], read)
        elif dtype in OPMATH_DTYPE and spec is LOG_SOFTMAX:  # torch keeps the numbers in a buffer
            written[...] = _normalized(spec, dtype, 0, before)
        elif spec is SOFTMAX:
            for part in columns:
                without_fp_warnings(
                    _divide_in_turn, dtype, lines[:, part], written[:, part], rows, is_last
                )
        else:
            for at, part in product(rows, columns):
                read = lines[at, part]
                written[at, part] = _normalized(spec, dtype, 0, before[:, part], read)


def _read_at_once(
    shape: tuple[int, int], is_last: bool, vector: int
) -> tuple[list[slice], list[slice]]:
    """Return the rows and columns of a block that torch reads together: vectors and the rest.

    Along the last dimension, of which a block has one column, the rest is read at once as well.
    """
    size = shape[0] if is_last else shape[1]
    full = size // vector * vector
    parts = [slice(start, start + vector) for start in range(0, full, vector)]
    if is_last:
        return [*parts, slice(full, size)], [slice(None)]
    parts += [slice(at, at + 1) for at in range(full, size)]
    return [slice(at, at + 1) for at in range(shape[0])], parts


def _divide_in_turn(
    dtype: dtype, lines: Any, written: Any, parts: list[slice], is_last: bool
) -> None:
    """Write exponentials over elements that are read, then divide them by their sum."""
    opmath = OPMATH_DTYPE.get(dtype, dtype)
    numbers = convert(lines, dtype, opmath)
    peak, exps = numbers.max(0), np.empty_like(numbers, order="C")
    for part in parts:
        exps[part] = np.exp(convert(lines[part], dtype, opmath) - peak)
        written[part] = convert(exps[part], opmath, dtype)
    kept = convert(written, dtype, opmath)
    quotients = divide_by_sums(kept.T, exps.T, 1).T if is_last else divide_by_sums(kept, exps, 0)
    written[...] = convert(quotients, opmath, dtype)


def _check_kernel(spec: Normalization, source: Tensor, dim: int) -> None:
    """Raise if the tensor has elements of a dtype that the kernel for a dimension lacks."""
    geometry = source._geometry
    if geometry.numel:
        is_last = dim == max(geometry.rank - 1, 0)
        kernel = f"{spec.name}{'_lastdim' if is_last else ''}_kernel_impl"
        check_kernel(kernel, FLOATS, source._dtype, source)


def _normalized(spec: Normalization, dtype: dtype, dim: int, raw: Any, read: Any = None) -> Any:
    """Return the raw array of results; narrow floats are computed in float32.

    ``read`` has the elements of a line as they are when torch reads them again.
    """
    load, opmath = load_for(dtype, dtype), OPMATH_DTYPE.get(dtype, dtype)
    shape = (raw if read is None else read).shape
    numbers, *again = (
        np.atleast_1d(array if load is None else load(array))
        for array in (raw, read)
        if array is not None
    )
    rounded = identity if opmath is dtype else partial(round_through, opmath, dtype)
    result = (
        without_fp_warnings(spec.compute, numbers, dim, rounded, *again)
        if again
        else without_fp_warnings(_in_parts, spec.compute, numbers, dim, rounded)
    )
    return (result if opmath is dtype else convert(result, opmath, dtype)).reshape(shape)


def _in_parts(
    compute: Callable[[Any, int, Kernel], Any], numbers: Any, axis: int, rounded: Kernel
) -> Any:
    """Compute lines in parts that fit in a cache, on all cores."""
    others = [other for other in range(numbers.ndim) if other != axis]
    if numbers.size <= BLOCK_ELEMENTS or not others:
        return compute(numbers, axis, rounded)
    cut = max(others, key=lambda other: numbers.shape[other])
    size, result = numbers.shape[cut], np.empty(numbers.shape, numbers.dtype)
    step = -(-size * BLOCK_ELEMENTS // numbers.size)

    def work(start: int) -> None:
        part = (slice(None),) * cut + (slice(start, start + step),)
        result[part] = compute(numbers[part], axis, rounded)

    parallel_for(work, [(start,) for start in range(0, size, step)])
    return result


def _run_of(spec: Normalization) -> Callable[..., Tensor]:
    """Return the implementation of the function."""
    resolving = resolves_bits(partial(_normalize, spec))

    def run(tensor: Tensor, dim: int, dtype: Any = None, out: Tensor | None = None) -> Tensor:
        if out is not None:
            check_gradients((tensor,), out)
        result: Tensor = resolving(tensor, dim, dtype, out=out)
        return result

    def check_gradients(_: tuple[Any, ...], out: Tensor) -> None:
        check_no_leaf(f"aten::{spec.name}", out)

    return with_gradient_check(run, check_gradients)


for _spec, _doc in (
    (SOFTMAX, "the exponentials of elements, divided by their sum along a dimension"),
    (LOG_SOFTMAX, "the logarithms of softmax along a dimension"),
):
    install_operator(
        _spec.name,
        Overload(
            "int64_t dim, ScalarType? dtype=None",
            _run_of(_spec),
        ),
        doc=f"Return {_doc}.",
        wrap=with_array_plans,
    )
