"""Cases: Python programs written for ``torch``, and the literals in them.

The same text is run, reported, and used as the reproduction.
"""

import math
import re
from dataclasses import dataclass
from typing import Any

MODULES = (
    "concurrent.futures", "copy", "decimal", "enum", "fractions", "inspect", "math", "operator",
    "pickle", "numpy",
)  # fmt: skip
"""The modules that a case may use beside torch."""


@dataclass(frozen=True, slots=True)
class Case:
    """A program: steps that run one after the other in one scope."""

    steps: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(self.steps)

    def until(self, step: int) -> "Case":
        """Return the program that ends with a step."""
        return Case(self.steps[: step + 1])


def reproduction(case: Case, subject: str = "impl") -> str:
    """Return a case as a script that runs under either import and prints its last value.

    >>> print(reproduction(Case(("torch.iinfo(torch.int8).max",)), "mine.sub:attribute"))
    import torch  # or: from mine.sub import attribute as torch
    <BLANKLINE>
    print(repr(torch.iinfo(torch.int8).max))
    """
    modules = [name for name in MODULES if re.search(rf"\b{name}\.", str(case))]
    *leading, last = case.steps
    lines = [f"import {name}" for name in modules]
    lines += [f"import torch  # or: {_import_line(subject)}", ""]
    lines += map(_guarded, leading)
    lines.append(f"print(repr({last}))" if _is_expression(last) else last)
    return "\n".join(lines)


def _import_line(subject: str) -> str:
    module, _, attribute = subject.partition("@")[0].partition(":")
    owner, _, name = attribute.rpartition(".")
    if not attribute:
        return f"import {module} as torch"
    if not owner:
        return f"from {module} import {name} as torch"
    return f"import {module}; torch = {module}.{attribute}"


def _guarded(step: str) -> str:
    """Return a step before the last in a form that continues after an error, as in a comparison."""
    if not _is_expression(step):
        return step
    return f"try: {step}\nexcept Exception as error: print(repr(error))"


def _is_expression(step: str) -> bool:
    try:
        compile(step, "<case>", "eval")
    except SyntaxError:
        return False
    return True


def literal(value: Any) -> str:
    """Return the source text of a Python number or string, or of a container of them.

    Raise TypeError for any other type.

    >>> literal(float("nan")), literal(-0.0), literal([1, (2.5,)])
    ("float('nan')", '-0.0', '[1, (2.5,)]')
    """
    match value:
        case bool() | int() | str() | bytes() | None:
            return repr(value)
        case float():
            return repr(value) if math.isfinite(value) else f"float({str(value)!r})"
        case complex():
            return f"complex({literal(value.real)}, {literal(value.imag)})"
        case list():
            return f"[{', '.join(map(literal, value))}]"
        case tuple():
            return f"({', '.join(map(literal, value))}{',' if len(value) == 1 else ''})"
        case _:
            raise TypeError(f"no literal for {type(value).__name__}")
