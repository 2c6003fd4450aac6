"""Comparison of two observations, and the normalizations under which differing ones are equal.

A normalization covers a result that torch leaves undefined. It is applied only to facets that
differ, and the report counts its uses.
"""

import marshal
import re
from collections.abc import Callable
from functools import partial, reduce
from itertools import chain, combinations
from typing import Any, NamedTuple

from ..observation.facets import FACETS
from ..observation.levels import is_name_alone
from ..observation.runner import Observation


class Normalization(NamedTuple):
    """A function that removes an undefined part of a facet.

    facets: the facets that it applies to
    why: the reason, for the report
    cases: the pattern of the cases that it applies to
    by_chance: whether its uses depend on earlier cases; if so, they are not counted
    """

    name: str
    facets: tuple[str, ...]
    why: str
    apply: Callable[[Any], Any]
    cases: re.Pattern[str] = re.compile("")
    by_chance: bool = False


def _on_text(apply: Callable[[str], str]) -> Callable[[Any], Any]:
    return lambda value: apply(value) if isinstance(value, str) else value


def _sub(pattern: str, replacement: str, within: str = "") -> Callable[[Any], Any]:
    """Return a function that substitutes in texts, or only in those with a phrase."""
    compiled = re.compile(pattern, re.DOTALL)
    return _on_text(lambda text: compiled.sub(replacement, text) if within in text else text)


def _in_lists(apply: Callable[[str], str], *, everywhere: bool = False) -> Callable[..., Any]:
    """Return a function on plain data that changes the texts in lists, or all texts."""

    def change(value: Any, is_changed: bool = everywhere) -> Any:
        if isinstance(value, dict):
            return {key: change(item) for key, item in value.items()}
        if isinstance(value, list):
            return [change(item, True) for item in value]
        return apply(value) if is_changed and isinstance(value, str) else value

    return change


def _of_any_library(text: str) -> str:
    text = text.replace("builtin_function_or_method", "method")
    return re.sub(r"<class '(?:\w+\.)+(\w+)'>", r"<class '\1'>", text)


def _without_kernels(text: str) -> str:
    return _SPARSE_KERNELS.sub(r"\1", text)


_SPARSE_KERNELS = re.compile(
    r"\A((?:NotImplementedError: )?Could not run '[^']*' with arguments from the"
    r" '(?:Sparse(?:Csr)?)?(?:CPU|Meta)' backend\.).*",
    re.DOTALL,
)


def _sort_names(match: re.Match[str]) -> str:
    return match[1] + ", ".join(sorted(filter(None, match[2].split(", ")))) + match[3]


def _with_sorted_keywords(text: str) -> str:
    if "received an invalid combination of arguments" not in text:
        return text
    text = re.sub(r"(keywords were incorrect: )([^\n]*)()", _sort_names, text)
    return re.sub(r"(- got \((?:[^=,)]+, )*)((?:\w+=[^,)]*(?:, )?)+)(\))", _sort_names, text)


def _without_sign(part: str) -> str:
    """Return the bits of a part of an element, without the sign of a zero or a NaN."""
    if part.strip("0") == "8":
        return "0" * len(part)
    return part.replace("ff", "7f", 1) if part.strip("0") in ("ffc", "fff8") else part


def _without_signs(value: str) -> str:
    """Return the bits of an element, or a text, without the signs of zeros in its parts."""
    if value == "8000":
        return "0000"
    if re.fullmatch(r"[0-9a-f]{8}|[0-9a-f]{16}|[0-9a-f]{32}", value):
        half = len(value) // 2
        return "".join(_without_sign(part) for part in (value[:half], value[half:]))
    text = re.sub(r"8000000000000000 \(-0.0\)", "0000000000000000 (0.0)", value)
    text = re.sub(r"\(-0[-+]0j\)|(?<![\d.])-0j", "0j", text)
    text = re.sub(r"\(-0\+?(-?[\d.]+j)\)", r"\1", text)
    text = re.sub(r"-(0\.?0*(?:e\+00)?j)", r"+\1", text)
    text = re.sub(r"\s*-?(0\.0*(?:e\+00)?[-+])", r" \1", text)
    return re.sub(r"\s*-?\b(0\.0*(?:e\+00)?)(?=[,\]])", r" \1", text)


def _without_elements(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: "undefined" if key == "elements" else _without_elements(item)
            for key, item in value.items()
        }
    return [_without_elements(item) for item in value] if isinstance(value, list) else value


def _without_own_elements(value: Any) -> Any:
    """Return a facet without elements: plain data of tensors, a list of elements, or a repr."""
    if isinstance(value, list):
        return len(value)
    return _without_elements(value) if isinstance(value, dict) else "undefined"


_OVERLAPPING = re.compile(
    r"x = [^\n]*\.as_strided\(\(2, 3\), \(0, 1\)\)\n(?s:.*)\bout=\(?x\.as_strided\("
    r"|x = (?=[^\n]*(?:\.\d|float|complex))(?![^\n]*\bu?int\d)[^\n]*\n(?s:.*)"
    r"\b(?:nan)?(?:sum|mean)\([^\n]*\bout=\(?(?:x\.as_strided\(|[stuv]\b)"
    r"|\btorch\.(?:(?:chain_)?matmul\(|mv\(|b?mm\(|(?:addmv|b?addb?mm)\([^\n,]*,)"
    r"(?:[^\n]*[ (])?([xyzw])\b[^\n]*\bout=\1(?!\w)"
    r"|\b([xyzw])\.(?:addmv|b?addb?mm)_\([^\n]*\b\2\b"
    r"|\A(?=(?s:.*?)(?:\d\.\d|float|complex))(?s:.*)\nm = [^\n]*(?=\n[xyzw] = m\.)(?s:.*)"
    r"\n(?:torch\.(?:mv|b?mm|addmv|b?addb?mm)|[xyzw]\.(?:addmv|b?addb?mm)_)\([^\n]*\Z"
    r"|\A(?=(?s:.*?)(?:\d\.\d|float|complex))(?s:.*)\n[stuv] = x\.as_strided\((?s:.*)"
    r"\n(?:torch\.(?:mv|b?mm|addmv|b?addb?mm|matmul|inner|chain_matmul|tensordot)\([^\n]*"
    r"\bout=[stuvx]|x\.(?:addmv|b?addb?mm)_\([^\n]*\b[stuv]\b)[^\n]*\Z"
    r"|\no = m\.as_strided\(o\.shape,"
    r" (?:\[2 \* n for n in o\.stride\(\)\], [247]|o\.stride\(\)\[::-1\], 3)\)\n"
    r"torch\.sinh\(x, out=o\)\Z"
)

_LIMITS = r"torch\.[fi]info\([^()]*\)"
_NEITHER_LIMITS_NOR_DTYPE = r"(?!torch\.)\S+"

_ByChance = partial(Normalization, by_chance=True)

NORMALIZATIONS = (
    Normalization(
        "module-of-class",
        ("repr",),
        "the repr of a class has its module, which is the library's own",
        _sub(r"^<class '(?:\w+\.)+(\w+)'>$", r"<class '\1'>"),
    ),
    Normalization(
        "object-address",
        ("repr", "value"),
        "the repr of an object without a text of its own begins with the library's own name, and"
        " ends with its address",
        _sub(r"<\w+((?:\.\w+)*) object at 0x[0-9a-f]+>", r"<an object of a library\1>"),
    ),
    Normalization(
        "bound-method",
        ("repr",),
        "the repr of a method tells whether it is written in C, and ends with its object",
        _sub(r"^<(?:built-in|bound) method (?:\w+\.)*(\w+) of .*>$", r"<method \1>"),
    ),
    Normalization(
        "build-path",
        ("message",),
        "an internal assertion has the folder and line of torch's source at build time",
        _sub(r'"(?:[^"]*/)?((?:aten|c10|torch)/[^"]*)":\d+', r'"\1"', "INTERNAL ASSERT FAILED at"),
    ),
    Normalization(
        "kernels-listing",
        ("message",),
        "the error for an operator without a kernel for a device ends with a list of its kernels,"
        " with files and lines of torch's source",
        _sub(r"\A(Could not run '.*?) is only available for these backends: \[.*", r"\1"),
    ),
    Normalization(
        "sparse-kernels-listing",
        ("message", "state"),
        "the error for an operator without a sparse kernel ends with advice for builds of torch,"
        " and with the kernels, files and lines of the build",
        _in_lists(_without_kernels, everywhere=True),
    ),
    Normalization(
        "recursion-limit",
        ("message",),
        "the error for a recursion without end tells what Python was doing at that depth",
        _sub(r"\A(maximum recursion depth exceeded) (?:in|while) .*\Z", r"\1"),
    ),
    Normalization(
        "keyword-order",
        ("message",),
        "a message lists the keyword arguments of a call in the order of a C++ hash map",
        _on_text(_with_sorted_keywords),
    ),
    Normalization(
        "set-order",
        ("message",),
        "a message lists a set of words, whose order depends on the hashes of a process and on the"
        " compiled file of a module",
        _on_text(lambda text: re.sub(r"(\bone of \{)('[^{}]*')(\})", _sort_names, text)),
    ),
    Normalization(
        "kind-of-function",
        ("message",),
        "a message has the type of a wrong argument; torch's own functions are builtins",
        _sub("builtin_function_or_method", "function"),
        re.compile(r"\btorch\.(can_cast|promote_types|result_type|[gs]et_default_dtype)\b(?!\()"),
    ),
    Normalization(
        "class-in-numpy",
        ("message", "value"),
        "NumPy names the class of an argument: its module is the library's own, and the methods of"
        " torch are builtins",
        _in_lists(_of_any_library, everywhere=True),
        re.compile(r"\bnumpy\.\w+\("),
    ),
    Normalization(
        "cpp-trace",
        ("message",),
        "some messages end with a C++ stack trace",
        _sub(r"\nException raised from \w+ at .*?(\"?)\Z", r"\1"),
    ),
    _ByChance(
        "negated-complex-zero",
        ("elements", "state", "value", "repr"),
        "vectorized kernels subtract complex zeros and NaNs from 0, and scalar ones negate them"
        " (Vectorized<c10::complex>::neg in aten/src/ATen/cpu/vec)",
        _in_lists(_without_signs, everywhere=True),
        re.compile(r"(?s)(?=.*complex)(?=.*(?:_neg_view|\.imag|\n-x\Z))"),
    ),
    _ByChance(
        "zero-sum-of-products",
        ("elements", "state", "value", "repr"),
        "whether zeros of complex products are added to -0.0 or to 0.0 depends on the kernel that"
        " MKL takes for the sizes",
        _in_lists(_without_signs, everywhere=True),
        re.compile(
            r"(?s)\* 1j\)\.conj\(\).*\n(?:torch|[xyzw])\.(?:add(?:b?mm|mv)|baddbmm)_?\([^\n]*\Z"
        ),
    ),
    _ByChance(
        "overlapping-result",
        ("elements", "value", "state", "repr"),
        "torch does not check a result in out= for overlap with an expanded operand, nor that of"
        " a sum of floats, a product of matrices, also in place, or sinh, and reads elements after"
        " it has written them, whose last bits depend on the kernel",
        _without_own_elements,
        _OVERLAPPING,
    ),
    _ByChance(
        "offset-added-twice",
        ("elements", "value", "state", "repr"),
        "torch adds a sparse tensor to the memory of a dense one at twice its storage offset, also"
        " beyond the storage (add_dense_sparse_worker_cpu in SparseTensorMath.cpp)",
        _without_own_elements,
        re.compile(
            r"(?s)(?:\A|\n)x = [^\n]*\), [1-9]\d*\)\n.*\.to_sparse\(\)\n(?:x\.(?:add|sub|mul"
            r"|subtract|multiply)_\(|torch\.(?:add|sub|subtract)\([^\n]*out=x)[^\n]*\Z"
        ),
    ),
    _ByChance(
        "typed-storage-once",
        ("warnings",),
        "torch warns of typed storages once in a process, and has no public switch for it",
        lambda value: [text for text in value if "TypedStorage is deprecated" not in text],
    ),
    _ByChance(
        "foreign-memory",
        ("value",),
        "finfo and iinfo read any other object as one of them in comparisons"
        " (THPDTypeInfo_compare in torch/csrc/TypeInfo.cpp), so the result is arbitrary",
        lambda value: "undefined" if isinstance(value, bool) else value,
        re.compile(
            rf"^{_LIMITS} [!=]= {_NEITHER_LIMITS_NOR_DTYPE}$"
            rf"|^{_NEITHER_LIMITS_NOR_DTYPE} [!=]= {_LIMITS}$"
        ),
    ),
)

MISSING = {"absent": True}
"""The placeholder for a facet that only one side has."""


class Difference(NamedTuple):
    """A facet in which two observations differ."""

    facet: str
    expected: Any
    observed: Any


class Comparison(NamedTuple):
    """The compared facets, their differences, and the names of the applied normalizations."""

    facets: tuple[str, ...]
    differences: list[Difference]
    normalized: list[str]


def compare(expected: Observation, observed: Observation, case: str) -> Comparison:
    """Return the comparison of two observations of the last step of a case, facet by facet.

    If a deciding facet differs (only one side raised), the facets after it are not compared, unless
    it differs in a name alone.
    """
    if _has_same_bytes(expected, observed):
        return Comparison(tuple(expected), [], [])
    facets: list[str] = []
    differences: list[Difference] = []
    normalized: list[str] = []
    for facet in FACETS:
        name = facet.name
        if name not in expected and name not in observed:
            continue
        left, right = expected.get(name, MISSING), observed.get(name, MISSING)
        facets.append(name)
        if is_equal(left, right):
            continue
        if rules := _normalizations_for(name, case, left, right):
            normalized += rules
            continue
        differences.append(Difference(name, left, right))
        if facet.decides and not is_name_alone(name, left, right):
            break
    return Comparison(tuple(facets), differences, normalized)


def is_equal(left: Any, right: Any) -> bool:
    """Return whether two canonical values are equal, types included."""
    return _has_same_bytes(left, right) or _is_deeply_equal(left, right)


def _has_same_bytes(left: Any, right: Any) -> bool:
    """Return whether two values serialize alike, which implies that they are equal."""
    try:
        return marshal.dumps(left, 2) == marshal.dumps(right, 2)
    except ValueError:  # not plain data
        return False


def _is_deeply_equal(left: Any, right: Any) -> bool:
    if type(left) is not type(right):
        return False
    if isinstance(left, list):
        return len(left) == len(right) and all(map(_is_deeply_equal, left, right))
    if isinstance(left, dict):
        return list(left) == list(right) and all(
            _is_deeply_equal(left[key], right[key]) for key in left
        )
    return bool(left == right)


def _normalizations_for(facet: str, case: str, left: Any, right: Any) -> list[str]:
    """Return the fewest normalizations under which two values are equal, or an empty list."""
    rules = [rule for rule in NORMALIZATIONS if facet in rule.facets and rule.cases.search(case)]
    subsets = (combinations(rules, count) for count in range(1, len(rules) + 1))
    for subset in chain.from_iterable(subsets):
        if is_equal(
            *(reduce(lambda value, rule: rule.apply(value), subset, x) for x in (left, right))
        ):
            return [rule.name for rule in subset]
    return []
