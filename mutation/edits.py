"""Edits by hand: the mistakes of programmers that the suite must catch, in ``mutation/edits/``.

Each file has the edits of one kind, and begins with the areas or properties that are likely to
catch them. An edit replaces text that occurs once in a file of impl. It
may name a program, torch's answer to it, and the answer of the edited impl.
"""

import ast
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from .sources import Edit, Mutant, Source, words_in

FOLDER = Path(__file__).parent / "edits"


@dataclass(frozen=True)
class HandEdit:
    """One edit of one file of impl.

    kind: the part of torch that the edit concerns, which is the name of the edit's file
    likely: the beginnings of the names of properties that run first
    old, new: the text that is replaced, and its replacement
    program: statements, the last of which is an expression
    torch, edited: the text of the expression's value, or the class of its error, for torch and for
        the edited impl
    """

    kind: str
    name: str
    path: str
    old: str
    new: str
    program: str = ""
    torch: str = ""
    edited: str = ""
    likely: tuple[str, ...] = ()

    def mutant(self, sources: Mapping[str, Source]) -> Mutant:
        """Return the edit as a mutant; raise ValueError if its text does not occur once."""
        source = sources.get(self.path)
        text = source.text.decode() if source else ""
        count = text.count(self.old) if self.old else 0
        if source is None or count != 1:
            raise ValueError(f"edit {self.name!r} is stale: {count} places in {self.path}")
        kept = _common_prefix(self.old, self.new)
        tail = _common_prefix(self.old[kept:][::-1], self.new[kept:][::-1])
        start = len(text[: text.index(self.old) + kept].encode())
        old = self.old[kept : len(self.old) - tail].encode()
        new = self.new[kept : len(self.new) - tail].encode()
        edit = Edit(start, start + len(old), new)
        if not source.is_valid(edit):
            raise ValueError(f"edit {self.name!r} is no valid Python")
        return _as_mutant(self, source, edit)


def _common_prefix(left: str, right: str) -> int:
    pairs = enumerate(zip(left, right, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(left), len(right)))


def _as_mutant(row: HandEdit, source: Source, edit: Edit) -> Mutant:
    first, last = (source.text[:at].count(b"\n") + 1 for at in (edit.start, edit.end))
    edited = [_statement_at(source, line) for line in range(first, last + 1)]
    lines = {line for each in edited for line in source.lines(each)}
    scope = source.scope(edited[0])
    context = " ".join([row.old, row.new, scope, Path(row.path).stem])
    digest = sha256("\0".join([row.path, row.old, row.new]).encode()).hexdigest()
    return Mutant(
        digest[:12], row.path, row.kind, edit, first, scope, tuple(sorted(lines)), words_in(context)
    )


def _statement_at(source: Source, line: int) -> ast.stmt:
    """Return the innermost statement with a line; a line between statements is of the next one."""
    statements = [node for node in ast.walk(source.tree) if isinstance(node, ast.stmt)]
    statements.sort(key=lambda node: node.lineno)
    around = [each for each in statements if each.lineno <= line <= (each.end_lineno or 0)]
    if around and (not (body := getattr(around[-1], "body", None)) or line < body[0].lineno):
        return around[-1]
    return next((each for each in statements if each.lineno > line), statements[-1])


def read_edits(folder: Path = FOLDER) -> list[HandEdit]:
    """Return all edits; raise ValueError if one is malformed or two have one name."""
    rows: list[HandEdit] = []
    for path in sorted(folder.glob("*.toml")):
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        kind, likely = path.stem.replace("_", " "), tuple(table.get("likely", ()))
        for row in table["edit"]:
            try:
                rows.append(HandEdit(kind, **row, likely=likely))
            except TypeError as error:
                raise ValueError(f"{path.name}: {row.get('name', 'no name')}: {error}") from None
    if twice := [name for name, count in Counter(row.name for row in rows).items() if count > 1]:
        raise ValueError(f"edits of one name: {', '.join(twice)}")
    return rows


def select_edits(rows: Iterable[HandEdit], names: Iterable[str]) -> list[HandEdit]:
    """Return the edits whose name or kind is among some; all if there are none."""
    wanted = {*names}
    rows = [*rows]
    if unknown := wanted - {row.name for row in rows} - {row.kind for row in rows}:
        raise ValueError(f"no edits have these names: {', '.join(sorted(unknown))}")
    return [row for row in rows if not wanted or row.name in wanted or row.kind in wanted]
