"""Names as torch writes them: of classes and C++ types, and what dotted names stand for."""

import sys
from types import ModuleType
from typing import Any

from .._runtime.c_types import PACKAGE
from .table import Kind, dtype, spec_of

_plain_name = vars(type)["__name__"].__get__


class TorchNamed(type):
    """The metaclass of classes that CPython's own messages call by a name with a dot.

    They are made with ``called="torch.storage.UntypedStorage"``; what is made
    of them without it is called as Python calls any class.
    """

    def __new__(
        metaclass,
        name: str,
        bases: tuple[type, ...],
        namespace: dict[str, Any],
        called: str = "",
    ) -> "TorchNamed":
        """Make the class."""
        if not called:
            return super().__new__(metaclass, name, bases, namespace)
        module = PACKAGE + called.removeprefix("torch").rpartition(".")[0]
        own = {**namespace, "__module__": module, "__qualname__": name}
        return super().__new__(metaclass, called, bases, own)

    @property
    def __name__(cls) -> str:  # type: ignore[override]  # CPython's messages use the other one
        name: str = _plain_name(cls)
        return name.rpartition(".")[2]


# What it makes are classes like any other, and CPython's messages say so.
type.__setattr__(TorchNamed, "__name__", "type")


def tp_name(cls: type) -> str:
    """Return the name by which CPython's C code calls a class.

    >>> import impl as torch
    >>> tp_name(torch.UntypedStorage), tp_name(int)
    ('torch.storage.UntypedStorage', 'int')
    """
    name: str = _plain_name(cls)
    is_made_in_c = not cls.__flags__ & _HEAP_TYPE and cls.__module__ != "builtins"
    return f"{cls.__module__}.{name}" if is_made_in_c else name


_HEAP_TYPE = 1 << 9
"""The flag of classes that are made while a program runs, whose name has no module before it."""


def torch_path(cls: type) -> str:
    """Return the module and the name of a class, with torch in the place of this package.

    >>> import impl as torch
    >>> torch_path(torch.UntypedStorage), torch_path(int)
    ('torch.storage.UntypedStorage', 'builtins.int')
    """
    module, name = cls.__module__, cls.__name__
    if module.partition(".")[0] == PACKAGE:
        module = f"torch{module.removeprefix(PACKAGE)}"
    return f"{module}.{name}"


def class_text(cls: type) -> str:
    """Return what torch would print for a class.

    >>> import impl as torch
    >>> class_text(torch.UntypedStorage), class_text(int)
    ("<class 'torch.storage.UntypedStorage'>", "<class 'int'>")
    """
    if cls.__module__.partition(".")[0] == PACKAGE:
        return f"<class '{torch_path(cls)}'>"
    return repr(cls)


def import_dotted(name: str) -> Any:
    """Return what a dotted name stands for (_import_dotted_name in torch/_utils.py).

    ``torch`` stands for this package, and any other first part is imported.
    """
    first, *rest = name.split(".")
    package = sys.modules[PACKAGE]
    found: Any = package if first == "torch" else __import__(first)
    for part in rest:
        if isinstance(found, ModuleType) and not hasattr(found, part):
            module = found.__name__.replace(PACKAGE, "torch", 1)
            raise AttributeError(f"module '{module}' has no attribute '{part}'")
        found = getattr(found, part)
    return found


_CPP_TYPES = {
    "uint8": "unsigned char", "int8": "signed char", "int16": "short int", "int32": "int",
    "int64": "long int", "uint16": "short unsigned int", "uint32": "unsigned int",
    "uint64": "long unsigned int", "float32": "float", "float64": "double", "bool": "bool",
}  # fmt: skip


def cpp_type(dtype: dtype) -> str:
    """Return what a C++ compiler calls the type of the elements (caffe2::TypeMeta::name).

    >>> import impl as torch
    >>> cpp_type(torch.int64), cpp_type(torch.complex32)
    ('long int', 'c10::complex<c10::Half>')
    """
    row = spec_of(dtype)
    if row.name in _CPP_TYPES:
        return _CPP_TYPES[row.name]
    if row.real is not None:
        return f"c10::complex<{cpp_type(dtype.to_real())}>"
    if row.kind is Kind.FLOAT:
        return f"c10::{row.cpp_name}"
    if row.bits < 8:
        return f"c10::dummy_{'int' if row.kind is Kind.SIGNED else 'uint'}1_7_t<{row.bits}>"
    return f"c10::{row.name}"
