"""What is known of a pointwise operation before its elements: its row, and its plan.

A row says which dtypes an operator takes and what computes it.  A `Plan` is
what follows from it for operands of some shapes, strides and dtypes, so it is
made once for each combination of them.
The rules are those of aten/src/ATen/TensorIterator.cpp.
"""

from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from typing import Any, NamedTuple

from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._arrays.opaque_dtypes import warn_of_discarding
from ..._arrays.parallel import parallel_blocks, quietly
from ..._codegen.elementwise import name_of, operator
from ..._codegen.loops import SMALL
from ..._devices.device import CPU, META
from ..._dtypes.constants import BOOL, COMPLEX32, COMPLEX128, FLOAT4_E2M1FN_X2, FLOAT64, INT64
from ..._dtypes.default_dtype import get_default_dtype
from ..._dtypes.scalars import plain_dtype, scalar_dtype
from ..._dtypes.table import DTYPES, Kind, dtype, spec_of
from ..._geometry import broadcasting, strides
from ..._geometry.geometry import Geometry, on_device, strided
from ..._kernels.elementwise import OPMATH_DTYPE, ByKind, ForDtype, WithNumbers
from ..._runtime.errors import check
from ..._storage.untyped_storage import new_storage, storage_from_array
from ..._tensor.data_access import raw_array, resolved_array, runs_on_device, write_elements
from ..._tensor.tensor import Tensor, new_tensor, set_geometry, tensor_from_array
from ..common.device_checks import check_writes_to, common_device
from ..common.result_type import result_type_of
from .block_compute import Load, block_work, conversion, loading, part_of
from .scalar_args import ScalarArg

Operands = tuple[Any, ...]


BOOLS = frozenset({BOOL})
INTEGERS = frozenset(DTYPES[name] for name in ("uint8", "int8", "int16", "int32", "int64"))
WIDE_UNSIGNED = frozenset(DTYPES[name] for name in ("uint16", "uint32", "uint64"))
FLOATS = frozenset(DTYPES[name] for name in ("float16", "bfloat16", "float32", "float64"))
COMPLEX = frozenset(DTYPES[name] for name in ("complex64", "complex128"))
HALF_COMPLEX = frozenset({COMPLEX32})
FLOAT8 = frozenset(
    each for each in DTYPES.values() if each.is_floating_point and spec_of(each).bits == 8
) - {FLOAT4_E2M1FN_X2}
NUMBERS = INTEGERS | FLOATS


class Result(Enum):
    """Which dtype an operator computes in, and which its result has."""

    COMMON = "what the operands promote to"
    FLOAT = "the same, but the default dtype for integers"
    COMPARED = "computed in what the operands promote to; bool, or any dtype given as out"
    TRUTH = "computed in the operand's dtype; bool"
    SAME = "what the operands are of; what is given as out has to be of it, too"
    NUMBER = "what the operands promote to, but int64 for booleans"
    REAL = "computed in the operand's dtype; its real one"


class Pointwise(NamedTuple):
    """A pointwise operator.

    ``kernel`` is what torch calls its kernel where it has none for a dtype,
    ``dtypes`` those for which it has one.  ``unrounded`` says that a second
    operand of one element is not rounded to float16 or bfloat16 first
    (ATen/native/cpu/BinaryOpsKernel.cpp).  ``check`` may refuse the dtype in
    which it would be computed.  ``integer_kernel`` is what the kernel is called
    for integers, if otherwise, and ``numbers`` are those that the kernel is
    given beside the operands; the last thing that is refused is what of them
    is out of range.

    ``node`` is what autograd calls the operator: NotImplemented if it has no
    formula for it, and nothing if its results are not differentiable, so that
    nothing is asked of what is written to.  An operator that is none of torch's
    structured kernels resizes an ``out`` of another dtype once, not twice.

    ``refuse`` may refuse the dtype that the operands promote to before anything
    else is looked at.  ``structured`` says that torch resizes an ``out`` of
    another dtype before it looks for a kernel; else it does so in the end.
    ``knows_negative`` says that a tensor with the negative bit is changed as it
    is, without a clone, and ``meets_numbers`` that one number on the CPU may meet tensors elsewhere.
    """

    name: str
    kernel: str
    dtypes: frozenset[dtype]
    compute: ByKind | ForDtype | WithNumbers
    node: str
    result: Result = Result.COMMON
    unrounded: bool = False
    check: Callable[[dtype], None] | None = None
    integer_kernel: str = ""
    numbers: tuple[ScalarArg, ...] = ()
    resizes_once: bool = False
    refuse: Callable[[dtype], None] | None = None
    structured: bool = True
    knows_negative: bool = False
    meets_numbers: bool = True


def operand_key(operand: Any) -> Any:
    """Return what a plan depends on: all of a tensor but its elements, and a number's dtype."""
    if type(operand) is Tensor:
        return operand._geometry, operand._dtype
    return plain_dtype(operand)


class Plan:
    """What is known of an operation before its elements: the dtypes, and where the result lies.

    ``loads`` say for each operand which dtype it has, to which one it is
    converted, and in which one it is computed.  ``function`` is the name of what
    is computed among those that are compiled, and ``given`` are its numbers.
    """

    __slots__ = (
        "checked",
        "common",
        "compared",
        "compute",
        "compute_dtype",
        "default",
        "device",
        "function",
        "geometry",
        "given",
        "is_settled",
        "is_small",
        "kernel",
        "kernel_dtype",
        "operand_casts",
        "order",
        "result_dtype",
        "unrounded",
    )  # fmt: skip

    def __init__(self, row: Pointwise, operands: Operands) -> None:
        shape = broadcast(tensors_of(operands))
        self.device = common_device(tensors_of(operands), numbers=row.meets_numbers)
        common, self.default = _common_dtype(operands), None
        if row.refuse is not None:
            row.refuse(common)
        if row.result is Result.FLOAT and _is_integral(common):
            common = self.default = get_default_dtype()
        elif row.result is Result.NUMBER and common is BOOL:
            common = INT64
        self.common = common
        computed = self.compute_dtype = OPMATH_DTYPE.get(common, common)
        # What the kernel returns, and what becomes of it.
        self.compared = row.result is Result.COMPARED
        self.kernel_dtype, self.result_dtype = computed, common
        if row.result in (Result.COMPARED, Result.TRUTH):
            self.kernel_dtype = self.result_dtype = BOOL
        elif row.result is Result.REAL and common.is_complex:
            self.kernel_dtype, self.result_dtype = computed.to_real(), common.to_real()
        made = strided(shape, _result_strides(shape, operands, common))
        self.geometry = on_device(made, self.device)
        self.order = memory_order(self.geometry)
        loads = [(_dtype_of(each), common, computed) for each in operands]
        is_narrow = computed is not common and not common.is_complex
        self.unrounded = row.unrounded and is_narrow and _is_one_number(operands[1])
        if self.unrounded:
            loads[1] = _dtype_of(operands[1]), computed, computed
        self.kernel: Any = None
        self.given: Any = None
        self.function: Any = None
        if self.device is not META:
            self._choose_kernel(row, common)
        self.operand_casts = loads
        self.checked = False
        # NumPy returns no arrays of what has no dimensions.
        self.is_small = 0 < self.geometry.numel <= SMALL and bool(shape) and self.device is CPU
        self.compute: Callable[..., Any] | None = None
        self.is_settled = False

    def _choose_kernel(self, row: Pointwise, common: dtype) -> None:
        self.kernel = function = row.compute.of(common, wide=self.unrounded)
        if isinstance(row.compute, WithNumbers):
            self.given, function = row.compute.given, row.compute.kernels.of(common)
        self.function = name_of(function)

    def casts_to(self, out: Tensor) -> bool:
        """Tell whether what is computed is another tensor, which is cast to ``out``."""
        dtype = out._dtype
        if self.compared:
            return dtype is not BOOL and dtype is not self.common
        return dtype is not self.result_dtype

    def new(self, operands: Operands) -> Tensor:
        """Compute a new tensor."""
        geometry, order = self.geometry, self.order
        if self.is_small:
            if self.compute is None:
                self.compute = self.composed(self.result_dtype)
            found = quietly(self.compute, *map(self._array, operands, self.operand_casts))
            memory = found if order is None else found.transpose(order)
            self.is_settled = memory.flags.c_contiguous
            if self.is_settled:
                return tensor_from_array(memory, geometry, self.result_dtype, found)
        if not geometry.numel or self.device is META:
            size = geometry.numel * self.result_dtype.itemsize
            return new_tensor(new_storage(size, self.device), geometry, 0, self.result_dtype)
        if self.device is not CPU:
            made = new_tensor(
                new_storage(geometry.numel * self.result_dtype.itemsize, self.device),
                geometry,
                0,
                self.result_dtype,
            )
            self._write(raw_array(made), self.result_dtype, operands)
            return made
        shape = geometry.shape
        memory = np.empty(
            shape if order is None else [shape[dim] for dim in order],
            numpy_storage_dtype(self.result_dtype),
        )
        laid = memory if order is None else memory.transpose(np.argsort(order))
        self._write(laid, self.result_dtype, operands)
        return new_tensor(storage_from_array(memory), geometry, 0, self.result_dtype)

    def resize(self, out: Tensor, resize: Callable[..., Any]) -> None:
        """Give a tensor the shape of the result; one that is resized gets the strides of a new one."""
        if out._geometry.shape != self.geometry.shape:
            resize(out, self.geometry.shape)
            set_geometry(out, self.geometry)

    def write(self, out: Tensor, operands: Operands) -> None:
        """Compute, and write the result into a tensor."""
        check_writes_to(out, self.device)
        if not self.geometry.numel:
            return
        if self.device is META:
            self._warn_of_parts(out._dtype)
            return
        if not out._conj_neg:
            # Operands are other memory, or element for element the same.
            self._write(raw_array(out), out._dtype, operands)
            return
        result = np.empty(self.geometry.shape, numpy_storage_dtype(out._dtype))
        self._write(result, out._dtype, operands)
        write_elements(out, result)

    def _warn_of_parts(self, dtype: dtype) -> None:
        """Warn of the imaginary parts that get lost where complex numbers are compared into a real dtype."""
        if self.compared and self.common.is_complex and not (dtype.is_complex or dtype is BOOL):
            warn_of_discarding()

    def _write(self, out: Any, dtype: dtype, operands: Operands) -> None:
        """Compute codes of a dtype into an array."""
        self._warn_of_parts(dtype)
        result = self._result(dtype)
        arrays = list(map(self._array, operands, self.operand_casts))
        alike = len(arrays) > 1 and all(each is operands[0] for each in operands)
        if out.size > SMALL and self._write_compiled(out, result, arrays, alike):
            return
        parts = self.kernel, self.operand_casts, result
        parallel_blocks(block_work(*parts, alike), out, *arrays, part=part_of(out.size, *parts))

    def _write_compiled(self, out: Any, result: Load, arrays: list[Any], alike: bool) -> bool:
        """Compute by a compiled kernel, if there is one and it is worth it, and tell whether it was."""
        given = [] if self.given is None else self.given(self.common)
        loads = *self.operand_casts, *[(self.compute_dtype,) * 3 for _ in given]
        kernel = operator(self.function, loads, result, alike)
        if kernel is None:
            return False
        taken = *(arrays[:1] if alike else arrays), *given
        if runs_on_device(self.device, kernel, out, taken):
            return True
        if not kernel.is_wanted(out.size):
            return False
        kernel.over_cores(out, *taken)
        return True

    def composed(self, dtype: dtype, ready: int | None = None) -> Callable[..., Any]:
        """Return what makes codes of a dtype of the operands' arrays: conversions around the kernel.

        ``ready`` is the place of an operand that comes in the dtype that it is computed in.
        """
        before = [conversion(*load) for load in self.operand_casts]
        if ready is not None:
            before[ready] = None
        loaded = loading(self.kernel, before)
        after = conversion(*self._result(dtype))
        return loaded if after is None else lambda *arrays: after(loaded(*arrays))

    def _result(self, dtype: dtype) -> Load:
        """Return what becomes of the kernel's result: its dtype, the one between, and the last one."""
        if not self.compared:
            return self.kernel_dtype, self.result_dtype, dtype
        # Torch writes the truth in the common dtype, unless as bool.
        return BOOL, BOOL if dtype is BOOL else self.common, dtype

    @staticmethod
    def _array(operand: Any, load: Load) -> Any:
        """Return the codes of a tensor, or of a number as the tensor that torch makes of it."""
        if isinstance(operand, Tensor):
            return resolved_array(operand)
        return np.array(operand, numpy_storage_dtype(load[0]))


def memory_order(geometry: Geometry) -> tuple[int, ...] | None:
    """Return the dimensions as they lie in memory, outermost first; None if they lie in order."""
    if geometry.is_contiguous:
        return None
    stride = geometry.stride
    return tuple(sorted(range(geometry.rank), key=lambda dim: -stride[dim]))


def tensors_of(operands: Operands) -> tuple[Tensor, ...]:
    """Return the operands that are tensors."""
    return tuple([each for each in operands if isinstance(each, Tensor)])


def broadcast(tensors: tuple[Tensor, ...]) -> tuple[int, ...]:
    """Return the shape that tensors broadcast to; numbers have none."""
    shape: tuple[int, ...] | None = None
    for each in tensors:
        own = each._geometry.shape
        shape = own if shape is None else broadcasting.broadcast_pair(shape, own)
    return () if shape is None else shape


def _common_dtype(operands: Operands) -> dtype:
    """Return what operands promote to; torch asserts that bits and another dtype promote."""
    with suppress(RuntimeError):
        return result_type_of(operands)
    check(
        not any(spec_of(each._dtype).kind is Kind.BITS for each in tensors_of(operands)),
        lambda: (
            "common_dtype_ != ScalarType::Undefined INTERNAL ASSERT FAILED at"
            ' "aten/src/ATen/TensorIterator.cpp":322, please report a bug to PyTorch. '
        ),
    )
    return result_type_of(operands)


def _is_integral(dtype: dtype) -> bool:
    row = spec_of(dtype)
    return row.kind in (Kind.BOOL, Kind.UNSIGNED, Kind.SIGNED) and row.bits >= 8


def _result_strides(shape: tuple[int, ...], operands: Operands, common: dtype) -> tuple[int, ...]:
    """Return the strides of a new result; operands of another dtype are converted copies."""
    seen: list[Any] = []
    for each in operands:
        if not isinstance(each, Tensor):
            seen.append(((), ()))
            continue
        geometry = each._geometry
        stride = geometry.stride
        if each._dtype is not common and geometry.rank:
            stride = strides.like(geometry.shape, stride)
        seen.append((geometry.shape, stride))
    return strides.elementwise(shape, tuple(seen))


def _dtype_of(operand: Any) -> dtype:
    """Return the dtype of a tensor; a number counts as the widest of its kind."""
    if isinstance(operand, Tensor):
        return operand._dtype
    dtype = scalar_dtype(operand)
    if dtype.is_complex:
        return COMPLEX128
    return FLOAT64 if dtype.is_floating_point else dtype


def _is_one_number(operand: Any) -> bool:
    return not isinstance(operand, Tensor) or operand._geometry.numel == 1
