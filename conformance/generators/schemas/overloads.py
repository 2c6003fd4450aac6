"""The oracle's operator schemas: the overloads behind the public names in scope.

The schemas are those of ``torch.ops.aten``. The suite has no list of operators.
"""

from functools import cache
from typing import Any, NamedTuple

from ...spec import public_surface

_OWNERS = ("torch", "torch.Tensor")
_TENSOR = "Tensor"

UNSUPPORTED = {
    "t": "a type variable, which only TorchScript has",
    "AnyEnumType": "an enum, which only TorchScript has",
    "Dict": "a dictionary, which only TorchScript has",
    "Generator": "a generator, which has its own methods",
}
"""The types of arguments that no call is made for, with the reason."""

_NO_RECEIVER = "no argument is the tensor of the method"
_NOT_CALLABLE = "the public name is no function"
OUT_OF_SCOPE = {"backward": "the backward pass is out of scope"}
"""The functions and methods that no call is made for, with the reason."""


class Param(NamedTuple):
    """A parameter of an overload.

    type: the type in the oracle's words, such as "Optional[int]"
    has_default: whether the schema has a default value
    is_out: whether ``out=`` passes it
    """

    name: str
    type: str
    keyword_only: bool
    has_default: bool
    is_out: bool

    @property
    def element_type(self) -> str:
        """The type without "Optional"."""
        return self.type.removeprefix("Optional[").removesuffix(
            "]" * (self.type[:9] == "Optional[")
        )

    @property
    def is_tensor(self) -> bool:
        """Whether it is one tensor, optional or not."""
        return self.element_type == _TENSOR


class Overload(NamedTuple):
    """An overload under a public name: a function or a method.

    id: the public name and the name of the overload, such as "torch.Tensor.add Scalar"
    name: the name without its owner
    is_method: whether it is called on its parameter ``self``
    is_attribute: whether it is read, not called
    is_random: whether it draws random numbers
    repeats: whether a function with the same name has the same overload
    """

    id: str
    name: str
    is_method: bool
    is_attribute: bool
    is_random: bool
    repeats: bool
    params: tuple[Param, ...]


@cache
def overloads(torch: Any) -> dict[str, Overload]:
    """Return the overloads of the public names in scope that calls can be made for."""
    return {row.id: row for row in _all_overloads(torch) if not reason_not_asked(row)}


@cache
def not_asked(torch: Any) -> tuple[str, ...]:
    """Return the other overloads, each with the reason."""
    reasons = {row.id: reason_not_asked(row) for row in _all_overloads(torch)}
    return tuple(f"{key}: {reason}" for key, reason in reasons.items() if reason)


def reason_not_asked(overload: Overload) -> str:
    """Return why no calls are made for an overload, or an empty string."""
    if overload.is_method and not any(map(is_receiver, overload.params)):
        return _NO_RECEIVER
    if overload.is_attribute and not overload.is_method:
        return _NOT_CALLABLE
    if overload.name in OUT_OF_SCOPE:
        return OUT_OF_SCOPE[overload.name]
    for param in overload.params:
        element = param.element_type.removeprefix("List[").partition("[")[0].removesuffix("]")
        if element in UNSUPPORTED and not param.type.startswith("Optional"):
            return f"{param.type} is {UNSUPPORTED[element]}"
    return ""


def is_receiver(param: Param) -> bool:
    """Return whether a parameter is the tensor of a method."""
    return param.name == "self" and param.type == _TENSOR


def _all_overloads(torch: Any) -> list[Overload]:
    aten = getattr(getattr(torch, "ops", None), "aten", None)
    names = public_surface.in_scope(torch)
    functions = _functions_among(torch, names)
    rows = []
    for public in names:
        owner, _, name = public.rpartition(".")
        packet: Any = getattr(aten, name, None) if owner in _OWNERS else None
        for overload in packet.overloads() if hasattr(packet, "overloads") else ():
            is_attribute = not callable(getattr(public_surface.resolve_name(torch, owner), name))
            rows.append(
                _overload(
                    getattr(packet, overload), f"{public} {overload}", is_attribute, functions
                )
            )
    return rows


def _functions_among(torch: Any, names: list[str]) -> set[str]:
    """Return the names of functions of torch; `torch.cpu`, the name of a method, is a module."""
    paths = (public.rpartition(".") for public in names)
    return {name for owner, _, name in paths if owner == "torch" and callable(getattr(torch, name))}


def _overload(operator: Any, key: str, is_attribute: bool, functions: set[str]) -> Overload:
    owner, _, name = key.partition(" ")[0].rpartition(".")
    is_method, args = owner == "torch.Tensor", operator._schema.arguments
    return Overload(
        key,
        name,
        is_method,
        is_attribute,
        is_random=any(tag.name == "nondeterministic_seeded" for tag in operator.tags),
        repeats=is_method and name in functions,
        params=tuple(
            Param(arg.name, str(arg.real_type), arg.kwarg_only, arg.has_default_value(), arg.is_out)
            for arg in args
        ),
    )
