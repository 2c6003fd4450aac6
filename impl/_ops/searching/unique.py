"""unique and unique_consecutive (torch/functional.py and ATen/native/Unique.cpp).

Torch implements them in Python: a function for each pair of the flags ``return_inverse`` and
``return_counts``, whose names its messages show.
"""

from collections.abc import Callable
from typing import Any

from ..._argparser.parser import Parser
from ..._arrays.numpy_bridge import np
from ..._dtypes.constants import INT64
from ..._dtypes.table import dtype
from ..._geometry import view_shapes
from ..._geometry.geometry import dense, on_device, strided
from ..._kernels.distinct import groups_of, row_order, sorted_alone
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import check
from ..._storage.untyped_storage import new_storage
from ..._tensor.data_access import raw_array
from ..._tensor.sparse_dispatch import dispatch_sparse
from ..._tensor.tensor import METHODS, Tensor, new_tensor, shallow_copy
from ..common.conj_neg_fallback import resolve_conj_neg
from ..common.copy import contiguous
from ..common.device_checks import check_meta_kernel
from ..common.meta_reference import in_reference
from ..elementwise.plan import BOOLS, NUMBERS, WIDE_UNSIGNED
from ..reduction.reduce import with_grad_fn

Results = tuple[Tensor, Tensor, Tensor]

_FLAGS = "bool return_inverse=False, bool return_counts=False"
_parse_unique2 = Parser(f"_unique2(Tensor input, bool sorted=True, {_FLAGS})")
_parse_unique_dim = Parser(f"unique_dim(Tensor input, int64_t dim, bool sorted=True, {_FLAGS})")
_parse_consecutive = Parser(f"unique_consecutive(Tensor input, {_FLAGS}, int64_t? dim=None)")

_DTYPES = BOOLS | NUMBERS | WIDE_UNSIGNED


def _unique_impl(
    input: Any,
    sorted: Any = True,
    return_inverse: Any = False,
    return_counts: Any = False,
    dim: Any = None,
) -> Results:
    flags = {"sorted": sorted, "return_inverse": return_inverse, "return_counts": return_counts}
    if dim is None:
        tensor, _, *wanted = _parse_unique2((input,), flags)
        return _run("_unique2", "Unique2Backward0", tensor, _of_all, *wanted)
    tensor, dim, _, *wanted = _parse_unique_dim((input, dim), flags)
    return _run("unique_dim", "UniqueDimBackward0", tensor, _of_rows, dim, False, *wanted)


def _unique_consecutive_impl(
    input: Any, return_inverse: Any = False, return_counts: Any = False, dim: Any = None
) -> Results:
    flags = {"return_inverse": return_inverse, "return_counts": return_counts, "dim": dim}
    tensor, *wanted, dim = _parse_consecutive((input,), flags)
    name, node = "unique_consecutive", "UniqueConsecutiveBackward0"
    if dim is None or (dim == 0 and tensor._geometry.rank == 1):
        return _run(name, node, tensor, _of_runs, *wanted)
    return _run(name, node, tensor, _of_rows, dim, True, *wanted)


def _run(
    name: str, node: str, tensor: Tensor, find: Callable[..., Results], *options: Any
) -> Results:
    """Return distinct elements, where each element is among them, and their counts."""
    if tensor._geometry.is_sparse:
        refused: Results = dispatch_sparse(name, tensor)
        return refused
    check_meta_kernel(name, tensor)
    values, inverse, counts = find(in_reference(resolve_conj_neg, tensor), *options)
    return with_grad_fn(values, tensor, node), inverse, counts


def _check_dtype(kernel: str, dtype: dtype) -> None:
    if dtype not in _DTYPES:
        raise_not_implemented(kernel, dtype)


def _none(tensor: Tensor) -> Tensor:
    return _part(np.empty(0, np.int64), 0, INT64, tensor)


def _part(raw: Any, room: int, dtype: dtype, tensor: Tensor) -> Tensor:
    """Return a tensor of the first elements of a new storage for ``room`` elements."""
    device = tensor._geometry.device
    storage = new_storage(room * dtype.itemsize, device)
    result = new_tensor(storage, on_device(dense(raw.shape), device), 0, dtype)
    raw_array(result)[...] = raw
    return result


def _inverse(inverse: Any, tensor: Tensor) -> Tensor:
    return _part(inverse, inverse.size, INT64, tensor)


def _of_all(tensor: Tensor, return_inverse: bool, return_counts: bool) -> Results:
    """Return the distinct elements in order."""
    dtype, shape = tensor._dtype, tensor._geometry.shape
    _check_dtype("unique", dtype)
    flat = METHODS["ravel"](shallow_copy(contiguous(tensor)))
    raw = None if return_inverse else sorted_alone(raw_array(flat), dtype)
    if raw is None:
        raw, order = [raw_array(x) for x in METHODS["sort"](flat)]
    groups = groups_of(raw, dtype)
    inverse = counts = _none(tensor)
    if return_inverse:
        places = np.empty(len(order), np.int64)
        places[order] = groups.inverse
        inverse = _inverse(places.reshape(shape), tensor)
    if return_counts:
        counts = _part(groups.counts, len(groups.firsts), INT64, tensor)
    return _part(raw[groups.firsts], len(groups.firsts), dtype, tensor), inverse, counts


def _of_runs(tensor: Tensor, return_inverse: bool, return_counts: bool) -> Results:
    """Return the elements that differ from the one before; the storages have room for all."""
    dtype, shape = tensor._dtype, tensor._geometry.shape
    _check_dtype("unique", dtype)
    raw = raw_array(contiguous(tensor)).reshape(-1)
    groups = groups_of(raw, dtype)
    inverse = counts = _none(tensor)
    if return_inverse:
        inverse = _inverse(groups.inverse.reshape(shape), tensor)
    if return_counts and len(raw):
        counts = _part(groups.counts, len(raw), INT64, tensor)
    return _part(raw[groups.firsts], len(raw), dtype, tensor), inverse, counts


def _of_rows(
    tensor: Tensor, dim: int, consecutive: bool, return_inverse: bool, return_counts: bool
) -> Results:
    """Return the distinct slices along a dimension; inverse and counts are always there."""
    geometry, dtype = tensor._geometry, tensor._dtype
    _check_dtype("unique_dim", dtype)
    if not geometry.rank:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    dim = view_shapes.wrap_dim(dim, geometry.rank)
    empty = geometry.shape.count(0)
    if not geometry.shape[dim]:
        check(empty == 1, lambda: _MANY_EMPTY)
        return _part(np.empty(geometry.shape), 0, dtype, tensor), _none(tensor), _none(tensor)
    check(not empty, lambda: _OTHER_EMPTY)
    raw = np.ascontiguousarray(np.moveaxis(raw_array(tensor), dim, 0))
    rows = raw.reshape(len(raw), -1)
    order = np.arange(len(rows)) if consecutive else row_order(rows, dtype)
    groups = groups_of(rows[order], dtype)
    values = raw[order[groups.firsts]]
    inverse = np.empty_like(order)
    inverse[order] = groups.inverse
    return (
        _moved(values, dim, dtype, tensor),
        _inverse(inverse, tensor),
        _part(groups.counts, len(rows), INT64, tensor),
    )


def _moved(raw: Any, dim: int, dtype: dtype, tensor: Tensor) -> Tensor:
    """Return a tensor whose first dimension is moved to ``dim``."""
    result = _part(raw, raw.size, dtype, tensor)
    shape, stride = result._geometry.shape, result._geometry.stride
    order = [*range(1, len(shape))]
    order.insert(dim, 0)
    moved = strided(tuple(shape[x] for x in order), tuple(stride[x] for x in order))
    return new_tensor(result._storage, on_device(moved, tensor._geometry.device), 0, dtype)


_MANY_EMPTY = "Number of zero sized dimensions is more than one, so unique cannot be applied "
_OTHER_EMPTY = "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied"


_PARTS = {
    "return_output": 0,
    "return_counts": slice(None, None, 2),
    "return_inverse": slice(2),
    "return_inverse_and_counts": slice(None),
}
"""The results that the functions return: for none of the flags, each of them, and both."""


def _function(name: str, part: Any) -> Callable[..., Any]:
    def run(
        input: Any,
        sorted: Any = True,
        return_inverse: Any = False,
        return_counts: Any = False,
        dim: Any = None,
    ) -> Any:
        return _unique_impl(input, sorted, return_inverse, return_counts, dim)[part]

    run.__qualname__ = f"_{name}"
    return run


def _consecutive_function(name: str, part: Any) -> Callable[..., Any]:
    def run(
        input: Any, return_inverse: Any = False, return_counts: Any = False, dim: Any = None
    ) -> Any:
        return _unique_consecutive_impl(input, return_inverse, return_counts, dim)[part]

    run.__qualname__ = f"_consecutive_{name}"
    return run


def _by_flags(inverse: int, counts: int, *functions: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that calls the one for its flags (boolean_dispatch).

    ``inverse`` and ``counts`` are the positions of the flags.  The functions are those of `_PARTS`.
    """
    positions = (("return_inverse", inverse, 2), ("return_counts", counts, 1))

    def fn(*args: Any, **kwargs: Any) -> Any:
        index = 0
        for name, position, step in positions:
            given = args[position] if position < len(args) else False
            index += step * bool(kwargs.get(name, given))
        return functions[index](*args, **kwargs)

    return fn


unique = _by_flags(2, 3, *(_function(*each) for each in _PARTS.items()))
unique.__name__ = "unique"
unique.__doc__ = "Return the distinct elements of a tensor, or its distinct slices along ``dim``."
# By torch's own mistake each of these flags is read at the position of the other one.
unique_consecutive = _by_flags(2, 1, *(_consecutive_function(*each) for each in _PARTS.items()))
unique_consecutive.__name__ = "unique_consecutive"
unique_consecutive.__doc__ = "Return the elements of a tensor that differ from the one before."


def _method_unique(
    self: Any,
    sorted: Any = True,
    return_inverse: Any = False,
    return_counts: Any = False,
    dim: Any = None,
) -> Any:
    """Return the distinct elements of the tensor, or its distinct slices along ``dim``."""
    return unique(
        self, sorted=sorted, return_inverse=return_inverse, return_counts=return_counts, dim=dim
    )


def _method_unique_consecutive(
    self: Any, return_inverse: Any = False, return_counts: Any = False, dim: Any = None
) -> Any:
    """Return the elements of the tensor that differ from the one before."""
    return unique_consecutive(
        self, return_inverse=return_inverse, return_counts=return_counts, dim=dim
    )


for _name, _function, _method in (
    ("unique", unique, _method_unique),
    ("unique_consecutive", unique_consecutive, _method_unique_consecutive),
):
    _method.__name__, _method.__qualname__ = _name, f"Tensor.{_name}"
    METHODS[_name] = _method
