"""cumsum, cumprod, cummax and cummin."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from ..._arrays.numpy_bridge import np, numpy_storage_dtype, take_along_axis
from ..._arrays.parallel import without_fp_warnings
from ..._autograd.autograd_meta import bump_version
from ..._autograd.tracking import check_inplace
from ..._dtypes.constants import INT64
from ..._dtypes.cpp_names import cpp_type
from ..._dtypes.table import as_dtype, dtype, spec_of
from ..._geometry import view_shapes
from ..._geometry.geometry import dense, on_device
from ..._geometry.strides import memory_order
from ..._kernels.elementwise import OPMATH_DTYPE
from ..._numerics.cast import convert
from ..._runtime.errors import check
from ..._tensor.allocation import check_zeroed, resize_output
from ..._tensor.data_access import (
    has_separate_elements,
    raw_array,
    resolved_array,
    write_elements,
)
from ..._tensor.out_autograd import check_no_complex_gradient
from ..._tensor.tensor import Tensor
from ..common.array_plans import is_noting, note_arrays
from ..common.conj_neg_fallback import resolves_conj_neg_in_place
from ..common.copy import record_write
from ..common.memory_overlap import check_no_overlap, is_same_view
from ..common.reference_dtypes import check_promotes
from ..elementwise.binding import Overload, install_operator
from ..elementwise.plan import BOOLS, COMPLEX, NUMBERS
from . import references
from .extremes import MAX, MIN, Extreme
from .minmax import pair
from .reduce import (
    check_kernel,
    check_opaque_copy,
    load_for,
    prepare_out,
    refuse_resized,
    resolves_bits,
    result_dtype_of,
    to_tensor,
    warn_of_narrow_complex,
)
from .reduce_plan import cached_result, remember

ACC_TYPES = {"f": "d", "F": "D"}
"""The accumulation dtypes (at::acc_type on the CPU); each result is rounded separately."""


class Scan(NamedTuple):
    """A cumulative operator.

    name: the name of the operator
    ufunc: the name of the NumPy ufunc
    """

    name: str
    ufunc: str

    @property
    def node(self) -> str:
        """The grad_fn name."""
        return f"{self.name.title()}Backward0"


SUM, PROD = Scan("cumsum", "add"), Scan("cumprod", "multiply")


def _scan(
    scan: Scan, tensor: Tensor, dim: int, dtype: Any = None, out: Tensor | None = None
) -> Tensor:
    key = scan.name, dim, dtype
    if out is None and (result := cached_result(tensor, key)) is not None:
        return result
    geometry = on_device(dense(tensor._geometry.shape), tensor._geometry.device)
    dim = view_shapes.wrap_dim(dim, geometry.rank)
    if references.uses_reference(tensor, out):
        return references.scan(scan.name, tensor, dtype, out, scan.node)
    total_dtype = result_dtype_of(tensor, dtype, out)
    if out is not None:
        refuse_resized(prepare_out(tensor, geometry, (out, total_dtype)))
    warn_of_narrow_complex(total_dtype, allocated=out is None, converted=False)
    totals = _totals(scan, tensor, dim, total_dtype, out)
    if out is not None and total_dtype is tensor._dtype and depends_on_order(tensor, out):
        number = type_of_scan(total_dtype)
        step = partial(_step, scan, number)
        return scan_in_memory(tensor, out, dim, step, number.type(scan is PROD))
    if out is None and geometry.rank:
        function = partial(cumulate, scan, tensor._dtype, total_dtype, dim)
        remember(tensor, key, function, geometry, total_dtype)
    return to_tensor(totals, geometry, total_dtype, out, tensor, scan.node)


def _scan_(scan: Scan, tensor: Tensor, dim: int, dtype: Any = None) -> Tensor:
    check_inplace(tensor)
    tensor_dtype = tensor._dtype
    dim = view_shapes.wrap_dim(dim, tensor._geometry.rank)
    if references.uses_reference(tensor):
        check_promotes(tensor)
        references.dtype_of_total(tensor, dtype, tensor)
        if tensor._geometry.rank:
            warn_of_narrow_complex(tensor_dtype, allocated=True, converted=True, by_reference=True)
        return record_write(tensor, (), scan.node)
    total_dtype = tensor_dtype if dtype is None else as_dtype(dtype)
    check(
        total_dtype is tensor_dtype,
        lambda: (
            f"Bad in-place call: input tensor dtype {cpp_type(tensor_dtype)} and output tensor"
            f" dtype {cpp_type(total_dtype)} should match"
        ),
    )
    warn_of_narrow_complex(tensor_dtype, allocated=False, converted=not tensor._geometry.rank)
    totals = _totals(scan, tensor, dim, tensor_dtype, tensor)
    if has_separate_elements(raw_array(tensor)) or tensor._conj_neg:
        write_elements(tensor, totals)
        return record_write(tensor, (), scan.node)
    number = type_of_scan(tensor_dtype)
    step = partial(_step, scan, number)
    _write_scan(tensor, tensor, dim, step, number.type(scan is PROD))
    return record_write(tensor, (), scan.node)


def _totals(scan: Scan, tensor: Tensor, dim: int, dtype: dtype, target: Tensor | None) -> Any:
    source, geometry = tensor._dtype, tensor._geometry
    raw = resolved_array(tensor)
    if geometry.rank and not geometry.numel:
        check_zeroed(geometry, dtype)
    if not geometry.rank or not geometry.numel:
        return np.array(convert(raw, source, dtype))
    warn_of_narrow_complex(dtype, allocated=False, converted=source is not dtype)
    check_kernel(f"{scan.name}_out_cpu", NUMBERS | COMPLEX, dtype, tensor)
    if target is not None:
        check_no_overlap(target, *([tensor] if source is dtype else []))
    return cumulate(scan, source, dtype, dim, raw)


def cumulate(scan: Scan, source: dtype, dtype: dtype, dim: int, raw: Any) -> Any:
    """Return the raw array of cumulative results of elements, converted to a dtype."""
    compute_dtype = OPMATH_DTYPE.get(dtype, dtype)
    load = load_for(source, dtype)
    numbers = raw if load is None else load(raw)
    acc = numbers.dtype
    if compute_dtype is dtype:
        acc = ACC_TYPES.get(acc.char, acc)
    totals = without_fp_warnings(
        _accumulate, scan, numbers, dim, acc, numpy_storage_dtype(compute_dtype)
    )
    return totals if compute_dtype is dtype else convert(totals, compute_dtype, dtype)


def type_of_scan(dtype: dtype) -> Any:
    """Return the NumPy dtype in which torch accumulates elements of a dtype."""
    opmath = OPMATH_DTYPE.get(dtype, dtype)
    number = np.dtype(numpy_storage_dtype(opmath))
    return number if opmath is not dtype else np.dtype(ACC_TYPES.get(number.char, number))


def _step(scan: Scan, number: Any, total: Any, element: Any) -> Any:
    both = np.array([total, element], number)
    return without_fp_warnings(_accumulate, scan, both, 0, number, number)[1]


def scan_in_memory(
    tensor: Tensor, out: Tensor, dim: int, step: Callable[[Any, Any], Any], start: Any
) -> Tensor:
    """Write cumulative results to ``out``, in memory from which later elements are read."""
    _write_scan(tensor, out, dim, step, start)
    bump_version(out)
    return out


def _write_scan(
    tensor: Tensor, out: Tensor, dim: int, step: Callable[[Any, Any], Any], start: Any
) -> None:
    """Write cumulative results into memory from which later elements are read.

    Torch writes each result before it reads the next element (cpu_cum_base_kernel in
    ATen/native/cpu/ReduceOpsKernel.cpp).
    """
    dtype, opmath = out._dtype, OPMATH_DTYPE.get(out._dtype, out._dtype)
    rows = [np.moveaxis(raw_array(each), dim, -1) for each in (out, tensor)]
    lines = [row.strides[:-1] for row in rows]
    order = [*memory_order(rows[0].shape[:-1], lines)[::-1], rows[0].ndim - 1]
    target, source = (row.transpose(order) for row in rows)
    for position in np.ndindex(target.shape[:-1]):
        total = start
        for index in range(target.shape[-1]):
            total = step(total, convert(source[position][index], dtype, opmath))
            result = np.asarray(total).astype(numpy_storage_dtype(opmath))
            target[position][index] = convert(result, opmath, dtype)


def _accumulate(scan: Scan, numbers: Any, dim: int, acc: Any, dtype: Any) -> Any:
    """Accumulate from 0 or 1, as torch does; -0 and infinite complex numbers depend on it."""
    totals = getattr(np, scan.ufunc).accumulate(numbers, dim, dtype=acc)
    if scan is SUM and totals.dtype.kind in "fc":
        totals += 0.0
    elif totals.dtype.kind == "c":
        totals = np.multiply.accumulate(
            np.concatenate([np.ones_like(totals.take([0], dim)), numbers], dim), dim, dtype=acc
        )
        totals = totals[(slice(None),) * dim + (slice(1, None),)]
    return totals.astype(dtype, copy=False)


def _cummax(
    extreme: Extreme, tensor: Tensor, dim: int, out: tuple[Tensor, Tensor] | None = None
) -> Any:
    name, tensor_dtype = f"cum{extreme.name}", tensor._dtype
    geometry = on_device(dense(tensor._geometry.shape), tensor._geometry.device)
    dtypes, nodes = (tensor_dtype, INT64), (f"{name.title()}Backward0", "")
    if references.uses_reference(tensor, *(out or ())):
        if geometry.rank and geometry.numel:
            view_shapes.wrap_dim(dim, geometry.rank)
        references.prepare_pair(name, tensor, geometry, dtypes, out)
        return pair(name, tensor, (None, None), dtypes, geometry, out, nodes)
    if out is not None:
        check_out_pair(tensor, out, dtypes)
    else:
        warn_of_narrow_complex(tensor_dtype, allocated=True, converted=False)
    check_scan_dim(name, geometry.rank, dim)
    for target in out or ():
        resize_output(target, geometry.shape)
    raw = resolved_array(tensor)
    raws: tuple[Any, Any]
    if not geometry.rank or not geometry.numel:
        check_opaque_copy(tensor, tensor_dtype)
        raws = np.array(raw), np.zeros(geometry.shape, np.int64)
    else:
        dim = view_shapes.wrap_dim(dim, geometry.rank)
        check_kernel(f"{name}_cpu", BOOLS | NUMBERS, tensor_dtype, tensor)
        if out is not None and depends_on_order(tensor, out[0]):
            raws = _extremes_in_memory(extreme, tensor_dtype, raw, dim, raw_array(out[0]))
        else:
            raws = _extremes(extreme, tensor_dtype, raw, dim)
    if out is None:
        check_no_complex_gradient(name, tensor._dtype, tensor)
    result = pair(name, tensor, raws, dtypes, geometry, out, nodes)
    if is_noting() and geometry.numel and geometry.rank:
        note_arrays(partial(_extremes_of, extreme, tensor_dtype, dim), result, tensor)
    return result


def _extremes_of(extreme: Extreme, dtype: dtype, dim: int, raw: Any) -> tuple[Any, Any]:
    return _extremes(extreme, dtype, raw, dim)


def _extremes(extreme: Extreme, dtype: dtype, raw: Any, dim: int) -> tuple[Any, Any]:
    """Return the cumulative extremes along a dimension, and the last index of each."""
    numbers = convert(raw, dtype, OPMATH_DTYPE.get(dtype, dtype))
    indices = _last_indices(f"{extreme.name}imum", numbers, dim)
    return take_along_axis(raw, indices, dim), indices


def depends_on_order(tensor: Tensor, out: Tensor) -> bool:
    """Return whether results may be written to elements that are read or written later."""
    target = raw_array(out)
    if not has_separate_elements(target):
        return True
    return np.may_share_memory(raw_array(tensor), target) and not is_same_view(out, tensor)


def _extremes_in_memory(
    extreme: Extreme, dtype: dtype, raw: Any, dim: int, target: Any
) -> tuple[Any, Any]:
    """Return the cumulative extremes as they are in memory at the end, and the indices.

    Torch writes each result before it reads the next element. The dimension is the innermost loop;
    of the others, the first one is (TensorDimApply.h in ATen/native).
    """
    indices = np.empty(raw.shape, np.int64)
    rows = [np.moveaxis(array, dim, -1).T for array in (raw, target, indices)]
    for position in np.ndindex(rows[0].shape[1:]):
        source, written, found = (row[(slice(None), *position)] for row in rows)
        extremes, last = source[:1].copy(), 0
        for index in range(len(source)):
            both = np.concatenate([extremes[-1:], source[index : index + 1]])
            extremes, places = _extremes(extreme, dtype, both, 0)
            last = index if places[1] else last
            written[index], found[index] = extremes[1], last
    return target.copy(), indices


def check_scan_dim(name: str, rank: int, dim: int) -> None:
    """Raise for a dimension that a 0-dim tensor does not have."""
    check(
        rank or dim in (0, -1),
        lambda: f"{name}(): Expected reduction dim -1 or 0 for scalar but got {dim}",
        IndexError,
    )


def check_out_pair(tensor: Tensor, out: tuple[Tensor, Tensor], dtypes: tuple[dtype, dtype]) -> None:
    """Raise if two results of dtypes cannot be written to the tensors of ``out``."""
    for target, wanted in zip(out, dtypes, strict=True):
        check_out(tensor, target, wanted)


def check_out(tensor: Tensor, target: Tensor, dtype: dtype) -> None:
    """Raise if ``target`` has another dtype, device or layout than a result."""
    check(
        target._dtype is dtype,
        lambda: (
            f"expected scalar_type {spec_of(dtype).cpp_name} but found"
            f" {spec_of(target._dtype).cpp_name}"
        ),
    )
    devices = [x._geometry.device for x in (tensor, target)]
    check(devices[0] is devices[1], lambda: "expected device {} but found {}".format(*devices))
    layouts = [("Strided", "Sparse")[x._geometry.is_sparse] for x in (tensor, target)]
    check(layouts[0] == layouts[1], lambda: "expected layout {} but found {}".format(*layouts))


def _last_indices(name: str, numbers: Any, dim: int) -> Any:
    """Return the last index of each cumulative extreme; NaN counts as extreme."""
    extremes = getattr(np, name).accumulate(numbers, dim)
    is_extreme = (numbers == extremes) | (numbers != numbers)
    shape = [1] * numbers.ndim
    shape[dim] = -1
    indices = np.arange(numbers.shape[dim]).reshape(shape)
    return np.maximum.accumulate(np.where(is_extreme, indices, 0), dim)


for _scan_spec, _doc in ((SUM, "sums"), (PROD, "products")):
    install_operator(
        _scan_spec.name,
        Overload(
            "int64_t dim, *, ScalarType? dtype=None",
            resolves_bits(partial(_scan, _scan_spec), _scan_spec.name),
            resolves_conj_neg_in_place(partial(_scan_, _scan_spec), _scan_spec.node),
        ),
        doc=f"Return the cumulative {_doc} of the elements along a dimension.",
    )
for _extreme, _doc in ((MAX, "largest"), (MIN, "smallest")):
    install_operator(
        f"cum{_extreme.name}",
        Overload(
            "int64_t dim",
            resolves_bits(partial(_cummax, _extreme), f"cum{_extreme.name}"),
            out_type="TensorList[2]",
        ),
        doc=f"Return the cumulative {_doc} elements along a dimension, and their indices.",
    )
