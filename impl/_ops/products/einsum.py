"""einsum, which torch composes of sums and products of batches (Linear.cpp in ATen/native).

Torch orders the contractions by opt_einsum if that package is installed.  Without it, as here, it
contracts operands from left to right.
"""

from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from typing import Any

from ..._argparser.parser import Parser
from ..._geometry.extents import Ints
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._runtime.warnings import is_python_frame
from ..._tensor.tensor import METHODS, Tensor
from ..common.caches import remember
from .equations import Equation, parsed
from .notes import multiply_elements, reshaped
from .plan import with_plans

_parse = Parser("einsum(c10::string_view equation, TensorList tensors, *, IntArrayRef? path=None)")
_PAIRS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {}
"""The functions of two operands that keep plans, by equation."""


@is_python_frame
def einsum(*args: Any) -> Tensor:
    """Return the sums of products of elements, by an equation of their subscripts."""
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one"
            " operand and its subscripts list"
        )
    equation, *operands = _of_sublists(args) if isinstance(args[0], Tensor) else args
    if len(operands) == 1 and isinstance(operands[0], list | tuple):
        result: Tensor = einsum(equation, *operands[0])
        return result
    if type(equation) is str and len(operands) == 2 and type(operands[0]) is type(operands[1]):
        run = _PAIRS.get(equation)
        if run is None:
            run = with_plans(partial(_bound, equation))
            remember(_PAIRS, equation, run)
        return run(*operands)
    return _bound(equation, *operands)


def _of_sublists(args: Sequence[Any]) -> list[Any]:
    """Return the equation and the operands of a call whose subscripts are lists of numbers."""
    equation = ",".join("".join(map(_letter, numbers)) for numbers in args[1::2])
    if len(args) % 2:
        return [equation + "->" + "".join(map(_letter, args[-1])), *args[:-1:2]]
    return [equation, *args[::2]]


def _letter(number: Any) -> str:
    if number == Ellipsis:
        return "..."
    if number >= 0 and number < 26:
        return chr(ord("A") + number)
    if number >= 26 and number < 52:
        return chr(ord("a") + number - 26)
    raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")


def _bound(equation: Any, *operands: Any) -> Tensor:
    _, (text, tensors, _) = _parse.bind((equation, operands), {})
    return _einsum(text.encode() if isinstance(text, str) else text, tensors)


def _einsum(text: bytes, tensors: Sequence[Tensor]) -> Tensor:
    check(tensors, lambda: "einsum(): must provide at least one operand")
    equation = parsed(text, tuple([x._geometry.rank for x in tensors]))
    operands, counts = _aligned(equation, tensors)
    result: Tensor = operands[0]
    others = operands[1:]
    for other in others:
        result = _contracted(result, other, equation.kept, counts)
    if equation.rank == equation.kept:
        return result
    if others:
        result = METHODS["view"](result, result._geometry.shape[: equation.kept])
    else:
        result = METHODS["sum"](result, (*range(equation.kept, equation.rank),))
    return result


def _aligned(equation: Equation, tensors: Sequence[Tensor]) -> tuple[list[Tensor], list[int]]:
    """Return views of operands in the common order, and how many of them have each dimension."""
    sizes, counts = [1] * equation.rank, [0] * equation.rank
    operands = []
    for index, operand in enumerate(tensors):
        dims = [-1] * equation.rank  # that of the operand for each position
        dim, shape = 0, operand._geometry.shape
        labels = zip(equation.operands[index], equation.dims_of(index, shape), strict=True)
        for label, positions in labels:
            for position in positions:
                if dims[position] != -1:
                    operand = _diagonal(operand, index, label, dims[position], dim)
                    continue
                size = operand._geometry.shape[dim]
                if size != 1:
                    _check_size(index, label, dim, size, sizes[position])
                    sizes[position] = size
                    counts[position] += 1
                dims[position] = dim
                dim += 1
        for position, found in enumerate(dims):
            if found == -1:
                operand = METHODS["unsqueeze"](operand, dim)
                dims[position] = dim
                dim += 1
        operands.append(METHODS["permute"](operand, dims))
    return operands, counts


def _diagonal(operand: Tensor, index: int, label: int, first: int, second: int) -> Tensor:
    """Return the view of an operand in which a repeated subscript stands for one dimension."""
    sizes = [operand._geometry.shape[dim] for dim in (second, first)]
    check(
        sizes[0] == sizes[1],
        lambda: (
            f"einsum(): subscript {chr(label)} is repeated for operand {index} but the sizes don't"
            f" match, {sizes[0]} != {sizes[1]}"
        ),
    )
    diagonal = METHODS["diagonal"](operand, 0, first, second)
    moved: Tensor = METHODS["movedim"](diagonal, -1, first)
    return moved


def _check_size(index: int, label: int, dim: int, size: int, seen: int) -> None:
    check(
        seen in (1, size),
        lambda: (
            f"einsum(): dimension {dim} covered by ellipsis in operand {index}has size {size} which"
            f" does not broadcast with previously seen ellipsis with size {seen} for the respective"
            " dimension"
            if label < 0
            else f"einsum(): subscript {chr(label)} has size {size} for operand {index} which does"
            f" not broadcast with previously seen size {seen}"
        ),
    )


def _contracted(left: Tensor, right: Tensor, kept: int, counts: list[int]) -> Tensor:
    """Return the products of two operands, summed along what no other operand has."""
    summed: list[int] = []
    alone: tuple[list[int], list[int]] = [], []
    for dim in range(kept, len(counts)):
        both = [x._geometry.shape[dim] != 1 for x in (left, right)]
        if all(both):
            counts[dim] -= 1
            if counts[dim] == 1:
                summed.append(dim)
                counts[dim] = 0
        elif any(both) and counts[dim] == 1:
            alone[both.index(True)].append(dim)
            counts[dim] = 0
    left, right = [
        METHODS["sum"](x, dims, True) if dims else x
        for x, dims in zip((left, right), alone, strict=True)
    ]
    return _summed_products(left, right, summed) if summed else multiply_elements(left, right)


def _summed_products(left: Tensor, right: Tensor, summed: list[int]) -> Tensor:
    """Return the products, summed along dimensions that both operands have (sumproduct_pair)."""
    shapes = left._geometry.shape, right._geometry.shape
    both: list[int] = []
    first: list[int] = []
    second: list[int] = []
    for dim, (own, other) in enumerate(zip(*shapes, strict=True)):
        if dim not in summed:
            (both if own != 1 != other else first if own != 1 else second).append(dim)
    if first and second and second[-1] < first[0]:  # then bmm writes in the order of the result
        left, right, first, second, shapes = right, left, second, first, shapes[::-1]
    batch, rows, inner = [_numel(shapes[0], dims) for dims in (both, first, summed)]
    columns = _numel(shapes[1], second)
    permute = METHODS["permute"]
    result = PUBLIC["bmm"](
        reshaped(permute(left, (*both, *first, *summed, *second)), (batch, rows, inner)),
        reshaped(permute(right, (*both, *summed, *second, *first)), (batch, inner, columns)),
    )
    order = [*both, *first, *summed, *second]
    sizes = [shapes[0][dim] for dim in (*both, *first)]
    sizes += [*[1] * len(summed), *[shapes[1][dim] for dim in second]]
    view = METHODS["view"](result, sizes)
    ordered: Tensor = permute(view, [order.index(dim) for dim in range(len(order))])
    return ordered


def _numel(shape: Ints, dims: Sequence[int]) -> int:
    return prod(shape[dim] for dim in dims)


einsum.__qualname__ = "einsum"
PUBLIC["einsum"] = einsum
