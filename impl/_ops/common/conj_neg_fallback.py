"""What operators that know nothing of the conjugate and the negative bit are given: clones without them.

The rules are those of aten/src/ATen/native/MathBitsFallback.h, which comes after autograd.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from ..._autograd.autograd_meta import count_write, version_counter
from ..._autograd.tracking import check_writable
from ..._geometry import broadcasting
from ..._numerics.conj_neg import CONJUGATE, NEGATIVE
from ..._tensor.data_access import copy_elements
from ..._tensor.factories import resize_output
from ..._tensor.out_autograd import check_no_gradients
from ..._tensor.tensor import Tensor, copy_autograd_meta
from .clone import clone, copied, like_geometry
from .memory_overlap import check_no_overlap


def resolved(tensor: Tensor) -> Tensor:
    """Return the tensor, or a clone of one with the conjugate or the negative bit.

    Operators that know nothing of the bits are given it (ATen/native/MathBitsFallback.h).
    """
    return clone(tensor) if tensor._conj_neg else tensor


def write_to_clone(tensor: Tensor, run: Callable[[Tensor], Any]) -> Tensor:
    """Write to a clone of a tensor with a bit, then copy that into it; return the tensor.

    So does torch with what is written to, below autograd (ATen/native/MathBitsFallback.h).
    """
    stand_in = copied(tensor, like_geometry(tensor, None, tensor._dtype), tensor._dtype)
    geometry, counter = tensor._geometry, version_counter(tensor)
    before = counter.writes
    overlaps = broadcasting.has_internal_overlap(geometry.shape, geometry.stride) == "yes"
    if overlaps:
        check_writable(tensor)  # nothing is to be noted, unless the tensor gets another shape
    else:
        copy_autograd_meta(stand_in, tensor)
    run(stand_in)
    if stand_in._geometry.shape != tensor._geometry.shape:
        resize_output(tensor, stand_in._geometry.shape)
    try:
        check_no_overlap(tensor, stand_in)
    except RuntimeError:
        counter.writes = before  # what is refused does not count
        raise
    copy_elements(tensor, stand_in)
    if overlaps:
        count_write(tensor)
    else:
        copy_autograd_meta(tensor, stand_in)
    return tensor


def without_bits(operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return operands, of which the tensors have neither the conjugate nor the negative bit."""
    if _has_bits(operands):
        return _without(CONJUGATE, _without(NEGATIVE, operands))
    return operands


def _without(bit: int, operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return operands, of which those with a bit are clones; torch looks for the negative bit first."""
    return tuple([clone(x) if isinstance(x, Tensor) and x._conj_neg & bit else x for x in operands])


def _has_bits(operands: tuple[Any, ...]) -> bool:
    for each in operands:  # noqa: SIM110  # any() takes three times as long
        if isinstance(each, Tensor) and each._conj_neg:
            return True
    return False


def resolves_conj_neg(run: Callable[..., Any], name: str = "") -> Callable[..., Any]:
    """Let an operator that knows nothing of the bits have operands, and an ``out``, without them.

    ``name`` is that of an operator with ``out`` that autograd knows: gradients are refused first.
    """

    @wraps(run)
    def heeds(*operands: Any, out: Tensor | None = None) -> Any:
        if out is None:
            return run(*without_bits(operands))
        if name:
            check_no_gradients(name, *(x for x in operands if isinstance(x, Tensor)), out)
        operands = without_bits(operands)
        if out._conj_neg:
            return write_to_clone(out, lambda clone: run(*operands, out=clone))
        return run(*operands, out=out)

    return heeds


def resolves_conj_neg_in_place(change: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Let what changes its first operand, and knows nothing of the bits, have operands without them."""

    @wraps(change)
    def heeds(target: Tensor, *others: Any) -> Tensor:
        if not target._conj_neg and not (others and _has_bits(others)):
            return change(target, *others)
        check_writable(target, *(x for x in others if isinstance(x, Tensor)))
        return changed_without_bits(change, target, others)

    return heeds


def changed_without_bits(
    change: Callable[..., Tensor], target: Tensor, others: tuple[Any, ...]
) -> Tensor:
    """Change a tensor, or a clone of it if it has a bit, by operands without bits."""
    if not target._conj_neg:
        return change(target, *without_bits(others))
    if not target._conj_neg & NEGATIVE:
        others = _without(NEGATIVE, others)
    return write_to_clone(target, lambda clone: change(clone, *without_bits(others)))


def through_clone(run: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Let an operator that writes to its first tensor write to a clone where that has a bit."""

    @wraps(run)
    def written_to(tensor: Tensor, *bound: Any) -> Tensor:
        if tensor._conj_neg:
            return write_to_clone(tensor, lambda clone: run(clone, *bound))
        return run(tensor, *bound)

    return written_to
