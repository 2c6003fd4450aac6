"""logsumexp, which torch composes of amax, exp, sum and log (ATen/native/ReduceOps.cpp)."""

from typing import Any

from ..._argparser.types import is_integral_dtype
from ..._arrays.numpy_bridge import np
from ..._autograd.autograd_meta import bump_version, version_counter
from ..._dtypes.constants import FLOAT32, FLOAT64
from ..._dtypes.default_dtype import get_default_dtype
from ..._dtypes.table import spec_of
from ..._geometry.geometry import dense, on_device
from ..._kernels.unary import exponential, logarithm
from ..._runtime.errors import NotDense, check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.allocation import empty_with
from ..._tensor.tensor import METHODS, Tensor, shallow_copy
from ..common.array_plans import is_noting, note_arrays
from ..common.copy import to_dtype
from ..elementwise.binding import Overload, install_operator
from . import references
from .reduce import Dims, reduced_geometry, resolves_bits, with_grad_fn
from .reduce_plan import function_of

_NODE = "LogsumexpBackward0"


def _logsumexp(tensor: Tensor, dims: Dims, keepdim: bool, out: Tensor | None = None) -> Tensor:
    if references.uses_reference(tensor, out):
        return references.logsumexp(_NODE, tensor, dims, keepdim, out)
    if out is not None and (tensor._geometry.is_sparse or out._geometry.is_sparse):
        raise NotDense
    numbers, dtype = shallow_copy(tensor), tensor._dtype
    is_integral = is_integral_dtype(dtype, or_bool=True)
    if is_integral:
        dtype = get_default_dtype()
    if out is None:
        result = empty_with(on_device(dense((0,)), tensor._geometry.device), dtype)
    else:
        result = out
    check(
        result._dtype.is_floating_point or result._dtype.is_complex,
        lambda: (
            "logsumexp(): Expected floating point type for result tensor, but got:"
            f" {spec_of(result._dtype).cpp_name}"
        ),
    )
    if is_integral:
        numbers = to_dtype(numbers, dtype, False, None)
    counter = version_counter(result)
    version: Any = counter.version
    try:
        _compose(numbers, dims, keepdim, result)
    finally:
        counter.version = version
    if out is None:
        if is_noting() and tensor._dtype in (FLOAT32, FLOAT64):
            _note(result, tensor, dims, keepdim)
        return with_grad_fn(result, tensor, _NODE)
    bump_version(out)  # torch counts one write, after all of these
    return out


def _note(result: Tensor, tensor: Tensor, dims: Dims, keepdim: bool) -> None:
    """Note the function of arrays that `_compose` composes of others."""
    amax = function_of(tensor, ("amax", dims, True))
    exps = empty_with(tensor._geometry, tensor._dtype)
    METHODS["sum"](METHODS["zero_"](exps), dims, keepdim)
    add = function_of(exps, ("sum", dims, keepdim, None))
    if amax is None or add is None:
        return
    shape = result._geometry.shape
    kept = reduced_geometry(tensor._geometry, dims, True)[1].shape

    def compute(raw: Any) -> Any:
        maxes = np.asarray(amax(raw)).reshape(kept)
        shifts = np.where(np.isinf(maxes), raw.dtype.type(0), maxes)
        sums = np.asarray(add(exponential(raw - shifts))).reshape(shape)
        return logarithm(sums) + shifts.reshape(shape)

    note_arrays(compute, result, tensor)


def _compose(numbers: Tensor, dims: Dims, keepdim: bool, result: Tensor) -> None:
    """Write the logarithms of the sums of exponentials, without those that are too large."""
    if not numbers._geometry.numel:
        PUBLIC["sum"](PUBLIC["exp"](numbers), dims, keepdim, out=result)
        METHODS["log_"](result)
        return
    real = PUBLIC["real"](numbers)
    maxes = PUBLIC["amax"](real, dims, True)
    shifts = maxes if keepdim else METHODS["squeeze"](maxes, dims)
    METHODS["masked_fill_"](shifts, METHODS["isinf"](shifts), 0)
    exps = METHODS["exp_"](METHODS["sub"](numbers, maxes))
    PUBLIC["sum"](exps, dims, keepdim, out=result)
    METHODS["log_"](result)
    METHODS["add_"](result, shifts)


install_operator(
    "logsumexp",
    Overload("IntArrayRef[1] dim, bool keepdim=False", resolves_bits(_logsumexp, "logsumexp")),
    doc="Return the logarithm of the sum of the exponentials of elements along dimensions.",
)
