"""The conj/neg fallback: clones with resolved bits for operators without support of the bits.

From aten/src/ATen/native/MathBitsFallback.h, which runs after autograd.
"""

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial, wraps
from typing import Any, TypeVar

from ..._autograd.autograd_meta import bump_version, version_counter
from ..._autograd.tracking import check_inplace
from ..._devices.device import META
from ..._dtypes.constants import COMPLEX32
from ..._geometry import broadcasting
from ..._numerics.conj_neg import CONJUGATE, NEGATIVE
from ..._runtime.errors import check
from ..._runtime.warnings import SILENCE
from ..._tensor.allocation import resize_output, warn_if_complex32
from ..._tensor.data_access import copy_elements
from ..._tensor.out_autograd import gradient_check, with_gradient_check
from ..._tensor.tensor import Tensor, copy_autograd_meta
from .clone import clone, like_geometry, new_copy
from .memory_overlap import check_copy_overlap
from .out_argument import save_and_run

T = TypeVar("T")


def resolve_conj_neg(tensor: Tensor) -> Tensor:
    """Return the tensor, or a clone if it has the conj or neg bit."""
    return clone(tensor) if tensor._conj_neg else tensor


def write_to_clone(tensor: Tensor, run: Callable[[Tensor], Any]) -> Tensor:
    """Return a tensor with a bit after ``run`` on a clone, which is copied back."""
    late = late_warnings((tensor,))
    with SILENCE if late else nullcontext():
        copy = new_copy(tensor, like_geometry(tensor, None, tensor._dtype), tensor._dtype)
    geometry, counter = tensor._geometry, version_counter(tensor)
    old_version = counter.version
    overlaps = broadcasting.has_internal_overlap(geometry.shape, geometry.stride) == "yes"
    if overlaps:
        check_inplace(tensor)  # torch records nothing here, except for a new shape
    else:
        copy_autograd_meta(copy, tensor)
    try:
        run(copy)
    finally:
        warn_if_complex32(tensor._dtype, late)
    if copy._geometry.shape != tensor._geometry.shape:
        resize_output(tensor, copy._geometry.shape)
    try:
        check_copy_overlap(tensor, copy)
    except RuntimeError:
        counter.version = old_version  # a failed write is not counted
        raise
    copy_elements(tensor, copy)
    if overlaps:
        bump_version(tensor)
    else:
        copy_autograd_meta(tensor, copy)
    return tensor


def resolve_operands(operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return operands with resolved conj and neg bits."""
    if has_bits(operands):
        return _resolve_bit(CONJUGATE, _resolve_bit(NEGATIVE, operands))
    return operands


def resolves_neg(run: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Resolve the neg bits of operands and ``out`` around ``run``, which supports the conj bit.

    ``name`` is the name of the operator, which raises for gradients first.
    """
    check = gradient_check(name)

    @wraps(run)
    def resolving(*operands: Any, out: Tensor | None = None) -> Any:
        if out is not None:
            check(operands, out)
        if has_bits(operands):
            operands = _resolve_bit(NEGATIVE, operands)
        if out is None:
            return run(*operands)
        if out._conj_neg & NEGATIVE:
            return write_to_clone(out, lambda clone: run(*operands, out=clone))
        return run(*operands, out=out)

    return with_gradient_check(resolving, check)


def resolves_neg_in_place(change: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Resolve the neg bits around ``change``, which writes to the first operand."""

    @wraps(change)
    def resolving(target: Tensor, *others: Any) -> Tensor:
        others = _resolve_bit(NEGATIVE, others)
        if target._conj_neg & NEGATIVE:
            check_inplace(target, *[x for x in others if isinstance(x, Tensor)])
            return write_to_clone(target, lambda clone: change(clone, *others))
        return change(target, *others)

    return resolving


def _resolve_bit(bit: int, operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return operands with one bit resolved; torch resolves the neg bit first."""
    return tuple([clone(x) if isinstance(x, Tensor) and x._conj_neg & bit else x for x in operands])


def resolve_beside(outs: tuple[Tensor, ...], tensor: Tensor) -> Tensor:
    """Return a tensor with resolved bits; raise if several of ``outs`` have the same one."""
    for bit, word in ((NEGATIVE, "negation"), (CONJUGATE, "conjugate")):
        (tensor,) = _resolve_bit(bit, (tensor,))
        _check_one(outs, bit, word)
    return tensor


def _check_one(outs: tuple[Tensor, ...], bit: int, word: str) -> None:
    check(
        sum(out._conj_neg & bit for out in outs) <= bit,
        lambda: (
            f"{word} fallback does not support operators with more than one mutable tensors with"
            f" {word}bit set to true."
        ),
    )


def has_bits(operands: tuple[Any, ...]) -> bool:
    """Return whether an operand has the conj or the neg bit."""
    for operand in operands:  # noqa: SIM110  # any() takes three times as long
        if isinstance(operand, Tensor) and operand._conj_neg:
            return True
    return False


def resolves_conj_neg(
    run: Callable[..., Any], name: str = "", *, of: slice = slice(None)
) -> Callable[..., Any]:
    """Resolve the conj/neg bits of operands and ``out`` around ``run``.

    ``name`` is the name of an out= operator that autograd supports.  It raises for gradients first,
    those of ``out`` and of the operands ``of``.
    """
    check = gradient_check(name, of=of)

    @wraps(run)
    def resolving(*operands: Any, out: Tensor | None = None) -> Any:
        if out is None:
            return run_resolved(run, operands) if has_bits(operands) else run(*operands)
        if name:
            check(operands, out)
        operands = resolve_operands(operands)
        if out._conj_neg:
            return write_to_clone(out, lambda clone: run(*operands, out=clone))
        return run(*operands, out=out)

    return with_gradient_check(resolving, check) if name else resolving


def run_resolved(run: Callable[..., T], operands: tuple[Any, ...]) -> T:
    """Run with resolved operands; torch shows the warnings of clones on meta when it ends."""
    late = late_warnings(operands)
    if not late:
        return run(*resolve_operands(operands))
    with SILENCE:
        operands = resolve_operands(operands)
    try:
        return run(*operands)
    finally:
        warn_if_complex32(COMPLEX32, late)


def late_warnings(operands: tuple[Any, ...]) -> int:
    """Return how many warnings of clones on meta torch shows after those of references."""
    return sum(
        x._conj_neg.bit_count()
        for x in operands
        if isinstance(x, Tensor) and x._dtype is COMPLEX32 and x._geometry.device is META
    )


def resolves_conj_neg_in_place(
    change: Callable[..., Tensor], node: str = ""
) -> Callable[..., Tensor]:
    """Resolve the conj/neg bits of operands around ``change``, which writes to the first one.

    ``node`` is the name of the grad_fn, if that saves the target.
    """

    @wraps(change)
    def resolving(target: Tensor, *others: Any) -> Tensor:
        is_resolved = target._conj_neg or (others and has_bits(others))
        if not (is_resolved or node):
            return change(target, *others)
        run: Callable[..., Tensor] = partial(change, target, *others)
        if is_resolved:
            run = partial(run_inplace_resolved, change, target, others)
        return save_and_run(target, node, tuple([x for x in others if isinstance(x, Tensor)]), run)

    return resolving


def run_inplace_resolved(
    change: Callable[..., Tensor], target: Tensor, others: tuple[Any, ...]
) -> Tensor:
    """Return the result of ``change`` with resolved operands; a target with a bit is cloned."""
    if not target._conj_neg:
        return run_resolved(partial(change, target), others)
    if not target._conj_neg & NEGATIVE and not late_warnings(others):
        others = _resolve_bit(NEGATIVE, others)
    return write_to_clone(target, lambda clone: run_resolved(partial(change, clone), others))


def through_clone(run: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Resolve the conj/neg bits of the first tensor around ``run``, which writes to it."""

    @wraps(run)
    def resolving(tensor: Tensor, *bound: Any) -> Tensor:
        if tensor._conj_neg:
            return write_to_clone(tensor, lambda clone: run(clone, *bound))
        return run(tensor, *bound)

    return resolving
