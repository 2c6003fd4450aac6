"""torch.testing: assert_close, assert_allclose and make_tensor."""

import inspect
import math
from typing import Any

import numpy as np
import pytest

import impl as torch
from impl.testing import assert_allclose, assert_close, make_tensor


def message_of(actual: Any, expected: Any, **options: Any) -> str:
    with pytest.raises(AssertionError) as caught:
        assert_close(actual, expected, **options)
    return str(caught.value)


@pytest.mark.parametrize(
    ("actual", "expected", "options"),
    [
        (torch.ones(2), torch.ones(2) + 1e-6, {}),
        (1.0, 1 + 1e-8, {}),
        (1, 1.0, {"check_dtype": False}),
        (np.ones(2), np.ones(2), {}),
        ([torch.ones(1), 2], (torch.ones(1), 2), {}),
        ({"a": 1, "b": None}, {"b": None, "a": 1}, {}),
        (math.nan, math.nan, {"equal_nan": True}),
        (torch.ones(2, device="meta"), torch.zeros(2, device="meta"), {}),
        (torch.ones(2, 3), torch.ones(3, 2).t(), {}),
        (torch.ones(2), torch.ones(2, dtype=torch.float64), {"check_dtype": False}),
        (torch.eye(2).to_sparse(), torch.eye(2), {"check_layout": False}),
        (torch.ones(2, dtype=torch.uint16), torch.ones(2), {"check_dtype": False}),
    ],
)
def test_close_values(actual: Any, expected: Any, options: dict[str, Any]) -> None:
    assert_close(actual, expected, **options)


@pytest.mark.parametrize(
    ("actual", "expected", "options", "message"),
    [
        (1, 2, {}, "Scalars are not equal!\n\nExpected 2 but got 1.\nAbsolute difference: 1\n"
         "Relative difference: 0.5"),
        (1, 1.0, {}, "The (d)types do not match: <class 'int'> != <class 'float'>."),
        (True, False, {}, "Booleans mismatch: True is not False"),
        (None, 1, {}, "None mismatch: None is not 1"),
        ([1], [1, 2], {}, "The length of the sequences mismatch: 1 != 2"),
        ({"a": 1}, {"b": 1}, {}, "The keys of the mappings do not match:\n"
         "Missing keys in the actual mapping: ['b']\n"
         "Additional keys in the actual mapping: ['a']"),
        (torch.ones(2), torch.ones(3), {}, "The values for attribute 'shape' do not match:"
         " torch.Size([2]) != torch.Size([3])."),
        (torch.ones(2, 3), torch.ones(3, 2).t(), {"check_stride": True},
         "The values for attribute 'stride()' do not match: (3, 1) != (1, 2)."),
        (torch.ones(2), torch.ones(2).half(), {},
         "The values for attribute 'dtype' do not match: torch.float32 != torch.float16."),
        (torch.ones(1), torch.ones(1, device="meta"), {},
         "The values for attribute 'device' do not match: cpu != meta."),
        (torch.ones(1), torch.ones(1).to_sparse(), {},
         "The values for attribute 'layout' do not match: torch.strided != torch.sparse_coo."),
        (torch.tensor([1.0, 2, 3]), torch.tensor([1.0, 4, 5]), {},
         "Tensor-likes are not close!\n\nMismatched elements: 2 / 3 (66.7%)\n"
         "Greatest absolute difference: 2.0 at index (1,) (up to 1e-05 allowed)\n"
         "Greatest relative difference: 0.5 at index (1,) (up to 1.3e-06 allowed)"),
        (torch.tensor(math.nan), torch.tensor(math.nan), {},
         "Scalars are not close!\n\nExpected nan but got nan.\n"
         "Absolute difference: nan (up to 1e-05 allowed)\n"
         "Relative difference: nan (up to 1.3e-06 allowed)"),
        (torch.ones(2).to(torch.float8_e5m2), torch.zeros(2).to(torch.float8_e5m2), {},
         "Tensor-likes are not 'equal'!\n\nMismatched elements: 2 / 2 (100.0%)\n"
         "The first mismatched element is at index (0,)."),
        (torch.eye(2).to_sparse(), torch.ones(2, 2).to_sparse(), {},
         "The number of specified values in sparse COO tensors does not match: 2 != 4"),
        ({"a": [1, 2]}, {"a": [1, 3]}, {}, "Scalars are not equal!\n\nExpected 3 but got 2.\n"
         "Absolute difference: 1\nRelative difference: 0.3333333333333333\n\n"
         "The failure occurred for item ['a'][1]"),
        (1, 2, {"msg": "own"}, "own"),
        (None, 2, {"msg": lambda text: f"<{text}>"}, "<None mismatch: None is not 2>"),
    ],
)  # fmt: skip
def test_messages(actual: Any, expected: Any, options: dict[str, Any], message: str) -> None:
    assert message_of(actual, expected, **options) == message


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match="but got no atol"):
        assert_close(1.0, 1.0, rtol=1)
    with pytest.raises(TypeError, match="No comparison pair was able to handle inputs of type"):
        assert_close("a", "a")
    with pytest.raises(TypeError, match=r"<class 'numpy.ndarray'> and <class 'torch.Tensor'>"):
        assert_close(np.ones(1), torch.ones(1))
    with pytest.raises(RuntimeError, match="Originating a NumberPair") as caught:
        assert_close(True, 1)
    assert isinstance(caught.value.__cause__, KeyError)
    with pytest.raises(RuntimeError, match=r"Comparing\n\nTensorLikePair\(\n    id=\(\),") as other:
        assert_close(torch.ones(1), torch.zeros(1), rtol=-1, atol=0)
    assert isinstance(other.value.__cause__, RuntimeError)


def test_the_former_function_warns() -> None:
    with pytest.warns(FutureWarning, match="assert_allclose.* is deprecated") as warned:
        assert_allclose([1.0], torch.tensor([1.00001]))
    assert warned[0].filename == __file__
    assert [*inspect.signature(assert_allclose).parameters][:2] == ["actual", "expected"]


def test_random_tensors() -> None:
    torch.manual_seed(0)
    x = make_tensor(2, 3, dtype=torch.int8, device="cpu", low=1, high=3, noncontiguous=True)
    assert (x.shape, x.stride(), x.storage_offset()) == ((2, 3), (6, 2), 1)
    assert {*x.flatten().tolist()} == {1, 2}
    y = make_tensor((50,), dtype=torch.bool, device="cpu", exclude_zero=True)
    assert y.all()
    z = make_tensor((4,), dtype=torch.complex64, device="cpu", requires_grad=True)
    assert z.requires_grad
    assert z.is_leaf
    assert (torch.view_as_real(z.detach()).abs() <= 9).all()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"low": 2, "high": 1}, ValueError, "`low` must be less than `high`, but got 2 >= 1"),
        ({"low": math.nan}, ValueError, "`low` and `high` cannot be NaN, but got low=nan"),
        ({"low": 300, "high": 400}, ValueError, r"\[300, 400\), but torch.int8 only supports"),
        ({"requires_grad": True}, ValueError, "`requires_grad=True` is not supported"),
        ({"noncontiguous": True, "memory_format": torch.channels_last}, ValueError, "exclusive"),
        ({"dtype": torch.qint8}, TypeError, "dtype 'torch.qint8' is not supported"),
    ],
)
def test_wrong_random_tensors(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        make_tensor(2, **{"dtype": torch.int8, "device": "cpu", **options})


def test_equal_bounds_warn() -> None:
    with pytest.warns(FutureWarning, match="low==high") as warned:
        make_tensor(2, dtype=torch.float32, device="cpu", low=1, high=1)
    assert warned[0].filename == __file__
