"""The causes of divergences: those that differ alike but for dtypes, sizes and names.

A divergence has a template: what both sides gave, with wildcards for dtypes, numbers, quoted names
and classes. Divergences with the same template probably have the same cause, in whatever property
they were found.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..core.differences import differences
from ..core.formatting import truncate
from .levels import WORDS
from .text import Report

Row = Mapping[str, Any]


@dataclass
class Cause:
    """Divergences with the same template, the simplest of them first.

    blocked: the number of cells and cases that its calls block
    """

    facet: str
    level: int
    expected: str
    observed: str
    rows: list[Row] = field(default_factory=list)
    blocked: int = 0

    @property
    def calls(self) -> list[str]:
        """The names of the calls that differ, the most frequent first."""
        counts = Counter(call_name(row["case"]) for row in self.rows)
        return [name for name, _ in counts.most_common()]

    @property
    def example(self) -> Row:
        """The divergence with the shortest case."""
        return min(self.rows, key=lambda row: (len(row["case"]), row["id"]))


def causes(report: Report) -> list[Cause]:
    """Return the causes of all divergences that are not expected.

    Those that block the most come first, then those of the lowest level, then the most frequent.
    Missing names are left out.
    """
    found: dict[tuple[str, ...], Cause] = {}
    for row in report["divergences"]:
        if row["missing"] is None and row["status"] != "expected":
            key = _key(row)
            cause = found.setdefault(key, Cause(row["facet"], row.get("level", 1), *key[1:]))
            cause.rows.append(row)
            cause.level = min(cause.level, row.get("level", 1))
    blocked = {
        row["by"].rpartition(".")[2]: row["cells"] + row["cases"] for row in report["blocked"]
    }
    for cause in found.values():
        if cause.level < WORDS:  # others block nothing
            cause.blocked = sum(blocked.get(name, 0) for name in cause.calls)
    return sorted(found.values(), key=lambda cause: (-cause.blocked, cause.level, -len(cause.rows)))


@dataclass
class Group:
    """Causes that differ in the same way, such as an error that the subject does not raise."""

    title: str
    level: int
    causes: list[Cause]

    @property
    def size(self) -> int:
        """The number of divergences."""
        return sum(len(cause.rows) for cause in self.causes)

    @property
    def blocked(self) -> int:
        """The number of cells and cases that its calls block."""
        return max(cause.blocked for cause in self.causes)

    @property
    def calls(self) -> str:
        """The names of the calls that differ, the most frequent first, as text."""
        counts = Counter(call_name(row["case"]) for cause in self.causes for row in cause.rows)
        names = [truncate(name, 0, 24) for name, _ in counts.most_common(3)]
        return ", ".join(names) + (f" and {len(counts) - 3} more" if len(counts) > 3 else "")


def groups_of_causes(report: Report) -> list[Group]:
    """Return all causes in few groups, in the order of their first ones."""
    found: dict[str, Group] = {}
    for cause in causes(report):
        title = _title(cause)
        group = found.setdefault(title, Group(title, cause.level, []))
        group.causes.append(cause)
        group.level = min(group.level, cause.level)
    return sorted(found.values(), key=lambda group: (-group.blocked, group.level, -group.size))


HEADERS = [
    "level",
    "divergences",
    "causes",
    "blocked",
    "how it differs",
    "calls, and one to look at",
]


def rows(report: Report) -> list[list[str]]:
    """Return a row for each group of causes, the one to mend first first."""
    return [
        [
            str(group.level), f"{group.size:,}", f"{len(group.causes):,}", f"{group.blocked:,}",
            group.title, f"{group.calls} ({group.causes[0].example['id']})",
        ]
        for group in groups_of_causes(report)
    ]  # fmt: skip


_CLASS = re.compile(r"[\w.]+")


def _class_in(text: str) -> str:
    """Return the name of the class in a text of `_error`, or the whole text."""
    match = _CLASS.match(text)
    return match[0].rpartition(".")[2] if match and text != "no error" else text


def _title(cause: Cause) -> str:
    """Return what the group of a cause is called."""
    if cause.facet == "raises":
        left, right = map(_class_in, (cause.expected, cause.observed))
        if left == "no error":
            return f"{right} where torch raises nothing"
        return f"no {left}" if right == "no error" else f"another class of error than {left}"
    if cause.facet == "warnings":
        none = "no such warning"
        if cause.observed == none:
            return "no warning where torch warns"
        return (
            "a warning where torch does not warn" if cause.expected == none else "another warning"
        )
    if cause.facet in ("value", "state"):
        parts = [word for word in re.split(r"[ ,]+", cause.expected) if word in _PARTS]
        return f"{cause.facet}: {', '.join(dict.fromkeys(parts)) or 'another value'}"
    return f"another {cause.facet}"


def _key(row: Row) -> tuple[str, str, str]:
    """Return the template of a divergence: its facet, and both sides."""
    facet, expected, observed = row["facet"], row["expected"], row["observed"]
    messages = [*row["messages"], None, None][:2]
    match facet:
        case "raises":
            return facet, _error(expected, messages[0]), _error(observed, messages[1])
        case "message":
            return facet, template(str(expected)), template(str(observed))
        case "warnings":
            left, right = (Counter(map(template, side)) for side in (expected, observed))
            return facet, _listed(left - right), _listed(right - left)
    return facet, *_places(expected, observed)


def _error(name: str | None, message: str | None) -> str:
    return "no error" if name is None else f"{name}: {template(message or '')}"


def _listed(texts: Iterable[str]) -> str:
    return "; ".join(sorted(texts)) or "no such warning"


def _places(expected: Any, observed: Any) -> tuple[str, str]:
    """Return the parts that differ; a single text is given, too."""
    places = [*differences(expected, observed)]
    names = sorted({_part(path) for path, _, _ in places} - {""})
    if len({_part(path) for path, _, _ in places}) == 1:
        _, left, right = places[0]
        prefix = f"{names[0]} " if names else ""
        return f"{prefix}{_described(left)}", f"{prefix}{_described(right)}"
    return ", ".join(names), "differing"


def _part(path: tuple[str | int, ...]) -> str:
    names = [part for part in path if isinstance(part, str) and part in _PARTS]
    return names[-1] if names else ""


_PARTS = {
    "dtype", "shape", "stride", "offset", "device", "layout", "autograd", "conj_neg", "storage",
    "elements", "relations", "address", "requires_grad", "is_leaf", "grad_fn", "output_nr",
    "version", "is_view", "is_inference", "retains_grad", "tensor", "bytes",
}  # fmt: skip


def _described(value: Any) -> str:
    """Return a short description of one side of a difference, without its numbers."""
    if isinstance(value, str):
        return template(value) if len(value) < 200 and not _HEX.fullmatch(value) else "other"
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, Mapping):
        return "/".join(map(str, value))
    return "other"


_HEX = re.compile(r"[0-9a-f]{2,}(?: \(.*\))?|-?\d+")
_WILD = (
    (re.compile(r"0x[0-9a-f]+"), "N"),
    (re.compile(r'"[^"]*"'), '"*"'),
    (re.compile(r"'[^']*'"), "'*'"),
    (re.compile(r"`[^`]*`"), "`*`"),
    (re.compile(
        r"\b(?:torch\.)?(?:u?int\d+|b?float\d*(?:_e\dm\d\w*)?|bfloat16|complex\d+|bool|double|half"
        r"|long|short|char|byte|u?int\d+_t|q?u?int\d\w*|bits\w+)\b"), "DTYPE"),
    (re.compile(
        r"\b(?:Complex)?(?:Float|Double|Half|BFloat16|Long|Int|Short|Char|Byte|Bool|UInt\d+|Int\d+"
        r"|Float\d\w+|Q?U?Int\d\w*|Bits\w*)\b"), "DTYPE"),
    (re.compile(r"\b[A-Za-z_]\w*\(\)"), "CALL()"),
    (re.compile(r"\b(?:aten|prims)[.:]+[\w.]+"), "OPERATOR"),
    (re.compile(r"[-+]?\b\d+(?:\.\d*)?(?:e[-+]?\d+)?"), "N"),
    (re.compile(r"N(?:, ?N)+,?"), "N, ..."),
    (re.compile(r"\s+"), " "),
)  # fmt: skip
"""What stands for what may differ, in the order in which it is replaced."""

_MAX_TEMPLATE = 160


def template(text: str) -> str:
    """Return a text with wildcards for names, dtypes and numbers.

    >>> template("'add_stub' not implemented for Half"), template("got [2, 3] of torch.int8")
    ("'*' not implemented for DTYPE", 'got [N, ...] of DTYPE')
    """
    for pattern, wildcard in _WILD:
        text = pattern.sub(wildcard, text)
    return text[:_MAX_TEMPLATE]


_CALL = re.compile(r"\b([A-Za-z_]\w*)\(")
_SIGN = re.compile(r"\w\]?\)? ([-+*/%&|^<>=!]{1,3}) \w")
_NOT_CALLED = {"tensor", "ones", "zeros", "look", "list", "tuple", "str", "repr"}


def call_name(case: str) -> str:
    r"""Return the name of the call, or the sign, in the last step of a case.

    >>> call_name("x = torch.ones(2)\nx.to(torch.int8)"), call_name("x += y"), call_name("x[0]")
    ('to', '+=', 'a[b]')
    """
    step = case.rpartition("\n")[2].rpartition(": ")[2]
    names = _CALL.findall(step)
    chosen = [name for name in names if name not in _NOT_CALLED] or names
    if chosen:
        return str(chosen[0])
    if match := _SIGN.search(step):
        return str(match[1])
    attribute = re.findall(r"\.([A-Za-z_]\w*)", step)
    return "a[b]" if "[" in step else str(attribute[-1]) if attribute else step[:40]
