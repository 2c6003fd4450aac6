"""Cases: Python programs written for ``torch``, and the literals in them.

The same text is run and reported, and `reproduction` makes a script of it.
"""

import math
from dataclasses import dataclass
from typing import Any

MODULES = (
    "collections", "concurrent.futures", "copy", "decimal", "enum", "fractions", "inspect", "io",
    "math", "operator", "os", "pickle", "pickletools", "tempfile", "numpy",
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
