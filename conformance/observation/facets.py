"""The facets of an outcome, one row each.

Observations are compared facet by facet. No facet implies another, so that each counts one fact.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from operator import attrgetter
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from ..libraries.library import Library
from . import tensor_state
from .element_bytes import BEYOND
from .printed import Texts
from .runner import NOTHING, PLAIN, Observation, Outcome, canonical


class Kind(NamedTuple):
    """What decides which facets an outcome has.

    has_repr: whether it is a value of a type whose canonical data do not imply its repr
    """

    raised: bool
    returned: bool
    is_tensor: bool
    has_variables: bool
    has_repr: bool

    @classmethod
    def of(cls, outcome: Outcome) -> "Kind":
        """Return the kind of an outcome."""
        returned = outcome.value is not NOTHING
        return cls(
            outcome.error is not None, returned, outcome.is_tensor, bool(outcome.variables),
            returned and type(outcome.value) not in PLAIN,
        )  # fmt: skip


_raised, _returned, _is_tensor = map(attrgetter, ("raised", "returned", "is_tensor"))


def _value(outcome: Outcome, library: Library) -> Any:
    """Return the value as plain data; for a tensor its class, as other facets have the rest."""
    if outcome.is_tensor:
        return {"tensor": library.class_name(type(outcome.value))}
    return canonical(outcome.value, library, peers=outcome.peers)


def _fact(name: str) -> Callable[[Outcome, Library], Any]:
    read = tensor_state.READERS[name]
    return lambda outcome, library: read(outcome.value, library)


def _always(kind: Kind) -> bool:
    return True


def _error_class(outcome: Outcome, library: Library) -> Any:
    return None if outcome.error is None else library.class_name(type(outcome.error))


_ELSEWHERE = " (shown to be from elsewhere than the call)"


def _warnings(outcome: Outcome, library: Library) -> Any:
    return [
        f"{library.class_name(warning.category)}: {warning.message}"
        + ("" if warning.filename in library.call_sites else _ELSEWHERE)
        for warning in outcome.warnings
    ]


def _message(outcome: Outcome, library: Library) -> str:
    """Return the message of an error, and the types of its arguments if there are others."""
    error = outcome.error
    assert error is not None
    text = str(error)
    if not error.args or (len(error.args) == 1 and type(error.args[0]) is str):
        return text
    types = [library.class_name(type(argument)) for argument in error.args]
    return f"{text} (arguments: {', '.join(types)})"


def _cause(outcome: Outcome, library: Library) -> Any:
    """Return the class of an error's cause or context, and its notes."""
    error = outcome.error
    assert error is not None
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    notes = [str(note) for note in getattr(error, "__notes__", [])]
    return [*([library.class_name(type(cause))] if cause else []), *notes]


_TEXTS: WeakKeyDictionary[Library, Texts] = WeakKeyDictionary()


def _repr(outcome: Outcome, library: Library) -> str:
    if outcome.observed.get("elements") == BEYOND:
        return BEYOND  # torch prints the memory of others
    if library.repr_settings is None or not outcome.is_tensor:
        return library.repr(outcome.value)
    texts = _TEXTS.setdefault(library, Texts())
    return texts.of(outcome.value, library, outcome.observed)


class Facet(NamedTuple):
    """A facet: whether it applies to outcomes of a kind, and its reader.

    level: 1 for values, 2 for layout, 3 for words (see `levels`)
    decides: whether the facets after it are not compared if it differs
    hidden: where it is not compared: in "bulk" cases, whose elements are compared separately, in
        "fake" ones (FakeTensorMode has no elements, storage or autograd, and other warnings), and
        with the devices that it depends on
    blocks: whether a difference in it, in the setup of a program, blocks the question
    """

    name: str
    applies: Callable[[Kind], bool]
    read: Callable[[Outcome, Library], Any]
    level: int
    decides: bool = False
    hidden: tuple[str, ...] = ()
    blocks: bool = True


_IN_PARTS = ("bulk", "fake")
_DEVICES = ("meta", "cuda")

FACETS = (
    Facet("raises", _always, _error_class, 1, decides=True),
    Facet("message", _raised, _message, 3, blocks=False),
    Facet("cause", _raised, _cause, 3, hidden=("fake",), blocks=False),
    Facet("warnings", _always, _warnings, 3, hidden=("fake",), blocks=False),
    Facet("value", _returned, _value, 1, decides=True),
    Facet("dtype", _is_tensor, _fact("dtype"), 1),
    Facet("shape", _is_tensor, _fact("shape"), 1, decides=True),
    Facet("stride", _is_tensor, _fact("stride"), 2),
    Facet("offset", _is_tensor, _fact("offset"), 2),
    Facet("device", _is_tensor, _fact("device"), 1, hidden=_DEVICES),
    Facet("layout", _is_tensor, _fact("layout"), 2),
    Facet("autograd", _is_tensor, _fact("autograd"), 2, hidden=("fake",)),
    Facet("conj_neg", _is_tensor, _fact("conj_neg"), 2, hidden=("bulk",)),
    Facet("storage", _is_tensor, _fact("storage"), 2, hidden=("fake",)),
    Facet("elements", _is_tensor, _fact("elements"), 1, hidden=(*_IN_PARTS, "meta")),
    Facet(
        "aliasing",
        lambda kind: kind.is_tensor and kind.has_variables,
        lambda outcome, library: outcome.peers.relations(outcome.value),
        2,
        hidden=_IN_PARTS,
    ),
    Facet(
        "rollback",
        lambda kind: kind.raised and kind.has_variables,
        lambda outcome, library: "as it was" if outcome.before == outcome.state else "changed",
        2,
        hidden=_IN_PARTS,
    ),
    Facet(
        "state",
        lambda kind: kind.has_variables and not kind.raised,
        lambda outcome, library: outcome.state,
        2,
        hidden=_IN_PARTS,
    ),
    Facet("repr", attrgetter("has_repr"), _repr, 3, hidden=(*_IN_PARTS, *_DEVICES), blocks=False),
)


def hidden(where: str) -> tuple[str, ...]:
    """Return the names of the facets that are not compared somewhere."""
    return tuple(facet.name for facet in FACETS if where in facet.hidden)


@cache
def _facets_of(kind: Kind, where: str, left_out: frozenset[str]) -> tuple[Facet, ...]:
    """Return all facets that apply and are not hidden or left out."""
    return tuple(
        facet
        for facet in FACETS
        if where not in facet.hidden and facet.applies(kind) and facet.name not in left_out
    )


def observe(outcome: Outcome, library: Library, where: str = "") -> Observation:
    """Return the observation of an outcome: all facets that apply and are not hidden.

    Facets that the library lacks are left out.
    """
    data: Mapping[str, Any] = {}
    if outcome.is_tensor and not where:
        data = outcome.data
        if not data:
            with suppress(BaseException):  # What cannot be read, each facet says.
                data = tensor_state.tensor_data(outcome.value, library)
    outcome.observed = observation = Observation()
    for facet in _facets_of(Kind.of(outcome), where, library.not_asked):
        name = facet.name
        observation[name] = data[name] if name in data else _read_facet(facet, outcome, library)
    return observation


def _read_facet(facet: Facet, outcome: Outcome, library: Library) -> Any:
    """Return one facet of an outcome; an exception in its reader becomes text."""
    try:
        return facet.read(outcome, library)
    except BaseException as error:  # noqa: BLE001  # a subject's own __str__ or __repr__
        return f"{tensor_state.UNREADABLE}{library.class_name(type(error))}"
