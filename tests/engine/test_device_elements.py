"""Elements of tensors on devices whose storages the host cannot read."""

from types import SimpleNamespace

import pytest

import impl
from conformance.adapter import Adapter
from conformance.core.errors import CouldNotRun
from conformance.libraries.device_elements import elements_of_copy, why_unreadable
from conformance.libraries.library import Library
from conformance.libraries.loading import _with_elements, load
from conformance.observation.lacking_facts import lacking_facts


class FarTensor:
    """A tensor on a device, with a storage that raises."""

    device = SimpleNamespace(type="far")

    def __init__(self, tensor):
        self.tensor = tensor

    def untyped_storage(self):
        raise RuntimeError("an invalid storage\nof a far device")

    def detach(self):
        return self

    def cpu(self):
        return self.tensor


def test_a_storage_that_raises_is_unreadable_and_elements_are_copied():
    far = FarTensor(impl.tensor([1, 2], dtype=impl.int16))
    assert why_unreadable(far) == "RuntimeError: an invalid storage"
    root = SimpleNamespace(empty=lambda size: far)
    adapter = _with_elements(root, Adapter(root))
    assert adapter.elements(far) == bytes([1, 0, 2, 0])


def test_a_readable_storage_is_read():
    assert why_unreadable(impl.ones(1)) == ""
    adapter = Adapter(impl)
    assert _with_elements(impl, adapter) is adapter


def test_meta_has_no_elements_to_copy():
    adapter = Adapter(impl)
    root = SimpleNamespace(empty=lambda size: impl.empty(size, device="meta"))
    assert why_unreadable(impl.empty(1, device="meta")) != ""
    assert _with_elements(root, adapter) is adapter


def test_an_adapter_reads_elements_its_own_way():
    far = FarTensor(impl.ones(1))
    root = SimpleNamespace(empty=lambda size: far)
    adapter = Adapter(root, elements=bytes)
    assert _with_elements(root, adapter) is adapter


@pytest.mark.parametrize(
    ("tensor", "raw"),
    [
        (impl.tensor([[1, 2], [3, 4]], dtype=impl.uint8).t(), [1, 3, 2, 4]),
        (impl.empty(0), []),
        (impl.tensor([1j]).conj(), [0, 0, 0, 0, 0, 0, 128, 191]),
    ],
)
def test_elements_are_in_order_and_resolved(tensor, raw):
    assert elements_of_copy(tensor) == bytes(raw)


class Far:
    """A tensor of which the storage cannot be read."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __getattr__(self, name):
        return getattr(self.tensor, name)

    def untyped_storage(self):
        raise RuntimeError("an invalid storage")


@pytest.mark.parametrize("elements", [elements_of_copy, lambda tensor: b""])
def test_the_facts_of_memory_are_lacking_where_copies_are_read(elements):
    root = SimpleNamespace(ones=lambda *sizes: Far(impl.ones(sizes)))
    library = Library("far", root, (), Adapter(root, tensor=Far, elements=elements))
    lacking = lacking_facts(library)
    found = {name: lacking.get(name) for name in ("storage", "address", "aliasing")}
    why = "RuntimeError: an invalid storage" if elements is elements_of_copy else None
    assert found == dict.fromkeys(found, why)


@pytest.mark.parametrize("is_initialized", [True, False])
def test_a_lazy_device_is_initialized(is_initialized, tmp_path, monkeypatch):
    package = tmp_path / f"lazily{is_initialized}"
    (package / "_lazy").mkdir(parents=True)
    (package / "__init__.py").write_text(LAZY)
    backend = "from .. import devices\ndef init():\n    devices.append('lazy')\n"
    name = "ts_backend" if is_initialized else "other"
    (package / "_lazy" / f"{name}.py").write_text(backend)
    monkeypatch.syspath_prepend(tmp_path)
    if is_initialized:
        assert load(f"{package.name}@lazy").default_device == "lazy"
    else:
        with pytest.raises(CouldNotRun, match="there is no lazy"):
            load(f"{package.name}@lazy")


LAZY = """from impl import *
devices = []
def set_default_device(device):
    if device not in devices:
        raise RuntimeError(f"there is no {device}")
"""
