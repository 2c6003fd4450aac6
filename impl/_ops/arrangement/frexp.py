"""frexp: the fractions and exponents of numbers (ATen/native/UnaryOps.cpp)."""

from typing import Any

from ..._arrays.numpy_bridge import np
from ..._arrays.parallel import without_fp_warnings
from ..._autograd.autograd_meta import bump_version
from ..._devices.device import META
from ..._dtypes.constants import INT32
from ..._dtypes.cpp_names import cpp_type
from ..._dtypes.table import dtype
from ..._geometry.strides import memory_order
from ..._kernels.elementwise import OPMATH_DTYPE
from ..._numerics.cast import convert
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import NotDense, check
from ..._tensor import structseq
from ..._tensor.allocation import empty_with
from ..._tensor.data_access import has_separate_elements, raw_array, write_in_order
from ..._tensor.tensor import Tensor
from ..common.array_plans import note_arrays, with_array_plans
from ..common.clone import empty_like_geometry, like_geometry
from ..common.device_checks import common_device
from ..common.memory_overlap import check_no_overlap
from ..common.meta_reference import in_reference, into_meta, is_on_meta
from ..common.out_argument import resize_elementwise
from ..common.registration import Op, register_operator
from ..elementwise.binding import Overload, install_operator
from ..elementwise.plan import FLOATS
from ..reduction.reduce import resolves_bits, with_grad_fn

_Pair = tuple[Tensor, Tensor]


def _frexp(tensor: Tensor, out: _Pair | None = None) -> Any:
    """frexp(input): return fractions from 0.5 to 1 and exponents of 2, whose products are input."""
    if any(x._geometry.is_sparse for x in (tensor, *(out or ()))):
        raise NotDense
    if is_on_meta(tensor, *(out or ())):
        results = in_reference(_on_meta, tensor, out)
    else:
        results = out or _new(tensor)
        _write(tensor, *results)
    if out is not None:
        for each in out:
            bump_version(each)
        return structseq.frexp_out(out)
    named = structseq.frexp((with_grad_fn(results[0], tensor, "FrexpBackward0"), results[1]))
    is_wide = tensor._dtype in FLOATS and tensor._dtype not in OPMATH_DTYPE
    return note_arrays(_parts, named, tensor) if is_wide else named


def _new(tensor: Tensor) -> _Pair:
    geometry = like_geometry(tensor, None, tensor._dtype)
    return empty_with(geometry, tensor._dtype), empty_with(geometry, INT32)


def _check_floating(dtype: dtype) -> None:
    check(dtype.is_floating_point, lambda: "torch.frexp() only supports floating-point dtypes")


def _on_meta(tensor: Tensor, out: _Pair | None) -> _Pair:
    """Return what the reference does (_frexp_meta in torch/_prims)."""
    _check_floating(tensor._dtype)
    geometry = empty_like_geometry(tensor, None, tensor._dtype, META)
    if out is None:
        return empty_with(geometry, tensor._dtype), empty_with(geometry, INT32)
    for target, wanted in zip(out, (tensor._dtype, INT32), strict=True):
        into_meta("frexp", target, geometry, wanted)
    return out


def _write(tensor: Tensor, mantissa: Tensor, exponent: Tensor) -> None:
    dtype, shape = tensor._dtype, tensor._geometry.shape
    _check_floating(dtype)
    check(
        mantissa._dtype is dtype,
        lambda: (
            f"torch.frexp() expects mantissa to have dtype {cpp_type(dtype)} but got"
            f" {cpp_type(mantissa._dtype)}"
        ),
    )
    check(
        exponent._dtype is INT32,
        lambda: (
            f"torch.frexp() expects exponent to have int dtype but got {cpp_type(exponent._dtype)}"
        ),
    )
    outs = mantissa, exponent
    for target in outs:
        check_no_overlap(target, tensor)
    common_device((tensor, *outs))
    ordered = [x for x in outs if x._geometry.shape == shape]
    for target in outs:
        resize_elementwise(target, shape, *ordered, tensor)
    if dtype not in FLOATS:
        raise_not_implemented("frexp_cpu", dtype)
    if any(_overlaps(target, tensor) for target in outs):
        _write_in_turn(tensor, mantissa, exponent)
        return
    compute_dtype = OPMATH_DTYPE.get(dtype, dtype)
    numbers = convert(raw_array(tensor), dtype, compute_dtype)
    fractions, exponents = without_fp_warnings(_parts, numbers)
    write_in_order(raw_array(mantissa), convert(fractions, compute_dtype, dtype))
    write_in_order(raw_array(exponent), exponents)


def _write_in_turn(tensor: Tensor, mantissa: Tensor, exponent: Tensor) -> None:
    """Take numbers apart in memory from which later ones are read."""
    dtype, compute_dtype = tensor._dtype, OPMATH_DTYPE.get(tensor._dtype, tensor._dtype)
    arrays = [raw_array(each) for each in (mantissa, exponent, tensor)]
    arrays[2] = np.broadcast_to(arrays[2], arrays[0].shape)
    order = memory_order(arrays[0].shape, [array.strides for array in arrays])[::-1]
    fractions, exponents, numbers = (array.transpose(order) for array in arrays)
    for position in np.ndindex(fractions.shape):
        number = convert(numbers[position], dtype, compute_dtype)
        fraction, exponents[position] = without_fp_warnings(_parts, number)
        fractions[position] = convert(fraction, compute_dtype, dtype)


def _parts(numbers: Any) -> tuple[Any, Any]:
    """Return the fractions and the exponents of numbers."""
    fractions, exponents = np.frexp(numbers)
    return np.asarray(fractions * fractions.dtype.type(1)), exponents  # quiets NaNs


def _overlaps(target: Tensor, tensor: Tensor) -> bool:
    """Return whether writing an element may change another one that is read later."""
    if target._storage is not tensor._storage:
        return False
    is_same = target._geometry is tensor._geometry and target._offset == tensor._offset
    memory = raw_array(target)
    is_safe = is_same and has_separate_elements(memory)
    return not is_safe and np.may_share_memory(memory, raw_array(tensor))


_resolved_frexp = resolves_bits(_frexp, "frexp")
_resolved_frexp.__doc__ = _frexp.__doc__

install_operator(
    "frexp",
    Overload("", _resolved_frexp, out_type="TensorList[2]"),
    doc="Return fractions from 0.5 to 1 and exponents of 2, whose products are the input.",
    method=False,
)
register_operator(Op("frexp", {"": _resolved_frexp}, function=False, wrap=with_array_plans))
