"""Simulated CUDA devices: the current device, memory, copies and device errors."""

import copy
import os
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import impl as torch
from impl.testing import simulated_cuda


@pytest.fixture(autouse=True)
def devices():
    with simulated_cuda(2, memory=2**20):
        yield


def test_without_devices_there_are_torchs_words():
    program = (
        "import impl as torch\n"
        "assert not torch.cuda.is_available() and torch.cuda.device_count() == 0\n"
        "for ask in (lambda: torch.ones(1, device='cuda'), torch.cuda.synchronize,\n"
        "            lambda: torch.ones(1).cuda()):\n"
        "    try: ask()\n"
        "    except AssertionError as error: print(error)\n"
    )
    environment = {**os.environ, "IMPL_SIMULATED_CUDA": "0"}
    command = [sys.executable, "-c", program]
    process = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert process.stdout == "Torch not compiled with CUDA enabled\n" * 3


NOT_A_COUNT = "has to be a number of devices"


@pytest.mark.parametrize(
    ("count", "output"),
    [("2", "2"), ("127", "127"), ("x", NOT_A_COUNT), ("128", NOT_A_COUNT), ("-1", NOT_A_COUNT)],
)
def test_the_environment_simulates_devices_for_a_whole_process(count, output):
    program = "import impl as torch; print(torch.cuda.device_count())"
    environment = {**os.environ, "IMPL_SIMULATED_CUDA": count}
    command = [sys.executable, "-c", program]
    process = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert output in process.stdout + process.stderr


def test_a_simulation_ends_with_its_context():
    with simulated_cuda(3):
        assert torch.cuda.device_count() == 3
    assert torch.cuda.device_count() == 2


def test_a_device_without_ordinal_is_the_current_one():
    assert torch.ones(1, device="cuda").device == torch.device("cuda:0")
    with torch.cuda.device(1):
        x = torch.ones(1, device="cuda")
        assert x.device == torch.device("cuda:1") != torch.device("cuda")
        assert x.to("cuda") is x
        assert torch.ones(1).cuda().device.index == 1
        with torch.cuda.device_of(torch.ones(1, device="cuda:0")):
            assert torch.cuda.current_device() == 0
    assert torch.cuda.current_device() == 0
    assert torch.device(1) == torch.device("cuda:1")
    assert torch.ones(1, device=1).get_device() == 1


def test_each_thread_has_a_current_device():
    torch.cuda.set_device(1)
    devices = []
    thread = threading.Thread(target=lambda: devices.append(torch.cuda.current_device()))
    thread.start()
    thread.join()
    torch.cuda.set_device(0)
    assert devices == [0]


@pytest.mark.parametrize("ask", [
    lambda: torch.ones(1, device="cuda:2"), lambda: torch.cuda.set_device(2),
    lambda: torch.ones(1).cuda(5), lambda: torch.empty_like(torch.ones(1), device="cuda:9"),
])  # fmt: skip
def test_a_device_that_is_not_there_is_refused(ask):
    with pytest.raises(torch.AcceleratorError, match="invalid device ordinal"):
        ask()


def test_memory_is_counted_in_blocks_until_it_is_given_back():
    assert torch.cuda.memory_allocated() == 0
    x = torch.ones(1, device="cuda")
    y = x[0]
    assert torch.cuda.memory_allocated() == torch.cuda.memory_allocated("cuda:0") == 512
    assert torch.cuda.memory_allocated(1) == 0
    z = torch.ones(200, device="cuda")
    assert torch.cuda.memory_allocated() == 512 + 1024
    del x, z
    assert torch.cuda.memory_allocated() == 512
    assert torch.cuda.max_memory_allocated() == 512 + 1024
    torch.cuda.reset_peak_memory_stats()
    assert torch.cuda.max_memory_allocated() == 512
    assert torch.cuda.mem_get_info() == (2**20 - 512, 2**20)
    del y
    assert torch.accelerator.memory_allocated() == 0
    assert torch.zeros(5, device="cuda").data_ptr() % 512 == 0


def test_more_than_there_is_is_refused_and_takes_nothing():
    with pytest.raises(
        torch.OutOfMemoryError,
        match=r"Tried to allocate 1\.00 GiB\. GPU 0 has a total capacity of 1\.00 MiB",
    ):
        torch.empty(2**30, dtype=torch.uint8, device="cuda")
    x = torch.ones(2, device="cuda")
    with pytest.raises(torch.OutOfMemoryError):
        x.resize_(2**30)
    assert torch.cuda.memory_allocated() == 512
    assert x.cpu().tolist() == [1.0, 1.0]


def test_nothing_moves_by_itself_but_numbers_on_the_cpu():
    vector, number = torch.ones(3, device="cuda"), torch.ones(())
    assert (vector + number).device == (number + vector).device == vector.device
    assert (number + vector[0]).device == vector.device
    for left, right in (
        (vector, torch.ones(3)),
        (torch.ones(1), vector),
        (vector[0], torch.ones(3)),
        (vector, vector.cuda(1)[0]),
    ):
        with pytest.raises(RuntimeError, match="found at least two devices"):
            left + right
    with pytest.raises(RuntimeError, match="found at least two devices, cuda:0 and cpu!"):
        number.add_(vector[0])
    assert number.item() == 1.0


def test_what_moves_keeps_its_strides_and_elements():
    x = torch.arange(24.0).view(2, 3, 4).permute(2, 0, 1)
    moved = x.to("cuda:1")
    assert moved.stride() == x.clone().stride() == moved.cpu().stride()
    assert moved.cpu().tolist() == x.tolist()
    assert moved.to("cuda:0", torch.int8).cpu().tolist() == x.to(torch.int8).tolist()
    target = torch.zeros(4, 2, 3)
    assert target.copy_(moved, non_blocking=True).tolist() == x.tolist()
    odd = torch.frombuffer(bytearray(b"\x5f"), dtype=torch.bool)
    assert odd.cuda().untyped_storage().tolist() == [0x5F]


def test_pinned_memory_is_the_cpus():
    x = torch.ones(2, 3).t()
    pinned = x.pin_memory()
    assert pinned.is_pinned()
    assert not x.is_pinned()
    assert pinned.pin_memory() is pinned
    assert pinned.device.type == "cpu"
    assert pinned.stride() == x.stride()
    assert torch.cuda.memory_allocated() == 0
    for tensor in (
        torch.empty(3, pin_memory=True),
        torch.zeros(2, 2, pin_memory=True),
        torch.tensor([1], pin_memory=True),
        torch.rand(2, pin_memory=True),
    ):
        assert tensor.is_pinned()
        assert not tensor.cuda().is_pinned()
    with pytest.raises(RuntimeError, match="Only dense CPU tensors can be pinned"):
        torch.empty(3, device="cuda", pin_memory=True)
    with pytest.raises(RuntimeError, match=r"cannot pin 'torch\.cuda\.FloatTensor'"):
        torch.ones(1, device="cuda").pin_memory()


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x)), torch.from_dlpack]
)
def test_copies_stay_on_their_device(again):
    x = torch.arange(6, device="cuda:0").view(2, 3)
    result = again(x)
    assert result.device == x.device
    assert result.tolist() == x.tolist()


def test_other_libraries_are_told_where_memory_is():
    x = torch.ones(2, 3, device="cuda").t()
    assert x.__cuda_array_interface__ == {
        "typestr": "<f4",
        "shape": (3, 2),
        "strides": (4, 12),
        "data": (x.data_ptr(), False),
        "version": 2,
    }
    assert x.__dlpack_device__() == (2, 0)
    assert torch.from_dlpack(np.ones(2), device="cuda:1").device.index == 1
    with pytest.raises(TypeError, match="can't convert cuda:0 device type tensor to numpy"):
        x.numpy()
    with pytest.raises(BufferError, match="different CUDA device index"):
        torch.ones(1, device="cuda:1").__dlpack__()
    assert not hasattr(torch.ones(1), "__cuda_array_interface__")


def test_legacy_classes_make_what_they_are_named_for():
    x = torch.cuda.FloatTensor([1, 2])
    assert isinstance(x, torch.cuda.FloatTensor)
    assert not isinstance(x, torch.FloatTensor)
    assert x.type() == "torch.cuda.FloatTensor"
    assert x.type("torch.IntTensor").device.type == "cpu"
    assert torch.ones(1).type(torch.cuda.HalfTensor).device.index == 0
    assert x.new(2, 3).device == x.new([1.0]).device == x.device
    assert (
        torch.ones(3).untyped_storage().cuda(1).cpu().tolist()
        == torch.ones(3).untyped_storage().tolist()
    )


def test_a_default_device_is_where_factories_make():
    with torch.device("cuda:1"):
        assert (
            torch.ones(2).device
            == torch.tensor([1]).device
            == torch.rand(1).device
            == torch.device("cuda:1")
        )
    torch.set_default_device("cuda")
    assert torch.get_default_device() == torch.device("cuda:0")
    torch.set_default_device(None)
    assert torch.ones(1).device.type == "cpu"


def test_a_storage_of_another_device_is_refused():
    with pytest.raises(RuntimeError, match="the devices must match"):
        torch.ones(1).set_(torch.ones(1, device="cuda").untyped_storage())


def test_a_generator_of_the_cpu_draws_nothing_elsewhere():
    for draw in (
        lambda g: torch.rand(2, device="cuda", generator=g),
        lambda g: torch.ones(2, device="cuda").normal_(generator=g),
        lambda g: torch.ones(2, device="cuda").bernoulli_(
            torch.ones(2, device="cuda"), generator=g
        ),
        lambda g: torch.randperm(3, device="cuda", generator=g),
        lambda g: torch.randperm(
            3, generator=g, out=torch.ones(3, dtype=torch.int64, device="cuda")
        ),
    ):
        with pytest.raises(
            RuntimeError, match="Expected a 'cuda' device type for generator but found 'cpu'"
        ):
            draw(torch.Generator())
    with pytest.raises(NotImplementedError, match="no generators on CUDA"):
        torch.Generator("cuda")


X = "x = torch.tensor([1.0, -2.0, 3.0], device='cuda:1')"


@pytest.mark.parametrize(("step", "message"), [
    ("torch.ones(2)[torch.tensor([0], device='cuda')]",
     "indices should be either on cpu or on the same device"),
    ("torch.ones(2)[torch.tensor([True, False], device='cuda')]",
     "indices should be either on cpu or on the same device"),
    ("x[torch.tensor([0], device='cuda:0')]",
     "indices should be either on cpu or on the same device"),
    ("x.__setitem__([0, 1], torch.tensor([4.0, 5.0]))", "found at least two devices"),
    ("x.__setitem__(x > 0, torch.tensor([4.0, 5.0]))", "found at least two devices"),
    ("x.index_put_((torch.tensor([0, 1]),), torch.tensor([4.0, 5.0]))",
     "found at least two devices"),
    ("torch.where(x > 0, x, x, out=torch.empty(3))", "found at least two devices"),
    ("torch.cummax(x, 0, out=(torch.empty(3), torch.empty(3, dtype=torch.long)))",
     "expected device cuda:1 but found cpu"),
    ("torch.conj_physical(x.cfloat(), out=torch.empty(3, dtype=torch.cfloat))",
     r"self is on cuda:1, different .* cpu .* method wrapper_CUDA_out_conj_physical_out\)"),
    ("torch.nonzero(x, out=torch.empty(0, dtype=torch.long))",
     r"self is on cuda:1, different .* cpu .* method wrapper_CUDA_out_nonzero_out\)"),
    ("torch.max(x, out=torch.empty(0))", r"Expected self.device\(\) == out.device\(\) to be true"),
    ("torch.sum(torch.ones(3), 0, out=x)", "CUDAGuardImpl initialized with non-CUDA DeviceType"),
    ("torch.add(x.int(), torch.ones(3), out=x.int())", "result type Float can't be cast to .* Int"),
    ("torch.add(torch.ones(()), 2, out=x)", "Trying to pass too many CPU scalars"),
    ("torch.addcmul(x, torch.ones(()), torch.ones(()))", "Trying to pass too many CPU scalars"),
    ("torch.addcmul(x, torch.ones(()), x)", "tensor1 argument .* swap your tensor1 and tensor2"),
    ("torch.addcdiv(x, x, torch.ones(()))", "found at least two devices"),
    ("torch.logical_and(torch.ones(()), x)", "found at least two devices"),
    ("torch.nextafter(x, torch.ones(()))", r"other is on cpu, .* method wrapper_CUDA_nextafter\)"),
    ("x.clamp_(torch.ones(()), x)", r"min is on cpu, .* method wrapper_CUDA_clamp__Tensor\)"),
    ("torch.isin(x, torch.ones(()))", r"test_elements is .* wrapper_CUDA_isin_Tensor_Tensor\)"),
    ("torch.normal(2.0, x, out=torch.ones(3))",
     r"std is on cuda:1, .* method wrapper_CUDA_float_Tensor_out_normal_out\)"),
    ("torch.sort(x, out=(x.clone(), torch.ones(3, dtype=torch.int64)))",
     r"indices is on cpu, .* method wrapper_CUDA_sort_out_values_stable\)"),
    ("torch.argsort(x, stable=True, out=torch.ones(3, dtype=torch.int64))",
     r"indices is on cpu, .* method wrapper_CUDA_sort_out_values_stable\)"),
    ("torch.index_fill(x, 0, torch.tensor([1]), 2)", "found at least two devices"),
    ("torch.complex(x, torch.ones(()))", r"imag is on cpu, .* wrapper_CUDA_out_complex_out\)"),
    ("torch.masked_fill(torch.ones(3), x > 0, torch.ones(()))",
     "masked_fill_: Expected inputs to be on same device"),
    ("torch.randint_like(x, torch.tensor(2, device='cuda'))", "must be a scalar tensor and on CPU"),
    ("torch.tensor_split(x, torch.tensor([1], device='cuda:1'))",
     "to be on cpu, but it's on cuda:1"),
    ("x.equal(torch.ones(3))", "other is on cpu, different from other tensors on cuda:1"),
])  # fmt: skip
def test_what_torch_refuses_across_devices_is_refused(step, message):
    scope = {"torch": torch}
    exec(X, scope)
    with pytest.raises(RuntimeError, match=message):
        eval(step, scope)
    assert scope["x"].tolist() == [1.0, -2.0, 3.0]


def test_indices_to_write_are_moved():
    x = torch.zeros(3)
    x[torch.tensor([0, 2], device="cuda:1")] = 5
    x.index_put_((torch.tensor([1], device="cuda:0"),), torch.tensor(4.0))
    assert x.tolist() == [5.0, 4.0, 5.0]


@pytest.mark.parametrize(("step", "left"), [
    ("x[torch.tensor([True, False, True])] = 4", [4.0, -2.0, 4.0]),
    ("x[torch.tensor([True, False, True])] = torch.tensor(4.0)", [4.0, -2.0, 4.0]),
    ("x[x > 0] = torch.tensor(7.0)", [7.0, -2.0, 7.0]),
    ("x[[0, 2]] = torch.tensor(5.0)", [5.0, -2.0, 5.0]),
    ("x[torch.tensor(1)] = torch.ones(())", [1.0, 1.0, 3.0]),
    ("x[:2] = torch.tensor([8.0, 9.0])", [8.0, 9.0, 3.0]),
])  # fmt: skip
def test_what_may_come_from_the_cpu_does(step, left):
    scope = {"torch": torch}
    exec(f"{X}\n{step}", scope)
    assert scope["x"].tolist() == left


def test_numpy_takes_what_it_is_forced_to():
    x = torch.ones(2, device="cuda:1", requires_grad=True)
    assert x.numpy(force=True).tolist() == [1.0, 1.0]


def test_draws_on_a_device_leave_the_cpus_stream_alone():
    torch.manual_seed(0)
    expected = torch.rand(3)
    torch.manual_seed(0)
    first = torch.rand(3, device="cuda")
    assert torch.rand(3).tolist() == expected.tolist()
    torch.cuda.manual_seed_all(5)
    again = [torch.rand(3, device="cuda:0").tolist(), torch.rand(3, device="cuda:1").tolist()]
    assert again[0] == again[1] != first.tolist()
    torch.cuda.manual_seed(5)
    assert torch.rand(3, device="cuda").tolist() == again[0]
    torch.manual_seed(0)
    assert torch.rand(3, device="cuda").tolist() == first.tolist()


def test_what_is_resized_gives_its_memory_back_at_once():
    x = torch.ones(1000, device="cuda")
    x.resize_(2000)
    assert torch.cuda.memory_allocated() == 8192
    x.untyped_storage().resize_(0)
    assert torch.cuda.memory_allocated() == 0


def test_storages_say_where_they_are():
    storage = torch.ones(3, device="cuda:1").untyped_storage()
    assert storage.is_shared()
    assert storage[1:3].device == torch.device("cuda:1")
    assert torch.ones(1, device="cuda").is_shared()
    assert not torch.ones(1).is_shared()


def test_a_type_of_cuda_leaves_a_tensor_on_its_device():
    x = torch.ones(2, device="cuda:1")
    assert x.type("torch.cuda.FloatTensor") is x
    assert x.type(torch.cuda.DoubleTensor).device == x.device


def test_simulations_may_be_left_in_any_order():
    torch.cuda.set_device(1)
    one, three = simulated_cuda(1), simulated_cuda(3)
    one.__enter__()
    three.__enter__()
    torch.cuda.set_device(2)
    tensor = torch.ones(1, device="cuda:2")
    one.__exit__(None, None, None)
    assert torch.cuda.device_count() == 3
    three.__exit__(None, None, None)
    assert torch.cuda.current_device() == 1
    with pytest.raises(torch.AcceleratorError, match="invalid device ordinal"):
        tensor + 1


def test_pickles_of_devices_that_are_not_there_are_refused():
    with simulated_cuda(3):
        pickled = pickle.dumps(torch.ones(2, device="cuda:2"))
    with pytest.raises(
        RuntimeError, match=r"on CUDA device 2 but torch\.cuda\.device_count\(\) is 2"
    ):
        pickle.loads(pickled)
