"""Rotary encodings in two layouts of published models, and a longer context by interpolation."""

import math

import torch


class Rotary:
    """Tables of cosines and sines, made once and extended when a longer sequence comes."""

    def __init__(self, size: int, base: float = 10000.0, scale: float = 1.0) -> None:
        exponents = torch.arange(0, size, 2, dtype=torch.int64).float() / size
        self.frequencies = 1.0 / (base**exponents) / scale
        self.cos = self.sin = torch.empty(0, size // 2)

    def extend(self, length: int) -> None:
        """Compute the tables for at least ``length`` positions."""
        if length > self.cos.size(0):
            t = torch.arange(length, dtype=self.frequencies.dtype)
            angles = torch.einsum("i,j->ij", t, self.frequencies)
            self.cos, self.sin = angles.cos(), angles.sin()

    def at(self, positions: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return cosines and sines of (batch, length) positions, for all heads."""
        self.extend(int(positions.max()) + 1)
        return self.cos[positions].unsqueeze(1), self.sin[positions].unsqueeze(1)


def rotate_halves(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """Rotate channel i with channel i + size / 2 (GPT-NeoX, Llama in transformers)."""
    first, second = x.float().chunk(2, dim=-1)
    turned = torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1)
    return turned.type_as(x)


def rotate_pairs(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """Rotate channel 2i with channel 2i + 1 (GPT-J, Llama as published)."""
    even, odd = x.float().unflatten(-1, (-1, 2)).unbind(-1)
    turned = torch.stack((even * cos - odd * sin, odd * cos + even * sin), dim=-1)
    return turned.flatten(-2).type_as(x)


def pairs_to_halves(weight: torch.Tensor, heads: int) -> torch.Tensor:
    """Reorder the rows of a projection, as a converter of checkpoints does."""
    rows, columns = weight.shape
    grouped = weight.view(heads, rows // heads // 2, 2, columns)
    return grouped.transpose(1, 2).reshape(rows, columns)


torch.manual_seed(0)
torch.set_printoptions(precision=3, sci_mode=False)
batch, heads, length, size, width = 2, 3, 5, 8, 12
rotary = Rotary(size)
lengths = torch.tensor([5, 3])
# The batch is padded on the left, so that positions begin behind the padding.
positions = (torch.arange(length) - (length - lengths)[:, None]).clamp(min=0)
print(positions)

weight = torch.randint(-3, 4, (heads * size, width)).float()
hidden = torch.randint(-2, 3, (batch, length, width)).float()
cos, sin = rotary.at(positions)
by_pairs = (hidden @ weight.T).view(batch, length, heads, size).transpose(1, 2)
by_halves = hidden @ pairs_to_halves(weight, heads).T
by_halves = by_halves.view(batch, length, heads, size).transpose(1, 2)
pairs, halves = rotate_pairs(by_pairs, cos, sin), rotate_halves(by_halves, cos, sin)
print(pairs.shape, pairs.stride(), halves.is_contiguous())
same = torch.cat((pairs[..., 0::2], pairs[..., 1::2]), dim=-1)
print("layouts agree:", torch.equal(same, halves), halves[1, 0, -1])

keeps = pairs.square().sum(-1).isclose(by_pairs.square().sum(-1))
print("lengths kept:", bool(keeps.all()), keeps.dtype)
scores = torch.einsum("bhqd,bhkd->bhqk", pairs, pairs) / math.sqrt(size)
shifted = rotate_pairs(by_pairs, *rotary.at(positions + 100))
moved = torch.einsum("bhqd,bhkd->bhqk", shifted, shifted) / math.sqrt(size)
torch.testing.assert_close(scores, moved, rtol=1e-3, atol=1e-2)
low = rotate_halves(halves.bfloat16(), cos, sin)
print("tables:", rotary.cos.shape, "low precision:", low.dtype)
stretched = Rotary(size, scale=4.0)
print(torch.allclose(stretched.at(positions * 4)[0], cos), stretched.cos[-1])
