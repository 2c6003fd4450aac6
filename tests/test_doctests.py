"""Every example in a docstring is run, and none is left out."""

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

MODULES = [
    name
    for package in (impl, conformance)
    for name in (
        package.__name__,
        *(each.name for each in walk_packages(package.__path__, f"{package.__name__}.")),
    )
]


class Examples(NamedTuple):
    """How many examples a module's text holds, how many were run, and what the false ones gave."""

    written: int
    run: int
    told: str


def doctests_of(module: ModuleType, source: str) -> Iterator[doctest.DocTest]:
    """Find the examples in what a module defines, to be run where it is defined.

    doctest.testmod asks a class for its module, and torch's classes name the
    package: it would leave their examples out, or run them among the public
    names, of which some hide Python's float and int.
    """
    finder, scope = doctest.DocTestFinder(exclude_empty=True), vars(module)
    written_above = doctest.DocTestParser().get_doctest(
        module.__doc__ or "", dict(scope), module.__name__, None, None
    )
    yield written_above
    for node in ast.parse(source).body:
        # A class may have inherited examples that are not its own.
        own = ">>> " in (ast.get_source_segment(source, node) or "")
        if own and isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield from finder.find(scope[node.name], node.name, module=False, globs=dict(scope))


def run_examples(module: ModuleType, source: str) -> Examples:
    """Run all examples of a module."""
    told: list[str] = []
    runner = doctest.DocTestRunner(verbose=False)
    for each in doctests_of(module, source):
        runner.run(each, out=told.append)
    return Examples(source.count(">>> "), runner.tries, "".join(told))


@pytest.mark.parametrize("name", MODULES)
def test_examples_are_true(name: str) -> None:
    module = import_module(name)
    examples = run_examples(module, Path(str(module.__file__)).read_text(encoding="utf-8"))
    assert examples.told == ""
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
    assert examples.told.count("Failed example") == 1
