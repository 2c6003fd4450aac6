"""Descriptions of pointwise operators, and their plans for given operands.

`Plan` follows aten/src/ATen/TensorIterator.cpp.  It depends on the shapes, strides and dtypes of
the operands only, so calls with equal ones share a plan.
"""

from collections.abc import Callable
from enum import Enum
from typing import Any, NamedTuple

from ..._argparser.types import is_integral_dtype
from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._arrays.opaque_dtypes import is_opaque, warn_complex_to_real
from ..._arrays.parallel import parallel_blocks, without_fp_warnings
from ..._codegen.elementwise import operator_kernel, rule_name
from ..._codegen.loops import NUMPY_MAX_ELEMENTS
from ..._devices.device import CPU, META, device
from ..._dtypes.constants import BFLOAT16, BOOL, COMPLEX32, FLOAT4_E2M1FN_X2, INT64, UINT8
from ..._dtypes.default_dtype import get_default_dtype
from ..._dtypes.scalars import scalar_dtype_fast
from ..._dtypes.table import DTYPES, dtype, spec_of
from ..._geometry import broadcasting, strides
from ..._geometry.extents import Layout
from ..._geometry.geometry import on_device, strided
from ..._kernels.elementwise import OPMATH_DTYPE, ByKind, ForDtype, KeepsNans, WithNumbers
from ..._storage.untyped_storage import new_array, new_storage, storage_from_array
from ..._tensor.data_access import (
    has_separate_elements,
    raw_array,
    resolved_array,
    run_on_device,
    write_elements,
)
from ..._tensor.tensor import Tensor, new_tensor, set_geometry, tensor_from_array
from ..common.device_checks import check_cpu_scalars, check_out_device_for_write, common_device
from ..common.memory_overlap import reads_written
from ..common.meta_reference import (
    SAME_CHECKS,
    Step,
    is_on_meta,
    reference_plan,
    reference_shape,
    with_int64_numbers,
)
from ..common.reference_dtypes import reference_dtype
from ..common.vector_loops import loop_of, vector_positions, write_in_turn
from .block_compute import (
    COMPILED_NUMEL,
    Casts,
    block_work,
    cast_function,
    part_of,
    with_casts,
    with_compiled,
)
from .operands import (
    common_dtype,
    dim_order,
    dtype_of,
    input_layouts,
    is_copied,
    is_one_number,
    reference_stride,
    tensors_of,
)
from .scalar_args import ScalarArg

Operands = tuple[Any, ...]

BOOLS = frozenset({BOOL})
INTEGERS = frozenset(DTYPES[name] for name in ("uint8", "int8", "int16", "int32", "int64"))
WIDE_UNSIGNED = frozenset(DTYPES[name] for name in ("uint16", "uint32", "uint64"))
FLOATS = frozenset(DTYPES[name] for name in ("float16", "bfloat16", "float32", "float64"))
COMPLEX = frozenset(DTYPES[name] for name in ("complex64", "complex128"))
HALF_COMPLEX = frozenset({COMPLEX32})
FLOAT8 = frozenset(
    dtype for dtype in DTYPES.values() if dtype.is_floating_point and spec_of(dtype).bits == 8
) - {FLOAT4_E2M1FN_X2}
NUMBERS = INTEGERS | FLOATS


class Result(Enum):
    """Rules for the dtypes of a computation and of its result."""

    COMMON = "compute in the common dtype and return it"
    FLOAT = "as COMMON, with integers promoted to the default dtype"
    COMPARISON = "compute in the common dtype; return bool, or the dtype of out"
    BOOL = "compute in the operand's dtype; return bool"
    SAME = "return the operand's dtype; out must have it, too"
    NUMBER = "as COMMON, with bool promoted to int64"
    REAL = "compute in the operand's dtype; return its real dtype"


class Pointwise(NamedTuple):
    """A pointwise operator.

    name: the operator's name in torch
    kernel: the kernel's name in torch's "not implemented for" error
    dtypes: the dtypes for which torch has the kernel
    compute: the NumPy kernels
    node: the grad_fn name; "NotImplemented" without a formula, "" if not differentiable, so that
      no gradient check applies to the tensor which is written
    result: the rule for the compute dtype and the result dtype
    unrounded: a second operand of one element is not rounded to float16 or bfloat16 first
      (ATen/native/cpu/BinaryOpsKernel.cpp)
    check: the check of the common dtype, made before the kernel's dtypes are checked
    integer_kernel: the kernel's name in the error for integers, if it differs
    scalar_args: scalar arguments of the kernel; their overflow is the last error
    resizes_once: an `out` of another dtype is resized once, as torch's kernel is not structured
    check_reference: the check of the common dtype by the reference for tensors on meta
    precheck: the check of the common dtype, made before all other checks
    structured: an `out` of another dtype is resized before the kernel's dtypes are checked
    handles_neg_bit: the in-place form writes to a tensor with the neg bit without a clone
    allows_cpu_scalars: a 0-dim CPU tensor may be combined with tensors on another device, but meta
    check_scalars: the check of operands for a CUDA device, of which one is a 0-dim CPU tensor
    result_on_first: a new result is on the device of the first operand, not on the common one
    inplace_on_meta: the check of the in-place form if an operand is on meta; None for a reference
    reference_step: a part of the reference for which tensors on the CPU need a kernel
    rounds_outside_vectors: the kernel of float16 and bfloat16 has a last argument, where torch's
      vectorized loop computes
    """

    name: str
    kernel: str
    dtypes: frozenset[dtype]
    compute: ByKind | ForDtype | KeepsNans | WithNumbers
    node: str
    result: Result = Result.COMMON
    unrounded: bool = False
    check: Callable[[dtype], None] | None = None
    check_reference: Callable[[dtype], None] | None = None
    integer_kernel: str = ""
    scalar_args: tuple[ScalarArg, ...] = ()
    resizes_once: bool = False
    precheck: Callable[[dtype], None] | None = None
    structured: bool = True
    handles_neg_bit: bool = False
    allows_cpu_scalars: bool = True
    check_scalars: Callable[[tuple[Tensor, ...], device], None] | None = None
    result_on_first: bool = False
    inplace_on_meta: Callable[..., None] | None = None
    reference_step: Step | None = None
    rounds_outside_vectors: bool = False


def operand_key(operand: Any) -> Any:
    """Return an operand's part of a plan's key: geometry and dtype, or the dtype of a number."""
    if type(operand) is Tensor or isinstance(operand, Tensor):
        return operand._geometry, operand._dtype
    return scalar_dtype_fast(operand)


class Plan:
    """The dtypes, device, result geometry and kernel of an operation on given operands.

    operand_casts: for each operand its dtype, the common dtype and the compute dtype
    kernel_name: the kernel's name in `_codegen.elementwise`
    without_copy: a dtype of operands that torch cannot convert; None if there is none
    scalar_args: the function for the kernel's scalar arguments in a dtype, if there are any
    is_contiguous: a small result's array is C-contiguous in ``dim_order``, as the last call found
    is_ready: a write to the first operand has passed the checks that its key decides
    work: the function that writes to the first operand, once it is ready
    loop: how many elements torch's kernel reads before it writes their results
    loop_inputs: the operands' shapes and strides if the kernel's rounding depends on them
    """

    __slots__ = (
        "checked",
        "common_dtype",
        "compute",
        "compute_dtype",
        "default_dtype",
        "device",
        "dim_order",
        "geometry",
        "is_comparison",
        "is_contiguous",
        "is_ready",
        "is_small",
        "kernel",
        "kernel_dtype",
        "kernel_name",
        "loop",
        "loop_inputs",
        "operand_casts",
        "result_dtype",
        "scalar_args",
        "unrounded",
        "without_copy",
        "work",
    )  # fmt: skip

    def __init__(self, spec: Pointwise, operands: Operands, on: device | None = None) -> None:
        """Make the plan for operands; with ``on`` for a result on that device."""
        is_reference = is_on_meta(*operands)
        if is_reference:
            operands = with_int64_numbers(operands)
            # The reference of nan_to_num promotes nothing.
            common = reference_dtype(operands) if spec.name != "nan_to_num" else operands[0]._dtype
            shape, self.device = reference_plan(
                spec.name, spec.kernel, operands, common, spec.reference_step
            )
        else:
            tensors = tensors_of(operands)
            shape = broadcast(tensors)
            self.device = on or common_device(tensors, allow_cpu_scalars=spec.allows_cpu_scalars)
            if on is None and self.device is not CPU:
                check_cpu_scalars(tensors, self.device, spec.check_scalars)
            common = common_dtype(operands)
        self.default_dtype = None
        if spec.precheck is not None and (not is_reference or spec.name in SAME_CHECKS):
            spec.precheck(common)
        if spec.result is Result.FLOAT and is_integral_dtype(common, or_bool=True):
            common = self.default_dtype = get_default_dtype()
        elif common is BOOL and (
            spec.result is Result.NUMBER or (is_reference and spec.name == "pow")
        ):
            common = INT64
        self.common_dtype = common
        compute_dtype = self.compute_dtype = OPMATH_DTYPE.get(common, common)
        self.is_comparison = spec.result is Result.COMPARISON
        self.loop = loop_of(spec.kernel, is_integral=is_integral_dtype(common, or_bool=True))
        self.kernel_dtype, self.result_dtype = compute_dtype, common
        if spec.result in (Result.COMPARISON, Result.BOOL):
            self.kernel_dtype = self.result_dtype = BOOL
        elif spec.result is Result.REAL and common.is_complex:
            self.kernel_dtype, self.result_dtype = compute_dtype.to_real(), common.to_real()
        inputs = input_layouts(operands, common)
        if is_reference:
            stride = reference_stride(spec, operands, common)
        else:
            stride = strides.elementwise(shape, inputs, common.itemsize)
        self.geometry = on_device(strided(shape, stride), self.device)
        self.dim_order = dim_order(self.geometry)
        casts = [(dtype_of(operand), common, compute_dtype) for operand in operands]
        self.without_copy = next(
            (
                common if is_opaque(common) else dtype_of(x)
                for x in operands
                if is_copied(x, common)
            ),
            None,
        )
        is_narrow = compute_dtype is not common and not common.is_complex
        self.unrounded = spec.unrounded and is_narrow and is_one_number(operands[1], common)
        if self.unrounded:
            casts[1] = dtype_of(operands[1]), compute_dtype, compute_dtype
        self.kernel: Any = None
        self.scalar_args: Any = None
        self.kernel_name: Any = None
        if self.device is not META:
            self.kernel = function = spec.compute.of(common, wide=self.unrounded)
            if isinstance(spec.compute, WithNumbers):
                self.scalar_args, function = spec.compute.given, spec.compute.kernels.of(common)
            self.kernel_name = rule_name(function)
            if isinstance(spec.compute, KeepsNans) and common is BFLOAT16:
                self.kernel_dtype = common
        self.loop_inputs: tuple[Layout, ...] | None = None
        if spec.rounds_outside_vectors and is_narrow:
            self.loop_inputs = inputs
            casts.append((BOOL, BOOL, BOOL))
        self.operand_casts = casts
        self.checked = False
        # NumPy's functions return scalars, not 0-dim arrays.
        self.is_small = (
            0 < self.geometry.numel <= NUMPY_MAX_ELEMENTS
            and bool(shape)
            and self.device is CPU
            and self.loop_inputs is None
        )
        self.compute: Callable[..., Any] | None = None
        self.is_contiguous = self.is_ready = False
        self.work: Callable[..., None] | None = None

    def casts_to(self, out: Tensor) -> bool:
        """Return whether the result is a temporary tensor, which is cast to ``out``."""
        dtype = out._dtype
        if self.is_comparison:
            return dtype is not BOOL and dtype is not self.common_dtype
        return dtype is not self.result_dtype

    def new(self, operands: Operands) -> Tensor:
        """Return the result as a new tensor."""
        geometry, perm = self.geometry, self.dim_order
        if self.is_small:
            if self.compute is None:
                self.compute = self.array_function(self.result_dtype)
            result = without_fp_warnings(
                self.compute, *map(self.array_of, operands, self.operand_casts)
            )
            buffer = result if perm is None else result.transpose(perm)
            self.is_contiguous = buffer.flags.c_contiguous
            if self.is_contiguous:
                return tensor_from_array(buffer, geometry, self.result_dtype, result)
        if not geometry.numel or self.device is not CPU:
            storage = new_storage(geometry.numel * self.result_dtype.itemsize, self.device)
            result = new_tensor(storage, geometry, 0, self.result_dtype)
            if geometry.numel and self.device is not META:
                self._write(raw_array(result), self.result_dtype, operands)
            return result
        buffer, array = self._new_array(self.result_dtype)
        self._write(array, self.result_dtype, operands)
        return new_tensor(storage_from_array(buffer), geometry, 0, self.result_dtype)

    def resize(self, out: Tensor, resize: Callable[..., Any]) -> None:
        """Resize a tensor to the result's shape and strides, if its shape differs."""
        if out._geometry.shape != self.geometry.shape:
            resize(out, self.geometry.shape)
            set_geometry(out, self.geometry)

    def write(self, out: Tensor, operands: Operands) -> None:
        """Write the result into a tensor."""
        check_out_device_for_write(out, self.device)
        if not self.geometry.numel:
            return
        if self.device is META:
            self._warn_of_discarding(out._dtype)
            return
        memory = raw_array(out)
        if not out._conj_neg:
            tensors, apart = tensors_of(operands), has_separate_elements(memory)
            in_turn = reads_written(out, tensors, apart=apart) and not self.casts_to(out)
            if apart or in_turn:
                self._write(memory, out._dtype, operands, in_turn=in_turn)
                return
        _, result = self._new_array(out._dtype)
        self._write(result, out._dtype, operands)
        write_elements(out, result, is_cast=self.casts_to(out))

    def note_ready(self, target: Tensor) -> None:
        """Note that a write to a target of this geometry and dtype has passed all checks."""
        self.is_ready = (
            self.checked
            and self.is_small
            and self.default_dtype is None
            and not (self.is_comparison and self.common_dtype.is_complex)
            and has_separate_elements(raw_array(target))
        )

    def write_ready(self, target: Tensor, operands: Operands) -> None:
        """Write the result into an operand, all of which are as in a call that was noted."""
        if self.work is None:
            self.work = block_work(
                self.kernel, self.operand_casts, self._result_casts(target._dtype)
            )
        arrays = map(self.array_of, operands, self.operand_casts)
        without_fp_warnings(self.work, raw_array(target), *arrays)

    def _new_array(self, dtype: dtype) -> tuple[Any, Any]:
        """Return a contiguous array, and its view in which the result has its shape."""
        shape, perm = self.geometry.shape, self.dim_order
        sizes = shape if perm is None else [shape[dim] for dim in perm]
        buffer = new_array(sizes, numpy_storage_dtype(dtype))
        return buffer, buffer if perm is None else buffer.transpose(np.argsort(perm))

    def _warn_of_discarding(self, dtype: dtype) -> None:
        """Warn of discarded imaginary parts if complex operands are compared into a real dtype."""
        is_discarding = self.common_dtype.is_complex and not (dtype.is_complex or dtype is BOOL)
        if self.is_comparison and is_discarding and not is_opaque(dtype):
            warn_complex_to_real()  # a cast to an opaque dtype warns itself

    def _write(self, out: Any, dtype: dtype, operands: Operands, *, in_turn: bool = False) -> None:
        """Write the result in a dtype into a raw array."""
        self._warn_of_discarding(dtype)
        result = self._result_casts(dtype)
        arrays = list(map(self.array_of, operands, self.operand_casts))
        same = len(arrays) > 1 and all(operand is operands[0] for operand in operands)
        if self.loop_inputs is not None:
            arrays.append(self._vector_positions(out, dtype))
            same = False
        if in_turn:
            write_in_turn(self.array_function(dtype), out, arrays, self.loop)
            return
        if out.size > NUMPY_MAX_ELEMENTS and self._write_compiled(out, result, arrays, same):
            return
        steps = self.kernel, self.operand_casts, result
        parallel_blocks(block_work(*steps, same), out, *arrays, part=part_of(out.size, *steps))

    def _vector_positions(self, out: Any, dtype: dtype) -> Any:
        assert self.loop_inputs is not None
        geometry, itemsize = self.geometry, out.itemsize
        if self.device is not CPU:
            return np.array(True)
        if dtype is not self.result_dtype:  # torch casts it from a temporary tensor
            return vector_positions((geometry.shape, geometry.stride), self.loop_inputs)
        layout = out.shape, tuple([step // itemsize for step in out.strides])
        return vector_positions(layout, self.loop_inputs)

    def _write_compiled(self, out: Any, result: Casts, arrays: list[Any], same: bool) -> bool:
        """Compute by a kernel if it is worthwhile; return whether it was used."""
        kernel, scalars = self._compiled_kernel(self.operand_casts, result, same)
        if kernel is None:
            return False
        inputs = *(arrays[:1] if same else arrays), *scalars
        if run_on_device(self.device, kernel, out, inputs):
            return True
        if not kernel.is_wanted(out.size):
            return False
        kernel.over_cores(out, *inputs)
        return True

    def _compiled_kernel(self, casts: list[Casts], result: Casts, same: bool = False) -> Any:
        """Return the compiled kernel, or None without one, and its last inputs."""
        scalars = [] if self.scalar_args is None else self.scalar_args(self.common_dtype)
        every = *casts, *[(self.compute_dtype,) * 3 for _ in scalars]
        return operator_kernel(self.kernel_name, every, result, same), scalars

    def array_function(self, dtype: dtype, ready: int | None = None) -> Callable[..., Any]:
        """Return the function from the operands' raw arrays to the result's, with all casts.

        ``ready`` is the index of an operand which already has the compute dtype.
        """
        steps, result = list(self.operand_casts), self._result_casts(dtype)
        if ready is not None:
            steps[ready] = (self.compute_dtype,) * 3
        kernel = with_casts(self.kernel, [cast_function(*each) for each in steps])
        cast_result = cast_function(*result)
        if cast_result is None and isinstance(kernel, np.ufunc):
            return kernel  # type: ignore[no-any-return]
        function = kernel if cast_result is None else lambda *arrays: cast_result(kernel(*arrays))
        if self.geometry.numel < COMPILED_NUMEL or self.loop_inputs is not None:
            return function
        return with_compiled(function, *self._compiled_kernel(steps, result))

    def _result_casts(self, dtype: dtype) -> Casts:
        """Return the casts of the kernel's result: its dtype, an intermediate and the final one."""
        if not self.is_comparison:
            return self.kernel_dtype, self.result_dtype, dtype
        # Torch writes comparisons in the common dtype, unless ``out`` is bool.
        if dtype is self.common_dtype is FLOAT4_E2M1FN_X2:
            return BOOL, BOOL, UINT8  # the byte is the result
        return BOOL, BOOL if dtype is BOOL else self.common_dtype, dtype

    @staticmethod
    def array_of(operand: Any, casts: Casts) -> Any:
        """Return the raw array of an operand, which may be a number."""
        if isinstance(operand, Tensor):
            return resolved_array(operand)
        return np.array(operand, numpy_storage_dtype(casts[0]))


def broadcast(tensors: tuple[Tensor, ...]) -> tuple[int, ...]:
    """Return the broadcast shape of tensors."""
    if is_on_meta(*tensors):
        return reference_shape(*tensors)
    shape: tuple[int, ...] = ()
    for tensor in tensors:
        shape = broadcasting.broadcast_pair(shape, tensor._geometry.shape)
    return shape
