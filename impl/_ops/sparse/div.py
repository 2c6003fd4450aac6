"""Quotients of sparse tensors and numbers.

They follow aten/src/ATen/native/sparse/SparseTensorMath.cpp.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from ..._dtypes.default_dtype import get_default_dtype
from ..._dtypes.table import dtype
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.allocation import warn_if_complex32
from ..._tensor.out_autograd import check_no_grad_out, check_no_leaf
from ..._tensor.sparse_coo import detached_part, is_sparse, sparse_tensor
from ..._tensor.sparse_dispatch import save_target
from ..._tensor.tensor import METHODS, Tensor
from ..._tensor.views import record_grad_fn
from ..common.copy import record_write
from ..common.result_type import result_type_of
from .coalesce import coalesce_plain
from .common import (
    assign,
    contiguous_indices,
    internal_assert,
    is_coalesced,
    values_of,
    warn_of_empty_result,
)
from .resizing import check_resize
from .unary import assign_values, empty_values, grad_fn_name


def _options(name: str, mode: tuple[Any, ...]) -> dict[str, Any]:
    """Return the keywords of the dense operator."""
    return {"rounding_mode": mode[0]} if mode and name == "div" else {}


def _rounds(name: str, mode: tuple[Any, ...]) -> bool:
    return name == "floor_divide" or (bool(mode) and mode[0] is not None)


def _check_divisor(title: str, left: Any, right: Any) -> None:
    shape = right._geometry.shape if isinstance(right, Tensor) else ()
    expected = f"Sparse {title} requires a scalar or zero-dim dense tensor divisor"
    check(not shape, lambda: f"{expected} (got shape {[*shape]} for divisor)")
    check(not is_sparse(right), lambda: f"{expected} (got a sparse divisor)")


def _checked(name: str, left: Any, right: Any, out: Tensor | None) -> Any:
    """Check the operands; return the divisor without autograd metadata."""
    title, line = ("floor division", 298) if name == "floor_divide" else ("division", 229)
    _check_divisor(title, left, right)
    if out is not None:
        text = "result" if name == "floor_divide" else "r"
        internal_assert(is_sparse(out), f"{text}.is_sparse()", line)
    text = "dividend" if name == "floor_divide" else "t"
    internal_assert(is_sparse(left), f"{text}.is_sparse()", line + 1)
    return detached_part(right) if isinstance(right, Tensor) else right


def _result_dtype(left: Any, right: Any, rounds: bool) -> dtype:
    common = result_type_of((left, right))
    is_inexact = common.is_floating_point or common.is_complex
    return common if rounds or is_inexact else get_default_dtype()


def divide(name: str, left: Any, right: Any, *mode: Any, out: Any = None) -> Tensor:
    """Return a sparse tensor divided by a number; to round, torch coalesces it first."""
    tensors = tuple(x for x in (left, right) if isinstance(x, Tensor))
    if out is not None:
        _check_out(name, out, tensors)
    run, rounds = partial(PUBLIC[name], **_options(name, mode)), _rounds(name, mode)
    if out is None:
        dtype = _result_dtype(left, right, rounds)
        if is_sparse(left):
            warn_of_empty_result(dtype)
        else:
            warn_if_complex32(dtype)
    number = _checked(name, left, right, out)
    if out is not None and out is left:
        _change(left, number, name, mode)
        return record_write(left, (), "")
    source = coalesce_plain(left) if rounds else left
    values = detached_part(values_of(source))
    if out is not None:
        check_resize(out, source)
        recorded = tensors if name == "floor_divide" else ()
        quotients = run(values, number, out=detached_part(values_of(out)))
        return assign_values(out, source, quotients, *recorded)
    quotients = run(values, number, out=empty_values(dtype))
    shape = source._geometry.shape
    result = sparse_tensor(contiguous_indices(source), quotients, shape, is_coalesced(source))
    node = grad_fn_name(lambda x: run(x, 2), left) or "DivBackward0"
    return record_grad_fn(result, tensors, node)


def _check_out(name: str, out: Any, sources: tuple[Tensor, ...]) -> None:
    """Raise if autograd forbids ``out``, which may be a number; it has no floor_divide."""
    outs = (out,) if isinstance(out, Tensor) else ()
    if name == "div":
        check_no_grad_out(name, *sources, *outs)
    elif outs:
        check_no_leaf("aten::floor_divide", out, *sources)


def _change(tensor: Tensor, number: Any, name: str, mode: tuple[Any, ...]) -> None:
    """Divide the values in place; coalesce the tensor first if the quotients are rounded."""
    options = _options(name, mode)
    if not _rounds(name, mode) or is_coalesced(tensor):
        METHODS[f"{name}_"](detached_part(values_of(tensor)), number, **options)
        return
    source, target = coalesce_plain(tensor), detached_part(values_of(tensor))
    values = detached_part(values_of(source))
    if values._geometry.shape != target._geometry.shape:
        METHODS["resize_"](target, values._geometry.shape)
    parts = contiguous_indices(source), target
    assign(tensor, sparse_tensor(*parts, source._geometry.shape, True, warns=False))
    PUBLIC[name](values, number, **options, out=target)


def divide_(name: str, left: Any, right: Any, *mode: Any) -> Tensor:
    """Divide a sparse tensor by a number in place."""
    sources = (right,) if isinstance(right, Tensor) else ()
    save_target(f"{name}_", left, *sources)
    number = _checked(name, left, right, left)
    run = partial(METHODS[f"{name}_"], **_options(name, mode))
    _change(left, number, name, mode)
    node = grad_fn_name(lambda x: run(x, 2), left) or "DivBackward0"
    return record_write(left, sources, node)


KERNELS: dict[str, Callable[..., Any]] = {
    alias + suffix: partial(run, name)
    for name, aliases in (
        ("div", ("div", "divide", "true_divide")),
        ("floor_divide", ("floor_divide",)),
    )
    for alias in aliases
    for suffix, run in (("", divide), ("_", divide_))
}
