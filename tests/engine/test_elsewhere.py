"""Where a subject is on another device than the oracle, only what devices differ in is left out."""

from types import SimpleNamespace

import pytest

from conformance.elsewhere import _LEFT_OUT, _without, is_not_here

SEEN = {
    "raises": None,
    "dtype": "float32",
    "device": "meta",
    "elements": ["00"],
    "repr": "tensor(...)",
    "memory": {"bytes": 4, "address": "none"},
    "state": {"x": {"stride": [1], "device": "cpu", "elements": [], "memory": {"bytes": 4, "address": True}}},
    "address": 1,
}  # fmt: skip


def test_all_but_elements_and_devices_is_looked_at_on_meta():
    assert _without(SEEN, _LEFT_OUT["meta"]) == {
        "raises": None,
        "dtype": "float32",
        "memory": {"bytes": 4},
        "state": {"x": {"stride": [1], "memory": {"bytes": 4}}},
        "address": 1,
    }


def test_elements_and_memory_are_looked_at_on_cuda():
    seen = _without(SEEN, _LEFT_OUT["cuda"])
    assert set(SEEN) - set(seen) == {"device", "repr"}
    assert seen["memory"] == SEEN["memory"]
    assert seen["elements"] == ["00"]


@pytest.mark.parametrize(("elsewhere", "error", "expected", "says_so"), [
    ("meta", None, None, False),
    ("meta", RuntimeError("Tensor.item() cannot be called on meta tensors"), None, True),
    ("meta", RuntimeError("Tensor.item() cannot be called on meta tensors"), ValueError(), False),
    ("meta", NotImplementedError("Cannot copy out of meta tensor; no data!"), None, True),
    ("meta", RuntimeError("Tensor.item() cannot be called on meta tensors"), RuntimeError("value cannot be converted to type float without overflow"), True),
    ("cuda", NotImplementedError("Cannot copy out of meta tensor; no data!"), None, False),
    ("cuda", TypeError("can't convert cuda:0 device type tensor to numpy."), None, True),
    ("cuda", TypeError("can't convert cuda:0 device type tensor to numpy."), RuntimeError(), True),
    (None, TypeError("can't convert cuda:0 device type tensor to numpy."), None, False),
    ("meta", NotImplementedError("not yet"), None, False),
])  # fmt: skip
def test_what_says_that_a_device_cannot_do_it(elsewhere, error, expected, says_so):
    assert is_not_here(SimpleNamespace(elsewhere=elsewhere), error, expected) == says_so


def test_a_type_is_named_without_its_device():
    named = ["torch.meta.FloatTensor", "torch.quantized.cuda.QInt8Tensor", "torch.cuda.device"]
    assert _without(named, ()) == [
        "torch.FloatTensor",
        "torch.quantized.QInt8Tensor",
        "torch.cuda.device",
    ]
