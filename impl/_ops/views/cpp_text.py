"""The text of a tensor in torch's C++ messages (aten/src/ATen/core/Formatting.cpp)."""

from collections.abc import Iterator
from itertools import product
from math import ceil, copysign, floor, inf, isfinite, isnan, log10, nan
from typing import Any

from ..._dtypes.constants import FLOAT64
from ..._tensor.data_access import check_has_data, raw_array
from ..._tensor.tensor import METHODS, Tensor, shallow_copy
from ..common.copy import contiguous, to_dtype
from ..common.type_strings import type_string

_LINE = 80


def cpp_text(tensor: Tensor) -> str:
    """Return a tensor's elements and its type, as torch's C++ code prints them.

    >>> import impl as torch
    >>> print(cpp_text(torch.tensor([[0.5, 10.0], [2.0, 3.0]])))
      0.5000  10.0000
      2.0000   3.0000
    [ torch.FloatTensor{2,2} ]
    """
    name = type_string(tensor)
    if tensor._geometry.is_sparse:
        parts = [cpp_text(METHODS[part](tensor)) for part in ("_indices", "_values")]
        size = [*tensor._geometry.shape]
        return f"[ {name}{{}}\nindices:\n{parts[0]}\nvalues:\n{parts[1]}\nsize:\n{size}\n]"
    check_has_data(tensor)
    numbers = raw_array(contiguous(to_dtype(shallow_copy(tensor), FLOAT64, False, None)))
    sizes = ",".join(map(str, numbers.shape))
    return f"{_Printer().text(numbers)}[ {name}{{{sizes}}} ]"


class _Printer:
    """The elements of a tensor, of which each matrix has a format of its own."""

    kind = ""

    def text(self, numbers: Any) -> str:
        if not numbers.ndim:
            return f"{self._number(numbers.item(), 0)}\n"
        if not numbers.size:
            return ""
        if numbers.ndim == 1:
            scale, width = self._set_format(numbers)
            lines = [f"{self._number(_quotient(x, scale), width)}\n" for x in numbers.tolist()]
            return "".join([*self._scale(scale), *lines])
        if numbers.ndim == 2:
            return "".join(self._matrix(numbers, 0))
        # The first of the outer dimensions changes first.
        outer = [range(size) for size in reversed(numbers.shape[:-2])]
        parts = []
        for position in product(*outer):
            index = position[::-1]
            title = "".join([f"{each + 1}," for each in index])
            parts.append(f"({title}.,.) = \n{''.join(self._matrix(numbers[index], 1))}")
        return "\n".join(parts)

    def _matrix(self, numbers: Any, indent: int) -> Iterator[str]:
        scale, width = self._set_format(numbers)
        rows, columns = numbers.shape
        margin = " " * indent  # of all rows but the first one
        per_line = (_LINE - indent) // (width + 1)
        for first in range(0, columns, per_line):
            last = min(first + per_line, columns) - 1
            if per_line < columns:
                yield "\n" if first else ""
                yield f"Columns {first + 1} to {last + 1}{margin}"
            if scale != 1:
                yield from self._scale(scale)
                yield margin
            for row in range(rows):
                values = numbers[row, first : last + 1].tolist()
                texts = [self._number(_quotient(value, scale), width) for value in values]
                yield " ".join(texts) + "\n"
                if row != rows - 1:
                    yield margin + " " * (scale != 1)

    def _scale(self, scale: float) -> Iterator[str]:
        if scale != 1:
            yield f"{repr(scale).removesuffix('.0')} *\n"

    def _number(self, value: float, width: int) -> str:
        text = f"{value:.4{self.kind}}" if self.kind else f"{value:g}"
        if isnan(value) and copysign(1, value) < 0:
            text = f"-{text}"
        return text.rjust(width)

    def _set_format(self, numbers: Any) -> tuple[float, int]:
        """Set the format for numbers, and return their scale and width."""
        values = numbers.ravel().tolist()
        finite = [value for value in values if isfinite(value)]
        least, most = _exponents(finite)
        if all(value == ceil(value) for value in finite):
            if most > 9:
                self.kind = "e"
                return 1, 11
            self.kind = ""
            return 1, most + 1
        if most - least > 4:
            self.kind = "e"
            return 1, 11 + (abs(most) > 99 or abs(least) > 99)
        self.kind = "f"
        if most > 5 or most < 0:
            return 10.0 ** (most - 1), 7
        return 1, most + 6 if most else 7


def _quotient(value: float, scale: float) -> float:
    """Return a number divided by a scale, which is 0 for the least numbers.

    The quotient of two zeros is the NaN of x86, which is negative.
    """
    if scale:
        return value / scale
    return value if isnan(value) else value * inf if value else -nan


def _exponents(finite: list[float]) -> tuple[int, int]:
    """Return the exponents of the numbers by which torch selects a format."""
    sizes = [*map(abs, finite)]
    return (_exponent(min(sizes)), _exponent(max(sizes))) if sizes else (1, 1)


def _exponent(value: float) -> int:
    return floor(log10(value)) + 1 if value else 1
