"""Factories whose tensor, or whose result, is sparse."""

import pytest

import impl as torch

SPARSE = torch.ones(2, 3, 1, 1).to_sparse()


@pytest.mark.parametrize(
    "name", ["empty_like", "zeros_like", "ones_like", "rand_like", "randn_like"]
)
def test_a_dense_tensor_like_a_sparse_one(name):
    result = getattr(torch, name)(SPARSE, layout=torch.strided)
    assert result.layout is torch.strided
    assert result.stride() == (3, 1, 1, 1)


def test_elements_of_a_dense_tensor_like_a_sparse_one():
    small = torch.ones(2).to_sparse()
    assert torch.full_like(small, 3, layout=torch.strided).tolist() == [3.0, 3.0]
    assert small.new_full((2,), 4.0, layout=torch.strided).tolist() == [4.0, 4.0]
    assert torch.randint_like(small, 5, 6, layout=torch.strided).tolist() == [5.0, 5.0]
    formatted = torch.zeros_like(SPARSE, layout=torch.strided, memory_format=torch.channels_last)
    assert formatted.stride() == (3, 1, 3, 3)


@pytest.mark.parametrize(
    "call",
    [
        lambda: torch.empty_like(SPARSE, pin_memory=True),
        lambda: torch.rand_like(SPARSE, pin_memory=True),
        lambda: SPARSE.new_zeros((2,), pin_memory=True),
        lambda: SPARSE.new_ones((2,), pin_memory=True),
        lambda: torch.rand(2, layout=torch.sparse_coo, pin_memory=True),
    ],
)
def test_a_sparse_tensor_cannot_be_pinned(call):
    with pytest.raises(RuntimeError, match="Only dense CPU tensors can be pinned"):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: torch.rand(-1, layout=torch.sparse_coo),
        lambda: torch.randint(3, (2, -1), layout=torch.sparse_coo),
        lambda: torch.randperm(-2, layout=torch.sparse_coo),
        lambda: torch.empty_permuted((-1,), (0,), layout=torch.sparse_coo),
        lambda: torch.rand((-1, -2), out=torch.ones(1)),
    ],
)
def test_negative_sizes_come_before_missing_kernels(call):
    with pytest.raises(RuntimeError, match="numel: integer multiplication overflow"):
        call()


def test_a_negative_size_beside_one_of_zero_passes():
    assert torch.rand((0, -1), out=torch.zeros(0)).shape == (0, -1)
    assert torch.normal(0.0, 1.0, (0, -2), out=torch.zeros(0)).shape == (0, -2)


def test_copies_of_another_shape():
    x = torch.zeros(3).to_sparse()
    x.copy_(torch.ones(1, 3).to_sparse())
    assert x.to_dense().tolist() == [[1.0, 1.0, 1.0]]
    with pytest.raises(RuntimeError, match="shrinking the size of sparse dimensions"):
        torch.ones(3).to_sparse().copy_(torch.ones(2).to_sparse())
    with pytest.raises(RuntimeError, match="changing the number of sparse dimensions"):
        torch.ones(3).to_sparse().resize_as_(torch.ones(1, 3).to_sparse())
    wider = torch.ones(2, 2).to_sparse().resize_as_(torch.ones(2, 4).to_sparse())
    assert wider.to_dense().tolist() == [[1.0, 1.0, 0.0, 0.0]] * 2


def test_any_of_a_sparse_tensor_keeps_dimensions():
    result = torch.any(torch.ones(2, 2).to_sparse(), keepdim=True)
    assert result.tolist() == [[True]]
    assert result.stride() == (0, 0)
    out = torch.zeros(0)
    assert torch.any(torch.ones(2, 2).to_sparse(), keepdim=True, out=out).tolist() == [[1.0]]


def test_a_sum_into_a_result_converts_alpha_to_its_dtype():
    ones = torch.ones(2, dtype=torch.int64).to_sparse()
    result = torch.add(ones, ones, alpha=1.5, out=torch.zeros(2).to_sparse())
    assert result.to_dense().tolist() == [2.0, 2.0]
    with pytest.raises(RuntimeError, match="cannot be converted to type float without overflow"):
        torch.add(torch.ones(2).to_sparse(), torch.ones(2).to_sparse(), alpha=1j,
                  out=torch.ones(2).to_sparse())  # fmt: skip


def test_a_product_in_its_own_operand_is_not_coalesced():
    x = torch.ones(2).to_sparse()
    assert not torch.mul(x, 2, out=x).is_coalesced()
    x = torch.ones(2).to_sparse()
    assert torch.mul(x, 2, out=torch.ones(2).to_sparse()).is_coalesced()
