"""complex and polar beside NumPy's and the C library's functions, and what they check."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import impl as torch
from impl._kernels.sincos import sin_cos

FLOATS = st.floats(allow_nan=False, width=32)


@given(st.lists(st.tuples(FLOATS, FLOATS), max_size=5))
def test_parts(pairs: list[tuple[float, float]]) -> None:
    real, imag = (torch.tensor([pair[i] for pair in pairs]) for i in (0, 1))
    result = torch.complex(real, imag)
    assert result.dtype is torch.complex64
    assert [*zip(result.real.tolist(), result.imag.tolist(), strict=True)] == pairs
    assert torch.complex(real.double(), imag.double()).dtype is torch.complex128


@given(st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_sine_and_cosine_are_within_a_unit_in_the_last_place(angle: float) -> None:
    results = sin_cos(np.array([angle], np.float32))
    for result, wanted in zip(results, (math.sin(angle), math.cos(angle)), strict=True):
        assert abs(float(result[0]) - wanted) <= np.spacing(np.float32(abs(wanted)))


def test_sine_and_cosine_of_special_numbers() -> None:
    sine, cosine = sin_cos(np.array([0.0, -0.0, math.inf, -math.inf, math.nan], np.float32))
    assert sine[:2].tolist() == [0.0, 0.0]
    assert np.signbit(sine).tolist()[:2] == [False, True]
    assert cosine[:2].tolist() == [1.0, 1.0]
    assert np.isnan(sine[2:]).all()
    assert np.isnan(cosine[2:]).all()


def test_polar() -> None:
    size, angle = torch.tensor([2.0, 1.0]).double(), torch.tensor([0.5, -100.0]).double()
    wanted = [complex(2 * math.cos(0.5), 2 * math.sin(0.5)), complex(math.cos(100), -math.sin(100))]
    assert torch.polar(size, angle).tolist() == wanted


@pytest.mark.parametrize("name", ["complex", "polar"])
def test_gradients_and_strides(name: str) -> None:
    parts = torch.ones(3, 2, requires_grad=True).t(), torch.ones(())
    result = getattr(torch, name)(*parts)
    assert type(result.grad_fn).__name__ == f"{name.title()}Backward0"
    assert result.stride() == (1, 2)
    assert not hasattr(torch.Tensor, name)
    with pytest.raises(RuntimeError, match=rf"^{name}\(\): functions with out="):
        getattr(torch, name)(*parts, out=torch.empty(0, dtype=torch.complex64))


def test_out_that_has_the_parts() -> None:
    out = torch.tensor([1 + 2j, 3 + 4j])
    torch.complex(out.imag, out.real, out=out)
    assert out.tolist() == [2 + 1j, 4 + 3j]
    rows = torch.tensor([1 + 0j, 2 + 0j, 3 + 0j])
    shifted = rows.real[:2]
    with pytest.raises(RuntimeError, match="refers to a single memory location"):
        torch.complex(torch.ones(2), torch.ones(2), out=rows.as_strided((2,), (0,)))
    torch.complex(shifted, torch.zeros(2), out=rows[1:])
    assert rows.tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("complex(x, torch.ones(1).long())", "Expected both inputs to be Half, Float or Double"),
        ("polar(x, x.double())", ".*scalar type Float but got scalar type Double for second arg"),
        (
            "complex(x, x, out=x)",
            ".*scalar type ComplexFloat but got scalar type Float for argument",
        ),
        ("polar(x.half(), x.half())", "\"polar_cpu\" not implemented for 'Half'"),
    ],
)
@pytest.mark.filterwarnings("ignore:ComplexHalf")
def test_dtypes(call: str, message: str) -> None:
    scope: dict[str, Any] = {"torch": torch, "x": torch.ones(1)}
    with pytest.raises((RuntimeError, NotImplementedError), match=f"^{message}"):
        eval(f"torch.{call}", scope)


def test_tensors_on_meta() -> None:
    real = torch.ones(2, 1, device="meta")
    assert torch.complex(real, torch.ones(())).dtype is torch.complex64
    assert torch.complex(real, real.to(torch.bfloat16)).shape == (2, 1)
    with pytest.raises(AssertionError, match=r"^imag must be floating point, got torch\.int64"):
        torch.complex(real, real.long())
    with pytest.raises(RuntimeError, match=r"^Tensor on device cpu is not on the expected"):
        torch.polar(real, torch.ones(1))
