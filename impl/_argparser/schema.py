"""The signatures of torch's C functions, read from torch's own notation.

A declaration is what torch's generated bindings hand to its parser:
``"flatten(Tensor input, int64_t start_dim=0, int64_t end_dim=-1)"``, perhaps
followed by ``|deprecated`` or ``|hidden``.  The rules are those of
FunctionSignature in torch/csrc/utils/python_arg_parser.cpp.
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

ast: Any = LazyModule("ast")  # it takes as long to load as ten modules of this package


class Missing(Enum):
    """What stands for an argument that was not given."""

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
"""The names that NumPy has for some parameters; torch takes them, too."""


class Parameter(NamedTuple):
    """One parameter of a signature.

    ``if_none`` is what None is bound as, or ABSENT where None is refused;
    ``default`` is ABSENT where an argument has to be given.
    """

    type: ParameterType
    name: str
    keyword_only: bool
    default: Any
    printed_default: str
    if_none: Any

    def __str__(self) -> str:
        given = "" if self.default is MISSING else f" = {self.printed_default}"
        return f"{self.type.printed} {self.name}{given}"


class Signature:
    """One way to call a function: what `match` needs lies ready, to be fast."""

    __slots__ = (
        "_aliases", "_checks", "_conversions", "_defaults", "_places", "_required", "deprecated",
        "function", "has_tensor_list", "hidden", "index", "least", "most_positional", "parameters",
        "varargs",
    )  # fmt: skip

    def __init__(self, declaration: str, index: int = 0) -> None:
        self.function, _, rest = declaration.partition("(")
        body, _, suffix = rest.rpartition(")")
        if suffix not in ("", "|deprecated", "|hidden"):
            raise ValueError(f"not a declaration: {declaration}")
        self.index = index
        self.deprecated = suffix == "|deprecated"
        self.hidden = suffix != ""
        self.parameters = _read_parameters(self.function, body)
        positional = [each for each in self.parameters if not each.keyword_only]
        self.most_positional = len(positional)
        self.least = sum(each.default is MISSING for each in self.parameters)
        # A single list of ints may be written without its brackets: x.view(2, 3).
        self.varargs = len(positional) == 1 and positional[0].type.printed == "tuple of ints"
        self.has_tensor_list = any(
            each.type.printed == "tuple of Tensors" for each in self.parameters
        )
        self._places = {each.name: index for index, each in enumerate(self.parameters)}
        self._aliases = {
            alias: name for name in self._places for alias in NUMPY_NAMES.get(name, ())
        }
        self._checks = tuple(
            (each.type.exact, each.type.accepts, each.if_none) for each in self.parameters
        )
        self._defaults = [each.default for each in self.parameters]
        self._required = tuple(
            index for index, each in enumerate(self.parameters) if each.default is MISSING
        )
        self._conversions = _conversions(self.function, self.parameters)

    def __str__(self) -> str:
        """Write the parameters as torch's messages list them."""
        parts = [str(each) for each in self.parameters]
        if self.most_positional < len(parts):
            parts.insert(self.most_positional, "*")
        return f"({', '.join(parts)})"

    def match(self, args: Args, kwargs: Kwargs) -> list[Any] | None:
        """Return the arguments in the order of the parameters, defaults filled in, or None.

        They are not converted yet.
        """
        if self.varargs:
            args = self._gathered(args)
        if len(args) > self.most_positional:
            return None
        checks, values = self._checks, self._defaults.copy()
        place = 0
        for value in args:
            exact, accepts, if_none = checks[place]
            if type(value) not in exact:
                if value is None and if_none is not MISSING:
                    value = if_none
                elif not accepts(value):
                    return None
            values[place] = value
            place += 1
        places = self._places
        for name, value in kwargs.items():
            at = places.get(name, -1)
            if at < place:
                return None if at >= 0 else self._match_renamed(args, kwargs)
            exact, accepts, if_none = checks[at]
            if type(value) not in exact:
                if value is None and if_none is not MISSING:
                    value = if_none
                elif not accepts(value):
                    return None
            values[at] = value
        for at in self._required:
            if values[at] is MISSING:
                return None
        return values

    def convert(self, values: list[Any]) -> Args:
        """Return the values of arguments that fit, or raise what torch raises for their content."""
        for place, convert, where in self._conversions:
            value = values[place]
            if value is not None:
                values[place] = convert(value, where)
        return tuple(values)

    def place_of(self, name: str) -> int | None:
        """Return the place of a parameter, if there is one of a name."""
        return self._places.get(name)

    def gathers(self, args: Args) -> bool:
        """Tell whether positional arguments are to be taken as one list of ints."""
        return self.varargs and is_int_list(args)

    def _gathered(self, args: Args) -> Args:
        kind = type(args[0]) if args else tuple
        if kind is tuple or kind is list:
            return args
        # One int may be the whole argument by itself (IntArrayRef[1]); then there is no second.
        if self._checks[0][1](args[0]) or not is_int_list(args):
            return args
        return (args,)

    def _match_renamed(self, args: Args, kwargs: Kwargs) -> list[Any] | None:
        """Match with torch's names in the place of NumPy's, or return None if one is unknown."""
        renamed = {}
        for name, value in kwargs.items():
            torch_name = self._aliases.get(name, name)
            if torch_name not in self._places or torch_name in renamed:
                return None
            renamed[torch_name] = value
        return self.match(args, renamed)


def _read_parameters(function: str, body: str) -> tuple[Parameter, ...]:
    parameters: list[Parameter] = []
    keyword_only = False
    for part in body.split(", ") if body else ():
        if part == "*":
            keyword_only = True
        else:
            parameters.append(_read_parameter(function, part, keyword_only))
    return tuple(parameters)


def _read_parameter(function: str, text: str, keyword_only: bool) -> Parameter:
    kind, _, rest = text.partition(" ")
    name, has_default, printed_default = rest.partition("=")
    kind, nullable, _ = kind.partition("?")
    kind, _, size = kind.partition("[")
    if kind not in TYPES or not name:
        raise ValueError(f"not a parameter: {text}")
    type_ = TYPES[kind]
    count = int(size.removesuffix("]") or 0)
    if count:
        type_ = sized(type_, count)
    if kind == "Tensor" and function in NUMBERS_AS_TENSORS:
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
    """Return what is to be converted, in the order in which torch's compiled code does it.

    The device is part of the options, which come first; the arguments of a C++
    call are evaluated from the last to the first.
    """
    found = [
        (index, each.type.convert, f"{function}(): argument '{each.name}'")
        for index, each in enumerate(parameters)
        if each.type.convert
    ]
    found.reverse()
    return tuple(sorted(found, key=lambda each: parameters[each[0]].type is not TYPES["Device"]))
