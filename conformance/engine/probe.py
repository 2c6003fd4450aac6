"""Running programs on both sides, and comparing every facet of every step."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile

import numpy as np

from ..comparison import comparator, element_cases, tolerances, unwritten
from ..comparison.accepted_states import AcceptedStates
from ..comparison.undefined_elements import UNDEFINED_RESULTS, Elements
from ..core.case import Case
from ..core.float_formats import FORMATS
from ..core.reproduction import reproduction
from ..observation import element_bytes
from ..observation.cross_device import is_device_limitation, step_runner
from ..observation.facets import observe
from ..observation.levels import VALUES, level_of
from ..observation.runner import Observation, StepResult, assigns, raised_alike, run_case
from ..recording.answers import Request
from ..recording.known import NotRecorded
from .records import Divergence, PartRecord
from .session import NO_STATES, Session, States
from .setups import (
    blocker_in,
    blocker_of,
    first_question,
    is_blocking,
    is_named_otherwise,
    setup_of,
)

_NO_KERNEL = re.compile(
    r"\"\w+\" not implemented for '\w+'|\w+ is not supported for complex (?:types|inputs)"
    r"|Unlike NumPy, torch\.\w+ is not intended to support complex numbers\..*"
)
"""Torch's errors for dtypes without a kernel, which do not count as missing."""

_MAX_RECORDED = 4096
"""The maximum number of elements in a divergence; of more it has a digest."""

_NOT_IMPLEMENTED = " (NotImplementedError)"
"""What follows the name of a call that is there, but does not do what the case asks."""

_SIDES = {True: "apart", False: "alike"}


def _is_changed(step: int, *sides: Sequence[StepResult]) -> bool:
    """Return whether a step raised on a side and seems to have changed the variables."""
    results = [side[step] for side in sides if len(side) > step]
    return any(result.observation.get("rollback") == "changed" for result in results)


def _call_in(missing: str | None) -> str:
    """Return the name of the call that is missing, or an empty string."""
    return (missing or "").removesuffix(_NOT_IMPLEMENTED)


class Probe:
    """Runs programs on both sides and records their differences.

    ``probe(*steps)`` runs one program.
    """

    def __init__(self, session: Session, record: PartRecord) -> None:
        self.session = self._session = session
        self._record = record
        self.compared = 0
        self.asked: list[str] = []
        self.requests: list[Request] = []
        self.first: list[StepResult] = []
        self.first_length = 0
        self.divergences: list[Divergence] = []
        self.blockers: list[str] = []
        self.refused_by: list[str] = []

    @property
    def turn(self) -> int:
        """The number of times that runs with the seeds before have asked all cells of the domain.

        What a cell asks only in part changes with it.
        """
        return self._session.seed // self._record.one_in

    def __call__(self, *steps: str, question: int | Iterable[int] = -1, name: str = "") -> None:
        """Run a program on both sides, and compare every facet of every step.

        ``question`` is the index of the first step that asks, or the indices of all such steps.
        The other steps before the last of these are the setup. A difference in the setup blocks the
        program, unless its facet does not block. ``name`` is the public name that is missing if the
        answers differ.

        A NameError of the oracle is a mistake in the program and is raised, unless a step failed
        before.
        """
        case = Case(steps)
        question = question if isinstance(question, int) else [*question]
        self.requests.append(Request(steps, question, name))
        setup = setup_of(len(steps), question)
        self.session = self._session_for(case)
        oracle, subject = self.session.oracle, self.session.subject
        self.asked.append(str(case))
        unobserved = self._agreed_steps(case)
        states = self.session.agreed_prefixes.get(case.steps[:unobserved], NO_STATES)
        expected, observed = self._run(case, unobserved, states)
        if states is not NO_STATES and _is_changed(unobserved, expected, observed):
            # The state after the leading steps may be another than before, of empty() for example.
            expected, observed = self._run(case, unobserved, NO_STATES)
        if not raised_alike(expected[:unobserved], observed[:unobserved]):
            # The sides no longer agree on the leading steps, so these are observed too.
            unobserved = 0
            expected, observed = self._run(case, 0, NO_STATES)
        if not self.first:
            self.first, self.first_length = expected, len(steps)
        if len(expected) <= first_question(setup):
            last = expected[-1]
            self.refused_by.append(blocker_of(case.steps[len(expected) - 1], last, last))
        has_failed = any(result.error is not None for result in expected[:unobserved])
        accepted = AcceptedStates()
        for step, (left, right) in [*enumerate(zip(expected, observed, strict=False))][unobserved:]:
            if isinstance(left.error, NameError) and not has_failed:
                raise left.error
            has_failed = has_failed or left.error is not None
            program = case.until(step)
            want, got = left.observation, right.observation
            got = accepted.applied_to(want, got)
            first = result = self.session.compare(want, got, str(program))
            self._record.elements += unwritten.compared_elements(want)
            if self._is_declined(right.error):
                return
            run_there = step_runner(program, subject)
            if result.differences and is_device_limitation(subject, left, right, run_there, oracle):
                self.count(comparator.Comparison(("raises",), [], ["not-here"]), program)
                return
            if unwritten.may_excuse(result):
                want, got, result = self._without_unwritten(program, want, got, result, accepted)
            if result.differences:
                with element_bytes.all_elements_written():
                    result = tolerances.apply_tolerances(
                        oracle, program, want, got, result, self.session.tolerances
                    )
                if not result.differences:
                    accepted.accept(want, got)
                    accepted.accept(left.observation, right.observation)  # which have digests
            if result.differences and len(want.get("elements") or ()) > _MAX_RECORDED:
                result = first  # which has digests
            missing = self._missing(result, (left.error, right.error), program, name)
            self.count(result, program, missing, (want.get("message"), got.get("message")))
            is_setup = step in setup
            if is_setup and is_blocking(result):
                blocker = _call_in(missing) or blocker_of(case.steps[step], left, right)
                self.blockers.append(blocker)
            if result.differences:
                if is_blocking(result) or not (is_setup or is_named_otherwise(result)):
                    return  # differences in later steps may only be consequences
                continue
            if not accepted and (left.error is None or not assigns(case.steps[step])):
                is_last = step == len(case.steps) - 1  # no step reads the state after it
                states = NO_STATES if is_last else (left.state, right.state)
                self.session.agreed_prefixes[program.steps] = states

    def _is_declined(self, error: BaseException | None) -> bool:
        """Return whether the subject declines a step by design; if so, it blocks the program."""
        is_declined = self.session.subject.adapter.is_declined(error)
        if is_declined:
            self.blockers.append(f"{type(error).__name__}, which the adapter declines")
        return is_declined

    def _run(self, case: Case, unobserved: int, states: States) -> list[list[StepResult]]:
        """Return the oracle's and the subject's results, with the states after leading steps."""
        session = self.session
        return [
            run_case(side, case, session.observer, unobserved, state)
            for side, state in zip((session.oracle, session.subject), states, strict=True)
        ]

    def _without_unwritten(
        self,
        case: Case,
        want: Observation,
        got: Observation,
        result: comparator.Comparison,
        accepted: AcceptedStates,
    ) -> tuple[Observation, Observation, comparator.Comparison]:
        """Return two differing observations of a case without the elements that nothing wrote."""
        oracle, subject, observer = self.session.oracle, self.session.subject, self.session.observer
        with element_bytes.all_elements_written():
            if element_bytes.has_digest(want):
                want, got = (
                    run_case(side, case, observer)[-1].observation for side in (oracle, subject)
                )
                got = accepted.applied_to(want, got)
                result = self.session.compare(want, got, str(case))
            masked = self.session.mask(oracle, case, want, got, observer)
        if masked.expected is want:
            return want, got, result
        self._record.unwritten += masked.forgiven
        return *masked[:2], self.session.compare(*masked[:2], str(case))

    def _session_for(self, case: Case) -> Session:
        plain_session = self._session.without_cuda
        return self._session if plain_session is None or "cuda" in str(case) else plain_session

    def _agreed_steps(self, case: Case) -> int:
        """Return the number of leading steps, without the last, on which both sides agree."""
        prefixes = (case.steps[:count] for count in range(1, len(case.steps)))
        return len([*takewhile(self.session.agreed_prefixes.__contains__, prefixes)])

    def _missing(
        self,
        result: comparator.Comparison,
        errors: Sequence[BaseException | None],
        case: Case,
        asked: str = "",
    ) -> str | None:
        """Return the name that the subject lacks if this caused a difference, or None.

        ``asked`` is the name that the case asks for.
        """
        expected, error = errors
        if not result.differences:
            return None
        if asked:
            return asked
        if isinstance(error, AttributeError):
            name = self.session.subject.missing(str(case))
            if name is None and not isinstance(expected, AttributeError):
                name = self.session.subject.missing_member(str(case).splitlines()[-1], error)
            return name
        if isinstance(error, TypeError) and expected is None:
            return self.session.subject.missing_operator(error)
        if isinstance(error, NotImplementedError) and expected is None:
            message = error.args[0] if error.args else ""
            is_refusal = type(message) is str and _NO_KERNEL.fullmatch(message) is not None
            name = blocker_in(str(case).splitlines()[-1], error)
            return None if is_refusal else f"{name}{_NOT_IMPLEMENTED}"
        return None

    def count_visit(self, item: object) -> None:
        """Count a cell or a drawn case as visited, or as blocked if any of its programs was."""
        if self.blockers:
            self._record.visits.block(item, self.blockers)
        elif self.compared:
            self._record.visits.add(item, self.refused_by)

    def repeat(self, requests: Iterable[Request]) -> None:
        """Ask what another probe asked; an answer that is not in the recording blocks."""
        for request in requests:
            try:
                if request.bulk is not None:
                    self.bulk(request.bulk)
                else:
                    self(*request.steps, question=request.question, name=request.name)
            except NotRecorded:
                self.blockers.append("an answer that is not in the recording")

    def bulk(self, question: element_cases.ElementCase) -> None:
        """Run a bulk case on both sides, and compare its facets and all its elements."""
        session = self.session
        self.asked.append(str(question.case))
        self.requests.append(Request(bulk=question))
        answer = element_cases.ask(
            session.oracle, session.subject, question, session.compare,
            UNDEFINED_RESULTS if question.operator else session.undefined, session.profile.shrinks,
            session.tolerances,
        )  # fmt: skip
        tallies, key = self._record.tallies, f"{question.source} {question.target}"
        if question.operator:
            tallies, key = self._record.operators, f"{question.operator} {answer.target}"
        if answer.target or not question.operator:
            tallies[key] = tallies.get(key, element_cases.ElementCounts()) + answer.tally
        if self._is_declined(answer.errors[1]):
            return
        result, case = answer.comparison, answer.case
        missing = self._missing(result, answer.errors, case)
        if answer.failed_setup:
            self.blockers.append(_call_in(missing) or blocker_in(*answer.failed_setup))
        if answer.refused_setup:
            self.refused_by.append(blocker_in(*answer.refused_setup))
        votes = answer.third_party_results, answer.outlier
        self.count(result, case, missing, answer.messages, *votes)

    def count(
        self,
        result: comparator.Comparison,
        case: Case,
        missing: str | None = None,
        messages: Sequence[str | None] = (None, None),
        third_party_results: Mapping[str, str] | None = None,
        outlier: str = "",
    ) -> None:
        """Count a comparison, and record its differences.

        A missing name is one wrong fact; nothing that follows from it is counted.
        """
        if missing:
            first, *_ = result.differences
            result = comparator.Comparison((first.facet,), [first], [])
        self.compared += len(result.facets)
        counts = self._record.facets
        for name in result.facets:
            counts[name] += 1
        for name in result.normalized:
            self._record.normalized[name] += 1
        if "shape" in result.facets:
            self._record.not_asked.update(self.session.subject.not_asked)
        for facet, *sides in result.differences:
            # A name that is not there is no refusal, whatever torch raises.
            level = VALUES if missing else level_of(facet, *sides)
            self._record.wrong[f"{level} {facet}"] += 1
            script = reproduction(case, self.session.subject.spec, facet, (sides[0], sides[1]))
            expected, observed = map(element_bytes.with_digests, sides)
            self.divergences.append(
                Divergence(
                    self._record.property_id, facet, str(case), expected, observed, missing,
                    script, list(messages), third_party_results, outlier, case.steps,
                )
            )  # fmt: skip

    def verdict(
        self, case: Case, expected: str | None, observed: str, normalized: Sequence[str] = ()
    ) -> None:
        """Count one comparison of two texts; None is equal to any."""
        difference = comparator.Difference("verdict", expected, observed)
        differences = [] if expected in (None, observed) else [difference]
        self.asked.append(str(case))
        self.count(comparator.Comparison(("verdict",), differences, list(normalized)), case)

    def tells_apart(self, left: str, right: str, *, apart: bool, case: str = "") -> None:
        """Check whether the comparator distinguishes the oracle's results of two programs.

        ``case`` is the case of both results for the comparator.
        """
        oracle = self.session.oracle
        first, second = (
            run_case(oracle, Case(tuple(text.split("; "))), observe)[-1].observation
            for text in (left, right)
        )
        result = self.session.compare(first, second, case)
        both = Case((f"({left}, {right})",))
        self.verdict(both, _SIDES[apart], _SIDES[bool(result.differences)], result.normalized)

    def tells_unwritten_apart(self, left: str, right: str, *, apart: bool) -> None:
        """Check whether the oracle's results of two programs differ in elements that it wrote."""
        oracle, both = self.session.oracle, Case((f"({left}, {right})",))
        cases = [Case(tuple(text.split("; "))) for text in (left, right)]
        with element_bytes.all_elements_written():
            first, second = (run_case(oracle, case, observe)[-1].observation for case in cases)
            masked = self.session.mask(oracle, cases[0], first, second, observe)
        result = self.session.compare(masked.expected, masked.observed, str(both))
        self.verdict(both, _SIDES[apart], _SIDES[bool(result.differences)], result.normalized)

    def tells_distance_apart(
        self, step: str, dtype: str, distance: int, *, apart: bool, reduces: bool = False
    ) -> None:
        """Check whether the tolerances accept elements ``distance`` ULP apart.

        step: the step, or the name of the operator, for the table
        dtype: the dtype of the elements, all of which are 1, or the floor of the tolerances
        reduces: whether the operator is a reduction
        """
        fmt, table = FORMATS[dtype], self.session.tolerances
        rows = tolerances.tolerances_for(step, table, reduces)
        exponent = int(np.log2(max([1.0, *(row.floor for row in rows)])))
        left = np.array([[(fmt.bias + exponent) << fmt.mantissa] * fmt.parts], fmt.raw_dtype)
        right = left + np.array(distance, fmt.raw_dtype)
        sizes = ("torch.ones(1, dtype=torch.float64)",) if reduces else ()
        patterns = ("c = numpy.zeros(1)",)
        question = element_cases.ElementCase(
            dtype, dtype, patterns, (step,), operator=step, sizes=sizes
        )
        elements = Elements(fmt, fmt, left, left, right)
        _, tally = element_cases.judge(elements, ())
        is_wrong = left[..., 0] != right[..., 0]
        differs = element_cases.apply_bounds(
            question, elements, is_wrong, tally, table, self.session.oracle
        )
        case = Case((f"{distance} steps of {dtype} apart, of {step}",))
        self.verdict(case, _SIDES[apart], _SIDES[bool(differs.any())])

    def tells_elements_apart(
        self, source: str, target: str, raw_input: int, results: Sequence[int], *, apart: bool
    ) -> None:
        """Check whether the rules for elements distinguish two results, as raw bits.

        Further results are those of the oracle's other kernels.
        """
        before, after = FORMATS[source], FORMATS[target]
        raw = np.array([[raw_input]], before.raw_dtype)
        expected, observed, *others = (np.array([[bits]], after.raw_dtype) for bits in results)
        elements = Elements(before, after, raw, expected, observed, others)
        _, tally = element_cases.judge(elements, self.session.undefined)
        left, right, *_ = results
        case = Case((f"{raw_input:#x} of {source} becomes {left:#x} or {right:#x} of {target}",))
        self.verdict(case, _SIDES[apart], _SIDES[bool(tally.differing)])
