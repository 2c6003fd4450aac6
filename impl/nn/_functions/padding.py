"""torch.nn.functional: padding (PadNd.cpp)."""

from typing import Any

from ... import Tensor, empty_like, no_grad
from ..._argparser.parser import Parser
from ..._runtime.errors import check
from ..._runtime.warnings import is_python_frame
from .common import suggested_memory_format, with_grad_fn
from .padding_modes import MODES, padded_by_mode

_parse_pad = Parser(
    'pad(Tensor input, SymIntArrayRef pad, c10::string_view mode="constant", double? value=None)'
)


@is_python_frame
def pad(input: Tensor, pad: Any, mode: str = "constant", value: float | None = None) -> Tensor:
    """Return the input with a constant, or its own elements, around its last dimensions.

    ``pad`` has two sizes for each dimension, of the last dimension first; negative ones cut off.
    """
    input, sizes, mode, value = _parse_pad((input, pad, mode, value), {})
    if mode != "constant" and mode not in MODES:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    check(len(sizes) % 2 == 0, lambda: "Padding length must be divisible by 2")
    rank = input.dim()
    check(
        len(sizes) <= 2 * rank,
        lambda: (
            "Padding length should be less than or equal to two times the input dimension but got"
            f" padding length {len(sizes)} and input of dimension {rank}"
        ),
    )
    if mode != "constant":
        check(
            value is None or value == 0,
            lambda: f'Padding mode "{mode}" doesn\'t take in value argument',
        )
        return padded_by_mode(input, sizes, mode)
    before, after = sizes[::2], sizes[1::2]
    sides = [*zip(range(rank - 1, -1, -1), before, after, strict=False)]
    with no_grad():
        result = padded(input, sides, 0.0 if value is None else value)
    return with_grad_fn(result, (input,), "ConstantPadNdBackward0")


def padded(input: Tensor, sides: list[tuple[int, int, int]], value: float) -> Tensor:
    """Return a padded tensor; ``sides`` has dimensions and the sizes before and after them."""
    part, shape = input, [*input.shape]
    for dim, before, after in reversed(sides):
        if before < 0:
            part = part.narrow(dim, -before, part.size(dim) + before)
        if after < 0:
            part = part.narrow(dim, 0, part.size(dim) + after)
        shape[dim] += before + after
    if all(before <= 0 and after <= 0 for _, before, after in sides):
        return part.clone()
    for dim, before, after in reversed(sides):
        check(
            shape[dim] >= 0,
            lambda dim=dim, sizes=(before, after): (  # type: ignore[misc]
                f"The input size {input.size(dim)}, plus negative padding {sizes[0]} and"
                f" {sizes[1]}, resulted in a negative output size, which is invalid. Check"
                f" dimension {dim} of your input."
            ),
        )
    output = empty_like(input.new_empty(shape), memory_format=suggested_memory_format(input)).fill_(
        value
    )
    inner = output
    for dim, before, after in sides:
        inner = inner.narrow(dim, max(before, 0), shape[dim] - max(before, 0) - max(after, 0))
    inner.copy_(part)
    return output
