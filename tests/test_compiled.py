"""Compiled loops: the bits of the NumPy kernels for all strides, and the conditions of use."""

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
from impl._codegen.casts import cast_kernel
from impl._codegen.loops import Kernel, run_kernel
from impl._codegen.scalar_ir import FLOAT32_TYPE, IRBuilder, is_compilable
from impl._dtypes.table import ALL_DTYPES, dtype
from impl._numerics.cast import cast_kernel_of

REAL = [dtype for dtype in ALL_DTYPES if is_compilable(dtype)]
RNG = np.random.default_rng(0)


def raw_values(dtype: dtype) -> Any:
    """Return all raw values of 8 or 16 bits; else random ones and neighbors of powers of two."""
    bits = 8 * dtype.itemsize
    if dtype is torch.bool:
        return np.arange(256) % 3 != 0
    if bits <= 16:
        return np.arange(2**bits, dtype=f"u{dtype.itemsize}").view(numpy_storage_dtype(dtype))
    random = RNG.integers(0, 2**bits, 20_000, f"u{dtype.itemsize}").view(numpy_storage_dtype(dtype))
    if not dtype.is_floating_point:
        powers = np.array(
            [2**exponent + more for exponent in range(bits - 1) for more in (-1, 0, 1)]
        )
        powers = np.concatenate([powers, -powers]).astype(numpy_storage_dtype(dtype))
        shifts = RNG.integers(0, bits, random.size).astype(random.dtype)
        return np.concatenate([random, random >> shifts, powers])
    powers = np.exp2(np.arange(-126 if bits == 32 else -160, 128)).astype(
        numpy_storage_dtype(dtype)
    )
    odd = np.outer(powers, (1 + np.arange(1, 32) / 32).astype(powers.dtype)).reshape(-1)
    sizes = np.exp2(RNG.uniform(-30, 70, 20_000)).astype(numpy_storage_dtype(dtype))
    exact = np.concatenate([powers, odd, sizes, np.rint(sizes * 2.0**-40) / 4])
    exact = np.concatenate([exact, exact * exact.dtype.type(2**-24)])
    near = np.concatenate([np.nextafter(exact, 0), exact, np.nextafter(exact, np.inf)])
    special = np.array([0.0, -0.0, np.inf, -np.inf], numpy_storage_dtype(dtype))
    return np.concatenate([random, near, -near, special])


def by_numpy(raw: Any, source: dtype, target: dtype) -> Any:
    out = np.empty(raw.shape, numpy_storage_dtype(target))
    with np.errstate(all="ignore"):
        cast_kernel_of(source, target).fill(out, raw)
    return out


def by_kernel(out: Any, raw: Any, source: dtype, target: dtype) -> Any:
    kernel = cast_kernel(source, target)
    assert kernel is not None
    kernel.over_cores(out, raw)
    return out


def same_bits(one: Any, other: Any) -> bool:
    assert one.dtype == other.dtype
    assert one.shape == other.shape
    return np.ascontiguousarray(one).tobytes() == np.ascontiguousarray(other).tobytes()


@pytest.mark.parametrize("source", REAL, ids=str)
def test_each_pair_converts_as_numpy_does(source: dtype) -> None:
    raw = raw_values(source)
    for target in REAL:
        if target is not source:
            result = by_kernel(
                np.empty(raw.shape, numpy_storage_dtype(target)), raw, source, target
            )
            assert same_bits(result, by_numpy(raw, source, target)), target


def test_a_bool_that_is_not_zero_is_true() -> None:
    raw = np.arange(256, dtype=np.uint8).view(bool)
    for target in (torch.bool, torch.uint8, torch.float32, torch.bfloat16):
        result = by_kernel(np.empty(256, numpy_storage_dtype(target)), raw, torch.bool, target)
        assert len(set(result.tolist())) == 2
        assert (result[1:] == result[1]).all()


NEXT = list(zip(REAL, REAL[5:] + REAL[:5], strict=True))


@pytest.mark.parametrize(("source", "target"), NEXT, ids=str)
def test_operands_lie_in_any_way(source: dtype, target: dtype) -> None:
    raw = np.resize(raw_values(source), 2 * 6 * 5 * 14)
    for shape in ((840,), (20, 42), (2, 6, 5, 14)):
        base = raw.reshape(shape)
        for array in (
            *(base, base[..., ::2], base[::-1], base[..., ::-1], base.T, base[:, None][..., :3]),
            *(np.broadcast_to(base[..., :1], shape), np.broadcast_to(base[:1], shape)),
        ):
            expected = by_numpy(array, source, target)
            wide = np.zeros((*array.shape, 2), numpy_storage_dtype(target))
            for out in (np.empty_like(expected), np.empty_like(expected.T).T, wide[..., 1]):
                assert same_bits(by_kernel(out, array, source, target), expected)
            assert not wide[..., 0].any()


def test_operands_may_be_broadcast_empty_or_without_dimensions() -> None:
    kernel = cast_kernel(torch.int64, torch.float16)
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
    repeated = np.broadcast_to(raw[:1], raw.shape)
    for array in (raw, raw.transpose(2, 0, 1), raw[:, :3], repeated):
        out = np.empty(array.shape, np.float16)
        assert same_bits(
            by_kernel(out, array, torch.float32, torch.float16), array.astype(np.float16)
        )


def test_a_body_computes_with_several_operands_and_in_place() -> None:
    def body(code: IRBuilder, one: str, other: str) -> str:
        return code.add(f"fadd {FLOAT32_TYPE.type} {one}, {other}")

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
    calls: list[int] = []

    def body(code: IRBuilder, number: str) -> str:
        calls.append(-1)
        return number

    kernel = Kernel(torch.float32, [torch.float32], body)
    for _ in range(4):
        run_kernel(kernel, lambda out, raw: calls.append(out.size), np.empty(100, np.float32),
                np.zeros(100, np.float32))  # fmt: skip
    assert calls == [100, 100, 100, -1]
    monkeypatch.setattr(llvm, "MODE", "never")
    run_kernel(kernel, lambda out: calls.append(out.size), np.empty(9, np.float32))
    assert calls[4:] == [9]


def test_threads_compile_a_kernel_once() -> None:
    calls: list[int] = []

    def body(code: IRBuilder, number: str) -> str:
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
    environment = {name: value for name, value in os.environ.items() if name != "IMPL_COMPILED"}
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
    process = run(CONVERTED.format(before=before), mode)
    assert (process.stdout, process.stderr) == (printed, "")


def test_what_the_environment_cannot_say_is_refused() -> None:
    process = run(CONVERTED.format(before=""), "sometimes")
    assert process.stderr.endswith(
        "RuntimeError: IMPL_COMPILED is 'sometimes', and can be one of auto, always, never\n"
    )


def test_nothing_is_forced_that_is_not_there() -> None:
    process = run(CONVERTED.format(before="sys.modules['llvmlite'] = None"), "always")
    assert process.stderr.endswith(
        "RuntimeError: IMPL_COMPILED=always, but nothing can be compiled\n"
    )
