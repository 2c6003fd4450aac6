"""NumPy's functions of an array, which take a tensor by its methods or convert it."""

import inspect
from collections.abc import Iterator
from typing import Any

import numpy

from ..spec.public_surface import in_scope

_ARRAYS = frozenset(
    """
    A a a1 ar ar1 arr array arys ary condition element m p v val x x1 y z
    """.split()  # noqa: SIM905
)
"""The names that NumPy gives a first parameter that is an array."""

FORMS = ("numpy.{}(x)", "numpy.{}(x, 0)", "numpy.{}(x, x)", "numpy.{}(x, axis=-1)")


def numpy_functions(torch: Any) -> list[str]:
    """Return the names of NumPy's public functions whose first parameter is an array.

    A function calls the method of its name, if there is one, so a method out of scope counts.
    """
    methods = {path for path in in_scope(torch) if path.startswith("torch.Tensor.")}
    return sorted(
        name
        for name in _functions()
        if not hasattr(torch.Tensor, name) or f"torch.Tensor.{name}" in methods
    )


def _functions() -> Iterator[str]:
    for name in dir(numpy):
        value = getattr(numpy, name)
        if name.startswith("_") or isinstance(value, type) or not callable(value):
            continue
        try:
            first = next(iter(inspect.signature(value).parameters), "")
        except ValueError:  # a function without a signature
            continue
        if first in _ARRAYS:
            yield name
