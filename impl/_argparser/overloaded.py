"""The arguments whose ``__torch_function__`` a call dispatches to.

Follows FunctionParameter::check and FunctionSignature::parse in
torch/csrc/utils/python_arg_parser.cpp.  Only arguments of a call that some signature accepts are
asked.  An object of another class with a ``__torch_function__`` is accepted for every parameter.
"""

from typing import Any, NamedTuple

from .._runtime.torch_function import append_overloaded, overrides
from .parser import Parser
from .schema import Args, Kwargs, Parameter, Signature
from .types import TYPES, ParameterType, is_list, is_tensor


def is_unrelated(value: Any) -> bool:
    """Return whether an object that is no tensor has a ``__torch_function__``."""
    return not is_tensor(value) and overrides(value)


class _OverridableSignature(Signature):
    """A signature that accepts unrelated objects with an override, too."""

    def _read_parameters(self, body: str) -> tuple[Parameter, ...]:
        parameters = super()._read_parameters(body)
        return tuple(each._replace(type=_overridable(each.type)) for each in parameters)

    def _gathered(self, args: Args) -> Args:
        if not args or not overrides(args[0]):
            return super()._gathered(args)
        # An unrelated object matches the list itself; torch then looks at further parameters only.
        is_list_itself = is_unrelated(args[0]) and (len(args) == 1 or len(self.parameters) > 1)
        return args if is_list_itself else (args,)


def _overridable(base: ParameterType) -> ParameterType:
    """Return a type that accepts unrelated objects, also as elements of lists."""
    is_many = base.printed in ("tuple of ints", "tuple of Tensors")

    def accepts(value: Any) -> bool:
        if base.accepts(value):
            return True
        if not is_many or not is_list(value):
            return is_unrelated(value)
        if base.printed == "tuple of ints":
            return overrides(value[0])
        return all(is_tensor(each) or is_unrelated(each) for each in value)

    return base._replace(accepts=accepts)


class OverridableParser(Parser):
    """The parser of calls that may be overridden."""

    signature_class = _OverridableSignature


_CONVERTERS = {
    TYPES["int64_t"].convert: "__index__", TYPES["double"].convert: "__float__"
}  # fmt: skip
"""The methods of tensors by which torch converts them to numbers; they may be overridden."""


class Bound(NamedTuple):
    """A call that may be overridden.

    overloaded: the arguments with an override, in the order of their calls
    numbers: tensors with an override that stand for a number, and the method that converts them
    """

    overloaded: list[Any]
    numbers: list[tuple[Any, str]]


def overloaded_arguments(
    parser: OverridableParser, receiver: Any, args: Args, kwargs: Kwargs
) -> Bound:
    """Return the arguments with an override.

    ``receiver`` is the tensor of a method.  Raise torch's TypeError if no signature matches.
    """
    signature, values = parser._match(args, kwargs)
    overloaded = [receiver] if overrides(receiver) else []
    numbers: list[tuple[Any, str]] = []
    for parameter, value in zip(signature.parameters, values, strict=True):
        printed = parameter.type.printed
        if printed == "object":
            continue
        if is_list(value) and printed in ("tuple of ints", "tuple of Tensors"):
            for each in value:
                if overrides(each):
                    append_overloaded(overloaded, each)
        elif overrides(value) and (printed in ("Tensor", "Tensor?") or not is_tensor(value)):
            append_overloaded(overloaded, value)
        elif overrides(value) and parameter.type.convert in _CONVERTERS:
            numbers.append((value, _CONVERTERS[parameter.type.convert]))
    return Bound(overloaded, numbers)
