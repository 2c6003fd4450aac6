"""Compares two observations, and names the rules by which unequal texts count as equal.

A normalisation is for what torch itself leaves undefined.  It is tried only
where the two sides differ, and each time it makes a difference the report
counts it.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from itertools import combinations
from typing import Any, NamedTuple

from .facets import FACETS
from .observe import Observation


class Normalisation(NamedTuple):
    """A rule that makes alike what differs only in what torch leaves undefined.

    It holds for some facets, and for the cases whose text its pattern finds.
    """

    name: str
    facets: tuple[str, ...]
    why: str
    apply: Callable[[Any], Any]
    cases: re.Pattern[str] = re.compile("")


def _on_text(apply: Callable[[str], str]) -> Callable[[Any], Any]:
    return lambda value: apply(value) if isinstance(value, str) else value


def _without_module(text: str) -> str:
    return re.sub(r"^<class '(?:\w+\.)+(\w+)'>$", r"<class '\1'>", text)


def _without_build_path(text: str) -> str:
    if "INTERNAL ASSERT FAILED at" not in text:
        return text
    return re.sub(r'"(?:[^"]*/)?((?:aten|c10|torch)/[^"]*)":\d+', r'"\1"', text)


def _sort_names(match: re.Match[str]) -> str:
    return match[1] + ", ".join(sorted(filter(None, match[2].split(", ")))) + match[3]


def _with_sorted_keywords(text: str) -> str:
    if "received an invalid combination of arguments" not in text:
        return text
    text = re.sub(r"(keywords were incorrect: )([^\n]*)()", _sort_names, text)
    return re.sub(r"(- got \((?:[^=,)]+, )*)((?:\w+=[^,)]*(?:, )?)+)(\))", _sort_names, text)


def _without_kind_of_function(text: str) -> str:
    return text.replace("builtin_function_or_method", "function")


_LIMITS = r"torch\.[fi]info\([^()]*\)"
_NEITHER_LIMITS_NOR_DTYPE = r"(?!torch\.)\S+"

NORMALISATIONS = (
    Normalisation(
        "module-of-class",
        ("repr",),
        "a class is printed with the module it lives in, which is the library's own",
        _on_text(_without_module),
    ),
    Normalisation(
        "build-path",
        ("message",),
        "an internal assertion names the folder and the line of torch's source where it was built",
        _on_text(_without_build_path),
    ),
    Normalisation(
        "keyword-order",
        ("message",),
        "a message lists the keywords of a call in the order of a C++ hash map",
        _on_text(_with_sorted_keywords),
    ),
    Normalisation(
        "kind-of-function",
        ("message",),
        "a message names the type of a wrong argument; torch's own functions are made in C",
        _on_text(_without_kind_of_function),
        re.compile(r"\btorch\.(can_cast|promote_types|result_type|[gs]et_default_dtype)\b(?!\()"),
    ),
    Normalisation(
        "foreign-memory",
        ("value",),
        "finfo and iinfo read any object they are compared with as if it were one of them"
        " (THPDTypeInfo_compare in torch/csrc/TypeInfo.cpp), so the answer is whatever lies there",
        lambda value: "undefined" if isinstance(value, bool) else value,
        re.compile(
            rf"^{_LIMITS} [!=]= {_NEITHER_LIMITS_NOR_DTYPE}$"
            rf"|^{_NEITHER_LIMITS_NOR_DTYPE} [!=]= {_LIMITS}$"
        ),
    ),
)

ABSENT = {"absent": True}
"""Stands for a facet that one side has and the other has not."""


class Difference(NamedTuple):
    """One facet in which two observations differ."""

    facet: str
    expected: Any
    observed: Any


class Comparison(NamedTuple):
    """Two observations, compared: how many facets, which differ, which rules were needed."""

    facets: int
    differences: list[Difference]
    normalised: list[str]


def compare(expected: Observation, observed: Observation, case: str) -> Comparison:
    """Compare what two libraries showed of the last step of a case, facet by facet.

    Where a deciding facet differs (one side raised, the other did not) the
    facets that depend on it are not compared.
    """
    facets, differences, normalised = 0, [], []
    for name, decides in _facets_of(expected, observed):
        left, right = expected.get(name, ABSENT), observed.get(name, ABSENT)
        facets += 1
        if same(left, right):
            continue
        if rules := _rules_that_make_alike(name, case, left, right):
            normalised += rules
            continue
        differences.append(Difference(name, left, right))
        if decides:
            break
    return Comparison(facets, differences, normalised)


def same(left: Any, right: Any) -> bool:
    """Tell whether two canonical values are equal, types included."""
    if type(left) is not type(right):
        return False
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict):
        return list(left) == list(right) and all(same(left[key], right[key]) for key in left)
    return bool(left == right)


def _facets_of(expected: Observation, observed: Observation) -> Iterator[tuple[str, bool]]:
    for facet in FACETS:
        if facet.name in expected or facet.name in observed:
            yield facet.name, facet.decides


def _rules_that_make_alike(facet: str, case: str, left: Any, right: Any) -> list[str]:
    """Return the rules by which two answers count as alike, as few as it takes; or none."""
    rules = [each for each in NORMALISATIONS if facet in each.facets and each.cases.search(case)]
    for number in range(1, len(rules) + 1):
        for some in combinations(rules, number):
            if same(_apply_all(some, left), _apply_all(some, right)):
                return [each.name for each in some]
    return []


def _apply_all(rules: Iterable[Normalisation], value: Any) -> Any:
    return reduce(lambda so_far, rule: rule.apply(so_far), rules, value)
