"""torch.nn.functional: padding by elements of the input itself.

From ReflectionPad.cpp, ReplicationPadding.cpp and PadNd.cpp; on meta from _meta_registrations.py.
"""

from functools import partial
from typing import Any

from ... import (
    Tensor,
    arange,
    bool as _bool,
    contiguous_format,
    empty_like,
    no_grad,
)
from ..._runtime.errors import check
from ..._tensor.sparse_missing import could_not_run
from .common import cpp_name, suggested_memory_format, with_grad_fn

MODES = {"reflect": "reflection", "replicate": "replication", "circular": ""}
"""The modes, and the first word of the names of torch's kernels."""


def padded_by_mode(input: Tensor, pad: tuple[int, ...], mode: str) -> Tensor:
    """Return the input with its own elements before and after its last dimensions."""
    rank, dims = input.dim(), len(pad) // 2
    if len(pad) not in (2, 4, 6) or rank not in (dims + 1, dims + 2):
        raise NotImplementedError(
            f"Padding size {len(pad)} is not supported for {rank}D input tensor.\n"
            "Supported combinations for non-constant padding:\n"
            "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
            "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
            "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"
        )
    sides = [*zip(range(rank - 1, -1, -1), pad[::2], pad[1::2], strict=False)]
    if mode == "circular":
        return _circular(input, sides)
    kernel = f"{MODES[mode]}_pad{dims}d"
    if input.is_sparse:
        raise could_not_run(kernel, "SparseMeta" if input.is_meta else "SparseCPU")
    with no_grad():
        # torch makes this result first, which warns of complex32, and then resizes it.
        is_resized = kernel == "reflection_pad2d" and not input.is_meta
        empty = input.new_empty(0) if is_resized else None
        shape = _checked_shape(input, sides, kernel)
        new = input.new_empty if input.is_meta else partial(_selected, input, sides, kernel, empty)
        result = new(shape)
    return with_grad_fn(result, (input,), _node(kernel))


def _node(kernel: str) -> str:
    """Return the name of the grad_fn.

    >>> _node("reflection_pad2d")
    'ReflectionPad2DBackward0'
    """
    word, name = kernel.split("_")
    return f"{word.capitalize()}{name.capitalize()[:-1]}DBackward0"


def _checked_shape(input: Tensor, sides: list[tuple[int, int, int]], kernel: str) -> list[int]:
    """Return the shape of the result; raise if torch's kernel refuses the operands."""
    shape: Any = input.shape if input.is_meta else [*input.shape]
    is_replication, dtype = kernel.startswith("replication"), input.dtype
    if input.is_meta and is_replication and dtype is _bool:
        raise RuntimeError(f"\"{kernel}\" not implemented for '{dtype}'")
    dims, rank = len(sides), input.dim()
    check(
        all(shape[1:] if rank == dims + 2 else shape),
        lambda: (
            f"Expected {dims + 1}D or {dims + 2}D (batch mode) tensor with possibly 0 batch size"
            f" and other non-zero dimensions for input, but got: {shape}"
        ),
    )
    for argument, (dim, before, after) in enumerate(sides):
        size = shape[dim]
        check(
            is_replication or (before < size and after < size),
            lambda argument=4 + 2 * argument, dim=dim, pair=(before, after): (  # type: ignore[misc]
                f"Argument #{argument}: Padding size should be less than the corresponding input"
                f" dimension, but got: padding {pair} at dimension {dim} of input {shape}"
            ),
        )
    result = [*shape]
    for dim, before, after in sides:
        result[dim] += before + after
    check(
        any(result[dim] >= 1 for dim, _, _ in sides),
        lambda: (
            f"input ({_size_text(input, sides, is_replication)}) is too small. Calculated output "
            + " ".join(f"{name}: {result[dim]}" for name, dim in _named(sides))
        ),
    )
    return result


def _named(sides: list[tuple[int, int, int]]) -> list[tuple[str, int]]:
    """Return the dimensions in order, with the letters of torch's messages."""
    dims = sorted(dim for dim, _, _ in sides)
    return [*zip("DHW"[-len(dims) :], dims, strict=True)]


def _size_text(input: Tensor, sides: list[tuple[int, int, int]], is_replication: bool) -> str:
    """Return the sizes of the padded dimensions, with the commas and spaces of torch's kernels."""
    text = " ".join(f"{name}: {input.size(dim)}" for name, dim in _named(sides))
    if input.is_meta or len(sides) == 1:
        return text
    return text.replace(" W", ", W") + " " * (is_replication and len(sides) == 2)


def _selected(
    input: Tensor,
    sides: list[tuple[int, int, int]],
    kernel: str,
    empty: Tensor | None,
    shape: list[int],
) -> Tensor:
    """Return the elements at the places that the padded ones repeat, in ``empty`` if given."""
    result = input.new_empty(shape) if empty is None else empty.resize_(shape)
    memory_format = suggested_memory_format(input)
    if memory_format is not contiguous_format:
        result = empty_like(result, memory_format=memory_format)
    dtype = input.dtype
    if str(dtype) in _WITHOUT_KERNEL or (dtype.is_floating_point and dtype.itemsize == 1):
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{cpp_name(dtype)}'")
    part = input
    for dim, before, after in sides:
        size = input.size(dim)
        places = arange(-before, size + after, device=input.device)
        if kernel.startswith("replication"):
            places = places.clamp(0, size - 1)
        elif size:
            places = size - 1 - (size - 1 - places.abs()).abs()
        part = part.index_select(dim, places)
    return result.copy_(part)


_WITHOUT_KERNEL = {"torch.bool", "torch.uint16", "torch.uint32", "torch.uint64", "torch.complex32"}


def _circular(input: Tensor, sides: list[tuple[int, int, int]]) -> Tensor:
    """Return the input, and around it what would follow if it were repeated (_pad_circular)."""
    shape = [*input.shape]
    for dim, before, after in sorted(sides):
        size = shape[dim]
        check(
            before <= size and after <= size,
            lambda: "Padding value causes wrapping around more than once.",
        )
        shape[dim] += before + after
        check(
            shape[dim] >= 0,
            lambda: "Negative padding value is resulting in an empty dimension",
        )
    if input.is_sparse:
        raise could_not_run("as_strided", "SparseMeta" if input.is_meta else "SparseCPU")
    result = input.new_empty(shape)
    inner, part = result, input
    for dim, before, after in sides:
        inner = _between(inner, dim, max(before, 0), shape[dim] - max(after, 0))
        part = _between(part, dim, max(-before, 0), input.size(dim) - max(-after, 0))
    inner.copy_(part)
    for dim, before, after in reversed(sides):
        end = shape[dim]
        if before > 0:
            source = _between(result, dim, end - before - max(after, 0), end - max(after, 0))
            _between(result, dim, 0, before).copy_(source)
        if after > 0:
            source = _between(result, dim, max(before, 0), max(before, 0) + after)
            _between(result, dim, end - after, end).copy_(source)
    return result


def _between(tensor: Tensor, dim: int, start: int, end: int) -> Tensor:
    return tensor[(slice(None),) * dim + (slice(start, end),)]
