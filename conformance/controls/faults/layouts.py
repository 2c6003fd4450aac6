"""Faults of sparse tensors: real torch with one wrong answer."""

import copy
from collections.abc import Callable
from typing import Any

from ..control import fault
from ..fault_injection import Fault, call_hook, function_hook, method_hook


def _of_sparse(name: str, change: Callable[[Any, Any, Any], Any]) -> Fault:
    """Return a fault in a method that returns a tensor, for sparse tensors.

    ``change(result, owner, torch)`` returns the wrong result.
    """

    def answer(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        changes = owner.layout is torch.sparse_coo and isinstance(result, torch.Tensor)
        return change(result, owner, torch) if changes else result

    return method_hook(f"Tensor.{name}", answer)


def _of_function(name: str, change: Callable[[Any, Any, Any], Any]) -> Fault:
    """Return a fault in a function: ``change(result, args, torch)`` returns the wrong result."""

    def answer(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
        return change(function(*args, **kwargs), args, torch)

    return function_hook(name, answer)


@fault("layouts.objects", "value", call_hook)
def copied_layout(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """The copy of a layout is torch.strided."""
    if function is copy.copy and isinstance(args[0], torch.layout):
        return torch.strided
    return function(*args, **kwargs)


@fault("layouts.class", "raises", function_hook, "layout")
def makes_a_layout(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """torch.layout() creates a layout."""
    return torch.strided


@fault("layouts.making", "raises", function_hook, "sparse_coo_tensor")
def any_index(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """sparse_coo_tensor() accepts an index out of range despite check_invariants=True."""
    try:
        return function(*args, **kwargs)
    except RuntimeError as error:
        if "size is inconsistent with indices" not in str(error):
            raise
        return function(*args, **{**kwargs, "check_invariants": False})


@fault("layouts.sums_into", "elements", function_hook, "add")
def keeps_the_addend(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """A sum with a sparse tensor in out= does not change its dense operand."""
    is_kept = "out" in kwargs and kwargs["out"] is not x and isinstance(x, torch.Tensor)
    return function(x.clone() if is_kept and not x.is_sparse else x, *args, **kwargs)


@fault("operands.methods", "raises", method_hook, "Tensor.flatten")
def flattens_beyond(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """flatten() of a sparse tensor takes dimensions that are not there."""
    try:
        return function(*args, **kwargs)
    except IndexError:
        if owner.layout is torch.strided:
            raise
        return owner


@fault("operands.methods", "message", method_hook, "Tensor.lt_")
def names_the_operator(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """lt_() of a sparse tensor names no overload in its error."""
    try:
        return function(*args, **kwargs)
    except NotImplementedError as error:
        text = str(error).replace("lt_.Scalar", "lt_").replace("lt_.Tensor", "lt_")
        raise NotImplementedError(text) from None


@fault("layouts.parts", "raises", method_hook, "Tensor.indices")
def any_indices(function: Any, torch: Any, owner: Any) -> Any:
    """indices() accepts an uncoalesced tensor."""
    return owner._indices()


@fault("layouts.shapes", "storage", _of_sparse, "transpose")
def still_coalesced(result: Any, owner: Any, torch: Any) -> Any:
    """transpose() keeps the coalesced flag."""
    if result.layout is torch.sparse_coo and owner.is_coalesced() and not result.requires_grad:
        result._coalesced_(True)
    return result


@fault("layouts.conversions", "storage", _of_sparse, "to")
def converts_uncoalesced(result: Any, owner: Any, torch: Any) -> Any:
    """to() clears the coalesced flag."""
    return result if result is owner or result.requires_grad else result._coalesced_(False)


def _keeps_twice(result: Any, owner: Any, torch: Any) -> Any:
    """Return an uncoalesced tensor that claims to be coalesced."""
    return result if result is owner else owner.detach().clone()._coalesced_(True)


@fault("layouts.forms", "aliasing", _of_sparse, "to")
def sparse_copies(result: Any, owner: Any, torch: Any) -> Any:
    """to() copies a sparse tensor although nothing changes."""
    return result.clone() if result is owner else result


@fault("layouts.from_dense", "storage", method_hook, "Tensor.to_sparse")
def keeps_zeros(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """to_sparse() keeps zeros."""
    if args or kwargs or owner.layout is torch.sparse_coo:
        return function(*args, **kwargs)
    everywhere = torch.ones(owner.shape, dtype=torch.bool).nonzero().t()
    return torch.sparse_coo_tensor(everywhere, owner.flatten(), owner.shape, is_coalesced=True)


@fault("layouts.from_dtypes", "dtype", method_hook, "Tensor.to_sparse")
def sparse_bools(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """to_sparse() of bools returns integers."""
    result = function(*args, **kwargs)
    return result.to(torch.int8) if result.dtype is torch.bool else result


@fault("layouts.arithmetic", "elements", function_hook, "add")
def ignores_alpha(function: Any, torch: Any, *args: Any, alpha: Any = 1, **kwargs: Any) -> Any:
    """add() of sparse tensors ignores alpha."""
    return function(*args, **kwargs)


@fault("layouts.itself", "aliasing", method_hook, "Tensor.add_")
def adds_to_a_copy(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """add_() changes a copy."""
    return owner.add(*args, **kwargs)


@fault("layouts.with_dense", "layout", _of_function, "add")
def sparse_of_dense(result: Any, args: Any, torch: Any) -> Any:
    """The sum of a dense and a sparse tensor is sparse."""
    return result.to_sparse() if result.layout is torch.strided else result


@fault("layouts.promotion", "dtype", _of_function, "add")
def dtype_of_first(result: Any, args: Any, torch: Any) -> Any:
    """A sum has the dtype of its first operand."""
    return result.to(args[0].dtype)


@fault("layouts.joins", "elements", function_hook, "cat")
def joins_last_first(function: Any, torch: Any, tensors: Any, *args: Any, **kwargs: Any) -> Any:
    """cat() joins the tensors in reverse order."""
    return function(tensors[::-1], *args, **kwargs)


@fault("layouts.joined_alone", "raises", function_hook, "cat")
def joins_dense(function: Any, torch: Any, tensors: Any, *args: Any, **kwargs: Any) -> Any:
    """cat() accepts dense tensors among sparse ones."""
    try:
        return function(tensors, *args, **kwargs)
    except RuntimeError as error:
        if "but a dense tensor was found" not in str(error):
            raise
        return function([tensor.to_sparse() for tensor in tensors], *args, **kwargs)


@fault("layouts.sums", "layout", _of_sparse, "sum")
def dense_sum(result: Any, owner: Any, torch: Any) -> Any:
    """sum() over some dimensions is dense."""
    return result.to_dense() if result.layout is torch.sparse_coo else result


@fault("layouts.factories", "layout", function_hook, "zeros")
def always_strided(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """zeros() ignores layout=."""
    return function(*args, **{**kwargs, "layout": torch.strided})


@fault("layouts.likes", "storage", function_hook, "zeros_like")
def keeps_elements(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """zeros_like() of a sparse tensor keeps its elements."""
    return args[0].clone() if not kwargs else function(*args, **kwargs)


@fault("layouts.parts", "elements")
def sums_nothing() -> Fault:
    """coalesce() keeps duplicates without adding them."""
    return _of_sparse("coalesce", _keeps_twice)


@fault("layouts.with_numbers", "storage")
def coalesces_product() -> Fault:
    """mul() by a number coalesces."""
    return _of_sparse("mul", lambda result, owner, torch: result.coalesce())


@fault("layouts.sampled", "elements")
def sums_nothing_anywhere() -> Fault:
    """coalesce() of drawn tensors keeps duplicates without adding them."""
    return _of_sparse("coalesce", _keeps_twice)


@fault("layouts.unary", "storage", function_hook, "sin")
def clears_coalesced(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """sin() of a sparse tensor is not coalesced."""
    result = function(*args, **kwargs)
    return result if result.requires_grad or kwargs else result._coalesced_(False)


@fault("layouts.unary", "raises", method_hook, "Tensor.abs_")
def coalesces_in_place(function: Any, torch: Any, owner: Any) -> Any:
    """abs_() of an uncoalesced tensor takes each of its values."""
    if not owner.is_coalesced():
        owner._values().abs_()
        return owner
    return function()


@fault("layouts.parameters", "dtype", function_hook, "div")
def divides_to_float32(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """div() of a sparse tensor of integers with rounding returns floats."""
    result = function(*args, **kwargs)
    return result if result.requires_grad or result.is_complex() else result.to(torch.float32)


@fault("layouts.equal_indices", "elements", method_hook, "Tensor.coalesce")
def sums_in_order(function: Any, torch: Any, owner: Any) -> Any:
    """coalesce() sums the values of equal indices in their order."""
    result = function()
    values = torch.zeros_like(result._values())
    flat = (owner._indices() * torch.tensor([[owner.shape[1]], [1]])).sum(0)
    values.index_add_(0, flat.unique(return_inverse=True)[1], owner._values())
    return torch.sparse_coo_tensor(result._indices(), values, owner.shape, is_coalesced=True)


@fault("layouts.slow_sorts", "elements", method_hook, "Tensor.coalesce")
def loses_last(function: Any, torch: Any, owner: Any) -> Any:
    """coalesce() of more than 900 indices forgets the last value."""
    result = function()
    if owner._nnz() > 900:
        result._values()[-1] = 0
    return result


@fault("layouts.merged_runs", "storage")
def coalesces_difference() -> Fault:
    """sub() of sparse tensors coalesces."""
    return _of_function("sub", lambda result, args, torch: result.coalesce())


@fault("layouts.outs", "state", call_hook)
def negated_input(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """neg() of a sparse tensor with out= negates its input, too."""
    result = function(*args, **kwargs)
    if getattr(function, "__name__", "") == "neg" and "out" in kwargs and args[0] is not result:
        with torch.no_grad():
            args[0].neg_()
    return result


@fault("sparse.dtypes", "raises", method_hook, "Tensor.to_dense")
def makes_any_dtype_dense(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """to_dense() of a sparse tensor has kernels for all dtypes."""
    if args or kwargs or owner.layout is not torch.sparse_coo:
        return function(*args, **kwargs)
    values = owner._values().to(torch.complex128)
    wide = torch.sparse_coo_tensor(owner._indices(), values, owner.shape)
    return wide.to_dense().to(owner.dtype)


@fault("sparse.pairs", "raises", function_hook, "mul")
def checks_the_cast(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """mul() of a sparse tensor and a number checks whether its result can be cast to out=."""
    out = kwargs.get("out")
    if out is not None and not torch.can_cast(torch.result_type(*args), out.dtype):
        raise RuntimeError("the product cannot be cast to out=")
    return function(*args, **kwargs)


@fault("sparse.versions", "state", method_hook, "Tensor.indices")
def has_its_own_version(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """indices() has a version counter of its own."""
    return function(*args, **kwargs).data
