"""logsumexp and logcumsumexp."""

import math

import numpy as np
import pytest

import impl as torch
from impl._codegen import llvm


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
    x = torch.arange(6000).to(torch.complex128)
    parts = torch.logcumsumexp(x, 0)
    assert torch.allclose(parts[:500], torch.logcumsumexp(x[:500], 0))


def test_the_compiled_loop_gives_the_bits_of_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    special = [0.0, -0.0, 1.0, -math.inf, math.nan, 700.0, -700.0, 1e-300, 1e300]
    numbers = np.concatenate([rng.choice(special, 200), rng.standard_normal(300) * 9])
    lines = np.empty((500, 2), np.complex128)
    lines.real = numbers[rng.integers(0, 500, (500, 2))]
    lines.imag = rng.choice([0.0, -0.0, 1.0, 3.0, -9.5], (500, 2))
    results = []
    for mode in ("never", "always"):
        monkeypatch.setattr(llvm, "MODE", mode)
        results.append(torch.logcumsumexp(torch.from_numpy(lines), 0))
    bits = [torch.view_as_real(x).view(torch.int64).tolist() for x in results]
    assert bits[0] == bits[1]
