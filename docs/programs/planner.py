"""A transformer of seven billion parameters, planned on meta: its memory by dtype and by part."""

from collections import Counter

import torch
from torch import Tensor, nn


class Attention(nn.Module):
    """Attention whose keys and values have fewer heads than its queries."""

    def __init__(self, width: int, heads: int, groups: int) -> None:
        super().__init__()
        size = width // heads
        self.query = nn.Linear(width, heads * size, bias=False)
        self.key = nn.Linear(width, groups * size, bias=False)
        self.value = nn.Linear(width, groups * size, bias=False)
        self.output = nn.Linear(heads * size, width, bias=False)


class Gated(nn.Module):
    """A layer of hidden units with a gate."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.gate = nn.Linear(width, hidden, bias=False)
        self.up = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)


class Block(nn.Module):
    """Attention and a gated layer, each after a normalization."""

    def __init__(self, width: int, heads: int, groups: int, hidden: int) -> None:
        super().__init__()
        self.norms = nn.ModuleList([nn.RMSNorm(width), nn.RMSNorm(width)])
        self.attention = Attention(width, heads, groups)
        self.gated = Gated(width, hidden)


class Transformer(nn.Module):
    """The blocks between an embedding and the scores of words."""

    def __init__(self, words: int, width: int, depth: int, **options: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.blocks = nn.ModuleList([Block(width, **options) for _ in range(depth)])
        self.norm = nn.RMSNorm(width)
        self.scores = nn.Linear(width, words, bias=False)
        self.register_buffer("angles", torch.arange(64) / 64, persistent=False)


def gibibytes(tensors: list[Tensor]) -> float:
    """Return the memory of tensors."""
    return round(sum(tensor.nbytes for tensor in tensors) / 2**30, 2)


with torch.device("meta"):
    model = Transformer(32000, 4096, 32, heads=32, groups=8, hidden=14336)
print(
    sum(p.numel() for p in model.parameters()),
    "parameters on",
    {*map(str, {p.device for p in model.parameters()})},
)

for dtype in (torch.float32, torch.bfloat16, torch.float8_e4m3fn):
    print(dtype, gibibytes([*model.to(dtype).state_dict().values()]), "GiB")

model.to(torch.bfloat16)
parts: Counter[str] = Counter()
for name, value in model.state_dict().items():
    parts[name.replace("blocks.", "", 1).split(".", 1)[-1]] += value.nbytes
for name, size in parts.most_common(4):
    print(f"{name:30} {size / 2**30:6.2f} GiB")

block = model.blocks[0]
print(block.attention)
x = torch.empty(2, 128, 4096, dtype=torch.bfloat16, device="meta")
print(block.gated.down(torch.relu(block.gated.up(block.norms[0](x)))).shape)
try:
    model.to("cpu")
except NotImplementedError as error:
    print(error)
for target in ("blocks.31.gated.up", "blocks.32"):
    try:
        print(model.get_submodule(target))
    except AttributeError as error:
        print(error)
