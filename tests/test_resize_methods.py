"""The deprecated methods resize and resize_as, which return views."""

from typing import Any

import pytest

import impl as torch

pytestmark = pytest.mark.filterwarnings("ignore:non-inplace resize")


def test_a_contiguous_tensor_is_viewed() -> None:
    tensor = torch.arange(6).view(2, 3)
    view = tensor.resize(3, 2)
    assert view.data_ptr() == tensor.data_ptr()
    tensor.zero_()
    assert view.tolist() == [[0, 0], [0, 0], [0, 0]]
    assert tensor.resize_as(torch.ones(6)).shape == (6,)


def test_another_tensor_is_copied() -> None:
    tensor = torch.arange(6).view(2, 3).t()
    result = tensor.resize(6)
    assert result.tolist() == [0, 3, 1, 4, 2, 5]
    assert result.data_ptr() != tensor.data_ptr()


def test_warnings_show_the_call() -> None:
    tensor = torch.ones(2)
    with pytest.warns(UserWarning, match=r"^non-inplace resize is deprecated$") as caught:
        tensor.resize(2)
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match=r"^non-inplace resize_as is deprecated$"):
        tensor.resize_as(tensor)


@pytest.mark.parametrize(
    ("sizes", "error", "message"),
    [
        ((2, 2), RuntimeError, r"requested resize to 2x2 \(4 elements in total\), but the given"),
        (((3, 2),), RuntimeError, r"requested resize to \(3, 2\) \(\(3, 2\) elements in total\)"),
        ((-2, -3), RuntimeError, "invalid shape dimension -2"),
        ((None,), TypeError, "unsupported operand type"),
    ],
)
def test_sizes(sizes: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{message}"):
        torch.ones(2, 3).resize(*sizes)


def test_a_recorded_view_cannot_be_written() -> None:
    tensor = torch.ones(2, 3, requires_grad=True)
    view = tensor.resize(6)
    assert type(view.grad_fn).__name__ == "ResizeBackward"
    for written, start in (
        (view, "Output 0 of Resize is a view and is being modified inplace"),
        (view[0], "Output 0 of Select is a view and is being modified inplace"),
        (torch.ones(1).resize(1).requires_grad_(), "A view was created in no_grad mode"),
    ):
        with pytest.raises(RuntimeError, match=f"^{start}.*inside a custom Function"):
            written.add_(1)


def test_inference_tensors() -> None:
    with torch.inference_mode():
        tensor = torch.ones(2)
    with pytest.raises(RuntimeError, match=r"^Inference tensors do not track version counter"):
        tensor.resize(2, 1)
