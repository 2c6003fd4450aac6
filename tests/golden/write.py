"""Write promotion.txt, torch's promote_types and can_cast for every ordered pair of dtypes.

python tests/golden/write.py
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))  # the script runs in any folder

from conformance.generators.oracle_namespace import dtype_names
from conformance.libraries.oracle import load_oracle

PATH = Path(__file__).with_name("promotion.txt")

REFUSALS = {
    "q": "promoteTypes with quantized numbers is not handled yet",
    "b": "Promotion from ",
    "8": "Promotion for Float8 Types is not supported",
    "u": "Promotion for uint16, uint32, uint64 types is not supported",
    "A": "ix_a != -1 INTERNAL ASSERT FAILED",
    "B": "ix_b != -1 INTERNAL ASSERT FAILED",
}
"""A mark for each error of torch.promote_types -> the start of its message."""

INTRODUCTION = """\
What torch {version} promotes and casts, written by write.py beside this file.

The row is the first argument, the column the second.  A cell of [promote_types]
is the abbreviation of the answer, or a mark of [refusals]: a RuntimeError whose
message begins as it says there.  A cell of [can_cast] is + for True, . for False.
"""


def promoted(torch: Any, left: Any, right: Any) -> str:
    """Return a cell of the table promote_types."""
    try:
        return str(torch.promote_types(left, right).abbr)
    except RuntimeError as error:
        message = str(error)
    (mark,) = [mark for mark, start in REFUSALS.items() if message.startswith(start)]
    return mark


def castable(torch: Any, left: Any, right: Any) -> str:
    """Return a cell of the table can_cast."""
    return "+" if torch.can_cast(left, right) else "."


def table(torch: Any, cell: Callable[[Any, Any, Any], str]) -> list[str]:
    """Return the lines of a table with aligned columns."""
    names = dtype_names(torch)
    dtypes = [getattr(torch, name) for name in names]
    rows = [["dtype", "abbr", *(dtype.abbr for dtype in dtypes)]]
    for name, left in zip(names, dtypes, strict=True):
        rows.append([name, left.abbr, *(cell(torch, left, right) for right in dtypes)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [" ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def golden(torch: Any) -> str:
    """Return the text of promotion.txt."""
    lines = [
        INTRODUCTION.format(version=torch.__version__.partition("+")[0]),
        "[refusals]",
        *(f"{mark} {start}".rstrip() for mark, start in REFUSALS.items()),
        "",
        "[promote_types]",
        *table(torch, promoted),
        "",
        "[can_cast]",
        *table(torch, castable),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PATH.write_text(golden(load_oracle().root), encoding="utf-8")
