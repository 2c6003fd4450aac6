"""unravel_index, which torch implements in Python (torch/functional.py)."""

from collections.abc import Sequence
from itertools import accumulate
from operator import mul
from typing import Any

from ..._dtypes.constants import BOOL, INT64
from ..._dtypes.cpp_names import class_text
from ..._geometry.size import Size
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.tensor import Tensor


def unravel_index(indices: Any, shape: Any) -> tuple[Tensor, ...]:
    """Return the coordinates of flat indices in a tensor of a shape, a tensor per dimension."""
    check(
        not (indices.is_complex() or indices.is_floating_point() or indices.dtype is BOOL),
        lambda: f"expected 'indices' to be integer dtype, but got {indices.dtype}",
        TypeError,
    )
    check(
        isinstance(shape, int | Sequence),
        lambda: (
            f"expected 'shape' to be int or sequence of ints, but got {class_text(type(shape))}"
        ),
        TypeError,
    )
    sizes = Size([shape] if isinstance(shape, int) else _ints(shape))
    check(
        all(size >= 0 for size in sizes),
        lambda: f"'shape' cannot have negative values, but got {tuple(sizes)}",
        ValueError,
    )
    steps = [*accumulate(reversed((*sizes[1:], 1)), mul)][::-1]
    divisors, moduli = [
        PUBLIC["tensor"](numbers, device=indices.device, dtype=INT64) for numbers in (steps, sizes)
    ]
    coordinates = indices.unsqueeze(-1).floor_divide(divisors) % moduli
    return coordinates.unbind(-1)  # type: ignore[no-any-return]


def _ints(shape: Any) -> Any:
    for size in shape:
        if not isinstance(size, int):
            text = class_text(type(size))
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {text}")
    return shape
