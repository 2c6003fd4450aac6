"""Makes the program of a case of what somebody typed: one step for each statement, and torch's names in full."""

import ast
import builtins
import textwrap
from collections.abc import Callable

from ..core.case import MODULES
from ..core.errors import CouldNotRun

_OF_CASES = {"torch", *(name.partition(".")[0] for name in MODULES)}
"""The names that every program has."""


def steps_of(text: str, is_torchs: Callable[[str], bool]) -> tuple[str, ...]:
    """Return the steps of a program, whose statements stand on lines or behind semicolons.

    A bare name that the program does not make, and Python has not, is one of torch's.  Where the last
    statement gives a name to something, the last step shows it, and where a statement prints something, that
    is looked at instead.  A plain ``import torch`` is left out: every program has it.  Raises `CouldNotRun` for
    what is no Python, for names that nobody has, and for what would put something else for ``torch``.

    >>> steps_of("x = ones(2); x += 1", lambda name: name == "ones")
    ('x = torch.ones(2)', 'x += 1', 'x')
    """
    try:
        tree = ast.parse(textwrap.dedent(text).strip())
    except (SyntaxError, ValueError) as error:
        why = getattr(error, "msg", error)
        raise CouldNotRun(f"{_short(text)} is not Python: {why}") from None
    tree.body = [each for statement in tree.body for each in _asked(statement)]
    if not tree.body:
        raise CouldNotRun("there is no program to explain")
    _refuse_other_torch(tree)
    named = _InFull(_made_in(tree), is_torchs).visit(tree)
    steps = [ast.unparse(ast.fix_missing_locations(each)) for each in named.body]
    if (shown := _given_name(tree.body[-1])) is not None:
        steps.append(shown)
    return tuple(steps)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= 60 else f"{line[:59]}\N{HORIZONTAL ELLIPSIS}")


def _asked(statement: ast.stmt) -> list[ast.stmt]:
    """Return a statement as a step asks it: without ``import torch``, and what is printed by itself.

    So a reproduction that a report shows is explained as the program that it reproduces.
    """
    match statement:
        case ast.Import(names):
            names = [each for each in names if not _is_plain_import(each)]
            return [ast.Import(names)] if names else []
        case ast.Try(
            [ast.Expr() as tried], [ast.ExceptHandler(ast.Name("Exception"), _, [caught])]
        ):
            if ast.unparse(caught) == "print(repr(error))":
                return [tried]
        case ast.Expr(ast.Call(ast.Name("print"), [printed], [])):
            match printed:
                case ast.Starred():
                    return [statement]
                case ast.Call(ast.Name("repr"), [ast.expr() as shown], []):
                    printed = shown
            return [ast.Expr(printed)]
    return [statement]


def _is_plain_import(alias: ast.alias) -> bool:
    return alias.name == "torch" and alias.asname in (None, "torch")


_OTHER_WAYS = ("__import__", "importlib", "exec", "eval")
"""Names by which a program could get at a library that it is not asked of."""


def _refuse_other_torch(tree: ast.AST) -> None:
    """Refuse a program in which ``torch`` would not be the library that is asked."""
    if "torch" in _made_in(tree):
        raise CouldNotRun(
            "the program gives the name 'torch' to something; each side has its library there already"
        )
    for node in ast.walk(tree):
        modules: list[str] = []
        match node:
            case ast.Import(names):
                modules = [each.name for each in names]
            case ast.ImportFrom(module=str(module), level=0):
                modules = [module]
            case ast.Name(id=name) | ast.Attribute(attr=name) if name in _OTHER_WAYS:
                raise CouldNotRun(
                    f"the program uses {name}, and could ask another library than it is to"
                )
        for name in modules:
            first = name.partition(".")[0]
            if first in ("torch", *_OTHER_WAYS):
                raise CouldNotRun(
                    f"the program imports {name}; what is torch's is asked of both sides as torch.…"
                    if first == "torch"
                    else f"the program imports {name}, and could ask another library than it is to"
                )


def _made_in(tree: ast.AST) -> set[str]:
    """Return the names that a program makes itself."""
    made: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                made.add(name)
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
            ):
                made.add(name)
            case ast.alias(name=name, asname=other):
                made.add(other or name.partition(".")[0])
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                made.add(name)
            case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                made.add(name)
    return made


def _given_name(statement: ast.stmt) -> str | None:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AugAssign(target=ast.Name(id=name)):
            return name
    return None


class _InFull(ast.NodeTransformer):
    """Writes ``torch.`` before the names that are torch's."""

    def __init__(self, made: set[str], is_torchs: Callable[[str], bool]) -> None:
        self._made, self._is_torchs = made, is_torchs

    def visit_Name(self, node: ast.Name) -> ast.expr:
        name = node.id
        if name in self._made or name in _OF_CASES or hasattr(builtins, name):
            return node
        if name.startswith("_") or not self._is_torchs(name):
            raise CouldNotRun(
                f"{name!r} is a name neither of torch nor of Python, and the program does not make it"
            )
        return ast.Attribute(ast.Name("torch", ast.Load()), name, node.ctx)
