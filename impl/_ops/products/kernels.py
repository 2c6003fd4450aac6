"""The arithmetic of products of matrices and vectors.

Products of narrow formats are added in float32 and rounded once; those of integers wrap around.
Torch calls BLAS for wide formats, which ignores matrices with a factor of 0, but has loops of its
own for others (ATen/native/CPUBlas.cpp).
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..._arrays.numpy_bridge import np
from ..._arrays.parallel import without_fp_warnings
from ..._dtypes.constants import FLOAT32, FLOAT64
from ..._dtypes.cpp_names import cpp_type
from ..._dtypes.table import DTYPES, dtype
from ..._kernels.elementwise import OPMATH_DTYPE
from ..._numerics.cast import convert
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import check
from ..._tensor.data_access import raw_array, resolved_array, write_cast
from ..._tensor.factories import python_scalar
from ..._tensor.tensor import Tensor
from ..common.device_checks import check_number_has_data
from ..elementwise.plan import COMPLEX, FLOAT8, NUMBERS
from ..elementwise.scalar_args import UNROUNDED, ScalarArg

VECTORS = NUMBERS | COMPLEX
"""The dtypes of products with vectors, and of batches."""
MATRICES = VECTORS | (FLOAT8 - {DTYPES["float8_e8m0fnu"]})
"""The dtypes of products of two matrices."""

_OF_MATRICES = {**dict.fromkeys(FLOAT8, FLOAT32), **UNROUNDED}
"""The dtypes to which factors of products of matrices are converted: they are not rounded."""

BLAS = frozenset({FLOAT32, FLOAT64})
"""The dtypes of which BLAS computes all products."""
BLAS_OF_MATRICES = BLAS | COMPLEX
"""Those of which it computes products of two matrices."""


class Factors(NamedTuple):
    """The factors of a sum beta * added + alpha * product."""

    beta: Any = 0
    alpha: Any = 1

    @property
    def adds(self) -> bool:
        """Whether the added tensor is read; else its infinities and NaNs do not count."""
        return self.beta != 0  # type: ignore[no-any-return]


NO_SUM = Factors()


def factors_of(beta: Any, alpha: Any) -> Factors:
    """Return the factors of a call as Python's numbers."""
    for number in (beta, alpha):
        check_number_has_data(number)
    return Factors(python_scalar(beta), python_scalar(alpha))


def check_same_dtype(left: Tensor, right: Tensor) -> None:
    """Raise if two matrices have different dtypes (addmm_impl_cpu_)."""
    check(
        left._dtype is right._dtype,
        lambda: (
            "expected m1 and m2 to have the same dtype, but got:"
            f" {cpp_type(left._dtype)} != {cpp_type(right._dtype)}"
        ),
    )


def numbers_of(tensor: Tensor) -> Any:
    """Return the elements of a tensor in the opmath dtype."""
    dtype = tensor._dtype
    return convert(resolved_array(tensor), dtype, OPMATH_DTYPE.get(dtype, dtype))


def sum_of_matrices(target: Tensor, left: Tensor, right: Tensor, factors: Factors) -> Any:
    """Return the numbers factors.beta * target + factors.alpha * left @ right, of two matrices."""
    dtype = target._dtype
    if dtype not in MATRICES:
        raise_not_implemented("addmm_impl_cpu_", dtype)
    return _sum(target, left, right, factors, _OF_MATRICES, by_blas=dtype in BLAS_OF_MATRICES)


def sum_of_vectors(target: Tensor, matrix: Tensor, vector: Tensor, factors: Factors) -> Any:
    """Return the numbers factors.beta * target + factors.alpha * matrix @ vector."""
    dtype = target._dtype
    if dtype not in VECTORS:
        raise_not_implemented("addmv_impl_cpu", dtype)
    return _sum(target, matrix, vector, factors, {}, by_blas=dtype in BLAS)


def sum_of_batches(
    target: Tensor, left: Tensor, right: Tensor, factors: Factors, *, by_blas: bool
) -> Any:
    """Return the numbers factors.beta * target + factors.alpha * left @ right, of two batches."""
    return _sum(target, left, right, factors, _OF_MATRICES, by_blas=by_blas)


def write_numbers(target: Tensor, numbers: Any) -> None:
    """Write numbers of the opmath dtype into a tensor."""
    write_cast(target, numbers, OPMATH_DTYPE.get(target._dtype, target._dtype))


def write_in_turn(target: Tensor, products: Any, beta: Any) -> None:
    """Write sums into elements that share memory; each adds to what the one before it wrote."""
    dtype = target._dtype
    opmath = OPMATH_DTYPE.get(dtype, dtype)
    memory = raw_array(target)
    for place in np.ndindex(products.shape):
        added = convert(memory[place], dtype, opmath)
        number = products[place] + (added * beta if beta != 0 else 0)
        memory[place] = convert(np.asarray(number, products.dtype), opmath, dtype)


def _sum(
    target: Tensor,
    left: Tensor,
    right: Tensor,
    factors: Factors,
    first: Mapping[dtype, dtype],
    *,
    by_blas: bool,
) -> Any:
    """Return a sum; ``first`` are the dtypes to which torch converts the factors first."""
    beta, alpha = (ScalarArg(factor, first).of(target._dtype) for factor in factors)
    added = (beta, numbers_of(target)) if factors.adds else None
    operands = None if by_blas and not factors.alpha else (numbers_of(left), numbers_of(right))
    if operands is None and added is None:
        return np.zeros(target._geometry.shape, alpha.dtype)
    return without_fp_warnings(_add, alpha, operands, added, by_blas)


def _add(
    alpha: Any, operands: tuple[Any, Any] | None, added: tuple[Any, Any] | None, by_blas: bool
) -> Any:
    """Return the sum of a scaled product and a scaled array, of which one may lack."""
    if operands is None:
        assert added is not None
        return np.multiply(*added)
    numbers = _product(*operands, by_blas=by_blas)
    if alpha != 1:
        numbers = alpha * numbers
    if added is not None:
        return np.multiply(*added) + numbers
    is_added = alpha != 1 and by_blas and not _is_single(*operands)
    return numbers + numbers.dtype.type(0) if is_added else numbers  # BLAS adds to zeros


def _product(left: Any, right: Any, *, by_blas: bool) -> Any:
    """Return a product, which is the sum of 0 and the products of elements.

    MKL does not add a single product of each row and column to 0, which would change -0.
    """
    if by_blas and _is_single(left, right):
        return left * right
    return multiply(left, right) + left.dtype.type(0)


def _is_single(left: Any, right: Any) -> bool:
    """Return whether each element of the product of two arrays is one product of BLAS."""
    return left.shape[-1] == 1 < min(left.shape[-2], *right.shape[-1:])  # type: ignore[no-any-return]


def multiply(left: Any, right: Any) -> Any:
    """Return the product of two arrays, as ``numpy.matmul`` defines it.

    NumPy's BLAS multiplies complex infinities by 1 + 0j, which gives NaN.
    """
    is_finite = left.dtype.kind != "c" or (np.isfinite(left).all() and np.isfinite(right).all())
    if is_finite:
        return np.matmul(left, right)
    (real, imaginary), (other_real, other_imaginary) = (
        (x.real.copy(), x.imag.copy()) for x in (left, right)
    )
    total = np.matmul(real, other_real) - np.matmul(imaginary, other_imaginary)
    result = np.array(total, left.dtype)
    result.imag = np.matmul(real, other_imaginary) + np.matmul(imaginary, other_real)
    return result
