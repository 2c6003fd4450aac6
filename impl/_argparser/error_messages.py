"""Messages of torch's TypeErrors for arguments that match no signature.

`find_error` describes one signature (FunctionSignature::parse in
torch/csrc/utils/python_arg_parser.cpp).  `no_signature_fits` lists all of them
(torch/csrc/utils/invalid_arguments.cpp).
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .._runtime.errors import type_name
from .schema import MISSING, NUMPY_NAMES, Args, Kwargs, Parameter, Signature
from .types import is_list


class ArgError(NamedTuple):
    """The error of a signature; after a final one no other signature is tried."""

    message: str
    final: bool = False


def find_error(signature: Signature, args: Args, kwargs: Kwargs) -> ArgError:
    """Return the first error that torch reports for arguments that a signature refused."""
    gathers = signature.gathers(args)
    if len(args) > signature.most_positional and not gathers:
        return _too_many(signature, len(args))
    position = 0
    for index, parameter in enumerate(signature.parameters):
        by_position = position < len(args)
        if by_position and parameter.keyword_only:
            return _too_many(signature, len(args))
        value = args[position] if by_position else _keyword_value(parameter, kwargs)
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
            number = position + 1 if by_position else 0
            return _wrong_type(signature.function, parameter, index, value, number)
    return _unexpected(signature, args, kwargs)


def _keyword_value(parameter: Parameter, kwargs: Kwargs) -> Any:
    names = (parameter.name, *NUMPY_NAMES.get(parameter.name, ()))
    return next((kwargs[name] for name in names if name in kwargs), MISSING)


def _too_many(signature: Signature, count: int) -> ArgError:
    least, most = signature.least, signature.most_positional
    if least != most:
        takes = f"takes from {least} to {most} positional arguments but {count} were given"
    else:
        plural, were = "" if most == 1 else "s", "was" if count == 1 else "were"
        takes = f"takes {most} positional argument{plural} but {count} {were} given"
    return ArgError(f"{signature.function}() {takes}")


def _missing(signature: Signature, index: int) -> ArgError:
    missing = signature.parameters[index:]
    names = [f'"{param.name}"' for param in missing if param.default is MISSING]
    # Torch adds the plural to the wrong one of the two.
    plural = "s" if len(names) == 1 else ""
    return ArgError(
        f"{signature.function}() missing {len(names)} required positional argument{plural}:"
        f" {', '.join(names)}"
    )


def _wrong_type(
    function: str, parameter: Parameter, index: int, value: Any, position: int
) -> ArgError:
    """Return the error for an argument of a wrong type; ``position`` is 0 for a keyword."""
    printed = parameter.type.printed
    if printed == "tuple of Tensors" and is_list(value):
        is_fitting = parameter.type.accepts
        bad = next(number for number, element in enumerate(value) if not is_fitting([element]))
        return ArgError(
            f"expected Tensor as element {bad} in argument {index},"
            f" but got {type_name(value[bad])}",
            final=True,
        )
    if position and printed == "tuple of ints" and is_list(value):
        but = f"but found element of type {type_name(value[0])} at pos 0"
    else:
        but = f"not {type_name(value)}"
    suffix = f" (position {position})" if position else ""
    return ArgError(f"{function}(): argument '{parameter.name}'{suffix} must be {printed}, {but}")


def _unexpected(signature: Signature, args: Args, kwargs: Kwargs) -> ArgError:
    # Each int of a list without brackets counts as an argument; NumPy's names count as unknown.
    names = [parameter.name for parameter in signature.parameters]
    for name in kwargs:
        if name not in names:
            return ArgError(f"{signature.function}() got an unexpected keyword argument '{name}'")
        if names.index(name) < len(args):
            return ArgError(f"{signature.function}() got multiple values for argument '{name}'")
    raise AssertionError("a signature refused valid arguments")


def no_signature_fits(signatures: Sequence[Signature], args: Args, kwargs: Kwargs) -> str:
    """Return the message with all signatures, and the reason why each does not match."""
    ordered = {name: kwargs[name] for name in in_hash_order(kwargs)}
    start = f"{signatures[0].function}() received an invalid combination of arguments - got"
    options = [_Option(str(signature)) for signature in signatures if not signature.hidden]
    got = _argument_types(args, ordered)
    if len(options) == 1:
        return f"{start} {_single_mismatch(options[0], args, ordered, got)}"
    lines = [f"{start} {got}, but expected one of:"]
    for option in options:
        lines.append(f" * {option.printed}")
        if reason := _mismatch(option, args, ordered):
            lines.append(f"      didn't match because some of the {reason}")
    return "\n".join(lines) + "\n"


class _Option:
    """A signature as torch parses it from its printed form.

    The name is the text after the last space, so a parameter with a default has
    the default as its name.  The star counts as a parameter, and an empty list as one.
    """

    def __init__(self, printed: str) -> None:
        self.printed = printed
        parts = [part.rpartition(" ") for part in printed[1:-1].split(", ")]
        self.types = [type_ for type_, _, _ in parts]
        self.names = [name for _, _, name in parts]

    def unmatched(self, kwargs: Kwargs) -> list[str]:
        expected = self.names[max(0, len(self.names) - len(kwargs)) :]
        return [name for name in kwargs if name not in expected]


def _single_mismatch(option: _Option, args: Args, kwargs: Kwargs, got: str) -> str:
    if unmatched := option.unmatched(kwargs):
        return f"unrecognized keyword arguments: {', '.join(unmatched)}"
    if len(option.names) == len(args) + len(kwargs):
        got = _marked_types(option, args, kwargs)
    return f"{got}, but expected {option.printed}"


def _mismatch(option: _Option, args: Args, kwargs: Kwargs) -> str:
    """Return why a signature does not match; empty if the number of arguments differs."""
    if len(option.names) != len(args) + len(kwargs):
        return ""
    if unmatched := option.unmatched(kwargs):
        return f"keywords were incorrect: {', '.join(unmatched)}"
    return f"arguments have invalid types: {_marked_types(option, args, kwargs)}"


def _marked_types(option: _Option, args: Args, kwargs: Kwargs) -> str:
    """Return the argument types in the order of the parameters, with marks at the wrong ones."""
    positional = [_mark(value, type_, "") for value, type_ in zip(args, option.types, strict=False)]
    keyword = [
        _mark(kwargs[name], type_, f"{name}=")
        for name, type_ in zip(option.names[len(args) :], option.types[len(args) :], strict=True)
    ]
    closing = "" if args else ", "
    return f"({', '.join(positional + keyword)}{closing})"


_ACCEPTED_TYPES = {"float": ("float", "int", "long"), "int": ("int", "long")}


def _mark(value: object, expected: str, prefix: str) -> str:
    """Return an argument's type; a wrong one has marks around it, or is red on a terminal."""
    name = type_name(value)
    fits = name in _ACCEPTED_TYPES.get(expected, (expected,))
    if is_list(value):
        name += _element_types(value)  # type: ignore[arg-type]  # is_list is no TypeGuard
    if os.isatty(1) and os.isatty(2):
        return f"\33[{'32' if fits else '31'};1m{prefix}{name}\33[0m"
    return f"{prefix}{name}" if fits else f"!{prefix}{name}!"


def _element_types(value: Sequence[object]) -> str:
    names = ", ".join(map(type_name, value))
    if issubclass(type(value), tuple):
        return f" of ({names}{',' if len(value) == 1 else ''})"
    return f" of [{names}]"


def _argument_types(args: Iterable[object], kwargs: Mapping[str, object]) -> str:
    positional = [*map(type_name, args)]
    keyword = [f"{name}={type_name(value)}" for name, value in kwargs.items()]
    closing = ", " if keyword and not positional else ""
    return f"({', '.join(positional + keyword)}{closing})"


_BUCKETS = (13, 29, 59, 127, 257)
_MULTIPLIER = 0xC6A4A7935BD1E995
_64_BITS = 2**64 - 1


def in_hash_order(names: Iterable[str]) -> list[str]:
    """Return names in the iteration order of torch's std::unordered_map (GNU libstdc++).

    >>> in_hash_order(["dim", "keepdim"]), in_hash_order("kd")
    (['keepdim', 'dim'], ['d', 'k'])
    """
    chain: list[str] = []
    growth = iter(_BUCKETS)
    buckets = 0
    for name in names:
        if len(chain) == buckets:
            buckets = next(growth)
            old_chain, chain = chain, []
            for old_name in old_chain:
                _insert(chain, old_name, buckets)
        _insert(chain, name, buckets)
    return chain


def _insert(chain: list[str], name: str, buckets: int) -> None:
    """Insert a name before the names of its bucket, or first if its bucket is empty."""
    indices = [_hash(other) % buckets for other in chain]
    bucket = _hash(name) % buckets
    chain.insert(indices.index(bucket) if bucket in indices else 0, name)


def _hash(text: str) -> int:
    """Return the std::hash<std::string>: MurmurHash64A with the seed of libstdc++."""
    data = text.encode()
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
