"""The operator trace (ATen/native/ReduceOps.cpp)."""

from ..._argparser.types import is_integral_dtype
from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._arrays.parallel import without_fp_warnings
from ..._dtypes.constants import COMPLEX32, INT64
from ..._geometry.geometry import dense, on_device
from ..._numerics.cast import convert
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import NotDense, check
from ..._tensor.allocation import warn_complex32
from ..._tensor.data_access import raw_array
from ..._tensor.tensor import METHODS, Tensor, shallow_copy
from ..._tensor.views import record_grad_fn
from ..common.clone import clone
from ..common.conj_neg_fallback import resolves_conj_neg
from ..common.meta_reference import in_reference, is_on_meta
from ..common.registration import Op, register_operator
from ..creation.sequence_common import ACC_DTYPE
from ..elementwise.plan import COMPLEX, NUMBERS
from .reduce import to_tensor


@resolves_conj_neg
def _trace(tensor: Tensor) -> Tensor:
    """trace(input): return the sum of the elements on the diagonal of a matrix."""
    if tensor._geometry.is_sparse:
        raise NotDense
    result = in_reference(_trace_on_meta, tensor) if is_on_meta(tensor) else _sum(tensor)
    return record_grad_fn(result, (tensor,), "TraceBackward0")


def _sum(tensor: Tensor) -> Tensor:
    source, rank = tensor._dtype, tensor._geometry.rank
    if source is COMPLEX32:
        warn_complex32()  # torch makes the result first
    if source not in NUMBERS | COMPLEX:
        raise_not_implemented("trace", source)
    check(rank == 2, lambda: f"trace: expected a matrix, but got tensor with dim {rank}")
    acc_dtype = ACC_DTYPE.get(source, source)
    numbers = convert(raw_array(tensor).diagonal(), source, acc_dtype)
    start = np.zeros(1, numpy_storage_dtype(acc_dtype))
    sums = without_fp_warnings(np.add.accumulate, np.concatenate([start, numbers]))
    dtype = INT64 if is_integral_dtype(source, or_bool=True) else source
    total = convert(sums[-1:].reshape(()), acc_dtype, dtype)
    return to_tensor(np.asarray(total), on_device(dense(()), tensor._geometry.device), dtype)


def _trace_on_meta(tensor: Tensor) -> Tensor:
    """Return what the reference does (trace in torch/_refs)."""
    rank = tensor._geometry.rank
    check(rank == 2, lambda: f"expected a matrix, but got tensor with dim {rank}")
    diagonal = clone(METHODS["diagonal"](shallow_copy(tensor)))
    return METHODS["sum"](diagonal)  # type: ignore[no-any-return]


register_operator(Op("trace", {"": _trace}))
