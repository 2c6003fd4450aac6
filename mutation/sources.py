"""A source file of impl as text and syntax tree, and the mutants of it."""

import ast
import difflib
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, TypeGuard

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
SCOPES = (*FUNCTIONS, ast.ClassDef)


class Edit(NamedTuple):
    """The replacement of the bytes from ``start`` to ``end``."""

    start: int
    end: int
    replacement: bytes


@dataclass(frozen=True)
class Mutant:
    """One edit of one source file.

    path: the file, relative to the folder of impl
    operator: the name of the mutation operator
    line, scope: the line of the edit, and the name of the function or class around it
    lines: the lines whose execution the edit changes
    words: the words of the statement, its scope and its file, which tell what it is about
    """

    id: str
    path: str
    operator: str
    edit: Edit
    line: int
    scope: str
    lines: tuple[int, ...]
    words: tuple[str, ...]

    @property
    def package(self) -> str:
        """The package of the file, like "_ops/views"; "." for the modules of impl itself."""
        return package_of(self.path)

    def apply(self, source: bytes) -> bytes:
        """Return the mutated source."""
        return source[: self.edit.start] + self.edit.replacement + source[self.edit.end :]

    def diff(self, source: bytes) -> str:
        """Return the edit as a unified diff without context."""
        before, after = (text.decode().splitlines() for text in (source, self.apply(source)))
        lines = difflib.unified_diff(before, after, f"impl/{self.path}", "mutant", n=0, lineterm="")
        return "\n".join(line for line in lines if not line.startswith("+++"))


def package_of(path: str) -> str:
    """Return the package of a source file."""
    return str(Path(path).parent)


class Source:
    """The text and the tree of one file, and the nodes that may be mutated."""

    def __init__(self, path: str, text: bytes) -> None:
        self.path = path
        self.text = text
        self.tree = ast.parse(text)
        self.parents: dict[ast.AST, ast.AST] = {
            child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)
        }

    @cached_property
    def _line_starts(self) -> list[int]:
        starts = [0]
        for line in self.text.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        return starts

    def start(self, node: ast.AST) -> int:
        """Return the position of a node's first byte."""
        line, column = getattr(node, "lineno"), getattr(node, "col_offset")  # noqa: B009
        return int(self._line_starts[line - 1] + column)

    def end(self, node: ast.AST) -> int:
        """Return the position after a node's last byte."""
        line, column = getattr(node, "end_lineno"), getattr(node, "end_col_offset")  # noqa: B009
        return int(self._line_starts[line - 1] + column)

    def code(self, node: ast.AST) -> str:
        """Return the text of a node."""
        return self.text[self.start(node) : self.end(node)].decode()

    def replace(self, node: ast.AST, text: str) -> Edit:
        """Return the edit that replaces a node."""
        return Edit(self.start(node), self.end(node), text.encode())

    def rewrite(self, node: ast.expr, changed: ast.expr) -> Edit:
        """Return the edit that replaces an expression by a changed tree, in parentheses."""
        return self.replace(node, f"({ast.unparse(changed)})")

    def swap(self, first: ast.AST, second: ast.AST) -> Iterator[Edit]:
        """Yield the edit that exchanges two nodes, unless their texts are equal."""
        left, right = self.code(first), self.code(second)
        if left != right and self.end(first) <= self.start(second):
            between = self.text[self.end(first) : self.start(second)]
            swapped = right.encode() + between + left.encode()
            yield Edit(self.start(first), self.end(second), swapped)

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the nodes around a node, the innermost first."""
        while (parent := self.parents.get(node)) is not None:
            yield parent
            node = parent

    def statement(self, node: ast.AST) -> ast.stmt | None:
        """Return the innermost statement that is or contains a node."""
        around = (each for each in (node, *self.ancestors(node)) if isinstance(each, ast.stmt))
        return next(around, None)

    def scope(self, node: ast.AST) -> str:
        """Return the dotted name of the functions and classes around a node."""
        around = (node, *self.ancestors(node))
        names = [each.name for each in around if isinstance(each, SCOPES)]
        return ".".join(reversed(names))

    def in_function(self, node: ast.AST) -> bool:
        """Return whether a node is part of a function or a lambda."""
        return any(isinstance(each, (*FUNCTIONS, ast.Lambda)) for each in self.ancestors(node))

    def nodes(self) -> Iterator[ast.AST]:
        """Yield the nodes that may be mutated, in the order of the text."""
        yield from self._nodes_in(self.tree)

    def _nodes_in(self, node: ast.AST) -> Iterator[ast.AST]:
        skipped = _unmutated_children(node)
        for child in ast.iter_child_nodes(node):
            if child in skipped or isinstance(child, ast.Import | ast.ImportFrom):
                continue
            if _is_for_types(child):
                for other in child.orelse:
                    yield other
                    yield from self._nodes_in(other)
                continue
            yield child
            # Python 3.11 gives no true positions inside formatted strings.
            if not isinstance(child, ast.JoinedStr):
                yield from self._nodes_in(child)

    def lines(self, node: ast.AST) -> tuple[int, ...]:
        """Return the lines whose execution shows that a mutated node has an effect.

        They are those of its statement, without the body of a compound one. Those of a default are
        the lines of the function's body; a decorator may also act where it stands.
        """
        statement = self.statement(node)
        if statement is None:
            return ()
        first, last = statement.lineno, statement.end_lineno or statement.lineno
        body = getattr(statement, "body", None)
        if isinstance(statement, FUNCTIONS):
            decorated = statement is node and statement.decorator_list
            first = decorated[0].lineno if decorated else statement.body[0].lineno
        elif body:
            last = max(first, body[0].lineno - 1)
        return tuple(range(first, last + 1))

    def is_valid(self, edit: Edit) -> bool:
        """Return whether an edited text is Python that differs from the source."""
        if self.text[edit.start : edit.end] == edit.replacement:
            return False
        mutated = self.text[: edit.start] + edit.replacement + self.text[edit.end :]
        try:
            with warnings.catch_warnings(action="ignore"):
                compile(mutated, self.path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return False
        return True

    def mutant(self, operator: str, node: ast.AST, edit: Edit, taken: Counter[str]) -> Mutant:
        """Return the mutant of an edit. ``taken`` counts the mutants with equal descriptions.

        The id depends on the statement and the edit, not on the lines before.
        """
        around = self.statement(node) or node
        begin = self.start(around)
        context = self.text[begin : max(self.end(around), edit.end)].decode()
        at = f"{edit.start - begin} {edit.end - edit.start} {edit.replacement.decode()}"
        description = "\0".join([self.path, self.scope(node), operator, context, at])
        taken[description] += 1
        digest = sha256(f"{description}\0{taken[description]}".encode()).hexdigest()
        return Mutant(
            digest[:12],
            self.path,
            operator,
            edit,
            self.text[: edit.start].count(b"\n") + 1,
            self.scope(node),
            self.lines(node),
            words_in(f"{context} {self.scope(node)} {Path(self.path).stem}"),
        )


def words_in(text: str) -> tuple[str, ...]:
    """Return the distinct identifiers and words of a text, sorted."""
    cleaned = "".join(char if char.isalnum() or char == "_" else " " for char in text)
    return tuple(sorted({word for word in cleaned.split() if not word.isdigit()}))


def _unmutated_children(node: ast.AST) -> list[ast.AST]:
    """Return the children without an effect on answers: docstrings and annotations."""
    children: list[ast.AST] = []
    body = getattr(node, "body", None)
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and body:
        children += [each for each in body if _is_text(each)]
    for name in ("annotation", "returns"):
        if (annotation := getattr(node, name, None)) is not None:
            children.append(annotation)
    if isinstance(body, list):
        children += [each for each in body if _is_unused(each)]
    return children


def _is_for_types(node: ast.AST) -> TypeGuard[ast.If]:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_unused(node: ast.AST) -> bool:
    """Return whether a statement only tells of names or types."""
    if isinstance(node, ast.AnnAssign) and node.value is None:
        return True
    is_list = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in _LISTS
    return _is_text(node) or is_list


_LISTS = ("__all__", "__slots__")


def read_sources(folder: Path) -> dict[str, Source]:
    """Return the sources of a package by their paths relative to it."""
    paths = sorted(folder.rglob("*.py"))
    names = {path.relative_to(folder).as_posix(): path for path in paths}
    return {name: Source(name, path.read_bytes()) for name, path in names.items()}
