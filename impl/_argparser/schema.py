"""Signatures of torch's C functions, read from torch's own notation.

A declaration is a string that torch's generated bindings pass to its parser:
``"flatten(Tensor input, int64_t start_dim=0, int64_t end_dim=-1)"``.  It may end
with ``|deprecated`` or ``|hidden``.  The rules follow FunctionSignature in
torch/csrc/utils/python_arg_parser.cpp.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Any, NamedTuple

from .._runtime.lazy_import import LazyModule
from .types import (
    NUMBERS_AS_TENSORS,
    TENSOR_OR_NUMBER,
    TYPES,
    Convert,
    ParameterType,
    is_int_list,
    named_default,
    sized,
)

ast: Any = LazyModule("ast")  # loads as slowly as ten modules of this package


class Missing(Enum):
    """The type of `MISSING`, the marker of a missing argument."""

    ABSENT = "absent"

    def __repr__(self) -> str:
        return "<absent>"


MISSING = Missing.ABSENT

Args = tuple[Any, ...]
Kwargs = Mapping[str, Any]

NUMPY_NAMES = {
    "dim": ("axis",),
    "keepdim": ("keepdims",),
    "input": ("x", "a", "x1"),
    "other": ("x2",),
}
"""NumPy's names of parameters, which torch accepts as well."""

_TORCH_NAMES = {alias: name for name, aliases in NUMPY_NAMES.items() for alias in aliases}


class Parameter(NamedTuple):
    """One parameter of a signature.

    - ``default``: the default value, or MISSING if the argument is required.
    - ``if_none``: the value bound for None, or MISSING if None is refused.
    """

    type: ParameterType
    name: str
    keyword_only: bool
    default: Any
    printed_default: str
    if_none: Any

    def __str__(self) -> str:
        default = "" if self.default is MISSING else f" = {self.printed_default}"
        return f"{self.type.printed} {self.name}{default}"


class Signature:
    """One overload of a function, with data that is precomputed for a fast `match`."""

    def __init__(self, declaration: str, index: int = 0) -> None:
        self.function, _, rest = declaration.partition("(")
        body, _, suffix = rest.rpartition(")")
        if suffix not in ("", "|deprecated", "|hidden"):
            raise ValueError(f"not a declaration: {declaration}")
        self.index = index
        self.deprecated = suffix == "|deprecated"
        self.hidden = suffix != ""
        self.parameters = self._read_parameters(body)
        positional = [param for param in self.parameters if not param.keyword_only]
        self.most_positional = len(positional)
        # A single list of ints may be written without its brackets: x.view(2, 3).
        self.varargs = len(positional) == 1 and positional[0].type.printed == "tuple of ints"
        self.has_tensor_list = any(
            param.type.printed == "tuple of Tensors" for param in self.parameters
        )
        self._indices = {param.name: index for index, param in enumerate(self.parameters)}
        self._checks = tuple(
            (param.type.exact, param.type.accepts, param.if_none) for param in self.parameters
        )
        self._defaults = [param.default for param in self.parameters]
        self._required = tuple(
            index for index, param in enumerate(self.parameters) if param.default is MISSING
        )
        self.least = len(self._required)
        self._conversions = _conversions(self.function, self.parameters)

    def _read_parameters(self, body: str) -> tuple[Parameter, ...]:
        return _read_parameters(self.function, body)

    def __str__(self) -> str:
        """Return the parameters as torch's messages list them."""
        parts = [str(param) for param in self.parameters]
        if self.most_positional < len(parts):
            parts.insert(self.most_positional, "*")
        return f"({', '.join(parts)})"

    def match(self, args: Args, kwargs: Kwargs) -> list[Any] | None:
        """Return the arguments in the order of the parameters, or None if they do not match.

        Defaults are filled in, and nothing is converted.
        """
        if self.varargs:
            args = self._gathered(args)
        if len(args) > self.most_positional:
            return None
        checks, values = self._checks, self._defaults.copy()
        count = 0
        for value in args:
            exact, accepts, if_none = checks[count]
            if type(value) not in exact:
                if value is None and if_none is not MISSING:
                    value = if_none
                elif not accepts(value):
                    return None
            values[count] = value
            count += 1
        indices = self._indices
        for name, value in kwargs.items():
            index = indices.get(name, -1)
            if index < count:
                return None if index >= 0 else self._match_renamed(args, kwargs)
            exact, accepts, if_none = checks[index]
            if type(value) not in exact:
                if value is None and if_none is not MISSING:
                    value = if_none
                elif not accepts(value):
                    return None
            values[index] = value
        for index in self._required:
            if values[index] is MISSING:
                return None
        return values

    def convert(self, values: list[Any]) -> Args:
        """Return the converted values of matching arguments, or raise torch's error for one."""
        for index, convert, argument in self._conversions:
            value = values[index]
            if value is not None:
                values[index] = convert(value, argument)
        return tuple(values)

    def index_of(self, name: str) -> int | None:
        """Return the index of the parameter with this name, or None if there is none."""
        return self._indices.get(name)

    def gathers(self, args: Args) -> bool:
        """Return whether the positional arguments form one list of ints."""
        return self.varargs and is_int_list(args)

    def _gathered(self, args: Args) -> Args:
        cls = type(args[0]) if args else tuple
        if cls is tuple or cls is list:
            return args
        # A single int may be the whole argument (IntArrayRef[1]).
        if self._checks[0][1](args[0]) or not is_int_list(args):
            return args
        return (args,)

    def _match_renamed(self, args: Args, kwargs: Kwargs) -> list[Any] | None:
        """Match with torch's names for NumPy's; return None if a name is unknown."""
        renamed = {}
        for name, value in kwargs.items():
            torch_name = name if name in self._indices else _TORCH_NAMES.get(name, "")
            if torch_name not in self._indices or torch_name in renamed:
                return None
            renamed[torch_name] = value
        return self.match(args, renamed)


def _read_parameters(function: str, body: str) -> tuple[Parameter, ...]:
    parts = body.split(", ") if body else []
    star = parts.index("*") if "*" in parts else len(parts)
    return tuple(
        _read_parameter(function, part, index > star)
        for index, part in enumerate(parts)
        if index != star
    )


def _read_parameter(function: str, text: str, keyword_only: bool) -> Parameter:
    type_text, _, rest = text.partition(" ")
    name, has_default, printed_default = rest.partition("=")
    type_text, nullable, _ = type_text.partition("?")
    type_text, _, size = type_text.partition("[")
    if type_text not in TYPES or not name:
        raise ValueError(f"not a parameter: {text}")
    type_ = TYPES[type_text]
    count = int(size.removesuffix("]") or 0)
    if count:
        type_ = sized(type_, count)
    if type_text == "Tensor" and function in NUMBERS_AS_TENSORS:
        type_ = TENSOR_OR_NUMBER
    default = _read_default(type_, printed_default, count) if has_default else MISSING
    if_none: Any = MISSING
    if nullable or printed_default == "None":
        if_none = None if default is MISSING else default
    return Parameter(type_, name, keyword_only, default, printed_default, if_none)


def _read_default(type_: ParameterType, text: str, size: int) -> Any:
    if text == "None":
        return None
    if type_.printed == "tuple of ints":
        if text.startswith("{"):
            return tuple(map(int, filter(None, text.strip("{}").split(","))))
        return (int(text),) * size
    try:
        value = ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return named_default(text)
    return float(value) if type_ is TYPES["double"] else value


def _conversions(
    function: str, parameters: tuple[Parameter, ...]
) -> tuple[tuple[int, Convert, str], ...]:
    """Return index, converter and message prefix of the parameters, in torch's order.

    The device is part of the TensorOptions, which come first.  The compiler evaluates
    the arguments of a C++ call from the last to the first.
    """
    device = TYPES["Device"]
    ordered = sorted(enumerate(parameters), key=lambda row: (row[1].type is not device, -row[0]))
    return tuple(
        (index, param.type.convert, f"{function}(): argument '{param.name}'")
        for index, param in ordered
        if param.type.convert
    )
