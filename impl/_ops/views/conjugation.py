"""Views with the conj and neg bits, operators that resolve them, adjoint, real and imag.

``x.conj()`` of a complex tensor is a view with the conj bit.  ``x.conj().imag`` is a view with
the neg bit.  From aten/src/ATen/native/UnaryOps.cpp and TensorShape.cpp.
"""

from functools import partial
from typing import Any

from ..._autograd.tracking import check_inplace
from ..._devices.device import META
from ..._dtypes.constants import BOOL
from ..._geometry import view_checks, view_shapes, view_slices
from ..._geometry.geometry import dense, on_device, strided
from ..._geometry.strides import is_non_overlapping_and_dense
from ..._numerics.conj_neg import CONJUGATE, NEGATIVE, resolve_raw
from ..._numerics.encode_scalar import ScalarPath, encode_scalar
from ..._numerics.rounding import COMMON_DTYPES, raise_not_implemented
from ..._runtime.errors import check
from ..._runtime.warnings import ignores_device_mode, warn_once
from ..._tensor.allocation import empty_with
from ..._tensor.data_access import (
    apply_conj_neg,
    has_separate_elements,
    raw_array,
    write_raw,
)
from ..._tensor.out_autograd import check_no_leaf
from ..._tensor.sparse_dispatch import dispatch_sparse
from ..._tensor.tensor import METHODS, ReadOnly, Tensor
from ..._tensor.views import record_grad_fn, view_of, view_with_dtype
from ..common.clone import clone, like_geometry
from ..common.conj_neg_fallback import resolve_conj_neg, write_to_clone
from ..common.copy import copy_, record_write
from ..common.cuda_kernels import check_out_kernel
from ..common.device_checks import check_out_device_for_write
from ..common.memory_overlap import check_no_overlap, reads_written
from ..common.meta_reference import into_meta, is_on_meta, warn_of_result
from ..common.out_argument import check_same_dtype, resize_elementwise
from ..common.reference_strides import result as reference_result
from ..common.registration import Op, register_operator
from ..common.vector_loops import write_in_turn
from .views import view_as_real

# Views with the conj or neg bit.


def _flip_bit(tensor: Tensor, bit: int, node: str) -> Tensor:
    view = view_with_dtype(tensor, tensor._geometry, tensor._offset, tensor._dtype, node)
    view._conj_neg ^= bit
    return view


def _conj_view(tensor: Tensor) -> Tensor:
    """Return the conjugate view of a complex tensor."""
    check(
        tensor._dtype.is_complex,
        lambda: (
            "isComplexType(typeMetaToScalarType(dtype())) INTERNAL ASSERT FAILED at"
            ' "/__w/pytorch/pytorch/c10/core/TensorImpl.h":1470, please report a bug to PyTorch. '
        ),
    )
    return _flip_bit(tensor, CONJUGATE, "ConjBackward0")


def _conj(tensor: Tensor) -> Tensor:
    """Return a view with the conj bit flipped, or the tensor itself if it is real."""
    return _conj_view(tensor) if tensor._dtype.is_complex else tensor


def _neg_view(tensor: Tensor) -> Tensor:
    """Return a view with the neg bit flipped."""
    if tensor._geometry.is_sparse:
        raise NotImplementedError("Cannot access storage of SparseTensorImpl")
    return _flip_bit(tensor, NEGATIVE, "NegViewBackward0")


def _resolve(bit: int) -> Any:
    def resolve(tensor: Tensor) -> Tensor:
        """Return a copy if the bit is set, else the tensor."""
        return clone(tensor) if tensor._conj_neg & bit else tensor

    return resolve


# Conjugated elements.


def _conj_physical(tensor: Tensor) -> Tensor:
    """Return a new tensor of the conjugated elements, or the tensor itself if it is real."""
    return _conjugated(tensor) if tensor._dtype.is_complex else tensor


def _conjugated(tensor: Tensor) -> Tensor:
    """Return a new tensor of the conjugated elements."""
    if tensor._conj_neg == CONJUGATE:
        result = clone(_flip_bit(tensor, CONJUGATE, ""))
    else:
        source = resolve_conj_neg(tensor)
        on_meta = is_on_meta(source)
        geometry = like_geometry(source, None, source._dtype)
        if on_meta:
            layout = source._geometry.shape, source._geometry.stride
            for _ in range(3 if _is_permuted(*layout) else 2):
                warn_of_result(source._dtype)
            geometry = on_device(strided(*reference_result(layout)), META)
        result = empty_with(geometry, source._dtype, warns=not on_meta)
        _write_conjugated(result, source)
    return record_grad_fn(result, (tensor,), "ConjPhysicalBackward0")


def _is_permuted(shape: tuple[int, ...], stride: tuple[int, ...]) -> bool:
    """Return whether the reference makes its result by permuting another tensor."""
    return len(shape) > 1 and not is_non_overlapping_and_dense(shape, stride)


def _write_conjugated(target: Tensor, source: Tensor) -> None:
    dtype = source._dtype
    has_kernel = dtype.is_complex or dtype in COMMON_DTYPES or dtype is BOOL
    if source._geometry.numel and not has_kernel:
        raise_not_implemented("conj_cpu", dtype)
    if target._geometry.device is META:
        return
    elements, memory = raw_array(source), raw_array(target)

    def conjugate(elements: Any) -> Any:
        return resolve_raw(elements, dtype, CONJUGATE) if dtype.is_complex else elements

    if reads_written(target, (source,), apart=has_separate_elements(memory)):
        write_in_turn(conjugate, memory, [elements])
    else:
        memory[...] = conjugate(elements)


def _conj_physical_out(tensor: Tensor, out: Tensor | None) -> Tensor:
    """conj_physical(input, *, out=None): return the conjugate, or a real ``input`` itself."""
    if out is None:
        return _conj_physical(tensor)
    if out._conj_neg:
        return write_to_clone(out, lambda clone: _conj_physical_out(tensor, clone))
    check_no_leaf("aten::conj_physical", out)
    source = resolve_conj_neg(tensor)
    check_out_kernel("conj_physical", (source,), out)
    if is_on_meta(source, out):
        warn_of_result(source._dtype)
        check_out_device_for_write(out, source._geometry.device)
        into_meta("conj_physical", out, source._geometry, source._dtype)
        return record_write(out, (tensor,), "NotImplemented")
    check_no_overlap(out, source)
    check_out_device_for_write(out, source._geometry.device)
    check_same_dtype(source._dtype, out)
    resize_elementwise(out, source._geometry.shape, source)
    _write_conjugated(out, source)
    return record_write(out, (tensor,), "NotImplemented")


def _conj_physical_(tensor: Tensor) -> Tensor:
    """Tensor.conj_physical_(): conjugate every element in place."""
    if tensor._conj_neg & NEGATIVE:
        return write_to_clone(tensor, _conj_physical_)
    check_inplace(tensor)
    if is_on_meta(tensor):
        layout = tensor._geometry.shape, tensor._geometry.stride
        if tensor._dtype.is_complex:
            for _ in range(2 if _is_permuted(*layout) else 1):
                warn_of_result(tensor._dtype)
        into_meta("conj_physical", tensor, tensor._geometry, tensor._dtype)
    elif tensor._dtype.is_complex:
        check_no_overlap(tensor)
        apply_conj_neg(tensor, CONJUGATE)
    return record_write(tensor, (), "ConjPhysicalBackward1")


# Transposed views.


def _transposed(name: str, view_geometry: Any, node: str, conjugates: bool = False) -> Any:
    """Return the function of T, H, mT, mH or adjoint."""

    def get(self: Tensor) -> Tensor:
        """Return the tensor transposed; H, mH and adjoint conjugate it, too."""
        geometry = self._geometry
        zeros = (0,) * geometry.rank
        shape, stride, offset = view_geometry(
            geometry.shape, zeros if geometry.is_sparse else geometry.stride
        )
        if not geometry.rank:
            warn_once(view_shapes.ZERO_DIM_WARNINGS[name])
        elif name == "T" and geometry.rank != 2:
            warn_once(view_shapes.T_WARNING)
        if not geometry.rank and name != "T":
            return _conj(self) if conjugates else self
        if geometry.is_sparse:
            return dispatch_sparse(name, self)  # type: ignore[no-any-return]
        view = view_of(self, strided(shape, stride), self._offset + offset, node)
        return _conj(view) if conjugates else view

    return get


def _matrix_transposed(name: str, conjugates: bool = False) -> Any:
    view_geometry = partial(view_shapes.matrix_transpose, name=name)
    return _transposed(name, view_geometry, "TransposeBackward0", conjugates)


# Real and imaginary parts.


def _real(tensor: Tensor) -> Tensor:
    """Return a view of the real parts, or the tensor itself if it is real."""
    return _part(tensor, 0) if tensor._dtype.is_complex else tensor


def _imag(tensor: Tensor) -> Tensor:
    """Return a view of the imaginary parts; raise if the tensor is not complex."""
    check(
        tensor._dtype.is_complex,
        lambda: "imag is not implemented for tensors with non-complex dtypes.",
    )
    return _part(tensor, 1)


def _part(tensor: Tensor, index: int) -> Tensor:
    if tensor._geometry.is_sparse:
        return dispatch_sparse(("real", "imag")[index], tensor)  # type: ignore[no-any-return]
    is_conj = tensor._conj_neg & CONJUGATE
    pairs = view_as_real(_conj_view(tensor) if is_conj else tensor)
    stride = pairs._geometry.stride
    if min(stride) < view_checks.MIN_SYMINT:
        raise view_checks.symbolic_stride(stride[:-1]).of(is_meta=pairs._geometry.device is META)
    if is_conj and index == 1:
        pairs = _neg_view(pairs)
    geometry = pairs._geometry
    shape, stride, offset = view_slices.select(geometry.shape, geometry.stride, -1, index)
    return view_of(pairs, strided(shape, stride), pairs._offset + offset, "SelectBackward0")


def _view_attribute(get: Any, doc: str) -> property:
    """Return an attribute whose value is a view, and whose setter writes to that view."""

    @ignores_device_mode
    def set_part(self: Tensor, value: Any) -> None:
        part = get(self)
        if not isinstance(value, Tensor):
            number = encode_scalar(value, part._dtype, ScalarPath.SETITEM)
            value = empty_with(dense(()), part._dtype)
            write_raw(value, number)
        copy_(part, value)

    return property(get, set_part, doc=doc)


for _name, _get in (
    ("T", _transposed("T", view_shapes.numpy_t, "PermuteBackward0")),
    ("H", _transposed("H", view_shapes.matrix_h, "TransposeBackward0", conjugates=True)),
    ("mT", _matrix_transposed("mT")),
    ("mH", _matrix_transposed("mH", conjugates=True)),
):
    METHODS[_name] = ReadOnly(_get, doc=f"The tensor transposed, as torch's {_name}.")
    METHODS[_name].__set_name__(Tensor, _name)

METHODS["real"] = _view_attribute(_real, "The real parts.")
METHODS["imag"] = _view_attribute(_imag, "The imaginary parts.")

for _op in (
    Op("conj", {"": _conj}),
    Op("_conj", {"": _conj_view}),
    Op("_neg_view", {"": _neg_view}),
    Op("resolve_conj", {"": _resolve(CONJUGATE)}),
    Op("resolve_neg", {"": _resolve(NEGATIVE)}),
    Op("conj_physical", {"": _conj_physical}, function=False),
    Op("conj_physical", {"*, Tensor out=None": _conj_physical_out}, method=False),
    Op("conj_physical_", {"": _conj_physical_}),
    Op("_conj_physical", {"": _conjugated}),
    Op("adjoint", {"": _matrix_transposed("adjoint", conjugates=True)}),
    Op("real", {"": _real}, method=False),
    Op("imag", {"": _imag}, method=False),
):
    register_operator(_op)
