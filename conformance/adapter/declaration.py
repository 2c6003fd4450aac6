"""The declaration of an adapter."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from .facts import OPTIONAL


class Namespace:
    """A module with other names: those that are given, and all others from the module.

    >>> Namespace(__import__("math"), tau=6).tau, Namespace(__import__("math")).floor(1.5)
    (6, 1)
    """

    def __init__(self, module: Any, /, **names: Any) -> None:
        self._module = module
        vars(self).update(names)
        self.__name__ = getattr(module, "__name__", type(module).__name__)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)

    def __dir__(self) -> list[str]:
        return sorted({*dir(self._module), *vars(self)} - {"_module"})


@dataclass(frozen=True)
class Adapter:
    """What the suite has to know of a library. Only the module is required.

    module: the library, or its name; programs use it as ``torch``
    tensor: the class or the classes whose instances count as torch.Tensor, if the module does not
        have them as ``Tensor``; the first is ``torch.Tensor`` then
    names: what the library calls otherwise, by torch's name: ``{"float32": mylib.f32}``
    elements: a function that returns the elements of a tensor in order, as bytes or as an array
        whose elements have the size of the dtype's
    context: a function that returns a context manager, called once; it is entered for each step
        of a program
    imports: modules that are imported first
    setup: a function that is called when the library was loaded
    frames: modules whose frames belong to the library, so that a warning that shows a line of them
        shows the call
    not_asked: the facts (see `FACTS`) that the library does not have by design
    declines: the classes of errors by which the library declines, by design, what torch does; such
        a step is not asked, and ends its program
    device: the default device of programs, as after ``@`` in the spec of a subject
    """

    module: Any
    tensor: type | tuple[type, ...] | None = None
    names: Mapping[str, Any] = field(default_factory=dict)
    elements: Callable[[Any], Any] | None = None
    context: Callable[[], AbstractContextManager[Any]] | None = None
    imports: Sequence[str] = ()
    setup: Callable[[], Any] | None = None
    frames: Sequence[str] = ()
    not_asked: Sequence[str] = ()
    declines: tuple[type[BaseException], ...] = ()
    device: str = ""

    def __post_init__(self) -> None:
        unknown = sorted({*self.not_asked} - OPTIONAL)
        if unknown:
            raise ValueError(
                f"{', '.join(unknown)}: no fact that a library may lack; there are"
                f" {', '.join(sorted(OPTIONAL))}"
            )

    def tensor_classes(self) -> tuple[type, ...]:
        """Return the declared classes of tensors."""
        if self.tensor is None:
            return ()
        return self.tensor if isinstance(self.tensor, tuple) else (self.tensor,)

    def is_declined(self, error: BaseException | None) -> bool:
        """Return whether the library declines what torch does, by design."""
        return isinstance(error, self.declines)
