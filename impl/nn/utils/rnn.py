"""torch.nn.utils.rnn: batches of sequences of different lengths (PackedSequence.cpp)."""

from collections.abc import Iterable
from typing import Any

from ... import Tensor, arange, empty, full
from ..._argparser.parser import Parser
from ..._dtypes.cpp_names import class_text
from ..._runtime.errors import check

__all__ = ["pad_sequence", "unpad_sequence"]

_parse_pad_sequence = Parser(
    "pad_sequence(TensorList sequences, bool batch_first=False, double padding_value=0.0,"
    ' c10::string_view padding_side="right")'
)


def pad_sequence(
    sequences: Any,
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Return one tensor of several sequences, the shorter ones with a number before or after them.

    >>> import impl as torch
    >>> torch.nn.utils.rnn.pad_sequence([torch.ones(1), torch.ones(2)], batch_first=True)
    tensor([[1., 0.],
            [1., 1.]])
    """
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            "pad_sequence: Expected iterable for input sequences, but got arg of type:"
            f" {class_text(type(sequences))}"
        )
    arguments = tuple(sequences), batch_first, padding_value, padding_side
    tensors, batch_first, padding_value, side = _parse_pad_sequence(arguments, {})
    check(tensors, lambda: "received an empty list of sequences")
    check(
        side in ("left", "right"),
        lambda: f"Expected padding_side to be one of left or right, but got {side}.",
    )
    first = tensors[0]
    check(first.dim(), lambda: "ArrayRef: invalid slice, N = 1; size = 0")
    lengths = [tensor.size(0) for tensor in tensors]
    longest = max(lengths)
    sizes = (len(tensors), longest) if batch_first else (longest, len(tensors))
    shape = (*sizes, *first.shape[1:])
    if first.is_sparse:
        full(shape, padding_value, layout=first.layout)  # raises
    options: Any = {"dtype": first.dtype, "device": first.device}
    result: Any
    if first.is_meta:
        result = full(shape, padding_value, **options)
    else:  # this counts a version
        result = empty(shape, **options).fill_(padding_value)
    for index, (tensor, length) in enumerate(zip(tensors, lengths, strict=True)):
        start = 0 if side == "right" else longest - length
        if batch_first:
            result.select(0, index).narrow(0, start, length).copy_(tensor)
        else:
            result.narrow(0, start, length).select(1, index).copy_(tensor)
    return result  # type: ignore[no-any-return]


def unpad_sequence(
    padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False
) -> list[Tensor]:
    """Return the sequences of a padded tensor, which is transposed if the batch is not first."""
    padded: Any = padded_sequences
    if not batch_first:
        padded.transpose_(0, 1)
    places = arange(padded.shape[1], device=lengths.device)
    return [row[places < length] for row, length in zip(padded, lengths, strict=True)]
