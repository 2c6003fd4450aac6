"""frexp beside that of the math module."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import impl as torch


@given(
    st.lists(st.floats(width=16), max_size=5), st.sampled_from(["float16", "float32", "float64"])
)
def test_parts(numbers: list[float], name: str) -> None:
    tensor = torch.tensor(numbers, dtype=getattr(torch, name))
    mantissa, exponent = torch.frexp(tensor)
    wanted = [math.frexp(number) for number in numbers]
    assert repr(mantissa.tolist()) == repr([fraction for fraction, _ in wanted])
    assert exponent.tolist() == [power for _, power in wanted]
    assert (mantissa.dtype, exponent.dtype) == (tensor.dtype, torch.int32)


def test_strides_and_grad_fn() -> None:
    leaf = torch.ones(2, 3, requires_grad=True)
    result = leaf.t().frexp()
    assert type(result) is torch.return_types.frexp
    assert [x.stride() for x in result] == [(1, 3), (1, 3)]
    assert type(result.mantissa.grad_fn).__name__ == "FrexpBackward0"
    assert not result.exponent.requires_grad


def test_out() -> None:
    tensor = torch.tensor([3.0, 5.0], dtype=torch.bfloat16)
    out: Any = torch.empty(4, dtype=torch.bfloat16)[::2], torch.empty(0, dtype=torch.int32)
    assert torch.frexp(tensor, out=out)[1] is out[1]
    assert [x.tolist() for x in out] == [[0.75, 0.625], [2, 3]]
    same = torch.from_numpy(np.array([8.0], np.float32))
    torch.frexp(same, out=(same, same.view(torch.int32)))
    assert same.view(torch.int32).item() == 4


def test_errors() -> None:
    tensor = torch.ones(2)
    with pytest.raises(RuntimeError, match="only supports floating-point"):
        torch.ones(2, dtype=torch.int64).frexp()
    with pytest.raises(RuntimeError, match="expects mantissa to have dtype float but got double"):
        torch.frexp(tensor, out=(tensor.double(), tensor.int()))
    with pytest.raises(RuntimeError, match="expects exponent to have int dtype but got long int"):
        torch.frexp(tensor, out=(tensor, tensor.long()))
    with pytest.raises(NotImplementedError, match=r"aten::frexp\.Tensor_out'.*'SparseCPU'"):
        tensor.to_sparse().frexp()
    with pytest.raises(TypeError, match="takes no arguments"):
        tensor.frexp(1)


def test_meta() -> None:
    tensor = torch.empty(2, 3, device="meta").t()
    assert [x.stride() for x in torch.frexp(tensor)] == [(1, 3), (1, 3)]
    with pytest.raises(RuntimeError, match="only supports floating-point"):
        tensor.to(torch.int64).frexp()
