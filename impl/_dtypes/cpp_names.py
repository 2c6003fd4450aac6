"""Names of classes and C++ types as torch prints them, and imports by dotted name."""

import sys
from types import ModuleType
from typing import Any

from .._runtime.c_types import PACKAGE, named_type
from .table import Kind, dtype, spec_of

_plain_name, _delete_name = vars(type)["__name__"].__get__, vars(type)["__name__"].__delete__


@named_type
class TorchNamed(type):
    """The metaclass of classes with a dotted name in CPython's own messages.

    The class argument ``called="torch.storage.UntypedStorage"`` gives that name.
    Without it the class has Python's usual name.
    """

    def __new__(
        metaclass,
        name: str,
        bases: tuple[type, ...],
        namespace: dict[str, Any],
        called: str = "",
    ) -> "TorchNamed":
        if not called:
            # As without a metaclass, type() takes the module of its caller.
            namespace.setdefault("__module__", sys._getframe(1).f_globals.get("__name__"))
            return super().__new__(metaclass, name, bases, namespace)
        module = PACKAGE + called.removeprefix("torch").rpartition(".")[0]
        attributes = {**namespace, "__module__": module, "__qualname__": name}
        return super().__new__(metaclass, called, bases, attributes)

    @property
    def __name__(cls) -> str:  # type: ignore[override]  # CPython's messages use the other one
        name: str = _plain_name(cls)
        return name.rpartition(".")[2]


def tp_name(cls: type) -> str:
    """Return the ``tp_name`` of a class, which CPython's C code prints.

    >>> import impl as torch
    >>> tp_name(torch.UntypedStorage), tp_name(int)
    ('torch.storage.UntypedStorage', 'int')
    """
    try:
        _delete_name(cls)
    except TypeError as error:  # always, as no class can lose its name
        return str(error).rpartition(" type '")[2][:-1]
    raise AssertionError


def torch_path(cls: type) -> str:
    """Return the module and the name of a class, with torch for this package.

    >>> import impl as torch
    >>> torch_path(torch.UntypedStorage), torch_path(int)
    ('torch.storage.UntypedStorage', 'builtins.int')
    """
    package, dot, rest = cls.__module__.partition(".")
    return f"{'torch' if package == PACKAGE else package}{dot}{rest}.{cls.__name__}"


def class_text(cls: type) -> str:
    """Return torch's repr of a class.

    >>> import impl as torch
    >>> class_text(torch.UntypedStorage), class_text(int)
    ("<class 'torch.storage.UntypedStorage'>", "<class 'int'>")
    """
    if cls.__module__.partition(".")[0] == PACKAGE:
        return f"<class '{torch_path(cls)}'>"
    return repr(cls)


def import_dotted(name: str) -> Any:
    """Return the object with a dotted name (_import_dotted_name in torch/_utils.py).

    ``torch`` stands for this package; any other first part is imported.
    """
    first, *rest = name.split(".")
    value: Any = sys.modules[PACKAGE] if first == "torch" else __import__(first)
    for part in rest:
        if isinstance(value, ModuleType) and not hasattr(value, part):
            module = value.__name__.replace(PACKAGE, "torch", 1)
            raise AttributeError(f"module '{module}' has no attribute '{part}'")
        value = getattr(value, part)
    return value


_CPP_TYPES = {
    "uint8": "unsigned char", "int8": "signed char", "int16": "short int", "int32": "int",
    "int64": "long int", "uint16": "short unsigned int", "uint32": "unsigned int",
    "uint64": "long unsigned int", "float32": "float", "float64": "double", "bool": "bool",
}  # fmt: skip


def cpp_type(dtype: dtype) -> str:
    """Return the C++ type name of the elements (caffe2::TypeMeta::name).

    >>> import impl as torch
    >>> cpp_type(torch.int64), cpp_type(torch.complex32)
    ('long int', 'c10::complex<c10::Half>')
    """
    spec = spec_of(dtype)
    if spec.name in _CPP_TYPES:
        return _CPP_TYPES[spec.name]
    if spec.real is not None:
        return f"c10::complex<{cpp_type(dtype.to_real())}>"
    if spec.kind is Kind.FLOAT:
        return f"c10::{spec.cpp_name}"
    if spec.bits < 8:
        return f"c10::dummy_{'int' if spec.kind is Kind.SIGNED else 'uint'}1_7_t<{spec.bits}>"
    return f"c10::{spec.name}"
