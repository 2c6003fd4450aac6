"""The executor of pointwise operators: what torch's TensorIterator does, and in its order.

An operator is a `Pointwise` row.  Its `Operator` broadcasts the operands, finds
the dtype in which to compute, checks what is given as ``out``, refuses what
torch has no kernel for, and computes.  What depends on shapes, strides and
dtypes alone is a `Plan`, which is made once for each combination of them.
The rules are those of aten/src/ATen/TensorIterator.cpp.
"""

from contextlib import suppress
from typing import Any

from ..._arrays.opaque_dtypes import is_opaque
from ..._autograd.autograd_meta import count_write
from ..._autograd.tracking import check_writable
from ..._dtypes.constants import BFLOAT16, BOOL, COMPLEX32, FLOAT16
from ..._dtypes.default_dtype import SCALAR_DTYPES
from ..._dtypes.table import spec_of
from ..._numerics.conj_neg import NEGATIVE
from ..._runtime.errors import check
from ..._tensor.factories import resize_out, resize_output, warn_of_complex32, warn_of_resizing
from ..._tensor.out_autograd import check_no_gradients, check_no_leaf
from ..._tensor.tensor import Tensor, record_grad_fn
from ..common.conj_neg_fallback import changed_without_bits, without_bits, write_to_clone
from ..common.copy import written
from ..common.device_checks import check_writes_to
from ..common.memory_overlap import check_no_overlap
from ..common.out_argument import check_cast, check_same_dtype, check_shape, warn_of_saved
from ..common.result_type import result_type_of
from .plan import (
    Operands,
    Plan,
    Pointwise,
    Result,
    broadcast,
    operand_key,
    tensors_of,
)

_HALVES = frozenset({FLOAT16, BFLOAT16})
_UNKNOWN = "NotImplemented"
_PLANS_KEPT = 10_000


class Operator:
    """What runs a row: as a function, into ``out``, or in place."""

    __slots__ = ("plan_cache", "row")

    def __init__(self, row: Pointwise) -> None:
        self.row = row
        self.plan_cache: dict[Any, Plan] = {}

    def __call__(self, *operands: Any) -> Tensor:
        """Return the result as a new tensor."""
        given, operands = operands, without_bits(operands)
        plan = self.plan(operands)
        if plan.common is COMPLEX32:
            _warn_of_made(plan, None)
        if not plan.checked:
            self._check_kernel(plan)
        return record_grad_fn(plan.new(operands), tensors_of(given), self.row.node)

    def into(self, out: Tensor, *operands: Any) -> Tensor:
        """Write the result into a tensor that was given as ``out``."""
        tensors = tensors_of(operands)
        row = self.row
        node = row.node
        if node == _UNKNOWN:
            check_no_leaf(f"aten::{row.name}", out)
        elif node:
            check_no_gradients(row.name, *tensors, out)
        operands = without_bits(operands)
        if out._conj_neg:
            return write_to_clone(out, lambda clone: self.into(clone, *operands))
        if row.refuse is not None:
            row.refuse(result_type_of(operands))
        if row.result is Result.TRUTH:
            self._check_truth(out)
        check_no_overlap(out, *tensors_of(operands))
        if any(each is out for each in tensors):
            plan = self._plan_over(out, operands)
        else:
            plan = self.plan(operands)
        check_writes_to(out, plan.device)
        self._check_cast(plan, out)
        if plan.common is COMPLEX32:
            _warn_of_made(plan, out)
        is_other = plan.casts_to(out)
        if is_other and not row.resizes_once:
            # What is converted in the end is a tensor that torch resizes, too.
            warn_of_resizing(out._geometry.shape, plan.geometry.shape)
        if row.structured or not is_other:
            plan.resize(out, resize_output)
        self._check_kernel(plan)
        plan.resize(out, resize_out)
        plan.write(out, operands)
        if node == _UNKNOWN:
            return written(out, tensors, node)
        count_write(out)
        return out

    def change(self, target: Tensor, *others: Any) -> Tensor:
        """Write the result into the first operand."""
        node = self.row.node
        operands = target, *others
        tensors = tensors_of(operands)
        if node:
            check_writable(*tensors)
            warn_of_saved(target, node, *tensors[1:][-1:])
        if target._conj_neg and not (self.row.knows_negative and target._conj_neg == NEGATIVE):
            return changed_without_bits(self.change, target, others)
        if not target._conj_neg:
            operands = without_bits(operands)
        if self.row.refuse is not None:
            self.row.refuse(result_type_of(operands))
        check_no_overlap(target, *tensors_of(operands))
        plan = self._plan_over(target, operands)
        self._check_cast(plan, target)
        if plan.common is COMPLEX32:
            _warn_of_made(plan, target)
        self._check_kernel(plan)
        plan.write(target, operands)
        if node:
            return written(target, tensors[1:], node)
        count_write(target)
        return target

    def plan(self, operands: Operands) -> "Plan":
        """Return the plan for operands; it is kept for others with the same geometries and dtypes."""
        key = tuple([operand_key(each) for each in operands])
        plan = self.plan_cache.get(key)
        # What integers become depends on the default dtype.
        if plan is None or plan.default not in (None, SCALAR_DTYPES[float]):
            plan = Plan(self.row, operands)
            if None not in key:
                if len(self.plan_cache) >= _PLANS_KEPT:
                    self.plan_cache.clear()
                self.plan_cache[key] = plan
        return plan

    def _plan_over(self, target: Tensor, operands: Operands) -> "Plan":
        """Return the plan for writing over an operand, which keeps its shape."""
        # Torch looks at shapes before dtypes.
        with suppress(RuntimeError):
            plan = self.plan(operands)
            check_shape(target, plan.geometry.shape)
            return plan
        check_shape(target, broadcast(tensors_of(operands)))
        return self.plan(operands)

    def _check_kernel(self, plan: "Plan") -> None:
        """Refuse a dtype for which torch has no kernel, even where there are no elements."""
        common = plan.common
        if self.row.check is not None:
            self.row.check(common)
        kernel, dtypes = self.row.kernel, self.row.dtypes
        if plan.unrounded:
            kernel, dtypes = f"{kernel}_reduced_float", _HALVES
        if common not in dtypes:
            if is_opaque(common) and any(own is not common for own, *_ in plan.operand_casts):
                kernel = "copy_"
            elif self.row.integer_kernel and not (common.is_floating_point or common.is_complex):
                kernel = self.row.integer_kernel
            raise NotImplementedError(
                f"\"{kernel}\" not implemented for '{spec_of(common).cpp_name}'"
            )
        for each in self.row.numbers:
            each.of(common)
        plan.checked = common is not COMPLEX32  # which warns each time

    def _check_truth(self, out: Tensor) -> None:
        check(
            out._dtype is BOOL,
            lambda: f"{self.row.name} does not support non-boolean outputs.",
        )

    def _check_cast(self, plan: "Plan", out: Tensor) -> None:
        """Refuse a dtype of ``out`` that the result cannot have."""
        result, kind = self.row.result, plan.result_dtype
        if out._dtype is kind or result is Result.COMPARED:
            return
        if result is Result.SAME:
            check_same_dtype(kind, out)
        check_cast(kind, out)


def _warn_of_made(plan: "Plan", out: Tensor | None) -> None:
    """Warn of each complex32 tensor that torch makes: converted operands, and the result."""
    if out is None:
        made = plan.result_dtype is COMPLEX32
    else:
        # What compares one operand with nothing converts nothing.
        compares = plan.compared and len(plan.operand_casts) > 1
        made = plan.casts_to(out) and (compares or plan.result_dtype is COMPLEX32)
    for _ in range(
        [own for own, *_ in plan.operand_casts].count(COMPLEX32), len(plan.operand_casts) + made
    ):
        warn_of_complex32()
