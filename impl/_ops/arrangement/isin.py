"""isin (ATen/native/TensorCompare.cpp)."""

from typing import Any

from ..._arrays.numpy_bridge import np
from ..._autograd.autograd_meta import bump_version
from ..._devices.device import META
from ..._dtypes.constants import BOOL, COMPLEX64, COMPLEX128
from ..._dtypes.scalars import tensor_dtype_of
from ..._dtypes.table import spec_of
from ..._geometry import view_shapes
from ..._geometry.geometry import dense, on_device
from ..._kernels.sorting import membership, unique
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import NotDense
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.allocation import empty_with, resize_output
from ..._tensor.data_access import raw_array, tensor_from_raw
from ..._tensor.factories import python_scalar
from ..._tensor.tensor import METHODS, Tensor, shallow_copy
from ..common.clone import empty_like_geometry, like_geometry
from ..common.conj_neg_fallback import resolves_conj_neg
from ..common.copy import copy_into, scalar_to_tensor, to_dtype
from ..common.memory_overlap import check_copy_overlap, check_no_overlap
from ..common.meta_reference import in_reference, into_meta, is_on_meta
from ..common.result_type import UNDEFINED, result_type_of
from ..elementwise.binding import Overload, install_operator
from ..elementwise.plan import BOOLS, NUMBERS, WIDE_UNSIGNED
from ..reduction.reduce import prepare_out


@resolves_conj_neg
def _isin(
    elements: Any, tests: Any, assume_unique: bool, invert: bool, out: Tensor | None = None
) -> Tensor:
    tensors = [x for x in (elements, tests, out) if isinstance(x, Tensor)]
    if any(x._geometry.is_sparse for x in tensors):
        raise NotDense
    if is_on_meta(*tensors):
        result: Tensor = in_reference(_on_meta, elements, tests, out)
    else:
        result = _on_cpu(elements, tests, assume_unique, invert, out)
    if out is not None:
        bump_version(out)
    return result


def _on_meta(elements: Any, tests: Any, out: Tensor | None) -> Tensor:
    """Return what meta_isin in torch/_meta_registrations.py does."""
    if not isinstance(elements, Tensor):
        elements = PUBLIC["tensor"](python_scalar(elements), device=tests._geometry.device)
    if not isinstance(tests, Tensor):
        tests = PUBLIC["tensor"](python_scalar(tests), device=elements._geometry.device)
    for dtype in elements._dtype, tests._dtype:
        if dtype in _REFUSED:
            raise RuntimeError(_UNSUPPORTED.format(dtype))
    if elements._geometry.device is META:
        geometry = empty_like_geometry(elements, None, BOOL, META)
    else:
        geometry = like_geometry(elements, None, BOOL)
    result = empty_with(geometry, BOOL)
    if out is None:
        return result
    into_meta("isin", out, geometry, BOOL)
    check_copy_overlap(out, result)
    copy_into(out, result)
    return out


def _on_cpu(
    elements: Any, tests: Any, assume_unique: bool, invert: bool, out: Tensor | None
) -> Tensor:
    for operand in elements, tests:
        dtype = operand._dtype if isinstance(operand, Tensor) else tensor_dtype_of(operand)
        if dtype in _REFUSED:
            raise RuntimeError(_UNSUPPORTED.format(spec_of(dtype).cpp_name))
    is_number = not isinstance(elements, Tensor)
    source = tests if is_number else elements
    shape = (0,) if is_number else source._geometry.shape  # of a number resized below
    geometry = on_device(dense(shape), source._geometry.device)
    if out is None:
        out = empty_with(geometry, BOOL)
    else:
        prepare_out(source, geometry, (out, BOOL))
    if not isinstance(tests, Tensor):
        _compare(shallow_copy(elements), tests, invert, out)
        return out
    if is_number:
        resize_output(out, ())
    if not out._geometry.numel:
        return out
    # The heuristic of NumPy, which torch follows.
    if tests._geometry.numel < int(10 * out._geometry.numel**0.145):
        _find_each(elements, tests, invert, out)
        return out
    if is_number:
        elements = scalar_to_tensor(elements)
    is_found = _find_sorted(elements, tests, assume_unique)
    check_no_overlap(out)
    raw_array(out)[...] = is_found.reshape(out._geometry.shape) ^ invert
    return out


_REFUSED = frozenset({BOOL, COMPLEX64, COMPLEX128})
_UNSUPPORTED = "Unsupported input type encountered for isin(): {}"


def _compare(elements: Tensor, number: Any, invert: bool, out: Tensor) -> None:
    """Write whether elements equal a number."""
    check_no_overlap(out, elements)
    result = PUBLIC["ne" if invert else "eq"](elements, number)
    raw_array(out)[...] = raw_array(result)


def _find_each(elements: Any, tests: Tensor, invert: bool, out: Tensor) -> None:
    """Write which elements are among few others, which torch compares one by one."""
    raw_array(out)[...] = invert  # also where elements of ``out`` share memory
    common = result_type_of((elements, tests), UNDEFINED)
    if not isinstance(elements, Tensor):
        elements = scalar_to_tensor(elements)
    elements = to_dtype(shallow_copy(elements), common, False, None)
    tests = to_dtype(shallow_copy(tests), common, False, None)
    view_shapes.view(tests._geometry.shape, tests._geometry.stride, (-1,))
    check_no_overlap(out, elements)
    if common not in NUMBERS:
        raise_not_implemented("isin_default_cpu", common)
    target, others = raw_array(out), raw_array(tests)
    if np.may_share_memory(target, others):
        raise NotImplementedError("impl cannot compare elements with the results")
    target[...] = membership(raw_array(elements), others.reshape(-1), common) ^ invert


def _find_sorted(elements: Tensor, tests: Tensor, assume_unique: bool) -> Any:
    """Return which elements equal the next one after they are sorted with the others.

    Numbers that are unique may be equal in the common dtype; then torch finds all but the last.
    """
    inverse: Any = slice(elements._geometry.numel)
    if assume_unique:
        flat = [METHODS["ravel"](shallow_copy(x)) for x in (elements, tests)]
    else:
        first, inverse = _unique(elements)
        flat = [first, _unique(tests)[0]]
    values, order = METHODS["sort"](PUBLIC["cat"](flat), stable=True, dim=0)
    is_equal = np.zeros(order._geometry.numel, np.bool_)
    is_equal[raw_array(order)[:-1]] = raw_array(METHODS["eq"](values[1:], values[:-1]))
    return is_equal[inverse]


def _unique(tensor: Tensor) -> tuple[Tensor, Any]:
    """Return the elements without duplicates, and where each element is among them."""
    dtype = tensor._dtype
    if dtype not in BOOLS | NUMBERS | WIDE_UNSIGNED:
        raise_not_implemented("unique", dtype)
    values, order = METHODS["sort"](METHODS["ravel"](shallow_copy(tensor)), stable=True)
    raw, inverse = unique(raw_array(values), raw_array(order), dtype)
    return tensor_from_raw(raw, dtype, tensor._geometry.device), inverse


_OPTIONS = "*, bool assume_unique=False, bool invert=False"

install_operator(
    "isin",
    Overload(f"Tensor test_elements, {_OPTIONS}", _isin, input="Tensor elements"),
    Overload(f"Tensor test_elements, {_OPTIONS}", _isin, input="Scalar element"),
    Overload(f"Scalar test_element, {_OPTIONS}", _isin, input="Tensor elements"),
    doc="Return whether elements are among other elements.",
    method=False,
)
