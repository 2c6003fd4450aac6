"""Operands and arguments of convolutions, by the number of spatial dimensions."""

from math import prod
from typing import NamedTuple


class Shapes(NamedTuple):
    """The shapes of the input and of the weight, and a memory format with the channels last."""

    input: tuple[int, ...]
    weight: tuple[int, ...]
    channels_last: str


SHAPES = {
    "1": Shapes((2, 3, 6), (6, 3, 2), "{x}.mT.contiguous().mT"),
    "2": Shapes(
        (2, 3, 4, 5), (6, 3, 2, 3), "{x}.contiguous(memory_format=torch.channels_last)"
    ),
    "3": Shapes(
        (2, 3, 3, 4, 3), (6, 3, 2, 1, 2),
        "{x}.contiguous(memory_format=torch.channels_last_3d)",
    ),
}  # fmt: skip

INPUTS = (
    "x", "x[0]", "x[0, 0]", "x[None]", "x.double()", "x.half()", "x.to(torch.bfloat16)", "x.long()",
    "x.abs().to(torch.uint8)", "x.bool()", "x + 0j", "(x + 1j).conj()", "(x + 0j)[1]",
    "x.to(torch.float8_e5m2)", "{last}", "{last}.double()", "{last}.long()", "{last}[0]",
    "x.transpose(0, 1)[:, :2]", "x[:1].expand(3, *x.shape[1:])", "x[:0]", "x[:, :0]", "x[:, :, :0]",
    "{last}[:0]", "x.requires_grad_()", "x.requires_grad_()[1]", "(x + 0j).requires_grad_()",
    "x[:, :0].requires_grad_()", "x.to('meta')", "{last}.to('meta')", "x[0].to('meta')",
    "x[:0].to('meta')", "x[:, :, :0].to('meta')", "x.requires_grad_().to('meta')", "x.to_sparse()",
    "torch._neg_view(x)", "x[:, :, :1]", "x[..., ::2]", "3", "None",
)  # fmt: skip

_SINGLE = "w[..., :1].to(y.dtype)"
WEIGHTS = (
    "w.to(y.dtype)", "w", "w.double()", "w.half()", "w.long()", "w + 0j", "w.bool()",
    "{last}", "{last}.to(y.dtype)", "w[:, :1].to(y.dtype)", "w[:4, :2].to(y.dtype)", "w[:0]",
    "w[:, :0].to(y.dtype)", "w[:, :, :0].to(y.dtype)", "w[..., :0]", "w.requires_grad_()",
    "torch.nn.Parameter(w)", "w.to(y.dtype).to('meta')", "w[0]", "w[None]", "w[0, 0, 0]",
    "w.repeat(1, 1, *[5] * (w.dim() - 2)).to(y.dtype)", "w[:, :, :1].to(y.dtype)",
    _SINGLE, "torch._neg_view(w)", "w.to_sparse()", "[1]",
)  # fmt: skip

_LISTS = (
    "2", "0", "-1", "(2,)", "()", "[1, 2]", "(2, 1, 1)", "[2, 1, 1, 1]", "(1, 0)", "(1, -1, 1)",
    "1.5", "None", "True",
)  # fmt: skip
ARGUMENTS = (
    "", "b", "b.to(y.dtype)", "b[:5].to(y.dtype)", "b.view(2, 3).to(y.dtype)", "b.double()",
    "b.requires_grad_()", "b * (1 - 2j)", "b.to(y.dtype).to('meta')", "bias=None", "3",
    *(f"{name}={value}" for name in ("stride", "padding", "dilation") for value in _LISTS),
    "stride=2, padding=1, dilation=2", "b.to(y.dtype), padding=2, stride=3",
    "None, 1, 1, 1, 3", "None, 2, 0, 1, 1, 1", "None, [2], [1], [1], 1", "groups=2", "groups=3",
    "groups=7", "groups=0", "groups=-2", "groups=1.0", "groups=True",
    "b.to(y.dtype), groups=3, padding=1",
    "groups=3, dilation=2", "padding='same'", "padding='valid'", "padding='other'", "padding=''",
    "padding='same', stride=2", "padding='same', dilation=2", "padding='same', dilation=(1, 2)",
    "padding='same', dilation=(1, 2, 1, 1)", "padding='same', groups=3",
    "b.to(y.dtype), padding='same'",
    "b.double(), padding='same'", "padding='valid', dilation=2", "out=x", "w=1",
)  # fmt: skip


def setup(rank: str, weight: str) -> tuple[str, ...]:
    """Return the steps that make the input, the weight and the bias: small whole numbers.

    The number of threads decides with which kernel torch convolves by single elements.
    """
    shapes = SHAPES[rank]
    return (
        *(("torch.set_num_threads(1)",) if weight == _SINGLE else ()),
        f"x = (torch.arange({prod(shapes.input)}.0) % 5 - 2).view({shapes.input})",
        f"w = (torch.arange({prod(shapes.weight)}.0) % 3 - 1).view({shapes.weight})",
        "b = torch.arange(6.0)",
    )


def operand(text: str, name: str, rank: str) -> str:
    """Return an operand of ``INPUTS`` or ``WEIGHTS``, made of the tensor with a name."""
    return text.format(last=SHAPES[rank].channels_last.format(x=name))
