"""The names of types, as torch writes them."""

from typing import Any

from .._runtime.c_types import PACKAGE
from .tensor import Tensor


def typename(obj: Any, /) -> str:
    """Return the name of the type of an object, or of a class or function itself.

    A tensor has that of its legacy class. Names of this package begin with ``torch``, as there.

    >>> import impl
    >>> impl.typename(impl.ones(2)), impl.typename(2), impl.typename(impl.Size)
    ('torch.FloatTensor', 'int', 'torch.Size')
    """
    if isinstance(obj, Tensor):
        return obj.type()  # type: ignore[attr-defined, no-any-return]
    named = obj if hasattr(obj, "__qualname__") or hasattr(obj, "__name__") else obj.__class__
    module = getattr(named, "__module__", "") or ""
    name = named.__qualname__ if hasattr(named, "__qualname__") else named.__name__
    package, dot, rest = (name if module in {"", "builtins"} else f"{module}.{name}").partition(".")
    return f"{'torch' if package == PACKAGE else package}{dot}{rest}"
