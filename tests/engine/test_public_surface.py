"""The public names in scope and out of scope."""

from types import ModuleType, SimpleNamespace

import pytest

import impl
from conformance.spec import public_surface


def test_every_group_gives_a_reason():
    assert all(group.reason.strip() and group.names for group in public_surface.groups())
    assert not [group.name for group in public_surface.groups() if group.planned]


@pytest.mark.parametrize(("names", "twice"), [("abca", "a"), ("abcb", "b"), ("abc", ""), ("", "")])
def test_repeated(names: str, twice: str):
    assert public_surface.repeated(names) == twice


MODULES = {
    name: ModuleType(f"torch.{name}")
    for name in (
        "accelerator", "autograd", "backends", "cpu", "cuda", "fft", "linalg", "mps", "mtia", "nn",
        "overrides", "random", "return_types", "serialization", "sparse", "storage", "testing",
        "torch_version", "types", "utils", "version", "xpu",
    )
}  # fmt: skip
MODULES["autograd"].grad_mode = ModuleType("torch.autograd.grad_mode")
MODULES["utils"].hooks = ModuleType("torch.utils.hooks")
MODULES["nn"].modules = ModuleType("torch.nn.modules")
for owner in public_surface.MODULES:
    if owner.startswith("torch.nn.modules."):
        setattr(MODULES["nn"].modules, owner.rpartition(".")[2], ModuleType(owner))
    elif owner.startswith("torch.nn."):
        setattr(MODULES["nn"], owner.rpartition(".")[2], ModuleType(owner))
    if owner.startswith("torch.backends."):
        setattr(MODULES["backends"], owner.rpartition(".")[2], ModuleType(owner))
MODULES["utils"].deterministic = ModuleType("torch.utils.deterministic")
MODULES["utils"].dlpack = ModuleType("torch.utils.dlpack")
MODULES["storage"].__all__ = ["UntypedStorage", "_hidden", "nothing"]
MODULES["storage"].UntypedStorage = MODULES["storage"].unlisted = bytes
MODULES["testing"].imported = pytest.approx
MODULES["testing"].close = type("close", (), {"__module__": "torch.testing._comparison"})
LIBRARY = SimpleNamespace(
    add=1, svd=2, _hidden=3, module=pytest, **MODULES, Tensor=SimpleNamespace(add=1, svd=2),
    dtype=int, Size=tuple, device=str, UntypedStorage=bytes, Generator=SimpleNamespace(seed=1),
)  # fmt: skip


def test_in_scope_is_what_is_in_no_group():
    names = public_surface.in_scope(LIBRARY)
    assert [name for name in names if name.count(".") == 1] == [
        "torch.Generator", "torch.Size", "torch.Tensor", "torch.UntypedStorage",
        "torch.accelerator", "torch.add", "torch.autograd", "torch.backends", "torch.cpu",
        "torch.cuda", "torch.device", "torch.dtype", "torch.fft", "torch.linalg", "torch.mps",
        "torch.mtia", "torch.nn",
        "torch.overrides", "torch.random", "torch.return_types", "torch.serialization",
        "torch.sparse", "torch.storage", "torch.testing", "torch.torch_version", "torch.types",
        "torch.utils", "torch.version", "torch.xpu",
    ]  # fmt: skip
    assert [name for name in names if name.startswith("torch.Tensor.")] == ["torch.Tensor.add"]
    assert "torch.Generator.seed" in names
    modules = [name for name in names if name.startswith(("torch.storage.", "torch.testing."))]
    assert modules == ["torch.storage.UntypedStorage", "torch.testing.close"]


def test_held():
    assert public_surface.resolve_name(LIBRARY, "torch") is LIBRARY
    assert public_surface.resolve_name(LIBRARY, "torch.Tensor.svd") == 2
    with pytest.raises(AttributeError):
        public_surface.resolve_name(LIBRARY, "torch.Tensor.nothing")


@pytest.mark.parametrize(
    "name",
    [
        "torch.add",
        "torch.Tensor",
        "torch.Tensor.add",
        "torch.cuda.init",
        "torch.autograd.grad_mode.no_grad",
    ],
)
def test_questions(name: str):
    assert eval(public_surface.question(name), {"torch": impl}) is True


def test_counts():
    counts = public_surface.counts(10, ["torch.b", "torch.a"])
    out = sum(len(group["names"]) for group in counts["out_of_scope"])
    assert counts["present"] == 8
    assert counts["missing"] == ["torch.a", "torch.b"]
    assert counts["in_scope"] == 10 + len(counts["planned"])
    assert counts["public"] == counts["in_scope"] + out


def test_what_impl_adds_is_there_and_alone():
    assert public_surface.additions() == ("torch.as_torch", "torch.testing.simulated_cuda")
    assert impl.testing.__all__ == [
        "assert_allclose", "assert_close", "make_tensor", "simulated_cuda",
    ]  # fmt: skip
