"""Compiled operators: the bits of the NumPy kernels, except for NaN payloads; exact sums."""

import math
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import impl as torch
from impl._arrays.numpy_bridge import numpy_storage_dtype
from impl._codegen import llvm, loops
from impl._codegen.elementwise import _RULES
from impl._codegen.sums import sum_axes, sum_kernels
from impl._kernels import binary, elementwise, unary
from impl._numerics import fma

PROGRAM = """
import hashlib
from itertools import cycle, product
import impl as torch
import numpy as np

FLOATS = "float64 float32 float16 bfloat16".split()
INTEGERS = "uint8 int8 int16 int32 int64".split()
OTHERS = "bool uint16 uint32 uint64 float8_e4m3fn float8_e5m2fnuz float8_e8m0fnu".split()
SPECIAL = [0.0, -0.0, 1e-7, -1e-7, 6e4, 3e38, float("inf"), float("-inf"), float("nan"), 2.5, -3.0]

def numbers(name, seed):
    rng = np.random.default_rng(seed)
    if name.startswith(("float", "bfloat")):
        special = [SPECIAL * 4, rng.permutation(SPECIAL * 4)]
        random = [rng.normal(0, 9, 200), np.rint(rng.normal(0, 3, 72))]
        values = rng.permutation(np.concatenate([*special, *random]))
    else:
        values = rng.integers(-2**62, 2**62, 360) >> rng.integers(0, 63, 360)
    return torch.tensor(values).to(getattr(torch, name))

def show(label, run):
    try:
        result = run()
    except (RuntimeError, NotImplementedError, TypeError) as error:
        print(label, type(error).__name__, str(error)[:90])
        return
    dtype = result.dtype
    flat = result.contiguous().reshape(-1)
    raw = np.array(flat.view(torch.uint8).tolist(), np.uint8).reshape(-1, dtype.itemsize)
    if dtype.is_floating_point:
        raw[np.isnan(np.array(flat.to(torch.float64).tolist())).reshape(-1)] = 255
    digest = hashlib.sha256(raw.tobytes()).hexdigest()[:16]
    print(label, dtype, tuple(result.shape), result.stride(), digest)

UNARY = '''neg abs square sqrt relu sign frac floor ceil trunc reciprocal rsqrt bitwise_not
    logical_not signbit isnan isinf isfinite isposinf isneginf angle'''.split()
BINARY = '''add sub mul div maximum minimum eq ne lt le gt ge logical_and logical_or logical_xor
    bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift copysign'''.split()

def group_unary():
    for name, kind in product(UNARY, FLOATS + INTEGERS + OTHERS):
        x = numbers(kind, 1)
        show((name, kind), lambda: getattr(torch, name)(x))

def group_bounds():
    for kind in FLOATS + INTEGERS:
        x, y, z = (numbers(kind, seed) for seed in range(3))
        show(("clamp", kind), lambda: x.clamp(-3, 7))
        show(("above", kind), lambda: x.clamp(min=2))
        show(("below", kind), lambda: x.clamp_(max=2))
        show(("between", kind), lambda: x.clamp(y, z))
    for kind in FLOATS + INTEGERS + OTHERS + ["complex64", "complex128"]:
        x, y = numbers(kind, 1), numbers(kind, 2)
        for given in (lambda x: x, lambda x: x.reshape(20, 18).t(), lambda x: x[::2]):
            left, right = given(x), given(y)
            show(("where", kind), lambda: torch.where(left.bool(), left, right))
        show(("where number", kind), lambda: torch.where(x == 0, x, 1))

def group_fused():
    for kind in FLOATS:
        x, y, z = (numbers(kind, seed) for seed in range(3))
        for weight in (0.25, -1.5, float("inf"), z):
            show(("lerp", kind), lambda: torch.lerp(x, y, weight))
        for value in (1, 0.3, -2):
            show(("addcmul", kind), lambda: torch.addcmul(x, y, z, value=value))
            show(("add", kind), lambda: torch.add(x, y, alpha=value))
        for given in (lambda x: x, lambda x: x.reshape(20, 18).t(), lambda x: x[::3]):
            show(("lerp", kind), lambda: torch.lerp(*map(given, (x, y, z))))
        show(("lerp", kind), lambda: torch.lerp(x.reshape(20, 18), y[:18], z[5]))
        for left, right in ((x, y), (y, z), (x * 1e-30, z * 1e-30)):
            pair = [v.reshape(20, 6, 3) for v in (left, right)]
            show(("cross", kind), lambda: torch.cross(*pair, 2))

def group_same():
    for name, kind in product(BINARY, FLOATS + INTEGERS + OTHERS):
        x, y = numbers(kind, 1), numbers(kind, 2)
        show((name, kind), lambda: getattr(torch, name)(x, y))
        if kind in ("float32", "bfloat16", "int16", "bool"):
            show((name, kind, "alike"), lambda: getattr(torch, name)(x, x))

def group_mixed():
    runs = cycle((torch.add, torch.lt, lambda x, y: x * y[5]))
    for (left, right), run in zip(product(FLOATS + INTEGERS + OTHERS, repeat=2), runs):
        x, y = numbers(left, 1), numbers(right, 2)
        show((left, right), lambda: run(x, y))

def group_numbers():
    names = ("add", "sub", "mul", "div", "ge", "bitwise_xor")
    for name, kind in product(names, FLOATS + INTEGERS + ["bool"]):
        x = numbers(kind, 1)
        for number in (3, 0.1, True, -2):
            show((name, kind, number), lambda: getattr(torch, name)(x, number))
    for kind in FLOATS + INTEGERS:
        x = numbers(kind, 1)
        show(("2 - x", kind), lambda: 2 - x)
        show(("0.3 / x", kind), lambda: 0.3 / x)

def group_strides():
    pairs = "float32 float32", "bfloat16 float32", "int32 float16", "int16 bool"
    for left, right in map(str.split, pairs):
        x, y = (numbers(kind, 3) for kind in (left, right))
        x, y = (torch.cat([z, z]).reshape(2, 3, 4, 30) for z in (x, y))
        views = {
            "dense": lambda z: z, "steps": lambda z: z[..., ::3],
            "turned": lambda z: z.permute(3, 1, 0, 2), "number": lambda z: z[0, 0, 0, 4],
            "row": lambda z: z[:1, :1, :1], "column": lambda z: z[..., :1],
            "apart": lambda z: z[1:, :, ::2], "none": lambda z: z[:, :0],
            "wide": lambda z: z[0].expand(2, 3, 4, 30), "odd": lambda z: z[:, 1:, ::2, 7:],
        }
        for one, other in product(views, repeat=2):
            show((left, right, one, other), lambda: views[one](x) * views[other](y))
        for target in ("float64", "float32", "bfloat16", "complex64", "int64"):
            out = torch.zeros(2, 3, 4, 30, dtype=getattr(torch, target))
            turned = torch.zeros(30, 4, 3, 2, dtype=getattr(torch, target)).permute(3, 2, 1, 0)
            for tensor in (out, turned):
                show((left, right, target, "out"), lambda: torch.add(x, y, out=tensor))
                show((left, right, target, "compared"), lambda: torch.lt(x, y, out=tensor))
        z = x.clone()
        show((left, right, "in place"), lambda: z.add_(z))
        show((left, right, "in place of both"), lambda: z.mul_(y))
        turned = lambda tensor: tensor.permute(1, 0, 3, 2)
        show((left, right, "turned in place"), lambda: turned(z).mul_(turned(y)))
        show((left, right, "out in place"), lambda: torch.sub(z, x, out=z))

globals()["group_" + GROUP]()
"""

GROUPS = ("unary", "bounds", "fused", "same", "mixed", "numbers", "strides")


def output_lines(group: str, mode: str) -> list[str]:
    environment = {**os.environ, "IMPL_COMPILED": mode}
    command = [sys.executable, "-W", "ignore", "-c", f"GROUP = {group!r}{PROGRAM}"]
    process = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    return process.stdout.splitlines()


@pytest.mark.parametrize("group", GROUPS)
def test_operators_give_what_numpy_gives(group: str) -> None:
    by_numpy, compiled = output_lines(group, "never"), output_lines(group, "always")
    assert len(by_numpy) > 50
    assert [pair for pair in zip(by_numpy, compiled, strict=True) if pair[0] != pair[1]] == []


SIZES = np.array([0.0, -0.0, math.inf, -math.inf, math.nan, -math.nan, 1.0, -1.5, 3.0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_fused_multiply_adds_have_the_same_bits(
    monkeypatch: pytest.MonkeyPatch, dtype: Any
) -> None:
    limits, rng = np.finfo(dtype), np.random.default_rng(0)
    special = np.r_[SIZES, limits.max, -limits.max, limits.tiny, limits.smallest_subnormal]
    special = np.r_[special, limits.max / 3, rng.standard_normal(8)].astype(dtype)
    left, right, added = (x.ravel() for x in np.meshgrid(special, special, special))
    with np.errstate(all="ignore"):
        opposite = -(left * right)
    results = {}
    for mode in ("never", "always"):
        monkeypatch.setattr(llvm, "MODE", mode)
        with np.errstate(all="ignore"):
            pair = fma.fused(left, right, added), fma.fused(left, right, opposite)
        results[mode] = [array.tobytes() for array in pair]
    assert results["never"] == results["always"]
    infinite = fma.fused(limits.max * np.ones(1, dtype), limits.max, np.full(1, -math.inf, dtype))
    assert infinite.tolist() == [-math.inf]


@pytest.mark.parametrize("name", ["clamp", "maximum", "relu", "lerp", "bitwise_left_shift"])
def test_arrays_of_a_block_are_computed_by_kernels(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(loops, "COMPILE_AFTER_ELEMENTS", 0)
    numbers = torch.arange(-4096, 4096, dtype=torch.int16)
    floats = numbers.to(torch.bfloat16)
    calls: dict[str, Any] = {
        "clamp": lambda: torch.clamp(floats, -3, 4.5),
        "maximum": lambda: torch.maximum(floats, floats.flip(0)),
        "relu": lambda: torch.relu(floats),
        "lerp": lambda: torch.lerp(floats, floats.flip(0), 0.3),
        "bitwise_left_shift": lambda: numbers.bitwise_left_shift(numbers % 20),
    }
    monkeypatch.setattr(llvm, "MODE", "never")
    expected = calls[name]()
    monkeypatch.setattr(llvm, "MODE", "auto")
    results = [calls[name]() for _ in range(3)]
    assert all(torch.equal(result, expected) for result in results)
    assert {result.dtype for result in results} == {expected.dtype}


def test_each_row_is_of_a_function_that_there_is() -> None:
    ours = {name for module in (elementwise, unary, binary) for name in vars(module)}
    assert [name for name in _RULES if not hasattr(np, name) and name not in ours] == []


HARD = {
    "ones": np.ones(100_003),
    "small after large": np.r_[1e8, np.full(99_999, 1e-3)],
    "cancelling": np.r_[np.full(50_000, 1e7), np.full(50_000, -1e7), 0.1],
    "drawn": np.random.default_rng(0).standard_normal(100_000),
}


@pytest.mark.parametrize("name", HARD)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_sums_are_nearly_exact(monkeypatch: pytest.MonkeyPatch, dtype: str, name: str) -> None:
    monkeypatch.setattr(llvm, "MODE", "always")
    most = 6e4 if dtype == "float16" else 1e9
    numbers = torch.tensor(np.clip(HARD[name], -most, most)).to(getattr(torch, dtype))
    exact = [float(number) for number in numbers.to(torch.float64).tolist()]
    # The rounding error of float64; the result is then rounded once.
    lost = 2**-48 * math.fsum(map(abs, exact))
    total, result = math.fsum(exact), numbers.sum()
    ends = [
        torch.tensor(total + error, dtype=torch.float64).to(numbers.dtype).item()
        for error in (-lost, lost)
    ]
    assert ends[0] <= result.item() <= ends[1]


SHAPES = [(7,), (1,), (4097,), (8193,), (3, 1), (1, 5), (600, 3), (30, 4100), (520, 2049),
          (2, 3, 4, 5), (5, 600, 7)]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", ["float32", "int16", "bool", "float16"])
def test_sums_go_along_any_axes(monkeypatch: pytest.MonkeyPatch, name: str, shape: Any) -> None:
    monkeypatch.setattr(llvm, "MODE", "always")
    dtype = getattr(torch, name)
    computed = {"float32": dtype, "float16": torch.float32}.get(name, torch.int64)
    sums = sum_kernels(dtype, dtype if dtype.is_floating_point else torch.int64, computed)
    numbers = np.random.default_rng(1).integers(-9, 9, shape).astype(numpy_storage_dtype(dtype))
    repeated = np.broadcast_to(numbers, (3, *shape))
    for array in (numbers, numbers[::-1], numbers.T, numbers[..., ::2], numbers[None], repeated):
        for chosen in range(1, 2**array.ndim):
            axes = tuple(axis for axis in range(array.ndim) if chosen >> axis & 1)
            result = sum_axes(sums, array, axes)
            if result is not None:
                expected = array.sum(axes, np.float64 if dtype.is_floating_point else np.int64)
                assert result.dtype == expected.dtype
                assert (result == expected).all()
                assert result.shape == expected.shape
