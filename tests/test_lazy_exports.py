"""Lazily resolved names: public names of the namespace, and members of classes."""

import copy
import inspect
import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import impl
from impl._runtime import lazy_exports
from impl._runtime.lazy_exports import LazyMember

ROOT = Path(__file__).parents[1]
COMPILED = Path(tempfile.gettempdir()) / "impl-compiled"


def output(program: str) -> str:
    """Return the output of a program in a new interpreter."""
    # The bytecode is cached, as for users.
    variables = {
        name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }
    environment = {**variables, "PYTHONPYCACHEPREFIX": str(COMPILED)}
    command = [sys.executable, "-c", program]
    return subprocess.run(
        command, cwd=ROOT, check=True, capture_output=True, text=True, env=environment
    ).stdout


def test_every_public_name_is_found() -> None:
    assert set(impl.__all__) < set(dir(impl))
    for name in dir(impl):
        assert getattr(impl, name) is getattr(impl, name)
    assert vars(impl).keys() >= {*dir(impl)}
    # A module __getattr__ doubles the time of each lookup in the namespace.
    assert "__getattr__" not in vars(impl)


def test_the_dtypes_are_there_at_once_and_nothing_else_is_loaded_by_asking_for_them() -> None:
    program = (
        "import impl, sys; impl.float32; hasattr(impl, 'nonsense');"
        "print('add' in dir(impl), 'add' in vars(impl), 'impl.tensors' in sys.modules)"
    )
    assert output(program) == "True False False\n"


def test_an_asterisk_imports_what_is_listed() -> None:
    missing = output("from impl import *; import impl; print(set(impl.__all__) - set(globals()))")
    assert missing == "set()\n"


@pytest.mark.parametrize("name", ["add", "promote_types", "tensor", "can_cast", "split"])
def test_functions_are_of_the_namespace(name: str) -> None:
    function = getattr(impl, name)
    assert function.__module__ == "impl"
    assert function.__name__ == function.__qualname__ == name
    assert copy.copy(function) is pickle.loads(pickle.dumps(function)) is function


def test_a_name_that_is_not_there_is_refused() -> None:
    with pytest.raises(AttributeError, match=r"^module 'impl' has no attribute 'nonsense'$"):
        impl.nonsense  # noqa: B018  # type: ignore[attr-defined]


@pytest.mark.parametrize("owner", [impl.Tensor, impl.UntypedStorage, impl.TypedStorage])
def test_every_member_of_a_class_is_found(owner: type) -> None:
    for name in dir(owner):
        getattr(owner, name, None)
    members = {name: value for cls in owner.__mro__ for name, value in vars(cls).items()}
    assert not [name for name, value in members.items() if isinstance(value, LazyMember)]
    inspect.getmembers(owner)


FIRST_USES = {
    "a method": ("x.add(1).tolist()", "[2.0, 2.0]"),
    "a method of the class": ("torch.Tensor.add(x, 1).tolist()", "[2.0, 2.0]"),
    "an operator": ("(1 - x).tolist()", "[0.0, 0.0]"),
    "a comparison": ("(x == x).tolist()", "[True, True]"),
    "an attribute": ("x.real.tolist()", "[1.0, 1.0]"),
    "an attribute that is set": ("(setattr(x, 'real', 3), x.tolist())[1]", "[3.0, 3.0]"),
    "an attribute of one's own": ("(setattr(x, 'add', 5), x.add)[1]", "5"),
    "its deletion": (
        "(setattr(x, 'add', 5), delattr(x, 'add'), x.add(1).tolist())[2]",
        "[2.0, 2.0]",
    ),
    "a conversion": ("bool(x[0])", "True"),
    "text": ("x", "tensor([1., 1.])"),
    "len": ("len([*x])", "2"),
    "a new tensor": ("torch.Tensor([2]).tolist()", "[2.0]"),
    "a subclass": ("type('Sub', (torch.Tensor,), {})([2]).tolist()", "[2.0]"),
    "super": (
        "type('Sub', (torch.Tensor,), {'add': lambda self, y: super(type(self), self).add(y)})([2])"
        ".add(1).tolist()",
        "[3.0]",
    ),
    "the storage of the default dtype": ("torch.Storage.__name__", "FloatStorage"),
    "a storage": ("x.untyped_storage().float().tolist()[:2]", "[0.0, 0.0]"),
    "a class by its path": (
        "(lambda pickled: __import__('pickle').loads(pickled).__name__)"
        "(b'cimpl.storage\\nTypedStorage\\n.')",
        "TypedStorage",
    ),
    "attributes": ("'add' in dir(x) and hasattr(torch.Tensor, '__array__')", "True"),
    "a pickle": ("__import__('copy').deepcopy(x).tolist()", "[1.0, 1.0]"),
}


@pytest.mark.parametrize(("expression", "printed"), FIRST_USES.values(), ids=FIRST_USES)
def test_the_first_use(expression: str, printed: str) -> None:
    assert output(f"import impl as torch; x = torch.ones(2); print({expression})") == f"{printed}\n"


def test_what_was_put_in_place_of_a_late_one_stays() -> None:
    program = (
        "import impl as torch; torch.Tensor.add = 5; torch.mul = 6; torch.ones(2).sub(1);"
        "print(torch.Tensor.add, torch.mul)"
    )
    assert output(program) == "5 6\n"


@pytest.mark.parametrize(
    "use",
    ["torch.add(x, 1)", "x.add(1)", "x + 1", "torch.FloatTensor([2])", "x.sum()", "x[0] == 1"],
)
def test_threads_may_use_the_same_first(use: str) -> None:
    program = f"""
import sys, threading
import impl as torch
sys.setswitchinterval(1e-6)
x, results = torch.ones(1), []
begin = threading.Barrier(8)
def run():
    begin.wait()
    results.append(({use}).tolist())
threads = [threading.Thread(target=run) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(results), len(set(map(str, results))))
"""
    assert output(program) == "8 1\n"


def test_a_member_is_loaded_once_and_for_all_its_module_makes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loaded: list[str] = []

    class Owner:
        pass

    def load(home: str) -> None:
        loaded.append(home)
        members.update(one=lambda self: 1, two=property(lambda self: 2))

    monkeypatch.setattr(lazy_exports, "MEMBERS", {"Owner": {"home": "one two"}})
    monkeypatch.setattr(lazy_exports, "MEMBERS_BY_CLASS", {})
    monkeypatch.setattr(lazy_exports, "load", load)
    members = lazy_exports.lazy_members(Owner)
    assert loaded == []
    assert (Owner().one(), Owner().two, Owner().one()) == (1, 2, 1)  # type: ignore[attr-defined]
    assert loaded == ["home"]
    assert not [member for member in vars(Owner).values() if isinstance(member, LazyMember)]


def test_the_module_of_a_member_is_loaded_when_the_member_is_first_looked_up() -> None:
    program = (
        "import sys; from impl._tensor.tensor import METHODS;"
        "print('coalesce' in METHODS, callable(METHODS['coalesce']), 'coalesce' in METHODS)"
    )
    assert output(program) == "False True True\n"


def test_a_norm_of_a_sparse_tensor_is_the_first_call_of_a_process() -> None:
    program = (
        "import impl as torch;"
        "print(torch.sparse_coo_tensor([[0]], [-2.0], (3,), check_invariants=True).norm())"
    )
    assert output(program) == "tensor(2.)\n"
