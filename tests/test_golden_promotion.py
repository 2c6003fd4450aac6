"""impl against the golden tables of what torch promotes and casts, and what the tables prove.

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
    """Return the abbreviations of the dtypes by their names, and the cells by pairs of names."""
    header, *rows = (line.split() for line in lines)
    abbr = {name: own for name, own, *_ in rows}
    assert header == ["dtype", "abbr", *abbr.values()]
    cells = {
        (left, right): cell for left, _, *row in rows for right, cell in zip(abbr, row, strict=True)
    }
    return abbr, cells


ABBR, PROMOTED = read(SECTIONS["[promote_types]"])
ABBR_IN_CASTS, CASTABLE = read(SECTIONS["[can_cast]"])
CORE = [name for name in ABBR if PROMOTED["bool", name] in ABBR.values()]


def promoted(left: str, right: str) -> str:
    """Return what impl says where the golden table has a cell."""
    try:
        return impl.promote_types(getattr(impl, left), getattr(impl, right)).abbr
    except RuntimeError as error:
        message = str(error)
    marks = [mark for mark, start in REFUSALS.items() if message.startswith(start)]
    return "".join(marks) or message


def castable(left: str, right: str) -> str:
    """Return what impl says where the golden table has a cell."""
    return "+" if impl.can_cast(getattr(impl, left), getattr(impl, right)) else "."


def differences(golden: Cells, sign: str, answer: Callable[[str, str], str]) -> list[str]:
    """Return a line for each cell that is not what ``answer`` says."""
    return [
        f"{left} {sign} {right}: golden {cell}, impl {found}"
        for (left, right), cell in golden.items()
        if (found := answer(left, right)) != cell
    ]


def broken_laws(cells: Mapping[Pair, str]) -> list[str]:
    """Return where the core of the table is not the join of a lattice with bool at the bottom."""
    name_of = {own: name for name, own in ABBR.items()}

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
    """Both tables hold one cell for every pair of the 46 dtypes, and no cell means nothing."""
    assert ABBR == ABBR_IN_CASTS
    assert len(ABBR) == len(set(ABBR.values())) == 46
    assert len(PROMOTED) == len(CASTABLE) == 46 * 46
    assert set(PROMOTED.values()) == {*ABBR.values(), *REFUSALS}
    assert set(CASTABLE.values()) == {"+", "."}


def test_dtypes() -> None:
    """Impl has the dtypes of the table, in torch's order, under the same abbreviations."""
    held = (value for value in vars(impl).values() if isinstance(value, impl.dtype))
    assert [(repr(each), each.abbr) for each in dict.fromkeys(held)] == [
        (f"torch.{name}", abbr) for name, abbr in ABBR.items()
    ]


def test_promote_types() -> None:
    """Impl promotes, or refuses to, as every cell says."""
    wrong = differences(PROMOTED, "+", promoted)
    assert not wrong, "\n" + "\n".join(wrong)


def test_can_cast() -> None:
    """Impl casts as every cell says."""
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
    """Thirteen dtypes promote with bool; among them promotion is the join of a lattice."""
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
