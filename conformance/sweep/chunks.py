"""The comparison of one chunk: the answers of both sides, element by element.

Nearly all chunks are equal in every bit, which costs one pass over both results. The rules and the
tolerances of a run judge the others (`conformance.comparison.element_cases`).
"""

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from typing import Any

import numpy as np

from ..comparison.element_cases import ElementCase, elements_of_both, judge_results, run_bulk
from ..comparison.ulp import distances
from ..comparison.undefined_elements import UNDEFINED_RESULTS, Elements
from ..core.float_formats import Format, format_element, is_nan
from ..engine.session import Session
from ..explain.answers import session_of
from .questions import Question

WORST = 5
"""The number of elements that are kept as examples."""


@dataclass
class Chunk:
    """The result of one chunk, or the sum of several.

    size: the number of elements
    equal, undefined, within, wrong: the elements that are equal in every bit, that differ and are
        undefined, that differ by no more than is accepted, and all others
    refused: the elements of which both sides refuse the call
    distances: the number of differing elements by their distance, in ULP, rounded up to powers of 2
    worst: examples of the largest distances: the distance, whether it is wrong, the inputs, and
        the results of both sides
    problem: what differs beside the elements
    target: the dtype of the result
    digest: the digest of the results of both sides
    results: the digest of the oracle's results, in which all NaNs are alike; torch defines no more
    seconds: the time that it took
    """

    size: int = 0
    equal: int = 0
    undefined: int = 0
    within: int = 0
    wrong: int = 0
    refused: int = 0
    distances: dict[str, int] = field(default_factory=dict)
    worst: list[list[Any]] = field(default_factory=list)
    problem: str = ""
    target: str = ""
    digest: str = ""
    results: str = ""
    seconds: float = 0.0

    def __add__(self, other: "Chunk") -> "Chunk":
        """Return the sum of this chunk and the next one."""
        counts = Counter(self.distances) + Counter(other.distances)
        worst = sorted([*self.worst, *other.worst], key=_badness)[:WORST]
        digest, results = (
            sha256("".join(pair).encode()).hexdigest()
            for pair in ((self.digest, other.digest), (self.results, other.results))
        )
        return Chunk(
            **{name: getattr(self, name) + getattr(other, name) for name in (*COUNTS, "seconds")},
            distances=dict(sorted(counts.items(), key=lambda item: float(item[0]))),
            worst=worst,
            problem=self.problem or other.problem,
            target=self.target or other.target,
            digest=digest,
            results=results,
        )


COUNTS = ("size", "equal", "undefined", "within", "wrong", "refused")
"""The fields of a chunk that are numbers of elements."""


def _badness(example: list[Any]) -> tuple[bool, float, list[str]]:
    distance, is_wrong, inputs, *_ = example
    return not is_wrong, -float(distance), inputs


_HIDES_ELEMENTS = {"raises", "dtype", "shape"}
"""The facets without which elements cannot be compared."""


@cache
def session_for(oracle: str, subject: str) -> Session:
    """Return a session whose sides use one thread each, as the chunks run side by side."""
    session = session_of(oracle, subject)
    for library in (session.oracle, session.subject):
        if hasattr(library.root, "set_num_threads"):
            library.root.set_num_threads(1)
    return session


def compare_chunk(session: Session, question: Question, number: int) -> Chunk:
    """Return the result of a chunk."""
    began = time.perf_counter()
    chunk = Chunk()
    for block in question.blocks(number):
        chunk = chunk + _compare(session, question.case(block), len(block))
    chunk.seconds = round(time.perf_counter() - began, 3)
    return chunk


def _compare(session: Session, bulk: ElementCase, size: int) -> Chunk:
    oracle, subject = session.oracle, session.subject
    (expected, left), (observed, right) = (run_bulk(side, bulk) for side in (oracle, subject))
    differences = session.compare(left, right, str(bulk.case)).differences
    texts = (f"{each.facet}: {each.expected} | {each.observed}" for each in differences)
    problem = "; ".join(texts)[:500]
    if _HIDES_ELEMENTS.intersection(each.facet for each in differences):
        return Chunk(size, wrong=size, problem=problem, digest=_digest(problem.encode()))
    if not expected.is_tensor:
        text = repr(left.get("message")) + problem
        return Chunk(size, refused=size, problem=problem, digest=_digest(text.encode()))
    elements = elements_of_both(bulk, (expected, observed), (oracle, subject), left["dtype"])
    chunk = _compare_elements(session, bulk, size, elements)
    chunk.problem = problem
    chunk.results = _digest(_with_one_nan(elements.expected, elements.target))
    return chunk


def _with_one_nan(raw: Any, fmt: Format) -> Any:
    """Return the raw bits of elements in which all parts that are NaN have all bits."""
    if not fmt.is_float:
        return raw
    return np.where(is_nan(raw, fmt), np.array(-1).astype(raw.dtype), raw)


def _compare_elements(session: Session, bulk: ElementCase, size: int, elements: Elements) -> Chunk:
    oracle = session.oracle
    target = elements.target.name
    if _is_equal(elements.expected, elements.observed):
        return Chunk(size, equal=size, target=target, digest=_digest(elements.expected))
    differs = (elements.expected != elements.observed).any(-1)
    rules = UNDEFINED_RESULTS if bulk.operator else session.undefined
    wrong, tally = judge_results(bulk, elements, oracle, rules, session.tolerances)
    undefined = sum(tally.forgiven[rule.name] for rule in rules)
    apart = distances(elements.expected[differs], elements.observed[differs], elements.target)
    return Chunk(
        size, size - int(differs.sum()), undefined,
        int(differs.sum()) - undefined - tally.differing, tally.differing, 0,
        _histogram(apart), _worst(elements, differs, wrong, apart), "", target,
        _digest(elements.expected, elements.observed),
    )  # fmt: skip


def _is_equal(left: Any, right: Any) -> bool:
    return left.shape == right.shape and bool((left == right).all())


def _digest(*contents: Any) -> str:
    digest = sha256()
    for content in contents:
        digest.update(np.ascontiguousarray(content).data if hasattr(content, "data") else content)
    return digest.hexdigest()


def _histogram(apart: Any) -> dict[str, int]:
    """Return how many elements have which distance, rounded up to a power of 2."""
    with np.errstate(divide="ignore"):
        rounded = np.where(
            np.isfinite(apart), 2.0 ** np.ceil(np.log2(np.maximum(apart, 1))), np.inf
        )
    rounded[apart == 0] = 0  # NaNs with other bits
    values, counts = np.unique(rounded, return_counts=True)
    return {f"{value:g}": int(count) for value, count in zip(values, counts, strict=True)}


def _worst(elements: Elements, differs: Any, wrong: Any, apart: Any) -> list[list[Any]]:
    """Return the elements that are furthest apart, the wrong ones first."""
    indices = np.flatnonzero(differs)
    is_wrong = wrong.reshape(-1)[indices]
    order = np.lexsort((-apart, ~is_wrong))[:WORST]
    examples = []
    for at in order.tolist():
        index = indices[at]
        raw = [f"{int(part):#x}" for part in elements.inputs.reshape(wrong.size, -1)[index]]
        texts = (
            format_element(side.reshape(wrong.size, -1)[index], elements.target)
            for side in (elements.expected, elements.observed)
        )
        examples.append([float(apart[at]), bool(is_wrong[at]), raw, *texts])
    return examples


def run_chunk(order: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result of a chunk as data; it runs in a worker."""
    session = session_for(order["oracle"], order["subject"])
    question = Question(*order["question"])
    return vars(compare_chunk(session, question, order["chunk"]))
