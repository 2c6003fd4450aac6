"""How torch's C functions take their arguments, and what they say if they cannot.

A function is called as ``function(*args, **kwargs)``; it takes the usual call
apart by itself, and hands every other to its `Parser`, which either binds the
arguments or raises torch's TypeError.  The rules are those of
torch/csrc/utils/python_arg_parser.cpp (the words for a single signature) and
torch/csrc/utils/invalid_arguments.cpp (the list of signatures that were tried).
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from typing import Any, NamedTuple, NoReturn

from .dtypes import is_dtype
from .errors import type_name
from .scalars import is_number


class Absent(Enum):
    """What stands for an argument that was not given."""

    ABSENT = "absent"

    def __repr__(self) -> str:
        return "<absent>"


ABSENT = Absent.ABSENT

Args = tuple[Any, ...]
Kwargs = Mapping[str, Any]


def _is_tensor(value: object) -> bool:
    return False  # there are none yet


class ParameterType(Enum):
    """The types of parameters: what torch's messages call them, and what they take."""

    ScalarType = ("torch.dtype", is_dtype)
    Scalar = ("Number", is_number)
    Tensor = ("Tensor", _is_tensor)

    def __init__(self, printed: str, accepts: Callable[[object], bool]) -> None:
        self.printed = printed
        self.accepts = accepts


class Parameter(NamedTuple):
    """One parameter of a signature."""

    type: ParameterType
    name: str

    def __str__(self) -> str:
        return f"{self.type.printed} {self.name}"


class Signature(NamedTuple):
    """One way to call a function."""

    function: str
    parameters: tuple[Parameter, ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.parameters))})"

    def match(self, args: Args, kwargs: Kwargs) -> Args | None:
        """Return the arguments in the order of the parameters, or None."""
        try:
            return self.bind(args, kwargs)
        except TypeError:
            return None

    def bind(self, args: Args, kwargs: Kwargs) -> Args:
        """Return the arguments in the order of the parameters, or raise TypeError."""
        function, count = self.function, len(self.parameters)
        if len(args) > count:
            plural = "" if count == 1 else "s"
            raise TypeError(
                f"{function}() takes {count} positional argument{plural} but {len(args)} were given"
            )
        bound = []
        for position, parameter in enumerate(self.parameters):
            if position < len(args):
                value, where = args[position], f" (position {position + 1})"
            elif parameter.name in kwargs:
                value, where = kwargs[parameter.name], ""
            else:
                self._missing(position)
            if not parameter.type.accepts(value):
                raise TypeError(
                    f"{function}(): argument '{parameter.name}'{where} must be"
                    f" {parameter.type.printed}, not {type_name(value)}"
                )
            bound.append(value)
        if len(bound) < len(args) + len(kwargs):
            self._unexpected(args, kwargs)
        return tuple(bound)

    def _missing(self, position: int) -> NoReturn:
        names = [f'"{parameter.name}"' for parameter in self.parameters[position:]]
        # Torch adds the plural to the wrong one of the two.
        plural = "s" if len(names) == 1 else ""
        raise TypeError(
            f"{self.function}() missing {len(names)} required positional argument{plural}:"
            f" {', '.join(names)}"
        )

    def _unexpected(self, args: Args, kwargs: Kwargs) -> NoReturn:
        names = [parameter.name for parameter in self.parameters]
        for name in kwargs:
            if name not in names:
                raise TypeError(f"{self.function}() got an unexpected keyword argument '{name}'")
            if names.index(name) < len(args):
                raise TypeError(f"{self.function}() got multiple values for argument '{name}'")
        raise AssertionError("some keyword is unknown or given twice")


class Parser:
    """The signatures of one function.

    >>> parse = Parser("promote_types(ScalarType type1, ScalarType type2)")
    >>> parse((1, 2), {})
    Traceback (most recent call last):
    TypeError: promote_types(): argument 'type1' (position 1) must be torch.dtype, not int
    """

    def __init__(self, *declarations: str) -> None:
        self.signatures = tuple(map(_read, declarations))

    def __call__(self, args: Args, kwargs: Kwargs) -> Args:
        """Return the arguments in the order of the first signature that takes them."""
        if len(self.signatures) == 1:
            return self.signatures[0].bind(args, kwargs)
        for signature in self.signatures:
            if (bound := signature.match(args, kwargs)) is not None:
                return bound
        given = len(args) + len(kwargs)
        plausible = [each for each in self.signatures if len(each.parameters) == given]
        if len(plausible) == 1:
            return plausible[0].bind(args, kwargs)
        raise TypeError(_no_signature_fits(self.signatures, args, kwargs))


def positional(*given: Any) -> Args:
    """Put the positional arguments of a call together again: those named, then the extra ones.

    >>> positional(1, ABSENT, ()), positional(1, 2, (3,))
    ((1,), (1, 2, 3))
    """
    *named, extra = given
    return (*(value for value in named if value is not ABSENT), *extra)


def _read(declaration: str) -> Signature:
    """Read a signature as torch writes it: ``name(Type first, Type second)``."""
    function, _, rest = declaration.removesuffix(")").partition("(")
    parameters = []
    for part in filter(None, rest.split(", ")):
        kind, name = part.split(" ")
        parameters.append(Parameter(ParameterType[kind], name))
    return Signature(function, tuple(parameters))


def _no_signature_fits(signatures: Sequence[Signature], args: Args, kwargs: Kwargs) -> str:
    # Torch lists keywords as its hash map holds them, which is last one first
    # for all but a few sets of names.
    backwards = {name: kwargs[name] for name in reversed([*kwargs])}
    got = _call(map(type_name, args), {name: type_name(backwards[name]) for name in backwards})
    lines = [
        f"{signatures[0].function}() received an invalid combination of arguments"
        f" - got {got}, but expected one of:"
    ]
    for signature in signatures:
        lines.append(f" * {signature}")
        if why := _why_not(signature, args, backwards):
            lines.append(f"      didn't match because some of the {why}")
    return "\n".join(lines) + "\n"


def _why_not(signature: Signature, args: Args, kwargs: Kwargs) -> str:
    """Say why a signature does not fit; nothing if it takes another number of arguments."""
    names = [parameter.name for parameter in signature.parameters]
    # A signature without parameters counts as one parameter without a name.
    if len(args) + len(kwargs) != max(1, len(names)):
        return ""
    keywords = names[len(args) :]
    if wrong := [name for name in kwargs if name not in keywords]:
        return f"keywords were incorrect: {', '.join(wrong)}"
    by_position = [
        _mark(value, parameter, "")
        for value, parameter in zip(args, signature.parameters, strict=False)
    ]
    by_keyword = [
        _mark(kwargs[parameter.name], parameter, f"{parameter.name}=")
        for parameter in signature.parameters[len(args) :]
    ]
    closing = "" if args else ", "
    return f"arguments have invalid types: ({', '.join(by_position + by_keyword)}{closing})"


def _mark(value: object, parameter: Parameter, prefix: str) -> str:
    """Write an argument's type; between marks, or red on a terminal, unless it is the one asked for."""
    name = type_name(value)
    fits = name == parameter.type.printed
    if isinstance(value, tuple | list):
        inside = ", ".join(map(type_name, value))
        if isinstance(value, tuple):
            name += f" of ({inside}{',' if len(value) == 1 else ''})"
        else:
            name += f" of [{inside}]"
    if os.isatty(1) and os.isatty(2):
        return f"\33[{'32' if fits else '31'};1m{prefix}{name}\33[0m"
    return f"{prefix}{name}" if fits else f"!{prefix}{name}!"


def _call(args: Iterable[str], kwargs: Mapping[str, str]) -> str:
    parts = [*args]
    named = [f"{name}={value}" for name, value in kwargs.items()]
    closing = ", " if named and not parts else ""
    return f"({', '.join(parts + named)}{closing})"
