"""histogram (ATen/native/Histogram.cpp and ATen/native/cpu/HistogramKernel.cpp)."""

import math
from functools import partial
from typing import Any

from ..._arrays.numpy_bridge import np
from ..._arrays.parallel import GRAIN_SIZE, without_fp_warnings
from ..._autograd.autograd_meta import (
    bump_version,
    is_differentiable,
    requires_grad,
)
from ..._dtypes.constants import BFLOAT16, FLOAT16, FLOAT32, FLOAT64
from ..._dtypes.cpp_names import cpp_type
from ..._dtypes.table import dtype
from ..._geometry.geometry import dense, on_device
from ..._kernels import histograms
from ..._kernels.cascade_sum import cascade_sum
from ..._kernels.elementwise import OPMATH_DTYPE, round_through
from ..._kernels.sequences import linspace_elements
from ..._numerics.cast import convert
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import NotDense, check
from ..._runtime.grad_modes import grad_enabled
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor import structseq
from ..._tensor.allocation import empty_with, resize_output
from ..._tensor.data_access import resolved_array, tensor_from_raw
from ..._tensor.out_autograd import check_no_leaf, with_gradient_check
from ..._tensor.tensor import METHODS, Tensor, shallow_copy
from ..._tensor.views import record_outputs
from ..common.array_plans import is_noting, note_arrays
from ..common.conj_neg_fallback import resolve_operands
from ..common.copy import record_write
from ..common.device_checks import check_meta_kernel
from ..elementwise.binding import Overload, install_operator
from ..reduction.reduce import resolves_bits

_DTYPES = frozenset({FLOAT16, BFLOAT16, FLOAT32, FLOAT64})

Pair = tuple[Tensor, Tensor]


def _of_edges(
    tensor: Tensor, bins: Tensor, weight: Tensor | None, density: bool, out: Pair | None = None
) -> Any:
    """Count elements between the edges of bins."""

    def fill(tensor: Tensor, weight: Tensor | None, edges: Tensor, results: Pair) -> None:
        flat, weights = _flat(tensor, weight)
        _check_inputs(flat, edges, weights)
        _prepare(flat, edges._geometry.numel - 1, results)
        if any(bins is result for result in results):  # which is resized
            edges = shallow_copy(bins)
        METHODS["copy_"](shallow_copy(results[1]), edges)
        _fill(flat, weights, density, results, linear=False)

    def compute(raw: Any, edges: Any, *weights: Any) -> Any:
        return _sums(tensor._dtype, raw, weights, edges, linear=False)

    result = _run("bins_tensor", fill, (tensor, weight, bins), out)
    if is_noting() and out is None and tensor._dtype in _WIDE and not density:
        note_arrays(compute, result, *(x for x in (tensor, bins, weight) if x is not None))
    return result


_WIDE = {FLOAT32: "f", FLOAT64: "d"}


def _sums(dtype: dtype, raw: Any, weights: Any, edges: Any, *, linear: bool) -> Any:
    """Return the raw sums and a copy of the edges; None if a sum is NaN."""
    weight = weights[0].reshape(-1) if weights else None
    totals = _counts(dtype, raw.reshape(-1), weight, edges, linear=linear)
    return None if np.isnan(totals).any() else (totals, edges.copy())


def _of_count(
    tensor: Tensor, count: int, range: Any, weight: Tensor | None, density: bool,
    out: Pair | None = None,
) -> Any:  # fmt: skip
    """Count elements in bins of equal width."""

    def fill(tensor: Tensor, weight: Tensor | None, _: None, results: Pair) -> None:
        flat, weights = _flat(tensor, weight)
        _prepare(flat, count, results)
        edges = shallow_copy(results[1])  # torch counts no write here
        PUBLIC["linspace"](*_ends(flat, range), count + 1, out=edges, device=edges.device)
        _check_inputs(flat, results[1], weights)
        _fill(flat, weights, density, results, linear=True)

    dtype = tensor._dtype

    def compute(raw: Any, *weights: Any) -> Any:
        first, last = range or (float(raw.min()), float(raw.max()))
        if range is None and 0 in (first, last):
            return None  # the sign of a zero depends on the order
        if first == last:
            first, last = first - 0.5, last + 0.5
        ends = np.array([first, last], _WIDE[dtype])
        if not math.isfinite(ends[1] - ends[0]):
            return None
        edges = linspace_elements(ends[0], ends[1], count + 1, dtype)
        return _sums(dtype, raw, weights, edges, linear=True)

    result = _run("bin_ct", fill, (tensor, weight, None), out)
    if is_noting() and out is None and dtype in _WIDE and not density and tensor._geometry.numel:
        note_arrays(compute, result, *(x for x in (tensor, weight) if x is not None))
    return result


def _run(overload: str, fill: Any, operands: tuple[Any, ...], out: Pair | None) -> Any:
    tensors = [x for x in operands if x is not None]
    every = [*tensors, *(out or ())]
    if any(x._geometry.is_sparse for x in every):
        raise NotDense
    suffix = "_out" if out is not None else ""
    check_meta_kernel(f"histogram.{overload}{suffix}", *every)
    plain = [None if x is None else shallow_copy(x) for x in resolve_operands(operands)]
    dtypes = tensors[0]._dtype, tensors[-1 if overload == "bins_tensor" else 0]._dtype
    nothing = on_device(dense((0,)), tensors[0]._geometry.device)
    first, second = out or [empty_with(nothing, each) for each in dtypes]
    fill(*plain, (first, second))
    has_gradient = grad_enabled() and any(map(requires_grad, every))
    if out is not None:
        _record(out, every if has_gradient else [])
        return structseq.histogram_out(out)
    if has_gradient:
        record_outputs([first, second], tuple(tensors), _NODE)
    return structseq.histogram((first, second))


def _record(out: Pair, sources: list[Tensor]) -> None:
    """Record the writes to results, of which only the first one may be a view."""
    for target in out:
        is_recorded = bool(sources) and is_differentiable(target)
        if is_recorded and target is not out[0] and target._view_base is not None:
            bump_version(target)
            raise RuntimeError(
                "Functions which modify views in-place must return a single Variable"
            )
        record_write(target, tuple(sources) if is_recorded else (), _NODE)


def _checks_out(run: Any) -> Any:
    """Check the gradients of results first, which torch cannot differentiate."""
    resolved = resolves_bits(run)

    def checked(*operands: Any, out: Pair | None = None) -> Any:
        if out is not None:
            check_outs(operands, out)
        return resolved(*operands, out=out)

    def check_outs(operands: tuple[Any, ...], out: Any) -> None:
        for target in out:
            check_no_leaf(
                "aten::histogram", target, *(x for x in operands if isinstance(x, Tensor))
            )

    return with_gradient_check(checked, check_outs)


_NODE = "NotImplemented"


def _flat(tensor: Tensor, weight: Tensor | None) -> tuple[Tensor, Tensor | None]:
    flat = METHODS["reshape"](tensor, (tensor._geometry.numel, 1))
    if weight is None:
        return flat, None
    return flat, METHODS["reshape"](weight, (weight._geometry.numel,))


def _check_inputs(flat: Tensor, bins: Tensor, weight: Tensor | None) -> None:
    name, geometry = cpp_type(flat._dtype), bins._geometry
    check(
        bins._dtype is flat._dtype,
        lambda: (
            "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got"
            f" input with dtype {name} and bins for dimension 0 with dtype {cpp_type(bins._dtype)}"
        ),
    )
    check(
        geometry.rank == 1,
        lambda: (
            f"torch.histogramdd: bins tensor should have one dimension, but got {geometry.rank}"
            " dimensions in the bins tensor for dimension 0"
        ),
    )
    check(
        geometry.numel,
        lambda: (
            "torch.histogramdd: bins tensor should have at least 1 element, but got 0 elements in"
            " the bins tensor for dimension 0"
        ),
    )
    if weight is None:
        return
    check(
        weight._dtype is flat._dtype,
        lambda: (
            "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor should"
            f" have the same dtype, but got input({name}), and weight({cpp_type(weight._dtype)})"
        ),
    )
    sizes = [[*x._geometry.shape] for x in (flat, weight)]
    check(
        sizes[0][0] == sizes[1][0],
        lambda: (
            "torch.histogramdd: if weight tensor is provided it should have the same shape as the"
            f" input tensor excluding its innermost dimension, but got input with shape {sizes[0]}"
            f" and weight with shape {sizes[1]}"
        ),
    )


def _prepare(flat: Tensor, count: int, results: Pair) -> None:
    """Resize the results; raise if their dtypes differ from the tensor's."""
    for result, name, suffix in zip(
        results, ("hist", "bin_edges"), ("", " for dimension 0"), strict=True
    ):
        check(
            result._dtype is flat._dtype,
            lambda: (
                f"torch.histogram: input tensor and {name} tensor should have the same dtype, but"  # noqa: B023
                f" got input {cpp_type(flat._dtype)} and {name}"  # noqa: B023
                f" {cpp_type(result._dtype)}{suffix}"  # noqa: B023
            ),
        )
    check(
        count > 0, lambda: f"torch.histogram(): bins must be > 0, but got {count} for dimension 0"
    )
    resize_output(results[1], (count + 1,))
    resize_output(results[0], (count,))


def _ends(flat: Tensor, range: Any) -> tuple[float, float]:
    """Return the ends of the bins: the given ones, those of the elements, or 0 and 1."""
    first, last = 0.0, 1.0
    if range is not None:
        check(
            len(range) == 2,
            lambda: (
                "torch.histogramdd: for a 1-dimensional histogram range should have 2 elements, but"
                f" got {len(range)}"
            ),
        )
        first, last = range
    elif flat._geometry.numel:
        if flat._dtype not in (FLOAT32, FLOAT64):
            raise_not_implemented("histogramdd", flat._dtype)
        first, last = [float(each.item()) for each in METHODS["aminmax"](flat, dim=0)]
    check(
        math.isfinite(first) and math.isfinite(last),
        lambda: (
            f"torch.histogramdd: dimension 0's range [{_text(first)}, {_text(last)}] is not finite"
        ),
    )
    check(
        first <= last,
        lambda: (
            f"torch.histogramdd: min should not exceed max, but got min {first:g} max {last:g} for"
            " dimension 0"
        ),
    )
    return (first - 0.5, last + 0.5) if first == last else (first, last)


def _text(number: float) -> str:
    """Return a number as C++ prints it, which shows the sign of a NaN."""
    return f"{'-' if number != number and math.copysign(1, number) < 0 else ''}{number:g}"


def _fill(
    flat: Tensor, weight: Tensor | None, density: bool, results: Pair, *, linear: bool
) -> None:
    hist, edges = (shallow_copy(each) for each in results)
    METHODS["fill_"](hist, 0)
    if flat._dtype not in _DTYPES:
        raise_not_implemented("histogram_cpu", flat._dtype)
    check(
        hist._geometry.numel + 1 == edges._geometry.numel,
        lambda: (
            "hist.size(dim) + 1 == bin_edges[dim].numel() INTERNAL ASSERT FAILED at"
            ' "/__w/pytorch/pytorch/aten/src/ATen/native/cpu/HistogramKernel.cpp":93, please report'
            " a bug to PyTorch. "
        ),
    )
    raws = [None if x is None else resolved_array(x).reshape(-1) for x in (flat, weight, edges)]
    totals = without_fp_warnings(partial(_counts, linear=linear), flat._dtype, *raws)
    parts = tensor_from_raw(totals.reshape(1, -1), flat._dtype, flat._geometry.device)
    PUBLIC["sum"](parts, 0, out=hist)  # of threads
    if density:
        METHODS["div_"](hist, _total(hist))
        METHODS["div_"](hist, PUBLIC["diff"](edges))


def _total(hist: Tensor) -> float:
    """Return the sum of all bins, which may cancel, so that the order of additions counts."""
    in_order = hist._dtype in (FLOAT32, FLOAT64) and hist._geometry.numel < GRAIN_SIZE
    total: float = (
        without_fp_warnings(cascade_sum, resolved_array(hist))
        if in_order
        else METHODS["sum"](hist).item()
    )
    return total


def _counts(dtype: dtype, raw: Any, weight: Any, edges: Any, *, linear: bool) -> Any:
    """Return the raw sums of the weights in each bin, which are rounded to the dtype."""
    opmath = OPMATH_DTYPE.get(dtype, dtype)
    rounded = None if opmath is dtype else partial(round_through, opmath, dtype)
    numbers, edges = (convert(each, dtype, opmath) for each in (raw, edges))
    is_inside = (numbers >= edges[0]) & (numbers <= edges[-1])
    places = histograms.bins(edges, numbers[is_inside], linear=linear)
    if weight is None:
        return convert(histograms.counts(places, len(edges) - 1, dtype), FLOAT64, dtype)
    weights = convert(weight, dtype, opmath)[is_inside]
    return convert(histograms.sums(places, weights, len(edges) - 1, rounded), opmath, dtype)


_OPTIONS = "Tensor? weight=None, bool density=False"
_OUT = "TensorList[2]"

install_operator(
    "histogram",
    Overload(f"Tensor bins, *, {_OPTIONS}", _checks_out(_of_edges), out_type=_OUT),
    Overload(
        f"int64_t bins=100, *, ArrayRef<double>? range=None, {_OPTIONS}",
        _checks_out(_of_count),
        out_type=_OUT,
    ),
    doc="Return how many elements, or the sum of their weights, lie in each bin, and its edges.",
)
