"""logsumexp and logcumsumexp."""

import math

import pytest

import impl as torch


def test_large_elements_do_not_overflow() -> None:
    x = torch.tensor([1000.0, 1000.0])
    assert x.logsumexp(0).item() == pytest.approx(1000 + math.log(2))
    assert x.logcumsumexp(0)[0].item() == 1000.0


def test_infinite_elements() -> None:
    x = torch.tensor([[-math.inf, -math.inf], [math.inf, 1.0]])
    assert x.logsumexp(1).tolist() == [-math.inf, math.inf]
    assert x.logcumsumexp(1).tolist() == [[-math.inf, -math.inf], [math.inf, math.inf]]


def test_integers_have_no_cumulative_form() -> None:
    x = torch.tensor([1, 2])
    assert torch.logsumexp(x, 0).dtype is torch.float32
    with pytest.raises(NotImplementedError, match='"logcumsumexp_out_cpu" not implemented'):
        torch.logcumsumexp(x, 0)


def test_no_elements() -> None:
    assert torch.zeros(2, 0).logsumexp(1).tolist() == [-math.inf, -math.inf]
    assert torch.zeros(0, 2).logcumsumexp(0).shape == (0, 2)


def test_no_dims_reduce_all_but_keep_the_shape_on_meta() -> None:
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        torch.logsumexp(torch.ones(2, 3), ())
    assert torch.logsumexp(torch.ones(2, 3, device="meta"), ()).shape == (1, 1)


def test_out_and_gradients() -> None:
    out = torch.zeros(0, dtype=torch.float64)
    assert torch.logsumexp(torch.ones(2), 0, out=out) is out
    assert out._version == 1
    with pytest.raises(RuntimeError, match="expected scalar_type Float but found Double"):
        torch.logcumsumexp(torch.ones(2), 0, out=out)
    x = torch.ones(2, requires_grad=True)
    assert x.logsumexp(0).grad_fn.name() == "LogsumexpBackward0"
    assert x.logcumsumexp(0).grad_fn.name() == "LogcumsumexpBackward0"


def test_long_complex_lines_are_those_of_short_ones() -> None:
    x = torch.arange(600).to(torch.complex128)
    parts = torch.logcumsumexp(x, 0)
    assert torch.allclose(parts[:500], torch.logcumsumexp(x[:500], 0))
