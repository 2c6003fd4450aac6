"""Exponential moving averages of weights: with a warm-up, in higher precision, and for a swap."""

import copy
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn


class Averaged(nn.Module):
    """A copy of a model whose parameters follow those of the model."""

    def __init__(self, model: nn.Module, decay: float) -> None:
        super().__init__()
        self.module = copy.deepcopy(model).eval().requires_grad_(False).float()
        self.decay = decay
        self.register_buffer("steps", torch.tensor(0))

    @torch.no_grad()
    def update(self, model: nn.Module) -> None:
        """Move the averages toward the model; buffers are copied."""
        self.steps += 1
        decay = torch.minimum(torch.tensor(self.decay), (1 + self.steps) / (10 + self.steps))
        averages = [*self.module.parameters()]
        current = [
            p.detach().to(a.dtype) for a, p in zip(averages, model.parameters(), strict=True)
        ]
        for average, value in zip(averages, current, strict=True):
            average.lerp_(value, 1 - decay)
        for ours, theirs in zip(self.module.buffers(), model.buffers(), strict=True):
            ours.copy_(theirs)

    @contextmanager
    def swapped_into(self, model: nn.Module) -> Iterator[None]:
        """Give the model the averages in a block, and its own weights after it."""
        kept = {name: value.clone() for name, value in model.state_dict().items()}
        model.load_state_dict(self.module.state_dict())
        try:
            yield
        finally:
            model.load_state_dict(kept)


class Tied(nn.Module):
    """A language model whose output layer is its embedding."""

    def __init__(self, vocabulary: int, width: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.norm = nn.LayerNorm(width)
        self.output = nn.Linear(width, vocabulary, bias=False)
        self.output.weight = self.embedding.weight
        self.register_buffer("seen", torch.zeros((), dtype=torch.int64))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Return the logits of the next tokens."""
        return self.output(self.norm(self.embedding(tokens)))


torch.manual_seed(0)
model = Tied(11, 4).to(torch.bfloat16)
ema = Averaged(model, decay=0.99)
print("still tied:", ema.module.output.weight is ema.module.embedding.weight)
for step in range(20):
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.full_like(parameter, 0.25 if step % 2 else -0.125))
        model.seen += step
    ema.update(model)
print(ema.steps, ema.module.norm.weight, model.norm.weight.data, sep="\n")
print({name: (tuple(v.shape), v.dtype) for name, v in ema.state_dict().items()})

before = model.norm.bias.detach().clone()
with ema.swapped_into(model):
    print("swapped:", model.norm.bias.data, model.seen)
    print(model(torch.tensor([[1, 2]])).shape, ema.module.training, model.training)
print("restored:", torch.equal(before, model.norm.bias), model.norm.bias._version > 0)
total = torch.cat([p.flatten() for p in ema.module.parameters()])
print(total.shape, total.requires_grad, f"{total.double().square().sum().item():.4f}")
