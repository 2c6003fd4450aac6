"""Reproductions: a divergent case as a script that prints the fact in which the sides differ."""

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any

from .case import MODULES, Case
from .differences import Path, differences

_READERS = {
    "dtype": "{}.dtype", "shape": "{}.shape", "stride": "{}.stride()", "own": "{}.stride()",
    "offset": "{}.storage_offset()", "device": "{}.device", "layout": "{}.layout",
    "indices": "{}._indices()", "values": "{}._values()",
    "requires_grad": "{}.requires_grad", "is_leaf": "{}.is_leaf", "grad_fn": "{}.grad_fn",
    "output_nr": "{}.output_nr", "version": "{}._version", "is_view": "{}._is_view()",
    "is_inference": "{}.is_inference()", "retains_grad": "{}.retains_grad",
    "conjugated": "{}.is_conj()", "negated": "{}.is_neg()",
    "bytes": "{}.untyped_storage().nbytes()",
    "address": "{0}.data_ptr() - {0}.untyped_storage().data_ptr()",
    "sparse_dim": "{}.sparse_dim()", "dense_dim": "{}.dense_dim()", "nnz": "{}._nnz()",
    "is_coalesced": "{}.is_coalesced()",
    "resizable": "{}.resizable()", "writeable": "{}.flags.writeable",
}  # fmt: skip
"""The expression that reads each key of an observation, as `tensor_state` writes them."""

_CLASSES = ("tensor", "instance of", "named tuple")
_PARTS = ("indices", "values")
_CONTAINERS = ("tuple", "list", "Size", "fields")
_OF_ARRAY = {"dtype": "{}.dtype", "shape": "{}.shape", "stride": "{}.strides", "elements": "{}"}
_RELATION = "{0} is {1}, {0}.untyped_storage().data_ptr() == {1}.untyped_storage().data_ptr()"
_TENSOR_FACETS = frozenset(
    ("dtype", "shape", "stride", "offset", "device", "layout", "autograd", "conj_neg", "storage",
     "elements")
)  # fmt: skip
_CAUSE = "repr(error.__cause__ or error.__context__), getattr(error, '__notes__', [])"
_NAME = "result"


def reproduction(
    case: Case,
    subject: str = "impl",
    facet: str = "value",
    sides: tuple[Any, Any] = (None, None),
) -> str:
    """Return a case as a script that runs under either import and prints the facet that differs.

    ``sides`` are what was expected and what was observed; the script prints the first part of them
    that differs.

    >>> print(reproduction(Case(("torch.iinfo(torch.int8).max",)), "mine.sub:attribute"))
    import torch  # or: from mine.sub import attribute as torch
    <BLANKLINE>
    print(repr(torch.iinfo(torch.int8).max))
    >>> strides = {"x": {"stride": [3, 1]}}, {"x": {"stride": [1, 2]}}
    >>> print(reproduction(Case(("x = torch.ones(2, 3)",)), "mine", "state", strides))
    import torch  # or: import mine as torch
    <BLANKLINE>
    x = torch.ones(2, 3)
    print(x.stride())
    """
    modules = [name for name in MODULES if re.search(rf"\b{name}\.", str(case))]
    lines = [f"import {name}" for name in modules]
    lines += [f"import torch  # or: {_import_line(subject)}", ""]
    lines += map(_guarded, case.steps[:-1])
    return "\n".join([*lines, *_last_lines(case.steps[-1], str(case), facet, sides)])


def _last_lines(last: str, text: str, facet: str, sides: tuple[Any, Any]) -> list[str]:
    """Return the last step, and the line that prints the facet."""
    path, *ends = next(differences(*sides), ((), *sides))
    if facet == "rollback":
        names = dict.fromkeys(re.findall(r"^(\w+) = ", text, re.MULTILINE))
        return [_guarded(last), *(f"print(repr({name}))" for name in names)]
    if facet == "state" and path:
        name = str(path[0])
        return [last, f"print({_reader(name, path[1:], sides[0][name], ends)})"]
    if not _is_expression(last):
        return [last]
    if facet == "cause":
        return [f"try: {last}", f"except Exception as error: print({_CAUSE})"]
    if facet == "aliasing":
        read = _reader(_NAME, ("relations",), None, ends)
    elif facet in _TENSOR_FACETS:
        read = _reader(_NAME, (facet, *path), {facet: sides[0]}, ends)
    else:
        read = _reader(_NAME, path, sides[0], ends) if facet == "value" else _NAME
    if read == _NAME:
        return [f"print(repr({last}))"]
    if read.count(_NAME) > 1:
        return [f"{_NAME} = {last}", f"print({read})"]
    return [f"print({read.replace(_NAME, last if _is_primary(last) else f'({last})')})"]


def _reader(expression: str, path: Path, node: Any, ends: Sequence[Any]) -> str:
    """Return the expression that reads the end of a path in the observation of an expression."""
    if not path:
        return expression
    key, rest = path[0], path[1:]
    below = node[key] if isinstance(node, Mapping) and key in node else None
    if key in _CLASSES:
        is_own = str(ends[0]).startswith("torch.")
        return f"type({expression}) is {ends[0]}" if is_own else f"type({expression})"
    if key in _CONTAINERS and rest and below is not None:
        return _reader(f"{expression}[{rest[0]}]", rest[1:], below[rest[0]], ends)
    if key == "relations":
        return ", ".join(_RELATION.format(expression, peer) for peer in _peers(*ends)) or expression
    if key == "elements" and not isinstance(below, Mapping):
        return _element(expression, rest, *ends)
    if key == "device" and rest:
        return expression
    if key == "stride" and rest and rest[0] in _PARTS:
        rest = rest[0], key
    elif key in _PARTS:
        expression = _READERS[str(key)].format(expression)
    elif not isinstance(below, Mapping):
        readers = _OF_ARRAY if isinstance(node, Mapping) and "array" in node else _READERS
        return readers.get(str(key), "{}").format(expression)
    return _reader(expression, rest, below, ends)


def _peers(expected: Any, observed: Any) -> list[str]:
    if not isinstance(expected, Mapping) or not isinstance(observed, Mapping):
        return []
    names = sorted({*expected, *observed})
    return [name for name in names if expected.get(name) != observed.get(name)]


def _element(tensor: str, path: Path, expected: Any, observed: Any) -> str:
    """Return the expression for an element, or for all elements; that of a NaN shows its bits."""
    element = f"{tensor}.reshape(-1)[{path[0]}]" if path else tensor
    plain = f"{element}.item()" if path else f"{element}.tolist()"
    integer = {4: ("int16", 0x7C00), 8: ("int32", 0x7F800000), 16: ("int64", 0x7FF << 52)}
    found = [re.search(r"([0-9a-f]+)(?: \(\S+\))?$", str(side)) for side in (expected, observed)]
    digits = [match[1] for match in found if match]
    if len(digits) < 2 or len(digits[0]) not in integer:
        return plain
    dtype, exponent = integer[len(digits[0])]
    is_nan = all(int(bits, 16) & exponent == exponent for bits in digits)
    return f"{plain}, {element}.view(torch.{dtype}).tolist()" if is_nan else plain


def _import_line(subject: str) -> str:
    module, _, attribute = subject.partition("@")[0].partition(":")
    owner, _, name = attribute.rpartition(".")
    if not attribute:
        return f"import {module} as torch"
    if not owner:
        return f"from {module} import {name} as torch"
    return f"import {module}; torch = {module}.{attribute}"


def _guarded(step: str) -> str:
    """Return a step before the last in a form that continues after an error, as in a comparison."""
    if not _is_expression(step):
        return step
    return f"try: {step}\nexcept Exception as error: print(repr(error))"


def _is_expression(step: str) -> bool:
    try:
        compile(step, "<case>", "eval")
    except SyntaxError:
        return False
    return True


def _is_primary(step: str) -> bool:
    """Return whether an attribute of an expression can be written without parentheses."""
    body = ast.parse(step, mode="eval").body
    return isinstance(body, ast.Call | ast.Name | ast.Attribute | ast.Subscript)
