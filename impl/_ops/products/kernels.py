"""The arithmetic of products of matrices and vectors.

Products of narrow formats are added in float32 and rounded once; those of integers wrap around.
Torch calls BLAS for wide formats, which ignores matrices with a factor of 0, but has loops of its
own for others (ATen/native/CPUBlas.cpp).
"""

from cmath import isfinite
from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._arrays.parallel import without_fp_warnings
from ..._dtypes.constants import FLOAT32, FLOAT64
from ..._dtypes.cpp_names import cpp_type
from ..._dtypes.table import DTYPES, dtype
from ..._geometry.extents import Ints
from ..._kernels.elementwise import OPMATH_DTYPE
from ..._numerics.cast import convert
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import check
from ..._tensor.data_access import raw_array, resolved_array, write_elements
from ..._tensor.factories import python_scalar
from ..._tensor.tensor import Tensor
from ..common.device_checks import check_number_has_data
from ..elementwise.plan import COMPLEX, FLOAT8, NUMBERS
from ..elementwise.scalar_args import UNROUNDED, ScalarArg

Compute = Callable[..., Any]
"""A function of the raw arrays of operands that returns the raw elements of their result."""

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


def sum_of_matrices(
    dtype: dtype,
    factors: Factors,
    *,
    is_single: bool = False,
    adds_zero: bool = False,
    scales_left: bool = True,
) -> Compute:
    """Return the function for factors.beta * added + factors.alpha * left @ right of matrices."""
    if dtype not in MATRICES:
        raise_not_implemented("addmm_impl_cpu_", dtype)
    by_blas = dtype in BLAS_OF_MATRICES
    return sum_function(
        dtype,
        factors,
        by_blas=by_blas,
        is_single=is_single,
        adds_zero=adds_zero,
        scales_left=scales_left,
    )


def sum_of_vectors(
    dtype: dtype, factors: Factors, *, adds_zero: bool = False, rounds: bool = True
) -> Compute:
    """Return the function for factors.beta * added + factors.alpha * matrix @ vector."""
    if dtype not in VECTORS:
        raise_not_implemented("addmv_impl_cpu", dtype)
    is_rounded, by_blas = dtype not in BLAS, dtype in BLAS
    return sum_function(
        dtype,
        factors,
        by_blas=by_blas,
        adds_zero=adds_zero,
        rounds=rounds,
        rounds_factors=is_rounded,
    )


def is_single(left: Ints, right: Ints) -> bool:
    """Return whether each element of the product of two matrices is one product of BLAS."""
    return left[-1] == 1 < min(left[-2], right[-1])


def operands_of(factors: Factors, added: Tensor, *pair: Tensor) -> tuple[Tensor, ...]:
    """Return the operands that a sum reads: the pair, and the added one before it if it counts."""
    return (added, *pair) if factors.adds else pair


def write_sum(target: Tensor, compute: Compute, *operands: Tensor) -> None:
    """Write the sum that a function computes of operands into a tensor."""
    write_elements(target, without_fp_warnings(compute, *map(resolved_array, operands)))


def write_in_turn(target: Tensor, products: Any, beta: Any) -> None:
    """Write sums into elements that share memory; each adds to what the one before it wrote."""
    dtype = target._dtype
    opmath = OPMATH_DTYPE.get(dtype, dtype)
    memory = raw_array(target)
    for place in np.ndindex(products.shape):
        added = convert(memory[place], dtype, opmath)
        number = products[place] + (added * beta if beta != 0 else 0)
        memory[place] = convert(np.asarray(number, products.dtype), opmath, dtype)


def sum_function(
    dtype: dtype,
    factors: Factors,
    *,
    by_blas: bool,
    is_single: bool = False,
    adds_zero: bool = False,
    rounds: bool = True,
    rounds_factors: bool = False,
    scales_left: bool = True,
) -> Compute:
    """Return the function of the raw arrays of a product, before which is that which is added.

    by_blas: torch calls BLAS, which ignores matrices with a factor of 0
    is_single: each element of the product is one product
    adds_zero: torch adds the sum, to which nothing is added, to 0
    rounds: the result has the dtype, not that in which it is computed
    rounds_factors: torch converts the factors to the dtype
    scales_left: BLAS scales the left one of single complex products, which else is the right one
    """
    flags = by_blas, is_single, adds_zero, rounds, rounds_factors, scales_left
    if type(factors.beta) is type(factors.alpha) is int and 0 <= factors.beta <= factors.alpha == 1:
        key = dtype, factors.beta, flags
        compute = _FUNCTIONS.get(key)
        if compute is None:
            compute = _FUNCTIONS[key] = _sum_function(dtype, factors, *flags)
        return compute
    return _sum_function(dtype, factors, *flags)


_FUNCTIONS: dict[Any, Compute] = {}
"""The functions with the factors 0 and 1, of which there are few."""


def _sum_function(
    dtype: dtype,
    factors: Factors,
    by_blas: bool,
    is_single: bool,
    adds_zero: bool,
    rounds: bool,
    rounds_factors: bool,
    scales_left: bool,
) -> Compute:
    first = {} if rounds_factors else _OF_MATRICES
    beta, alpha = (ScalarArg(factor, first).of(dtype) for factor in factors)
    adds, is_scaled = factors.adds, bool(alpha != 1)
    if by_blas and not factors.alpha:
        return partial(_scaled, beta) if adds else partial(_zeros, alpha.dtype)
    opmath, has_zero = OPMATH_DTYPE.get(dtype, dtype), alpha.dtype.kind in "fc"
    is_cast, zero = opmath is not dtype, np.zeros((), alpha.dtype)
    product = _single if by_blas and is_single else _PRODUCTS[alpha.dtype.kind]
    if product is _single and dtype.is_complex:
        product, is_scaled = partial(_single_complex, alpha, scales_left), False
    adds_zero = has_zero and not adds and (adds_zero or (is_scaled and by_blas and not is_single))

    def compute(*arrays: Any) -> Any:
        if is_cast:
            arrays = tuple([convert(array, dtype, opmath) for array in arrays])
        *added, left, right = arrays
        numbers = product(zero, left, right)
        if is_scaled:
            numbers = alpha * numbers
        if adds:
            numbers = beta * added[0] + numbers
        elif adds_zero:
            numbers = np.add(numbers, zero, numbers)
        return convert(numbers, opmath, dtype) if is_cast and rounds else numbers

    is_plain = not (adds or is_scaled or adds_zero or is_cast)
    return partial(product, zero) if is_plain else compute


@cache
def dot_function(dtype: dtype, conjugates: bool) -> Compute:
    """Return the function for the dot product of two vectors, of which the first is conjugated."""
    opmath = OPMATH_DTYPE.get(dtype, dtype)

    def compute(left: Any, right: Any) -> Any:
        return multiply(left.conj() if conjugates else left, right) + 0

    def compute_wide(left: Any, right: Any) -> Any:
        number = compute(convert(left, dtype, opmath), convert(right, dtype, opmath))
        return convert(np.asarray(number, numpy_storage_dtype(opmath)), opmath, dtype)

    return compute if opmath is dtype else compute_wide


def _scaled(beta: Any, added: Any, left: Any, right: Any) -> Any:
    return beta * np.broadcast_to(added, _shape(left, right))


def _zeros(numpy_dtype: Any, left: Any, right: Any) -> Any:
    return np.zeros(_shape(left, right), numpy_dtype)


def _shape(left: Any, right: Any) -> Ints:
    """Return the shape of the product of matrices, of batches, or of a matrix and a vector."""
    shape: Ints = left.shape[:-1] + right.shape[left.ndim - 1 :]
    return shape


def _single(zero: Any, left: Any, right: Any) -> Any:
    """Return products, which MKL does not add to 0, as that would change -0."""
    return left * right


def _single_complex(alpha: Any, scales_left: bool, zero: Any, left: Any, right: Any) -> Any:
    """Return products, of which MKL scales an operand first, also by 1, which may change -0."""
    return (left * alpha) * right if scales_left else left * (right * alpha)


def _real(zero: Any, left: Any, right: Any) -> Any:
    """Return the sums of 0 and the products of floating-point numbers.

    NumPy's dot costs less, but skips products with a matrix of one element, which is 0.
    """
    is_dot = left.ndim == 2 and left.shape[1] > 1
    numbers = np.dot(left, right) if is_dot else np.matmul(left, right)
    return np.add(numbers, zero, numbers)


def _complex(zero: Any, left: Any, right: Any) -> Any:
    """Return the sums of 0 and the products of complex numbers."""
    return multiply(left, right) + zero


def _integer(zero: Any, left: Any, right: Any) -> Any:
    """Return the sums of the products of integers, which wrap around.

    BLAS multiplies large matrices, if numbers of its formats represent all sums exactly.
    """
    inner = left.shape[-1]
    if left.size * right.shape[-1] < _FEW_PRODUCTS or right.ndim == 1:
        return np.matmul(left, right)
    bound = _bound(left) * _bound(right) * inner
    if bound > 2**53:
        return np.matmul(left, right)
    wide = np.float32 if bound <= 2**24 else np.float64
    numbers = np.matmul(left.astype(wide), right.astype(wide))
    return numbers.astype(np.int64).astype(left.dtype, copy=False)


_FEW_PRODUCTS = 2**12
"""The number of products of integers from which their casts for BLAS cost less."""


def _bound(array: Any) -> int:
    """Return a bound of the absolute values of integers."""
    size: int = array.dtype.itemsize
    if size <= 2:
        return 1 << (8 * size)
    return max(int(array.max()), -int(array.min()))


_PRODUCTS: dict[str, Callable[..., Any]] = {"f": _real, "c": _complex, "i": _integer, "u": _integer}
"""The products of arrays by the kind of their dtype."""


def multiply(left: Any, right: Any) -> Any:
    """Return the product of two arrays, as ``numpy.matmul`` defines it.

    NumPy's BLAS multiplies complex infinities by 1 + 0j, which gives NaN.
    """
    numbers = np.matmul(left, right)
    if left.dtype.kind != "c" or isfinite(np.add.reduce(numbers, axis=None)):
        return numbers
    if np.isfinite(left).all() and np.isfinite(right).all():
        return numbers
    (real, imaginary), (other_real, other_imaginary) = (
        (x.real.copy(), x.imag.copy()) for x in (left, right)
    )
    total = np.matmul(real, other_real) - np.matmul(imaginary, other_imaginary)
    result = np.array(total, left.dtype)
    result.imag = np.matmul(real, other_imaginary) + np.matmul(imaginary, other_real)
    return result
