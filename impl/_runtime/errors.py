"""Errors in torch's words.

A message is written once, beside the rule it belongs to.  This module holds
what many rules share: the check that builds its message only when it fails,
the name that torch prints for the type of an argument, and the sentence that
CPython prints when a method without parameters is given some.
"""

from types import MappingProxyType

TYPE_CHECKING = False  # the modules below take longer to load than all of `import impl`
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, NoReturn

_PROBE: "Callable[[Any], Any]" = MappingProxyType.copy


def check(
    condition: object, message: "Callable[[], str]", cls: type[Exception] = RuntimeError
) -> None:
    """Raise ``kind(message())`` unless ``condition`` holds.

    >>> check(True, lambda: "never built")
    >>> check(False, lambda: "two is not one", ValueError)
    Traceback (most recent call last):
    ValueError: two is not one
    """
    if not condition:
        raise cls(message())


class NotDense(NotImplementedError):
    """Raised where a dense tensor is wanted and a sparse one is given; see `impl.coordinates`."""


def type_name(value: object) -> str:
    """Return the name that C code prints for the type of ``value``.

    It is ``tp_name``: dotted for types made in C, plain for classes written
    in Python.  Python shows it only inside error messages, so one is provoked.

    >>> type_name(1), type_name(check), type_name([])
    ('int', 'function', 'list')
    """
    try:
        _PROBE(value)
    except TypeError as error:
        name = str(error).partition(" to a '")[2].removesuffix("' object")
        # CPython cuts names off here; only classes written in Python have such long ones.
        return name if len(name) < 100 else type(value).__name__
    return "mappingproxy"


def takes_no_arguments(
    name: str, args: "Sequence[object]", kwargs: "Mapping[str, object]"
) -> "NoReturn":
    """Raise what CPython raises for a C function without parameters.

    >>> takes_no_arguments("dtype.to_real", (1,), {})
    Traceback (most recent call last):
    TypeError: dtype.to_real() takes no arguments (1 given)
    """
    if kwargs:
        raise TypeError(f"{name}() takes no keyword arguments")
    raise TypeError(f"{name}() takes no arguments ({len(args)} given)")
