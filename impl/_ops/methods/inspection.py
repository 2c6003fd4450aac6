"""Inspection methods: size, stride, is_contiguous, dim_order, item, tolist, Python conversions."""

from typing import Any

from ..._argparser.parser import Parser
from ..._argparser.schema import MISSING
from ..._argparser.types import is_integral_dtype
from ..._arrays.numpy_bridge import is_native
from ..._arrays.opaque_dtypes import is_opaque
from ..._devices.device import META
from ..._dtypes.constants import COMPLEX32
from ..._dtypes.table import Kind, spec_of
from ..._geometry import strides, view_shapes
from ..._geometry.geometry import Geometry
from ..._geometry.layout import memory_format
from ..._numerics.from_python import python_value, python_values
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.device_modes import has_device_mode
from ..._runtime.errors import check
from ..._runtime.torch_function import UnrelatedOverride, redispatch
from ..._runtime.warnings import is_python_frame, warn_once
from ..._tensor.allocation import warn_complex32
from ..._tensor.data_access import check_has_data, raw_array, write_raw
from ..._tensor.printing import format_tensor, tensor_text
from ..._tensor.sparse_dispatch import no_kernel
from ..._tensor.tensor import METHODS, Tensor, check_receiver
from ..._tensor.views import record_grad_fn
from ..common.clone import is_contiguous_in, like_geometry, new_copy
from ..common.conj_neg_fallback import resolve_conj_neg
from ..common.device_checks import check_item_not_meta, check_meta_kernel
from ..common.registration import Op, register_operator

_parse_size = Parser("size(int64_t? dim=None)")
_parse_stride = Parser("stride(int64_t? dim=None)")
_parse_is_contiguous = Parser("is_contiguous(*, MemoryFormat memory_format=contiguous_format)")


def _size(self: Any = MISSING, /, *args: Any, **keywords: Any) -> Any:
    """Tensor.size(dim=None): the sizes of the dimensions, or of one."""
    try:
        shape = self._geometry.shape
    except AttributeError:
        check_receiver("size", self)
        raise
    if not args and not keywords:
        return shape
    try:
        (dim,) = _parse_size(args, keywords)
    except UnrelatedOverride:
        return redispatch("torch.Tensor", "size", (self, *args), keywords)
    return shape if dim is None else _at(shape, dim)


def _stride(self: Any = MISSING, /, *args: Any, **keywords: Any) -> Any:
    """Tensor.stride(dim=None): the strides in elements, or one; zeros for a sparse tensor."""
    try:
        geometry = self._geometry
    except AttributeError:
        check_receiver("stride", self)
        raise
    if not args and not keywords:
        return _sparse_stride(geometry) if geometry.is_sparse else geometry.stride
    try:
        (dim,) = _parse_stride(args, keywords)
    except UnrelatedOverride:
        return redispatch("torch.Tensor", "stride", (self, *args), keywords)
    stride = _sparse_stride(geometry) if geometry.is_sparse else geometry.stride
    return stride if dim is None else _at(stride, dim)


def _sparse_stride(geometry: Geometry) -> tuple[int, ...]:
    """Return torch's strides of a sparse tensor: zeros, or (1,) if it was never resized."""
    never_resized = geometry.shape == (0,) and not geometry.cleared  # type: ignore[attr-defined]
    return (1,) if never_resized else (0,) * geometry.rank


def _at(values: tuple[int, ...], dim: int) -> int:
    if not values:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return values[view_shapes.wrap_dim(dim, len(values))]


def _is_contiguous(self: Any = MISSING, /, *args: Any, **keywords: Any) -> bool:
    """Tensor.is_contiguous(*, memory_format=torch.contiguous_format): whether it has the format."""
    try:
        geometry = self._geometry
    except AttributeError:
        check_receiver("is_contiguous", self)
        raise
    if geometry.is_sparse:
        if args or keywords:
            _parse_is_contiguous(args, keywords)
        return False
    if not args and not keywords:
        return geometry.is_contiguous  # type: ignore[no-any-return]
    format_ = keywords.get("memory_format")
    if args or len(keywords) > 1 or type(format_) is not memory_format:
        try:
            (format_,) = _parse_is_contiguous(args, keywords)
        except UnrelatedOverride:
            answer: bool = redispatch("torch.Tensor", "is_contiguous", (self, *args), keywords)
            return answer
    result = geometry.cache.get(format_)
    if result is None:
        result = geometry.remember(format_, is_contiguous_in(geometry, format_))
    return result  # type: ignore[no-any-return]


def _dim_order(self: Any, *, ambiguity_check: Any = False) -> tuple[int, ...]:
    """Tensor.dim_order(*, ambiguity_check=False): the dimensions in memory order, outermost first.

    With ``ambiguity_check``, raise if there are several such orders.
    A list of memory formats allows several if exactly one format matches.
    """
    geometry = self._geometry
    if geometry.is_sparse:
        raise AttributeError(
            f"Can't get dim order on sparse type: {self.type()} Use Tensor.to_dense() to"
            " convert to a dense tensor first."
        )
    if has_device_mode():
        # A mode does not get the check (handle_torch_function in torch/_tensor.py).
        ambiguity_check = False
    if ambiguity_check is False:
        order = geometry.cache.get("dim_order")
        if order is not None:
            return order  # type: ignore[no-any-return]
    elif ambiguity_check is not True:
        if type(ambiguity_check) is not list or {*map(type, ambiguity_check)} - {memory_format}:
            raise TypeError(
                "The ambiguity_check argument must be a bool or a list of memory formats."
            )
        ambiguity_check = tuple(str(entry).removeprefix("torch.") for entry in ambiguity_check)
    order = strides.dim_order(geometry.shape, geometry.stride, ambiguity_check)
    if ambiguity_check is False:
        geometry.remember("dim_order", order)
    return order


def _item(tensor: Tensor) -> Any:
    """Tensor.item(): the single element as a Python number."""
    geometry = tensor._geometry
    check(
        geometry.numel == 1,
        lambda: f"a Tensor with {geometry.numel} elements cannot be converted to Scalar",
    )
    check_item_not_meta(tensor)
    if is_opaque(tensor._dtype):
        python_value(0, tensor._dtype)
    if tensor._conj_neg:
        tensor = resolve_conj_neg(tensor)
    return python_value(raw_array(tensor).item(), tensor._dtype)


def _tolist(tensor: Tensor) -> Any:
    """Tensor.tolist(): the elements as nested lists of Python numbers."""
    if tensor._dtype is COMPLEX32 and tensor._geometry.device is META:
        warn_complex32()  # torch copies to the CPU first
    check_has_data(tensor)
    check(
        not (is_opaque(tensor._dtype) and tensor._geometry.numel),
        lambda: "load_scalar: invalid type",
    )
    if tensor._conj_neg:
        tensor = resolve_conj_neg(tensor)
    if tensor._geometry.rank > _ARRAY_RANK:
        shape, squeezed = tensor._geometry.shape, METHODS["squeeze"](METHODS["detach"](tensor))
        return _nested(python_values(raw_array(squeezed), tensor._dtype), shape)
    return python_values(raw_array(tensor), tensor._dtype)


_ARRAY_RANK = 64
"""The most dimensions of a NumPy array; more of a tensor's have the size 1, or it is empty."""


def _nested(values: Any, shape: tuple[int, ...]) -> Any:
    """Return the values of a squeezed tensor, nested as its shape says.

    >>> _nested([1, 2], (1, 2, 1))
    [[[1], [2]]]
    """
    if not shape:
        return values
    rows = [values] if shape[0] == 1 else values
    return [_nested(row, shape[1:]) for row in rows]


def _one_element(tensor: Tensor) -> Any:
    if tensor._geometry.numel != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return tensor.item()


def _bool(self: Tensor) -> bool:
    count = self._geometry.numel
    check(count, lambda: "Boolean value of Tensor with no values is ambiguous")
    check(count == 1, lambda: "Boolean value of Tensor with more than one value is ambiguous")
    return bool(self.item())


def _int(self: Tensor) -> int:
    return _to_int64(_real(_one_element(self), "int64_t"))


def _float(self: Tensor) -> float:
    _warn_of_gradient(self)
    return float(_real(_one_element(self), "double"))


def _real(value: Any, name: str) -> Any:
    if not isinstance(value, complex):
        return value
    check(not value.imag, lambda: f"value cannot be converted to type {name} without overflow")
    return value.real


def _warn_of_gradient(tensor: Tensor) -> None:
    if tensor.requires_grad:
        warn_once(
            "Converting a tensor with requires_grad=True to a scalar may lead to unexpected"
            " behavior.\nConsider using tensor.detach() first. (Triggered internally at"
            " /__w/pytorch/pytorch/torch/csrc/autograd/generated/python_variable_methods.cpp:822.)"
        )


def _complex(self: Tensor) -> complex:
    _warn_of_gradient(self)
    return complex(_one_element(self))


def _index(self: Tensor) -> int:
    if not (self._geometry.numel == 1 and is_integral_dtype(self._dtype, or_bool=True)):
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return _to_int64(self.item())


def _to_int64(number: Any) -> int:
    """Return a number as an int; raise if an integer overflows int64."""
    check(
        isinstance(number, float) or -(2**63) <= number < 2**63,
        lambda: "value cannot be converted to type int64_t without overflow",
    )
    return int(number)


def _repr(self: Tensor, *, tensor_contents: Any = None) -> str:
    return tensor_text(self, contents=tensor_contents)


_NOT_FLIPPED = ("uint16", "uint32", "uint64")


@is_python_frame
def _reversed(self: Tensor) -> Tensor:
    """Return a new tensor, flipped along the first dimension."""
    if not self._geometry.rank:
        return self
    if self._geometry.is_sparse:
        raise no_kernel("flip", self)
    source = resolve_conj_neg(self)
    result = new_copy(source, like_geometry(source, None, source._dtype), source._dtype)
    name = spec_of(self._dtype).name
    has_kernel = name == "bfloat16" or (is_native(self._dtype) and name not in _NOT_FLIPPED)
    if self._geometry.shape[0] > 1 and self._geometry.numel and not has_kernel:
        raise_not_implemented("flip_cpu", self._dtype)
    if source._geometry.device is not META:
        write_raw(result, raw_array(source)[::-1])
    return record_grad_fn(result, (self,), "FlipBackward0")


def _positive(tensor: Tensor) -> Tensor:
    """Return the tensor itself; raise for bool."""
    check(
        spec_of(tensor._dtype).kind is not Kind.BOOL,
        lambda: "The `+` operator, on a bool tensor is not supported.",
    )
    return tensor


def _same_size(tensor: Tensor, other: Tensor) -> bool:
    """Return whether two tensors have the same sizes."""
    tensor, other = resolve_conj_neg(tensor), resolve_conj_neg(other)
    return tensor._geometry.shape == other._geometry.shape


def _is_set_to(tensor: Tensor, other: Tensor) -> bool:
    """Return whether two tensors are the same view of a storage; conj/neg bits are resolved."""
    tensor, other = resolve_conj_neg(tensor), resolve_conj_neg(other)
    check_meta_kernel("is_set_to", tensor, other)
    return (
        tensor._storage is other._storage
        and tensor._offset == other._offset
        and tensor._geometry is other._geometry
    )


for _name, _method in {
    "size": _size, "stride": _stride, "is_contiguous": _is_contiguous, "dim_order": _dim_order,
    "__bool__": _bool,
    "__int__": _int, "__float__": _float, "__complex__": _complex, "__index__": _index,
    "__repr__": _repr, "__reversed__": _reversed, "__format__": format_tensor,
}.items():  # fmt: skip
    if not _name.startswith("__"):
        _method.__name__, _method.__qualname__ = _name, f"Tensor.{_name}"
    METHODS[_name] = _method

for _op in (
    Op("item", {"": _item}, function=False),
    Op("tolist", {"": _tolist}, function=False),
    Op("is_same_size", {"Tensor other": _same_size}),
    Op("is_set_to", {"Tensor tensor": _is_set_to}, function=False),
):
    register_operator(_op)

for _name in (
    "numel", "is_floating_point", "is_complex", "is_signed", "is_inference", "is_conj", "is_neg",
    "is_distributed",
):  # fmt: skip
    register_operator(Op(_name, {"": getattr(Tensor, _name)}, method=False))
