"""Write the stubs of impl's public namespace, and where its names are: ``python tests/stubs/write.py``.

What torch has in C is declared in torch's notation, and the stubs are made of those
declarations.  What torch has in Python is in ``by_hand.pyi``.
"""

import ast
import inspect
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from keyword import iskeyword
from pathlib import Path
from types import FunctionType, MethodType
from typing import Any

ROOT = Path(__file__).parents[2]
BY_HAND = Path(__file__).with_name("by_hand.pyi")
sys.path.insert(0, str(ROOT))


def contents() -> str:
    """Write which module makes what, in a process in which nothing is loaded."""
    command = [sys.executable, str(BY_HAND.with_name("export_table.py"))]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


if __name__ == "__main__":  # first, as impl finds its names there
    (ROOT / "impl/_runtime/export_table.py").write_text(contents(), encoding="utf-8")

import impl  # noqa: E402
from impl._argparser.parser import Parser  # noqa: E402
from impl._argparser.schema import MISSING, Parameter, Signature  # noqa: E402
from impl._argparser.types import TENSOR_OR_NUMBER  # noqa: E402

TYPES = {
    "Tensor": "Tensor",
    "Number": "_Number | Tensor",
    "int": "_int",
    "bool": "_bool",
    "float": "_float",
    "complex": "_complex",
    "str": "str",
    "object": "Any",
    "tuple of ints": "_Shape",
    "tuple of floats": "Sequence[_float]",
    "tuple of Scalars": "Sequence[_Number]",
    "tuple of Tensors": "Sequence[Tensor]",
    "torch.dtype": "_dtype",
    "torch.layout": "_layout",
    "torch.memory_format": "_memory_format",
    "torch.device": "_Device",
    "torch.Generator": "Generator",
    "torch.Storage": "UntypedStorage | TypedStorage",
}
"""What messages call the types of parameters, and how they are annotated."""

TENSORS = "tuple[Tensor, ...]"
RESULTS = {
    **dict.fromkeys(
        (
            "allclose", "can_cast", "equal", "is_complex", "is_conj", "is_contiguous",
            "is_distributed", "is_floating_point", "is_inference", "is_neg", "is_nonzero",
            "is_pinned", "is_same_size", "is_set_to", "is_signed",
        ),
        "_bool",
    ),
    **dict.fromkeys(
        ("data_ptr", "dim", "element_size", "get_device", "ndimension", "nelement", "numel",
         "storage_offset"),
        "_int",
    ),
    **dict.fromkeys(("promote_types", "result_type"), "_dtype"),
    **dict.fromkeys(
        ("broadcast_tensors", "chunk", "split", "split_with_sizes", "tensor_split", "unbind"),
        TENSORS,
    ),
    **{name: f"return_types.{name}" for name in ("aminmax", "cummax", "cummin")},
    "item": "_Number",
    "tolist": "Any",
    "untyped_storage": "UntypedStorage",
}  # fmt: skip
"""What functions and methods return that do not return a tensor."""

WITH_INDICES = frozenset({"max", "min"})
"""Functions that return a pair where they have a dim."""

OPERATORS = frozenset(
    [
        "add",
        "and",
        "div",
        "eq",
        "floordiv",
        "ge",
        "gt",
        "le",
        "lshift",
        "lt",
        "mod",
        "mul",
        "ne",
        "or",
        "pow",
        "rshift",
        "sub",
        "truediv",
        "xor",
    ]
)
"""The special methods of two operands; they may be reflected and in place."""

VARIADIC = {"broadcast_tensors": "*tensors: Tensor"}
"""Functions that torch wraps in Python, to take their list without its brackets."""


def parsers_of(function: Any) -> Iterator[Parser]:
    """Yield the parsers that a function was made with, or names."""
    pending, seen = [function], set()
    while pending:
        value = pending.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, Parser):
            yield value
        elif isinstance(value, staticmethod):
            pending.append(value.__func__)
        elif isinstance(value, MethodType):
            pending.append(value.__self__)
        elif isinstance(value, partial):
            pending += [value.func, *value.args]
        elif isinstance(value, FunctionType):
            pending += [cell.cell_contents for cell in reversed(value.__closure__ or ())]
            named = (value.__globals__.get(name) for name in value.__code__.co_names)
            pending += [each for each in named if isinstance(each, Parser | FunctionType)]


def signatures_of(name: str, function: Any) -> list[Signature]:
    """Return the usual ways to call a function; those that are deprecated or hidden are left out."""
    for parser in parsers_of(function):
        if parser.signatures[0].function == name:
            return [each for each in parser.signatures if not each.hidden]
    raise ValueError(f"nothing declares {name}; it has to be in {BY_HAND.name}")


def takes_nothing(name: str, method: Any) -> bool:
    """Tell a method that CPython itself refuses arguments for."""
    parsers = parsers_of(method)
    own = any(each.signatures[0].function == name for each in parsers)
    kinds = {each.kind for each in inspect.signature(method).parameters.values()}
    return not own and inspect.Parameter.VAR_KEYWORD in kinds


def annotation(parameter: Parameter) -> str:
    """Write the type of a parameter."""
    kind = parameter.type
    text = TYPES[kind.printed]
    if kind is TENSOR_OR_NUMBER and parameter.name not in ("out", "tensor"):
        text = "Tensor | _Number"
    elif kind.printed == "tuple of ints" and int in kind.exact:
        text = "_int | _Shape"
    if parameter.if_none is not MISSING and kind.printed != "object":
        text += " | None"
    return text


def written(parameter: Parameter) -> str:
    """Write a parameter with its type, and its default, as far as Python can read it."""
    # What Python cannot name can only be given by place.
    name = f"__{parameter.name}" if iskeyword(parameter.name) else parameter.name
    text = f"{name}: {annotation(parameter)}"
    if parameter.default is MISSING:
        return text
    default = parameter.default
    plain = default is None or type(default) in (bool, int, float, str)
    return f"{text} = {default!r}" if plain else f"{text} = ..."


def parameters_of(signature: Signature) -> list[str]:
    """Write the parameters of a signature."""
    parts = list(map(written, signature.parameters))
    if signature.most_positional < len(parts):
        parts.insert(signature.most_positional, "*")
    return parts


def spread_parameters_of(signature: Signature) -> list[str]:
    """Write the parameters of a signature whose one list is given without its brackets."""
    sizes, *rest = signature.parameters
    return [f"*{sizes.name}: _int", *map(written, rest)]


def result_of(name: str, parameters: list[str]) -> str:
    """Write what a function returns."""
    if name in WITH_INDICES and any(each.startswith("dim: ") for each in parameters):
        return f"return_types.{name}"
    if name == "where" and parameters == ["condition: Tensor"]:
        return TENSORS
    if name == "nonzero" and "as_tuple: _bool" in parameters:
        return TENSORS
    return RESULTS.get(name, "Tensor")


def definition(name: str, ways: list[list[str]], indent: str = "") -> list[str]:
    """Write a function or method, as overloads if there are several ways to call it."""
    own = ["self"] if indent else []
    unique = [each for place, each in enumerate(ways) if each not in ways[:place]]
    lines = []
    for each in unique:
        if len(unique) > 1:
            lines.append(f"{indent}@overload")
        parameters = ", ".join([*own, *each])
        lines.append(f"{indent}def {name}({parameters}) -> {result_of(name, each)}: ...")
    return lines


def ways_of(name: str, function: Any) -> list[list[str]]:
    """Return the parameters of each way to call a function."""
    if name in VARIADIC:
        return [[VARIADIC[name]]]
    ways = []
    for each in signatures_of(name, function):
        ways.append(parameters_of(each))
        if each.varargs:
            ways.append(spread_parameters_of(each))
    return ways


def public(owner: Any) -> list[str]:
    """Return the public names of a module or class, sorted."""
    return sorted(name for name in dir(owner) if not name.startswith("_"))


def names_in(body: list[ast.stmt]) -> set[str]:
    """Return the names that the statements of a stub define."""
    names: set[str] = set()
    for each in body:
        if isinstance(each, ast.FunctionDef | ast.ClassDef):
            names.add(each.name)
        elif isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
            names.add(each.target.id)
        elif isinstance(each, ast.ImportFrom):
            names |= {alias.asname for alias in each.names if alias.asname == alias.name}
    return names


def body_of(tree: ast.Module, name: str) -> list[ast.stmt]:
    """Return what a stub says in a class, and in the classes of the stub that it inherits from."""
    classes = {each.name: each for each in tree.body if isinstance(each, ast.ClassDef)}
    bases = [each.id for each in classes[name].bases if isinstance(each, ast.Name)]
    inherited = [line for base in bases if base in classes for line in body_of(tree, base)]
    return [*classes[name].body, *inherited]


def methods(by_hand: set[str]) -> list[str]:
    """Write the methods of Tensor that are not written by hand."""
    lines = []
    for name in sorted(vars(impl.Tensor)):
        getattr(impl.Tensor, name)  # which loads it
        value = vars(impl.Tensor)[name]
        stem = name.strip("_")
        if name in by_hand:
            continue
        if name[:2] == "__" and (stem in OPERATORS or stem[1:] in OPERATORS):
            lines.append(f"    def {name}(self, other: Tensor | _Number) -> Tensor: ...")
        elif name in ("__abs__", "__invert__", "__neg__", "__pos__"):
            lines.append(f"    def {name}(self) -> Tensor: ...")
        elif name.startswith("_"):
            continue
        elif isinstance(value, property):
            lines += ["    @property", f"    def {name}(self) -> _bool: ..."]
        elif takes_nothing(name, value):
            lines += definition(name, [[]], "    ")
        else:
            ways = [
                each[1:] if each[:1] == ["input: Tensor"] else each for each in ways_of(name, value)
            ]
            lines += definition(name, ways, "    ")
    return lines


def functions(by_hand: set[str]) -> list[str]:
    """Write the functions, dtypes and other objects of the namespace that are not written by hand."""
    lines = []
    for name in public(impl):
        value = getattr(impl, name)
        if name in by_hand:
            continue
        for kind in ("dtype", "layout", "memory_format"):
            if isinstance(value, getattr(impl, kind)):
                lines.append(f"{name}: _{kind}")
                break
        else:
            if isinstance(value, type):
                base = "Tensor" if name.endswith("Tensor") else "TypedStorage"
                lines.append(f"class {name}({base}): ...")
            else:
                lines += definition(name, ways_of(name, value))
    return lines


def namespace() -> str:
    """Write the stub of the namespace."""
    text = BY_HAND.read_text(encoding="utf-8")
    tree = ast.parse(text)
    text = text.replace("    # <methods>", "\n".join(methods(names_in(body_of(tree, "Tensor")))))
    return text.replace("# <functions>", "\n".join(functions(names_in(tree.body))))


def return_types() -> str:
    """Write the stub of the named tuples."""
    lines = [
        '"""The named tuples that functions with several results return."""',
        "",
        "from typing import Any",
        "",
        "from . import Tensor",
        "",
        "all_return_types: list[type[Any]]",
    ]
    for name in sorted(set(impl.return_types.__all__) - {"all_return_types"}):
        fields = getattr(impl.return_types, name).__match_args__
        lines += ["", f"class {name}(tuple[{', '.join(['Tensor'] * len(fields))}]):"]
        for field in fields:
            lines += ["    @property", f"    def {field}(self) -> Tensor: ..."]
    return "\n".join([*lines, ""])


STUBS: dict[str, Callable[[], str]] = {
    "__init__.pyi": namespace,
    "return_types.pyi": return_types,
}


def main() -> None:
    """Write all stubs."""
    for name, write in STUBS.items():
        (ROOT / "impl" / name).write_text(write(), encoding="utf-8")


if __name__ == "__main__":
    main()
