"""The executor of pointwise operators: what torch's TensorIterator does, and in its order.

An operator is a `Pointwise` row.  Its `Operator` broadcasts the operands, finds
the dtype in which to compute, checks what is given as ``out``, refuses what
torch has no kernel for, and computes.  What depends on shapes, strides and
dtypes alone is a `_Plan`, which is made once for each combination of them.
The rules are those of aten/src/ATen/TensorIterator.cpp.
"""

from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from functools import partial
from typing import Any, NamedTuple

from .. import shapes, strides
from ..arrays import carrier, np
from ..blocks import PART, over_blocks, quietly
from ..casting import is_opaque, route_of
from ..defaults import SCALAR_DTYPES, get_default_dtype
from ..dtypes import DTYPES, Kind, dtype, row_of
from ..elements import codes
from ..errors import check
from ..factories import resize_output, warn_of_complex32, warn_of_resizing
from ..geometry import Geometry, strided
from ..history import count_write
from ..kernels import COMPUTED_AS, ByKind, ForDtype, Kernel
from ..scalars import plain_dtype, scalar_dtype
from ..storage import adopt, new_storage
from ..tensor import Tensor, came_from, check_writable, make, of_array
from .copies import check_no_overlap, written
from .given_numbers import GivenNumber
from .heeding import changed_without_bits, without_bits, write_to_clone
from .outputs import (
    check_cast,
    check_no_gradients,
    check_no_leaf,
    check_same_dtype,
    check_shape,
)
from .result_type import result_type_of

Operands = tuple[Any, ...]
Load = tuple[dtype, dtype, dtype]
Conversion = Callable[[Any], Any]

_BOOL, _COMPLEX32 = DTYPES["bool"], DTYPES["complex32"]
_HALVES = frozenset({DTYPES["float16"], DTYPES["bfloat16"]})

BOOL = frozenset({_BOOL})
INTEGERS = frozenset(DTYPES[name] for name in ("uint8", "int8", "int16", "int32", "int64"))
WIDE_UNSIGNED = frozenset(DTYPES[name] for name in ("uint16", "uint32", "uint64"))
FLOATS = frozenset(DTYPES[name] for name in ("float16", "bfloat16", "float32", "float64"))
COMPLEX = frozenset(DTYPES[name] for name in ("complex64", "complex128"))
COMPLEX32 = frozenset({_COMPLEX32})
FLOAT8 = frozenset(
    each for each in DTYPES.values() if each.is_floating_point and row_of(each).bits == 8
) - {DTYPES["float4_e2m1fn_x2"]}
NUMBERS = INTEGERS | FLOATS


class Result(Enum):
    """Which dtype an operator computes in, and which its result has."""

    COMMON = "what the operands promote to"
    FLOAT = "the same, but the default dtype for integers"
    COMPARED = "computed in what the operands promote to; bool, or any dtype given as out"
    SAME = "what the operands are of; what is given as out has to be of it, too"


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
    """

    name: str
    kernel: str
    dtypes: frozenset[dtype]
    compute: ByKind | ForDtype
    node: str
    result: Result = Result.COMMON
    unrounded: bool = False
    check: Callable[[dtype], None] | None = None
    integer_kernel: str = ""
    numbers: tuple[GivenNumber, ...] = ()
    resizes_once: bool = False


class Operator:
    """What runs a row: as a function, into ``out``, or in place."""

    __slots__ = ("plans", "row")

    def __init__(self, row: Pointwise) -> None:
        self.row = row
        self.plans: dict[Any, _Plan] = {}

    def __call__(self, *operands: Any) -> Tensor:
        """Return the result as a new tensor."""
        given, operands = operands, without_bits(operands)
        plan = self.plan(operands)
        if plan.common is _COMPLEX32:
            _warn_of_made(plan, None)
        if not plan.checked:
            self._check_kernel(plan)
        return came_from(plan.new(operands), _tensors(given), self.row.node)

    def into(self, out: Tensor, *operands: Any) -> Tensor:
        """Write the result into a tensor that was given as ``out``."""
        tensors = _tensors(operands)
        node = self.row.node
        if node == _UNKNOWN:
            check_no_leaf(f"aten::{self.row.name}", out)
        elif node:
            check_no_gradients(self.row.name, *tensors, out)
        operands = without_bits(operands)
        if out._lazy:
            return write_to_clone(out, lambda clone: self.into(clone, *operands))
        check_no_overlap(out, *_tensors(operands))
        if any(each is out for each in tensors):
            plan = self._plan_over(out, operands)
        else:
            plan = self.plan(operands)
        self._check_cast(plan.common, out)
        if plan.common is _COMPLEX32:
            _warn_of_made(plan, out)
        if out._geometry.shape != plan.geometry.shape:
            # One that is resized gets the strides of a new result; so does, first, what is cast to it.
            if plan.casts_to(out) and not self.row.resizes_once:
                warn_of_resizing(out, plan.geometry.shape)
            resize_output(out, plan.geometry.shape)
            out._geometry = plan.geometry
        self._check_kernel(plan)
        plan.write(out, operands)
        if node == _UNKNOWN:
            return written(out, tensors, node)
        count_write(out)
        return out

    def change(self, target: Tensor, *others: Any) -> Tensor:
        """Write the result into the first operand."""
        node = self.row.node
        operands = target, *others
        tensors = _tensors(operands)
        if node:
            check_writable(*tensors)
        if target._lazy:
            return changed_without_bits(self.change, target, others)
        operands = without_bits(operands)
        check_no_overlap(target, *_tensors(operands))
        plan = self._plan_over(target, operands)
        self._check_cast(plan.common, target)
        if plan.common is _COMPLEX32:
            _warn_of_made(plan, target)
        self._check_kernel(plan)
        plan.write(target, operands)
        if node:
            return written(target, tensors[1:], node)
        count_write(target)
        return target

    def plan(self, operands: Operands) -> "_Plan":
        """Return the plan for operands; it is kept for others with the same geometries and dtypes."""
        key = tuple([operand_key(each) for each in operands])
        plan = self.plans.get(key)
        # What integers become depends on the default dtype.
        if plan is None or plan.default not in (None, SCALAR_DTYPES[float]):
            plan = _Plan(self.row, operands)
            if None not in key:
                if len(self.plans) >= _PLANS_KEPT:
                    self.plans.clear()
                self.plans[key] = plan
        return plan

    def _plan_over(self, target: Tensor, operands: Operands) -> "_Plan":
        """Return the plan for writing over an operand, which keeps its shape."""
        # Torch looks at shapes before dtypes.
        with suppress(RuntimeError):
            plan = self.plan(operands)
            check_shape(target, plan.geometry.shape)
            return plan
        check_shape(target, _broadcast(_tensors(operands)))
        return self.plan(operands)

    def _check_kernel(self, plan: "_Plan") -> None:
        """Refuse a dtype for which torch has no kernel, even where there are no elements."""
        common = plan.common
        if self.row.check is not None:
            self.row.check(common)
        kernel, dtypes = self.row.kernel, self.row.dtypes
        if plan.unrounded:
            kernel, dtypes = f"{kernel}_reduced_float", _HALVES
        if common not in dtypes:
            if is_opaque(common) and any(own is not common for own, *_ in plan.loads):
                kernel = "copy_"
            elif self.row.integer_kernel and not (common.is_floating_point or common.is_complex):
                kernel = self.row.integer_kernel
            raise NotImplementedError(
                f"\"{kernel}\" not implemented for '{row_of(common).cpp_name}'"
            )
        for each in self.row.numbers:
            each.of(common)
        plan.checked = True

    def _check_cast(self, common: dtype, out: Tensor) -> None:
        result = self.row.result
        if result is Result.SAME:
            check_same_dtype(common, out)
        elif result is not Result.COMPARED:
            check_cast(common, out)


def _warn_of_made(plan: "_Plan", out: Tensor | None) -> None:
    """Warn of each complex32 tensor that torch makes: converted operands, and the result."""
    made = not plan.compared if out is None else plan.casts_to(out)
    for _ in range([own for own, *_ in plan.loads].count(_COMPLEX32), len(plan.loads) + made):
        warn_of_complex32()


_UNKNOWN = "NotImplemented"
_PLANS_KEPT = 10_000


def operand_key(operand: Any) -> Any:
    """Return what a plan depends on: all of a tensor but its elements, and a number's dtype."""
    if type(operand) is Tensor:
        return operand._geometry, operand._dtype
    return plain_dtype(operand)


class _Plan:
    """What is known of an operation before its elements: the dtypes, and where the result lies.

    ``loads`` say for each operand which dtype it has, to which one it is
    converted, and in which one it is computed.
    """

    __slots__ = (
        "checked", "common", "compared", "compute", "computed", "default", "geometry", "is_settled", "is_small",
        "kernel", "kind", "loads", "order", "unrounded",
    )  # fmt: skip

    def __init__(self, row: Pointwise, operands: Operands) -> None:
        shape = _broadcast(_tensors(operands))
        common, self.default = _common_dtype(operands), None
        if row.result is Result.FLOAT and _is_integral(common):
            common = self.default = get_default_dtype()
        self.common = common
        self.compared = row.result is Result.COMPARED
        self.kind = _BOOL if self.compared else common
        self.geometry = strided(shape, _result_strides(shape, operands, common))
        self.order = _memory_order(self.geometry)
        computed = self.computed = COMPUTED_AS.get(common, common)
        loads = [(_dtype_of(each), common, computed) for each in operands]
        is_narrow = computed is not common and not common.is_complex
        self.unrounded = row.unrounded and is_narrow and _is_one_number(operands[1])
        if self.unrounded:
            loads[1] = _dtype_of(operands[1]), computed, computed
        self.kernel = row.compute.of(common, wide=self.unrounded)
        self.loads = loads
        self.checked = False
        # NumPy returns no arrays of what has no dimensions.
        self.is_small = 0 < self.geometry.numel <= PART and bool(shape)
        self.compute: Callable[..., Any] | None = None
        self.is_settled = False

    def casts_to(self, out: Tensor) -> bool:
        """Tell whether what is computed is another tensor, which is cast to ``out``."""
        kind = out._dtype
        return kind is not self.common and not (self.compared and kind is _BOOL)

    def new(self, operands: Operands) -> Tensor:
        """Compute a new tensor."""
        geometry, order = self.geometry, self.order
        if self.is_small:
            if self.compute is None:
                self.compute = self.composed(self.kind)
            found = quietly(self.compute, *map(self._array, operands, self.loads))
            memory = found if order is None else found.transpose(order)
            self.is_settled = memory.flags.c_contiguous
            if self.is_settled:
                return of_array(memory, geometry, self.kind, found)
        if not geometry.numel:
            return make(new_storage(0), geometry, 0, self.kind)
        shape = geometry.shape
        memory = np.empty(
            shape if order is None else [shape[dim] for dim in order], carrier(self.kind)
        )
        laid = memory if order is None else memory.transpose(np.argsort(order))
        self._write(laid, self.kind, operands)
        return make(adopt(memory), geometry, 0, self.kind)

    def write(self, out: Tensor, operands: Operands) -> None:
        """Compute, and write the result into a tensor without bits."""
        if not self.geometry.numel:
            return
        # Operands are other memory, or element for element the same.
        self._write(codes(out), out._dtype, operands)

    def _write(self, out: Any, kind: dtype, operands: Operands) -> None:
        """Compute codes of a dtype into an array."""
        kernel, before, after = self._parts(kind)
        loaded, direct = _loading(kernel, before), partial(_loading, before=before)

        def work(out: Any, *arrays: Any) -> None:
            if after is not None:
                out[...] = after(loaded(*arrays))
            elif isinstance(kernel, np.ufunc):
                direct(partial(kernel, out=out))(*arrays)
            else:
                out[...] = loaded(*arrays)

        over_blocks(work, out, *map(self._array, operands, self.loads))

    def composed(self, kind: dtype, ready: int | None = None) -> Callable[..., Any]:
        """Return what makes codes of a dtype of the operands' arrays: conversions around the kernel.

        ``ready`` is the place of an operand that comes in the dtype that it is computed in.
        """
        kernel, before, after = self._parts(kind)
        if ready is not None:
            before[ready] = None
        loaded = _loading(kernel, before)
        return loaded if after is None else lambda *arrays: after(loaded(*arrays))

    def _parts(self, kind: dtype) -> tuple[Kernel, list[Conversion | None], Conversion | None]:
        """Return the kernel, the conversions of operands before it, and that of its result to a dtype."""
        before = [_conversion(*load) for load in self.loads]
        if self.compared:
            # Torch writes the truth in the common dtype, unless as bool.
            after = None if kind is _BOOL else _conversion(_BOOL, self.common, kind)
        else:
            after = _conversion(self.computed, self.common, kind)
        return self.kernel, before, after

    @staticmethod
    def _array(operand: Any, load: Load) -> Any:
        """Return the codes of a tensor, or of a number as the tensor that torch makes of it."""
        if isinstance(operand, Tensor):
            return codes(operand)
        return np.array(operand, carrier(load[0]))


def _loading(kernel: Kernel, before: list[Conversion | None]) -> Kernel:
    if not any(before):
        return kernel
    loads = [load or _as_it_is for load in before]
    if len(loads) == 2:
        left, right = loads
        return lambda x, y: kernel(left(x), right(y))
    return lambda *arrays: kernel(*[load(each) for load, each in zip(loads, arrays, strict=True)])


def _as_it_is(codes: Any) -> Any:
    return codes


def _conversion(own: dtype, common: dtype, computed: dtype) -> Conversion | None:
    """Return what converts codes from one dtype through another to a third; None if nothing is to be done."""
    # Nothing complex becomes real here but in comparisons' results, which are bool.
    steps = [
        route_of(source, target).make
        for source, target in ((own, common), (common, computed))
        if source is not target
    ]
    if not steps:
        return None
    if len(steps) == 1:
        return steps[0]
    first, second = steps
    return lambda codes: second(first(codes))


def _memory_order(geometry: Geometry) -> tuple[int, ...] | None:
    """Return the dimensions as they lie in memory, outermost first; None if they lie in order."""
    if geometry.is_contiguous:
        return None
    stride = geometry.stride
    return tuple(sorted(range(geometry.rank), key=lambda dim: -stride[dim]))


def _tensors(operands: Operands) -> tuple[Tensor, ...]:
    return tuple([each for each in operands if isinstance(each, Tensor)])


def _broadcast(tensors: tuple[Tensor, ...]) -> tuple[int, ...]:
    """Return the shape that tensors broadcast to; numbers have none."""
    shape: tuple[int, ...] | None = None
    for each in tensors:
        own = each._geometry.shape
        shape = own if shape is None else shapes.broadcast_pair(shape, own)
    return () if shape is None else shape


def _common_dtype(operands: Operands) -> dtype:
    """Return what operands promote to; torch asserts that bits and another dtype promote."""
    with suppress(RuntimeError):
        return result_type_of(operands)
    check(
        not any(row_of(each._dtype).kind is Kind.BITS for each in _tensors(operands)),
        lambda: (
            "common_dtype_ != ScalarType::Undefined INTERNAL ASSERT FAILED at"
            ' "aten/src/ATen/TensorIterator.cpp":322, please report a bug to PyTorch. '
        ),
    )
    return result_type_of(operands)


def _is_integral(value: dtype) -> bool:
    return row_of(value).kind in (Kind.BOOL, Kind.UNSIGNED, Kind.SIGNED)


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
    kind = scalar_dtype(operand)
    if kind.is_complex:
        return DTYPES["complex128"]
    return DTYPES["float64"] if kind.is_floating_point else kind


def _is_one_number(operand: Any) -> bool:
    return not isinstance(operand, Tensor) or operand._geometry.numel == 1
