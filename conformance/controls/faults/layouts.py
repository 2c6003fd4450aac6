"""Faults of a subject's sparse tensors: real torch, with one thing about them made wrong."""

import copy
from collections.abc import Callable
from typing import Any

from ..fault_injection import Fault
from .subject import instead_of
from .tensors import on_tensors


def _of_sparse(name: str, change: Callable[[Any, Any, Any], Any]) -> Fault:
    """Change what a method of sparse tensors returns, if that is a tensor.

    ``change`` is given the result, the tensor and torch.
    """

    def answer(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
        made = function(*args, **kwargs)
        changes = owner.layout is torch.sparse_coo and isinstance(made, torch.Tensor)
        return change(made, owner, torch) if changes else made

    return on_tensors(name, answer)


def _of_function(name: str, change: Callable[[Any, Any, Any], Any]) -> Fault:
    """Change what a function returns; ``change`` is given the result, the arguments and torch."""

    def answer(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
        return change(function(*args, **kwargs), args, torch)

    return instead_of(name, answer)


def _copied_layout() -> Fault:
    def call(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
        if function is copy.copy and isinstance(args[0], torch.layout):
            return torch.strided
        return function(*args, **kwargs)

    return Fault(call=call)


def _makes_a_layout(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    return torch.strided


def _accepts_any_index(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    try:
        return function(*args, **kwargs)
    except RuntimeError as error:
        if "size is inconsistent with indices" not in str(error):
            raise
        return function(*args, **{**kwargs, "check_invariants": False})


def _indices_of_any(function: Any, torch: Any, owner: Any) -> Any:
    return owner._indices()


def _says_coalesced(made: Any, owner: Any, torch: Any) -> Any:
    """Say of a result that it is coalesced, as what it was made of was."""
    if made.layout is torch.sparse_coo and owner.is_coalesced() and not made.requires_grad:
        made._coalesced_(True)
    return made


def _forgets_coalesced(made: Any, owner: Any, torch: Any) -> Any:
    return made if made is owner or made.requires_grad else made._coalesced_(False)


def _keeps_twice(made: Any, owner: Any, torch: Any) -> Any:
    """Call coalesced what still has each place as often as before."""
    return made if made is owner else owner.detach().clone()._coalesced_(True)


def _copies(made: Any, owner: Any, torch: Any) -> Any:
    return made.clone() if made is owner else made


def _keeps_zeros(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    if args or kwargs or owner.layout is torch.sparse_coo:
        return function(*args, **kwargs)
    everywhere = torch.ones(owner.shape, dtype=torch.bool).nonzero().t()
    return torch.sparse_coo_tensor(everywhere, owner.flatten(), owner.shape, is_coalesced=True)


def _bools_as_integers(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    made = function(*args, **kwargs)
    return made.to(torch.int8) if made.dtype is torch.bool else made


def _without_alpha(function: Any, torch: Any, *args: Any, alpha: Any = 1, **kwargs: Any) -> Any:
    return function(*args, **kwargs)


def _adds_to_a_copy(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    return owner.add(*args, **kwargs)


def _sparse_of_dense(made: Any, args: Any, torch: Any) -> Any:
    return made.to_sparse() if made.layout is torch.strided else made


def _dtype_of_first(made: Any, args: Any, torch: Any) -> Any:
    return made.to(args[0].dtype)


def _last_first(function: Any, torch: Any, tensors: Any, *args: Any, **kwargs: Any) -> Any:
    return function(tensors[::-1], *args, **kwargs)


def _joins_dense(function: Any, torch: Any, tensors: Any, *args: Any, **kwargs: Any) -> Any:
    try:
        return function(tensors, *args, **kwargs)
    except RuntimeError as error:
        if "but a dense tensor was found" not in str(error):
            raise
        return function([each.to_sparse() for each in tensors], *args, **kwargs)


def _dense_sum(made: Any, owner: Any, torch: Any) -> Any:
    return made.to_dense() if made.layout is torch.sparse_coo else made


def _always_strided(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    return function(*args, **{**kwargs, "layout": torch.strided})


def _keeps_elements(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    return args[0].clone() if not kwargs else function(*args, **kwargs)


COALESCES = _of_sparse("mul", lambda made, owner, torch: made.coalesce())

FAULTS = (
    ("copied-layout", "the copy of a layout is torch.strided", "layouts.objects", "value", _copied_layout()),
    ("makes-a-layout", "torch.layout() makes a layout", "layouts.class", "raises", instead_of("layout", _makes_a_layout)),
    ("any-index", "sparse_coo_tensor() takes an index out of range, although it is to check", "layouts.making", "raises", instead_of("sparse_coo_tensor", _accepts_any_index)),
    ("any-indices", "indices() needs no coalesced tensor", "layouts.parts", "raises", on_tensors("indices", _indices_of_any)),
    ("sums-nothing", "coalesce() does not add what lies in one place", "layouts.parts", "elements", _of_sparse("coalesce", _keeps_twice)),
    ("sparse-copies", "to() copies a sparse tensor where nothing changes", "layouts.forms", "aliasing", _of_sparse("to", _copies)),
    ("converts-uncoalesced", "what to() makes is not coalesced", "layouts.conversions", "storage", _of_sparse("to", _forgets_coalesced)),
    ("keeps-zeros", "to_sparse() keeps zeros", "layouts.from_dense", "storage", on_tensors("to_sparse", _keeps_zeros)),
    ("sparse-bools", "to_sparse() of bools has integers", "layouts.from_dtypes", "dtype", on_tensors("to_sparse", _bools_as_integers)),
    ("ignores-alpha", "add() of sparse tensors does not look at alpha", "layouts.arithmetic", "elements", instead_of("add", _without_alpha)),
    ("adds-to-a-copy", "add_() changes a copy", "layouts.itself", "aliasing", on_tensors("add_", _adds_to_a_copy)),
    ("sparse-of-dense", "a dense and a sparse tensor are added to a sparse one", "layouts.with_dense", "layout", _of_function("add", _sparse_of_dense)),
    ("coalesces-product", "mul() by a number coalesces", "layouts.with_numbers", "storage", COALESCES),
    ("dtype-of-first", "a sum has the dtype of its first operand", "layouts.promotion", "dtype", _of_function("add", _dtype_of_first)),
    ("still-coalesced", "what is transposed stays coalesced", "layouts.shapes", "storage", _of_sparse("transpose", _says_coalesced)),
    ("joins-last-first", "cat() begins with the last tensor", "layouts.joins", "elements", instead_of("cat", _last_first)),
    ("joins-dense", "cat() takes dense tensors among sparse ones", "layouts.joined_alone", "raises", instead_of("cat", _joins_dense)),
    ("dense-sum", "the sum of some dimensions is dense", "layouts.sums", "layout", _of_sparse("sum", _dense_sum)),
    ("always-strided", "zeros() does not look at layout=", "layouts.factories", "layout", instead_of("zeros", _always_strided)),
    ("keeps-elements", "zeros_like() of a sparse tensor keeps its elements", "layouts.likes", "storage", instead_of("zeros_like", _keeps_elements)),
    ("sums-nothing-anywhere", "coalesce() of no tensor adds what lies in one place", "layouts.sampled", "elements", _of_sparse("coalesce", _keeps_twice)),
)  # fmt: skip
"""Each fault: its id, what it is, the property that catches it, as what, and what is tampered with."""
