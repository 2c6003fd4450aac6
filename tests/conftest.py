"""The fixtures of the unit tests."""

import copy
import operator
import pickle
from collections.abc import Callable, Iterator

import numpy
import pytest
from hypothesis import settings

import impl

# The duration of one example depends on the machine.
settings.register_profile("tests", deadline=None)
settings.load_profile("tests")

SCOPE = {"torch": impl, "copy": copy, "numpy": numpy, "operator": operator, "pickle": pickle}

REFUSALS = (
    AttributeError,
    NotImplementedError,
    OverflowError,
    RuntimeError,
    TypeError,
)


@pytest.fixture(autouse=True)
def _default_dtype_is_restored() -> Iterator[None]:
    """Restore the default dtype after every test."""
    before = impl.get_default_dtype()
    yield
    impl.set_default_dtype(before)


@pytest.fixture
def failure_of() -> Callable[[str], str]:
    """Return a function that evaluates a failing expression and returns its class and message."""

    def run(expression: str) -> str:
        with pytest.raises(REFUSALS) as caught:
            eval(expression, dict(SCOPE))
        return f"{caught.type.__name__}: {caught.value}"

    return run


@pytest.fixture
def value_of() -> Callable[[str], object]:
    """Return a function that evaluates an expression about ``torch``."""

    def run(expression: str) -> object:
        return eval(expression, dict(SCOPE))

    return run
