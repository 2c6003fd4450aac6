"""A program that uses much of the namespace, without type errors."""

from typing import assert_type

import impl as torch

Tensor = torch.Tensor


def dtypes() -> None:
    assert_type(torch.float32, torch.dtype)
    assert_type(torch.float32.itemsize, int)
    assert_type(torch.promote_types(torch.int8, torch.half), torch.dtype)
    assert_type(torch.result_type(torch.ones(2), 1.5), torch.dtype)
    assert_type(torch.can_cast(torch.int8, torch.float), bool)
    assert_type(torch.finfo(torch.bfloat16).eps, float)
    assert_type(torch.iinfo(torch.int16).max, int)
    torch.set_default_dtype(torch.get_default_dtype())


def factories() -> None:
    assert_type(torch.empty(2, 3), Tensor)
    assert_type(torch.zeros((2, 3), dtype=torch.int64, device="cpu"), Tensor)
    assert_type(torch.ones([2], layout=torch.strided, requires_grad=True), Tensor)
    assert_type(torch.full((2,), 1.5, device=torch.device("cpu", 0)), Tensor)
    assert_type(torch.arange(0, 10, 2), Tensor)
    assert_type(torch.tensor([[1, 2], [3, 4]], dtype=torch.uint8), Tensor)
    assert_type(torch.empty_permuted((2, 3, 4, 5), (0, 2, 3, 1)), Tensor)
    assert_type(torch.zeros_like(torch.ones(1), memory_format=torch.preserve_format), Tensor)
    assert_type(torch.rand(2, 3, generator=torch.Generator()), Tensor)
    assert_type(torch.FloatTensor([1.0]), torch.FloatTensor)


def views(x: Tensor) -> None:
    assert_type(x.view(2, 3).permute(1, 0).reshape((6,)).t(), Tensor)
    assert_type(x.view(torch.int32), Tensor)
    assert_type(x[0], Tensor)
    assert_type(x[..., None, 1:, x > 0], Tensor)
    x[0, 1] = 2.5
    x[x > 1] = x[0]
    assert_type(x.shape, torch.Size)
    assert_type(x.size(), torch.Size)
    assert_type(x.size(0), int)
    assert_type(x.stride(), tuple[int, ...])
    assert_type(x.stride(0), int)
    assert_type(x.split(2), tuple[Tensor, ...])
    assert_type(torch.chunk(x, 2), tuple[Tensor, ...])
    assert_type(x.dim_order(), tuple[int, ...])
    assert_type(x.is_contiguous(memory_format=torch.channels_last), bool)
    assert_type(x.untyped_storage().nbytes(), int)
    assert_type(torch.cat([x, x], dim=1), Tensor)


def arithmetic(x: Tensor, y: Tensor) -> None:
    assert_type(x + 1, Tensor)
    assert_type(1 - x, Tensor)
    assert_type(2.5 * x / y // 3 % 2, Tensor)
    assert_type(2**x**2, Tensor)
    assert_type(~(x == y), Tensor)
    assert_type((x != 1) & (x < y) | (x >= 0) ^ (y < 1), Tensor)
    assert_type(x << 2 >> 1, Tensor)
    x += y
    x /= 2
    assert_type(torch.add(x, y, alpha=2), Tensor)
    assert_type(x.sub(1, alpha=2).add_(y, alpha=0.5), Tensor)
    assert_type(x.pow(2).eq(y), Tensor)
    assert_type(torch.mul(x, 2, out=y), Tensor)
    assert_type(torch.div(x, y, rounding_mode="floor"), Tensor)
    assert_type(torch.where(x > 0, x, 0.0), Tensor)
    assert_type(torch.where(x > 0), tuple[Tensor, ...])
    assert_type(x.clamp(min=0, max=1), Tensor)
    assert_type(x.sqrt_().exp().lerp(y, 0.5), Tensor)
    assert_type(torch.equal(x, y), bool)
    assert_type(torch.allclose(x, y, rtol=1e-3), bool)
    assert_type(bool(x.all()) and float(x) > int(y), bool)


def reductions(x: Tensor) -> None:
    assert_type(x.sum(), Tensor)
    assert_type(x.sum((0, 1), keepdim=True, dtype=torch.float64), Tensor)
    assert_type(torch.mean(x, 0, out=x), Tensor)
    assert_type(x.max(), Tensor)
    assert_type(x.max(0).indices, Tensor)
    assert_type(torch.min(x, dim=1).values, Tensor)
    values, indices = torch.cummax(x, 0)
    assert_type((values, indices), tuple[Tensor, Tensor])
    assert_type(torch.aminmax(x).min, Tensor)
    assert_type(x.item(), bool | int | float | complex)


def conversions(x: Tensor) -> None:
    assert_type(x.to(torch.float16), Tensor)
    assert_type(x.to("cpu", non_blocking=True), Tensor)
    assert_type(x.to(x), Tensor)
    assert_type(x.float().int().bool(), Tensor)
    assert_type(x.type(), str)
    assert_type(x.type(torch.int8), Tensor)
    assert_type(len(x), int)
    assert_type(list(x), list[Tensor])
    assert_type(torch.from_dlpack(x), Tensor)
    assert_type(torch.from_numpy(x.numpy()), Tensor)
    assert_type(x.requires_grad_().detach(), Tensor)
    assert_type(x.device.type, str)
    assert_type(x.device.index, int | None)


@torch.no_grad()
def modes(x: Tensor) -> Tensor:
    with torch.enable_grad(), torch.inference_mode(False), torch.set_grad_enabled(True):
        assert_type(torch.is_grad_enabled(), bool)
    with torch.random.fork_rng():
        assert_type(torch.manual_seed(0), torch.Generator)
    with torch.autograd.no_grad():
        torch.set_printoptions(precision=3, sci_mode=False)
    return x


assert_type(modes(torch.ones(1)), Tensor)
