"""Low-rank adapters (Hu et al., 2021): added to a model, saved alone, loaded, and merged."""

import io

import torch
from torch import Tensor, nn


class Adapted(nn.Module):
    """A frozen linear layer plus the product of two small matrices."""

    def __init__(self, base: nn.Linear, rank: int, alpha: float) -> None:
        super().__init__()
        self.base = base.requires_grad_(False)
        self.down = nn.Parameter(torch.zeros(rank, base.in_features))
        self.up = nn.Parameter(torch.zeros(base.out_features, rank))
        self.scale = alpha / rank

    def forward(self, input: Tensor) -> Tensor:
        """Return the output of the layer with the adapter."""
        return self.base(input) + input @ self.down.t() @ self.up.t() * self.scale

    def merged(self) -> nn.Linear:
        """Return the layer with the adapter in its weight."""
        with torch.no_grad():
            self.base.weight += self.scale * self.up @ self.down
        return self.base


def adapt(model: nn.Module, rank: int, alpha: float) -> None:
    """Replace each linear layer by one with an adapter."""
    for name, module in [*model.named_modules()]:
        if isinstance(module, nn.Linear):
            model.set_submodule(name, Adapted(module, rank, alpha))


def merge(model: nn.Module) -> None:
    """Replace each layer with an adapter by a linear layer."""
    for name, module in [*model.named_modules()]:
        if isinstance(module, Adapted):
            model.set_submodule(name, module.merged())


def whole_numbers(model: nn.Module) -> None:
    """Set all parameters to small whole numbers, whose products are exact."""
    with torch.no_grad():
        for number, parameter in enumerate(model.parameters()):
            values = torch.arange(parameter.numel()) % (number + 3) - 1
            parameter.copy_(values.view_as(parameter))


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2))
print("drawn:", model[0].weight[0, :3])
whole_numbers(model)
plain = [*model.state_dict()]
adapt(model, rank=2, alpha=4)
print(model)
trained = {name: p for name, p in model.named_parameters() if p.requires_grad}
print(sum(p.numel() for p in trained.values()), "of", sum(p.numel() for p in model.parameters()))

file = io.BytesIO()
torch.save({name: value + 1 for name, value in trained.items()}, file)
file.seek(0)
result = model.load_state_dict(torch.load(file), strict=False)
print("missing:", result.missing_keys)
print("unexpected:", result.unexpected_keys)
try:
    model.load_state_dict({"0.up": torch.zeros(8, 3)})
except RuntimeError as error:
    print(str(error).splitlines()[-1].strip())

x = torch.arange(12.0).view(2, 6) % 5
before = model(x)
merge(model)
print([*model.state_dict()] == plain, torch.equal(model(x), before), before)
