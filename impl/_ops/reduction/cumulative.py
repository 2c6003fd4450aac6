"""Running sums, products and extremes along a dimension."""

from functools import partial
from typing import Any, NamedTuple

from ..._argparser.types import _is_integral
from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._arrays.parallel import quietly
from ..._autograd.tracking import check_writable
from ..._devices.device import META
from ..._dtypes.constants import INT64
from ..._dtypes.cpp_names import cpp_type
from ..._dtypes.table import as_dtype, dtype, spec_of
from ..._geometry import view_shapes
from ..._geometry.geometry import dense, on_device
from ..._kernels.elementwise import OPMATH_DTYPE
from ..._numerics.cast import convert
from ..._runtime.errors import check
from ..._tensor import structseq
from ..._tensor.data_access import resolved_array, write_elements
from ..._tensor.factories import resize_output
from ..._tensor.out_autograd import check_no_gradients
from ..._tensor.tensor import Tensor
from ..common.copy import written
from ..common.device_checks import check_place_of
from ..common.memory_overlap import check_no_overlap
from ..common.out_argument import warn_of_saved
from ..elementwise.binding import Overload, install_operator
from ..elementwise.plan import BOOLS, COMPLEX, NUMBERS
from .minmax import MAX, MIN, Extreme
from .reduce import (
    check_kernel,
    check_no_complex_gradient,
    check_not_resized,
    finished,
    loading,
    prepare,
    recorded,
    warn_of_lost_parts,
    warn_of_narrow_complex,
)
from .reduce_plan import keep, planned

_WIDER = {"f": "d", "F": "D"}
"""In what running totals are kept (at::acc_type on the CPU); each is rounded by itself."""


class Scan(NamedTuple):
    """An operator whose results are those of all elements so far."""

    name: str
    combine: str
    first: int

    @property
    def node(self) -> str:
        """What autograd calls the operator."""
        return f"{self.name.title()}Backward0"


SUM, PROD = Scan("cumsum", "add", 0), Scan("cumprod", "multiply", 1)


def _kind(tensor: Tensor, kind: Any, out: Tensor | None) -> dtype:
    if kind is not None:
        return as_dtype(kind)
    if out is not None:
        return out._dtype
    own = tensor._dtype
    return INT64 if _is_integral(own, or_bool=True) else own


def _scan(
    scan: Scan, tensor: Tensor, dim: int, kind: Any = None, out: Tensor | None = None
) -> Tensor:
    """Return the running totals as a new tensor, or in one that was given as ``out``."""
    key = scan.name, dim, kind
    if out is None and (found := planned(tensor, key)) is not None:
        return found
    if out is not None:
        check_no_gradients(scan.name, tensor, out)
    geometry = on_device(dense(tensor._geometry.shape), tensor._geometry.device)
    dim = view_shapes.wrap_dim(dim, geometry.rank)
    wanted = _kind(tensor, kind, out)
    if out is not None:
        before = tensor._geometry
        prepare(out, wanted, geometry)
        check_not_resized(tensor, before)
    warn_of_narrow_complex(wanted, made=out is None, converted=False)
    totals = _totals(scan, tensor, dim, wanted, out)
    if out is None and geometry.rank:
        keep(tensor, key, partial(_running, scan, tensor._dtype, wanted, dim), geometry, wanted)
    result = finished(totals, geometry, wanted, out)
    return recorded(result, tensor, scan.node) if out is None else result


def _scan_(scan: Scan, tensor: Tensor, dim: int, kind: Any = None) -> Tensor:
    """Put the running totals in the place of the elements."""
    check_writable(tensor)
    warn_of_saved(tensor, scan.node)
    own = tensor._dtype
    dim = view_shapes.wrap_dim(dim, tensor._geometry.rank)
    wanted = own if kind is None else as_dtype(kind)
    check(
        wanted is own,
        lambda: (
            f"Bad in-place call: input tensor dtype {cpp_type(own)} and output tensor dtype"
            f" {cpp_type(wanted)} should match"
        ),
    )
    warn_of_narrow_complex(own, made=False, converted=not tensor._geometry.rank)
    write_elements(tensor, _totals(scan, tensor, dim, own, tensor))
    return written(tensor, (), scan.node)


def _totals(scan: Scan, tensor: Tensor, dim: int, dtype: dtype, target: Tensor | None) -> Any:
    own, geometry = tensor._dtype, tensor._geometry
    raw = None if geometry.device is META else resolved_array(tensor)
    if not geometry.rank or not geometry.numel:
        return None if raw is None else np.array(convert(raw, own, dtype))
    warn_of_narrow_complex(dtype, made=False, converted=own is not dtype)
    check_kernel(f"{scan.name}_out_cpu", NUMBERS | COMPLEX, dtype, tensor)
    if target is not None:
        check_no_overlap(target, *([tensor] if own is dtype else []))
    if raw is None:
        warn_of_lost_parts(tensor, dtype)
        return None
    return _running(scan, own, dtype, dim, raw)


def _running(scan: Scan, own: dtype, dtype: dtype, dim: int, raw: Any) -> Any:
    """Return the codes of running totals of elements, converted to a dtype."""
    computed = OPMATH_DTYPE.get(dtype, dtype)
    load = loading(own, dtype)
    numbers = raw if load is None else load(raw)
    wide = _WIDER.get(numbers.dtype.char, numbers.dtype) if computed is dtype else numbers.dtype
    totals = quietly(_accumulated, scan, numbers, dim, wide, numpy_storage_dtype(computed))
    return totals if computed is dtype else convert(totals, computed, dtype)


def _accumulated(scan: Scan, numbers: Any, dim: int, wide: Any, kind: Any) -> Any:
    """Begin with 0 or 1, as torch does: it shows in -0 and in infinite complex numbers."""
    totals = getattr(np, scan.combine).accumulate(numbers, dim, dtype=wide)
    if scan.first == 0 and totals.dtype.kind in "fc":
        totals += 0.0
    elif totals.dtype.kind == "c":
        totals = np.multiply.accumulate(
            np.concatenate([np.ones_like(totals.take([0], dim)), numbers], dim), dim, dtype=wide
        )
        totals = totals[(slice(None),) * dim + (slice(1, None),)]
    return totals.astype(kind, copy=False)


def _extremes(
    extreme: Extreme, tensor: Tensor, dim: int, out: tuple[Tensor, Tensor] | None = None
) -> Any:
    """cummax(input, dim): return the largest elements so far, and the indices of the last of them."""
    name, own = f"cum{extreme.name}", tensor._dtype
    geometry = on_device(dense(tensor._geometry.shape), tensor._geometry.device)
    if out is not None:
        check_no_gradients(name, tensor, out[0])
        for each, kind in zip(out, (own, INT64), strict=True):
            _check_given(each, kind)
            check_place_of(each, geometry.device)
    else:
        warn_of_narrow_complex(own, made=True, converted=False)
    if not geometry.rank and dim not in (0, -1):
        raise IndexError(f"{name}(): Expected reduction dim -1 or 0 for scalar but got {dim}")
    for each in out or ():
        resize_output(each, geometry.shape)
    raw = None if tensor._geometry.device is META else resolved_array(tensor)
    if raw is None:
        if geometry.rank and geometry.numel:
            view_shapes.wrap_dim(dim, geometry.rank)
            check_kernel(f"{name}_cpu", BOOLS | NUMBERS, own, tensor)
        found = None, None
    elif not geometry.rank:
        found = np.array(raw), np.zeros((), np.int64)
    elif not geometry.numel:
        found = np.array(raw), np.zeros(geometry.shape, np.int64)
    else:
        dim = view_shapes.wrap_dim(dim, geometry.rank)
        check_kernel(f"{name}_cpu", BOOLS | NUMBERS, own, tensor)
        numbers = convert(raw, own, OPMATH_DTYPE.get(own, own))
        places = _last_places(f"{extreme.name}imum", numbers, dim)
        found = np.take_along_axis(raw, places, dim), places
    if out is not None:
        for each, elements, kind in zip(out, found, (own, INT64), strict=True):
            finished(elements, geometry, kind, each)
        return getattr(structseq, f"{name}_out")(out)
    check_no_complex_gradient(name, tensor)
    largest = recorded(finished(found[0], geometry, own), tensor, f"{name.title()}Backward0")
    return getattr(structseq, name)((largest, finished(found[1], geometry, INT64)))


def _check_given(out: Tensor, dtype: dtype) -> None:
    check(
        out._dtype is dtype,
        lambda: (
            f"expected scalar_type {spec_of(dtype).cpp_name} but found {spec_of(out._dtype).cpp_name}"
        ),
    )


def _last_places(name: str, numbers: Any, dim: int) -> Any:
    """Return where the last of the extreme elements so far is; of NaN, the last one."""
    so_far = getattr(np, name).accumulate(numbers, dim)
    is_there = (numbers == so_far) | (numbers != numbers)
    shape = [1] * numbers.ndim
    shape[dim] = -1
    places = np.arange(numbers.shape[dim]).reshape(shape)
    return np.maximum.accumulate(np.where(is_there, places, 0), dim)


for _row, _doc in ((SUM, "sums"), (PROD, "products")):
    install_operator(
        _row.name,
        Overload(
            "int64_t dim, *, ScalarType? dtype=None", partial(_scan, _row), partial(_scan_, _row)
        ),
        doc=f"Return the {_doc} of the elements so far along a dimension.",
    )
for _each, _doc in ((MAX, "largest"), (MIN, "smallest")):
    install_operator(
        f"cum{_each.name}",
        Overload("int64_t dim", partial(_extremes, _each), out_type="TensorList[2]"),
        doc=f"Return the {_doc} elements so far along a dimension, and where they are.",
    )
