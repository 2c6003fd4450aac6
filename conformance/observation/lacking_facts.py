"""The facts of tensors that a library lacks, found by looking at one tensor."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

from ..libraries.device_elements import elements_of_copy, why_unreadable
from ..libraries.library import Library
from . import tensor_state
from .tensor_state import AUTOGRAD_READERS, READERS, Peers

_MAKERS = ("torch.ones(2)", "torch.zeros(2)", "torch.tensor([1.0, 2.0])", "torch.empty(2)")


def lacking_facts(library: Library) -> dict[str, str]:
    """Return why each optional fact that the library lacks, and does not declare, cannot be asked.

    A fact is lacking if the members that tell it are not there or not implemented. Any other error
    is a divergence of each tensor.
    """
    tensor = _any_tensor(library)
    if tensor is None:
        return {}
    has_memory = library.adapter.elements is not elements_of_copy
    why_no_memory = "" if has_memory else why_unreadable(tensor)
    found = {
        name: why
        for name, read in _readers(library)
        if name not in library.not_asked
        and (why := (name in _OF_MEMORY and why_no_memory) or _why_not(read, tensor))
    }
    if found.keys() >= AUTOGRAD_READERS.keys():
        found["autograd"] = "all its parts are lacking"
    return found


_OF_MEMORY = ("storage", "address", "aliasing")
"""The facts that tensors without readable storages lack."""


def name_equal_dtypes(library: Library) -> None:
    """Let a library name its dtypes by equality if its tensors have dtypes of their own."""
    with suppress(Exception):  # a subject may raise anything
        library.use_equal_dtypes(_any_tensor(library).dtype)


def _any_tensor(library: Library) -> Any:
    """Return a tensor of the library, or None if no usual call creates one."""
    for text in _MAKERS:
        try:
            tensor = library.run(text, library.scope())
        except Exception:  # noqa: BLE001  # a subject may raise anything
            continue
        if library.is_tensor(tensor):
            return tensor
    return None


def _readers(library: Library) -> Iterator[tuple[str, Callable[[Any], Any]]]:
    for name in ("stride", "offset", "device", "layout", "conj_neg", "elements"):
        yield name, partial(READERS[name], library=library)
    if "autograd" not in library.not_asked:
        yield from AUTOGRAD_READERS.items()
    yield "storage", lambda tensor: tensor.untyped_storage().nbytes()
    if "storage" not in library.not_asked:
        yield "address", tensor_state.storage
    yield "aliasing", lambda tensor: Peers({"x": tensor}).relations(tensor)
    yield "repr", repr


def _why_not(read: Callable[[Any], Any], tensor: Any) -> str:
    try:
        read(tensor)
    except (AttributeError, NotImplementedError) as error:
        return f"{type(error).__name__}: {error}".partition("\n")[0]
    except Exception:  # noqa: BLE001  # the comparison shows it
        return ""
    return ""
