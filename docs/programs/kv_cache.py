"""Causal attention with rotary encodings: a cache of keys and values against the whole sequence."""

import math
from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch.testing import assert_close


def rotary_table(positions: int, size: int, base: float = 10000.0) -> Tensor:
    """Return the unit complex numbers that rotate pairs of channels (Su et al., 2021)."""
    frequencies = base ** -(torch.arange(0, size, 2, dtype=torch.float32) / size)
    angles = torch.outer(torch.arange(positions, dtype=torch.float32), frequencies)
    return torch.polar(torch.ones_like(angles), angles)


def rotate(x: Tensor, table: Tensor) -> Tensor:
    """Rotate the channels of (batch, heads, positions, size)."""
    pairs = torch.view_as_complex(x.float().unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * table).flatten(-2).type_as(x)


def attend(query: Tensor, key: Tensor, value: Tensor, first: int) -> Tensor:
    """Return causal attention for queries that begin at position ``first``."""
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    rows, columns = scores.shape[-2:]
    future = torch.ones(rows, columns, dtype=torch.bool).triu(first + 1)
    scores = scores.masked_fill(future, -math.inf)
    weights = (scores - scores.amax(-1, keepdim=True)).exp()
    return weights / weights.sum(-1, keepdim=True) @ value


@dataclass
class Cache:
    """Keys and values in memory that is allocated once."""

    batch: int
    heads: int
    positions: int
    size: int
    length: int = 0
    memory: Tensor = field(init=False)

    def __post_init__(self) -> None:
        self.memory = torch.zeros(2, self.batch, self.heads, self.positions, self.size)

    def append(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Store new keys and values, and return views of all."""
        end = self.length + key.size(-2)
        self.memory.narrow(3, self.length, key.size(-2)).copy_(torch.stack((key, value)))
        self.length = end
        keys, values = self.memory[..., :end, :].unbind(0)
        return keys, values


with torch.no_grad():
    torch.manual_seed(1)
    batch, heads, positions, size = 2, 4, 7, 8
    query, key, value = torch.randn(3, batch, heads, positions, size).unbind()
    table = rotary_table(positions, size)
    whole = attend(rotate(query, table), rotate(key, table), value, 0)

    cache, parts = Cache(batch, heads, positions, size), []
    for part in torch.arange(positions).split([4, 1, 1, 1]):
        keys, values = cache.append(rotate(key[..., part, :], table[part]), value[..., part, :])
        parts.append(attend(rotate(query[..., part, :], table[part]), keys, values, int(part[0])))
    assert_close(torch.cat(parts, dim=-2), whole, rtol=1e-5, atol=1e-6)

    print("output", tuple(whole.shape), whole.stride(), whole.dtype)
    print("views share memory:", keys.data_ptr() == cache.memory.data_ptr(), keys.is_contiguous())
    print("first row:", whole[0, 0, 0])
    print("norms:", whole.square().sum(-1).sqrt().mean((0, 2)))
    try:
        assert_close(torch.cat(parts[:-1], dim=-2), whole)
    except AssertionError as error:
        print(error)
