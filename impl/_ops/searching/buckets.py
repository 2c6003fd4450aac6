"""searchsorted and bucketize (ATen/native/Bucketization.cpp and BucketizationUtils.h)."""

from math import prod
from typing import Any, NamedTuple

from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._autograd.autograd_meta import bump_version
from ..._devices.device import CPU, META, device
from ..._dtypes.constants import INT32, INT64
from ..._dtypes.table import dtype, spec_of
from ..._geometry.geometry import dense, on_device
from ..._geometry.layout import contiguous_format
from ..._kernels.bounds import bounds
from ..._numerics.cast import to_numbers
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import NotDense, check
from ..._runtime.warnings import triggered_at, warn_once
from ..._tensor.allocation import empty_with, resize_output
from ..._tensor.data_access import raw_array, tensor_from_raw
from ..._tensor.factories import python_scalar
from ..._tensor.tensor import Tensor, shallow_copy
from ..common.array_plans import note_arrays
from ..common.clone import empty_like_geometry
from ..common.conj_neg_fallback import resolves_conj_neg
from ..common.copy import contiguous, copy_into, scalar_to_tensor, to_dtype
from ..common.memory_overlap import check_copy_overlap
from ..common.meta_reference import in_reference, is_on_meta, write_reference
from ..common.result_type import result_type_of
from ..elementwise.binding import Overload, install_operator
from ..elementwise.plan import NUMBERS


class _Search(NamedTuple):
    """The options of a search.

    dtype: the dtype of the places
    right: whether the places are after equal elements
    side: the word for that, if there is one
    """

    dtype: dtype
    right: bool
    side: str | None = None


@resolves_conj_neg
def _searchsorted(
    rows: Tensor,
    values: Any,
    out_int32: bool,
    right: bool,
    side: str | None,
    sorter: Tensor | None,
    out: Tensor | None = None,
) -> Tensor:
    search = _Search(INT32 if out_int32 else INT64, right, side)
    if side is None and sorter is None and out is None:
        tensor = _value_tensor(values, rows)
        if tensor is not None and _is_simple(rows, tensor):
            return _simple_search(search, rows, tensor, (rows, values))
    _check_dense(rows, values, sorter, out)
    if is_on_meta(rows, values, sorter, out):
        result: Tensor = in_reference(_search_on_meta, search, rows, values, sorter, out)
        return result
    return _search(search, rows, values, sorter, out)


@resolves_conj_neg
def _bucketize(
    values: Any, boundaries: Tensor, out_int32: bool, right: bool, out: Tensor | None = None
) -> Tensor:
    search = _Search(INT32 if out_int32 else INT64, right)
    if out is None:
        tensor = _value_tensor(values, boundaries)
        if tensor is not None and boundaries._geometry.rank == 1 and _is_simple(boundaries, tensor):
            return _simple_search(search, boundaries, tensor, (values, boundaries))
    _check_dense(boundaries, values, out)
    if is_on_meta(boundaries, values, out):
        result: Tensor = in_reference(_places_on_meta, search, boundaries, values, out)
        return result
    rank = boundaries._geometry.rank
    check(rank == 1, lambda: f"boundaries tensor must be 1 dimension, but got dim({rank})")
    return _search(search, boundaries, values, None, out)


def _value_tensor(values: Any, rows: Tensor) -> Tensor | None:
    """Return the values as a tensor; None for a number that is searched on another device."""
    if isinstance(values, Tensor):
        return values
    is_plain = not rows._geometry.is_sparse and rows._geometry.device is CPU
    return scalar_to_tensor(values) if is_plain else None


def _is_simple(rows: Tensor, values: Tensor) -> bool:
    """Return whether nothing is to be checked or converted before a search."""
    left, right = rows._geometry, values._geometry
    return (
        (left.rank == 1 or (left.numel > 0 and left.shape[:-1] == right.shape[:-1]))
        and left.rank > 0
        and left.is_contiguous
        and right.is_contiguous
        and left.device is right.device is not META
        and right.numel > 0
        and rows._dtype is values._dtype
        and rows._dtype in NUMBERS
    )


def _simple_search(
    search: _Search, rows: Tensor, values: Tensor, operands: tuple[Any, Any]
) -> Tensor:
    """Return places in rows; ``operands`` are the rows and the values as the call has them."""
    dtype, shape, count = rows._dtype, values._geometry.shape, prod(rows._geometry.shape[:-1])

    def find(row: Any, elements: Any) -> Any:
        lines = row.reshape(count, -1), elements.reshape(count, -1)
        places = _bounds(*lines, dtype, right=search.right).reshape(shape)
        return np.asarray(places, numpy_storage_dtype(search.dtype))

    places = find(raw_array(rows), raw_array(values))
    result = tensor_from_raw(places, search.dtype, values._geometry.device)
    if not all(isinstance(operand, Tensor) for operand in operands):
        element = raw_array(values).copy()
        note_arrays(lambda row: find(row, element), result, rows)
    elif operands[0] is rows:
        note_arrays(find, result, rows, values)
    else:
        note_arrays(lambda elements, row: find(row, elements), result, values, rows)
    return result


def _check_dense(*operands: Any) -> None:
    for operand in operands:
        if isinstance(operand, Tensor) and operand._geometry.is_sparse:
            raise NotDense


def _search_on_meta(
    search: _Search, rows: Tensor, values: Any, sorter: Tensor | None, out: Tensor | None
) -> Tensor:
    """Return what meta_searchsorted in torch/_meta_registrations.py does."""
    shape = rows._geometry.shape
    if len(shape) > 1:
        if not isinstance(values, Tensor):
            name = type(python_scalar(values)).__name__
            raise AttributeError(f"'{name}' object has no attribute 'shape'")
        check(
            shape[:-1] == values._geometry.shape[:-1],
            lambda: _NO_MATCH.format([*shape], [*values._geometry.shape]),
        )
    sizes = shape if sorter is None else sorter._geometry.shape
    check(sizes == shape, lambda: _NO_SIZE.format([*shape], " ", [*sizes]))
    check(search.side != "left" or not search.right, lambda: _OPPOSITES)
    return _places_on_meta(search, rows, values, out)


def _places_on_meta(search: _Search, rows: Tensor, values: Any, out: Tensor | None) -> Tensor:
    """Return places without elements."""
    if isinstance(values, Tensor):
        where = values._geometry.device
        geometry = empty_like_geometry(values, contiguous_format, search.dtype, where)
    else:
        geometry = on_device(dense(()), rows._geometry.device)
    result = empty_with(geometry, search.dtype)
    return result if out is None else write_reference("searchsorted", out, result)


def _search(
    search: _Search, rows: Tensor, values: Any, sorter: Tensor | None, out: Tensor | None
) -> Tensor:
    where = rows._geometry.device
    tensor = values if isinstance(values, Tensor) else scalar_to_tensor(values)
    if not isinstance(values, Tensor):
        tensor = _on(tensor, where)
    result = out
    if result is None:
        result = empty_with(on_device(dense((0,)), tensor._geometry.device), search.dtype)
    _check_operands(search, rows, tensor, sorter, result)
    # The kernel reads the memory of a sorter that is out= too by its size before.
    sorter = shallow_copy(sorter) if sorter is out and sorter is not None else sorter
    resize_output(result, tensor._geometry.shape)
    if tensor._geometry.numel:
        _write_places(search, rows, values, tensor, sorter, result)
    if out is not None:
        bump_version(out)
    return result


def _on(tensor: Tensor, device: device) -> Tensor:
    """Return a 0-dim tensor of a number on a device."""
    geometry = on_device(dense(()), device)
    if tensor._geometry is geometry:
        return tensor
    moved = empty_with(geometry, tensor._dtype)
    raw_array(moved)[...] = raw_array(tensor)
    return moved


_NO_MATCH = (
    "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of"
    " boundaries tensor and input value tensor must match, but we got boundaries tensor {} and"
    " input value tensor {}"
)
_NO_SIZE = (
    "torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor"
    " {}{}and got sorter tensor {}"
)
_NO_LAST_SIZE = "ArrayRef: attempted to access back() of empty list"
_SORTER_OUT_OF_RANGE = "torch.searchsorted(): sorter index out of range"
_OPPOSITES = (
    "torch.searchsorted(): side and right can't be set to opposites, got side of left while right"
    " was True"
)


def _check_operands(
    search: _Search, rows: Tensor, values: Tensor, sorter: Tensor | None, out: Tensor
) -> None:
    """Raise for operands that torch refuses (searchsorted_pre_check)."""
    side = search.side
    check(
        side in (None, "left", "right"),
        lambda: f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}",
    )
    check(side != "left" or not search.right, lambda: _OPPOSITES)
    devices = rows._geometry.device, values._geometry.device
    check(
        devices[0] is devices[1],
        lambda: (
            "torch.searchsorted(): boundaries and input value tensors should have same device type,"
            f" but got boundaries tensor device type {devices[0]} and input value tensor device"
            f" type {devices[1]}"
        ),
    )
    if sorter is not None:
        _check_sorter(sorter, rows)
    _check_shapes(rows, values)
    out_dtype = out._dtype
    check(
        out_dtype is search.dtype,
        lambda: (
            "torch.searchsorted(): output tensor's dtype is wrong, it can only be Int(int32) or"
            " Long(int64) depending on whether out_int32 flag is True, but we got output tensor's"
            f" dtype {spec_of(out_dtype).cpp_name} and out_int32 flag is {search.dtype is INT32}"
        ),
    )


def _check_sorter(sorter: Tensor, rows: Tensor) -> None:
    devices = sorter._geometry.device, rows._geometry.device
    check(
        devices[0] is devices[1],
        lambda: (
            "torch.searchsorted(): sorter and boundary tensors should have same device type, but"
            f" got sorter tensor device type {devices[0]} and input value tensor device type"
            f" {devices[1]}"
        ),
    )
    shapes = rows._geometry.shape, sorter._geometry.shape
    check(shapes[0] == shapes[1], lambda: _NO_SIZE.format([*shapes[0]], "", [*shapes[1]]))
    check(
        sorter._dtype is INT64,
        lambda: (
            "torch.searchsorted(): sorter must be a tensor of long dtype but got dtype"
            f" {spec_of(sorter._dtype).cpp_name}"
        ),
    )
    raw = raw_array(sorter) if sorter._geometry.numel else None
    check(raw is None or raw.min() >= 0, lambda: _SORTER_OUT_OF_RANGE)
    check(shapes[0], lambda: _NO_LAST_SIZE)
    check(raw is None or raw.max() < shapes[0][-1], lambda: _SORTER_OUT_OF_RANGE)


def _check_shapes(rows: Tensor, values: Tensor) -> None:
    shapes = rows._geometry.shape, values._geometry.shape
    ranks = len(shapes[0]), len(shapes[1])
    check(
        ranks[1] or ranks[0] == 1,
        lambda: (
            "torch.searchsorted(): input value can be a scalar only when boundaries tensor"
            f" dimension is 1, but we got boundaries tensor dim({ranks[0]}) and input value's"
            f" dim({ranks[1]}) numel({values._geometry.numel})"
        ),
    )
    check(
        ranks[0],
        lambda: (
            "torch.searchsorted(): boundaries tensor should have positive dimension, but got 0"
            " dimension"
        ),
    )
    check(
        ranks[0] == 1 or (ranks[0] == ranks[1] and shapes[0][:-1] == shapes[1][:-1]),
        lambda: _NO_MATCH.format([*shapes[0]], [*shapes[1]]),
    )


def _write_places(
    search: _Search, rows: Tensor, given: Any, values: Tensor, sorter: Tensor | None, out: Tensor
) -> None:
    """Write the places of values; operands are made contiguous and of one dtype before."""
    target = out if out._geometry.is_contiguous else contiguous(out)
    values = _contiguous(values, "input value")
    rows = _contiguous(rows, "boundary")
    if sorter is not None:
        sorter = _contiguous(sorter, "sorter")
    if values._dtype is not rows._dtype:
        given = values if isinstance(given, Tensor) else given
        common = result_type_of((rows, given), _UNDEFINED)
        values, rows = [to_dtype(shallow_copy(x), common, False, None) for x in (values, rows)]
    if values._dtype not in NUMBERS:
        raise_not_implemented("searchsorted_out_cpu", values._dtype)
    right = search.right if search.side is None else search.side == "right"
    check(rows._geometry.shape, lambda: _NO_LAST_SIZE)
    *lead, size = rows._geometry.shape
    lines = raw_array(rows).reshape(prod(lead), size)
    elements = raw_array(values).reshape(len(lines), -1)
    places = raw_array(target).reshape(elements.shape)
    order = None if sorter is None else raw_array(sorter).reshape(lines.shape)
    read = [lines, elements] if order is None else [lines, elements, order]
    if any(np.may_share_memory(places, array) for array in read):
        parts = [(slice(i, i + 1), slice(j, j + 1)) for i, j in np.ndindex(elements.shape)]
    else:
        parts = [(slice(None), slice(None))]
    for part in parts:
        one = lines[part[0]]
        if order is not None:
            # A place that was written to the sorter may be the size itself.
            one = np.take_along_axis(one, order[part[0]].clip(max=size - 1), -1)
        places[part] = _bounds(one, elements[part], rows._dtype, right=right)
    if target is not out:
        check_copy_overlap(out, target)
        copy_into(out, target)


_UNDEFINED = (
    'common_stype != ScalarType::Undefined INTERNAL ASSERT FAILED at "/__w/pytorch/pytorch/aten/src'
    '/ATen/native/BucketizationUtils.h":55, please report a bug to PyTorch. '
)


def _bounds(rows: Any, values: Any, dtype: dtype, *, right: bool) -> Any:
    return bounds(to_numbers(rows, dtype), to_numbers(values, dtype), right=right)


def _contiguous(tensor: Tensor, word: str) -> Tensor:
    """Return a contiguous tensor; warn once if it is a copy."""
    if tensor._geometry.is_contiguous:
        return tensor
    noun = f"{word} tensor"
    warn_once(
        triggered_at(
            f"torch.searchsorted(): {noun} is non-contiguous, this will lower the performance due"
            " to extra data copy when converting non-contiguous tensor to contiguous, please use"
            f" contiguous {noun} if possible. This message will only appear once per program.",
            f"aten/src/ATen/native/BucketizationUtils.h:{_LINES[word]}",
        )
    )
    return contiguous(tensor)


_LINES = {"input value": 32, "boundary": 38, "sorter": 44}

_OPTIONS = "*, bool out_int32=False, bool right=False"
_SEARCH = f"{_OPTIONS}, c10::string_view? side=None, Tensor? sorter=None"

install_operator(
    "searchsorted",
    Overload(f"Tensor input, {_SEARCH}", _searchsorted, input="Tensor sorted_sequence"),
    Overload(f"Scalar self, {_SEARCH}", _searchsorted, input="Tensor sorted_sequence"),
    doc="Return the places of elements in the sorted rows of a tensor.",
    method=False,
)
install_operator(
    "bucketize",
    Overload(f"Tensor boundaries, {_OPTIONS}", _bucketize),
    Overload(f"Tensor boundaries, {_OPTIONS}", _bucketize, input="Scalar self", out=False),
    doc="Return the indices of the buckets between boundaries to which elements belong.",
    method=False,
)
