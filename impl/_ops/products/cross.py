"""cross, the products of vectors of three elements (Cross.cpp and cpu/CrossKernel.cpp in ATen)."""

from collections.abc import Callable
from functools import partial
from typing import Any

from ..._arrays.numpy_bridge import np
from ..._arrays.parallel import without_fp_warnings
from ..._devices.device import META
from ..._dtypes.constants import COMPLEX64, FLOAT32, FLOAT64
from ..._dtypes.table import dtype, spec_of
from ..._geometry import broadcasting
from ..._geometry.extents import Ints
from ..._geometry.view_shapes import wrap_dim
from ..._kernels.elementwise import OPMATH_DTYPE, multiply_complex, round_through
from ..._kernels.unary import multiply_complex_fma
from ..._numerics.cast import convert
from ..._numerics.fma import fused
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import check
from ..._runtime.warnings import triggered_at, warn_once
from ..._tensor.data_access import raw_array, resolved_array, write_elements
from ..._tensor.out_autograd import gradient_check
from ..._tensor.tensor import METHODS, Tensor
from ..common.conj_neg_fallback import resolves_conj_neg
from ..common.cuda_kernels import check_out_kernel, one_device_first
from ..common.device_checks import check_copied_out
from ..common.memory_overlap import check_written_alone
from ..common.meta_reference import reference_shape
from ..elementwise.binding import Overload, install_operator
from .kernels import VECTORS, Compute
from .notes import note_before, note_sum
from .plan import with_plans
from .product import Kind, Operands, Product, expanded

_NAME = "linalg_cross"
_CHECK = gradient_check(_NAME)


def _cross(
    left: Tensor, right: Tensor, dim: int | None = None, out: Tensor | None = None
) -> Tensor:
    if dim is None and out is None:
        if META in (left._geometry.device, right._geometry.device):
            try:
                return cross_along(left, right, None, out)
            finally:
                warn_once(_NO_DIM)  # torch shows warnings of C++ after those of references
        note_before(partial(warn_once, _NO_DIM))
    return cross_along(left, right, dim, out)


def cross_along(left: Tensor, right: Tensor, dim: int | None, out: Tensor | None) -> Tensor:
    if dim is None:
        dim = _first_of_three(left._geometry.shape)
    product = Product(
        _NAME, partial(_refer, dim=dim), partial(_infer, dim=dim), partial(_write, dim=dim)
    )
    run: Callable[..., Tensor] = resolves_conj_neg(product.of_pair, _NAME)
    if out is None:
        result: Tensor = one_device_first(_NAME, run)(left, right)
        return result
    check_copied_out(_NAME, (left, right), out, _CHECK)
    check_out_kernel(_NAME, (left, right), out, _CHECK)
    return run(left, right, out=out)


_NO_DIM = triggered_at(
    "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the dim"
    " explicitly or simply use torch.linalg.cross.\nThe default value of dim will change to agree"
    " with that of linalg.cross in a future release.",
    "aten/src/ATen/native/Cross.cpp:63",
)


def _first_of_three(shape: Ints) -> int:
    check(3 in shape, lambda: "no dimension of size 3 in input")
    return shape.index(3)


def _check(left: Tensor, right: Tensor, dim: int) -> None:
    check(
        left._geometry.rank == right._geometry.rank,
        lambda: "linalg.cross: inputs must have the same number of dimensions.",
    )
    sizes = [METHODS["size"](x, dim) for x in (left, right)]
    check(
        sizes == [3, 3],
        lambda: (
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {sizes[0]} and"
            f" {sizes[1]}"
        ),
    )


def _infer(operands: Operands, dim: int) -> Kind:
    left, right = operands.left, operands.right
    _check(left, right, dim)
    shape = broadcasting.broadcast_pair(left._geometry.shape, right._geometry.shape)
    return shape, left._dtype


def _refer(left: Tensor, right: Tensor, dim: int) -> Tensor:
    _check(left, right, dim)
    result: Tensor = METHODS["new_empty"](left, reference_shape(left, right))
    return result


def _write(result: Tensor, operands: Operands, dim: int) -> Compute | None:
    pair = operands.left, operands.right
    check_written_alone(result, *pair)
    dtype, geometry = result._dtype, result._geometry
    if dtype not in VECTORS:
        raise_not_implemented("cross", dtype)
    for operand in pair:
        check(
            operand._dtype is dtype,
            lambda: (
                f"expected scalar type {spec_of(dtype).cpp_name} but found"
                f" {spec_of(operand._dtype).cpp_name}"  # noqa: B023
            ),
        )
    axis = wrap_dim(dim, geometry.rank)
    left, right = [expanded(x, geometry.shape) for x in pair]
    arrays = [*map(resolved_array, (left, right))]
    if any(x._storage is result._storage for x in pair):
        without_fp_warnings(_write_in_turn, dtype, axis, raw_array(result), *arrays)
        return None
    compute = partial(_products, dtype, axis)
    write_elements(result, without_fp_warnings(compute, *arrays))
    note_sum(compute, result, left, right)
    return None


def _write_in_turn(dtype: dtype, axis: int, memory: Any, *arrays: Any) -> None:
    """Write products into memory of operands, where torch reads what it wrote before."""
    written, *read = [np.moveaxis(x, axis, -1) for x in (memory, *arrays)]
    for reverse in np.ndindex(*written.shape[-2::-1]):
        index = reverse[::-1]
        for element in range(3):
            vectors = [x[index] for x in read]
            written[(*index, element)] = _products(dtype, 0, *vectors)[element]


def _products(dtype: dtype, axis: int, left: Any, right: Any) -> Any:
    """Return the products of raw arrays of vectors along an axis."""
    wide = OPMATH_DTYPE.get(dtype, dtype)
    pair = [convert(x, dtype, wide) for x in (left, right)]
    after, before = [[x.take(at, axis) for x in pair] for at in ((1, 2, 0), (2, 0, 1))]
    result = _difference(dtype, wide, after[0], before[1], before[0], after[1])
    return convert(result, wide, dtype)


def _difference(dtype: dtype, wide: dtype, *factors: Any) -> Any:
    """Return the difference of two products, of which compilers fuse one with a subtraction."""
    left, right, *others = factors
    if dtype in (FLOAT32, FLOAT64):
        return _fused_difference(left, right, _product(*others))
    if dtype.is_complex:
        multiply = multiply_complex if dtype is COMPLEX64 else multiply_complex_fma
        return multiply(left, right) - multiply(*others)
    if wide is dtype:
        return left * right - np.multiply(*others)
    rounded = [round_through(wide, dtype, _product(*x)) for x in ((left, right), others)]
    return np.subtract(*rounded)


def _product(left: Any, right: Any) -> Any:
    """Return products; of two NaNs a processor keeps the first one, NumPy's last loop the other."""
    both = np.isnan(left) & np.isnan(right)
    return np.where(both, left, left * right) if both.any() else left * right


def _fused_difference(left: Any, right: Any, subtracted: Any) -> Any:
    """Return ``left * right - subtracted``, rounded once."""
    result = fused(left, right, -subtracted)
    if np.isnan(result).any():  # of which a processor keeps that of the first operand
        for operand in (subtracted, right, left):
            result = np.where(np.isnan(operand), operand, result)
    return result


install_operator(
    "cross",
    Overload("Tensor other, int64_t? dim=None", _cross),
    doc="Return the cross products of the vectors of three elements along a dimension.",
    wrap=with_plans,
)
