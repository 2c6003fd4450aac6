"""The equations of einsum: the dimensions that operands and the result have (Linear.cpp in ATen).

The dimensions of the result come first in the common order of an equation, then those that are
summed.
"""

from collections.abc import Sequence
from typing import NamedTuple

from ..._geometry.extents import Ints
from ..._runtime.errors import check

_ELLIPSIS = -1
Labels = Sequence[int]
"""The ASCII codes of letters, and -1 for an ellipsis."""


class Equation(NamedTuple):
    """What an equation says of operands whose ranks are known.

    operands: the labels of each operand
    positions: the positions of letters in the common order
    ellipsis: the position of the first dimension of an ellipsis
    covered: the number of dimensions that ellipses cover
    kept: the number of dimensions of the result
    rank: the number of all dimensions
    """

    operands: Sequence[Labels]
    positions: dict[int, int]
    ellipsis: int
    covered: int
    kept: int
    rank: int

    def dims_of(self, index: int, shape: Ints) -> list[list[int]]:
        """Return the positions that each label of an operand stands for."""
        labels = self.operands[index]
        covered = len(shape) - (len(labels) - 1)
        end = self.ellipsis + self.covered
        return [
            [*range(end - covered, end)] if label == _ELLIPSIS else [self.positions[label]]
            for label in labels
        ]


def parsed(text: bytes, ranks: Ints) -> Equation:
    """Return an equation for operands of these ranks; raise if it is none."""
    left, arrow, right = text.partition(b"->")
    operands = _operands_of(left, len(ranks))
    counts: dict[int, int] = {}
    covered = 0
    for index, (labels, rank) in enumerate(zip(operands, ranks, strict=True)):
        letters = [label for label in labels if label != _ELLIPSIS]
        for letter in letters:
            counts[letter] = counts.get(letter, 0) + 1
        _check_rank(index, len(letters), rank, has_ellipsis=_ELLIPSIS in labels)
        if _ELLIPSIS in labels:
            covered = max(covered, rank - len(letters))
    if arrow:
        kept = _result_of(right, len(left) + 2, counts)
    else:
        kept = [_ELLIPSIS, *sorted(letter for letter, count in counts.items() if count == 1)]
    summed = [] if _ELLIPSIS in kept else [_ELLIPSIS]
    summed += sorted(letter for letter in counts if letter not in kept)
    positions, at = {}, 0
    for label in (*kept, *summed):
        positions[label] = at
        at += covered if label == _ELLIPSIS else 1
    dims = len(kept) + (covered - 1) * (_ELLIPSIS in kept)
    return Equation(operands, positions, positions[_ELLIPSIS], covered, dims, at)


def _check_rank(index: int, count: int, rank: int, *, has_ellipsis: bool) -> None:
    check(
        count <= rank if has_ellipsis else count == rank,
        lambda: (
            f"einsum(): the number of subscripts in the equation ({count})"
            f" {'is more than' if has_ellipsis else 'does not match'} the number of dimensions"
            f" ({rank}) for operand {index}{'' if has_ellipsis else ' and no ellipsis was given'}"
        ),
    )


def _operands_of(text: bytes, count: int) -> list[list[int]]:
    """Return the labels of each operand."""
    operands: list[list[int]] = [[]]
    at = 0
    while at < len(text):
        current, labels, code = len(operands) - 1, operands[-1], text[at]
        if code == ord(","):
            check(
                current + 1 < count,
                lambda: "einsum(): fewer operands were provided than specified in the equation",
            )
            operands.append([])
        elif code == ord("."):
            check(
                _ELLIPSIS not in labels,
                lambda: (
                    f"einsum(): found '.' for operand {current} for which an ellipsis was already"  # noqa: B023
                    " found"
                ),
            )
            check(
                text[at : at + 3] == b"...",
                lambda: (
                    f"einsum(): found '.' for operand {current} that is not part of any ellipsis"  # noqa: B023
                ),
            )
            labels.append(_ELLIPSIS)
            at += 2
        elif code != ord(" "):
            _check_letter(code, at)
            labels.append(code)
        at += 1
    check(
        len(operands) == count,
        lambda: "einsum(): more operands were provided than specified in the equation",
    )
    return operands


def _result_of(text: bytes, start: int, counts: dict[int, int]) -> list[int]:
    """Return the labels of the result, which begin at an index of the equation."""
    labels: list[int] = []
    at = 0
    while at < len(text):
        code = text[at]
        if code == ord("."):
            check(
                _ELLIPSIS not in labels,
                lambda: "einsum(): found '.' for output but an ellipsis (...) was already found",
            )
            check(
                text[at : at + 3] == b"...",
                lambda: "einsum(): found '.' for output that is not part of any ellipsis (...)",
            )
            labels.append(_ELLIPSIS)
            at += 2
        elif code != ord(" "):
            _check_letter(code, start + at)
            _check_output(code, labels, counts)
            labels.append(code)
        at += 1
    return labels


def _check_letter(code: int, index: int) -> None:
    check(
        bytes([code]).isalpha(),
        lambda: (
            f"einsum(): invalid subscript given at index {index} in the equation string,"
            " subscripts must be in [a-zA-Z]"
        ),
    )


def _check_output(code: int, labels: Labels, counts: dict[int, int]) -> None:
    is_repeated = code in labels
    check(
        not is_repeated and code in counts,
        lambda: (
            f"einsum(): output subscript {chr(code)}"
            + (
                " appears more than once in the output"
                if is_repeated
                else " does not appear in the equation for any input operand"
            )
        ),
    )
