"""bincount (ATen/native/SummaryOps.cpp)."""

from ..._arrays.numpy_bridge import np
from ..._arrays.parallel import without_fp_warnings
from ..._dtypes.constants import FLOAT32, FLOAT64, INT64
from ..._dtypes.table import dtype
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import NotDense, check
from ..._tensor.allocation import full_of_raw
from ..._tensor.data_access import raw_array
from ..._tensor.tensor import Tensor, shallow_copy
from ..common.conj_neg_fallback import resolves_conj_neg
from ..common.copy import contiguous, to_dtype
from ..common.device_checks import check_meta_kernel
from ..elementwise.binding import Overload, install_operator
from ..elementwise.plan import INTEGERS
from ..reduction.reduce import with_grad_fn


@resolves_conj_neg
def _bincount(tensor: Tensor, weights: Tensor | None, minlength: int) -> Tensor:
    operands = [tensor] if weights is None else [tensor, weights]
    if any(x._geometry.is_sparse for x in operands):
        raise NotDense
    check_meta_kernel("bincount", *operands)
    if tensor._dtype not in INTEGERS:
        raise_not_implemented("bincount_cpu", tensor._dtype)
    tensor = contiguous(tensor)
    source, sums = weights, INT64
    if weights is not None:
        sums = FLOAT32 if weights._dtype is FLOAT32 else FLOAT64
        weights = to_dtype(contiguous(shallow_copy(weights)), sums, False, None)
    check(minlength >= 0, lambda: "minlength should be >= 0")
    geometry = tensor._geometry
    if geometry.rank == 1 and not geometry.numel:
        return full_of_raw((minlength,), 0, INT64, geometry.device)
    result = _counted(tensor, weights, minlength, sums)
    return result if source is None else with_grad_fn(result, source, "NotImplemented")


def _counted(tensor: Tensor, weights: Tensor | None, minlength: int, dtype: dtype) -> Tensor:
    geometry, raw = tensor._geometry, raw_array(tensor)
    check(
        geometry.rank == 1 and raw.min() >= 0,
        lambda: "bincount only supports 1-d non-negative integral inputs.",
    )
    largest = int(raw.max())
    check(
        largest < _MAX,
        lambda: f"maximum value of input overflowed, it should be < {_MAX} but got {largest}",
    )
    check(
        weights is None or weights._geometry.shape == geometry.shape,
        lambda: "weights should be 1-d and have the same length as input",
    )
    shape = (max(largest + 1, minlength),)
    totals = full_of_raw(shape, 0, dtype, geometry.device)
    if weights is None:
        raw_array(totals)[: largest + 1] = np.bincount(raw)
    else:  # one after the other, in the dtype of the sums
        without_fp_warnings(np.add.at, raw_array(totals), raw, raw_array(weights))
    return totals


_MAX = 2**63 - 1

install_operator(
    "bincount",
    Overload("Tensor? weights=None, SymInt minlength=0", _bincount, out=False),
    doc="Return how often each number occurs, or the sums of the weights of its places.",
)
