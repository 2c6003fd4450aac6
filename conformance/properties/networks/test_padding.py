"""Padding by elements of the input itself; `layers.pad` pads with constants."""

from ...core.domain import Domain
from ...engine.decorators import exhaustive
from ...engine.probe import Probe

TENSORS = (
    "x", "x[0]", "x[0, 0]", "x[0, 0, 0]", "x[None]", "x[:0]", "x[:, :0]", "x[:, :, :0]",
    "x[..., :0]", "x[0, :0]", "x[0, :, :0]", "x[0, 0, :, :0]", "x[None, :0]", "x.mT", "x[0].mT",
    "x.contiguous(memory_format=torch.channels_last)", "x[0, 0].requires_grad_()",
    "x[None].contiguous(memory_format=torch.channels_last_3d)", "x[:, :1].expand(2, 4, 4, 5)",
    "x.requires_grad_()", "x[0].requires_grad_()", "x[None].requires_grad_()", "x.long()",
    "x[0].int()", "x.bool()", "x[0].bool()", "x[None].bool()", "x.half()", "x + 1j",
    "(x + 1j).conj()", "torch._neg_view(x)", "x.to(torch.uint8)", "x.to(torch.float8_e5m2)",
    "x.to(torch.uint16)", "x.to(torch.complex32)", "x.to('meta')", "x[0].to('meta')",
    "x[None].to('meta')", "x[:, :, :0].to('meta')", "x.to('meta').bool()", "x.to('meta').long()",
    "x.contiguous(memory_format=torch.channels_last).to('meta')", "x.to_sparse()", "3",
)  # fmt: skip
PADS = (
    "(1, 2)", "(0, 0)", "(2, 1)", "()", "(1,)", "(1, 2, 3)", "(1, 0, 2, 1)", "(0, 0, 0, 0)",
    "(4, 4, 3, 3)", "(5, 0)", "(0, 5)", "(5, 5, 0, 0)", "(0, 0, 4, 1)", "(0, 0, 5, 0)", "(6, 0)",
    "(-1, 2)", "(2, -1)", "(-3, -1)", "(-3, -2)", "(-3, -3)", "(-6, 0)", "(-1, 2, 1, -2)",
    "(-3, -2, -2, -2)", "(-5, 0, 1, 1)", "(1, 1, 1, 1, 1, 1)", "(2, 1, 0, 2, 1, 0)",
    "(0, 0, 0, 0, 3, 1)", "(-1, -1, -1, -1, -1, -1)", "(1, 1, 1, 1, 1, 1, 1, 1)", "(9, 1)",
    "(1, 0, 0, 9)", "(-6, 0, 1, 1, 1, 1)", "(-3, -2, -2, -2, -2, -1)",
    "[1, 1]", "1", "(True, 1)", "(1.5, 1)",
)  # fmt: skip
MODES = ("'reflect'", "'replicate'", "'circular'", "mode='reflect', value=0", "'circular', 0.0",
         "'replicate', 1", "'Reflect'")  # fmt: skip


@exhaustive(lambda torch: Domain(tensor=TENSORS, pad=PADS, mode=MODES), one_in=6)
def test_modes(ask: Probe, tensor: str, pad: str, mode: str) -> None:
    """A tensor is padded by reflection, replication or repetition, or refused, as by torch."""
    ask(
        "x = torch.arange(120.0).view(2, 3, 4, 5)", f"y = {tensor}",
        f"torch.nn.functional.pad(y, {pad}, {mode})", "y", question=2,
    )  # fmt: skip
