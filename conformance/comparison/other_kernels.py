"""Results of the oracle's other kernels for the same elements.

The position and the strides of an element decide whether torch's vectorized or scalar kernel
computes it, and the processor decides on the vector width. So a program is run again with operands
of other strides, and under each other vector width that the processor has.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, NamedTuple

from ..core.case import Case
from ..core.float_formats import Format
from ..libraries.library import Library
from ..observation.runner import run_through
from ..observation.tensor_state import is_sparse, raw_parts
from .vector_widths import Request, processes_of

_APART = (
    "{name} = torch.stack([{name}, {name}], -1)[..., 0] if getattr({name}, 'ndim', 0) else {name}"
)
_ROWS = "{name} = {name}.unsqueeze(-1).expand(*{name}.shape, 64).contiguous()"
_COPIES = "{name} = {name}.unsqueeze(0).expand(64, *{name}.shape).contiguous()"
_FROM_THE_END = re.compile(r"(?:[(]|[(]\w+, |\), |dim=\(?)-\d")
"""The start of a call whose dimension counts from the end."""


def _other_strides(last: str) -> dict[str, str]:
    """Return steps that change an operand's strides, and the index of the result's first element.

    A new dimension does not change the meaning of the dimension in the last step.
    """
    rows, first = (_COPIES, "[0]") if _FROM_THE_END.search(last) else (_ROWS, "[..., 0]")
    return {
        _APART: "",
        f"{rows} if getattr({{name}}, 'ndim', 0) else {{name}}": first,
        f"{rows} if hasattr({{name}}, 'unsqueeze') else {{name}}": first,
    }


_NEGATED = re.compile(r"^(\w+) = (.*?)\._neg_view\(\)", re.DOTALL)
_NEGATED_APART = r"\1 = (lambda x: torch.stack([x, x], -1)[..., 0])(\2)._neg_view()"
"""A step that negates, and its form with a non-contiguous operand."""

_ASSIGNMENT = re.compile(r"(\w+) (?![=!<>]= )[^\w\s]*= ")
"""An assignment to a name, also an augmented one."""


def assigned_name(step: str) -> str:
    """Return the name to which a step assigns, or an empty text."""
    match = _ASSIGNMENT.match(step)
    return match[1] if match else ""


_IN_PLACE = re.compile(r"(\w+)\.\w+[^\W_]_\(")
"""An in-place call on a variable."""


def in_statements(case: Case) -> Case:
    """Return a case whose last step is one statement; those before it become steps.

    A step that only reads what an in-place call has written is left out.

    >>> in_statements(Case(("x = f()", "x.log_()", "x"))).steps
    ('x = f()', 'x.log_()')
    """
    *setup, last = case.steps
    call = _IN_PLACE.match(setup[-1]) if setup else None
    if call and call[1] == last:
        case = Case(tuple(setup))
        *setup, last = setup
    statements = ast.parse(last).body
    if len(statements) < 2:
        return case
    texts = (ast.get_source_segment(last, statement) or "" for statement in statements)
    return Case((*setup, *texts))


def other_programs(case: Case) -> Iterator[Case]:
    """Yield a case with operands of other strides; the last step returns the same elements.

    Negated operands are also made non-contiguous before the negation, which may change the sign of
    a complex zero and the side of a branch cut.
    """
    *setup, last = case.steps
    name = assigned_name(last)
    strided = tuple(_NEGATED.sub(_NEGATED_APART, step) for step in case.steps)
    if strided != case.steps:
        yield Case((*strided, name) if name else strided)
    operands = [operand for operand in assigned_names(setup) if re.search(rf"\b{operand}\b", last)]
    statements = (last, name) if name else (f"({last})",)
    for template, first in _other_strides(last).items():
        steps = [template.format(name=operand) for operand in operands]
        yield Case((*setup, *steps, *statements[:-1], statements[-1] + first))


def assigned_names(steps: Iterable[str]) -> list[str]:
    """Return the names that steps assign, in order."""
    targets = (
        target
        for step in steps
        for node in ast.walk(ast.parse(step))
        if isinstance(node, ast.Assign)
        for target in node.targets
    )
    names = (
        node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)
    )
    return [*dict.fromkeys(names)]


class OtherResults:
    """The raw parts of a case's last result by the oracle's other kernels, computed when needed.

    elementwise: whether each element of the result depends on one of each operand
    """

    def __init__(
        self, oracle: Library, case: Case, fmt: Format, *, elementwise: bool = True
    ) -> None:
        self._known: list[Any] = []
        self._further = _raw_results(oracle, case, fmt, elementwise)

    def __iter__(self) -> Iterator[Any]:
        yield from self._known
        for result in self._further:
            self._known.append(result)
            yield result


def results_by_width(oracle: Library, case: Case, fmt: Format) -> Iterator[Any]:
    """Yield the raw parts of a case's last result under each other vector width."""
    if oracle.known is not None:
        yield from oracle.known.kernels(case)[1]
        return
    program = _returning(case)
    # The smallest vectors differ most, so their process comes first.
    for process in reversed(processes_of(oracle)):
        if (result := process.raw_result(program, fmt.raw_dtype, fmt.parts)) is not None:
            yield result


class Kernels(NamedTuple):
    """The results of a case by the oracle's other kernels, and those under other widths alone."""

    others: list[Any]
    widths: list[Any]


def results_of_all(
    oracle: Library, asked: Sequence[tuple[Case, Format, bool]]
) -> Iterator[Kernels]:
    """Yield what `OtherResults` and `results_by_width` yield for each case; all are asked together.

    Each case has its format, and whether programs with operands of other strides are asked.
    """
    for start in range(0, len(asked), _WINDOW):
        requests: list[list[Request]] = []
        for case, fmt, is_strided in asked[start : start + _WINDOW]:
            programs = [case, *(other_programs(case) if is_strided else ())]
            requests.append([(_returning(each), fmt.raw_dtype, fmt.parts) for each in programs])
        by_process = _by_process(oracle, [*chain.from_iterable(requests)])
        place = 0
        for group in requests:
            results = by_process[place : place + len(group)]
            place += len(group)
            own = [raw_result(oracle, *request) for request in group[1:]]
            found = [each for each in chain(*results, own) if each is not None]
            yield Kernels(found, [each for each in results[0] if each is not None])


_WINDOW = 8
"""How many cases are asked before their results are read."""


def _by_process(oracle: Library, requests: Sequence[Request]) -> list[list[Any]]:
    """Return the results of each request in all processes."""
    processes = processes_of(oracle)
    for process in processes:
        process.send(requests)
    columns = [process.receive(requests) for process in processes]
    return [[column[index] for column in columns] for index in range(len(requests))]


def _returning(case: Case) -> Case:
    """Return a case whose last step returns the tensor that it changes."""
    name = assigned_name(case.steps[-1])
    return Case((*case.steps, name)) if name else case


def _raw_results(oracle: Library, case: Case, fmt: Format, elementwise: bool) -> Iterator[Any]:
    if oracle.known is not None:
        yield from oracle.known.kernels(case)[0]
        return
    yield from results_by_width(oracle, case, fmt)
    for program in other_programs(case) if elementwise else ():
        yield from results_by_width(oracle, program, fmt)
        if (result := raw_result(oracle, program, fmt.raw_dtype, fmt.parts)) is not None:
            yield result


def raw_result(library: Library, case: Case, raw_dtype: str, parts: int) -> Any:
    """Return the raw parts of the result of a case, or None if it is no such tensor.

    For a sparse tensor they are those of its values.
    """
    with suppress(Exception):
        outcome = run_through(library, case, {}, past_errors=True)
        if outcome.error is None and outcome.is_tensor:
            value = outcome.value
            return raw_parts(
                value._values() if is_sparse(value) else value, library, raw_dtype, parts
            )
    return None
