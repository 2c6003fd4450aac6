"""trapezoid, trapz and cumulative_trapezoid, which torch composes (Integration.cpp in ATen)."""

from collections.abc import Sequence
from typing import Any

from ..._arrays.numpy_bridge import np
from ..._autograd.grad_mode import no_grad
from ..._devices.device import META
from ..._dtypes.constants import BOOL, FLOAT32, FLOAT64
from ..._geometry.view_shapes import wrap_dim
from ..._runtime.errors import check
from ..._tensor.factories import empty, python_scalar
from ..._tensor.tensor import METHODS, Tensor
from ..._tensor.views import record_grad_fn
from ..common.array_plans import is_noting, note_arrays, with_array_plans
from ..common.registration import Op, register_operator
from .reduce_plan import function_of


def _trapezoid(y: Tensor, x: Tensor, dim: int) -> Tensor:
    """trapezoid(y, x): return the integral along a dimension by the trapezoidal rule."""
    dim = wrap_dim(dim, y._geometry.rank)
    if not METHODS["size"](y, dim):
        return _zeros_without(y, dim)
    _check_dtypes("trapezoid", y, x)
    steps = _steps("trapezoid", y, x, dim)
    areas = METHODS["mul"](_neighbor_sums(y, dim), steps)
    result = _with_number("div", METHODS["sum"](areas, dim), 2.0)
    return _noted_areas(result, ("sum", (dim,), False, None), 2.0, (y, x), areas, steps, dim)


def _trapezoid_of_step(y: Tensor, dx: Any, dim: int) -> Tensor:
    if not METHODS["size"](y, dim):
        return _zeros_without(y, dim)
    _check_dtypes("trapezoid", y)
    step = _step("trapezoid", dx)
    select = METHODS["select"]
    ends = METHODS["add"](select(y, dim, 0), select(y, dim, -1))
    halves = METHODS["mul"](ends, 0.5)  # which C++ evaluates before the sum
    total = METHODS["sub"](METHODS["sum"](y, dim), halves)
    result = _with_number("mul", total, step)
    add = function_of(y, ("sum", (dim,), False, None)) if _is_noted(y) else None
    if add is not None:

        def compute(raw: Any) -> Any:
            ends = raw.take(0, dim) + raw.take(-1, dim)
            return (add(raw) - ends * raw.dtype.type(0.5)) * raw.dtype.type(step)

        note_arrays(compute, result, y)
    return result


def _is_noted(*tensors: Tensor) -> bool:
    """Return whether to note a function of the arrays of tensors: it has no casts."""
    dtype = tensors[0]._dtype
    return is_noting() and dtype in (FLOAT32, FLOAT64) and all(x._dtype is dtype for x in tensors)


def _noted_areas(
    result: Tensor, key: Any, number: float, operands: tuple[Tensor, Tensor], areas: Tensor,
    steps: Tensor, dim: int,
) -> Tensor:  # fmt: skip
    """Note the function of arrays that adds areas between samples; return its result."""
    add = function_of(areas, key) if _is_noted(*operands) else None
    if add is None:
        return result
    sizes = [*steps._geometry.shape]
    sizes[dim] += 1

    def compute(raw: Any, x: Any) -> Any:
        areas = _sums(raw, dim) * np.diff(x.reshape(sizes), axis=dim)
        return add(areas) / raw.dtype.type(number)

    note_arrays(compute, result, *operands)
    return result


def _sums(raw: Any, dim: int) -> Any:
    """Return the sums of neighbors along a dimension of an array."""
    axis = dim % raw.ndim
    before = (slice(None),) * axis
    return raw[(*before, slice(None, -1))] + raw[(*before, slice(1, None))]


def _cumulative(y: Tensor, x: Tensor, dim: int) -> Tensor:
    """cumulative_trapezoid(y, x): return the integrals up to each element along a dimension."""
    dim = wrap_dim(dim, y._geometry.rank)
    _check_dtypes("cumulative_trapezoid", y, x)
    steps = _steps("cumulative_trapezoid", y, x, dim)
    areas = METHODS["mul"](_neighbor_sums(y, dim), steps)
    result = _with_number("div", METHODS["cumsum"](areas, dim), 2.0)
    return _noted_areas(result, ("cumsum", dim, None), 2.0, (y, x), areas, steps, dim)


def _cumulative_of_step(y: Tensor, dx: Any, dim: int) -> Tensor:
    _check_dtypes("cumulative_trapezoid", y)
    step = _step("cumulative_trapezoid", dx)
    areas = METHODS["mul"](_neighbor_sums(y, dim), step / 2.0)
    result: Tensor = METHODS["cumsum"](areas, dim)
    add = function_of(areas, ("cumsum", dim, None)) if _is_noted(y) else None
    if add is not None:
        note_arrays(lambda raw: add(_sums(raw, dim) * raw.dtype.type(step / 2.0)), result, y)
    return result


def _with_number(name: str, tensor: Tensor, number: float) -> Tensor:
    """Return a quotient or product with a number, by the operator that C++ calls."""
    with no_grad():
        result = METHODS[name](tensor, number)
    return record_grad_fn(result, (tensor,), f"{name.capitalize()}Backward1")


def _zeros_without(y: Tensor, dim: int) -> Tensor:
    """Return zeros of a tensor's shape without a dimension."""
    shape = [*y._geometry.shape]
    del shape[wrap_dim(dim, len(shape))]
    options = {"layout": y.layout, "device": y._geometry.device}
    result = empty(shape, dtype=y._dtype, **options)
    # Torch counts the write of zeros, but a reference makes those on meta.
    return result if y._geometry.device is META else METHODS["zero_"](result)


def _check_dtypes(name: str, *tensors: Tensor) -> None:
    words = "`x` or `y`" if len(tensors) == 2 else "`y`"
    check(
        all(tensor._dtype is not BOOL for tensor in tensors),
        lambda: f"{name}: received a bool input for {words}, but bool is not supported",
    )


def _step(name: str, dx: Any) -> float:
    number = python_scalar(dx)
    check(
        not isinstance(number, bool | complex),
        lambda: f"{name}: Currently, we only support dx as a real number.",
    )
    return float(number)


def _steps(name: str, y: Tensor, x: Tensor, dim: int) -> Tensor:
    """Return the differences of neighbors of ``x``, in a shape that broadcasts with ``y``."""
    shape, sizes = y._geometry.shape, x._geometry.shape
    if len(sizes) == 1:
        check(
            sizes[0] == METHODS["size"](y, dim),
            lambda: f"{name}: There must be one `x` value for each sample point",
        )
        x = METHODS["view"](x, [size if axis == dim else 1 for axis, size in enumerate(shape)])
    elif len(sizes) < len(shape):
        x = METHODS["view"](x, [*[1] * (len(shape) - len(sizes)), *sizes])
    left, right = _neighbors(x, dim)
    differences: Tensor = METHODS["sub"](right, left)
    return differences


def _neighbor_sums(y: Tensor, dim: int) -> Tensor:
    sums: Tensor = METHODS["add"](*_neighbors(y, dim))
    return sums


def _neighbors(tensor: Tensor, dim: int) -> Sequence[Tensor]:
    """Return the slices without the last and without the first element along a dimension."""
    shape = tensor._geometry.shape
    check(shape, lambda: "slice() cannot be applied to a 0-dim tensor.", IndexError)
    size = shape[wrap_dim(dim, len(shape))]
    length = max(0, size - 1)
    return [METHODS["narrow"](tensor, dim, start, length) for start in (0, min(1, size))]


_OF_X = "Tensor x, *, int64_t dim=-1"

for _op in (
    Op(
        "trapezoid",
        {_OF_X: _trapezoid, "*, Scalar dx=1, int64_t dim=-1": _trapezoid_of_step},
        method=False,
        wrap=with_array_plans,
        input="Tensor y",
    ),
    Op(
        "trapz",
        {"*, double dx=1, int64_t dim=-1": _trapezoid_of_step, _OF_X: _trapezoid},
        method=False,
        wrap=with_array_plans,
        input="Tensor y",
    ),
    Op(
        "cumulative_trapezoid",
        {_OF_X: _cumulative, "*, Scalar dx=1, int64_t dim=-1": _cumulative_of_step},
        method=False,
        wrap=with_array_plans,
        input="Tensor y",
    ),
):
    register_operator(_op)
