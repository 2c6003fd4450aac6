"""Determinants, inverses and solutions of equations (ATen/native/BatchLinearAlgebra.cpp)."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._autograd.grad_mode import no_grad
from ..._devices.device import META
from ..._geometry.broadcasting import broadcast_pair, broadcast_shapes
from ..._geometry.geometry import dense, on_device
from ..._geometry.size import Size
from ..._numerics.conj_neg import CONJUGATE
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor import structseq
from ..._tensor.allocation import resize_wrapped_out
from ..._tensor.data_access import resolved_array, tensor_from_raw
from ..._tensor.out_autograd import check_no_grad_out
from ..._tensor.sparse_coo import is_sparse
from ..._tensor.sparse_dispatch import no_kernel
from ..._tensor.tensor import METHODS, Tensor
from ..._tensor.views import record_grad_fn
from ..arrangement.sort import restride
from ..common.conj_neg_fallback import resolves_conj_neg
from ..common.meta_reference import in_reference, warn_of_result, write_reference
from ..common.out_argument import write_out
from ..common.registration import Op, register_operator
from ..elementwise.binding import Overload, function_of_module, install_operator, install_unary
from ..reduction.reduce import resolves_bits
from . import factors
from .checks import check_floating, check_matrix, check_square, cpp_name
from .errors import check_each
from .results import Kernel, Result, by_columns, composed, make, new_results

_DET = Kernel("_linalg_det", "LinalgDetBackward0", "lu_cpu", hidden=(1, 1))
_SLOGDET = Kernel("_linalg_slogdet", "LinalgSlogdetBackward0", "lu_cpu", True)
_INV = Kernel("linalg_inv_ex", "LinalgInvExBackward0", "lu_cpu")
_SOLVE = Kernel("_linalg_solve_ex", "LinalgSolveExBackward0", "lu_cpu", True, (1, 1))
_Pair = tuple[Tensor, Tensor]


def _det(tensor: Tensor, out: Tensor | None = None) -> Tensor:
    by_reference = tensor._geometry.device is META and out is None
    check_square("linalg.det", tensor, by_reference=by_reference)
    check_floating("linalg.det", tensor, by_reference=by_reference)
    result = Result(dense(tensor._geometry.shape[:-2]), tensor._dtype)
    compute = partial(_determinants, tensor)
    return make(_DET, (tensor,), [result], compute, None if out is None else (out,))[0]


def _factored(tensor: Tensor) -> tuple[Tensor, Any]:
    """Return the diagonals of U, and the signs of permutations.

    A contiguous real matrix is factored by rows, as its transpose has the same determinant.
    """
    if tensor._geometry.is_contiguous and not tensor._dtype.is_complex:
        # The property is installed with the views. It raises if ``out`` has made the tensor flat.
        tensor = tensor.mH  # type: ignore[attr-defined]
    matrices = resolved_array(tensor)
    packed, _, is_odd, _ = factors.lu(matrices)
    diagonals = np.ascontiguousarray(np.diagonal(packed, 0, -2, -1))
    return tensor_from_raw(diagonals, tensor._dtype), np.where(is_odd, -1, 1).astype(packed.dtype)


def _determinants(tensor: Tensor) -> Sequence[Any]:
    diagonals, signs = _factored(tensor)
    with no_grad():
        return [resolved_array(PUBLIC["prod"](diagonals, -1)) * signs]


def _slogdet(tensor: Tensor, out: _Pair | None = None) -> tuple[Tensor, ...]:
    on_meta, dtype = tensor._geometry.device is META, tensor._dtype
    check_square("linalg.slogdet", tensor, by_reference=on_meta)
    check_floating("linalg.slogdet", tensor, low_precision=False, by_reference=on_meta)
    geometry = dense(tensor._geometry.shape[:-2])
    real = dtype.to_real() if dtype.is_complex else dtype
    results = [Result(geometry, dtype), Result(geometry, real)]
    return make(_SLOGDET, (tensor,), results, partial(_logarithms, tensor), out)


def _logarithms(tensor: Tensor) -> Sequence[Any]:
    """Return the signs of determinants, and the logarithms of their sizes."""
    diagonals, signs = _factored(tensor)
    with no_grad():
        product = PUBLIC["prod"](METHODS["sgn"](diagonals), -1)
        logarithms = METHODS["log_"](METHODS["abs"](diagonals))
        return resolved_array(product) * signs, resolved_array(METHODS["sum"](logarithms, -1))


def _linalg_slogdet(tensor: Tensor, out: _Pair | None = None) -> Any:
    results = _slogdet(tensor, out)
    return structseq.linalg_slogdet(results) if out is None else structseq.linalg_slogdet_out(out)


def _plain_slogdet(tensor: Tensor, out: _Pair | None = None) -> Any:
    results = _slogdet(tensor, out)
    return structseq.slogdet(results) if out is None else structseq.slogdet_out(out)


def _inverse(tensor: Tensor, out: Tensor | None = None) -> Tensor:
    by_reference = tensor._geometry.device is META and out is None
    name = "linalg.inv_ex" if by_reference else "linalg.inv"
    check_square(name, tensor, by_reference=by_reference)
    check_floating(name, tensor, low_precision=False, by_reference=by_reference)
    result = Result(by_columns(tensor._geometry.shape), tensor._dtype)
    zeros: list[Any] = []
    compute = partial(_inverses, tensor, out, zeros)
    made = make(_INV, (tensor,), [result], compute, None if out is None else (out,))[0]
    check_each(
        zeros,
        "linalg.inv: {}The diagonal element {} is zero, the inversion could not be completed"
        " because the input matrix is singular.",
    )
    return made


def _is_read_late(tensor: Tensor, out: Tensor) -> bool:
    """Return whether torch reads a matrix after it writes to the memory of it.

    It solves for the identity in ``out``, or in a new tensor if that has not the result's strides.
    """
    result = on_device(by_columns(out._geometry.shape), out._geometry.device)
    return out._storage is tensor._storage and out._geometry is result


def _inverses(tensor: Tensor, out: Tensor | None, zeros: list[Any]) -> Sequence[Any]:
    size = tensor._geometry.shape[-1]
    identity = np.eye(size, dtype=numpy_storage_dtype(tensor._dtype))
    if out is not None and _is_read_late(tensor, out):
        write_out(out, np.broadcast_to(identity, out._geometry.shape))
    inverses, zero = factors.solve(resolved_array(tensor), identity)
    zeros.append(zero)
    return [inverses]


_NAME = "linalg.solve"


def _solve(left: Tensor, right: Tensor, is_left: bool, out: Tensor | None = None) -> Tensor:
    """Return the solutions of AX = B, or of XA = B."""
    outs = () if out is None else (out,)
    if any(map(is_sparse, (left, right, *outs))):
        raise no_kernel(f"{_SOLVE.operator}{'.result' if outs else ''}", left, right, out)
    on_meta = any(x._geometry.device is META for x in (left, right, *outs))
    check_floating(_NAME, left, by_reference=on_meta)
    names = [str(x._dtype) if on_meta else cpp_name(x._dtype) for x in (left, right)]
    check(
        left._dtype is right._dtype,
        lambda: (
            f"{_NAME}: Expected A and B to have the same dtype, but found A of type {names[0]} and"
            f" B of type {names[1]} instead"
        ),
    )
    shape, other = left._geometry.shape, right._geometry.shape
    is_vector = len(other) == 1 or (len(shape) - 1 == len(other) and other == shape[:-1])
    columns = (*other, 1) if is_vector else tuple(other)
    check_square(_NAME, left, by_reference=on_meta)
    _check_columns(left, right, columns, is_left)
    batches = Size(columns[:-2]), Size(shape[:-2])
    broadcast = broadcast_shapes if on_meta else broadcast_pair
    wanted = (*broadcast(*batches), *columns[-2:])
    check(
        is_left or not is_vector,
        lambda: (
            f"{_NAME}: Vector broadcasting of the left hand side is not supported for left=False."
            " In this case linalg.solve is equivalent to B / A.squeeze(-1)"
        ),
    )
    solved = wanted[:-1] if is_vector else wanted
    geometry = by_columns(solved) if is_left and len(solved) > 1 else dense(solved)
    result = Result(geometry, left._dtype)
    if on_meta:
        solution: Tensor = in_reference(_refer, left, right, result, out)
        return solution
    zeros: list[Any] = []
    compute = partial(_solutions, (left, right), columns, is_left, solved, zeros)
    made = make(_SOLVE, (left, right), [result], compute, outs or None)[0]
    check_each(
        zeros, "torch.linalg.solve: {}The solver failed because the input matrix is singular."
    )
    if left._dtype.is_complex and not is_left and out is None and made._geometry.numel:
        made._conj_neg = CONJUGATE
    return made


def _refer(left: Tensor, right: Tensor, result: Result, out: Tensor | None) -> Tensor:
    """Do what the reference does: ``out`` gets the strides of the result, whatever its device."""
    device, shape = right._geometry.device, result.geometry.shape
    made = new_results([result], device)[0]
    warn_of_result(left._dtype)
    if out is None:
        return record_grad_fn(made, (left, right), _SOLVE.node)
    check_no_grad_out(_SOLVE.operator, left, right, out)
    resize_wrapped_out(out, shape)
    restride(out, on_device(result.geometry, out._geometry.device))
    return write_reference(_SOLVE.operator, out, made)


def _check_columns(left: Tensor, right: Tensor, columns: Any, is_left: bool) -> None:
    """Raise if matrices have no product of the shape of others (checkInputsSolver)."""
    if len(columns) < 2:
        check_matrix(
            _NAME, right, "A" if META in (left._geometry.device, right._geometry.device) else "B"
        )
    shape = left._geometry.shape
    dim = -2 if is_left else -1
    check(
        shape[dim] == columns[dim],
        lambda: (
            f"{_NAME}: Incompatible shapes of A and B for the equation"
            f" {'AX = B' if is_left else 'XA = B'} ({shape[-2]}x{shape[-1]} and"
            f" {columns[-2]}x{columns[-1]})"
        ),
    )


def _solutions(
    pair: tuple[Tensor, Tensor], columns: Any, is_left: bool, shape: Any, zeros: list[Any]
) -> Sequence[Any]:
    matrices, wanted = (resolved_array(x) for x in pair)
    wanted = wanted.reshape(columns)
    if not is_left:
        matrices, wanted = np.swapaxes(matrices, -1, -2), np.swapaxes(wanted, -1, -2)
    solutions, zero = factors.solve(matrices, wanted)
    zeros.append(zero)
    if not is_left:  # torch solves the adjoint equation, and sets the bit of the result
        solutions = np.swapaxes(solutions, -1, -2).conj()
    return [solutions.reshape(shape)]


_run_det = composed(resolves_bits(_det, _DET.operator), _DET.operator)
_run_slogdet = composed(resolves_bits(_linalg_slogdet, _SLOGDET.operator, 2), _SLOGDET.operator)
_run_plain_slogdet = composed(
    resolves_bits(_plain_slogdet, _SLOGDET.operator, 2), _SLOGDET.operator
)
inverse: Callable[..., Tensor] = resolves_bits(_inverse, _INV.operator)
_run_solve = composed(resolves_conj_neg(_solve, _SOLVE.operator), _SOLVE.operator)

det = function_of_module(
    "linalg",
    "det",
    Overload("", _run_det, input="Tensor A"),
    doc="Return the determinants of square matrices.",
)
slogdet = function_of_module(
    "linalg",
    "slogdet",
    Overload("", _run_slogdet, input="Tensor A", out_type="TensorList[2]"),
    doc="Return the signs of determinants, and the natural logarithms of their absolute values.",
)
inv = function_of_module(
    "linalg",
    "inv",
    Overload("", inverse, input="Tensor A"),
    doc="Return the inverses of square matrices.",
)
solve = function_of_module(
    "linalg",
    "solve",
    Overload("Tensor B, *, bool left=True", _run_solve, input="Tensor A"),
    doc="Return the solutions X of AX = B, or of XA = B, for square matrices A.",
)
install_unary("det", _run_det, in_place_function=False)
install_unary("inverse", inverse, out=True, in_place_function=False)
install_operator(
    "slogdet",
    Overload("", _run_plain_slogdet, out_type="TensorList[2]"),
    doc="Return the signs of determinants, and the natural logarithms of their absolute values.",
    method=False,
)
register_operator(Op("slogdet", {"": _run_plain_slogdet}, function=False))
