"""The singular values of matrices, for norms (ATen/native/BatchLinearAlgebra.cpp)."""

from typing import Any

from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._arrays.parallel import without_fp_warnings
from ..._dtypes.table import dtype
from ..._geometry.geometry import dense, on_device
from ..._runtime.c_types import PACKAGE
from ..._runtime.errors import check
from ..._tensor.allocation import empty_with
from ..._tensor.data_access import resolved_array, tensor_from_raw
from ..._tensor.tensor import Tensor
from ..._tensor.views import record_grad_fn
from ..common.meta_reference import is_on_meta


class _LinAlgError(RuntimeError):
    """The error of a function of torch.linalg that has no result for the elements it got."""


_LinAlgError.__module__ = f"{PACKAGE}._C"
LinAlgError = _LinAlgError
"""The public name of the class, whose own name is that of torch's."""

_NOT_FINITE = (
    "linalg.svd: {}The algorithm failed to converge because the input matrix contained non-finite"
    " values."
)


def singular_values(tensor: Tensor) -> Tensor:
    """Return the singular values of matrices in descending order; raise if one has a NaN."""
    *batch, rows, columns = tensor._geometry.shape
    geometry = on_device(dense((*batch, min(rows, columns))), tensor._geometry.device)
    own = tensor._dtype
    real = own.to_real() if own.is_complex else own
    if is_on_meta(tensor):
        result = empty_with(geometry, real)
    else:
        raw = _values(resolved_array(tensor), real)
        result = tensor_from_raw(raw, real, geometry.device)
    return record_grad_fn(result, (tensor,), "LinalgSvdBackward0")


def _values(raw: Any, real: dtype) -> Any:
    """Return the raw array of singular values; those of a matrix with an infinity are NaN."""
    *batch, rows, columns = raw.shape
    if not raw.size:
        return np.zeros((*batch, min(rows, columns)), numpy_storage_dtype(real))
    lines = raw.reshape(-1, rows * columns)
    has_nan = np.isnan(lines).any(1)
    place = f"(Batch element {has_nan.argmax()}): " if batch else ""
    check(not has_nan.any(), lambda: _NOT_FINITE.format(place), LinAlgError)
    is_finite = np.isfinite(lines).all(1).reshape(batch)
    finite = np.where(is_finite[..., None, None], raw, 0)
    values = without_fp_warnings(np.linalg.svd, finite, compute_uv=False)
    return np.where(is_finite[..., None], values, np.nan).astype(values.dtype, copy=False)
