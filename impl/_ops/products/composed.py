"""inner, kron, tensordot and chain_matmul, which torch composes of other products.

From LinearAlgebra.cpp and Linear.cpp in ATen/native.
"""

from collections.abc import Sequence
from math import prod
from typing import Any

from ..._argparser.parser import Parser
from ..._autograd.autograd_meta import requires_grad
from ..._dtypes.cpp_names import cpp_type
from ..._dtypes.table import spec_of
from ..._geometry import view_shapes
from ..._geometry.extents import Ints
from ..._runtime.errors import check
from ..._runtime.grad_modes import grad_enabled
from ..._runtime.lazy_exports import PUBLIC
from ..._runtime.warnings import is_python_frame, triggered_at, warn_once
from ..._tensor.sparse_dispatch import no_kernel
from ..._tensor.tensor import METHODS, Tensor
from ..common.clone import is_cloned_by_reference
from ..elementwise.binding import Overload, install_operator
from ..views.views import unsafe_view
from .notes import multiply_elements, note_copy, reshaped
from .plan import with_plans
from .product import resize_counted


def _inner(left: Tensor, right: Tensor, out: Tensor | None = None) -> Tensor:
    _check_device_types(left, *(() if out is None else (out,)), left, right)
    if not (left._geometry.rank and right._geometry.rank):
        product: Tensor = PUBLIC["mul"](left, right, **({} if out is None else {"out": out}))
        return product
    shapes = left._geometry.shape, right._geometry.shape
    check(
        shapes[0][-1] == shapes[1][-1],
        lambda: (
            "inner() the last dimension must match on both input tensors but got shapes"
            f" {[*shapes[0]]} and {[*shapes[1]]}"
        ),
    )
    result = _tensordot(left, right, (-1,), (-1,))
    return result if out is None else _into("tensordot", out, result, left, right)


def _check_device_types(first: Tensor, *tensors: Tensor) -> None:
    expected = first._geometry.device.type
    found = [x._geometry.device.type for x in tensors if x._geometry.device.type != expected]
    check(
        not found,
        lambda: (
            f"Expected tensor to have {expected} DeviceType, but got tensor with {found[0]}"
            " DeviceType (while checking arguments for inner())"
        ),
    )


def _tensordot(left: Tensor, right: Tensor, left_dims: Ints, right_dims: Ints) -> Tensor:
    check(
        len(left_dims) == len(right_dims),
        lambda: "both dimension lists should have same length",
    )
    check(left._dtype is right._dtype, lambda: "both inputs should have same dtype")
    size, total = METHODS["size"], METHODS["sum"]
    parts, contracted = [left, right], 1
    for dim, other in zip(left_dims, right_dims, strict=True):
        sizes = size(left, dim), size(right, other)
        if sizes[1] == 1:  # which broadcasts
            parts[0] = total(parts[0], dim, True, dtype=left._dtype)
        elif sizes[0] == 1:
            parts[1] = total(parts[1], other, True, dtype=left._dtype)
        else:
            _check_sizes(sizes, (dim, other))
            contracted *= sizes[0]
    kept = [
        _other_dims(tensor._geometry.rank, dims)
        for tensor, dims in ((left, left_dims), (right, right_dims))
    ]
    orders = (*kept[0], *left_dims), (*right_dims, *kept[1])
    shapes = [
        [part._geometry.shape[dim] for dim in dims] for part, dims in zip(parts, kept, strict=True)
    ]
    rows, columns = map(prod, shapes)
    permute, reshape = METHODS["permute"], METHODS["reshape"]
    if rows == columns == 1:
        left, right = map(permute, parts, orders)
        result = _contraction(left, right, contracted)
    else:
        matrices = [
            reshaped(permute(part, order), shape)
            for part, order, shape in zip(
                parts, orders, ((rows, contracted), (contracted, columns)), strict=True
            )
        ]
        result = PUBLIC["mm"](*matrices)
    whole: Tensor = reshape(result, (*shapes[0], *shapes[1]))
    return whole


def _check_sizes(sizes: Ints, dims: Ints) -> None:
    check(
        sizes[0] == sizes[1],
        lambda: (
            f"contracted dimensions need to match, but first has size {sizes[0]} in dim"
            f" {dims[0]} and second has size {sizes[1]} in dim {dims[1]}"
        ),
    )


def _contraction(left: Tensor, right: Tensor, size: int) -> Tensor:
    """Return the product of two tensors that have one row and one column."""
    if left._geometry.is_sparse or right._geometry.is_sparse:
        raise no_kernel("as_strided", left, right)
    vectors = [METHODS["reshape"](x, (size,)) for x in (left, right)]
    result: Tensor
    if left._geometry.is_contiguous and right._geometry.is_contiguous:
        result = PUBLIC["dot"](*vectors)
    else:
        result = METHODS["sum"](METHODS["mul"](*vectors), dtype=left._dtype)
    return result


def _other_dims(rank: int, dims: Ints) -> list[int]:
    """Return the dimensions that are not among others, which have to be distinct."""
    contracted = view_shapes.distinct_dims(dims, rank)
    return [dim for dim in range(rank) if dim not in contracted]


def _into(name: str, out: Tensor, result: Tensor, *operands: Tensor) -> Tensor:
    """Copy a result into ``out``, which has to have its dtype."""
    has_shape = out._geometry.shape == result._geometry.shape
    check(
        has_shape or not (requires_grad(out) and grad_enabled()),
        lambda: (
            f"{name}(): the 'out' tensor was specified and requires gradients, and its shape does"
            " not match the expected result. Either remove the 'out' argument, ensure it does not"
            " require gradients, or make sure its shape matches the expected output."
        ),
    )
    devices = [x._geometry.device for x in (out, *operands)]
    check(
        len({*devices}) == 1,
        lambda: (
            f"{name}: Expected the output and input tensors to be on the same device, but got the"
            f" output tensor on {devices[0]}, input tensor a on {devices[1]}, and input tensor b on"
            f" {devices[2]}"
        ),
    )
    names = [spec_of(x._dtype).cpp_name for x in (result, out)]
    check(
        names[0] == names[1],
        lambda: (
            f"{name}: Expected the output tensor to have dtype {names[0]}, but got an output tensor"
            f" with dtype {names[1]}"
        ),
    )
    note_copy(out)
    return _copied(out, result)


def _copied(out: Tensor, result: Tensor) -> Tensor:
    """Return ``out``, resized, with a copy of a result."""
    resize_counted(out, result._geometry.shape)
    METHODS["copy_"](out, result)
    return out


_MOST_DIMS = 64
"""The number of dimensions that NumPy's arrays have at most."""


def _kron(left: Tensor, right: Tensor, out: Tensor | None = None) -> Tensor:
    rank = max(left._geometry.rank, right._geometry.rank)
    shapes = [(1,) * (rank - x._geometry.rank) + x._geometry.shape for x in (left, right)]
    pairs = [*zip(*shapes, strict=True)]
    result_shape = tuple(map(prod, pairs))
    if 2 * rank > _MOST_DIMS:
        pairs = [pair for pair in pairs if pair != (1, 1)]
    operands = (
        unsafe_view(left, tuple(size for own, _ in pairs for size in (own, 1))),
        unsafe_view(right, tuple(size for _, own in pairs for size in (1, own))),
    )
    if out is None:
        return unsafe_view(multiply_elements(*operands), result_shape)
    resize_counted(out, result_shape)
    view = unsafe_view(out, tuple(size for pair in pairs for size in pair))
    multiply_elements(*operands, out=view)
    return out


_parse_tensordot = Parser(
    "tensordot(Tensor input, Tensor other, IntArrayRef dims_self, IntArrayRef dims_other, *,"
    " Tensor out=None)"
)


@with_plans
@is_python_frame
def tensordot(a: Tensor, b: Tensor, dims: Any = 2, out: Tensor | None = None) -> Tensor:
    """Return the sums of the products of elements along dimensions of two tensors."""
    if not isinstance(dims, tuple | list | Tensor | int):
        raise RuntimeError(
            "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]]"
            f" containing two lists, but got dims={dims}"
        )
    left: Any = []
    right: Any = []
    if isinstance(dims, tuple | list):
        left, right = dims
    elif isinstance(dims, Tensor) and dims._geometry.numel > 1:
        size = dims._geometry.shape[0]
        if size != 2:
            raise AssertionError(f"dims tensor must have size 2 in first dimension, got {size}")
        left, right = METHODS["tolist"](dims)
    else:
        count = int(METHODS["item"](dims)) if isinstance(dims, Tensor) else dims
        if count < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if not isinstance(dims, Tensor) and count > min(a.dim(), b.dim()):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        left, right = [*range(-count, 0)], [*range(count)]
    options = {} if out is None else {"out": out}
    _, (a, b, left, right, out) = _parse_tensordot.bind((a, b, left, right), options)
    result = _tensordot(a, b, left, right)
    return result if out is None else _into("tensordot", out, result, a, b)


_parse_chain = Parser("chain_matmul(TensorList matrices, *, Tensor out=None)")


@is_python_frame
def chain_matmul(*matrices: Tensor, out: Tensor | None = None) -> Tensor:
    """Return the product of matrices, multiplied in the order that costs least."""
    options = {} if out is None else {"out": out}
    _, (tensors, out) = _parse_chain.bind((matrices,), options)
    line = 1102 if out is None else 1120
    warning = triggered_at(_DEPRECATED, f"aten/src/ATen/native/LinearAlgebra.cpp:{line}")
    if not _is_cloned_by_reference(tensors, out):
        warn_once(warning)
        return _chain_of(tensors, out)
    result = _chain_of(tensors, out)
    warn_once(warning)  # torch shows it after the warnings of references
    return result


def _is_cloned_by_reference(tensors: Sequence[Tensor], out: Tensor | None) -> bool:
    if len(tensors) != 1 or out is not None or tensors[0]._geometry.is_sparse:
        return False
    return tensors[0]._geometry.rank == 2 and is_cloned_by_reference(tensors[0]._geometry)


def _chain_of(tensors: Sequence[Tensor], out: Tensor | None) -> Tensor:
    ranks = [tensor._geometry.rank for tensor in tensors if tensor._geometry.rank != 2]
    check(not ranks, lambda: f"Tensor dimension is {ranks[0]}, expected 2 instead.")
    check(tensors, lambda: "chain_matmul(): Expected one or more matrices")
    if len(tensors) > 1:
        return multi_dot(tensors, out)
    return METHODS["clone"](tensors[0]) if out is None else _copied(out, tensors[0])


_DEPRECATED = (
    "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use"
    " torch.linalg.multi_dot instead, which accepts a list of two or more tensors rather than"
    " multiple parameters."
)


def multi_dot(given: Sequence[Tensor], out: Tensor | None) -> Tensor:
    """Return the product of at least two matrices, or with vectors at the ends (multi_dot_impl)."""
    tensors = [*given]
    for position, word in ((0, "first"), (-1, "last")):
        tensor = tensors[position]
        check(
            tensor._geometry.rank in (1, 2),
            lambda: (
                f"multi_dot(): the {word} tensor must be 1D or 2D but got"  # noqa: B023
                f" {tensor._geometry.rank}D"  # noqa: B023
            ),
        )
        if tensor._geometry.rank == 1:
            tensors[position] = METHODS["unsqueeze"](tensor, position)
    for index, tensor in enumerate(tensors):
        check(
            tensor._geometry.rank == 2,
            lambda: (
                f"multi_dot(): tensor {index} must be 2D but got {tensor._geometry.rank}D"  # noqa: B023
            ),
        )
    shape = (*given[0]._geometry.shape[:-1], *given[-1]._geometry.shape[1:])
    return _chain(tensors, given, shape, out)


def _chain(
    tensors: Sequence[Tensor], given: Sequence[Tensor], shape: Ints, out: Tensor | None
) -> Tensor:
    """Return the product of matrices, of which the first and the last may be given as vectors."""
    _check_chain(tensors, given)
    result = out
    if out is not None:
        _check_out("dtype", "to have dtype", cpp_type(tensors[0]._dtype), cpp_type(out._dtype))
        devices = tensors[0]._geometry.device, out._geometry.device
        _check_out("device", "to be on device", *devices)
        resize_counted(out, shape)
        sizes = tensors[0]._geometry.shape[0], METHODS["size"](tensors[-1], -1)
        result = METHODS["view"](out, sizes)
    split = _splits(tensors)
    last = len(tensors) - 1
    halves = _halves(tensors, split, 0, last)
    product: Tensor = PUBLIC["mm"](*halves, **({} if out is None else {"out": result}))
    return METHODS["view"](product, shape) if out is None else out


def _check_out(word: str, words: str, expected: Any, found: Any) -> None:
    check(
        expected == found,
        lambda: f"multi_dot(): expected out tensor {words} {expected} but got {found}",
    )


def _check_chain(tensors: Sequence[Tensor], given: Sequence[Tensor]) -> None:
    first = tensors[0]
    for index, tensor in enumerate(tensors[1:], 1):
        check(
            tensor._dtype is first._dtype,
            lambda: (
                "multi_dot(): all tensors must have be the same dtype but tensor 0 is"
                f" {cpp_type(first._dtype)} and tensor {index} {cpp_type(tensor._dtype)}"  # noqa: B023
            ),
        )
        check(
            tensor._geometry.device is first._geometry.device,
            lambda: (
                "multi_dot(): all tensors must be on the same device but tensor 0 is on"
                f" {first._geometry.device} and tensor {index} on {tensor._geometry.device}"  # noqa: B023
            ),
        )
        shapes = given[index - 1]._geometry.shape, given[index]._geometry.shape
        check(
            shapes[0][-1] == tensor._geometry.shape[0],
            lambda: (
                f"multi_dot(): tensors {index - 1} and {index} with shapes {[*shapes[0]]} and"  # noqa: B023
                f" {[*shapes[1]]} cannot be multiplied"  # noqa: B023
            ),
        )


def _splits(tensors: Sequence[Tensor]) -> dict[tuple[int, int], int]:
    """Return where to split the products of neighbors, so that they cost least."""
    if len(tensors) == 2:
        return {(0, 1): 0}
    size = METHODS["size"]  # a tensor may be a vector now, if it is ``out``
    sizes = [*[size(x, 0) for x in tensors], size(tensors[-1], 1)]
    costs = {(index, index): 0 for index in range(len(tensors))}
    splits = {}
    for length in range(1, len(tensors)):
        for first in range(len(tensors) - length):
            last = first + length
            options = [
                costs[first, middle]
                + costs[middle + 1, last]
                + sizes[first] * sizes[middle + 1] * sizes[last + 1]
                for middle in range(first, last)
            ]
            costs[first, last] = min(options)
            splits[first, last] = first + options.index(min(options))
    if len(tensors) == 3 and options == [min(options)] * 2:
        splits[0, 2] = 1  # which torch decides without a table
    return splits


def _multiply(
    tensors: Sequence[Tensor], splits: dict[tuple[int, int], int], first: int, last: int
) -> Tensor:
    if first == last:
        return tensors[first]
    product: Tensor = PUBLIC["mm"](*_halves(tensors, splits, first, last))
    return product


def _halves(
    tensors: Sequence[Tensor], splits: dict[tuple[int, int], int], first: int, last: int
) -> tuple[Tensor, Tensor]:
    """Return the products of both parts of neighbors; torch computes the right one first."""
    middle = splits[first, last]
    right = _multiply(tensors, splits, middle + 1, last)
    return _multiply(tensors, splits, first, middle), right


install_operator(
    "inner",
    Overload("Tensor other", _inner),
    doc="Return the sums of products along the last dimensions of two tensors.",
    wrap=with_plans,
)
install_operator(
    "kron",
    Overload("Tensor other", _kron),
    doc="Return the Kronecker product of two tensors.",
    wrap=with_plans,
)
for _function in (tensordot, chain_matmul):
    _function.__qualname__ = _function.__name__
    PUBLIC[_function.__name__] = _function
