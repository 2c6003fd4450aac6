"""Torch's references for products with a tensor on meta.

They are in torch/_meta_registrations.py, torch/_decomp/decompositions.py and torch/_refs.
"""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from ..._dtypes.constants import BFLOAT16, BOOL, COMPLEX32, COMPLEX64, FLOAT16, FLOAT32
from ..._dtypes.table import dtype
from ..._geometry.extents import Ints
from ..._numerics.conj_neg import CONJUGATE
from ..._numerics.python_types import PYTHON_TYPES, python_type_of
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.tensor import METHODS, Tensor, new_tensor
from ..common.copy import to_dtype
from ..common.reference_dtypes import reference_dtype
from .kernels import Factors

Reference = Callable[..., Tensor]


def _in_opmath(reference: Reference) -> Reference:
    """Return a reference that gets its tensors in the opmath dtype (pw_cast_for_opmath)."""

    @wraps(reference)
    def run(*operands: Any) -> Tensor:
        common = reference_dtype([x for x in operands if isinstance(x, Tensor)])
        wide = _COMPUTED.get(common, common)
        operands = tuple([_to(x, wide) if isinstance(x, Tensor) else x for x in operands])
        return _to(reference(*operands), common)

    return run


_COMPUTED = {FLOAT16: FLOAT32, BFLOAT16: FLOAT32, COMPLEX32: COMPLEX64}
"""The dtypes in which references compute, by those of the operands (torch/_prims_common)."""


def _to(tensor: Tensor, dtype: dtype) -> Tensor:
    return to_dtype(tensor, dtype, False, None)


def _new(tensor: Tensor, shape: Ints, dtype: dtype | None = None) -> Tensor:
    return METHODS["new_empty"](tensor, shape, dtype=dtype)  # type: ignore[no-any-return]


def _rank_is(tensor: Tensor, rank: int) -> bool:
    return tensor._geometry.rank == rank


def mm(left: Tensor, right: Tensor, out_dtype: dtype | None = None) -> Tensor:
    """Return the result of mm (meta_mm)."""
    check(_rank_is(left, 2), lambda: "a must be 2D")
    check(_rank_is(right, 2), lambda: "b must be 2D")
    (rows, inner), (other, columns) = left._geometry.shape, right._geometry.shape
    check(
        inner == other,
        lambda: (
            "a and b must have same reduction dim, but got"
            f" [{rows}, {inner}] X [{other}, {columns}]."
        ),
    )
    is_widened = left._dtype in _HALVES and out_dtype is FLOAT32
    check(
        out_dtype in (None, left._dtype) or is_widened,
        lambda: "out_dtype must be the same as input dtype or fp32 for fp16/bf16 inputs",
    )
    return _new(left, (rows, columns), out_dtype or left._dtype)


_HALVES = frozenset({FLOAT16, BFLOAT16})


def _factors(tensor: Tensor, factors: Factors) -> Factors:
    """Return factors, as integers for a tensor of integers."""
    dtype = tensor._dtype
    if dtype.is_floating_point or dtype.is_complex:
        return factors
    return Factors(*map(int, factors))


@_in_opmath
def addmm(added: Tensor, left: Tensor, right: Tensor, factors: Factors) -> Tensor:
    """Return the result of addmm."""
    beta, alpha = _factors(added, factors)
    result = METHODS["mul"](PUBLIC["mm"](left, right), alpha)
    return _plus(result, added, beta)


def _plus(result: Tensor, added: Tensor, beta: Any) -> Tensor:
    if beta == 0:
        return result
    return METHODS["add"](result, METHODS["mul"](added, beta))  # type: ignore[no-any-return]


def addmm_to(
    added: Tensor, left: Tensor, right: Tensor, factors: Factors, out_dtype: dtype
) -> Tensor:
    """Return the result of addmm with the dtype of the result (addmm_dtype)."""
    product = PUBLIC["mm"](left, right, out_dtype)
    result = METHODS["mul"](product, factors.alpha)
    return _plus(result, _to(added, out_dtype), factors.beta)


@_in_opmath
def mv(matrix: Tensor, vector: Tensor) -> Tensor:
    """Return the result of mv."""
    ranks = matrix._geometry.rank, vector._geometry.rank
    check(ranks == (2, 1), lambda: f"matrix @ vector expected, got {ranks[0]}, {ranks[1]}")
    (rows, inner), (size,) = matrix._geometry.shape, vector._geometry.shape
    check(
        inner == size,
        lambda: f"size mismatch, got input ({rows}x{inner}), vec ({size})",
    )
    return METHODS["sum"](METHODS["mul"](matrix, vector), 1)  # type: ignore[no-any-return]


def addmv(added: Tensor, matrix: Tensor, vector: Tensor, factors: Factors) -> Tensor:
    """Return the result of addmv."""
    dtypes = [str(x._dtype) for x in (added, matrix, vector)]
    check(
        len({*dtypes}) == 1,
        lambda: (
            "addmv input tensors must have the same dtype, but got"
            f" {dtypes[0]}, {dtypes[1]}, and {dtypes[2]}"
        ),
    )
    return _addmv(added, matrix, vector, factors)


@_in_opmath
def _addmv(added: Tensor, matrix: Tensor, vector: Tensor, factors: Factors) -> Tensor:
    beta, alpha = _factors(added, factors)
    result = METHODS["mul"](PUBLIC["mv"](matrix, vector), alpha)
    if beta != 0 and not result._geometry.numel:
        return METHODS["mul"](added, beta)  # type: ignore[no-any-return]
    return _plus(result, added, beta)


def bmm(left: Tensor, right: Tensor, out_dtype: dtype | None = None) -> Tensor:
    """Return the result of bmm (common_meta_baddbmm_bmm)."""
    check_batches(left, right)
    check(
        left._dtype is right._dtype,
        lambda: f"expected scalar type {left._dtype} but found {right._dtype}",
    )
    shape = batch_shape(left, right)
    if out_dtype is None:
        return _new(right, shape)
    check(
        out_dtype is left._dtype or (left._dtype in _HALVES and out_dtype is FLOAT32),
        lambda: (
            "out_dtype only supported for torch.float32 output with float16/bfloat16 inputs or same"
            " as input dtypes"
        ),
    )
    return _to(_new(right, shape), out_dtype)


def check_batches(left: Tensor, right: Tensor) -> None:
    """Raise if two tensors are no batches of matrices."""
    check(_rank_is(left, 3), lambda: "batch1 must be a 3D tensor")
    check(_rank_is(right, 3), lambda: "batch2 must be a 3D tensor")


def batch_shape(left: Tensor, right: Tensor) -> Ints:
    """Return the shape of the product of two batches; raise if there is none."""
    (batches, rows, inner), shape = left._geometry.shape, right._geometry.shape
    check(
        shape[:2] == (batches, inner),
        lambda: (
            "Expected size for first two dimensions of batch2 tensor to be:"
            f" [{batches}, {inner}] but got: [{shape[0]}, {shape[1]}]."
        ),
    )
    return batches, rows, shape[2]


def baddbmm(added: Tensor, left: Tensor, right: Tensor, factors: Factors) -> Tensor:
    """Return the result of baddbmm (meta_baddbmm)."""
    size = METHODS["size"]
    shape = size(left, 0), size(left, 1), size(right, 2)
    if added._geometry.shape != shape:
        added = METHODS["expand"](added, shape)
    check_batches(left, right)
    check(
        added._dtype is left._dtype is right._dtype,
        lambda: (
            f"Input dtypes must be the same, got: input: {added._dtype}, batch1: {left._dtype},"
            f" batch2: {right._dtype}"
        ),
    )
    batch_shape(left, right)
    return _new(added, shape)


def addbmm(added: Tensor, left: Tensor, right: Tensor, factors: Factors) -> Tensor:
    """Return the result of addbmm (meta_addbmm)."""
    size = METHODS["size"]
    added = METHODS["expand"](added, (size(left, 1), size(right, 2)))
    check_batches(left, right)
    check_batch_sizes(left, right)
    return _new(added, added._geometry.shape)


def check_batch_sizes(left: Tensor, right: Tensor) -> None:
    """Raise if two batches cannot be multiplied by addbmm."""
    (batches, rows, inner), (others, other, columns) = left._geometry.shape, right._geometry.shape
    check(
        batches == others,
        lambda: f"batch1 and batch2 must have same number of batches, got {batches} and {others}",
    )
    check(
        inner == other,
        lambda: f"Incompatible matrix sizes for bmm ({rows}x{inner} and {other}x{columns})",
    )


def check_vectors(left: Tensor, right: Tensor, dtypes: Sequence[Any], same: str) -> None:
    """Raise if two vectors have no dot product; ``dtypes`` and ``same`` stand in the messages."""
    ranks = left._geometry.rank, right._geometry.rank
    check(
        ranks == (1, 1),
        lambda: f"1D tensors expected, but got {ranks[0]}D and {ranks[1]}D tensors",
    )
    check(
        left._dtype is right._dtype,
        lambda: (
            f"dot : expected both vectors to have same dtype, but found {dtypes[0]} and {dtypes[1]}"
        ),
    )
    (size,), (other,) = left._geometry.shape, right._geometry.shape
    check(
        size == other,
        lambda: (
            f"inconsistent tensor size, expected tensor [{size}] and src [{other}] to have {same}"
            f" number of elements, but got {size} and {other} elements respectively"
        ),
    )


def _check_vectors(left: Tensor, right: Tensor) -> None:
    check_vectors(left, right, (left._dtype, right._dtype), "thesame")


def dot(left: Tensor, right: Tensor) -> Tensor:
    """Return the result of dot."""
    _check_vectors(left, right)
    common, left, right = _computed(left, right)
    if common.is_complex:
        bits = left._conj_neg & CONJUGATE, right._conj_neg & CONJUGATE
        if all(bits):
            return _to(_conj(PUBLIC["dot"](_conj(left), _conj(right))), common)
        if any(bits):
            first, second = (left, right) if bits[0] else (right, left)
            return _to(PUBLIC["vdot"](_conj(first), second), common)
    return _to(METHODS["sum"](METHODS["mul"](left, right)), common)


def vdot(left: Tensor, right: Tensor) -> Tensor:
    """Return the result of vdot."""
    _check_vectors(left, right)
    common, left, right = _computed(left, right)
    if not common.is_complex:
        return _to(PUBLIC["dot"](left, right), common)
    bits = left._conj_neg & CONJUGATE, right._conj_neg & CONJUGATE
    if all(bits):
        return _to(PUBLIC["vdot"](_conj(right), _conj(left)), common)
    if bits[0]:
        return _to(PUBLIC["dot"](_conj(left), right), common)
    if bits[1]:
        return _to(_conj(PUBLIC["dot"](left, _conj(right))), common)
    products = METHODS["mul"](METHODS["conj_physical"](left), right)
    return _to(METHODS["sum"](products), common)


def _computed(left: Tensor, right: Tensor) -> tuple[dtype, Tensor, Tensor]:
    """Return the common dtype, and tensors in the one in which the reference computes."""
    common = reference_dtype((left, right))
    wide = _COMPUTED.get(common, common)
    return common, _to(left, wide), _to(right, wide)


def _conj(tensor: Tensor) -> Tensor:
    bits = tensor._conj_neg ^ CONJUGATE
    memory = tensor._storage, tensor._geometry, tensor._offset
    return new_tensor(*memory, tensor._dtype, conj_neg=bits)


def _baddbmm_to(
    added: Tensor, left: Tensor, right: Tensor, factors: Factors, out_dtype: dtype
) -> Tensor:
    """Raise as the reference of baddbmm, which takes the dtype for a factor."""
    beta = factors.beta
    if type(beta) is not int or beta != 1:  # torch passes a factor that is not the default
        raise TypeError("baddbmm() got multiple values for argument 'beta'")
    common = reference_dtype((added, left, right))
    if not (common.is_floating_point or common.is_complex):
        int(out_dtype)  # type: ignore[call-overload]
    METHODS["bmm"](_to(left, common), _to(right, common))
    raise TypeError("unsupported operand type(s) for *: 'Tensor' and 'torch.dtype'")


def addr(added: Tensor, left: Tensor, right: Tensor, factors: Factors) -> Tensor:
    """Return the result of addr."""
    tensors = added, left, right
    common = reference_dtype(tensors)
    added, left, right = (_to(x, _COMPUTED.get(common, common)) for x in tensors)
    for name, vector in (("vec1", left), ("vec2", right)):
        rank = vector._geometry.rank
        check(rank == 1, lambda: f"addr: Expected 1-D argument {name}, but got {rank}-D")  # noqa: B023
    for name in ("alpha", "beta"):
        check(
            common is BOOL or not isinstance(getattr(factors, name), bool),
            lambda: f"Boolean {name} only supported for Boolean results.",  # noqa: B023
        )
    added = METHODS["expand"](added, (left._geometry.shape[0], right._geometry.shape[0]))
    limit = PYTHON_TYPES.index(int if common is BOOL else python_type_of(added._dtype))
    for name in ("beta", "alpha"):
        factor = type(getattr(factors, name))
        check(
            PYTHON_TYPES.index(factor) <= limit,
            lambda: (
                f"expected bool/int {name} but got {factor}"  # noqa: B023
                if common is BOOL
                else f"cannot safely convert {factor} to {added._dtype}"  # noqa: B023
            ),
        )
    return _to(_addr(added, left, right, factors), common)


def _addr(added: Tensor, left: Tensor, right: Tensor, factors: Factors) -> Tensor:
    beta, alpha = factors
    if added._dtype is BOOL:
        products = PUBLIC["outer"](left, right) if alpha else PUBLIC["full_like"](added, False)
        return PUBLIC["logical_or"](added, products) if beta else products  # type: ignore[no-any-return]
    products = METHODS["mul"](PUBLIC["outer"](left, right), alpha)
    if beta == 0:
        return products  # type: ignore[no-any-return]
    return METHODS["add"](METHODS["mul"](added, beta), products)  # type: ignore[no-any-return]


WITH_DTYPE: dict[str, Reference] = {
    "mm": mm, "bmm": bmm, "addmm": addmm_to, "baddbmm": _baddbmm_to
}  # fmt: skip
"""The references of products with the dtype of the result, by name."""

PAIR_WITH_DTYPE: dict[str, Reference] = {"mm": mm, "addmm": mm, "bmm": bmm, "baddbmm": bmm}
"""Those that check the matrices, or batches of them, which CUDA multiplies."""
