"""The examples in docstrings: all of them are run."""

import ast
import doctest
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType
from typing import NamedTuple

import pytest

import conformance
import impl

ADAPTERS = "conformance.adapters."
"""The modules that import the libraries that they adapt, which need not be installed."""

MODULES = [
    name
    for package in (impl, conformance)
    for name in (
        package.__name__,
        *(module.name for module in walk_packages(package.__path__, f"{package.__name__}.")),
    )
    if not name.startswith(ADAPTERS)
]


class Examples(NamedTuple):
    """The numbers of written and run examples of a module, and the output of the failures."""

    written: int
    run: int
    failures: str


def doctests_of(module: ModuleType, source: str) -> Iterator[doctest.DocTest]:
    """Yield the examples of a module, to be run in the namespace of the module.

    doctest.testmod reads the ``__module__`` of a class, which is the package for torch's classes.
    It would skip their examples, or run them with public names that hide Python's float and int.
    """
    finder, scope = doctest.DocTestFinder(exclude_empty=True), vars(module)
    written_above = doctest.DocTestParser().get_doctest(
        module.__doc__ or "", dict(scope), module.__name__, None, None
    )
    yield written_above
    for node in ast.parse(source).body:
        # A class may inherit examples.
        has_examples = ">>> " in (ast.get_source_segment(source, node) or "")
        if has_examples and isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield from finder.find(scope[node.name], node.name, module=False, globs=dict(scope))


def run_examples(module: ModuleType, source: str) -> Examples:
    """Run all examples of a module."""
    failures: list[str] = []
    runner = doctest.DocTestRunner(verbose=False)
    for examples in doctests_of(module, source):
        runner.run(examples, out=failures.append)
    return Examples(source.count(">>> "), runner.tries, "".join(failures))


@pytest.mark.parametrize("name", MODULES)
def test_examples_are_true(name: str) -> None:
    module = import_module(name)
    examples = run_examples(module, Path(str(module.__file__)).read_text(encoding="utf-8"))
    assert examples.failures == ""
    assert examples.run == examples.written


def test_there_are_examples() -> None:
    texts = [Path(str(import_module(name).__file__)).read_text("utf-8") for name in MODULES]
    assert any(">>> " in text for text in texts)


PLANTED = '''
"""
>>> f()
1
"""

def f():
    """
    >>> f()
    2
    """
    return 1

class C:
    def g(self):
        """
        >>> C().g()
        """

    x = 3
    "A text that nothing holds: >>> 1"
'''


def test_false_and_forgotten_examples_are_found() -> None:
    module = ModuleType("planted")
    exec(PLANTED, vars(module))
    examples = run_examples(module, PLANTED)
    assert (examples.written, examples.run) == (4, 3)
    assert examples.failures.count("Failed example") == 1


def test_adapters_have_no_examples() -> None:
    files = (Path(__file__).parents[1] / "conformance" / "adapters").glob("*.py")
    texts = [file.read_text(encoding="utf-8") for file in files]
    assert len(texts) > 1
    assert not [text for text in texts if ">>> " in text]
