"""impl compared with the golden tables of promotion and casting, and laws of the tables.

golden/write.py writes the tables from torch itself; nothing here or in impl does.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import impl

Pair = tuple[str, str]
Cells = dict[Pair, str]

TEXT = (Path(__file__).parent / "golden" / "promotion.txt").read_text(encoding="utf-8")
SECTIONS = {
    title: lines
    for title, *lines in map(str.splitlines, TEXT.split("\n\n"))
    if title.startswith("[")
}
REFUSALS = dict(line.split(" ", 1) for line in SECTIONS["[refusals]"])


def read(lines: list[str]) -> tuple[dict[str, str], Cells]:
    """Return name -> abbreviation of the dtypes, and pair of names -> cell."""
    header, *rows = (line.split() for line in lines)
    abbr = {name: abbreviation for name, abbreviation, *_ in rows}
    assert header == ["dtype", "abbr", *abbr.values()]
    cells = {
        (left, right): cell for left, _, *row in rows for right, cell in zip(abbr, row, strict=True)
    }
    return abbr, cells


ABBR, PROMOTED = read(SECTIONS["[promote_types]"])
ABBR_IN_CASTS, CASTABLE = read(SECTIONS["[can_cast]"])
CORE = [name for name in ABBR if PROMOTED["bool", name] in ABBR.values()]


def promoted(left: str, right: str) -> str:
    """Return the answer of impl as a cell of the golden table."""
    try:
        return impl.promote_types(getattr(impl, left), getattr(impl, right)).abbr
    except RuntimeError as error:
        message = str(error)
    marks = [mark for mark, start in REFUSALS.items() if message.startswith(start)]
    return "".join(marks) or message


def castable(left: str, right: str) -> str:
    """Return the answer of impl as a cell of the golden table."""
    return "+" if impl.can_cast(getattr(impl, left), getattr(impl, right)) else "."


def differences(golden: Cells, sign: str, answer: Callable[[str, str], str]) -> list[str]:
    """Return a line for each cell that differs from ``answer``."""
    return [
        f"{left} {sign} {right}: golden {cell}, impl {result}"
        for (left, right), cell in golden.items()
        if (result := answer(left, right)) != cell
    ]


def broken_laws(cells: Mapping[Pair, str]) -> list[str]:
    """Return the pairs that contradict the join of a lattice with bool at the bottom."""
    name_of = {abbreviation: name for name, abbreviation in ABBR.items()}

    def join(left: str, right: str) -> str:
        return name_of[cells[left, right]]

    broken = []
    for a in CORE:
        if join(a, a) != a:
            broken.append(f"{a} with itself is {join(a, a)}")
        if join("bool", a) != a:
            broken.append(f"bool with {a} is {join('bool', a)}")
        for b in CORE:
            if join(a, b) != join(b, a):
                broken.append(f"{a} with {b} is not {b} with {a}")
            broken += [
                f"{a}, {b}, {c} depend on which two come first"
                for c in CORE
                if join(join(a, b), c) != join(a, join(b, c))
            ]
    return broken


def test_tables_are_whole() -> None:
    """Both tables have one valid cell for every pair of the 46 dtypes."""
    assert ABBR == ABBR_IN_CASTS
    assert len(ABBR) == len(set(ABBR.values())) == 46
    assert len(PROMOTED) == len(CASTABLE) == 46 * 46
    assert set(PROMOTED.values()) == {*ABBR.values(), *REFUSALS}
    assert set(CASTABLE.values()) == {"+", "."}


def test_dtypes() -> None:
    """Impl has the dtypes of the table, in torch's order, with the same abbreviations."""
    dtypes = (value for value in vars(impl).values() if isinstance(value, impl.dtype))
    assert [(repr(dtype), dtype.abbr) for dtype in dict.fromkeys(dtypes)] == [
        (f"torch.{name}", abbr) for name, abbr in ABBR.items()
    ]


def test_promote_types() -> None:
    """torch.promote_types of impl agrees with every cell."""
    wrong = differences(PROMOTED, "+", promoted)
    assert not wrong, "\n" + "\n".join(wrong)


def test_can_cast() -> None:
    """torch.can_cast of impl agrees with every cell."""
    wrong = differences(CASTABLE, "->", castable)
    assert not wrong, "\n" + "\n".join(wrong)


def test_every_difference_is_told() -> None:
    planted = {**PROMOTED, ("int8", "uint8"): "i32", ("qint8", "bool"): "b", ("int4", "int8"): "i8"}
    assert differences(planted, "+", promoted) == [
        "int8 + uint8: golden i32, impl i16",
        "qint8 + bool: golden b, impl q",
        "int4 + int8: golden i8, impl A",
    ]


def test_core_is_a_lattice() -> None:
    """Thirteen dtypes promote with bool, and their promotion is the join of a lattice."""
    assert len(CORE) == 13
    assert broken_laws(PROMOTED) == []


@pytest.mark.parametrize(
    ("pair", "cell", "broken"),
    [
        (("int8", "int8"), "u8", "int8 with itself is uint8"),
        (("bool", "int8"), "u8", "bool with int8 is uint8"),
        (("int8", "uint8"), "i32", "int8 with uint8 is not uint8 with int8"),
        (("int8", "uint8"), "i8", "int8, uint8, int8 depend on which two come first"),
    ],
)
def test_broken_laws_are_found(pair: Pair, cell: str, broken: str) -> None:
    assert broken in broken_laws({**PROMOTED, pair: cell})
