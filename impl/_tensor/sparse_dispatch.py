"""Which operators know of sparse tensors, and what torch says of the others.

An operator meets `NotDense` when it asks a sparse tensor for what only a dense one has; what made it a function or a
method then looks here for what is done instead.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from .tensor import Tensor

SPARSE_KERNELS: dict[str, Callable[..., Any]] = {}
"""What operators do to sparse tensors, by name; it is given the arguments that were bound."""

LOADERS: list[Callable[[], object]] = []
"""Fills `SPARSE_KERNELS`; the package of sparse operators, without which there is no sparse tensor, adds it."""

_OVERLOADS = {
    "squeeze": "as_strided", "narrow": "as_strided", "split": "as_strided", "chunk": "as_strided",
    "unfold": "as_strided", "diagonal": "as_strided", "split_with_sizes": "as_strided", "tensor_split": "as_strided",
    "eq": "eq.{}", "ne": "ne.{}", "lt": "lt.{}", "le": "le.{}", "gt": "gt.{}", "ge": "ge.{}", "mean": "mean.dim",
    "ones_like": "fill_.Scalar", "full_like": "fill_.Scalar", "new_ones": "fill_.Scalar", "new_full": "fill_.Scalar", "index_put_": "_index_put_impl_",
    "unsafe_chunk": "as_strided", "unsqueeze_": "as_strided_", "squeeze_": "as_strided_", "where": "where.self",
    "bitwise_and": "bitwise_and.{}", "bitwise_or": "bitwise_or.{}", "bitwise_xor": "bitwise_xor.{}", "rand_like": "uniform_",
    "randn_like": "normal_", "new_empty_strided": "empty_strided", "unflatten": "view", "fill_": "fill_.Scalar", "max": "max", "min": "min",
}  # fmt: skip
"""What the kernel is called that torch has not for sparse tensors, where it is not called as the operator."""


SPARSE_FIRST = frozenset(
    """
    add sub mul div add_ sub_ mul_ neg negative subtract multiply divide true_divide rsub sum clone transpose
    swapaxes swapdims t permute unsqueeze select cat concat concatenate stack unbind copy_ zeros_like empty_like
    new_zeros new_empty reshape reshape_as flatten expand expand_as broadcast_to contiguous ravel tolist item zero_
    view_as movedim moveaxis set_ is_set_to t_ transpose_ view mean narrow chunk new_ones new_full
    """.split()  # noqa: SIM905
)
"""The operators that do something else with sparse tensors, whatever is amiss with their shapes."""


def sparse_first(name: str, run: Callable[..., Any]) -> Callable[..., Any]:
    """Return what runs an operator on dense tensors, and does what is done instead where one is sparse."""
    if name not in SPARSE_FIRST:
        return run

    @wraps(run)
    def checked(*operands: Any, **given: Any) -> Any:
        for each in operands:
            several = each if type(each) in (tuple, list) else (each,)
            for one in several:
                if isinstance(one, Tensor) and one._geometry.is_sparse:
                    return of_sparse(name, *operands, **given)
        return run(*operands, **given)

    return checked


def of_sparse(name: str, *operands: Any, **given: Any) -> Any:
    """Do with sparse tensors what an operator does, or refuse it in torch's words."""
    if not SPARSE_KERNELS:
        LOADERS[0]()
    run = SPARSE_KERNELS.get(name)
    if name in _TORCH_ALONE:
        raise NotImplementedError(f"impl has no {name}() for sparse tensors")
    if run is None:
        kernel = _OVERLOADS.get(name, name)
        if "{}" in kernel:
            kernel = kernel.format("Scalar" if _is_number(operands[1]) else "Tensor")
        raise could_not_run(kernel)
    return run(*operands, **given)


_TORCH_ALONE = frozenset(
    """
    abs absolute neg_ abs_ asin arcsin asinh arcsinh atan arctan atanh arctanh ceil erf erfinv expm1 floor frac isinf
    isnan isneginf isposinf log1p nan_to_num deg2rad rad2deg relu round sgn sign signbit sin sinh sqrt tan tanh trunc
    fix any floor_divide floor_divide_ div_ divide_ true_divide_ pow square index_select narrow_copy conj conj_physical
    angle positive logical_not bmm mm hypot resize_as_ is_nonzero softmax log_softmax real imag
    """.split()  # noqa: SIM905
)
"""What torch does to sparse tensors, and impl does not."""


def _is_number(value: Any) -> bool:
    return isinstance(value, bool | int | float | complex)


def could_not_run(kernel: str, backend: str = "SparseCPU") -> NotImplementedError:
    """Return the error of a kernel that torch has not; it goes on with a list of those that its build has."""
    return NotImplementedError(
        f"Could not run 'aten::{kernel}' with arguments from the '{backend}' backend. This could be because"
        " the operator doesn't exist for this backend, or was omitted during the selective/custom build"
        " process (if using custom build). If you are a Facebook employee using PyTorch on mobile, please"
        " visit https://fburl.com/ptmfixes for possible resolutions."
    )
