"""Stacks and splits by NumPy's names, which torch composes of cat, tensor_split and views.

They follow TensorShape.cpp and TensorTransformations.cpp in ATen/native.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ..._argparser.parser import Parser
from ..._arrays.numpy_bridge import np
from ..._geometry.extents import Ints
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._runtime.warnings import is_python_frame
from ..._tensor.tensor import METHODS, Tensor
from ..common.array_plans import is_noting, note_arrays, with_array_plans
from ..common.registration import Op, register_operator


def _at_least(rank: int, tensor: Tensor) -> Tensor:
    """Return a tensor, or a view of it with as many dimensions of size 1 as it lacks."""
    own_rank = tensor._geometry.rank
    if not own_rank:
        return METHODS["reshape"](tensor, (1,) * rank)  # type: ignore[no-any-return]
    if own_rank == 1 and rank > 1:
        tensor = METHODS["unsqueeze"](tensor, 0)
    return METHODS["unsqueeze"](tensor, -1) if own_rank < rank == 3 else tensor


def _atleast(rank: int) -> Callable[..., Any]:
    name = f"atleast_{rank}d"
    parse = Parser(f"{name}(Tensor input)", f"{name}(TensorList tensors)")

    @is_python_frame
    def function(*tensors: Any) -> Any:
        (bound,) = parse(tensors if len(tensors) == 1 else (tensors,), {})
        if isinstance(bound, Tensor):
            return _at_least(rank, bound)
        return tuple([_at_least(rank, tensor) for tensor in bound])

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Return a tensor, or each of several, with at least {rank} dimensions."
    return function


def _as_column(tensor: Tensor) -> Tensor:
    """Return a tensor of at most one dimension as a column."""
    if tensor._geometry.rank > 1:
        return tensor
    return METHODS["reshape"](tensor, (tensor._geometry.numel, 1))  # type: ignore[no-any-return]


def _joined(name: str, change: Callable[[Tensor], Tensor], dim: int) -> Callable[..., Tensor]:
    def run(tensors: tuple[Tensor, ...], out: Tensor | None = None) -> Tensor:
        check(tensors, lambda: f"{name} expects a non-empty TensorList")
        changed = [change(tensor) for tensor in tensors]
        axis = min(dim, changed[0]._geometry.rank - 1)
        result: Tensor = PUBLIC["cat"](changed, axis, out=out)
        if is_noting() and out is None and all(x._dtype is result._dtype for x in tensors):
            shapes = [x._geometry.shape for x in changed]
            note_arrays(partial(_concatenated, axis, shapes), result, *tensors)
        return result

    run.__doc__ = f"{name}(tensors, *, out=None): concatenate along dimension {dim}."
    return run


def _concatenated(axis: int, shapes: Sequence[Ints], *raws: Any) -> Any:
    """Return raw arrays of other shapes, joined along an axis."""
    return np.concatenate([raw.reshape(s) for raw, s in zip(raws, shapes, strict=True)], axis)


def _split(name: str, rank: int, dim: int, tensor: Tensor, parts: Any) -> Any:
    """Return views of parts of a dimension, of equal size or between indices."""
    own_rank = tensor._geometry.rank
    check(
        own_rank >= rank,
        lambda: (
            f"torch.{name} requires a tensor with at least {rank} dimension, but got a tensor with"
            f" {own_rank} dimensions!"
        ),
    )
    dim = min(dim, own_rank - 1)
    size = tensor._geometry.shape[dim]
    check(
        isinstance(parts, tuple) or (parts and not size % parts),
        lambda: (
            f"torch.{name} attempted to split along dimension {dim}, but the size of the dimension"
            f" {size} is not divisible by the split_size {parts}!"
        ),
    )
    return METHODS["tensor_split"](tensor, parts, dim)


for _rank in (1, 2, 3):
    PUBLIC[f"atleast_{_rank}d"] = _atleast(_rank)

for _name, _run in (
    ("hstack", _joined("hstack", partial(_at_least, 1), 1)),
    ("vstack", _joined("vstack", partial(_at_least, 2), 0)),
    ("row_stack", _joined("vstack", partial(_at_least, 2), 0)),
    ("dstack", _joined("dstack", partial(_at_least, 3), 2)),
    ("column_stack", _joined("column_stack", _as_column, 1)),
):
    register_operator(
        Op(
            _name,
            {"*, Tensor out=None": _run},
            method=False,
            input="TensorList tensors",
            wrap=with_array_plans,
        )
    )

for _name, _rank, _dim in (("hsplit", 1, 1), ("vsplit", 2, 0), ("dsplit", 3, 2)):
    _parts = partial(_split, _name, _rank, _dim)
    register_operator(Op(_name, {"int64_t sections": _parts, "IntArrayRef indices": _parts}))
