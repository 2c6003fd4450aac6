"""Compiled loops give bit for bit what NumPy's way gives, however the operands lie; and when they are used."""

import os
import subprocess
import sys
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import impl as torch
from impl._arrays.numpy_bridge import numpy_storage_dtype
from impl._codegen import llvm, loops
from impl._codegen.casts import cast
from impl._codegen.loops import Kernel, compute
from impl._codegen.scalar_ir import SINGLE, Code, has_numbers
from impl._dtypes.table import ALL, dtype
from impl._numerics.cast import route_of

REAL = [each for each in ALL if has_numbers(each)]
RNG = np.random.default_rng(0)


def codes_of(dtype: dtype) -> Any:
    """Return all codes of 8 or 16 bits; of wider ones drawn bits, magnitudes, and neighbours of powers of two."""
    bits = 8 * dtype.itemsize
    if dtype is torch.bool:
        return np.arange(256) % 3 != 0
    if bits <= 16:
        return np.arange(2**bits, dtype=f"u{dtype.itemsize}").view(numpy_storage_dtype(dtype))
    drawn = RNG.integers(0, 2**bits, 20_000, f"u{dtype.itemsize}").view(numpy_storage_dtype(dtype))
    if not dtype.is_floating_point:
        powers = np.array([2**each + more for each in range(bits - 1) for more in (-1, 0, 1)])
        powers = np.concatenate([powers, -powers]).astype(numpy_storage_dtype(dtype))
        return np.concatenate([drawn, drawn >> RNG.integers(0, bits, drawn.size).astype(drawn.dtype), powers])  # fmt: skip
    powers = np.exp2(np.arange(-126 if bits == 32 else -160, 128)).astype(
        numpy_storage_dtype(dtype)
    )
    odd = np.outer(powers, (1 + np.arange(1, 32) / 32).astype(powers.dtype)).reshape(-1)
    sizes = np.exp2(RNG.uniform(-30, 70, 20_000)).astype(numpy_storage_dtype(dtype))
    exact = np.concatenate([powers, odd, sizes, np.rint(sizes * 2.0**-40) / 4])
    exact = np.concatenate([exact, exact * exact.dtype.type(2**-24)])
    near = np.concatenate([np.nextafter(exact, 0), exact, np.nextafter(exact, np.inf)])
    special = np.array([0.0, -0.0, np.inf, -np.inf], numpy_storage_dtype(dtype))
    return np.concatenate([drawn, near, -near, special])


def by_numpy(raw: Any, source: dtype, target: dtype) -> Any:
    out = np.empty(raw.shape, numpy_storage_dtype(target))
    with np.errstate(all="ignore"):
        route_of(source, target).fill(out, raw)
    return out


def by_kernel(out: Any, raw: Any, source: dtype, target: dtype) -> Any:
    kernel = cast(source, target)
    assert kernel is not None
    kernel.over_cores(out, raw)
    return out


def same_bits(one: Any, other: Any) -> bool:
    assert one.dtype == other.dtype
    assert one.shape == other.shape
    return np.ascontiguousarray(one).tobytes() == np.ascontiguousarray(other).tobytes()


@pytest.mark.parametrize("source", REAL, ids=str)
def test_each_pair_converts_as_numpy_does(source: dtype) -> None:
    raw = codes_of(source)
    for target in REAL:
        if target is not source:
            found = by_kernel(np.empty(raw.shape, numpy_storage_dtype(target)), raw, source, target)
            assert same_bits(found, by_numpy(raw, source, target)), target


def test_a_bool_that_is_not_zero_is_true() -> None:
    raw = np.arange(256, dtype=np.uint8).view(bool)
    for target in (torch.bool, torch.uint8, torch.float32, torch.bfloat16):
        found = by_kernel(np.empty(256, numpy_storage_dtype(target)), raw, torch.bool, target)
        assert len(set(found.tolist())) == 2
        assert (found[1:] == found[1]).all()


NEXT = list(zip(REAL, REAL[5:] + REAL[:5], strict=True))


@pytest.mark.parametrize(("source", "target"), NEXT, ids=str)
def test_operands_lie_in_any_way(source: dtype, target: dtype) -> None:
    raw = np.resize(codes_of(source), 2 * 6 * 5 * 14)
    for shape in ((840,), (20, 42), (2, 6, 5, 14)):
        given = raw.reshape(shape)
        for each in (given, given[..., ::2], given[::-1], given[..., ::-1], given.T, given[:, None][..., :3],
                     np.broadcast_to(given[..., :1], shape), np.broadcast_to(given[:1], shape)):  # fmt: skip
            expected = by_numpy(each, source, target)
            wide = np.zeros((*each.shape, 2), numpy_storage_dtype(target))
            for out in (np.empty_like(expected), np.empty_like(expected.T).T, wide[..., 1]):
                assert same_bits(by_kernel(out, each, source, target), expected)
            assert not wide[..., 0].any()


def test_operands_may_be_broadcast_empty_or_without_dimensions() -> None:
    kernel = cast(torch.int64, torch.float16)
    assert kernel is not None
    row, number = np.arange(7), np.array(3)
    for out, raw in ((np.empty((5, 7), np.float16), row), (np.empty((5, 7), np.float16), number),
                       (np.empty((), np.float16), number), (np.empty((0, 7), np.float16), row),
                       (np.empty((1, 1), np.float16), number.reshape(1))):  # fmt: skip
        kernel.over_cores(out, raw)
        assert same_bits(out, np.broadcast_to(raw, out.shape).astype(np.float16))


def test_elements_need_not_be_aligned() -> None:
    memory = np.zeros(8 * 1000 + 1, np.uint8)
    raw = memory[1:].view(np.float64)
    raw[:] = np.arange(1000)
    out = np.zeros(4 * 1000 + 3, np.uint8)[3:].view(np.float32)
    assert same_bits(by_kernel(out, raw, torch.float64, torch.float32), raw.astype(np.float32))


def test_large_arrays_are_split(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "PART_BYTES", 1000)
    raw = RNG.standard_normal((300, 7, 50)).astype(np.float32)
    for each in (raw, raw.transpose(2, 0, 1), raw[:, :3], np.broadcast_to(raw[:1], raw.shape)):  # fmt: skip
        out = np.empty(each.shape, np.float16)
        assert same_bits(
            by_kernel(out, each, torch.float32, torch.float16), each.astype(np.float16)
        )


def test_a_body_computes_with_several_operands_and_in_place() -> None:
    def body(code: Code, one: str, other: str) -> str:
        return code.add(f"fadd {SINGLE.type} {one}, {other}")

    add = Kernel(torch.float32, [torch.float32, torch.float16], body)
    left, right = RNG.standard_normal((2, 40, 30)).astype(np.float32)
    half = right.astype(np.float16)
    for other in (half, half[0], half[:, :1], np.array(half[0, 0])):
        out = left.copy()
        add.over_cores(out, out, other)
        assert same_bits(out, left + other)


def test_a_kernel_is_compiled_once_it_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llvm, "MODE", "auto")
    monkeypatch.setattr(loops, "COMPILE_AFTER_ELEMENTS", 250)
    done: list[int] = []

    def body(code: Code, number: str) -> str:
        done.append(-1)
        return number

    kernel = Kernel(torch.float32, [torch.float32], body)
    for _ in range(4):
        compute(kernel, lambda out, raw: done.append(out.size), np.empty(100, np.float32),
                np.zeros(100, np.float32))  # fmt: skip
    assert done == [100, 100, 100, -1]
    monkeypatch.setattr(llvm, "MODE", "never")
    compute(kernel, lambda out: done.append(out.size), np.empty(9, np.float32))
    assert done[4:] == [9]


def test_threads_compile_a_kernel_once() -> None:
    calls: list[int] = []

    def body(code: Code, number: str) -> str:
        calls.append(1)
        return number

    kernel = Kernel(torch.float32, [torch.float32], body)
    raw, outs = np.arange(50, dtype=np.float32), np.zeros((8, 50), np.float32)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda out: kernel.over_cores(out, raw), outs))
    assert (outs == raw).all()
    assert len(calls) == 1


def test_a_conversion_needs_no_memory_but_its_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llvm, "MODE", "always")
    source = torch.ones(2**21, dtype=torch.float32)
    source.to(torch.float8_e5m2)
    tracemalloc.start()
    source.to(torch.float8_e5m2)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**21 + 2**20


CONVERTED = """
import sys, warnings
warnings.simplefilter("error")
import impl as torch
assert "llvmlite" not in sys.modules and "numpy" not in sys.modules
{before}
x = torch.arange(2**21, dtype=torch.float32)
for _ in range(2):
    y = x.to(torch.float16)
assert y[:3].tolist() == [0.0, 1.0, 2.0]
print(sys.modules.get("llvmlite") is not None)
"""


def run(program: str, mode: str | None) -> subprocess.CompletedProcess[str]:
    environment = {name: each for name, each in os.environ.items() if name != "IMPL_COMPILED"}
    if mode is not None:
        environment["IMPL_COMPILED"] = mode
    command = [sys.executable, "-c", program]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("before", "mode", "printed"),
    [
        ("", None, "True\n"),
        ("", "auto", "True\n"),
        ("", "always", "True\n"),
        ("", "never", "False\n"),
        ("sys.modules['llvmlite'] = None", None, "False\n"),
        ("import llvmlite.binding as b; b.get_host_cpu_features = dict", None, "True\n"),
    ],
    ids=["unset", "auto", "always", "never", "not installed", "unknown processor"],
)
def test_the_environment_decides(before: str, mode: str | None, printed: str) -> None:
    done = run(CONVERTED.format(before=before), mode)
    assert (done.stdout, done.stderr) == (printed, "")


def test_what_the_environment_cannot_say_is_refused() -> None:
    done = run(CONVERTED.format(before=""), "sometimes")
    assert done.stderr.endswith(
        "RuntimeError: IMPL_COMPILED is 'sometimes', and can be one of auto, always, never\n"
    )


def test_nothing_is_forced_that_is_not_there() -> None:
    done = run(CONVERTED.format(before="sys.modules['llvmlite'] = None"), "always")
    assert done.stderr.endswith("RuntimeError: IMPL_COMPILED=always, but nothing can be compiled\n")
