"""Unary operators of sparse tensors, and powers.

They follow SparseUnaryOps.cpp and SparseTensorMath.cpp in aten/src/ATen/native/sparse.  Operators
that map 0 to 0 but are not linear apply the dense operator to the values of the coalesced tensor.
The dense operator decides dtypes, errors and the name of the grad_fn.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from ..._argparser.types import is_integral_dtype
from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._autograd.autograd_meta import bump_version, grad_fn, requires_grad
from ..._autograd.tracking import check_inplace
from ..._devices.device import META
from ..._dtypes.constants import COMPLEX32, COMPLEX64
from ..._dtypes.table import dtype
from ..._runtime.errors import check
from ..._runtime.grad_modes import grad_enabled
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.allocation import warn_if_complex32
from ..._tensor.data_access import tensor_from_raw, write_raw
from ..._tensor.out_autograd import check_no_grad_out
from ..._tensor.sparse_coo import (
    detached_part,
    indices_of,
    is_sparse,
    sparse_storage,
    sparse_tensor,
)
from ..._tensor.sparse_dispatch import PREDICATES, UNARY, no_kernel, save_target
from ..._tensor.tensor import METHODS, Tensor, set_requires_grad
from ..._tensor.views import record_grad_fn
from ..common.copy import record_write
from .coalesce import coalesce_plain
from .common import (
    NO_FORMAT,
    assign,
    cloned_indices,
    contiguous_indices,
    internal_assert,
    is_coalesced,
    values_of,
    warn_of_empty_result,
    with_dtype,
    with_values,
)
from .resizing import check_resize

_BASES = {
    "absolute": "abs", "arcsin": "asin", "arcsinh": "asinh", "arctan": "atan", "arctanh": "atanh",
    "fix": "trunc",
}  # fmt: skip
"""The operators behind aliases."""


def grad_fn_name(run: Callable[[Tensor], Tensor], tensor: Tensor) -> str:
    """Return the name of the grad_fn that an operator records, if a tensor requires a gradient."""
    if not (grad_enabled() and requires_grad(tensor)):
        return ""
    # An operator has the same grad_fn for both dtypes; of complex32 its result is warned about.
    dtype = COMPLEX64 if tensor._dtype is COMPLEX32 else tensor._dtype
    sample = tensor_from_raw(np.zeros((), numpy_storage_dtype(dtype)), dtype)
    node = grad_fn(run(set_requires_grad(sample, True).clone()))  # type: ignore[attr-defined]
    return type(node).__name__ if node else ""


def _unary(base: str, tensor: Tensor, *args: Any, out: Tensor | None = None) -> Tensor:
    """Return the operator of a coalesced tensor's values, at the same indices."""
    if base == "round" and args:
        raise no_kernel("round.decimals" if out is None else "round.decimals_out", tensor)
    if out is not None:
        return _into(base, tensor, out, *args)
    run = PUBLIC[base]
    source = coalesce_plain(tensor)
    values = run(detached_part(values_of(source)), *args)
    shape = source._geometry.shape
    indices = cloned_indices(source)
    result = sparse_tensor(indices, values, shape, coalesced=True, cleared=False)
    node = grad_fn_name(lambda x: run(x, *args), tensor)
    _save_result(result, node)
    return record_grad_fn(result, (tensor,), node)


def _save_result(result: Tensor, node: str) -> None:
    """Warn of a complex32 result that autograd saves, for which torch makes another tensor.

    Sparse kernels have complex32 results of abs, sgn and the predicates alone.
    """
    if node == "SgnBackward0":
        warn_if_complex32(result._dtype)


def _inplace(base: str, tensor: Tensor, *args: Any) -> Tensor:
    """Apply the in-place operator to the values of a coalesced tensor."""
    save_target(f"{base}_", tensor)
    if base == "round" and args:
        raise no_kernel("round_.decimals", tensor)
    check(is_coalesced(tensor), lambda: f"{base}_ requires coalesced input")
    run = METHODS[f"{base}_"]
    run(detached_part(values_of(tensor)), *args)
    node = grad_fn_name(lambda x: run(x, *args), tensor)
    _save_result(tensor, node)
    return record_write(tensor, (), node)


def _into(base: str, tensor: Tensor, out: Tensor, *args: Any) -> Tensor:
    """Write the operator of the values into ``out``, which must be sparse, too."""
    if base not in PREDICATES:
        check_no_grad_out(base, tensor, out)
    if out is tensor:
        check(is_coalesced(tensor), lambda: "expected coalesced tensor for inplace operation")
        values = detached_part(values_of(tensor))
        PUBLIC[base](values, *args, out=values)
        bump_version(out)
        return out
    check(
        is_sparse(tensor) and is_sparse(out),
        lambda: (
            "Expected self.is_sparse() && result.is_sparse() to be true, but got false.  (Could"
            " this error message be improved?  If so, please report an enhancement request to"
            " PyTorch.)"
        ),
    )
    source = coalesce_plain(tensor)
    check_resize(out, source)
    values = PUBLIC[base](detached_part(values_of(source)), *args, out=values_for(out, source))
    return assign_values(out, source, values)


def values_for(out: Tensor, source: Tensor) -> Tensor:
    """Return the values of ``out`` if they have the shape of the source's, else empty ones."""
    values = values_of(out)
    if values._geometry.shape == values_of(source)._geometry.shape:
        return detached_part(values)
    return empty_values(out._dtype)


def empty_values(dtype: dtype) -> Tensor:
    """Return an empty dense tensor for the values of a result."""
    return tensor_from_raw(np.empty(0, numpy_storage_dtype(dtype)), dtype)


def assign_values(out: Tensor, source: Tensor, values: Tensor, *recorded: Tensor) -> Tensor:
    """Assign values at the indices of a sparse tensor to ``out``, whose indices are reused.

    ``recorded`` are the operands of an operator that autograd records without a derivative.
    """
    shape, coalesced = source._geometry.shape, is_coalesced(source)
    indices = detached_part(sparse_storage(out).indices)
    if indices._geometry.shape == sparse_storage(source).indices._geometry.shape:
        write_raw(indices, indices_of(source))
    else:
        indices = contiguous_indices(source)
    assign(out, sparse_tensor(indices, values, shape, coalesced, warns=False))
    return written(out, recorded)


def copy_into(out: Tensor, source: Tensor, values: Tensor, *recorded: Tensor) -> Tensor:
    """Assign values and a copy of the indices of a sparse tensor to ``out``."""
    indices, shape = cloned_indices(source), source._geometry.shape
    assign(out, sparse_tensor(indices, values, shape, is_coalesced(source), warns=False))
    return written(out, recorded)


def written(out: Tensor, recorded: tuple[Tensor, ...]) -> Tensor:
    """Record the write to an out= tensor, and return it."""
    if recorded:
        return record_write(out, recorded, "NotImplemented")
    bump_version(out)
    return out


# Linear operators keep duplicate indices.


def neg(tensor: Tensor, out: Tensor | None = None) -> Tensor:
    """neg(input, *, out=None): the negated values; ``out`` gets the values cast to its dtype."""
    if out is not None:
        check_no_grad_out("neg", tensor, out)
        check(is_sparse(tensor) and is_sparse(out), lambda: "Tensor should be sparse")
        if out is tensor:
            METHODS["neg_"](detached_part(values_of(tensor)))
            return written(out, ())
        check_resize(out, tensor)
        source = tensor if tensor._dtype is out._dtype else with_dtype(tensor, out._dtype)
        values = METHODS["neg_"](detached_part(values_of(source)).clone())  # type: ignore[attr-defined]
        return copy_into(out, tensor, values)
    values = METHODS["neg_"](detached_part(values_of(tensor)).clone())  # type: ignore[attr-defined]
    warn_if_complex32(tensor._dtype)
    warn_of_empty_result(tensor._dtype)
    return record_grad_fn(with_values(tensor, values), (tensor,), "NegBackward0")


def neg_(tensor: Tensor) -> Tensor:
    """Tensor.neg_(): negate the values in place."""
    check_inplace(tensor)
    METHODS["neg_"](detached_part(values_of(tensor)))
    return record_write(tensor, (), "NegBackward0")


def _compares(kernel: str, has_answer: Callable[[dtype], bool]) -> Callable[[Tensor], Tensor]:
    """Return a kernel that raises: torch fills a tensor with ones, or compares elements."""

    def run(tensor: Tensor) -> Tensor:
        check(
            not has_answer(tensor._dtype),
            lambda: NO_FORMAT,
        )
        if tensor._geometry.device is META:
            raise no_kernel("view_as_real" if tensor._dtype.is_complex else "abs.out", tensor)
        if kernel == "ne.Scalar" and not tensor._dtype.is_complex:
            _unary("abs", tensor)
        raise no_kernel(kernel, tensor)

    return run


# Powers.


def pow_(tensor: Any, exponent: Any) -> Tensor:
    """Raise: torch has no sparse kernel for powers in place."""
    save_target("pow_", tensor, exponent)
    raise no_kernel("pow_.Tensor" if isinstance(exponent, Tensor) else "pow_.Scalar", tensor)


def power(tensor: Any, exponent: Any, out: Tensor | None = None) -> Tensor:
    """pow(input, exponent, *, out=None): powers of the coalesced values by a number."""
    tensors = [x for x in (tensor, exponent, out) if isinstance(x, Tensor)]
    if out is not None:
        check_no_grad_out("pow", *tensors)
    is_on_meta = any(x._geometry.device is META for x in tensors)
    if isinstance(exponent, Tensor) or is_on_meta:
        kind = "Tensor" if isinstance(exponent, Tensor) else "Scalar"
        name = f"pow.Tensor_{kind}" if isinstance(tensor, Tensor) else "pow.Scalar"
        raise no_kernel(name + ("" if out is None else "_out"), *tensors)
    if out is None:
        warn_of_empty_result(tensor._dtype)
    else:
        internal_assert(is_sparse(out), "r.is_sparse()", 168)
        internal_assert(is_sparse(tensor), "t_.is_sparse()", 169)
    check(
        not isinstance(exponent, complex) or not exponent.imag,
        lambda: "value cannot be converted to type double without overflow",
    )
    check(
        exponent != 0,
        lambda: (
            "pow: cannot raise to zeroth power on sparse tensor; it would make the result tensor"
            " dense"
        ),
    )
    source = coalesce_plain(tensor)
    if out is not None:
        check_resize(out, source)
    target = empty_values(tensor._dtype) if out is None else detached_part(values_of(out))
    values = PUBLIC["pow"](detached_part(values_of(source)), exponent, out=target)
    if out is not None:
        return assign_values(out, source, values)
    shape = source._geometry.shape
    coalesced = is_coalesced(source)
    result = sparse_tensor(contiguous_indices(source), values, shape, coalesced, warns=False)
    return record_grad_fn(result, (tensor,), "PowBackward0")


KERNELS: dict[str, Callable[..., Any]] = {
    "neg": neg, "negative": neg, "neg_": neg_, "negative_": neg_,
    "pow": power, "pow_": pow_, "square": partial(power, exponent=2),
    "square_": partial(pow_, exponent=2),
    "isfinite": _compares("ne.Scalar", lambda dtype: is_integral_dtype(dtype, or_bool=True)),
    "isreal": _compares("eq.Scalar", lambda dtype: not dtype.is_complex),
}  # fmt: skip
for _name in UNARY | PREDICATES:
    _base = _BASES.get(_name, _name)
    KERNELS[_name] = partial(_unary, _base)
    if _name in UNARY:
        KERNELS[f"{_name}_"] = partial(_inplace, _base)
