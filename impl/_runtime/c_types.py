"""Metaclass of the classes that are C types in torch.

CPython prints the full name of a C type such as ``torch.dtype`` in its messages
("'torch.dtype' object is not callable").  A class with the metaclass
`TorchType` gets the same ones.
"""

import gc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

PACKAGE = __name__.partition(".")[0]


class TorchType(type):
    """The metaclass of classes that stand for torch's C classes.

    The class cannot be called, subclassed or changed.  Its instances are
    read-only; `set_slots` sets the slots of a new instance.
    """

    def __new__(
        metaclass, name: str, bases: tuple[type, ...], namespace: "dict[str, Any]"
    ) -> "TorchType":
        for base in bases:
            if isinstance(base, TorchType):
                raise TypeError(f"type 'torch.{base.__name__}' is not an acceptable base type")
        attributes = {
            "__new__": _not_safe,
            "__setattr__": _set_on_instance,
            "__delattr__": _delete_on_instance,
            "__getstate__": _no_state,
            **namespace,
            # repr() and pickle read these two; CPython's messages print the name given to type().
            "__module__": PACKAGE,
            "__qualname__": name,
        }
        return super().__new__(metaclass, f"torch.{name}", bases, attributes)

    # Hides the slots of `dtype` with these names from lookups on the class.
    __finfo__ = __iinfo__ = property()

    @property
    def __name__(cls) -> str:  # type: ignore[override]  # read-only, as the class is
        return cls.__qualname__

    def __call__(cls, *args: object, **kwargs: object) -> "Any":
        raise TypeError(f"cannot create 'torch.{cls.__name__}' instances")

    def __setattr__(cls, name: str, value: object) -> "NoReturn":
        raise TypeError(f"cannot set {name!r} attribute of immutable type 'torch.{cls.__name__}'")

    def __delattr__(cls, name: str) -> "NoReturn":
        TorchType.__setattr__(cls, name, None)


def named_type(metaclass: type) -> type:
    """Set the name of a metaclass to ``type``, the class of every C class."""
    type.__setattr__(metaclass, "__name__", "type")
    return metaclass


named_type(TorchType)


def set_slots(instance: object, **values: object) -> None:
    """Set the slots of a new instance of a `TorchType`."""
    for name, value in values.items():
        object.__setattr__(instance, name, value)


_MAPPING_GETITEM = type(vars(type)).__getitem__

_MAPPINGS: "dict[type, dict[str, Any]]" = {}
"""The classes without the slot of a sequence, and their attributes."""


def mapping_class(cls: type, getitem: object) -> None:
    """Set ``__getitem__`` of a class that has none yet, in the slot of a mapping alone.

    CPython and NumPy take an instance for a sequence if its class has the slot ``sq_item``
    (PySequence_Check).  A function ``__getitem__`` fills it beside ``mp_subscript``; that of a C
    class such as torch's Tensor does not.  The method of a C mapping fills ``mp_subscript`` alone
    (update_one_slot in CPython's Objects/typeobject.c), and both slots call the attribute of the
    present.  So the attribute is replaced without an update of the slots.
    """
    type.__setattr__(cls, "__getitem__", _MAPPING_GETITEM)
    (_MAPPINGS[cls],) = gc.get_referents(vars(cls))  # the dict behind the read-only proxy
    set_class_attribute(cls, "__getitem__", getitem)


def set_class_attribute(cls: type, name: str, value: object) -> None:
    """Set an attribute of a class; `mapping_class` keeps its slots."""
    if name != "__getitem__" or cls not in _MAPPINGS:
        setattr(cls, name, value)
        return
    _MAPPINGS[cls][name] = value
    cls.__doc__ = cls.__doc__  # any change invalidates CPython's caches of attributes


def _not_safe(cls: "Any", *args: object, **kwargs: object) -> "NoReturn":
    if not isinstance(cls, type):
        name = type.__dict__["__name__"].__get__(type(cls))
        raise TypeError(f"object.__new__(X): X is not a type object ({name})")
    name = f"torch.{cls.__name__}"
    raise TypeError(f"object.__new__({name}) is not safe, use {name}.__new__()")


def _no_state(self: object) -> None:
    return None


def _set_on_instance(self: object, name: str, value: object) -> None:
    _check_writable(self, name)
    object.__setattr__(_error_target(self, name), name, value)


def _delete_on_instance(self: object, name: str) -> None:
    _check_writable(self, name)
    object.__delattr__(_error_target(self, name), name)


def _check_writable(instance: object, name: str) -> None:
    """Raise AttributeError if the class has the attribute; CPython itself refuses the others."""
    cls = type(instance)
    if name == "__class__" or not hasattr(cls, name):
        return
    if callable(getattr(cls, name)) or not hasattr(getattr(cls, name), "__get__"):
        raise AttributeError(f"'torch.{cls.__name__}' object attribute '{name}' is read-only")
    raise AttributeError(f"attribute '{name}' of 'torch.{cls.__name__}' objects is not writable")


def _error_target(instance: object, name: str) -> object:
    """Return an object for which CPython raises the error of a C class.

    From 3.13 on its message differs for a class that overrides ``__setattr__``,
    so a missing attribute is set on an instance of a plain class of the same name.
    """
    if name == "__class__":
        return instance
    return type(f"torch.{type(instance).__name__}", (), {"__slots__": ()})()
