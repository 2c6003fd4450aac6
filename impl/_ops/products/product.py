"""The way of a call: its operands are checked, the result is made or resized, and written."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple, NoReturn

from ..._arrays.numpy_bridge import np
from ..._autograd.autograd_meta import bump_version, requires_grad
from ..._autograd.grad_mode import no_grad
from ..._autograd.tracking import check_differentiable, check_inplace, is_tracked
from ..._devices.device import CPU
from ..._dtypes.cpp_names import cpp_type
from ..._dtypes.table import dtype
from ..._geometry import broadcasting
from ..._geometry.extents import Ints
from ..._geometry.geometry import dense, on_device
from ..._runtime.errors import NotDense, check
from ..._tensor.allocation import (
    empty_tensor,
    resize_output,
    warn_resized_output,
    write_zeros,
)
from ..._tensor.data_access import check_copy_across, raw_array
from ..._tensor.out_autograd import check_no_leaf, check_resizable, with_gradient_check
from ..._tensor.sparse_dispatch import no_kernel
from ..._tensor.sparse_missing import could_not_run
from ..._tensor.tensor import METHODS, Tensor
from ..._tensor.views import record_grad_fn
from ..common.conj_neg_fallback import resolves_neg, resolves_neg_in_place
from ..common.copy import copy_into, record_write, to_dtype
from ..common.memory_overlap import check_copy_overlap
from ..common.meta_reference import in_reference, into_meta, is_on_meta, write_reference
from ..common.out_argument import check_shape
from ..elementwise.arithmetic import MUL
from ..elementwise.binding import Overload
from ..reduction.reduce import prepare_out
from . import references
from .kernels import Compute, Factors, factors_of, operands_of
from .notes import note_sum


class Operands(NamedTuple):
    """The operands of a product, and the tensor to which it is added."""

    left: Tensor
    right: Tensor
    added: Tensor | None = None
    factors: Factors = Factors()

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """The tensors, in torch's order."""
        pair = self.left, self.right
        return pair if self.added is None else (self.added, *pair)


Run = Callable[..., Tensor]

Kind = tuple[Ints, dtype]
"""A shape and a dtype."""


def _composed(*operands: Any) -> NoReturn:
    """Take the place of a kernel that an operator lacks, which only tensors on meta ask for."""
    raise AssertionError(operands)


class Product(NamedTuple):
    """An operator of this family.

    name: the name in torch
    reference: torch's reference for operands on meta
    infer: a function that checks operands and returns the kind of their result
    write: a function that writes the result of operands into a tensor, and returns the function
      of their arrays, if one computes it
    expands_first: whether an added tensor is expanded before ``out``, which it may be, is resized
    """

    name: str
    reference: Callable[..., Tensor]
    infer: Callable[[Operands], Kind] = _composed
    write: Callable[[Tensor, Operands], Compute | None] = _composed
    expands_first: bool = False

    @property
    def node(self) -> str:
        """The name of the grad_fn."""
        return f"{''.join(word.capitalize() for word in self.name.split('_'))}Backward0"

    def of_pair(self, left: Tensor, right: Tensor, out: Tensor | None = None) -> Tensor:
        """Return the product of two operands."""
        return self.run(Operands(left, right), out)

    def of_sum(
        self, added: Tensor, left: Tensor, right: Tensor, *factors: Any, out: Tensor | None = None
    ) -> Tensor:
        """Return the sum of a tensor and a product."""
        return self.run(Operands(left, right, added, factors_of(*factors)), out)

    def run(self, operands: Operands, out: Tensor | None) -> Tensor:
        """Return a new result, or write it into ``out``."""
        reject_sparse(*operands.tensors, out)
        if is_on_meta(*operands.tensors, out):
            result = in_reference(self.refer, operands)
            if out is not None:
                return write_reference(self.name, out, result)
        else:
            shape, dtype = self.infer(operands)
            if self.expands_first and operands.added is not None and operands.added is out:
                operands = operands._replace(added=expanded(out, shape))
            result = self.result(operands, shape, dtype, out)
            self.write_noted(result, operands)
            if out is not None:
                bump_version(out)
                return out
        check_differentiable(result, *operands.tensors)
        return record_grad_fn(result, operands.tensors, self.node)

    def refer(self, operands: Operands) -> Tensor:
        """Return the result of the reference, whose steps autograd does not record."""
        factors = () if operands.added is None else (operands.factors,)
        return below_autograd(self.reference, *operands.tensors, *factors)

    def result(self, operands: Operands, shape: Ints, dtype: dtype, out: Tensor | None) -> Tensor:
        """Return a tensor for the result: a new one, or ``out``, resized."""
        device = operands.left._geometry.device
        if out is None:
            return empty_tensor(shape, dtype, device)
        prepare_out(operands.left, on_device(dense(shape), device), (out, dtype))
        return out

    def write_noted(self, result: Tensor, operands: Operands) -> None:
        """Write the result of operands into a tensor, and note this for a plan."""
        left, right, added, factors = operands
        compute = self.write(result, operands)
        inputs = operands_of(factors, added, left, right) if added is not None else (left, right)
        note_sum(compute, result, *inputs)

    def in_place(self, added: Tensor, left: Tensor, right: Tensor, *factors: Any) -> Tensor:
        """Write the sum of a tensor and a product into the tensor."""
        operands = Operands(left, right, added, factors_of(*factors))
        check_inplace(*operands.tensors)
        reject_sparse(*operands.tensors)
        if is_on_meta(*operands.tensors):
            result = in_reference(self.refer, operands)
            _copy_result(added, result)
        else:
            shape, dtype = self.infer(operands)
            check_target(added, shape, dtype)
            self.write_noted(added, operands)
        return record_write(added, (left, right), self.node)


def _copy_result(target: Tensor, result: Tensor) -> None:
    """Copy the result of a reference to the target of the operator in place."""
    check_copy_across(target, result)
    shape = target._geometry.shape
    check_shape(target, broadcasting.broadcast_pair(shape, result._geometry.shape))
    copy_into(target, result)


def reject_sparse(*tensors: Tensor | None) -> None:
    """Raise `NotDense` if a tensor is sparse."""
    for tensor in tensors:
        if tensor is not None and tensor._geometry.is_sparse:
            raise NotDense


def below_autograd(reference: Callable[..., Tensor], *operands: Any) -> Tensor:
    """Return the result of a reference, whose steps autograd does not record."""
    with no_grad():
        return reference(*operands)


def check_target(target: Tensor, shape: Ints, dtype: dtype) -> None:
    """Raise if the result of an operator in place is of another kind than its target."""
    for word, own, other in (
        ("dtype", cpp_type(target._dtype), cpp_type(dtype)),
        ("size", [*target._geometry.shape], [*shape]),
    ):
        check(
            own == other,
            lambda: (
                f"Bad in-place call: input tensor {word} {own} and output tensor {word} {other}"  # noqa: B023
                " should match"
            ),
        )


def expanded(tensor: Tensor, shape: Ints) -> Tensor:
    """Return a tensor, or a view of it that is expanded to a shape."""
    if tensor._geometry.shape == shape:
        return tensor
    return METHODS["expand"](tensor, shape)  # type: ignore[no-any-return]


def resize_dense(out: Tensor, shape: Ints) -> None:
    """Resize ``out``; raise if it is sparse and has another shape."""
    try:
        resize_output(out, shape)
    except NotDense:
        raise no_kernel("resize_", out) from None


def resize_counted(out: Tensor, shape: Ints) -> None:
    """Resize ``out`` for an operator that torch composes of others.

    For all but dense tensors on the CPU it calls an operator, which autograd checks and counts.
    """
    before = out._geometry.shape
    calls = before != shape and (out._geometry.is_sparse or out._geometry.device is not CPU)
    if calls and is_tracked(out) and requires_grad(out):
        warn_resized_output(before, shape)
        check_resizable(out)
    resize_dense(out, shape)
    if calls:
        bump_version(out)


def add_nothing(result: Tensor, added: Tensor, factors: Factors) -> None:
    """Write the scaled tensor to which an empty product is added."""
    if factors.adds:
        copy_added(result, added)
        MUL.write_inplace(result, (factors.beta, result))
    else:
        write_zeros(result)


def scale_first(result: Tensor, factors: Factors) -> Factors:
    """Scale a result to which a product is added; return the factors of the sum."""
    if factors.adds:
        MUL.write_inplace(result, (result, factors.beta))
    else:
        write_zeros(result)
    return factors._replace(beta=1)


def copy_added(result: Tensor, added: Tensor) -> None:
    """Copy the tensor to which a product is added, unless it is the result."""
    if added is result:
        return
    check_copy_overlap(result, added)
    if added._storage is not result._storage:
        copy_into(result, added)
        return
    memory, read = raw_array(result), raw_array(added)  # of one dtype and the same bits
    for index in np.ndindex(*memory.shape):  # torch reads what it wrote before
        memory[index] = read[index]


def overloads_of_pair(op: Product, operand: str) -> tuple[Overload, Overload]:
    """Return the overloads of a product: of two tensors, and with the dtype of the result."""
    parameters = f"{operand}, ScalarType out_dtype"
    return Overload(operand, resolves_neg(op.of_pair, op.name)), _with_dtype(
        op, parameters, _of_dtype
    )


def _with_dtype(op: Product, parameters: str, run: Run) -> Overload:
    """Return the overload with the dtype of the result."""

    def check(operands: tuple[Any, ...], out: Tensor) -> None:
        check_no_leaf(f"aten::{op.name}", out, *[x for x in operands if isinstance(x, Tensor)])

    run = with_gradient_check(partial(run, op), check)
    return Overload(parameters, run, only="function", operator=f"{op.name}.dtype")


def _of_dtype(
    op: Product, left: Tensor, right: Tensor, dtype: dtype, out: Tensor | None = None
) -> Tensor:
    return _run_with_dtype(op, (left, right), dtype, out)


def _of_sum_and_dtype(
    op: Product,
    added: Tensor,
    left: Tensor,
    right: Tensor,
    dtype: dtype,
    *factors: Any,
    out: Tensor | None = None,
) -> Tensor:
    return _run_with_dtype(op, (added, left, right), dtype, out, factors_of(*factors))


def _run_with_dtype(
    op: Product, tensors: tuple[Tensor, ...], dtype: dtype, out: Tensor | None, *factors: Factors
) -> Tensor:
    """Return a result of another dtype, for which only CUDA has a kernel."""
    if out is not None:
        check_no_leaf(f"aten::{op.name}", out, *tensors)
    reject_sparse(*tensors, out)
    if is_on_meta(*tensors, out):
        reference = references.WITH_DTYPE[op.name]
        result = in_reference(below_autograd, reference, *tensors, *factors, dtype)
        if out is not None:
            into_meta(op.name, out, result._geometry, result._dtype)
    elif all(tensor._geometry.device is CPU for tensor in tensors):
        raise could_not_run(f"{op.name}.dtype{'' if out is None else '_out'}", "CPU")
    else:
        references.PAIR_WITH_DTYPE[op.name](*tensors[-2:], dtype)
        widened = [to_dtype(tensor, dtype, False, None) for tensor in tensors]
        *added, left, right = widened
        operands = Operands(left, right, *added, *factors)  # type: ignore[arg-type]
        result = below_autograd(op.run, operands, out)
    if out is None:
        return record_grad_fn(result, tensors, "NotImplemented")
    return record_write(out, tensors, "NotImplemented")


def overloads_of_sum(op: Product, operands: str) -> Iterator[Overload]:
    """Iterate over the overloads of a sum, one with the dtype of the result included."""
    run, change = resolves_neg(op.of_sum, op.name), resolves_neg_in_place(op.in_place)
    yield from sum_overloads(run, change, operands)
    parameters = f"{operands}, ScalarType out_dtype, {_FACTORS}"
    yield _with_dtype(op, parameters, _of_sum_and_dtype)


_FACTORS = "*, Scalar beta=1, Scalar alpha=1"


def sum_overloads(run: Run, change: Run, operands: str) -> Iterator[Overload]:
    """Iterate over the overloads of a sum: the usual one, and those with the factors first."""
    yield Overload(f"{operands}, {_FACTORS}", run, change)
    for alpha in ("Scalar alpha, ", ""):
        yield Overload(
            f"{alpha}{operands}",
            partial(_beta_first, run),
            partial(_beta_first, change),
            "Scalar beta, Tensor input",
            deprecated=True,
        )
        yield Overload(
            f"Scalar beta, {alpha}{operands}",
            partial(_tensor_first, run),
            partial(_tensor_first, change),
            deprecated=True,
            only="method",
        )


def _beta_first(
    run: Run, beta: Any, added: Tensor, *others: Any, out: Tensor | None = None
) -> Tensor:
    *alpha, left, right = others
    options = {} if out is None else {"out": out}
    return run(added, left, right, beta, *(alpha or (1,)), **options)


def _tensor_first(run: Run, added: Tensor, beta: Any, *others: Any) -> Tensor:
    return _beta_first(run, beta, added, *others)
