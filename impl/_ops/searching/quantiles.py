"""quantile and nanquantile, which torch composes of others (ATen/native/Sorting.cpp)."""

from functools import partial
from typing import Any, NamedTuple

from ..._arrays.numpy_bridge import np
from ..._autograd.autograd_meta import bump_version
from ..._devices.device import CPU, META
from ..._dtypes.constants import FLOAT32, FLOAT64, INT64
from ..._geometry import view_shapes
from ..._geometry.broadcasting import broadcast_pair
from ..._geometry.geometry import Geometry
from ..._kernels.binary import lerp
from ..._kernels.sorting import sort_order, take_in_rows
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.allocation import resize_out, warn_if_complex32, warn_resized_output
from ..._tensor.data_access import raw_array
from ..._tensor.out_autograd import check_resizable
from ..._tensor.sparse_dispatch import no_kernel
from ..._tensor.tensor import METHODS, Tensor
from ..common.array_plans import is_noting, last_noted, note_arrays
from ..common.copy import copy_, to_dtype
from ..creation.sequence_common import as_double
from ..elementwise.binding import Overload, install_operator

_MODES = ("linear", "lower", "higher", "midpoint", "nearest")
_LARGEST = 2**24
"""The number of elements up to which float32 represents each rank."""


def _quantile(
    tensor: Tensor,
    q: Tensor,
    dim: int | None,
    keepdim: bool,
    interpolation: str,
    *,
    out: Tensor | None = None,
    ignores_nan: bool,
) -> Tensor:
    check(
        interpolation in _MODES,
        lambda: (
            "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest,"
            f" but got {interpolation}"
        ),
    )
    _check(tensor, q)
    if out is not None:
        _check_out(tensor, out)
    wrapped = view_shapes.wrap_dim(dim or 0, tensor._geometry.rank)
    shape = _shape(tensor._geometry, None if dim is None else wrapped, keepdim)
    if q._geometry.rank:
        shape = q._geometry.numel, *shape
    if out is not None:
        _resize(out, shape)  # q may be out
    has_counts = q._geometry.rank > 0
    if tensor._geometry.device is CPU and not q._geometry.is_sparse:
        in_range = METHODS["logical_and_"](METHODS["ge"](q, 0), METHODS["le"](q, 1))
        check(
            METHODS["all"](in_range).item(),
            lambda: "quantile() q values must be in the range [0, 1]",
        )
    lines = _sorted_lines(tensor, None if dim is None else wrapped)
    size = lines._geometry.shape[-1]
    rows = *(shape[1:] if has_counts else shape), size
    lines = METHODS["view"](lines, rows)
    check(size <= _LARGEST, lambda: "quantile() input tensor is too large")
    values = _interpolated(lines, _ranks(lines, q, ignores_nan=ignores_nan), interpolation)
    if has_counts:
        values = METHODS["transpose_"](METHODS["unsqueeze_"](values, 0), 0, -1)
    result: Tensor = METHODS["squeeze_"](values, -1)
    if out is not None:
        return copy_(out, result)
    if is_noting():
        options = None if dim is None else wrapped, rows, interpolation, ignores_nan
        note_arrays(_Function(*options, result._geometry.shape).compute, result, tensor, q)
    return result


class _Function(NamedTuple):
    """The function of the arrays of a tensor and of quantiles, as `_quantile` composes it.

    dim: the dimension; None for all elements
    rows: the shape of the sorted lines
    mode: the interpolation
    ignores_nan: NaNs are no elements
    shape: the shape of the result
    """

    dim: int | None
    rows: tuple[int, ...]
    mode: str
    ignores_nan: bool
    shape: tuple[int, ...]

    def compute(self, raw: Any, q: Any) -> Any:
        """Return the quantiles; None if one is out of range."""
        if not ((q >= 0) & (q <= 1)).all():
            return None
        if self.dim is not None and self.dim != raw.ndim - 1:
            raw = raw[..., None].swapaxes(self.dim, -1)
        size, dtype = self.rows[-1], raw.dtype
        lines = raw.reshape(-1, size)
        own = FLOAT32 if dtype == np.float32 else FLOAT64
        lines = take_in_rows(lines, sort_order(lines, own, descending=False, stable=False))
        is_nan = np.isnan(lines)
        if self.ignores_nan:
            counts = np.count_nonzero(~is_nan, -1, keepdims=True)
            ranks = q * (counts - 1).astype(dtype)
            ranks[ranks < 0] = 0
        else:
            last = dtype.type(size - 1)
            ranks = np.where(is_nan.any(-1, keepdims=True), last, q * last)
        return self._interpolated(lines, ranks).reshape(self.shape)

    def _interpolated(self, lines: Any, ranks: Any) -> Any:
        rounding = {"lower": np.floor, "higher": np.ceil, "nearest": np.rint}.get(self.mode)
        below = (ranks if rounding is None else rounding(ranks)).astype(np.int64)
        values = take_in_rows(lines, below)
        if rounding is not None:
            return values
        dtype = ranks.dtype
        weights = dtype.type(0.5) if self.mode == "midpoint" else ranks - below.astype(dtype)
        above = take_in_rows(lines, np.ceil(ranks).astype(np.int64))
        return lerp(values, above, weights)


def _check(tensor: Tensor, q: Tensor) -> None:
    """Raise if torch has no quantiles of a tensor."""
    dtype, device = tensor._dtype, tensor._geometry.device
    for is_valid, message in (
        (tensor._geometry.numel > 0, "input tensor must be non-empty"),
        (q._geometry.rank <= 1, "q must be a scalar or 1D tensor"),
        (dtype in (FLOAT32, FLOAT64), "input tensor must be either float or double dtype"),
        (q._dtype is dtype, "q tensor must be same dtype as the input tensor"),
        (q._geometry.device is device, "q tensor must be on the same device as the input tensor"),
    ):
        check(is_valid, lambda: f"quantile() {message}")  # noqa: B023


def _check_out(tensor: Tensor, out: Tensor) -> None:
    check(
        out._dtype is tensor._dtype,
        lambda: "quantile() out tensor must be same dtype as the input tensor",
    )
    check(
        out._geometry.device is tensor._geometry.device,
        lambda: "quantile() out tensor must be on the same device as the input tensor",
    )


def _resize(out: Tensor, shape: tuple[int, ...]) -> None:
    """Resize ``out``; autograd sees that except on the CPU (ATen/native/Resize.cpp)."""
    geometry = out._geometry
    if tuple(geometry.shape) == shape:
        return
    warn_resized_output(geometry.shape, shape)
    if geometry.is_sparse or geometry.device is not CPU:
        check_resizable(out)
        if geometry.is_sparse:
            raise no_kernel("resize_", out)
        bump_version(out)
    resize_out(out, shape)


def _shape(geometry: Geometry, dim: int | None, keepdim: bool) -> tuple[int, ...]:
    """Return the shape of one quantile of each line along a dimension, or of all elements."""
    shape = tuple(geometry.shape)
    if dim is None or not shape:
        return (1,) * len(shape) if keepdim else ()
    return (*shape[:dim], *([1] if keepdim else []), *shape[dim + 1 :])


def _sorted_lines(tensor: Tensor, dim: int | None) -> Tensor:
    """Return a tensor whose last dimension has the sorted elements of each line."""
    if dim is None:
        tensor = METHODS["flatten"](tensor)
    elif dim != tensor._geometry.rank - 1:
        tensor = METHODS["transpose"](METHODS["unsqueeze"](tensor, -1), dim, -1)
    lines: Tensor = METHODS["sort"](tensor)[0]
    return lines


def _ranks(lines: Tensor, q: Tensor, *, ignores_nan: bool) -> Tensor:
    """Return the places of quantiles in sorted lines; that of a NaN is the last one."""
    is_nan = METHODS["isnan"](lines)
    if ignores_nan:
        counts = METHODS["sum"](METHODS["logical_not_"](is_nan), -1, True)
        ranks: Tensor = METHODS["mul"](q, METHODS["sub"](counts, 1))
        METHODS["masked_fill_"](ranks, METHODS["lt"](ranks, 0), 0)
        return ranks
    last = lines._geometry.shape[-1] - 1
    shape = broadcast_pair(q._geometry.shape, (*lines._geometry.shape[:-1], 1))
    ranks, has_nan = METHODS["mul"](q, last), METHODS["any"](is_nan, -1, True)
    is_expanded = q._geometry.is_sparse and q._geometry.shape == shape
    ranks = ranks if is_expanded else METHODS["expand"](ranks, shape)
    result: Tensor = METHODS["masked_fill"](ranks, METHODS["expand"](has_nan, shape), last)
    return result


def _interpolated(lines: Tensor, ranks: Tensor, mode: str) -> Tensor:
    """Return the elements at ranks, or numbers between the two next to each."""
    rounding = {"lower": "floor_", "higher": "ceil_", "nearest": "round_"}.get(mode)
    if rounding:
        METHODS[rounding](ranks)
    below = to_dtype(ranks, INT64, False, None)
    values: Tensor = METHODS["gather"](lines, -1, below)
    if rounding:
        return values
    if mode == "midpoint":
        weights = PUBLIC["full_like"](ranks, 0.5)
    else:
        weights = METHODS["sub"](ranks, below)
    above = to_dtype(METHODS["ceil_"](ranks), INT64, False, None)
    METHODS["lerp_"](values, METHODS["gather"](lines, -1, above), weights)
    return values


def _of_number(
    tensor: Tensor, q: Any, *arguments: Any, out: Tensor | None = None, ignores_nan: bool
) -> Tensor:
    number = as_double(q)
    check(
        0 <= number <= 1,
        lambda: f"quantile() q must be in the range [0, 1] but got {number:g}",
    )
    geometry = tensor._geometry
    if geometry.is_sparse and geometry.device is META:
        warn_if_complex32(tensor._dtype, 2)  # of the number, which is sparse, too
        raise no_kernel("fill_.Scalar", tensor)
    q = PUBLIC["scalar_tensor"](number, dtype=tensor._dtype, device=geometry.device)
    result = _quantile(tensor, q, *arguments, out=out, ignores_nan=ignores_nan)
    noted = last_noted()
    if noted is not None and noted.result is result:
        function, fraction = noted.compute, raw_array(q)
        note_arrays(lambda raw: function(raw, fraction), result, tensor)
    return result


_OPTIONS = 'int64_t? dim=None, bool keepdim=False, *, c10::string_view interpolation="linear"'

for _name, _doc in (
    ("quantile", "Return quantiles of all elements, or of those along a dimension."),
    ("nanquantile", "Return quantiles of the elements that are not NaN."),
):
    _ignores = _name == "nanquantile"
    install_operator(
        _name,
        Overload(f"Tensor q, {_OPTIONS}", partial(_quantile, ignores_nan=_ignores)),
        Overload(f"double q, {_OPTIONS}", partial(_of_number, ignores_nan=_ignores)),
        doc=_doc,
    )
