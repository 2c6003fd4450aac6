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

from ..core.case import Case
from ..core.float_formats import FORMATS, Format, shown
from ..libraries.library import Library
from ..observation.cross_device import is_device_limitation, without_what_differs
from ..observation.facets import read_bulk
from ..observation.runner import Observation, Outcome, StepResult, run_through
from ..observation.tensor_state import codes
from .comparator import Comparison, Difference
from .third_party import outlier, third_party_results
from .tolerances import LAST_BITS, OTHER_KERNEL, Inexact, apart_by, bound_of, rows_of
from .undefined_elements import UNDEFINED, Elements, Undefined

Compare = Callable[[Observation, Observation, str], Comparison]


class ElementCase(NamedTuple):
    """A program: the steps that make ``c``, those that make ``x`` of it, and what is done to ``x``.

    ``source`` and ``target`` are the dtypes of ``x`` and of the result.  Where an operator is
    asked about, its name is in ``operator``, the oracle tells the target, and ``operands`` are
    the tensors that the elements stand in, one of each; ``otherwise`` are steps that give the
    same elements by another kernel of the oracle, as its operands lie otherwise.  An operator that
    puts many elements together has ``sizes``: what the oracle is asked instead of the last step, to
    tell in float64 by whose units each result is measured; 0 is by its own.
    """

    source: str
    target: str
    patterns: tuple[str, ...]
    steps: tuple[str, ...]
    operator: str = ""
    operands: tuple[str, ...] = ("x",)
    otherwise: tuple[str, ...] = ()
    sizes: tuple[str, ...] = ()

    @property
    def case(self) -> Case:
        """The program as a case."""
        return Case((*self.patterns, *self.steps))

    def of_one(self, code: Sequence[int], kind: str, times: int) -> "ElementCase":
        """Return the same for one element, which is there several times."""
        numbers = ", ".join(f"{int(part):#x}" for part in code)
        array = f"numpy.array([{numbers}], dtype='{kind}')"
        step = f"c = {array}" if times == 1 else f"c = numpy.tile({array}, {times})"
        return self._replace(patterns=(step,))


@dataclass
class ElementCounts:
    """How many elements were compared, how many differ, and how many of them a rule covers.

    ``largest`` is how far from the oracle's the elements lie that differ in the last bits alone,
    ``bound`` how far they may.
    """

    compared: int = 0
    differing: int = 0
    undefined: Counter[str] = field(default_factory=Counter)
    forgiven: Counter[str] = field(default_factory=Counter)
    largest: int = 0
    bound: int = 0

    def __add__(self, other: "ElementCounts") -> "ElementCounts":
        return ElementCounts(
            self.compared + other.compared,
            self.differing + other.differing,
            self.undefined + other.undefined,
            self.forgiven + other.forgiven,
            max(self.largest, other.largest),
            max(self.bound, other.bound),
        )

    def as_data(self) -> dict[str, Any]:
        """Return the tally as plain data."""
        return {
            "compared": self.compared,
            "differing": self.differing,
            "undefined": dict(self.undefined),
            "forgiven": dict(self.forgiven),
            "largest": self.largest,
            "bound": self.bound,
        }

    @classmethod
    def of_data(cls, data: Mapping[str, Any]) -> "ElementCounts":
        """Read what `as_data` gave."""
        undefined, forgiven = Counter(data["undefined"]), Counter(data["forgiven"])
        return cls(
            data["compared"], data["differing"], undefined, forgiven, data["largest"], data["bound"]
        )


class Answer(NamedTuple):
    """What came of a bulk case: the facets compared, the elements counted, and who differs where.

    ``target`` is the dtype of the elements that were compared, if any were.
    """

    case: Case
    comparison: Comparison
    tally: ElementCounts
    errors: tuple[BaseException | None, BaseException | None] = (None, None)
    messages: Sequence[str | None] = (None, None)
    third_party_results: Mapping[str, str] | None = None
    outlier: str = ""
    target: str = ""


def ask(
    oracle: Library,
    subject: Library,
    bulk: ElementCase,
    compare: Compare,
    rules: Sequence[Undefined] = UNDEFINED,
    smaller: bool = True,
    table: Sequence[Inexact] = (),
) -> Answer:
    """Run a bulk case under both libraries and compare what it gives, every element of it.

    Where elements differ, ``smaller`` looks for the case of one alone; ``table``
    says which operators are not exactly rounded.  A name that the oracle does not find is a mistake of the case, and is raised.
    """
    codes_given, last = made(bulk.patterns), Case(bulk.steps)

    def run(library: Library) -> tuple[Outcome, Observation]:
        outcome = run_through(library, last, {"c": codes_given.copy()})
        return outcome, without_what_differs(read_bulk(outcome, library), subject)

    (expected, seen), (observed, found) = run(oracle), run(subject)
    if isinstance(expected.error, NameError):
        raise expected.error
    result = compare(seen, found, str(bulk.case))
    sides = StepResult(seen, expected.error), StepResult(found, observed.error)
    if result.differences and is_device_limitation(
        subject, *sides, lambda there: run(there)[1], oracle
    ):
        return Answer(bulk.case, Comparison(("raises",), [], ["not-here"]), ElementCounts())
    answer = Answer(
        bulk.case,
        result,
        ElementCounts(),
        (expected.error, observed.error),
        (seen.get("message"), found.get("message")),
    )
    if expected.failed_in != observed.failed_in and not result.differences:
        raised = (f"{outcome.error!r} in {outcome.failed_in}" for outcome in (expected, observed))
        elsewhere = [Difference("raises", *raised)]
        return answer._replace(comparison=result._replace(differences=elsewhere))
    if result.differences or not expected.is_tensor or subject.device_type == "meta":
        return answer
    try:
        elements = _elements(bulk, expected, observed, (oracle, subject))
    except Exception as error:  # noqa: BLE001  # a subject may say anything of its tensors
        wrong = Difference("elements", "elements", f"{type(error).__name__}: {error}")
        return answer._replace(comparison=_with(result, wrong))
    wrong_ones, tally = judge(elements, rules)
    if bulk.operator:
        wrong_ones = accepted(bulk, elements, wrong_ones, tally, table, oracle)
    answer = answer._replace(tally=tally, comparison=_with(result), target=elements.target.name)
    if not tally.differing:
        return answer
    at = tuple(np.argwhere(wrong_ones)[0].tolist())
    code = elements.given[at].tolist()
    if bulk.sizes:
        return _shown_among_many(answer, elements, at)
    if smaller:
        for times in sorted({1, codes_given.size // len(code)}):
            alike = bulk.of_one(code, elements.source.code_type, times)
            small = ask(oracle, subject, alike, compare, rules, False, table)
            if [each.facet for each in small.comparison.differences] == ["elements"]:
                return small._replace(tally=tally)
    return _shown(answer, elements, at, is_conversion=not bulk.operator)


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
    facets = (*result.facets, "elements")
    return Comparison(facets, [*result.differences, *differences], result.normalised)


def _elements(
    bulk: ElementCase, expected: Outcome, observed: Outcome, libraries: Sequence[Library]
) -> Elements:
    """Read the elements of both results, and those that they were made of, as oracle holds them."""
    operands = [expected.variables[name] for name in bulk.operands]
    target_name = bulk.target or _name(expected.value, libraries[0])
    source, target = _format(bulk.source, operands[0]), _format(target_name, expected.value)
    results = [
        codes(outcome.value, library, target.code_type, target.parts)
        for outcome, library in zip((expected, observed), libraries, strict=True)
    ]
    if bulk.sizes:
        # What many elements became: no result belongs to one of them.
        return Elements(target, target, results[0], *results)
    given = np.concatenate(
        [codes(each, libraries[0], source.code_type, source.parts) for each in operands], -1
    )
    given = np.broadcast_to(given, (*results[0].shape[:-1], given.shape[-1]))
    return Elements(source, target, given, *results)


def _name(tensor: Any, library: Library) -> str:
    """Return the name of a tensor's dtype."""
    return str(library.name_of(tensor.dtype)).removeprefix("torch.")


def _format(name: str, tensor: Any) -> Format:
    """Return how a dtype writes numbers; of one that stands for none, how many bits it has."""
    return FORMATS.get(name) or Format(name, "bits", 8 * tensor.element_size())


def judge(elements: Elements, rules: Sequence[Undefined]) -> tuple[Any, ElementCounts]:
    """Tell which elements differ though they are defined, and count."""
    tally = ElementCounts(compared=elements.given[..., 0].size)
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


def accepted(
    bulk: ElementCase,
    elements: Elements,
    wrong: Any,
    tally: ElementCounts,
    table: Sequence[Inexact],
    oracle: Library | None = None,
) -> Any:
    """Tell which elements differ by more than an operator is given, and count the others.

    They are held against those of the oracle's other kernel, too, if an oracle is given.
    """
    about = bulk.operator if bulk.sizes else bulk.steps[-1]
    rows = rows_of(about, table, reduces=bool(bulk.sizes))
    if rows:
        tally.bound = bound_of(rows, elements.target)
    if rows and wrong.any():
        sizes = 0.0
        if oracle is not None and bulk.sizes:
            steps = (*bulk.steps[:-1], *bulk.sizes)
            found = _told(bulk, oracle, steps, FORMATS["float64"]).view(np.float64)[..., 0]
            sizes = np.broadcast_to(found, wrong.shape)[wrong]
        wrong = _farther(elements.expected, elements, wrong, rows, LAST_BITS, tally, sizes)
        if oracle is not None and bulk.otherwise and wrong.any():
            other = _told(bulk, oracle, bulk.otherwise, elements.target)
            wrong = _farther(other, elements, wrong, rows, OTHER_KERNEL, tally)
        tally.differing = int(wrong.sum())
    return wrong


def _farther(
    answers: Any,
    elements: Elements,
    wrong: Any,
    rows: Sequence[Inexact],
    rule: str,
    tally: ElementCounts,
    sizes: Any = 0.0,
) -> Any:
    """Tell which wrong elements lie farther from some answers than rows allow; count the others."""
    form = elements.target
    apart = np.full(wrong.shape, np.inf)
    apart[wrong] = apart_by(rows, answers[wrong], elements.observed[wrong], form, sizes)
    near = apart <= bound_of(rows, form)
    if near.any():
        tally.forgiven[rule] += int(near.sum())
        tally.largest = max(tally.largest, int(np.ceil(apart[near].max())))
    return wrong & ~near


def _told(bulk: ElementCase, oracle: Library, steps: tuple[str, ...], form: Format) -> Any:
    """Return the elements that the oracle gives if it is asked other steps about the same patterns."""
    outcome = run_through(oracle, Case(steps), {"c": made(bulk.patterns).copy()})
    if outcome.error is not None:
        raise outcome.error
    return codes(outcome.value, oracle, form.code_type, form.parts)


def _shown_among_many(answer: Answer, elements: Elements, at: tuple[int, ...]) -> Answer:
    """Show one element that differs, and where it stands."""
    sides = (
        f"{shown(side[at], elements.target)} at {list(at)}"
        for side in (elements.expected, elements.observed)
    )
    differences = [Difference("elements", *sides)]
    return answer._replace(comparison=answer.comparison._replace(differences=differences))


def _shown(answer: Answer, elements: Elements, at: tuple[int, ...], is_conversion: bool) -> Answer:
    """Show one element that differs, and what others make of it if it was converted."""
    source, target = elements.source, elements.target
    expected, observed = (
        shown(side[at], target) for side in (elements.expected, elements.observed)
    )
    given = shown(elements.given[at], source)
    difference = Difference(
        "elements", f"{given} becomes {expected}", f"{given} becomes {observed}"
    )
    answer = answer._replace(comparison=answer.comparison._replace(differences=[difference]))
    if not is_conversion:
        return answer
    cast = third_party_results([int(each) for each in elements.given[at]], source, target)
    return answer._replace(
        third_party_results=cast,
        outlier=outlier(expected, observed, cast),
    )
