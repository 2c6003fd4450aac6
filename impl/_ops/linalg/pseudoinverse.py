"""The rank and the pseudoinverse of matrices (aten/src/ATen/native/LinearAlgebra.cpp)."""

from typing import Any

from ..._autograd.grad_mode import no_grad
from ..._devices.device import META
from ..._dtypes.constants import FLOAT64, INT64
from ..._geometry.view_shapes import wrap_dim
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.allocation import resize_output
from ..._tensor.out_autograd import check_no_grad_out, gradient_check, with_gradient_check
from ..._tensor.sparse_coo import is_sparse
from ..._tensor.sparse_dispatch import no_kernel
from ..._tensor.tensor import METHODS, Tensor
from ..._tensor.views import record_grad_fn
from ..elementwise.binding import Overload, function_of_module, install_operator
from ..products.product import resize_counted
from . import decompositions
from .checks import LAPACK, check_castable, check_matrix, check_same_device, cpp_name
from .decompositions import hermitian_values

_RANK, _PINV = "torch.linalg.matrix_rank", "torch.linalg.pinv"


def _check_tolerance(name: str, tolerance: Tensor, what: str) -> None:
    """Raise if a tolerance is complex (checkNotComplexTolerance)."""
    check(
        not tolerance._dtype.is_complex,
        lambda: (
            f"{name}: {what} tensor of complex type is not supported. Got"
            f" {cpp_name(tolerance._dtype)}"
        ),
    )


def _as_tensor(tensor: Tensor, tolerance: float) -> Tensor:
    """Return a tolerance as a tensor on the device of another tensor."""
    check(
        not tensor._geometry.is_sparse,
        lambda: "full(...) is not implemented for sparse layout",
    )
    result: Tensor = METHODS["new_full"](METHODS["detach"](tensor), (), tolerance, dtype=FLOAT64)
    return result


def _default(tensor: Tensor) -> float:
    """Return torch's relative tolerance: the machine epsilon times the longer side of a matrix."""
    own, shape = tensor._dtype, tensor._geometry.shape
    size: int = max(shape[wrap_dim(dim, len(shape))] for dim in (-1, -2))
    check(own in LAPACK, lambda: "This function doesn't handle types other than float and double")
    epsilon: float = own.__finfo__.eps
    return epsilon * size


def _tolerances(name: str, tensor: Tensor, atol: Any, rtol: Any) -> tuple[Tensor, Tensor]:
    """Return an absolute and a relative tolerance (get_atol_rtol).

    The default relative one is 0 beside an absolute one.
    """
    if isinstance(atol, float) or isinstance(rtol, float):
        absolute, default = atol or 0.0, 0.0 if rtol is not None else _default(tensor)
        relative = rtol if rtol is not None else 0.0 if absolute > 0 else default
        return _as_tensor(tensor, absolute), _as_tensor(tensor, relative)
    if atol is not None:
        _check_tolerance(name, atol, "atol")
    if rtol is not None:
        _check_tolerance(name, rtol, "rtol")
    else:
        rtol = _as_tensor(tensor, _default(tensor))
        if atol is not None:
            rtol = PUBLIC["where"](METHODS["gt"](atol, 0), _as_tensor(tensor, 0.0), rtol)
    return _as_tensor(tensor, 0.0) if atol is None else atol, rtol


def _threshold(tolerances: tuple[Tensor, Tensor], largest: Tensor) -> Tensor:
    absolute, relative = (METHODS["unsqueeze"](x, -1) for x in tolerances)
    threshold: Tensor = PUBLIC["maximum"](absolute, METHODS["mul"](relative, largest))
    return threshold


def _rank(
    tensor: Tensor, atol: Any, rtol: Any, hermitian: bool, out: Tensor | None = None
) -> Tensor:
    if out is not None and (isinstance(atol, float) or isinstance(rtol, float)):
        atol, rtol = _tolerances(_RANK, tensor, atol, rtol)
    check_matrix(_RANK, tensor, "input")
    if is_sparse(out):
        raise no_kernel("resize_", out)
    if out is not None:
        resize_output(out, tensor._geometry.shape[:-2])
    absolute, relative = _tolerances(_RANK, tensor, atol, rtol)
    result: Tensor | None = out
    if result is None:
        result = METHODS["new_empty"](tensor, tensor._geometry.shape[:-2], dtype=INT64)
    check_same_device(_RANK, result, tensor)
    check_same_device(_RANK, absolute, tensor, "atol")
    check_same_device(_RANK, relative, tensor, "rtol")
    check_castable(_RANK, INT64, result)
    if not tensor._geometry.numel:
        METHODS["fill_"](result, 0)
        return result
    if hermitian:
        values = METHODS["abs"](hermitian_values(tensor))
        largest = METHODS["amax"](values, -1, True)
    else:
        values = decompositions.svdvals(tensor)
        largest = METHODS["narrow"](values, -1, 0, 1)
    above = METHODS["gt"](values, _threshold((absolute, relative), largest))
    # Torch counts tensors on meta among subclasses, for which it leaves ``out``.
    options = {} if tensor._geometry.device is META else {"out": result}
    rank: Tensor = PUBLIC["sum"](above, -1, **options)
    return rank


def _rank_by(tensor: Tensor, tol: Any, hermitian: bool, out: Tensor | None = None) -> Tensor:
    zero = METHODS["new_zeros"](tol, ()) if isinstance(tol, Tensor) else 0.0
    return _rank(tensor, tol, zero, hermitian, out)


def _pinv(
    tensor: Tensor, atol: Any, rtol: Any, hermitian: bool, out: Tensor | None = None
) -> Tensor:
    if out is not None:
        check_no_grad_out("linalg_pinv", tensor, out)
        check_same_device("linalg.pinv", out, tensor)
        check_castable("linalg.pinv", tensor._dtype, out)
    own, shape = tensor._dtype, tensor._geometry.shape
    if isinstance(atol, float) or isinstance(rtol, float):
        atol, rtol = _tolerances(_PINV, tensor, atol, rtol)
    if tensor._geometry.is_sparse:
        raise no_kernel("linalg_pinv.atol_rtol_tensor", tensor)
    check(
        own in LAPACK and len(shape) >= 2,
        lambda: (
            f"linalg.pinv({cpp_name(own)}{{{[*shape]}}}): expected a tensor with 2 or more"
            " dimensions of float, double, cfloat or cdouble types"
        ),
    )
    with no_grad():
        result = _inverted(tensor, _tolerances(_PINV, tensor, atol, rtol), hermitian=hermitian)
    if out is None:
        return record_grad_fn(result, (tensor,), "LinalgPinvBackward0")
    resize_counted(out, result._geometry.shape)
    METHODS["copy_"](out, result)
    return out


def _inverted(tensor: Tensor, tolerances: tuple[Tensor, Tensor], *, hermitian: bool) -> Tensor:
    if not tensor._geometry.numel:
        left, values, adjoint = decompositions.svd(tensor, False)
        return _product(_adjoint(adjoint), METHODS["reciprocal"](values), left)
    if hermitian:
        values, right = decompositions.eigh(tensor)
        left, sizes = right, METHODS["abs"](values)
        largest = METHODS["amax"](sizes, -1, True)
    else:
        left, values, adjoint = decompositions.svd(tensor, False)
        right, sizes = _adjoint(adjoint), values
        largest = METHODS["narrow"](values, -1, 0, 1)
    zero = METHODS["new_zeros"](values, ())
    is_kept = METHODS["gt"](sizes, _threshold(tolerances, largest))
    inverted = PUBLIC["where"](is_kept, METHODS["reciprocal"](values), zero)
    return _product(right, METHODS["to"](inverted, tensor._dtype), left)


def _product(right: Tensor, values: Tensor, left: Tensor) -> Tensor:
    """Return the product of vectors, values, and the adjoint of other vectors."""
    scaled = METHODS["mul"](right, METHODS["unsqueeze"](values, -2))
    product: Tensor = METHODS["matmul"](scaled, _adjoint(left))
    return product


def _adjoint(tensor: Tensor) -> Tensor:
    adjoint: Tensor = METHODS["adjoint"](tensor)
    return adjoint


def _pinv_by(tensor: Tensor, rcond: Any, hermitian: bool, out: Tensor | None = None) -> Tensor:
    zero: Any = 0.0
    if isinstance(rcond, Tensor):
        _check_tolerance(_PINV, rcond, "rcond")
        zero = METHODS["new_zeros"](METHODS["detach"](tensor), (), dtype=FLOAT64)
    return _pinv(tensor, zero, rcond, hermitian, out)


def _pinverse(tensor: Tensor, rcond: float) -> Tensor:
    return _pinv(tensor, 0.0, rcond, False)


for _run in (_pinv, _pinv_by):
    with_gradient_check(_run, gradient_check("linalg_pinv"))

_TOLERANCES = "*, {0}? atol=None, {0}? rtol=None, bool hermitian=False"
matrix_rank = function_of_module(
    "linalg",
    "matrix_rank",
    Overload(_TOLERANCES.format("Tensor"), _rank),
    Overload(_TOLERANCES.format("double"), _rank),
    Overload("Tensor tol, bool hermitian=False", _rank_by),
    Overload("double tol, bool hermitian=False", _rank_by),
    doc="Return how many singular values of matrices are above a tolerance.",
)
pinv = function_of_module(
    "linalg",
    "pinv",
    Overload(_TOLERANCES.format("Tensor"), _pinv),
    Overload(_TOLERANCES.format("double"), _pinv),
    Overload("Tensor rcond, bool hermitian=False", _pinv_by),
    Overload("double rcond, bool hermitian=False", _pinv_by),
    doc="Return the pseudoinverses of matrices, by singular values above a tolerance.",
)
install_operator(
    "pinverse",
    Overload("double rcond=1e-15", _pinverse, out=False),
    doc="Return the pseudoinverses of matrices, by singular values above a tolerance.",
)
