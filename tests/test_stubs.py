"""The stubs of impl: up to date, complete, and correct for valid and invalid programs."""

import ast
import re
import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from mypy import api

import impl

ROOT = Path(__file__).parents[1]
IMPL = ROOT / "impl"
STUBS = ROOT / "tests" / "stubs"
WRITE = SimpleNamespace(**runpy.run_path(str(STUBS / "write.py")))
NAMESPACE = ast.parse((IMPL / "__init__.pyi").read_text(encoding="utf-8"))


def errors_of(path: Path, cache: Path) -> dict[int, set[str]]:
    """Return line number -> codes of mypy's errors."""
    options = ["--strict", "--config-file=", f"--cache-dir={cache}", "--no-pretty"]
    output, problems, _ = api.run([*options, str(path)])
    assert problems == ""
    codes: dict[int, set[str]] = {}
    for file, line, code in re.findall(r"^(.+?):(\d+): error: .*\[([\w-]+)\]$", output, re.M):
        assert Path(file).resolve() == path.resolve(), output
        codes.setdefault(int(line), set()).add(code)
    return codes


def public(names: set[str]) -> set[str]:
    return {name for name in names if not name.startswith("_")}


def in_class(name: str) -> set[str]:
    return WRITE.names_in(WRITE.body_of(NAMESPACE, name))


@pytest.mark.parametrize("name", WRITE.STUBS)
def test_current(name: str) -> None:
    current = (IMPL / name).read_text(encoding="utf-8")
    assert WRITE.STUBS[name]() == current, "run python tests/stubs/write.py"


def test_contents_are_current() -> None:
    current = (IMPL / "_runtime/export_table.py").read_text(encoding="utf-8")
    assert WRITE.contents() == current, "run python tests/stubs/write.py"


def test_namespace_is_complete() -> None:
    assert public(WRITE.names_in(NAMESPACE.body)) == set(WRITE.public(impl))


CLASSES = ("Generator", "Tensor", "TypedStorage", "UntypedStorage", "device", "dtype", "finfo",
           "iinfo", "layout", "memory_format")  # fmt: skip


@pytest.mark.parametrize("name", CLASSES)
def test_classes_are_complete(name: str) -> None:
    from_new = {"dtype"} if name == "TypedStorage" else set()  # set by its constructor
    assert public(in_class(name)) == {*WRITE.public(getattr(impl, name)), *from_new}


def test_size_is_complete() -> None:
    assert public(in_class("Size")) == set(WRITE.public(impl.Size)) - set(dir(tuple))


def test_special_methods_of_tensors() -> None:
    names = {
        name for name, value in vars(impl.Tensor).items() if name[:2] == "__" and callable(value)
    }
    # del x[0] fails, so the stub has no __delitem__.
    assert names - set(dir(object)) - {"__delitem__"} <= in_class("Tensor")


def modules() -> dict[str, Any]:
    return {
        "random": {*impl.random.__all__, "default_generator"},
        "autograd/__init__": set(impl.autograd.__all__),
        "return_types": set(impl.return_types.__all__),
        "utils/dlpack": {*impl.utils.dlpack.__all__, "to_dlpack"},
    }


@pytest.mark.parametrize("name", modules())
def test_modules_are_complete(name: str) -> None:
    stub = ast.parse((IMPL / f"{name}.pyi").read_text(encoding="utf-8"))
    assert public(WRITE.names_in(stub.body)) == modules()[name]


def test_marked_as_typed() -> None:
    assert (IMPL / "py.typed").exists()


def test_sample_is_accepted(tmp_path: Path) -> None:
    assert errors_of(STUBS / "sample.py", tmp_path) == {}


def test_wrong_lines_are_refused(tmp_path: Path) -> None:
    path = STUBS / "wrong.py"
    lines = enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    expected = {number: line.rpartition("  # ")[2] for number, line in lines if "  # " in line}
    errors = errors_of(path, tmp_path)
    assert errors.keys() == expected.keys()
    assert {number for number, code in expected.items() if code not in errors[number]} == set()
