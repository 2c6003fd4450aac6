"""Conjugate and negative views, the operators that resolve them, and what torch makes with them.

``x.conj()`` of a complex tensor is a view with the conjugate bit, ``x.conj().imag`` one with the
negative bit.  The rules are in aten/src/ATen/native/UnaryOps.cpp and TensorShape.cpp.
"""

from typing import Any

from ..._autograd.tracking import check_writable
from ..._devices.device import META
from ..._dtypes.table import Kind, spec_of
from ..._geometry import view_shapes, view_slices
from ..._geometry.geometry import dense, strided
from ..._geometry.strides import elementwise
from ..._numerics.conj_neg import CONJUGATE, NEGATIVE, applied
from ..._numerics.encode_scalar import ScalarPath, encode_scalar
from ..._numerics.rounding import USUAL
from ..._runtime.errors import check
from ..._runtime.warnings import ignores_device_mode, warn_once
from ..._tensor.data_access import apply_conj_neg, raw_array, write_raw
from ..._tensor.factories import empty_with, resize_output
from ..._tensor.out_autograd import check_no_leaf
from ..._tensor.sparse_dispatch import of_sparse
from ..._tensor.tensor import (
    METHODS,
    ReadOnly,
    Tensor,
    record_grad_fn,
    set_geometry,
    typed_view_of,
    view_of,
)
from ..common.clone import clone, like_geometry
from ..common.conj_neg_fallback import resolved, write_to_clone
from ..common.copy import copy_, written
from ..common.device_checks import check_writes_to
from ..common.memory_overlap import check_no_overlap
from ..common.registration import Op, install
from .views import view_as_real

# Views with a bit.


def _with_bit(tensor: Tensor, bit: int, node: str) -> Tensor:
    """Return a view of all of a tensor, with a bit set that was not, or the other way round."""
    view = typed_view_of(tensor, tensor._geometry, tensor._offset, tensor._dtype, node)
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
    return _with_bit(tensor, CONJUGATE, "ConjBackward0")


def _conj(tensor: Tensor) -> Tensor:
    """Return a view that is conjugated when it is read; of real numbers the tensor itself."""
    return _conj_view(tensor) if tensor._dtype.is_complex else tensor


def _neg_view(tensor: Tensor) -> Tensor:
    """Return a view that is negated when it is read."""
    return _with_bit(tensor, NEGATIVE, "NegViewBackward0")


def _resolve_conj(tensor: Tensor) -> Tensor:
    """Return a copy in which conjugated elements are written out, or the tensor if none are."""
    return clone(tensor) if tensor._conj_neg & CONJUGATE else tensor


def _resolve_neg(tensor: Tensor) -> Tensor:
    """Return a copy in which negated elements are written out, or the tensor if none are."""
    return clone(tensor) if tensor._conj_neg & NEGATIVE else tensor


# Conjugated elements.


def _conj_physical(tensor: Tensor) -> Tensor:
    """Return a new tensor of the conjugated elements; of real numbers the tensor itself."""
    return _conjugated(tensor) if tensor._dtype.is_complex else tensor


def _conjugated(tensor: Tensor) -> Tensor:
    """Return a new tensor of the conjugated elements."""
    if tensor._conj_neg == CONJUGATE:
        result = clone(_with_bit(tensor, CONJUGATE, ""))
    else:
        source = resolved(tensor)
        result = empty_with(like_geometry(source, None, source._dtype), source._dtype)
        _write_conjugated(result, source)
    return record_grad_fn(result, (tensor,), "ConjPhysicalBackward0")


def _write_conjugated(target: Tensor, source: Tensor) -> None:
    dtype = source._dtype
    row = spec_of(dtype)
    check(
        not source._geometry.numel or dtype.is_complex or dtype in USUAL or row.kind is Kind.BOOL,
        lambda: f"\"conj_cpu\" not implemented for '{row.cpp_name}'",
        NotImplementedError,
    )
    if target._geometry.device is META:
        return
    elements = raw_array(source)
    raw_array(target)[...] = applied(elements, dtype, CONJUGATE) if dtype.is_complex else elements


def _conj_physical_out(tensor: Tensor, out: Tensor | None) -> Tensor:
    """conj_physical(input, *, out=None): the conjugated elements; of real numbers the tensor itself."""
    if out is None:
        return _conj_physical(tensor)
    if out._conj_neg:
        return write_to_clone(out, lambda clone: _conj_physical_out(tensor, clone))
    check_no_leaf("aten::conj_physical", out)
    source = resolved(tensor)
    dtype, geometry = source._dtype, source._geometry
    check_no_overlap(out, source)
    check_writes_to(out, geometry.device)
    check(
        out._dtype is dtype,
        lambda: (
            f"Found dtype {spec_of(out._dtype).cpp_name} but expected {spec_of(dtype).cpp_name}"
        ),
    )
    if out._geometry.shape != geometry.shape:
        resize_output(out, geometry.shape)
        order = elementwise(geometry.shape, ((geometry.shape, geometry.stride),))
        set_geometry(out, strided(geometry.shape, order))
    _write_conjugated(out, source)
    return written(out, (tensor,), "NotImplemented")


def _conj_physical_(tensor: Tensor) -> Tensor:
    """Tensor.conj_physical_(): conjugate every element in place."""
    if tensor._conj_neg & NEGATIVE:
        return write_to_clone(tensor, _conj_physical_)
    check_writable(tensor)
    if tensor._dtype.is_complex:
        check_no_overlap(tensor)
        apply_conj_neg(tensor, CONJUGATE)
    return written(tensor, (), "ConjPhysicalBackward1")


# Transposed views.


def _transposed(name: str, change: Any, node: str, conjugates: bool = False) -> Any:
    """Make one of the attributes T, H, mT and mH."""

    def get(self: Tensor) -> Tensor:
        geometry = self._geometry
        zeros = (0,) * geometry.rank
        shape, stride, offset = change(
            geometry.shape, zeros if geometry.is_sparse else geometry.stride
        )
        if not geometry.rank:
            warn_once(view_shapes.ZERO_DIM_WARNINGS[name])
        elif name == "T" and geometry.rank != 2:
            warn_once(view_shapes.T_WARNING)
        if not geometry.rank and name != "T":
            return _conj(self) if conjugates else self
        if geometry.is_sparse:
            return of_sparse(name, self)  # type: ignore[no-any-return]
        view = view_of(self, strided(shape, stride), self._offset + offset, node)
        return _conj(view) if conjugates else view

    return ReadOnly(get, doc=f"The tensor transposed, as torch's {name}.")


def _matrix(name: str) -> Any:
    return lambda shape, stride: view_shapes.matrix_transpose(shape, stride, name)


def _adjoint(tensor: Tensor) -> Tensor:
    """Tensor.adjoint(): the last two dimensions exchanged, and complex numbers conjugated."""
    geometry = tensor._geometry
    if not geometry.rank:
        warn_once(view_shapes.ZERO_DIM_WARNINGS["adjoint"])
        return _conj(tensor)
    shape, stride, _ = view_shapes.matrix_transpose(geometry.shape, geometry.stride, "adjoint()")
    return _conj(view_of(tensor, strided(shape, stride), tensor._offset, "TransposeBackward0"))


# Real and imaginary parts.


def _real(tensor: Tensor) -> Tensor:
    """Return the real parts: the tensor itself unless it is complex, or a view of them."""
    return _part(tensor, 0) if tensor._dtype.is_complex else tensor


def _imag(tensor: Tensor) -> Tensor:
    """Return the imaginary parts of a complex tensor, as a view."""
    check(
        tensor._dtype.is_complex,
        lambda: "imag is not implemented for tensors with non-complex dtypes.",
    )
    return _part(tensor, 1)


def _part(tensor: Tensor, index: int) -> Tensor:
    is_conj = tensor._conj_neg & CONJUGATE
    pairs = view_as_real(_conj_view(tensor) if is_conj else tensor)
    if is_conj and index == 1:
        pairs = _neg_view(pairs)
    geometry = pairs._geometry
    shape, stride, offset = view_slices.select(geometry.shape, geometry.stride, -1, index)
    return view_of(pairs, strided(shape, stride), pairs._offset + offset, "SelectBackward0")


def _settable(get: Any, doc: str) -> property:
    """Make an attribute that is a view, which is written to when the attribute is set."""

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
    ("mT", _transposed("mT", _matrix("mT"), "TransposeBackward0")),
    ("mH", _transposed("mH", _matrix("mH"), "TransposeBackward0", conjugates=True)),
):
    _get.__set_name__(Tensor, _name)
    METHODS[_name] = _get

METHODS["real"] = _settable(_real, "The real parts.")
METHODS["imag"] = _settable(_imag, "The imaginary parts.")

for _op in (
    Op("conj", {"": _conj}),
    Op("_conj", {"": _conj_view}),
    Op("_neg_view", {"": _neg_view}),
    Op("resolve_conj", {"": _resolve_conj}),
    Op("resolve_neg", {"": _resolve_neg}),
    Op("conj_physical", {"": _conj_physical}, function=False),
    Op("conj_physical", {"*, Tensor out=None": _conj_physical_out}, method=False),
    Op("conj_physical_", {"": _conj_physical_}),
    Op("_conj_physical", {"": _conjugated}),
    Op("adjoint", {"": _adjoint}),
    Op("real", {"": _real}, method=False),
    Op("imag", {"": _imag}, method=False),
):
    install(_op)
