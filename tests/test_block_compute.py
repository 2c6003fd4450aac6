"""Equal results of large and small arrays, and of fast and general paths."""

import numpy as np
import pytest

import impl as torch
from impl._arrays.parallel import BLOCK_ELEMENTS, STREAMED_BLOCK_ELEMENTS
from impl._dtypes.table import DTYPES
from impl._ops.elementwise.block_compute import part_of

NARROW = ("float16", "bfloat16", "float8_e5m2")
FLOAT, HALF = DTYPES["float32"], DTYPES["float16"]


def numbers(name: str) -> torch.Tensor:
    """Return more elements than a block: zeros, subnormals, infinities, NaN and others."""
    special = torch.tensor([0.0, -0.0, 1e-7, 6e4, float("inf"), float("nan"), -3.5])
    return torch.cat([torch.arange(-35000.0, 35000.0), special]).to(getattr(torch, name))


def bits(tensor: torch.Tensor) -> list[int]:
    """Return the bytes of a tensor."""
    return tensor.contiguous().view(torch.uint8).tolist()


@pytest.mark.parametrize("name", NARROW)
@pytest.mark.parametrize("other", [*NARROW, "int32", "bool"])
def test_blocks_are_computed_as_small_arrays_are(name: str, other: str) -> None:
    left, right = numbers(name), numbers("float32").clamp(-9, 9).nan_to_num().to(torch.int32)
    right = right.to(getattr(torch, other))
    if "float8" in name or "float8" in other:
        left, right = left.to(torch.float16), right.to(torch.float16)
    whole = left * right
    parts = [left[i : i + 999] * right[i : i + 999] for i in range(0, left.numel(), 999)]
    assert bits(whole) == bits(torch.cat(parts))


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_an_operand_may_be_both(name: str) -> None:
    left = numbers(name)
    assert bits(left + left) == bits(left + left.clone())
    assert bool((left == left).logical_not().sum() == 1)
    assert bits(left.clone().add_(left)) == bits(left + left)


def test_parts_are_long_where_nothing_is_converted() -> None:
    plain, narrow = (FLOAT,) * 3, (HALF, HALF, FLOAT)
    assert part_of(10**7, np.add, [plain, plain], plain) == STREAMED_BLOCK_ELEMENTS
    assert part_of(4 * 10**5, np.add, [plain, plain], plain) == 10**5
    assert part_of(100, np.add, [plain, plain], plain) == BLOCK_ELEMENTS
    assert part_of(10**7, np.add, [narrow, plain], plain) == BLOCK_ELEMENTS
    assert part_of(10**7, lambda x: x, [plain], plain) == BLOCK_ELEMENTS


def test_views_are_changed_in_place_as_others_are() -> None:
    base = torch.arange(6.0)
    view = base.view(2, 3)
    for _ in range(3):
        view.add_(1)
    assert base.tolist() == [3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
    assert base._version == view._version == 3
    for _ in range(2):
        view.t().mul_(2)
    assert base[0].item() == 12.0
    base.requires_grad_()
    with pytest.raises(RuntimeError, match="a view of a leaf Variable"):
        view.add_(1)


def test_results_keep_their_dtype_in_place() -> None:
    truths = torch.tensor([1.0, 2.0, 3.0])
    for _ in range(3):
        truths.eq_(2)
    assert (truths.dtype, truths.tolist()) == (torch.float32, [0.0, 0.0, 0.0])


def test_sums_of_views() -> None:
    matrix = torch.arange(6.0).reshape(2, 3)
    for _ in range(2):
        assert [matrix.sum().item(), matrix[1].sum().item(), matrix.t().sum().item()] == [
            15,
            12,
            15,
        ]
    matrix.requires_grad_()
    assert matrix.view(6).sum().grad_fn.name() == "SumBackward0"
