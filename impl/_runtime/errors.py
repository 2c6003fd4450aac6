"""Helpers for torch's error messages: lazy checks, type names, and CPython's own TypeErrors.

Each message is written once, beside its rule.
"""

from types import MappingProxyType

TYPE_CHECKING = False  # these modules take longer to load than all of `import impl`
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import NoReturn


def check(
    condition: object, message: "Callable[[], str]", cls: type[Exception] = RuntimeError
) -> None:
    """Raise ``cls(message())`` unless ``condition`` is true.

    >>> check(True, lambda: "never built")
    >>> check(False, lambda: "two is not one", ValueError)
    Traceback (most recent call last):
    ValueError: two is not one
    """
    if not condition:
        raise cls(message())


class NotDense(NotImplementedError):
    """Raised if a sparse tensor is used as a dense one; see `impl._tensor.sparse_coo`."""


def type_name(value: object) -> str:
    """Return the name that C code prints for the type of ``value``.

    This is ``tp_name``: dotted for C types, plain for Python classes.  Python shows
    it in error messages only, so the function provokes one.

    >>> type_name(1), type_name(check), type_name([])
    ('int', 'function', 'list')
    """
    try:
        MappingProxyType.copy(value)  # type: ignore[arg-type]
    except TypeError as error:
        name = str(error).partition(" to a '")[2].removesuffix("' object")
        # CPython cuts names off here; only Python classes have names of this length.
        return name if len(name) < 100 else type(value).__name__
    return "mappingproxy"


def takes_no_arguments(
    name: str, args: "Sequence[object]", kwargs: "Mapping[str, object]"
) -> "NoReturn":
    """Raise CPython's TypeError for arguments of a C function without parameters.

    >>> takes_no_arguments("dtype.to_real", (1,), {})
    Traceback (most recent call last):
    TypeError: dtype.to_real() takes no arguments (1 given)
    """
    if kwargs:
        raise TypeError(f"{name}() takes no keyword arguments")
    raise TypeError(f"{name}() takes no arguments ({len(args)} given)")
