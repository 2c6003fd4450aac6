"""masked_scatter and masked_scatter_ (ATen/native/TensorAdvancedIndexing.cpp)."""

from typing import Any

from ..._arrays.numpy_bridge import np
from ..._autograd.tracking import check_differentiable, check_inplace
from ..._devices.device import CPU
from ..._dtypes.constants import BOOL, UINT8
from ..._dtypes.table import spec_of
from ..._geometry import broadcasting
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import NotDense, check
from ..._runtime.warnings import warn
from ..._tensor.allocation import empty_tensor
from ..._tensor.data_access import has_separate_elements, raw_array
from ..._tensor.tensor import METHODS, Tensor, shallow_copy
from ..._tensor.views import record_grad_fn
from ..common.conj_neg_fallback import resolves_conj_neg, resolves_conj_neg_in_place
from ..common.copy import record_write
from ..common.meta_reference import in_reference, is_on_meta, reference_shape
from ..common.registration import Op, register_operator
from ..elementwise.plan import BOOLS, COMPLEX, NUMBERS
from .masked_fill import broadcast_copy
from .selection import may_share

_NODE = "MaskedScatterBackward0"
_BYTE_MASK = (
    "masked_scatter_ received a mask with dtype torch.uint8, this behavior is now"
    " deprecated,please use a mask with dtype torch.bool instead. (Triggered internally at"
    " /__w/pytorch/pytorch/aten/src/ATen/native/TensorAdvancedIndexing.cpp:3130.)"
)


@resolves_conj_neg
def _masked_scatter(tensor: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """masked_scatter(input, mask, source): a copy with other elements where a mask is True."""
    _check_dense(tensor, mask, source)
    if is_on_meta(tensor, mask, source):
        result = in_reference(_scattered_on_meta, tensor, mask, source)
    else:
        result = broadcast_copy(tensor, mask)
        _scatter(result, mask, source)
    check_differentiable(result, source)
    return record_grad_fn(result, (tensor, source), _NODE)


@resolves_conj_neg_in_place
def _masked_scatter_(tensor: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """Tensor.masked_scatter_(mask, source): write elements where a mask is True."""
    check_inplace(tensor, source)
    _check_dense(tensor, mask, source)
    if is_on_meta(tensor, mask, source):
        _check_on_meta(tensor, mask, source)
    else:
        _scatter(tensor, mask, source)
    return record_write(tensor, (source,), _NODE)


def _check_dense(*operands: Tensor) -> None:
    if any(x._geometry.is_sparse for x in operands):
        raise NotDense


def _scatter(tensor: Tensor, mask: Tensor, source: Tensor) -> None:
    """Write the elements of a source, one after the other, where a mask is True."""
    geometry, dtype = tensor._geometry, tensor._dtype
    broadcasting.check_no_internal_overlap(geometry.shape, geometry.stride)
    check(
        dtype is source._dtype,
        lambda: (
            "masked_scatter: expected self and source to have same dtypes but got"
            f"{spec_of(dtype).cpp_name} and {spec_of(source._dtype).cpp_name}"
        ),
    )
    if mask._geometry.shape != geometry.shape:
        mask = METHODS["expand"](shallow_copy(mask), geometry.shape)
    if mask._dtype is UINT8:
        warn(_BYTE_MASK)
    source = METHODS["contiguous"](shallow_copy(source))
    check(
        mask._dtype is BOOL,
        lambda: (
            "masked_scatter_ only supports boolean masks, but got mask with dtype"
            f" {spec_of(mask._dtype).cpp_name}"
        ),
    )
    if dtype not in BOOLS | NUMBERS | COMPLEX:
        raise_not_implemented("masked_scatter", dtype)
    memory, flags, values = raw_array(tensor), raw_array(mask), raw_array(source).reshape(-1)
    wanted = int(np.count_nonzero(flags))
    if wanted <= len(values) and has_separate_elements(memory) and not may_share(memory, values):
        memory[flags] = values[:wanted]
        return
    _write_in_order(memory, flags, values)
    check(wanted <= len(values), lambda: "Number of elements of source < number of ones in mask")


def _write_in_order(memory: Any, flags: Any, values: Any) -> None:
    """Write elements, as many as there are: of several to one place the last one stays."""
    places = np.nonzero(flags.reshape(1) if not flags.ndim else flags)
    memory = memory.reshape(1) if not memory.ndim else memory
    places = tuple([numbers[: len(values)] for numbers in places])
    if may_share(memory, values):
        for index, place in enumerate(zip(*places, strict=True)):
            memory[place] = values[index]
    else:
        memory[places] = values[: len(places[0])]


# Tensors on meta: torch/_meta_registrations.py.


def _check_on_meta(tensor: Tensor, mask: Tensor, source: Tensor) -> None:
    check(mask._dtype in (BOOL, UINT8), lambda: "Mask must be bool or uint8")
    check(
        tensor._dtype is source._dtype,
        lambda: (
            "masked_scatter: expected self and source to have same dtypes but got"
            f" {tensor._dtype} and {source._dtype}"
        ),
    )


def _scattered_on_meta(tensor: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """Return a new tensor, without elements on the CPU, too."""
    geometry = tensor._geometry
    shape = reference_shape(tensor, mask)
    if geometry.device is CPU and not geometry.rank:
        shape = ()
    result = empty_tensor(shape, tensor._dtype, geometry.device, by_reference=True)
    _check_on_meta(result, mask, source)
    return result


_PARAMETERS = "Tensor mask, Tensor source"
register_operator(Op("masked_scatter", {_PARAMETERS: _masked_scatter}))
register_operator(Op("masked_scatter_", {_PARAMETERS: _masked_scatter_}, function=False))
