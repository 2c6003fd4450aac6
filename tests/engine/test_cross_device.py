"""Subjects on another device than the oracle: only facets that depend on the device are skipped."""

from types import SimpleNamespace

import pytest

import impl
from conformance.core.case import Case
from conformance.libraries.library import Library
from conformance.observation.cross_device import (
    is_device_limitation,
    observer_for,
    without_left_out,
)
from conformance.observation.facets import observe
from conformance.observation.runner import StepResult, run_case

SEEN = {
    "raises": None,
    "dtype": "float32",
    "device": "meta",
    "elements": ["00"],
    "repr": "tensor(...)",
    "storage": {"bytes": 4, "address": "none"},
    "state": {
        "x": {
            "stride": [1], "device": "cpu", "elements": [],
            "storage": {"bytes": 4, "address": True},
        },
    },
    "address": 1,
}  # fmt: skip


def test_all_but_elements_and_devices_is_looked_at_on_meta():
    assert without_left_out(SEEN, Library("impl@meta", impl, ())) == {
        "raises": None,
        "dtype": "float32",
        "storage": {"bytes": 4},
        "state": {"x": {"stride": [1], "storage": {"bytes": 4}}},
        "address": 1,
    }


def test_elements_and_memory_are_looked_at_on_cuda():
    observation = without_left_out(SEEN, Library("impl@cuda", impl, ()))
    assert set(SEEN) - set(observation) == {"device", "repr"}
    assert observation["storage"] == SEEN["storage"]
    assert observation["elements"] == ["00"]


ITEM = RuntimeError("Tensor.item() cannot be called on meta tensors")
NO_DATA = NotImplementedError("Cannot copy out of meta tensor; no data!")
NO_ARRAY = TypeError("can't convert cuda:0 device type tensor to numpy.")
NO_CAPSULE = ValueError("Unknown device type npu for Dlpack")
TOO_LARGE = RuntimeError("value cannot be converted to type float without overflow")
MASKED = RuntimeError("tensors used as indices must be long, int, byte or bool tensors")


def outcome(error=None, value=None):
    """Return the result of a step with an error or a value."""
    if error is None:
        return StepResult({"raises": None, "value": value}, None)
    return StepResult({"raises": type(error).__name__, "message": str(error)}, error)


COLUMNS = ("device_type", "expected", "observed", "oracle_on_device", "is_limitation")


@pytest.mark.parametrize(COLUMNS, [
    ("meta", outcome(), outcome(), outcome(), False),
    ("meta", outcome(), outcome(ITEM), outcome(ITEM), True),
    ("meta", outcome(), outcome(ITEM), outcome(), False),  # torch supports it on meta
    # torch raises another error first
    ("meta", outcome(ValueError()), outcome(ITEM), outcome(ValueError()), False),
    ("meta", outcome(ValueError()), outcome(ITEM), outcome(ITEM), True),
    ("meta", outcome(), outcome(ITEM), outcome(MASKED), True),  # torch has another message
    ("meta", outcome(), outcome(NO_DATA), outcome(NO_DATA), True),
    ("meta", outcome(), outcome(NO_DATA), None, False),  # torch on meta fails earlier
    # the number is too large, and there are no numbers on meta
    ("meta", outcome(TOO_LARGE), outcome(), outcome(), True),
    # the number is not an element
    ("meta", outcome(TOO_LARGE), outcome(), outcome(TOO_LARGE), False),
    # neither torch on meta nor the subject raises the error of the CPU
    ("meta", outcome(ValueError()), outcome(), outcome(), False),
    ("meta", outcome(), outcome(NotImplementedError("not yet")),
     outcome(NotImplementedError("not yet")), False),
    ("meta", outcome(value="1"), outcome(value="tensor(..., device='meta')"),
     outcome(value="tensor(..., device='meta')"), True),
    ("meta", outcome(value="1"), outcome(value="tensor(..., device='meta')"),
     outcome(value="tensor(device='meta')"), False),
    ("meta", outcome(value="(2, 1)"), outcome(value="(1, 2)"), outcome(value="(1, 2)"), False),
    ("cuda", outcome(), outcome(NO_DATA), outcome(NO_DATA), False),
    ("cuda", outcome(), outcome(NO_ARRAY), None, True),
    ("cuda", outcome(RuntimeError()), outcome(NO_ARRAY), None, True),
    ("npu", outcome(), outcome(NO_ARRAY), None, False),  # the name of another device
    ("npu", outcome(), outcome(TypeError("can't convert npu:1 device type tensor to numpy")), None,
     True),
    ("npu", outcome(), outcome(NO_CAPSULE), None, True),
    ("npu", outcome(), outcome(NO_DATA), None, False),
    (None, outcome(), outcome(NO_ARRAY), None, False),
])  # fmt: skip
def test_what_a_device_cannot_do(device_type, expected, observed, oracle_on_device, is_limitation):
    subject, oracle = SimpleNamespace(device_type=device_type), Library("impl", impl, ())
    answer = oracle_on_device and oracle_on_device.observation
    assert (
        is_device_limitation(subject, expected, observed, lambda library: answer, oracle)
        == is_limitation
    )


def test_one_namespace_may_be_two_libraries():
    on_cpu, on_meta = Library("impl", impl, ()), Library("impl@meta", impl, ())
    case = Case(("x = torch.ones(2)", "x.device.type"))
    for library, device_type in [
        (on_cpu, "cpu"),
        (on_meta, "meta"),
        (on_cpu, "cpu"),
        (on_meta, "meta"),
        (on_cpu, "cpu"),
    ]:
        assert run_case(library, case, observe)[-1].observation["value"] == device_type


def test_what_a_failed_step_leaves_is_looked_at_without_elements():
    case = Case(("x = torch.zeros(2)", "x.fill_(1), x.view(3)"))
    on_cpu, on_meta = Library("impl", impl, ()), Library("impl@meta", impl, ())
    assert run_case(on_cpu, case, observe)[-1].observation["rollback"] == "changed"
    assert (
        run_case(on_cpu, case, observer_for(on_meta))[-1].observation["rollback"] == "changed"
    )  # the version counter
    case = Case(("x = torch.zeros(2)", "(x.data.fill_(1), x.view(3))"))
    assert run_case(on_cpu, case, observe)[-1].observation["rollback"] == "changed"
    assert run_case(on_cpu, case, observer_for(on_meta))[-1].observation["rollback"] == "as it was"


def test_a_type_is_named_without_its_device():
    named = ["torch.meta.FloatTensor", "torch.quantized.cuda.QInt8Tensor", "torch.cuda.device"]
    assert without_left_out(named, Library("impl@meta", impl, ())) == [
        "torch.FloatTensor",
        "torch.quantized.QInt8Tensor",
        "torch.cuda.device",
    ]


@pytest.mark.parametrize("text", [
    "tensor([1., 2.]{})", "tensor([1, 2]{}, dtype=torch.int8)", "(tensor(1{}), tensor(2{}))",
    "tensor([1]{},\n       dtype=torch.int8)", "tensor([]{}, size=(2, 0), requires_grad=True)",
    "tensor([[1.],\n        [2.]]{}, grad_fn=<AddBackward0>)", "[1, 2],\n  3",
])  # fmt: skip
def test_a_text_of_a_tensor_is_looked_at_without_its_device(text):
    library = Library("impl@cuda", impl, ())
    on_cpu = without_left_out(text.format("", ""), library)
    for printed in (", device='cuda:0'", ",\n       device='cuda'"):
        assert without_left_out(text.format(printed, printed), library) == on_cpu
    assert (
        without_left_out(text.format(", device='meta'", ""), library) != on_cpu or "{}" not in text
    )
    assert len(on_cpu.splitlines()) == len(text.split(",\n       d")[0].splitlines())


def test_a_text_of_a_tensor_on_cuda_is_that_of_the_cpu():
    case = Case(("x = torch.full((3,), 300, dtype=torch.int16)", "repr(x)"))
    with impl.testing.simulated_cuda(1):
        on_cuda = Library("impl@cuda", impl, ())
        observe_alike = observer_for(on_cuda)
        texts = [
            run_case(library, case, observe_alike)[-1].observation["value"]
            for library in (Library("impl", impl, ()), on_cuda)
        ]
    assert texts == ["tensor([300, 300, 300], dtype=torch.int16)"] * 2
