"""Compiled random numbers and shuffles, against those of NumPy and Python."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import impl as torch
from impl._codegen import llvm
from impl._codegen.routine import Routine
from impl._dtypes.table import DTYPES
from impl._random import compiled
from impl._random.integers import permutation
from impl._random.mt19937 import MT19937Stream
from impl._random.normal import normal

COUNTS = (1, 2, 15, 16, 17, 40, 64, 1000, 40_000)


def _both_ways(monkeypatch: pytest.MonkeyPatch, draw: Callable[[MT19937Stream], Any]) -> Any:
    """Return the results and the states of a draw without compiled functions, and with them."""
    results = []
    for mode in ("never", "always"):
        monkeypatch.setattr(llvm, "MODE", mode)
        for name in ("_SINGLES", "_DOUBLES", "_SHUFFLE"):
            routine = getattr(compiled, name)
            monkeypatch.setattr(routine, "_calls", None if mode == "never" else _calls(routine))
        stream = MT19937Stream(7)
        results.append((draw(stream), stream.get_state()))
    return results


_COMPILED: dict[int, Any] = {}


def _calls(routine: Routine) -> Any:
    if id(routine) not in _COMPILED:
        _COMPILED[id(routine)] = routine._compiled()
    return _COMPILED[id(routine)]


@pytest.mark.skipif(not llvm.is_available(), reason="needs llvmlite")
@pytest.mark.parametrize("name", ["float32", "float64", "float16", "bfloat16", "complex64"])
@pytest.mark.parametrize("parameters", [(0.0, 1.0), (-3.0, 0.5), (1e300, 2.0), (0.5, 0.0)])
def test_compiled_normal_numbers(
    monkeypatch: pytest.MonkeyPatch, name: str, parameters: tuple[float, float]
) -> None:
    for count in COUNTS:
        for contiguous in (True, False):

            def draw(stream: MT19937Stream) -> Any:
                return normal(stream, count, DTYPES[name], *parameters, contiguous=contiguous)  # noqa: B023

            (plain, state), (fast, fast_state) = _both_ways(monkeypatch, draw)
            assert state == fast_state
            np.testing.assert_array_equal(plain, fast)


@pytest.mark.skipif(not llvm.is_available(), reason="needs llvmlite")
def test_compiled_shuffles(monkeypatch: pytest.MonkeyPatch) -> None:
    for n in (2, 3, 10, 1000, 50_000):
        (plain, state), (fast, fast_state) = _both_ways(
            monkeypatch,
            lambda stream: permutation(stream, n),  # noqa: B023
        )
        assert state == fast_state
        assert plain.tolist() == fast.tolist()


@pytest.mark.parametrize(
    "call",
    [
        "x.normal_(0.5, 2)", "x.uniform_(-1, 1)", "x.bernoulli_(0.5)", "x.bernoulli_(p)",
        "x.random_(5)", "x.exponential_()", "x.log_normal_()", "torch.randn_like(x)",
        "torch.randint_like(x, 9)", "torch.bernoulli(p)", "torch.normal(x, 2.0)",
        "torch.normal(1.0, p)", "torch.normal(x, p)",
    ],
)  # fmt: skip
def test_repeated_draws_continue_the_stream(call: str) -> None:
    """A planned call draws what the first call draws from the same state."""
    p = torch.full((5, 4), 0.25)
    for _ in range(4):
        generator = torch.manual_seed(11)
        x = torch.ones(5, 4)
        first = eval(call, {"torch": torch, "x": x, "p": p})
        states = [generator.get_state().tolist()]
        second = eval(call, {"torch": torch, "x": torch.ones(5, 4), "p": p})
        states.append(generator.get_state().tolist())
        if _ == 0:
            expected = first.tolist(), second.tolist(), states
        assert (first.tolist(), second.tolist(), states) == expected
    assert second is not first


def test_planned_draws_check_each_call() -> None:
    x, p = torch.zeros(3), torch.tensor([0.0, 1.0, 0.5])
    for _ in range(3):
        x.bernoulli_(p)
        torch.normal(x, p)
    with pytest.raises(RuntimeError, match="p_in >= 0 && p_in <= 1"):
        x.bernoulli_(torch.tensor([0.0, 2.0, 0.5]))
    with pytest.raises(RuntimeError, match=r"all elements of std >= 0\.0"):
        torch.normal(x, torch.tensor([0.0, -1.0, 0.5]))
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        torch.zeros(3, requires_grad=True).bernoulli_(p)


def test_bernoulli_of_complex_numbers_has_no_gradient() -> None:
    x = torch.zeros(0, dtype=torch.complex64, requires_grad=True)
    with pytest.raises(RuntimeError, match="bernoulli does not support automatic differentiation"):
        torch.bernoulli(x)


@pytest.mark.parametrize("call", ["randint(2**63, [2])", "randint(0, 2**63, (2,))"])
def test_bounds_beyond_int64_overflow(call: str) -> None:
    with pytest.raises(ValueError, match="Overflow when unpacking long long"):
        eval(f"torch.{call}", {"torch": torch})


@pytest.mark.parametrize(
    ("call", "version"),
    [("normal(x, x)", 2), ("normal(x, 1.0)", 1), ("bernoulli(x)", 1), ("bernoulli(x, 0.5)", 1)],
)
def test_draws_by_inference_tensors_count_inner_writes(call: str, version: int) -> None:
    with torch.inference_mode():
        inference = torch.ones(2, 2)
    for _ in range(3):
        for x, expected in ((inference, version), (torch.ones(2, 2), 0)):
            assert eval(f"torch.{call}", {"torch": torch, "x": x})._version == expected
