"""What is looked at: one row per facet.

A facet says when it applies to an outcome and how it is read.  Two
observations are compared facet by facet.  No facet is implied by another, so
that counting them counts facts.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..libraries.library import Library
from . import tensor_state
from .runner import NOTHING, PLAIN, Observation, Outcome, canonical


def _raised(outcome: Outcome) -> bool:
    return outcome.error is not None


def _returned(outcome: Outcome) -> bool:
    return outcome.value is not NOTHING


def _prints_itself(outcome: Outcome) -> bool:
    """Tell whether ``repr`` can say more than the value: plain Python data says all."""
    return _returned(outcome) and type(outcome.value) not in PLAIN


def _is_tensor(outcome: Outcome) -> bool:
    return outcome.is_tensor


def _has_variables(outcome: Outcome) -> bool:
    return bool(outcome.variables)


def _value(outcome: Outcome, library: Library) -> Any:
    """Write the value; of a tensor, only what it is, as facets of its own show the rest."""
    if outcome.is_tensor:
        return {"tensor": library.class_name(type(outcome.value))}
    return canonical(outcome.value, library, peers=outcome.tensors)


def _rollback(outcome: Outcome, library: Library) -> Any:
    """Say whether a failed step left all variables as they were."""
    return "as it was" if outcome.before == outcome.state else "changed"


def _of_tensor(read: Callable[[Any], Any]) -> Callable[[Outcome, Library], Any]:
    return lambda outcome, library: read(outcome.value)


def _always(outcome: Outcome) -> bool:
    return True


def _error_class(outcome: Outcome, library: Library) -> Any:
    return None if outcome.error is None else library.class_name(type(outcome.error))


def _warnings(outcome: Outcome, library: Library) -> Any:
    return [
        f"{library.class_name(warning.category)}: {warning.message}"
        + (
            ""
            if warning.filename in library.call_sites
            else " (shown to be from elsewhere than the call)"
        )
        for warning in outcome.warnings
    ]


def _cause(outcome: Outcome, library: Library) -> Any:
    """Return what is printed around an error's own words: what it came from, and notes."""
    error = outcome.error
    assert error is not None
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    notes = [str(note) for note in getattr(error, "__notes__", [])]
    return [*([library.class_name(type(before))] if before else []), *notes]


def _repr(outcome: Outcome, library: Library) -> Any:
    return library.repr(outcome.value)


class Facet(NamedTuple):
    """One thing to look at.  ``decides`` marks those without which the rest means nothing."""

    name: str
    applies: Callable[[Outcome], bool]
    read: Callable[[Outcome, Library], Any]
    decides: bool = False


FACETS = (
    Facet("raises", _always, _error_class, decides=True),
    Facet("message", _raised, lambda outcome, library: str(outcome.error)),
    Facet("cause", _raised, _cause),
    Facet("warnings", _always, _warnings),
    Facet(
        "value",
        _returned,
        _value,
        decides=True,
    ),
    Facet("dtype", _is_tensor, lambda outcome, library: library.name_of(outcome.value.dtype)),
    Facet("shape", _is_tensor, _of_tensor(tensor_state.shape), decides=True),
    Facet("stride", _is_tensor, _of_tensor(tensor_state.strides)),
    Facet("offset", _is_tensor, _of_tensor(lambda tensor: tensor.storage_offset())),
    Facet("device", _is_tensor, _of_tensor(lambda tensor: str(tensor.device))),
    Facet("layout", _is_tensor, lambda outcome, library: library.name_of(outcome.value.layout)),
    Facet("autograd", _is_tensor, _of_tensor(tensor_state.autograd)),
    Facet("conj_neg", _is_tensor, _of_tensor(tensor_state.conj_neg)),
    Facet("storage", _is_tensor, _of_tensor(tensor_state.storage)),
    Facet("elements", _is_tensor, _of_tensor(tensor_state.elements)),
    Facet(
        "aliasing",
        lambda outcome: outcome.is_tensor and _has_variables(outcome),
        lambda outcome, library: tensor_state.relations(outcome.value, outcome.tensors),
    ),
    Facet("rollback", lambda outcome: _raised(outcome) and _has_variables(outcome), _rollback),
    Facet(
        "state",
        lambda outcome: _has_variables(outcome) and not _raised(outcome),
        lambda outcome, library: outcome.state,
    ),
    Facet("repr", _prints_itself, _repr),
)


def read(outcome: Outcome, library: Library) -> Observation:
    """Look at an outcome through every facet that applies."""
    return {
        facet.name: look_at(facet, outcome, library) for facet in FACETS if facet.applies(outcome)
    }


OF_BULK = (
    "raises", "message", "cause", "warnings", "value", "dtype", "shape", "stride", "offset", "device",
    "layout", "autograd", "storage",
)  # fmt: skip
"""The facets of a bulk case, whose elements are compared otherwise."""


def read_bulk(outcome: Outcome, library: Library) -> Observation:
    """Look at what came of a bulk case, but for its elements."""
    return {
        facet.name: look_at(facet, outcome, library)
        for facet in FACETS
        if facet.name in OF_BULK and facet.applies(outcome)
    }


def look_at(facet: Facet, outcome: Outcome, library: Library) -> Any:
    """Look through one facet; what raises when it is looked at says so."""
    try:
        return facet.read(outcome, library)
    except BaseException as error:  # noqa: BLE001  # a subject's own __str__ or __repr__
        return f"looking at it raises {library.class_name(type(error))}"
