"""The errors of assert_close (torch/testing/_comparison.py)."""

from collections.abc import Callable
from typing import Any, NamedTuple

from .._runtime.c_types import PACKAGE
from .._runtime.lazy_import import LazyModule
from .._runtime.warnings import is_python_frame

torch: Any = LazyModule(PACKAGE)
"""This package: the functions are called as a program calls them."""

Message = str | Callable[[str], str] | None


class Mismatch(Exception):
    """Two values are not close.

    cls, message: those of the error
    keys: the indices and keys that lead to the values
    """

    def __init__(self, cls: type[Exception], message: str, keys: tuple[Any, ...] = ()) -> None:
        super().__init__(message)
        self.cls, self.message, self.keys = cls, message, keys

    def error(self, message: Message = None) -> Exception:
        """Return the error for the user, whose message may be given, or changed by a function."""
        if isinstance(message, str):
            return self.cls(message)
        text = self.message
        if self.keys:
            text += f"\n\nThe failure occurred for item {item_text(self.keys)}"
        return self.cls(message(text) if callable(message) else text)


def item_text(keys: tuple[Any, ...]) -> str:
    """Return keys as indices: ``[0]['a']``."""
    return "".join(f"[{key!r}]" for key in keys)


class Tolerance(NamedTuple):
    """The largest difference: ``atol + rtol * abs(expected)``."""

    rtol: Any
    atol: Any

    @property
    def is_zero(self) -> bool:
        """Return whether the values have to be equal."""
        return bool(self.rtol == 0 and self.atol == 0)


def _difference(kind: str, value: Any, index: Any, allowed: Any, tolerance: Tolerance) -> str:
    """Return the line of the absolute or the relative difference."""
    text = (
        f"{kind.title()} difference: {value}"
        if index is None
        else f"Greatest {kind} difference: {value} at index {index}"
    )
    return text if tolerance.is_zero else f"{text} (up to {allowed} allowed)"


def _text(
    name: str,
    tolerance: Tolerance,
    extra: str,
    absolute: tuple[Any, Any],
    relative: tuple[Any, Any],
) -> str:
    """Return the message; ``absolute`` and ``relative`` are a difference and its index."""
    return (
        f"{name} are not {'equal' if tolerance.is_zero else 'close'}!\n\n{extra}\n"
        f"{_difference('absolute', *absolute, tolerance.atol, tolerance)}\n"
        f"{_difference('relative', *relative, tolerance.rtol, tolerance)}"
    )


def of_scalars(actual: Any, expected: Any, tolerance: Tolerance, name: str = "Scalars") -> str:
    """Return the message for two numbers."""
    difference = abs(actual - expected)
    relative = float("inf") if expected == 0 else difference / abs(expected)
    extra = f"Expected {expected} but got {actual}."
    return _text(name, tolerance, extra, (difference, None), (relative, None))


@is_python_frame
def of_tensors(actual: Any, expected: Any, matches: Any, tolerance: Tolerance, name: str) -> str:
    """Return the message for two tensors; ``matches`` has True where they are close."""
    count = matches.numel()
    wrong = count - int(torch.sum(matches))
    extra = f"Mismatched elements: {wrong} / {count} ({wrong / count:.1%})"
    dtype = actual.dtype
    if dtype.is_floating_point and dtype.itemsize == 1:
        first = tuple(torch.nonzero(~matches, as_tuple=False)[0].tolist())
        return (
            f"{name} are not 'equal'!\n\n{extra}\nThe first mismatched element is at index {first}."
        )
    flat_actual, flat_expected, flat_matches = (
        actual.flatten(),
        expected.flatten(),
        matches.flatten(),
    )
    if not (dtype.is_floating_point or dtype.is_complex):
        flat_actual = flat_actual.to(torch.int64)
        flat_expected = flat_expected.to(torch.int64)
    absolute = torch.abs(flat_actual - flat_expected)
    absolute[flat_matches] = 0
    greatest = [_greatest(absolute, matches)]
    relative = absolute / torch.abs(flat_expected)
    relative[flat_matches] = 0
    greatest.append(_greatest(relative, matches))
    return _text(name, tolerance, extra, *greatest)


@is_python_frame
def _greatest(differences: Any, matches: Any) -> tuple[Any, tuple[int, ...]]:
    """Return the greatest difference and its index."""
    value, position = torch.max(differences, 0)
    flat, index = int(position), []
    for size in reversed(matches.shape):
        flat, rest = divmod(flat, size)
        index.append(rest)
    return value.item(), tuple(reversed(index))
