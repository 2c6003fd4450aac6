"""What is looked at: one row per facet.

A facet says when it applies to an outcome and how it is read.  Two
observations are compared facet by facet.  No facet is implied by another, so
that counting them counts facts.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from .library import CASE, Library
from .observe import NOTHING, PLAIN, Observation, Outcome, canonical


def _raised(outcome: Outcome) -> bool:
    return outcome.error is not None


def _returned(outcome: Outcome) -> bool:
    return outcome.value is not NOTHING


def _prints_itself(outcome: Outcome) -> bool:
    """Tell whether ``repr`` can say more than the value: plain Python data says all."""
    return _returned(outcome) and type(outcome.value) not in PLAIN


def _always(outcome: Outcome) -> bool:
    return True


def _error_class(outcome: Outcome, library: Library) -> Any:
    return None if outcome.error is None else library.class_name(type(outcome.error))


def _warnings(outcome: Outcome, library: Library) -> Any:
    return [
        f"{library.class_name(warning.category)}: {warning.message}"
        + ("" if warning.filename == CASE else " (shown to be from elsewhere than the call)")
        for warning in outcome.warnings
    ]


def _chain(outcome: Outcome, library: Library) -> Any:
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
    Facet("chain", _raised, _chain),
    Facet("warnings", _always, _warnings),
    Facet(
        "value",
        _returned,
        lambda outcome, library: canonical(outcome.value, library),
        decides=True,
    ),
    Facet("repr", _prints_itself, _repr),
)


def read(outcome: Outcome, library: Library) -> Observation:
    """Look at an outcome through every facet that applies."""
    return {
        facet.name: _look(facet, outcome, library) for facet in FACETS if facet.applies(outcome)
    }


def _look(facet: Facet, outcome: Outcome, library: Library) -> Any:
    try:
        return facet.read(outcome, library)
    except BaseException as error:  # noqa: BLE001  # a subject's own __str__ or __repr__
        return f"looking at it raises {library.class_name(type(error))}"
