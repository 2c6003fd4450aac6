"""block_diag, the matrix of blocks along its diagonal (TensorShape.cpp in ATen, torch/_refs)."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ..._argparser.parser import Parser
from ..._arrays.numpy_bridge import np
from ..._autograd.grad_mode import no_grad
from ..._devices.device import META, device
from ..._geometry.extents import Ints
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._runtime.warnings import is_python_frame
from ..._tensor.factories import empty, zeros
from ..._tensor.sparse_coo import is_sparse
from ..._tensor.tensor import METHODS, Tensor
from ..._tensor.views import record_grad_fn
from ..common.array_plans import is_noting, note_arrays, with_array_plans
from ..common.conj_neg_fallback import resolve_operands
from ..common.copy import copy_into
from ..common.meta_reference import in_reference
from ..common.result_type import result_type_of

_parse = Parser("block_diag(TensorList tensors)")


@with_array_plans
@is_python_frame
def block_diag(*tensors: Tensor) -> Tensor:
    """Return the matrix whose blocks along the diagonal are tensors; the rest is 0."""
    _, (operands,) = _parse.bind((tensors,), {})
    with no_grad():
        if any(x._geometry.device is META for x in operands):
            result = in_reference(_refer, operands)
        else:
            result = _block_diag(resolve_operands(operands))
    if is_noting() and all(x._dtype is result._dtype for x in operands):
        note_arrays(partial(_joined, result._geometry.shape), result, *operands)
    return record_grad_fn(result, operands, "BlockDiagBackward0")


def _joined(shape: Ints, *blocks: Any) -> Any:
    """Return the matrix of raw arrays along its diagonal."""
    result, row, column = np.zeros(shape, blocks[0].dtype), 0, 0
    for block in blocks:
        height, width = ((1, 1), (1, block.size), block.shape)[block.ndim]
        result[row : row + height, column : column + width] = block
        row, column = row + height, column + width
    return result


def _block_diag(tensors: Sequence[Tensor]) -> Tensor:
    if not tensors:
        return empty(1, 0)
    expected = tensors[0]._geometry.device
    for index, tensor in enumerate(tensors):
        _check_device("torch.block_diag: input", index, tensor, expected)
    dtype = result_type_of(tensors, _UNDEFINED)
    blocks = [_matrix(index, tensor) for index, tensor in enumerate(tensors)]
    shape = [sum(x._geometry.shape[dim] for x in blocks) for dim in range(2)]
    result: Tensor = METHODS["new_zeros"](tensors[0], shape, dtype=dtype)
    starts = [0, 0]
    for block in blocks:
        place = result
        for dim, size in enumerate(block._geometry.shape):
            place = METHODS["narrow"](place, dim, starts[dim], size)
            starts[dim] += size
        write: Callable[..., object] = METHODS["copy_"] if is_sparse(block) else copy_into
        write(place, block)
    return result


_UNDEFINED = (
    "Cannot access data pointer of Tensor that doesn't have initialized dtype (e.g., caffe2::Tensor"
    " x(CPU), prior to calling mutable_data<T>() on x)"
)
"""The message for tensors without a common dtype."""


def _matrix(index: int, tensor: Tensor) -> Tensor:
    _check_rank("torch.block_diag: ", index, tensor)
    rank = tensor._geometry.rank
    if rank == 2:
        return tensor
    matrix: Tensor = METHODS["expand"](tensor, (1, *tensor._geometry.shape) if rank else (1, 1))
    return matrix


def _check_device(start: str, index: int, tensor: Tensor, expected: device) -> None:
    found = tensor._geometry.device
    check(
        found is expected,
        lambda: (
            f"{start} tensors must all be on the same device. Input 0 is on device {expected} and"
            f" input {index} is on device {found}{'.' * (start == 'Input')}"
        ),
    )


def _check_rank(start: str, index: int, tensor: Tensor) -> None:
    rank = tensor._geometry.rank
    check(
        rank <= 2,
        lambda: (
            f"{start}Input tensors must have 2 or fewer dimensions. Input {index} has {rank}"
            " dimensions"
        ),
    )


def _refer(tensors: Sequence[Tensor]) -> Tensor:
    """Return the result of the reference, which joins rows of blocks."""
    blocks = [METHODS["view"](x, (1, -1)) if x._geometry.rank < 2 else x for x in tensors]
    expected, columns = blocks[0]._geometry.device, sum(x._geometry.shape[1] for x in blocks)
    rows, before = [], 0
    for index, block in enumerate(blocks):
        _check_rank("", index, block)
        _check_device("Input", index, block, expected)
        height, width = block._geometry.shape
        left, right = [
            zeros(height, size, device=expected, dtype=block._dtype)
            for size in (before, columns - before - width)
        ]
        rows.append(PUBLIC["cat"]((left, block, right), 1))
        before += width
    result: Tensor = PUBLIC["cat"](rows, 0)
    return result


block_diag.__qualname__ = "block_diag"
PUBLIC["block_diag"] = block_diag
