"""Weights in 8 bits with a scale per block: int8, float8, and their errors."""

from typing import NamedTuple

import torch
from torch import Tensor


class Quantized(NamedTuple):
    """A matrix in 8 bits, and a scale for each block of a row."""

    values: Tensor
    scales: Tensor


def largest(dtype: torch.dtype) -> float:
    """Return the largest number of a dtype."""
    return torch.finfo(dtype).max if dtype.is_floating_point else torch.iinfo(dtype).max


def quantize(
    weight: Tensor, dtype: torch.dtype, block: int, exact_power: bool = False
) -> Quantized:
    """Divide each block by a scale with which its largest magnitude fits the dtype."""
    blocks = weight.float().unflatten(-1, (-1, block))
    scales = blocks.abs().amax(-1, keepdim=True) / largest(dtype)
    scales = scales.clamp_(min=torch.finfo(torch.float32).tiny)
    if exact_power:
        scales = torch.exp2(torch.ceil(torch.log2(scales))).to(torch.float8_e8m0fnu)
    scaled = blocks / scales.float()
    if not dtype.is_floating_point:
        info = torch.iinfo(dtype)
        scaled = scaled.round_().clamp_(info.min, info.max)
    return Quantized(scaled.to(dtype).flatten(-2), scales.squeeze(-1))


def dequantize(quantized: Quantized, dtype: torch.dtype = torch.float32) -> Tensor:
    """Return the matrix in a wider dtype."""
    values, scales = quantized
    blocks = values.unflatten(-1, (scales.size(-1), -1)).float()
    return (blocks * scales.float().unsqueeze(-1)).flatten(-2).to(dtype)


def pack4(values: Tensor) -> Tensor:
    """Pack pairs of numbers from -8 to 7 into bytes."""
    low, high = (values + 8).to(torch.uint8).unflatten(-1, (-1, 2)).unbind(-1)
    return high.bitwise_left_shift(4).bitwise_or_(low)


def unpack4(packed: Tensor) -> Tensor:
    """Return the numbers of packed bytes."""
    pairs = torch.stack((packed & 0xF, packed >> 4), dim=-1)
    return pairs.flatten(-2).to(torch.int8) - 8


torch.manual_seed(0)
weight = torch.randn(16, 64).to(torch.bfloat16)
weight[3, 5] = 40.0
weight[7, :32] = 0.0
for dtype in (torch.int8, torch.float8_e4m3fn, torch.float8_e5m2):
    for power in (False, True):
        small = quantize(weight, dtype, 32, exact_power=power)
        error = (dequantize(small) - weight.float()).abs()
        share = sum(part.nbytes for part in small) / weight.nbytes
        worst = divmod(int(error.argmax()), weight.size(1))
        print(dtype, small.scales.dtype, f"{share:.3f} {error.max().item():.4f} {worst}")
print(small.scales[3], small.scales[7].float())
print(small.values[3, :4], small.values.view(torch.uint8)[3, :4])

integers = quantize(weight, torch.int8, 32)
row = integers.values[3]
print(integers.values[0, :6], int(row.count_nonzero()), torch.sign(row).sum())
product = integers.values.int() @ integers.values.int().T
print(product.dtype, product.diagonal()[:4], product[7].max())
fours = (integers.values >> 4).clamp(-8, 7)
packed = pack4(fours)
print(packed.shape, packed.dtype, packed[0, :4], torch.equal(unpack4(packed), fours))
print(torch.tensor([500.0, torch.inf, torch.nan]).to(torch.float8_e4m3fn))
