"""Where a subject is on another device than the oracle, only what devices differ in is left out."""

from types import SimpleNamespace

import pytest

import impl
from conformance.core.case import Case
from conformance.libraries.library import Library
from conformance.observation.cross_device import (
    _LEFT_OUT,
    _without,
    is_device_limitation,
    look_from,
)
from conformance.observation.facets import read
from conformance.observation.runner import StepResult, run_case

SEEN = {
    "raises": None,
    "dtype": "float32",
    "device": "meta",
    "elements": ["00"],
    "repr": "tensor(...)",
    "storage": {"bytes": 4, "address": "none"},
    "state": {"x": {"stride": [1], "device": "cpu", "elements": [], "storage": {"bytes": 4, "address": True}}},
    "address": 1,
}  # fmt: skip


def test_all_but_elements_and_devices_is_looked_at_on_meta():
    assert _without(SEEN, _LEFT_OUT["meta"]) == {
        "raises": None,
        "dtype": "float32",
        "storage": {"bytes": 4},
        "state": {"x": {"stride": [1], "storage": {"bytes": 4}}},
        "address": 1,
    }


def test_elements_and_memory_are_looked_at_on_cuda():
    seen = _without(SEEN, _LEFT_OUT["cuda"])
    assert set(SEEN) - set(seen) == {"device", "repr"}
    assert seen["storage"] == SEEN["storage"]
    assert seen["elements"] == ["00"]


ITEM = RuntimeError("Tensor.item() cannot be called on meta tensors")
NO_DATA = NotImplementedError("Cannot copy out of meta tensor; no data!")
NO_ARRAY = TypeError("can't convert cuda:0 device type tensor to numpy.")
TOO_LARGE = RuntimeError("value cannot be converted to type float without overflow")
MASKED = RuntimeError("tensors used as indices must be long, int, byte or bool tensors")


def seen(error=None, value=None):
    """Return what would be seen of a step that raised an error or gave a value."""
    if error is None:
        return StepResult({"raises": None, "value": value}, None)
    return StepResult({"raises": type(error).__name__, "message": str(error)}, error)


@pytest.mark.parametrize(("elsewhere", "expected", "observed", "there", "says_so"), [
    ("meta", seen(), seen(), seen(), False),
    ("meta", seen(), seen(ITEM), seen(ITEM), True),
    ("meta", seen(), seen(ITEM), seen(), False),  # torch on meta can do it
    ("meta", seen(ValueError()), seen(ITEM), seen(ValueError()), False),  # torch looks at something else first
    ("meta", seen(ValueError()), seen(ITEM), seen(ITEM), True),
    ("meta", seen(), seen(ITEM), seen(MASKED), True),  # torch has other words
    ("meta", seen(), seen(NO_DATA), seen(NO_DATA), True),
    ("meta", seen(), seen(NO_DATA), None, False),  # torch on meta does not come so far
    ("meta", seen(TOO_LARGE), seen(), seen(), True),  # the number is too large, and on meta there is none
    ("meta", seen(TOO_LARGE), seen(), seen(TOO_LARGE), False),  # it was not one of an element
    ("meta", seen(ValueError()), seen(), seen(), False),  # torch's meta says less than the CPU, and so does this
    ("meta", seen(), seen(NotImplementedError("not yet")), seen(NotImplementedError("not yet")), False),
    ("meta", seen(value="1"), seen(value="tensor(..., device='meta')"), seen(value="tensor(..., device='meta')"), True),
    ("meta", seen(value="1"), seen(value="tensor(..., device='meta')"), seen(value="tensor(device='meta')"), False),
    ("meta", seen(value="(2, 1)"), seen(value="(1, 2)"), seen(value="(1, 2)"), False),
    ("cuda", seen(), seen(NO_DATA), seen(NO_DATA), False),
    ("cuda", seen(), seen(NO_ARRAY), None, True),
    ("cuda", seen(RuntimeError()), seen(NO_ARRAY), None, True),
    (None, seen(), seen(NO_ARRAY), None, False),
])  # fmt: skip
def test_what_a_device_cannot_do(elsewhere, expected, observed, there, says_so):
    subject, oracle = SimpleNamespace(device_type=elsewhere), Library("impl", impl, ())
    answer = there and there.observation
    assert (
        is_device_limitation(subject, expected, observed, lambda library: answer, oracle) == says_so
    )


def test_one_namespace_may_be_two_libraries():
    here, there = Library("impl", impl, ()), Library("impl@meta", impl, ())
    case = Case(("x = torch.ones(2)", "x.device.type"))
    for library, place in [
        (here, "cpu"),
        (there, "meta"),
        (here, "cpu"),
        (there, "meta"),
        (here, "cpu"),
    ]:
        assert run_case(library, case, read)[-1].observation["value"] == place


def test_what_a_failed_step_leaves_is_looked_at_without_elements():
    case = Case(("x = torch.zeros(2)", "x.fill_(1), x.view(3)"))
    here, there = Library("impl", impl, ()), Library("impl@meta", impl, ())
    assert run_case(here, case, read)[-1].observation["rollback"] == "changed"
    assert (
        run_case(here, case, look_from(there))[-1].observation["rollback"] == "changed"
    )  # the version
    case = Case(("x = torch.zeros(2)", "(x.data.fill_(1), x.view(3))"))
    assert run_case(here, case, read)[-1].observation["rollback"] == "changed"
    assert run_case(here, case, look_from(there))[-1].observation["rollback"] == "as it was"


def test_a_type_is_named_without_its_device():
    named = ["torch.meta.FloatTensor", "torch.quantized.cuda.QInt8Tensor", "torch.cuda.device"]
    assert _without(named, ()) == [
        "torch.FloatTensor",
        "torch.quantized.QInt8Tensor",
        "torch.cuda.device",
    ]
