"""The default device of a thread, and the default dtype of the process."""

import threading
import time
from typing import Any

import pytest

import impl as torch
from impl._runtime.device_modes import DEVICE_MODE_THREADS
from impl._runtime.grad_modes import NON_DEFAULT_THREADS


def test_threads_never_see_each_others_default_device() -> None:
    start = time.monotonic()
    wrong: list[Any] = []
    switches = [0] * 8

    def switch(number: int) -> None:
        default, inner = torch.device("cpu", number), torch.device("cuda", number)
        dtypes = torch.float32, torch.float64
        # At least a second, and until each thread had its turns, which takes long under load.
        while not wrong and (time.monotonic() < start + 1 or min(switches) <= 10):
            torch.set_default_device(default)
            torch.set_default_dtype(dtypes[switches[number] % 2])
            results = [torch.get_default_device()]
            with inner:
                results.append(torch.get_default_device())
                try:
                    torch.ones(1)
                except AssertionError as error:
                    results.append(str(error))
            results += [torch.get_default_device(), torch.ones(1).dtype in dtypes]
            torch.set_default_device(None)
            results.append(torch.get_default_device())
            expected = [
                *(default, inner, "Torch not compiled with CUDA enabled"),
                *(default, True, torch.device("cpu")),
            ]
            if results != expected:
                wrong.append(results)
            switches[number] += 1

    threads = [threading.Thread(target=switch, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    torch.set_default_dtype(torch.float32)
    assert not wrong
    assert min(switches) > 10


def test_a_default_dtype_is_the_processs() -> None:
    thread = threading.Thread(target=torch.set_default_dtype, args=(torch.float64,))
    thread.start()
    thread.join()
    assert torch.ones(1).dtype is torch.float64


def test_a_thread_that_ends_takes_its_default_device_along() -> None:
    thread = threading.Thread(target=torch.set_default_device, args=("cuda",))
    thread.start()
    thread.join()
    assert torch.ones(1).device == torch.get_default_device() == torch.device("cpu")
    assert not DEVICE_MODE_THREADS  # no thread has a default device


def test_a_thread_that_ends_takes_its_modes_along() -> None:
    thread = threading.Thread(target=torch.set_grad_enabled, args=(False,))
    thread.start()
    thread.join()
    assert torch.is_grad_enabled()
    assert not NON_DEFAULT_THREADS


def test_devices_that_are_alike_are_one() -> None:
    alike = {
        id(torch.device(*args))
        for args in (("cuda:1",), ("cuda", 1), (torch.device("cuda:257"),), (b"cuda", 257))
    }
    assert len(alike) == 1


@pytest.mark.parametrize("factory", ["zeros", "ones", "empty"])
@pytest.mark.parametrize("name", [
    "bool", "uint8", "int64", "bfloat16", "float16", "complex64", "float8_e4m3fn", "uint16",
])  # fmt: skip
def test_the_short_way_to_fill_gives_what_the_long_one_does(factory: str, name: str) -> None:
    make, wanted = getattr(torch, factory), getattr(torch, name)
    short = make(2, 3, dtype=wanted, device="cpu")
    long = make(2, 3, dtype=wanted, requires_grad=False)
    assert (short.dtype, short.shape, short.stride()) == (long.dtype, long.shape, long.stride())
    if factory != "empty":
        assert (short.view(torch.uint8) == long.view(torch.uint8)).all()
