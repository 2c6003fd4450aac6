"""repeat_interleave beside NumPy's repeat, and what it checks."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import impl as torch

SHAPES = st.lists(st.integers(0, 3), min_size=1, max_size=3).map(tuple)


@given(SHAPES, st.data())
def test_elements(shape: tuple[int, ...], data: st.DataObject) -> None:
    tensor = torch.arange(int(np.prod(shape))).view(shape)
    dim = data.draw(st.none() | st.integers(-len(shape), len(shape) - 1))
    size = tensor.numel() if dim is None else shape[dim]
    counts = data.draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
    dtype = data.draw(st.sampled_from([torch.int32, torch.int64]))
    result = tensor.repeat_interleave(torch.tensor(counts, dtype=dtype), dim)
    wanted = np.repeat(tensor.numpy(), counts, dim)
    assert (result.tolist(), result.shape) == (wanted.tolist(), wanted.shape)
    wanted = np.repeat(tensor.numpy(), 2, dim)
    for repeats in (2, torch.tensor(2), torch.tensor([2])):
        result = torch.repeat_interleave(tensor, repeats, dim, output_size=2 * size)
        assert (result.tolist(), result.is_contiguous()) == (wanted.tolist(), True)


def test_indices_of_repeats() -> None:
    result = torch.repeat_interleave(torch.tensor([2, 0, 1], dtype=torch.int32))
    assert (result.tolist(), result.dtype) == ([0, 0, 2], torch.int32)


def test_gradients_and_bits() -> None:
    tensor, repeats = torch.ones(2, requires_grad=True), torch.tensor([1, 2])
    assert type(tensor.repeat_interleave(repeats).grad_fn).__name__ == "IndexSelectBackward0"
    conjugate = torch.tensor([1j, 2j]).conj()
    result = conjugate.repeat_interleave(repeats)
    assert result.is_conj()
    assert result.tolist() == [-1j, -2j, -2j]
    assert not conjugate.repeat_interleave(2).is_conj()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("x.repeat_interleave(-1)", "Repeats must be non-negative"),
        ("x.repeat_interleave(2, output_size=3)", ".*Invalid output_size, expected 4 but got 3"),
        ("x.repeat_interleave(r[:1].view(1, 1))", "repeats must be 0-dim or 1-dim tensor"),
        ("x.repeat_interleave(r, output_size=4)", "allocated size does not match required size"),
        ("x.repeat_interleave(r - 2)", "repeats can not be negative"),
        ("x.repeat_interleave(torch.ones(3).long())", r".*repeats\.size\(0\) = 3 and input\.size"),
        ("x.repeat_interleave(r.to('meta'))", "cannot repeat_interleave a meta tensor without"),
        ("x.repeat_interleave(x)", "\"repeat_interleave_cpu\" not implemented for 'Float'"),
        (
            "x.to(torch.uint16).repeat_interleave(r)",
            "\"index_select\" not implemented for 'UInt16'",
        ),
    ],
)
def test_arguments_are_checked(call: str, message: str) -> None:
    scope = {"torch": torch, "x": torch.ones(2), "r": torch.tensor([1, 2])}
    with pytest.raises((RuntimeError, NotImplementedError), match=f"^{message}"):
        eval(call, scope)


def test_tensors_on_meta() -> None:
    tensor, repeats = torch.ones(2, 3, device="meta"), torch.tensor([1, 2])
    assert tensor.repeat_interleave(repeats, 0).shape == (3, 3)
    assert tensor.repeat_interleave(2, 1).shape == (2, 6)
    assert tensor.repeat_interleave(repeats.to("meta"), 0, output_size=5).shape == (5, 3)


def test_a_sparse_tensor_is_repeated_by_its_indices() -> None:
    tensor = torch.tensor([[0.0, 1.0], [2.0, 0.0]]).to_sparse()
    result = tensor.repeat_interleave(torch.tensor([2, 1]), 0)
    assert result.layout is torch.sparse_coo
    assert result.to_dense().tolist() == [[0, 1], [0, 1], [2, 0]]


def test_repeats_are_added_with_and_read_without_their_negative_bit() -> None:
    negated = torch.tensor([-1, -2])._neg_view()
    for repeats in (negated, torch.tensor([1, 2])._neg_view()):
        with pytest.raises(RuntimeError, match="repeats can not be negative"):
            torch.repeat_interleave(repeats)
    expanded = torch.tensor([-1])._neg_view()
    assert torch.ones(2).repeat_interleave(expanded, 0).tolist() == [1, 1]


def test_repeats_whose_sum_is_no_size() -> None:
    with pytest.raises(
        RuntimeError, match="cannot be represented as a SymInt: -9223372036854775808"
    ):
        torch.repeat_interleave(torch.tensor([2, 2**63 - 2]))
