"""What the unit tests share."""

import copy
import operator
import pickle
from collections.abc import Callable, Iterator

import numpy
import pytest
from hypothesis import settings

import impl

# How long one example takes says more of the machine than of the code.
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
    """Every test leaves the default dtype as it found it."""
    before = impl.get_default_dtype()
    yield
    impl.set_default_dtype(before)


@pytest.fixture
def failure_of() -> Callable[[str], str]:
    """Runs an expression about ``torch`` that has to fail, and tells how: class and message."""

    def run(expression: str) -> str:
        with pytest.raises(REFUSALS) as caught:
            eval(expression, dict(SCOPE))
        return f"{caught.type.__name__}: {caught.value}"

    return run


@pytest.fixture
def value_of() -> Callable[[str], object]:
    """Runs an expression about ``torch`` and returns its value."""

    def run(expression: str) -> object:
        return eval(expression, dict(SCOPE))

    return run
