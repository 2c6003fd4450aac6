"""Convolutions: the functions of one to three dimensions, and their layers."""

from ...core.domain import Domain
from ...engine.decorators import exhaustive
from ...engine.probe import Probe
from ...generators.networks import convolutions as programs


def _ask(ask: Probe, rank: str, input: str, weight: str, arguments: str) -> None:
    comma = ", " * bool(arguments)
    ask(
        *programs.setup(rank, weight), f"y = {programs.operand(input, 'x', rank)}",
        f"v = {programs.operand(weight, 'w', rank)}",
        f"torch.nn.functional.conv{rank}d(y, v{comma}{arguments})", question=-1,
    )  # fmt: skip


@exhaustive(
    lambda torch: Domain(
        rank=programs.SHAPES, input=programs.INPUTS, weight=programs.WEIGHTS,
        arguments=("", "b.to(y.dtype), padding=1", "dilation=2, padding=2"),
    ),
    one_in=12,
)  # fmt: skip
def test_operands(ask: Probe, rank: str, input: str, weight: str, arguments: str) -> None:
    """A convolution of whole numbers has torch's result, strides and grad_fn, or its error."""
    _ask(ask, rank, input, weight, arguments)


@exhaustive(
    lambda torch: Domain(
        rank=programs.SHAPES,
        input=("x", "x[0]", "x.double()", "x.long()", "{last}", "x + 0j", "x.requires_grad_()",
               "x.to('meta')", "x[:0]", "x[:, :0]", "x.bool()", "x[0, 0]"),
        weight=("w.to(y.dtype)", "w", "{last}.to(y.dtype)", "w[:, :1].to(y.dtype)"),
        arguments=programs.ARGUMENTS,
    ),
    one_in=10,
)  # fmt: skip
def test_arguments(ask: Probe, rank: str, input: str, weight: str, arguments: str) -> None:
    """Strides, padding, dilation and groups give torch's shapes and elements, or its errors."""
    _ask(ask, rank, input, weight, arguments)


INEXACT = (
    "", "b", "b, stride=2, padding=1", "b, dilation=2, padding=2", "None, padding='same'",
)  # fmt: skip


@exhaustive(
    lambda torch: Domain(
        rank=programs.SHAPES, arguments=INEXACT,
        dtype=("float32", "float64", "float16", "bfloat16", "complex64"),
        layout=("{x}", "{last}"), channels=("3", "12"),
    ),
    one_in=2,
)  # fmt: skip
def test_inexact(
    ask: Probe, rank: str, arguments: str, dtype: str, layout: str, channels: str
) -> None:
    """Numbers as they come are convolved within the bound of a sum of products."""
    tail = ", ".join("6" * int(rank))
    kernel = ", ".join("3" * int(rank))
    x = layout.format(x="x", last=programs.SHAPES[rank].channels_last.format(x="x"))
    comma = ", " * bool(arguments)
    ask(
        "torch.manual_seed(5).initial_seed()",
        f"x = torch.randn(2, {channels}, {tail}, dtype=torch.{dtype})", f"y = {x}",
        f"w = torch.randn(4, {channels}, {kernel}, dtype=torch.{dtype})",
        f"b = torch.randn(4, dtype=torch.{dtype})",
        f"torch.nn.functional.conv{rank}d(y, w{comma}{arguments})", question=-1,
    )  # fmt: skip
