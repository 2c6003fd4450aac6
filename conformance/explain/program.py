"""Programs for ``explain``: one step for each statement, with torch's names qualified."""

import ast
import builtins
import textwrap
from collections.abc import Callable

from ..core.case import MODULES
from ..core.errors import CouldNotRun

_PROGRAM_NAMES = {"torch", *(name.partition(".")[0] for name in MODULES)}
"""The names that are defined in every program."""


def program_steps(text: str, is_torch_name: Callable[[str], bool]) -> tuple[str, ...]:
    """Return the steps of a program, whose statements are separated by newlines or semicolons.

    A bare name that neither the program nor Python defines is qualified with ``torch``.  If the
    last statement is an assignment, the last step is its target.  A ``print`` call is replaced by
    its argument, and a plain ``import torch`` is removed.  Raises `CouldNotRun` for invalid Python,
    for undefined names, and for programs that could replace ``torch``.

    >>> program_steps("x = ones(2); x += 1", lambda name: name == "ones")
    ('x = torch.ones(2)', 'x += 1', 'x')
    """
    try:
        tree = ast.parse(textwrap.dedent(text).strip())
    except (SyntaxError, ValueError) as error:
        reason = getattr(error, "msg", error)
        raise CouldNotRun(f"{_short(text)} is not Python: {reason}") from None
    tree.body = [step for statement in tree.body for step in _as_steps(statement)]
    if not tree.body:
        raise CouldNotRun("there is no program to explain")
    _refuse_other_torch(tree)
    named = _Qualifier(_assigned_names(tree), is_torch_name).visit(tree)
    steps = [ast.unparse(ast.fix_missing_locations(statement)) for statement in named.body]
    match tree.body[-1]:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AugAssign(target=ast.Name(id=name)):
            steps.append(name)
    return tuple(steps)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= 60 else f"{line[:59]}\N{HORIZONTAL ELLIPSIS}")


def _as_steps(statement: ast.stmt) -> list[ast.stmt]:
    """Return a statement without ``import torch``, and with ``print(x)`` replaced by ``x``.

    So the reproduction in a report is explained as the program of the divergence.
    """
    match statement:
        case ast.Import(names):
            plain = (None, "torch")
            names = [name for name in names if name.name != "torch" or name.asname not in plain]
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
                case ast.Call(ast.Name("repr"), [ast.expr() as value], []):
                    printed = value
            return [ast.Expr(printed)]
    return [statement]


_IMPORTERS = ("__import__", "importlib", "exec", "eval")
"""Names by which a program could import another library."""


def _refuse_other_torch(tree: ast.AST) -> None:
    """Raise `CouldNotRun` if a program could replace ``torch`` by another library."""
    if "torch" in _assigned_names(tree):
        raise CouldNotRun(
            "the program gives the name 'torch' to something;"
            " each side has its library there already"
        )
    for node in ast.walk(tree):
        modules: list[str] = []
        match node:
            case ast.Import(names):
                modules = [alias.name for alias in names]
            case ast.ImportFrom(module=str(module), level=0):
                modules = [module]
            case ast.Name(id=name) | ast.Attribute(attr=name) if name in _IMPORTERS:
                raise CouldNotRun(
                    f"the program uses {name}, and could ask another library than it is to"
                )
        for name in modules:
            first = name.partition(".")[0]
            if first in ("torch", *_IMPORTERS):
                raise CouldNotRun(
                    f"the program imports {name}; what is torch's is asked of both sides as torch.…"
                    if first == "torch"
                    else f"the program imports {name}, and could ask another library than it is to"
                )


def _assigned_names(tree: ast.AST) -> set[str]:
    """Return the names that a program assigns or defines."""
    assigned: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.alias(name=name, asname=alias_name):
                assigned.add(alias_name or name.partition(".")[0])
            case (
                ast.Name(id=str(name), ctx=ast.Store() | ast.Del())
                | ast.arg(arg=str(name))
                | ast.FunctionDef(name=str(name))
                | ast.AsyncFunctionDef(name=str(name))
                | ast.ClassDef(name=str(name))
                | ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
                | ast.MatchMapping(rest=str(name))
            ):
                assigned.add(name)
    return assigned


class _Qualifier(ast.NodeTransformer):
    """The transformer that writes ``torch.`` before torch's names."""

    def __init__(self, assigned: set[str], is_torch_name: Callable[[str], bool]) -> None:
        self._assigned, self._is_torch_name = assigned, is_torch_name

    def visit_Name(self, node: ast.Name) -> ast.expr:
        name = node.id
        if name in self._assigned or name in _PROGRAM_NAMES or hasattr(builtins, name):
            return node
        if name.startswith("_") or not self._is_torch_name(name):
            raise CouldNotRun(
                f"{name!r} is a name neither of torch nor of Python,"
                " and the program does not make it"
            )
        return ast.Attribute(ast.Name("torch", ast.Load()), name, node.ctx)
