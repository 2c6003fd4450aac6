"""Where a subject has no elements, they are not looked at, and nothing else is left out."""

import pytest

from conformance.on_meta import _without, has_no_data

SEEN = {
    "raises": None,
    "dtype": "float32",
    "device": "meta",
    "elements": ["00"],
    "repr": "tensor(...)",
    "memory": {"bytes": 4, "address": "none"},
    "state": {"x": {"stride": [1], "device": "cpu", "elements": [], "memory": {"bytes": 4, "address": True}}},
}  # fmt: skip


def test_all_but_elements_and_devices_is_looked_at():
    assert _without(SEEN) == {
        "raises": None,
        "dtype": "float32",
        "memory": {"bytes": 4},
        "state": {"x": {"stride": [1], "memory": {"bytes": 4}}},
    }


@pytest.mark.parametrize(("error", "says_so"), [
    (None, False), (RuntimeError("Tensor.item() cannot be called on meta tensors"), True),
    (NotImplementedError("Cannot copy out of meta tensor; no data!"), True),
    (NotImplementedError("not yet"), False), (RuntimeError("no data"), False),
])  # fmt: skip
def test_what_says_that_there_are_no_elements(error, says_so):
    assert has_no_data(error) == says_so
