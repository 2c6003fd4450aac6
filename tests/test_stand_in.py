"""``import torch`` that gives impl: as_torch in a process."""

import importlib.metadata
import importlib.util
import pickle
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from threading import Thread
from types import ModuleType

import pytest

import impl


@pytest.fixture(autouse=True)
def unchanged() -> Iterator[None]:
    """Check that a test leaves the import system as it was."""
    finders, modules = [*sys.meta_path], {name for name in sys.modules if is_torch(name)}
    yield
    assert sys.meta_path == finders
    assert {name for name in sys.modules if is_torch(name)} == modules


def is_torch(name: str) -> bool:
    return name.partition(".")[0] == "torch"


def run(text: str) -> dict[str, object]:
    """Run a program in this process and return its names."""
    names: dict[str, object] = {}
    exec(text, names)
    return names


SUBMODULES = ("autograd", "autograd.grad_mode", "cuda", "random", "sparse", "storage", "testing",
              "utils", "utils.dlpack", "version")  # fmt: skip


def own(name: str) -> ModuleType:
    return sys.modules[f"impl.{name}"]


@pytest.mark.parametrize("name", SUBMODULES)
def test_submodules_are_impl_s_own(name: str) -> None:
    with impl.as_torch():
        names = run(f"import torch.{name} as module; import torch")
        spec = own(name).__spec__
        assert names == names | {"module": own(name), "torch": impl}
        assert sys.modules[f"torch.{name}"] is own(name)
    assert spec is own(name).__spec__ is not None
    assert own(name).__name__ == spec.name == f"impl.{name}"


def test_its_name_is_torch_meanwhile() -> None:
    with impl.as_torch() as torch:
        assert torch.__name__ == "torch"
        with pytest.raises(AttributeError, match="no attribute 'absent'"):
            run("import torch; torch.absent")
        assert torch.add.__module__ == "impl"
    assert impl.__name__ == "impl"
    assert impl.__spec__ is not None
    assert impl.__spec__.name == "impl"


def test_names_of_submodules_are_impl_s_own() -> None:
    with impl.as_torch() as torch:
        names = run(
            "from torch.autograd.grad_mode import no_grad\n"
            "from torch import utils, float32\n"
            "import torch.utils.dlpack\n"
        )
    assert torch is impl
    assert names["no_grad"] is impl.no_grad
    assert names["utils"] is impl.utils
    assert names["float32"] is impl.float32


@pytest.mark.parametrize("name", ["torch.optim", "torch.utils.data", "torch.Tensor", "torch._C"])
def test_what_impl_lacks_is_not_found(name: str) -> None:
    message = rf"No module named '{name}' \(impl stands in for torch and has no {name}\)"
    with impl.as_torch(), pytest.raises(ModuleNotFoundError, match=message) as caught:
        import_module(name)
    assert caught.value.name == name


@pytest.mark.parametrize("name", ["_ops", "_tensor.tensor", "utils._private"])
def test_private_modules_are_no_second_copies(name: str) -> None:
    with impl.as_torch(), pytest.raises(ModuleNotFoundError, match="has no torch"):
        import_module(f"torch.{name}")


def test_a_name_that_impl_lacks_cannot_be_imported() -> None:
    with impl.as_torch(), pytest.raises(ImportError, match="cannot import name 'optim'"):
        run("from torch import optim")


def test_specs() -> None:
    with impl.as_torch():
        assert importlib.util.find_spec("torch") is impl.__spec__
        sparse = importlib.util.find_spec("torch.sparse")
        assert sparse is not None
        assert sparse.origin == impl.sparse.__file__
        assert importlib.util.find_spec("torch.optim") is None
        assert "torch.sparse" not in sys.modules


def test_the_version_of_the_distribution() -> None:
    before = [found.metadata["Name"] for found in importlib.metadata.distributions()]
    with impl.as_torch():
        assert importlib.metadata.version("torch") == impl.__version__
        assert importlib.metadata.distribution("Torch").metadata["Name"] == "torch"
        assert importlib.metadata.requires("torch") is None
        assert importlib.metadata.files("torch") is None
        assert importlib.metadata.version("pytest") == pytest.__version__
        with pytest.raises(importlib.metadata.PackageNotFoundError):
            importlib.metadata.version("torchvision")
        during = [found.metadata["Name"] for found in importlib.metadata.distributions()]
    assert during == ["torch", *before]


def test_a_call_lasts_until_its_block_ends() -> None:
    stand_in = impl.as_torch()
    assert sys.modules["torch"] is impl
    with stand_in:
        assert sys.modules["torch"] is impl
    assert "torch" not in sys.modules


def test_blocks_nest_and_are_entered_again() -> None:
    stand_in = impl.as_torch()
    for _ in range(2):
        with stand_in, stand_in, impl.as_torch():
            assert run("import torch")["torch"] is impl
        assert "torch" not in sys.modules


def test_an_exception_ends_the_block() -> None:
    with pytest.raises(ZeroDivisionError), impl.as_torch():
        run("import torch.utils.dlpack; 1 / 0")


def test_functions_import_when_they_are_called() -> None:
    with impl.as_torch():
        names = run("def f():\n    import torch\n    return torch")
        f: Callable[[], object] = names["f"]  # type: ignore[assignment]
        assert f() is impl
    sys.modules["torch"] = other = ModuleType("torch")
    try:
        assert f() is other
    finally:
        del sys.modules["torch"]


@pytest.mark.parametrize("name", ["torch", "torch._C"])
def test_another_torch_is_not_mixed_with_impl(name: str) -> None:
    sys.modules[name] = other = ModuleType(name)
    finders = [*sys.meta_path]
    try:
        for _ in range(2):
            with pytest.raises(RuntimeError, match=f"has imported '{name}' from elsewhere"):
                impl.as_torch()
            assert sys.modules[name] is other
            assert sys.meta_path == finders
    finally:
        del sys.modules[name]


@pytest.mark.parametrize("value", [None, impl])
def test_earlier_entries_come_back(value: ModuleType | None) -> None:
    sys.modules["torch"] = value  # type: ignore[assignment]
    try:
        with impl.as_torch():
            assert run("import torch")["torch"] is impl
        assert sys.modules["torch"] is value
    finally:
        del sys.modules["torch"]


def test_what_the_program_does_to_the_import_system() -> None:
    class Finder:
        def find_spec(self, *args: object) -> None:
            pass

    finder = Finder()
    with impl.as_torch():
        sys.meta_path.insert(0, finder)  # type: ignore[arg-type]  # duck-typed
        sys.modules["torch.made"] = ModuleType("torch.made")
        del sys.modules["torch"]
        assert run("import torch")["torch"] is impl
    assert sys.meta_path.pop(0) is finder


def test_threads() -> None:
    wrong: list[object] = []

    def work() -> None:
        for _ in range(50):
            with impl.as_torch():
                names = run("import torch, torch.utils.dlpack as a; from torch.sparse import sum")
                if [*map(names.get, ("torch", "a", "sum"))] != [
                    impl, impl.utils.dlpack, impl.sparse.sum,
                ]:  # fmt: skip
                    wrong.append(names)

    threads = [Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_package_that_imports_torch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "third_party"
    package.mkdir()
    (package / "__init__.py").write_text("from .layers import scale, Scale\n")
    (package / "layers.py").write_text(
        "import torch\n"
        "from torch import Tensor\n"
        "from torch.utils.dlpack import from_dlpack\n"
        "assert torch.__version__ >= (2, 0)\n"
        "class Scale:\n"
        "    def __init__(self, by: float): self.by = torch.tensor(by)\n"
        "    def __call__(self, x: Tensor) -> Tensor: return scale(x, self.by)\n"
        "@torch.no_grad()\n"
        "def scale(x: Tensor, by: Tensor) -> Tensor: return x * by\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    with impl.as_torch():
        third_party = import_module("third_party")
        result = third_party.Scale(2.0)(impl.arange(3))
    assert third_party.layers.torch is impl
    assert impl.equal(result, impl.tensor([0.0, 2.0, 4.0]))
    again = pickle.loads(pickle.dumps(third_party.Scale(3.0)))
    assert again.by == 3
    for name in ("third_party", "third_party.layers"):
        del sys.modules[name]
