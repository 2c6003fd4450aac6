"""Multiplying sparse tensors: with each other, with dense ones and with numbers; and dividing them by numbers.

The rules are in aten/src/ATen/native/sparse/SparseTensorMath.cpp and SparseBinaryOpIntersectionCommon.h.
"""

from math import prod
from typing import Any

from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._autograd.tracking import check_writable
from ..._dtypes.constants import BOOL
from ..._dtypes.table import DTYPES, dtype, spec_of
from ..._geometry import broadcasting
from ..._numerics.cast import convert
from ..._numerics.promotion import can_cast
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.data_access import raw_array, tensor_from_raw, write_raw
from ..._tensor.out_autograd import check_no_gradients
from ..._tensor.sparse_coo import (
    indices_of,
    is_sparse,
    kind_name,
    linear_indices,
    nnz,
    parts_of,
    plain,
    sparse_dim_of,
    sparse_tensor,
    tensor_of_indices,
)
from ..._tensor.tensor import Tensor, record_grad_fn
from ..common.copy import written
from ..common.result_type import result_type_of
from .add import check_dense_shape, check_result, dense_sum
from .coalesce import add_rows, coalesce_plain, first_parts
from .common import as_kind, become, values_of, with_values, written_out
from .construct import empty_sparse


def mul(left: Any, right: Any, out: Any = None) -> Tensor:
    """mul(input, other): the products; places that one side has not are not kept, or are zero."""
    dtype = result_type_of((left, right))
    sources = tuple(each for each in (left, right) if isinstance(each, Tensor))
    made = _product(left, right, dtype)
    numbers = any(map(_is_number, (left, right))) or not made._geometry.rank
    if made._dtype is not dtype and (numbers or not nnz(made)):
        made = as_kind(made, dtype)
    _check_values(made, dtype)
    if out is not None:
        check_no_gradients("mul", *sources, out)
        check(
            can_cast(dtype, out._dtype),
            lambda: (
                f"Can't convert result type {kind_name(dtype)} to output {kind_name(out._dtype)}"
            ),
        )
    return (
        written_out(out, made) if out is not None else record_grad_fn(made, sources, "MulBackward0")
    )


def mul_(left: Tensor, right: Any) -> Tensor:
    """Tensor.mul_(other): multiply the tensor itself."""
    common, own = result_type_of((left, right)), left._dtype
    sources = (right,) if isinstance(right, Tensor) else ()
    check_writable(left, *sources)
    if not is_sparse(left):
        made = mul(left, right)
        check_dense_shape(left, made)
        check_result(common, own)
        write_raw(
            left, raw_array(dense_sum(PUBLIC["zeros_like"](plain(left)), made, 1, common, own))
        )
        return written(left, sources, "MulBackward0")
    made = _product(left, right, common)
    both = is_sparse(right) and left._geometry.rank and right._geometry.rank
    if both:
        check(
            can_cast(common, own) or not nnz(left) or not nnz(right),
            lambda: f"Can't convert result type {kind_name(common)} to output {kind_name(own)}",
        )
    else:
        if nnz(made) and (left._geometry.rank or not is_sparse(right) or not right._geometry.rank):
            _check_values(made, own)
        if made._geometry.shape == left._geometry.shape:
            parts_of(made).coalesced = nnz(made) < 2
    become(left, made if made._dtype is own else as_kind(made, own))
    return written(left, sources, "MulBackward0")


def _check_values(made: Tensor, dtype: dtype) -> None:
    """Refuse values of another dtype than that of the tensor (set_indices_and_values_unsafe)."""
    check(
        made._dtype is dtype,
        lambda: (
            f"dtype of values ({kind_name(made._dtype)}) must match dtype of sparse tensor"
            f" ({kind_name(dtype)})"
        ),
    )


def _is_number(value: Any) -> bool:
    return not isinstance(value, Tensor) or (not value._geometry.rank and not is_sparse(value))


def _product(left: Any, right: Any, dtype: dtype) -> Tensor:
    """Return the product; where one side is no sparse tensor, the values decide the dtype."""
    for one, other in ((left, right), (right, left)):
        if is_sparse(one) and _is_number(other):
            return _number_product(plain(other) if isinstance(other, Tensor) else other, one)
    if not is_sparse(right):
        return _dense_product(right, left)
    if not is_sparse(left):
        return _dense_product(left, right)
    if left._geometry.rank and right._geometry.rank:
        return _sparse_product(left, right, dtype)
    number, other = (left, right) if right._geometry.rank else (right, left)
    if not parts_of(number).coalesced and not other._geometry.rank and parts_of(other).coalesced:
        number, other = other, number
    held = raw_array(values_of(coalesce_plain(number)))
    if not held.size:
        return empty_sparse(other._geometry.shape, dtype, sparse_dim_of(other))
    return _number_product(tensor_from_raw(held.reshape(()), number._dtype), other)


def _number_product(number: Any, tensor: Tensor) -> Tensor:
    held = PUBLIC["mul"](values_of(tensor), number)
    if not (tensor._geometry.numel and nnz(tensor)):
        return empty_sparse(tensor._geometry.shape, held._dtype, sparse_dim_of(tensor))
    return with_values(tensor, held)


def _dense_product(dense: Tensor, tensor: Tensor) -> Tensor:
    """Multiply the values by what a dense tensor has at their places."""
    shape, own = tensor._geometry.shape, dense._geometry.shape
    whole = broadcasting.broadcast_pair(own, shape)
    sparse, parts = sparse_dim_of(tensor), parts_of(tensor)
    blocks = (0, *whole[len(whole) - len(shape) + sparse :])
    check(
        nnz(tensor) or blocks == values_of(tensor)._geometry.shape,
        lambda: (
            f"values has incorrect size, expected {[*blocks]}, got"
            f" {[*values_of(tensor)._geometry.shape]}"
        ),
    )
    if whole != shape:
        tensor = _broadcast(tensor, whole)
        sparse, parts = sparse_dim_of(tensor), parts_of(tensor)
    expanded = plain(dense).expand(whole)  # type: ignore[attr-defined]
    found = raw_array(expanded)[tuple(indices_of(tensor))] if sparse else raw_array(expanded)[None]
    held = tensor_from_raw(np.ascontiguousarray(found), dense._dtype)
    product = PUBLIC["mul"](held, parts.values)
    if not (tensor._geometry.numel and nnz(tensor)):
        return empty_sparse(whole, product._dtype, sparse)
    places = plain(parts.indices).clone()  # type: ignore[attr-defined]
    return sparse_tensor(places, product, whole, parts.coalesced)


def _broadcast(tensor: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Return a coalesced sparse tensor expanded to a shape (sparse_broadcast_to)."""
    tensor = coalesce_plain(tensor)
    own, sparse = tensor._geometry.shape, sparse_dim_of(tensor)
    new, inner = len(shape) - len(own), len(own) - sparse
    wide = shape[: len(shape) - inner]
    places = indices_of(tensor)
    order = np.arange(places.shape[1])  # which value comes of which
    rows = [*np.zeros((new, len(order)), np.int64), *places]
    for dim, (size, before) in enumerate(zip(wide, (1,) * new + own[:sparse], strict=True)):
        if size != before:
            rows = [np.tile(each, size) for each in rows]
            rows[dim] = np.repeat(np.arange(size), len(order))
            order = np.tile(order, size)
    found = np.stack(rows) if rows else np.empty((0, len(order)), np.int64)
    in_order = linear_indices(found, wide).argsort(kind="stable")
    taken = raw_array(values_of(tensor))[order[in_order]]
    blocks = shape[len(shape) - inner :]
    values = np.ascontiguousarray(np.broadcast_to(taken, (len(taken), *blocks)))
    return sparse_tensor(
        tensor_of_indices(found[:, in_order]),
        tensor_from_raw(values, tensor._dtype),
        shape,
        coalesced=True,
    )


def _sparse_product(left: Tensor, right: Tensor, dtype: dtype) -> Tensor:
    shape, other = left._geometry.shape, right._geometry.shape
    sparse = sparse_dim_of(left)
    if shape == other and not (nnz(left) and nnz(right)):
        return empty_sparse(shape, dtype, sparse)
    check(
        len(shape) == len(other)
        and sparse == sparse_dim_of(right)
        and shape[:sparse] == other[:sparse],
        lambda: (
            "sparse_binary_op_intersection_cpu(): expects sparse inputs with equal dimensionality,"
            " number of sparse dimensions, and shape of sparse dimensions"
        ),
    )
    if shape == other and parts_of(left).coalesced and parts_of(right).coalesced:
        return _intersection(left, right, dtype)
    return _searched(left, right, dtype)


def _intersection(left: Tensor, right: Tensor, dtype: dtype) -> Tensor:
    """Keep the places that both have."""
    inner = sparse_dim_of(left) < left._geometry.rank
    check(
        dtype is not BOOL,
        lambda: (
            f"\"{'addcmul_cpu_out' if inner else 'mul_out_sparse'}\" not implemented for 'Bool'"
        ),
        NotImplementedError,
    )
    shape = left._geometry.shape
    keys, others = (linear_indices(indices_of(each), shape) for each in (left, right))
    most = min(len(keys), len(others))
    ones, twos = _common(keys, others)
    product = _times(
        raw_array(values_of(left))[ones],
        left._dtype,
        raw_array(values_of(right))[twos],
        right._dtype,
        dtype,
    )
    places = indices_of(left)
    found = np.zeros((len(places), most), np.int64)
    found[:, : len(ones)] = places[:, ones]
    whole = np.zeros((most, *product.shape[1:]), product.dtype)
    if product.ndim > 1:
        # Torch adds blocks to zeros, by which a negative zero is none.
        add_rows(whole, np.arange(len(ones)), product, dtype)
    else:
        whole[: len(ones)] = product
    parts = first_parts(found, whole, len(ones), dtype)
    return sparse_tensor(*parts, shape, coalesced=True)


def _common(keys: Any, others: Any) -> tuple[Any, Any]:
    """Return where two sorted lists of numbers have the same ones."""
    if np.array_equal(keys, others):
        every = np.arange(len(keys))
        return every, every
    at = np.searchsorted(others, keys)
    at[at == len(others)] = 0
    ones = np.flatnonzero(others[at] == keys)
    return ones, at[ones]


def _times(left: Any, left_kind: dtype, right: Any, right_kind: dtype, dtype: dtype) -> Any:
    one, other = (
        tensor_from_raw(np.ascontiguousarray(convert(each, own, dtype)), dtype)
        for each, own in ((left, left_kind), (right, right_kind))
    )
    return raw_array(PUBLIC["mul"](one, other))


def _searched(left: Tensor, right: Tensor, dtype: dtype) -> Tensor:
    """Keep the places of one side; each value is multiplied by all of the other for its place, and these are added."""
    if parts_of(left).coalesced != parts_of(right).coalesced:
        known, source = (left, right) if parts_of(left).coalesced else (right, left)
    else:
        known, source = (left, right) if nnz(left) >= nnz(right) else (right, left)
    shape = broadcasting.broadcast_pair(left._geometry.shape, right._geometry.shape)
    sparse = sparse_dim_of(left)
    cells = prod(known._geometry.shape[:sparse])
    if (
        parts_of(left).coalesced == parts_of(right).coalesced
        and cells
        and nnz(known) // cells > _MANY
    ):
        known = coalesce_plain(known)
    keys, wanted = (linear_indices(indices_of(each), shape) for each in (known, source))
    order = keys.argsort(kind="stable")
    ordered = keys[order]
    first, last = (np.searchsorted(ordered, wanted, side) for side in ("left", "right"))
    blocks = shape[sparse:]
    held = _spread(source, blocks, dtype)
    known_held = _spread(known, blocks, dtype)
    total = _accumulated(held, known_held, order, first, last - first, dtype)
    values = tensor_from_raw(np.array(total, order="C"), dtype)
    places = plain(parts_of(source).indices).clone()  # type: ignore[attr-defined]
    return sparse_tensor(places, values, shape, parts_of(source).coalesced)


_MANY = 50
"""With more values for a place than this, torch coalesces the side that it looks them up in."""


def _spread(tensor: Tensor, blocks: tuple[int, ...], dtype: dtype) -> Any:
    held = convert(raw_array(values_of(tensor)), tensor._dtype, dtype)
    return np.broadcast_to(held, (len(held), *blocks))


def _accumulated(held: Any, known: Any, order: Any, first: Any, counts: Any, dtype: dtype) -> Any:
    """Add up the products of each value with those of its place, in a wider dtype."""
    wide = _wide(dtype)
    result = np.zeros(held.shape, np.bool_ if dtype is BOOL else numpy_storage_dtype(wide))
    for turn in range(int(counts.max(initial=0))):
        some = counts > turn
        other = known[order[first[some] + turn]]
        if dtype is BOOL:
            result[some] |= held[some] & other
            continue
        product = _times(held[some], dtype, other, dtype, dtype)
        with np.errstate(all="ignore"):
            result[some] += convert(product, dtype, wide)
    return result if dtype is BOOL else convert(np.ascontiguousarray(result), wide, dtype)


def _wide(dtype: dtype) -> dtype:
    """Return the dtype in which torch adds up (acc_type in ATen/AccumulateType.h)."""
    wide = {
        "float16": "float32", "bfloat16": "float32", "float32": "float64", "complex32": "complex64",
        "complex64": "complex128", "uint8": "int64", "int8": "int64", "int16": "int64", "int32": "int64",
    }  # fmt: skip
    return DTYPES[wide.get(spec_of(dtype).name, spec_of(dtype).name)]


def div(left: Any, right: Any, *mode: Any, out: Any = None) -> Tensor:
    """div(input, other): a sparse tensor divided by a number."""
    check(
        out is None, lambda: "impl has no out= for quotients of sparse tensors", NotImplementedError
    )
    check(not mode, lambda: "impl rounds no quotients of sparse tensors", NotImplementedError)
    shape = right._geometry.shape if isinstance(right, Tensor) else ()
    check(
        is_sparse(left) and not shape and not is_sparse(right),
        lambda: (
            "Sparse division requires a scalar or zero-dim dense tensor divisor (got shape"
            f" {[*shape]} for divisor)"
        ),
    )
    number = plain(right) if isinstance(right, Tensor) else right
    made = with_values(left, PUBLIC["div"](values_of(left), number))
    dtype = result_type_of((left, right))
    if made._dtype is not dtype and (dtype.is_floating_point or dtype.is_complex):
        made = as_kind(made, dtype)
    sources = tuple(each for each in (left, right) if isinstance(each, Tensor))
    return record_grad_fn(made, sources, "DivBackward0")
