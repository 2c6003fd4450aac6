"""Decompositions of matrices (aten/src/ATen/native/BatchLinearAlgebra.cpp)."""

from collections.abc import Sequence
from typing import Any

from ..._devices.device import META
from ..._dtypes.table import dtype
from ..._geometry.geometry import dense
from ..._runtime.errors import check
from ..._tensor import structseq
from ..._tensor.data_access import resolved_array
from ..._tensor.tensor import METHODS, Tensor
from ..elementwise.binding import Overload, function_of_module
from ..reduction.reduce import resolves_bits
from . import factors
from .checks import check_floating, check_matrix, check_square
from .errors import check_each
from .results import Kernel, Result, by_columns, composed, make

_CHOLESKY = Kernel("linalg_cholesky_ex", "LinalgCholeskyExBackward0", "cholesky_cpu")
_QR = Kernel("linalg_qr", "LinalgQrBackward0", "geqrf_cpu", True, (1, 0), False)
_SVD = Kernel("_linalg_svd", "LinalgSvdBackward0", "linalg_svd_cpu")
_SVDVALS = _SVD._replace(hidden=(2, 2))
_EIGH = Kernel("_linalg_eigh", "LinalgEighBackward0", "linalg_eigh_cpu", True)
_EIGVALSH = _EIGH._replace(hidden=(2, 1))


def _real(dtype: dtype) -> dtype:
    return dtype.to_real() if dtype.is_complex else dtype


def _cholesky(tensor: Tensor, upper: bool, out: Tensor | None = None) -> Tensor:
    by_reference = tensor._geometry.device is META and out is None
    check_square("linalg.cholesky", tensor, by_reference=by_reference)
    check_floating("linalg.cholesky", tensor, by_reference=by_reference)
    if tensor._dtype.itemsize == 1 and tensor._geometry.device is not META:
        METHODS["triu" if upper else "tril"](tensor)  # may have no kernel, either
    result = Result(by_columns(tensor._geometry.shape), tensor._dtype)

    codes: list[Any] = []

    def compute() -> Sequence[Any]:
        triangles, failed = factors.cholesky(resolved_array(tensor), upper=upper)
        codes.append(failed)
        return [triangles]

    made = make(_CHOLESKY, (tensor,), [result], compute, None if out is None else (out,))[0]
    check_each(
        codes,
        "linalg.cholesky: {}The factorization could not be completed because the input is not"
        " positive-definite (the leading minor of order {} is not positive-definite).",
    )
    return made


def _qr(tensor: Tensor, mode: str, out: Sequence[Tensor] | None = None) -> Any:
    check_matrix("linalg.qr", tensor)
    check_floating("linalg.qr", tensor, by_reference=tensor._geometry.device is META)
    check(
        mode in ("reduced", "complete", "r"),
        lambda: (
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r',"
            " or 'complete'"
        ),
    )
    *batch, rows, columns = tensor._geometry.shape
    inner = rows if mode == "complete" else min(rows, columns)
    left = dense((0,)) if mode == "r" else by_columns((*batch, rows, inner))
    geometries = left, by_columns((*batch, inner, columns))
    results = [Result(geometry, tensor._dtype) for geometry in geometries]
    made = make(_QR, (tensor,), results, lambda: factors.qr(resolved_array(tensor), mode), out)
    return structseq.linalg_qr(made) if out is None else structseq.linalg_qr_out(out)


def _check_for_svd(tensor: Tensor, driver: str | None, *, has_out: bool) -> None:
    on_meta = tensor._geometry.device is META
    check_matrix("linalg.svd", tensor)
    check_floating("linalg.svd", tensor, by_reference=on_meta and not has_out)
    check(
        driver is None or on_meta or not tensor._geometry.numel,
        lambda: (
            "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with"
            " cuSOLVER backend."
        ),
    )


def _without_nan(tensor: Tensor) -> Any:
    """Return raw matrices; raise if one has a NaN, with which LAPACK does not converge."""
    matrices = resolved_array(tensor)
    check_each(
        [(matrices != matrices).any((-2, -1))],
        "linalg.svd: {}The algorithm failed to converge because the input matrix contained"
        " non-finite values.",
    )
    return matrices


def _svd(
    tensor: Tensor, full: bool, driver: str | None, out: Sequence[Tensor] | None = None
) -> Any:
    _check_for_svd(tensor, driver, has_out=out is not None)
    *batch, rows, columns = tensor._geometry.shape
    small, dtype = min(rows, columns), tensor._dtype
    sizes = (rows, columns) if full else (small, small)
    adjoint = (*batch, sizes[1], columns)
    is_reference = tensor._geometry.device is META and out is None
    results = [
        Result(by_columns((*batch, rows, sizes[0])), dtype),
        Result(dense((*batch, small)), _real(dtype)),
        Result(dense(adjoint) if is_reference else by_columns(adjoint), dtype),
    ]
    made = make(
        _SVD,
        (tensor,),
        results,
        lambda: factors.svd(_without_nan(tensor), full=full),
        out,
        (0, 2, 1),
    )
    return structseq.linalg_svd(made) if out is None else structseq.linalg_svd_out(out)


def _svdvals(tensor: Tensor, driver: str | None, out: Tensor | None = None) -> Tensor:
    _check_for_svd(tensor, driver, has_out=out is not None)
    return singular_values(tensor, out)


def singular_values(tensor: Tensor, out: Tensor | None = None) -> Tensor:
    """Return the singular values of matrices in descending order; raise if one has a NaN."""
    *batch, rows, columns = tensor._geometry.shape
    result = Result(dense((*batch, min(rows, columns))), _real(tensor._dtype))
    values = make(
        _SVDVALS,
        (tensor,),
        [result],
        lambda: [factors.svdvals(_without_nan(tensor))],
        None if out is None else (out,),
    )[0]
    if out is None and values._autograd_meta is not None:
        values._autograd_meta.output_nr = 1  # between the vectors
    return values


def _check_side(side: str) -> str:
    """Return in upper case which triangle is read."""
    check(
        side.upper() in ("L", "U"),
        lambda: f"Expected UPLO argument to be 'L' or 'U', but got {side}",
    )
    return side.upper()


def _eigh(tensor: Tensor, side: str, out: Sequence[Tensor] | None = None) -> Any:
    check_square("linalg.eigh", tensor, by_reference=tensor._geometry.device is META)
    side = _check_side(side)
    shape, dtype = tensor._geometry.shape, tensor._dtype
    results = [Result(dense(shape[:-1]), _real(dtype)), Result(by_columns(shape), dtype)]
    made = make(
        _EIGH, (tensor,), results, lambda: factors.eigh(resolved_array(tensor), side), out, (1, 0)
    )
    return structseq.linalg_eigh(made) if out is None else structseq.linalg_eigh_out(out)


def hermitian_values(tensor: Tensor, side: str = "L", out: Tensor | None = None) -> Tensor:
    """Return the eigenvalues of Hermitian matrices in ascending order."""
    check_square("linalg.eigh", tensor, by_reference=tensor._geometry.device is META)
    side = _check_side(side)
    result = Result(dense(tensor._geometry.shape[:-1]), _real(tensor._dtype))
    outs = None if out is None else (out,)
    return make(
        _EIGVALSH,
        (tensor,),
        [result],
        lambda: [factors.eigvalsh(resolved_array(tensor), side)],
        outs,
    )[0]


cholesky = function_of_module(
    "linalg",
    "cholesky",
    Overload("*, bool upper=False", resolves_bits(_cholesky, _CHOLESKY.operator)),
    doc="Return the triangular factors of positive-definite matrices.",
)
qr = function_of_module(
    "linalg",
    "qr",
    Overload(
        'c10::string_view mode="reduced"',
        resolves_bits(_qr, _QR.operator, 2),
        input="Tensor A",
        out_type="TensorList[2]",
    ),
    doc="Return matrices with orthonormal columns and upper triangles, whose products are A.",
)
svd = function_of_module(
    "linalg",
    "svd",
    Overload(
        "bool full_matrices=True, *, c10::string_view? driver=None",
        resolves_bits(_svd, _SVD.operator, 3),
        input="Tensor A",
        out_type="TensorList[3]",
    ),
    doc="Return left singular vectors, singular values, and adjoint right singular vectors.",
)
svdvals = function_of_module(
    "linalg",
    "svdvals",
    Overload(
        "*, c10::string_view? driver=None",
        composed(resolves_bits(_svdvals, _SVD.operator), _SVD.operator, 2),
        input="Tensor A",
    ),
    doc="Return the singular values of matrices in descending order.",
)
eigh = function_of_module(
    "linalg",
    "eigh",
    Overload(
        'c10::string_view UPLO="L"',
        resolves_bits(_eigh, _EIGH.operator, 2),
        out_type="TensorList[2]",
    ),
    doc="Return the eigenvalues and eigenvectors of Hermitian matrices.",
)
eigvalsh = function_of_module(
    "linalg",
    "eigvalsh",
    Overload(
        'c10::string_view UPLO="L"',
        composed(resolves_bits(hermitian_values, _EIGH.operator), _EIGH.operator),
    ),
    doc="Return the eigenvalues of Hermitian matrices in ascending order.",
)
