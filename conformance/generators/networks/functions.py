"""Calls of functions of layers that compare tensors, and of those that encode or pad them."""

TENSORS = (
    "x", "x.t()", "x[0]", "x[0, 0]", "x[:0]", "x[:, :0]", "x.double()", "x.half()",
    "x.to(torch.bfloat16)", "x.long()", "x.bool()", "x + 0j", "x.requires_grad_()",
    "x.requires_grad_() * 1", "x.to('meta')", "x.long().to('meta')",
    "x.requires_grad_().to('meta')",
    "x.expand(2, 2, 3)", "x[:, ::2]", "torch._neg_view(x)", "(x + 1j).conj()", "x.to_sparse()",
    "x.to(torch.float8_e5m2)", "x.view(2, 3, 1)", "3", "None", "[x]",
)  # fmt: skip

_REDUCTIONS = (
    "", ", reduction='none'", ", reduction='sum'", ", reduction='elementwise_mean'",
    ", reduction='foo'", ", size_average=False", ", reduce=False", ", None, True",
    ", weight=z", ", weight=z, reduction='sum'", ", weight=z, reduction='none'",
    ", weight=z[0]", ", weight=z, reduction='foo'", ", weight=z.double()",
)  # fmt: skip
_OTHERS = ("z", "z[0]", "z.double()", "z.long()", "z.to(y.dtype)", "y", "z.requires_grad_()", "2")

CALLS = (
    *(f"{name}(y, {other}{option})" for name in ("mse_loss", "l1_loss")
      for other in _OTHERS for option in _REDUCTIONS[:2 if other != "z" else None]),
    *(f"normalize(y{option})" for option in (
        "", ", dim=0", ", 1.0, -1", ", p=float('inf')", ", dim=3", ", eps=10.0", ", out=o",
        ", dim=0, out=o.double()", ", p=0", ", p='a'", ", 2, (0, 1)", ", out=y",
    )),
    *(f"cosine_similarity(y, {other}{option})" for other in _OTHERS for option in (
        "", ", 0", ", dim=-1", ", dim=2", ", eps=50.0", ", 1, 'a'",
    )),
    *(f"one_hot(y{option})" for option in (
        "", ", 9", ", 2", ", 0", ", -1", ", -2", ", num_classes=20", ", True", ", 2.0",
    )),
    *(f"one_hot(y.long().abs(){option})" for option in ("", ", 9", ", 2", ", num_classes=5")),
    "cosine_similarity(x1=y, x2=z)", "cosine_similarity(y)", "normalize()", "one_hot()",
    "mse_loss(y)", "mse_loss(input=y, target=z)", "l1_loss()",
)  # fmt: skip
"""Calls with the tensors ``y`` and ``z``, and ``o`` for ``out=``."""

_SEQUENCES = (
    "[x[0], x[0, :1]]", "[x, x[:1]]", "(x[:1], x, x[:0])", "[]", "x", "[x[0, 0], x]",
    "[x, x[:, :2]]",
    "[x, x.long()]", "[x.long(), x]", "[x.half(), x]", "[x.requires_grad_(), x[:1]]",
    "[x, x[:1].to('meta')]", "[x.to('meta'), x[:1]]", "(row for row in x)", "3", "[3]", "None",
    "[x + 0j, x]", "[x.t(), x.t()[:1]]", "[x.bool(), x[:1].bool()]", "[x.to_sparse()]", "x[0]",
)  # fmt: skip
_PADDINGS = ("", ", True", ", padding_value=7", ", True, 2.5, 'left'", ", padding_side='left'",
             ", padding_side='top'", ", 1", ", padding_value='a'",
             ", padding_value=1j")  # fmt: skip
RNN_CALLS = (
    *(f"pad_sequence({sequences}{padding})" for sequences in _SEQUENCES for padding in _PADDINGS),
    *(f"unpad_sequence(torch.arange(12.0).view(3, 2, 2), {lengths})" for lengths in (
        "torch.tensor([3, 1])", "torch.tensor([3, 1, 2]), True", "torch.tensor([3, 1, 0])",
        "torch.tensor([2, 2]), batch_first=False", "[3, 1]", "torch.tensor([3.5, 1])",
    )),
)  # fmt: skip
"""Calls of torch.nn.utils.rnn."""

LOGITS = {
    "rows": "x",
    "row": "x[0]",
    "number": "x[0, 0]",
    "transposed": "x.t()",
    "columns": "x.view(1, 3, 2)",
    "planes": "x.view(1, 3, 2, 1)",
    "cubes": "x.view(1, 3, 2, 1, 1)",
    "nothing": "x[:0]",
    "no classes": "x[:, :0]",
    "no planes": "x.view(1, 3, 2, 1)[..., :0]",
    "half": "x.half()",
    "double": "x.double()",
    "integers": "x.long()",
    "complex": "x + 0j",
    "gradient": "x.requires_grad_()",
    "gradient of columns": "x.view(1, 3, 2).requires_grad_()",
    "meta": "x.to('meta')",
    "meta with gradient": "x.requires_grad_().to('meta')",
    "negative": "torch._neg_view(x)",
    "int": "3",
}
TARGETS = (
    "t", "t[:2]", "t[:1]", "t[0]", "t[:0]", "t.view(3, 1)", "t[:2].view(1, 2)",
    "t[:2].view(1, 2, 1)", "t[:2].view(1, 2, 1, 1)", "t[:2].view(1, 1, 2)", "t.to(torch.uint8)",
    "t.int()", "t.double()", "t * -100", "-t", "t + 1", "t * 0 - 100", "t.to('meta')", "y", "y * 2",
    "y.double()", "y.view(2, 3)", "t.requires_grad", "[1]",
)  # fmt: skip
WEIGHTS = ("", ", w", ", w.double()", ", w[:1]", ", w[None]", ", torch.ones(3)", ", 3")
LOSS_OPTIONS = (
    "", ", reduction='none'", ", reduction='sum'", ", ignore_index=1", ", reduction='foo'",
    ", size_average=False", ", ignore_index=0, reduction='none'", ", ignore_index='a'",
)  # fmt: skip
SMOOTHINGS = ("", ", label_smoothing=0.25", ", label_smoothing=1.5", ", label_smoothing=-1.0",
              ", label_smoothing='a'")  # fmt: skip
