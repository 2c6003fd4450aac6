"""Names of modules: none is defined twice, which would change what was defined with the first."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = [
    path.relative_to(ROOT)
    for package in ("impl", "conformance", "mutation", "tests")
    for path in sorted((ROOT / package).rglob("*.py"))
]


def _names(statement: ast.stmt) -> list[str]:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [statement.name]
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def defined_twice(text: str) -> list[str]:
    names = [name for statement in ast.parse(text).body for name in _names(statement)]
    return sorted({name for name in names if names.count(name) > 1})


@pytest.mark.parametrize(
    "text",
    ["A = 1\nA = 2", "A: int = 1\nA = 2", "def f(): 1\nasync def f(): 2", "class B: 1\nclass B: 2"],
)
def test_a_second_definition_is_found(text):
    assert defined_twice(text)


@pytest.mark.parametrize("path", FILES, ids=str)
def test_no_name_is_defined_twice(path):
    assert defined_twice((ROOT / path).read_text(encoding="utf-8")) == []
