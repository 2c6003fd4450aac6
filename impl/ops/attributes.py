"""What a tensor says of itself when asked with arguments, and what it gives away of its elements."""

from typing import Any

from .. import strides, view_parts, views
from ..elements import codes
from ..errors import check
from ..geometry import strided
from ..layouts import memory_format
from ..parameter_types import _is_integral
from ..printing import format_tensor, tensor_text
from ..reading import python_value, python_values
from ..signatures import Parser
from ..tensor import ReadOnly, Tensor, came_from, view_of
from ..warn import warn_once
from .copies import copied, is_in_format, like_geometry
from .rows import Op, install
from .views import view_as_real

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
    """Tensor.stride(dim=None): the strides, in elements, or one of them."""
    if not args and not keywords:
        return self._geometry.stride
    (dim,) = _parse_stride(args, keywords)
    stride = self._geometry.stride
    return stride if dim is None else _at(stride, dim)


def _at(values: tuple[int, ...], dim: int) -> int:
    wrapped = views.wrap_dim(dim, len(values))
    if not values:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return values[wrapped]


def _is_contiguous(self: Tensor, /, *args: Any, **keywords: Any) -> bool:
    """Tensor.is_contiguous(*, memory_format=torch.contiguous_format): whether it is in that format."""
    if not args and not keywords:
        return self._geometry.is_contiguous
    form = keywords.get("memory_format")
    if args or len(keywords) > 1 or type(form) is not memory_format:
        (form,) = _parse_is_contiguous(args, keywords)
    known = self._geometry.plans.get(form)
    if known is None:
        known = self._geometry.keep(form, is_in_format(self._geometry, form))
    return known  # type: ignore[no-any-return]


def _dim_order(self: Tensor, *, ambiguity_check: Any = False) -> tuple[int, ...]:
    """Tensor.dim_order(*, ambiguity_check=False): the dimensions as they lie, the outermost first.

    With a check, raise if there is more than one such order; a list names
    memory formats of which exactly one may decide.
    """
    plans = self._geometry.plans
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
        geometry.keep("dim_order", order)
    return order


def _item(tensor: Tensor) -> Any:
    """Tensor.item(): the one element as a Python number."""
    geometry = tensor._geometry
    check(
        geometry.numel == 1,
        lambda: f"a Tensor with {geometry.numel} elements cannot be converted to Scalar",
    )
    return python_value(codes(tensor).item(), tensor._dtype)


def _tolist(tensor: Tensor) -> Any:
    """Tensor.tolist(): the elements as nested lists of Python numbers."""
    return python_values(codes(tensor), tensor._dtype)


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


def _reversed(self: Tensor) -> Tensor:
    """Return a tensor of its own with the first dimension the other way round."""
    if not self._geometry.rank:
        return self
    result = copied(self, like_geometry(self, None, self._dtype), self._dtype)
    codes(result)[...] = codes(self)[::-1]
    return came_from(result, (self,), "FlipBackward0")


def _same_size(tensor: Tensor, other: Tensor) -> bool:
    """Tell whether two tensors have the same shape."""
    return tensor._geometry.shape == other._geometry.shape


def _is_set_to(tensor: Tensor, other: Tensor) -> bool:
    """Tell whether two tensors are the same view of the same storage."""
    return (
        tensor._storage is other._storage
        and tensor._offset == other._offset
        and tensor._geometry is other._geometry
    )


def _is_pinned(tensor: Tensor, device: Any = None) -> bool:
    """Tell whether the memory is pinned."""
    return False


def _itself(tensor: Tensor) -> Tensor:
    """Return the tensor itself."""
    return tensor


def _transposed(name: str, change: Any, node: str) -> Any:
    """Make one of the attributes T, H, mT and mH."""

    def get(self: Tensor) -> Tensor:
        geometry = self._geometry
        shape, stride, offset = change(geometry.shape, geometry.stride)
        if not geometry.rank:
            warn_once(views.ZERO_DIM_WARNINGS[name])
        elif name == "T" and geometry.rank != 2:
            warn_once(views.T_WARNING)
        check(
            name in ("T", "mT") or not self._dtype.is_complex,
            lambda: _LAZY,
            NotImplementedError,
        )
        if not geometry.rank and name != "T":
            return self
        return view_of(self, strided(shape, stride), self._offset + offset, node)

    return ReadOnly(get, doc=f"The tensor transposed, as torch's {name}.")


def _matrix(name: str) -> Any:
    return lambda shape, stride: views.matrix_transpose(shape, stride, name)


def _adjoint(tensor: Tensor) -> Tensor:
    """Tensor.adjoint(): the last two dimensions exchanged, and complex numbers conjugated."""
    if not tensor._geometry.rank:
        warn_once(views.ZERO_DIM_WARNINGS["adjoint"])
        return tensor
    check(not tensor._dtype.is_complex, lambda: _LAZY, NotImplementedError)
    geometry = tensor._geometry
    shape, stride, _ = views.matrix_transpose(geometry.shape, geometry.stride, "adjoint()")
    return view_of(tensor, strided(shape, stride), tensor._offset, "TransposeBackward0")


_LAZY = "impl has no lazy conjugation of complex tensors"


def _real_part(self: Tensor) -> Tensor:
    """Return the real parts: the tensor itself unless it is complex, or a view of them."""
    return _part(self, 0) if self._dtype.is_complex else self


def _imaginary_part(self: Tensor) -> Tensor:
    """Return the imaginary parts of a complex tensor, as a view."""
    check(
        self._dtype.is_complex,
        lambda: "imag is not implemented for tensors with non-complex dtypes.",
    )
    return _part(self, 1)


def _part(tensor: Tensor, index: int) -> Tensor:
    pairs = view_as_real(tensor)
    geometry = pairs._geometry
    shape, stride, offset = view_parts.select(geometry.shape, geometry.stride, -1, index)
    return view_of(pairs, strided(shape, stride), pairs._offset + offset, "SelectBackward0")


for _name, _get in (
    ("T", _transposed("T", views.numpy_t, "PermuteBackward0")),
    ("H", _transposed("H", views.matrix_h, "TransposeBackward0")),
    ("mT", _transposed("mT", _matrix("mT"), "TransposeBackward0")),
    ("mH", _transposed("mH", _matrix("mH"), "TransposeBackward0")),
    ("real", ReadOnly(_real_part)),
    ("imag", ReadOnly(_imaginary_part)),
):
    _get.__set_name__(Tensor, _name)
    setattr(Tensor, _name, _get)

for _name, _method in {
    "size": _size, "stride": _stride, "is_contiguous": _is_contiguous, "dim_order": _dim_order,
    "__bool__": _bool,
    "__int__": _int, "__float__": _float, "__complex__": _complex, "__index__": _index,
    "__repr__": _repr, "__reversed__": _reversed, "__format__": format_tensor,
}.items():  # fmt: skip
    if not _name.startswith("__"):
        _method.__name__, _method.__qualname__ = _name, f"Tensor.{_name}"
    setattr(Tensor, _name, _method)

for _op in (
    Op("item", {"": _item}, function=False),
    Op("tolist", {"": _tolist}, function=False),
    Op("is_same_size", {"Tensor other": _same_size}),
    Op("is_set_to", {"Tensor tensor": _is_set_to}, function=False),
    Op("adjoint", {"": _adjoint}),
    Op("is_pinned", {"Device? device=None": _is_pinned}, function=False),
    Op("resolve_conj", {"": _itself}),
    Op("resolve_neg", {"": _itself}),
):
    install(_op)

for _name in (
    "numel", "is_floating_point", "is_complex", "is_signed", "is_inference", "is_conj", "is_neg",
    "is_distributed",
):  # fmt: skip
    install(Op(_name, {"": getattr(Tensor, _name)}, method=False))
