"""Write the stubs and the export table of impl: ``python tests/stubs/write.py``.

Torch's C functions have schemas in impl, and their stubs are generated from these schemas.
Torch's Python functions are in ``by_hand.pyi``.
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
    """Return the text of the export table, from a new process."""
    command = [sys.executable, str(BY_HAND.with_name("export_table.py"))]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


if __name__ == "__main__":  # first, because impl reads it
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
"""The name of a parameter type in messages -> its annotation."""

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
        ("broadcast_tensors", "chunk", "dsplit", "hsplit", "split", "split_with_sizes",
         "tensor_split", "unbind", "vsplit"),
        TENSORS,
    ),
    **{name: f"return_types.{name}" for name in ("aminmax", "cummax", "cummin")},
    "item": "_Number",
    "tolist": "Any",
    "untyped_storage": "UntypedStorage",
}  # fmt: skip
"""The result types of functions and methods that do not return a tensor."""

WITH_INDICES = frozenset({"max", "min"})
"""Functions that return a pair if they have the parameter dim."""

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
"""The special methods of two operands, which have reflected and in-place forms."""

VARIADIC = {
    "broadcast_tensors": "*tensors: Tensor",
    "meshgrid": "*tensors: Tensor, indexing: str | None = None",
}
"""Functions that torch wraps in Python, so that they take a list as positional arguments."""


def parsers_of(function: Any) -> Iterator[Parser]:
    """Yield the parsers in the closure or the globals of a function."""
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
            if "__torch_function__" in (value.__kwdefaults__ or {}):
                value = vars(value)["__wrapped__"]  # has the function's own code
            pending += [cell.cell_contents for cell in reversed(value.__closure__ or ())]
            named = (value.__globals__.get(name) for name in value.__code__.co_names)
            pending += [value for value in named if isinstance(value, Parser | FunctionType)]


def signatures_of(name: str, function: Any) -> list[Signature]:
    """Return the signatures of a function that are neither deprecated nor hidden."""
    for parser in parsers_of(function):
        if parser.signatures[0].function == name:
            return [signature for signature in parser.signatures if not signature.hidden]
    raise ValueError(f"nothing declares {name}; it has to be in {BY_HAND.name}")


def takes_nothing(name: str, method: Any) -> bool:
    """Return whether CPython itself refuses arguments for a method."""
    parsers = parsers_of(method)
    is_declared = any(parser.signatures[0].function == name for parser in parsers)
    kinds = {parameter.kind for parameter in inspect.signature(method).parameters.values()}
    return not is_declared and inspect.Parameter.VAR_KEYWORD in kinds


def annotation(parameter: Parameter) -> str:
    """Return the annotation of a parameter."""
    type_ = parameter.type
    text = TYPES[type_.printed]
    if type_ is TENSOR_OR_NUMBER and parameter.name not in ("out", "tensor"):
        text = "Tensor | _Number"
    elif type_.printed == "tuple of ints" and int in type_.exact:
        text = "_int | _Shape"
    if parameter.if_none is not MISSING and type_.printed != "object":
        text += " | None"
    return text


def parameter_text(parameter: Parameter) -> str:
    """Return a parameter with its annotation and its default, if that is a Python literal."""
    # A keyword of Python cannot name a parameter, so it is positional-only.
    name = f"__{parameter.name}" if iskeyword(parameter.name) else parameter.name
    text = f"{name}: {annotation(parameter)}"
    if parameter.default is MISSING:
        return text
    default = parameter.default
    plain = default is None or type(default) in (bool, int, float, str)
    return f"{text} = {default!r}" if plain else f"{text} = ..."


def parameters_of(signature: Signature) -> list[str]:
    """Return the parameters of a signature."""
    parts = list(map(parameter_text, signature.parameters))
    if signature.most_positional < len(parts):
        parts.insert(signature.most_positional, "*")
    return parts


def spread_parameters_of(signature: Signature) -> list[str]:
    """Return the parameters of a signature with its list as positional arguments."""
    sizes, *rest = signature.parameters
    return [f"*{sizes.name}: _int", *map(parameter_text, rest)]


def result_of(name: str, parameters: list[str]) -> str:
    """Return the result type of a function."""
    if name in WITH_INDICES and any(parameter.startswith("dim: ") for parameter in parameters):
        return f"return_types.{name}"
    if name == "where" and parameters == ["condition: Tensor"]:
        return TENSORS
    if name == "nonzero" and "as_tuple: _bool" in parameters:
        return TENSORS
    return RESULTS.get(name, "Tensor")


def definition(name: str, overloads: list[list[str]], indent: str = "") -> list[str]:
    """Return the lines of a function or method, with overloads if it has several signatures."""
    receiver = ["self"] if indent else []
    unique = [item for index, item in enumerate(overloads) if item not in overloads[:index]]
    lines = []
    for parameters in unique:
        if len(unique) > 1:
            lines.append(f"{indent}@overload")
        arguments = ", ".join([*receiver, *parameters])
        lines.append(f"{indent}def {name}({arguments}) -> {result_of(name, parameters)}: ...")
    return lines


def overloads_of(name: str, function: Any) -> list[list[str]]:
    """Return the parameters of each signature of a function."""
    if name in VARIADIC:
        return [[VARIADIC[name]]]
    overloads = []
    for signature in signatures_of(name, function):
        overloads.append(parameters_of(signature))
        if signature.varargs:
            overloads.append(spread_parameters_of(signature))
    return overloads


def public(owner: Any) -> list[str]:
    """Return the public names of a module or class, sorted."""
    return sorted(name for name in dir(owner) if not name.startswith("_"))


def names_in(body: list[ast.stmt]) -> set[str]:
    """Return the names that the statements of a stub define."""
    names: set[str] = set()
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            names.add(statement.name)
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            names.add(statement.target.id)
        elif isinstance(statement, ast.ImportFrom):
            names |= {alias.asname for alias in statement.names if alias.asname == alias.name}
    return names


def body_of(tree: ast.Module, name: str) -> list[ast.stmt]:
    """Return the statements of a class in a stub, and of its bases in the same stub."""
    classes = {
        statement.name: statement for statement in tree.body if isinstance(statement, ast.ClassDef)
    }
    bases = [base.id for base in classes[name].bases if isinstance(base, ast.Name)]
    inherited = [line for base in bases if base in classes for line in body_of(tree, base)]
    return [*classes[name].body, *inherited]


def methods(by_hand: set[str]) -> list[str]:
    """Return the lines of the generated methods of Tensor."""
    lines = []
    for name in sorted(vars(impl.Tensor)):
        getattr(impl.Tensor, name)  # loads a lazy member
        value = vars(impl.Tensor)[name]
        stem = name.strip("_")
        if name in by_hand:
            continue
        if name[:2] == "__" and (stem in OPERATORS or stem[1:] in OPERATORS):
            lines.append(f"    def {name}(self, other: Tensor | _Number) -> Tensor: ...")
        elif name in ("__matmul__", "__rmatmul__"):
            lines.append(f"    def {name}(self, other: Tensor) -> Tensor: ...")
        elif name in ("__abs__", "__invert__", "__neg__", "__pos__"):
            lines.append(f"    def {name}(self) -> Tensor: ...")
        elif name.startswith("_"):
            continue
        elif isinstance(value, property):
            lines += ["    @property", f"    def {name}(self) -> _bool: ..."]
        elif takes_nothing(name, value):
            lines += definition(name, [[]], "    ")
        else:
            overloads = [
                parameters[1:] if parameters[:1] == ["input: Tensor"] else parameters
                for parameters in overloads_of(name, value)
            ]
            lines += definition(name, overloads, "    ")
    return lines


def functions(by_hand: set[str]) -> list[str]:
    """Return the lines of the generated functions, dtypes and other names of the namespace."""
    lines = []
    for name in public(impl):
        value = getattr(impl, name)
        if name in by_hand:
            continue
        for cls in ("dtype", "layout", "memory_format"):
            if isinstance(value, getattr(impl, cls)):
                lines.append(f"{name}: _{cls}")
                break
        else:
            if isinstance(value, type):
                base = "Tensor" if name.endswith("Tensor") else "TypedStorage"
                lines.append(f"class {name}({base}): ...")
            else:
                lines += definition(name, overloads_of(name, value))
    return lines


def namespace() -> str:
    """Return the stub of the namespace."""
    text = BY_HAND.read_text(encoding="utf-8")
    tree = ast.parse(text)
    text = text.replace("    # <methods>", "\n".join(methods(names_in(body_of(tree, "Tensor")))))
    return text.replace("# <functions>", "\n".join(functions(names_in(tree.body))))


def return_types() -> str:
    """Return the stub of the named tuples."""
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
