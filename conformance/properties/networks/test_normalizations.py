"""Normalizations of channels; `layers.norms` has those of the last dimensions."""

from ...core.domain import Domain
from ...engine.decorators import exhaustive
from ...engine.probe import Probe

SETUP = (
    "x = torch.tensor([[0., 0, 9, 1, 1, 1, -2, 7, -2], [0, 0, 0, 1, 1, 1, -2, -2, -2]])",
    "x = torch.cat([x, x[1:]]).view(3, 3, 3)",
    "m, v = torch.tensor([1., 2, -1]), torch.tensor([8., 56, 1])",
    "w, b = torch.tensor([1., 2, 0.5]), torch.arange(3.)",
)
"""A tensor with nine values in each channel, whose statistics are exact in part, and with eps=8."""

TENSORS = (
    "x", "x[..., None]", "x[..., None, None]", "x.mT.reshape(9, 3)", "x[0, 0]", "x[0, 0, 0]",
    "x[:0]", "x[:, :0]", "x[:, :, :0]", "x[:1, :, :1]", "x.double()", "x.half()",
    "x.to(torch.bfloat16)", "x.long()", "x.bool()", "x + 0j", "x.requires_grad_()",
    "x.half().requires_grad_()", "x[:0].requires_grad_()", "x.to('meta')", "x.half().to('meta')",
    "x.long().to('meta')", "x[:0].to('meta')", "x.transpose(1, 2).contiguous().transpose(1, 2)",
    "x[..., None].contiguous(memory_format=torch.channels_last)", "x.transpose(0, 2)",
    "x[..., None, None].contiguous(memory_format=torch.channels_last_3d)",
    "x.mT.contiguous().mT.to('meta')", "x[:1].expand(4, 3, 3)", "x[..., None].expand(3, 3, 3, 2)",
    "x[..., None].contiguous(memory_format=torch.channels_last).to('meta')",
    "x[:, :, None].mT.half()", "torch._neg_view(x)", "x.to_sparse()", "3", "None",
)  # fmt: skip
STATISTICS = {
    "both": "m, v",
    "none": "None, None",
    "mean": "m, None",
    "variance": "None, v",
    "too few": "m[:2], v",
    "too many": "m, v.repeat(2)",
    "same dtype": "m.to(y.dtype), v.to(y.dtype)",
    "double": "m.double(), v.double()",
    "mixed": "m.to(y.dtype), v",
    "meta": "m.to('meta'), v.to('meta')",
    "gradient": "m.requires_grad_(), v",
    "matrix": "m[None], v",
    "strided": "m.repeat(2)[::2][[0, 2, 1]], v",
    "number": "3, v",
}
PARAMETERS = {
    "none": "",
    "weight": ", w",
    "both": ", w, b",
    "bias": ", None, b",
    "same dtype": ", w.to(y.dtype), b.to(y.dtype)",
    "double": ", w.double(), b.double()",
    "few": ", w[:2], b",
    "matrix": ", w[None], b",
    "parameters": ", torch.nn.Parameter(w), torch.nn.Parameter(b)",
    "meta": ", w.to('meta'), b.to('meta')",
    "mixed": ", w, b.double()",
    "strided": ", w.repeat(2)[::2], b[None]",
}
OPTIONS = ("eps=8.0", "training=True, eps=8.0, momentum=0.5", "training=True, momentum=1.0, eps=8",
           "eps=-1", "training=True, eps=0", "momentum=None", "training=3")  # fmt: skip


@exhaustive(
    lambda torch: Domain(
        tensor=TENSORS, statistics=STATISTICS, parameters=PARAMETERS, options=OPTIONS
    ),
    one_in=72,
)
def test_batch_norm(
    ask: Probe, tensor: str, statistics: str, parameters: str, options: str
) -> None:
    """Channels are normalized by their statistics, which are kept, as by torch."""
    ask(
        *SETUP, f"y = {tensor}",
        f"torch.nn.functional.batch_norm(y, {STATISTICS[statistics]}{PARAMETERS[parameters]},"
        f" {options})",
        "m", "v", question=4,
    )  # fmt: skip


GROUPS = ("3", "1", "2", "0", "-1", "-3", "1.0", "True", "None")


@exhaustive(
    lambda torch: Domain(
        tensor=TENSORS, groups=GROUPS, parameters=PARAMETERS, eps=("eps=8.0", "eps=-4.0")
    ),
    one_in=12,
)
def test_group_norm(ask: Probe, tensor: str, groups: str, parameters: str, eps: str) -> None:
    """Groups of channels whose numbers are exact are normalized, or refused, as by torch."""
    ask(
        *SETUP, f"y = {tensor}",
        f"torch.nn.functional.group_norm(y, {groups}{PARAMETERS[parameters]}, {eps})", question=4,
    )  # fmt: skip


DRAWN = ("(5, 4, 9)", "(3, 4, 7)", "(2, 4, 5, 3)", "(2, 8, 3, 1, 9)", "(1, 4, 300)", "(40, 4, 6)")
CALLS = (
    *("(lambda m, v: (torch.nn.functional.batch_norm(y, m, v, {parameters}, True), m, v))"
      f"(m.clone(), v.clone())[{index}]" for index in range(3)),
    "torch.nn.functional.batch_norm(y, m, v.abs(), {parameters})",
    "torch.nn.functional.group_norm(y, 2, {parameters})",
    "torch.nn.functional.group_norm(y, 4, {parameters})",
)  # fmt: skip


@exhaustive(
    lambda torch: Domain(
        shape=DRAWN, dtype=("float32", "float64", "float16", "bfloat16"),
        layout=("x", "x.transpose(0, -1).contiguous().transpose(0, -1)", "x * 9 + 40"),
        parameters=("w, b", "None, None", "w, None"), call=CALLS,
    ),
    one_in=6,
)  # fmt: skip
def test_inexact(
    ask: Probe, shape: str, dtype: str, layout: str, parameters: str, call: str
) -> None:
    """Numbers as they come are normalized within a bound, and so are the running statistics."""
    channels = shape.split(",")[1].strip(" )")
    ask(
        "torch.manual_seed(5).initial_seed()", f"x = torch.randn({shape}).to(torch.{dtype})",
        f"y = {layout}",
        *(f"{name} = torch.randn({channels}).to(torch.{dtype})" for name in "mvwb"),
        call.format(parameters=parameters), question=-1,
    )  # fmt: skip
