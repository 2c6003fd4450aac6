"""The operators that return views: other shapes and strides over the same memory."""

from typing import Any

from ..._autograd.autograd_meta import is_inference, version_counter
from ..._autograd.tracking import check_usable
from ..._devices.device import CPU
from ..._dtypes.table import Kind, as_dtype, dtype, spec_of
from ..._geometry import (
    view_dtypes,
    view_shapes,
    view_slices,
)
from ..._geometry.geometry import strided
from ..._geometry.layout import contiguous_format
from ..._numerics.conj_neg import CONJUGATE, NEGATIVE
from ..._runtime.errors import check
from ..._tensor.data_access import raw_array
from ..._tensor.tensor import Tensor, new_tensor, record_grad_fn, typed_view_of, view_of
from ..common.clone import clone
from ..common.copy import contiguous
from ..common.registration import Op, install, install_view

_WITH_LEGACY_NAME = ("Byte", "Char", "Short", "Int", "Long", "Half", "Float", "Double")


def type_string(dtype: dtype) -> str:
    """Return what torch's C++ messages call a tensor of a dtype."""
    name = spec_of(dtype).cpp_name
    if name in _WITH_LEGACY_NAME:
        return f"torch.{name}Tensor"
    return f"{'Quantized' if spec_of(dtype).kind is Kind.QUANTIZED else ''}CPU{name}Type"


def _changed(tensor: Tensor, change: Any, node: str) -> Tensor:
    """Make a view of a changed geometry: a shape, strides and what is added to the offset."""
    shape, stride, offset = change
    return view_of(tensor, strided(shape, stride), tensor._offset + offset, node)


def _several(tensor: Tensor, parts: Any, node: str) -> tuple[Tensor, ...]:
    """Make the views that one function returns."""
    return tuple(
        [
            view_of(tensor, strided(shape, stride), tensor._offset + offset, node, output)
            for output, (shape, stride, offset) in enumerate(parts)
        ]
    )


def _shape_and_stride(tensor: Tensor) -> tuple[Any, Any]:
    """Return the geometry that a view is made of, if one may be made."""
    check_usable(tensor)
    return tensor._geometry.shape, tensor._geometry.stride


install_view("permute", {"IntArrayRef dims": (view_shapes.permute, "PermuteBackward0")})
install_view(
    "transpose", {"int64_t dim0, int64_t dim1": (view_shapes.transpose, "TransposeBackward0")}
)
install_view(
    "swapaxes", {"int64_t axis0, int64_t axis1": (view_shapes.transpose, "TransposeBackward0")}
)
install_view(
    "swapdims", {"int64_t dim0, int64_t dim1": (view_shapes.transpose, "TransposeBackward0")}
)
install_view("unsqueeze", {"int64_t dim": (view_shapes.unsqueeze, "UnsqueezeBackward0")})
install_view(
    "squeeze",
    {
        "": (view_shapes.squeeze, "SqueezeBackward0"),
        "int64_t dim": (view_shapes.squeeze, "SqueezeBackward1"),
        "IntArrayRef dim": (view_shapes.squeeze, "SqueezeBackward2"),
    },
)
install_view("select", {"int64_t dim, SymInt index": (view_slices.select, "SelectBackward0")})
install_view(
    "unflatten",
    {
        "int64_t dim, SymIntArrayRef sizes": (
            lambda shape, stride, dim, sizes: view_shapes.view(
                shape, stride, view_shapes.unflatten(shape, dim, sizes)
            ),
            "ViewBackward0",
        )
    },
)
install_view(
    "unfold",
    {"int64_t dimension, int64_t size, int64_t step": (view_slices.unfold, "UnfoldBackward0")},
    function=False,
)
install_view(
    "diagonal",
    {
        "int64_t offset=0, int64_t dim1=0, int64_t dim2=1": (
            view_slices.diagonal,
            "DiagonalBackward0",
        )
    },
)
install_view("t", {"": (view_shapes.t, "TBackward0")})


# Views that need more than a geometry.


def _movedim(tensor: Tensor, source: Any, destination: Any) -> Tensor:
    """Return the view with some dimensions moved."""
    node = "PermuteBackward0" if tensor._geometry.rank else "AliasBackward0"
    return _changed(
        tensor, view_shapes.movedim(*_shape_and_stride(tensor), source, destination), node
    )


for _name in ("movedim", "moveaxis"):
    install(
        Op(
            _name,
            {
                "int64_t source, int64_t destination": _movedim,
                "IntArrayRef source, IntArrayRef destination": _movedim,
            },
            cached=True,
        )
    )


def _reshape(tensor: Tensor, size: tuple[int, ...]) -> Tensor:
    """Return a view of another shape, or a copy where there is none."""
    shape, stride = _shape_and_stride(tensor)
    view = view_shapes.reshape(shape, stride, size)
    if view is not None:
        contiguous = tensor._geometry.is_contiguous
        return _changed(tensor, view, "ViewBackward0" if contiguous else "ReshapeAliasBackward0")
    copy = clone(tensor, contiguous_format)
    view = view_shapes.view(shape, copy._geometry.stride, size)
    result = new_tensor(copy._storage, strided(*view[:2]), 0, copy._dtype)
    return record_grad_fn(result, (tensor,), "UnsafeViewBackward0")


def _view_dtype(tensor: Tensor, wanted: Any) -> Tensor:
    """Return a view of the same memory as elements of another dtype."""
    dtype = as_dtype(wanted)
    geometry = tensor._geometry
    for bit, what in (
        (CONJUGATE, "conjugate view tensors"),
        (NEGATIVE, "tensors with negative bit set"),
    ):
        check(
            not tensor._conj_neg & bit,
            lambda: (
                f"torch.Tensor.view is not supported for {what} when converting to a different"  # noqa: B023
                " dtype."
            ),
        )
    shape, stride, offset = view_dtypes.view_dtype(
        geometry.shape, geometry.stride, tensor._offset, tensor._dtype.itemsize, dtype.itemsize,
        spec_of(tensor._dtype).cpp_name, spec_of(dtype).cpp_name,
    )  # fmt: skip
    view = new_tensor(tensor._storage, strided(shape, stride), offset, dtype, type(tensor))
    if not is_inference(tensor) and not is_inference(view):
        view._version_counter = version_counter(tensor)
    return view


def _view(tensor: Tensor, size: tuple[int, ...]) -> Tensor:
    """Return a view of another shape or dtype; raise where only a copy can have it."""
    return _changed(tensor, view_shapes.view(*_shape_and_stride(tensor), size), "ViewBackward0")


def _view_as(tensor: Tensor, other: Tensor) -> Tensor:
    """Return a view of the shape of another tensor."""
    return _view(tensor, other._geometry.shape)


def _reshape_as(tensor: Tensor, other: Tensor) -> Tensor:
    """Return the tensor in the shape of another, as a view where there is one."""
    return _reshape(tensor, other._geometry.shape)


def _expand(tensor: Tensor, size: tuple[int, ...], implicit: bool = False) -> Tensor:
    """Return a view in which dimensions of size 1 are repeated."""
    name = type_string(tensor._dtype)
    return _changed(
        tensor, view_shapes.expand(*_shape_and_stride(tensor), size, name), "ExpandBackward0"
    )


def _expand_as(tensor: Tensor, other: Tensor) -> Tensor:
    """Return a view expanded to the size of another tensor."""
    return _expand(tensor, other._geometry.shape)


def _flatten(tensor: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Return the tensor with a range of dimensions made one."""
    size = view_shapes.flatten(tensor._geometry.shape, start_dim, end_dim)
    return tensor if size is None else _reshape(tensor, size)


def _ravel(tensor: Tensor) -> Tensor:
    """Return the tensor in one dimension."""
    return _view(contiguous(tensor), (-1,))


def _narrow(tensor: Tensor, dim: int, start: int, length: int) -> Tensor:
    """Return the view of ``length`` places of a dimension."""
    return _changed(
        tensor, view_slices.narrow(*_shape_and_stride(tensor), dim, start, length), "SliceBackward0"
    )


def _narrow_from_tensor(tensor: Tensor, dim: int, start: Tensor, length: int) -> Tensor:
    """Return the view of ``length`` places of a dimension, from where a tensor says."""
    kind = spec_of(start._dtype).kind
    check(
        not start._geometry.rank and kind in (Kind.UNSIGNED, Kind.SIGNED),
        lambda: "start must be an 0-dim integral Tensor.",
    )
    dim = view_shapes.wrap_dim(dim, tensor._geometry.rank)
    return _narrow(tensor, dim, start.item(), length)


def _unbind(tensor: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Return the views of each place in a dimension."""
    return _several(tensor, view_slices.unbind(*_shape_and_stride(tensor), dim), "UnbindBackward0")


def _chunk(tensor: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Return the views of at most ``chunks`` parts of a dimension."""
    parts = view_slices.chunk(*_shape_and_stride(tensor), chunks, dim)
    # Nothing is split by sizes, all of them 0.
    is_empty = not tensor._geometry.shape[dim]
    return _several(tensor, parts, "SplitWithSizesBackward0" if is_empty else "SplitBackward0")


def _tensor_split(tensor: Tensor, sections: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Return the views of so many parts of a dimension, the first ones larger by one."""
    return _slices(tensor, view_slices.tensor_split(*_shape_and_stride(tensor), sections, dim))


def _tensor_split_at(tensor: Tensor, indices: tuple[int, ...], dim: int = 0) -> tuple[Tensor, ...]:
    """Return the views of the parts of a dimension between some places."""
    return _slices(tensor, view_slices.tensor_split_at(*_shape_and_stride(tensor), indices, dim))


def _tensor_split_from_tensor(tensor: Tensor, given: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Return the views of parts of a dimension: so many, or between places, as a tensor says."""
    view_slices.check_can_split(tensor._geometry.shape)
    rank = given._geometry.rank
    check(
        given._geometry.device is CPU,
        lambda: (
            "tensor_split expected tensor_indices_or_sections to be on cpu, but it's on"
            f" {given._geometry.device}"
        ),
    )
    check(
        spec_of(given._dtype).name == "int64",
        lambda: (
            "tensor_split expected tensor_indices_or_sections to have dtype of long, but got"
            f" {spec_of(given._dtype).cpp_name}"
        ),
    )
    check(
        rank <= 1,
        lambda: (
            "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or"
            f" one-dimensional tensor, but got a tensor with {rank} dims"
        ),
    )
    values = raw_array(given).tolist()
    if not rank:
        return _tensor_split(tensor, values, dim)
    return _tensor_split_at(tensor, tuple(values), dim)


def _slices(tensor: Tensor, parts: Any) -> tuple[Tensor, ...]:
    """Make views that autograd takes for slices made one by one, though one function returns them."""
    return tuple([_changed(tensor, each, "SliceBackward0") for each in parts])


def split_view(tensor: Tensor, size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Return the views of parts of a dimension."""
    node = "SplitWithSizesBackward0" if isinstance(size, tuple) else "SplitBackward0"
    return _several(tensor, view_slices.split(*_shape_and_stride(tensor), size, dim), node)


def as_strided(tensor: Tensor, size: Any, stride: Any, storage_offset: int | None) -> Tensor:
    """Return the view of any shape, strides and offset that the storage holds."""
    shape, steps, offset = view_dtypes.as_strided(
        size, stride, storage_offset,
        storage_bytes=tensor._storage._size,
        itemsize=tensor._dtype.itemsize,
        current_offset=tensor._offset,
    )  # fmt: skip
    return view_of(tensor, strided(shape, steps), offset, "AsStridedBackward0")


def view_as_real(tensor: Tensor) -> Tensor:
    """Return complex elements as pairs of real ones, in a dimension more."""
    shape, stride, offset = view_dtypes.view_as_real(
        *_shape_and_stride(tensor), tensor._offset,
        is_complex=tensor._dtype.is_complex, is_conj=tensor._conj_neg & CONJUGATE != 0,
    )  # fmt: skip
    geometry, dtype = strided(shape, stride), tensor._dtype.to_real()
    return typed_view_of(tensor, geometry, offset, dtype, "ViewAsRealBackward0")


def view_as_complex(tensor: Tensor) -> Tensor:
    """Return pairs of real elements, which are the last dimension, as complex ones."""
    shape, stride, offset = _pairs_as_complex(tensor)
    geometry, dtype = strided(shape, stride), tensor._dtype.to_complex()
    view = typed_view_of(tensor, geometry, offset, dtype, "ViewAsComplexBackward0")
    if view._autograd_meta is not None and tensor._base is None:
        view._autograd_meta.refuse_base = _pairs_as_complex
    return view


def _pairs_as_complex(tensor: Tensor) -> Any:
    return view_dtypes.view_as_complex(
        *_shape_and_stride(tensor), tensor._offset, spec_of(tensor._dtype).cpp_name
    )


for _op in (
    Op("reshape", {"SymIntArrayRef shape": _reshape}, cached=True),
    Op(
        "view",
        {"ScalarType dtype": _view_dtype, "SymIntArrayRef size": _view},
        function=False,
        cached=True,
    ),
    Op("view_as", {"Tensor other": _view_as}, function=False),
    Op("reshape_as", {"Tensor other": _reshape_as}, function=False),
    Op("expand", {"SymIntArrayRef size, *, bool implicit=False": _expand}, function=False),
    Op("expand_as", {"Tensor other": _expand_as}, function=False),
    Op("broadcast_to", {"SymIntArrayRef size": _expand}),
    Op("flatten", {"int64_t start_dim=0, int64_t end_dim=-1": _flatten}),
    Op("ravel", {"": _ravel}),
    Op(
        "narrow",
        {
            "int64_t dim, Tensor start, SymInt length": _narrow_from_tensor,
            "int64_t dim, SymInt start, SymInt length": _narrow,
        },
    ),
    Op("unbind", {"int64_t dim=0": _unbind}),
    Op(
        "tensor_split",
        {
            "SymIntArrayRef indices, int64_t dim=0": _tensor_split_at,
            "Tensor tensor_indices_or_sections, int64_t dim=0": _tensor_split_from_tensor,
            "SymInt sections, int64_t dim=0": _tensor_split,
        },
    ),
    Op("chunk", {"int64_t chunks, int64_t dim=0": _chunk}),
    Op("split_with_sizes", {"SymIntArrayRef split_sizes, int64_t dim=0": split_view}),
    Op(
        "as_strided",
        {
            "SymIntArrayRef size, SymIntArrayRef stride, SymInt? storage_offset=None": as_strided,
        },
    ),
    Op("view_as_real", {"": view_as_real}, method=False),
    Op("view_as_complex", {"": view_as_complex}, method=False),
):
    install(_op)
