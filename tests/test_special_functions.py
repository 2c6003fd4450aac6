"""Special functions that NumPy lacks, compared with published digits, and their rounding."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import impl as torch
from impl._codegen import llvm
from impl._kernels import (
    compiled_special,
    erf,
    special,
    unary,
)

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # operators ignore them too


def _ulps(result: Any, expected: Any) -> float:
    return float(np.max(np.abs(result - expected) / np.spacing(np.abs(expected))))


@pytest.mark.parametrize("name", ["erf", "erfc"])
def test_error_functions(name: str) -> None:
    x = np.concatenate([np.linspace(-5.9, 5.9, 4001), np.geomspace(1e-300, 1, 200)])
    if name == "erfc":
        x = np.concatenate([x, np.linspace(6, 26, 500)])
    expected = np.array([getattr(math, name)(number) for number in x])
    assert _ulps(getattr(erf, name)(x), expected) <= 4


def test_erfinv_undoes_erf() -> None:
    x = np.concatenate([np.linspace(-4, 4, 1001), np.geomspace(1e-200, 0.1, 100)])
    assert np.allclose(erf.erfinv(erf.erf(x)), x, rtol=1e-9, atol=0)
    assert np.isnan(erf.erfinv(np.array([1.5, -2.0, math.nan]))).all()


@pytest.mark.parametrize(
    ("function", "x", "expected"),
    [
        (erf.erf, 0.5, 0.5204998778130465),
        (erf.erfc, 10.0, 2.088487583762545e-45),
        (erf.erfinv, 0.75, 0.8134198475976185),
        (special.lgamma, 0.5, 0.5723649429247001),
        (special.lgamma, -1.5, 0.8600470153764810),
        (special.lgamma, 100.0, 359.13420536957540),
        (special.digamma, 1.0, -0.5772156649015329),
        (special.digamma, -0.5, 0.03648997397857652),
        (special.i0, 1.0, 1.2660658777520084),
        (special.i0, 20.0, 43558282.559553534),
    ],
)
def test_known_digits(function: Callable[[Any], Any], x: float, expected: float) -> None:
    assert function(np.array([x]))[0] == pytest.approx(expected, rel=4e-15)


def test_lgamma_is_the_standard_library_s() -> None:
    x = np.concatenate([np.linspace(0.01, 12, 3001), np.geomspace(12, 1e300, 300)])
    expected = np.array([math.lgamma(number) for number in x])
    assert np.allclose(special.lgamma(x), expected, rtol=1e-14, atol=1e-15)


def test_poles() -> None:
    poles = np.array([0.0, -1.0, -2.0])
    assert special.lgamma(poles).tolist() == [math.inf] * 3
    assert np.isnan(special.digamma(poles[1:])).all()
    assert special.digamma(np.array([-0.0, 0.0])).tolist() == [math.inf, -math.inf]


def test_single_precision_is_rounded_once() -> None:
    x = np.linspace(-20, 20, 9999).astype(np.float32)
    for name in ("exp", "sin", "tanh"):
        kernel = unary.via_float64(name)
        expected = getattr(np, name)(x.astype(np.float64)).astype(np.float32)
        assert kernel(x).tolist() == expected.tolist()


def test_single_precision_of_i0_is_torch_s() -> None:
    assert special.i0(np.zeros(1, np.float32))[0] == np.float32(0.99999994)


def test_complex_kernels_fuse_products() -> None:
    x = np.array([1e30 + 1e30j])
    assert unary.complex_square(x)[0].real == pytest.approx(-8.8e43, rel=0.01)
    result = unary.complex_reciprocal(np.array([0j, 3 + 4j]))
    assert result[0].real == math.inf
    assert math.copysign(1, result[0].imag) == 1
    assert result[1] == pytest.approx(0.12 - 0.16j)


def test_error_function_of_halves_is_the_quick_one() -> None:
    x = np.array([1e-7, 0.5, -0.5], np.float32)
    result = unary.erf_16bit(x, lambda numbers: numbers)
    assert result[0] == 0
    assert result[1] == -result[2] == pytest.approx(0.5205, abs=1e-6)


@pytest.mark.skipif(not llvm.is_available(), reason="needs llvmlite")
@pytest.mark.parametrize("name", ["lgamma", "digamma", "i0", "erfinv"])
def test_compiled_special_functions(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The compiled functions of float32 numbers have the results of NumPy's."""
    special = [0, -0.0, math.inf, -math.inf, math.nan, 1, -1, 2, 3, -2, 10, 8, 0.5, 1e-30, -1e30]
    x = torch.tensor([*special, *(n / 7 for n in range(-80, 80)), *(n / 100 for n in range(100))])
    routine = compiled_special._ROUTINES[name][0]
    compiled = routine._calls or routine._compiled()
    assert compiled
    results = []
    for calls in ({}, compiled):
        monkeypatch.setattr(routine, "_calls", calls)
        results.append(getattr(torch, name)(x).view(torch.int32).tolist())
    assert results[0] == results[1]
