"""Operators that return views: other sizes and strides over the same storage."""

from typing import Any

from ..._argparser.types import is_integral_dtype
from ..._autograd.autograd_meta import is_inference, version_counter
from ..._autograd.tracking import check_no_stale_views
from ..._devices.device import CPU, META
from ..._dtypes.table import as_dtype, spec_of
from ..._geometry import view_dtypes, view_shapes, view_slices
from ..._geometry.extents import INT64_END, Ints
from ..._geometry.geometry import Geometry, strided
from ..._geometry.layout import contiguous_format
from ..._geometry.view_checks import check_sym_ints
from ..._numerics.conj_neg import CONJUGATE, NEGATIVE
from ..._runtime.errors import NotDense, check
from ..._tensor.data_access import raw_array
from ..._tensor.tensor import Tensor, new_tensor
from ..._tensor.views import record_grad_fn, view_of, view_with_dtype
from ..common.clone import clone
from ..common.copy import contiguous
from ..common.registration import Op, install_view, register_operator, view_operator
from ..common.type_strings import type_string


def _as_view(tensor: Tensor, change: Any, node: str) -> Tensor:
    """Return a view with the sizes, the strides and the added offset of ``change``."""
    shape, stride, offset = change
    return view_of(tensor, strided(shape, stride), tensor._offset + offset, node)


def _views(tensor: Tensor, parts: Any, node: str) -> tuple[Tensor, ...]:
    """Return the views of a function with several outputs."""
    return tuple(
        [
            view_of(tensor, strided(shape, stride), tensor._offset + offset, node, output)
            for output, (shape, stride, offset) in enumerate(parts)
        ]
    )


def _shape_and_stride(tensor: Tensor) -> tuple[Any, Any]:
    """Return the sizes and strides of a tensor; raise if views of it are not allowed."""
    check_no_stale_views(tensor)
    return tensor._geometry.shape, tensor._geometry.stride


TRANSPOSES = {
    "transpose": "int64_t dim0, int64_t dim1",
    "swapaxes": "int64_t axis0, int64_t axis1",
    "swapdims": "int64_t dim0, int64_t dim1",
}
"""The names of transpose, and their parameters."""
DIAGONAL = "int64_t offset=0, int64_t dim1=0, int64_t dim2=1"
AS_STRIDED = "SymIntArrayRef size, SymIntArrayRef stride, SymInt? storage_offset=None"

for _name, _parameters, _view_geometry, _node in (
    ("permute", "IntArrayRef dims", view_shapes.permute, "Permute"),
    *((name, TRANSPOSES[name], view_shapes.transpose, "Transpose") for name in TRANSPOSES),
    ("unsqueeze", "int64_t dim", view_shapes.unsqueeze, "Unsqueeze"),
    ("select", "int64_t dim, SymInt index", view_slices.select, "Select"),
    ("unfold", "int64_t dimension, int64_t size, int64_t step", view_slices.unfold, "Unfold"),
    ("diagonal", DIAGONAL, view_slices.diagonal, "Diagonal"),
    ("t", "", view_shapes.t, "T"),
):
    _views_by_parameters: dict[str, Any] = {_parameters: (_view_geometry, f"{_node}Backward0")}
    install_view(_name, _views_by_parameters, function=_name != "unfold")
install_view(
    "squeeze",
    {
        "": (view_shapes.squeeze, "SqueezeBackward0"),
        "int64_t dim": (view_shapes.squeeze, "SqueezeBackward1"),
        "IntArrayRef dim": (view_shapes.squeeze, "SqueezeBackward2"),
    },
)


# Views that depend on more than the geometry.


def _movedim(tensor: Tensor, source: Any, destination: Any) -> Tensor:
    """Return a view with dimensions moved."""
    node = "PermuteBackward0" if tensor._geometry.rank else "AliasBackward0"
    return _as_view(
        tensor, view_shapes.movedim(*_shape_and_stride(tensor), source, destination), node
    )


for _name in ("movedim", "moveaxis"):
    register_operator(
        Op(
            _name,
            {
                "int64_t source, int64_t destination": _movedim,
                "IntArrayRef source, IntArrayRef destination": _movedim,
            },
            cached=True,
        )
    )


def _unflatten(tensor: Tensor, dim: int, sizes: tuple[int, ...]) -> Tensor:
    """Return a view with a dimension split; torch checks the sizes of a sparse tensor, too."""
    size = view_shapes.unflatten(tensor._geometry.shape, dim, sizes)
    return _as_view(tensor, view_shapes.view(*_shape_and_stride(tensor), size), "ViewBackward0")


register_operator(Op("unflatten", {"int64_t dim, SymIntArrayRef sizes": _unflatten}, cached=True))


def reshape(tensor: Tensor, size: tuple[int, ...]) -> Tensor:
    """Return a view of another shape, or a copy if there is no such view."""
    shape, stride = _shape_and_stride(tensor)
    view = view_shapes.reshape(shape, stride, size)
    if view is not None:
        is_contiguous = tensor._geometry.is_contiguous
        return _as_view(tensor, view, "ViewBackward0" if is_contiguous else "ReshapeAliasBackward0")
    copy = clone(tensor, contiguous_format)
    return record_grad_fn(_unsafe_view(copy, size), (tensor,), "UnsafeViewBackward0")


def _unsafe_view(tensor: Tensor, size: tuple[int, ...]) -> Tensor:
    new_shape, stride, _ = view_shapes.view(*_shape_and_stride(tensor), size)
    memory = tensor._storage, strided(new_shape, stride), tensor._offset, tensor._dtype
    return new_tensor(*memory, conj_neg=tensor._conj_neg)


def unsafe_view(tensor: Tensor, size: tuple[int, ...]) -> Tensor:
    """Return another shape of a tensor that nobody else has; it is no view for autograd."""
    check(
        not tensor._geometry.is_sparse,
        lambda: "Cannot access storage of SparseTensorImpl",
        NotImplementedError,
    )
    return record_grad_fn(_unsafe_view(tensor, size), (tensor,), "UnsafeViewBackward0")


def view_dtype(tensor: Tensor, dtype: Any) -> Tensor:
    """Return a view of the same memory with another dtype."""
    dtype = as_dtype(dtype)
    geometry = tensor._geometry
    for bit, name in (
        (CONJUGATE, "conjugate view tensors"),
        (NEGATIVE, "tensors with negative bit set"),
    ):
        check(
            not tensor._conj_neg & bit,
            lambda: (
                f"torch.Tensor.view is not supported for {name} when converting to a different"  # noqa: B023
                " dtype."
            ),
        )
    shape, stride, offset = view_dtypes.view_dtype(
        geometry.shape, geometry.stride, tensor._offset, tensor._dtype.itemsize, dtype.itemsize,
        spec_of(tensor._dtype).cpp_name, spec_of(dtype).cpp_name,
    )  # fmt: skip
    view = new_tensor(tensor._storage, strided(shape, stride), offset, dtype)
    if not is_inference(tensor) and not is_inference(view):
        view._version_counter = version_counter(tensor)
    return view


view = view_operator(view_shapes.view, "ViewBackward0")
_narrow = view_operator(view_slices.narrow, "SliceBackward0")


def expand(tensor: Tensor, size: tuple[int, ...], implicit: bool = False) -> Tensor:
    """Return a view with dimensions of size 1 expanded."""
    name = type_string(tensor)
    return _as_view(
        tensor, view_shapes.expand(*_shape_and_stride(tensor), size, name), "ExpandBackward0"
    )


def _as_other(run: Any) -> Any:
    def run_as(tensor: Tensor, other: Tensor) -> Tensor:
        """Return the tensor in the shape of another tensor."""
        return run(tensor, other._geometry.shape)  # type: ignore[no-any-return]

    return run_as


def _flatten(tensor: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Return the tensor with a range of dimensions merged, as a view if possible."""
    size = view_shapes.flatten(tensor._geometry.shape, start_dim, end_dim)
    return tensor if size is None else reshape(tensor, size)


def _ravel(tensor: Tensor) -> Tensor:
    """Return the tensor in one dimension, as a view if it is contiguous."""
    return view(contiguous(tensor), (-1,))  # type: ignore[no-any-return]


def _narrow_from_tensor(tensor: Tensor, dim: int, start: Tensor, length: int) -> Tensor:
    """Return a view of ``length`` indices of a dimension, with a tensor as ``start``."""
    check_start(start)
    first = start.item()
    check(
        first < INT64_END,  # of a tensor of uint64
        lambda: "value cannot be converted to type int64_t without overflow",
    )
    part: Tensor = _narrow(tensor, dim, first, length)
    return part


def check_start(start: Tensor) -> None:
    """Raise if a tensor cannot be the start of `narrow`."""
    check(
        not start._geometry.rank and is_integral_dtype(start._dtype, or_bool=False),
        lambda: "start must be an 0-dim integral Tensor.",
    )


def unbind(tensor: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Return a view of each index of a dimension."""
    return _views(tensor, view_slices.unbind(*_shape_and_stride(tensor), dim), "UnbindBackward0")


def _chunk(tensor: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Return views of at most ``chunks`` parts of a dimension."""
    parts = view_slices.chunk(*_shape_and_stride(tensor), chunks, dim)
    # Torch splits an empty dimension by a list of zero sizes.
    is_empty = not tensor._geometry.shape[dim]
    return _views(tensor, parts, "SplitWithSizesBackward0" if is_empty else "SplitBackward0")


def _tensor_split(tensor: Tensor, sections: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Return views of ``sections`` parts of a dimension, the first ones larger by one."""
    return _slices(tensor, view_slices.tensor_split(*_shape_and_stride(tensor), sections, dim))


def _tensor_split_at(tensor: Tensor, indices: tuple[int, ...], dim: int = 0) -> tuple[Tensor, ...]:
    """Return views of the parts of a dimension between indices."""
    return _slices(tensor, view_slices.tensor_split_at(*_shape_and_stride(tensor), indices, dim))


def _tensor_split_by(tensor: Tensor, sections: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Return views of parts of a dimension; a tensor has the sections or the indices."""
    parts = read_sections(tensor._geometry.shape, sections)
    if isinstance(parts, tuple):
        return _tensor_split_at(tensor, parts, dim)
    return _tensor_split(tensor, parts, dim)


def read_sections(shape: Ints, sections: Tensor) -> Any:
    """Return the number of parts of a shape, or the tuple of indices between them, of a tensor."""
    view_slices.check_can_split(shape)
    rank = sections._geometry.rank
    check(
        sections._geometry.device is CPU,
        lambda: (
            "tensor_split expected tensor_indices_or_sections to be on cpu, but it's on"
            f" {sections._geometry.device}"
        ),
    )
    check(
        spec_of(sections._dtype).name == "int64",
        lambda: (
            "tensor_split expected tensor_indices_or_sections to have dtype of long, but got"
            f" {spec_of(sections._dtype).cpp_name}"
        ),
    )
    check(
        rank <= 1,
        lambda: (
            "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or"
            f" one-dimensional tensor, but got a tensor with {rank} dims"
        ),
    )
    if not rank:
        return sections.item()
    check(
        not sections._geometry.is_sparse,
        lambda: "Cannot access data pointer of Tensor that doesn't have storage",
    )
    indices = tuple(raw_array(sections).tolist())
    check_sym_ints(indices)
    return indices


def _slices(tensor: Tensor, parts: Any) -> tuple[Tensor, ...]:
    """Return views that autograd records as separate slices."""
    return tuple([_as_view(tensor, part, "SliceBackward0") for part in parts])


def split_view(tensor: Tensor, size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Return views of parts of a dimension, of one size or of a tuple of sizes."""
    node = "SplitWithSizesBackward0" if isinstance(size, tuple) else "SplitBackward0"
    return _views(tensor, view_slices.split(*_shape_and_stride(tensor), size, dim), node)


def strided_view(
    tensor: Tensor, size: Any, stride: Any, storage_offset: int | None, *, wraps: bool = False
) -> tuple[Geometry, int]:
    """Return a geometry of any sizes and strides, and its offset, within a tensor's storage.

    ``wraps``: the operator works in place; any other has no bounds on meta (setStrided).
    """
    is_bounded = wraps or tensor._geometry.device is not META
    shape, new_stride, offset = view_dtypes.as_strided(
        size, stride, storage_offset,
        storage_bytes=tensor._storage._size if is_bounded else None,
        itemsize=tensor._dtype.itemsize,
        current_offset=tensor._offset,
        wraps=wraps,
    )  # fmt: skip
    return strided(shape, new_stride), offset


def as_strided(tensor: Tensor, *bound: Any, node: str = "AsStridedBackward0") -> Tensor:
    """Return a view of any sizes, strides and storage offset; raise if the storage is too small."""
    if tensor._geometry.is_sparse:
        raise NotDense
    return view_of(tensor, *strided_view(tensor, *bound), node)


def view_as_real(tensor: Tensor) -> Tensor:
    """Return a real view of a complex tensor, with a last dimension of size 2."""
    shape, stride, offset = view_dtypes.view_as_real(
        *_shape_and_stride(tensor), tensor._offset,
        is_complex=tensor._dtype.is_complex, is_conj=tensor._conj_neg & CONJUGATE != 0,
    )  # fmt: skip
    geometry, dtype = strided(shape, stride), tensor._dtype.to_real()
    return view_with_dtype(tensor, geometry, offset, dtype, "ViewAsRealBackward0")


def view_as_complex(tensor: Tensor) -> Tensor:
    """Return a complex view of a real tensor with a last dimension of size 2."""
    shape, stride, offset = _complex_geometry(tensor)
    geometry, dtype = strided(shape, stride), tensor._dtype.to_complex()
    view = view_with_dtype(tensor, geometry, offset, dtype, "ViewAsComplexBackward0")
    if view._autograd_meta is not None and tensor._view_base is None:
        view._autograd_meta.check_base = _complex_geometry
    return view


def _complex_geometry(tensor: Tensor) -> Any:
    return view_dtypes.view_as_complex(
        *_shape_and_stride(tensor), tensor._offset, spec_of(tensor._dtype).cpp_name
    )


for _op in (
    Op("reshape", {"SymIntArrayRef shape": reshape}, cached=True),
    Op(
        "view",
        {"ScalarType dtype": view_dtype, "SymIntArrayRef size": view},
        function=False,
        cached=True,
    ),
    Op("view_as", {"Tensor other": _as_other(view)}, function=False),
    Op("reshape_as", {"Tensor other": _as_other(reshape)}, function=False),
    Op(
        "expand",
        {"SymIntArrayRef size, *, bool implicit=False": expand},
        function=False,
        cached=True,
    ),
    Op("expand_as", {"Tensor other": _as_other(expand)}, function=False),
    Op("broadcast_to", {"SymIntArrayRef size": expand}, cached=True),
    Op("flatten", {"int64_t start_dim=0, int64_t end_dim=-1": _flatten}, cached=True),
    Op("ravel", {"": _ravel}, cached=True),
    Op(
        "narrow",
        {
            "int64_t dim, Tensor start, SymInt length": _narrow_from_tensor,
            "int64_t dim, SymInt start, SymInt length": _narrow,
        },
        cached=True,
    ),
    Op("unbind", {"int64_t dim=0": unbind}),
    Op(
        "tensor_split",
        {
            "SymIntArrayRef indices, int64_t dim=0": _tensor_split_at,
            "Tensor tensor_indices_or_sections, int64_t dim=0": _tensor_split_by,
            "SymInt sections, int64_t dim=0": _tensor_split,
        },
    ),
    Op("chunk", {"int64_t chunks, int64_t dim=0": _chunk}),
    Op("split_with_sizes", {"SymIntArrayRef split_sizes, int64_t dim=0": split_view}),
    Op("as_strided", {AS_STRIDED: as_strided}),
    Op("view_as_real", {"": view_as_real}, method=False),
    Op("view_as_complex", {"": view_as_complex}, method=False),
):
    register_operator(_op)
