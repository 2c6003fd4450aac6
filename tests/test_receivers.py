"""Methods that are called on their class: torch's C methods take only tensors."""

import pytest

import impl as torch


@pytest.mark.parametrize(
    "name", ["add", "mul_", "size", "stride", "t", "abs", "is_conj", "new", "to", "fill_"]
)
def test_a_method_needs_a_tensor(name: str) -> None:
    method = getattr(torch.Tensor, name)
    with pytest.raises(TypeError, match=rf"unbound method TensorBase.{name}\(\) needs an argument"):
        method()
    with pytest.raises(
        TypeError, match=f"descriptor '{name}' for .* doesn't apply to a 'int'"
    ) as raised:
        method(1, 2)
    assert raised.value.__suppress_context__
    assert raised.value.__cause__ is None


def test_methods_of_classes_compute() -> None:
    x = torch.ones(2)
    assert torch.Tensor.add(x, 1).tolist() == [2.0, 2.0]
    assert torch.Tensor.size(x, 0) == 2
