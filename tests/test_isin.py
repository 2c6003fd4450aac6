"""isin beside that of NumPy, and the answers of torch that differ."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import impl as torch

NUMBERS = st.lists(st.integers(-4, 9), max_size=30)


@given(NUMBERS, NUMBERS, st.booleans(), st.sampled_from([torch.int64, torch.float16, torch.uint8]))
def test_elements(elements: list[int], tests: list[int], invert: bool, dtype: Any) -> None:
    left, right = [torch.tensor(each).to(dtype) for each in (elements, tests)]
    wanted = np.isin(left.numpy(), right.numpy(), invert=invert).tolist()
    assert torch.isin(left, right, invert=invert).tolist() == wanted
    column = torch.isin(left[:, None].expand(-1, 2), right, invert=invert)
    assert column.tolist() == [[each, each] for each in wanted]
    assert column.is_contiguous()


def test_numbers() -> None:
    tensor = torch.tensor([1, 2, 3])
    assert torch.isin(tensor, 2).tolist() == [False, True, False]
    assert torch.isin(tensor, 2, invert=True).tolist() == [True, False, True]
    found = torch.isin(2, tensor)
    assert (found.shape, found.item()) == ((), True)
    assert torch.isin(300, torch.tensor([44], dtype=torch.uint8)).item()
    assert not torch.isin(300, torch.tensor([44] * 10, dtype=torch.uint8)).item()
    assert torch.isin(0.1, torch.tensor([0.1])).item()
    assert not torch.isin(0.1, torch.tensor([0.1] * 10)).item()


def test_nan_is_not_found() -> None:
    nan = torch.tensor([math.nan, -0.0])
    for count in (1, 20):
        assert torch.isin(nan, torch.tensor([math.nan, 0.0] * count)).tolist() == [False, True]


def test_elements_that_are_equal_in_the_common_dtype_find_each_other() -> None:
    elements = torch.tensor([2**24 + 1, 2**24, 2**24, 2**24 + 1])
    assert torch.isin(elements, torch.ones(30)).tolist() == [False, True, True, False]
    twice = torch.tensor([1.0, 1.0])
    assert torch.isin(twice, torch.zeros(30), assume_unique=True).tolist() == [True, False]
    assert torch.isin(twice, torch.zeros(30)).tolist() == [False, False]


def test_out() -> None:
    tensor = torch.tensor([1, 2, 3])
    out = torch.zeros(6, dtype=torch.bool)[::2]
    assert torch.isin(tensor, tensor[1:2], out=out) is out
    assert (out.tolist(), out.stride(), out._version) == ([False, True, False], (2,), 1)
    with pytest.raises(RuntimeError, match="dtype bool, but got long int"):
        torch.isin(tensor, 1, out=tensor.clone())
    with pytest.warns(UserWarning, match="required output shape \\[0\\]"):
        assert torch.isin(1, tensor, out=torch.zeros((), dtype=torch.bool)).item()


def test_errors() -> None:
    tensor = torch.tensor([1, 2, 3])
    with pytest.raises(RuntimeError, match=r"Unsupported input type .* isin\(\): Bool"):
        torch.isin(tensor, True)
    with pytest.raises(RuntimeError, match=r"Unsupported input type .* isin\(\): ComplexFloat"):
        torch.isin(tensor, torch.tensor([1j]))
    with pytest.raises(RuntimeError, match="view size is not compatible"):
        torch.isin(tensor, torch.zeros(2, 3).t())
    with pytest.raises(NotImplementedError, match=r"isin_default_cpu.*UInt16"):
        torch.isin(tensor.to(torch.uint16), tensor.to(torch.uint16))
    with pytest.raises(NotImplementedError, match=r"unique.*Float8_e5m2"):
        torch.isin(tensor, torch.zeros(30, dtype=torch.float8_e5m2))
    with pytest.raises(NotImplementedError, match=r"aten::isin\.Tensor_Scalar'.*'SparseCPU'"):
        torch.isin(tensor.to_sparse(), 1)
    out = torch.zeros(3, dtype=torch.bool)
    with pytest.raises(NotImplementedError, match="with the results"):
        torch.isin(tensor.to(torch.uint8), out.view(torch.uint8), out=out)


def test_meta() -> None:
    tensor = torch.empty(2, 3, device="meta").t()
    result = torch.isin(tensor, torch.zeros(2))
    assert (result.stride(), result.dtype, result.is_meta) == ((1, 3), torch.bool, True)
    assert torch.isin(1, tensor).is_meta
    with pytest.raises(RuntimeError, match=r"isin\(\): torch\.complex64"):
        torch.isin(tensor, 1j)
