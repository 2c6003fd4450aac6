"""masked_select beside NumPy's indexing, and where its result shares memory."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as arrays

import impl as torch


@given(arrays.mutually_broadcastable_shapes(num_shapes=2, max_dims=3), st.data())
def test_elements(shapes: arrays.BroadcastableShapes, data: st.DataObject) -> None:
    of_values, of_mask = shapes.input_shapes
    mask = data.draw(arrays.arrays(bool, of_mask))
    tensor = torch.arange(int(np.prod(of_values))).view(of_values)
    values = np.broadcast_to(tensor.numpy(), shapes.result_shape)
    wanted = values[np.broadcast_to(mask, shapes.result_shape)].tolist()
    given_mask = torch.tensor(mask.tolist(), dtype=torch.bool).view(of_mask)
    result = tensor.masked_select(given_mask)
    assert (result.tolist(), result.stride()) == (wanted, (1,))
    out = torch.empty(0, dtype=torch.int64)
    assert torch.masked_select(tensor, given_mask, out=out) is out
    assert out.tolist() == wanted


def test_a_gradient_is_that_of_the_tensor() -> None:
    tensor, mask = torch.ones(2, requires_grad=True), torch.tensor([True, False])
    assert type(tensor.masked_select(mask).grad_fn).__name__ == "MaskedSelectBackward0"
    with pytest.raises(RuntimeError, match=r"^masked_select\(\): functions with out="):
        torch.masked_select(tensor, mask, out=torch.empty(1))


def test_elements_are_written_one_after_the_other() -> None:
    memory = torch.arange(6)
    tensor = memory.as_strided((2, 2), (1, 1), 0)  # overlaps, so that torch does not refuse it
    out = memory.as_strided((4,), (1,), 1)
    torch.masked_select(tensor, torch.ones(2, 2, dtype=torch.bool), out=out)
    assert memory.tolist() == [0, 0, 0, 0, 0, 5]


def test_overlap_is_refused_where_torch_knows_of_it() -> None:
    memory = torch.arange(1, 7)
    tensor = memory.view(2, 3).t()
    out = torch.empty(0, dtype=torch.int64).set_(memory.untyped_storage(), 5, (1,), (1,))
    with pytest.raises(RuntimeError, match="refer to a single memory location"):
        torch.masked_select(tensor, torch.ones(3, 2, dtype=torch.bool), out=out)


def test_dtypes() -> None:
    tensor, mask = torch.ones(1, dtype=torch.uint16), torch.ones(1, dtype=torch.bool)
    with pytest.raises(NotImplementedError, match="\"masked_select\" not implemented for 'UInt16'"):
        tensor.masked_select(mask)
    assert tensor.masked_select(~mask).tolist() == []
    with pytest.raises(RuntimeError, match="expected BoolTensor for mask"):
        tensor.masked_select(tensor)
    with pytest.raises(RuntimeError, match=r"result must have the same scalar type"):
        torch.masked_select(torch.ones(1), mask, out=tensor)


def test_tensors_on_meta() -> None:
    mask = torch.ones(1, dtype=torch.bool)
    with pytest.raises(NotImplementedError, match=r"^aten::masked_select: attempted to run"):
        torch.ones(1, device="meta").masked_select(mask)
    with pytest.raises(NotImplementedError, match=r"^aten::masked_select\.out: attempted to run"):
        torch.masked_select(torch.ones(1), mask, out=torch.ones(1, device="meta"))
