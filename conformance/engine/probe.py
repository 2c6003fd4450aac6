"""The asking of questions: a program is run on both sides, and every facet of every step compared."""

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile

import numpy as np

from ..comparison import comparator, element_cases, tolerances
from ..comparison.undefined_elements import UNDEFINED_RESULTS, Elements
from ..core.case import Case, reproduction
from ..core.float_formats import FORMATS
from ..observation import tensor_state
from ..observation.cross_device import ask_step, is_device_limitation
from ..observation.facets import read
from ..observation.runner import StepResult, assigns, run_case, went_alike
from .records import Divergence, PartRecord
from .session import Session

_NO_KERNEL = re.compile(
    r"\"\w+\" not implemented for '\w+'|\w+ is not supported for complex (?:types|inputs)"
    r"|Unlike NumPy, torch\.\w+ is not intended to support complex numbers\..*"
)
"""How torch refuses a dtype, which is an answer, and nothing that is missing."""


class Probe:
    """Asks both libraries the same and writes down where they differ.

    Call it with the steps of a program.
    """

    def __init__(self, session: Session, record: PartRecord) -> None:
        self.session = self._session = session
        self._record = record
        self.compared = 0
        self.asked: list[str] = []
        self.first: list[StepResult] = []
        self.divergences: list[Divergence] = []

    def __call__(self, *steps: str) -> None:
        """Run a program on both sides; compare every facet of every step.

        A name that the oracle does not find, though nothing failed before, is a
        mistake of the program, and is raised.
        """
        case = Case(steps)
        self.session = self._session_for(case)
        oracle, subject = self.session.oracle, self.session.subject
        self.asked.append(str(case))
        unseen = self._settled(case)
        look = self.session.look
        expected, observed = (run_case(each, case, look, unseen) for each in (oracle, subject))
        if not went_alike(expected[:unseen], observed[:unseen]):
            # What was alike before is not now, so it is looked at again.
            unseen = 0
            expected, observed = (run_case(each, case, look) for each in (oracle, subject))
        self.first = self.first or expected
        has_failed = any(each.error is not None for each in expected[:unseen])
        for step, (left, right) in [*enumerate(zip(expected, observed, strict=False))][unseen:]:
            if isinstance(left.error, NameError) and not has_failed:
                raise left.error
            has_failed = has_failed or left.error is not None
            so_far = case.until(step)
            seen, found = left.observation, right.observation
            result = self.session.compare(seen, found, str(so_far))
            ask_there = ask_step(so_far, subject)
            if result.differences and is_device_limitation(subject, left, right, ask_there, oracle):
                self.count(comparator.Comparison(("raises",), [], ["not-here"]), so_far)
                return
            if result.differences and tensor_state.has_digest(seen.get("elements")):
                with tensor_state.showing_all():
                    seen, found = (
                        run_case(side, so_far, look)[-1].observation for side in (oracle, subject)
                    )
                result = self.session.compare(seen, found, str(so_far))
            if result.differences:
                result = tolerances.explained(
                    oracle, so_far, seen, found, result, self.session.inexact
                )
            missing = None
            if result.differences:
                missing = self._missing(left.error, right.error, so_far)
            self.count(result, so_far, missing, (seen.get("message"), found.get("message")))
            if result.differences:
                return  # what follows may only be a consequence
            if left.error is None or not assigns(case.steps[step]):
                self.session.agreed_prefixes.add(so_far.steps)

    def _session_for(self, case: Case) -> Session:
        without = self._session.without_cuda
        return self._session if without is None or "cuda" in str(case) else without

    def _settled(self, case: Case) -> int:
        """Return with how many steps, but the last, a case begins that are known to be alike."""
        beginnings = (case.steps[:each] for each in range(1, len(case.steps)))
        return sum(1 for _ in takewhile(self.session.agreed_prefixes.__contains__, beginnings))

    def _missing(
        self, expected: BaseException | None, error: BaseException | None, case: Case
    ) -> str | None:
        """Say what the subject lacks, if that is why it raised an error and the oracle did not."""
        if isinstance(error, AttributeError):
            return self.session.subject.missing(str(case))
        if isinstance(error, NotImplementedError) and type(expected) is not type(error):
            said = error.args[0] if error.args else ""
            is_refusal = type(said) is str and _NO_KERNEL.fullmatch(said) is not None
            return None if is_refusal else f"{case} (NotImplementedError)"
        return None

    def bulk(self, question: element_cases.ElementCase) -> None:
        """Run a bulk case on both sides; compare its facets, and its elements one by one."""
        session = self.session
        self.asked.append(str(question.case))
        answer = element_cases.ask(
            session.oracle, session.subject, question, session.compare,
            UNDEFINED_RESULTS if question.operator else session.undefined, session.profile.shrinks,
            session.inexact,
        )  # fmt: skip
        tallies, key = self._record.tallies, f"{question.source} {question.target}"
        if question.operator:
            tallies, key = self._record.operators, f"{question.operator} {answer.target}"
        if answer.target or not question.operator:
            tallies[key] = tallies.get(key, element_cases.ElementCounts()) + answer.tally
        differs = answer.comparison.differences
        missing = self._missing(*answer.errors, answer.case) if differs else None
        self.count(
            answer.comparison,
            answer.case,
            missing,
            answer.messages,
            answer.third_party_results,
            answer.outlier,
        )

    def count(
        self,
        result: comparator.Comparison,
        case: Case,
        missing: str | None = None,
        messages: Sequence[str | None] = (None, None),
        votes: Mapping[str, str] | None = None,
        alone: str = "",
    ) -> None:
        """Count a comparison, and keep its differences."""
        self.compared += len(result.facets)
        self._record.facets.update(result.facets)
        self._record.normalised.update(result.normalised)
        script = reproduction(case, self.session.subject.spec) if result.differences else ""
        for facet, expected, observed in result.differences:
            self.divergences.append(
                Divergence(
                    self._record.property_id, facet, str(case), expected, observed, missing,
                    script, list(messages), votes, alone,
                )
            )  # fmt: skip

    def tells_apart(self, left: str, right: str, *, apart: bool, case: str = "") -> None:
        """Ask the oracle two things, and the comparator whether they are apart: it must know.

        ``case`` is what the comparator is told that both are answers to.
        """
        oracle = self.session.oracle
        first, second = (
            run_case(oracle, Case(tuple(text.split("; "))), read)[-1].observation
            for text in (left, right)
        )
        result = self.session.compare(first, second, case)
        verdicts = {True: "apart", False: "alike"}
        expected, observed = verdicts[apart], verdicts[bool(result.differences)]
        wrong = [comparator.Difference("verdict", expected, observed)]
        self.asked.append(f"{left} / {right}")
        self.count(
            comparator.Comparison(
                ("verdict",), wrong if expected != observed else [], result.normalised
            ),
            Case((f"({left}, {right})",)),
        )

    def tells_distance_apart(
        self, step: str, dtype: str, distance: int, *, apart: bool, reduces: bool = False
    ) -> None:
        """Ask the table of last bits whether ones that lie so far apart are alike: it must know.

        ``step`` is the one that both are answers to, ``dtype`` that of the elements, ``reduces``
        whether it puts many together, all of which are one, too.
        """
        form = FORMATS[dtype]
        one = np.array([[form.bias << form.mantissa] * form.parts], form.code_type)
        other = one + np.array(distance, form.code_type)
        sizes = ("torch.ones(1, dtype=torch.float64)",) if reduces else ()
        given = ("c = numpy.zeros(1)",)
        question = element_cases.ElementCase(
            dtype, dtype, given, (step,), operator=step, sizes=sizes
        )
        elements = Elements(form, form, one, one, other)
        _, tally = element_cases.judge(elements, ())
        wrong, table = one[..., 0] != other[..., 0], self.session.inexact
        differs = element_cases.accepted(
            question, elements, wrong, tally, table, self.session.oracle
        )
        verdicts = {True: "apart", False: "alike"}
        expected, observed = verdicts[apart], verdicts[bool(differs.any())]
        wrong = [comparator.Difference("verdict", expected, observed)]
        case = Case((f"{distance} steps of {dtype} apart, of {step}",))
        self.asked.append(str(case))
        self.count(
            comparator.Comparison(("verdict",), wrong if expected != observed else [], []), case
        )

    def tells_elements_apart(
        self, source: str, target: str, given: int, sides: tuple[int, int], *, apart: bool
    ) -> None:
        """Ask the rules for elements whether two codes that one became are apart: they must know."""
        forms = FORMATS[source], FORMATS[target], FORMATS[target]
        raw = [
            np.array([[code]], form.code_type)
            for code, form in zip((given, *sides), forms, strict=True)
        ]
        _, tally = element_cases.judge(Elements(*forms[:2], *raw), self.session.undefined)
        verdicts = {True: "apart", False: "alike"}
        expected, observed = verdicts[apart], verdicts[bool(tally.differing)]
        wrong = [comparator.Difference("verdict", expected, observed)]
        left, right = sides
        case = Case((f"{given:#x} of {source} becomes {left:#x} or {right:#x} of {target}",))
        self.asked.append(str(case))
        self.count(
            comparator.Comparison(("verdict",), wrong if expected != observed else [], []), case
        )
