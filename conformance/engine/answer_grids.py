"""What the oracle answered in every cell of a domain, for reports that show the domain as a picture.

A property says that it is pictured; the engine keeps the answers.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

from ..rules import promotion
from ..rules.promotion import RULES
from .aggregate import PropertyRecord


def of_domain(record: PropertyRecord) -> dict[str, Any]:
    """Write the cells of a property's domain as data: axes, and for each cell its answer.

    Cells stand in the order of the domain; a row is what the last axis goes through.  A cell is the
    place of its answer in ``answers``.
    """
    axes = record.axes
    answers = _numbered(record.answers)
    return {
        "property": record.id,
        "axes": [{"name": name, "labels": list(labels)} for name, labels in axes.items()],
        "answers": [*answers],
        "rows": _rows(map(answers.__getitem__, record.answers), len([*axes.values()][-1])),
        "divergences": {str(place): list(ids) for place, ids in sorted(record.marks.items())},
        **_ruled(record.id, axes),
    }


def _ruled(name: str, axes: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Add to the picture of promotion by which rule each pair of dtypes is decided."""
    if name != "promotion.promote_types":
        return {"rules": [], "ruled": []}
    default, left, right = axes.values()
    deciding = [
        promotion(first.removeprefix("torch."), second.removeprefix("torch."), each).rule
        for each, first, second in product(default, left, right)
    ]
    numbers = _numbered(deciding)
    return {
        "rules": [
            {"id": rule, "text": RULES[rule].statement, "clauses": list(RULES[rule].clauses)}
            for rule in numbers
        ],
        "ruled": _rows(map(numbers.__getitem__, deciding), len(right)),
    }


def _numbered(texts: Iterable[str]) -> dict[str, int]:
    """Give each text a number, in the order in which they come."""
    numbers: dict[str, int] = {}
    for text in texts:
        numbers.setdefault(text, len(numbers))
    return numbers


def _rows(numbers: Iterable[int], width: int) -> list[str]:
    texts = [str(each) for each in numbers]
    return [" ".join(texts[start : start + width]) for start in range(0, len(texts), width)]
