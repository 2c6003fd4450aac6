"""Classes that behave as torch's C classes do.

``torch.dtype`` and its like are made in C.  CPython calls them by their full
name in every message it writes ("'torch.dtype' object is not callable"), and
lets nobody subclass, call or write to them.  A class whose metaclass is
`TorchType` is like that too, so that CPython writes torch's messages for it.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

PACKAGE = __name__.partition(".")[0]


class TorchType(type):
    """The metaclass of classes that stand for torch's C classes.

    The class can be neither called, nor subclassed, nor changed, and its
    instances are read-only: whoever makes one fills its slots with `fill`.
    """

    def __new__(
        metaclass, name: str, bases: tuple[type, ...], namespace: "dict[str, Any]"
    ) -> "TorchType":
        """Make the class that CPython's messages call ``torch.<name>``."""
        for base in bases:
            if isinstance(base, TorchType):
                raise TypeError(f"type 'torch.{base.__name__}' is not an acceptable base type")
        own = {
            "__new__": _not_safe,
            "__setattr__": _set_on_instance,
            "__delattr__": _delete_on_instance,
            "__getstate__": _no_state,
            **namespace,
            # repr() and pickle use these two; CPython's messages print the
            # name that is given to type().
            "__module__": PACKAGE,
            "__qualname__": name,
        }
        return super().__new__(metaclass, f"torch.{name}", bases, own)

    # What `dtype` keeps in slots of these names is not to be found on the class itself.
    __finfo__ = __iinfo__ = property()

    @property
    def __name__(cls) -> str:  # type: ignore[override]  # read-only, as the class is
        return cls.__qualname__

    def __call__(cls, *args: object, **kwargs: object) -> "Any":
        """Refuse to make an instance."""
        raise TypeError(f"cannot create 'torch.{cls.__name__}' instances")

    def __setattr__(cls, name: str, value: object) -> "NoReturn":
        raise TypeError(f"cannot set {name!r} attribute of immutable type 'torch.{cls.__name__}'")

    def __delattr__(cls, name: str) -> "NoReturn":
        TorchType.__setattr__(cls, name, None)


def called_type(metaclass: type[TorchType]) -> type[TorchType]:
    """Let CPython's messages call a metaclass ``type``, which is what a C class is an instance of."""
    type.__setattr__(metaclass, "__name__", "type")
    return metaclass


called_type(TorchType)


def fill(instance: object, **values: object) -> None:
    """Set the slots of a new instance of a `TorchType`."""
    for name, value in values.items():
        object.__setattr__(instance, name, value)


def _not_safe(cls: type, *args: object, **kwargs: object) -> "NoReturn":
    name = f"torch.{cls.__name__}"
    raise TypeError(f"object.__new__({name}) is not safe, use {name}.__new__()")


def _no_state(self: object) -> None:
    return None


def _set_on_instance(self: object, name: str, value: object) -> None:
    _refuse(self, name)
    object.__setattr__(_target(self, name), name, value)


def _delete_on_instance(self: object, name: str) -> None:
    _refuse(self, name)
    object.__delattr__(_target(self, name), name)


def _refuse(instance: object, name: str) -> None:
    """Refuse to write to what the class has; CPython itself refuses the rest."""
    cls = type(instance)
    if name == "__class__" or not hasattr(cls, name):
        return
    if callable(getattr(cls, name)) or not hasattr(getattr(cls, name), "__get__"):
        raise AttributeError(f"'torch.{cls.__name__}' object attribute '{name}' is read-only")
    raise AttributeError(f"attribute '{name}' of 'torch.{cls.__name__}' objects is not writable")


def _target(instance: object, name: str) -> object:
    """Return what CPython is to refuse to write to.

    It says more of an object that leaves writing to it (from 3.13 on), so an
    attribute that is not there is refused for a twin that does.
    """
    if name == "__class__":
        return instance
    return type(f"torch.{type(instance).__name__}", (), {"__slots__": ()})()
