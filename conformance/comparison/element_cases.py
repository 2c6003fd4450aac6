"""Bulk cases: programs on many elements, which are compared with NumPy.

The first steps of a program create the NumPy array ``c`` of bit patterns. Further steps make the
tensor ``x`` of it, and the result of the last step is compared. For an element that differs the
program is repeated with this element alone; if it differs too, the smaller program is reported.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ..core.case import Case
from ..core.float_formats import FORMATS, Format, format_element
from ..libraries.library import Library
from ..observation.cross_device import is_device_limitation, without_left_out
from ..observation.facets import observe
from ..observation.runner import Observation, Outcome, StepResult, run_through
from ..observation.tensor_state import raw_parts
from .comparator import Comparison, Difference
from .nan_bits import combines
from .other_kernels import OtherResults, results_by_width
from .third_party import outlier, third_party_results
from .tolerances import (
    LAST_BITS,
    OTHER_KERNEL,
    VECTOR_WIDTH,
    Tolerance,
    distances_of,
    largest_bound,
    tolerances_for,
)
from .undefined_elements import UNDEFINED, Elements, Undefined

Compare = Callable[[Observation, Observation, str], Comparison]


class ElementCase(NamedTuple):
    """A program on many elements.

    source, target: the dtypes of ``x`` and of the result; the oracle decides an operator's target
    patterns, steps: the steps that create ``c``, and the steps after them
    operator: the name of the operator, or empty for a conversion
    operands: the variables whose elements are the inputs
    otherwise: steps for the same result by another kernel of the oracle
    sizes: for a reduction, the steps for the float64 numbers whose ULP measure each result; 0 is
        its own
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

    def of_one(self, raw: Sequence[int], dtype: str, times: int) -> "ElementCase":
        """Return the same program for one element, repeated several times."""
        parts = ", ".join(f"{int(part):#x}" for part in raw)
        array = f"numpy.array([{parts}], dtype='{dtype}')"
        step = f"c = {array}" if times == 1 else f"c = numpy.tile({array}, {times})"
        return self._replace(patterns=(step,))


@dataclass
class ElementCounts:
    """The numbers of elements that were compared, that differ, and that rules cover.

    undefined, forgiven: the elements that each rule covers, and the differing ones among them
    largest: the largest accepted distance from the oracle, in ULP
    bound: the largest distance that is accepted
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
        """Return the counts as plain data."""
        return {**vars(self), "undefined": dict(self.undefined), "forgiven": dict(self.forgiven)}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> "ElementCounts":
        """Return the counts of the data of `as_data`."""
        undefined, forgiven = Counter(data["undefined"]), Counter(data["forgiven"])
        return cls(**{**data, "undefined": undefined, "forgiven": forgiven})


class Answer(NamedTuple):
    """The result of a bulk case.

    errors, messages: those of both sides
    third_party_results, outlier: see `third_party`
    failed_setup: the step before the question that failed on one side alone, and its error
    refused_setup: the step before the question that failed on both sides, and the oracle's error
    target: the dtype of the compared elements, or empty
    """

    case: Case
    comparison: Comparison
    tally: ElementCounts
    errors: tuple[BaseException | None, BaseException | None] = (None, None)
    messages: Sequence[str | None] = (None, None)
    third_party_results: Mapping[str, str] | None = None
    outlier: str = ""
    target: str = ""
    failed_setup: tuple[str, BaseException] | None = None
    refused_setup: tuple[str, BaseException] | None = None


def ask(
    oracle: Library,
    subject: Library,
    bulk: ElementCase,
    compare: Compare,
    rules: Sequence[Undefined] = UNDEFINED,
    smaller: bool = True,
    table: Sequence[Tolerance] = (),
) -> Answer:
    """Return the comparison of a bulk case under both libraries, for all elements.

    If elements differ, ``smaller`` searches for a case with one of them. ``table`` has the
    operators that are not exactly rounded. A NameError of the oracle is raised.
    """

    def run(library: Library) -> tuple[Outcome, Observation]:
        outcome, observation = run_bulk(library, bulk)
        return outcome, without_left_out(observation, subject)

    (expected, left), (observed, right) = run(oracle), run(subject)
    if isinstance(expected.error, NameError):
        raise expected.error
    result = compare(left, right, str(bulk.case))
    sides = StepResult(left, expected.error), StepResult(right, observed.error)
    if result.differences and is_device_limitation(
        subject, *sides, lambda library: run(library)[1], oracle
    ):
        return Answer(bulk.case, Comparison(("raises",), [], ["not-here"]), ElementCounts())
    errors, messages = (expected.error, observed.error), (left.get("message"), right.get("message"))
    answer = Answer(
        bulk.case, result, ElementCounts(), errors, messages,
        failed_setup=_failed_setup(bulk.steps, expected, observed),
        refused_setup=_refused_setup(bulk.steps, expected, observed),
    )  # fmt: skip
    if expected.failed_in != observed.failed_in and not result.differences:
        texts = (f"{outcome.error!r} in {outcome.failed_in}" for outcome in (expected, observed))
        differences = [Difference("raises", *texts)]
        return answer._replace(comparison=result._replace(differences=differences))
    if result.differences or not expected.is_tensor or _has_no_elements(subject):
        return answer
    try:
        elements = elements_of_both(bulk, (expected, observed), (oracle, subject), left["dtype"])
    except Exception as error:  # noqa: BLE001  # a subject may say anything of its tensors
        unreadable = Difference("elements", "elements", f"{type(error).__name__}: {error}")
        return answer._replace(comparison=_with_elements(result, unreadable))
    wrong, tally = judge_results(bulk, elements, oracle, rules, table)
    result = _with_elements(result)
    answer = answer._replace(tally=tally, comparison=result, target=elements.target.name)
    if not tally.differing:
        return answer
    index = tuple(np.argwhere(wrong)[0].tolist())
    raw = elements.inputs[index].tolist()
    if smaller and not bulk.sizes and oracle.known is None:
        for times in sorted({1, pattern_array(bulk.patterns).size // len(raw)}):
            repeated = bulk.of_one(raw, elements.source.raw_dtype, times)
            smaller_answer = ask(oracle, subject, repeated, compare, rules, False, table)
            facets = [difference.facet for difference in smaller_answer.comparison.differences]
            if facets == ["elements"]:
                return smaller_answer._replace(tally=tally)
    return _with_example(answer, elements, index, bulk)


def judge_results(
    bulk: ElementCase,
    elements: Elements,
    oracle: Library,
    rules: Sequence[Undefined],
    table: Sequence[Tolerance],
) -> tuple[Any, ElementCounts]:
    """Return which elements are wrong by all rules and tolerances, and the counts."""
    if bulk.operator:
        # Operators that are not exactly rounded have other payloads in each library of functions.
        elements = elements._replace(
            compares_nans=not (bulk.sizes or combines(bulk.steps[-1], elements.target)),
            payload=not _rows(bulk, table),
        )
    wrong, tally = judge(elements, rules)
    if bulk.operator:
        wrong = apply_bounds(bulk, elements, wrong, tally, table, oracle)
    otherwise = bulk.otherwise if _rows(bulk, table) else ()
    wrong = _without_other_widths(bulk, otherwise, elements, wrong, tally, oracle)
    return wrong, tally


def run_bulk(library: Library, bulk: ElementCase) -> tuple[Outcome, Observation]:
    """Return the outcome of a bulk case, and its observation."""
    if library.known is not None:
        recorded: tuple[Outcome, Observation] = library.known.bulk(library, bulk)
        return recorded
    patterns = pattern_array(bulk.patterns).copy()
    outcome = run_through(library, Case(bulk.steps), {"c": patterns})
    observation = observe(outcome, library, "bulk")
    if library.recorder is not None:
        library.recorder.keep_bulk(library, bulk, outcome, observation)
    return outcome, observation


def _has_no_elements(subject: Library) -> bool:
    return subject.device_type == "meta" or "elements" in subject.not_asked


def _failed_setup(
    steps: Sequence[str], expected: Outcome, observed: Outcome
) -> tuple[str, BaseException] | None:
    """Return the first step before the last that fails on one side alone, and its error."""
    if expected.failed_in == observed.failed_in:
        return None
    for step in steps[:-1]:
        for outcome in (observed, expected):
            if outcome.error is not None and outcome.failed_in == step:
                return step, outcome.error
    return None


def _refused_setup(
    steps: Sequence[str], expected: Outcome, observed: Outcome
) -> tuple[str, BaseException] | None:
    """Return the step before the last that fails on both sides, and the oracle's error."""
    step, error = expected.failed_in, expected.error
    if error is None or step != observed.failed_in or step not in steps[:-1]:
        return None
    return step, error


@lru_cache(maxsize=8)
def pattern_array(patterns: tuple[str, ...]) -> np.ndarray:
    """Return the array of bit patterns, which NumPy creates once for many cases."""
    scope: dict[str, Any] = {"numpy": np}
    for step in patterns:
        exec(step, scope)
    result: np.ndarray = scope["c"]
    return result


def _with_elements(result: Comparison, *differences: Difference) -> Comparison:
    facets = (*result.facets, "elements")
    return Comparison(facets, [*result.differences, *differences], result.normalized)


class Results(NamedTuple):
    """The raw elements of the result and of the operands of a bulk case, with their formats."""

    source: Format
    target: Format
    result: Any
    operands: Sequence[Any]


def results_of(bulk: ElementCase, outcome: Outcome, library: Library, dtype: Any) -> Results:
    """Return the raw elements of a bulk case whose result has a dtype.

    Those of operands are read unless the case is a reduction, whose results belong to no element.
    """
    names = () if bulk.sizes else bulk.operands
    operands = [outcome.variables[name] for name in names]
    target = _format((bulk.target or str(dtype)).removeprefix("torch."), outcome.value)
    source = _format(bulk.source, operands[0]) if operands else target
    result = raw_parts(outcome.value, library, target.raw_dtype, target.parts)
    parts = [raw_parts(each, library, source.raw_dtype, source.parts) for each in operands]
    return Results(source, target, result, parts)


def elements_of_both(
    bulk: ElementCase, outcomes: Sequence[Outcome], libraries: Sequence[Library], dtype: Any
) -> Elements:
    """Return the elements of both results, and their inputs from the oracle."""
    source, target, expected, operands = results_of(bulk, outcomes[0], libraries[0], dtype)
    observed = raw_parts(outcomes[1].value, libraries[1], target.raw_dtype, target.parts)
    others = OtherResults(libraries[0], bulk.case, target, elementwise=not bulk.sizes)
    if bulk.sizes:
        return Elements(target, target, expected, expected, observed, others)
    inputs = np.concatenate(operands, -1)
    inputs = np.broadcast_to(inputs, (*expected.shape[:-1], inputs.shape[-1]))
    return Elements(source, target, inputs, expected, observed, others)


def _format(name: str, tensor: Any) -> Format:
    """Return the number format of a dtype; without one, only its size."""
    return FORMATS.get(name) or Format(name, "bits", 8 * tensor.element_size())


def judge(elements: Elements, rules: Sequence[Undefined]) -> tuple[Any, ElementCounts]:
    """Return which defined elements differ, and the counts."""
    tally = ElementCounts(compared=elements.inputs[..., 0].size)
    wrong = (elements.expected != elements.observed).any(-1)
    differ = bool(wrong.any())
    for rule in rules:
        if count := int(rule.holds(elements).sum()):
            tally.undefined[rule.name] = count
        if differ:
            forgiven = wrong & rule.forgives(elements)
            if count := int(forgiven.sum()):
                tally.forgiven[rule.name] = count
            wrong &= ~forgiven
    tally.differing = int(wrong.sum())
    return wrong, tally


def apply_bounds(
    bulk: ElementCase,
    elements: Elements,
    wrong: Any,
    tally: ElementCounts,
    table: Sequence[Tolerance],
    oracle: Library | None = None,
) -> Any:
    """Return which elements differ by more than the operator's bound, and count the others.

    With an oracle, elements are also compared with the result of its other kernel.
    """
    rows = _rows(bulk, table)
    nans = wrong & elements.wrong_nans().any(-1)
    if rows:
        tally.bound = largest_bound(rows, elements.target)
    if rows and wrong.any():
        sizes = 0.0
        if oracle is not None and bulk.sizes:
            steps = (*bulk.steps[:-1], *bulk.sizes)
            units = elements_of(bulk, oracle, steps, FORMATS["float64"]).view(np.float64)
            sizes = np.broadcast_to(units[..., 0], wrong.shape)[wrong]
        wrong = _beyond_bound(elements.expected, elements, wrong, rows, LAST_BITS, tally, sizes)
        if oracle is not None and bulk.otherwise and wrong.any():
            other_results = elements_of(bulk, oracle, bulk.otherwise, elements.target)
            wrong = _beyond_bound(other_results, elements, wrong, rows, OTHER_KERNEL, tally)
        wrong |= nans  # all NaNs are equal within a bound
        tally.differing = int(wrong.sum())
    return wrong


def _without_other_widths(
    bulk: ElementCase,
    otherwise: tuple[str, ...],
    elements: Elements,
    wrong: Any,
    tally: ElementCounts,
    oracle: Library,
) -> Any:
    """Return which elements are also not those of the oracle under another vector width.

    The others are counted. ``otherwise`` are the steps with the other kernel, if it counts.
    """
    programs = [Case((*bulk.patterns, *steps)) for steps in (bulk.steps, otherwise) if steps]
    results = (results_by_width(oracle, program, elements.target) for program in programs)
    for result in chain.from_iterable(results) if wrong.any() else ():
        if result.shape == elements.observed.shape:
            is_other = wrong & (result == elements.observed).all(-1)
            if is_other.any():
                tally.forgiven[VECTOR_WIDTH] += int(is_other.sum())
            wrong = wrong & ~is_other
    tally.differing = int(wrong.sum())
    return wrong


def _rows(bulk: ElementCase, table: Sequence[Tolerance]) -> list[Tolerance]:
    """Return the tolerances for a bulk case."""
    text = bulk.operator if bulk.sizes else bulk.steps[-1]
    return tolerances_for(text, table, reduces=bool(bulk.sizes)) if bulk.operator else []


def _beyond_bound(
    results: Any,
    elements: Elements,
    wrong: Any,
    rows: Sequence[Tolerance],
    rule: str,
    tally: ElementCounts,
    sizes: Any = 0.0,
) -> Any:
    """Return which wrong elements are beyond the bound from some results, and count the others."""
    fmt = elements.target
    apart = np.full(wrong.shape, np.inf)
    apart[wrong] = distances_of(rows, results[wrong], elements.observed[wrong], fmt, sizes)
    is_near = apart <= largest_bound(rows, fmt)
    if is_near.any():
        tally.forgiven[rule] += int(is_near.sum())
        tally.largest = max(tally.largest, int(np.ceil(apart[is_near].max())))
    return wrong & ~is_near


def elements_of(bulk: ElementCase, oracle: Library, steps: tuple[str, ...], fmt: Format) -> Any:
    """Return the raw elements that other steps give for the patterns of a bulk case."""
    if oracle.known is not None:
        return oracle.known.elements(bulk, steps)
    outcome = run_through(oracle, Case(steps), {"c": pattern_array(bulk.patterns).copy()})
    if outcome.error is not None:
        raise outcome.error
    return raw_parts(outcome.value, oracle, fmt.raw_dtype, fmt.parts)


def _with_example(
    answer: Answer, elements: Elements, index: tuple[int, ...], bulk: ElementCase
) -> Answer:
    """Return an answer with one differing element, and the third-party results of a conversion."""
    source, target, raw = elements.source, elements.target, elements.inputs[index]
    expected, observed = (
        format_element(side[index], target) for side in (elements.expected, elements.observed)
    )
    template = f"{format_element(raw, source)} becomes {{}}"
    if bulk.sizes:
        template = f"{{}} at {list(index)}"
    difference = Difference("elements", template.format(expected), template.format(observed))
    answer = answer._replace(comparison=answer.comparison._replace(differences=[difference]))
    if bulk.operator:
        return answer
    votes = third_party_results([int(part) for part in raw], source, target)
    return answer._replace(third_party_results=votes, outlier=outlier(expected, observed, votes))
