"""The oracle's texts of tensors, asked once for all equal tensors under equal settings.

Torch formats tensors in Python, which takes as long as all other facets together.  Its text of a
tensor depends on the facets in `_FACETS` and on the settings that `Library.repr_settings` returns,
if the library has it.  One in `CHECKED` of the remembered texts is asked again and must be equal.
The text of a subject is never remembered.
"""

import marshal
from collections.abc import Mapping
from typing import Any

from ..core.errors import CouldNotRun
from ..libraries.library import Library
from .element_bytes import NO_ELEMENTS
from .tensor_state import is_unreadable

CHECKED = 16
"""One of how many remembered texts is asked again."""

_FACETS = ("value", "dtype", "shape", "device", "layout", "conj_neg", "elements")
_FACETS_OF_AUTOGRAD = ("requires_grad", "is_leaf", "grad_fn")
_MAX_TEXTS = 2**15


class Texts:
    """The remembered texts of one library, and the number of times that one was used."""

    def __init__(self) -> None:
        self._texts: dict[tuple[object, bytes], str] = {}
        self._used = 0

    def of(self, tensor: Any, library: Library, facets: Mapping[str, Any]) -> str:
        """Return the text of a tensor with these facets; raise `CouldNotRun` if it has another."""
        key = _key(tensor, library, facets)
        text = self._texts.get(key) if key is not None else None
        if text is not None:
            self._used += 1
            if self._used % CHECKED or library.repr(tensor) == text:
                return text
            raise CouldNotRun(f"{library.spec} prints equal tensors in two ways: {text!r}")
        text = library.repr(tensor)
        if key is not None:
            if len(self._texts) >= _MAX_TEXTS:
                self._texts.clear()
            self._texts[key] = text
        return text


def _key(tensor: Any, library: Library, facets: Mapping[str, Any]) -> tuple[object, bytes] | None:
    """Return what the text of a tensor depends on, or None if that is not known."""
    settings, autograd = library.repr_settings, facets.get("autograd")
    if settings is None or not isinstance(autograd, dict) or "elements" not in facets:
        return None
    elements = facets["elements"]
    if (
        elements in NO_ELEMENTS
        or is_unreadable(elements)
        or type(tensor) is not library.root.Tensor
    ):
        return None
    read = [facets[name] for name in _FACETS]
    read += [autograd[name] for name in _FACETS_OF_AUTOGRAD]
    if isinstance(elements, dict):
        read.append(facets["storage"])  # the number of indices of a sparse tensor
    return settings(), marshal.dumps(read, 2)
