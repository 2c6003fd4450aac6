"""The oracle's answers in every cell of a domain, for reports that show the domain as a grid.

The engine records the answers of properties with a ``grid_step``.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

from ..rules import promotion
from ..rules.promotion import RULES
from .aggregate import PropertyRecord


def grid_of_domain(record: PropertyRecord) -> dict[str, Any]:
    """Return the grid of a property's domain as plain data: its axes, and the answer of each cell.

    Cells are in the order of the domain; a row runs along the last axis. The number in a cell is an
    index into ``answers``.
    """
    axes = record.axes
    answers = _numbered(record.answers)
    return {
        "property": record.id,
        "axes": [{"name": name, "labels": list(labels)} for name, labels in axes.items()],
        "answers": [*answers],
        "rows": _rows(map(answers.__getitem__, record.answers), len([*axes.values()][-1])),
        "divergences": {str(index): list(ids) for index, ids in sorted(record.marks.items())},
        "blocked": _by_call(record.blockers),
        **_promotion_rules(record.id, axes),
    }


def _by_call(blockers: Mapping[int, Sequence[str]]) -> dict[str, list[int]]:
    """Return the indices of the cells that each call blocks."""
    cells: dict[str, list[int]] = {}
    for index, names in sorted(blockers.items()):
        for name in names:
            cells.setdefault(name, []).append(index)
    return dict(sorted(cells.items()))


def _promotion_rules(name: str, axes: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the rule of each pair of dtypes for the grid of promotion."""
    if name != "promotion.promote_types":
        return {"rules": [], "ruled": []}
    default, left, right = axes.values()
    deciding = [
        promotion(first.removeprefix("torch."), second.removeprefix("torch."), dtype).rule
        for dtype, first, second in product(default, left, right)
    ]
    indices = _numbered(deciding)
    return {
        "rules": [
            {"id": rule, "text": RULES[rule].statement, "clauses": list(RULES[rule].clauses)}
            for rule in indices
        ],
        "ruled": _rows(map(indices.__getitem__, deciding), len(right)),
    }


def _numbered(texts: Iterable[str]) -> dict[str, int]:
    return {text: index for index, text in enumerate(dict.fromkeys(texts))}


def _rows(numbers: Iterable[int], width: int) -> list[str]:
    texts = [str(number) for number in numbers]
    return [" ".join(texts[start : start + width]) for start in range(0, len(texts), width)]
