"""Calls that write elements which share memory, or read memory that they have written.

What torch 2.13 answers.
"""

import pytest

import impl as torch


def overlapping(numbers, shape, stride, offset=0):
    return torch.tensor(numbers).as_strided(shape, stride, offset)


def test_a_product_of_matrices_is_written_by_columns():
    x = overlapping([0.25, 2.5, 4.0], (2, 2), (1, 1))
    x.addmm_(
        torch.tensor([[-0.5, 4.0], [6.0, 3.0]]), torch.tensor([[1.0, 2.0], [-0.5, 0.0]]), beta=5
    )
    assert x.tolist() == [[-1.25, 11.5], [11.5, 32.0]]


@pytest.mark.parametrize(
    ("name", "dim", "memory"),
    [
        ("cumsum_", 0, [1, 3, 9, 22, 27]),
        ("cumsum_", 1, [1, 3, 9, 22, 27]),
        ("cumprod_", 0, [1, 2, 12, 576, 2880]),
    ],
)
def test_scans_read_the_elements_that_they_have_written(name, dim, memory):
    x = torch.arange(1, 12)
    getattr(x.as_strided((3, 3), (1, 1)), name)(dim)
    assert x[:5].tolist() == memory


def test_put_reads_each_index_when_its_element_is_written():
    x = (
        torch.tensor([0, 0, 0, 4, -1, 1, 1, 0, -1, 1, 1, 0])
        .repeat(2)
        .as_strided((3, 3, 2), (8, 2, 1))
    )
    x.put_(x.as_strided(x.shape, x.stride(), 1), x.as_strided((3, 3, 2), (6, 1, 3), 3))
    assert x[0, 0].tolist() == [1, -1]


def test_a_copy_into_shared_memory_goes_by_the_strides_of_both():
    x = torch.zeros(22).as_strided((2, 2, 1, 3), (1, 3, 0, 1))
    x.copy_(torch.arange(12.0).view(2, 2, 1, 3))
    assert x[0].flatten().tolist() == [0.0, 6.0, 7.0, 3.0, 9.0, 10.0]


@pytest.mark.parametrize(
    ("name", "elements"),
    [
        ("fmax", [79, 78, 77, 79, 78, 77, 79, 78]),  # one by one
        ("maximum", [79, 78, 77, 76, 75, 74, 73, 72]),  # in vectors
    ],
)
def test_kernels_with_and_without_vectors(name, elements):
    memory = torch.arange(80.0).flip(0)
    x = memory.as_strided((4, 4, 4), (16, 4, 1), 3)
    getattr(torch, name)(x, memory.as_strided((4, 4, 4), (2, 4, 1)), out=x)
    assert x.flatten()[:8].tolist() == elements
