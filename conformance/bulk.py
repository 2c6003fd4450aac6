"""Bulk cases: many elements in one program, compared one by one with NumPy.

The program is text, as every case.  What it converts are the codes in ``c``,
a NumPy array that its first steps make, by way of the tensor ``x``; what its
last step gives is compared.  Of an element that differs a program with that
element alone is made, if it shows the difference, too.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from .cases import Case
from .compare import Comparison, Difference
from .facets import read_bulk
from .library import Library
from .number_formats import FORMATS, Format, shown
from .observe import Observation, Outcome, run_through
from .tensors import codes
from .undefined import UNDEFINED, Elements, Undefined
from .voters import alone, votes

Compare = Callable[[Observation, Observation, str], Comparison]


class Bulk(NamedTuple):
    """A program: the steps that make ``c``, those that make ``x`` of it, and what is done to ``x``.

    ``source`` and ``target`` are the dtypes of ``x`` and of the result.
    """

    source: str
    target: str
    patterns: tuple[str, ...]
    steps: tuple[str, ...]

    @property
    def case(self) -> Case:
        """The program as a case."""
        return Case((*self.patterns, *self.steps))

    def of_one(self, code: Sequence[int], kind: str, times: int) -> "Bulk":
        """Return the same for one element, which is there several times."""
        numbers = ", ".join(f"{int(part):#x}" for part in code)
        array = f"numpy.array([{numbers}], dtype='{kind}')"
        step = f"c = {array}" if times == 1 else f"c = numpy.tile({array}, {times})"
        return self._replace(patterns=(step,))


@dataclass
class Tally:
    """How many elements were compared, how many differ, and how many of them a rule covers."""

    compared: int = 0
    differing: int = 0
    undefined: Counter[str] = field(default_factory=Counter)
    forgiven: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            self.compared + other.compared,
            self.differing + other.differing,
            self.undefined + other.undefined,
            self.forgiven + other.forgiven,
        )

    def as_data(self) -> dict[str, Any]:
        """Return the tally as plain data."""
        return {
            "compared": self.compared,
            "differing": self.differing,
            "undefined": dict(self.undefined),
            "forgiven": dict(self.forgiven),
        }

    @classmethod
    def of_data(cls, data: Mapping[str, Any]) -> "Tally":
        """Read what `as_data` gave."""
        undefined, forgiven = Counter(data["undefined"]), Counter(data["forgiven"])
        return cls(data["compared"], data["differing"], undefined, forgiven)


class Answer(NamedTuple):
    """What came of a bulk case: the facets compared, the elements counted, and who differs where."""

    case: Case
    comparison: Comparison
    tally: Tally
    errors: tuple[BaseException | None, BaseException | None] = (None, None)
    messages: Sequence[str | None] = (None, None)
    votes: Mapping[str, str] | None = None
    alone: str = ""


def ask(
    oracle: Library,
    subject: Library,
    bulk: Bulk,
    compare: Compare,
    rules: Sequence[Undefined] = UNDEFINED,
    smaller: bool = True,
) -> Answer:
    """Run a bulk case under both libraries and compare what it gives, every element of it.

    Where elements differ, ``smaller`` looks for the case of one alone.  A name
    that the oracle does not find is a mistake of the case, and is raised.
    """
    codes_given, last = made(bulk.patterns), Case(bulk.steps)
    expected, observed = (
        run_through(library, last, {"c": codes_given.copy()}) for library in (oracle, subject)
    )
    if isinstance(expected.error, NameError):
        raise expected.error
    seen, found = read_bulk(expected, oracle), read_bulk(observed, subject)
    result = compare(seen, found, str(bulk.case))
    answer = Answer(
        bulk.case,
        result,
        Tally(),
        (expected.error, observed.error),
        (seen.get("message"), found.get("message")),
    )
    if expected.failed_in != observed.failed_in and not result.differences:
        sides = (f"{outcome.error!r} in {outcome.failed_in}" for outcome in (expected, observed))
        elsewhere = [Difference("raises", *sides)]
        return answer._replace(comparison=result._replace(differences=elsewhere))
    if result.differences or not expected.is_tensor:
        return answer
    try:
        elements = _elements(bulk, expected, observed, (oracle, subject))
    except Exception as error:  # noqa: BLE001  # a subject may say anything of its tensors
        wrong = Difference("elements", "elements", f"{type(error).__name__}: {error}")
        return answer._replace(comparison=_with(result, wrong))
    wrong_ones, tally = judge(elements, rules)
    answer = answer._replace(tally=tally, comparison=_with(result))
    if not tally.differing:
        return answer
    at = tuple(np.argwhere(wrong_ones)[0].tolist())
    code = elements.given[at].tolist()
    if smaller:
        for times in sorted({1, codes_given.size // elements.source.parts}):
            alike = bulk.of_one(code, elements.source.code_type, times)
            small = ask(oracle, subject, alike, compare, rules, smaller=False)
            if [each.facet for each in small.comparison.differences] == ["elements"]:
                return small._replace(tally=tally)
    return _shown(answer, elements, at)


@lru_cache(maxsize=8)
def made(patterns: tuple[str, ...]) -> np.ndarray:
    """Return what the first steps make, which use NumPy alone: once for many cases."""
    scope: dict[str, Any] = {"numpy": np}
    for step in patterns:
        exec(step, scope)
    found: np.ndarray = scope["c"]
    return found


def _with(result: Comparison, *differences: Difference) -> Comparison:
    """Add the facet of the elements to those that were compared."""
    return Comparison(result.facets + 1, [*result.differences, *differences], result.normalised)


def _elements(
    bulk: Bulk, expected: Outcome, observed: Outcome, libraries: Sequence[Library]
) -> Elements:
    """Read the elements of both results, and those that they were made of, as oracle holds them."""
    x = expected.variables["x"]
    source, target = _format(bulk.source, x), _format(bulk.target, expected.value)
    results = [
        codes(outcome.value, library, target.code_type, target.parts)
        for outcome, library in zip((expected, observed), libraries, strict=True)
    ]
    given = codes(x, libraries[0], source.code_type, source.parts)
    given = np.broadcast_to(given, (*results[0].shape[:-1], source.parts))
    return Elements(source, target, given, *results)


def _format(name: str, tensor: Any) -> Format:
    """Return how a dtype writes numbers; of one that stands for none, how many bits it has."""
    return FORMATS.get(name) or Format(name, "bits", 8 * tensor.element_size())


def judge(elements: Elements, rules: Sequence[Undefined]) -> tuple[Any, Tally]:
    """Tell which elements differ though they are defined, and count."""
    tally = Tally(compared=elements.given[..., 0].size)
    wrong = (elements.expected != elements.observed).any(-1)
    differ = bool(wrong.any())
    for rule in rules:
        if number := int(rule.holds(elements).sum()):
            tally.undefined[rule.name] = number
        if differ:
            forgiven = wrong & rule.forgives(elements)
            if number := int(forgiven.sum()):
                tally.forgiven[rule.name] = number
            wrong &= ~forgiven
    tally.differing = int(wrong.sum())
    return wrong, tally


def _shown(answer: Answer, elements: Elements, at: tuple[int, ...]) -> Answer:
    """Show one element that differs, and what others make of it."""
    source, target = elements.source, elements.target
    expected, observed = (
        shown(side[at], target) for side in (elements.expected, elements.observed)
    )
    cast = votes([int(each) for each in elements.given[at]], source, target)
    given = shown(elements.given[at], source)
    difference = Difference(
        "elements", f"{given} becomes {expected}", f"{given} becomes {observed}"
    )
    return answer._replace(
        comparison=answer.comparison._replace(differences=[difference]),
        votes=cast,
        alone=alone(expected, observed, cast),
    )
