"""What a tensor says of itself when asked with arguments, and what it gives away of its elements."""

from typing import Any

from ..._argparser.parser import Parser
from ..._argparser.types import _is_integral
from ..._arrays.numpy_bridge import is_native
from ..._arrays.opaque_dtypes import is_opaque
from ..._devices.device import META
from ..._dtypes.table import Kind, spec_of
from ..._geometry import strides, view_shapes
from ..._geometry.geometry import Geometry
from ..._geometry.layout import memory_format
from ..._numerics.from_python import python_value, python_values
from ..._runtime.device_modes import is_named
from ..._runtime.errors import check
from ..._runtime.warnings import shown_in_warnings, warn_once
from ..._tensor.data_access import check_has_data, raw_array, write_raw
from ..._tensor.printing import format_tensor, tensor_text
from ..._tensor.sparse_dispatch import could_not_run
from ..._tensor.tensor import METHODS, Tensor, record_grad_fn
from ..common.clone import copied, is_in_format, like_geometry
from ..common.conj_neg_fallback import resolved
from ..common.device_checks import check_has_numbers
from ..common.registration import Op, install

_parse_size = Parser("size(int64_t? dim=None)")
_parse_stride = Parser("stride(int64_t? dim=None)")
_parse_is_contiguous = Parser("is_contiguous(*, MemoryFormat memory_format=contiguous_format)")


def _size(self: Tensor, /, *args: Any, **keywords: Any) -> Any:
    """Tensor.size(dim=None): the sizes of the dimensions, or of one."""
    shape = self._geometry.shape
    if not args and not keywords:
        return shape
    (dim,) = _parse_size(args, keywords)
    return shape if dim is None else _at(shape, dim)


def _stride(self: Tensor, /, *args: Any, **keywords: Any) -> Any:
    """Tensor.stride(dim=None): the strides, in elements, or one of them; a sparse tensor has none but zeros."""
    geometry = self._geometry
    if not args and not keywords:
        return _no_strides(geometry) if geometry.is_sparse else geometry.stride
    (dim,) = _parse_stride(args, keywords)
    stride = _no_strides(geometry) if geometry.is_sparse else geometry.stride
    return stride if dim is None else _at(stride, dim)


def _no_strides(geometry: Geometry) -> tuple[int, ...]:
    """Return what torch says of a sparse tensor's strides: zeros, but where the shape was never changed."""
    never_changed = geometry.shape == (0,) and not geometry.cleared  # type: ignore[attr-defined]
    return (1,) if never_changed else (0,) * geometry.rank


def _at(values: tuple[int, ...], dim: int) -> int:
    if not values:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return values[view_shapes.wrap_dim(dim, len(values))]


def _is_contiguous(self: Tensor, /, *args: Any, **keywords: Any) -> bool:
    """Tensor.is_contiguous(*, memory_format=torch.contiguous_format): whether it is in that format."""
    if self._geometry.is_sparse:
        if args or keywords:
            _parse_is_contiguous(args, keywords)
        return False
    if not args and not keywords:
        return self._geometry.is_contiguous
    form = keywords.get("memory_format")
    if args or len(keywords) > 1 or type(form) is not memory_format:
        (form,) = _parse_is_contiguous(args, keywords)
    known = self._geometry.cache.get(form)
    if known is None:
        known = self._geometry.remember(form, is_in_format(self._geometry, form))
    return known  # type: ignore[no-any-return]


def _dim_order(self: Any, *, ambiguity_check: Any = False) -> tuple[int, ...]:
    """Tensor.dim_order(*, ambiguity_check=False): the dimensions as they lie, the outermost first.

    With a check, raise if there is more than one such order; a list names
    memory formats of which exactly one may decide.
    """
    check(
        not self._geometry.is_sparse,
        lambda: (
            f"Can't get dim order on sparse type: {self.type()} Use Tensor.to_dense() to"
            " convert to a dense tensor first."
        ),
        AttributeError,
    )
    plans = self._geometry.cache
    if is_named():
        # A mode is not told of the check (handle_torch_function in torch/_tensor.py).
        ambiguity_check = False
    if ambiguity_check is False:
        order = plans.get("dim_order")
        if order is not None:
            return order  # type: ignore[no-any-return]
    elif ambiguity_check is not True:
        check(
            type(ambiguity_check) is list
            and all(type(each) is memory_format for each in ambiguity_check),
            lambda: "The ambiguity_check argument must be a bool or a list of memory formats.",
            TypeError,
        )
        ambiguity_check = tuple(str(each).removeprefix("torch.") for each in ambiguity_check)
    geometry = self._geometry
    order = strides.dim_order(geometry.shape, geometry.stride, ambiguity_check)
    if ambiguity_check is False:
        geometry.remember("dim_order", order)
    return order


def _item(tensor: Tensor) -> Any:
    """Tensor.item(): the one element as a Python number."""
    geometry = tensor._geometry
    check(
        geometry.numel == 1,
        lambda: f"a Tensor with {geometry.numel} elements cannot be converted to Scalar",
    )
    if is_opaque(tensor._dtype):
        python_value(0, tensor._dtype)
    check_has_numbers(tensor)
    if tensor._conj_neg:
        tensor = resolved(tensor)
    return python_value(raw_array(tensor).item(), tensor._dtype)


def _tolist(tensor: Tensor) -> Any:
    """Tensor.tolist(): the elements as nested lists of Python numbers."""
    check(
        not (is_opaque(tensor._dtype) and tensor._geometry.numel),
        lambda: "load_scalar: invalid type",
    )
    check_has_data(tensor)
    if tensor._conj_neg:
        tensor = resolved(tensor)
    return python_values(raw_array(tensor), tensor._dtype)


def _one_element(tensor: Tensor) -> Any:
    check(
        tensor._geometry.numel == 1,
        lambda: "only one element tensors can be converted to Python scalars",
        ValueError,
    )
    return tensor.item()


def _bool(self: Tensor) -> bool:
    count = self._geometry.numel
    check(count, lambda: "Boolean value of Tensor with no values is ambiguous")
    check(count == 1, lambda: "Boolean value of Tensor with more than one value is ambiguous")
    return bool(self.item())


def _int(self: Tensor) -> int:
    return _in_int64(_real(_one_element(self), "int64_t"))


def _float(self: Tensor) -> float:
    _warn_of_gradient(self)
    return float(_real(_one_element(self), "double"))


def _real(value: Any, name: str) -> Any:
    if isinstance(value, complex):
        check(
            not value.imag,
            lambda: f"value cannot be converted to type {name} without overflow",
        )
        return value.real
    return value


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
    check(
        self._geometry.numel == 1 and _is_integral(self._dtype, or_bool=True),
        lambda: "only integer tensors of a single element can be converted to an index",
        TypeError,
    )
    return _in_int64(self.item())


def _in_int64(number: Any) -> int:
    """Return an int, which torch reads as an int64; a float may be larger."""
    check(
        isinstance(number, float) or -(2**63) <= number < 2**63,
        lambda: "value cannot be converted to type int64_t without overflow",
    )
    return int(number)


def _repr(self: Tensor, *, tensor_contents: Any = None) -> str:
    return tensor_text(self, contents=tensor_contents)


_NOT_FLIPPED = ("uint16", "uint32", "uint64")


@shown_in_warnings
def _reversed(self: Tensor) -> Tensor:
    """Return a tensor of its own with the first dimension the other way round."""
    if not self._geometry.rank:
        return self
    if self._geometry.is_sparse:
        raise could_not_run("flip")
    source = resolved(self)
    result = copied(source, like_geometry(source, None, source._dtype), source._dtype)
    row = spec_of(self._dtype)
    check(
        self._geometry.shape[0] < 2
        or not self._geometry.numel
        or (is_native(self._dtype) and row.name not in _NOT_FLIPPED)
        or row.name == "bfloat16",
        lambda: f"\"flip_cpu\" not implemented for '{row.cpp_name}'",
        NotImplementedError,
    )
    if source._geometry.device is not META:
        write_raw(result, raw_array(source)[::-1])
    return record_grad_fn(result, (self,), "FlipBackward0")


def _positive(tensor: Tensor) -> Tensor:
    """Return the tensor itself; bools have no sign."""
    check(
        spec_of(tensor._dtype).kind is not Kind.BOOL,
        lambda: "The `+` operator, on a bool tensor is not supported.",
    )
    return tensor


def _same_size(tensor: Tensor, other: Tensor) -> bool:
    """Tell whether two tensors have the same shape."""
    tensor, other = resolved(tensor), resolved(other)
    return tensor._geometry.shape == other._geometry.shape


def _is_set_to(tensor: Tensor, other: Tensor) -> bool:
    """Tell whether two tensors are the same view of the same storage; torch asks clones of lazy ones."""
    tensor, other = resolved(tensor), resolved(other)
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
    install(_op)

for _name in (
    "numel", "is_floating_point", "is_complex", "is_signed", "is_inference", "is_conj", "is_neg",
    "is_distributed",
):  # fmt: skip
    install(Op(_name, {"": getattr(Tensor, _name)}, method=False))
