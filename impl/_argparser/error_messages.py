"""What torch says of arguments that no signature takes.

`find_fault` speaks of one signature, as FunctionSignature::parse does in
torch/csrc/utils/python_arg_parser.cpp; `no_signature_fits` lists them all, as
torch/csrc/utils/invalid_arguments.cpp does.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .._runtime.errors import type_name
from .schema import MISSING, NUMPY_NAMES, Args, Kwargs, Parameter, Signature
from .types import is_list, is_tensor


class ArgError(NamedTuple):
    """Why a signature does not take arguments; after a final one no other signature is tried."""

    message: str
    final: bool = False


def find_fault(signature: Signature, args: Args, kwargs: Kwargs) -> ArgError:
    """Return the first thing that torch finds wrong with arguments that a signature refused."""
    gathers = signature.gathers(args)
    if len(args) > signature.most_positional and not gathers:
        return _too_many(signature, len(args))
    position = 0
    for index, parameter in enumerate(signature.parameters):
        by_position = position < len(args)
        if by_position and parameter.keyword_only:
            return _too_many(signature, len(args))
        value = args[position] if by_position else _by_name(parameter, kwargs)
        if value is MISSING and parameter.default is MISSING:
            return _missing(signature, index)
        if (
            value is MISSING
            or (value is None and parameter.if_none is not MISSING)
            or parameter.type.accepts(value)
        ):
            position += by_position
        elif gathers and position == 0 and by_position:
            position = len(args)
        else:
            at = position + 1 if by_position else 0
            return _unfit(signature.function, parameter, index, value, at)
    return _unexpected(signature, args, kwargs)


def _by_name(parameter: Parameter, kwargs: Kwargs) -> Any:
    for name in (parameter.name, *NUMPY_NAMES.get(parameter.name, ())):
        if name in kwargs:
            return kwargs[name]
    return MISSING


def _too_many(signature: Signature, count: int) -> ArgError:
    least, most = signature.least, signature.most_positional
    if least != most:
        takes = f"takes from {least} to {most} positional arguments but {count} were given"
    else:
        plural, were = "" if most == 1 else "s", "was" if count == 1 else "were"
        takes = f"takes {most} positional argument{plural} but {count} {were} given"
    return ArgError(f"{signature.function}() {takes}")


def _missing(signature: Signature, index: int) -> ArgError:
    names = [f'"{each.name}"' for each in signature.parameters[index:] if each.default is MISSING]
    # Torch adds the plural to the wrong one of the two.
    plural = "s" if len(names) == 1 else ""
    return ArgError(
        f"{signature.function}() missing {len(names)} required positional argument{plural}:"
        f" {', '.join(names)}"
    )


def _unfit(function: str, parameter: Parameter, index: int, value: Any, position: int) -> ArgError:
    """Say that an argument is of the wrong type; ``position`` is 0 for one given by name."""
    printed = parameter.type.printed
    if printed == "tuple of Tensors" and is_list(value):
        bad = next(index for index, each in enumerate(value) if not is_tensor(each))
        return ArgError(
            f"expected Tensor as element {bad} in argument {index},"
            f" but got {type_name(value[bad])}",
            final=True,
        )
    if position and printed == "tuple of ints" and is_list(value):
        but = f"but found element of type {type_name(value[0])} at pos 0"
    else:
        but = f"not {type_name(value)}"
    where = f" (position {position})" if position else ""
    return ArgError(f"{function}(): argument '{parameter.name}'{where} must be {printed}, {but}")


def _unexpected(signature: Signature, args: Args, kwargs: Kwargs) -> ArgError:
    # Of a list of ints without brackets every int counts, and NumPy's names count as unknown.
    names = [parameter.name for parameter in signature.parameters]
    for name in kwargs:
        if name not in names:
            return ArgError(f"{signature.function}() got an unexpected keyword argument '{name}'")
        if names.index(name) < len(args):
            return ArgError(f"{signature.function}() got multiple values for argument '{name}'")
    raise AssertionError("a signature refused arguments in which nothing is wrong")


def no_signature_fits(signatures: Sequence[Signature], args: Args, kwargs: Kwargs) -> str:
    """Write the message that lists all signatures, and why each does not fit."""
    names = in_hash_order([*kwargs])
    ordered = {name: kwargs[name] for name in names}
    start = f"{signatures[0].function}() received an invalid combination of arguments - got"
    options = [_Option(str(each)) for each in signatures if not each.hidden]
    got = _call(args, ordered)
    if len(options) == 1:
        return f"{start} {_why_not_the_only(options[0], args, ordered, got)}"
    lines = [f"{start} {got}, but expected one of:"]
    for option in options:
        lines.append(f" * {option.printed}")
        if why := _why_not(option, args, ordered):
            lines.append(f"      didn't match because some of the {why}")
    return "\n".join(lines) + "\n"


class _Option:
    """A signature as torch reads it back from what it printed.

    The name is what follows the last space, so that a parameter with a default
    has the default for its name; the star counts as a parameter, and no
    parameters count as one.
    """

    def __init__(self, printed: str) -> None:
        self.printed = printed
        parts = [part.rpartition(" ") for part in printed[1:-1].split(", ")]
        self.types = [kind for kind, _, _ in parts]
        self.names = [name for _, _, name in parts]

    def unmatched(self, kwargs: Kwargs) -> list[str]:
        last = self.names[max(0, len(self.names) - len(kwargs)) :]
        return [name for name in kwargs if name not in last]


def _why_not_the_only(option: _Option, args: Args, kwargs: Kwargs, got: str) -> str:
    if wrong := option.unmatched(kwargs):
        return f"unrecognized keyword arguments: {', '.join(wrong)}"
    if len(option.names) == len(args) + len(kwargs):
        got = _marked(option, args, kwargs)
    return f"{got}, but expected {option.printed}"


def _why_not(option: _Option, args: Args, kwargs: Kwargs) -> str:
    """Say why a signature does not fit; nothing if it takes another number of arguments."""
    if len(option.names) != len(args) + len(kwargs):
        return ""
    if wrong := option.unmatched(kwargs):
        return f"keywords were incorrect: {', '.join(wrong)}"
    return f"arguments have invalid types: {_marked(option, args, kwargs)}"


def _marked(option: _Option, args: Args, kwargs: Kwargs) -> str:
    """Write the types of the arguments in the order of the parameters, the bad ones marked."""
    by_position = [_mark(value, kind, "") for value, kind in zip(args, option.types, strict=False)]
    by_keyword = [
        _mark(kwargs[name], kind, f"{name}=")
        for name, kind in zip(option.names[len(args) :], option.types[len(args) :], strict=True)
    ]
    closing = "" if args else ", "
    return f"({', '.join(by_position + by_keyword)}{closing})"


_ALSO_FIT = {"float": ("float", "int", "long"), "int": ("int", "long")}


def _mark(value: object, wanted: str, prefix: str) -> str:
    """Write an argument's type; between marks, or red on a terminal, unless it is the one asked for."""
    name = type_name(value)
    fits = name in _ALSO_FIT.get(wanted, (wanted,))
    if is_list(value):
        name += _elements(value)  # type: ignore[arg-type]  # is_list does not tell mypy
    if os.isatty(1) and os.isatty(2):
        return f"\33[{'32' if fits else '31'};1m{prefix}{name}\33[0m"
    return f"{prefix}{name}" if fits else f"!{prefix}{name}!"


def _elements(value: Sequence[object]) -> str:
    inside = ", ".join(map(type_name, value))
    if issubclass(type(value), tuple):
        return f" of ({inside}{',' if len(value) == 1 else ''})"
    return f" of [{inside}]"


def _call(args: Iterable[object], kwargs: Mapping[str, object]) -> str:
    parts = [*map(type_name, args)]
    named = [f"{name}={type_name(value)}" for name, value in kwargs.items()]
    closing = ", " if named and not parts else ""
    return f"({', '.join(parts + named)}{closing})"


_BUCKETS = (13, 29, 59, 127, 257)
_MULTIPLIER = 0xC6A4A7935BD1E995
_64_BITS = 2**64 - 1


def in_hash_order(names: Iterable[str]) -> list[str]:
    """Order names as torch's std::unordered_map lists them (that of GNU's library).

    >>> in_hash_order(["dim", "keepdim"]), in_hash_order("kd")
    (['keepdim', 'dim'], ['d', 'k'])
    """
    chain: list[tuple[int, str]] = []
    growth = iter(_BUCKETS)
    buckets = 0
    for name in names:
        if len(chain) == buckets:
            buckets = next(growth)
            smaller, chain = chain, []
            for hashed, each in smaller:
                _link(chain, hashed, each, buckets)
        _link(chain, _hash(name.encode()), name, buckets)
    return [name for _, name in chain]


def _link(chain: list[tuple[int, str]], hashed: int, name: str, buckets: int) -> None:
    """Put a name before those of its bucket, or before all if its bucket is empty."""
    shared = (index for index, each in enumerate(chain) if each[0] % buckets == hashed % buckets)
    chain.insert(next(shared, 0), (hashed, name))


def _hash(data: bytes) -> int:
    """Hash as std::hash<std::string> does: MurmurHash64A, with the seed of GNU's library."""
    hashed = 0xC70F6907 ^ len(data) * _MULTIPLIER & _64_BITS
    whole = len(data) // 8 * 8
    for start in range(0, whole, 8):
        block = int.from_bytes(data[start : start + 8], "little") * _MULTIPLIER & _64_BITS
        block = (block ^ block >> 47) * _MULTIPLIER & _64_BITS
        hashed = (hashed ^ block) * _MULTIPLIER & _64_BITS
    if whole < len(data):
        hashed = (hashed ^ int.from_bytes(data[whole:], "little")) * _MULTIPLIER & _64_BITS
    hashed = (hashed ^ hashed >> 47) * _MULTIPLIER & _64_BITS
    return hashed ^ hashed >> 47
