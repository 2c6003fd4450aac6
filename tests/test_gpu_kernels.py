"""GPU kernels: their LLVM IR is run on the CPU, thread by thread, and compiled to PTX.

`HostGpu` is a simulated device that runs kernels.
"""

import re
from itertools import count

import numpy as np
import pytest

import impl as torch
from impl._codegen import llvm, ptx as gpu
from impl._codegen.casts import cast_kernel
from impl._codegen.elementwise import operator_kernel
from impl._devices import cuda_backend
from impl._devices.simulated_cuda import SimulatedCuda
from impl._dtypes.table import DTYPES

_serial = count()
NUMBERS = (
    "bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64", "float16",
    "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz",
    "float8_e5m2fnuz", "float8_e8m0fnu",
)  # fmt: skip
SIZE = 2**17 + 7
"""More elements than the host computes itself, and not a multiple of those of a thread."""


class HostGpu(SimulatedCuda):
    """A device that runs the blocks and threads of kernels sequentially."""

    BLOCKS, THREADS = 2, 3

    def __init__(self) -> None:
        super().__init__(2)
        self.runs = 0
        self._functions = {}

    def run(self, kernel, out, inputs, ordinal) -> bool:
        for launch in gpu.launches(kernel, out, [np.asarray(array) for array in inputs]):
            function = self._functions.get(launch.text)
            if function is None:
                function = self._functions[launch.text] = on_the_host(launch)
            for block in range(self.BLOCKS):
                for thread in range(self.THREADS):
                    function.call(*launch.arguments, thread, self.THREADS, block, self.BLOCKS)
        self.runs += 1
        return True


def on_the_host(launch):
    """Return a kernel compiled for the CPU, with the thread and block indices as arguments."""
    name = f"gpu_kernel{next(_serial)}"
    text = re.sub(r"^declare .*\n", "", launch.text, flags=re.MULTILINE)
    text = (
        text.replace(" addrspace(1)", "")
        .replace("ptx_kernel ", "")
        .replace("@kernel(", f"@{name}(")
    )
    for register, argument in (("tid", "a"), ("ntid", "b"), ("ctaid", "c"), ("nctaid", "d")):
        intrinsic = f"call i32 @llvm.nvvm.read.ptx.sreg.{register}.x()"
        assert text.count(intrinsic) == 1
        text = text.replace(intrinsic, f"trunc i64 %{argument} to i32")
    text = text.replace(") nounwind", ", i64 %a, i64 %b, i64 %c, i64 %d) nounwind")
    [function] = llvm.compile_functions(text, {name: "-" + "i" * (len(launch.arguments) + 4)})
    return function


@pytest.fixture
def device():
    backend = HostGpu()
    cuda_backend.activate_backend(backend)
    yield backend
    cuda_backend.deactivate_backend(backend)


def bits(name: str, size: int = SIZE, seed: int = 1):
    """Return a tensor of random elements; floats are small numbers that all dtypes represent."""
    dtype = getattr(torch, name)
    numbers = np.random.default_rng(seed).integers(0, 200, size)
    if name == "bool":
        numbers %= 2
    if dtype.is_floating_point:
        return (torch.tensor(numbers) / 4 - 20).to(dtype)
    return torch.tensor(numbers % 100).to(dtype)


def elements(tensor) -> bytes:
    return bytes(tensor.cpu().contiguous().untyped_storage().tolist())


@pytest.mark.parametrize("source", NUMBERS)
def test_casts_are_those_of_the_cpu(device, source):
    x = bits(source)
    for target in NUMBERS:
        before = device.runs
        result = x.to("cuda").to(getattr(torch, target))
        assert result.device.index == 0
        assert elements(result) == elements(x.to(getattr(torch, target))), target
        assert (device.runs > before) == (source != target)


@pytest.mark.parametrize(
    "compute",
    [
        lambda x, y: x + y, lambda x, y: x * y, lambda x, y: x - y, lambda x, y: x / y,
        lambda x, y: x < y, lambda x, y: torch.maximum(x, y),
        lambda x, y: -x, lambda x, y: x.abs(), lambda x, y: x * 2.5, lambda x, y: 3 - x,
        lambda x, y: x + y[:1], lambda x, y: x == x, lambda x, y: torch.sqrt(x.abs()),
        lambda x, y: x.relu_() if hasattr(x, "relu_") else x.square(), lambda x, y: x.floor(),
        lambda x, y: x.clone().add_(y),
        lambda x, y: torch.add(x, y, out=torch.empty(0, device=x.device)),
        lambda x, y: x[1:] + y[:-1], lambda x, y: x[::2] * y[::2],
        lambda x, y: x.view(1, -1) + y[:3].view(3, 1), lambda x, y: x + y.to(torch.float64),
        lambda x, y: x + torch.ones(()),
    ],
)  # fmt: skip
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16", "float64"])
def test_operators_are_those_of_the_cpu(device, dtype, compute):
    x, y = bits(dtype), bits(dtype, seed=2) + 1
    expected = compute(x.clone(), y)
    result = compute(x.to("cuda"), y.to("cuda"))
    assert (result.dtype, result.shape, result.stride()) == (
        expected.dtype,
        expected.shape,
        expected.stride(),
    )
    assert result.device.index == 0
    assert device.runs
    assert elements(result) == elements(expected)


@pytest.mark.parametrize("change", [
    lambda x: x.t(), lambda x: x.permute(2, 0, 1) if x.dim() == 3 else x, lambda x: x[:, ::3],
    lambda x: x.unsqueeze(1).expand(-1, 3, -1),
])  # fmt: skip
def test_what_lies_in_any_way_is_computed(device, change):
    x = bits("float32", 300 * 400).view(300, 400)
    expected, result = change(x) + 1, change(x.to("cuda")) + 1
    assert result.stride() == expected.stride()
    assert elements(result) == elements(expected)
    converted = change(x.to("cuda")).to(torch.int16)
    assert elements(converted) == elements(change(x).to(torch.int16))


def test_what_lies_side_by_side_is_computed_by_the_width(device):
    narrowed = cast_kernel(DTYPES["float32"], DTYPES["int8"])
    [wide, rest] = gpu.launches(narrowed, aligned("int8"), [aligned("float32")])
    assert (wide.threads, rest.threads) == (SIZE // gpu.WIDTH, SIZE % gpu.WIDTH)
    assert "<4 x float>" in wide.text
    assert "<4 x" not in rest.text


def aligned(dtype: str):
    memory = np.zeros(SIZE * 4 + 64, np.uint8)
    start = -memory.__array_interface__["data"][0] % 64
    return memory[start : start + SIZE * np.dtype(dtype).itemsize].view(dtype)


@pytest.mark.parametrize("capability", [(7, 0), (8, 6), (9, 0), (12, 0)])
def test_ptx_is_rounded_at_each_step(capability):
    brain, single = DTYPES["bfloat16"], DTYPES["float32"]
    kernel = operator_kernel(
        "multiply", ((brain, brain, single),) * 2, (single, brain, brain), False
    )
    ptx = gpu.ptx_of(gpu.text_of(kernel, 1, gpu.WIDTH, (False,) * 3), capability)
    assert ".entry kernel" in ptx
    assert "mul.rn.f32" in ptx
    assert "fma" not in ptx
    assert ".ftz" not in ptx


def test_large_moves_and_clones_are_those_of_the_cpu(device):
    x = bits("int16")
    assert elements(x.to("cuda")) == elements(x)
    assert elements(x.to("cuda").clone()) == elements(x)
    assert elements(x.to("cuda:1").to("cuda:0")) == elements(x)
    assert torch.zeros(SIZE, dtype=torch.int16).copy_(x.to("cuda")).tolist() == x.tolist()
    spread = x[:70000].view(700, 100).t()
    assert elements(spread.to("cuda").contiguous()) == elements(spread.contiguous())


@pytest.mark.parametrize("name", ["uint8", "int16", "float32", "float64", "complex128"])
def test_fills_and_strided_copies_run_on_the_device(device, name):
    dtype = getattr(torch, name)
    has_kernel = name != "complex128"  # no kernel copies 16 bytes
    ones = torch.ones(SIZE, dtype=dtype, device="cuda")
    assert device.runs == has_kernel
    assert torch.equal(ones.cpu(), torch.ones(SIZE, dtype=dtype))
    base = torch.arange(2 * SIZE).to(dtype)
    moved = base.to("cuda")
    before = device.runs
    copied = moved[::2].contiguous()
    assert device.runs == before + has_kernel
    assert torch.equal(copied.cpu(), base[::2])


def test_copies_that_may_overlap_run_on_the_host(device):
    numbers = torch.arange(2 * SIZE)
    moved = numbers.to("cuda")
    before = device.runs
    moved[::2].copy_(moved[1::2])
    assert device.runs == before
    numbers[::2] = numbers[1::2].clone()
    assert torch.equal(moved.cpu(), numbers)
