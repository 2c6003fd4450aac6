"""Compares two observations, and names the rules by which unequal texts count as equal.

A normalisation is for what torch itself leaves undefined.  It is tried only
where the two sides differ, and each time it makes a difference the report
counts it.
"""

import marshal
import re
from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from itertools import combinations
from typing import Any, NamedTuple

from ..observation.facets import FACETS
from ..observation.runner import Observation


class Normalisation(NamedTuple):
    """A rule that makes alike what differs only in what torch leaves undefined.

    It holds for some facets, and for the cases whose text its pattern finds.  How often one is needed ``by_chance``
    depends on what the process did before, and is not counted.
    """

    name: str
    facets: tuple[str, ...]
    why: str
    apply: Callable[[Any], Any]
    cases: re.Pattern[str] = re.compile("")
    by_chance: bool = False


def _on_text(apply: Callable[[str], str]) -> Callable[[Any], Any]:
    return lambda value: apply(value) if isinstance(value, str) else value


def _without_module(text: str) -> str:
    return re.sub(r"^<class '(?:\w+\.)+(\w+)'>$", r"<class '\1'>", text)


def _without_build_path(text: str) -> str:
    if "INTERNAL ASSERT FAILED at" not in text:
        return text
    return re.sub(r'"(?:[^"]*/)?((?:aten|c10|torch)/[^"]*)":\d+', r'"\1"', text)


def _without_listing(text: str) -> str:
    if not text.startswith("Could not run '"):
        return text
    return re.sub(r" is only available for these backends: \[.*", "", text, flags=re.DOTALL)


def _without_sparse_listing(text: str) -> str:
    words = r"\A(Could not run '[^']*' with arguments from the '(?:Sparse)?CPU' backend\.).*"
    return re.sub(words, r"\1", text, flags=re.DOTALL)


def _sort_names(match: re.Match[str]) -> str:
    return match[1] + ", ".join(sorted(filter(None, match[2].split(", ")))) + match[3]


def _with_sorted_keywords(text: str) -> str:
    if "received an invalid combination of arguments" not in text:
        return text
    text = re.sub(r"(keywords were incorrect: )([^\n]*)()", _sort_names, text)
    return re.sub(r"(- got \((?:[^=,)]+, )*)((?:\w+=[^,)]*(?:, )?)+)(\))", _sort_names, text)


def _without_kind_of_function(text: str) -> str:
    return text.replace("builtin_function_or_method", "function")


def _without_cpp_trace(text: str) -> str:
    return re.sub(r"\nException raised from \w+ at .*?(\"?)\Z", r"\1", text, flags=re.DOTALL)


_NANS = {4: ((5, 10), (8, 7)), 8: ((8, 23),), 16: ((11, 52),)}
"""The exponent and mantissa bits of the formats, by how many digits an element is written with."""


def _is_nan(digits: str) -> bool:
    formats = _NANS.get(len(digits), ())
    try:
        code = int(digits, 16)
    except ValueError:
        return False  # other text
    return any(
        code >> mantissa & 2**exponent - 1 == 2**exponent - 1 and code & 2**mantissa - 1
        for exponent, mantissa in formats
    )


def _without_nan_payloads(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: [_nan_or(each) for each in held]
            if key == "elements" and isinstance(held, list)
            else _without_nan_payloads(held)
            for key, held in value.items()
        }
    if isinstance(value, list):
        return [
            _nan_or(each) if isinstance(each, str) else _without_nan_payloads(each)
            for each in value
        ]
    return value


def _nan_or(digits: str) -> str:
    if len(digits) == 32:  # complex128, which nothing else is as long as
        return _nan_or(digits[:16]) + _nan_or(digits[16:])
    return "NaN" if _is_nan(digits) else digits


def _without_sign_of_zero(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: [_without_sign(each) for each in held]
            if key == "elements" and isinstance(held, list)
            else _without_sign_of_zero(held)
            for key, held in value.items()
        }
    if isinstance(value, list):
        return [_without_sign(each) if isinstance(each, str) else each for each in value]
    return value


def _without_sign(digits: str) -> str:
    return digits if digits.strip("0") != "8" or digits[0] != "8" else "0" * len(digits)


def _without_printed_sign_of_zero(text: str) -> str:
    return re.sub(r"\s+", "", re.sub(r"-(?=0\.(?!\d))", "", text))


def _without_signs_of_zeros(value: Any) -> Any:
    """Make each negative zero a positive one, in the parts of elements and in text."""
    if isinstance(value, dict):
        return {key: _without_signs_of_zeros(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_without_signs_of_zeros(each) for each in value]
    if not isinstance(value, str):
        return value
    if value == "8000":
        return "0000"
    if re.fullmatch(r"[0-9a-f]{8}|[0-9a-f]{16}|[0-9a-f]{32}", value):
        half = len(value) // 2
        parts = value[:half], value[half:]
        return "".join(part if part.strip("0") != "8" else "0" * half for part in parts)
    text = re.sub(r"8000000000000000 \(-0.0\)", "0000000000000000 (0.0)", value)
    text = re.sub(r"\(-0[-+]0j\)|(?<![\d.])-0j", "0j", text)
    text = re.sub(r"\(-0\+?(-?[\d.]+j)\)", r"\1", text)
    text = re.sub(r"-(0\.?0*(?:e\+00)?j)", r"+\1", text)
    text = re.sub(r"\s*-?(0\.0*(?:e\+00)?[-+])", r" \1", text)
    return re.sub(r"\s*-?\b(0\.0*(?:e\+00)?)(?=[,\]])", r" \1", text)


def _without_elements(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: "undefined" if key == "elements" else _without_elements(each)
            for key, each in value.items()
        }
    return [_without_elements(each) for each in value] if isinstance(value, list) else value


_UNINITIALISED = re.compile(
    r"\A(?!.*use_deterministic_algorithms\(True)"
    r".*\b(?:(?:empty\w*|new_empty\w*|resize\w*|set_|\w*Tensor|new)\(|\w*Storage\((?!\[))",
    re.DOTALL,
)

_OF_TWO = re.compile(r"\.(?:maximum|minimum|(?:clamp|clip)\w*)\([^)]")

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
        "kernels-listing",
        ("message",),
        "what is said of an operator without a kernel for a device ends with all kernels that it has, and"
        " with the files and lines of torch's source that made them",
        _on_text(_without_listing),
    ),
    Normalisation(
        "sparse-kernels-listing",
        ("message",),
        "what is said of an operator that sparse tensors have not goes on with advice for those who built"
        " torch, and with the kernels, files and lines of that build",
        _on_text(_without_sparse_listing),
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
        "cpp-trace",
        ("message",),
        "some messages end with a trace of torch's C++ stack",
        _on_text(_without_cpp_trace),
    ),
    Normalisation(
        "nan-payload",
        ("elements", "state", "value"),
        "which bits a NaN has after a conversion depends on the kernel that torch takes",
        _without_nan_payloads,
        re.compile(r"\.(to|double|float|half|bfloat16)\("),
    ),
    Normalisation(
        "zero-of-two",
        ("elements", "state"),
        "which of two zeros counts as the larger depends on how many elements a kernel takes at once",
        _without_sign_of_zero,
        _OF_TWO,
        by_chance=True,
    ),
    Normalisation(
        "zero-of-two-print",
        ("repr",),
        "which of two zeros counts as the larger depends on how many elements a kernel takes at once",
        _on_text(_without_printed_sign_of_zero),
        _OF_TWO,
        by_chance=True,
    ),
    Normalisation(
        "negated-complex-zero",
        ("elements", "state", "value", "repr"),
        "a complex zero is negated to 0 or to -0, as many numbers of a row as the processor takes"
        " at once being of the first kind (Vectorized<c10::complex>::neg in aten/src/ATen/cpu/vec)",
        _without_signs_of_zeros,
        re.compile(r"(?s)(?=.*complex)(?=.*(?:_neg_view|\.imag|\n-x\Z))"),
        by_chance=True,
    ),
    Normalisation(
        "typed-storage-once",
        ("warnings",),
        "torch warns of typed storages once in a process, whichever case comes first, and has no"
        " public switch for it",
        lambda value: [each for each in value if "TypedStorage is deprecated" not in each],
        by_chance=True,
    ),
    Normalisation(
        "uninitialised-memory",
        ("value", "state"),
        "memory that is handed out uninitialised holds whatever was there before",
        _without_elements,
        _UNINITIALISED,
        by_chance=True,
    ),
    Normalisation(
        "uninitialised-elements",
        ("elements",),
        "memory that is handed out uninitialised holds whatever was there before",
        lambda value: len(value) if isinstance(value, list) else value.partition(",")[0],
        _UNINITIALISED,
        by_chance=True,
    ),
    Normalisation(
        "uninitialised-print",
        ("repr",),
        "memory that is handed out uninitialised is printed as whatever was there before",
        _on_text(lambda text: "undefined"),
        _UNINITIALISED,
        by_chance=True,
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
        by_chance=True,
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
    """Two observations, compared: through which facets, which differ, which rules were needed."""

    facets: tuple[str, ...]
    differences: list[Difference]
    normalised: list[str]


def compare(expected: Observation, observed: Observation, case: str) -> Comparison:
    """Compare what two libraries showed of the last step of a case, facet by facet.

    Where a deciding facet differs (one side raised, the other did not) the
    facets that depend on it are not compared.
    """
    if _same_bytes(expected, observed):
        return Comparison(tuple(expected), [], [])
    facets: list[str] = []
    differences: list[Difference] = []
    normalised: list[str] = []
    for name, decides in _facets_of(expected, observed):
        left, right = expected.get(name, ABSENT), observed.get(name, ABSENT)
        facets.append(name)
        if same(left, right):
            continue
        if rules := _rules_that_make_alike(name, case, left, right):
            normalised += rules
            continue
        differences.append(Difference(name, left, right))
        if decides:
            break
    return Comparison(tuple(facets), differences, normalised)


def same(left: Any, right: Any) -> bool:
    """Tell whether two canonical values are equal, types included."""
    return _same_bytes(left, right) or _same(left, right)


def _same_bytes(left: Any, right: Any) -> bool:
    """Tell whether two values are written alike: then they are equal; others may be, too."""
    try:
        return marshal.dumps(left, 2) == marshal.dumps(right, 2)
    except ValueError:  # something that is no plain data
        return False


def _same(left: Any, right: Any) -> bool:
    if type(left) is not type(right):
        return False
    if isinstance(left, list):
        return len(left) == len(right) and all(map(_same, left, right))
    if isinstance(left, dict):
        return list(left) == list(right) and all(_same(left[key], right[key]) for key in left)
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
