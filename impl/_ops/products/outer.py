"""outer, ger and addr, the products of a column and a row (ATen/native/LinearAlgebra.cpp)."""

from functools import partial
from typing import Any

from ..._arrays.numpy_bridge import broadcast_arrays, np
from ..._autograd.tracking import check_inplace
from ..._devices.device import META
from ..._dtypes.constants import BOOL
from ..._dtypes.table import dtype
from ..._kernels.elementwise import OPMATH_DTYPE, ForDtype, identity, round_through
from ..._numerics.fma import fused
from ..._runtime.errors import check
from ..._runtime.warnings import triggered_at, warn
from ..._tensor.out_autograd import gradient_check, with_gradient_check
from ..._tensor.tensor import METHODS, Tensor
from ..common.copy import record_write
from ..common.meta_reference import in_reference, into_meta, is_on_meta
from ..elementwise.binding import Overload, checked_overload, install_operator
from ..elementwise.iterator import Operator
from ..elementwise.plan import COMPLEX, NUMBERS, Pointwise
from ..elementwise.scalar_args import ScalarArg, cached_by_numbers
from . import references
from .kernels import factors_of
from .notes import Noted, forbid_plan, multiply_elements
from .plan import with_plans
from .product import Operands, Product, expanded, sum_overloads


def _check_rank(name: str, **vectors: Tensor) -> None:
    for parameter, vector in vectors.items():
        rank = vector._geometry.rank
        check(rank == 1, lambda: f"{name}: Expected 1-D argument {parameter}, but got {rank}-D")  # noqa: B023


def _outer(left: Tensor, right: Tensor, out: Tensor | None = None) -> Tensor:
    _check_rank("outer", self=left, vec2=right)
    column = METHODS["reshape"](left, (left._geometry.shape[0], 1))
    return multiply_elements(column, right, **({} if out is None else {"out": out}))


def _ger(left: Tensor, right: Tensor, out: Tensor | None = None) -> Tensor:
    if out is None:
        return _outer(left, right)
    if all(x._geometry.device is not META for x in (left, right, out)):
        _warn_of_ger()
        return _outer(left, right, out)
    try:
        return _outer(left, right, out)
    finally:  # torch shows warnings of C++ when the call ends, after those of references
        _warn_of_ger()


def _warn_of_ger() -> None:
    forbid_plan()
    warn(triggered_at(_DEPRECATED, "aten/src/ATen/native/LinearAlgebra.cpp:1270"))


_DEPRECATED = (
    "torch.ger is deprecated and will be removed in a future PyTorch release. Use torch.outer"
    " instead."
)


def _scaled_sum(beta: ScalarArg, alpha: ScalarArg, dtype: dtype, *arrays: Any) -> Any:
    """Return beta * added + alpha * column * row; an added array with the factor 0 is not read.

    Each product of narrow floats is rounded; other floats are added by a fused multiply-add
    (addr_kernel in native/cpu/LinearAlgebraKernel.cpp).  What vectorized loops leave of a row is
    the product, rounded, added to the other factors' one.
    """
    added, column, row = arrays
    if dtype is BOOL:
        product = np.logical_and(column, row) & alpha.of(dtype)
        return product | added if beta.value else product
    opmath = OPMATH_DTYPE.get(dtype, dtype)
    rounded = identity if opmath is dtype else partial(round_through, opmath, dtype)
    scaled = rounded(alpha.of(dtype) * column)
    if not beta.value:
        return rounded(scaled * row)
    kept = rounded(beta.of(dtype) * added)
    if opmath is dtype and dtype.is_floating_point:
        sums = fused(*broadcast_arrays(scaled, row, kept))
        rest = slice(sums.shape[-1] % (_VECTORS // sums.itemsize) * -1 or sums.shape[-1], None)
        factor, own, product = broadcast_arrays(beta.of(dtype), added, scaled * row)
        sums[..., rest] = fused(factor[..., rest], own[..., rest], product[..., rest])
        return sums
    return kept + rounded(scaled * row)


_VECTORS = 64
"""The bytes that a vectorized loop takes at once."""


@cached_by_numbers
def _operator(beta: Any, alpha: Any) -> Operator:
    factors = ScalarArg(beta), ScalarArg(alpha)
    return Operator(
        Pointwise(
            "addr",
            "addr_cpu",
            NUMBERS | COMPLEX | {BOOL},
            ForDtype(partial(_scaled_sum, *factors)),
            "AddrBackward0",
            check=partial(_check_factors, beta=beta, alpha=alpha),
            scalar_args=factors,
            structured=False,
        )
    )


def _check_factors(dtype: dtype, **factors: Any) -> None:
    for name, factor in factors.items():
        check(
            dtype is BOOL or not isinstance(factor, bool),
            lambda: f"Boolean {name} only supported for Boolean results.",  # noqa: B023
        )
        check(
            dtype.is_floating_point or dtype.is_complex or isinstance(factor, int),
            lambda: (
                f"For integral input tensors, argument {name} must not be a floating point number."  # noqa: B023
            ),
        )


def _check_target(target: Tensor, left: Tensor, right: Tensor) -> None:
    """Raise for a target that is the added tensor, which torch does not expand."""
    shapes = [x._geometry.shape for x in (target, left, right)]
    check(
        len(shapes[0]) == 2,
        lambda: f"2D tensor expected, got {len(shapes[0])}D tensor for input",
    )
    check(
        shapes[0] == shapes[1] + shapes[2],
        lambda: f"size mismatch, input: {[*shapes[0]]}, v1: {[*shapes[1]]}, v2: {[*shapes[2]]}",
    )


def _checked(
    added: Tensor, left: Tensor, right: Tensor, *factors: Any
) -> tuple[Noted, tuple[Tensor, ...]]:
    _check_rank("addr", vec1=left, vec2=right)
    shape = left._geometry.shape[0], right._geometry.shape[0]
    column = METHODS["reshape"](left, (shape[0], 1))
    return Noted(_operator(*factors)), (expanded(added, shape), column, right)


_OF_VECTORS = "Tensor vec1, Tensor vec2"
_CHECK = gradient_check("addr")
_ADDR = checked_overload("addr", _OF_VECTORS, _checked)


def _addr(
    added: Tensor, left: Tensor, right: Tensor, *factors: Any, out: Tensor | None = None
) -> Tensor:
    if is_on_meta(added, left, right, out):
        if out is not None:
            _CHECK((added, left, right), out)
        return _REFERENCE.run(Operands(left, right, added, factors_of(*factors)), out)
    options = {} if out is None else {"out": out}
    return _ADDR.run(added, left, right, *factors, **options)  # type: ignore[no-any-return]


def _addr_(added: Tensor, left: Tensor, right: Tensor, *factors: Any) -> Tensor:
    check_inplace(added, left, right)
    if is_on_meta(added, left, right):
        operands = Operands(left, right, added, factors_of(*factors))
        result = in_reference(_REFERENCE.refer, operands)
        into_meta("addr", added, result._geometry, result._dtype)
        return record_write(added, (left, right), _REFERENCE.node)
    _check_rank("addr", vec1=left, vec2=right)
    _check_target(added, left, right)
    return _ADDR.inplace(added, left, right, *factors)  # type: ignore[misc, no-any-return]


_REFERENCE = Product("addr", references.addr)
"""addr with a tensor on meta."""

install_operator(
    "outer",
    Overload("Tensor vec2", _outer),
    doc="Return the products of the elements of two vectors.",
    wrap=with_plans,
)
install_operator(
    "ger",
    Overload("Tensor vec2", _ger),
    doc="Return the products of the elements of two vectors.",
    wrap=with_plans,
)
install_operator(
    "addr",
    *sum_overloads(with_gradient_check(_addr, _CHECK), _addr_, _OF_VECTORS),
    doc="Return beta * input + alpha * the products of the elements of two vectors.",
    wrap=with_plans,
)
