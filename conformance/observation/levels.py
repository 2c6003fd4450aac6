"""The levels of facts: 1 what a program computes, 2 how it is laid out, 3 the words for it.

1: values, dtypes, shapes, devices, and what is refused
2: strides, aliasing, storages, memory formats, autograd's metadata, the classes of errors and of
   tensors
3: messages, warnings, reprs and documentation

The level of a difference is that of its facet, unless it is in names or in parts alone.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from ..core.differences import differences
from .facets import FACETS

LEVELS = (1, 2, 3)
VALUES, LAYOUT, WORDS = LEVELS

_OF_FACET = {facet.name: facet.level for facet in FACETS}
_OF_PART: Mapping[str, int] = {
    **dict.fromkeys(("dtype", "shape", "device", "elements"), VALUES),
    **dict.fromkeys(("message", "warnings", "repr"), WORDS),
}
"""The levels of parts of the plain data of tensors; that of others is 2."""


def level_of_facet(facet: str) -> int:
    """Return the level of a facet; that of a verdict is 1."""
    return _OF_FACET.get(facet, VALUES)


def level_of_fact(fact: str) -> int:
    """Return the level of a fact of a tensor: that of its facet; parts of facets have level 2."""
    return _OF_FACET.get(fact, LAYOUT)


def level_of(facet: str, expected: Any, observed: Any) -> int:
    """Return the level of a difference.

    >>> level_of("raises", "ValueError", "TypeError"), level_of("raises", None, "TypeError")
    (2, 1)
    >>> level_of("state", {"x": {"stride": [1]}}, {"x": {"stride": [2]}})
    2
    """
    if is_name_alone(facet, expected, observed):
        return LAYOUT
    if facet == "state":
        return min(_levels_of_parts(expected, observed))
    return level_of_facet(facet)


def _levels_of_parts(expected: Any, observed: Any) -> Iterable[int]:
    for path, _, _ in differences(expected, observed):
        parts = [part for part in path if isinstance(part, str)]
        yield min((_OF_PART.get(part, LAYOUT) for part in parts), default=VALUES)


def is_name_alone(facet: str, expected: Any, observed: Any) -> bool:
    """Return whether a difference is only in the name of a class or of a dtype.

    Both sides raise, or have a tensor, or the subject's dtype has no public name. Then the facts
    after it can be asked.

    >>> is_name_alone("value", {"tensor": "torch.Tensor"}, {"tensor": "mylib.Array"})
    True
    >>> is_name_alone("dtype", "int8", "int16"), is_name_alone("dtype", "int8", None)
    (False, True)
    """
    match facet:
        case "raises":
            return expected is not None and observed is not None
        case "dtype":
            return observed is None
        case "value" | "state":
            return all(map(_is_name, differences(expected, observed)))
    return False


def _is_name(difference: tuple[tuple[str | int, ...], Any, Any]) -> bool:
    path, expected, observed = difference
    if not path or not isinstance(expected, str):
        return False
    return path[-1] == "tensor" or (path[-1] == "dtype" and observed is None)
