"""Settings of the process, and what torch.backends and the modules of devices tell."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import impl
from impl._arrays.parallel import POOL


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    """Set the settings back after a test."""
    limit = POOL.limit
    yield
    POOL.limit = limit
    impl.set_float32_matmul_precision("highest")


def test_numbers_of_threads_are_used() -> None:
    names: set[object] = set()
    for number in (1, 3, 10**6):
        impl.set_num_threads(number)
        assert impl.get_num_threads() == number
        assert POOL.helpers() <= number - 1
        names.add(impl.arange(300_000.0).sum().item())
    assert len(names) == 1


@pytest.mark.parametrize(
    ("number", "error", "message"),
    [
        (0, RuntimeError, "set_num_threads expects a positive integer"),
        (1.0, RuntimeError, "set_num_threads expects an int, but got float"),
        (True, RuntimeError, "set_num_threads expects an int, but got bool"),
        (2**31, ValueError, "Overflow when unpacking long"),
        (2**63, ValueError, "Overflow when unpacking long long"),
    ],
)
def test_wrong_numbers_change_nothing(number: object, error: type[Exception], message: str) -> None:
    before = impl.get_num_threads()
    with pytest.raises(error, match=f"^{message}$"):
        impl.set_num_threads(number)  # type: ignore[arg-type]
    assert impl.get_num_threads() == before


@pytest.mark.parametrize("name", ["get_num_threads", "get_num_interop_threads"])
def test_reading_takes_no_arguments(name: str) -> None:
    read: Callable[..., int] = getattr(impl, name)
    with pytest.raises(TypeError, match=rf"torch.{name}\(\) takes no arguments \(1 given\)"):
        read(1)


def in_process(program: str, **variables: str) -> str:
    """Return the output of a program in a new process."""
    return subprocess.run(
        [sys.executable, "-c", f"import impl as torch; {program}"],
        check=True, capture_output=True, text=True, env={**os.environ, **variables},
    ).stdout  # fmt: skip


def test_interop_threads_are_set_once() -> None:
    program = (
        "torch.set_num_interop_threads(3); print(torch.get_num_interop_threads())\n"
        "try: torch.set_num_interop_threads(3)\n"
        "except RuntimeError as error: print(error)"
    )
    assert in_process(program).splitlines() == [
        "3",
        "Error: cannot set number of interop threads after parallel work has started or"
        " set_num_interop_threads called",
    ]


@pytest.mark.parametrize("name", ["MKL_NUM_THREADS", "OMP_NUM_THREADS"])
def test_the_environment_sets_the_number_of_threads(name: str) -> None:
    variables = {"MKL_NUM_THREADS": "", "OMP_NUM_THREADS": "", name: "1"}
    assert in_process("print(torch.get_num_threads())", **variables) == "1\n"


def test_precisions_and_the_flag_of_cuda() -> None:
    matmul = impl.backends.cuda.matmul
    for precision in ("high", "medium", "highest"):
        impl.set_float32_matmul_precision(precision)
        assert impl.get_float32_matmul_precision() == precision
        assert matmul.allow_tf32 is (precision != "highest")
    matmul.allow_tf32 = True
    assert impl.get_float32_matmul_precision() == "high"
    with pytest.warns(UserWarning, match="low is not one of 'highest', 'high', or 'medium'"):
        impl.set_float32_matmul_precision("low")
    impl.set_float32_matmul_precision("medium")
    matmul.allow_tf32 = False
    with pytest.raises(RuntimeError, match="mix of the legacy and new APIs"):
        impl.get_float32_matmul_precision()


def test_denormals_are_not_flushed() -> None:
    assert impl.set_flush_denormal(True) is False
    assert impl.set_flush_denormal(False) is True
    assert (impl.tensor(1e-40) * 1).item() > 0
    with pytest.raises(RuntimeError, match="flush_denormal expects a bool, but got int"):
        impl.set_flush_denormal(1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name",
    ["cudnn", "cusparselt", "kleidiai", "mkl", "mkldnn", "mps", "nnpack", "openmp", "opt_einsum"],
)
def test_no_library_is_available(name: str) -> None:
    assert getattr(impl.backends, name).is_available() is False


@pytest.mark.parametrize("name", ["mps", "mtia", "xpu"])
def test_no_other_accelerator_is_available(name: str) -> None:
    module = getattr(impl, name)
    assert (module.is_available(), module.device_count()) == (False, 0)


def test_flags_are_kept() -> None:
    cudnn: Any = impl.backends.cudnn
    cudnn.benchmark = True
    assert cudnn.benchmark is True
    with pytest.raises(RuntimeError, match="set_benchmark_cudnn expects a bool, but got int"):
        cudnn.benchmark = 0
    assert cudnn.benchmark is True
    cudnn.benchmark = False


@pytest.mark.parametrize("level", ["default", "avx2", "avx512"])
def test_the_environment_sets_the_level_of_instructions(
    level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATEN_CPU_CAPABILITY", level)
    assert impl.backends.cpu.get_cpu_capability() == level.upper()
    monkeypatch.delenv("ATEN_CPU_CAPABILITY")
    assert impl.backends.cpu.get_cpu_capability() in ("DEFAULT", "AVX2", "AVX512")


def test_modules_of_devices() -> None:
    assert impl.get_device_module("cpu") is impl.cpu
    assert impl.get_device_module(impl.device("cuda:1")) is impl.cuda
    with pytest.raises(RuntimeError, match="Device 'meta' does not have a corresponding module"):
        impl.get_device_module("meta")


def test_nothing_is_distributed() -> None:
    assert impl.distributed.is_available() is impl.distributed.is_initialized() is False


def test_types() -> None:
    assert isinstance(1.5, impl.types.Number)
    assert isinstance(impl.device("cpu"), impl.types.Device)
    assert not isinstance(1j, impl.types._Number)
