"""The executor of pointwise operators: the steps of torch's TensorIterator, in its order.

It follows aten/src/ATen/TensorIterator.cpp.
An `Operator` runs a `Pointwise` description.  It broadcasts the operands, finds the compute dtype,
checks ``out``, checks the kernel's dtypes, and computes.  A cached `Plan` holds all results which
depend on shapes, strides and dtypes only.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from ..._autograd.autograd_meta import bump_version
from ..._devices.device import CPU, META
from ..._dtypes.constants import BFLOAT16, BOOL, COMPLEX32, FLOAT16
from ..._dtypes.default_dtype import SCALAR_DTYPES
from ..._numerics.conj_neg import NEGATIVE
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import check
from ..._tensor.allocation import resize_out, resize_output, warn_complex32, warn_resized_output
from ..._tensor.out_autograd import check_no_complex_gradient, check_no_grad_out, check_no_leaf
from ..._tensor.tensor import Tensor
from ..._tensor.views import record_grad_fn
from ..common.array_plans import is_noting, note_arrays
from ..common.caches import is_plain, remember
from ..common.conj_neg_fallback import (
    has_bits,
    late_warnings,
    resolve_operands,
    run_inplace_resolved,
    run_resolved,
    write_to_clone,
)
from ..common.copy import record_write
from ..common.device_checks import (
    check_on_device,
    check_out_device_for_write,
    check_scalar_count,
    is_cpu_scalar,
)
from ..common.memory_overlap import are_apart, check_no_overlap
from ..common.meta_reference import (
    KEEPS_SHAPE,
    check_meta_shape,
    into_meta,
    is_on_meta,
    warn_of_result,
)
from ..common.out_argument import check_cast, check_same_dtype, check_shape, save_and_run
from .operands import common_dtype, tensors_of
from .plan import (
    COMPLEX,
    Operands,
    Plan,
    Pointwise,
    Result,
    broadcast,
    operand_key,
)

_HALVES = frozenset({FLOAT16, BFLOAT16})
_NOT_IMPLEMENTED = "NotImplemented"


def _with_numbers(
    function: Callable[..., Any], plan: Plan, operands: Operands
) -> Callable[..., Any]:
    """Return a function of the arrays of tensors alone, for operands with numbers."""
    numbers = [
        None if isinstance(x, Tensor) else plan.array_of(x, casts)
        for x, casts in zip(operands, plan.operand_casts, strict=True)
    ]

    def compute(*arrays: Any) -> Any:
        given = iter(arrays)
        return function(*[next(given) if x is None else x for x in numbers])

    return compute


class Operator:
    """A pointwise operator as a function, with ``out=``, and in place."""

    __slots__ = ("plan_cache", "spec")

    def __init__(self, spec: Pointwise) -> None:
        self.spec = spec
        self.plan_cache: dict[Any, Plan] = {}

    def __call__(self, *operands: Any, out: Tensor | None = None) -> Tensor:
        """Return the result as a new tensor, or write it into ``out`` and return it."""
        if out is not None:
            return self.into(out, *operands)
        inputs = operands
        if has_bits(operands):
            if late_warnings(operands):
                return run_resolved(self, operands)
            operands = resolve_operands(operands)
        plan = self.plan(operands)
        if self.spec.result_on_first and plan.device.index is not None:
            check_on_device(operands[0], plan.device)
        if plan.common_dtype is COMPLEX32:
            _warn_of_complex32(plan, None)
        if not plan.checked:
            self._check_kernel(plan)
            if not self._has_complex_gradient(plan):
                check_no_complex_gradient(self.spec.name, plan.result_dtype, *tensors_of(inputs))
        result = record_grad_fn(plan.new(operands), tensors_of(inputs), self.spec.node)
        return self._noted(result, inputs) if is_noting() else result

    def _noted(self, result: Tensor, operands: Operands) -> Tensor:
        """Note the function of a small result; return the result."""
        plan = self.checked_plan(*operands)
        if plan is not None and plan.is_small:
            self._note(plan, plan.array_function(plan.result_dtype), result, operands)
        return result

    def _note(
        self, plan: Plan, function: Callable[..., Any], result: Tensor, operands: Operands
    ) -> None:
        tensors = tensors_of(operands)
        if len(tensors) < len(operands):
            function = _with_numbers(function, plan, operands)
        keeps_dtype = plan.kernel_dtype is result._dtype
        note_arrays(function, result, *tensors, keeps_dtype=keeps_dtype)

    def into(self, out: Tensor, *operands: Any) -> Tensor:
        """Write the result into ``out`` and return it."""
        tensors = tensors_of(operands)
        spec = self.spec
        node = spec.node
        self.check_gradients(tensors, out)
        if has_bits(operands):
            if late_warnings(operands):
                return run_resolved(partial(self.into, out), operands)
            operands = resolve_operands(operands)
        if is_on_meta(out, *operands):
            plan = self.plan(operands)
            self._check_reference(plan)
            if plan.device is META:
                warn_of_result(plan.result_dtype)
            before = out._geometry.shape
            into_meta(spec.name, out, plan.geometry, plan.result_dtype)
            if out._conj_neg:  # the fallback resizes ``out`` after its clone
                warn_resized_output(before, plan.geometry.shape)
            return self._record_out(out, tensors)
        if out._conj_neg:
            return write_to_clone(out, lambda clone: self.into(clone, *operands))
        if spec.precheck is not None:
            spec.precheck(common_dtype(operands))
        if spec.result is Result.BOOL:
            check(
                out._dtype is BOOL,
                lambda: f"{spec.name} does not support non-boolean outputs.",
            )
        check_no_overlap(out, *tensors_of(operands))
        is_operand = any(tensor is out for tensor in tensors)
        self._check_devices(out, operands, keeps_shape=is_operand)
        plan = self._plan_inplace(out, operands) if is_operand else self.plan(operands)
        check_out_device_for_write(out, plan.device)
        self._check_cast(plan, out)
        if plan.common_dtype is COMPLEX32:
            _warn_of_complex32(plan, out)
        is_cast = plan.casts_to(out)
        if is_cast and not spec.resizes_once:
            # Torch also resizes the temporary tensor, which it casts to ``out`` in the end.
            warn_resized_output(out._geometry.shape, plan.geometry.shape)
        if spec.structured or not is_cast:
            plan.resize(out, resize_output)
        self._check_kernel(plan)
        if is_cast and node == _NOT_IMPLEMENTED:
            plan.new(operands)  # a division by zero raises before ``out`` is resized
        plan.resize(out, resize_out)
        plan.write(out, operands)
        return self._record_out(out, tensors)

    def check_gradients(self, operands: tuple[Any, ...], out: Tensor) -> None:
        """Raise if autograd does not support the operands with ``out``."""
        node = self.spec.node
        if node == _NOT_IMPLEMENTED:
            check_no_leaf(f"aten::{self.spec.name}", out)
        elif node:
            check_no_grad_out(self.spec.name, *tensors_of(operands), out)

    def _record_out(self, out: Tensor, tensors: tuple[Tensor, ...]) -> Tensor:
        if self.spec.node == _NOT_IMPLEMENTED:
            return record_write(out, tensors, self.spec.node)
        bump_version(out)
        return out

    def inplace(self, target: Tensor, *others: Any) -> Tensor:
        """Write the result into the first operand and return it."""
        if self.spec.node:
            run = partial(self.inplace_below_autograd, target, *others)
            return save_and_run(target, self.spec.node, tensors_of(others), run)
        return self.inplace_below_autograd(target, *others)

    def inplace_below_autograd(self, target: Tensor, *others: Any) -> Tensor:
        """Write the result into the first operand, after what autograd does before it."""
        operands = target, *others
        plan = self._ready_plan(operands)
        if plan is not None:
            plan.write_ready(target, operands)
            bump_version(target)
            return self._noted_in_place(target, operands) if is_noting() else target
        if target._conj_neg and not (self.spec.handles_neg_bit and target._conj_neg == NEGATIVE):
            return run_inplace_resolved(self.inplace_below_autograd, target, others)
        tensors = tensors_of(others)
        if not target._conj_neg:
            operands = resolve_operands(operands)
        if is_on_meta(*operands):
            self._inplace_on_meta(target, operands)
        else:
            self.write_inplace(target, operands)
        result = self.record(target, *tensors)
        return self._noted_in_place(result, operands) if is_noting() else result

    def _noted_in_place(self, target: Tensor, operands: Operands) -> Tensor:
        """Note the function of a small result that is written to the target; return the target."""
        plan = self.checked_plan(*operands)
        if plan is not None and plan.is_small:
            self._note(plan, plan.array_function(target._dtype), target, operands)
        return target

    def record(self, target: Tensor, *others: Tensor) -> Tensor:
        """Record the in-place form in autograd, and return the target."""
        if self.spec.node:
            return record_write(target, others, self.spec.node)
        bump_version(target)
        return target

    def write_inplace(self, target: Tensor, operands: Operands) -> None:
        """Check operands, write the result into the first one, and record nothing in autograd."""
        if self.spec.precheck is not None:
            self.spec.precheck(common_dtype(operands))
        check_no_overlap(target, *tensors_of(operands))
        self._check_devices(target, operands, keeps_shape=True)
        plan = self._plan_inplace(target, operands)
        self._check_cast(plan, target)
        if plan.common_dtype is COMPLEX32:
            _warn_of_complex32(plan, target)
        self._check_kernel(plan)
        plan.write(target, operands)
        plan.note_ready(target)

    def _ready_plan(self, operands: Operands) -> Plan | None:
        """Return the cached plan if the write to the first operand needs no further checks."""
        plan = self.plan_cache.get(tuple([operand_key(operand) for operand in operands]))
        if plan is None or not plan.is_ready:
            return None
        target, *others = operands
        if not is_plain(target):
            return None
        for other in others:
            if not isinstance(other, Tensor) or other is target:
                continue
            shares = other._storage is target._storage and not are_apart(target, other)
            if shares or not is_plain(other):
                return None
        return plan

    def _inplace_on_meta(self, target: Tensor, operands: Operands) -> None:
        """Make the checks of the in-place form if an operand is on meta; nothing is written."""
        spec = self.spec
        if spec.inplace_on_meta is not None:
            spec.inplace_on_meta(target, *operands[1:])
            check_meta_shape(target, *operands[1:])
            return
        plan = self.plan(operands)
        warn_of_result(plan.result_dtype)
        if spec.name in KEEPS_SHAPE:
            check_meta_shape(target, *operands[1:])
        else:
            into_meta(spec.name, target, plan.geometry, plan.result_dtype)

    def plan(self, operands: Operands) -> Plan:
        """Return the plan for operands, cached by their geometries and dtypes."""
        key = tuple([operand_key(operand) for operand in operands])
        plan = self.plan_cache.get(key)
        # The promotion of integers depends on the default dtype.
        if plan is None or plan.default_dtype not in (None, SCALAR_DTYPES[float]):
            plan = Plan(self.spec, operands)
            if None not in key:
                remember(self.plan_cache, key, plan)
        return plan

    def checked_plan(self, *operands: Any) -> Plan | None:
        """Return the cached plan of a call which needs no further checks, if there is one."""
        plan = self.plan_cache.get(tuple(map(operand_key, operands)))
        if plan is None or plan.default_dtype is not None or not plan.checked:
            return None
        return plan

    def _plan_inplace(self, target: Tensor, operands: Operands) -> Plan:
        """Return the plan for an operation which writes to an operand and keeps its shape."""
        # Torch checks shapes before dtypes.
        with suppress(RuntimeError):
            plan = self.plan(operands)
            check_shape(target, plan.geometry.shape)
            return plan
        check_shape(target, broadcast(tensors_of(operands)))
        return self.plan(operands)

    def _check_devices(self, out: Tensor, operands: Operands, *, keeps_shape: bool) -> None:
        """Raise if ``out`` and the operands are on several devices, in TensorIterator's order.

        Of the operands only one may be a 0-dim CPU tensor or a number beside another device.
        """
        tensors = tensors_of(operands)
        devices = [tensor._geometry.device for tensor in (out, *tensors)]
        if devices.count(devices[0]) == len(devices):
            return
        if keeps_shape:
            check_shape(out, broadcast(tensors))
        common = next(device for device in devices if device is not CPU)
        takes_scalar = len(operands) > 1 and self.spec.allows_cpu_scalars
        plan = Plan(self.spec, operands, common)
        check_on_device(out, common)
        self._check_cast(plan, out)
        scalars = 0
        for operand in operands:
            is_number = not isinstance(operand, Tensor)
            if is_number or (takes_scalar and is_cpu_scalar(operand)):
                scalars += 1
                check_scalar_count(scalars)
            else:
                check_on_device(operand, common)
        if scalars and self.spec.check_scalars is not None and len(tensors) == len(operands):
            self.spec.check_scalars(tensors, common)

    def _check_kernel(self, plan: Plan) -> None:
        """Raise if torch has no kernel for the common dtype, even without elements."""
        common = plan.common_dtype
        if plan.device is META:
            self._check_reference(plan)
            plan.checked = common is not COMPLEX32 and self._has_complex_gradient(plan)
            return
        if self.spec.check is not None:
            self.spec.check(common)
        kernel, dtypes = self.spec.kernel, self.spec.dtypes
        if plan.unrounded:
            kernel, dtypes = f"{kernel}_reduced_float", _HALVES
        if plan.without_copy is not None:
            raise_not_implemented("copy_", plan.without_copy)
        if common not in dtypes:
            if self.spec.integer_kernel and not (common.is_floating_point or common.is_complex):
                kernel = self.spec.integer_kernel
            raise_not_implemented(kernel, common)
        for scalar in self.spec.scalar_args:
            scalar.of(common)
        plan.checked = common is not COMPLEX32  # it warns each time

    def _has_complex_gradient(self, plan: Plan) -> bool:
        """Return whether the result is real, or autograd has a formula for it or needs none.

        It has one where torch has a kernel for complex operands.
        """
        if not plan.result_dtype.is_complex or self.spec.node in ("", _NOT_IMPLEMENTED):
            return True
        return bool(self.spec.dtypes & COMPLEX)

    def _check_reference(self, plan: Plan) -> None:
        """Raise if the reference for tensors on meta rejects the common dtype."""
        if self.spec.check_reference is not None:
            self.spec.check_reference(plan.common_dtype)

    def _check_cast(self, plan: Plan, out: Tensor) -> None:
        """Raise if the result dtype cannot be cast to the dtype of ``out``."""
        rule, dtype = self.spec.result, plan.result_dtype
        if out._dtype is dtype or rule is Result.COMPARISON:
            return
        if rule is Result.SAME:
            check_same_dtype(dtype, out)
        check_cast(dtype, out)


def _warn_of_complex32(plan: Plan, out: Tensor | None) -> None:
    """Warn of each complex32 tensor that torch allocates: converted operands and the result."""
    if plan.device is META:  # where references convert without memory
        warn_of_result(plan.result_dtype)
        return
    if out is None:
        casts = plan.result_dtype is COMPLEX32
    else:
        # Comparisons of a single operand convert nothing.
        converts = plan.is_comparison and len(plan.operand_casts) > 1
        casts = plan.casts_to(out) and (converts or plan.result_dtype is COMPLEX32)
    for _ in range(
        [dtype for dtype, *_ in plan.operand_casts].count(COMPLEX32),
        len(plan.operand_casts) + casts,
    ):
        warn_complex32()
